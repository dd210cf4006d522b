"""From noisy tables of one to three attributes to weighted rows: plans of what to measure, and fits to what was."""
