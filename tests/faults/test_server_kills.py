"""The server and its curator's process killed at any moment: no purse overspent, no paid answer lost."""

import os
import random
import signal
import threading
import time
from pathlib import Path

import pytest
from curators import WIDE_QUESTIONS
from served import accounts, begin_curator, process

import hushtable as ht
from hushtable.errors import InUse
from hushtable.server.accounts import Accounts
from hushtable.server.purses import Purses

KILLS = int(os.environ.get("HUSHTABLE_SERVER_KILLS", "4"))
PURSE = 6


@pytest.mark.slow
@pytest.mark.parametrize("victim", ["server", "curator"])
def test_kills_lose_nothing(tmp_path, victim):
    words, users = begin_curator(tmp_path, updates=60), accounts(tmp_path, purse=PURSE)
    token, chance = Accounts(users).new_token("ada"), random.Random(5)
    given: dict[str, float] = {}
    for _ in range(KILLS):
        with process(str(tmp_path), "--users", str(users), *words) as (url, running):
            asker = threading.Thread(target=_ask, args=(ht.connect(url, token), given, chance.random()))
            asker.start()
            time.sleep(chance.uniform(0.5, 2.5))
            os.kill(running.pid if victim == "server" else _child(running.pid), signal.SIGKILL)
            if victim == "curator":
                time.sleep(1.0)
        asker.join()
    purses = Purses(next(tmp_path.glob("*.purses")))
    with _curator(tmp_path) as curator:
        purses.settle(curator.knows)
        assert purses.used("ada") <= PURSE
        for question, value in given.items():
            again = curator.ask(question)
            assert (again.source, again.value) == ("repeated", value)


def _ask(server, given, start):
    """Asks until the server is gone; remembers what was paid for."""
    from_here = int(start * len(WIDE_QUESTIONS))
    for question in WIDE_QUESTIONS[from_here:] + WIDE_QUESTIONS[:from_here]:
        try:
            answer = server.curator.ask(question)
        except ht.HushError:
            continue
        if answer.source in ("paid", "repeated"):
            given[question] = answer.value


def _curator(folder):
    """The curator once the last process of the server has let go of it."""
    vault = ht.Vault(folder / "t.csv", ht.Domain.load(folder / "t.yaml"))
    for _ in range(100):
        try:
            return vault.curate(state=folder / "t.curator")
        except InUse:
            time.sleep(0.2)
    raise AssertionError("a process of the server lives on")


def _child(parent: int) -> int:
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            words = Path(f"/proc/{pid}/cmdline").read_text()
            owner = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        if "hushtable.server.keeper" in words and int(owner) == parent:
            return int(pid)
    raise AssertionError("no process of the curator")
