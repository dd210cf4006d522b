"""Discovery: a workload, statistic or mechanism is added by adding its file to the folder, nothing else."""

from __future__ import annotations

from importlib import import_module
from inspect import isabstract
from pkgutil import iter_modules
from types import ModuleType
from typing import Any, TypeVar

__all__ = ["classes_in"]

T = TypeVar("T")


def classes_in(package: ModuleType, base: type[T]) -> dict[str, type[T]]:
    """The concrete classes derived from `base` in all modules of a package, by their `name`."""
    found: dict[str, type[T]] = {}
    for module in sorted(iter_modules(package.__path__), key=lambda m: m.name):
        for item in vars(import_module(f"{package.__name__}.{module.name}")).values():
            if isinstance(item, type) and issubclass(item, base) and not isabstract(item):
                named: Any = item
                found[named.name] = item
    return found
