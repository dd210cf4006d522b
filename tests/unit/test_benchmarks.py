"""`python -m benchmarks NAME` measures what NAME says: every file and every figure that a file lists."""

import ast
import json
import sys
from importlib import import_module
from inspect import signature
from pathlib import Path

import numpy as np
import pandas
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks._figure import figure, wanted

FOLDER = Path(benchmarks.__file__).parent
NAMES = [(file, name) for file in benchmarks.FILES for name in (file, *import_module(f"benchmarks.{file}").FIGURES)]


def made(name):
    return figure(name, 1.0, "of nothing", baseline=None, ratio=1.0, bar="ratio <= 1")


def yields(*names):
    return lambda *_: iter([made(name) for name in names])


def shortened(module, monkeypatch):
    """Every step that takes long only gives figures of the names that it would give."""
    file = module.__name__.rpartition(".")[2]
    small = (pandas.DataFrame({"a": [0, 1]}), {"a": 2})
    if "only" not in signature(module.run).parameters:
        monkeypatch.setattr(module, "run", yields(*(f"{name}-1" for name in module.FIGURES), *module.FIGURES))
    elif file == "bars":
        seen = module.Seen(np.linspace(0, 1, 9), np.linspace(0, 0.9, 9), np.full(9, 0.1))
        monkeypatch.setattr(module, "load", lambda name: small)
        monkeypatch.setattr(module, "measure", lambda *_: {1: seen})
    elif file == "fit":
        monkeypatch.setattr(module, "load", lambda name: small)
        monkeypatch.setattr(module, "compare", lambda label, *_: iter([made(f"{label}-variation")]))
        monkeypatch.setattr(module, "even", yields("fit-even-100"))
    elif file == "rows":
        parts = {name: lambda name=name: iter([made(name)]) for name in module.parts()}
        monkeypatch.setattr(module, "parts", lambda: parts)
        monkeypatch.setattr(module, "DATA", FOLDER)
    elif file == "wide_choice":
        tables = dict.fromkeys(module.TABLES, lambda: np.zeros((16_000, 16), bool))
        monkeypatch.setattr(module, "TABLES", tables)
        monkeypatch.setattr(module, "Setting", lambda *_: None)
        monkeypatch.setattr(module, "figures", lambda what, _: iter([made(what)]))
        monkeypatch.setattr(module, "eight_of_seven_thousand", yields("choice-predicates-8-pure"))
        monkeypatch.setattr(module, "by_whole_table", lambda name: None)
    else:
        pytest.fail(f"{file} runs in parts: say here how its parts are shortened")


def called(name, monkeypatch, capsys):
    """Names of the figures that a call prints, and its exit code or message."""
    monkeypatch.setattr(sys, "argv", ["benchmarks", name])
    with pytest.raises(SystemExit) as ended:
        benchmarks.main()
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    return [line["name"] for line in lines if "holds" in line], ended.value.code


@pytest.mark.parametrize(("file", "name"), NAMES, ids=lambda text: text)
def test_a_call_by_name_measures_it(file, name, monkeypatch, capsys):
    module = import_module(f"benchmarks.{file}")
    monkeypatch.setattr(benchmarks, "FILES", [file])
    shortened(module, monkeypatch)
    measured, ended = called(name, monkeypatch, capsys)
    assert measured
    assert ended in {0, 1}
    if name == file:
        assert {one for one in module.FIGURES if any(figure.startswith(one) for figure in measured)} >= set(
            module.FIGURES
        ) - {"rows", "rows-rules", "rows-focus", "rows-shape"}
    else:
        assert all(figure.startswith(name) for figure in measured)


@pytest.mark.parametrize(
    ("name", "measured"),
    [("bars-adult-1-1-third", ["bars-adult-1-1-third"]), ("bars-adult-0.1", 3), ("bars-covered", ["bars-covered"])],
)
def test_a_single_line_can_be_called(name, measured, monkeypatch, capsys):
    monkeypatch.setattr(benchmarks, "FILES", ["bars"])
    shortened(import_module("benchmarks.bars"), monkeypatch)
    found, _ = called(name, monkeypatch, capsys)
    assert (len(found) if isinstance(measured, int) else found) == measured


def test_only_what_is_called_is_measured(monkeypatch, capsys):
    module = import_module("benchmarks.wide_choice")
    monkeypatch.setattr(benchmarks, "FILES", ["wide_choice"])
    shortened(module, monkeypatch)
    asked = []
    monkeypatch.setattr(module, "figures", lambda what, _: asked.append(what) or iter([made(what)]))
    called("choice-nltcs-5000-8", monkeypatch, capsys)
    assert asked == [f"choice-nltcs-5000-8-{currency}-replace" for currency in module.BUDGETS]


def test_what_is_not_there_is_said(monkeypatch, capsys):
    measured, ended = called("no-such-figure", monkeypatch, capsys)
    assert measured == []
    assert "no-such-figure" in ended


def test_names_and_their_beginnings():
    assert all(wanted("bars-adult-1", only) for only in (None, "", "bars", "bars-adult-1", "bars-adult-1-2-third"))
    assert not wanted("bars-adult-1", "bars-adult-10")
    assert not wanted("bars-adult-1", "bars-fire")


@pytest.mark.parametrize("file", benchmarks.FILES)
def test_every_figure_of_a_file_can_be_called(file):
    """What is written into a name begins as one of the listed figures does, or is begun by one."""
    figures = import_module(f"benchmarks.{file}").FIGURES
    tree = ast.parse((FOLDER / f"{file}.py").read_text("utf-8"))
    begins = []
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "figure" and call.args:
            text = call.args[0].values[0] if isinstance(call.args[0], ast.JoinedStr) else call.args[0]
            begins += [text.value] if isinstance(text, ast.Constant) else []
    assert [b for b in begins if not any(f.startswith(b) or b.startswith(f) for f in figures)] == []
