"""Model: what the released numbers say about the table. Public: it never sees a row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ..errors import BadQuestion
from ..laws import Law
from ..words import counted, listed, shortened

if TYPE_CHECKING:
    from ..domain import Domain
    from ..maths.learning.taught import Bought
    from ..questions.answer import Answer, CrossTab
    from ..questions.parse import Question
    from .sections import Section
    from .smooth.density import Density

__all__ = ["NO_REPLICATES", "Model"]


NO_REPLICATES = (
    "this synopsis has no replicates to draw sets of rows by; releases of whole_table() have, unless they are older "
    "than format 4"
)

# Before it nobody knew what a rounded Gaussian is.
ROUNDED_FORMAT = 3


class Model(ABC):
    """Answers questions from released numbers; knows how to be written down and read back."""

    kind: ClassVar[str]
    rows_by: ClassVar[str | None] = None
    """The mechanism to ask for where whole rows are wanted; None for a model that cannot `draw`."""
    domain: Domain

    @property
    def format(self) -> int:
        """The first version of the file format that has what it needs: its own form, and the law of its noise."""
        return max(self.form, ROUNDED_FORMAT if self.parameters().get("law") == Law.ROUNDED else 1)

    @property
    def form(self) -> int:
        """The first version that has its numbers and parameters."""
        return 1

    def __init_subclass__(cls) -> None:
        # Before @dataclass comes to make one that prints every released number.
        cls.__repr__ = Model.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        columns = counted(len(self.domain.names), "attribute")
        return f"<{type(self).__name__} of {shortened(self.domain.table, 80)}, {columns}>"

    def row_count(self) -> tuple[float, float] | None:
        """The number of rows and its standard error (0 where it is public), or None where the file does not tell."""
        table = self.domain.table.replace('"', '""')
        try:
            rows = self.answer(self.parse(f'SELECT count(*) FROM "{table}"'), count=True)
        except BadQuestion:
            return None
        return float(rows.value), float(rows.stderr)

    def parse(self, text: str) -> Any:
        """What a text asks, in the form `answer` takes: SQL's words, unless a model has questions of its own."""
        from ..questions.parse import parse

        return parse(text, self.domain)

    def plain(self, question: Question) -> Any:
        """A plain question, as a statement is made of, in the form `answer` takes."""
        return question

    def sum_answer(self, question: Question) -> Answer | CrossTab | None:
        """The sum of the column whose mean is asked, of a model whose released numbers give it; None otherwise."""
        return None

    def quantile_answer(self, question: Question, level: float) -> Answer | None:
        """A quantile of the column whose mean is asked, of a model that has one of its own; None otherwise."""
        return None

    @property
    def means_of_codes(self) -> bool:
        """Whether a mean may be one of numbers that a question gives to codes, such as 1 and 0."""
        return self.answers_tables

    @property
    def reads_statements(self) -> bool:
        """Whether a SELECT may be taken apart into plain questions."""
        return self.answers_tables

    def accept(self, question: Any) -> Any:
        """A question that is no text, if the model takes such; BadQuestion otherwise."""
        kind = type(question).__name__
        raise BadQuestion(
            f"this synopsis takes questions as text, not a {kind}; lists of values need a release of sparse(size=...)"
        )

    @abstractmethod
    def answer(self, question: Any, *, count: bool = False) -> Answer | CrossTab:
        """The answer, as fractions or (count=True) as numbers of rows."""

    def remarks(self) -> tuple[str, ...]:
        """What whoever releases or reads this should know beyond the numbers; mostly nothing."""
        return ()

    def facts(self) -> tuple[tuple[str, str], ...]:
        """What a report says of this model beyond what it says of all, a name and a text each; mostly nothing."""
        return ()

    def sections(self) -> tuple[Section, ...]:
        """What a report shows of this model beyond tables of columns; mostly nothing."""
        return ()

    @property
    def answers_tables(self) -> bool:
        """Whether tables of columns can be asked for; not of a model that reads questions of its own."""
        return type(self).parse is Model.parse

    def fitted_table(self, positions: tuple[int, ...]) -> NDArray[np.float64] | None:
        """The shares of all cells of a few columns, of a model that has them at hand; None otherwise."""
        return None

    @property
    def values_in_key(self) -> int:
        """How many values a line of a list has that is read from a file."""
        return 1

    def average(
        self, function: Callable[..., Any], *, where: str | None = None, by: Sequence[str] = ()
    ) -> Answer | CrossTab:
        """The mean of numpy code whose arguments are named like smooth columns; BadQuestion where there are none."""
        raise BadQuestion("this synopsis has no smooth columns to average over; release smooth(columns=[...])")

    def evaluate_queries(self, queries: Any, *, count: bool = False) -> CrossTab:
        """The answers to a matrix of queries, of a family of polynomials; BadQuestion where there is none."""
        raise BadQuestion("this synopsis has no family of polynomials to evaluate; release polynomials(family=...)")

    def learn(self, learner: Any = None, *, language: Any = None, trust: bool = False) -> Model:
        """The same noisy answers learned by another learner; BadQuestion where nothing is learned."""
        raise BadQuestion("this synopsis has nothing to learn from; release learned(language=...)")

    @property
    def bought(self) -> Bought:
        """The noisy answers that were learned from; BadQuestion where nothing is learned."""
        raise BadQuestion("this synopsis has nothing to learn from; release learned(language=...)")

    def density(self, columns: Sequence[str], *, where: str | None = None, confidence: float = 0.95) -> Density:
        """How rows are spread over one or two smooth columns; BadQuestion where there are none."""
        raise BadQuestion("this synopsis has no smooth columns to draw; release smooth(columns=[...])")

    def draw(self, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        """Codes of synthetic rows, one line a closed attribute: independent draws, so that blocks can be joined.

        Here for the models that know tables of a few attributes only: they have no rows.
        """
        from . import MODELS

        able = [model.rows_by for model in MODELS.values() if model.rows_by is not None]
        raise BadQuestion(
            f"a synopsis by {self.kind} holds no distribution over whole rows, so there are none to draw; "
            f"release the table with a mechanism that does: {listed(able)}"
        )

    @property
    def replicate_count(self) -> int:
        """How many replicates it has: its rows weighted again, as other noise would have weighted them."""
        return 0

    def draw_replicate(self, replicate: int, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        """Codes of synthetic rows as `draw` gives them, drawn by one of the replicates."""
        raise BadQuestion(NO_REPLICATES)

    def replicate_weights(self) -> tuple[NDArray[np.uint16], NDArray[np.float64]]:
        """Codes of the rows that carry replicates; and their weights, one line a row: the model's, then each
        replicate's. They add up to the number of rows."""
        raise BadQuestion(NO_REPLICATES)

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """Everything but the numbers, as plain values for the manifest."""

    @abstractmethod
    def numbers(self) -> dict[str, NDArray[np.int64]]:
        """The raw noisy integers, by member name."""

    @classmethod
    @abstractmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        """How many integers each member must have; known before any of them is read."""

    @classmethod
    @abstractmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, NDArray[np.int64]]) -> Model:
        """The inverse of `parameters` and `numbers`."""
