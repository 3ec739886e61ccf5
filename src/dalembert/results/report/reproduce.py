"""The section that says how to get the same motion again: the lines to type, the settings, the versions."""

from __future__ import annotations

import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from dalembert.document.nodes import Block, Code, Paragraph, Section
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.settings import Settings
from dalembert.results.report.sections import file_name

if TYPE_CHECKING:
    from dalembert.model.system import System
    from dalembert.motion.loop import Motion
    from dalembert.results.run import Run

_RELEASED = 6  # joints for which a line is given
_PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "symengine", "numba", "llvmlite")
# said before, or by the model that is written above; or no step depends on it
_APART = ("until", "events", "step", "rtol", "atol", "samples", "initial", "functions", "controls", "every")
_APART += ("progress", "certify", "strict")


def section(run: Run) -> Section:
    """Give the lines to type."""
    name = file_name(run.system)
    settings = _settings(run.motion)
    saved = f"Save the model, which is written above, as `{name}`."
    if len(run.motion.parts) > 1:
        parts: list[Block] = [Paragraph(f"{saved} In Python:"), Code(_joined(run, name))]
    else:
        options = " ".join(_option(key, value) for key, value in settings.items() if key in Settings.options)
        parts = [
            Paragraph(f"{saved} On the command line:"),
            Code(f"dalembert simulate {name} --until {run.until!r} {options} --report report.html"),
            Paragraph("Or in Python:"),
            Code(f'from dalembert import load\n\nrun = load("{name}").{_call(run.motion)}\nrun.report("report.html")'),
        ]
        if not settings.keys() <= set(Settings.options):
            parts.append(Paragraph("Events are given in Python only.", "faint"))
    parts += _formulas(run.system, name)
    versions = [f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in _PACKAGES)]
    made = f"Made with {', '.join(versions)} on {platform.system()}, {platform.machine()}."
    return Section("How to reproduce it", [*parts, Paragraph(made, "faint")], key="reproduce")


def _formulas(system: System, name: str) -> list[Block]:
    """Give the lines that print formulas which are not written above: of forces in joints, each released by itself."""
    known = list(system.joints) if isinstance(system, Mechanism) else [c.name for c in system.constraints]
    if not known:
        return []
    what = "joint" if isinstance(system, Mechanism) else "constraint"
    lines = [f"dalembert derive {name} --release {part}" for part in known[:_RELEASED]]
    return [Paragraph(f"The forces of a {what} as formulas, as it is released (Do Sanh):"), Code("\n".join(lines))]


def _call(motion: Motion) -> str:
    """Write the call that computes a motion."""
    given = ", ".join(f"{key}={value!r}" for key, value in _settings(motion).items())
    return f"simulate({motion.settings.until!r}, {given})"


def _joined(run: Run, name: str) -> str:
    """Write the lines that compute the parts of a motion and join them."""
    lines = ["from dalembert import load", "", f'model = load("{name}")', f"run = model.{_call(run.motion.parts[0])}"]
    for part in run.motion.parts[1:]:
        values = {"initial": part.ready.state.as_dict(), "parameters": dict(part.system.written.parameters)}
        changes = ", ".join(f"{key}={value!r}" for key, value in values.items())
        lines.append(f"run += model.replace({changes}).{_call(part)}")
    return "\n".join([*lines, 'run.report("report.html")'])


def _settings(motion: Motion) -> dict[str, Any]:
    """Return the settings on which the steps depend, but for what the model says itself."""
    settings, said = motion.settings, motion.system.sections.get("events", {})
    steps = ("rtol", "atol") if settings.step is None else ("step",)
    found = {key: getattr(settings, key) for key in ("form", "method", "keep", *steps)}
    if events := [event for event in settings.events if getattr(event, "name", "") not in said]:
        found["events"] = events
    further = {key: getattr(settings, key) for key in Settings.said if key not in (*_APART, *found)}
    return found | {key: value for key, value in further.items() if value and value != getattr(Settings, key)}


def _option(key: str, value: Any) -> str:
    name = f"--{key.replace('_', '-')}"
    if isinstance(value, Mapping):
        return " ".join(f'{name} "{gain}={_bracketed(entry)}"' for gain, entry in value.items())
    if isinstance(value, tuple):
        return f"{name} {','.join(value)}"
    return name if value is True else f"{name} {value}"


def _bracketed(value: Any) -> str:
    return f"[{', '.join(map(_bracketed, value))}]" if isinstance(value, tuple) else str(value)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
