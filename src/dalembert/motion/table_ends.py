"""Where tables end that do not say how they go on: a motion that comes there is ended, one beyond does not begin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import symengine as se

from dalembert.errors import ModelError, Problem
from dalembert.language.building import TIME, Expr
from dalembert.language.curves import SLACK, STOP
from dalembert.language.printing import to_text
from dalembert.language.program import Program
from dalembert.language.table_functions import calls_in
from dalembert.model.facts import STRUCTURE, fact
from dalembert.model.reading_equations import expressions

if TYPE_CHECKING:
    from dalembert.model.system import System

_ADVICE = 'Give more points, or say how it goes on: beyond = "constant", or "linear"'


class Use(NamedTuple):
    """A table, what is asked of it, and its first and last point."""

    table: str
    u: Expr
    first: float
    last: float

    @property
    def inside(self) -> Expr:
        """What is above zero as long as the table has values, rounding allowed for."""
        slack = SLACK * (self.last - self.first)
        return (self.u - self.first + slack) * (self.last - self.u + slack)

    @property
    def given(self) -> str:
        """From where to where it goes, in words."""
        return f"it is given from {self.first:.6g} to {self.last:.6g}"

    @property
    def words(self) -> str:
        """Why a motion cannot go on from a time {t}, and what to do."""
        return f"table `{self.table}` ends: {self.given}, and {to_text(self.u)} leaves that at t = {{t:.6g}}. {_ADVICE}"


@fact(STRUCTURE)
def uses(system: System) -> list[Use]:
    """Return what the equations ask of tables that stop."""
    tables = system.sections.get("tables", {}).items()
    ends = {name: (kept["x"][0], kept["x"][-1]) for name, kept in tables if kept.get("beyond", STOP) == STOP}
    found = dict.fromkeys(calls_in(expressions(system))) if ends else {}
    return [Use(name, u, *ends[name]) for name, u in sorted(found, key=str) if name in ends]


def moving(system: System) -> list[Use]:
    """Return the uses that change with time."""
    still = set(system.parameters)
    return [use for use in uses(system) if any(symbol.name not in still for symbol in use.u.free_symbols)]


def refuse_beyond(system: System, t: float, state: Sequence[float], parameters: Sequence[float]) -> None:
    """Raise ModelError where a motion would begin beyond the end of a table."""
    if not (asked := uses(system)):
        return
    names = (TIME, *system.coordinates, *system.velocities, *system.parameters)
    program = Program(
        [se.Symbol(name) for name in names], [part for use in asked for part in (use.u, use.inside)], system.defined
    )
    values = program.floats([t, *state, *parameters])
    problems = []
    for use, value, inside in zip(asked, values[::2], values[1::2], strict=True):
        if inside < 0:
            where = "before its first point" if value < use.first else "behind its last point"
            text = f"at the start `{use.table}` is asked for {to_text(use.u)} = {value:.6g}, {where}: {use.given}"
            problems.append(Problem(f"{text}. {_ADVICE}", key=("tables", use.table)))
    if problems:
        raise ModelError(problems)
