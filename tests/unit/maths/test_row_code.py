"""Code of one's own that is compiled reads its row and public numbers, and nothing else: planted, one by one."""

import math
from math import sqrt as root

import numba
import numpy as np
import pytest
from numpy import empty as zeroed

from hushtable.errors import BadPlan
from hushtable.maths.families.row_code import compiled_alone, refuse_unset
from hushtable.maths.families.set_before_read import unset_name

ROW = numba.types.Array(numba.types.int64, 1, "C")
ROWS = [np.array(row, dtype=np.int64) for row in ([0, 0, 0], [1, 2, 3], [7, 0, 1])]
WEIGHTS = np.array([3, 1, 2])
SEEN = []


def compiled(function):
    return compiled_alone("planted", function, (ROW,))


# Good code, of the kinds that people write: compiled, it says what Python says.


def weighed(row):
    total = 0
    for place in range(len(row)):
        part = WEIGHTS[place] * row[place]
        total += part
    return total


@numba.njit
def half(number):
    return number // 2


def calls_others(row):
    return half(weighed(row)) + max([abs(number) for number in [row[0], -row[1]]])


def lists(row):
    kept = [value for value in row if value > 0]
    kept.append(5)
    return sum(kept) + len(kept[1:])


def arrays(row):
    out = np.zeros(len(row), dtype=np.int64)
    out[row > 1] = 1
    return int(np.sum(out.reshape((len(row), 1)) * root(4)) + math.floor(row.mean()))


def branches(row):
    if row[0] == 0:
        said = 1
    elif row[0] == 1:
        said = 2
    else:
        raise ValueError
    while said < 10:
        more = said + 1
        said = more
    return said


def catches(row):
    try:
        said = row[row[0]]
    except Exception:
        said = -1
    return said


@pytest.mark.parametrize("good", [weighed, calls_others, lists, arrays, branches, catches], ids=lambda f: f.__name__)
def test_usual_code_compiles_and_says_what_python_says(good):
    made = compiled(good)
    for row in ROWS[:2]:
        assert made(row) == good(row)


def test_what_is_called_is_the_variable_around_it_too():
    def around(row):
        return half(row[2]) + bonus

    bonus = 3
    assert compiled(around)(ROWS[1]) == 4


# Planted: reading what nobody wrote.


def unwritten(row):
    return np.empty(4, np.int64)[row[0]]


def unwritten_by_another_name(row):
    return zeroed(4, np.int64)[row[0]]


def unwritten_like(row):
    return np.empty_like(row)[0]


def unwritten_deeper(row):
    return weighed(row) + unwritten(row)


def unwritten_around():
    made = np.empty

    def inner(row):
        return made(len(row))[0]

    return inner


def unwritten_within(row):
    return sum([np.empty(2)[0] for _ in range(2)])


def unwritten_shape(row):
    return np.ndarray((3,), np.int64)[0]


@pytest.mark.parametrize(
    "planted",
    [unwritten, unwritten_by_another_name, unwritten_like, unwritten_deeper, unwritten_around(), unwritten_within,
     unwritten_shape],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_unwritten_memory_is_refused_compiled_and_plain(planted):
    for refusing in (compiled, lambda function: refuse_unset("planted", function)):
        with pytest.raises(BadPlan, match="which reads memory that may hold other rows; use zeros, ones or full") as no:
            refusing(planted)
        assert "\n" not in str(no.value)


def unset_on_a_branch(row):
    if row[0] > 5:
        said = 1
    return said


def unset_after_a_loop(row):
    for place in range(row[0]):
        said = place
    return said


def unset_after_an_error(row):
    try:  # noqa: SIM105
        said = row[9]
    except Exception:
        pass
    return said


def unset_again(row):
    said = row[1]
    if row[0] == 0:
        del said
    return said


def unset_in_a_list(row):
    if row[0] > 5:
        said = 1
    return sum([said for _ in range(2)])


def unset_deeper(row):
    return unset_on_a_branch(row)


@pytest.mark.parametrize(
    "planted",
    [unset_on_a_branch, unset_after_a_loop, unset_after_an_error, unset_again, unset_in_a_list, unset_deeper],
    ids=lambda f: f.__name__,
)
def test_a_variable_that_may_not_be_set_is_refused(planted):
    with pytest.raises(BadPlan, match="may read 'said' before it is set") as no:
        compiled(planted)
    assert "\n" not in str(no.value)


def test_numba_alone_would_run_it():
    """The fault is real: machine code says something where Python stops."""
    assert isinstance(int(numba.njit(boundscheck=True)(unset_on_a_branch)(ROWS[0])), int)
    with pytest.raises(UnboundLocalError):
        unset_on_a_branch(ROWS[0])


def test_set_on_every_path_is_set():
    assert all(unset_name(good.__code__) is None for good in (weighed, lists, arrays, branches, catches))


# Planted: reading beyond the row.


def beyond(row):
    return row[len(row)]


def before(row):
    return row[-len(row) - 1]


@numba.njit(boundscheck=False)
def without_looking(row):
    return row[len(row)]


def beyond_by_another(row):
    return without_looking(row)


def beyond_by_many(row):
    return row[np.array([len(row)])][0]


def beyond_by_mask(row):
    return row[np.ones(len(row) + 2, np.bool_)].sum()


def beyond_in_a_table(row):
    return row.reshape((len(row), 1))[0, 1]


def beyond_by_writing(row):
    out = np.zeros(2)
    out[row[0] + 2] = 1
    return out[0]


BEYOND = [beyond, before, beyond_by_another, beyond_by_many, beyond_by_mask, beyond_in_a_table, beyond_by_writing]


@pytest.mark.parametrize("planted", BEYOND, ids=lambda f: f.__name__)
def test_every_index_is_checked(planted):
    with pytest.raises(IndexError):
        compiled(planted)(ROWS[0])


def test_numba_alone_would_not_check_what_is_called():
    """The fault is real: checking the outer function leaves the inner one as it was compiled."""
    checked = numba.njit(boundscheck=True)(beyond_by_another)
    assert isinstance(int(checked(ROWS[0])), int)


# Planted: reading beyond an array, since the one that is written to is longer.


def longer_in_place(row):
    out = np.zeros(9, np.int64)
    out += row
    return out.sum()


def longer_slice_in_place(row):
    out = np.zeros(9, np.int64)
    out[1:] -= row * 2
    return out.sum()


def longer_to_write_to(row):
    out = np.zeros(9, np.int64)
    np.add(row, row, out)
    return out.sum()


def longer_by_another_name(row):
    write = np.cos
    out = np.zeros(9)
    write(row, out)
    return out.sum()


def longer_by_many(row):
    given = (row, row, np.zeros(9, np.int64))
    return np.multiply(*given).sum()


def longer_outer(row):
    return np.outer(row, row, np.zeros((9, 9), np.int64)).sum()


@numba.njit
def added(out, row):
    out += row
    return out


def longer_deeper(row):
    return added(np.zeros(9, np.int64), row).sum()


LONGER = [longer_in_place, longer_slice_in_place, longer_to_write_to, longer_by_another_name, longer_by_many,
          longer_outer, longer_deeper]  # fmt: skip


@pytest.mark.parametrize("planted", LONGER, ids=lambda f: f.__name__)
def test_arrays_whose_sizes_nobody_compares_are_refused(planted):
    with pytest.raises(BadPlan, match="what lies beyond the shorter one may be of other rows") as no:
        compiled(planted)
    assert "\n" not in str(no.value)


@pytest.mark.parametrize("planted", LONGER[:-1], ids=lambda f: f.__name__)
def test_numba_alone_would_read_beyond_the_shorter(planted):
    """Python stops there; machine code says a number, whatever lies there."""
    assert np.isreal(numba.njit(boundscheck=True)(planted)(ROWS[1]))
    with pytest.raises(ValueError, match=r"shape|broadcast"):
        planted(ROWS[1])


def in_place_by_numbers(row):
    out = np.zeros(3, np.int64)
    out += 2
    out[1:] *= row[1]
    out[:] = out + row
    total = [1]
    total += [2]
    return int(np.add(out, row).sum() + np.outer(row, row).sum()) + sum(total)


def test_numbers_change_arrays_in_their_place():
    assert compiled(in_place_by_numbers)(ROWS[1]) == in_place_by_numbers(ROWS[1])


def flat(row):
    return row.flat[7]


# Planted: memory from row to row, and what is not known.


def by_chance(row):
    return np.random.randint(0, 2)


def told(row):
    print(row[0])
    return 0


@pytest.mark.parametrize("planted", [by_chance, told], ids=lambda f: f.__name__)
def test_what_could_remember_or_tell_is_refused(planted):
    with pytest.raises(BadPlan, match="by which one row could change what is said of the next"):
        compiled(planted)


def test_reading_an_array_by_another_way_is_refused():
    with pytest.raises(BadPlan, match="names 'flat', which reads memory that may hold other rows"):
        compiled(flat)


def kept(row):
    SEEN.append(row[0])
    return len(SEEN)


def sets(row):
    return len({row[0], row[1]})


def reaches(row):
    return getattr(np, "zeros")(2)[0]  # noqa: B009


def imports(row):
    import numpy

    return numpy.zeros(2)[0]


def reshaped(row):
    row.shape = (9,)
    return row[8]


def endless(row):
    return endless(row) if row[0] else 0


class Callable:
    def __call__(self, row):
        return row[0]


@pytest.mark.parametrize(
    "planted", [kept, sets, reaches, imports, reshaped, Callable()], ids=lambda f: getattr(f, "__name__", "object")
)
def test_what_is_not_known_does_not_compile(planted):
    with pytest.raises(TypeError, match=r"names|does|is a Callable"):
        compiled(planted)


def test_code_that_calls_itself_is_refused():
    """It may run out of room for some row alone, which ends the process."""
    with pytest.raises(BadPlan, match="'endless' calls itself"):
        compiled(endless)
