"""Client: the releases and the curator of a server, from Python, with the same answers as at home."""

from __future__ import annotations

import json
import math
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from ..curator.answer import CuratorAnswer, FreeMargin
from ..errors import HushError
from ..synopsis import Synopsis, load
from .problems import BadServer

__all__ = ["RemoteCurator", "Server", "ServerSaid", "connect", "rebuilt", "told"]

SECONDS = 60.0
MOST_BYTES = 1_000_000_000
# What a curator's answer is made of beside what everybody sees: enough to make the same object again.
PARTS = ("kurtosis", "rows", "rows_noise", "rows_stderr")


class ServerSaid(HushError):
    """What a server answered instead of an answer; `kind` is the name of its error."""

    def __init__(self, said: dict[str, Any]) -> None:
        super().__init__(str(said.get("message", "the server did not say why")))
        self.kind = str(said.get("kind", "HushError"))
        self.exit_code = int(said.get("exit_code", 1))


def connect(url: str, token: str | None = None) -> Server:
    """A server that `hush serve` runs: `connect(url)["clinic"].ask(...)`."""
    scheme = urllib.parse.urlsplit(url).scheme
    if scheme not in ("http", "https"):
        raise BadServer(f"an address begins with http:// or https://, not {url!r}")
    return Server(url=url.rstrip("/"), token=token)


@dataclass(frozen=True, kw_only=True)
class Server:
    """The releases of a server by their names."""

    url: str
    token: str | None

    def __repr__(self) -> str:
        return f"<Server at {self.url}; .releases() lists what it has>"

    def releases(self) -> list[dict[str, Any]]:
        """What is there: name, table, columns, rows, budget."""
        found: list[dict[str, Any]] = self._json("releases")["releases"]
        return found

    def __getitem__(self, name: str) -> Synopsis:
        """A release, fetched once: it then answers here, without the server, as from `ht.load`."""
        data = self._get(f"releases/{urllib.parse.quote(name, safe='')}/file")
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "release.hush"
            path.write_bytes(data)
            return load(path)

    @property
    def curator(self) -> RemoteCurator:
        """The curator that the server has open."""
        return RemoteCurator(server=self)

    def _json(self, path: str, body: dict[str, Any] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self._get(path, body))
        return found

    def _get(self, path: str, body: dict[str, Any] | None = None) -> bytes:
        headers = {"accept": "*/*"} | ({} if self.token is None else {"authorization": f"Bearer {self.token}"})
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            f"{self.url}/api/v1/{path}", data=data, headers=headers | {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return bytes(response.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            raise ServerSaid(_said(error)) from None
        except OSError as error:
            why = getattr(error, "reason", error)
            raise BadServer(f"no answer from {self.url}: {why}; is `hush serve` running there?") from None


@dataclass(frozen=True, kw_only=True)
class RemoteCurator:
    """Questions to a curator; paid answers come out of the purse of the token's owner."""

    server: Server

    def ask(self, question: str, *, count: bool | None = None) -> CuratorAnswer:
        """As `Curator.ask`."""
        return rebuilt(self.server._json("curator/ask", {"question": question, "count": count}))

    def purse(self) -> dict[str, Any]:
        """How many paid answers were given, used and are left."""
        return self.server._json("curator/purse")

    def history(self) -> list[dict[str, Any]]:
        """What was asked with this token's name."""
        found: list[dict[str, Any]] = self.server._json("curator/history")["history"]
        return found


def told(answer: CuratorAnswer, confidence: float) -> dict[str, Any]:
    """An answer as JSON that `rebuilt` makes the same object of."""
    margin = None if answer.margin is None else vars(answer.margin)
    parts = {name: getattr(answer, name) for name in PARTS}
    return answer.to_dict(confidence) | {"parts": parts | {"left": str(answer.budget_left), "margin": margin}}


def rebuilt(said: dict[str, Any]) -> CuratorAnswer:
    """The answer that was told."""
    parts = said["parts"]
    certified = said.get("certified")
    return CuratorAnswer(
        question=said["question"], unit=said["unit"], value=_number(said["value"]), stderr=_number(said["stderr"]),
        bias=_number(said["bias"]), estimator=said["estimator"], notes=tuple(said["notes"]),
        not_private=bool(said.get("not_private", False)), source=said["source"], answers_left=said["answers_left"],
        budget_left=Fraction(parts["left"]), currency=said["currency"],
        certified=None if certified is None else (_number(certified[0]), _number(certified[1])),
        margin=None if parts["margin"] is None else FreeMargin(**parts["margin"]),
        **{name: parts[name] for name in PARTS},
    )  # fmt: skip


def _number(value: float | None) -> float:
    return math.nan if value is None else float(value)


def _said(error: urllib.error.HTTPError) -> dict[str, Any]:
    try:
        said: dict[str, Any] = json.loads(error.read(100_000))["error"]
        return said
    except (ValueError, KeyError, TypeError):
        return {"message": f"the server answered {error.code} {error.reason}"}
