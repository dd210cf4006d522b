"""MWEM beside smartnoise-synth's: relative entropy and time on the same tables, in one run, at the same epsilon.

Small tables only: of 16 yes/no columns (nltcs) its numpy histogram has 4^16 cells, 32 GiB.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

import hushtable as ht
from benchmarks._figure import figure
from hushtable.models.weighted import WeightedModel
from papers.hardt2012.methods import relative_entropy
from papers.hardt2012.tables import CZECH, ROCHDALE, Counts

# Its dependencies do not go with ours, so it lives in an environment of its own; this names its interpreter.
PYTHON = os.environ.get("HUSHTABLE_SMARTNOISE", sys.executable)
TABLES, RELEASES = (CZECH, ROCHDALE), 5
FIGURES = ("mwem-peer-czech-error", "mwem-peer-czech-time", "mwem-peer-rochdale-error", "mwem-peer-rochdale-time")
# Whole tables of at most two attributes, which it chooses from by default for tables of this size. Its epsilon is for
# one row more or less, and it takes the number of rows as known; ours here is for the same, and pays for the number.
PROGRAM = """
import json, sys, time, warnings
warnings.filterwarnings("ignore")
import numpy as np
from snsynth.mwem import MWEMSynthesizer

given = json.load(sys.stdin)
rows = np.array(given["rows"])
np.random.seed(1)
found, seconds = [], []
for _ in range(given["releases"]):
    start = time.perf_counter()
    made = MWEMSynthesizer(epsilon=1.0, marginal_width=2, iterations=given["rounds"])
    made.fit(rows, categorical_columns=list(range(rows.shape[1])), preprocessor_eps=0.0)
    seconds.append(time.perf_counter() - start)
    table = np.asarray(made.synthetic_histograms[0][0], dtype=float)
    found.append((table / table.sum()).ravel().tolist())
true = np.asarray(made.histograms[0].data).ravel().astype(int).tolist()
print(json.dumps({"found": found, "seconds": min(seconds), "true": true}))
"""


def run() -> Iterator[dict[str, Any]]:
    """`ratio` is ours over theirs, at their own number of rounds or at ours, whichever is better for them."""
    if subprocess.run([PYTHON, "-c", "import snsynth.mwem"], capture_output=True, check=False).returncode:
        why = "no smartnoise-synth: install it in an environment of its own and name its python in HUSHTABLE_SMARTNOISE"
        print(json.dumps({"name": "mwem-peer", "skipped": why}))
        return
    for table in TABLES:
        plan, ours, seconds = own(table)
        rounds = int(plan.design.summary.split()[0])
        tried = {name: theirs(table, many) for name, many in (("their own rounds", None), ("our rounds", rounds))}
        best = min(tried, key=lambda name: tried[name][0])
        unit = f"nats, mean of {RELEASES}; theirs with {best}"
        yield figure(f"mwem-peer-{table.name}-error", ours, unit, baseline=tried[best][0], ratio=ours / tried[best][0],
                     bar="ratio <= 1")  # fmt: skip
        fastest = min(taken for _, taken in tried.values())
        yield figure(f"mwem-peer-{table.name}-time", seconds, "s a release", baseline=fastest,
                     ratio=seconds / fastest, bar="ratio <= 1")  # fmt: skip


def own(table: Counts) -> tuple[ht.Plan, float, float]:
    """Not private: relative entropy and best time of our releases, epsilon 1 for one row more or less."""
    shape = ht.Domain.from_dict(table.domain.to_dict() | {"neighbours": "add-remove"})
    columns = {name: pa.array(own.astype(bool)) for name, own in zip(table.attributes, table.codes, strict=True)}
    vault = ht.Vault(pa.table(columns), shape)
    plan = ht.plan(shape, rows=table.rows, workload="marginals(width=2)", budget=ht.Budget(epsilon=1), mechanism="mwem")
    found, seconds = [], []
    for seed in range(-1, 4 * RELEASES):
        start = time.perf_counter()
        model = vault.release(plan, randomness=ht.Simulated(seed + 1)).model
        seconds.append(time.perf_counter() - start)
        assert isinstance(model, WeightedModel)
        found.append(relative_entropy(table, model.hypothesis.table(range(len(table.attributes))).ravel()))
    return plan, float(np.mean(found[1:])), min(seconds[1:])


def theirs(table: Counts, rounds: int | None) -> tuple[float, float]:
    """Not private: the same for theirs."""
    given = {"rows": table.codes.T.tolist(), "releases": RELEASES, "rounds": rounds}
    done = subprocess.run([PYTHON, "-c", PROGRAM], input=json.dumps(given), check=True, capture_output=True, text=True)
    seen = json.loads(done.stdout.splitlines()[-1])
    assert seen["true"] == table.counts.tolist(), "its cells are in another order"
    return float(np.mean([relative_entropy(table, np.array(one)) for one in seen["found"]])), seen["seconds"]
