"""Hostile input that once got through: small copies of what the fuzzers in tests/fuzz found."""

import io
import json
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import numpy as np
import pytest
from specimens import CLOSED, SPECIMENS, rows

import hushtable as ht
from hushtable.errors import BadData, BadPlan, BadSynopsis, HushError, UnknownAttribute
from hushtable.laws import Law
from hushtable.models.reading import noise_scale, plain_fraction, row_count
from hushtable.owner.draft import draft_domain
from hushtable.owner.fit import fit_of
from hushtable.synopsis.file_format import _canonical, _parquet, _sha256, pack, read
from hushtable.words import one_line

KINDS = {one.name: one for one in SPECIMENS}


def forged(name: str, change, numbers=()) -> io.BytesIO:
    """A synopsis with other parameters or numbers, and all digests mended."""
    text, members = pack(KINDS[name].release())
    manifest = json.loads(text)
    del manifest["digest"]
    change(manifest["model"]["parameters"])
    for member, values in numbers:
        members[f"{member}.parquet"] = _parquet(np.asarray(values, dtype=np.int64))
        manifest["members"][f"{member}.parquet"]["sha256"] = _sha256(members[f"{member}.parquet"])
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        manifest["digest"] = _sha256(_canonical(manifest))
        for part, data in (("manifest.json", json.dumps(manifest).encode()), *members.items()):
            archive.writestr(zipfile.ZipInfo(part), data)
    return sink


def setting(*keys, value):
    def change(parameters):
        for key in keys[:-1]:
            parameters = parameters[key]
        parameters[keys[-1]] = value

    return change


FORGERIES = {
    # The transform of parities wrote beyond the table of a column with four codes.
    "parities of other columns": ("mwem", setting("coverage", value={"kind": "parities", "width": 2}), ()),
    # Combinations of a billion columns.
    "a certificate for more columns": ("mwem", setting("coverage", value={"kind": "tables", "width": 10**9}), ()),
    "a mask for a column": ("mwem", setting("rounds", 0, "positions", value=[True, False]), ()),
    "a scale that fills the memory": ("low-order", setting("group_scales", 1, value="1e400000000"), ()),
    "a scale beyond floats": ("tables", setting("group_scales", 0, value="1" + "0" * 200), ()),
    "a scale too small to divide by": ("stability-histogram", setting("frequent_scale", value="1/" + "9" * 400), ()),
    "a threshold beyond floats": ("stability-histogram", setting("threshold", value=10**400), ()),
    "rows beyond floats": ("histogram", setting("rows", value=10**400), ()),
    "rows that are no number": ("histogram", setting("rows", value=True), ()),
    "a start of nothing": ("mwem-histogram", lambda parameters: None, [("start", np.zeros(80))]),
    "a column that is not there": ("pair-rake", setting("tables", 0, "members", value=[10**20]), ()),
    "a fit better than perfect": ("pair-rake", setting("effective", value=1e300), ()),
    "a unit of nothing": ("smooth-spline", setting("blocks", 0, "unit", value=0), ()),
}


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_numbers_are_refused(name):
    kind, change, numbers = FORGERIES[name]
    began = time.process_time()
    file = forged(kind, change, numbers)
    with pytest.raises(BadSynopsis) as caught:
        read(file)
    assert "\n" not in str(caught.value)
    assert time.process_time() - began < 20


@pytest.mark.parametrize("name", sorted({kind for kind, _, _ in FORGERIES.values()}))
def test_the_forger_can_make_a_valid_copy(name):
    assert read(forged(name, lambda parameters: None)).mechanism


def test_readers_take_what_is_written_and_nothing_else():
    assert plain_fraction("-3/7") == -plain_fraction("3/7")
    assert noise_scale("0", Law.LAPLACE) == 0
    assert row_count(None) is None
    for text in ("1/0", "1e3", "0.5", " 1", "1_0", "١", "", "9" * 2001, 3, None):
        with pytest.raises(BadSynopsis):
            plain_fraction(text)
    for count in (0, -1, 2**63, 1.5, True, "5"):
        with pytest.raises(BadSynopsis):
            row_count(count)


def test_hardly_any_noise_has_hardly_any_variance():
    assert Law.LAPLACE.discrete_variance(noise_scale("1/100000", Law.LAPLACE)) == 0.0
    assert Law.LAPLACE.discrete_variance(noise_scale("1", Law.LAPLACE)) == pytest.approx(0.5 / np.sinh(0.5) ** 2)


def test_means_of_numbers_too_large_to_square_are_inside_their_range():
    """A range up to 1e300 is a domain; what is computed is the place in the range, so that nothing overflows."""
    wide = CLOSED | {"age": {"kind": "number", "between": [0, "1e300"], "bins": 2, "other": True}}
    shape = ht.Domain.from_dict({"table": "t", "attributes": wide})
    plan = ht.plan(shape, rows=60, workload="marginals(width=1)", budget=ht.Budget(rho=100), mechanism="low-order")
    synopsis = ht.Vault(rows(CLOSED), shape).release(plan, randomness=ht.Simulated(1))
    answer = synopsis.ask("SELECT avg(age) FROM t")
    said = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
    assert 0 <= said["low"] < said["value"] < said["high"] <= 1e300
    assert 0 < said["stderr"] < 1e299


def test_a_bias_bound_is_never_negative():
    """Noise may make the counts of wide bins negative, which once made an interval too narrow."""
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"age": CLOSED["age"]}})
    plan = ht.plan(shape, rows=60, workload="marginals(width=1)", budget=ht.Budget(rho=1), mechanism="histogram")
    model = ht.Vault(rows(CLOSED), shape).release(plan, randomness=ht.Simulated(1)).model
    model.cells[:] = [300, -200, 50, 0, 0]  # the middle bin is the widest
    answer = model.answer(model.parse("SELECT avg(age) FROM t"))
    assert answer.bias == 0
    assert answer.interval()[0] <= answer.value <= answer.interval()[1]


def test_messages_are_one_printable_line():
    assert one_line("a\nb\x1b[31m\x00\ud800") == "a b\ufffd[31m\ufffd\ufffd"
    assert len(one_line("x" * 10**6)) < 2100
    assert str(UnknownAttribute("\x1b" + "x" * 9000, known=["age"])).isprintable()
    assert str(HushError("fine")) == "fine"


def test_a_missing_header_is_not_quoted(tmp_path: Path):
    (tmp_path / "t.csv").write_text("Zyxwvu,1812\nx,2\n")
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"sex": {"kind": "boolean"}}})
    with pytest.raises(BadData, match="the domain has sex but the data have no such column") as caught:
        fit_of(tmp_path / "t.csv", shape)
    assert "Zyxwvu" not in str(caught.value)
    assert "1812" not in str(caught.value)


def test_a_draft_that_cannot_be_made_quotes_nothing(tmp_path: Path):
    (tmp_path / "t.csv").write_text("\x01Zyxwvu,1812\nx,2\n")
    with pytest.raises(BadData, match="no domain can be drafted") as caught:
        draft_domain(tmp_path / "t.csv", "t")
    assert "Zyxwvu" not in str(caught.value)


def test_a_million_columns_are_refused_at_once(tmp_path: Path):
    """Reading such a header would take hours."""
    (tmp_path / "t.csv").write_text(",".join(f"c{i}" for i in range(1_000_000)) + "\n")
    began = time.process_time()
    with pytest.raises(BadData, match="names more than 20,000 columns"):
        fit_of(tmp_path / "t.csv", ht.Domain.from_dict({"table": "t", "attributes": CLOSED}))
    assert time.process_time() - began < 10
    (tmp_path / "old.csv").write_bytes(b"age,sex,smoker\r" + b"5,male,true\r" * 30_000)
    with pytest.raises(BadData, match="end in carriage returns alone"):
        fit_of(tmp_path / "old.csv", ht.Domain.from_dict({"table": "t", "attributes": CLOSED}))


def test_a_file_that_is_no_name():
    with pytest.raises(BadPlan, match="the name of a file"):
        ht.plan(KINDS["hash-sketch"].domain, workload="known_lists(file=3)", budget=ht.Budget(epsilon=1))


def test_a_write_that_the_system_stops_is_one_clear_line(tmp_path: Path):
    """Without the right to mount a small disk (tests/faults/test_disk.py): a limit on the size of files."""
    ht.Domain.from_dict({"table": "t", "attributes": CLOSED}).save(tmp_path / "t.yaml")
    code = (
        "import resource, sys; from hushtable.cli import main; from hushtable.domain import dummy, yaml_text; "
        "sys.argv = ['hush', 'domain', 'dummy', 't.yaml', '-n', '5000', '-o', 'x.csv']; "
        "resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000)); main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False,
        env={"PYTHONPATH": str(Path(ht.__file__).parents[1]), "PYTHONDONTWRITEBYTECODE": "1"},
    )  # fmt: skip
    assert done.returncode == 1
    assert done.stderr == "hush: cannot write x.csv: File too large; choose another folder or name\n"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["t.yaml"]
