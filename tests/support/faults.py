"""Faults: `hush` in processes that are killed, starved or crowded, and what must hold afterwards."""

from __future__ import annotations

import contextlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path

from curators import write_table

import hushtable as ht
from hushtable.cli import main
from hushtable.vault.ledger.chain import Line
from hushtable.vault.ledger.ledger import Ledger

# Imports and compiles once, then runs each command it reads in a process of its own, which costs milliseconds.
ZYGOTE = """
import json, os, sys
from curators import rehearsal, ask_all
from specimens import CLOSED, RHO, TABLES, Specimen
import duckdb, hushtable.owner.vault
from hushtable.cli import main
ask_all(rehearsal())
Specimen("warm", CLOSED, "marginals(width=2)", "low-order", RHO, TABLES).release()
print("ready", flush=True)
for line in sys.stdin:
    arguments, folder, log = json.loads(line)
    child = os.fork()
    if child == 0:
        os.chdir(folder)
        sink = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        os.dup2(sink, 1), os.dup2(sink, 2), os.close(0)
        sys.argv = ["hush", *arguments]
        code = 1
        try:
            main()
            code = 0
        except SystemExit as stop:
            code = int(stop.code or 0)
        except BaseException as error:
            print("UNCAUGHT", repr(error), flush=True)
            code = 70
        finally:
            sys.stdout.flush()
            os._exit(code)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""
PLACES = (Path(ht.__file__).parents[1], Path(__file__).parent)


class Zygote:
    """Runs commands one after the other, each in a fresh process."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", ZYGOTE],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, PLACES))},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._read() == "ready"

    def _read(self) -> str:
        assert self._process.stdout
        return self._process.stdout.readline().strip()

    def start(self, arguments: list[str], folder: Path, log: str = "log") -> int:
        """The process of a command that has begun."""
        assert self._process.stdin
        self._process.stdin.write(json.dumps([arguments, str(folder), log]) + "\n")
        self._process.stdin.flush()
        return int(self._read())

    def wait(self) -> int:
        """Its exit code; below 0 the signal that ended it."""
        return int(self._read())

    def run(self, arguments: list[str], folder: Path, log: str = "log") -> int:
        """Begins and waits."""
        self.start(arguments, folder, log)
        return self.wait()

    def kill(self, arguments: list[str], folder: Path, *, after: float, writes: tuple[Path, int] | None = None) -> int:
        """Kills it some time after it has begun, or has written so often to a file, if it has not ended by then."""
        began = writes[0].stat().st_mtime_ns if writes else 0
        process = self.start(arguments, folder)
        if writes:
            _written(*writes, began)
        time.sleep(after)
        with contextlib.suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        return self.wait()

    def close(self) -> None:
        """Ends it."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.wait(timeout=30)


def _written(file: Path, times: int, last: int, *, most: float = 5.0) -> None:
    """Waits until a file has been written to so often, or for some time."""
    end = time.monotonic() + most
    while times > 0 and time.monotonic() < end:
        now = file.stat().st_mtime_ns
        times, last = times - (now != last), now
        time.sleep(0.0005)


@contextmanager
def zygotes(number: int) -> Iterator[list[Zygote]]:
    made = [Zygote() for _ in range(number)]
    try:
        yield made
    finally:
        for one in made:
            one.close()


def table(folder: Path, *, rho: str = "1") -> Path:
    """A folder with a table, its domain and its ledger."""
    folder.mkdir(parents=True, exist_ok=True)
    write_table(folder)
    shape = ht.Domain.load(folder / "t.yaml")
    Ledger.create(folder / "t.ledger", table="t", domain_digest=shape.digest, unit=shape.unit, total=ht.Budget(rho=rho))
    return folder


def release(name: str, rho: str, folder: str = ".") -> list[str]:
    """A command line."""
    return ["release", f"{folder}/t.csv", "--domain", f"{folder}/t.yaml", "--workload", "marginals(width=2)",
            "--mechanism", "low-order", "--rho", rho, "-o", f"{folder}/{name}.hush"]  # fmt: skip


def hush(arguments: list[str]) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of a command, in this process."""
    out, err, before = io.StringIO(), io.StringIO(), sys.argv
    sys.argv = ["hush", *arguments]
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main()
                code = 0
            except SystemExit as stop:
                code = int(stop.code or 0)
    finally:
        sys.argv = before
    return code, out.getvalue(), err.getvalue()


def is_one_clear_line(error: str) -> bool:
    """What a user is shown: one line, not a traceback and not the net for errors nobody foresaw."""
    return error.startswith("hush: ") and error.count("\n") == 1 and "unforeseen" not in error


def check_account(folder: Path) -> tuple[Fraction, int]:
    """No overspend, every published file paid in full by a line that it names; returns what is spent and the files."""
    ledger = Ledger.open(folder / "t.ledger")
    lines = ledger.lines()
    assert ledger.verify() == len(lines)
    assert ledger.spent <= ledger.total
    reserved = {line.number: line for line in lines if line.kind == "reserve"}
    charged = dict[int, Fraction]()
    for line in lines:
        if line.kind == "charge":
            charged[line.reservation] = charged.get(line.reservation, Fraction(0)) + line.amount
    assert all(charged[number] <= reserved[number].amount for number in charged)
    assert sum((reserved[number].amount for number in charged), Fraction(0)) <= ledger.spent
    files = sorted(folder.glob("*.hush"))
    for file in files:
        check_covered(file, reserved, charged, {line.synopsis_digest for line in lines if line.kind == "settle"})
    return ledger.spent, len(files)


def check_covered(file: Path, reserved: dict[int, Line], charged: dict[int, Fraction], settled: set[str]) -> None:
    synopsis = ht.load(file)
    entry = synopsis.accounting["ledger"]
    line = reserved[entry["line"]]
    assert line.hash == entry["hash"], f"{file} names another ledger's line"
    assert line.amount == Fraction(synopsis.accounting["price"])
    if synopsis.mechanism.startswith("curator"):
        # Reserved in full, and charged answer by answer.
        assert 0 < charged[line.number] <= line.amount, f"{file} is not paid for"
        return
    # The door rounds prices so that the last thousandth of a millionth may stay unspent.
    assert line.amount * Fraction(999_999, 1_000_000) <= charged[line.number] <= line.amount, f"{file} is not paid for"
    assert synopsis.digest in settled
