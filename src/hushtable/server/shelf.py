"""Shelf: the releases of one folder, opened when first looked at; damaged ones are named and the others served."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..errors import HushError
from ..synopsis import Synopsis, load
from ..synopsis.info import SynopsisInfo
from ..words import listed, suggestion
from .problems import NoSuchThing

__all__ = ["Card", "Opened", "Shelf"]

MOST_OPEN = 24
ENDING = ".hush"


@dataclass(frozen=True, kw_only=True)
class Card:
    """One file of the folder: what it holds, or why it cannot be read."""

    name: str
    path: Path
    bytes: int
    version: tuple[int, int]
    """Changes when the file does."""
    info: SynopsisInfo | None
    damage: str | None


class Opened:
    """A release in memory; one question at a time, since its tables are made when they are first asked for."""

    def __init__(self, card: Card, synopsis: Synopsis) -> None:
        self.card, self.name, self.synopsis = card, card.name, synopsis
        self.info, self.digest = card.info or synopsis.info(), synopsis.digest
        self._turn = threading.Lock()

    @contextmanager
    def turn(self) -> Iterator[Synopsis]:
        """The synopsis, for one thread."""
        with self._turn:
            yield self.synopsis


class Shelf:
    """What a folder holds now. Names come from the folder and are compared: no path is ever made from a request."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._cards: dict[str, Card] = {}
        self._open: OrderedDict[str, Opened] = OrderedDict()
        self._mutex = threading.Lock()

    def cards(self) -> list[Card]:
        """All .hush files, by name."""
        with self._mutex:
            found = {path.stem: path for path in sorted(self.folder.glob(f"*{ENDING}")) if path.is_file()}
            self._cards = {name: self._card(name, path) for name, path in found.items()}
            return list(self._cards.values())

    def held(self, name: str) -> Opened | None:
        """One release that is open already, and whose file has not changed; takes no time."""
        if not self._mutex.acquire(blocking=False):  # somebody opens another one just now
            return None
        try:
            held, card = self._open.get(name), self._cards.get(name)
            if held is None or card is None or _version(card.path) != held.card.version:
                return None
            self._open.move_to_end(name)
            return held
        finally:
            self._mutex.release()

    def opened(self, name: str) -> Opened:
        """One release; NoSuchThing names those there are."""
        if (held := self.held(name)) is not None:
            return held
        cards = {card.name: card for card in self.cards()}
        if name not in cards:
            there = listed(sorted(cards)) or "none yet"
            raise NoSuchThing(f"no release '{name}' here; there are: {there}.{suggestion(name, list(cards))}")
        if cards[name].damage is not None:
            raise NoSuchThing(str(cards[name].damage))
        with self._mutex:
            return self._kept(cards[name], None)

    def _card(self, name: str, path: Path) -> Card:
        version, known = _version(path), self._cards.get(name)
        if known is not None and known.version == version:
            return known
        try:
            synopsis = load(path)
            info, damage = synopsis.info(), None
        except HushError:
            synopsis, info = None, None
            damage = f"{path.name} is damaged, edited or not a synopsis file; ask its publisher for a fresh copy"
        card = Card(name=name, path=path, bytes=version[1], version=version, info=info, damage=damage)
        if synopsis is not None:
            self._kept(card, synopsis)
        return card

    def _kept(self, card: Card, synopsis: Synopsis | None) -> Opened:
        held = self._open.get(card.name)
        if held is None or held.card.version != card.version:
            held = self._open[card.name] = Opened(card, synopsis or load(card.path))
        self._open.move_to_end(card.name)
        while len(self._open) > MOST_OPEN:
            self._open.popitem(last=False)
        return held


def _version(path: Path) -> tuple[int, int]:
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_mtime_ns, found.st_size
