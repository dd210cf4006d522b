"""Every synopsis file ever published must load for ever and give the same answers."""

import json
from pathlib import Path

import pytest

import hushtable as ht
from hushtable.models import MODELS

FILES = sorted(Path(__file__).parent.glob("*.hush"))
# These fit weights when they are loaded, and the last digits of a fit depend on the machine.
FITTED = ("weighted", "whole-table")


def test_every_format_version_has_a_file() -> None:
    from hushtable.synopsis.file_format import FORMAT

    assert {int(path.name.split("-")[1]) for path in FILES} == set(range(1, FORMAT + 1))


def test_every_model_has_a_file() -> None:
    assert {ht.load(path).model.kind for path in FILES} == set(MODELS)


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_loads_and_answers_as_on_the_day_it_was_made(path: Path) -> None:
    synopsis = ht.load(path)
    near = 1e-6 if synopsis.model.kind in FITTED else 1e-9
    expected = json.loads(path.with_suffix(".json").read_text())
    assert expected, "nothing to compare"
    for before in expected:
        now = json.loads(json.dumps(synopsis.ask(before["question"], count=False).to_dict()))
        # The largest of many computed errors, each the difference of two sums: known to 1e-10 of their size.
        close = 1e-5 if now.get("bias_kind") == "sampled" else near
        for key in ("unit", "estimator", "confidence"):
            assert now[key] == before[key]
        # Notes are words and may be improved, but not lost.
        assert len(now["notes"]) >= len(before["notes"])
        cells = zip(now.get("rows", [now]), before.get("rows", [before]), strict=True)
        for one, other in cells:
            assert set(one) >= set(other)
            # A certified bias is the difference of sums as large as the answer, whose last digits are the machine's.
            rounding = 1e-13 * abs(other["value"] or 0)
            for key in ("value", "stderr", "bias", "low", "high", "noise", "collision"):
                if key in other and other[key] is None:
                    assert one[key] is None
                elif key in other:
                    assert one[key] == pytest.approx(other[key], rel=close, abs=near / 1000 + rounding)
