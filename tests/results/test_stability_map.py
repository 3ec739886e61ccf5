"""The map of admissible gains: against published intervals, the exact roots of stability functions, and as a picture."""

from __future__ import annotations

import json

import numpy as np
import pytest

from dalembert import ModelError, stabilisation_map
from dalembert.cli import main
from dalembert.motion.methods import METHODS
from dalembert.motion.tableau import Tableau

HEUN = Tableau("heun", 2, stages=((), (1.0,)), weights=(0.5, 0.5), times=(0.0, 1.0))


def test_known_intervals():
    """Hairer and Wanner, IV.2: −2 of orders 1 and 2, −2.785 of RK4, along the imaginary axis 2√2 of RK4."""
    assert stabilisation_map("euler").interval == pytest.approx(2)
    assert stabilisation_map(HEUN).interval == pytest.approx(2)
    rk4 = stabilisation_map("rk4")
    x = np.roots([1 / 24, 1 / 6, 1 / 2, 1, 0])  # R(x) = 1
    assert -rk4.interval == pytest.approx(x[(np.abs(x.imag) < 1e-9) & (x.real < -1)].real[0])
    assert rk4.region.reach([1j]) == pytest.approx(2 * np.sqrt(2))
    assert stabilisation_map("euler").region.reach([1j]) == 0
    assert stabilisation_map("euler").region.reach([-1 + 1j]) == pytest.approx(1)
    assert rk4.region.best == pytest.approx((-1.5961, 0.2704), abs=1e-4)


def test_positions():
    """S = 0 of RK4 where both eigenvalues are roots: α = 1.7294/τ, β = 1.9445/τ."""
    rk4 = stabilisation_map("rk4")
    assert float(rk4.region.position_radius(1.7294, 1.9445)) < 1e-3
    roots = np.roots(METHODS["rk4"].polynomial[::-1])
    pair = roots[np.argsort(np.abs(roots.real + 1.7294))[:2]]
    assert -pair.real.mean() == pytest.approx(1.7294, abs=1e-4)
    assert abs(pair[0]) == pytest.approx(1.9445, abs=1e-4)


def test_the_stability_function_is_that_of_the_stages():
    for method in ("euler", "rk4", "dop853"):
        tableau = METHODS[method]
        Z = np.array([[-0.7, 0.4], [-0.9, -1.1]])
        found = tableau.growth(Z[None])
        expected = sum(c * np.linalg.matrix_power(Z, k) for k, c in enumerate(tableau.polynomial))
        assert found == pytest.approx(expected, abs=1e-12)


def test_marked_gains():
    found = stabilisation_map("rk4", step=0.1, gains={"kappa": -50})
    assert (found.delta, found.longest) == (pytest.approx(13.7, abs=0.1), pytest.approx(0.0557, abs=1e-4))
    assert "outside: errors grow" in str(found)
    found = stabilisation_map("rk4", step=0.1, gains={"alpha": [5, 6], "beta": [5, 8]})
    assert sorted(z.real for z in found.eigenvalues) == pytest.approx([-6, -6, -5, -5], abs=1e-6)
    assert found.as_dict()["admissible"]
    figure = found.plot(dark=True)
    assert [axes.get_xlabel() for axes in figure.axes[:2]] == ["Re τκ", "ατ"]
    figure = stabilisation_map("dop853").plot()
    assert len(figure.axes) == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("radau",), "the method `radau` keeps the constraints itself; gains are for dop853, rk4, euler"),
        (("rk5",), "no method `rk5`; did you mean `rk4`"),
        (("rk4", -1), "`step` must be positive"),
        (("rk4", 0.1, {"alpha": 1}), "both gains"),
        (("rk4", 0.1, {"kappa": "sin(t)"}), "cannot be used here"),
        (("rk4", 0.1, {"kappa": [[1, 2], [3]]}), "as many rows as columns"),
        (("rk4", 0.1, {"alpha": 1, "beta": [1, 2]}), "`alpha` is of 1 constraints, and `beta` of 2"),
    ],
)
def test_what_cannot_be_marked(arguments, words):
    with pytest.raises(ModelError) as error:
        stabilisation_map(*arguments)
    assert words in str(error.value)


def test_on_the_command_line(capsys, tmp_path):
    picture = tmp_path / "map.png"
    _run(["gains", "rk4", "--step", "0.1", "--gains", "kappa=-5", "--plot", str(picture), "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["admissible"] is True
    assert found["delta"] == pytest.approx(0.6068, abs=1e-4)
    assert picture.read_bytes().startswith(b"\x89PNG")
    _run(["gains", "euler"])
    assert "-2 < τκ < 0" in capsys.readouterr().out


def _run(line: list[str]) -> None:
    try:
        main(line)
    except SystemExit as ended:
        assert not ended.code
