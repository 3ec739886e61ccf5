"""What everything around a motion costs: second motions, surveys, commands, and certificates over the gallery.

    python benchmarks/overhead.py [--quick]

Seconds of the processor, so that other work on the machine does not count: of a second motion the median, beside that
of the motion itself in the same run; else the shortest of several turns. Code is compiled before. A certificate
computes a second, more accurate motion and looks into every step of the first, at some thousands of places at least;
this constant is most of what short motions pay. Writes results/overhead.md.
"""

from __future__ import annotations

import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from pages import is_quick, show

from dalembert import Mechanism, System, example
from dalembert.model.gallery import SIZED, names
from dalembert.results import evaluation

SMALL = {"n-four-bar": 2, "chain": 3, "chain-minimal": 4, "n-four-bar-joints": 1, "planar-chain": 2, "spatial-chain": 2}
MODELS = [f"{name}:{SMALL[name]}" if name in SIZED else name for name in names()]
LONG = ("double-pendulum", "four-bar", "slider-crank")  # and how the ratio falls with the length of the motion
FACTOR = 20.0
SECOND = {"pendulum": 0.5, "slider-crank": 0.5, "rolling-disk": 0.5, "n-four-bar:10": 3.0, "four-bar-spatial": 3.0}
SHORT = 0.1  # seconds that a second motion lasts
SIZES = (250, 500, 1000)  # of a chain on the command line

# --- a second motion -------------------------------------------------------------------------------------------------


def second(model: str, repeat: int) -> dict[str, float]:
    """Return milliseconds of the motion itself, and of all of a second one: the same, other parameters, other start."""
    system = example(model)
    system.simulate(SHORT)
    name, value = next((name, value) for name, value in system.parameters.items() if value)
    rate = next(name for name in system.initial if name.endswith("'") or ".spin_z" in name)
    start = system.start().as_dict().get(rate, 12.0)
    calls: dict[str, Callable[[float], Any]] = {
        "same": lambda _: system.simulate(SHORT),
        "parameters": lambda part: system.replace(parameters={name: value * part}).simulate(SHORT),
        "initial": lambda part: system.simulate(SHORT, initial={rate: start + part - 1.0}),
    }
    walls: list[float] = []
    found = {}
    for what, call in calls.items():
        times = []
        for k in range(repeat + 3):  # the first few load what is needed
            before = time.process_time()
            run = call(1.0 + 1e-5 * (k + 1))
            times.append(time.process_time() - before)
            walls.append(run.wall_s)
        found[what] = 1e3 * statistics.median(times[3:])
    return {"motion": 1e3 * statistics.median(walls)} | found


def seconds(repeat: int) -> Iterator[str]:
    """Return the table of second motions as Markdown."""
    yield "| model | motion, ms | same system, ms | other parameter, ms | other start, ms | asked more than it |"
    yield "|---|---:|---:|---:|---:|---:|"
    for model, limit in SECOND.items():
        found = second(model, repeat)
        shown = " | ".join(f"{value:.2f}" for value in found.values())
        yield f"| {model} | {shown} | {limit:g} |"


# --- surveys ---------------------------------------------------------------------------------------------------------


def chain(size: int) -> Mechanism:
    """Return bodies in a row, each joined to the one before it."""
    bodies = {f"b{i}": {"mass": 1, "inertia": 0.1, "at": [i + 0.5, 0]} for i in range(size)}
    before = ["ground", *bodies]
    joints = {f"J{i}": {"kind": "revolute", "bodies": [before[i], f"b{i}"], "at": [i, 0]} for i in range(size)}
    return Mechanism(bodies=bodies, joints=joints)


def net(size: int) -> System:
    """Return particles in a square, joined by rods and hung up at two corners: the upper row is stretched."""
    particles = [(i, j) for i in range(size) for j in range(size)]
    coordinates = [f"{letter}{i}_{j}" for i, j in particles for letter in "xy"]
    conditions = {}
    for i, j in particles:
        for a, b in ((i + 1, j), (i, j + 1)):
            if a < size and b < size:
                rod = f"(x{a}_{b} - x{i}_{j})^2 + (y{a}_{b} - y{i}_{j})^2 = 1"
                conditions[f"rod{i}_{j}_{a}_{b}"] = rod
    for i in (0, size - 1):
        conditions |= {f"x{i}": f"x{i}_{size - 1} = {i}", f"y{i}": f"y{i}_{size - 1} = {size - 1}"}
    guess = {f"x{i}_{j}": float(i) for i, j in particles} | {f"y{i}_{j}": float(j) for i, j in particles}
    kinetic = " + ".join(f"{name}'^2/2" for name in coordinates)
    return System(coordinates=coordinates, kinetic=kinetic, constraints=conditions, guess=guess)


def driven() -> Mechanism:
    """Return a slider-crank that is driven evenly."""
    given = example("slider-crank-joints")
    if not isinstance(given, Mechanism):
        raise TypeError("the slider-crank by joints is a mechanism")
    joint = next(name for name, joint in given.joints.items() if joint.kind == "revolute" and "ground" in joint.bodies)
    free = {body: {"spin": None, "velocity": None} for body in given.tables["bodies"] if body != "ground"}
    none = dict.fromkeys(given.own.initial)
    return given.replace(bodies=free, initial=none, drives={"motor": {"joint": joint, "angle": "12*t"}})


SURVEYS: dict[str, tuple[Callable[[], Any], float]] = {
    "check, planar chain of 200 by joints": (lambda: chain(200).check(), 2.0),
    "mobility, planar chain of 200 by joints": (lambda: chain(200).mobility(), 2.0),
    "check, net of 12 × 12 particles in a singular position": (lambda: net(12).check(), 2.0),
    "check and mobility, slider-crank driven by 12*t": (lambda: (driven().check(), driven().mobility()), 2.0),
}

# --- commands --------------------------------------------------------------------------------------------------------


def commands(quick: bool) -> Iterator[tuple[str, float, float]]:
    """Yield commands with seconds of the processor in a fresh process, and what is asked."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPYCACHEPREFIX": f"{folder}/bytecode"}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)

        def run(*words: str, cache: str = "compiled") -> float:
            before = os.times()
            command = [sys.executable, "-m", "dalembert", *words]
            known = environment | {"DALEMBERT_CACHE": f"{folder}/{cache}"}
            subprocess.run(command, env=known, cwd=folder, stdout=subprocess.DEVNULL, check=True)
            after = os.times()
            return after.children_user + after.children_system - before.children_user - before.children_system

        run("run", "slider-crank", cache="other")  # writes bytecode, as an installation does
        yield "dalembert run slider-crank, on a fresh machine", run("run", "slider-crank"), 10.0
        yield "dalembert run slider-crank", min(run("run", "slider-crank") for _ in range(3)), 1.5
        for size in SIZES[:1] if quick else SIZES:
            words = "simulate", f"planar-chain:{size}", "--until", "1"
            run(*words)
            yield f"dalembert {' '.join(words)}", min(run(*words) for _ in range(2)), 5.0


def used(call: Callable[[], Any]) -> float:
    """Return the seconds of the processor that a call takes."""
    before = time.process_time()
    call()
    return time.process_time() - before


def surveys(quick: bool) -> Iterator[str]:
    """Return the table of surveys and commands as Markdown."""
    yield "| | seconds | asked |"
    yield "|---|---:|---:|"
    for what, (call, limit) in SURVEYS.items():
        if quick and "net" in what:
            continue
        yield f"| {what} | {min(used(call) for _ in range(1 if quick else 3)):.2f} | ≤ {limit:g} |"
    found = []
    for what, taken, limit in commands(quick):
        yield f"| {what} | {taken:.2f} | ≤ {limit:g} |"
        found.append(taken)
    if not quick:
        power = math.log(found[-1] / found[-2]) / math.log(SIZES[-1] / SIZES[-2])
        yield f"| growth of the last, as a power of the size | {power:.2f} | ≤ 1.2 |"


# --- certificates ----------------------------------------------------------------------------------------------------


def measure(system: System, until: float | None, repeat: int, **settings: Any) -> tuple[float, float, int]:
    """Return the seconds of the processor of a motion and of its certificate, and the steps."""
    motion, certificate, steps = float("inf"), float("inf"), 0
    for k in range(repeat + 1):  # the first time compiles
        before = time.process_time()
        run = system.simulate(until, **settings)
        middle = time.process_time()
        _ = run.certificate
        after, steps = time.process_time(), run.steps
        if k:
            motion, certificate = min(motion, middle - before), min(certificate, after - middle)
    return motion, certificate, steps


def controlled(repeat: int) -> tuple[float, float, int]:
    """Measure a motion with a law in Python that is called ten thousand times."""
    cart = System("x", kinetic="x'^2/2", potential="x^2", controls={"u": {"acts": {"x": 1}}}, initial={"x": 1, "x'": 0})
    return measure(cart, 10.0, repeat, controls={"u": lambda t, state: -0.5 * state["x'"]}, every=0.001)


def table(rows: dict[str, tuple[float, float, int]]) -> list[str]:
    """Return the table as Markdown."""
    lines = ["| model | steps | motion, s | certificate, s | ratio |", "|---|---:|---:|---:|---:|"]
    for model, (motion, certificate, steps) in rows.items():
        lines.append(f"| {model} | {steps} | {motion:.4f} | {certificate:.4f} | {certificate / motion:.1f} |")
    motions, certificates = (sum(row[k] for row in rows.values()) for k in (0, 1))
    middle = statistics.median(certificate / motion for motion, certificate, _ in rows.values())
    lines.append(
        f"| **all** | | {motions:.2f} | {certificates:.2f} | {certificates / motions:.1f} (median {middle:.1f}) |"
    )
    return lines


OUTPUTS = {"force": "A.force", "speed": "x_crank'", "sum": "force + speed", "power": "speed*x_crank''"}
SAMPLES = 20_000  # so many that what is done once for all of them counts little


def turn(plain: System, asked: System) -> dict[str, float]:
    """Return milliseconds of a motion without outputs, with them, of the outputs, and of what they consist of."""
    laps = [time.process_time()]

    def lap() -> None:
        laps.append(time.process_time())

    plain.simulate(1.0, samples=SAMPLES)
    lap()
    run = asked.simulate(1.0, samples=SAMPLES)
    lap()
    _ = run.outputs
    lap()
    motion, expressions = run.motion, evaluation.Asked(run, dict(asked.outputs))
    t, (q, v), values = run.t, np.split(motion.samples, 2, axis=1), motion.parameters
    lap()
    found = motion.kernels.accelerations(t, q, v, values)
    solved = found.acceleration, np.asarray(found.multipliers)
    expressions.values([t[:, None], q, v, np.broadcast_to(values, (len(t), len(values))), *solved])
    lap()
    names = "plain", "model", "asked", "reading", "parts"
    return dict(zip(names, 1e3 * np.diff(laps), strict=True))


def outputs(repeat: int) -> Iterator[str]:
    """Compare motions of a model with outputs and without; asked for, these cost at most what they consist of.

    That is: the equations as they are compiled, `system.compile()`, called once for all samples, as forces and powers
    need it, and one call of native code for all expressions of what these give. The shortest of several turns.
    """
    plain = example("slider-crank-joints")
    asked = plain.replace(outputs=OUTPUTS)
    turns = [turn(plain, asked) for _ in range(5 * repeat + 1)][1:]
    shortest = {name: min(some[name] for some in turns) for name in turns[0]}
    without, unasked, found, parts = (shortest[name] for name in ("plain", "model", "asked", "parts"))
    yield "| | ms | ratio |"
    yield "|---|---:|---:|"
    yield f"| a motion with {SAMPLES} samples, of a model without outputs | {without:.2f} | |"
    yield f"| the same with {len(OUTPUTS)} outputs, not asked for | {unasked:.2f} | {unasked / without:.2f} |"
    yield f"| the compiled equations at the samples, and the expressions of what these give | {parts:.2f} | |"
    yield f"| the outputs, asked for | {found:.2f} | {found / parts:.2f} |"


def main() -> None:
    """Print the tables."""
    quick = is_quick(__doc__, "fewer turns, and nothing that takes long")
    repeat = 1 if quick else 3
    warnings.simplefilter("ignore")
    lines = ["## A second motion", "", *seconds(5 if quick else 51), "", "## Surveys and commands", "", *surveys(quick)]
    rows = {model: measure(example(model), None, repeat) for model in MODELS}
    for model in LONG:
        until = FACTOR * example(model).simulation.get("until", 10.0)
        rows[f"{model}, {FACTOR:g} times as long"] = measure(example(model), until, repeat)
    rows["a cart, by a law in Python called 10,000 times"] = controlled(repeat)
    lines += ["", "## Certificates", "", *table(rows)]
    lines += ["", "## Outputs", "", *outputs(repeat)]
    text = "Seconds of the processor, with the model read and compiled; `python benchmarks/overhead.py`."
    show(lines, None if quick else "overhead", "What everything around a motion costs", text)


if __name__ == "__main__":
    main()
