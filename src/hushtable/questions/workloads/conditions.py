"""ConditionList: WHERE conditions, from a file or from Python, each a query that is 1 where it is true."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...domain.predicate import Predicate
from ...errors import BadPath, BadPlan, BadQuestion
from ...maths.linear import ListedQueries
from ..parse import parse

__all__ = ["ConditionList"]

MOST_BYTES = 64_000_000
MOST_QUESTIONS = 1 << 17
# Cells of the attributes that one condition joins, and of all conditions together.
MOST_CELLS, MOST_CELLS_TOGETHER = 1 << 20, 1 << 26


@dataclass(frozen=True)
class ConditionList:
    """Texts that a domain gives a meaning; each with the place it was read from, for messages."""

    places: tuple[str, ...]
    texts: tuple[str, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.texts) <= MOST_QUESTIONS:
            raise BadPlan(f"there are {len(self.texts):,} questions; list at least 1 and at most {MOST_QUESTIONS:,}")

    @classmethod
    def of(cls, questions: Sequence[str]) -> ConditionList:
        """From a list of texts."""
        if not isinstance(questions, (list, tuple)) or not all(isinstance(text, str) for text in questions):
            raise BadPlan("questions is a list of texts such as ['smoker', 'age >= 65 AND smoker']")
        return cls(tuple(f"question {number}" for number in range(1, len(questions) + 1)), tuple(questions))

    @classmethod
    def read(cls, path: str) -> ConditionList:
        """From a file: one condition a line, blank lines and lines that start with # left out; or a CSV file whose
        header has a column `question`."""
        text = _text(path)
        first = [cell.strip().lower() for cell in next(csv.reader(text.splitlines()[:1]), [])]
        numbered = list(_csv_column(path, text, first) if "question" in first else _plain_lines(text))
        return cls(tuple(f"{path}, line {number}" for number, _ in numbered), tuple(line for _, line in numbered))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the texts."""
        return hashlib.sha256("\n".join(self.texts).encode()).hexdigest()

    def __str__(self) -> str:
        return f"questions={len(self.texts)}"

    def linear_class(self, domain: Domain) -> ListedQueries:
        """The queries in their order; BadPlan names the first text that is no query, or none of its own."""
        read = [self._read(domain, place, text) for place, text in zip(self.places, self.texts, strict=True)]
        total = sum(prod(domain.sizes[j] for j in members) for members, _ in read)
        if total > MOST_CELLS_TOGETHER:
            raise BadPlan(
                f"the questions have {total:,} cells together and at most {MOST_CELLS_TOGETHER:,} fit; "
                "list fewer, or join fewer attributes in each"
            )
        return ListedQueries.of(domain.sizes, self._functions(domain, read))

    def _read(self, domain: Domain, place: str, text: str) -> tuple[tuple[int, ...], Predicate]:
        """The attributes of one condition, and the condition."""
        try:
            question = parse(text, domain)
        except BadQuestion as error:
            raise BadPlan(f"{place}: {error}") from None
        if question.notes:
            raise BadPlan(f"{place}: {question.notes[0]}")
        if question.kind != "count" or question.groups:
            raise BadPlan(f"{place}: write a condition or SELECT count(*) ... WHERE, without avg and GROUP BY")
        members = tuple(sorted(question.positions))
        if question.where is None or not members:
            raise BadPlan(f"{place}: {text[:60]!r} is the same for every row; leave it out")
        cells = prod(domain.sizes[j] for j in members)
        if cells > MOST_CELLS:
            raise BadPlan(f"{place}: joins attributes with {cells:,} cells and at most {MOST_CELLS:,} fit; join fewer")
        return members, question.where

    def _functions(
        self, domain: Domain, read: list[tuple[tuple[int, ...], Predicate]]
    ) -> Iterator[tuple[tuple[int, ...], NDArray[np.bool_]]]:
        seen: dict[tuple[tuple[int, ...], bytes], str] = {}
        for place, (members, where) in zip(self.places, read, strict=True):
            sizes = tuple(domain.sizes[j] for j in members)
            true = np.broadcast_to(where.truth(members, sizes)[0], sizes)
            if true.all() or not true.any():
                raise BadPlan(f"{place}: the condition is the same for every row; leave it out")
            before = seen.setdefault((members, hashlib.sha256(np.packbits(true).tobytes()).digest()), place)
            if before is not place:
                raise BadPlan(f"{place}: asks the same as {before.rsplit(', ')[-1]}; list each question once")
            yield members, true


def _text(path: str) -> str:
    try:
        with Path(path).open("rb") as file:
            data = file.read(MOST_BYTES + 1)  # one more than allowed shows that there is more
        if len(data) > MOST_BYTES:
            raise BadPlan(f"{path} is longer than {MOST_BYTES:,} bytes; list fewer questions")
        return data.decode("utf-8-sig")
    except FileNotFoundError:
        raise BadPath(f"no file {path}; give the path of a file with one condition a line") from None
    except UnicodeDecodeError:
        raise BadPath(f"{path} is not UTF-8 text; conditions are text, and a matrix of weights ends in .npy") from None
    except (OSError, ValueError) as error:
        raise BadPath(f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not a file name'}") from None


def _plain_lines(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip() and not line.lstrip().startswith("#"):
            yield number, line.strip()


def _csv_column(path: str, text: str, header: list[str]) -> Iterator[tuple[int, str]]:
    column = header.index("question")
    rows = csv.reader(io.StringIO(text, newline=""))
    try:
        next(rows)
        for row in rows:
            if row and len(row) != len(header):
                raise BadPlan(
                    f"{path}, line {rows.line_num}: {len(row)} columns where the header has {len(header)}; "
                    "put a question with commas in double quotes"
                )
            if row:
                yield rows.line_num, row[column].strip()
    except csv.Error as error:
        raise BadPlan(f"{path}, line {rows.line_num}: not CSV ({error})") from None
