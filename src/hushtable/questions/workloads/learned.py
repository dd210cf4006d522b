"""Learned: any public predicate of a question and a row; a few questions are bought, the others are predicted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...domain import Domain
from ...errors import BadPlan, check_whole, is_whole
from ...words import listed, suggestion
from .base import Workload

if TYPE_CHECKING:
    from ...maths.learning.language import Language
    from ...maths.learning.learner import AnswerLearner
    from ...maths.learning.spoken import Spoken

__all__ = ["BUILT_IN", "LEARNERS", "MOST_QUESTIONS", "Learned"]

BUILT_IN = ("dnf", "all_of", "any_of", "parities")
LEARNERS = ("rows", "kernel")
# A fit takes the cube of their number.
MOST_QUESTIONS = 4000
# The terms and conditions of a rule; all of them are read for every row and question.
MOST_TERMS = MOST_WIDTH = 16
# Digits of the digest that stand in the text form.
SHOWN = 16


@dataclass(frozen=True, eq=False)
class Learned(Workload):
    """Noisy answers to questions drawn at random, and a predictor of all others that was learned from them.

    language   dnf, all_of, any_of or parities; in Python also a Language of one's own
    terms      of dnf: most terms that are joined by OR
    width      most conditions that are joined by AND (dnf, all_of), or by OR (any_of)
    questions  how many different ones are bought; 500, or 200 for a pure epsilon, unless given
    holdout    the share of them that is kept from the learner, to make error bars
    learner    rows: weights on public rows (any language); kernel: for all_of and any_of; in Python any learner
    seed       public: by it the questions are drawn
    """

    language: str | Language
    terms: int | None = None
    width: int | None = None
    questions: int | None = None
    holdout: float = 0.2
    learner: str | AnswerLearner = "rows"
    seed: int = 0
    name = "learned"

    def __post_init__(self) -> None:
        if self.own is not None:
            given = [key for key in ("terms", "width") if getattr(self, key) is not None]
            if given:
                raise BadPlan(f"a language of one's own says what its questions are; leave out {listed(given)}")
        else:
            self._check_language()
        if self.questions is not None:
            check_whole(self.questions, "questions", BadPlan, most=MOST_QUESTIONS, limit=f"{MOST_QUESTIONS:,}")
        if isinstance(self.holdout, bool) or not isinstance(self.holdout, (int, float)) or not 0 < self.holdout <= 0.5:
            raise BadPlan(f"holdout must be a share above 0 and up to 0.5, such as 0.2, not {self.holdout!r}")
        if not is_whole(self.seed) or not 0 <= self.seed < 2**32:
            raise BadPlan(f"seed must be a whole number from 0 to 2^32 - 1, not {self.seed!r}")
        self._check_learner()

    def _check_language(self) -> None:
        if self.language not in BUILT_IN:
            known = f"there are {listed(BUILT_IN)}, and in Python languages of one's own"
            raise BadPlan(f"no language '{self.language}'; {known}.{suggestion(str(self.language), BUILT_IN)}")
        needed = {"dnf": ("terms", "width"), "all_of": ("width",), "any_of": ("width",), "parities": ()}
        wanted, most = needed[str(self.language)], {"terms": MOST_TERMS, "width": MOST_WIDTH}
        for key in ("terms", "width"):
            value = getattr(self, key)
            if (value is not None) != (key in wanted):
                example = {"dnf": "terms=4, width=3", "parities": ""}.get(str(self.language), "width=5")
                form = f"learned(language={self.language}{', ' if example else ''}{example})"
                raise BadPlan(f"{self.language} {'needs' if key in wanted else 'takes no'} {key}, as in {form}")
            if value is not None:
                check_whole(value, key, BadPlan, most=most[key], limit=f"{most[key]}")

    def _check_learner(self) -> None:
        if not isinstance(self.learner, str):
            if not callable(getattr(self.learner, "fit", None)):
                raise BadPlan(
                    f"a learner has fit(questions, answers, noise_sd), and {type(self.learner).__name__} has none; "
                    "wrap a regressor as ht.Regressor(model)"
                )
            if not _takes_noise(self.learner):
                raise BadPlan("a regressor of scikit-learn's kind goes in as ht.Regressor(model)")
        elif self.learner not in LEARNERS:
            known = f"there are {listed(LEARNERS)}, and in Python learners of one's own"
            raise BadPlan(f"no learner '{self.learner}'; {known}.{suggestion(self.learner, LEARNERS)}")
        elif self.learner == "kernel" and self.language not in ("all_of", "any_of"):
            raise BadPlan("the learner kernel is for all_of and any_of; use learner=rows")

    @property
    def own(self) -> Language | None:
        """The language of one's own, if it is one."""
        return None if isinstance(self.language, str) else self.language

    @property
    def groups(self) -> int:
        """About how many groups of questions have bars of their own."""
        return 1 if self.own is not None else self.terms if self.language == "dnf" else self.width or 1  # type: ignore[return-value]

    def spoken(self, domain: Domain) -> Spoken:
        """The language on a domain; BadPlan where it has not the columns."""
        from ...maths.learning.rules import parities, rules
        from ...maths.learning.spoken import spoken

        name, width = str(self.language), self.width or 1
        if self.own is not None:
            language = self.own
        elif name == "parities":
            language = parities(domain, name)
        else:
            terms = self.terms or (1 if name == "all_of" else width)
            language = rules(domain, name, terms=terms, width=1 if name == "any_of" else width)
        return spoken(language, [attribute.name for attribute in domain.closed], domain.sizes)

    def check(self, domain: Domain) -> None:
        """The columns must be there."""
        self.spoken(domain)

    def __str__(self) -> str:
        shown: dict[str, Any] = {"language": self.own.name if self.own else self.language}
        if self.own is not None:
            shown["sha256"] = repr(self.own.digest[:SHOWN])
        shown |= {key: getattr(self, key) for key in ("terms", "width", "questions")}
        shown["holdout"] = None if self.holdout == 0.2 else self.holdout
        if self.learner != "rows":
            shown["learner"] = self.learner if isinstance(self.learner, str) else type(self.learner).__name__
        shown["seed"] = self.seed or None
        return f"{self.name}({', '.join(f'{key}={value}' for key, value in shown.items() if value is not None)})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Learned) and str(self) == str(other)

    def __hash__(self) -> int:
        return hash(str(self))


def _takes_noise(learner: Any) -> bool:
    """Whether its fit takes questions, answers and the noise; that of scikit-learn's has weights in the third place."""
    from inspect import signature

    try:
        signature(learner.fit).bind([], [], 0.0)
    except (TypeError, ValueError):
        return False
    return not hasattr(learner, "get_params")
