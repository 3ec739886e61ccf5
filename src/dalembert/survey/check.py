"""Everything that can be said of a system before its motion: freedom, redundancy, contradictions, classes, inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

from dalembert.algebra.either import lengths, scaled_rows
from dalembert.algebra.rank import RANK, Scale, is_positive, null_space, rank
from dalembert.algebra.saddle import Saddle
from dalembert.arrays import Array
from dalembert.blocks.numeric import Numeric, Values, has_values, numeric_of, pilot_numeric_of
from dalembert.errors import ModelError, Problem, quoted
from dalembert.language.state_names import as_written, is_integral
from dalembert.model.facts import START, fact
from dalembert.model.modes import in_modes
from dalembert.model.sections.base import expressions_in
from dalembert.model.sections.functions import left_open
from dalembert.survey.configurations import (
    Configuration,
    beginning,
    column_sizes,
    finite_values,
    off_manifold,
    places_of,
)
from dalembert.survey.contact_values import begins_inside, contact_problems, flat_gaps
from dalembert.survey.friction_values import friction_problems, frictions_at_start
from dalembert.survey.integrability import Integrability, find_integrable, linear_constraints
from dalembert.survey.outcome import Check
from dalembert.survey.paradox import paradoxes, undetermined
from dalembert.survey.redundancy import DEPENDENT, Redundancy, redundancies_of
from dalembert.survey.servo_words import programme_problems
from dalembert.survey.start import State, noted_start, ordinary_start, solved_start, start_of

if TYPE_CHECKING:
    from dalembert.model.system import System

_SMALL = 1e-9
_MET = 1e-6  # part of c that accelerations must leave, before contradictions are looked for


@fact(START)
def check(system: System) -> Check:
    """Examine a system; everything found is reported at once, nothing is raised."""
    return system.examination().outcome()


@fact(START)
def contradictions(system: System) -> list[Problem]:
    """Find what contradicts itself in the equations at the start: cheap where nothing points to that."""
    if wrong := friction_problems(system) or frictions_at_start(system) or contact_problems(system):
        return wrong
    numeric, state = numeric_of(system), start_of(system)
    examination = system.examination()
    for problem in examination.misfits(numeric, state):
        examination.report("error", problem.text, *problem.key)
    if examination.problems:
        return examination.problems
    suspect, is_plain = False, len(numeric.kinematic) == numeric.s and system.mass is None
    if is_plain and (ordinary_start(system) or solved_start(system)[1].level.regular):
        return []  # independent rows contradict nothing
    if system.mass is not None:
        suspect = bool(Examination(system).asymmetric([numeric.all(state.t, state.q, state.v)]))
    values = numeric.all(state.t, state.q, state.v, numeric.small)
    if values.finite() and not suspect and len(values.c):
        sizes = lengths(values.A)
        known = np.where(sizes > 0, sizes, 1.0)
        rows, c = scaled_rows(1.0 / known, values.A), np.where(sizes > 0, values.c / known, 0.0)
        if numeric.small:
            a = np.linalg.lstsq(rows, c, rcond=RANK)[0]
        else:
            a = Saddle(sp.eye_array(numeric.n), rows).solve(np.zeros(numeric.n), c)[0]
        suspect = bool(np.abs(rows @ a - c).max() > _MET * (np.abs(c).max() or 1.0))
    if not suspect:  # at a singular position it need not mean anything
        return []
    return [p for p in check(system).problems if p.severity == "error" and p.key[:1] != ("simulate",)]


def refuse_contradictions(system: System) -> None:
    """Raise ModelError if the equations contradict themselves at the start."""
    if problems := contradictions(system):
        raise ModelError(problems)


class Examination:
    """Finds out one thing after the other; what kind of system it is may change what is said."""

    def __init__(self, system: System):
        self.system = system
        self.problems: list[Problem] = []
        self.names = [constraint.name for constraint in system.constraints]
        self.state: State | None = None
        self.of_states = 0  # conditions that hold states, not what moves

    def report(self, severity: str, text: str, *key: str) -> None:
        """Note something about an entry of the model."""
        if len(key) == 2 and key[0] == "constraints":
            key = self.system.entry(key[1])
        self.problems.append(self.system.located(Problem(text, severity, key=key)))

    def outcome(self) -> Check:
        """Examine the system as far as what is found allows."""
        system = self.system
        try:
            numeric = pilot_numeric_of(system)
        except ModelError as error:  # the blocks could not be derived
            for problem in error.problems:
                self.report("error", problem.text, *problem.key)
            return self.result()
        missing = [name for name, value in system.parameters.items() if value is None]
        if missing:
            have = "has" if len(missing) == 1 else "have"
            told = f"{quoted(missing)} {have} no value: random ones were used for this check"
            self.report("note", told, "parameters")
        if functions := left_open(system):
            place = "its place" if len(functions) == 1 else "their place"
            waves = f"{quoted(functions)} without a value: a wave was taken in {place} for this check"
            self.report("note", waves, "functions")
        self.problems += [*friction_problems(system), *programme_problems(system), *contact_problems(system)]
        self.unused()
        self.settings()
        start = self.start(numeric)
        if start is None:
            return self.result()
        self.jumps(start)
        here = numeric.all(start.t, start.q, start.v)
        if not here.finite():
            self.report("error", self.not_finite(here), "constraints")
            return self.result()
        self.energies(numeric, start)
        try:
            places = places_of(system)
        except ModelError as error:  # the constraints hold at the start, but not afterwards
            self.contradiction(error)
            return self.result()
        self.held(numeric, [start, *places])
        values = [numeric.all(place.t, place.q, place.v) for place in places]
        elsewhere = finite_values(numeric, off_manifold(numeric, places))
        scale = Scale([v.A for v in (here, *values, *elsewhere)], column_sizes(numeric, [start, *places]))
        generic = max(rank(scale.apply(v.A)) for v in values)
        found: list[Redundancy] = []
        if generic < len(self.names):
            guilty = self.contradictory_accelerations(values, scale)
            found = [r for r in redundancies_of(system) if r.name not in guilty]
            self.redundant(found, numeric, [start, *places])
            self.unexplained(len(self.names) - generic - len(guilty) - len(found))
        if self.system.states and self.system.holding:
            self.of_states = generic - max(rank(scale.apply(v.A)[:, : self.system.mechanical]) for v in values)
        at_start = rank(scale.apply(here.A))
        if at_start < generic:
            text = f"the initial position is singular: the constraints have rank {at_start} there and {generic} nearby"
            self.report("warning", text, "initial")
        self.inertia([here, *values])
        self.followed(numeric, start, places)
        integrability = find_integrable(numeric, places)
        self.integrable(integrability)
        return self.result(generic, found, integrability.integrable)

    def result(
        self,
        rank: int | None = None,
        redundancies: Sequence[Redundancy] = (),
        integrable: dict[int, bool] | None = None,
    ) -> Check:
        """Put the outcome together; the rank is None where it could not be determined."""
        freedom = None if rank is None else self.system.mechanical - rank + self.of_states
        classes = self.classes(integrable or {})
        return Check(self.system, rank, freedom, tuple(redundancies), classes, tuple(self.problems), self.state)

    # --- the parts ---------------------------------------------------------------------------------------------------

    def held(self, numeric: Numeric, places: Sequence[Configuration]) -> None:
        """Look at what must stay as it is where parts move; in mechanisms there is more to say."""

    def start(self, numeric: Numeric) -> Configuration | None:
        """Find the initial state; if it contradicts the constraints, report that and go on from where they hold."""
        try:
            state = noted_start(self.system)
        except ModelError as error:
            if self.system.simulation.get("keep") == "stabilise" and (off := self.kept_off()):
                return off
            self.contradiction(error)
        else:
            for note in state.notes:
                self.report("note", note, "initial")
            self.state = state
            inside = begins_inside(self.system, state.t, state.q, numeric.parameters)
            self.problems += [*inside, *flat_gaps(self.system)]
            return Configuration(state.t, state.q, state.v)
        try:  # the fixed values are a good guess for the rest of the check
            return beginning(self.system)
        except ModelError:
            return None

    def kept_off(self) -> Configuration | None:
        """Note a start off the constraints, which `stabilise` takes as it is; None if there is none."""
        from dalembert.survey.offset_start import offset_start

        try:
            state = offset_start(self.system)
        except ModelError:
            return None
        self.report("warning", f"the initial values contradict constraints, and are kept: {state.off}", "initial")
        self.state = state
        return Configuration(state.t, state.q, state.v)

    def misfits(self, numeric: Numeric, state: State) -> list[Problem]:
        """Find what does not fit in the initial position; only parts can fit or not."""
        return []

    def contradiction(self, error: ModelError) -> None:
        """Report what cannot hold; with random values of parameters that is no mistake."""
        if has_values(self.system):
            for problem in error.problems:
                self.report("error", problem.text, *problem.key)
        else:
            self.report("note", f"with random values: {error.problems[0].text}", "parameters")

    def not_finite(self, values: Values) -> str:
        """Name the equations that have no finite value."""
        bad = [
            as_written(f"{name}'") if is_integral(name) else name
            for i, name in enumerate(self.system.coordinates)
            if not (np.all(np.isfinite(values.M[[i]].data)) and np.isfinite(values.f[i]))
        ]
        bad += [
            name
            for i, name in enumerate(self.names)
            if not (np.all(np.isfinite(values.A[[i]].data)) and np.isfinite(values.c[i]))
        ]
        reason = "(a division by zero, or a root of something negative?)"
        return f"the equations of {quoted(bad[:8])} are not finite at the initial state {reason}"

    def energies(self, numeric: Numeric, start: Configuration) -> None:
        """Report energies that have no value where their slopes have one, as the logarithm of something negative."""
        for kind, energy in (("kinetic", self.system.kinetic), ("potential", self.system.potential)):
            if energy is None:
                continue
            value = numeric.evaluate(numeric.program([energy]), start.t, start.q, start.v)[0]
            if np.isfinite(value):
                continue
            text = f"the {kind} energy has no finite value at the initial state (a logarithm of something negative?)"
            self.report("warning", f"{text}, though its slopes have: no motion can be judged by it", "energy", kind)

    def redundant(self, redundancies: Sequence[Redundancy], numeric: Numeric, places: Sequence[Configuration]) -> None:
        """Report what is redundant; the first of the places is the initial position."""
        for redundancy in redundancies:
            self.report("note", f"redundant: {redundancy}", "constraints", redundancy.name)

    def unexplained(self, count: int) -> None:
        """Report that more is redundant than could be named."""
        if count > 0:
            text = f"{count} more constraints are redundant, but not the same ones everywhere"
            self.report("note", text, "constraints")

    def contradictory_accelerations(self, values: Sequence[Values], scale: Scale) -> set[str]:
        """A q̈ = c must be solvable: it is not if redundant constraints ask for different accelerations.

        A constraint without gradient asks for none: its c is not to be met by anything.
        """
        for v in values:
            A, c = scale.apply(v.A).toarray(), v.c / scale.rows
            sloped = np.flatnonzero(np.linalg.norm(A, axis=1) > DEPENDENT)
            A, c = A[sloped], c[sloped]
            left = c - A @ np.linalg.lstsq(A, c, rcond=RANK)[0]
            if np.abs(left).max(initial=0.0) > 1e-6 * (1 + np.abs(c).max(initial=0.0)):
                guilty = np.flatnonzero(np.abs(left) > 1e-3 * np.abs(left).max())
                names = [self.names[sloped[k]] for k in guilty]
                off = left * scale.rows[sloped]
                parts = [f"`{name}` is off by {off[k]:.3g}" for name, k in zip(names, guilty, strict=True)]
                verb = "asks" if len(names) == 1 else "ask"
                text = f"{quoted(names[:8])} {verb} for different accelerations: {', '.join(parts[:8])}. "
                self.report("error", text + "Remove or correct one of them", "constraints", names[-1])
                return set(names)
        return set()

    def inertia(self, values: Sequence[Values]) -> None:
        """Report what is wrong with the mass matrix on the motions that the constraints allow."""
        names = self.system.coordinates
        key = ("matrices", "mass") if self.system.mass is not None else ("energy", "kinetic")
        for i, j in self.asymmetric(values):
            entries = f"({names[i]}, {names[j]}) and ({names[j]}, {names[i]})"
            self.report("error", f"the mass matrix is not symmetric: entries {entries} differ", *key)
            return
        massless = [name for i, name in enumerate(names) if all(not v.M[[i]].count_nonzero() for v in values)]
        if massless:
            verb = "has" if len(massless) == 1 else "have"
            self.report("note", f"{quoted(massless)} {verb} no inertia", *key)
        for v in values:
            if is_positive(v.M, 1e-10):
                continue
            sizes = np.abs(v.M.diagonal())
            known = sizes[sizes > 1e-25 * sizes.max()]
            units = 1.0 / np.sqrt(np.maximum(sizes, known.min() if known.size else 1.0))
            D = null_space(v.A @ sp.diags_array(units))
            mass = (v.M + v.M.T).toarray() / 2 * units * units[:, None]
            eigenvalues, vectors = np.linalg.eigh(D.T @ mass @ D)
            if eigenvalues.size and eigenvalues[0] <= 1e-12:
                self.report("error", self.no_inertia(eigenvalues[0], units * (D @ vectors[:, 0])), *key)
                return

    def no_inertia(self, eigenvalue: float, direction: Array) -> str:
        """Say what moves without inertia."""
        names, sizes = self.system.coordinates, np.abs(direction)
        moving = quoted([names[i] for i in np.argsort(-sizes) if sizes[i] > 1e-3 * sizes.max()][:6])
        where = f"against a motion of {moving} that the constraints allow"
        if eigenvalue < -1e-10:
            return f"negative inertia {where}: the kinetic energy must be positive. Check its signs"
        return (
            f"no inertia {where}: the accelerations are not determined. "
            "Give these coordinates mass, or add the constraints that hold them"
        )

    def followed(self, numeric: Numeric, start: Configuration, places: Sequence[Configuration]) -> None:
        """Report forces that depend on reactions where these have no solution, or several, or are not determinate."""
        moving = in_modes(self.system)  # what is at rest may slide
        shared = frictions_at_start(self.system) or undetermined(moving)
        self.problems += shared
        numeric = numeric if moving is self.system else numeric_of(moving)
        for severity, text in [] if shared else paradoxes(numeric, start, places):
            self.report(severity if has_values(self.system) else "note", text, "forces")

    def asymmetric(self, values: Sequence[Values]) -> list[tuple[int, int]]:
        """Find entries that differ, measured by themselves and by the masses that they couple, not by others."""
        for v in values:
            roots = sp.diags_array(np.sqrt(np.abs(v.M.diagonal())))
            entries = abs(v.M).maximum(abs(v.M.T))
            sizes = entries.maximum(roots @ entries.sign() @ roots)
            rows, columns = (abs(v.M - v.M.T) > _SMALL * sizes).nonzero()
            if len(rows):
                return [(int(rows[0]), int(columns[0]))]
        return []

    def unused(self) -> None:
        """Report parameters that appear nowhere."""
        system = self.system
        used: set[str] = set()
        expressions = [
            system.kinetic,
            system.potential,
            *(entry for row in system.mass or () for entry in row),
            *(system.force or ()),
            *system.forces.values(),
        ]
        expressions += [constraint.expression for constraint in system.constraints]
        expressions += [*system.initial.values(), *system.guess.values()]
        if system.drawing is not None:
            expressions += system.drawing.expressions
        expressions += [*expressions_in(system.sections), *getattr(system, "gravity", ())]
        for expression in expressions:
            if expression is not None:
                used |= {symbol.name for symbol in expression.free_symbols}
        for name in system.parameters:
            if name not in used:
                self.report("warning", f"parameter `{name}` is not used", "parameters", name)

    def settings(self) -> None:
        """Report what does not go together in the model's own settings of the simulation."""
        from dalembert.motion.conflicts import complete, conflicts

        if self.system.simulation:
            for name, text in conflicts(self.system, complete(self.system.simulation)):
                self.report("error", f"in [simulate]: {text}", "simulate", name)

    def jumps(self, start: Configuration) -> None:
        """Report conditions of programmes that jump on the way, whose paths are not smooth enough."""
        from dalembert.motion.crossing import path_jumps

        if self.system.holding and has_values(self.system):
            for problem in path_jumps(self.system, start.t, start.q, start.v):
                self.report("error", problem.text, *problem.key)

    def integrable(self, found: Integrability) -> None:
        """Report constraints on velocities that are holonomic."""
        if found.combined:
            names = quoted(self.names[i] for i in found.combined)
            text = f"a combination of {names} is integrable, though none of them is"
            self.report("note", text, "constraints", self.names[found.combined[0]])
        own = {constraint.name for constraint in self.system.constraints if not constraint.steered}
        disguised = [self.names[i] for i, value in found.integrable.items() if value and self.names[i] in own]
        if disguised:
            verb = "is" if len(disguised) == 1 else "are together"
            self.report(
                "note",
                f"{quoted(disguised)} {verb} integrable: holonomic, written with velocities",
                "constraints",
                disguised[0],
            )

    def classes(self, integrable: dict[int, bool]) -> dict[str, dict[str, Any]]:
        """Return what kind each constraint is."""
        linear = linear_constraints(self.system)
        return {
            c.name: {"level": c.level, "linear": linear[i], "time": c.time, "integrable": integrable.get(i)}
            for i, c in enumerate(self.system.constraints)
        }
