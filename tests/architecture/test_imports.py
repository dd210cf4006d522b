"""The house rules: how long things may be, what may be called, and how fast the package loads."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

SRC = Path(__file__).parents[2] / "src" / "hushtable"
FILES = sorted(SRC.rglob("*.py"))


def imports(path: Path) -> set[str]:
    """Absolute names of the modules a file imports, at any depth; those only for type checking left out."""
    tree = ast.parse(path.read_text())
    package = ("hushtable", *path.relative_to(SRC).parts[:-1])
    guarded = {
        child
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for child in ast.walk(node)
    }
    found = set()
    for node in ast.walk(tree):
        if node in guarded:
            continue
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join((*base, *([node.module] if node.module else [])))
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


def inside(path: Path, *folders: str) -> bool:
    return path.relative_to(SRC).parts[0] in folders


@pytest.mark.parametrize("path", [p for p in FILES if inside(p, "cli")], ids=lambda p: p.name)
def test_the_command_line_holds_no_arithmetic(path):
    assert not {name for name in imports(path) if name.split(".")[0] in ("numpy", "math", "scipy", "pyarrow")}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_files_and_functions_stay_small(path):
    text = path.read_text()
    assert text.count("\n") <= 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) else node.body
            assert not body or node.end_lineno - body[0].lineno < 50, node.name


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(SRC)))
def test_nothing_is_evaluated_or_unpickled(path):
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"eval", "exec", "compile", "__import__"}
    # A learner that its maker wants in the file is a pickle, which `learn(trust=True)` runs and nothing else does.
    allowed = {"pickle"} if path == SRC / "models" / "learned" / "pickled.py" else set()
    assert not imports(path) & ({"pickle", "marshal", "shelve", "random"} - allowed)


def test_importing_the_package_loads_nothing_heavy():
    heavy = ("numpy", "pyarrow", "numba", "duckdb", "sqlglot")
    program = f"import sys, hushtable; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_public_names_are_pinned():
    import hushtable

    assert sorted(hushtable.__all__) == [
        "AllOf",
        "Answer",
        "AnyOf",
        "AtLeast",
        "Budget",
        "Combined",
        "Conjunctions",
        "CrossTab",
        "Curator",
        "CuratorAnswer",
        "CuratorPlan",
        "DecisionLists",
        "Domain",
        "Family",
        "GraphCuts",
        "HushError",
        "KnownLists",
        "Language",
        "Learned",
        "Ledger",
        "Linear",
        "Listed",
        "Lists",
        "Marginals",
        "Means",
        "ParityQueries",
        "Plan",
        "Polynomials",
        "Predicates",
        "Ranges",
        "Regressor",
        "RowComparison",
        "Simulated",
        "Smooth",
        "Sparse",
        "Synopsis",
        "Unit",
        "Vault",
        "WholeTable",
        "combine",
        "compare",
        "connect",
        "learning",
        "load",
        "plan",
        "plan_curator",
    ]  # fmt: skip
    for name in hushtable.__all__:
        assert getattr(hushtable, name) is not None
    with pytest.raises(AttributeError):
        hushtable.nothing  # noqa: B018


def methods_without_docstring():
    """(class, name) of every public method that says nothing itself."""
    from inspect import isfunction
    from pkgutil import walk_packages

    import hushtable

    for module in walk_packages(hushtable.__path__, "hushtable."):
        for cls in vars(import_module(module.name)).values():
            if isinstance(cls, type) and cls.__module__ == module.name and not cls.__name__.startswith("_"):
                for name, method in vars(cls).items():
                    inner = method.fget if isinstance(method, property) else getattr(method, "__func__", method)
                    inner = getattr(inner, "func", inner)
                    if not name.startswith("_") and isfunction(inner) and inner.__name__ == name and not inner.__doc__:
                        yield cls, name


def test_a_method_says_its_promise_or_keeps_that_of_its_base():
    for cls, name in methods_without_docstring():
        bases = [vars(base)[name] for base in cls.__mro__[1:] if name in vars(base)]
        assert any(base.__doc__ for base in bases), f"{cls.__qualname__}.{name} has no docstring, nor has its base"


def test_a_class_has_a_name_of_its_own():
    """One word, one thing. A mechanism may be called like the one statistic that it measures."""
    names = [node.name for path in FILES for node in ast.parse(path.read_text()).body if isinstance(node, ast.ClassDef)]
    public = [name for name in names if not name.startswith("_")]
    assert {name for name in public if public.count(name) > 1} == {"Histogram"}
