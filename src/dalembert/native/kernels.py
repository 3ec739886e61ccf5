"""The kernels of a system: compiled once, kept on disk, called with t, q, v and parameters.

    kernel = system.compile()              or compile("minimal"), "explicit", …
    result = kernel(t, q, v)               q, v of shape (…, n): one state or many
    result.acceleration, result.multipliers, result.reaction

Parameters are inputs: other values need no new derivation and no new compilation.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from dalembert.arguments import array, choice
from dalembert.arrays import Array
from dalembert.blocks.assembled import is_large
from dalembert.blocks.numeric import parameter_values, pilot_parameters
from dalembert.blocks.programs import programs
from dalembert.errors import DerivationError, ModelError, SimulationError
from dalembert.forms import FORMS
from dalembert.language.building import Expr
from dalembert.model.facts import PARAMETERS, STRUCTURE
from dalembert.model.modes import mode_inputs
from dalembert.model.system import System
from dalembert.native import cache as disk
from dalembert.native import constraint_rank, machine
from dalembert.native.articulated import ArticulatedBuilder
from dalembert.native.builder import Builder
from dalembert.native.codegen import to_llvm
from dalembert.native.groups import Group, find
from dalembert.native.groups.expressions import Expressions
from dalembert.native.groups.form import DEFECT
from dalembert.native.groups.numbers import BlockNumbers, attach
from dalembert.native.groups.one_step import MOST, OneStep, StepMethod
from dalembert.native.identity import is_lasting, model_text
from dalembert.native.machine import Compiled
from dalembert.native.module import Module
from dalembert.native.no_values import refuse_values
from dalembert.native.values import CanonicalRates, Energies, Jacobians, QuasiRates, Result, SolvedStates
from dalembert.survey.paradox import refuse_undetermined

_NEWTON = 20
_LEFT = 1e-6  # relative residual that no step removes
_NOTHING = 1e-30  # steps that shrink beyond this go on to shrink, and change nothing
_FAR = 100.0  # a residual in the size of the step above which the step is not meant to remove it
_SHORT = 1e-6  # a length, or speed, by which residuals are measured at least: beside nothing there is rounding


class Kernels:
    """All kernels of a system, with accelerations in the given form when it is called."""

    def __init__(self, system: System, form: str = "multipliers"):
        choice(form, list(FORMS), "form", "forms", DerivationError)
        refuse_undetermined(system)
        self.system, self.form = system, form
        kind = FORMS[form]
        self.beside, self.conversion, self.chooses, self.shared = (
            kind.beside,
            kind.conversion,
            kind.chooses,
            kind.shared,
        )
        self.n, self.s = len(system.coordinates), len(system.constraints)
        self._compiled: dict[str, Compiled] = {}
        self._extra: dict[str, Group] = {}
        self._group("core" if self.shared else form)

    def __repr__(self) -> str:
        return f"<Kernels of {self.system!r} in the form {self.form}>"

    # --- calls -------------------------------------------------------------------------------------------------------

    def __call__(self, t: Any, q: Any, v: Any, parameters: Any = None) -> Result | CanonicalRates | QuasiRates:
        """Return accelerations and reactions; of a form with momenta or quasi-velocities in place of v, its rates."""
        if self.shared:
            return self.accelerations(t, q, v, parameters)
        n, inputs = self.n, self.inputs(t, q, v, parameters)
        rows = inputs.reshape(-1, inputs.shape[-1])
        out = self._group(self.form).run(self.form, rows)
        if not self.conversion:
            self._stand_in(out, rows)
        self._check(self.form, out, rows)
        out = out.reshape(*inputs.shape[:-1], out.shape[1])
        first, second, rest = out[..., :n], out[..., n : 2 * n], out[..., 2 * n :]
        rates = CanonicalRates if self.beside == "p" else QuasiRates
        return rates(first, second, rest) if self.conversion else Result(first, second, defect=rest[..., 0])

    def _stand_in(self, out: Array, rows: Array) -> None:
        """Take the values of the shared solver where the choices of a form fail, as where its coordinates turn back."""
        n = self.n
        failed = ~(np.all(np.isfinite(out), axis=1) & (out[:, 2 * n] < DEFECT))
        if np.any(failed):
            t, q, v, values = np.split(rows[failed], [1, 1 + n, 1 + 2 * n], axis=1)
            found = self.accelerations(t[:, 0], q, v, values)
            out[failed, :n], out[failed, n : 2 * n], out[failed, 2 * n] = found.acceleration, found.reaction, 0.0

    def accelerations(self, t: Any, q: Any, v: Any, parameters: Any = None) -> Result:
        """Return q̈, λ and r, with the rank and the conditioning of A."""
        inputs = self.inputs(t, q, v, parameters)
        out, entries, powers = self._everything(inputs)
        found = self._solution(out, inputs)
        reaction = np.zeros_like(found.acceleration)
        for columns, some in self._rounds:
            reaction[..., columns] += entries[..., some]
        return Result(found.acceleration, reaction, found.multipliers, found.rank, found.conditioning, powers=powers)

    def solved(self, inputs: Array) -> SolvedStates:
        """Return what of it is the solution of the equations, of states that are laid out already: the least work."""
        return self._solution(self._evaluate("core", "accelerations", inputs), inputs)

    def _solution(self, out: Array, inputs: Array) -> SolvedStates:
        found, conditioning = out[..., -3].astype(int), out[..., -2]
        doubtful = ~(conditioning > constraint_rank.CLEAR)
        if self.s and np.any(doubtful):
            found[doubtful] = constraint_rank.count(self, inputs[doubtful])
            for place, rows in mode_inputs(
                self.system
            ):  # conditions that are gone while something slides repeat no others
                found[doubtful] += rows * (inputs[doubtful][..., place] == 0.0)
        return SolvedStates(out[..., : self.n], out[..., self.n : self.n + self.s], found, conditioning)

    def conditioning(self, t: float, q: Array, v: Array, parameters: Array) -> float:
        """Return the conditioning of A at one state; 0 where its rows depend on each other, or nearly."""
        row = np.concatenate(([t], q, v, parameters))[None]
        out = self._group("core").run("everything", row)
        values = out[0].tolist()
        found, conditioning, positive = values[self.n + self.s :][:3]
        if not (positive > 0 and math.isfinite(sum(values))):
            self._check("everything", out, row)
        return conditioning if found == self.s and conditioning > constraint_rank.CLEAR else 0.0

    def reaction(self, name: str, t: Any, q: Any, v: Any, parameters: Any = None) -> Array:
        """Return the reaction of one constraint, one value for each coordinate."""
        wanted = self.system.constraints.index(self.system.constraint(name))
        entries = self._everything(self.inputs(t, q, v, parameters))[1]
        found = np.zeros((*entries.shape[:-1], self.n))
        for k, (i, j) in enumerate(self._group("core").facts["pattern"]):
            if i == wanted:
                found[..., j] = entries[..., k]
        return found

    def reactions(self, t: Any, q: Any, v: Any, parameters: Any = None) -> dict[str, Array]:
        """Return the reaction of every constraint, one value for each coordinate."""
        entries = self._everything(self.inputs(t, q, v, parameters))[1]
        found = [np.zeros((*entries.shape[:-1], self.n)) for _ in range(self.s)]
        for k, (i, j) in enumerate(self._group("core").facts["pattern"]):
            found[i][..., j] = entries[..., k]
        return {constraint.name: part for constraint, part in zip(self.system.constraints, found, strict=True)}

    def residuals(self, t: Any, q: Any, v: Any, parameters: Any = None) -> tuple[Array, Array]:
        """Return g and ψ, one value for each constraint; zero where a constraint has no residual of that level."""
        out = self.evaluate("core", "residuals", t, q, v, parameters)
        return out[..., : self.s], out[..., self.s :]

    def energies(self, t: Any, q: Any, v: Any, parameters: Any = None, powers: Array | None = None) -> Energies:
        """Return energies and powers; none of systems given by matrices. `powers`: of the constraints, if known."""
        if self.system.kinetic is None:
            raise ModelError("a system given by matrices has no energies")
        out = self.evaluate("core", "energies", t, q, v, parameters)
        if powers is None:
            powers = self._everything(self.inputs(t, q, v, parameters))[2]
        return Energies(*np.moveaxis(out, -1, 0), constraints=powers)

    def project_positions(self, t: Any, q: Any, v: Any, parameters: Any = None) -> Array:
        """Return the positions moved onto g = 0, least in the mass norm; raise SimulationError if none is found."""
        return self._project("position_step", t, self._vector(q, "q"), v, parameters, moves="q")

    def project_velocities(self, t: Any, q: Any, v: Any, parameters: Any = None) -> Array:
        """Return the velocities moved onto ψ = 0, least in the mass norm; raise SimulationError if none is found."""
        return self._project("velocity_step", t, q, self._vector(v, "v"), parameters, moves="v")

    def jacobians(self, t: float, q: Any, v: Any, a: Any, multipliers: Any, parameters: Any = None) -> Jacobians:
        """Return the sparse Jacobians at one state, for given accelerations and multipliers."""
        compiled = self._group("implicit")
        for name, values, size in (("a", a, self.n), ("multipliers", multipliers, self.s)):
            if np.size(values) != size:
                raise ModelError(f"`{name}` needs {size} values, got {np.size(values)}")
        inputs = np.concatenate([self.inputs(t, q, v, parameters).ravel(), np.ravel(a), np.ravel(multipliers)])
        out = compiled.run("jacobian", inputs[None])
        self._check("jacobian", out, inputs[None])
        values = out[0]
        shapes = dict.fromkeys(("C_q", "C_v", "A"), (self.s, self.n)) | {"F_l": (self.n, self.s)}
        found, start = {}, 0
        for name, pattern in compiled.facts["patterns"].items():
            places = np.array(pattern, dtype=int).reshape(-1, 2)
            part = values[start : start + len(places)]
            found[name] = sp.csr_array((part, (places[:, 0], places[:, 1])), shapes.get(name, (self.n, self.n)))
            start += len(places)
        return Jacobians(**found)

    # --- what is underneath ------------------------------------------------------------------------------------------

    def evaluate(self, group: str, name: str, t: Any, q: Any, v: Any, parameters: Any = None) -> Array:
        """Call any kernel: the outputs, one row for each state."""
        return self._evaluate(group, name, self.inputs(t, q, v, parameters))

    def _evaluate(self, group: str, name: str, inputs: Array) -> Array:
        rows = inputs.reshape(-1, inputs.shape[-1])
        out = self._group(group).run(name, rows)
        self._check(name, out, rows)
        return out.reshape(*inputs.shape[:-1], out.shape[1])

    def run(self, group: str, name: str, rows: Array) -> Array:
        """Call any kernel with rows of inputs as it reads them."""
        return self._group(group).run(name, rows)

    def inputs(self, t: Any, q: Any, v: Any, parameters: Any = None) -> Array:
        """Lay out t, q, v and the parameters as kernels read them, one row for each state."""
        q, v = self._vector(q, "q"), self._vector(v, self.beside)
        values = self._parameters(parameters)
        t = array("t", t, copy=False)
        try:
            shape = np.broadcast_shapes(t.shape, q.shape[:-1], v.shape[:-1], values.shape[:-1])
        except ValueError:
            shapes = f"t {t.shape}, q {q.shape}, v {v.shape}, parameters {values.shape}"
            raise ModelError(f"t, q, v and parameters do not fit together as one state or many: {shapes}") from None
        inputs = np.empty((*shape, 1 + 2 * self.n + values.shape[-1]))
        inputs[..., 0] = t
        inputs[..., 1 : 1 + self.n] = q
        inputs[..., 1 + self.n : 1 + 2 * self.n] = v
        inputs[..., 1 + 2 * self.n :] = values
        return inputs

    def to_state(self, t: Any, q: Any, v: Any, parameters: Any = None) -> Array:
        """Return what belongs to q in the state of the form: the velocities, or the momenta that belong to them."""
        return self.evaluate(self.form, self.conversion, t, q, v, parameters) if self.conversion else v

    def from_state(self, t: Any, q: Any, second: Any, parameters: Any = None) -> Array:
        """Return the velocities of a state of the form, of which `second` is what stands beside q."""
        found = self.evaluate(self.form, self.form, t, q, second, parameters) if self.conversion else second
        return found[..., : self.n]

    def expressions(self, outputs: Sequence[Expr], multipliers: Mapping[str, int]) -> str:
        """Make a group whose kernel `expressions` evaluates these, and return its name.

        `multipliers` says which names in them stand for the multipliers of which constraints.
        """
        return self.add(Expressions(outputs, multipliers))

    def add(self, group: Group) -> str:
        """Take a group of one's own, and return its name."""
        self._extra[group.name] = group
        return group.name

    def one_step(self, method: StepMethod, well: float) -> str | None:
        """Name the group with the kernel of a whole step; None if the equations are too long for that.

        `well` is the conditioning below which it does not trust plain elimination.
        """
        if len(method.weights) * self._group("direct").facts.get("operations", MOST) > MOST:
            return None
        return self.add(OneStep(method, well))

    def hasten(self) -> None:
        """Let the blocks of the system be evaluated as numbers by native code from now on; the bits are the same."""
        if not is_large(self.system) and programs(self.system).native is None:
            attach(programs(self.system), self._group(BlockNumbers.name))

    def address(self, group: str, name: str) -> int:
        """Return the address of a kernel, void f(double *out, const double *in, double *work)."""
        return self._group(group).library.address(name)

    def group(self, name: str) -> Compiled:
        """Return the compiled code of a group."""
        return self._group(name)

    def facts(self, group: str) -> dict[str, Any]:
        """Return what is known of a group."""
        return self._group(group).facts

    def workspace(self, group: str) -> int:
        """Return how many doubles a group needs as workspace."""
        return self._group(group).work

    def _everything(self, inputs: Array) -> tuple[Array, Array, Array]:
        """Return q̈, λ and the condition of the matrix; the entries Aᵢⱼ λᵢ; the powers of the constraints."""
        out = self._evaluate("core", "everything", inputs)
        first, last = self.n + self.s + 3, out.shape[-1] - self.s
        return out[..., :first], out[..., first:last], out[..., last:]

    @cached_property
    def _rounds(self) -> list[tuple[Array, Array]]:
        """Columns of A that have a first entry, and which it is; those that have a second one; and so on."""
        columns = np.array([j for _, j in self._group("core").facts["pattern"]], dtype=int)
        order = np.argsort(columns, kind="stable")
        begins = np.searchsorted(columns[order], columns[order])
        turns = np.arange(len(order)) - begins
        return [(columns[some], some) for k in range(turns.max(initial=-1) + 1) for some in [order[turns == k]]]

    def _vector(self, values: Any, name: str) -> Array:
        found = array(name, values, copy=False)
        if found.ndim == 0 or found.shape[-1] != self.n:
            got = found.shape[-1] if found.ndim else "a number"
            names = ", ".join(self.system.coordinates[:8]) + (", …" if self.n > 8 else "")
            raise ModelError(f"{name} needs {self.n} values, one for each coordinate ({names}); got {got}")
        return found

    def _parameters(self, given: Any) -> Array:
        if given is None or isinstance(given, Mapping):
            plain = {key if isinstance(key, str) else str(key): value for key, value in (given or {}).items()}
            values = parameter_values(self.system, dict.fromkeys(plain, 0.0))
            columns = [array(k, plain.get(k, x)) for k, x in zip(self.system.parameters, values, strict=True)]
            return np.stack(np.broadcast_arrays(*columns), axis=-1) if columns else np.zeros(0)
        found = array("parameters", given, copy=False)
        expected = len(self.system.parameters)
        if found.ndim == 0 or found.shape[-1] != expected:
            names = ", ".join(self.system.parameters)
            raise ModelError(f"parameters need {expected} values ({names}), or some of them by name; got {found.shape}")
        return found

    def _check(self, name: str, out: Array, rows: Array) -> None:
        """Raise SimulationError where there is no finite value, and say where."""
        positive = np.ones(len(out), dtype=bool)
        if name in ("everything", "accelerations"):
            positive = out[:, self.n + self.s + 2] > 0
        if not (math.isfinite(out.sum()) and positive.all()):  # the quickest way to see that all is well
            refuse_values(self.system, bool(self.conversion), out, rows, ~positive)

    def _project(self, kernel: str, t: Any, q: Any, v: Any, parameters: Any, moves: str) -> Array:
        """Repeat Newton's step until it no longer matters."""
        before, last, x = np.inf, np.inf, q
        for _ in range(_NEWTON):
            out = self.evaluate("core", kernel, t, q, v, parameters)
            step, residual = out[..., : self.n], np.abs(out[..., self.n : self.n + self.s]).max(initial=0.0)
            q, v = (q + step, v) if moves == "q" else (q, v + step)
            x = q if moves == "q" else v
            size = max(_SHORT, np.abs(x).max(initial=0.0))  # of all: one that passes zero is rounded as the others are
            moved = np.abs(step).max(initial=0.0) / size
            steady = moved < 1e-14 and (moved >= 0.5 * last or moved < _NOTHING)
            if steady or (moved < 1e-9 and residual >= 0.5 * before):
                left = residual if residual > _FAR * np.abs(step).max(initial=0.0) else 0.0
                if left > _LEFT * size:
                    break  # a compromise between constraints that contradict each other
                return x
            before, last = residual, moved
        else:
            if last < 1e-14:  # where rank is nearly lost steps go on below rounding, each a part of the one before
                return x
        what = "positions" if moves == "q" else "velocities"
        raise SimulationError(f"no {what} that satisfy the constraints are near")

    # --- building ----------------------------------------------------------------------------------------------------

    def _group(self, name: str) -> Compiled:
        if name not in self._compiled:
            find = self.system.survey.find
            self._compiled[name] = find(PARAMETERS, ("good code", name), lambda: self._load(name))
        return self._compiled[name]

    def _load(self, name: str) -> Compiled:
        """Take the code that variants of the system share; build it anew if its choices fail for these values."""
        system, values = self.system, pilot_parameters(self.system)
        zero = ()
        if 0 in values.values():  # which may change what must come first
            zero = tuple(name for name, value in values.items() if value == 0)
        found = system.survey.find(STRUCTURE, ("code", name, zero), lambda: self._read(name, "", values))
        if found.facts["values"] == values or self._holds(name, found, values):
            return found
        return self._read(name, f"\n{values}", values)

    def _read(self, name: str, chosen: str, values: Mapping[str, float]) -> Compiled:
        """Take a group from disk, or build it; `chosen` tells it from others of the same model."""
        kinds = type(self._found(name)), *([FORMS[name]] if name in FORMS else [])
        if not is_lasting(self.system, *kinds):
            return Compiled(self._build(name, values))
        key = f"{name}\n{model_text(self.system)}{chosen}"
        entry = disk.read(key)
        if entry is None:
            entry = self._build(name, values)
            disk.write(key, entry)
        return Compiled(entry)

    def _build(self, name: str, values: Mapping[str, float]) -> disk.Entry:
        module = self._module(name)
        ir, layout = to_llvm(list(module.routines.values()), module.kernels.values(), module.rolled, module.exact)
        kernels = {kernel.name: (kernel.inputs, kernel.outputs) for kernel in module.kernels.values()}
        facts = {"kernels": kernels, "work": layout.size, "values": dict(values)}
        facts |= module.facts
        return disk.Entry(facts, machine.compile_object(ir, self._found(name).level, self._found(name).hurry))

    def _found(self, name: str) -> Group:
        return self._extra.get(name) or find(name)

    @cached_property
    def _builder(self) -> Builder:
        return ArticulatedBuilder(self.system) if self.system.defined else Builder(self.system)

    def _module(self, name: str) -> Module:
        """Put a group on tapes."""
        return self._found(name).module(self.system, lambda: self._builder)

    def _holds(self, name: str, compiled: Compiled, values: Mapping[str, float]) -> bool:
        """Tell whether choices made with other values of the parameters are good for these."""
        return self._found(name).holds(self, compiled, values)
