"""A simulated clinic: 22 attributes of patients who do not exist, with dependences that look like life."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["DOMAIN", "simulate_clinic"]

DOMAIN: dict[str, Any] = {
    "table": "clinic",
    "unit": {"rows": 1},
    "neighbours": "replace",
    "attributes": {
        "age": {"kind": "integer", "between": [0, 99], "edges": [18, 30, 45, 65, 80], "missing": "error"},
        "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
        "region": {"kind": "category", "values": ["north", "east", "south", "west"], "other": True},
        "education": {"kind": "category", "values": ["basic", "secondary", "higher"]},
        "employment": {"kind": "category", "values": ["employed", "unemployed", "retired", "student"]},
        "income": {"kind": "number", "between": [0, 200000], "edges": [15000, 30000, 45000, 60000, 90000]},
        "insurance": {"kind": "category", "values": ["public", "private", "none"], "missing": "error"},
        "bmi": {"kind": "number", "between": [10, 60], "edges": ["18.5", 25, 30, 35]},
        "systolic": {"kind": "integer", "between": [80, 219], "edges": [120, 130, 140, 160]},
        "cholesterol": {"kind": "number", "between": [2, 12], "edges": [4, 5, 6, 7]},
        "visits": {"kind": "integer", "between": [0, 9], "missing": "error"},
        "children": {"kind": "integer", "between": [0, 5], "missing": "error"},
        "smoker": {"kind": "boolean"},
        "alcohol": {"kind": "category", "values": ["none", "moderate", "heavy"]},
        "exercise": {"kind": "boolean", "missing": "error"},
        "diabetic": {"kind": "boolean", "missing": "error"},
        "hypertension": {"kind": "boolean", "missing": "error"},
        "asthma": {"kind": "boolean", "missing": "error"},
        "depression": {"kind": "boolean", "missing": "error"},
        "heart_disease": {"kind": "boolean", "missing": "error"},
        "vaccinated": {"kind": "boolean", "missing": "error"},
        "readmitted": {"kind": "boolean", "missing": "error"},
    },
}

Column = NDArray[Any]


def simulate_clinic(rows: int, seed: int) -> dict[str, Column]:
    """Column name to values, None for missing. Simulated: no real person is in it."""
    g = np.random.default_rng(seed)
    age = np.clip(g.gamma(6.0, 8.0, rows), 0, 99).astype(int)
    female = g.random(rows) < 0.53
    person = _person(g, age, female)
    health = _health(g, age, female, person)
    return {"age": age, "sex": np.where(female, "female", "male")} | person | health


def _person(g: np.random.Generator, age: Column, female: Column) -> dict[str, Column]:
    """Where and how someone lives."""
    rows = len(age)
    education = np.where(age < 18, 0, np.minimum(2, (g.random(rows) * 3.2 - 0.004 * (age - 40)).astype(int)))
    job = np.where(age >= 66, 2, np.where(age < 20, 3, np.where(g.random(rows) < 0.08, 1, 0)))
    income = np.round(np.exp(g.normal(10.1 + 0.25 * education - 0.5 * (job != 0) - 0.1 * female, 0.5)), 2)
    insurance = np.where(g.random(rows) < 0.06, 2, (income > 52_000).astype(int))
    names = np.array(["basic", "secondary", "higher"], dtype=object)
    jobs = np.array(["employed", "unemployed", "retired", "student"], dtype=object)
    regions = np.array(["north", "east", "south", "west", "abroad"], dtype=object)
    return {
        "region": _gaps(g, regions[g.choice(5, rows, p=[0.3, 0.25, 0.25, 0.18, 0.02])], 0.01),
        "education": _gaps(g, names[education], 0.04),
        "employment": _gaps(g, jobs[job], 0.02),
        "income": _gaps(g, np.minimum(income, 200_000), 0.08),
        "insurance": np.array(["public", "private", "none"], dtype=object)[insurance],
    }


def _health(g: np.random.Generator, age: Column, female: Column, person: dict[str, Column]) -> dict[str, Column]:
    """Habits, measurements and diagnoses, each depending on what came before."""
    rows = len(age)
    poor = (person["education"] == "basic").astype(float)

    def chance(score: Column) -> Column:
        return g.random(rows) < 1 / (1 + np.exp(-score))

    smoker = chance(-1.4 + 0.8 * poor - 0.3 * female - 0.02 * np.abs(age - 38)) & (age > 14)
    exercise = chance(0.4 - 0.015 * age - 0.5 * smoker)
    bmi = np.clip(g.normal(22 + 0.09 * np.minimum(age, 65) - 1.5 * exercise, 4.2), 10, 60).round(1)
    systolic = np.clip(g.normal(104 + 0.45 * age + 0.5 * (bmi - 25), 12), 80, 219).astype(int)
    diabetic = chance(-5.2 + 0.03 * age + 0.13 * (bmi - 25))
    hypertension = chance(-9.5 + 0.065 * systolic)
    heart = chance(-7.0 + 0.055 * age + 0.7 * smoker + 0.8 * diabetic + 0.6 * hypertension - 0.4 * female)
    asthma = chance(-2.4 + 0.5 * smoker - 0.01 * age)
    depression = chance(-2.0 + 0.5 * female + 0.6 * (person["employment"] == "unemployed") + 0.3 * smoker)
    visits = np.minimum(9, g.poisson(0.8 + 1.5 * diabetic + 1.2 * heart + 0.8 * asthma + 0.6 * depression))
    drink = np.minimum(2, (g.random(rows) * 2.3 + 0.3 * smoker - 0.2 * female).clip(0).astype(int))
    return {
        "bmi": _gaps(g, bmi, 0.05),
        "systolic": _gaps(g, systolic, 0.03),
        "cholesterol": _gaps(g, np.clip(g.normal(4.2 + 0.018 * age, 0.9), 2, 12).round(2), 0.06),
        "visits": visits,
        "children": np.where(age < 18, 0, np.minimum(5, g.poisson(1.4, rows))),
        "smoker": _gaps(g, smoker, 0.03),
        "alcohol": _gaps(g, np.array(["none", "moderate", "heavy"], dtype=object)[drink], 0.05),
        "exercise": exercise,
        "diabetic": diabetic,
        "hypertension": hypertension,
        "asthma": asthma,
        "depression": depression,
        "heart_disease": heart,
        "vaccinated": chance(0.2 + 0.02 * age),
        "readmitted": chance(-3.4 + 0.25 * visits + 0.9 * heart),
    }


def _gaps(g: np.random.Generator, values: Column, share: float) -> Column:
    """The values with a share of them missing."""
    out = values.astype(object)
    out[g.random(len(out)) < share] = None
    return out
