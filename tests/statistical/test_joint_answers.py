"""Answers of linear models that are computed with: their noises go together as stated, and bars of ratios hold."""

from functools import lru_cache
from itertools import combinations

import numpy as np
import pandas
import pytest
from scipy import stats

import hushtable as ht
from hushtable.questions.arithmetic import NOWHERE, known_errors
from hushtable.questions.parse import parse
from hushtable.questions.sql.cells import as_table, joined

pytestmark = pytest.mark.slow
ALARM = 1e-9
SIZES = {"a": 3, "b": 4, "c": 2, "d": 5}
ROWS = 4_000
WIDE = ["a = 0 AND b = 1", "a = 0 AND b <= 1", "a = 0", "b = 1", "b <= 1", "c = 1", "a >= 1 AND c = 1", "d = 2",
        "d <= 2 AND c = 1", "a = 0 OR d = 2", "b = 3 AND d >= 3"]  # fmt: skip
NARROW = ["a = 0", "a <= 1", "b = 1", "b <= 1", "c = 1", "d = 2", "d <= 2"]
BUDGETS = {"pure": ht.Budget(epsilon=1), "delta": ht.Budget(epsilon=1, delta="1e-9")}
PAIRS = [("a", "b"), ("c", "d"), ("a", "d")]
# Pairs of few columns with K-norm noise are a model of their own: whole vectors of their cells.
VECTORS = ("a", "c")
OF_TWO = ["a = 0", "a <= 1", "c = 1", "a = 0 AND c = 1", "a >= 1 AND c = 1", "a = 2 AND c = 0", "a = 0 OR c = 1"]
CASES = [
    ("low-order", "marginals(width=2)", "pure", WIDE, tuple(SIZES)),
    ("tables", "marginals(width=2)", "delta", WIDE, tuple(SIZES)),
    ("histogram", "marginals(width=4)", "pure", WIDE, tuple(SIZES)),
    ("k-norm", "marginals(width=1)", "pure", NARROW, tuple(SIZES)),
    ("k-norm", "marginals(width=2)", "pure", OF_TWO, VECTORS),
]


def table() -> pandas.DataFrame:
    g = np.random.default_rng(3)
    hidden = g.normal(size=ROWS)
    return pandas.DataFrame(
        {name: np.clip(np.rint((hidden + g.normal(size=ROWS)) * size / 5 + size / 2), 0, size - 1).astype(int)
         for name, size in SIZES.items()}
    )  # fmt: skip


def releases(mechanism: str, workload: str, currency: str, neighbours: str, many: int, names=tuple(SIZES)):
    columns = {name: {"kind": "integer", "between": [0, SIZES[name] - 1], "bins": SIZES[name], "missing": "error"}
               for name in names}  # fmt: skip
    domain = ht.Domain.from_dict({"table": "t", "neighbours": neighbours, "attributes": columns})
    plan = ht.plan(domain, rows=ROWS, workload=workload, budget=BUDGETS[currency], mechanism=mechanism)
    vault = ht.Vault(table(), domain)
    for seed in range(many):
        yield vault.release(plan, randomness=ht.Simulated(seed)).model


def truth(asked: list[str]) -> np.ndarray:
    rows = table()
    texts = [text.replace(" = ", " == ").replace("AND", "and").replace("OR", "or") for text in asked]
    return np.array([rows.eval(text).sum() for text in texts], dtype=np.float64)


def counts(model, asked: list[str]) -> list[ht.Answer]:
    return [model.answer(question, count=True) for question in parsed(model.domain, tuple(asked))]


@lru_cache(maxsize=32)
def parsed(domain, asked: tuple[str, ...]):
    return [parse(text, domain) for text in asked]


@pytest.mark.parametrize(
    ("mechanism", "workload", "currency", "neighbours", "many"),
    [
        ("low-order", "marginals(width=2)", "delta", "replace", 300),
        ("low-order", "marginals(width=2)", "delta", "add-remove", 300),
        ("tables", "marginals(width=2)", "delta", "add-remove", 300),
        ("histogram", "marginals(width=4)", "pure", "replace", 400),
        # All of its noises share one radius, so that more releases are needed to tell its size.
        ("k-norm", "marginals(width=1)", "pure", "add-remove", 1500),
    ],
)
def test_noises_of_cells_go_together_as_stated(mechanism, workload, currency, neighbours, many):
    """The squared length of the errors of three tables, in their stated covariance, has its mean. False alarm 1e-9;
    noise whose scale is 7% too small or too large is found.
    """
    groups = [("a",), ("b",), ("c",), ("d",)] if mechanism == "k-norm" else PAIRS
    rows, found, alone = table(), [], []
    true = np.concatenate([rows.groupby(list(own)).size().unstack(fill_value=0).to_numpy().ravel() if len(own) == 2
                           else rows.groupby(list(own)).size().to_numpy() for own in groups])  # fmt: skip
    questions = [f"SELECT {', '.join(own)}, count(*) FROM t GROUP BY {', '.join(own)}" for own in groups]
    for number, model in enumerate(releases(mechanism, workload, currency, neighbours, many)):
        answers = joined([as_table(answer) for answer in counts(model, questions)])
        if not number:
            weights = known_errors(answers.parts).noises[NOWHERE].weights
            covariance = weights.T @ weights
            assert np.sqrt(np.diag(covariance)) == pytest.approx(answers.stderr, rel=1e-6)
            inverse, degrees = np.linalg.pinv(covariance, rcond=1e-9), np.linalg.matrix_rank(covariance, rtol=1e-9)
        errors = answers.value - true
        assert errors @ inverse @ covariance == pytest.approx(errors, abs=1e-6), "no error where none is stated"
        found.append(float(errors @ inverse @ errors) / degrees)
        alone.append(float((errors**2 / np.diag(covariance)).mean()))
    assert off(found) < far()
    assert off(alone) < far()
    assert off(np.array(found) * 1.07**2) > far()
    assert off(np.array(found) / 1.07**2) > far()


def off(squares) -> float:
    """How many of its standard errors a mean is from 1."""
    return abs(np.mean(squares) - 1) / (np.std(squares) / np.sqrt(len(squares)))


def far() -> float:
    return float(stats.norm.isf(ALARM / 2))


@pytest.mark.parametrize(("mechanism", "workload", "currency", "asked", "names"), CASES)
def test_differences_and_ratios_hold_and_are_narrow(mechanism, workload, currency, asked, names):
    """95% intervals hold 95% of differences and ratios, within 6 of its own errors and the half percent that heavy
    tails take, and are narrower than bars that are added up.
    """
    true = truth(asked)
    inside, narrower = {"-": [], "/": []}, []
    for model in releases(mechanism, workload, currency, "replace", 120, names):
        answers = counts(model, asked)
        each = {"-": [], "/": []}
        for i, j in combinations(range(len(asked)), 2):
            difference, ratio = answers[i] - answers[j], answers[i] / answers[j]
            each["-"].append(holds(difference, true[i] - true[j]))
            each["/"].append(holds(ratio, true[i] / true[j]))
            narrower.append(difference.stderr / (answers[i].stderr + answers[j].stderr))
        for word, held in each.items():
            inside[word].append(np.mean(held))
    assert np.mean(narrower) < 0.85
    for word, held in inside.items():
        error = np.std(held) / np.sqrt(len(held))
        assert error < 0.02
        assert 0.95 - 6 * error < np.mean(held) + 0.005, word
        assert np.mean(held) < 0.985, word


def holds(answer, true: float) -> bool:
    low, high = answer.interval()
    return low <= true <= high
