"""How each peer is run: its recommended settings, the columns as categories of known size, the whole budget on it.

A release gives a function that draws synthetic rows, as codes by column. What was changed for a peer's sake is in
CHANGED, and is printed with its figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

# (epsilon, delta) = (1, 1e-9), and the largest rho that implies it, for the peers that take one.
RHO, DELTA, EPSILON = 0.0149731, 1e-9, 1.0
Draw = Callable[[], np.ndarray]

PACKAGES = {
    "opendp": ("opendp", "mbi"),
    "smartnoise": ("smartnoise-synth", "mbi"),
    "dpmm": ("dpmm",),
    "hushtable": ("hushtable",),
}
ROWS = "rows drawn as in mbi 2.0.0"
CHANGED = {
    "opendp-mst": f"{ROWS}; rows with a null left out; 1e-12 of each share of the budget kept back for rounding",
    "opendp-aim": f"{ROWS}; rows with a null left out",
    "smartnoise-mst": ROWS,
    "smartnoise-aim": f"{ROWS}; degree=3, the tables that are compared",
    "dpmm-mst": "nothing",
    "hushtable-whole": "nothing",
}


def opendp_mst(frame: Any, sizes: dict[str, int]) -> Draw:
    """OpenDP's MST. It keeps one unit in the last place back for rounding, too little here."""
    import opendp.prelude as dp
    from opendp.extras.mbi import _mst

    _mst.prior = lambda share: share * (1 - 1e-12)
    return _opendp(frame, sizes, dp.mbi.MST())


def opendp_aim(frame: Any, sizes: dict[str, int]) -> Draw:
    """OpenDP's AIM; tables of three columns are its default workload."""
    import opendp.prelude as dp

    return _opendp(frame, sizes, dp.mbi.AIM())


def _opendp(frame: Any, sizes: dict[str, int], algorithm: Any) -> Draw:
    import opendp.prelude as dp
    import polars as pl

    dp.enable_features("contrib")
    names = {c: f"c{i}" for i, c in enumerate(sizes)}
    rows = pl.DataFrame({names[c]: frame[c].to_numpy().astype(np.int64) for c in sizes}).lazy()
    context = dp.Context.compositor(data=rows, privacy_unit=dp.unit_of(contributions=1),
                                    privacy_loss=dp.loss_of(rho=RHO))  # fmt: skip
    query = context.query(rho=RHO).select(*names.values())
    keys = {names[c]: list(range(size)) for c, size in sizes.items()}
    table = query.contingency_table(keys=keys, algorithm=algorithm).release()
    return lambda: table.synthesize().drop_nulls().select(list(names.values())).to_numpy().astype(np.int64).T


def smartnoise_mst(frame: Any, sizes: dict[str, int]) -> Draw:
    """SmartNoise's MST."""
    return _smartnoise(frame, sizes, "mst")


def smartnoise_aim(frame: Any, sizes: dict[str, int]) -> Draw:
    """SmartNoise's AIM."""
    return _smartnoise(frame, sizes, "aim", degree=3)


def _smartnoise(frame: Any, sizes: dict[str, int], kind: str, **options: Any) -> Draw:
    from snsynth import Synthesizer

    made = Synthesizer.create(kind, epsilon=EPSILON, delta=DELTA, **options)
    names = list(sizes)
    made.fit(frame[names].astype(int), categorical_columns=names, preprocessor_eps=0.0)
    return lambda: made.sample(len(frame))[names].to_numpy().astype(np.int64).T


def dpmm_mst(frame: Any, sizes: dict[str, int]) -> Draw:
    """MST of dpmm, which has a copy of an older mbi."""
    from dpmm.pipelines import MSTPipeline

    made = MSTPipeline(epsilon=EPSILON, delta=DELTA, disable_processing=True, n_jobs=1)
    names = list(sizes)
    made.fit(frame[names], domain=sizes)
    return lambda: made.generate(n_records=len(frame))[names].to_numpy().astype(np.int64).T


def hushtable_whole(frame: Any, sizes: dict[str, int]) -> Draw:
    """Our whole table, so that it stands in the same lines."""
    import tempfile
    from pathlib import Path

    import pyarrow as pa

    import hushtable as ht
    from benchmarks._tables import domain_of

    names, domain = list(sizes), ht.Domain.from_dict(domain_of(sizes))
    plan = ht.plan(domain, workload=ht.WholeTable(), budget=ht.Budget(epsilon="1", delta="1e-9"))
    with tempfile.TemporaryDirectory() as folder:
        rows = pa.Table.from_pandas(frame[names], preserve_index=False)
        made = ht.Vault(rows, domain, ledger=Path(folder) / "l").release(plan)
    return lambda: made.sample(len(frame)).to_pandas()[names].to_numpy().astype(np.int64).T


RELEASES: dict[str, Callable[[Any, dict[str, int]], Draw]] = {
    "opendp-mst": opendp_mst,
    "opendp-aim": opendp_aim,
    "smartnoise-mst": smartnoise_mst,
    "smartnoise-aim": smartnoise_aim,
    "dpmm-mst": dpmm_mst,
    "hushtable-whole": hushtable_whole,
}
