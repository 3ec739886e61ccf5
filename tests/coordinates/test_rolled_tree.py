"""Long trees in loops compute what straight-line code computes, whatever hangs on what."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from dalembert import Mechanism, example
from dalembert.model.mechanism import tree
from dalembert.native.groups import base
from dalembert.native.kernels import Kernels

HEAVY = {"mass": "m", "inertia": [0.1, 0.2, 0.25]}
SPACE = {
    "dimensions": 3,
    "gravity": [0, 0.1, "-g"],
    "parameters": {"m": 1.3, "g": 9.81, "k": 20.0},
    "bodies": {
        "a": HEAVY | {"at": [0.5, 0, 0]},
        "b": HEAVY | {"at": [1.5, 0, 0], "rotation": {"axis": [1, 2, 0], "angle": 0.7}},
        "c": HEAVY | {"at": [2.5, 0, 0], "inertia": [[0.1, 0.01, 0], [0.01, 0.2, 0.02], [0, 0.02, 0.25]]},
        "d": {"mass": 2, "inertia": [0.3, 0.2, 0.25], "at": [1, 1, 0], "points": {"E": [0.2, 0, 0.1]}},
        "e": HEAVY | {"at": [1, 2, 0], "centre": [0.1, 0, 0]},
        "f": HEAVY | {"at": [3, 0, 1]},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 1, 0]},
        "B": {"kind": "cylindrical", "bodies": ["b", "a"], "at": [1, 0, 0], "axis": [1, 0, 0.2]},
        "C": {"kind": "universal", "bodies": ["b", "c"], "at": [2, 0, 0], "axes": [[0, 1, 0], [0, 0, 1]]},
        "D": {"kind": "screw", "bodies": ["a", "d"], "at": [1, 0.5, 0], "axis": [0, 1, 0], "pitch": 0.1},
        "E": {"kind": "rigid", "bodies": ["d", "e"], "at": [1, 1.5, 0]},
        "F": {"kind": "planar", "bodies": ["c", "f"], "at": [3, 0, 0], "axis": [0, 0, 1]},
    },
    "springs": {
        "s": {"bodies": ["d", "f"], "points": ["E", [0, 0, 0]], "stiffness": "k", "length": 1},
        "t": {"joint": "A", "stiffness": 3},
    },
    "dampers": {"r": {"joint": "B", "coordinate": "angle", "damping": 0.2}},
    "loads": {"p": {"body": "f", "force": ["sin(t)", 0, "x_a"]}},
    "forces": {"angle_A": "-0.3*angle_A'*cos(t)"},
    "by": "joints",
}
PLANE = {
    "parameters": {"J": 0.4, "g": 9.81},
    "gravity": [0, "-g"],
    "bodies": {
        "cart": {"mass": 2, "inertia": 0.3, "at": [0, 0]},
        "arm": {"mass": 1, "inertia": "J", "at": [0.5, 0]},
        "hand": {"mass": 0.5, "inertia": 0.02, "at": [1.2, 0.1]},
        "load": {"mass": 0.5, "inertia": 0.1, "at": [0, 1]},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["cart", "arm"], "at": [0, 0]},
        "B": {"kind": "prismatic", "bodies": ["hand", "arm"], "at": [1, 0], "axis": [1, 0.3]},
        "C": {"kind": "slot", "bodies": ["cart", "load"], "at": [0, 1], "axis": [1, 0]},
    },
    "springs": {"s": {"bodies": ["hand", "load"], "points": [[0, 0], [0.1, 0]], "stiffness": 5, "length": 0.4}},
    "kinetic": "J*angle_A'^2/7",
    "by": "joints",
}


@pytest.fixture
def kernels(monkeypatch, tmp_path):
    """Make the kernels of a mechanism in the coordinates of its joints, in loops or not."""
    monkeypatch.setattr(tree, "WRITTEN", {2: 0, 3: 0})
    straight = base.rolled_module

    def rolled(group, system):
        if (module := group.rolled_tree(system)) is not None:
            module.facts |= {"added": [], "rolled": True}
        return module

    def make(model: Callable[[], Mechanism], in_loops: bool) -> Kernels:
        monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path / str(in_loops)))
        monkeypatch.setattr(base, "rolled_module", rolled if in_loops else straight)
        found = Kernels(model())
        found.facts("direct")
        return found

    return make


MODELS = {
    "joints of all kinds in space": lambda: Mechanism(**SPACE),
    "a free body in the plane": lambda: Mechanism(**PLANE),
    "planar chain": lambda: example("planar-chain:5").replace(by="joints"),
}


@pytest.mark.parametrize("model", MODELS)
def test_loops_compute_the_same(model, kernels):
    one, other = kernels(MODELS[model], False), kernels(MODELS[model], True)
    assert other.facts("direct").get("rolled") and other.facts("core").get("rolled")
    q, v = np.random.default_rng(3).normal(size=(2, 5, one.n))
    t = np.linspace(0.1, 0.9, 5)
    a, b = one.accelerations(t, q, v), other.accelerations(t, q, v)
    size = np.abs(a.acceleration).max()
    assert np.allclose(b.acceleration, a.acceleration, rtol=1e-12, atol=1e-12 * size)
    rows = one.inputs(t, q, v)
    found, wanted = other.run("direct", "direct", rows), one.run("direct", "direct", rows)
    assert np.allclose(found, wanted, rtol=1e-12, atol=1e-12 * size)
    energies = [
        np.array([e.kinetic, e.potential, e.energy, e.forces, e.time])
        for e in (one.energies(t, q, v), other.energies(t, q, v))
    ]
    assert np.allclose(*energies, rtol=1e-12, atol=1e-12)


def test_bodies_without_inertia_are_not_rolled(kernels):
    bodies = PLANE["bodies"] | {"hand": {"at": [1.2, 0.1], "mass": 1}}
    found = kernels(lambda: Mechanism(**(PLANE | {"bodies": bodies})), True)
    assert not found.facts("direct").get("rolled")


def test_large_trees_are_rolled_by_themselves():
    kernels = example("planar-chain:200").replace(by="joints").compile()
    assert kernels.facts("direct").get("rolled")
