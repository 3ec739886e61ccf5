"""No formula has a term that is only rounding: numbers that cancel are gone, and those that are small stay."""

from __future__ import annotations

import re

import pytest
import symengine as se

from dalembert import Mechanism, System
from dalembert.algebra.writing.numerals import figures
from dalembert.model.mechanism.vectors import settle

JUNK = re.compile(r"\de-1[5-9]|\de-2\d|\.\d*0{6}\d|\.\d*9{7}")


def joint(first, second, at, kind="revolute", **more):
    return {"kind": kind, "bodies": [first, second], "at": at, **more}


def bar(at, angle=0, **more):
    return {"mass": 0.2, "inertia": 0.002, "at": at, "angle": angle, **more}


def bars_at_right_angles():
    return Mechanism(
        bodies={"a": bar([0.1, 0.1], "pi/4"), "b": bar([0.3, 0.1], "-pi/4")},
        joints={"O": joint("ground", "a", [0, 0]), "B": joint("a", "b", [0.2, 0.2])},
        gravity=[0, 0],
        by="angles",
    )


def bars_of_a_length():
    at = ["l/2*sin(0.3)", "-l/2*cos(0.3)"], ["l/2*sin(0.3)", "-3*l/2*cos(0.3)"]
    return Mechanism(
        bodies={"a": bar(at[0], "0.3 - pi/2"), "b": bar(at[1], "-0.3 - pi/2")},
        joints={"O": joint("ground", "a", [0, 0]), "B": joint("a", "b", ["l*sin(0.3)", "-l*cos(0.3)"])},
        parameters={"l": 2},
    )


def rod_in_space():
    return Mechanism(
        dimensions=3,
        bodies={
            "crank": {"mass": 1, "inertia": [0.001, 0.01, 0.01], "at": [0, 0.05, 0]},
            "rocker": {"mass": 2, "inertia": [0.02, 0.02, 0.002], "at": [0.4, 0, 0.15]},
        },
        joints={
            "A": joint("ground", "crank", [0, 0, 0], axis=[1, 0, 0]),
            "rod": joint("crank", "rocker", [[0, 0.1, 0], [0.4, 0, 0.3]], "rod"),
            "D": joint("ground", "rocker", [0.4, 0, 0], axis=[0, 1, 0]),
        },
        by="joints",
    )


def rope_along_slots():
    block = {"body": "block", "point": [0, 0], "radius": 0.1, "side": "left"}
    above = {"body": "ground", "point": [0.35, 0.2], "radius": 0.15, "side": "right"}
    return Mechanism(
        bodies={
            "block": {"mass": 12, "inertia": 0.05, "at": [0.1, -2]},
            "weight": {"kind": "particle", "mass": 8, "at": [0.5, -1]},
        },
        joints={
            "rope": {
                "kind": "rope",
                "bodies": ["ground", "weight"],
                "points": [[0, 0], [0, 0]],
                "over": [block, above],
            },
            "g1": joint("ground", "block", [0.1, -2], "slot", axis=[0, 1]),
            "g2": joint("ground", "weight", [0.5, -1], "slot", axis=[0, 1]),
        },
        by="joints",
    )


def spring_on_an_arm():
    return Mechanism(
        bodies={"arm": {"mass": "m", "inertia": 0.012, "at": ["L/2", 0], "points": {"P": [-0.15, 0.01]}}},
        joints={"A": joint("ground", "arm", [0, 0])},
        springs={
            "s": {
                "bodies": ["ground", "arm"],
                "points": [[0, 0.1], "P"],
                "stiffness": "k",
                "length": 0.06,
                "damping": 5,
            }
        },
        parameters={"k": 420, "m": 0.9, "L": 0.4},
        by="joints",
    )


@pytest.mark.parametrize(
    ("build", "form"),
    [
        (bars_at_right_angles, "minimal"),
        (bars_of_a_length, "minimal"),
        (rod_in_space, "multipliers"),
        (rope_along_slots, "minimal"),
        (spring_on_an_arm, "quasi"),
    ],
)
def test_no_rounding_is_printed(build, form):
    text = str(build().derive(form))
    assert not JUNK.findall(text)


def test_bars_are_written_as_by_hand():
    found = bars_at_right_angles().derive("minimal").as_dict()["equations"]
    assert found[0] == "0.022*phi_a'' + 0.008*(phi_b''*cos(phi_a - phi_b) + phi_b'^2*sin(phi_a - phi_b)) = 0"


def test_small_numbers_stay():
    oscillator = System("x", kinetic="1.2*x'^2/2", forces={"x": "-1e-18*x' - 3.5e-17*x^3 - 2.5*x"})
    assert oscillator.derive("multipliers").as_dict()["equations"] == ["1.2*x'' + 1e-18*x' + x*(3.5e-17*x^2 + 2.5) = 0"]
    small = Mechanism(
        bodies={"a": {"mass": 1, "inertia": 1e-18, "at": [2.5e-17, 0.3]}},
        joints={"O": joint("ground", "a", [0, 0])},
        by="angles",
    )
    (found,) = small.derive("minimal").as_dict()["equations"]
    assert "g*(2.5e-17*cos(phi_a) - 0.3*sin(phi_a))" in found


def test_what_cancels_is_judged_by_what_is_added_up():
    x, l = se.symbols("x l")
    s, c = se.sin(se.RealDouble(0.3)), se.cos(se.RealDouble(0.3))
    left = [s * (1 - c * c) / s * l, -s * s / s * s * l]  # both are sin²
    assert settle([left[0]], [left[1]], [1e-18 * x]) == (1e-18 * x,)
    assert settle([0.3 * l], [-0.1 * l], [-0.2 * l + x]) == (x,)
    assert settle([se.sqrt(2) * 0.3], [-se.sqrt(2) * 0.1], [-se.sqrt(2) * 0.2]) == (0,)


def test_numbers_that_are_rounded_cancel():
    x = se.Symbol("x")
    long, tenth, short = map(se.Symbol, ("0.0196116135138184", "0.1", "0.196116135138184"))
    assert figures((long - tenth * short) * x) == 0
    assert figures((se.Symbol("1e-18") - se.Symbol("3e-18")) * x) == -2e-18 * x
    assert figures(0.0024 * x * se.Symbol("0.1") - 0.00054 * x) == se.RealDouble(-0.0003) * x
    assert figures((se.Symbol("0.1") * x) ** 2 * tenth + x) == x + se.RealDouble(0.001) * x**2


def test_a_motion_without_freedom_has_no_projection():
    """P = E − N A is zero where constraints leave no motion, and is written so as a number too."""
    crank = Mechanism(
        bodies={
            "crank": {"mass": 0.1, "inertia": 1e-5, "at": [0.02, 0]},
            "rod": {"mass": 0.3, "inertia": 0.00225, "at": [0.17, 0.04]},
            "blade": {"mass": 0.5, "inertia": 0.02, "at": [0.3, 0.25]},
        },
        joints={
            "M": joint("ground", "crank", [0, 0]),
            "B": joint("crank", "rod", [0.04, 0]),
            "C": joint("rod", "blade", [0.3, 0.09]),
            "D": joint("ground", "blade", [0.3, 0]),
        },
        drives={"motor": {"joint": "M", "speed": 6.8}},
        gravity=[0, 0],
    )
    structure = crank.derive("explicit").structure
    assert {entry for row in structure["P"] for entry in row} == {"0"}


def test_integrals_put_numbers_together():
    """Bars at 45° by their decimals: products are multiplied out, and no number has thirty digits."""
    turned, plain = 0.7853981633974483, {"O": joint("ground", "a", [0, 0]), "B": joint("a", "b", [0.2, 0.2])}
    bodies = {"a": bar([0.1, 0.1], turned), "b": bar([0.3, 0.1], -turned), "c": bar([0.15, 0.05], -turned)}
    frame = Mechanism(bodies=bodies, joints=plain | {"C": joint("a", "c", [0.1, 0.1])}, gravity=[0, 0], by="angles")
    numbers = re.findall(r"(?<![\w.])\d[\d.e-]*", frame.integrals().as_dict()["energy"]["value"])
    assert sorted(map(float, set(numbers) - {"2"})) == [0.0015, 0.002, 0.003, 0.008, 0.013]
    (momentum,) = (value for name, value in bars_at_right_angles().integrals().as_dict().items() if name != "energy")
    assert momentum["value"] == "0.008*cos(phi_a - phi_b)*(phi_a' + phi_b') + 0.022*phi_a' + 0.006*phi_b'"


def test_a_product_of_roots_of_fifteen_digits_is_what_it_means():
    x = se.Symbol("x")
    root, tenth = se.Symbol("0.14142135623731"), se.Symbol("0.00707106781186547")
    assert figures(root * tenth * x) == se.RealDouble(0.001) * x
    assert str(figures(se.Symbol("0.123456789012345") * x)) == "0.123456789012345*x"
