"""Words: numbers, names and lines as a person reads and writes them."""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

__all__ = ["counted", "html", "html_lines", "listed", "one_line", "read_call", "readable", "shortened", "suggestion"]


def readable(number: Fraction | float) -> str:
    """A number as a person would write it: `0.014973`, `1e-09`, never `0.000`."""
    return f"{float(number):.6g}"


def counted(count: int, noun: str) -> str:
    """`1 table`, `1,540 tables`."""
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def suggestion(given: str, known: Sequence[str]) -> str:
    """` Did you mean 'age'?`, or nothing when no known name is close."""
    close = difflib.get_close_matches(given, known, n=1)
    return f" Did you mean '{close[0]}'?" if close else ""


def listed(names: Sequence[str], most: int = 12) -> str:
    """The names, cut after `most` so that an error stays one line."""
    more = f", ... ({len(names) - most} more)" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def shortened(text: str, most: int) -> str:
    """The text, its end cut off where it is long; for a repr, which must never fill a screen."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def one_line(message: str, longest: int = 2000) -> str:
    """The message as one line that a terminal shows and does not obey, whatever text of others it quotes."""
    line = " ".join(message.split())
    if len(line) > longest:
        line = f"{line[: longest // 2]} ... {line[-longest // 2 :]}"
    return line if line.isprintable() else "".join(c if c.isprintable() else "\ufffd" for c in line)


def html(text: str) -> str:
    """The text as it stands on a page, whatever it holds."""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def html_lines(lines: Sequence[tuple[str, str]], heading: str = "") -> str:
    """Names and texts as a table of a notebook."""
    body = "".join(f"<tr><th>{html(name)}</th><td>{html(text)}</td></tr>" for name, text in lines)
    return f"{f'<p><b>{html(heading)}</b></p>' if heading else ''}<table>{body}</table>"


def read_call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments of `marginals(width=3)`; ValueError for anything else. Read as data, never evaluated."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        if isinstance(call, ast.Name):
            return call.id, {}
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
            raise ValueError
        return call.func.id, {str(k.arg): _plain(k.value) for k in call.keywords}
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ValueError from None


def _plain(node: ast.expr) -> Any:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):  # a file name: queries.csv
        return f"{_plain(node.value)}.{node.attr}"
    if isinstance(node, ast.List):
        return tuple(_plain(item) for item in node.elts)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        return ast.unparse(node)  # a column on another scale, as in log(income)
    return ast.literal_eval(node)
