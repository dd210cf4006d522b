"""Numbers of which only the range is known: cells found from noisy counts, and how values lie inside them."""
