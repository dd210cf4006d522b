"""Bars by replicates: averages by group stay in range and hold, and regressions from sets hold on the real rows."""

import numpy as np
import pytest
from whole_tables import BUDGETS, latent, release, whole_numbers

import hushtable as ht
from hushtable.questions.measure import Measure
from hushtable.questions.parse import Question

pytestmark = pytest.mark.slow
SIZES = [8, 3, 5, 2, 2, 12]


@pytest.fixture(scope="module")
def made():
    codes = latent(4_000, SIZES, 7)
    return codes, [release(whole_numbers(SIZES), codes, BUDGETS[number % 2], number) for number in range(6)]


def test_averages_by_group_are_in_range_covered_or_unknown(made):
    """Some 1,000 averages; a group whose average is known has a true one in its interval 93% of the time or more."""
    codes, models = made
    inside, unknown = [], 0
    for model in models:
        for by in ((1,), (2, 3), (4, 5), (1, 2, 5)):
            answer = model.answer(Question(text="", measure=Measure("mean", 0), groups=by))
            low, high = answer.interval(0.95)
            assert (low >= 0).all()
            assert (high <= SIZES[0] - 1).all()
            key = np.ravel_multi_index([codes[j] for j in by], [SIZES[j] for j in by])
            count = np.bincount(key, minlength=len(answer))
            with np.errstate(all="ignore"):
                true = np.bincount(key, codes[0], minlength=len(answer)) / count
            known = np.isfinite(answer.value) & (count > 0)
            unknown += int((~np.isfinite(answer.value)).sum())
            inside += ((low <= true) & (true <= high))[known].tolist()
    assert len(inside) > 300
    assert unknown > 0, "small groups are unknown, not 0 or anything else"
    assert np.mean(inside) >= 0.93


def test_a_line_through_sets_holds_for_the_real_rows(made):
    """Slopes of a least-squares line on three columns: 95% intervals from 16 sets hold 85% of the time or more."""
    codes, models = made
    columns = [1, 3, 5]

    def slopes(rows):
        x = np.column_stack([np.ones(rows.shape[1]), *rows[columns].astype(float)])
        y = rows[0].astype(float)
        found, left, *_ = np.linalg.lstsq(x, y, rcond=None)
        return found, np.diag(np.linalg.inv(x.T @ x)) * left[0] / (len(y) - x.shape[1])

    true, inside, naive = slopes(codes)[0], [], []
    for seed, model in enumerate(models):
        random = np.random.default_rng(seed)
        sets = [slopes(model.draw_replicate(r, 4_000, random)) for r in range(model.replicate_count)]
        found = ht.combine(*(np.array(part) for part in zip(*sets, strict=True)))
        low, high = found.interval(0.95)
        inside += ((low <= true) & (true <= high)).tolist()
        one, variance = slopes(model.draw(4_000, random))
        naive += (np.abs(one - true) <= 1.96 * np.sqrt(variance)).tolist()
    assert np.mean(inside) >= 0.85
    assert np.mean(naive) < np.mean(inside), "what one synthetic table says of its own errors knows of no noise"
