"""One private release of every workload, planned by default, and one question to each; needs the package alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

import hushtable as ht
from hushtable.domain.dummy import dummy_rows
from hushtable.questions.workloads import workloads

ROWS = 300
TABLE = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65]},
    "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
    "smoker": {"kind": "boolean", "missing": "error"},
    "income": {"kind": "number", "between": [0, 100], "bins": 4},
}
BITS = {f"y{i}": {"kind": "boolean", "missing": "error"} for i in range(34)}
FEW = dict(list(BITS.items())[:6])
URL = {"url": {"kind": "open"}}
CALLS = {"caller": {"kind": "vertex", "between": [1, 40]}, "called": {"kind": "vertex", "like": "caller"}}
RULES = {"choice": {"kind": "decision_list", "inputs": ["near", "cheap", "new"], "length": 2}}
PURE, APPROX = ht.Budget(epsilon=1), ht.Budget(epsilon=1, delta="1e-6")
LISTED = "a1\ta2\nb\n"

# Workload, attributes, budget and a question. No workload: what the planner takes when nothing is said.
RELEASES = (
    (None, TABLE, PURE, "smoker AND age >= 65"),
    (None, BITS, APPROX, "y0 AND y1"),
    ("marginals(width=2)", TABLE, PURE, "SELECT sex, count(*) FROM t GROUP BY sex"),
    ("marginals(width=2)", BITS, APPROX, "y0 AND NOT y1"),
    ("whole_table()", TABLE, APPROX, "smoker AND age >= 65 AND sex = 'male'"),
    ("predicates(width=3, order=2)", TABLE, APPROX, "smoker OR age < 18"),
    ("any_of(width=4)", FEW, APPROX, "any(y0, y1, y2)"),
    ("all_of(width=4)", FEW, APPROX, "all(y0, y1, y2)"),
    ("at_least(r=2, width=4)", FEW, APPROX, "at_least(2, y0, y1, y2)"),
    ("learned(language=dnf, terms=2, width=2)", FEW, APPROX, "y0 AND NOT y1"),
    ("polynomials(family=any_of, width=4)", FEW, PURE, "polynomial(y0, y1, NOT y2)"),
    ("parities(order=2)", FEW, PURE, "y0 AND y1"),
    ("ranges(attributes=[age])", TABLE, PURE, "age < 65"),
    ("linear(file='questions.txt')", TABLE, PURE, "smoker AND age >= 65"),
    ("smooth(columns=[income])", TABLE, APPROX, "SELECT avg(income) FROM t"),
    ("means(columns=[age, income])", TABLE, PURE, "SELECT avg(income) FROM t"),
    ("sparse(size=5)", URL, APPROX, "url = 'a1'"),
    ("known_lists(file='lists.txt')", URL, PURE, "url IN ('a1', 'a2')"),
    ("conjunctions(free=1, buckets=256)", FEW, PURE, "y0 AND y1 AND y2 AND y3 AND y4"),
    ("cuts()", CALLS, PURE, "cut(1, 2, 3)"),
    ("decision_lists()", RULES, PURE, "decides(choice, near AND NOT cheap AND new)"),
)


def main() -> None:
    """Writes into the working folder."""
    Path("questions.txt").write_text("smoker AND age >= 65\nsex = 'male'\n")
    Path("lists.txt").write_text(LISTED)
    tried = {text.split("(")[0] for text, *_ in RELEASES if text}
    assert tried == set(workloads()), f"no release of {sorted(set(workloads()) ^ tried)}"
    for number, (workload, attributes, budget, question) in enumerate(RELEASES):
        domain = ht.Domain.from_dict({"table": "t", "attributes": attributes})
        plan = ht.plan(domain, rows=ROWS, workload=workload, budget=budget)
        vault = ht.Vault(rows(domain), domain, ledger=f"{number}.ledger")
        vault.release(plan).save(f"{number}.hush")
        print(f"{plan.mechanism:20} {plan.workload}: {ht.load(f'{number}.hush').ask(question)}")
    left = [str(path) for path in Path().glob("*.part")]
    assert not left, f"journals were left: {left}"


def rows(domain: ht.Domain) -> pa.Table:
    """Made-up rows; the values of wide tables are rare."""
    names = set(domain.names)
    if names <= set(BITS):
        chance = np.random.default_rng(1)
        return pa.table({name: chance.random(ROWS) < (0.05 if len(names) > 6 else 0.5) for name in domain.names})
    if "url" in names:
        return pa.table({"url": [f"a{i % 7}" for i in range(ROWS)]})
    return pa.table(dummy_rows(domain, rows=ROWS, seed=1))


if __name__ == "__main__":
    main()
