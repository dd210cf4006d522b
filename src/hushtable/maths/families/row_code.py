"""Row code: user code as machine code that can read nothing but the row it is given and public numbers."""

from __future__ import annotations

import builtins
import dis
import math
import re
from collections.abc import Callable, Iterator
from types import CellType, CodeType, FunctionType
from typing import Any
from weakref import WeakSet

import numpy as np

from ...errors import BadPlan
from ...words import shortened
from .set_before_read import unset_name
from .sized_alike import unsized

__all__ = ["compiled_alone", "refuse_unset"]

# By these, code could remember something from one row to the next, or say of a row what nobody should read.
REMEMBER = frozenset({"random", "objmode", "print", "open", "input"})
# These give memory that nothing was written to, or read beyond what they are given, whatever is checked: what lies
# there may be other people's rows.
UNSET = frozenset(
    {"empty", "empty_like", "ndarray", "flat", "as_strided", "sliding_window_view", "carray", "farray", "frombuffer",
     "ctypes", "data", "__array_interface__", "stride_tricks", "nditer", "fromiter", "resize"}
)  # fmt: skip
# Those of them that a function in plain Python is refused for.
PLAINLY_UNSET = ("empty", "empty_like", "ndarray")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# All that compiled code may name: whatever is left out has not been read for what it could read.
OF_PYTHON = _words(
    """abs all any bool divmod enumerate float int len list max min pow range reversed round sorted sum tuple zip"""
)
OF_NUMBERS = _words(
    """abs absolute add all any arange argmax argmin array asarray bitwise_and bitwise_or bitwise_xor bool_ cbrt
    ceil clip concatenate copy cos count_nonzero cumprod cumsum diff divide dot e equal exp expm1 eye fabs
    flatten flip float32 float64 floor floor_divide fmax fmin full full_like greater greater_equal hstack hypot
    identity inf int16 int32 int64 int8 intp invert isfinite isinf isnan left_shift less less_equal linspace log
    log10 log1p log2 logical_and logical_not logical_or logical_xor max maximum mean min minimum mod multiply
    nan ndim negative nonzero not_equal ones ones_like outer pi power prod ravel remainder reshape right_shift
    rint round round_ shape sign sin size sort sqrt square stack std subtract sum tan tanh transpose true_divide
    trunc uint16 uint32 uint64 uint8 var vstack where zeros zeros_like"""
)
OF_MATHS = _words(
    """ceil cos e exp expm1 fabs floor gcd inf isfinite isinf isnan log log10 log1p log2 nan pi pow sin sqrt tan
    tanh trunc"""
)
# What lists and arrays are asked for, beside the above.
OF_VALUES = _words("""T append astype count extend index insert pop reverse""")
ATTRIBUTES = OF_NUMBERS | OF_MATHS | OF_VALUES
REACH_IN = ("LOAD_ATTR", "LOAD_METHOD")
FROM_OUTSIDE = ("LOAD_GLOBAL", "LOAD_NAME")
# Sets and dictionaries are read while they change.
LOOSE = ("BUILD_SET", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "SET_ADD", "MAP_ADD", "SET_UPDATE", "DICT_UPDATE")
# How numba paints its messages.
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
SHOWN = 200
# What was made here, which need not be made again where another function calls it.
COMPILED: WeakSet[Any] = WeakSet()


def compiled_alone(what: str, given: Callable[..., Any], types: tuple[Any, ...]) -> Any:
    """A function, and all that it calls, as machine code for arguments of these types, with every index checked.

    BadPlan where it names anything that could remember, or read memory that is not its own; TypeError where it does not
    compile, or names what nobody has read for that, with what it was.
    """
    function = _rebuilt(what, given, {})
    try:
        function.compile(types)
    except Exception as error:  # numba's own, of many kinds
        raise TypeError(shortened(" ".join(COLOURS.sub("", str(error)).split()), SHOWN)) from None
    if (done := unsized(function)) is not None:
        raise BadPlan(f"{what}: its code {done}, since what lies beyond the shorter one may be of other rows")
    return function


def refuse_unset(what: str, given: Any) -> None:
    """BadPlan where code names what gives memory that nobody wrote to, though it is run as plain Python.

    Python that sees public cells alone still runs where rows were, or will be.
    """
    for code, function in _codes(_plain(given), set()):
        for opname, name in _names(code):
            value = getattr(np, name, None) if opname in REACH_IN else _outside(function, name)
            for reached in (value, *_around(function)):
                if any(reached is getattr(np, unset) for unset in PLAINLY_UNSET):
                    raise BadPlan(_unset(what, reached.__name__))


def _rebuilt(what: str, given: Any, made: dict[int, Any]) -> Any:
    """A copy of a function that calls copies of what it calls, each compiled by us: numba leaves to every function
    whether its own indices are checked, and one that was compiled before is used as it is."""
    import numba

    if given in COMPILED:
        return given
    function = _plain(given)
    if id(function) in made:
        if made[id(function)] is None:
            raise BadPlan(f"{what}: {function.__name__!r} calls itself, which may not end for some row; use a loop")
        return made[id(function)]
    if not isinstance(function, FunctionType):
        raise TypeError(f"it is a {type(function).__name__}, and no function written in Python")
    made[id(function)] = None
    _check_code(what, function)
    outside = dict(function.__globals__)
    for name in _reached(function.__code__):
        value = _outside(function, name)
        if _is_function(value):
            outside[name] = _rebuilt(what, value, made)
    cells = [CellType(_rebuilt(what, v, made) if _is_function(v) else v) for v in _around(function)]
    copy = FunctionType(function.__code__, outside, function.__name__, function.__defaults__, tuple(cells))
    copy.__kwdefaults__, copy.__module__, copy.__qualname__ = (
        function.__kwdefaults__, function.__module__, function.__qualname__,
    )  # fmt: skip
    made[id(function)] = numba.njit(boundscheck=True)(copy)
    COMPILED.add(made[id(function)])
    return made[id(function)]


def _check_code(what: str, function: FunctionType) -> None:
    """BadPlan or TypeError unless the function names nothing but what is known to keep to its arguments."""
    if (name := unset_name(function.__code__)) is not None:
        raise BadPlan(
            f"{what}: its code may read {name!r} before it is set, and what lies there may be of other rows; set it "
            "first"
        )
    defaults = *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()
    for value in (*_around(function), *defaults):
        _check_value(what, "a variable around it", value)
    for code in _inside(function.__code__):
        for opname, name in _names(code):
            if opname in FROM_OUTSIDE:
                _check_value(what, name, _outside(function, name))
            elif opname in REACH_IN:
                if name not in ATTRIBUTES:
                    _refuse(what, name)
            else:
                raise TypeError(f"its code does {opname.lower()}, where only numbers, lists and arrays are known to do")


def _check_value(what: str, name: str, value: Any) -> None:
    """BadPlan or TypeError where code that reads this from outside could read more than its arguments."""
    true_name = str(getattr(value, "__name__", name)).split(".")[-1]
    if isinstance(getattr(value, "__self__", None), np.random.RandomState | np.random.Generator):
        true_name = "random"
    usual = value is np or value is math or _is_function(value) or _is_constant(value)
    known = [(builtins, OF_PYTHON), (np, OF_NUMBERS), (math, OF_MATHS)]
    listed = any(value is getattr(module, own, None) for module, names in known for own in names)
    if not (usual or listed or (isinstance(value, type) and issubclass(value, Exception))):
        _refuse(what, true_name if true_name in REMEMBER | UNSET else name)


def _refuse(what: str, name: str) -> None:
    """BadPlan for a name that could let rows tell of each other; TypeError for one that is not known not to."""
    if name in REMEMBER:
        raise BadPlan(
            f"{what}: its code names {name!r}, by which one row could change what is said of the next; use whole "
            "numbers and arrays alone"
        )
    if name in UNSET:
        raise BadPlan(_unset(what, name))
    raise TypeError(f"its code names {name!r}, which is not among what compiled code may use")


def _unset(what: str, name: str) -> str:
    return f"{what}: its code names {name!r}, which reads memory that may hold other rows; use zeros, ones or full"


def _is_constant(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "biuf"
    if isinstance(value, tuple):
        return all(_is_constant(part) for part in value)
    return value is None or isinstance(value, bool | int | float | str | np.number | np.bool_)


def _is_function(value: Any) -> bool:
    """Whether it is written in Python and no part of numpy, which numba knows by itself."""
    plain = _plain(value)
    return isinstance(plain, FunctionType) and not str(plain.__module__).startswith("numpy")


def _around(function: FunctionType) -> list[Any]:
    """The variables of functions around it, as they are now; None for one that is not set yet."""
    out = []
    for cell in function.__closure__ or ():
        try:
            out.append(cell.cell_contents)
        except ValueError:
            out.append(None)
    return out


def _plain(value: Any) -> Any:
    return getattr(value, "py_func", value)


def _inside(code: CodeType) -> Iterator[CodeType]:
    """The code and that of functions within it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, CodeType):
            yield from _inside(const)


def _names(code: CodeType) -> Iterator[tuple[str, str]]:
    """The instructions that name something beside the variables of the function, or build what is loose."""
    for step in dis.get_instructions(code):
        if step.opcode in dis.hasname or step.opname in LOOSE:
            yield step.opname, str(step.argval)


def _reached(code: CodeType) -> set[str]:
    return {name for own in _inside(code) for opname, name in _names(own) if opname in FROM_OUTSIDE}


def _outside(function: Any, name: str) -> Any:
    """What a name that is none of the function's own stands for; None where nothing does, which does not compile."""
    return function.__globals__.get(name, getattr(builtins, name, None))


def _codes(function: Any, seen: set[int]) -> Iterator[tuple[CodeType, FunctionType]]:
    """The code of a function and of those that it calls, as far as they are written in Python."""
    if not isinstance(function, FunctionType) or id(function) in seen:
        return
    seen.add(id(function))
    for code in _inside(function.__code__):
        yield code, function
    for value in (*_around(function), *(_outside(function, name) for name in _reached(function.__code__))):
        yield from _codes(_plain(value), seen)
