"""Systems as a lecturer writes them, none of the gallery: right in every form, and as one writes them on a board."""

from __future__ import annotations

from pathlib import Path

import pytest

from dalembert import example, load
from dalembert.forms import FORMS
from tests.formulas.test_printed import compare_with_kernels
from tests.sampling import sampled

LECTURES = Path(__file__).parent / "lectures"
MODELS = [
    path.stem for path in sorted(LECTURES.glob("*.toml")) if path.stem != "names"
]  # which would mislead the reader
CASES = [(model, form) for model in MODELS for form in FORMS if FORMS[form].beside != "u"]  # those: test_quasi.py


def derived(model: str, form: str):
    return load(LECTURES / f"{model}.toml").derive(form)


@pytest.mark.parametrize("case", sampled(CASES, 17), ids=" ".join)
def test_what_is_printed_equals_the_kernel(case, monkeypatch):
    model, form = case
    compare_with_kernels(load(LECTURES / f"{model}.toml"), form, monkeypatch)


def test_a_direction_by_sine_and_cosine():
    found = derived("cartincl", "minimal").as_dict()
    assert found["equations"] == [
        "(M + m)*(s'' - g*sin(alpha)) + m*l*(phi''*cos(alpha + phi) - phi'^2*sin(alpha + phi)) + k*s = 0",
        "J*phi'' + m*l*(l*phi'' + s''*cos(alpha + phi) + g*sin(phi)) = 0",
    ]
    assert found["joint_forces"]["rail.angle"] == "0"  # what hangs on a pin needs no moment


def test_coordinates_without_mass():
    first = derived("incline-c", "explicit").as_dict()["equations"][0]
    assert first == (
        "x'' - cos(alpha)*(m*sin(alpha + th)*(l*th'^2 + g*cos(th)) + M*g*sin(alpha))/(M + m*sin(alpha + th)^2) = 0"
    )


@pytest.mark.parametrize(
    ("model", "H"),
    [
        ("tube", "k*(r - r0)^2/2 + m*g*r*sin(theta) + p_r^2/(2*m) + p_theta^2/(2*(J + m*r^2))"),
        ("lift", "8338.5*x_car + 12267.405*x_cw + p_phi^2/25.5 + p_x_car^2/1700 + p_x_cw^2/2501"),
    ],
)
def test_the_energies_of_a_hamiltonian_stand_side_by_side(model, H):
    assert derived(model, "canonical").as_dict()["matrices"]["H"] == [[H]]


@pytest.mark.parametrize("model", ["spin3rod", "dipc", "snakeboard", "roberts", "trailer", "toggle", "incline-c"])
def test_the_canonical_form_is_written(model):
    found = derived(model, "canonical").as_dict()
    assert len(found["equations"]) == 2 * len(load(LECTURES / f"{model}.toml").coordinates)
    assert not any("too long" in note for note in found["notes"])


def test_a_name_that_is_taken_is_another_one_in_latex_too():
    """k is the stiffness of the user; what the equations share is called k_1."""
    text = derived("governor", "explicit").latex()
    assert "k_{1}" in text and "\nk &=" not in text
    assert "p_{x,\\mathrm{\\_}}" in derived("names", "canonical").latex()


def test_names_of_shared_parts_are_not_those_of_matrices():
    for model in ("incline-c", "trailer"):
        found = derived(model, "explicit").as_dict()
        assert not found["abbreviations"].keys() & found["matrices"].keys()


def test_no_note_says_where_a_number_vanishes():
    assert not [note for note in derived("gearpair", "independent").notes if "holds where" in note]


def test_names_of_steps_are_others_on_paper_too():
    """Euler parameters e0, …, e3 beside steps e_1, e_2: LaTeX would write both as e with an index."""
    found = example("heavy-top").derive("explicit").as_dict()["abbreviations"]
    assert not {f"e_{k}" for k in range(4)} & found.keys()


@pytest.mark.parametrize(
    "part",
    [
        {"loads": {"late": {"body": "cart", "torque": "3*step(t - 5)"}}},
        {"loads": {"late": {"body": "cart", "torque": "3*sin(2*t)"}}},
        {"actuators": {"late": {"joint": "pin", "torque": "3*step(t - 5)"}}},
        {"actuators": {"late": {"joint": "pin", "torque": "3*exp(-((t - 5)/0.01)^2)"}}},
    ],
)
def test_a_moment_that_comes_later_is_not_zero(part):
    """Where formulas are looked at it is still zero, in the formula or in the equations that it is made of."""
    late = load(LECTURES / "cartincl.toml").replace(**part)
    assert late.derive("minimal").as_dict()["joint_forces"]["rail.angle"] != "0"


def test_two_stages_of_gears_in_numbers_that_one_would_write():
    found = derived("winch", "minimal").as_dict()
    assert found["matrices"]["D"] == [["20"], ["-4"], ["1"]]
    equation = "0.35*phi_drum'' - 0.0244*phi_inter'' + 0.008*phi_motor'' + 0.4*phi_motor' + ML - 70 = 0"
    assert found["equations"] == [equation]
    equation = "0.037975*phi_inter'' - 0.1*phi_motor' - 0.25*ML + 17.5 = 0"
    assert derived("winch", "independent").as_dict()["equations"] == [equation]
    assert found["multipliers"]["G1.mesh"] == "(44.76*phi_motor' - 40*ML - 7833)/45.57"


def test_a_driven_mechanism_moves_first_and_each_row_of_the_balance_gives_a_force():
    found = derived("driven-press", "multipliers").as_dict()
    assert list(found["abbreviations"]) == ["a_phi_rod", "a_distance_G", "lambda_C_x", "lambda_C_y", "lambda_M_angle"]
    assert found["abbreviations"]["a_phi_rod"] == "sin(phi_rod)*(phi_rod'^2 - phi_crank'^2)/cos(phi_rod)"
    assert found["abbreviations"]["lambda_C_x"] == "11*a_distance_G - 1200*(0.06 - distance_G)"


def test_springs_between_points_have_a_length_a_force_and_directions():
    found = derived("trailing-arm", "minimal").as_dict()
    names = found["abbreviations"]
    assert found["equations"][1] == (
        "9*cos(phi_arm)*(distance_rail'' + g) + 4.17*phi_arm'' + sin(phi_arm)*(1.8*distance_rail'' + 1.8*g)"
        " + F_main*h_main_phi_arm + F_tyre*h_tyre_phi_arm = 0"
    )
    assert names["F_tyre"] == "180000*(l_tyre - 0.305)"
    assert names["F_main"] == "1800*h_main_phi_arm*phi_arm' - 42000*(0.52 - l_main)"
    assert found["joint_forces"]["pivot.x"] == "14*a_x_arm + 11*a_x_wheel + F_main*e_x_main + F_tyre*e_x_tyre"
