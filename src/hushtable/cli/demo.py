"""`hush demo`: the whole way, on a simulated clinic."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from .common import AsJson, progress_bar, say

__all__ = ["run"]


def run(
    folder: Annotated[Path | None, typer.Option(help="Keep the files here; a temporary folder by default.")] = None,
    rows: Annotated[int, typer.Option(min=5000, help="How many patients to simulate.")] = 50_000,
    seed: Annotated[int, typer.Option(help="Seed of the simulated patients (not of the noise).")] = 1,
    attack: Annotated[
        bool, typer.Option("--attack", help="Show instead why noise is needed: recover secrets.")
    ] = False,
    picture: Annotated[Path | None, typer.Option(help="With --attack: draw it here (.svg or .png).")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a clinic, release it at epsilon 1, ask a dozen questions, and compare with the truth."""
    if attack:
        _attack(seed, picture, as_json=as_json)
        return
    import tempfile

    from ..demo.run import new_folder, prepare, questions_and_truth, release
    from ..questions.answer_forms import measured

    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        place = folder or Path(scratch)
        new_folder(place)
        prepare(place, rows=rows, seed=seed)
        if not as_json:
            typer.echo(f"{rows:,} SIMULATED patients (no real person), 22 attributes\n")
        with progress_bar("reading", rows) as progress:
            plan = release(place, rows=rows, progress=progress)
        if not as_json:
            typer.echo(f"{plan}\n\n{'question':<58}{'truth':>10}   answer (95%)          truth inside")
        checked = []
        for one in questions_and_truth(place):
            checked.append(one)
            low, high = one.answer.interval(0.95)
            if not as_json:
                bar = measured(one.answer.value, (high - low) / 2)
                typer.echo(f"{one.question:<58}{one.truth:>10.4f}   {bar:<22}{'yes' if one.inside else 'no'}")
    inside, took = sum(one.inside for one in checked), time.perf_counter() - started
    value = {
        "simulated": True,
        "rows": rows,
        "seconds": took,
        "inside": inside,
        "plan": plan.to_dict(),
        "questions": [one.answer.to_dict() | {"truth": one.truth, "inside": one.inside} for one in checked],
    }
    say(
        value,
        f"\n{inside} of {len(checked)} true values inside their 95% interval; {took:.1f} s in all",
        as_json=as_json,
    )


def _attack(seed: int, picture: Path | None, *, as_json: bool) -> None:
    """The reconstruction attack on made-up secrets."""
    from ..demo.attack import run as attacked
    from ..demo.attack import save_picture
    from ..report.plots import check_picture

    target = None if picture is None else check_picture(picture)
    found = attacked(seed)
    if target is not None:
        save_picture(target, found)
    lines = [f"{'answers':<44}{'standard error':>16}{'recovered':>14}"]
    lines += [f"{one.how:<44}{one.stderr:>16.1f}{one.share:>14.1%}" for one in found]
    value = {
        "simulated": True,
        "attacks": [
            {"how": one.how, "stderr": one.stderr, "recovered": one.share, "people": one.people} for one in found
        ],
    }
    say(value, "\n".join(lines + ([] if picture is None else [f"wrote {picture}"])), as_json=as_json)
