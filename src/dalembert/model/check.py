"""Everything that can be said of a system before its motion: freedom, redundancy, contradictions, classes, inertia."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.algebra.rank import is_positive, null_space, rank, unit_rows
from dalembert.errors import ModelError, Problem, quoted
from dalembert.model.integrability import integrable_constraints
from dalembert.model.numeric import Numeric, Values
from dalembert.model.pilot import Configuration, configurations, pilot_parameters
from dalembert.model.redundancy import Redundancy, find_redundancies
from dalembert.model.start import State, consistent_state

if TYPE_CHECKING:
    from dalembert.model.system import System

_SMALL = 1e-9


@dataclass(frozen=True)
class Check:
    """The outcome of a check; prints as text, `as_dict()` is what `dalembert check --json` prints."""

    system: System
    rank: int
    degrees_of_freedom: int
    redundancies: tuple[Redundancy, ...]
    classes: dict[str, dict[str, Any]]
    problems: tuple[Problem, ...]
    state: State | None

    @property
    def ok(self) -> bool:
        """Whether nothing is in the way of deriving and simulating the system."""
        return not any(problem.severity == "error" for problem in self.problems)

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as plain data."""
        return {
            "coordinates": len(self.system.coordinates),
            "constraints": len(self.system.constraints),
            "rank": self.rank,
            "degrees_of_freedom": self.degrees_of_freedom,
            "redundant": {r.name: list(r.others) for r in self.redundancies},
            "classes": self.classes,
            "problems": [{"severity": p.severity, "text": p.text, "line": p.line} for p in self.problems],
        }

    def __str__(self) -> str:
        n, s, m = len(self.system.coordinates), len(self.system.constraints), self.degrees_of_freedom
        lines = [
            self.system.name or "A system",
            f"  {_count(n, 'coordinate')}, {_count(s, 'constraint')} of rank {self.rank}: "
            f"{_count(m, 'degree')} of freedom",
        ]
        width = max((len(name) for name in self.classes), default=0)
        lines += [f"  {name:{width}}  {describe_class(kind)}" for name, kind in list(self.classes.items())[:12]]
        if len(self.classes) > 12:
            lines.append(f"  … and {len(self.classes) - 12} more")
        lines += [f"  {problem.severity}: {problem.text}" for problem in self.problems]
        return "\n".join(lines)


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def describe_class(kind: dict[str, Any]) -> str:
    """Say in words what kind of constraint it is."""
    words = {
        "position": "on positions (holonomic",
        "velocity": "on velocities (",
        "acceleration": "on accelerations (",
    }
    details = []
    if kind["level"] == "velocity":
        details.append("linear" if kind["linear"] else "nonlinear")
        if kind["integrable"] is not None:
            details.append("integrable: holonomic in disguise" if kind["integrable"] else "nonholonomic")
    if kind["time"]:
        details.append("depends on time")
    start = words[kind["level"]]
    if start.endswith("("):
        return start + ", ".join(details) + ")" if details else start[:-2]
    return start + "".join(f", {detail}" for detail in details) + ")"


def check(system: System) -> Check:
    """Examine a system; everything found is reported at once, nothing is raised."""
    return _Examination(system).outcome()


class _Examination:
    def __init__(self, system: System):
        self.system = system
        self.problems: list[Problem] = []
        self.names = [constraint.name for constraint in system.constraints]

    def report(self, severity: str, text: str, *key: str) -> None:
        source = self.system.source
        line = None
        if source is not None:
            line = next((source.lines[key[:k]] for k in range(len(key), 0, -1) if key[:k] in source.lines), None)
        file = source.file if source is not None else None
        self.problems.append(Problem(text, severity, file, line, key=key))

    def outcome(self) -> Check:
        system = self.system
        try:
            numeric = Numeric(system, pilot_parameters(system))
        except ModelError as error:  # the blocks could not be derived
            for problem in error.problems:
                self.report("error", problem.text, *problem.key)
            return Check(system, 0, len(system.coordinates), (), self.classes({}), tuple(self.problems), None)
        missing = [name for name, value in system.parameters.items() if value is None]
        if missing:
            have = "has" if len(missing) == 1 else "have"
            self.report(
                "note", f"{quoted(missing)} {have} no value: random ones were used for this check", "parameters"
            )
        state, start = self.start(numeric)
        places = configurations(numeric, start)
        values = [numeric.all(place.t, place.q, place.v) for place in places]
        if not all(v.finite() for v in values):
            self.report("error", self.not_finite(values), "constraints")
            return Check(system, 0, len(system.coordinates), (), self.classes({}), tuple(self.problems), state)
        generic = max((rank(v.A) for v in values), default=0)
        redundancies: list[Redundancy] = []
        if self.ok():
            redundancies = find_redundancies(numeric, places) if generic < len(self.names) else []
            self.redundant(redundancies, generic)
            self.singular_start(numeric, start, generic)
            if generic < len(self.names):
                self.contradictory_accelerations(values)
        self.inertia(values)
        self.unused()
        integrable = integrable_constraints(numeric, places) if self.ok() else {}
        self.integrable(integrable)
        freedom = len(system.coordinates) - generic
        return Check(
            system,
            generic,
            freedom,
            tuple(redundancies),
            self.classes(integrable),
            tuple(self.problems),
            state,
        )

    def ok(self) -> bool:
        return not any(problem.severity == "error" for problem in self.problems)

    # --- the parts ---------------------------------------------------------------------------------------------------

    def start(self, numeric: Numeric) -> tuple[State | None, Configuration]:
        """Find the initial state; if it contradicts the constraints, report that and go on from where they hold."""
        try:
            state = consistent_state(self.system, numeric)
        except ModelError as error:
            if all(value is not None for value in self.system.parameters.values()):
                for problem in error.problems:
                    self.report("error", problem.text, *problem.key)
            else:
                self.report("note", f"with random parameter values: {error.problems[0].text}", "parameters")
        else:
            for note in state.notes:
                self.report("note", note, "initial")
            return state, Configuration(state.t, state.q, state.v)
        n = numeric.n
        try:
            state = consistent_state(self.system, numeric, initial={})
            return None, Configuration(state.t, state.q, state.v)
        except ModelError:
            return None, Configuration(0.0, np.zeros(n), np.zeros(n))

    def not_finite(self, values: Sequence[Values]) -> str:
        bad = [
            name
            for i, name in enumerate(self.system.coordinates)
            if not all(np.all(np.isfinite(v.M[[i]].data)) and np.isfinite(v.f[i]) for v in values)
        ]
        bad += [
            name
            for i, name in enumerate(self.names)
            if not all(np.all(np.isfinite(v.A[[i]].data)) and np.isfinite(v.c[i]) for v in values)
        ]
        reason = "(a division by zero, or a root of something negative?)"
        return f"the equations of {quoted(bad[:8])} are not finite near the initial state {reason}"

    def redundant(self, redundancies: Sequence[Redundancy], generic: int) -> None:
        for redundancy in redundancies:
            self.report("note", f"redundant: {redundancy}", "constraints", redundancy.name)
        unexplained = len(self.names) - generic - len(redundancies)
        if unexplained > 0:
            self.report(
                "note",
                f"{unexplained} more constraints are redundant, but not the same ones everywhere",
                "constraints",
            )

    def singular_start(self, numeric: Numeric, start: Configuration, generic: int) -> None:
        here = rank(numeric.all(start.t, start.q, start.v).A)
        if here < generic:
            self.report(
                "warning",
                f"the initial position is singular: the constraints have rank {here} there and {generic} nearby",
                "initial",
            )

    def contradictory_accelerations(self, values: Sequence[Values]) -> None:
        """A q̈ = c must be solvable: it is not if redundant constraints ask for different accelerations."""
        for v in values:
            A = v.A.toarray()
            lengths = np.linalg.norm(A, axis=1)
            A = unit_rows(v.A).toarray()
            c = v.c / np.where(lengths > 0, lengths, 1.0)
            left = c - A @ np.linalg.lstsq(A, c, rcond=1e-9)[0]
            if np.abs(left).max() > 1e-6 * (1 + np.abs(c).max()):
                guilty = [i for i in range(len(left)) if abs(left[i]) > 1e-3 * np.abs(left).max()]
                off = ", ".join(f"`{self.names[i]}` is off by {left[i] * (lengths[i] or 1):.3g}" for i in guilty[:8])
                names = quoted(self.names[i] for i in guilty[:8])
                self.report(
                    "error",
                    f"{names} ask for different accelerations: {off}. Remove or correct one of them",
                    "constraints",
                    self.names[guilty[-1]],
                )
                return

    def inertia(self, values: Sequence[Values]) -> None:
        names = self.system.coordinates
        for i, j in self.asymmetric(values):
            entries = f"({names[i]}, {names[j]}) and ({names[j]}, {names[i]})"
            self.report("error", f"the mass matrix is not symmetric: entries {entries} differ", "matrices", "mass")
            return
        massless = [name for i, name in enumerate(names) if all(not v.M[[i]].count_nonzero() for v in values)]
        if massless:
            verb = "has" if len(massless) == 1 else "have"
            self.report("note", f"{quoted(massless[:8])} {verb} no inertia", "energy", "kinetic")
        for v in values:
            if is_positive(v.M, 1e-10):
                continue
            D = null_space(v.A)
            scale = abs(v.M).max() or 1.0
            eigenvalues, vectors = np.linalg.eigh(D.T @ ((v.M + v.M.T).toarray() / 2) @ D / scale)
            if eigenvalues.size and eigenvalues[0] <= 1e-12:
                direction = D @ vectors[:, 0]
                moving = [
                    names[i]
                    for i in np.argsort(-np.abs(direction))
                    if abs(direction[i]) > 1e-3 * np.abs(direction).max()
                ]
                kind = "no inertia" if eigenvalues[0] > -_SMALL else "negative inertia"
                self.report(
                    "error",
                    f"{kind} against a motion of {quoted(moving[:6])} that the constraints allow: the accelerations "
                    "are not determined. Give these coordinates mass, or add the constraints that hold them",
                    "energy",
                    "kinetic",
                )
                return

    def asymmetric(self, values: Sequence[Values]) -> list[tuple[int, int]]:
        for v in values:
            rows, columns = (abs(v.M - v.M.T) > _SMALL * (abs(v.M).max() or 1.0)).nonzero()
            if len(rows):
                return [(int(rows[0]), int(columns[0]))]
        return []

    def unused(self) -> None:
        b = self.system.blocks
        system = self.system
        used: set[str] = set()
        expressions = [
            system.kinetic,
            system.potential,
            *b.M.values(),
            *(system.force or ()),
            *system.forces.values(),
        ]
        expressions += [constraint.expression for constraint in system.constraints]
        expressions += [*system.initial.values(), *system.guess.values()]
        if system.drawing is not None:
            expressions += [entry for place in system.drawing.points.values() for entry in place]
            expressions += [radius for _, radius in system.drawing.circles]
        for expression in expressions:
            if expression is not None:
                used |= {symbol.name for symbol in expression.free_symbols}
        for name in system.parameters:
            if name not in used:
                self.report("warning", f"parameter `{name}` is not used", "parameters", name)

    def integrable(self, integrable: dict[int, bool]) -> None:
        disguised = [self.names[i] for i, value in integrable.items() if value]
        if disguised:
            verb = "is" if len(disguised) == 1 else "are together"
            self.report(
                "note",
                f"{quoted(disguised)} {verb} integrable: holonomic, written with velocities",
                "constraints",
                disguised[0],
            )

    def classes(self, integrable: dict[int, bool]) -> dict[str, dict[str, Any]]:
        return {
            c.name: {"level": c.level, "linear": c.linear, "time": c.time, "integrable": integrable.get(i)}
            for i, c in enumerate(self.system.constraints)
        }
