"""Terms: epsilon and delta of a reservation that was made in these, and of every charge to it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from fractions import Fraction

from ...budget import Price, exact
from ...errors import BadBudget, BadLedger, OverBudget
from ...words import readable

__all__ = ["Terms", "of_price", "read_terms"]


@dataclass(frozen=True, kw_only=True)
class Terms:
    """What one line reserves or charges in epsilon and delta, beside the amount in the ledger's currency."""

    epsilon: Fraction
    delta: Fraction
    epsilons: Fraction = Fraction(0)
    """Of a charge: what its reservation was charged so far, this charge included."""
    deltas: Fraction = Fraction(0)

    def text(self) -> str:
        """Exact text, the inverse of `read_terms`; without sums where nothing was charged."""
        shown = {name: str(value) for name, value in vars(self).items()}
        return json.dumps({name: shown[name] for name in (shown if self.epsilons or self.deltas else NAMES)})

    def after(self, asked: Terms) -> Terms:
        """The terms of the next charge, for a reservation charged `epsilons` and `deltas`; OverBudget past its own."""
        for name, price, left in (
            ("epsilon", asked.epsilon, self.epsilon - self.epsilons),
            ("delta", asked.delta, self.delta - self.deltas),
        ):
            if price > left:
                raise OverBudget(asked=price, left=left, unit=name)
        return replace(asked, epsilons=self.epsilons + asked.epsilon, deltas=self.deltas + asked.delta)


NAMES = ("epsilon", "delta")


def read_terms(text: str) -> Terms | None:
    """The terms that a line has, if it has any; BadLedger when the text is not of terms."""
    if not text:
        return None
    try:
        return Terms(**{name: Fraction(value) for name, value in json.loads(text).items()})
    except (ValueError, TypeError, AttributeError, ZeroDivisionError):
        raise BadLedger("an epsilon and delta in it cannot be read") from None


def of_price(price: Price) -> Terms:
    """Epsilon and delta of a price; BadBudget for a rho, which has none, and for a delta that would be a refund."""
    delta = exact(price.delta, "delta")
    if delta < 0:
        raise BadBudget(f"a delta must not be negative, and {readable(delta)} is: nothing is ever refunded")
    return Terms(epsilon=exact(price.into("pure").amount, "epsilon"), delta=delta)
