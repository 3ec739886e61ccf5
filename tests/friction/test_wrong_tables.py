"""Every wrong entry of a friction is answered with its place and what to do."""

from __future__ import annotations

import warnings

import pytest

from dalembert import DalembertError, Mechanism, ModelError, System

GOOD = {"constraint": "floor", "slip": "x'", "coefficient": "mu"}


def block(rub, mu: float = 0.2) -> System:
    return System(
        coordinates="x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="m*g*y",
        constraints={"floor": "y = 0"},
        friction={"f": rub},
        parameters={"m": 1, "g": 10, "mu": mu},
        initial={"x'": 2},
    )


@pytest.mark.parametrize(("change", "words"), [
    ({"coefficient": -0.1}, ["coefficient", "-0.1", "below 0"]),
    ({"static": 0.1}, ["static", "0.1", "0.2", "leave it out"]),
    ({"coefficient": "nu"}, ["coefficient", "unknown name `nu`"]),
    ({"coefficient": [1, 2]}, ["coefficient", "got list"]),
    ({"coefficient": None}, ["missing", "coefficient"]),
    ({"coefficient": float("nan")}, ["coefficient", "nan"]),
    ({"coefficient": True}, ["coefficient", "true"]),
    ({"constraint": "flor"}, ["no constraint `flor`", "did you mean `floor`"]),
    ({"constraint": 3}, ["constraint", "got 3"]),
    ({"constraint": ["floor", "wall"]}, ["no constraint `wall`"]),
    ({"constraint": []}, ["constraint"]),
    ({"constraint": ["floor", "floor"]}, ["constraint", "twice", "once"]),
    ({"slip": ["x'", "x'"]}, ["slip", "depend on each other"]),
    ({"slip": ["x'", "(1 + mu)*x'"]}, ["slip", "depend on each other"]),
    ({"slip": ["x'", "y' + x'", "x' - y'"]}, ["slip", "depend on each other"]),
    ({"constraint": None, "joint": "A"}, ["no joint `A`"]),
    ({"joint": "A"}, ["take one of them away"]),
    ({"slip": "x'^2"}, ["slip", "linear"]),
    ({"slip": "x"}, ["slip", "velocit"]),
    ({"slip": "x''"}, ["slip", "accelerations"]),
    ({"slip": 0}, ["slip", "velocit"]),
    ({"slip": "abs(x')"}, ["slip", "linear"]),
    ({"slip": "z'"}, ["slip", "unknown name `z`"]),
    ({"slip": "x'*lambda_floor"}, ["slip"]),
    ({"slip": []}, ["slip"]),
    ({"slip": "y'"}, ["slip"]),
    ({"slip": None}, ["slip", "missing"]),
    ({"coefficient": None, "law": "-0.3*N"}, ["law", "-0.3"]),
    ({"coefficient": None, "law": "0.3*N*(1 - 2*v)"}, ["law", "v = 1"]),
    ({"coefficient": None, "law": "N/v"}, ["law", "no finite value"]),
    ({"coefficient": None, "law": "N*x''"}, ["law", "accelerations"]),
    ({"coefficient": None, "law": "N*q"}, ["law", "unknown name `q`"]),
    ({"law": "0.3*N"}, ["law", "coefficient", "take one away"]),
    ({"coefficient": None, "law": "0.3*N*(1 + v)", "static": 0.1}, ["static", "0.1", "0.3", "leave it out"]),
    ({"coefficient": "mu*(1 - x')"}, ["coefficient", "-0.2", "at the start", "below 0"]),
    ({"coefficient": None, "law": "N*(0.1 - x' + y)"}, ["law", "-1.9", "at the start"]),
    ({"viscous": "1 - x'"}, ["viscous", "-1", "at the start"]),
    ({"coefficient": "mu*(1 + x')", "static": 0.4}, ["static", "at the start", "leave it out"]),
    ({"normal": "-lambda_floor"}, ["normal", "-10", "at the start", "abs"]),
    ({"normal": "m*g*(x'/4 - 1)"}, ["normal", "-5", "at the start"]),
    ({"normal": "lambda_wall"}, ["normal", "unknown name `lambda_wall`"]),
    ({"normal": "-5"}, ["normal"]),
    ({"normal": "5 + f.tangent"}, ["normal", "itself"]),
    ({"static": 0.4, "stribeck": -0.1}, ["stribeck", "above zero"]),
    ({"static": 0.4, "stribeck": 0}, ["stribeck", "above zero"]),
    ({"stribeck": 0.1}, ["stribeck", "static"]),
    ({"viscous": -3}, ["viscous", "-3"]),
    ({"smooth": -1}, ["smooth", "above zero"]),
    ({"smooth": 0}, ["smooth", "above zero"]),
    ({"smooth": 0.01, "static": 0.4}, ["smooth", "static"]),
    ({"radius": 0.1}, ["radius", "joint"]),
    ({"share": "equal"}, ["share", "least norm"]),
    ({"mu": 0.1}, ["friction.f.mu", "unknown entry"]),
])  # fmt: skip
def test_wrong_entries(change, words):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(DalembertError) as caught:
            block({**GOOD, **change}).simulate(0.01)
    text = str(caught.value)
    assert text.startswith("friction.f") and not [word for word in words if word not in text], text
    assert "Error:" not in text and "got something else" not in text


def test_a_negative_parameter():
    with pytest.raises(ModelError, match="coefficient"):
        block(GOOD, -0.2).simulate(0.01)


@pytest.mark.parametrize("table", ["hello", [GOOD], 3])
def test_wrong_kinds(table):
    with pytest.raises(ModelError, match="friction"):
        block(table)


def pendulum(**rub) -> Mechanism:
    return Mechanism(
        gravity=[0, -9.81],
        bodies={"b": {"mass": 2, "inertia": 0.1, "at": [0.5, 0]}},
        joints={"J": {"kind": "revolute", "bodies": ["ground", "b"], "at": [0, 0]}},
        friction={rub.pop("name", "f"): {"joint": "J", "coefficient": 0.02, **rub}},
    )


def test_a_radius_or_the_sliding_velocity_itself():
    """Of two that say the same none is passed over: with `slip` the radius is in it."""
    with pytest.raises(ModelError, match=r"friction\.f.*`radius` changes nothing beside `slip`.*take one of them away"):
        pendulum(radius=0.5, slip="0.3*phi_b'")
    with pytest.raises(ModelError, match="`radius` is missing"):
        pendulum()
    ends = [pendulum(**rub).simulate(0.5)["phi_b"][-1] for rub in ({"slip": "0.3*phi_b'"}, {"radius": 0.3})]
    assert ends[0] == pytest.approx(ends[1], rel=1e-10)
    loaded = pendulum(radius=0.3, normal="J.force").simulate(0.5)["phi_b"][-1]
    assert loaded == pytest.approx(ends[1], rel=1e-10)


def test_a_friction_has_a_name_of_its_own():
    with pytest.raises(ModelError, match=r"friction\.J.*`J` is the name of a joint already.*name of its own"):
        pendulum(name="J", radius=0.3)
    with pytest.raises(ModelError, match="`b` is the name of another part"):
        pendulum(name="b", radius=0.3)
