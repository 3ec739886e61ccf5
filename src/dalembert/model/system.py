"""The system: what a textbook writes down before it derives anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arguments import choice, keywords, shown, table
from dalembert.arrays import Array
from dalembert.document.shown import Shown
from dalembert.errors import ModelError, Problem, counted, nearest, quoted
from dalembert.language.building import Expr
from dalembert.language.translate import Translator
from dalembert.model.changes import merge_values
from dalembert.model.constraint import Constraint
from dalembert.model.drawing import Drawing
from dalembert.model.facts import Survey
from dalembert.model.initial import InitialValue, Measure
from dalembert.model.reading import Given, read_system
from dalembert.model.settings import Settings
from dalembert.model.tomlscan import Source
from dalembert.model.variants import in_numbers, plain_parameters, plain_values, take_over

if TYPE_CHECKING:
    from dalembert.blocks.kinds import Elements
    from dalembert.blocks.numeric import Numeric
    from dalembert.blocks.symbolic import Blocks
    from dalembert.document.nodes import Section
    from dalembert.forms.derivation import Derivation
    from dalembert.forms.release import Release
    from dalembert.native.kernels import Kernels
    from dalembert.results.trajectory import Run
    from dalembert.survey.check import Examination
    from dalembert.survey.outcome import Check
    from dalembert.survey.start import State

VALUES = ("parameters", "initial", "guess", "forces", "simulation")  # what `replace` changes by name


@dataclass(frozen=True, init=False)
class System(Shown):
    """A mechanical system: coordinates, energies or matrices, forces, constraints, parameters. Immutable.

    Expressions may be SymPy (with `dynamicsymbols` as coordinates) or text in the grammar of model files. Inside they
    are SymEngine expressions over the plain names; `system.sympy(...)` gives them back as SymPy.

    coordinates: dynamicsymbols, or names.
    kinetic, potential: energies T(q, v, t), at most quadratic in v, and V(q, t).
    mass, force: instead of energies, the matrix M(q, t) and the vector f(q, v, t) of M q̈ = f.
    forces: generalized forces without potential, by coordinate.
    constraints: name -> expression that is to vanish, or equation; or a list, named c1, c2, …
    parameters: values by symbol or name; None for a parameter without a value.
    initial, guess: values of coordinates and velocities ("phi", "phi'") at the start: fixed, and to start from.
    simulation: defaults of the simulation, such as {"until": 10}.
    drawing: points by name and what joins them, for pictures.
    define: named subexpressions as text, in order; they are put in where their names appear in text.

    >>> pendulum = System(coordinates="phi", kinetic="m*l^2*phi'^2/2", potential="-m*g*l*cos(phi)",
    ...                   parameters={"m": 1, "l": 2, "g": 9.81})
    >>> pendulum.blocks.M[0, 0], pendulum.blocks.f[0]
    (l**2*m, -g*l*m*sin(phi))
    """

    coordinates: tuple[str, ...]
    kinetic: Expr | None
    potential: Expr | None
    mass: tuple[tuple[Expr, ...], ...] | None
    force: tuple[Expr, ...] | None
    forces: Mapping[str, Expr]
    constraints: tuple[Constraint, ...]
    parameters: Mapping[str, float | None]
    initial: Mapping[str, Expr]
    guess: Mapping[str, Expr]
    simulation: Mapping[str, Any]
    drawing: Drawing | None
    name: str
    symbols: Mapping[str, Any] = field(compare=False, repr=False)
    source: Source | None = field(compare=False, repr=False)

    def __init__(
        self,
        coordinates: Any,
        *,
        kinetic: Any = None,
        potential: Any = None,
        mass: Any = None,
        force: Any = None,
        forces: Mapping[Any, Any] | None = None,
        constraints: Mapping[str, Any] | Iterable[Any] = (),
        parameters: Mapping[Any, Any] | None = None,
        initial: Mapping[Any, Any] | None = None,
        guess: Mapping[Any, Any] | None = None,
        simulation: Mapping[str, Any] | None = None,
        drawing: Drawing | Mapping[str, Any] | None = None,
        name: str = "",
        define: Mapping[str, str] | None = None,
        symbols: Mapping[str, Any] | None = None,
        source: Source | None = None,
    ) -> None:
        given = Given(
            coordinates=coordinates,
            kinetic=kinetic,
            potential=potential,
            mass=mass,
            force=force,
            forces={} if forces is None else forces,
            constraints=constraints,
            parameters={} if parameters is None else parameters,
            initial={} if initial is None else initial,
            guess={} if guess is None else guess,
            simulation={} if simulation is None else simulation,
            drawing=drawing,
            name=name,
            define={} if define is None else define,
            symbols={} if symbols is None else symbols,
        )
        for key, value in read_system(given).items():
            object.__setattr__(self, key, value)
        object.__setattr__(self, "source", source)

    @classmethod
    def from_sympy(
        cls,
        problem: Any,
        *,
        parameters: Mapping[Any, Any] | None = None,
        initial: Mapping[Any, Any] | None = None,
        guess: Mapping[Any, Any] | None = None,
        constraint_names: Sequence[str] | None = None,
        name: str = "",
    ) -> System:
        """Make a system from a `System`, `KanesMethod` or `LagrangesMethod` of `sympy.physics.mechanics`.

        Taken are its coordinates, bodies, loads and constraints, not the equations that SymPy derives from them. Speeds
        u are replaced by rates of coordinates; one that belongs to no coordinate gets one, `integral_u`.

        parameters: values by symbol; functions of time that are given may be numbers or expressions of time.
        initial, guess: values of coordinates, of their rates, and of speeds.
        constraint_names: names in place of holonomic_1, …, velocity_1, …
        """
        from dalembert.model.fromsympy.build import parts_of

        return cls(**parts_of(problem, parameters, initial, guess, constraint_names), name=name)

    # --- variants and translations ---------------------------------------------------------------------------------

    def replace(self, **changes: Any) -> System:
        """Make a variant of the system: `pendulum.replace(parameters={"l": 2}, initial={"phi": 1, "phi'": None})`.

        `parameters`, `initial`, `guess`, `forces` and `simulation` are changed by name, and the others stay; None takes
        one away (a parameter is left without a value). All else is put in place of what was there.
        """
        known = [f.name for f in fields(self) if f.compare]
        for name in changes:
            if name not in known:
                raise ModelError(f"a system has no `{name}`; {nearest(name, known, 'parts')}")
        if variant := in_numbers(self, changes):
            return variant
        for name in VALUES:
            if name in changes:
                changes[name] = self._changed(name, getattr(self, name), changes[name])
        variant = replace(self, **changes)
        take_over(variant, self)
        return variant

    def numbers(self, part: str, change: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the fields that other numbers change."""
        if part == "parameters":
            values = plain_parameters(change, self.parameters)
        else:
            values = plain_values(change, dict.fromkeys(self._names_of_values(part)))
        return None if values is None else {part: {**getattr(self, part), **values}}

    def _changed(self, part: str, present: Mapping[str, Any], change: Any) -> dict[str, Any]:
        """Return values by name after a change."""
        given = {self._key(key): value for key, value in table(part, change).items()}
        if part != "parameters":
            known = {"forces": self.coordinates, "simulation": Settings.in_file}.get(part, self._names_of_values(part))
            return merge_values(part, present, given, known)
        unknown = [name for name in given if name not in self.parameters]
        if unknown:
            known = list(self.parameters)
            raise ModelError(Problem(f"no parameter `{n}`; {nearest(n, known, 'parameters')}") for n in unknown)
        return {**present, **given}

    def _names_of_values(self, part: str) -> Sequence[str]:
        """Return of what initial values or guesses can be given."""
        return self.coordinates + self.velocities

    def _key(self, symbol: Any) -> str:
        name = symbol if isinstance(symbol, str) else getattr(self._translator.inward(symbol), "name", None)
        if name is None:
            raise ModelError(f'values are given by names or symbols, as in {{"x": 1}}; got {shown(symbol)}')
        return name

    @cached_property
    def _translator(self) -> Translator:
        return Translator(self.symbols, self.coordinates, self.parameters)

    def sympy(self, expr: Any) -> Any:
        """Give an expression of this system as SymPy, in the user's own symbols."""
        if isinstance(expr, Mapping):
            return {key: self.sympy(value) for key, value in expr.items()}
        if isinstance(expr, (list, tuple)):
            return [self.sympy(value) for value in expr]
        if not isinstance(expr, (se.Basic, int, float)):
            raise ModelError(f"`expr` is an expression of this system, as `system.kinetic` is; got {shown(expr)}")
        return self._translator.outward(expr)

    @property
    def velocities(self) -> tuple[str, ...]:
        """Names of the velocities."""
        return tuple(name + "'" for name in self.coordinates)

    def constraint(self, name: str) -> Constraint:
        """Find a constraint by name."""
        known = {constraint.name: constraint for constraint in self.constraints}
        return known[choice(name, list(known), "constraint", "constraints")]

    def entry(self, constraint: str) -> tuple[str, ...]:
        """Return the entry of a model file to which a constraint belongs."""
        return "constraints", constraint

    def measure(self, name: str) -> Measure:
        """Return of what an initial value is given: a coordinate or a velocity."""
        symbol = se.Symbol(name)
        return Measure("velocity" if name.endswith("'") else "position", symbol, lambda wanted: symbol - wanted)

    def initial_values(self, values: Mapping[str, float]) -> list[InitialValue]:
        """Return initial values as the user gave them, each under its own name."""
        return [InitialValue(name, ("initial", name), {name: value}) for name, value in values.items()]

    def explain(self, constraints: Sequence[str]) -> tuple[str, str]:
        """Say in words that constraints cannot hold, and what to do."""
        if len(constraints) == 1:
            return f"constraint `{constraints[0]}` cannot be satisfied", "Check its equation and parameters"
        return f"constraints {quoted(constraints)} contradict each other", "Remove or correct one of them"

    def explain_contradiction(self, numeric: Numeric, t: float, q: Array, names: list[str]) -> Problem | None:
        """Say why constraints cannot hold together near a position; None: nothing is known but their names."""
        return None

    def units(self, numeric: Numeric) -> Array:
        """Return by what changes of each coordinate are to be measured; 0 where nothing is known but its values."""
        return np.zeros(len(self.coordinates))

    # --- the pipeline ------------------------------------------------------------------------------------------------

    @cached_property
    def survey(self) -> Survey:
        """What was found out about the system; a variant in other values takes over what still holds."""
        return Survey()

    @property
    def blocks(self) -> Blocks:
        """The blocks M, f, A, c with the residuals g and ψ: all that the rest of the program sees."""
        from dalembert.blocks.symbolic import derive_blocks

        return derive_blocks(self)

    @property
    def repeated(self) -> Elements:
        """The same, for large systems: elements of a few kinds, each derived once."""
        from dalembert.blocks.kinds import find_elements

        return find_elements(self)

    def check(self) -> Check:
        """Examine the system: freedom, redundancy, contradictions, classes of constraints, initial state."""
        from dalembert.survey.check import check

        return check(self)

    def examination(self) -> Examination:
        """Return what examines a system of this kind."""
        from dalembert.survey.check import Examination

        return Examination(self)

    def start(self, initial: Mapping[Any, Any] | None = None, guess: Mapping[Any, Any] | None = None) -> State:
        """Find a consistent initial state from what is fixed; the rest moves least from the guess.

        initial, guess: in addition to those of the system; None takes one away.
        """
        from dalembert.survey.start import explained_start

        given = {"initial": table("initial", initial), "guess": table("guess", guess)}
        return explained_start(self.replace(**given) if any(given.values()) else self)

    def derive(self, form: str = "multipliers", coordinates: Sequence[str] | None = None) -> Derivation:
        """Derive the equations of motion in a form: multipliers, minimal, explicit, canonical, independent, reactions.

        `coordinates` names the independent ones for the form `independent`.

        >>> disk = System(coordinates="s phi", kinetic="m*s'^2/2 + J*phi'^2/2", forces={"s": "F"},
        ...               constraints={"rolling": "s + r*phi = 0"}, parameters={"m": 1, "J": 1, "F": 1, "r": 2})
        >>> disk.derive("minimal").D
        Matrix([
        [ r],
        [-1]])
        """
        from dalembert.forms.work import derivation, derive

        if coordinates is not None or not isinstance(form, str):
            return derive(self, form, coordinates)
        return derivation(self, form)

    def compile(self, form: str = "multipliers") -> Kernels:
        """Compile the equations to native code: a function of t, q, v and the parameters, for one state or many."""
        from dalembert.native.kernels import Kernels

        return Kernels(self, form)

    @keywords("a motion has no setting", "settings")
    def simulate(
        self,
        until: float | None = None,
        *,
        form: str | None = None,
        method: str | None = None,
        keep: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        step: float | None = None,
        samples: int | Sequence[float] | Array | None = None,
        initial: Mapping[Any, Any] | None = None,
        events: Sequence[Any] = (),
        gains: Mapping[str, Any] | None = None,
        max_steps: int = 10_000_000,
        max_seconds: float = float("inf"),
        progress: Callable[[float, float], None] | None = None,
        unchecked: bool = False,
        certify: bool = False,
        strict: bool = False,
    ) -> Run:
        """Compute the motion from the consistent initial state until a time.

        until: the end of the motion; else that of the model; else 10.
        form: the form: multipliers, minimal, explicit, canonical or independent; else the method's first.
        method: the method: dop853, radau and bdf for stiff systems, rattle over a long time, rk4 or euler; else dop853.
        keep: how constraints are kept: project, stabilise or none; else project.
        rtol: relative tolerance of the step control; else 1e-9.
        atol: absolute tolerance; else 1e-11.
        step: a fixed step, for methods that have one.
        samples: give values at the ends of so many equal intervals, not at steps; or at these times.
        initial: values that are fixed for this motion only.
        events: equations, or `Event`s, to watch for.
        gains: of `stabilise`, if they are not to be chosen: kappa, or alpha and beta.
        max_steps: end the computation after so many steps; the motion so far is returned.
        max_seconds: end the computation after so many seconds; the motion so far is returned.
        progress: a function that is called with t and the seconds so far.
        unchecked: begin although the model contradicts itself, as `check` says.
        certify: make the certificate at once, not when it is asked for.
        strict: raise SimulationError where a motion that ends before its time warns.
        """
        from dalembert.results.trajectory import simulate

        return simulate(self, {name: value for name, value in locals().items() if name in Settings.said})

    def reaction(self, name: str) -> list[Any]:
        """Return the reaction of a constraint as formulas by coordinate; DerivationError if others share its load."""
        from dalembert.forms.work import reaction

        return reaction(self, name)

    def without(self, *names: str) -> System:
        """Return the system without some of its constraints."""
        for name in names:
            self.constraint(name)
        return replace(self, constraints=tuple(c for c in self.constraints if c.name not in names))

    def reduced(self, keep: Iterable[str] = ()) -> System:
        """Return the system in fewer coordinates: constraints that are linear in one of them are solved for it.

        `keep` names constraints and coordinates that stay as they are.
        """
        from dalembert.survey.reduction import reduce_system

        return reduce_system(self, keep)

    def release(self, *names: str) -> Release:
        """Release some constraints: the freed system in few coordinates, and their reactions as formulas."""
        from dalembert.forms.release import Release

        return Release(self, names)

    def save(self, path: str | Path) -> None:
        """Write the system as a model file."""
        from dalembert.model.textfile import save

        save(self, path)

    def export(self, path: str | Path, to: str, form: str = "multipliers") -> list[Path]:
        """Write the equations for other programs and return the files: to "c", "numpy", "jax" or "latex"."""
        from dalembert.native.export import export

        return export(self, path, to, form)

    def document(self) -> Section:
        """Return what the system consists of, as it is shown."""
        from dalembert.model.description import system_document

        return system_document(self)

    def __str__(self) -> str:
        from dalembert.model.textfile import to_toml

        return to_toml(self)

    def __repr__(self) -> str:
        counts = counted(len(self.coordinates), "coordinate"), counted(len(self.constraints), "constraint")
        return f"<System {self.name!r}: {', '.join(counts)}>"
