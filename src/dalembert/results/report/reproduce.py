"""The section that says how to get the same motion again: the lines to type, the settings, the versions."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from dalembert.document.nodes import Block, Code, Paragraph, Section
from dalembert.model.settings import Settings
from dalembert.results.report.sections import file_name

if TYPE_CHECKING:
    from dalembert.results.run import Run

_PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "symengine", "numba", "llvmlite")


def section(run: Run) -> Section:
    """Give the lines to type."""
    name = file_name(run.system)
    settings = _settings(run.motion.settings)
    options = " ".join(_option(key, value) for key, value in settings.items() if key in Settings.options)
    given = ", ".join(f"{key}={value!r}" for key, value in settings.items())
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
    if not settings.keys() <= set(Settings.options):
        parts.append(Paragraph("Events and gains are given in Python only.", "faint"))
    versions = [f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in _PACKAGES)]
    made = f"Made with {', '.join(versions)} on {platform.system()}, {platform.machine()}."
    return Section("How to reproduce it", [*parts, Paragraph(made, "faint")], key="reproduce")


def _settings(settings: Settings) -> dict[str, Any]:
    """Return the settings on which the steps depend."""
    steps = ("rtol", "atol") if settings.step is None else ("step",)
    found = {key: getattr(settings, key) for key in ("form", "method", "keep", *steps)}
    if settings.events:
        found["events"] = list(settings.events)
    further = {key: getattr(settings, key) for key in ("gains", "max_steps", "max_seconds", "unchecked")}
    return found | {key: value for key, value in further.items() if value and value != getattr(Settings, key)}


def _option(key: str, value: Any) -> str:
    name = f"--{key.replace('_', '-')}"
    return name if value is True else f"{name} {value}"


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
