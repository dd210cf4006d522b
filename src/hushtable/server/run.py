"""Running: the application under uvicorn, with the curator's process begun first."""

from __future__ import annotations

import socket
from collections.abc import Callable
from typing import Any

from ..words import counted
from .app import make_app
from .problems import BadServer
from .settings import Settings

__all__ = ["serve"]


def serve(settings: Settings, *, say: Callable[[str], None]) -> None:
    """Serves until stopped; `say` gets the lines for whoever started it."""
    import uvicorn

    listening = _listening(settings)
    with listening:
        app: Any = make_app(settings)
        try:
            _begin(app, settings, listening, say)
            uvicorn.Server(_config(app)).run(sockets=[listening])
        finally:
            app.state.place.close()


def _begin(app: Any, settings: Settings, listening: socket.socket, say: Callable[[str], None]) -> None:
    """What is done before the first request, and told to whoever started it."""
    place = app.state.place
    cards = place.shelf.cards()
    damaged = [card.path.name for card in cards if card.damage is not None]
    if not cards:
        say(f"{settings.folder} holds no .hush file yet; those that come will be served")
    for name in damaged:
        say(f"{name} is damaged and will be listed as such")
    if place.online is not None:
        say("reading the table for the curator, in a process of its own ...")
        place.online.start()
    host, port = listening.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    say(f"{counted(len(cards) - len(damaged), 'release')} at http://{shown}:{port} (Ctrl+C stops)")


def _config(app: Any) -> Any:
    import uvicorn

    return uvicorn.Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=10,
        h11_max_incomplete_event_size=32_768, limit_concurrency=500, date_header=False,
    )  # fmt: skip


def _listening(settings: Settings) -> socket.socket:
    """The address, taken before anything else is begun."""
    settings.check()
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
        made.listen(512)
    except OSError as error:
        made.close()
        where = f"{settings.host}:{settings.port}"
        raise BadServer(f"cannot listen at {where}: {error.strerror}; choose another --host or --port") from None
    return made
