"""Programmes that are held by controls: which conditions they ask for, and by what forces those hold.

M q̈ = f + Aᵀλ + E u with the passive constraints A q̈ = c and the programmes B q̈ = b is a set of equations for q̈, λ, u,

    K [q̈; λ; u] = [f; c; b],   K = [[M, −Aᵀ, −E], [A, 0, 0], [B, 0, 0]].

Where K is regular, that is all. Where it is not, every w with wᵀK = 0 gives a condition without u, wᵀ[f; c; b] = 0,
which is hidden in the programmes: differentiated, it takes the place of a row of B that stands in it, until K is
regular. All conditions are rows of the system then. Those that were replaced hold by themselves where the hidden ones
do, so that a force along N = M w_M, which the controls cannot reach, need only make up for rounding: with the w of all
hidden conditions the matrix (wᵢᵀ M wⱼ) is regular, as the rows are independent, and so are the equations with all rows.

In the system u and these forces are the multipliers of the rows, ρ = E u + N μ less what ideal reactions would be.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.errors import ModelError, Problem
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import ZERO, Calculus
from dalembert.language.table_functions import calls_in
from dalembert.language.time_derivatives import rate
from dalembert.model.constraint import LEVELS, Constraint
from dalembert.model.facts import STRUCTURE, Survey
from dalembert.model.feed_forward import led_in
from dalembert.model.quantity import multiplier
from dalembert.model.sections.programme import STATED_FORCES, meant_programmes
from dalembert.model.sections.tables import curve_of
from dalembert.survey.collected import collected
from dalembert.survey.servo_least import combined, put_alone
from dalembert.survey.servo_led import put_forward, without_laws
from dalembert.survey.servo_stage import ServoRow, ServoStage

if TYPE_CHECKING:
    from dalembert.model.system import System

_STEERING = ("steering",)


@dataclass(frozen=True)
class Steering:
    """What was found out about the programmes of a system.

    hidden: the conditions that follow from them, by name. orders: how many derivatives by time of each programme the
    controls take. states: how many numbers of the state the programmes leave free, the internal states. held: whether
    they are conditions on the motion; else laws of the controls ask what they take.
    """

    controls: tuple[str, ...]
    hidden: tuple[str, ...]
    orders: Mapping[str, int]
    states: int
    held: bool = True


def steering_of(system: System) -> Steering | None:
    """Return what was found out about the programmes of a system; None if it has none, or they contradict others."""
    return system.written.survey.known[STRUCTURE].get(_STEERING)


def steered(system: System) -> dict[str, Any]:
    """Return constraints and forces of a system that was read, with what its programmes ask for."""
    led = led_in(system.sections)
    search = ServoSearch(without_laws(system, led) if led else system, on_path=not led)
    try:
        if led:
            found = put_forward(system, led, search)
            system.survey.known[STRUCTURE][_STEERING] = search.steering
            return found
        system.survey.known[STRUCTURE][STATED_FORCES] = system.forces
        more = search.run()
    except ModelError as error:
        raise ModelError(system.located(problem) for problem in error.problems) from None
    if search.steering is not None:
        system.survey.known[STRUCTURE][_STEERING] = search.steering
    for name, value in more.items():
        object.__setattr__(system, name, value)
    return {**more, "constraints": search.constraints, "forces": search.forces()}


class ServoSearch:
    """Looks for the conditions that are hidden in programmes."""

    def __init__(self, system: System, on_path: bool = True):
        self.system, self.controls, self.on_path = system, list(system.holding), on_path
        self.stage: ServoStage | None = None  # the last one
        self.acting = list(system.holding.values())  # whose multipliers stand for controls
        self.several = len(self.controls) > len(system.sections["programme"])
        taken = {constraint.name for constraint in system.constraints} | getattr(system, "joints", {}).keys()
        self.rows: list[ServoRow] = []
        self.known: dict[Expr, Expr] = {}  # what conditions say of single coordinates and velocities
        self.programmes = meant_programmes(system)
        for name, expr in self.programmes.items():
            if name in taken:
                text = f"`{name}` is also the name of a constraint or a joint; rename one of them"
                raise ModelError(system.located(Problem(text, key=("programme", name))))
            read = self.condition(name, expr, ("programme", name))
            self.add(ServoRow(read, {name: 2 - LEVELS.index(read.level)}))
        self.active = list(range(len(self.rows)))  # the rows that give the accelerations
        self.steering: Steering | None = None
        self.plain = False  # whether formulas have grown so large that they are no longer multiplied out

    def add(self, row: ServoRow) -> None:
        """Add a condition; what it says of one coordinate or velocity is put in from now on, which keeps others short.

        That is a coordinate that follows from the time alone, or a velocity that follows from positions and time.
        """
        self.rows.append(row)
        if not self.on_path:
            return
        expr, names = row.constraint.expression.xreplace(self.known), self.system.coordinates
        q, v = ({se.Symbol(name + prime) for name in names} & expr.free_symbols for prime in ("", "'"))
        if len(found := v or q) != 1 or any(se.Symbol(f"{name}''") in expr.free_symbols for name in names):
            return
        (symbol,), t = found, se.Symbol(TIME)
        calculus = Calculus([symbol])
        slope = calculus.lower(calculus.diff(calculus.lift(expr), symbol))
        if slope == 0 or slope.free_symbols & {*q, *v, t}:
            return
        rest = expr.xreplace({symbol: ZERO})
        if alone := not v or not q:
            rest = collected(rest, t)
            self.rows[-1] = replace(row, constraint=replace(row.constraint, expression=slope * symbol + rest))
        self.known[symbol] = value = collected(-rest / slope, t) if alone else -rest / slope
        if not v:
            self.known[se.Symbol(f"{symbol.name}'")] = collected(rate(value, ()), t)
        self.known = {one: meant.xreplace({symbol: value}) for one, meant in self.known.items()}

    def condition(self, name: str, expr: Expr, key: tuple[str, ...]) -> Constraint:
        """Read a condition that controls hold."""
        try:
            return replace(Constraint.read(name, expr, frozenset(self.system.coordinates)), steered=True)
        except ModelError as error:
            text = error.problems[0].text.replace("constraint `", "programme `", 1)
            raise ModelError(self.system.located(Problem(text, key=key))) from None

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """All conditions: the passive ones, the programmes, and what is hidden in these."""
        return (*self.system.constraints, *(row.constraint for row in self.rows))

    def run(self) -> dict[str, Any]:
        """Find what is hidden, until K is regular; return what else changes of the system."""
        names = self.system.sections["programme"]
        self.refuse_idle_names()
        while True:
            try:
                stage = ServoStage(self)
            except ModelError:  # what cannot hold is named by those who look for the start
                return put_alone(self.system) if self.several else {}
            stage.refuse_shared(names)
            if not stage.holds_itself():
                return put_alone(self.system) if self.several else {}  # the check says what lacks inertia
            if not (free := stage.without_control()):
                break
            stage.find(free)
        orders = {n: max(self.rows[k].orders.get(n, 0) for k in self.active) for n in names}
        self._refuse_tables(orders)
        self.stage = stage
        self.steering = Steering(
            tuple(self.system.holding),
            tuple(row.constraint.name for row in self.rows[len(names) :]),
            MappingProxyType(orders),
            stage.states(),
            self.on_path,
        )
        return combined(stage) if self.several else {}

    def refuse_idle_names(self) -> None:
        """Refuse controls that stand in no force."""
        for control, acting in zip(self.controls, self.acting, strict=True):
            if not any(multiplier(acting) in force.free_symbols for force in self._given_forces()):
                text = f"it holds a programme, but acts nowhere; say where it acts, as in acts = {{{self._some} = 1}}"
                raise ModelError(Problem(f"control `{control}`: {text}", key=("controls", control)))

    def _refuse_tables(self, orders: Mapping[str, int]) -> None:
        """Refuse tables that are not smooth enough at their points."""
        tables = self.system.sections.get("tables", {})
        for name, order in orders.items():
            for table, _ in calls_in([self.programmes[name]]):
                if table in tables and (smooth := curve_of(tables[table]).smooth) < order - 1:
                    text = f"programme `{name}` takes {order - 1} derivatives that do not jump, and table `{table}` has"
                    text += f" {smooth if smooth else 'none'}; write the path as an expression"
                    raise ModelError(Problem(text, key=("programme", name)))

    @property
    def _some(self) -> str:
        return self.system.coordinates[0]

    def _given_forces(self) -> list[Expr]:
        return [*self.system.forces.values(), *(self.system.force or ())]

    def made(self) -> System:
        """Return the system with all rows that are known as constraints."""
        made: Any = object.__new__(type(self.system))
        for part in fields(type(self.system)):
            object.__setattr__(made, part.name, getattr(self.system, part.name))
        object.__setattr__(made, "constraints", self.constraints)
        object.__setattr__(made, "survey", Survey())
        return made

    def forces(self) -> Mapping[str, Expr]:
        """Return the forces with N μ, and less the ideal reactions of all rows."""
        coordinates = self.system.coordinates
        found = {name: [force] for name, force in self.system.forces.items()}
        A = self.made().blocks.A
        first = len(self.system.constraints)
        for k, row in enumerate(self.rows):
            size = multiplier(row.constraint.name)
            for j, part in row.push.items():
                found.setdefault(coordinates[j], []).append(part * size)
            for (i, j), entry in A.items():
                if i == first + k:
                    found.setdefault(coordinates[j], []).append(-entry * size)
        return MappingProxyType({name: se.Add(*terms) for name, terms in found.items()})
