"""The long-term care survey: questions one at a time, to a curator and with independent noise.

Not private: simulations, compared with the true answers.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

import hushtable as ht
from papers._paper import Measured, Row, axis, line, select
from papers.hardt2012.tables import Counts

__all__ = ["curator_rows", "draw_curator", "measure_curator"]

BUDGET = ht.Budget(epsilon=1, delta="1e-6")
QUESTIONS = (200, 2_000, 20_000)
CURATOR, INDEPENDENT = "curator", "independent noise"
WAYS = {CURATOR: "hypothesis", INDEPENDENT: "independent"}
QUANTITY, LARGEST = "root mean square error", "largest error"
# The claims about it.
CURATED = ("many-questions", "many-ratio", "few-ratio")


def curator_rows(table: Counts, *, fast: bool) -> Iterator[Row]:
    """Error over all questions: random conjunctions of three conditions, asked in turn."""
    for many in QUESTIONS[:1] if fast else QUESTIONS:
        asked, truth = _questions(table, many)
        for method, way in WAYS.items():
            repeats = 2 if way == "hypothesis" and many <= 2_000 and not fast else 1
            errors = np.array([_answers(table, asked, way, seed) for seed in range(repeats)]) - truth
            place: dict[str, Any] = {
                "figure": "curator", "whose": "ours" if way == "hypothesis" else "naive", "method": method, "k": 3,
                "n": table.rows, "t": many, "epsilon": 1.0,
            }  # fmt: skip
            yield Row(quantity=QUANTITY, value=float(np.sqrt((errors**2).mean())), **place)
            yield Row(quantity=LARGEST, value=float(np.abs(errors).max(axis=1).mean()), **place)


def _questions(table: Counts, many: int) -> tuple[list[str], np.ndarray]:
    """Three attributes, each yes or no, and the share of rows that have them so."""
    source, texts, truth = np.random.default_rng(6), [], []
    bits = table.codes.astype(bool)
    for _ in range(many):
        chosen, wanted = source.choice(len(bits), 3, replace=False), source.random(3) < 0.5
        names = [
            table.attributes[c] if yes else f"NOT {table.attributes[c]}" for c, yes in zip(chosen, wanted, strict=True)
        ]
        texts.append(" AND ".join(names))
        truth.append((bits[chosen] == wanted[:, None]).all(axis=0).mean())
    return texts, np.array(truth)


def _answers(table: Counts, asked: Sequence[str], way: Any, seed: int) -> np.ndarray:
    curator = table.vault.curate(budget=BUDGET, questions=len(asked), way=way, randomness=ht.Simulated(seed))
    with curator:
        return np.array([curator.ask(question).value for question in asked])


def measure_curator(rows: Sequence[Row], skipped: str) -> dict[str, Measured]:
    """Our number for the claims about many questions."""
    seen = {(row.method, row.t): row.value for row in select(rows, figure="curator", quantity=QUANTITY)}
    if not seen:
        return dict.fromkeys(CURATED, Measured(None, skipped))
    if (CURATOR, 20_000) not in seen:
        return dict.fromkeys(CURATED, Measured(None, "skipped: so many questions are asked in the full run only"))
    many = Measured(seen[CURATOR, 20_000], f"independent noise {seen[INDEPENDENT, 20_000]:.4f}")
    return {"many-questions": many, "many-ratio": _ratio(seen, 20_000), "few-ratio": _ratio(seen, 2_000)}


def _ratio(seen: dict[tuple[str, int | None], float], many: int) -> Measured:
    curator, independent = seen[CURATOR, many], seen[INDEPENDENT, many]
    return Measured(curator / independent, f"{curator:.4f} against {independent:.4f}")


def draw_curator(ax: Any, rows: Sequence[Row]) -> None:
    """Error against the number of questions."""
    mine = select(rows, figure="curator")
    if not mine:
        ax.text(0.5, 0.5, "no long-term care survey at hand", ha="center", transform=ax.transAxes)
        return
    for method, color in ((INDEPENDENT, "#777777"), (CURATOR, "#1f77b4")):
        own = select(mine, method=method)
        line(ax, select(own, quantity=QUANTITY), "t", f"{own[0].whose}, {method}", color=color, marker="o")
        line(ax, select(own, quantity=LARGEST), "t", f"{own[0].whose}, {method}, largest", color=color, linestyle=":")
    ticks = sorted({row.t for row in mine if row.t})
    axis(ax, "questions", "error, fraction of rows", log="xy", legend={"loc": "upper left"}, x_ticks=ticks)
    low, high = ax.get_ylim()
    ax.set_ylim(low, high * (high / low) ** 0.35)
