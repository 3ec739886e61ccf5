"""Forces in the joints of a mechanism: on either body, at the joint or any other point, in world or body axes.

The reaction r of a condition on the coordinates of a body is a force and a moment about its centre of mass: in the
plane (r_x, r_y) and r_phi; in space (r_x, r_y, r_z) and, in world axes, ½ G r_e, as r_e·ė is the power of the moment
and ω = 2 G ė. The ground has no coordinates: on it acts the opposite of what acts on all other bodies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import symengine as se

from dalembert.arguments import names as names_of
from dalembert.arguments import shown
from dalembert.arrays import Array
from dalembert.blocks.symbolic import rows_of
from dalembert.document.nodes import Note, Section, Sparkline, Table, Text, faint, rounded, span
from dalembert.document.shown import Printed
from dalembert.errors import ModelError, nearest, quoted
from dalembert.language.building import TIME, Expr, number
from dalembert.language.program import Program
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.mechanism.companion import absolute_inputs
from dalembert.model.mechanism.joint import Joint
from dalembert.model.mechanism.mechanism import Mechanism
from dalembert.model.mechanism.table_reader import GROUND
from dalembert.model.mechanism.tree import ABSOLUTE
from dalembert.model.quantity import multiplier
from dalembert.native.values import SolvedStates
from dalembert.results.shares import NOTICED, Shares
from dalembert.results.sites import Site, elements, forces, site

AXES = ("world", "body", "joint")
LETTERS = "xyz"
UNITS = {"force": "N", "moment": "N m"}


@dataclass(frozen=True, repr=False)
class JointForce(Printed):
    """What parts of a mechanism exert on a body: force (N) at a point and moment (N m) about it, a row for each state.

    force: (…, 2) or (…, 3). moment: (…) in the plane, (…, 3) in space. point: where, in the world. A component that
    is not determined, as joints repeat each other, is nan; `determined` says which are, `notes` say it in words.
    `extremes` gives the least and the largest value of a component along the motion, between its samples too. `arm` is
    the largest distance of the point from the centre of mass.
    """

    names: tuple[str, ...]
    on: str
    axes: str
    t: Array
    force: Array
    moment: Array
    point: Array
    notes: tuple[str, ...] = ()
    arm: float = field(default=0.0, compare=False)
    extremes: Callable[[str], tuple[float, float]] | None = field(default=None, compare=False)

    @property
    def size(self) -> Array:
        """The length of the force."""
        return np.linalg.norm(self.force, axis=-1)

    @property
    def torque(self) -> Array:
        """The length of the moment."""
        return np.abs(self.moment) if self.moment.ndim < self.force.ndim else np.linalg.norm(self.moment, axis=-1)

    @property
    def components(self) -> dict[str, Array]:
        """Every component by name: `force x`, …, `moment` or `moment x`, …"""
        found = {f"force {LETTERS[k]}": self.force[..., k] for k in range(self.force.shape[-1])}
        if self.moment.ndim < self.force.ndim:
            return found | {"moment": self.moment}
        return found | {f"moment {LETTERS[k]}": self.moment[..., k] for k in range(3)}

    @property
    def determined(self) -> dict[str, bool]:
        """Whether each component is determined, at all states."""
        return {name: not np.any(np.isnan(values)) for name, values in self.components.items()}

    def document(self) -> Section:
        """Show every component: over time as a small curve with its least and largest value, at one state its value."""
        rows: list[tuple[Text, ...]] = []
        along = np.ndim(self.t) > 0
        size = max(float(np.nanmax(np.abs(values), initial=0.0)) for values in (self.force, self.moment))
        for key, values in self.components.items():
            unit = UNITS[key.partition(" ")[0]]
            if not np.any(np.isfinite(values)):
                rows.append((key, "", "", "", faint("not determined")))
            elif along:
                some = "" if np.all(np.isfinite(values)) else faint("not always determined")
                ends = values if some or self.extremes is None else np.array(self.extremes(key))
                rows.append((key, Sparkline(self.t, values, key), span(ends, size), unit, some))
            else:
                rows.append((key, "", rounded(float(values), size), unit, ""))
        what = f"on {self.on}, in axes of the {self.axes}"
        if along and len(self.t):
            what += f", t = {self.t[0]:g} … {self.t[-1]:g}"
        return Section(", ".join(self.names), [Table(rows), *map(Note, self.notes)], what)


class Joints:
    """The forces of all joints of a mechanism at some states.

    inputs: t, q, v and the parameters, one row for each state, as kernels read them. solution: the multipliers there.
    """

    def __init__(self, mechanism: Mechanism, inputs: Array, solution: SolvedStates):
        if mechanism.by != ABSOLUTE:  # the companion has conditions for all joints
            inputs, mechanism = absolute_inputs(mechanism, inputs), mechanism.absolute
            solution = mechanism.compile().solved(inputs)
        self.mechanism, self._solution = mechanism, solution
        self.t, self.shape = inputs[..., 0], inputs.shape[:-1]
        self.inputs = inputs.reshape(-1, inputs.shape[-1])
        names = [*(constraint.name for constraint in mechanism.constraints), *elements(mechanism)]
        self.index = {name: i for i, name in enumerate(names)}
        self._known = len(names) - len(mechanism.constraints)  # elements are conditions with the multiplier 1

    @cached_property
    def multipliers(self) -> Array:
        """λ of every condition and element, one row for each state."""
        multipliers = np.reshape(self._solution.multipliers, (len(self.inputs), -1))
        return np.pad(multipliers, ((0, 0), (0, self._known)), constant_values=1.0)

    @property
    def solution(self) -> SolvedStates:
        """Accelerations and multipliers of the mechanism in the coordinates of its bodies."""
        return self._solution

    def __repr__(self) -> str:
        return f"<Joints {', '.join(self.mechanism.joints)} of {self.mechanism.name!r}>"

    @cached_property
    def shares(self) -> Shares:
        """The loads that joints can share in any way."""
        angles = {name for body in self.mechanism.bodies.values() for name in body.coordinates[self.dimensions :]}
        turning = [i for i, name in enumerate(self.mechanism.coordinates) if name in angles]
        return Shares(self.mechanism, self.inputs, self._solution, turning)

    @property
    def dimensions(self) -> int:
        """2 or 3."""
        return self.mechanism.dimensions

    # --- what is asked for -------------------------------------------------------------------------------------------

    def force(
        self,
        names: str | Sequence[str],
        on: str | None = None,
        axes: str = "world",
        at: Any = None,
        judged: bool = True,
    ) -> JointForce:
        """Return force and moment of a joint or drive, or the sum of several, on a body.

        names: joints, drives, conditions such as `A.y`, springs, dampers, actuators, loads. on: a body; without one,
        the second body of the joint, or the first if the second is the ground. axes: "world", those of the "body", or
        those of the (first) "joint". at: a point of the body by name, its coordinates in the body frame, or "centre";
        without one the point in which the joint acts, of several joints the centre of mass. judged: look what of it is
        determined.
        """
        names = names_of("names", names, "names of joints and drives")
        known = elements(self.mechanism)
        conditions = [c for name in names for c in ([name] if name in known else self.mechanism.conditions_of(name))]
        joints = [site(self.mechanism, name) for name in names]
        if not joints:
            raise ModelError("name a joint or a drive whose force is asked for")
        if not isinstance(axes, str) or axes not in AXES:
            raise ModelError(f"axes are {quoted(AXES, 'or')}, got {axes!r}")
        touched = self._touched(conditions, joints)
        if on is None:
            on = joints[0].bodies[0 if joints[0].bodies[1] == GROUND else 1]
        if not isinstance(on, str) or on not in touched:
            other = f"`{on}`" if isinstance(on, str) else shown(on)
            raise ModelError(f"{quoted(names)} do not act on {other}, but on {quoted(touched)}")
        point = self._point(joints, on, at)
        force, moment = self._wrench(conditions, on, point, self.multipliers[..., None], np.arange(len(self.inputs)))
        turn = self._axes(joints[0], on, axes)
        force, moment = self._turned(force[:, 0], moment[:, 0], turn)
        notes: tuple[str, ...] = ()
        if judged and self.shares:
            loose = self._loose(conditions, on, point, turn)
            for part, mask in zip((force, moment), loose, strict=True):
                known = self.shares.near >= 0
                part[known] = np.where(mask[self.shares.near[known]], np.nan, part[known])
            if any(np.any(mask) for mask in loose):
                notes = tuple(note for body, note in self.notes.items() if body == on)
        return JointForce(
            names,
            on,
            axes,
            self.t,
            force.reshape((*self.shape, self.dimensions)),
            moment.reshape(self.shape if self.dimensions == 2 else (*self.shape, 3)),
            point.reshape((*self.shape, self.dimensions)),
            notes,
            self._arm(on, point),
        )

    def _arm(self, on: str, point: Array) -> float:
        """Return the largest lever arm of a point of a body; none of the ground, which has no centre of mass."""
        if on == GROUND or not len(point):
            return 0.0
        columns = [self._columns[name] for name in self.mechanism.bodies[on].coordinates[: self.dimensions]]
        return float(np.linalg.norm(self.inputs[:, columns] - point, axis=-1).max())

    @cached_property
    def notes(self) -> Mapping[str, str]:
        """What is not determined, by body, in words."""
        if not self.shares:
            return {}
        found: dict[str, dict[str, str]] = {}
        for name, conditions in self._parts().items():
            joints = [] if name in self.index else [site(self.mechanism, name)]  # or a constraint of the user's own
            for body in self._touched(conditions, joints):
                point = self._point(joints, body, None)
                words = self._words(*self._loads(conditions, body, point))
                if words:
                    found.setdefault(body, {})[name] = words
        notes = {}
        for body, parts in found.items():
            listed = [f"`{name}` ({words})" for name, words in parts.items()]
            shown = ", ".join(listed[:-1]) + f" and {listed[-1]}" if len(listed) > 1 else listed[0]
            notes[body] = f"on `{body}`, of {shown} only the sum is determined, as their conditions repeat each other"
        return notes

    def _parts(self) -> dict[str, list[str]]:
        """Return joints, drives and the user's own constraints that share loads, with their conditions."""
        shared = {self.mechanism.constraints[i].name for group in self.shares.groups() for i in group}
        parts: dict[str, list[str]] = {}
        for name in list(self.index)[: len(self.index) - self._known]:
            section, part = self.mechanism.owners.get(name, ("constraints", name))
            if section != "bodies":
                parts.setdefault(part, []).append(name)
        return {part: names for part, names in parts.items() if shared.intersection(names)}

    # --- where -------------------------------------------------------------------------------------------------------

    def _touched(self, conditions: Sequence[str], joints: Sequence[Joint | Site]) -> list[str]:
        """Return the bodies on which conditions act."""
        owners = _owners(self.mechanism)
        places = {owners[name] for condition in conditions for name in self._row(condition) if name in owners}
        bodies = [name for _, name in sorted(places)]  # in the order of the mechanism
        grounded = any(GROUND in joint.bodies for joint in joints) or (not joints and len(bodies) < 2)
        return [*([GROUND] if grounded else []), *bodies]

    def _point(self, joints: Sequence[Joint | Site], on: str, at: Any) -> Array:
        """Return the point for which force and moment are asked, in the world, one row for each state."""
        body = self.mechanism.bodies[on]
        if at is None:
            own = len(joints) == 1 and on in joints[0].bodies
            place = joints[0].point(on) if own else body.view.position(body.centre)
        elif isinstance(at, str):
            if at not in body.frames and at != "centre":
                known = [*body.frames, "centre"]
                raise ModelError(f"body `{on}` has no point `{at}`; {nearest(at, known, 'points')}")
            place = body.view.position(body.frames[at].at if at in body.frames else body.centre)
        else:
            try:
                values = [se.RealDouble(float(value)) for value in at]
            except (TypeError, ValueError, OverflowError):
                values = []
            if len(values) != self.dimensions or any(number(value) is None for value in values):
                expected = f"the name of a point of `{on}`, or {self.dimensions} numbers in its frame"
                raise ModelError(f"`at` is {expected}; got {str(at)[:60]!r}")
            place = body.view.position(values)
        return self._evaluate(place).T

    def _axes(self, joint: Joint | Site, on: str, axes: str) -> Array | None:
        """Return the axes as rows of rotation matrices, one for each state; None for those of the world."""
        if axes == "world" or (axes == "body" and on == GROUND):
            return None
        if axes == "body":
            R = self.mechanism.bodies[on].view.R
            rows = list(zip(*R, strict=True))
        else:
            marker = joint.markers[0]
            rows = [marker.x, marker.y, *([marker.z] if self.dimensions == 3 else [])]
        flat = self._evaluate([entry for row in rows for entry in row])
        return flat.T.reshape(-1, self.dimensions, self.dimensions)

    # --- how much ----------------------------------------------------------------------------------------------------

    def _row(self, name: str) -> dict[str, Expr]:
        """Return a row of A, or the forces of an element, by coordinate."""
        is_element = self.index[name] >= len(self.index) - self._known
        return self._forces[name] if is_element else rows_of(self.mechanism)[name]

    @cached_property
    def _forces(self) -> dict[str, dict[str, Expr]]:
        return forces(self.mechanism, list(self.index)[len(self.index) - self._known :])

    def _evaluate(self, expressions: Sequence[Expr]) -> Array:
        """Evaluate expressions at all states, (expressions, states)."""
        used = sorted(set().union(*(entry.free_symbols for entry in expressions)), key=str)
        columns = self._values[:, [self._columns[symbol.name] for symbol in used]]
        states = np.zeros(len(columns))  # also where nothing is used
        return Program([*used, se.Symbol("")], list(expressions)).arrays([*columns.T, states])

    @cached_property
    def _columns(self) -> dict[str, int]:
        """The places of all names in the values."""
        lam = [multiplier(constraint.name).name for constraint in self.mechanism.constraints]
        parts = (self.mechanism.coordinates, self.mechanism.velocities, self.mechanism.parameters, lam)
        return {name: i for i, name in enumerate([TIME, *(name for part in parts for name in part)])}

    @cached_property
    def _values(self) -> Array:
        return np.hstack([self.inputs, np.reshape(self._solution.multipliers, (len(self.inputs), -1))])

    def _wrench(
        self, conditions: Sequence[str], on: str, point: Array, loads: Array, states: Array
    ) -> tuple[Array, Array]:
        """Return force and moment about a point, in the world, of loads (states, constraints, count) of conditions."""
        if on == GROUND:
            bodies = [name for name in self._touched(conditions, []) if name != GROUND]
            parts = [self._wrench(conditions, name, point, loads, states) for name in bodies]
            return -np.sum([force for force, _ in parts], axis=0), -np.sum([moment for _, moment in parts], axis=0)
        body, n = self.mechanism.bodies[on], self.dimensions
        r = np.zeros((loads.shape[2], len(body.coordinates), len(states)))
        entries = [
            (self.index[name], body.coordinates.index(coordinate), entry)
            for name in conditions
            for coordinate, entry in self._row(name).items()
            if coordinate in body.coordinates
        ]
        values = self._evaluate([entry for *_, entry in entries])[:, states]
        for (i, j, _), value in zip(entries, values, strict=True):
            r[:, j] += value * loads[:, i].T
        force = np.moveaxis(r[:, :n], (0, 1, 2), (1, 2, 0))
        first = self._columns[body.coordinates[0]]
        q = self.inputs[states, first : first + len(body.coordinates)]
        arm = (q[:, :n] - point[states])[:, None]
        if n == 2:
            moment = r[:, 2:].sum(axis=1).T  # none of a particle
            return force, moment + arm[..., 0] * force[..., 1] - arm[..., 1] * force[..., 0]
        if not body.view.turns:
            return force, np.cross(arm, force)
        e0, e1, e2, e3 = q[:, 3:].T
        G = np.array([[-e1, e0, -e3, e2], [-e2, e3, e0, -e1], [-e3, -e2, e1, e0]])
        return force, np.einsum("ijt,kjt->tki", G, r[:, 3:]) / 2 + np.cross(arm, force)

    def _turned(self, force: Array, moment: Array, turn: Array | None) -> tuple[Array, Array]:
        """Return force and moment in other axes."""
        if turn is None:
            return force, moment
        rotate = "tij,t...j->t...i"
        return np.einsum(rotate, turn, force), moment if self.dimensions == 2 else np.einsum(rotate, turn, moment)

    # --- what is determined ------------------------------------------------------------------------------------------

    def _loads(self, conditions: Sequence[str], on: str, point: Array) -> tuple[Array, Array]:
        """Return what the loads that can be shared in any way make of a force and a moment (over a lever arm)."""
        loads = np.pad(self.shares.vectors, ((0, 0), (0, self._known), (0, 0)))
        force, moment = self._wrench(conditions, on, point, loads, self.shares.states)
        return force, moment / self.shares.length

    def _loose(self, conditions: Sequence[str], on: str, point: Array, turn: Array | None) -> tuple[Array, Array]:
        """Return which components are not determined, at the examined states."""
        axes = None if turn is None else turn[self.shares.states]
        force, moment = self._turned(*self._loads(conditions, on, point), axes)
        return np.abs(force).max(axis=1) > NOTICED, np.abs(moment).max(axis=1) > NOTICED

    def _words(self, force: Array, moment: Array) -> str:
        """Say which components of a force and a moment, or in which directions, are not determined."""
        words = []
        if self.dimensions == 2:
            moment = moment[..., None]
        for name, loads in (("force", force), ("moment", moment)):
            loose = np.abs(loads).max(axis=(0, 1), initial=0.0) > NOTICED
            if not np.any(loose):
                continue
            if loads.shape[-1] == 1:
                words.append(name)
                continue
            sizes, directions = np.linalg.svd(loads[0])[1:]
            free = int(np.sum(sizes > NOTICED))
            if free < np.sum(loose) and free in (1, len(loose) - 1):
                direction = directions[0 if free == 1 else -1]
                shown = ", ".join(f"{x + 0.0:.3g}" for x in np.where(np.abs(direction) < 1e-9, 0.0, direction))
                words.append(f"{name} {'along' if free == 1 else 'across'} ({shown}) at first")
            else:
                words.append(f"{name} {', '.join(LETTERS[k] for k in np.flatnonzero(loose))}")
        return "; ".join(words)


@fact(STRUCTURE)
def _owners(mechanism: Mechanism) -> dict[str, tuple[int, str]]:
    """Return the body of each coordinate, with its number."""
    bodies = enumerate(mechanism.bodies.values())
    return {name: (k, body.name) for k, body in bodies for name in body.coordinates}
