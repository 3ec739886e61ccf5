"""Force and moment of conditions on a body, as expressions of their multipliers.

The reaction r = Aᵀλ on the coordinates of a body is a force and a moment about its centre of mass: in the plane
(r_x, r_y) and r_phi; in space (r_x, r_y, r_z) and, in world axes, ½ G r_e, as r_e·ė is the power of the moment and
ω = 2 G ė.
"""

from __future__ import annotations

from collections.abc import Mapping

import symengine as se

from dalembert.language.building import Expr
from dalembert.language.calculus import Calculus
from dalembert.model.mechanism.vectors import Vector, add, cross, multiply, scale, sub
from dalembert.model.mechanism.views import SpatialView, View
from dalembert.model.quantity import multiplier


def force(conditions: Mapping[str, Expr], view: View) -> Vector:
    """Return the force of conditions on a body."""
    return _acting(conditions, view)[: len(view.centre)]


def moment(conditions: Mapping[str, Expr], view: View, point: Vector) -> Vector:
    """Return their moment about a point; in the plane it has one component."""
    n, r = len(view.centre), _acting(conditions, view)
    arm = sub(view.q[:n], point)
    if isinstance(view, SpatialView):
        return add(scale(se.Rational(1, 2), multiply(view.G, r[3:])), cross(arm, r[:3]))
    return (se.Add(*r[2:], arm[0] * r[1], -arm[1] * r[0]),)


def _acting(conditions: Mapping[str, Expr], view: View) -> Vector:
    """Return Aᵀλ on the coordinates of a body: slopes by positions, or by velocities where these appear."""
    found = [[] for _ in view.q]
    for name, condition in conditions.items():
        rates = any(symbol.name.endswith("'") for symbol in condition.free_symbols)
        variables = view.v if rates else view.q
        calculus = Calculus(variables)
        lifted = calculus.lift(condition)
        for terms, variable in zip(found, variables, strict=True):
            if variable in calculus.depends(lifted):
                terms.append(multiplier(name) * calculus.lower(calculus.diff(lifted, variable)))
    return tuple(se.Add(*terms) for terms in found)
