"""Pages for analysts: releases, their columns, questions and answers, plans and help; all work without a script."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from fastapi.responses import RedirectResponse, Response

from ..domain.hints import quoted_name
from ..errors import HushError
from ..words import one_line
from .api import Here, rows_response
from .looks import answer_look, asked, column_looks, cross_look
from .place import base_of
from .problems import LoginNeeded, status_of
from .render import page

__all__ = ["pages"]

pages = APIRouter(include_in_schema=False)
EXAMPLE = """table: clinic
neighbours: replace
attributes:
  age:    {kind: integer, between: [0, 99], edges: [18, 30, 45, 65]}
  sex:    {kind: category, values: [female, male]}
  smoker: {kind: boolean}
"""


@pages.get("/")
async def shelf(request: Request, place: Here) -> Response:
    """All releases as cards."""
    place.person(request)
    return page(request, "shelf.html", cards=await place.work(place.shelf.cards))


@pages.get("/releases/{name}")
async def release(request: Request, place: Here, name: str) -> Response:
    """A release: its promise, a box to ask, its columns."""
    place.person(request)
    opened = await place.release(name)
    columns = await place.work(column_looks, opened)
    return page(request, "release.html", opened=opened, columns=columns, base=base_of(request))


@pages.get("/releases/{name}/ask")
async def ask(request: Request, place: Here, name: str, q: str = "", part: bool = False) -> Response:
    """An answer, with a link to this very question; `part` is what a script puts into the page."""
    place.person(request)
    opened, look, wrong = await place.release(name), None, None
    try:
        answer = await place.work(lambda: asked(opened, q, place.limits))
        look = await place.work(lambda: answer_look(opened, answer, base_of(request)))
    except HushError as error:
        wrong = error
    template = "answer_part.html" if part else "answer.html"
    status = 200 if wrong is None else status_of(wrong)
    return page(request, template, status=status, opened=opened, look=look, wrong=wrong, q=one_line(q))


@pages.get("/releases/{name}/cross")
async def cross(request: Request, place: Here, name: str, a: str = "", b: str = "", part: bool = False) -> Response:
    """Two columns crossed."""
    place.person(request)
    opened = await place.release(name)
    if not (a and b) or a == b:
        chosen = quoted_name(a or b) if (a or b) else ""
        table = quoted_name(opened.info.table)
        text = f"SELECT {chosen}, count(*) FROM {table} GROUP BY {chosen}" if chosen else ""
        return RedirectResponse(str(request.url_for("ask", name=name).include_query_params(q=text)), status_code=303)
    found = await place.work(cross_look, opened, a, b, place.limits)
    template = "cross_part.html" if part else "cross.html"
    return page(request, template, opened=opened, a=a, b=b, **found)


@pages.get("/releases/{name}/rows")
async def rows(request: Request, place: Here, name: str, n: Annotated[int, Query(ge=1)] = 1000) -> Response:
    """Synthetic rows as a download."""
    place.person(request)
    return await rows_response(place, await place.release(name), n, None)


@pages.get("/plan")
async def plan_form(request: Request, place: Here) -> Response:
    """A form for a domain and a budget."""
    place.person(request)
    filled = {"domain": EXAMPLE, "epsilon": "1", "delta": "1e-9", "rows": "50000", "workload": ""}
    return page(request, "plan.html", filled=filled, made=None, wrong=None)


@pages.post("/plan")
async def plan_made(
    request: Request, place: Here, domain: Annotated[str, Form()], epsilon: Annotated[str, Form()] = "",
    delta: Annotated[str, Form()] = "", rows: Annotated[str, Form()] = "", workload: Annotated[str, Form()] = "",
    form_token: Annotated[str, Form()] = "", part: Annotated[bool, Form()] = False,
) -> Response:  # fmt: skip
    """The forecast."""
    place.person(request)
    place.sessions.check_form(form_token, request.cookies, request.headers)
    filled = {"domain": domain, "epsilon": epsilon, "delta": delta, "rows": rows, "workload": workload}
    made, wrong = None, None
    try:
        made = await place.planned(_plan_request(filled))
    except HushError as error:
        wrong = error
    template = "plan_part.html" if part else "plan.html"
    return page(request, template, status=200 if wrong is None else 400, filled=filled, made=made, wrong=wrong,
                command=_command(filled))  # fmt: skip


@pages.get("/help")
async def help_page(request: Request, place: Here) -> Response:
    """How to ask and what epsilon means, on one screen."""
    place.person(request)
    return page(request, "help.html")


@pages.get("/login")
async def login_form(request: Request, next: str = "/") -> Response:
    """Name and password."""
    return page(request, "login.html", next=_inside(next), wrong=None)


@pages.post("/login")
async def login(
    request: Request, place: Here, name: Annotated[str, Form()], password: Annotated[str, Form()],
    next: Annotated[str, Form()] = "/",
) -> Response:  # fmt: skip
    """Logs in and goes on to where one wanted to go."""
    response = RedirectResponse(_inside(next), status_code=303)
    try:
        place.sessions.check_origin(request.headers)
        await place.work(place.sessions.login, name, password, response)
    except HushError as error:
        return page(request, "login.html", status=status_of(error), next=_inside(next), wrong=error)
    return response


@pages.post("/logout")
async def logout(request: Request, place: Here, form_token: Annotated[str, Form()] = "") -> Response:
    """Ends the login."""
    place.sessions.check_form(form_token, request.cookies, request.headers)
    response = RedirectResponse("/login", status_code=303)
    place.sessions.logout(response)
    return response


def wrong_page(request: Request, error: HushError) -> Response:
    """An error as a page; whoever is not logged in is sent to do so."""
    if isinstance(error, LoginNeeded) and request.method == "GET":
        target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(str(request.url_for("login_form").include_query_params(next=target)), status_code=303)
    return page(request, "wrong.html", status=status_of(error), wrong=error, known=False)


def _inside(target: str) -> str:
    """A path of this server and of no other."""
    safe = target.startswith("/") and not target.startswith(("//", "/\\")) and target.isprintable()
    return target if safe else "/"


def _plan_request(filled: dict[str, str]) -> dict[str, Any]:
    from .problems import WrongForm

    given: dict[str, Any] = {name: text.strip() for name, text in filled.items() if text.strip()}
    if "rows" in given:
        number = given["rows"].replace(",", "").replace("_", "")
        if not number.isdigit() or len(number) > 15 or int(number) < 1:
            raise WrongForm(f"the number of rows is a whole number such as 50000, not {given['rows'][:40]!r}")
        given["rows"] = int(number)
    return given | {"domain": filled["domain"]}


def _command(filled: dict[str, str]) -> str:
    import shlex

    options = [("--workload", filled["workload"]), ("--epsilon", filled["epsilon"]), ("--delta", filled["delta"])]
    words = ["hush", "release", "DATA.csv", "--domain", "DOMAIN.yaml"]
    for option, text in options:
        words += [option, shlex.quote(text.strip())] if text.strip() else []
    return " ".join([*words, "-o", "RELEASE.hush"])
