"""Whole SELECT statements: from what analysts write to plain questions, and from their answers to one table."""
