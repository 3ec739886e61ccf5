"""Controls that hold programmes against what is known of them in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest

from dalembert import System, example
from dalembert.language.printing import to_text
from dalembert.model.system_document import energies
from dalembert.survey.internal import internal_eigenvalues
from dalembert.survey.servo import steering_of

from .models import arm, cars, crane, rise

# s, r·beta, F, M, lambda of the crane at 0.5, 1, …, 5.5 s: the flat solution, in ten digits
CRANE = """0.00180064317908 4.00003084344 1.45626746172 -98.0521732058 122.5698239
0.0307396711476 4.00249830472 9.59003483942 -97.3397752075 121.6898237
0.121756278093 4.02547025997 25.2645592262 -95.5710597047 119.0026695
0.260605378921 4.10654405883 35.8979287959 -94.2058221852 115.124485
0.395457660888 4.27052455692 26.8794958647 -95.0332626085 111.5924752
0.5 4.5 -0.252210953222 -98.0801408698 109.0
0.598679054159 4.73321879356 -27.1437602863 -101.256974471 106.6610638
0.722371722268 4.89955456289 -35.4058840667 -102.157300888 103.8672999
0.860768486162 4.97703727986 -24.7225147107 -100.674157485 100.9099696
0.962707298919 4.99772386168 -9.87278265005 -98.8566254792 98.83718109
0.997758795997 4.999970037 -1.69575455994 -98.1476158054 98.14399214"""


def flat_crane(t: float) -> tuple[float, float]:
    """Return F and M by the flat output: the load's path in Taylor series, to the fourth derivative."""
    s = np.polynomial.Polynomial([0] * 7 + [1716, -9009, 20020, -24024, 16380, -6006, 924])(
        np.polynomial.Polynomial([t / 6, 1 / 6])
    )
    x, z = s.coef[:5].copy(), s.coef[:5].copy()
    z[0] += 4

    def times(a, b):
        return np.convolve(a, b)[:5]

    def over(a, b):
        found = np.zeros(5)
        for k in range(5):
            found[k] = (a[k] - found[:k] @ b[k:0:-1]) / b[0]
        return found

    def root(a):
        found = np.zeros(5)
        found[0] = math.sqrt(a[0])
        for k in range(1, 5):
            found[k] = (a[k] - sum(found[i] * found[k - i] for i in range(1, k))) / (2 * found[0])
        return found

    def second(a):
        return np.array([2 * a[2], 6 * a[3], 12 * a[4], 0, 0])

    gravity = np.array([9.81, 0, 0, 0, 0])
    lam = over(100 * (gravity - second(z)), 2 * z)
    trolley = x + over(100 * second(x), 2 * lam)
    beta = root(times(x - trolley, x - trolley) + times(z, z)) / 0.1
    force = 10 * second(trolley)[0] - 2 * lam[0] * (x[0] - trolley[0])
    return force, 0.1 * second(beta)[0] - 2 * lam[0] * 0.01 * beta[0]


def test_crane_of_index_five():
    system = crane()
    assert steering_of(system).orders == {"across": 4, "down": 4}
    assert steering_of(system).states == 0
    run = system.simulate(samples=12)
    for row, want in zip(range(1, 12), CRANE.splitlines(), strict=True):
        s, rope, F, M, lam = map(float, want.split())
        found = [run["s"][row], 0.1 * run["beta"][row], run["F"][row], run["M"][row], -run.multipliers["rope"][row]]
        np.testing.assert_allclose(found, [s, rope, F, M, lam], rtol=2e-9, atol=1e-9)
    assert run.certificate.ok


def test_crane_everywhere_on_its_path():
    run = crane().simulate(samples=240)
    wanted = np.array([flat_crane(t) for t in run.t])
    np.testing.assert_allclose(np.column_stack([run["F"], run["M"]]), wanted, atol=1e-8)


def test_force_on_two_cars_is_written_as_in_books():
    F = cars().derive("multipliers").abbreviation_expressions["F"]
    assert to_text(F) == "(m1 + m2)*y''(t) + m1*m2*y''''(t)/k"


def test_two_cars_along_a_path():
    run = cars(f"0.5 + 2*{rise('t/2')}").simulate(2, samples=40)
    u = np.polynomial.Polynomial([0] * 7 + [1716, -9009, 20020, -24024, 16380, -6006, 924])
    y2, y4 = (2 * u.deriv(k)(run.t / 2) / 2**k for k in (2, 4))
    np.testing.assert_allclose(run["F"], 2 * y4 + 3 * y2, atol=1e-8)


@pytest.mark.parametrize("count", [6, 11])
def test_many_cars_in_a_row(count):
    """Each car asks for two more derivatives of the path: sin t is led on by xᵢ₊₁ = xᵢ + (m xᵢ″ + k (xᵢ − xᵢ₋₁))/k."""
    m, k = 1.3, 2.0
    x = [0, 1.0]
    for _ in range(count - 1):
        x.append(x[-1] + (-m * x[-1] + k * (x[-1] - x[-2])) / k if len(x) > 2 else 1 - m / k)
    cars = System(
        " ".join(f"x{i}" for i in range(count)),
        kinetic=" + ".join(f"m*x{i}'^2/2" for i in range(count)),
        potential=" + ".join(f"k*(x{i + 1} - x{i})^2/2" for i in range(count - 1)),
        controls={"F": {"acts": {f"x{count - 1}": 1}}},
        programme={"path": "x0 = sin(t)"},
        parameters={"m": m, "k": k},
    )
    assert steering_of(cars).orders == {"path": 2 * count}
    run = cars.simulate(2, samples=10)
    np.testing.assert_allclose(run[f"x{count - 1}"], x[-1] * np.sin(run.t), atol=1e-9)
    np.testing.assert_allclose(run["F"], (-m * x[-1] + k * (x[-1] - x[-2])) * np.sin(run.t), atol=1e-8)


def test_two_cars_with_a_damper_have_one_internal_state():
    """d (x2' − x1') + k (x2 − x1 − l) = m1 y″: the spring follows the path with the time constant d/k."""
    system = cars("sin(t)", dissipation="d*(x2' - x1')^2/2", parameters={"m1": 1, "m2": 2, "k": 1, "l": 0.5, "d": 0.3})
    steering = steering_of(system)
    assert (steering.orders, steering.states, len(steering.hidden)) == ({"path": 3}, 1, 1)
    values, _ = internal_eigenvalues(system)
    np.testing.assert_allclose(values, [-1 / 0.3], rtol=1e-6)
    start = 0.2
    run = system.simulate(5, initial={"x2": 0.5 + start}, samples=50)
    # e = x2 − x1 − l: 0.3 e' + e = −sin t
    a = -1 / (1 + 0.09)
    e = a * (np.sin(run.t) - 0.3 * np.cos(run.t)) + (start + 0.3 * a) * np.exp(-run.t / 0.3)
    np.testing.assert_allclose(run["x2"] - run["x1"] - 0.5, e, atol=1e-8)
    rate = a * (np.cos(run.t) + 0.3 * np.sin(run.t)) - (start + 0.3 * a) / 0.3 * np.exp(-run.t / 0.3)
    bend = a * (-np.sin(run.t) + 0.3 * np.cos(run.t)) + (start + 0.3 * a) / 0.09 * np.exp(-run.t / 0.3)
    np.testing.assert_allclose(run["F"], 2 * (bend - np.sin(run.t)) + e + 0.3 * rate, atol=1e-7)


def test_a_control_that_acts_beside_its_programme():
    """A cart under a pendulum: x'' = 1 takes u = M + m (1 + sin φ (g cos φ − l φ'² + …)), see the formula."""
    cart = System(
        "x phi",
        kinetic="(M + m)*x'^2/2 + m*l*x'*phi'*cos(phi) + m*l^2*phi'^2/2",
        potential="m*g*l*cos(phi)",
        controls={"u": {"acts": {"x": 1}}},
        programme={"load": "x = 0.5*t^2"},
        parameters={"M": 1, "m": 0.2, "l": 0.5, "g": 9.81},
        initial={"phi": 0.1, "phi'": 0},
    )
    run = cart.simulate(1, samples=20)
    phi, rate = run["phi"], run["phi'"]
    bend = (9.81 * np.sin(phi) - np.cos(phi)) / 0.5
    np.testing.assert_allclose(run["u"], 1.2 + 0.1 * (bend * np.cos(phi) - rate**2 * np.sin(phi)), rtol=1e-12)
    assert run.certificate.ok


@pytest.mark.parametrize("b", [0.1, 0.3])
def test_arm_with_a_passive_joint(b):
    """θ″ (M22 − b M12) + d θ' + k θ = … along φ + b θ = y: minimum phase as long as M22 > b M12."""
    system = arm(b)
    M12, M22, k, d = 0.04 + 2 * 0.5 * 0.2, 0.04, 50.0, 0.25
    factor = M22 - b * M12
    values, at_rest = internal_eigenvalues(system)
    np.testing.assert_allclose(np.sort_complex(values), np.sort_complex(np.roots([factor, d, k])), rtol=1e-5)
    assert at_rest
    said = str(system.check())
    assert ("unstable at the start" in said) == (factor < 0)


def test_the_crane_of_the_gallery():
    system = example("crane")
    run = system.simulate(samples=60)
    wanted = np.array([flat_crane(t) for t in run.t])
    np.testing.assert_allclose(np.column_stack([run["F"], run["M"]]), wanted, atol=1e-8)
    assert [str(row.right) for row in energies(system)[0].rows if row.name.startswith("force")] == ["F", "M"]


def test_the_arm_of_the_gallery():
    """The errors obey the equations that its programmes are; the roots are −1, −2, −3 and −2, −2."""
    run = example("led-arm").simulate(samples=30)
    t = run.t
    parts = np.linalg.solve([[1, 1, 1], [-1, -2, -3], [1, 4, 9]], [0, 0.4, -0.8])
    one = sum(-k * part * np.exp(-k * t) for part, k in zip(parts, (1, 2, 3), strict=True))
    np.testing.assert_allclose(run["error1"], one, atol=1e-8)
    np.testing.assert_allclose(run["error2"], (-0.8 - 2.8 * t) * np.exp(-2 * t), atol=1e-8)
    assert run.certificate.ok
