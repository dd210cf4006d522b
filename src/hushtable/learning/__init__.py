"""Learning set functions: from few values of a submodular function to all of them, by pieces on which it hardly moves.

It is public arithmetic: what is learned is as private as the answers of the oracle are.
"""

from __future__ import annotations

from ..maths.submodular.decomposition import Decomposition, Piece, decompose
from ..maths.submodular.examples import coverage, cuts, influence, rows_lacking_any, rows_with_any
from ..maths.submodular.learning import LearnedFunction, SetTrial, learn_submodular, lipschitz_for, tail_bound
from ..maths.submodular.set_function import SetFunction
from ..maths.submodular.shape import Shape, shape_of

__all__ = [
    "Decomposition",
    "LearnedFunction",
    "Piece",
    "SetFunction",
    "SetTrial",
    "Shape",
    "coverage",
    "cuts",
    "decompose",
    "influence",
    "learn_submodular",
    "lipschitz_for",
    "rows_lacking_any",
    "rows_with_any",
    "shape_of",
    "tail_bound",
]
