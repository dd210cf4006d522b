"""hushtable: a table that keeps its secrets. Release once, ask for ever.

Domain -> Workload -> Plan -> Vault -> Synopsis -> Answer
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .budget import Budget as Budget
    from .budget import Unit as Unit
    from .domain import Domain as Domain
    from .errors import HushError as HushError
    from .planner import Plan as Plan
    from .planner import plan as plan
    from .questions.answer import Answer as Answer
    from .questions.answer import CrossTab as CrossTab
    from .synopsis import Synopsis as Synopsis
    from .synopsis import load as load
    from .vault.ledger import Ledger as Ledger
    from .vault.randomness import Simulated as Simulated
    from .vault.vault import Vault as Vault
    from .workloads.decision_lists import DecisionLists as DecisionLists
    from .workloads.marginals import Marginals as Marginals
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
    "Marginals": "workloads.marginals",
    "Predicates": "workloads.wide",
    "AnyOf": "workloads.wide",
    "AllOf": "workloads.wide",
    "AtLeast": "workloads.wide",
    "DecisionLists": "workloads.decision_lists",
    "Budget": "budget",
    "plan": "planner",
    "Plan": "planner",
    "Vault": "vault.vault",
    "Ledger": "vault.ledger",
    "Simulated": "vault.randomness",
    "Synopsis": "synopsis",
    "load": "synopsis",
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
