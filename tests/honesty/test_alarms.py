"""Right answers of unusual kinds pass: what stands still, has no mass, is stopped or changed by events, is tiny."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, Mechanism, System, example
from tests.honesty.machines import gliding, oscillator, pendulum
from tests.sampling import sampled


def held() -> System:
    return System("x y", kinetic="x'^2 + y'^2", potential="y", constraints={"a": "x = 1", "b": "y = 2"})


def hysteretic() -> System:
    """A spring with an internal state that has no mass, and follows within micrometres."""
    state = {"c": "z' = x' - z*abs(x')/1e-2"}
    parts = {"kinetic": "x'^2/2", "potential": "x^2/2", "forces": {"x": "-z"}, "constraints": state}
    return System("x z", **parts, initial={"x": 1.0, "x'": 0.0, "z": 0.0})


def braked() -> System:
    """A control that jumps with the speed."""
    control = {"u": {"acts": {"x": 1}, "law": "-0.5*sign(x')"}}
    return System("x", kinetic="x'^2/2", potential="x^2", controls=control, initial={"x": 3.0, "x'": 0.1})


def damped(speed: float = 1.0) -> System:
    return gliding(forces={"x": "-1e7*(x' - cos(t))"}, initial={"x": 0.0, "x'": speed})


def lying() -> Mechanism:
    """A plate on three points, in space: nothing moves, but rounding turns it."""
    points = {"line": ("point_on_line", [0.1, 0, 0], [1, 0, 0]), "a": ("point_in_plane", [0.67, 0.76, 0.3], [0, 0, 1])}
    points["b"] = ("point_in_plane", [0.36, 0.65, 0.3], [0, 0, 1])
    joints = {
        name: {"kind": kind, "bodies": ["ground", "plate"], "at": at, "axis": axis}
        for name, (kind, at, axis) in points.items()
    }
    plate = {"mass": 3.57, "inertia": [0.169, 0.208, 0.13], "at": [0.1, 0.2, 0.3]}
    return Mechanism(dimensions=3, gravity=[0, 0, -9.81], bodies={"plate": plate}, joints=joints)


def braced() -> Mechanism:
    """A body on a slanting hinge, held by a rod as well: every step turns it by rounding."""
    body = {"mass": 3.25, "inertia": [[0.28, 0.028, 0], [0.028, 0.448, 0], [0, 0, 0.364]], "at": [-0.16, -0.055, -0.33]}
    hinge = {"kind": "revolute", "bodies": ["ground", "b"], "at": [0, 0, 0], "axis": [1, 2, 2]}
    rod = {"kind": "rod", "bodies": ["ground", "b"], "at": [[0.18, 0.29, 0.14], [-0.32, -0.11, -0.66]]}
    return Mechanism(dimensions=3, bodies={"b": body}, joints={"hinge": hinge, "rod": rod})


def driven() -> System:
    """A body whose speed is given, and another on a spring."""
    parts = {"constraints": {"a": "x' = u"}, "parameters": {"u": 1.0}, "initial": {"x": 0, "y": 1}}
    return System("x y", kinetic="(x'^2 + y'^2)/2", potential="y^2/2", **parts)


def hanging(length: float) -> System:
    """A pendulum that hangs straight down, in any unit of length; its period is the same."""
    values = {"m": 1.0, "l": length, "g": 9.81 * length}
    return pendulum(parameters=values, initial={"x": 0.0, "y": -length, "x'": 3 * length, "y'": 0.0})


def guided(length: float) -> System:
    """A lever and a slide: an angle beside a length of any unit."""
    values = {"J": length**2, "m": 1.0, "k": length**2, "l": length}
    guide = {"guide": "x = l*sin(th) + l*cos(th)^2/3"}
    parts = {"potential": "-k*cos(th)", "constraints": guide, "parameters": values, "initial": {"th": 1.0, "th'": 0.0}}
    return System("th x", kinetic="(J*th'^2 + m*x'^2)/2", **parts)


def without_mass() -> System:
    """A coordinate without inertia that starts from rest: its first steps are tiny, and all velocities are."""
    mass = [[1.2, 0.1, 0], [0.1, 2.3, 0], [0, 0, 0]]
    force = ["-k*(x - y) - c*x'", "k*(x - y) + sin(3.1*t)", "0"]
    parts = {"constraints": {"link": "z = 2*x + 0.5*y"}, "parameters": {"k": 153.7, "c": 0.83}, "initial": {"x": 0.05}}
    return System("x y z", mass=mass, force=force, **parts)


def stiff_pendulum() -> System:
    """A rod that is a stiff spring, as a force: it hardly swings, and nothing that matters is damped away."""
    pull = {"x": "-1e8*(r - 1)*x/r", "y": "-9.81 - 1e8*(r - 1)*y/r"}
    parts = {"kinetic": "(x'^2 + y'^2)/2", "define": {"r": "sqrt(x^2 + y^2)"}, "forces": pull}
    return System("x y", **parts, initial={"x": 1.0, "y": 0.0, "x'": 0.0, "y'": 0.0})


def pushed_from_rest() -> System:
    """A strong push on a short way: next to the switch nothing but the absolute tolerance measures the body at rest."""
    start = {"x": 0.0, "x'": 1.0, "w": 0.0, "w'": 0.0}
    return System("x w", kinetic="(x'^2 + w'^2)/2", forces={"w": "if(abs(x - 5.3) < 1e-4, 1000, 0)"}, initial=start)


CHANGES = [Event("t = 2", {"k": 4.0}), Event("x = 0.2", {"m": 2.0})]
RIGHT = {
    "no freedom": lambda: held().simulate(3),
    "a plate at rest": lambda: lying().simulate(0.1),
    "a body that a rod holds": lambda: braced().simulate(0.1),
    "at rest": lambda: oscillator(x=0.0).simulate(3),
    "driven": lambda: example("slider-crank").simulate(2),
    "no mass": lambda: hysteretic().simulate(2),
    "stabilised in a few steps": lambda: example("rolling-disk").simulate(6, keep="stabilise"),
    "independent on a gyroscope": lambda: example("gyroscope").simulate(0.3, form="independent"),
    "coordinates that should not move": lambda: example("gyroscope").simulate(0.3, rtol=1e-6, atol=1e-8),
    "singular positions": lambda: example("n-four-bar:2").simulate(5),
    "parameters change": lambda: oscillator().simulate(10, events=CHANGES),
    "parameters change, canonical": lambda: oscillator().simulate(10, events=CHANGES, form="canonical"),
    "the speed of a drive changes": lambda: driven().simulate(3, events=[Event("t = 1", {"u": 2.0})]),
    "an event that jumps over zero": lambda: oscillator(forces={"x": "0.3*step(t - 2)"}).simulate(
        5, events=["step(t - 2) = 0.5"]
    ),
    "an event of a control that jumps": lambda: braked().simulate(5, events=["u = 0"]),
    "an event of a multiplier": lambda: pendulum().simulate(3, events=["lambda_length = -5"]),
    "events of bdf": lambda: oscillator().simulate(9, events=["x' = 0", "x = 0.1"], method="bdf", rtol=1e-6, atol=1e-8),
    "samples in any order": lambda: oscillator().simulate(5).resampled([4.9, 0.1, 0.2]),
    "energies that cancel": lambda: oscillator(potential="1e12*(1 - cos(x))", x=1e-6).simulate(1e-5),
    "stopped by an event": lambda: oscillator().simulate(10, events=[Event("x = -0.2", "stop")]),
    "rattle stopped": lambda: oscillator().simulate(10, events=[Event("x = 0", "stop")], method="rattle", step=0.05),
    "stopped by a limit": lambda: example("double-pendulum").simulate(5, max_steps=20),
    "an event at the start": lambda: oscillator().simulate(5, events=["x = 1", "x' = 0"]),
    "one step": lambda: example("pendulum").simulate(0.001),
    "one fixed step": lambda: example("pendulum").simulate(0.001, method="rk4", step=0.001),
    "no time": lambda: example("pendulum").simulate(0),
    "no time, rattle": lambda: pendulum().simulate(0, method="rattle", step=0.1),
    "few samples": lambda: example("pendulum").simulate(3, samples=[0.1, 0.7, 2.9]),
    "many samples": lambda: example("pendulum").simulate(1, samples=5000),
    "micrometres": lambda: oscillator(m=1e-15, k=1e-15, x=1e-6).simulate(20, atol=1e-18),
    "gigametres": lambda: oscillator(m=1e12, k=1e12, x=1e9).simulate(20),
    "a pendulum of nanometres": lambda: hanging(1e-9).simulate(3, atol=1e-20),
    "a pendulum of millimetres, by rattle": lambda: hanging(1000.0).simulate(3, method="rattle", step=0.01),
    "a pendulum of gigametres, by rattle": lambda: hanging(1e12).simulate(3, method="rattle", step=0.01),
    "angles beside nanometres": lambda: guided(1e-9).simulate(3),
    "angles beside gigametres": lambda: guided(1e9).simulate(3),
    "angles beside gigametres, by rattle": lambda: guided(1e9).simulate(3, method="rattle", step=0.01),
    "from rest, by bdf": lambda: without_mass().simulate(6, method="bdf", rtol=1e-5),
    "stiff": lambda: damped().simulate(3, method="radau", rtol=1e-6, atol=1e-8),
    "stiff, by bdf": lambda: damped().simulate(3, method="bdf", rtol=1e-6, atol=1e-8),
    "a stiff spring as a force": lambda: stiff_pendulum().simulate(3, method="radau", rtol=1e-2, atol=1e-4),
    "a push from rest": lambda: pushed_from_rest().simulate(10),
    "a stop with a spring": lambda: oscillator(forces={"x": "-1e4*max(0, x - 0.5)"}).simulate(5),
    "a jump in the force": lambda: oscillator(forces={"x": "step(t - 1)"}).simulate(5),
    "matrices": lambda: System("x", mass=[["2"]], force=["-x - 0.1*x' + sin(t)"], initial={"x": 1.0}).simulate(20),
    "long steps of rattle": lambda: example("four-bar").simulate(1, method="rattle", step=0.01),
    "a force too fast for splines": lambda: oscillator(forces={"x": "1e4*sin(2000*t)"}).simulate(17),
    "jumps that run into one another": lambda: gliding(potential="10*x", initial={"x": 1.0, "x'": 0.0}).simulate(
        10, events=[Event("x = 0", direction="down", velocities={"x'": "-0.5*x'"})]
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sampled(RIGHT, 3))
def test_unusual_right_answers_pass(name):
    certificate = RIGHT[name]().certificate
    assert certificate.ok, str(certificate)
    assert all(np.isfinite(item.value) for item in certificate.items)


@pytest.mark.parametrize("atol", [1e-11, 1e-14])
def test_a_push_from_rest_is_met_at_any_tolerance(atol):
    """The step across the switch is as short as time allows: what it leaves is some floats of the time, times the jump."""
    run = pushed_from_rest().simulate(10, atol=atol)
    assert run["w'"][-1] == pytest.approx(0.2, abs=1e-9)
    assert run.certificate.ok


def test_what_nothing_damps_is_told_from_what_is_damped():
    from tests.honesty.wrong import sprung_by_forces

    lost = sprung_by_forces(2e8, 2.0, 0.0).simulate(1, method="radau", rtol=1e-2)
    with pytest.warns(UserWarning, match="that nothing damps but the method"):
        assert lost.certificate["oscillations"].value > 1e-2
    assert stiff_pendulum().simulate(3, method="radau", rtol=1e-2, atol=1e-4).certificate["oscillations"].value < 1e-6


@pytest.mark.filterwarnings("ignore")
def test_what_cannot_be_measured_is_not_judged():
    """A motion that left the numbers has a certificate, which says so."""
    run = gliding(forces={"x": "x^3"}, initial={"x": 1.0, "x'": 1.0}).simulate(10, method="euler", step=0.1)
    certificate = run.certificate
    assert certificate["equations"].verdict == "not judged"
    assert any("no finite value" in note for note in certificate.notes)
    assert certificate.as_dict()["pass"] is False


@pytest.mark.filterwarnings("ignore")
def test_a_step_that_cannot_be_repeated_is_not_judged(monkeypatch):
    from dalembert.errors import SimulationError

    run = pendulum().simulate(1)

    def refuse(*_):
        raise SimulationError("the step cannot be repeated")

    monkeypatch.setattr(type(run.motion.engine), "repeated", refuse)
    assert run.certificate["steps"].verdict == run.certificate["accuracy"].verdict == "not judged"
    assert "cannot be repeated" in str(run.certificate)


def test_tolerances_beside_a_step_mean_nothing():
    run = example("pendulum").simulate(2, form="independent", method="rk4", step=0.005, rtol=0.1, atol=0.1)
    assert run.certificate.ok
