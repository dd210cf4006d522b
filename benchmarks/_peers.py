"""Peers on the same columns and in the same run: `make bench-peers`. Each is tried, and says so where it cannot run.

Each runs in an environment of its own, because the peers pin other versions, and each case in a process of its own,
which is ended at a limit of CPU time. One JSON line a figure. `python -m benchmarks._peers peer:table ...` runs some.
"""

from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
import time
from contextlib import redirect_stdout
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks._peer_releases import CHANGED, PACKAGES, RELEASES, Draw
from benchmarks._peer_rows import repaired
from benchmarks._tables import columns_apart, load, of_rows, true_triples, variations

CPU_SECONDS = 600
ENVIRONMENTS = Path(__file__).parents[1] / ".venv-peers"
CASES = tuple(
    f"{peer}:{table}" for table in ("adult8", "adult") for peer in RELEASES if peer.endswith(("mst", "whole"))
)


def measure(case: str, keep: str | None = None) -> dict[str, Any]:
    """One release of one peer, and the mean error of all three-way tables of its rows, which are kept in a file."""
    peer, name = case.split(":")
    found = load(name)
    if found is None:
        return {"skipped": "no such table; set HUSHTABLE_DATA"}
    frame, sizes = found
    shape = list(sizes.values())
    truth = true_triples(np.array([frame[c] for c in sizes], dtype=np.int64), shape)

    def error(rows: np.ndarray) -> float:
        return float(variations(of_rows(rows, shape), truth).mean())

    start, wall = time.process_time(), time.perf_counter()
    try:
        with redirect_stdout(sys.stderr):  # some peers print as they go
            draw: Draw = RELEASES[peer](frame, sizes)
            with repaired():
                rows = draw()
            spent = time.process_time() - start, time.perf_counter() - wall
            untouched = draw()
    except Exception as problem:  # a peer that does not run is a finding, not a failure
        said = [line.strip() for line in str(problem).splitlines() if line.strip(' ")')]
        return {"does_not_run": f"{type(problem).__name__}: {said[-1][:120] if said else ''}"}
    codes = np.array([frame[c] for c in sizes], dtype=np.int64)
    if keep is not None:
        np.save(keep, rows)
    return {
        "rows": error(rows),
        "columns": columns_apart(rows, codes, shape),
        "rows_as_installed": error(untouched),
        "unit": "mean total variation of three columns",
        "cpu_seconds": spent[0],
        "seconds": spent[1],
        "versions": ", ".join(f"{p} {version(p)}" for p in PACKAGES[peer.split("-")[0]]),
        "changed": CHANGED[peer],
    }


def within_limit(case: str) -> dict[str, Any]:
    """The same in a process of its own, in the peer's environment; then what gives its rows away, in ours."""
    who = case.split("-", maxsplit=1)[0]
    python = Path(sys.executable) if who == "hushtable" else ENVIRONMENTS / who / "bin" / "python"
    if not python.exists():
        return {"does_not_run": "no environment for it; make bench-peers builds one"}

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (CPU_SECONDS, CPU_SECONDS + 10))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    with TemporaryDirectory() as folder:
        keep = Path(folder) / "rows.npy"
        command = [str(python), "-W", "ignore", "-m", "benchmarks._peers", "--here", case, str(keep)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, preexec_fn=limit)
        if done.returncode == -signal.SIGXCPU:
            return {"does_not_run": f"not ready after {CPU_SECONDS} s of CPU time, the limit set here"}
        if done.returncode:
            said = done.stderr.strip().splitlines()
            return {"does_not_run": f"exit code {done.returncode}: {said[-1][:120] if said else ''}"}
        found: dict[str, Any] = json.loads(done.stdout)
        return found | (given_away(case, keep) if keep.exists() else {})


def given_away(case: str, rows: Path) -> dict[str, Any]:
    """By our own program, which peers' environments do not have."""
    from benchmarks._believable import told_and_against

    loaded = load(case.split(":")[1])
    assert loaded is not None
    told, against = told_and_against(*loaded, np.load(rows))
    return {"propensity": told, "of_a_million_have_what_no_real_row_has": against}


def main() -> None:
    """MST and ours on both tables, or the cases named."""
    if sys.argv[1:2] == ["--here"]:
        print(json.dumps(measure(*sys.argv[2:4])))
        return
    for case in sys.argv[1:] or CASES:
        print(json.dumps({"name": f"peer-{case}", **within_limit(case)}), flush=True)


if __name__ == "__main__":
    main()
