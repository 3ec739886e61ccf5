"""How pairs rub: what slides, and what presses there, in forces and moments of the joint.

A guide or bearing of a length carries a force N and a moment m, about the joint's point on the second body in its
middle, by two forces at its ends, N/2 ± m/L; these are what presses. Without a length moments press on nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import symengine as se

from dalembert.language.building import Expr, absolute, maximum, root
from dalembert.model.friction import Rubbing
from dalembert.model.mechanism.pairs.base import Rubs, rate
from dalembert.model.mechanism.reaction import force, moment
from dalembert.model.mechanism.vectors import Vector, add, cross, dot, scale, sub
from dalembert.model.quantity import multiplier, vector_length

if TYPE_CHECKING:
    from dalembert.model.mechanism.joint import Joint

Sizes = Mapping[str, Expr]


def _multiplier(joint: Joint, key: str) -> Expr:
    return multiplier(f"{joint.name}.{key}")


def _in_guide(joint: Joint, sizes: Sizes) -> Rubbing:
    """Along the axis of a guide in the plane."""
    N, m = _multiplier(joint, "normal"), _multiplier(joint, "angle")
    pressing = [absolute(N), *([2 * absolute(m) / sizes["length"]] if "length" in sizes else [])]
    return Rubbing((joint.coordinates["distance"].rate,), maximum(*pressing) if len(pressing) > 1 else pressing[0])


def _in_slot(joint: Joint, sizes: Sizes) -> Rubbing:
    """Along a slot: of a pin that turns freely."""
    return Rubbing((joint.coordinates["distance"].rate,), absolute(_multiplier(joint, "normal")))


def _in_bearing(joint: Joint, sizes: Sizes) -> Rubbing:
    """On the circumference of a pin."""
    pressing = vector_length([_multiplier(joint, key) for key in "xyz" if f"{joint.name}.{key}" in joint.conditions])
    if "length" in sizes:
        across, along = _across(joint, sizes)
        pressing = across + absolute(along)
    return Rubbing((sizes["radius"] * joint.coordinates["angle"].rate,), pressing)


def _on_line(joint: Joint, sizes: Sizes) -> Rubbing:
    """Along an axis in space."""
    pressing = vector_length([_multiplier(joint, key) for key in "xy"])
    if "length" in sizes:
        pressing = _across(joint, sizes)[0]
    return Rubbing((joint.coordinates["distance"].rate,), pressing)


def _on_cylinder(joint: Joint, sizes: Sizes) -> Rubbing:
    """Along an axis and around it."""
    way = _on_line(joint, {key: size for key, size in sizes.items() if key == "length"})
    return Rubbing((*way.slips, sizes["radius"] * joint.coordinates["angle"].rate), way.load)


def _on_ball(joint: Joint, sizes: Sizes) -> Rubbing:
    """On a ball that turns in its socket."""
    a, b = joint.markers
    slips = scale(sizes["radius"], sub(b.spin, a.spin))
    return Rubbing(tuple(slips), vector_length([_multiplier(joint, key) for key in "xyz"]))


def _in_plane(joint: Joint, sizes: Sizes) -> Rubbing:
    """Of a point on a plane, along its two axes."""
    a, b = joint.markers
    apart = sub(b.place, a.place)
    moving = sub(sub(b.velocity, a.velocity), cross(a.spin, apart))
    return Rubbing((dot(a.x, moving), dot(a.y, moving)), absolute(_multiplier(joint, "normal")))


def _on_thread(joint: Joint, sizes: Sizes) -> Rubbing:
    """Along the thread of a screw; the force across it presses, of which `thread` is the part along the axis."""
    h, radius = joint.values["pitch"] / (2 * se.pi), sizes["radius"]
    whole = root(radius**2 + h**2)
    distance, angle = joint.coordinates["distance"], joint.coordinates["angle"]
    along = (h * distance.rate + radius**2 * angle.rate) / whole
    return Rubbing((along,), absolute(_multiplier(joint, "thread")) * whole / radius)


def _where_it_rolls(joint: Joint, sizes: Sizes) -> Rubbing:
    """At the contact of what rolls: the rates that vanish while it does not slip."""
    a, b = joint.markers
    rows = [joint.all_conditions[f"{joint.name}.{key}"] for key in joint.pair.rolls]
    moving = {*a.view.rates.values(), *b.view.rates.values()}
    slips = [row if row.free_symbols & moving else rate(row, a, b) for row in rows]
    return Rubbing(tuple(slips), absolute(_multiplier(joint, "normal")))


def _across(joint: Joint, sizes: Sizes) -> tuple[Expr, Expr]:
    """Return the sum of the forces at both ends, across the axis, and the force along it."""
    a, b = joint.markers
    body = joint.bodies[1]
    push = force(joint.conditions, b.view)
    turning = moment(joint.conditions, b.view, joint.point(body))
    along = dot(a.z, push)
    across, lever = sub(push, scale(along, a.z)), scale(1 / sizes["length"], cross(a.z, turning))
    ends = [_half(across, lever, sign) for sign in (1, -1)]
    return se.Add(*map(vector_length, ends)), along


def _half(across: Vector, lever: Vector, sign: int) -> Vector:
    return add(scale(se.Rational(1, 2), across), scale(se.Integer(sign), lever))


GUIDE = Rubs(_in_guide, takes=("length",))
SLOT = Rubs(_in_slot)
BEARING = Rubs(_in_bearing, needs=("radius",))
LONG_BEARING = Rubs(_in_bearing, needs=("radius",), takes=("length",))
LINE = Rubs(_on_line)
LONG_GUIDE = Rubs(_on_line, takes=("length",))
CYLINDER = Rubs(_on_cylinder, needs=("radius",), takes=("length",))
BALL = Rubs(_on_ball, needs=("radius",))
PLANE = Rubs(_in_plane)
ROLLING = Rubs(_where_it_rolls)
THREAD = Rubs(_on_thread, needs=("radius",))
