"""The coverage study: repeated releases of every kind, and how often their intervals hold the truth."""
