"""What kind of quantity each coordinate is, and its units: of mechanisms those of the SI, of other systems none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import symengine as se

from dalembert.document.symbol_parts import GREEK, Symbol
from dalembert.language.building import Expr
from dalembert.language.state_names import is_integral
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.pairs.base import is_angle
from dalembert.model.observed import over_time
from dalembert.model.quantity import FORCE, MOMENT
from dalembert.model.system import System

_RATES = ("", "/s", "/s²")


@dataclass(frozen=True)
class PhysicalQuantity:
    """A kind of coordinate: what its values, rates and accelerations are called, and its units if they are known.

    unit: None where nothing is known. force: the unit of what acts on it.
    """

    titles: tuple[str, str, str]
    unit: str | None = None
    force: str = ""

    def units(self, order: int) -> str:
        """Return the unit of the derivative of some order."""
        if self.unit is None:
            return ""
        return f"{self.unit or ('1' if order else '')}{_RATES[order]}"


ANGLE = PhysicalQuantity(("Angles", "Angular velocities", "Angular accelerations"))
OTHER = PhysicalQuantity(("Coordinates", "Velocities", "Accelerations"))
SI_ANGLE = PhysicalQuantity(ANGLE.titles, "rad", "N m")
SI_LENGTH = PhysicalQuantity(("Positions", "Velocities", "Accelerations"), "m", "N")
SI_EULER = PhysicalQuantity(
    ("Euler parameters", "Rates of Euler parameters", "Accelerations of Euler parameters"), "", "N m"
)
STATE = PhysicalQuantity(("Integrals of states", "States", "Rates of states"))
OWN = PhysicalQuantity(("Further coordinates", "Their velocities", "Their accelerations"))


def quantities(system: System) -> Mapping[str, PhysicalQuantity]:
    """Return what kind of quantity each coordinate is."""
    if not isinstance(system, Mechanism):
        angles = _angles(system)
        return {name: _kind(name, angles) for name in system.coordinates}
    found = {name: STATE if is_integral(name) else OWN for name in system.coordinates}
    kinds = {"length": SI_LENGTH, "angle": SI_ANGLE, "euler": SI_EULER}
    return found | {name: kinds[kind] for name, kind in system.measured.items()}


def _kind(name: str, angles: set[str]) -> PhysicalQuantity:
    return STATE if is_integral(name) else ANGLE if name in angles else OTHER


def unit_of(system: System, expr: Expr) -> str:
    """Return the unit of an expression with names of quantities in it, if it is that of all its terms; else nothing."""
    if expr.is_Symbol:
        return _unit(system, expr.name)
    if expr.is_Mul:
        parts = [part for part in expr.args if not part.is_Number]
        return unit_of(system, parts[0]) if len(parts) == 1 else ""
    if isinstance(expr, se.Abs) or expr.is_Add:
        units = {unit_of(system, part) for part in expr.args}
        return units.pop() if len(units) == 1 else ""
    return ""


def _unit_of_control(system: System, control: Mapping[str, Any]) -> str:
    """Return the unit of a force or a moment in a joint; else that of its law."""
    if not isinstance(system, Mechanism) or "joint" not in control:
        return unit_of(system, control["law"]) if "law" in control else ""
    coordinate = control.get("coordinate") or next(iter(system.joints[control["joint"]].coordinates))
    return MOMENT if is_angle(coordinate) else FORCE


def _unit(system: System, name: str) -> str:
    plain = name.rstrip("'")
    if (control := system.sections.get("controls", {}).get(plain)) is not None:
        return over_time(_unit_of_control(system, control), len(name) - len(plain))
    if plain in system.outputs:
        return over_time(unit_of(system, system.outputs[plain]), len(name) - len(plain))
    if plain in system.coordinates:
        return quantities(system)[plain].units(len(name) - len(plain))
    if plain in (momenta := system.observed.canonical):
        return _unit_of_momentum(system, momenta[plain], len(name) - len(plain))
    return system.observed.unit(name)


def _unit_of_momentum(system: System, coordinate: str, order: int) -> str:
    """Return the unit of a momentum, which is that of a force for some time, or of H; or of a rate of them."""
    if not isinstance(system, Mechanism):
        return ""
    if not coordinate:
        return "W" if order else "J"
    force = quantities(system)[coordinate].force
    return force if order or not force else f"{force} s"


def time_unit(system: System) -> str:
    """Return the unit of time, or nothing if the model states none."""
    return "s" if isinstance(system, Mechanism) else ""


def _angles(system: System) -> set[str]:
    """Find the coordinates that are angles: with a number in front they stand in a sine or cosine, or are Greek."""
    names = set(system.coordinates)
    found = {name for name in names if Symbol.read(name).letter in GREEK.values()}
    for expr in _expressions(system):
        for call in expr.atoms(se.sin, se.cos, se.tan):
            (inside,) = call.args
            for x in inside.free_symbols:
                if x.name in names and inside.diff(x).is_Number:
                    found.add(x.name)
    return found


def _expressions(system: System) -> list[Expr]:
    found = [*(system.force or ()), *system.forces.values(), *(entry for row in system.mass or () for entry in row)]
    found += [constraint.expression for constraint in system.constraints]
    return found + [energy for energy in (system.kinetic, system.potential) if energy is not None]
