"""What forces may name: multipliers and quantities of parts; what is wrong with them is said."""

from __future__ import annotations

import pickle

import pytest

from dalembert import Mechanism, System, load
from dalembert.errors import ModelError
from dalembert.model.textfile import loads

from .models import BLOCK, GUIDED, LADDER, MODELS, WEDGE

HEAD = """format = 1
coordinates = ["x", "y"]
[energy]
kinetic = "x'^2/2 + y'^2/2"
potential = "9.81*y"
[constraints]
floor = "y = 0"
[forces]
"""


@pytest.mark.parametrize(
    ("force", "said"),
    [
        ("lambda_flor", "10: x: unknown name `lambda_flor`; did you mean `lambda_floor`"),
        ("lambda_floor'", "unknown name `lambda_floor'`"),
        ("A.force", "there is no part `A`"),
        ("x'' + lambda_floor", "a force depends on accelerations"),
    ],
)
def test_wrong_names(force, said):
    with pytest.raises(ModelError, match=said):
        loads(f'{HEAD}\nx = "{force}"\n')


def test_multipliers_stand_in_forces_only():
    for part in ("kinetic", "potential"):
        with pytest.raises(ModelError, match="unknown name `lambda_floor`"):
            System("x", **{"kinetic": "x'^2/2", part: "lambda_floor*x'^2"}, constraints={"floor": "x = 0"})
    with pytest.raises(ModelError, match="unknown name `lambda_floor`"):
        System("x", kinetic="x'^2/2", constraints={"floor": "x = lambda_floor"})


def test_names_of_the_model_win():
    system = BLOCK.replace(parameters={}, forces={"x": "-lambda_floor"})
    assert system.followed == {"floor"}
    own = System(
        "x",
        kinetic="x'^2/2",
        forces={"x": "-lambda_floor"},
        constraints={"floor": "x = 0"},
        parameters={"lambda_floor": 3},
    )
    assert not own.followed
    assert own.blocks.f[0].free_symbols


@pytest.mark.parametrize("model", MODELS)
def test_saved_and_read_again(model, tmp_path):
    system = MODELS[model]
    system.save(tmp_path / "model.toml")
    assert load(tmp_path / "model.toml") == system == pickle.loads(pickle.dumps(system))
    assert load(tmp_path / "model.toml").followed == system.followed


def test_parts_may_be_named():
    springs = {"stop": {"joint": "guide", "force": "0.5*guide.force + 3*rate"}}
    system = GUIDED.replace(springs=springs)
    assert system.followed == {"guide.normal"}
    found = system.compile()(0, [0, 0, 0], [1, 0, 0]).acceleration[0]
    assert found == pytest.approx((-0.2 * 2 * 9.81 - 0.5 * 2 * 9.81 - 3) / 2, rel=1e-13)
    plain = system.system()
    assert plain.followed == {"guide.normal"}
    assert plain.compile()(0, [0, 0, 0], [1, 0, 0]).acceleration[0] == pytest.approx(found, rel=1e-13)


def test_what_depends_on_itself():
    with pytest.raises(ModelError, match=r"`brake\.force` depends on itself"):
        GUIDED.replace(actuators={"brake": {"joint": "guide", "force": "-brake.force"}})


def test_drives_and_joints_that_carry():
    with pytest.raises(ModelError, match=r"a drive is a function of time; `guide\.normal`"):
        GUIDED.replace(drives={"d": {"joint": "guide", "distance": "guide.normal"}})
    with pytest.raises(ModelError, match=r'the joint carries a body.*coordinates = "absolute"'):
        GUIDED.replace(by="joints")


def test_loops_of_a_tree_may_be_followed():
    """A four-bar by joints: the joint that closes the loop has multipliers, in the coordinates of bodies too."""
    given = {
        "bodies": {
            "a": {"mass": 1, "inertia": 0.1, "at": [0, 0.5]},
            "b": {"mass": 2, "inertia": 0.3, "at": [0.6, 1.1]},
            "c": {"mass": 1.5, "inertia": 0.2, "at": [1.3, 0.6]},
        },
        "joints": {
            "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["a", "b"], "at": [0, 1]},
            "C": {"kind": "revolute", "bodies": ["b", "c"], "at": [1.2, 1.2]},
            "D": {"kind": "revolute", "bodies": ["c", "ground"], "at": [1.4, 0]},
        },
        "actuators": {"brake": {"joint": "A", "torque": "-0.05*sqrt(1 + C.x^2 + C.y^2)*sign(rate)"}},
        "initial": {"A.angle'": 2},
    }
    absolute = Mechanism(**given)
    first = absolute.simulate(0.2)
    run = absolute.replace(by="joints").simulate(0.2)
    assert run.certificate.ok and first.certificate.ok
    assert run.evaluate("C.force")[-1] == pytest.approx(first.evaluate("C.force")[-1], rel=1e-6)


def test_laws_and_rates_may_follow_them():
    system = BLOCK.replace(
        controls={"u": {"acts": {"x": "1"}, "law": "0.1*lambda_floor"}},
        states={"heat": "mu*abs(lambda_floor)*abs(x')"},
    )
    run = system.simulate(0.2)
    assert run.certificate.ok
    same = system.reduced().simulate(0.2)
    assert same["heat"][-1] == pytest.approx(run["heat"][-1], rel=1e-9)
    N = 2 * 9.81 * 0.9393727128473789  # cos(0.35)
    assert run["heat"][-1] == pytest.approx(0.2 * N * run["x"][-1], rel=1e-8)
    assert run["x''"][0] == pytest.approx((-2 * 9.81 * 0.3428978074554514 - 0.1 * N) / 2, rel=1e-12)


def test_fewer_coordinates_keep_what_forces_need():
    reduced = WEDGE.reduced()
    assert [c.name for c in reduced.constraints] == ["face"] and "x" not in reduced.coordinates
    a = WEDGE.compile()(0, [0, 0, 0], [-0.5, 0, 0.5 * 0.36502849483786586])
    b = reduced.compile()(0, [0, 0], [-0.5, 0.5 * 0.36502849483786586])
    assert b.acceleration[0] == pytest.approx(a.acceleration[0], rel=1e-12)
    assert b.multipliers[0] == pytest.approx(a.multipliers[0], rel=1e-12)
    assert "lambda_floor" in str(LADDER.release("floor").multipliers["floor"])


def test_constraints_that_forces_need_stay():
    with pytest.raises(ModelError, match="forces depend on the reaction of `floor`"):
        BLOCK.without("floor")


def test_methods_that_take_forces_apart():
    with pytest.raises(ModelError, match="`rattle` takes forces and reactions apart"):
        BLOCK.simulate(0.1, method="rattle", step=0.01)
