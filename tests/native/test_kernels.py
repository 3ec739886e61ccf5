"""Kernels as a user calls them: shapes, parameters, mistakes, and what is compiled when."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import DerivationError, Mechanism, ModelError, SimulationError, System, example
from dalembert.forms.augment import augmentation
from dalembert.native import cache
from dalembert.native.builder import Builder
from dalembert.native.codegen import to_llvm
from dalembert.native.groups import GROUPS, find
from dalembert.native.groups.direct import direct
from dalembert.native.kernels import Kernels
from dalembert.native.routine import Routine
from tests.conftest import pendulum

STATE = ([np.sin(0.6), -np.cos(0.6), 0.6], [0.5 * np.cos(0.6), 0.5 * np.sin(0.6), 0.5])


@pytest.fixture
def empty(tmp_path, monkeypatch):
    monkeypatch.setenv("DALEMBERT_CACHE", str(tmp_path))


def test_one_state_and_many():
    kernel = pendulum().compile()
    one = kernel(0.0, *STATE)
    assert one.acceleration.shape == (3,)
    assert one.multipliers.shape == (2,)
    assert one.rank == 2
    many = kernel(np.linspace(0, 1, 4)[:, None], np.tile(STATE[0], (4, 5, 1)), STATE[1])
    assert many.acceleration.shape == (4, 5, 3)
    assert many.acceleration[3, 2] == pytest.approx(one.acceleration)
    assert kernel(np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3))).acceleration.shape == (0, 3)


def test_parameters_are_inputs(empty):
    system = pendulum()
    kernel = system.compile()
    other = system.replace(parameters={"m": 3.0, "g": 1.6}).compile()
    assert len(cache.entries()) == 1  # nothing was compiled for the new values
    by_name = kernel(0.0, *STATE, {"m": 3.0, "g": 1.6})
    in_order = kernel(0.0, *STATE, [3.0, 0.1, 1.0, 1.6])
    assert by_name.acceleration == pytest.approx(other(0.0, *STATE).acceleration, rel=1e-14)
    assert in_order.acceleration == pytest.approx(by_name.acceleration, rel=1e-14)
    swept = kernel(0.0, *STATE, {"g": np.array([0.0, 1.6, 9.81])})
    assert swept.acceleration.shape == (3, 3)
    assert swept.acceleration[2] == pytest.approx(kernel(0.0, *STATE).acceleration)


def test_choices_are_made_anew_where_they_fail(empty):
    """The platform's mass matrix is singular only for ρ = a: the code kept for other values is not used there."""
    system = example("platform-on-incline")
    system.compile()
    special = system.replace(parameters={"rho": 0.4})
    assert augmentation(special)
    start = special.start()
    found = special.compile()(0.0, start.q, start.v)
    assert len(cache.entries()) == 2
    assert found.acceleration == pytest.approx(special.compile("minimal")(0.0, start.q, start.v).acceleration)
    special.compile()
    assert len(cache.entries()) == 3  # with that of the minimal form


def test_large_systems_take_the_shared_solver():
    """Beyond the size where a form's own algorithm is short, the same numbers come from sparse elimination."""
    system = example("n-four-bar:12")
    builder = Builder(system)
    module = find("minimal").straight(builder)
    assert "own" not in module.facts
    assert module.operations < 100 * (builder.n + builder.s)
    start = system.start()
    plain = system.compile()(0.0, start.q, start.v)
    for form in ("minimal", "explicit", "independent", "reactions"):
        found = system.compile(form)(0.0, start.q, start.v)
        assert found.acceleration == pytest.approx(plain.acceleration, rel=1e-12, abs=1e-12)
        assert found.reaction == pytest.approx(plain.reaction, rel=1e-12, abs=1e-12)


def test_operations_grow_linearly():
    counts = [sum(r.operations for r in (direct(Builder(example(f"chain:{n}"))),)) for n in (20, 40, 80)]
    assert counts[2] - counts[1] == pytest.approx(2 * (counts[1] - counts[0]), rel=0.02)


def test_reaction_of_one_constraint():
    system = pendulum()
    kernel = system.compile()
    whole = kernel(0.0, *STATE)
    parts = [kernel.reaction(name, 0.0, *STATE) for name in ("rod_x", "rod_y")]
    assert np.sum(parts, axis=0) == pytest.approx(whole.reaction)
    assert parts[0] == pytest.approx(whole.multipliers[0] * np.array([1, 0, -np.cos(0.6)]))
    with pytest.raises(ModelError, match="no constraint `rod`"):
        kernel.reaction("rod", 0.0, *STATE)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((0.0, [1, 2], [0, 0, 0]), r"q needs 3 values, one for each coordinate \(x, y, phi\); got 2"),
        ((0.0, [1, 2, 3], 1.0), "v needs 3 values, one for each coordinate .* got a number"),
        ((0.0, np.zeros((2, 3)), np.zeros((4, 3))), r"do not fit together as one state or many: t \(\), q \(2, 3\)"),
        ((0.0, *STATE, [1, 2]), r"parameters need 4 values \(m, J, l, g\), or some of them by name; got \(2,\)"),
        ((0.0, *STATE, {"mass": 1}), "no parameter `mass`"),
    ],
)
def test_mistakes_are_answered(arguments, message):
    with pytest.raises(ModelError, match=message):
        pendulum().compile()(*arguments)


def test_what_has_no_value_is_named():
    system = System("x", kinetic="x'^2/2", potential="-(2/3)*x^1.5", initial={"x": 1})
    kernel = system.compile()
    assert kernel(0.0, [4.0], [0.0]).acceleration == pytest.approx([2.0])
    with pytest.raises(SimulationError, match="no finite value at t = 0, x = -1, x' = 2"):
        kernel(0.0, [-1.0], [2.0])
    with pytest.raises(SimulationError, match="the mass matrix is not positive definite"):
        pendulum().compile()(0.0, *STATE, {"J": 0.0})


def test_parameters_without_values():
    system = pendulum(parameters={"m": 1, "J": 0.1, "l": 1, "g": None})
    kernel = system.compile()
    with pytest.raises(ModelError, match="parameter `g` has no value"):
        kernel(0.0, *STATE)
    assert kernel(0.0, *STATE, {"g": 9.81}).rank == 2


def test_refusals():
    with pytest.raises(DerivationError, match="no form `minimum`; did you mean `minimal`"):
        pendulum().compile("minimum")
    with pytest.raises(DerivationError, match="this system is given by matrices"):
        example("knife-edge").compile("canonical")
    free = System("x y", kinetic="x'^2/2", constraints={"a": "x = t"})
    with pytest.raises(DerivationError, match="the accelerations are not determined along `y`: there is neither"):
        free.compile()


def test_no_constraints_and_no_parameters():
    system = System("x", kinetic="x'^2/2", potential="x^4/4")
    found = system.compile()(0.0, [2.0], [0.0])
    assert found.acceleration == pytest.approx([-8.0])
    assert found.multipliers.shape == (0,)
    assert found.rank == 0
    assert system.compile().project_positions(0.0, [2.0], [0.0]) == pytest.approx([2.0])


def test_projections_that_find_nothing():
    system = System("x", kinetic="x'^2/2", constraints={"a": "x^2 = -1"})
    with pytest.raises(SimulationError, match="no positions that satisfy the constraints are near"):
        Kernels(system).project_positions(0.0, [1.0], [0.0])


def test_projections_do_not_settle_on_a_compromise():
    system = System("x y", kinetic="(x'^2 + y'^2)/2", constraints={"a": "x = p", "b": "x = 2"}, parameters={"p": 1})
    with pytest.raises(SimulationError, match="no positions that satisfy the constraints are near"):
        system.compile().project_positions(0.0, [0.0, 0.0], [0.0, 0.0])
    circle = System("x y", kinetic="(x'^2 + y'^2)/2", constraints={"a": "x^2 + y^2 = p"}, parameters={"p": 1})
    with pytest.raises(SimulationError, match="no positions"):
        circle.compile().project_positions(0.0, [0.0, 0.0], [0.0, 0.0])


@pytest.mark.parametrize("unit", [1e-9, 1.0, 1e9])
def test_projections_in_any_unit(unit):
    """They end at rounding of the model's own lengths, and a compromise of its own size is none."""
    given = {"parameters": {"l": unit, "p": unit}, "constraints": {"a": "x^2 + y^2 = l^2"}}
    circle = System("x y", kinetic="(x'^2 + y'^2)/2", **given)
    q = circle.compile().project_positions(0.0, [0.61 * unit, -0.81 * unit], [0.0, 0.0])
    assert np.hypot(*q) == pytest.approx(unit, rel=4e-16)
    apart = System("x", kinetic="x'^2/2", constraints={"a": "x = l", "b": "x = p"}, parameters={"l": unit, "p": unit})
    with pytest.raises(SimulationError, match="no positions that satisfy the constraints are near"):
        apart.compile().project_positions(0.0, [0.0], [0.0], [unit, 1.1 * unit])


def test_jacobians_of_the_wrong_size():
    with pytest.raises(ModelError, match="`a` needs 3 values, got 1"):
        pendulum().compile().jacobians(0.0, *STATE, [1.0], [0.0, 0.0])


def test_a_coordinate_without_inertia_of_its_own():
    """Its constraint touches nothing that has mass: what is added follows the inertia elsewhere."""
    system = System(
        "x u",
        kinetic="m*x'^2/2 + J*u'^2/2",
        potential="k*(x - u)^2/2",
        constraints={"drive": "u = sin(t)"},
        parameters={"m": 2, "J": 0, "k": 3},
        initial={"x": 0, "x'": 0},
    )
    found = system.compile()(0.5, [0.1, np.sin(0.5)], [0.0, np.cos(0.5)])
    assert found.acceleration == pytest.approx([-3 / 2 * (0.1 - np.sin(0.5)), -np.sin(0.5)])
    assert system.simulate(2.0).certificate.ok


def test_values_only_on_one_side_of_the_start():
    """Equations that end close to the initial position are compiled all the same."""
    system = System("x", kinetic="x'^2/2", potential="-sqrt(x - 1)", initial={"x": 1.001})
    assert system.compile()(0.0, [1.25], [0.0]).acceleration == pytest.approx([1.0])


@pytest.mark.parametrize("form", ["independent", "minimal", "explicit"])
def test_the_shared_solver_stands_in_where_the_choices_of_a_form_fail(form):
    """A door, closed: its angle is not to be seen in e0 there, which is its independent coordinate elsewhere."""
    hinge = {"kind": "revolute", "bodies": ["ground", "door"], "axis": [0, 0, 1]}
    door = Mechanism(
        dimensions=3,
        bodies={"door": {"mass": 23.6, "inertia": [8.18, 9.44, 1.26], "at": [0.4, 0, 1.02], "spin": [0, 0, 1.4]}},
        joints={"upper": {**hinge, "at": [0, 0, 1.8]}, "lower": {**hinge, "at": [0, 0, 0.25]}},
        springs={"closer": {"joint": "upper", "stiffness": 18.5}},
    )
    start = door.start()
    found = door.compile(form)(0.0, [start.q] * 2, [start.v] * 2)
    expected = door.compile()(0.0, start.q, start.v)
    np.testing.assert_allclose(found.acceleration, [expected.acceleration] * 2, atol=1e-9)
    np.testing.assert_allclose(found.reaction, [expected.reaction] * 2, atol=1e-9)
    assert door.simulate(0.5, form=form).certificate.ok


@pytest.mark.parametrize("name", sorted(GROUPS))
def test_groups_do_not_depend_on_what_was_built_before(name):
    """A builder gives the same routines whether it is fresh, or has built every other group."""
    system, used = example("slider-crank"), Builder(example("slider-crank"))
    for other in GROUPS.values():
        other.straight(used)
    texts = []
    for builder in (Builder(system), used):
        module = GROUPS[name].straight(builder)
        texts.append(to_llvm(list(module.routines.values()), module.kernels.values())[0])
    assert texts[0] == texts[1]


def test_every_routine_of_the_solver_can_be_made_first():
    for make in ("finish", "step", "_solve", "_begin", "refine"):
        assert getattr(Builder(example("pendulum")).solver, make)().stores
    M, A = Builder(example("pendulum")).loaded(Routine(""))
    assert M and A


def test_residuals_and_slopes_share_one_tape():
    module = GROUPS["implicit"].straight(Builder(example("slider-crank")))
    assert module.routines["balance"].tape is module.routines["jacobian"].tape


@pytest.mark.parametrize("form", ["minimal", "explicit", "independent"])
def test_a_redundancy_of_some_values_is_none_of_others(form):
    """Code that was made where a constraint follows from another leaves it out; with other values it may not."""
    parts = {"kinetic": "(x'^2 + y'^2 + z'^2)/2", "potential": "9.81*z + 2*x"}
    bands = {"a": "x = a*y", "b": "x = b*y + (c - 1)*z"}
    repeated = System("x y z", **parts, constraints=bands, parameters={"a": 2, "b": 2, "c": 1}, initial={"z": 1})
    q, v = [1.0, 0.5, -1.0], np.zeros(3)  # on x = 2 y and x = 3 y + z/2
    assert repeated.compile(form)(0.0, q, v).acceleration[2] == pytest.approx(-9.81)
    other = repeated.replace(parameters={"b": 3, "c": 1.5}, initial={"z": -1})
    found = other.compile(form)(0.0, q, v)
    expected = other.compile("multipliers")(0.0, q, v)
    assert found.acceleration == pytest.approx(expected.acceleration, abs=1e-12)
    assert found.reaction == pytest.approx(expected.reaction, abs=1e-12)
