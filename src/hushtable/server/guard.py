"""Guard: what every request and every answer passes: sizes, slow senders, and what a browser may do with a page."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ..errors import HushError
from .problems import NotAllowed, TooMuch, problem, status_of
from .settings import Limits, is_here

__all__ = ["FILE_POLICY", "PAGE_POLICY", "REPORT_POLICY", "Guard"]

PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# A report is one file with its style inside and no script.
REPORT_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; frame-ancestors 'none'"
FILE_POLICY = "default-src 'none'; frame-ancestors 'none'"
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"same-origin",
    b"x-frame-options": b"DENY",
    b"cross-origin-opener-policy": b"same-origin",
    b"permissions-policy": b"camera=(), microphone=(), geolocation=()",
    b"content-security-policy": FILE_POLICY.encode(),
}


class Guard:
    """Around the whole application."""

    def __init__(self, app: ASGIApp, limits: Limits, *, only_here: bool) -> None:
        self._app, self._limits, self._only_here = app, limits, only_here

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        guarded = _headed(send)
        try:
            self._check_host(scope)
            body = await self._body(scope, receive)
        except HushError as error:
            await _refuse(guarded, error)
            return
        given = False

        async def once() -> Message:
            nonlocal given
            if given:
                return await receive()  # waits for the end of the connection
            given = True
            return {"type": "http.request", "body": body, "more_body": False}

        await self._app(scope, once, guarded)

    def _check_host(self, scope: Scope) -> None:
        """Of a server for this machine alone: a page elsewhere may have renamed its own address to ours."""
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1").rsplit(":", 1)[0].strip("[]")
        if self._only_here and not is_here(host) and host:
            raise NotAllowed("this server is for this machine alone; open it as localhost")

    async def _body(self, scope: Scope, receive: Receive) -> bytes:
        """All of the body, which is small; TooMuch for one that is not, or that does not come."""
        limits = self._limits
        stated = dict(scope["headers"]).get(b"content-length", b"0")
        if not stated.isdigit() or int(stated) > limits.body:
            raise TooMuch(f"a request may have {limits.body:,} bytes; send less")
        parts: list[bytes] = []
        try:
            async with asyncio.timeout(limits.body_seconds):
                while True:
                    message = await receive()
                    parts.append(message.get("body", b""))
                    if sum(map(len, parts)) > limits.body:
                        raise TooMuch(f"a request may have {limits.body:,} bytes; send less")
                    if message["type"] != "http.request" or not message.get("more_body"):
                        return b"".join(parts)
        except TimeoutError:
            raise TooMuch(f"the request did not come within {limits.body_seconds:g} seconds; send it again") from None


def _headed(send: Send) -> Send:
    """Sends with the headers that every answer has, unless it brings its own."""

    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            message["headers"] = [*message["headers"], *(pair for pair in HEADERS.items() if pair[0] not in own)]
        await send(message)

    return sending


async def _refuse(send: Send, error: HushError) -> None:
    body = json.dumps(problem(error)).encode()
    headers: list[tuple[Any, Any]] = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": status_of(error), "headers": headers})
    await send({"type": "http.response.body", "body": body})
