"""What implicit methods solve: F = M a − f − ρ − Aᵀλ, the conditions C, and their Jacobians; built on one tape."""

from __future__ import annotations

from dalembert.native.builder import Builder
from dalembert.native.differentiate import gradients
from dalembert.native.groups.base import Group, register
from dalembert.native.module import Module
from dalembert.native.routine import Routine


@register
class Implicit(Group):
    """F and C, and the entries of ∂F/∂q, ∂F/∂v, ∂C/∂q, ∂C/∂v, M, A, −∂ρ/∂λ; the fact `patterns` says where they stand.

    Behind the other inputs stand a and λ.
    """

    name = "implicit"

    def straight(self, builder: Builder) -> Module:
        """Put them on a tape."""
        balance, n = Routine("balance"), builder.n
        tape = balance.tape
        M, A, F, C = builder.balance(balance)
        balance.store("out", [*F, *C])
        slopes = gradients(tape, [*F, *C], [tape.load("in", 1 + j) for j in range(2 * n)])
        if M is None:
            rates = gradients(tape, F, [tape.load("in", len(builder.inputs) + j) for j in range(n)])
            M = {(i, j): value for i, row in enumerate(rates) for j, value in row.items()}
        parts = {name: {} for name in ("F_q", "F_v", "C_q", "C_v")} | {"M": M, "A": A}
        for i, row in enumerate(slopes):
            for k, value in row.items():
                parts[("F" if i < n else "C") + ("_q" if k < n else "_v")][i if i < n else i - n, k % n] = value
        parts["F_l"] = builder.followed(balance)
        patterns = {name: sorted(entries) for name, entries in parts.items()}
        jacobian = Routine("jacobian", tape)
        jacobian.store("out", [parts[name][place] for name, places in patterns.items() for place in places])
        module = Module()
        module.add(balance, jacobian)
        for name in ("balance", "jacobian"):
            module.kernel(name, [name], len(builder.inputs) + n + builder.s)
        module.facts["patterns"] = patterns
        return module
