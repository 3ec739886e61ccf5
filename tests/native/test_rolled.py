"""Rolled code and assembled numbers against what they stand for: straight-line code and formulas."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, System, example
from dalembert.blocks import assembled
from dalembert.blocks.kinds import find_elements
from dalembert.blocks.numeric import Numeric, parameter_values
from dalembert.native import cache as disk
from dalembert.native import machine
from dalembert.native.codegen import to_llvm
from dalembert.native.groups import GROUPS
from dalembert.native.groups.base import rolled_module
from dalembert.native.kernels import Kernels
from dalembert.native.machine import Compiled

MODELS = (
    "pendulum", "double-pendulum", "n-four-bar:3", "chain:5", "chain-minimal:4", "moved-pendulum", "chaplygin-sleigh",
    "appell-hamel", "andrews-squeezer", "rolling-disk", "slider-crank", "knife-edge",
)  # fmt: skip


def spatial_chain(count: int, kind: str = "revolute") -> Mechanism:
    bodies, joints = {}, {}
    for i in range(1, count + 1):
        bodies[f"b{i}"] = {"mass": "m", "inertia": ["J", "J/10", "J"], "at": [0, i - 0.5, 0]}
        joints[f"j{i}"] = {"kind": kind, "bodies": [f"b{i - 1}" if i > 1 else "ground", f"b{i}"], "at": [0, i - 1, 0]}
        if kind == "revolute":
            joints[f"j{i}"]["axis"] = [1, 0, 0] if i % 2 else [0, 0, 1]
    return Mechanism(bodies=bodies, joints=joints, dimensions=3, parameters={"m": 1.0, "J": 0.1})


def name_of(system: System) -> str:
    return system.name or f"{len(system.coordinates)} coordinates"


def roll(system: System, group: str) -> Compiled:
    module = GROUPS[group].rolled(system)
    assert module is not None
    ir, layout = to_llvm(list(module.routines.values()), module.kernels.values(), module.rolled)
    kernels = {kernel.name: (kernel.inputs, kernel.outputs) for kernel in module.kernels.values()}
    facts = {"kernels": kernels, "work": layout.size} | module.facts
    return Compiled(disk.Entry(facts, machine.compile_object(ir)))


def states(system: System, count: int = 3) -> np.ndarray:
    random = np.random.default_rng(4)
    start = system.start()
    n = len(system.coordinates)
    rows = [
        np.concatenate([[0.3 * k], start.q + 0.05 * k * random.normal(size=n), start.v + random.normal(size=n)])
        for k in range(count)
    ]
    return np.column_stack([np.array(rows), np.tile(parameter_values(system, {}), (count, 1))])


def close(found: np.ndarray, expected: np.ndarray, tolerance: float = 1e-11) -> bool:
    return bool(np.abs(found - expected).max(initial=0.0) <= tolerance * (1 + np.abs(expected).max(initial=0.0)))


EVERYTHING = System(
    "x y z w",
    kinetic="(x'^2 + y'^2)/2 + m*z'^2 + x'*y'/3 + w'^2/2 + w'*sin(t)",
    potential="k*x*z + 3*t + m + cos(w)",
    forces={"x": "-z'*y", "w": "t - w'"},
    constraints={"moved": "x + y*z = sin(t) + 2*k", "rolls": "y' = x*w' + k", "pushed": "z'' + w'' = x'*t + 1"},
    parameters={"m": 1.3, "k": 0.2},
    name="Everything",
)


@pytest.mark.parametrize(
    "system", [*map(example, MODELS), EVERYTHING, spatial_chain(3), spatial_chain(3, "spherical")], ids=name_of
)
def test_rolled_code_gives_what_straight_code_gives(system):
    straight = Kernels(system)
    if system.kinetic is None or straight.facts("core")["added"]:
        pytest.skip("neither matrices nor what is added to a singular M are rolled")
    rows, n, s = states(system), len(system.coordinates), len(system.constraints)
    core, plain = roll(system, "core"), straight._group("core")
    size = n + s
    for kernel in ("accelerations", "position_step", "velocity_step"):
        found, expected = core.run(kernel, rows), plain.run(kernel, rows)
        assert close(found[:, :size], expected[:, :size]), kernel
        assert close(found[:, size], expected[:, size])  # the rank
    for kernel in ("residuals", "energies"):
        assert close(core.run(kernel, rows), plain.run(kernel, rows))
    found, expected = core.run("everything", rows), plain.run("everything", rows)
    place = {tuple(entry): k for k, entry in enumerate(core.facts["pattern"])}
    order = [size + 3 + place[tuple(entry)] for entry in plain.facts["pattern"]]
    assert close(found[:, order], expected[:, size + 3 : size + 3 + len(order)])
    assert close(found[:, size + 3 + len(place) :], expected[:, size + 3 + len(order) :])
    direct = roll(system, "direct").run("direct", rows)
    assert close(direct[:, :size], straight._group("direct").run("direct", rows)[:, :size], 1e-8)


@pytest.mark.parametrize("system", [*map(example, MODELS), EVERYTHING, spatial_chain(3)], ids=name_of)
def test_assembled_numbers_are_those_of_the_formulas(system, monkeypatch):
    whole = Numeric(system)
    assert whole._assembled is None
    monkeypatch.setattr(assembled, "_LARGE", 0)
    parts = Numeric(system)
    assert (parts._assembled is not None) == (system.kinetic is not None)
    row = states(system)[1]
    n = whole.n
    t, q, v = row[0], row[1 : 1 + n], row[1 + n : 1 + 2 * n]
    found, expected = parts.all(t, q, v), whole.all(t, q, v)
    for name in ("M", "A"):
        assert close(getattr(found, name).toarray(), getattr(expected, name).toarray())
    assert close(found.f, expected.f)
    assert close(found.c, expected.c)
    assert close(parts.mass(t, q).toarray(), whole.mass(t, q).toarray())
    for one, other in zip(
        (*parts.position(t, q), *parts.velocity(t, q, v)),
        (*whole.position(t, q), *whole.velocity(t, q, v)),
        strict=True,
    ):
        dense = (x if isinstance(x, np.ndarray) else x.toarray() for x in (one, other))
        assert close(*dense)


def test_kinds_do_not_grow_with_the_system():
    counts = [len(find_elements(example(f"chain:{n}")).kinds) for n in (6, 20)]
    assert counts[0] == counts[1] < 8
    counts = [len(find_elements(example(f"n-four-bar:{n}")).kinds) for n in (6, 20)]
    assert counts[0] == counts[1] < 8  # supports in different places are of one kind
    counts = [len(find_elements(spatial_chain(n)).kinds) for n in (6, 12)]
    assert counts[0] == counts[1] < 10


def test_which_systems_are_rolled():
    assert rolled_module(GROUPS["core"], example("pendulum")) is None
    assert rolled_module(GROUPS["direct"], example("chain:100")) is None
    assert rolled_module(GROUPS["core"], example("n-four-bar:200")) is not None
    assert rolled_module(GROUPS["direct"], spatial_chain(60)) is not None


def test_a_large_system_moves():
    """A rolled chain keeps its energy and its constraints, and is certified."""
    system = spatial_chain(60)
    assert system.compile().facts("core")["rolled"]
    run = system.simulate(0.3, rtol=1e-8, atol=1e-10)
    assert run.status == "done"
    assert run.certificate.ok, str(run.certificate)
