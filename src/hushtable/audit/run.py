"""Running audits: every target by name, its cases, and the verdict on each."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from ..errors import BadPlan
from ..mechanisms import mechanisms
from ..vault.statistics import statistics
from ..words import listed, suggestion
from .checks import ALARM, Check
from .curator_cases import curator_cases
from .curve_cases import CURVES, CurveCase, audit_curve, curve_cases
from .measurements import MeasureCase, audit_measure
from .mechanism_cases import mechanism_cases
from .people_cases import PEOPLE, PeopleCase, audit_people, people_cases
from .releases import ReleaseCase, audit_release
from .specimens import CURATORS, specimens_of
from .statistic_cases import statistic_cases
from .statistic_specimens import STATISTICS
from .step_cases import STEPS, step_cases

__all__ = ["FAST", "FULL", "AuditTarget", "Effort", "Result", "audit", "judge", "targets", "total_alarm"]

Group = Literal["mechanism", "curator", "statistic", "step", "law", "people"]
Case = MeasureCase | ReleaseCase | CurveCase | PeopleCase
SEED = 2026
CATALOGUE = "src/hushtable/audit (specimens.py, statistic_specimens.py)"


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much is drawn: numbers of draws of a measurement, the share of whole releases, and of cases."""

    draws: int
    share: float
    most_cases: int | None


FULL = Effort(draws=150_000, share=1.0, most_cases=None)
FAST = Effort(draws=4000, share=0.15, most_cases=2)


@dataclass(frozen=True)
class AuditTarget:
    """Something that is attacked."""

    group: Group
    name: str

    def cases(self) -> Iterator[Case]:
        """What is tried on it."""
        if self.group == "mechanism":
            return mechanism_cases(self.name, seed=SEED)
        if self.group == "curator":
            return curator_cases(self.name, seed=SEED)
        if self.group == "law":
            return curve_cases(self.name)
        if self.group == "people":
            return people_cases()
        return statistic_cases(self.name) if self.group == "statistic" else iter(step_cases(self.name))


@dataclass(frozen=True)
class Result:
    """The verdict on one case."""

    target: AuditTarget
    case: str
    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "group": self.target.group,
            "name": self.target.name,
            "case": self.case,
            "passed": self.passed,
            "checks": [check.to_dict() for check in self.checks],
        }


def targets(name: str | None = None) -> list[AuditTarget]:
    """All targets, or those of one name. A mechanism or statistic that has no case is an error, not a gap."""
    mechanical = sorted(mechanisms())
    lacking = [name for name in mechanical if not any(specimen.attacks for specimen in specimens_of(name))]
    lacking += [name for name in statistics() if name not in STATISTICS]
    if lacking:
        raise BadPlan(f"no audit case for {listed(lacking)}; add a specimen to {CATALOGUE}")
    groups: dict[Group, Iterable[str]] = {
        "mechanism": mechanical,
        "curator": [specimen.name for specimen in CURATORS],
        "statistic": sorted(statistics()),
        "step": STEPS,
        "law": CURVES,
        "people": PEOPLE,
    }
    every = [AuditTarget(group, of_group) for group, names in groups.items() for of_group in names]
    if name is None:
        return every
    chosen = [target for target in every if target.name == name]
    if not chosen:
        names = sorted({target.name for target in every})
        raise BadPlan(f"nothing called '{name[:60]}' to audit; there are {listed(names)}.{suggestion(name, names)}")
    return chosen


def audit(
    chosen: Iterable[AuditTarget],
    *,
    effort: Effort = FULL,
    seed: int = SEED,
    jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Iterator[Result]:
    """Attacks everything chosen, in as many processes as there are jobs; the same results in the same order."""
    waiting, done = list(chosen), 0
    results: Iterable[Iterable[Result]] = (_results(target, effort, seed) for target in waiting)
    with ExitStack() as stack:
        if min(jobs, len(waiting)) > 1:
            context = multiprocessing.get_context("spawn")
            pool = stack.enter_context(ProcessPoolExecutor(jobs, mp_context=context))
            results = pool.map(_listed, waiting, [effort] * len(waiting), [seed] * len(waiting))
        for some in results:
            for result in some:
                yield result
                done += 1
                if progress:
                    progress(done)


def _results(target: AuditTarget, effort: Effort, seed: int) -> Iterator[Result]:
    for case in islice(target.cases(), effort.most_cases):
        yield Result(target, case.name, tuple(judge(case, effort=effort, seed=seed)))


def _listed(target: AuditTarget, effort: Effort, seed: int) -> list[Result]:
    """For another process."""
    return list(_results(target, effort, seed))


def judge(case: Case, *, effort: Effort, seed: int) -> list[Check]:
    """All checks of one case."""
    if isinstance(case, MeasureCase):
        return audit_measure(case, draws=effort.draws, seed=seed)
    if isinstance(case, CurveCase):
        return audit_curve(case)
    if isinstance(case, PeopleCase):
        return audit_people(case, seed=seed)
    return audit_release(case, share=effort.share, seed=seed)


def total_alarm(results: Iterable[Result]) -> float:
    """The chance that any check of a right mechanism fails, at most."""
    return ALARM * sum(check.kind not in ("price", "rows") for result in results for check in result.checks)
