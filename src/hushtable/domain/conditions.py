"""Conditions: from the text of a WHERE expression to a predicate over a domain. Text is parsed, never evaluated."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import TYPE_CHECKING

from ..errors import BadQuestion, CutInsideBin, UnknownAttribute
from .attributes import Attribute, Ordered, Uncoded
from .column_pairs import MIRRORED, check_comparable, compared
from .cuts import BinCuts
from .derived import as_condition, compare_derived, is_derived
from .domain import Domain
from .events import Value, bare, compare, is_missing, one_of
from .follows import Follower
from .hints import hint, name_in_quotes, not_a_condition, quoted_name, unclosed
from .patterns import like
from .predicate import Count, Event, Holds, Not, Predicate, conjunction, disjunction

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["LONGEST", "TOO_DEEP", "ConditionReader", "read_condition", "syntax_tree"]

LONGEST = 20_000
SILENT = logging.NullHandler()
FORM = "a condition such as age < 15 AND married"
TOO_DEEP = "the question is nested too deeply; write it with fewer brackets"


def read_condition(text: str, domain: Domain) -> tuple[Predicate, tuple[str, ...]]:
    """The predicate that a condition alone states, and remarks on it; BadQuestion says what is wrong with it."""
    reader = ConditionReader(domain)
    return reader.condition(text), tuple(reader.notes)


def syntax_tree(text: str, forms: str = FORM) -> exp.Expr:
    """The tree of one SQL expression or statement; BadQuestion in one line when there is none."""
    import sqlglot
    from sqlglot.errors import ParseError, SqlglotError

    if not text.strip():
        raise BadQuestion(f"the question is empty; write {forms}")
    if len(text) > LONGEST:
        raise BadQuestion(f"the question has {len(text):,} characters; write {forms} in at most {LONGEST:,}")
    # sqlglot logs what it does not know; without a handler that would be a second line on standard error.
    logging.getLogger("sqlglot").addHandler(SILENT)
    try:
        trees = sqlglot.parse(text)
    except ParseError as error:
        first = error.errors[0] if error.errors else {}
        before, at = (" ".join((first.get(part) or "").split()) for part in ("start_context", "highlight"))
        mark = f"at '{at[:60]}', after: {before[-60:]}" if at else "at its end"
        advice = unclosed(text) or hint(text) or f"write {forms}"
        raise BadQuestion(f"cannot read the question {mark}; {advice}") from None
    except (SqlglotError, RecursionError, ValueError) as error:
        what = str(error).splitlines()[0][:120]
        raise BadQuestion(unclosed(text) or f"cannot read the question ({what}); check quotes and brackets") from None
    if len(trees) != 1 or trees[0] is None:
        raise BadQuestion("ask one question at a time, without ';'")
    return trees[0]


class ConditionReader:
    """Walks one syntax tree with a whitelist of node types; everything else is refused by name."""

    def __init__(self, domain: Domain, cuts: BinCuts | None = None) -> None:
        self.domain, self.cuts = domain, cuts
        self.notes: dict[str, None] = {}
        """Remarks, in the order in which they came up."""

    def say(self, note: str) -> None:
        """Takes down a remark, once."""
        self.notes[note] = None

    def condition(self, text: str) -> Predicate:
        """What a condition alone states; BadQuestion says what is wrong with it."""
        from sqlglot import exp

        tree = syntax_tree(text)
        if isinstance(tree, exp.Select):
            raise BadQuestion("write a condition alone, without SELECT")
        try:
            return self.predicate(tree)
        except RecursionError:
            raise BadQuestion(TOO_DEEP) from None

    def position(self, node: exp.Expr) -> int:
        """The closed attribute a column names."""
        from sqlglot import exp

        split = name_in_quotes(node, self.domain.names)
        if split is not None and (not isinstance(node, exp.Column) or node.table):
            raise BadQuestion(f"the name {split} has to stand in double quotes: {quoted_name(split)}")
        if isinstance(node, exp.AggFunc):
            raise BadQuestion(f"{node.sql().lower()[:60]} is known of groups and not of rows; put it into HAVING")
        if not isinstance(node, exp.Column):
            raise BadQuestion(f"expected a column name, not {node.sql()[:60]!r}")
        if node.table and node.table.lower() != self.domain.table.lower():
            raise UnknownAttribute(node.sql(), known=self.domain.names)
        name = node.name
        try:
            return self.domain.position(name)
        except UnknownAttribute:
            if (column := self.domain.follower(name)) is not None:
                raise BadQuestion(
                    f"{column.name} follows {column.of}, and this needs a column that is counted; write {column.of}"
                ) from None
            alike = [a for a in self.domain.attributes if a.name.lower() == name.lower()]
            if len(alike) == 1 and isinstance(alike[0], Uncoded):
                raise BadQuestion(f"{alike[0].name} {alike[0].advice}") from None
            raise

    def follower(self, node: exp.Expr) -> Follower | None:
        """The column that follows another, if a name is that of one."""
        from sqlglot import exp

        ours = isinstance(node, exp.Column) and node.table.lower() in ("", self.domain.table.lower())
        return self.domain.follower(node.name) if ours else None

    def event(self, node: exp.Expr, make: Callable[[int, Attribute], Event]) -> Event:
        """A condition on one column; where it follows another, as one on that."""
        follower = self.follower(node)
        if follower is not None:
            return follower.lifted(make(follower.root, follower.attribute))
        position = self.position(node)
        return make(position, self.domain.closed[position])

    def predicate(self, node: exp.Expr) -> Predicate:
        """The predicate of an expression."""
        from sqlglot import exp

        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, (exp.And, exp.Or)):
            join = conjunction if isinstance(node, exp.And) else disjunction
            return join([self.predicate(part) for part in self._flat(node, type(node))])
        if isinstance(node, exp.Column):
            return self.event(node, bare)
        if isinstance(node, exp.Not):
            return Not(self.predicate(node.this))
        if is_derived(node):
            return as_condition(self, node)
        return self._call(node) if isinstance(node, (exp.Anonymous, exp.Any, exp.All)) else self._comparison(node)

    def _flat(self, node: exp.Expr, kind: type) -> Iterator[exp.Expr]:
        """a AND b AND c as three parts, without recursing once per part."""
        waiting = [node]
        while waiting:
            part = waiting.pop()
            if type(part) is kind:
                waiting += [part.expression, part.this]
            else:
                yield part

    def _comparison(self, node: exp.Expr) -> Predicate:
        from sqlglot import exp

        operators: dict[type[exp.Expr], str] = {
            exp.EQ: "=",
            exp.NEQ: "<>",
            exp.LT: "<",
            exp.LTE: "<=",
            exp.GT: ">",
            exp.GTE: ">=",
        }
        if type(node) in operators:
            return self._two_sides(operators[type(node)], node.this, node.expression)
        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            ends = ((">=", node.args["low"]), ("<=", node.args["high"]))
            return conjunction([self._compared(node.this, operator, value) for operator, value in ends])
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            return self._one_of(node.this, node.expressions)
        if isinstance(node, (exp.Like, exp.ILike)):
            return self.event(node.this, lambda place, column: like(place, column, node, self.say))
        if isinstance(node, exp.Is) and isinstance(node.expression, (exp.Null, exp.Boolean)):
            return self._is(node)
        if (split := name_in_quotes(node, self.domain.names)) is not None:
            raise BadQuestion(f"the name {split} has to stand in double quotes: {quoted_name(split)}")
        raise BadQuestion(not_a_condition(node, self.domain.table))

    def _two_sides(self, operator: str, left: exp.Expr, right: exp.Expr) -> Predicate:
        """The column may stand on either side."""
        from sqlglot import exp

        if isinstance(left, exp.Column) and isinstance(right, exp.Column) and self._is_column(right):
            for side in (left, right):
                if (column := self.follower(side)) is not None:
                    raise BadQuestion(f"{column.name} follows {column.of}; compare {column.of} with the other column")
            return self.columns_compared(self.position(left), operator, self.position(right))
        if (isinstance(right, exp.Column) or is_derived(right)) and not isinstance(left, exp.Column):
            return self._compared(right, MIRRORED[operator], left)
        return self._compared(left, operator, right)

    def _is_column(self, node: exp.Expr) -> bool:
        """Whether a name is that of a column, and not a text without its quotes."""
        return any(column.name.lower() == node.name.lower() for column in self.domain.every_column)

    def columns_compared(self, left: int, operator: str, right: int) -> Predicate:
        """Two ordered columns, where their bins tell which value is larger."""
        both = check_comparable(self.domain.closed[left], self.domain.closed[right])
        predicate, decided = compared((left, right), both, operator)
        if not decided:
            raise BadQuestion(
                f"bins of {both[0].name} and {both[1].name} overlap, so that they do not tell for which rows "
                f"{both[0].name} {operator} {both[1].name}; compare each with an edge"
            )
        return predicate

    def _compared(self, node: exp.Expr, operator: str, value: exp.Expr) -> Predicate:
        if is_derived(node):
            return compare_derived(self, node, operator, self.value(value))
        literal = self.value(value)
        if (follower := self.follower(node)) is not None:
            return follower.lifted(compare(follower.root, follower.attribute, operator, literal, self.say))
        position = self.position(node)
        attribute = self.domain.closed[position]
        try:
            return compare(position, attribute, operator, literal, self.say)
        except CutInsideBin:
            if self.cuts is None or not isinstance(attribute, Ordered) or not isinstance(literal, (Fraction, str)):
                raise
            number = attribute.number(literal)
            assert number is not None
            return self.cuts.event(position, attribute, operator, number)

    def _one_of(self, node: exp.Expr, values: list[exp.Expr]) -> Predicate:
        if is_derived(node):
            return disjunction([self._compared(node, "=", value) for value in values])
        wanted = [self.value(value) for value in values]
        try:
            return self.event(node, lambda place, column: one_of(place, column, wanted, self.say))
        except CutInsideBin:
            if self.cuts is None or self.follower(node) is not None:
                raise
            return disjunction([self._compared(node, "=", value) for value in values])

    def _is(self, node: exp.Expr) -> Predicate:
        """IS NULL, IS TRUE, IS FALSE: known for every row; of what is missing or unknown, IS TRUE is false."""
        from sqlglot import exp

        column = isinstance(node.this, exp.Column)
        if isinstance(node.expression, exp.Boolean) and not column:
            inner = self.predicate(node.this)
            return Holds(inner if node.expression.this else Not(inner))
        if isinstance(node.expression, exp.Null):
            return self.event(node.this, is_missing)
        wanted = bool(node.expression.this)
        event = self.event(node.this, lambda place, column: compare(place, column, "=", wanted, self.say))
        return Event(event.position, event.true, tuple(not t for t in event.true))

    def _call(self, node: exp.Expr) -> Predicate:
        """any(...), all(...), at_least(r, ...), exactly(r, ...)."""
        from sqlglot import exp

        if isinstance(node, (exp.Any, exp.All)):
            name = "any" if isinstance(node, exp.Any) else "all"
            inner = node.this
            given = inner.expressions if isinstance(inner, exp.Tuple) else [inner]
        else:
            name, given = node.name.lower(), node.expressions
        if name not in ("any", "all", "at_least", "exactly"):
            lists = "; a synopsis of decision_lists() answers decides" if name == "decides" else ""
            raise BadQuestion(f"no function '{name}'; there are any, all, at_least and exactly{lists}")
        wanted = 1 if name == "any" else len(given)
        if name in ("at_least", "exactly"):
            wanted, given = self._how_many(name, given[:1]), given[1:]
        if not given or not 0 <= wanted <= len(given):
            raise BadQuestion(f"{name} is given {len(given)} conditions and asks for {wanted} of them")
        most = wanted if name == "exactly" else len(given)
        return Count(least=wanted, most=most, parts=tuple(self._part(part) for part in given))

    def _part(self, node: exp.Expr) -> Predicate:
        """An argument. sqlglot takes the inner word of at_least(1, all(a, b)) for SQL's keyword ALL and drops it."""
        from sqlglot import exp

        if isinstance(node, exp.Tuple):
            return conjunction([self.predicate(part) for part in node.expressions])
        return self.predicate(node)

    def _how_many(self, name: str, first: list[exp.Expr]) -> int:
        wanted = self.value(first[0]) if first else None
        if not isinstance(wanted, Fraction) or wanted.denominator != 1:
            raise BadQuestion(f"{name} starts with a whole number: {name}(2, a, b, c)")
        return int(wanted)

    def value(self, node: exp.Expr) -> Value:
        """A literal: text, number, TRUE/FALSE or NULL."""
        from sqlglot import exp

        if isinstance(node, exp.Null):
            return None
        if isinstance(node, exp.Boolean):
            return bool(node.this)
        if isinstance(node, (exp.Cast, exp.Date, exp.TsOrDsToDate)) and isinstance(node.this, exp.Literal):
            return str(node.this.this)  # DATE '2024-01-31'
        if isinstance(node, exp.Neg):
            value = self.value(node.this)
            if isinstance(value, Fraction):
                return -value
        if isinstance(node, exp.Literal):
            if node.is_string:
                return str(node.this)
            try:
                number = Decimal(node.this)
                if number.is_finite() and abs(number.adjusted()) < 300 and len(node.this) < 1000:
                    return Fraction(number)
            except InvalidOperation:
                pass
        word = f"; texts stand in single quotes: '{node.name}'" if isinstance(node, exp.Column) else ""
        raise BadQuestion(f"expected a number or a quoted text, not {node.sql()[:60]!r}{word}")
