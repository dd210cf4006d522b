"""Call text: `marginals(width=3)`, `mwem(rounds=12)`: a name with named arguments. Read as data, never evaluated."""

from __future__ import annotations

import ast
from typing import Any

__all__ = ["read_call"]


def read_call(text: str) -> tuple[str, dict[str, Any]]:
    """Name and arguments; ValueError for anything else. A bare name has no arguments."""
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
