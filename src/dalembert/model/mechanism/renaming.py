"""What a mechanism is made of, for the same one in other coordinates: names must go on to mean what they mean.

The coordinates of joints have names, given or usual, which stay names in expressions. With "angles" the name that a
user gives to the coordinate of a joint that turns is that of the angle of the body, and so it means something else.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.errors import ModelError
from dalembert.language.building import Expr
from dalembert.language.calculus import ZERO
from dalembert.model.mechanism.pairs.base import is_angle
from dalembert.model.mechanism.tree import ABSOLUTE, ANGLES, JOINTS, named_coordinates
from dalembert.model.sections.base import expressions_in, in_expressions

if TYPE_CHECKING:
    from dalembert.model.mechanism.built import Built

_WORD = re.compile(r"[^\W\d]\w*")


def in_coordinates(mechanism: Built, by: Any) -> dict[str, Any]:
    """Return the arguments of the mechanism in other coordinates; refuse names that would change their meaning."""
    given = mechanism.arguments() | {"by": by, "tree": mechanism.tree.wanted or None if by != ABSOLUTE else None}
    if by == mechanism.by:
        return given
    used = names_in(mechanism)
    if ANGLES in (by, mechanism.by):
        for joint in mechanism.joints.values():
            names = named_coordinates(joint.table, joint.moves)
            if mechanism.by == JOINTS and (branch := mechanism.tree.branch(joint.name)) is not None:
                names |= branch.all_names
            for key, name in names.items():
                if is_angle(key) and name in used:
                    raise ModelError(_other_meaning(name, joint.name))
    given["joints"] = _named(mechanism, used)
    given["guess"] = guess_of_bodies(mechanism)
    return given


def guess_of_bodies(mechanism: Built) -> dict[str, Expr]:
    """Return the user's guess by names that mean the same in all coordinates: of joints, where it puts the bodies."""
    own, bodies = mechanism.own.guess, mechanism.bodies.values()
    lasting = {name for body in bodies for name in body.coordinates} | set(mechanism.own.coordinates)
    kept = {name: value for name, value in own.items() if name.rstrip("'") in lasting}
    if len(kept) == len(own):
        return kept
    names = (*mechanism.coordinates, *mechanism.velocities)
    known = {se.Symbol(name): mechanism.guess.get(name, ZERO) for name in names}
    for symbol, value in mechanism.defined.items():
        known[symbol] = value.xreplace(known)
    primes = ("", "'") if any(name.endswith("'") for name in own.keys() - kept.keys()) else ("",)
    carried = [name for branch in mechanism.tree.branches for name in mechanism.bodies[branch.body].coordinates]
    return {name + p: mechanism.meant(se.Symbol(name + p)).xreplace(known) for name in carried for p in primes} | kept


def _other_meaning(name: str, joint: str) -> str:
    text = f'`{name}` is the angle of joint `{joint}`, and with coordinates = "angles" that of the body it carries'
    advice = f"use `{joint}.angle`, or the angles of bodies, such as phi_rod, in its place, or leave the name out"
    return f"{text}: where it is used it would change its meaning; {advice}"


def in_absolute(mechanism: Built) -> dict[str, Any]:
    """Return the arguments of the mechanism in the coordinates of its bodies, with the names of all others."""
    renamed = angles_of_bodies(mechanism)
    symbols = {se.Symbol(one + p): se.Symbol(other + p) for one, other in renamed.items() for p in ("", "'", "''")}

    def change(expr: Expr) -> Expr:
        return expr.xreplace({s: symbols[s] for s in expr.free_symbols if s in symbols})

    given = mechanism.arguments() | {"by": ABSOLUTE, "tree": None}
    names = set(mechanism.tree.names)
    given["joints"] = _named(mechanism, names - renamed.keys())
    if not renamed:
        return given
    given["constraints"] = {c.name: c.expression for c in mechanism.own.constraints}
    given["forces"] = {renamed.get(name, name): force for name, force in mechanism.own.forces.items()}
    given |= {part: in_expressions(value, change) for part, value in given.items() if part != "drawing"}
    return given | {"define": None}  # whose texts have the other names; expressions hold what they mean


def angles_of_bodies(mechanism: Built) -> dict[str, str]:
    """Return the names of coordinates that are angles of bodies, with those that bodies give them: beta, phi_rod."""
    found: dict[str, str] = {}
    if mechanism.by == ANGLES:
        for branch in mechanism.tree.branches:
            found |= {name: f"phi_{branch.body}" for key, name in branch.names.items() if is_angle(key)}
    return {name: other for name, other in found.items() if name != other}


def _named(mechanism: Built, used: set[str]) -> dict[str, Any]:
    """Return the tables of joints in which the usual names of their coordinates are written, where they are used."""
    joints = {name: dict(table) for name, table in mechanism.tables["joints"].items()}
    absolute = {name for body in mechanism.bodies.values() for name in body.coordinates}
    for branch in mechanism.tree.branches:
        names = {key: name for key, name in branch.all_names.items() if name in used - absolute}
        given = named_coordinates(joints[branch.joint], tuple(branch.all_names))
        kept = {key: name for key, name in given.items() if name not in angles_of_bodies(mechanism).keys() | absolute}
        names = {**kept, **names}
        if names == given:
            continue
        for key in ("coordinate", "coordinates"):
            joints[branch.joint].pop(key, None)
        if names:
            joints[branch.joint]["coordinates"] = names
    return joints


def names_in(mechanism: Built) -> set[str]:
    """Return all names that appear in what the user wrote, but for guesses, which are said in other names."""
    own = mechanism.own
    parts: list[Any] = [own.kinetic, own.potential, dict(own.forces), dict(mechanism.tables), dict(mechanism.sections)]
    parts += [mechanism.gravity, tuple(constraint.expression for constraint in own.constraints)]
    found = {symbol.name.rstrip("'") for part in parts for expr in expressions_in(part) for symbol in expr.free_symbols}
    found |= {name.rstrip("'") for values in (own.forces, own.initial) for name in values}
    texts = mechanism.sections.get("define", {})
    return found | {word for text in texts.values() for word in _WORD.findall(str(text))} if texts else found
