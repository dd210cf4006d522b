"""The inventory of the sources: complete, and every command in it names what there is."""

import os
import re
import tomllib
from pathlib import Path

import pytest

from hushtable.cli import reproduce
from hushtable.mechanisms import read_mechanism
from hushtable.questions.workloads import read_workload

ROOT = Path(__file__).parents[2]
TEXTS = Path(os.environ.get("HUSHTABLE_SOURCES", ROOT.parent / "shared" / "seeds"))
INVENTORY = tomllib.loads((ROOT / "papers" / "inventory.toml").read_text("utf-8"))
ITEMS = [(key, name, item) for key, source in INVENTORY.items() for name, item in source["items"].items()]
NUMBERED = re.compile(r"\b(Theorem|Algorithm) ([0-9]+(?:\.[0-9]+)*)")
# Cited from elsewhere, by the numbers they have there.
FOREIGN = {"002": {("Theorem", "2"), ("Theorem", "8"), ("Theorem", "9")}}


def known(items: dict, kind: str, number: str) -> bool:
    """By its own number, or with its chapter."""
    chapter = items.get(f"{kind} {number.partition('.')[0]}", {})
    return f"{kind} {number}" in items or bool(chapter.get("chapter"))


@pytest.mark.parametrize("key", INVENTORY)
def test_every_numbered_algorithm_and_theorem_is_in_it(key):
    source = INVENTORY[key]
    found = list(TEXTS.glob(f"{source['text']}_*.txt"))
    if not found:
        pytest.skip("the texts of the sources are not at hand; HUSHTABLE_SOURCES names their folder")
    numbered = set(NUMBERED.findall(found[0].read_text("utf-8"))) - FOREIGN.get(source["text"], set())
    missing = sorted(f"{kind} {number}" for kind, number in numbered if not known(source["items"], kind, number))
    assert not missing


def test_what_is_not_there_is_seen():
    assert not known(INVENTORY["ThaUV12"]["items"], "Theorem", "4")
    assert known(INVENTORY["Har11"]["items"], "Theorem", "7.1.1")


def test_every_paper_is_in_it_and_every_paper_in_it_exists():
    named = [paper for source in INVENTORY.values() for paper in source["papers"]]
    assert sorted(named) == sorted(reproduce._papers().listing())


@pytest.mark.parametrize(("key", "name", "item"), ITEMS, ids=[f"{key} {name}" for key, name, _ in ITEMS])
def test_an_item_has_a_command_that_exists_or_a_reason(key, name, item):
    assert item.get("command") or len(item.get("reason", "")) > 10
    assert set(item) <= {"command", "check", "reason", "chapter"}
    for workload in re.findall(r"--workload '([^']+)'", item.get("command", "")):
        if "file=" not in workload:
            read_workload(workload)
    for mechanism in re.findall(r"--mechanism ('[^']+'|\S+)", item.get("command", "")):
        assert read_mechanism(mechanism.strip("'"))
    claims = {claim.name for paper in INVENTORY[key]["papers"] for claim in reproduce._papers().read_claims(paper)}
    assert set(filter(None, item.get("check", "").split(", "))) <= claims


def test_every_claim_about_something_numbered_is_about_something_in_it():
    for source in INVENTORY.values():
        for paper in source["papers"]:
            for claim in reproduce._papers().read_claims(paper):
                for kind, number in NUMBERED.findall(claim.where):
                    assert known(source["items"], kind, number), (paper, claim.name)
