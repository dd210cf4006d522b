"""Mixed ledgers: releases priced in epsilon and delta beside releases in the ledger's currency, under one total."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from fractions import Fraction

from ...accounting import amount_of
from ...budget import UNIT_NAME, Budget, Currency, Price
from ...errors import BadBudget, OverBudget
from ...words import readable
from .chain import Line
from .terms import of_price

__all__ = ["Mixed"]


@dataclass(frozen=True, kw_only=True)
class Mixed:
    """What counts as spent under a total of (E, D): an amount of the currency, and epsilon and delta of all else.

    All of it together is (E, D)-DP when amount <= amount_of(E - epsilon, D - delta): the steps in epsilon and delta
    are (epsilon, delta)-DP, those in the currency then (E - epsilon, D - delta)-DP [CanKS20, Cor. 13; BalW18], and
    both add up, in any order of the steps [DwoR14, Thm. 3.16].
    """

    total: Budget
    currency: Currency
    spent: Fraction = Fraction(0)
    epsilon: Fraction = Fraction(0)
    delta: Fraction = Fraction(0)

    @classmethod
    def of(cls, total: Budget, lines: Iterable[Line], currency: Currency) -> Mixed:
        """From all lines of a ledger: every reservation in full, but for those returned."""
        kept: dict[int, Line] = {}
        for line in lines:
            if line.kind == "reserve":
                kept[line.number] = line
            elif line.kind == "settle" and line.what.startswith("returned"):
                kept.pop(line.reservation, None)
        found = cls(total=total, currency=currency)
        for line in kept.values():
            terms = line.terms
            more = {"spent": line.amount} if terms is None else {"epsilon": terms.epsilon, "delta": terms.delta}
            found = found._plus(**more)
        return found

    def _plus(self, **more: Fraction) -> Mixed:
        return replace(self, **{name: getattr(self, name) + value for name, value in more.items()})

    @property
    def room(self) -> Fraction:
        """How much of the currency may still be spent; negative when too much is."""
        if self.epsilon == 0:
            return self.total.price_in(self.currency).amount - self.spent
        assert self.total.epsilon is not None
        epsilon, delta = self.total.epsilon - self.epsilon, self.total.delta - self.delta
        try:
            return (amount_of(epsilon, delta, self.currency) if min(epsilon, delta) > 0 else Fraction(0)) - self.spent
        except BadBudget:  # so little is left that it buys nothing
            return -self.spent

    def amount(self, price: Price, left: Fraction) -> Fraction:
        """What a reservation in epsilon and delta takes from `left`, so that no more than the room stays.

        OverBudget when it does not fit, BadBudget when the total knows no delta.
        """
        total = self.total
        if total.epsilon is None or total.delta == 0:
            raise BadBudget(
                f"this release spends {price} and the ledger's total is {total}, which has no delta to spend; "
                "give the table a ledger with epsilon and delta, or choose a mechanism without a threshold"
            )
        epsilon, delta = (terms := of_price(price)).epsilon, terms.delta
        for asked, all_of_it, spent, unit in (
            (epsilon, total.epsilon, self.epsilon, "epsilon"),
            (delta, total.delta, self.delta, "delta"),
        ):
            if asked > all_of_it - spent:
                raise OverBudget(asked=asked, left=all_of_it - spent, unit=unit)
        after = self._plus(epsilon=epsilon, delta=delta)
        taken = left - after.room
        if after.room < 0:
            raise OverBudget(asked=taken, left=left, unit=UNIT_NAME[self.currency], typed=str(price))
        return max(taken, Fraction(0))

    def check(self, amount: Fraction) -> None:
        """OverBudget when this much more of the currency does not fit."""
        if amount > self.room:
            raise OverBudget(asked=amount, left=max(self.room, Fraction(0)), unit=UNIT_NAME[self.currency])

    def check_total(self, new: Budget) -> None:
        """BadBudget when a new total would not cover what was spent in epsilon and delta."""
        if self.epsilon and (new.epsilon is None or replace(self, total=new).room < 0):
            raise BadBudget(
                f"epsilon = {readable(self.epsilon)} and delta = {readable(self.delta)} are spent, and a total of "
                f"{new} does not cover them beside the rest; give a total with epsilon and delta"
            )
