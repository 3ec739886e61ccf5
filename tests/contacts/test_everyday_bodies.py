"""Boxes that are pushed, stacked and dropped on several feet, as one meets them every day; and gaps that are none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from dalembert import Mechanism, ModelError, System
from tests.contacts.seen import kinds, times

G = 9.81


def pushed(force: str, mu: float, order: str = "lr") -> Mechanism:
    """A box of 2 kg that is pushed at its top, 0.3 above the floor; its feet are 0.1 apart."""
    feet = {"l": [-0.05, -0.15], "r": [0.05, -0.15]}
    return Mechanism(
        bodies={"a": {"mass": 2, "inertia": 0.0166666, "at": [0, 0.15]}},
        contacts={k: {"bodies": ["ground", "a"], "points": [[0, 0], feet[k]], "friction": mu} for k in order},
        loads={"F": {"body": "a", "point": [0, 0.15], "force": [force, 0]}},
    )


@pytest.mark.parametrize(("force", "sign"), [("10*t", 1), ("-10*t", -1)])
@pytest.mark.parametrize("mu", [0.3, 1.5])
@pytest.mark.parametrize("order", ["lr", "rl"])
def test_a_box_that_is_pushed_tips_over_its_edge(force, sign, mu, order):
    """From F·0.3 = m g·0.05 on it turns about its other foot, in whatever order they are written."""
    run = pushed(force, mu, order).simulate(0.6)
    begins = 2 * G * 0.05 / 0.3 / 10

    def rate(t, y):
        """The angle about the foot: the centre is at (−0.05, 0.15), the push at (−0.05, 0.3), turned by φ."""
        c, s = np.cos(y[0]), np.sin(y[0])
        moment = -10 * t * (-0.05 * s + 0.3 * c) + 2 * G * (0.05 * c + 0.15 * s)
        return [y[1], moment / (0.0166666 + 2 * 0.025)]

    exact = solve_ivp(rate, (begins, 0.6), [0, 0], rtol=1e-11, atol=1e-13).y[0, -1]
    assert kinds(run) == [("l" if sign > 0 else "r", "open")] and run.certificate.ok
    assert run.events[0].t == pytest.approx(begins, abs=1e-9)
    assert run["phi_a"][-1] == pytest.approx(sign * exact, rel=1e-8)


@pytest.mark.parametrize("feet", [2, 3])
def test_a_table_slips_as_a_whole(feet):
    """Whatever its feet share: from 20 t = 0.4 m g on."""
    places = {2: (-0.3, 0.3), 3: (-0.3, 0.0, 0.3)}[feet]
    run = Mechanism(
        bodies={"b": {"mass": 2, "inertia": 0.5, "at": [0, 0.7]}},
        contacts={
            f"leg{k}": {"bodies": ["ground", "b"], "points": [[0, 0], [x, -0.7]], "friction": 0.4}
            for k, x in enumerate(places)
        },
        loads={"F": {"body": "b", "force": ["20*t", 0]}},
    ).simulate(0.6)
    begins = 0.4 * G * 2 / 20
    assert times(run, "slip")[0] == pytest.approx(begins, abs=1e-9) and run.certificate.ok
    assert any("their parts are not determined" in note for note in run.certificate.notes)
    assert run["x_b"][-1] == pytest.approx(20 / 6 / 2 * (0.6 - begins) ** 3, rel=1e-8)


@pytest.mark.parametrize("legs", [3, 4])
def test_a_table_in_space_bounces_level_until_it_stands(legs):
    places = [(0.3, 0.3), (-0.3, 0.3), (0, -0.3)] if legs == 3 else [(0.3, 0.3), (-0.3, 0.3), (-0.3, -0.3), (0.3, -0.3)]
    run = Mechanism(
        dimensions=3,
        bodies={"b": {"mass": 4, "inertia": [0.1, 0.1, 0.1], "at": [0, 0, 0.9]}},
        contacts={
            f"leg{i}": {"bodies": ["ground", "b"], "points": [[0, 0, 0], [x, y, -0.7]], "restitution": 0.3}
            for i, (x, y) in enumerate(places)
        },
    ).simulate(1)
    assert times(run, "zeno") == pytest.approx([np.sqrt(0.4 / G) * 1.3 / 0.7], abs=1e-9)
    assert run["z_b"][-1] == pytest.approx(0.7, abs=1e-12) and run.certificate.ok


def stack(count: int, speed: float = 0.0) -> Mechanism:
    """Boxes of height 0.2 on each other, each 0.03 further on; the highest may slide."""
    w, h = 0.4, 0.2
    bodies, contacts = {}, {}
    for k in range(count):
        body = {"mass": 1.2, "inertia": 0.02, "at": [0.03 * k, h / 2 + h * k], "velocity": [0, 0]}
        bodies[f"b{k}"] = {**body, "velocity": [speed, 0]} if k == count - 1 else body
        for side, x in (("l", -w / 2), ("r", w / 2)):
            ends = [[0, h / 2 if k else 0], [x, -h / 2]]
            below = f"b{k - 1}" if k else "ground"
            contacts[f"c{k}{side}"] = {"bodies": [below, f"b{k}"], "points": ends, "friction": 0.5}
    return Mechanism(bodies=bodies, contacts=contacts)


def test_boxes_stand_on_each_other():
    """Three of them, whose places are sums of decimals: the loads follow from where their centres are."""
    run = stack(3).simulate(1)
    assert run.events == [] and run.certificate.ok
    assert np.abs(run.q[-1] - run.q[0]).max() < 1e-12
    for name, load in (("c2l", 0.5), ("c2r", 0.5), ("c1l", 1 - 0.03 / 0.4), ("c1r", 1 + 0.03 / 0.4)):
        assert run[f"{name}.normal"][-1] == pytest.approx(load * 1.2 * G, rel=1e-9)


def test_a_box_slides_on_another_one_to_rest():
    """It stops after v/(μ g), and nothing that does not move is taken for an impact."""
    run = stack(2, speed=1.0).simulate(0.5)
    assert times(run, "stick") == pytest.approx([1 / (0.5 * G)] * 2, abs=1e-9) and not run.impacts
    assert run["x_b1"][-1] == pytest.approx(0.03 + 1 / (2 * 0.5 * G), rel=1e-9) and run.certificate.ok


@pytest.mark.parametrize(
    ("gap", "advice"), [("y^2", "`y`"), ("abs(y)", "`y`"), ("sqrt((x - y)^2)", "`x - y`"), ("y^3", "`y`")]
)
def test_gaps_without_a_gradient_are_refused(gap, advice):
    """Nothing would be met: y² is not below zero on either side."""
    system = System(
        "x y", kinetic="(x'^2 + y'^2)/2", potential="9.81*y", contacts={"f": {"gap": gap}}, initial={"y": 1}
    )
    with pytest.raises(ModelError, match=f"gap of contact `f` has no gradient where it is zero.*give {advice}"):
        system.simulate(1)
    assert "has no gradient" in str(system.check())


def test_what_is_left_of_a_pulse_is_no_gap():
    bump = System(
        "y", kinetic="y'^2/2", potential="9.81*y", contacts={"f": {"gap": "y - 0.05*exp(-((t - 1.234)/0.1)^2)"}}
    )
    assert bump.simulate(0.5).certificate.ok


@pytest.mark.parametrize("law", ["newton", "poisson"])
def test_pendulums_that_touch_swing_together(law):
    """Nothing presses between them, and rounding of that is neither a reaction nor its end."""
    names = [f"p{k}" for k in range(4)]
    row = System(
        " ".join(names),
        kinetic=" + ".join(f"0.3*0.8^2*{name}'^2/2" for name in names),
        potential=" - ".join(["0", *(f"0.3*9.81*0.8*cos({name})" for name in names)]),
        contacts={
            f"c{k}": {"gap": f"0.8*(sin(p{k + 1}) - sin(p{k}))", "restitution": 0.9, "law": law} for k in range(3)
        },
        initial=dict.fromkeys(names, 0.4),
    )
    run = row.simulate(6)
    assert run.status == "done" and run.certificate.ok and len(run.events) < 10
    assert np.ptp(run.q, axis=1).max() < 1e-9
