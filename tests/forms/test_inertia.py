"""Systems by the places of their masses, as a student writes them: the equations are those of a textbook, and equal."""

from __future__ import annotations

import numpy as np
import pytest
import sympy as sp

from dalembert import System
from dalembert.forms.prepared import scene_of

CHAIN = {"x1": "l*sin(a)", "y1": "-l*cos(a)", "x2": "x1 + l*sin(b)", "y2": "y1 - l*cos(b)"}
SPEEDS = "m*(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2"
LENGTHS = {"m": 2, "l": 0.5, "J": 0.05, "g": 9.81}
SYSTEMS = {
    "double pendulum": (
        60,
        {"coordinates": "a b", "define": CHAIN, "kinetic": SPEEDS, "potential": "m*g*(y1 + y2)"},
    ),
    "arm": (
        90,
        {
            "coordinates": "a b",
            "define": {
                "x1": "l/2*cos(a)",
                "y1": "l/2*sin(a)",
                "x2": "l*cos(a) + l/2*cos(a + b)",
                "y2": "l*sin(a) + l/2*sin(a + b)",
            },
            "kinetic": f"{SPEEDS} + J*(a'^2 + (a' + b')^2)/2",
            "potential": "m*g*(y1 + y2)",
        },
    ),
    "spherical pendulum": (
        32,
        {
            "coordinates": "th ph",
            "define": {"x": "l*sin(th)*cos(ph)", "y": "l*sin(th)*sin(ph)", "z": "-l*cos(th)"},
            "kinetic": "m*(x'^2 + y'^2 + z'^2)/2",
            "potential": "m*g*z",
        },
    ),
    "in decimals, on a moving pivot": (
        60,
        {
            "coordinates": "x phi",
            "define": {"px": "x + 0.35*sin(phi)", "py": "-0.35*cos(phi) + 0.02*cos(40*t)"},
            "kinetic": "1.2*x'^2/2 + 0.3*(px'^2 + py'^2)/2",
            "potential": "0.3*9.81*py",
        },
    ),
    "rotating frame": (
        60,
        {
            "coordinates": "r th",
            "define": {"x": "r*cos(th + 3*t)", "y": "r*sin(th + 3*t)"},
            "kinetic": "m*(x'^2 + y'^2)/2",
        },
    ),
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_short_and_equal(name):
    most, parts = SYSTEMS[name]
    system = System(**parts, parameters={key: LENGTHS[key] for key in LENGTHS if key in str(parts)})
    assert sum(int(sp.count_ops(e)) for e in system.derive("multipliers").equations) <= most
    found, given = scene_of(system).given, system.blocks
    assert list(found.M) == list(given.M)
    random = np.random.default_rng(1)
    for _ in range(5):
        point = {s: random.uniform(0.5, 1.5) for s in (given.t, *given.q, *given.v, *given.parameters)}
        for ours, theirs in zip((*found.M.values(), *found.f), (*given.M.values(), *given.f), strict=True):
            assert float(ours.subs(point)) == pytest.approx(float(theirs.subs(point)), rel=1e-11, abs=1e-11)
