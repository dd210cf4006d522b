"""Section 6.4.1: cuts of a graph whose edges are private, by hubs as the source has it and by all degrees.

Not private: simulations, compared with the true graphs.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

import hushtable as ht
from papers._paper import Row
from papers.gupta2011.released import growth_of_jumps
from papers.gupta2011.tables import graph, random_sets, small_graph

__all__ = ["cut_rows"]

VERTICES, EDGES, GROUPS = 1000, 10_000, 100
CHANCES = (0.5, 0.1, 0.02)
HUB = 0.01
ERROR = "mean absolute error"
Floats = NDArray[np.float64]
Edges = NDArray[np.int64]


def cut_rows(*, fast: bool) -> Iterator[Row]:
    """Submodularity, the normalisation, and what random groups are off by."""
    for seed in range(5 if fast else 30):
        f = ht.learning.cuts(small_graph(seed))
        values = np.array([f.at(mask) for mask in range(2**9)])
        yield Row(figure="cut lemmas", whose="theirs", method="Fact 6.4.5", quantity="largest growth of a jump", d=9,
                  r=seed, value=growth_of_jumps(values, 9))  # fmt: skip
    yield from normalised()
    for seed in range(1 if fast else 5):
        edges = graph(seed, VERTICES, EDGES)
        for chance in CHANCES:
            yield from group_rows(edges, seed, chance)


def normalised() -> Iterator[Row]:
    """Pieces of a graph of 200 vertices, and hubs with at least rho |E| edges, for both ways to divide."""
    rho, edges = 0.05, graph(1, 200, 1000)
    f = ht.learning.cuts([(int(a), int(b)) for a, b in edges.T])
    degrees = np.bincount(edges.ravel(), minlength=200)
    printed = ht.learning.SetFunction(elements=f.elements, value=lambda own: f(own) * 1000 / 200**2)
    for method, one in (("over |V|^2", printed), ("over |E|", f)):
        pieces = ht.learning.decompose(one, rho, stages=2)
        for quantity, value in (("pieces", len(pieces)), ("hubs", int((degrees >= rho * 1000).sum()))):
            yield Row(figure="normalisation", whose="theirs", method=method, quantity=quantity, value=value, d=200,
                      n=1000, bias=rho)  # fmt: skip


def group_rows(edges: Edges, seed: int, chance: float) -> Iterator[Row]:
    """Errors in edges at epsilon 1, an edge added or removed."""
    source = np.random.default_rng(1000 + seed)
    groups = random_sets(source, GROUPS, VERTICES, chance)
    truth = np.array([(own[edges[0]] != own[edges[1]]).sum() for own in groups])
    said = {
        ("naive", "constant"): np.full(GROUPS, 2 * EDGES * chance * (1 - chance)),
        ("theirs", "hub tree"): hub_tree(edges, groups, chance, source),
        ("ours", "degree-cuts"): by_degrees(edges, groups, seed),
    }
    for (whose, method), values in said.items():
        yield Row(figure="cuts", whose=whose,  # type: ignore[arg-type]
               method=method, quantity=ERROR, n=EDGES, d=VERTICES, r=seed, bias=chance,
                  value=float(np.abs(values - truth).mean()), epsilon=1.0)  # fmt: skip


def hub_tree(edges: Edges, groups: NDArray[np.bool_], chance: float, source: np.random.Generator) -> Floats:
    """The mean of the piece of every group: what is cut, given on which side each hub is.

    Pieces are told apart by their hubs, so that means need only the edges between two hubs, the degrees of hubs and
    the number of edges. A tenth of epsilon buys the latter, six tenths all degrees, three tenths pairs of hubs.
    """
    degrees = np.bincount(edges.ravel(), minlength=VERTICES) + source.laplace(scale=2 / 0.6, size=VERTICES)
    total = edges.shape[1] + source.laplace(scale=1 / 0.1)
    hubs = np.flatnonzero(degrees > HUB * total)
    place = np.full(VERTICES, -1)
    place[hubs] = np.arange(len(hubs))
    one, other = np.sort(place[edges], axis=0)
    between = np.zeros((len(hubs), len(hubs)))
    np.add.at(between, (one[one >= 0], other[one >= 0]), 1)
    between[np.triu_indices(len(hubs), 1)] += source.laplace(scale=1 / 0.3, size=len(hubs) * (len(hubs) - 1) // 2)
    both = between + between.T
    alone = np.maximum(degrees[hubs] - both.sum(axis=1), 0)
    rest = max(total - alone.sum() - between.sum(), 0.0) * 2 * chance * (1 - chance)
    sides = groups[:, hubs]
    cut_pairs = np.einsum("gij,ij->g", sides[:, :, None] != sides[:, None], between)
    return np.asarray(cut_pairs + np.where(sides, 1 - chance, chance) @ alone + rest)


def by_degrees(edges: Edges, groups: NDArray[np.bool_], seed: int) -> Floats:
    """The answers of a release of the mechanism `degree-cuts`, without pairs."""
    ends = {"a": {"kind": "vertex", "between": [1, VERTICES]}, "b": {"kind": "vertex", "like": "a"}}
    domain = ht.Domain.from_dict({"table": "graph", "neighbours": "add-remove", "attributes": ends})
    plan = ht.plan(domain, rows=EDGES, budget=ht.Budget(epsilon=1), mechanism="degree-cuts(pairs=False)")
    table = pa.table({"a": edges[0] + 1, "b": edges[1] + 1})
    synopsis = ht.Vault(table, domain).release(plan, randomness=ht.Simulated(seed))
    return np.array([float(synopsis.ask(ht.Listed((1 + np.flatnonzero(own)).tolist())).value) for own in groups])
