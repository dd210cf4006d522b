"""The reading order on the first page of the vault: it names files that are there, and leaves out none that matters."""

import re
from pathlib import Path

import pytest

from hushtable import vault

FOLDER = Path(vault.__file__).parent
# Every module that can spend, charge or draw; kernels and single statistics are read by their folder.
TRUSTED = [*(FOLDER / "door").glob("*.py"), *(FOLDER / "ledger").glob("*.py"), *FOLDER.glob("*.py")]


def named() -> set[str]:
    """Names of files in the text, without their folders."""
    return set(re.findall(r"(\w+\.py)", vault.__doc__))


def test_every_file_that_is_named_is_there():
    there = {path.name for path in FOLDER.rglob("*.py")}
    assert named() <= there


@pytest.mark.parametrize("path", [p for p in TRUSTED if p.name != "__init__.py"], ids=lambda p: p.name)
def test_every_file_of_the_trusted_code_is_named(path):
    assert path.name in named()


def test_every_argument_that_statistics_share_is_named():
    shared = {"base.py", "table_statistic.py", "sensitivity.py", "rare_sensitivity.py"}
    assert shared <= named()
