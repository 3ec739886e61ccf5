"""Two gears in mesh, external or internal, whose centres are held by a carrier: the ground, or a body that turns.

The pitch circles roll on each other. With γ the direction of the line of centres this is, as a condition on positions,

    r_a (φ_a − γ) ± r_b (φ_b − γ) = 0.

γ is the angle of the carrier and, to first order about the position in which the joints hold the centres, the offset
of the centres across the line that the carrier gives them. So γ follows any number of turns, and the reaction is the
tangential force at the pitch point on both gears (a pressure angle adds a radial force, not computed here), which the
bearings then carry.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.language.building import Expr
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.pairs.base import Conditions, Fit, More, Stays, pair
from dalembert.model.mechanism.placement import Placement
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.vectors import ZERO, Vector, add, dot, norm, scale, sub, unit
from dalembert.model.mechanism.views import planar_rotation

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly
    from dalembert.model.mechanism.joint import Joint
    from dalembert.model.mechanism.table_reader import TableReader


def read_gears(table: TableReader, assembly: Assembly, markers: Sequence[Marker]) -> dict[str, Any]:
    """Read the radii, or the numbers of teeth, and the carrier."""
    a, b = markers
    sign = -1 if table.flag("internal") else 1
    line = tuple(map(assembly.home, sub(b.place, a.place)))
    distance = norm(line)
    if assembly.value(distance) == 0:
        table.problem("the centres of both gears are in the same place; place the bodies, or give `at` or `points`")
        line = (se.Integer(1), se.Integer(0))
    if table.one_of("radii", "teeth") == "teeth":
        teeth = table.vector("teeth", size=2)
        radii = scaled_teeth(table, teeth, distance, sign)
    else:
        radii = table.vector("radii", size=2) if table.has("radii") else (se.Integer(1),) * 2
        check_radii(table, radii)
    name = GROUND
    if table.has("carrier"):
        name = assembly.read_body_name(table, "carrier", table.given["carrier"])
        table.kept["carrier"] = name
    body = assembly.bodies.get(name, assembly.bodies[GROUND])
    along = body.placement.inward_direction(_direction(assembly, line))
    frame = Placement(body.placement.at, ((along[0], -along[1]), (along[1], along[0])), (-body.placement.turn[0],))
    start = assembly.home(a.angle), assembly.home(b.angle)
    surplus = assembly.value(radii[0] - radii[1])
    inside = (radii[0] - radii[1]) / distance if surplus is None else se.Integer(1 if surplus > 0 else -1)
    toward = se.Integer(1) if sign > 0 else inside  # (r_a ± r_b) over the distance of the centres
    return {
        "radii": radii,
        "sign": sign,
        "carrier": Marker(body.view, frame),
        "start": start,
        "toward": toward,
    }


def _direction(assembly: Assembly, line: Vector) -> Vector:
    """Return the direction of the line of centres: of one along x or y without a root, which formulas would keep."""
    present = [x for x in line if x != 0]
    value = assembly.value(present[0]) if len(present) == 1 else None
    return tuple(ZERO if x == 0 else se.Integer(1 if value > 0 else -1) for x in line) if value else unit(line)


def scaled_teeth(table: TableReader, teeth: Vector, distance: Expr, sign: int) -> Vector:
    """Return the radii that numbers of teeth give at the distance of the centres."""
    values = [table.reader.value(z) for z in teeth]
    if any(value is not None and not value > 0 for value in values):
        table.problem("numbers of teeth are positive", "teeth")
        return (se.Integer(1),) * 2
    if any(value is not None and value != round(value) for value in values):
        table.problem("numbers of teeth are whole numbers; give `radii` for wheels that roll without teeth", "teeth")
        return (se.Integer(1),) * 2
    if sign < 0 and values[0] == values[1] and values[0] is not None:
        table.problem("an internal gear has more teeth than the one inside it, got the same number", "teeth")
        return (se.Integer(1),) * 2
    both = teeth[0] + sign * teeth[1]
    is_ring_second = sign < 0 and (table.reader.value(both) or 0.0) < 0
    module = distance / (-both if is_ring_second else both)
    return teeth[0] * module, teeth[1] * module


def check_radii(table: TableReader, radii: Vector) -> None:
    """Refuse radii that are none."""
    a, b = (table.reader.value(value) for value in radii)
    if a is not None and b is not None and not (a > 0 and b > 0):
        table.problem(f"radii of gears are positive, got {a:g} and {b:g}", "radii")


def fits(joint: Joint) -> Fit:
    """The centres are as far apart as the radii say, and as the bodies were placed if the radii come from that."""
    (a, b), (one, other), sign = joint.markers, joint.values["radii"], joint.values["sign"]
    needed = se.Abs(one + sign * other)
    if "teeth" in joint.table:
        return Fit(norm(sub(b.place, a.place)), needed, "teeth", _misplaced)
    what = "difference" if sign < 0 else "sum"
    return Fit(norm(sub(b.place, a.place)), needed, "radii", lambda d, r: _misfit(d, r, what))


def _misfit(distance: float, needed: float, what: str) -> str:
    text = f"the centres are {distance:.6g} m apart, and the {what} of the radii is {needed:.6g} m"
    return f"{text}; change one of them, or give `teeth`, from which the radii follow"


def _misplaced(distance: float, needed: float) -> str:
    text = f"the bodies are placed with their centres {needed:.6g} m apart, from which the radii follow"
    return f"{text}, but the joints hold them {distance:.6g} m apart: place them there, or give `radii`"


def stays(joint: Joint) -> Stays:
    """The carrier holds both centres: the line between them neither turns against it nor changes its length."""
    (a, b), carrier = joint.markers, joint.values["carrier"]
    line = sub(b.place, a.place)
    named = joint.table.get("carrier")
    who = f"`{named}`, its `carrier`" if named else "the ground, which is its carrier as no other is named"

    def words(holder: str) -> str:
        text = (
            f"the line between the centres of the gears turns or changes its length against {who}: what is written is"
        )
        text += " not that these wheels roll on each other"
        if holder:
            return f'{text}; `{holder}` holds both centres: write `carrier = "{holder}"`'
        return f"{text}; hold both centres by joints on the ground, or on one body that is the `carrier`"

    return Stays((dot(carrier.x, line), dot(carrier.y, line)), words)


def pitch_point(a: Marker, b: Marker, radii: Vector, carrier: Marker, toward: Expr, **values: Any) -> Vector:
    """Return where the pitch circles touch."""
    return add(a.place, scale(toward * radii[0], carrier.x))


def gears(joint: Joint) -> More:
    """Two gears: the points of their rims that met in the assembled position; radii, and 1 or −1 for internal ones.

    Teeth drawn from these points on mesh for ever, as the pitch circles roll.
    """
    values, rims = joint.values, []
    carrier = values["carrier"]
    for marker, start, radius in zip(joint.markers, values["start"], values["radii"], strict=True):
        turned = planar_rotation(marker.angle - start - carrier.angle)
        ahead = tuple(se.Add(*[r * x for r, x in zip(row, carrier.x, strict=True)]) for row in turned)
        rims.append(add(marker.place, scale(radius, ahead)))
    teeth = joint.table.get("teeth", ())
    return tuple(rims), (*values["radii"], se.Integer(values["sign"]), values["toward"], *teeth)


@pair("gear", 2, places="origins", point=pitch_point, read=read_gears, fits=fits, stays=stays, drawn=gears)
def gear(a: Marker, b: Marker, radii: Vector, sign: int, carrier: Marker, start: Vector, toward: Expr) -> Conditions:
    """The pitch circles roll on each other."""
    ra, rb = radii[0], sign * radii[1]
    across = dot(carrier.y, sub(b.place, a.place))
    turns = [ra * (a.angle - start[0]), rb * (b.angle - start[1]), -(ra + rb) * carrier.angle]
    return {"mesh": se.Add(*turns, -toward * across)}
