"""Mechanisms in space, written body by body, are equal to what the blocks give on numbers; and every line fits."""

from __future__ import annotations

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism, example
from dalembert.algebra.arithmetic import Numbers
from dalembert.algebra.pilot import Pilot
from dalembert.forms.base import conditions, dense
from dalembert.forms.by_bodies import by_bodies
from dalembert.forms.multipliers import Multipliers
from dalembert.forms.prepared import Scene, scene_of
from dalembert.forms.raw import Raw
from dalembert.language.program import Program
from tests.formulas.test_printed import compare_with_kernels

LINE = 270  # characters of a line of text, but for values at a state


def awkward() -> Mechanism:
    """A body with products of inertia on a driven shaft, and a light one, without inertia, that a spring holds."""
    return Mechanism(
        dimensions=3,
        parameters={"m": 1.3, "a": 0.35, "w": 2.0, "k": 7.5},
        gravity=[0, 0, -9.81],
        bodies={
            "disk": {"mass": "m", "inertia": [[0.3, 0.04, 0.01], [0.04, 0.25, -0.02], [0.01, -0.02, 0.4]]},
            "arm": {"mass": 0.2, "inertia": [0.01, 0.02, 0.02], "at": ["a", 0, 0.1]},
        },
        joints={
            "shaft": {"kind": "revolute", "bodies": ["ground", "disk"], "at": [0, 0, 0], "axis": [0, 0.6, 0.8]},
            "ball": {"kind": "spherical", "bodies": ["disk", "arm"], "at": ["a", 0, 0]},
        },
        drives={"turning": {"joint": "shaft", "angle": "w*t + 0.1*sin(t)"}},
        springs={
            "s": {"bodies": ["ground", "arm"], "at": [[1, 1, 0], ["a", 0, 0.2]], "stiffness": "k", "damping": 0.1}
        },
    )


MODELS = {name: lambda name=name: example(name) for name in ("heavy-top-joints", "rolling-coin", "gyroscope")}
MODELS["awkward"] = awkward


def valued(scene: Scene, names: dict) -> object:
    """Return what evaluates expressions at the pilot's points, given what names stand for."""
    known = {se.Symbol(name): value for name, value in names.items()}

    def values(expressions):
        found = Program(scene.inputs, list(expressions), known).arrays(list(scene.points))
        return np.array([np.broadcast_to(x, scene.points.shape[1]) for x in found])

    return values


def columns(scene: Scene, values) -> np.ndarray:
    """Return numbers of the blocks as an array, a column for each point."""
    return np.array([np.broadcast_to(value, scene.points.shape[1]) for value in values], dtype=float)


@pytest.mark.parametrize("name", MODELS)
def test_steps_by_bodies_are_those_of_the_blocks(name):
    scene = scene_of(MODELS[name]())
    steps, truth = by_bodies(scene), Multipliers().solve(scene.arrays, Pilot())
    assert steps is not None
    found = [steps.multipliers, steps.accelerations, steps.total]
    coupling = conditions(scene.arrays, Pilot())
    found += [*zip(*steps.solved[1], strict=True), steps.solved[0], steps.needed, *zip(*steps.rows, strict=True)]
    values = valued(scene, steps.names)
    rows = [dense(row, scene.arrays.n, Numbers) for row in scene.arrays.A]
    expected = [truth.multipliers, truth.acceleration, truth.reaction, *zip(*coupling.Y, strict=True), coupling.free]
    expected += [coupling.b, *zip(*rows, strict=True)]
    for mine, other in zip(found, expected, strict=True):
        wanted = columns(scene, other)
        assert values(mine) == pytest.approx(wanted, rel=1e-8, abs=1e-8 * (1 + np.abs(wanted).max()))


@pytest.mark.parametrize("form", ["multipliers", "explicit", "reactions", "minimal", "independent", "canonical"])
def test_printed_formulas_of_an_awkward_mechanism_equal_the_kernel(form, monkeypatch):
    compare_with_kernels(awkward(), form, monkeypatch)


@pytest.mark.parametrize("name", ["heavy-top-joints", "rolling-coin", "awkward"])
@pytest.mark.parametrize(("form", "matrix", "bias"), [("minimal", "D", None), ("independent", "R", "a_0")])
def test_columns_move_as_the_constraints_allow(name, form, matrix, bias):
    system = MODELS[name]()
    scene, derivation = scene_of(system), system.derive(form)
    values = valued(scene, derivation.abbreviation_expressions)
    found = np.array([values(row) for row in derivation.entries[matrix]])  # coordinate, column, point
    A = np.array([columns(scene, dense(row, scene.arrays.n, Numbers)) for row in scene.arrays.A])
    assert np.abs(np.einsum("inp,nkp->ikp", A, found)).max() < 1e-8
    for point in range(scene.points.shape[1]):
        assert np.linalg.matrix_rank(found[:, :, point], tol=1e-8) == derivation.degrees_of_freedom
    if bias:
        particular = values([row[0] for row in derivation.entries[bias]])
        moved = np.einsum("inp,np->ip", A, particular)
        assert moved == pytest.approx(columns(scene, scene.arrays.c), abs=1e-6)


@pytest.mark.parametrize("form", ["multipliers", "explicit", "reactions", "minimal", "canonical"])
@pytest.mark.parametrize("name", ["heavy-top-joints", "gyroscope"])
def test_every_line_fits(name, form):
    lines = str(example(name).derive(form)).partition("First integrals")[0].splitlines()
    assert max(len(line) for line in lines if "at the state" not in line) <= LINE + 60 * (form == "canonical")


def test_rows_are_those_of_newton_and_euler():
    lines = str(example("heavy-top-joints").derive()).splitlines()
    assert lines[2:9] == [
        "  m*x_top'' - lambda_O_x = 0",
        "  m*y_top'' - lambda_O_y = 0",
        "  m*(z_top'' + g) - lambda_O_z = 0",
        "  J1*alpha_x_top + (J3 - J2)*omega_y_top*omega_z_top"
        " + l*(R13_top*lambda_O_x + R23_top*lambda_O_y + R33_top*lambda_O_z) = 0",
        "  J2*alpha_y_top + (J1 - J3)*omega_x_top*omega_z_top = 0",
        "  J3*alpha_z_top - (J1 - J2)*omega_x_top*omega_y_top"
        " - l*(R11_top*lambda_O_x + R21_top*lambda_O_y + R31_top*lambda_O_z) = 0",
        lines[8],
    ]
    assert "lambda_top_norm" in lines[8]


@pytest.mark.parametrize(
    ("form", "given"), [("explicit", {}), ("independent", {}), ("canonical", {"inertia": ["J", "J", "J"]})]
)
def test_body_without_inertia_that_cannot_move(form, given, monkeypatch):
    """No coordinate is independent, and nothing but conditions determines how the body turns."""
    joint = {"kind": "rigid", "bodies": ["ground", "b"], "at": [0, 0, 0]}
    body = {"mass": 3.47, "at": [0.075, -0.27, 0.125], **given}
    system = Mechanism(dimensions=3, parameters={"J": 0} if given else {}, bodies={"b": body}, joints={"A": joint})
    compare_with_kernels(system, form, monkeypatch)


def test_thread_of_a_screw(monkeypatch):
    """What stands in its functions has names: the second rate of its condition is a line."""
    bodies = {"nut": {"mass": 0.4, "inertia": [0.01, 0.02, 0.03], "at": [0.1, 0.2, 0.05]}}
    joints = {
        "J": {"kind": "screw", "bodies": ["ground", "nut"], "at": [0, 0, 0], "axis": [0.6, 0.8, 0], "pitch": 0.26}
    }
    system = Mechanism(dimensions=3, bodies=bodies, joints=joints, initial={"J.angle'": 2})
    compare_with_kernels(system, "independent", monkeypatch)
    names = system.derive("independent").as_dict()["abbreviations"]
    assert "u_J_thread" in names and max(map(len, names.values())) < LINE


def test_equations_and_reactions_mean_their_own_by_one_name():
    """Equations keep what they mean by K where reactions, written by other steps, have a K too."""
    x, K, b, c = se.symbols("x K b c")
    raw = Raw([K + b], [[(K, b)]], {"D": [[b]]}, abbreviation_expressions={"K": x + 1, "b": 2 * K, "c": x})
    taken: list[str] = []
    free = scene_of(example("pendulum")).free_name
    raw.beside({"K": x - 1, "b": 2 * K, "c": x}, lambda name, known: taken.append(name) or free(name, known))
    names = raw.abbreviation_expressions
    assert taken == ["K", "b"] and names["K"] == x - 1 and names["c"] == x
    (equation,), ((entry,),) = raw.expressions, raw.entries["D"]
    while equation.free_symbols - {x}:
        equation = equation.xreplace({se.Symbol(name): value for name, value in names.items()})
    assert se.expand(equation) == 3 * x + 3 and str(entry) != "b" and c not in equation.free_symbols
