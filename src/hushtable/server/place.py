"""Place: all that a running server holds: the shelf, who is who, and the processes beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread
from starlette.requests import Request

from .accounts import Person
from .online import Online
from .problems import NoSuchThing, NotAllowed, TooBusy, TooMuch
from .sessions import Sessions
from .settings import Settings
from .shelf import Opened, Shelf
from .worker import Worker

__all__ = ["Place", "base_of", "place_of"]

T = TypeVar("T")
THREADS = 8


class Place:
    """One server's belongings; made once, and found from every request."""

    def __init__(self, settings: Settings) -> None:
        self.settings, self.limits = settings, settings.limits
        self.shelf, self.sessions = Shelf(settings.folder), Sessions(settings)
        self.desk = Worker("hushtable.server.desk", {}, start_seconds=30, seconds=settings.limits.seconds)
        self.online = None if settings.curator is None else Online(settings.curator)
        self._threads: CapacityLimiter | None = None

    def close(self) -> None:
        """Ends the processes beside it."""
        self.desk.close()
        if self.online is not None:
            self.online.close()

    def person(self, request: Request) -> Person:
        """Who asks; LoginNeeded when that is not known. A request counts once."""
        if not hasattr(request.state, "person"):
            request.state.person = self.sessions.person(request.headers, request.cookies)
        person: Person = request.state.person
        return person

    def owner(self, request: Request) -> Person:
        """The same where it must be an owner."""
        person = self.person(request)
        if person.role != "owner":
            raise NotAllowed(f"that is for owners, and {person.name} is an {person.role}")
        return person

    def the_curator(self) -> Online:
        """The curator, where there is one."""
        if self.online is None:
            raise NoSuchThing("no curator is open here; the owner starts one with `hush serve FOLDER --curator ...`")
        return self.online

    async def work(self, function: Callable[..., T], *arguments: Any) -> T:
        """Runs in a thread, with a limit of time after which the asker is told and the thread left to end."""
        if self._threads is None:
            self._threads = CapacityLimiter(THREADS)
        try:
            with anyio.fail_after(self.limits.seconds):
                return await to_thread.run_sync(function, *arguments, abandon_on_cancel=True, limiter=self._threads)
        except TimeoutError:
            raise TooBusy(f"that took longer than {self.limits.seconds:g} seconds; ask for less") from None

    async def release(self, name: str) -> Opened:
        """A release by its name."""
        held = self.shelf.held(name)
        return held if held is not None else await self.work(self.shelf.opened, name)

    async def planned(self, request: dict[str, Any]) -> dict[str, Any]:
        """A plan, made by the desk."""
        if len(str(request.get("domain", ""))) > self.limits.body:
            raise TooMuch(f"a domain may have {self.limits.body:,} characters")
        return await self.work(self.desk.ask, request)


def place_of(request: Request) -> Place:
    """The place of a request's application."""
    place: Place = request.app.state.place
    return place


def base_of(request: Request) -> str:
    """The address that others reach this server by, as the request came."""
    return str(request.base_url).rstrip("/")
