"""Momenta and H along motions: against products by hand, rates from −∂H/∂q + Q + R, other forms; names of models win."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, System, example, load
from dalembert.model.textfile import loads
from dalembert.results.panels import chart
from dalembert.results.quantities import unit_of


def test_momenta_by_hand():
    """p = ∂T/∂v of the platform of Do Sanh 1993, its rate ṗₓ = −m g sin α + Rₓ, and H = T + V."""
    run = example("platform-on-incline").simulate(1.5, samples=60)
    m, a, rho, g, alpha = (run.system.parameters[name] for name in ("m", "a", "rho", "g", "alpha"))
    s, c, x, y, phi = np.sin(run["phi"]), np.cos(run["phi"]), run["x'"], run["y'"], run["phi'"]
    assert np.allclose(run["p_x"], m * (x - a * s * phi), rtol=1e-14)
    assert np.allclose(run["p_y"], m * (y + a * c * phi), rtol=1e-14)
    assert np.allclose(run["p_phi"], m * (rho**2 * phi + a * (y * c - x * s)), rtol=1e-14)
    assert np.allclose(run["p_x'"], -m * g * np.sin(alpha) + run.reaction("blade")[:, 0], atol=1e-12)
    T = m * (x**2 + y**2 + rho**2 * phi**2 + 2 * a * phi * (y * c - x * s)) / 2
    assert np.allclose(run["H"], T + m * g * (run["x"] + a * c) * np.sin(alpha), rtol=1e-13)


@pytest.mark.parametrize("form", ["multipliers", "minimal", "explicit", "canonical", "independent"])
def test_whatever_form_moved_it(form):
    run = example("platform-on-incline").simulate(1.0, form=form, samples=10)
    other = example("platform-on-incline").simulate(1.0, samples=10)
    assert np.allclose(run["p_phi"], other["p_phi"], atol=1e-7)
    assert np.allclose(run["H"], run["H"][0], rtol=1e-7)  # the blade does no work


def test_parts_of_t_that_are_linear_and_free_of_velocities():
    """A bead on a turning wire: T = m(ẋ² + 2wlẋ + w²x²)/2: p = m(ẋ + wl), H = T₂ − T₀ + V, and the rate of p."""
    bead = System(
        coordinates="x",
        kinetic="m*(x'^2 + 2*w*l*x' + w^2*x^2)/2",
        potential="k*x^2/2",
        parameters={"m": 0.35, "w": 2, "l": 0.7, "k": 5},
        initial={"x": 0.4, "x'": 0.1},
    )
    run = bead.simulate(1.0, samples=20)
    assert np.allclose(run["p_x"], 0.35 * (run["x'"] + 2 * 0.7))
    assert np.allclose(run["H"], 0.35 * (run["x'"] ** 2 - 4 * run["x"] ** 2) / 2 + 5 * run["x"] ** 2 / 2)
    assert np.allclose(run["H"], run["H"][0]) and np.allclose(run["H"], run.energy)
    assert np.allclose(run["p_x'"], (0.35 * 4 - 5) * run["x"])


def test_of_a_massless_coordinate_it_is_zero():
    rod = System(coordinates="x y", kinetic="m*x'^2/2", potential="m*g*x", constraints={"k": "y = 2*x"},
                 parameters={"m": 0.35, "g": 9.81})  # fmt: skip
    run = rod.simulate(0.5, samples=4)
    assert np.all(run["p_y"] == 0) and np.allclose(run["p_x"], -0.35 * 9.81 * run.t)


def test_in_outputs_events_files_and_plots(tmp_path):
    system = example("pendulum").replace(outputs={"turn": "p_phi + l*(x'*0)", "moment": "turn'", "left": "H - m*g*y"})
    run = system.simulate(2.0, samples=50)
    J, m = (system.parameters[name] for name in ("J", "m"))
    assert np.allclose(run["turn"], J * run["phi'"]) and np.allclose(run["moment"], J * run["phi''"])
    assert np.allclose(run["left"], run.energies.kinetic)
    path = tmp_path / "model.toml"
    system.save(path)
    assert load(path).outputs == system.outputs
    panels = chart(run, "momenta").panels
    assert [curve.name for panel in panels for curve in panel.curves] == ["p_x", "p_y", "p_phi", "H"]
    assert [panel.title.text for panel in panels] == ["Momenta", "H"]
    assert len(chart(run, "momenta", "p_x").panels[0].curves) == 1
    stopped = example("pendulum").simulate(5.0, events=["p_phi = 0"]).events
    assert stopped and all(abs(event.v[2]) < 1e-9 for event in stopped)
    assert m == 1 and run.peak("p_x") > 0


def test_in_other_coordinates_they_are_left_out():
    """A system without a coordinate has no momentum of it; outputs and events that ask for it go, others stay."""
    system = example("pendulum").replace(outputs={"p": "p_x", "twice": "2*p", "y2": "2*y"})
    assert set(system.reduced().outputs) == {"y2"}


def test_of_a_mechanism_with_units():
    engine = example("engine").replace(outputs={"p": "p_x_piston", "L": "p_phi_rod", "E": "H", "f": "p'"})
    run = engine.simulate(0.01, samples=5)
    mass = run.evaluate(str(engine.bodies["piston"].mass))
    assert np.allclose(run["p"], mass * run["x_piston'"])
    assert [unit_of(engine, engine.outputs[name]) for name in ("p", "L", "E")] == ["N s", "N m s", "J"]
    assert [panel.unit for panel in chart(run, "momenta").panels] == ["N s", "N m s", "J"]


def test_of_a_long_tree_without_formulas():
    """2T = p·v; H is the energy; what would need formulas is refused with words."""
    chain = loads(str(example("spatial-chain:10")).replace("[mechanism]", '[mechanism]\ncoordinates = "joints"'))
    assert chain.defined
    run = chain.simulate(0.3, samples=3)
    doubled = sum(run[f"p_{name}"] * run[f"{name}'"] for name in chain.coordinates)
    assert np.allclose(doubled, 2 * run.energies.kinetic, rtol=1e-11, atol=1e-11)
    assert np.allclose(run["H"], run.energy)
    with pytest.raises(ModelError, match="not known of a long tree"):
        run["p_angle_J1'"]
    with pytest.raises(ModelError, match="no formulas"):
        run.evaluate("p_angle_J1")


def test_names_of_the_model_win():
    """A parameter p_x, a coordinate H, an output p_H: each is what the model says."""
    system = System(coordinates="x H", kinetic="x'^2/2 + p_x*H'^2/2", parameters={"p_x": 2}, initial={"H'": 3})
    run = system.simulate(1.0, samples=2)
    assert np.allclose(run["H"], 3 * run.t) and np.allclose(run["p_H"], 6)
    with pytest.raises(ModelError, match="the model has this name itself"):
        run["p_x"]
    assert np.allclose(run.evaluate("p_x"), 2)
    named = system.replace(outputs={"p_H": "7*H'"}).simulate(1.0, samples=2)
    assert np.allclose(named["p_H"], 21)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"outputs": {"z": "p_x''"}}, "depends on accelerations"),
        ({"outputs": {"z": "p_y"}}, "unknown name `p_y`"),
        ({"states": {"z": "p_x - z"}}, "unknown name `p_x`"),
    ],
)
def test_what_cannot_be_asked_is_said(given, message):
    with pytest.raises(ModelError, match=message):
        System(coordinates="x", kinetic="x'^2/2", **given)


def test_matrices_have_none():
    run = System(coordinates="x", mass=[["1"]], force=["-x"], initial={"x": 1}).simulate(1.0, samples=2)
    for name in ("p_x", "H"):
        with pytest.raises(ModelError, match="given by matrices has neither momenta nor H"):
            run[name]
    with pytest.raises(ModelError, match="no momenta to draw"):
        chart(run, "momenta")


def test_tables_of_the_canonical_form_have_them(tmp_path):
    """Momenta and H are columns behind the others, as `run["p_x"]` gives them; other forms have none."""
    system = example("platform-on-incline")
    run = system.simulate(0.5, form="canonical", samples=4)
    table = run.to_dataframe()
    assert list(table)[-4:] == ["p_x", "p_y", "p_phi", "H"]
    assert np.array_equal(table["p_phi"], run["p_phi"]) and np.array_equal(table["H"], run["H"])
    run.save(tmp_path / "run.csv")
    assert (tmp_path / "run.csv").read_text().split("\n")[0].endswith(",energy,p_x,p_y,p_phi,H")
    assert "H" not in system.simulate(0.5, samples=4).to_dataframe()
