"""Pages for owners and for those who ask a curator: the ledger, people, purses, questions as they come."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Annotated, Any

from fastapi import APIRouter, Form, Request
from fastapi.responses import RedirectResponse, Response

from ..errors import HushError
from .api import Here, purse_of
from .drawing import budget_bar, scale_bar
from .place import Place
from .problems import BadServer, NoSuchThing, TooMuch, WrongForm, status_of
from .render import page

__all__ = ["owner_pages"]

owner_pages = APIRouter(include_in_schema=False)


@owner_pages.get("/owner")
async def owner(request: Request, place: Here) -> Response:
    """The ledger with what is left, people and purses."""
    place.owner(request)
    ledger, wrong = None, None
    try:
        ledger = await place.work(_ledger, place)
    except HushError as error:
        wrong = error
    facts = None if place.online is None else await place.online.facts()
    everybody = [] if place.online is None else await place.online.everybody()
    people = [] if place.sessions.accounts is None else await place.work(place.sessions.accounts.people)
    bar = None if ledger is None else budget_bar(ledger["spent"], ledger["total"])
    return page(request, "owner.html", ledger=ledger, wrong=wrong, facts=facts, people=people, bar=bar,
                everybody=everybody)  # fmt: skip


@owner_pages.post("/owner/purse")
async def purse(
    request: Request, place: Here, name: Annotated[str, Form()], answers: Annotated[str, Form()],
    form_token: Annotated[str, Form()] = "",
) -> Response:  # fmt: skip
    """Gives somebody a purse of another size."""
    place.owner(request)
    place.sessions.check_form(form_token, request.cookies, request.headers)
    if place.sessions.accounts is None:
        raise NoSuchThing("there are no accounts here; start with --users")
    if not answers.strip().isdigit() or len(answers) > 9:
        raise WrongForm(f"a purse is a whole number of paid answers such as 20, not {answers[:40]!r}")
    await place.work(place.sessions.accounts.set_purse, name, int(answers))
    return RedirectResponse("/owner", status_code=303)


@owner_pages.get("/curator")
async def curator(request: Request, place: Here) -> Response:
    """A box to ask the curator, with the purse and one's own history."""
    return await _curator_page(request, place)


@owner_pages.post("/curator")
async def curator_ask(
    request: Request, place: Here, q: Annotated[str, Form()] = "", form_token: Annotated[str, Form()] = ""
) -> Response:
    """One question; not a link, because it may cost."""
    person, online = place.person(request), place.the_curator()
    place.sessions.check_form(form_token, request.cookies, request.headers)
    answer, wrong = None, None
    try:
        if len(q) > place.limits.question:
            raise TooMuch(f"a question may have {place.limits.question:,} characters, and this one has {len(q):,}")
        answer = (await online.ask(person, q, count=None, confidence=0.95))["answer"]
    except HushError as error:
        wrong = error
    return await _curator_page(request, place, q=q, answer=answer, wrong=wrong)


async def _curator_page(
    request: Request, place: Place, *, q: str = "", answer: dict[str, Any] | None = None, wrong: HushError | None = None
) -> Response:
    person, online = place.person(request), place.the_curator()
    found, facts = await online.history(person), await online.facts()
    picture = None
    if answer is not None and answer["low"] is not None:
        whole = 1.0 if answer["unit"] == "fraction" else None
        picture = scale_bar(answer["value"], answer["low"], answer["high"], answer["unit"], whole)
    columns = list(facts["domain"]["attributes"])
    return page(
        request, "curator.html", status=200 if wrong is None else status_of(wrong), q=q, answer=answer, wrong=wrong,
        picture=picture, history=found["history"], purse=purse_of(person, found["used"]), facts=facts, columns=columns,
    )  # fmt: skip


def _ledger(place: Place) -> dict[str, Any] | None:
    """What `hush ledger show` says: asked of that very command, because this process never opens a ledger."""
    path = place.settings.ledger
    if path is None:
        return None
    command = [sys.executable, "-c", "from hushtable.cli import main; main()", "ledger", "show", str(path), "--json"]
    from .worker import environment

    done = subprocess.run(command, capture_output=True, env=environment(), timeout=place.limits.seconds, check=False)
    if done.returncode != 0:
        said = json.loads(done.stderr or b"{}").get("error", {})
        raise BadServer(str(said.get("message", "the ledger could not be read")))
    found: dict[str, Any] = json.loads(done.stdout)
    return found
