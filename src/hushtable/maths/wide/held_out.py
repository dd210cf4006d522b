"""Held-out questions: a public sample of the questions a wide workload is for, which no measurement is made for."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from .shape import Symmetric

__all__ = ["Condition", "Drawn", "as_drawn", "draw_questions", "with_rare_sides"]

Floats = NDArray[np.float64]
Condition = tuple[int, tuple[bool, ...]]
"""A position, and which of its codes fulfil the condition."""
Drawn = tuple[Condition, ...]
# The sample is the same for every release of a domain and a width; no data are looked at.
SAMPLE_SEED = 11


def draw_questions(sizes: Sequence[int], among: Sequence[int], *, width: int, count: int) -> list[Drawn]:
    """So many times `width` of the attributes `among`, each with a condition that half of its codes fulfil."""
    chance = np.random.default_rng([SAMPLE_SEED, width, len(sizes), len(among)])
    drawn = []
    for _ in range(count):
        positions = np.sort(chance.choice(np.array(among), width, replace=False))
        drawn.append(tuple((int(p), _half(sizes[p], chance)) for p in positions))
    return drawn


def _half(size: int, chance: np.random.Generator) -> tuple[bool, ...]:
    """A random half of the codes; of two the second one, which is `true`."""
    if size == 2:
        return (False, True)
    chosen = set(chance.choice(size, max(1, size // 2), replace=False).tolist())
    return tuple(code in chosen for code in range(size))


def with_rare_sides(
    drawn: Sequence[Drawn], share: Callable[[Condition], float], values: Sequence[Sequence[float]]
) -> list[Symmetric]:
    """The questions, every other one with each condition that most rows fulfil turned around.

    Few rows fail a wide question about common conditions, so that hardly anything can be wrong about it; questions
    about rare ones are the hard ones. Where questions are of several kinds (`values`), every third one has conditions
    turned at random instead: columns that go together may be asked for in opposite senses, which is harder still.
    """
    ways = 2 if len(values) == 1 else 3
    chance = np.random.default_rng([SAMPLE_SEED, len(drawn)])
    questions = []
    for number, conditions in enumerate(drawn):
        at_random = chance.random(len(conditions)) < 0.5
        way = number % ways
        masks = [
            tuple(not holds for holds in mask)
            if (way == 0 and share((position, mask)) > 0.5) or (way == 2 and turn)
            else mask
            for (position, mask), turn in zip(conditions, at_random.tolist(), strict=True)
        ]
        turned = zip((position for position, _ in conditions), masks, strict=True)
        questions.append(as_drawn(tuple(turned), values[number // ways % len(values)]))
    return questions


def as_drawn(conditions: Drawn, values: Sequence[float]) -> Symmetric:
    """The question about these conditions that is true by how many of them hold."""
    return Symmetric(tuple(p for p, _ in conditions), tuple(mask for _, mask in conditions), tuple(values))
