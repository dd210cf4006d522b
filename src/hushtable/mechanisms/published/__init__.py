"""Algorithms as their sources print them: run by name and never chosen, since another mechanism is always better."""
