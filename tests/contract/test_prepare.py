"""Everything a release needs is tried before the first charge, for every mechanism."""

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from tables import MIXED, domain, random_codes, table_of

import hushtable as ht
from hushtable.errors import BadPlan
from hushtable.extras import ALONG, EXTRAS
from hushtable.mechanisms.histogram import HistogramRelease
from hushtable.owner.prepare import NEEDED, prepared
from hushtable.vault.ledger.ledger import Ledger

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_after_prepare_a_release_imports_and_compiles_nothing():
    """In a process of its own for every specimen, since what one has loaded another one finds."""
    places = (ROOT / "src", ROOT / "tests" / "support")
    out = subprocess.run(
        [sys.executable, str(ROOT / "tests" / "support" / "unprepared.py")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))},
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    found = json.loads(out)
    assert {name: late for name, late in found.items() if late and not name.startswith("unprepared")} == {}
    unprepared = {name: late for name, late in found.items() if name.startswith("unprepared")}
    assert len(unprepared) == 3
    assert all(unprepared.values()), "the test sees nothing"


def test_what_is_looked_for_is_what_is_imported():
    """`prepare` looks for every module that any way through the package may come to import."""
    names = set()
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                names |= {alias.name.split(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.split(".")[0])
    assert names - set(sys.stdlib_module_names) - {"hushtable"} - set(EXTRAS) - ALONG == set(NEEDED)


class Own(HistogramRelease):
    """A mechanism of one's own, which nobody finds by its name."""

    name = "my own"


class Broken(Own):
    """... that fails when all is measured."""

    def release(self, door, domain, design):
        super().release(door, domain, design)
        from missing_module import fit  # noqa: F401


def made(mechanism, folder):
    shape = domain(MIXED)
    plan = ht.plan(shape, rows=200, workload="marginals(width=2)", mechanism=mechanism, budget=ht.Budget(rho=1))
    rows = table_of(shape, random_codes(shape, 200, seed=1))
    return plan, ht.Vault(rows, shape, ledger=folder / "t.ledger")


@pytest.mark.parametrize("begun", [False, True], ids=["no ledger yet", "ledger"])
def test_a_fault_of_the_fit_is_met_before_anything_is_spent(begun, tmp_path):
    plan, vault = made(Broken(), tmp_path)
    if begun:
        Ledger.create(
            tmp_path / "t.ledger", table="t", domain_digest=plan.domain.digest, unit=plan.domain.unit, total=plan.budget
        )
    with pytest.raises(BadPlan, match=r"my own cannot be carried out here.*missing_module.*nothing was spent"):
        vault.release(plan)
    assert not list(tmp_path.glob("*.part"))
    assert not begun or len(Ledger.open(tmp_path / "t.ledger").lines()) == 1


def test_a_missing_module_is_met_before_anything_is_spent(tmp_path, monkeypatch):
    from hushtable.owner import prepare

    plan, vault = made("low-order", tmp_path)
    prepared.discard(plan.digest)
    monkeypatch.setattr(prepare, "find_spec", lambda name: None if name == "scipy" else name)
    with pytest.raises(BadPlan, match="needs scipy; install that first: nothing was spent"):
        vault.release(plan)
    assert list(tmp_path.iterdir()) == []


def test_a_mechanism_of_ones_own_is_the_one_that_releases(tmp_path):
    plan, vault = made(Own(), tmp_path)
    assert plan.by.name == plan.mechanism == "my own"
    synopsis = vault.release(plan)
    synopsis.save(tmp_path / "t.hush")
    again = ht.load(tmp_path / "t.hush")
    assert again.mechanism == "my own"
    assert again.ask("smoker").value == synopsis.ask("smoker").value


def test_it_is_finished_with_its_plan(tmp_path, monkeypatch):
    """The command line cannot make it again, and says so."""
    plan, vault = made(Own(), tmp_path)
    prepared.add(plan.digest)
    with monkeypatch.context() as patched:
        patched.setattr("hushtable.owner.carry_out.Synopsis.from_release", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError) as caught:
            vault.release(plan, journal=tmp_path / "t.part")
    assert caught.value.__notes__[0].endswith(f"Vault.resume({str(tmp_path / 't.part')!r}, plan=plan)")
    with pytest.raises(BadPlan):
        ht.Vault.resume(tmp_path / "t.part")
    with pytest.raises(BadPlan, match="another plan"):
        ht.Vault.resume(tmp_path / "t.part", plan=made("low-order", tmp_path)[0])
    synopsis = ht.Vault.resume(tmp_path / "t.part", plan=plan)
    assert np.isfinite(synopsis.ask("smoker").value)


def test_trials_read_made_up_rows_only(tmp_path):
    """What `prepare` reads is the same whatever the table holds."""
    from hushtable.owner import prepare

    plan, _ = made("mwem", tmp_path)
    seen = []
    real = prepare.FrameSource
    for _ in range(2):
        prepared.discard(plan.digest)
        prepare.FrameSource = lambda rows: seen.append(rows) or real(rows)
        try:
            prepare.prepare(plan)
        finally:
            prepare.FrameSource = real
    assert all(isinstance(rows, pa.Table) for rows in seen)
    assert seen[0].equals(seen[1])
