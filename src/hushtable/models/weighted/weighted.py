"""WeightedModel: a distribution over whole rows, fitted to a few noisy measurements; answers any question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...domain import Domain
from ...errors import BadSynopsis
from ...laws import Law
from ...maths.distribution import Evidence, Factored
from ...maths.distribution.carriers import Carriers, replicated
from ...maths.distribution.measured import Measured
from ...maths.distribution.points import on_points
from ...questions.answer import Answer, CrossTab
from ...questions.parse import Question
from ..base import Model
from ..reading import noise_scale, read_law, row_count
from .calibration import WeightedCalibration, calibration_length, read_calibration
from .certificate import Certificate, Coverage
from .pooled_tables import PooledTables

__all__ = ["WeightedModel"]

Ints = NDArray[np.int64]
# Log-weights are kept as whole multiples of this.
THETA_UNIT = 2.0**-32
# Beyond it a weight and its inverse are not both numbers.
MOST_THETA = 700
# The first versions of the file format that have calibrations of these models, and those of single pairs.
CALIBRATED_FORMAT, PAIRS_FORMAT = 5, 6
# No group of a file is larger, whatever the file says.
MOST_CELLS = 1 << 26


@dataclass(frozen=True, eq=False, kw_only=True)
class WeightedModel(Model):
    """Every cell of the domain weighs exp(sum of the log-weights of its measured parts), times the start."""

    kind = "weighted"
    rows_by = "mwem"
    domain: Domain
    law: Law
    rows: int
    """As released, and as the fit takes it."""
    rows_stderr: float
    """Standard error of that number; 0 where it is public."""
    grid: int
    measured: tuple[Measured, ...]
    theta: Ints
    """The log-weight of every measured value, in THETA_UNIT."""
    before: Ints
    """The same before the last round, which is what the certificate speaks of."""
    start: Ints
    """Weights of all cells before the first round; empty for the uniform start."""
    points: Ints
    """Codes of the listed rows, one line an attribute, where the domain was reduced to them; else empty."""
    coverage: Coverage
    covered: Ints
    """Digests of the listed queries that the certificate covers, in order; empty for tables and parities."""
    certificate: Certificate | None
    cap: int
    calibration: WeightedCalibration | None = None
    """How far answers that were not measured usually are off. Files older than format 5 have none."""

    @property
    def form(self) -> int:
        if self.calibration is None:
            return 1
        return PAIRS_FORMAT if self.calibration.ratios.by_pairs else CALIBRATED_FORMAT

    @classmethod
    def of(
        cls,
        domain: Domain,
        measured: Sequence[Measured],
        evidence: Sequence[Evidence],
        *,
        law: Law,
        rows: int,
        rows_stderr: float = 0.0,
        grid: int = 1,
        before: Sequence[NDArray[np.float64]] | None = None,
        start: Ints | None = None,
        points: Ints | None = None,
        coverage: Coverage | None = None,
        covered: Sequence[int] = (),
        certificate: Certificate | None = None,
        cap: int = 1 << 24,
        calibration: WeightedCalibration | None = None,
    ) -> WeightedModel:
        """From measurements and the log-weights that a fit has found for them."""
        theta = [item.theta for item in evidence]
        return cls(
            domain=domain, law=law, rows=rows, rows_stderr=rows_stderr, grid=grid, measured=tuple(measured),
            theta=_fixed(theta), before=_fixed(theta if before is None else before),
            start=np.zeros(0, dtype=np.int64) if start is None else start,
            points=np.zeros((len(domain.sizes), 0), dtype=np.int64) if points is None else points,
            coverage=coverage or Coverage(kind="none", width=0),
            covered=np.array(sorted(covered), dtype=np.int64), certificate=certificate, cap=cap,
            calibration=calibration,
        )  # fmt: skip

    def row_count(self) -> tuple[float, float]:
        return float(self.rows), self.rows_stderr

    @cached_property
    def distribution(self) -> Factored:
        """The distribution."""
        return self._weighted(self.theta)

    @cached_property
    def earlier(self) -> Factored:
        """The distribution before the last round."""
        return self._weighted(self.before)

    @cached_property
    def pooled(self) -> PooledTables:
        """What the measured tables say without the model, and the number of rows with their help."""
        return PooledTables(self.measured, self.domain.sizes, self.law, rows=self.rows, rows_stderr=self.rows_stderr)

    @cached_property
    def seen(self) -> frozenset[int]:
        """Positions of the columns of which anything was measured."""
        return frozenset(p for item in self.measured for p in item.positions)

    @cached_property
    def told(self) -> frozenset[int]:
        """Those of the columns whose own shares something that was measured tells; a parity of two tells of neither."""
        sizes = self.domain.sizes
        if len(self.start):
            return frozenset(range(len(sizes)))
        return frozenset(
            p
            for item in self.measured
            for axis, p in enumerate(item.positions)
            if item.function is None or _tells(item.function.reshape([sizes[q] for q in item.positions]), axis)
        )

    @cached_property
    def carriers(self) -> Carriers:
        """Cells of the distribution, weighted again by other noise; they follow from the released numbers."""
        evidence, at = [], 0
        for item in self.measured:
            own = item.evidence(rows=self.rows, grid=self.grid, law=self.law)
            own.theta = np.asarray(self.theta[at : at + len(item.values)] * THETA_UNIT, dtype=np.float64)
            evidence.append(own)
            at += len(item.values)
        return replicated(
            self.distribution, self.measured, evidence, rows=self.rows, grid=self.grid, law=self.law,
            rows_stderr=self.rows_stderr,
        )  # fmt: skip

    def _weighted(self, theta: Ints) -> Factored:
        sizes = self.domain.sizes
        weighted = Factored(sizes, cap=self.cap)
        if len(self.start):
            weighted = Factored.explicit(sizes, self.start, cap=self.cap)
        elif self.points.shape[1]:
            weighted = on_points(sizes, self.points)
        at = 0
        for item in self.measured:
            own = theta[at : at + len(item.values)] * THETA_UNIT
            at += len(item.values)
            exponents = own if item.function is None else own[0] * (item.function / self.grid)
            # The weights in a forged file may be no distribution, which shows below.
            with np.errstate(over="ignore", invalid="ignore"):
                weighted.multiply(item.positions, np.exp(exponents))
        if not all(np.isfinite(group.table).all() for group in weighted.groups):
            raise BadSynopsis("the synopsis has weights that are no distribution; ask its publisher for a fresh copy")
        return weighted

    def answer(self, question: Question, *, count: bool = False) -> Answer | CrossTab:
        from .weighted_answers import weighted_answer

        return weighted_answer(self, question, count=count)

    def draw(self, rows: int, random: np.random.Generator) -> NDArray[np.uint16]:
        return self.distribution.draw(rows, random)

    def parameters(self) -> dict[str, Any]:
        rounds = [
            {"positions": list(m.positions), "scale": str(m.scale), "query": m.function is not None}
            for m in self.measured
        ]
        return {
            "law": self.law,
            "rows": self.rows,
            "rows_stderr": self.rows_stderr,
            "grid": self.grid,
            "cap": self.cap,
            "start": len(self.start) > 0,
            "points": self.points.shape[1],
            "covered": len(self.covered),
            "coverage": self.coverage.to_dict(),
            "certificate": None if self.certificate is None else self.certificate.to_dict(),
            "rounds": rounds,
        } | ({} if self.calibration is None else {"calibration": self.calibration.to_dict()})

    def numbers(self) -> dict[str, Ints]:
        functions = [m.function for m in self.measured if m.function is not None]
        return {
            "measured": _joined([m.values for m in self.measured]),
            "functions": _joined(functions),
            "theta": self.theta,
            "before": self.before,
            "start": self.start,
            "points": self.points.ravel(),
            "covered": self.covered,
        } | ({} if self.calibration is None else {"ratios": self.calibration.numbers})

    @classmethod
    def lengths(cls, domain: Domain, parameters: dict[str, Any]) -> dict[str, int]:
        shapes = [_checked(domain, entry) for entry in parameters["rounds"]]
        cells = [prod(domain.sizes[p] for p in positions) for positions in shapes]
        queries = [bool(entry["query"]) for entry in parameters["rounds"]]
        cap = parameters["cap"]
        joined = 0 if parameters["points"] else _largest_group(domain, shapes)
        if not isinstance(cap, int) or not 1 <= cap <= MOST_CELLS or max(joined, *cells, 0) > cap:
            raise BadSynopsis("the synopsis joins attributes to more cells than it says")
        values = sum(1 if query else size for query, size in zip(queries, cells, strict=True))
        start, points = prod(domain.sizes) if parameters["start"] else 0, parameters["points"]
        if start > cap or not isinstance(points, int) or not 0 <= points <= cap or (start and points):
            raise BadSynopsis("the synopsis starts from more cells than it says")
        functions = sum(size for query, size in zip(queries, cells, strict=True) if query)
        if not isinstance(parameters["covered"], int) or not 0 <= parameters["covered"] <= MOST_CELLS:
            raise BadSynopsis("the synopsis lists more queries than it may")
        listed = points * len(domain.sizes)
        return {"measured": values, "functions": functions, "theta": values, "before": values, "start": start,
                "points": listed, "covered": parameters["covered"],
                **calibration_length(parameters)}  # fmt: skip

    @classmethod
    def build(cls, domain: Domain, parameters: dict[str, Any], numbers: dict[str, Ints]) -> WeightedModel:
        law, rows, grid = read_law(parameters["law"]), row_count(parameters["rows"]), parameters["grid"]
        stderr = parameters["rows_stderr"]
        # The square of a standard error must be a number again, and so must its inverse.
        plain = isinstance(stderr, (int, float)) and (stderr == 0 or 1e-30 <= stderr <= 1e30)
        sane = isinstance(grid, int) and 0 < grid < 2**63 and plain
        if not sane or rows is None:
            raise BadSynopsis("the synopsis has a noise law, number of rows or grid that makes no sense")
        if any(np.abs(numbers[name]).max(initial=0) * THETA_UNIT > MOST_THETA for name in ("theta", "before")):
            raise BadSynopsis(f"the synopsis has a log-weight beyond {MOST_THETA}, which no fit gives")
        start = numbers["start"]
        if len(start) and (start.min() < 0 or not 0 < start.sum(dtype=np.float64) < 2**62):
            raise BadSynopsis("the synopsis starts from weights that are no distribution")
        certificate, coverage = parameters["certificate"], Coverage.from_dict(parameters["coverage"])
        if coverage.width > len(domain.sizes) or (coverage.kind in ("tables", "parities") and coverage.width < 1):
            raise BadSynopsis("the synopsis has a certificate for more columns than its domain")
        if coverage.kind == "parities" and set(domain.sizes) != {2}:
            # The transform of parities would write beyond a table of another size.
            raise BadSynopsis("the synopsis has parities of columns that do not have two codes")
        return cls(
            domain=domain, law=law, rows=rows, rows_stderr=float(stderr), grid=grid,
            measured=_rounds(domain, parameters, numbers), theta=numbers["theta"], before=numbers["before"],
            start=start, points=_points(domain, numbers["points"]),
            coverage=coverage, covered=numbers["covered"],
            certificate=None if certificate is None else Certificate.from_dict(certificate), cap=parameters["cap"],
            calibration=read_calibration(parameters, numbers, len(domain.sizes), law),
        )  # fmt: skip


def _points(domain: Domain, flat: Ints) -> Ints:
    codes = flat.reshape(len(domain.sizes), -1)
    if (codes < 0).any() or (codes >= np.array(domain.sizes)[:, None]).any():
        raise BadSynopsis("the synopsis lists rows that the domain does not have")
    return codes


def _rounds(domain: Domain, parameters: dict[str, Any], numbers: dict[str, Ints]) -> tuple[Measured, ...]:
    rounds, value, weight = [], 0, 0
    for entry in parameters["rounds"]:
        positions, scale = _checked(domain, entry), noise_scale(entry["scale"], read_law(parameters["law"]))
        if scale <= 0:
            raise BadSynopsis("the synopsis has a noise scale that makes no sense")
        cells = prod(domain.sizes[p] for p in positions)
        many = 1 if entry["query"] else cells
        function = numbers["functions"][weight : weight + cells] if entry["query"] else None
        rounds.append(Measured(positions, numbers["measured"][value : value + many], scale, function))
        value += many
        weight += cells if entry["query"] else 0
    return tuple(rounds)


def _checked(domain: Domain, entry: dict[str, Any]) -> tuple[int, ...]:
    """The attributes of a round; BadSynopsis when they are none of the domain's."""
    positions = tuple(entry["positions"])
    # True and False are ints too, and numpy takes them for masks.
    known = all(type(p) is int and 0 <= p < len(domain.sizes) for p in positions)
    if not positions or not known or len(set(positions)) < len(positions):
        raise BadSynopsis("the synopsis has a measurement of attributes that the domain does not have")
    return positions


def _largest_group(domain: Domain, sets: Sequence[tuple[int, ...]]) -> int:
    """How many cells the largest group will have, without building any."""
    groups = [{p} for p in range(len(domain.sizes))]
    for positions in sets:
        touched = [g for g in groups if g & set(positions)]
        groups = [g for g in groups if not g & set(positions)] + [set().union(*touched)]
    return max((prod(domain.sizes[p] for p in g) for g in groups), default=0)


def _fixed(theta: Sequence[NDArray[np.float64]]) -> Ints:
    """In whole units. Log-weights of cells that cannot be reached (rows not listed) grow without end; they are cut."""
    cut: Ints = np.rint(np.clip(_joined(theta), -MOST_THETA, MOST_THETA) / THETA_UNIT).astype(np.int64)
    return cut


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)


def _tells(function: NDArray[Any], axis: int) -> bool:
    """Whether the mean of a query over all other columns differs between the codes of this one."""
    alone = function.sum(axis=tuple(other for other in range(function.ndim) if other != axis))
    return bool((alone != alone[0]).any())
