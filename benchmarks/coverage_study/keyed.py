"""Open columns: lists of values, known or not, and conjunctions in a sketch."""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

import hushtable as ht

from .asked import Asked
from .coded import repeated
from .conditions import Truth
from .settings import Setting
from .tables import Table, draw

__all__ = ["conjunctions", "counted", "known", "list_questions", "project", "random_lists", "sketch", "stability"]

BUCKETS = 1 << 14
DELTA = "1e-6"


def counted(table: Table) -> Counter[str]:
    """Not private: how often each value occurs."""
    return Counter(table.rows.column("key").drop_null().to_pylist())


def random_lists(counts: Counter[str], source: np.random.Generator) -> dict[str, list[list[str]]]:
    """Short lists, long lists, and the list of all values that occur; frequent, rare and absent ones mixed."""
    by_rank = [value for value, _ in counts.most_common()]
    frequent = by_rank[: max(5, len(by_rank) // 50)]

    def mixed(length: int) -> list[str]:
        drawn = {*source.choice(frequent, length), *source.choice(by_rank, length)}
        drawn |= {f"nowhere-{i}" for i in range(length // 4)}
        return [str(value) for value in source.permutation(sorted(drawn))[:length]]

    return {
        "one value": [[str(source.choice(frequent))] for _ in range(4)] + [["nowhere-0"]],
        "list of 5": [mixed(5) for _ in range(5)],
        "list of 50": [mixed(50) for _ in range(5)],
        "list of all values": [by_rank],
    }


def list_questions(lists: dict[str, list[list[str]]], counts: Counter[str], rows: int) -> list[Asked]:
    """Each list as a fraction and as a count."""
    found = []
    for kind, several in lists.items():
        for values in several:
            exact = sum(counts[value] for value in values)
            found.append(Asked(kind, ht.Listed(values), exact / rows, span=(0, 1)))
            found.append(Asked(f"{kind}, count", ht.Listed(values), exact, count=True, span=(0, rows)))
    return found


def _top(counts: Counter[str]) -> Asked:
    """The most frequent values, chosen by the same noise that is in their counts."""
    return Asked("value of a top list", "top(5)", {(value,): float(n) for value, n in counts.items()}, count=True)


def _begun(setting: Setting) -> tuple[Table, Counter[str], dict[str, list[list[str]]]]:
    table = draw(setting.table, setting.rows)
    counts = counted(table)
    return table, counts, random_lists(counts, np.random.default_rng(setting.number))


def sketch(setting: Setting) -> Any:
    """Any list, by a hash sketch."""
    table, counts, lists = _begun(setting)
    asked = list_questions(lists, counts, setting.rows) + ([_top(counts)] if setting.currency == "delta" else [])
    workload = f"sparse(size=20, buckets={BUCKETS})"
    return repeated(setting, table, asked, workload=workload, mechanism="hash-sketch", budget=_budget(setting))


def project(setting: Setting) -> Any:
    """Any list, by the published projection."""
    table, counts, lists = _begun(setting)
    asked = list_questions(lists, counts, setting.rows)
    by = "sparse-project(height=2048)"
    return repeated(setting, table, asked, workload="sparse(size=20)", mechanism=by, budget=_budget(setting))


def stability(setting: Setting) -> Any:
    """Frequent values alone."""
    table, counts, lists = _begun(setting)
    asked = [*list_questions(lists, counts, setting.rows), _top(counts)]
    workload = "sparse(size=20, rare=False)"
    return repeated(setting, table, asked, workload=workload, mechanism="stability-histogram", budget=_budget(setting))


def known(setting: Setting) -> Any:
    """Lists that were named before the release, with noise on each."""
    table, counts, lists = _begun(setting)
    del lists["list of all values"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.txt"
        path.write_text("".join("\t".join(values) + "\n" for several in lists.values() for values in several), "utf-8")
        workload = ht.KnownLists(file=str(path))
        assert workload.lists  # read once, from a file that is then gone
    asked = list_questions(lists, counts, setting.rows)
    return repeated(setting, table, asked, workload=workload, mechanism="list-counts", budget=_budget(setting))


def _budget(setting: Setting) -> ht.Budget:
    return setting.budget(delta=DELTA)


def conjunctions(setting: Setting) -> Any:
    """Conjunctions of nearly all columns, by a hash sketch."""
    table = draw(setting.table, setting.rows).only(6)
    truth, source, names = Truth(table), np.random.default_rng(setting.number), list(table.attributes)
    asked = []
    for _ in range(10):
        left = source.permutation(names)[:2]
        kept = [name for name in names if name not in left]
        text = " AND ".join(name if source.random() < 0.5 else f"NOT {name}" for name in kept)
        exact = truth.number("count(*)", text)
        asked.append(Asked("conjunction", text, exact / truth.rows, span=(0, 1)))
        asked.append(Asked("conjunction count", text, exact, count=True, span=(0, truth.rows)))
    workload = f"conjunctions(free=2, buckets={BUCKETS})"
    return repeated(setting, table, asked, workload=workload, mechanism="hash-sketch", budget=_budget(setting))
