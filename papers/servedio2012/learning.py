"""Learners on simulated surveys: PrivLearn and its bounds, boosting, the sieve, parities and circuits.

Not private: simulations with the noise that a release has, compared with the true answers.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hushtable.maths.learning.low_degree import LowDegree
from hushtable.maths.learning.privlearn import PrivLearn
from hushtable.maths.learning.products import QuestionBits, degree_for, number_of_products
from papers._paper import Row
from papers.servedio2012.boosting import boosted, draws_cost, rounds_needed, rows_for_half
from papers.servedio2012.sieve import Sieve, heavy, kept_cells, sieve_predictions
from papers.servedio2012.simulated import (
    RHO,
    ROWS,
    circuit_answers,
    conjunction_answers,
    conjunctions,
    frequencies,
    noisy,
    skewed,
    survey,
    walsh,
)

__all__ = ["ALL", "BEYOND", "ERROR", "FOURIER", "HALF", "KEPT", "LARGEST", "all_width_rows", "boosting_rows",
           "circuit_rows", "conjunction_rows", "parity_rows", "sieve_rows"]  # fmt: skip

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]
ERROR, BEYOND, LARGEST, TIME = "mean absolute error", "share beyond alpha", "largest error", "CPU seconds"
HALF, KEPT, FOURIER = "one half", "histogram, small cells left out", "ridge on parities, degree 3"
ALL = "ridge of degree 2"
# Of the boosting: what counts as right, where a score has fallen to -1, and how sure a base is.
NEAR, RAMP, ETA, DRAWS = 0.01, 0.01, 0.45, 500
BASE_DEGREES = (3, 2)


def conjunction_rows(*, fast: bool) -> Iterator[Row]:
    """PrivLearn of degree 2 on conjunctions of w of d columns, and one regression of the answers themselves."""
    settings = ((16, 3, 500), (16, 5, 1000)) if fast else ((16, 3, 500), (16, 5, 1000), (30, 3, 1000))
    for d, w, many in settings:
        for seed in (1, 2):
            rows, questions = survey(seed, d), conjunctions(d, w)
            exact, random = conjunction_answers(rows, questions), np.random.default_rng(seed)
            drawn = random.choice(len(questions), many, replace=False)
            answers, noise = noisy(exact[drawn], ROWS, random)
            place: dict[str, Any] = {"figure": "conjunctions", "d": d, "k": w, "t": many, "n": ROWS, "r": seed}
            for alpha in (0.1, 0.05, 0.02):
                begun = time.process_time()
                fitted = PrivLearn(QuestionBits(), 2, alpha).fit(questions[drawn], answers, noise)
                off = np.abs(fitted.predict(questions) - exact)
                spent = time.process_time() - begun
                beyond = float((off > alpha).mean())
                for quantity, value in ((ERROR, float(off.mean())), (BEYOND, beyond), (TIME, spent)):
                    yield Row(whose="theirs", method="PrivLearn", quantity=quantity, value=value, bias=alpha, **place)
            ridge = LowDegree(QuestionBits(), 2).fit(questions[drawn], answers, noise).predict(questions)
            yield Row(whose="ours", method=ALL, quantity=ERROR, value=float(np.abs(ridge - exact).mean()), **place)


def all_width_rows(*, fast: bool) -> Iterator[Row]:
    """Theorem 7.1.4: questions about any number of columns, by polynomials of the cube root of these in degree."""
    d, many, alpha = 16, 1000, 0.05
    for seed in (1,) if fast else (1, 2, 3):
        rows, random = survey(seed, d), np.random.default_rng(seed)
        # Every width equally often: at random nearly all would be about half of the columns, and their answers 0.
        widths = random.integers(1, d + 1, 4 * many)
        questions = np.unique((random.random((4 * many, d)).argsort(axis=1) < widths[:, None]).astype(np.int64), axis=0)
        random.shuffle(questions)
        exact = conjunction_answers(rows, questions)
        answers, noise = noisy(exact[:many], ROWS, random)
        degree = degree_for(d, None)
        fitted = PrivLearn(QuestionBits(), degree, alpha).fit(questions[:many], answers, noise)
        off = np.abs(fitted.predict(questions[many:]) - exact[many:])
        for quantity, value in ((ERROR, float(off.mean())), (BEYOND, float((off > alpha).mean()))):
            yield Row(figure="widths together", whose="theirs", method="PrivLearn", quantity=quantity, value=value, d=d,
                      k=degree, t=many, n=ROWS, r=seed, bias=alpha)  # fmt: skip


def boosting_rows(*, fast: bool) -> Iterator[Row]:
    """Corollary 7.1.3 where half of the budget pays for its draws, and all questions measured on the same rows."""
    d, w = (16, 3) if fast else (16, 5)
    questions = conjunctions(d, w)
    rounds = rounds_needed(len(questions), ETA)
    given: dict[str, Any] = {"rounds": rounds, "draws": DRAWS, "eta": ETA, "ramp": RAMP}
    rows = rows_for_half(RHO, **given)
    exact = conjunction_answers(survey(1, d), questions)
    place: dict[str, Any] = {"figure": "boosting", "d": d, "k": w, "n": rows, "t": rounds}
    for degree in BASE_DEGREES:
        learner, random = LowDegree(QuestionBits(), degree), np.random.default_rng(1)

        def base(drawn: Integers, answers: Floats, noise_sd: float, learner: LowDegree = learner) -> Floats:
            return learner.fit(questions[drawn], answers, noise_sd).predict(questions)

        made = boosted(exact, base, rows=rows, rho=RHO / 2, near=NEAR, random=random, **given)
        for quantity, value in (("largest error, boosted", float(np.abs(made.answers - exact).max())),
                                ("largest error, one base", float(np.abs(made.first - exact).max())),
                                ("least weight that a base is right on", min(made.right))):  # fmt: skip
            yield Row(whose="theirs", method=f"base of degree {degree}", quantity=quantity, value=value, r=degree,
                      **place)  # fmt: skip
    direct = float(np.abs(noisy(exact, rows, np.random.default_rng(1))[0] - exact).max())
    yield Row(whose="naive", method="all measured", quantity=LARGEST, value=direct, **place)
    # The case that the notes work out: 142,506 questions, 50,000 rows.
    far: dict[str, Any] = given | {"rounds": rounds_needed(142_506, ETA)}
    cost = {"rho of the draws at 50,000 rows": draws_cost(rows=ROWS, **far),
            "rows where draws cost half": float(rows_for_half(RHO, **far))}  # fmt: skip
    for quantity, value in cost.items():
        yield Row(figure="boosting cost", whose="theirs", method="boosted", quantity=quantity, value=value, d=30, k=5,
                  t=int(far["rounds"]))  # fmt: skip


def sieve_rows(*, fast: bool) -> Iterator[Row]:
    """The Harmonic Sieve under PrivLearn on parities of 12 columns; KM's search; the histogram."""
    d, alpha = 12, 0.1
    for seed in (1,) if fast else (1, 2, 3):
        shares = frequencies(skewed(seed, d))
        exact, random = (1 - walsh(shares)) / 2, np.random.default_rng(seed)
        place: dict[str, Any] = {"figure": "sieve", "d": d, "r": seed, "n": ROWS}
        for many in (500, 1000, 2000):
            begun, codes = time.process_time(), random.choice(1 << d, many, replace=False)
            found, ran = sieve_predictions(codes, noisy(exact[codes], ROWS, random)[0], d, alpha, Sieve())
            spent, off = time.process_time() - begun, np.abs(found - exact)
            for quantity, value in ((ERROR, float(off.mean())), (BEYOND, float((off > alpha).mean())), (TIME, spent),
                                    ("fits", float(ran))):  # fmt: skip
                yield Row(whose="theirs", method="Harmonic Sieve", quantity=quantity, value=value, t=many, bias=alpha,
                          **place)  # fmt: skip
        kept = (1 - walsh(kept_cells(shares, ROWS, 1.0, random, log(1 << d)))) / 2
        yield Row(whose="ours", method=KEPT, quantity=ERROR, value=float(np.abs(kept - exact).mean()), **place)
        yield Row(whose="naive", method=HALF, quantity=ERROR, value=float(np.abs(0.5 - exact).mean()), **place)
        yield from _same_rows(shares, exact, place)


def _same_rows(shares: Floats, exact: Floats, place: dict[str, Any]) -> Iterator[Row]:
    """Fourier coefficients of the query function are row frequencies, and its heavy ones the frequent rows."""
    d, spectrum = place["d"], walsh(exact) / len(exact)
    spectrum[0] -= 0.5
    off = float(np.abs(spectrum + shares / 2).max())
    yield Row(whose="ours", method="coefficients", quantity="largest difference from -D(u) / 2", value=off, **place)
    codes = np.arange(1 << d)

    def mass(prefix: int, length: int) -> float:
        return float((spectrum[codes & ((1 << length) - 1) == prefix] ** 2).sum())

    for least in (0.005, 0.02):
        found, asked = heavy(mass, d, least / 2)
        frequent = set(np.flatnonzero(shares >= least - 1e-12).tolist())
        yield Row(whose="theirs", method="Kushilevitz, Mansour", quantity="rows found or missed wrongly",
                  value=float(len(found ^ frequent)), bias=least, t=asked, **place)  # fmt: skip


def parity_rows(*, fast: bool) -> Iterator[Row]:
    """All parities of 16 columns: one half, the thresholded histogram, and a regression on parities' own bits."""
    d = 16
    for name, made in (("flat", survey), ("skewed", skewed)):
        for seed in (1,) if fast else (1, 2, 3):
            shares, random = frequencies(made(seed, d)), np.random.default_rng(seed)
            exact = (1 - walsh(shares)) / 2
            kept = (1 - walsh(kept_cells(shares, ROWS, 1.0, random, log(1 << d)))) / 2
            every = (1 - walsh(kept_cells(shares, ROWS, 1.0, random, -np.inf))) / 2
            place: dict[str, Any] = {"figure": f"parities {name}", "d": d, "r": seed, "n": ROWS}
            for whose, method, found in (("naive", HALF, 0.5), ("naive", "histogram, all cells", every),
                                         ("ours", KEPT, kept)):  # fmt: skip
                yield Row(whose=whose, method=method, quantity=ERROR, value=float(np.abs(found - exact).mean()),
                          **place)  # fmt: skip


def circuit_rows(*, fast: bool) -> Iterator[Row]:
    """Theorem 7.5.3 on formulas of depth 2: what polynomials of a degree can do, without noise and from 500 answers."""
    d = 16
    rows = survey(1, d)
    few = rows[: 1000 if fast else 4000]
    every = (np.arange(1 << d)[:, None] >> np.arange(d)) & 1
    exact = np.concatenate([circuit_answers(few, part) for part in np.array_split(every, 64)])
    spectrum, size = walsh(exact) / len(exact), np.bitwise_count(np.arange(1 << d))
    for degree in (1, 2, 3, 4, 6, 8, 10, 12):
        near = walsh(np.where(size <= degree, spectrum, 0.0))
        place: dict[str, Any] = {"figure": "circuits by degree", "d": d, "k": degree}
        yield Row(whose="theirs", method="no noise, every question", quantity=ERROR, r=1, n=len(few),
                  value=float(np.abs(near - exact).mean()), **place)  # fmt: skip
        yield Row(whose="theirs", method="no noise, every question", quantity="coefficients",
                  value=float(number_of_products(d, degree)), **place)  # fmt: skip
    for seed in (1,) if fast else (1, 2, 3):
        table, random = survey(seed, d), np.random.default_rng(seed)
        for many in (500,) if fast else (500, 2000):
            drawn, asked = random.integers(0, 2, (many, d)), random.integers(0, 2, (1500, d))
            answers, noise = noisy(circuit_answers(table, drawn), ROWS, random)
            found = LowDegree(QuestionBits(), 3).fit(drawn, answers, noise).predict(asked)
            off = np.abs(found - circuit_answers(table, asked))
            place = {"figure": "circuits", "d": d, "k": 3, "t": many, "r": seed, "n": ROWS}
            yield Row(whose="theirs", method=FOURIER, quantity=ERROR, value=float(off.mean()), **place)
            yield Row(whose="theirs", method=FOURIER, quantity=BEYOND, value=float((off > 0.1).mean()), bias=0.1,
                      **place)  # fmt: skip
