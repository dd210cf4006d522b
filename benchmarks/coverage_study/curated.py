"""Curators: answers that were paid for, free ones, and those of the frozen hypothesis."""

from __future__ import annotations

from typing import Any

import numpy as np

import hushtable as ht

from .asked import Asked, Seen, ask_all
from .conditions import Truth, cells, fractions
from .held import Held
from .keyed import counted, list_questions, random_lists
from .settings import Setting
from .tables import draw

__all__ = ["conditions", "lists"]

EPSILON = 8
"""A curator that answers anything at all on small tables takes more than a release."""


def _told(curator: ht.Curator, asked: list[Asked]) -> list[Seen]:
    """Every answer, by where it came from."""
    found = []
    for number, one in enumerate(asked):
        answer = curator.ask(one.question, count=one.count)
        found.append(Seen(f"{answer.source} {answer.unit}", number, answer, one.truth, one.span))
    return found


def conditions(setting: Setting, *, way: Any, columns: int = 4, points: int | None = None) -> Any:
    """Conditions one after the other; what was learned is then frozen and asked again. On random points, if given."""
    table = draw(setting.table, setting.rows).only(columns)
    truth, source = Truth(table), np.random.default_rng(setting.number)
    asked = fractions(table, truth, source, many=20)
    frozen = [*fractions(table, truth, source, many=24), *cells(table, truth, source, many=2)]
    frozen = [Asked(f"frozen {one.kind}", one.question, one.truth, one.count, one.span) for one in frozen]
    domain = setting.domain(table.attributes)
    vault, parsed = ht.Vault(Held(table.rows), domain), dict[str, Any]()

    def observe(seed: int) -> list[Seen]:
        curator = vault.curate(
            budget=setting.budget(epsilon=EPSILON), way=way, updates=5, questions=40, points=points,
            randomness=ht.Simulated(seed),
        )  # fmt: skip
        with curator:
            found = _told(curator, asked)
            return found + (list(ask_all(curator.freeze(), frozen, parsed)) if way == "hypothesis" else [])

    return observe


def lists(setting: Setting) -> Any:
    """Lists of values one after the other."""
    table = draw(setting.table, setting.rows)
    counts = counted(table)
    several = random_lists(counts, np.random.default_rng(setting.number))
    del several["list of all values"]
    asked = list_questions(several, counts, setting.rows)
    vault = ht.Vault(Held(table.rows), setting.domain(table.attributes))

    def observe(seed: int) -> list[Seen]:
        with vault.curate(
            budget=setting.budget(epsilon=EPSILON), way="hypothesis", updates=5, questions=40,
            workload="sparse(size=50)", randomness=ht.Simulated(seed),
        ) as curator:  # fmt: skip
            return _told(curator, asked)

    return observe
