"""Who may import whom: folders are ranked, and every import goes down.

Imports inside functions and those for types alone count too: a ring is a ring, whenever it closes.
"""

import ast
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "hushtable"
FILES = sorted(path for path in SRC.rglob("*.py") if path != SRC / "__init__.py")
# From the ground up. What stands in one line may not import each other, but for the first line.
RANKS = (
    ("errors", "budget", "laws", "words", "registry", "files", "extras"),
    ("domain",),
    ("maths",),
    ("questions",),
    ("models",),
    ("vault",),
    ("mechanisms",),
    ("synopsis",),
    ("curator",),
    ("owner",),
    ("audit", "report", "demo"),
    ("cli",),
)
MATHS = (("interactions", "keys", "smooth"), ("linear", "wide", "weighted_rows"), ("distribution",))
# What of the vault may be named outside of it, by whom. Nobody else names any of it.
VAULT = {
    "mechanisms": ("door.door", "door.reveal", "statistics"),
    "curator": ("door.door", "door.randomness", "held_keys", "ledger", "statistics"),
    "owner": ("door", "held_keys", "held_rows", "ledger", "sources", "statistics"),
    "audit": ("door", "held_keys", "key_reading", "ledger.account", "ledger.sealed_lines", "statistics"),
    "demo": ("door.randomness",),
    "cli": ("door.randomness", "ledger.ledger"),
}
SECRET = ("kernel", "door.samplers", "door.bernoulli")


def imports(path: Path) -> set[str]:
    """Modules and names of the package that a file imports, at any depth, without the package's own name."""
    package = path.relative_to(SRC).parts[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else [])]
            found |= {".".join([*base, alias.name]) for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("hushtable."):
            found |= {f"{node.module}.{alias.name}".removeprefix("hushtable.") for alias in node.names}
    return found


def rank(name: str, ranks: tuple[tuple[str, ...], ...]) -> int:
    return next(number for number, names in enumerate(ranks) if name in names)


def room(path: Path) -> str:
    return path.relative_to(SRC).with_suffix("").parts[0]


def ids(path: Path) -> str:
    return str(path.relative_to(SRC))


def test_every_folder_is_ranked():
    there = {path.stem for path in SRC.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - {"__init__"} == {name for names in RANKS for name in names}
    maths = {path.name for path in (SRC / "maths").iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert maths == {name for names in MATHS for name in names}


@pytest.mark.parametrize("path", FILES, ids=ids)
def test_imports_go_down(path):
    mine = rank(room(path), RANKS)
    for name in imports(path):
        other = name.split(".")[0]
        if other not in (room(path), "__version__"):
            assert rank(other, RANKS) < mine or mine == 0 == rank(other, RANKS), name


@pytest.mark.parametrize("path", [path for path in FILES if room(path) == "maths"], ids=ids)
def test_imports_go_down_among_the_maths(path):
    parts = path.relative_to(SRC / "maths").parts
    for name in imports(path):
        other = name.split(".")
        if len(parts) > 1 and other[0] == "maths" and other[1] != parts[0]:
            assert rank(other[1], MATHS) < rank(parts[0], MATHS), name


@pytest.mark.parametrize("path", [path for path in FILES if room(path) != "vault"], ids=ids)
def test_only_a_named_surface_of_the_vault_is_seen_outside(path):
    named = {name.removeprefix("vault.") for name in imports(path) if name.startswith("vault.")}
    for name in named:
        assert any(name == part or name.startswith(f"{part}.") for part in VAULT.get(room(path), ())), name
        # A rehearsal draws from the samplers what a release will, before anything is charged.
        assert ids(path) == "owner/prepare.py" or not any(part in name for part in SECRET), name


def test_the_check_sees_imports_wherever_they_stand(tmp_path, monkeypatch):
    (tmp_path / "models").mkdir()
    path = tmp_path / "models" / "sly.py"
    path.write_text("def f():\n    from ..vault.sources import open_source\n    from hushtable.cli import main\n")
    monkeypatch.setitem(imports.__globals__, "SRC", tmp_path)
    assert imports(path) == {"vault.sources.open_source", "cli.main"}
