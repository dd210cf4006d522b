"""Info: what a synopsis file holds and how to ask it, for someone who was handed the file and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from ..domain import Domain
from ..domain.attributes import Attribute, Boolean, Open, Ordered
from ..domain.decision_list import DecisionList
from ..domain.hints import quoted_name
from ..domain.vertex import Vertex
from ..errors import HushError
from ..mechanisms.guidance import meaning
from ..questions.answer_forms import html
from ..questions.stamp import SIMULATED
from ..words import counted, listed, readable, shortened
from .synopsis import Synopsis

__all__ = ["ColumnInfo", "SynopsisInfo", "info_of"]

EXAMPLES = 3
MOST_VALUES = 8


@dataclass(frozen=True, kw_only=True)
class ColumnInfo:
    """One column: its kind, and the values or bins by which it may be asked."""

    name: str
    kind: str
    values: tuple[str, ...]
    written: dict[str, str]
    """What the data write for labelled values."""

    @classmethod
    def of(cls, attribute: Attribute) -> ColumnInfo:
        """From the domain."""
        labels = dict(getattr(attribute, "labels_of", ()))
        return cls(name=attribute.name, kind=attribute.kind, values=attribute.labels, written=labels)

    def text(self) -> str:
        """`integer: 0-17, 18-29, ...`."""
        told = (
            f": {shortened(listed([shortened(v, 40) for v in self.values], MOST_VALUES), 300)}" if self.values else ""
        )
        labels = ", ".join(f"{written} for {meant}" for written, meant in list(self.written.items())[:MOST_VALUES])
        return f"{self.kind}{told}{f' (the data write {labels})' if labels else ''}"


@dataclass(frozen=True, kw_only=True)
class SynopsisInfo:
    """All that can be said of a synopsis before it is asked; `to_dict` for programs, `str` to read."""

    table: str
    columns: tuple[ColumnInfo, ...]
    workload: str
    mechanism: str
    questions: tuple[str, ...]
    """Examples that this file answers."""
    rows: float | None
    rows_stderr: float | None
    budget: dict[str, str]
    protects: str
    means: str
    noise: str
    digest: str
    ledger: dict[str, Any] | None
    date: str | None
    """The day of the release; None for rehearsals, and for files that are older than this line."""
    format: int
    not_private: bool

    def to_dict(self) -> dict[str, Any]:
        """What `hush info --json` prints."""
        columns = [
            {"name": c.name, "kind": c.kind, "values": list(c.values), "written": c.written} for c in self.columns
        ]
        plain = {name: value for name, value in vars(self).items() if name != "columns"}
        stamp = {"stamp": SIMULATED} if self.not_private else {}
        return {"table": self.table, "columns": columns} | plain | {"questions": list(self.questions)} | stamp

    def facts(self) -> list[tuple[str, str]]:
        """Names and texts, in the order in which they are read."""
        rows = "not told" if self.rows is None else f"{self.rows:,.0f}"
        if self.rows_stderr:
            rows += f" ± {1.96 * self.rows_stderr:,.0f} (95%)"
        price = ", ".join(f"{name} = {readable(Fraction(value))}" for name, value in self.budget.items())
        line = "none" if self.ledger is None else f"line {self.ledger.get('line')} of the owner's ledger"
        return [
            ("table", f"{self.table}, {counted(len(self.columns), 'column')}"),
            ("rows", rows),
            ("released for", f"{self.workload}, by {self.mechanism}"),
            ("budget", price),
            ("protects", self.protects),
            ("that means", self.means),
            ("noise", self.noise),
            ("paid for by", line),
            ("date", self.date or "not told"),
            ("digest", self.digest),
            ("file format", str(self.format)),
        ]

    def __str__(self) -> str:
        facts = self.facts()
        wide = max(len(name) for name, _ in facts)
        columns = [(quoted_name(c.name), c.text()) for c in self.columns]
        across = min(max((len(name) for name, _ in columns), default=0), 40)
        lines = [
            *([SIMULATED] if self.not_private else []),
            *(f"{name.ljust(wide)}  {text}" for name, text in facts),
            "",
            "columns",
            *(f"  {name.ljust(across)}  {text}" for name, text in columns),
            "",
            "questions to try",
            *(f"  {question}" for question in self.questions),
        ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<SynopsisInfo of {shortened(self.table, 60)}: {counted(len(self.columns), 'column')}>"

    def _repr_html_(self) -> str:
        stamp = f"<p><b>{html(SIMULATED)}</b></p>" if self.not_private else ""
        facts = "".join(f"<tr><th>{html(name)}</th><td>{html(text)}</td></tr>" for name, text in self.facts())
        columns = "".join(f"<tr><th>{html(c.name)}</th><td>{html(c.text())}</td></tr>" for c in self.columns)
        asked = "".join(f"<li><code>{html(question)}</code></li>" for question in self.questions)
        tables = f"<table>{facts}</table><p>columns</p><table>{columns}</table>"
        return f"{stamp}{tables}<p>questions to try</p><ul>{asked}</ul>"


def info_of(synopsis: Synopsis) -> SynopsisInfo:
    """From the file alone."""
    accounting, model, domain = synopsis.accounting, synopsis.model, synopsis.domain
    counted_rows = model.row_count()
    rows, stderr = (None, None) if counted_rows is None else counted_rows
    unit = domain.unit
    change = "changed" if unit.change == "replaced" else unit.change
    return SynopsisInfo(
        table=domain.table, columns=tuple(ColumnInfo.of(a) for a in domain.every_column), workload=synopsis.workload,
        mechanism=synopsis.mechanism, questions=_examples(synopsis), rows=rows, rows_stderr=stderr,
        budget={name: str(value) for name, value in accounting["budget"].items()},
        protects=f"one person, of whom {counted(unit.rows, 'row')} may be {change}", means=_means(accounting["budget"]),
        noise=_noise(model.parameters()), digest=synopsis.digest, ledger=accounting.get("ledger"),
        date=(accounting.get("ledger") or {}).get("date"),
        format=max(model.format, domain.form), not_private=synopsis.not_private,
    )  # fmt: skip


def _means(budget: dict[str, Any]) -> str:
    exact = {name: Fraction(value) for name, value in budget.items()}
    return meaning(exact.get("epsilon"), exact.get("delta"))


def _noise(parameters: dict[str, Any]) -> str:
    law = str(parameters.get("law", "as the mechanism says"))
    words = {"laplace": "Laplace", "gaussian": "discrete Gaussian", "rounded-gaussian": "rounded Gaussian"}
    return words.get(law, law)


def _examples(synopsis: Synopsis) -> tuple[str, ...]:
    """Questions made from the columns that this file answers."""
    found: list[str] = []
    formulas = [f"avg({formula})" for formula in synopsis.model.parameters().get("examples", ())]
    for text in [*formulas, *_candidates(synopsis.domain)]:
        try:
            synopsis.ask(text)
        except HushError:
            continue
        found.append(text)
        if len(found) == EXAMPLES:
            break
    return tuple(found)


def _candidates(domain: Domain) -> list[str]:
    table = quoted_name(domain.table)
    closed = sorted(domain.closed, key=lambda a: (a.size > 12, not isinstance(a, Boolean)))
    numbers = [a for a in domain.closed if a.kind in ("integer", "number")]
    texts = [_condition(a) for a in closed[:1]]
    for group in [a for a in closed[1:4] if a not in numbers] or closed[:1]:
        by = quoted_name(group.name)
        texts += [f"SELECT {by}, avg({quoted_name(n.name)}), count(*) FROM {table} GROUP BY {by}" for n in numbers[:1]]
        texts.append(f"SELECT {by}, count(*) FROM {table} GROUP BY {by}")
    for number in numbers[:2]:
        name = quoted_name(number.name)
        texts += [f"SELECT median({name}) FROM {table}", f"avg({name})", f"quantile({name}, 0.9)"]
    for attribute in domain.attributes:
        if isinstance(attribute, DecisionList):
            texts.append(f"decides({quoted_name(attribute.name)}, {attribute.inputs[0]})")
        elif isinstance(attribute, Vertex):
            names = [attribute.written(number) for number in range(min(3, attribute.count))]
            texts += [f"cut({', '.join(names)})", f"degree({names[0]})", "edges()"]
        elif isinstance(attribute, Open):
            texts += [
                "top(10)",
                f"{quoted_name(attribute.name)} IN ('a', 'b')",
                f"{quoted_name(attribute.name)} IS NULL",
            ]
    facts = ", ".join(quoted_name(a.name) for a in domain.closed[:2] if isinstance(a, Boolean))
    return [*texts, f"SELECT count(*) FROM {table}", "top(10)", f"polynomial({facts})"]


def _condition(attribute: Attribute) -> str:
    name = quoted_name(attribute.name)
    if isinstance(attribute, Boolean):
        return name
    if isinstance(attribute, Ordered) and attribute.cuts:
        edge = attribute.text(attribute.cuts[len(attribute.cuts) // 2])
        return f"{name} >= " + (f"'{edge}'" if attribute.kind in ("date", "time") else edge)
    label = attribute.labels[0].replace("'", "''")
    return f"{name} = '{label}'"
