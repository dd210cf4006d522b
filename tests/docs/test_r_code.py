"""The R code of the docs runs as printed, on files that the commands beside it write."""

import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest
from tables import domain

import hushtable as ht

R = shutil.which("Rscript")
SHAPE = {
    "age": {"kind": "integer", "between": [0, 9], "missing": "error"},
    "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
    "smoker": {"kind": "boolean", "missing": "error"},
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The two files that the page writes."""
    import pyarrow
    import pyarrow.csv

    place = tmp_path_factory.mktemp("r")
    shape = domain(SHAPE)
    g = np.random.default_rng(2)
    age, sex = g.integers(0, 10, 5000), g.integers(0, 2, 5000)
    smoker = g.random(5000) < 0.2 + 0.03 * age
    table = {"age": age.tolist(), "sex": np.array(["female", "male"])[sex].tolist(), "smoker": smoker.tolist()}
    plan = ht.plan(shape, budget=ht.Budget(epsilon=2, delta="1e-9"), rows=5000)
    synopsis = ht.Vault(pyarrow.table(table), shape).release(plan, randomness=ht.Simulated(3))
    pyarrow.csv.write_csv(synopsis.sample_sets(800, seed=1), place / "sets.csv")
    pyarrow.csv.write_csv(synopsis.replicate_weights(seed=1), place / "weights.csv")
    return place


def blocks():
    text = (Path(__file__).parents[2] / "docs" / "synthetic-rows.md").read_text("utf-8")
    return re.findall(r"```r\n(.*?)```", text, flags=re.DOTALL)


def run(code, folder):
    done = subprocess.run([R, "-e", code], cwd=folder, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def test_there_are_two_blocks():
    assert len(blocks()) == 2


@pytest.mark.skipif(R is None, reason="R is not installed (Debian: r-base-core)")
def test_sets_are_combined_as_in_python(folder):
    import pandas

    out = run(blocks()[0], folder)
    intercept = re.search(r"\(Intercept\)\s+(\S+)\s+(\S+)", out)
    assert intercept is not None
    assert np.isfinite([float(number) for number in intercept.groups()]).all()
    assert float(intercept[2]) > 0
    assert pandas.read_csv(folder / "sets.csv")["set"].nunique() == 16


@pytest.mark.skipif(R is None, reason="R is not installed (Debian: r-base-core)")
def test_replicate_weights_are_read_by_survey(folder):
    found = subprocess.run([R, "-e", "library(survey)"], capture_output=True, check=False)
    if found.returncode != 0:
        pytest.skip("the R package survey is not installed (Debian: r-cran-survey)")
    assert "age" in run(blocks()[1], folder)
