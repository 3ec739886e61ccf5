"""What a force element is: something that pushes bodies with a known force. How to add one is written here.

An element of your own is a frozen dataclass with `name`, `table` and what else it needs. `section` is its table in
model files and its keyword in Python; `read` makes it from an entry of that table, `add` adds energies and forces:

    @element
    @dataclass(frozen=True, repr=False)
    class Magnet(Acting):
        section, word = "magnets", "magnet"
        name: str
        table: Mapping[str, Any]
        action: Action
        strength: Expr

        @classmethod
        def read(cls, table, assembly):
            action, strength = read_action(table, assembly), table.constant("strength")
            return None if action is None else cls(table.name, table.finish(), action, strength)

        def add(self, parts):
            parts.push(-self.strength / self.action.value**2, self.action.rate)

What can be asked of it along a motion, as `magnet.length` in outputs, are its `quantities`, each with its unit. Where
it acts, for its force in results, is what `site` says; what is drawn of it are its `shapes`. All are there for what is
`Acting` along a line, an angle or a joint (`action.py`); its force, if it is to be asked for, is its `push`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeVar

from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.language.tokens import NAME
from dalembert.model.drawing import Shape
from dalembert.model.mechanism.element_terms import Terms
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.part import Part
from dalembert.model.mechanism.table_reader import TableReader
from dalembert.model.mechanism.vectors import Vector

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.body import Body
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.mechanism import Mechanism

TAKEN = ("bodies", "joints", "drives", "mechanism")  # sections that are none of elements


@dataclass(frozen=True)
class Site:
    """Where an element acts on its two bodies; of a load both are the same."""

    bodies: tuple[str, str]
    markers: tuple[Marker, Marker]

    def point(self, body: str) -> Vector:
        """Return where it acts on a body."""
        return self.markers[self.bodies.index(body)].place


class Element(Part, ABC):
    """Something that pushes bodies with a known force.

    section: its table in model files. word: what one of them is called.
    """

    section: ClassVar[str]
    word: ClassVar[str]

    @classmethod
    @abstractmethod
    def read(cls, table: TableReader, assembly: Assembly) -> Element | None:
        """Make it from its table; None after a report of what is wrong."""

    @abstractmethod
    def add(self, parts: Terms) -> None:
        """Add its energies and forces."""

    @abstractmethod
    def site(self, mechanism: Mechanism) -> Joint | Site:
        """Return where it acts."""

    @property
    def ends(self) -> tuple[tuple[str, Marker], ...]:
        """The bodies on which it is seen to be attached, and where."""
        return ()

    @property
    def from_places(self) -> tuple[str, Expr, Expr] | None:
        """What is left out and taken from the places as they are written: its name, what it is now, what was taken."""
        return None

    def shapes(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[Shape]:
        """Return what is drawn of it."""
        return []


ELEMENTS: dict[str, type[Element]] = {}
E = TypeVar("E", bound=Element)


def element(kind: type[E]) -> type[E]:
    """Register a kind of element, for Python and for files read from then on."""
    section = getattr(kind, "section", None)
    if not isinstance(section, str) or not NAME.fullmatch(section) or section in TAKEN:
        raise ModelError(f"an element has a `section`, named by letters, digits and _; got {section!r}")
    ELEMENTS[section] = kind
    return kind
