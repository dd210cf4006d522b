"""Lists: the questions of sparse workloads, from values and weights to keys."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..domain.attributes import Attribute, Open, Ordered, canonical
from ..errors import BadPath, BadQuestion
from ..words import listed

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["KeyBatch", "Listed", "Lists", "Top", "flatten"]

MOST_BYTES = 2_000_000_000


@dataclass(frozen=True, eq=False)
class Listed:
    """How many rows have one of these values; None stands for a missing one.

    values        the values; or a mapping from values to weights in [0, 1], how much a row with that value counts
    rare_is_zero  count values that are not on the synopsis' list of frequent ones as absent: no noise from them, but
                  a bias that the answer states
    """

    values: Iterable[Any] | Mapping[Any, float]
    rare_is_zero: bool = False
    text: str = ""
    notes: tuple[str, ...] = ()
    """Remarks on what was asked; an answer carries them."""

    @classmethod
    def load(cls, path: str | Path, columns: int = 1) -> Listed:
        """The values in a text file (UTF-8), one a line, the values of several columns separated by a tab."""
        try:
            if Path(path).stat().st_size > MOST_BYTES:
                raise BadPath(f"{path} is larger than {MOST_BYTES:,} bytes; split the list")
            text = Path(path).read_text("utf-8-sig")
        except UnicodeDecodeError:
            raise BadQuestion(f"{path} is not UTF-8 text; save the list as UTF-8, one value a line") from None
        except OSError as error:
            raise BadPath(f"cannot read {path}: {error.strerror}; give a text file with one value a line") from None
        lines = [line for line in text.split("\n") if line.strip()]
        values: list[Any] = lines if columns == 1 else [tuple(line.split("\t")) for line in lines]
        return cls(values, text=f"IN the {len(lines):,} values of {path}")

    @property
    def question(self) -> str:
        """What is asked, in words."""
        return self.text or f"IN a list of {len(list(self.values)):,}"


@dataclass(frozen=True, eq=False)
class Lists:
    """Many lists at once, by name: one row of a table each, and much faster than one by one."""

    lists: Mapping[str, Iterable[Any] | Mapping[Any, float]]


@dataclass(frozen=True, kw_only=True)
class Top:
    """The most frequent values."""

    text: str
    count: int


@dataclass(frozen=True, eq=False)
class KeyBatch:
    """Keys of one or more lists, one after the other: list i has those from starts[i] to starts[i + 1]."""

    keys: pa.Array
    weights: NDArray[np.float64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def numbers(self) -> NDArray[np.int64]:
        """Which list each key belongs to."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def add_up(self, each: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over each list of a number a key."""
        full = np.flatnonzero(np.diff(self.starts))  # reduceat makes no sum of nothing
        out = np.zeros(len(self))
        out[full] = np.add.reduceat(each, self.starts[full]) if full.size else 0.0
        return out

    def sharing(self, buckets: NDArray[np.int64], width: int) -> NDArray[np.int64]:
        """The keys that have their bucket in common with another key of the same list; BadQuestion if the key is.

        Sorted numbers show which (list, bucket) occur twice; a small table of bits then finds the few keys meant.
        """
        codes = self.numbers * width + buckets
        ordered = np.sort(codes)
        twice = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        if not twice.size:
            return twice
        marks = np.zeros(1 << 20, dtype=bool)
        marks[_mixed(twice)] = True
        near = np.flatnonzero(marks[_mixed(codes)])
        shared = near[np.isin(codes[near], twice)]
        self.check_distinct(shared)
        return shared

    def check_distinct(self, near: NDArray[np.int64]) -> None:
        """BadQuestion if two of these keys are the same one of the same list."""
        import pyarrow as pa

        seen: set[tuple[int, bytes]] = set()
        for pair in zip(self.numbers[near].tolist(), self.keys.take(pa.array(near)).to_pylist(), strict=True):
            if pair in seen:
                from ..maths.keys.keys import texts_of

                value = ", ".join("missing" if t is None else t for t in texts_of(pair[1]))
                raise BadQuestion(f"the value '{value[:60]}' is listed twice; list each value once, or give a weight")
            seen.add(pair)


def _mixed(codes: NDArray[np.int64]) -> NDArray[np.int64]:
    """20 well mixed bits of each code, by Knuth's multiplicative hash."""
    return ((codes.view(np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(44)).view(np.int64)


def flatten(lists: Sequence[Iterable[Any] | Mapping[Any, float]], attributes: Sequence[Attribute]) -> KeyBatch:
    """The keys and weights of the lists; BadQuestion names a value that cannot be one, or a weight outside [0, 1]."""
    if any(isinstance(given, (str, bytes)) for given in lists):
        raise BadQuestion("a list of values is wanted, not a single text; put it in brackets: ['a']")
    values = [_plain_list(given) for given in lists]
    starts = np.cumsum([0, *map(len, values)])
    weights = np.ones(starts[-1])
    for i, given in enumerate(lists):
        if isinstance(given, Mapping):
            weights[starts[i] : starts[i + 1]] = _weights(given)
    return KeyBatch(_keys(list(chain.from_iterable(values)), attributes), weights, starts)


def _plain_list(given: Any) -> list[Any]:
    """The values of any iterable; of an Arrow column as Python has them."""
    if isinstance(given, list):
        return given
    return given.to_pylist() if hasattr(given, "to_pylist") else list(given)


def _weights(given: Mapping[Any, Any]) -> list[float]:
    for value, weight in given.items():
        fits = isinstance(weight, (int, float, np.number)) and not isinstance(weight, bool) and 0 <= weight <= 1
        if not fits:
            raise BadQuestion(f"the weight of '{str(value)[:40]}' must be a number from 0 to 1, not {weight!r}")
    return [float(weight) for weight in given.values()]


def _keys(values: list[Any], attributes: Sequence[Attribute]) -> pa.Array:
    import pyarrow as pa

    from ..maths.keys.keys import join_keys, key_texts

    columns: list[Any] = [values] if len(attributes) == 1 else _columns(values, attributes)
    arrays = []
    for attribute, column in zip(attributes, columns, strict=True):
        try:
            if not isinstance(attribute, Open):
                arrays.append(pa.array([_label(attribute, value) for value in column], pa.large_string()))
                continue
            arrays.append(key_texts(_texts(column)))
        except UnicodeEncodeError as error:
            raise BadQuestion(
                f"a value of {attribute.name} holds {error.object[error.start]!r}, which UTF-8 cannot write; "
                "give text without stray surrogates"
            ) from None
    return join_keys(arrays)


def _texts(column: list[Any]) -> pa.Array:
    import pyarrow as pa

    try:
        return pa.array(column, pa.large_string())
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([_text(value) for value in column], pa.large_string())


def _text(value: Any) -> str | None:
    if isinstance(value, (list, tuple, dict, set)):
        raise BadQuestion(f"a value is one text or number, not {str(value)[:40]!r}")
    return canonical(value)


def _columns(values: list[Any], attributes: Sequence[Attribute]) -> list[list[Any]]:
    names = [a.name for a in attributes]
    for value in values:
        if not isinstance(value, (tuple, list)) or len(value) != len(names):
            raise BadQuestion(f"each value is {len(names)} together ({listed(names)}), not {str(value)[:40]!r}")
    return [[value[i] for value in values] for i in range(len(names))]


def _label(attribute: Attribute, value: Any) -> str:
    """The label of a code: given as it is, or by the one value that the code stands for."""
    text = canonical(value)
    if text in attribute.labels:
        return text
    code = attribute.missing_code if attribute.is_missing(value) else attribute.place(value)
    if code is None:
        raise BadQuestion(f"{attribute.name} has no value '{str(value)[:40]}'; it has {listed(attribute.labels)}")
    if isinstance(attribute, Ordered) and code < len(attribute.values) and len(set(attribute.bin_bounds()[code])) > 1:
        raise BadQuestion(
            f"{attribute.name} was counted in bins, and {text} shares one with others; "
            f"ask for the whole bin '{attribute.labels[code]}'"
        )
    return attribute.labels[code]
