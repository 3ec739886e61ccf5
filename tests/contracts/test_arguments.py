"""Every public call with wrong kinds and values of every argument: errors in words, never a hang, never gigabytes."""

from __future__ import annotations

import contextlib
import functools
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import dalembert
from dalembert import DalembertError, Event, Mechanism, ModelError, System
from tests.conftest import pendulum
from tests.shared import example

WRONG = {
    "None": None,
    "nan": float("nan"),
    "inf": float("inf"),
    "minus one": -1,
    "zero": 0,
    "a fraction": 1.5,
    "true": True,
    "complex": 1j,
    "text": "a",
    "no text": "",
    "bytes": b"a",
    "right to left": "\u202ea",
    "no list": [],
    "a list": ["a", 1],
    "no table": {},
    "a table": {"a": object()},
    "another table": {1: 2},
    "a set": {1, 2},
    "an object": object(),
    "a function": lambda: 0,
    "huge": 10**12,
    "beyond numbers": 10**400,
    "an array": np.zeros((2, 3)),
    "an array of nan": np.array([np.nan, 1.0]),
    "an empty array": np.zeros(0),
    "an array of objects": np.array([object()]),
}


@functools.cache
def system() -> System:
    return pendulum()


@functools.cache
def mechanism() -> Mechanism:
    return example("slider-crank-joints")  # pyright: ignore[reportReturnType]


@functools.cache
def driven() -> Mechanism:
    joint = next(iter(mechanism().joints))
    return mechanism().replace(drives={"motor": {"joint": joint, "angle": "t"}})


@functools.cache
def run(model: str = "system") -> Any:
    return (system() if model == "system" else mechanism()).simulate(0.2, samples=5)


@functools.cache
def animation() -> Any:
    return run("mechanism").animate()


TABLES = {"springs": ("s",), "dampers": ("d",), "loads": ("l",), "drives": ("m",), "drawing": ("points", "lines"),
          "gains": ("alpha",), "symbols": ("x",)}  # fmt: skip
STATE = {"t": 0.0, "q": [0.0, -1.0, 0.0], "v": [0.0, 0.0, 0.0]}
PARTS = {
    "coordinates": "x y",
    "kinetic": "m*(x'^2 + y'^2)/2",
    "potential": "m*y",
    "forces": {"x": "1"},
    "constraints": {"a": "x = y"},
    "parameters": {"m": 1},
    "initial": {"x": 1},
    "guess": {"y": 1},
    "simulation": {"until": 1},
    "drawing": None,
    "name": "two",
    "define": {"e": "x + y"},
    "symbols": None,
}
MATRICES = {"coordinates": "x y", "mass": [["1", "0"], ["0", "1"]], "force": ["1", "x"]}
BODIES = {
    "bodies": {"a": {"mass": 1, "inertia": 1, "at": [0.5, 0]}},
    "joints": {"A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0]}},
    "springs": None,
    "dampers": None,
    "loads": None,
    "drives": None,
    "gravity": [0, -9.81],
    "dimensions": 2,
    "parameters": None,
    "initial": None,
    "guess": None,
    "simulation": None,
    "name": "one",
    "define": None,
}
SETTINGS = {
    "until": 0.01,
    "initial": None,
    "form": "multipliers",
    "method": "dop853",
    "keep": "project",
    "rtol": 1e-6,
    "atol": 1e-6,
    "step": None,
    "samples": 3,
    "max_steps": 100,
    "max_seconds": 5.0,
    "gains": None,
    "events": (),
    "progress": None,
}


def calls(folder: Path) -> dict[str, tuple[Callable[[], Callable[..., Any]], dict[str, Any]]]:
    """Return every public call with arguments that are right."""
    kernels = functools.cache(lambda: system().compile())
    return {
        "System": (lambda: System, PARTS),
        "System by matrices": (lambda: System, MATRICES),
        "System.from_sympy": (lambda: System.from_sympy, {"problem": None}),
        "replace": (lambda: system().replace, {"parameters": {"m": 2}, "initial": {"phi": 1}, "guess": {}, "forces": {},
                                               "name": "a", "constraints": {"a": "x = y"}, "simulation": {},
                                               "kinetic": "x'^2 + y'^2 + phi'^2", "potential": "x"}),
        "constraint": (lambda: system().constraint, {"name": "rod_x"}),
        "start": (lambda: system().start, {"initial": {"phi": 1}, "guess": {"x": 1}}),
        "derive": (lambda: system().derive, {"form": "independent", "coordinates": ["phi"]}),
        "compile": (lambda: system().compile, {"form": "multipliers"}),
        "simulate": (lambda: system().simulate, SETTINGS),
        "simulate, stabilised": (lambda: functools.partial(system().simulate, 0.01, keep="stabilise", method="rk4"),
                                 {"gains": {"alpha": 1, "beta": 1}, "step": 0.005}),
        "reaction": (lambda: system().reaction, {"name": "rod_x"}),
        "without": (lambda: lambda name: system().without(name), {"name": "rod_x"}),
        "release": (lambda: lambda name: system().release(name), {"name": "rod_x"}),
        "reduced": (lambda: system().reduced, {"keep": ["rod_x"]}),
        "save": (lambda: system().save, {"path": folder / "a.toml"}),
        "export": (lambda: system().export, {"path": folder / "a.c", "to": "c", "form": "multipliers"}),
        "sympy": (lambda: system().sympy, {"expr": 1}),
        "load": (lambda: dalembert.load, {"path": folder / "none.toml"}),
        "loads": (lambda: dalembert.loads, {"text": "format = 1", "file": "a"}),
        "load_motion": (lambda: dalembert.load_motion, {"path": folder / "none.npz"}),
        "example": (lambda: example, {"name": "pendulum"}),
        "coordinates": (lambda: dalembert.coordinates, {"names": "x y"}),
        "dot": (lambda: dalembert.dot, {"x": dalembert.coordinates("x")[0], "order": 1}),
        "Event": (lambda: lambda **given: system().simulate(0.01, events=[Event(**given)]),
                  {"when": "phi = 0.5", "name": "a", "direction": 0, "action": "record"}),
        "kernels": (lambda: kernels(), {**STATE, "parameters": None}),
        "kernels.accelerations": (lambda: kernels().accelerations, {**STATE, "parameters": None}),
        "kernels.reaction": (lambda: kernels().reaction, {"name": "rod_x", **STATE, "parameters": None}),
        "kernels.reactions": (lambda: kernels().reactions, {**STATE, "parameters": None}),
        "kernels.residuals": (lambda: kernels().residuals, {**STATE, "parameters": None}),
        "kernels.energies": (lambda: kernels().energies, {**STATE, "parameters": None}),
        "kernels.project_positions": (lambda: kernels().project_positions, {**STATE, "parameters": None}),
        "kernels.project_velocities": (lambda: kernels().project_velocities, {**STATE, "parameters": None}),
        "run[]": (lambda: lambda name: run()[name], {"name": "phi"}),
        "run.at": (lambda: run().at, {"times": 0.1}),
        "run.resampled": (lambda: run().resampled, {"times": [0.1]}),
        "run.reaction": (lambda: run().reaction, {"name": "rod_x"}),
        "run.joint": (lambda: run("mechanism").joint, {"names": next(iter(mechanism().joints)), "on": None,
                                                       "axes": "world", "at": None}),
        "run.plot": (lambda: run().plot, {"what": "coordinates", "names": None, "dark": False}),
        "run.animate": (lambda: run("mechanism").animate, {"dark": None, "trace": (), "reactions": False, "speed": None}),
        "run.save": (lambda: run().save, {"path": folder / "a.csv"}),
        "run.report": (lambda: run().report, {"path": folder / "a.html"}),
        "animation.save": (lambda: animation().save, {"path": folder / "b.html"}),
        "animation.figure": (lambda: animation().figure, {"t": 0.1}),
        "Mechanism": (lambda: Mechanism, BODIES),
        "mechanism.replace": (lambda: mechanism().replace, {"bodies": {}, "joints": {}, "parameters": {}, "initial": {}}),
        "mechanism.assemble": (lambda: mechanism().assemble, {"guess": None}),
        "mechanism.kinematics": (lambda: driven().kinematics, {"times": [0.0]}),
        "mechanism.transmission": (lambda: mechanism().transmission, {"input": "A", "output": "B.angle", "samples": 4}),
        "mechanism.joint_force": (lambda: mechanism().joint_force, {"names": next(iter(mechanism().joints))}),
        "mechanism.release": (lambda: lambda name: mechanism().release(name), {"name": next(iter(mechanism().joints))}),
        "mechanism.without": (lambda: lambda name: mechanism().without(name), {"name": next(iter(mechanism().joints))}),
    }  # fmt: skip


def names_it(error: TypeError, argument: str) -> bool:
    """Tell whether Python itself refused the call, or the message names the argument."""
    frames = traceback.extract_tb(error.__traceback__)
    return frames[-1].filename == __file__ or f"`{argument}`" in str(error)


def complaint(call: Callable[..., Any], given: dict[str, Any], argument: str) -> str:
    """Make a call; say what is wrong with its answer, or nothing."""
    try:
        call(**given)
    except DalembertError as error:
        return "" if str(error).strip() else "an error without words"
    except TypeError as error:
        if names_it(error, argument):
            return ""
        found = error
    except Exception as error:
        found = error
    else:
        return ""
    last = traceback.extract_tb(found.__traceback__)[-1]
    return f"{type(found).__name__}: {str(found)[:100]} ({Path(last.filename).name}:{last.lineno})"


def variants(right: dict[str, Any]) -> Iterator[tuple[str, str, Any]]:
    """Yield wrong values of every argument, and of what tables and lists in them hold."""
    for argument, value in right.items():
        for name, wrong in WRONG.items():
            yield argument, name, wrong
            yield argument, f"a list of {name}", [wrong]
            if isinstance(value, dict) or argument in TABLES:
                for key in value or TABLES.get(argument, ("a",)):
                    yield argument, f"{key}: {name}", {**(value or {}), key: wrong}
                    if isinstance(inner := (value or {}).get(key), dict):
                        for part in inner:
                            yield argument, f"{key}.{part}: {name}", {**value, key: {**inner, part: wrong}}
    yield "unknown_argument", "anything", 1


@contextlib.contextmanager
def limited(seconds: int = 300, memory: int = 4 << 30) -> Iterator[None]:
    """Let a block neither run for ever nor take gigabytes, where the system can say so."""
    if sys.platform != "linux":
        yield
        return
    import resource
    import signal

    def stop(*_: object) -> None:
        raise AssertionError("this takes too long")

    before, limits = signal.signal(signal.SIGALRM, stop), resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + memory, limits[1]))
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
        resource.setrlimit(resource.RLIMIT_AS, limits)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", list(calls(Path())))
def test_wrong_arguments_are_refused_in_words(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make, right = calls(tmp_path)[name]
    call = make()
    with limited():
        found = {
            f"{argument} = {value}": said
            for argument, value, wrong in variants(right)
            if (said := complaint(call, {**right, argument: wrong}, argument))
        }
    assert not found, "\n".join(f"{call}: {said}" for call, said in list(found.items())[:40])


@pytest.mark.parametrize("key", [1, None, True, (1,)])
def test_parameters_are_given_by_names_or_symbols(key):
    words = r"parameters: a parameter is given by its name or symbol, as in \{\"l\": 2\}; got "
    with pytest.raises(ModelError, match=words):
        System("x", kinetic="x'^2/2", parameters={key: 2})
    with pytest.raises(ModelError, match=words):
        Mechanism(bodies={"a": {"mass": 1, "inertia": 1}}, parameters={key: 2})
