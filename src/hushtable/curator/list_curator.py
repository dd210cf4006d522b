"""List curator: lists of values one after the other, over an unbounded universe."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BadPlan, BadQuestion, BadState
from ..models.keyed.key_columns import KeyColumns
from ..questions.lists import Listed, Top
from ..vault.held_keys import HeldKeys
from ..vault.statistics import Statistic
from ..vault.statistics.list_count import ListCount
from .curator import Curator, Held
from .lists import ListBelief
from .memory import Kept

__all__ = ["GRID", "ListCurator"]

# Weights of lists are whole multiples of 1 / this.
GRID = 1 << 16


@dataclass(frozen=True, eq=False)
class AskedList:
    """The keys of a list, each with its weight as a whole number of 1 / GRID; those without weight left out."""

    weights: dict[bytes, int]

    @property
    def always(self) -> bool | None:
        """No row has a value of an empty list."""
        return None if self.weights else False

    @cached_property
    def key(self) -> tuple[tuple[bytes, int], ...]:
        """Equal for equal lists, in whatever order they were written."""
        return tuple(sorted(self.weights.items()))

    @property
    def shares(self) -> dict[bytes, float]:
        """The weights as fractions."""
        return {key: weight / GRID for key, weight in self.weights.items()}


class ListCurator(Curator):
    """Made by `Vault.curate` with the workload `sparse(size=...)`: sparse multiplicative weights [BluR11, Sec. 3].

    What it pays, keeps and says is as in Curator. Only the hypothesis differs: weights that remember no keys but those
    they were corrected at, so nothing is measured at the start but the number of rows where that is private.
    """

    grain = GRID

    def read_list(self, path: str | Path) -> Listed:
        return Listed.load(path, len(self._columns.attributes))

    def check_freeze(self) -> None:
        """Refused: the weights say nothing of values that were never asked for."""
        raise BadPlan(
            f"a curator of lists has nothing to freeze; release {self.plan.workload} for a file that answers any list"
        )

    def _prepare(self, rows: Held) -> None:
        assert self.plan.workload is not None
        assert isinstance(rows, HeldKeys)
        self._totals = rows.totals
        self._columns = KeyColumns(self.plan.workload.attributes(self.domain))

    def _parse(self, text: str) -> Any:
        return self._columns.parse(text, self.domain)

    def _asked(self, question: Any) -> AskedList:
        """Errors cost nothing: no comparison was made yet."""
        if isinstance(question, Top):
            raise BadQuestion(f"a curator knows no frequent values; release {self.plan.workload} and ask that for top")
        if not isinstance(question, Listed):
            raise BadQuestion(f"a question is a text or a Listed, one at a time, not a {type(question).__name__}")
        if question.rare_is_zero:
            raise BadQuestion("rare_is_zero needs a list of frequent values, which a curator has not; leave it out")
        flat = self._columns.flat([question.values])
        assert self.plan.workload is not None
        if len(flat.keys) > self.plan.workload.size:
            raise BadQuestion(
                f"the list has {len(flat.keys):,} values and this curator takes at most {self.plan.workload.size:,}; "
                "ask for parts of it, or begin a curator of longer lists; nothing was spent"
            )
        flat.check_distinct(np.arange(len(flat.keys)))
        weights = np.rint(flat.weights * GRID).astype(np.int64).tolist()
        return AskedList({key: w for key, w in zip(flat.keys.to_pylist(), weights, strict=True) if w})

    def _statistic(self, one: AskedList) -> Statistic:
        return ListCount(self._totals, one.weights)

    def _share(self, one: AskedList) -> float:
        return float(self._belief.share(one.shares))

    def _start_tables(self) -> Statistic:
        return self._totals

    def _learn(self, one: AskedList, kept: Kept) -> tuple[Kept, dict[str, Any]]:
        self._belief.learn(one.shares, kept.value / GRID)
        return kept, {"keys": [key.hex() for key in one.weights], "weights": list(one.weights.values())}

    def _remember(self) -> None:
        """Corrections are made again in their order, which gives the same weights to the last bit."""
        try:
            start = self._state.first("start") or {}
            self._belief, self._kept = ListBelief(self.plan, rows=int(start["rows"])), {}
            for entry in self._state.entries:
                if entry["kind"] == "answer":
                    keys = [bytes.fromhex(key) for key in entry["keys"]]
                    one = AskedList(dict(zip(keys, map(int, entry["weights"]), strict=True)))
                    kept = Kept(int(entry["value"]), Fraction(entry["scale"]), learned=True)
                    self._belief.learn(one.shares, kept.value / GRID)
                    self._kept[one.key] = kept
        except (KeyError, TypeError, ValueError, ZeroDivisionError):
            raise BadState(
                "the curator's state holds something that no curator wrote; put the right file back"
            ) from None
