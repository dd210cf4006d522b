"""Random conditions in SQL on a small table with NULLs, and a release of it without noise.

The budget is so large that the exact samplers draw 0, so that every row counts.
"""

import random
from typing import Any

import pyarrow as pa

import hushtable as ht

__all__ = ["CASES", "COLUMNS", "ROWS", "Conditions", "release", "table"]

ROWS = 400
CASES = {"low-order": 1000, "histogram": 250, "tables": 250}
SHAPE = ht.Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "r": {"kind": "category", "values": ["a", "b", "c"], "other": True},
            "s": {"kind": "category", "values": ["x", "y", "z z"]},
            "b": {"kind": "boolean"},
            "i": {"kind": "integer", "between": [0, 9]},
            "p": {"kind": "number", "between": [0, 10], "edges": ["2.5", 5]},
        },
    }
)
COLUMNS: dict[str, list[Any]] = {
    "r": ["a", "b", "c", "zz", "yy", None],
    "s": ["x", "y", "z z", None],
    "b": [True, False, None],
    "i": [*range(10), None],
    "p": [0.0, 1.25, 2.5, 3.75, 5.0, 10.0, None],
}


def table() -> pa.Table:
    source = random.Random(5)
    return pa.table({name: pa.array([source.choice(values) for _ in range(ROWS)]) for name, values in COLUMNS.items()})


def release(mechanism: str) -> ht.Synopsis:
    budget = ht.Budget(epsilon=10**6)
    plan = ht.plan(SHAPE, workload="marginals(width=5)", mechanism=mechanism, budget=budget, rows=ROWS)
    return ht.Vault(table(), SHAPE).release(plan, randomness=ht.Simulated(1))


class Conditions:
    """Random conditions: what is asked, and the same in DuckDB's words, which differ for the name 'other' alone."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def any(self, depth: int = 3) -> tuple[str, str]:
        kind = self.random.random()
        if depth == 0 or kind < 0.4:
            return self.atom()
        if kind < 0.55:
            ours, sql = self.any(depth - 1)
            return f"NOT ({ours})", f"NOT ({sql})"
        word, parts = self.random.choice(["AND", "OR"]), [self.any(depth - 1) for _ in range(self.random.randint(2, 3))]
        return f" {word} ".join(f"({p[0]})" for p in parts), f" {word} ".join(f"({p[1]})" for p in parts)

    def atom(self) -> tuple[str, str]:
        name = self.random.choice("rrssbiip")
        ours = getattr(self, f"_{name}")()
        return ours, ours.replace("'other'", "'zz', 'yy'") if " IN " in ours else self._named_other(ours)

    def _named_other(self, text: str) -> str:
        """`r = 'other'` asks for all undeclared values."""
        column, _, rest = text.partition(" ")
        operator, _, value = rest.partition(" ")
        return f"{column} {'NOT ' * (operator == '<>')}IN ('zz', 'yy')" if value == "'other'" else text

    def _compared(self, name: str, values: list[str]) -> str:
        pick = self.random
        how = pick.random()
        if how < 0.1:
            return f"{name} IS {pick.choice(['', 'NOT '])}NULL"
        if how < 0.5:
            return f"{name} {pick.choice(['=', '<>'])} {pick.choice(values)}"
        some = [pick.choice(values) for _ in range(pick.randint(1, 4))]
        return f"{name} {pick.choice(['', 'NOT '])}IN ({', '.join(some)})"

    def _r(self) -> str:
        return self._compared("r", ["'a'", "'b'", "'c'", "'other'", "NULL", "' a '", "''"])

    def _s(self) -> str:
        return self._compared("s", ["'x'", "'y'", "'z z'", "NULL", "'nobody'", "'X'", "'z  z'", "' z z'", "'7'"])

    def _b(self) -> str:
        pick = self.random.choice
        return pick(
            ["b", f"b = {pick(['TRUE', 'FALSE', 'NULL'])}", f"b IS {pick(['', 'NOT '])}{pick(['NULL', 'TRUE'])}"]
        )

    def _i(self) -> str:
        pick = self.random
        numbers = ["0", "3", "9", "2.5", "-0.5", "11", "-1", "9.5", "NULL", "'4'"]
        if pick.random() < 0.5:
            return self._compared("i", numbers)
        if pick.random() < 0.4:
            return f"i {pick.choice(['', 'NOT '])}BETWEEN {pick.choice(numbers)} AND {pick.choice(numbers)}"
        return f"i {pick.choice(['<', '<=', '>', '>='])} {pick.choice(numbers)}"

    def _p(self) -> str:
        pick = self.random
        if pick.random() < 0.2:
            return self._compared("p", ["11", "-0.5", "NULL", "10.25"])
        return f"p {pick.choice(['<', '>='])} {pick.choice(['2.5', '5', '5.0', '0', '-1', '10.5', 'NULL'])}"
