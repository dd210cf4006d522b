"""The application: interface, pages, assets and errors put together around one place."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp

from .. import __version__
from ..errors import HushError, error_dict
from .api import api
from .guard import Guard
from .owner_pages import owner_pages
from .pages import pages, wrong_page
from .place import Place
from .problems import NoSuchThing, WrongForm, problem, status_of
from .render import asset
from .settings import Settings, is_here

__all__ = ["make_app"]

ASSETS = {"hush.css": "text/css", "hush.js": "text/javascript", "icon.svg": "image/svg+xml"}


def make_app(settings: Settings) -> ASGIApp:
    """Everything `hush serve` serves. BadServer where it cannot start."""
    settings.check()
    place = Place(settings)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        place.close()

    # No docs page: it would load scripts from elsewhere. The OpenAPI document itself is there.
    app = FastAPI(
        title="hushtable", version=__version__, docs_url=None, redoc_url=None, openapi_url="/api/v1/openapi.json",
        lifespan=lifespan, description="Private summaries of tables, with an error bar on every answer.",
    )  # fmt: skip
    app.state.place = place
    app.include_router(api)
    app.include_router(pages)
    app.include_router(owner_pages)
    app.add_api_route("/assets/{name}", _asset, include_in_schema=False)
    app.add_exception_handler(HushError, _said)
    app.add_exception_handler(RequestValidationError, _wrong_form)
    app.add_exception_handler(HTTPException, _nowhere)
    app.add_exception_handler(Exception, _unforeseen)
    guarded = Guard(app, settings.limits, only_here=is_here(settings.host) and settings.users is None)
    guarded.state = app.state  # type: ignore[attr-defined]
    return guarded


async def _asset(name: str) -> Response:
    if name not in ASSETS:
        raise NoSuchThing("no such file")
    headers = {"cache-control": "public, max-age=3600"}
    return Response(asset("static", name), media_type=ASSETS[name], headers=headers)


async def _said(request: Request, error: Any) -> Response:
    if request.url.path.startswith("/api/"):
        return JSONResponse(problem(error), status_code=status_of(error))
    return wrong_page(request, error)


async def _wrong_form(request: Request, error: Any) -> Response:
    first = error.errors()[0]
    where = ".".join(str(part) for part in first["loc"][1:]) or "the request"
    return await _said(request, WrongForm(f"{where}: {first['msg']}; see /api/v1/openapi.json for what is taken"))


async def _nowhere(request: Request, error: Any) -> Response:
    if error.status_code == 405:
        return await _said(request, WrongForm(f"{request.method} is not taken at {request.url.path}"))
    return await _said(request, NoSuchThing(f"nothing is at {request.url.path}; the releases are at /"))


async def _unforeseen(request: Request, error: Exception) -> Response:
    said = error_dict(error, kind="Bug", message=f"an unforeseen {type(error).__name__}: a bug in hush", exit_code=1)
    return JSONResponse({"error": said}, status_code=500)
