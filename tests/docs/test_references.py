"""Every source cited in the code has an entry in docs/references.bib, and every entry is cited."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# BunS16, BarCDKMT07, Mir12: up to three letters of the first author, an initial for each other one, the year.
KEY = re.compile(r"\b[A-Z][a-z]{1,2}[A-Z]*\d{2}[a-z]?\b")
BRACKETS = re.compile(r"\[[^\[\]\n]*\]")
SOURCE = re.compile(r"""^\s+source = ["'](.+)["']$""", re.MULTILINE)


def entries() -> dict[str, str]:
    text = (ROOT / "docs" / "references.bib").read_text("utf-8")
    parts = re.split(r"^@\w+\{", text, flags=re.MULTILINE)[1:]
    return {part.split(",", 1)[0].strip(): part for part in parts}


def cited(folder: str, pattern: str) -> dict[str, Path]:
    """Key to a file that cites it."""
    found = {}
    for path in sorted((ROOT / folder).rglob(pattern)):
        text = path.read_text("utf-8")
        keys = [key for bracket in BRACKETS.findall(text) for key in KEY.findall(bracket)]
        found |= dict.fromkeys([*keys, *SOURCE.findall(text)], path)
    return found


def test_every_key_cited_in_the_code_is_in_the_bibliography():
    missing = {key: str(path) for key, path in cited("src", "*.py").items() if key not in entries()}
    assert not missing


def test_every_key_cited_in_the_docs_is_in_the_bibliography():
    missing = {key: str(path) for key, path in cited("docs", "*.md").items() if key not in entries()}
    assert not missing


def test_every_entry_is_cited():
    assert set(entries()) <= set(cited("src", "*.py")) | set(cited("docs", "*.md"))


@pytest.mark.parametrize("key", entries())
def test_an_entry_says_who_what_where_and_when(key):
    fields = set(re.findall(r"^\s+(\w+)\s*=", entries()[key], flags=re.MULTILINE))
    assert {"author", "title", "year"} <= fields
    assert fields & {"journal", "booktitle", "eprint", "school"}


def test_a_citation_is_recognised_wherever_it_stands():
    text = "rho adds [BunS16, Prop. 1.6; CanKS20], parities [BarCDKMT07], not values[0] or array[Float64]"
    assert [k for b in BRACKETS.findall(text) for k in KEY.findall(b)] == ["BunS16", "CanKS20", "BarCDKMT07"]
