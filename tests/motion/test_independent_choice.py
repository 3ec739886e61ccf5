"""Independent coordinates of motions and formulas: named, chosen, and by singular values (lecture; theory 4.7)."""

from __future__ import annotations

import json

import numpy as np
import pytest
import symengine as se

from dalembert import ModelError, MotionWarning, System, load, loads
from dalembert.blocks.numeric import Numeric
from dalembert.cli import main
from dalembert.forms.multipliers import solve
from tests.shared import example

MODELS = ("pendulum", "slider-crank", "upright-disk", "rod-with-knife-edge", "chaplygin-sleigh", "four-bar")


@pytest.mark.parametrize("model", MODELS)
def test_the_objective_choice_moves_as_every_other(model):
    """Against projection, at the end and in between, with constraints to rounding; nonholonomic ones too."""
    system = example(model)
    run, other = system.simulate(2, form="independent", coordinates="objective"), system.simulate(2)
    times = np.linspace(0.05, 1.95, 9)
    for found, expected in zip(run.at(times), other.at(times), strict=True):
        assert found == pytest.approx(expected, abs=1e-6 * (1 + np.abs(expected).max()))
    g, psi = run.residuals
    assert max(np.abs(g).max(), np.abs(psi).max()) < 1e-12
    assert run.certificate.ok


def test_the_objective_choice_is_that_of_singular_values():
    """B at the start spans the null space of A in the units of the motion; it is chosen anew, which is said."""
    run = example("pendulum").simulate(10, form="independent", coordinates="objective")
    (t, [words]), *others = run.choices
    B = [float(part) for part in words.replace("- ", "-").split() if part.lstrip("-+").replace(".", "").isdigit()]
    engine, state = run.motion.engine, example("pendulum").start()
    A = Numeric(example("pendulum")).all(0.0, state.q, state.v).A.toarray()
    units = engine.size.units[:3]
    _, _, V = np.linalg.svd(A * units / np.linalg.norm(A * units, axis=1, keepdims=True))
    expected = V[-1] / units
    cosine = abs(np.dot(B, expected)) / np.linalg.norm(B) / np.linalg.norm(expected)
    assert (t, cosine) == (0.0, pytest.approx(1, abs=1e-4))
    assert others
    assert all(0 < when < 10 for when, _ in others)


def test_named_coordinates():
    pendulum = example("pendulum")
    run = pendulum.simulate(10, form="independent", coordinates="phi")
    assert run.choices == [(0.0, ("phi",))]
    assert run["phi"][-1] == pytest.approx(pendulum.simulate(10)["phi"][-1], abs=1e-8)
    with pytest.warns(MotionWarning, match=r"the coordinates `y`, which are named, no longer determine the others"):
        run = pendulum.simulate(10, form="independent", coordinates=["y"])
    assert run.status == "failed"
    assert abs(run["phi"][-1]) < 0.01  # where y turns back
    sleigh = System("x y theta", kinetic="(x'^2 + y'^2)/2 + theta'^2/2",
                    constraints={"blade": "x'*sin(theta) = y'*cos(theta)"},
                    initial={"theta": 0.5, "theta'": 0.3, "y'": 1.0})  # fmt: skip
    run = sleigh.simulate(1, form="independent", coordinates=("y", "theta"))
    assert run.choices == [(0.0, ("y", "theta"))]
    assert run.final()["x"] == pytest.approx(sleigh.simulate(1).final()["x"], abs=1e-7)


def test_chosen_coordinates_change_and_that_is_said(tmp_path, capsys):
    run = example("pendulum").simulate(3, form="independent")
    assert len(run.choices) > 2
    run.report(tmp_path / "r.html")
    assert "Independent coordinates:" in (tmp_path / "r.html").read_text()
    assert run.as_dict()["choices"][1] == {"t": run.choices[1][0], "coordinates": list(run.choices[1][1])}
    with pytest.raises(SystemExit) as ended:
        main(["simulate", "pendulum", "--until", "3", "--form", "independent"])
    assert ended.value.code == 0
    shown = capsys.readouterr().out
    assert f"from t = {run.choices[1][0]:.4g} on `{run.choices[1][1][0]}`" in shown


@pytest.mark.parametrize(
    ("coordinates", "words"),
    [
        ("z", "`z` is no coordinate; known names: x, y, phi, objective"),
        (["x", "y"], "this system has 1 independent coordinates here; 2 were named: `x` and `y`"),
        (["x", "x"], "coordinates are named once"),
        (3, "`coordinates` takes names"),
        ("", "`coordinates` takes names"),
    ],
)
def test_names_that_cannot_be(coordinates, words):
    with pytest.raises(ModelError) as error:
        example("pendulum").simulate(1, form="independent", coordinates=coordinates)
    assert words in str(error.value)


def test_coordinates_that_are_not_independent_at_the_start():
    hanging = example("pendulum").replace(initial={"phi": 0.0, "phi'": 1.0})
    with pytest.raises(ModelError, match="`y` cannot be varied independently at the start"):
        hanging.simulate(1, form="independent", coordinates="y")
    with pytest.raises(ModelError, match="`coordinates` are those of the form `independent`"):
        hanging.simulate(1, coordinates="phi")
    free = System("x y", kinetic="x'^2 + y'^2")
    with pytest.raises(ModelError, match="2 independent coordinates"):
        free.simulate(1, form="independent", coordinates="x")
    assert free.simulate(1, form="independent", coordinates="objective").status == "done"


def test_a_coordinate_called_objective_is_that_coordinate():
    system = System("objective y", kinetic="objective'^2 + y'^2", constraints={"c": "y = 2*objective"},
                    initial={"objective'": 1.0})  # fmt: skip
    run = system.simulate(1, form="independent", coordinates="objective")
    assert run.choices == [(0.0, ("objective",))]


def test_in_files_and_on_the_command_line(tmp_path, capsys):
    text = str(example("pendulum").replace(simulation={"form": "independent", "coordinates": ["phi"]}))
    assert loads(text).simulate(1).choices == [(0.0, ("phi",))]
    loads(text).save(tmp_path / "p.toml")
    assert load(tmp_path / "p.toml").simulation["coordinates"] == ("phi",)
    with pytest.raises(SystemExit):
        main(["simulate", "pendulum", "--until", "1", "--form", "independent", "--coordinates", "phi", "--json"])
    assert json.loads(capsys.readouterr().out)["choices"] == [{"t": 0.0, "coordinates": ["phi"]}]
    problems = loads(text.replace('= ["phi"]', '= ["psi"]')).check().problems
    assert any("in [simulate]: `psi` is no coordinate" in problem.text for problem in problems)


# --- formulas ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["pendulum", "upright-disk", "rod-with-knife-edge", "rolling-disk"])
def test_objective_formulas(model):
    """A R = 0, B R = 1, B a₀ = 0 and R z̈ + a₀ = q̈ at a state, with z̈ from the equations as they are printed."""
    system = example(model)
    derived = system.derive("independent", coordinates="objective")
    place = derived.scene.places[0]
    values = derived.scene.numeric.all(place.t, place.q, place.v)
    names = ["t", *system.coordinates, *system.velocities, *system.parameters]
    numbers = dict(zip(names, derived.scene.point(derived.scene.numeric, place), strict=True))

    def evaluated(name):
        known = derived.abbreviation_expressions
        return np.array([[_put(entry, known, numbers) for entry in row] for row in derived.entries[name]])

    R, a0, B = evaluated("R"), evaluated("a_0")[:, 0], evaluated("B")
    A = values.A.toarray()
    assert np.abs(A @ R).max() < 1e-9
    assert np.abs(B @ R - np.eye(len(B))).max() < 1e-9
    assert np.abs(B @ a0).max() < 1e-9
    rates = np.linalg.solve(evaluated("inertia"), evaluated("force"))[:, 0]
    assert R @ rates + a0 == pytest.approx(solve(values)[0], abs=1e-8)
    assert any("objective choice" in note for note in derived.notes)
    assert len(derived.equations) == len(B)
    assert "\\ddot{z}_{1}" in derived.latex()


def _put(expr, known, numbers):
    """Evaluate an expression, with what its names stand for."""
    for name in reversed(list(known)):
        expr = expr.subs({se.Symbol(name): known[name]})
    return float(expr.subs({se.Symbol(name): value for name, value in numbers.items()}).n(53, real=True))


def test_names_as_text_with_commas_or_spaces():
    """As `derive` reads them too."""
    disk = example("upright-disk")
    for text in ("phi, theta", "phi theta", " phi  theta "):
        assert disk.simulate(0.1, form="independent", coordinates=text).choices == [(0.0, ("phi", "theta"))]
        assert "`phi` and `theta`" in str(disk.derive("independent", text).steps)


@pytest.mark.parametrize("model", ["pendulum", "upright-disk", "slider-crank"])
def test_objective_choice_step_by_step(model):
    """U, S and Vᵀ as they are printed are orthogonal, their product is A at the start, and B the end of Vᵀ."""
    system = example(model)
    steps = system.derive("independent", "objective").steps.as_dict()
    parts = {part["title"]: part["parts"] for part in steps if "title" in part}
    shown = [*parts["Singular values, A(q₀) = U S Vᵀ"], *parts["The choice of coordinates"]]
    found = {
        part["matrix"]: np.array(part["rows"], dtype=float)
        for part in shown
        if part.get("matrix") in ("U", "S", "V_T", "B")
    }
    U, S, V, B = (found[name] for name in ("U", "S", "V_T", "B"))
    start = system.start()
    A = Numeric(system).all(start.t, start.q, start.v).A.toarray()
    assert pytest.approx(A, abs=3e-3 * np.abs(A).max()) == U @ S @ V
    for one in (U, V):
        assert one @ one.T == pytest.approx(np.eye(len(one)), abs=4e-3)
    assert V[len(U) :] == pytest.approx(B, abs=5.1e-3)
    assert not np.any(S[:, len(U) :])
    assert "Singular" not in system.derive("independent").steps.text()
