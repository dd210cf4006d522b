"""Geometry of noise: the bodies that changes of one row fill, their lattice points, volumes and what they say."""
