"""The model of multiplicative weights: a distribution over whole rows with what certifies it."""
