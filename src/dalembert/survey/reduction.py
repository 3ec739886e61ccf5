"""Fewer coordinates: conditions that can be solved for a coordinate are solved, and the coordinate is put in.

A condition on positions a q_j + h(other q, t) = 0 with a constant a gives q_j = −h/a, and with it the velocity and the
acceleration of q_j. They are put into energies, forces and the other conditions; forces on q_j act on the coordinates
it depends on, by their virtual work. The motion and the reactions of the conditions that stay are the same. So the
joints of a tree of bodies disappear, and formulas come out in the few coordinates that a textbook would choose.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import names as names_of
from dalembert.blocks.numeric import has_values, pilot_parameters
from dalembert.errors import ModelError, nearest, quoted
from dalembert.language.building import TIME, Expr, number
from dalembert.language.calculus import ONE, ZERO, Calculus
from dalembert.language.state_names import is_integral
from dalembert.model.contact import plain_contacts
from dalembert.model.exact import decimal, exact
from dalembert.model.friction import depend, is_linear, plain_frictions, without_frictions

if TYPE_CHECKING:
    from dalembert.model.system import System

_ROUNDING = 1e-12  # of the terms of a condition: what is left of them counts as zero

_READABLE = 20  # coordinates


def reduce_system(system: System, keep: Iterable[str] = ()) -> System:
    """Return the system in fewer coordinates; `keep` names constraints and coordinates that stay.

    So do constraints on whose reactions forces depend.
    """
    if system.defined:
        _ = system.blocks  # of a long tree there are no formulas, and it says so
    known = [*system.coordinates, *(c.name for c in system.constraints)]
    names = names_of("keep", keep, "names of constraints and coordinates")
    for name in names:
        if name not in known:
            raise ModelError(f"no constraint or coordinate `{name}` that could be kept; {nearest(name, known)}")
    return _Elimination(system, system.followed.union(names)).reduced()  # forces need their multipliers


def shortened(T: Expr, coordinates: int) -> Expr:
    """Multiply a kinetic energy out and write 1 for sin² + cos², as long as it is one that somebody may read."""
    if coordinates > _READABLE:
        return T
    T = se.expand(T)
    for angle in sorted({node.args[0] for node in T.atoms(se.sin)}, key=str):
        other = se.expand(T.xreplace({se.sin(angle) ** 2: 1 - se.cos(angle) ** 2}))
        T = min((T, other), key=lambda expr: len(expr.args))
    return T


class _Elimination:
    """Solves one condition after the other; `solved` holds the eliminated coordinates as functions of the others."""

    def __init__(self, system: System, keep: Collection[str]):
        self.system, self.keep = system, keep
        self.t = se.Symbol(TIME)
        self.q, self.v, self.a = ({name: se.Symbol(name + "'" * k) for name in system.coordinates} for k in range(3))
        self.moving = {self.t, *self.q.values(), *self.v.values(), *self.a.values()}
        self.calculus = Calculus(self.moving)
        self.values = {se.Symbol(name): value for name, value in pilot_parameters(system).items()}
        self.solved: dict[Expr, Expr] = {}
        self.decimals = False  # whether there are any
        self.open = {c.name: self.exact(c.expression) for c in system.constraints if c.level == "position"}
        held = [c.expression for c in system.constraints if c.name in keep]
        fixed = {name.rstrip("'") for name in system.initial}
        order = {q: -k for k, q in enumerate(self.q.values())}
        self.rank = {q: (any(q in h.free_symbols for h in held), q.name in fixed, order[q]) for q in order}
        self.solve()
        self.speeds = {self.v[q.name]: self.rate(value) for q, value in self.solved.items()}
        self.everything = self.solved | self.speeds

    # --- solving -----------------------------------------------------------------------------------------------------

    def solve(self) -> None:
        """Solve what can be solved, until nothing more can: a solved condition may make others linear."""
        progress = True
        while progress:
            progress = False
            for name in [name for name in self.open if name not in self.keep]:
                condition = self.open[name] = self.settled(name, self.put(self.open[name]))
                found = None if condition == 0 else self.solution(condition)
                if condition == 0:
                    del self.open[name]
                elif found is not None:
                    q, value = found
                    del self.open[name]
                    self.solved = {p: expr.xreplace({q: value}) for p, expr in self.solved.items()} | {q: value}
                    progress = True

    def settled(self, name: str, condition: Expr) -> Expr:
        """Return a condition in which solved coordinates were put in; zero if it follows from the solved conditions."""
        condition = se.expand(condition)
        if condition.free_symbols & self.moving:
            return condition
        left = self.value(condition)
        sizes = [abs(self.value(term) or 0.0) for term in (condition.args if condition.is_Add else (condition,))]
        if left is not None and abs(left) > _ROUNDING * max(1.0, *sizes):
            text = f"constraint `{name}` cannot hold beside the others: it is off by {left:.3g} for every motion"
            raise ModelError(f"{text}. Remove or correct one of them")
        return ZERO

    def solution(self, condition: Expr) -> tuple[Expr, Expr] | None:
        """Find a coordinate that appears linearly with a constant factor, and solve for it.

        The last one in the order of the coordinates is taken: bodies are listed from the ground outwards. Those with an
        initial value, and those in the conditions that are kept, are taken only if there is no other.
        """
        if len(self.solved) == self.system.mechanical - 1:
            return None  # a system needs a coordinate
        lifted, best = self.calculus.lift(condition), None
        for q in self.calculus.depends(lifted) - {self.t}:
            slope = self.calculus.diff(lifted, q)
            if q.name in self.keep or self.calculus.depends(slope) or not self.value(slope):
                continue
            if best is None or self.rank[q] < self.rank[best[0]]:
                best = q, slope
        if best is None:
            return None
        q, slope = best
        rest = condition.xreplace({q: ZERO})
        return q, se.expand(-rest / slope)

    def value(self, expr: Expr) -> float | None:
        """Return the value of an expression of parameters."""
        return number(expr.xreplace({p: se.RealDouble(self.values[p]) for p in expr.free_symbols if p in self.values}))

    # --- putting in --------------------------------------------------------------------------------------------------

    def put(self, expr: Expr, values: Mapping[Expr, Expr] | None = None) -> Expr:
        """Put the solved coordinates into an expression."""
        values = self.solved if values is None else values
        expr = self.exact(expr)
        used = expr.free_symbols & values.keys()
        return expr.xreplace({symbol: values[symbol] for symbol in used}) if used else expr

    def exact(self, expr: Expr) -> Expr:
        """Return an expression in which decimals are exact numbers, so that what cancels leaves nothing."""
        found = exact(expr)
        self.decimals = self.decimals or found != expr
        return found

    def written(self, expr: Any) -> Any:
        """Return a result, or several, with decimals as the user wrote them."""
        if isinstance(expr, dict):
            return {name: self.written(part) for name, part in expr.items()}
        if isinstance(expr, (list, tuple)):
            return [self.written(part) for part in expr]
        return decimal(expr) if self.decimals and isinstance(expr, se.Basic) else expr

    def rate(self, expr: Expr) -> Expr:
        """Differentiate an expression of the coordinates that stay, and their velocities, by time."""
        lifted = self.calculus.lift(expr)
        used = self.calculus.depends(lifted)
        terms = [self.calculus.diff(lifted, q) * self.v[name] for name, q in self.q.items() if q in used]
        if self.t in used:
            terms.append(self.calculus.diff(lifted, self.t))
        return self.calculus.lower(se.Add(*terms))

    def slopes(self, q: Expr) -> dict[str, Expr]:
        """Return ∂q/∂(coordinates that stay)."""
        if q not in self.solved:
            return {q.name: ONE}
        speed = self.speeds[self.v[q.name]]
        return {name: speed.diff(v) for name, v in self.v.items() if v in speed.free_symbols}

    @property
    def left(self) -> list[str]:
        """The names of the coordinates that stay."""
        return [name for name, q in self.q.items() if q not in self.solved]

    def reduced(self) -> System:
        """Return the system in the coordinates that stay."""
        from dalembert.model.system import System

        system = self.system
        left = [name for name in self.left if not is_integral(name)]
        parts: dict[str, Any] = {"coordinates": left, "constraints": self.constraints(), "forces": self.forces()}
        parts |= {"parameters": system.parameters, "simulation": system.simulation, "name": system.name}
        if system.kinetic is not None:
            parts["kinetic"] = shortened(self.put(system.kinetic, self.everything), len(self.left))
            parts["potential"] = None if system.potential is None else self.put(system.potential)
        else:
            parts["mass"], parts["force"] = self.matrices()
        parts["initial"], parts["guess"] = self.start()
        parts["symbols"] = {name: s for name, s in system.symbols.items() if self.q.get(name) not in self.solved}
        if system.drawing is not None:
            parts["drawing"] = system.drawing.map(lambda expr: self.written(se.expand(self.put(expr))))
        if system.sections:
            values = self.with_accelerations()
            parts |= system.put_sections(lambda expr: self.written(self.put(expr, values)))
            if system.frictions:
                parts["friction"] = self.frictions(left)
            if system.contacts:
                parts["contacts"] = plain_contacts(system, lambda expr: self.written(self.put(expr, self.everything)))
        computed = ("constraints", "forces", "kinetic", "potential", "mass", "force")
        parts |= {name: self.written(part) for name, part in parts.items() if name in computed}
        return System(**parts)

    def constraints(self) -> dict[str, Expr]:
        """Return the conditions that are left; of those on velocities and accelerations, what they become."""
        bent = any(constraint.level == "acceleration" for constraint in self.system.constraints)
        values = self.with_accelerations() if bent else self.everything
        left = {}
        for constraint in self.system.constraints:
            name = constraint.name
            if constraint.level != "position" or name in self.open:
                condition = self.settled(name, self.put(constraint.expression, values))
                if condition != 0:
                    left[name] = condition
                elif name in self.keep:
                    raise ModelError(f"constraint `{name}` follows from the others: its reaction is not determinate")
        return left

    def with_accelerations(self) -> dict[Expr, Expr]:
        """Return what stands in place of the solved coordinates, their velocities and accelerations."""
        return {**self.everything, **{self.a[q.name]: self.acceleration(q) for q in self.solved}}

    def acceleration(self, q: Expr) -> Expr:
        """Return the acceleration of a solved coordinate."""
        return se.Add(self.rate(self.speeds[self.v[q.name]]), *[s * self.a[name] for name, s in self.slopes(q).items()])

    def forces(self) -> dict[str, Expr]:
        """Return the forces on the coordinates that stay: those on the others act on them by their virtual work."""
        forces: dict[str, list[Expr]] = {}
        for name, force in without_frictions(self.system).items():
            if is_integral(name):
                continue  # the rate of a state, which stays one
            for other, slope in self.slopes(self.q[name]).items():
                forces.setdefault(other, []).append(self.put(force, self.everything) * slope)
        return {name: se.Add(*terms) for name, terms in forces.items()}

    def frictions(self, left: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return friction in the coordinates that stay: it sticks and slides as before."""
        found = plain_frictions(self.system, lambda expr: self.written(self.put(expr, self.everything)))
        for name, kept in found.items():
            slips = kept["slip"] if isinstance(kept["slip"], list) else [kept["slip"]]
            if all(is_linear(slip, left) for slip in slips) and not depend(slips, left, self.values):
                continue
            used = {symbol for slip in self.system.frictions[name].slips for symbol in slip.free_symbols}
            gone = sorted(q.name for q in self.solved if used & {q, self.v[q.name]})
            what = "velocity is no longer one" if len(slips) == 1 else "velocities depend on each other"
            text = f"friction `{name}` cannot be carried over: its sliding {what} once {quoted(gone)}"
            raise ModelError(f"{text} {'is' if len(gone) == 1 else 'are'} solved for. Name one of them in `keep`")
        return found

    def matrices(self) -> tuple[list[list[Expr]], list[Expr]]:
        """Return Jᵀ M J and Jᵀ (f − M J̇ ż), where q̇ = J ż + … ."""
        system, left = self.system, [name for name in self.left if not is_integral(name)]
        slopes = [self.slopes(q) for name, q in self.q.items() if not is_integral(name)]
        J = se.DenseMatrix(len(slopes), len(left), [row.get(name, ZERO) for row in slopes for name in left])
        solved = [(q, q in self.solved) for name, q in self.q.items() if not is_integral(name)]
        bend = [self.rate(self.speeds[self.v[q.name]]) if known else ZERO for q, known in solved]
        n = len(slopes)
        M = se.DenseMatrix(n, n, [self.put(entry, self.everything) for row in system.mass or () for entry in row])
        f = se.DenseMatrix(n, 1, [self.put(entry, self.everything) for entry in system.force or ()])
        mass, force = J.T * M * J, J.T * (f - M * se.DenseMatrix(n, 1, bend))
        count = range(len(left))
        return [[se.expand(mass[i, j]) for j in count] for i in count], [se.expand(force[i, 0]) for i in count]

    def start(self) -> tuple[dict[str, Expr], dict[str, Expr]]:
        """Return initial values and guesses of the coordinates that stay.

        Where a solved coordinate had an initial value, those that stay start in the state that belongs to it.
        """
        system, stays = self.system, set(self.left)
        initial = {name: value for name, value in system.initial.items() if name.rstrip("'") in stays}
        guess = {name: value for name, value in system.guess.items() if name.rstrip("'") in stays}
        if len(initial) < len(system.initial) and has_values(system):
            state = system.start().as_dict()
            initial |= {
                name: value for name, value in state.items() if name.rstrip("'") in stays | system.states.keys()
            }
        return initial, guess
