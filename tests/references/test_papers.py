"""What the five papers print, and what is right: a test for every row of docs/papers.md (named after it)."""

from __future__ import annotations

import math

import numpy as np
import pytest
import symengine as se
import sympy as sp

from dalembert import MotionWarning, System, example, stabilisation_map
from dalembert.algebra.elimination import factorise
from dalembert.algebra.gramschmidt import complement, orthogonalise
from dalembert.algebra.pilot import Pilot
from dalembert.blocks.numeric import Numeric, Values
from dalembert.forms.multipliers import solve
from dalembert.forms.prepared import Scene
from tests.references.formulas import agrees

# --- Phong 1999 ------------------------------------------------------------------------------------------------------


def gram_schmidt(name: str, x: int):
    """Run Phong's algorithm on formulas with a given first vector x."""
    scene = Scene(example(name))
    rows = scene.formulas
    basis = orthogonalise(rows.A, rows.c, rows.arithmetic, Pilot([False] * len(rows.A)))
    (d,) = complement(basis, rows.n, rows.arithmetic, Pilot([x]))
    return scene, basis, d


def test_phong_pendulum_b():
    """b₁ = (1, 0, −ℓ cos φ)/√(1 + ℓ²cos²φ): its first entry has 1, not ℓ, above the root."""
    scene, basis, _ = gram_schmidt("pendulum", 1)
    write = scene.field.write
    assert agrees(scene.system, write(basis.vectors[0][0]), "1")
    assert agrees(scene.system, write(basis.squares[0]), "1 + l^2*cos(phi)^2")


def test_phong_pendulum_d():
    """With x = (0, 1, 0): d = ℓ s (ℓ c, ℓ s, 1)/(1 + ℓ²); it vanishes at φ = 0."""
    scene, _, d = gram_schmidt("pendulum", 1)
    expected = ["l^2*sin(phi)*cos(phi)/(1 + l^2)", "l^2*sin(phi)^2/(1 + l^2)", "l*sin(phi)/(1 + l^2)"]
    assert all(agrees(scene.system, scene.field.write(d[j]), text) for j, text in enumerate(expected))


def test_phong_choice_of_x():
    """x = (1, 1, 1) differs from b₁ = (0, 1, 0) and b₂ = (1, 0, r)/√(1 + r²), but for r = 1 it lies in their span."""
    b1, x = np.array([0, 1, 0]), np.ones(3)
    for r, vanishes in ((1.0, True), (0.5, False)):
        b2 = np.array([1, 0, r]) / np.hypot(1, r)
        d = x - (x @ b1) * b1 - (x @ b2) * b2
        assert (np.linalg.norm(d) < 1e-15) == vanishes


# --- Beshaw ------------------------------------------------------------------------------------------------------------


def test_beshaw_sign_of_y():
    """The initial values ẏ = −√3, φ̇ = 2, ϑ = π/6 fit ẏ + rφ̇ cos ϑ = 0, not ẏ = rφ̇ cos ϑ."""
    y, phi, theta = -math.sqrt(3), 2, math.pi / 6
    assert y + phi * math.cos(theta) == pytest.approx(0, abs=1e-15)
    assert y - phi * math.cos(theta) != pytest.approx(0, abs=1)


def test_beshaw_sign_of_k():
    """c ← c + Kψ makes ψ̇ = Kψ, so K must be stable; with g = Kψ added on the left it would be ψ̇ = −Kψ."""
    numeric = Numeric(example("upright-disk"))
    q, v = np.array([0.1, 0.2, 0.3, 0.4]), np.array([1.0, -0.5, 0.7, 1.1])  # off the constraints
    values, (psi, *_) = numeric.all(0.0, q, v), numeric.velocity(0.0, q, v)
    K = np.array([[-3.0, 1.0], [0.5, -2.0]])
    a, _ = solve(Values(values.M, values.f, values.A, values.c + K @ psi))
    assert values.A @ a - values.c == pytest.approx(K @ psi)


def test_beshaw_g_is_lambda():
    """Without applied forces (A M⁻¹Aᵀ)⁻¹ b is λ, not q̈: there are two of it and four accelerations."""
    numeric, state = Numeric(example("upright-disk")), example("upright-disk").start()
    values = numeric.all(0.0, state.q, state.v)
    M, A = values.M.toarray(), values.A.toarray()
    _, lam = solve(values)
    assert np.linalg.solve(A @ np.linalg.inv(M) @ A.T, values.c) == pytest.approx(lam)


def test_beshaw_theorem_2():
    """The derivatives of ψ̇ = K(t) ψ for matrices that do not commute."""
    t = sp.Symbol("t")
    K = sp.Matrix(2, 2, [sp.Function(name)(t) for name in "abcd"])
    K1, K2, K3 = K.diff(t), K.diff(t, 2), K.diff(t, 3)
    L = K1 + K * K
    P = K2 + 2 * K1 * K + K * K1 + K**3
    Q = K3 + 3 * K2 * K + K * K2 + 3 * K1**2 + 3 * K1 * K * K + 2 * K * K1 * K + K * K * K1 + K**4
    for lower, higher in ((K, L), (L, P), (P, Q)):
        assert (lower.diff(t) + lower * K - higher).expand() == sp.zeros(2)
    printed = K2 + 3 * K1 * K + K**3
    assert (printed - P).expand() != sp.zeros(2)


def test_beshaw_k4():
    """Four stages with the last at the end of the step have order 4; with k₃ twice the order is lost."""

    def step(h: float, last) -> float:
        k1 = 1.0
        k2 = 1 + h / 2 * k1
        k3 = 1 + h / 2 * k2
        return 1 + h / 6 * (k1 + 2 * k2 + 2 * k3 + last(k3, h))

    errors = [abs(step(h, lambda k3, h: 1 + h * k3) - math.exp(h)) for h in (0.1, 0.05)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(5, abs=0.1)
    errors = [abs(step(h, lambda k3, h: k3) - math.exp(h)) for h in (0.1, 0.05)]
    assert math.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)


def test_beshaw_24_to_26():
    """Derivatives of ψ̇ = f(t, ψ): 3IF, H with its binomial coefficients, and f_ψ³F."""
    t, psi = sp.symbols("t psi")
    f = sp.Function("f")(t, psi)

    def d(*variables):
        return sp.diff(f, *variables)

    def total(e):
        return sp.diff(e, t) + f * sp.diff(e, psi)

    F = d(t) + f * d(psi)
    G = d(t, t) + 2 * f * d(t, psi) + f**2 * d(psi, psi)
    I = d(t, psi) + f * d(psi, psi)
    H = d(t, t, t) + 3 * f * d(t, t, psi) + 3 * f**2 * d(t, psi, psi) + f**3 * d(psi, psi, psi)
    assert sp.expand(total(f) - F) == 0
    assert sp.expand(total(F) - G - d(psi) * F) == 0
    fourth = H + 3 * I * F + d(psi) * G + d(psi) ** 2 * F
    assert sp.expand(total(total(F)) - fourth) == 0
    N = f**2 * d(psi, psi, psi) + 2 * f * d(t, psi, psi) + d(t, t, psi)
    M = sum(sp.binomial(4, k) * f**k * sp.diff(f, *([t] * (4 - k) + [psi] * k)) for k in range(5))
    fifth = d(psi) ** 3 * F + d(psi) ** 2 * G + d(psi) * H + 4 * I * G + 6 * N * F + 7 * d(psi) * F * I
    fifth += 3 * d(psi, psi) * F**2 + M
    assert sp.expand(total(fourth) - fifth) == 0


def test_beshaw_any_k():
    """c + D(t)ψ with any matrix D(t), from ψ⁰ ≠ 0 on: ψ follows ψ̇ = Dψ, by a fine step."""
    gains = {"kappa": [["-3 - sin(t)", 1], [-1, "-3 - sin(t)"]]}  # commutes with itself: ψ = exp(∫D) ψ⁰
    with pytest.warns(MotionWarning, match="contradict"):
        run = example("upright-disk").simulate(
            2, method="rk4", step=0.002, keep="stabilise", gains=gains, initial={"x'": 1.05}
        )
    decay = 0.05 * np.exp(-3 * run.t + np.cos(run.t) - 1)
    expected = np.column_stack([decay * np.cos(run.t), -decay * np.sin(run.t)])
    assert run.residuals[1] == pytest.approx(expected, abs=1e-8)


def test_beshaw_bound_before_the_motion():
    """‖ψ‖ ≤ σ as stated, for Euler and RK4 and several K and steps; of Euler the remainder is τ²/2 ψ̈ = O(τ²)."""
    for method in ("euler", "rk4"):
        stated = []
        for step in (0.1, 0.05):
            for kappa in (-5, [[-5, 3], [-3, -5]], "-5*(1 + sin(2*t)/2)"):
                run = example("upright-disk").simulate(3, method=method, step=step, keep="stabilise",
                                                       gains={"kappa": kappa})  # fmt: skip
                [bound] = run.bounds
                assert bound.largest <= bound.stated < 6 * bound.largest
                stated.append(bound.stated)
        order = np.log2(stated[0] / stated[3])
        assert order == pytest.approx(1 if method == "euler" else 4, abs=0.4)  # ρ ~ τ², or τ⁵; 1 − δ ~ τ


def test_beshaw_map():
    """Theorem 1 admits −2 < τκ < 0, Theorem 2 −2.785 < τκ < 0, with the smallest S where the theory says."""
    assert stabilisation_map("euler").interval == pytest.approx(2)
    assert stabilisation_map("rk4").interval == pytest.approx(2.785, abs=1e-3)
    assert stabilisation_map("rk4").region.best == pytest.approx((-1.5961, 0.2704), abs=1e-4)


def test_beshaw_no_stray_term():
    """φ̈ = 0 exactly, so nothing like 2 sin² can stand in the equations of the example."""
    system = example("upright-disk")
    assert agrees(system, system.derive("explicit").expressions[2], "phi''")
    assert agrees(system, system.derive("explicit").expressions[0], "x'' - r*phi'*theta'*cos(theta)")


def test_beshaw_exact_solution():
    """The example has a solution in closed form."""
    t = sp.Symbol("t")
    phi, theta = 2 * t, sp.pi / 6 + t
    x, y = sp.sqrt(3) - 2 * sp.cos(theta), 1 - 2 * sp.sin(theta)
    assert sp.simplify(x.diff(t) - phi.diff(t) * sp.sin(theta)) == 0
    assert sp.simplify(y.diff(t) + phi.diff(t) * sp.cos(theta)) == 0
    lam = [2 * sp.cos(theta), 2 * sp.sin(theta)]  # m r φ̇ ϑ̇ (cos ϑ, sin ϑ)
    assert sp.simplify(x.diff(t, 2) - lam[0]) == sp.simplify(y.diff(t, 2) - lam[1]) == 0
    assert sp.simplify(-lam[0] * sp.sin(theta) + lam[1] * sp.cos(theta)) == 0  # ½ φ̈ = 0
    assert [x.subs(t, 0), y.subs(t, 0)] == [0, 0]


# --- the lecture ---------------------------------------------------------------------------------------------------------


def test_lecture_second_derivative_and_forces():
    """M s̈ = Φᵀλ + μ: without the forces μ a pendulum let go at rest would stay at rest."""
    system = example("pendulum")
    numeric, state = Numeric(system), system.start()
    values = numeric.all(0.0, state.q, state.v)
    a, lam = solve(values)
    assert values.M @ a == pytest.approx(values.A.T @ lam + values.f)
    without, _ = solve(Values(values.M, 0 * values.f, values.A, values.c))
    assert without == pytest.approx([0, 0, 0])
    assert a[2] == pytest.approx(-9.81 * math.sin(1) / 1.1)


# --- Do Sanh 1993 --------------------------------------------------------------------------------------------------------


def test_dosanh_1993_length():
    """q₂q̇₂ + q₄q̇₄ = 0 is half the derivative of q₂² + q₄² − ℓ² = 0."""
    system = example("rod-with-knife-edge")
    assert agrees(system, system.blocks.psi[1], "2*(q2*q2' + q4*q4')")


def test_dosanh_1993_kinetic_energy():
    """Two particles of mass 1: T = ¼ Σ q̇², since q₁ ± q₂ are twice the coordinates of the particles."""
    q = sp.symbols("q1:5")
    x1, x2, y1, y2 = (q[0] + q[1]) / 2, (q[0] - q[1]) / 2, (q[2] + q[3]) / 2, (q[2] - q[3]) / 2
    assert sp.expand((x1**2 + x2**2 + y1**2 + y2**2) / 2 - sum(x**2 for x in q) / 4) == 0
    whole = example("rod-with-knife-edge")
    half = System(
        coordinates=whole.coordinates,
        kinetic=whole.kinetic / 2,
        constraints=whole.constraints,
        parameters=whole.parameters,
        initial=whole.initial,
    )
    ours, theirs = half.derive("canonical"), whole.derive("canonical")
    for a, b in zip(ours.total_expressions, theirs.total_expressions, strict=True):
        assert se.expand(2 * a - b) == 0  # halved as functions of q and q̇
    for a, b in zip(ours.entries["R"], theirs.entries["R"], strict=True):
        assert se.expand(a[0] - 2 * b[0]) == 0  # doubled as functions of q and p
    for a, b in zip(half.derive("explicit").expressions, whole.derive("explicit").expressions, strict=True):
        assert se.expand(a - b) == 0  # the motion is the same


MOMENTA = ("p_x", "p_y", "p_phi")


def test_dosanh_1993_b0_of_the_rod():
    """B⁰ of the length is p₂² + p₄² (times 2, with the constraint as q₂² + q₄² = ℓ²)."""
    system = example("rod-with-knife-edge")
    B0 = system.derive("canonical").entries["B_0"]
    momenta = [f"p_q{i}" for i in range(1, 5)]
    assert agrees(system, B0[1][0], "2*(p_q2^2 + p_q4^2)", *momenta)
    assert agrees(system, B0[0][0], "p_q2*p_q3 - p_q1*p_q4", *momenta)


def test_dosanh_1993_2_10():
    """As printed, b_α − Σ B ∂H/∂q would vanish for the rod, which has no forces; B⁰ does not: it holds d/dt (B p)."""
    derivation = example("rod-with-knife-edge").derive("canonical")
    H = derivation.entries["H"][0][0]
    assert all(H.diff(se.Symbol(f"q{i}")) == 0 for i in range(1, 5))
    assert all(row[0] != 0 for row in derivation.entries["B_0"])


def test_dosanh_1993_momenta_have_rates():
    """The second group of equations is one for ṗ."""
    derivation = example("rod-with-knife-edge").derive("canonical")
    for i, expr in enumerate(derivation.expressions[4:], 1):
        assert expr.diff(se.Symbol(f"p_q{i}'")) == 1


def test_dosanh_1993_platform_p_phi():
    """ṗ_φ with the factor 1/(m(ρ² − a²)) and gravity."""
    system = example("platform-on-incline")
    expr = system.derive("canonical").full().expressions[5]
    inner = (
        "(a*sin(phi)*cos(phi)*(p_y^2 - p_x^2) + a*(cos(phi)^2 - sin(phi)^2)*p_x*p_y"
        " - p_phi*(cos(phi)*p_x + sin(phi)*p_y))"
    )
    rate = se.Symbol("p_phi'")
    assert agrees(system, rate - expr, f"a*{inner}/(m*(rho^2 - a^2)) + m*g*a*sin(alpha)*sin(phi)", *MOMENTA)


def test_dosanh_1993_platform_p_x():
    """ṗₓ = −m g sin α + Rₓ."""
    system = example("platform-on-incline")
    derivation = system.derive("canonical").full()
    rest = se.Symbol("p_x'") - derivation.expressions[3] - derivation.entries["R"][0][0]
    assert agrees(system, rest, "-m*g*sin(alpha)", *MOMENTA)


def test_dosanh_1993_platform_b():
    """B = (ρ² sin φ, −ρ² cos φ, a)/(m(ρ² − a²)): the last entry has no cosine."""
    system = example("platform-on-incline")
    (B,) = system.derive("canonical").entries["B"]
    expected = ["rho^2*sin(phi)", "-rho^2*cos(phi)", "a"]
    assert all(agrees(system, b, f"{text}/(m*(rho^2 - a^2))", *MOMENTA) for b, text in zip(B, expected, strict=True))


def test_dosanh_1993_platform_b0():
    """m(ρ² − a²) B⁰ = (c pₓ + s p_y)(a s pₓ − a c p_y + p_φ)/m − m(ρ² − a²) g sin α sin φ, on ψ̂ = 0."""
    system = example("platform-on-incline")
    ((B0,),) = system.derive("canonical").full().entries["B_0"]
    text = (
        "(cos(phi)*p_x + sin(phi)*p_y)*(a*sin(phi)*p_x - a*cos(phi)*p_y + p_phi)/m"
        " - m*(rho^2 - a^2)*g*sin(alpha)*sin(phi)"
    )
    assert agrees(system, B0 * system.blocks.parameters[0], f"m*({text})/(m*(rho^2 - a^2))", *MOMENTA)


def test_dosanh_1993_platform_radius():
    """The matrix of the paper has ρ about the contact point: mρ² = I_C + ma²."""
    with_centre = System(
        coordinates="x y phi",
        kinetic="m*((x' - a*sin(phi)*phi')^2 + (y' + a*cos(phi)*phi')^2)/2 + I_C*phi'^2/2",
        parameters={"m": 1, "a": 1, "I_C": 1},
    )
    assert agrees(with_centre, with_centre.blocks.M[2, 2], "I_C + m*a^2")
    assert agrees(example("platform-on-incline"), example("platform-on-incline").blocks.M[2, 2], "m*rho^2")


# --- Do Sanh 1996 --------------------------------------------------------------------------------------------------------


def inverse_mass(name: str):
    scene = Scene(example(name))
    field, n = scene.field, scene.formulas.n
    pilot = Pilot()
    factorise(scene.arrays.M, scene.arrays.arithmetic, pilot)
    factors = factorise(scene.formulas.M, field, pilot.replay())
    columns = [factors.solve([field.one if i == j else field.zero for i in range(n)]) for j in range(n)]
    return scene.system, [[field.write(columns[j][i]) for j in range(n)] for i in range(n)]


K = "(m/(m0 + m))"
BELOW = f"(rho^2 - {K}*a^2)"


def test_dosanh_1996_inverse():
    """(3.2): entry (3, 3) is 1/(m(ρ² − Ka²)) and entry (2, 3) has a s, not K a s."""
    system, inverse = inverse_mass("pendulum-on-slider")
    assert agrees(system, inverse[2][2], f"1/(m*{BELOW})")
    assert agrees(system, inverse[1][2], f"a*sin(phi)/((m0 + m)*{BELOW})")
    assert agrees(system, inverse[0][0], f"(rho^2 - {K}*a^2*sin(phi)^2)/((m0 + m)*{BELOW})")


def test_dosanh_1996_radius():
    """mρ² = I_C + ma² in the matrix (3.1)."""
    system = System(
        coordinates="x y phi",
        kinetic="m0*(x'^2 + y'^2)/2 + m*((x' + a*cos(phi)*phi')^2 + (y' - a*sin(phi)*phi')^2)/2 + I_C*phi'^2/2",
        parameters={"m0": 1, "m": 1, "a": 1, "I_C": 1},
    )
    assert agrees(system, system.blocks.M[2, 2], "I_C + m*a^2")


def test_dosanh_1996_2_24():
    """A q̈ − G = Q + Q*: the inertia terms G stand in f with plus."""
    system = example("pendulum-on-slider")
    bare = System(coordinates=system.coordinates, kinetic=system.kinetic, parameters=dict.fromkeys(system.parameters))
    assert agrees(bare, bare.blocks.f[0], "m*a*sin(phi)*phi'^2")


def test_dosanh_1996_b_and_b0():
    """(3.10), (3.12): everything over M(ρ² − Ka²); the force enters with −½FKa² sin 2φ."""
    system = example("pendulum-on-slider")
    derivation = system.derive("reactions")
    (B,), ((B0,),) = derivation.entries["B"], derivation.entries["B_0"]
    below = f"((m0 + m)*{BELOW})"
    expected = [f"-{K}*a^2*sin(phi)*cos(phi)/{below}", f"(rho^2 - {K}*a^2*cos(phi)^2)/{below}", f"a*sin(phi)/{below}"]
    assert all(agrees(system, b, text) for b, text in zip(B, expected, strict=True))
    top = (
        f"(m0 + m)*g*(rho^2 - {K}*a^2*cos(phi)^2) - m*g*a^2*sin(phi)^2 + m*a*cos(phi)*{BELOW}*phi'^2"
        f" - F*{K}*a^2*sin(phi)*cos(phi)"
    )
    assert agrees(system, B0, f"({top})/{below}")


def test_dosanh_1996_g03():
    """G₀₃ = 0: the mass matrix does not make φ̇ẋ or φ̇ẏ act on φ."""
    assert example("pendulum-on-slider").blocks.inertia_forms()[2] == {}


def test_dosanh_1996_reaction():
    """(3.13), corrected; as printed it has the wrong mass, denominator and force term."""
    system = example("pendulum-on-slider")
    R = system.derive("reactions").total_expressions[1]
    bracket = f"{K}*a^2*sin(phi)*cos(phi)*F + m*g*a^2*sin(phi)^2 - m*a*cos(phi)*phi'^2*{BELOW}"
    assert agrees(system, R, f"-(m0 + m)*g + ({bracket})/(rho^2 - {K}*a^2*cos(phi)^2)")
    printed = (
        f"g*(m*a^2*sin(phi)^2/(rho^2 - {K}*a^2*cos(phi)^2) - m) + F*{K}*a^2*sin(phi)^2/(2*{BELOW})"
        f" - m*a*cos(phi)/(rho^2 - {K}*a^2*cos(phi)^2)*{BELOW}*phi'^2"
    )
    assert not agrees(system, R, printed)
