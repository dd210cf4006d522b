"""Replicates and error ratios on their way into the file and out of it."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadSynopsis
from ...laws import Law
from ...maths.weighted_rows.error_ratios import MOST_WIDTH, USUAL_BEFORE, ErrorRatios
from ...maths.weighted_rows.grouped_sets import GroupedSet
from ...maths.weighted_rows.replicates import CARRIERS, Replicates, log_unit
from ...maths.weighted_rows.row_logs import MOST_DIGITS, MOST_LOG, CellLogs, RowLogs
from ...maths.weighted_rows.weighted_rows import WeightedRows

__all__ = ["described_replicates", "read_ratios", "read_replicates", "replicate_lengths", "replicate_numbers"]

Integers = NDArray[np.int64]
MOST_REPLICATES = 256
# What chance the expected sums have in them; older files do not say, and have all of it.
BEYOND_PAIRS = "beyond pairs"
# Which lines of the model carry replicates; older files do not say, and draw some by equal shares.
EVERY_LINE = "every line"
NO_SENSE = "the synopsis has replicates that make no sense"


def described_replicates(replicates: Replicates | None, ratios: ErrorRatios | None) -> dict[str, Any]:
    """What the manifest says of them; nothing where there are none."""
    if replicates is None:
        return {}
    said: dict[str, Any] = {"replicates": replicates.count}
    if replicates.every:
        said["replicate_carriers"] = EVERY_LINE
    said["ratio_scales"] = [] if ratios is None else list(ratios.scales)
    if ratios is not None and not ratios.all_chance:
        said["ratio_chance"] = BEYOND_PAIRS
    if ratios is not None and ratios.usual != USUAL_BEFORE:
        said["ratio_usual"] = list(ratios.usual)
    if isinstance(replicates.logs, CellLogs):
        said["replicate_tables"] = [{"members": list(s.members), "shape": list(s.shape)} for s in replicates.logs.sets]
    return said


def replicate_numbers(replicates: Replicates | None, ratios: ErrorRatios | None) -> dict[str, Integers]:
    """Their whole numbers, by member name."""
    if replicates is None:
        return {}
    logs = replicates.logs
    assert isinstance(logs, RowLogs | CellLogs)
    tables = {}
    if isinstance(logs, CellLogs):
        groups = np.concatenate([np.zeros(0, dtype=np.int64), *(g for s in logs.sets for g in s.maps)])
        tables = {"replicate_groups": groups, "replicate_digits": logs.digits}
    return tables | {
        "replicates": logs.numbers.ravel(),
        "replicate_shares": np.concatenate([shares.ravel() for shares in replicates.fixed_shares]),
        "ratios": np.zeros(0, dtype=np.int64) if ratios is None else np.concatenate([ratios.sums, ratios.expected]),
    }


def replicate_lengths(parameters: dict[str, Any], sizes: Sequence[int]) -> dict[str, int]:
    """How many whole numbers there are."""
    if "replicates" not in parameters:
        return {}
    count, widths = parameters["replicates"], len(parameters["ratio_scales"])
    if type(count) is not int or not 1 <= count <= MOST_REPLICATES or widths > MOST_WIDTH:
        raise BadSynopsis(NO_SENSE)
    lengths = {"replicate_shares": count * sum(sizes), "ratios": 2 * widths}
    if "replicate_tables" not in parameters:
        return lengths | {"replicates": count * min(parameters["weighted_rows"], CARRIERS)}
    tables, base = parameters["replicate_tables"], parameters["base"]
    if any(m not in range(len(sizes)) for table in tables for m in table["members"]):
        raise BadSynopsis(NO_SENSE)
    cells = sum(prod(table["shape"]) for table in tables)
    return lengths | {
        "replicates": count * cells,
        "replicate_digits": cells,
        "replicate_groups": sum(base[m] for table in tables for m in table["members"]),
    }


def read_replicates(cloud: WeightedRows, parameters: dict[str, Any], numbers: dict[str, Integers]) -> Replicates | None:
    """The replicates as they were made; None in a file without."""
    if "replicates" not in parameters:
        return None
    count = parameters["replicates"]
    each = numbers["replicates"].reshape(count, -1)
    ends = np.cumsum([count * len(base) for base in cloud.base])[:-1]
    shares = tuple(part.reshape(count, -1) for part in np.split(numbers["replicate_shares"], ends))
    logs: CellLogs | RowLogs = RowLogs(each, log_unit(cloud))
    most: Any = MOST_LOG * log_unit(cloud)
    if "replicate_tables" in parameters:
        digits = numbers["replicate_digits"]
        if ((digits < 0) | (digits > MOST_DIGITS)).any():
            raise BadSynopsis(NO_SENSE)
        logs = CellLogs(_tables(cloud, parameters["replicate_tables"], numbers["replicate_groups"]), digits, each)
        most = MOST_LOG * 2**digits
    if (np.abs(each) > most).any() or any(
        (p < 0).any() or (p.sum(axis=1) <= 0).any() or p.max() > 2**50 for p in shares
    ):
        raise BadSynopsis(NO_SENSE)
    return Replicates(cloud, logs, shares, every=parameters.get("replicate_carriers") == EVERY_LINE)


def _tables(cloud: WeightedRows, described: list[dict[str, Any]], groups: Integers) -> tuple[GroupedSet, ...]:
    """The tables of base groups by whose cells weights differ."""
    sets, place = [], 0
    for entry in described:
        members, maps = tuple(int(m) for m in entry["members"]), []
        for m in members:
            maps.append(groups[place : place + cloud.base_sizes[m]])
            place += cloud.base_sizes[m]
        sets.append(GroupedSet(members, tuple(maps)))
        if list(sets[-1].shape) != entry["shape"] or any(int(own.min()) < 0 for own in maps):
            raise BadSynopsis(NO_SENSE)
    return tuple(sets)


def read_ratios(law: Law, parameters: dict[str, Any], numbers: dict[str, Integers]) -> ErrorRatios | None:
    """The error ratios as they were measured; None where nothing was."""
    scales = tuple(float(scale) for scale in parameters.get("ratio_scales", ()))
    if not scales:
        return None
    usual = tuple(float(ratio) for ratio in parameters.get("ratio_usual", USUAL_BEFORE))
    sound = len(usual) == MOST_WIDTH and all(1e-3 <= ratio <= 1e3 for ratio in usual)
    if not (sound and all(0 < scale <= 1e60 for scale in scales)) or numbers["ratios"][len(scales) :].min() < 0:
        raise BadSynopsis("the synopsis has a calibration that makes no sense")
    sums, expected = np.split(numbers["ratios"], 2)
    older = parameters.get("ratio_chance") != BEYOND_PAIRS
    return ErrorRatios(sums, expected, scales, law, all_chance=older, usual=usual)
