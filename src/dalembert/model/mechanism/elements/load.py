"""Loads: a force at a point of a body, a torque on it, in world or body axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.element_terms import Terms
from dalembert.model.mechanism.elements.base import Element, Site, element
from dalembert.model.mechanism.marker import Marker, at_particle, centre_of, read_point, world_frame
from dalembert.model.mechanism.table_reader import GROUND, TableReader
from dalembert.model.mechanism.vectors import Vector, zeros
from dalembert.model.mechanism.views import PlanarView
from dalembert.model.quantity import FORCE, MOMENT, Quantity, vector

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.mechanism import Mechanism

FRAMES = ("world", "body")


@element
@dataclass(frozen=True, repr=False)
class Load(Element):
    """A force (N) at a marker of a body and a torque (N m): one number in the plane, a vector in space."""

    section, word = "loads", "load"

    name: str
    table: Mapping[str, Any]
    body: str
    marker: Marker
    force: Vector
    torque: Vector
    frame: str

    @property
    def acting(self) -> Vector:
        """The force in world axes."""
        return self.marker.view.direction(self.force) if self.frame == "body" else self.force

    @property
    def quantities(self) -> Mapping[str, Quantity]:
        """The size of its force with the components in world axes; its torque, in the plane with its sign."""
        found = vector("force", FORCE, "xyz"[: len(self.force)], lambda: self.acting)
        if len(self.torque) == 1:
            return found | {"torque": Quantity(lambda: self.torque[0], MOMENT)}
        in_body, view = self.frame == "body", self.marker.view
        return found | vector("torque", MOMENT, "xyz", lambda: view.direction(self.torque) if in_body else self.torque)

    def add(self, parts: Terms) -> None:
        """Add its power: force on velocity, torque on angular velocity."""
        view, in_body = self.marker.view, self.frame == "body"
        if isinstance(view, PlanarView):
            spin: Vector = (view.spin,)
        else:
            spin = view.omega if in_body else view.spin
        for component, speed in zip((*self.acting, *self.torque), (*self.marker.velocity, *spin), strict=True):
            parts.push(component, speed)

    def site(self, mechanism: Mechanism) -> Site:
        """Return its point, on the body that it loads."""
        return Site((self.body, self.body), (self.marker, self.marker))

    @classmethod
    def read(cls, table: TableReader, assembly: Assembly) -> Load | None:
        """Read a load on a body; its point is the centre of mass unless one is given."""
        n = assembly.dimensions
        if not table.has("body"):
            table.problem("`body` is missing: the name of the body that is loaded", "body")
            return None
        name = assembly.read_body_name(table, "body", table.given["body"])
        if name == GROUND:
            table.problem("the ground is loaded; name a body that can move", "body")
        if name in ("", GROUND):
            return None
        table.kept["body"] = name
        marker = read_load_point(table, assembly.bodies[name])
        if not table.has("force") and not table.has("torque"):
            table.problem("neither `force` nor `torque` is given; give one of them, or both")
        zero = zeros(3)
        force = table.expressions("force", n) if table.has("force") else zero[:n]
        torque = zero[: 2 * n - 3]
        if table.has("torque") and not assembly.bodies[name].view.turns:
            table.problem(f"`{name}` is a particle, which no torque can turn; load it by a `force`", "torque")
        if table.has("torque"):
            torque = (table.expression("torque"),) if n == 2 else table.expressions("torque", 3)
        frame = table.word("frame", FRAMES, "world", "frames") or "world"
        return cls(table.name, table.finish(), name, marker, force, torque, frame)


def read_load_point(table: TableReader, body: Body) -> Marker:
    """Read where a force acts: `point` of the body, or `at` in the world in the assembled position."""
    how = table.one_of("point", "at", needed=False)
    if how == "point":
        table.kept["point"], frame = read_point(table, "point", table.given["point"], body)
    elif how == "at":
        frame = world_frame(body, table.vector("at"))
    else:
        return centre_of(body)
    return Marker(body.view, at_particle(table, frame, body))
