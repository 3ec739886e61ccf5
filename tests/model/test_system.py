"""Systems written in Python: SymPy in, the same system as from text; every mistake answered."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError
from functools import reduce

import pytest
import symengine as se
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

from dalembert import ModelError, System, coordinates, dot, example, loads
from tests.conftest import pendulum


def sympy_pendulum() -> System:
    x, y, phi = coordinates("x y phi")
    m, J, l, g = sp.symbols("m J l g")
    return System(
        coordinates=[x, y, phi],
        kinetic=m * (dot(x) ** 2 + dot(y) ** 2) / 2 + J * dot(phi) ** 2 / 2,
        potential=m * g * y,
        constraints={"rod_x": x - l * sp.sin(phi), "rod_y": sp.Eq(y, -l * sp.cos(phi))},
        parameters={m: 1, J: 0.1, l: 1, g: 9.81},
        initial={phi: 1.0, dot(phi): 0},
    )


def test_sympy_and_text_give_the_same_system():
    assert sympy_pendulum() == pendulum(initial={"phi": 1.0, "phi'": 0})


def test_expressions_come_back_in_the_users_symbols():
    theta = dynamicsymbols(r"\theta_{1}")
    mass = sp.Symbol(r"m_{\mathrm{rod}}", positive=True)
    system = System(coordinates=[theta], kinetic=mass * dot(theta) ** 2 / 2, potential=mass * sp.cos(theta))
    assert system.coordinates == ("theta_1",)
    assert list(system.parameters) == ["m_mathrmrod"]
    assert system.sympy(system.blocks.f) == [mass * sp.sin(theta)]
    assert system.sympy(system.kinetic) == mass * dot(theta) ** 2 / 2


def test_any_time_symbol():
    tau = sp.Symbol("tau")
    x = sp.Function("x")(tau)
    system = System(coordinates=[x], kinetic=x.diff(tau) ** 2 / 2, potential=x * tau)
    assert system == System(coordinates="x", kinetic="x'^2/2", potential="x*t")
    assert system.sympy(system.blocks.f) == [-tau]


def test_times_must_agree():
    a, b = sp.symbols("a b")
    x, y = sp.Function("x")(a), sp.Function("y")(b)
    with pytest.raises(ModelError, match="different times: a, b"):
        System(coordinates=[x, y], kinetic=x.diff(a) ** 2)


def test_undone_derivatives_are_done():
    (x,) = coordinates("x")
    t = dynamicsymbols._t
    system = System(coordinates=[x], kinetic=sp.Derivative(x**2, t) ** 2 / 8)
    assert system == System(coordinates="x", kinetic="(2*x*x')^2/8")


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (
            lambda x: sp.Piecewise((x, x > 0), (x**2, sp.And(x < -1, x >= -2)), (1, True)),
            "if(x > 0, x, if(x < -1 and x >= -2, x^2, 1))",
        ),
        (lambda x: sp.Heaviside(x) + sp.Abs(x) + sp.sign(x), "step(x) + abs(x) + sign(x)"),
        (lambda x: sp.Max(x, 2, x**2) * sp.Min(x, 1), "max(x, 2, x^2)*min(x, 1)"),
        (lambda x: sp.sec(x) + sp.cot(x), "1/cos(x) + 1/tan(x)"),
        (lambda x: sp.exp(x) * sp.sqrt(x) / sp.pi + sp.E, "exp(x)*sqrt(x)/pi + e"),
        (lambda x: sp.atan2(x, 2) + sp.Rational(1, 3) + 0.5, "atan2(x, 2) + 1/3 + 0.5"),
    ],
)
def test_functions_translate_both_ways(written, text):
    (x,) = coordinates("x")
    system = System(coordinates=[x], kinetic=dot(x) ** 2, potential=written(x))
    assert system == System(coordinates="x", kinetic="x'^2", potential=text)
    back = System(coordinates=[x], kinetic=dot(x) ** 2, potential=system.sympy(system.potential))
    assert back == system


def test_undeclared_symbols_are_parameters_without_values():
    (x,) = coordinates("x")
    system = System(coordinates=[x], kinetic=sp.Symbol("m") * dot(x) ** 2)
    assert dict(system.parameters) == {"m": None}


def test_constraints_as_a_list_get_names():
    (x,) = coordinates("x")
    system = System(coordinates=[x], kinetic=dot(x) ** 2, constraints=[x - 1, dot(x)])
    assert [c.name for c in system.constraints] == ["c1", "c2"]
    assert [c.level for c in system.constraints] == ["position", "velocity"]


def test_matrices_from_sympy():
    x, y = coordinates("x y")
    m = sp.Symbol("m")
    system = System(coordinates=[x, y], mass=sp.diag(m, 2), force=sp.Matrix([dot(x), -x]))
    assert system == System(coordinates="x y", mass=[["m", 0], [0, 2]], force=["x'", "-x"], parameters={"m": None})


def test_text_is_never_evaluated(tmp_path):
    """Not even where SymPy would evaluate it: strings in lists, in matrices, as names."""
    trace = tmp_path / "trace"
    text = f"__import__('pathlib').Path({str(trace)!r}).touch()"
    for parts in (
        {"kinetic": [text]},
        {"kinetic": None, "mass": [[[text]]], "force": [[text]]},
        {"potential": text},
        {"constraints": [[text]]},
        {"parameters": {text: 1}},
        {"initial": {text: text}},
        {"drawing": {"points": {"P": [[text], text]}, "circles": [["P", [text]]]}},
        {"define": {"A": [text]}},
        {"simulation": {"until": [text]}},
    ):
        with pytest.raises(ModelError):
            System(**{"coordinates": "x", "kinetic": "x'^2", **parts})
    assert not trace.exists()


def test_immutable():
    system = pendulum()
    with pytest.raises(FrozenInstanceError):
        system.name = "other"  # pyright: ignore
    with pytest.raises(TypeError):
        system.parameters["m"] = 2


def test_replace_merges_and_takes_away():
    system = pendulum(forces={"x": "1"})
    m = sp.Symbol("m")
    variant = system.replace(parameters={m: 3, "l": "2*pi"}, initial={"phi": None, "x": 0.5}, forces={"x": None})
    assert variant.parameters["m"] == 3
    assert variant.parameters["l"] == pytest.approx(6.283185307179586)
    assert list(variant.initial) == ["x"]
    assert not variant.forces
    assert system.parameters["m"] == 1
    assert system.replace(name="n").blocks == system.blocks


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters": {"k": 1}}, "no parameter `k`; parameters: m, J, l, g"),
        ({"kinetc": "0"}, "a system has no `kinetc`; did you mean `kinetic`?"),
    ],
)
def test_replace_refuses_what_is_not_there(changes, message):
    with pytest.raises(ModelError, match="no") as error:
        pendulum().replace(**changes)
    assert message in str(error.value)


x, y = coordinates("x y")
REFUSED = [
    ({"coordinates": []}, "a system needs at least one coordinate"),
    ({"coordinates": "x x"}, "coordinate `x` is listed twice"),
    (
        {"coordinates": "x sin"},
        "coordinate `sin`: this name is reserved for a word of the expression language",
    ),
    ({"coordinates": "x t"}, "coordinate `t`: this name is reserved for time"),
    ({"coordinates": ["x", "2y"]}, "coordinate '2y': a name is letters, digits and _"),
    ({"coordinates": [x, sp.Symbol("q")]}, "a coordinate is a dynamicsymbol or a name, got 'q'"),
    ({"kinetic": None}, "no inertia: give the kinetic energy, or the matrices `mass` and `force`"),
    ({"kinetic": "x''^2"}, "the kinetic energy depends on accelerations (found x'')"),
    (
        {"potential": "x*x'"},
        "the potential energy depends on velocities or accelerations; put such forces into `forces` (found x')",
    ),
    ({"mass": [["1"]], "force": ["0"]}, "energies and matrices are both given; use one of them"),
    ({"kinetic": None, "mass": [["1"]]}, "`mass` and `force` go together; `force` is missing"),
    (
        {"kinetic": None, "mass": [["1", "0"]], "force": ["0"]},
        "the mass matrix must have 1 rows of 1 entries",
    ),
    (
        {"kinetic": None, "mass": [["1"]], "force": ["0", "0"]},
        "the force needs 1 entries, one per coordinate; got 2",
    ),
    (
        {"kinetic": None, "mass": [["x''"]], "force": ["0"]},
        "the mass matrix depends on accelerations",
    ),
    (
        {"kinetic": None, "mass": [["1"]], "force": ["x''"]},
        "a force depends on accelerations; bring them to the mass matrix",
    ),
    ({"forces": {"y": "1"}}, "a force on `y`, which is no coordinate"),
    ({"forces": {"x": "x''"}}, "a force depends on accelerations; bring them into the kinetic energy"),
    (
        {"constraints": {"a": "1 = 2"}},
        "constraint `a` contains no coordinate: it is a condition on nothing that moves",
    ),
    ({"constraints": {"a": "x = x"}}, "constraint `a` contains no coordinate: it is always true; remove it"),
    ({"constraints": {"a": "x''^2 = 1"}}, "constraint `a` is not linear in the accelerations"),
    (
        {"constraints": {"a b": "x = 1"}},
        "constraint 'a b': a name is letters, digits and _, parts joined by points",
    ),
    ({"parameters": {"x": 1}}, "parameter `x` is also a coordinate; rename one of them"),
    (
        {"parameters": {"m": "2*k"}},
        "unknown name `k`; `m` needs a constant; what depends on parameters or time belongs into [define]",
    ),
    ({"parameters": {"m": float("nan")}}, "`m` needs a finite number, got nan"),
    ({"parameters": {"m": [1]}}, "`m` needs a finite number, got the list [1]"),
    ({"initial": {"z": 1}}, "`z` is neither a coordinate nor a velocity"),
    ({"initial": {"x": "t"}}, "the value of `x` must be a number or an expression of parameters (found t)"),
    ({"guess": {"x": "x'"}}, "the value of `x` must be a number or an expression of parameters (found x')"),
    ({"simulation": {"untill": 3}}, "no setting `untill`; did you mean `until`?"),
    (
        {"simulation": {"rtol": 0}},
        "`rtol` must be a part of the values, positive and at most 0.1 (usually 1e-6 to 1e-12), got 0",
    ),
    ({"simulation": {"form": 3}}, "a form is given by its name, got 3"),
    ({"define": {"x": "1"}}, "definition `x` is also a coordinate or a parameter"),
    ({"define": {"A": "B", "B": "1"}}, "`B` stands below: a definition knows those above it"),
    ({"drawing": {"points": {"P": ["x"]}}}, "point `P` needs two or three coordinates"),
    (
        {"drawing": {"points": {"P": ["x", 0]}, "lines": [["P", "Q"]]}},
        "`lines` joins named points, got ['P', 'Q']",
    ),
    ({"drawing": {"points": {"P": ["x", 0], "Q": [0, 0, 0]}}}, "points in the plane and in space are mixed"),
    ({"drawing": {"points": {}, "circle": []}}, "no part `circle` of a drawing; did you mean `circles`?"),
    (
        {"potential": sp.Function("F")(dynamicsymbols._t)},
        "`F(t)` is a function of time but no coordinate of this system",
    ),
    ({"potential": sp.besselj(0, x)}, "`besselj` cannot be used in a model"),
    ({"potential": sp.Symbol("x")}, "`x` is used both as a coordinate x(t) and as a plain symbol"),
    ({"potential": sp.oo}, "expected finite numbers, got oo"),
    ({"kinetic": dot(x, 3)}, "derivatives beyond accelerations cannot be used"),
    ({"potential": sp.Piecewise((x, x > 0))}, "the last branch of"),
    ({"potential": sp.Symbol("m") + sp.Symbol("m", positive=True)}, "two different symbols are called `m`"),
    ({"potential": [1, 2]}, "expected an expression or a number, got list: [1, 2]"),
    ({"potential": ["__import__('os')"]}, "expected an expression or a number, got list"),
    ({"constraints": [("a", "x = 1")]}, "expected an expression or a number, got tuple"),
    ({"constraints": "x = 1"}, 'expected equations by name, as in {"a": "x = 1"}, got a text'),
    ({"initial": [1, 2]}, 'expected values by name, as in {"x": 1}, got list'),
    ({"parameters": ["m"]}, "expected values by name"),
    ({"potential": True}, "expected an expression or a number, got true"),
    ({"drawing": 1}, 'expected {"points": …, "lines": …}, got int'),
    ({"drawing": {"points": 1}}, '`points` are given by name, as in {"A": ["x", "y"]}'),
    ({"drawing": {"points": {"A": [0, 0]}, "lines": [[["A"], {}]]}}, "`lines` joins named points, got [['A'], {}]"),
    ({"drawing": {"points": {"A": [0, 0]}, "circles": [[["A"], 1]]}}, "a circle is [centre, radius]"),
    ({"kinetic": "xdot^2"}, "unknown name `xdot`; time derivatives are written with primes: x'"),
    ({"potential": "ln(x)"}, "unknown function `ln`; write `log`"),
]


@pytest.mark.parametrize(("changes", "message"), REFUSED, ids=lambda value: str(value)[:40])
def test_mistakes_are_answered(changes, message):
    with pytest.raises(ModelError) as error:
        System(**{"coordinates": [x], "kinetic": "x'^2/2", **changes})
    assert message in str(error.value)


def test_all_mistakes_in_one_go():
    with pytest.raises(ModelError) as error:
        System(coordinates="x", kinetic="m*x'^2", constraints={"a": "x", "b": "x = q"}, initial={"y": 1})
    assert len(error.value.problems) == 4
    assert [problem.key[0] for problem in error.value.problems] == [
        "energy",
        "constraints",
        "constraints",
        "initial",
    ]


def test_a_power_of_a_negative_number_is_no_crash():
    with pytest.raises(ModelError, match="the exponent varies, so the base must be positive; it is -2"):
        System(coordinates=[x], kinetic="x'^2/2", constraints={"a": (-2) ** x - 1})


UNREADABLE = {
    "exponent": (x**2000, "the exponent 2000 is larger than 1000"),
    "long number": (x * sp.Integer(10) ** 400, "the exact numbers in this expression become too long"),
    "huge decimal": (x * sp.Float("1e400"), "outside the range of double precision"),
    "root of a negative number": (sp.Integer(-8) ** sp.Rational(1, 3) * x, "is not a finite real number"),
    "huge constant": (sp.exp(1000) * x, "is not a finite real number"),
    "nested": (reduce(lambda inner, _: sp.sin(inner), range(150), x), "nested deeper than 100 levels"),
    "SymEngine exponent": (se.Symbol("x") ** 2000, "the exponent 2000 is larger than 1000"),
    "SymEngine gamma": (se.gamma(se.Symbol("x")), "`gamma` cannot be used in a model"),
    "SymEngine I": (se.I * se.Symbol("x"), "expected real numbers in double precision, got I"),
    "SymEngine zoo": (se.zoo * se.Symbol("x"), "expected real numbers in double precision, got zoo"),
    "SymEngine function": (se.Function("foo")(se.Symbol("x")), "`foo` cannot be used in a model"),
    "SymEngine if": (se.Function("if_lt")(se.Symbol("x"), 1), "`if_lt` cannot be used in a model"),
    "SymEngine condition": (se.Lt(se.Symbol("x"), 1), "`StrictLessThan` cannot be used in a model"),
    "SymEngine primes": (se.Symbol("x'''"), "`x` has 3 primes; accelerations"),
}


@pytest.mark.parametrize("part", ["potential", "constraints", "forces"])
@pytest.mark.parametrize("case", UNREADABLE)
def test_what_no_model_file_can_say_is_refused(case, part):
    """Also from SymPy and SymEngine: what is accepted can be written and read."""
    expr, text = UNREADABLE[case]
    value = {"potential": expr, "constraints": {"a": expr}, "forces": {"x": expr}}[part]
    with pytest.raises(ModelError, match=text):
        System(coordinates=[x], kinetic="x'^2/2", **{part: value})


def test_long_names_are_refused():
    long = "a" * 198
    text = "a name of 198 characters; at most 197 are read"
    with pytest.raises(ModelError, match=text):
        System("x", kinetic="x'^2/2", parameters={long: 1})
    with pytest.raises(ModelError, match=text):
        System(long, kinetic=f"{long}'^2/2")
    with pytest.raises(ModelError, match=text):
        System("x", kinetic="x'^2/2", constraints={long: "x = 1"})
    with pytest.raises(ModelError, match=text):
        System("x", kinetic=se.Symbol(long) * se.Symbol("x'") ** 2)
    with pytest.raises(ModelError, match="a point has a name of at most 197 characters"):
        System("x", kinetic="x'^2/2", drawing={"points": {long + "b": ["x", 0]}})


def test_long_names_are_written_and_read():
    name = "é" * 197
    system = System(
        name,
        kinetic=f"{name}'^2/2",
        initial={f"{name}'": 1},
        constraints={"a." * 98 + "b": f"{name} = t"},
        drawing={"points": {"\x01" * 33: [name, 0]}},
    )
    assert loads(str(system)) == system


def test_a_drawing_of_nothing_is_none():
    assert System("x", kinetic="x'^2/2", drawing={}).drawing is None
    assert System("x", kinetic="x'^2/2", drawing={"points": {}, "lines": []}).drawing is None


def test_an_unknown_constraint_is_answered_with_the_nearest():
    with pytest.raises(ModelError, match="no constraint `rodx`; did you mean `rod_x`"):
        pendulum().constraint("rodx")


def test_prints_as_its_model_file():
    assert str(example("pendulum")).startswith('format = 1\nname = "Pendulum in three coordinates"\n')


def test_systems_are_pickled_and_copied(tmp_path):
    """Tables are functions of the process; in another one they must be known again."""
    points = {"x": [0, 1, 2, 3], "value": [0, 1, 0, 1], "beyond": "constant"}
    system = System(
        "x",
        kinetic="m*x'^2/2",
        forces={"x": "-4*bump(x)"},
        tables={"bump": points},
        parameters={"m": 2},
        initial={"x": 0.5},
        drawing={"points": {"P": ["x", 0]}},
    )
    assert copy.copy(system) is system and copy.deepcopy({"here": system})["here"] is system
    (tmp_path / "system").write_bytes(pickle.dumps(system))
    code = "import pickle, sys; print(repr(pickle.load(open(sys.argv[1], 'rb')).simulate(2)['x'][-1]))"
    found = subprocess.run([sys.executable, "-c", code, tmp_path / "system"], capture_output=True, text=True)
    assert float(found.stdout.split("(")[-1].rstrip(")\n")) == system.simulate(2)["x"][-1], found.stderr


@pytest.mark.parametrize("name", ["andrews-squeezer", "four-bar-spatial", "engine"])
def test_models_of_the_gallery_are_pickled(name):
    model = example(name)
    read = pickle.loads(pickle.dumps(model))
    assert read == model and read.drawing == model.drawing and read.symbols == model.symbols


def test_all_but_coordinates_is_given_by_name():
    with pytest.raises(ModelError, match=r"takes its coordinates first and all else by name, as in kinetic=…; got 3"):
        System("x y", 3)
