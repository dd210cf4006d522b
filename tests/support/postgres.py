"""A real PostgreSQL for tests: a server in a temporary folder, as a user that is not root, until the tests end."""

import atexit
import os
import shutil
import socket
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from importlib.util import find_spec
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

PASSWORD = "planted-p@ss/word"
# Debian keeps the binaries of a server out of the way.
FOLDERS = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
# What the driver knows of a server, by address; none is closed while a connection may be open.
KNOWN: dict[str, Any] = {}


def missing() -> str:
    """Why there is no server here; empty where there is one."""
    if find_spec("adbc_driver_postgresql") is None:
        return "adbc-driver-postgresql is not installed (pip install 'hushtable[db]')"
    if _binary("initdb") is None:
        return "PostgreSQL is not installed (apt-get install postgresql)"
    if os.getuid() == 0 and _user() is None:
        return "PostgreSQL refuses to run as root, and there is no user postgres or nobody"
    return ""


def _binary(name: str) -> str | None:
    found = [str(folder / name) for folder in FOLDERS if (folder / name).exists()]
    return found[0] if found else shutil.which(name)


def _user() -> str | None:
    import pwd

    known = {entry.pw_name for entry in pwd.getpwall()}
    return next((name for name in ("postgres", "nobody") if name in known), None)


class Server:
    """One server; `address()` of its database for the owner of everything or for another user."""

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self.folder = Path(tempfile.mkdtemp(prefix="hush-pg-"))
        self._user = _user() if os.getuid() == 0 else None
        if self._user:
            shutil.chown(self.folder, self._user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        how = ["-D", str(self.folder / "data"), "-U", "owner", "--auth-local=trust", "--auth-host=scram-sha-256"]
        self._run("initdb", *how, "--encoding=UTF8", "--locale=C", "--no-sync")
        options = f"-c listen_addresses=127.0.0.1 -c port={self.port} -c unix_socket_directories={self.folder}"
        quick = "-c fsync=off -c max_connections=20 -c shared_buffers=32MB -c timezone=Asia/Tokyo"
        log = str(self.folder / "log")
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-w", "-l", log, "-o", f"{options} {quick}", "start")
        atexit.register(self.stop)

    def _run(self, name: str, *given: str) -> None:
        binary = _binary(name)
        assert binary is not None
        subprocess.run([binary, *given], check=True, capture_output=True, cwd="/", timeout=120, user=self._user)

    def stop(self) -> None:
        if "_kept" in self.__dict__:
            self._kept.close()
        self._run("pg_ctl", "-D", str(self.folder / "data"), "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)

    def cpu_seconds(self) -> float:
        """Processor time of the server so far, by Linux's own account."""
        main = (self.folder / "data" / "postmaster.pid").read_text().split()[0]
        fields = [path.read_text().rpartition(")")[2].split() for path in Path("/proc").glob("[0-9]*/stat")]
        ticks = sum(int(own[11]) + int(own[12]) for own in fields if own[1] == main)
        whole = Path(f"/proc/{main}/stat").read_text().rpartition(")")[2].split()
        return (ticks + sum(map(int, whole[11:15]))) / os.sysconf("SC_CLK_TCK")

    def address(self, user: str = "owner", database: str = "postgres") -> str:
        """By its socket, where nobody is asked for a password."""
        return f"postgresql://{user}@/{database}?host={self.folder}&port={self.port}"

    def at_host(self, user: str, database: str = "postgres") -> str:
        """By its port, where a password is asked for."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    @cached_property
    def _kept(self) -> Any:
        from adbc_driver_postgresql import dbapi

        return dbapi.connect(self.address(), autocommit=True)

    @contextmanager
    def _cursor(self) -> Iterator[Any]:
        """One connection serves all statements of the owner's, each time with settings as they are at first."""
        with self._one_at_a_time, self._kept.cursor() as cursor:
            cursor.execute("RESET ALL")
            yield cursor

    def do(self, *statements: str) -> list[tuple[Any, ...]]:
        """As the owner, one transaction each; the rows of the last."""
        with self._cursor() as cursor:
            for statement in statements:
                cursor.execute(statement)
            return cursor.fetchall() if cursor.description else []

    def ingest(self, name: str, table: Any) -> None:
        """An Arrow table as a table of this name."""
        with self._cursor() as cursor:
            cursor.adbc_ingest(name, table, mode="replace")


@contextmanager
def types_known() -> Iterator[None]:
    """The driver learns a server's types once an address instead of once a connection, which takes it 35 ms of CPU.

    Connections, transactions and settings are those of a release: one of its own for each that opens the source.
    """
    import adbc_driver_postgresql as driver
    from adbc_driver_manager import AdbcConnection
    from adbc_driver_postgresql import dbapi

    def connect(address: str, *, autocommit: bool) -> Any:
        if address not in KNOWN:
            KNOWN[address] = driver.connect(address)
        left_open = SimpleNamespace(close=lambda: None)
        return dbapi.Connection(left_open, AdbcConnection(KNOWN[address]), autocommit=autocommit)

    with mock.patch.object(dbapi, "connect", connect):
        yield


@cache
def server() -> Server:
    """The one that all tests of a process share."""
    return Server()
