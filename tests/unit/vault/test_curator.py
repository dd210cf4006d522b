"""Curator: what is free, what is paid, what is kept, what happens at the end, and what it refuses."""

import math
import os
import threading
from fractions import Fraction

import numpy as np
import pytest
from curators import CODES, PURE, RICH, ROWS, SHAPE, WIDE_QUESTIONS, ask_all, rehearsal, truth, vault, write_table
from tables import BINARY, domain, random_codes, table_of

import hushtable as ht
from hushtable.curator import conditions
from hushtable.errors import BadBudget, BadData, BadPath, BadPlan, BadQuestion, BadState, Exhausted, OverBudget


@pytest.fixture
def folder(tmp_path):
    return write_table(tmp_path)


def charges(folder):
    return [line for line in ht.Ledger.open(folder / "t.ledger").lines() if line.kind == "charge"]


class TestAnswers:
    def test_answers_are_close_and_say_where_they_come_from(self):
        curator = rehearsal()
        answers = {text: curator.ask(text) for text in WIDE_QUESTIONS}
        sources = {answer.source for answer in answers.values()}
        assert sources == {"free", "paid"}
        for text, answer in answers.items():
            low, high = answer.interval(0.9999)
            assert low <= truth(text) <= high
            assert answer.free is (answer.source == "free")
            assert ("free" if answer.free else "paid") in answer.notes[-1]
            assert f"{answer.answers_left:,} paid answers left (rho = " in answer.notes[-1]

    def test_a_free_answer_costs_nothing_and_a_paid_one_a_stretch(self):
        curator = rehearsal()
        before, left = curator.answers_left, curator.budget_left
        for text in WIDE_QUESTIONS:
            compared = curator._bars.stage
            answer = curator.ask(text)
            left -= curator.plan.calibration_each * (curator._bars.stage - compared)
            if answer.source == "paid":
                assert answer.answers_left == before - 1
                before = answer.answers_left
                left -= curator.plan.terms.each
            assert answer.answers_left == before
            # The stretch that is open is paid for already.
            assert answer.budget_left == left - (0 if answer.source == "paid" else curator.plan.terms.each)

    def test_the_same_condition_is_answered_the_same_however_it_is_written(self):
        curator = rehearsal()
        paid = next(text for text in WIDE_QUESTIONS if curator.ask(text).source == "paid")
        first, second, third = paid.split(" AND ")
        answers = [
            curator.ask(text, count=False)
            for text in (
                paid,
                f"{third} AND ({first} AND {second})",
                f"all({second}, {third}, {first})",
                f"SELECT count(*) FROM t WHERE {paid} AND age IS NOT NULL",
                f"({paid} AND sex = 'male') OR ({paid} AND sex = 'female')",
            )
        ]
        assert {answer.source for answer in answers} == {"repeated"}
        assert len({(answer.value, answer.stderr, answer.budget_left) for answer in answers}) == 1

    def test_counts_and_fractions_are_the_same_answer(self):
        curator = rehearsal()
        for text in WIDE_QUESTIONS:
            share = curator.ask(text)
            if share.source == "paid":
                count = curator.ask(text, count=True)
                assert count.unit == "count"
                assert count.value == pytest.approx(share.value * ROWS)
                np.testing.assert_allclose(np.array(share.interval()) * ROWS, count.interval())

    def test_what_the_domain_alone_says_is_certain(self):
        curator = rehearsal()
        everything = curator.ask("SELECT count(*) FROM t")
        assert (everything.value, everything.stderr, everything.source) == (ROWS, 0, "certain")
        assert curator.ask("SELECT count(*) FROM t", count=False).value == 1
        assert curator.ask("smoker AND NOT smoker").value == 0
        assert curator.ask("smoker OR NOT smoker").interval() == (1, 1)
        assert curator.budget_left == curator.plan.price.amount - curator.plan.start_amount

    def test_a_paid_answer_is_never_an_impossible_count(self):
        curator = rehearsal(ht.Budget(rho="0.001"), way="independent", questions=60)
        values = [curator.ask(text, count=True).value for text in WIDE_QUESTIONS]
        assert min(values) >= 0
        assert max(values) <= ROWS
        assert {0, ROWS} & set(values), "the noise is large enough to be clipped"

    def test_as_json_and_as_text(self):
        curator = rehearsal()
        answers = {curator.ask(text).source: curator.ask(text) for text in WIDE_QUESTIONS}
        free = next(a for a in map(curator.ask, WIDE_QUESTIONS) if a.source == "free")
        found = free.to_dict()
        assert found["free"] is True
        assert found["low"] <= found["value"] <= found["high"]
        assert found["estimator"] == "calibrated"
        assert found["certified"][0] <= found["low"]
        assert found["high"] <= found["certified"][1]
        assert found["answers_left"] == curator.answers_left
        assert free.text().endswith("(95%), free")
        assert " ± " in str(answers["paid"])
        assert "NOT PRIVATE" in free.notes[0]
        assert free.to_arrow().column_names == ["value", "stderr", "bias", "low", "high", "not_private"]


class TestIndependent:
    def test_every_new_question_is_paid(self):
        curator = rehearsal(way="independent", questions=40)
        for number, text in enumerate(WIDE_QUESTIONS, start=1):
            answer = curator.ask(text)
            assert answer.source == "paid"
            assert answer.answers_left == 40 - number
            assert curator.ask(text).source == "repeated"
            assert abs(answer.value - truth(text)) < 7 * answer.stderr

    def test_after_the_last_one_all_answers_are_fitted_together(self):
        curator = rehearsal(way="independent", questions=len(WIDE_QUESTIONS))
        for text in WIDE_QUESTIONS:
            curator.ask(text)
        answer = curator.ask("age < 18 AND smoker")
        assert answer.source == "unverified"
        assert abs(answer.value - truth("age < 18 AND smoker")) < 0.05


class TestTheEnd:
    def test_unverified_answers_without_a_calibration_are_unknown_and_say_why(self):
        curator = rehearsal(updates=1, calibration=0)
        answers = [curator.ask(text) for text in WIDE_QUESTIONS]
        assert [a.source for a in answers].count("paid") == 1
        last = answers[-1]
        assert last.source == "unverified"
        assert all(map(math.isnan, (last.stderr, *last.interval())))
        assert (last.to_dict()["low"], last.to_dict()["stderr"], last.to_dict()["high"]) == (None, None, None)
        assert last.text().endswith("\nunknown (95%), unverified")
        assert "unknown: nothing says how far the hypothesis is off" in last.notes[-2]
        assert "not compared with the table" in last.notes[-1]
        assert last.certified == (0, 1)
        assert curator.ask(WIDE_QUESTIONS[-1], count=True).certified == (0, ROWS)

    def test_unverified_answers_have_the_bar_that_the_last_calibration_measured(self):
        curator = rehearsal(updates=4)
        answers = [curator.ask(text) for text in WIDE_QUESTIONS]
        unverified = [a for a in answers if a.source == "unverified"]
        assert len(unverified) > 5
        assert curator._bars.stage == len(curator.plan.stages) - 1
        for answer in unverified:
            low, high = answer.interval(0.9999)
            assert low <= truth(answer.question) <= high < 1
            assert answer.estimator == "calibrated"
            assert "as this curator has measured" in answer.notes[-2]

    def test_or_are_refused_in_one_line_and_paid_ones_stay(self):
        curator = rehearsal(updates=1, on_exhausted="refuse")
        kept = []
        with pytest.raises(Exhausted, match="none is left") as caught:
            kept += [curator.ask(text) for text in WIDE_QUESTIONS]
        assert "\n" not in str(caught.value)
        assert caught.value.exit_code == 3
        with pytest.raises(Exhausted):
            curator.ask("age < 18 AND region = 'west'")
        assert curator.ask("SELECT count(*) FROM t").value == ROWS


class TestCharges:
    def test_the_whole_budget_is_reserved_and_a_stretch_is_one_line(self, folder):
        with vault(folder).curate(budget=RICH, updates=30, way="hypothesis") as curator:
            paid = [text for text in WIDE_QUESTIONS if curator.ask(text).source == "paid"]
            each, start = curator.plan.terms.each, curator.plan.start_amount
            compared, stages = curator.plan.calibration_each, curator._bars.stage + 1
        ledger = ht.Ledger.open(folder / "t.ledger")
        assert ledger.left == 0
        lines = charges(folder)
        assert [line.amount for line in lines if "calibration" in line.what] == [compared] * stages
        assert stages > 0
        amounts = [line.amount for line in lines if "calibration" not in line.what]
        # After a paid answer the next stretch waits for the next question, and closing leaves a line without cost.
        assert amounts in ([start, *[each] * (len(paid) + 1)], [start, *[each] * len(paid), 0])
        assert len(paid) > 3
        assert all(line.what.startswith("curator ") for line in lines)

    def test_nothing_is_charged_before_the_first_question_but_the_start(self, folder):
        vault(folder).curate(budget=RICH, way="hypothesis").close()
        assert [line.what.split(";")[0] for line in charges(folder)] == ["curator start", "curator closed"]
        assert charges(folder)[1].amount == 0

    def test_all_charges_fit_and_then_it_is_over(self, folder):
        curator = vault(folder).curate(budget=ht.Budget(rho="0.5"), updates=5, way="hypothesis", on_exhausted="refuse")
        with curator, pytest.raises(Exhausted):
            ask_all(curator, times=300)
        assert sum(line.amount for line in charges(folder)) <= Fraction(1, 2)
        assert sum(line.amount == curator.plan.terms.each for line in charges(folder)) == 5

    def test_pure_epsilon_pays_for_its_threshold_once_a_process(self, folder):
        paid = 0
        for _ in range(2):
            with vault(folder).curate(budget=PURE, updates=30, way="hypothesis") as curator:
                paid += sum(curator.ask(text).source == "paid" for text in WIDE_QUESTIONS)
                terms = curator.plan.terms
        amounts = [line.amount for line in charges(folder) if line.what.startswith("curator stretch")]
        assert amounts.count(terms.each + terms.opening) == 2
        assert amounts.count(terms.each) == len(amounts) - 2 >= paid - 2 > 3

    def test_a_pure_curator_on_a_rho_ledger_goes_on_where_it_was(self, folder):
        ht.Ledger.create(
            folder / "t.ledger", table="t", domain_digest=SHAPE.digest, unit=SHAPE.unit, total=ht.Budget(rho=10**5)
        )
        with vault(folder).curate(budget=PURE, updates=30, way="hypothesis") as curator:
            for text in WIDE_QUESTIONS:
                curator.ask(text)
            left = curator.budget_left
        with vault(folder).curate() as curator:
            assert curator.budget_left == left
        assert ht.Ledger.open(folder / "t.ledger").spent == Fraction(400**2, 2)

    def test_too_dear_leaves_nothing_behind(self, folder):
        ht.Ledger.create(
            folder / "t.ledger", table="t", domain_digest=SHAPE.digest, unit=SHAPE.unit, total=ht.Budget(rho=1)
        )
        with pytest.raises(OverBudget):
            vault(folder).curate(budget=RICH)
        assert not (folder / "t.curator").exists()
        assert ht.Ledger.open(folder / "t.ledger").spent == 0

    @pytest.mark.parametrize("ledger", [False, True])
    def test_rows_that_do_not_fit_cost_nothing_and_leave_nothing_behind(self, folder, ledger):
        strict = domain({"region": {"kind": "category", "values": ["north"], "missing": "error"}})
        if ledger:
            ht.Ledger.create(
                folder / "t.ledger", table="t", domain_digest=strict.digest, unit=strict.unit, total=ht.Budget(rho=1000)
            )
        with pytest.raises(BadData, match="region"):
            vault(folder, strict).curate(budget=RICH)
        assert not (folder / "t.curator").exists()
        assert (folder / "t.ledger").exists() is ledger
        assert not ledger or ht.Ledger.open(folder / "t.ledger").spent == 0

    def test_a_rehearsal_leaves_ledger_and_state_alone(self, folder):
        answers = []
        for _ in range(2):
            curator = vault(folder).curate(budget=RICH, randomness=ht.Simulated(4), way="hypothesis")
            answers.append([curator.ask(text).value for text in WIDE_QUESTIONS])
            assert curator.freeze().not_private
        assert answers[0] == answers[1]
        assert sorted(p.name for p in folder.iterdir()) == ["t.csv", "t.yaml"]


class TestPrivateNumberOfRows:
    SHAPE = domain(neighbours="add-remove")

    def test_it_is_measured_and_its_noise_shows(self):
        curator = rehearsal(ht.Budget(rho="0.5"), shape=self.SHAPE, questions=20, way="independent")
        count, share = curator.ask("SELECT count(*) FROM t"), curator.ask("SELECT count(*) FROM t", count=False)
        assert 0 < count.stderr == pytest.approx(curator.plan.rows_stderr)
        assert abs(count.value - ROWS) < 7 * count.stderr
        assert (share.value, share.stderr) == (1, 0)
        paid = curator.ask("smoker")
        assert paid.stderr > curator.plan.answer_stderr / count.value
        assert abs(paid.value - truth("smoker")) < 7 * paid.stderr

    def test_free_answers_bound_the_count_and_the_fraction(self):
        curator = rehearsal(ht.Budget(rho=10), shape=self.SHAPE)
        free = [a for a in map(curator.ask, WIDE_QUESTIONS) if a.source == "free"]
        assert free
        assert all(a.rows_noise > 0 for a in free if a.value > 0)
        assert curator.ask(free[0].question, count=True).rows_noise == 0
        assert all(a.stderr > a.rows_noise for a in free)


class TestRefusals:
    @pytest.mark.parametrize(
        "text",
        [
            "SELECT sex, count(*) FROM t GROUP BY sex",
            "SELECT avg(smoker) FROM t",
            "SELECT avg(age) FROM t WHERE smoker",
        ],
    )
    def test_averages_and_groups_are_refused_without_a_charge(self, text):
        curator = rehearsal()
        with pytest.raises(BadQuestion, match="one count at a time") as caught:
            curator.ask(text)
        assert "\n" not in str(caught.value)
        assert curator.answers_left == 30

    def test_too_many_attributes_at_once_are_refused_before_anything_is_spent(self):
        shape = domain({f"x{i}": BINARY["b0"] for i in range(24)})
        codes = random_codes(shape, 50, seed=1)
        curator = rehearsal(shape=shape, codes=codes)
        with pytest.raises(BadQuestion, match=r"joins 23 attributes .* nothing was spent"):
            curator.ask(f"all({', '.join(f'x{i}' for i in range(23))})")
        assert curator.answers_left == 30
        assert curator.ask("all(x1, x5, x9, x11, x15, x17, x21, x23)").value <= 1

    def test_attributes_that_cannot_be_joined_are_answered_but_not_learned(self, folder, monkeypatch):
        monkeypatch.setattr(conditions, "MOST_CELLS", 12)
        with vault(folder).curate(budget=RICH, way="hypothesis") as curator:
            answers = [curator.ask(text) for text in ("age < 18 AND sex = 'male'", "age >= 65 AND smoker")]
            outside = [a for a in answers if "cannot learn" in a.notes[-1]]
            assert [a.source for a in answers] == ["paid", "paid"]
            assert len(outside) == 1
            assert abs(outside[0].value - truth(outside[0].question)) < 7 * outside[0].stderr
            frozen = curator.freeze()
            frozen.save(folder / "t.hush")
            value = ht.load(folder / "t.hush").ask(answers[0].question).value
        with vault(folder).curate() as curator:
            assert [curator.ask(a.question).value for a in answers] == [a.value for a in answers]
            assert curator.freeze().ask(answers[0].question).value == pytest.approx(value, abs=1e-6)

    @pytest.mark.parametrize(
        ("given", "kind", "says"),
        [
            ({}, BadBudget, "needs a budget"),
            ({"budget": RICH, "on_exhausted": "explode"}, BadPlan, "unverified or refuse, not 'explode'"),
            ({"budget": RICH, "questions": -1}, BadPlan, "questions must be"),
            ({"budget": RICH, "state": "missing/t.curator"}, BadPath, "missing/t.curator"),
        ],
    )
    def test_opening_it_wrongly_leaves_nothing_behind(self, folder, given, kind, says, monkeypatch):
        monkeypatch.chdir(folder)
        with pytest.raises(kind, match=says):
            vault(folder).curate(**given)
        assert sorted(p.name for p in folder.iterdir()) == ["t.csv", "t.yaml"]

    def test_an_unknown_attribute_costs_nothing(self):
        curator = rehearsal()
        with pytest.raises(BadQuestion, match="no attribute 'smokes'"):
            curator.ask("smokes")
        assert curator.answers_left == 30

    def test_an_empty_table_is_refused(self, folder):
        write_table(folder, CODES[:, :0])
        with pytest.raises(BadData, match="no rows"):
            vault(folder).curate(budget=RICH)
        assert not (folder / "t.curator").exists()


class TestOneProcess:
    def test_a_forked_process_must_not_use_it(self, monkeypatch):
        curator = rehearsal()
        monkeypatch.setattr(os, "getpid", lambda: -1)
        with pytest.raises(BadState, match="forked process"):
            curator.ask("smoker")

    def test_threads_take_turns(self):
        curator = rehearsal(updates=60)
        found: list[list[float]] = [[] for _ in range(4)]

        def ask(mine):
            mine += [curator.ask(text).value for text in WIDE_QUESTIONS]

        threads = [threading.Thread(target=ask, args=(mine,)) for mine in found]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(len(mine) == len(WIDE_QUESTIONS) for mine in found)
        spent = curator.plan.price.amount - curator.budget_left - curator.plan.start_amount
        spent -= curator.plan.calibration_each * (curator._bars.stage + 1)
        assert spent % curator.plan.terms.each == 0

    def test_what_stops_in_the_middle_of_an_answer_must_be_opened_again(self, folder, monkeypatch):
        curator = vault(folder).curate(budget=RICH, way="hypothesis")
        monkeypatch.setattr(curator._state, "append", lambda *_, **__: (_ for _ in ()).throw(BadPath("disk full")))
        with pytest.raises(BadPath):
            ask_all(curator)
        with pytest.raises(BadState, match="middle of an answer; open it again"):
            curator.ask("smoker")
        with vault(folder).curate() as again:
            assert again.ask(WIDE_QUESTIONS[0]).value >= 0


class TestFreeze:
    def test_a_frozen_curator_answers_what_it_has_learned(self, folder):
        with vault(folder).curate(budget=RICH, updates=30, way="hypothesis") as curator:
            for _ in range(3):
                answers = [curator.ask(text) for text in WIDE_QUESTIONS]
            synopsis = curator.freeze()
            synopsis.save(folder / "t.hush")
            paid = next(a for a in answers if a.source in ("paid", "repeated"))
            assert curator.ask(paid.question).value == paid.value
        loaded = ht.load(folder / "t.hush")
        assert loaded.mechanism == "curator-hypothesis"
        assert not loaded.not_private
        for text in WIDE_QUESTIONS:
            assert loaded.ask(text).value == pytest.approx(truth(text), abs=0.03)
        line = ht.Ledger.open(folder / "t.ledger").lines()[loaded.accounting["ledger"]["line"] - 1]
        assert line.hash == loaded.accounting["ledger"]["hash"]
        assert loaded.sample(10, seed=1).num_rows == 10
        table = loaded.ask("SELECT sex, smoker, count(*) FROM t GROUP BY sex, smoker")
        assert table.value.sum() == pytest.approx(ROWS)

    @pytest.mark.parametrize("way", ["hypothesis", "independent"])
    @pytest.mark.parametrize("neighbours", ["replace", "add-remove"])
    def test_in_every_way(self, way, neighbours):
        curator = rehearsal(shape=domain(neighbours=neighbours), way=way, questions=60)
        for text in WIDE_QUESTIONS:
            curator.ask(text)
        frozen = curator.freeze()
        assert abs(frozen.ask(WIDE_QUESTIONS[0]).value - truth(WIDE_QUESTIONS[0])) < 0.03
        assert frozen.not_private


def test_a_frame_has_its_files_named_after_the_table(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ht.Vault(table_of(SHAPE, CODES), SHAPE).curate(budget=RICH).close()
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t.curator", "t.ledger"]
