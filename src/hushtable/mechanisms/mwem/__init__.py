"""Multiplicative weights: a model of the whole table, corrected where a private choice finds it most wrong."""
