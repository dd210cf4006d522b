"""Synopsis files: damage of any kind gives one clear line, never a wrong answer."""

import io
import json
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tables import domain, random_codes, table_of

import hushtable as ht
from hushtable.errors import BadPath, BadSynopsis
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.synopsis.file_format import _canonical, _sha256

SHAPE = domain()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("synopsis") / "t.hush"
    plan = ht.plan(SHAPE, workload="marginals(width=2)", budget=ht.Budget(epsilon=1), mechanism="low-order")
    table = table_of(SHAPE, random_codes(SHAPE, 100, seed=1))
    ht.Vault(table, SHAPE).release(plan, randomness=ht.Simulated(1)).save(path)
    return path


def members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def rewritten(path, tmp_path, change, *, sealed=True, compression=zipfile.ZIP_STORED, extra=()):
    """A copy with a changed manifest (resealed, as a forger would) and other members."""
    parts = members(path)
    manifest = json.loads(parts["manifest.json"])
    del manifest["digest"]
    change(manifest, parts)
    manifest["digest"] = _sha256(_canonical(manifest)) if sealed else "0" * 64
    parts["manifest.json"] = json.dumps(manifest).encode()
    target = tmp_path / "forged.hush"
    with zipfile.ZipFile(target, "w", compression) as archive:
        for name, data in (*parts.items(), *extra):
            archive.writestr(name, data)
    return target


def set_numbers(table):
    def change(manifest, parts):
        sink = io.BytesIO()
        pq.write_table(table, sink)
        parts["interactions.parquet"] = sink.getvalue()
        manifest["members"]["interactions.parquet"]["sha256"] = _sha256(sink.getvalue())

    return change


def setting(*keys, value):
    def change(manifest, parts):
        for key in keys[:-1]:
            manifest = manifest[key]
        manifest[keys[-1]] = value

    return change


def dropping(key):
    return lambda manifest, parts: manifest.pop(key)


LENGTH = InteractionLayout.count(SHAPE.sizes, 2)

FORGERIES = {
    "wrong order": setting("model", "parameters", "order", value=3),
    "order of another type": setting("model", "parameters", "order", value="2"),
    "order true": setting("model", "parameters", "order", value=10**9),
    "unknown model": setting("model", "kind", value="oracle"),
    "too few scales": setting("model", "parameters", "group_scales", value=["1"]),
    "negative scales": setting("model", "parameters", "group_scales", value=["-1"] * 40),
    "scale that divides by zero": setting("model", "parameters", "group_scales", value=["1/0"]),
    "unknown law": setting("model", "parameters", "law", value="cauchy"),
    "no domain": dropping("domain"),
    "domain of another kind": setting("domain", value=[]),
    "no members": dropping("members"),
    "huge domain": setting("domain", "attributes", "age", value={"kind": "integer", "between": [0, 900]}),
    "too few numbers": set_numbers(pa.table({"value": np.arange(5)})),
    "floats": set_numbers(pa.table({"value": np.full(LENGTH, np.nan)})),
    "text": set_numbers(pa.table({"value": ["x"] * LENGTH})),
    "nulls": set_numbers(pa.table({"value": pa.array([None] * LENGTH, pa.int64())})),
    "another column": set_numbers(pa.table({"other": np.arange(LENGTH)})),
}


def test_the_forger_can_make_a_valid_copy(file, tmp_path):
    """Positive control: what the forgeries below change is what is refused, not the rewriting."""
    numbers = set_numbers(pa.table({"value": np.arange(LENGTH)}))
    assert ht.load(rewritten(file, tmp_path, numbers)).ask("smoker").unit == "fraction"


@pytest.mark.parametrize("name", FORGERIES)
def test_forged_content_is_refused(file, tmp_path, name):
    with pytest.raises(BadSynopsis) as caught:
        ht.load(rewritten(file, tmp_path, FORGERIES[name]))
    assert "\n" not in str(caught.value)


def test_an_unsealed_edit_is_refused(file, tmp_path):
    with pytest.raises(BadSynopsis):
        ht.load(rewritten(file, tmp_path, setting("not_private", value=False), sealed=False))


def test_an_edited_member_is_refused(file, tmp_path):
    def swap(manifest, parts):
        parts["interactions.parquet"] = parts["interactions.parquet"][:-9] + b"X" * 9

    with pytest.raises(BadSynopsis):
        ht.load(rewritten(file, tmp_path, swap))


def test_compressed_members_are_refused(file, tmp_path):
    """A compressed member could expand without bound, so none is read."""
    with pytest.raises(BadSynopsis):
        ht.load(rewritten(file, tmp_path, lambda m, p: None, compression=zipfile.ZIP_DEFLATED))


def test_extra_members_are_refused(file, tmp_path):
    with pytest.raises(BadSynopsis):
        ht.load(rewritten(file, tmp_path, lambda m, p: None, extra=[("../../evil", b"x")]))


def test_a_newer_format_says_so(file, tmp_path):
    with pytest.raises(BadSynopsis, match="upgrade"):
        ht.load(rewritten(file, tmp_path, setting("format", value=99)))


def test_every_truncation_is_refused(file, tmp_path):
    data = file.read_bytes()
    for end in range(0, len(data), max(1, len(data) // 60)):
        short = tmp_path / "short.hush"
        short.write_bytes(data[:end])
        with pytest.raises(BadSynopsis):
            ht.load(short)


def test_every_flipped_byte_is_refused_or_harmless(file, tmp_path):
    """Either an error, or (zip metadata only) the same numbers."""
    data, truth = bytearray(file.read_bytes()), ht.load(file).digest
    refused = 0
    for place in range(0, len(data), max(1, len(data) // 150)):
        changed = data.copy()
        changed[place] ^= 0x5A
        (tmp_path / "flipped.hush").write_bytes(changed)
        try:
            assert ht.load(tmp_path / "flipped.hush").digest == truth
        except BadSynopsis:
            refused += 1
    assert refused > 100


def test_missing_file_and_folder(tmp_path):
    with pytest.raises(BadPath, match="no file"):
        ht.load(tmp_path / "none.hush")
    with pytest.raises(BadPath):
        ht.load(tmp_path)


def test_save_never_overwrites(file):
    with pytest.raises(BadPath, match="only copy"):
        ht.load(file).save(file)


def test_save_leaves_no_temporary_file(file):
    assert [p.name for p in file.parent.iterdir()] == ["t.hush"]


def test_the_file_says_how_it_was_made(file):
    manifest = json.loads(members(file)["manifest.json"])
    assert manifest["format"] == 1
    assert manifest["not_private"] is True
    assert manifest["accounting"]["budget"] == {"epsilon": "1"}
    assert manifest["accounting"]["neighbours"] == "replace"
    assert manifest["workload"] == "marginals(width=2)"
