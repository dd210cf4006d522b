"""Journal of a release: what came through the door, on the disk until the synopsis is. It holds no private number."""

from __future__ import annotations

import base64
import contextlib
import hashlib
import json
import os
import shlex
import shutil
import uuid
from pathlib import Path
from typing import Any

import numpy as np

from .. import __version__
from ..budget import Budget
from ..domain import Domain
from ..errors import BadPath, BadPlan, BadState, HushError
from ..mechanisms import read_mechanism
from ..mechanisms.planner import Plan, plan
from ..questions.workloads import read_workload
from ..vault.door.door import Journal, Seen
from ..vault.ledger.sealed_lines import StateFile

__all__ = ["ENDING", "ReleaseJournal"]

ENDING = ".part"
# Bytes a number takes in the journal (64 bits in base64) and at most in the synopsis, and what comes on top.
PER_NUMBER, PER_NUMBER_SAVED, BESIDES = 11, 9, 20_000
# Room for all of a step but its numbers.
STEP_BYTES = 4096


class ReleaseJournal(StateFile, Journal):
    """The steps of one release, each written after its charge and before anybody sees what came of it.

    What is in it left the door, so it is as public as the synopsis made of it. It is removed when that is saved.
    """

    noun, loss = "the journal of a release", "mend that and finish the release"
    busy = "the release it belongs to is under way in another process; wait for it"

    def __init__(self, path: str | Path) -> None:
        super().__init__(path)
        self._next = 1

    @classmethod
    def begin(cls, path: Path, made: Plan, *, ledger: Path, data: str | None) -> ReleaseJournal:
        """A new journal; BadPath when there is one, or no room for what this release will write."""
        if os.path.lexists(path):
            raise BadPath(f"{path} is a release that was interrupted; finish it with {_command(path)}, or move it away")
        _check_room(path.absolute().parent, made.design.numbers)
        journal = cls(path)
        journal.append(
            "begin",
            nonce=uuid.uuid4().hex,
            version=__version__,
            domain=json.dumps(made.domain.to_dict()),  # as text: the order of the attributes counts
            budget=made.budget.to_dict(),
            ledger=str(ledger.absolute()),
            data=data,
            **_facts(made),
        )
        return journal

    @classmethod
    def open(cls, path: str | Path) -> ReleaseJournal:
        """The journal of a release that was interrupted."""
        try:
            with Path(path).open("rb") as file:
                # A line is cut off when half of it is missing, which must not happen to somebody's other file.
                sound = file.read(2) == b'{"'
        except OSError as error:
            raise BadPath(f"cannot read {path}: {error.strerror}; give the {ENDING} file of a release") from None
        journal = cls(path) if sound else None
        if journal is None or not journal.entries or journal.entries[0]["kind"] != "begin":
            raise BadState(
                f"{path} is not the journal of a release; give the {ENDING} file that an interrupted one left"
            )
        return journal

    @property
    def facts(self) -> dict[str, Any]:
        """What was decided when it began."""
        return self.entries[0]

    @property
    def mark(self) -> str:
        """What the ledger calls it."""
        return self.hashes[0][:16]

    @property
    def advice(self) -> str:
        """What to type to finish the release."""
        if _readable(self.facts):
            return f"nothing that was paid for is lost: finish with {_command(self.path)}"
        return f"nothing that was paid for is lost: finish with Vault.resume({str(self.path)!r}, plan=plan)"

    def plan(self, given: Plan | None) -> Plan:
        """The plan it was begun with: made again, or the one given if it is the same; else BadPlan."""
        facts = self.facts
        made = given or plan(
            Domain.from_dict(json.loads(facts["domain"])),
            workload=facts["workload"],
            mechanism=read_mechanism(facts["mechanism"], recorded=True),
            budget=(budget := Budget.from_dict(facts["budget"])),
            rows=facts["rows"],
            # Before there was a choice all that could be was spent in zcdp.
            currency=facts.get("currency", "zcdp" if "zcdp" in budget.currencies else None),
        )
        if any(facts.get(name, value) != value for name, value in _facts(made).items()):
            raise BadPlan(f"{self.path} was begun with another plan; give the same domain, workload, budget and rows")
        return made

    def recall(self, step: str, facts: tuple[object, ...]) -> Seen | None:
        if self._next >= len(self.entries):
            return None
        entry = self.entries[self._next]
        if entry["kind"] == "lost":
            raise BadState(f"{self.path}: what was drawn next could not be written, and must not be drawn again")
        if entry["kind"] != "step" or entry["step"] != step or entry["facts"] != _digest(facts):
            raise BadState(
                f"{self.path} has '{entry.get('step', entry['kind'])}' where the release now does '{step}'; finish it "
                f"with hushtable {self.facts['version']}, which began it"
            )
        self._next += 1
        try:
            return {name: _decoded(value) for name, value in entry["seen"].items()}
        except (ValueError, TypeError, KeyError, AttributeError):
            raise BadState(f"{self.path}: its line {self._next} was edited; put the right file back") from None

    def make_room(self, numbers: int) -> None:
        """Sizes are public, so that a disk that is full says nothing about what was drawn."""
        if hasattr(os, "posix_fallocate"):
            at = os.lseek(self._file, 0, os.SEEK_CUR)
            try:
                os.posix_fallocate(self._file, at, STEP_BYTES + PER_NUMBER * numbers)
            except OSError as error:
                raise BadPath(f"cannot write {self.path}: {error.strerror}; {self.loss}") from None

    def keep(self, step: str, facts: tuple[object, ...], seen: Seen) -> None:
        at = os.lseek(self._file, 0, os.SEEK_CUR)
        try:
            self.append("step", step=step, facts=_digest(facts), seen={k: _encoded(v) for k, v in seen.items()})
        except HushError:
            # How much was to be written may depend on what was drawn: whether it is drawn again must not.
            with contextlib.suppress(OSError, HushError):
                os.ftruncate(self._file, at)
                os.lseek(self._file, at, os.SEEK_SET)
                self.append("lost")
            raise
        self._next = len(self.entries)

    def remove(self) -> None:
        """Nothing is kept any longer."""
        self.path.unlink(missing_ok=True)
        self.close()


def _facts(made: Plan) -> dict[str, Any]:
    """What makes two plans the same release."""
    file = getattr(made.workload, "file", None)
    return {
        "plan": made.digest,
        "workload": made.workload.recorded,
        "mechanism": made.design.recorded,
        "rows": made.rows,
        "currency": made.currency,
        "file": _digest((Path(file).read_bytes(),)) if file and Path(file).is_file() else None,
        "own": type(made.by).__qualname__,
    }


def _readable(facts: dict[str, Any]) -> bool:
    """Whether workload and mechanism can be made of their texts; those of one's own cannot."""
    try:
        read_workload(facts["workload"])
        return bool(type(read_mechanism(facts["mechanism"])).__qualname__ == facts["own"])
    except HushError:
        return False


def _command(path: Path) -> str:
    return f"hush release --resume {shlex.quote(str(path))}"


def _check_room(folder: Path, numbers: int) -> None:
    """BadPath when the disk has no room for journal and synopsis. Asked before anything is spent."""
    needed = BESIDES + numbers * (PER_NUMBER + PER_NUMBER_SAVED)
    try:
        free = shutil.disk_usage(folder).free
    except OSError as error:
        raise BadPath(f"cannot write to {folder}: {error.strerror}; choose a folder you can write to") from None
    if free < needed:
        raise BadPath(f"{folder} has {free:,} bytes free and this release writes about {needed:,}; make room first")


def _digest(facts: tuple[object, ...]) -> str:
    """SHA-256 of what a step was asked for: arrays by their content, all else by what it prints."""
    digest = hashlib.sha256()
    for fact in facts:
        plain = fact.astype(np.int64) if isinstance(fact, np.ndarray) else None
        content = repr(fact).encode() if plain is None else np.ascontiguousarray(plain).data
        kind = "str" if isinstance(fact, str) else type(fact).__name__  # a law is a text too
        digest.update(f"{kind} {len(content)}\n".encode())
        digest.update(content)
    return digest.hexdigest()


def _encoded(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return {"numbers": base64.b64encode(np.ascontiguousarray(value, dtype="<i8").data).decode("ascii")}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode("ascii")}
    if isinstance(value, list):
        return {"list": [base64.b64encode(item).decode("ascii") for item in value]}
    return value


def _decoded(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "numbers" in value:
        return np.frombuffer(base64.b64decode(value["numbers"], validate=True), dtype="<i8").astype(np.int64)
    if "bytes" in value:
        return base64.b64decode(value["bytes"], validate=True)
    return [base64.b64decode(item, validate=True) for item in value["list"]]
