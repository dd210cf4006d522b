"""Every row is read by itself on Spark's workers too: neighbouring tables side by side in one job."""

import importlib.util
import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from spark_totals import RowByRow, readings

from hushtable.vault.sources import open_source

# The rows, the hostile cells and the ways tables differ are those that all other sources are held to.
_spec = importlib.util.spec_from_file_location(
    "source_contract", Path(__file__).parents[1] / "contract" / "test_sources.py"
)
contract = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(contract)
TABLES, NEIGHBOURS = 30, 6
WAYS = {
    "text": (contract.raw_ordinary, contract.raw_hostile, contract.as_arrow_text),
    "typed": (contract.typed_row, contract.typed_hostile, contract.as_arrow),
}


def stored(table: pa.Table) -> pa.Table:
    """As Spark reads it: it knows no nanoseconds."""
    place = table.schema.get_field_index("smoker")
    stamps = [i for i, field in enumerate(table.schema) if pa.types.is_timestamp(field.type)]
    for i in stamps:
        table = table.set_column(i, table.schema.names[i], table.column(i).cast(pa.timestamp("us"), safe=False))
    assert place >= 0
    return table


def write(table: pa.Table, folder: Path, name: str) -> None:
    places = pa.array([f"{name}/{row}" for row in range(table.num_rows)])
    pyarrow.parquet.write_table(stored(table).append_column("place", places), folder / f"{name}.parquet")


@pytest.mark.parametrize("domain", [contract.DOMAIN, contract.CODED], ids=["plain", "coded"])
@pytest.mark.parametrize("way", WAYS)
def test_a_row_is_read_by_itself(spark, way, domain, tmp_path):
    row, hostile, build = WAYS[way]
    luck, expected = random.Random(f"spark rows of {way}"), {}
    for number in range(TABLES):
        rows = [row(luck) for _ in range(contract.ROWS)]
        if luck.random() < 0.5:
            rows[luck.randrange(contract.ROWS)] = hostile(luck)
        plain = stored(build(rows, tmp_path))
        others = [said for batch in plain.to_batches() for said in readings(batch, domain)]
        for case in range(NEIGHBOURS):
            near, said = contract.moved(rows, others, hostile(luck), luck)
            name = f"{number}-{case}"
            write(build(near, tmp_path), tmp_path, name)
            expected |= {f"{name}/{place}": one for place, one in enumerate(said)}
    frame = spark.read.parquet(str(tmp_path))
    found = open_source(frame, domain).total(RowByRow(), domain)
    assert set(found) == set(expected)
    told = {place: repr(said).encode() for place, said in expected.items() if said is not None}
    assert {place: found[place] for place in told} == told
    assert len(told) > 0.8 * len(expected)


def test_every_hostile_cell_is_survived(spark, tmp_path):
    row = [cell.encode() for cell in contract.TEXT[0]]
    odd = [*contract.BROKEN, *(cell.encode("utf-8", "surrogatepass") for cell in contract.CELLS)]
    rows = [[cell, *row[1:]] for cell in odd] + [[*row[:4], cell, *row[5:]] for cell in odd]
    for number, hostile in enumerate(rows):
        write(contract.as_arrow_text([row, hostile, row], tmp_path), tmp_path, str(number))
    found = open_source(spark.read.parquet(str(tmp_path)), contract.DOMAIN).total(RowByRow(), contract.DOMAIN)
    assert len(found) == 3 * len(rows)
    assert len({found[f"{number}/{place}"] for number in range(len(rows)) for place in (0, 2)}) == 1
