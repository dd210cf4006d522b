"""PrivLearn: the published route from noisy answers to all others, kept to compare with the built-in learner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...budget import Price
from ...domain import Domain
from ...errors import BadPlan, check_whole
from ...maths.learning.low_degree import LowDegree
from ...maths.learning.privlearn import PrivLearn, thresholds
from ...maths.learning.products import MOST_PRODUCTS, QuestionBits, degree_for, number_of_products
from ...models.learned.learned import LearnedModel
from ...models.learned.polynomials import MOST_CELLS, MOST_DEGREE, question_bits
from ...questions.workloads.base import Workload
from ...questions.workloads.learned import Learned
from ...words import counted
from ..base import Design, Trial, options_text
from ..learned import LearnedDesign, LearnedRelease

if TYPE_CHECKING:
    from ...vault.door.door import Door

__all__ = ["WAYS", "PrivLearnRelease"]

WAYS = ("thresholds", "fourier")
# Measured on one core: a linear program, for each of its numbers (questions times products).
SECONDS_PER_NUMBER = 2e-7


@dataclass(frozen=True)
class PrivLearnRelease(LearnedRelease):
    """The release of `learned`, predicted by the source's learners [Har11, Figures 7.1 and 7.2], corrected.

    Thresholds of an answer are learned one by one, as signs of polynomials in the zeros and ones of a question, and
    counted; or the answers themselves are, as one polynomial of low degree. What is measured, its price, the file and
    the held-out error bars are those of `learned`, so that figures can be compared; `synopsis.learn()` then answers
    by the built-in learner, from the same noisy answers.
    """

    way: str = "thresholds"
    """thresholds (sections 7.3 and 7.4), or fourier (section 7.5.2)."""
    alpha: float = 0.05
    """Thresholds are a third of this apart."""
    gamma: float = 0.1
    """Where fewer than half of this share of the questions is apart from a threshold, that is the prediction."""
    degree: int | None = None
    """Of the polynomials; the source's without its constants unless given."""
    name = "privlearn"
    by_name_only = True

    def __post_init__(self) -> None:
        if self.way not in WAYS:
            raise BadPlan(f"way must be {' or '.join(WAYS)}, not {self.way!r}")
        for what in ("alpha", "gamma"):
            value = getattr(self, what)
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= 1:
                raise BadPlan(f"{what} must be a share above 0 and up to 1, such as 0.05, not {value!r}")
        if thresholds(self.alpha) > MOST_CELLS:
            raise BadPlan(f"alpha must be at least {3 / MOST_CELLS:g}, not {self.alpha:g}: there is a fit a threshold")
        if self.degree is not None:
            check_whole(self.degree, "degree", BadPlan, most=MOST_DEGREE, limit=f"{MOST_DEGREE}")

    def design(
        self, domain: Domain, workload: Workload, price: Price, rows: int | None = None
    ) -> Design[LearnedDesign]:
        made = super().design(domain, workload, price, rows)
        asked = made.parameters.workload
        if asked.learner != "rows":
            raise BadPlan("privlearn is a learner itself; leave learner out of the workload")
        learner = self._learner(made.parameters)
        questions = made.parameters.questions
        numbers = number_of_products(learner.bits.count(questions), learner.degree)
        fits = thresholds(self.alpha) - 1 if isinstance(learner, PrivLearn) else 1
        told = f"{counted(fits, 'threshold')}, each a" if isinstance(learner, PrivLearn) else "one"
        return replace(
            made,
            summary=f"{made.summary}; {told} polynomial of degree {learner.degree} in {counted(numbers, 'product')}",
            caution="the expected error is a guess, and for the built-in learner; held-out answers will say",
            fit_seconds=made.fit_seconds + SECONDS_PER_NUMBER * fits * numbers * len(questions),
            options=options_text(self),
        )

    def trials(self, domain: Domain, design: Design[LearnedDesign]) -> Iterable[Trial]:
        """Three cells only: as many fits as thresholds may take their time."""
        for trial in super().trials(domain, design):
            yield replace(trial, design=replace(trial.design, by=replace(self, alpha=1.0)))

    def release(self, door: Door, domain: Domain, design: Design[LearnedDesign]) -> LearnedModel:
        model = super().release(door, domain, design)
        bought = model.bought
        shown = ~bought.held_out
        learner = self._learner(design.parameters)
        fitted = learner.fit(bought.questions[shown], bought.answers[shown], bought.noise_sd)
        return replace(model, polynomials=fitted)

    def _learner(self, made: LearnedDesign) -> PrivLearn | LowDegree:
        """BadPlan where questions are no zeros and ones, or polynomials have too many products."""
        asked: Learned = made.workload
        bits = question_bits(made.language.language.name, asked.own is not None, made.language)
        if not bits.understands(made.questions):
            raise BadPlan(
                f"privlearn takes questions of zeros and ones, and those of {made.language.language.name} have other "
                "numbers; write them as zeros and ones, or leave out --mechanism privlearn"
            )
        count, degree = bits.count(made.questions), self._degree(bits, made)
        numbers = number_of_products(count, degree)
        if numbers > MOST_PRODUCTS:
            raise BadPlan(
                f"polynomials of degree {degree} in {count} zeros and ones have {numbers:,} products, and at most "
                f"{MOST_PRODUCTS:,} are learned; give a lower degree"
            )
        if self.way == "fourier":
            return LowDegree(bits, degree)
        return PrivLearn(bits, degree, self.alpha, self.gamma)

    def _degree(self, bits: QuestionBits, made: LearnedDesign) -> int:
        width: Any = made.workload.terms if made.language.language.name == "any_of" else made.workload.width
        return self.degree or degree_for(bits.count(made.questions), width if bits.rules else None)
