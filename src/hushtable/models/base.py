"""Model: what the released numbers say about the table. Public: it never sees a row."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..domain import Domain
    from ..questions.answer import Answer, CrossTab

__all__ = ["Model"]


class Model(ABC):
    """Answers questions from released numbers; knows how to be written down and read back."""

    kind: ClassVar[str]
    domain: Domain

    def parse(self, text: str) -> Any:
        """What a text asks, in the form `answer` takes: SQL's words, unless a model has questions of its own."""
        from ..questions.parse import parse

        return parse(text, self.domain)

    @abstractmethod
    def answer(self, question: Any, *, count: bool = False) -> Answer | CrossTab:
        """The answer, as fractions or (count=True) as numbers of rows."""

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
