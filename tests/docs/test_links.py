"""Links between pages lead somewhere, every page is reachable, and every public name is documented."""

import re
from pathlib import Path

import pytest

import hushtable

ROOT = Path(__file__).parents[2]
PAGES = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")


def targets(path: Path) -> list[Path]:
    """The files a page links to."""
    links = [link.split("#")[0] for link in LINK.findall(path.read_text("utf-8"))]
    return [(path.parent / link).resolve() for link in links if link and "://" not in link]


@pytest.mark.parametrize("path", PAGES, ids=lambda p: str(p.relative_to(ROOT)))
def test_links_lead_to_files(path):
    assert [str(t) for t in targets(path) if not t.exists()] == []


def test_every_page_is_reached_from_the_readme():
    seen, waiting = set(), [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page not in seen and page.suffix == ".md":
            seen.add(page)
            waiting += targets(page)
    assert {p.resolve() for p in PAGES} <= {p.resolve() for p in seen}


def test_every_public_name_is_documented():
    text = (ROOT / "docs" / "python.md").read_text("utf-8")
    missing = [name for name in hushtable.__all__ if name != "__version__" and f"`{name}" not in text]
    assert not missing


def test_known_weaknesses_are_linked_on_the_first_screen():
    first = "\n".join((ROOT / "README.md").read_text("utf-8").splitlines()[:25])
    assert "docs/known-weaknesses.md" in first
