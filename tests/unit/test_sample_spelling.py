"""Synthetic rows are written like the data, and can be drawn under a condition."""

import csv
import re
from types import MappingProxyType

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hushtable as ht
from hushtable.domain.dummy import dummy_rows
from hushtable.errors import HushError
from hushtable.owner.draft import draft_domain
from hushtable.owner.fit import fit_of
from hushtable.synopsis.rows import write_rows


class TestSpellings:
    PARTS = MappingProxyType({
        "table": "t",
        "attributes": {
            "flag": {"kind": "boolean", "labels": {"1": "true", "0": "false"}},
            "word": {"kind": "boolean", "labels": {"yes": "true", "no": "false"}},
            "code": {"kind": "category", "values": ["007", "010", "100"], "missing_values": ["NA"]},
            "age": {"kind": "integer", "between": [0, 9], "missing_values": ["-9"]},
            "size": {"kind": "number", "between": [0, 2], "bins": 2, "missing_values": ["n/a"]},
            "day": {"kind": "date", "between": ["2020-01-01", "2020-12-31"]},
        },
    })  # fmt: skip

    def drawn(self, path, **csv):
        domain = ht.Domain.from_dict(dict(self.PARTS) | ({"csv": csv} if csv else {}))
        rows = dummy_rows(domain, rows=400, seed=1)
        plan = ht.plan(domain, rows=400, workload=ht.WholeTable(), budget=ht.Budget(epsilon=8, delta="1e-6"))
        synopsis = ht.Vault(pa.table(rows), domain).release(plan, randomness=ht.Simulated(1))
        write_rows(synopsis, 500, path, seed=2)
        return domain

    def test_rows_are_written_like_the_data(self, tmp_path):
        self.drawn(tmp_path / "rows-not-private.csv")
        with open(tmp_path / "rows-not-private.csv") as file:
            lines = list(csv.DictReader(file))
        seen = {name: {line[name] for line in lines} for name in lines[0]}
        assert seen["flag"] <= {"0", "1", ""}
        assert {"yes", "no"} <= seen["word"] <= {"yes", "no", ""}
        assert seen["code"] == {"007", "010", "100", "NA"}
        assert "-9" in seen["age"]
        assert "n/a" in seen["size"]
        assert all(re.fullmatch(r"2020-\d\d-\d\d|", day) for day in seen["day"])

    def test_parquet_has_the_types(self, tmp_path):
        self.drawn(tmp_path / "rows.parquet")
        table = pq.read_table(tmp_path / "rows.parquet")
        kinds = [str(field.type) for field in table.schema]
        assert kinds == ["int64", "string", "string", "int64", "double", "date32[day]"]
        assert -9 in table.column("age").to_pylist()
        assert None in table.column("size").to_pylist()

    def test_a_file_with_commas_in_numbers_reads_back(self, tmp_path):
        domain = self.drawn(tmp_path / "rows-not-private.csv", separator=";", decimal=",")
        assert all(fit.undeclared == fit.broken == 0 for fit in fit_of(str(tmp_path / "rows-not-private.csv"), domain))

    def test_a_draft_keeps_spellings(self):
        table = pa.table(
            {"a": ["1", "0"] * 9, "b": ["yes", "no"] * 9, "c": ["001", "020"] * 9, "d": ["true", "false"] * 9}
        )
        drafted = draft_domain(table, "t").to_dict()["attributes"]
        assert drafted["a"]["labels"] == {"1": "true", "0": "false"}
        assert drafted["b"]["labels"] == {"yes": "true", "no": "false"}
        assert drafted["c"]["values"] == ["001", "020"]
        assert "labels" not in drafted["d"]


class TestWhere:
    @pytest.fixture(scope="class")
    @classmethod
    def synopsis(cls):
        shape = {name: {"kind": "integer", "between": [0, 9]} for name in "ab"} | {"c": {"kind": "boolean"}}
        domain = ht.Domain.from_dict({"table": "t", "attributes": shape, "impossible": ["a > b"]})
        random = np.random.default_rng(0)
        b = random.integers(0, 10, 5_000)
        rows = pa.table({"a": random.integers(0, b + 1), "b": b, "c": random.random(5_000) < b / 20})
        plan = ht.plan(domain, rows=5_000, workload=ht.WholeTable(), budget=ht.Budget(epsilon=8, delta="1e-6"))
        return ht.Vault(rows, domain).release(plan, randomness=ht.Simulated(1))

    def test_only_rows_that_meet_it_and_as_many_as_asked(self, synopsis):
        rows = synopsis.sample(3_000, seed=1, where="b >= 7 AND c").to_pydict()
        assert len(rows["a"]) == 3_000
        assert min(rows["b"]) >= 7
        assert all(rows["c"])
        mean, stated = np.mean(np.array(rows["a"], float) < 3), synopsis.ask("share of a < 3 among b >= 7 AND c").value
        assert mean == pytest.approx(stated, abs=0.06)  # 6 standard deviations of 3,000 draws
        sets = synopsis.sample_sets(100, sets=3, seed=1, where="b = 9").to_pydict()
        assert set(sets["b"]) == {9}
        assert len(sets["b"]) == 300

    @pytest.mark.parametrize(
        ("where", "says"),
        [("a = 5 AND b = 2", "rules leave none"), ("a = 11", "no row can meet"), ("d = 2", "no attribute 'd'"),
         ("a = 1 AND a = 2", "never true")],
    )  # fmt: skip
    def test_mistakes_are_one_line(self, synopsis, where, says):
        with pytest.raises(HushError, match=says) as caught:
            synopsis.sample(10, where=where)
        assert "\n" not in str(caught.value)
