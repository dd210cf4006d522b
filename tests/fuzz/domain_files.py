"""Campaign: domain files: mutated YAML, aliases, bombs, tags, deep nesting, and mappings of nasty values."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mutations import NASTY_TEXTS, mutate_bytes, mutate_text, mutate_value
from specimens import SPECIMENS

from hushtable.domain import Domain
from hushtable.domain.yaml_text import yaml_text

FULL = {
    "table": "clinic",
    "unit": {"rows": 2},
    "neighbours": "add-remove",
    "attributes": {
        "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
        "income": {"kind": "number", "between": ["-0.5", "2e5"], "bins": 8},
        "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
        "smoker": {"kind": "boolean"},
        "url": {"kind": "open"},
        "choice": {"kind": "decision_list", "inputs": ["near", "cheap"], "length": 2},
    },
    "impossible": ["age < 18 AND smoker"],
}
BOMB = "a: &a [x,x,x,x,x,x,x,x]\n" + "".join(
    f"{b}: &{b} [{','.join([f'*{a}'] * 8)}]\n" for a, b in zip("abcdefgh", "bcdefghi", strict=True)
)
TRICKS = (
    BOMB,
    "a: &a [*a]\n",
    "!!python/object/apply:os.system ['true']\n",
    "table: !!python/name:os.system\n",
    "table: !!binary aGk=\n",
    "<<: {table: t}\n",
    "? [a, b]\n: c\n",
    "--- a\n--- b\n",
    "%YAML 9.9\n---\ntable: t\n",
    "table: t\ntable: u\n",
    "\ufefftable: t\n",
    "table: |\n " + "x\n " * 1000,
    "{" * 1000,
    "[" * 1000 + "]" * 1000,
    "- " * 500 + "x",
    "a:\n" + "".join(" " * i + "a:\n" for i in range(1, 200)),
    "attributes: {" + ", ".join(f"c{i}: {{kind: boolean}}" for i in range(500)) + "}\ntable: t\n",
)


def prepare(folder: Path) -> Callable[[random.Random], None]:
    shapes = [FULL, FULL, *({"table": "t", "attributes": s.attributes} for s in SPECIMENS)]
    texts = [yaml_text(shape) for shape in shapes]
    path = folder / "domain.yaml"

    def run(luck: random.Random) -> None:
        what = luck.random()
        if what < 0.75:
            changed: Any = copy.deepcopy(luck.choice(shapes))
            for _ in range(luck.choice((1, 1, 2, 3))):
                changed = mutate_value(changed, luck)
            use(Domain.from_dict(changed))
            return
        if what < 0.87:
            data = mutate_text(luck.choice(texts), luck).encode("utf-8", "surrogatepass")
        elif what < 0.95:
            data = mutate_bytes(luck.choice(texts).encode(), luck)
        else:
            data = tricked(luck).encode("utf-8", "surrogatepass")
        path.write_bytes(data)
        use(Domain.load(path))

    return run


def tricked(luck: random.Random) -> str:
    trick = mutate_text(luck.choice(TRICKS), luck) if luck.random() < 0.7 else luck.choice(NASTY_TEXTS)
    return luck.choice((trick, "table: t\nattributes:\n  a: {kind: boolean}\n" + trick, f"table: {trick}"))


def use(domain: Domain) -> None:
    """What a domain is used for without any rows; and it must survive being written down."""
    assert Domain.from_dict(domain.to_dict()).digest == domain.digest
    assert len(domain.sizes) == len(domain.closed)
    for attribute in domain.closed[:20]:
        for value in ("", "x", "1e999", 5, None, float("nan"), True, b"\xff"):
            code = attribute.code(value)
            assert code is None or 0 <= code < attribute.size
