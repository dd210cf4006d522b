"""The site has every page once, and needs nothing from elsewhere; `make site` builds it and follows the links."""

from pathlib import Path

import yaml

ROOT = Path(__file__).parents[2]
SETTINGS = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))


def pages(part):
    """The files of a navigation, in their order."""
    if isinstance(part, str):
        return [part]
    return [page for inner in (part.values() if isinstance(part, dict) else part) for page in pages(inner)]


def test_every_page_is_in_the_navigation_once():
    there = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    assert sorted(pages(SETTINGS["nav"])) == sorted(path.relative_to(ROOT).as_posix() for path in there)


def test_a_link_that_leads_nowhere_fails_the_build():
    kinds = {"not_found", "anchors", "absolute_links", "unrecognized_links"}
    assert {kind: SETTINGS["validation"]["links"][kind] for kind in kinds} == dict.fromkeys(kinds, "warn")
    assert SETTINGS["validation"]["omitted_files"] == "warn"
    makefile = (ROOT / "Makefile").read_text("utf-8")
    assert "mkdocs build --quiet --strict" in makefile
    assert "make site" in (ROOT / ".ci" / "run").read_text("utf-8")


def test_nothing_is_fetched_when_the_site_is_read():
    assert SETTINGS["theme"]["font"] is False
    assert SETTINGS["plugins"] == ["search"]
    assert "extra_javascript" not in SETTINGS
    assert "extra_css" not in SETTINGS
