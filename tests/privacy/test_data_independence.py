"""What is not noise is the same for neighbouring tables: messages, exit codes, files, shapes, lines of the ledger.

Known exceptions are in docs/known-weaknesses.md: time, and the error of a domain that declares values to be errors.
"""

import csv
import io
import json
import re
import zipfile
from pathlib import Path
from typing import Any

import pytest

import hushtable as ht
from faults import hush
from hushtable.audit.made_up_tables import Row, possible_rows
from hushtable.audit.specimen import Specimen
from hushtable.audit.specimens import SPECIMENS
from hushtable.vault.ledger.ledger import Ledger

ATTRIBUTES: dict[str, dict[str, Any]] = {
    "age": {"kind": "integer", "between": [0, 99], "edges": [18, 65], "other": True},
    "income": {"kind": "number", "between": [0, 1000], "bins": 4, "other": True},
    "sex": {"kind": "category", "values": ["female", "male"], "other": True},
    "smoker": {"kind": "boolean", "other": True},
    "url": {"kind": "open"},
}
# No bin for undeclared values: they count as missing.
CLOSED = {name: {k: v for k, v in given.items() if k != "other"} for name, given in ATTRIBUTES.items()}
STRICT = {name: {k: v for k, v in given.items() if k != "other"} | ({} if name == "url" else {"missing": "error"})
          for name, given in ATTRIBUTES.items()}  # fmt: skip
SEXES = ("female", "male")
ROWS = [[str(17 * i % 100), str(13 * i % 1000), SEXES[i % 2], str(i % 3 == 0), f"u{i % 7}"] for i in range(60)]
# The row that one person may replace with; some of it is in no domain.
PERSONS = {
    "another": ["70", "999", "male", "true", "u1"],
    "unknown category": ["5", "5", "Zyxwvu", "true", "never seen before"],
    "out of range": ["123456", "-99999.5", "male", "true", "u1"],
    "missing": ["", "", "", "", ""],
    "unparsable": ["4O", "1,5e", "m'ale\"", "maybe", "a\tb"],
    "not finite": ["nan", "inf", "1e999", "NaN", "-inf"],
    "control characters": ["\x1b[31m", "\x07", "\u202e", "\x00", "\ud7ff"],
    "very long": ["9" * 5000, "1" * 5000, "x" * 70_000, "y" * 5000, "z" * 70_000],
}
SECRETS = ("Zyxwvu", "123456", "99999", "never seen", "4O", "maybe")


def written(folder: Path, person: list[str] | None, attributes: dict[str, Any], neighbours: str = "replace") -> Path:
    """A table whose first row is this person's; without one, a table without that row."""
    folder.mkdir()
    shape = {"table": "t", "neighbours": neighbours, "attributes": attributes}
    ht.Domain.from_dict(shape).save(folder / "t.yaml")
    rows = ROWS[1:] if person is None else [person, *ROWS[1:]]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([list(attributes), *rows])
    (folder / "t.csv").write_text(text.getvalue(), encoding="utf-8")
    return folder


def commands(folder: Path, workload: str, mechanism: str, spend: list[str]) -> list[list[str]]:
    at, domain = str(folder), ["--domain", f"{folder}/t.yaml"]
    release = ["release", f"{at}/t.csv", *domain, *spend]
    return [
        [*release, "--workload", workload, "--mechanism", mechanism, "-o", f"{at}/r.hush"],
        ["domain", "check", f"{at}/t.yaml"],
        ["curate", f"{at}/t.csv", "no such question", *domain, "--rho", "0.05", "--ledger", f"{at}/c.ledger"],
        [*release, "--workload", "marginals(width=1)", "-o", f"{at}/over.hush"],
        ["ask", f"{at}/r.hush", "nobody = 1"],
        ["ask", f"{at}/r.hush", "age >= 66"],
    ]


def seen(
    folder: Path,
    workload: str = "marginals(width=2)",
    mechanism: str = "low-order",
    most: int = 6,
    spend: tuple[str, str] = ("--rho", "0.1"),
) -> dict[str, Any]:
    """All that somebody beside the owner may see, but the noisy numbers and the time."""
    shown = []
    for line in commands(folder, workload, mechanism, [*spend])[:most]:
        code, out, errors = hush(line)
        shown.append((line[0], code, out.replace(str(folder), "FOLDER"), errors.replace(str(folder), "FOLDER")))
    return {
        "shown": shown,
        "files": sorted(file.name for file in folder.iterdir()),
        "synopsis": shape_of(folder / "r.hush") if (folder / "r.hush").exists() else None,
        "ledger": account(folder / "t.ledger") if (folder / "t.ledger").exists() else None,
    }


def shape_of(file: Path) -> dict[str, Any]:
    """The manifest without digests, and how many numbers each member has. Its bytes depend on the noise."""
    with zipfile.ZipFile(file) as archive:
        manifest = json.loads(archive.read("manifest.json"))
        members = archive.namelist()
    lengths = {name: given["numbers"] for name, given in manifest.pop("members").items()}
    manifest.pop("digest")
    manifest["accounting"].pop("ledger")
    if "key" in manifest["model"]["parameters"]:
        manifest["model"]["parameters"].pop("key")  # random, and public
    return {"manifest": manifest, "members": members, "lengths": lengths}


def account(path: Path) -> list[tuple[Any, ...]]:
    lines = Ledger.open(path).lines()
    # The name of a journal is random, and public.
    named = [re.sub(r"journal [0-9a-f]{16}$", "journal", line.what) for line in lines]
    return [
        (line.number, line.kind, what, line.amount, line.spent, line.plan_digest)
        for line, what in zip(lines, named, strict=True)
    ]


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return seen(written(tmp_path_factory.mktemp("base") / "t", ROWS[0], CLOSED), most=1)


@pytest.mark.parametrize("person", PERSONS)
def test_values_that_nothing_declares_change_nothing_either(
    tmp_path: Path, closed: dict[str, Any], person: str
) -> None:
    there = seen(written(tmp_path / "t", PERSONS[person], CLOSED), most=1)
    assert there == closed
    assert [code for _, code, _, _ in there["shown"]] == [0]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return seen(written(tmp_path_factory.mktemp("base") / "t", ROWS[0], ATTRIBUTES))


@pytest.mark.parametrize("person", PERSONS)
def test_one_person_changes_nothing_that_is_not_noise(tmp_path: Path, base: dict[str, Any], person: str) -> None:
    there = seen(written(tmp_path / "t", PERSONS[person], ATTRIBUTES))
    assert there == base
    codes = [code for _, code, _, _ in there["shown"]]
    assert codes == [0, 0, 1, 3, 1, 1], there["shown"]


FIXED = [specimen for specimen in SPECIMENS if not specimen.chooses]


def table_of(folder: Path, specimen: Specimen, person: Row) -> Path:
    """All kinds of rows that the domain allows, and this person's before them."""
    folder.mkdir()
    specimen.domain.save(folder / "t.yaml")
    rows = [person, *possible_rows(specimen.domain, most=60, seed=1)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([list(specimen.attributes), *rows])
    (folder / "t.csv").write_text(text.getvalue(), encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", [specimen.name for specimen in FIXED])
def test_shapes_of_every_mechanism(tmp_path: Path, name: str) -> None:
    """Those that choose by noisy numbers (mwem, pair-rake, learners) have shapes that are part of the release."""
    (specimen,) = (specimen.in_folder(tmp_path) for specimen in FIXED if specimen.name == name)
    ends = possible_rows(specimen.domain, most=60, seed=2)
    spend = ("--epsilon", "1") if specimen.budget.currency == "pure" else ("--rho", "0.1")
    shown = [
        seen(table_of(tmp_path / f"{i}", specimen, person), str(specimen.workload), str(specimen.mechanism), 1, spend)
        for i, person in enumerate((ends[0], ends[-1]))
    ]
    assert shown[0]["synopsis"] is not None, shown[0]["shown"]
    assert shown[0] == shown[1]


UNDECLARED = {
    "tables": "marginals(width=2)",
    "histogram": "marginals(width=2)",
    "smooth-spline": "smooth(columns=[age], by=[sex])",
    "smooth-cheb": "smooth(columns=[income])",
}


@pytest.mark.parametrize("mechanism", UNDECLARED)
def test_shapes_whatever_a_value_is(tmp_path: Path, mechanism: str) -> None:
    base = seen(written(tmp_path / "base", ROWS[0], ATTRIBUTES), UNDECLARED[mechanism], mechanism, 1)
    there = seen(written(tmp_path / "there", PERSONS["unparsable"], ATTRIBUTES), UNDECLARED[mechanism], mechanism, 1)
    assert there["synopsis"] is not None
    assert there == base


def test_under_add_remove_the_number_of_rows_shows_nowhere(tmp_path: Path) -> None:
    base = seen(written(tmp_path / "base", ROWS[0], ATTRIBUTES, "add-remove"))
    gone = seen(written(tmp_path / "gone", None, ATTRIBUTES, "add-remove"))
    assert base["synopsis"] is not None
    assert gone == base


BAD = ("unknown category", "out of range", "missing", "unparsable", "not finite", "control characters", "very long")


def test_a_strict_domain_has_one_error_a_column_whatever_the_value(tmp_path: Path) -> None:
    """The known exception: that there is such a value shows, and nothing else about it."""
    said: dict[str, set[str]] = {}
    for column in ("age", "income", "sex", "smoker"):
        place = list(STRICT).index(column)
        for name in BAD:
            value = PERSONS[name][place]
            if (column, name) in (("smoker", "unknown category"), ("smoker", "out of range"), ("sex", "out of range"),
                                  ("age", "unknown category"), ("income", "unknown category")):  # fmt: skip
                continue  # these are good values of that column
            row = [value if i == place else cell for i, cell in enumerate(ROWS[0])]
            there = seen(written(tmp_path / f"{column} {name}", row, STRICT), most=3)
            assert [code for _, code, _, _ in there["shown"]] == [1, 0, 1], (column, name, there["shown"])
            assert there["files"] == ["t.csv", "t.yaml"], "a table that does not fit leaves nothing behind"
            errors = " ".join(error for *_, error in there["shown"])
            assert not any(secret in errors for secret in SECRETS)
            said.setdefault(column, set()).add(json.dumps(there["shown"]))
    assert set(said) == {"age", "income", "sex", "smoker"}
    assert all(len(kinds) == 1 for kinds in said.values()), {column: len(kinds) for column, kinds in said.items()}


def test_the_comparison_sees_a_difference(tmp_path: Path, base: dict[str, Any]) -> None:
    """Power: one row more, which under replace is public, shows in what is compared."""
    folder = written(tmp_path / "t", ROWS[0], ATTRIBUTES)
    with (folder / "t.csv").open("a") as file:
        file.write(",".join(ROWS[5]) + "\n")
    there = seen(folder)
    assert there["shown"] != base["shown"]
    assert there["ledger"] == base["ledger"]
