"""Decisions: the question `decides(column, near AND NOT cheap)` about a column of decision lists."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..domain import Domain
from ..domain.conditions import syntax_tree
from ..domain.decision_list import DecisionList
from ..errors import BadQuestion, UnknownAttribute
from ..words import listed, suggestion

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["Decision", "parse_decision"]


@dataclass(frozen=True, kw_only=True)
class Decision:
    """Which share of the lists decides 1 where each input is true or false."""

    text: str
    truth: tuple[bool, ...]
    """One value an input, in the order of the domain."""
    unnamed: tuple[str, ...]
    """Inputs the question does not name; they are false."""


def parse_decision(text: str, domain: Domain, column: DecisionList) -> Decision:
    """The question a text asks of a column of lists; BadQuestion says what is wrong with it.

    Inputs that are not named are false, so every question is one full input.
    """
    from sqlglot import exp

    tree = syntax_tree(text, _form(column))
    if not isinstance(tree, exp.Anonymous) or tree.name.lower() != "decides":
        raise BadQuestion(f"this synopsis has decision lists and nothing else; ask {_form(column)}")
    first, *rest = tree.expressions or [None]
    if not isinstance(first, exp.Column) or first.table or len(rest) > 1:
        raise BadQuestion(f"decides takes a column and the inputs joined by AND; ask {_form(column)}")
    _check_column(first.name, domain, column)
    named: dict[int, bool] = {}
    try:
        for literal in _literals(rest[0]) if rest else ():
            _add(literal, column, named)
    except RecursionError:
        raise BadQuestion("the question is nested too deeply; write it with fewer brackets") from None
    truth = tuple(named.get(i, False) for i in range(len(column.inputs)))
    unnamed = tuple(name for i, name in enumerate(column.inputs) if i not in named)
    return Decision(text=text, truth=truth, unnamed=unnamed)


def _form(column: DecisionList) -> str:
    return f"decides({column.name}, {' AND NOT '.join(column.inputs[:2])}), where inputs not named are false"


def _check_column(name: str, domain: Domain, column: DecisionList) -> None:
    if name.lower() != column.name.lower():
        if name.lower() not in (known.lower() for known in domain.names):
            raise UnknownAttribute(name, known=domain.names)
        raise BadQuestion(f"this synopsis is about {column.name}, not {name}; ask {_form(column)}")


def _literals(node: exp.Expr) -> list[exp.Expr]:
    """The parts of a AND b AND c, without recursing once per part."""
    from sqlglot import exp

    waiting, literals = [node], []
    while waiting:
        part = waiting.pop()
        if isinstance(part, exp.And):
            waiting += [part.expression, part.this]
        elif isinstance(part, exp.Paren):
            waiting.append(part.this)
        else:
            literals.append(part)
    return literals


def _add(node: exp.Expr, column: DecisionList, named: dict[int, bool]) -> None:
    """Takes down one literal, an input or NOT an input."""
    from sqlglot import exp

    value, inner = True, node
    while isinstance(inner, (exp.Not, exp.Paren)):
        value = value != isinstance(inner, exp.Not)
        inner = inner.this
    if not isinstance(inner, exp.Column) or inner.table:
        raise BadQuestion(
            f"{node.sql()[:60]!r} is not an input; name inputs, with AND and NOT only; ask {_form(column)}"
        )
    number = _number(inner.name, column)
    if named.setdefault(number, value) != value:
        raise BadQuestion(f"{column.inputs[number]} is both true and false in the question; name it once")


def _number(name: str, column: DecisionList) -> int:
    """Names match exactly, else without regard to case."""
    lower = [known.lower() for known in column.inputs]
    if name.lower() not in lower:
        raise BadQuestion(
            f"no input '{name}'; {column.name} has {listed(column.inputs)}.{suggestion(name, column.inputs)}"
        )
    return lower.index(name.lower())
