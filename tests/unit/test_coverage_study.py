"""The coverage study: it runs and writes its page, and it sees intervals that are 7% too narrow."""

from statistics import NormalDist

import numpy as np
import pytest

from benchmarks.coverage_study import families
from benchmarks.coverage_study.asked import Seen
from benchmarks.coverage_study.counting import tallies
from benchmarks.coverage_study.kept import kept_page
from benchmarks.coverage_study.page import page_text
from benchmarks.coverage_study.run import observed, read_lines, run_all
from benchmarks.coverage_study.settings import Setting
from benchmarks.coverage_study.tally import Tally
from benchmarks.coverage_study.verdict import FALSE_ALARM, judge
from hushtable.laws import Law
from hushtable.mechanisms import mechanisms
from hushtable.questions.answer import Answer, CrossTab

CELLS, RELEASES = 1000, 150


def setting(family: str, **more) -> Setting:
    given = {"table": "clinic", "rows": 200, "relation": "replace", "currency": "delta", "unit": 1} | more
    return Setting(family=family, **given)


def normal_answers(scale: float, bias: float = 0.0):
    """One release after the other of cells that are 0, with bars `scale` times as wide as right ones."""

    def observe(seed: int) -> list[Seen]:
        value, ones = np.random.default_rng(seed).normal(size=CELLS), np.ones(CELLS)
        table = CrossTab(
            question="", unit="fraction", groups={"cell": ("",) * CELLS}, value=value, stderr=scale * ones,
            bias=bias * ones, kurtosis=0 * ones, law=Law.GAUSSIAN,
        )  # fmt: skip
        return [Seen("cell", 0, table, 0 * ones)]

    return observe


def of(observe, releases: int = RELEASES):
    return tallies(observe(seed) for seed in range(releases))


def test_a_setting_runs_and_the_page_shows_it():
    """Real releases of 200 simulated rows: all kinds of questions are there, and cells are covered."""
    one = setting("tables")
    line = observed(one, seconds=0.2, most=20)
    assert {"fraction", "count", "cell", "cell count"} <= set(line["kinds"])
    assert any(kind.startswith("average of groups") for kind in line["kinds"])
    text, _ = page_text([line], [one, setting("mwem")])
    assert "| cell | 200 |" in text
    assert "## tables" in text
    assert "1 settings of mwem: not run yet" in text
    assert judge(tallies_of(line)["cell"], conservative=False).misses == ()


def tallies_of(line):
    return {kind: Tally.from_dict(given) for kind, given in line["kinds"].items()}


@pytest.mark.parametrize(("scale", "missed"), [(0.93, True), (1.0, False), (1.07, False), (1.3, True)])
def test_bars_that_are_too_narrow_or_far_too_wide_are_named(monkeypatch, scale, missed):
    """150,000 intervals: a scale of 0.93 is seen, and a right one is not, but for a chance of 1e-5 a bar."""
    monkeypatch.setitem(families.FAMILIES, "planted", families.Family("codes", lambda _: normal_answers(scale)))
    one = setting("planted")
    line = observed(one, seconds=60, most=RELEASES)
    text, misses = page_text([line], [one])
    assert (misses == ["planted: cell"]) == missed
    assert ("None." in text.split("## Kinds that miss a bar")[1]) != missed
    assert text.count("**misses**") == missed
    assert FALSE_ALARM <= 1e-5


def test_what_has_a_bias_bound_is_wide_on_purpose_and_its_factor_is_named(monkeypatch):
    """A bound of 2 beside noise of 1: (2 + 1.96) / 1.96 times as wide as need be, within the bins of 2%."""
    monkeypatch.setitem(families.FAMILIES, "planted", families.Family("codes", lambda _: normal_answers(1.0, bias=2)))
    line = observed(setting("planted"), seconds=60, most=20)
    text, misses = page_text([line], [])
    assert misses == []
    factor = tallies_of(line)["cell, bounded"].width_over_error
    assert factor == pytest.approx(3.96 / 1.96, rel=0.03)
    assert f"| planted: cell, bounded | {factor:.3g} to {factor:.3g} |" in text


def test_what_was_not_run_again_is_kept_from_the_page_as_it_was(monkeypatch):
    """Two families and two numbers of rows; a line that missed is kept with its reason, and goes when it is run."""
    monkeypatch.setitem(families.FAMILIES, "tables", families.Family("codes", lambda _: normal_answers(1.0)))
    monkeypatch.setitem(families.FAMILIES, "histogram", families.Family("codes", lambda _: normal_answers(0.8)))
    runs = [setting("tables"), setting("histogram"), setting("histogram", rows=2_000)]
    lines = [observed(one, most=RELEASES) | {"code": "0123456789abcdef"} for one in runs]
    first, missed = page_text(lines, runs)
    assert len(missed) == 1
    before = kept_page(first)
    assert {(one.family, one.kind, one.rows) for one in before.lines} == {
        ("tables", "cell", 200), ("histogram", "cell", 200), ("histogram", "cell", 2_000),
    }  # fmt: skip
    factors = {one.rows: one.factor for one in before.lines if one.family == "histogram"}
    seen = {line["setting"]["rows"]: tallies_of(line)["cell"].width_over_error for line in lines[1:]}
    assert factors == pytest.approx(seen, rel=0.01)
    again, still = page_text(lines[:1], runs, before)
    assert "**Kept.**" in again
    assert "histogram (200, 2,000)" in again
    assert [line for line in first.splitlines() if line.startswith("| cell")] == [
        line for line in again.splitlines() if line.startswith("| cell")
    ]
    assert len(still) == 2, "one line a number of rows that missed"
    assert all(line in first for line in still)
    assert "not run yet" not in again
    some, left = page_text(lines[:2], runs, kept_page(again))
    assert "histogram (2,000)" in some
    assert "tables (" not in some.split("## ")[0].split("Kept")[1]
    assert len(left) == 2
    assert "2,000 rows.**" in left[1]


def test_the_error_of_a_share_knows_that_answers_of_one_release_depend_on_each_other():
    """Every release says one number a hundred times: the error is that of so many releases, not of all answers."""

    def observe(seed: int) -> list[Seen]:
        value = float(np.random.default_rng(seed).normal())
        return [Seen("count", i, Answer(question="", unit="count", value=value, stderr=1.0), 0.0) for i in range(100)]

    tally = of(observe, 400)["count"]
    assert tally.intervals == 40_000
    for level, share in enumerate((0.5, 0.95)):
        assert tally.error(level) == pytest.approx(np.sqrt(share * (1 - share) / 400), rel=0.25)
    alone = of(normal_answers(1.0))["cell"]
    assert alone.error(1) == pytest.approx(np.sqrt(0.95 * 0.05 / alone.intervals), rel=0.25)


def test_unknown_answers_are_counted_apart_and_never_as_held():
    """Refused, without a value, or with an interval that is all of the range; and so are the few that are shown."""
    span = (0.0, 100.0)
    whole = Answer(question="", unit="mean", value=50.0, stderr=50 / NormalDist().inv_cdf(0.975))
    nothing = Answer(question="", unit="mean", value=np.nan, stderr=np.nan)
    seen = [Seen("average", number, answer, 50.0, span) for number, answer in enumerate((whole, nothing, None))]
    tally = tallies([seen, seen])["average, seldom shown"]
    assert (tally.intervals, tally.unknown, tally.share_unknown) == (0, 6, 1.0)
    assert judge(tally, conservative=False) is None
    shown = Answer(question="", unit="mean", value=50.0, stderr=1.0)
    tally = tallies([[Seen("average", 0, shown if seed else None, 50.0, span)] for seed in range(10)])
    assert list(tally) == ["average, seldom shown"]
    assert (tally["average, seldom shown"].intervals, tally["average, seldom shown"].unknown) == (9, 1)


def test_exact_answers_are_no_intervals_and_wrong_ones_miss():
    exact = [Seen("count", 0, Answer(question="", unit="count", value=7.0, stderr=0.0), 7.0)]
    wrong = [Seen("count", 0, Answer(question="", unit="count", value=7.0, stderr=0.0), 8.0)]
    tally = tallies([exact, wrong])["count"]
    assert (tally.exact, tally.intervals, tally.hits) == (1, 1, [0.0] * 4)


def test_a_few_intervals_that_all_missed_are_not_certain():
    """Two releases with one interval each, none of which holds: two releases tell little of how they differ."""

    def observe(seed: int) -> list[Seen]:
        return [Seen("average", 0, Answer(question="", unit="mean", value=9.0, stderr=1.0), 0.0)]

    few = judge(of(observe, 2)["average"], conservative=False)
    assert few.outside
    assert few.misses == ()
    assert len(judge(of(observe, 50)["average"], conservative=False).misses) == 3


def test_every_mechanism_is_in_the_study():
    """A new mechanism gets a family, or this fails."""
    studied = {family.mechanism or name for name, family in families.FAMILIES.items()}
    assert set(mechanisms()) <= studied


def test_a_run_goes_on_where_it_stopped_and_other_code_does_not_count(tmp_path, monkeypatch):
    monkeypatch.setattr("benchmarks.coverage_study.run.code_digest", lambda: "now")
    results = tmp_path / "results.jsonl"
    results.write_text('{"key": "a", "code": "before"}\n{"key": "b", "code": "now"}\n{"key": "c", "co')
    assert [line["key"] for line in read_lines(results, "now")] == ["b"]
    assert [line["key"] for line in read_lines(results, None)] == ["a", "b"]
    done = setting("tables")
    results.write_text(f'{{"key": "{done.key}", "code": "now"}}\n')
    assert list(run_all([done], results)) == []
