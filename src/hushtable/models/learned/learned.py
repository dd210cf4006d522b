"""LearnedModel: noisy answers to some questions of a language, and a predictor of all others with held-out bars."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadQuestion
from ...laws import Law
from ...maths.learning.held_out import split
from ...maths.learning.language import Language
from ...maths.learning.learner import AnswerLearner, Predictor
from ...maths.learning.polynomial_predictor import PolynomialPredictor
from ...maths.learning.spoken import Spoken, spoken
from ...maths.learning.taught import Bought, Judged, judge, teach
from ...questions.answer import Answer, CrossTab
from ...questions.rule_text import read_parity, read_rule
from ...words import counted
from ..base import Model
from ..build_answer import Wording, build_answer, unit_of
from ..linear.low_order import LowOrderModel
from .answers import estimates
from .built_in import BuiltIn
from .pickled import kept, run_pickled

__all__ = ["LearnedModel", "LearnedQuestion"]

Integers = NDArray[np.int64]
SPEAK = "this synopsis knows the language {!r}, which is written in Python; give it: synopsis.learn(language=...)"


@dataclass(frozen=True, eq=False)
class LearnedQuestion:
    """One question, as the numbers that stand for it in its language."""

    text: str
    vector: Integers
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedModel(Model):
    """Answers questions of a language by what was learned from noisy answers to some of them [Har11, Chapter 7].

    language  what its questions are; of one's own it must be given again to a file that was loaded
    steps     the unit of the sums: 1 for a predicate that says yes or no
    sums      the number of rows, then a noisy sum for every question
    tables    noisy tables of one or two columns, which the public rows of the built-in learner are drawn from
    """

    kind = "learned"
    domain: Domain
    name: str
    own: bool
    """Whether the language is one of one's own."""
    positions: tuple[int, ...]
    """The columns that it looks at."""
    language: Spoken | None
    seed: int
    holdout: float
    law: Law
    scale: Fraction
    rows_scale: Fraction
    steps: int
    questions: Integers
    groups: Integers
    sums: Integers
    tables: LowOrderModel
    built_in: BuiltIn
    polynomials: PolynomialPredictor | None = field(default=None, repr=False)
    """By the published learners, which then answer instead of the built-in one."""
    taught: Predictor | None = field(default=None, repr=False)
    """By a learner of one's own; in a file only as `pickled`."""
    pickled: bytes | None = field(default=None, repr=False)
    complaint: str = ""
    """Why the built-in learner stands in for another."""

    @property
    def form(self) -> int:
        """Nobody knew of it before."""
        return 6

    def row_count(self) -> tuple[float, float]:
        return float(self.sums[0]), self.law.discrete_variance(self.rows_scale) ** 0.5

    @cached_property
    def total(self) -> float:
        """The number of rows, exact or noisy, at least 1."""
        return max(float(self.sums[0]), 1.0)

    @cached_property
    def bought(self) -> Bought:
        """Questions and noisy answers, for whoever wants to learn from them."""
        noise = self.law.variance(self.scale) ** 0.5 / self.steps / self.total
        held = split(self.groups, self.holdout)
        return Bought(self.questions, self.sums[1:] / self.steps / self.total, self.groups, held, float(noise))

    @cached_property
    def judged(self) -> Judged:
        """The predictor in use, and its bars."""
        own = self.taught or self.polynomials
        return judge(own or self.built_in.predictor(self.spoken, self.tables, self.bought), self.bought)

    @cached_property
    def places(self) -> dict[bytes, int]:
        """Where each question stands that was bought."""
        return {question.tobytes(): place for place, question in enumerate(self.questions)}

    @property
    def spoken(self) -> Spoken:
        """The language; BadQuestion where it must be given first."""
        if self.language is None:
            raise BadQuestion(SPEAK.format(self.name))
        return self.language

    def learn(
        self, learner: AnswerLearner | None = None, *, language: Language | None = None, trust: bool = False
    ) -> LearnedModel:
        """The same noisy answers, learned by another learner; at no cost."""
        model = self if language is None else self._speaking(language)
        if trust:
            return replace(model, taught=run_pickled(model.pickled), complaint="")
        if learner is None:
            return replace(model, taught=None, polynomials=None, pickled=None, complaint="")
        predictor, complaint = teach(learner, model.bought)
        if predictor is None:
            raise BadQuestion(f"{complaint}; the synopsis answers as before")
        return replace(model, taught=predictor, complaint="", pickled=kept(learner, predictor))

    def _speaking(self, language: Language) -> LearnedModel:
        """With a language of one's own, which must be the one it was released for."""
        if not self.own or language.name != self.name:
            raise BadQuestion(f"this synopsis knows the language {self.name!r}, and not {language.name!r}")
        made = spoken(language, [attribute.name for attribute in self.domain.closed], self.domain.sizes)
        drawn = language.draw(self.seed, len(self.questions))
        if made.positions != self.positions or not np.array_equal(drawn, self.questions):
            raise BadQuestion(
                f"the language {language.name!r} is not that of this synopsis: it has other columns, or its sampler "
                "draws other questions"
            )
        return replace(self, language=made)

    def parse(self, text: str) -> LearnedQuestion:
        if self.own:
            raise BadQuestion(
                f"questions of the language {self.name!r} are lines of whole numbers, not text; give them to "
                "synopsis.evaluate(questions)"
            )
        if self.name == "parities":
            return LearnedQuestion(text, read_parity(text, self.domain, self.spoken))
        terms, width = int(self.questions[0, 0]), int(self.questions[0, 1])
        return LearnedQuestion(text, *read_rule(text, self.domain, self.spoken, terms, width))

    def answer(self, question: LearnedQuestion, *, count: bool = False) -> Answer | CrossTab:
        """One question."""
        found = estimates(self, question.vector[None], count=count)
        notes = (*question.notes, *found.notes)
        return build_answer(self._wording(question.text, count=count, notes=notes), found.single())

    def evaluate_queries(self, queries: Any, *, count: bool = False) -> CrossTab:
        """Many questions, a line of numbers each."""
        asked, length = np.asarray(queries), self.questions.shape[1]
        if asked.ndim != 2 or asked.shape[1] != length or asked.dtype.kind not in "biu":
            raise BadQuestion(
                f"questions are a matrix of whole numbers with a line each and {counted(length, 'column')}; given: "
                f"shape {asked.shape} of {asked.dtype}"
            )
        if not self.spoken.language.understands(asked.astype(np.int64)):
            raise BadQuestion(f"some line is no question of the language {self.name!r}; see what synopsis.bought() has")
        found = estimates(self, asked.astype(np.int64), count=count)
        texts = tuple(" ".join(map(str, line)) for line in asked.tolist())
        wording = self._wording("questions", count=count, groups={"question": texts}, notes=found.notes)
        table = build_answer(wording, found.table())
        assert isinstance(table, CrossTab)
        return table

    def _wording(self, text: str, *, count: bool, **more: Any) -> Wording:
        return Wording(question=text, unit=unit_of(count=count), law=self.law, estimator="learned", **more)

    def remarks(self) -> tuple[str, ...]:
        return (f"{self.complaint}; the built-in learner answers instead",) if self.complaint else ()

    def facts(self) -> tuple[tuple[str, str], ...]:
        """What was bought."""
        own = self.bought
        held = int(own.held_out.sum())
        told = f"{len(own.questions)} noisy answers, each ± {own.noise_sd:.2g}; {held} of them held out for error bars"
        return (
            ("Learned from", told),
            *(() if self.polynomials is None else (("Predicted by", self.polynomials.told),)),
        )

    def parameters(self) -> dict[str, Any]:
        from .file import parameters_of

        return parameters_of(self)

    def numbers(self) -> dict[str, Integers]:
        from .file import numbers_of

        return numbers_of(self)

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        from .file import lengths_of

        return lengths_of(domain, parameters)

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, Integers]) -> LearnedModel:
        from .file import read_fields

        return cls(domain=domain, **read_fields(domain, parameters, numbers))
