"""Sub-universe: weights on random rows alone, where a domain has too many combinations of values to list them all."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from ..budget import Number, exact
from ..domain import Domain
from ..errors import BadPlan
from ..maths.distribution import Evidence
from ..maths.distribution.measured import Measured
from ..maths.distribution.points import hashed_points
from ..maths.distribution.running import Running
from ..maths.distribution.running_points import RunningPoints
from ..words import readable

__all__ = ["SubUniverse", "read_sub_universe", "running_for"]

MOST_POINTS = 1 << 20
SMOOTHNESS, MOST_SMOOTHNESS = Fraction(4), 10**9
# The chance that the points, or the rows themselves, are an unlucky draw.
MISS = 0.05


@dataclass(frozen=True, kw_only=True)
class SubUniverse:
    """Random rows that stand for all combinations of values [Har11, section 4.6].

    Half of them are drawn from the released tables of single columns, half evenly.
    """

    points: int
    smoothness: Fraction
    """No combination of values is taken to be more than so many times as frequent as among the points."""

    def beyond(self, questions: int, rows: int) -> float:
        """How far from the table the best weights of the points are at most, as a share of the rows, for that many
        questions that were fixed before the points were drawn.

        sqrt(s ln(4 k / b) / points) + sqrt(ln(4 k / b) / 2 rows)              [Har11, Lemma 4.6.4, Claim 4.6.3]

        The first is the luck of the points, of which 1 in s is kept when rows are drawn from them by rejection; the
        second that of the rows. Constants are Hoeffding's.
        """
        logs = math.log(4 * questions / MISS)
        return math.sqrt(float(self.smoothness) * logs / self.points) + math.sqrt(logs / (2 * rows))

    def check_worth(self, questions: int, rows: int | None) -> None:
        """BadPlan where the threshold would be raised beyond all rows: no answer could ever be told from another."""
        if rows is None or self.beyond(questions, rows) < 1:
            return
        logs = math.log(4 * questions / MISS)
        left = 1 - math.sqrt(logs / (2 * rows)) if rows else 0.0
        enough = math.floor(float(self.smoothness) * logs / left**2) + 1 if left > 0 else MOST_POINTS + 1
        more = f"give at least {enough:,}, or " if enough <= MOST_POINTS else ""
        raise BadPlan(
            f"{self.points:,} points say nothing of {questions:,} questions about {rows:,} rows; {more}leave points out"
        )

    def text(self, questions: int, rows: int | None) -> str:
        """What it promises, and to whom."""
        raised = ""
        if rows is not None:
            share = float(f"{self.beyond(questions, rows):.3g}")
            raised = f", threshold raised by {readable(share)} of the rows"
        return (
            f"{self.points:,} random rows stand for all combinations of values{raised}; paid answers last for "
            "questions that are fixed before, not for those chosen by looking at answers, and for tables in which no "
            f"combination is more than {readable(self.smoothness)} times as frequent as among the points"
        )


def read_sub_universe(domain: Domain, points: int | None, smoothness: Number | None) -> SubUniverse | None:
    """As asked for; BadPlan where there is none like that."""
    if points is None:
        if smoothness is not None:
            raise BadPlan("smoothness says how rare combinations of values are among points; give points too")
        return None
    if not isinstance(points, int) or isinstance(points, bool) or not 2 <= points <= MOST_POINTS:
        raise BadPlan(f"points must be a whole number from 2 to {MOST_POINTS:,}, not {str(points)[:40]}")
    cells = prod(domain.sizes)
    if points >= cells:
        raise BadPlan(
            f"the domain has {cells:,} combinations of values, which {points:,} points do not reduce; leave points out"
        )
    smooth = SMOOTHNESS if smoothness is None else exact(smoothness, "smoothness")
    if not 1 <= smooth <= MOST_SMOOTHNESS:
        raise BadPlan(
            f"smoothness says how many times as frequent as among the points a combination of values may be, from 1 to "
            f"{MOST_SMOOTHNESS:,}, not {str(smoothness)[:40]}"
        )
    return SubUniverse(points=points, smoothness=smooth)


def running_for(
    sub: SubUniverse | None, domain: Domain, start: Sequence[Measured], evidence: Sequence[Evidence], *, cap: int
) -> Running:
    """The hypothesis at its start, on all combinations or on points."""
    if sub is None:
        return Running(domain.sizes, cap=cap, start=evidence)
    return RunningPoints(domain.sizes, hashed_points([table.values for table in start], sub.points), start=evidence)
