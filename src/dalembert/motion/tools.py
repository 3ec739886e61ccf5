"""What the stepper of explicit methods works with, as data; see `steppers/explicit.py`."""

from __future__ import annotations

from typing import NamedTuple

from dalembert.arrays import Array


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
    """Addresses of kernels, sizes and counters with places by name, what kernels are given and give out.

    `control` holds the gains of stabilisation, or the choice of independent coordinates.
    """

    address: Array
    size: Array
    counts: Array
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


class Record(NamedTuple):
    """What is written: times and states at the steps, and states at times that are wanted."""

    wanted: Array
    sampled: Array
    times: Array
    states: Array
