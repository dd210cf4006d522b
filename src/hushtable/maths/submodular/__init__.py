"""Submodular functions: set functions whose jumps shrink as sets grow, cut into pieces on which they hardly move."""
