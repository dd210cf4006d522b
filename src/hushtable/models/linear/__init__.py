"""Models whose answers are exact linear combinations of released numbers: a histogram, tables, interactions."""
