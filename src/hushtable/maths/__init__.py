"""Public arithmetic: no rows, no noise, no files."""
