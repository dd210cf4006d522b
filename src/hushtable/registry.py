"""Registry: a workload, statistic, model or mechanism is added by adding its file to the folder, nothing else."""

from __future__ import annotations

from importlib import import_module
from inspect import isabstract
from pkgutil import walk_packages
from types import ModuleType
from typing import Any

__all__ = ["classes_in"]


def classes_in(package: ModuleType, base: type[Any], key: str = "name") -> dict[str, type[Any]]:
    """The concrete classes derived from `base` in all modules of a package and its folders, by their `key`."""
    classes: dict[str, type[Any]] = {}
    for module in sorted(walk_packages(package.__path__, f"{package.__name__}."), key=lambda m: m.name):
        for item in list(vars(import_module(module.name)).values()):
            if isinstance(item, type) and issubclass(item, base) and not isabstract(item):
                classes[getattr(item, key)] = item
    return classes
