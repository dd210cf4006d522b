"""Cases of the curators: sessions of questions that one row changes all at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any, cast

from ..budget import Budget, Price
from ..curator_plan import CuratorPlan, Way, plan_curator
from ..domain import Domain
from ..vault.curator import Curator
from ..vault.curator_account import Rehearsal
from ..vault.curator_state import Chain
from ..vault.held_rows import HeldRows
from ..vault.randomness import Simulated
from ..vault.sparse_curator import SparseCurator, Terms
from .pairs import Pair, pair_tables
from .releases import ReleaseCase, opener
from .shapes import BINARY, OPEN, RELATIONS, shape
from .statistic_cases import key_of
from .tables import NAMES, Table, possible_rows

__all__ = ["CURATORS", "curator_cases"]

CURATORS = ("curator", "sparse-curator")
WAYS: tuple[Way, ...] = ("hypothesis", "independent")
BUDGETS = (Budget(epsilon=4), Budget(rho=4))
QUESTIONS = (
    "b0 AND b1", "b0 OR b1", "b0 AND b1 AND b2", "b0", "NOT b1", "b1 OR b2", "b0 AND NOT b1", "b0 AND b2",
    "at_least(2, b0, b1, b2)", "NOT b0 AND NOT b1",
)  # fmt: skip
TERMS = Terms(rho=Fraction(2), updates=2, questions=20)


def curator_cases(name: str, *, seed: int) -> Iterator[ReleaseCase]:
    """Sessions with either curator."""
    if name == "sparse-curator":
        yield _sparse()
        return
    for relation in RELATIONS:
        domain = shape(BINARY, relation)
        rows = possible_rows(domain, most=100, seed=seed)
        new = None if relation == "add-remove" else rows[-1]
        # The others are alike, so that the hypothesis is wrong and thresholds are crossed.
        tables = pair_tables(domain, Pair(rows[0], new, 0.0), [rows[3]] * 4 + [rows[4]] * 6)
        for way in WAYS:
            for budget in BUDGETS:
                plan = plan_curator(domain, budget=budget, rows=11, questions=20, updates=3, way=way)
                yield ReleaseCase(f"curator, {way}, {relation}, {budget}", domain, tables, _session(plan), 120)


def _session(plan: CuratorPlan) -> Callable[[Callable[..., Any], Table, Simulated], Price]:
    """Opens a curator through the door given and asks it everything."""

    def act(door: Callable[..., Any], table: Table, randomness: Simulated) -> Price:
        account = Rehearsal(plan)
        # A table is all that a curator needs of rows that are held: their total.
        rows = cast(HeldRows, table)
        curator = Curator(
            plan=plan, state=Chain(), account=account, rows=rows, randomness=randomness,
            on_exhausted="unverified", door=door,
        )  # fmt: skip
        for question in QUESTIONS:
            curator.ask(question)
        return Price(currency=plan.price.currency, amount=plan.price.amount - account.left)

    return act


def _sparse() -> ReleaseCase:
    domain = shape(OPEN)
    keys = [(name,) for name in NAMES]
    tables = pair_tables(domain, Pair(keys[0], keys[1], 0.0), [keys[2], keys[3], keys[4], keys[5]] * 2)
    lists = [{key_of(name): 1.0 for name in NAMES[a : a + 2]} for a in (0, 1, 3)] + [{key_of(NAMES[0]): 0.5}]

    def release(door: Any, of: Domain) -> None:
        curator = SparseCurator(door, of.attributes, rows=9, largest=4, terms=TERMS)
        for number in range(8):
            curator.ask(lists[number % len(lists)])

    price = Price(currency="zcdp", amount=TERMS.rho)
    return ReleaseCase("sparse-curator", domain, tables, opener(price, release), 200)
