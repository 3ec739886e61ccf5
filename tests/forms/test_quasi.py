"""Quasi-velocities: the sleigh, Kane's method of SymPy on several systems, residuals of the equations, mistakes."""

from __future__ import annotations

import json

import numpy as np
import pytest
import symengine as se
import sympy as sp
from sympy.physics.mechanics import KanesMethod, Point, ReferenceFrame, RigidBody, dynamicsymbols, inertia

from dalembert import DerivationError, ModelError, SimulationError, System, example, load
from dalembert.cli import main
from dalembert.document.text import write_text
from dalembert.forms.prepared import Scene
from dalembert.language.program import Program
from tests.contracts.test_forms import SPECIAL, oracle, states
from tests.contracts.what_there_is import skip_refused

ALONG = {"u": "x'*cos(theta) + y'*sin(theta)", "omega": "theta'"}


def sleigh(**changes) -> System:
    return example("chaplygin-sleigh").replace(**{"velocities": ALONG, **changes})


def test_the_sleigh():
    found = sleigh().derive("quasi")
    assert found.as_dict()["solved"][:5] == [
        "u' = a*omega^2",
        "omega' = -m*a*omega*u/(J + m*a^2)",
        "x' = u*cos(theta)",
        "y' = u*sin(theta)",
        "theta' = omega",
    ]
    assert found.as_dict()["symbols"] == {"u": "x'*cos(theta) + y'*sin(theta)", "omega": "theta'"}
    t, u, omega = dynamicsymbols._t, *dynamicsymbols("u omega")
    m, J, a = sp.symbols("m J a")
    second = sp.solve(found.equations[1], omega.diff(t))[0]
    assert sp.simplify(second + m * a * u * omega / (J + m * a**2)) == 0
    assert found.inertia == sp.diag(m, J + m * a**2)
    assert "\\dot{u}" in found.latex() and "omega" in str(found)


def test_velocities_are_found():
    """Along the blade, where velocities of coordinates would fail for some heading; of coordinates where they do not."""
    found = example("chaplygin-sleigh").derive("quasi").as_dict()
    assert found["symbols"] == {"u_1": "x'*cos(theta) + y'*sin(theta)", "u_theta": "theta'"}
    assert found["solved"][:2] == ["u_1' = a*u_theta^2", "u_theta' = -m*a*u_1*u_theta/(J + m*a^2)"]
    assert example("pendulum").derive("quasi").as_dict()["symbols"] == {"u_phi": "phi'"}
    assert example("double-pendulum").derive("quasi").as_dict()["symbols"] == {"u_a1": "a1'", "u_a2": "a2'"}


NAMES = {
    "of Boltzmann and Hamel": sleigh(),
    "of Chaplygin, as nothing depends on `y`": sleigh(velocities={"u": "x'", "omega": "theta'"}),
    "of Voronets": sleigh(velocities={"u": "x'", "omega": "theta'"}, forces={"x": "-y"}),
    "Lagrange's equations of the second kind": example("pendulum"),
}


@pytest.mark.parametrize("name", NAMES)
def test_what_they_are_called(name):
    notes = NAMES[name].derive("quasi").notes
    assert any(name in note and "Maggi" in note and "Kane" in note and "Appell" in note for note in notes)


# --- every model: the equations hold with the accelerations of the other forms ------------------------------------------

HOLD = {
    **{name: SPECIAL[name] for name in SPECIAL},
    **{name: example(name) for name in ("moved-pendulum", "upright-disk", "simple-pendulum", "slider-crank", "knife-edge")},
    "chosen": sleigh(velocities={"u": "x' - t*theta' + 0.35*t^2", "omega": "theta' + y'"}),
    "states": System(
        coordinates="x y",
        kinetic="x'^2 + y'^2",
        forces={"x": "-0.35*z - y"},
        states={"z": "x' - z"},
        constraints={"a": "x' = 0.7*y' + sin(t)"},
        initial={"y'": 1},
    ),
    "abs": System(coordinates="x y", kinetic="x'^2 + y'^2", forces={"x": "-abs(x')*x'"}, velocities={"u": "x' - y'", "w": "y'"}),
}  # fmt: skip


@pytest.mark.parametrize("name", HOLD)
@pytest.mark.parametrize("full", [False, True])
def test_equations_hold(name, full):
    """With u and u̇ of an admissible state and its accelerations, found by singular values, they vanish."""
    scene, b = Scene(HOLD[name]), HOLD[name].blocks
    skip_refused(name, scene, "quasi")
    derivation = HOLD[name].derive("quasi")
    derivation = derivation.full() if full else derivation
    u = [*map(se.Symbol, derivation.meaning_expressions)]
    meant = list(derivation.meaning_expressions.values())
    accelerations = [se.Symbol(f"{q.name}''") for q in b.q]
    rates = [rate(expr, b, accelerations) for expr in meant]
    for place in states(scene, 3):
        a, _ = oracle(scene.numeric.all(place.t, place.q, place.v))
        given = dict(zip(scene.inputs, scene.point(scene.numeric, place), strict=True))
        given |= dict(zip(accelerations, a, strict=True))
        values = {symbol: evaluate(expr, given) for symbol, expr in zip(u, meant, strict=True)}
        values |= {se.Symbol(f"{s.name}'"): evaluate(expr, given) for s, expr in zip(u, rates, strict=True)}
        given |= values
        for symbol, expr in derivation.abbreviation_expressions.items():
            given[se.Symbol(symbol)] = evaluate(expr, given)
        for expr in derivation.expressions:
            size = 1 + max(abs(evaluate(term, given)) for term in (expr.args if expr.is_Add else (expr,)))
            assert abs(evaluate(expr, given)) < 1e-9 * size


def rate(expr, b, accelerations):
    slopes = [expr.diff(q) * v for q, v in zip(b.q, b.v, strict=True)]
    slopes += [expr.diff(v) * a for v, a in zip(b.v, accelerations, strict=True)]
    return se.Add(*slopes, expr.diff(b.t))


def evaluate(expr, given) -> float:
    return float(Program(list(given), [expr])(list(given.values()))[0])


# --- Kane's method of SymPy ---------------------------------------------------------------------------------------------

T = dynamicsymbols._t


def compare(kane: KanesMethod, system: System) -> None:
    """Compare u̇ with that of SymPy's method, where its coordinates and speeds have the names of ours."""
    kernel, scene, names = system.compile("quasi"), Scene(system), list(system.quasi_velocities)
    symbols = [*kane.q, *kane.u, *map(sp.Symbol, system.parameters)]
    known = [*(s.name for s in (*kane.q, *kane.u)), *system.parameters]
    rhs = sp.lambdify(symbols, (kane.mass_matrix, kane.forcing))
    for place in states(scene, 3):
        u = kernel.to_state(place.t, place.q, place.v)
        found = kernel(place.t, place.q, u)
        values = dict(zip(system.coordinates, place.q, strict=True)) | dict(zip(names, u, strict=False))
        M, f = rhs(*((values | dict(system.parameters))[name] for name in known))
        expected = np.linalg.solve(M, f)[:, 0]
        assert [s.name for s in kane.u] == names
        assert found.velocity == pytest.approx(place.v, rel=1e-9, abs=1e-9)
        assert found.rate[: len(names)] == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_kane_sleigh():
    x, y, theta, u, omega = dynamicsymbols("x y theta u omega")
    m, J, a = sp.symbols("m J a")
    N, B, P = ReferenceFrame("N"), ReferenceFrame("B"), Point("P")
    B.orient_axis(N, theta, N.z)
    B.set_ang_vel(N, omega * N.z)
    P.set_vel(N, u * B.x)
    C = P.locatenew("C", a * B.x)
    C.v2pt_theory(P, N, B)
    rates = [x.diff(T) - u * sp.cos(theta), y.diff(T) - u * sp.sin(theta), theta.diff(T) - omega]
    kane = KanesMethod(N, [x, y, theta], [u, omega], rates)
    kane.kanes_equations([RigidBody("body", C, B, m, (inertia(B, 0, 0, J), C))], [])
    compare(kane, sleigh())


def test_kane_rolling_disk():
    """SymPy's example: a disk that leans and rolls, by its angular velocity in the frame that does not spin."""
    q1, q2, q3, u1, u2, u3 = dynamicsymbols("q1 q2 q3 u1 u2 u3")
    r, m, g = sp.symbols("r m g")
    N = ReferenceFrame("N")
    Y = N.orientnew("Y", "Axis", [q1, N.z])
    L = Y.orientnew("L", "Axis", [q2, Y.x])
    R = L.orientnew("R", "Axis", [q3, L.y])
    w = R.ang_vel_in(N)
    rates = [w.dot(L.x) - u1, w.dot(L.y) - u2, w.dot(L.z) - u3]
    R.set_ang_vel(N, u1 * L.x + u2 * L.y + u3 * L.z)
    L.set_ang_vel(N, u1 * L.x + u3 * sp.tan(q2) * L.y + u3 * L.z)
    C = Point("C")
    C.set_vel(N, 0)
    centre = C.locatenew("centre", r * L.z)
    centre.v2pt_theory(C, N, R)
    disk = RigidBody("disk", centre, R, m, (inertia(L, m * r**2 / 4, m * r**2 / 2, m * r**2 / 4), centre))
    kane = KanesMethod(N, [q1, q2, q3], [u1, u2, u3], rates)
    kane.kanes_equations([disk], [(centre, -m * g * Y.z)])
    wx, wy, wz = "q2'", "(q3' + q1'*sin(q2))", "q1'*cos(q2)"
    # the velocity of the centre is that of the contact, zero, and ω × r L.z = r ω_y L.x − r ω_x L.y
    system = System(
        coordinates="x y z q1 q2 q3",
        kinetic=f"m*(x'^2 + y'^2 + z'^2)/2 + m*r^2*({wx}^2 + 2*{wy}^2 + ({wz})^2)/8",
        potential="m*g*z",
        constraints={
            "x": f"x' = r*{wy}*cos(q1) + r*{wx}*cos(q2)*sin(q1)",
            "y": f"y' = r*{wy}*sin(q1) - r*{wx}*cos(q2)*cos(q1)",
            "z": f"z' = -r*{wx}*sin(q2)",
        },
        velocities={"u1": wx, "u2": wy, "u3": wz},
        parameters={"r": 0.7, "m": 1.3, "g": 9.81},
        initial={"q2": 0.3, "q1'": 1, "q2'": 0.2, "q3'": 3},
    )
    compare(kane, system)


def test_kane_top():
    """A heavy top by the angular velocity in its own frame: Euler's equations."""
    q1, q2, q3, u1, u2, u3 = dynamicsymbols("q1 q2 q3 u1 u2 u3")
    A, B, C, m, g, l = sp.symbols("A B C m g l")
    N = ReferenceFrame("N")
    body = N.orientnew("body", "Body", [q1, q2, q3], "ZXZ")
    w = body.ang_vel_in(N)
    rates = [w.dot(axis) - u for axis, u in zip((body.x, body.y, body.z), (u1, u2, u3), strict=True)]
    components = [sp.simplify(w.dot(axis)) for axis in (body.x, body.y, body.z)]
    body.set_ang_vel(N, u1 * body.x + u2 * body.y + u3 * body.z)
    O = Point("O")
    O.set_vel(N, 0)
    centre = O.locatenew("centre", l * body.z)
    centre.v2pt_theory(O, N, body)
    top = RigidBody("top", centre, body, m, (inertia(body, A, B, C), centre))
    kane = KanesMethod(N, [q1, q2, q3], [u1, u2, u3], rates)
    kane.kanes_equations([top], [(centre, -m * g * N.z)])
    wx, wy, wz = components
    system = System(
        coordinates=[q1, q2, q3],
        kinetic=((A + m * l**2) * wx**2 + (B + m * l**2) * wy**2 + C * wz**2) / 2,
        potential=m * g * l * sp.cos(q2),
        velocities={"u1": wx, "u2": wy, "u3": wz},
        parameters={A: 0.3, B: 0.4, C: 0.15, m: 2, g: 9.81, l: 0.35},
        initial={"q2": 0.5, "q1'": 0.4, "q3'": 20},
    )
    compare(kane, system)
    solved = dict(line.split(" = ") for line in system.derive("quasi").as_dict()["solved"])
    assert solved["u3'"] == "u1*u2*(A - B)/C"


def test_kane_two_link_arm():
    """Angles in absolute coordinates: by the angular velocities of the links in space."""
    q1, q2, u1, u2 = dynamicsymbols("q1 q2 u1 u2")
    m, l, J, g = sp.symbols("m l J g")
    N = ReferenceFrame("N")
    A, B = N.orientnew("A", "Axis", [q1, N.z]), N.orientnew("B", "Axis", [q1 + q2, N.z])
    A.set_ang_vel(N, u1 * N.z)
    B.set_ang_vel(N, u2 * N.z)
    O = Point("O")
    O.set_vel(N, 0)
    first, elbow = O.locatenew("first", l / 2 * A.x), O.locatenew("elbow", l * A.x)
    second = elbow.locatenew("second", l / 2 * B.x)
    first.v2pt_theory(O, N, A)
    elbow.v2pt_theory(O, N, A)
    second.v2pt_theory(elbow, N, B)
    kane = KanesMethod(N, [q1, q2], [u1, u2], [q1.diff(T) - u1, q1.diff(T) + q2.diff(T) - u2])
    bodies = [RigidBody(f"link{k}", p, F, m, (inertia(F, 0, 0, J), p)) for k, (p, F) in enumerate(((first, A), (second, B)))]  # fmt: skip
    kane.kanes_equations(bodies, [(p, -m * g * N.y) for p in (first, second)])
    system = System(
        coordinates="x1 y1 x2 y2 q1 q2",
        kinetic="m*(x1'^2 + y1'^2 + x2'^2 + y2'^2)/2 + J*(q1'^2 + (q1' + q2')^2)/2",
        potential="m*g*(y1 + y2)",
        constraints={
            "x1": "x1 = l*cos(q1)/2",
            "y1": "y1 = l*sin(q1)/2",
            "x2": "x2 = l*cos(q1) + l*cos(q1 + q2)/2",
            "y2": "y2 = l*sin(q1) + l*sin(q1 + q2)/2",
        },
        velocities={"u1": "q1'", "u2": "q1' + q2'"},
        parameters={"m": 1.3, "l": 0.7, "J": 0.11, "g": 9.81},
        initial={"q1": 0.3, "q2": 0.8, "q1'": 1, "q2'": -2},
    )
    compare(kane, system)


# --- motion -------------------------------------------------------------------------------------------------------------


def test_motion_of_the_sleigh():
    """Exact: u = V tanh(b t + c)."""
    run = sleigh().simulate(5, form="quasi", samples=20)
    inertia = 0.5 + 0.09
    V = np.sqrt(0.16 + inertia * 2.25)
    u = V * np.tanh(V * 0.3 / inertia * run.t + np.arctanh(-0.4 / V))
    assert run.certificate.ok, str(run.certificate)
    assert run["u"] == pytest.approx(u, abs=1e-8)
    assert run["u'"] == pytest.approx(0.3 * run["omega"] ** 2, abs=1e-12)
    assert run.evaluate("u^2 + 0.59*omega^2") == pytest.approx(V**2, rel=1e-8)


def test_driven_and_stepped():
    """A support that moves (b), fixed steps, an event that changes velocities, a state beside."""
    system = example("moved-pendulum")
    for options in ({}, {"method": "rk4", "step": 1e-3}, {"keep": "none"}):
        a, b = (system.simulate(1, form=form, **options) for form in ("quasi", "multipliers"))
        assert a.q[-1] == pytest.approx(b.q[-1], abs=1e-7)
    system = sleigh(
        states={"z": "x - z"},
        events={"knock": {"when": "t = 0.5", "velocities": {"theta'": "-theta'"}}},
        outputs={"power": "u*omega"},
    )
    a, b = (system.simulate(1, form=form) for form in ("quasi", "multipliers"))
    assert a.q[-1] == pytest.approx(b.q[-1], abs=1e-8)
    assert a["z"][-1] == pytest.approx(b["z"][-1], abs=1e-8)
    assert a["power"][-1] == pytest.approx(b["power"][-1], abs=1e-8)


def test_singular_places():
    """At φ = 90° the velocity of x says nothing: it is named; no motion begins there, and one that comes there ends."""
    system = example("pendulum").replace(velocities={"u": "x'"})
    assert "D holds where cos(phi) ≠ 0" in system.derive("quasi").notes
    start = system.replace(initial={"phi": "pi/2", "phi'": 1})
    assert "D holds where cos(phi) ≠ 0" in start.derive("quasi").notes
    with pytest.raises(SimulationError, match="to know `u` does not determine the velocities there; choose others in"):
        start.simulate(1, form="quasi")
    over = system.replace(initial={"phi'": 8})
    whole = over.simulate(0.1, rtol=1e-12, atol=1e-12)
    for options in ({}, {"method": "rk4", "step": 0.01}, {"method": "rk4", "step": 0.03}, {"samples": 60}):
        with pytest.warns(
            UserWarning, match=r"`u` ceases to determine the velocities soon after t = 0\.0.*leave that table"
        ):
            run = over.simulate(3, form="quasi", **options)
        assert run.status == "failed"
        assert 1.3 < run.motion.states[-1][2] < np.pi / 2
        end = run.motion.times[-1]
        assert np.all(run.t <= end)
        expected = whole.at([end])[0][0][2]
        assert run.motion.states[-1][2] == pytest.approx(expected, abs=0.05 if "step" in options else 1e-7)
    found = over.replace(velocities=None).simulate(3, form="quasi")
    assert found.certificate.ok


def test_found_velocities_are_chosen_anew():
    """Where velocities of coordinates go bad others take their place, and that is said."""
    swing = System(
        "x y", kinetic="m*(x'^2 + y'^2)/2", potential="m*g*y", constraints={"wire": "x^4 + y^4 + x*y/5 = 1"},
        parameters={"m": 1.3, "g": 9.81}, initial={"x": 0.3, "x'": 8}, guess={"y": -1},
    )  # fmt: skip
    run, plain = (swing.simulate(4, form=form, rtol=1e-10, atol=1e-12) for form in ("quasi", "multipliers"))
    assert run.form == "quasi" and len(run.choices) > 2
    assert run.q[-1] == pytest.approx(plain.q[-1], abs=1e-8)
    assert "Quasi-velocities, those of `x`; from t = " in write_text(run.document())
    assert run.certificate.ok


def test_a_basis_that_fails_somewhere_is_not_taken():
    """A blade beside the mass centre: the shortest D loses rank at φ = 0, where the constraint is as good as anywhere."""
    system = System(
        "x y phi", kinetic="m*(x'^2 + y'^2)/2 + I*phi'^2/2", constraints={"blade": "x'*sin(phi) - y'*cos(phi) + a*phi' = 0"},
        parameters={"m": 1.3, "I": 0.4, "a": 0.3}, initial={"phi": -0.5, "phi'": 0.6, "x'": 1},
    )  # fmt: skip
    run, plain = (system.simulate(3, form=form, rtol=1e-10, atol=1e-12) for form in ("quasi", "multipliers"))
    assert run["phi"].min() < 0 < run["phi"].max()
    assert run.q[-1] == pytest.approx(plain.q[-1], abs=1e-8)


def test_no_pivot_of_the_pilot_is_needed():
    """The rod with a knife edge where q4 = 0 and q2 = 0: u determine the velocities, whatever entry vanishes."""
    kernel = example("rod-with-knife-edge").compile("quasi")
    for angle in (0.0, 1e-9, np.pi / 2, np.pi):
        c, s = np.round(np.cos(angle), 15), np.round(np.sin(angle), 15)
        q, v = np.array([0, c, 0, s]), np.array([2 * c, -0.7 * s, 2 * s, 0.7 * c])
        assert kernel(0.0, q, kernel.to_state(0.0, q, v)).velocity == pytest.approx(v, abs=1e-14)


# --- files, commands, mistakes ------------------------------------------------------------------------------------------


def test_files_and_commands(tmp_path, capsys):
    path = tmp_path / "sleigh.toml"
    sleigh(outputs={"twice": "2*u"}).save(path)
    assert "[velocities]\nu = \"x'*cos(theta) + y'*sin(theta)\"" in path.read_text(encoding="utf-8")
    again = load(path)
    assert again.derive("quasi").as_dict() == sleigh().derive("quasi").as_dict()
    with pytest.raises(SystemExit):
        main(["derive", str(path), "--form", "quasi", "--to", "json"])
    assert json.loads(capsys.readouterr().out)["solved"][0] == "u' = a*omega^2"
    with pytest.raises(SystemExit):
        main(["simulate", str(path), "--form", "quasi", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert found["form"] == "quasi" and found["velocities"]["u"] * 2 == pytest.approx(found["outputs"]["twice"])


@pytest.mark.parametrize(
    ("velocities", "message"),
    [
        ({"u": "x'"}, "as many quasi-velocities as there are degrees of freedom, here 2; .* has 1: `u`"),
        ({"u": "x'", "v": "y'", "w": "theta'"}, "here 2; .* has 3"),
        ({"u": "theta'", "w": "2*theta'"}, "`u` and `w` are not independent where the constraints hold"),
        ({"u": "x'*sin(theta) - y'*cos(theta)", "w": "theta'"}, "not independent"),
    ],
)  # fmt: skip
def test_velocities_that_do_not_fit(velocities, message):
    with pytest.raises(DerivationError, match=message):
        sleigh(velocities=None).replace(velocities=velocities).derive("quasi")


@pytest.mark.parametrize(
    ("velocities", "message"),
    [
        ({"x": "y'"}, "`x` is also a coordinate; rename one"),
        ({"m": "y'"}, "`m` is also a parameter"),
        ({"P": "y'"}, "`P` is also an output"),
        ({"t": "y'"}, "reserved for time"),
        ({"u": "x'^2"}, "linear in the velocities; here the factor of one contains x'"),
        ({"u": "x'*theta'"}, "linear in the velocities"),
        ({"u": "abs(x')"}, "linear in the velocities"),
        ({"u": "x''"}, "accelerations, states and controls are none"),
        ({"u": "x*y"}, "this has none"),
        ({"u": "x' + k"}, "unknown name `k`"),
        ({"u": ["x'"]}, "expected an expression or a number"),
        (["x'"], "expected entries by name"),
    ],
)  # fmt: skip
def test_what_is_no_quasi_velocity(velocities, message):
    with pytest.raises(ModelError, match=message):
        sleigh(velocities=None, outputs={"P": "x"}).replace(velocities=velocities)


def test_constraints_that_do_not_fit():
    with pytest.raises(DerivationError, match="`cone` is not; use `multipliers` or `minimal`"):
        example("appell-hamel").derive("quasi")
    with pytest.raises(DerivationError, match="`servo` is one on accelerations"):
        SPECIAL["servo"].derive("quasi")
    with pytest.raises(DerivationError, match="`cone` is not"):
        example("appell-hamel").simulate(1, form="quasi")
    with pytest.raises(ModelError, match="`stabilise` goes with the forms in q and v"):
        sleigh().simulate(1, form="quasi", keep="stabilise")
