"""Cases of the curators: sessions of questions that one row changes all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ..budget import Budget, Price
from ..curator.account import StateAccount
from ..curator.conditions import ConditionSubject
from ..curator.curator import Curator
from ..curator.lists import ListSubject
from ..curator.plan import CuratorPlan, Way, plan_curator
from ..domain import Domain
from ..maths.keys.siphash import KEY_BYTES
from ..vault.door.randomness import Simulated
from ..vault.held_keys import HeldKeys
from ..vault.key_counts import KeyCounts
from ..vault.ledger.account import Rehearsal
from ..vault.ledger.sealed_lines import Chain
from .made_up_tables import NAMES, MadeUpTable, possible_rows
from .pairs import Pair, pair_tables
from .releases import ReleaseCase
from .shapes import RELATIONS, persons, shape
from .specimen import CuratorSpecimen
from .specimens import CURATORS

__all__ = ["curator_cases"]

PURE, RHO = Budget(epsilon=4), Budget(rho=4)
# Ways, budgets and rows of a person; a fast audit takes the first two.
SESSIONS: tuple[tuple[Way, Budget, int], ...] = (
    ("hypothesis", PURE, 1), ("hypothesis", RHO, 3), ("hypothesis", PURE, 2), ("hypothesis", RHO, 1),
    ("independent", PURE, 1), ("independent", RHO, 1),
)  # fmt: skip


def curator_cases(name: str, *, seed: int) -> Iterator[ReleaseCase]:
    """Sessions with one kind of curator."""
    (specimen,) = (specimen for specimen in CURATORS if specimen.name == name)
    for relation in RELATIONS:
        for way, budget, person in SESSIONS:
            domain = shape(specimen.attributes, relation, rows=person)
            if specimen.points is not None and way == "independent":
                continue  # it has no hypothesis to put on points
            if specimen.workload is None:
                yield _questions(specimen, domain, way, budget, seed)
            elif way == "hypothesis":
                plan = plan_curator(
                    domain, budget=budget, rows=8 + person, questions=20, updates=3, way=way, workload=specimen.workload
                )
                yield _lists(specimen, domain, plan)


def _questions(specimen: CuratorSpecimen, domain: Domain, way: Way, budget: Budget, seed: int) -> ReleaseCase:
    """About a table whose other rows are alike, so that the hypothesis is wrong and thresholds are crossed."""
    unit, rows = domain.unit, possible_rows(domain, most=100, seed=seed)
    new = None if unit.private_rows else rows[-1]
    tables = pair_tables(domain, Pair(rows[0], new, 0.0), [rows[3]] * 4 + [rows[4]] * 6)
    plan = plan_curator(
        domain, budget=budget, rows=10 + unit.rows, questions=20, updates=3, way=way, points=specimen.points
    )
    label = f"{specimen.name}, {way}, {unit.neighbours}, {budget}{persons(unit.rows)}"
    return ReleaseCase(label, domain, tables, _session(specimen, plan), 120)


def _session(
    specimen: CuratorSpecimen, plan: CuratorPlan
) -> Callable[[Callable[..., Any], MadeUpTable, Simulated], Price]:
    """Opens a curator through the door given and asks it everything."""

    def act(door: Callable[..., Any], table: MadeUpTable, randomness: Simulated) -> Price:
        state = Chain()
        account = StateAccount(Rehearsal(plan.price), state)
        curator = Curator(
            plan=plan, subject=ConditionSubject(plan), state=state, account=account, rows=table, randomness=randomness,
            on_exhausted="unverified", door=door,
        )  # fmt: skip
        for question in specimen.questions:
            curator.ask(question)
        return Price(currency=plan.price.currency, amount=plan.price.amount - account.left)

    return act


def _lists(specimen: CuratorSpecimen, domain: Domain, plan: CuratorPlan) -> ReleaseCase:
    """Lists of values, in any weights; one replaced row changes most of them."""
    keys = possible_rows(domain, most=100, seed=0) if domain.closed else [(name,) for name in NAMES]
    new = None if domain.unit.neighbours == "add-remove" else keys[1]
    tables = pair_tables(domain, Pair(keys[0], new, 0.0), [keys[2], keys[3], keys[4], keys[5]] * 2)

    def act(door: Callable[..., Any], table: MadeUpTable, randomness: Simulated) -> Price:
        keys = KeyCounts(domain.attributes, bytes(randomness.bytes(2 * KEY_BYTES)))
        state = Chain()
        account = StateAccount(Rehearsal(plan.price), state)
        curator = Curator(
            plan=plan, subject=ListSubject(plan), state=state, account=account,
            rows=HeldKeys(keys, table.total(keys)), randomness=randomness, on_exhausted="unverified", door=door,
        )  # fmt: skip
        for question in specimen.questions:
            curator.ask(question)
        return Price(currency=plan.price.currency, amount=plan.price.amount - account.left)

    name = f"{specimen.name}, {plan.way}, {domain.unit.neighbours}, {plan.budget}{persons(domain.unit.rows)}"
    return ReleaseCase(name, domain, tables, act, 120)
