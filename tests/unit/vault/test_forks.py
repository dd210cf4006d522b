"""Forks: no two processes ever draw the same random bytes, whatever was drawn before they parted."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import hushtable
from hushtable.vault.door.randomness import Randomness, SystemRandomness

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
SOURCE = str(Path(hushtable.__file__).parents[1])

# In a fresh process, which has no threads that a fork would lose. Every process draws after it was forked, from what
# was made and used before; children of children too. What each drew is a line of hexadecimal digits.
FORKING = """
import os, sys
from fractions import Fraction
import numpy as np
from hushtable.laws import Law
from hushtable.maths.interactions.layout import CoordinateNoise
from hushtable.vault.door.samplers import laplace, sample
from hushtable.vault.door.randomness import SystemRandomness
{planted}
source = {source}
draws = {{
    "bytes": lambda: bytes(source.bytes(32)),
    "words": lambda: source.words(4).tobytes(),
    "laplace": lambda: laplace(Fraction(2**40), 4, source).tobytes(),
    "gaussian": lambda: sample(
        CoordinateNoise(law=Law.GAUSSIAN, table=(Fraction(2**80),), index=np.zeros(4, dtype=np.int32)), source
    ).tobytes(),
}}
draw = draws[sys.argv[1]]
draw()
depth = 0
for _ in range(4):
    child = os.fork()
    if child == 0:
        depth += 1
    os.write(1, (draw().hex() + "\\n").encode())
    if child:
        os.waitpid(child, 0)
if depth:
    os._exit(0)
"""
BUFFERED = """
class Buffered(SystemRandomness):
    __slots__ = ("kept",)
    def __init__(self):
        self.kept = b""
    def bytes(self, count):
        if len(self.kept) < count:
            self.kept = os.urandom(max(count, 4096))
        drawn, self.kept = self.kept[:count], self.kept[count:]
        return np.frombuffer(drawn, dtype=np.uint8)
"""
KINDS = ("bytes", "words", "laplace", "gaussian")


def drawn_by_forks(kind: str, *, source: str = "SystemRandomness()", planted: str = "") -> list[str]:
    code = FORKING.format(source=source, planted=planted)
    out = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code, kind],
        env=os.environ | {"PYTHONPATH": SOURCE},
        check=True,
        capture_output=True,
        text=True,
    )
    return out.stdout.split()


@pytest.mark.parametrize("kind", KINDS)
def test_no_two_processes_draw_the_same(kind: str) -> None:
    """16 processes and 30 draws of 128 bits or more (noise: of four numbers of 40): equal with a chance of 1e-35."""
    drawn = drawn_by_forks(kind)
    assert len(drawn) == 30
    assert len(set(drawn)) == 30


@pytest.mark.parametrize("kind", KINDS)
def test_a_buffer_that_a_fork_shares_is_seen(kind: str) -> None:
    drawn = drawn_by_forks(kind, source="Buffered()", planted=BUFFERED)
    assert len(set(drawn)) < len(drawn)


def private_sources(kind: type[Randomness] = Randomness) -> list[type[Randomness]]:
    found = [kind] if getattr(kind, "private", False) and kind.__module__.startswith("hushtable.") else []
    return found + [one for below in kind.__subclasses__() for one in private_sources(below)]


def test_private_randomness_has_no_room_for_a_buffer() -> None:
    assert private_sources() == [SystemRandomness]
    source = SystemRandomness()
    for kept in ("kept", "buffer", "_pool"):
        with pytest.raises(AttributeError):
            setattr(source, kept, b"drawn ahead")
    assert not hasattr(source, "__dict__")


@pytest.mark.parametrize("count", [1, 7, 64, 5000])
def test_every_call_asks_the_system_for_just_what_it_returns(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real: Callable[[int], bytes] = os.urandom

    def urandom(size: int) -> bytes:
        asked.append(size)
        return real(size)

    monkeypatch.setattr(os, "urandom", urandom)
    source = SystemRandomness()
    drawn: list[NDArray[np.uint8]] = [source.bytes(count) for _ in range(3)]
    assert asked == [count] * 3
    assert [len(one) for one in drawn] == asked
