"""The command line as a user meets it: what works, and for every mistake one clear line and the right exit code."""

import json
import re
import subprocess
import sys

import pyarrow as pa
import pyarrow.csv
import pytest
from tables import domain, random_codes, table_of
from typer.testing import CliRunner

import hushtable as ht
from hushtable.cli import app, main

SHAPE = domain()
EPSILON = ("--epsilon", "1", "--delta", "1e-9")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    pa.csv.write_csv(table_of(SHAPE, random_codes(SHAPE, 400, seed=2)), tmp_path / "t.csv")
    SHAPE.save(tmp_path / "t.yaml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def hush(*arguments, monkeypatch=None):
    """Runs `hush` in this process; returns exit code, output and error text."""
    runner = CliRunner()
    result = runner.invoke(app, list(arguments))
    if isinstance(result.exception, ht.HushError):
        return result.exception.exit_code, result.stdout, str(result.exception)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result.exit_code, result.stdout, result.stderr


def release(*more, out="t.hush", data="t.csv"):
    workload = ("--workload", "marginals(width=2)", "--mechanism", "low-order")
    return hush("release", data, "--domain", "t.yaml", *EPSILON, *workload, "-o", out, *more)


class TestTheWay:
    def test_release_then_ask(self, folder):
        code, out, _ = release()
        assert code == 0
        assert "wrote t.hush" in out
        code, out, _ = hush("ask", "t.hush", "smoker AND age >= 65")
        assert code == 0
        assert re.fullmatch(r"-?\d\.\d+ ± \d\.\d+ \(95%\)\n", out)

    def test_ask_json_has_the_promised_keys(self, folder):
        release()
        value = json.loads(hush("ask", "t.hush", "smoker", "--json", "--confidence", "0.9")[1])
        assert list(value) == ["question", "unit", "value", "stderr", "bias", "low", "high", "confidence", "estimator",
                               "notes"]  # fmt: skip
        assert (value["unit"], value["confidence"]) == ("fraction", 0.9)
        assert value["low"] < value["value"] < value["high"]
        counted = json.loads(hush("ask", "t.hush", "smoker", "--json", "--count")[1])
        assert counted["unit"] == "count"
        assert counted["value"] == pytest.approx(400 * value["value"])

    def test_ask_group_by(self, folder):
        release()
        question = "SELECT region, smoker, count(*) FROM t GROUP BY region, smoker"
        value = json.loads(hush("ask", "t.hush", question, "--json")[1])
        assert list(value["rows"][0]) == ["region", "smoker", "value", "stderr", "bias", "low", "high"]
        assert len(value["rows"]) == 10
        wide = json.loads(hush("ask", "t.hush", question, "--json", "--simultaneous")[1])
        assert all(w["low"] < r["low"] for w, r in zip(wide["rows"], value["rows"], strict=True))
        tidy = json.loads(hush("ask", "t.hush", question, "--json", "--view", "consistent")[1])
        assert min(row["value"] for row in tidy["rows"]) >= 0
        assert "view" in tidy["notes"][-1]
        assert "north" in hush("ask", "t.hush", question)[1]

    def test_plan_says_price_and_forecast_and_opens_nothing(self, folder):
        (folder / "t.csv").unlink()
        pairs = ("--workload", "marginals(width=2)", "--mechanism", "low-order")
        code, out, _ = hush("plan", "--domain", "t.yaml", "--rows", "400", *EPSILON, *pairs)
        assert code == 0
        assert "mu^2/2 = 0.0165574; exact accounting: 10.6% more than zCDP" in out
        assert "typical cell" in out
        value = json.loads(hush("plan", "--domain", "t.yaml", "--rows", "400", *EPSILON, "--json")[1])
        assert value["price"]["amount"] == pytest.approx(0.0165574, rel=1e-5)
        assert value["currencies"]["zcdp"] == pytest.approx(0.014973, rel=1e-4)
        assert value["forecast"][0]["stderr"] == pytest.approx(value["forecast"][0]["stderr_rows"] / 400)

    @pytest.mark.parametrize("delta", [(), ("--delta", "1e-9")])
    def test_plan_solves_for_the_budget(self, folder, delta):
        asked = ("--rows", "400", "--workload", "marginals(width=2)", "--target-error", "0.02", "--width", "2")
        value = json.loads(hush("plan", "--domain", "t.yaml", *asked, *delta, "--json")[1])
        assert value["forecast"][1]["stderr"] <= 0.02
        assert value["forecast"][1]["stderr"] > 0.0195, "a smaller budget would do"

    def test_a_second_release_is_refused_until_raised(self, folder):
        assert release()[0] == 0
        code, _, error = release(out="again.hush")
        assert code == 3
        assert "mu^2/2 = 0.0165574 but 0 is left" in error
        assert not (folder / "again.hush").exists()
        code, _, _ = hush("ledger", "raise", "t.ledger", "--epsilon", "2", "--delta", "1e-9", "--why", "agreed")
        assert code == 0
        assert release(out="again.hush")[0] == 0
        shown = json.loads(hush("ledger", "show", "t.ledger", "--json")[1])
        assert [line["kind"] for line in shown["lines"]] == [
            "create", "reserve", "charge", "settle", "raise", "reserve", "charge", "settle",
        ]  # fmt: skip
        assert hush("ledger", "verify", "t.ledger")[1] == "t.ledger: 8 lines, chain intact\n"

    def test_a_declared_total_covers_several_releases(self, folder):
        hush("ledger", "create", "t.ledger", "--domain", "t.yaml", "--rho", "0.1")
        assert release()[0] == 0
        assert release(out="two.hush")[0] == 0
        assert "left 0.0700" in hush("ledger", "show", "t.ledger")[1]

    def test_domain_check_draft_dummy(self, folder):
        code, out, _ = hush("domain", "check", "t.yaml", "--data", "t.csv")
        assert code == 0
        assert "NOT FOR PUBLICATION" in out
        code, out, error = hush("domain", "draft", "t.csv", "-o", "draft.yaml")
        assert code == 0
        assert "reveals" in error
        assert (folder / "draft.yaml").read_text().startswith("# DRAFT")
        assert hush("domain", "check", "draft.yaml", "--data", "t.csv")[0] == 0
        assert hush("domain", "dummy", "t.yaml", "-n", "50", "-o", "fake.csv")[0] == 0
        assert hush("domain", "check", "t.yaml", "--data", "fake.csv")[0] == 0

    def test_simulate_is_stamped_everywhere(self, folder):
        _, out, _ = release("--simulate", "7")
        assert "NOT private" in out
        assert "NOT PRIVATE" in hush("ask", "t.hush", "smoker")[1]
        assert not (folder / "t.ledger").exists()

    def test_without_a_workload_the_whole_table_is_released(self, folder):
        code, out, _ = hush("release", "t.csv", "--domain", "t.yaml", "--epsilon", "20", "-o", "t.hush")
        assert code == 0
        assert "whole_table(" in out

    def test_demo_json(self, folder):
        _, out, _ = hush("demo", "--rows", "5000", "--json", "--folder", "demo")
        value = json.loads(out)
        assert len(value["questions"]) == 12
        assert value["simulated"]
        assert (folder / "demo" / "clinic.hush").exists()
        assert "inside" in hush("demo", "--rows", "5000")[1]


MISTAKES = {
    "missing data file": (("release", "no.csv"), "no file no.csv", 1),
    "missing domain file": (("release", "t.csv", "--domain", "no.yaml"), "no file no.yaml", 1),
    "epsilon 0": (("release", "t.csv", "--epsilon", "0"), "epsilon must be greater than 0", 1),
    "epsilon negative": (("release", "t.csv", "--epsilon", "-1"), "greater than 0, not -1", 1),
    "epsilon nan": (("release", "t.csv", "--epsilon", "nan"), "must be a finite number", 1),
    "delta 1": (("release", "t.csv", "--delta", "1"), "delta must be at least 0 and below 1", 1),
    "workload unknown": (("release", "t.csv", "--workload", "margnals(width=2)"), "Did you mean 'marginals'", 1),
    "workload unreadable": (("release", "t.csv", "--workload", "marginals("), "write it like marginals(width=3)", 1),
    "workload argument": (("release", "t.csv", "--workload", "marginals(depth=2)"), "takes width", 1),
    "width over d": (("release", "t.csv", "--workload", "marginals(width=9)"), "use width=4 or less", 1),
    "width 0": (("release", "t.csv", "--workload", "marginals(width=0)"), "at least 1", 1),
    "mechanism unknown": (("release", "t.csv", "--mechanism", "low-ordr"), "Did you mean 'low-order'", 1),
    "output exists": (("release", "t.csv", "-o", "t.yaml"), "only copy", 1),
    "output folder missing": (("release", "t.csv", "-o", "no/t.hush"), "cannot write", 1),
    "ledger folder missing": (("release", "t.csv", "--ledger", "no/t.ledger"), "cannot write the ledger", 1),
}


def with_defaults(arguments):
    defaults = {"--domain": "t.yaml", "--epsilon": "1", "--workload": "marginals(width=2)", "-o": "new.hush"}
    missing = [part for key, value in defaults.items() if key not in arguments for part in (key, value)]
    return [*arguments, *missing]


class TestMistakes:
    @pytest.mark.parametrize("name", MISTAKES)
    def test_one_line_right_code_nothing_spent(self, folder, name):
        arguments, words, code = MISTAKES[name]
        before = sorted(p.name for p in folder.iterdir())
        seen, _, error = hush(*with_defaults(arguments))
        assert seen == code
        assert words in error
        assert "\n" not in error
        assert sorted(p.name for p in folder.iterdir()) == before, "something was written or spent"

    def test_a_value_outside_the_domain(self, folder):
        (folder / "t.csv").write_text("age,sex,region,smoker\n40,unknown,north,1\n")
        code, _, error = release()
        assert code == 1
        assert "column sex has missing values or values outside its declared 2 values" in error
        assert "unknown" not in error, "the message quotes a private value"
        assert not (folder / "t.ledger").exists()

    def test_a_column_in_the_domain_but_not_in_the_data(self, folder):
        (folder / "t.csv").write_text("age,sexx,region,smoker\n40,male,north,1\n")
        code, _, error = release()
        assert (code, "the domain has sex but the data have no such column" in error) == (1, True)
        assert "sexx" not in error, "the first line of a text file may be a row"

    @pytest.mark.parametrize("text", ["age,sex,region,smoker\n", ""])
    def test_an_empty_table(self, folder, text):
        (folder / "t.csv").write_text(text)
        code, _, error = release()
        assert code == 1
        assert re.search("no rows|empty|no such column", error)
        assert not (folder / "t.ledger").exists()

    def test_a_ledger_of_another_table(self, folder):
        (folder / "u.yaml").write_text((folder / "t.yaml").read_text().replace("table: t", "table: u"))
        hush("ledger", "create", "t.ledger", "--domain", "u.yaml", "--epsilon", "9", "--delta", "1e-9")
        code, _, error = release()
        assert (code, "belongs to table 'u'" in error) == (1, True)

    def test_over_budget_is_exit_3(self, folder):
        hush("ledger", "create", "t.ledger", "--domain", "t.yaml", "--rho", "0.001")
        code, _, error = release()
        assert (code, "0.001 is left" in error) == (3, True)
        assert not (folder / "t.hush").exists()

    @pytest.mark.parametrize(
        ("question", "words"),
        [
            ("smokr", "Did you mean 'smoker'"),
            ("smoker AND sex = 'male' AND age >= 65", "joins 3 attributes"),
            ("age >= 60", "nearest edges are 18 and 65"),
            ("smoker AND (", "cannot read the question"),
            ("region = 'nroth'", "Did you mean 'north'"),
        ],
    )
    def test_questions(self, folder, question, words):
        release()
        code, _, error = hush("ask", "t.hush", question)
        assert (code, words in error, "\n" in error) == (1, True, False)

    def test_a_syntax_error_is_pointed_at(self, folder):
        release()
        assert "at 'AND', after: smoker AND" in hush("ask", "t.hush", "smoker AND AND sex = 'male'")[2]

    def test_bad_synopsis(self, folder):
        (folder / "bad.hush").write_bytes(b"not a zip")
        code, _, error = hush("ask", "bad.hush", "smoker")
        assert (code, "damaged" in error) == (1, True)
        assert hush("ask", "none.hush", "smoker")[0] == 1

    def test_bad_confidence(self, folder):
        release()
        assert "between 0 and 1" in hush("ask", "t.hush", "smoker", "--confidence", "1.5")[2]

    def test_usage_is_exit_2(self, folder):
        assert hush("ask")[0] == 2
        assert hush("nonsense")[0] == 2


class TestTheRealCommand:
    """Through a shell, because exit codes and standard error are promises too."""

    def run(self, folder, *arguments):
        command = [sys.executable, "-m", "hushtable", *arguments]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)

    def test_errors_go_to_stderr_in_one_line(self, folder):
        done = self.run(folder, "ask", "none.hush", "smoker")
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith("hush: no file none.hush")
        assert done.stderr.count("\n") == 1

    def test_errors_as_json(self, folder):
        done = self.run(folder, "ask", "none.hush", "smoker", "--json")
        error = json.loads(done.stderr)["error"]
        assert done.stderr.count("\n") == 1
        assert list(error) == ["kind", "message", "exit_code"]
        assert (error["kind"], error["exit_code"], done.returncode) == ("BadPath", 1, 1)
        assert error["message"].startswith("no file none.hush")

    def test_errors_as_json_carry_their_numbers(self, folder):
        arguments = ("--rho", "0.5", "--workload", "marginals(width=1)", "--json")
        first, second = (
            self.run(folder, "release", "t.csv", "--domain", "t.yaml", *arguments, "-o", name)
            for name in ("a.hush", "b.hush")
        )
        error = json.loads(second.stderr)["error"]
        assert (first.returncode, second.returncode) == (0, 3)
        assert (error["kind"], error["exit_code"]) == ("OverBudget", 3)
        assert (error["asked"], error["left"], error["unit"]) == (0.5, 0, "rho")

    def test_an_unforeseen_error_shows_no_text(self, monkeypatch, capsys):
        def broken():
            raise RuntimeError("row 17: Alice")

        monkeypatch.setattr("hushtable.cli.app", broken)
        monkeypatch.delenv("HUSH_DEBUG", raising=False)
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 1
        assert "Alice" not in capsys.readouterr().err

    def test_version(self, folder):
        assert self.run(folder, "--version").stdout == f"hush {ht.__version__}\n"
