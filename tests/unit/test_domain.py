"""Domain: what is declared survives dict, YAML and back; every mistake is one line that names it."""

import doctest
import importlib
import string
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hushtable.budget import Unit
from hushtable.domain import Domain
from hushtable.domain.attributes import MOST_CODES
from hushtable.domain.yaml_text import MOST_BYTES
from hushtable.errors import BadDomain, BadPath, HushError, UnknownAttribute

BOOLEAN = {"kind": "boolean"}
CLINIC = """\
table: clinic
unit: {rows: 2}
neighbours: add-remove
attributes:
  age:      {kind: integer, between: [0, 99], edges: [18, 30, 45, 65]}
  income:   {kind: number, between: [0, 200000], bins: 8}
  dose:     {kind: number, between: [0.1, 1e-1000], edges: [0.3]}
  answer:   {kind: category, values: [yes, no, 1.10, ~, null, 0x10], other: true}
  smoker:   {kind: boolean, missing: error}
  url:      {kind: open}
""".replace("1e-1000", "0.7")


def table(**attributes):
    return {"table": "t", "attributes": attributes}


def built(**attributes):
    return Domain.from_dict(table(**attributes))


def written(tmp_path, text):
    path = tmp_path / "d.yaml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refused(call, *says):
    with pytest.raises(HushError) as caught:
        call()
    message = str(caught.value)
    assert len(message.splitlines()) == 1, message
    for word in says:
        assert word in message
    return caught.value


def test_yaml_is_read_as_typed(tmp_path):
    domain = Domain.load(written(tmp_path, CLINIC))
    assert domain.table == "clinic"
    assert domain.unit == Unit(rows=2, neighbours="add-remove")
    assert domain.names == ("age", "income", "dose", "answer", "smoker", "url")
    age, income, dose, answer, smoker = domain.closed
    assert age.values == ("0-17", "18-29", "30-44", "45-64", "65-99")
    assert income.edges == tuple(Fraction(25_000 * i) for i in range(9))
    assert dose.edges == (Fraction(1, 10), Fraction(3, 10), Fraction(7, 10))
    assert answer.labels == ("yes", "no", "1.10", "~", "null", "0x10", "other", "missing")
    assert smoker.missing_code is None
    assert domain.sizes == (6, 9, 3, 8, 2)


# Without control characters and line separators, which YAML's own reader and writer do not agree on.
letters = st.characters(exclude_categories=("C", "Z"))
names = st.text(letters, min_size=1, max_size=8).filter(str.strip)
words = st.one_of(
    names.map(str.strip).filter(bool),
    st.sampled_from(["yes", "no", "on", "~", "null", "1", "1.0", "0x1f", "1e3", "2020-01-01", "- a", "a: b", "#", "'", '"', "{", "*a", "&a", "!x", "%", "@", "|"]),  # noqa: E501
).filter(lambda w: w not in ("other", "missing"))  # fmt: skip
numbers = st.one_of(
    st.integers(-(10**20), 10**20).map(Fraction),
    st.fractions(-1000, 1000, max_denominator=30),
    st.decimals(-1000, 1000, allow_nan=False, places=20).map(Fraction),
    st.floats(-1e200, 1e200, allow_nan=False).map(lambda x: Fraction(repr(x))),
)
shared = st.fixed_dictionaries({"other": st.booleans(), "missing": st.sampled_from(["category", "error"])})


@st.composite
def attributes(draw):
    kind = draw(st.sampled_from(["boolean", "category", "integer", "number", "open"]))
    if kind == "open":
        return {"kind": kind}
    given = {"kind": kind} | draw(shared)
    if kind == "category":
        given["values"] = draw(st.lists(words, min_size=1, max_size=5, unique=True))
    if kind == "integer":
        low = draw(st.integers(-(10**20), 10**20))
        high = low + draw(st.integers(1, 10**6))
        given |= {"between": [low, high], "bins": draw(st.integers(1, min(9, high - low + 1)))}
    if kind == "number":
        low, *cuts, high = sorted(draw(st.lists(numbers, min_size=2, max_size=5, unique=True)))
        given["between"] = [str(low), str(high)]
        given |= {"edges": [str(c) for c in cuts]} if cuts else {"bins": draw(st.integers(1, 9))}
    return given


domains = st.builds(
    lambda table, unit, neighbours, attributes: Domain.from_dict(
        {"table": table, "unit": {"rows": unit}, "neighbours": neighbours, "attributes": attributes}
    ),
    words,
    st.integers(1, 10**6),
    st.sampled_from(["replace", "add-remove"]),
    st.dictionaries(names, attributes(), min_size=1, max_size=4),
)


@settings(max_examples=80, deadline=None)
@given(domain=domains)
def test_round_trip_through_dict_and_yaml(domain, tmp_path_factory):
    assert Domain.from_dict(domain.to_dict()) == domain
    path = tmp_path_factory.getbasetemp() / "round.yaml"
    domain.save(path)
    again = Domain.load(path)
    assert again == domain
    assert again.digest == domain.digest


BASE = table(
    age={"kind": "integer", "between": [0, 9], "edges": [5]},
    pay={"kind": "number", "between": [0, 9], "edges": [5]},
    sex={"kind": "category", "values": ["f", "m"]},
)
CHANGES = {
    "table": lambda d: d | {"table": "u"},
    "rows": lambda d: d | {"unit": {"rows": 2}},
    "neighbours": lambda d: d | {"neighbours": "add-remove"},
    "name": lambda d: table(**{"Age" if k == "age" else k: v for k, v in d["attributes"].items()}),
    "order": lambda d: table(**dict(reversed(d["attributes"].items()))),
    "one more": lambda d: table(**d["attributes"], x=BOOLEAN),
    "one less": lambda d: table(**{k: v for k, v in d["attributes"].items() if k != "sex"}),
    "kind": lambda d: table(**d["attributes"] | {"age": d["attributes"]["age"] | {"kind": "number"}}),
    **{
        f"{name} {setting}": lambda d, name=name, part={setting: value}: table(
            **d["attributes"] | {name: d["attributes"][name] | part}
        )
        for name, setting, value in [
            ("age", "between", [0, 8]),
            ("age", "edges", [4]),
            ("age", "edges", [4, 5]),
            ("age", "other", True),
            ("age", "missing", "error"),
            ("pay", "between", [0, "9.0000000000000000001"]),
            ("pay", "edges", ["5.0000000000000000001"]),
            ("sex", "values", ["m", "f"]),
            ("sex", "values", ["f", "m", "x"]),
            ("sex", "other", True),
            ("sex", "missing", "error"),
        ]
    },
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
def test_the_digest_sees_every_setting(change):
    assert Domain.from_dict(change(BASE)).digest != Domain.from_dict(BASE).digest


def test_the_digest_is_stable():
    spelled = {
        "attributes": {
            "age": {
                "missing": "category",
                "edges": ["5.0"],
                "between": ("0", "9"),
                "kind": "integer",
                "other": "False",
            },
            "pay": {"kind": "number", "between": [0.0, "9e0"], "edges": [0, 5, 9]},
            "sex": {"kind": "category", "values": (" f", "m")},
        },
        "neighbours": "replace",
        "unit": {"rows": "1"},
        "table": "t",
    }
    assert Domain.from_dict(spelled).digest == Domain.from_dict(BASE).digest
    # Ledgers of released tables hold digests: a change here would cut every one of them off from its table.
    assert Domain.from_dict(BASE).digest == "5d54f571068d29b98fbc503536deb8cab1202432b9377104c5a392bb0e629028"


def test_bins_of_an_integer_are_even_and_cover_the_range():
    for bins in range(1, 11):
        attribute = built(x={"kind": "integer", "between": [-3, 6], "bins": bins}).closed[0]
        sizes = [int(b - a) + 1 for a, b in attribute.bin_bounds()]
        assert len(sizes) == bins
        assert sum(sizes) == 10
        assert max(sizes) - min(sizes) <= 1


def test_a_short_range_of_integers_needs_no_edges():
    assert built(x={"kind": "integer", "between": [1, 1000]}).sizes == (1001,)
    assert built(x={"kind": "integer", "between": [0, 1000]}).ranged


def test_position_matches_exactly_or_else_without_case():
    domain = built(Age=BOOLEAN, sex=BOOLEAN, url={"kind": "open"}, SEX=BOOLEAN)
    assert [domain.position(n) for n in ("Age", "AGE", "sex", "SEX")] == [0, 0, 1, 2]
    for name in ("Sex", "url", "ag"):
        with pytest.raises(UnknownAttribute):
            domain.position(name)
    refused(lambda: domain.position("aged"), "no attribute 'aged'; this domain has Age, sex, url, SEX.")
    refused(lambda: built(smoker=BOOLEAN).position("smokre"), "Did you mean 'smoker'?")


number = {"kind": "number", "between": [0, 10]}
integer = {"kind": "integer", "between": [0, 10]}
MISTAKES = [
    ("not a mapping", ["table"], ["a domain is a mapping"]),
    ("nothing", None, ["a domain is a mapping"]),
    ("unknown part", table(x=BOOLEAN) | {"tabel": "t"}, ["'tabel'", "Did you mean 'table'?"]),
    ("no table", {"attributes": {"x": BOOLEAN}}, ["table: NAME"]),
    ("blank table", table(x=BOOLEAN) | {"table": " "}, ["table: NAME"]),
    ("table list", table(x=BOOLEAN) | {"table": ["t"]}, ["table: NAME"]),
    ("table mapping", table(x=BOOLEAN) | {"table": {"t": 1}}, ["table: NAME"]),
    ("no attributes", {"table": "t"}, ["no attributes"]),
    ("empty attributes", {"table": "t", "attributes": {}}, ["no attributes"]),
    ("list of attributes", {"table": "t", "attributes": ["x"]}, ["no attributes"]),
    ("unit number", table(x=BOOLEAN) | {"unit": 1}, ["{rows: 1}"]),
    ("unit setting", table(x=BOOLEAN) | {"unit": {"row": 1}}, ["'row'", "Did you mean 'rows'?"]),
    ("no rows", table(x=BOOLEAN) | {"unit": {"rows": 0}}, ["at least 1, not 0"]),
    ("half rows", table(x=BOOLEAN) | {"unit": {"rows": "1.5"}}, ["whole number, not '1.5'"]),
    ("rows huge", table(x=BOOLEAN) | {"unit": {"rows": 10**10}}, ["whole number"]),
    ("neighbours", table(x=BOOLEAN) | {"neighbours": "swap"}, ["replace or add-remove, not 'swap'"]),
    ("no kind", table(x={}), ["x: write {kind: ...}", "boolean, category"]),
    ("plain kind", table(x="boolean"), ["x: write {kind: ...}"]),
    ("unknown kind", table(x={"kind": "interger"}), ["'interger'", "Did you mean 'integer'?"]),
    ("setting", table(x=BOOLEAN | {"oher": True}), ["x has an unknown setting 'oher'", "Did you mean 'other'?"]),
    ("setting of another kind", table(x=BOOLEAN | {"bins": 2}), ["'bins'", "allowed: kind, labels, missing, "]),
    ("open setting", table(x={"kind": "open", "other": True}), ["'other'", "allowed: kind."]),
    ("missing", table(x=BOOLEAN | {"missing": "drop"}), ["category or error, not 'drop'"]),
    ("other", table(x=BOOLEAN | {"other": "maybe"}), ["other is true or false, not 'maybe'"]),
    ("other none", table(x=BOOLEAN | {"other": None}), ["other is true or false"]),
    ("no values", table(x={"kind": "category"}), ["values: [a, b, ...]"]),
    ("values text", table(x={"kind": "category", "values": "ab"}), ["values: [a, b, ...]"]),
    ("values empty", table(x={"kind": "category", "values": []}), ["values is empty"]),
    ("values nested", table(x={"kind": "category", "values": [["a"]]}), ["one word or number"]),
    ("values blank", table(x={"kind": "category", "values": ["a", " "]}), ["none is blank"]),
    ("values twice", table(x={"kind": "category", "values": ["1", 1.0]}), ["'1' is listed twice"]),
    ("values other", table(x={"kind": "category", "values": ["other"], "other": True}), ["'other'"]),
    ("values missing", table(x={"kind": "category", "values": ["missing"]}), ["'missing'"]),
    ("too many values", table(x={"kind": "category", "values": list(range(MOST_CODES + 1))}), ["at most 65,000"]),
    ("no between", table(x={"kind": "number"}), ["between: [lowest, highest]"]),
    ("between of three", table(x=number | {"between": [0, 1, 2]}), ["between: [lowest, highest]"]),
    ("between text", table(x=number | {"between": "01"}), ["between: [lowest, highest]"]),
    ("between words", table(x=number | {"between": ["a", 1]}), ["expected a number, not 'a'"]),
    ("between true", table(x=number | {"between": [True, 2]}), ["expected a number, not 'True'"]),
    ("between list", table(x=number | {"between": [[0], 2]}), ["expected a number"]),
    ("between nan", table(x=number | {"between": ["nan", 1]}), ["expected a number, not 'nan'"]),
    ("between inf", table(x=number | {"between": [0, "inf"]}), ["expected a number, not 'inf'"]),
    ("between 1/0", table(x=number | {"between": [0, "1/0"]}), ["expected a number, not '1/0'"]),
    ("between 1e400", table(x=number | {"between": [0, "1e400"]}), ["expected a number, not '1e400'"]),
    ("between 400 digits", table(x=number | {"between": [0, "9" * 400]}), ["expected a number, not '999"]),
    ("between 3000 digits", table(x=number | {"between": ["0." + "1" * 3000, 1]}), ["expected a number"]),
    ("between huge", table(x=number | {"between": [0, "1e999999999"]}), ["expected a number"]),
    ("between tiny", table(x=number | {"between": ["1E-999999999", 1]}), ["expected a number"]),
    ("between falls", table(x=number | {"between": [2, 1]}), ["between must ascend, not [2, 1]"]),
    ("between equal", table(x=number | {"between": [1, 1]}), ["between must ascend, not [1, 1]"]),
    ("integer between halves", table(x=integer | {"between": [0, "9.5"]}), ["whole numbers, not 0 and 9.5"]),
    ("edges and bins", table(x=number | {"edges": [5], "bins": 2}), ["edges or bins, not both"]),
    ("edges number", table(x=number | {"edges": 5}), ["edges is a list of numbers"]),
    ("edges word", table(x=number | {"edges": ["five"]}), ["expected a number, not 'five'"]),
    ("edges fall", table(x=number | {"edges": [6, 5]}), ["edges must ascend strictly between 0 and 10"]),
    ("edges twice", table(x=number | {"edges": [5, "5.0"]}), ["edges must ascend strictly"]),
    ("edges outside", table(x=number | {"edges": [5, 11]}), ["edges must ascend strictly"]),
    ("edges below", table(x=integer | {"edges": [-1, 5]}), ["edges must ascend strictly"]),
    ("edges of an integer", table(x=integer | {"edges": ["4.5"]}), ["the edges of an integer are whole"]),
    ("no bins", table(x=number | {"bins": 0}), ["at least 1 and at most 65000, not 0"]),
    ("minus bins", table(x=number | {"bins": -1}), ["at least 1"]),
    ("half bins", table(x=number | {"bins": "2.5"}), ["bins must be a whole number, not '2.5'"]),
    ("more bins than values", table(x=integer | {"bins": 12}), ["at most 11, not 12"]),
    ("a billion bins", table(x=number | {"bins": 10**9}), ["at most 65000, not 1000000000"]),
    ("a billion bins of integers", table(x=integer | {"between": [0, 10**12], "bins": 10**9}), ["at most 65000"]),
    ("cells and bins", table(x=number | {"cells": [5], "bins": 2}), ["bins or cells, not both"]),
    ("step of nothing", table(x=number | {"step": 0}), ["step must be above 0, not 0"]),
    ("step too large", table(x=number | {"step": 11}), ["a step of 11 is larger than the range from 0 to 10"]),
    ("step of halves", table(x=integer | {"step": "0.5"}), ["the step of an integer is a whole number, not 0.5"]),
    ("step word", table(x=number | {"step": "fine"}), ["x: step: expected a number, not 'fine'"]),
    ("atoms number", table(x=number | {"atoms": 0}), ["atoms is a list of values"]),
    ("atoms outside", table(x=number | {"atoms": [0, 11]}), ["the atom 11 does not lie between 0 and 10"]),
    ("atoms between steps", table(x=number | {"step": 4, "atoms": [0, 6]}), ["the atom 6 is not 0 + j steps of 4"]),
    ("atoms of halves", table(x=integer | {"atoms": ["0.5"]}), ["the atoms of an integer are whole numbers"]),
    ("too many atoms", table(x=integer | {"atoms": [0] * 101}), ["101 atoms; at most 100"]),
]


@pytest.mark.parametrize(("given", "says"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES])
def test_every_mistake_is_one_line_that_names_it(given, says):
    assert isinstance(refused(lambda: Domain.from_dict(given), *says), BadDomain)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("table: t\ntable: u\nattributes: {x: {kind: boolean}}", "'table' is given twice"),
        ("table: t\nattributes: {x: {kind: boolean}, x: {kind: open}}", "'x' is given twice"),
        ("table: t\nattributes: {x: {kind: boolean, kind: open}}", "'kind' is given twice"),
        ("a: &a [1]\nb: *a", "aliases"),
        ("a: " + "[" * 21 + "]" * 21, "nested too deeply"),
        ("[" * 100_000, "nested too deeply"),
        ("a: [1, 2", "in line 1"),
        ("table: t\n\tx: 1", "in line 2"),
        ("a: 'open", "is not YAML"),
        ("? [a]\n: b", "is not YAML"),
        ("--- 1\n--- 2", "is not YAML"),
        ("a: \x07", "is not YAML"),
        ("", "a domain is a mapping"),
        ("just words", "a domain is a mapping"),
        ("- a\n- b", "a domain is a mapping"),
        ("table: t\n<<: {x: 1}", "unknown setting '<<'"),
        (b"table: caf\xe9", "is not UTF-8"),
        (b"#" * (MOST_BYTES + 1), "10,000,001 bytes; a domain file has at most 10,000,000"),
    ],
    ids=lambda value: str(value[:20]),
)
def test_every_bad_file_is_one_line(tmp_path, text, says):
    assert isinstance(refused(lambda: Domain.load(written(tmp_path, text)), says), BadDomain)


def test_tags_are_not_obeyed(tmp_path):
    text = "table: !!python/object/apply:os.system ['echo']\nattributes: {x: {kind: boolean}}"
    assert isinstance(refused(lambda: Domain.load(written(tmp_path, text)), "table: NAME"), BadDomain)
    assert Domain.load(written(tmp_path, "table: !!int x\nattributes: {x: !!set {kind: boolean}}")).table == "x"


def test_missing_files_and_folders(tmp_path):
    assert isinstance(refused(lambda: Domain.load(tmp_path / "none.yaml"), "no file", "hush domain draft"), BadPath)
    assert isinstance(refused(lambda: Domain.load(tmp_path), "cannot read"), BadPath)
    domain = built(x=BOOLEAN)
    assert isinstance(refused(lambda: domain.save(tmp_path / "no" / "d.yaml"), "cannot write"), BadPath)


@settings(max_examples=150, deadline=None)
@given(text=st.text(alphabet=string.ascii_letters + " :{}[],-&*!|>'\"#%@`\n\t?~0123456789.", max_size=80))
def test_hostile_yaml_is_read_or_refused(text, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "hostile.yaml"
    path.write_text(text)
    with pytest.raises(BadDomain) as caught:
        Domain.load(path)
    assert len(str(caught.value).splitlines()) == 1


@pytest.mark.parametrize("part", ["name", "kind", "setting", "value"])
def test_a_line_break_in_what_was_given_does_not_break_the_line(part):
    given = {
        "name": table(**{"a\nb": {}}),
        "kind": table(x={"kind": "a\nb"}),
        "setting": table(x=BOOLEAN | {"a\nb": 1}),
        "value": table(x={"kind": "category", "values": ["a\nb", "a\nb"]}),
    }[part]
    refused(lambda: Domain.from_dict(given))


def test_the_examples_of_the_class_hold():
    ran = doctest.testmod(importlib.import_module("hushtable.domain.domain"))
    assert ran.attempted
    assert not ran.failed
