"""Every Python block and every `$ hush` line of the README, CONTRIBUTING and docs runs, in the order of the page."""

import re
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from hushtable.cli import main
from hushtable.demo.run import prepare, release

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
ROWS = 6_000
# The pages start from the files this command leaves behind; `demo` below makes them with fewer rows.
GIVEN = "hush demo --folder demo"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT_CODE = re.compile(r"# exit code (\d)")


@dataclass(frozen=True)
class Step:
    """A Python block, or one `hush` command with the exit code the text promises."""

    kind: str
    text: str
    line: int
    exit_code: int = 0


def steps(page: str) -> list[Step]:
    found = []
    for block in BLOCK.finditer(page):
        kind, text = block.groups()
        line = page.count("\n", 0, block.start()) + 2
        if kind == "python":
            found.append(Step(kind, text, line))
            continue
        for command in re.findall(r"^\$ (hush .*)$", text.replace("\\\n", ""), re.MULTILINE):
            stated = EXIT_CODE.search(command)
            found.append(Step(kind, command, line, int(stated[1]) if stated else 0))
    return found


def run_command(text: str, monkeypatch: pytest.MonkeyPatch) -> int:
    """The exit code of a `hush` line, run in this process by the entry point that the shell calls."""
    monkeypatch.setattr(sys, "argv", shlex.split(text, comments=True))
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


@pytest.fixture(scope="session")
def demo(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made") / "demo"
    folder.mkdir()
    prepare(folder, rows=ROWS, seed=1)
    release(folder, rows=ROWS)
    return folder


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_page_runs(path, demo, tmp_path, monkeypatch, capsys):
    shutil.copytree(demo, tmp_path / "demo")
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    for step in steps(path.read_text("utf-8")):
        where = f"{path.relative_to(ROOT)}, block at line {step.line}"
        if step.kind == "python":
            exec(compile(step.text, where, "exec"), names)
        elif step.text != GIVEN:
            got = run_command(step.text, monkeypatch)
            shown = capsys.readouterr()
            assert got == step.exit_code, f"{where}: {step.text}\n{shown.out}{shown.err}"


def test_the_pages_have_something_to_run():
    kinds = [step.kind for path in PAGES for step in steps(path.read_text("utf-8"))]
    assert kinds.count("python") >= 10
    assert kinds.count("console") >= 20


def test_steps_come_in_the_order_of_the_page_with_their_exit_codes():
    page = "```console\n$ hush ask a \\\n  b\n0.5\n$ ls\n$ hush plan  # exit code 3\n```\n\n```python\nx = 1\n```\n"
    found = steps(page)
    assert [(s.kind, s.exit_code) for s in found] == [("console", 0), ("console", 3), ("python", 0)]
    assert shlex.split(found[0].text) == ["hush", "ask", "a", "b"]


@pytest.mark.parametrize(("line", "code"), [("hush --version", 0), ("hush ask", 2), ("hush ask none.hush x", 1)])
def test_an_exit_code_is_the_one_of_the_command(line, code, monkeypatch, capsys):
    assert run_command(line, monkeypatch) == code
    capsys.readouterr()
