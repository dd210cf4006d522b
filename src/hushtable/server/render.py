"""Render: templates to pages; whatever a release or a person wrote is text on them, never markup."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import Request
from fastapi.responses import HTMLResponse, Response
from jinja2 import Environment, FunctionLoader, StrictUndefined

from ..questions.stamp import SIMULATED
from .guard import PAGE_POLICY
from .place import place_of
from .problems import LoginNeeded
from .sessions import FORM_FIELD

__all__ = ["asset", "page"]


@cache
def asset(folder: str, name: str) -> bytes:
    """A file that came with the package."""
    return (files(__package__) / folder / name).read_bytes()


@cache
def _environment() -> Environment:
    made = Environment(
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        loader=FunctionLoader(lambda name: asset("templates", name).decode()),
    )
    made.globals["SIMULATED"] = SIMULATED
    made.filters["promise"] = _promise
    made.filters["rows"] = _rows
    made.filters["sentence"] = lambda text: f"{text[:1].upper()}{text[1:].rstrip('.')}."
    return made


def page(request: Request, template: str, *, status: int = 200, known: bool = True, **facts: Any) -> Response:
    """A page for whoever asks."""
    place, person = place_of(request), None
    if known and template != "login.html":
        try:
            person = place.person(request)
        except LoginNeeded:
            person = None
    text = (
        _environment()
        .get_template(template)
        .render(
            person=person,
            accounts=place.sessions.accounts is not None,
            curator=place.online is not None,
            form_field=FORM_FIELD,
            form_token=place.sessions.form_token(request.cookies),
            path=request.url.path,
            **facts,
        )
    )
    headers = {"content-security-policy": PAGE_POLICY, "cache-control": "private, no-store"}
    return HTMLResponse(text, status_code=status, headers=headers)


def _promise(budget: dict[str, str]) -> str:
    """`epsilon 1, delta 1e-09`."""
    from fractions import Fraction

    from ..words import readable

    return ", ".join(f"{name} {readable(Fraction(value))}" for name, value in budget.items())


def _rows(number: float | None) -> str:
    return "not told" if number is None else f"{number:,.0f}"
