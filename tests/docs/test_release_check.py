"""The check before a release sees what differs, what is missing and what should not be there."""

import re
from pathlib import Path

import pytest

import release_check

ROOT = Path(__file__).parents[2]
GOOD = {
    "pyproject.toml": '[project]\nname = "hushtable"\nversion = "1.2.0"\n',
    "src/hushtable/__init__.py": '"""A table."""\n\n__version__ = "1.2.0"\n',
    "CHANGELOG.md": "# Changelog\n\n## Unreleased\n\n## 1.2.0\n\n- New.\n\n## 1.1.0\n\n- Old.\n",
}


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "src" / "hushtable").mkdir(parents=True)
    for name, text in GOOD.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_versions_of_this_tree_agree():
    assert len(set(release_check.versions(ROOT).values())) == 1
    assert not [line for line in release_check.version_problems(ROOT) if "differ" in line]


def test_a_tree_that_is_ready_has_no_problems(tree):
    assert release_check.version_problems(tree) == []


@pytest.mark.parametrize("name", GOOD)
def test_a_version_that_differs_is_named(tree, name):
    (tree / name).write_text(GOOD[name].replace("1.2.0", "1.2.1"))
    (problem,) = release_check.version_problems(tree)
    assert f"{name} 1.2.1" in problem


def test_a_version_that_is_nowhere_is_named(tree):
    (tree / "CHANGELOG.md").write_text("# Changelog\n")
    (problem,) = release_check.version_problems(tree)
    assert "CHANGELOG.md none" in problem


def test_lines_without_a_version_are_found(tree):
    (tree / "CHANGELOG.md").write_text(GOOD["CHANGELOG.md"].replace("## Unreleased\n", "## Unreleased\n\n- Later.\n"))
    (problem,) = release_check.version_problems(tree)
    assert "under Unreleased" in problem


def test_all_that_an_sdist_needs_is_in_this_tree():
    assert [name for name in release_check.NEEDED if name != "PKG-INFO" and not (ROOT / name).exists()] == []


def test_an_sdist_lacks_what_is_taken_away():
    assert release_check.sdist_problems(release_check.NEEDED) == []
    assert release_check.sdist_problems(release_check.NEEDED[1:]) == [f"the sdist lacks {release_check.NEEDED[0]}"]


@pytest.mark.parametrize(
    "name",
    ["demo/clinic.ledger", "clinic.hush", "a.hush.part", ".venv/bin/python", "site/index.html", "x/__pycache__/a.pyc"],
)
def test_an_sdist_has_nothing_that_a_trial_leaves(name):
    assert release_check.sdist_problems([*release_check.NEEDED, name]) == [f"the sdist should not have {name}"]


@pytest.mark.parametrize(
    "name", ["tests/golden/format-1-tables-pure.hush", ".ci/run", ".github/pull_request_template.md"]
)
def test_an_sdist_may_have_what_the_project_keeps(name):
    assert release_check.sdist_problems([*release_check.NEEDED, name]) == []


def test_a_wheel_has_the_package_and_nothing_else():
    sources = ["hushtable/__init__.py", "hushtable/py.typed"]
    metadata = ["hushtable-1.2.0.dist-info/METADATA", "hushtable-1.2.0.dist-info/licenses/LICENSE"]
    assert release_check.wheel_problems([*sources, *metadata], sources) == []
    assert release_check.wheel_problems([*sources, "tests/conftest.py"], sources) == [
        "the wheel should not have tests/conftest.py"
    ]
    assert release_check.wheel_problems(sources[:1], sources) == ["the wheel lacks hushtable/py.typed"]


def test_the_steps_of_a_release_name_targets_that_exist():
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    assert set(re.findall(r"`make ([a-z-]+)`", page)) <= set(targets)
