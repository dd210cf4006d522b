"""Every command of the inventory runs on a small table, as it stands there: a source's algorithm is not run by half."""

import shlex
import sys
import tomllib
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest

import hushtable as ht
from hushtable import fair
from hushtable.cli import main

INVENTORY = tomllib.loads((Path(__file__).parents[2] / "papers" / "inventory.toml").read_text("utf-8"))
# tests/papers/test_papers.py runs those that reproduce a source.
COMMANDS = sorted({item["command"] for source in INVENTORY.values() for item in source["items"].values()
                   if not item.get("command", "hush reproduce").startswith("hush reproduce")})  # fmt: skip
VERBS = sorted({command.split()[1] for command in COMMANDS})
# The first of every verb is tried with the fast tests, the others in the slow suite.
QUICK = {next(command for command in COMMANDS if command.split()[1] == verb) for verb in VERBS}
RUNS = [pytest.param(command, marks=[] if command in QUICK else pytest.mark.slow) for command in COMMANDS]
ROWS = 2_000
BITS = [f"x{i}" for i in range(6)]
NUMBERS = ["age", "a", "b", "c", "d", "e", "f"]
INPUTS = [f"input{i}" for i in range(12)]


def bits(g):
    attributes = {name: {"kind": "boolean", "missing": "error"} for name in BITS}
    return attributes, {name: g.random(ROWS) < 0.3 for name in BITS}


def many_bits(g):
    """More combinations than a curator on points has points."""
    attributes = {f"x{i}": {"kind": "boolean", "missing": "error"} for i in range(20)}
    return attributes, {name: g.random(ROWS) < 0.3 for name in attributes}


def numbers(g):
    attributes = {name: {"kind": "number", "between": [0, 100], "missing": "error"} for name in NUMBERS}
    return attributes, {name: g.uniform(0, 100, ROWS).round(3) for name in NUMBERS}


def values(g):
    return {"v": {"kind": "open"}}, {"v": [f"site{i}" for i in g.integers(0, 40, ROWS)]}


def decision_lists(g, length=6):
    rules = [f"{INPUTS[i]}:1, !{INPUTS[j]}:0, default:0" for i, j in g.integers(0, len(INPUTS), (ROWS, 2))]
    return {"choice": {"kind": "decision_list", "inputs": INPUTS, "length": length}}, {"choice": rules}


def long_lists(g):
    return decision_lists(g, length=12)


def edges(g):
    names = [f"v{i}" for i in range(40)]
    a, b = g.integers(0, 40, (2, ROWS))
    kind = {"kind": "vertex", "values": names}
    return {"a": kind, "b": kind}, {"a": [names[i] for i in a], "b": [names[i] for i in b]}


def table_for(command):
    """What kind of table a command asks for."""
    kinds = {
        "polynomials=prefix": long_lists,
        "decision_lists": decision_lists,
        "--points": many_bits,
        "sparse(": values,
        "known_lists": values,
        "smooth(": numbers,
        "cuts()": edges,
    }
    return next((kind for word, kind in kinds.items() if word in command), numbers if " ask " in command else bits)


# What is asked of a file needs one that answers it.
RELEASED = {" ask ": "smooth(columns=[age])", " predict ": "marginals(width=3)"}
QUESTION = {values: "v IN ('site1', 'site2')"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "lists.txt").write_text("first: site1 site2\nsecond: site3\n")
    np.save("queries.npy", np.random.default_rng(1).integers(0, 2, (4, 2 ** len(BITS))))
    return tmp_path


def hush(line, monkeypatch):
    monkeypatch.setattr(sys, "argv", shlex.split(line))
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def filled(command, folder, monkeypatch):
    """The command with small files in place of its placeholders."""
    attributes, columns = table_for(command)(np.random.default_rng(2))
    pyarrow.csv.write_csv(pa.table({name: pa.array(list(column)) for name, column in columns.items()}), "t.csv")
    ht.Domain.from_dict({"table": "t", "attributes": attributes}).save(folder / "t.yaml")
    data = "t.csv --domain t.yaml" + (" -o t.hush" if "hush release" in command else "")
    if "FILE" in command or "LEDGER" in command:
        workload = next((own for word, own in RELEASED.items() if word in command), "marginals(width=1)")
        released = f"hush release t.csv --domain t.yaml -o t.hush --workload '{workload}' --epsilon 1"
        assert hush(released, monkeypatch) == 0
    if "RULE" in command:
        fair.solve([[0.0, 1.0], [1.0, 0.0]], fair.metric_from_points([[0.0], [1.0]], 1.0), public=True).save(
            "rule.json"
        )
    if command.startswith("hush curate"):
        command += f" --count {shlex.quote(QUESTION.get(table_for(command), 'x0 AND x1 AND x2'))}"
    for word, place in {"DATA": data, "FILE": "t.hush", "RULE": "rule.json", "LEDGER": "t.ledger"}.items():
        command = command.replace(word, place)
    return command


@pytest.mark.parametrize("command", RUNS)
def test_a_command_of_the_inventory_runs(command, folder, monkeypatch, capsys):
    line = filled(command, folder, monkeypatch)
    code = hush(line, monkeypatch)
    shown = capsys.readouterr()
    assert code == 0, f"{line}\n{shown.out}{shown.err}"
