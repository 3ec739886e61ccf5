"""A Python module that needs NumPy only: functions of t, q, v and the parameters, for one state or many."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from textwrap import fill

from dalembert.forms import FORMS
from dalembert.language.curve_code import NUMPY
from dalembert.language.functions import sources
from dalembert.model.system import System
from dalembert.native.codegen import Kernel
from dalembert.native.export.foreign_names import identifiers, listed, origin, states, title
from dalembert.native.export.modules import module_of
from dalembert.native.export.straight import stacked, statements
from dalembert.native.module import Module

_LARGEST = 200_000  # operations, of which Python reads some hundred thousand in a second

HEAD = '''"""{title}.

{origin}

{contents}

q and v have shape (…, {n}), t and the parameters any shape that goes with …: one state or many. `parameters` are
changes of the values below by name, or the values of all in their order.

{names}
"""

from __future__ import annotations

import {imports}

{settings}COORDINATES = {coordinates!r}
CONSTRAINTS = {constraints!r}
PARAMETERS = {parameters!r}
'''
_FILLED = """    {u} = np.asarray({u}, float)
    if {u}.shape[-1:] != ({count},):
        raise ValueError(f"expected {count} quasi-velocities; got {{{u}.shape}}")
    {u} = np.concatenate([{u}, np.zeros((*{u}.shape[:-1], {missing}))], axis=-1)
"""
_PREPARE = '''

def _prepared(t, q, v, parameters):
    """Return the inputs one by one, and the shape of the states."""
    q, v, t = np.asarray(q, float), np.asarray(v, float), np.asarray(t, float)
    for values in (q, v):
        if values.ndim == 0 or values.shape[-1] != len(COORDINATES):
            raise ValueError(f"expected {len(COORDINATES)} values, one for each of {COORDINATES}; got {values.shape}")
    if parameters is None or isinstance(parameters, dict):
        unknown = [name for name in parameters or {} if name not in PARAMETERS]
        if unknown:
            raise ValueError(f"no parameter {unknown[0]!r}; there are {', '.join(PARAMETERS) or 'none'}")
        parameters = {**PARAMETERS, **(parameters or {})}.values()
        given = [np.asarray(np.nan if value is None else value, float)[()] for value in parameters]
    else:
        parameters = np.asarray(parameters, float)
        if parameters.shape[-1:] != (len(PARAMETERS),):
            raise ValueError(f"expected {len(PARAMETERS)} parameters ({', '.join(PARAMETERS)}); got {parameters.shape}")
        given = [parameters[..., k] for k in range(len(PARAMETERS))]
    shape = np.broadcast_shapes(t.shape, q.shape[:-1], v.shape[:-1], *(value.shape for value in given))
    return shape, [t[()], *np.moveaxis(q, -1, 0), *np.moveaxis(v, -1, 0), *given]


def _stack(shape, *values):
    out = np.empty((*shape, len(values)))
    for k, value in enumerate(values):
        out[..., k] = value
    return out


def _where(holds, values):
    """Return nan where a condition does not hold."""
    return np.where(np.expand_dims(holds, -1), values, np.nan)
'''


def files(system: System, path: Path, form: str) -> dict[Path, str]:
    """Return the module."""
    return {path: _text(system, form, module_of(system, form, _LARGEST))}


@dataclass(frozen=True)
class _NumPyFunction:
    """One function of the module: its name, what it gives in letters and in words, and as expressions to return."""

    name: str
    letters: str
    words: str
    kernel: Kernel
    results: list[str]
    rate: str = "v"  # what stands in the place of velocities
    count: int | None = None  # of it, if there are fewer than coordinates: zeros are put behind

    @property
    def call(self) -> str:
        return f"{self.name}(t, q, {self.rate}, parameters=None)"


def _text(system: System, form: str, module: Module) -> str:
    functions = list(_functions(system, form, module))
    contents = "\n".join(f"    {function.letters} = {function.call}" for function in functions)
    used = {node[0] for routine in module.routines.values() for node in routine.tape.nodes}
    text = head(system, form, contents, "numpy as np") + "".join(sources(used, NUMPY)) + _PREPARE
    inputs = ["t"]
    for letter, names in (("q", system.coordinates), ("v", system.coordinates), ("p", system.parameters)):
        inputs += [f"{letter}_{name}" for name in identifiers(names)]
    for function in functions:
        text += f'\n\ndef {function.call}:\n    """{function.words}"""\n'
        if function.count is not None:
            missing = len(system.coordinates) - function.count
            text += _FILLED.format(u=function.rate, count=function.count, missing=missing)
        text += f"    shape, inputs = _prepared(t, q, {function.rate}, parameters)\n"
        text += fill(", ".join(inputs), 100, initial_indent="    (", subsequent_indent="     ") + ",) = inputs\n"
        if lines := statements(function.kernel, module.routines, inputs):
            text += '    with np.errstate(all="ignore"):\n' + "".join(f"        {line}\n" for line in lines)
        comma = "," if len(function.results) > 1 else ""
        text += "    return (\n" + "".join(f"        {result}{comma}\n" for result in function.results) + "    )\n"
    return text


def head(system: System, form: str, contents: str, imports: str, settings: str = "") -> str:
    """Write the beginning of a Python module: what is in it, and the names of the model."""
    constraints = [constraint.name for constraint in system.constraints]
    names = [*listed("Coordinates", system.coordinates), *states(system), *listed("Constraints", constraints)]
    return HEAD.format(
        title=title(system).replace("\\", "/"),
        origin=origin(form),
        contents=contents,
        n=len(system.coordinates),
        names="\n".join(names),
        imports=imports,
        settings=settings,
        coordinates=tuple(system.coordinates),
        constraints=tuple(constraints),
        parameters=dict(system.parameters),
    )


def _functions(system: System, form: str, module: Module) -> Iterator[_NumPyFunction]:
    """Give the functions of a form."""
    n, s, kernels = len(system.coordinates), len(system.constraints), module.kernels

    def parts(kernel: Kernel, *places: tuple[int, int]) -> list[str]:
        last = module.routines[[call for call in kernel.calls if isinstance(call, str)][-1]]
        return [stacked(first, count, lambda k: ("out", k) in last.stores) for first, count in places]

    main = kernels["accelerations" if FORMS[form].shared else form]
    if FORMS[form].beside == "u":
        m = module.facts["count"]
        words = (
            f"Return the rates of positions and of the {m} quasi-velocities u, and the reaction, from u in place of v."
        )
        results = parts(main, (0, n), (n, m), (2 * n, n))
        yield _NumPyFunction("rates", "q_rate, u_rate, r", words, main, results, rate="u", count=m)
        velocities = kernels["velocities"]
        words = "Return the quasi-velocities u of t, q and v."
        yield _NumPyFunction("velocities", "u", words, velocities, parts(velocities, (0, m)))
    elif FORMS[form].beside == "p":
        words = "Return the rates of positions and momenta, and the reaction, from the momenta p in place of v."
        results = parts(main, (0, n), (n, n), (2 * n, n))
        yield _NumPyFunction("rates", "q_rate, p_rate, r", words, main, results, rate="p")
        momenta = kernels["momenta"]
        yield _NumPyFunction("momenta", "p", "Return the momenta p = M v + l.", momenta, parts(momenta, (0, n)))
    elif FORMS[form].shared:
        words = "Return accelerations and multipliers; of redundant constraints these are the ones of least norm.\n\n"
        words += "    They are nan where M is not positive definite.\n    "
        if system.followed:
            words += "So they are where forces that depend on multipliers have no solution, or several.\n    "
        results = [f"_where(out_{n + s + 2} > 0, {part})" for part in parts(main, (0, n), (n, s))]
        yield _NumPyFunction("accelerations", "a, lam", words, main, results)
    else:
        words = "Return accelerations and the reaction r = M a − f on each coordinate."
        yield _NumPyFunction("accelerations", "a, r", words, main, parts(main, (0, n), (n, n)))
    residuals = kernels["residuals"]
    words = "Return the residuals of positions and of velocities, one for each constraint."
    yield _NumPyFunction("residuals", "g, psi", words, residuals, parts(residuals, (0, s), (s, s)))
    if "energies" in kernels:
        words = "Return kinetic and potential energy, T₂ − T₀ + V, the powers of forces and of what depends on time."
        results = [f"np.broadcast_to(out_{k}, shape)[()]" for k in range(5)]
        yield _NumPyFunction("energies", "T, V, E, P, P_t", words, kernels["energies"], results)
    if "matrices" in kernels:
        kernel = kernels["matrices"]
        M, f, A, c = parts(kernel, (0, n * n), (n * n, n), (n * n + n, s * n), (n * n + n + s * n, s))
        results = [f"{M}.reshape(*shape, {n}, {n})", f, f"{A}.reshape(*shape, {s}, {n})", c]
        words = "Return M, f, A, c of M a = f + Aᵀλ, A a = c"
        words += "; f without forces that depend on λ." if system.followed else "."
        yield _NumPyFunction("matrices", "M, f, A, c", words, kernel, results)
