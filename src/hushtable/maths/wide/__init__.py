"""Estimators: from released low-order statistics to the answer of a wider question, with its error."""
