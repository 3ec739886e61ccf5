"""Momenta and Hamilton's function along a motion: p_x = ∂T/∂x' for every coordinate, H = v·p − T + V (Do Sanh 1993).

They follow from the energies in whatever form the system is moved. Names of the model win over `p_…` and `H`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.state_names import is_integral
from dalembert.model.given import Given
from dalembert.model.quantity import Quantity

MOMENTUM, HAMILTONIAN = "p_", "H"


@dataclass(frozen=True)
class EnergySource:
    """What momenta are made of: returns T and V; or says why there are none."""

    energies: Callable[[], tuple[Expr, Expr | None]] | None = None
    why: str = "a system given by matrices has neither momenta nor H; give its energies, in [energy]"


IN_EQUATIONS = EnergySource(None, "momenta and H follow from the equations, and cannot stand in them; use velocities")


def energies_to_come(given: Given, coordinates: Iterable[str]) -> EnergySource:
    """Return what stands for the energies while a system is being read: with it, rates can be judged."""
    if given.mass is not None or given.force is not None:
        return EnergySource()
    stand_in = se.Add(*[se.Symbol(name) * se.Symbol(f"{name}'") ** 2 for name in coordinates])
    return EnergySource(lambda: (stand_in, None))


def canonical_names(coordinates: Iterable[str], taken: Collection[str]) -> dict[str, str]:
    """Return how momenta and H are written, each with its coordinate, that of H empty.

    >>> canonical_names(["x", "phi"], {"p_x"})
    {'p_phi': 'phi', 'H': ''}
    """
    found = {MOMENTUM + name: name for name in coordinates if not is_integral(name)}  # a state has no momentum
    return {name: of for name, of in (*found.items(), (HAMILTONIAN, "")) if name not in taken}


def canonical_quantity(source: EnergySource, coordinate: str) -> Quantity | str:
    """Return the momentum of a coordinate, without one H; or say why there is none."""
    if (energies := source.energies) is None:
        return source.why
    return Quantity((lambda: momentum(energies()[0], coordinate)) if coordinate else lambda: hamiltonian(*energies()))


def momentum(T: Expr, coordinate: str) -> Expr:
    """Return ∂T/∂v."""
    v = se.Symbol(f"{coordinate}'")
    calculus = Calculus([v])
    return calculus.lower(calculus.diff(calculus.lift(T), v))


def hamiltonian(T: Expr, V: Expr | None) -> Expr:
    """Return v·∂T/∂v − T + V."""
    speeds = sorted((symbol for symbol in T.free_symbols if symbol.name.endswith("'")), key=str)
    return se.Add(*[v * momentum(T, v.name[:-1]) for v in speeds], -T, V or ZERO)
