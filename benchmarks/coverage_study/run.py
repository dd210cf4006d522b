"""Running settings, two at a time; every setting is one line of JSON in the file of results, so a run can go on."""

from __future__ import annotations

import hashlib
import json
import multiprocessing
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from .asked import Seen
from .settings import Setting

__all__ = ["CORES", "SECONDS", "code_digest", "observed", "read_lines", "run_all"]

CORES = 2
SECONDS = 7.0
"""Processor seconds for the releases of one setting ..."""
MOST, LEAST = 400, 3
"""... of which there are at most and at least so many."""
ROOT = Path(__file__).parents[2]


def code_digest() -> str:
    """Stands for the code that makes the figures: lines made by other code are not used."""
    digest = hashlib.sha256()
    for folder in (ROOT / "src" / "hushtable", Path(__file__).parent):
        for path in sorted(folder.rglob("*.py")):
            digest.update(path.relative_to(ROOT).as_posix().encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def observed(setting: Setting, *, seconds: float = SECONDS, most: int = MOST) -> dict[str, Any]:
    """The tallies of one setting as plain values, or why it did not run."""
    from hushtable.errors import BadPlan

    from .counting import tallies
    from .families import FAMILIES

    began = time.process_time()
    facts: dict[str, Any] = {"key": setting.key, "setting": setting.to_dict(), "seconds": seconds}
    try:
        observe = FAMILIES[setting.family].begin(setting)
    except BadPlan as error:
        return facts | {"skipped": str(error)}
    # The first release compiles and reads; it is drawn like the others, but not on their clock.
    seen, start = [_looked_at(observe(0))], time.process_time()
    while len(seen) < LEAST or (len(seen) < most and time.process_time() - start < seconds):
        seen.append(_looked_at(observe(len(seen))))
    found = {kind: tally.to_dict() for kind, tally in tallies(seen).items()}
    return facts | {"releases": len(seen), "cpu": time.process_time() - began, "kinds": found}


def _looked_at(release: list[Seen]) -> list[Seen]:
    """The same, with its intervals, which are computed when they are first asked for."""
    for one in release:
        _ = one.ends
    return release


def run_all(
    settings: list[Setting], results: Path, *, seconds: float = SECONDS, cores: int = CORES
) -> Iterator[dict[str, Any]]:
    """Runs what has no line of this code yet, appends each result, and yields it."""
    code = code_digest()
    done = {line["key"] for line in read_lines(results, code)}
    waiting = [(setting, seconds) for setting in settings if setting.key not in done]
    results.parent.mkdir(parents=True, exist_ok=True)
    # One thread each: processes share the cores.
    os.environ.update({"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"})
    with multiprocessing.get_context("spawn").Pool(cores, maxtasksperchild=100) as pool:
        for line in pool.imap_unordered(_one, waiting):
            with results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(line | {"code": code}) + "\n")
            yield line


def _one(job: tuple[Setting, float]) -> dict[str, Any]:
    setting, seconds = job
    try:
        return observed(setting, seconds=seconds)
    except Exception as error:  # a setting that breaks is a result, and the others go on
        return {"key": setting.key, "setting": setting.to_dict(), "broke": f"{type(error).__name__}: {error}"}


def read_lines(results: Path, code: str | None) -> list[dict[str, Any]]:
    """The last line of every setting that this code made; with None, that any code made."""
    if not results.exists():
        return []
    lines = [json.loads(line) for line in results.read_text("utf-8").splitlines() if line.endswith("}")]
    return list({line["key"]: line for line in lines if code in (None, line["code"])}.values())
