"""Row values: from the codes of synthetic rows to columns of values that keep the domain's rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..domain import Domain
from ..domain.column_pairs import check_comparable, surely
from ..domain.decoding import Decoder, decoder, spelled, written
from ..domain.follows import Follower
from ..domain.impossible import rules_of
from ..domain.predicate import Predicate
from ..domain.rule_text import PairTest, RuleText, rule_texts
from ..errors import BadQuestion

__all__ = ["RowValues"]

Codes = NDArray[np.uint16]
# How often the values of a row that breaks a rule inside its bins are drawn again.
TRIES = 40
# Rows that are drawn at once to find some that meet a condition, after how many it is asked whether that will do, and
# the most that are worth drawing.
MOST_AT_ONCE, SEEN, MOST_TRIED = 1 << 20, 1 << 22, 1 << 27


class RowValues:
    """Makes columns of a domain's rows, in the order of the domain."""

    def __init__(self, domain: Domain, found: Mapping[str, Decoder] | None = None) -> None:
        """`found` are those that draw values inside cells that a release has found, by column."""
        self.domain, own = domain, found or {}
        self.decoders = [own.get(attribute.name) or decoder(attribute) for attribute in domain.closed]
        places = {attribute.name: place for place, attribute in enumerate(domain.closed)}
        followers = {follower.name: follower for follower in domain.followers}
        self.made_of = [followers.get(column.name, places.get(column.name)) for column in domain.every_column]
        self.attributes = [c for c, own in zip(domain.every_column, self.made_of, strict=True) if own is not None]
        self.names = [attribute.name for attribute in self.attributes]

    @cached_property
    def rules(self) -> list[RuleText]:
        """Those that values inside bins may break; the model keeps the others by its codes."""
        return [rule for rule in rule_texts(self.domain) if any(self._open(test) for test in rule.tests)]

    def _open(self, test: PairTest) -> bool:
        both = check_comparable(self.domain.closed[test.left], self.domain.closed[test.right])
        true, false = surely(test.operator, *both)
        return not (true | false).all()

    def meeting(self, draw: Callable[[int], Codes], rows: int, where: Predicate | None) -> Codes:
        """Codes of so many rows that meet a condition: what others there are is thrown away."""
        if where is None or rows == 0:
            return self.drawn(draw, rows)
        found: list[Codes] = []
        kept = tried = 0
        while kept < rows:
            count = min(MOST_AT_ONCE, max(10 * rows, tried))
            codes = self.drawn(draw, count)
            codes = codes[:, where.on_rows(codes)[0]]
            found.append(codes)
            kept, tried = kept + codes.shape[1], tried + count
            if tried >= SEEN and kept / tried * MOST_TRIED < rows:
                raise BadQuestion(
                    f"of {tried:,} synthetic rows {kept:,} meet the condition, which is too few to draw {rows:,}; "
                    "draw fewer rows, or widen the condition"
                )
        return np.concatenate(found, axis=1)[:, :rows]

    def drawn(self, draw: Callable[[int], Codes], rows: int) -> Codes:
        """Codes of so many rows that keep the rules as far as codes tell; a model of its own may not know them."""
        codes, rules = draw(rows), rules_of(self.domain)
        for _ in range(TRIES if rules else 0):
            broken = np.logical_or.reduce([rule.holds(codes) for rule in rules])
            if not broken.any():
                break
            codes[:, broken] = draw(int(broken.sum()))
        else:
            if rules and (fine := np.flatnonzero(~broken)).size:
                codes[:, broken] = codes[:, np.resize(fine, int(broken.sum()))]
        return codes

    def columns(self, codes: Codes, random: np.random.Generator) -> list[pa.Array]:
        """One a column; no row breaks a rule."""
        made = [decode(own, random) for decode, own in zip(self.decoders, codes, strict=True)]
        if self.rules and codes.shape[1]:
            made, codes = self._kept(made, codes, random)
        columns = [
            made[own] if isinstance(own, int) else self._filled(own, codes) for own in self.made_of if own is not None
        ]
        return [spelled(attribute, column) for attribute, column in zip(self.attributes, columns, strict=True)]

    def _filled(self, follower: Follower, codes: Codes) -> pa.Array:
        """A column that follows another, by its map."""
        return self._maps[follower.name].take(pa.array(codes[follower.root]))

    @cached_property
    def _maps(self) -> dict[str, pa.Array]:
        """What each column that follows says, as its own kind of values."""
        return {follower.name: written(follower.attribute, follower.texts) for follower in self.domain.followers}

    def _kept(self, made: list[pa.Array], codes: Codes, random: np.random.Generator) -> tuple[list[pa.Array], Codes]:
        """Values of rows that break a rule are drawn again inside bins, then set equal, then taken from other rows."""
        tests = [test for rule in self.rules for test in rule.tests]
        touched = sorted({place for test in tests for place in (test.left, test.right)})
        for _ in range(TRIES):
            broken = self._broken(made, codes)
            if not broken.any():
                return made, codes
            for place in touched:
                made[place] = _replaced(made[place], broken, self.decoders[place](codes[place, broken], random))
        for test in tests:
            broken = self._broken(made, codes)
            same = broken & (codes[test.left] == codes[test.right]) & (made[test.left].type == made[test.right].type)
            if same.any() and self.domain.closed[test.left].values == self.domain.closed[test.right].values:
                made[test.left] = _replaced(made[test.left], same, made[test.right].filter(pa.array(same)))
        broken = self._broken(made, codes)
        if broken.any() and not broken.all():
            instead = np.arange(len(broken))
            instead[broken] = random.choice(np.flatnonzero(~broken), int(broken.sum()))
            made, codes = [column.take(pa.array(instead)) for column in made], codes[:, instead]
        return made, codes

    def _broken(self, made: Sequence[pa.Array], codes: Codes) -> NDArray[np.bool_]:
        numbers = {p: _numbers(made[p]) for rule in self.rules for t in rule.tests for p in (t.left, t.right)}
        out = np.zeros(codes.shape[1], dtype=bool)
        for rule in self.rules:
            out |= rule.by_values(codes, numbers.__getitem__)
        return out


def _numbers(column: pa.Array) -> NDArray[np.float64]:
    """Dates and times by their number; not a number where there is no value."""
    if pa.types.is_date32(column.type) or pa.types.is_time32(column.type):
        column = column.cast(pa.int32())
    return np.asarray(pc.fill_null(column.cast(pa.float64()), float("nan")).to_numpy())


def _replaced(column: pa.Array, where: NDArray[np.bool_], new: pa.Array) -> pa.Array:
    return pc.replace_with_mask(column, pa.array(where), new)
