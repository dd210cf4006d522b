"""From private sums to numbers: price, read, charge, draw. The only place where noise is made."""
