"""Planning wide workloads: which orders matter for the typical question, and what error it will have."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import comb, prod
from typing import TYPE_CHECKING

import numpy as np

from ..laws import Law
from ..maths.interactions.contrasts import contrasts
from ..maths.interactions.layout import InteractionLayout
from ..questions.workloads.wide import Wide
from .base import Forecast

if TYPE_CHECKING:
    from ..vault.door.door import Noise
    from .wide_design import NoisyInteractions

__all__ = ["noise_by_order", "wide_forecast", "wide_uses", "worth_a_look"]


def wide_uses(interactions: InteractionLayout, law: Law, wide: Wide) -> list[float]:
    """How much each group's scale adds to the noise of the workload's typical question.

    The assisted estimate weighs a product of i conditions by its effect, here at even chances; a random question
    meets a given one of the C(d, i) sets with chance C(k, i) / C(d, i). The number of rows, and orders the
    typical question does not use, are left to their least share.
    """
    from ..maths.wide.reference import effects

    k, d = wide.width, len(interactions.sizes)
    weights = effects(wide.values(), min(interactions.order, k))
    if interactions.order == 2 < k and interactions.binary:
        weights[2] *= DENOISED[law.power] ** 0.5
    uses = [0.0]
    for group in range(1, len(interactions.groups)):
        key = interactions.groups[group]
        i = len(key)
        met = comb(k, i) / comb(d, i) * interactions.sets_in(group)
        uses.append(max(weights[i] ** 2, TINY) * met * _bit_noise(key, law))
    uses[0] = sum(uses) * TINY
    return uses


# Pairs that are drawn to what is usual keep little of their noise, so most of the price of order 2 goes to single
# attributes; docs/wide.md says what this was chosen on.
DENOISED = {1: 0.2, 2: 0.05}
# Stands for "hardly used": the least share of the budget (allocation.LEAST_SHARE) then decides.
TINY = 1e-12


def _bit_noise(key: tuple[int, ...], law: Law) -> float:
    """Variance of the product of bits that are 1 for half the codes, when the group's scale is 1."""
    if law.power == 2:
        return prod(size / 4 for size in key)
    return 2 * prod(_laplace_bit(size) for size in key)


def _laplace_bit(size: int) -> float:
    basis = contrasts(size)
    half = np.array([float(code >= size / 2) for code in range(size)])
    weights = basis.inverse.T @ half
    return float(sum((w * step) ** 2 for w, step in zip(weights[1:], basis.steps[1:], strict=True)))


def wide_forecast(interactions: InteractionLayout, noise: Noise, wide: Wide, rows: int) -> Forecast:
    """`typical` is the expected error of the best guess on a public reference table; `worst` the certified noise."""
    from ..maths.wide.krawtchouk import krawtchouk, parity_of_values
    from ..maths.wide.minimax import best_biased
    from ..maths.wide.reference import expected_error

    k, t = wide.width, interactions.order
    spread = noise_by_order(interactions, noise, rows)
    covariance = np.diag([comb(k, i) * 4.0**i * spread[i] ** 2 for i in range(t + 1)])
    fit = best_biased(krawtchouk(k, t), wide.values(), covariance)
    if t < k:
        expected = expected_error(wide.values(), t, spread)
    else:
        # The whole width is measured: answers are unbiased, and all of their error is noise.
        weights = parity_of_values(wide.values(), k)
        expected = math.sqrt(float(weights @ covariance @ weights))
    return Forecast(width=k, tables=comb(len(interactions.sizes), k), typical=expected * rows,
                    worst=fit.stderr * rows, bias=fit.bias, reference=True)  # fmt: skip


def noise_by_order(interactions: InteractionLayout, noise: Noise, rows: int) -> list[float]:
    """Root mean square noise of the released mean of a product of i centred bits."""
    power = 1 if noise.law.power == 2 else 2
    totals, sets = [0.0] * (interactions.order + 1), [0] * (interactions.order + 1)
    for group, key in enumerate(interactions.groups):
        count = interactions.sets_in(group)
        sets[len(key)] += count
        if key:
            scale = float(noise.per_group[group]) ** power
            totals[len(key)] += count * scale * _bit_noise(key, noise.law)
    return [math.sqrt(total / count) / rows for total, count in zip(totals, sets, strict=True)]


def worth_a_look(designs: Sequence[NoisyInteractions], wide: Wide, rows: int) -> list[int]:
    """The orders that may turn out best: those near the best on some reference table, weak or strong, and between.

    Pairs of two-valued attributes cost next to nothing with Gaussian noise: where they say nothing they are drawn to
    independence, and single attributes have most of the price in any case. So they are always measured.
    """
    from ..maths.wide.reference import error_at

    values, errors = wide.values(), []
    for interactions, noise, _ in designs:
        spread = noise_by_order(interactions, noise, rows)
        errors.append([error_at(values, interactions.order, spread, strength) for strength in LEANS])
    table = np.array(errors)
    good = np.flatnonzero((table <= NEAR * table.min(axis=0)).any(axis=1))
    kept = [design.interactions.order for design in designs[good[0] : good[-1] + 1]]
    free = designs[0].interactions.binary and designs[0].noise.law.power == 2
    return kept[1:] if free and kept[:2] == [1, 2] else kept


# Correlations of the reference tables on which orders are looked at, and what is near the best.
LEANS, NEAR = (0.005, 0.02, 0.1, 0.4), 3.0
