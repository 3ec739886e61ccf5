"""The equations that IDA solves: residuals of a state and its rates, with their Jacobians.

The conditions w are ψ of constraints on positions and velocities, A v̇ − c of those on accelerations. Constraints on
positions are asked for on both levels: with g = 0 alone the equations have index 3, and IDA fails.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import qr

from dalembert.arrays import Array
from dalembert.motion.entry import Entry
from dalembert.motion.places import NOTHING

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine

_BLOCKED = 120  # unknowns beyond which LAPACK is faster
_DENSE = 60  # unknowns up to which a dense Jacobian is faster than a sparse one
_DEPENDENT = 1e-7  # what is left of a row of length 1 that depends on others
_FREE = 1e30  # absolute tolerance of what is not to be in the error test
_LOST = 1e-8  # part of the size of a row that lets dependent ones pass, in the Jacobian alone


class Equations(ABC):
    """Unknowns, the first of them q and v, and as many equations.

    `names` are the kernels behind those of every engine. `since` is the time at which the present step began. `bad` is
    what had no finite value at the last state: a rate of q or v by its number, NOTHING, or SINGULAR_MASS.
    """

    names: tuple[tuple[str, str], ...]
    size: int
    share: float  # of the tolerance is what IDA is given: the errors of its many steps add up

    def __init__(self, engine: Engine):
        kernels = engine.kernels
        self.engine, self.n, self.s = engine, engine.n, kernels.s
        self.first = len(engine.given) - 2 * self.n - 2 * self.s  # input behind t, q, v and the parameters
        self.since, self.bad = 0.0, NOTHING
        blocks = kernels.system.blocks
        self.positions = np.flatnonzero([g is not None for g in blocks.g])
        self.kinematic = np.array([psi is not None for psi in blocks.psi], dtype=bool)
        self.patterns = {
            name: np.array(places, dtype=int).reshape(-1, 2)
            for name, places in kernels.facts("implicit")["patterns"].items()
        }

    @abstractmethod
    def options(self, rtol: float, atol: float) -> dict[str, Any]:
        """Return tolerances and linear solver as IDA takes them."""

    @abstractmethod
    def start(self, y: Array, a: Array, multipliers: Array) -> tuple[Array, Array]:
        """Return the unknowns and their rates at a state."""

    @abstractmethod
    def residual(self, t: float, y: Array, yp: Array, res: Array) -> None:
        """Fill in the residual."""

    @abstractmethod
    def jacobian(self, t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
        """Fill in its derivative by y plus cj times that by y'."""

    def slopes(self, a: Array, multipliers: Array) -> dict[str, Array]:
        """Return the entries of the derivatives of F and w, at the state that the engine gives its kernels."""
        row = np.concatenate([self.engine.given[: self.first], a, multipliers])
        values = self.engine.kernels.run("implicit", "slopes", row[None])[0]
        ends = np.cumsum([len(places) for places in self.patterns.values()])
        found = dict(zip(self.patterns, np.split(values, ends[:-1]), strict=True))
        for name, part in found.items():
            if not np.all(np.isfinite(part)):
                self.bad = self.n + int(self.patterns[name][np.argmin(np.isfinite(part)), 0 if name[0] == "F" else 1])
        return found


class Minimal(Equations):
    """Phong's minimal equations on both levels, in q and v alone.

    Dᵀ(M v̇ − f) = 0 and w = 0 are n equations, and so are Eᵀ(q̇ − v) = 0 and g = 0, where E spans the null space of the
    constraints on positions (this is q̇ = v + Aᵀμ without μ). No basis is chosen: in the mass norm any vector has a part
    along the constraints and one against them. The residual has that of v̇ − M⁻¹f along them, and against them, in its
    place, the least x with A x = w, over the length of the step. It vanishes where both do, whatever the rank of A; and
    since an error e of the state, of either kind, leaves about e/h in it, its Jacobian hardly turns with the motion.
    """

    names = (("implicit", "terms"), ("implicit", "split"))
    share = 0.05

    def __init__(self, engine: Engine):
        super().__init__(engine)
        self._residual = Entry("gear", "minimal")
        self.size = 2 * self.n
        self.rows = np.ones((2, self.s))
        self.rows[0] = np.isin(np.arange(self.s), self.positions)
        self.terms = np.zeros(self.n + 2 * self.s)

    def options(self, rtol: float, atol: float) -> dict[str, Any]:
        """Use dense matrices: the inverse of a sparse one is in them."""
        return {"rtol": rtol, "atol": atol, "linsolver": "dense" if self.size <= _BLOCKED else "lapackdense"}

    def start(self, y: Array, a: Array, multipliers: Array) -> tuple[Array, Array]:
        """Return q, v and their rates."""
        return y.copy(), np.concatenate([y[self.n :], a])

    def residual(self, t: float, y: Array, yp: Array, res: Array) -> None:
        """Fill in the parts along and against the constraints, of positions and then of velocities."""
        e = self.engine
        self.bad = self._residual(
            e.address, self.n, self.s, self.rows, self.kinematic, self._rate(t), t, y, yp, res, e.given, self.terms,
            e.out, e.work, self.bad,
        )  # fmt: skip

    def _rate(self, t: float) -> float:
        """Return about cj, which is 1/h to 2.3/h from order 1 to 5, as a function of time alone."""
        return 2.0 / (t - self.since) if t > self.since else 1.0

    def jacobian(self, t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
        """Solve with the matrix of the residual for every column; what the turn of the matrix adds vanishes with it."""
        n, s, e, rate = self.n, self.s, self.engine, self._rate(t)
        self.residual(t, y, yp, np.empty(2 * n))
        parts = self.slopes(yp[n:], e.out[n : n + s].copy())
        columns = np.zeros((2 * n, n + s))
        for by, first, factor in (("q", 0, 1.0), ("v", n, 1.0), ("a", n, cj)):
            for name, offset in (("F", 0), ("w", n)):
                i, j = self.patterns[f"{name}_{by}"].T
                columns[first + j, offset + i] += factor * parts[f"{name}_{by}"]
        columns[:, n:][:, self.kinematic] *= rate
        J[n:] = self._split(1, np.zeros((2 * n, n)), columns).T
        along = self._split(0, np.eye(n), np.zeros((n, n + s))).T
        J[:n, :n] = cj * along + rate * (np.eye(n) - along)
        J[:n, n:] = -along

    def _split(self, level: int, d: Array, right: Array) -> Array:
        """Return x for rows of d and of b, w."""
        rows = np.tile(self.engine.given, (len(d), 1))
        rows[:, self.first :] = np.hstack([np.tile(self.rows[level], (len(d), 1)), d, right])
        return self.engine.kernels.run("implicit", "split", rows)[:, : self.n]


class Multipliers(Equations):
    """M v̇ = f + Aᵀλ, q̇ = v + Aᵀμ, g = 0 and w = 0 in q, v, μ and λ, sparse; μ and λ are not in the error test.

    Rows that are about to depend on others pass by a small term of the Jacobian, which the residual does not have.
    Those that do where IDA begins are left out, with their λ as it is there: constraints that repeat each other
    contradict each other beside the states that they allow, and Newton's method does not like that.
    """

    names = (("implicit", "balance"),)
    share = 1.0  # with less, first steps become so small that rounding of the multipliers spoils them

    def __init__(self, engine: Engine):
        super().__init__(engine)
        self._residual = Entry("gear", "multipliers")
        self.size = 2 * self.n + len(self.positions) + self.s
        i, self.a_column = self.patterns["A"].T
        self.a_row, self.of_positions = i, np.isin(i, self.positions)
        rows, columns = self._places()
        places, self.where = np.unique(columns * self.size + rows, return_inverse=True)
        self.columns, self.rows = np.divmod(places, self.size)
        self.held = np.ones(self.s, dtype=bool)  # rows that are not left out
        self.left_out, self.rest = np.zeros(0, dtype=int), np.zeros(0)  # unknowns that stay, and their values

    def options(self, rtol: float, atol: float) -> dict[str, Any]:
        """Take multipliers out of the error test, whose norm counts them all the same."""
        n, size = self.n, self.size
        share = np.sqrt(2 * n / size)
        tolerances = np.concatenate([np.full(2 * n, share * atol), np.full(size - 2 * n, _FREE)])
        found = {"rtol": share * rtol, "atol": tolerances, "algebraic_idx": list(range(2 * n, size))}
        if size <= _DENSE:
            return found | {"linsolver": "dense"}
        pattern = sp.csc_matrix((np.ones(len(self.rows)), (self.rows, self.columns)), (size, size))
        return found | {"linsolver": "sparse", "sparsity": pattern}

    def start(self, y: Array, a: Array, multipliers: Array) -> tuple[Array, Array]:
        """Return q, v, μ = 0, λ and their rates."""
        none = np.zeros(len(self.positions))
        A = np.zeros((self.s, self.n))
        A[self.a_row, self.a_column] = self.slopes(a, multipliers)["A"]
        self.held[:] = False
        self.held[_independent(A)] = True
        first = 2 * self.n + len(none)
        of_positions = 2 * self.n + np.flatnonzero(~self.held[self.positions])
        self.left_out = np.concatenate([of_positions, first + np.flatnonzero(~self.held)])
        self.rest = np.concatenate([none, multipliers])[self.left_out - 2 * self.n]
        return np.concatenate([y, none, multipliers]), np.concatenate([y[self.n :], a, none, 0 * multipliers])

    def residual(self, t: float, y: Array, yp: Array, res: Array) -> None:
        """Fill in q̇ − v − Aᵀμ, F, g, w."""
        e = self.engine
        self.bad = self._residual(
            e.address, self.n, self.s, self.positions, t, y, yp, res, e.given, e.out, e.work, self.bad
        )
        if len(self.left_out):
            res[self.left_out] = y[self.left_out] - self.rest

    def jacobian(self, t: float, y: Array, yp: Array, res: Array, cj: float, J: Array) -> None:
        """Put the entries into their places."""
        n, e = self.n, self.engine
        e.given[0], e.given[1 : 1 + 2 * n] = t, y[: 2 * n]
        parts = self.slopes(yp[n : 2 * n], y[self.size - self.s :])
        A = parts["A"][self.of_positions]
        lost = _LOST * self._sizes(parts) / np.where(self.kinematic, cj, 1.0)
        lost[~self.held] = 1.0
        w_q, w_v, w_a = (parts[f"w_{by}"] * self.held[self.patterns[f"w_{by}"][:, 0]] for by in "qva")
        of_g = A * self.held[self.a_row[self.of_positions]]
        values = [np.full(n, cj), np.full(n, -1.0), -A, of_g, lost[self.positions]]
        values += [parts["F_q"], parts["F_v"], cj * parts["F_a"], -parts["A"]]
        values += [w_q, w_v, cj * w_a, lost]
        data = np.bincount(self.where, np.concatenate(values), len(self.rows))
        if J.ndim == 1:
            J[:] = data
        else:
            J[self.rows, self.columns] = data

    def _places(self) -> tuple[Array, Array]:
        """Return rows and columns of the entries, in the order in which they are computed."""
        n, patterns, each = self.n, self.patterns, np.arange(self.n)
        h = len(self.positions)
        own = self.of_positions
        mu = 2 * n + np.searchsorted(self.positions, self.a_row[own])
        lam = 2 * n + h + np.arange(self.s)
        places = [(each, each), (each, n + each), (self.a_column[own], mu), (mu, self.a_column[own])]
        places += [(2 * n + np.arange(h), 2 * n + np.arange(h))]
        for name, rows in (("F", n + each), ("w", lam)):
            for by, columns in (("q", each), ("v", n + each), ("a", n + each)):
                i, j = patterns[f"{name}_{by}"].T
                places.append((rows[i], columns[j]))
            places.append((n + self.a_column, lam[self.a_row]) if name == "F" else (lam, lam))
        return np.concatenate([i for i, _ in places]), np.concatenate([j for _, j in places])

    def _sizes(self, parts: dict[str, Array]) -> Array:
        """Return about the diagonal of A M⁻¹Aᵀ."""
        i, j = self.patterns["F_a"].T
        inertia = np.bincount(i[i == j], parts["F_a"][i == j], self.n)
        mobility = np.divide(1.0, inertia, out=np.zeros(self.n), where=inertia > 0)
        sizes = np.bincount(self.a_row, parts["A"] ** 2 * mobility[self.a_column], self.s)
        return np.where(sizes > 0, sizes, 1.0)


def _independent(A: Array) -> Array:
    """Return rows that span those of A."""
    if 0 in A.shape:
        return np.zeros(0, dtype=int)
    lengths = np.linalg.norm(A, axis=1, keepdims=True)
    rows = A / np.where(lengths > 0, lengths, 1.0)
    _, R, order = qr(rows.T, mode="economic", pivoting=True)  # pyright: ignore[reportAssignmentType]
    size = np.abs(np.diag(R))
    return order[: int(np.sum(size > _DEPENDENT * size[0]))]


EQUATIONS: dict[str, type[Equations]] = {"minimal": Minimal, "multipliers": Multipliers}
