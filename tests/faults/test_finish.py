"""`hush release --resume`: one line says what to type, and typing it finishes the release; nothing else does harm."""

from __future__ import annotations

import json
import os
import shlex
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

import hushtable as ht
from faults import check_account, hush, is_one_clear_line, release, table
from hushtable import files
from hushtable.errors import BadData, BadPath, BadState
from hushtable.owner import carry_out, journal
from hushtable.vault.ledger.ledger import Ledger


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return table(tmp_path / "t")


def failing(*_, **__):
    raise ZeroDivisionError


def full(*_, **__):
    raise OSError(28, "No space left on device")


def interrupted(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A release whose fit ends in an error that nobody foresaw; its journal."""
    with monkeypatch.context() as patched:
        patched.setattr(carry_out, "Synopsis", SimpleNamespace(from_release=failing))
        code, _, errors = hush(release("r", "0.001", folder=str(folder)))
    assert code == 1
    assert errors.count("\n") == 1
    assert errors.rstrip().endswith(f"finish with hush release --resume {folder}/r.hush.part")
    return folder / "r.hush.part"


def finish(errors: str) -> tuple[int, str, str]:
    """Types what the line says."""
    return hush(shlex.split(errors.split("finish with hush ")[1].split(",", maxsplit=1)[0]))


def kinds(folder: Path) -> list[str]:
    return [line.kind for line in Ledger.open(folder / "t.ledger").lines()]


def test_a_fault_nobody_foresaw(folder, monkeypatch):
    part = interrupted(folder, monkeypatch)
    assert kinds(folder) == ["create", "reserve", "charge"]
    code, out, errors = hush(["release", "--resume", str(part)])
    assert (code, errors) == (0, "")
    assert out.startswith(f"wrote {folder}/r.hush; finished what {part} had begun")
    assert not part.exists()
    assert kinds(folder) == ["create", "reserve", "charge", "settle"]
    check_account(folder)


@pytest.mark.parametrize("name", ["publish", "_beside"])
def test_a_disk_that_is_full_while_saving(name, folder, monkeypatch):
    with monkeypatch.context() as patched:
        if name == "_beside":  # when it is asked before, there is room
            patched.setattr(files, "check_writable", Path)
        patched.setattr(files, name, full)
        code, _, errors = hush(release("r", "0.001", folder=str(folder)))
    assert code == 1
    assert is_one_clear_line(errors)
    settled = Ledger.open(folder / "t.ledger").lines()[-1]
    code, _, again = finish(errors)
    assert (code, again) == (0, "")
    assert ht.load(folder / "r.hush").digest == settled.synopsis_digest
    assert sorted(file.name for file in folder.iterdir()) == ["r.hush", "t.csv", "t.ledger", "t.yaml"]
    check_account(folder)


def test_stopped_by_hand(folder, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(carry_out, "Synopsis", SimpleNamespace(from_release=stop))
        code, _, errors = hush(release("r", "0.001", folder=str(folder)))
    assert (code, errors[:14]) == (130, "hush: stopped;")
    assert finish(errors)[0] == 0


def test_errors_in_json_say_it_too(folder, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(carry_out, "Synopsis", SimpleNamespace(from_release=failing))
        _, _, errors = hush([*release("r", "0.001", folder=str(folder)), "--json"])
    assert f"--resume {folder}/r.hush.part" in json.loads(errors)["error"]["message"]
    code, out, _ = hush(["release", "--resume", f"{folder}/r.hush.part", "-o", f"{folder}/other.hush", "--json"])
    assert code == 0
    assert json.loads(out)["file"] == f"{folder}/other.hush"


def test_another_release_does_not_write_over_it(folder, monkeypatch):
    part = interrupted(folder, monkeypatch)
    before = part.read_bytes(), kinds(folder)
    code, _, errors = hush(release("r", "0.001", folder=str(folder)))
    assert code == 1
    assert is_one_clear_line(errors)
    assert "hush release --resume" in errors
    assert (part.read_bytes(), kinds(folder)) == before


def test_a_file_that_is_there_already_only_needs_its_journal_removed(folder, monkeypatch):
    part = interrupted(folder, monkeypatch)
    kept = part.read_bytes()
    assert hush(["release", "--resume", str(part)])[0] == 0
    part.write_bytes(kept)
    code, out, _ = hush(["release", "--resume", str(part)])
    assert code == 0
    assert "was complete; removed" in out
    assert not part.exists()
    part.write_bytes(kept)
    (folder / "r.hush").unlink()
    assert hush(release("r2", "0.001", folder=str(folder)))[0] == 0
    (folder / "r2.hush").rename(folder / "r.hush")
    code, _, errors = hush(["release", "--resume", str(part)])
    assert code == 1
    assert "exists and may be the only copy" in errors
    assert part.exists()


def test_what_is_not_the_journal_of_a_release_is_left_alone(folder):
    for content in (b"", b"notes of mine", b"{", b'{"a": 1}', b'{"a": 1}\n'):
        (folder / "x.part").write_bytes(content)
        code, _, errors = hush(["release", "--resume", str(folder / "x.part")])
        assert code == 1
        assert is_one_clear_line(errors)
        assert (folder / "x.part").read_bytes() == (b"" if content == b'{"a": 1}' else content)
    assert hush(["release", "--resume", str(folder / "none.part")])[0] == 1


def test_an_edited_journal_and_another_ledger_are_refused(folder, monkeypatch):
    part = interrupted(folder, monkeypatch)
    sound, account = part.read_bytes(), (folder / "t.ledger").read_bytes()
    part.write_bytes(sound.replace(b'"rows":2000', b'"rows":2001', 1))
    with pytest.raises(BadState, match="was edited, moved or removed"):
        ht.Vault.resume(part)
    part.write_bytes(sound)
    other = table(folder / "other")
    code, _, errors = hush(["release", "--resume", str(part), "--ledger", str(other / "t.ledger")])
    assert code == 1
    assert "did not pay for" in errors
    assert kinds(other) == ["create"]
    (folder / "t.ledger").unlink()
    assert "there is no ledger at" in hush(["release", "--resume", str(part)])[2]
    (folder / "t.ledger").write_bytes(account)
    assert hush(["release", "--resume", str(part)])[0] == 0


def test_nothing_is_drawn_again_for_a_release_that_is_out(folder, monkeypatch):
    """The end of a journal cut off, after the release was settled: only what is there may be used."""
    part = interrupted(folder, monkeypatch)
    whole = part.read_bytes()
    assert hush(["release", "--resume", str(part)])[0] == 0
    part.write_bytes(b"".join(whole.splitlines(keepends=True)[:1]))
    with pytest.raises(BadState, match="lacks steps that the ledger was charged for"):
        ht.Vault.resume(part)


def test_what_was_drawn_and_could_not_be_kept_is_not_drawn_again(folder, monkeypatch):
    real = journal.ReleaseJournal._keep

    def keep(self, line):
        if b'"kind":"step"' in line:
            real(self, line[:50])
            raise BadPath("the disk is full")
        real(self, line)

    monkeypatch.setattr(journal.ReleaseJournal, "_keep", keep)
    assert hush(release("r", "0.001", folder=str(folder)))[0] == 1
    with pytest.raises(BadState, match="must not be drawn again"):
        ht.Vault.resume(folder / "r.hush.part")


def test_a_full_disk_is_met_before_the_charge(folder, monkeypatch):
    """Room for what will be drawn is taken before it is paid for."""
    monkeypatch.setattr(os, "posix_fallocate", full)
    code, _, errors = hush(release("r", "0.001", folder=str(folder)))
    assert code == 1
    assert is_one_clear_line(errors)
    assert kinds(folder) == ["create", "reserve", "settle"]
    assert Ledger.open(folder / "t.ledger").spent == 0
    assert not list(folder.glob("*.part"))


def spoiled(folder: Path, monkeypatch: pytest.MonkeyPatch, how: str) -> str:
    """The output of a release that cannot be written; why is known before anything is spent."""
    if how == "folder":
        (folder / "r.hush").mkdir()
    if how == "dangling link":
        (folder / "r.hush").symlink_to(folder / "nowhere")
    if how == "no room":
        monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(1, 1, 100))
    return "r" * 245 if how == "long name" else "r"


@pytest.mark.parametrize("how", ["folder", "dangling link", "long name", "no room"])
def test_an_output_that_cannot_be_written_costs_nothing(how, folder, monkeypatch):
    name = spoiled(folder, monkeypatch, how)
    code, _, errors = hush(release(name, "0.001", folder=str(folder)))
    assert code == 1
    assert is_one_clear_line(errors)
    assert kinds(folder) == ["create"]
    assert not list(folder.glob("*.part"))


def test_a_disk_without_hard_links(folder, monkeypatch):
    def link(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", link)
    assert hush(release("r", "0.001", folder=str(folder)))[0] == 0
    assert ht.load(folder / "r.hush").ask("smoker").stderr > 0
    assert hush(release("r", "0.001", folder=str(folder)))[0] == 1


@pytest.mark.parametrize("left_out", ["data", "domain", "output"])
def test_a_release_still_needs_its_arguments(left_out, folder):
    line = {"data": [str(folder / "t.csv")], "domain": ["--domain", str(folder / "t.yaml")], "output": ["-o", "x.hush"]}
    del line[left_out]
    assert hush(["release", *(word for words in line.values() for word in words), "--rho", "1"])[0] == 2


def test_in_python_the_journal_lies_beside_the_ledger_until_the_synopsis_is_saved(folder):
    shape = ht.Domain.load(folder / "t.yaml")
    plan = ht.plan(shape, workload="marginals(width=1)", rows=2000, budget=ht.Budget(rho="0.01"))
    vault = ht.Vault(folder / "t.csv", shape)
    synopsis = vault.release(plan)
    (part,) = folder.glob("*.part")
    assert part == synopsis.journal
    assert part.name.startswith("t-")
    again = ht.Vault.resume(part)
    assert again.digest == synopsis.digest
    synopsis.save(folder / "one.hush")
    assert not part.exists()
    again.save(folder / "two.hush")
    assert not vault.release(plan, randomness=ht.Simulated(1)).journal
    assert not list(folder.glob("*.part"))


def test_rows_that_do_not_fit_leave_nothing_behind(folder):
    shape = ht.Domain.load(folder / "t.yaml")
    plan = ht.plan(shape, workload="marginals(width=1)", rows=2000, budget=ht.Budget(rho="0.01"))
    text = (folder / "t.csv").read_text().splitlines()
    (folder / "t.csv").write_text("\n".join([*text, text[1].replace("male", "").replace("fe", "")]) + "\n")
    with pytest.raises(BadData):
        ht.Vault(folder / "t.csv", shape).release(plan)
    assert not list(folder.glob("*.part"))
    assert Ledger.open(folder / "t.ledger").spent == 0
