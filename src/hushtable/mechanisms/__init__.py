"""How it is answered: one file per method, each with its forecast and its source."""

from __future__ import annotations

import sys
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any

from ..errors import BadPlan
from ..questions.workloads.base import under_new_names
from ..registry import classes_in
from ..words import listed, read_call, suggestion
from .base import Design, Forecast, Mechanism

__all__ = ["Design", "Forecast", "Mechanism", "mechanisms", "read_mechanism"]


@cache
def mechanisms() -> dict[str, Mechanism[Any]]:
    """Every mechanism, by name, with its default options."""
    return {name: cls() for name, cls in classes_in(sys.modules[__name__], Mechanism).items()}


def read_mechanism(text: str, *, recorded: bool = False) -> Mechanism[Any]:
    """The mechanism a text names, with options if it has any: `histogram`, `mwem(rounds=12)`.

    recorded  the text is that of a journal or file, whose options are as they were when it was written
    """
    known = mechanisms()
    if text in known and not (recorded and known[text].since):
        return known[text]
    # A hyphen is no part of a name that `read_call` knows.
    title, bracket, rest = text.strip().partition("(")
    try:
        name, given = title.strip(), read_call(f"options({rest}")[1] if bracket else {}
    except ValueError:
        name, given = text, {}
    if name not in known:
        names = sorted(known)
        raise BadPlan(f"no mechanism '{text[:60]}'; there are {listed(names)}.{suggestion(name, names)}")
    kind = type(known[name])
    given = (dict(kind.since) if recorded else {}) | under_new_names(given, kind.former)
    options: list[str] = [f.name for f in fields(kind) if f.init and f.name != "learner"] if is_dataclass(kind) else []
    if not set(given) <= set(options):
        raise BadPlan(f"{name} takes {listed(options) or 'no options'}; given: {listed(list(given))}")
    words = {"true": True, "false": False}
    return kind(**{name: words.get(value, value) if isinstance(value, str) else value for name, value in given.items()})
