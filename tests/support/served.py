"""A folder of small releases, and servers of it: as an application, or as a process."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from curators import SHAPE, quick_vault
from starlette.testclient import TestClient

import hushtable as ht
from hushtable.server.app import make_app
from hushtable.server.settings import Limits, Settings

BUDGET = ht.Budget(epsilon=1, delta="1e-9")
# A machine that is busy with other tests is slow, not wrong: only what people wait for has 20 seconds.
PATIENT = Limits(seconds=300)
PASSWORDS = {"ada": "correct horse", "bob": "battery staple", "olga": "owner of all"}


def shelf(folder: Path) -> Path:
    """A release, a rehearsal and a damaged file."""
    place = folder / "shelf"
    place.mkdir()
    vault = quick_vault(folder)
    plan = ht.plan(SHAPE, rows=2000, workload=ht.Marginals(width=2), budget=BUDGET)
    vault.release(plan).save(place / "visits.hush")
    vault.release(plan, randomness=ht.Simulated(1)).save(place / "rehearsal.hush")
    model = ht.plan(SHAPE, rows=2000, workload=ht.Marginals(width=2), budget=BUDGET, mechanism="mwem(rounds=3)")
    vault.release(model, randomness=ht.Simulated(2)).save(place / "rows.hush")
    (place / "broken.hush").write_bytes(b"not a zip")
    return place


def accounts(folder: Path, purse: int = 3) -> Path:
    """Ada and Bob ask, Olga owns."""
    from hushtable.server.accounts import Accounts

    made = Accounts(folder / "users.db", create=True)
    for name, password in PASSWORDS.items():
        made.add(name, password, role="owner" if name == "olga" else "analyst", purse=purse)
    return folder / "users.db"


@contextmanager
def client(folder: Path, limits: Limits = PATIENT, **more: Any) -> Iterator[TestClient]:
    """A browser without windows, at this machine's own server."""
    app = make_app(Settings(folder=folder, limits=limits, **more))
    with TestClient(app, base_url="http://localhost", follow_redirects=False) as made:
        yield made


def login(browser: TestClient, name: str) -> None:
    said = browser.post("/login", data={"name": name, "password": PASSWORDS[name]})
    assert said.status_code == 303, said.text


def form_token(page: str) -> str:
    found = re.search(r'name="form_token" value="(\w+)"', page)
    assert found, "the page has no form of ours"
    return found[1]


def message(response: Any) -> str:
    return str(response.json()["error"]["message"])


@contextmanager
def process(*arguments: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """`hush serve` as a process; yields its address and the process."""
    command = [sys.executable, "-c", "from hushtable.cli import main; main()", "serve", *arguments, "--port", "0"]
    running = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ.copy())
    assert running.stderr is not None
    try:
        lines = []
        for line in running.stderr:
            lines.append(line)
            if found := re.search(r"http://\S+", line):
                yield found[0], running
                return
        raise AssertionError("".join(lines))
    finally:
        running.kill()
        running.wait()
        running.stderr.close()


def begin_curator(folder: Path, updates: int = 30) -> tuple[str, ...]:
    """A table with a curator that `hush serve` can go on with; the options that name it."""
    from curators import RICH, vault, write_table

    write_table(folder)
    with vault(folder).curate(budget=RICH, way="hypothesis", updates=updates, questions=1000) as curator:
        curator.ask("smoker")
    names = {"--curator": "t.curator", "--data": "t.csv", "--domain": "t.yaml"}
    return tuple(word for option, name in names.items() for word in (option, str(folder / name)))


def said(line: str) -> dict[str, Any]:
    """A line of JSON."""
    found: dict[str, Any] = json.loads(line)
    return found


SMALL = Limits(body=20_000, body_seconds=0.5, question=500, questions=5, cells=50, rows=5_000)
