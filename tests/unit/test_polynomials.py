"""The general sanitizer: families of polynomials by name and of one's own, their bounds, answers and errors."""

from fractions import Fraction
from itertools import combinations, product

import numba
import numpy as np
import pyarrow as pa
import pytest
from numpy import random as numbers

import hushtable as ht
from hushtable.errors import BadPlan, BadQuestion
from hushtable.maths.families import row_code
from hushtable.maths.families.bits import bit_weights
from hushtable.maths.families.row_polynomials import RowPolynomials
from hushtable.maths.interactions.layout import InteractionLayout
from hushtable.vault.statistics.parities import Parities
from hushtable.vault.statistics.polynomials import PolynomialSums

NAMES = tuple(f"b{i}" for i in range(6))
DOMAIN = ht.Domain.from_dict(
    {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in NAMES}}
)
ROWS = (np.random.default_rng(3).random((700, len(NAMES))) < 0.3).astype(int)
TABLE = pa.table({name: ROWS[:, i] == 1 for i, name in enumerate(NAMES)})
PURE = ht.Budget(epsilon=1)
SURE = ht.Budget(epsilon=10**6)


def released(workload, budget=PURE, mechanism=None, seed=5):
    plan = ht.plan(DOMAIN, rows=len(ROWS), workload=workload, budget=budget, mechanism=mechanism)
    return ht.Vault(TABLE, DOMAIN).release(plan, randomness=ht.Simulated(seed))


def lemma_11(width=4, degree=2, **changes):
    """The family of Lemma 11 written by hand: the coefficient of a set is 1 where all its bits are."""
    sets = [s for size in range(1, degree + 1) for s in colex(len(NAMES), size)]
    published = bit_weights((0.0, *[1.0] * width), degree, "monomial")

    filled = np.array([[*s, *[s[0]] * (degree - len(s))] for s in sets])

    def coefficients(row):
        out = np.ones(len(filled), dtype=np.int64)
        for place in range(len(filled)):
            for member in filled[place]:
                out[place] *= row[member]
        return out

    said = {
        "name": "lemma_11", "columns": NAMES, "variables": NAMES, "coefficients": coefficients, "degree": degree,
        "exponents": [[NAMES[j] for j in s] for s in sets], "unit": np.abs(published.weights).tolist(),
        "between": (0, 1), "l1": len(sets), "l2": len(sets) ** 0.5, "width": width, "gamma": 2.0,
    }  # fmt: skip
    return ht.Family(**(said | changes))


def colex(variables, size):
    return sorted(combinations(range(variables), size), key=lambda s: s[::-1])


def truth_of(name, row, query, r=2):
    held = int((np.asarray(row) * np.asarray(query)).sum())
    return {"any_of": held >= 1, "all_of": held == int(np.sum(query)), "at_least": held >= min(r, int(np.sum(query)))}[
        name
    ]


@pytest.mark.parametrize("workload", ["any_of(width=4)", "any_of(width=6)", "at_least(r=2, width=5)"])
def test_the_family_of_lemma_11_is_the_mechanism_monomial_bit_by_bit(workload):
    before = released(workload, mechanism="monomial").model
    width = int(workload.split("width=")[1].rstrip(")"))
    now = released(ht.Polynomials("any_of", width=width, degree=before.order)).model
    assert np.array_equal(before.coordinates, now.sums)
    assert set(now.scales[1:]) == set(before.group_scales[1:])
    assert len(set(now.scales[1:])) == 1
    own = released(ht.Polynomials(lemma_11(degree=before.order, width=width))).model
    assert np.array_equal(before.coordinates, own.sums)


def test_the_noise_is_that_of_before():
    """One Laplace scale: the number of products over epsilon, since the row of ones has them all."""
    layout = InteractionLayout(DOMAIN.sizes, 2, "monomial")
    assert layout.length - 1 == 21
    (scale,) = set(released("polynomials(family=any_of, width=4, degree=2)").model.scales[1:])
    assert Fraction(21) <= scale <= Fraction(21) * (1 + Fraction(1, 2**38))


@pytest.mark.parametrize("basis", ["monomial", "parity"])
@pytest.mark.parametrize("family", ["any_of", "all_of", "at_least"])
@pytest.mark.parametrize("degree", [2, 4])
def test_without_noise_an_answer_is_within_its_bias_for_every_query(family, basis, degree):
    r = ", r=2" if family == "at_least" else ""
    synopsis = released(f"polynomials(family={family}, width=4, degree={degree}, basis={basis}{r})", SURE)
    queries = np.array([q for q in product((0, 1), repeat=6) if sum(q) <= 4])
    answers = synopsis.evaluate(queries)
    exact = np.array([np.mean([truth_of(family, row, q) for row in ROWS]) for q in queries])
    off = np.abs(answers.value - exact)
    assert (off <= answers.bias + 1e-9).all()
    assert (off[answers.bias == 0] < 1e-9).all()
    assert bool(answers.bias.any()) == (degree < 4)


@pytest.mark.parametrize("basis", ["monomial", "parity"])
@pytest.mark.parametrize("values", [(0, 1, 1, 1, 1, 1), (0, 0, 0, 0, 0, 1), (0, 0, 1, 1, 1, 1)])
def test_the_bias_is_that_of_the_worst_row(values, basis):
    """Every row of five bits, by its terms: none is farther off than the stated bias, and one is as far."""
    made, functions = (
        bit_weights(tuple(map(float, values)), 3, basis),
        {"monomial": np.prod, "parity": lambda x: np.prod(1 - 2 * x)},
    )
    off = []
    for bits in product((0, 1), repeat=5):
        terms = [[functions[basis](np.array(bits)[list(s)]) for s in combinations(range(5), i)] for i in range(4)]
        off.append(abs(sum(w * sum(own) for w, own in zip(made.weights, terms, strict=True)) - values[sum(bits)]))
    assert max(off) == pytest.approx(made.bias, abs=1e-9)


@pytest.mark.parametrize("budget", [PURE, ht.Budget(rho="0.5")], ids=["laplace", "gaussian"])
@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_sensitivity_of_a_family_of_ones_own_is_exact(budget, relation):
    statistic = PolynomialSums(RowPolynomials(lemma_11(), (2,) * 6, tuple(range(6))))
    reference = Parities(InteractionLayout(DOMAIN.sizes, 2, "monomial"))
    for power in (1, 2):
        ours = statistic.sensitivity(power=power, weights=[Fraction(3), Fraction(1)], neighbours=relation)
        assert ours == reference.sensitivity(
            power=power, weights=[Fraction(3), Fraction(1), Fraction(1)], neighbours=relation
        )


def too_long(row):
    """Beyond its bounds for rows of many ones alone."""
    out = np.zeros(3, dtype=np.int64)
    out[:] = 1
    if row.sum() == len(row):
        out[:] = 1000
    return out


@pytest.mark.parametrize("most_cells", [1 << 16, 0], ids=["listed", "compiled"])
@pytest.mark.parametrize("bounds", [(3, 9.0), (9, 2.0), (2, 1.0), (5, 5**0.5)])
def test_a_row_beyond_its_bounds_is_scaled_down(bounds, most_cells):
    l1, l2 = bounds
    family = ht.Family(
        name="f", columns=NAMES, variables=("u", "v"), coefficients=too_long, degree=1, l1=l1, l2=l2, between=(-4, 1000)
    )
    statistic = PolynomialSums(RowPolynomials(family, (2,) * 6, tuple(range(6)), most_cells))
    row = np.ones((6, 1), dtype=np.uint8)
    seen = statistic.to_coordinates(statistic.accumulate(row))[1:]
    assert 0 < abs(seen).sum() <= l1 or l2 < 2
    assert (seen**2).sum() <= l2**2 + 1e-9
    kept = statistic.to_coordinates(statistic.accumulate(np.zeros((6, 1), dtype=np.uint8)))[1:]
    assert abs(kept).sum() <= l1
    if l1 >= 3 and l2 >= 3**0.5:
        assert kept.tolist() == [1, 1, 1]


def test_compiled_and_listed_are_the_same_numbers():
    codes = ROWS.T.astype(np.uint8)
    both = [PolynomialSums(RowPolynomials(lemma_11(), (2,) * 6, tuple(range(6)), most)) for most in (1 << 16, 0)]
    first, second = (one.to_coordinates(one.accumulate(codes)) for one in both)
    assert np.array_equal(first, second)


def fails_on_ones(row):
    out = np.ones(3, dtype=np.int64)
    if row[0] + row[1] + row[2] + row[3] + row[4] + row[5] == 6:
        out[row[0] + 5] = 1  # beyond its end
    return out


def test_a_row_on_which_the_code_fails_counts_as_nothing_and_nobody_sees_it():
    family = ht.Family(name="f", columns=NAMES, variables=("u", "v"), coefficients=fails_on_ones, degree=1, l1=3, l2=2)
    compiled = PolynomialSums(RowPolynomials(family, (2,) * 6, tuple(range(6)), 0))
    codes = np.array([[1] * 6, [0] * 6, [1] * 5 + [0]], dtype=np.uint8).T
    assert compiled.accumulate(codes).tolist() == [3, 2, 2, 2]


# Planted families: each would let one person move more than its own row.

REMEMBERED = []


def remembers(row):
    REMEMBERED.append(int(row[0]))
    return np.array([len(REMEMBERED), 0, 0])


def seeded_by_a_row(row):
    chance = np.random.randint(0, 2)
    np.random.seed(row[0] * 7919 + row[1] * 31 + row[2])
    out = np.zeros(3, dtype=np.int64)
    out[0] = chance
    return out


@numba.njit
def hidden(row):
    return numbers.randint(0, 2) if row[0] + row[1] + row[2] + row[3] + row[4] + row[5] + row[6] > 6 else 0


def seldom_by_chance(row):
    """Too seldom to be seen on a few public rows."""
    out = np.zeros(3, dtype=np.int64)
    out[0] = hidden(row)
    return out


def centred(row):
    """What would be wrong with a block of rows: x - x.mean()."""
    return np.array([row[0], 0, 0]) - np.int64(row.mean())


def many(coefficients, **changes):
    """A family on more cells than are tried one by one."""
    names = tuple(f"c{i}" for i in range(20))
    said = {"name": "planted", "columns": names, "variables": ("u", "v"), "degree": 1, "l1": 3, "l2": 3}
    family = ht.Family(coefficients=coefficients, **(said | changes))
    domain = ht.Domain.from_dict(
        {"table": "t", "attributes": {name: {"kind": "boolean", "missing": "error"} for name in names}}
    )
    return ht.plan(domain, rows=100, workload=ht.Polynomials(family), budget=PURE)


def test_code_that_remembers_rows_is_refused():
    with pytest.raises(BadPlan, match="do not compile"):
        many(remembers)
    for given in (seeded_by_a_row, seldom_by_chance):
        with pytest.raises(BadPlan, match="names 'random', by which one row could change what is said of the next"):
            many(given)


def test_what_changes_with_the_rows_before_it_is_seen_on_public_rows(monkeypatch):
    monkeypatch.setattr(row_code, "_refuse", lambda *_: None)
    with pytest.raises(BadPlan, match="change with the rows before it"):
        many(seeded_by_a_row)


def test_code_that_would_centre_a_block_sees_one_row():
    """Adding a row changes the sums by that row's own numbers, whatever the others are."""
    family = ht.Family(name="f", columns=NAMES, variables=("u", "v"), coefficients=centred, degree=1, l1=3, l2=3)
    for most in (1 << 16, 0):
        statistic = PolynomialSums(RowPolynomials(family, (2,) * 6, tuple(range(6)), most))
        codes = ROWS.T.astype(np.uint8)
        alone = statistic.accumulate(codes[:, :1])
        assert np.array_equal(statistic.accumulate(codes) - statistic.accumulate(codes[:, 1:]), alone)


def off_bounds(row):
    return np.array([4, 0, 0])


@pytest.mark.parametrize(
    ("coefficients", "changes", "said"),
    [
        (lambda row: np.array([0.5, 0, 0]), {}, "must be whole numbers"),
        (lambda row: np.array([1, 2]), {}, "a row has 3 coefficients"),
        (lambda row: [row[0], 2**40, 0], {"l1": 2**41, "l2": 2.0**41}, "leave 64 bits"),
        (off_bounds, {}, "more than l1|beyond"),
        (lambda row: np.array([1, 1, 1]), {"l2": 1.5}, "more than l2=1.5"),
        (lambda row: np.array([1, 0, 0]), {"truth": lambda row, y: 0.0, "gamma": 0.5}, "more than gamma=0.5"),
        (lambda row: np.array([1, 0, 0]), {"exponents": [["u"], ["u", "v"]]}, "more than degree 1"),
        (lambda row: np.array([1, 0, 0]), {"exponents": [["u"], ["u"]]}, "listed twice"),
        (lambda row: np.array([1, 0, 0]), {"exponents": [["w"]]}, "no variable 'w'"),
        (lambda row: np.array([1, 0, 0]), {"columns": ("b0", "nothing")}, "no column 'nothing'"),
        (lambda row: np.array([1, 0, 0]), {"degree": 3}, "degree must be a whole number"),
        (lambda row: row[7], {}, "ends in IndexError"),
        (lambda row: row, {"columns": "b0"}, "columns must be a list of names, not 'b0'"),
        (lambda row: row, {"columns": 5}, "columns must be a list of names, not '5'"),
        (lambda row: row, {"variables": (0, 1)}, "variables must be a list of names"),
        (lambda row: row, {"exponents": 3}, "exponents must be a list of terms"),
        (lambda row: row, {"exponents": "u"}, "exponents must be a list of terms"),
        (lambda row: row, {"between": (0, 1, 2)}, "between two whole numbers with 0 among them"),
        (lambda row: row, {"between": (-1.5, 1)}, "between two whole numbers with 0 among them"),
        (lambda row: row, {"between": "01"}, "between two whole numbers with 0 among them"),
        (lambda row: row, {"l2": "one"}, "l2 must be a number of at least 1, not 'one'"),
        (lambda row: row, {"unit": "a"}, "unit must be a number or a list of numbers, not 'a'"),
        (lambda row: row, {"gamma": ["x"]}, "gamma must be a number or a list of numbers"),
        (lambda row: row, {"signs": "yes"}, "signs must be True or False, not 'yes'"),
        (lambda row: np.array([1, 0, 0]), {"truth": 0.5}, "truth must be a function of a row and a query"),
        (lambda row: np.array([1, 0, 0]), {"truth": lambda row, y: 1 / 0}, "truth ends in ZeroDivisionError for the"),
    ],
)
def test_a_family_that_is_not_what_it_says_is_refused_before_anything_is_spent(coefficients, changes, said, tmp_path):
    base = {"name": "f", "columns": NAMES, "variables": ("u", "v"), "degree": 1, "l1": 3, "l2": 3}
    with pytest.raises(BadPlan, match=said):
        ht.plan(DOMAIN, workload=ht.Polynomials(ht.Family(coefficients=coefficients, **(base | changes))), budget=PURE)


def test_a_term_of_one_variable_needs_no_list():
    base = {"name": "f", "columns": NAMES, "variables": ("u", "v"), "degree": 1, "l1": 3, "l2": 3}
    one, each = (ht.Family(coefficients=len, exponents=e, **base) for e in (["u", "v"], [["u"], ["v"]]))
    assert one.terms.listed == each.terms.listed


def test_too_many_terms_say_how_many_fit():
    names = tuple(f"v{i}" for i in range(400))
    with pytest.raises(BadPlan, match=r"10,667,001 terms and 2,000,000 fit: use degree 2"):
        ht.Family(name="f", columns=("b0",), variables=names, coefficients=len, degree=3, l1=1, l2=1)


def test_too_many_monomials_of_a_named_family_say_which_degree_fits():
    attributes = {f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(60)}
    wide = ht.Domain.from_dict({"table": "t", "attributes": attributes})
    with pytest.raises(BadPlan, match="the largest degree that fits is 5"):
        ht.plan(wide, rows=100, workload="polynomials(family=any_of, width=12, degree=8)", budget=PURE)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("polynomials()", "polynomials takes family, width, degree, r, basis; given: nothing"),
        ("polynomials(family=none_of, width=3)", "no family 'none_of'"),
        ("polynomials(family=any_of)", "needs the most variables"),
        ("polynomials(family=any_of, width=3, degree=4)", "degree must be a whole number from 1 to the width 3"),
        ("polynomials(family=at_least, width=3)", "r goes with at_least"),
        ("polynomials(family=any_of, width=7)", "more than the domain's 6 attributes"),
        ("polynomials(family=any_of, width=3, basis=cosine)", "basis must be monomial"),
    ],
)
def test_bad_texts_get_one_line(text, said):
    with pytest.raises(BadPlan, match=said):
        ht.plan(DOMAIN, workload=text, budget=PURE)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("b0 AND b1", "nothing else; ask polynomial"),
        ("polynomial(b0, NOT b0)", "both 1 and 0"),
        ("polynomial(b9)", "no variable 'b9'"),
        ("polynomial(b0 = 1)", "is not a variable"),
        ("polynomial(b0, b1, b2, b3, b4)", "sets 5 variables to 1, and this synopsis answers up to 4"),
    ],
)
def test_bad_questions_get_one_line(question, said):
    with pytest.raises(BadQuestion, match=said):
        released("polynomials(family=any_of, width=4, degree=2)").ask(question)


@pytest.mark.parametrize("family", [3, ["any_of"]], ids=str)
def test_what_is_no_family_gets_one_line(family):
    with pytest.raises(BadPlan, match="family must be a name or a Family, not a"):
        ht.Polynomials(family)


def test_queries_as_a_matrix_and_as_text_agree(tmp_path):
    synopsis = released("polynomials(family=any_of, width=4, degree=2)")
    synopsis.save(tmp_path / "p.hush")
    loaded = ht.load(tmp_path / "p.hush")
    one, many_ = loaded.ask("polynomial(b0, NOT b1, b4)"), loaded.evaluate([[1, 0, 0, 0, 1, 0]])
    assert (one.value, one.stderr, one.bias) == (many_.value[0], many_.stderr[0], many_.bias[0])
    assert any("b2" in note for note in one.notes)
    for wrong in ([[1, 0]], [[2, 0, 0, 0, 0, 0]], [1, 0, 0, 0, 0, 0]):
        with pytest.raises(BadQuestion):
            loaded.evaluate(wrong)
    with pytest.raises(BadQuestion, match="no family of polynomials"):
        released("marginals(width=2)").evaluate([[1]])


def test_a_family_of_ones_own_is_saved_with_its_terms_and_needs_no_code(tmp_path):
    synopsis = released(ht.Polynomials(lemma_11(truth=None)))
    synopsis.save(tmp_path / "own.hush")
    loaded = ht.load(tmp_path / "own.hush")
    queries = np.array([q for q in product((0, 1), repeat=6) if sum(q) <= 4])
    assert np.array_equal(loaded.evaluate(queries).value, synopsis.evaluate(queries).value)
    assert "sha256" in synopsis.workload


@pytest.mark.parametrize("relation", ["replace", "add-remove"])
def test_the_standard_error_is_that_of_repeated_releases(relation):
    """Of 400 releases: within 5 standard errors of its own estimate, which rejects noise 25% off."""
    domain = ht.Domain.from_dict(DOMAIN.to_dict() | {"neighbours": relation})
    plan = ht.plan(
        domain, rows=700, workload="polynomials(family=any_of, width=4, degree=2)", budget=ht.Budget(epsilon=50)
    )
    vault = ht.Vault(TABLE, domain)
    seen = [vault.release(plan, randomness=ht.Simulated(s)).ask("polynomial(b0, b1, b2)") for s in range(400)]
    spread, stated = np.std([a.value for a in seen]), np.mean([a.stderr for a in seen])
    assert abs(spread / stated - 1) < 0.25


def test_bars_hold_where_the_bias_is_as_large_as_it_can_be():
    """All rows have one 1, where Chebyshev's polynomial is off by all of gamma: 97.5% of intervals hold, no fewer.

    2,000 releases: a share below 0.957 has a chance of 1e-6 where 0.975 is true, and of 1 - 1e-9 where 0.93 is.
    """
    worst = pa.table({name: [i % 6 == j for i in range(6000)] for j, name in enumerate(NAMES)})
    plan = ht.plan(
        DOMAIN, rows=6000, workload="polynomials(family=any_of, width=6, degree=3)", budget=ht.Budget(epsilon=8)
    )
    vault, held = ht.Vault(worst, DOMAIN), 0
    for seed in range(2000):
        answer = vault.release(plan, randomness=ht.Simulated(seed)).ask("polynomial(b0, b1, b2, b3, b4, b5)")
        low, high = answer.interval(0.95)
        held += low <= 1.0 <= high
    assert answer.bias > 0.1
    assert 0.957 < held / 2000 < 0.99


def test_a_share_of_rows_that_may_be_none_is_anything():
    """Fieller's interval: wider upwards where the number of rows is noisy, and all of 0 to 1 where it may be 0."""
    from hushtable.models.limits import OfNoisyRows

    def ends(rows, confidence=0.95):
        given = {"value": np.array([0.3]), "stderr": np.array([0.08]), "kurtosis": np.zeros(1), "bias": np.zeros(1)}
        low, high = OfNoisyRows(**given, rows=rows, spread=40.0, constant=0.1)(confidence)
        return float(low[0]), float(high[0])

    low, high = ends(200.0)
    assert low < 0.3 < high
    assert high - 0.3 > 0.3 - low
    assert ends(60.0) == (0.0, 1.0)
