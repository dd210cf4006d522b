"""Aggregates: from the syntax of count, sum, avg, median, stddev and arithmetic with them to terms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...domain.attributes import Binned, Boolean, Category
from ...domain.conditions import ConditionReader
from ...domain.derived import case_parts, is_derived
from ...domain.events import is_missing
from ...domain.hints import quoted_name as quoted
from ...domain.predicate import Holds, Not, Predicate, disjunction, known
from ...errors import BadQuestion
from ..measure import Measure
from .refusals import no_row, refused
from .shares import as_share, both, sum_of
from .terms import Arithmetic, CountOf, Known, MeanOf, QuantileAt, Rounded, ShareOf, SpreadOf, SumOf, Term, TotalOf

if TYPE_CHECKING:
    from sqlglot import exp

    from .groups import Grouping

__all__ = ["AggregateReader", "is_aggregate"]

SPREADS = {"STDDEV": (True, True), "STDDEV_SAMP": (True, True), "STDDEV_POP": (True, False), "STD": (True, True),
           "VARIANCE": (False, True), "VAR_SAMP": (False, True), "VARIANCE_POP": (False, False),
           "VAR_POP": (False, False)}  # fmt: skip
QUANTILES = ("QUANTILE", "APPROX_QUANTILE", "QUANTILE_CONT", "QUANTILE_DISC", "PERCENTILE", "PERCENTILE_CONT",
             "PERCENTILE_DISC")  # fmt: skip
OWN = {*QUANTILES, "SHARE", "STD", "MEDIAN", "SUMIF", "FIRST", "ANY_VALUE", "LIST", "STRING_AGG"}


def is_aggregate(node: exp.Expr) -> bool:
    """Whether an expression has one value a group rather than one a row."""
    from sqlglot import exp

    return any(
        isinstance(part, (exp.AggFunc, exp.WithinGroup, exp.Window))
        or (isinstance(part, exp.Anonymous) and part.name.upper() in OWN)
        for part in node.walk()
    )


def _name(node: exp.Expr) -> str:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return str(node.name).upper()
    return node.sql_name().upper() if isinstance(node, exp.Func) else ""


@dataclass(frozen=True, eq=False)
class AggregateReader:
    """Reads the aggregates of one SELECT."""

    reader: ConditionReader
    groups: tuple[tuple[str, Grouping], ...]
    """The text of each group, and the group."""

    def term(self, node: exp.Expr) -> Term:
        """The term of an expression; BadQuestion says what can be asked instead."""
        from sqlglot import exp

        # x / nullif(n, 0): what is divided by nothing is unknown here anyway.
        while isinstance(node, (exp.Paren, exp.Alias, exp.Cast, exp.Nullif)):
            node = node.this
        if isinstance(node, (exp.Literal, exp.Neg, exp.Round, exp.Add, exp.Sub, exp.Mul, exp.Div)):
            return self._computed(node)
        if isinstance(node, exp.Filter):
            return self._aggregate(node.this, self.reader.predicate(node.expression.this))
        return self._window(node) if isinstance(node, exp.Window) else self._aggregate(node, None)

    def _computed(self, node: exp.Expr) -> Term:
        """Numbers, and arithmetic with terms."""
        from sqlglot import exp

        if isinstance(node, exp.Literal):
            if node.is_string:
                raise BadQuestion(f"expected an aggregate, not the text {node.sql()[:60]}")
            return Known(float(node.this))
        if isinstance(node, exp.Neg):
            return Arithmetic("*", Known(-1.0), self.term(node.this))
        if isinstance(node, exp.Round):
            decimals = node.args.get("decimals")
            return Rounded(self.term(node.this), int(decimals.name) if isinstance(decimals, exp.Literal) else 0)
        signs: dict[type[exp.Expr], str] = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
        return as_share(Arithmetic(signs[type(node)], self.term(node.this), self.term(node.expression)))

    def _window(self, node: exp.Expr) -> Term:
        """sum(count(*)) OVER (PARTITION BY ...): a total of groups."""
        from sqlglot import exp

        inner = node.this
        extra = [part for part in ("order", "spec") if node.args.get(part)]
        if not isinstance(inner, exp.Sum) or not is_aggregate(inner.this) or extra:
            raise BadQuestion(
                "OVER is answered for totals alone: count(*) / sum(count(*)) OVER (PARTITION BY column); "
                "for other windows compute with the table that GROUP BY gives"
            )
        known_groups = dict(self.groups)
        partition = []
        for part in node.args.get("partition_by") or ():
            if part.sql() not in known_groups:
                raise BadQuestion(f"PARTITION BY {part.sql()[:60]} is not in GROUP BY; add it there")
            partition.append(known_groups[part.sql()])
        return TotalOf(self.term(inner.this), tuple(partition))

    def _aggregate(self, node: exp.Expr, where: Predicate | None) -> Term:
        from sqlglot import exp

        name = _name(node)
        if isinstance(node, exp.Count):
            return self._count(node, where)
        if isinstance(node, exp.CountIf):
            return CountOf(both(where, self.reader.predicate(node.this)))
        if isinstance(node, (exp.Avg, exp.Sum)):
            return self._mean_or_sum(node, where)
        if name in SPREADS:
            root, sample = SPREADS[name]
            return SpreadOf(self._number(_first(node), "deviation"), root, sample, where)
        if name in ("MEDIAN", *QUANTILES) or isinstance(node, exp.WithinGroup):
            return self._quantile(node, name, where)
        if name != "SHARE":
            raise refused(node, name, self.reader.domain)
        return CountOf(where, relative=True)

    def _quantile(self, node: exp.Expr, name: str, where: Predicate | None) -> Term:
        """median(x), quantile(x, 0.9), percentile_cont(0.9) WITHIN GROUP (ORDER BY x)."""
        from sqlglot import exp

        if isinstance(node, exp.WithinGroup):
            level, column = node.this.this, node.expression.expressions[0].this
        elif name == "MEDIAN":
            return QuantileAt(self._number(_first(node), "median"), 0.5, where)
        else:
            own = node.expressions[1] if len(node.expressions) > 1 else None
            level, column = node.args.get("quantile") or own, _first(node)
        return QuantileAt(self._number(column, "quantile"), self._level(level), where)

    def _count(self, node: exp.Expr, where: Predicate | None) -> Term:
        from sqlglot import exp

        inner = node.this
        if isinstance(inner, exp.Distinct):
            raise refused(node, "COUNT DISTINCT", self.reader.domain)
        if isinstance(inner, (exp.Star, exp.Literal)) and not node.expressions:
            return CountOf(where)
        if isinstance(inner, exp.Case):
            filled = [holds for value, holds in case_parts(self.reader, inner) if not isinstance(value, exp.Null)]
            return sum_of([CountOf(both(where, holds)) for holds in filled])
        if not isinstance(inner, exp.Column):
            return CountOf(both(where, known(self.reader.predicate(inner))))
        return CountOf(both(where, Not(self.reader.event(inner, is_missing))))

    def _mean_or_sum(self, node: exp.Expr, where: Predicate | None) -> Term:
        """avg or sum of a column, of a condition, or of a CASE whose branches are numbers or a column."""
        from sqlglot import exp

        mean, inner = isinstance(node, exp.Avg), node.this
        while isinstance(inner, (exp.Paren, exp.Cast)):
            inner = inner.this
        if isinstance(inner, exp.Distinct):
            raise refused(node, "DISTINCT", self.reader.domain)
        if isinstance(inner, exp.Case):
            return self._case(inner, where, mean=mean)
        if isinstance(inner, exp.Literal) and not inner.is_string:
            return Known(float(inner.this)) if mean else Arithmetic("*", Known(float(inner.this)), CountOf(where))
        if (follower := self.reader.follower(inner)) is not None:
            measure = Measure.of_follower(follower)
            return MeanOf(measure, where) if mean else SumOf(measure, where)
        if isinstance(inner, exp.Column):
            position = self._number(inner, "average" if mean else "sum")
            measure = Measure.of_column("mean", position, self.reader.domain.closed[position])
            return MeanOf(measure, where) if mean else SumOf(measure, where)
        formula = isinstance(inner, (exp.Binary, exp.Func)) and not isinstance(inner, (exp.Predicate, exp.Connector))
        if formula and not is_derived(inner):
            raise no_row(node, inner)
        condition = self.reader.predicate(inner)
        if not mean:
            return CountOf(both(where, condition))
        return ShareOf(condition, both(where, known(condition)))

    def _case(self, node: exp.Expr, where: Predicate | None, *, mean: bool) -> Term:
        """Each WHEN by itself: numbers times counts, or the sum of a column where the WHEN is true."""
        from sqlglot import exp

        parts = [(v, holds) for v, holds in case_parts(self.reader, node) if not isinstance(v, exp.Null)]
        sums: list[Term] = []
        for value, holds in parts:
            kept = both(where, holds)
            if isinstance(value, exp.Column):
                position = self._number(value, "sum")
                measure = Measure.of_column("mean", position, self.reader.domain.closed[position])
                sums.append(SumOf(measure, kept))
                continue
            number = self.reader.value(value)
            if isinstance(number, str) or number is None:
                raise BadQuestion(f"a CASE that is added up gives numbers, not {value.sql()[:40]!r}")
            if number != 0:
                sums.append(CountOf(kept) if number == 1 else Arithmetic("*", Known(float(number)), CountOf(kept)))
        if not mean:
            return sum_of(sums)
        if len(parts) == 1 and isinstance(sums[0] if sums else None, SumOf):
            only = sums[0]
            assert isinstance(only, SumOf)
            return MeanOf(only.measure, only.where)
        among = None if len(parts) == len(node.args["ifs"]) + 1 else Holds(disjunction([holds for _, holds in parts]))
        if len(sums) == 1 and isinstance(sums[0], CountOf) and sums[0].where is not None:
            return ShareOf(sums[0].where, both(where, among))
        return Arithmetic("/", sum_of(sums), CountOf(both(where, among)))

    def _number(self, node: exp.Expr | None, what: str) -> int:
        """The column of numbers that is asked about."""
        from sqlglot import exp

        while isinstance(node, (exp.Paren, exp.Cast)):
            node = node.this
        if not isinstance(node, exp.Column):
            raise BadQuestion(f"a {what} is one of a column, not of {node.sql()[:60] if node else 'nothing'!r}")
        position = self.reader.position(node)
        attribute = self.reader.domain.closed[position]
        if isinstance(attribute, (Binned, Boolean)) or (isinstance(attribute, Category) and attribute.numbers):
            return position
        name, table = quoted(attribute.name), quoted(self.reader.domain.table)
        raise BadQuestion(
            f"{attribute.name} is not a number, so it has no {what}; ask SELECT {name}, count(*) FROM {table} "
            f"GROUP BY {name}"
        )

    def _level(self, node: exp.Expr | None) -> float:
        value = self.reader.value(node) if node is not None else None
        if value is None or isinstance(value, (str, bool)) or not 0 <= value <= 1:
            raise BadQuestion("the level of a quantile lies between 0 and 1: quantile(age, 0.9)")
        return float(value)


def _first(node: exp.Expr) -> exp.Expr | None:
    from sqlglot import exp

    if isinstance(node, exp.Anonymous):
        return node.expressions[0] if node.expressions else None
    return node.this  # type: ignore[no-any-return]
