"""Worker: another process that does what this one must not, spoken to over a socket that only the two have."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

from .problems import BadServer, TooBusy

__all__ = ["Failure", "Worker", "environment", "lines_from", "send_line"]

LONGEST_LINE = 64_000_000


class Failure(BadServer):
    """What the other process says went wrong; `said` is its error, which goes on as it is."""

    def __init__(self, said: dict[str, Any]) -> None:
        super().__init__(str(said.get("message", "the other process failed")))
        self._said = said

    def to_dict(self) -> dict[str, Any]:
        return dict(self._said)

    @property
    def kind(self) -> str:
        """The name of the error over there."""
        return str(self._said.get("kind", ""))


class Worker:
    """`python -m MODULE`, which reads lines of JSON and answers each with one; begun again when it dies.

    Whoever asked when it died asks again: nothing that such a process does may be harmed by being done twice.
    """

    def __init__(self, module: str, begin: dict[str, Any], *, start_seconds: float | None, seconds: float) -> None:
        self._module, self._begin, self._start_seconds, self._seconds = module, begin, start_seconds, seconds
        self._mutex = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: Iterator[dict[str, Any]] = iter(())
        self._socket: socket.socket | None = None

    def start(self) -> dict[str, Any]:
        """Begins the process; what it says first."""
        with self._mutex:
            return self._started()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """The answer to one request; Failure where the process says no, TooBusy where it takes too long."""
        with self._mutex:
            for _ in range(2):
                if self._process is None or self._process.poll() is not None:
                    self._started()
                answer = self._talk(request, self._seconds)
                if answer is not None:
                    return answer
                self._stop()
        raise BadServer("the process behind this stopped twice; nothing that was paid for is lost, try again later")

    def close(self) -> None:
        """Ends it. The process notices, and closes what it has open."""
        with self._mutex:
            self._stop(gently=True)

    @property
    def pid(self) -> int | None:
        """The number of the process, while there is one."""
        return None if self._process is None else self._process.pid

    def _started(self) -> dict[str, Any]:
        self._stop()
        ours, theirs = socket.socketpair()
        with theirs:
            command = [sys.executable, "-m", self._module, str(theirs.fileno())]
            self._process = subprocess.Popen(
                command, pass_fds=(theirs.fileno(),), stdin=subprocess.DEVNULL, env=environment()
            )
        self._socket, self._lines = ours, lines_from(ours)
        first = self._talk(self._begin, self._start_seconds)
        if first is None:
            raise BadServer(f"the process {self._module} did not start")
        return first

    def _talk(self, request: dict[str, Any], seconds: float | None) -> dict[str, Any] | None:
        """One line there and one back; None where the process is gone."""
        assert self._socket is not None
        self._socket.settimeout(seconds)
        try:
            send_line(self._socket, request)
            answer = next(self._lines, None)
        except TimeoutError:
            self._stop()
            raise TooBusy(f"that took longer than {seconds:g} seconds; ask for less") from None
        except OSError:
            return None
        if answer is not None and "error" in answer:
            raise Failure(answer["error"])
        return answer

    def _stop(self, *, gently: bool = False) -> None:
        if self._socket is not None:
            self._socket.close()
        if self._process is not None:
            if gently:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._process.wait(timeout=10)
            self._process.kill()
            self._process.wait()
        self._process, self._socket = None, None


def lines_from(connection: socket.socket) -> Iterator[dict[str, Any]]:
    """Lines of JSON until the other side is gone."""
    kept = b""
    while True:
        while b"\n" not in kept:
            more = connection.recv(1 << 16)
            if not more or len(kept) > LONGEST_LINE:
                return
            kept += more
        line, _, kept = kept.partition(b"\n")
        yield json.loads(line)


def send_line(connection: socket.socket, value: dict[str, Any]) -> None:
    """One value as one line."""
    connection.sendall(json.dumps(value, allow_nan=False).encode() + b"\n")


def environment() -> dict[str, str]:
    """What a process of our own finds around it."""
    # The same package there as here, also where it was not installed but found by a path.
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
