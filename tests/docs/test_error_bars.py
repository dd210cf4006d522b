"""The page of error bars names every mechanism and every word for where a value comes from; its commands are there."""

import re
from pathlib import Path

import pytest

from hushtable.mechanisms import mechanisms

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "error-bars.md").read_text("utf-8")
ESTIMATORS = ("exact", "model", "measured", "calibrated", "assisted", "minimax", "polynomial", "computed", "unknown")


@pytest.mark.parametrize("name", sorted(mechanisms()))
def test_every_mechanism_has_a_line(name):
    assert any(f"`{name}`" in line for line in PAGE.splitlines() if line.startswith("|"))


@pytest.mark.parametrize("word", ESTIMATORS)
def test_every_word_is_explained(word):
    assert f"`{word}`" in PAGE


def test_every_command_is_there():
    files = {path.stem for path in (ROOT / "benchmarks").glob("*.py")}
    asked = set(re.findall(r"`python -m benchmarks (\w+)`", PAGE))
    assert asked
    assert asked <= files
