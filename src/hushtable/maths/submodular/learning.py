"""Learning a submodular function from few of its values: one mean a piece, and how often that is off by how much."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadPlan, BadQuestion, check_whole
from .decomposition import MOST_QUESTIONS, Decomposition, decompose
from .set_function import SetFunction, chances_of

__all__ = ["LearnedFunction", "SetTrial", "learn_submodular", "lipschitz_for", "tail_bound"]

Floats = NDArray[np.float64]
# The chance, over the sets that are drawn, that any mean of a piece is farther off than it is taken to be.
MISS = 1e-3
# The part of alpha that is kept for means and for the oracle; sets may stray by the rest.
STRAY = 5 / 6
MOST_SAMPLES = 1_000_000


def lipschitz_for(alpha: float, beta: float) -> float:
    """rho = alpha^2 / (6 ln(2 / beta)): what pieces may move so that all but beta of the sets are within alpha.

    [Har11, Fig. 6.3]; oracles may be off by a twelfth of it.
    """
    return alpha**2 / (6 * math.log(2 / beta))


def tail_bound(lipschitz: float, distance: float) -> float:
    """The chance that f is farther than `distance` from its mean over a product distribution, at most.

    For f submodular with values in [0, 1] that no element moves by more than `lipschitz`: 2 exp(-t^2 / (2 (1 /
    lipschitz + 5 t / 6))), where t = distance / lipschitz.                              [Har11, Cor. 6.2.6]
    """
    t = max(distance, 0.0) / lipschitz
    return min(1.0, 2 * math.exp(-(t**2) / (2 * (1 / lipschitz + 5 * t / 6))))


@dataclass(frozen=True, kw_only=True)
class SetTrial:
    """What a learned function missed on random sets that it was not made from."""

    sets: int
    mean: float
    """The mean distance from the oracle."""
    share: float
    """Of sets that are farther off than alpha."""
    most: float
    """Not more than this share of all sets are, with 95% confidence."""

    def __str__(self) -> str:
        beyond = f"{self.share:.2%} beyond alpha (at most {self.most:.2%} of all)"
        return f"{self.sets:,} random sets: {self.mean:.4g} off on average, {beyond}"


@dataclass(frozen=True, eq=False, kw_only=True)
class LearnedFunction:
    """The mean of the piece that a set is in, for any set; the function is not asked again."""

    decomposition: Decomposition
    means: Floats
    p: Floats
    alpha: float
    beta: float
    samples: int
    """Sets drawn for the mean of a piece, where it has more."""
    questions: int
    """Sets that the function was asked about in all."""

    @property
    def guarantee(self) -> float:
        """At most this share of random sets is farther off than alpha; 1 where nothing is promised.

        Promised of submodular functions into [0, 1] and oracles off by at most lipschitz / 12, if pieces are complete.
        """
        if not self.decomposition.complete:
            return 1.0
        return tail_bound(self.decomposition.lipschitz, STRAY * self.alpha)

    def __call__(self, members: Iterable[Hashable]) -> float:
        """What is said of one set."""
        return float(self.means[self.decomposition.number(members)])

    def many(self, sets: Any) -> Floats:
        """What is said of many: a matrix of 0 and 1, a line a set and a column an element."""
        given = np.asarray(sets)
        elements = self.decomposition.function.elements
        if given.ndim != 2 or given.shape[1] != len(elements) or not ((given == 0) | (given == 1)).all():
            raise BadQuestion(f"sets are a matrix of 0 and 1 with {len(elements):,} columns, one an element")
        return self.means[[self.decomposition.number_of(mask) for mask in _packed(given.astype(bool))]]

    def trial(self, sets: int, *, seed: int) -> SetTrial:
        """Asks the function about new random sets, to see how far off all of this is."""
        from scipy.stats import beta

        check_whole(sets, "sets", BadPlan)
        drawn = np.random.default_rng(seed).random((sets, len(self.p))) < self.p
        function = self.decomposition.function
        missed = np.abs(self.many(drawn) - np.array([function.at(mask) for mask in _packed(drawn)]))
        beyond = int((missed > self.alpha).sum())
        most = 1.0 if beyond == sets else float(beta.ppf(0.95, beyond + 1, sets - beyond))
        return SetTrial(sets=sets, mean=float(missed.mean()), share=beyond / sets, most=most)

    def __str__(self) -> str:
        own = self.decomposition
        promise = (
            f"at most {self.guarantee:.2g} of random sets are more than {self.alpha:g} off"
            if self.guarantee < 1
            else "nothing is promised; see trial()"
        )
        ended = "" if own.complete else ", cut short by most_questions"
        return f"{len(own):,} pieces by {self.questions:,} questions{ended}: {promise}"


def learn_submodular(
    oracle: SetFunction,
    alpha: float,
    beta: float,
    p: float | Mapping[Any, float],
    *,
    seed: int,
    lipschitz: float | None = None,
    samples: int | None = None,
    most_questions: int = MOST_QUESTIONS,
) -> LearnedFunction:
    """Within alpha of a submodular function into [0, 1] for all but a share beta of random sets [Har11, Thm. 6.3.15].

    oracle     off by at most a twelfth of `lipschitz_for(alpha, beta)`, and always by as much for the same set
    p          the chance of an element to be in a set, for all or for each by name; independent
    seed       of the sets that means are taken over; public
    lipschitz  larger than the theorem's it needs far fewer questions, and `guarantee` says what is left of beta
    samples    sets drawn for the mean of a piece; by default enough for Bernstein's inequality to keep the promise
    """
    for name, value, most in (("alpha", alpha, 1), ("beta", beta, 1)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.floating)) or not 0 < value <= most:
            raise BadPlan(f"{name} is above 0 and at most {most}, not {value!r}")
    if samples is not None:
        check_whole(samples, "samples", BadPlan, most=MOST_SAMPLES)
    if not isinstance(oracle, SetFunction):
        raise BadPlan(f"the oracle is a SetFunction(elements=..., value=...), not {type(oracle).__name__}")
    each = chances_of(oracle.elements, p)
    rho = lipschitz_for(alpha, beta) if lipschitz is None else lipschitz
    before = oracle.questions
    pieces = decompose(oracle, rho, tolerant=True, most_questions=most_questions)
    drawn = samples or _samples(pieces, alpha)
    random = np.random.default_rng(seed)
    means = np.array([_mean(pieces, number, each, drawn, random) for number in range(len(pieces))])
    _within(oracle, rho / 12)
    return LearnedFunction(
        decomposition=pieces, means=means, p=each, alpha=alpha, beta=beta, samples=drawn,
        questions=oracle.questions - before,
    )  # fmt: skip


def _samples(pieces: Decomposition, alpha: float) -> int:
    """So many that no mean of a piece is off by more than what alpha leaves, but with chance MISS.

    On a piece the variance is at most lipschitz, or twice it where f also falls: f over it is self-bounding.
    """
    rho = pieces.lipschitz
    left = (1 - STRAY) * alpha - rho / 12
    if left <= 0:
        raise BadPlan(f"lipschitz = {rho:g} is too large for alpha = {alpha:g}: it must be below {2 * alpha:g}")
    tail = 2 * math.log(2 * len(pieces) / MISS)
    return min(math.ceil(tail * (pieces.stages * rho / left**2 + 1 / (3 * left))), MOST_SAMPLES)


def _mean(pieces: Decomposition, number: int, p: Floats, samples: int, random: np.random.Generator) -> float:
    """Over all sets of the piece where they are few, else over random ones."""
    inside = pieces.masks[number][0]
    free = pieces.open_elements(number)
    own = p[free]
    if len(free) < 60 and 2 ** len(free) <= samples:
        sets = (np.arange(2 ** len(free))[:, None] >> np.arange(len(free))) % 2 == 1
        weights = np.where(sets, own, 1 - own).prod(axis=1)
    else:
        sets = random.random((samples, len(free))) < own
        weights = np.full(samples, 1 / samples)
    every = np.zeros((len(sets), len(p)), dtype=bool)
    every[:, free] = sets
    return float(weights @ [pieces.function.at(inside | mask) for mask in _packed(every)])


def _packed(sets: NDArray[np.bool_]) -> Sequence[int]:
    """Each line as a whole number, whose bit i is column i."""
    return [int.from_bytes(line.tobytes(), "little") for line in np.packbits(sets, axis=1, bitorder="little")]


def _within(oracle: SetFunction, slack: float) -> None:
    """What is promised is promised of functions into [0, 1]."""
    low, high = oracle.range
    if low < -slack or high > 1 + slack:
        raise BadPlan(
            f"the oracle said {low if low < -slack else high:.4g}; a function that is learned lies between 0 and 1, "
            f"and its oracle is off by at most {slack:.2g}: divide it by the most it can be"
        )
