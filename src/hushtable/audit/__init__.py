"""Attacks on our own releases: neighbouring tables, many simulated releases, and lower bounds on what they betray."""
