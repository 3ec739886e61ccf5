"""Accelerations by angular velocities against those by Euler parameters, on states with |e| = 1."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism
from dalembert.blocks.numeric import parameter_values, pilot_numeric_of
from dalembert.model.mechanism.turned import TURNS, known, turned
from dalembert.model.mechanism.views import EULER, SpatialView, symbols
from dalembert.native.builder import Builder
from dalembert.native.kernels import Kernels
from tests.conftest import GALLERY
from tests.native.test_rolled import close, roll, spatial_chain
from tests.shared import example

BODY = {"mass": 1.3, "inertia": [[0.2, 0.03, 0.01], [0.03, 0.3, -0.02], [0.01, -0.02, 0.25]]}
MACHINE = Mechanism(
    bodies={
        "a": {**BODY, "at": [0.5, 0, 0], "centre": [0.1, 0, 0.05], "points": {"tip": [0.4, 0.1, 0]}},
        "b": {**BODY, "at": [1.5, 0, 0], "points": {"tip": [0.4, 0, 0.2]}},
        "c": {**BODY, "at": [1.5, 1, 0]},
        "d": {**BODY, "at": [1.5, 2, 0.3]},
        "bead": {"kind": "particle", "mass": 0.4, "at": [2.5, 2, 0.3]},
    },
    joints={
        "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        "B": {"kind": "universal", "bodies": ["a", "b"], "at": [1, 0, 0], "axis": [0, 1, 0], "cross": [0, 0, 1]},
        "C": {"kind": "cylindrical", "bodies": ["b", "c"], "at": [1.5, 0.5, 0], "axis": [0, 1, 0]},
        "D": {"kind": "spherical", "bodies": ["c", "d"], "at": [1.5, 1.5, 0.2]},
        "R": {"kind": "rod", "bodies": ["d", "bead"], "at": [[1.5, 2, 0.3], [2.5, 2, 0.3]]},
    },
    springs={"k": {"bodies": ["ground", "b"], "points": [[1, 1, 1], "tip"], "stiffness": 20, "damping": 0.3}},
    loads={"push": {"body": "a", "point": "tip", "force": ["3*t", 1, "-2*x_b'"]}},
    drives={"turn": {"joint": "A", "angle": "0.3*t + 0.2*t^2"}},
    potential="k1*e1_d^2 + 0.2*e0_c*y_d",
    forces={"e2_d": "-0.4*e2_d'", "x_c": "sin(t)"},
    constraints={"held": "z_c = 0.1*e3_d"},
    dimensions=3,
    parameters={"k1": 3.0},
)


def on_the_sphere(mechanism: Mechanism, count: int = 3) -> np.ndarray:
    """Return rows of inputs with |e| = 1 and e·ė = 0, and anything else."""
    random, start, rows = np.random.default_rng(8), mechanism.start(), []
    for k in range(count):
        q, v = start.q + 0.05 * random.normal(size=len(start.q)), start.v + random.normal(size=len(start.q))
        for body in mechanism.bodies.values():
            if body.conditions:
                where = [mechanism.coordinates.index(name) for name in body.coordinates[3:]]
                e = q[where] = q[where] / np.linalg.norm(q[where])
                v[where] -= e * (e @ v[where])
        rows.append([0.3 * k, *q, *v, *parameter_values(mechanism, {})])
    return np.array(rows)


def test_what_follows_from_euler_parameters():
    e, rates = symbols(EULER), symbols(f"{name}'" for name in EULER)
    view = SpatialView((*symbols("xyz"), *e), (*symbols("uvw"), *rates), symbols("abc"))
    values = dict(zip((*e, *rates), np.random.default_rng(1).normal(size=8).tolist(), strict=True))
    found = known([values[x] for x in e], [values[x] for x in rates])
    for i, row in enumerate(view.R):
        for j, entry in enumerate(row):
            assert found[f"R{i + 1}{j + 1}"] == pytest.approx(float(entry.xreplace(values)))
    for turn, omega in zip(TURNS, view.omega, strict=True):
        assert found[turn] == pytest.approx(float(omega.xreplace(values)))
    unit = (
        values | dict(zip(e, (0.5, 0.5, -0.5, 0.5), strict=True)) | dict(zip(rates, (0.1, 0.2, 0.7, 0.4), strict=True))
    )
    found = known([unit[x] for x in e], [unit[x] for x in rates])  # e·ė = 0
    for i, row in enumerate(view.R):
        for j, entry in enumerate(row):
            rate = se.Add(*[entry.diff(x) * dx for x, dx in zip(e, rates, strict=True)])
            assert found[f"R{i + 1}{j + 1}'"] == pytest.approx(float(rate.xreplace(unit)), abs=1e-12)


SPATIAL = [name for name in GALLERY if isinstance(m := example(name), Mechanism) and m.dimensions == 3]


@pytest.mark.parametrize(
    "mechanism", [MACHINE, spatial_chain(3, "spherical"), *map(example, SPATIAL)], ids=lambda m: m.name or "machine"
)
def test_same_accelerations_and_multipliers(mechanism):
    kernels, rows = Kernels(mechanism), on_the_sphere(mechanism)
    n, s = kernels.n, kernels.s
    found, numeric = kernels.run("direct", "direct", rows), pilot_numeric_of(mechanism)
    for row, out in zip(rows, found, strict=True):
        values = numeric.all(row[0], row[1 : 1 + n], row[1 + n : 1 + 2 * n])
        M, A = values.M.toarray(), values.A.toarray()
        if np.linalg.matrix_rank(A) < s:
            pytest.skip("plain elimination is not for rows that depend on each other")
        expected = np.linalg.solve(np.block([[M, -A.T], [A, np.zeros((s, s))]]), [*values.f, *values.c])
        assert close(out[:n], expected[:n], 1e-9)
        assert close(out[n : n + s], expected[n:], 1e-9)
        assert out[n + s] == s


def test_everything_is_turned_and_rolled():
    assert turned(MACHINE) is not None
    kernels, rows = Kernels(MACHINE), on_the_sphere(MACHINE)
    size = kernels.n + kernels.s
    found, expected = roll(MACHINE, "direct").run("direct", rows), kernels.run("core", "accelerations", rows)
    assert close(found[:, :size], expected[:, :size], 1e-10)
    assert np.array_equal(found[:, size], expected[:, size])


def test_half_as_many_operations():
    chain = example("spatial-chain:10")
    kernels = Kernels(chain)
    builder = Builder(chain)
    assert builder.quick is not builder
    assert kernels.facts("direct")["operations"] < 0.6 * 18_432  # what it takes with Euler parameters


@pytest.mark.parametrize(
    "changes",
    [
        {"kinetic": "0.1*e1_d'^2"},
        {"constraints": {"held": "e3_d' = 0.1*x_c'"}},
    ],
)
def test_what_is_written_in_rates_of_euler_parameters_stays_so(changes):
    mechanism = MACHINE.replace(**changes)
    assert turned(mechanism) is None
    kernels, rows = Kernels(mechanism), on_the_sphere(mechanism)
    size = kernels.n + kernels.s
    found, expected = kernels.run("direct", "direct", rows), kernels.run("core", "accelerations", rows)
    assert close(found[:, :size], expected[:, :size], 1e-9)


def test_bodies_without_inertia_stay_as_they_are():
    light = MACHINE.replace(bodies={"c": {"mass": None, "inertia": None}})
    assert Builder(light).quick.system is light and Kernels(light).facts("core")["added"]
    assert type(Builder(light).quick) is Builder


def test_a_body_of_mass_two_is_like_others():
    """Its kinetic energy is a sum without a factor, of which the terms are those of the mechanism."""
    assert turned(MACHINE.replace(bodies={"a": {"mass": 2}, "c": {"mass": 2}})) is not None
    assert turned(MACHINE.replace(kinetic="0.1*x_c'^2")) is None
