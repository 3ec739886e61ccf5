"""What the steppers of implicit methods work with, as data; see `steppers/newton.py` and `steppers/gear.py`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from dalembert.arrays import Array
from dalembert.motion.pattern import Pattern
from dalembert.motion.tools import NativeRecord


class Scheme(NamedTuple):
    """A method as data: stages a, a⁻¹, times c, eigenbasis of a⁻¹ with its inverse and eigenvalues μ.

    `errors` are the weights of the error estimate, `dense` the coefficients of an interpolation through the start and
    the stages, `areas` of its integral, `inner` through the stages alone; `order` is that of the error estimate.
    """

    a: Array
    inverse: Array
    c: Array
    basis: Array
    back: Array
    real: float
    complex: complex
    errors: Array
    dense: Array
    areas: Array
    inner: Array
    order: int


class NewtonLayout(NamedTuple):
    """Where the entries of Jacobians go: value[place] += factor z^power jacobian[source].

    `added`: rows of (i, j, source of Aᵢⱼ, source of an entry of row i of C, its place, its power), with factors ρ: what
    is added to a singular M. `parts`: where F_q, C_q, M and A start and end; `rows` and `columns`: of all sources.
    `second`: which constraints are on accelerations.
    """

    source: Array
    place: Array
    power: Array
    factor: Array
    parts: Array
    rows: Array
    columns: Array
    added: Array
    rho: Array
    second: Array


class NewtonMatrix(NamedTuple):
    """The matrix of implicit methods: where Jacobians go in it, and its pattern under elimination."""

    layout: NewtonLayout
    pattern: Pattern


class Room(NamedTuple):
    """What a step works on: stages V with the start in front, their λ, rates of change, residuals; both matrices."""

    V: Array
    multipliers: Array
    guess: Array  # of the multipliers
    rates: Array
    residuals: Array
    jacobian: Array
    E: Array
    real: Array
    real_inverse: Array
    real_row: Array
    complex: Array
    complex_inverse: Array
    complex_row: Array
    right: Array
    step: Array
    right_complex: Array
    step_complex: Array
    start: Array  # accelerations, multipliers and conditioning at the start of the step
    shifted: Array  # and at a state nearby
    last_step: Array  # its length, or zero
    last_V: Array  # its stages, and their λ
    last_multipliers: Array
    raw: Array
    new: Array


class BackwardCoefficients(NamedTuple):
    """Those of backward differentiation, by order: γ, α, and of the error."""

    gamma: Array
    alpha: Array
    error: Array


HISTORY = np.dtype([(name, np.int64) for name in (
    "order", "equal", "failed",  # of backward differentiation: also steps of equal length, and rejections, in a row
)])  # fmt: skip


class Past(NamedTuple):
    """What a step of backward differentiation works on: differences D, their spacing, and room; the matrix."""

    history: NativeRecord
    D: Array
    spacing: Array
    clear: Array  # the largest conditioning so far
    values: Array
    mixed: Array
    predicted: Array
    psi: Array
    shift: Array  # of the positions onto the constraints
    change: Array
    multipliers: Array
    guess: Array
    jacobian: Array
    E: Array
    real: Array
    real_inverse: Array
    real_row: Array
    right: Array
    step: Array
    start: Array  # accelerations, multipliers and conditioning at the start of the step
    raw: Array
    new: Array
    before: Array  # v̇ at the start of the step, and at its end
    rate: Array


class RatedRecord(NamedTuple):
    """What backward differentiation writes: as `Record`, and v̇ of the steps at their ends.

    These know nothing of how much large forces multiply the errors of the states.
    """

    wanted: Array
    sampled: Array
    times: Array
    states: Array
    rates: Array
