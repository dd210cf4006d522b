"""Columns that follow others cost nothing, are asked through the one they follow, and never contradict it."""

import json

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.errors import BadDomain, BadQuestion

REGIONS = ["north", "south", "east", "west"]
DENSITY = {"north": "low", "south": "high", "east": "low", "west": "high"}
PEOPLE = {"north": "10.5", "south": "200", "east": "20.25", "west": "300"}
ATTRIBUTES = {
    "region": {"kind": "category", "values": REGIONS},
    "density": {"kind": "category", "values": ["high", "low"]},
    "people": {"kind": "number", "between": [0, 500], "bins": 5},
    "smoker": {"kind": "boolean"},
}
PARTS = {
    "table": "homes",
    "attributes": ATTRIBUTES,
    "follows": {"density": {"of": "region", "map": DENSITY}, "people": {"of": "region", "map": PEOPLE}},
}
BUDGET = ht.Budget(epsilon=4, delta="1e-6")
WORKLOADS = [ht.WholeTable(), ht.Marginals(width=2), ht.AnyOf(width=2)]


def homes(rows=4_000, seed=0):
    random = np.random.default_rng(seed)
    region = random.choice(REGIONS, rows, p=[0.4, 0.3, 0.2, 0.1])
    return pa.table({"region": region, "density": [DENSITY[r] for r in region], "people": [PEOPLE[r] for r in region],
                     "smoker": random.random(rows) < np.where(region == "north", 0.5, 0.1)})  # fmt: skip


def released(domain, workload, rows=None, mechanism=None):
    plan = ht.plan(domain, rows=4_000, workload=workload, budget=BUDGET, mechanism=mechanism)
    return ht.Vault(homes() if rows is None else rows, domain).release(plan, randomness=ht.Simulated(1))


@pytest.fixture(scope="module")
def domain():
    return ht.Domain.from_dict(PARTS)


@pytest.fixture(scope="module")
def whole(domain):
    return released(domain, ht.WholeTable())


def test_it_is_a_column_but_not_an_attribute(domain, tmp_path):
    assert domain.names == ("region", "smoker")
    assert [column.name for column in domain.every_column] == ["region", "density", "people", "smoker"]
    domain.save(tmp_path / "d.yaml")
    assert ht.Domain.load(tmp_path / "d.yaml") == domain
    assert domain.form == 6


def test_maps_may_lie_in_files_beside_the_domain(domain, tmp_path):
    (tmp_path / "maps").mkdir()
    lines = ["region,people,density", *(f"{r},{PEOPLE[r]},{DENSITY[r]}" for r in REGIONS)]
    (tmp_path / "maps" / "regions.csv").write_text("\n".join(lines) + "\n")
    text = domain.to_dict() | {
        "follows": {name: {"of": "region", "map": "maps/regions.csv"} for name in ("density", "people")}
    }
    from hushtable.domain.yaml_text import yaml_text

    (tmp_path / "d.yaml").write_text(yaml_text(text))
    assert ht.Domain.load(tmp_path / "d.yaml") == domain


@pytest.mark.parametrize("workload", WORKLOADS, ids=str)
def test_it_costs_nothing_and_is_never_read(domain, workload):
    free = ht.Domain.from_dict({"table": "homes", "attributes": {n: ATTRIBUTES[n] for n in ("region", "smoker")}})
    both = [released(shape, workload, homes().select(["region", "smoker"])) for shape in (domain, free)]
    numbers = [synopsis.model.numbers() for synopsis in both]
    # Of a whole table it may change which values are grouped, and nothing else.
    same = ["scores"] if isinstance(workload, ht.WholeTable) else list(numbers[1])
    assert all(len(numbers[0][name]) == len(numbers[1][name]) for name in same)
    if not isinstance(workload, ht.WholeTable):
        assert all((numbers[0][name] == numbers[1][name]).all() for name in same)
    assert both[0].ask("density = 'low'").value == both[0].ask("region IN ('north', 'east')").value
    assert both[0].ask("people < 100 AND smoker").value == both[0].ask("region IN ('north', 'east') AND smoker").value


def test_mwem_and_curators_too(domain, tmp_path):
    synopsis = released(domain, ht.Marginals(width=2), mechanism="mwem(rounds=4)")
    assert synopsis.ask("density = 'low'").value == synopsis.ask("region IN ('north', 'east')").value
    vault = ht.Vault(homes(), domain, ledger=tmp_path / "l")
    with vault.curate(budget=BUDGET, state=tmp_path / "s", questions=5) as curator:
        assert curator.ask("density = 'low'").value == curator.ask("region IN ('north', 'east')").value


def test_groups_averages_and_words(whole):
    table = whole.ask("SELECT density, smoker, count(*) FROM homes WHERE region <> 'east' GROUP BY density, smoker")
    assert list(table.groups) == ["density", "smoker"]
    single = whole.ask("SELECT count(*) FROM homes WHERE region = 'north' AND smoker").value
    at = [i for i, key in enumerate(zip(*table.groups.values(), strict=True)) if key == ("low", "true")]
    assert table.value[at[0]] == pytest.approx(single)
    mean = sum(float(PEOPLE[r]) * whole.ask(f"region = '{r}'").value for r in REGIONS)
    assert whole.ask("SELECT avg(people) FROM homes").value == pytest.approx(mean, rel=1e-3)
    assert whole.ask("density LIKE 'l%'").value == whole.ask("density IN ('low')").value
    assert whole.ask("density IS NULL").value == whole.ask("region IS NULL").value
    assert whole.ask("SELECT count(density) FROM homes").value == pytest.approx(
        whole.ask("SELECT count(region) FROM homes").value
    )
    with pytest.raises(BadQuestion, match="people has no value 'hgh'"):
        whole.ask("people = 'hgh'")


def test_rows_have_it_in_its_place_and_never_contradict(whole):
    for rows in (whole.sample(20_000, seed=1), whole.sample_sets(500, sets=2, seed=1).drop_columns(["set"])):
        assert rows.column_names == ["region", "density", "people", "smoker"]
        frame = rows.to_pydict()
        for region, density, people in zip(frame["region"], frame["density"], frame["people"], strict=True):
            assert density == DENSITY.get(region)
            assert people == (float(PEOPLE[region]) if region else None)


def test_chains_and_columns_declared_by_their_map_alone():
    parts = PARTS | {"follows": {"side": {"of": "density", "map": {"low": "left", "high": "right"}},
                                 "density": {"of": "region", "map": DENSITY}}}  # fmt: skip
    made = ht.Domain.from_dict(parts)
    assert made.follower("side").texts == ("left", "right", "left", "right", None)
    assert [column.name for column in made.every_column] == ["region", "density", "people", "smoker", "side"]
    assert ht.Domain.from_dict(made.to_dict()) == made


def test_rules_may_name_them():
    made = ht.Domain.from_dict(PARTS | {"impossible": ["density = 'high' AND smoker"]})
    synopsis = released(made, ht.Marginals(width=2))
    assert synopsis.ask("region = 'west' AND smoker").estimator == "by declaration"


@pytest.mark.parametrize(
    ("follows", "says"),
    [
        ({"density": {"of": "region", "map": DENSITY | {"wset": "low"}}}, "Did you mean 'west'"),
        ({"density": {"of": "region", "map": {"north": "low"}}}, "says nothing of region = 'south'"),
        ({"density": {"of": "region", "map": DENSITY | {"west": "hgh"}}}, "Did you mean 'high'"),
        ({"density": {"of": "regoin", "map": DENSITY}}, "Did you mean 'region'"),
        ({"density": "region"}, "nothing says how"),
        ({"density": {"of": "region", "map": "nowhere.csv"}}, "or in a domain file that of a CSV file"),
        ({"density": {"of": "region", "map": DENSITY, "when": "now"}}, "write {of: COLUMN"),
        ({"density": {"of": "people", "map": {}}, "people": {"of": "density", "map": {}}}, "round in a circle"),
        ({"density": {"of": "density", "map": {}}}, "round in a circle"),
        ([], "follows is written"),
    ],
)
def test_a_wrong_map_is_one_line(follows, says):
    with pytest.raises(BadDomain) as caught:
        ht.Domain.from_dict(PARTS | {"follows": follows})
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_rule_about_it_alone_is_refused():
    with pytest.raises(BadDomain, match="leaves region = 'south' no place"):
        ht.Domain.from_dict(PARTS | {"impossible": ["density = 'high'"]})


VALUES = [f"{letter}{i}" for i in range(8) for letter in "abc"]
SHAPE = {"table": "t", "attributes": {"code": {"kind": "category", "values": VALUES}, "x": {"kind": "boolean"}}}


class TestLevels:
    def test_either_way_to_write_them(self):
        by_value = {value: value[0] for value in VALUES}
        by_group = {letter: [v for v in VALUES if v[0] == letter] for letter in "abc"}
        one, two = (ht.Domain.from_dict(SHAPE | {"levels": {"code": given}}) for given in (by_value, by_group))
        assert one == two == ht.Domain.from_dict(one.to_dict())

    def test_groups_are_made_of_them_first(self):
        from hushtable.maths.weighted_rows.resolution import Groupings, level_order, unordered

        made = ht.Domain.from_dict(SHAPE | {"levels": {"code": {v: v[0] for v in VALUES}}})
        assert unordered(ht.Domain.from_dict(SHAPE)) == [0]
        assert unordered(made) == []
        shares = np.random.default_rng(0).dirichlet(np.ones(made.sizes[0]))
        order, groups = level_order(made, 0)
        for level in (4, 6, 12):
            grouped = Groupings(shares, order, groups).steps[level]
            for group in range(grouped.max() + 1):
                assert len({v[0] for v, g in zip(VALUES, grouped, strict=False) if g == group}) <= 1

    @pytest.mark.parametrize(
        ("levels", "says"),
        [
            ({"code": {"a0": "a"}}, "values in no group"),
            ({"code": {"a": ["a0", "zz"]}}, "no value 'zz'"),
            ({"code": {"a": ["a0"], "b": ["a0"]}}, "in two groups"),
            ({"x": {"true": "a"}}, "not a category"),
            ({"code": []}, "{group: [values]}"),
        ],
    )
    def test_mistakes_are_one_line(self, levels, says):
        with pytest.raises(BadDomain) as caught:
            ht.Domain.from_dict(SHAPE | {"levels": levels})
        assert says in str(caught.value)


def test_what_others_see_of_it(domain, whole, tmp_path):
    from hushtable.domain.dummy import dummy_rows
    from hushtable.owner.rule_counts import contradictions

    fake = dummy_rows(domain, rows=200, seed=1)
    assert list(fake) == ["region", "density", "people", "smoker"]
    assert all(d == DENSITY.get(r, "") for r, d in zip(fake["region"], fake["density"], strict=True))
    assert [column.name for column in whole.info().columns] == list(fake)
    rows = homes(300)
    wrong = rows.set_column(1, "density", pa.array(["low"] * 300))
    assert [count.broken for count in contradictions(rows, domain)] == [0, 0]
    assert contradictions(wrong, domain)[0].broken == sum(d == "high" for d in rows.column("density").to_pylist())
    whole.save(tmp_path / "a.hush")
    assert ht.load(tmp_path / "a.hush").ask("density = 'low'").value == whole.ask("density = 'low'").value


def test_a_map_that_is_not_there_is_named(tmp_path):
    text = "table: t\nattributes: {a: {kind: boolean}}\nfollows: {b: {of: a, map: nowhere.csv}}\n"
    (tmp_path / "d.yaml").write_text(text)
    with pytest.raises(BadDomain, match=r"cannot read the map .*nowhere\.csv"):
        ht.Domain.load(tmp_path / "d.yaml")


@pytest.mark.parametrize("setting", [{"follows": {"b": {"of": "a", "map": "{}"}}}, {"levels": {"a": "{}"}}])
def test_a_domain_that_is_no_file_of_the_owners_reads_none(tmp_path, setting):
    """As in a synopsis that a stranger sent: the maps that it names would be the reader's own files."""
    path = tmp_path / "secret.csv"
    path.write_text("a,b\nx,one\ny,two\n")
    text = json.dumps(setting).replace("{}", str(path))
    attributes = {"a": {"kind": "category", "values": ["x", "y"]}, "c": {"kind": "boolean"}}
    with pytest.raises(ht.HushError, match="that of a CSV file"):
        ht.Domain.from_dict({"table": "t", "attributes": attributes} | json.loads(text))
