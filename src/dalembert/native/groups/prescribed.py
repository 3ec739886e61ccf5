"""What a motion takes: M q̈ − f with A and the directions of controls, and what it is off, at one state or many."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.system import System
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group
from dalembert.native.module import Module
from dalembert.native.routine import Routine


class Balance(Group):
    """A kernel `balance`: M q̈ − f, then the entries of A, then those of E, then the residuals g and ψ, and c.

    q̈ and zeros for λ stand behind the inputs.

    controls: parameters by which forces are linear, and zero in the inputs; E holds their slopes.
    """

    formulas = True

    def __init__(self, controls: Sequence[str]):
        self.controls = list(controls)
        self.name = f"balance {' '.join(controls)}"

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        module, routine = Module(), Routine("balance")
        slopes = directions(builder.system, tuple(self.controls))
        _, A, F, _ = builder.balance(routine)
        b = builder.blocks
        further = [*slopes.values(), *(ZERO if r is None else r for r in (*b.g, *b.psi)), *b.c]
        routine.store("out", [*F, *A.values(), *builder.evaluate(routine, further)])
        module.add(routine)
        module.kernel("balance", ["balance"], len(builder.inputs) + builder.n + builder.s)
        module.facts |= {"A": list(A), "E": list(slopes)}
        return module


@fact(STRUCTURE)
def directions(system: System, controls: tuple[str, ...]) -> Mapping[tuple[int, int], Expr]:
    """Return ∂f/∂u by (coordinate, control), without zeros; controls stand in forces only."""
    symbols = [se.Symbol(name) for name in controls]
    calculus, found = Calculus(symbols), dict[tuple[int, int], Expr]()
    forces = [(system.coordinates.index(name), force) for name, force in system.forces.items()]
    for j, force in (*enumerate(system.force or ()), *forces):
        lifted = calculus.lift(force)
        for k, symbol in enumerate(symbols):
            if symbol in calculus.depends(lifted) and (slope := calculus.lower(calculus.diff(lifted, symbol))) != 0:
                found[j, k] = found.get((j, k), ZERO) + slope
    return found
