"""First integrals: what stays constant along every motion of a system.

Looked for is I = ξ(q)·p + h(q), with h linear, p = ∂T/∂v, and the parts of a direction ξ from 1, the coordinates, and
sines and cosines of the angles in the model: translations and rotations of all that moves, shifted angles, cyclic
coordinates, momenta along the directions that nonholonomic constraints allow; and the energy T₂ − T₀ + V, which is
Jacobi's integral where T is not quadratic, alone or with such a momentum. dI/dt is linear in the factors of these
parts, so that all there are solve one linear system, with a row for each of many admissible states; reactions are in
it, so that a momentum survives constraints only if they do no work along ξ.

None is claimed that does not hold: each is tried again at other states, to rounding; and where no constraint takes part
dI/dt must vanish as a formula, with the numbers as they were written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.algebra.rational import Field, TooLarge
from dalembert.algebra.writing.cost import operations
from dalembert.algebra.writing.figures import without_fractions
from dalembert.algebra.writing.numerals import figures, has_decimals, numbers, numerals
from dalembert.document.nodes import Block, Equation, Equations, Paragraph, Section
from dalembert.document.shown import Printed
from dalembert.errors import quoted
from dalembert.language.building import TIME, Expr
from dalembert.language.calculus import ZERO
from dalembert.language.printing import to_text
from dalembert.model.contact import contacts_of
from dalembert.model.facts import START, STRUCTURE, fact
from dalembert.model.friction import slopes
from dalembert.survey.integral_bodies import by_bodies, meanings
from dalembert.survey.integral_checks import IntegralChecks
from dalembert.survey.integral_search import ENERGY, IntegralSearch

if TYPE_CHECKING:
    from dalembert.model.system import System

NARROWED = "of so many coordinates and angles not all directions were looked at: there may be others"
_MANY = 100  # coordinates and constraints, beyond which nothing is looked for
_FEW = 10  # states at which they are tried at least
_SHOWN = 12  # that are kept
_LONG = 250  # operations of one whose numbers are put together before it is written
_MULTIPLIED = 500  # of one that is multiplied out
_NAMED = 8  # coordinates of a direction that are named in words
_FLAT = 1.2  # times the operations of the shortest, which a sum of products may have
_LONGEST = 30_000  # of one that is written as it comes


@dataclass(frozen=True, eq=False)
class FirstIntegral:
    """One of them. direction: ξ by coordinate. general: for all values of the parameters, not only for these.

    ways: how it can be written.
    """

    name: str
    words: str
    ways: tuple[Expr, ...]
    direction: dict[str, Expr] = field(default_factory=dict)
    general: bool = True
    energy: bool = False

    @cached_property
    def expression(self) -> Expr:
        """It as a formula, in few operations."""
        return min((_short(self.ways[0]), *self.ways), key=operations)


@dataclass(frozen=True, repr=False)
class Integrals(Printed):
    """The first integrals of a system, as they were found; and why some that one may expect are not there."""

    TYPESET = True

    system: System
    found: tuple[FirstIntegral, ...]
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[FirstIntegral]:
        return iter(self.found)

    def __getitem__(self, name: str) -> Any:
        """Return one as a formula of SymPy."""
        for one in self.found:
            if one.name == name:
                return self.system.sympy(one.expression)
        raise KeyError(f"there is no integral `{name}`; {quoted(one.name for one in self.found) or 'none was found'}")

    def rows(self) -> list[Equation]:
        """Return them as equations, those of mechanisms in space by their bodies."""
        return [Equation(one.name, value, said=one.words) for one, value in zip(self.found, self._named, strict=True)]

    def meanings(self) -> dict[str, Expr]:
        """Return what names in the rows stand for."""
        return meanings(self.system, self._named)

    @cached_property
    def _named(self) -> list[Expr]:
        found = [(one.expression, by_bodies(self.system, one.expression)) for one in self.found]
        return [named if named == plain or has_decimals(named) else _short(named) for plain, named in found]

    def as_dict(self) -> dict[str, dict[str, Any]]:
        """Return them as plain data."""
        return {
            one.name: {
                "value": to_text(one.expression),
                "words": one.words,
                "direction": {name: to_text(expr) for name, expr in one.direction.items()},
                "general": one.general,
            }
            for one in self.found
        }

    def document(self) -> Section:
        """Show them."""
        names = (*self.system.coordinates, *self.system.parameters)
        rows = [*self.rows(), *(Equation(name, value) for name, value in self.meanings().items())]
        parts: list[Block] = [Equations(rows, names, "integral")] if self.found else []
        said = "" if self.found else "none was found"
        return Section("First integrals", [*parts, *map(Paragraph, self.notes)], said)


@fact(START)
def integrals_of(system: System) -> Integrals:
    """Return the first integrals of a system."""
    events = system.sections.get("events", {})
    if names := [name for name, event in events.items() if event.get("set") or event.get("velocities")]:
        return Integrals(system, (), (f"{quoted(names)} change the motion: what stays constant is not looked for",))
    if system.followed:
        return Integrals(system, (), ("forces depend on reactions: what stays constant is not looked for",))
    if system.defined or len(system.coordinates) + len(system.constraints) > _MANY:
        return Integrals(system, (), ("the system is too large to be searched",))
    if system.kinetic is None and any(entry.free_symbols & set(system.blocks.v) for entry in system.blocks.M.values()):
        return Integrals(system, (), ("masses that depend on velocities have no momenta",))
    try:
        found = tuple(_found(search := IntegralSearch(system)))
    except np.linalg.LinAlgError:  # of states where the equations have no value
        return Integrals(system, (), ("no admissible states were found to look for them",))
    kept, notes = tuple(_with_contacts(system, found)), []
    if lost := quoted(one.name for one in found if one.name not in {other.name for other in kept}):
        notes.append(f"the reactions of contacts change {lost}, which would stay constant without them")
    alone = search.freedom == 1 and any(one.energy for one in kept)  # of one freedom all follow from the energy
    if search.narrowed and not alone:
        notes.append(NARROWED)
    return Integrals(system, kept, tuple(notes))


@fact(STRUCTURE)
def lasting_momenta(system: System) -> tuple[FirstIntegral, ...]:
    """Return the integrals without the energy that hold for all values of the parameters: variants share them."""
    return tuple(one for one in integrals_of(system.written) if one.general and not one.energy)


def _found(search: IntegralSearch) -> list[FirstIntegral]:
    """Return those that hold, the simplest first, without those that follow from others."""
    if len(search.states) <= len(search.columns) or len(search.others) < _FEW:
        return []

    def effort(choices: list[dict[int, Expr]]) -> tuple[int, int]:
        return len(choices[0]), sum(search.columns[k].cost for k in choices[0])

    checks, result = IntegralChecks(search), []
    for workless in (True, False):
        for choices in sorted(search.candidates(workless), key=effort):
            if checks.follows(choices[0]) or not checks.is_motion(choices[0]):
                continue
            if (best := _best(checks, choices)) is not None and not checks.only_uniform(*best, workless):
                checks.accept(best[0])
                result.append(_described(search, *best, len(result)))
    return sorted(result, key=lambda one: not one.energy)[:_SHOWN]


def _with_contacts(system: System, found: Iterable[FirstIntegral]) -> Iterator[FirstIntegral]:
    """Return those that the reactions of contacts leave constant: along whose directions no gap changes, nor slides.

    Reactions do no work where gaps do not change in time; impacts do, and friction.
    """
    contacts = contacts_of(system).values()
    pushed = [{q: one.gap.diff(se.Symbol(q)) for q in one.moving} for one in contacts]
    pushed += [slopes(one.slip, one.moving) for one in contacts if one.rubbing and one.slip is not None]
    lasting = not any(se.Symbol(TIME) in one.gap.free_symbols or one.rubbing for one in contacts)
    for one in found:
        works = [se.Add(*[row.get(name, ZERO) * part for name, part in one.direction.items()]) for row in pushed]
        if not contacts:
            yield one
        elif not any(se.expand(work) != 0 for work in works) and (lasting or not one.energy):
            yield replace(one, words=f"{one.words}, until an impact takes of it") if one.energy else one


def _best(checks: IntegralChecks, choices: list[dict[int, Expr]]) -> tuple[dict[int, Expr], bool] | None:
    """Return the first choice of factors that holds for all values of the parameters, else the first that holds."""
    first = None
    for factors in choices:
        general = checks.holds(factors)
        if general:
            return factors, True
        if general is False and first is None:
            first = factors, False
    return first


def _described(search: IntegralSearch, factors: dict[int, Expr], general: bool, number: int) -> FirstIntegral:
    """Write an integral, and say in words what it is."""
    expression, system, b = search.expression(factors), search.system, search.b
    columns = [search.columns[k] for k in factors]
    energy = any(column.cost == ENERGY for column in columns)
    direction = {b.q[i].name: part for i, part in search.direction(factors).items()}
    if not energy and _leading(direction) < 0:
        direction, expression = {name: -value for name, value in direction.items()}, -expression
    words, name = _named(direction, energy, len(factors) == 1, _is_quadratic(search), number)
    if not energy and any(column.coordinate is None for column in columns):
        words += ", with what the forces take of it by position"
    if not energy and any(g is None for g in b.g):
        words += "; no reaction does work along it"
    if not general:
        words += "; with these values of the parameters"
    ways = [expression]
    if name == "energy" and len(factors) == 1:
        ways.append(system.kinetic + (ZERO if system.potential is None else system.potential))
    return FirstIntegral(name, words, tuple(ways), direction, general, energy)


def _is_quadratic(search: IntegralSearch) -> bool:
    """Tell whether T is quadratic in the velocities, so that T₂ − T₀ + V is the energy."""
    T, still = search.system.kinetic, dict.fromkeys(search.b.v, ZERO)
    linear = [se.expand(p).xreplace(still) for p in search.momenta]
    return T is None or (T.xreplace(still) == 0 and all(part == 0 for part in linear))


def _named(direction: dict[str, Expr], energy: bool, alone: bool, quadratic: bool, number: int) -> tuple[str, str]:
    """Return words and a name."""
    first = dict(list(direction.items())[: _NAMED if len(direction) > _NAMED + 1 else None])
    more = f", and of {len(direction) - len(first)} more" if len(first) < len(direction) else ""
    along = ", ".join(f"{name}: {to_text(value)}" for name, value in first.items()) + more
    if energy and alone:
        return ("the energy T + V", "energy") if quadratic else ("Jacobi's integral T₂ − T₀ + V", "jacobi")
    if energy and not direction:
        return "the energy T₂ − T₀ + V, less the work of constant forces", "energy"
    if energy:
        return f"Jacobi's integral: the energy T₂ − T₀ + V with the momentum along {along}", "jacobi"
    if len(direction) == 1 and (name := next(iter(direction))) and direction[name] == 1:
        return f"the momentum of `{name}`", f"p_{name}"
    if all(value.is_Number or not value.free_symbols for value in direction.values()):
        name = f"I_{number + 1}" if more else "p_" + "_".join(direction)
        return f"the momentum of {quoted(first)}{more} moved together", name
    return f"the momentum along {along}", f"I_{number + 1}"


def _leading(direction: dict[str, Expr]) -> int:
    """Return the sign of most of a direction; of as many of each, that of the last."""
    signs = [-1 if str(value).startswith("-") else 1 for value in direction.values()]
    return sum(signs) or (signs[-1] if signs else 1)


def _short(expr: Expr) -> Expr:
    """Write an expression in few operations, also with its products multiplied out, if there are numbers in them."""
    found = _arranged(expr)
    if operations(expr) > _MULTIPLIED or not has_decimals(expr):
        return found
    best = min((found, _arranged(_multiplied(expr))), key=operations)
    flat = _multiplied(best)  # in which sin² + cos² is 1, and numbers that stood before it are one number
    best = min((best, _arranged(flat)), key=operations)
    return flat if operations(flat) <= _FLAT * operations(best) else best  # m x'²/2 + … reads better than factors


def _multiplied(expr: Expr) -> Expr:
    """Multiply products out, and put their numbers together."""
    return numbers(figures(se.expand(numerals(expr))))


def _arranged(expr: Expr) -> Expr:
    """Write an expression in few operations; a long one with its numbers put together first."""
    long = operations(expr) > _LONG
    if operations(expr) > _LONGEST:
        return expr
    given = numbers(expr) if long else numerals(expr)
    try:
        field = Field([given], apart=False)
        with field.bounded():
            found = field.writer.value(field.read(given))
    except TooLarge:
        return expr
    found = without_fractions(found) if long else figures(found)
    return min((found, expr), key=operations)
