"""Reports: one page, no scripts, the right stamp, nothing of the rows in the public one."""

import ast
from pathlib import Path

import numpy as np
import pytest
from html_pages import checked, words
from tables import MIXED, domain, random_codes, table_of

import hushtable
import hushtable as ht
from hushtable.models import MODELS
from hushtable.owner.compare import true_tables
from hushtable.owner.vault import Vault
from hushtable.report.owner import STAMP, owner_report
from hushtable.report.pictures import bars, heat_map
from hushtable.report.public import public_report


@pytest.fixture(scope="module", params=[None, "marginals(width=2)", "marginals(width=1)"])
def synopsis(request, tmp_path_factory):
    shape = domain(MIXED)
    rows = table_of(shape, random_codes(shape, 3000, seed=1))
    made = ht.plan(shape, rows=3000, workload=request.param, budget=ht.Budget(epsilon=1, delta="1e-9"))
    return rows, Vault(rows, shape, ledger=tmp_path_factory.mktemp("l") / "t.ledger").release(made)


def test_public_report(synopsis):
    _, released = synopsis
    text = public_report(released)
    assert {"svg", "rect"} <= set(checked(text).seen)
    assert STAMP not in text
    for attribute in released.domain.closed:
        assert attribute.name in text


GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.hush"))
# Numbers in a table alone: nothing of these can be drawn before it is asked for.
ONLY_TABLES = ("hash-sketch-pure", "hash-sketch-rho", "smooth-direct-pure", "conjunctions-approx")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_every_kind_of_release_has_a_page_with_numbers_and_their_errors(path):
    released = ht.load(path)
    page, text = checked(public_report(released)), words(public_report(released))
    assert "number of rows" in text
    assert released.mechanism in text
    for said in ("95%", "±"):
        assert said in text or "svg" in page.seen
    if not path.stem.endswith(ONLY_TABLES):
        assert "svg" in page.seen
        assert "95%" in text
    if released.workload.startswith("smooth"):
        assert "avg(" in text
    for empty in ("nan", "inf ", "None"):
        assert empty not in text
    # An empty section shows that a kind of release was forgotten.
    assert public_report(released).count("<h2>") >= 2
    assert '<div class="pictures"></div>' not in public_report(released)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_every_kind_of_release_has_an_owners_page(path):
    released = ht.load(path)
    sizes = released.domain.sizes
    text = words(owner_report(released, lambda sets: [np.full([sizes[p] for p in s], 0.01) for s in sets]))
    assert "mean error" in text or "nothing to compare" in text


def test_a_rehearsal_is_stamped():
    shape = domain(MIXED)
    rows = table_of(shape, random_codes(shape, 500, seed=1))
    made = ht.plan(shape, rows=500, budget=ht.Budget(rho="0.1"))
    assert "NOT PRIVATE" in public_report(Vault(rows, shape).release(made, randomness=ht.Simulated(1)))


def test_owner_report_is_stamped_twice_and_has_the_truth(synopsis):
    rows, released = synopsis
    text = owner_report(released, lambda sets: true_tables(rows, released.domain, sets))
    checked(text)
    assert text.count(STAMP) == 2
    assert "mean error" in text
    (exact,) = true_tables(rows, released.domain, [(3,)])
    assert exact.sum() == pytest.approx(1.0)


def test_labels_are_escaped_and_cut():
    picture = bars(["<b>" + "x" * 100, "y"], np.array([0.4, 0.6]), None, None, "a & b")
    assert "<b>" not in picture
    assert "a &amp; b" in picture
    many = heat_map(np.full((50, 40), 1 / 2000), [str(i) for i in range(50)], [str(i) for i in range(40)], "t")
    assert many.count("<rect") == 900


def test_command(tmp_path, monkeypatch):
    import sys

    from hushtable.cli import main

    shape = domain(MIXED)
    rows = table_of(shape, random_codes(shape, 500, seed=1))
    import pyarrow.csv

    pyarrow.csv.write_csv(rows, tmp_path / "t.csv")
    shape.save(tmp_path / "t.yaml")
    made = ht.plan(shape, rows=500, budget=ht.Budget(rho="0.1"))
    Vault(rows, shape, ledger=tmp_path / "t.ledger").release(made).save(tmp_path / "t.hush")
    monkeypatch.chdir(tmp_path)

    def hush(*arguments: str) -> int:
        monkeypatch.setattr(sys, "argv", ["hush", *arguments])
        try:
            main()
        except SystemExit as stop:
            return int(stop.code or 0)
        return 0

    assert hush("report", "t.hush", "-o", "public.html") == 0
    assert hush("report", "t.hush", "-o", "public.html") == 1, "never overwrites"
    assert hush("report", "t.hush", "--domain", "t.yaml", "-o", "x.html") == 1
    assert hush("report", "t.hush", "--data", "t.csv", "--domain", "t.yaml", "-o", "owner.html") == 0
    assert STAMP in (tmp_path / "owner.html").read_text()
    domain({"a": {"kind": "boolean"}}).save("other.yaml")
    assert hush("report", "t.hush", "--data", "t.csv", "--domain", "other.yaml", "-o", "y.html") == 1


def test_neither_report_nor_synopsis_knows_a_kind_of_model():
    """What they need of a model is asked of the model, so that a new one is one new file."""
    root = Path(hushtable.__file__).parent
    names = {model.__name__ for model in MODELS.values()} | {"KeyedModel", "LinearModel"}
    for path in [*(root / "report").rglob("*.py"), *(root / "synopsis").rglob("*.py")]:
        words = {node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)}
        assert not words & names, path
