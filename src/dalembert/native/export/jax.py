"""A Python module for JAX: the same functions, to be differentiated, vectorised and compiled by it."""

from __future__ import annotations

from pathlib import Path
from textwrap import fill
from typing import Any

from dalembert.algebra import quasidefinite
from dalembert.algebra.tape import Node
from dalembert.algebra.writing.numerals import numbers
from dalembert.errors import DerivationError, quoted
from dalembert.forms import FORMS
from dalembert.forms.canonical import objection
from dalembert.forms.prepared import scene_of
from dalembert.forms.quasi_velocities import quasi_velocities
from dalembert.language.calculus import ZERO
from dalembert.language.curve_code import NUMPY
from dalembert.language.functions import OPERATIONS, Function, lent, sources
from dalembert.model.system import System
from dalembert.native.builder import Builder
from dalembert.native.export.levels import levels
from dalembert.native.export.numpy import head
from dalembert.native.groups.core import energy_outputs
from dalembert.native.routine import Routine
from dalembert.native.solver import REFINEMENTS

_OVERHEAD = 40  # operations that take as long as a step of the loop itself
_LARGEST = 2_000  # coordinates and constraints: the matrices are full

_IMPORTS = """jax
import jax.numpy as jnp
import numpy as np
from jax.scipy.linalg import cho_solve, solve_triangular"""
_SETTINGS = """jax.config.update("jax_enable_x64", True)  # constraints and energies need double precision

"""
_CODE = '''
_OPERATIONS = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "neg": lambda a: -a,
    "inverse": lambda a: jnp.where(a == 0, jnp.inf, 1 / jnp.where(a == 0, 1, a)),
    # functions
}


def _values(t, q, v, parameters):
    """Run the tape."""
    q, v, n = jnp.asarray(q, float), jnp.asarray(v, float), len(COORDINATES)
    if q.shape != (n,) or v.shape != (n,):
        raise ValueError(f"expected q and v of shape ({n},), got {q.shape} and {v.shape}; jax.vmap takes many states")
    if parameters is None or isinstance(parameters, dict):
        unknown = [name for name in parameters or {} if name not in PARAMETERS]
        if unknown:
            raise ValueError(f"no parameter {unknown[0]!r}; there are {', '.join(PARAMETERS) or 'none'}")
        changed = {**PARAMETERS, **(parameters or {})}.values()
        parameters = [jnp.nan if value is None else value for value in changed]
    given = [jnp.asarray(value, float).reshape(-1) for value in (t, q, v, *parameters)]
    given = jnp.concatenate([*given, jnp.array([*_CONSTANTS, 0.5])])
    work = jnp.append(given, jnp.zeros(_KINDS.size * _WIDTH))
    branches = [_branch(*kind) for kind in _NAMES]

    def step(work, row):
        kind, places, start = row
        results = jax.lax.switch(kind, branches, *_at(work, places))
        return jax.lax.dynamic_update_slice(work, results, (start,)), None

    if _STEPS:
        starts = len(given) + _WIDTH * np.arange(_KINDS.size)
        work, _ = jax.lax.scan(step, work, (_KINDS, _ROWS, starts))
    return _at(work, _RESULTS)


def _branch(name, count):
    operation = _OPERATIONS[name]
    return lambda *operands: operation(*operands[:count])


def _packed():
    """Lay out the tape in rows of one width, so that a loop can run them; what is empty reads the spare 0.5."""
    spare = 1 + 2 * len(COORDINATES) + len(PARAMETERS) + len(_CONSTANTS)
    place = np.arange(spare + sum(len(column) for _, column, *_ in _STEPS))
    names = sorted({(name, len(columns)) for name, *columns in _STEPS})
    kinds, rows, done = [], [], spare
    for name, *columns in _STEPS:
        for start in range(0, len(columns[0]), _WIDTH):
            row = np.full((max(count for _, count in names), _WIDTH), spare)
            for k, column in enumerate(columns):
                part = column[start : start + _WIDTH]
                row[k, : len(part)] = place[part]
            count = len(columns[0][start : start + _WIDTH])
            place[done : done + count] = spare + 1 + _WIDTH * len(rows) + np.arange(count)
            done += count
            kinds.append(names.index((name, len(columns))))
            rows.append(row)
    return names, np.array(kinds, int), np.array(rows, int), place[np.array(_OUTPUTS, int)]


_NAMES, _KINDS, _ROWS, _RESULTS = _packed()


def _at(values, places):
    return values.at[places].get(mode="promise_in_bounds")


def _full(entries, places, shape):
    """Return a matrix with some entries, by their rows and columns."""
    where = np.full(shape, len(places))
    for k, place in enumerate(places):
        where[place] = k
    return _at(jnp.append(entries, 0.0), where)


def _blocks(values):
    """Return M, f, A, c and what else the tape gives."""
    n, s = len(COORDINATES), len(CONSTRAINTS)
    M, f, A, c, rest = jnp.split(values, np.cumsum(np.array([len(_M), n, len(_A), s])))
    return _full(M, _M, (n, n)), f, _full(A, _A, (s, n)), c, rest


def _solve(M, f, A, c, rho):
    """Solve M a = f + Aᵀλ, A a = c.

    A M⁻¹Aᵀ gets a small part of its diagonal, which lets dependent rows pass; refinement on the whole removes its
    effect and leaves the multipliers of least norm. ρᵢ AᵢᵀAᵢ makes a singular M positive definite and changes nothing.
    """
    M, f = M + A.T @ (rho[:, None] * A), f + A.T @ (rho * c)
    frozen = jax.lax.stop_gradient(A)  # factors only bring the solution near; refinement carries the derivatives
    factor = jnp.linalg.cholesky(jax.lax.stop_gradient(M))
    half = solve_triangular(factor, frozen.T, lower=True)
    size = jnp.sum(half**2, axis=0)
    scale = jnp.where(size > 0, 1 / jnp.sqrt(jnp.where(size > 0, size, 1)), 0)  # a row that vanishes is no condition
    S = (half * scale).T @ (half * scale)
    pivots = jnp.linalg.cholesky(S + jnp.diag(jnp.where(size > 0, {epsilon}, 1.0)))

    def refine(_, found):
        a, lam = found
        free = cho_solve((factor, True), f - M @ a + A.T @ lam)
        step = scale * cho_solve((pivots, True), scale * (c - A @ a - frozen @ free))
        return a + free + cho_solve((factor, True), frozen.T @ step), lam + step

    return jax.lax.fori_loop(0, {turns}, refine, (jnp.zeros_like(f), jnp.zeros_like(c)))
'''
_MULTIPLIERS = '''

def accelerations(t, q, v, parameters=None):
    """Return accelerations and multipliers; of redundant constraints these are the ones of least norm."""
    M, f, A, c, rest = _blocks(_values(t, q, v, parameters))
    return _solve(M, f, A, c, rest[: len(CONSTRAINTS)])
'''
_REACTIONS = '''

def accelerations(t, q, v, parameters=None):
    """Return accelerations and the reaction r = M a − f on each coordinate."""
    M, f, A, c, rest = _blocks(_values(t, q, v, parameters))
    a, lam = _solve(M, f, A, c, rest[: len(CONSTRAINTS)])
    return a, A.T @ lam
'''
_CANONICAL = '''

def rates(t, q, p, parameters=None):
    """Return the rates of positions and momenta, and the reaction, from the momenta p in place of v."""
    n = len(COORDINATES)
    M, _, A, _, rest = _blocks(_values(t, q, jnp.zeros(n), parameters))
    v = jnp.linalg.solve(M + A.T @ (rest[: len(CONSTRAINTS), None] * A), p - rest[-2 * n : -n])
    M, f, A, c, rest = _blocks(_values(t, q, v, parameters))
    r = A.T @ _solve(M, f, A, c, rest[: len(CONSTRAINTS)])[1]
    return v, rest[-n:] + r, r


def momenta(t, q, v, parameters=None):
    """Return the momenta p = M v + l."""
    n = len(COORDINATES)
    M, _, A, _, rest = _blocks(_values(t, q, v, parameters))
    return (M + A.T @ (rest[: len(CONSTRAINTS), None] * A)) @ jnp.asarray(v, float) + rest[-2 * n : -n]
'''
_QUASI = '''

def rates(t, q, u, parameters=None):
    """Return the rates of positions and of the {count} quasi-velocities u, and the reaction, from u in place of v."""
    n, s, u = len(COORDINATES), len(CONSTRAINTS), jnp.asarray(u, float)
    if u.shape != ({count},):
        raise ValueError(f"expected {count} quasi-velocities, got {u.shape}; jax.vmap takes many states")
    _, _, A, _, rest = _blocks(_values(t, q, jnp.zeros(n), parameters))
    W, w, _ = _combined(rest)
    stack = jnp.concatenate([A[np.array(_KEPT, int)], W])
    v = jnp.linalg.solve(stack, jnp.concatenate([-rest[2 * s : 3 * s][np.array(_KEPT, int)], u - w]))
    M, f, A, c, rest = _blocks(_values(t, q, v, parameters))
    a, lam = _solve(M, f, A, c, rest[:s])
    W, _, turning = _combined(rest)
    return v, W @ a + turning, A.T @ lam


def velocities(t, q, v, parameters=None):
    """Return the quasi-velocities u of t, q and v."""
    W, w, _ = _combined(_blocks(_values(t, q, v, parameters))[-1])
    return W @ jnp.asarray(v, float) + w


def _combined(rest):
    """Return W and w of u = W v + w, and the rates of W v + w at constant v."""
    W, w, turning = jnp.split(rest[len(rest) - len(_W) - 2 * {count} :], np.array([len(_W), len(_W) + {count}]))
    return _full(W, _W, ({count}, len(COORDINATES))), w, turning
'''
_RESIDUALS = '''

def residuals(t, q, v, parameters=None):
    """Return the residuals of positions and of velocities, one for each constraint."""
    s, rest = len(CONSTRAINTS), _blocks(_values(t, q, v, parameters))[-1]
    return rest[s : 2 * s], rest[2 * s : 3 * s]
'''
_ENERGIES = '''

def energies(t, q, v, parameters=None):
    """Return kinetic and potential energy, T₂ − T₀ + V, the powers of forces and of what depends on time."""
    s, rest = len(CONSTRAINTS), _blocks(_values(t, q, v, parameters))[-1]
    return tuple(rest[3 * s : 3 * s + 5])
'''
_MATRICES = '''

def matrices(t, q, v, parameters=None):
    """Return M, f, A, c of M a = f + Aᵀλ, A a = c."""
    return _blocks(_values(t, q, v, parameters))[:4]
'''


def files(system: System, path: Path, form: str) -> dict[Path, str]:
    """Return the module."""
    if system.followed:
        text = f"forces depend on the reactions of {quoted(sorted(system.followed)[:6])}, which is not written for JAX"
        raise DerivationError(f"{text}; export to numpy or c")
    size = len(system.coordinates) + len(system.constraints)
    if size > _LARGEST:
        text = (
            f"{size:,} coordinates and constraints; for JAX, which takes full matrices, up to {_LARGEST:,} are written"
        )
        raise DerivationError(f"the system has {text}; export to c, which has loops for such systems")
    builder = Builder(system)
    main = _main(builder, form)
    functions = main + _RESIDUALS + (_ENERGIES if system.kinetic is not None else "") + _MATRICES
    heads = [line[4:-1] for line in functions.split("\n") if line.startswith("def ")]
    contents = "\n".join(f"    {line}" for line in heads)
    text = head(system, form, contents, _IMPORTS, _SETTINGS)
    solver = _CODE.replace("{epsilon}", repr(quasidefinite.EPSILON)).replace("{turns}", str(REFINEMENTS + 1))
    tables, used = _tables(builder, form)
    rows = [*OPERATIONS.values(), *(row for name in sorted(used) if (row := lent(name)))]
    solver = solver.replace("    # functions", "\n".join(map(_function, rows)))
    own = "".join(sources(used, NUMPY)).replace("np.", "jnp.")
    return {path: text + tables + own + solver + functions}


def _main(builder: Builder, form: str) -> str:
    """Return the functions of a form; refuse a system that has none."""
    system, beside = builder.system, FORMS[form].beside
    if beside == "p":
        if reason := objection(system, builder.added):
            raise DerivationError(reason)
        return _CANONICAL
    if beside == "u":
        if reason := FORMS[form]().refuse(scene_of(system)):
            raise DerivationError(reason)
        return _QUASI.replace("{count}", str(len(quasi_velocities(scene_of(system)).symbols)))
    return _MULTIPLIERS if FORMS[form].shared else _REACTIONS


def _tables(builder: Builder, form: str) -> tuple[str, set[str]]:
    """Write the tape: M, f, A, c, ρ, g, ψ, energies, and what a form has beside; and what it calls.

    The canonical form has l and ∂L/∂q + Q, quasi-velocities W, w₀ and ẇ.
    """
    routine, b = Routine("all"), builder.blocks
    _, A, added = builder.matrices(routine)
    rho: list[Node | float] = [added.get(i, 0.0) for i in range(builder.s)]
    residuals = [ZERO if r is None else r for r in (*b.g, *b.psi)]
    further = energy_outputs(builder.system, b) if builder.system.kinetic is not None else []
    own: list[Node | float] = []
    further_lists: dict[str, list] = {}
    if FORMS[form].beside == "p":
        canonical = builder.momenta
        own = [*canonical.resting(routine, A, added), *builder.evaluate(routine, canonical.lagrangian[1])]
    if FORMS[form].beside == "u":
        scene = scene_of(builder.system)
        found = quasi_velocities(scene)
        entries = [w for row in found.W for w in row.values()]
        own = list(builder.evaluate(routine, list(map(numbers, (*entries, *found.w_0, *found.turning)))))
        further_lists = {"_KEPT": scene.kept, "_W": [(k, j) for k, row in enumerate(found.W) for j in row]}
    first = builder.evaluate(routine, [*b.M.values(), *b.f, *b.A.values(), *b.c])
    values = [*first, *rho, *builder.evaluate(routine, [*residuals, *further]), *own]
    tape = levels(routine.tape, values, len(builder.inputs))
    steps = "\n".join(_wrapped(step) for step in tape.steps)
    width = min(range(4, 129, 4), key=lambda w: _cost(tape.steps, w))
    lists = {"_WIDTH": width, "_M": list(b.M), "_A": list(b.A), "_CONSTANTS": tape.constants, "_OUTPUTS": tape.outputs}
    lists |= further_lists
    tables = "\n".join(f"{name} = {_listed(values)}" for name, values in lists.items())
    words = "# operation, places of its operands: inputs, constants, results of the steps before"
    return f"{tables}\n_STEPS = [  {words}\n{steps}\n]\n", {step[0] for step in tape.steps}


def _function(row: Function) -> str:
    """Write a function as one of JAX."""
    letters = "abuv"[: row.arguments[0]]
    return f'    "{row.name}": lambda {", ".join(letters)}: {row.in_numpy(letters).replace("np.", "jnp.")},'


def _cost(steps: list[tuple], width: int) -> int:
    """Estimate the time of a loop whose rows have some width."""
    return (width + _OVERHEAD) * sum(-(-len(columns[0]) // width) for _, *columns in steps)


def _listed(values: Any) -> str:
    text = repr(values).replace("inf", "jnp.inf").replace("nan", "jnp.nan")
    if len(text) < 100:
        return text
    return "[\n" + fill(text[1:-1], 110, initial_indent="    ", subsequent_indent="    ") + "\n]"


def _wrapped(step: tuple) -> str:
    return fill(f"{step},", 110, initial_indent="    ", subsequent_indent="     ")
