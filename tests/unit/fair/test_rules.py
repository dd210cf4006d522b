"""Rules: decisions follow their odds, new people are treated fairly, files come back as they were."""

import json
from random import Random

import numpy as np
import pytest
from fairness import check, scored

from hushtable import fair
from hushtable.errors import BadPath, BadPolicy, HushError
from hushtable.fair.persons import read_person

DRAWS = 100_000


@pytest.fixture(scope="module")
def rule():
    points, loss = scored(40, 4)
    groups = {"S": np.arange(40) < 12, "T": np.arange(40) >= 12}
    return fair.solve(loss, fair.metric_from_points(points, 4.0), groups=groups, public=True)


def mixed_type(rule):
    """The type whose odds are most even."""
    return int(np.argmin(rule.odds.max(axis=1)))


@pytest.mark.parametrize("seed", [None, 7])
def test_decisions_have_the_frequencies_of_the_odds(rule, seed):
    """Each within 6.5 standard errors: a false alarm below 1e-9, four actions together; with a seed within 5.5."""
    at, coins = mixed_type(rule), fair.Coins(seed)
    drawn = [rule.decide(at, coins).action for _ in range(DRAWS)]
    assert within([drawn.count(action) for action in rule.actions], rule.odds[at], 6.5 if seed is None else 5.5)
    # ... and the test can see odds that are wrong by 7 percent of themselves.
    wrong = rule.odds[at] * np.where(np.arange(4) == np.argmax(rule.odds[at]), 0.93, 1.0)
    assert not within([drawn.count(action) for action in rule.actions], wrong, 6.5)


def within(counts, odds, errors):
    error = np.abs(np.array(counts) / DRAWS - odds)
    return bool((error <= errors * np.sqrt(odds * (1 - odds) / DRAWS) + 1e-12).all())


def test_a_seed_decides_the_same_again_and_is_stamped(rule):
    at = mixed_type(rule)
    first = [rule.decide(at, fair.Coins(seed)).action for seed in range(50)]
    assert first == [rule.decide(at, fair.Coins(seed)).action for seed in range(50)]
    assert len(set(first)) > 1
    assert rule.decide(at, fair.Coins(1)).rehearsal
    assert not rule.decide(at).rehearsal


def test_new_people_of_two_actions_are_fair_to_everybody_and_to_each_other():
    points, loss = scored(300, 2)
    old, new = points[:200], points[200:]
    rule = fair.solve(loss[:200], fair.metric_from_points(old, 4.0), public=True)
    for how in ("middle", "low", "high"):
        extended = rule.extend(new, how=how)
        both = np.concatenate([rule.odds[:, 1], extended.odds[:, 1]])
        distances = np.linalg.norm(points[:, None] - points[None], axis=2) / 4.0
        assert (np.abs(both[:, None] - both[None]) - distances).max() <= 1e-12
        assert not extended.slack.any()
    nearest = rule.odds[np.argmin(rule.metric.from_new(new), axis=1), 1]
    copied = np.concatenate([rule.odds[:, 1], nearest])
    assert (np.abs(copied[:, None] - copied[None]) - distances).max() > 0.1


@pytest.mark.parametrize("divergence", ["tv", "inf"])
def test_new_people_of_more_actions_have_the_least_slack(divergence):
    points, loss = scored(60, 3)
    rule = fair.solve(loss[:50], fair.metric_from_points(points[:50], 4.0), divergence=divergence, public=True)
    extended = rule.extend(points[50:])
    away = rule.metric.from_new(points[50:])
    np.testing.assert_allclose(extended.odds.sum(axis=1), 1)
    for odds, d, slack in zip(extended.odds, away, extended.slack, strict=True):
        if divergence == "tv":
            apart = np.abs(rule.odds - odds).sum(axis=1) / 2
        else:
            # An action that nobody ever gets is left to nobody.
            used = rule.odds.max(axis=0) > 0
            assert not odds[~used].any()
            apart = np.abs(np.log(rule.odds[:, used]) - np.log(odds[used])).max(axis=1)
        assert (apart - d).max() <= slack + 1e-6
    same = rule.extend(points[:3])
    assert same.slack.max() <= 1e-6


def test_where_no_fair_odds_exist_the_slack_is_said():
    """Ratios: 0.1 and 0.9 at log 9 from each other are fair, but nobody can be at log 3 from both."""
    rule = fair.solve([[0, 1], [1, 0]], [[0, np.log(9)], [np.log(9), 0]], divergence="inf", public=True)
    rule.odds[:] = [[0.9, 0.1], [0.1, 0.9]]
    extended = rule.extend([[np.log(3), np.log(3)]])
    assert extended.slack[0] == pytest.approx(np.log(5 / 3))


@pytest.mark.parametrize(("divergence", "actions"), [("tv", 2), ("tv", 3), ("inf", 2), ("inf", 3)])
def test_a_net_keeps_every_pair(divergence, actions):
    points, loss = scored(150, actions)
    metric = fair.metric_from_points(points, 4.0)
    rule = fair.solve(loss, metric, divergence=divergence, net=0.15, public=True)
    check(rule)
    best = fair.solve(loss, metric, divergence=divergence, public=True)
    assert best.loss - 1e-3 <= rule.loss <= rule.solution.constant_loss + 1e-9
    if (divergence, actions) == ("tv", 2):
        assert rule.loss < best.loss + 0.1


def test_a_net_is_for_pairs_alone():
    points, loss = scored(20, 2)
    groups = {"S": np.arange(20) < 5, "T": np.arange(20) >= 5}
    with pytest.raises(BadPolicy, match="a net is for fairness to pairs alone"):
        fair.solve(loss, fair.metric_from_points(points, 4.0), groups=groups, parity=0.1, net=0.1, public=True)


@pytest.mark.parametrize("kind", ["points", "matrix", "graph"])
def test_a_rule_comes_back_from_its_file(kind, tmp_path):
    points, loss = scored(30, 3)
    far = np.linalg.norm(points[:, None] - points, axis=2) > 3
    metric = {
        "points": fair.metric_from_points(points, 4.0),
        "matrix": fair.metric_from_matrix(np.where(far, np.inf, 1.0) - np.eye(30)),
        "graph": fair.knn_metric(points, 4, 4.0),
    }[kind]  # fmt: skip
    groups = {"S": np.arange(30) < 10, "T": np.arange(30) >= 10}
    rule = fair.solve(loss, metric, groups=groups, parity=0.1, public=True)
    rule.save(tmp_path / "rule.json")
    again = fair.FairRule.load(tmp_path / "rule.json")
    np.testing.assert_array_equal(again.odds, rule.odds)
    np.testing.assert_array_equal(again.metric.matrix, rule.metric.matrix)
    assert again.report() == rule.report()
    assert again.to_dict() == rule.to_dict()
    with pytest.raises(BadPath, match="exists"):
        rule.save(tmp_path / "rule.json")


def test_a_file_that_is_no_rule_is_one_line(rule, tmp_path):
    rule.save(tmp_path / "rule.json")
    good = json.loads((tmp_path / "rule.json").read_text())
    bad = [
        ("", "not JSON"),
        ("[1]", "not the file"),
        (json.dumps(good | {"format": "other"}), "not the file"),
        (json.dumps({k: v for k, v in good.items() if k != "odds"}), "damaged"),
        (json.dumps(good | {"odds": good["odds"][:-1]}), "same types"),
        (json.dumps(good | {"odds": [[2.0, -1.0, 0.0, 0.0]] * 40}), "add up to 1"),
        (
            json.dumps(
                good | {"metric": {"kind": "matrix", "scale": 1, "notes": [], "declared": False, "size": 10**9}}
            ),
            "damaged",
        ),
        (json.dumps(good | {"metric": {"kind": "x", "scale": 1, "notes": [], "declared": False}}), "kind 'x'"),
    ]
    for number, (text, words) in enumerate(bad):
        path = tmp_path / f"{number}.json"
        path.write_text(text)
        with pytest.raises(BadPolicy, match=words) as caught:
            fair.FairRule.load(path)
        assert "\n" not in str(caught.value)
    with pytest.raises(BadPath, match="no file"):
        fair.FairRule.load(tmp_path / "none.json")


def broken_somewhere(given, chance):
    """A copy of plain values with one of them replaced or left out."""
    copy = json.loads(json.dumps(given))
    place = copy
    while True:
        key = chance.choice(list(place)) if isinstance(place, dict) else chance.randrange(len(place))
        inner = place[key]
        if not isinstance(inner, (dict, list)) or not inner or chance.random() < 0.4:
            place[key] = chance.choice([None, -1, 1e308, "x", [], {}, True, 10**12, float("nan"), [[]]])
            return copy
        place = inner


def test_no_broken_file_does_more_than_say_so(rule, tmp_path):
    """Either it is refused in one line, or it can be reported and decided with."""
    rule.save(tmp_path / "rule.json")
    good = json.loads((tmp_path / "rule.json").read_text())
    chance, refused = Random(1), 0
    for _ in range(300):
        (tmp_path / "broken.json").write_text(json.dumps(broken_somewhere(good, chance)))
        try:
            opened = fair.FairRule.load(tmp_path / "broken.json")
            opened.report()
            opened.decide(0)
        except HushError:
            refused += 1
    assert 100 < refused < 300


def test_people_are_read_as_they_are_typed():
    assert read_person("12") == 12
    assert read_person("income = 42000, sex=female") == {"income": "42000", "sex": "female"}
    assert read_person("income = '[15000, 30000)', sex = \"a b\"") == {"income": "[15000, 30000)", "sex": "a b"}
    for text in ("", "income", "income =", "a = 1, a = 2", "a = 1 = 2, 'x"):
        with pytest.raises(BadPolicy):
            read_person(text)


def test_unknown_types_and_groups_are_said(rule):
    with pytest.raises(BadPolicy, match="numbered from 0 to 39"):
        rule.decide(40)
    with pytest.raises(BadPolicy, match="by number only"):
        rule.decide({"sex": "female"})
    with pytest.raises(BadPolicy, match="no group 'U'"):
        rule.bias("S", "U")
    with pytest.raises(BadPolicy, match="no way to extend 'up'"):
        rule.extend([[0.0] * 4], how="up")
    assert "FairRule of 40 types" in repr(rule)
