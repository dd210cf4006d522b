"""Fixtures for all tests."""

import os
from pathlib import Path

import pytest

# Real tables are not part of the project: tests that want them skip where the folder is not there.
DATA = Path(os.environ.get("HUSHTABLE_DATA", Path(__file__).parents[2] / "shared" / "data"))


@pytest.fixture
def real_table():
    def path(name: str) -> Path:
        if not (DATA / name).exists():
            pytest.skip(f"the real table {name} is not here; set HUSHTABLE_DATA to a folder that has it")
        return DATA / name

    return path
