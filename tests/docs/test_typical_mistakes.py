"""Typical mistakes: each is answered by one line that names a way to mend it, in questions and in files."""

from pathlib import Path

import pyarrow as pa
import pytest
import yaml
from four_tables import release

import hushtable as ht
from hushtable.errors import HushError
from hushtable.vault.sources import open_source

CASES = yaml.safe_load((Path(__file__).parent / "typical_mistakes.yaml").read_text(encoding="utf-8"))
LONGEST = 400
ODD = {"sample.yr": {"kind": "integer", "between": [0, 3]}, "x y": {"kind": "boolean"}, "x-z": {"kind": "boolean"}}
DOMAIN = {
    "table": "t",
    "attributes": {
        "n": {"kind": "integer", "between": [0, 9]},
        "pay": {"kind": "number", "between": [0, 9], "bins": 3},
    },
}


def odd():
    domain = ht.Domain.from_dict({"table": "odd", "attributes": ODD})
    plan = ht.plan(domain, rows=10, workload="marginals(width=2)", budget=ht.Budget(epsilon=10))
    rows = pa.table({name: ["1"] * 10 for name in ODD})
    return ht.Vault(rows, domain).release(plan, randomness=ht.Simulated(1))


@pytest.fixture(scope="module")
def synopses():
    return {"odd": odd()} | {name: release(name) for name in ("clinic", "survey", "stays")}


@pytest.mark.parametrize("case", CASES, ids=[case["typed"][:60] for case in CASES])
def test_a_question_with_a_mistake_is_told_how_to_mend_it(case, synopses):
    ask = synopses[case["table"]].ask
    if "note" in case:
        assert any(case["note"] in note for note in ask(case["typed"]).notes)
        return
    with pytest.raises(HushError) as caught:
        ask(case["typed"])
    message = str(caught.value)
    assert case["shown"] in message
    assert "\n" not in message
    assert len(message) < LONGEST


FILES = {
    "empty": (b"", "is empty or begins with an empty line; its first line must name the columns"),
    "column twice": (b"n,pay,n\n1,2,3\n", "has two columns named n; name each column once"),
    "no such column": (b"m,pay\n1,2\n", "the first line of a CSV file names the columns, separated by ','"),
    "another separator": (b"n#pay\n1#2\n", "and no separator was found in it (csv: {separator: ...} in the domain"),
    "unclosed quote": (b'n,"pay\n1,2\n', "has a quote that is not closed"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_with_a_mistake_is_told_how_to_mend_it(name, tmp_path):
    data, says = FILES[name]
    path = tmp_path / "t.csv"
    path.write_bytes(data)
    domain = ht.Domain.from_dict(DOMAIN)
    with pytest.raises(HushError) as caught:
        open_source(path, domain).check(domain)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_there_are_forty_of_them():
    assert len({(case["table"], case["typed"]) for case in CASES}) >= 40
