"""The text of questions about lists: `url IN ('a', 'b')`, `url = 'a'`, `url IS NULL`, `top(10)`."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ..domain import Domain
from ..domain.attributes import Attribute, Open, canonical
from ..domain.conditions import syntax_tree
from ..domain.events import Say, equals, how_it_is_read
from ..errors import BadQuestion, UnknownAttribute
from .lists import Listed, Top

if TYPE_CHECKING:
    from sqlglot import exp

__all__ = ["parse_list"]


def parse_list(text: str, domain: Domain, attributes: Sequence[Attribute]) -> Listed | Top:
    """The question a text asks about the key columns; BadQuestion says what to write instead."""
    from sqlglot import exp

    form = _form(attributes)
    tree = syntax_tree(text, form)
    if isinstance(tree, exp.Anonymous) and tree.name.lower() == "top":
        return Top(text=text, count=_how_many(tree.expressions))
    if isinstance(tree, exp.Select):
        tree = _condition(tree, domain, form)
    while isinstance(tree, exp.Paren):
        tree = tree.this
    notes: dict[str, None] = {}
    values = _values(tree, domain, attributes, form, lambda note: notes.update({note: None}))
    return Listed(values, text=text, notes=tuple(notes))


def _form(attributes: Sequence[Attribute]) -> str:
    names = [a.name for a in attributes]
    if len(names) == 1:
        name = names[0]
        return f"{name} IN ('a', 'b', ...), {name} = 'a', {name} IS NULL or top(10); a long list with --in FILE"
    values = ", ".join("'a'" for _ in names)
    return f"({', '.join(names)}) IN (({values}), ...) or top(10); a long list with --in FILE"


def _condition(tree: exp.Expr, domain: Domain, form: str) -> exp.Expr:
    """The WHERE of SELECT count(*) FROM table WHERE ..."""
    from sqlglot import exp

    parts = {name: value for name, value in tree.args.items() if value}
    source, where = parts.pop("from_", None) or parts.pop("from", None), parts.pop("where", None)
    chosen = parts.pop("expressions", [])
    counted = len(chosen) == 1 and isinstance(chosen[0], exp.Count) and isinstance(chosen[0].this, exp.Star)
    if parts or not counted or where is None:
        raise BadQuestion(f"ask SELECT count(*) FROM {domain.table} WHERE ..., or the condition alone: {form}")
    if source is not None and source.this.name.lower() != domain.table.lower():
        raise BadQuestion(f"this synopsis has one table, {domain.table}; write FROM {domain.table}")
    condition: exp.Expr = where.this
    return condition


def _values(tree: exp.Expr, domain: Domain, attributes: Sequence[Attribute], form: str, say: Say) -> list[Any]:
    """The values that rows can have, each once, as IN means it in SQL."""
    from sqlglot import exp

    if isinstance(tree, exp.In) and not tree.args.get("query") and not tree.args.get("unnest"):
        _check_columns(tree.this, domain, attributes, form)
        return _distinct([_key(item, attributes, say) for item in tree.expressions])
    if isinstance(tree, exp.EQ):
        _check_columns(tree.this, domain, attributes, form)
        return _distinct([_key(tree.expression, attributes, say)])
    if isinstance(tree, exp.Is) and isinstance(tree.expression, exp.Null) and len(attributes) == 1:
        _check_columns(tree.this, domain, attributes, form)
        return [None]
    if isinstance(tree, (exp.And, exp.Or, exp.Not)):
        raise BadQuestion(f"a question is one list, without AND, OR or NOT; write {form}")
    raise BadQuestion(f"{tree.sql()[:60]!r} is no list of values; write {form}")


def _check_columns(node: exp.Expr, domain: Domain, attributes: Sequence[Attribute], form: str) -> None:
    """The columns named must be those of the key, in its order."""
    from sqlglot import exp

    nodes = node.expressions if isinstance(node, exp.Tuple) else [node]
    wanted = [a.name.lower() for a in attributes]
    for column in nodes:
        if not isinstance(column, exp.Column):
            raise BadQuestion(f"expected a column name, not {column.sql()[:60]!r}; write {form}")
        if column.name.lower() not in (name.lower() for name in domain.names):
            raise UnknownAttribute(column.name, known=domain.names)
    if [column.name.lower() for column in nodes] != wanted:
        raise BadQuestion(f"this synopsis answers lists of {', '.join(a.name for a in attributes)}; write {form}")


def _distinct(keys: Sequence[tuple[str, ...] | None]) -> list[Any]:
    """Those that a row can have, each once; a value on its own where the key is one column."""
    kept = dict.fromkeys(key for key in keys if key is not None)
    return [key[0] if len(key) == 1 else key for key in kept]


def _key(node: exp.Expr, attributes: Sequence[Attribute], say: Say) -> tuple[str, ...] | None:
    """One value of the key; None, with a remark, where no row can have it."""
    from sqlglot import exp

    parts = [node]
    if len(attributes) > 1:
        parts = node.expressions if isinstance(node, exp.Tuple) else []
        if len(parts) != len(attributes):
            raise BadQuestion(f"{node.sql()[:60]!r} is not {len(attributes)} values in brackets")
    texts = [_text(part, attribute, say) for part, attribute in zip(parts, attributes, strict=True)]
    key = tuple(text for text in texts if text is not None)
    return key if len(key) == len(texts) else None


def _text(node: exp.Expr, attribute: Attribute, say: Say) -> str | None:
    """How a row has this value of one column, or None."""
    value = _literal(node)
    if not isinstance(attribute, Open):
        event = equals(0, attribute, value, say)
        return next((label for label, true in zip(attribute.labels, event.true, strict=True) if true), None)
    if value is None:
        say(f"no comparison with NULL is ever true in SQL; ask {attribute.name} IS NULL for missing values")
        return None
    inner = canonical(value)
    if inner is None or (isinstance(value, str) and value != inner):
        say(how_it_is_read(attribute, str(value)))
        return None
    return unicodedata.normalize("NFC", inner)  # as keys are; else two spellings of one value would count twice


def _literal(node: exp.Expr) -> str | bool | None:
    from sqlglot import exp

    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    negative = isinstance(node, exp.Neg)
    literal = node.this if negative else node
    if isinstance(literal, exp.Literal) and not (negative and literal.is_string):
        return str(literal.this) if literal.is_string else _number(f"{'-' * negative}{literal.this}")
    raise BadQuestion(f"expected a quoted text or a number, not {node.sql()[:60]!r}")


def _number(text: str) -> str:
    """A number as a row would hold it: whole numbers without decimals."""
    try:
        number = Decimal(text)
    except InvalidOperation:
        return text
    return str(int(number)) if number == number.to_integral_value() and abs(number.adjusted()) < 30 else text


def _how_many(given: Sequence[exp.Expr]) -> int:
    from sqlglot import exp

    count = given[0] if len(given) == 1 else None
    if (
        not isinstance(count, exp.Literal)
        or count.is_string
        or not count.this.isdigit()
        or not 1 <= int(count.this) <= 10**6
    ):
        raise BadQuestion("top takes a whole number from 1 to 1,000,000: top(10)")
    return int(count.this)
