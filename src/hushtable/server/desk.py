"""The desk: a process that plans releases from pasted domains. It sees no data, and is ended when it takes too long."""

from __future__ import annotations

import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..errors import BadPlan, HushError, error_dict
from .worker import lines_from, send_line

__all__ = ["main", "planned"]


def planned(request: dict[str, Any]) -> dict[str, Any]:
    """What `hush plan` says of a domain, a workload and a budget."""
    from ..budget import Budget
    from ..domain import Domain
    from ..domain.yaml_text import read_yaml
    from ..mechanisms.planner import plan

    workload = request.get("workload") or None
    if workload is not None and "file" in workload:
        raise BadPlan("a plan here reads no files; for linear(file=...) run `hush plan` where the file is")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "domain.yaml"
        path.write_text(request["domain"], "utf-8")
        try:
            # Not Domain.load, which also reads the maps that a domain names as files: here those of the server.
            domain = Domain.from_dict(read_yaml(path))
        except HushError as error:
            # The name of a file that nobody gave would only puzzle.
            raise type(error)(str(error).replace(str(path), "the domain")) from None
    budget = Budget(epsilon=request.get("epsilon"), delta=request.get("delta"), rho=request.get("rho"))
    made = plan(domain, rows=request.get("rows"), workload=workload, budget=budget)
    return {"plan": made.to_dict(), "text": str(made)}


def main(handle: int) -> None:
    """Answers requests until the server is gone."""
    connection = socket.socket(fileno=handle)
    for request in lines_from(connection):
        try:
            send_line(connection, planned(request) if "domain" in request else {"ready": True})
        except HushError as error:
            send_line(connection, {"error": error.to_dict()})
        except Exception as error:
            message = f"an unforeseen {type(error).__name__} while planning: a bug in hush"
            send_line(connection, {"error": error_dict(error, kind="Bug", message=message, exit_code=1)})


if __name__ == "__main__":
    main(int(sys.argv[1]))
