"""Gupta, Hardt, Roth, Ullman (2011): conjunctions by submodular functions, as chapter 6 of Hardt's thesis has it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from papers._paper import Measured, Row, select
from papers.gupta2011.graphs import CHANCES, cut_rows
from papers.gupta2011.learner import learner_rows
from papers.gupta2011.pictures import draw
from papers.gupta2011.pieces import decomposition_rows, learned_rows, size_rows, tail_rows
from papers.gupta2011.released import ERROR, conjunction_rows, release_rows

__all__ = ["compute", "draw", "measure"]

COARSE, FINE = "figure 6.6, rho = 0.3", "figure 6.6, rho = 0.1"


def compute(*, fast: bool) -> Iterator[Row]:
    """Every number of the figure; `fast` takes fewer and smaller cases."""
    for part in (tail_rows, size_rows, decomposition_rows, learned_rows, conjunction_rows, release_rows, cut_rows,
                 learner_rows):  # fmt: skip
        yield from part(fast=fast)


def measure(rows: Sequence[Row]) -> dict[str, Measured]:
    """Our number for every claim, from the rows alone."""
    return {
        "tail": _worst(rows, max, figure="tail", quantity="over the bound"),
        "size": _of_sizes(rows, "pieces", lambda row: math.log(row.value) / math.log(row.d or 1) / (row.k or 1)),
        "depth": _of_sizes(rows, "depth", lambda row: row.value / (row.k or 1)),
        "order": _order(rows),
        "partition": _worst(rows, min, figure="partition"),
        "rises": _worst(rows, max, figure="stages", method="one stage"),
        "two-stages": _worst(rows, max, figure="stages", method="as printed"),
        "two-stages-mended": _worst(rows, max, figure="stages", method="mended", quantity="largest jump"),
        "two-stages-partition": _worst(rows, min, figure="stages", method="mended", quantity="sets in one piece"),
        "constants": _worst(rows, max, figure="constants", quantity="tail over beta"),
        "tolerance": _worst(rows, min, figure="constants", quantity="tolerance over rho / 12"),
        "learned": _worst(rows, max, figure="learned", quantity="beyond alpha over beta"),
        "degenerate": _worst(rows, min, figure="learned", method="survey"),
        "disjunctions": _worst(rows, max, figure="lemmas", method="Lemma 6.4.1"),
        "width": _worst(rows, max, figure="lemmas", method="Lemma 6.4.3"),
        "signed": _worst(rows, max, figure="lemmas", method="Remark 6.4.4"),
        "cut-submodular": _worst(rows, max, figure="cut lemmas"),
        "updates": _worst(rows, max, figure="figure 6.7", method="as printed", quantity="largest error over alpha"),
        "updates-mended": _worst(rows, max, figure="figure 6.7", method="mended", quantity="largest error over alpha"),
        "updates-few": _worst(rows, max, figure="figure 6.7", method="mended", quantity="updates over T"),
        "rule": _worst(rows, max, figure="rules", method="Theorem 6.5.8"),
        "rule-ours": _worst(rows, max, figure="rules", method="best_predictor"),
    } | _releases(rows) | _cuts(rows)  # fmt: skip


def _worst(rows: Sequence[Row], of: Callable[[list[float]], float], **place: str) -> Measured:
    found = [row.value for row in select(rows, **place)]
    return Measured(of(found), f"{min(found):.3g} to {max(found):.3g}, {len(found)} cases")


def _of_sizes(rows: Sequence[Row], quantity: str, of: Callable[[Row], float]) -> Measured:
    found = {row: of(row) for row in select(rows, figure="size", quantity=quantity)}
    worst = max(found, key=lambda row: found[row])
    return Measured(found[worst], f"{worst.method}, {worst.d} columns, rho = 1/{worst.k}: {worst.value:,.0f}")


def _order(rows: Sequence[Row]) -> Measured:
    sizes = {(row.method, row.d, row.k): row.value for row in select(rows, figure="size", quantity="pieces")}
    ratios = [value / sizes[name.replace("given", "decreasing"), d, k]
              for (name, d, k), value in sizes.items() if "given" in name]  # fmt: skip
    return Measured(min(ratios), f"{min(ratios):.1f} to {max(ratios):.1f} times, {len(ratios)} cases")


def _releases(rows: Sequence[Row]) -> dict[str, Measured]:
    """Section 6.4, table by table."""

    def errors(method: str) -> list[float]:
        return [row.value for row in select(rows, figure="release", method=method, quantity=ERROR)]

    constant, coarse, fine = errors("constant"), errors(COARSE), errors(FINE)
    three, tree = errors("figure 6.6, three columns"), errors("tree, pure")
    questions = select(rows, figure="release", method=COARSE, quantity="questions")
    told = ", ".join(f"{error:.3f}" for error in coarse)
    over = [error / flat for error, flat in zip(coarse, constant, strict=True)]
    finer = [error / other for error, other in zip(fine, coarse, strict=False)]
    gain = [error / other for error, other in zip(three, tree, strict=True)]
    # A row of all ones fulfils every question, one of all zeros none but that of no column, which is not asked.
    return {
        "noise": Measured(max(row.value for row in questions), "b questions, each of which moves by 1 / |D|"),
        "released": Measured(max(over), f"errors {told}; of a constant {', '.join(f'{e:.3f}' for e in constant)}"),
        "released-finer": Measured(
            min(finer) if finer else None, f"errors {', '.join(f'{e:.3f}' for e in fine)}" if finer else
            "skipped: a fast run takes rho = 0.3 alone",
        ),
        "tree-ratio": Measured(min(gain), f"{', '.join(f'{e:.4f}' for e in tree)} against "
                                          f"{', '.join(f'{e:.3f}' for e in three)}"),
    }  # fmt: skip


def _cuts(rows: Sequence[Row]) -> dict[str, Measured]:
    """Section 6.4.1, means over graphs."""

    def error(method: str, chance: float) -> float:
        found = [row.value for row in select(rows, figure="cuts", method=method, bias=chance)]
        return sum(found) / len(found)

    def pieces(method: str, quantity: str) -> float:
        return select(rows, figure="normalisation", method=method, quantity=quantity)[0].value

    printed, mended = "over |V|^2", "over |E|"
    half, tenth, few = CHANCES
    sizes = pieces(mended, "pieces")
    rho = select(rows, figure="normalisation")[0].bias or 1.0
    ratios = [error("degree-cuts", chance) / error("hub tree", chance) for chance in (tenth, few)]
    best = min(error("degree-cuts", half), error("hub tree", half))
    return {
        "cut-hubs": Measured((1 + pieces(printed, "hubs")) / (1 + math.log2(pieces(printed, "pieces"))),
                             f"{pieces(printed, 'hubs'):.0f} such vertices, {pieces(printed, 'pieces'):.0f} piece"),
        "cut-size": Measured(math.log2(sizes) / (2 / rho) if sizes > 1 else math.inf, f"{sizes:.0f} pieces"),
        "hub-tree": Measured(error("hub tree", tenth) / error("constant", tenth),
                             f"{error('hub tree', tenth):.0f} edges against {error('constant', tenth):.0f}"),
        "degree-cuts": Measured(max(ratios), f"{error('degree-cuts', tenth):.1f} and {error('degree-cuts', few):.1f} "
                                f"edges against {error('hub tree', tenth):.0f} and {error('hub tree', few):.0f}"),
        "half-cuts": Measured(best / error("constant", half), f"{best:.1f} edges of 5,000 against "
                              f"{error('constant', half):.1f}"),
    }  # fmt: skip
