"""The section that says how to get the same motion again: the lines to type, the settings, the versions."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from dalembert.model.settings import Settings
from dalembert.results.report.html import Section, code, paragraph
from dalembert.results.report.model import file_name

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run

_PACKAGES = ("dalembert", "numpy", "scipy", "sympy", "symengine", "numba", "llvmlite")


def section(run: Run) -> Section:
    """Give the lines to type."""
    name = file_name(run.system)
    settings = _settings(run.motion.settings)
    options = " ".join(_option(key, value) for key, value in settings.items() if key in Settings.options)
    given = ", ".join(f"{key}={value!r}" for key, value in settings.items())
    html = paragraph(f"Save the model, which is written above, as `{name}`. On the command line:")
    html += code(f"dalembert simulate {name} --until {run.until!r} {options} --report report.html")
    html += paragraph("Or in Python:")
    html += code(
        "from dalembert import load\n\n"
        f'run = load("{name}").simulate({run.until!r}, {given})\n'
        'run.report("report.html")'
    )
    if not settings.keys() <= set(Settings.options):
        html += paragraph("Events and gains are given in Python only.", "aside")
    versions = [f"Python {platform.python_version()}", *(f"{name} {_version(name)}" for name in _PACKAGES)]
    html += paragraph(f"Made with {', '.join(versions)} on {platform.system()}, {platform.machine()}.", "aside")
    return Section("reproduce", "How to reproduce it", html)


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
