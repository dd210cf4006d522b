"""What still stands between this tree and a release: versions, changelog, and what wheel and sdist hold.

Builds both into dist/ and lets twine render the README. Every problem is one line; the exit code is 1 if there is any.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Iterable
from fnmatch import fnmatch
from pathlib import Path

__all__ = ["sdist_problems", "version_problems", "versions", "wheel_problems"]

ROOT = Path(__file__).parents[1]
# What whoever has the sdist alone needs: to build, to test, to read, to know what they may do with it.
NEEDED = (
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
    "Makefile",
    "PKG-INFO",
    "README.md",
    "SECURITY.md",
    "docs/index.md",
    "docs/references.bib",
    "mkdocs.yml",
    "papers/__init__.py",
    "pyproject.toml",
    "src/hushtable/__init__.py",
    "src/hushtable/py.typed",
    "tests/conftest.py",
    "tests/golden/make.py",
    "tools/try_wheel.py",
)
# Accounts, journals and rows lie about where a release was tried; what other tools leave is noise.
UNWANTED = ("*.ledger", "*.part", "*.pyc", "*.env", "*.whl", "*.tar.gz", "*.log", "*.sqlite", "*-journal")
UNWANTED_FOLDERS = ("__pycache__", "dist", "site", "build", "node_modules")
HIDDEN = (".github", ".ci", ".gitignore", ".pre-commit-config.yaml")
RELEASED_FILES = "tests/golden/"


def versions(root: Path) -> dict[str, str]:
    """The version by each place that states it; that of the changelog is its newest heading with a number."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    package = re.search(
        r'^__version__ = "(.+)"$', (root / "src/hushtable/__init__.py").read_text("utf-8"), re.MULTILINE
    )
    heading = re.search(r"^## \[?(\d[^\s\]]*)", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    return {
        "pyproject.toml": str(project["version"]),
        "src/hushtable/__init__.py": package[1] if package else "none",
        "CHANGELOG.md": heading[1] if heading else "none",
    }


def version_problems(root: Path) -> list[str]:
    """Versions that differ, and lines of the changelog that have none yet."""
    stated = versions(root)
    problems = []
    if len(set(stated.values())) > 1:
        problems.append("the versions differ: " + ", ".join(f"{where} {what}" for where, what in stated.items()))
    unreleased = re.search(
        r"^## \[?Unreleased\]?$(.*?)(?=^## |\Z)", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE | re.DOTALL
    )
    if unreleased and re.search(r"^- ", unreleased[1], re.MULTILINE):
        problems.append("CHANGELOG.md has lines under Unreleased: give them the version of this release")
    return problems


def sdist_problems(names: Iterable[str]) -> list[str]:
    """What an sdist lacks of the above, and what it has too much; names without its first folder."""
    there = set(names)
    problems = [f"the sdist lacks {name}" for name in NEEDED if name not in there]
    return problems + [f"the sdist should not have {name}" for name in sorted(there) if _unwanted(name)]


def wheel_problems(names: Iterable[str], sources: Iterable[str]) -> list[str]:
    """The wheel has the files of the package, its metadata, and nothing else."""
    there = {name for name in names if not re.match(r"hushtable-[^/]+\.dist-info/", name)}
    wanted = set(sources)
    problems = [f"the wheel lacks {name}" for name in sorted(wanted - there)]
    return problems + [f"the wheel should not have {name}" for name in sorted(there - wanted)]


def main() -> int:
    """All checks, whatever the first one says."""
    problems = version_problems(ROOT)
    version = versions(ROOT)["pyproject.toml"]
    dist = ROOT / "dist"
    for old in dist.glob("hushtable-*"):
        old.unlink()
    problems += _run("wheel and sdist do not build", "build", "--outdir", str(dist), str(ROOT))
    sdist, wheel = dist / f"hushtable-{version}.tar.gz", dist / f"hushtable-{version}-py3-none-any.whl"
    if sdist.exists() and wheel.exists():
        with tarfile.open(sdist) as packed:
            problems += sdist_problems(item.name.split("/", 1)[1] for item in packed.getmembers() if item.isfile())
        with zipfile.ZipFile(wheel) as packed_wheel:
            problems += wheel_problems(packed_wheel.namelist(), _package_files())
        problems += _run("the README does not render", "twine", "check", "--strict", str(sdist), str(wheel))
    for problem in problems:
        print(problem, file=sys.stderr)
    print(f"{version}: {'not ready' if problems else 'wheel and sdist are in dist/'}")
    return 1 if problems else 0


def _package_files() -> list[str]:
    """All files of the package but what Python leaves there."""
    src = ROOT / "src"
    files = (path for path in (src / "hushtable").rglob("*") if path.is_file())
    return [path.relative_to(src).as_posix() for path in files if "__pycache__" not in path.parts]


def _unwanted(name: str) -> bool:
    *folders, file = name.split("/")
    if name.startswith(".") and not name.startswith(HIDDEN):
        return True
    if any(folder in UNWANTED_FOLDERS or folder.endswith(".egg-info") for folder in folders):
        return True
    if file.endswith(".hush"):
        return not name.startswith(RELEASED_FILES)
    return any(fnmatch(file, pattern) for pattern in UNWANTED)


def _run(problem: str, module: str, *arguments: str) -> list[str]:
    """Nothing, or the problem with what the program said."""
    done = subprocess.run([sys.executable, "-m", module, *arguments], capture_output=True, text=True, check=False)
    return [] if done.returncode == 0 else [f"{problem}:\n{done.stdout}{done.stderr}".rstrip()]


if __name__ == "__main__":
    sys.exit(main())
