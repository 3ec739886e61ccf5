"""Fewer coordinates: the same accelerations and multipliers as before, whatever was solved and put in."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, System, loads
from dalembert.blocks.numeric import Numeric
from dalembert.forms.multipliers import solve
from tests.conftest import pendulum
from tests.model.mechanism.test_mechanism import slider_crank

MIXED = System(
    coordinates="x y z w",
    kinetic="m*(x'^2 + y'^2)/2 + z'^2*(1 + x^2)/2 + w'^2",
    potential="m*g*y + x*w",
    forces={"x": "-k*x' + t", "w": "z'*y", "z": "F*cos(w)"},
    constraints={
        "a": "2*x = sin(z) + t^2",
        "b": "y + w - x*z = 0",
        "c": "x'*z - w' = 0.3",
        "d": "z''*x + y'' = 0",
    },
    parameters={"m": 2.0, "g": 9.81, "k": 0.3, "F": 0.4},
)


def by_matrices(system: System) -> System:
    """The same system, given by M and f."""
    b, n = system.blocks, len(system.coordinates)
    mass = [[b.M.get((i, j), 0) for j in range(n)] for i in range(n)]
    constraints = {c.name: c.expression for c in system.constraints}
    return System(system.coordinates, mass=mass, force=b.f, constraints=constraints, parameters=system.parameters)


def solved(system: System, t: float, state: dict[str, float]) -> dict[str, float]:
    """Accelerations and multipliers at a state, by name."""
    q, v = (np.array([state[name] for name in names]) for names in (system.coordinates, system.velocities))
    accelerations, multipliers = solve(Numeric(system).all(t, q, v))
    names = [*(name + "''" for name in system.coordinates), *(c.name for c in system.constraints)]
    return dict(zip(names, [*accelerations, *multipliers], strict=True))


@pytest.mark.parametrize("make", [lambda system: system, by_matrices])
@pytest.mark.parametrize("keep", [(), ("b",), ("a", "y"), ("x", "y", "z", "w")])
def test_the_same_accelerations_and_multipliers(make, keep):
    """At a state that satisfies the solved conditions; forces, time, velocities and accelerations are carried along."""
    t, z, w, dz, dw = 0.7, 0.4, 0.3, -0.5, 0.8
    x, dx = (np.sin(z) + t**2) / 2, (np.cos(z) * dz + 2 * t) / 2
    state = {"x": x, "y": x * z - w, "z": z, "w": w, "x'": dx, "y'": dx * z + x * dz - dw, "z'": dz, "w'": dw}
    reduced = make(MIXED).reduced(keep)
    left = {(): 2, ("b",): 3, ("a", "y"): 3, ("x", "y", "z", "w"): 4}[keep]
    assert len(reduced.coordinates) == left
    assert len(reduced.constraints) == left
    expected, found = solved(MIXED, t, state), solved(reduced, t, state)
    assert found == pytest.approx({name: expected[name] for name in found}, rel=1e-9)


def test_a_tree_disappears():
    reduced = slider_crank().reduced()
    assert reduced.coordinates == ("phi_crank", "phi_rod")
    assert [c.name for c in reduced.constraints] == ["D.normal"]
    assert reduced.drawing is not None and "x_rod" not in str(reduced)


def test_the_motion_is_the_same():
    mechanism = slider_crank()
    run, other = (system.simulate(until=1, samples=4) for system in (mechanism, mechanism.reduced()))
    assert other["phi_rod"] == pytest.approx(run["phi_rod"], abs=1e-6)


def test_initial_values_of_what_was_solved_are_kept():
    """x is solved for, and has the initial value: the angle, which stays, begins where it belongs to it."""
    system = pendulum(initial={"x": 0.6, "x'": 0.1}, guess={"phi": 0.5})
    reduced = system.reduced(keep=("phi",))
    assert reduced.coordinates == ("phi",)
    assert np.sin(reduced.start()["phi"]) == pytest.approx(0.6)
    assert np.cos(reduced.start()["phi"]) * reduced.start()["phi'"] == pytest.approx(0.1)


def test_what_repeats_is_dropped_and_what_contradicts_is_refused():
    parts: dict[str, Any] = {"coordinates": "x y z", "kinetic": "x'^2 + y'^2 + z'^2"}
    repeated = System(**parts, constraints={"a": "x = y", "b": "y = z", "c": "x - z = 0"}).reduced()
    assert repeated.coordinates == ("x",) and repeated.constraints == ()
    with pytest.raises(ModelError, match="`c` cannot hold beside the others: it is off by -1 for every motion"):
        System(**parts, constraints={"a": "x = y", "b": "y = z", "c": "x - z = 1"}).reduced()
    with pytest.raises(ModelError, match="no constraint or coordinate `q` that could be kept"):
        repeated.reduced(keep="q")


def test_a_coordinate_always_stays():
    driven = Mechanism(
        bodies={"rod": {"mass": 1, "inertia": 1, "at": [1, 0]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
        drives={"motor": {"joint": "A", "angle": "t"}},
    )
    assert len(driven.reduced().coordinates) == 1


def test_no_digits_that_nobody_wrote():
    """Sums and products of decimals are exact, and what cancels leaves nothing."""
    mechanism = Mechanism(
        bodies={
            "a": {"mass": 1.3, "inertia": 0.12, "at": [0.35, 0.1], "angle": "pi/7"},
            "b": {"mass": 0.7, "inertia": 0.02, "at": [0.85, 0.3]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0.05, 0.02]},
            "B": {"kind": "revolute", "bodies": ["a", "b"], "at": [0.6, 0.2]},
        },
    )
    for system in (mechanism.reduced(), mechanism.release("B.x").system):
        numbers = re.findall(r"\d+\.\d+(?:e-?\d+)?", str(system))
        assert numbers and not [text for text in numbers if len(text) > 8]
        again = loads(str(system))
        assert (again.kinetic, again.potential) == (system.kinetic, system.potential)
    assert "0.239875*phi_a'^2" in str(mechanism.reduced())  # J + m a², without sin² + cos²


def test_fractions_and_roots_stay():
    system = System(
        "x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="x^2/3 + 0.25*sqrt(1 + x^2) + (1 + y^2)^1.3/7",
        constraints={"a": "y = 0.1*x + 0.2*x"},
        parameters={"m": 1},
    )
    reduced = system.reduced()
    assert reduced.potential == loads(str(reduced)).potential
    text = str(reduced)
    assert "0.25*sqrt(x^2 + 1)" in text and "x^2/3" in text and "^1.3" in text and "0.09*x^2" in text, text
