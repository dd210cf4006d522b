"""Texts of numbers: the compiled reader and the attribute itself say the same of every cell, whatever is beside it."""

import random
from datetime import date, datetime
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa
import pytest
from hostile import CELLS

import hushtable as ht
from hushtable.domain.attributes import number_in
from hushtable.vault.coding import encode, real_numbers
from hushtable.vault.number_texts import NumberTexts

DOMAIN = ht.Domain.from_dict(
    {
        "table": "t",
        "attributes": {
            "whole": {"kind": "integer", "between": [-50, 1000], "edges": [0, 7, 18, 500], "other": True},
            "real": {"kind": "number", "between": [-1.5, 1e6], "edges": [0, 0.1, 0.3, 12.34, 99999.99]},
            "coded": {"kind": "integer", "between": [0, 99], "bins": 4, "missing_values": [-9, "NA", "7.50", 7]},
        },
    }
)
ALPHABET = "0123456789..++--eE_ \t\u00a0\u0663naiflx,'"


def made_up(count: int) -> list[str | None]:
    luck = random.Random(5)
    texts: list[str | None] = [
        None,
        "",
        " ",
        ".",
        "-",
        "+",
        "-.",
        "5.",
        ".5",
        "+.5",
        "00",
        "-0",
        "-0.0",
        "1e3",
        "1E400",
    ]
    texts += [
        "-9",
        "-09",
        "-9.0",
        "-9.00",
        " -9",
        "7",
        "07",
        "7.0",
        "7.5",
        "7.50",
        "nan",
        "NaN",
        "inf",
        "0x1A",
        "1_000",
    ]
    texts += (
        ["9" * k for k in range(1, 25)] + [f"0.{'1' * k}" for k in range(1, 30)] + ["0" * 20 + "7", "0.1" + "0" * 30]
    )
    texts += [repr(luck.uniform(-2, 200)) for _ in range(count)] + [f"{luck.uniform(-9, 99):.2f}" for _ in range(count)]
    texts += ["".join(luck.choices(ALPHABET, k=luck.randint(1, 9))) for _ in range(3 * count)]
    return texts + [cell for cell in CELLS if isinstance(cell, str)]


def in_arrow(texts, kind):
    clean = [t if t is None else t.encode("utf-8", "replace").decode() for t in texts]
    return clean, pa.array(clean, kind)


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("attribute", DOMAIN.attributes, ids=lambda a: a.name)
def test_codes_and_numbers_are_those_of_the_attribute(attribute, kind):
    texts, column = in_arrow(made_up(2000), kind)
    for part in (slice(None), slice(3, 400)):
        cells = column[part]
        assert encode(attribute, cells).tolist() == [attribute.code(text) for text in texts[part]]
        spelled = [None if attribute.is_missing(t) else number_in(t) for t in texts[part]]
        np.testing.assert_array_equal(real_numbers(attribute, cells), [np.nan if s is None else s for s in spelled])


def test_most_cells_take_the_fast_way_and_say_what_python_says():
    luck = random.Random(7)
    texts = [f"{luck.uniform(-1e6, 1e6):.{luck.randint(0, 8)}f}" for _ in range(50_000)]
    read = NumberTexts.of(pa.array(texts))
    assert read.plain.all()
    assert read.numbers.tolist() == [float(text) for text in texts]


def test_a_cell_is_read_alike_whatever_is_beside_it():
    attribute = DOMAIN.attributes[1]
    alone = {text: int(encode(attribute, pa.array([text]))[0]) for text in ("12.34", "0.3", "1e3")}
    for cell in CELLS:
        if isinstance(cell, str):
            beside = pa.array([*alone, cell.encode("utf-8", "replace").decode()])
            assert encode(attribute, beside).tolist()[:3] == list(alone.values())


@pytest.mark.parametrize("zone", ["Europe/Berlin", "America/New_York", "+14:00", "UTC", "Nowhere/AtAll"])
def test_zoned_moments_are_read_in_utc_on_every_machine(zone, monkeypatch):
    days = ht.Domain.from_dict(
        {"table": "t", "attributes": {"d": {"kind": "date", "between": ["2024-01-01", "2024-01-04"], "bins": "day"}}}
    )
    moments = [datetime(2024, 1, day, hour, tzinfo=ZoneInfo("UTC")) for day in (1, 2) for hour in (0, 12, 23)]
    plain = pa.array([int(m.timestamp()) for m in moments], pa.int64())
    for machine in ("Asia/Tokyo", "America/Los_Angeles"):
        monkeypatch.setenv("TZ", machine)
        column = plain.cast(pa.timestamp("s")).cast(pa.int64()).cast(pa.timestamp("s", zone))
        codes = encode(days.attributes[0], column)
        assert codes.tolist() == [days.attributes[0].code(date(2024, 1, m.day)) for m in moments]
