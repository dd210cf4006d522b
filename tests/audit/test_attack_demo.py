"""The reconstruction attack: nearly everything from careless answers, nothing from a release at epsilon 1."""

import json

import numpy as np
from typer.testing import CliRunner

from hushtable.cli import app
from hushtable.demo.attack import reconstruct, run


def test_exact_answers_are_solved_exactly():
    g = np.random.default_rng(3)
    secret, asked = g.random(64) < 0.5, g.random((256, 64)) < 0.5
    np.testing.assert_array_equal(reconstruct(asked, (asked @ secret.astype(float))), secret)


def test_careless_answers_betray_and_ours_do_not():
    found = {one.how: one for one in run(seed=1)}
    assert all(found[f"errors up to {most}"].share > 0.9 for most in (0, 1, 2, 4))
    ours = found["hushtable, epsilon = 1, delta = 1e-09"]
    assert ours.share < 0.55
    assert ours.share < found["errors up to 8"].share


def test_the_command_tells_and_draws(tmp_path):
    picture = tmp_path / "attack.svg"
    out = CliRunner().invoke(app, ["demo", "--attack", "--picture", str(picture), "--json"])
    assert out.exit_code == 0
    told = json.loads(out.stdout)
    assert told["simulated"]
    assert told["attacks"][0] == {"how": "errors up to 0", "stderr": 0.0, "recovered": 1.0, "people": 128}
    assert picture.read_text("utf-8").count("<svg") == 1
