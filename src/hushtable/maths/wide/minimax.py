"""Minimax: the low-order polynomial that answers a wide question with the least bias plus noise."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .krawtchouk import krawtchouk, parity_of_values

__all__ = ["Fit", "best_biased", "best_uniform"]

Array = NDArray[np.float64]

# The solver stops when its duality gap is below this share of the objective, or of the largest value.
RELATIVE_GAP, ABSOLUTE_GAP = 1e-10, 1e-13
MOST_ROUNDS = 80
# A gap that rounding left above this share of the objective means that the solver failed.
CLOSED = 1e-7
# Directions that change neither the polynomial nor the noise by more than this share are left at 0.
RANK = 1e-13


@dataclass(frozen=True, kw_only=True, eq=False)
class Fit:
    """An estimator as coefficients of the released sums, with what it costs."""

    coefficients: Array
    bias: float
    """max |p - f| over all points, recomputed from the coefficients: holds whatever the solver did."""
    stderr: float
    """sqrt(b' M b), recomputed from the coefficients."""


def best_uniform(values: ArrayLike, k: int, t: int) -> tuple[Array, float]:
    """Parity coefficients of the polynomial of degree t nearest to f(0..k), and its distance max |p - f|.

    When t >= k the polynomial is f itself and the distance is exactly 0; otherwise it is that of the returned
    coefficients, within 1e-9 max |f| of the least one.                                     [ThaUV12, Def. 8]
    """
    f = _finite(values, "values")
    if f.shape != (k + 1,):
        raise ValueError(f"a function of 0 to {k} ones has {k + 1} values, not {f.shape}")
    if t >= k:
        return parity_of_values(f, t), 0.0
    fit = best_biased(krawtchouk(k, t), f, np.zeros((t + 1, t + 1)))
    return fit.coefficients, fit.bias


def best_biased(basis: ArrayLike, values: ArrayLike, noise: ArrayLike, z: float = 1.96) -> Fit:
    """Minimises bias + z * stderr over all coefficients b of p = basis.T @ b.

    basis   (orders, points): what each released sum is on a row at each point
    values  f at each point
    noise   covariance M of the released sums; may be singular
    z       how many standard errors count as much as their size in bias

    The result is within 1e-9 max |f| of the least value, and never worse than the constant (max f + min f) / 2 (when
    the basis has a constant row), than least squares or, should the solver stop early, than the least bias.
    """
    B, f, M = _finite(basis, "basis"), _finite(values, "values"), _finite(noise, "noise")
    _check(B, f, M, z)
    root = _root(M)
    largest = float(np.abs(f).max())
    tried = [np.zeros(len(B))]
    if largest > 0:
        tried += _simple(B, f)
        best, done = _minimise(B.T, z * root, f / largest)
        tried.append(best * largest)
        if not done:
            tried.append(_minimise(B.T, root[:0], f / largest)[0] * largest)
    return min((_fit(B, f, M, b) for b in tried), key=lambda fit: fit.bias + z * fit.stderr)


def _fit(basis: Array, f: Array, noise: Array, b: Array) -> Fit:
    bias = float(np.abs(b @ basis - f).max())
    return Fit(coefficients=b, bias=bias, stderr=sqrt(max(0.0, float(b @ noise @ b))))


def _simple(basis: Array, f: Array) -> list[Array]:
    """The least-squares fit, which is exact when f is a polynomial, and the best constant, which has no noise."""
    scale = _scale(np.abs(basis).max(axis=1))
    fits = [np.linalg.lstsq((basis / scale[:, None]).T, f, rcond=RANK)[0] / scale]
    first = basis[:, :1]
    for i in np.flatnonzero((first[:, 0] != 0) & (first == basis).all(axis=1))[:1]:
        constant = np.zeros(len(basis))
        constant[i] = (f.max() + f.min()) / 2 / first[i, 0]
        fits.append(constant)
    return fits


def _root(noise: Array) -> Array:
    """L with L' L = noise, in units of each sum's own noise so that small ones are not lost beside large ones."""
    scale = _scale(np.sqrt(np.maximum(np.diag(noise), 0.0)))
    correlation = noise / scale / scale[:, None]
    eigenvalues, vectors = np.linalg.eigh(correlation)
    if not np.allclose(correlation, correlation.T) or eigenvalues.min() < -1e-9 * max(1.0, eigenvalues.max()):
        raise ValueError("noise must be a covariance matrix: symmetric, with no negative eigenvalue")
    live = eigenvalues > 0
    root: Array = np.sqrt(eigenvalues[live])[:, None] * vectors[:, live].T * scale
    return root


def _minimise(rows: Array, noise: Array, f: Array) -> tuple[Array, bool]:
    """b of least max |rows b - f| + ||noise b||, for max |f| = 1, and whether the gap closed."""
    both = np.concatenate([rows, noise])
    scale = _scale(np.linalg.norm(both, axis=0))
    left, singular, right = np.linalg.svd(both / scale, full_matrices=False)
    keep = singular > RANK * singular.max()
    left, back = left[:, keep], right[keep].T / singular[keep] / scale[:, None]
    x, done = _interior(left[: len(rows)], left[len(rows) :], f)
    return back @ x, done


def _scale(sizes: Array) -> Array:
    return np.where(sizes > 0, sizes, 1.0)


def _finite(numbers: ArrayLike, name: str) -> Array:
    array = np.asarray(numbers, dtype=np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers")
    return array


def _check(basis: Array, f: Array, noise: Array, z: float) -> None:
    orders = len(basis) if basis.ndim else 0
    if basis.ndim != 2 or basis.size == 0 or f.shape != basis.shape[1:] or noise.shape != (orders, orders):
        raise ValueError(
            f"a basis of shape (orders, points) needs values (points,) and noise (orders, orders), "
            f"not {basis.shape}, {f.shape} and {noise.shape}"
        )
    if not 0 <= z < inf:
        raise ValueError(f"z must be a number of standard errors, at least 0, not {z}")


# The solver: minimise c'x over slacks h - Gx in a cone, by Mehrotra's predictor and corrector with the scaling of
# Nesterov and Todd. It starts, and stays, feasible on both sides, so the gap it stops at is a proof of optimality.


@dataclass(frozen=True, eq=False)
class _Scaled:
    """A primal and a dual point of the cone, both mapped to `flat` and `cone`; the maps divide or multiply by W.

    The cone is {flat >= 0} times {cone[0] >= |cone[1:]|}.
    """

    stretch: Array
    unbend: Array
    flat: Array
    cone: Array
    square: float
    """cone[0]^2 - |cone[1:]|^2, from its factors: the difference itself may round below 0."""

    @classmethod
    def of(cls, s: Array, y: Array, q: Array, u: Array) -> _Scaled:
        """W with W y = W^-1 s: square roots on the flat part, a hyperbolic rotation on the other."""
        size_q, size_u = _hyperbolic(q), _hyperbolic(u)
        mirrored = np.concatenate([u[:1], -u[1:]]) / size_u
        w = (q / size_q + mirrored) / sqrt(2 + 2 * float(q @ u) / (size_q * size_u))
        unbend = np.eye(len(w))
        unbend[1:, 1:] += np.outer(w[1:], w[1:]) / (1 + w[0])
        unbend[0, 0], unbend[0, 1:], unbend[1:, 0] = w[0], -w[1:], -w[1:]
        unbend *= sqrt(size_u / size_q)
        return cls(np.sqrt(s / y), unbend, np.sqrt(s * y), unbend @ q, size_q * size_u)

    def corrected(self, ds: Array, dy: Array, dq: Array, du: Array, target: float) -> tuple[Array, Array]:
        """The right-hand side that aims at products of size `target`, given the predicted steps."""
        flat = (target - ds * dy) / self.flat - self.flat
        v = -(dq[0] * du + du[0] * dq)
        v[0] = target - dq @ du
        head, tail = self.cone[0], self.cone[1:]
        first = (head * v[0] - tail @ v[1:]) / self.square
        return flat, np.concatenate([[first], (v[1:] - first * tail) / head]) - self.cone

    def reach(self, flat: Array, cone: Array) -> float:
        """How far one can go in a scaled direction before leaving the cone."""
        steepest = float((-flat / self.flat).max(initial=0.0))
        a, b, c = _minkowski(cone, cone), _minkowski(self.cone, cone), self.square
        # 1 / root of a t^2 + 2 b t + c: for c > 0 the nearest exit has the largest inverse.
        inner = b * b - a * c
        steepest = max(steepest, (sqrt(inner) - b) / c) if inner >= 0 else steepest
        return 1 / steepest if steepest > 0 else inf


def _minkowski(a: Array, b: Array) -> float:
    return float(a[0] * b[0] - a[1:] @ b[1:])


def _hyperbolic(a: Array) -> float:
    """sqrt(a_0^2 - |a_1|^2), by the product of sum and difference, which keeps its digits near the boundary."""
    return sqrt(_depth(a) * (2 * float(a[0]) - _depth(a)))


def _depth(a: Array) -> float:
    """How far inside its cone a point is: not above 0 outside."""
    return float(a[0]) - sqrt(float(a[1:] @ a[1:]))


def _interior(rows: Array, noise: Array, f: Array) -> tuple[Array, bool]:
    """x of least max |rows x - f| + ||noise x||, and whether the gap closed. The variables are (x, bias, stderr)."""
    points, n = rows.shape
    ones, none = np.ones((points, 1)), np.zeros((points, 1))
    G = np.block([[rows, -ones, none], [-rows, -ones, none]])
    Q = np.zeros((len(noise) + 1, n + 2))
    Q[0, -1], Q[1:, :n] = -1, -noise
    h, cost = np.concatenate([f, -f]), np.concatenate([np.zeros(n), [1.0, 1.0]])
    x = np.concatenate([np.zeros(n), [2.0, 1 / points]])
    y, u = np.full(2 * points, 0.5 / points), np.eye(len(Q))[0]
    best, least = x, inf
    for _ in range(MOST_ROUNDS):
        s, q = h - G @ x, -Q @ x
        gap = float(y @ s + u @ q)
        if not min(float(s.min()), float(y.min()), _depth(q), _depth(u)) > 0:
            break
        if gap < least:
            best, least = x, gap
        if gap <= max(RELATIVE_GAP * float(x[-2] + x[-1]), ABSOLUTE_GAP):
            break
        step = _step(G, Q, cost + y @ G + u @ Q, _Scaled.of(s, y, q, u), gap / (2 * points + 1))
        if step is None:
            break
        x, y, u = x + step[0], y + step[1], u + step[2]
    return best[:n], least <= CLOSED * float(best[-2] + best[-1]) + ABSOLUTE_GAP


def _step(flat: Array, cone: Array, residual: Array, at: _Scaled, mean: float) -> tuple[Array, Array, Array] | None:
    """The next change of x, y and u, for the rows of G on both parts; None when rounding leaves no direction."""
    g, bent = flat / at.stretch[:, None], at.unbend @ cone
    normal = g.T @ g + bent.T @ bent
    size = np.sqrt(np.diag(normal))
    try:
        inverse = np.linalg.inv(normal / size / size[:, None]) / size / size[:, None]
    except np.linalg.LinAlgError:
        return None

    def solve(a: Array, b: Array) -> tuple[Array, Array, Array]:
        right = -(residual + a @ g + b @ bent)
        dx = inverse @ right
        dx += inverse @ (right - normal @ dx)  # one refinement: near the end `normal` is almost singular
        return dx, -(g @ dx), -(bent @ dx)

    a, b = -at.flat, -at.cone
    dx, ds, dq = solve(a, b)
    ahead = min(1.0, at.reach(ds, dq), at.reach(a - ds, b - dq))
    a, b = at.corrected(ds, a - ds, dq, b - dq, (1 - ahead) ** 3 * mean)
    dx, ds, dq = solve(a, b)
    dy, du = a - ds, b - dq
    ahead = min(1.0, 0.99 * min(at.reach(ds, dq), at.reach(dy, du)))
    if not np.isfinite(dx).all() or ahead < 1e-8:
        return None
    return ahead * dx, ahead * dy / at.stretch, ahead * (at.unbend @ du)
