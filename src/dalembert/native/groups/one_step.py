"""A whole step of an explicit method on one tape, for systems so small that calls and loops cost more than equations.

The stages and the error estimate of `motion/steppers/runge_kutta.py`, with the equations of `direct` written out at
each stage and the coefficients of the method as constants.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from dalembert.algebra.tape import CONSTANT, LOAD, Node, Tape
from dalembert.native.builder import Builder
from dalembert.native.groups.base import Group
from dalembert.native.groups.direct import direct
from dalembert.native.module import Module
from dalembert.native.routine import Routine
from dalembert.native.solver import Scalar

MOST = 1500  # operations of a step: beyond, it takes long to compile and little is gained


class StepMethod(Protocol):
    """The data of an explicit method: its stages, weights and times, and the weights of two error estimates."""

    @property
    def name(self) -> str:
        """How it is called."""
        ...

    @property
    def stages(self) -> Sequence[Sequence[float]]:
        """Coefficients of the stages, one row for each."""
        ...

    @property
    def weights(self) -> Sequence[float]:
        """Of the stages, in the step."""
        ...

    @property
    def times(self) -> Sequence[float]:
        """Of the stages, in parts of the step."""
        ...

    @property
    def errors(self) -> Sequence[Sequence[float]]:
        """Weights of the stages in one error estimate or two, if there are any."""
        ...


class OneStep(Group):
    """The kernel of a step: behind the other inputs it is given h and the relative and absolute tolerance.

    It gives the state at the end, the error in units of the tolerance, a number that is positive if plain elimination
    was good enough at all stages, its conditioning above `well`, and the slopes of the stages.
    """

    def __init__(self, method: StepMethod, well: float):
        self.method, self.well = method, well
        self.name = f"step {method.name} {well}"

    def straight(self, builder: Builder) -> Module:
        """Put it on a tape."""
        method, whole, routine = self.method, direct(builder), Routine("step")
        tape, n, s = routine.tape, builder.n, builder.s
        inputs = routine.loads("in", len(builder.inputs) + 3)
        t, y, parameters, (h, rtol, atol) = inputs[0], inputs[1 : 1 + 2 * n], inputs[1 + 2 * n : -3], inputs[-3:]
        slopes: list[list[Scalar]] = []
        fine: Scalar = 1.0
        for row, time in zip(method.stages, method.times[: len(method.weights)], strict=False):
            state = [start + h * change for start, change in zip(y, _sums(row, slopes, 2 * n), strict=True)]
            out = inlined(whole, tape, [t + h * time, *state, *parameters])
            rank, conditioning, positive = out[n + s :]
            for value in (rank - (s - 0.5), conditioning - self.well, positive - 0.5):
                fine = tape.call("min", fine, value)
            slopes.append([*state[n:], *out[:n]])
        end = [start + h * change for start, change in zip(y, _sums(method.weights, slopes, 2 * n), strict=True)]
        routine.store("out", [*end, _error(method, tape, h, rtol, atol, y, end, slopes), fine])
        routine.store("out", [slope for stage in slopes for slope in stage], 2 * n + 2)
        module = Module()
        module.add(routine)
        module.kernel("step", ["step"], len(inputs))
        return module


def _sums(weights: Sequence[float], slopes: list[list[Scalar]], size: int) -> list[Scalar]:
    """Return the weighted sums of the slopes, by components."""
    totals: list[Scalar] = [0.0] * size
    for weight, slope in zip(weights, slopes, strict=False):
        totals = [total + weight * part for total, part in zip(totals, slope, strict=True)]
    return totals


def _error(method: StepMethod, tape: Tape, h: Node, rtol: Node, atol: Node, y: Any, end: Any, slopes: Any) -> Scalar:
    """Return the size of the error, of two estimates made one."""
    sums: list[Scalar] = [0.0] * len(method.errors)
    estimates = [_sums(weights, slopes, len(y)) for weights in method.errors]
    for start, new, *parts in zip(y, end, *estimates, strict=True):
        scale = 1.0 / (atol + rtol * tape.call("max", tape.call("abs", start), tape.call("abs", new)))
        sums = [total + (part * scale) * (part * scale) for total, part in zip(sums, parts, strict=True)]
    if len(sums) == 1:
        return h * tape.call("sqrt", sums[0] * (1.0 / len(y)))
    coarse, fine = sums
    tiny = 1e-300  # no error at all is no error
    return h * (fine / tape.call("sqrt", ((fine + 0.01 * coarse) * float(len(y))) + tiny))


def inlined(routine: Routine, tape: Tape, inputs: Sequence[Scalar]) -> list[Scalar]:
    """Write a routine that only reads `in` and writes `out` onto another tape; return what it would write."""
    values: list[Scalar] = []
    for name, *rest in routine.tape.nodes:
        if name == LOAD:
            values.append(inputs[rest[1]])
        elif name == CONSTANT:
            values.append(rest[0])
        else:
            values.append(_again(tape, name, [values[k] for k in rest]))
    out = {index: value for (_, index), value in routine.stores.items()}
    return [
        values[value._number] if isinstance(value, Node) else value for value in (out[index] for index in sorted(out))
    ]


def _again(tape: Tape, name: str, args: list[Scalar]) -> Scalar:
    if name == "+":
        return args[0] + args[1]
    if name == "-":
        return args[0] - args[1]
    if name == "*":
        return args[0] * args[1]
    if name == "neg":
        return -args[0]
    if name == "inverse":
        return 1.0 / args[0]
    return tape.call(name, *args)
