"""Csv: how the text of a CSV file is read. Declared by the owner, never guessed from rows."""

from __future__ import annotations

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ..errors import BadDomain
from .reading import check_settings

__all__ = ["Csv"]

WORDS = {"tab": "\t", "\\t": "\t", "space": " ", "comma": ",", "semicolon": ";", "pipe": "|"}


@dataclass(frozen=True, kw_only=True)
class Csv:
    """Reading options: what a row says depends on these, on the first line of the file and on that row alone."""

    separator: str | None = None
    """One character between the fields; None: the first line tells (see docs/domain.md)."""
    quote: str = '"'
    """One character around fields that hold separators, doubled inside them; empty: no quotes."""
    decimal: str = "."
    """The decimal mark of number and integer columns: a point or a comma."""
    thousands: str = ""
    """The mark between thousands of number and integer columns, if any: a comma, point, space or apostrophe."""
    encoding: str = "utf-8"
    """UTF-8, or any encoding with one byte a character."""
    multiline: bool = False
    """Whether a quoted field may hold line breaks. It trusts that every quote in the file is closed."""

    def __post_init__(self) -> None:
        if self.separator is not None and not _separates(self.separator):
            raise BadDomain(f"csv: separator is one character or `tab`, not {self.separator[:40]!r}")
        if self.quote and not _separates(self.quote):
            raise BadDomain(f"csv: quote is one character, or none for files without quotes, not {self.quote[:40]!r}")
        if self.quote and self.quote == self.separator:
            raise BadDomain(f"csv: separator and quote are both {self.quote!r}; they must differ")
        if self.decimal not in (".", ","):
            raise BadDomain(f"csv: decimal is '.' or ',', not {self.decimal[:40]!r}")
        if self.thousands not in ("", ",", ".", " ", "'") or self.thousands == self.decimal:
            raise BadDomain(
                f"csv: thousands is a comma, point, space or apostrophe and not the decimal mark, not "
                f"{self.thousands[:40]!r}"
            )
        if not _bytewise(self.encoding):
            raise BadDomain(
                f"csv: encoding {self.encoding[:40]!r} is not read; allowed: utf-8 and encodings with one byte a "
                "character, such as latin-1 and cp1252; convert the file to UTF-8"
            )

    @classmethod
    def from_dict(cls, given: object) -> Csv:
        """The options that a mapping names; the inverse of `to_dict`."""
        if not isinstance(given, Mapping):
            raise BadDomain("csv is written {separator: ';', decimal: ',', encoding: latin-1}")
        check_settings(given, [field.name for field in fields(cls)], "csv")
        return cls().with_options(**{str(key): _plain(str(key), value) for key, value in given.items()})

    def with_options(self, **given: Any) -> Csv:
        """The same with some options changed; those that are None stay. `tab` and `none` are words for characters."""
        changed = {key: value for key, value in given.items() if value is not None}
        if "separator" in changed:
            changed["separator"] = WORDS.get(changed["separator"].lower(), changed["separator"])
        if changed.get("quote", "").lower() == "none":
            changed["quote"] = ""
        return replace(self, **changed)

    def to_dict(self) -> dict[str, Any]:
        """What differs from the defaults."""
        changed = {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}
        return changed | {name: word for name, word in (("quote", "none"),) if changed.get(name) == ""}


def _plain(key: str, value: object) -> object:
    """A value as YAML gives it: all scalars are text there."""
    if key == "multiline":
        word = str(value).lower()
        if word not in ("true", "false"):
            raise BadDomain(f"csv: multiline is true or false, not {str(value)[:40]!r}")
        return word == "true"
    if not isinstance(value, str):
        raise BadDomain(f"csv: {key} is a text, not {str(value)[:40]!r}")
    return value


def _separates(mark: str) -> bool:
    """One ASCII character that ends no line and can stand between values: the bytes of a file are searched for it."""
    return len(mark) == 1 and mark.isascii() and mark not in "\n\r\0" and not mark.isalnum()


def _bytewise(encoding: str) -> bool:
    """Whether a byte never changes how the next one is read, so that a row cannot reach past its line."""
    try:
        if codecs.lookup(encoding).name in ("utf-8", "utf-8-sig"):
            return True
        every = bytes(range(256))
        text = every.decode(encoding, "replace")
        alone = [every[i : i + 1].decode(encoding, "replace") for i in range(256)]
    except (LookupError, UnicodeError, ValueError):
        return False
    return text[:128] == every[:128].decode("ascii") and list(text) == alone
