"""The model of a learned workload: noisy answers to some questions, and a predictor of all others."""
