"""The reconstruction attack: why counts need noise. Secrets are recovered from answers that are too accurate.

Everybody has one secret bit. An attacker asks how many of a random half of the people have it, four times as often
as there are people, and solves the linear system [DinN03; Har11, section 2.8].
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..budget import Budget
from ..domain import Domain
from ..files import new_file
from ..mechanisms.planner import plan
from ..questions.lists import Lists
from ..questions.workloads.known_lists import KnownLists

__all__ = ["Attacked", "reconstruct", "run", "save_picture"]

PEOPLE, QUESTIONS_EACH = 128, 4
# Every way to answer is attacked so often, with fresh noise.
TIMES = 10
# The largest error of answers with careless noise, in people; their square root is about 11.
CARELESS = (0, 1, 2, 4, 8, 16, 32, 64, 128)
BUDGETS = (Budget(epsilon=1, delta="1e-9"), Budget(epsilon=4, delta="1e-9"))
DOMAIN: dict[str, Any] = {"table": "secrets", "attributes": {"answer": {"kind": "open"}}}
CARELESS_COLOUR, OURS_COLOUR = "#d9822b", "#1f5fa8"


@dataclass(frozen=True, kw_only=True)
class Attacked:
    """One way to answer, and how many secrets the attack recovered."""

    how: str
    stderr: float
    """Of one answer, in people."""
    share: float
    """Of the secrets, on average over several times; guessing gets one half."""
    people: int


def reconstruct(asked: NDArray[np.bool_], answers: NDArray[np.float64]) -> NDArray[np.bool_]:
    """The secrets, by least squares: one line of `asked` a question, true for the people it is about.

    Of several sets of answers, one a column, all are attacked at once.
    """
    solution, *_ = np.linalg.lstsq(asked.astype(np.float64), answers, rcond=None)
    return np.asarray(solution > 0.5)


def run(seed: int, *, people: int = PEOPLE) -> list[Attacked]:
    """The attack on careless answers with growing errors, and on releases of ours. All people are made up."""
    chance = np.random.default_rng(seed)
    secret = chance.permutation(np.arange(people) % 2 == 0)
    asked = chance.random((QUESTIONS_EACH * people, people)) < 0.5
    truth = asked.astype(np.int64) @ secret
    attacks = []
    for most in CARELESS:
        noise = chance.integers(-most, most + 1, (len(truth), TIMES))
        share = _share(asked, truth[:, None] + noise, secret)
        stderr = float(np.sqrt(most * (most + 1) / 3))
        attacks.append(Attacked(how=f"errors up to {most}", stderr=stderr, share=share, people=people))
    return attacks + [_ours(asked, secret, budget, seed) for budget in BUDGETS]


def _ours(asked: NDArray[np.bool_], secret: NDArray[np.bool_], budget: Budget, seed: int) -> Attacked:
    """Releases that answer the same questions, all of them known in advance: the best case for accuracy."""
    import pyarrow as pa

    from ..owner.vault import Vault
    from ..vault.door.randomness import Simulated

    domain, people = Domain.from_dict(DOMAIN), len(secret)
    rows = [f"person {i}: {'yes' if bit else 'no'}" for i, bit in enumerate(secret)]
    lists = {f"q{k}": [f"person {i}: yes" for i in np.flatnonzero(line)] for k, line in enumerate(asked)}
    answers: list[Any] = []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.txt"
        path.write_text("".join("\t".join(values) + "\n" for values in lists.values()), encoding="utf-8")
        made = plan(domain, rows=people, workload=KnownLists(file=str(path)), budget=budget, mechanism="list-counts")
        vault = Vault(pa.table({"answer": rows}), domain, ledger=Path(folder) / "secrets.ledger")
        for number in range(TIMES):
            synopsis = vault.release(made, randomness=Simulated(seed + number))
            answers.append(synopsis.ask(Lists(lists), count=True))
    share = _share(asked, np.column_stack([answer.value for answer in answers]), secret)
    stderr = float(np.mean(answers[0].stderr))
    return Attacked(how=f"hushtable, {budget}", stderr=stderr, share=share, people=people)


def _share(asked: NDArray[np.bool_], answers: NDArray[Any], secret: NDArray[np.bool_]) -> float:
    """How many secrets are recovered, on average over the columns."""
    return float(np.mean(reconstruct(asked, answers.astype(np.float64)) == secret[:, None]))


def save_picture(path: Path, attacks: list[Attacked]) -> None:
    """Recovered secrets against the error of one answer."""
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.5, 4.2), layout="constrained")
    ax = figure.subplots()
    careless = [attack for attack in attacks if not attack.how.startswith("hushtable")]
    ours = [attack for attack in attacks if attack.how.startswith("hushtable")]
    x = [max(attack.stderr, 0.3) for attack in careless]
    ax.plot(x, [100 * attack.share for attack in careless], "o-", color=CARELESS_COLOUR, label="careless errors")
    for attack, marker in zip(ours, "sD", strict=False):
        ax.plot([attack.stderr], [100 * attack.share], marker, color=OURS_COLOUR, markersize=9, label=attack.how)
    ax.axhline(50, color="black", linewidth=0.8, linestyle="--")
    ax.annotate("guessing", (0.3, 50), xytext=(0, 4), textcoords="offset points", fontsize=9)
    root = float(np.sqrt(attacks[0].people))
    ax.axvline(root, color="grey", linewidth=0.8, linestyle=":")
    ax.annotate("square root of people", (root, 97), xytext=(4, 0), textcoords="offset points", fontsize=9)
    ax.set_xscale("log")
    ax.set_ylim(40, 102)
    ax.set_xlabel("standard error of one answer, in people (0 is drawn at 0.3)")
    ax.set_ylabel("secrets recovered, %")
    ax.set_title(f"{attacks[0].people} secrets, {QUESTIONS_EACH * attacks[0].people:,} counts of random halves",
                 fontsize=11, loc="left")  # fmt: skip
    ax.grid(True, alpha=0.25)
    ax.legend(frameon=False)
    ending = path.suffix.lower().removeprefix(".")
    with matplotlib.rc_context({"svg.hashsalt": "hushtable"}), new_file(path) as file:
        figure.savefig(file, format=ending, dpi=150, metadata={"Date": None} if ending == "svg" else None)
