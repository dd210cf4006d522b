"""Rules as text: `(smoker AND age >= 65) OR NOT insured`, and `parity(a, b)`, as questions of a language."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.conditions import ConditionReader, read_condition, syntax_tree
from ..domain.predicate import Count, Event, Not, Predicate
from ..errors import BadQuestion
from ..maths.learning.rules import vector_of
from ..words import counted, listed, suggestion

if TYPE_CHECKING:
    from ..maths.learning.spoken import Spoken

__all__ = ["read_parity", "read_rule"]

Integers = NDArray[np.int64]
Terms = list[dict[int, int]]
MOST_TERMS = 4096
FORM = "conditions on single columns joined by AND, OR and NOT, such as (a AND b) OR NOT c"


def read_rule(text: str, domain: Domain, language: Spoken, terms: int, width: int) -> tuple[Integers, tuple[str, ...]]:
    """The question that a condition is in a language of rules, and remarks on it; BadQuestion where it is none."""
    predicate, notes = read_condition(text, domain)
    places = {position: number for number, position in enumerate(language.positions)}
    if other := [domain.closed[p].name for p in sorted(predicate.positions) if p not in places]:
        raise BadQuestion(f"{other[0]} has too many values for this release, which asks about columns of few")
    found = [{places[p]: mask for p, mask in term.items()} for term in _terms(predicate, domain, holding=True)]
    if not found:
        raise BadQuestion("no row can meet this condition, so its answer is 0")
    if not all(found):
        raise BadQuestion("every row meets this condition, so its answer is 1")
    widest = max(map(len, found))
    if len(found) > terms or widest > width:
        raise BadQuestion(
            f"the rule has {counted(len(found), 'term')} of up to {counted(widest, 'condition')}, and this release "
            f"knows rules of up to {counted(terms, 'term')} of up to {counted(width, 'condition')}"
        )
    return vector_of(found, terms, width), notes


def _terms(predicate: Predicate, domain: Domain, *, holding: bool) -> Terms:
    """The terms of a disjunction of conjunctions, each from a column to its codes; an empty one is always true."""
    if isinstance(predicate, Event):
        held = predicate.true if holding else predicate.false
        if all(held):
            return [{}]
        mask = sum(1 << code for code, true in enumerate(held) if true)
        return [{predicate.position: mask}] if mask else []
    if isinstance(predicate, Not):
        return _terms(predicate.part, domain, holding=not holding)
    if isinstance(predicate, Count):
        parts = [_terms(part, domain, holding=holding) for part in predicate.parts]
        every, some = predicate.least == predicate.most == len(parts), (predicate.least, predicate.most)
        if (every and holding) or (some == (1, len(parts)) and not holding):
            return _all(parts)
        if (every and not holding) or (some == (1, len(parts)) and holding):
            return [term for part in parts for term in part]
    raise BadQuestion(f"this release knows {FORM}; ask in these words")


def _all(parts: list[Terms]) -> Terms:
    if np.prod([len(part) for part in parts], dtype=np.float64) > MOST_TERMS:
        raise BadQuestion(f"the rule has more than {MOST_TERMS:,} terms when it is written as terms joined by OR")
    out: Terms = []
    for chosen in product(*parts):
        term: dict[int, int] = {}
        for part in chosen:
            for position, mask in part.items():
                term[position] = term.get(position, mask) & mask
        if all(term.values()):
            out.append(term)
    return out


def read_parity(text: str, domain: Domain, language: Spoken) -> Integers:
    """`parity(a, b)`: whether an odd number of these columns are true."""
    from sqlglot import exp

    names = list(language.language.columns)
    form = f"parity({', '.join(names[:2])})"
    tree = syntax_tree(text, form)
    if not isinstance(tree, exp.Anonymous) or tree.name.lower() != "parity" or not tree.expressions:
        raise BadQuestion(f"this synopsis has parities and nothing else; ask {form}")
    reader, out = ConditionReader(domain), np.zeros(len(names), dtype=np.int64)
    for node in tree.expressions:
        position = reader.position(node)
        if position not in language.positions:
            name = domain.closed[position].name
            raise BadQuestion(
                f"{name} is not among the columns of two values: {listed(names)}.{suggestion(name, names)}"
            )
        place = language.positions.index(position)
        if out[place]:
            raise BadQuestion(f"{names[place]} is named twice; name each column once")
        out[place] = 1
    return out
