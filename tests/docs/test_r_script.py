"""docs/hush.R reads the numbers of a file and answers cross-tabs as `hush ask` does."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from tables import MIXED, domain, random_codes, table_of

import hushtable as ht
from hushtable.cli import main
from hushtable.owner.vault import Vault

R = shutil.which("Rscript")
SCRIPT = Path(__file__).parents[2] / "docs" / "hush.R"
SHAPE = MIXED | {"bmi": {"kind": "number", "between": [10, 60], "edges": ["18.5", 25]}}


def r(code: str, folder: Path) -> str:
    done = subprocess.run([R, "-e", f'source("{SCRIPT}"); {code}'], cwd=folder, capture_output=True, text=True,
                          timeout=300, check=False)  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return done.stdout


def needs(*packages: str) -> None:
    """Skips, with what to install, where R lacks a package."""
    if R is None:
        pytest.skip("R is not installed (Debian: r-base-core)")
    for package in packages:
        found = subprocess.run([R, "-e", f"library({package})"], capture_output=True, check=False)
        if found.returncode != 0:
            pytest.skip(f"the R package {package} is not installed (Debian: r-cran-{package})")


@pytest.fixture(scope="module", params=[("low-order", "zcdp"), ("low-order", "gdp"), ("histogram", "gdp"),
                                        ("histogram", "pure")], ids="-".join)  # fmt: skip
def released(request, tmp_path_factory):
    mechanism, currency = request.param
    shape = domain(MIXED)
    shape = ht.Domain.from_dict(shape.to_dict() | {"attributes": shape.to_dict()["attributes"] | {"bmi": SHAPE["bmi"]}})
    rows = table_of(domain(MIXED), random_codes(domain(MIXED), 2000, seed=1))
    rows = rows.append_column("bmi", [np.random.default_rng(1).uniform(10, 60, 2000)])
    budget = ht.Budget(epsilon=1) if currency == "pure" else ht.Budget(epsilon=1, delta="1e-9")
    made = ht.plan(shape, rows=2000, workload="marginals(width=2)", mechanism=mechanism, budget=budget,
                   currency=None if currency == "pure" else currency)  # fmt: skip
    synopsis = Vault(rows, shape).release(made, randomness=ht.Simulated(2))
    folder = tmp_path_factory.mktemp("r")
    synopsis.save(folder / "t.hush")
    return synopsis, folder


def exported(folder: Path, monkeypatch) -> None:
    if not (folder / "t-numbers").exists():
        monkeypatch.setattr(sys, "argv", ["hush", "export", str(folder / "t.hush")])
        with pytest.raises(SystemExit) as stop:
            main()
        assert not stop.value.code


def compared(synopsis, folder: Path, source: str) -> None:
    import pandas

    for columns in (["sex"], ["region", "age"], ["age", "region"], ["bmi", "smoker"]):
        names = ", ".join(f'"{name}"' for name in columns)
        r(f'write.csv(hush_crosstab(hush_read("{source}"), c({names})), "out.csv", row.names = FALSE)', folder)
        seen = pandas.read_csv(folder / "out.csv", dtype=dict.fromkeys(columns, str), keep_default_na=False)
        by = ", ".join(columns)
        asked = synopsis.ask(f"SELECT {by}, count(*) FROM t GROUP BY {by}", count=False)
        for name in columns:
            assert tuple(seen[name]) == asked.groups[name]
        assert seen["share"].to_numpy() == pytest.approx(asked.value, abs=1e-9)
        assert seen["stderr"].to_numpy() == pytest.approx(asked.stderr, rel=1e-6)


def test_cross_tabs_are_those_of_ask(released, monkeypatch):
    needs("jsonlite")
    synopsis, folder = released
    exported(folder, monkeypatch)
    compared(synopsis, folder, "t-numbers")


def test_a_file_is_read_by_itself(released):
    needs("jsonlite")
    found = subprocess.run([R, "-e", 'stopifnot(requireNamespace("nanoparquet") || requireNamespace("arrow"))'],
                           capture_output=True, check=False)  # fmt: skip
    if found.returncode != 0:
        pytest.skip("neither nanoparquet nor arrow is installed for R (both are on CRAN, not in Debian)")
    synopsis, folder = released
    compared(synopsis, folder, "t.hush")


def test_weights_become_a_design_of_the_survey_package(tmp_path):
    import pyarrow.csv

    needs("survey")
    rows = table_of(domain(MIXED), random_codes(domain(MIXED), 2000, seed=1))
    made = ht.plan(domain(MIXED), rows=2000, workload="whole_table()", budget=ht.Budget(epsilon=2, delta="1e-9"))
    synopsis = Vault(rows, domain(MIXED)).release(made, randomness=ht.Simulated(2))
    weighted = synopsis.replicate_weights(seed=1)
    pyarrow.csv.write_csv(weighted, tmp_path / "weights.csv")
    out = r('m <- survey::svymean(~I(smoker == "true"), hush_survey("weights.csv")); cat(coef(m)[2], survey::SE(m)[2])',
            tmp_path)  # fmt: skip
    mean, stderr = map(float, out.split()[-2:])
    frame = weighted.to_pandas()
    true = frame["smoker"].astype(str).str.lower() == "true"
    shares = [(frame[name] * true).sum() / frame[name].sum() for name in frame if name.startswith("weight")]
    assert mean == pytest.approx(shares[0], rel=1e-6)
    assert stderr == pytest.approx(np.sqrt(np.mean((np.array(shares[1:]) - shares[0]) ** 2)), rel=1e-4)
