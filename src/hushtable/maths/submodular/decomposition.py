"""Decomposition: sets sorted into pieces by which elements with large jumps they have, as few questions find them."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan, check_whole
from .set_function import SetFunction, bits_of, chances_of

__all__ = ["Decomposition", "Piece", "decompose"]

ORDERS = ("decreasing", "given")
MOST_QUESTIONS = 200_000
# A jump of exactly the threshold is none, however the difference of two numbers is rounded.
ROUNDING = 1e-12


@dataclass(frozen=True)
class Piece:
    """The sets that have all of `inside` and none of `outside`; any other element may be in them or not."""

    inside: frozenset[Hashable]
    outside: frozenset[Hashable]


@dataclass(frozen=True)
class _Node:
    """A set, and the elements with large jumps there, each with the node of sets that have it and none before it."""

    mask: int
    outside: int
    """Elements passed by on the way, then those of its own children: sets that end here have none of these."""
    children: tuple[tuple[int, int], ...]


_Tree = tuple[_Node, ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class Decomposition:
    """Every set is in exactly one piece, whatever the function says.

    Where the function is submodular, its oracle as exact as was said, and `complete` is true, no element that a piece
    leaves open moves the function by more than `lipschitz` there [Har11, Thm. 6.3.13]; with one stage it may fall by
    more where the function is not monotone [Har11, Lem. 6.3.1].
    """

    function: SetFunction
    lipschitz: float
    stages: int
    questions: int
    """How many sets the function was asked about."""
    complete: bool
    """Whether questions lasted until no large jump was left."""
    first: _Tree
    second: tuple[_Tree, ...]
    """For each piece of the first stage, the tree over what its sets lack."""
    masks: tuple[tuple[int, int], ...]
    """By piece: the elements inside and outside, as whole numbers."""

    def __len__(self) -> int:
        return len(self.masks)

    def piece(self, number: int) -> Piece:
        """What a piece has."""
        inside, outside = self.masks[number]
        return Piece(self.function.members(inside), self.function.members(outside))

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """All of them."""
        return tuple(self.piece(number) for number in range(len(self)))

    def number(self, members: Iterable[Hashable]) -> int:
        """Which piece a set is in."""
        return self.number_of(self.function.mask(members))

    def number_of(self, mask: int) -> int:
        """The same, of a set as a whole number."""
        first = _reached(self.first, mask)
        if not self.second:
            return first
        inside, outside = self.first[first].mask, self.first[first].outside
        lacks = self._everything & ~(inside | outside) & ~mask
        return self._offsets[first] + _reached(self.second[first], lacks)

    def open_elements(self, number: int) -> list[int]:
        """The numbers of the elements that a piece leaves open."""
        inside, outside = self.masks[number]
        return bits_of(self._everything & ~(inside | outside))

    def chances(self, p: float | Mapping[Any, float]) -> NDArray[np.float64]:
        """How likely a random set is in each piece, when every element is in it by its own chance."""
        each = chances_of(self.function.elements, p)
        return np.array([each[bits_of(i)].prod() * (1 - each[bits_of(o)]).prod() for i, o in self.masks])

    @property
    def _everything(self) -> int:
        return (1 << len(self.function.elements)) - 1

    @property
    def _offsets(self) -> list[int]:
        return [0, *np.cumsum([len(tree) for tree in self.second]).tolist()]


def decompose(
    f: SetFunction,
    lipschitz: float,
    *,
    tolerant: bool = False,
    stages: int | None = None,
    order: str = "decreasing",
    most_questions: int = MOST_QUESTIONS,
) -> Decomposition:
    """Pieces on which a submodular function moves by at most `lipschitz` with any one element.

    tolerant        whether the oracle may be off by up to lipschitz / 12; jumps then count from a third of it on
    stages          1 looks for rises alone, which is enough where f is monotone; 2 for falls too; as f is, by default
    order           `decreasing`, elements of large value first, which makes far fewer pieces; or as `given`
    most_questions  where these are used up no piece is cut further; it is still true that each set is in one piece
    """
    _check(f, lipschitz, stages, order)
    check_whole(most_questions, "most_questions", BadPlan)
    stages = stages or (1 if f.monotone else 2)
    before, threshold = f.questions, lipschitz / 3 if tolerant else lipschitz
    asked = _Asked(f, before + most_questions)
    everything = range(len(f.elements))
    first = _grow(asked, f.at, everything, threshold, order)
    second: list[_Tree] = []
    if stages == 2:
        second = [_fallen(asked, node, threshold, order) for node in first]
    return Decomposition(
        function=f, lipschitz=lipschitz, stages=stages, questions=f.questions - before, complete=asked.complete,
        first=first, second=tuple(second), masks=_masks(first, second),
    )  # fmt: skip


class _Asked:
    """A function whose questions are counted; `complete` until they did not last."""

    def __init__(self, function: SetFunction, most: int) -> None:
        self.function, self.most, self.complete = function, most, True

    def allows(self, count: int) -> bool:
        """Whether so many more may be asked."""
        if self.function.questions + count > self.most:
            self.complete = False
        return self.complete


def _grow(asked: _Asked, value: Callable[[int], float], elements: Sequence[int], threshold: float, order: str) -> _Tree:
    """From the empty set on, by every element behind the last one whose jump is above the threshold."""
    places = list(elements)
    if order == "decreasing" and asked.allows(len(places) + 1):
        places.sort(key=lambda place: (-value(1 << place), place))
    masks, passed, behind = [0], [0], [0]
    children: list[list[tuple[int, int]]] = []
    waiting = deque([0])
    while waiting:
        node = waiting.popleft()
        found: list[tuple[int, int]] = []
        jumping = 0
        if asked.allows(1 + len(places) - behind[node]):
            here = value(masks[node])
            for place in range(behind[node], len(places)):
                bit = 1 << places[place]
                if value(masks[node] | bit) - here > threshold + ROUNDING:
                    found.append((places[place], len(masks)))
                    waiting.append(len(masks))
                    masks.append(masks[node] | bit)
                    passed.append(passed[node] | jumping)
                    behind.append(place + 1)
                    jumping |= bit
        children.append(found)
        passed[node] |= jumping
    return tuple(_Node(m, o, tuple(c)) for m, o, c in zip(masks, passed, children, strict=True))


def _fallen(asked: _Asked, piece: _Node, threshold: float, order: str) -> _Tree:
    """The second stage, over what sets of a piece lack: it finds elements whose absence raises the function much."""
    everything = (1 << len(asked.function.elements)) - 1
    free = everything & ~(piece.mask | piece.outside)

    def lacking(without: int) -> float:
        return asked.function.at(piece.mask | (free & ~without))

    return _grow(asked, lacking, bits_of(free), threshold, order)


def _masks(first: _Tree, second: Sequence[_Tree]) -> tuple[tuple[int, int], ...]:
    """Sets that reach (C, T) in the second stage lack all of C and have all of T."""
    if not second:
        return tuple((node.mask, node.outside) for node in first)
    return tuple(
        (node.mask | leaf.outside, node.outside | leaf.mask)
        for node, tree in zip(first, second, strict=True)
        for leaf in tree
    )


def _reached(tree: _Tree, mask: int) -> int:
    """The node of the first child at each step that the set has."""
    node = 0
    while True:
        step = next((child for place, child in tree[node].children if mask >> place & 1), None)
        if step is None:
            return node
        node = step


def _check(f: object, lipschitz: object, stages: object, order: object) -> None:
    if not isinstance(f, SetFunction):
        raise BadPlan(f"decompose takes a SetFunction(elements=..., value=...), not {type(f).__name__}")
    if (
        isinstance(lipschitz, bool)
        or not isinstance(lipschitz, (int, float, np.floating))
        or not 0 < lipschitz < np.inf
    ):
        raise BadPlan(f"lipschitz is the largest jump that pieces may keep, above 0, not {lipschitz!r}")
    if stages not in (None, 1, 2):
        raise BadPlan(f"stages is 1, for monotone functions, or 2, not {stages!r}")
    if order not in ORDERS:
        raise BadPlan(f"order is {' or '.join(ORDERS)}, not {order!r}")
