"""The released file: save, load, ask, draw rows. Never imports the vault."""

from .synopsis import Synopsis, load

__all__ = ["Synopsis", "load"]
