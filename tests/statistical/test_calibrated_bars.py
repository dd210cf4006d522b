"""Calibrated bars of curators and of `mwem` hold 93% and more of answers about tables nobody chose them on.

Every release is of another made-up table and of other questions, so that releases are independent. The check fails by
chance less often than FALSE_ALARM, and it can fail: bars a sixth as wide are rejected on the same draws.
"""

import numpy as np
import pytest
from scipy.stats import t as student

import hushtable as ht
from hushtable.questions.answer import Answer

pytestmark = pytest.mark.slow

FALSE_ALARM = 1e-9
PROMISED, NARROWER = 0.93, 6.0
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


def held(answer: Answer, truth: float) -> tuple[bool, bool] | None:
    """Whether its bar holds the truth, and whether one a sixth as wide would; None where it has none of this kind."""
    low, high = answer.interval(0.95)
    if answer.estimator != "calibrated" or not np.isfinite([low, high]).all():
        return None
    parts = (answer.value + (end - answer.value) / NARROWER for end in (low, high))
    return low - 1e-9 <= truth <= high + 1e-9, next(parts) <= truth <= next(parts)


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


def surely_below(shares):
    """Whether the mean of independent shares lies below what is promised by more than chance."""
    error = max(np.std(shares, ddof=1), 0.02) / np.sqrt(len(shares))
    return (PROMISED - np.mean(shares)) / error > student.isf(FALSE_ALARM, len(shares) - 1)


@pytest.mark.parametrize("kind", [curated, weighted])
def test_bars_hold_what_they_promise_and_would_not_if_they_were_narrower(kind):
    seen = [[one for one in kind(seed) if one is not None] for seed in range(RELEASES)]
    assert sum(map(len, seen)) > 10 * RELEASES
    wide, narrow = (np.array([np.mean([one[i] for one in own]) for own in seen if own]) for i in (0, 1))
    assert not surely_below(wide), wide.mean()
    assert surely_below(narrow), narrow.mean()
