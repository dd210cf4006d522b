"""Curators: answers that were paid for, free ones, and those of the frozen hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np

import hushtable as ht

from .asked import Asked, Seen, ask_all
from .conditions import Truth, cells, fractions
from .held import Held
from .keyed import random_lists
from .settings import Setting
from .tables import draw

__all__ = ["conditions", "lists"]

EPSILON = 8
"""A curator that answers anything at all on small tables takes more than a release."""
NAMES = {"paid": "paid", "free": "free", "unverified": "unverified", "certain": "certain", "repeated": "repeated"}


def _told(curator: ht.Curator, asked: list[Asked]) -> list[Seen]:
    """Every answer, by where it came from; an unverified one is unknown."""
    found = []
    for one in asked:
        answer = curator.ask(one.question, count=one.count)
        unit = "count" if one.count else "fraction"
        if answer.source == "unverified":
            found.append(Seen(f"free {unit}", None, one.truth, one.span))
        else:
            found.append(Seen(f"{answer.source} {unit}", answer, one.truth, one.span))
    return found


def conditions(setting: Setting, *, way: Any) -> Any:
    """Conditions one after the other; what was learned is then frozen and asked again."""
    table = draw(setting.table, setting.rows).only(4)
    truth, source = Truth(table), np.random.default_rng(setting.number)
    asked = fractions(table, truth, source, many=20)
    frozen = [*fractions(table, truth, source, many=6), *cells(table, truth, source, many=2)]
    frozen = [Asked(f"frozen {one.kind}", one.question, one.truth, one.count, one.span) for one in frozen]
    domain = setting.domain(table.attributes)
    vault, parsed = ht.Vault(Held(table.rows), domain), dict[str, Any]()

    def observe(seed: int) -> list[Seen]:
        curator = vault.curate(
            budget=setting.budget(epsilon=EPSILON), way=way, updates=5, questions=40, randomness=ht.Simulated(seed)
        )
        with curator:
            found = _told(curator, asked)
            return found + (list(ask_all(curator.freeze(), frozen, parsed)) if way == "hypothesis" else [])

    return observe


def lists(setting: Setting) -> Any:
    """Lists of values one after the other."""
    from collections import Counter

    table = draw(setting.table, setting.rows)
    counts = Counter(table.rows.column("key").drop_null().to_pylist())
    several = random_lists(counts, np.random.default_rng(setting.number))
    asked = []
    for values in (one for group in several.values() for one in group if len(one) <= 50):
        exact = sum(counts[value] for value in values)
        asked.append(Asked("list", ht.Listed(values), exact / setting.rows, span=(0, 1)))
        asked.append(Asked("list", ht.Listed(values), exact, count=True, span=(0, setting.rows)))
    vault = ht.Vault(Held(table.rows), setting.domain(table.attributes))

    def observe(seed: int) -> list[Seen]:
        with vault.curate(
            budget=setting.budget(epsilon=EPSILON), way="hypothesis", updates=5, questions=40,
            workload="sparse(size=50)", randomness=ht.Simulated(seed),
        ) as curator:  # fmt: skip
            return _told(curator, asked)

    return observe
