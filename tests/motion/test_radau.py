"""Radau IIA: stiff systems, constraints kept, and all that a run can be asked."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Event, ModelError, SimulationError, System
from dalembert.motion.entry import Stepper
from dalembert.motion.methods.radau import STAGES, TIMES, scheme
from dalembert.motion.pattern import pattern
from dalembert.motion.steppers.sparse import CHOSEN, GIVEN
from tests.conftest import pendulum
from tests.honesty.machines import parallel_cranks
from tests.shared import example

factorise, solve = Stepper("sparse", "factorise"), Stepper("sparse", "solve")


def stiff(k: float) -> System:
    """A pendulum on a stiff and strongly damped spring, beside one on a rod."""
    return System(
        coordinates="x y X Y",
        kinetic="(x'^2 + y'^2 + X'^2 + Y'^2)/2",
        potential="9.81*(y + Y) + k*(sqrt(x^2 + y^2) - 1)^2/2",
        forces={
            "x": "-2*sqrt(k)*(x*x' + y*y')/sqrt(x^2 + y^2)*x/sqrt(x^2 + y^2)",
            "y": "-2*sqrt(k)*(x*x' + y*y')/sqrt(x^2 + y^2)*y/sqrt(x^2 + y^2)",
        },
        constraints={"rod": "X^2 + Y^2 = 1"},
        parameters={"k": k},
        initial={"x": 1, "y": 0, "X": 1, "Y": 0, "x'": 0, "y'": 0, "Y'": 0},
    )


def test_coefficients_are_those_of_collocation():
    """Σ aᵢⱼ cⱼᵏ = cᵢᵏ⁺¹/(k+1), and the eigenbasis turns a⁻¹ into blocks."""
    for k in range(3):
        assert np.allclose(STAGES @ TIMES**k, TIMES ** (k + 1) / (k + 1), atol=1e-15)
    found = scheme()
    block = found.back @ found.inverse @ found.basis
    mu = found.complex
    assert np.allclose(block, [[found.real, 0, 0], [0, mu.real, -mu.imag], [0, mu.imag, mu.real]], atol=1e-12)


def test_elimination_solves(random):
    """Real and complex, against dense solves; E is known, so that what is solved is known."""
    n, s = 12, 4
    A = random.normal(size=(s, n)) * (random.random((s, n)) < 0.4)
    W = np.diag(random.random(n) + 1) + 0.1 * np.diag(random.normal(size=n - 1), 1)
    K = np.block([[W, -A.T], [A, np.zeros((s, s))]])
    entries = [(int(i), int(j)) for i, j in np.argwhere(K)]
    p = pattern(entries, n, s)
    E = np.zeros(n + s)
    for kind, how in ((float, CHOSEN), (complex, GIVEN)):
        factor = 1.0 if kind is float else 1.0 + 0.5j
        matrix = K.astype(kind)
        matrix[:n, :n] *= factor
        values, inverse, x = np.zeros(len(p.columns), kind), np.zeros(n + s, kind), np.zeros(n + s, kind)
        for place, (i, j) in zip(p.places(entries), entries, strict=True):
            values[place] += matrix[i, j]
        room = np.zeros(n + s, kind)
        factorise(p, values, inverse, room, E, how)
        right = random.normal(size=n + s).astype(kind)
        expected = np.linalg.solve(matrix + np.diag(E), right)
        solve(p, values, inverse, right.copy(), x)
        assert np.allclose(x, expected, atol=1e-11)
        assert np.all(E[n:] > 0)


def test_stiffness_costs_little():
    """A spring a hundred times stiffer costs an explicit method ten times the steps, this one less than twice."""
    steps = []
    for k in (1e6, 1e8):
        run = stiff(k).simulate(3.0, method="radau", rtol=1e-6, atol=1e-8)
        assert run.status == "done"
        steps.append(run.steps)
        assert np.hypot(run["x"][-1] - run["X"][-1], run["y"][-1] - run["Y"][-1]) < 300 / k  # the spring becomes a rod
    assert steps[1] < 2 * steps[0]
    explicit = stiff(1e8).simulate(0.1, rtol=1e-6, atol=1e-8)
    assert steps[1] < explicit.steps * 30 / 10


def test_error_follows_the_tolerance_where_it_is_stiff():
    exact = stiff(1e4).simulate(3.0, rtol=1e-11, atol=1e-12)
    for tolerance in (1e-4, 1e-6, 1e-8):
        run = stiff(1e4).simulate(3.0, method="radau", rtol=tolerance, atol=tolerance)
        assert np.abs(run.q[-1] - exact.q[-1]).max() < 30 * tolerance


def test_four_bar_passes_its_singular_positions():
    plain = example("n-four-bar:2").simulate(5.0, rtol=1e-11, atol=1e-11)
    run = example("n-four-bar:2").simulate(5.0, method="radau", rtol=1e-7, atol=1e-9)
    assert run.status == "done"
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-5
    assert np.ptp(run.q[-1][2::3][:3]) < 1e-6  # on the branch of the parallelogram


def test_samples_and_values_in_between():
    system = pendulum()
    plain = system.simulate(2.0, rtol=1e-12, atol=1e-13, samples=40)
    run = system.simulate(2.0, method="radau", rtol=1e-8, atol=1e-10, samples=40)
    assert np.abs(run.q - plain.q).max() < 2e-7
    assert np.abs(run.v - plain.v).max() < 2e-6
    g, psi = run.motion.kernels.residuals(run.t, run.q, run.v)
    assert np.abs(g).max() < 1e-12
    assert np.abs(psi).max() < 1e-11
    q, v = run.at([0.123, 1.77])
    exact = plain.at([0.123, 1.77])
    assert np.abs(q - exact[0]).max() < 2e-7
    assert np.abs(v - exact[1]).max() < 2e-6


def test_events():
    system = pendulum()
    run = system.simulate(5.0, method="radau", events=[Event("phi = 0", "stop", direction=-1)])
    plain = system.simulate(5.0, events=[Event("phi = 0", "stop", direction=-1)])
    assert run.status == "stopped"
    assert abs(run.t[-1] - plain.t[-1]) < 1e-8
    changed = system.simulate(2.0, method="radau", events=[Event("t = 1", {"g": 1.0})])
    other = system.simulate(2.0, events=[Event("t = 1", {"g": 1.0})])
    assert np.abs(changed.q[-1] - other.q[-1]).max() < 1e-7


def test_certificate():
    assert example("andrews-squeezer").simulate(0.01, method="radau").certificate.ok


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"form": "canonical"}, "goes with the form `multipliers` or `minimal`, not with `canonical`"),
        ({"keep": "stabilise"}, "keeps the constraints itself; leave `keep` out"),
    ],
)
def test_refusals(settings, words):
    with pytest.raises(ModelError, match=words):
        pendulum().simulate(1.0, method="radau", **settings)


def test_minimal_form():
    run = pendulum().simulate(1.0, method="radau", form="minimal")
    plain = pendulum().simulate(1.0)
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-7


def test_a_step_that_cannot_be_solved_is_told_in_words():
    with pytest.raises(SimulationError, match="cannot be solved: it is too long for the fastest forces"):
        example("n-four-bar:1").simulate(4.0, method="radau", step=0.9)


def test_constraints_that_repeat_each_other_beside_the_states_that_they_allow():
    """Stages lie beside them, and there a spatial loop has more independent constraints than on them."""
    system = example("four-bar-spatial")
    run = system.simulate(5.0, method="radau", rtol=1e-6, atol=1e-8)
    plain = system.simulate(5.0, rtol=1e-11, atol=1e-12)
    assert run.steps < 3000
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-4


@pytest.mark.parametrize("tolerances", [(1e-8, 1e-11), (1e-9, 1e-11)])
def test_rounding_near_singular_positions_is_no_error(tolerances):
    rtol, atol = tolerances
    run = example("n-four-bar:2").simulate(1.5, method="radau", rtol=rtol, atol=atol)
    plain = example("n-four-bar:2").simulate(1.5, rtol=1e-11, atol=1e-11)
    assert run.status == "done"
    assert np.abs(run.q[-1] - plain.q[-1]).max() < 1e-6


def test_every_step_can_be_looked_into():
    """Also those that were found from an extrapolation, near singular positions."""
    run = example("n-four-bar:2").simulate(2.0, method="radau", rtol=1e-6, atol=1e-11)
    plain = example("n-four-bar:2").simulate(2.0, rtol=1e-11, atol=1e-11)
    middles = (run.t[1:] + run.t[:-1]) / 2
    assert np.abs(run.at(middles)[0] - plain.at(middles)[0]).max() < 1e-5


@pytest.mark.filterwarnings("ignore")
def test_a_change_point_of_repeated_constraints_is_named_and_dop853_passes_it():
    machine = parallel_cranks(3)
    run = machine.simulate(3, method="radau", rtol=1e-6, atol=1e-8)
    assert run.status == "failed" and "become dependent" in run.motion.facts["message"]
    assert run.steps < 100_000  # some ten thousand, by rounding; half a million if nothing is said
    assert machine.simulate(3).certificate.ok
