"""The papers: claims parse, fast runs hold, files have their schema, and the command says clearly what is wrong."""

import csv
import json
import math
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from hushtable.cli import main, reproduce

ROOT = Path(__file__).parents[2]
NAMES = ("blum2011", "dwork2012", "gupta2011", "hardt2010", "hardt2012", "poster", "rothblum2010", "servedio2012",
         "thaler2012", "wang2013")  # fmt: skip
# The reproductions of a few seconds; those of the others are in the slow suite.
QUICK = ("gupta2011", "thaler2012")
RUNS = [pytest.param(name, marks=[] if name in QUICK else pytest.mark.slow) for name in NAMES]
FIELDS = {"name", "where", "says", "quantity", "theirs", "bar", "relation", "tolerance", "why", "verdict", "note",
          "ours", "found", "holds", "measured"}  # fmt: skip
CLAIM = {"name": "c", "where": "", "says": "", "quantity": "", "theirs": 1.0, "relation": "equal", "tolerance": 0.1,
         "verdict": "confirmed"}  # fmt: skip


@pytest.fixture(scope="module")
def paper():
    return reproduce._papers()


@pytest.fixture(scope="module", params=RUNS)
def made(request, paper, tmp_path_factory):
    folder = tmp_path_factory.mktemp("papers") / request.param
    return request.param, folder, paper.reproduce(request.param, folder=folder, fast=True)


def hush(line, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["hush", *line.split()])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", NAMES)
def test_claims_parse_and_have_different_names(paper, name):
    claims = paper.read_claims(name)
    assert len(claims) >= 10
    assert len({claim.name for claim in claims}) == len(claims)


def test_every_verdict_of_a_fast_run_holds(made):
    _, _, result = made
    assert [c["name"] for c in result["claims"] if c["holds"] is False] == []
    assert all(c["measured"].startswith("skipped") for c in result["claims"] if c["holds"] is None)


def test_the_verdicts_are_written_as_they_were_returned(made):
    name, folder, result = made
    assert json.loads((folder / "result.json").read_text("utf-8")) == result
    assert result["paper"] == name
    assert all(set(claim) == FIELDS for claim in result["claims"])
    assert sum(result["verdicts"].values()) == len(result["claims"])


def test_the_table_has_numbers_of_both_sides(made, paper):
    _, folder, _ = made
    rows = rows_of(folder / "result.csv")
    assert tuple(rows[0]) == paper.COLUMNS
    assert {"theirs", "ours"} <= {row["whose"] for row in rows}
    assert all(math.isfinite(float(row["value"])) for row in rows)


def test_the_picture_is_one_with_words(made):
    _, folder, _ = made
    text = (folder / "figure.svg").read_text("utf-8")
    assert text.startswith("<?xml")
    assert len(text) > 20_000


@pytest.mark.parametrize("name", NAMES)
def test_the_kept_results_are_of_a_full_run_of_todays_claims(paper, name):
    kept = json.loads((ROOT / "papers" / name / "result.json").read_text("utf-8"))
    assert not kept["fast"]
    assert kept["holds"]
    for claim, verdict in zip(paper.read_claims(name), kept["claims"], strict=True):
        assert {field: verdict[field] for field in asdict(claim)} == asdict(claim)
    assert (ROOT / "papers" / name / "figure.svg").exists()
    assert tuple(rows_of(ROOT / "papers" / name / "result.csv")[0]) == paper.COLUMNS


@pytest.mark.parametrize(
    ("relation", "inside", "outside"),
    [("equal", (0.9, 1.1), (0.89, 1.11)), ("at most", (-9, 1.1), (1.11,)), ("at least", (0.9, 9), (0.89,))],
)
def test_a_claim_holds_within_its_tolerance_and_not_beyond(paper, relation, inside, outside):
    claim = paper.Claim(**(CLAIM | {"relation": relation}))
    assert all(claim.holds(ours) for ours in inside)
    assert not any(claim.holds(ours) for ours in outside)


@pytest.mark.parametrize(
    "change",
    [
        {"relation": "about"}, {"tolerance": -1.0}, {"verdict": "perhaps"}, {"tolerance": 0.21},
        {"verdict": "ours"}, {"bar": 1.0}, {"theirs": None}, {"verdict": "refuted"}, {"verdict": "corrected"},
    ],
)  # fmt: skip
def test_a_claim_that_cannot_be_judged_is_refused(paper, change):
    with pytest.raises(ValueError, match="claim c"):
        paper.Claim(**(CLAIM | change))


@pytest.mark.parametrize(
    ("verdict", "measured", "found"),
    [
        ("confirmed", 1.0, "confirmed"), ("confirmed", 2.0, "refuted"), ("refuted", 2.0, "refuted"),
        ("refuted", 1.0, "confirmed"), ("corrected", 1.0, "corrected"), ("corrected", 2.0, "fails"),
        ("ours", 1.0, "ours"), ("ours", 2.0, "fails"),
    ],
)  # fmt: skip
def test_a_number_gives_a_verdict_and_that_must_be_the_one_on_record(paper, verdict, measured, found):
    number = {"bar": 1.0, "theirs": None} if verdict == "ours" else {}
    claim = paper.Claim(**(CLAIM | {"verdict": verdict, "note": "so"} | number))
    (judged,) = paper.verdicts([claim], {"c": paper.Measured(measured, "")})
    assert (judged["found"], judged["holds"]) == (found, found == verdict)


def test_the_page_counts_the_verdicts_of_every_source():
    page = (ROOT / "docs" / "papers.md").read_text("utf-8")
    for name in NAMES:
        kept = json.loads((ROOT / "papers" / name / "result.json").read_text("utf-8"))["verdicts"]
        counts = " | ".join(str(kept.get(kind, 0)) for kind in ("confirmed", "refuted", "corrected", "ours"))
        assert f"| `{name}` | {counts} |" in page


def test_a_claim_without_a_measurement_is_an_error(paper):
    with pytest.raises(ValueError, match="differ"):
        paper.verdicts(paper.read_claims("poster"), {})


def test_slope_is_the_exponent_of_a_power_law(paper):
    assert paper.slope([1, 2, 4], [3, 12, 48]) == pytest.approx(2)


def test_without_the_table_the_claims_about_it_are_skipped(paper, monkeypatch, tmp_path):
    from papers.poster import adult, run

    monkeypatch.setattr(adult, "DATA", tmp_path)
    assert list(adult.adult_rows(fast=True)) == []
    seen = run._adult([])
    assert all(one.ours is None and "HUSHTABLE_DATA" in one.note for one in seen.values())


def test_without_a_name_the_papers_are_listed(monkeypatch, capsys):
    assert hush("reproduce --json", monkeypatch) == 0
    assert [one["name"] for one in json.loads(capsys.readouterr().out)["papers"]] == list(NAMES)
    assert hush("reproduce", monkeypatch) == 0
    assert all(name in capsys.readouterr().out.split() for name in NAMES[:1])


def test_the_command_prints_theirs_ours_and_verdict(monkeypatch, capsys):
    claim = dict.fromkeys(FIELDS, "x") | {
        "theirs": 1.0,
        "bar": None,
        "tolerance": 0.1,
        "relation": "at most",
        "note": "",
    }
    claim |= {"verdict": "refuted", "measured": "skipped: so", "found": "refuted"}
    claims = [claim | {"ours": ours, "holds": holds} for ours, holds in ((5.0, True), (0.5, False), (None, None))]
    claims.append(claims[0] | {"theirs": None, "bar": 7.0, "note": "there"})
    result = {"paper": "poster", "title": "T", "fast": True, "holds": False, "claims": claims, "verdicts": {"ours": 2}}
    monkeypatch.setattr(reproduce._papers(), "reproduce", lambda *_, **__: result)
    assert hush("reproduce poster --fast", monkeypatch) == 1
    lines = capsys.readouterr().out.splitlines()
    ends = [line.split("  ")[-1] for line in lines]
    assert ends[-5:] == ["refuted", "FAILS: recorded as refuted", "skipped: so", "refuted: there", "2 ours"]
    head, first, last = lines[1], lines[2], lines[5]
    assert first.index("<= 1") + 4 == head.index("theirs") + 6
    assert last.index("<= 7") + 4 == head.index("our bar") + 7
    monkeypatch.setattr(reproduce._papers(), "reproduce", lambda *_, **__: result | {"holds": True})
    assert hush("reproduce poster --fast --json", monkeypatch) == 0
    assert json.loads(capsys.readouterr().out)["folder"] is None


def test_an_unknown_name_is_one_line_with_a_suggestion(monkeypatch, capsys):
    assert hush("reproduce thaler", monkeypatch) == 1
    line = capsys.readouterr().err
    assert line.count("\n") == 1
    assert "Did you mean 'thaler2012'?" in line


def test_a_folder_that_cannot_be_is_an_error_before_computing(monkeypatch, capsys, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "none" / "new"):
        assert hush(f"reproduce poster --fast --folder {place}", monkeypatch) == 1
        assert str(place) in capsys.readouterr().err


def test_without_matplotlib_it_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setattr("hushtable.extras.find_spec", lambda _: None)
    assert hush("reproduce poster", monkeypatch) == 1
    assert "hushtable[report]" in capsys.readouterr().err


def test_without_a_clone_it_says_so(monkeypatch, capsys, tmp_path):
    monkeypatch.setattr(reproduce, "ROOT", tmp_path)
    assert hush("reproduce", monkeypatch) == 1
    assert "clone the repository" in capsys.readouterr().err
