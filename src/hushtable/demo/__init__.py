"""The demo: a simulated clinic, from rows to answers."""
