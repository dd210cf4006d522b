"""Cases of mechanisms: what each measures, and its releases as a whole, on the small domains of the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..domain import Domain
from ..mechanisms.carried_out import carried_out
from ..mechanisms.planner import Plan
from ..vault.door.door import Door, Measurement, Noise
from ..vault.door.randomness import Simulated
from ..vault.statistics import Statistic
from ..vault.statistics.number_cells import NumberCells
from .made_up_tables import MadeUpTable, possible_rows
from .measurements import MeasureCase, Tally
from .pairs import Pair, pair_tables, worst_pair
from .releases import ReleaseCase, opener
from .shapes import RELATIONS, persons
from .specimens import specimens_of

__all__ = ["mechanism_cases"]

OTHERS = 15


def mechanism_cases(name: str, *, seed: int) -> Iterator[MeasureCase | ReleaseCase]:
    """What a mechanism measures, each attacked alone with very many draws, and its releases as a whole."""
    attacked = [(specimen.attacked(attack), attack) for specimen in specimens_of(name) for attack in specimen.attacks]
    for number, (specimen, attack) in enumerate(attacked):
        for budget in attack.budgets:
            for relation in RELATIONS:
                made = specimen.plan(
                    budget=budget, neighbours=relation, person=attack.person, rows=OTHERS + attack.person
                )
                label = f"{name}{f' {number + 1}' if number else ''}, {relation}, {budget}{persons(attack.person)}"
                yield from _cases(label, made, attack.runs, seed)


def _cases(label: str, made: Plan, runs: int, seed: int) -> Iterator[MeasureCase | ReleaseCase]:
    domain = made.domain
    others = possible_rows(domain, most=OTHERS, seed=seed)[:OTHERS]
    pairs: list[Pair] = []
    for place, (statistic, noise) in enumerate(_measured(made, MadeUpTable(domain, others), seed)):
        pairs.append(worst_pair(statistic, noise, domain, seed=seed))
        yield MeasureCase(f"{label}: {statistic.name}{f' {place + 1}' if place else ''}", domain, statistic, noise)
    chosen = max(pairs, key=lambda pair: pair.price) if pairs else _any_pair(domain)
    act = opener(made.price, lambda door, of: carried_out(replace(made, domain=of), door))
    yield ReleaseCase(f"{label}: whole", domain, pair_tables(domain, chosen, others), act, runs)


def _any_pair(domain: Domain) -> Pair:
    rows = possible_rows(domain, most=100, seed=0)
    return Pair(rows[0], None if domain.unit.neighbours == "add-remove" else rows[-1], 0.0)


def _measured(made: Plan, table: MadeUpTable, seed: int) -> list[tuple[Statistic, Noise]]:
    """The distinct kinds of statistics that one release measures."""
    seen: dict[str, tuple[Statistic, Noise]] = {}

    class Noting(Door):
        def measure(self, statistic: Statistic, noise: Noise) -> Measurement:
            # What counts found cells reads rows by these, and is attacked as a part of the whole release.
            if made.cells is None or isinstance(statistic, NumberCells):
                seen.setdefault(statistic.name, (statistic, noise))
            return super().measure(statistic, noise)

    unit = made.domain.unit
    door = Noting(total=table.total, unit=unit, price=made.price, account=Tally(), randomness=Simulated(seed))
    carried_out(made, door)
    return list(seen.values())
