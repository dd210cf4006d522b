"""The technical appendix: how the numbers came about, in the words of those who want to check."""

from __future__ import annotations

from fractions import Fraction

from ..models.sections import Section
from ..synopsis import Synopsis
from ..synopsis.info import SynopsisInfo
from ..words import readable
from .page import PagePart, facts_table, section
from .sections import drawn

__all__ = ["appendix", "facts"]


def facts(synopsis: Synopsis, info: SynopsisInfo) -> str:
    """Budget, accounting, noise and what pins the file down."""
    accounting = synopsis.accounting
    rows = "not told" if info.rows is None else f"{info.rows:,.0f}"
    spread = "exact" if not info.rows_stderr else f"± {1.96 * info.rows_stderr:,.0f} (95%)"
    budget = ", ".join(f"{name} = {readable(Fraction(value))}" for name, value in accounting["budget"].items())
    price = f"{accounting['currency']} {readable(Fraction(accounting['price']))}" if "price" in accounting else ""
    ledger = accounting.get("ledger") or {}
    lines = [
        ("released", f"{synopsis.workload} by {synopsis.mechanism}"),
        ("budget", budget),
        ("spent as", price),
        ("protects", f"{info.protects}; neighbouring tables: {accounting.get('neighbours', '')}"),
        ("number of rows", f"{rows}, {spread}" if info.rows is not None else rows),
        ("noise", info.noise),
        ("date", info.date or ""),
        ("line of the ledger", f"{ledger['line']}, {ledger['hash']}" if ledger else "none"),
        ("plan", str(accounting.get("plan", ""))),
        ("digest (SHA-256)", synopsis.digest),
        ("file format", str(info.format)),
        *synopsis.model.facts(),
    ]
    return facts_table(("", ""), [line for line in lines if line[1]], numbers=False)


def appendix(synopsis: Synopsis, info: SynopsisInfo) -> PagePart:
    """Facts, then what the model says of itself."""
    told: list[Section] = [part for part in synopsis.model.sections() if part.technical]
    inner = "".join(f"<h3>{part.heading}</h3>{drawn(part).body}" for part in told)
    return section("Technical appendix", facts(synopsis, info), inner)
