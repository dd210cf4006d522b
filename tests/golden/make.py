"""Makes the golden synopses of a NEW format version. Files of old versions are never made again: they must load."""

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from tables import domain, random_codes, table_of

import hushtable as ht
from hushtable.file_format import FORMAT

QUESTIONS = (
    "smoker AND age >= 65",
    "SELECT region, sex, count(*) FROM t GROUP BY region, sex",
    "SELECT avg(age) FROM t WHERE smoker",
)
BUDGETS = {"pure": ht.Budget(epsilon=2), "zcdp": ht.Budget(epsilon=2, delta="1e-9")}


def main() -> None:
    for mechanism in ("low-order", "tables", "histogram"):
        for name, budget in BUDGETS.items():
            shape = domain(neighbours="replace" if name == "zcdp" else "add-remove")
            plan = ht.plan(shape, workload="marginals(width=2)", budget=budget, mechanism=mechanism)
            table = table_of(shape, random_codes(shape, 1000, seed=3))
            synopsis = ht.Vault(table, shape).release(plan, randomness=ht.Simulated(4))
            path = Path(__file__).parent / f"format-{FORMAT}-{mechanism}-{name}.hush"
            synopsis.save(path)
            answers = [synopsis.ask(question).to_dict() for question in QUESTIONS]
            path.with_suffix(".json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
