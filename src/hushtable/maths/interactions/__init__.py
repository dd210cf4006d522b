"""Tables of a few attributes as interactions: contrasts, their layout, and what noisy ones say of a table."""
