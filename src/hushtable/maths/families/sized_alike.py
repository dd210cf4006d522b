"""Sized alike: whether compiled code could read beyond an array, because another one that it works on is longer.

Numba compares the sizes of arrays wherever it makes the array of the answer itself. Where it is handed one to write to,
as by `a += b` or `numpy.add(a, b, out)`, it goes through all of that one and reads the others beyond their ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["unsized"]

OUTER = 2
# Numba's types of arguments that are not given.
LEFT_OUT = ("Omitted", "NoneType")


def unsized(function: Any) -> str | None:
    """What a compiled function, or one that it calls, does with arrays whose sizes nobody compares, and what to write
    instead; None where it does no such thing."""
    from numba.core import ir, types

    waiting, seen = [function], set[int]()
    while waiting:
        own = waiting.pop()
        if id(own) in seen:
            continue
        seen.add(id(own))
        for compiled in own.overloads.values():
            typed = compiled.type_annotation
            for step, signature in typed.calltypes.items():
                if not isinstance(step, ir.Expr):
                    continue
                if step.op == "inplace_binop":
                    if all(isinstance(typed.typemap[side.name], types.Array) for side in (step.lhs, step.rhs)):
                        return "changes an array by another one in its place; write a = a + b for a += b"
                elif step.op == "call":
                    called = typed.typemap[step.func.name]
                    if isinstance(called, types.Dispatcher):
                        waiting.append(called.dispatcher)
                    elif _written_to(getattr(called, "typing_key", None), signature):
                        return "gives a function of numpy an array to write to; leave that out and take what it returns"
    return None


def _written_to(called: Any, signature: Any) -> bool:
    """Whether a function of numpy is given more than what it reads."""
    inputs = called.nin if isinstance(called, np.ufunc) else OUTER if called is np.outer else None
    if inputs is None:
        return False
    return sum(type(kind).__name__ not in LEFT_OUT for kind in signature.args) > inputs
