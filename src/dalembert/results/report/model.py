"""The section on the model: what it is made of, its parameters, its energies, and its text."""

from __future__ import annotations

import base64
import re

import symengine as se

from dalembert.characters import escape
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tables import GROUND
from dalembert.model.system import System
from dalembert.results.mathml import math
from dalembert.results.report.formulas import equation, more, name_parts, where, written
from dalembert.results.report.html import Section, code, fold, number, table
from dalembert.results.symbols import mathml, symbol

_MORE = 9  # forces
_LINES = 150  # of a model that is printed


def section(system: System) -> Section:
    """Describe the model."""
    parts = [_parts(system) if isinstance(system, Mechanism) else "", _energies(system), _parameters(system)]
    text = str(system)
    name = file_name(system)
    address = base64.b64encode(text.encode()).decode()
    link = f'<a download="{name}" href="data:application/toml;base64,{address}">save as {name}</a>'
    short = text.count("\n") <= _LINES
    parts.append(fold("The model as a file", f'<p class="aside">{link}</p>{code(text)}', on_paper=short))
    return Section("model", "Model", "\n".join(filter(None, parts)))


def file_name(system: System) -> str:
    """Return a name for the model's file, from its title."""
    plain = re.sub(r"[^a-z0-9]+", "-", system.name.lower()).strip("-")[:40].rstrip("-")
    return f"{plain or 'model'}.toml"


def _parts(mechanism: Mechanism) -> str:
    """List bodies, joints, and what drives and pushes."""
    bodies = [
        [escape(name), written(body.mass), ", ".join(written(row[k]) for k, row in enumerate(body.inertia))]
        for name, body in mechanism.bodies.items()
        if name != GROUND
    ]
    joints = [
        [escape(name), escape(joint.kind.replace("_", " ")), escape(" – ".join(joint.bodies))]
        for name, joint in mechanism.joints.items()
    ]
    others = [[escape(name), "drive"] for name in mechanism.drives]
    others += [[escape(name), part.word] for section in mechanism.elements.values() for name, part in section.items()]
    moments = "inertia in kg m²" if mechanism.dimensions == 2 else "principal inertia in kg m²"
    tables = [table(["body", "mass in kg", moments], bodies), table(["joint", "kind", "bodies"], joints)]
    return f'<div class="tables">{"".join(tables)}{table(["part", "kind"], others) if others else ""}</div>'


def _energies(system: System) -> str:
    """Write down the energies and the forces without potential."""
    forces = {f"<msub><mi>Q</mi>{mathml(name)}</msub>": force for name, force in system.forces.items() if force != 0}
    lines = dict(list(forces.items())[:_MORE])
    if system.kinetic is not None:
        lines = {"<mi>T</mi>": system.kinetic, "<mi>V</mi>": system.potential or se.Integer(0), **lines}
    if not lines:
        return ""
    right, named = name_parts(list(lines.values()), (*system.coordinates, *system.parameters))
    html = "".join(equation(left, side) for left, side in zip(lines, right, strict=True))
    title = " and ".join(["Energies"] * (system.kinetic is not None) + ["forces"] * bool(forces))
    return f"<h3>{title[0].upper()}{title[1:]}</h3>{html}{more(len(forces) - _MORE, 'force')}{where(named)}"


def _parameters(system: System) -> str:
    if not system.parameters:
        return ""
    cells = [
        f"<div>{symbol(name).html}{math('<mo>=</mo>')}{'—' if value is None else number(value, 8)}</div>"
        for name, value in system.parameters.items()
    ]
    return f'<h3>Parameters</h3>\n<div class="grid">{"".join(cells)}</div>'
