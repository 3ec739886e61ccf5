"""A mass matrix made positive definite by constraints: M + Σ ρᵢ AᵢᵀAᵢ, f + Σ ρᵢ Aᵢᵀcᵢ.

It can be done if M is positive definite on the null space of A. Where A q̈ = c it changes nothing, neither q̈ nor λ.
The rows are chosen at a few places: all that reach coordinates without inertia, so that there is no position in which
those chosen lose their grip, and those with the fewest entries that reach what else M leaves out (Euler parameters are
reached by their norm). ρᵢ follows the inertia in its row. What constraints hold, and has next to no inertia beside the
rest, is treated as if it had none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from dalembert.algebra.rank import is_positive
from dalembert.arrays import Array, Sparse
from dalembert.blocks.assembled import places_in_A
from dalembert.blocks.numeric import Values, pilot_numeric_of
from dalembert.errors import DerivationError, quoted
from dalembert.model.facts import START, STRUCTURE, fact
from dalembert.model.system import System
from dalembert.survey.initial_numbers import evaluated

_POSITIVE = 1e-11  # pivots of the scaled mass matrix above this are safe
_LIGHT = 1e-6  # part of the inertia around that counts as next to none
_ROUNDED = 1e-12  # entry of a row, in its largest one, that is rounding
PLACES = 6  # that are looked at, of those where everything has a value
_GROWTH = (1.0, 10.0, 100.0, 1e3, 1e4)  # of ρ where inertia is negative in a direction that constraints hold
_DISTANCES = (0.2, 0.02, 0.002)  # from the initial position


class Added(NamedTuple):
    """A row that is added to M: ρ is this factor of the inertia in its coordinates, or in all if they have none."""

    factor: float
    everywhere: bool


@fact(START)
def augmentation(system: System) -> dict[int, Added]:
    """Return the rows to be added to the mass matrix; none if it is positive definite."""
    if (written := getattr(system, "written", system)) is not system:  # what sticks may slide, and holds nothing then
        return augmentation(written)
    if _is_heavy(system):
        return {}
    found = _near(system)
    M, A = found[0].M, found[0].A
    light = _light(found)
    positive = all(is_positive(values.M, _POSITIVE) for values in found)
    while np.any(light):
        heavy = _without(M, light)
        added, sums = _added(heavy, A)
        if is_positive(sums, _POSITIVE):
            if is_positive(sp.csr_array(sums + M - heavy), _POSITIVE):
                return added
            break  # the inertia left out is not small but negative
        freely = _involved(_null_space(sums)) & light & (M.diagonal() > 0)  # the constraints let them move
        if not np.any(freely):
            break
        light &= ~freely
    if positive:
        return {}
    for growth in _GROWTH:
        added, sums = _added(M, A, growth)
        if is_positive(sums, _POSITIVE):
            return added
    raise DerivationError(_refusal(system, _added(M, A)[1]))


@fact(START)
def light_coordinates(system: System) -> list[int]:
    """Return the coordinates without inertia, or with next to none beside what constraints join to it."""
    if (written := getattr(system, "written", system)) is not system:
        return light_coordinates(written)
    found = _together(system)
    if found is None:
        return np.flatnonzero(_light(_near(system))).tolist()
    numeric, (M, A) = pilot_numeric_of(system), found
    places = numeric.programs.patterns[1].places
    return np.flatnonzero(_lightest(M.diagonal(axis1=1, axis2=2), A, *places, numeric.s)).tolist()


@fact(START)
def _together(system: System) -> tuple[Array, Array] | None:
    """Return M and the entries of A at some places, all at once; None of a system that is large or nowhere finite."""
    numeric = pilot_numeric_of(system)
    if not numeric.small:
        return None
    places, b, known = random_places(system), system.blocks, numeric.programs
    given = np.broadcast_to(numeric.parameters, (len(places), len(numeric.parameters)))
    rows = np.hstack([places, given])
    values = known.all.rows(rows[:PLACES])  # mostly the first ones will do
    if not np.isfinite(values).all():
        values = known.all.rows(rows)
        values = values[np.all(np.isfinite(values), axis=1)][:PLACES]
    M, _, A, _ = np.split(values, np.cumsum([len(b.M), numeric.n, len(b.A)]), axis=1)
    return (known.patterns[0].stacked(M), np.where(numeric.vanishing.A, 0.0, A)) if len(values) else None


def _is_heavy(system: System) -> bool:
    """Tell at once of a small system that it has inertia in all directions, and enough of it in each: the usual one."""
    found = _together(system)
    if found is None or light_coordinates(system):
        return False
    M = found[0]
    inertia = M.diagonal(axis1=1, axis2=2)
    scale = 1.0 / np.sqrt(inertia)
    try:
        factors = np.linalg.cholesky(M * scale[:, None, :] * scale[:, :, None])
    except np.linalg.LinAlgError:
        return False
    return bool(np.all(factors.diagonal(axis1=1, axis2=2) ** 2 > _POSITIVE))


def without_inertia(system: System) -> list[str]:
    """Return the coordinates along which there is no inertia, or next to none beside what constraints join to it."""
    found = _near(system)
    missing = _light(found) | _involved(_null_space(found[0].M))
    return [name for name, none in zip(system.coordinates, missing, strict=True) if none]


@fact(START)
def _near(system: System) -> list[Values]:
    """Return the values of the equations at some places around the initial position."""
    numeric = pilot_numeric_of(system)
    n = len(system.coordinates)
    places = (numeric.all(row[0], row[1 : 1 + n], row[1 + n :]) for row in random_places(system))
    found = list(islice((values for values in places if values.finite()), PLACES))
    if not found:
        reason = "(a division by zero, or a root of something negative?)"
        text = f"the equations have no finite value near the initial position {reason}"
        raise DerivationError(f"{text}: begin where they have one; `check` names them")
    return found


def held(places: Sequence[Values]) -> dict[int, int]:
    """Return the rows to be added to M with their ρ, as powers of ten; none if it is positive definite at all places.

    Raise ZeroDivisionError if it is not positive definite where the constraints let it move.
    """
    if all(is_positive(values.M, _POSITIVE) for values in places):
        return {}
    for growth in _GROWTH:
        rows = sorted({i for values in places for i in _rows(values.M, values.A)})
        powers = {i: round(min(np.log10(growth * _factor(values.M, values.A, i)) for values in places)) for i in rows}
        if all(is_positive(_sum(v.M, v.A, {i: 10.0**k for i, k in powers.items()}), _POSITIVE) for v in places):
            return powers
    raise ZeroDivisionError("there is motion without inertia")


def _added(M: Sparse, A: Sparse, growth: float = 1.0) -> tuple[dict[int, Added], Sparse]:
    """Choose rows to be added, with their factors; return the sum too."""
    inertia, rows = M.diagonal(), _rows(M, A)
    factors = {i: growth * _factor(M, A, i) for i in rows}
    sums = _sum(M, A, factors)
    own = {i: float(inertia[A[[i]].indices].sum()) for i in rows}
    return {i: Added(rho / _inertia(inertia, A, i), not own[i] > 0) for i, rho in factors.items()}, sums


def _sum(M: Sparse, A: Sparse, factors: Mapping[int, float]) -> Sparse:
    return sp.csr_array(M + sum((rho * _square(A, i) for i, rho in factors.items()), sp.csr_array(M.shape)))


def _light(places: Sequence[Values]) -> Array:
    """Tell which coordinates have so little inertia that the forces through them would be lost beside the others.

    Inertias are compared where a constraint connects them, by how much each gives way to its force: Aᵢⱼ²/Mⱼⱼ, in the
    geometric mean over some places, as an entry of A may vanish at one of them. Only forces of several
    constraints are lost.
    """
    inertia = np.array([values.M.diagonal() for values in places])
    A = np.array([values.A.data for values in places])  # the places of entries are always the same
    i, j = sp.coo_array(places[0].A).coords
    return _lightest(inertia, A, i, j, places[0].A.shape[0])


def _lightest(inertias: Array, A: Array, i: Array, j: Array, rows: int) -> Array:
    """Tell it from the diagonals of M and the entries of A at i and j, one row for each place."""
    inertia = np.mean(inertias, axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        sizes = np.mean(2 * np.log(np.abs(A)), axis=0)
        gives = sizes - np.log(inertia[j])
    largest, least = np.full(rows, -np.inf), np.full(rows, np.inf)
    np.maximum.at(largest, i, sizes)
    used = np.isfinite(gives) & (sizes > largest[i] + 2 * np.log(_ROUNDED))
    np.minimum.at(least, i[used], gives[used])
    light = ~(inertia > 0)
    several = np.bincount(j[np.isfinite(sizes)], minlength=len(inertia)) > 1  # what only one force acts on loses none
    light[j[used & several[j] & (gives + np.log(_LIGHT) > least[i])]] = True
    return light


def _without(M: Sparse, light: Array) -> Sparse:
    keep = sp.diags_array(np.where(light, 0.0, 1.0))
    return sp.csr_array(keep @ M @ keep)


@fact(START)
def random_places(system: System) -> Array:
    """Return rows of t, q, v around the initial position, on no constraint: a rank is the same nearly everywhere."""
    given = evaluated(pilot_numeric_of(system), {**system.guess, **system.initial})
    q = np.array([given.get(name, 0.0) for name in system.coordinates])
    q = np.where(np.isfinite(q), q, 0.0)
    places = scattered(system).copy()
    places[:, 1 : 1 + len(q)] = q + _extents(system, q) * places[:, 1 : 1 + len(q)]
    return places


def _extents(system: System, q: Array) -> Array:
    """Return how far coordinates go: in large units as far as those that share a constraint with them.

    A pendulum of 1000 mm that hangs straight down would be looked at nowhere but there else, where its constraint holds
    one of its coordinates alone. What turns shares constraints with lengths, but goes no farther in larger units.
    """
    rows, columns = places_in_A(system)
    farthest, extents = np.ones(len(system.constraints)), np.ones(len(q))
    np.maximum.at(farthest, rows, np.abs(q[columns]))
    np.maximum.at(extents, columns, farthest[rows])
    known = pilot_numeric_of(system).units
    return np.where(known > 0, np.minimum(extents, np.maximum(known, 1.0)), extents)


@fact(STRUCTURE)
def scattered(system: System) -> Array:
    """Return rows of t, q, v around zero."""
    random, n = np.random.default_rng(5), len(system.coordinates)
    rows = [(0.1 * k, distance, random.normal(size=2 * n)) for distance in _DISTANCES for k in range(PLACES)]
    return np.array([[t, *(distance * x[:n]), *x[n:]] for t, distance, x in rows])


def _rows(M: Sparse, A: Sparse) -> list[int]:
    """Choose all rows of A that touch what has no inertia, and rows independent on the rest of the null space of M.

    Of these the shorter ones come first.
    """
    empty = M.diagonal() == 0
    chosen = np.flatnonzero(abs(A) @ empty.astype(float)).tolist()
    missing = _null_space(M)
    missing = missing[:, np.flatnonzero(abs(missing).T @ (~empty).astype(float))]
    shadow = (A @ missing).toarray()
    basis = np.zeros((0, missing.shape[1]))
    lengths = np.diff(A.indptr)
    for i in np.argsort(lengths, kind="stable"):
        size = np.linalg.norm(shadow[i])
        if len(basis) == missing.shape[1]:
            break
        if size == 0 or int(i) in chosen:
            continue
        rest = shadow[i] / size
        for _ in range(2):
            rest = rest - basis.T @ (basis @ rest)
        if (length := np.linalg.norm(rest)) > 1e-3:
            basis = np.vstack([basis, rest / length])
            chosen.append(int(i))
    return chosen


def _null_space(M: Sparse) -> Sparse:
    """Return vectors without inertia, as columns: found for each group of coupled coordinates."""
    count, group = connected_components(M, directed=False)
    columns = []
    for k in range(count):
        where = np.flatnonzero(group == k)
        part = M[where][:, where].toarray()
        diagonal = np.diag(part)
        scale = 1 / np.sqrt(np.where(diagonal > 0, diagonal, 1.0))
        values, vectors = np.linalg.eigh(part * scale * scale[:, None])
        for vector in vectors[:, values < 1e-9].T:
            column = np.zeros(M.shape[0])
            column[where] = vector * scale
            columns.append(sp.csr_array(column[:, None]))
    return sp.hstack(columns, format="csr") if columns else sp.csr_array((M.shape[0], 0))


def _square(A: Sparse, i: int) -> Sparse:
    row = sp.csr_array(A[[i]])
    return sp.csr_array(row.T @ row)


def _inertia(diagonal: Array, A: Sparse, i: int) -> float:
    """Return the inertia of the coordinates of a row, or of all if they have none."""
    own = float(diagonal[A[[i]].indices].sum())
    return own if own > 0 else float(diagonal.sum()) or 1.0


def _factor(M: Sparse, A: Sparse, i: int) -> float:
    """Return ρᵢ such that what is added is no larger than what is there."""
    row, diagonal = A[[i]], M.diagonal()
    there = diagonal[row.indices]
    massive = (there > 1e-12 * diagonal.max(initial=0.0)) & (row.data != 0)
    if np.any(massive):
        return float(np.min(there[massive] / row.data[massive] ** 2))
    largest = float(np.max(row.data**2, initial=0.0))
    return _inertia(diagonal, A, i) / (largest or 1.0)  # a row may be written a thousand times larger


def _involved(directions: Sparse) -> Array:
    """Tell which coordinates take part in some directions, given as columns."""
    largest = np.abs(directions.toarray()).max(axis=1, initial=0.0)
    return largest > 0.1 * largest.max(initial=0.0)


def _refusal(system: System, sums: Sparse) -> str:
    names = [name for name, moves in zip(system.coordinates, _involved(_null_space(sums)), strict=True) if moves]
    who = f" along {quoted(names[:6])}" if names else ""
    return (
        f"the accelerations are not determined{who}: there is neither inertia nor a constraint in that direction, "
        "or the mass matrix is not positive; give it inertia, or a constraint"
    )
