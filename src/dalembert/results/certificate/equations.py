"""Whether a motion satisfies the equations as they are written: constraints, accelerations, reactions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.rank import RANK
from dalembert.algebra.saddle import Saddle
from dalembert.arrays import Array, Sparse
from dalembert.blocks.law_numbers import acting, with_law
from dalembert.blocks.numeric import Numeric, Values
from dalembert.model.modes import mode_inputs
from dalembert.results.certificate.dry_friction import undirected
from dalembert.results.certificate.items import Item
from dalembert.results.certificate.scales import Scales, points

if TYPE_CHECKING:
    from dalembert.native.values import Result
    from dalembert.results.run import Run

TEXT = "accelerations and reactions in M q̈ = f + r and A q̈ = c"
FORMS = "accelerations against those of the minimal form"
NEARLY = 1e-5  # conditioning below which a position is next to a singular one
_HARDLY, _ALWAYS = 1e-9, 0.1  # the least conditioning that is none of a singular position; part of the largest
LOOSE = 1e-3  # of its size that a constraint may be off where it is not projected
_NOTHING = 1e-60  # as the far end of a pulse, exp(−12²): no length, speed or force of anything
_SMALL = 1e-3  # part of the largest force that every force is measured by at least
_PLACES = 9  # at which forces and other solutions are compared
_ROUNDING = 2e-15  # of the largest coordinate: what a constraint may be off by rounding alone
_LAST_DIGITS = 1e-14  # of the terms of a condition, which may be rounding
_SIZED = 20  # at which the sizes of constraints are looked at
_DENSE = 80  # coordinates and constraints, up to which plain arrays are faster than sparse ones
Matrix = Array | Sparse


@dataclass(frozen=True)
class Place:
    """A state on the way: the blocks there, and what the kernel says.

    values: with f + ρ in place of f, where forces depend on multipliers: on those that the kernel says. other: on those
    that are found by other means.
    """

    t: float
    q: Array
    v: Array
    values: Values
    other: Values
    acceleration: Array
    reaction: Array
    shared: tuple[Array, Array, Array]  # acceleration, reaction and multipliers by the solver that all forms share
    regular: bool  # not next to a position where reactions are not determinate
    free: bool  # whether something can move

    @cached_property
    def matrices(self) -> tuple[Matrix, Matrix, Matrix, Matrix]:
        """M, A, |M| and |A|; as plain arrays where they are small, which is faster."""
        M, A = self.values.M, self.values.A
        if sum(A.shape) <= _DENSE:
            M, A = M.toarray(), A.toarray()
        return M, A, abs(M), abs(A)

    @property
    def solutions(self) -> tuple[tuple[Array, Array], ...]:
        """q̈ and r by the kernel of the form, by the shared one, and from its multipliers."""
        a, r, multipliers = self.shared
        found = (self.acceleration, self.reaction), (a, r)
        return (*found, (a, self.matrices[1].T @ multipliers)) if self.regular else found


def places(run: Run) -> list[Place]:
    """Look at a few states on the way, with the kernel of the form."""
    motion, n = run.motion, run.motion.kernels.n
    times, q, v, values = points(run)
    values = np.broadcast_to(values, (len(q), values.shape[-1]))
    judged = np.flatnonzero(~undirected(run))
    judged = judged if judged.size else np.arange(len(q))
    chosen = np.unique(judged[np.linspace(0, len(judged) - 1, _PLACES).astype(int)])
    found: Any = motion.kernels(times[chosen], q[chosen], motion.states[chosen, n:], values[chosen])  # v, or p
    core = motion.kernels.accelerations(times[chosen], q[chosen], v[chosen], values[chosen])
    ranks, nearby = np.asarray(core.rank), singular(run, core, values[chosen])
    acceleration = core.acceleration if run.motion.kernels.conversion else found.acceleration
    result = []
    for k, i in enumerate(chosen):
        numeric, here = numeric_at(run, values[i]), (float(times[i]), q[i], v[i])
        blocks = with_law(numeric, numeric.all(*here), *here, np.asarray(core.multipliers)[k])
        result.append(
            Place(
                *here, blocks, acting(numeric, *here),
                acceleration[k], found.reaction[k],
                (core.acceleration[k], core.reaction[k], np.asarray(core.multipliers)[k]),
                not nearby[k], bool(ranks[k] < n),
            )
        )  # fmt: skip
    return result


def numeric_at(run: Run, values: Array) -> Numeric:
    """Return the blocks as formulas for some values of the parameters; the motion has those of its start."""
    if np.array_equal(values, run.motion.parameters):
        return run.motion.ready.numeric
    known = run.motion.memory.setdefault("blocks", {})
    key = values.tobytes()
    if key not in known:
        known[key] = Numeric(run.system, dict(zip(run.system.parameters, values, strict=True)))
    return known[key]


def singular(run: Run, found: Result, values: Array) -> Array:
    """Tell which states are next to a position where constraints repeat each other that elsewhere do not.

    What is badly conditioned all the time is next to none, as long as digits are left. Next to one, the rank of
    constraints that repeat each other anyway may be counted too large as well. Which conditions hold, and so the rank,
    may depend on the modes, which are among the values of parameters, and on parameters in constraints that change.
    """
    rank, conditioning = np.asarray(found.rank), np.asarray(found.conditioning)
    whole = len(run.system.constraints)
    nearly = min(NEARLY, max(_HARDLY, _ALWAYS * conditioning.max(initial=0.0)))
    usual = np.zeros(rank.shape)
    for same in _modes(run, np.broadcast_to(values, (*rank.shape, values.shape[-1]))):
        usual[same] = np.median(rank[same])
    return (rank != usual) | ((rank == whole) & (conditioning < nearly) & (whole > 0))


def _where_held(run: Run, values: Array) -> Iterator[Array]:
    """Return steps at which conditions that come and go hold, some for each."""
    first = 1 + 2 * len(run.system.coordinates)
    for place, _ in mode_inputs(run.system):
        held = np.flatnonzero(values[:, place - first])
        yield held[np.linspace(0, len(held) - 1, min(len(held), _SIZED)).astype(int)]


def _modes(run: Run, values: Array) -> Iterator[Array]:
    """Return which states have the same conditions, mode by mode, and by what they are made of."""
    first, modes = 1 + 2 * len(run.system.coordinates), [place for place, _ in mode_inputs(run.system)]
    used = {symbol.name for constraint in run.system.constraints for symbol in constraint.expression.free_symbols}
    makes = [k for k, name in enumerate(run.system.parameters) if name in used and k + first not in modes]
    if not (modes or (makes and run.motion.changes)):
        return iter([np.ones(values.shape[:-1], dtype=bool)])
    holds = values[..., [place - first for place in modes]] != 0.0
    rows = np.concatenate([holds, values[..., makes]], axis=-1)
    kinds = np.unique(rows.reshape(-1, rows.shape[-1]), axis=0)
    return (np.all(rows == kind, axis=-1) for kind in kinds)


def scales(run: Run, at: list[Place]) -> Scales:
    """Return the sizes of a motion."""
    return Scales(
        run,
        np.max([np.abs(place.values.M.diagonal()) for place in at], axis=0),
        np.max([np.abs(place.values.f) for place in at], axis=0),
        np.max([np.abs(place.acceleration) for place in at], axis=0),
    )


def residuals(run: Run, sizes: Scales, looked: list[Place]) -> list[Item]:
    """Measure the constraints at every step, each in the size of its own terms; programmes once more by themselves."""
    if not run.system.constraints:
        return []
    t, q, v, values = points(run)
    g, psi = run.motion.kernels.residuals(t, q, v, values)
    values = np.broadcast_to(values, (len(q), values.shape[-1]))
    chosen = np.unique(np.concatenate([np.linspace(0, len(q) - 1, _SIZED).astype(int), *_where_held(run, values)]))
    limit = LOOSE if run.keep in ("none", "stabilise") else min(max(1e-10, 100 * run.rtol), LOOSE)
    items, numeric = [], run.motion.ready.numeric
    steered = [i for i, constraint in enumerate(run.system.constraints) if constraint.steered]
    held = [_asked(place, [i for i in steered if i not in numeric.kinematic]) for place in looked]
    for name, rows, found in (("position", numeric.holonomic, g), ("velocity", numeric.kinematic, psi)):
        if not rows:
            continue
        # written: as native code could be wrong; bare: without what stands beside the coordinates, as terms of a path
        size, bare, written, rounded = np.zeros((4, len(rows)))
        moves = sizes.positions if name == "position" else sizes.velocities
        largest = np.abs(found[:, rows])
        for some in (chosen, None):
            if some is None:  # rows that were off where they were looked at, as what sticks only for a while
                some = np.unique(largest.argmax(axis=0)[(size == 0.0) & (largest.max(axis=0) > 0.0)])
            for i in some:
                numbers = numeric_at(run, values[i])
                at, reach = float(t[i]), np.abs(q[i] if name == "position" else v[i]).max(initial=0.0)
                off, J, terms = numbers.position(at, q[i]) if name == "position" else numbers.velocity(at, q[i], v[i])
                J.data = np.abs(J.data)
                here = np.abs(q[i] if name == "position" else v[i])
                moved, lengths, own = (J @ np.column_stack([moves, np.ones(len(moves)), here])).T
                bare = np.maximum(bare, np.maximum(moved, own))
                size = np.maximum(size, np.maximum(terms, moved))
                written = np.maximum(written, np.abs(off))
                rounded = np.maximum(rounded, _ROUNDING * reach * lengths)
        worst = np.maximum(largest.max(axis=0, initial=0.0), written)
        worst = np.where(worst <= rounded, 0.0, worst)
        words = f"constraints on {'positions' if name == 'position' else 'velocities'}, in the size of their terms"
        items.append(Item(name, _ratio(worst, size), limit, words))
        own = [k for k, i in enumerate(rows) if i in steered]
        led = np.maximum(np.where(bare > 0, bare, size), _LAST_DIGITS / limit * size)  # beside terms there is rounding
        held.append(_ratio(worst[own], led[own]))
    if steered:
        items.append(Item("programmes", max(held), limit, "programmes held, in the size of what they lead"))
    return items


def _asked(place: Place, rows: list[int]) -> float:
    """Return how far accelerations are from what some rows ask for, in the size of their terms."""
    _, A, _, A_abs = place.matrices
    a, c = place.acceleration, place.values.c[rows]
    return _ratio(np.abs(A[rows] @ a - c), np.abs(c) + A_abs[rows] @ np.abs(a))


def forces(run: Run, at: list[Place], sizes: Scales) -> list[Item]:
    """Put accelerations and reactions into the equations; compare with a solution by other means."""
    defect = max(_defect(place, sizes, *found) for place in at for found in place.solutions)
    regular = [place for place in at if place.regular]
    work = max((_virtual_work(place, sizes) for place in regular), default=None)
    difference = max((_difference(place, sizes) for place in regular), default=None)
    forms = [_between_forms(place, sizes) for place in regular if isinstance(place.matrices[0], np.ndarray)]
    return [
        Item("equations", defect, 1e-6, TEXT),
        Item("ideality", work, 1e-8, "virtual work of the reactions"),
        Item("agreement", difference, 1e-6, "reactions against a solution by singular values"),
        *([Item("forms", max(forms), 1e-6, FORMS)] if forms else []),
    ]


def _defect(place: Place, sizes: Scales, a: Array, r: Array) -> float:
    """Return how far q̈ and r are from satisfying the equations, in the size of their terms."""
    f, c = place.values.f, place.values.c
    M, A, M_abs, A_abs = place.matrices
    left = np.abs(M @ a - f - r)
    size = M_abs @ np.abs(a) + np.abs(f) + np.abs(r)
    units = _units(sizes)
    # as work on what the coordinates move; beside the largest, what is small is rounding
    largest = (size * units)[~sizes.is_state].max(initial=0.0)
    least = np.where(sizes.is_state, 0.0, _SMALL * largest / units)
    size = np.maximum(np.maximum(size, M_abs @ sizes.accelerations), least)
    worst = _ratio(left, np.maximum(size, sizes.without_forces))
    if A.shape[0] and place.regular:
        size = np.abs(c) + A_abs @ np.maximum(np.abs(a), sizes.accelerations)
        worst = max(worst, _ratio(np.abs(A @ a - c), size))
    return worst


def _virtual_work(place: Place, sizes: Scales) -> float:
    """Let the reactions do work on a displacement that the constraints allow, at random."""
    A, n = place.values.A, len(place.q)
    if not (place.free and A.shape[0]):
        return 0.0
    units = _units(sizes)
    scaled = A @ sp.diags_array(units)  # so that what is allowed is found to rounding of what each coordinate moves
    direction = Saddle(sp.eye_array(n), scaled).solve(np.random.default_rng(0).normal(size=n), np.zeros(A.shape[0]))[0]
    direction = units * direction
    force = np.where(sizes.is_state, 0.0, np.maximum(np.abs(place.reaction), np.abs(place.values.f)) * units)
    size = force.max(initial=0.0) * np.abs(direction / units).max(initial=0.0)
    return _ratio(np.array([abs(place.reaction @ direction)]), np.array([size]))


def _difference(place: Place, sizes: Scales) -> float:
    """Compare the reactions with others, as work on what the coordinates move: so neither depends on units."""
    values, units = place.other, _units(sizes)
    U = sp.diags_array(units)
    M, f = U @ values.M @ U, units * values.f
    # what is hidden in programmes may be badly conditioned for ever, and is independent
    smooth = not any(constraint.steered for constraint in sizes.run.system.constraints)
    expected = M @ Saddle(M, values.A @ U, smooth=smooth).solve(f, values.c)[0] - f
    parts = (expected, f, units * sizes.without_forces, units * sizes.mass * sizes.accelerations)
    scale = max(np.abs(part)[~sizes.is_state].max(initial=0.0) for part in parts)
    own = np.max(np.abs(parts), axis=0)  # of states, each of its own
    return _ratio(np.abs(units * place.reaction - expected), np.where(sizes.is_state, own, scale))


def _between_forms(place: Place, sizes: Scales) -> float:
    """Compare accelerations with those of the minimal form, Dᵀ(M q̈ − f) = 0 and A q̈ = c, D by singular values."""
    inertia = np.abs(np.diag(place.matrices[0]))
    units = 1.0 / np.sqrt(np.where(inertia > 0, inertia, inertia.max(initial=0.0) or 1.0))
    M, A = place.matrices[0] * units * units[:, None], place.matrices[1] * units
    lengths = np.linalg.norm(A, axis=1)
    lengths = np.where(lengths > 0, lengths, 1.0)
    U, found, V = np.linalg.svd(A / lengths[:, None])
    rank = int(np.sum(found > RANK * found.max(initial=0.0)))
    resting = V[:rank].T @ ((U.T @ (place.values.c / lengths))[:rank] / found[:rank])
    D = V[rank:].T
    along = np.linalg.lstsq(D.T @ M @ D, D.T @ (units * place.values.f - M @ resting), rcond=None)[0]
    other, own = resting + D @ along, place.acceleration / units
    moving = ~sizes.is_state
    scale = np.abs(np.concatenate([other[moving], (sizes.accelerations / units)[moving]])).max(initial=0.0)
    return _ratio(np.abs(own - other)[moving], np.full(int(moving.sum()), scale))


def _units(sizes: Scales) -> Array:
    return np.where(sizes.positions > 0, sizes.positions, 1.0)


def _ratio(values: Array, sizes: Array) -> float:
    """Return the largest part; what is zero beside nothing is none, nor is what floats can hardly hold."""
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = np.where(~(values <= _NOTHING), values / sizes, 0.0)
    return float(np.where(np.isnan(parts), np.inf, parts).max(initial=0.0))
