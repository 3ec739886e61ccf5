"""The system: what a textbook writes down before it derives anything."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import symengine as se

from dalembert.arguments import keywords, shown, table
from dalembert.arrays import Array
from dalembert.errors import ModelError, Problem, counted, quoted
from dalembert.model.sections.functions import refuse_open
from dalembert.model.settings import Settings
from dalembert.model.stated import Stated

if TYPE_CHECKING:
    from dalembert.blocks.kinds import Elements
    from dalembert.blocks.numeric import Numeric
    from dalembert.blocks.symbolic import Blocks
    from dalembert.document.nodes import Section
    from dalembert.forms.derivation import Derivation
    from dalembert.forms.release import Release
    from dalembert.language.building import Expr
    from dalembert.native.kernels import Kernels
    from dalembert.results.inverse_dynamics import Inverse
    from dalembert.results.run import Run
    from dalembert.survey.check import Examination
    from dalembert.survey.integrals import Integrals
    from dalembert.survey.outcome import Check
    from dalembert.survey.start import State


class System(Stated):
    """A mechanical system: coordinates, energies or matrices, forces, constraints, parameters. Immutable.

    Expressions may be SymPy (with `dynamicsymbols` as coordinates) or text in the grammar of model files. Inside they
    are SymEngine expressions over the plain names; `system.sympy(...)` gives them back as SymPy.

    coordinates: dynamicsymbols, or names.
    kinetic, potential: energies T(q, v, t), at most quadratic in v, and V(q, t).
    mass, force: instead of energies, the matrix M(q, v, t) and the vector f(q, v, t) of M q̈ = f.
    forces: generalized forces without potential, by coordinate.
    constraints: name -> expression that is to vanish, or equation; or a list, named c1, c2, …
    parameters: values by symbol or name; None for a parameter without a value.
    initial, guess: values of coordinates and velocities ("phi", "phi'") at the start: fixed, and to start from.
    simulation: defaults of the simulation, such as {"until": 10}.
    drawing: points by name and what joins them, for pictures.
    define: named subexpressions as text, in order; they are put in where their names appear in text.
    dissipation: Rayleigh's function R(q, v, t), which adds −∂R/∂v to the forces.
    tables: data used as functions, as {"road": {"x": [0, 1, 2], "value": [0, 0.1, 0]}}, and then road(x) in text.
    functions: what has no formula, by what it depends on, as {"F": ["t"]}, and then F(t) and F'(t) in text.
    states: quantities of first order by their rates, as {"z": "x' - z*abs(x')/G"}; without `initial` from zero.
    controls: inputs, as {"u": {"acts": {"x": "1"}, "law": "-k*x"}}; without a law a symbol, for a law in Python.
    programme: equations that controls without a law hold, as {"load": "x + l*sin(phi) = 0.5*t^2"}.
    loads: forces at points and moments at angles, as {"wind": {"at": ["x1", "y1"], "force": ["F", 0]}}.
    velocities: quasi-velocities for the form `quasi`, as {"u": "x'*cos(theta) + y'*sin(theta)"}.

    Every further table of a model file is a keyword too, under the same name. `forces` are all of them, with those that
    follow from other tables; `own` is what was written.

    >>> pendulum = System(coordinates="phi", kinetic="m*l^2*phi'^2/2", potential="-m*g*l*cos(phi)",
    ...                   parameters={"m": 1, "l": 2, "g": 9.81})
    >>> pendulum.blocks.M[0, 0], pendulum.blocks.f[0]
    (l**2*m, -g*l*m*sin(phi))
    """

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

    def _steer(self) -> None:
        """Put in by what conditions and forces its programmes hold."""
        from dalembert.survey.servo import steered

        for key, value in steered(self).items():
            object.__setattr__(self, key, value)
        vars(self).pop("observed", None)  # it knows more names now

    def sympy(self, expr: Any) -> Any:
        """Give an expression of this system as SymPy, in the user's own symbols."""
        if isinstance(expr, Mapping):
            return {key: self.sympy(value) for key, value in expr.items()}
        if isinstance(expr, (list, tuple)):
            return [self.sympy(value) for value in expr]
        if not isinstance(expr, (se.Basic, int, float)):
            raise ModelError(f"`expr` is an expression of this system, as `system.kinetic` is; got {shown(expr)}")
        return self._translator.outward(expr)

    def explain_misfit(self, numeric: Numeric, t: float, q: Array) -> str:
        """Say what fits only nearly at a position; only parts can fit or not."""
        return ""

    def explain_contradiction(self, numeric: Numeric, t: float, q: Array, names: list[str]) -> Problem | None:
        """Say why constraints cannot hold together near a position; None: nothing is known but their names."""
        return None

    def units(self, numeric: Numeric) -> Array:
        """Return by what changes of each coordinate are to be measured; 0 where nothing is known but its values."""
        return np.zeros(len(self.coordinates))

    @property
    def defined(self) -> Mapping[Expr, Expr]:
        """What symbols in its expressions stand for that are neither coordinates nor parameters."""
        return {}

    # --- the pipeline ------------------------------------------------------------------------------------------------

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

        return check(self.written)

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

    def derive(self, form: str = "multipliers", coordinates: str | Sequence[str] | None = None) -> Derivation:
        """Derive the equations of motion in a form.

        form: multipliers, minimal, explicit, canonical, independent, quasi or reactions.
        coordinates: the independent ones, for the form `independent`, as text with spaces or a list.

        >>> disk = System(coordinates="s phi", kinetic="m*s'^2/2 + J*phi'^2/2", forces={"s": "F"},
        ...               constraints={"rolling": "s + r*phi = 0"}, parameters={"m": 1, "J": 1, "F": 1, "r": 2})
        >>> disk.derive("minimal").D
        Matrix([
        [ r],
        [-1]])
        """
        from dalembert.forms.work import derivation, derive

        system = self.written
        if coordinates is not None or not isinstance(form, str):
            return derive(system, form, coordinates)
        return derivation(system, form)

    def compile(self, form: str = "multipliers") -> Kernels:
        """Compile the equations to native code: a function of t, q, v and the parameters, for one state or many."""
        from dalembert.native.kernels import Kernels

        refuse_open(self)
        return Kernels(self, form)

    @keywords("a motion has no setting", "settings")
    def simulate(
        self,
        until: float | None = None,
        *,
        begin: float | None = None,
        form: str | None = None,
        method: str | None = None,
        keep: str | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        step: float | None = None,
        samples: int | Sequence[float] | Array | None = None,
        initial: Mapping[Any, Any] | None = None,
        functions: Mapping[str, Any] | None = None,
        controls: Mapping[str, Any] | None = None,
        every: float | None = None,
        events: Sequence[Any] = (),
        gains: Mapping[str, Any] | None = None,
        coordinates: str | Sequence[str] | None = None,
        max_steps: int = 10_000_000,
        max_seconds: float = float("inf"),
        progress: Callable[[float, float], None] | None = None,
        unchecked: bool = False,
        certify: bool = False,
        strict: bool = False,
    ) -> Run:
        """Compute the motion from the consistent initial state until a time.

        until: the end of the motion; else that of the model; else 10.
        begin: the time at which the motion begins; else that of the model; else 0, or the time in `initial`.
        form: the form: multipliers, minimal, explicit, canonical, independent or quasi; else the method's first.
        method: the method: dop853, radau and bdf for stiff systems, rattle over a long time, rk4 or euler; else dop853.
        keep: how constraints are kept: project, stabilise or none; else project.
        rtol: relative tolerance of the step control; else 1e-9.
        atol: absolute tolerance; else 1e-11.
        step: a fixed step, for methods that have one.
        samples: give values at the ends of so many equal intervals, not at steps; or at these times.
        initial: values that are fixed for this motion only; `run.final()` goes on from the end of a run.
        functions: values of functions that the model leaves open: expressions, or tables.
        controls: laws by control or parameter: expressions, tables over time, or functions of t and the state.
        every: the interval at which laws that are functions are called; what they give is held in between.
        events: equations, or `Event`s, to watch for.
        gains: of `stabilise`, if they are not to be chosen: kappa, or alpha and beta; each a number, an expression of t
            and parameters, a list or a matrix of them.
        coordinates: the independent coordinates of the form independent, or `objective` for singular vectors; else they
            are chosen, and chosen anew where they fail.
        max_steps: end the computation after so many steps; the motion so far is returned.
        max_seconds: end the computation after so many seconds; the motion so far is returned.
        progress: a function that is called with t and the seconds so far.
        unchecked: begin although the model contradicts itself, as `check` says.
        certify: make the certificate at once, not when it is asked for.
        strict: raise SimulationError where a motion that ends before its time warns.
        """
        from dalembert.results.run import simulate

        return simulate(self.written, {name: value for name, value in locals().items() if name in Settings.said})

    def inverse(self, motion: Any = None, weight: Mapping[str, float] | None = None) -> Inverse:
        """Return what drives, and controls without a law, must do for a motion; in a mechanism all joint forces too.

        motion: a run, kinematics, or rows {"t": …, "q": …, "v": …, "a": …}; else the motion of the model itself.
        weight: R by drive or control, where there are more than are needed: the least uᵀR u is taken; else 1.

        >>> cart = System(coordinates="x", kinetic="m*x'^2/2", forces={"x": "-d*x'"}, parameters={"m": 2, "d": 3},
        ...               controls={"u": {"acts": {"x": 1}}}, programme={"path": "x = t^2"}, simulation={"until": 1})
        >>> cart.inverse()["u"][[0, -1]].round(6).tolist()
        [4.0, 10.0]
        """
        from dalembert.results.inverse_dynamics import inverse

        return inverse(self.written, motion, weight)

    def integrals(self) -> Integrals:
        """Return first integrals, which stay constant along every motion: energies and momenta, by name.

        >>> kepler = System(coordinates="r phi", kinetic="m*(r'^2 + r^2*phi'^2)/2", potential="-k/r",
        ...                 parameters={"m": 1, "k": 1}, initial={"r": 1, "phi'": 1})
        >>> [one.name for one in kepler.integrals()]
        ['energy', 'p_phi']
        >>> kepler.integrals()["p_phi"]
        m*r(t)**2*Derivative(phi(t), t)
        """
        from dalembert.survey.integrals import integrals_of

        return integrals_of(self.written)

    def reaction(self, name: str) -> list[Any]:
        """Return the reaction of a constraint as formulas by coordinate; DerivationError if others share its load."""
        from dalembert.forms.work import reaction

        return reaction(self.written, name)

    def without(self, *names: str) -> System:
        """Return the system without some constraints, and without outputs and events that ask for multipliers."""
        for name in names:
            if self.constraint(name).steered:
                text = f"`{name}` is a condition of a programme; take that away"
                raise ModelError(f'{text}, as in replace(programme={{"{name.partition(".")[0]}": None}})')
        if needed := sorted(self.followed & set(names)):
            text = f"forces depend on the reaction{'s' if len(needed) > 1 else ''} of {quoted(needed)}"
            raise ModelError(f"{text}, which nothing has without the constraint; change these forces first")
        kept, lost = self.put_sections(lambda expr: expr), {}
        for part in ("outputs", "events"):
            gone = [name for name in self.sections.get(part, {}) if name not in kept.get(part, {})]
            lost |= {part: dict.fromkeys(gone)} if gone else {}
        left = tuple(c for c in self.constraints if c.name not in names and not c.steered)
        return self.replace(constraints=left, **lost)

    def reduced(self, keep: Iterable[str] = ()) -> System:
        """Return the system in fewer coordinates: constraints that are linear in one of them are solved for it.

        `keep` names constraints and coordinates that stay as they are.
        """
        from dalembert.survey.reduction import reduce_system

        if self.holding:
            text = "the conditions of a programme have no ideal reactions, and no coordinates can be solved for by them"
            raise ModelError(f"{text}; take [programme] away first")
        return reduce_system(self.written, keep)

    def release(self, *names: str) -> Release:
        """Release some constraints: the freed system in few coordinates, and their reactions as formulas."""
        from dalembert.forms.release import Release

        return Release(self.written, names)

    def save(self, path: str | Path) -> None:
        """Write the system as a model file."""
        from dalembert.model.textfile import save

        save(self, path)

    def export(self, path: str | Path, to: str, form: str = "multipliers") -> list[Path]:
        """Write the equations for other programs and return the files: to "c", "numpy", "jax" or "latex"."""
        from dalembert.native.export import export

        return export(self.written, path, to, form)

    def document(self) -> Section:
        """Return what the system consists of, as it is shown."""
        from dalembert.model.system_document import system_document

        return system_document(self.written)

    def __str__(self) -> str:
        from dalembert.model.writing import to_toml

        return to_toml(self)

    def __repr__(self) -> str:
        counts = [counted(self.mechanical, "coordinate"), counted(len(self.constraints), "constraint")]
        counts += [counted(len(self.states), "state")] if self.states else []
        return f"<System {self.name!r}: {', '.join(counts)}>"
