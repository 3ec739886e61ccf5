"""A mechanism in the coordinates of its tree: bodies are seen from the joints that carry them.

Bodies and joints are read as always, each body in coordinates of its own. Then every body that is carried is given the
motion that follows from its joint, and whatever is read after that (springs, loads, drives) is written in the
coordinates of the tree by itself. The places and angles of bodies stay as names in expressions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

import symengine as se

from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import SWITCHING, ZERO
from dalembert.model.exact import put_exactly, tidied
from dalembert.model.mechanism.body import Body
from dalembert.model.mechanism.carried import carried
from dalembert.model.mechanism.drives import read_motion
from dalembert.model.mechanism.element_terms import Terms
from dalembert.model.mechanism.joint import Joint, seen_joint
from dalembert.model.mechanism.marker import Marker
from dalembert.model.mechanism.outward import JOINT, Outward
from dalembert.model.mechanism.pairs.base import Coordinate, difference_to, is_angle, rate, rate_by, still
from dalembert.model.mechanism.pairs.motion import Step
from dalembert.model.mechanism.table_reader import TableReader
from dalembert.model.mechanism.tree import ANGLES, Branch, Tree, named_coordinates
from dalembert.model.mechanism.vectors import Vector, dot, sub, tidy
from dalembert.model.mechanism.views import EULER, View, compose, reverse

if TYPE_CHECKING:
    from dalembert.model.mechanism.assembly import Assembly

_ROUNDING = 1e-12  # of a condition without coordinates that is none

Meaning = Callable[[], tuple[Expr, Expr]]  # an expression and its rate


class Rebasing:
    """Gives the bodies of an assembly the motion of the joints that carry them.

    guess: the coordinates of the tree in the assembled position. norms: conditions on Euler parameters of joints.
    """

    def __init__(self, assembly: Assembly, tree: Tree):
        self.assembly, self.tree = assembly, tree
        self.rates = {se.Symbol(name): se.Symbol(name + "'") for name in tree.coordinates}
        if any(branch.driven for branch in tree.branches):
            self.rates[se.Symbol(TIME)] = se.Integer(1)
        self.guess = {name: value for body in tree.free for name, value in assembly.bodies[body].guess.items()}
        self.norms: dict[str, Expr] = {}
        self.outward = Outward() if tree.long else None
        self._views: dict[int, View] = {}
        absolute = dict(assembly.joints)
        for branch in tree.branches:
            if branch.joint in absolute:
                self._carry(branch, absolute[branch.joint])
        for name, joint in absolute.items():
            assembly.joints[name] = self._seen(joint, tree.branch(name))
        assembly.assembled |= {se.Symbol(name): value for name, value in self.guess.items()}

    def _carry(self, branch: Branch, joint: Joint) -> None:
        """Let a joint carry its body."""
        body = self.assembly.bodies[branch.body]
        if joint.pair.motion is None:
            raise TypeError(
                f"the joint `{joint.name}` cannot carry a body: its pair has no `motion`; choose another tree"
            )
        view = self._written(branch, joint, body) if self.outward is None else self._followed(branch, joint, body)
        self._views[id(body.view)] = view
        self._place(branch, joint, body.guess)
        self.assembly.bodies[branch.body] = replace(body, view=view)

    def _written(self, branch: Branch, joint: Joint, body: Body) -> View:
        """Return the motion of a body in the coordinates of the tree."""
        first, second = seen_joint(joint, self._views).markers
        parent, child = (first, second) if branch.forward else (second, first)
        symbols = {key: se.Symbol(name) for key, name in branch.names.items()}
        symbols |= {key: self._motion(drive, key) for key, (_, drive) in branch.driven.items()}
        symbols |= {key: value for key, value in still(joint.pair.moves).items() if key not in joint.moves}
        steps = _steps(joint, branch, symbols)
        angle = next((symbols[key] for key in symbols if is_angle(key)), None) if self.tree.by == ANGLES else None
        view = carried(parent, steps, child.placement, body.centre, self.rates, angle)
        if body.view.turns:
            return view
        n = len(body.centre)
        return type(body.view).particle(view.q[:n], view.v[:n], self.rates)

    def _followed(self, branch: Branch, joint: Joint, body: Body) -> View:
        """Return the motion of a body in symbols of its own, which follow from those of the body that carries it."""
        outward = cast(Outward, self.outward)
        first, second = joint.markers
        parent, child = (first.placement, second.placement) if branch.forward else (second.placement, first.placement)
        symbols = {key: se.Symbol(JOINT.format(k)) for k, key in enumerate(branch.names)}
        steps, view = _steps(joint, branch, symbols), outward.seen(body)

        def make(before: View, rates: Mapping[Expr, Expr], seen: View) -> View:
            return carried(Marker(before, parent), steps, child, body.centre, rates, seen=seen)

        how = tuple((type(step), *step) for step in steps), parent, child
        outward.carry(body, view, self.assembly.bodies[branch.parent], list(branch.names.values()), how, make)
        self.assembly.assembled |= outward.assembled(body, view)
        return view

    def _motion(self, drive: str, key: str) -> Expr:
        """Read the function of time that takes the place of a coordinate."""
        given = self.assembly.given_tables["drives"][drive]
        motion = read_motion(TableReader(self.assembly, ("drives", drive), given), key)[0]
        return ZERO if motion.atoms(*SWITCHING) else motion  # which is refused with the drive

    def _place(self, branch: Branch, joint: Joint, guess: Mapping[str, Expr]) -> None:
        """Note the coordinates of a joint in the assembled position."""
        a, b = joint.markers
        for key, name in branch.names.items():
            if self.tree.by == ANGLES and is_angle(key):
                self.guess[name] = guess[f"phi_{branch.body}"]
            else:
                value = self.assembly.home(_measured(joint, key)[0])
                self.guess[name] = tidy([value], [*map(self.assembly.home, (*a.place, *b.place))])[0]
        if EULER[0] in branch.names:
            symbols = [se.Symbol(branch.names[key]) for key in EULER]
            self.norms[f"{joint.name}.norm"] = (se.Add(*[x**2 for x in symbols]) - 1) / 2

    def _seen(self, joint: Joint, branch: Branch | None) -> Joint:
        """Return a joint between bodies as they move now."""
        seen = seen_joint(joint, self._views)
        if branch is None:
            return seen
        own = {}
        for key, name in branch.names.items():
            q = se.Symbol(name)
            if key in joint.coordinates and not (self.tree.by == ANGLES and is_angle(key)):
                own[key] = Coordinate(q, self.rates[q], difference_to(q))
        for key, (_, drive) in branch.driven.items():
            motion = self._motion(drive, key)
            own[key] = Coordinate(motion, rate_by(motion, self.rates), difference_to(motion))
        return replace(seen, carries=branch.body, own=own)

    def conditions(self, given: Mapping[str, Expr]) -> dict[str, Expr]:
        """Return the conditions that are left, without decimals that cancel."""
        return {name: tidied(expr) for name, expr in given.items() if not self._holds(expr)}

    def _holds(self, condition: Expr) -> bool:
        """Tell whether a condition holds by itself, as that of a loop in space which stays in its plane."""
        if condition.free_symbols & self._moving:
            return False
        value = self.assembly.value(condition)
        return value is not None and abs(value) < _ROUNDING

    @cached_property
    def _moving(self) -> set[Expr]:
        return {*self.rates, *self.rates.values(), *(self.outward or ())}

    def add(self, parts: Terms) -> None:
        """Add conditions on Euler parameters, gyroscopic moments of bodies with angular velocities, and the guess."""
        parts.constraints |= self.norms
        parts.guess = dict(self.guess)
        for name, moment in self.outward.gyroscopic.items() if self.outward is not None else ():
            parts.forces[name].append(moment)

    def meanings(self) -> dict[str, Meaning]:
        """Return what the names of places and angles of bodies stand for."""
        found: dict[str, Meaning] = {}
        for branch in self.tree.branches:
            body = self.assembly.bodies[branch.body]
            for k, (name, value) in enumerate(zip(body.coordinates, body.view.q, strict=False)):
                found[name] = lambda body=body, k=k, value=value: (value, self._speeds(body)[k])
            for key, (name, _) in branch.driven.items():
                found[name] = lambda joint=self.assembly.joints[branch.joint], key=key: _measured(joint, key)
        return found

    def _speeds(self, body: Body) -> Vector:
        return body.view.v if self.outward is None else self.outward.speeds(body)


def _steps(joint: Joint, branch: Branch, symbols: Mapping[str, Expr]) -> list[Step]:
    """Return the steps of a joint from the body that carries to the one that is carried."""
    motion = cast(Callable[..., Sequence[Step]], joint.pair.motion)
    steps = list(motion(*joint.markers, **symbols, **joint.values))
    return steps if branch.forward else [step.reversed() for step in reversed(steps)]


def meanings_of_joints(assembly: Assembly) -> dict[str, Meaning]:
    """Return what the names that users gave to coordinates of joints stand for."""
    found: dict[str, Meaning] = {}
    for joint in assembly.joints.values():
        if "coordinate" in joint.table or "coordinates" in joint.table:
            keys = joint.moves or tuple(joint.coordinates)
            for key, name in named_coordinates(joint.table, keys).items():
                found[name] = lambda joint=joint, key=key: _measured(joint, key)
    return found


def _measured(joint: Joint, key: str) -> tuple[Expr, Expr]:
    """Return a coordinate of a joint, and its rate: an Euler parameter of its turn, or a way along x or y, too."""
    if key in joint.coordinates:
        return joint.coordinates[key].value, joint.coordinates[key].rate
    a, b = joint.markers
    if key in EULER:
        value = compose(reverse(a.e), b.e)[EULER.index(key)]
    else:
        value = dot(a.x if key == "x" else a.y, sub(b.place, a.place))
    return value, rate(value, a, b)


class Aliases:
    """Names that stand for expressions of coordinates, with their rates."""

    def __init__(self, names: Mapping[str, Meaning], rates: Mapping[Expr, Expr]):
        self.names = tuple(names)
        self._names, self._rates = names, rates
        self._known: dict[Expr, Expr] = {}

    def put(self, expr: Expr) -> Expr:
        """Return an expression with what the names in it stand for."""
        if not self._names:
            return expr
        found = {s: self._meaning(s) for s in expr.free_symbols if s.name.rstrip("'") in self._names}
        return put_exactly(found, expr) if found else expr

    def _meaning(self, symbol: Expr) -> Expr:
        if symbol not in self._known:
            plain = symbol.name.rstrip("'")
            primes = len(symbol.name) - len(plain)
            value, rate = self._names[plain]()
            if value.is_Symbol and value.name == plain and primes != 1:
                self._known[symbol] = symbol  # of which the definition is known
                return symbol
            speeds = {v: se.Symbol(v.name + "'") for v in self._rates.values()}
            moving = {**self._rates, **speeds, se.Symbol(TIME): se.Integer(1)}
            self._known[symbol] = (value, rate, rate_by(rate, moving) if primes == 2 else rate)[primes]
        return self._known[symbol]
