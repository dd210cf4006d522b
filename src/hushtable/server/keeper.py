"""The keeper: the process that holds the rows and a curator, and answers questions that come over its socket."""

from __future__ import annotations

import os
import socket
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import BadState, HushError, InUse, error_dict
from .client import told
from .purses import Purses
from .worker import lines_from, send_line

if TYPE_CHECKING:
    from ..curator.curator import Curator
    from ..owner.vault import Vault

__all__ = ["Keeper", "main"]

# How long the process of before may take to end.
WAITS, WAIT_SECONDS = 60, 0.25


class Keeper:
    """A curator with the purses of those who ask it."""

    def __init__(self, curator: Curator, purses: Purses) -> None:
        self._curator, self._purses = curator, purses
        purses.settle(curator.knows)

    @classmethod
    def open(cls, begin: dict[str, Any]) -> Keeper:
        """Goes on with a curator that `hush curate` began."""
        from ..domain import Domain
        from ..owner.vault import Vault

        state = Path(begin["state"])
        if not state.exists():
            raise BadState(f"no curator at {state}; begin one with `hush curate DATA --domain D --epsilon E`")
        vault = Vault(begin["data"], Domain.load(begin["domain"]), ledger=begin.get("ledger"))
        return cls(_curator(vault, state), Purses(state.with_name(f"{state.name}.purses")))

    def do(self, request: dict[str, Any]) -> dict[str, Any]:
        """One request: ask, history, that of everybody for the owner, or what is left."""
        analyst = str(request.get("analyst", ""))
        if request["do"] == "ask":
            return self._ask(analyst, request)
        if request["do"] == "history":
            return {"history": self._purses.history(analyst), "used": self._purses.used(analyst)}
        if request["do"] == "everybody":
            return {"everybody": self._purses.everybody()}
        return {"used": self._purses.all_used()} | self.facts()

    def facts(self) -> dict[str, Any]:
        """What everybody may know."""
        curator = self._curator
        return {
            "table": curator.domain.table,
            "domain": curator.domain.to_dict(),
            "budget": str(curator.plan.budget),
            "answers_left": curator.answers_left,
            "not_private": curator.not_private,
        }

    def close(self) -> None:
        """Closes the curator, whose state then shows every cut."""
        self._curator.close()
        self._purses.close()

    def _ask(self, analyst: str, request: dict[str, Any]) -> dict[str, Any]:
        text, curator, purses = str(request["question"]), self._curator, self._purses
        if curator.knows(text) or curator.answers_left == 0:
            answer = told(curator.ask(text, count=request.get("count")), request["confidence"])
            purses.record(analyst, text, answer["source"], answer)
        else:
            number = purses.begin(analyst, text, request.get("granted"))
            answer = told(curator.ask(text, count=request.get("count")), request["confidence"])
            purses.end(number, answer["source"], answer)
        return {"answer": answer, "used": purses.used(analyst)}


def _curator(vault: Vault, state: Path) -> Curator:
    """The curator; where a process before this one is just ending, once it has ended."""
    for _ in range(WAITS):
        try:
            return vault.curate(state=state)
        except InUse:
            time.sleep(WAIT_SECONDS)
    return vault.curate(state=state)


def main(handle: int) -> None:
    """Opens the curator as the first line says, then answers until the server is gone."""
    connection = socket.socket(fileno=handle)
    requests = lines_from(connection)
    try:
        keeper = Keeper.open(next(requests))
    except HushError as error:
        send_line(connection, {"error": error.to_dict()})
        return
    send_line(connection, {"ready": True} | keeper.facts())
    for request in requests:
        try:
            said = keeper.do(request)
        except HushError as error:
            said = {"error": error.to_dict()}
        except Exception as error:
            if os.environ.get("HUSH_DEBUG"):
                raise
            # The text of an unforeseen error may quote a row, so only its type is told.
            message = f"an unforeseen {type(error).__name__} in the curator's process: a bug in hush"
            said = {"error": error_dict(error, kind="Bug", message=message, exit_code=1)}
        send_line(connection, said)
    keeper.close()


if __name__ == "__main__":
    main(int(sys.argv[1]))
