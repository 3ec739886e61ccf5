"""Every pair: how many conditions, invariant under a common motion of its bodies, action equals reaction, no work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism, loads
from dalembert.blocks.numeric import Numeric
from dalembert.model.mechanism.pairs import PAIRS

# kind -> (number of conditions, what is needed besides the bodies)
PLANAR: dict[str, tuple[int, dict[str, Any]]] = {
    "revolute": (2, {"at": [0.3, -0.2]}),
    "prismatic": (2, {"at": [0.3, -0.2], "axis": [2, 1]}),
    "rigid": (3, {"at": [0.3, -0.2]}),
    "slot": (1, {"points": [[0.1, 0.2], [-0.3, 0.1]], "axes": [[1, 2], [1, 0]]}),
    "rod": (1, {"points": [[0.1, 0.2], [-0.3, 0.1]]}),
    "gear": (1, {"teeth": [20, 33], "carrier": "c"}),
    "rack": (1, {"axis": [1, 0.5], "radius": 0.4}),
    "rolling": (2, {"axis": [1, 0.5], "radius": 0.4}),
    "rope": (
        1,
        {"points": [[0.1, 0], [0, 0.1]], "over": [{"body": "c", "at": [1, 2], "radius": 0.2, "side": "right"}]},
    ),
}
AXIS = {"axis": [1, 2, 2]}
SPATIAL: dict[str, tuple[int, dict[str, Any]]] = {
    "spherical": (3, {"at": [0.3, -0.2, 0.1]}),
    "revolute": (5, {"at": [0.3, -0.2, 0.1], **AXIS}),
    "prismatic": (5, {"at": [0.3, -0.2, 0.1], **AXIS}),
    "cylindrical": (4, {"at": [0.3, -0.2, 0.1], **AXIS}),
    "universal": (4, {"at": [0.3, -0.2, 0.1], **AXIS, "cross": [2, 1, -2]}),
    "planar": (3, {"at": [0.3, -0.2, 0.1], **AXIS}),
    "rigid": (6, {"at": [0.3, -0.2, 0.1]}),
    "screw": (5, {"at": [0.3, -0.2, 0.1], **AXIS, "pitch": 0.3}),
    "rod": (1, {"points": [[0.1, 0.2, 0], [-0.3, 0.1, 0.2]]}),
    "point_on_line": (2, {"at": [0.3, -0.2, 0.1], **AXIS}),
    "point_in_plane": (1, {"at": [0.3, -0.2, 0.1], **AXIS}),
    "rolling_disk": (3, {"radius": 0.7, "axis": [0.1, 0.2, 1]}),
    "rolling_sphere": (3, {"radius": 0.7, "axis": [0.1, 0.2, 1]}),
}
CASES = [*((2, kind) for kind in PLANAR), *((3, kind) for kind in SPATIAL)]


def joined(dimensions: int, kind: str, **more: Any) -> Mechanism:
    """Three bodies in general position and one joint between two of them; the third holds gears or a pulley."""
    table = {"kind": kind, "bodies": ["a", "b"], **(PLANAR if dimensions == 2 else SPATIAL)[kind][1]}
    if dimensions == 2:
        turns = {"angle": 0.4}, {"angle": -0.7}, {"angle": 0.2}
        inertia: Any = 0.5
        places = [0.2, 0.1], [0.9, 1.1], [1, 2.1]
    else:
        turns = {"rotation": {"axis": [1, 2, 3], "angle": 0.8}}, {"rotation": [0.9, 0.1, -0.3, 0.2]}, {}
        inertia = [0.3, 0.4, 0.5]
        places = [0.2, 0.1, -0.1], [0.9, 1.1, 0.8], [0, 0, 2]
    bodies = {
        name: {"mass": 1.5, "inertia": inertia, "at": at, **turn, "centre": [0.1, -0.2, 0.3][:dimensions]}
        for name, at, turn in zip("abc", places, turns, strict=True)
    }
    return Mechanism(bodies, {"J": table}, dimensions=dimensions, gravity=[0] * dimensions, **more)


def admissible(mechanism: Mechanism, random: np.random.Generator) -> tuple[Numeric, np.ndarray, np.ndarray]:
    """A state on the constraints, with velocities that they allow."""
    numeric = Numeric(mechanism)
    q = mechanism.start().q
    A = numeric.all(0.0, q, np.zeros(len(q))).A.toarray()
    v = random.normal(size=len(q))
    return numeric, q, v - np.linalg.pinv(A) @ A @ v


def residuals(mechanism: Mechanism) -> Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]:
    """g (nan where there is none) and ψ as functions of q and v."""
    b = mechanism.blocks
    outputs = [*(se.Integer(0) if g is None else g for g in b.g), *b.psi]
    function = se.Lambdify([*b.q, *b.v], outputs)
    missing = np.array([g is None for g in b.g])

    def at(q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, psi = np.split(np.asarray(function([*q, *v])), 2)
        return np.where(missing, np.nan, g), psi

    return at


def conditions(mechanism: Mechanism) -> list[int]:
    return [i for i, c in enumerate(mechanism.constraints) if c.name.startswith("J.")]


def moved(q: np.ndarray, v: np.ndarray, dimensions: int) -> tuple[np.ndarray, np.ndarray]:
    """The state after a common rigid motion of everything."""
    shift = np.array([0.7, -0.4, 0.5])[:dimensions]
    if dimensions == 2:
        R = np.array([[np.cos(0.6), -np.sin(0.6)], [np.sin(0.6), np.cos(0.6)]])
        parts = [(np.r_[R @ x[:2] + shift, x[2] + 0.6], np.r_[R @ w[:2], w[2]]) for x, w in bodies_of(q, v, 3)]
    else:
        e = np.array([0.8, 0.2, -0.4, 0.4])
        R, L = rotation(e), left(e)
        parts = [(np.r_[R @ x[:3] + shift, L @ x[3:]], np.r_[R @ w[:3], L @ w[3:]]) for x, w in bodies_of(q, v, 7)]
    return np.concatenate([x for x, _ in parts]), np.concatenate([w for _, w in parts])


def bodies_of(q: np.ndarray, v: np.ndarray, n: int) -> list[tuple[np.ndarray, np.ndarray]]:
    return [(q[k : k + n], v[k : k + n]) for k in range(0, len(q), n)]


def left(e: np.ndarray) -> np.ndarray:
    """The matrix of the product of quaternions e · p."""
    e0, e1, e2, e3 = e
    return np.array([[e0, -e1, -e2, -e3], [e1, e0, -e3, e2], [e2, e3, e0, -e1], [e3, -e2, e1, e0]])


def rotation(e: np.ndarray) -> np.ndarray:
    """The rotation matrix by p ↦ e p e*, independent of the formula in the package."""
    conjugate = np.array([e[0], *(-e[1:])])
    columns = [left(left(e) @ np.r_[0.0, axis]) @ conjugate for axis in np.eye(3)]
    return np.array(columns).T[1:]


def test_every_kind_is_tested():
    assert set(PLANAR) == set(PAIRS[2])
    assert set(SPATIAL) == set(PAIRS[3])


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_number_and_rank_of_the_conditions(dimensions, kind, random):
    mechanism = joined(dimensions, kind)
    expected = (PLANAR if dimensions == 2 else SPATIAL)[kind][0]
    numeric, q, v = admissible(mechanism, random)
    A = numeric.all(0.0, q, v).A.toarray()
    assert len(conditions(mechanism)) == expected
    assert np.linalg.matrix_rank(A, tol=1e-9) == len(mechanism.constraints)
    assert mechanism.check().degrees_of_freedom == len(q) - len(mechanism.constraints)


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_conditions_do_not_see_a_common_motion(dimensions, kind, random):
    """Off the constraints as well as on them: only how the bodies stand to each other matters."""
    mechanism = joined(dimensions, kind)
    _, q, v = admissible(mechanism, random)
    q = q + 0.05 * random.normal(size=len(q))
    if dimensions == 3:  # a rotation has a meaning for unit parameters only
        for k in (3, 10, 17):
            part = slice(k, k + 4)
            q[part] /= np.linalg.norm(q[part])
            v[part] -= q[part] * (q[part] @ v[part])
    at, rows = residuals(mechanism), conditions(mechanism)
    vector = [i for i in rows if mechanism.constraints[i].name in ("J.x", "J.y", "J.z")]  # in the axes of the world
    single = [i for i in rows if i not in vector]
    for before, after in zip(at(q, v), at(*moved(q, v, dimensions)), strict=True):
        assert after[single] == pytest.approx(before[single], abs=1e-12, nan_ok=True)
        assert np.linalg.norm(after[vector]) == pytest.approx(np.linalg.norm(before[vector]), abs=1e-12)


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_action_equals_reaction_and_does_no_work(dimensions, kind, random):
    mechanism = joined(dimensions, kind)
    numeric, q, v = admissible(mechanism, random)
    values = numeric.all(0.0, q, v)
    rows = conditions(mechanism)
    lam = np.zeros(len(mechanism.constraints))
    lam[rows] = random.normal(size=len(rows))
    reaction = values.A.T @ lam
    assert reaction @ v == pytest.approx(0, abs=1e-12)
    force, moment = np.zeros(dimensions), 0
    for (x, _), r in zip(bodies_of(q, v, 3 if dimensions == 2 else 7), np.split(reaction, 3), strict=True):
        force = force + r[:dimensions]
        if dimensions == 2:
            moment = moment + r[2] + x[0] * r[1] - x[1] * r[0]
        else:
            e0, e1, e2, e3 = x[3:]
            G = np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])
            moment = moment + G @ r[3:] / 2 + np.cross(x[:3], r[:3])
    assert force == pytest.approx(np.zeros(dimensions), abs=1e-12)
    assert moment == pytest.approx(0 * moment, abs=1e-12)


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_conditions_against_finite_differences(dimensions, kind, random):
    """ψ = dg/dt, A = ∂ψ/∂v, and c = −(dψ/dt without accelerations), by central differences."""
    mechanism = joined(dimensions, kind)
    numeric, q, v = admissible(mechanism, random)
    at, values, h = residuals(mechanism), numeric.all(0.0, q, v), 1e-6
    (g, psi), (g1, psi1), (g0, psi0) = at(q, v), at(q + h * v, v), at(q - h * v, v)
    position = ~np.isnan(g)
    assert (g1 - g0)[position] / (2 * h) == pytest.approx(psi[position], abs=1e-7)
    assert -(psi1 - psi0) / (2 * h) == pytest.approx(values.c, abs=1e-6)
    w = random.normal(size=len(q))
    assert (at(q, v + w)[1] - at(q, v - w)[1]) / 2 == pytest.approx(values.A @ w, abs=1e-9)


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_a_mechanism_with_it_is_saved(dimensions, kind):
    mechanism = joined(dimensions, kind)
    assert loads(str(mechanism)) == mechanism


@pytest.mark.parametrize(("dimensions", "kind"), CASES)
def test_rates_of_coordinates(dimensions, kind, random):
    """The rate of a coordinate is its derivative, and the slope of the condition of a drive."""
    mechanism = joined(dimensions, kind)
    _, q, v = admissible(mechanism, random)
    names = [se.Symbol(name) for name in (*mechanism.coordinates, *mechanism.velocities)]
    for name, coordinate in mechanism.joints["J"].coordinates.items():
        wanted = se.Symbol("wanted")
        condition = coordinate.equals(wanted)
        f = se.Lambdify([*names, wanted], [coordinate.value, coordinate.rate, condition])

        def at(step: float, target: float, f: Any = f) -> np.ndarray:
            return np.asarray(f([*(q + step * v), *v, target]))

        value, rate, _ = at(0.0, 0.0)
        slopes = (at(1e-6, value) - at(-1e-6, value)) / 2e-6
        assert at(0.0, value)[2] == pytest.approx(0, abs=1e-12), name
        assert slopes[[0, 2]] == pytest.approx([rate, rate], abs=1e-8), name


def test_parameters_may_stand_everywhere():
    """Symbolic placements give the same conditions as numbers."""
    parameters = {"p": 0.3, "w": 0.5}
    symbolic, numbers = (
        Mechanism(
            {"a": {"mass": 1, "inertia": 1, "at": [p, w], "angle": w}, "b": {"mass": 1, "inertia": 1, "angle": p}},
            {"J": {"kind": "prismatic", "bodies": ["a", "b"], "at": [w, p], "axis": [p, w]}},
            parameters=values,
        )
        for p, w, values in (("p", "w", parameters), (0.3, 0.5, {}))
    )
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    a, b = (Numeric(mechanism).all(0.0, q, q) for mechanism in (symbolic, numbers))
    assert a.A.toarray() == pytest.approx(b.A.toarray(), abs=1e-14)
    assert a.c == pytest.approx(b.c, abs=1e-14)
