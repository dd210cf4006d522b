"""Subject: what a curator is asked about, with what it believes: conditions on columns, or lists of values."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Protocol

from ..maths.distribution import Factored
from ..maths.distribution.question_parts import QuestionParts
from ..models.base import Model
from ..models.weighted.calibration import WeightedCalibration
from ..questions.lists import Listed
from ..questions.parse import Question
from ..vault.ledger.sealed_lines import Chain
from ..vault.statistics import Statistic

__all__ = ["Asked", "PaidAnswer", "Subject"]


@dataclass(frozen=True, eq=False)
class PaidAnswer:
    """The noisy count, its noise, and whether the hypothesis could learn from it."""

    value: int
    scale: Fraction
    learned: bool


class Asked(Protocol):
    """One count that a curator is asked for, the same for every way to write it."""

    @property
    def why(self) -> str:
        """What an answer that needs no data says of itself; mostly nothing."""
        return ""

    @property
    def key(self) -> Hashable:
        """Equal for equal questions, however they were written."""

    @property
    def always(self) -> bool | None:
        """Whether every row is counted, or none is; None where that depends on the rows."""

    @property
    def width(self) -> int:
        """How many columns it is about; 0 where they are not counted."""

    @property
    def parts(self) -> QuestionParts:
        """How much of it single columns tell, each pair of them, and only more."""

    def statistic(self) -> Statistic:
        """What is compared and measured: `grain` times the count."""

    def share(self) -> float:
        """The share of rows that the hypothesis expects."""

    def learn(self, paid: PaidAnswer) -> tuple[PaidAnswer, dict[str, Any]]:
        """Corrects the hypothesis; what came of it, and what the state needs to do it again."""


class Subject(Protocol):
    """What a curator is asked about, with the hypothesis: conditions on columns, or lists of values."""

    @property
    def grain(self) -> int:
        """How many units of what is compared and measured one row counts."""

    @property
    def unlearned(self) -> str:
        """The remark on a paid answer that the hypothesis could not learn from."""

    @property
    def rows(self) -> int:
        """The number of rows, once it is remembered."""

    @property
    def rows_stderr(self) -> float:
        """Its standard error; 0 where it is public."""

    @property
    def start_variance(self) -> float:
        """Of a count in the tables that the hypothesis starts from; 0 where there are none."""

    def start(self) -> Statistic:
        """Counts the rows and, for a hypothesis, is what it starts from."""

    def remember(self, state: Chain) -> dict[Hashable, PaidAnswer]:
        """Makes the hypothesis as the state has it; the paid answers by key. BadState where no curator wrote it."""

    def parse(self, text: str) -> Question | Listed:
        """What a text asks."""

    def asked(self, question: Question | Listed) -> Asked:
        """What is counted; BadQuestion where it is nothing this one answers."""

    def read_list(self, path: str | Path) -> Listed:
        """The question whether a row has one of the values in a text file."""

    def check_freeze(self) -> None:
        """Raises where there is no model."""

    def distribution(self) -> Factored | None:
        """The hypothesis as a distribution over the domain; None where it is none."""

    def model(self, calibration: WeightedCalibration | None) -> Model:
        """The hypothesis as a model that answers any question, with what calibrates its bars."""
