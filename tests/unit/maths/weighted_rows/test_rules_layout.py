"""A pass over rows never moves one into a combination that a rule bans, and reaches all others."""

import numpy as np

import hushtable as ht
from hushtable.domain.impossible import rules_of
from hushtable.maths.weighted_rows.kernels import gibbs_pass
from hushtable.maths.weighted_rows.rules import Rules

DOMAIN = ht.Domain.from_dict({
    "table": "t",
    "attributes": {name: {"kind": "integer", "between": [0, 3], "missing": "error"} for name in "abcd"},
    "impossible": ["a > b", "a = 3 AND c = 0 AND d >= 2"],
    "always": ["d = 0 -> c >= 1"],
})  # fmt: skip


def test_rows_stay_inside_the_rules_and_are_uniform_there():
    rules = Rules(rules_of(DOMAIN))
    sizes, count = [4] * 4, 60_000
    codes = np.zeros((4, count), dtype=np.uint16)
    codes[2] = 1
    none = np.zeros(1, dtype=np.int64)
    empty = np.zeros(0)
    for seed in range(12):
        gibbs_pass(codes, np.full(16, 0.25, np.float32), np.cumsum([0, *sizes]), none.reshape(1, 1)[:0].reshape(0, 5),
                   np.zeros(5, np.int64), none, np.zeros(1, np.float32), np.uint64(seed), *rules.layout(4),
                   np.full(4, -1, np.int64), np.zeros(4, np.int64), empty, np.zeros(0, np.float32),
                   np.zeros((0, 0), np.float32))  # fmt: skip
    assert not rules.broken(codes).any()
    grid = np.indices(sizes).reshape(4, -1)
    allowed = ~rules.broken(grid)
    counts = np.bincount(np.ravel_multi_index(codes.astype(np.int64), sizes), minlength=256)
    assert counts[~allowed].sum() == 0
    expected = count / allowed.sum()
    # 6 standard deviations of each of about 140 cells: a false alarm in 4 of 10 million runs, and seeds are fixed.
    assert np.abs(counts[allowed] - expected).max() < 6 * np.sqrt(expected)
