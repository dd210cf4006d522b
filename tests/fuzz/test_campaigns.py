"""Hostile input of every kind: only typed errors of one line, in little memory and time, and nothing is executed.

The short runs are in the fast suite; `pytest -m audit` runs as many cases as the campaign says.
"""

from pathlib import Path

import pytest
from fuzzing import Report, campaign

HERE = Path(__file__).parent
SHORT = 2000
# Cases of the long run, and what must come out beside refusals: a fuzzer whose cases are all refused reaches nothing.
LONG = {
    "synopsis_files": (100_000, {"done", "BadSynopsis"}),
    "questions": (100_000, {"done", "BadQuestion", "UnknownAttribute", "CutInsideBin", "TooWide"}),
    "domain_files": (100_000, {"done", "BadDomain"}),
    "call_texts": (100_000, {"done", "BadPlan", "BadPath"}),
    "frames": (100_000, {"done", "BadData"}),
    "data_files": (10_000, {"done", "BadData"}),
    "state_files": (20_000, {"done", "BadState"}),
}
# Files of the file system are slower than what is in memory.
FEWER = {"data_files": 300, "state_files": 500, "questions": 1000}


def check(report: Report, wanted: set[str], each: float = 10) -> None:
    assert report.findings == []
    assert report.forbidden == []
    assert report.slowest < each, report.slowest_case
    assert report.grown_megabytes < 700
    assert wanted <= set(report.outcomes), report.outcomes


@pytest.mark.parametrize("name", LONG)
def test_a_short_run_finds_nothing(name: str) -> None:
    report = campaign(HERE / f"{name}.py", cases=FEWER.get(name, SHORT), seed=7)
    check(report, {"done"})


@pytest.mark.audit
def test_bombs_go_off_in_no_more_than_this() -> None:
    report = campaign(HERE / "bombs.py", cases=14, each=60)
    print(f"bombs: {report}")
    check(report, {"done", "BadSynopsis", "BadData", "BadDomain"}, each=60)


@pytest.mark.audit
@pytest.mark.parametrize("name", LONG)
def test_a_long_run_finds_nothing(name: str) -> None:
    cases, wanted = LONG[name]
    report = campaign(HERE / f"{name}.py", cases=cases, seed=1)
    print(f"{name}: {report}")
    check(report, wanted)


BROKEN = """
import os, subprocess
from hushtable.errors import BadData
from pathlib import Path

def prepare(folder):
    def run(luck):
        what = luck.randrange(8)
        if what == 0:
            raise KeyError("an error that nobody foresaw")
        if what == 1:
            raise BadData("x" * 10).__class__("fine")
        if what == 2:
            subprocess.run(["true"])
        if what == 3:
            open(Path(folder).parent / "fuzzed-by-mistake", "w").close()
            os.remove(Path(folder).parent / "fuzzed-by-mistake")
        if what == 4:
            bytearray(2 * 10**9)
        if what == 5:
            error = BadData("fine")
            error.args = ("two\\nlines",)
            raise error
    return run
"""


def test_the_harness_sees_what_it_should(tmp_path: Path) -> None:
    """Power: a campaign that does all that is forbidden is found out."""
    (tmp_path / "broken.py").write_text(BROKEN)
    report = campaign(tmp_path / "broken.py", cases=100)
    findings = " ".join(report.findings)
    assert "KeyError: 'an error that nobody foresaw'" in findings
    assert "MemoryError" in findings
    assert "not one printable line" in findings
    assert {"done", "BadData", "FOUND KeyError", "FOUND MemoryError"} <= set(report.outcomes)
    events = " ".join(report.forbidden)
    assert "subprocess.Popen" in events
    assert "open" in events
    assert "os.remove" in events


def test_a_process_that_dies_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text("import os\ndef prepare(folder):\n    return lambda luck: os.abort()\n")
    assert "ended with -6" in campaign(tmp_path / "dies.py", cases=1).findings[0]
