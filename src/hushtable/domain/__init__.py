"""The public shape of a table: its domain, attributes, and conditions on one row."""

from .domain import Domain

__all__ = ["Domain"]
