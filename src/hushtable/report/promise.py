"""The promise in plain words: what a released file is, whom it protects and how, how to ask it, how to cite it."""

from __future__ import annotations

import math
import shlex
from fractions import Fraction

from ..accounting import epsilon_of
from ..domain.hints import quoted_name
from ..errors import HushError
from ..maths.weighted_rows.resolution import FOCUS
from ..questions.answer import CrossTab
from ..questions.workloads import read_workload
from ..questions.workloads.whole_table import WholeTable
from ..synopsis import Synopsis
from ..synopsis.info import SynopsisInfo
from ..words import counted, readable, shortened
from .page import PagePart, cards, code, facts_table, paragraphs, section

__all__ = ["QUESTIONS", "citation", "introduction", "promise", "the_asking"]

# A budget in rho is also one in epsilon for every delta; this one is small for any table.
SMALL_DELTA = Fraction(1, 10**9)
SURE, BEYOND = 0.995, 1e6
QUESTIONS = {
    "whole_table": "any question about its columns, and synthetic rows",
    "marginals": "any question about up to {width} columns at a time",
    "predicates": "any condition on up to {width} columns",
    "any_of": "in how many rows at least one of up to {width} things is true",
    "all_of": "in how many rows all of up to {width} things are true",
    "at_least": "in how many rows at least {r} of up to {width} things are true",
    "parities": "in how many rows an odd number of up to {order} things is true",
    "ranges": "in how many rows up to {width} columns lie between two bounds",
    "linear": "a list of questions that was fixed before the release",
    "means": "means of {columns}, over all rows",
    "smooth": "means, distributions and percentiles of {columns}",
    "sparse": "how many rows have one of up to {size} values that you name",
    "known_lists": "how many rows have one of the values of lists that were fixed before the release",
    "conjunctions": "in how many rows several columns have given values, all at once",
    "decision_lists": "what the decision lists in one column decide, for any input",
    "cuts": "how many edges leave any group of vertices, how many a vertex has, and how many there are",
    "learned": "in how many rows a rule of the language {language} is true",
    "polynomials": "the queries of the family {family}",
}
READ_IT = (
    "Every number on this page was computed from the released file alone, and carries random noise. An error bar says "
    "how much: in about 19 of 20 cases the true number lies inside it (95% intervals). Numbers may be a little below 0 "
    "or not add up exactly: mending that would hide how uncertain they are."
)
NOT_PROMISED = (
    "What is true of people in general can still be learned here, and can be held against anyone: that smokers are ill "
    "more often will be seen whether or not one of them was in the table. And the promise covers this file together "
    "with all others that were paid for by the same ledger, not what somebody else publishes about the same people."
)


def introduction(synopsis: Synopsis, info: SynopsisInfo, *, publisher: str | None) -> PagePart:
    """What this is."""
    table, by = synopsis.domain.table, f" by {publisher}" if publisher else ""
    answers = questions_in_words(synopsis)
    about = f"It answers {answers}. " if answers else ""
    text = (
        f"This page describes a private summary of the table {table}, released{by}. {about}Nobody needs the table for "
        "that, asking costs nothing, and every answer comes with an error bar."
    )
    shown = [("rows", _rows(info)), ("columns", f"{len(info.columns):,}"), *_strength(synopsis)]
    if (day := info.date) is not None:
        shown.append(("released", day))
    notes = "".join(f'<p class="note">{text}</p>' for text in _remarks(synopsis))
    return section("What this is", paragraphs(text), cards(shown), notes, paragraphs(READ_IT))


def questions_in_words(synopsis: Synopsis) -> str | None:
    """What may be asked, as somebody would say it; None for a release of its own kind, such as a curator's."""
    try:
        workload = read_workload(synopsis.workload)
    except (HushError, OSError):
        return QUESTIONS.get(synopsis.workload.partition("(")[0]) if "file" in synopsis.workload else None
    words = {name: _plain(value) for name, value in vars(workload).items()}
    return QUESTIONS[workload.name].format(**words)


def _plain(value: object) -> str:
    return " and ".join(map(str, value)) if isinstance(value, tuple) else str(value)


def _rows(info: SynopsisInfo) -> str:
    if info.rows is None:
        return "not told"
    spread = f" ± {1.96 * info.rows_stderr:,.0f}" if info.rows_stderr and info.rows_stderr > 0.3 else ""
    return f"{info.rows:,.0f}{spread}"


def _remarks(synopsis: Synopsis) -> list[str]:
    from html import escape

    remarks = [*synopsis.model.remarks(), *_focus(synopsis)]
    return [escape(f"{remark[:1].upper()}{remark[1:]}.") for remark in remarks]


def _focus(synopsis: Synopsis) -> list[str]:
    """Which columns the release was made for, where it was made for some."""
    try:
        workload = read_workload(synopsis.workload)
    except (HushError, OSError):
        return []
    names = workload.names_in_focus if isinstance(workload, WholeTable) else ()
    return [f"tables with {' and '.join(names)} were weighed {FOCUS:g} times as much as others"] if names else []


def _strength(synopsis: Synopsis) -> list[tuple[str, str]]:
    return [(name, readable(Fraction(value))) for name, value in synopsis.accounting["budget"].items()]


def _terms(synopsis: Synopsis) -> tuple[Fraction, Fraction | None]:
    """Epsilon and delta; of a budget in rho those that it implies for a very small delta."""
    budget = {name: Fraction(value) for name, value in synopsis.accounting["budget"].items()}
    if "epsilon" in budget:
        return budget["epsilon"], budget.get("delta") or None
    return epsilon_of(budget["rho"], SMALL_DELTA, "zcdp"), SMALL_DELTA


def promise(synopsis: Synopsis, info: SynopsisInfo) -> PagePart:
    """Whom it protects, how strongly, and what it does not promise."""
    if synopsis.not_private:
        text = "There is none: this is a rehearsal, whose noise anyone can repeat. Do not publish it."
        return section("The promise to every person in the table", text=text)
    unit, (epsilon, delta) = synopsis.domain.unit, _terms(synopsis)
    who = "one row" if unit.rows == 1 else f"up to {unit.rows} rows of one person"
    change = "had said something else" if not unit.private_rows else "had not been there"
    times = math.exp(min(float(epsilon), 700.0))
    likely = f"at most {times:,.3g} times as likely, and at most that much less likely"
    likely = likely if times < BEYOND else "more than a million times as likely, or less"
    but = f" This may fail with a chance of at most 1 in {float(1 / delta):,.0f}." if delta else ""
    texts = [
        f"The noise was drawn so that this file would hardly look different if {who} {change}. Put exactly: other rows "
        f"there would have made whatever the file shows {likely}.{but}",
        _guess(epsilon),
        "This holds against anybody, whatever else they know, however much they compute, now or later, and however "
        "often the file is asked. It does not rest on keeping the method secret. The name for it is differential "
        "privacy.",
        NOT_PROMISED,
    ]
    return section("The promise to every person in the table", paragraphs(*texts))


def _guess(epsilon: Fraction) -> str:
    """What an observer who was in two minds can be sure of."""
    sure = 1 / (1 + math.exp(-min(float(epsilon), 700.0)))
    if sure > SURE:
        return f"At epsilon = {readable(epsilon)} that is a weak promise: it does little to keep one person's answer."
    return (
        f"For example: somebody who thinks that there is a fifty-fifty chance that you gave a certain answer can be at "
        f"most {sure:.0%} sure of it after seeing everything that this file can say."
    )


def the_asking(synopsis: Synopsis, info: SynopsisInfo) -> PagePart:
    """Questions to try, with their answers, and what to type."""
    file = shlex.quote(f"{synopsis.domain.table}.hush")
    lines = [(question, _answered(synopsis, question)) for question in info.questions]
    first = info.questions[0] if info.questions else f"SELECT count(*) FROM {quoted_name(synopsis.domain.table)}"
    typed = f"pip install hushtable\nhush info {file}\nhush ask {file} {shlex.quote(first)}"
    python = f'import hushtable as ht\n\nsynopsis = ht.load("{synopsis.domain.table}.hush")\nsynopsis.ask({first!r})'
    columns = facts_table(
        ("column", "kind", "values"),
        [(c.name, c.kind, shortened(c.text().partition(": ")[2], 160)) for c in info.columns],
        numbers=False,
    )
    return section(
        "How to ask",
        facts_table(("question", "answer"), lines, numbers=False) if lines else "",
        "<h3>On the command line</h3>", code(typed), "<h3>In Python</h3>", code(python), "<h3>Columns</h3>", columns,
        text="Anyone who has the file can ask it, on their own computer, without an account and without the table.",
    )  # fmt: skip


def _answered(synopsis: Synopsis, question: str) -> str:
    answer = synopsis.ask(question)
    if isinstance(answer, CrossTab):
        return f"a table of {counted(len(answer), 'line')}"
    return answer.text().splitlines()[-1]


def citation(synopsis: Synopsis, info: SynopsisInfo, *, publisher: str | None, contact: str | None) -> PagePart:
    """How to cite it, and how to check that one has the same file."""
    table = synopsis.domain.table
    budget = ", ".join(f"{name} = {text}" for name, text in _strength(synopsis))
    year = "" if info.date is None else f" ({info.date})"
    who = f"{publisher}{year}. " if publisher else ""
    when = "" if publisher or info.date is None else f", released {info.date}"
    text = (
        f"{who}{table}: a differentially private summary{when}. {_rows(info)} rows, {budget}. "
        f"SHA-256 {synopsis.digest}."
    )
    told = paragraphs(f"Questions about the table go to {contact}.") if contact else ""
    check = "The digest tells whether two files are the same release: hush info shows that of yours."
    return section("How to cite it", code(_folded(text)), paragraphs(check), told)


def _folded(text: str) -> str:
    """In lines that a phone shows without scrolling but for the digest."""
    import textwrap

    return "\n".join(textwrap.wrap(text, 72, break_long_words=False))
