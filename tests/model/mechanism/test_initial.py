"""Initial values of mechanisms: of joints and their rates, and the spin of bodies after assembly."""

import math

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, load
from dalembert.blocks.numeric import Numeric
from dalembert.survey.initial_numbers import measured


def four_bar(**rest):
    return Mechanism(
        bodies={
            "crank": {"mass": 1, "inertia": 0.01, "at": [0, 0.15], "angle": "pi/2"},
            "coupler": {"mass": 2, "inertia": 0.2, "at": [0.5, 0.4]},
            "rocker": {"mass": 1.5, "inertia": 0.1, "at": [1, 0.3], "angle": "pi/2"},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["crank", "coupler"], "at": [0, 0.3]},
            "C": {"kind": "revolute", "bodies": ["coupler", "rocker"], "at": [1, 0.6]},
            "D": {"kind": "revolute", "bodies": ["ground", "rocker"], "at": [1, 0]},
        },
        **rest,
    )


def arm(**rest):
    inertia = [0.1, 0.1, 0.1]
    return Mechanism(
        dimensions=3,
        bodies={name: {"mass": 1, "inertia": inertia, "at": [k + 0.5, 0, 0]} for k, name in enumerate("abc")},
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0, 0], "axis": [0, 0, 1]},
            "B": {"kind": "cylindrical", "bodies": ["a", "b"], "at": [1, 0, 0], "axis": [0, 1, 0]},
            "C": {"kind": "universal", "bodies": ["b", "c"], "at": [2, 0, 0], "axis": [0, 1, 0], "cross": [0, 0, 1]},
        },
        **rest,
    )


def coin(spin, height=0.07, **rest):
    """A coin of radius 0.1 on the floor, placed 3 cm too low unless something else is said."""
    body = {"mass": 1, "inertia": [0.0025, 0.0025, 0.005], "at": [0, 0, height], "spin": spin, **rest}
    return Mechanism(
        dimensions=3,
        bodies={"coin": body | {"rotation": {"axis": [1, 0, 0], "angle": "pi/2"}}},
        joints={"floor": {"kind": "rolling_disk", "bodies": ["ground", "coin"], "radius": 0.1}},
    )


def values(mechanism, names):
    state = mechanism.start()
    return measured(Numeric(mechanism), list(names), state.q, state.v)


@pytest.mark.parametrize("angle", [0.3, 1.0, 3.0, -3.0, 2 * math.pi - 1, -50.0])
def test_a_crank_is_turned_without_being_put_together_otherwise(angle):
    """A rocker that follows the crank without jumps stays above the ground."""
    given = {"A.angle": angle, "A.angle'": 2}
    mechanism = four_bar(initial=given)
    np.testing.assert_allclose(values(mechanism, given), list(given.values()), atol=1e-9)
    assert abs(values(mechanism, ["D.angle"])[0]) < 1


def test_angle_of_a_joint_is_the_angle_of_its_body():
    by_joint, by_body = four_bar(initial={"A.angle": 0.3}), four_bar(initial={"phi_crank": "pi/2 + 0.3"})
    np.testing.assert_allclose(by_joint.start().q, by_body.start().q, atol=1e-9)


@pytest.mark.parametrize(
    "positions", [[0.3, 0.2, 0.1, 0.4, 0.5], [1.5, -1, 2, -1, 1], [3, -3, 2, 1.7, -2.5], ["pi", 0, 0, "pi", "pi/2"]]
)
def test_all_joints_of_a_spatial_arm(positions):
    names = ["A.angle", "B.angle", "B.distance", "C.angle1", "C.angle2"]
    given = dict(zip([*names, *(f"{name}'" for name in names)], [*positions, 1, 2, 3, 4, 5], strict=True))
    wanted = [math.pi if x == "pi" else math.pi / 2 if x == "pi/2" else x for x in given.values()]
    difference = values(arm(initial=given), given) - wanted
    difference[[0, 1, 3, 4]] = np.angle(np.exp(1j * difference[[0, 1, 3, 4]]))
    np.testing.assert_allclose(difference, 0, atol=1e-8)


def test_distance_of_a_slider():
    guide = {"kind": "prismatic", "bodies": ["ground", "block"], "at": [0, 0], "axis": [3, 4]}
    given = {"D.distance": 0.5, "D.distance'": -2}
    block = Mechanism(bodies={"block": {"mass": 1, "inertia": 1}}, joints={"D": guide}, initial=given)
    state = block.start().as_dict()
    np.testing.assert_allclose([state[name] for name in ("x_block", "y_block", "x_block'")], [0.3, 0.4, -1.2])


def test_files_keep_them(tmp_path):
    mechanism = four_bar(initial={"A.angle": "a", "A.angle'": 2}, parameters={"a": 0.3})
    mechanism.save(tmp_path / "a.toml")
    text = (tmp_path / "a.toml").read_text()
    assert '"A.angle" = "a"' in text
    again = load(tmp_path / "a.toml")
    assert again == mechanism
    assert again.replace(parameters={"a": 0.5}).start()["phi_crank"] == pytest.approx(math.pi / 2 + 0.5)


def test_they_fit_the_drive_of_the_same_joint():
    mechanism = four_bar(initial={"A.angle": 0.1}, drives={"m": {"joint": "A", "angle": "0.1 + t"}})
    np.testing.assert_allclose(values(mechanism, ["A.angle", "A.angle'"]), [0.1, 1])


def test_the_system_without_parts_starts_in_the_same_state():
    mechanism = four_bar(initial={"A.angle": 0.3, "A.angle'": 2})
    for system in (mechanism.system(), mechanism.without("D"), mechanism.reduced()):
        assert system.start()["phi_crank"] == pytest.approx(math.pi / 2 + 0.3)
        assert system.start()["phi_crank'"] == pytest.approx(2)


def test_motion_begins_there():
    run = four_bar().simulate(0.1, initial={"A.angle": 0.3, "A.angle'": 2})
    assert run["phi_crank"][0] == pytest.approx(math.pi / 2 + 0.3)
    assert run.certificate.ok


def test_kinematics_and_mobility_know_them():
    driven = four_bar(initial={"A.angle": 0.2}, drives={"m": {"joint": "A", "angle": "0.2 + t"}})
    assert driven.kinematics([0.0, 0.1]).q[0, 2] == pytest.approx(math.pi / 2 + 0.2)
    assert driven.mobility().freedom == 1


@pytest.mark.parametrize("name", ["A", "A.angel", "A.distance", "A.angle''"])
def test_wrong_quantities_of_a_joint(name):
    with pytest.raises(ModelError, match=r"initial values of joint `A` \(revolute\) are `A.angle` and `A.angle'`"):
        four_bar(initial={name: 1})


def test_joints_without_coordinates():
    with pytest.raises(ModelError, match=r"joint `floor` \(rolling_disk\) are not possible, as it has no coordinate"):
        coin([0, 0, 1]).replace(initial={"floor.angle": 1})


@pytest.mark.parametrize("spin", [[0, 0, 5], [0.3, 0, 5], [0.3, 1, 5]])
def test_spin_is_what_the_body_has_after_assembly(spin):
    mechanism = coin(spin)
    assert abs(mechanism.start()["e1_coin"] - math.sqrt(0.5)) > 0.01  # it had to be turned
    np.testing.assert_allclose(values(mechanism, mechanism.bodies["coin"].spins), spin, atol=1e-9)


def test_spin_that_cannot_be_is_told_as_it_was_given():
    with pytest.raises(ModelError) as error:
        coin([0, 0, 5], 0.1, velocity=[3, 0, 0]).start()
    (problem,) = error.value.problems
    assert "`velocity` of body `coin` = [3, 0, 0], `spin` of body `coin` = [0, 0, 5] contradict" in problem.text
    assert "e0_coin" not in problem.text
    assert problem.key == ("bodies", "coin", "velocity")


def test_what_is_in_initial_wins():
    assert values(coin([0, 0, 5]).replace(initial={"coin.spin_z": 4}), ["coin.spin_z"])[0] == pytest.approx(4)
    assert coin([0, 0, 5], 0.1).replace(initial={"e0_coin'": 0.1}).start()["e0_coin'"] == pytest.approx(0.1)
