"""What we then believe: from noisy numbers to answers with error bars. Never sees a row.

A model is added by adding one file, named like the `kind` that files have for it: `hash-sketch` is in hash_sketch.py.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from pkgutil import walk_packages

from ..registry import classes_in
from .base import Model

__all__ = ["MODELS", "Model"]


class _Models(Mapping[str, type[Model]]):
    """Every kind of model by the name that files have for it.

    Asked for one kind it imports that kind alone, because importing all takes longer than an answer.
    """

    def __getitem__(self, kind: str) -> type[Model]:
        for module in self._modules.get(kind, ()):
            for item in vars(import_module(module)).values():
                if isinstance(item, type) and issubclass(item, Model) and getattr(item, "kind", None) == kind:
                    return item
        raise KeyError(kind)

    def __iter__(self) -> Iterator[str]:
        return iter(self._kinds)

    def __len__(self) -> int:
        return len(self._kinds)

    @cached_property
    def _modules(self) -> dict[str, list[str]]:
        """The modules that a kind may be in, by their names alone."""
        modules: dict[str, list[str]] = {}
        for module in walk_packages(sys.modules[__name__].__path__, f"{__name__}."):
            if not module.ispkg:
                modules.setdefault(module.name.rpartition(".")[2].replace("_", "-"), []).append(module.name)
        return modules

    @cached_property
    def _kinds(self) -> list[str]:
        """All kinds, in the order of the alphabet; imports everything."""
        return sorted(classes_in(sys.modules[__name__], Model, key="kind"))


MODELS: Mapping[str, type[Model]] = _Models()
