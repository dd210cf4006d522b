"""ParityRows: parities of all sets of columns by a noisy histogram without its small cells."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..budget import Price
from ..domain import Domain
from ..errors import BadPlan
from ..laws import Law
from ..maths.interactions.layout import InteractionLayout
from ..maths.learning.even_rows import best_kept
from ..models.learned.built_in import kept_rows
from ..models.learned.learned import LearnedModel
from ..questions.workloads.base import Workload
from ..questions.workloads.learned import Learned
from ..vault.door.noise import Noise
from ..vault.statistics import ChosenTables
from ..vault.statistics.polynomials import PolynomialSums
from .allocation import allocate
from .base import Design, Forecast, Mechanism, of_kind
from .learned import (
    MOST_PARITY_CELLS,
    LearnedDesign,
    check_groups,
    drawn_questions,
    learned_model,
    parity_cells,
    question_noise,
)
from .wide_design import NoisyInteractions
from .wide_release import measured, statistic_of

if TYPE_CHECKING:
    from ..vault.door.door import Door

__all__ = ["ParityDesign", "ParityRows"]

Integers = NDArray[np.int64]
# How many questions choose the bound and make error bars, and the shares of the price: theirs, and that of single
# columns, which a learner of one's own starts from.
QUESTIONS, OF_QUESTIONS, OF_SINGLES = 150, Fraction(1, 5), Fraction(1, 50)
# Cells at most so many standard deviations of their noise are left out; the last keeps none.
BOUNDS = (2.0, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, math.inf)
USUAL_BOUND = 4.0


@dataclass(frozen=True, eq=False, kw_only=True)
class ParityDesign:
    """What is measured with which noise."""

    learned: LearnedDesign
    cells: ChosenTables
    cell_noise: Noise


class ParityRows(Mechanism[ParityDesign]):
    """Kushilevitz and Mansour's search for heavy Fourier coefficients as the histogram it is equal to.

    A row moves two cells, whatever the number of columns; error is that of the cells left out and the noise of the
    others [Har11, section 7.5.1]. A few noisy answers choose how small a cell is left out, and others make the bars.
    """

    name = "parity-rows"
    source = "Har11"
    answers = (Learned,)
    unbiased = False

    def suits(self, workload: Workload) -> bool:
        return isinstance(workload, Learned) and workload.language == "parities" and workload.learner == "rows"

    def design(self, domain: Domain, workload: Workload, price: Price, rows: int | None = None) -> Design[ParityDesign]:
        asked = of_kind(workload, Learned)
        asked = replace(asked, questions=asked.questions or QUESTIONS)
        language, count = asked.spoken(domain), parity_cells(domain)
        if count > MOST_PARITY_CELLS:
            raise BadPlan(
                f"parity-rows counts all combinations of {len(language.positions)} columns, 2^{len(language.positions)}"
                f" cells, and at most 2^{MOST_PARITY_CELLS.bit_length() - 1} fit; take --mechanism learned"
            )
        questions, whole = drawn_questions(asked, language, price)
        groups = language.language.groups_of(questions)
        check_groups(asked, groups, whole=whole)
        statistic, cells = PolynomialSums(language.sums(questions)), ChosenTables(domain.sizes, [language.positions])
        singles, own, rest = _split(domain, price)
        made = LearnedDesign(
            workload=asked, language=language, questions=questions, groups=groups, statistic=statistic,
            noise=question_noise(domain, statistic, own), tables=singles,
        )  # fmt: skip
        cell_noise = Noise.costing(rest, cells, domain.unit, [1])
        law, numbers = Law.of(price), 1 + len(questions) + count + singles.interactions.length
        return Design(
            by=self,
            summary=f"the histogram of {len(language.positions)} columns, {count:,} cells, without its small ones, and "
            f"noisy answers to {len(questions)} questions, with {law.noise}",
            price=price,
            numbers=numbers,
            parameters=ParityDesign(learned=made, cells=cells, cell_noise=cell_noise),
            words=("groups", "bought", "expected error", "at worst"),
            forecasts=(_forecast(cell_noise, count, len(questions), rows),),
            headline="a question's error",
            caution="the expected error is that of the worst table, whose cells are all just small enough to be left "
            "out; held-out answers will say",
            memory=300_000_000 + 60 * count,
            work=1e6 * (len(domain.sizes) * 4e-8 + len(questions) * 1.5e-8),
            fit_seconds=0.5 + 1e-6 * count,
        )

    def release(self, door: Door, domain: Domain, design: Design[ParityDesign]) -> LearnedModel:
        made = design.parameters
        tables = measured(door, domain, made.learned.tables)
        cells = door.measure(made.cells, made.cell_noise).values
        model = learned_model(domain, made.learned, tables, door.measure(made.learned.statistic, made.learned.noise))
        bought, columns = model.bought, len(model.positions)
        shown = ~bought.held_out
        noise = made.cell_noise.law.variance(made.cell_noise.per_group[0]) ** 0.5 / model.total
        bounds = [bound * noise for bound in BOUNDS]
        best = best_kept(cells / model.total, columns, bounds, bought.questions[shown], bought.answers[shown])
        return replace(model, built_in=kept_rows(best))


def _split(domain: Domain, price: Price) -> tuple[NoisyInteractions, Price, Price]:
    """Single columns, then what questions and what cells may cost."""
    few = replace(price, amount=price.amount * OF_SINGLES).on_grid(up=False)
    own = replace(price, amount=price.amount * OF_QUESTIONS).on_grid(up=False)
    interactions = InteractionLayout(domain.sizes, 1)
    noise = allocate(statistic_of(interactions), interactions, unit=domain.unit, price=few)
    rest = replace(price, amount=price.amount - few.amount - own.amount)
    return NoisyInteractions(interactions, noise, 1), own, rest


def _forecast(noise: Noise, cells: int, questions: int, rows: int | None) -> Forecast:
    """The root mean square over all parities: half of the root of the squared errors of all cells.

    Cells left out are at most a bound of four deviations each and all rows together; those kept are no more than fit.
    """
    each = noise.law.variance(noise.per_group[0]) ** 0.5
    whole = each * math.sqrt(cells) / 2
    if rows is None:
        return Forecast(width=1, tables=questions, typical=whole, worst=whole)
    small = math.sqrt(rows * each * (USUAL_BOUND + 1 / USUAL_BOUND)) / 2
    return Forecast(width=1, tables=questions, typical=min(whole, small), worst=min(whole, small))
