"""What src imports is what an installation brings: declared, or an extra that says what to install."""

import ast
import importlib.util
import re
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from hushtable import extras
from hushtable.addresses import SparkPath, TableAt
from hushtable.cli.serve import NEEDED, check_installed
from hushtable.errors import BadData, BadQuestion
from hushtable.extras import ALONG, EXTRAS, need
from hushtable.questions.answer import Answer
from hushtable.report.plots import check_picture
from hushtable.vault.sources.postgresql import PostgresqlSource
from hushtable.vault.sources.spark import SparkSource

ROOT = Path(__file__).parents[2]
SRC = ROOT / "src" / "hushtable"
# Where the name of a distribution is not the name of its module.
MODULES = {"pyyaml": "yaml"}
# Files of the server's folder that are loaded where nothing is served.
WITHOUT_SERVER = ("__init__.py", "accounts.py", "client.py", "desk.py", "keeper.py", "problems.py", "purses.py")
WITHOUT_SERVER += ("settings.py", "worker.py")


def imported(tree: ast.AST) -> set[str]:
    """The top names of all modules imported anywhere below, but for the package's own and the standard library."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            names.add(node.module.split(".")[0])
    return names - set(sys.stdlib_module_names) - {"hushtable"}


def declared(project: dict) -> set[str]:
    names = {re.split(r"[<>=!~\[; ]", line, maxsplit=1)[0].lower() for line in project["dependencies"]}
    return {MODULES.get(name, name) for name in names}


@cache
def trees() -> dict[str, ast.AST]:
    return {str(path.relative_to(SRC)): ast.parse(path.read_text()) for path in sorted(SRC.rglob("*.py"))}


def test_every_import_is_declared_and_every_declaration_is_used():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    used = set().union(*map(imported, trees().values()))
    assert used - set(EXTRAS) - ALONG == declared(project)


def test_the_check_sees_a_module_that_is_imported_inside_a_function():
    assert imported(ast.parse("def f():\n    from scipy.stats import chi2\n    import os, yaml")) == {"scipy", "yaml"}


def test_extras_are_imported_inside_functions_only():
    """Or where types are checked, so that everything else works without them.

    The server is begun after all of its extras were looked for; what is loaded without it keeps to the rule.
    """
    for name, tree in trees().items():
        if name.startswith("server/") and name.removeprefix("server/") not in WITHOUT_SERVER:
            continue
        at_once = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
        assert not {top for node in at_once for top in imported(node)} & (set(EXTRAS) | ALONG), name


@pytest.mark.parametrize("module", EXTRAS)
def test_an_extra_that_is_missing_says_what_to_install(module, monkeypatch, tmp_path):
    real = importlib.util.find_spec
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == module else real(name))
    answer = Answer(question="q", unit="fraction", value=0.5, stderr=0.1)
    ways = {
        "matplotlib": lambda: check_picture(tmp_path / "a.svg"),
        "pandas": answer.to_pandas,
        "polars": answer.to_polars,
        "adbc_driver_manager": lambda: PostgresqlSource(TableAt("postgresql://h/db", "t")),
        "adbc_driver_postgresql": lambda: PostgresqlSource(TableAt("postgresql://h/db", "t")),
        "pyspark": lambda: SparkSource(SparkPath("t.parquet")),
    } | dict.fromkeys(NEEDED, check_installed)
    with pytest.raises((BadQuestion, BadData), match=rf"needs {module}, which is not installed: pip install"):
        ways[module]()
    with pytest.raises(BadQuestion):
        need(module)
