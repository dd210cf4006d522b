"""Counts where the number of rows is private: stated errors against observed ones, over many simulated noises.

Models are filled with noise directly, so that thousands of releases cost seconds. Seeds are fixed, so a run does not
flicker; the rates below are those of a change of seeds or of code.
"""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom
from tables import MIXED, domain, random_codes

from hushtable.domain import Domain
from hushtable.laws import Law
from hushtable.maths.distribution import Evidence
from hushtable.maths.distribution.measured import Measured
from hushtable.models.keyed.frequent import Frequent
from hushtable.models.keyed.key_columns import KeyColumns
from hushtable.models.keyed.stability_histogram import StabilityModel
from hushtable.models.weighted.weighted import WeightedModel
from hushtable.questions.lists import Lists
from hushtable.questions.parse import parse

FALSE_ALARM = 1e-9
LEVELS = (0.5, 0.95, 0.999)
SHAPE = domain(MIXED, neighbours="add-remove")
ROWS = 200
CODES = random_codes(SHAPE, ROWS, seed=9)
SCALES = {Law.LAPLACE: (Fraction(30), Fraction(6)), Law.GAUSSIAN: (Fraction(900), Fraction(40))}
"""Of the number of rows and of a cell of a table: b or the variance."""
TABLES = ((0, 1), (1, 2), (2, 3))


def noise(random, law, scale, size):
    """Rounded: discrete noise but for a hair."""
    b = float(scale)
    return np.rint(random.laplace(0, b, size) if law == "laplace" else random.normal(0, b**0.5, size)).astype(np.int64)


def fewest(level, draws):
    """So many of the intervals hold at least, or they hold less than they say: once in 1e9."""
    return binom.ppf(FALSE_ALARM, draws, level)


EXACT = {
    p: np.bincount(
        np.ravel_multi_index(CODES[list(p)], [SHAPE.sizes[i] for i in p]),
        minlength=int(np.prod([SHAPE.sizes[i] for i in p])),
    )
    for p in TABLES
}


def measured_by(random, law):
    """Noisy tables, the noisy number of rows and its standard error."""
    of_rows, of_cells = SCALES[law]
    tables = [Measured(p, cells + noise(random, law, of_cells, cells.size), of_cells) for p, cells in EXACT.items()]
    stderr = 2**0.5 * float(of_rows) if law == "laplace" else float(of_rows) ** 0.5
    return tables, ROWS + int(noise(random, law, of_rows, 1)[0]), stderr


def weighted(random, law):
    """A model that was fitted to nothing: all it knows is what was measured."""
    tables, rows, stderr = measured_by(random, law)
    nothing = [Evidence(one.positions, np.zeros(len(one.values)), 1.0) for one in tables]
    return WeightedModel.of(SHAPE, tables, nothing, law=law, rows=max(rows, 1), rows_stderr=stderr)


@pytest.mark.parametrize("count", [False, True], ids=["fractions", "counts"])
@pytest.mark.parametrize("law", SCALES)
def test_intervals_of_a_weighted_model_hold_what_they_say(law, count):
    """Also where nothing certifies an answer and it lies between none and all of the rows."""
    smoker, male, north = CODES[3] == 1, CODES[1] == 1, CODES[2] == 0
    asked = {
        "SELECT count(*) FROM t": np.ones(ROWS, dtype=bool),
        "smoker OR NOT smoker": np.ones(ROWS, dtype=bool),
        "NOT (smoker AND sex = 'male' AND age >= 65)": ~(smoker & male & (CODES[0] == 2)),
        "region = 'north'": north,
        "sex = 'male' AND region = 'north'": male & north,
    }
    questions = {text: parse(text, SHAPE) for text in asked}
    draws, random = 500, np.random.default_rng(3)
    held = {text: np.zeros(len(LEVELS)) for text in asked}
    for _ in range(draws):
        model = weighted(random, law)
        for text, rows in asked.items():
            answer, expected = model.answer(questions[text], count=count), rows.sum() if count else rows.mean()
            ends = np.array([answer.interval(level) for level in LEVELS])
            held[text] += (ends[:, 0] - 1e-9 <= expected) & (expected <= ends[:, 1] + 1e-9)
    for text, number in held.items():
        for level, holds in zip(LEVELS, number, strict=True):
            assert holds >= fewest(level, draws), (text, level, holds / draws)


@pytest.mark.parametrize("of_rows", [0, 2, 25], ids=["public", "less noisy", "noisier"])
def test_lists_of_a_stability_histogram_hold_what_they_say(of_rows):
    """Lists of many rare values are limited by the rows that the frequent ones leave: a noisy number."""
    counts = np.array([300, 90, 70, 60] + [3] * 30)
    names, total = [f"v{i}" for i in range(len(counts))], int(counts.sum())
    shape = Domain.from_dict({"table": "t", "attributes": {"url": {"kind": "open"}}})
    members = {"all": range(34), "rare": range(4, 34), "half": range(1, 34, 2), "some": (0, 1, 7)}
    lists = Lists({name: [names[i] for i in own] for name, own in members.items()})
    truths = np.array([counts[list(own)].sum() for own in members.values()])
    draws, random, scale = 400, np.random.default_rng(4), Fraction(4)
    held = np.zeros((2, len(LEVELS), len(members)))
    for _ in range(draws):
        # All that can be rare here is rare, and no frequent value is missed: the threshold has tests of its own.
        frequent = Frequent(scale=scale, threshold=30, texts=tuple((name,) for name in names[:4]),
                            counts=counts[:4] + noise(random, Law.LAPLACE, scale, 4))  # fmt: skip
        rows = total + (int(noise(random, Law.LAPLACE, of_rows, 1)[0]) if of_rows else 0)
        model = StabilityModel(domain=shape, columns=KeyColumns(shape.attributes), frequent=frequent, count=rows,
                               rows_scale=Fraction(of_rows))  # fmt: skip
        for count in (0, 1):
            answer, expected = model.answer(lists, count=bool(count)), truths / (1 if count else total)
            ends = np.array([answer.interval(level) for level in LEVELS])
            held[count] += (ends[:, 0] - 1e-9 <= expected) & (expected <= ends[:, 1] + 1e-9)
    least = np.array([fewest(level, draws) for level in LEVELS])
    assert (held >= least[None, :, None]).all(), held / draws
