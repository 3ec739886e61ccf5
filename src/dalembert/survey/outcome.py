"""What a check has found, as data and as it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dalembert.document.nodes import Block, Listing, Name, Note, Paragraph, Section, Tone, listed, rounded
from dalembert.document.shown import Printed
from dalembert.errors import Problem, counted
from dalembert.model.constraint import describe_class
from dalembert.survey.redundancy import Redundancy
from dalembert.survey.start import State

if TYPE_CHECKING:
    from dalembert.model.system import System

_NAMES, _VALUES = 12, 14  # constraints of one kind, and values of the initial state, that are shown
_STATE = "initial state"


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
        }

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
            given = self.state.as_dict()
            size = max(map(abs, given.values()), default=0.0)
            values = [(Name(name), " = ", rounded(value, size)) for name, value in given.items()]
            parts.append(Listing([*values[:_VALUES], *["…"] * (len(values) > _VALUES)], short=True, title=_STATE))
        return Section(self.system.name or "A system", parts, "" if self.ok else Tone("contradicts itself", "bad"))

    @property
    def notes(self) -> list[Note]:
        """The problems as they are shown."""
        places = [f" (line {p.line})" if p.line is not None else "" for p in self.problems]
        return [Note(p.text + place, p.severity) for p, place in zip(self.problems, places, strict=True)]
