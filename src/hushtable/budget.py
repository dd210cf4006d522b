"""Budgets and prices: exact fractions in one of three currencies, converted at the edges only."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal, TypeVar

from .accounting import GRID, Currency, amount_of, epsilon_of, gdp_of_pure, pure_of_gdp
from .errors import BadBudget
from .words import readable

__all__ = [
    "GRID",
    "UNIT_NAME",
    "Budget",
    "Currency",
    "Neighbours",
    "Price",
    "Unit",
    "exact",
    "largest_budget",
    "touched",
]

Neighbours = Literal["replace", "add-remove"]
Number = int | float | str | Decimal | Fraction
Amount = TypeVar("Amount", int, Fraction)

# No budget has an exponent beyond this; a number that has one is a mistake or an attack.
LARGEST_EXPONENT = 300


def exact(value: Number, name: str) -> Fraction:
    """`value` as the fraction the user typed: 0.1 is one tenth, not its nearest double."""
    try:
        if isinstance(value, (Fraction, int)) and not isinstance(value, bool):
            number = Fraction(value)
            size = abs(number.numerator.bit_length() - number.denominator.bit_length())
        else:
            decimal = Decimal(str(value))
            size = 0 if decimal.is_zero() or not decimal.is_finite() else abs(decimal.adjusted())
            # Only now: the fraction of 1e999999999 would fill the memory.
            number = Fraction(decimal) if size < LARGEST_EXPONENT else Fraction(0)
        if size >= LARGEST_EXPONENT:
            raise ValueError
    except (InvalidOperation, ValueError, OverflowError, TypeError):
        raise BadBudget(f"{name} must be a finite number, not {str(value)[:40]!r}") from None
    return number


def _positive(value: Number, name: str) -> Fraction:
    number = exact(value, name)
    if number <= 0:
        raise BadBudget(f"{name} must be greater than 0, not {readable(number)}")
    if number > 10**6:
        raise BadBudget(f"{name} must be at most 1e+06, not {readable(number)}: a larger one protects nobody")
    return number


@dataclass(frozen=True, kw_only=True)
class Unit:
    """Who is protected: one person with at most `rows` rows, under one neighbour relation.

    replace     one person's rows are replaced; the number of rows n is public
    add-remove  one person's rows are added or removed; n is private and measured with noise

    Without `person` the owner promises that nobody has more rows, and under replace that each has as many as before.
    With it (the column that tells people apart) the vault keeps at most `rows` rows of each. Somebody with 0 to m rows
    may then be replaced by somebody with 0 to m others, so that n is private under both relations.
    """

    rows: int = 1
    neighbours: Neighbours = "replace"
    person: str | None = None

    @property
    def private_rows(self) -> bool:
        """Whether the number of rows is private: it is where rows are added or removed, or people told apart."""
        return self.neighbours == "add-remove" or self.person is not None

    @property
    def changes(self) -> tuple[Neighbours, ...]:
        """What may happen to each of a person's rows.

        If a rows of a person become b others, min(a, b) are replaced and |a - b| added or removed, so that a sum moves
        by at most m times the larger of the two changes of one row, in any norm; and by that much if all m rows are
        the worst one.
        """
        return ("replace", "add-remove") if self.person and self.neighbours == "replace" else (self.neighbours,)

    def most(self, change: Callable[[Neighbours], Amount]) -> Amount:
        """The largest change that one row can make, given that under each relation."""
        return max(change(relation) for relation in self.changes)

    @property
    def open_relation(self) -> Neighbours:
        """The relation under which the sums of a joint noise are shaped: add-remove wherever n is private."""
        return "add-remove" if self.private_rows else "replace"

    @property
    def gauge(self) -> int:
        """The largest gauge of a person's change, in the body of changes of one row under `open_relation`.

        Gauges add up. Where rows come and go, a row that is replaced is one that goes and one that comes.
        """
        return self.rows * len(self.changes)

    @property
    def change(self) -> str:
        """What may happen to the rows of one person, in a word."""
        if self.person and self.neighbours == "replace":
            return "replaced by 0 to as many others"
        return "added or removed" if self.neighbours == "add-remove" else "replaced"

    @property
    def declared(self) -> dict[str, int | str]:
        """What a domain says of it under `unit`."""
        return ({"person": self.person} if self.person else {}) | {"rows": self.rows}

    @property
    def moved(self) -> int:
        """How many places of a list of counts a person can change by 1, up or down: a row that is replaced, two."""
        return self.rows * touched(self.neighbours)


def touched(neighbours: Neighbours) -> int:
    """How many cells of a table change by 1 when one row does: the one it leaves and the one it enters."""
    return 1 if neighbours == "add-remove" else 2


@dataclass(frozen=True, kw_only=True)
class Price:
    """What one step costs in one currency. k steps cost `price.times(k)`, exactly.

    A step may also fail with a small chance `delta`: (epsilon, delta)-DP, or delta-approximate rho-zCDP [BunS16,
    Def. 8.1]. Deltas add up beside the amounts.
    """

    currency: Currency
    amount: Fraction
    delta: Fraction = Fraction(0)

    def times(self, count: int) -> Price:
        """The price of `count` such steps."""
        return Price(currency=self.currency, amount=self.amount * count, delta=self.delta * count)

    def __add__(self, other: Price) -> Price:
        if other.currency != self.currency:
            raise BadBudget(f"a {self.currency} price and a {other.currency} price do not add; convert first")
        return Price(currency=self.currency, amount=self.amount + other.amount, delta=self.delta + other.delta)

    def on_grid(self, *, up: bool) -> Price:
        """Rounded to 15 decimals: up for what is charged, down for what may be spent."""
        scaled = self.amount * GRID
        amount = Fraction(math.ceil(scaled) if up else math.floor(scaled), GRID)
        return Price(currency=self.currency, amount=amount, delta=self.delta)

    def into(self, currency: Currency) -> Price:
        """The same step priced in another currency.

        epsilon-DP        is (epsilon^2 / 2)-zCDP                                                [BunS16, Prop. 1.4]
        epsilon-DP        is mu-Gaussian-DP, with mu as in `gdp_of_pure`
        mu-Gaussian-DP    is (mu^2 / 2)-zCDP: it is dominated by normal noise                    [BunS16, Prop. 1.6]
        """
        if currency == self.currency:
            return self
        if currency == "zcdp":
            amount = self.amount**2 / 2 if self.currency == "pure" else self.amount
        elif currency == "gdp" and self.currency == "pure":
            amount = gdp_of_pure(self.amount)
        else:
            raise BadBudget(NO_WAY[currency])
        return Price(currency=currency, amount=amount, delta=self.delta)

    @property
    def selection_epsilon(self) -> Fraction:
        """The epsilon at which a private selection by the exponential mechanism costs this much, rounded down.

        Its privacy loss for any two neighbours has a range of epsilon [DonDR19], so between them it is no better than
        a coin whose two losses are epsilon apart. Of these the even one, with losses of +-epsilon/2, is the dearest.
        pure: epsilon     zcdp: rho = epsilon^2 / 8 [CesR21, Lemma 3.4]     gdp: as much as (epsilon / 2)-DP
        The last because a coin of chances p and q is mu-Gaussian-DP with mu = probit(p) - probit(q), and under
        logit(p) - logit(q) = epsilon this is largest for p = 1 - q: probit of the logistic function is odd, and
        concave above 0 as its slope Phi(x) Phi(-x) / phi(x) falls with |x|.
        """
        if self.currency == "pure":
            return self.amount
        if self.currency == "gdp":
            return 2 * pure_of_gdp(self.amount)
        return Fraction(math.isqrt(int(8 * self.amount * GRID**2)), GRID)

    def __str__(self) -> str:
        also = f", delta = {readable(self.delta)}" if self.delta else ""
        return f"{UNIT_NAME[self.currency]} = {readable(self.amount)}{also}"


UNIT_NAME: dict[Currency, str] = {"pure": "epsilon", "zcdp": "rho", "gdp": "mu^2/2"}
NO_WAY: dict[Currency, str] = {
    "pure": "noise with a delta has no pure epsilon; use a ledger with a delta or rho for this release",
    "gdp": "this is priced in rho, and its ledger counts Gaussian noise exactly, which a rho does not imply; "
    "plan it with the currency gdp",
}


@dataclass(frozen=True, init=False)
class Budget:
    """The TOTAL a release spends: pure `epsilon`, `epsilon` with `delta`, or `rho`.

    Inside it is one exact number in one of its `currencies`. Epsilon with delta is in one of them what the exact curve
    of Gaussian noise gives, in the other the smaller rho of zero-concentrated DP, in which other steps cost less.
    """

    epsilon: Fraction | None
    delta: Fraction
    rho: Fraction | None

    def __init__(
        self, *, epsilon: Number | None = None, delta: Number | None = None, rho: Number | None = None
    ) -> None:
        if (epsilon is None) == (rho is None):
            raise BadBudget("give either epsilon (with or without delta) or rho, not both or neither")
        if rho is not None and delta is not None:
            raise BadBudget("rho needs no delta; give epsilon and delta, or rho alone")
        small = exact(delta, "delta") if delta is not None else Fraction(0)
        if not 0 <= small < 1:
            raise BadBudget(f"delta must be at least 0 and below 1 (say 1e-09), not {readable(small)}")
        object.__setattr__(self, "epsilon", None if epsilon is None else _positive(epsilon, "epsilon"))
        object.__setattr__(self, "rho", None if rho is None else _positive(rho, "rho"))
        object.__setattr__(self, "delta", small)

    @property
    def currencies(self) -> tuple[Currency, ...]:
        """In which it can be spent, the one for Gaussian noise alone first. A rho is as much in both."""
        return ("gdp", "zcdp") if self.delta or self.rho is not None else ("pure",)

    @property
    def account(self) -> Currency:
        """The currency of a ledger with this total: one that promises a rho takes all that can be priced in it."""
        return "zcdp" if self.rho is not None else self.currency

    @property
    def currency(self) -> Currency:
        """The first of them."""
        return self.currencies[0]

    @property
    def price(self) -> Price:
        """The whole budget as a price in that currency."""
        return self.price_in(self.currency)

    def price_in(self, currency: Currency) -> Price:
        """The whole budget as a price; BadBudget in a currency that it cannot be spent in."""
        if currency not in self.currencies:
            raise BadBudget(
                f"{self} is spent in {' or '.join(self.currencies)}, not in {str(currency)[:40]}; leave the currency "
                "out, or give a budget that has it"
            )
        if self.rho is not None:
            return Price(currency=currency, amount=self.rho)
        assert self.epsilon is not None
        amount = amount_of(self.epsilon, self.delta, currency) if self.delta else self.epsilon
        return Price(currency=currency, amount=amount)

    def to_dict(self) -> dict[str, str]:
        """Exact text, the inverse of `from_dict`."""
        parts = {"epsilon": self.epsilon, "delta": self.delta or None, "rho": self.rho}
        return {name: str(value) for name, value in parts.items() if value is not None}

    @classmethod
    def from_dict(cls, parts: dict[str, str]) -> Budget:
        """Reads what `to_dict` wrote."""
        given = {}
        for name in ("epsilon", "delta", "rho"):
            if name in parts:
                above, _, below = str(parts[name]).partition("/")
                given[name] = exact(above, name) / (exact(below, name) if below else 1)
        return cls(**given)

    def __str__(self) -> str:
        if self.rho is not None:
            return f"rho = {readable(self.rho)}"
        assert self.epsilon is not None
        if self.delta == 0:
            return f"epsilon = {readable(self.epsilon)}"
        return f"epsilon = {readable(self.epsilon)}, delta = {readable(self.delta)}"


def largest_budget(amount: Fraction, total: Budget, currency: Currency) -> Budget | None:
    """The largest epsilon, to four digits, that an amount pays for with the delta of a total; None for none."""
    assert total.epsilon is not None
    if amount <= 0:
        return None
    if amount >= total.price_in(currency).amount:
        return total
    # A little below the smallest epsilon that the amount implies: its price is a little below the amount.
    epsilon = epsilon_of(amount, total.delta, currency)
    digits = Context(prec=4, rounding=ROUND_FLOOR)
    rounded = digits.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    for _ in range(10):
        if rounded <= 0:
            return None
        made = Budget(epsilon=rounded, delta=total.delta)
        with contextlib.suppress(BadBudget):
            if made.price_in(currency).amount <= amount:
                return made
        rounded = digits.next_minus(rounded)
    return None
