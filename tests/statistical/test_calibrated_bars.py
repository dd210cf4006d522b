"""Calibrated bars of curators and of `mwem` hold 95% and more of answers about tables nobody chose them on.

Every release is of another made-up table and of other questions, so that releases are independent. The check fails by
chance less often than FALSE_ALARM, and it can fail: bars a quarter as wide are rejected on the same draws. Each third
of the answers by size holds 85% and more. What a model misses has no law, so that no test of it sees much less. The
part of the bars that has one, the noise of single columns, is held to that law, and a scale that is 7% wrong is
rejected.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import chi2
from scipy.stats import t as student

import hushtable as ht
from hushtable.maths.distribution.question_parts import question_parts
from hushtable.questions.answer import Answer

pytestmark = pytest.mark.slow

FALSE_ALARM = 1e-9
PROMISED, OF_EACH_THIRD, NARROWER = 0.95, 0.85, 4.0
ROWS, RELEASES = 20_000, 40
SIZES = {"a": 2, "b": 3, "c": 4, "d": 6}
DOMAIN = ht.Domain.from_dict(
    {
        "table": "t",
        "attributes": {n: {"kind": "integer", "between": [0, s - 1], "missing": "error"} for n, s in SIZES.items()},
    }
)


def table(luck):
    """Columns that depend on each other by a hidden class, and one pair by more than that."""
    hidden = luck.random(ROWS) < luck.uniform(0.2, 0.8)
    columns = {}
    for name, size in SIZES.items():
        first, second = luck.dirichlet(np.ones(size), 2)
        mixed = 0.7 * first + 0.3 * second
        columns[name] = np.where(hidden, luck.choice(size, ROWS, p=first), luck.choice(size, ROWS, p=mixed))
    one, other = luck.choice(list(SIZES), 2, replace=False)
    same = luck.random(ROWS) < luck.uniform(0, 0.4)
    columns[other] = np.where(same, columns[one] % SIZES[other], columns[other])
    return columns


def question(luck, columns):
    """A condition on two or three columns, and its true share."""
    names = luck.choice(list(SIZES), int(luck.integers(2, 4)), replace=False)
    cuts = {name: int(luck.integers(1, SIZES[name])) for name in names}
    holds = np.all([columns[name] >= cut for name, cut in cuts.items()], axis=0)
    return " AND ".join(f"{name} >= {cut}" for name, cut in cuts.items()), holds.mean()


def held(answer: Answer, truth: float) -> tuple[bool, bool, float] | None:
    """Whether its bar holds the truth, whether one a quarter as wide would, and the answer; None where it has none of
    this kind."""
    low, high = answer.interval(0.95)
    if answer.estimator != "calibrated" or not np.isfinite([low, high]).all():
        return None
    parts = (answer.value + (end - answer.value) / NARROWER for end in (low, high))
    return low - 1e-9 <= truth <= high + 1e-9, next(parts) <= truth <= next(parts), answer.value


def curated(seed):
    luck = np.random.default_rng([seed, 1])
    columns = table(luck)
    vault, found = ht.Vault(pandas_frame(columns), DOMAIN), []
    budget = ht.Budget(epsilon=4, delta="1e-6")
    with vault.curate(budget=budget, way="hypothesis", updates=4, questions=200, randomness=ht.Simulated(seed)) as one:
        for _ in range(30):
            text, truth = question(luck, columns)
            found.append(held(one.ask(text), truth))
        frozen = one.freeze()
    for _ in range(10):
        text, truth = question(luck, columns)
        found.append(held(frozen.ask(text), truth))
    return found


def weighted(seed):
    luck = np.random.default_rng([seed, 2])
    columns = table(luck)
    plan = ht.plan(
        DOMAIN, rows=ROWS, workload=ht.Marginals(width=2), budget=ht.Budget(epsilon=1), mechanism="mwem(rounds=3)"
    )
    synopsis = ht.Vault(pandas_frame(columns), DOMAIN).release(plan, randomness=ht.Simulated(seed))
    return [held(synopsis.ask(text), truth) for text, truth in (question(luck, columns) for _ in range(30))]


def pandas_frame(columns):
    import pandas

    return pandas.DataFrame(columns)


def surely_below(shares, promised=PROMISED):
    """Whether the mean of independent shares lies below what is promised by more than chance."""
    error = max(np.std(shares, ddof=1), 0.02) / np.sqrt(len(shares))
    return (promised - np.mean(shares)) / error > student.isf(FALSE_ALARM, len(shares) - 1)


@pytest.mark.parametrize("kind", [curated, weighted])
def test_bars_hold_what_they_promise_and_would_not_if_they_were_narrower(kind):
    seen = [[one for one in kind(seed) if one is not None] for seed in range(RELEASES)]
    assert sum(map(len, seen)) > 10 * RELEASES
    wide, narrow = (np.array([np.mean([one[i] for one in own]) for own in seen if own]) for i in (0, 1))
    assert not surely_below(wide), wide.mean()
    assert surely_below(narrow), narrow.mean()
    ends = np.quantile([one[2] for own in seen for one in own], [0, 1 / 3, 2 / 3, 1])
    for third, (least, most) in enumerate(pairwise(ends)):
        # An answer at an end counts in both.
        parts = [[one for one in own if least <= one[2] <= most] for own in seen]
        wide = np.array([np.mean([one[0] for one in part]) for part in parts if part])
        assert not surely_below(wide, OF_EACH_THIRD), (third, wide.mean())


COLUMNS, CURATORS, HALF = 16, 640, 5_000


def errors_of_single_columns():
    """Of columns of two equal halves, over the noise that bars take them to have; the hypothesis was told no more."""
    luck = np.random.default_rng(5)
    columns = {f"c{i}": luck.permutation(HALF) % 2 for i in range(COLUMNS)}
    spec = {"kind": "integer", "between": [0, 1], "missing": "error"}
    domain = ht.Domain.from_dict({"table": "t", "attributes": dict.fromkeys(columns, spec)})
    vault, budget = ht.Vault(pandas_frame(columns), domain), ht.Budget(epsilon=4, delta="1e-6")
    found = []
    for seed in range(CURATORS):
        with vault.curate(
            budget=budget, way="hypothesis", updates=1, questions=100, randomness=ht.Simulated(seed)
        ) as one:
            model = one.freeze().model
        for position, share in enumerate(model.distribution.one_ways()):
            noise = next(item for item in model.measured if item.positions == (position,)).variance(model.law)
            parts = question_parts(np.array([[0.0, 1.0]]), [position], model.distribution.one_ways())
            found.append((share[1] - 0.5) * HALF / np.sqrt(noise * parts.squares[0]))
    return np.array(found)


def right_scale(errors):
    """Whether the sum of squares is one of so many standard normal errors."""
    total = float((errors**2).sum())
    return min(chi2.cdf(total, len(errors)), chi2.sf(total, len(errors))) > FALSE_ALARM / 2


def test_the_noise_of_single_columns_is_known_to_a_few_percent():
    errors = errors_of_single_columns()
    assert right_scale(errors), errors.std()
    assert not right_scale(0.93 * errors)
    assert not right_scale(1.07 * errors)
