"""Budgets and prices: exact fractions in one of two currencies, converted at the edges only."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal

from .errors import BadBudget
from .words import readable

__all__ = ["Budget", "Currency", "Neighbours", "Price", "Unit", "epsilon_of", "exact", "rho_of", "touched"]

Currency = Literal["pure", "zcdp"]
Neighbours = Literal["replace", "add-remove"]
Number = int | float | str | Decimal | Fraction

# Budgets are kept on this decimal grid: fine enough to lose nothing, short enough to read in a ledger.
GRID = 10**15
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
    """

    rows: int = 1
    neighbours: Neighbours = "replace"

    @property
    def private_rows(self) -> bool:
        """Whether the number of rows is private: it is where rows are added or removed."""
        return self.neighbours == "add-remove"

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
        """The same step priced in another currency: epsilon-DP is (epsilon^2 / 2)-zCDP [BunS16, Prop. 1.4]."""
        if currency == self.currency:
            return self
        if currency == "zcdp":
            return Price(currency="zcdp", amount=self.amount**2 / 2, delta=self.delta)
        raise BadBudget("a rho has no pure epsilon; use a ledger with a delta or rho for this release")

    def __str__(self) -> str:
        also = f", delta = {readable(self.delta)}" if self.delta else ""
        return f"{UNIT_NAME[self.currency]} = {readable(self.amount)}{also}"


UNIT_NAME: dict[Currency, str] = {"pure": "epsilon", "zcdp": "rho"}


@dataclass(frozen=True, init=False)
class Budget:
    """The TOTAL a release spends: pure `epsilon`, `epsilon` with `delta`, or `rho`.

    Inside it is one exact number: epsilon when delta is 0, else the rho of zero-concentrated DP.
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
    def currency(self) -> Currency:
        """`pure` when delta is 0, else `zcdp`."""
        return "pure" if self.rho is None and self.delta == 0 else "zcdp"

    @property
    def price(self) -> Price:
        """The whole budget as a price in its own currency."""
        if self.rho is not None:
            return Price(currency="zcdp", amount=self.rho)
        assert self.epsilon is not None
        amount = self.epsilon if self.delta == 0 else rho_of(self.epsilon, self.delta)
        return Price(currency=self.currency, amount=amount)

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


def rho_of(epsilon: Fraction, delta: Fraction) -> Fraction:
    """The largest rho, rounded down, at which rho-zCDP implies (epsilon, delta)-DP.

    delta(rho) = min over a > 1 of exp((a-1)(a rho - epsilon) + a ln(1 - 1/a)) / (a-1)   [CanKS20, Cor. 13]
    """
    low, high = 0, GRID
    while _delta_fits(Fraction(high, GRID), epsilon, delta):
        high *= 2
    while high - low > max(1, low // 10**9):
        middle = (low + high) // 2
        if _delta_fits(Fraction(middle, GRID), epsilon, delta):
            low = middle
        else:
            high = middle
    if low == 0:
        raise BadBudget(f"epsilon = {readable(epsilon)} with delta = {readable(delta)} buys no rho; raise one")
    return Fraction(low, GRID)


def epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """The smallest epsilon, rounded up to 1e-6 of itself, with which rho-zCDP is (epsilon, delta)-DP."""
    low, high = Fraction(0), Fraction(1)
    while not _delta_fits(rho, high, delta):
        low, high = high, high * 2
    while high - low > max(high / 10**6, Fraction(1, 10**9)):
        middle = (low + high) / 2
        low, high = (low, middle) if _delta_fits(rho, middle, delta) else (middle, high)
    return high


def _delta_fits(rho: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether rho-zCDP is (epsilon, delta)-DP: a float finds a good order, decimals prove the bound there.

    Any order a > 1 proves a bound, so the answer is safe whatever the search found.
    """
    if rho == 0:
        return True
    order = _best_order(float(rho), float(epsilon))
    up, down = Context(prec=60, rounding=ROUND_CEILING), Context(prec=60, rounding=ROUND_FLOOR)
    a = Fraction(order)
    linear = _decimal((a - 1) * (a * rho - epsilon), up)
    log_term = up.multiply(_decimal(a, down), up.ln(_decimal(1 - 1 / a, up)))
    # Decimal's exp and ln are correctly rounded, so one unit in the 50th digit covers them both.
    bound = up.multiply(up.exp(up.add(linear, log_term)), Decimal("1") + Decimal(10) ** -50)
    return up.divide(bound, _decimal(a - 1, down)) <= _decimal(delta, down)


def _decimal(value: Fraction, context: Context) -> Decimal:
    return context.divide(Decimal(value.numerator), Decimal(value.denominator))


def _best_order(rho: float, epsilon: float) -> float:
    """The order a that minimises the bound, by golden section on log(a - 1)."""

    def log_delta(t: float) -> float:
        a = 1 + math.exp(t)
        return (a - 1) * (a * rho - epsilon) + a * math.log1p(-1 / a) - t

    low, high, golden = -30.0, 30.0, (math.sqrt(5) - 1) / 2
    for _ in range(90):
        left, right = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, right) if log_delta(left) < log_delta(right) else (left, high)
    return 1 + math.exp((low + high) / 2)
