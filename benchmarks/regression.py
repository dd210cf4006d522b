"""A logistic regression of income on five columns of Adult, from 16 sets of synthetic rows, against the real rows.

`python -m benchmarks regression`; the intervals that one synthetic table gives for itself stand beside.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np

import hushtable as ht
from benchmarks._figure import figure
from benchmarks._tables import domain_of, load
from benchmarks.whole_table import release

FIGURES = ("regression",)
RELEASES, SETS = 20, 16
INCOME, COLUMNS = "income>50K", ("age", "education-num", "hours-per-week", "sex", "race")
BAR = 0.85


def run() -> Iterator[dict[str, Any]]:
    if (found := load("adult")) is None:
        print(json.dumps({"name": "regression", "skipped": "no such table; set HUSHTABLE_DATA"}))
        return
    frame, sizes = found
    codes, names = np.array([frame[c] for c in sizes], dtype=np.uint16), list(sizes)
    domain = ht.Domain.from_dict(domain_of(sizes))
    true, inside, naive = logistic(codes, names)[0], [], []
    for number in range(RELEASES):
        model, random = release(codes, domain, "1"), np.random.default_rng(number)
        rows = round(model.total[0])
        sets = [logistic(model.draw_replicate(r, rows, random), names) for r in range(SETS)]
        low, high = ht.combine(*(np.array(part) for part in zip(*sets, strict=True))).interval(0.95)
        inside.append((low <= true) & (true <= high))
        one, variance = logistic(model.draw(rows, random), names)
        naive.append(np.abs(one - true) <= 1.96 * np.sqrt(variance))
    by_column = {name: [float(np.mean(held)) for held in both] for name, *both in
                 zip(("(constant)", *COLUMNS), np.transpose(inside), np.transpose(naive), strict=True)}  # fmt: skip
    print(json.dumps({"name": "regression", "covered by 16 sets, by one table": by_column}), flush=True)
    held, alone = float(np.mean(inside)), float(np.mean(naive))
    yield figure("regression-sets", held, "of 95% intervals hold the coefficient of the real rows", baseline=alone,
                 ratio=held / BAR, bar="ratio >= 1")  # fmt: skip


def logistic(codes: np.ndarray, names: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Coefficients and their squared standard errors, by Newton's method; codes count as numbers, race as white or not.

    Tables of so few rows that columns tell income for sure do not occur here.
    """
    columns = [codes[names.index(name)].astype(np.float64) for name in COLUMNS]
    columns[-1] = (columns[-1] == 0).astype(np.float64)
    x = np.column_stack([np.ones(codes.shape[1]), *columns])
    y, beta = codes[names.index(INCOME)].astype(np.float64), np.zeros(x.shape[1])
    for _ in range(25):
        p = 1 / (1 + np.exp(-(x @ beta)))
        information = (x * (p * (1 - p))[:, None]).T @ x
        step = np.linalg.solve(information, x.T @ (y - p))
        beta += step
        if np.abs(step).max() < 1e-9:
            break
    return beta, np.diag(np.linalg.inv(information))
