"""What implicit methods solve: F = M a − f − Aᵀλ, the conditions C, and their Jacobians; built once, on one tape."""

from __future__ import annotations

from dalembert.language.calculus import ZERO
from dalembert.native.builder import Builder
from dalembert.native.differentiate import gradients
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar


@register
class Implicit(Group):
    """F and C, and the entries of ∂F/∂q, ∂F/∂v, ∂C/∂q, ∂C/∂v, M and A; the fact `patterns` says where they stand.

    Behind the other inputs stand a and λ.
    """

    name = "implicit"
    formulas = True

    def straight(self, builder: Builder) -> Module:
        """Put them on a tape."""
        balance, n = Routine("balance"), builder.n
        tape = balance.tape
        M, A, F, C = _balance(builder, balance)
        balance.store("out", [*F, *C])
        slopes = gradients(tape, [*F, *C], [tape.load("in", 1 + j) for j in range(2 * n)])
        parts = {name: {} for name in ("F_q", "F_v", "C_q", "C_v")} | {"M": M, "A": A}
        for i, row in enumerate(slopes):
            for k, value in row.items():
                parts[("F" if i < n else "C") + ("_q" if k < n else "_v")][i if i < n else i - n, k % n] = value
        patterns = {name: sorted(entries) for name, entries in parts.items()}
        jacobian = Routine("jacobian", tape)
        jacobian.store("out", [parts[name][place] for name, places in patterns.items() for place in places])
        module = Module()
        module.add(balance, jacobian)
        for name in ("balance", "jacobian"):
            module.kernel(name, [name], len(builder.inputs) + n + builder.s)
        module.facts["patterns"] = patterns
        return module


def _balance(builder: Builder, routine: Routine) -> tuple[dict, dict, list[Scalar], list[Scalar]]:
    """Return M, A, F = M a − f − Aᵀλ and the conditions C, with a and λ behind the other inputs.

    C is ψ, and A a − c where a constraint is on accelerations.
    """
    b, tape, start = builder.blocks, routine.tape, len(builder.inputs)
    psi = [ZERO if r is None else r for r in b.psi]
    values = iter(builder.evaluate(routine, [*b.M.values(), *b.A.values(), *b.f, *psi, *b.c]))
    M, A = {place: next(values) for place in b.M}, {place: next(values) for place in b.A}
    F: list[Scalar] = [-next(values) for _ in b.f]
    C: list[Scalar] = [next(values) for _ in psi]
    a = [tape.load("in", start + k) for k in range(builder.n)]
    multipliers = [tape.load("in", start + builder.n + k) for k in range(builder.s)]
    for i, c in enumerate(values):
        if b.psi[i] is None:
            C[i] = -c
    for (i, j), value in M.items():
        F[i] = F[i] + value * a[j]
    for (i, j), value in A.items():
        F[j] = F[j] - value * multipliers[i]
        if b.psi[i] is None:
            C[i] = C[i] + value * a[j]
    return M, A, F, C
