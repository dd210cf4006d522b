"""Pictures of answers: the numbers that asking gives, on axes that can be used further."""

import sys

import numpy as np
import pytest
from tables import MIXED, domain, random_codes, table_of

import hushtable as ht
from hushtable.cli import main
from hushtable.errors import BadQuestion
from hushtable.owner.vault import Vault

pytest.importorskip("matplotlib", reason="pictures need matplotlib")


@pytest.fixture(scope="module")
def released(tmp_path_factory):
    shape = domain(MIXED | {"visits": {"kind": "integer", "between": [0, 19], "bins": 20}})
    rows = table_of(domain(MIXED), random_codes(domain(MIXED), 3000, seed=1))
    visits = np.random.default_rng(2).integers(0, 20, 3000)
    made = ht.plan(shape, rows=3000, workload="marginals(width=3)", budget=ht.Budget(epsilon=1))
    vault = Vault(rows.append_column("visits", [visits]), shape, ledger=tmp_path_factory.mktemp("l") / "t.ledger")
    return vault.release(made)


def by(released, *names, what="count(*)"):
    return released.ask(f"SELECT {', '.join(names)}, {what} FROM t GROUP BY {', '.join(names)}")


def test_bars_have_the_values_and_the_intervals_of_the_answer(released):
    answer = by(released, "region")
    axes = answer.plot()
    assert [bar.get_width() for bar in axes.patches] == pytest.approx(answer.value)
    low, high = answer.interval(0.95)
    (whiskers,) = [c for c in axes.collections if len(c.get_segments()) == len(answer)]
    ends = np.array([segment[:, 0] for segment in whiskers.get_segments()])
    assert ends == pytest.approx(np.array([low, high]).T)
    assert [text.get_text() for text in axes.get_yticklabels()] == list(answer.groups["region"])
    wider = answer.plot(confidence=0.999)
    assert np.ptp(wider.get_xlim()) > np.ptp(axes.get_xlim())


def test_ordered_columns_with_many_values_are_lines(released):
    answer = by(released, "visits")
    axes = answer.plot()
    (line,) = [line for line in axes.lines if len(line.get_xdata()) > 2]
    present = [label != "missing" for label in answer.groups["visits"]]
    assert line.get_ydata() == pytest.approx(answer.value[present])
    assert not axes.patches
    assert answer.plot(kind="bars").patches


def test_two_columns_are_a_map_with_numbers_or_lines_of_means(released):
    answer = by(released, "region", "sex")
    axes = answer.plot()
    (image,) = axes.images
    assert np.asarray(image.get_array()) == pytest.approx(answer.value.reshape(5, 2))
    assert len(axes.texts) == 10
    means = by(released, "age", "sex", what="avg(smoker)").plot()
    assert not means.images
    assert [text.get_text() for text in means.get_legend().get_texts()] == ["female", "male"]


def test_it_draws_on_given_axes_and_returns_them(released):
    from matplotlib.figure import Figure

    given = Figure().subplots()
    assert by(released, "sex").plot(given) is given


def test_lines_that_are_left_out_leave_a_gap_in_the_map(released):
    picked = released.ask("SELECT region, sex, count(*) FROM t GROUP BY region, sex ORDER BY 3 DESC LIMIT 3")
    (image,) = picked.plot().images
    assert np.ma.count(image.get_array()) == 3


@pytest.mark.parametrize(
    ("names", "kind", "said"),
    [
        (("region", "sex", "smoker"), None, "one or two columns"),
        (("region",), "map", "two columns"),
        (("region", "sex"), "bars", "one column"),
        (("region",), "pie", "bars, lines, map"),
        (("sex", "visits"), "lines", None),
        (("visits", "age"), "lines", None),
    ],
)
def test_kinds(released, names, kind, said):
    if said is None:
        assert by(released, *names).plot(kind=kind).lines
        return
    with pytest.raises(BadQuestion, match=said):
        by(released, *names).plot(kind=kind)


def test_a_rehearsal_is_stamped():
    rows = table_of(domain(MIXED), random_codes(domain(MIXED), 500, seed=1))
    made = ht.plan(domain(MIXED), rows=500, workload="marginals(width=1)", budget=ht.Budget(epsilon=1))
    released = Vault(rows, domain(MIXED)).release(made, randomness=ht.Simulated(1))
    assert "NOT PRIVATE" in by(released, "sex").plot().get_title(loc="left")


def hush(monkeypatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["hush", *arguments])
    try:
        main()
    except SystemExit as stop:
        return int(stop.code or 0)
    return 0


def test_command(released, tmp_path, monkeypatch, capsys):
    released.save(tmp_path / "t.hush")
    file = str(tmp_path / "t.hush")
    for number, arguments in enumerate(
        [
            ["--columns", "region"],
            ["--columns", "region", "--where", "smoker"],
            ["--columns", "region,sex"],
            ["SELECT sex, avg(smoker), count(*) FROM t GROUP BY sex"],
            ["SELECT visits, count(*) FROM t GROUP BY visits", "--kind", "bars", "--share"],
        ]
    ):
        output = tmp_path / f"{number}.svg"
        assert hush(monkeypatch, "plot", file, *arguments, "-o", str(output)) == 0
        assert "<svg" in output.read_text()
    for arguments, said in (
        ([], "give a question or --columns"),
        (["smoker"], "add GROUP BY"),
        (["--columns", "regoin"], "Did you mean 'region'?"),
        (["SELECT sex, count(*) FROM t GROUP BY sex", "--where", "smoker"], "--where goes with --columns"),
    ):
        assert hush(monkeypatch, "plot", file, *arguments, "-o", str(tmp_path / "none.png")) == 1
        assert said in capsys.readouterr().err
        assert not (tmp_path / "none.png").exists()
