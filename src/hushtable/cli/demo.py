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
    fair: Annotated[
        bool,
        typer.Option("--fair", help="Show instead a fair rule: a simulated lender, its table, a rule, a decision."),
    ] = False,
    picture: Annotated[Path | None, typer.Option(help="With --attack: draw it here (.svg or .png).")] = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a clinic, release it at epsilon 1, ask a dozen questions, and compare with the truth."""
    if attack:
        _attack(seed, picture, as_json=as_json)
        return
    if fair:
        _fair(folder, rows, seed, as_json=as_json)
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
        for asked in questions_and_truth(place):
            checked.append(asked)
            low, high = asked.answer.interval(0.95)
            if not as_json:
                bar = measured(asked.answer.value, (high - low) / 2)
                typer.echo(f"{asked.question:<58}{asked.truth:>10.4f}   {bar:<22}{'yes' if asked.inside else 'no'}")
    inside, took = sum(asked.inside for asked in checked), time.perf_counter() - started
    value = {
        "simulated": True,
        "rows": rows,
        "seconds": took,
        "inside": inside,
        "plan": plan.to_dict(),
        "questions": [asked.answer.to_dict() | {"truth": asked.truth, "inside": asked.inside} for asked in checked],
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
    attacks = attacked(seed)
    if target is not None:
        save_picture(target, attacks)
    lines = [f"{'answers':<44}{'standard error':>16}{'recovered':>14}"]
    lines += [f"{attack.how:<44}{attack.stderr:>16.1f}{attack.share:>14.1%}" for attack in attacks]
    value = {
        "simulated": True,
        "attacks": [
            {"how": attack.how, "stderr": attack.stderr, "recovered": attack.share, "people": attack.people}
            for attack in attacks
        ],
    }
    say(value, "\n".join(lines + ([] if picture is None else [f"wrote {picture}"])), as_json=as_json)


def _fair(folder: Path | None, rows: int, seed: int, *, as_json: bool) -> None:
    """A fair rule from a released table."""
    import tempfile

    from ..demo.fair import PERSON, decide_fairly, prepare_lender, release_lender
    from ..demo.run import new_folder
    from ..fair.summary import summary, summary_text
    from ..files import new_file
    from ..report.fair import fair_report

    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        place = folder or Path(scratch)
        new_folder(place, "lender")
        prepare_lender(place, rows=rows, seed=seed)
        with progress_bar("reading", rows) as progress:
            release_lender(place, rows=rows, progress=progress)
        made = decide_fairly(place)
        with new_file(place / "rule.html") as file:
            file.write(fair_report(made.equal).encode("utf-8"))
    took = time.perf_counter() - started
    rules = {"fair": summary(made.fair), "equal": summary(made.equal)}
    drawn = {"person": PERSON, "action": made.drawn.action, "odds": made.drawn.odds}
    person = ", ".join(f"{name} = {value}" for name, value in PERSON.items())
    text = "\n\n".join(
        [
            f"{rows:,} SIMULATED applicants (no real person), released once at epsilon 1; rules from the released file",
            "similar people treated similarly\n" + summary_text(rules["fair"]),
            "... and both origins within 0.05 of each other\n" + summary_text(rules["equal"]),
            f"a decision for {person}: {made.drawn.action}, with a chance of yes of {made.drawn.odds['yes']:.3f}",
            f"{took:.1f} s in all" + ("" if folder is None else f"; wrote rule.json and rule.html to {folder}"),
        ]
    )
    say({"simulated": True, "rows": rows, "seconds": took, "rules": rules, "decision": drawn}, text, as_json=as_json)
