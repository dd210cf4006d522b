"""What the papers share: reading claims, judging them, and writing the table, the verdicts and the picture."""

from __future__ import annotations

import csv
import json
import math
import tomllib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Literal

__all__ = ["COLUMNS", "VERDICTS", "Claim", "Measured", "Row", "listing", "read_claims", "read_rows", "reproduce",
           "select", "slope", "tally", "verdicts"]  # fmt: skip

HERE = Path(__file__).parent
RELATIONS = ("equal", "at most", "at least")
VERDICTS = ("confirmed", "refuted", "corrected", "ours")
FAILS = "fails"
# A tolerance above this share of the number says why.
WIDEST = 0.2


@dataclass(frozen=True, kw_only=True)
class Row:
    """One number of a figure, with what it depends on; the CSV has one line each."""

    figure: str
    whose: Literal["theirs", "ours", "naive"]
    method: str
    quantity: str
    value: float
    d: int | None = None
    k: int | None = None
    t: int | None = None
    r: int | None = None
    n: int | None = None
    bias: float | None = None
    epsilon: float | None = None


COLUMNS = tuple(Row.__annotations__)


@dataclass(frozen=True, kw_only=True)
class Claim:
    """A statement about a number: a source's, with the source's number, or one of ours, with a bar."""

    name: str
    where: str
    says: str
    quantity: str
    relation: str
    tolerance: float
    verdict: str
    """confirmed or refuted: the source's statement holds or not; corrected: it does after a change; or ours."""
    theirs: float | None = None
    """The source's number."""
    bar: float | None = None
    """Ours, for a claim that is ours."""
    note: str = ""
    """Where a refuted statement fails, or what a corrected one changes."""
    why: str = ""
    """Why the tolerance is above a fifth of the number, where it is."""

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise ValueError(f"claim {self.name}: relation must be one of {', '.join(RELATIONS)}, not {self.relation}")
        if self.verdict not in VERDICTS:
            raise ValueError(f"claim {self.name}: the verdict must be one of {', '.join(VERDICTS)}, not {self.verdict}")
        if (self.bar is None) == (self.verdict == "ours") or (self.theirs is None) == (self.bar is None):
            raise ValueError(f"claim {self.name}: ours have a bar, all others the source's number (theirs)")
        if self.verdict in ("refuted", "corrected") and not self.note:
            raise ValueError(f"claim {self.name}: say in note where it fails, or what was changed")
        if self.tolerance < 0:
            raise ValueError(f"claim {self.name}: the tolerance must be at least 0, not {self.tolerance}")
        if self.tolerance > WIDEST * (abs(self.number) or 1) and not self.why:
            raise ValueError(f"claim {self.name}: a tolerance above {WIDEST:.0%} of the number needs a reason (why)")

    @property
    def number(self) -> float:
        """The source's, or the bar."""
        number = self.bar if self.theirs is None else self.theirs
        assert number is not None
        return number

    def holds(self, measured: float) -> bool:
        """Whether a number is where the statement says, within the tolerance (in its own unit)."""
        low = -math.inf if self.relation == "at most" else self.number - self.tolerance
        high = math.inf if self.relation == "at least" else self.number + self.tolerance
        return low <= measured <= high

    def judge(self, measured: float) -> str:
        """What this number says: one of the verdicts, or `fails` where a statement of ours or a mended one does."""
        holds = self.holds(measured)
        if self.verdict in ("confirmed", "refuted"):
            return "confirmed" if holds else "refuted"
        return self.verdict if holds else FAILS


@dataclass(frozen=True)
class Measured:
    """Our number for a claim, or why there is none."""

    ours: float | None
    note: str


def read_claims(name: str) -> list[Claim]:
    """The claims of a paper, as written in its claim.toml."""
    return [Claim(**entry) for entry in _source(name)["claims"]]


def listing() -> dict[str, str]:
    """Name to title of every paper there is."""
    names = sorted(path.parent.name for path in HERE.glob("*/claim.toml"))
    return {name: _source(name)["title"] for name in names}


def reproduce(
    name: str, *, folder: Path | None, fast: bool, progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Computes the rows of a paper, judges its claims, and writes result.csv, result.json and figure.svg."""
    module = import_module(f"papers.{name}.run")
    rows: list[Row] = []
    for row in module.compute(fast=fast):
        rows.append(row)
        if progress:
            progress(len(rows))
    judged = verdicts(read_claims(name), module.measure(rows))
    result = {"paper": name, "title": _source(name)["title"], "fast": fast, "claims": judged, "verdicts": tally(judged),
              "holds": all(v["holds"] is not False for v in judged)}  # fmt: skip
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        _write_rows(rows, folder / "result.csv")
        (folder / "result.json").write_text(json.dumps(result, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
        _save(module.draw(rows), folder / "figure.svg")
    return result


def verdicts(claims: Sequence[Claim], measured: dict[str, Measured]) -> list[dict[str, Any]]:
    """Every claim with our number, the verdict it gives (None where nothing could be measured), and whether that is
    the one on record."""
    if {claim.name for claim in claims} != set(measured):
        raise ValueError(f"claims and measurements differ: {sorted({c.name for c in claims} ^ set(measured))}")
    found = []
    for claim in claims:
        seen = measured[claim.name]
        judged = None if seen.ours is None else claim.judge(seen.ours)
        holds = None if judged is None else judged == claim.verdict
        found.append(asdict(claim) | {"ours": seen.ours, "found": judged, "holds": holds, "measured": seen.note})
    return found


def tally(judged: Sequence[dict[str, Any]]) -> dict[str, int]:
    """How many claims came out as what."""
    kinds = [one["found"] or "skipped" for one in judged]
    return {kind: kinds.count(kind) for kind in (*VERDICTS, FAILS, "skipped") if kind in kinds}


def select(rows: Iterable[Row], **wanted: Any) -> list[Row]:
    """The rows whose named fields have these values."""
    return [row for row in rows if all(getattr(row, field) == value for field, value in wanted.items())]


def slope(x: Sequence[float], y: Sequence[float]) -> float:
    """The exponent e of the power law y = c x^e nearest to the points, by least squares of logarithms."""
    u, v = [math.log(value) for value in x], [math.log(value) for value in y]
    mean_u, mean_v = sum(u) / len(u), sum(v) / len(v)
    return sum((a - mean_u) * (b - mean_v) for a, b in zip(u, v, strict=True)) / sum((a - mean_u) ** 2 for a in u)


def panels(down: int, across: int, titles: Sequence[str]) -> tuple[Any, Iterator[Any]]:
    """A figure on paper of 5.4 by 4.1 inches a panel, and its titled panels, row by row; no window is opened."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.4 * across, 4.1 * down), layout="constrained")
    axes = [figure.add_subplot(down, across, number + 1) for number in range(len(titles))]
    for ax, title in zip(axes, titles, strict=True):
        ax.set_title(title, fontsize=11, loc="left")
        ax.grid(True, which="major", alpha=0.3)
        ax.tick_params(labelsize=9)
    return figure, iter(axes)


def line(ax: Any, rows: Sequence[Row], x: str, label: str | None = None, **style: Any) -> None:
    """The values of the rows against one of their fields, in its order."""
    points = sorted((getattr(row, x), row.value) for row in rows)
    ax.plot(*zip(*points, strict=True), label=label, **({"linewidth": 1.6, "markersize": 4.5} | style))


def axis(
    ax: Any,
    x: str,
    y: str,
    *,
    log: str = "y",
    legend: dict[str, Any] | None = None,
    x_ticks: Sequence[float] = (),
    y_ticks: Sequence[float] = (),
) -> None:
    """Labels, logarithmic axes (`x`, `y` or both), a legend, and ticks written out where powers of 10 are too few."""
    ax.set_xlabel(x, fontsize=10)
    ax.set_ylabel(y, fontsize=10)
    if "x" in log:
        ax.set_xscale("log")
    if "y" in log:
        ax.set_yscale("log")
    for way, ticks in ((ax.xaxis, x_ticks), (ax.yaxis, y_ticks)):
        if ticks:
            way.set_ticks(ticks, [f"{tick:,g}" for tick in ticks])
            way.set_ticks([], minor=True)
    ax.legend(**({"fontsize": 8, "framealpha": 0.9} | (legend or {})))


def _source(name: str) -> dict[str, Any]:
    return tomllib.loads((HERE / name / "claim.toml").read_text("utf-8"))


def read_rows(name: str) -> list[Row]:
    """The rows that result.csv of a paper has, so that claims can be judged again without computing them."""
    kinds = {field: float if kind.startswith("float") else int for field, kind in Row.__annotations__.items()}
    texts = ("figure", "whose", "method", "quantity")
    with (HERE / name / "result.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(**{k: v if k in texts else kinds[k](float(v)) for k, v in line.items() if v})  # type: ignore[arg-type]
            for line in csv.DictReader(file)
        ]


def _write_rows(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            fields = asdict(row) | {"value": f"{row.value:.6g}"}
            writer.writerow(["" if fields[column] is None else fields[column] for column in COLUMNS])


def _save(figure: Any, path: Path) -> None:
    """The same numbers give the same bytes: no date, no random identifiers, letters as shapes."""
    import matplotlib

    with matplotlib.rc_context({"svg.hashsalt": "hushtable"}):
        figure.savefig(path, metadata={"Date": None})
