"""What has no bar says `unknown` and why, in every form of an answer, and never shows a number."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tables import domain, random_codes
from whole_tables import BUDGETS, release

import hushtable as ht
from hushtable.laws import Law
from hushtable.models.build_answer import Estimates, Wording, build_answer
from hushtable.questions.answer import Answer, CrossTab
from hushtable.questions.parse import parse
from hushtable.questions.selection import Selection

GOLDEN = Path(__file__).parents[1] / "golden"
BITS = {f"c{i}": {"kind": "boolean", "missing": "error"} for i in range(5)}
ALL = "c0 AND c1 AND c2 AND c3"


def older_whole_table():
    """As files of format 1 are: four columns were never compared, and there are no replicates."""
    shape = domain(BITS, neighbours="add-remove")
    model = replace(release(shape, random_codes(shape, 4000, seed=3), BUDGETS[0], 1), replicates=None)
    return [model.answer(parse(text, shape)) for text in (ALL, f"SELECT c4, count(*) FROM t WHERE {ALL} GROUP BY c4")]


def mwem_without_calibration():
    """A pair that was not measured and that nothing certifies: its interval is all there can be."""
    import pandas

    shape = domain(BITS)
    rows = pandas.DataFrame(random_codes(shape, 4000, seed=3).T.astype(bool), columns=list(BITS))
    plan = ht.plan(shape, rows=4000, workload="marginals(width=2)", budget=ht.Budget(epsilon=1),
                   mechanism="mwem(rounds=1, calibration=0)")  # fmt: skip
    made = ht.Vault(rows, shape).release(plan, randomness=ht.Simulated(1))
    return [made.ask(text) for text in (ALL, f"SELECT c4, count(*) FROM t WHERE {ALL} GROUP BY c4")]


def older_curator():
    """A frozen hypothesis of format 1, which was never compared with the table."""
    made = ht.load(GOLDEN / "format-1-curator-zcdp.hush")
    return [made.ask("smoker AND age >= 65"), made.ask("SELECT region, sex, count(*) FROM t GROUP BY region, sex")]


def computed():
    """What is computed from an answer without a bar has none."""
    one, table = older_curator()
    several = Selection.of({"n": table, "twice": table})
    return [one - one, 2 * one, several]


def never_looked_at():
    wording = Wording(question="q", unit="fraction", law=Law.LAPLACE, estimator="model", notes=("unknown: not seen",))
    nothing = Estimates(value=np.array([0.3]), stderr=np.array([np.nan]))
    return [build_answer(wording, nothing), build_answer(replace(wording, groups={"a": ("x",)}), nothing)]


KINDS = (older_whole_table, mwem_without_calibration, older_curator, computed, never_looked_at)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_form_of_an_answer_without_a_bar_has_a_number(kind):
    for answer in kind():
        assert any("unknown" in note for note in answer.notes), "and says why"
        lines = answer.text().splitlines()[-len(answer) if isinstance(answer, CrossTab) else -1 :]
        assert all("unknown" in line and "±" not in line for line in lines)
        assert "±" not in repr(answer)
        assert "±" not in answer._repr_html_()
        said = json.loads(json.dumps(answer.to_dict(), allow_nan=False))
        cells = said.get("rows", [said])
        parts = [part for cell in cells for part in (cell, *cell.values()) if isinstance(part, dict)]
        told = [part[name] for part in parts for name in ("value", "stderr", "bias") if name in part]
        assert told
        assert set(told) == {None}
        frame = answer.to_pandas()
        numbers = [n for n in frame.columns if n.split("_")[-1] in ("value", "stderr", "bias", "n", "twice")]
        assert numbers
        assert frame[numbers].isna().all().all()
        assert all(
            row[name] is None or np.isnan(row[name]) for row in answer.to_arrow().to_pylist() for name in numbers
        )


def test_what_is_measured_stands_beside_it():
    """A model's value without a bar is unknown; the unbiased value of the same has one, and is shown."""
    measured = Answer(question="q", unit="fraction", value=0.25, stderr=0.01, estimator="measured")
    answer = Answer(question="q", unit="fraction", value=0.3, stderr=np.nan, estimator="model", unbiased=measured)
    assert answer.text() == "unknown (95%); measured 0.250 ± 0.020 (95%)"


def test_an_exact_answer_is_known():
    answer = Answer(question="q", unit="fraction", value=0.3, stderr=0.0)
    assert (answer.text(), answer.to_dict()["value"]) == ("0.3 ± 0 (95%)", 0.3)


def test_the_certified_interval_of_what_is_unknown_is_kept():
    (one, _) = older_curator()
    low, high = one.interval()
    assert low <= 0
    assert high >= 1
    assert (one.to_dict()["low"], one.to_dict()["high"]) == (low, high)
