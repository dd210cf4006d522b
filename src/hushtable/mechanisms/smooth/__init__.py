"""Means of smooth functions of real columns, by splines, by Chebyshev polynomials or one by one."""
