"""Everything that a user does with a model, one thing after the other, and what fell over on the way."""

from __future__ import annotations

import contextlib
import io
import json
import runpy
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dalembert import DalembertError, load, load_motion
from dalembert.cli import main
from tests.everyday import exports
from tests.everyday.case import Case
from tests.everyday.compare import Compare
from tests.everyday.oracle import Truth

FORMS = ("multipliers", "minimal", "explicit", "canonical", "independent", "reactions")
NATIVE = FORMS[:5]


@dataclass
class Journey:
    """A case on its way. faults: what fell over, in words."""

    case: Case
    folder: Path
    faults: list[str] = field(default_factory=list)

    @contextlib.contextmanager
    def stage(self, what: str, refusal: Callable[[str], bool] = lambda text: False):
        """Do one thing; note a traceback, and a refusal unless the oracle agrees with it."""
        try:
            yield
        except DalembertError as error:
            if not refusal(str(error)):
                self.faults.append(f"{what}: refused: {error}")
        except AssertionError as error:
            self.faults.append(f"{what}: wrong: {error}")
        except Exception as error:
            place = traceback.extract_tb(error.__traceback__)[-1]
            where = f"{Path(place.filename).name}:{place.lineno}"
            self.faults.append(f"{what}: {type(error).__name__} at {where}: {str(error)[:200]}")

    def command(self, *arguments: str) -> str:
        """Run a command line in this process and return what it prints; it must end well."""
        out, err = io.StringIO(), io.StringIO()
        code: Any = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(list(arguments))
            except SystemExit as error:
                code = error.code
        if code != 0:
            raise Refused(f"exit {code}: {(err.getvalue() or out.getvalue())[-600:]}")
        return out.getvalue()


class Refused(DalembertError):
    """A command that did not end well."""


def chosen(names: tuple[str, ...], seed: int, thorough: bool) -> list[str]:
    """Return all forms, or two of them in turn: formulas take their time."""
    turn = seed // 4
    return [name for k, name in enumerate(names) if thorough or (k - turn) % len(names) < 2]


def travel(case: Case, folder: Path, seed: int, thorough: bool = True) -> list[str]:
    """Take a model through everything that a user can call; return what fell over."""
    journey = Journey(case, folder)
    path = folder / f"model_{seed}.toml"
    path.write_text(case.text, encoding="utf-8")
    system = None
    with journey.stage("load"):
        system = load(path)
    with journey.stage("build in Python"):
        built = case.build()
        assert system is None or built.coordinates == system.coordinates, "other coordinates than from the file"
    if system is None:
        return journey.faults
    state = None
    with journey.stage("start"):
        state = system.start()
    if state is None:
        return journey.faults
    truth = case.oracle(state.t, state.q, state.v)
    compare = Compare(case)
    compare.learn(system)
    with journey.stage("oracle"):
        assert truth.residual < 1e-6, f"the initial state does not satisfy the constraints: {truth.residual:.1e}"
        assert truth.consistent, "A a = c has no solution"
    undetermined = not truth.definite

    def agreed(text: str) -> bool:
        return undetermined

    with journey.stage("check", agreed):
        examine(journey, path, truth)
    motion = None
    with journey.stage("simulate", agreed):
        motion = system.simulate(case.until)
        assert motion.status == "done", f"{motion.status}: {motion.message}"
        assert motion.certificate.ok, f"certificate: {motion.certificate}"
    states = [(state.t, state.q, state.v)]
    if motion is not None and len(motion.t) > 1:
        q, v = (np.array([motion[name + prime][-1] for name in system.coordinates]) for prime in ("", "'"))
        states.append((float(motion.t[-1]), q, v))
        with journey.stage("motion against the oracle"):
            compare.motion(motion)
    truths = [(place, case.oracle(*place)) for place in states]
    for form in chosen(FORMS, seed, thorough):
        with journey.stage(
            f"derive {form}", lambda text, form=form: undetermined or rightly_refused(form, system, text)
        ):
            derivation = system.derive(form)
            assert str(derivation), "no text"
            assert derivation.latex() or not system.constraints, "no LaTeX"
            data = json.loads(json.dumps(derivation.as_dict()))
            for place, there in truths:
                compare.formulas(data, place, there)
    for form in chosen(NATIVE, seed, thorough):
        with journey.stage(
            f"compile {form}", lambda text, form=form: undetermined or rightly_refused(form, system, text)
        ):
            kernel = system.compile(form)
            for place, there in truths:
                compare.kernel(kernel, place, there)
    if case.mechanism:
        with journey.stage("joint forces", agreed):
            compare.joints(system, *truths[0])
    if motion is not None:
        others(journey, system, motion, seed, truth)
    files(journey, system, path, compare, truths[-1], seed, agreed)
    return journey.faults


def rightly_refused(form: str, system: Any, text: str) -> bool:
    """Tell whether a form cannot be had, by the page on the forms."""
    if form == "canonical":
        if "is not linear in the velocities" in text:  # the only one that would make up for what M lacks
            return any(c.level == "velocity" and not c.linear for c in system.constraints)
        return system.kinetic is None or any(c.level == "acceleration" for c in system.constraints)
    return False


def examine(journey: Journey, path: Path, truth: Truth) -> None:
    """Check the model from the command line, as text and as JSON."""
    said = json.loads(journey.command("check", str(path), "--json"))
    assert said["rank"] == truth.rank, f"rank {said['rank']}, the oracle has {truth.rank}"
    assert said["degrees_of_freedom"] == len(truth.f) - truth.rank, "degrees of freedom"
    names = {p["text"][:60] for p in said["problems"] if p["severity"] == "error"}
    assert truth.definite or names, "nothing is said of accelerations that are not determined"


def others(journey: Journey, system: Any, motion: Any, seed: int, truth: Truth) -> None:
    """Compute the motion by two further methods, and compare where they end."""
    case = journey.case
    holonomic = all(c.level == "position" for c in system.constraints) and system.kinetic is not None
    structured = holonomic and truth.regular_mass  # what `rattle` takes, as its page says
    third = ("bdf", "rk4", "rattle" if structured else "bdf", "euler")[seed % 4]
    settings: dict[str, dict[str, Any]] = {
        "rk4": {"step": case.until / 200},
        "euler": {"step": case.until / 200},
        "rattle": {"step": case.until / 50},
        "bdf": {"rtol": 1e-7, "atol": 1e-9},
    }
    for method, near in (("radau", 1e-5), (third, 0.3 if third == "euler" else 1e-3)):
        with journey.stage(f"simulate {method}"):
            other = system.simulate(case.until, method=method, **settings.get(method, {}))
            assert other.status == "done", f"{other.status}: {other.message}"
            for name in system.coordinates:
                here, there = motion[name], other[name]
                size = 1 + np.abs(here).max()
                assert abs(here[-1] - there[-1]) < near * size, f"{name} ends at {there[-1]}, not {here[-1]}"
    with journey.stage("save the motion"):
        ending = (".csv", ".npz", ".mat")[seed % 3]
        motion.save(journey.folder / f"motion{ending}")
        if ending != ".mat":
            table = load_motion(journey.folder / f"motion{ending}")
            assert np.array_equal(table["t"], motion.t), "other times in the file"


def files(
    journey: Journey, system: Any, path: Path, compare: Compare, last: Any, seed: int, agreed: Callable[[str], bool]
) -> None:
    """Run with a report, save and load, export, derive on the command line."""
    folder, name = journey.folder, str(path)
    with journey.stage("run", agreed):
        report = folder / "report.html"
        printed = journey.command("run", name, "--report", str(report))
        assert "nan" not in printed.split(), "a number that is none"
        assert report.stat().st_size > 1000, "no report"
    with journey.stage("derive on the command line", agreed):
        if seed % 2:  # else as a document, below
            journey.command("derive", name, "--form", "multipliers", "--to", ("text", "latex", "json")[seed % 3])
    with journey.stage("save and load"):
        copy = folder / "copy.toml"
        system.save(copy)
        again = load(copy)
        assert again.coordinates == system.coordinates, "other coordinates after saving"
        if not agreed(""):
            compare.kernel(again.compile(), *last)
    target = folder / "exported.toml"
    with journey.stage("export toml"):
        journey.command("export", name, "--to", "toml", "--out", str(target))
        load(target)
    targets = {"c": "model.c", "numpy": "model_numpy.py"} | ({} if seed % 2 else {"latex": "model.tex"})
    if exports.HAS_JAX and seed % 20 == 6:  # it takes seconds to compile
        targets["jax"] = "model_jax.py"
    for to, file in targets.items():
        with journey.stage(f"export {to}", agreed):
            journey.command("export", name, "--to", to, "--out", str(folder / file))
            place, truth = last
            if to == "numpy":
                compare.exported(runpy.run_path(str(folder / file)), place, truth)
            elif to == "c" and exports.COMPILER:
                compare.accelerations(exports.in_c(folder / file, system, place), truth, "exported C: accelerations")
            elif to == "jax":
                compare.accelerations(exports.in_jax(folder / file, place), truth, "exported JAX: accelerations")
