"""Many admissible states at random, all at once, with the accelerations that the equations give there.

What holds at all of them holds along every motion: so it must not depend on where they lie. Functions that may be flat
where no state is, such as a stop that is not touched, a table or exp(−1000 x²), therefore have *any* value here: each
of them is a symbol with a random value at each state, the same wherever it stands; so are functions and controls that a
model leaves open. Only powers, sines and cosines are taken as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import symengine as se

from dalembert.arrays import Array
from dalembert.blocks.numeric import pilot_numeric_of, pilot_parameters
from dalembert.language.building import Expr
from dalembert.language.program import Program
from dalembert.language.walk import fold, rebuild
from dalembert.survey.configurations import beginning, places_of

if TYPE_CHECKING:
    from dalembert.model.system import System

_BATCHES = 6  # in which they are drawn, each nearer to what is known to be admissible
_TURNS = 16  # of Newton's method
_CLOSE = 1e-5  # of a state: a step after which the matrix of Newton's method is kept
_NEAR = 1e-12  # of the coordinates, that constraints may be off
_RANK = 1e-10  # part of the largest singular value, below which rows repeat each other
_CLEAR = 1e-5  # part of it that the others have at least: next to a singular position rounding is too large
_REACH = (0.3, 1.0, 2.0)  # how far they lie from the places of the pilot, by size
_LEAST = 1e-3  # part of the largest that all are measured by at least
_TAKEN = (se.sin, se.cos, se.tan)
_ROUNDED, _STUCK = 1e-15, 1e-9  # parts of a state: a step that is rounding, and one that is if it becomes no smaller
_ROUNDED_C = 1e-14  # of A and the squares of velocities: what of c is rounding
Some = Array | slice  # states, by their places
ALL = slice(None)


class SampledStates:
    """States of a system as arrays, one row for each state; `values` are those of the parameters.

    a: accelerations. push, pace: how large accelerations and velocities are, to tell rounding by: at least a part of
    what they would have of the largest, by the roots of the masses.
    """

    def __init__(self, system: System, count: int, values: dict[str, float] | None = None, seed: int = 5):
        self.system, self.numeric = system, pilot_numeric_of(system)
        self.values = pilot_parameters(system) if values is None else values
        self._random = np.random.default_rng(seed)
        self._programs: dict[tuple[Expr, ...], Program] = {}
        self._opaque: dict[Expr, Expr] = {}
        self._drawn: dict[Expr, Array] = {}
        found = []
        missing = count
        for batch in range(_BATCHES):
            self.t, self.q, self.v = self._drawn_states(missing, 0.5**batch)
            self._keep(self._satisfied())
            found.append((self.t, self.q, self.v))
            missing -= len(self.t)
            if missing <= 0:
                break
        self.t, self.q, self.v = (np.concatenate(parts) for parts in zip(*found, strict=True))
        self.a, units, trusted = self._solved()
        self._keep(trusted)
        self.a, units = self.a[trusted], units[trusted]
        self.push, self.pace = (np.maximum(np.abs(x), _LEAST * _shared(x, units)) for x in (self.a, self.v))
        self._drawn = {symbol: values[trusted] for symbol, values in self._drawn.items()}

    def __len__(self) -> int:
        return len(self.t)

    def _keep(self, good: Array) -> None:
        self.t, self.q, self.v = self.t[good], self.q[good], self.v[good]

    # --- where they lie ----------------------------------------------------------------------------------------------

    def _drawn_states(self, count: int, part: float) -> tuple[Array, Array, Array]:
        random, places = self._random, [beginning(self.system), *places_of(self.system)]
        chosen = [places[k % len(places)] for k in range(count)]
        t, q = np.array([place.t for place in chosen]), np.array([place.q for place in chosen])
        speed = max(1.0, *(float(np.abs(place.v).max(initial=0.0)) for place in places))
        size = np.maximum(np.abs(q), np.where(self.numeric.units > 0, self.numeric.units, 1.0))
        reach = part * random.choice(_REACH, size=(count, 1)) * size
        v = random.normal(size=q.shape) * speed * random.choice(_REACH, size=(count, 1))
        return t + random.uniform(0.0, 3.0, size=count), q + reach * random.normal(size=q.shape), v

    def _evaluate(self, expressions: Sequence[Expr], some: Some = ALL) -> Array:
        """Return expressions as they are, by row of expression and column of state."""
        n, t = self.numeric.n, self.t[some]
        inputs = np.zeros((1 + 2 * n + len(self.values), len(t)))
        inputs[0], inputs[1 : 1 + n], inputs[1 + n : 1 + 2 * n] = t, self.q[some].T, self.v[some].T
        inputs[1 + 2 * n :] = self._parameters
        key = tuple(expressions)
        if key not in self._programs:
            self._programs[key] = self.numeric.program(key)
        return self._programs[key].arrays(list(inputs))

    @cached_property
    def _parameters(self) -> Array:
        """The values of the parameters, one row for each."""
        return np.array(list(self.values.values()), dtype=float)[:, None]

    def _satisfied(self) -> Array:
        """Move positions and velocities onto the constraints; tell which are there."""
        b, good = self.system.blocks, np.ones(len(self.t), dtype=bool)
        for residuals, x in ((b.g, self.q), (b.psi, self.v)):
            rows = [i for i, residual in enumerate(residuals) if residual is not None]
            if not rows:
                continue
            wanted = [residuals[i] for i in rows]
            inverse, stale = np.zeros((len(self.t), self.numeric.n, len(rows))), np.ones(len(self.t), dtype=bool)
            linear = x is self.v and not any(
                entry.free_symbols & set(b.v) for (i, _), entry in b.A.items() if i in rows
            )
            left, before = np.arange(len(self.t)), np.full(len(self.t), np.inf)
            for _ in range(_TURNS):
                off, new = self._evaluate(wanted, left), left[stale[left]]
                with np.errstate(all="ignore"):
                    if new.size:
                        inverse[new] = np.linalg.pinv(np.nan_to_num(self._matrix(rows, new)), rcond=_RANK)
                    step = inverse[left] @ np.nan_to_num(off.T)[:, :, None]
                x[left] -= step[:, :, 0]
                moved, whole = np.abs(step).max(axis=(1, 2)), np.abs(x[left]).max(axis=1)
                stale[left] = (moved > _CLOSE * whole) & (not linear)
                there = (moved <= _ROUNDED * whole) | ((moved <= _STUCK * whole) & (moved > 0.5 * before))
                left, before = left[~there], moved[~there]
                if not left.size:
                    break
            largest = np.abs(x).max(axis=1, initial=0.0)[:, None]
            size = np.abs(self._matrix(rows)) @ (np.abs(x) + 1e-3 * largest)[:, :, None]
            good &= np.all(np.abs(self._evaluate(wanted).T) <= _NEAR * size[:, :, 0], axis=1)
        return good

    def _matrix(self, rows: Sequence[int], some: Some = ALL) -> Array:
        """Return rows of A, by state."""
        b, place = self.system.blocks, {row: k for k, row in enumerate(rows)}
        entries = [(place[i], j, entry) for (i, j), entry in b.A.items() if i in place]
        A = np.zeros((len(self.t[some]), len(rows), self.numeric.n))
        for (i, j, _), values in zip(entries, self._evaluate([entry for _, _, entry in entries], some), strict=True):
            A[:, i, j] = values
        return A

    @property
    def rank(self) -> int:
        """The number of independent constraints, the most that there are at a state."""
        rows = range(len(self.system.constraints))
        return int(np.linalg.matrix_rank(self._matrix(rows), tol=None).max(initial=0)) if rows else 0

    # --- what happens there ------------------------------------------------------------------------------------------

    def _solved(self) -> tuple[Array, Array, Array]:
        """Return accelerations, the units of coordinates by the roots of masses, and which states to trust."""
        b, n, s = self.system.blocks, self.numeric.n, len(self.system.constraints)
        M, A = np.zeros((len(self.t), n, n)), self._matrix(range(s))
        for (i, j), values in zip(b.M, self.at(list(b.M.values())), strict=True):
            M[:, i, j] = values
        f, c = self.at(list(b.f)).T, self._rounded(A, self._evaluate(list(b.c)).T) if s else np.zeros((len(self.t), 0))
        diagonal = np.einsum("kii->ki", M)
        least = 1e-6 * np.abs(diagonal).max(axis=1, initial=0.0)[:, None]
        units = 1.0 / np.sqrt(np.where(np.abs(diagonal) > least, np.abs(diagonal), 1.0))
        A = A * units[:, None, :]
        lengths = np.linalg.norm(A, axis=2)
        lengths = np.where(lengths > 0, lengths, 1.0)
        A, c = A / lengths[:, :, None], c / lengths
        K = np.zeros((len(self.t), n + s, n + s))
        K[:, :n, :n] = M * units[:, None, :] * units[:, :, None]
        K[:, :n, n:], K[:, n:, :n] = -A.transpose(0, 2, 1), A
        right = np.hstack([f * units, c])
        finite = np.all(np.isfinite(K), axis=(1, 2)) & np.all(np.isfinite(right), axis=1)
        U, sizes, V = np.linalg.svd(np.where(finite[:, None, None], K, 0.0))
        kept = sizes > _RANK * sizes[:, :1]
        clear = np.all(~kept | (sizes > _CLEAR * sizes[:, :1]), axis=1)
        inverse = np.where(kept, 1.0 / np.where(kept, sizes, 1.0), 0.0)

        def solved(rest: Array) -> Array:
            return np.einsum("kji,kj->ki", V, inverse * np.einsum("kij,ki->kj", U, rest))

        right = np.where(finite[:, None], right, 0.0)
        x = solved(right)
        for _ in range(2):  # refined: what is told from rounding below must be no rounding of this
            x = x + solved(right - np.einsum("kij,kj->ki", K, x))
        met = np.abs(right - np.einsum("kij,kj->ki", np.nan_to_num(K), x)).max(axis=1, initial=0.0)
        whole = np.abs(right).max(axis=1, initial=0.0) + np.abs(x).max(axis=1, initial=0.0)
        trusted = finite & clear & (met <= 1e-11 * whole)
        return x[:, :n] * units, units, trusted

    def _rounded(self, A: Array, c: Array) -> Array:
        """Return c with zeros where it is the rounding of A and v: where nothing acts, nothing is to accelerate."""
        units = np.maximum(np.abs(self.q), np.where(self.numeric.units > 0, self.numeric.units, 1.0))
        pace = np.abs(self.v / units).max(axis=1, initial=0.0)[:, None]
        return np.where(np.abs(c) <= _ROUNDED_C * (np.abs(A) @ units[:, :, None])[:, :, 0] * pace**2, 0.0, c)

    def at(self, expressions: Sequence[Expr], free: bool = False) -> Array:
        """Return expressions of t, q and v at the states, those that may be flat somewhere with any value.

        free: with velocities that constraints do not know.
        """
        changed = [self.opaque(expr) for expr in expressions]
        b, symbols = self.system.blocks, list(self._opaque.values())
        for symbol in symbols:
            if symbol not in self._drawn:
                self._drawn[symbol] = self._random.normal(size=len(self.t)) * self._random.choice(_REACH, len(self.t))
        v = np.random.default_rng(4).normal(size=self.v.shape) if free else self.v
        parameters = np.broadcast_to(self._parameters, (len(self.values), len(self.t)))
        inputs = [self.t, *self.q.T, *v.T, *parameters, *(self._drawn[symbol] for symbol in symbols)]
        program = Program([b.t, *b.q, *b.v, *b.parameters, *symbols], changed)
        return program.arrays(inputs) if changed else np.zeros((0, len(self.t)))

    @cached_property
    def _open(self) -> frozenset[str]:
        """The names of controls without a law."""
        controls = self.system.sections.get("controls", {})
        return frozenset(name for name, control in controls.items() if "law" not in control)

    def opaque(self, expr: Expr) -> Expr:
        """Return an expression with symbols for what may have any value."""
        constant = self.system.parameters.keys() - self._open

        def combine(node: Expr, parts: list) -> Expr:
            node = rebuild(node, parts)
            if node.is_Symbol:
                return self._symbol(node) if node.name in self._open else node
            plain = node.is_Number or node.is_Add or node.is_Mul or isinstance(node, _TAKEN) or not node.args
            if plain or (node.is_Pow and node.args[1].is_Number):
                return node
            return node if all(symbol.name in constant for symbol in node.free_symbols) else self._symbol(node)

        return fold(expr, combine)

    @staticmethod
    def small(x: Array, size: Array) -> Array:
        """Tell of velocities or accelerations, by coordinate, which are rounding at all states."""
        return np.all(np.abs(x) <= _STUCK * size, axis=0)

    def _symbol(self, node: Expr) -> Expr:
        if node not in self._opaque:
            self._opaque[node] = se.Symbol(f"#any{len(self._opaque)}")
        return self._opaque[node]


def _shared(x: Array, units: Array) -> Array:
    """Return what each would have of the largest, in its unit."""
    return (np.abs(x) / units).max(axis=1, initial=0.0)[:, None] * units
