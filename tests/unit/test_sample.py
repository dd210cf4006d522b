"""Synthetic rows follow the model they are drawn from, code by code, and say what they are."""

import json
import subprocess
import sys
from fractions import Fraction
from math import prod

import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest
from scipy.stats import chi2
from tables import FakeDoor, domain, random_codes, table_of
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app
from hushtable.domain import Domain
from hushtable.errors import BadPath, BadQuestion
from hushtable.laws import Law
from hushtable.mechanisms import mechanisms
from hushtable.models import MODELS
from hushtable.models.base import Model
from hushtable.models.linear.histogram import HistogramModel
from hushtable.synopsis import Synopsis, rows
from hushtable.synopsis.synopsis import SIMULATED
from hushtable.vault.coding import encode_batch
from hushtable.vault.sources import open_source

# Seeds are fixed, so a run does not flicker; this is the rate of a change of seeds or of code.
FALSE_ALARM = 1e-9
SHAPE = domain()
CODES = random_codes(SHAPE, 501, seed=7)
AWKWARD = {
    "smoker": {"kind": "boolean"},
    "sex": {"kind": "category", "values": ["f", 'a "quoted", word', "1.0", "two\nlines"], "other": True},
    "age": {"kind": "integer", "between": [-3, 99], "edges": [0, 18]},
    "large": {"kind": "integer", "between": [-(10**25), 10**25], "bins": 2, "missing": "error"},
    'pay, "net"': {"kind": "number", "between": ["-0.1", "1e6"], "edges": ["0.3", 7]},
    "tiny": {"kind": "number", "between": ["1e-300", "2e-300"], "bins": 2, "missing": "error"},
}


def histogram(shape, cells, *, public=True):
    cells = np.asarray(cells)
    rows = int(max(cells.sum(), 1)) if public else None
    return HistogramModel(domain=shape, law=Law.LAPLACE, scale=Fraction(1), cells=cells, rows=rows)


def synopsis_of(model, *, not_private=False):
    return Synopsis(
        domain=model.domain,
        model=model,
        workload="marginals(width=3)",
        mechanism="histogram",
        accounting={},
        not_private=not_private,
    )


def exact(shape=SHAPE, codes=CODES):
    """A synopsis without noise."""
    return synopsis_of(
        histogram(shape, np.bincount(np.ravel_multi_index(codes, shape.sizes), minlength=prod(shape.sizes)))
    )


def codes_of(data, shape):
    names = [a.name for a in shape.closed]
    # One of the awkward values has a line break.
    source = open_source(data, shape.with_csv(multiline=True))
    return np.concatenate([encode_batch(batch, shape) for batch in source.batches(names)], axis=1)


def fits(seen, chances):
    """Whether counts are a multinomial draw: chi-square neither too large nor too small, nothing where it cannot be."""
    possible = chances > 0
    expected = seen.sum() * chances[possible]
    distance = ((seen[possible] - expected) ** 2 / expected).sum()
    low, high = chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], possible.sum() - 1)
    return not seen[~possible].any() and low < distance < high


class TestTheLaw:
    @pytest.mark.parametrize("left", range(4))
    def test_three_way_marginals_of_100_000_rows_are_what_the_synopsis_answers(self, left):
        kept = [a.name for i, a in enumerate(SHAPE.closed) if i != left]
        synopsis = exact()
        asked = synopsis.ask(f"SELECT {', '.join(kept)}, count(*) FROM t GROUP BY {', '.join(kept)}", count=False).value
        codes = np.delete(codes_of(synopsis.sample(100_000, seed=1), SHAPE), left, axis=0)
        sizes = np.delete(SHAPE.sizes, left)
        seen = np.bincount(np.ravel_multi_index(codes, sizes), minlength=prod(sizes))
        assert fits(seen, asked)
        tilted = asked * np.where(np.arange(len(asked)) % 2, 1.07, 1)
        assert not fits(seen, tilted / tilted.sum()), "the test sees a chance 7% wrong"
        assert not fits(np.rint(100_000 * asked).astype(int), asked), "the test sees rows that are no random draw"

    @pytest.mark.parametrize("public", [True, False])
    def test_negative_cells_are_never_drawn_and_the_others_pay_for_them(self, public):
        """Against the projection found by bisection: counts are max(0, cell - shift) with the right sum."""
        shape = domain({"x": {"kind": "integer", "between": [1, 6], "missing": "error"}})
        cells, total = np.array([-40, 100, 3, 0, 60, -7]), 90 if public else 116
        model = HistogramModel(
            domain=shape, law=Law.GAUSSIAN, scale=Fraction(9), cells=cells, rows=90 if public else None
        )
        low, high = 0.0, 100.0
        for _ in range(60):
            shift = (low + high) / 2
            low, high = (shift, high) if np.maximum(cells - shift, 0).sum() > total else (low, shift)
        chances = np.maximum(cells - low, 0) / total
        assert (chances == 0).sum() >= 3
        seen = np.bincount(model.draw(100_000, np.random.default_rng(1))[0], minlength=6)
        assert fits(seen, chances)
        assert not fits(seen, np.maximum(cells, 0) / np.maximum(cells, 0).sum())

    def test_blocks_are_independent(self, monkeypatch):
        monkeypatch.setattr(rows, "BLOCK", 7)
        synopsis = exact()
        asked = synopsis.ask("SELECT age, region, count(*) FROM t GROUP BY age, region", count=False).value
        table = synopsis.sample(20_000, seed=2)
        codes = codes_of(table, SHAPE)
        assert codes.shape == (4, 20_000)
        assert fits(np.bincount(np.ravel_multi_index(codes[[0, 2]], (4, 5)), minlength=20), asked)
        assert len(set(table["age"].to_pylist())) == 101, "every age from 0 to 99 and the missing one"

    def test_a_noisy_sum_below_0_is_mended_where_the_number_of_rows_is_public(self):
        cells = np.full(prod(SHAPE.sizes), -3)
        cells[5] = 20
        assert synopsis_of(histogram(SHAPE, cells)).sample(50).num_rows == 50
        with pytest.raises(BadQuestion, match="cannot be told from 0"):
            synopsis_of(histogram(SHAPE, cells, public=False)).sample(50)


class TestTheSeed:
    def test_with_a_seed_the_same_rows_and_without_fresh_ones(self):
        synopsis = exact()
        assert synopsis.sample(200, seed=7).equals(synopsis.sample(200, seed=7))
        assert not synopsis.sample(200, seed=7).equals(synopsis.sample(200, seed=8))
        assert not synopsis.sample(200).equals(synopsis.sample(200))

    @pytest.mark.parametrize("seed", [-1, 1.5, "7"])
    def test_a_seed_that_is_none(self, seed):
        with pytest.raises(BadQuestion, match="a seed is a whole number"):
            exact().sample(3, seed=seed)


class TestTheTable:
    def test_kinds_and_labels(self):
        table = exact().sample(500, seed=1)
        assert table.schema.names == list(SHAPE.names)
        assert table.schema.types == [pa.int64(), pa.string(), pa.string(), pa.bool_()]
        assert set(table["region"].to_pylist()) == {"north", "south", "west", "other", None}
        assert set(table["sex"].to_pylist()) == {"female", "male"}

    def test_frames(self):
        table = exact().sample(10, seed=1)
        assert list(table.to_pandas().columns) == list(SHAPE.names)
        assert isinstance(table.to_pandas(), pandas.DataFrame)
        assert polars.from_arrow(table).shape == (10, 4)

    def test_it_says_where_it_comes_from(self):
        for stamp in (False, True):
            schema = synopsis_of(exact().model, not_private=stamp).sample(3).schema
            origin = {"synthetic": True, "table": "t", "workload": "marginals(width=3)", "mechanism": "histogram"}
            assert json.loads(schema.metadata[b"hushtable"]) == origin | {"not_private": stamp}

    @pytest.mark.parametrize("count", [0, -5, 10**11, 2.0, "3", None])
    def test_how_many(self, count):
        with pytest.raises(BadQuestion, match="whole number from 1 to 10,000,000,000"):
            exact().sample(count)

    def test_more_than_memory_has_room_for_is_refused_before_it_is_tried(self):
        with pytest.raises(BadQuestion, match=r"at most 125,000,000 are drawn at once.*hush sample"):
            exact().sample(125_000_001)

    def test_columns_without_codes_are_left_out(self):
        wide = Domain.from_dict({"table": "t", "attributes": SHAPE.to_dict()["attributes"] | {"url": {"kind": "open"}}})
        synopsis = synopsis_of(histogram(wide, exact().model.cells))
        assert synopsis.sample(3).schema.names == list(SHAPE.names)
        assert rows.left_out(synopsis) == ["url"]
        assert rows.notes(synopsis) == ["left out, because their values are not listed: url"]

    def test_a_table_of_such_columns_only_has_no_rows(self):
        synopsis = synopsis_of(histogram(domain({"url": {"kind": "open"}}), [5]))
        with pytest.raises(BadQuestion, match="no column of this synopsis"):
            synopsis.sample(3)

    def test_where_null_has_two_meanings_a_note_says_so(self):
        shape = domain({"x": {"kind": "boolean", "other": True}, "y": {"kind": "boolean"}})
        synopsis = synopsis_of(histogram(shape, np.arange(12)))
        assert [note.rpartition(" ")[2] for note in rows.notes(synopsis)] == ["x"]
        assert "null" in rows.notes(synopsis)[0]


def made_by(mechanism):
    workload = "marginals(width=2)"
    plan = ht.plan(SHAPE, workload=workload, budget=ht.Budget(epsilon=1), mechanism=mechanism)
    return mechanisms()[mechanism].release(FakeDoor(CODES, SHAPE), SHAPE, plan.design)


class TestModelsWithoutRows:
    @pytest.mark.parametrize("mechanism", ["low-order", "tables"])
    def test_they_say_so_and_who_has_some(self, mechanism):
        with pytest.raises(BadQuestion, match=f"by {mechanism} holds no distribution over whole rows.*histogram"):
            synopsis_of(made_by(mechanism)).sample(5)

    @pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
    def test_who_is_named_can_be_asked_for(self, model):
        assert (model.draw is not Model.draw) == (model.rows_by is not None), "`draw` and `rows_by` go together"
        assert model.rows_by in (None, *mechanisms())


class TestTheFile:
    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_it_codes_back_to_the_drawn_codes(self, ending, tmp_path, monkeypatch):
        monkeypatch.setattr(rows, "BLOCK", 900)
        shape = domain(AWKWARD)
        synopsis = synopsis_of(histogram(shape, np.ones(prod(shape.sizes), int)))
        rows.write_rows(synopsis, 2000, tmp_path / f"r.{ending}", seed=3)
        codes = codes_of(tmp_path / f"r.{ending}", shape)
        np.testing.assert_array_equal(codes, codes_of(synopsis.sample(2000, seed=3), shape))
        assert [set(column) for column in codes.tolist()] == [set(range(size)) for size in shape.sizes]

    def test_parquet_is_the_table_with_its_stamp(self, tmp_path):
        synopsis = synopsis_of(exact().model, not_private=True)
        rows.write_rows(synopsis, 100, tmp_path / "r.parquet", seed=3)
        read = pa.parquet.read_table(tmp_path / "r.parquet")
        assert read.equals(synopsis.sample(100, seed=3))
        assert json.loads(read.schema.metadata[b"hushtable"])["not_private"] is True

    def test_no_more_than_a_block_is_in_memory(self, tmp_path, monkeypatch):
        monkeypatch.setattr(rows, "BLOCK", 40)
        asked, seen = [], []
        monkeypatch.setattr(
            HistogramModel, "draw", lambda self, n, random: asked.append(n) or np.zeros((4, n), np.uint16)
        )
        rows.write_rows(exact(), 100, tmp_path / "r.csv", progress=seen.append)
        assert asked == [40, 40, 20]
        assert seen == [40, 80, 100]

    def test_a_failure_leaves_nothing_behind(self, tmp_path, monkeypatch):
        monkeypatch.setattr(rows, "BLOCK", 10)

        def stop(done):
            if done >= 20:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            rows.write_rows(exact(), 100, tmp_path / "r.parquet", progress=stop)
        assert list(tmp_path.iterdir()) == []

    def test_a_file_that_appeared_meanwhile_is_kept(self, tmp_path):
        with pytest.raises(BadPath, match="exists and may be the only copy"):
            rows.write_rows(exact(), 10, tmp_path / "r.csv", progress=lambda _: (tmp_path / "r.csv").write_text("mine"))
        assert [p.read_text() for p in tmp_path.iterdir()] == ["mine"]

    def test_a_full_disk_is_one_line(self, tmp_path):
        """The limit on the size of a file stands in for the disk."""
        exact().save(tmp_path / "t.hush")
        program = (
            "import resource; from hushtable.cli import main; "
            "resource.setrlimit(resource.RLIMIT_FSIZE, (50_000, 50_000)); main()"
        )
        for name in ("r.csv", "r.parquet"):
            command = [sys.executable, "-c", program, "sample", "t.hush", "-n", "200000", "-o", name]
            done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
            assert done.returncode == 1
            assert done.stderr == f"hush: cannot write {name}: File too large; choose another folder or name\n"
        assert [p.name for p in tmp_path.iterdir()] == ["t.hush"]


def hush(*arguments):
    """Exit code, output and error text; an error the user can mend as its one line."""
    result = CliRunner().invoke(app, ["sample", *arguments])
    if isinstance(result.exception, ht.HushError):
        return result.exception.exit_code, result.stdout, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    table = table_of(SHAPE, CODES)
    for mechanism in ("histogram", "low-order"):
        plan = ht.plan(SHAPE, workload="marginals(width=2)", budget=ht.Budget(epsilon=2), mechanism=mechanism)
        ht.Vault(table, SHAPE, ledger=f"{mechanism}.ledger").release(plan).save(f"{mechanism}.hush")
    synopsis_of(exact().model, not_private=True).save("simulated.hush")
    (tmp_path / "there.csv").write_text("mine")
    return tmp_path


MISTAKES = {
    "no rows": (("histogram.hush", "-n", "0"), "from 1 to 10,000,000,000, not 0"),
    "fewer than none": (("histogram.hush", "-n", "-3"), "not -3"),
    "too many": (("histogram.hush", "-n", "1000000000000"), "not 1000000000000"),
    "negative seed": (("histogram.hush", "--seed", "-1"), "at least 0, not -1; leave it out"),
    "unknown ending": (("histogram.hush", "-o", "new.xlsx"), "ends in .csv or .parquet"),
    "no ending": (("histogram.hush", "-o", "new"), "ends in .csv or .parquet"),
    "file exists": (("histogram.hush", "-o", "there.csv"), "there.csv exists"),
    "folder missing": (("histogram.hush", "-o", "no/new.csv"), "cannot write no/new.csv"),
    "model without rows": (("low-order.hush",), "no distribution over whole rows"),
    "no such synopsis": (("none.hush",), "no file none.hush"),
    "not a synopsis": (("there.csv",), "damaged"),
}


class TestTheCommand:
    @pytest.mark.parametrize("ending", ["csv", "parquet"])
    def test_it_writes_rows_that_fit_the_domain(self, folder, ending):
        code, out, error = hush("histogram.hush", "-n", "300", "-o", f"r.{ending}")
        assert (code, out, error) == (0, f"wrote 300 synthetic rows of 4 columns to r.{ending}\n", "")
        assert codes_of(folder / f"r.{ending}", SHAPE).shape == (4, 300)

    def test_a_seed_repeats_and_equals_the_library(self, folder):
        for name in ("a.csv", "b.csv"):
            hush("histogram.hush", "-n", "50", "-o", name, "--seed", "7")
        hush("histogram.hush", "-n", "50", "-o", "c.csv")
        a, b, c = ((folder / name).read_text() for name in ("a.csv", "b.csv", "c.csv"))
        assert a == b != c
        table = ht.load("histogram.hush").sample(50, seed=7)
        np.testing.assert_array_equal(codes_of(folder / "a.csv", SHAPE), codes_of(table, SHAPE))

    def test_json(self, folder):
        _, out, _ = hush("histogram.hush", "-n", "5", "-o", "r.csv", "--seed", "7", "--json")
        assert json.loads(out) == {
            "file": "r.csv",
            "rows": 5,
            "columns": list(SHAPE.names),
            "left_out": [],
            "seed": 7,
            "not_private": False,
            "notes": [],
        }

    @pytest.mark.parametrize("more", [(), ("--json",)])
    def test_the_stamp_travels(self, folder, more):
        code, out, error = hush("simulated.hush", "-n", "5", "-o", "r.parquet", *more)
        assert (code, error) == (0, f"note: {SIMULATED}\n")
        if more:
            assert json.loads(out)["not_private"] is True
            assert json.loads(out)["notes"] == [SIMULATED]

    @pytest.mark.parametrize("name", MISTAKES)
    def test_one_line_and_nothing_written(self, folder, name):
        arguments, words = MISTAKES[name]
        defaults = {"-n": "5", "-o": "new.csv"}
        more = [part for key, value in defaults.items() if key not in arguments for part in (key, value)]
        before = sorted(p.name for p in folder.iterdir())
        code, out, error = hush(*arguments, *more)
        assert (code, out) == (1, "")
        assert words in error
        assert "\n" not in error
        assert sorted(p.name for p in folder.iterdir()) == before
        assert (folder / "there.csv").read_text() == "mine"

    def test_how_many_and_where_to_must_be_said(self, folder):
        assert hush("histogram.hush", "-o", "r.csv")[0] == 2
        assert hush("histogram.hush", "-n", "5")[0] == 2

    def test_it_never_loads_what_sees_rows(self, folder):
        program = (
            "import sys; from hushtable.cli import app; "
            "app(['sample', 'histogram.hush', '-n', '5', '-o', 'r.csv'], standalone_mode=False); "
            "print([m for m in sys.modules if m.startswith('hushtable.vault')])"
        )
        out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder)
        assert out.stdout.splitlines()[-1] == "[]"


@pytest.mark.slow
def test_ten_million_rows_take_no_more_memory_than_one_million(tmp_path):
    exact().save(tmp_path / "t.hush")
    program = (
        "import resource, sys; from hushtable.cli import app; "
        "app(['sample', 't.hush', '-n', sys.argv[1], '-o', sys.argv[1] + '.parquet'], standalone_mode=False); "
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"
    )
    peaks = []
    for count in ("1000000", "10000000"):
        command = [sys.executable, "-c", program, count]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
        assert pa.parquet.read_metadata(tmp_path / f"{count}.parquet").num_rows == int(count)
        peaks.append(int(done.stdout.splitlines()[-1]))
    # All at once would take more than 200 MB on top.
    assert peaks[1] < peaks[0] + 60_000
