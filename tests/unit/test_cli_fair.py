"""`hush fair` as a user meets it: solve, report, decide, and one line for every mistake."""

import json

import pytest
from typer.testing import CliRunner

import hushtable as ht
from hushtable import fair
from hushtable.cli import app
from hushtable.demo.fair import prepare_lender, release_lender
from hushtable.demo.lender import CELLS

SOLVE = ("fair", "solve", "lender.hush", "--cells", CELLS, "--outcome", "repaid", "--metric", "metric.yaml")
PERSON = "income = 42000, debt = 12000, history = fair, district = harbour, origin = new"


def hush(*arguments):
    """Runs `hush` in this process; returns exit code, output and error text."""
    result = CliRunner().invoke(app, list(arguments))
    if isinstance(result.exception, ht.HushError):
        return result.exception.exit_code, result.stdout, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lender")
    prepare_lender(folder, rows=8000, seed=2)
    release_lender(folder, rows=8000)
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    for name in ("lender.hush", "metric.yaml"):
        (tmp_path / name).write_bytes((made / name).read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_solve_report_decide(folder):
    code, out, error = hush(
        *SOLVE, "--groups", "origin", "--parity", "0.1", "--costs", "wrong_yes=2", "-o", "rule.json"
    )
    assert code == 0, error
    assert "wrote rule.json" in out
    assert "all pairs within their distance" in out
    code, out, _ = hush("fair", "report", "rule.json", "--html", "rule.html")
    assert code == 0
    assert "bias       new and old: 0.1" in out
    assert "<svg" in (folder / "rule.html").read_text("utf-8")
    code, out, _ = hush("fair", "decide", "rule.json", "--person", PERSON)
    assert code == 0
    assert out.startswith(("yes (drawn from", "no (drawn from"))


def test_json_everywhere(folder):
    value = json.loads(hush(*SOLVE, "--divergence", "inf", "-o", "rule.json", "--json")[1])
    assert value["divergence"] == "inf"
    assert value["excess"] <= 1e-9
    assert value["loss_stderr"] > 0
    assert value["file"] == "rule.json"
    assert json.loads(hush("fair", "report", "rule.json", "--json")[1])["loss"] == value["loss"]
    drawn = json.loads(hush("fair", "decide", "rule.json", "--person", PERSON, "--seed", "1", "--json")[1])
    assert drawn["rehearsal"] is True
    assert drawn["action"] in drawn["odds"]
    assert "REHEARSAL" in drawn["notes"][0]


def test_a_seed_is_stamped_in_text_too(folder):
    hush(*SOLVE, "-o", "rule.json")
    first = hush("fair", "decide", "rule.json", "--person", PERSON, "--seed", "5")[1]
    assert first == hush("fair", "decide", "rule.json", "--person", PERSON, "--seed", "5")[1]
    assert first.startswith("REHEARSAL")


def test_preference_by_both_methods(folder):
    shared = ("--groups", "origin", "--parity", "0.05")
    assert hush(*SOLVE, *shared, "--cross", "inf", "-o", "dropped.json")[0] == 0
    assert hush(*SOLVE, *shared, "--cross", "0.05", "-o", "slack.json")[0] == 0
    assert hush(*SOLVE, *shared, "-o", "kept.json")[0] == 0
    losses = [fair.FairRule.load(f"{name}.json").loss for name in ("dropped", "slack", "kept")]
    assert losses == sorted(losses)
    assert losses[0] < losses[2]


@pytest.mark.parametrize(
    ("more", "said"),
    [
        (("--groups", "orign"), "Did you mean 'origin'"),
        (("--parity", "0.1"), "give groups too"),
        (("--groups", "origin", "--parity", "3"), "from 0 to 1"),
        (("--costs", "wrong=1"), "no cost 'wrong'"),
        (("--loss", "none.csv"), "takes the place"),
        (("--groups", "origin", "--protected", "nwe"), "Did you mean 'new'"),
    ],
)
def test_mistakes_are_one_line_and_write_nothing(folder, more, said):
    code, _, error = hush(*SOLVE, *more, "-o", "rule.json")
    assert code == 1
    assert said in error
    assert "\n" not in error.strip()
    assert not (folder / "rule.json").exists()


def test_a_time_out_says_so(folder):
    code, out, _ = hush(*SOLVE, "--time-limit", "0.0001", "-o", "rule.json")
    assert code == 0
    assert "the time limit of 0.0001 s was reached" in out
    assert fair.FairRule.load("rule.json").solution.excess <= 1e-9


def test_the_demo_is_quick_and_complete(tmp_path):
    value = json.loads(hush("demo", "--fair", "--rows", "6000", "--folder", str(tmp_path / "demo"), "--json")[1])
    assert value["seconds"] < 20
    assert value["rules"]["equal"]["compared"][0]["bias"] <= 0.05 + 1e-9
    assert {"rule.json", "rule.html", "lender.hush"} <= {path.name for path in (tmp_path / "demo").iterdir()}
    assert hush("demo", "--fair", "--rows", "6000", "--folder", str(tmp_path / "demo"))[0] == 1
