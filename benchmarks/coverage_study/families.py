"""Families: the mechanisms of the study, each with its tables and with how a setting of it begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from . import coded, curated, decided, joined, keyed, smooth
from .asked import Seen
from .settings import Setting, grid

__all__ = ["FAMILIES", "Family", "Observe", "settings"]

Observe = Callable[[int], list[Seen]]
"""One release, by its seed: everything it was asked, with the truth."""


@dataclass(frozen=True)
class Family:
    """A mechanism and its questions; `begin` reads rows, plans and finds the truths, once for a setting."""

    role: str
    begin: Callable[[Setting], Observe]
    currencies: tuple[str, ...] = ("pure", "delta")
    mechanism: str | None = None
    """The mechanism, where the family has another name; a curator has none."""


FAMILIES: dict[str, Family] = {
    "low-order": Family("codes", partial(coded.marginals, mechanism="low-order")),
    "tables": Family("codes", partial(coded.marginals, mechanism="tables")),
    "histogram": Family("codes", partial(coded.marginals, mechanism="histogram")),
    "k-norm": Family("codes", coded.one_way, ("pure",)),
    "monomial": Family("bits", coded.monomial, ("pure",)),
    "polynomials": Family("bits", coded.polynomials),
    "learned": Family("bits", coded.learned),
    "privlearn": Family("bits", partial(coded.learned, mechanism="privlearn(alpha=0.1)")),
    "parity-rows": Family("bits", coded.odd),
    "mwem": Family("codes", partial(coded.marginals, mechanism="mwem", columns=5)),
    "mwem-parities": Family("bits", coded.parities, mechanism="mwem"),
    "mwem-ranges": Family("codes", coded.ranges, mechanism="mwem"),
    "mwem-linear": Family("codes", coded.linear, mechanism="mwem"),
    "predicates": Family("bits", coded.predicates, mechanism="low-order"),
    "tree": Family("bits", coded.trees),
    "whole-table": Family("codes", coded.whole_table, mechanism="pair-rake"),
    "whole-table-rare": Family("rare", coded.whole_table, mechanism="pair-rake"),
    "hash-sketch": Family("keys", keyed.sketch),
    "stability-histogram": Family("keys", keyed.stability, ("delta",)),
    "list-counts": Family("keys", keyed.known),
    "sparse-project": Family("keys", keyed.project, ("delta",)),
    "conjunctions": Family("bits", keyed.conjunctions, mechanism="hash-sketch"),
    "smooth-spline": Family("numbers", partial(smooth.means, mechanism="smooth-spline")),
    "smooth-quantiles": Family("numbers", smooth.quantiles, mechanism="smooth-spline"),
    "smooth-cheb": Family("numbers", partial(smooth.means, mechanism="smooth-cheb"), ("delta",)),
    "smooth-sparse": Family("numbers", smooth.many, ("delta",)),
    "smooth-direct": Family("numbers", smooth.direct),
    "k-norm-means": Family("numbers", smooth.bounded, ("pure",), mechanism="k-norm"),
    "smooth-paper": Family("numbers", smooth.paper, ("pure",)),
    "decision-lists": Family("rules", decided.lists),
    "degree-cuts": Family("edges", joined.cuts),
    "curator": Family("codes", partial(curated.conditions, way="hypothesis")),
    "curator-independent": Family("codes", partial(curated.conditions, way="independent")),
    "curator-points": Family("codes", partial(curated.conditions, way="hypothesis", columns=7, points=1_000)),
    "list-curator": Family("keys", curated.lists),
}


def settings(only: str = "") -> list[Setting]:
    """Every setting of the families whose names begin with `only`, large tables last in each."""
    return [
        one
        for name, family in FAMILIES.items()
        if name.startswith(only)
        for one in grid(name, family.role)
        if one.currency in family.currencies
    ]
