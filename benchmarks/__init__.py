"""Benchmarks against peers and against the machine's limit; ratios are taken within one run."""
