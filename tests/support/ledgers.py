"""What the tests of the ledger share."""

import contextlib
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path

import pytest

from hushtable.budget import Budget, Currency, Price, Unit
from hushtable.errors import HushError
from hushtable.vault.ledger.ledger import Ledger, Reservation


def pure(amount: Fraction | int) -> Price:
    return Price(currency="pure", amount=Fraction(amount))


def make(path: Path, total: Budget | None = None, currency: Currency | None = None) -> Ledger:
    whole = total or Budget(epsilon=1)
    return Ledger.create(path, table="clinic", domain_digest="d", unit=Unit(), total=whole, currency=currency)


def reserve(ledger: Ledger, price: Price) -> Reservation:
    return ledger.reserve(price, what="release", mechanism="low_order", plan_digest="p")


@contextlib.contextmanager
def refused(kind: type[HushError], says: str | None = None) -> Iterator[None]:
    with pytest.raises(kind, match=says) as caught:
        yield
    assert type(caught.value) is kind
    assert "\n" not in str(caught.value)
