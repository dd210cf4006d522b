"""Families of polynomials: what every possible row says of every query, as whole coefficients."""
