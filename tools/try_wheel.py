"""The wheel alone in a fresh environment: the demo, the README's lines, and a release of every workload.

Nothing of the development group is installed, so that what users lack shows here. Needs pip and the package index.
"""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tempfile
import time
import urllib.request
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ (hush .*)$", re.MULTILINE)
EXIT_CODE = re.compile(r"# exit code (\d)")


def main() -> None:
    """Stops at the first thing that does not work."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        binaries = install(folder)
        says(began, "installed the wheel alone")
        for command, expected in readme(ROOT.joinpath("README.md").read_text("utf-8"), binaries):
            run(command, folder, expected=expected)
        says(began, "ran the demo and every line of the README")
        run([str(binaries / "python"), str(ROOT / "tools" / "release_everything.py")], folder)
        says(began, "released and asked every workload")
        run([str(binaries / "hush"), "serve", str(folder)], folder, expected=1)  # names the extra that it needs
        served(folder, binaries)
        says(began, "served the demo from the wheel with its extra")


def install(folder: Path) -> Path:
    """The folder of programs of an environment that has the wheel and what it depends on."""
    venv.create(folder / "env", with_pip=True)
    binaries = folder / "env" / ("Scripts" if sys.platform == "win32" else "bin")
    pip = [str(binaries / "python"), "-m", "pip", "--disable-pip-version-check"]
    run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder / "dist"), str(ROOT)], folder)
    (wheel,) = (folder / "dist").glob("hushtable-*.whl")
    run([*pip, "install", "--quiet", str(wheel)], folder)
    return binaries


def served(folder: Path, binaries: Path) -> None:
    """Installs the extra, and reads the first page and one answer of a server."""
    (wheel,) = (folder / "dist").glob("hushtable-*.whl")
    pip = [str(binaries / "python"), "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    run([*pip, f"hushtable[serve] @ {wheel.as_uri()}"], folder)
    shelf = next(folder.rglob("*.hush")).parent
    command = [str(binaries / "hush"), "serve", str(shelf), "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr is not None
        try:
            found = (re.search(r"http://\S+", line) for line in running.stderr)
            address = next(match[0] for match in found if match)
            for path in ("/", "/assets/hush.css", "/assets/hush.js", "/api/v1/releases"):
                with urllib.request.urlopen(address + path, timeout=30) as answer:
                    if answer.status != 200 or not answer.read():
                        raise SystemExit(f"{path} was not served")
        finally:
            running.kill()


def readme(page: str, binaries: Path) -> list[tuple[list[str], int]]:
    """Its `$ hush` lines and Python blocks, in their order, with the exit codes that it promises."""
    found = []
    for kind, text in BLOCK.findall(page):
        if kind == "python":
            found.append(([str(binaries / "python"), "-W", "error", "-c", text], 0))
            continue
        for line in COMMAND.findall(text.replace("\\\n", "")):
            stated = EXIT_CODE.search(line)
            words = shlex.split(line, comments=True)
            found.append(([str(binaries / "hush"), *words[1:]], int(stated[1]) if stated else 0))
    return found


def run(command: list[str], folder: Path, *, expected: int = 0) -> None:
    """Shows what a command said only if its exit code is another one."""
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode != expected:
        sys.exit(f"{shlex.join(command)}\nexit code {done.returncode}, not {expected}\n{done.stdout}{done.stderr}")


def says(began: float, what: str) -> None:
    """One line, with the time that has gone by."""
    print(f"{time.monotonic() - began:5.0f} s  {what}", flush=True)


if __name__ == "__main__":
    main()
