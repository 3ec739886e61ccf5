"""How many degrees of freedom a mechanism has: by counting, by the rank of its conditions, and why these differ.

Velocities are those of the bodies here, not of their coordinates: angular velocity, and velocity at the origin of the
world of a point that moves with the body; so Euler parameters and their normalisation do not appear.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, pilot_numeric_of
from dalembert.document.nodes import Note, Section, Table, Tone
from dalembert.document.shown import Shown
from dalembert.errors import ModelError, quoted
from dalembert.model.facts import START, fact
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.survey.configurations import Configuration, beginning, configurations, places_of
from dalembert.survey.initial_numbers import at_level
from dalembert.survey.mechanism.closure import Closure
from dalembert.survey.mechanism.rows import JointRows, displaced, rank, unit_rows
from dalembert.survey.start import consistent_state

if TYPE_CHECKING:
    from dalembert.model.mechanism.mechanism import Mechanism

STILL = 0.02  # of the size of the mechanism: a walk that ends nearer to its start went nowhere
CHANGED = 0.05  # by which joints are moved and turned to see what depends on their places
SAME = 1e-6


@dataclass(frozen=True)
class Mobility(Shown):
    """Degrees of freedom, drives left aside.

    count: by Grübler and Kutzbach, freedom of the bodies less the conditions of the joints. freedom: the true one, from
    the rank of the conditions in general positions near the assembled one. here: in the assembled position itself.
    terms: how it was counted. reasons: why the numbers differ. idle: bodies between joints that can move by themselves,
    as a rod between two spherical pairs turns about its own axis.
    """

    count: int
    freedom: int
    here: int
    terms: str
    reasons: tuple[str, ...]
    idle: tuple[str, ...] = ()

    def document(self) -> Section:
        """Show how the freedom was counted, and why it is another."""
        rows = [
            ("true", Tone(str(self.freedom), "strong"), "from the rank of the conditions"),
            ("counted", str(self.count), f"{self.terms} = {self.count}"),
        ]
        if self.here != self.freedom:
            rows.append(("in the assembled position", str(self.here), ""))
        return Section("Mobility", [Table(rows), *(Note(text, "why") for text in self.reasons)], str(self.freedom))

    def __str__(self) -> str:
        """Return it as a sentence."""
        text = f"mobility {self.freedom}, by counting {self.terms} = {self.count}"
        text += f", in the assembled position {self.here}" if self.here != self.freedom else ""
        alone = [f"{quoted(self.idle)} can move by {'itself' if len(self.idle) == 1 else 'themselves'}"]
        return "; ".join([text, *self.reasons, *(alone if self.idle else [])])

    __repr__ = __str__


@fact(START)
def mobility(mechanism: Mechanism) -> Mobility:
    """Count the degrees of freedom, find the true ones, and say why they differ."""
    return _Examination(mechanism, *_positions(mechanism)).outcome()


@fact(START)
def undriven(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without its drives."""
    free = {"drives": dict.fromkeys(mechanism.drives), "outputs": None, "events": None}
    return mechanism.replace(**free) if mechanism.drives else mechanism


def _positions(mechanism: Mechanism) -> tuple[Numeric, Sequence[Configuration]]:
    """Return the assembled position, and general ones."""
    system = undriven(mechanism)
    numeric = pilot_numeric_of(system)
    if system is mechanism:
        with contextlib.suppress(ModelError):  # initial velocities that contradict something: positions are enough
            return numeric, [beginning(system), *places_of(system)]
    positions = at_level(mechanism, mechanism.initial, "position")
    state = consistent_state(system, numeric, initial=positions)
    start = Configuration(state.t, state.q, np.zeros(numeric.n))
    return numeric, [start, *configurations(numeric, start)]


class _Examination:
    def __init__(self, mechanism: Mechanism, numeric: Numeric, places: Sequence[Configuration]):
        self.mechanism, self.numeric = mechanism, numeric
        self.owners = {name: owner for name, owner in mechanism.owners.items() if owner[0] != "drives"}
        self.start, *self.places = places
        self.closure = Closure(mechanism, numeric, self.start.q)
        self.bodies = [body for body in mechanism.bodies.values() if body.name != GROUND]
        self.own = [mechanism.coordinates.index(name) for name in mechanism.own.coordinates]
        self.each = 3 * (mechanism.dimensions - 1)
        self.size = self.each * len(self.bodies) + len(self.own)
        self.points = [k for k, body in enumerate(self.bodies) if not body.view.turns]
        self.locks = np.zeros((0, self.size))  # particles are bodies that do not turn
        for k in self.points:
            first, turns = k * self.each, self.each - mechanism.dimensions
            self.locks = np.vstack([self.locks, np.eye(self.size)[first : first + turns]])

    def outcome(self) -> Mobility:
        here = self.size - rank(self.conditions(self.start))
        freedom = self.size - max(rank(self.conditions(place)) for place in self.places)
        count, terms = self.count()
        reasons = []
        far = max(self.closure.distance(place.q - self.start.q) for place in self.places)
        if freedom and far < STILL:
            moving = quoted(self.moving(self.start))
            reasons.append(f"{moving} can give way there, but only infinitely little: the mechanism is shaky")
            freedom = 0
        else:
            if here > freedom:
                reasons.append(
                    "the assembled position is singular: the motion branches there, or part of it is in a dead point"
                )
            if freedom != count:
                reasons.append(self.difference(freedom - count, freedom))
        return Mobility(count, freedom, here, terms, tuple(reasons), tuple(self.idle()) if freedom else ())

    def count(self) -> tuple[int, str]:
        """Count as Grübler and Kutzbach do."""
        joints = [joint for joint in self.mechanism.joints.values() if not joint.slack]
        kinds = Counter((joint.kind, len(joint.conditions)) for joint in joints)
        added = sum(what == "constraints" for what, _ in self.owners.values())
        n, points = self.mechanism.dimensions, len(self.points)
        sizes = [(self.each, len(self.bodies) - points, ""), (n, points, " (particles)")]
        terms = " + ".join(f"{each}·{number}{what}" for each, number, what in sizes if number) or f"{self.each}·0"
        terms += f" + {len(self.own)} (own coordinates)" if self.own else ""
        terms += "".join(f" − {number}·{size} ({kind})" for (kind, size), number in kinds.items())
        terms += f" − {added} (own constraints)" if added else ""
        held = sum(number * size for (_, size), number in kinds.items()) + added + len(self.locks)
        return self.size - held, terms

    # --- velocities of the bodies ------------------------------------------------------------------------------------

    def twist_map(self, q: Array) -> Array:
        """Return the matrix that makes velocities of the coordinates of those of the bodies."""
        n, size = self.mechanism.dimensions, self.closure.size
        T = np.zeros((self.numeric.n, self.size))
        index = {name: i for i, name in enumerate(self.mechanism.coordinates)}
        for k, body in enumerate(self.bodies):
            rows = [index[name] for name in body.coordinates]
            block, place = np.zeros((len(rows), self.each)), q[rows[:n]]
            block[:n, -n:] = size * np.eye(n)
            if n == 2:
                block[:, 0] = [-place[1], place[0], 1.0][: len(rows)]
            else:
                block[:n, :3] = -_cross(place)
            if n == 3 and body.view.turns:
                e0, e = q[rows[3]], q[rows[4:]]
                block[3, :3], block[4:, :3] = -e / 2, (e0 * np.eye(3) - _cross(e)) / 2  # ė = ½ (−e·ω, e₀ω + ω×e)
            T[np.ix_(rows, range(k * self.each, (k + 1) * self.each))] = block
        T[self.own, len(self.bodies) * self.each + np.arange(len(self.own))] = 1.0
        return T

    def matrix(self, place: Configuration) -> Array:
        """Return the slopes of the conditions by the velocities of the bodies."""
        A = self.numeric.all(place.t, place.q, place.v * 0).A
        return (A @ sp.csr_array(self.twist_map(place.q))).toarray()

    def conditions(self, place: Configuration) -> Array:
        """Return the same with rows of length 1, and with those that keep particles from turning."""
        return np.vstack([unit_rows(self.matrix(place)), self.locks])

    def free(self, place: Configuration) -> Array:
        """Return the velocities that the conditions allow, as orthonormal rows."""
        A = self.conditions(place)
        if not A.size:
            return np.eye(self.size)
        return np.linalg.svd(A)[2][rank(A) :]

    def twists(self, place: Configuration) -> Array:
        """Return the same body by body: one row for each direction, one column for each body."""
        return self.free(place)[:, : self.each * len(self.bodies)].reshape(-1, len(self.bodies), self.each)

    def moving(self, *places: Configuration) -> list[str]:
        """Name the bodies that can move."""
        sizes = np.max([np.abs(self.twists(place)).max(axis=(0, 2), initial=0.0) for place in places], axis=0)
        return [body.name for body, size in zip(self.bodies, sizes, strict=True) if size > SAME]

    def idle(self) -> list[str]:
        """Name the bodies with several joints that can move while all others stand still."""
        joints = Counter(name for joint in self.mechanism.joints.values() for name in joint.bodies)
        A = self.conditions(self.places[0])
        found = []
        for k, body in enumerate(self.bodies):
            own = A[:, k * self.each : (k + 1) * self.each]
            if joints[body.name] > 1 and rank(own[np.any(own, axis=1)]) < self.each:
                found.append(body.name)
        return found

    # --- reasons -----------------------------------------------------------------------------------------------------

    def difference(self, repeated: int, freedom: int) -> str:
        """Say why the true freedom is larger than the count."""
        text = "1 condition repeats others: " if repeated == 1 else f"{repeated} conditions repeat others: "
        basis = self.span()
        if basis.shape[1] < self.each and self.count_within(basis) == freedom:
            k = basis.shape[1]
            return f"{text}{describe_span(basis, self.closure.size)}; counted with {k} per body it is {freedom}"
        nearby = self.size - rank(self.changed())
        if nearby < freedom:
            less = f"has mobility {nearby}" if nearby else "cannot move"
            return (
                f"{text}the mechanism owes its mobility to special dimensions; with slightly different ones it {less}"
            )
        stuck = [body.name for body in self.bodies if body.name not in self.moving(*self.places)]
        held = f" ({quoted(stuck)} cannot move at all)" if stuck else ""
        return f"{text}a part of the mechanism is held more than once, whatever its dimensions{held}"

    def span(self) -> Array:
        """Return a basis (columns) of all motions that the bodies have in any position."""
        found = np.vstack([self.twists(place).reshape(-1, self.each) for place in self.places])
        if not found.size:
            return np.zeros((self.each, 0))
        _, sigma, Vt = np.linalg.svd(found)
        return Vt[: int(np.sum(sigma > SAME * sigma[0]))].T

    def count_within(self, basis: Array) -> int:
        """Count degrees of freedom as Kutzbach does, of bodies that move in some ways only."""
        wide = np.kron(np.eye(len(self.bodies)), basis)
        restrict = np.zeros((self.size, wide.shape[1] + len(self.own)))
        restrict[: len(wide), : wide.shape[1]] = wide
        restrict[len(wide) :, wide.shape[1] :] = np.eye(len(self.own))
        parts: dict[tuple[str, str], list[int]] = {}
        for i, constraint in enumerate(self.numeric.system.constraints):
            parts.setdefault(self.owners[constraint.name], []).append(i)
        matrices = [self.matrix(place) for place in self.places]
        held = sum(
            max(rank(unit_rows(A[rows])[:, :] @ restrict) for A in matrices)
            for (what, _), rows in parts.items()
            if what != "bodies"
        )
        return restrict.shape[1] - held - (rank(self.locks @ restrict) if len(self.locks) else 0)

    def changed(self) -> Array:
        """Return the conditions in the assembled position with all joints a little elsewhere and turned."""
        random, q, n = np.random.default_rng(8), self.start.q, self.mechanism.dimensions
        A = self.matrix(self.start)
        index = {constraint.name: i for i, constraint in enumerate(self.numeric.system.constraints)}
        for joint in self.mechanism.joints.values():
            shift = CHANGED * self.closure.size * random.normal(size=n)
            turn = CHANGED * random.normal(size=1 if n == 2 else 3)
            moved = displaced(self.numeric, q, joint.markers, shift, turn)
            conditions = joint.pair.equations(*moved, **joint.values)
            residuals, rows = JointRows(self.numeric, list(conditions.values())).at(q)
            if np.abs(residuals).max() < 1e-9 * (1 + self.closure.size):  # else it depends on more than two markers
                A[[index[name] for name in joint.conditions]] = rows @ self.twist_map(q)
        return np.vstack([unit_rows(A), self.locks])


def describe_span(basis: Array, size: float) -> str:
    """Say in words what motions a space of twists consists of: the rows are those of turning, then of sliding."""
    half, k = len(basis) // 2, basis.shape[1]
    turning, sliding = basis[:half], basis[half:]
    U, sigma, Vt = np.linalg.svd(turning)
    turns = int(np.sum(sigma > SAME)) if k else 0
    if turns == 0:
        return "no body turns" if k else "nothing moves"
    slides = sliding @ Vt[turns:].T  # of what does not turn
    if turns == 1:
        pure = Vt[0] / sigma[0]  # turns at unit speed
        axis, velocity = (
            (U[:, 0], sliding @ pure) if half == 3 else (np.array([0.0, 0.0, 1.0]), sliding @ pure * U[0, 0])
        )
        return _about_one_direction(axis, np.pad(velocity, (0, 3 - len(velocity))), slides, size)
    if turns == k == 3:
        across = np.vstack([_cross(turning[:, i]) for i in range(3)])
        point = np.linalg.lstsq(across, -sliding.T.ravel(), rcond=None)[0]
        if np.abs(across @ point + sliding.T.ravel()).max() < SAME:
            return f"all bodies turn about the point {_vector(point * size)}"
    some = f" and slide in {k - turns}" if k > turns else ""
    return f"together the bodies turn about {turns} independent directions{some} only, of 3 and 3 that space has"


def _about_one_direction(axis: Array, velocity: Array, slides: Array, size: float) -> str:
    """Say how bodies move that turn about parallel axes only; `velocity` goes with a turn, in the origin."""
    plane, k = len(slides) == 2, 1 + slides.shape[1]
    sign = np.sign(axis[np.argmax(np.abs(axis))])
    direction, point = _vector(axis * sign), np.cross(axis, velocity) * size
    along = np.zeros(0) if plane else axis @ slides
    if k == 1:
        pitch = float(axis @ velocity) * size
        if plane:
            return f"all bodies turn about the same point {_vector(point[:2])}"
        place = f"the axis through {_vector(point)} in the direction {direction}"
        if abs(pitch) < SAME * size:
            return f"all bodies turn about {place}"
        return f"all bodies move as on one screw, about {place}, by {2 * np.pi * pitch:.4g} m in a turn"
    if k == 3 and not plane and np.abs(along).max() < SAME:
        return f"all bodies move parallel to the plane with the normal {direction}"
    if k == 2:
        way = slides[:, 0] / np.linalg.norm(slides[:, 0])
        way = _vector(way * np.sign(way[np.argmax(np.abs(way))]))
        turn = "turn" if plane else f"turn about axes in the direction {direction}"
        return f"all bodies {turn} and slide in the direction {way} only"
    return f"all bodies turn about axes in the direction {direction} only"


def _cross(a: Array) -> Array:
    """Return the matrix of a ×."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def _vector(x: Array) -> str:
    return "[" + ", ".join(f"{round(float(value), 6) + 0.0:g}" for value in x) + "]"
