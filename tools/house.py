"""The house: how its rooms are ranked, what of the vault is seen outside, and who imports whom, read from the source.

The architecture tests hold the package to this, and `house_map.py` draws it. Nothing of the package is imported.
"""

from __future__ import annotations

import ast
from pathlib import Path

__all__ = ["MATHS", "RANKS", "SECRET", "SRC", "VAULT", "imported_rooms", "imports", "rank", "room"]

SRC = Path(__file__).parents[1] / "src" / "hushtable"

Ranks = tuple[tuple[str, ...], ...]

# From the ground up. What stands in one line may not import each other, but for the first line.
RANKS: Ranks = (
    ("errors", "normal", "accounting", "budget", "laws", "words", "registry", "files", "extras", "addresses"),
    ("domain",),
    ("maths",),
    ("questions", "learning"),
    ("models",),
    ("vault",),
    ("mechanisms",),
    ("synopsis",),
    ("curator", "fair"),
    ("owner",),
    ("audit", "report", "demo"),
    ("server",),
    ("cli",),
)
MATHS: Ranks = (
    ("graphs", "interactions", "keys", "ranges", "smooth", "submodular", "trees"),
    ("linear", "wide", "weighted_rows"),
    ("distribution", "families", "geometry"),
    ("learning",),
)
# What of the vault may be named outside of it, by whom. Nobody else names any of it.
VAULT = {
    "mechanisms": ("door.door", "door.noise", "door.reveal", "statistics"),
    "curator": ("door.door", "door.randomness", "held_keys", "ledger", "statistics"),
    "owner": ("bounded_source", "door", "held_keys", "held_rows", "key_counts", "ledger", "sources", "statistics"),
    "audit": (
        "bounded_source",
        "door",
        "held_keys",
        "coding",
        "key_counts",
        "ledger.account",
        "ledger.sealed_lines",
        "sources",
        "statistics",
    ),
    "demo": ("door.randomness",),
    "cli": ("door.randomness", "ledger.ledger"),
}
SECRET = (
    "kernel",
    "door.samplers",
    "door.joint_samplers",
    "door.bernoulli",
    "door.rounded_gaussian",
    "door.polar_point",
)


def imports(path: Path, src: Path = SRC) -> set[str]:
    """Modules and names of the package that a file imports, at any depth, without the package's own name."""
    package = path.relative_to(src).parts[:-1]
    names = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else [])]
            names |= {".".join([*base, alias.name]) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hushtable."):
            names |= {f"{node.module}.{alias.name}".removeprefix("hushtable.") for alias in node.names}
    return names


def rank(name: str, ranks: Ranks = RANKS) -> int:
    """How high a room stands; StopIteration when it is not ranked."""
    return next(number for number, names in enumerate(ranks) if name in names)


def room(path: Path, src: Path = SRC) -> str:
    """The folder in the root of the package that a file is in, or the file itself without its ending."""
    return path.relative_to(src).with_suffix("").parts[0]


def imported_rooms(src: Path = SRC) -> dict[str, set[str]]:
    """Each ranked room to the other rooms that its files really import."""
    ranked = [name for names in RANKS for name in names]
    known = dict[str, set[str]]((name, set()) for name in ranked)
    for path in sorted(src.rglob("*.py")):
        mine = room(path, src)
        if mine in known:
            known[mine] |= {name.split(".")[0] for name in imports(path, src)} & known.keys() - {mine}
    return known
