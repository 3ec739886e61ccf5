"""Derivations step by step: every matrix of the papers' examples against closed forms, in every output."""

from __future__ import annotations

import json

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism, System, example
from dalembert.document import nodes
from dalembert.document.html import write_page
from tests.references.formulas import agrees, read


def matrices(part: nodes.Block) -> dict[str, list]:
    """Return all matrices of a document by their names."""
    if isinstance(part, nodes.Matrix):
        return {part.name: part.rows}
    found = {}
    for inner in part.parts if isinstance(part, nodes.Section) else ():
        found |= matrices(inner)
    return found


def steps(name: str, form: str, **given):
    system = example(name)
    return system, system.derive(form, **given).steps


def check(system: System, found, expected: dict[str, list[list[str]]], *names: str) -> None:
    for name, rows in expected.items():
        for got, texts in zip(found[name], rows, strict=True):
            assert all(equal(e, read(system, text, *names)) for e, text in zip(got, texts, strict=True)), name


def equal(a, b) -> bool:
    """Tell whether two formulas agree at random values of all that is in them; angles may be doubled in one."""
    random = np.random.default_rng(19)
    symbols = sorted(a.free_symbols | b.free_symbols, key=str)
    for _ in range(4):
        values = dict(zip(symbols, random.uniform(0.3, 2.0, len(symbols)), strict=True))
        one, other = (float(e.xreplace(values).n(real=True)) for e in (a, b))
        if abs(one - other) > 1e-11 * max(1.0, abs(other)):
            return False
    return True


def test_phong_disk():
    """Phong 1999, example 1: G (3.3), b₁, b₂ times |b₂|, D, and (3.4) to (3.8)."""
    system, board = steps("rolling-disk", "minimal")
    found = matrices(board.document())
    expected = {
        "M": [["m", "0", "0"], ["0", "m", "0"], ["0", "0", "J"]],
        "A": [["0", "1", "0"], ["1", "0", "r"]],
        "c": [["0"], ["0"]],
        "b_1": [["0", "1", "0"]],
        "b_2": [["1", "0", "r"]],
        "D": [["r"], ["0"], ["-1"]],
    }
    check(system, found, expected)
    (d,) = found["d_1"]  # of the unit vector that was taken, along D
    assert agrees(system, d[0] + d[2] * read(system, "r"), "0") and d[1] == 0
    text = str(board)
    assert "r_s = m*s'' - F" in text and "r_u = m*(u'' + g)" in text and "r_phi = J*phi''" in text  # (3.4) to (3.6)
    assert "r*r_s - r_phi = 0" in text  # (3.7)
    assert "Phong 1999: G" in text and "remainders: s " in text


def test_phong_pendulum():
    """Phong 1999, example 2: G (3.11), B row by row times its norms (corrected), d with its choice of x, D, (3.15)."""
    system, board = steps("pendulum", "minimal")
    one = "(1 + l^2*cos(phi)^2)"
    expected = {
        "A": [["1", "0", "-l*cos(phi)"], ["0", "1", "-l*sin(phi)"]],
        "b_1": [["1", "0", "-l*cos(phi)"]],
        "b_2": [[f"-l^2*sin(phi)*cos(phi)/{one}", "1", f"-l*sin(phi)/{one}"]],
        "d_1": [["l*cos(phi)/(1 + l^2)", "l*sin(phi)/(1 + l^2)", "1/(1 + l^2)"]],
        "D": [["l*cos(phi)"], ["l*sin(phi)"], ["1"]],
    }
    check(system, matrices(board.document()), expected)
    text = str(board)
    assert "x_1 is the unit vector of `phi`; remainders: x " in text
    assert "r_phi + l*r_x*cos(phi) + l*r_y*sin(phi) = 0" in text  # (3.15)
    assert "r_x = m*x''" in text and "r_y = m*(y'' + g)" in text and "r_phi = J*phi''" in text  # (3.12) to (3.14)
    square = next(line for line in text.splitlines() if "s_2 = " in line)
    assert agrees(system, read(system, square.split("=")[1].split("    ")[0]), f"(1 + l^2)/{one}")


def test_reasons_are_those_of_the_algorithm():
    """The remainder of a unit vector is what NumPy leaves of it outside the span of the rows of A."""
    _, board = steps("pendulum", "minimal")
    line = next(line for line in str(board).splitlines() if "remainders" in line)
    said = [float(part.split()[-1].rstrip(".")) for part in line.split("remainders:")[1].split(",")]
    scene = board.scene
    least = np.full(3, np.inf)
    for column in scene.points.T:
        values = dict(zip([symbol.name for symbol in scene.inputs], column, strict=True))
        l, phi = values["l"], values["phi"]
        A = np.array([[1, 0, -l * np.cos(phi)], [0, 1, -l * np.sin(phi)]])
        left = np.eye(3) - np.linalg.pinv(A) @ A
        least = np.minimum(least, np.diag(left))
    assert said == pytest.approx(least, rel=0.06)


def test_beshaw_disk():
    """Beshaw, (b) to (i) and (13) to (16): A, b, M, H = N, P, S, R of the upright disk, q̈ = P a_u + S q̇ + R."""
    system, board = steps("upright-disk", "explicit")
    found, names = matrices(board.document()), system.coordinates
    assert names == ("x", "y", "phi", "theta")
    s, c, I1, I2, I = "sin(theta)", "cos(theta)", "(m*r^2/2)", "(m*r^2/4)", "(3*m*r^2/2)"  # I = I₁ + m r²
    expected = {
        "M": [["m", "0", "0", "0"], ["0", "m", "0", "0"], ["0", "0", I1, "0"], ["0", "0", "0", I2]],
        "A": [["1", "0", f"-r*{s}", "0"], ["0", "1", f"r*{c}", "0"]],
        "c": [[f"r*phi'*theta'*{c}"], [f"r*phi'*theta'*{s}"]],
        "a_u": [["0"], ["0"], ["0"], ["0"]],
        "W": [[f"1/m + r^2*{s}^2/{I1}", f"-r^2*{s}*{c}/{I1}"], [f"-r^2*{s}*{c}/{I1}", f"1/m + r^2*{c}^2/{I1}"]],
        "b": [[f"r*phi'*theta'*{c}"], [f"r*phi'*theta'*{s}"]],
        "N": [
            [f"({I1} + m*r^2*{c}^2)/{I}", f"m*r^2*{s}*{c}/{I}"],
            [f"m*r^2*{s}*{c}/{I}", f"({I1} + m*r^2*{s}^2)/{I}"],
            [f"-m*r*{s}/{I}", f"m*r*{c}/{I}"],
            ["0", "0"],
        ],
        "B": [["0", "0", "0", f"r*phi'*{c}"], ["0", "0", "0", f"r*phi'*{s}"]],
        "C": [["0"], ["0"]],
        "S": [["0", "0", "0", f"r*phi'*{c}"], ["0", "0", "0", f"r*phi'*{s}"], ["0"] * 4, ["0"] * 4],
        "R": [["0"], ["0"], ["0"], ["0"]],
    }
    check(system, found, expected)
    A = [[read(system, text) for text in row] for row in expected["A"]]
    for i in range(4):  # P = E − N A
        for j in range(4):
            made = se.sympify((i == j) - sum(found["N"][i][k] * A[k][j] for k in range(2)))
            assert equal(found["P"][i][j], made)
    letters = {
        "K": [["kappa", "0"], ["0", "kappa"]],
        "C_K": [[f"kappa*(x' - r*phi'*{s})"], [f"kappa*(y' + r*phi'*{c})"]],
    }
    check(system, found, letters, "kappa")
    assert "Beshaw: H" in str(board) and "gains K" in str(board) and "The model gives no gains" in str(board)


@pytest.mark.parametrize(
    ("name", "gains", "initial"),
    [
        ("upright-disk", {"kappa": [["-5*(1 + sin(t)/2)", 3], ["-m", -5]]}, {"x'": 1.2, "y'": -1.5, "theta'": 0.7}),
        ("upright-disk", {"kappa": [-5, "-7*r"]}, {"x'": 1.2, "phi'": 1.4}),
        ("pendulum", {"alpha": 5, "beta": [7, 3]}, {"phi": 0.4, "x": 0.5, "y": -0.8, "x'": 0.3, "phi'": 0.9}),
    ],
)
def test_gains_step_by_step(name, gains, initial):
    """P a_u + S q̇ + R with K is what Euler's first step off the constraints does, and what NumPy gives."""
    system = example(name).replace(simulation={"gains": gains}, initial=initial)
    found = matrices(system.derive("explicit").full().steps.document())
    with pytest.warns(UserWarning, match="contradict"):
        run = system.simulate(0.02, keep="stabilise", method="euler", step=0.01)
    values = {se.Symbol("t"): 0.0} | {se.Symbol(x): value for x, value in system.parameters.items()}
    values |= {se.Symbol(x + prime): run[x + prime][0] for x in system.coordinates for prime in ("", "'")}
    known = {
        key: np.array([[float(se.sympify(e).xreplace(values).n(real=True)) for e in row] for row in rows])
        for key, rows in found.items()
    }
    v = np.array([[run[x + "'"][0]] for x in system.coordinates])
    by_paper = known["P"] @ known["a_u"] + known["S"] @ v + known["R_K"]
    begun = [(run[x + "'"][1] - run[x + "'"][0]) / 0.01 for x in system.coordinates]
    assert by_paper[:, 0] == pytest.approx(begun, rel=1e-11, abs=1e-11)
    A, M = known["A"], known["M"]
    N = np.linalg.solve(M, A.T) @ np.linalg.inv(A @ np.linalg.solve(M, A.T))
    free = np.linalg.solve(M, known["f"])
    off = known["C_K"] - known["C"]
    assert (free + N @ (known["c"] + off - A @ free))[:, 0] == pytest.approx(begun, rel=1e-11, abs=1e-11)
    if "K" in known:  # C_K − C = K ψ with ψ as it stands in the file
        x, y, phi = (run[q + "'"][0] for q in ("x", "y", "phi"))
        s, c, r = np.sin(run["theta"][0]), np.cos(run["theta"][0]), system.parameters["r"]
        assert off == pytest.approx(known["K"] @ [[x - r * phi * s], [y + r * phi * c]])
    else:  # y = (g, ġ), K_y with α = 5 and β = 7, 3
        assert known["K_y"][2:].tolist() == [[-49, 0, -10, 0], [0, -9, 0, -10]]
        assert known["K_y"][:2].tolist() == [[0, 0, 1, 0], [0, 0, 0, 1]]


def test_gains_of_another_variant_are_named_step_by_step():
    """A constraint taken away leaves gains of two in the model; acceleration conditions have no gains."""
    disk = example("upright-disk").replace(simulation={"gains": {"kappa": [-5, -7]}}).without("rolling_y")
    assert "`kappa` has 2 values, and there is 1 constraint" in str(disk.derive("explicit").steps)
    given = System("x y", kinetic="(x'^2 + y'^2)/2", constraints={"k": "x'' = y"})
    assert "stabilise" not in str(given.derive("explicit").steps)
    mixed = System("x y", kinetic="(x'^2 + y'^2)/2", constraints={"k": "x'' = y", "n": "y' = x"})
    text = mixed.derive("explicit").steps.text()
    assert "[kappa]" in text and "C_K" not in text  # of one on accelerations there is no ψ
    named = System("x", kinetic="kappa*x'^2/2", constraints={"k": "x' = t"}, parameters={"kappa": 2})
    assert "[kappa_]" in str(named.derive("explicit").steps)


def test_lecture_mixed_equations():
    """The block matrix [[M, Φᵀ], [Φ, 0]] with [q̈; −λ] and [μ; −Φ̇ ṡ]."""
    system, board = steps("pendulum", "multipliers")
    expected = {
        "S": [
            ["m", "0", "0", "1", "0"],
            ["0", "m", "0", "0", "1"],
            ["0", "0", "J", "-l*cos(phi)", "-l*sin(phi)"],
            ["1", "0", "-l*cos(phi)", "0", "0"],
            ["0", "1", "-l*sin(phi)", "0", "0"],
        ],
        "h": [["0"], ["-m*g"], ["0"], ["-l*phi'^2*sin(phi)"], ["l*phi'^2*cos(phi)"]],
    }
    check(system, matrices(board.document()), expected)


def test_lecture_independent_coordinates():
    """B, [Φ; B], R with Φ R = 0, a₀ = Ṙ q̇, RᵀM R and Rᵀ(μ − M Ṙ q̇)."""
    system, board = steps("pendulum", "independent", coordinates=["phi"])
    expected = {
        "B": [["0", "0", "1"]],
        "Z": [["1", "0", "-l*cos(phi)"], ["0", "1", "-l*sin(phi)"], ["0", "0", "1"]],
        "R": [["l*cos(phi)"], ["l*sin(phi)"], ["1"]],
        "a_0": [["-l*phi'^2*sin(phi)"], ["l*phi'^2*cos(phi)"], ["0"]],
        "inertia": [["J + m*l^2"]],
        "force": [["-m*g*l*sin(phi)"]],
    }
    check(system, matrices(board.document()), expected)


def test_do_sanh_1996():
    """(3.1) to (3.12), corrected: A, A⁻¹, Q, G₀₁, G₀₂, G₀₃ = 0, G, b, B, B₀, D."""
    system, board = steps("pendulum-on-slider", "reactions")
    s, c, M, K = "sin(phi)", "cos(phi)", "(m0 + m)", "(m/(m0 + m))"
    N = f"({M}*(rho^2 - {K}*a^2))"
    zero = ["0", "0", "0"]
    expected = {
        "M": [[M, "0", f"m*a*{c}"], ["0", M, f"-m*a*{s}"], [f"m*a*{c}", f"-m*a*{s}", "m*rho^2"]],
        "M_inverse": [
            [f"(rho^2 - {K}*a^2*{s}^2)/{N}", f"-{K}*a^2*{s}*{c}/{N}", f"-a*{c}/{N}"],
            [f"-{K}*a^2*{s}*{c}/{N}", f"(rho^2 - {K}*a^2*{c}^2)/{N}", f"a*{s}/{N}"],
            [f"-a*{c}/{N}", f"a*{s}/{N}", f"1/(m*(rho^2 - {K}*a^2))"],
        ],
        "Q": [["F"], [f"{M}*g"], [f"-m*g*a*{s}"]],
        "G_01": [zero, zero, ["0", "0", f"m*a*{s}"]],
        "G_02": [zero, zero, ["0", "0", f"m*a*{c}"]],
        "G": [[f"m*a*{s}*phi'^2"], [f"m*a*{c}*phi'^2"], ["0"]],
        "A": [["0", "1", "0"]],
        "c": [["0"]],
        "B": [[f"-{K}*a^2*{s}*{c}/{N}", f"(rho^2 - {K}*a^2*{c}^2)/{N}", f"a*{s}/{N}"]],
        "B_0": [[
            f"(-{K}*a^2*{s}*{c}*F + {M}*g*(rho^2 - {K}*a^2*{c}^2) - m*g*a^2*{s}^2 + m*a*{c}*(rho^2 - {K}*a^2)*phi'^2)/{N}"
        ]],
        "D": [["1", "0"], ["0", "0"], ["0", "1"]],
    }  # fmt: skip
    found = matrices(board.document())
    check(system, found, expected)
    q = [se.Symbol(f"{name}'") for name in system.coordinates]  # (2.15) to (2.18): G = q̇* G₀ q̇₀, with 9 × 9 cages
    cages = [found.get(f"G_0{k}", [[se.Integer(0)] * 3] * 3) for k in (1, 2, 3)]
    G0 = se.zeros(9, 9)
    for k, cage in enumerate(cages):
        for i in range(3):
            for j in range(3):
                G0[3 * k + i, 3 * k + j] = cage[i][j]
    star = se.Matrix([[q[j - 3 * i] if 3 * i <= j < 3 * i + 3 else 0 for j in range(9)] for i in range(3)])
    G = star * G0 * se.Matrix([[x] for x in q * 3])
    assert all(equal(G[k, 0], found["G"][k][0]) for k in range(3))
    assert "G_03" not in found and "Zero: those of `phi`" in str(board)
    assert "Do Sanh 1996: A⁻¹" in str(board)


def test_inertia_that_is_no_quadratic_form():
    """A moved pivot: T has a part linear in v that depends on time; what it adds to f is shown apart."""
    moved = System(
        coordinates="phi",
        kinetic="m*(l^2*phi'^2 + 2*l*w*cos(w*t)*cos(phi)*phi' + w^2*cos(w*t)^2)/2",
        parameters={"m": 1, "l": 0.35, "w": 2},
    )
    found = matrices(moved.derive("reactions").steps.document())
    check(moved, found, {"G": [["0"]], "G_t": [["m*l*w^2*sin(w*t)*cos(phi)"]], "M_inverse": [["1/(m*l^2)"]]})


@pytest.mark.parametrize(
    "form", ["multipliers", "minimal", "explicit", "canonical", "independent", "reactions", "quasi"]
)
def test_in_every_output(form):
    """Text, LaTeX, JSON and notebook say the same steps; formulas of JSON can be read again."""
    system, board = steps("platform-on-incline", form)
    document, data = board.document(), [part for part in json.loads(json.dumps(board.as_dict())) if "title" in part]
    assert [part["title"] for part in data] == [
        part.title for part in document.parts if isinstance(part, nodes.Section)
    ]
    momenta = next(part for part in data if part["title"].startswith("Momenta"))["parts"][0]["equations"]
    expected = [
        "m*(x' - a*sin(phi)*phi')",
        "m*(y' + a*cos(phi)*phi')",
        "m*(rho^2*phi' + a*(y'*cos(phi) - x'*sin(phi)))",
    ]
    assert [row["left"] for row in momenta] == ["p_x", "p_y", "p_phi"]
    rows = zip(momenta, expected, strict=True)
    assert all(agrees(system, read(system, row["right"]), text) for row, text in rows)
    text, latex = board.text(), board.latex()
    assert "lambda_blade = " in text and r"\lambda_{\mathrm{blade}}" in latex
    assert all(part["title"].split(",")[0] in text for part in data)
    assert r"\left[\begin{array}" in latex and "step by step" in (board._repr_markdown_() or "")


def test_awkward_systems():
    """No constraints; redundant ones; matrices instead of energies; constraints on accelerations; no mass."""
    free = System(coordinates="x", kinetic="0.35*x'^2/2", potential="x^2")
    assert "D is the unit matrix" in str(free.derive("minimal").steps)
    assert "p_x = 0.35*x'" in str(free.derive("canonical").steps)
    double = System(coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints={"a": "x = y", "b": "2*x = 2*y"})
    assert "redundant" in str(double.derive("minimal").steps)
    given = System(coordinates="x y", mass=[["2", "0"], ["0", "3"]], force=["-x", "1"], constraints={"k": "x'' = y"})
    text = str(given.derive("explicit").steps)
    assert "M and f, as they are given" in text and "(on accelerations)" in text
    massless = System(coordinates="x y", kinetic="x'^2/2", constraints={"k": "y = 2*x"})
    for form in ("minimal", "explicit", "reactions"):
        assert "step by step" in str(massless.derive(form).steps)
    named = System(coordinates="x", kinetic="p_x*x'^2/2", parameters={"p_x": 2})
    assert "p_x_ = p_x*x'" in str(named.derive().steps)


def test_wide_matrices_are_lists_of_what_is_not_zero():
    arm = Mechanism(
        bodies={f"b{k}": {"mass": 1, "inertia": 1, "at": [k + 0.5, 0]} for k in range(5)},
        joints={
            f"J{k}": {"kind": "revolute", "bodies": [f"b{k - 1}" if k else "ground", f"b{k}"], "at": [k, 0]}
            for k in range(5)
        },
    )
    text = str(arm.derive("multipliers").steps)
    assert "M, what of it is not zero" in text and "M_1_1 = 1" in text
    assert max(map(len, text.splitlines())) < 1000


def test_of_a_release():
    released = example("pendulum").release("rod_x")
    assert released.steps.derivation is released.derivation
    assert "B r + B₀ = 0" in str(released.steps)


def test_letters_of_the_papers_are_on_every_page():
    """In LaTeX, in notebooks and on HTML pages, as in text and JSON; names of coordinates are no backticks there."""
    steps = example("rolling-disk").derive("minimal").steps
    assert r"\qquad \text{(Phong 1999: G)}" in steps.latex()
    inertia = example("pendulum-on-slider").derive("reactions").steps.latex()
    assert r"= $\tfrac{1}{2}$ $\partial$m" in inertia and "12 $" not in inertia  # ½ was 12
    assert (
        r"The constraints in the momenta, $\hat{\psi}$(q, p, t) = 0"
        in example("platform-on-incline").derive("canonical").steps.latex()
    )
    page = write_page([steps.document()])
    assert "(Phong 1999: G)" in page
    free = System("x y", kinetic="m*(x'^2 + y'^2)/2", potential="k*x^2/2", parameters={"m": 1, "k": 1}).derive()
    assert r"the momentum of \texttt{y}" in free.latex()
    assert "the momentum of <code>y</code>" in write_page([free.document()])
    markdown = example("platform-on-incline").derive("canonical").steps._repr_markdown_() or ""
    assert r"\qquad \mathrm{(Do\ Sanh\ 1993:\ b)} $$" in markdown


def test_quasi_velocities_step_by_step():
    """W and [A; W], with A D = 0 and W D = 1; Ḋu + ḃ of the sleigh is a turn of its velocity."""
    steps = str(example("chaplygin-sleigh").derive("quasi").steps)
    assert "  W =\n    [cos(theta), sin(theta), 0]\n    [0, 0, 1]" in steps
    assert "  Z ([A; W]) =\n    [sin(theta), -cos(theta), 0]" in steps
    assert "  a_0 (Ḋu + ḃ) =\n    [-u_1*u_theta*sin(theta)]\n    [u_1*u_theta*cos(theta)]\n    [0]" in steps
    moved = example("chaplygin-sleigh").replace(velocities={"u": "x' - t*theta' + 0.35*t^2", "w": "theta'"})
    assert "  w_0 =\n    [0.35*t^2]\n    [0]" in str(moved.derive("quasi").steps)
