"""Algorithms as their sources print them: run by name, and never chosen by a plan."""
