"""Randomness: where the random bytes of the noise come from."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

__all__ = ["Randomness", "Simulated", "SystemRandomness"]


class Randomness(ABC):
    """A stream of independent uniform bytes. What is released with it protects somebody only if `private`."""

    __slots__ = ()

    private: ClassVar[bool]

    @abstractmethod
    def bytes(self, count: int) -> NDArray[np.uint8]:
        """The next `count` bytes; the array may be read-only."""

    def words(self, count: int) -> NDArray[np.uint64]:
        """The next `count` words of 64 bits."""
        return self.bytes(8 * count).view("<u8")


class SystemRandomness(Randomness):
    """The operating system's cryptographic generator: no seed, and no state here.

    Bytes that are drawn ahead and kept would be the same in a process and in its fork, and so would the noise of both:
    no instance has room for any.
    """

    __slots__ = ()

    private = True

    def bytes(self, count: int) -> NDArray[np.uint8]:
        """The next `count` bytes of `os.urandom`."""
        return np.frombuffer(os.urandom(count), dtype=np.uint8)


class Simulated(Randomness):
    """Not private: whoever knows the seed can subtract the noise. For tests and demonstrations.

    The same seed and the same calls give the same bytes on every machine.
    """

    private = False

    def __init__(self, seed: int) -> None:
        self._generator = np.random.PCG64(seed)

    def bytes(self, count: int) -> NDArray[np.uint8]:
        """The next `count` bytes of a PCG64 stream."""
        # Raw words: numpy promises their stream for ever, and not the one of `Generator.bytes`.
        words = self._generator.random_raw(-(-count // 8))
        return np.asarray(words, dtype="<u8").view(np.uint8)[:count]
