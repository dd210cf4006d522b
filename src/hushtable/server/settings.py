"""Settings: what `hush serve` was told, and the limits that keep one visitor from taking all."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from .problems import BadServer

__all__ = ["Limits", "OnlineCurator", "Settings", "is_here"]


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The most of everything."""

    body: int = 300_000
    """Bytes of a request."""
    body_seconds: float = 10.0
    """Until all of them have come."""
    question: int = 4_000
    """Characters."""
    questions: int = 200
    """In one request."""
    cells: int = 20_000
    """Groups in one answer."""
    seconds: float = 20.0
    """For one answer or plan."""
    rows: int = 1_000_000
    """Synthetic rows in one download."""
    rate: float = 30.0
    """Requests a second by one person with an account, for long; none where there are no accounts."""
    burst: int = 120
    """... and so many at once."""


@dataclass(frozen=True, kw_only=True)
class OnlineCurator:
    """A curator that the vault's own process keeps: its state, its rows and their domain."""

    state: Path
    data: str
    domain: Path
    ledger: Path | None = None
    tick: float = 0.5
    """Seconds between the times at which answers come, paid or not."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One server."""

    folder: Path
    host: str = "127.0.0.1"
    port: int = 8000
    users: Path | None = None
    ledger: Path | None = None
    curator: OnlineCurator | None = None
    open: bool = False
    """May be reached from other machines without accounts."""
    secure_cookies: bool = False
    """Cookies are sent over TLS only: set where a proxy does TLS."""
    limits: Limits = Limits()

    def check(self) -> None:
        """BadServer where starting would be a mistake."""
        if not self.folder.is_dir():
            raise BadServer(f"no folder {self.folder}; give the folder that holds the .hush files")
        if not is_here(self.host) and self.users is None and not self.open:
            raise BadServer(
                f"{self.host} can be reached from other machines, and there are no accounts: make them by "
                "`hush serve user add NAME --users users.db` and start with --users users.db, or say --open"
            )
        if not 0 <= self.port <= 65535:
            raise BadServer(f"port must be from 0 to 65535, not {self.port}; 8000 is usual")


def is_here(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
