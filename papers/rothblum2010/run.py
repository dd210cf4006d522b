"""Hardt, Rothblum (2010), as chapter 4 of Hardt's thesis: how the error of a curator grows, theirs and ours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import log, sqrt
from typing import Any

import hushtable as ht
from papers._paper import Measured, Row, select, slope
from papers.hardt2012.tables import nltcs
from papers.rothblum2010.bounds import MISS, azuma_exponent, fresh_loss, guaranteed, lower_bound, printed, printed_loss
from papers.rothblum2010.pictures import draw
from papers.rothblum2010.reduced import ERROR, STATED, lemma_rows, reduced_rows
from papers.rothblum2010.sessions import Session, our_session, sparse_table, their_session
from papers.rothblum2010.survey import curator_rows, measure_curator

__all__ = ["compute", "draw", "measure"]

DELTA, PURE = ht.Budget(epsilon=1, delta="1e-6"), ht.Budget(epsilon=1)
BUDGETS = {"delta": DELTA, "pure": PURE}
LARGEST, ADVERSE = "largest error", "largest error of the adversary's questions"
STATED_ERROR, LASTED, USED = "stated error", "lasted", "updates used of those allowed"
NO_DATA = "skipped: no nltcs.csv.gz; set HUSHTABLE_DATA to its folder"
# The universe, the questions and the rows where another of them grows.
MANY, QUESTIONS, ROWS, THEIR_ROWS = 10, 5_000, 10**5, 10**10
SUPPORTS = (4, 32, 256)
THEIRS, OURS = "Figure 4.2 as printed", "curator"


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` asks fewer questions at fewer places."""
    k = 2_000 if fast else QUESTIONS
    for kind in BUDGETS:
        for n in (10**8, 10**9, 10**10, 10**11):
            yield from their_rows("rows", kind, n, k, MANY)
        for n in (3 * 10**4, 10**5) if fast else (10**4, 3 * 10**4, 10**5, 3 * 10**5, 10**6):
            yield from our_rows("rows", kind, n, k, MANY)
        for many in (100, 1_000, 10_000) if fast else (100, 1_000, 10_000, 30_000):
            yield from their_rows("questions", kind, THEIR_ROWS, many, MANY)
        for many in (1_000, 2_000) if fast else (1_000, 4_000, 16_000):
            yield from our_rows("questions", kind, ROWS, many, MANY)
        for columns in (6, 8, 10) if fast else (6, 8, 10, 12):
            yield from their_rows("universe", kind, THEIR_ROWS, 2_000, columns)
            yield from our_rows("universe", kind, ROWS, 2_000, columns)
        yield from stated_rows(kind)
    yield from privacy_rows()
    yield from lower_rows(fast=fast)
    yield from lemma_rows()
    yield from trade_rows()
    yield from reduced_rows(fast=fast)
    large = nltcs()
    if large:
        yield from curator_rows(large, fast=fast)


def their_rows(figure: str, kind: str, n: int, k: int, many: int) -> Iterator[Row]:
    """Figure 4.2 with its own constants, on the table that is worst for it."""
    delta = None if kind == "pure" else 1e-6
    given = printed(n=n, k=k, universe=2.0**many, epsilon=1.0, delta=delta)
    noise = 10 / n if kind == "pure" else 0.0
    found = [their_session(given, sparse_table(many, s, 0), many=many, k=k, seed=0, threshold_noise=noise)
             for s in SUPPORTS if 2 * s <= 1 << many]  # fmt: skip
    yield from _rows(found, given.updates, given.accuracy, figure=figure, whose="theirs", method=f"{THEIRS}, {kind}",
                     n=n, k=k, d=many, epsilon=1.0)  # fmt: skip


def our_rows(figure: str, kind: str, n: int, k: int, many: int) -> Iterator[Row]:
    """The curator whose paid answers last for all questions, on the table that is worst for it."""
    plan, stated = guaranteed(n, k, many, BUDGETS[kind])
    found = [our_session(plan, sparse_table(many, s, 0), rows=n, k=k, seed=0) for s in SUPPORTS if 2 * s <= 1 << many]
    yield from _rows(found, plan.updates, stated, figure=figure, whose="ours", method=f"{OURS}, {kind}", n=n, k=k,
                     d=many, epsilon=1.0)  # fmt: skip


def _rows(found: Sequence[Session], allowed: float, stated: float, **place: Any) -> Iterator[Row]:
    yield Row(quantity=LARGEST, value=max(one.largest for one in found), **place)
    yield Row(quantity=ADVERSE, value=max(one.adverse for one in found), **place)
    yield Row(quantity=STATED_ERROR, value=stated, **place)
    yield Row(quantity=LASTED, value=float(all(one.lasted for one in found)), **place)
    yield Row(quantity=USED, value=max(one.updates for one in found) / allowed, **place)


def stated_rows(kind: str) -> Iterator[Row]:
    """The accuracy that our curator states for any table and questions, far beyond what can be simulated."""
    far = 10**8
    places = [("stated by rows", n, far, MANY) for n in (10**5, 10**6, 10**7, 10**8)]
    places += [("stated by questions", ROWS, k, MANY) for k in (10**5, 10**6, 10**7, 10**8, 10**9)]
    places += [("stated by universe", ROWS, far, many) for many in (6, 10, 16, 24, 40, 60)]
    for figure, n, k, many in places:
        yield Row(figure=figure, whose="ours", method=f"{OURS}, {kind}", quantity=STATED_ERROR, n=n, k=k, d=many,
                  value=guaranteed(n, k, many, BUDGETS[kind])[1], epsilon=1.0)  # fmt: skip


def privacy_rows() -> Iterator[Row]:
    """What the transcript of k questions tells of a row at epsilon 1, as printed in 4.4 and with fresh noise."""
    for k in (1000, 10_000, 100_000):
        loss = printed_loss(n=10**6, k=k, universe=2.0**16, epsilon=1.0)
        yield Row(figure="privacy", whose="theirs", method="4.4 as printed", quantity="privacy loss", k=k, n=10**6,
                  value=loss, epsilon=1.0)  # fmt: skip
    plan, _ = guaranteed(10**4, 1000, MANY, PURE)
    loss = fresh_loss(plan, (1, 100, 10_000, 100_000))
    yield Row(figure="privacy", whose="ours", method="fresh noise", quantity="privacy loss", k=100_000, n=10**4,
              value=loss / float(plan.terms.opening), epsilon=float(plan.terms.opening))  # fmt: skip


def lower_rows(*, fast: bool) -> Iterator[Row]:
    """Theorem 4.5.1 in numbers, over its formula, and below what our curator reaches."""
    for power in (1.1, 2.0):
        for n in (1000, 10_000) if fast else (1000, 3000, 10_000, 30_000, 100_000):
            k, universe = int(n**power), 1 << 20
            bound = lower_bound(n=n, k=k, universe=universe, epsilon=1.0)
            formula = sqrt(log(k) * log(universe / n) / n)
            place: dict[str, Any] = {"figure": "lower order", "method": "Theorem 4.5.1", "n": n, "k": k, "d": 20,
                                     "epsilon": 1.0, "r": round(10 * power)}  # fmt: skip
            yield Row(whose="theirs", quantity="lower bound", value=bound.alpha, **place)
            yield Row(whose="theirs", quantity="over its formula", value=bound.alpha / formula, **place)
    k = 2_000 if fast else QUESTIONS
    for n in (300, 1000, 3000, 10_000, 30_000):
        bound = lower_bound(n=n, k=k, universe=1 << 12, epsilon=1.0)
        place = {"figure": "lower", "n": n, "k": k, "d": 12, "epsilon": 1.0}
        yield Row(whose="theirs", method="Theorem 4.5.1", quantity="lower bound", value=bound.alpha, **place)
        plan, _ = guaranteed(n, k, 12, PURE)
        table = sparse_table(12, min(max(bound.support, 4), n), 0)
        reached = our_session(plan, table, rows=n, k=k, seed=0)
        yield Row(whose="ours", method=f"{OURS}, pure", quantity=LARGEST, value=reached.largest, **place)


def trade_rows() -> Iterator[Row]:
    """Figure 4.1: error in rows without constants, and how the time of a question grows (r) with the universe."""
    n, k, cells = 10**6, 10**5, 16 * log(2)
    printed_errors = {
        "[DMNS] independent noise": (sqrt(k), 0), "[BLR]": (n ** (2 / 3) * (cells * log(k)) ** (1 / 3), 4),
        "[DNR+]": (sqrt(n * cells), 3), "[DRV]": (sqrt(n * cells) * log(k) ** 2, 3),
        "[RR]": (n ** (2 / 3) * cells ** (1 / 3) * log(k), 4),
        "Theorem 4.1.1": (sqrt(n * log(k)) * cells**0.25, 2),
        "Theorem 4.1.2": (n ** (2 / 3) * (cells * log(k)) ** (1 / 3), 2),
        "Theorem 4.1.4, smooth": (sqrt(n * log(k)) * log(cells) * log(k), 1),
    }  # fmt: skip
    for method, (error, time) in printed_errors.items():
        yield Row(
            figure="trade", whose="theirs", method=method, quantity="error in rows", value=error, r=time, n=n, k=k
        )
    for method, kind in (("curator, delta", "delta"), ("curator, pure", "pure")):
        yield Row(figure="trade", whose="ours", method=method, quantity="error in rows", r=2, n=n, k=k,
                  value=n * guaranteed(n, k, 16, BUDGETS[kind])[1])  # fmt: skip


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone; those on nltcs are skipped where the table is not at hand."""
    theirs, mine = (select(rows, whose=whose, quantity=LARGEST) for whose in ("theirs", "ours"))
    printed_runs = [row for row in theirs if row.figure in ("rows", "questions", "universe")]
    adverse = select(rows, whose="theirs", quantity=ADVERSE)
    our_runs = [row for row in mine if row.figure in ("rows", "questions", "universe")]
    constants = [row.value for row in select(rows, quantity="over its formula", r=11)]
    points = [row for row in rows if row.figure == "points"]
    flat = [row.value for row in sorted(select(points, quantity=ERROR), key=lambda row: row.d or 0)]
    return {
        "delta-rows": _growth(adverse, "rows", "delta", lambda row: row.n),
        "delta-questions": _growth(adverse, "questions", "delta", lambda row: log((row.k or 1) / MISS)),
        "delta-universe": _growth(adverse, "universe", "delta", lambda row: row.d),
        "delta-within": _over(rows, printed_runs, "delta"),
        "delta-lasts": _used(rows, "theirs", "delta"),
        "delta-proof": Measured(azuma_exponent(1e-6), "100 / 1024 log(1 / delta)^(1/2)"),
        "delta-rows-ours": _growth(rows, "stated by rows", "delta", lambda row: row.n),
        "pure-private": _printed_loss(rows),
        "pure-private-fresh": Measured(select(rows, method="fresh noise")[0].value, "of 1 to 100,000 lazy answers"),
        "pure-rows": _growth(rows, "stated by rows", "pure", lambda row: row.n),
        "pure-questions": _growth(rows, "stated by questions", "pure", lambda row: log((row.k or 1) / MISS)),
        "pure-universe": _growth(rows, "stated by universe", "pure", lambda row: row.d),
        "within-ours": _over(rows, our_runs, ""),
        "lasts-ours": _used(rows, "ours", ""),
        "constants": _constants(rows),
        "raised": Measured(_drop(gamma=100, printed_step=True), "T' = 140 eta, T'/2 - gamma = -30 eta"),
        "raised-mended": Measured(_drop(gamma=100, printed_step=False), "T' - T/2 - gamma = 20 eta"),
        "lemma": Measured(max(row.value for row in select(rows, figure="lemma")), "largest of 5 draws"),
        "lower-order": Measured(max(constants) / min(constants), f"{min(constants):.3f} to {max(constants):.3f} of it"),
        "lower-below": _below(rows),
        "points-flat": Measured(flat[-1] / flat[0], f"{flat[0]:.4f} to {flat[-1]:.4f}"),
        "points-within": Measured(max(row.value for row in select(points, quantity=STATED)), "largest of all answers"),
    } | measure_curator(rows, NO_DATA)  # fmt: skip


def _growth(rows: Sequence[Row], figure: str, kind: str, of: Any) -> Measured:
    """The exponent of the errors, in n, in log(k / beta) or in log N."""
    own = [row for row in select(rows, figure=figure) if row.method.endswith(kind)]
    return Measured(slope([of(row) for row in own], [row.value for row in own]),
                    f"{own[0].value:.3g} to {own[-1].value:.3g}, {len(own)} places")  # fmt: skip


def _over(rows: Sequence[Row], runs: Sequence[Row], kind: str) -> Measured:
    """The largest observed error over what was stated."""
    place = ("figure", "whose", "method", "n", "k", "d")
    stated = {tuple(getattr(r, p) for p in place): r.value for r in select(rows, quantity=STATED_ERROR)}
    over = [r.value / stated[tuple(getattr(r, p) for p in place)] for r in runs if r.method.endswith(kind)]
    return Measured(max(over), f"of {len(over)} places, least {min(over):.2f}")


def _used(rows: Sequence[Row], whose: str, kind: str) -> Measured:
    own = [row for row in select(rows, whose=whose, quantity=USED) if row.method.endswith(kind)]
    return Measured(max(row.value for row in own), f"largest of {len(own)} places")


def _printed_loss(rows: Sequence[Row]) -> Measured:
    found = select(rows, figure="privacy", whose="theirs")
    return Measured(max(row.value for row in found), ", ".join(f"{row.value:.3g} for k = {row.k:,}" for row in found))


def _constants(rows: Sequence[Row]) -> Measured:
    """Ours over theirs, as stated for the same n, k and N."""
    ours, theirs = guaranteed(10**7, 10**6, MANY, DELTA)[1], printed(n=10**7, k=10**6, universe=2.0**MANY, epsilon=1.0,
                                                                     delta=1e-6).accuracy  # fmt: skip
    return Measured(ours / theirs, f"{ours:.3f} against {theirs:.3f} at n = 10^7, k = 10^6, N = 2^10")


def _drop(*, gamma: float, printed_step: bool) -> float:
    """The drop of the potential that Lemma 4.3.7 has, in eta^2, with T = 40 eta and gamma in eta."""
    raised = 40 + gamma
    return (raised / 2 if printed_step else raised - 20) - gamma - 1


def _below(rows: Sequence[Row]) -> Measured:
    lower = {row.n: row.value for row in select(rows, figure="lower", quantity="lower bound")}
    reached = {row.n: row.value for row in select(rows, figure="lower", quantity=LARGEST)}
    ratios = {n: lower[n] / reached[n] for n in lower}
    at = max(ratios, key=lambda n: ratios[n])
    return Measured(
        ratios[at], f"at n = {at:,}: {lower[at]:.3g} below {reached[at]:.3g}; least {min(ratios.values()):.2g}"
    )
