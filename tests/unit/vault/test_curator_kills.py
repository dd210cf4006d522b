"""A curator that is killed: no charge is forgotten, no paid answer changes, and it goes on."""

import contextlib
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from curators import WIDE_QUESTIONS, ask_all, quick_vault

import hushtable as ht
from hushtable.curator.sub_universe import SubUniverse
from hushtable.errors import BadPath
from hushtable.vault.ledger.ledger import Ledger
from hushtable.vault.ledger.sealed_lines import StateFile

KILLS = 36
SETTINGS = {"budget": ht.Budget(rho=4), "updates": 400, "questions": 100_000, "way": "hypothesis"}

# Imports once, then forks a worker for every line it reads, so that a kill costs milliseconds and not an import.
# A worker asks for ever and writes down every answer it was given, as a client that sees it would. It dies of a signal
# that nobody handles, so many seconds of its own processor time after some answers: a clock on the wall would let it
# do nothing, or all there is to do, on a busy machine.
ZYGOTE = """
import os, random, signal, sys
from pathlib import Path
from curators import WIDE_QUESTIONS, ask_all, quick_vault, rehearsal
from test_curator_kills import SETTINGS

ask_all(rehearsal())  # whatever is loaded or compiled on first use
folder = Path(sys.argv[1])
print("ready", flush=True)
for line in sys.stdin:
    child = os.fork()
    if child == 0:
        seen = os.open(folder / "given", os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        seed, answers, after = line.split()
        luck, wanted = random.Random(int(seed)), int(answers)
        if wanted == 0:
            signal.setitimer(signal.ITIMER_PROF, float(after))
        curator = quick_vault(folder).curate(**SETTINGS)
        while True:
            answer = curator.ask(luck.choice(WIDE_QUESTIONS))
            os.write(seen, f"{answer.source};{answer.value!r};{answer.question}\\n".encode())
            wanted -= 1
            if wanted == 0:
                signal.setitimer(signal.ITIMER_PROF, float(after))
    _, ended = os.waitpid(child, 0)
    print("killed" if os.WIFSIGNALED(ended) and os.WTERMSIG(ended) == signal.SIGPROF else "ended", flush=True)
"""


@pytest.fixture
def zygote(tmp_path) -> Iterator[subprocess.Popen[str]]:
    places = (Path(ht.__file__).parents[1], Path(__file__).parents[2] / "support", Path(__file__).parent)
    worker = subprocess.Popen(
        [sys.executable, "-c", ZYGOTE, str(tmp_path)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    with worker:
        try:
            assert worker.stdout.readline() == "ready\n"
            yield worker
        finally:
            worker.kill()


def killed(zygote: subprocess.Popen[str], *, seed: int, answers: int, after: float) -> None:
    """Starts a worker, lets it give some more answers and kills it a moment later, whatever it is doing."""
    zygote.stdin.write(f"{seed} {answers} {after}\n")
    zygote.stdin.flush()
    assert zygote.stdout.readline() == "killed\n"


def given(folder: Path) -> dict[str, float]:
    """Every paid answer that anybody has seen; a question with two of them would show here."""
    found: dict[str, float] = {}
    if not (folder / "given").exists():
        return found
    for line in (folder / "given").read_text().splitlines():
        source, value, question = line.split(";", 2)
        if source in ("paid", "repeated"):
            assert found.setdefault(question, float(value)) == float(value), "one question, two answers"
    return found


def test_killed_anywhere_it_forgets_no_charge_and_no_answer(tmp_path, zygote):
    luck, stretches, moved = random.Random(5), 0, 0
    for kill in range(KILLS):
        # Some before the first answer, the others while it asks and pays; soon, or all is paid after a few kills.
        killed(zygote, seed=kill, answers=luck.choice([0, 1, 5]), after=luck.uniform(1e-6, 0.02))
        if not (tmp_path / "t.ledger").exists():
            continue
        ledger = Ledger.open(tmp_path / "t.ledger")
        ledger.verify()
        kinds = [line.kind for line in ledger.lines()]
        now = sum(line.what.startswith("curator stretch") for line in ledger.lines())
        assert len(given(tmp_path)) <= now, "an answer that nobody paid for"
        assert now >= stretches, "a charge was forgotten"
        assert kinds.count("reserve") <= 1, "one budget, one reservation"
        stretches, moved = now, moved + (now > stretches)
    spent = sum(line.amount for line in ledger.lines() if line.kind == "charge")
    with quick_vault(tmp_path).curate() as curator:
        assert curator.budget_left == curator.plan.price.amount - spent
        seen = given(tmp_path)
        for question, value in seen.items():
            answer = curator.ask(question)
            assert (answer.source, answer.value) == ("repeated", value)
        left = curator.answers_left
        assert curator.ask("age < 18 AND sex = 'male'").answers_left in (left - 1, left)
    # The kills did fall into asking, and after answers that were paid for.
    assert len(seen) >= 5
    assert moved >= KILLS // 4


def durable_steps(monkeypatch, crash_at: int):
    """Makes the crash_at-th durable step fail, before or after it has happened: all that a kill can do to the disk."""

    class Killed(BaseException):
        pass

    count = [0]

    def counted(real):
        def step(*given, **more):
            count[0] += 1
            if count[0] == crash_at:
                raise Killed
            found = real(*given, **more)
            count[0] += 1
            if count[0] == crash_at:
                raise Killed
            return found

        return step

    for owner, name in ((StateFile, "_keep"), (Ledger, "_charge"), (Ledger, "reserve"), (Ledger, "create")):
        real = getattr(owner, name)
        monkeypatch.setattr(owner, name, counted(real))
    # A killed process tidies nothing up.
    monkeypatch.setattr(StateFile, "discard", StateFile.close)
    return Killed, count


@pytest.mark.parametrize(
    "more",
    [{"budget": ht.Budget(rho=40)}, {"budget": ht.Budget(epsilon=300)}, {"budget": ht.Budget(rho=400), "points": 79}],
    ids=["rho", "pure", "points"],
)
def test_a_crash_at_every_single_durable_step(tmp_path, more, monkeypatch):
    """The same as kills, but none of the moments between two writes is left to luck."""
    # So few points raise the threshold beyond all rows, and nothing would be paid for.
    monkeypatch.setattr(SubUniverse, "beyond", lambda self, questions, rows: 0.0)
    settings = SETTINGS | more | {"updates": 12}
    crash, finished, paid = 0, False, 0
    while not finished:
        crash += 1
        folder = tmp_path / str(crash)
        folder.mkdir()
        seen: dict[str, float] = {}
        with pytest.MonkeyPatch.context() as patch:
            stopped, steps = durable_steps(patch, crash)
            with contextlib.suppress(stopped), quick_vault(folder).curate(**settings) as curator:
                patch.setattr(curator, "close", curator._state.close)
                for text in WIDE_QUESTIONS[:5]:
                    answer = curator.ask(text)
                    if answer.source == "paid":
                        seen[text] = answer.value
            finished = steps[0] < crash
        paid = max(paid, len(seen))
        with quick_vault(folder).curate(**settings) as again:
            assert {text: again.ask(text).value for text in seen} == seen, crash
            lines = Ledger.open(folder / "t.ledger").lines()
            spent = sum(line.amount for line in lines if line.kind == "charge")
            assert again.budget_left == again.plan.price.amount - spent
            assert sum(line.kind == "reserve" for line in lines) == 1
            again.ask("sex = 'male' AND smoker")
    assert crash > 18
    assert paid >= 2


def test_a_full_disk_is_one_clear_line_and_costs_the_answer(tmp_path, monkeypatch):
    curator = quick_vault(tmp_path).curate(**SETTINGS)

    def full(file, data):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.write", full)
    with pytest.raises(BadPath, match="No space left on device; what was being answered is paid for and lost"):
        ask_all(curator, times=20)
    monkeypatch.undo()
    with quick_vault(tmp_path).curate() as again:
        assert again.ask(WIDE_QUESTIONS[0]).source in ("free", "paid")
