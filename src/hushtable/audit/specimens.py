"""The catalogue: of every mechanism, model and curator a small specimen, which all tests of families read.

A new mechanism or kind of model is added here once (a new statistic in statistic_specimens.py): the contract tests
release, ask, save and load it, the tests of privacy and of faults run it, and the audit attacks it. A golden file is
made of it if no other has its model. tests/contract/test_catalogue.py says what is missing.
"""

from __future__ import annotations

from ..budget import Budget
from ..questions.lists import Listed
from .made_up_tables import NAMES
from .shapes import (
    BINARY,
    CLOSED,
    EDGES,
    LONG_RULES,
    MIXED,
    OPEN,
    RANGES,
    REAL,
    RULES,
    SIX_FACTS,
    SMOOTH,
)
from .specimen import (
    APPROX,
    EXACT,
    LOOSE,
    PURE,
    RHO,
    Attack,
    CuratorSpecimen,
    Specimen,
)

__all__ = ["CURATORS", "SPECIMENS", "TABLES", "specimens_of"]


def specimens_of(mechanism: str) -> list[Specimen]:
    """Those of one mechanism, by its name."""
    return [specimen for specimen in SPECIMENS if specimen.by == mechanism]


TABLES = ("age >= 65 AND smoker", "SELECT sex, count(*) FROM t GROUP BY sex", "SELECT avg(age) FROM t")
YESSES = ("near AND NOT cheap", "any(near, cheap)")
LISTS = ("url IN ('a1', 'b')", "url = 'a2'", "url IS NULL", "top(3)")
MEANS = ("SELECT avg(exp(-age / 40)) FROM t", "SELECT sex, avg(age) FROM t GROUP BY sex")
# Lists of the values that made-up tables have in an open column.
KEY_LISTS = "key-0\tkey-1\nkey-1\tkey-2\tkey-3\nkey-4\n"
# More combinations than there are points that say something of so few rows.
TEN = BINARY | {f"x{i}": BINARY["near"] for i in range(7)}
TWO_NUMBERS = "smooth(columns=[age, bmi], length_scale=0.5)"

SPECIMENS: tuple[Specimen, ...] = (
    Specimen(
        "low-order", CLOSED, "marginals(width=2)", "low-order", RHO, TABLES,
        model="low-order", attacks=(Attack(attributes=MIXED, runs=150),),
    ),
    Specimen("predicates", CLOSED, "predicates(width=3, order=2)", "low-order", PURE, TABLES, model="low-order"),
    # Budgets so large that so few rows are looked at first, and wide answers calibrated.
    Specimen(
        "any-of", CLOSED, "any_of(width=3)", "low-order", Budget(epsilon=200), TABLES, model="low-order", chooses=True,
        attacks=(Attack(attributes=BINARY, budgets=(Budget(epsilon=200), Budget(rho=2000)), runs=60),),
    ),
    Specimen(
        "all-of", CLOSED, "all_of(width=3, order=1)", "low-order", Budget(rho=2000), TABLES, model="low-order",
        attacks=(Attack(attributes=BINARY, budgets=(Budget(epsilon=200), Budget(rho=2000)), runs=60),),
    ),
    Specimen(
        "tables", CLOSED, "marginals(width=2)", "tables", PURE, TABLES,
        model="tables", attacks=(Attack(attributes=MIXED, runs=250),),
    ),
    Specimen(
        "histogram", CLOSED, "marginals(width=2)", "histogram", RHO, TABLES,
        model="histogram", attacks=(Attack(budgets=(PURE, RHO, EXACT), attributes=MIXED, runs=500),),
    ),
    Specimen(
        "k-norm", CLOSED, "marginals(width=1)", "k-norm", PURE, TABLES[1:],
        model="one-way", attacks=(Attack(budgets=(PURE,), attributes=MIXED, runs=500),
                                  Attack(budgets=(PURE,), attributes=BINARY, runs=300, person=2)),
    ),
    Specimen(
        "k-norm-queries", BINARY, "marginals(width=2)", "k-norm", PURE, YESSES,
        model="cell-vectors", attacks=(Attack(budgets=(PURE,), runs=300),
                                       Attack(budgets=(PURE,), runs=200, person=2)),
    ),
    Specimen(
        "k-norm-levels", BINARY, "parities(order=1)", "k-norm(levels=thesis)", PURE, ("near",),
        model="cell-vectors", attacks=(Attack(budgets=(PURE,), runs=300),),
    ),
    Specimen(
        "k-norm-means", SMOOTH, "means(columns=[age])", "k-norm", PURE, ("avg(age)",),
        model="bounded-means", attacks=(Attack(budgets=(PURE,), attributes=REAL, workload="means(columns=[age, bmi])"),
                                        Attack(budgets=(PURE,), attributes=REAL, person=2,
                                               workload="means(columns=[age, bmi])")),
    ),
    Specimen(
        "monomial", BINARY, "marginals(width=2)", "monomial", PURE, YESSES,
        model="low-order", attacks=(Attack(budgets=(PURE,), runs=300),),
    ),
    Specimen(
        "polynomials", BINARY, "polynomials(family=any_of, width=2)", "polynomials", PURE,
        ("polynomial(near, NOT cheap)", "polynomial(near, cheap)"),
        model="polynomials", attacks=(Attack(runs=300),),
    ),
    Specimen(
        "polynomial-signs", BINARY, "polynomials(family=at_least, r=2, width=3, degree=2, basis=parity)", "polynomials",
        RHO, ("polynomial(near, cheap, new)",), model="polynomials",
    ),
    Specimen(
        "polynomial-lists", RULES, "polynomials(family=decision_lists)", "polynomials", PURE,
        ("polynomial(near, NOT cheap)",), model="polynomials", attacks=(Attack(budgets=(PURE, RHO), runs=120),),
    ),
    Specimen(
        "learned", BINARY, "learned(language=dnf, terms=2, width=2, questions=60)", "learned", PURE,
        ("near AND NOT cheap", "near OR (cheap AND new)"), model="learned", attacks=(Attack(runs=100),), chooses=True,
    ),
    Specimen(
        "privlearn", BINARY, "learned(language=dnf, terms=2, width=2, questions=60)", "privlearn(alpha=0.2, degree=2)",
        PURE, ("near AND NOT cheap", "near OR (cheap AND new)"), model="learned",
        attacks=(Attack(budgets=(PURE,), mechanism="privlearn(way=fourier, degree=1)", runs=60),), chooses=True,
    ),
    Specimen(
        "parity-rows", SIX_FACTS, "learned(language=parities)", "parity-rows", PURE, ("parity(near, cheap)",),
        model="learned", attacks=(Attack(runs=60),), chooses=True,
    ),
    Specimen(
        "learned-kernel", CLOSED, "learned(language=all_of, width=3, learner=kernel)", "learned", RHO,
        ("sex = 'male' AND smoker", "age < 18"), model="learned", chooses=True,
    ),
    Specimen(
        "mwem", CLOSED, "marginals(width=2)", "mwem(rounds=3)", RHO, TABLES,
        model="weighted", chooses=True,
        attacks=(Attack(budgets=(PURE, RHO), attributes=MIXED, mechanism="mwem(rounds=2)", runs=120),),
    ),
    Specimen(
        "mwem-histogram", CLOSED, "marginals(width=2)", "mwem(rounds=2, start=histogram)", RHO, TABLES,
        model="weighted", chooses=True,
    ),
    Specimen(
        "mwem-points", CLOSED, "marginals(width=2)", "mwem(rounds=2, points=50)", RHO, TABLES,
        model="weighted", chooses=True,
    ),
    Specimen(
        "mwem-queries", CLOSED, "ranges(attributes=[age])", "mwem(rounds=2, unit=query)", PURE, TABLES[:1],
        model="weighted", chooses=True,
    ),
    Specimen(
        "parities", BINARY, "parities(order=2)", "mwem(rounds=2)", PURE, YESSES,
        model="weighted", chooses=True,
        attacks=(
            Attack(mechanism="mwem(rounds=3, adaptive=true, start=histogram)", runs=100),
            Attack(budgets=(Budget(epsilon=8),), mechanism="mwem(rounds=2, split=0.9)", runs=150, person=2),
            Attack(budgets=(Budget(rho=8),), mechanism="mwem(rounds=2, split=0.9)", runs=150, person=3),
        ),
    ),
    Specimen(
        "pair-rake", CLOSED, "whole_table()", "pair-rake", RHO, TABLES,
        model="whole-table", chooses=True, attacks=(Attack(attributes=MIXED, runs=40),),
    ),
    Specimen(
        "found-cells", RANGES, "marginals(width=2)", "low-order", RHO, ("bmi < 20", "SELECT avg(pay) FROM t"),
        model="low-order", chooses=True, attacks=(Attack(budgets=(PURE, RHO), runs=60),),
    ),
    Specimen(
        "found-cells-rows", RANGES, "whole_table()", "pair-rake", RHO, ("bmi < 20", "SELECT avg(pay) FROM t"),
        model="whole-table", chooses=True, attacks=(Attack(runs=40),),
    ),
    Specimen(
        "hash-sketch", OPEN, "sparse(size=5, buckets=256)", "hash-sketch", APPROX, LISTS,
        model="hash-sketch", chooses=True,
        attacks=(Attack(budgets=(PURE, RHO, LOOSE), workload="sparse(size=3, buckets=256)", runs=120),),
    ),
    Specimen(
        "stability-histogram", OPEN, "sparse(size=5)", "stability-histogram", APPROX, LISTS,
        model="stability-histogram", chooses=True,
        attacks=(Attack(budgets=(LOOSE,), workload="sparse(size=3)", runs=500),),
    ),
    Specimen(
        "sparse-project", OPEN, "sparse(size=5)", "sparse-project(height=64)", RHO, LISTS[:3],
        model="sparse-project",
        attacks=(Attack(budgets=(RHO,), workload="sparse(size=3)", mechanism="sparse-project(height=16)", runs=120),),
    ),
    Specimen(
        "conjunctions", BINARY, "conjunctions(free=1, buckets=256)", "hash-sketch", PURE, ("near AND cheap",),
        model="hash-sketch",
    ),
    Specimen(
        "decision-lists", RULES, "decision_lists()", "decision-lists", PURE,
        ("decides(choice, near AND NOT cheap AND new)",),
        model="decision-lists", attacks=(Attack(runs=300),),
    ),
    # A budget so large that so few rows tell how far answers are off.
    Specimen(
        "long-decision-lists", LONG_RULES, "decision_lists(order=2)", "decision-lists", Budget(epsilon=200),
        ("decides(choice, near AND NOT cheap AND new)",),
        model="decision-lists", attacks=(Attack(budgets=(Budget(epsilon=200), Budget(rho=2000)), runs=60),),
    ),
    Specimen(
        "smooth-spline", SMOOTH, "smooth(columns=[age], by=[sex])", "smooth-spline", RHO, MEANS,
        model="smooth", attacks=(Attack(attributes=REAL, workload=TWO_NUMBERS),),
    ),
    Specimen(
        "smooth-cheb", SMOOTH, "smooth(columns=[age], t=4)", "smooth-cheb", RHO, MEANS[:1],
        model="smooth", attacks=(Attack(budgets=(EXACT,), attributes=REAL, workload=TWO_NUMBERS, runs=60),),
    ),
    Specimen(
        "smooth-paper", SMOOTH, "smooth(columns=[age], t=4)", "smooth-paper", PURE, MEANS[:1],
        model="smooth", attacks=(Attack(budgets=(PURE,), attributes=REAL, workload=TWO_NUMBERS),),
    ),
    Specimen(
        "smooth-sparse", REAL, "smooth(columns=[age, bmi], t=5)", "smooth-sparse", RHO,
        ("SELECT avg(exp(-age / 40)) FROM t", "SELECT avg(age * bmi) FROM t"),
        model="smooth", attacks=(Attack(workload="smooth(columns=[age, bmi], t=3)", runs=60),),
    ),
    Specimen(
        "smooth-direct", SMOOTH, "smooth(columns=[age], examples=['exp(-age / 40)'])", "smooth-direct", RHO, MEANS[:1],
        model="smooth-direct",
        attacks=(Attack(attributes=REAL, workload="smooth(columns=[age, bmi], examples=['exp(-age/50)', 'age*bmi'])"),),
    ),
    Specimen(
        "tree", BINARY, "all_of(width=3)", "tree(leaves=2)", EXACT,
        ("all(near, cheap, new)", "any(near, cheap, new)", "near AND cheap", "all(near, cheap, NOT new)"),
        model="tree", chooses=True, attacks=(Attack(runs=100), Attack(workload="any_of(width=3)", runs=100),
                                             Attack(workload="all_of(width=3, p=0.4)", runs=100)),
    ),
    Specimen(
        "degree-cuts", EDGES, "cuts()", "degree-cuts", PURE,
        ("cut(1, 3)", "unbiased cut(1, 3)", "cut(2, 3, 4)", "degree(4)", "edges()"),
        model="graph", attacks=(Attack(runs=300), Attack(mechanism="degree-cuts(pairs=False)", runs=300)),
    ),
    Specimen(
        "list-counts", OPEN, "known_lists()", "list-counts", PURE, ("url IN ('a1', 'a2')", "url = 'b'"),
        model="list-counts", lists="a1\ta2\nb\n",
        attacks=(Attack(budgets=(PURE, RHO, LOOSE), lists=KEY_LISTS, runs=300),),
    ),
)  # fmt: skip

CURATORS: tuple[CuratorSpecimen, ...] = (
    CuratorSpecimen(
        name="curator",
        attributes=BINARY,
        questions=(
            "near AND cheap", "near OR cheap", "near AND cheap AND new", "near", "NOT cheap", "cheap OR new",
            "near AND NOT cheap", "near AND new", "at_least(2, near, cheap, new)", "NOT near AND NOT cheap",
        ),
    ),
    CuratorSpecimen(
        name="points-curator",
        attributes=TEN,
        questions=(
            "near AND cheap", "near AND cheap AND new", "near", "cheap OR new", "near AND NOT cheap",
            "at_least(2, near, cheap, new)", "NOT near AND NOT cheap",
        ),
        points=600,
    ),
    CuratorSpecimen(
        name="list-curator",
        attributes=OPEN,
        questions=(*(Listed(NAMES[a : a + 2]) for a in (0, 1, 3)), Listed({NAMES[0]: 0.5}), Listed(NAMES[:3])),
        workload="sparse(size=4)",
    ),
    CuratorSpecimen(
        name="conjunction-curator",
        attributes=BINARY,
        questions=("near AND cheap", "near AND NOT cheap AND new", "NOT near AND NOT cheap", "near AND new"),
        workload="conjunctions(free=1)",
    ),
)  # fmt: skip
