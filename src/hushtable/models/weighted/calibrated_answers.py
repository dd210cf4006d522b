"""Answers with calibrated bars: a usual bar where nothing was measured, with what is certified beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ...questions.answer import Answer, CrossTab, interval_factor
from ...questions.answer_forms import UNKNOWN
from ..build_answer import Estimates, Wording, build_answer
from ..limits import below_noise
from .calibrated_bars import CalibratedBars
from .error_bars import ErrorBar

if TYPE_CHECKING:
    from .weighted import WeightedModel

__all__ = ["basis_notes", "calibrated_answer"]

Floats = NDArray[np.float64]
CONFIDENCE = 0.95


def calibrated_answer(
    bars: CalibratedBars, wording: Wording, surely: Estimates, basis: list[ErrorBar], *, count: bool
) -> Answer | CrossTab | None:
    """Where a cell was measured, or what is certified is narrower than what is usual, it keeps that; None if all do."""
    scale = bars.rows if count else 1.0
    usual = bars.estimates(np.asarray(surely.value) / scale, count=count)
    half, sure = _half(usual), _half(surely)
    # All that there can be is no bar, however wide the usual one is, which ends there as well.
    told = np.array([each.basis != "guessed" for each in basis])
    kept = np.array([each.basis in ("measured", "certain") for each in basis]) | told & (sure <= half)
    if kept.all():
        return None
    notes = (*wording.notes, *bars.notes())
    if kept.any():
        notes = (*notes, *basis_notes(bars.model, [b for b, own in zip(basis, kept, strict=True) if own], scale))
        usual = _mixed(kept, surely, usual)
    elif not bars.unseen:
        notes = (*notes, *below_noise(usual))
    named = UNKNOWN if bars.unseen and not kept.any() else "model" if bars.unseen else "calibrated"
    answer = build_answer(replace(wording, notes=notes, estimator=named), usual)
    if not isinstance(answer, Answer):
        return answer
    value = float(np.ravel(surely.value)[0])
    most = np.inf if count and bars.model.rows_stderr else scale
    return replace(answer, certified=(max(value - float(sure[0]), 0.0), min(value + float(sure[0]), most)))


def _half(estimates: Estimates) -> Floats:
    factor = interval_factor(CONFIDENCE, np.asarray(estimates.kurtosis))
    return np.atleast_1d(np.asarray(estimates.bias) + factor * np.asarray(estimates.stderr))


def _mixed(kept: NDArray[np.bool_], surely: Estimates, usual: Estimates) -> Estimates:
    columns: dict[str, Any] = {
        name: np.where(kept, getattr(surely, name), getattr(usual, name))
        for name in ("value", "stderr", "bias", "kurtosis")
    }
    return Estimates(**columns)


def basis_notes(model: WeightedModel, bars: list[ErrorBar], scale: float) -> list[str]:
    """What the error bars rest on."""
    notes = []
    kinds = {each.basis for each in bars}
    if "measured" in kinds:
        first = next(each for each in bars if each.basis == "measured")
        unbiased = f": unbiased value {scale * (first.direct or 0):.6g}" if len(bars) == 1 and first.direct else ""
        notes.append(f"measured{unbiased}; the bias is how far the model moved it")
    if "certified" in kinds and model.certificate is not None:
        notes.append(
            f"not measured; the bias bound holds with probability {model.certificate.confidence:g}, by the last choice"
        )
    if "guessed" in kinds:
        notes.append("unknown: nothing certifies what the fitted distribution says; the interval is all there can be")
    return notes
