"""Campaign: questions to every model: made from a grammar, mutated, and plain noise."""

from __future__ import annotations

import contextlib
import json
import random
from collections.abc import Callable
from pathlib import Path

from mutations import NASTY_NUMBERS, NASTY_TEXTS, mutate_text
from specimens import released

from hushtable.errors import BadQuestion

FUNCTIONS = ("exp", "log", "sin", "cos", "sqrt", "tanh", "abs", "sigmoid", "gauss", "erf", "pow", "no_such")
WORDS = (
    "SELECT", "FROM", "WHERE", "GROUP BY", "AND", "OR", "NOT", "IN", "IS NULL", "BETWEEN", "count(*)", "avg(age)", "t",
    "(", ")", ",", ";", "--", "/*", "*/", "'", '"', "`", "TRUE", "NULL", "*", "UNION", "WITH x AS", "CASE WHEN",
    "CAST(", "::int", "ARRAY[", "LATERAL", "INTERVAL '1' day", "DATE '2020-01-01'", "x -> y", ":p", "?", "$1", "@v",
    "INSERT INTO t VALUES (1)", "DROP TABLE t", "COPY t TO 'x'", "{{ 1 }}", "any(", "all(", "at_least(2,", "top(3)",
    "exactly(1,", "decides(choice,", "quantile(age, 0.5)", "median(age)", "density(age, 40)",
)  # fmt: skip


def prepare(folder: Path) -> Callable[[random.Random], None]:
    asked = [(synopsis, questions) for synopsis, questions in released(folder).values()]
    seeds = sorted({text for _, questions in asked for text in questions})
    for synopsis, questions in asked:
        for text in questions:
            with contextlib.suppress(BadQuestion):
                synopsis.ask(text)

    def run(luck: random.Random) -> None:
        synopsis, questions = luck.choice(asked)
        what = luck.random()
        if what < 0.5:
            text = grammar(synopsis.domain.names, luck)
        elif what < 0.87:
            text = mutate_text(luck.choice(questions if luck.random() < 0.7 else seeds), luck)
        elif what < 0.95:
            text = " ".join(luck.choice((*WORDS, *seeds)) for _ in range(luck.randrange(1, 12)))
        else:
            text = noise(luck)
        synopsis._questions.clear()
        answer = synopsis.ask(text, count=luck.random() < 0.2)
        json.dumps(answer.to_dict(0.95), allow_nan=False)
        answer.text(0.95)

    return run


def noise(luck: random.Random) -> str:
    what = luck.randrange(4)
    if what == 0:
        return luck.randbytes(luck.randrange(60)).decode("utf-8", luck.choice(("replace", "surrogateescape")))
    if what == 1:
        return luck.choice("([{'\"-!~+x") * luck.choice((50, 50, 50, 500, 500, 3000, 19_999, 20_001))
    if what == 2:
        middle = luck.choice((" AND smoker", " OR near", " + 1", "+age", "(", "NOT ", "-", "a.", "exp("))
        return luck.choice(("smoker", "near", "SELECT avg(age", "url IN ('a'", "")) + middle * luck.choice(
            (30, 300, 1500)
        )
    return "".join(chr(luck.choice((luck.randrange(128), luck.randrange(0x11000)))) for _ in range(luck.randrange(80)))


def grammar(names: tuple[str, ...], luck: random.Random) -> str:
    where = condition(names, luck, luck.randrange(4))
    what = luck.randrange(8)
    if what < 4:
        return where
    groups = ", ".join(luck.choice(names) for _ in range(luck.randrange(3)))
    measure = luck.choice(("count(*)", f"avg({expression(names, luck, 3)})", f"avg({luck.choice(names)})", "sum(age)"))
    text = (
        f"SELECT {groups + ', ' if groups else ''}{measure} FROM {luck.choice(('t', 't', 't', 'u', 't AS x', '(t)'))}"
    )
    if luck.random() < 0.5:
        text += f" WHERE {where}"
    return text + (f" GROUP BY {groups}" if groups and luck.random() < 0.9 else "")


def condition(names: tuple[str, ...], luck: random.Random, depth: int) -> str:
    if depth == 0:
        return comparison(luck.choice((*names, "nobody")), luck)
    parts = [condition(names, luck, depth - 1) for _ in range(luck.randrange(1, 4))]
    what = luck.randrange(7)
    if what == 0:
        return f"NOT ({parts[0]})"
    if what == 1:
        return f"any({', '.join(parts)})"
    if what == 2:
        return f"{luck.choice(('at_least', 'exactly'))}({value(luck)}, {', '.join(parts)})"
    if what == 3:
        return f"decides({luck.choice(names)}, {parts[0]})"
    return f"({luck.choice((' AND ', ' OR ')).join(parts)})"


def comparison(name: str, luck: random.Random) -> str:
    what = luck.randrange(8)
    if what < 2:
        return f"{name} {luck.choice(('=', '<>', '<', '<=', '>', '>=', '==', '!=', 'LIKE', '<=>'))} {value(luck)}"
    if what == 2:
        return f"{name} BETWEEN {value(luck)} AND {value(luck)}"
    if what == 3:
        return f"{name} IN ({', '.join(value(luck) for _ in range(luck.randrange(6)))})"
    if what == 4:
        return f"{name} IS {luck.choice(('NULL', 'NOT NULL', 'TRUE', 'NOT FALSE', 'UNKNOWN', value(luck)))}"
    if what == 5:
        return f"top({value(luck)})"
    return luck.choice((name, f'"{name}"', f"t.{name}", f"{value(luck)} < {name}"))


def value(luck: random.Random) -> str:
    what = luck.randrange(6)
    if what == 0:
        return str(luck.choice(NASTY_NUMBERS))
    if what == 1:
        return "'" + luck.choice(NASTY_TEXTS).replace("'", "''") + "'"
    return luck.choice(
        ("18", "65", "0", "1", "-1", "'male'", "'female'", "'other'", "TRUE", "NULL", "1e3", "'a1'", "0.5")
    )


def expression(names: tuple[str, ...], luck: random.Random, depth: int) -> str:
    if depth == 0 or luck.random() < 0.2:
        return luck.choice((*names, "age", "age", str(luck.choice(NASTY_NUMBERS)), "40", "0.01", "2", "nobody"))
    what = luck.randrange(4)
    if what == 0:
        return f"{luck.choice(FUNCTIONS)}({expression(names, luck, depth - 1)})"
    if what == 1:
        return f"-({expression(names, luck, depth - 1)})"
    operator = luck.choice(("+", "-", "*", "/", "**", "%", "//"))
    return f"({expression(names, luck, depth - 1)} {operator} {expression(names, luck, depth - 1)})"
