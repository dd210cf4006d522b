"""Who may import whom: folders are ranked, and every import goes down.

Imports inside functions and those for types alone count too: a ring is a ring, whenever it closes. The ranks are in
tools/house.py, from which the map of the house is drawn as well.
"""

import pytest

from house import MATHS, RANKS, SECRET, SRC, VAULT, imports, rank, room

# What stands above every room: `import hushtable` and `python -m hushtable`.
ROOFS = ("__init__", "__main__")
FILES = sorted(path for path in SRC.rglob("*.py") if path.parent != SRC or path.stem not in ROOFS)


def ids(path):
    return str(path.relative_to(SRC))


def test_every_folder_is_ranked():
    there = {path.stem for path in SRC.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert there - {*ROOFS} == {name for names in RANKS for name in names}
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


def test_the_check_sees_imports_wherever_they_stand(tmp_path):
    (tmp_path / "models").mkdir()
    path = tmp_path / "models" / "sly.py"
    path.write_text("def f():\n    from ..vault.sources import open_source\n    from hushtable.cli import main\n")
    assert imports(path, tmp_path) == {"vault.sources.open_source", "cli.main"}
