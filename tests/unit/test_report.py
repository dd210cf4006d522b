"""Reports: one page, no scripts, the right stamp, nothing of the rows in the public one."""

import ast
import datetime
import re
from dataclasses import replace
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
from hushtable.questions.workloads import workloads
from hushtable.report.bars import BarShares, bars, percent
from hushtable.report.heat_maps import HeatMap, heat_map
from hushtable.report.owner import STAMP, owner_report
from hushtable.report.promise import QUESTIONS
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
ONLY_TABLES = ("hash-sketch-pure", "hash-sketch-rho", "smooth-direct-pure", "conjunctions-approx", "k-norm-means",
               "learned", "sparse-project-gdp")  # fmt: skip


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


# Words of those who make a release, not of those who read of it.
JARGON = ("pair-rake", "effective share", "replicate", "Monte Carlo", "low-order", "mwem", "k-norm", "zcdp", "gdp",
          "BarShares", "marginals(", "sensitivity", "calibration", "whole_table(", "estimator")  # fmt: skip


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_a_page_speaks_plainly_before_its_appendix(path):
    released = replace(ht.load(path), not_private=False)
    text = words(public_report(released, publisher="The <Office>", contact="data@office"))
    plain, _, technical = text.rpartition("Technical appendix")
    told = plain.replace(released.domain.table, "")
    assert [word for word in JARGON if word in told] == []
    assert released.mechanism in technical
    assert released.digest in plain, "how to cite it"
    assert released.digest in technical
    for said in (
        "The <Office>",
        "data@office",
        "hush ask",
        "ht.load(",
        "The promise to every person",
        "times as likely",
    ):
        assert said in plain
    # Every heading is in the contents, and every link of the contents goes somewhere.
    page = public_report(released)
    assert re.findall(r'<section id="([^"]+)"', page) == re.findall(r'<a href="#([^"]+)"', page)
    assert len(set(re.findall(r'id="([^"]+)"', page))) == page.count(' id="')


def test_every_workload_has_plain_words():
    assert set(QUESTIONS) == set(workloads())


def test_the_page_has_the_bars_that_asking_gives(synopsis):
    _, released = synopsis
    answer = released.ask(f"SELECT region, count(*) FROM {released.domain.table} GROUP BY region", count=False)
    low, high = answer.interval(0.95)
    page = words(public_report(released))
    for value, least, most in zip(answer.value, low, high, strict=True):
        assert percent(float(value), float(least), float(most)) in page


def test_the_page_knows_its_day(synopsis):
    _, released = synopsis
    day = released.accounting["ledger"]["date"]
    assert datetime.date.fromisoformat(day)
    assert released.info().date == day
    assert words(public_report(released)).count(day) >= 2


def test_heat_maps_share_one_scale_and_grey_what_may_be_0():
    value = np.array([[0.4, 0.1], [0.01, -0.001]])
    first = HeatMap(down="a", across="b", rows="xy", columns="uv", value=value, low=value - 0.02, high=value + 0.02)
    text = heat_map(first, top=0.8)
    assert text.count("class=z") == 2
    assert ">40<" in text, "as many digits as the bars allow"
    assert ">-0<" not in text
    assert "/71%" in text, "half of the top, by its root"
    assert "/100%" in heat_map(first, top=0.4)


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
    picture = bars(BarShares(labels=["<b>" + "x" * 100, 'y"'], value=np.array([0.4, 0.6])))
    assert "<b>" not in picture
    assert 'title="y&quot;"' in picture
    names = [str(i) for i in range(50)]
    wide = HeatMap(down="a & b", across="c", rows=names, columns=names[:40], value=np.full((50, 40), 1 / 2000))
    many = heat_map(wide, top=0.1)
    assert many.count("<td") == 14 * 14
    assert "a &amp; b" in many
    assert "14 largest" in many


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
