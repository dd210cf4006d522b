"""Examples and evils: small worlds in which a vendor does harm, and what a fair rule leaves of it.

A world has types with a share, a group (S or not) and what the task is about (talent, credit, interest), which is all
that the metric sees. The vendor's loss is hostile. The harm is a difference in chances between members of S and others
whom the metric calls alike, or whatever the source describes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hushtable import fair
from hushtable.fair.rule import FairRule

__all__ = ["EVILS", "EXAMPLES", "World", "figure_8_2"]

Floats = NDArray[np.float64]
NEAR = 0.05
"""How far apart the metric puts people who are alike for the task: as good as nothing."""


@dataclass(frozen=True, eq=False, kw_only=True)
class World:
    """Who there is, what the vendor wants, and how harm is measured from the chances of being chosen."""

    share: Floats
    protected: NDArray[np.bool_]
    task: Floats
    """What the task is about: people within 1 of each other are alike in proportion."""
    wish: Floats
    """What the vendor gains by choosing a type; negative for those it wants to keep out."""
    harm: Callable[[Floats], float]

    def free(self) -> float:
        """Harm where only the vendor's wish counts."""
        return self.harm((self.wish > 0).astype(float))

    def fair_rule(self, divergence: str = "tv") -> FairRule:
        """The vendor's best fair rule."""
        loss = np.column_stack([np.zeros(len(self.wish)), -self.wish])
        apart = np.minimum(np.abs(self.task[:, None] - self.task[None, :]), 1.0)
        apart = np.maximum(apart, NEAR * (1 - np.eye(len(apart))))
        groups = {"S": self.protected * self.share, "others": ~self.protected * self.share}
        return fair.solve(loss, apart, self.share, divergence, groups, public=True, tol=1e-7)

    def fair(self, divergence: str = "tv") -> float:
        """Harm under the vendor's best fair rule."""
        return self.harm(self.fair_rule(divergence).odds[:, 1])

    def parity_gap(self, chosen: Floats) -> float:
        """How differently the two groups are chosen as wholes."""
        s, t = (
            float((chosen * self.share)[who].sum() / self.share[who].sum()) for who in (self.protected, ~self.protected)
        )
        return abs(s - t)


def _world(rows: list[tuple[float, bool, float, float]], harm: Callable[[Floats], float]) -> World:
    share, protected, task, wish = (np.array(column) for column in zip(*rows, strict=True))
    return World(share=share / share.sum(), protected=protected.astype(bool), task=task, wish=wish, harm=harm)


# 8.1.2, three ways in which parity holds and individuals are treated unfairly: each is chosen half of the time in both
# groups. Rows: share, in S, task, wish.
EXAMPLES: dict[str, World] = {
    # Talented members of S study science, others finance; the organisation picks finance, and with it the untalented.
    "reduced utility": _world(
        [(0.1, True, 1, -1), (0.1, True, 0, 1), (0.4, False, 1, 1), (0.4, False, 0, -1)],
        lambda chosen: float(chosen[2] - chosen[0]),
    ),
    # Unqualified members of S are chosen on purpose.
    "self-fulfilling prophecy": _world(
        [(0.1, True, 1, -2), (0.1, True, 0, 2), (0.4, False, 1, 1), (0.4, False, 0, -1)],
        lambda chosen: float(chosen[2] - chosen[0]),
    ),
    # Shown to members of S who are interested, and to others who are not: whoever clicks is in S.
    "subset targeting": _world(
        [(0.1, True, 1, 1), (0.1, True, 0, -1), (0.4, False, 1, -1), (0.4, False, 0, 1)],
        # A click needs interest: how much likelier S is than the others among those who click, shares aside.
        lambda chosen: float((chosen[0] - chosen[2]) / max(chosen[0] + chosen[2], 1e-12)),
    ),
}


def _same_task(chosen: Floats, world_task: Floats, protected: NDArray[np.bool_]) -> float:
    """The largest difference between a member of S and somebody else with the same task."""
    worst = 0.0
    for a in np.flatnonzero(protected):
        for b in np.flatnonzero(~protected & (world_task == world_task[a])):
            worst = max(worst, float(chosen[b] - chosen[a]))
    return worst


def _against_s(rows: list[tuple[float, bool, float, float]]) -> World:
    task, protected = np.array([row[2] for row in rows]), np.array([row[1] for row in rows])
    return _world(rows, lambda chosen: _same_task(chosen, task, protected))


# 8.6.5, the catalogue: what is done to S by a vendor that minds nothing else.
EVILS: dict[str, World] = {
    "explicit discrimination": _against_s(
        [(0.1, True, 1, -1), (0.1, True, 0, -1), (0.4, False, 1, 1), (0.4, False, 0, 1)]
    ),
    # The vendor looks at something that only members of S have; the metric does not.
    "redundant encoding": _against_s(
        [(0.09, True, 1, -1), (0.01, True, 1, 1), (0.01, False, 1, -1), (0.89, False, 1, 1)]
    ),
    # A neighbourhood is refused, whoever lives there: nine in ten of S and one in ten of the others.
    "redlining": _against_s(
        [(0.09, True, 0.5, -1), (0.01, True, 0.5, 1), (0.09, False, 0.5, -1), (0.81, False, 0.5, 1)]
    ),
    "self-fulfilling prophecy": EXAMPLES["self-fulfilling prophecy"],
    # One excellent applicant outside S is refused, to be shown to everybody in S who is refused.
    "reverse tokenism": _world(
        [(0.2, True, 0, -1), (0.01, False, 1, -0.5), (0.39, False, 1, 1), (0.4, False, 0, 1)],
        lambda chosen: float(chosen[2] - chosen[1]),
    ),
    # A segment that the metric itself sets apart is refused; S is over-represented in it. Harm: what S loses against
    # the others.
    "cutting off a segment": _world(
        [(0.09, True, 0, -1), (0.01, True, 1, 1), (0.09, False, 0, -1), (0.81, False, 1, 1)],
        lambda chosen: float((0.09 * chosen[2] + 0.81 * chosen[3]) / 0.9 - (0.09 * chosen[0] + 0.01 * chosen[1]) / 0.1),
    ),
}


def figure_8_2(parity: float | None) -> FairRule:
    """S is a tenth of all, nine in ten of it in G0 with as many others; the two G are as far apart as can be."""
    share = np.array([0.09, 0.01, 0.09, 0.81])
    second = np.array([0, 1, 0, 1])
    loss = np.column_stack([second == 1, second == 0]).astype(float)
    apart = (second[:, None] != second[None, :]).astype(float)
    groups = {"S": [0.9, 0.1, 0, 0], "T": [0, 0, 0.1, 0.9]}
    return fair.solve(loss, apart, share, groups=groups, parity=parity, actions=["ad0", "ad1"], public=True, tol=1e-9)
