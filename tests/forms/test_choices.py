"""Choices hold where the motion begins, not only at the other places that the pilot visits, and in any units."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, System

SWING = Mechanism(
    bodies={"seat": {"mass": 1.21, "inertia": 0.074, "at": [0, -0.72]}},
    joints={
        "left": {"kind": "rod", "bodies": ["ground", "seat"], "at": [[-0.5, 0], [-0.5, -0.72]]},
        "right": {"kind": "rod", "bodies": ["ground", "seat"], "at": [[0.5, 0], [0.5, -0.72]]},
    },
    loads={"push": {"body": "seat", "force": [8.99, 0]}},
)


def test_independent_coordinates_hold_at_the_start():
    """A swing that hangs straight down: its height is no coordinate there."""
    derivation = SWING.derive("independent")
    assert "independent coordinates: `x_seat`" in derivation.notes
    state = SWING.start()
    found = SWING.compile("independent")(0.0, state.q, state.v)
    assert np.allclose(found.acceleration, [8.99 / 1.21, 0, 0], atol=1e-12)


def crank(u: float) -> Mechanism:
    """A slider-crank of 0.1 m and 0.25 m with its lengths in units of which a metre has u."""
    return Mechanism(
        gravity=[0, -9.81 * u],
        bodies={
            "crank": {"mass": 2, "inertia": 0.015 * u**2, "at": [0.05 * u, 0], "spin": 20},
            "rod": {"mass": 1, "inertia": 0.08 * u**2, "at": [0.225 * u, 0]},
            "piston": {"mass": 3, "inertia": 0.01 * u**2, "at": [0.35 * u, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [0.1 * u, 0]},
            "C": {"kind": "revolute", "bodies": ["rod", "piston"], "at": [0.35 * u, 0]},
            "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [0.35 * u, 0], "axis": [1, 0]},
        },
    )


def pendulum(u: float) -> System:
    return System(
        "x y phi",
        kinetic="m*(x'^2 + y'^2)/2 + J*phi'^2/2",
        constraints={"a": "x = l*sin(phi)", "b": "y = -l*cos(phi)"},
        parameters={"m": 1, "J": 0.1 * u**2, "l": 0.3 * u},
        initial={"phi": 1.0, "phi'": 0.5},
    )


@pytest.mark.parametrize("unit", [1e-3, 1e3, 1e6])
@pytest.mark.parametrize("machine", [crank, pendulum])
def test_choices_do_not_depend_on_units(machine, unit):
    """The same machine with its lengths in kilometres, millimetres or micrometres."""
    known, other = machine(1.0), machine(unit)
    first, second = (
        [note for note in system.derive("independent").notes if "independent" in note] for system in (known, other)
    )
    assert first == second


@pytest.mark.parametrize("unit", [1e-3, 1e3, 1e6])
def test_choices_of_a_motion_do_not_depend_on_units(unit):
    first, second = (crank(u).simulate(0.02, form="independent").motion.engine.choices[0][1] for u in (1.0, unit))
    assert first == second


def test_coordinates_are_named_as_systems_name_them():
    of = System("x y z", kinetic="(x'^2 + y'^2 + z'^2)/2", constraints={"plane": "x + y = z"})
    texts = [str(of.derive("independent", coordinates=named)) for named in (["x", "y"], "x y", "x, y")]
    assert texts[0] == texts[1] == texts[2]
