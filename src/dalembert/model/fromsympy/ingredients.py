"""What a problem of `sympy.physics.mechanics` is made of, whichever of its classes holds it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sympy as sp
from sympy.physics import mechanics
from sympy.physics.mechanics.joint import Joint
from sympy.physics.mechanics.loads import LoadBase

from dalembert.errors import ModelError

dynamicsymbols: Any = mechanics.dynamicsymbols  # its time, an attribute of the function, has no type
TIME = dynamicsymbols._t


@dataclass(frozen=True)
class Ingredients:
    """Coordinates, speeds, kinematic equations, bodies, loads and constraints, as SymPy holds them.

    frame: the inertial one. lagrangian: in place of bodies. auxiliary: speeds that are zero. loads: pairs of a point
    and a force, or of a frame and a torque. origin: a point at rest. Equations are expressions that vanish.
    """

    frame: Any
    q: list[Any]
    u: list[Any] = field(default_factory=list)
    auxiliary: list[Any] = field(default_factory=list)
    kinematic: list[Any] = field(default_factory=list)
    bodies: list[Any] = field(default_factory=list)
    loads: list[tuple[Any, Any]] = field(default_factory=list)
    holonomic: list[Any] = field(default_factory=list)
    velocity: list[Any] = field(default_factory=list)
    acceleration: list[Any] = field(default_factory=list)
    lagrangian: Any = None
    origin: Any = None


def ingredients(problem: Any) -> Ingredients:
    """Take a problem apart; raise ModelError where something is missing."""
    if isinstance(problem, mechanics.LagrangesMethod):
        return _from_lagrange(problem)
    if isinstance(problem, mechanics.KanesMethod):
        return _from_kane(problem)
    if isinstance(problem, mechanics.System):
        return _from_system(problem)
    if isinstance(problem, mechanics.JointsMethod):
        return _from_joints(problem)
    if isinstance(problem, Joint) or _are_joints(problem):
        raise ModelError("joints alone are no problem; put them into a sympy.physics.mechanics.System by add_joints")
    got = type(problem).__name__
    raise ModelError(f"expected a System, KanesMethod or LagrangesMethod of sympy.physics.mechanics, got {got}")


def _are_joints(problem: Any) -> bool:
    return isinstance(problem, (list, tuple)) and any(isinstance(part, Joint) for part in problem)


def _from_system(system: Any) -> Ingredients:
    """Take SymPy's System: as it was formed, else by its speeds: derivatives for Lagrange, symbols for Kane."""
    if isinstance(system.eom_method, mechanics.LagrangesMethod):
        return _from_lagrange(system.eom_method)
    missing = [joint for joint in system.joints if not set(joint.coordinates) <= set(system.q)]
    if missing:
        names = ", ".join(joint.name for joint in missing)
        raise ModelError(f"the coordinates of {names} are not in the system; add its joints by add_joints")
    if not system.q and not system.u:
        raise ModelError("the system has no coordinates; add joints, or coordinates by add_coordinates")
    actions = [load for actuator in system.actuators for load in actuator.to_loads()]
    common = {
        "frame": system.frame,
        "origin": system.fixed_point,
        "q": list(system.q),
        "bodies": list(system.bodies),
        "loads": _pairs([*system.loads, *actions]),
        "holonomic": list(system.holonomic_constraints),
    }
    if all(isinstance(u, sp.Derivative) for u in system.u):
        lagrangian = mechanics.Lagrangian(system.frame, *system.bodies)
        return Ingredients(**common, lagrangian=lagrangian, velocity=list(system.nonholonomic_constraints))
    _no_potential(system.bodies)
    return Ingredients(
        **common,
        u=list(system.u),
        auxiliary=list(system.u_aux),
        kinematic=list(system.kdes),
        velocity=list(system.velocity_constraints),
    )


def _from_joints(method: Any) -> Ingredients:
    _no_potential(method.bodies)
    return Ingredients(
        method.frame,
        q=list(method.q),
        u=list(method.u),
        kinematic=list(method.kdes),
        bodies=list(method.bodies),
        loads=_pairs(method.loads),
    )


def _from_lagrange(method: Any) -> Ingredients:
    holonomic = list(method._hol_coneqs)
    return Ingredients(
        method.inertial,
        q=list(method.q),
        loads=_pairs(method.forcelist),
        holonomic=holonomic,
        velocity=list(method.coneqs)[len(holonomic) :],
        lagrangian=method._L[0],
    )


def _from_kane(method: Any) -> Ingredients:
    if not method.bodies:
        raise ModelError("the KanesMethod has no bodies; give them as KanesMethod(…, bodies=…, forcelist=…)")
    if not method._k_ku_implicit and method.q:
        raise ModelError("the KanesMethod has no kinematic differential equations; give them as kd_eqs")
    _no_potential(method.bodies)
    q, qdot, u = method.q, method.q.diff(TIME), method.u
    kinematic = method._k_kqdot_implicit * qdot + method._k_ku_implicit * u + method._f_k_implicit
    is_dummy = [symbol.func.__name__ for symbol in q] == ["dummy_q"]
    velocity = method._k_nh * u + method._f_nh if method._k_nh else []
    rates = u.diff(TIME)
    acceleration = method._k_dnh * rates + method._f_dnh if method._k_dnh else []
    return Ingredients(
        method._inertial,
        q=[] if is_dummy else list(q),
        u=list(u),
        auxiliary=list(method._uaux),
        kinematic=[] if is_dummy else list(kinematic),
        bodies=list(method.bodies),
        loads=_pairs(method.loads),
        holonomic=list(method._f_h),
        velocity=list(velocity),
        acceleration=list(acceleration),
    )


def _pairs(loads: Any) -> list[tuple[Any, Any]]:
    """Return loads as pairs of a point or frame and a vector."""
    found = []
    for load in loads or ():
        if not isinstance(load, (tuple, LoadBase)) or len(load) != 2:
            raise ModelError(f"a load is a point with a force or a frame with a torque, got {str(load)[:60]}")
        where, vector = load
        found.append((getattr(where, "masscenter", where), vector))
    return found


def _no_potential(bodies: Any) -> None:
    names = [body.name for body in bodies if getattr(body, "potential_energy", 0) != 0]
    if names:
        text = f"the potential energy of {', '.join(map(str, names))} has no place in Kane's method"
        raise ModelError(f"{text}, which takes forces; give a load instead, or form the equations by LagrangesMethod")
