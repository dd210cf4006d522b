"""Learned: noisy answers to questions drawn at random, and a learner that predicts the answers to all others."""

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
from ..maths.learning.held_out import LEAST, split
from ..maths.learning.row_features import RowPredictor
from ..maths.learning.spoken import Spoken
from ..maths.learning.taught import teach
from ..models.learned.built_in import BuiltIn, fit_kernel, fit_rows
from ..models.learned.learned import LearnedModel
from ..models.learned.pickled import kept
from ..questions.workloads.base import Workload
from ..questions.workloads.learned import MOST_QUESTIONS, Learned
from ..vault.door.noise import Noise
from ..vault.statistics.polynomials import PolynomialSums
from ..words import counted
from .allocation import allocate
from .base import Design, Forecast, Mechanism, Trial, of_kind
from .wide_design import NoisyInteractions
from .wide_release import measured, statistic_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..models.linear.low_order import LowOrderModel
    from ..vault.door.door import Door, Measurement

__all__ = ["MOST_PARITY_CELLS", "LearnedDesign", "LearnedRelease", "check_groups", "drawn_questions", "learned_model",
           "parity_cells", "question_noise"]  # fmt: skip

Integers = NDArray[np.int64]
# How many questions are bought unless the workload says it: Laplace noise grows with their number, not its root.
QUESTIONS, PURE_QUESTIONS, PER_GROUP = 500, 200, 60
# The share of the price that goes to tables of one or two columns, from which public rows are drawn.
OF_TABLES, OF_SINGLES, MOST_PAIRED = Fraction(3, 10), Fraction(1, 10), 100
MOST_NUMBERS = 2_000_000
# Parities of columns that have at most so many combinations are answered by counting these.
MOST_PARITY_CELLS = 1 << 22
# A private number of rows has a share of its own where sums are in fine steps.
OF_ROWS = Fraction(1, 50)
PUBLIC_ROWS = 4000
# What a plan expects is a guess: on public rows of independent columns, with weights that stray so far from even ones
# as they did on two simulated tables (docs/learning.md).
GUESSED_ROWS, GUESSED_QUESTIONS, MOST_GUESSED, GUESSED_SPREAD, GUESSED_SHARE = 2000, 100, 800, 0.002, 0.3
# Measured seconds for one row and question (one core); and a fit, times the cube of the questions.
SECONDS_PER_ANSWER, SECONDS_PER_FIT = 1.5e-8, 2e-9


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedDesign:
    """What is measured with which noise, and who learns from it."""

    workload: Learned
    language: Spoken
    questions: Integers
    groups: Integers
    statistic: PolynomialSums
    noise: Noise
    tables: NoisyInteractions


class LearnedRelease(Mechanism[LearnedDesign]):
    """Release by learning: a table is a function from questions to answers; a few are bought, the rest is learned.

    The questions are asked once each, so the threshold oracle of the source and its counter are one measurement of
    different questions [Har11, Theorem 7.3.10]: the noise is that of all of them, and learning costs nothing.
    """

    name = "learned"
    source = "Har11"
    answers = (Learned,)
    unbiased = False

    def offers_itself(self, domain: Domain, workload: Workload) -> bool:
        """Not for parities whose frequent rows can be counted, where that is better (docs/learning.md)."""
        asked = of_kind(workload, Learned)
        counted = asked.language == "parities" and asked.learner == "rows"
        return not counted or parity_cells(domain) > MOST_PARITY_CELLS

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[LearnedDesign]:
        asked = of_kind(workload, Learned)
        language = asked.spoken(domain)
        questions, whole = drawn_questions(asked, language, price)
        groups = language.language.groups_of(questions)
        check_groups(asked, groups, whole=whole)
        statistic = PolynomialSums(language.sums(questions))
        tables, left = _tables(domain, price)
        interactions = tables.interactions
        noise = question_noise(domain, statistic, left)
        made = LearnedDesign(
            workload=asked, language=language, questions=questions, groups=groups, statistic=statistic, noise=noise,
            tables=tables,
        )  # fmt: skip
        each = Law.of(price).variance(noise.per_group[1]) ** 0.5 / statistic.family.range[1]
        held, law = int(split(groups, asked.holdout).sum()), Law.of(price)
        outlook = (f"the language has {len(questions)} questions in all: every one is measured",) if whole else ()
        return Design(
            by=self,
            summary=(
                f"noisy answers to {len(questions)} questions ({held} held out for error bars) and "
                f"{interactions.length:,} numbers about {'pairs of' if interactions.order > 1 else 'single'} columns, "
                f"with {law.noise}"
            ),
            price=price,
            numbers=1 + len(questions) + interactions.length,
            parameters=made,
            words=("groups", "bought", "expected error", "noise of one"),
            forecasts=(_forecast(made, each, rows),),
            headline="a question's error",
            caution="the expected error is a guess, made on rows of independent columns; held-out answers will say",
            outlook=outlook,
            memory=300_000_000 + 60 * len(questions) * PUBLIC_ROWS,
            work=1e6 * (len(domain.sizes) * 4e-8 + len(questions) * SECONDS_PER_ANSWER),
            fit_seconds=1.0 + SECONDS_PER_FIT * len(questions) ** 3,
        )

    def trials(self, domain: Domain, design: Design[LearnedDesign]) -> Iterable[Trial]:
        """The built-in learner alone: one that fails does not stop a release, and may take its time."""
        for trial in super().trials(domain, design):
            made = replace(design.parameters, workload=replace(design.parameters.workload, learner="rows"))
            yield replace(trial, design=replace(design, parameters=made))

    def release(self, door: Door, domain: Domain, design: Design[LearnedDesign]) -> LearnedModel:
        made = design.parameters
        tables = measured(door, domain, made.tables)
        return _fitted(learned_model(domain, made, tables, door.measure(made.statistic, made.noise)), made)


def learned_model(domain: Domain, made: LearnedDesign, tables: LowOrderModel, seen: Measurement) -> LearnedModel:
    """What was measured, before anybody learns from it."""
    empty = np.zeros(0, dtype=np.int64)
    return LearnedModel(
        domain=domain,
        name=made.language.language.name,
        own=made.workload.own is not None,
        positions=made.language.positions,
        language=made.language,
        seed=made.workload.seed,
        holdout=float(made.workload.holdout),
        law=made.noise.law,
        scale=made.noise.per_group[1],
        rows_scale=made.noise.per_group[0],
        steps=made.statistic.family.range[1],
        questions=made.questions,
        groups=made.groups,
        sums=seen.values,
        tables=tables,
        built_in=BuiltIn(rows=empty.reshape(0, 1), weights=empty, spread=1.0),
    )


def _fitted(model: LearnedModel, made: LearnedDesign) -> LearnedModel:
    """The built-in predictor, and that of the learner that was asked for, which sees public arrays alone."""
    learner, bought = made.workload.learner, model.bought
    if learner == "kernel":
        return replace(model, built_in=fit_kernel(made.language, model.tables, bought))
    fitted = replace(model, built_in=fit_rows(made.language, model.tables, bought, PUBLIC_ROWS, model.seed))
    if isinstance(learner, str):
        return fitted
    predictor, complaint = teach(learner, bought)
    pickled = None if predictor is None else kept(learner, predictor)
    return replace(fitted, taught=predictor, complaint=complaint, pickled=pickled)


def parity_cells(domain: Domain) -> int:
    """How many combinations the two-valued columns have together."""
    return 1 << sum(attribute.size == 2 for attribute in domain.closed)


def drawn_questions(asked: Learned, language: Spoken, price: Price) -> tuple[Integers, bool]:
    """Different questions, drawn by the public seed, and whether they are all there are; BadPlan where they repeat."""
    default = PURE_QUESTIONS if price.currency == "pure" else QUESTIONS
    count = asked.questions or min(max(default, PER_GROUP * asked.groups), MOST_QUESTIONS)
    name = language.language.name
    drawn = language.language.draw(asked.seed, count)
    if not np.array_equal(drawn, language.language.draw(asked.seed, count)):
        raise BadPlan(f"{name}: the sampler must draw by the generator that it is given, the same every time")
    if not language.language.understands(drawn):
        raise BadPlan(f"{name}: the sampler draws what is no question of the language")
    if len(drawn) == count:
        return drawn, False
    if asked.own is not None:
        raise BadPlan(
            f"{name}: the sampler repeats itself: {counted(len(drawn), 'different question')}, and {count} are wanted; "
            f"ask for questions={len(drawn)}, or draw from more"
        )
    return drawn, True


def check_groups(asked: Learned, groups: Integers, *, whole: bool) -> None:
    """BadPlan where a group has too few held-out questions for a bar at 95%."""
    held = split(groups, asked.holdout)
    for group in np.unique(groups):
        own = int(held[groups == group].sum())
        if own < LEAST:
            have = int((groups == group).sum())
            which = "" if len(np.unique(groups)) == 1 else f" of group {group}"
            if whole:
                raise BadPlan(
                    f"{asked} has {counted(len(groups), 'question')} in all, too few to hold {LEAST} out of a group; "
                    "release marginals(width=...), which answers them all"
                )
            raise BadPlan(
                f"{counted(own, 'question')}{which} (of {have}) would be held out, and error bars need {LEAST}; raise "
                "questions" + (", or have fewer groups" if which else "")
            )


def question_noise(domain: Domain, statistic: PolynomialSums, price: Price) -> Noise:
    """The same noise on every question; a private number of rows has its own."""
    if not domain.unit.private_rows:
        return Noise.costing(price, statistic, domain.unit, [0, 1])
    return Noise.sharing(price, statistic, domain.unit, [OF_ROWS, 1 - OF_ROWS])


def _tables(domain: Domain, price: Price) -> tuple[NoisyInteractions, Price]:
    """Pairs where they are not too many, else single columns; and what is left of the price."""
    few = len(domain.sizes) <= MOST_PAIRED and InteractionLayout.count(domain.sizes, 2) <= MOST_NUMBERS
    order, share = (2, OF_TABLES) if few and len(domain.sizes) > 1 else (1, OF_SINGLES)
    own = replace(price, amount=price.amount * share).on_grid(up=False)
    interactions = InteractionLayout(domain.sizes, order)
    noise = allocate(statistic_of(interactions), interactions, unit=domain.unit, price=own)
    return NoisyInteractions(interactions, noise, order), replace(price, amount=price.amount - own.amount)


def _forecast(made: LearnedDesign, each: float, rows: int | None) -> Forecast:
    """The posterior sd of typical questions, on public rows of independent columns; else the noise of one."""
    expected = each
    if rows is not None:
        language, random = made.language, np.random.default_rng(0)
        guessed = np.stack([_guess(size, random) for size in language.sizes], axis=1)
        held = split(made.groups, made.workload.holdout)
        shown, asked = made.questions[~held][:MOST_GUESSED], made.questions[held][-GUESSED_QUESTIONS:]
        # Where fewer are looked at than will be bought, each is given so much less noise.
        noise = each / rows * math.sqrt(len(shown) / int((~held).sum()))
        even = np.full(GUESSED_ROWS, 1 / GUESSED_ROWS)
        known = RowPredictor(language.holds, guessed, even, GUESSED_SPREAD, shown, noise)
        expected = float(np.sqrt(np.mean(known.sd(asked) ** 2))) * rows
    groups = len(np.unique(made.groups))
    return Forecast(width=groups, tables=len(made.questions), typical=expected, worst=max(each, expected))


def _guess(size: int, random: np.random.Generator) -> Integers:
    """A column of which nothing is known: two values at 0.7 and 0.3, more of them even."""
    shares = np.array([1 - GUESSED_SHARE, GUESSED_SHARE]) if size == 2 else np.full(size, 1 / size)
    return random.choice(size, GUESSED_ROWS, p=shares).astype(np.int64)
