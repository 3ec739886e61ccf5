"""The section that says how to get the same motion again: the lines to type, the settings, the versions."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from dalembert.document.nodes import Block, Code, Paragraph, Section
from dalembert.results.report.sections import file_name

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run

_PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "symengine", "numba", "llvmlite")


def section(run: Run) -> Section:
    """Give the lines to type."""
    name = file_name(run.system)
    settings = {key: getattr(run, key) for key in ("form", "method", "keep", "step") if getattr(run, key) is not None}
    if run.step is None:
        settings |= {"rtol": run.rtol, "atol": run.atol}
    options = " ".join(f"--{key} {value}" for key, value in settings.items())
    given = ", ".join(f"{key}={value!r}" for key, value in (settings | _further(run)).items())
    parts: list[Block] = [
        Paragraph(f"Save the model, which is written above, as `{name}`. On the command line:"),
        Code(f"dalembert simulate {name} --until {run.until!r} {options} --report report.html"),
        Paragraph("Or in Python:"),
        Code(
            "from dalembert import load\n\n"
            f'run = load("{name}").simulate({run.until!r}, {given})\n'
            'run.report("report.html")'
        ),
    ]
    if run.motion.options.get("events") or run.motion.options.get("gains"):
        parts.append(Paragraph("Events and gains are given in Python only.", "faint"))
    versions = [f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in _PACKAGES)]
    made = f"Made with {', '.join(versions)} on {platform.system()}, {platform.machine()}."
    return Section("How to reproduce it", [*parts, Paragraph(made, "faint")], key="reproduce")


def _further(run: Run) -> dict[str, Any]:
    """Return settings that only Python takes."""
    found = {key: value for key, value in run.motion.options.items() if value}
    if "events" in found:
        found["events"] = list(found["events"])
    return found


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
