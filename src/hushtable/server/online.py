"""Online: questions to a curator in its own process, answered on a fixed clock."""

from __future__ import annotations

import asyncio
import math
import time
from typing import Any

from anyio import to_thread

from .accounts import Person
from .settings import OnlineCurator
from .worker import Worker

__all__ = ["Online"]

ANSWER_SECONDS = 60.0


class Online:
    """What the server knows of the curator: how to ask it. The rows are in the other process."""

    def __init__(self, curator: OnlineCurator) -> None:
        begin = {
            "state": str(curator.state),
            "data": curator.data,
            "domain": str(curator.domain),
            "ledger": None if curator.ledger is None else str(curator.ledger),
        }
        self._tick = curator.tick
        self._worker = Worker("hushtable.server.keeper", begin, start_seconds=None, seconds=ANSWER_SECONDS)

    def start(self) -> dict[str, Any]:
        """Reads the rows over there; what may be known of the curator."""
        return self._worker.start()

    def close(self) -> None:
        """Ends the other process."""
        self._worker.close()

    @property
    def pid(self) -> int | None:
        """The number of the other process."""
        return self._worker.pid

    async def ask(self, person: Person, question: str, *, count: bool | None, confidence: float) -> dict[str, Any]:
        """An answer, with what it left in the purse; it comes at the next tick, whatever it took.

        How long an answer takes depends on the rows and the noise. On a clock all that shows is how many ticks.
        """
        request = {
            "do": "ask",
            "analyst": person.name,
            "granted": person.purse,
            "question": question,
            "count": count,
            "confidence": confidence,
        }
        return await self._on_the_clock(request)

    async def history(self, person: Person) -> dict[str, Any]:
        """What this person asked before."""
        return await to_thread.run_sync(self._worker.ask, {"do": "history", "analyst": person.name})

    async def everybody(self) -> list[dict[str, Any]]:
        """Who asked what, for the owner."""
        said = await to_thread.run_sync(self._worker.ask, {"do": "everybody"})
        found: list[dict[str, Any]] = said["everybody"]
        return found

    async def facts(self) -> dict[str, Any]:
        """What is left, and how much of it each analyst has used."""
        return await to_thread.run_sync(self._worker.ask, {"do": "facts"})

    async def _on_the_clock(self, request: dict[str, Any]) -> dict[str, Any]:
        began = time.monotonic()
        try:
            return await to_thread.run_sync(self._worker.ask, request)
        finally:
            ticks = max(1, math.ceil((time.monotonic() - began) / self._tick))
            await asyncio.sleep(began + ticks * self._tick - time.monotonic())
