"""Set before read: whether a function's code could read a variable of its own that it has not set."""

from __future__ import annotations

import dis
import re
from types import CodeType

__all__ = ["unset_name"]

# What an instruction does to variables; some of newer Pythons do two of these.
PARTS = re.compile(r"(LOAD|STORE|DELETE)_(?:FAST|DEREF|CLOSURE)")
# Reads what may be unset and clears it: how newer Pythons keep a variable of the same name around a comprehension.
CLEARS = "LOAD_FAST_AND_CLEAR"
ALWAYS = ("JUMP_FORWARD", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT", "JUMP_ABSOLUTE")
LAST = ("RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE")


def unset_name(code: CodeType) -> str | None:
    """A variable that may be read before it is set, on some path through the code; None where there is none.

    Python stops there with an error; machine code reads whatever lies in its place.
    """
    steps = list(dis.get_instructions(code))
    place = {step.offset: number for number, step in enumerate(steps)}
    own = {*code.co_varnames, *code.co_cellvars}
    arguments = code.co_argcount + code.co_kwonlyargcount
    # What is surely set before each step; a step that was not come to has none.
    known: list[frozenset[str] | None] = [None] * len(steps)
    known[0] = frozenset(code.co_varnames[:arguments])
    caught = [
        (entry.start, entry.end, place[entry.target])
        for entry in dis.Bytecode(code).exception_entries  # type: ignore[attr-defined]
    ]
    waiting = [0]
    while waiting:
        number = waiting.pop()
        step, before = steps[number], known[number]
        assert before is not None
        name, after = _through(step, before, own)
        if name is not None:
            return name
        following = [(target, before) for start, end, target in caught if start <= step.offset < end]
        following += [(target, after) for target in _next(step, number, place)]
        for target, there in following:
            earlier = known[target]
            now = there if earlier is None else earlier & there
            if now != earlier:
                known[target] = now
                waiting.append(target)
    inner = (unset_name(const) for const in code.co_consts if isinstance(const, CodeType))
    return next((name for name in inner if name is not None), None)


def _through(step: dis.Instruction, known: frozenset[str], own: set[str]) -> tuple[str | None, frozenset[str]]:
    """What a step reads that is not set, if anything; and what is set after it."""
    names = step.argval if isinstance(step.argval, tuple) else (step.argval,)
    if step.opname == CLEARS:
        return None, known - set(names)
    for what, name in zip(PARTS.findall(step.opname), names, strict=False):
        if name not in own:  # a variable of the function around, which was set where this one was made
            continue
        if what == "STORE":
            known |= {name}
        elif name not in known:
            return str(name), known
        elif what == "DELETE":
            known -= {name}
    return None, known


def _next(step: dis.Instruction, number: int, place: dict[int, int]) -> list[int]:
    following = []
    if step.opcode in (*dis.hasjrel, *dis.hasjabs):
        following.append(place[step.argval])
    if step.opname not in (*ALWAYS, *LAST):
        following.append(number + 1)
    return following
