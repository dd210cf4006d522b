"""Cases of statistics: every statistic there is, each with uneven noise, under both relations and both laws."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from ..domain import Domain
from ..laws import Law
from ..vault.door.door import Noise
from ..vault.door.noise import sensitivity_of
from ..vault.statistics import Statistic
from .measurements import MeasureCase
from .shapes import BINARY, RELATIONS, persons, shape
from .statistic_specimens import STATISTICS

__all__ = ["noise_for", "statistic_cases"]

LAWS = (Law.LAPLACE, Law.GAUSSIAN, Law.ROUNDED)
# What the noise of a group is multiplied by, so that a mix-up of groups shows.
UNEVEN = (Fraction(1), Fraction(3, 2), Fraction(5, 2))


def statistic_cases(name: str) -> Iterator[MeasureCase]:
    """The cases of one statistic; with two rows a person where that is quick, and with 0 to 2 for every one."""
    specimen = STATISTICS[name]
    for relation in RELATIONS:
        quick = [(1, None), (2, None)] if specimen.attributes is BINARY else [(1, None)]
        # Under add-remove a person who is told apart changes nothing but which rows there are.
        for rows, person in [*quick, (2, "who")] if relation == "replace" else quick:
            domain = shape(specimen.attributes, relation, rows=rows, person=person)
            for number, statistic in enumerate(specimen.build(domain)):
                label = f"{name}{f' {number + 1}' if number else ''}, {relation}{persons(rows, person)}"
                for law in LAWS:
                    noise = noise_for(statistic, law, domain)
                    if noise is not None:
                        yield MeasureCase(f"{label}, {law}", domain, statistic, noise)


def noise_for(statistic: Statistic, law: Law, domain: Domain) -> Noise | None:
    """About epsilon 1 or rho 1/2; None where no row changes anything."""
    power, unit = law.power, domain.unit
    alone = [
        sensitivity_of(statistic, unit, power=power, weights=[Fraction(int(g == h)) for h in range(statistic.groups)])
        for g in range(statistic.groups)
    ]
    if not any(alone):
        return None
    uneven = [UNEVEN[g % len(UNEVEN)] if alone[g] else Fraction(0) for g in range(statistic.groups)]
    weights = [1 / u if u else Fraction(0) for u in uneven]
    whole = sensitivity_of(statistic, unit, power=power, weights=weights) * Fraction(unit.rows**power)
    return Noise(law=law, per_group=tuple(u * whole for u in uneven))
