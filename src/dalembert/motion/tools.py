"""What steppers work with, as data: what they change, what they are told, and which kernels they call.

What a stepper changes lies in arrays and records of the caller, so that it can go on where it stopped.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from dalembert.arrays import Array
from dalembert.motion import codes

CLOCK = np.dtype([(name, np.float64) for name in (
    "t", "h", "end", "largest",  # where it is, the next step, where it ends, the longest step
    "rtol", "atol", "taken",  # the last step that was accepted
    "span",  # how long the whole motion is
    "since", "met",  # where it was some steps ago, and the length of the step that met a switch of the state
)])  # fmt: skip
COUNT = np.dtype([(name, np.int64) for name in (
    "steps", "evaluations", "rejected", "guards", "projections",
    "recorded", "sampled",  # in the present buffer, and of the wanted times
    "first", "again",  # whether it has begun, and tries a step again: a piece may end between a rejection and that
    "bad", "ill",  # what has no value, see `codes.py`; whether the last projection was badly conditioned
    "aimed",  # how often a step was shortened to end just before a switch of the state
)])  # fmt: skip


class NativeRecord(ctypes.Structure):
    """Numbers by name that steppers share with Python, which reads and writes them ten times as fast as `np.record`."""

    kind: ClassVar[np.dtype]  # as steppers know it

    def copy(self) -> Self:
        """Return another one with the same numbers."""
        return type(self).from_buffer_copy(self)

    def take(self, other: Self) -> None:
        """Take the numbers of another one."""
        ctypes.memmove(ctypes.byref(self), ctypes.byref(other), ctypes.sizeof(self))


@cache
def _record_of(kind: np.dtype) -> type[NativeRecord]:
    numbers = {"f": ctypes.c_double, "i": ctypes.c_int64}
    fields = [(name, numbers[kind[name].kind]) for name in kind.names or ()]
    return type("NativeRecord", (NativeRecord,), {"_fields_": fields, "kind": kind})


def record(kind: np.dtype) -> Any:
    """Return a record of zeros, with its fields as attributes, for Python and for steppers."""
    return _record_of(kind)()


class Sizes(NamedTuple):
    """How many coordinates and constraints there are, their units, and what is to be done; see `codes.py`.

    units: by what positions and then velocities are measured at least, see `units.py`; zero for states. fixed: the
    step. frozen: the gains of stabilisation, over a step. offsets: where what it adds stands among what kernels are
    given. complete: dependent coordinates are found from the others.
    one: there is a kernel of a whole step. brought: stages are moved towards the constraints. separable: M is constant
    and forces do not depend on velocities.
    """

    n: int
    s: int
    units: Array
    kind: int = codes.ACCELERATIONS
    keep: int = codes.PROJECT
    fixed: int = 0
    frozen: int = 0
    complete: int = 0
    one: int = 0
    brought: int = 0
    separable: int = 0
    offsets: int = 0


class ExplicitKernels(NamedTuple):
    """Addresses of what explicit methods call; `guard` steps in where `rate` is not good enough.

    positions, velocities: of dependent coordinates. whole: a whole step. Those that a motion does not need are those of
    another kernel.
    """

    rate: int
    guard: int
    position: int
    velocity: int
    momenta: int
    residuals: int
    events: int
    switches: int
    positions: int
    velocities: int
    whole: int


class ImplicitKernels(NamedTuple):
    """Addresses of what implicit methods call; momenta they have none, but what they share with others has."""

    rate: int
    position: int
    velocity: int
    momenta: int
    events: int
    balance: int
    jacobian: int


class ImpulseKernels(NamedTuple):
    """Addresses of what RATTLE calls."""

    force: int
    velocity: int
    turn: int
    move: int
    move_near: int
    near: int
    events: int


class Coefficients(NamedTuple):
    """A tableau: stages A, weights b, times c, weights of error estimates, coefficients of the dense output.

    order: with which power of the step the error goes.
    """

    A: Array
    b: Array
    c: Array
    errors: Array
    dense: Array
    order: int


class Tools(NamedTuple):
    """Addresses of kernels, sizes, counters, what kernels are given and give out.

    `control` holds the gains of stabilisation, or the choice of independent coordinates; other methods have none.
    """

    address: ExplicitKernels | ImplicitKernels | ImpulseKernels
    size: Sizes
    counts: NativeRecord
    given: Array
    out: Array
    work: Array
    control: Array


class Workspace(NamedTuple):
    """What a step works on: a row of k for each stage, and one more for methods without dense output.

    `new` is the end of the step that is kept, `raw` the one that the method gives, `trial` the state of a stage.
    """

    k: Array
    new: Array
    raw: Array
    trial: Array


class ImpulseRoom(NamedTuple):
    """What a step of RATTLE works on: its end, and rows of numbers, named in its stepper; `others` inside a step."""

    new: Array
    rows: Array
    others: Array


class Record(NamedTuple):
    """What is written: times and states at the steps, and states at times that are wanted."""

    wanted: Array
    sampled: Array
    times: Array
    states: Array


class StartLevel(NamedTuple):
    """The equations of a level, of positions or of velocities.

    first: where its unknowns stand in what kernels are given. A, begin: where among the numbers the entries of A and
    its terms stand. place: of each constraint among its rows, or −1. owner: the row of each term. group: of coordinates
    that its rows connect. free: what is solved for. steep: whether a row must have a slope. zero: whether a residual is
    nothing but rounding. asked: further rows, with what is left of each without unknowns behind its coefficients.
    """

    first: int
    rows: int
    terms: int
    A: int
    begin: int
    place: Array
    owner: Array
    group: Array
    free: Array
    steep: Array
    zero: Array
    asked: Array


class StartRoom(NamedTuple):
    """What a start works on: what kernels are given and give out, a row for each equation, entries, a position."""

    given: Array
    out: Array
    work: Array
    J: Array
    T: Array
    lines: Array
    entries: Array
    x: Array


class Start(NamedTuple):
    """What an ordinary start works with.

    numbers, accelerations: addresses of kernels. s: how many constraints there are. A: rows and columns of its entries,
    and whether they are nothing but rounding; zero: the same of c. diagonal: where that of M stands among the numbers,
    or −1. units: of coordinates, or 0. directions: aside. states: where entries are looked for, with factors of the
    parameters; scattered: where inertia is, at the first `places` of them with its size.
    """

    numbers: int
    accelerations: int
    s: int
    places: int
    A: Array
    zero: Array
    diagonal: Array
    units: Array
    directions: Array
    states: Array
    scattered: Array
    parameters: Array
    positions: StartLevel
    velocities: StartLevel
    room: StartRoom
