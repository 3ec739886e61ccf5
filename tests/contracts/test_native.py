"""The contract of native code: every form × every model × random states equals floats, formulas, and closed forms.

The reference is the system of multipliers solved with residuals in extended precision; formulas are evaluated with 40
digits, so that only the machine code is tested.
"""

from __future__ import annotations

import functools

import mpmath
import numpy as np
import pytest
import symengine as se

from dalembert import System
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rank import null_space, rank, unit_rows
from dalembert.algebra.rational import TooLarge
from dalembert.blocks.numeric import Numeric, Values
from dalembert.forms import FORMS
from dalembert.language.program import Program
from tests.conftest import IDEAL, pendulum
from tests.contracts.test_forms import LENGTH, MODELS, SAMPLED, oracle, scene_of, states, system_of
from tests.contracts.what_there_is import TOO_LONG, skip_refused
from tests.sampling import sampled
from tests.shared import example

EXACT = 1e-12
FLOATS = 1e-11  # of the forms in floats, which are not refined
EXTENDED = np.longdouble


@functools.cache
def kernels(model: str, form: str = "multipliers"):
    return system_of(model).compile(form)


def reference(values: Values, rows) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return q̈, r and λ of independent rows, refined with residuals in extended precision."""
    M, A = values.M.toarray().astype(EXTENDED), values.A.toarray()[rows].astype(EXTENDED)
    n, s = len(M), len(A)
    K = np.block([[M, A.T], [A, np.zeros((s, s), EXTENDED)]])
    scale = np.sqrt(np.abs(K).max(axis=1))
    K = K / scale[:, None] / scale
    right = np.concatenate([values.f, values.c[rows]]).astype(EXTENDED) / scale
    x, rounded = np.zeros(n + s, EXTENDED), K.astype(float)
    for _ in range(8):
        x = x + np.linalg.solve(rounded, (right - K @ x).astype(float))
    x = x / scale
    return x[:n].astype(float), (M @ x[:n] - values.f).astype(float), -x[n:].astype(float)


def close(x, y, scale, tolerance=EXACT) -> bool:
    return bool(np.abs(np.asarray(x, dtype=float) - y).max(initial=0) <= tolerance * scale)


def free_fall(values: Values) -> float:
    """Return the size of accelerations without constraints: where large forces balance, they are what is rounded."""
    mass = values.M.diagonal()
    return float(np.abs(values.f[mass > 0] / mass[mass > 0]).max(initial=0.0))


def rounding(values) -> float:
    """What elimination of A M⁻¹Aᵀ can lose: ε κ², κ the condition of the rows of A in the mass norm."""
    M, A = (np.asarray(m.todense()) for m in (values.M, values.A))
    try:
        rows = np.linalg.solve(np.linalg.cholesky(M), A.T).T
    except np.linalg.LinAlgError:  # a singular M has no such norm
        return 0.0
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    singular = np.linalg.svd(rows, compute_uv=False)
    kept = singular[singular > 1e-9]
    return np.finfo(float).eps * (kept[0] / kept[-1]) ** 2 if len(kept) else 0.0


def check(model: str, form: str, count: int) -> None:
    scene = scene_of(model)
    if FORMS[form].conversion:
        pytest.skip("its kernel takes something else than velocities, and has a test of its own")
    skip_refused(model, scene, form)
    kernel = kernels(model, form)
    for place in states(scene, count):
        values = scene.numeric.all(place.t, place.q, place.v)
        a, r, multipliers = reference(values, scene.kept)
        size_a = max(np.abs(a).max(), free_fall(values)) + 1e-9
        size_r = max(np.abs(r).max(), np.abs(values.f).max()) + 1e-9
        found = kernel(place.t, place.q, place.v, scene.numeric.parameters)
        assert close(found.acceleration, a, size_a)
        assert close(found.reaction, r, size_r)
        floats = FORMS[form]().solve(scene.floats(values), Pilot())
        assert close(found.acceleration, np.array(floats.acceleration, dtype=float), size_a, FLOATS)
        assert close(found.reaction, np.array(floats.reaction, dtype=float), size_r, FLOATS)
        if form == "multipliers":
            assert found.rank == rank(unit_rows(values.A))
            if scene.rank == len(scene.system.constraints):
                assert close(found.multipliers, multipliers, np.abs(multipliers).max(initial=size_r))
        else:
            assert found.defect < max(1e-12, rounding(values))


@pytest.mark.parametrize(("model", "form"), SAMPLED)
def test_native_equals_floats(model, form):
    check(model, form, 2)


@pytest.mark.full
@pytest.mark.parametrize(("model", "form"), SAMPLED)
def test_native_equals_floats_at_many_states(model, form):
    check(model, form, 25)


MANY_DIGITS = {
    name: getattr(mpmath, name)
    for name in ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "exp", "log", "sqrt", "tanh")
}


@pytest.mark.parametrize("model", sampled(MODELS, 3))
@pytest.mark.parametrize("form", ["multipliers", "minimal"])
def test_native_equals_formulas(model, form):
    check_formulas(model, form)


@pytest.mark.full
@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("form", ["explicit", "independent", "reactions"])
def test_native_equals_formulas_of_the_other_forms(model, form):
    check_formulas(model, form)


def check_formulas(model: str, form: str) -> None:
    scene = scene_of(model)
    skip_refused(model, scene, form)
    pilot = Pilot()
    FORMS[form]().solve(scene.arrays, pilot)
    try:
        solution = FORMS[form]().solve(scene.formulas, pilot.replay())
    except TooLarge:
        assert form in TOO_LONG.get(model, ()), "there was a formula, and now it is lost"
        pytest.skip("too long as formulas, as the table says")
    program = Program(scene.inputs, [scene.field.write(x) for x in (*solution.acceleration, *solution.reaction)])
    for place in states(scene, 1):
        with mpmath.workdps(40):
            inputs = [mpmath.mpf(x) for x in (place.t, *place.q, *place.v, *scene.numeric.parameters)]
            exact = np.array([float(x) for x in program(inputs, MANY_DIGITS)])
        a, r = exact[: len(place.q)], exact[len(place.q) :]
        found = kernels(model, form)(place.t, place.q, place.v, scene.numeric.parameters)
        f = scene.numeric.all(place.t, place.q, place.v).f
        assert close(found.acceleration, a, np.abs(a).max() + 1e-9)
        assert close(found.reaction, r, max(np.abs(r).max(), np.abs(f).max()) + 1e-9)


@pytest.mark.parametrize("model", sampled(MODELS, 3))
def test_quasi(model):
    """With u = W v + w₀: q̇ = v, and u̇ is its rate with the accelerations of the other forms."""
    scene = scene_of(model)
    skip_refused(model, scene, "quasi")
    kernel, plain, n = kernels(model, "quasi"), kernels(model), len(scene.blocks.q)
    for place in states(scene, 3):
        state = (place.t, place.q, place.v, scene.numeric.parameters)
        u, known = kernel.to_state(*state), plain(*state)
        found = kernel(place.t, place.q, u, scene.numeric.parameters)
        assert close(found.velocity, place.v, 1 + np.abs(place.v).max(), 1e-9)
        assert close(found.reaction, known.reaction, 1 + np.abs(known.reaction).max(), 1e-8)
        h = 1e-5  # by differences along the motion: u is a function of t, q and v
        ends = [
            kernel.to_state(place.t + s, place.q + s * place.v, place.v + s * known.acceleration, state[3])
            for s in (-h, h)
        ]
        rate, size = (ends[1] - ends[0]) / (2 * h), 1 + np.abs(known.acceleration).max() + np.abs(place.v).max() ** 2
        assert found.rate.shape == (n,) and close(found.rate, rate, size, 1e-6)


@pytest.mark.parametrize("model", sampled(MODELS, 3))
def test_canonical(model):
    """With p = M v + l: q̇ = v, ṗ = d/dt p along the motion, R = r."""
    scene = scene_of(model)
    skip_refused(model, scene, "canonical")
    b, n = scene.blocks, len(scene.blocks.q)
    momenta = [scene.system.kinetic.diff(v) for v in b.v]
    accelerations = [se.Symbol(q.name + "''") for q in b.q]
    rates = [
        se.Add(
            *[p.diff(q) * v for q, v in zip(b.q, b.v, strict=True)],
            *[p.diff(v) * a for v, a in zip(b.v, accelerations, strict=True)],
            p.diff(b.t),
        )
        for p in momenta
    ]
    program = Program([b.t, *b.q, *b.v, *accelerations, *b.parameters], [*momenta, *rates])
    for place in states(scene, 2):
        values = scene.numeric.all(place.t, place.q, place.v)
        a, r, _ = reference(values, scene.kept)
        out = program.floats([place.t, *place.q, *place.v, *a, *scene.numeric.parameters])
        found = kernels(model, "canonical")(place.t, place.q, out[:n], scene.numeric.parameters)
        assert close(found.velocity, place.v, np.abs(place.v).max() + 1e-9)
        size = max(np.abs(out).max(), np.abs(values.f).max()) + 1e-9
        assert close(found.momentum_rate, out[n:], size, 1e-11)
        assert close(found.reaction, r, size, 1e-11)


# --- awkward places ----------------------------------------------------------------------------------------------------


def four_bar(N: int, phi: float, rate: float) -> tuple[np.ndarray, np.ndarray, float]:
    """Return q, v and φ̈ of the parallelogram: N + 1 bars turn by φ, N bars are carried along."""
    q, v = [], []
    for i in range(N + 1):
        q += [i + np.cos(phi) / 2, np.sin(phi) / 2, phi]
        v += [-np.sin(phi) / 2 * rate, np.cos(phi) / 2 * rate, rate]
    for i in range(N):
        q += [i + 0.5 + np.cos(phi), np.sin(phi), 0.0]
        v += [-np.sin(phi) * rate, np.cos(phi) * rate, 0.0]
    inertia = (N + 1) / 3 + N
    return np.array(q), np.array(v), -9.81 * np.cos(phi) * ((N + 1) / 2 + N) / inertia


@pytest.mark.parametrize("N", [1, 2, 10])
@pytest.mark.parametrize(("phi", "tolerance"), [(1.0, 1e-12), (0.1, 1e-11), (1e-2, 1e-9), (1e-3, 1e-4)])
def test_nearly_singular_positions(N, phi, tolerance):
    """Near the position in line the proximal term holds the rows less and less; the rank is still full."""
    q, v, expected = four_bar(N, phi, 1.3)
    found = example(f"n-four-bar:{N}").compile()(0.0, q, v)
    assert found.rank == 6 * N + 2
    assert found.acceleration[2::3][: N + 1] == pytest.approx(np.full(N + 1, expected), abs=tolerance)
    assert found.conditioning < 10 * np.sin(phi) ** 2


@pytest.mark.parametrize("N", [1, 2, 10])
@pytest.mark.parametrize("phi", [0.0, np.pi])
def test_singular_positions(N, phi):
    """Where the bars are in line N rows are lost; what is left determines the accelerations."""
    q, v, _ = four_bar(N, phi, 1.3)
    system = example(f"n-four-bar:{N}")
    found = system.compile()(0.0, q, v)
    a, r = oracle(Numeric(system).all(0.0, q, v))
    assert found.rank == 5 * N + 2
    assert close(found.acceleration, a, np.abs(a).max(), 1e-10)
    assert close(found.reaction, r, np.abs(r).max(), 1e-10)


@pytest.mark.parametrize("factor", [1e-4, 1e4])
def test_rows_in_other_units(factor):
    """A constraint written in other units changes its multiplier and nothing else, also if it is redundant."""
    rows = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "length": "x^2 + y^2 = l^2"}
    scaled = {
        name: f"{factor if k != 1 else 1 / factor}*({text.replace(' = ', ' - (')})) = 0"
        for k, (name, text) in enumerate(rows.items())
    }
    state = (0.2, [np.sin(0.6), -np.cos(0.6), 0.6], [0.5 * np.cos(0.6), 0.5 * np.sin(0.6), 0.5])
    plain, other = pendulum(constraints=rows).compile()(*state), pendulum(constraints=scaled).compile()(*state)
    assert plain.rank == other.rank == 2
    assert other.acceleration == pytest.approx(plain.acceleration, rel=EXACT, abs=EXACT)
    assert other.reaction == pytest.approx(plain.reaction, rel=1e-11, abs=1e-11)
    assert other.multipliers * [factor, 1 / factor, factor] == pytest.approx(plain.multipliers, rel=1e-6)


@pytest.mark.parametrize("length", [1e-4, 1e4])
@pytest.mark.parametrize("mass", [1e-4, 1e4])
def test_other_units_of_length_and_mass(length, mass):
    values = {"m": mass, "J": 0.1 * mass * length**2, "l": length, "g": 9.81 * length}
    state = ([np.sin(0.6), -np.cos(0.6), 0.6], [0.5 * np.cos(0.6), 0.5 * np.sin(0.6), 0.5])
    units = np.array([length, length, 1.0])
    for constraints in (LENGTH, {"rod_x": LENGTH["rod_x"], "rod_y": LENGTH["rod_y"]}):
        kernel = pendulum(constraints=constraints).compile()
        plain, other = kernel(0.0, *state), kernel(0.0, *(np.array(x) * units for x in state), values)
        assert other.rank == plain.rank == 2
        assert other.acceleration / units == pytest.approx(plain.acceleration, rel=EXACT, abs=EXACT)
        assert other.reaction * units / (mass * length**2) == pytest.approx(plain.reaction, rel=1e-11, abs=1e-11)


def test_redundant_multipliers_are_those_of_least_norm():
    system = pendulum(constraints={"a": "x = l*sin(phi)", "b": "x = l*sin(phi)", "c": "y = -l*cos(phi)"})
    found = system.compile()(0.0, [np.sin(0.6), -np.cos(0.6), 0.6], [0, 0, 0])
    assert found.multipliers[0] == pytest.approx(found.multipliers[1], rel=1e-6)
    assert found.rank == 2


def test_a_row_that_vanishes_is_no_condition():
    system = System("x y", kinetic="x'^2/2 + y'^2/2", potential="y", constraints={"a": "x^2 = 0", "b": "y = x"})
    found = system.compile()(0.0, [0.0, 0.0], [0.0, 0.0])
    assert found.rank == 1
    assert found.acceleration == pytest.approx([-0.5, -0.5])
    assert found.multipliers[0] == 0


# --- the other kernels -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", MODELS)
def test_residuals_energies_and_projections(model):
    scene, kernel = scene_of(model), kernels(model)
    numeric, b = scene.numeric, scene.blocks
    for place in states(scene, 2):
        state = (place.t, place.q, place.v)
        random = np.random.default_rng(1)
        moved = (place.t, place.q + 1e-3 * random.normal(size=len(place.q)), place.v + 1e-3)
        g, psi = kernel.residuals(*moved, numeric.parameters)
        assert close(g[numeric.holonomic], numeric.position(moved[0], moved[1])[0], 1)
        assert close(psi[numeric.kinematic], numeric.velocity(*moved)[0], 1)
        q = kernel.project_positions(*moved, numeric.parameters)
        assert np.abs(kernel.residuals(place.t, q, place.v, numeric.parameters)[0]).max(initial=0) < 1e-11
        v = kernel.project_velocities(place.t, place.q, moved[2], numeric.parameters)
        assert np.abs(kernel.residuals(place.t, place.q, v, numeric.parameters)[1]).max(initial=0) < 1e-11
        if b.energy is None:
            continue
        found = kernel.energies(*state, numeric.parameters)
        a = kernel(*state, numeric.parameters).acceleration
        rates = [b.energy.diff(x) for x in (*b.q, *b.v, b.t)]
        values = numeric.evaluate(numeric.program([b.energy, *rates]), *state)
        power = values[1:] @ np.concatenate([place.v, a, [1.0]])
        size = 1 + np.abs(values[1:] * np.concatenate([place.v, a, [1.0]])).sum()
        assert close(found.energy, values[0], 1 + abs(values[0]))
        assert close(found.forces + found.time + found.constraints.sum(), power, size, 1e-11)


def test_velocities_move_least_in_the_mass_norm():
    """The correction does no work along what is admissible: M δ is a combination of rows of A."""
    scene, kernel = scene_of("slider-crank"), kernels("slider-crank")
    place = states(scene, 1)[0]
    start = place.v + 0.1
    v = kernel.project_velocities(place.t, place.q, start, scene.numeric.parameters)
    values = scene.numeric.all(place.t, place.q, v)
    assert close(null_space(values.A).T @ (values.M @ (v - start)), 0, np.abs(values.M.data).max())


@pytest.mark.parametrize("model", [*IDEAL, "gyroscopic", "servo"])
def test_jacobians(model):
    """Derivatives by q and v against central differences of F = M a − f − Aᵀλ and of C: ψ, or A a − c."""
    scene, kernel = scene_of(model), kernels(model)
    numeric: Numeric = scene.numeric
    place = states(scene, 1)[0]
    random = np.random.default_rng(3)
    n, s = numeric.n, numeric.s
    a, multipliers = random.normal(size=n), random.normal(size=s)

    def F(q, v):
        values = numeric.all(place.t, q, v)
        C = values.A @ a - values.c
        C[numeric.kinematic] = numeric.velocity(place.t, q, v)[0]
        return np.concatenate([values.M @ a - values.f - values.A.T @ multipliers, C])

    found = kernel.jacobians(place.t, place.q, place.v, a, multipliers, numeric.parameters)
    values = numeric.all(place.t, place.q, place.v)
    assert close((found.M - values.M).data, 0, np.abs(values.M.data).max())
    assert close((found.A - values.A).data, 0, np.abs(values.A.data).max(initial=1))
    h = 1e-6
    for k in range(n):
        e = h * np.eye(n)[k]
        by_q = (F(place.q + e, place.v) - F(place.q - e, place.v)) / (2 * h)
        by_v = (F(place.q, place.v + e) - F(place.q, place.v - e)) / (2 * h)
        size = 1 + np.abs(F(place.q, place.v)).max() + np.abs(by_q).max() + np.abs(by_v).max()
        assert close(found.F_q.toarray()[:, k], by_q[:n], size, 1e-7)
        assert close(found.C_q.toarray()[:, k], by_q[n:], size, 1e-7)
        assert close(found.F_v.toarray()[:, k], by_v[:n], size, 1e-7)
        assert close(found.C_v.toarray()[:, k], by_v[n:], size, 1e-7)


def test_a_constraint_that_is_always_true_is_no_condition():
    """Its row is rounding, of no direction; it must not hold anything."""
    parts = {"kinetic": "x'^2/2 + y'^2/2", "potential": "y"}
    system = System("x y", **parts, constraints={"a": "(x + y)^2 = x^2 + 2*x*y + y^2", "b": "x = 1"})
    found = system.compile()(0.0, [1.0, 0.3], [0.0, 0.7])
    assert found.acceleration == pytest.approx([0, -1])
    assert found.rank == 1
