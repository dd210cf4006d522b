"""The model of a whole table: weighted rows, fitted to measured tables, with an audit of how far they are off."""
