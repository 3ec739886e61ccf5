"""Wrong answers: motions that are not solutions of their model, or not to what a pass promises. None may pass.

A case gets pytest's `monkeypatch` and returns a run. Most are made by legitimate use; the others break something inside,
as a mistake in the package would, or change what was computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from dalembert import Event, System, example
from dalembert.motion.methods import METHODS
from dalembert.native.kernels import Kernels
from dalembert.results.run import Run
from tests.honesty.machines import by_matrices, gliding, oscillator, particle, pendulum

WRONG: dict[str, Callable[[Any], Run]] = {}


def wrong(function: Callable[[Any], Run]) -> Callable[[Any], Run]:
    """List a case."""
    WRONG[function.__name__.replace("_", " ")] = function
    return function


# --- steps that are too long, tolerances that are too large ------------------------------------------------------------

WRONG |= {
    "euler on matrices": lambda _: by_matrices().simulate(50, method="euler", step=0.1),
    "euler on an oscillator": lambda _: oscillator().simulate(50, method="euler", step=0.01),
    "euler on a pendulum": lambda _: pendulum().simulate(2, method="euler", step=0.01),
    "long steps of rk4": lambda _: example("four-bar").simulate(2, method="rk4", step=0.02),
    "long steps of rk4 on matrices": lambda _: by_matrices().simulate(50, method="rk4", step=0.5),
    "long steps of rattle": lambda _: pendulum().simulate(50, method="rattle", step=0.5),
    "long steps of dop853": lambda _: example("double-pendulum").simulate(10, method="dop853", step=0.5),
    "one step of a second": lambda _: pendulum().simulate(1, method="rk4", step=1.0),
    "loose tolerance": lambda _: example("double-pendulum").simulate(30, rtol=1e-2, atol=1e-2),
    "tolerance larger than the motion": lambda _: oscillator(x=1e-6).simulate(50, atol=1e-3),
    "loose tolerance of radau": lambda _: example("double-pendulum").simulate(10, method="radau", rtol=1e-3, atol=1e-3),
    "loose tolerance of bdf": lambda _: example("double-pendulum").simulate(10, method="bdf", rtol=1e-3, atol=1e-3),
    "micrometres": lambda _: oscillator(m=1e-15, k=1e-15, x=1e-6).simulate(50, method="rk4", step=0.5),
    "gigametres": lambda _: oscillator(m=1e12, k=1e12, x=1e9).simulate(50, method="rk4", step=0.5),
    "nanoseconds": lambda _: oscillator(k=1e18, x=1e-9).simulate(5e-8, method="rk4", step=5e-10),
}


@wrong
def a_small_body_beside_a_large_one(_):
    parts = {"kinetic": "(1e6*X'^2 + 1e-6*x'^2)/2", "potential": "(1e6*X^2 + 9e-6*x^2)/2"}
    return System("X x", **parts, initial={"X": 1.0, "x": 1e-3}).simulate(20, method="rk4", step=0.2)


# --- long times, chaos -------------------------------------------------------------------------------------------------

WRONG |= {
    "chaos": lambda _: example("double-pendulum").simulate(120),
    "a thousand swings": lambda _: pendulum().simulate(1000, rtol=1e-4, atol=1e-6),
}


@wrong
def a_pendulum_on_its_head(_):
    upright = {"x": 1e-13, "y": 1.0, "x'": 0.0, "y'": 0.0}
    return pendulum(initial=upright).simulate(15, rtol=1e-6, atol=1e-8)


@wrong
def a_spinning_rotor(_):
    parts = {"kinetic": "phi'^2/2", "potential": "500*cos(phi)", "initial": {"phi": 0.1, "phi'": 40.0}}
    return System("phi", **parts).simulate(20, method="rk4", step=0.03)


# --- constraints that are not kept -------------------------------------------------------------------------------------

WRONG |= {
    "nothing is kept": lambda _: example("pendulum").simulate(50, method="rk4", step=0.05, keep="none"),
    "nothing is kept at a loose tolerance": lambda _: pendulum().simulate(100, rtol=1e-3, atol=1e-3, keep="none"),
    "a coarse stabilised motion": lambda _: example("pendulum").simulate(20, method="rk4", step=0.1, keep="stabilise"),
    "gains that are too large": lambda _: example("upright-disk").simulate(
        1, method="rk4", step=0.1, keep="stabilise", gains={"kappa": -30}, unchecked=True
    ),
}


@wrong
def constraints_pull_apart(_):
    parts = {"constraints": {"length": "x^2 + y^2 = 1", "drive": "x = 0.5 + t"}, "guess": {"y": 1.0}}
    return System("x y", kinetic="x'^2 + y'^2", **parts).simulate(2)


@wrong
def accelerations_contradict_each_other(_):
    parts = {"constraints": {"a": "x'' = 1", "b": "x'' = 2"}}
    return System("x y", kinetic="x'^2 + y'^2", **parts).simulate(1, unchecked=True)


@wrong
def a_contradiction_that_comes_with_time(_):
    parts = {"constraints": {"a": "x = t", "b": "x = t + max(0, t - 1)^4"}}
    return System("x y", kinetic="x'^2 + y'^2", **parts).simulate(3, unchecked=True)


@wrong
def the_body_jumps(_):
    parts = {"constraints": {"a": "x = step(t - 1)"}, "initial": {"y'": 1.0}}
    return System("x y", kinetic="x'^2 + y'^2", **parts).simulate(2, unchecked=True)


@wrong
def a_mass_matrix_that_is_not_symmetric(_):
    matrices = {"mass": [["1", "0.5"], ["0", "1"]], "force": ["-x", "-y"]}
    return System("x y", **matrices, initial={"x": 1.0, "y": 1.0}).simulate(1, unchecked=True)


# --- what acts for a moment only ---------------------------------------------------------------------------------------

WRONG |= {
    "a thin wall": lambda _: gliding(potential="10*exp(-((x - 5.3)/0.001)^2)").simulate(10),
    "a force that is zero at every stage": lambda _: gliding(forces={"x": "10*sin(80*pi*t)"}).simulate(
        10, method="rk4", step=0.1
    ),
    "the same on matrices": lambda _: by_matrices("-x + 10*sin(80*pi*t)").simulate(10, method="rk4", step=0.1),
    "an event inside a step": lambda _: gliding().simulate(10, events=[Event("(x - 5)^2 = 0.01", "stop")]),
}


@wrong
def a_change_inside_a_step(_):
    system = gliding(forces={"x": "-k*x"}, parameters={"k": 0.0})
    return system.simulate(10, events=[Event("(t - 5.1)*(t - 5.2)", {"k": 1.0})])


# --- motions that end early, or leave the numbers ----------------------------------------------------------------------

WRONG |= {
    "escape in finite time": lambda _: gliding(forces={"x": "x^3"}, initial={"x": 1.0, "x'": 1.0}).simulate(10),
    "overflow": lambda _: gliding(forces={"x": "x^3"}, initial={"x": 1.0, "x'": 1.0}).simulate(
        10, method="euler", step=0.1
    ),
    "an unstable step": lambda _: oscillator(k=1e6).simulate(0.05, method="rk4", step=3.5e-3),
}


# --- something is broken inside ----------------------------------------------------------------------------------------


def other_code(monkeypatch: Any, **changes: Any) -> None:
    """Let native code be that of another model."""
    monkeypatch.setattr("dalembert.motion.loop.Kernels", lambda system, form: Kernels(system.replace(**changes), form))


@wrong
def code_with_other_forces(monkeypatch):
    other_code(monkeypatch, potential="1.001*m*g*y")
    return pendulum().simulate(2)


@wrong
def code_with_other_masses(monkeypatch):
    other_code(monkeypatch, kinetic="m*(x'^2 + 1.001*y'^2)/2")
    return pendulum().simulate(2)


@wrong
def code_with_another_constraint(monkeypatch):
    other_code(monkeypatch, constraints={"length": "x^2 + y^2 = 1.002*l^2"})
    return pendulum().simulate(2)


@wrong
def code_with_another_small_force(monkeypatch):
    other_code(monkeypatch, forces={"x": "-0.001*x'"})
    return oscillator().simulate(5)


def scaled(monkeypatch: Any, name: str) -> None:
    """Let the accelerations that are reported be off by a thousandth."""
    whole = Kernels.accelerations

    def changed(self: Kernels, *args: Any) -> Any:
        found = whole(self, *args)
        return replace(found, **{name: 1.001 * np.asarray(getattr(found, name))})

    monkeypatch.setattr(Kernels, "accelerations", changed)


@wrong
def accelerations_are_off(monkeypatch):
    scaled(monkeypatch, "acceleration")
    return pendulum().simulate(2)


@wrong
def reactions_are_off(monkeypatch):
    scaled(monkeypatch, "reaction")
    return pendulum().simulate(2, form="minimal")


@wrong
def multipliers_are_off(monkeypatch):
    scaled(monkeypatch, "multipliers")
    return pendulum().simulate(2)


@wrong
def time_runs_faster(monkeypatch):
    """The weights of a method sum up to more than one: energies and constraints are kept, the phase is not."""
    rk4 = METHODS["rk4"]
    other = replace(rk4, weights=[1.001 * b for b in rk4.weights], stages=[[1.001 * a for a in r] for r in rk4.stages])
    monkeypatch.setitem(METHODS, "rk4", other)
    return oscillator().simulate(50, method="rk4", step=0.05)


# --- what was computed is changed --------------------------------------------------------------------------------------

WRONG |= {
    "the last velocity is changed": lambda _: changed(oscillator().simulate(10), -1, 1, 1.01),
    "one of many steps of rattle is changed": lambda _: changed(
        pendulum().simulate(20, method="rattle", step=0.01), 1001, 2, 1.02
    ),
}


def changed(run: Run, k: int, column: int, factor: float) -> Run:
    run.motion.states[k, column] *= factor
    return run


@wrong
def one_position_is_changed(_):
    run = example("double-pendulum").simulate(10)
    return changed(run, int(np.abs(run.motion.states[:, 0]).argmax()), 0, 1.01)


@wrong
def one_velocity_is_changed(_):
    run = example("double-pendulum").simulate(10)
    return changed(run, int(np.abs(run.motion.states[:, 2]).argmax()), 2, 1.01)


@wrong
def a_momentum_is_changed(_):
    run = example("double-pendulum").simulate(10, form="canonical")
    return changed(run, int(np.abs(run.motion.states[:, 2]).argmax()), 2, 1.01)


@wrong
def a_sample_is_changed(_):
    run = oscillator().simulate(10, samples=100)
    run.motion.samples[31, 0] += 0.01
    return run


@wrong
def the_velocity_of_a_sample_is_changed(_):
    run = oscillator().simulate(10, samples=100)
    run.motion.samples[47, 1] += 0.01
    return run


@wrong
def the_phase_jumps(_):
    """Half of the motion is turned in the plane of x and x': its energy stays."""
    run = oscillator().simulate(20)
    k, turn = len(run.motion.times) // 2, 0.01
    run.motion.states[k:] @= np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
    return run


@wrong
def the_motion_of_another_model(_):
    run, other = pendulum().simulate(10), pendulum(parameters={"m": 1.0, "l": 1.0, "g": 9.82}).simulate(10)
    return Run(replace(run.motion, times=other.motion.times, states=other.motion.states))


@wrong
def the_motion_backwards(_):
    run = oscillator().simulate(10)
    run.motion.states[:, 1] *= -1
    return run


# --- what is told of a motion is changed -------------------------------------------------------------------------------


def told(change: Callable[[Any], Any]) -> Run:
    """Change one of the events that a motion tells of."""
    run = oscillator().simulate(10, events=["x = 0"])
    run.motion.occurrences[1] = change(run.motion.occurrences[1])
    return run


def of_another(run: Run, other: Run) -> Run:
    return Run(replace(run.motion, times=other.motion.times, states=other.motion.states))


def energies(monkeypatch: Any, **factors: float) -> Run:
    """Let the energies that are reported be others, in such a way that they balance."""
    whole = Kernels.energies

    def changed(self: Kernels, *args: Any) -> Any:
        found = whole(self, *args)
        return replace(found, **{name: factor * getattr(found, name) for name, factor in factors.items()})

    monkeypatch.setattr(Kernels, "energies", changed)
    return pendulum().simulate(2)


WRONG |= {
    "the time of an event is changed": lambda _: told(lambda event: replace(event, t=event.t + 0.1)),
    "the position at an event is changed": lambda _: told(lambda event: replace(event, q=event.q + 0.1)),
    "the velocity at an event is changed": lambda _: told(lambda event: replace(event, v=event.v + 0.1)),
    "an event after the end": lambda _: told(lambda event: replace(event, t=11.0)),
    "the motion of another start": lambda _: of_another(oscillator().simulate(10), oscillator(x=1.01).simulate(10)),
    "energies are off": lambda patch: energies(
        patch, **dict.fromkeys(("kinetic", "potential", "energy", "forces", "time", "constraints"), 1.01)
    ),
    "the kinetic energy alone is off": lambda patch: energies(patch, kinetic=1.01),
}


@wrong
def an_event_where_nothing_passes_zero(_):
    run = oscillator().simulate(10, events=["x = 0"])
    q, v = run.at(7.0)
    run.motion.occurrences.append(replace(run.motion.occurrences[0], t=7.0, q=q, v=v))
    return run


@wrong
def an_event_is_lost(_):
    run = oscillator().simulate(10, events=["x = 0"])
    run.motion.occurrences.pop()
    return run


@wrong
def half_of_the_motion_is_lost(_):
    run = oscillator().simulate(10)
    k = len(run.motion.times) // 2
    return Run(replace(run.motion, times=run.motion.times[:k], states=run.motion.states[:k]))


@wrong
def samples_are_lost(_):
    run = oscillator().simulate(10, samples=100)
    return Run(replace(run.motion, samples=run.motion.samples[:60]))


@wrong
def samples_of_rattle_are_lost(_):
    run = oscillator().simulate(10, samples=100, method="rattle", step=0.1)
    return Run(replace(run.motion, samples=run.motion.samples[:60]))


@wrong
def one_of_many_samples_is_changed(_):
    run = oscillator().simulate(10, samples=5000)
    run.motion.samples[2501, 0] += 0.05
    return run


@wrong
def two_samples_are_exchanged(_):
    run = oscillator().simulate(10, samples=100)
    run.motion.samples[[3, 4]] = run.motion.samples[[4, 3]]
    return run


@wrong
def a_sample_is_no_number(_):
    run = oscillator().simulate(10, samples=2000)
    run.motion.samples[1001, 0] = np.nan
    return run


@wrong
def coordinates_are_exchanged(_):
    run = example("double-pendulum").simulate(3)
    run.motion.states[:] = run.motion.states[:, [1, 0, 3, 2]]
    return run


@wrong
def the_clock_jumps(_):
    run = oscillator(forces={"x": "sin(3*t)"}).simulate(10)
    times = run.motion.times
    return Run(replace(run.motion, times=times + np.where(times > 5, 0.01, 0.0)))


@wrong
def parameters_change_at_another_time(_):
    run = oscillator().simulate(10, events=[Event("t = 5", {"k": 1.2})])
    t, values = run.motion.changes[0]
    run.motion.changes[0] = (t - 0.5, values)
    return run


@wrong
def a_whole_motion_is_turned(_):
    """Every equation holds; only the start is another one."""
    parts = {"kinetic": "(x'^2 + y'^2)/2", "potential": "(x^2 + y^2)/2", "initial": {"x": 1, "y": 0, "x'": 0, "y'": 1}}
    run = System("x y", **parts).simulate(10)
    turn = np.array([[np.cos(0.05), np.sin(0.05)], [-np.sin(0.05), np.cos(0.05)]])
    run.motion.states[:] = np.hstack([run.motion.states[:, :2] @ turn, run.motion.states[:, 2:] @ turn])
    return run


# --- narrow, singular, growing -----------------------------------------------------------------------------------------

WRONG |= {
    "inertia that is large on a short way": lambda _: gliding(
        kinetic="(1 + 100*exp(-((x - 1)/1e-6)^2))*x'^2/2"
    ).simulate(3),
    "a bump in a track": lambda _: System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        constraints={"track": "y = exp(-((x - 1)/1e-4)^2)"},
        initial={"x": 0, "x'": 1},
    ).simulate(3),
    "a pole in time": lambda _: gliding(forces={"x": "1e-6/cos(t)^2"}).simulate(3),
    "a saw by atan and tan": lambda _: particle("0.3*atan(tan(x))").simulate(5),
    "a step by a root": lambda _: particle("0.4*(x - 1)/sqrt((x - 1)^2 + 1e-20)").simulate(4),
    "a potential of the angle": lambda _: System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="0.1*atan2(y, x)",
        initial={"x": -1, "y": 1, "x'": 0, "y'": -1},
    ).simulate(3),
    "growth out of less than the tolerance": lambda _: System(
        "x", kinetic="x'^2/2", potential="-x^2/2 + x^4/4", initial={"x": 1e-14, "x'": 0.0}
    ).simulate(60, rtol=1e-4, atol=1e-6),
    "a comet": lambda _: System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="-1/sqrt(x^2 + y^2)",
        initial={"x": 1, "y": 0, "x'": 0, "y'": 0.02},
    ).simulate(20, rtol=1e-6, atol=1e-8),
    "a chirp": lambda _: particle("x^2/2", "10*sin(50*t^2)").simulate(60, method="rk4", step=0.02),
    "a beat at a loose tolerance": lambda _: oscillator(forces={"x": "1e-3*sin(t)"}, x=0.0).simulate(
        200, rtol=1e-2, atol=1e-2
    ),
}


def sprung(stiffness: float, x: float, y: float) -> System:
    """Two bodies on a stiff spring without damper."""
    values = {"x": 0.0, "y": 0.0, "x'": x, "y'": y}
    return System("x y", kinetic="(x'^2 + y'^2)/2", potential=f"{stiffness}*(x - y)^2/4", initial=values)


def beside_a_hammer(inertia: str = "1", potential: str = "0") -> System:
    """A light body and a heavy one that have nothing to do with each other."""
    values = {"X": 1.0, "X'": 0.0, "x": -1.0, "x'": 1.0}
    kinetic = f"1e4*X'^2/2 + {inertia}*x'^2/2"
    return System("X x", kinetic=kinetic, potential=f"1e4*X^2/2 + {potential}", initial=values)


def falling(wall: str = "0", force: str = "0") -> System:
    """A body that falls off a top: what is small at first grows."""
    start = {"x": 1e-3, "x'": 0.0}
    return System("x", kinetic="x'^2/2", potential=f"-x^2/2 + {wall}", forces={"x": force}, initial=start)


def far_away(place: float) -> System:
    """An oscillator whose place takes nearly all digits."""
    return gliding(potential=f"(x - {place:.0f})^2/2", initial={"x": place + 4, "x'": 0.0})


def sprung_by_forces(stiffness: float, x: float, y: float) -> System:
    """The same spring as a force: no energy tells that something is lost."""
    values = {"x": 0.0, "y": 0.0, "x'": x, "y'": y}
    pull = {"x": f"-{stiffness}*(x - y)/2", "y": f"{stiffness}*(x - y)/2"}
    return System("x y", kinetic="(x'^2 + y'^2)/2", forces=pull, initial=values)


def sprung_by_matrices(**initial: float) -> System:
    return System("x y", mass=[[1, 0], [0, 1]], force=["-1e8*(x - y)", "1e8*(x - y)"], initial=initial)


WALL = "-5e-7/1e-10/sqrt(pi)*exp(-((x - 1.0453385141288604e-3)/1e-10)^2)"
WRONG |= {
    "an oscillation is damped away": lambda _: sprung(1e8, 2.0, 0.0).simulate(1, method="radau", rtol=1e-2),
    "the same at a loose absolute tolerance": lambda _: sprung(1e10, 1.15, 0.85).simulate(
        1, method="radau", rtol=1e-6, atol=1e-4
    ),
    "an oscillation about a moving point is damped away": lambda _: gliding(
        potential="1e8*(x - t)^2/2", initial={"x": 0.0, "x'": 0.0}
    ).simulate(1, method="radau", rtol=1e-2),
    "a spring as a force, damped away": lambda _: sprung_by_forces(2e8, 2.0, 0.0).simulate(
        1, method="radau", rtol=1e-2
    ),
    "the same spring at a loose absolute tolerance": lambda _: sprung_by_forces(1e10, 1.15, 0.85).simulate(
        1, method="radau", rtol=1e-6, atol=1e-4
    ),
    "a spring of matrices, damped away": lambda _: sprung_by_matrices(**{"x": 0, "y": 0, "x'": 2, "y'": 0}).simulate(
        1, method="radau", rtol=1e-2
    ),
    "a spring of matrices, released": lambda _: sprung_by_matrices(
        **{"x": 1e-4, "y": -1e-4, "x'": 1, "y'": 1}
    ).simulate(1, method="radau", rtol=1e-2, atol=1e-3),
    "a jump of the potential beside a hammer": lambda _: beside_a_hammer(potential="0.6*step(x - 0.3)").simulate(3),
    "a jump of inertia beside a hammer": lambda _: beside_a_hammer("if(x < 0.3337, 1, 2)").simulate(3),
    "a small jump that decides": lambda _: gliding(
        potential="1/(1 + x^2) + 8e-4*step(x + 0.01)", initial={"x": -3.0, "x'": 1.3419388}
    ).simulate(12),
    "a small jump at first": lambda _: falling("5e-7*step(x - 1.2e-3)").simulate(10),
    "a thin wall at first": lambda _: falling(force=WALL).simulate(10),
    "an oscillation is damped away beside a damper": lambda _: System(
        "x y z",
        kinetic="(x'^2 + y'^2 + z'^2)/2",
        potential="1e8*(x - y)^2/4",
        forces={"z": "-3*z'"},
        initial={"x": 0.0, "y": 0.0, "z": 0.0, "x'": 2.0, "y'": 0.0, "z'": 3.0},
    ).simulate(1, method="radau", rtol=1e-2),
    "far away": lambda _: far_away(1e15).simulate(10, method="rk4", step=0.1),
    "farther away": lambda _: far_away(1e16).simulate(10),
}
