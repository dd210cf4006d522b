"""Peers on the same columns and in the same run: `make bench-peers`. Each is tried, and says so where it cannot run.

Each runs in an environment of its own, because the peers pin other versions. One JSON line a figure.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks._tables import load, of_rows, true_triples, variations

# (epsilon, delta) = (1, 1e-9), and the largest rho that implies it, for the peers that take one.
RHO, DELTA, EPSILON = 0.0149731, 1e-9, 1.0
Rows = Callable[[Any, dict[str, int]], np.ndarray]


def opendp_mst(frame: Any, sizes: dict[str, int]) -> np.ndarray:
    """Synthetic rows of OpenDP's MST."""
    import opendp.prelude as dp

    return _opendp(frame, sizes, dp.mbi.MST())


def opendp_aim(frame: Any, sizes: dict[str, int]) -> np.ndarray:
    """Synthetic rows of OpenDP's AIM."""
    import opendp.prelude as dp

    return _opendp(frame, sizes, dp.mbi.AIM())


def _opendp(frame: Any, sizes: dict[str, int], algorithm: Any) -> np.ndarray:
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
    made = table.synthesize()
    return np.array([made[names[c]].to_numpy() for c in sizes], dtype=np.int64)


def smartnoise_mst(frame: Any, sizes: dict[str, int]) -> np.ndarray:
    """Synthetic rows of SmartNoise's MST."""
    from snsynth import Synthesizer

    made = Synthesizer.create("mst", epsilon=EPSILON, delta=DELTA)
    names = list(sizes)
    made.fit(frame[names].astype(int), categorical_columns=names, preprocessor_eps=0.0)
    return made.sample(len(frame))[names].to_numpy().astype(np.int64).T


PEERS: dict[str, Rows] = {"opendp-mst": opendp_mst, "smartnoise-mst": smartnoise_mst, "opendp-aim": opendp_aim}


def main() -> None:
    """All peers on all tables, or those named."""
    small = [f"{peer}:adult8" for peer in PEERS]
    wanted = sys.argv[1:] or [*small, "opendp-mst:adult", "smartnoise-mst:adult"]
    for case in wanted:
        peer, name = case.split(":")
        found = load(name)
        if found is None:
            print(json.dumps({"name": f"peer-{case}", "skipped": "no such table; set HUSHTABLE_DATA"}), flush=True)
            continue
        frame, sizes = found
        shape = list(sizes.values())
        codes = np.array([frame[c] for c in sizes], dtype=np.int64)
        start, wall = time.process_time(), time.perf_counter()
        try:
            rows = PEERS[peer](frame, sizes)
        except Exception as error:  # a peer that does not run is a finding, not a failure
            said = [line.strip() for line in str(error).splitlines() if line.strip(' ")')]
            reason = f"{type(error).__name__}: {said[-1][:120] if said else ''}"
            print(json.dumps({"name": f"peer-{case}", "does_not_run": reason}), flush=True)
            continue
        spent = time.process_time() - start, time.perf_counter() - wall
        error = variations(of_rows(np.clip(rows, 0, np.array(shape)[:, None] - 1), shape), true_triples(codes, shape))
        value = float(error.mean())
        assert math.isfinite(value)
        print(json.dumps({"name": f"peer-{case}", "rows": value, "unit": "mean total variation of three columns",
                          "cpu_seconds": spent[0], "seconds": spent[1]}), flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
