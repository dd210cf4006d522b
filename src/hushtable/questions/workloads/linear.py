"""Linear: an explicit list of counts, as conditions or as a matrix of weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import InitVar, dataclass
from typing import TYPE_CHECKING, Any, cast

from ...domain import Domain
from ...errors import BadPlan
from .base import text_of
from .linear_workload import LinearWorkload

if TYPE_CHECKING:
    from ...maths.linear import ListedQueries
    from .conditions import ConditionList
    from .weight_matrix import WeightMatrix

__all__ = ["Linear"]

# Digits of the digest that stand in the text form.
SHOWN = 16


@dataclass(frozen=True, eq=False, repr=False)
class Linear(LinearWorkload):
    """The queries of a file, a list or a matrix: exactly one of the three. A file is read once, now.

    file       text with one condition a line, a CSV file with a column `question`, or a .npy file of a matrix
    questions  conditions, as in a WHERE clause
    matrix     one row a query: its weight, from 0 to 1, for each combination of codes of all attributes in C order;
               weights other than 0 and 1 are rounded to multiples of 1/1024
    sha256     how the digest of the queries must start, if they must be the ones that were meant
    """

    file: str | None = None
    questions: InitVar[Sequence[str] | None] = None
    matrix: InitVar[Any] = None
    sha256: InitVar[str | None] = None
    name = "linear"

    def __post_init__(self, questions: Sequence[str] | None, matrix: Any, sha256: str | None) -> None:
        if sum(given is not None for given in (self.file, questions, matrix)) != 1:
            raise BadPlan("linear takes one of file, questions and matrix, as in linear(file=queries.csv)")
        queries = _read(self.file, questions, matrix)
        if sha256 is not None and not queries.digest.startswith(str(sha256)):
            raise BadPlan(f"these are not the queries meant: their digest starts with {queries.digest[:SHOWN]}")
        self.__dict__.update(_queries=queries, _built={})

    @property
    def queries(self) -> ConditionList | WeightMatrix:
        """What was read."""
        return cast("ConditionList | WeightMatrix", self.__dict__["_queries"])

    def __str__(self) -> str:
        """What was listed is not repeated, but its digest stands for it."""
        what = str(self.queries) if self.file is None else f"file={text_of(str(self.file))}"
        return f"{self.name}({what}, sha256={text_of(self.queries.digest[:SHOWN])})"

    __repr__ = __str__

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Linear) and self.queries.digest == other.queries.digest

    def __hash__(self) -> int:
        return hash(self.queries.digest)

    def check(self, domain: Domain) -> None:
        """Every query has a meaning in the domain, says something, and no two say the same."""
        self.linear_class(domain)

    def linear_class(self, domain: Domain) -> ListedQueries:
        """The queries in their order. Made once a domain: reading a long list takes seconds."""
        built: dict[str, ListedQueries] = self.__dict__["_built"]
        if domain.digest not in built:
            built[domain.digest] = self.queries.linear_class(domain)
        return built[domain.digest]


def _read(file: str | None, questions: Sequence[str] | None, matrix: Any) -> ConditionList | WeightMatrix:
    # Here, because they load numpy and the reader of questions.
    from .conditions import ConditionList
    from .weight_matrix import WeightMatrix

    if file is not None and str(file).lower().endswith(".npy"):
        return WeightMatrix.read(str(file))
    if file is not None:
        return ConditionList.read(str(file))
    return WeightMatrix.of(matrix) if questions is None else ConditionList.of(questions)
