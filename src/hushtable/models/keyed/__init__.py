"""Models of sparse workloads: lists of values of columns with more values than anyone could list."""
