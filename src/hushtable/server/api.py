"""The HTTP interface: releases, answers, rows, plans and a curator, in the words of `hush --json`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, Response, StreamingResponse
from pydantic import BaseModel, Field

from ..questions.answer import Answer, CrossTab
from .accounts import Person
from .downloads import answer_arrow, answer_csv, attached, rows_csv
from .guard import REPORT_POLICY
from .looks import asked
from .place import Place, place_of
from .problems import TooMuch, WrongForm
from .shelf import Card, Opened

__all__ = ["AskedOnline", "PlanRequest", "Questions", "api", "purse_of", "rows_response"]

Here = Annotated[Place, Depends(place_of)]
Form = Literal["json", "csv", "arrow"]
Confidence = Annotated[float, Query(gt=0, lt=1, description="Confidence of the intervals.")]
FOR_EVER = "private, max-age=31536000, immutable"


def _person(request: Request, place: Here) -> Person:
    return place.person(request)


api = APIRouter(prefix="/api/v1")
known = APIRouter(dependencies=[Depends(_person)])
Who = Annotated[Person, Depends(_person)]


class Questions(BaseModel):
    """One question or many, in the words of `hush ask`."""

    questions: list[str] = Field(min_length=1)
    count: bool | None = None
    confidence: float = Field(default=0.95, gt=0, lt=1)
    simultaneous: bool = False


class PlanRequest(BaseModel):
    """What `hush plan` takes; the domain is the text of its file."""

    domain: str
    workload: str | None = None
    epsilon: str | None = None
    delta: str | None = None
    rho: str | None = None
    rows: int | None = Field(default=None, ge=1)


class AskedOnline(BaseModel):
    """One question to the curator."""

    question: str
    count: bool | None = None
    confidence: float = Field(default=0.95, gt=0, lt=1)


@api.get("/health")
async def health(place: Here) -> dict[str, Any]:
    """Whether the server answers; needs no login, and tells nothing else."""
    from .. import __version__

    return {"ok": True, "version": __version__, "curator": place.online is not None}


@known.get("/releases")
async def releases(place: Here) -> dict[str, Any]:
    """All files of the folder."""
    cards = await place.work(place.shelf.cards)
    return {"releases": [_summary(card) for card in cards]}


@known.get("/releases/{name}")
async def info(place: Here, name: str, request: Request) -> Response:
    """What a release holds, as `hush info --json` prints it."""
    opened = await place.release(name)
    return _unless_known(request, opened, lambda: JSONResponse(opened.info.to_dict()))


@known.get("/releases/{name}/file")
async def file(place: Here, name: str, request: Request) -> Response:
    """The .hush file itself."""
    opened = await place.release(name)
    return _unless_known(
        request,
        opened,
        lambda: FileResponse(opened.card.path, media_type="application/zip", filename=f"{opened.name}.hush"),
    )


@known.get("/releases/{name}/report")
async def report(place: Here, name: str, request: Request) -> Response:
    """The page that `hush report` writes."""
    from ..report.public import public_report

    def made(opened: Opened) -> str:
        with opened.turn() as synopsis:
            return public_report(synopsis)

    opened = await place.release(name)
    text = await place.work(made, opened)
    headers = {"content-security-policy": REPORT_POLICY}
    return _unless_known(request, opened, lambda: HTMLResponse(text, headers=headers))


@known.get("/releases/{name}/ask")
async def ask(
    place: Here, name: str, q: str, request: Request, count: bool | None = None, confidence: Confidence = 0.95,
    simultaneous: bool = False, form: Annotated[Form, Query(alias="format")] = "json",
) -> Response:  # fmt: skip
    """The answer to one question, as JSON, CSV or an Arrow stream."""
    opened = await place.release(name)
    answer = await place.work(lambda: asked(opened, q, place.limits, count=count))
    return _unless_known(request, opened, lambda: _formed(answer, form, confidence, simultaneous=simultaneous))


@known.post("/releases/{name}/ask")
async def ask_many(place: Here, name: str, body: Questions) -> dict[str, Any]:
    """The answers to many questions; one that cannot be answered has its error in its place."""
    from ..errors import HushError

    if len(body.questions) > place.limits.questions:
        raise TooMuch(f"{len(body.questions):,} questions are more than the {place.limits.questions:,} of one request")
    opened = await place.release(name)

    def answered(question: str) -> dict[str, Any]:
        try:
            return _dict(asked(opened, question, place.limits, count=body.count), body.confidence, body.simultaneous)
        except HushError as error:
            return {"question": question, "error": error.to_dict()}

    return {"answers": await place.work(lambda: [answered(question) for question in body.questions])}


@known.get("/releases/{name}/sample")
async def sample(
    place: Here, name: str, rows: Annotated[int, Query(ge=1)] = 1000, seed: Annotated[int | None, Query(ge=0)] = None
) -> Response:
    """Synthetic rows as CSV, sent while they are drawn."""
    return await rows_response(place, await place.release(name), rows, seed)


@known.post("/plan")
async def plan(place: Here, body: PlanRequest) -> dict[str, Any]:
    """What a release would cost and how exact it would be; no data."""
    answer = await place.planned(body.model_dump(exclude_none=True))
    plan: dict[str, Any] = answer["plan"]
    return plan


@known.post("/curator/ask")
async def curator_ask(place: Here, who: Who, body: AskedOnline) -> dict[str, Any]:
    """One question to the curator; a paid answer is taken out of the asker's purse."""
    online = place.the_curator()
    _check_length(place, body.question)
    said = await online.ask(who, body.question, count=body.count, confidence=body.confidence)
    answer: dict[str, Any] = said["answer"]
    return answer | {"purse": purse_of(who, said["used"])}


@known.get("/curator/purse")
async def curator_purse(place: Here, who: Who) -> dict[str, Any]:
    """What the asker was given, and what is left of it."""
    found = await place.the_curator().history(who)
    return purse_of(who, found["used"])


@known.get("/curator/history")
async def curator_history(place: Here, who: Who) -> dict[str, Any]:
    """What the asker asked; nobody else's questions."""
    found = await place.the_curator().history(who)
    return {"history": found["history"]}


api.include_router(known)


async def rows_response(place: Place, opened: Opened, rows: int, seed: int | None) -> Response:
    """A download of synthetic rows."""
    if rows > place.limits.rows:
        raise TooMuch(f"{rows:,} rows are more than the {place.limits.rows:,} of one download; run `hush sample`")

    def first() -> tuple[bytes, Iterator[bytes]]:
        # The first piece now: what cannot be drawn is said before anything is sent.
        pieces = rows_csv(opened, rows, seed)
        return next(pieces), pieces

    head, rest = await place.work(first)

    def sent() -> Iterator[bytes]:
        yield head
        yield from rest

    # A CSV file has no other place than its name to say that it is of a rehearsal.
    mark = "-not-private" if opened.info.not_private else ""
    return StreamingResponse(sent(), media_type="text/csv", headers=attached(f"{opened.name}-synthetic{mark}.csv"))


def _summary(card: Card) -> dict[str, Any]:
    if card.info is None:
        return {"name": card.name, "damaged": card.damage}
    facts = card.info.to_dict()
    kept = ("table", "workload", "rows", "rows_stderr", "budget", "protects", "digest", "not_private")
    return {"name": card.name, "bytes": card.bytes, "columns": len(card.info.columns)} | {k: facts[k] for k in kept}


def _unless_known(request: Request, opened: Opened, made: Any) -> Response:
    """The answer, or 304 where the asker has it already: a release never changes, so neither do its answers."""
    tag = f'"{opened.digest[:32]}"'
    headers = {"etag": tag, "cache-control": "private, no-cache"}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    response: Response = made()
    response.headers.update(headers)
    return response


def _dict(answer: Answer | CrossTab, confidence: float, simultaneous: bool) -> dict[str, Any]:
    if isinstance(answer, CrossTab):
        return answer.to_dict(confidence, simultaneous=simultaneous)
    if simultaneous:
        raise WrongForm("simultaneous is for cross-tabs; ask with GROUP BY or leave it out")
    return answer.to_dict(confidence)


def _formed(answer: Answer | CrossTab, form: Form, confidence: float, *, simultaneous: bool) -> Response:
    if form == "json":
        return JSONResponse(_dict(answer, confidence, simultaneous))
    if form == "csv":
        return Response(answer_csv(answer, confidence), media_type="text/csv", headers=attached("answer.csv"))
    return Response(answer_arrow(answer, confidence), media_type="application/vnd.apache.arrow.stream")


def _check_length(place: Place, question: str) -> None:
    if len(question) > place.limits.question:
        raise TooMuch(f"a question may have {place.limits.question:,} characters, and this one has {len(question):,}")


def purse_of(who: Person, used: int) -> dict[str, Any]:
    """What somebody was given, has used and has left; None for no limit."""
    return {"given": who.purse, "used": used, "left": None if who.purse is None else max(who.purse - used, 0)}
