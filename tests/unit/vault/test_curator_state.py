"""The state of a curator: goes on where it was, and shows every edit, cut, swap and second process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from curators import CODES, PURE, RICH, SHAPE, WIDE_QUESTIONS, vault, write_table
from tables import MIXED, domain

import hushtable as ht
from hushtable.errors import BadLedger, BadPath, BadState
from hushtable.vault.door.randomness import SystemRandomness
from hushtable.vault.ledger.account import LedgerAccount
from hushtable.vault.ledger.sealed_lines import Chain, StateFile

SOURCE = str(Path(ht.__file__).parents[1])


@pytest.fixture
def folder(tmp_path):
    return write_table(tmp_path)


def asked(folder, *, budget=RICH, questions=WIDE_QUESTIONS, **more):
    """One session: the answers given, and how many are left."""
    more = {"updates": 40, "way": "hypothesis"} | more if budget else more
    with vault(folder).curate(budget=budget, **more) as curator:
        return [curator.ask(text) for text in questions], curator.answers_left


def lines(folder):
    return (folder / "t.curator").read_bytes().splitlines(keepends=True)


def one_line(error) -> str:
    text = str(error.value)
    assert "\n" not in text
    return text


class TestGoingOn:
    @pytest.mark.parametrize("budget", [RICH, PURE], ids=["rho", "pure"])
    def test_paid_answers_are_the_same_and_free_ones_nearly(self, folder, budget):
        first, _ = asked(folder, budget=budget)
        spent = sum(line.charged for line in ht.Ledger.open(folder / "t.ledger").lines()[-1:])
        paid = [a for a in first if a.source == "paid"]
        again, _ = asked(folder, budget=None, questions=[a.question for a in paid])
        assert [a.value for a in again] == [a.value for a in paid]
        assert {a.source for a in again} == {"repeated"}
        # Nothing new was asked, so nothing was paid for.
        assert ht.Ledger.open(folder / "t.ledger").lines()[-1].charged == spent

    def test_the_hypothesis_is_the_same_up_to_rounding(self, folder):
        curator = vault(folder).curate(budget=RICH, way="hypothesis")
        for text in WIDE_QUESTIONS:
            curator.ask(text)
        before = curator.freeze().model.distribution.table((0, 1, 2, 3))
        curator.close()
        with vault(folder).curate() as curator:
            after = curator.freeze().model.distribution.table((0, 1, 2, 3))
        assert abs(after - before).max() < 1e-9

    def test_a_restart_loses_the_stretch_that_was_open_and_nothing_else(self, folder):
        with vault(folder).curate(budget=RICH, updates=40, way="hypothesis") as curator:
            free = next(a for text in WIDE_QUESTIONS * 9 if (a := curator.ask(text)).source == "free")
            left = curator.answers_left
        with vault(folder).curate() as curator:
            assert curator.answers_left == left - 1
            again = curator.ask(free.question)
            assert again.answers_left == left - 1 - (again.source == "paid")

    def test_independent_answers_too(self, folder):
        first, left = asked(folder, way="independent", questions=WIDE_QUESTIONS[:5])
        again, same = asked(folder, budget=None, questions=WIDE_QUESTIONS[:5])
        assert [a.value for a in again] == [a.value for a in first]
        assert same == left

    def test_settings_may_be_left_out_or_repeated_but_not_changed(self, folder):
        asked(folder, questions=[])
        asked(folder, budget=RICH, questions=[])
        for other in ({"updates": 41}, {"questions": 7}, {"budget": PURE}, {"factor": "0.7"}, {"way": "independent"}):
            with pytest.raises(BadState, match=f"was begun with {next(iter(other))}") as error:
                vault(folder).curate(**other)
            one_line(error)
        assert len(lines(folder)) == 3

    def test_two_curators_of_one_table_have_a_state_each(self, folder):
        ht.Ledger.create(
            folder / "t.ledger", table="t", domain_digest=SHAPE.digest, unit=SHAPE.unit, total=ht.Budget(rho=1000)
        )
        one = vault(folder).curate(budget=RICH, state=folder / "one", way="hypothesis")
        two = vault(folder).curate(budget=RICH, state=folder / "two", way="hypothesis")
        with one, two:
            given = {c: [c.ask(text) for text in WIDE_QUESTIONS] for c in (one, two)}
        for name, before in zip(("one", "two"), given.values(), strict=True):
            paid = [answer for answer in before if answer.source == "paid"]
            assert paid
            with vault(folder).curate(state=folder / name) as again:
                assert [again.ask(answer.question).value for answer in paid] == [answer.value for answer in paid]
        # Noise of their own: two curators that shared a state would give the same answers.
        assert [a.value for a in given[one]] != [a.value for a in given[two]]


class TestOrder:
    def test_a_paid_answer_is_through_to_the_disk_before_it_is_given(self, folder, monkeypatch):
        synced, real = [], os.fsync
        monkeypatch.setattr(os, "fsync", lambda file: (synced.append(file), real(file)))
        with vault(folder).curate(budget=RICH, way="hypothesis") as curator:
            for text in WIDE_QUESTIONS:
                synced.clear()
                stage = curator._bars.stage
                answer = curator.ask(text)
                compared = curator._bars.stage > stage
                assert synced.count(curator._state._file) == (answer.source == "paid") + compared

    @pytest.mark.parametrize("budget", [RICH, PURE], ids=["rho", "pure"])
    @pytest.mark.parametrize("way", ["hypothesis", "independent"])
    def test_every_draw_is_charged_before(self, folder, monkeypatch, budget, way):
        """Each stretch: first its line, then noise; and no noise after the answer until the next line."""
        events = []

        class Watched(SystemRandomness):
            def bytes(self, count):
                events.append("draw")
                return super().bytes(count)

        charge = LedgerAccount.charge
        monkeypatch.setattr(LedgerAccount, "charge", lambda *a, **k: (charge(*a, **k), events.append("charge")))
        with vault(folder).curate(budget=budget, way=way, updates=40, randomness=Watched()) as curator:
            assert events[0] == "charge"
            for text in WIDE_QUESTIONS:
                opened, before, stage = curator._stretch is not None, len(events), curator._bars.stage
                answer = curator.ask(text)
                drawn = events[before:]
                assert drawn[:1] == (["draw"] * bool(drawn) if opened else ["charge"])
                assert drawn.count("charge") == (not opened) + (curator._bars.stage > stage)
                assert "draw" in drawn or answer.source == "free"


class TestTampering:
    def test_any_edit_shows(self, folder):
        asked(folder)
        whole = lines(folder)
        for number, line in enumerate(whole):
            entry = json.loads(line)
            place = line.index(entry["hash"][:8].encode()) if number % 2 else line.index(b'"kind":"') + 9
            edited = bytearray(line)
            edited[place] = ord("0") if edited[place] != ord("0") else ord("1")
            (folder / "t.curator").write_bytes(b"".join([*whole[:number], bytes(edited), *whole[number + 1 :]]))
            with pytest.raises(BadState, match=f"line {number + 1} was edited") as error:
                vault(folder).curate()
            one_line(error)
        (folder / "t.curator").write_bytes(b"".join(whole))
        vault(folder).curate().close()

    def test_an_edit_that_seals_all_lines_again_shows_in_the_ledger(self, folder):
        asked(folder)
        entries = [json.loads(line) for line in lines(folder)]
        next(entry for entry in entries if entry["kind"] == "answer")["value"] += 500
        forged = Chain()
        for entry in entries:
            forged.append(**{k: v for k, v in entry.items() if k not in ("hash", "number", "previous")})
        text = "".join(
            json.dumps(e | {"hash": h}, sort_keys=True, separators=(",", ":")) + "\n"
            for e, h in zip(forged.entries, forged.hashes, strict=True)
        )
        (folder / "t.curator").write_text(text)
        with pytest.raises(BadState, match="lacks what the ledger has charged for") as error:
            vault(folder).curate()
        one_line(error)

    def test_any_cut_shows(self, folder):
        asked(folder)
        whole = lines(folder)
        assert len(whole) > 8
        for kept in range(1, len(whole)):
            (folder / "t.curator").write_bytes(b"".join(whole[:kept]))
            with pytest.raises(BadState, match="lacks what the ledger has charged for") as error:
                vault(folder).curate()
            one_line(error)
            assert lines(folder) == whole[:kept], "what is wrong is left as it is"

    def test_lines_taken_out_or_moved_show(self, folder):
        asked(folder)
        whole = lines(folder)
        for broken in (whole[:3] + whole[4:], [*whole[:3], whole[4], whole[3], *whole[5:]]):
            (folder / "t.curator").write_bytes(b"".join(broken))
            with pytest.raises(BadState, match="edited, moved or removed"):
                vault(folder).curate()

    def test_an_older_copy_shows(self, folder):
        asked(folder, questions=WIDE_QUESTIONS[:12])
        shutil.copy(folder / "t.curator", folder / "old")
        for text in WIDE_QUESTIONS[12:]:
            asked(folder, budget=None, questions=[text])
        shutil.copy(folder / "old", folder / "t.curator")
        with pytest.raises(BadState, match="an older copy"):
            vault(folder).curate()

    def test_an_older_copy_of_the_ledger_shows(self, folder):
        asked(folder, questions=WIDE_QUESTIONS[:5])
        shutil.copy(folder / "t.ledger", folder / "old")
        asked(folder, budget=None)
        shutil.copy(folder / "old", folder / "t.ledger")
        with pytest.raises(BadState, match="the ledger is an older copy"):
            vault(folder).curate()

    def test_half_a_line_at_the_end_is_a_crash_and_is_cut_off(self, folder):
        asked(folder)
        whole = (folder / "t.curator").read_bytes()
        (folder / "t.curator").write_bytes(whole + b'{"kind":"answer","number":99,"pos')
        vault(folder).curate().close()
        assert (folder / "t.curator").read_bytes() == whole

    def test_any_other_file_is_refused_and_left_alone(self, folder):
        for content in (b"something else\n", b"{}\n", b"\x00\xff\n", b"[]\n", b"null\n"):
            (folder / "t.curator").write_bytes(content)
            with pytest.raises(BadState, match="not a curator's state") as error:
                vault(folder).curate(budget=RICH)
            one_line(error)
            assert (folder / "t.curator").read_bytes() == content

    def test_a_state_of_a_later_format_is_refused(self, folder):
        state = StateFile(folder / "t.curator")
        state.append("begin", format=2)
        state.close()
        with pytest.raises(BadState, match="use the version that began it"):
            vault(folder).curate()


class TestBelonging:
    def test_the_state_of_another_table_is_refused(self, folder, tmp_path):
        asked(folder)
        renamed = ht.Domain.from_dict(SHAPE.to_dict() | {"table": "u"})
        for other in (domain(MIXED | {"smoker": {"kind": "boolean"}}), renamed):
            with pytest.raises(BadState, match="belongs to table 't'") as error:
                vault(folder, other, ledger=folder / "u.ledger").curate(state=folder / "t.curator")
            one_line(error)
        assert not (folder / "u.ledger").exists()

    def test_a_state_with_another_ledger_is_refused(self, folder):
        asked(folder)
        ht.Ledger.create(
            folder / "u.ledger", table="t", domain_digest=SHAPE.digest, unit=SHAPE.unit, total=ht.Budget(rho=1000)
        )
        with pytest.raises(BadState, match="belongs to another ledger"):
            vault(folder, ledger=folder / "u.ledger").curate(state=folder / "t.curator")

    def test_a_state_without_its_ledger_is_refused(self, folder):
        asked(folder)
        (folder / "t.ledger").unlink()
        with pytest.raises(BadPath, match="no ledger"):
            vault(folder).curate()

    def test_the_ledger_of_another_domain_is_refused_before_a_state_is_made(self, folder):
        other = domain(MIXED | {"smoker": {"kind": "boolean"}})
        ht.Ledger.create(
            folder / "t.ledger", table="t", domain_digest=other.digest, unit=other.unit, total=ht.Budget(rho=1000)
        )
        with pytest.raises(BadLedger):
            vault(folder).curate(budget=RICH)
        assert not (folder / "t.curator").exists()

    def test_a_table_with_another_number_of_rows_is_refused(self, folder):
        asked(folder)
        write_table(folder, CODES[:, 1:])
        with pytest.raises(BadState, match="had 2,000 rows, and now it has 1,999"):
            vault(folder).curate()


class TestOneAtATime:
    def test_a_second_curator_in_the_same_process(self, folder):
        with vault(folder).curate(budget=RICH), pytest.raises(BadState, match="is in use") as error:
            vault(folder).curate()
        one_line(error)

    def test_a_second_process_gets_one_line(self, folder):
        program = "import sys; from hushtable.cli import main; sys.argv = ['hush', *sys.argv[1:]]; main()"
        command = [sys.executable, "-c", program, "curate", "t.csv", "--domain", "t.yaml", "smoker"]
        with vault(folder).curate(budget=RICH, way="hypothesis") as curator:
            before = (folder / "t.curator").read_bytes()
            place = os.environ | {"PYTHONPATH": SOURCE}
            done = subprocess.run(command, cwd=folder, env=place, capture_output=True, text=True, check=False)
            assert (folder / "t.curator").read_bytes() == before
            curator.ask("smoker")
        assert done.returncode == 1
        assert done.stderr.startswith("hush: t.curator is in use: a curator answers in one process at a time")
        assert done.stderr.count("\n") == 1
        assert done.stdout == ""
