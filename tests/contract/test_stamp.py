"""The stamp NOT PRIVATE follows every way out of a rehearsal, and no way out of a release."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from html_pages import words

import hushtable as ht
from faults import hush
from hushtable.errors import BadPath, BadQuestion
from hushtable.models import MODELS
from hushtable.questions.answer import Answer, CrossTab
from hushtable.report.owner import owner_report
from hushtable.report.plots import save_density
from hushtable.report.public import public_report
from hushtable.synopsis.density import density
from hushtable.synopsis.rows import write_rows

GOLDEN = sorted((Path(__file__).parents[1] / "golden").glob("*.hush"))
STAMP = "NOT PRIVATE"


def questions(path: Path) -> list[str]:
    return [answer["question"] for answer in json.loads(path.with_suffix(".json").read_text())]


def both(path: Path) -> list[ht.Synopsis]:
    """The file as a rehearsal, which it is, and as if it had been a release."""
    synopsis = ht.load(path)
    return [replace(synopsis, not_private=flag) for flag in (True, False)]


def ways_out(answer: Answer | CrossTab) -> dict[str, str]:
    """Every form an answer can leave in, as text."""
    ways = {
        "print": str(answer),
        "repr": repr(answer),
        "text": answer.text(0.9),
        "html": answer._repr_html_(),
        "notes": str(answer.notes),
        "json": json.dumps(answer.to_dict()),
        "pandas": str(answer.to_pandas().attrs),
        "pandas csv": answer.to_pandas().to_csv(),
        "arrow": str(answer.to_arrow().schema.metadata),
        "polars csv": answer.to_polars().write_csv(),
        "columns": str(answer.columns(0.95)),
    }
    if isinstance(answer, CrossTab):
        ways |= {"consistent": str(answer.consistent())}
        ways |= {"rows": json.dumps(answer.rows())} if len(answer) else {}
        ways |= {"simultaneous": answer.text(0.9, simultaneous=True)}
    if answer.unbiased is not None:
        ways |= {f"unbiased {name}": text for name, text in ways_out(answer.unbiased).items()}
    return ways


def is_stamped(text: str) -> bool:
    return "not private" in text.lower().replace("_", " ")


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_answers(path):
    rehearsal, release = both(path)
    for question in questions(path):
        stamped = {name: is_stamped(text) for name, text in ways_out(rehearsal.ask(question)).items()}
        assert all(stamped.values()), stamped
        marked = {name for name, text in ways_out(release.ask(question)).items() if is_stamped(text)}
        # Metadata name the flag of a release too, with the value false.
        assert marked <= {"arrow", "pandas", "unbiased arrow", "unbiased pandas"}
        assert release.ask(question).to_pandas().attrs["hushtable"]["not_private"] is False
        assert rehearsal.ask(question).to_dict()["not_private"] is True


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_the_synopsis_itself(path):
    rehearsal, release = both(path)
    for show in (str, repr):
        assert STAMP in show(rehearsal)
        assert STAMP not in show(release)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_commands(path, tmp_path):
    """`hush ask`, as text and as JSON, and `hush report`, which must not invite to publish a rehearsal."""
    for question in questions(path)[:1]:
        for more in ([], ["--json"]):
            code, out, err = hush(["ask", str(path), question, *more])
            assert (code, err) == (0, "")
            assert out.count(STAMP) == 1
    code, out, _ = hush(["report", str(path), "-o", str(tmp_path / "p.html")])
    assert code == 0
    assert STAMP in out
    assert "may be published" not in out
    assert words((tmp_path / "p.html").read_text()).count(STAMP) >= 2
    code, out, _ = hush(["report", str(path), "-o", str(tmp_path / "q.html"), "--json"])
    assert json.loads(out)["publishable"] is False


def test_a_release_may_be_published(tmp_path):
    _, release = both(GOLDEN[0])
    release.save(tmp_path / "r.hush")
    code, out, _ = hush(["report", str(tmp_path / "r.hush"), "-o", str(tmp_path / "p.html")])
    assert (code, STAMP in out, "may be published" in out) == (0, False, True)
    assert STAMP not in (tmp_path / "p.html").read_text()


def able_to_draw() -> list[Path]:
    kinds = {kind for kind, model in MODELS.items() if model.rows_by is not None}
    return [path for path in GOLDEN if ht.load(path).model.kind in kinds]


@pytest.mark.parametrize("path", able_to_draw(), ids=lambda p: p.stem)
def test_rows(path, tmp_path):
    rehearsal, release = both(path)
    assert json.loads(rehearsal.sample(5).schema.metadata[b"hushtable"])["not_private"] is True
    with pytest.raises(BadPath, match=r"NOT PRIVATE.*rows-not-private\.csv, or a \.parquet file"):
        write_rows(rehearsal, 5, tmp_path / "rows.csv")
    assert list(tmp_path.iterdir()) == []
    write_rows(release, 5, tmp_path / "rows.csv")
    for name in ("rows-not-private.csv", "r.parquet"):
        code, out, err = hush(["sample", str(path), "-n", "5", "-o", str(tmp_path / name)])
        assert code == 0
        assert STAMP in out
        assert STAMP in err
        assert (tmp_path / name).exists()


def smooth() -> list[Path]:
    return [path for path in GOLDEN if ht.load(path).model.kind == "smooth"]


@pytest.mark.parametrize("path", smooth(), ids=lambda p: p.stem)
@pytest.mark.parametrize("ending", ["svg", "png"])
def test_pictures(path, tmp_path, ending):
    """From the library, with whatever title, and from the command."""
    rehearsal, release = both(path)
    column = rehearsal.model.columns[0]
    for synopsis, name in ((rehearsal, "yes"), (release, "no")):
        save_density(tmp_path / f"{name}.{ending}", density(synopsis, [column]), title="mine")
        assert (STAMP.encode() in (tmp_path / f"{name}.{ending}").read_bytes()) is (name == "yes")
    code, out, _ = hush(["plot", str(path), "--columns", column, "-o", str(tmp_path / f"c.{ending}")])
    assert (code, STAMP in out) == (0, True)
    assert STAMP.encode() in (tmp_path / f"c.{ending}").read_bytes()


@pytest.mark.parametrize("path", smooth(), ids=lambda p: p.stem)
def test_averages_of_code(path):
    rehearsal, release = both(path)
    assert is_stamped(str(rehearsal.average(lambda age: age / 100)))
    assert not is_stamped(str(release.average(lambda age: age / 100)))


def test_curators():
    from curators import rehearsal

    answer = rehearsal().ask("smoker")
    stamped = {name: is_stamped(text) for name, text in ways_out(answer).items()}
    assert all(stamped.values()), stamped


def test_owner_report():
    """The truth stands beside it, so it has a stamp of its own; that of the rehearsal is on it all the same."""
    path = next(p for p in GOLDEN if p.stem == "format-1-tables-zcdp")
    for synopsis in both(path):
        sizes = synopsis.domain.sizes

        def true_tables(sets, sizes=sizes):
            import numpy as np

            return [np.full([sizes[p] for p in positions], 0.01) for positions in sets]

        assert (STAMP in owner_report(synopsis, true_tables)) is synopsis.not_private


@pytest.mark.parametrize("path", GOLDEN, ids=lambda p: p.stem)
def test_public_report(path):
    rehearsal, release = both(path)
    assert words(public_report(rehearsal)).count(STAMP) >= 2
    assert STAMP not in public_report(release)


def test_no_kind_of_answer_has_a_text_of_its_own():
    """`text` sets the stamp; a kind of answer says the rest in `_plain`."""

    def below(cls):
        return {cls, *(deep for sub in cls.__subclasses__() for deep in below(sub))}

    import hushtable.curator.answer  # noqa: F401

    for cls in (below(Answer) | below(CrossTab)) - {Answer, CrossTab}:
        assert not {"text", "__str__", "_repr_html_", "to_pandas", "to_arrow"} & set(vars(cls)), cls


def test_bad_questions_stay_errors():
    with pytest.raises(BadQuestion):
        both(GOLDEN[0])[0].ask("no such thing")
