"""Rules: the built-in languages, "all of these and those, or ...", over the codes of a domain's columns."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.attributes import Attribute, Boolean, Ordered
from ...errors import BadPlan
from ...words import counted
from .language import Language

__all__ = ["MOST_CODES", "parities", "rules", "typical_masks", "vector_of"]

Integers = NDArray[np.int64]
# The codes of a column that hold are the bits of one number, whose sign is left alone.
MOST_CODES = 62
# Of one literal: the place of its column, and the codes that hold. Places that are not used have no column.
NUMBERS, NOWHERE = 2, -1
# Questions of a group, of which some are held out; fewer are joined with those that have one condition more.
ENOUGH = 300


def _says(question: Any, row: Any) -> bool:
    """Whether all literals of any term hold; a term without literals is none."""
    terms, width = question[0], question[1]
    for term in range(terms):
        used, holding = 0, True
        for literal in range(width):
            place = 2 + NUMBERS * (term * width + literal)
            if question[place] >= 0:
                used += 1
                holding = holding and (question[place + 1] >> row[question[place]]) & 1 == 1
        if used > 0 and holding:
            return True
    return False


def _at_once(questions: Integers, rows: Integers) -> NDArray[np.bool_]:
    """The same for all pairs."""
    out = np.zeros((len(questions), len(rows)), dtype=bool)
    columns = np.ascontiguousarray(rows.T)
    for number, question in enumerate(questions):
        for term in _terms(question):
            holding = np.ones(len(rows), dtype=bool)
            for position, mask in term:
                holding &= (mask >> columns[position]) & 1 == 1
            out[number] |= holding
    return out


def _terms(question: Integers) -> list[list[tuple[int, int]]]:
    terms, width = int(question[0]), int(question[1])
    literals = question[2:].reshape(terms, width, NUMBERS).tolist()
    used = [[(position, mask) for position, mask in term if position >= 0] for term in literals]
    return [term for term in used if term]


def vector_of(terms: Sequence[Mapping[int, int]], most_terms: int, width: int) -> Integers:
    """A question as numbers: terms from a column's place to the codes that hold; sorted, and each term once."""
    out = np.full((most_terms, width, NUMBERS), NOWHERE, dtype=np.int64)
    out[:, :, 1] = 0
    for line, term in enumerate(sorted({tuple(sorted(term.items())) for term in terms})):
        out[line, : len(term)] = term
    return np.concatenate([[most_terms, width], out.ravel()])


def typical_masks(attribute: Attribute) -> tuple[int, ...]:
    """The conditions on a column that people write: a value, true or false, below a bound or from it on."""
    known = range(len(attribute.values))
    if isinstance(attribute, Ordered) and len(known) > 2:
        below = [sum(1 << code for code in known[:cut]) for cut in range(1, len(known))]
        return (*below, *(sum(1 << code for code in known) - mask for mask in below))
    return tuple(1 << code for code in known)


def rules(domain: Domain, name: str, *, terms: int, width: int) -> Language:
    """Up to so many terms joined by OR, each of up to so many conditions on different columns joined by AND."""
    usable = [attribute for attribute in domain.closed if attribute.size <= MOST_CODES]
    masks = [typical_masks(attribute) for attribute in usable]
    needed = width if terms > 1 and width > 1 else max(terms, width)
    if len(usable) < needed:
        raise BadPlan(
            f"{name} asks about {counted(needed, 'column')} at once, and {counted(len(usable), 'column')} of this "
            f"domain have at most {MOST_CODES} values"
        )
    typical = [frozenset(own) for own in masks]

    def sampler(random: np.random.Generator, count: int) -> Integers:
        return np.stack([vector_of(_drawn(random, masks, terms, width), terms, width) for _ in range(count)])

    def is_typical(question: Integers) -> bool:
        return all(mask in typical[position] for term in _terms(question) for position, mask in term)

    def valid(question: Integers) -> bool:
        return _is_rule(question, terms, width, [attribute.size for attribute in usable])

    least = _least_group(masks, terms, width)

    def group(question: Integers) -> int:
        used = _terms(question)
        return max(least, len(used) if terms > 1 else len(used[0]))

    return Language(
        name=name, columns=[attribute.name for attribute in usable], predicate=_says, sampler=sampler, group=group,
        steps=1, at_once=_at_once, typical=is_typical, valid=valid,
    )  # fmt: skip


def _is_rule(question: Integers, terms: int, width: int, sizes: Sequence[int]) -> bool:
    """Whether numbers are a rule as `vector_of` writes it."""
    if question.shape != (2 + NUMBERS * terms * width,) or question[:2].tolist() != [terms, width]:
        return False
    used = _terms(question)
    fits = all(p < len(sizes) and 0 < mask < 1 << sizes[p] for term in used for p, mask in term)
    again = [dict(term) for term in used]
    return bool(used) and fits and np.array_equal(vector_of(again, terms, width), question)


def _least_group(masks: Sequence[Sequence[int]], terms: int, width: int) -> int:
    """How many conditions, or terms, a question must have so that there are enough; those of fewer go with these."""
    most = max(terms, width) if 1 in (terms, width) else width
    possible = [1] + [0] * most
    for own in masks:
        for conditions in range(most, 0, -1):
            possible[conditions] += possible[conditions - 1] * len(own)
    if 1 not in (terms, width):
        possible = [math.comb(sum(possible[1:]), number) for number in range(terms + 1)]
    last = len(possible) - 1
    return next((number for number in range(1, last + 1) if sum(possible[1 : number + 1]) >= ENOUGH), last)


def _drawn(
    random: np.random.Generator, masks: Sequence[Sequence[int]], most_terms: int, width: int
) -> list[dict[int, int]]:
    """Any number of terms, each of any number of columns; of single columns different ones."""
    terms = int(random.integers(1, most_terms + 1))
    if width == 1:
        chosen = [[position] for position in random.choice(len(masks), terms, replace=False).tolist()]
    else:
        sizes = random.integers(1, width + 1, terms)
        chosen = [random.choice(len(masks), size, replace=False).tolist() for size in sizes]
    return [{int(p): int(masks[p][int(random.integers(len(masks[p])))]) for p in term} for term in chosen]


def _odd(question: Any, row: Any) -> bool:
    """Whether an odd number of the columns asked about are 1."""
    odd = 0
    for place in range(len(question)):
        odd ^= question[place] & row[place] & 1
    return odd == 1


def parities(domain: Domain, name: str) -> Language:
    """Whether an odd number of some two-valued columns are true (the second of their two values)."""
    usable = [attribute for attribute in domain.closed if attribute.size == 2]
    if len(usable) < 2:
        other = next((a for a in domain.closed if a.size != 2), None)
        told = "" if other is None else f"; {other.name} has {counted(other.size, 'code')}"
        hint = " (say missing: error for booleans without missing values)" if isinstance(other, Boolean) else ""
        raise BadPlan(f"{name} takes at least two columns of two values, and there are {len(usable)}{told}{hint}")

    def sampler(random: np.random.Generator, count: int) -> Integers:
        drawn = random.integers(0, 2, (count, len(usable)), dtype=np.int64)
        drawn[~drawn.any(axis=1), 0] = 1
        return drawn

    def at_once(questions: Integers, rows: Integers) -> Any:
        return (questions @ rows.T) % 2

    def valid(question: Integers) -> bool:
        return question.shape == (len(usable),) and bool(np.isin(question, (0, 1)).all())

    return Language(
        name=name, columns=[attribute.name for attribute in usable], predicate=_odd, sampler=sampler, steps=1,
        at_once=at_once, valid=valid,
    )  # fmt: skip
