"""The contract of the forms: every form × every model × random admissible states, in numbers and in formulas."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

from dalembert import DerivationError, System, example
from dalembert.algebra.pilot import Pilot
from dalembert.algebra.rank import null_space
from dalembert.algebra.rational import TooLarge
from dalembert.forms import FORMS
from dalembert.forms.independent import objective, solve_with
from dalembert.forms.prepared import Scene
from dalembert.language.program import Program
from dalembert.survey.configurations import Configuration, configurations
from tests.conftest import IDEAL, pendulum
from tests.contracts.what_there_is import TOO_LONG, skip_refused

LENGTH = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "length": "x^2 + y^2 = l^2"}
SPECIAL = {
    "redundant pendulum": pendulum(constraints=LENGTH),
    "redundant in the middle": pendulum(
        constraints={"length": "x^2 + y^2 = l^2", "rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)"}
    ),
    "repeated and scaled": pendulum(
        constraints={**LENGTH, "again": "1e4*x = 1e4*l*sin(phi)", "small": "1e-4*y = -1e-4*l*cos(phi)"}
    ),
    "servo": pendulum(constraints={"servo": "phi'' + x'' = t"}, forces={"x": "-x'", "phi": "sin(t)"}),
    "gyroscopic": System(
        coordinates="x y",
        kinetic="m*((x' - w*y)^2 + (y' + w*x)^2)/2 + x*y'*t",
        potential="k*(x^2 + 2*y^2)/2",
        constraints={"speed": "x'^2 + y'^2 + x*y' = c^2"},
        parameters={"m": 1.5, "w": 0.7, "k": 2, "c": 3},
        initial={"x": 0.4, "y": 0.3, "x'": 1},
        guess={"y'": 2},
    ),
    "sleigh with singular mass": example("platform-on-incline").replace(parameters={"rho": 0.4}),
    "no constraints": example("double-pendulum"),
    "no freedom": System(
        coordinates="x y",
        kinetic="x'^2 + y'^2",
        constraints={"a": "x = 1 + sin(t)", "b": "x*y = 1 + t"},
        guess={"x": 1},
    ),
    "one coordinate": System(coordinates="x", kinetic="x'^2/2", potential="x^4", initial={"x": 1}),
}
MODELS = [*IDEAL, *SPECIAL]
CASES = [(model, form) for model in MODELS for form in FORMS]
SAMPLED = [case if k % 5 == 0 else pytest.param(*case, marks=pytest.mark.full) for k, case in enumerate(CASES)]


def system_of(name: str) -> System:
    return SPECIAL[name] if name in SPECIAL else example(name)


_scenes: dict[str, Scene] = {}


def scene_of(name: str) -> Scene:
    if name not in _scenes:
        _scenes[name] = Scene(system_of(name))
    return _scenes[name]


def states(scene: Scene, count: int) -> list[Configuration]:
    return configurations(scene.numeric, scene.places[0], count=count, seed=77)


def oracle(values) -> tuple[np.ndarray, np.ndarray]:
    """Solve by a dense SVD of the whole, redundant rows and all, rows and coordinates scaled to one."""
    M, A = values.M.toarray(), values.A.toarray()
    diagonal = np.diag(M)
    scale = 1 / np.sqrt(np.where(diagonal > 1e-9 * diagonal.max(), diagonal, diagonal.max()))
    A_scaled = A * scale
    lengths = np.linalg.norm(A_scaled, axis=1)
    A_scaled, c = A_scaled / lengths[:, None], values.c / lengths
    n, s = len(values.f), len(c)
    K = np.block([[M * scale * scale[:, None], A_scaled.T], [A_scaled, np.zeros((s, s))]])
    right = np.concatenate([values.f * scale, c])
    solution = np.linalg.lstsq(K, right, rcond=1e-12)[0]
    solution += np.linalg.lstsq(K, right - K @ solution, rcond=1e-12)[0]  # refined once
    a = solution[:n] * scale
    return a, M @ a - values.f


def close(x, y, scale, tolerance=1e-10) -> bool:
    return bool(np.abs(np.asarray(x, dtype=float) - y).max(initial=0) <= tolerance * scale)


def check_numbers(name: str, form_name: str, count: int) -> None:
    scene, form = scene_of(name), FORMS[form_name]()
    skip_refused(name, scene, form_name)
    for place in states(scene, count):
        values = scene.numeric.all(place.t, place.q, place.v)
        a, r = oracle(values)
        solution = form.solve(scene.floats(values), Pilot())
        size_a, size_r = 1 + np.abs(a).max(), 1 + np.abs(r).max() + np.abs(values.f).max()
        assert close(solution.acceleration, a, size_a)
        assert close(solution.reaction, r, size_r)
        lengths = np.linalg.norm(values.A.toarray(), axis=1)
        if values.c.size:
            assert close((values.A @ np.array(solution.acceleration) - values.c) / lengths, 0, size_a)
        D = null_space(values.A)
        assert close(D.T @ np.array(solution.reaction, dtype=float), 0, size_r)


def check_formulas(name: str, form_name: str, count: int) -> None:
    """The same code on formulas gives the same numbers."""
    scene, form = scene_of(name), FORMS[form_name]()
    skip_refused(name, scene, form_name)
    pilot = Pilot()
    form.solve(scene.arrays, pilot)
    known = form_name in TOO_LONG.get(name, ())
    try:
        solution = form.solve(scene.formulas, pilot.replay())
    except TooLarge:
        assert known, "there was a formula, and now it is lost"
        pytest.skip("the formulas are too long, as the table says")
    assert not known, "there is a formula now: take it out of the table of those that are too long"
    program = Program(scene.inputs, [scene.field.write(x) for x in (*solution.acceleration, *solution.reaction)])
    for place in states(scene, count):
        values = scene.numeric.all(place.t, place.q, place.v)
        a, r = oracle(values)
        result = scene.numeric.evaluate(program, place.t, place.q, place.v)
        assert close(result[: len(a)], a, 1 + np.abs(a).max())
        assert close(result[len(a) :], r, 1 + np.abs(r).max() + np.abs(values.f).max())


@pytest.mark.parametrize(("model", "form"), SAMPLED)
def test_numbers(model, form):
    check_numbers(model, form, 3)


@pytest.mark.full
@pytest.mark.parametrize(("model", "form"), SAMPLED)
def test_numbers_at_many_states(model, form):
    check_numbers(model, form, 25)


@pytest.mark.parametrize(("model", "form"), SAMPLED)
def test_formulas(model, form):
    check_formulas(model, form, 3)


@pytest.mark.parametrize("model", MODELS)
def test_objective_choice(model):
    """Independent coordinates by SVD, chosen at one state, give the same motion at others near it."""
    scene = scene_of(model)
    first = scene.places[0]
    B = objective(scene.numeric.all(first.t, first.q, first.v).A)
    for place in states(scene, 3):
        values = scene.numeric.all(place.t, place.q, place.v)
        a, r = oracle(values)
        acceleration, reaction, condition = solve_with(values, B)
        if condition < 1e3:
            assert close(acceleration, a, 1 + np.abs(a).max(), 1e-9)
            assert close(reaction, r, 1 + np.abs(r).max() + np.abs(values.f).max(), 1e-9)


def test_objective_choice_is_well_conditioned_where_it_is_made():
    scene = scene_of("n-four-bar:2")
    place = scene.places[0]
    values = scene.numeric.all(place.t, place.q, place.v)
    assert solve_with(values, objective(values.A))[2] < 20


@pytest.mark.parametrize(
    "model",
    [
        "pendulum",
        "rod-with-knife-edge",
        "platform-on-incline",
        "chaplygin-sleigh",
        "upright-disk",
        "gyroscopic",
        "pendulum-on-slider",
        "rolling-disk",
    ],
)
def test_canonical_equations_are_those_of_the_system(model):
    """q̇ and ṗ of the canonical form agree with p = M v + l and with d/dt p along the true motion."""
    scene = scene_of(model)
    derivation = scene.system.derive("canonical")
    b = scene.blocks
    n = len(b.q)
    kinetic = scene.system.kinetic
    momenta = [kinetic.diff(v) for v in b.v]
    accelerations = [se.Symbol(q.name + "''") for q in b.q]
    rates = [
        se.Add(
            *[p.diff(q) * v for q, v in zip(b.q, b.v, strict=True)],
            *[p.diff(v) * a for v, a in zip(b.v, accelerations, strict=True)],
            p.diff(b.t),
        )
        for p in momenta
    ]
    replaced = {se.Symbol(f"p_{q.name}"): p for q, p in zip(b.q, momenta, strict=True)}
    replaced |= {se.Symbol(f"p_{q.name}'"): rate for q, rate in zip(b.q, rates, strict=True)}
    named = {}
    for name, expr in derivation.abbreviation_expressions.items():  # each is made of those before it
        named[se.Symbol(name)] = expr.xreplace(named)
    residuals = [expr.xreplace(named).xreplace(replaced) for expr in derivation.expressions]
    program = Program([b.t, *b.q, *b.v, *accelerations, *b.parameters], residuals)
    for place in states(scene, 3):
        values = scene.numeric.all(place.t, place.q, place.v)
        a, _ = oracle(values)
        result = program.floats([place.t, *place.q, *place.v, *a, *scene.numeric.parameters])
        assert len(result) == 2 * n
        assert np.abs(result).max() < 1e-9 * (1 + np.abs(values.f).max() + np.abs(a).max())


def test_refusals():
    cases = {
        (
            "knife-edge",
            "canonical",
        ): "the form `canonical` needs energies, and this system is given by matrices; use `multipliers` or `minimal`",
        ("servo", "canonical"): "`servo` is one on accelerations; use `multipliers` or `minimal`",
    }
    for (model, form), message in cases.items():
        with pytest.raises(DerivationError) as error:
            system_of(model).derive(form)
        assert message in str(error.value)
