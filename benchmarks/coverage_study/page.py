"""The page: docs/coverage.md, written from the file of results and from nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .counting import SILENT
from .families import FAMILIES
from .judged import Judged, brought_together
from .kept import KeptPage, kept_page
from .purposes import purpose
from .run import CORES, SECONDS
from .settings import ROWS, Setting
from .tables import present, shapes
from .verdict import FALSE_ALARM, HIGHEST, LOWEST, RARE

__all__ = ["page_text", "write_page"]

HEAD = (
    "| answer | rows | releases | intervals | unknown | 50% | 95% | 99.9% | rmse / stderr | half-width / error "
    "| lowest at 95% | verdict |\n|---|---|---|---|---|---|---|---|---|---|---|---|"
)


def write_page(path: Path, lines: list[dict[str, Any]], wanted: list[Setting]) -> list[str]:
    """Writes the page; returns the kinds that miss a bar and the settings that broke.

    What the page says of families and numbers of rows that have no line is kept.
    """
    before = kept_page(path.read_text("utf-8")) if path.exists() else None
    text, missed = page_text(lines, wanted, before)
    path.write_text(text, encoding="utf-8")
    return missed


def page_text(
    lines: list[dict[str, Any]], wanted: list[Setting], before: KeptPage | None = None
) -> tuple[str, list[str]]:
    """The page, and the names of what misses."""
    judged = brought_together(lines)
    kept = (before or KeptPage()).without({(one.family, one.rows) for one in judged})
    broke = [f"{line['key']}: {line['broke']}" for line in lines if "broke" in line]
    missing = [one for one in judged if one.misses]
    parts = [
        _opening(lines, judged, wanted) + _kept_words(kept),
        *(_family(name, judged, kept) for name in FAMILIES),
        _wide(judged, kept),
        _states(lines, kept),
        _not_run(lines, wanted, kept),
        _missing(missing, broke, kept),
    ]
    names = sorted({f"{one.family}: {one.kind}" for one in missing}) + broke + [line for _, _, line in kept.misses]
    return "\n\n".join(part for part in parts if part) + "\n", names


def _opening(lines: list[dict[str, Any]], judged: list[Judged], wanted: list[Setting]) -> str:
    intervals, releases = (sum(n) for n in ((j.total.intervals for j in judged), (x.get("releases", 0) for x in lines)))
    used = sorted({line["setting"]["table"] for line in lines if "kinds" in line})
    absent = sorted({shape.file for name, shape in shapes().items() if shape.file and not present(name)})
    away = f" Not here, so left out: {', '.join(map(str, absent))}." if absent else ""
    given = sorted({line.get("seconds", SECONDS) for line in lines} or {SECONDS})
    seconds = " to ".join(f"{limit:g}" for limit in dict.fromkeys((given[0], given[-1])))
    codes = len({line.get("code") for line in lines})
    newest = f" They were made by {codes} states of the program; of each setting the newest counts."
    states = newest if codes > 1 else ""
    minutes = sum(line.get("cpu", 0.0) for line in lines) / 60
    return f"""# Coverage

How often the intervals of an answer hold the truth. This page is written by `make coverage`, which repeats releases of every kind with other seeds, asks each the same random questions, and compares with the exact answers from the rows (DuckDB and numpy). `make coverage ONLY=mwem` runs the families whose names begin so. It takes less than an hour on {CORES} cores, goes on where it was stopped, and is no part of the tests.

{len([x for x in lines if "kinds" in x]):,} of {len(wanted):,} settings, {releases:,} releases and {intervals:,} intervals are in the tables below, {minutes:.0f} minutes of one processor.{states} A setting is a mechanism on a table with a relation (`replace`, `add-remove`), a currency (`pure`: epsilon alone; `delta`: epsilon with a delta), a unit (1 or 3 rows a person) and {", ".join(f"{n:,}" for n in ROWS)} rows. Its releases end after {seconds} processor seconds, so their number differs between runs; release i has seed i. Tables: {", ".join(used)}.{away} Rows are drawn from a table without repetition where it has enough, else with.

**Columns.** *Answer*: `bounded` answers have a bias bound in their interval. *Unknown*: answers that are refused as too small, or averages and shares whose interval is all that there can be; they are not counted as held. Questions that are unknown in more than 5% of the releases have lines of their own, `seldom shown`: their figures are those of an answer *given that one is shown*, which is a choice of the noise. Questions whose bias bound leaves half of all possible answers or more, as a rule, `say nothing` and have lines of their own. *50%, 95%, 99.9%*: the share of intervals that hold the truth; after ± one standard error of that share. Answers of one release depend on each other, so the error is taken from the differences between releases. *rmse / stderr*: root mean square of (value - truth) / stderr; 1 is right, more means that stderr leaves something out, which for biased answers is in the bias bound. *Half-width / error*: how many times as wide the 95% intervals are as they need to be to hold just 95%: the inverse of the 95% quantile of |value - truth| / (half-width on that side). *Lowest*: the one setting with the least share at 95%.

**Bars.** 95% intervals hold at least {LOWEST:.0%} and at most {HIGHEST:.1%}; 99.9% intervals hold at least {RARE:.1%}; 95% intervals are not more than 5% too narrow. Kinds that are wide on purpose have no upper bar; they are named [below](#wide-on-purpose) with their factor. A bar is judged for all settings of a kind and a number of rows together, and for every setting on its own (not for calibrated quantiles: what a release cannot tell of a column is nearly the same in every release of it, so that their bar is promised for the columns of all tables together; *lowest* shows the worst setting). A kind *misses* when a figure is so far beyond a bar that chance explains it once in {1 / FALSE_ALARM:,.0f} times; *unclear* is beyond a bar, but not so far."""  # noqa: E501


def _kept_words(kept: KeptPage) -> str:
    if not kept.lines:
        return ""
    sizes: dict[str, list[int]] = {}
    for one in kept.lines:
        sizes.setdefault(one.family, []).append(one.rows)
    said = "; ".join(f"{name} ({', '.join(f'{n:,}' for n in sorted(set(rows)))})" for name, rows in sizes.items())
    return f"""

**Kept.** These families, at these numbers of rows, were not run this time; their lines are those of the page as it was before, on top of the numbers of settings and intervals above, and they asked the questions of then: {said}."""  # noqa: E501


def _family(name: str, judged: list[Judged], kept: KeptPage) -> str:
    lines = [((one.kind, one.rows), _line(one)) for one in judged if one.family == name]
    lines += [((one.kind, one.rows), one.text) for one in kept.lines if one.family == name]
    return f"## {name}\n\n{HEAD}\n" + "\n".join(text for _, text in sorted(lines)) if lines else ""


def _line(one: Judged) -> str:
    total = one.total
    lowest, unknown = one.lowest, "all" if one.kind.endswith(SILENT) else _percent(total.share_unknown)
    low = "" if lowest is None else f"{lowest[1].coverage(1):.1%}: {lowest[0]}"
    held = [f"{_percent(total.coverage(level))} ± {100 * total.error(level):.1f}" for level in range(3)]
    cells = [
        one.kind + ("" if one.why_wide is None else " (wide)"), f"{one.rows:,}", f"{total.releases:,}",
        f"{total.intervals:,}", unknown, *(held if total.intervals else ("", "", "")),
        _number(total.rmse_over_stderr), _number(total.width_over_error), low, one.word,
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _percent(share: float) -> str:
    return "" if math.isnan(share) else f"{100 * share:.1f}%"


def _number(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.3g}" if value < 1000 else "over 1,000"


def _wide(judged: Iterable[Judged], kept: KeptPage) -> str:
    """Every kind that is wide on purpose, with the range of its factors."""
    factors: dict[tuple[str, str, str], list[float]] = {}
    for one in judged:
        if one.why_wide is not None and one.total.intervals:
            factors.setdefault((one.family, one.kind, one.why_wide), []).append(one.total.width_over_error)
    for old in kept.lines:
        why = purpose(old.family, old.kind)
        if why is not None and not math.isnan(old.factor):
            factors.setdefault((old.family, old.kind, why), []).append(old.factor)
    lines = [
        f"| {family}: {kind} | {_number(min(seen))} to {_number(max(seen))} | {why} |"
        for (family, kind, why), seen in sorted(factors.items())
    ]
    table = "| kind | half-width / error | why |\n|---|---|---|\n" + "\n".join(lines)
    return f"## Wide on purpose\n\n{table}" if lines else ""


def _states(lines: list[dict[str, Any]], kept: KeptPage) -> str:
    """Which state of the program made the figures of each family, where they were made by several."""
    made: dict[tuple[str, float], dict[str, int]] = {}
    for line in lines:
        families = made.setdefault((line.get("code", ""), line.get("seconds", SECONDS)), {})
        families[line["setting"]["family"]] = families.get(line["setting"]["family"], 0) + 1
    if len(made) < 2 and not kept.lines:
        return ""
    rows = [
        f"| {code} | {seconds:g} | {', '.join(f'{family} ({many})' for family, many in families.items())} |"
        for (code, seconds), families in made.items()
    ]
    head = "| state | processor seconds a setting | families (settings) |\n|---|---|---|\n"
    text = "## What made the figures\n\nA state is a digest of the program's files.\n\n" + head + "\n".join(rows)
    some = ", of which some are kept"
    earlier = [f"{row.removesuffix(' |').removesuffix(some)}{some} |" for row in kept.states if row not in rows]
    return "\n".join([text, *earlier])


def _not_run(lines: list[dict[str, Any]], wanted: list[Setting], kept: KeptPage) -> str:
    skipped: dict[str, int] = {}
    for line in lines:
        if "skipped" in line:
            text = f"{line['setting']['family']}: {line['skipped']}"
            skipped[text] = skipped.get(text, 0) + 1
    found = [f"- {many} settings of {text}" for text, many in skipped.items()]
    left, before = {one.family: 0 for one in wanted}, {(one.family, one.rows) for one in kept.lines}
    done = {line["key"] for line in lines}
    for one in {one.key: one for one in wanted}.values():
        left[one.family] += one.key not in done and (one.family, one.rows) not in before
    found += [f"- {many} settings of {family}: not run yet" for family, many in left.items() if many]
    return "## Not run\n\n" + "\n".join(found) if found else ""


def _missing(missing: list[Judged], broke: list[str], kept: KeptPage) -> str:
    found = [f"- **{one.family}: {one.kind}, {one.rows:,} rows.** {_shortened(one.misses)}" for one in missing]
    found += [line for _, _, line in kept.misses]
    found += [f"- A setting broke: {text}" for text in broke]
    return "## Kinds that miss a bar\n\n" + ("\n".join(found) if found else "None.")


def _shortened(misses: tuple[str, ...], most: int = 4) -> str:
    """The first few, and how many more there are."""
    more = f"; and {len(misses) - most} more" if len(misses) > most else ""
    return "; ".join(misses[:most]) + more + "."
