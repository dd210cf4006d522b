"""Totals that tests send to Spark's workers: many statistics at once, readings row by row, and workers that fail."""

import os
import signal
import time
from pathlib import Path

import numpy as np
import pyarrow as pa

from hushtable.domain import Domain
from hushtable.vault.coding import encode, encode_rules, read_keys, real_numbers
from hushtable.vault.statistics.base import Statistic


class Several:
    """Many statistics in one pass, their sums one after the other."""

    def __init__(self, statistics):
        self.statistics = statistics

    def columns(self, domain):
        return tuple(domain.names)

    def read(self, batch, domain):
        return [s.read(batch.select(list(s.columns(domain))), domain) for s in self.statistics]

    def zeros(self):
        return np.concatenate([s.zeros() for s in self.statistics])

    def accumulate(self, blocks):
        return np.concatenate([s.accumulate(b) for s, b in zip(self.statistics, blocks, strict=True)])


class SeveralOfCodes(Several):
    """The same for statistics of codes alone, which are held on the workers."""

    columns, read = Statistic.columns, Statistic.read

    def accumulate(self, codes):
        return np.concatenate([s.accumulate(codes) for s in self.statistics])


def readings(batch, domain: Domain) -> list:
    """One entry a row: all that the program makes of it."""
    columns = {a: batch.column(a.name) for a in domain.attributes}
    closed = [encode(a, columns[a]) for a in domain.closed]
    pay, url, choice = (next(a for a in columns if a.name == name) for name in ("pay", "url", "choice"))
    numbers = np.nan_to_num(real_numbers(pay, columns[pay]), nan=-1.0)
    keys = read_keys([url], pa.record_batch({"url": columns[url]})).to_pylist()
    lists = encode_rules(choice, columns[choice])
    return list(zip(*(c.tolist() for c in closed), numbers.tolist(), keys, *lists.tolist(), strict=True))


class ByPlace(dict):
    """Which row says what; rows of two blocks are those of both."""

    def __iadd__(self, other):
        assert not set(self) & set(other)
        self.update(other)
        return self

    def keyed(self):
        values = pa.array([repr(value).encode() for value in self.values()], pa.binary())
        return pa.array([key.encode() for key in self], pa.binary()), values, np.ones(len(self), dtype=np.int64)

    def add_keyed(self, keys, values, counts):
        assert (counts == 1).all()
        self.update(zip((key.decode() for key in keys.to_pylist()), values.to_pylist(), strict=True))


class RowByRow:
    """What workers make of every row, by the `place` that a column of its own names."""

    def columns(self, domain):
        return (*domain.names, "place")

    def read(self, batch, domain):
        return dict(zip(batch.column("place").to_pylist(), readings(batch, domain), strict=True))

    def zeros(self):
        return ByPlace()

    def accumulate(self, codes):
        return ByPlace(codes)


class Troubled:
    """A statistic whose first attempt on some worker meets with trouble, once; then all goes well."""

    columns, read = Statistic.columns, Statistic.read

    def __init__(self, statistic, trouble: str, folder: Path):
        self.statistic, self.trouble, self.folder = statistic, trouble, folder

    def zeros(self):
        return self.statistic.zeros()

    def accumulate(self, codes):
        if codes.shape[1] and first_time(self.folder):
            TROUBLE[self.trouble]()
        return self.statistic.accumulate(codes)


class Raced:
    """A statistic one of whose tasks waits until Spark has started a second copy of it; then either may come first.

    Attempts leave files of their names, by which they see each other and the test sees both.
    """

    columns, read = Statistic.columns, Statistic.read

    def __init__(self, statistic, first: str, folder: Path):
        self.statistic, self.first, self.folder = statistic, first, folder

    def zeros(self):
        return self.statistic.zeros()

    def accumulate(self, codes):
        from pyspark import TaskContext

        task = TaskContext.get()
        if task is not None and task.partitionId() == 0 and codes.shape[1]:
            (self.folder / f"attempt {task.attemptNumber()}").touch()
            if task.attemptNumber() == 0:
                wait_for(self.folder / "attempt 1")
            if (self.first == "the copy") == (task.attemptNumber() == 0):
                wait_for(self.folder / "summed")
                time.sleep(2)  # the other one's output is on its way
            sums = self.statistic.accumulate(codes)
            (self.folder / "summed").touch()
            return sums
        return self.statistic.accumulate(codes)


def wait_for(path: Path, most: float = 240) -> None:
    """Until it is there, or for so many seconds."""
    end = time.monotonic() + most
    while not path.exists() and time.monotonic() < end:
        time.sleep(0.05)


class DyingKeys:
    """Keys that travel in several batches, and a worker that dies, once, between the first and the second."""

    columns, read = Statistic.columns, Statistic.read

    def __init__(self, folder: Path):
        self.folder = folder

    def zeros(self):
        return _Keys(self.folder)

    def accumulate(self, codes):
        keys = _Keys(self.folder)
        keys.rows = codes.shape[1]
        return keys


class _Keys:
    def __init__(self, folder):
        self.folder, self.rows, self.found = folder, 0, {}

    def __iadd__(self, other):
        self.rows += other.rows
        return self

    def keyed(self):
        keys = pa.array([number.to_bytes(4, "big") for number in range(100_000)], pa.binary())
        counts = np.full(len(keys), self.rows, dtype=np.int64).view(_DiesOnce)
        counts.folder = self.folder
        return keys, None, counts

    def add_keyed(self, keys, values, counts):
        self.found |= dict(zip(keys.to_pylist(), counts.tolist(), strict=True))


class _DiesOnce(np.ndarray):
    def __getitem__(self, at):
        if isinstance(at, slice) and at.start and first_time(self.folder):
            time.sleep(0.5)  # the first batch is on its way
            os._exit(1)
        return np.asarray(self).__getitem__(at)


def first_time(folder: Path) -> bool:
    """Whether nobody was here before, on any worker."""
    try:
        (folder / "was here").touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def die() -> None:
    os._exit(1)


def kill_executor() -> None:
    """The process that this one's parent, which starts all Python workers, belongs to."""
    parent = Path(f"/proc/{os.getppid()}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[1]
    os.kill(int(parent), signal.SIGKILL)
    time.sleep(60)


def be_slow() -> None:
    time.sleep(20)


def raise_it() -> None:
    raise RuntimeError("a value: planted-value-7f3a")


TROUBLE = {"dies": die, "loses its executor": kill_executor, "is slow": be_slow, "raises": raise_it}
