"""Kernels for methods that solve for a state and its rates at once.

F = M a − f − Aᵀλ is what is left of the balance for any accelerations a; the *conditions* w are ψ of the constraints on
positions and velocities, and A a − c of those on accelerations.
"""

from __future__ import annotations

from dalembert.language.calculus import ZERO
from dalembert.native.build import Builder, Scalar
from dalembert.native.differentiate import gradients
from dalembert.native.groups import Module, solution
from dalembert.native.routine import Routine, Shelf


class _Switched(Builder):
    """Takes part of the constraints: behind the other inputs stand factors of the rows of A, one or zero."""

    def matrices(self, routine: Routine, changes=None):
        M, A, rho = super().matrices(routine, changes)
        rows = [routine.tape.load("in", len(self.inputs) + i) for i in range(self.s)]
        return M, {(i, j): value * rows[i] for (i, j), value in A.items()}, rho

    def mixed(self) -> Routine:
        """Make the routine that fills the matrix and the right side M d + b, w; d, b, w are the last inputs."""
        routine = Routine("mixed")
        M, A, _ = self.matrices(routine)
        self.matrix = Shelf("matrix", routine, {**M, **{(self.n + i, j): value for (i, j), value in A.items()}})
        given = routine.loads("in", len(self.inputs) + 2 * self.s + 2 * self.n)[len(self.inputs) + self.s :]
        d, right = given[: self.n], given[self.n :]
        for (i, j), value in M.items():
            right[i] = right[i] + value * d[j]
            if i != j:
                right[j] = right[j] + value * d[i]
        routine.store("right", right)
        return routine


def implicit(builder: Builder) -> Module:
    """Return the kernels `split`, `terms`, `balance` and `slopes`.

    split: factors of the rows, d, b, w → x, y with M x + Aᵀy = M d + b, A x = w: what d and b do along the constraints
    is left, what they do against them is replaced by w. terms: a → f, g, w. balance: a, λ, μ → Aᵀμ (of positions), F,
    g, w. slopes: a, λ → the entries of ∂F and ∂w by q, v, a and those of A; `patterns` says where they stand.
    """
    other, module = _Switched(builder.system), Module()
    module.add(other.mixed(), other.factor(), other.solve(), other.begin(), other.refine())
    found = Routine("found")
    found.store("out", [*found.loads("x", other.n + other.s), *found.loads("condition", 3)])
    terms, balance = _terms(builder), _balance(builder)
    slopes, patterns = _slopes(builder)
    module.add(found, terms, balance, slopes)
    n, s, inputs = builder.n, builder.s, len(builder.inputs)
    module.kernel("split", ["mixed", *solution(), "found"], inputs + 2 * s + 2 * n)
    module.kernel("terms", ["terms"], inputs + n)
    module.kernel("balance", ["balance"], inputs + n + 2 * s)
    module.kernel("slopes", ["slopes"], inputs + n + s)
    module.facts["patterns"] = patterns
    return module


def _terms(builder: Builder) -> Routine:
    routine, b = Routine("terms"), builder.blocks
    _, A, rho = builder.matrices(routine)
    f, c = list(builder.evaluate(routine, b.f)), list(builder.evaluate(routine, b.c))
    a = [routine.tape.load("in", len(builder.inputs) + j) for j in range(builder.n)]
    w = _conditions(builder, routine, A, a)
    g = builder.evaluate(routine, [ZERO if r is None else r for r in b.g])
    routine.store("out", [*builder.augmented(f, c, A, rho), *g, *w])
    return routine


def _balance(builder: Builder) -> Routine:
    routine, b, n, s = Routine("balance"), builder.blocks, builder.n, builder.s
    start = len(builder.inputs)
    mu = [routine.tape.load("in", start + n + s + i) for i in range(s)]
    A, F, w = _residuals(builder, routine)[1:]
    pushed: list[Scalar] = [0.0] * n
    for (i, j), value in A.items():
        if b.g[i] is not None:
            pushed[j] = pushed[j] + value * mu[i]
    g = builder.evaluate(routine, [ZERO if r is None else r for r in b.g])
    routine.store("out", [*pushed, *F, *g, *w])
    return routine


def _slopes(builder: Builder) -> tuple[Routine, dict[str, list[tuple[int, int]]]]:
    routine, n = Routine("slopes"), builder.n
    _, A, F, w = _residuals(builder, routine)
    start = len(builder.inputs)
    variables = [routine.tape.load("in", first + j) for first in (1, 1 + n, start) for j in range(n)]
    found = gradients(routine.tape, [*F, *w], variables)
    parts: dict[str, dict] = {
        f"{name}_{by}": {
            (i, k - first): value for i, row in enumerate(rows) for k, value in row.items() if first <= k < first + n
        }
        for name, rows in (("F", found[:n]), ("w", found[n:]))
        for by, first in (("q", 0), ("v", n), ("a", 2 * n))
    }
    parts["A"] = A
    patterns = {name: sorted(entries) for name, entries in parts.items()}
    routine.store("out", [parts[name][place] for name, places in patterns.items() for place in places])
    return routine, patterns


def _residuals(builder: Builder, routine: Routine) -> tuple[dict, dict, list[Scalar], list[Scalar]]:
    """Return M, A, F = M a − f − Aᵀλ and the conditions; a and λ stand behind the other inputs."""
    b, n, start = builder.blocks, builder.n, len(builder.inputs)
    values = iter(builder.evaluate(routine, [*b.M.values(), *b.A.values(), *b.f]))
    M, A = {place: next(values) for place in b.M}, {place: next(values) for place in b.A}
    F: list[Scalar] = [-next(values) for _ in b.f]
    a = [routine.tape.load("in", start + j) for j in range(n)]
    for (i, j), value in M.items():
        F[i] = F[i] + value * a[j]
    for (i, j), value in A.items():
        F[j] = F[j] - value * routine.tape.load("in", start + n + i)
    return M, A, F, _conditions(builder, routine, A, a)


def _conditions(builder: Builder, routine: Routine, A: dict, a: list) -> list[Scalar]:
    b = builder.blocks
    left = [-c if psi is None else psi for c, psi in zip(b.c, b.psi, strict=True)]
    w: list[Scalar] = list(builder.evaluate(routine, left))
    for (i, j), value in A.items():
        if b.psi[i] is None:
            w[i] = w[i] + value * a[j]
    return w
