"""Learning: from noisy answers to a few questions to a predictor of all others; sees questions and answers alone."""
