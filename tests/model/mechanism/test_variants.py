"""Variants: parts change entry by entry, None takes away, and what cannot be meant is refused."""

import pytest

from dalembert import Mechanism, ModelError, System


def machine():
    return Mechanism(
        bodies={
            "b": {"mass": 85, "inertia": 2, "at": [1, 2], "spin": 3, "velocity": [4, 5], "points": {"P": [1, 0]}},
            "w": {"mass": 1, "inertia": 1, "at": [2, 2]},
        },
        joints={"A": {"kind": "revolute", "bodies": ["ground", "w"], "at": [2, 2]}},
        drives={"m": {"joint": "A", "angle": "t"}},
    )


def gyroscope():
    return Mechanism(dimensions=3, bodies={"b": {"mass": 85, "inertia": [2, 2, 3], "spin": [1, 2, 3]}})


def entries(mechanism, body="b"):
    return dict(mechanism.tables["bodies"][body])


def test_an_entry_is_taken_away_and_the_others_stay():
    variant = machine().replace(bodies={"b": {"spin": None}})
    assert entries(variant) == {key: value for key, value in entries(machine()).items() if key != "spin"}
    assert dict(variant.initial) == {"x_b'": 4, "y_b'": 5}


def test_an_entry_is_changed_and_the_others_stay():
    variant = machine().replace(bodies={"b": {"mass": 80}})
    assert entries(variant) == entries(machine()) | {"mass": 80}
    assert variant.bodies["w"].mass == 1


def test_tables_inside_a_part():
    assert set(machine().replace(bodies={"b": {"points": {"Q": [0, 1]}}}).bodies["b"].frames) == {"P", "Q"}
    assert not machine().replace(bodies={"b": {"points": {"P": None}}}).bodies["b"].frames


def test_parts_come_and_go():
    assert set(machine().replace(bodies={"b": None}).bodies) == {"ground", "w"}
    assert machine().replace(bodies={"c": {"mass": 1, "inertia": 1}}).bodies["c"].mass == 1


def test_one_drive_for_another():
    variant = machine().replace(drives={"m": {"angle": None, "speed": 2}})
    assert variant.drives["m"].kind == "speed"


def test_a_joint_of_another_kind_is_a_new_one():
    joint = {"kind": "slot", "bodies": ["ground", "w"], "at": [2, 2], "axis": [1, 0]}
    assert machine().replace(joints={"A": joint}).joints["A"].kind == "slot"


def test_initial_values_that_a_body_gives_are_taken_away_too():
    assert dict(machine().replace(initial={"phi_b'": None}).initial) == {"x_b'": 4, "y_b'": 5}
    assert dict(machine().replace(initial={"x_b'": None}).initial) == {"phi_b'": 3, "y_b'": 5}
    assert dict(gyroscope().replace(initial={"b.spin_x": None}).initial) == {"b.spin_y": 2, "b.spin_z": 3}
    assert machine().replace(initial={"x_b'": None}).bodies["b"].mass == 85


def test_rates_of_euler_parameters_follow_from_the_spin():
    with pytest.raises(
        ModelError, match=r"`e0_b'` .* follows from `spin` of body `b`; .*bodies=\{\"b\": \{\"spin\": No"
    ):
        gyroscope().replace(initial={"e0_b'": None})
    assert dict(gyroscope().replace(bodies={"b": {"spin": None}}, initial={"e0_b'": None}).initial) == {}
    assert dict(gyroscope().replace(initial={"e0_b'": 0}).replace(initial={"e0_b'": None}).initial) == {
        "b.spin_x": 1,
        "b.spin_y": 2,
        "b.spin_z": 3,
    }


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"bodies": {"b": {"spinn": None}}}, "bodies.b.spinn: unknown entry; did you mean `spin`?"),
        ({"bodies": {"c": None}}, "bodies: there is no `c` to take away"),
        ({"bodies": {"b": {"points": {"Z": None}}}}, "bodies.b.points.Z: `Z` is missing"),
        ({"bodies": [1]}, "`bodies` takes values by name, as in"),
        ({"bodies": {"b": 5}}, "bodies.b: expected a table"),
        ({"drives": {"m": {"speed": 2}}}, "`angle` and `speed` say the same thing twice"),
        ({"initial": {"x_c'": None}}, "initial: there is no `x_c'` to take away; did you mean"),
        ({"initial": 7}, "`initial` takes values by name"),
        ({"initial": {7: 7}}, "values are given by names or symbols"),
        ({"simulation": {"untl": None}}, "simulation: there is no `untl` to take away; did you mean `until`?"),
        ({"wheels": {}}, "a mechanism has no `wheels`; parts: "),
    ],
)
def test_what_cannot_be_meant(change, message):
    with pytest.raises(ModelError) as error:
        machine().replace(**change)
    assert message in str(error.value)


def test_systems_too():
    system = System("x y", kinetic="x'^2 + y'^2", initial={"x": 1}, simulation={"until": 3, "method": "radau"})
    assert dict(system.replace(simulation={"until": 5}).simulation) == {"until": 5, "method": "radau"}
    assert dict(system.replace(initial={"x": None, "y": None}).initial) == {}
    with pytest.raises(ModelError, match="initial: there is no `z` to take away"):
        system.replace(initial={"z": None})
    with pytest.raises(ModelError, match="forces: there is no `z` to take away"):
        system.replace(forces={"z": None})
