"""Hints: what may be wrong with a question that cannot be read, and how to write it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["hint", "name_in_quotes", "not_a_condition", "quoted_name", "unclosed"]

GROUPED = re.compile(r"\d[,]\d")
QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")


def quoted_name(name: str) -> str:
    """A name as SQL takes it: in double quotes where it has spaces or signs."""
    plain = name.isascii() and name.isidentifier()
    return name if plain else '"{}"'.format(name.replace('"', '""'))


def unclosed(text: str) -> str | None:
    """Which quote or bracket has no other side; None where all have."""
    rest = QUOTED.sub("", text)
    for mark, name in (("'", "single"), ('"', "double")):
        if mark in rest:
            return f"a {name} quote has no other side; write texts as 'text', and an apostrophe in them twice"
    opened, closed = rest.count("("), rest.count(")")
    if opened != closed:
        word = "closed" if opened > closed else "opened"
        return f"a bracket is never {word}; there are {opened} of ( and {closed} of )"
    return None


def hint(text: str) -> str | None:
    """What a text that is no SQL probably means; None where nothing comes to mind."""
    rest = QUOTED.sub("''", text)
    if "&&" in rest or "||" in rest:
        return "write AND for && and OR for ||"
    if GROUPED.search(rest) and not re.search(r"\bin\b|\(", rest, re.IGNORECASE):
        return "write numbers as 50000 and 25.5, without marks between thousands and without a decimal comma"
    if re.search(r"\b(and|or|not|where|by)\s*$", rest, re.IGNORECASE):
        return "something is missing at its end"
    return None


def name_in_quotes(node: exp.Expr, known: Sequence[str]) -> str | None:
    """The column whose name SQL takes apart at a dot or a space: it needs double quotes."""
    from sqlglot import exp

    if isinstance(node, exp.Column):
        parts = [part.name for part in node.parts]
        spellings = [".".join(parts)]
    elif isinstance(node, exp.Alias):
        spellings = [f"{node.this.name} {node.alias}"]
    elif isinstance(node, exp.Binary):
        spellings = [f"{node.this.name}{sign}{node.expression.name}" for sign in ("-", "/", "+", "%")]
    else:
        return None
    return next((name for name in known for said in spellings if said and name.lower() == said.lower()), None)


def not_a_condition(node: exp.Expr, table: str) -> str:
    """Why an expression is no condition, and what to write instead."""
    from sqlglot import exp

    shown = node.sql()[:60]
    if isinstance(node, exp.AggFunc):
        return f"{shown.lower()} is no condition; write SELECT {shown.lower()} FROM {quoted_name(table)}"
    if isinstance(node, (exp.DDL, exp.DML, exp.Command, exp.Drop)):
        return f"{shown!r} is no question; ask a condition or a SELECT"
    return f"{shown!r} is not a supported condition; compare a column with a value"
