"""Makes the golden synopses that are missing. A file that exists is never made again: it must load for ever."""

import json
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

import numpy as np
import pyarrow as pa
from tables import domain, random_codes, table_of

import hushtable as ht
from hushtable.audit.specimens import SPECIMENS
from hushtable.domain.dummy import dummy_rows

HERE = Path(__file__).parent
BUDGETS = {
    "pure": ht.Budget(epsilon=2),
    "zcdp": ht.Budget(epsilon=2, delta="1e-9"),
    "gdp": ht.Budget(epsilon=2, delta="1e-9"),
    "approx": ht.Budget(epsilon=2, delta="1e-6"),
    "rho": ht.Budget(rho="0.5"),
}
CODED = (
    "smoker AND age >= 65",
    "SELECT region, sex, count(*) FROM t GROUP BY region, sex",
    "SELECT avg(age) FROM t WHERE smoker",
)
LISTS = ("url IN ('v1', 'v3', 'nowhere')", "url = 'v2'", "url IS NULL", "top(3)")
Case = tuple[str, ht.Synopsis, tuple[str, ...]]


def main() -> None:
    made = [
        *coded(),
        dated(),
        summed(),
        ruled(),
        people(),
        *twice(),
        equal_parts(),
        *rare(),
        *wide(),
        *barred(),
        *keyed(),
        *smooth(),
        *decided(),
        *long_lists(),
        *graph(),
        *trees(),
        curated(),
        compared(),
    ]
    for name, synopsis, questions in (*made, *specimens({synopsis.model.kind for _, synopsis, _ in made})):
        path = HERE / f"format-{max(synopsis.model.format, synopsis.domain.form)}-{name}.hush"
        if path.exists():
            continue
        synopsis.save(path)
        answers = [synopsis.ask(question, count=False).to_dict() for question in questions]
        path.with_suffix(".json").write_text(json.dumps(answers, indent=1) + "\n")
        print(path.name, path.stat().st_size)


def release(shape: ht.Domain, table: Any, budget: str, workload: Any, mechanism: str | None = None) -> ht.Synopsis:
    how: Any = {"gdp": "gdp", "zcdp": "zcdp", "rho": "zcdp"}.get(budget)
    plan = ht.plan(shape, workload=workload, budget=BUDGETS[budget], rows=len(table), mechanism=mechanism, currency=how)
    return ht.Vault(table, shape).release(plan, randomness=ht.Simulated(4))


def specimens(kinds: set[str]) -> Iterator[Case]:
    """Of every kind of model that has no case here yet: its first specimen in the catalogue."""
    for specimen in SPECIMENS:
        if specimen.model not in kinds:
            kinds.add(specimen.model)
            yield specimen.name, specimen.release(), specimen.questions


def ruled() -> Case:
    """A domain with rules, one of them between columns."""
    stays = {"kind": "integer", "between": [0, 5]}
    shape = ht.Domain.from_dict({
        "table": "t",
        "attributes": {"children": stays, "family": stays, "smoker": {"kind": "boolean"}},
        "impossible": ["children >= family"],
        "always": ["smoker -> family > 1"],
    })  # fmt: skip
    random = np.random.default_rng(5)
    family = random.integers(1, 6, 2_000)
    rows = {
        "children": random.integers(0, family),
        "family": family,
        "smoker": random.random(2_000) < 0.3 * (family > 1),
    }
    questions = ("children >= family", "SELECT family, count(*) FROM t WHERE smoker GROUP BY family", "children < 2")
    return "ruled", release(shape, pa.table(rows), "pure", ht.Marginals(width=2)), questions


def coded() -> Iterator[Case]:
    """Columns with codes: tables, and models of the whole table."""
    for mechanism, workload in (
        ("low-order", "marginals(width=2)"),
        ("tables", "marginals(width=2)"),
        ("histogram", "marginals(width=2)"),
        ("mwem(rounds=4)", "marginals(width=2)"),
        ("pair-rake", "whole_table()"),
    ):
        for budget in ("pure", "zcdp", "gdp"):
            shape = domain(neighbours="add-remove" if budget == "pure" else "replace")
            table = table_of(shape, random_codes(shape, 1000, seed=3))
            yield f"{mechanism.split('(')[0]}-{budget}", release(shape, table, budget, workload, mechanism), CODED


def dated() -> Case:
    """Columns of dates and times, labels, and codes for missing values."""
    shape = domain(
        {
            "day": {"kind": "date", "between": ["2024-01-01", "2024-12-31"], "bins": "quarter", "format": "day-first"},
            "clock": {"kind": "time", "edges": ["08:00", "16:00"]},
            "sex": {"kind": "category", "labels": {"1": "male", "2": "female"}, "missing_values": ["9", "NA"]},
        }
    )
    table = pa.table(dummy_rows(shape, rows=1000, seed=9))
    asked = ("day >= '2024-04-01' AND sex = 'male'", "SELECT clock, count(*) FROM t GROUP BY clock", "quarter(day) = 2")
    return "dates-pure", release(shape, table, "pure", "marginals(width=2)", "tables"), asked


def people() -> Case:
    """People who are told apart: at most two rows of each count."""
    shape = domain(rows=2, person="who")
    table = table_of(shape, random_codes(shape, 3000, seed=3))
    table = table.append_column("who", pa.array([(i * i) % 900 for i in range(3000)]))
    return "people-zcdp", release(shape, table, "zcdp", "marginals(width=2)", "low-order"), CODED


def summed() -> Case:
    """Tables with exact sums of a column beside them."""
    shape = ht.Domain.from_dict(domain().to_dict() | {"means": ["age"]})
    table = table_of(shape, random_codes(shape, 1000, seed=3))
    asked = (
        "SELECT avg(age) FROM t",
        "SELECT sex, avg(age) FROM t GROUP BY sex",
        "SELECT avg(age) FROM t WHERE smoker",
    )
    return "means-gdp", release(shape, table, "gdp", "marginals(width=2)", "tables"), asked


def twice() -> Iterator[Case]:
    """A whole table with a second round: tables of three columns beside pairs."""
    shape = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(5)})
    codes = random_codes(shape, 40_000, seed=8)
    codes[4] = codes[0] ^ codes[1] | codes[2]
    made = release(shape, table_of(shape, codes), "zcdp", "whole_table()")
    assert any(len(table["members"]) == 3 for table in made.model.parameters()["tables"])
    yield "pair-rake-triples", made, ("b0 AND b1 AND b4", "SELECT b2, b4, count(*) FROM t GROUP BY b2, b4")


def equal_parts() -> Case:
    """A whole table of which every width from two columns on was compared as exactly, with what was usual then."""
    shape = domain()
    table = table_of(shape, random_codes(shape, 4000, seed=3))
    return "pair-rake-equal-parts", release(shape, table, "gdp", "whole_table()"), CODED


def rare() -> Iterator[Case]:
    """Many columns of rare values."""
    shape = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(32)})
    codes = (np.random.default_rng(8).random((32, 20_000)) < 0.02).astype(np.uint16)
    asked = ("b0", "b0 OR b7", "SELECT b1, b2, count(*) FROM t GROUP BY b1, b2")
    for budget in ("zcdp", "gdp"):
        yield f"rare-values-{budget}", release(shape, table_of(shape, codes), budget, "whole_table()"), asked


def wide() -> Iterator[Case]:
    """Conditions on more columns than are measured together."""
    shape = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(6)})
    table = table_of(shape, random_codes(shape, 1000, seed=5))
    questions = ("any(b0, b1, b2, b3)", "at_least(2, b0, b1, b4, b5)", "b0 AND NOT b1 AND b5")
    for budget in ("zcdp", "gdp"):
        yield f"predicates-{budget}", release(shape, table, budget, "predicates(width=5)"), questions


def barred() -> Iterator[Case]:
    """Conditions on more columns than are measured together, whose bars were measured."""
    shape = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(24)})
    hidden = np.random.default_rng(9).normal(size=(25, 5_000))
    table = table_of(shape, (0.5 * hidden[-1] + hidden[:-1] > 0.8).astype(np.uint16))
    every = ", ".join(f"b{i}" for i in range(8))
    questions = (f"any({every})", f"at_least(2, {every})", "b0 AND NOT b1 AND b5 AND b6 AND b9")
    for budget in ("pure", "gdp"):
        yield f"wide-bar-{budget}", release(shape, table, budget, "any_of(width=8)"), questions


def keyed() -> Iterator[Case]:
    """Open columns."""
    values = [None if i % 41 == 0 else f"v{i}" for i in np.random.default_rng(6).zipf(1.3, 1000)]
    table = pa.table({"url": pa.array(values), "kind": pa.array([i % 3 == 0 for i in range(1000)])})
    one = domain({"url": {"kind": "open"}})
    two = domain({"url": {"kind": "open"}, "kind": {"kind": "boolean", "missing": "error"}}, neighbours="add-remove")
    for budget in ("approx", "pure", "rho"):
        yield f"hash-sketch-{budget}", release(one, table, budget, "sparse(size=10, buckets=256)"), LISTS
    project = release(one, table, "gdp", "sparse(size=10)", "sparse-project(height=256)")
    yield "sparse-project-gdp", project, LISTS[:3]
    pairs = ("(url, kind) IN (('v1', 'true'), ('v2', 'false'))", "top(2)")
    workload = "sparse(size=10, columns=[url, kind], buckets=256)"
    yield "hash-sketch-columns", release(two, table, "approx", workload), pairs
    yield "stability-histogram-approx", release(one, table, "approx", "sparse(size=10, rare=False)"), LISTS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "lists.txt"
        path.write_text("v1\tv3\tnowhere\nv2\n")
        for budget in ("pure", "zcdp", "gdp"):
            made = release(one, table, budget, ht.KnownLists(file=str(path)), "list-counts")
            yield f"list-counts-{budget}", made, LISTS[:2]
    bits = domain({f"b{i}": {"kind": "boolean", "missing": "error"} for i in range(6)})
    rows = table_of(bits, random_codes(bits, 1000, seed=5))
    made = release(bits, rows, "approx", "conjunctions(free=2, buckets=256)")
    yield "conjunctions-approx", made, ("b0 AND NOT b1 AND b2 AND b3 AND b4", "top(2)")


def smooth() -> Iterator[Case]:
    """Numbers."""
    shape = ht.Domain.from_dict(
        {
            "table": "t",
            "attributes": {
                "age": {"kind": "number", "between": [0, 100], "bins": 4},
                "sex": {"kind": "category", "values": ["female", "male"], "missing": "error"},
            },
        }
    )
    source = np.random.default_rng(7)
    ages, sexes = source.beta(2, 3, 1000) * 100, source.choice(["female", "male"], 1000)
    # The files of format 1 are from before rows without a value were left out; they were made of all ages.
    table = pa.table({"age": pa.array(ages, mask=source.random(1000) < 0.1), "sex": sexes})
    bump = "avg(exp(-(age-40)*(age-40)/200))"
    asked = (bump, f"{bump} WHERE sex = 'female'", "SELECT sex, avg(age) FROM t GROUP BY sex", "quantile(age, 0.5)")
    yield "smooth-spline-pure", release(shape, table, "pure", "smooth(columns=[age], by=[sex])"), asked
    for budget in ("zcdp", "gdp"):
        cheb = release(shape, table, budget, "smooth(columns=[age])", "smooth-cheb")
        yield f"smooth-cheb-{budget}", cheb, (bump, "avg(age)")
    names = ("age", "height", "weight")
    fine = ht.Domain.from_dict(
        {"table": "t", "attributes": {c: {"kind": "number", "between": [0, 100], "bins": 4} for c in names}}
    )
    numbers = pa.table({c: pa.array(source.beta(2, 3, 1000) * 100, mask=source.random(1000) < 0.1) for c in names})
    sparse = release(fine, numbers, "gdp", "smooth(columns=[age, height, weight], t=9)", "smooth-sparse")
    many = ("avg(exp(-(age + height + weight) / 200))", "avg(age * height)", "avg(weight)")
    yield "smooth-sparse-gdp", sparse, many
    examples = "smooth(columns=[age], examples=['exp(-((age-40)/10)**2)', 'expit((age-50)/9)'])"
    yield "smooth-direct-pure", release(shape, table, "pure", examples, "smooth-direct"), ("avg(expit((age-50)/9))",)
    yield "k-norm-means", release(shape, table, "pure", "means(columns=[age])", "k-norm"), ("avg(age)", "avg(2*age+1)")


def decided() -> Iterator[Case]:
    """Decision lists."""
    lists = {"kind": "decision_list", "inputs": ["near", "cheap", "rural"], "length": 2}
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"choice": lists}})
    table = pa.table({"choice": pa.array(dummy_rows(shape, rows=1000, seed=1)["choice"])})
    for budget in ("pure", "zcdp", "gdp"):
        asked = ("decides(choice, near AND NOT rural)", "decides(choice, cheap)")
        yield f"decision-lists-{budget}", release(shape, table, budget, "decision_lists()"), asked


def long_lists() -> Iterator[Case]:
    """Lists of more rules than have a polynomial for every pattern."""
    lists = {"kind": "decision_list", "inputs": [f"i{i}" for i in range(12)], "length": 32}
    shape = ht.Domain.from_dict({"table": "t", "attributes": {"choice": lists}})
    table = pa.table({"choice": pa.array(dummy_rows(shape, rows=1000, seed=1)["choice"])})
    asked = ("decides(choice, i0 AND NOT i1)", "decides(choice)")
    yield "long-decision-lists", release(shape, table, "gdp", "decision_lists(order=2)"), asked


def graph() -> Iterator[Case]:
    """Edges, with names and with numbers for vertices; degrees alone, and pairs beside them."""
    names = {"kind": "vertex", "values": ["ada", "ben", "o'neil, c", "dee", "eve"]}
    numbers = {"kind": "vertex", "between": [10, 40]}
    like, asked = {"kind": "vertex", "like": "caller"}, ("cut(ada, 'o''neil, c')", "degree(eve)", "edges()")
    for name, ends, mechanism, questions in (
        ("graph-pairs", names, "degree-cuts", asked),
        ("graph", numbers, "degree-cuts(pairs=False)", ("cut(10, 20, 30)", "degree(11)", "edges()")),
    ):
        shape = ht.Domain.from_dict({"table": "t", "attributes": {"caller": ends, "called": like}})
        table = pa.table(dummy_rows(shape, rows=1000, seed=1))
        yield name, release(shape, table, "pure", "cuts(repeats=200)", mechanism), questions


def trees() -> Iterator[Case]:
    """Two-valued columns that depend strongly, so that means of several leaves are bought."""
    names = [f"c{i}" for i in range(12)]
    shape = ht.Domain.from_dict(
        {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in names}}
    )
    source = np.random.default_rng(3)
    hidden = source.normal(size=(4000, 1)) + 0.4 * source.normal(size=(4000, 12)) > 0.3
    table = pa.table({name: hidden[:, i] for i, name in enumerate(names)})
    for name, workload in (("tree-all", "all_of(width=5)"), ("tree-any", "any_of(width=4)")):
        asked = ("all(c0, c3, c7)", "any(c1, c2, c3, c4)", "c0 AND NOT c1", "all(c0, c1, NOT c2)")
        yield name, release(shape, table, "gdp", workload, "tree(leaves=6)"), asked


def curated() -> Case:
    """What a curator learned."""
    shape = domain()
    vault = ht.Vault(table_of(shape, random_codes(shape, 1000, seed=3)), shape)
    curator = vault.curate(budget=ht.Budget(rho=20), way="hypothesis", updates=5, randomness=ht.Simulated(4))
    for question in ("smoker AND age >= 65", "sex = 'male' AND region = 'west'", "smoker AND region = 'north'"):
        curator.ask(question)
    return "curator-zcdp", curator.freeze(), CODED[:2]


def compared() -> Case:
    """What a curator learned that has compared every pair of its columns with the table."""
    shape = domain()
    vault = ht.Vault(table_of(shape, random_codes(shape, 1000, seed=3)), shape)
    curator = vault.curate(budget=ht.Budget(rho=20), way="hypothesis", updates=1, randomness=ht.Simulated(4))
    for question in ("smoker AND age >= 65", "sex = 'male' AND region = 'west'", "smoker AND region = 'north'"):
        curator.ask(question)
    return "curator-pairs", curator.freeze(), CODED


if __name__ == "__main__":
    main()
