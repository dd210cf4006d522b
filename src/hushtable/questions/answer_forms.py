"""Forms of an answer: words, frames and pages, each of which carries the stamp of a rehearsal."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..extras import need
from ..words import html
from .stamp import SIMULATED, other_notes

if TYPE_CHECKING:
    import pandas
    import polars
    import pyarrow

__all__ = ["UNKNOWN", "AnswerForms", "AnswerUnit", "html", "measured", "none_if_unknown", "shown", "with_bar"]

AnswerUnit = Literal["fraction", "count", "mean", "sum", "quantile", "deviation", "variance", "value", "number"]
# Characters that a repr shows of a question, and of its answer.
GLIMPSE = 300
# The estimator of an answer that nothing bounds.
UNKNOWN = "unknown"


class AnswerForms:
    """What numbers and tables of numbers have in common: text and data frames."""

    question: str
    unit: AnswerUnit
    notes: tuple[str, ...]
    not_private: bool

    def __init_subclass__(cls) -> None:
        # Set before @dataclass runs, which then keeps it; its own would print every array.
        cls.__repr__ = AnswerForms.__repr__  # type: ignore[method-assign]

    def __repr__(self) -> str:
        stamp = f"; {SIMULATED}" if self.not_private else ""
        return f"<{type(self).__name__} to {self.question[:GLIMPSE]!r}: {self._glimpse()[:GLIMPSE]}{stamp}>"

    def _glimpse(self) -> str:
        """The answer, or what there is of it, in a few words."""
        raise NotImplementedError(type(self).__name__)

    @property
    def _stamp(self) -> str:
        """A line that stands before the text of a rehearsal's answer."""
        return f"{SIMULATED}\n" if self.not_private else ""

    @property
    def _said(self) -> str:
        """The notes below the text, as `hush ask` prints them."""
        return "".join(f"\nnote: {note}" for note in other_notes(self.notes))

    def _marked(self) -> dict[str, Any]:
        """What JSON says of a rehearsal beside its notes."""
        return {"not_private": True} if self.not_private else {}

    def to_arrow(self, confidence: float = 0.95) -> pyarrow.Table:
        """A pyarrow table: the group columns, then value, stderr, bias, low, high; its metadata say what was asked."""
        import pyarrow

        origin = {"hushtable": json.dumps(self._origin(confidence))}
        return pyarrow.table(self.columns(confidence)).replace_schema_metadata(origin)

    def to_pandas(self, confidence: float = 0.95, *, notes: bool = False) -> pandas.DataFrame:
        """The same as a pandas frame; its `attrs` say what was asked, and with notes=True a column has the notes."""
        need("pandas")
        import pandas

        frame = pandas.DataFrame(self.columns(confidence))
        if notes:
            frame["notes"] = "; ".join(self.notes)
        frame.attrs = {"hushtable": self._origin(confidence)}
        return frame

    def to_polars(self, confidence: float = 0.95) -> polars.DataFrame:
        """The same as a polars frame."""
        need("polars")
        import polars

        return polars.DataFrame(self.columns(confidence))

    def _origin(self, confidence: float) -> dict[str, Any]:
        facts = {"question": self.question, "unit": self.unit, "confidence": confidence}
        return facts | {"not_private": self.not_private, "notes": list(self.notes)}

    def columns(self, confidence: float) -> dict[str, list[Any]]:
        """Column name to values."""
        raise NotImplementedError(type(self).__name__)


def measured(value: float, half: float) -> str:
    """`0.0712 ± 0.0011`: two digits of the error bar, and the value to the same place."""
    if not (math.isfinite(value) and math.isfinite(half)):
        return "unknown"
    if half <= 0:
        return f"{value:.6g} ± 0"
    places = _places(half)
    return f"{value:,.{places}f} ± {half:,.{places}f}"


def _places(half: float) -> int:
    """Decimals that show two digits of an error bar."""
    return max(0, 1 - math.floor(math.log10(half)))


def shown(value: float, low: float, high: float) -> str:
    """As `measured`; `7.1, between 5.2 and 8.3` where that would move an end by more than the last place shown."""
    half = (high - low) / 2
    if not (math.isfinite(value) and math.isfinite(half)) or half <= 0:
        return measured(value, half)
    places = _places(half)
    if abs(high + low - 2 * value) <= 10.0**-places:
        return measured(value, half)
    return f"{value:,.{places}f}, between {low:,.{places}f} and {high:,.{places}f}"


def with_bar(numbers: ArrayLike, low: ArrayLike, high: ArrayLike, estimator: str) -> NDArray[np.float64]:
    """The numbers that have a bar, nan for the others: what has none is shown as unknown, never as a number.

    An `unknown` answer may have an interval all the same: all that there can be.
    """
    barred = np.isfinite(low) & np.isfinite(high) & (not estimator.startswith(UNKNOWN))
    return np.where(barred, np.asarray(numbers, dtype=np.float64), np.nan)


def none_if_unknown(value: Any) -> Any:
    """The value as JSON has it: a number that is not known or too large is None."""
    return None if isinstance(value, float) and not math.isfinite(value) else value
