"""Friction of systems that are written in fewer coordinates, or without their bodies: it goes on to stick."""

from __future__ import annotations

import pytest

from dalembert import Mechanism, ModelError, System, load
from tests.friction.watched import kinds

BLOCK = {
    "coordinates": "x y",
    "kinetic": "m*(x'^2 + y'^2)/2",
    "potential": "m*g*y",
    "constraints": {"floor": "y = 0"},
    "friction": {"f": {"constraint": "floor", "slip": "x'", "coefficient": "mu"}},
    "parameters": {"m": 2, "g": 9.81, "mu": 0.3},
    "initial": {"x": 0, "x'": 2},
}
CRANK = {
    "gravity": [0, -9.81],
    "bodies": {
        "crank": {"mass": 1.2, "inertia": 0.02, "at": [0.06, 0], "spin": 25},
        "rod": {"mass": 0.8, "inertia": 0.03, "at": [0.37, 0]},
        "piston": {"mass": 2, "inertia": 0.01, "at": [0.62, 0]},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
        "B": {"kind": "revolute", "bodies": ["crank", "rod"], "at": [0.12, 0]},
        "C": {"kind": "revolute", "bodies": ["rod", "piston"], "at": [0.62, 0]},
        "D": {"kind": "prismatic", "bodies": ["ground", "piston"], "at": [0.62, 0], "axis": [1, 0]},
    },
    "friction": {
        "fA": {"joint": "A", "coefficient": 0.12, "radius": 0.02},
        "fD": {"joint": "D", "coefficient": 0.2, "static": 0.25},
    },
}


def test_a_block_that_is_reduced_stops_and_stays(tmp_path):
    reduced = System(**BLOCK).reduced(keep=["x"])
    run = reduced.simulate(2.0)
    assert kinds(run) == ["stick"] and run.certificate.ok
    assert run["x"][-1] == pytest.approx(4 / (2 * 0.3 * 9.81), rel=1e-9) and run["f.status"][-1] == 1
    reduced.save(tmp_path / "block.toml")
    assert load(tmp_path / "block.toml").simulate(2.0)["x"][-1] == pytest.approx(run["x"][-1], rel=1e-12)


def test_a_ladder_that_is_reduced_stays_where_it_leans():
    """x = l cos φ and y = l sin φ of the middle; φ stays above the critical angle tan φ = (1 − μ²)/(2μ)."""
    system = System(
        coordinates="x y phi",
        kinetic="m*(x'^2 + y'^2)/2 + I*phi'^2/2",
        potential="m*g*y",
        constraints={"floor": "y = l*sin(phi)", "wall": "x = l*cos(phi)"},
        friction={
            "foot": {"constraint": "floor", "slip": "x' - l*sin(phi)*phi'", "coefficient": "mu"},
            "top": {"constraint": "wall", "slip": "y' + l*cos(phi)*phi'", "coefficient": "mu"},
        },
        parameters={"m": 2, "g": 9.81, "mu": 0.3, "l": 1, "I": 0.7},
        initial={"phi": 1.2, "phi'": 0},
    )
    for keep in ("phi", "x"):
        run = system.reduced(keep=[keep]).simulate(0.5)
        assert run["phi"][-1] == 1.2 and run.certificate.ok
    falls = [one.replace(initial={"phi": 0.9}).simulate(0.3)["phi"][-1] for one in (system, system.reduced())]
    assert falls[1] == pytest.approx(falls[0], rel=1e-9) and falls[0] < 0.9


def test_a_mechanism_as_a_plain_system(tmp_path):
    """A slider-crank with friction in a bearing and in its guide, where it comes to rest."""
    crank = Mechanism(**CRANK)
    whole, plain = crank.simulate(1.5), crank.system().simulate(1.5)
    assert plain["phi_crank"][-1] == pytest.approx(whole["phi_crank"][-1], rel=1e-9)
    assert kinds(plain) == kinds(whole) and plain.certificate.ok
    reduced = crank.reduced()
    assert len(reduced.coordinates) < 9 and set(reduced.frictions) == {"fA", "fD"}
    reduced.save(tmp_path / "crank.toml")
    fewer = load(tmp_path / "crank.toml").simulate(1.5)
    assert fewer["fD.tangent"][-1] == pytest.approx(whole["fD.tangent"][-1], rel=1e-6)


def test_sliding_that_is_solved_away_is_refused():
    rail = System(**{**BLOCK, "coordinates": "x y z", "constraints": {"floor": "y = 0", "rail": "x = 0"}}).replace(
        kinetic="m*(x'^2 + y'^2 + z'^2)/2", initial={"x": None, "x'": None}
    )
    with pytest.raises(ModelError, match=r"friction `f` cannot be carried over.*`x`.*keep"):
        rail.reduced()
    assert rail.reduced(keep=["x"]).simulate(0.1).certificate.ok
    plane = System(**{**BLOCK, "constraints": {"floor": "y = 0", "rail": "z = 2*x"}, "coordinates": "x y z"}).replace(
        kinetic="m*(x'^2 + y'^2 + z'^2)/2", friction={"f": {"slip": ["x'", "z'"]}}
    )
    with pytest.raises(ModelError, match="depend on each other once `z`"):
        plane.reduced()
