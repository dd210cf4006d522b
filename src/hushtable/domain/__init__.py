"""The public shape of a table: its domain, attributes and what can be said of one row."""

from .domain import Domain

__all__ = ["Domain"]
