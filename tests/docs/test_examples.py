"""The examples of CONTRIBUTING keep the promises that the members of their families keep."""

import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import hushtable as ht
from hushtable.vault.coding import encode_batch

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SIZES = (3, 4)


@pytest.fixture(scope="module")
def made():
    """What the blocks define; the release itself is run by test_snippets.py."""
    names = {"__name__": "examples"}
    for block in BLOCK.findall(PAGE.read_text("utf-8")):
        text = block.split("synopsis =")[0]
        exec(compile(text, str(PAGE), "exec"), names)
    return names


@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
def test_the_statistic_states_the_largest_change(made, neighbours):
    statistic = made["LateCodes"](1, 2)
    rows = [np.array(row, dtype=np.uint8)[:, None] for row in product(*map(range, SIZES))]
    each = [int(statistic.to_coordinates(statistic.accumulate(row))[0]) for row in rows]
    changes = [abs(a - b) for a in each for b in (each if neighbours == "replace" else [0])]
    assert statistic.largest_change(neighbours) == max(changes)
    for power in (1, 2):
        stated = statistic.sensitivity(power=power, weights=[Fraction(3, 7)], neighbours=neighbours)
        assert stated == Fraction(3, 7) * max(changes) ** power


def test_the_statistic_adds_up_over_blocks(made):
    statistic = made["LateCodes"](1, 2)
    codes = np.random.default_rng(1).integers(0, SIZES, size=(531, 2), dtype=np.uint8).T
    parts = [statistic.accumulate(part) for part in np.array_split(codes, 5, axis=1)]
    np.testing.assert_array_equal(sum(parts, statistic.zeros()), statistic.accumulate(codes))
    assert statistic.rows(statistic.accumulate(codes)) == 531


def test_the_source_codes_rows_as_a_frame_does(made):
    domain, records = made["domain"], made["records"]
    source = made["Records"](records)
    source.check(domain)
    batches = list(source.batches(domain.names))
    assert sum(batch.num_rows for batch in batches) == source.count() == len(records)
    codes = np.hstack([encode_batch(batch, domain) for batch in batches])
    table = pa.table({name: [record[name] for record in records] for name in domain.names})
    np.testing.assert_array_equal(codes, encode_batch(table.combine_chunks().to_batches()[0], domain))


def test_the_mechanism_costs_its_price_and_forecasts_its_noise(made):
    plan, noise = made["plan"], made["plan"].design.parameters[1]
    cells = plan.design.parameters[0]
    assert made["price_of"](cells, noise, made["domain"].unit).amount == plan.design.price.amount
    exact = ht.plan(made["domain"], workload="marginals(width=2)", budget=made["budget"], mechanism="histogram")
    assert exact.design.parameters[1] == noise
