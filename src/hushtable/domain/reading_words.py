"""Reading words: the values of a category, what the data write for them, and what says that there is no value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ..errors import BadDomain
from ..words import listed, suggestion
from .attributes import FALSE_WORDS, TRUE_WORDS, Category, canonical, plain_decimal

__all__ = ["USUAL_CODES", "read_category", "read_codes", "read_labels"]

# What R, pandas, SPSS, SAS and Stata write for a missing value.
USUAL_CODES = ("NA", "N/A", "#N/A", "n/a", "<NA>", "NaN", "nan", "NULL", "null", "None", "NaT", ".", "?", "#NULL!", "-")


def read_codes(given: object, where: str) -> tuple[str, ...]:
    """Texts that say there is no value; `usual` for those of R, pandas and SPSS."""
    if given == "usual":
        return USUAL_CODES
    if not isinstance(given, (list, tuple)):
        raise BadDomain(f"{where} is a list such as [NA, '?', -9], or the word usual, not {str(given)[:40]!r}")
    if any(isinstance(code, (Mapping, list)) for code in given):
        raise BadDomain(f"{where}: each code is one word or number")
    # A blank is missing anyway.
    texts = dict.fromkeys(plain_decimal(text) for code in given if (text := canonical(code)) is not None)
    return tuple(texts)


def read_labels(name: str, given: Mapping[str, Any], values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """What the data write for each value: `labels: {1: male, 2: female}`."""
    labels = given.get("labels", {})
    if not isinstance(labels, Mapping):
        raise BadDomain(f"{name}: labels are written {{1: {values[0]}, ...}}: what the data write, and what it means")
    found: list[tuple[str, str]] = []
    for written, meant in labels.items():
        text, value = canonical(written), canonical(meant)
        if given["kind"] == "boolean" and value is not None:
            word = value.lower()
            value = "true" if word in TRUE_WORDS else "false" if word in FALSE_WORDS else value
        if text is None or value not in values:
            raise BadDomain(
                f"{name}: label {str(written)[:40]!r} stands for {str(meant)[:40]!r}, which is none of its values "
                f"({listed(values)}); list there what labels stand for.{suggestion(str(meant), values)}"
            )
        if text in values and text != value:
            raise BadDomain(f"{name}: {text!r} is a value and is said to mean {value!r}; leave one out")
        found.append((text, value))
    return tuple(found)


def read_category(
    name: str, given: Mapping[str, Any], shared: dict[str, Any], values: Callable[[], tuple[str, ...]]
) -> Category:
    """A category; its values are those of its labels where no others are listed. A declared value is never a code."""
    if "values" not in given and isinstance(given.get("labels"), Mapping):
        meant = [canonical(value) for value in given["labels"].values()]
        names = tuple(dict.fromkeys(value for value in meant if value is not None))
    else:
        names = values()
    labels = read_labels(name, given, names or ("",))
    own = {*names, *(plain_decimal(n) for n in names), *(text for text, _ in labels)}
    clash = [code for code in shared["missing_values"] if code in own]
    if clash and "missing_values" in given:
        raise BadDomain(f"{name}: {clash[0]!r} is a value and a missing value; leave one out")
    codes = tuple(code for code in shared["missing_values"] if code not in own)
    return Category(name=name, names=names, labels_of=labels, **(shared | {"missing_values": codes}))
