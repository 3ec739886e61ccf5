"""What a check has found, as data and as it is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.document.nodes import Block, Listing, Name, Note, Number, Paragraph, Section, Text, Tone, listed, rounded
from dalembert.document.shown import Printed
from dalembert.errors import Problem, counted, quoted
from dalembert.language.building import Expr
from dalembert.language.state_names import as_written
from dalembert.language.table_functions import calls_in, is_open
from dalembert.model.constraint import describe_class
from dalembert.survey.integrals import Integrals, integrals_of
from dalembert.survey.redundancy import Redundancy
from dalembert.survey.start import State

if TYPE_CHECKING:
    from dalembert.model.system import System

_NAMES, _VALUES = 12, 14  # constraints of one kind, and values of the initial state, that are shown
_STATE = "initial state"
_QUICK = 12  # coordinates up to which first integrals are looked for: with more it takes longer than all else


@dataclass(frozen=True, repr=False)
class Check(Printed):
    """The outcome of a check; prints as text, `as_dict()` is what `dalembert check --json` prints.

    rank, degrees_of_freedom: of the constraints, in general positions; None where contradictions leave them open.
    redundancies: the constraints that follow from others.
    classes: by constraint its level, whether it is linear, depends on time, and is integrable.
    problems: errors, warnings and notes, in words.
    state: the initial state; None if there is none.
    """

    system: System
    rank: int | None
    degrees_of_freedom: int | None
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
            "coordinates": self.system.mechanical,
            **({"states": len(self.system.states)} if self.system.states else {}),
            "constraints": len(self.system.constraints),
            "rank": self.rank,
            "degrees_of_freedom": self.degrees_of_freedom,
            "redundant": {r.name: list(r.others) for r in self.redundancies},
            "classes": self.classes,
            "problems": [{"severity": p.severity, "text": p.text, "line": p.line} for p in self.problems],
            "integrals": None if self.integrals is None else self.integrals.as_dict(),
        }

    @property
    def integrals(self) -> Integrals | None:
        """What stays constant along every motion; None where that is not looked for."""
        return integrals_of(self.system) if self.ok and len(self.system.coordinates) <= _QUICK else None

    @property
    def freedom(self) -> str:
        """How many degrees of freedom there are, in words; empty where that is open."""
        return "" if self.degrees_of_freedom is None else f"{counted(self.degrees_of_freedom, 'degree')} of freedom"

    def document(self) -> Section:
        """Say how many coordinates, constraints and degrees of freedom there are, and all that was found."""
        counts = f"{counted(self.system.mechanical, 'coordinate')}, "
        counts += f"{counted(len(self.system.states), 'state')}, " if self.system.states else ""
        counts += counted(len(self.system.constraints), "constraint")
        counts += f" of rank {self.rank}: {self.freedom}" if self.freedom else ""
        kinds: dict[str, list[str]] = {}
        for name, kind in self.classes.items():
            kinds.setdefault(describe_class(kind), []).append(name)
        classes = [Paragraph((listed(names, _NAMES), f": {kind}")) for kind, names in kinds.items()]
        parts: list[Block] = [Paragraph(counts), *classes, *self.notes]
        if self.state is not None:
            given, loose = self.known
            values: list[Text] = [(Name(name), " = ", value) for name, value in self._shown(given)]
            values = [*values[:_VALUES], *["…"] * (len(values) > _VALUES)]
            values += [f"the rest depends on {quoted(loose)}"] if loose else []
            parts.append(Listing(values, short=True, title=_STATE))
        if self.integrals:
            parts.append(self.integrals.document())
        return Section(self.system.name or "A system", parts, "" if self.ok else Tone("contradicts itself", "bad"))

    def _shown(self, values: Mapping[str, float]) -> Iterator[tuple[str, Number]]:
        """Return values as they are shown: rounding of positions, or of velocities, is zero; what was given is not."""
        sizes: dict[bool, float] = {}
        for name, value in values.items():
            rate = name.endswith("'")
            sizes[rate] = max(sizes.get(rate, 0.0), abs(value))
        written = {as_written(name) for name in self.system.initial}
        for name, value in values.items():
            yield name, rounded(value, 0.0 if name in written else sizes[name.endswith("'")])

    @property
    def known(self) -> tuple[dict[str, float], list[str]]:
        """The initial state, as far as it does not depend on what has no value; and the names of that."""
        state = {} if self.state is None else self.state.as_dict()
        loose = standing_in(self.system)
        if not loose:
            return state, []
        fixed = {as_written(name) for name, value in self.system.initial.items() if not _used(self.system, [value])}
        return {name: value for name, value in state.items() if name in fixed}, loose

    @property
    def notes(self) -> list[Note]:
        """The problems as they are shown."""
        places = [f" (line {p.line})" if p.line is not None else "" for p in self.problems]
        return [Note(p.text + place, p.severity) for p, place in zip(self.problems, places, strict=True)]


def standing_in(system: System) -> list[str]:
    """Return the parameters and functions without a value on which the initial state depends.

    Where constraints leave something open, it is the nearest in the norm of the mass matrix.
    """
    used = [*system.initial.values(), *system.guess.values()]
    if system.constraints:
        used += [constraint.expression for constraint in system.constraints]
        used += [part for row in system.mass or () for part in row] if system.kinetic is None else [system.kinetic]
    return _used(system, used)


def _used(system: System, exprs: Sequence[Expr]) -> list[str]:
    """Return what has no value among the names in some expressions."""
    names = {symbol.name for expr in exprs for symbol in expr.free_symbols}
    without = [name for name, value in system.parameters.items() if value is None and name in names]
    return without + sorted({name for name, _ in calls_in(exprs) if is_open(name, system.calls)})
