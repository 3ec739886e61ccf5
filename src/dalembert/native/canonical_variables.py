"""The canonical variables on tapes: p = M v + l, and what makes them change."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from dalembert.algebra import quasidefinite
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.model.quantity import parted
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar

if TYPE_CHECKING:
    from dalembert.native.builder import Builder


class Momenta:
    """Goes between velocities and momenta on the tapes of a builder."""

    def __init__(self, builder: Builder):
        self.builder = builder

    @cached_property
    def lagrangian(self) -> tuple[list[Expr], list[Expr]]:
        """l, the momenta at rest, and ∂L/∂q + Q, without forces that depend on multipliers."""
        system, b = self.builder.system, self.builder.blocks
        calculus = Calculus([*b.q, *b.v, b.t])
        momenta: dict[Expr, list[Expr]] = {v: [] for v in b.v}
        slopes: dict[Expr, list[Expr]] = {q: [parted(system.forces.get(q.name, ZERO))[0]] for q in b.q}
        still = dict.fromkeys(b.v, ZERO)
        for sign, energy in ((1, system.kinetic), (-1, system.potential)):
            for term in calculus.terms(calculus.lift(energy)) if energy is not None else ():
                for symbol in calculus.depends(term):
                    slope = calculus.lower(calculus.diff(term, symbol))
                    if symbol in slopes:
                        slopes[symbol].append(sign * slope)
                    elif symbol in momenta:
                        momenta[symbol].append(slope.xreplace(still))
        return [sum(momenta[v], ZERO) for v in b.v], [sum(slopes[q], ZERO) for q in b.q]

    def velocities(self, routine: Routine) -> dict[Expr, Scalar]:
        """Solve p = M v + l for v on the tape; the momenta stand where kernels otherwise read velocities."""
        n, (M, A, rho) = self.builder.n, self.builder.matrices(routine)
        full = {**M, **{(j, i): value for (i, j), value in M.items()}}
        order = quasidefinite.elimination_order(M, n, 0)
        factors = quasidefinite.factorise(full, {}, n, 0, order, routine.tape, lambda k, pivot, size: 1.0 / pivot)
        rest = [routine.tape.load("in", 1 + n + j) - l for j, l in enumerate(self.resting(routine, A, rho))]
        return dict(zip(self.builder.blocks.v, quasidefinite.solve(factors, rest), strict=True))

    def resting(self, routine: Routine, A: dict, rho: dict[int, Scalar]) -> list[Scalar]:
        """Return l, the momenta at rest, with those of T + Σ ½ ρᵢ ψᵢ² where constraints make up for what M lacks."""
        still = dict.fromkeys(self.builder.blocks.v, ZERO)
        rest = {i: (self.builder.blocks.psi[i] or ZERO).xreplace(still) for i in rho}
        linear = self.builder.evaluate(routine, [*self.lagrangian[0], *rest.values()])
        psi = dict(zip(rest, linear[self.builder.n :], strict=True))
        return self.builder.augmented(list(linear[: self.builder.n]), psi, A, rho)
