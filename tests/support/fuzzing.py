"""Fuzzing: runs many hostile cases in a process of its own, and tells what came out of them.

A campaign is a module with `prepare(folder)`, which returns a function that runs one case with the luck it is given.
A case may end well or with a HushError of one printable line; anything else is a finding. The process that runs it
has little memory, and an audit hook that notes whatever would execute, connect or write.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import hushtable
from hushtable.errors import HushError

SECONDS_PER_CASE = 10.0
MOST_FINDINGS = 40
LONGEST_MESSAGE = 3000
FORBIDDEN = (
    "os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.spawn", "os.startfile", "os.system", "pty.spawn",
    "subprocess.Popen", "socket.connect", "socket.bind", "urllib.Request", "pickle.find_class",
    "os.remove", "os.rename", "os.rmdir", "os.chmod", "os.link", "os.symlink", "shutil.rmtree", "shutil.move",
)  # fmt: skip
PLACES = [str(Path(hushtable.__file__).parents[1]), str(Path(__file__).parent)]

Case = Callable[[random.Random], object]


@dataclass
class Report:
    """What a campaign found."""

    cases: int
    outcomes: dict[str, int] = field(default_factory=dict)
    findings: list[str] = field(default_factory=list)
    forbidden: list[str] = field(default_factory=list)
    slowest: float = 0.0
    slowest_case: str = ""
    grown_megabytes: float = 0.0


class TooSlow(BaseException):
    """A case that took longer than any may."""


def campaign(
    module: Path, *, cases: int, seed: int = 0, megabytes: int = 1500, seconds: float = 1800, each: float = 10
) -> Report:
    """Runs the module's cases in another process; an abort of that process is a finding as well."""
    code = f"import fuzzing; fuzzing.child({str(module)!r}, {cases}, {seed}, {megabytes}, {each})"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([*PLACES, str(module.parent)])},
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    last = done.stdout.strip().rpartition("\n")[2]
    if done.returncode or not last.startswith("{"):
        return Report(cases, findings=[f"the process ended with {done.returncode}: {done.stderr[-3000:]}"])
    return Report(**json.loads(last))


def child(module: str, cases: int, seed: int, megabytes: int, each: float) -> None:
    """The other process."""
    global SECONDS_PER_CASE  # noqa: PLW0603 - a process runs one campaign
    SECONDS_PER_CASE = each
    sys.path.insert(0, str(Path(module).parent))
    with tempfile.TemporaryDirectory() as folder:
        run = importlib.import_module(Path(module).stem).prepare(Path(folder))
        with contextlib.suppress(HushError):
            run(random.Random(-1))  # whatever is loaded or compiled on first use
        report = _run(run, cases, seed, megabytes, Path(folder))
    print(json.dumps(asdict(report)))


def _run(run: Case, cases: int, seed: int, megabytes: int, folder: Path) -> Report:
    report, outcomes = Report(cases), Counter[str]()
    resource.setrlimit(resource.RLIMIT_AS, (_virtual_memory() + megabytes * 2**20,) * 2)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    signal.signal(signal.SIGPROF, _stop)
    with _watched(report, folder):
        for number in range(cases):
            began = time.process_time()  # a busy machine is no finding
            outcomes[_outcome(run, f"{seed}-{number}", report)] += 1
            took = time.process_time() - began
            if took > report.slowest:
                report.slowest, report.slowest_case = took, f"{seed}-{number}"
    report.grown_megabytes = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    report.outcomes = dict(outcomes.most_common())
    return report


def _outcome(run: Case, name: str, report: Report) -> str:
    signal.setitimer(signal.ITIMER_PROF, SECONDS_PER_CASE)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            run(random.Random(name))
        return "done"
    except HushError as error:
        text = str(error)
        if not text or not text.isprintable() or len(text) > LONGEST_MESSAGE:
            _find(report, f"{name}: a message of {len(text)} characters that is not one printable line: {text[:300]!r}")
        return type(error).__name__
    except (Exception, TooSlow) as error:
        where = " < ".join(
            f"{Path(f.filename).name}:{f.lineno}" for f in traceback.extract_tb(error.__traceback__)[:-8:-1]
        )
        _find(report, f"{name}: {type(error).__name__}: {str(error)[:200]} at {where}")
        return f"FOUND {type(error).__name__}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _find(report: Report, text: str) -> None:
    if len(report.findings) < MOST_FINDINGS:
        report.findings.append(text)


def _stop(number: int, frame: Any) -> None:
    raise TooSlow(f"longer than {SECONDS_PER_CASE} seconds")


@contextlib.contextmanager
def _watched(report: Report, folder: Path) -> Iterator[None]:
    on = [True]

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if on[0] and (event.startswith(FORBIDDEN) or (event == "open" and _writes(arguments))):
            # A campaign writes its cases into its folder, and nothing else is written or removed anywhere.
            if (arguments and str(arguments[0]).startswith(str(folder))) or (event == "pickle.find_class" and _numba()):
                return
            report.forbidden.append(f"{event} {arguments!r}"[:200])

    sys.addaudithook(hook)  # cannot be taken away again, so it is switched off
    try:
        yield
    finally:
        on[0] = False


def _numba() -> bool:
    """Whether numba is loading a kernel from its own cache."""
    frame: Any = sys._getframe()
    while frame is not None:
        if "/numba/" in frame.f_code.co_filename:
            return True
        frame = frame.f_back
    return False


def _writes(arguments: tuple[Any, ...]) -> bool:
    _, mode, flags = arguments
    writes = isinstance(mode, str) and set(mode) & set("wax+")
    return bool(writes or (isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)))


def _virtual_memory() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmSize"):
            return int(line.split()[1]) * 1024
    return 0
