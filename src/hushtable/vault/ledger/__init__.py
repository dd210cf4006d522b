"""The durable account of one protected table: sealed lines, balances, one file."""
