"""The oracle: M, f, A, c by jets, then q̈, r and λ by dense singular values. Nothing of the package is used here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.everyday.jets import Jet, gradient, hessian

RANK = 1e-9  # singular values below this, in the largest, are zero
DEFINITE = 1e-9  # the same for the mass matrix on the null space


@dataclass
class Frame:
    """What the description of a model sees at a state: jets of q, v and t, and numbers in place of accelerations."""

    names: tuple[str, ...]
    q: list[Jet]
    v: list[Jet]
    t: Jet
    a: list[float]
    parameters: Mapping[str, float]
    extra: dict[str, Any] = field(default_factory=dict)  # definitions

    @property
    def values(self) -> dict[str, Any]:
        """Everything by the name that it has in expressions."""
        z = dict(self.parameters) | {"t": self.t}
        for name, q, v, a in zip(self.names, self.q, self.v, self.a, strict=True):
            z |= {name: q, name + "'": v, name + "''": a}
        return z | self.extra

    @property
    def size(self) -> int:
        """The number of variables."""
        return 2 * len(self.names) + 1


@dataclass
class Parts:
    """What a model says at a state.

    kinetic, potential: jets, or M and f in their place as numbers. forces: generalized, numbers by coordinate.
    conditions: (owner, level, jet), the level "position", "velocity" or "acceleration".
    """

    kinetic: Any = 0.0
    potential: Any = 0.0
    matrices: tuple[np.ndarray, np.ndarray] | None = None
    forces: np.ndarray | float = 0.0
    conditions: list[tuple[str, str, Any]] = field(default_factory=list)


Describe = Callable[[Frame], Parts]


@dataclass
class Truth:
    """Accelerations and reactions at a state; `definite` if they are determined at all.

    residual: of the constraints at this state. owners: the reaction of each joint or constraint, where it is
    determinate; `components` says for each coordinate whether it is.
    """

    M: np.ndarray
    f: np.ndarray
    A: np.ndarray
    c: np.ndarray
    residual: float
    rank: int
    definite: bool
    consistent: bool
    regular_mass: bool
    acceleration: np.ndarray
    reaction: np.ndarray
    owners: dict[str, np.ndarray]
    components: dict[str, np.ndarray]
    momentum: np.ndarray
    momentum_rate: np.ndarray


@dataclass
class Oracle:
    """A model for the second time. scale: a typical size of each coordinate, so that units do not matter."""

    names: tuple[str, ...]
    parameters: Mapping[str, float]
    describe: Describe
    scale: np.ndarray
    quaternions: tuple[int, ...] = ()  # where Euler parameters begin

    def turning(self, force: np.ndarray, q: Any) -> np.ndarray:
        """Return generalized forces without their part along Euler parameters, which only the length of these feels."""
        found = np.array(force, dtype=float)
        for k in self.quaternions:
            e = np.asarray(q[k : k + 4], dtype=float)
            found[k : k + 4] -= np.multiply.outer(e, e @ found[k : k + 4]) / (e @ e)
        return found

    def frame(self, t: float, q: Any, v: Any, a: Any = None) -> Frame:
        """Return the jets of a state."""
        n = len(self.names)
        z = Jet.variables([*q, *v, t])
        return Frame(self.names, z[:n], z[n : 2 * n], z[-1], [0.0] * n if a is None else list(a), self.parameters)

    def blocks(self, t: float, q: Any, v: Any) -> tuple[Any, ...]:
        """Return M, f, A, c, the residuals, the owner of each condition, p and ∂p/∂q v + ∂p/∂t."""
        n = len(self.names)
        frame = self.frame(t, q, v)
        v = np.asarray(v, dtype=float)
        parts = self.describe(frame)
        size = frame.size
        Q, V = slice(0, n), slice(n, 2 * n)
        along = np.concatenate([v, np.zeros(n), [1.0]])  # d/dt at fixed velocities
        if parts.matrices is not None:
            M, f = parts.matrices
            p = rest = np.zeros(n)
            f = f + parts.forces
        else:
            dT, ddT = gradient(parts.kinetic, size), hessian(parts.kinetic, size)
            M, p, rest = ddT[V, V], dT[V], ddT[V] @ along
            f = parts.forces + dT[Q] - gradient(parts.potential, size)[Q] - rest
        A, c, residuals = [], [], []
        for k, (_, level, g) in enumerate(parts.conditions):
            dg, ddg = gradient(g, size), hessian(g, size)
            if level == "position":
                A.append(dg[Q])
                c.append(-along @ ddg @ along)
                residuals += [float(g) / max(np.abs(dg[Q] * self.scale).max(), 1e-9), (dg @ along)]
            elif level == "velocity":
                A.append(dg[V])
                c.append(-dg @ along)
                residuals.append(float(g) / max(np.abs(dg[V] * self.scale).max(), 1e-9))
            else:
                pushed = [float(self.describe(self.frame(t, q, v, unit)).conditions[k][2]) for unit in np.eye(n)]
                A.append(np.array(pushed) - float(g))
                c.append(-float(g))
        rows = np.array(A) if A else np.zeros((0, n))
        owners = [owner for owner, _, _ in parts.conditions]
        return M, f, rows, np.array(c), residuals, owners, p, rest

    def __call__(self, t: float, q: Any, v: Any) -> Truth:
        """Solve the projected equations."""
        M, f, A, c, residuals, owners, p, rest = self.blocks(t, q, v)
        n, S = len(self.names), self.scale
        lengths = np.linalg.norm(A * S, axis=1)
        lengths[lengths == 0] = 1.0
        B, d = A * S / lengths[:, None], c / lengths
        U, sigma, Wt = np.linalg.svd(B)
        rank = int(np.sum(sigma > RANK * max(sigma, default=1.0)))
        N, left = Wt[rank:].T, U[:, rank:]
        Ms, fs = M * S * S[:, None], f * S
        particular = Wt[:rank].T @ ((U[:, :rank].T @ d) / sigma[:rank])
        consistent = bool(np.all(np.abs(B @ particular - d) <= 1e-7 * (1 + np.abs(d).max(initial=0))))
        K = N.T @ Ms @ N
        largest = np.abs(Ms).max(initial=0)
        definite = not K.size or (largest > 0 and np.linalg.eigvalsh(K)[0] > DEFINITE * np.linalg.norm(Ms, 2))
        a = particular
        if definite and K.size:
            a = a + N @ np.linalg.solve(K, N.T @ (fs - Ms @ particular))
        rs = Ms @ a - fs
        lam = np.linalg.lstsq(B.T, rs, rcond=RANK)[0] if len(B) else np.zeros(0)
        shares, known = {}, {}
        for owner in dict.fromkeys(owners):
            mine = [k for k, other in enumerate(owners) if other == owner]
            shares[owner] = self.turning((B[mine].T @ lam[mine]) / S, q)
            loose = self.turning(B[mine].T @ left[mine], q) if left.size else np.zeros((n, 1))
            known[owner] = np.abs(loose).max(axis=1, initial=0) < 1e-7
        regular = bool(np.linalg.cond(Ms) < 1e12) if n and largest else False
        acceleration = a * S
        return Truth(
            M, f, A, c, float(np.abs(residuals).max(initial=0)), rank, bool(definite), consistent, regular,
            acceleration, rs / S, shares, known, p, M @ acceleration + rest,
        )  # fmt: skip
