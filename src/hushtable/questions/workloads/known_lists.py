"""KnownLists: the lists of a file and no others; where they are few, noise on each is less than a sketch's."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...domain import Domain
from ...domain.attributes import Attribute
from ...errors import BadPath, BadPlan
from .sparse import KeyWorkload, Sparse

__all__ = ["KnownLists"]

MOST_BYTES = 100_000_000


@dataclass(frozen=True)
class KnownLists(KeyWorkload):
    """Lists that are all known before the release, read from a text file: one list a line, values separated by tabs.

    column  the column of the values; may be left out if one is open
    """

    file: str
    column: str | None = None
    name = "known_lists"
    rare = True
    buckets = None

    @cached_property
    def lists(self) -> tuple[tuple[str, ...], ...]:
        """The lists in the file; BadPath or BadPlan where they are none."""
        if not isinstance(self.file, str):
            raise BadPlan(f"known_lists takes the name of a file, not {str(self.file)[:40]!r}")
        try:
            if Path(self.file).stat().st_size > MOST_BYTES:
                raise BadPath(f"{self.file} is larger than {MOST_BYTES:,} bytes; release sparse(size=...) instead")
            text = Path(self.file).read_text("utf-8-sig")
        except UnicodeDecodeError:
            raise BadPlan(f"{self.file} is not UTF-8 text; write one list a line, values separated by tabs") from None
        except OSError as error:
            raise BadPath(f"cannot read {self.file}: {error.strerror}; give a file with one list a line") from None
        lists = tuple(tuple(line.strip("\r").split("\t")) for line in text.split("\n") if line.strip())
        if not lists:
            raise BadPlan(f"{self.file} has no lists; write one list a line, values separated by tabs")
        return lists

    @property
    def largest(self) -> int:
        """The length of the longest list."""
        return max(map(len, self.lists))

    def attributes(self, domain: Domain) -> tuple[Attribute, ...]:
        """The one column."""
        columns = None if self.column is None else (self.column,)
        return Sparse(size=1, columns=columns).attributes(domain)

    def check(self, domain: Domain) -> None:
        """A column, and at least one list."""
        super().check(domain)
        assert self.lists

    def __str__(self) -> str:
        column = "" if self.column is None else f", column={self.column}"
        return f"{self.name}(file={self.file!r}{column})"
