"""Models of real columns: means of smooth functions, quantiles, densities."""
