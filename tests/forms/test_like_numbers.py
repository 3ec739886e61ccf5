"""Numbers that stand before the same thing are one number, in front of sums, inside of them and below a line."""

from __future__ import annotations

import pytest
import symengine as se

from dalembert import Mechanism, System
from dalembert.algebra.writing.collapsing import collapsed
from dalembert.algebra.writing.figures import without_scale
from dalembert.algebra.writing.numerals import figures

x, y = se.symbols("x y")
SLED = "70*(x'^2 + y'^2)/2 + 2.5*th'^2/2 + 70*0.05*th'*(y'*cos(th) - x'*sin(th))"


def test_like_terms_are_one_term():
    assert collapsed(0.018 * (0.25 * x + 0.1 * y) + 0.003 * x) == 0.0075 * x + 0.0018 * y
    assert collapsed(5.7 * (x + y) - 5.6 * y) == 5.7 * x + 0.1 * y
    long = 0.123456 * (1.23456 * x + y) - 7.654321 * x  # whose product has twelve digits
    assert collapsed(long) == long


def test_quotients_are_divided_out_where_they_are_short():
    one, other = se.Symbol("3.5"), se.Symbol("70.5")
    assert figures((one * x - 2 * other * y) / other) != figures((one * x - other * y) / se.Symbol("3.5"))
    assert figures((one * x - se.Symbol("70.0") * y) / se.Symbol("70.0")) == 0.05 * x - y
    assert str(figures((one * x - y) / se.Symbol("0.7"))) == "(3.5*x - y)/0.7"


def test_what_vanishes_has_no_number_in_all_its_terms():
    governor = System(
        "th phi z",
        kinetic="2*0.35*(l^2*th'^2 + l^2*sin(th)^2*phi'^2)/2 + 1.2*z'^2/2",
        potential="-2*0.35*g*l*cos(th) + 1.2*g*z",
        constraints={"sleeve": "z = -2*l*cos(th)"},
        parameters={"l": 0.12, "g": 9.81},
        initial={"th": 0.5, "phi'": 15},
    )
    equations = governor.derive("minimal").as_dict()["equations"]
    assert equations[1] == "phi''*sin(th) + 2*phi'*th'*cos(th) = 0"
    assert without_scale(1.3 * x - 2.9 * y) == 1.3 * x - 2.9 * y
    assert without_scale(0.5 * x - y) == 0.5 * x - y  # y may be a multiplier, of which the scale is meant


def test_a_sled_with_its_centre_of_mass_before_the_runner():
    constraints = {"runner": "x'*sin(th) = y'*cos(th)"}
    sled = System("x y th", kinetic=SLED, constraints=constraints, initial={"x'": 1, "th'": 0.4, "th": 0})
    first = sled.derive("explicit").as_dict()["equations"][0]
    assert first == "x'' - th'*(0.05*th'*cos(th) - y') = 0"


@pytest.mark.parametrize("form", ["multipliers", "quasi", "independent"])
def test_a_planetary_gear(form):
    """The torques stand in each formula once."""
    gear = {"kind": "gear", "carrier": "carrier"}
    found = Mechanism(
        bodies={
            "sun": {"mass": 0.5, "inertia": 2e-4, "at": [0, 0]},
            "carrier": {"mass": 1, "inertia": 1.5e-3, "at": [0, 0]},
            "planet": {"mass": 0.2, "inertia": 4e-5, "at": [0.042, 0]},
        },
        joints={
            "S": {"kind": "revolute", "bodies": ["ground", "sun"], "at": [0, 0]},
            "C": {"kind": "revolute", "bodies": ["ground", "carrier"], "at": [0, 0]},
            "P": {"kind": "revolute", "bodies": ["carrier", "planet"], "at": [0.042, 0]},
            "inner": {"bodies": ["sun", "planet"], "radii": [0.024, 0.018], **gear},
            "outer": {
                "bodies": ["ground", "planet"],
                "radii": [0.06, 0.018],
                "internal": True,
                "points": [[0, 0], [0, 0]],
                **gear,
            },
        },
        loads={"in": {"body": "sun", "torque": "Ms"}, "out": {"body": "carrier", "torque": "-ML"}},
        parameters={"Ms": 2, "ML": 5},
        gravity=[0, 0],
        by="angles",
    ).derive(form)
    if form == "multipliers":
        written = list(found.as_dict()["multipliers"].values())
        assert written[0] == "-(19.6875*ML + 58.235*Ms)/3.05139"
    else:
        written = found.as_dict()["equations"][:1]
    assert all(text.count("Ms") == text.count("ML") == 1 for text in written)
