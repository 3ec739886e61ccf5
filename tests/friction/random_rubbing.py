"""Random systems with friction, and an oracle that knows nothing of the package: dense matrices, and linear programming.

T = Σ mᵢ vᵢ²/2 + Σ c cos(qᵢ − qⱼ) vᵢ vⱼ, V = Σ kᵢ qᵢ²/2 + g·q, constraints Σ αⱼ qⱼ + βⱼ sin qⱼ = const, sliding velocities
s·v − w. A mode says of each friction whether it sticks or to which side it slides, and of each constraint the sign of its
multiplier. With it M q̈ = f + Aᵀλ + Sᵀτ, A q̈ = c and |τ| ≤ μ_s |λ| are linear, and whether they hold together is a linear
program, also where those that stick share a load.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.optimize import linprog

from dalembert import System
from dalembert.arrays import Array

RESTS, SLACK = 1e-9, 1e-7


@dataclass
class Rubbing:
    """A random system by its numbers."""

    masses: Array
    couplings: dict[tuple[int, int], float]
    stiffness: Array
    weights: Array
    alpha: Array  # by constraint and coordinate
    beta: Array
    slopes: Array  # by friction and coordinate
    belts: Array
    loads: list[float | int]  # a number, or the index of the constraint that presses
    mu: Array
    mu_s: Array
    viscous: Array
    q: Array
    v: Array

    @classmethod
    def drawn(cls, random: np.random.Generator) -> Rubbing:
        n, frictions = int(random.integers(2, 5)), int(random.integers(1, 4))
        m = int(random.integers(0, n))
        m = min(m, 2)
        pairs = [(i, j) for i in range(n) for j in range(i)]
        couplings = {pair: float(random.uniform(-0.3, 0.3)) for pair in pairs if random.random() < 0.5}
        alpha, beta = random.normal(size=(m, n)), random.normal(size=(m, n)) * 0.3
        slopes = random.normal(size=(frictions, n)) * (random.random((frictions, n)) < 0.7)
        slopes[~slopes.any(axis=1), 0] = 1.0
        loads = [
            int(random.integers(m)) if m and random.random() < 0.8 else float(random.uniform(0.5, 3)) for _ in slopes
        ]
        mu = random.uniform(0.1, 0.6, frictions)
        q = random.normal(size=n) * 0.5
        v = random.normal(size=n) * (random.random() < 0.6)
        if m:
            A = alpha + beta * np.cos(q)
            v = v - np.linalg.pinv(A) @ (A @ v)
        belts = np.where(random.random(frictions) < 0.3, random.normal(size=frictions), 0.0)
        more = np.where(random.random(frictions) < 0.5, random.uniform(1, 1.5, frictions), 1.0)
        viscous = np.where(random.random(frictions) < 0.3, random.uniform(0, 0.5, frictions), 0.0)
        return cls(
            random.uniform(0.8, 2, n), couplings, random.uniform(0, 3, n), random.normal(size=n) * 3, alpha, beta,
            slopes, belts, loads, mu, mu * more, viscous, q, v,
        )  # fmt: skip

    def system(self) -> System:
        """Return it as a model, in text."""
        n = len(self.masses)
        names = [f"q{i}" for i in range(n)]
        kinetic = [f"{m!r}*{x}'^2/2" for m, x in zip(self.masses.tolist(), names, strict=True)]
        kinetic += [f"{c!r}*cos(q{i} - q{j})*q{i}'*q{j}'" for (i, j), c in self.couplings.items()]
        potential = [f"{k!r}*{x}^2/2 + {g!r}*{x}" for k, g, x in zip(self.stiffness.tolist(), self.weights.tolist(), names, strict=True)]  # fmt: skip
        constraints = {}
        for i, (a, b) in enumerate(zip(self.alpha, self.beta, strict=True)):
            parts = [f"{float(a[j])!r}*q{j} + {float(b[j])!r}*sin(q{j})" for j in range(n)]
            constraints[f"c{i}"] = f"{' + '.join(parts)} = {float(a @ self.q + b @ np.sin(self.q))!r}"
        friction = {}
        for i, load in enumerate(self.loads):
            where = {"normal": load} if isinstance(load, float) else {"constraint": f"c{load}"}
            slip = " + ".join(f"{float(s)!r}*q{j}'" for j, s in enumerate(self.slopes[i]) if s)
            friction[f"f{i}"] = {
                **where, "slip": f"{slip} - {float(self.belts[i])!r}", "coefficient": float(self.mu[i]),
                "static": float(self.mu_s[i]), "viscous": float(self.viscous[i]),
            }  # fmt: skip
        initial = dict(zip(names, self.q.tolist(), strict=True))
        initial |= {f"{name}'": float(x) for name, x in zip(names, self.v, strict=True)}
        fixed = {} if len(self.alpha) else {"initial": initial}
        guess = {"guess": initial} if len(self.alpha) else {}
        return System(" ".join(names), kinetic=" + ".join(kinetic), potential=" + ".join(potential),
                      constraints=constraints, friction=friction, **fixed, **guess)  # fmt: skip

    # --- the equations by hand -----------------------------------------------------------------------------------------

    def kinetic(self, q: Array, v: Array):
        total = (self.masses * v * v).sum() / 2
        return total + sum(c * np.cos(q[i] - q[j]) * v[i] * v[j] for (i, j), c in self.couplings.items())

    def matrices(self, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
        """Return M, f, A, c by complex steps of the kinetic energy, exact to rounding."""
        n, unit, h = len(q), np.eye(len(q)), 1e-30
        momentum = [lambda q, v, e=e: (self.kinetic(q, v + e) - self.kinetic(q, v - e)) / 2 for e in unit]
        M = np.array([[p(q, e) for e in unit] for p in momentum])
        along = np.array([np.imag(p(q + 1j * h * v, v)) / h for p in momentum])
        slope = np.array([np.imag(self.kinetic(q + 1j * h * e, v)) / h for e in unit])
        f = slope - along - self.stiffness * q - self.weights
        A = self.alpha + self.beta * np.cos(q) if len(self.alpha) else np.zeros((0, n))
        return M, f, A, (self.beta * np.sin(q)) @ (v * v) if len(self.alpha) else np.zeros(0)

    def slips(self, v: Array) -> Array:
        return self.slopes @ v - self.belts

    def modes(self, q: Array, v: Array) -> dict[tuple[str, ...], Array]:
        """Return the modes that hold at a state, with their accelerations."""
        M, f, A, c = self.matrices(q, v)
        n, m, k = len(q), len(A), len(self.loads)
        slips = self.slips(v)
        options = [("stick", "up", "down") if abs(x) < RESTS else (("up",) if x > 0 else ("down",)) for x in slips]
        found: dict[tuple[str, ...], Array] = {}
        for mode in product(*options):
            for signs in product((1.0, -1.0), repeat=m):
                a = self._holds(mode, np.array(signs), M, f, A, c, slips, (n, m, k))
                if a is not None and not (mode in found and np.allclose(found[mode], a, rtol=1e-6, atol=1e-8)):
                    found[mode if mode not in found else (*mode, f"again {signs}")] = a
        return found

    def _holds(self, mode, signs, M, f, A, c, slips, sizes) -> Array | None:
        n, m, k = sizes
        load = np.zeros((k, m))
        fixed = np.array([x if isinstance(x, float) else 0.0 for x in self.loads])
        for i, x in enumerate(self.loads):
            if not isinstance(x, float):
                load[i, x] = signs[x]
        # unknown a, λ, τ
        equal = np.zeros((n + m, n + m + k))
        equal[:n, :n], equal[:n, n : n + m], equal[:n, n + m :] = M, -A.T, -self.slopes.T
        equal[n:, :n] = A
        right = np.concatenate([f - self.slopes.T @ (self.viscous * slips), c])
        rows, values, less, most = [], [], [], []
        for i, what in enumerate(mode):
            row = np.zeros(n + m + k)
            if what == "stick":
                row[:n] = self.slopes[i]
                rows.append(row)
                values.append(0.0)
                for sign in (1.0, -1.0):
                    bound = np.zeros(n + m + k)
                    bound[n + m + i], bound[n : n + m] = sign, -self.mu_s[i] * load[i]
                    less.append(bound)
                    most.append(self.mu_s[i] * fixed[i] + SLACK)
            else:
                sign = 1.0 if what == "up" else -1.0
                row[n + m + i], row[n : n + m] = 1.0, sign * self.mu[i] * load[i]
                rows.append(row)
                values.append(-sign * self.mu[i] * fixed[i])
                if abs(slips[i]) < RESTS:
                    bound = np.zeros(n + m + k)
                    bound[:n] = -sign * self.slopes[i]
                    less.append(bound)
                    most.append(SLACK)
        for j in range(m):
            bound = np.zeros(n + m + k)
            bound[n + j] = -signs[j]
            less.append(bound)
            most.append(SLACK)
        best = linprog(
            np.zeros(n + m + k),
            A_ub=np.array(less) if less else None,
            b_ub=np.array(most) if less else None,
            A_eq=np.vstack([equal, *rows]),
            b_eq=np.concatenate([right, values]),
            bounds=[(None, None)] * (n + m + k),
        )
        return best.x[:n] if best.status == 0 else None
