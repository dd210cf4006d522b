"""Commits are checked by what `make lint` runs, with nothing downloaded; the templates name what exists."""

import re
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]
TEMPLATES = sorted((ROOT / ".github").rglob("*.md"))


def test_a_commit_is_checked_by_the_tools_of_make_lint():
    settings = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text("utf-8"))
    assert {repo["repo"] for repo in settings["repos"]} == {"local"}
    hooks = [hook for repo in settings["repos"] for hook in repo["hooks"]]
    assert {hook["language"] for hook in hooks} == {"system"}
    lint = re.findall(r"\$\(BIN\)/((?:ruff|mypy)[^.\n]*)", (ROOT / "Makefile").read_text("utf-8"))
    entries = [hook["entry"].removeprefix(".venv/bin/").removesuffix(" --force-exclude") for hook in hooks]
    assert entries == [command.strip() for command in lint]


def test_there_is_a_template_for_each_kind_of_message():
    names = {path.stem for path in TEMPLATES}
    assert names == {"bug", "idea", "privacy-hole", "pull_request_template"}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.stem)
def test_a_template_names_files_and_targets_that_exist(path):
    text = path.read_text("utf-8")
    named = set(re.findall(r"\b(?:docs|src|tests)/[\w/.-]*\w", text)) - {"tests/contract/test_catalogue.py"}
    assert [name for name in named if not (ROOT / name).exists()] == []
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"`make ([a-z-]+)`", text)) <= set(targets)
