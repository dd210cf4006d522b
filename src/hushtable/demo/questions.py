"""What the demo asks: each question once for the synopsis and once for DuckDB, which knows the truth."""

__all__ = ["QUESTIONS"]

# (question to the synopsis, the same as a DuckDB expression over all rows)
QUESTIONS: tuple[tuple[str, str], ...] = (
    ("smoker AND age >= 65", "avg(coalesce(smoker AND age >= 65, false)::int)"),
    ("diabetic AND bmi >= 30", "avg(coalesce(diabetic AND bmi >= 30, false)::int)"),
    (
        "NOT exercise AND sex = 'male' AND age BETWEEN 45 AND 64",
        "avg(coalesce(NOT exercise AND sex = 'male' AND age BETWEEN 45 AND 64, false)::int)",
    ),
    (
        "at_least(2, diabetic, hypertension, heart_disease)",
        "avg((diabetic::int + hypertension::int + heart_disease::int >= 2)::int)",
    ),
    ("any(asthma, depression, readmitted)", "avg((asthma OR depression OR readmitted)::int)"),
    ("exactly(1, vaccinated, smoker)", "avg((smoker IS NOT NULL AND vaccinated::int + smoker::int = 1)::int)"),
    (
        "region IN ('north', 'east') AND insurance = 'none'",
        "avg(coalesce(region IN ('north', 'east') AND insurance = 'none', false)::int)",
    ),
    (
        "income IS NULL AND employment = 'retired'",
        "avg(coalesce(income IS NULL AND employment = 'retired', false)::int)",
    ),
    ("systolic >= 140 OR cholesterol >= 6", "avg(coalesce(systolic >= 140 OR cholesterol >= 6, false)::int)"),
    ("SELECT avg(visits) FROM clinic WHERE vaccinated", "avg(visits) FILTER (vaccinated)"),
    ("SELECT avg(smoker) FROM clinic WHERE sex = 'male'", "avg(smoker::int) FILTER (sex = 'male')"),
    ("SELECT avg(age) FROM clinic WHERE exercise", "avg(age) FILTER (exercise)"),
)
