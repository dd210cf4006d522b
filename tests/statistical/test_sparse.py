"""Sparse synopses over many keys and noises: unbiased, with the error they state, and intervals that cover.

Seeds are fixed, so a run does not flicker; the rates below are those of a change of seeds or of code.
"""

import math
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binom, chi2, norm

import hushtable as ht
from hushtable.maths.keys import siphash
from hushtable.maths.keys.sketches import Sketch
from hushtable.mechanisms import mechanisms
from hushtable.vault.door.door import Door
from hushtable.vault.sources import open_source

FALSE_ALARM = 1e-8
SIGMAS = norm.isf(FALSE_ALARM / 2)
BUDGETS = {
    "approx": ht.Budget(epsilon=1, delta="1e-6"),
    "pure": ht.Budget(epsilon=1),
    "rho": ht.Budget(rho="0.3"),
}
pytestmark = pytest.mark.slow


class Free:
    def charge(self, price, *, what):
        assert price.amount > 0


@pytest.fixture(autouse=True)
def compiled(monkeypatch):
    monkeypatch.setattr(siphash, "FEW", 0)


def releases(values, budget, count, *, workload, neighbours="replace", rows=1, mechanism=None):
    """Independent releases of one column, each with its own key and noise."""
    unit = {"rows": rows}
    domain = ht.Domain.from_dict(
        {"table": "t", "neighbours": neighbours, "unit": unit, "attributes": {"v": {"kind": "open"}}}
    )
    made = ht.plan(domain, workload=workload, budget=budget, rows=len(values), mechanism=mechanism)
    source = open_source(pa.table({"v": values}))
    for seed in range(count):
        door = Door(
            total=lambda s: source.total(s, domain),
            unit=domain.unit, price=made.design.price, account=Free(), randomness=ht.Simulated(seed),
        )  # fmt: skip
        yield mechanisms()[made.mechanism].release(door, domain, made.design)


def zipf(rows, seed=1):
    return [f"v{i}" for i in np.minimum(np.random.default_rng(seed).zipf(1.5, rows), 10**6)]


def variance_fits(errors, expected, kurtosis):
    """Whether independent errors have this variance: the sum of squares is chi-square up to their kurtosis."""
    freedom = errors.size / (1 + kurtosis / 2)
    low, high = chi2.ppf([FALSE_ALARM / 2, 1 - FALSE_ALARM / 2], freedom) / freedom
    return low < (errors**2).mean() / expected < high


@pytest.mark.parametrize("name", ["pure", "rho"])
def test_over_keys_a_list_is_unbiased_with_the_stated_variance(name):
    """6,000 keys, a list of 20, 1,000 rows in 256 buckets: noise and collisions together; 7% of scale shows."""
    values = [f"v{i % 97}" for i in range(1000)]
    listed = [f"v{i}" for i in range(10)] + [f"absent{i}" for i in range(10)]
    truth = sum(values.count(v) for v in listed)
    squares = sum(values.count(v) ** 2 for v in set(values))
    answers = [
        model.answer(ht.Listed(listed), count=True)
        for model in releases(values, BUDGETS[name], 6000, workload="sparse(size=20, buckets=256)")
    ]
    errors = np.array([answer.value for answer in answers]) - truth
    assert abs(errors.mean()) < SIGMAS * errors.std() / math.sqrt(errors.size)
    model = next(iter(releases(values, BUDGETS[name], 1, workload="sparse(size=20, buckets=256)")))
    noise = model.law.discrete_variance(model.group_scales[1])
    # Two listed values that share a bucket err together; without signs they also share noise.
    counts = [values.count(v) for v in listed]
    pairs = sum((a + b) ** 2 for i, a in enumerate(counts) for b in counts[:i])
    shared = 0 if model.sketch.signed else 20 * 19 / 256
    expected = noise * (20 + shared) + (20 * (squares - sum(c * c for c in counts)) + pairs) / 256
    kurtosis = float((errors**4).mean() / (errors**2).mean() ** 2 - 3)
    assert variance_fits(errors, expected, kurtosis)
    assert not variance_fits(errors * 1.07, expected, kurtosis)
    assert not variance_fits(errors * 0.93, expected, kurtosis)
    stated = np.mean([answer.stderr**2 for answer in answers])
    assert stated == pytest.approx(expected, rel=0.1)


@pytest.mark.parametrize("name", ["pure", "rho"])
def test_the_estimated_sum_of_squares_is_right_on_average(name):
    values = zipf(3000)
    truth = sum(values.count(v) ** 2 for v in set(values))
    models = list(releases(values, BUDGETS[name], 400, workload="sparse(size=20, buckets=65536)"))
    seen = np.array([model.squares for model in models])
    assert abs(seen.mean() - truth) < SIGMAS * seen.std() / math.sqrt(seen.size)
    scale = float(models[0].group_scales[1])
    variance = (
        20 * scale**4 * 65536 + 8 * scale**2 * truth if name == "pure" else 2 * scale**2 * 65536 + 4 * scale * truth
    )
    # Collisions among the values themselves add to the noise of the estimate, so this is a lower bound.
    assert seen.std() > 0.85 * math.sqrt(variance)


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
@pytest.mark.parametrize("name", BUDGETS)
def test_intervals_cover(name, neighbours):
    """40 releases of 100 disjoint lists: at least 95% of the truths inside, and not all of them."""
    values = zipf(8000, seed=3)
    table = {v: values.count(v) for v in set(values)}
    present = sorted(table)[:700] + [f"absent{i}" for i in range(300)]
    source, inside, total = np.random.default_rng(5), 0, 0
    workload = "sparse(size=10, buckets=65536)"
    for model in releases(values, BUDGETS[name], 40, workload=workload, neighbours=neighbours):
        order = source.permutation(present)
        lists = {str(i): order[10 * i : 10 * i + 10].tolist() for i in range(100)}
        truth = np.array([sum(table.get(v, 0) for v in one) for one in lists.values()])
        low, high = model.answer(ht.Lists(lists), count=True).interval(0.95)
        inside, total = inside + int(((low <= truth) & (truth <= high)).sum()), total + 100
    assert binom.cdf(inside, total, 0.945) > FALSE_ALARM
    assert binom.sf(inside, total, 0.965) > FALSE_ALARM


@pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
def test_rare_huge_collisions_widen_only_the_intervals_that_need_it(neighbours):
    """A value that half of the rows have, and no list to take it out: one bucket of 4,096 is off by 2,000.

    Absent values, 300 lists of 1 and of 40 in each of 30 releases. The standard deviation of a collision is 31 rows,
    ten times the noise, and would make "95%" hold all lists of one value; of 40 values one list in a hundred meets it.
    """
    values = ["everywhere"] * 2000 + [f"v{i}" for i in range(2000)]
    workload, inside = "sparse(size=10, buckets=4096)", {}
    for model in releases(values, BUDGETS["pure"], 30, workload=workload, neighbours=neighbours):
        for length, confidence in ((1, 0.95), (40, 0.95), (40, 0.999)):
            lists = {str(i): [f"absent{i}-{j}" for j in range(length)] for i in range(300)}
            low, high = model.answer(ht.Lists(lists), count=True).interval(confidence)
            inside.setdefault((length, confidence), []).extend((low <= 0) & (high >= 0))
    for (_, confidence), held in inside.items():
        least, most = (0.935, 0.97) if confidence == 0.95 else (0.995, 1.0)
        assert binom.cdf(sum(held), len(held), least) > FALSE_ALARM
        assert most == 1.0 or binom.sf(sum(held), len(held), most) > FALSE_ALARM


def test_the_most_frequent_values_are_covered_although_they_were_chosen():
    values = zipf(20_000, seed=8)
    table = {v: values.count(v) for v in set(values)}
    inside = total = 0
    for model in releases(values, BUDGETS["approx"], 60, workload="sparse(size=10)"):
        top = model.answer(model.parse("top(5)"), count=True)
        truth = np.array([table[v] for v in top.groups["v"]])
        low, high = top.interval(0.95)
        inside, total = inside + int(((low <= truth) & (truth <= high)).sum()), total + len(truth)
    assert total == 300
    assert binom.cdf(inside, total, 0.945) > FALSE_ALARM


def test_the_list_removes_the_rare_huge_collision():
    """With a value that half of the rows have: without a list some key puts an absent value into its bucket."""
    values = ["everywhere"] * 2000 + [f"v{i}" for i in range(2000)]
    absent = {str(i): [f"absent{i}"] for i in range(2000)}
    worst = {}
    for name in ("approx", "pure"):
        models = releases(values, BUDGETS[name], 10, workload="sparse(size=10, buckets=4096)")
        worst[name] = max(np.abs(m.answer(ht.Lists(absent), count=True).value).max() for m in models)
    assert worst["pure"] > 1500  # 20,000 looks at 1 bucket of 4,096: missed with a chance below e^-4.8, seeds fixed
    assert worst["approx"] < 400


def test_buckets_have_the_exact_noise_and_none_has_none():
    """65,536 buckets of a table with one row against the discrete Laplace law; 7% of scale shows."""
    (model,) = releases(["a"], BUDGETS["pure"], 1, workload="sparse(size=10, buckets=65536)")
    place = model.sketch.places(pa.array([b"a"], pa.large_binary()))
    noise = model.sums[1:].copy()
    noise[place.buckets] -= place.signs
    scale = model.group_scales[1]
    assert scale == Fraction(2)

    def fits(b):
        r = math.exp(-1 / b)
        chances = np.array([(1 - r) / (1 + r) * r ** abs(y) for y in range(-10, 11)])
        seen = np.array([(noise == y).sum() for y in range(-10, 11)])
        seen, chances = np.append(seen, noise.size - seen.sum()), np.append(chances, 1 - chances.sum())
        return chi2.sf(((seen - noise.size * chances) ** 2 / (noise.size * chances)).sum(), len(seen) - 1) > FALSE_ALARM

    assert fits(2.0)
    assert not fits(2.0 * 0.93)
    assert not fits(2.0 * 1.07)


def test_a_sketch_without_noise_errs_as_the_published_projection_does():
    """1,500 keys and 1,500 projections of height T = 64: list errors have mean 0 and variance m F2 / T in both.

    Two listed values in one bucket err together, which the expectation counts. The mean of squares is compared to
    six of its own standard errors (2e-9).
    """
    from papers.blum2011.project import signs

    height, counts = 64, np.array([30, 20, 10, *[5] * 10, *[1] * 100, *[0] * 20])
    listed = np.r_[0, 5:10, 113:117]
    keys = pa.array([f"v{i}".encode() for i in range(len(counts))], pa.large_binary())
    errors: dict[str, list[float]] = {"sketch": [], "projection": []}
    for seed in range(1500):
        columns = signs(len(counts), height, seed)
        errors["projection"].append(float((columns.T @ (columns @ counts) - counts)[listed].sum()))
        sketch = Sketch(np.random.default_rng(seed).bytes(16), height, signed=True)
        places = sketch.places(keys)
        sums = sketch.sums(places, counts)
        errors["sketch"].append(float((places.signs * sums[places.buckets] - counts)[listed].sum()))
    # A value does not collide with itself, and two listed ones meet twice.
    own = counts[listed]
    pairs = sum((a + b) ** 2 for i, a in enumerate(own) for b in own[:i])
    expected = (len(listed) * float((counts**2).sum() - (own**2).sum()) + pairs) / height
    for found in errors.values():
        assert abs(np.mean(found)) < SIGMAS * np.std(found) / math.sqrt(len(found))
        squares = np.square(found)
        assert abs(squares.mean() - expected) < 6 * squares.std() / math.sqrt(squares.size)
        assert 6 * squares.std() / math.sqrt(squares.size) < 0.5 * expected, "the test can see twice the error"


def test_the_stability_histogram_states_its_error():
    """Values far above the threshold: standardised errors of 60 releases have variance 1, to a scale of 7%."""
    values = [f"v{i}" for i in range(250) for _ in range(100)]
    errors = []
    for model in releases(values, BUDGETS["approx"], 60, workload="sparse(size=10, rare=False)"):
        answers = model.answer(ht.Lists({str(i): [f"v{i}"] for i in range(250)}), count=True)
        errors += ((answers.value - 100) / answers.stderr).tolist()
    assert variance_fits(np.array(errors), 1.0, 3.0)
    assert not variance_fits(np.array(errors) * 1.07, 1.0, 3.0)
    assert not variance_fits(np.array(errors) * 0.93, 1.0, 3.0)
