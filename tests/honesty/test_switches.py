"""What is narrow, or jumps, with the state is not passed over without a word; what is right passes all the same."""

import math
import warnings

import pytest

from dalembert import Event, Mechanism, System
from dalembert.errors import MotionWarning
from tests.honesty.machines import particle
from tests.sampling import sampled

METHODS = {"dop853": {}, "radau": {}, "bdf": {}, "rk4": {"step": 0.01}, "rattle": {"step": 0.05}}


def certified(system, until, **settings):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        return system.simulate(until, **settings).certificate


WRONG = {
    "a thin wall": particle("if(abs(x - 1) < 1e-4, 1000, 0)"),
    "a thin smooth wall": particle("1000*exp(-((x - 1)/1e-5)^2)"),
    "a thinner one": particle("1000*exp(-((x - 1)/1e-8)^2)"),
    "a kerb": particle("0.1*step(x - 1)"),
    "a push on a short way": particle(force="if(abs(x - 1) < 1e-4, 1000, 0)"),
    "a push without abs": particle(force="if((x - 1)^2 < 1e-8, 1000, 0)"),
    "a push between two steps": particle(force="1000*(step(x - 1) - step(x - 1.0002))"),
    "a push at a speed": particle("x^2/2", "if(abs(x' - 0.5) < 1e-5, 1e4, 0)"),
    "a ripple": particle("if(sin(1e6*x) > 0, 0, 1)"),
    "a well in the plane": System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="-if((x - 1)^2 + y^2 < 1e-6, 5, 0)",
        initial={"x": 0, "y": 1e-4, "x'": 1, "y'": 0},
    ),
    "a quotient": particle("1000/(1 + ((x - 1)/1e-5)^8)"),
    "with parameters": System(
        "x",
        kinetic="m*x'^2/2",
        potential="if(abs(k*x - l) < w, V, 0)/(1 + (w*x)^2)",
        initial={"x": 0, "x'": 1},
        parameters={"m": 1, "k": 2, "l": 2, "w": 1e-4, "V": 1000},
    ),
    "an exponential of another base": particle("1000*2^(-((x - 1)/1e-5)^2)"),
    "a tent by roots": particle(
        "0.5e5*(sqrt((x - 1 + 1e-5)^2) + sqrt((x - 1 - 1e-5)^2) - 2*sqrt((x - 1)^2))"
    ),
    "by matrices": System(
        "x", mass=[[1]], force=["if(abs(x - 1) < 1e-4, 1000, 0)"], initial={"x": 0, "x'": 1}
    ),
}  # fmt: skip
PUSHES = ("a push on a short way", "a push without abs", "a push between two steps", "by matrices")
PUSHED = dict.fromkeys(PUSHES, 1.4**0.5)  # 1000 on a way of 2e-4, from a speed of 1


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", sampled(WRONG, 3))
def test_what_is_passed_over_does_not_pass(name, method):
    if method == "rattle" and WRONG[name].kinetic is None:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        run = WRONG[name].simulate(3.0, method=method, **METHODS[method])
        certificate = run.certificate
    if certificate.ok:  # only if nothing was passed over
        assert abs(run["x'"][-1] - PUSHED[name]) < 1e-6
    else:
        assert certificate.reason


RIGHT = {
    "friction, before it sticks": (particle("x^2/2", "-0.1*sign(x')", x=1.0, v=0.0), 9.0),
    "drag": (particle("x^2/2", "-0.1*x'*abs(x')"), 20.0),
    "a stop": (particle("5000*max(x - 1, 0)^2"), 10.0),
    "two stops": (particle("5000*max(abs(x) - 1, 0)^2"), 10.0),
    "a wide bump": (particle("0.1*exp(-((x - 1)/0.3)^2)"), 3.0),
    "smoothed friction": (particle("x^2/2", "-0.1*tanh(x'/0.01)"), 9.0),
    "at rest on a switch": (particle(force="-sign(x')", v=0.0), 2.0),
}


CASES = [(name, method) for name in RIGHT for method in ("dop853", "radau", "bdf")]


@pytest.mark.parametrize(("name", "method"), CASES)
def test_what_is_right_passes(name, method):
    system, until = RIGHT[name]
    certificate = certified(system, until, method=method)
    assert certificate["switches"].ok, certificate
    assert certificate.ok, certificate


@pytest.mark.parametrize("mass", [1.0, 1e6, 1e12])
@pytest.mark.parametrize("method", METHODS)
def test_a_kerb_for_a_feather_beside_a_hammer(method, mass):
    """What the feather runs against is below the rounding of all other energy."""
    feather = System(
        "x y",
        kinetic="1e-6*x'^2/2 + M*y'^2/2",
        potential="M*9.81*y + 1e-4*step(x - 0.5)*step(0.50001 - x)",
        parameters={"M": mass},
        initial={"x": 0, "x'": 1, "y": 0, "y'": 3},
    )
    assert not certified(feather, 1.0, method=method, **METHODS[method]).ok


def test_it_says_where():
    certificate = certified(WRONG["a thin wall"], 3.0)
    assert "passes over something narrow, or over a jump of the potential" in certificate.notes[-1]
    assert certificate["switches"].verdict == "FAILS"


@pytest.mark.parametrize(("method", "words"), [("dop853", "short beside it: `step`"), ("radau", "method `dop853`")])
def test_it_says_what_helps(method, words):
    assert words in certified(WRONG["a thin smooth wall"], 3.0, method=method).notes[-1]


def test_it_helps():
    wall = particle("0.3*exp(-((x - 1)/1e-3)^2)")
    assert not certified(wall, 2.0).ok
    assert certified(wall, 2.0, step=2e-4).ok


def test_a_pulse_late_is_stated_with_what_the_clock_leaves_of_it():
    """Floats around t = 1000 are as wide as some millionths of the pulse; the speed behind it is exactly 1.2."""
    pulse = particle(force="if(abs(t - 1005.25) < 1e-6, 1e5, 0)")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MotionWarning)
        run = pulse.simulate(1010.0, begin=1000.0)
    off = abs(run["x"][-1] - (10.0 + 0.2 * 4.75))
    assert 1e-9 < off < 3 * run.certificate.errors["x"] < 1e-4
    assert run.certificate.ok


def test_switches_in_time_that_cannot_be_located_are_not_judged():
    system = particle(force="sign(t^2 - 2*t + 1)")
    certificate = certified(system, 3.0)
    assert certificate["switches in time"].verdict == "not judged"
    assert not certificate.ok
    assert "a switch cannot be located" in certificate.notes[0]


def test_nothing_is_looked_at_without_switches():
    certificate = certified(particle("x^2/2"), 3.0)
    assert "inside" not in [item.name for item in certificate.items]


NARROW_EVENTS = ("abs(x - 1.2345) = 1e-6", "exp(-((x - 1.2345)/1e-6)^2) = 0.5", "1/(1 + ((x - 1.2345)/1e-6)^2) = 0.5")


@pytest.mark.parametrize("when", NARROW_EVENTS)
def test_events_that_pass_zero_twice_inside_a_step(when):
    glide = System("x y", kinetic="(x'^2 + y'^2)/2", initial={"x": 0, "x'": 1, "y": 0, "y'": 0})
    certificate = certified(glide, 3.0, events=[Event(when, velocities={"y'": "1"})])
    assert not certificate["events"].ok


def test_a_stop_just_before_the_turning_point():
    swing = System("p", kinetic="p'^2/2", potential="-9.81*cos(p)", initial={"p": 1, "p'": 0})
    certificate = certified(swing, 3.0, rtol=1e-12, atol=1e-14, events=[Event("p = -0.999999999", "stop")])
    assert not certificate["events"].ok


@pytest.mark.parametrize("width", [1e-3, 0.03, 0.07, 0.1])
def test_a_pulse_far_from_the_start_is_followed(width):
    """Its values at the start are those of nothing, down to 0."""
    driven = System("x", kinetic="x'^2/2", constraints={"d": f"x = exp(-((t - 1.3)/{width})^2)"})
    run = driven.simulate(3.0)
    assert run.status == "done" and run.certificate.ok, run.certificate
    assert run.peak("x") == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("stiffness", [1e4, 1e6])
def test_a_spring_that_only_pushes(stiffness):
    """The time against it is half a period; none of the stages that count saw it in a long step behind the switch."""
    push = f"-{stiffness}*max(0.5 - length, 0)"
    ball = {"kind": "particle", "mass": 1, "at": [1, 0], "velocity": [-1, 0]}
    spring = {"bodies": ["ground", "ball"], "points": [[0, 0], [0, 0]], "force": push}
    run = Mechanism({"ball": ball}, gravity=[0, 0], springs={"s": spring}).simulate(1.5)
    back = 0.5 + (1.5 - 0.5 - math.pi / math.sqrt(stiffness))
    assert run.certificate.ok and run["x_ball"][-1] == pytest.approx(back, abs=1e-7)
