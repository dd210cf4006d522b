"""`hush curate` as a user meets it: answers, going on, freezing, and one line for every mistake."""

import json

import pytest
from curators import WIDE_QUESTIONS, write_table
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app

BUDGET = ("--rho", "400", "--updates", "30", "--way", "hypothesis")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(write_table(tmp_path))
    return tmp_path


def curate(*more, lines=None):
    """Exit code, output and error text."""
    result = CliRunner().invoke(app, ["curate", "t.csv", "--domain", "t.yaml", *more], input=lines)
    if isinstance(result.exception, ht.HushError):
        return result.exception.exit_code, result.stdout, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def test_shows_the_plan_then_one_line_an_answer(folder):
    code, out, _ = curate(*BUDGET, "--questions", "20000", *WIDE_QUESTIONS)
    assert code == 0
    plan, answers = out.split("\n\n")[:-1], out.splitlines()[-len(WIDE_QUESTIONS) :]
    assert "hypothesis" in plan[0]
    assert "threshold" in plan[0]
    assert all(line.split("; ")[0].endswith((", free", ", paid")) for line in answers)
    assert all(line.endswith("paid answers left") for line in answers)
    assert {line.split("; ")[0].split(", ")[-1] for line in answers} == {"free", "paid"}


def test_as_json_one_object_a_line(folder):
    code, out, _ = curate(*BUDGET, "--json", "--count", "--confidence", "0.9", *WIDE_QUESTIONS)
    plan, *answers = map(json.loads, out.splitlines())
    assert code == 0
    assert plan["way"] == "hypothesis"
    assert [a["question"] for a in answers] == WIDE_QUESTIONS
    assert {a["unit"] for a in answers} == {"count"}
    assert {a["confidence"] for a in answers} == {0.9}
    assert all(a["low"] <= a["value"] <= a["high"] for a in answers)
    assert {a["source"] for a in answers} == {"free", "paid"}
    assert all({"free", "answers_left", "budget_left", "currency", "notes"} <= set(a) for a in answers)


def test_questions_come_from_standard_input_line_by_line(folder):
    code, out, _ = curate(*BUDGET, "--json", lines="\n".join(["smoker", "", *WIDE_QUESTIONS[:3]]))
    assert code == 0
    assert [json.loads(line)["question"] for line in out.splitlines()[1:]] == ["smoker", *WIDE_QUESTIONS[:3]]


def test_goes_on_with_the_same_answers(folder):
    _, out, _ = curate(*BUDGET, "--json", *WIDE_QUESTIONS)
    paid = [a for a in map(json.loads, out.splitlines()[1:]) if a["source"] == "paid"]
    _, out, _ = curate("--json", *[a["question"] for a in paid])
    again = [json.loads(line) for line in out.splitlines()[1:]]
    assert [a["value"] for a in again] == [a["value"] for a in paid]
    assert {a["source"] for a in again} == {"repeated"}


def test_freezes_after_the_questions(folder):
    code, out, _ = curate(*BUDGET, *WIDE_QUESTIONS, "--freeze", "t.hush")
    assert code == 0
    assert out.endswith("wrote t.hush\n")
    assert ht.load("t.hush").mechanism == "curator-hypothesis"
    code, _, error = curate("smoker", "--freeze", "t.hush")
    assert (code, "exists" in error) == (1, True)


def test_a_bad_question_is_one_line_and_the_next_one_is_asked(folder):
    code, out, error = curate(*BUDGET, "SELECT avg(smoker) FROM t", "smokes", "smoker")
    assert code == 1
    assert error.count("\n") == 2
    assert "one count at a time" in error
    assert "no attribute 'smokes'" in error
    assert out.splitlines()[-1].endswith("paid answers left")


def test_a_new_curator_is_not_paid_for_where_no_question_can_be_read(folder):
    code, out, error = curate(*BUDGET, "smokes", "smoker AND")
    assert (code, out) == (1, "")
    assert "no attribute 'smokes'" in error
    assert "\n" not in error
    assert sorted(path.name for path in folder.iterdir()) == ["t.csv", "t.yaml"]
    assert curate(*BUDGET, "smoker")[0] == 0
    assert "paid answers left" in curate("smokes")[1]  # one that is begun is opened all the same


def test_after_the_last_paid_answer_it_goes_on_or_ends_with_code_3(folder):
    code, out, _ = curate("--rho", "400", "--updates", "1", "--way", "hypothesis", "--factor", "0.4", *WIDE_QUESTIONS)
    assert code == 0
    assert ", unverified; 0 paid answers left" in out
    code, _, error = curate("--on-exhausted", "refuse", *WIDE_QUESTIONS)
    assert code == 3
    assert "none is left" in error


def test_a_rehearsal_leaves_no_files(folder):
    first, again = (curate(*BUDGET, "--simulate", "7", *WIDE_QUESTIONS) for _ in range(2))
    assert first == again
    assert "NOT PRIVATE" in first[1]
    assert sorted(p.name for p in folder.iterdir()) == ["t.csv", "t.yaml"]


def test_its_files_can_be_named(folder):
    assert curate(*BUDGET, "--ledger", "own.ledger", "--state", "own.state", "smoker")[0] == 0
    assert sorted(p.name for p in folder.iterdir()) == ["own.ledger", "own.state", "t.csv", "t.yaml"]


@pytest.mark.parametrize(
    ("given", "code", "says"),
    [
        ((), 1, "needs a budget"),
        (("--epsilon", "0"), 1, "greater than 0"),
        (("--delta", "1e-6"), 1, "give either epsilon"),
        (("--rho", "1", "--questions", "0"), 1, "questions must be a whole number"),
        (("--rho", "1", "--confidence", "2"), 1, "confidence must be between 0 and 1"),
        (("--rho", "1", "--state", "no/such/folder"), 1, "no/such/folder"),
        (("--rho", "1", "--on-exhausted", "explode"), 2, "explode"),
    ],
)
def test_mistakes_are_one_line_and_leave_nothing_behind(folder, given, code, says):
    got, _, error = curate(*given, "smoker")
    assert got == code
    assert says in error
    assert sorted(p.name for p in folder.iterdir()) == ["t.csv", "t.yaml"]


def test_too_dear_ends_with_code_3(folder):
    shape = ht.Domain.load("t.yaml")
    ht.Ledger.create("t.ledger", table="t", domain_digest=shape.digest, unit=shape.unit, total=ht.Budget(rho=1))
    code, _, error = curate(*BUDGET, "smoker")
    assert code == 3
    assert "this costs rho = 400 but 1 is left" in error
