"""First integrals: twenty classics with what is known of them, drift along motions, and systems made to deceive."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism, System, load
from dalembert.cli import main
from dalembert.results.certificate.equations import places, scales
from dalembert.results.certificate.first_integrals import moves_from_rest
from dalembert.survey.integral_factors import factors_near
from dalembert.survey.integrals import NARROWED, lasting_momenta
from dalembert.survey.sampled_states import SampledStates
from tests.shared import example
from tests.survey.classics import ABOUT, CLASSICS, SPIN, TOP, TURNED, system

DRIFT = 1e-12  # of the size of its terms


def drift(of: System, expression, until: float = 1.0) -> float:
    """Return how much an expression changes along an accurate motion, in the size of its terms."""
    run = of.simulate(until, rtol=1e-13, atol=1e-15, samples=10)
    terms = expression.args if expression.is_Add else (expression,)
    values = run.evaluate({"whole": expression, **{f"{k}": term for k, term in enumerate(terms)}})
    whole = values.pop("whole")
    return np.ptp(whole) / (sum(np.abs(part).max() for part in values.values()) or 1.0)


@pytest.mark.parametrize("name", CLASSICS)
def test_classics(name):
    """All that are known are found, and as many; each stays as it is along a motion, to 12 digits."""
    of, expected = CLASSICS[name]
    found = of.integrals()
    assert len(found) == len(expected), str(found)
    states = SampledStates(of, 60, seed=99)
    known = [of.observed.read(text) for text in expected.values()]
    values, wanted = (states.at(some) for some in ([one.expression for one in found], known))
    basis = np.vstack([values, np.ones(len(states))]).T
    basis = basis / np.linalg.norm(basis, axis=0)
    left = wanted.T - basis @ np.linalg.lstsq(basis, wanted.T, rcond=None)[0]
    assert np.abs(left).max() < 1e-9 * np.abs(wanted).max()
    assert np.linalg.matrix_rank(basis, tol=1e-9) == len(found) + 1
    assert all(one.general for one in found)
    for one in found:
        assert drift(of, one.expression) < DRIFT, one.name


def test_what_moves_from_rest_in_its_only_way_has_no_momenta():
    """What the certificate does not look for is not there, as the search says."""
    seen = []
    for of in (*(of for of, _ in CLASSICS.values()), example("slider-crank"), example("rolling-disk")):
        run = of.simulate(0.3)
        if moves_from_rest(run, scales(run, places(run))):
            assert not lasting_momenta(of)
            seen.append(of)
    assert len(seen) >= 3 and example("slider-crank") in seen


def test_how_they_are_written():
    found = CLASSICS["symmetric top"][0].integrals()
    assert [one.name for one in found] == ["energy", "p_psi", "p_phi"]
    assert str(found["p_phi"]) == "C*(cos(theta(t))*Derivative(psi(t), t) + Derivative(phi(t), t))"
    data = found.as_dict()
    assert data["p_phi"] == {
        "value": "C*(phi' + psi'*cos(theta))",
        "words": "the momentum of `phi`",
        "direction": {"phi": "1"},
        "general": True,
    }
    assert "p_phi = C*(phi' + psi'*cos(theta))" in str(found)
    hoop = CLASSICS["bead on a hoop that turns"][0].integrals()
    assert hoop.as_dict()["jacobi"]["words"] == "Jacobi's integral T₂ − T₀ + V"
    disk = example("upright-disk").integrals()
    assert disk.as_dict()["p_phi"]["words"] == "the momentum of `phi`; no reaction does work along it"
    with pytest.raises(KeyError, match="there is no integral `p_x`; `energy`, `p_phi` and `p_theta`"):
        _ = disk["p_x"]


def test_with_these_values():
    """A top of three moments of inertia, of which two are equal as numbers."""
    found = example("heavy-top").integrals()
    assert [one.general for one in found] == [True, False, True]
    assert "with these values of the parameters" in found.as_dict()["I_2"]["words"]
    for one in found:
        assert drift(example("heavy-top"), one.expression, 0.05) < DRIFT
    other = example("heavy-top").replace(parameters={"J1": 0.4}).integrals()
    assert len(other) == 2


# --- systems made to deceive: the names that may be claimed -------------------------------------------------------------

PLANE = "m*(x'^2 + y'^2)/2"
FAR = {"x": 1, "y'": 1, "x'": 0.2}
UNEVEN = "A*(psi'*sin(theta)*sin(phi) + theta'*cos(phi))^2/2 + (A + 1e-9)*(psi'*sin(theta)*cos(phi) - theta'*sin(phi))^2/2 + C*(psi'*cos(theta) + phi')^2/2"  # fmt: skip
DECEIVING: dict[str, tuple[System, set[str]]] = {
    "uneven top": (system("psi theta phi", UNEVEN, "m*g*l*cos(theta)", initial=TURNED), {"energy", "p_psi"}),
    "uneven field": (system("x y", PLANE, "-k/sqrt(x^2 + y^2) + 1e-9*x^2", initial=FAR), {"energy"}),
    "feather beside a spring": (
        system("x y", PLANE, "1e6*x^2/2", forces={"y": "1e-9*sin(y)"}, initial=FAR), set(),
    ),
    "time": (system("x y", PLANE, initial=FAR, forces={"x": "1e-9*sin(t)"}), {"p_y"}),
    "time in the potential": (system("x y", PLANE, "1e-9*t*y", initial=FAR), {"p_x"}),
    "far pulse": (system("x y", PLANE, initial=FAR, forces={"x": "exp(-1000*(x - 50)^2)"}), {"p_y"}),
    "far stop": (system("x y", PLANE, initial=FAR, forces={"x": "-max(0, x - 100)"}), {"p_y"}),
    "far stop with damping": (system("x y", PLANE, initial=FAR, forces={"y": "if(y > 99, -y', 0)"}), {"p_x"}),
    "high power": (system("x y", PLANE, initial=FAR, forces={"x": "-(x/30)^51*y"}), {"p_y"}),
    "friction": (system("x y", PLANE, "k*x^2", initial=FAR, forces={"x": "-1e-8*x'", "y": "-1e-8*y'*abs(y')"}), set()),
    "dry friction": (system("x y", PLANE, initial=FAR, forces={"x": "-sign(x')"}), {"p_y"}),
    "driven support": (example("moved-pendulum"), set()),
    "driven ring": (
        system("x y", PLANE, constraints={"ring": "x^2 + y^2 = (1 + t/10)^2"}, initial={"x": 1, "y'": 1}), {"I_1"},
    ),
    "slope": (system("x y", PLANE, constraints={"slope": "x = 2*y + y^3/1e6"}, initial={"y'": 1}), {"energy"}),
    "open function": (system("x y", PLANE, functions={"F": ["t"]}, forces={"x": "F(t)"}, initial=FAR), {"p_y"}),
    "open control": (system("x y", PLANE, controls={"u": {"acts": {"x": "1"}}}, initial=FAR), {"p_y"}),
    "control with a law": (
        system("x y", PLANE, controls={"u": {"acts": {"x": "1"}, "law": "-k*x'"}}, initial=FAR), {"p_x", "p_y"},
    ),
    "state": (system("x y", PLANE, states={"z": "x - z"}, forces={"x": "-z"}, initial=FAR), {"p_y"}),
    "blows": (
        system("x y", PLANE, initial=FAR, events={"wall": {"when": "y = 0.5", "velocities": {"y'": "-y'"}}}), set(),
    ),
    "changes": (system("x y", PLANE, "k*x^2", initial=FAR, events={"cut": {"when": "t = 0.5", "set": {"k": 0}}}), set()),
    "table": (
        system(
            "x y", PLANE, initial=FAR, forces={"x": "far(x)"},
            tables={"far": {"x": [0, 90, 100, 110], "value": [0, 0, 1, 0], "kind": "linear"}},
        ),
        {"p_y"},
    ),
    "servo": (
        system("x y", PLANE, constraints={"servo": "x'' = 1e-9*y"}, initial=FAR), {"p_y"},
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", DECEIVING)
def test_nothing_is_claimed_that_does_not_hold(name):
    of, allowed = DECEIVING[name]
    found = of.integrals()
    assert {one.name for one in found} == allowed, str(found)
    if "open" not in name:
        for one in found:
            assert drift(of, one.expression, 0.2) < DRIFT


def test_damping_is_a_momentum_by_position():
    """m x' + c x is constant where nothing but c x' acts; with the law as it is written."""
    found = DECEIVING["control with a law"][0].integrals()
    assert "with what the forces take of it by position" in found.as_dict()["p_x"]["words"]


def test_events_are_named():
    assert DECEIVING["blows"][0].integrals().notes == (
        "`wall` change the motion: what stays constant is not looked for",
    )


def test_matrices_have_momenta():
    """A model by matrices has no energy; M v of a coordinate that nothing pushes is constant all the same."""
    assert [one.name for one in example("knife-edge").integrals()] == ["p_theta"]


def test_factors():
    assert [str(factor) for factor in factors_near(-0.7, {"F": 0.7})] == ["-7/10", "-F"]
    assert [str(factor) for factor in factors_near(np.pi, {})] == []
    assert "a/b" in [str(factor) for factor in factors_near(0.3 / 0.7, {"a": 0.3, "b": 0.7})]


def test_euler_parameters_and_angles_agree():
    """The top in Euler's angles has the same integrals."""
    of = system("psi theta phi", TOP, "m*g*l*cos(theta)", initial=TURNED)
    states = SampledStates(of, 20)
    for name, text in {**SPIN, **ABOUT}.items():
        found = next(one.expression for one in of.integrals() if one.name == name)
        assert states.at([found]) == pytest.approx(states.at([of.observed.read(text)]), rel=1e-12)


def test_lines_of_the_certificate():
    """Momenta are measured along every run, coarse ones fail, and none is where an event changes something."""
    system = CLASSICS["cart with a pendulum"][0]
    certificate = system.simulate(2).certificate
    assert certificate.ok and certificate["p_x"].value < 1e-8 and certificate["forms"].value < 1e-12
    coarse = system.simulate(5, method="euler", step=0.1).certificate
    assert coarse["p_x"].value > 1e-8
    hit = DECEIVING["blows"][0].simulate(1).certificate
    assert not [item.name for item in hit.items if item.name.startswith(("p_", "I_"))]


def test_on_the_command_line(tmp_path, capsys):
    path = tmp_path / "kepler.toml"
    CLASSICS["Kepler"][0].save(path)
    with pytest.raises(SystemExit):
        main(["derive", str(path), "--to", "json"])
    assert json.loads(capsys.readouterr().out)["integrals"]["I_2"]["value"] == "m*(x*y' - y*x')"
    with pytest.raises(SystemExit):
        main(["derive", str(path)])
    assert "First integrals" in capsys.readouterr().out


def test_what_vanishes_on_the_constraints_is_not_claimed():
    """A drive leaves no freedom; x_crank − cos(φ)/10 is zero, and so is any momentum along it."""
    driven = load(Path(__file__).parents[1] / "everyday" / "models" / "four-bar-off.toml")
    assert len(driven.integrals()) == 0


def test_what_integrable_constraints_keep_constant_makes_no_further_integral():
    """s − r φ is constant, so that (s − r φ) p_X is one that nobody asks for."""
    rolling = load(Path(__file__).parents[1] / "formulas" / "models" / "cylinder-on-wedge.toml")
    assert [one.name for one in rolling.integrals()] == ["energy", "p_X"]


def test_integrals_of_a_top_by_its_angular_velocity():
    found = str(example("heavy-top-joints").integrals())
    assert "J1*omega_x_top^2 + J2*omega_y_top^2 + J3*omega_z_top^2" in found
    assert "J1*R31_top*omega_x_top + J2*R32_top*omega_y_top + J3*R33_top*omega_z_top" in found
    assert "  R31_top = 2*(e1_top*e3_top - e0_top*e2_top)" in found
    assert max(map(len, found.splitlines())) < 250


def test_names_of_bodies_stand_for_what_they_say():
    """The energy by ω and R has the value that it has by Euler parameters, where these have the length 1."""
    of = example("heavy-top-joints")
    found, states = of.integrals(), SampledStates(of, 30, seed=4)
    meanings = {se.Symbol(name): value for name, value in found.meanings().items()}
    named = [row.right.xreplace(meanings) for row in found.rows()]
    plain = [one.expression for one in found]
    assert np.allclose(states.at(named), states.at(plain), rtol=1e-9)


@pytest.mark.parametrize(
    ("coordinates", "kinetic", "names", "formulas"),
    [
        ("x", "m*x'^2/2", "energy p_x", {"energy": "m*x'^2/2", "p_x": "m*x'"}),
        ("phi", "J*phi'^2/2", "energy p_phi", {"energy": "J*phi'^2/2", "p_phi": "J*phi'"}),
        ("x y", "m*(x'^2 + y'^2)/2", "energy p_x p_y I_4", {"p_y": "m*y'", "I_4": "m*(x*y' - y*x')"}),
        ("x y phi", "m*(x'^2 + y'^2)/2 + J*phi'^2/2", "energy p_x p_y p_phi I_5", {"I_5": "m*(x*y' - y*x')"}),
        ("x1 x2", "(m*x1'^2 + J*x2'^2)/2", "energy p_x1 p_x2", {"p_x2": "J*x2'"}),
    ],
)
@pytest.mark.filterwarnings("error")
def test_where_nothing_acts_all_is_kept(coordinates, kinetic, names, formulas):
    """Energy, momenta and the angular momentum of Newton's first law, and not that x and φ both go on uniformly."""
    found = System(coordinates, kinetic=kinetic, parameters={"m": 2, "J": 3}).integrals().as_dict()
    assert " ".join(found) == names
    assert {name: found[name]["value"] for name in formulas} == formulas
    assert all(one["general"] for one in found.values())


@pytest.mark.parametrize("inertia", [0.1, 1.0])
def test_a_free_body_without_gravity(inertia):
    """Also one whose mass and moment of inertia are the same number: its angle is no length."""
    body = {"mass": 1, "inertia": inertia, "at": [0.5, 0], "velocity": [1, 2], "spin": 3}
    found = Mechanism(bodies={"a": body}, gravity=[0, 0]).integrals()
    assert [one.name for one in found] == ["energy", "p_x_a", "p_y_a", "p_phi_a", "I_5"]
    assert found.as_dict()["I_5"]["value"] == "x_a*y_a' - y_a*x_a'"


@pytest.mark.filterwarnings("error")
def test_gravity_that_is_none():
    """A parameter of value 0 is no factor: p_y is kept with these values of the parameters only."""
    found = Mechanism(bodies={"a": {"mass": 1, "inertia": 0.1}}, parameters={"g": 0}).integrals().as_dict()
    assert found["p_y_a"]["general"] is False and found["p_x_a"]["general"] is True


def test_wheels_in_mesh_where_nothing_acts():
    """Kept is the momentum of both turned together, along which the teeth do no work: 2 p_a − p_b."""
    of = System("a b", kinetic="(0.1*a'^2 + 0.3*b'^2)/2", constraints={"mesh": "20*a + 40*b = 0"})
    found = of.integrals().as_dict()
    assert list(found) == ["energy", "p_a_b"] and found["p_a_b"]["value"] in ("0.3*b' - 0.2*a'", "0.2*a' - 0.3*b'")
    for one in of.integrals():
        assert drift(of.replace(initial={"a'": 2}), one.expression) < DRIFT


def test_what_a_constraint_holds_at_zero_is_no_factor():
    """A wheel on a fixed axle and a free one in mesh: y_a x_b' holds, as y_a is zero all the time."""
    wheel = {"mass": 1, "inertia": 0.1}
    of = Mechanism(
        bodies={"a": {**wheel, "at": [0, 0], "spin": 2}, "b": {**wheel, "at": [0.5, 0]}},
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
            "G": {"kind": "gear", "bodies": ["a", "b"], "radii": [0.3, 0.2]},
        },
        gravity=[0, 0],
    )
    states = SampledStates(of, 30, seed=3)
    for one in of.integrals():
        assert np.ptp(states.at([one.expression])) > 1e-3, one.name
        assert not {"x_a", "y_a"} & {symbol.name for symbol in one.expression.free_symbols}


def test_nothing_that_can_move_warns_of_nothing(recwarn):
    """A truss: no velocity, no momentum, and no quotient by zero."""
    joints = {
        "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
        "B": {"kind": "slot", "bodies": ["ground", "a"], "at": [1, 0], "axis": [1, 0]},
    }
    locked = Mechanism(bodies={"a": {"mass": 1, "inertia": 0.1, "at": [0.5, 0]}}, joints=joints)
    assert len(locked.integrals()) == 0
    assert "mesh" not in str(locked.derive("minimal")) and not recwarn.list


def test_long_products_in_forces_are_not_expanded():
    """Of twenty-four sums two to the power of twenty-four terms would come, to find what of them is constant."""
    product = "*".join(f"(a{k} + b{k}*y)" for k in range(24))
    parameters = {f"{letter}{k}": 0.1 * k + 0.3 for k in range(24) for letter in "ab"}
    forces = {"x": f"y*{product}", "y": "-w*x"}
    found = System(
        "x y z", kinetic="(x'^2 + y'^2 + z'^2)/2", forces=forces, parameters={**parameters, "w": 2}
    ).integrals()
    assert [one.name for one in found.found] == ["p_z"]


def test_a_gyroscope_in_its_rings():
    """In 21 coordinates of three bodies: the spin of the rotor, and all turned about the vertical."""
    of = example("gyroscope")
    found = of.integrals()
    assert [one.name for one in found] == ["energy", "I_2", "I_3"] and not found.notes
    spin, vertical = (one.direction for one in found.found[1:])
    assert set(spin) == {f"e{k}_rotor" for k in range(4)} and len(vertical) > 4
    run = of.simulate(0.2)
    assert {"I_2", "I_3"} <= {item.name for item in run.certificate.items} and run.certificate.ok
    for one in found:
        assert drift(of, one.expression, 0.1) < DRIFT


def test_many_particles():
    """Of 24 coordinates those are paired that stand together; the angular momentum is among them."""
    n = range(12)
    of = System(
        [f"{axis}{k}" for k in n for axis in "xy"],
        kinetic=" + ".join(f"{1 + k / 10}*(x{k}'^2 + y{k}'^2)/2" for k in n),
        potential=" + ".join(f"3.1*(sqrt((x{k} - x{k + 1})^2 + (y{k} - y{k + 1})^2) - 0.5)^2/2" for k in n[:-1]),
        initial={f"x{k}": 0.6 * k for k in n} | {"y3'": 1, "y7'": -0.4},
    )
    found = of.integrals()
    assert len(found) == 4 and found.found[3].direction["y7"] in (se.Symbol("x7"), -se.Symbol("x7"))
    assert found.notes == (NARROWED,) and NARROWED in of.derive().text()
    assert [one.name for one in found] == ["energy", "I_2", "I_3", "I_4"]
    assert "`x7`, and of 4 more moved together" in str(found) and "y3: x3, and of 16 more)" in str(found)
    states, whole = SampledStates(of, 20), "+".join(f"{1 + k / 10}*(x{k}*y{k}' - y{k}*x{k}')" for k in n)
    ratio = states.at([found.found[3].expression])[0] / states.at([of.observed.read(whole)])[0]
    assert np.ptp(ratio) < 1e-12


def test_what_follows_from_the_energy_is_not_missed():
    """A four-bar moves in one way: that not all of its directions were looked at is no loss, and not said."""
    assert not example("n-four-bar").integrals().notes


@pytest.mark.parametrize("values", [(1, 0.5), (1, 1), (0.5, 1), (-1, 1), (0.3, 0.3)])
def test_constant_forces_stand_by_their_names(values):
    """Also where one of them has the value 1, or both have the same: the energy holds for all values."""
    of = System(
        "x y",
        kinetic="m*(x'^2 + y'^2)/2",
        forces={"x": "F", "y": "-G"},
        parameters=dict(zip("mFG", (2, *values), strict=True)),
    )
    found = of.integrals().found[0]
    assert found.general and se.expand(found.expression - of.observed.read("m*(x'^2 + y'^2)/2 - F*x + G*y")) == 0
