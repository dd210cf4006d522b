"""Python files and folders of the project that the pages name are there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / ".github").rglob("*.md"))]
TOPS = ("benchmarks", "docs", "papers", "src", "tests", "tools")
FILES = [path.relative_to(ROOT).as_posix() for top in TOPS for path in (ROOT / top).rglob("*")]
NAMED = re.compile(r"`((?:[\w.-]+/)*(?:[\w-]+\.py|[\w.-]+/))`")
# `vault/` in a page is `src/hushtable/vault/`; what a reader would write has this name.
PLACEHOLDER = "NAME"
# Made together with the catalogue of specimens.
CATALOGUE = {"tests/contract/test_catalogue.py", "src/hushtable/audit/specimens.py", "statistic_specimens.py"}
# The changelog tells of files that are gone.
OLD = ROOT / "CHANGELOG.md"


def there(name: str) -> bool:
    """Whether a path of the project ends so."""
    end = name.rstrip("/")
    return any(path == end or path.endswith(f"/{end}") for path in FILES)


@pytest.mark.parametrize("page", [page for page in PAGES if page != OLD], ids=lambda p: p.relative_to(ROOT).as_posix())
def test_a_named_file_is_there(page):
    named = {name for name in NAMED.findall(page.read_text("utf-8")) if PLACEHOLDER not in name}
    assert sorted(name for name in named - CATALOGUE if not there(name)) == []


def test_names_are_found_wherever_they_stand():
    text = (
        "`vault/door/door.py`, `test_a.py`, `models/`, not `ht.plan`, `a/b` or `x.csv`, `src/hushtable/models/NAME.py`"
    )
    assert NAMED.findall(text) == ["vault/door/door.py", "test_a.py", "models/", "src/hushtable/models/NAME.py"]
    assert there("vault/door/door.py")
    assert there("vault/")
    assert not there("vault/nowhere.py")
    assert not there("or/door.py")
