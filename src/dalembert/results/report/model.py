"""The section on the model: what it is made of, its parameters, its energies, and its text."""

from __future__ import annotations

import base64
import re
from html import escape

import symengine as se

from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.tables import GROUND
from dalembert.model.system import System
from dalembert.results.mathml import math
from dalembert.results.report.formulas import equation, written
from dalembert.results.report.html import Section, code, fold, number, table
from dalembert.results.symbols import mathml, symbol

_OTHERS = ("drives", "springs", "dampers", "actuators", "loads")
_MORE = 9


def section(system: System) -> Section:
    """Describe the model."""
    parts = [_parts(system) if isinstance(system, Mechanism) else "", _energies(system), _parameters(system)]
    text = str(system)
    name = file_name(system)
    address = base64.b64encode(text.encode()).decode()
    link = f'<a download="{name}" href="data:application/toml;base64,{address}">save as {name}</a>'
    parts.append(fold("The model as a file", f'<p class="aside">{link}</p>{code(text)}'))
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
    others = [[escape(name), kind[:-1]] for kind in _OTHERS for name in getattr(mechanism, kind)]
    moments = "inertia in kg m²" if mechanism.dimensions == 2 else "principal inertia in kg m²"
    tables = [table(["body", "mass in kg", moments], bodies), table(["joint", "kind", "bodies"], joints)]
    return f'<div class="tables">{"".join(tables)}{table(["part", "kind"], others) if others else ""}</div>'


def _energies(system: System) -> str:
    """Write down the energies and the forces without potential."""
    lines = []
    if system.kinetic is not None:
        lines += [equation("<mi>T</mi>", system.kinetic), equation("<mi>V</mi>", system.potential or se.Integer(0))]
    forces = [(name, force) for name, force in system.forces.items() if force != 0]
    lines += [equation(f"<msub><mi>Q</mi>{mathml(name)}</msub>", force) for name, force in forces[:_MORE]]
    if len(forces) > _MORE:
        lines.append(f'<p class="more">… and {len(forces) - _MORE} more forces</p>')
    return f"<h3>Energies{' and forces' if forces else ''}</h3>" + "".join(lines) if lines else ""


def _parameters(system: System) -> str:
    if not system.parameters:
        return ""
    cells = [
        f"<div>{symbol(name).html}{math('<mo>=</mo>')}{'—' if value is None else number(value, 8)}</div>"
        for name, value in system.parameters.items()
    ]
    return f'<h3>Parameters</h3>\n<div class="grid">{"".join(cells)}</div>'
