"""Every mechanism, statistic and model there is has a specimen; what is missing here is tested nowhere."""

from pathlib import Path

import pytest
from specimens import every_specimen

from hushtable.audit.specimens import CURATORS, SPECIMENS
from hushtable.audit.statistic_specimens import STATISTICS
from hushtable.mechanisms import mechanisms
from hushtable.models import MODELS
from hushtable.vault.statistics import statistics

FOLDER = "src/hushtable/audit"


def lacking(known, there) -> str:
    return ", ".join(sorted(set(known) - set(there)))


def test_every_mechanism_has_a_specimen():
    there = {specimen.by for specimen in SPECIMENS}
    assert not lacking(mechanisms(), there), f"add a Specimen of these to SPECIMENS in {FOLDER}/specimens.py"
    assert not lacking(there, mechanisms()), f"these in {FOLDER}/specimens.py are no mechanisms any more"


def test_every_mechanism_is_attacked_and_asked():
    attacked = {specimen.by for specimen in SPECIMENS if specimen.attacks}
    assert not lacking(mechanisms(), attacked), f"give a Specimen of these an Attack in {FOLDER}/specimens.py"
    assert all(specimen.questions for specimen in SPECIMENS), "what may be asked of it?"


def test_every_model_has_a_specimen():
    there = {specimen.model for specimen in SPECIMENS}
    assert not lacking(MODELS, there), f"add a Specimen whose release is one of these to {FOLDER}/specimens.py"
    assert not lacking(there, MODELS), f"these in {FOLDER}/specimens.py are no models any more"


def test_every_statistic_has_a_specimen():
    """Whether or not the package of statistics names it."""
    known = statistics()
    assert not lacking(known, STATISTICS), f"add these to STATISTICS in {FOLDER}/statistic_specimens.py"
    assert not lacking(STATISTICS, known), f"these in {FOLDER}/statistic_specimens.py are no statistics any more"


def test_names_are_given_once():
    names = [specimen.name for specimen in (*SPECIMENS, *CURATORS)]
    assert len(set(names)) == len(names)


def test_a_new_class_is_seen(monkeypatch):
    """Power: a mechanism, a model and a statistic that nobody added."""
    monkeypatch.setitem(mechanisms(), "new", None)
    with pytest.raises(AssertionError, match=r"add a Specimen of these to SPECIMENS in src/hushtable/audit/specimens"):
        test_every_mechanism_has_a_specimen()
    monkeypatch.delitem(STATISTICS, "row-count")
    with pytest.raises(AssertionError, match=r"add these to STATISTICS in src/hushtable/audit/statistic_specimens"):
        test_every_statistic_has_a_specimen()


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("lists")


@pytest.mark.parametrize("name", [specimen.name for specimen in SPECIMENS])
def test_a_specimen_is_what_it_says(name, folder):
    (specimen,) = (specimen for specimen in every_specimen(folder) if specimen.name == name)
    plan, synopsis = specimen.plan(), specimen.release()
    assert plan.by.name == specimen.by
    assert synopsis.model.kind == specimen.model
    for question in specimen.questions:
        assert synopsis.ask(question).to_dict()["question"]
