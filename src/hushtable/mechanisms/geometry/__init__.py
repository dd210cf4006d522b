"""Noise shaped like the changes one row can make: the best use of a pure epsilon on few numbers."""
