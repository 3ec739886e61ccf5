"""What a method of integration says of itself, so that what does not go together is refused before anything runs.

To add one: a file in `methods/` with an object that has these attributes and makes an engine, and its name there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from dalembert.arrays import Array
from dalembert.model.system import System

if TYPE_CHECKING:
    from dalembert.motion.engine import Engine
    from dalembert.native.kernels import Kernels


@dataclass(frozen=True)
class Setup:
    """What an engine starts from: values of parameters, the state t, q, v, its units, and how constraints are kept.

    `gains` are those of stabilisation, in units of the step, or `offsets` is a group of kernels that says what it adds,
    with numbers that it is given; `watched` is a group of kernels whose `expressions` are watched
    for, with the directions of their passages; `switches` one of what switches with the state, and how many they are;
    `coordinates` are the independent ones that were named.
    """

    parameters: Array
    state: tuple[float, Array, Array]
    units: Array
    keep: str = "project"
    gains: Array | None = None
    offsets: tuple[str, Array] | None = None
    watched: tuple[str, Array] | None = None
    switches: tuple[str, int] | None = None
    coordinates: tuple[str, ...] | None = None


class Method(Protocol):
    """A method by name."""

    @property
    def name(self) -> str:
        """How it is called."""
        ...

    @property
    def order(self) -> int:
        """The power of the step that its error goes with."""
        ...

    @property
    def adaptive(self) -> bool:
        """Whether it can choose its step."""
        ...

    @property
    def fixed(self) -> bool:
        """Whether it can take a given one."""
        ...

    @property
    def forms(self) -> tuple[str, ...]:
        """The forms that it integrates; the first is the default."""
        ...

    @property
    def keeps(self) -> tuple[str, ...]:
        """How it can keep constraints; only `project` where it does that by itself."""
        ...

    def objection(self, system: System) -> str | None:
        """Say why it cannot integrate a system, or None."""
        ...

    def engine(self, kernels: Kernels, setup: Setup) -> Engine:
        """Make the engine of a run."""
        ...
