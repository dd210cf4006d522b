"""What a domain is warned of: from the domain alone, and only where it will hurt."""

import pytest

import hushtable as ht
from hushtable.domain.identifier_names import names_an_identifier
from hushtable.domain.review import rough_averages, warnings_about

GOOD = {
    "age": {"kind": "integer", "between": [0, 99], "bins": 20},
    "sex": {"kind": "category", "values": ["f", "m"]},
}


def shape(attributes, **more):
    return ht.Domain.from_dict({"table": "t", "attributes": attributes} | more)


def test_a_good_domain_has_no_warning():
    assert warnings_about(shape(GOOD)) == []


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"town": {"kind": "category", "values": [f"v{i}" for i in range(1200)]}}, "town has 1,201 values"),
        ({"country": {"kind": "category", "values": ["here"]}}, "country has one value only"),
        (
            {"bmi": {"kind": "number", "between": [10, 60], "edges": [25]}},
            "averages rough whatever is spent: bmi (± 12)",
        ),
        ({"patient_id": {"kind": "open"}}, "patient_id looks like an id"),
        ({"patient": {"kind": "integer", "between": [1, 3000]}}, "patient looks like an id"),
    ],
)
def test_warnings(column, said):
    (warning,) = warnings_about(shape(GOOD | column))
    assert said in warning


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("patient", True),
        ("patientId", True),
        ("CASE-NO", True),
        ("e_mail", True),
        ("patient_age", False),
        ("idea", False),
        ("paid", False),
        ("123", False),
        ("", False),
    ],
)
def test_names_of_identifiers(name, is_one):
    assert names_an_identifier(name) == is_one


def test_a_short_list_of_kinds_of_clients_names_nobody():
    assert warnings_about(shape(GOOD | {"client": {"kind": "category", "values": ["new", "old"]}})) == []


def test_declared_means_and_units_silence_theirs():
    rough = GOOD | {"bmi": {"kind": "number", "between": [10, 60], "edges": [25]}}
    assert list(rough_averages(shape(rough))) == ["bmi"]
    assert warnings_about(shape(rough, means=["bmi"])) == []
    assert warnings_about(shape(GOOD | {"patient_id": {"kind": "open"}}, unit={"rows": 3})) == []
