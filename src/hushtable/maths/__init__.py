"""Public arithmetic: no rows, no noise, no files. A subfolder a subject, ranked in tests/architecture/test_ranks.py."""
