"""The pages of docs/commands are exactly what tools/command_pages.py writes."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def tool():
    spec = importlib.util.spec_from_file_location("command_pages", ROOT / "tools" / "command_pages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_no_page_is_missing_or_extra(tool):
    assert {p.name for p in (ROOT / "docs" / "commands").glob("*")} == set(tool.pages()), "run `make docs`"


def test_no_page_is_out_of_date(tool):
    stale = [name for name, text in tool.pages().items() if tool.FOLDER.joinpath(name).read_text("utf-8") != text]
    assert not stale, "run `make docs`"


def test_every_command_of_the_design_has_a_page(tool):
    wanted = {"curate", "demo", "plan", "release", "ask", "plot", "sample", "reproduce"}
    wanted |= {f"domain-{name}" for name in ("check", "draft", "dummy")}
    wanted |= {f"ledger-{name}" for name in ("create", "show", "verify", "raise")}
    assert {f"{name}.md" for name in wanted} <= set(tool.pages())


def test_writing_replaces_stale_pages_and_removes_extra_ones(tool, tmp_path):
    (tmp_path / "gone.md").write_text("a command that is no more")
    (tmp_path / "ask.md").write_text("stale")
    tool.write(tmp_path)
    assert {p.name: p.read_text("utf-8") for p in tmp_path.iterdir()} == tool.pages()
