"""Solving: the fair rule of least loss, for given types, losses and a metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .by_cuts import Found, by_cuts
from .case import Case, given_types
from .linear import gathered
from .metric import Floats, Metric, Numbers
from .pairs import Pairs, all_pairs, compared, merged_types
from .parity import Preference, RelaxedPairs, extra_columns, needed_slack
from .released import ReleasedTypes
from .repair import largest_excess, mixed, repaired
from .rule import FairRule, Solution

__all__ = ["finished", "solve", "solve_case"]

MOST_BINDING = 200


def solve(
    loss: ArrayLike | ReleasedTypes,
    metric: Metric | ArrayLike,
    weights: ArrayLike | None = None,
    divergence: str = "tv",
    groups: Mapping[str, ArrayLike] | str | None = None,
    parity: float | None = None,
    cross: float | None = None,
    *,
    penalty: float | None = None,
    protected: str | None = None,
    method: str = "lp",
    actions: Sequence[str] | None = None,
    tol: float = 1e-4,
    time_limit: float = 120.0,
    net: float | None = None,
    every_pair: bool = False,
    opinion: bool = True,
    public: bool = False,
) -> FairRule:
    """The rule of least expected loss that treats similar types similarly: D(M(x), M(y)) <= d(x, y) for all pairs.

    `loss` is a table (types by actions), or the released types of `from_synopsis`, which bring weights and errors. As
    a table it must be public. With `parity` no two groups may differ by more in total variation. Pairs of the
    protected group with the others then keep their distance, unless `cross` allows them a mean slack (`inf`: any), or
    `penalty` a price for it. `method="earthmover"` treats every protected type like a mixture of others; with
    `opinion=False` the vendor has none about the protected group. `net` solves on some types that are within this
    distance of all, and extends.                                                                  [Har11, chapter 8]
    """
    types = given_types(loss, metric, weights, groups, actions, public=public)
    case = Case(
        **types,
        divergence=divergence,
        parity=parity,
        cross=cross,
        penalty=penalty,
        protected=protected,
        method=method,
        tol=tol,
        seconds=time_limit,
        every_pair=every_pair,
        opinion=opinion,
    )
    case.check()
    if net is not None:
        from .net import on_net

        return on_net(case, net)
    if method == "earthmover":
        from .two_step import two_step

        return two_step(case)
    return solve_case(case)


def solve_case(case: Case) -> FairRule:
    """The fair rule of a checked case, by one linear program."""
    side = _sides(case)
    own = side if side is not None else np.zeros(len(case.weights), dtype=np.intp)
    metric = case.metric if side is None else all_pairs(case.metric)
    count, label = merged_types(metric, own)
    pairs = compared(metric, count, label, case.divergence)
    merged = _merged(case, count, label)
    weights = gathered(label, case.weights, count)
    low, reach = float(case.loss.min()), float(np.ptp(case.loss)) or 1.0
    unit = count / reach
    cost = np.column_stack([gathered(label, case.weights * column, count) for column in case.loss.T])
    cost = (cost - low * weights[:, None]) * unit
    preference = Preference(
        groups=tuple(merged[name] for name in case.order),
        parity=case.parity,
        side=None if side is None else _of_merged(side, count, label),
        cross=case.cross,
        penalty=case.penalty,
    )
    kept = _within_sides(pairs, preference) if preference.dropped else pairs
    extra = extra_columns(preference, cost.shape[1], unit=unit)
    found = by_cuts(cost, kept, extra, divergence=case.divergence, tol=case.tol, seconds=case.seconds,
                    every_pair=case.every_pair)  # fmt: skip
    odds, share, kept = _fair_odds(case, found, pairs, kept, weights, label, preference)
    # What a rule with as little slack must lose: the program's bound is one on loss and penalty together.
    paid = (case.penalty or 0.0) * _mean_slack(found, extra.slack_of, cost.size, preference)
    binding = _binding(found, label, unit) if found.solved is not None else ()
    bound = found.bound / unit + low - paid if np.isfinite(found.bound) else case.free_loss
    over = max(largest_excess(odds, kept, case.divergence), 0.0)
    return finished(case, odds[label], bound=bound, found=found, share=share, excess=over, binding=binding)


def _within_sides(pairs: Pairs, preference: Preference) -> RelaxedPairs:
    """The pairs without those between the protected group and the others."""
    assert preference.side is not None
    return RelaxedPairs(pairs, preference.side, np.full(pairs.types, np.inf))


def _mean_slack(found: Found, slack_of: Numbers | None, cells: int, preference: Preference) -> float:
    """The mean slack in the program's solution."""
    if found.solved is None or slack_of is None:
        return 0.0
    has = slack_of >= 0
    return float(preference.groups[0][has] @ np.maximum(found.solved.extra[slack_of[has] - cells], 0.0))


def _fair_odds(
    case: Case, found: Found, pairs: Pairs, kept: Pairs, weights: Floats, label: Numbers, preference: Preference
) -> tuple[Floats, float, Pairs]:
    """The repaired solution with the pairs it keeps, or the best constant rule where that has less loss."""
    same = np.zeros((len(weights), case.loss.shape[1]))
    same[:, int(np.argmin(case.constant_losses))] = 1.0
    if found.solved is None:
        return same, 1.0, kept
    inside = _within_sides(pairs, preference) if preference.has_slack else kept
    odds, share = repaired(found.solved.odds, weights, inside, case.divergence)
    more = max(_more_for_parity(odds, preference), _more_for_slack(odds, pairs, weights, preference))
    if more > 0:
        odds, share = mixed(odds, weights @ odds, more, case.divergence), share + (1 - share) * more
    if case.penalty is None and case.expected(odds[label]) > case.expected(same[label]) + 1e-12:
        return same, 1.0, kept
    if preference.has_slack and preference.side is not None:
        kept = RelaxedPairs(pairs, preference.side, needed_slack(odds, pairs, preference.side))
    return odds, share, kept


def _more_for_parity(odds: Floats, preference: Preference) -> float:
    """How much further to the average for parity: the solver keeps rows up to its own tolerance only."""
    if not preference.parity:
        return 0.0
    seen = [members @ odds for members in preference.groups]
    worst = max((float(np.abs(a - b).sum() / 2) for a in seen for b in seen), default=0.0)
    return max(1 - preference.parity / worst, 0.0) if worst > 0 else 0.0


def _more_for_slack(odds: Floats, pairs: Pairs, weights: Floats, preference: Preference) -> float:
    """... for the mean slack, which falls as everybody moves to the average."""
    if not preference.has_slack or not preference.cross or preference.side is None:
        return 0.0
    low, high = 0.0, 1.0
    centre = weights @ odds
    if preference.groups[0] @ needed_slack(odds, pairs, preference.side) <= preference.cross:
        return 0.0
    for _ in range(30):
        middle = (low + high) / 2
        moved = (1 - middle) * odds + middle * centre
        enough = preference.groups[0] @ needed_slack(moved, pairs, preference.side) <= preference.cross
        low, high = (low, middle) if enough else (middle, high)
    return high


def finished(
    case: Case,
    odds: Floats,
    *,
    bound: float,
    found: Found | None,
    share: float,
    excess: float,
    binding: tuple[tuple[int, int, float], ...] = (),
    notes: tuple[str, ...] = (),
    more: dict[str, Any] | None = None,
) -> FairRule:
    """The rule with what is to be said about it."""
    loss = case.expected(odds)
    timed_out = found is not None and found.timed_out
    if timed_out:
        gap = max(loss - bound, 0.0)
        notes = (f"the time limit of {case.seconds:g} s was reached: every pair is fair, but a fair rule may have a "
                 f"loss that is less by up to {gap:.4g}", *notes)  # fmt: skip
    notes = (*_same_groups(case), *notes)
    if case.cross == np.inf:
        notes = (*notes, "pairs of the protected group with others are not compared: the vendor may pick the wrong "
                 "members of it")  # fmt: skip
    solution = Solution(
        loss=loss,
        free_loss=case.free_loss,
        constant_loss=float(case.constant_losses.min()),
        bound=min(bound, loss),
        excess=excess,
        share=share,
        rounds=0 if found is None else found.rounds,
        rows=0 if found is None else len(found.cuts),
        seconds=0.0 if found is None else found.seconds,
        timed_out=timed_out,
        binding=binding,
    )
    return FairRule(
        odds=odds,
        loss_table=case.loss,
        weights=case.weights,
        metric=case.metric,
        divergence=case.divergence,
        actions=case.actions,
        groups={name: case.groups[name] for name in case.order},
        parameters=case.parameters() | (more or {}),
        solution=solution,
        notes=(*case.metric.notes, *(case.released.notes if case.released is not None else ()), *notes),
        released=case.released,
    )


def _same_groups(case: Case) -> tuple[str, ...]:
    """Groups with the same members cannot be treated differently by any rule."""
    names = list(case.groups)
    same = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if np.allclose(case.groups[a], case.groups[b])]
    return tuple(f"the groups '{a}' and '{b}' have the same members, so their bias is 0 by itself" for a, b in same)


def _binding(found: Found, label: Numbers, unit: float) -> tuple[tuple[int, int, float], ...]:
    """The pairs with a price, dearest first, each type by the first one that was merged into it."""
    assert found.solved is not None
    first_of = np.full(int(label.max()) + 1, -1)
    first_of[label[::-1]] = np.arange(len(label))[::-1]
    prices: dict[tuple[int, int], float] = {}
    cuts, price = found.cuts, found.solved.prices / unit
    for i in np.flatnonzero(found.solved.prices[: len(cuts)] > 1e-7):
        pair = tuple(sorted((int(first_of[cuts.first[i]]), int(first_of[cuts.second[i]]))))
        prices[pair[0], pair[1]] = prices.get((pair[0], pair[1]), 0.0) + float(price[i])
    dearest = sorted(prices.items(), key=lambda item: -item[1])[:MOST_BINDING]
    return tuple((a, b, value) for (a, b), value in dearest)


def _sides(case: Case) -> Numbers | None:
    """1 for protected types, 2 for others, 0 for neither; None where every pair is kept."""
    if not case.cross and case.penalty is None:
        return None
    first, *others = case.order
    protected = case.groups[first] > 0
    other = np.any([case.groups[name] > 0 for name in others], axis=0)
    return np.where(protected, 1, np.where(other, 2, 0)).astype(np.intp)


def _merged(case: Case, count: int, label: Numbers) -> dict[str, Floats]:
    return {name: gathered(label, members, count) for name, members in case.groups.items()}


def _of_merged(side: Numbers, count: int, label: Numbers) -> Numbers:
    merged = np.zeros(count, dtype=np.intp)
    merged[label] = side
    return merged
