"""From noisy tables of one and two attributes to weighted rows: all that follows the last measurement."""
