"""A disk or a sphere of the second body rolls without slipping on a plane of the first.

The condition on positions is that it touches; that the material points in contact have the same velocity is a
condition on velocities which no condition on positions replaces (nonholonomic).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from dalembert.language.building import Expr, root
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, More, pair
from dalembert.model.mechanism.pairs.rubbing import ROLLING
from dalembert.model.mechanism.placement import settle_axis
from dalembert.model.mechanism.vectors import ONE, ZERO, Vector, add, cross, dot, scale, sub, unit

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.table_reader import TableReader

NORMAL = "the normal of the plane"
UP = (ZERO, ZERO, ONE)
ON_A_PLANE: dict[str, Any] = {"axis": NORMAL, "places": "origins", "rubs": ROLLING, "rolls": ("roll_x", "roll_y")}


def read_sphere(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Any]:
    """Read the radius; the side of the plane is that of the assembled position."""
    a, b = markers
    height = assembly.value(assembly.home(dot(a.z, sub(b.place, a.place))))
    side = -1 if height is not None and height < 0 else 1
    return {"radius": table.positive("radius"), "side": side}


def read_disk(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Any]:
    """Read the radius and the axis of the disk in its own body frame; without one it is the z axis."""
    axis = unit(settle_axis(table, "disk_axis", table.vector("disk_axis", UP)))
    slant = assembly.value(assembly.home(dot(markers[0].z, markers[1].view.direction(axis))))
    if slant is not None and abs(slant) > 1 - 1e-12:
        table.problem("the disk lies flat on the plane and touches it everywhere; set it upright", "disk_axis")
    return read_sphere(table, assembly, markers) | {"disk_axis": axis}


def under_sphere(a: Marker, b: Marker, radius: Expr, side: int) -> Vector:
    """Return where the sphere touches the plane, seen from its centre."""
    return scale(-side * radius, a.z)


def under_disk(a: Marker, b: Marker, radius: Expr, side: int, disk_axis: Vector) -> Vector:
    """Return the lowest point of the rim, seen from the centre of the disk."""
    u = b.view.direction(disk_axis)
    lean = dot(a.z, u)
    return scale(-side * radius / upright(a, u), add(a.z, scale(-lean, u)))


def upright(a: Marker, u: Vector) -> Expr:
    """Return the sine of the angle between a disk with the axis u and the plane."""
    return root(1 - dot(a.z, u) ** 2)


def under(contact: Callable[..., Vector]) -> Callable[..., Vector]:
    """Return the place of a point that is seen from the second marker."""
    return lambda a, b, **values: add(b.place, contact(a, b, **values))


def no_slip(a: Marker, b: Marker, contact: Vector) -> dict[str, Expr]:
    """Return the conditions that the material points at the contact, seen from the second point, move alike."""
    here = add(b.velocity, cross(b.spin, contact))
    there = add(a.velocity, cross(a.spin, sub(add(b.place, contact), a.place)))
    slip = sub(here, there)
    return {"roll_x": dot(a.x, slip), "roll_y": dot(a.y, slip)}


def turning_body(marker: Marker) -> tuple[Vector, ...]:
    """Return the ends of the axes of a body, from the point of a marker."""
    return tuple(add(marker.place, column) for column in zip(*marker.view.R, strict=True))


def spatial_disk(joint: Joint) -> More:
    """A disk on a plane: where they touch, its axis, the axes of its body; the radius."""
    b = joint.markers[1]
    axis = add(b.place, b.view.direction(joint.values["disk_axis"]))
    return (joint.point(joint.bodies[1]), axis, *turning_body(b)), (joint.values["radius"],)


def spatial_ball(joint: Joint) -> More:
    """A sphere on a plane: where they touch, the axes of its body; the radius."""
    return (joint.point(joint.bodies[1]), *turning_body(joint.markers[1])), (joint.values["radius"],)


@pair("rolling_sphere", 3, point=under(under_sphere), read=read_sphere, drawn=spatial_ball, **ON_A_PLANE)
def rolling_sphere(a: Marker, b: Marker, radius: Expr, side: int) -> Conditions:
    """The sphere touches the plane and does not slip on it."""
    height = dot(a.z, sub(b.place, a.place)) - side * radius
    return {"normal": height} | no_slip(a, b, under_sphere(a, b, radius, side))


@pair("rolling_disk", 3, point=under(under_disk), read=read_disk, drawn=spatial_disk, **ON_A_PLANE)
def rolling_disk(a: Marker, b: Marker, radius: Expr, side: int, disk_axis: Vector) -> Conditions:
    """The rim of the disk touches the plane with its lowest point and does not slip on it."""
    height = dot(a.z, sub(b.place, a.place)) - side * radius * upright(a, b.view.direction(disk_axis))
    return {"normal": height} | no_slip(a, b, under_disk(a, b, radius, side, disk_axis))
