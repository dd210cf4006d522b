"""hushtable: a table that keeps its secrets. Release once, ask for ever.

Domain -> Workload -> Plan -> Vault -> Synopsis -> Answer
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .budget import Budget as Budget
    from .budget import Unit as Unit
    from .curator_answer import CuratorAnswer as CuratorAnswer
    from .curator_plan import CuratorPlan as CuratorPlan
    from .curator_plan import plan_curator as plan_curator
    from .domain import Domain as Domain
    from .errors import HushError as HushError
    from .planner import Plan as Plan
    from .planner import plan as plan
    from .questions.answer import Answer as Answer
    from .questions.answer import CrossTab as CrossTab
    from .questions.lists import Listed as Listed
    from .questions.lists import Lists as Lists
    from .synopsis import Synopsis as Synopsis
    from .synopsis import load as load
    from .vault.curator import Curator as Curator
    from .vault.ledger import Ledger as Ledger
    from .vault.randomness import Simulated as Simulated
    from .vault.vault import Vault as Vault
    from .workloads.decision_lists import DecisionLists as DecisionLists
    from .workloads.known_lists import KnownLists as KnownLists
    from .workloads.linear import Linear as Linear
    from .workloads.marginals import Marginals as Marginals
    from .workloads.parities import ParityQueries as ParityQueries
    from .workloads.ranges import Ranges as Ranges
    from .workloads.smooth import Smooth as Smooth
    from .workloads.sparse import Conjunctions as Conjunctions
    from .workloads.sparse import Sparse as Sparse
    from .workloads.whole_table import WholeTable as WholeTable
    from .workloads.wide import AllOf as AllOf
    from .workloads.wide import AnyOf as AnyOf
    from .workloads.wide import AtLeast as AtLeast
    from .workloads.wide import Predicates as Predicates

__version__ = "0.1.0"


# Public names in the order of the flow. They load when first used: importing hushtable stays fast, and a process
# that only asks questions never loads the vault.
_HOMES = {
    "Domain": "domain",
    "Unit": "budget",
    "WholeTable": "workloads.whole_table",
    "Marginals": "workloads.marginals",
    "Predicates": "workloads.wide",
    "AnyOf": "workloads.wide",
    "AllOf": "workloads.wide",
    "AtLeast": "workloads.wide",
    "DecisionLists": "workloads.decision_lists",
    "Sparse": "workloads.sparse",
    "KnownLists": "workloads.known_lists",
    "Conjunctions": "workloads.sparse",
    "ParityQueries": "workloads.parities",
    "Ranges": "workloads.ranges",
    "Linear": "workloads.linear",
    "Smooth": "workloads.smooth",
    "Budget": "budget",
    "plan": "planner",
    "Plan": "planner",
    "Vault": "vault.vault",
    "plan_curator": "curator_plan",
    "CuratorPlan": "curator_plan",
    "Curator": "vault.curator",
    "CuratorAnswer": "curator_answer",
    "Ledger": "vault.ledger",
    "Simulated": "vault.randomness",
    "Synopsis": "synopsis",
    "load": "synopsis",
    "Listed": "questions.lists",
    "Lists": "questions.lists",
    "Answer": "questions.answer",
    "CrossTab": "questions.answer",
    "HushError": "errors",
}

__all__ = list(_HOMES)


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'hushtable' has no attribute '{name}'")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
