"""A full disk and a read-only one: one clear line, an account that still adds up, and it works again afterwards."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from faults import check_account, hush, is_one_clear_line, release, table

ROOT = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own: 600 kB in memory."""
    place = tmp_path / "disk"
    place.mkdir()
    made = (
        ROOT
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(place)], capture_output=True, check=False
        ).returncode
    )
    if not made:
        pytest.skip("needs the right to mount a small disk")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def commands(folder: Path, number: int) -> dict[str, list[str]]:
    """Everything that writes, each with its output on the disk."""
    at = str(folder)
    domain = ["--domain", f"{at}/t.yaml"]
    return {
        "release": release(f"r{number}", "0.001", folder=at),
        "curate": ["curate", f"{at}/t.csv", "smoker AND age < 18", *domain, "--rho", "0.01", "--way", "hypothesis",
                   "--freeze", f"{at}/f{number}.hush"],
        "create": ["ledger", "create", f"{at}/n{number}.ledger", *domain, "--rho", "1"],
        "raise": ["ledger", "raise", f"{at}/t.ledger", "--rho", str(2 + number), "--why", "full"],
        "draft": ["domain", "draft", f"{at}/t.csv", "-o", f"{at}/d{number}.yaml"],
        "dummy": ["domain", "dummy", f"{at}/t.yaml", "-n", "3000", "-o", f"{at}/x{number}.csv"],
    }  # fmt: skip


def fill(disk: Path, room: int) -> None:
    """Leaves about `room` bytes."""
    free = os.statvfs(disk)
    (disk / "ballast").write_bytes(b"\0" * max(0, free.f_bavail * free.f_frsize - room))


def tried(folder: Path, number: int) -> int:
    """How many commands failed; each of them with one clear line."""
    failed = 0
    for name, line in commands(folder, number).items():
        code, _, errors = hush(line)
        shown = errors.removeprefix("DRAFT") if name == "draft" and not code else errors
        assert code in (0, 1), (name, errors)
        assert not code or is_one_clear_line(shown), (name, errors)
        failed += code == 1
        if (folder / "t.ledger").exists():
            check_account(folder)
    return failed


def test_a_full_disk(disk: Path) -> None:
    folder, failures = table(disk / "t"), []
    for number, room in enumerate((0, 4096, 8192, 12_288, 16_384, 24_576, 32_768, 65_536)):
        fill(disk, room)
        failures.append(tried(folder, number))
        (disk / "ballast").unlink()
        for left in (*folder.glob("x*.csv"), *folder.glob("[rf]*.hush"), *folder.glob("n*.ledger")):
            left.unlink()
    # Everything failed on the full disk, less and less with more room, and with room all of it works again.
    assert failures[0] == 6
    assert failures[-1] < 6
    assert failures == sorted(failures, reverse=True)
    fill(disk, 400_000)
    assert tried(folder, 99) == 0


def test_a_read_only_disk(disk: Path) -> None:
    folder = table(disk / "t")
    assert tried(folder, 0) == 0
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    try:
        assert tried(folder, 1) == 6
        # What only reads goes on working.
        for line in (["ledger", "show"], ["ledger", "verify"]):
            code, _, errors = hush([*line, str(folder / "t.ledger")])
            assert (code, errors) == (0, "")
        assert hush(["ask", str(folder / "r0.hush"), "smoker"])[0] == 0
    finally:
        subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    assert tried(folder, 2) == 0
