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
KINDS = "Theorem|Corollary|Lemma|Proposition|Claim|Fact|Conjecture|Definition|Algorithm|Figure|Table"
NUMBERED = re.compile(rf"\b({KINDS})s?\s+([0-9]+(?:\.[0-9]+)*)")
CLAIMED = re.compile(rf"\b(?:{KINDS}|Remark) [0-9]+(?:\.[0-9]+)*")
# Cited from elsewhere, by the numbers they have there.
FOREIGN = {
    "000": {"Lemma 3.11"},
    "002": {"Theorem 2", "Theorem 8", "Theorem 9", "Lemma 10", "Figure 3", "Figure 4"},
}


def known(source: dict) -> set[str]:
    """What has an item of its own, and what belongs to one."""
    steps = [step for steps in source.get("within", {}).values() for step in steps.split(", ")]
    return {*source["items"], *steps}


def numbered(text: str) -> set[str]:
    """All that a text calls by a number."""
    return {f"{kind} {number}" for kind, number in NUMBERED.findall(text)}


@pytest.mark.parametrize("key", INVENTORY)
def test_everything_that_a_source_numbers_is_in_it(key):
    source = INVENTORY[key]
    found = list(TEXTS.glob(f"{source['text']}_*.txt"))
    if not found:
        pytest.skip("the texts of the sources are not at hand; HUSHTABLE_SOURCES names their folder")
    stated = numbered(found[0].read_text("utf-8")) - FOREIGN.get(source["text"], set())
    assert sorted(stated - known(source)) == []


def test_every_text_of_the_folder_is_in_it():
    found = {path.name.partition("_")[0] for path in TEXTS.glob("*.txt")}
    if not found:
        pytest.skip("the texts of the sources are not at hand; HUSHTABLE_SOURCES names their folder")
    assert found == {source["text"] for source in INVENTORY.values()}


def test_what_is_not_there_is_seen():
    assert "Theorem 4" not in known(INVENTORY["ThaUV12"])
    assert {"Theorem 7.1.1", "Claim 4.3.9"} <= known(INVENTORY["Har11"])
    assert numbered("by **Lemma 4.3.9** (small) and Theorems 1.2") == {"Lemma 4.3.9", "Theorem 1.2"}


@pytest.mark.parametrize("key", INVENTORY)
def test_a_step_belongs_to_one_item_and_has_no_item_itself(key):
    source = INVENTORY[key]
    steps = [step for steps in source.get("within", {}).values() for step in steps.split(", ")]
    assert set(source.get("within", {})) <= set(source["items"])
    assert len(steps) == len(set(steps))
    assert not set(steps) & set(source["items"])


def test_every_paper_is_in_it_and_every_paper_in_it_exists():
    named = [paper for source in INVENTORY.values() for paper in source["papers"]]
    assert sorted(named) == sorted(reproduce._papers().listing())


@pytest.mark.parametrize(("key", "name", "item"), ITEMS, ids=[f"{key} {name}" for key, name, _ in ITEMS])
def test_an_item_has_a_command_that_exists_or_a_reason(key, name, item):
    assert item.get("command") or len(item.get("reason", "")) > 10
    assert set(item) <= {"command", "check", "reason"}
    for workload in re.findall(r"--workload '([^']+)'", item.get("command", "")):
        if "file=" not in workload:
            read_workload(workload)
    for mechanism in re.findall(r"--mechanism ('[^']+'|\S+)", item.get("command", "")):
        assert read_mechanism(mechanism.strip("'"))
    claims = {claim.name for paper in INVENTORY[key]["papers"] for claim in reproduce._papers().read_claims(paper)}
    assert set(filter(None, item.get("check", "").split(", "))) <= claims


def test_a_claim_about_something_numbered_is_a_check_of_it():
    for source in INVENTORY.values():
        for paper in source["papers"]:
            for claim in reproduce._papers().read_claims(paper):
                for name in CLAIMED.findall(claim.where):
                    assert claim.name in source["items"][name]["check"].split(", "), (paper, claim.name, name)
