"""Shares and means over a noisy number of rows: their intervals hold the truth as often as they say.

Seeds are fixed, so a run does not flicker; the rates below are those of a change of seeds or of code.
"""

import numpy as np
import pytest
from scipy.stats import binomtest

from hushtable.models.quotients import MIN_SIGMAS
from hushtable.models.smooth.ratios import NoisyNumber, Ratio
from smooth import PURE, ZCDP, people, releases, table

pytestmark = pytest.mark.slow
FALSE_ALARM = 1e-9
RELEASES = 800
CASES = [
    pytest.param(mechanism, budget, neighbours, id=f"{mechanism}-{budget.currency}-{neighbours}")
    for mechanism, budget in (("smooth-spline", PURE), ("smooth-spline", ZCDP), ("smooth-cheb", ZCDP))
    for neighbours in ("replace", "add-remove")
]


def holds(inside, rate):
    """Whether so many of the intervals hold the truth as they say."""
    return binomtest(int(np.sum(inside)), len(inside), rate).pvalue > FALSE_ALARM


@pytest.mark.parametrize(("mechanism", "budget", "neighbours"), CASES)
def test_shares_and_means_hold_the_truth(mechanism, budget, neighbours):
    """Also of a category with most rows, whose own noise is small beside that of all rows, and of what is missing.

    Intervals 30% too short would be seen.
    """
    rows = table(1500)
    missing = np.random.default_rng(3).random(1500) < 0.2
    rows["age"] = np.where(missing, np.nan, rows["age"])
    female, west = rows["sex"] == "female", np.random.default_rng(4).random(1500) < 0.9
    rows["region"] = np.where(west, "west", "north")
    shape = people(neighbours=neighbours)
    exact, *noisy = releases(rows, shape, "smooth(columns=[[age], [bmi]], by=[sex, region], length_scale=1.0)", budget,
                             mechanism, RELEASES)  # fmt: skip
    for text, truth in (
        ("sex = 'female'", female.mean()),
        ("region = 'west'", west.mean()),
        ("age IS NULL", missing.mean()),
        ("avg(age) WHERE sex = 'female'", np.nanmean(rows["age"][female])),
    ):
        question = exact.parse(text)
        answers = [model.answer(question) for model in noisy]
        ends = np.array([[a.interval(level) for level in (0.95, 0.999)] for a in answers])
        # What is certified as bias is no noise; without it the rate is that of the noise.
        bias = answers[0].bias
        low, high = ends[:, :, 0] + bias, ends[:, :, 1] - bias
        inside = (low <= truth) & (truth <= high)
        assert holds(inside[:, 0], 0.95)
        middle, half = (low + high)[:, 0] / 2, 0.7 * (high - low)[:, 0] / 2
        assert not holds(np.abs(truth - middle) <= half, 0.95)
        assert binomtest(int(inside[:, 1].sum()), RELEASES, 0.995, alternative="less").pvalue > FALSE_ALARM


@pytest.mark.parametrize(("mechanism", "budget", "neighbours"), CASES)
def test_parts_add_up(mechanism, budget, neighbours):
    """A category and the others are all rows, and a number of rows is its share of all."""
    shape = people(neighbours=neighbours)
    _, model = releases(table(800), shape, "smooth(columns=[age], by=[sex, region])", budget, mechanism, 1)

    def ask(text, count=False):
        return model.answer(model.parse(text), count=count)

    assert ask("sex = 'female'").value + ask("NOT sex = 'female'").value == pytest.approx(1, abs=1e-9)
    assert ask("age IS NULL").value + ask("age IS NOT NULL").value == pytest.approx(1, abs=1e-9)
    both, either = ask("sex = 'female' AND region = 'west'").value, ask("sex = 'female' OR region = 'west'").value
    assert both + either == pytest.approx(ask("sex = 'female'").value + ask("region = 'west'").value, abs=1e-9)
    everyone = ask("SELECT count(*) FROM people", count=True)
    counted = ask("sex = 'female'", count=True)
    assert counted.value == pytest.approx(ask("sex = 'female'").value * everyone.value, rel=1e-9)
    if neighbours == "replace":
        assert (everyone.value, everyone.stderr) == (800, 0)


def test_the_block_with_the_least_noise_counts():
    """Of two groups of columns, the one that can tell categories best, whichever stands first."""
    rows, shape = table(800), people(neighbours="add-remove")
    seen = []
    for columns in ("[age], [income, bmi]", "[income, bmi], [age]"):
        exact, _ = releases(rows, shape, f"smooth(columns=[{columns}], by=[sex])", PURE, "smooth-spline", 1)
        noise = [float(one.margin(()).variances) for one in exact.released]
        assert max(noise) > 1.5 * min(noise)
        seen.append(exact.answer(exact.parse("sex = 'female'")).stderr)
    assert seen[0] == pytest.approx(seen[1], rel=0.01)


@pytest.mark.parametrize("rows", [1.0, 2.5, 4.0])
@pytest.mark.parametrize("law", ["normal", "laplace"])
def test_means_of_small_groups_hold_given_that_they_are_shown(law, rows):
    """Groups of so many standard errors of their number: of the intervals that are shown, not of all that there are.

    Fieller's own intervals, which do not know that a mean is shown, are seen to hold too little of the smallest groups.
    """
    g, count, places = np.random.default_rng(5), 8, np.linspace(0, 1, 8)
    spread = np.exp(-(((places - 0.3) / 0.2) ** 2))
    exact = rows * spread / spread.sum()
    truth = float(exact @ places / exact.sum())
    # Eight numbers whose noise adds up to the variance 1, with the kurtosis of their law.
    draws = g.normal(0, 1, (60_000, count)) if law == "normal" else g.laplace(0, 0.5**0.5, (60_000, count))
    noisy = exact + draws / count**0.5
    shown = noisy[noisy.sum(axis=1) > MIN_SIGMAS][:1000]
    variance, fourth = 1 / count, 0.0 if law == "normal" else 3 / count**2
    given, plain = [], []
    for numbers in shown:
        bottom = float(numbers.sum())
        value = float(numbers @ places / bottom)
        off = places - value
        rest = NoisyNumber(0.0, float(variance * (off**2).sum()), float(fourth * (off**4).sum()))
        ratio = Ratio(value, NoisyNumber(bottom, 1.0, count * fourth), rest, float(variance * off.sum()))
        given.append(_inside(ratio.ends(0.95), truth))
        plain.append(_inside(ratio.plain_ends(0.95), truth))
        assert ratio.ends(0.999)[0] <= ratio.ends(0.95)[0] <= value
    assert binomtest(sum(given), len(given), 0.95, alternative="less").pvalue > FALSE_ALARM
    if rows == 1.0:
        assert binomtest(sum(plain), len(plain), 0.95, alternative="less").pvalue < FALSE_ALARM


def _inside(ends, truth):
    return bool(ends[0] <= truth <= ends[1])
