"""hushtable: a table that keeps its secrets. Release once, ask for ever.

Domain -> Workload -> Plan -> Vault -> Synopsis -> Answer
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import learning as learning
    from .budget import Budget as Budget
    from .budget import Unit as Unit
    from .curator.answer import CuratorAnswer as CuratorAnswer
    from .curator.curator import Curator as Curator
    from .curator.plan import CuratorPlan as CuratorPlan
    from .curator.plan import plan_curator as plan_curator
    from .domain import Domain as Domain
    from .errors import HushError as HushError
    from .maths.families.family import Family as Family
    from .maths.learning.language import Language as Language
    from .maths.learning.learner import Regressor as Regressor
    from .mechanisms.planner import Plan as Plan
    from .mechanisms.planner import plan as plan
    from .owner.comparison import RowComparison as RowComparison
    from .owner.comparison import compare as compare
    from .owner.vault import Vault as Vault
    from .questions.answer import Answer as Answer
    from .questions.answer import CrossTab as CrossTab
    from .questions.lists import Listed as Listed
    from .questions.lists import Lists as Lists
    from .questions.workloads.cuts import GraphCuts as GraphCuts
    from .questions.workloads.decision_lists import DecisionLists as DecisionLists
    from .questions.workloads.known_lists import KnownLists as KnownLists
    from .questions.workloads.learned import Learned as Learned
    from .questions.workloads.linear import Linear as Linear
    from .questions.workloads.marginals import Marginals as Marginals
    from .questions.workloads.means import Means as Means
    from .questions.workloads.parities import ParityQueries as ParityQueries
    from .questions.workloads.polynomials import Polynomials as Polynomials
    from .questions.workloads.ranges import Ranges as Ranges
    from .questions.workloads.smooth import Smooth as Smooth
    from .questions.workloads.sparse import Conjunctions as Conjunctions
    from .questions.workloads.sparse import Sparse as Sparse
    from .questions.workloads.whole_table import WholeTable as WholeTable
    from .questions.workloads.wide import AllOf as AllOf
    from .questions.workloads.wide import AnyOf as AnyOf
    from .questions.workloads.wide import AtLeast as AtLeast
    from .questions.workloads.wide import Predicates as Predicates
    from .server.client import connect as connect
    from .synopsis import Synopsis as Synopsis
    from .synopsis import load as load
    from .synopsis.combined import Combined as Combined
    from .synopsis.combined import combine as combine
    from .vault.door.randomness import Simulated as Simulated
    from .vault.ledger.ledger import Ledger as Ledger

__version__ = "0.1.0"


# Public names in the order of the flow. They load when first used: importing hushtable stays fast, and a process
# that only asks questions never loads the vault.
_HOMES = {
    "Domain": "domain",
    "Unit": "budget",
    "WholeTable": "questions.workloads.whole_table",
    "Marginals": "questions.workloads.marginals",
    "Means": "questions.workloads.means",
    "Predicates": "questions.workloads.wide",
    "AnyOf": "questions.workloads.wide",
    "AllOf": "questions.workloads.wide",
    "AtLeast": "questions.workloads.wide",
    "GraphCuts": "questions.workloads.cuts",
    "DecisionLists": "questions.workloads.decision_lists",
    "Sparse": "questions.workloads.sparse",
    "KnownLists": "questions.workloads.known_lists",
    "Conjunctions": "questions.workloads.sparse",
    "ParityQueries": "questions.workloads.parities",
    "Polynomials": "questions.workloads.polynomials",
    "Family": "maths.families.family",
    "Learned": "questions.workloads.learned",
    "Language": "maths.learning.language",
    "Regressor": "maths.learning.learner",
    "learning": "learning",
    "Ranges": "questions.workloads.ranges",
    "Linear": "questions.workloads.linear",
    "Smooth": "questions.workloads.smooth",
    "Budget": "budget",
    "plan": "mechanisms.planner",
    "Plan": "mechanisms.planner",
    "Vault": "owner.vault",
    "plan_curator": "curator.plan",
    "CuratorPlan": "curator.plan",
    "Curator": "curator.curator",
    "CuratorAnswer": "curator.answer",
    "Ledger": "vault.ledger.ledger",
    "Simulated": "vault.door.randomness",
    "Synopsis": "synopsis",
    "load": "synopsis",
    "connect": "server.client",
    "compare": "owner.comparison",
    "RowComparison": "owner.comparison",
    "combine": "synopsis.combined",
    "Combined": "synopsis.combined",
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
    module = import_module(f"{__name__}.{_HOMES[name]}")
    value = module if _HOMES[name] == name else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
