"""Lists: what a curator of an open column is asked, believes and remembers, over an unbounded universe."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..domain.attributes import Attribute
from ..errors import BadPlan, BadQuestion, BadState
from ..maths.distribution.lazy_weights import LazyWeights
from ..maths.distribution.question_parts import QuestionParts, whole
from ..models.base import Model
from ..models.keyed.key_columns import KeyColumns
from ..models.weighted.calibration import WeightedCalibration
from ..questions.lists import Listed
from ..questions.parse import Question
from ..questions.workloads.sparse import Conjunctions
from ..vault.ledger.sealed_lines import Chain
from ..vault.statistics import Statistic
from ..vault.statistics.list_count import ListCount
from ..vault.statistics.row_count import RowCount
from .plan import CuratorPlan
from .subject import Asked, PaidAnswer, Subject

__all__ = ["GRID", "ListBelief", "ListSubject"]

# Weights of lists are whole multiples of 1 / this.
GRID = 1 << 16
# After a new answer the most recent ones are corrected again, so many times: they stay true while the weights move on.
RECENT, PASSES = 40, 2
# Few cells would make the first guess of every list large; many cost only their logarithm.
CELLS_PER_ROW = 20


class ListSubject(Subject):
    """Lists of values, by sparse multiplicative weights [BluR11, Sec. 3].

    A condition on all but k columns of two values each is a list of 2^k keys [BluR11, Remark 3.10].

    The weights remember no keys but those they were corrected at, so nothing is measured at the start but the number
    of rows where that is private.
    """

    grain = GRID
    unlearned = ""

    def __init__(self, plan: CuratorPlan) -> None:
        assert plan.workload is not None
        self.plan, self.workload = plan, plan.workload
        free = self.workload.free if isinstance(self.workload, Conjunctions) else None
        self._columns = KeyColumns(self.workload.attributes(plan.domain), free)

    @property
    def rows(self) -> int:
        return self.belief.rows

    @property
    def rows_stderr(self) -> float:
        return self.belief.rows_stderr

    @property
    def start_variance(self) -> float:
        return 0.0

    def start(self) -> Statistic:
        return RowCount()

    def remember(self, state: Chain) -> dict[Hashable, PaidAnswer]:
        """Corrections are made again in their order, which gives the same weights to the last bit."""
        answers: dict[Hashable, PaidAnswer] = {}
        try:
            start = state.first("start") or {}
            self.belief = ListBelief(self.plan, rows=int(start["rows"]))
            for entry in state.entries:
                if entry["kind"] == "answer":
                    keys = [bytes.fromhex(key) for key in entry["keys"]]
                    asked = self._asked(dict(zip(keys, map(int, entry["weights"]), strict=True)))
                    paid = PaidAnswer(int(entry["value"]), Fraction(entry["scale"]), learned=True)
                    asked.learn(paid)
                    answers[asked.key] = paid
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise BadState(
                "the curator's state holds something that no curator wrote; put the right file back"
            ) from None
        return answers

    def parse(self, text: str) -> Listed:
        parsed = self._columns.parse(text, self.plan.domain)
        if not isinstance(parsed, Listed):
            raise BadQuestion(f"a curator knows no frequent values; release {self.workload} and ask that for top")
        return parsed

    def asked(self, question: Question | Listed) -> Asked:
        """Errors cost nothing: no comparison was made yet."""
        if not isinstance(question, Listed):
            raise BadQuestion(f"a question is a text or a Listed, one at a time, not a {type(question).__name__}")
        if question.rare_is_zero:
            raise BadQuestion("rare_is_zero needs a list of frequent values, which a curator has not; leave it out")
        flat = self._columns.flat([question.values])
        if len(flat.keys) > self.workload.largest:
            raise BadQuestion(
                f"the list has {len(flat.keys):,} values and this curator takes at most {self.workload.largest:,}; "
                "ask for parts of it, or begin a curator of longer lists; nothing was spent"
            )
        flat.check_distinct(np.arange(len(flat.keys)))
        weights = np.rint(flat.weights * GRID).astype(np.int64).tolist()
        return self._asked({key: w for key, w in zip(flat.keys.to_pylist(), weights, strict=True) if w})

    def read_list(self, path: str | Path) -> Listed:
        return Listed.load(path, len(self._columns.attributes))

    def check_freeze(self) -> None:
        """Always: the weights say nothing of values that were never asked for."""
        raise self._unfrozen()

    def distribution(self) -> None:
        """None over the domain: keys have no end."""

    def model(self, calibration: WeightedCalibration | None) -> Model:
        """None; see `check_freeze`."""
        raise self._unfrozen()

    def _unfrozen(self) -> BadPlan:
        return BadPlan(
            f"a curator of lists has nothing to freeze; release {self.workload} for a file that answers any list"
        )

    def _asked(self, weights: dict[bytes, int]) -> AskedList:
        return AskedList(self.belief, self._columns.attributes, weights)


@dataclass(frozen=True, eq=False)
class AskedList(Asked):
    """The keys of a list, each with its weight as a whole number of 1 / GRID; those without weight left out."""

    belief: ListBelief
    attributes: tuple[Attribute, ...]
    weights: dict[bytes, int]

    @property
    def always(self) -> bool | None:
        """No row has a value of an empty list."""
        return None if self.weights else False

    @cached_property
    def key(self) -> tuple[tuple[bytes, int], ...]:
        return tuple(sorted(self.weights.items()))

    @property
    def width(self) -> int:
        return 0

    @property
    def parts(self) -> QuestionParts:
        return whole(np.ones(1))

    def statistic(self) -> Statistic:
        return ListCount(self.attributes, self.weights)

    def share(self) -> float:
        return float(self.belief.share(self._shares))

    def learn(self, paid: PaidAnswer) -> tuple[PaidAnswer, dict[str, Any]]:
        self.belief.learn(self._shares, paid.value / GRID)
        return paid, {"keys": [key.hex() for key in self.weights], "weights": list(self.weights.values())}

    @property
    def _shares(self) -> dict[bytes, float]:
        return {key: weight / GRID for key, weight in self.weights.items()}


class ListBelief:
    """Weights with the measurements behind them. Public: they never see a row."""

    def __init__(self, plan: CuratorPlan, *, rows: int) -> None:
        assert plan.workload is not None
        self.rows, self.rows_stderr = rows, plan.rows_stderr
        # One cell more than all corrections together can assign.
        most = plan.workload.largest * plan.paid_answers + 1
        self.weights = LazyWeights(max(most, CELLS_PER_ROW * rows))
        # Where every answer is paid for, the weights are asked after the last one only, and one pass has to do.
        self._passes = PASSES if plan.way == "hypothesis" else 0
        self._seen: list[tuple[dict[bytes, float], float]] = []

    def share(self, keys: Mapping[bytes, float]) -> float:
        """The share of rows it expects to have a key of the list."""
        return self.weights.share(keys)

    def learn(self, keys: Mapping[bytes, float], value: float) -> None:
        """Takes in a measured number of rows."""
        self._seen.append((dict(keys), min(max(value / self.rows, 0.0), 1.0)))
        for seen, share in [self._seen[-1], *self._seen[-RECENT:] * self._passes]:
            self.weights.correct(seen, 4 * (share - self.weights.share(seen)))
