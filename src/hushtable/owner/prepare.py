"""Preparing: everything a release will need is tried on made-up rows before anything is charged."""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import BadPlan, HushError
from ..maths.interactions.layout import CoordinateNoise
from ..mechanisms.base import Trial
from ..mechanisms.planner import Plan
from ..synopsis import Synopsis
from ..vault.door.door import Door
from ..vault.door.randomness import Simulated
from ..vault.door.samplers import sample
from ..vault.ledger.account import Rehearsal
from ..vault.sources import FrameSource

__all__ = ["NEEDED", "prepare", "prepared"]

# What any part of a release may import; a test compares it with the dependencies in pyproject.toml.
NEEDED = ("duckdb", "llvmlite", "numba", "numpy", "pyarrow", "rich", "scipy", "sqlglot", "typer", "yaml")
# Coordinates of a trial that get noise: drawing it for all would take as long as the release.
NOISY = 100
# Digests of the plans for which this process has done it.
prepared: set[str] = set()


class TrialDoor(Door):
    """Next to no noise, for rows that nobody is in."""

    def _noise(self, scales: CoordinateNoise) -> NDArray[np.int64]:
        noise = np.zeros(len(scales.index), dtype=np.int64)
        noise[:NOISY] = sample(replace(scales, index=scales.index[:NOISY]), self._randomness)
        return noise


def prepare(plan: Plan) -> None:
    """BadPlan, and nothing is spent, unless a release by this plan has what it needs here.

    Not private, and about no private row: what is read is made up from the domain. Afterwards modules are imported
    and kernels compiled, so that a release only does again what has just been done.
    """
    if plan.digest in prepared:
        return
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise BadPlan(f"this release needs {', '.join(missing)}; install that first: nothing was spent")
    try:
        for trial in plan.by.trials(plan.domain, plan.design):
            _try(plan, trial)
    except HushError:
        raise
    except Exception as error:
        raise BadPlan(
            f"{plan.mechanism} cannot be carried out here: a trial on made-up rows ended with {type(error).__name__} "
            f"({error}); nothing was spent"
        ) from error
    prepared.add(plan.digest)


def _try(plan: Plan, trial: Trial) -> None:
    """The whole way of a release, but for the ledger and the file."""
    source, domain = FrameSource(pa.table(trial.rows)), trial.domain
    door = TrialDoor(
        total=lambda statistic: source.total(statistic, domain),
        unit=domain.unit,
        price=trial.design.price,
        account=Rehearsal(trial.design.price),
        randomness=Simulated(0),
    )
    model = plan.by.release(door, domain, trial.design)
    tried = replace(plan, domain=domain, design=trial.design)
    assert Synopsis.from_release(tried, model, ledger=None, not_private=True).digest
