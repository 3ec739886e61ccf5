"""[loads.*] of a model by energies: forces at points and moments at angles that expressions give.

A force F at a point r(q, t) does the virtual work F·δr, so that Q = Σ F·∂r/∂q; a moment M at an angle φ(q, t) gives
Q = M ∂φ/∂q. In a mechanism [loads.*] act on bodies: `model/mechanism/elements/load.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import nearest
from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus
from dalembert.model.sections.base import ModelTable, model_table, tables_by_name

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

PAIRS = {"at": "force", "angle": "moment"}  # where, and what acts there


@model_table
class Loads(ModelTable):
    """Forces at points, and moments at angles, of a system by energies."""

    name = "loads"
    mechanical = False

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Read where each load acts and what it is."""
        tables = tables_by_name(reader, self, given, '{at = ["x", "y"], force = ["F", 0]}')
        found = {name: self.read_load(reader, (self.name, name), table) for name, table in tables.items()}
        return MappingProxyType({name: MappingProxyType(load) for name, load in found.items()})

    def read_load(self, reader: Reader, key: tuple[str, ...], table: Mapping[str, Any]) -> dict[str, Any]:
        """Read one load."""
        known = [*PAIRS, *PAIRS.values()]
        for entry in table:
            if entry not in known:
                hint = nearest(str(entry), known, "entries") + "; bodies are loaded in a mechanism"
                reader.problem(f"unknown entry; {hint}", *key, str(entry))
        if not any(table.get(where) is not None for where in PAIRS):
            reader.problem("nothing says where it acts; give `at` and `force`, or `angle` and `moment`", *key)
        read: dict[str, Any] = {}
        moving = reader.velocities | reader.accelerations | reader.laws
        still = "a load acts at a place: an expression of coordinates, time and parameters"
        why = "a load depends on accelerations; bring them into the kinetic energy"
        for where, what in PAIRS.items():
            given = [entry for entry in (where, what) if table.get(entry) is not None]
            if len(given) == 1:
                reader.problem(f"`{where}` and `{what}` go together; one of them is missing", *key, given[0])
            for entry in given:
                place = (*key, entry)

                def at(value: Any, place: tuple[str, ...] = place) -> Expr:
                    return reader.expression(value, place, moving, still)

                def acting(value: Any, place: tuple[str, ...] = place) -> Expr:
                    return reader.acting.read(value, place, why)

                read[entry] = self.read_entry(reader, place, table[entry], at if entry == where else acting)
        sizes = [len(read[entry]) for entry in ("at", "force") if isinstance(read.get(entry), tuple)]
        if len(set(sizes)) > 1:
            reader.problem(f"a point of {sizes[0]} coordinates, and a force of {sizes[1]} components", *key, "force")
        return read

    def read_entry(self, reader: Reader, key: tuple[str, ...], value: Any, read: Callable[[Any], Expr]) -> Any:
        """Read a vector or, of angles and moments, an expression."""
        if key[-1] in ("angle", "moment"):
            return read(value)
        value = value.tolist() if hasattr(value, "tolist") else value
        if not isinstance(value, (list, tuple)) or len(value) not in (2, 3):
            reader.problem(f'expected two or three expressions, as in ["x", "y"], got {shown(value)}', *key)
            return ()
        return tuple(read(item) for item in value)

    def forces(self, reader: Reader, kept: Mapping[str, Any]) -> Mapping[str, Expr]:
        """Return Σ F·∂r/∂q."""
        calculus = Calculus([se.Symbol(name) for name in reader.coordinates])
        found: dict[str, list[Expr]] = {}
        for load in kept.values():
            pairs = [*zip(load.get("at", ()), load.get("force", ()), strict=False)]
            pairs += [(load["angle"], load["moment"])] if {"angle", "moment"} <= load.keys() else []
            for place, force in pairs:
                if force == 0:
                    continue
                lifted = calculus.lift(place)
                for q in sorted(calculus.depends(lifted), key=str):
                    found.setdefault(q.name, []).append(force * calculus.lower(calculus.diff(lifted, q)))
        return {name: se.Add(*terms) for name, terms in found.items()}

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> None:
        """Leave it to the forces, which hold all of it."""
