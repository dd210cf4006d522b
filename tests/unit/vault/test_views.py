"""Columns of types that Arrow's own functions refuse: views, as polars has them, and others; all are read."""

import polars
import pyarrow as pa
import pyarrow.feather
import pytest

import hushtable as ht
from hushtable.vault.bounded_source import BoundedSource
from hushtable.vault.sources import open_source

DOMAIN = ht.Domain.from_dict(
    {
        "table": "t",
        "unit": {"person": "who", "rows": 2},
        "attributes": {
            "word": {"kind": "category", "values": ["a", "b"], "other": True},
            "number": {"kind": "number", "between": [0, 9], "bins": 3},
            "open": {"kind": "open"},
        },
    }
)
ROWS = {
    "who": ["p", "p", "p", "q", None, "q", "q", "r"],
    "word": ["a", "b", "c", "a", None, "b", "a", "b"],
    "number": ["1", "2.5", "x", None, "1e3", "7", "0.1", "08"],
    "open": ["é", "", None, " u ", "w", "x", "y", "z"],
}


def counted(data):
    """The rows that count, as text."""
    source = BoundedSource(open_source(data, DOMAIN), DOMAIN, "secret")
    assert source.count() == 6
    return [row for batch in source.batches(DOMAIN.names) for row in batch.to_pylist()]


def as_views(kind):
    return pa.table({name: pa.array(cells, pa.string()).cast(kind) for name, cells in ROWS.items()})


def test_text_that_is_held_as_views_is_text():
    plain = counted(pa.table(ROWS))
    assert counted(as_views(pa.string_view())) == counted(as_views(pa.large_string())) == plain
    assert [{name: cell and cell.decode() for name, cell in row.items()}
            for row in counted(pa.table({name: pa.array([c and c.encode() for c in cells], pa.binary_view())
                                         for name, cells in ROWS.items()}))] == plain  # fmt: skip


def test_frames_and_files_of_polars_are_read(tmp_path):
    plain, frame = counted(pa.table(ROWS)), polars.DataFrame(ROWS)
    assert counted(frame) == counted(frame.lazy()) == plain
    frame.write_ipc(tmp_path / "t.feather")
    frame.write_parquet(tmp_path / "t.parquet")
    assert counted(tmp_path / "t.feather") == counted(tmp_path / "t.parquet") == plain
    budget = ht.Budget(epsilon=5)
    plan = ht.plan(DOMAIN, rows=8, workload="marginals(width=1)", budget=budget)
    first, second = (ht.Vault(t, DOMAIN).release(plan, randomness=ht.Simulated(7)) for t in (frame, pa.table(ROWS)))
    assert first.ask("word = 'a'") == second.ask("word = 'a'")


ODD = {
    "lists of views": pa.array([["a"], None] * 4, pa.list_(pa.string_view())),
    "records of views": pa.array([{"x": "a"}, None] * 4, pa.struct([("x", pa.string_view())])),
    "runs": pa.RunEndEncodedArray.from_arrays([3, 8], pa.array(["a", "b"])),
    "views of lists": pa.array([["a"], None] * 4, pa.list_view(pa.string())),
    "categories of views": pa.DictionaryArray.from_arrays(
        pa.array([0, 1] * 4, pa.int8()), pa.array(["a", "b"], pa.string_view())
    ),
}


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("place", ["word", "open"])
def test_a_column_of_an_odd_type_stops_no_release(name, place):
    table = pa.table(ROWS)
    column = ODD[name]
    kept = counted(table.set_column(table.column_names.index(place), place, [column]))
    assert len(kept) == 6
    everything = [row[place] for row in pa.table({place: column}).to_pylist()]
    assert all(row[place] in everything for row in kept)
