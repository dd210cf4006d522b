"""Campaign: the texts of workloads and mechanisms with their options, planned on a small domain."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

from mutations import NASTY_NUMBERS, NASTY_TEXTS, mutate_text
from specimens import BINARY, CLOSED, OPEN, RULES

import hushtable as ht
from hushtable.mechanisms import mechanisms, read_mechanism
from hushtable.questions.workloads import read_workload, workloads

DOMAINS = [ht.Domain.from_dict({"table": "t", "attributes": shape}) for shape in (CLOSED, BINARY, OPEN | CLOSED, RULES)]
BUDGETS = [ht.Budget(epsilon=1), ht.Budget(rho="0.1"), ht.Budget(epsilon=1, delta="1e-6")]
TEXTS = (
    "marginals(width=2)", "predicates(width=3)", "any_of(width=3)", "all_of(width=2)", "at_least(r=2, width=3)",
    "parities(order=2)", "decision_lists()", "sparse(size=5, columns=[url], rare=False, buckets=256)",
    "smooth(columns=[age], by=[sex], examples=['exp(-age)'])", "smooth(columns=[log(age)], g=3, t=4)",
    "ranges(attributes=[age], width=1)", "conjunctions(free=1)", "whole_table()", "linear(file=queries.csv)",
    "known_lists(file='/no/such/lists.txt')",
)  # fmt: skip
OPTIONS = ("mwem(rounds=3)", "mwem(rounds=2, split=1/3, adaptive=true, start=histogram)", "mwem(points=10, sample=5)")
NAMES = (
    "width", "order", "r", "size", "columns", "buckets", "by", "examples", "g", "t", "file", "free", "rounds", "split",
    "unit", "start", "cells", "points", "sample", "learner", "length_scale", "__class__", "self",
)  # fmt: skip
ODD = (
    "exp(age)", "log(1)", "open('x')", "a.b.c", "x[0]", "lambda: 0", "{1: 2}", "(1, 2)", "-1", "1/2", "b'x'", "...",
    "f'{1}'", "not 1", "1 if 1 else 2", "*a", "**k", "None", "True",
)  # fmt: skip


def prepare(folder: Path) -> Callable[[random.Random], None]:
    names = sorted(workloads())
    ways = [None, None, *sorted(mechanisms())]

    def run(luck: random.Random) -> None:
        domain, budget = luck.choice(DOMAINS), luck.choice(BUDGETS)
        what = luck.random()
        if what < 0.25:
            read_mechanism(_text(luck, OPTIONS, sorted(mechanisms())))
            return
        text = _text(luck, TEXTS, names)
        if what < 0.7:
            workload = read_workload(text)
            workload.check(domain)
            str(workload)
            return
        str(
            ht.plan(
                domain, workload=text, rows=luck.choice((None, 50, 10**6)), budget=budget, mechanism=luck.choice(ways)
            )
        )

    return run


def _text(luck: random.Random, texts: tuple[str, ...], names: list[str]) -> str:
    if luck.random() < 0.6:
        return mutate_text(luck.choice(texts), luck)
    given = ", ".join(f"{luck.choice(NAMES)}={_value(luck)}" for _ in range(luck.randrange(4)))
    return f"{luck.choice(names)}({given})"


def _value(luck: random.Random) -> str:
    what = luck.randrange(6)
    if what == 0:
        return str(luck.choice(NASTY_NUMBERS))
    if what == 1:
        return repr(luck.choice(NASTY_TEXTS))
    if what == 2:
        return f"[{', '.join(_value(luck) for _ in range(luck.randrange(3)))}]"
    if what == 3:
        return luck.choice(ODD)
    return luck.choice(("1", "2", "3", "age", "sex", "[age]", "[age, sex]", "url", "true", "'age'"))
