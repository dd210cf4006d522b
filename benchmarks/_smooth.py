"""Tables and questions of the smooth benchmark: simulated columns, two real tables, five families of questions."""

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hushtable as ht

PURE, ZCDP = ht.Budget(epsilon=1), ht.Budget(epsilon=1, delta="1e-9")
DATA = Path(os.environ.get("HUSHTABLE_DATA", Path(__file__).parents[2] / "shared" / "data"))
SIMULATED = {"age": (18.0, 98.0), "loginc": (8.0, 13.0), "bmi": (14.0, 54.0)}
REAL = {
    "california_housing.csv.gz": {"longitude": (-124.5, -114.0), "latitude": (32.5, 42.0)},
    "nycflights.csv.gz": {"dep_delay": (-60.0, 300.0), "distance": (0.0, 5000.0)},
}


def simulated(rows: int = 50_000, seed: int = 7) -> dict[str, np.ndarray]:
    """Three groups of people: age, log-income and body mass index."""
    g = np.random.default_rng(seed)
    k = g.choice(3, p=[0.5, 0.3, 0.2], size=rows)
    age = np.choose(k, [g.normal(34, 9, rows), g.normal(55, 10, rows), g.normal(74, 7, rows)])
    income = np.choose(k, [g.normal(10.4, 0.55, rows), g.normal(10.9, 0.6, rows), g.normal(10.1, 0.5, rows)])
    bmi = np.exp(g.normal(3.25, 0.17, rows) + 0.001 * (age - 45))
    return {"age": age, "loginc": income + 0.008 * (age - 45), "bmi": bmi}


def domain(bounds: dict[str, tuple[float, float]]) -> ht.Domain:
    """A table of numbers, none of them missing; their bins play no part in smooth questions."""
    numbers = {
        name: {"kind": "number", "between": list(ends), "bins": 2, "missing": "error"} for name, ends in bounds.items()
    }
    return ht.Domain.from_dict({"table": "t", "attributes": numbers})


@dataclass(frozen=True)
class Asked:
    """One question: as text in original units, and as a function of scaled columns, shape (d, rows)."""

    family: str
    text: str


def questions(bounds: dict[str, tuple[float, float]], count: int, seed: int) -> list[Asked]:
    """Equal parts kernel densities, moments, logistic scores, waves and soft distribution functions.

    Widths are in units of half a column's range, as in the text's u = (2 x - low - high) / (high - low).
    """
    g = np.random.default_rng(seed)
    d = len(bounds)
    u = [f"((2*{name}-{low + high!r})/{high - low!r})" for name, (low, high) in bounds.items()]
    narrow = (0.1, 0.1) if d <= 2 else (0.2, 0.2)
    made = []
    for i in range(count):
        family = ("kde", "moment", "logit", "charfn", "cdf")[i % 5]
        if family == "kde":
            width = float(np.exp(g.uniform(np.log(narrow[0]), np.log(0.4))))
            centre = g.uniform(-0.7, 0.7, d)
            inner = "+".join(f"(({x}-{c!r})/{width!r})**2" for x, c in zip(u, centre.tolist(), strict=True))
            text = f"exp(-0.5*({inner}))"
        elif family == "moment":
            powers = g.integers(0, 4, d)
            powers[0] += not powers.any()
            text = "*".join(f"{x}**{p}" for x, p in zip(u, powers.tolist(), strict=True))
        elif family in ("logit", "charfn"):
            way = g.normal(size=d)
            way *= (g.uniform(1, 6) if family == "logit" else g.uniform(1, 8)) / np.linalg.norm(way)
            inner = "+".join(f"{w!r}*{x}" for x, w in zip(u, way.tolist(), strict=True))
            function = "expit" if family == "logit" else ("cos", "sin")[i // 5 % 2]
            text = f"{function}({inner}+{float(g.uniform(-1, 1)) if family == 'logit' else 0.0!r})"
        else:
            centre, soft = g.uniform(-0.7, 0.7, d), g.uniform(narrow[1], 0.3, d)
            parts = zip(u, centre.tolist(), soft.tolist(), strict=True)
            text = "*".join(f"ndtr(({c!r}-{x})/{s!r})" for x, c, s in parts)
        made.append(Asked(family, text))
    return made
