"""What `derive` gives: SymPy, text, LaTeX and JSON; redundancy; what is too long; refusals."""

from __future__ import annotations

import json
from itertools import product

import pytest
import symengine as se
import sympy as sp
from sympy.physics.mechanics import dynamicsymbols

from dalembert import DerivationError, Mechanism, ModelError, System, coordinates, dot, example
from dalembert.algebra.rational import Field
from dalembert.algebra.writing.cost import operations
from dalembert.blocks.numeric import Numeric
from dalembert.forms import FORMS
from dalembert.forms.multipliers import solve
from dalembert.forms.reactions import Reactions
from dalembert.language.parser import Vocabulary, parse, parse_equation
from dalembert.language.program import Program
from tests import shared
from tests.conftest import IDEAL, pendulum
from tests.contracts.what_there_is import REFUSED
from tests.everyday.formulas import value
from tests.sampling import sampled

LENGTH = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "length": "x^2 + y^2 = l^2"}


def test_sympy_in_sympy_out():
    x, y, phi = coordinates("x y phi")
    m, J, l, g = sp.symbols("m J l g", positive=True)
    system = System(
        coordinates=[x, y, phi],
        kinetic=m * (dot(x) ** 2 + dot(y) ** 2) / 2 + J * dot(phi) ** 2 / 2,
        potential=m * g * y,
        constraints={"rod_x": x - l * sp.sin(phi), "rod_y": y + l * sp.cos(phi)},
    )
    derivation = system.derive("minimal")
    assert sp.Matrix([l * sp.cos(phi), l * sp.sin(phi), 1]) == derivation.D
    expected = l * m * sp.cos(phi) * dot(x, 2) + l * m * sp.sin(phi) * (dot(y, 2) + g) + J * dot(phi, 2)
    assert sp.expand(derivation.equations[0] - expected) == 0
    with pytest.raises(AttributeError, match="this derivation has no `N`; its matrices: D"):
        _ = derivation.N


def test_reaction_as_a_formula():
    t = dynamicsymbols._t
    phi = dynamicsymbols("phi")
    m, l, g, J = sp.symbols("m l g J")
    reaction = pendulum().reaction("rod_x")
    expected = -m * l * sp.sin(phi) * (phi.diff(t) ** 2 + m * g * l * sp.cos(phi) / (J + m * l**2))
    assert sp.simplify(reaction[0] - expected) == 0


@pytest.mark.parametrize("case", sampled(product(IDEAL, FORMS), 9, 4), ids=" ".join)
def test_json_parses_in_the_grammar_of_model_files(case):
    name, form = case
    model = shared.example(name)
    if form in REFUSED.get(name, ()):
        with pytest.raises(DerivationError, match=f"the form `{form}`"):
            model.derive(form)
        return
    derivation = model.derive(form)
    data = derivation.as_dict()
    assert json.loads(json.dumps(data)) == data
    multipliers = [f"lambda_{c.name.replace('.', '_')}" for c in model.constraints]
    others = [f"r_{name}" for name in model.coordinates] + list(data["abbreviations"])
    beside = {"canonical": [f"p_{name}" for name in model.coordinates], "quasi": list(derivation.meaning_expressions)}
    names = (*model.coordinates, *beside.get(form, ())), (*model.parameters, *multipliers, *others)
    vocabulary = Vocabulary(*names, calls=model.calls)
    for text in (*data["equations"], *data["constraints"].values()):
        if len(text) < 5_000:
            parse_equation(text, vocabulary)
    for formula in (f for row in data["reactions"].values() for f in row):
        if len(formula) < 5_000:
            parse(formula, vocabulary)


@pytest.mark.parametrize("form", FORMS)
def test_text_and_latex(form):
    derivation = example("rolling-disk").derive(form)
    text, latex = str(derivation), derivation.latex()
    assert text.startswith("Disk rolling on a line: ")
    assert "contact: u - r = 0" in text
    assert latex.count("\\begin{align*}") == latex.count("\\end{align*}") >= 2
    assert "\\text{rolling}" in latex
    assert "\\mathrm{rolling}" in derivation._repr_markdown_()


def test_number_of_equations():
    system = example("upright-disk")
    counts = {form: len(system.derive(form).expressions) for form in FORMS}
    assert counts == {
        "multipliers": 4, "minimal": 2, "explicit": 4, "canonical": 8, "independent": 2, "reactions": 4, "quasi": 6,
    }  # fmt: skip


def test_redundancy_is_reported_and_shared_loads_are_not_split():
    derivation = pendulum(constraints=LENGTH).derive("explicit")
    assert derivation.redundant == {"length": ["rod_x", "rod_y"]}
    assert derivation.degrees_of_freedom == 1
    assert derivation.shared == {
        "rod_x": ["rod_y", "length"],
        "rod_y": ["rod_x", "length"],
        "length": ["rod_x", "rod_y"],
    }
    assert derivation.reactions == {}
    assert (
        "the reaction of `rod_x` is not determinate: it shares the load with `rod_y` and `length`" in derivation.notes
    )
    plain = pendulum().derive("explicit")
    names = {**derivation.abbreviations, **plain.abbreviations}
    for ours, theirs in zip(derivation.total_reaction, plain.total_reaction, strict=True):
        assert sp.simplify((ours - theirs).subs(names)) == 0


def test_a_constraint_beside_redundant_ones_keeps_its_reaction():
    system = pendulum(constraints={"hold": "x = 0.5", "a": "y = phi", "b": "2*y = 2*phi"}, initial={})
    derivation = system.derive("multipliers")
    assert set(derivation.reactions) == {"hold"}
    with pytest.raises(DerivationError, match="the reaction of `b` is not determinate: it shares the load with `a`"):
        system.reaction("b")
    with pytest.raises(ModelError, match="no constraint `c`"):
        system.reaction("c")


def test_where_a_choice_holds():
    sphere = System(
        coordinates="x y z",
        kinetic="m*(x'^2 + y'^2 + z'^2)/2",
        constraints={"sphere": "x^2 + y^2 + z^2 = r^2"},
        parameters={"m": 1, "r": 1},
        initial={"x": 0.6, "y": 0.5},
        guess={"z": 1},
    )
    (note,) = [note for note in sphere.derive("minimal").notes if "holds where" in note]
    assert note in ("D holds where x ≠ 0", "D holds where y ≠ 0", "D holds where z ≠ 0")  # no basis holds on all of it
    derivation = example("platform-on-incline").derive("independent", ["x", "phi"])
    assert "independent coordinates: `x` and `phi`" in derivation.notes
    assert "R holds where cos(phi) ≠ 0" in derivation.notes


def test_independent_coordinates_by_name():
    derivation = pendulum().derive("independent", ["x"])
    assert "independent coordinates: `x`" in derivation.notes
    assert derivation.R[2, 0] == 1 / (sp.Symbol("l") * sp.cos(dynamicsymbols("phi")))


@pytest.mark.parametrize(
    ("form", "named", "message"),
    [
        ("minmal", None, "no form `minmal`; did you mean `minimal`?"),
        ("minimal", ["x"], "coordinates are named for the form `independent`, not for `minimal`"),
        ("independent", ["z"], "`z` is no coordinate"),
        ("independent", ["x", "y"], "this system has 1 independent coordinates; 2 were named: `x` and `y`"),
    ],
)
def test_refusals(form, named, message):
    with pytest.raises(DerivationError) as error:
        pendulum().derive(form, named)
    assert message in str(error.value)


def test_dependent_coordinates_are_refused():
    system = System(coordinates="x y z", kinetic="x'^2 + y'^2 + z'^2", constraints={"a": "x = 2*y"})
    with pytest.raises(DerivationError, match="`x` and `y` cannot be varied independently here; name others"):
        system.derive("independent", ["x", "y"])


def test_long_forms_are_sheets_of_steps():
    """What has no end in one formula is a sheet of steps; matrices that nobody would read are numbers."""
    derivation = example("andrews-squeezer").derive("explicit")
    assert len(derivation.expressions) == len(derivation.system.coordinates)
    assert max(map(operations, derivation.abbreviation_expressions.values())) < 300
    assert set(derivation.structure) == {"N", "P"} and "a_u" in derivation.entries
    assert "N at an admissible state (* varies)" in str(derivation)


def test_the_minimal_form_of_a_chain_is_short():
    """Elimination finds D where Gram–Schmidt would be too long: the columns are those of the angles."""
    derivation = example("chain:10").derive("minimal")
    assert derivation.D.shape == (30, 10)
    assert len(derivation.expressions) == 10
    assert derivation.D[2, 0] == 2


def test_long_forces_are_abbreviated_in_reactions():
    """The spring and the damper of the slider-crank enter its reactions as f_q, f_x and f_p."""
    system = example("slider-crank")
    short = system.derive("multipliers").multipliers["guide"].subs(system.derive("multipliers").abbreviations)
    assert {str(symbol) for symbol in short.free_symbols} <= {*system.parameters, "t"}  # also names within names
    derivation = system.derive("multipliers").full()
    assert {"f_q", "f_x", "f_p", "b_1", "W_12", "lambda_slider"} <= set(derivation.abbreviations)
    names = {str(symbol) for symbol in derivation.multipliers["slider"].free_symbols}
    whole = derivation.multipliers["slider"].subs(derivation.abbreviations)
    assert names & set(derivation.abbreviations) and not set(derivation.abbreviations) & set(
        map(str, whole.free_symbols)
    )
    numeric, state = Numeric(system), system.start(initial={"q": 1.0, "q'": 0.4})
    values = numeric.all(0.0, state.q, state.v)
    _, multipliers = solve(values)
    b, known = system.blocks, {}
    for name, expr in derivation.abbreviation_expressions.items():  # each is made of those before it
        known[se.Symbol(name)] = expr.xreplace(known)
    for i, row in enumerate(derivation.reaction_expressions.values()):
        program = Program([b.t, *b.q, *b.v, *b.parameters], [entry.xreplace(known) for entry in row])
        result = program.floats([0.0, *state.q, *state.v, *numeric.parameters])
        assert result == pytest.approx(values.A.toarray()[i] * multipliers[i], abs=1e-9)


def test_the_named_coordinate_is_the_independent_one():
    """x = y + t²: the rows of R of x and y are alike, but ẍ and ÿ are not."""
    system = System(coordinates="x y", kinetic="x'^2/2 + y'^2", constraints={"a": "x = y + t^2"}, forces={"x": "-x"})
    for name, equation in (("y", "3*y'' + x + 2"), ("x", "3*x'' + x - 4")):
        (expr,) = system.derive("independent", [name]).expressions
        assert se.expand(expr - parse(equation, Vocabulary(("x", "y")))) == 0


@pytest.mark.parametrize(
    ("names", "constraint", "coordinates", "note"),
    [
        ("x y z", "(x^2 + y^2)*x' + (x^2 + 2*y^2)*y' + z*z' = 0", None, "D holds"),
        ("x y z", "(x^2 + y^2)*x' + y' + z' = 0", ["y", "z"], "R holds"),
        ("x y z", "tan(x)*y' = z'", None, None),
        ("x y z", "x'/x + y'/y = z'", None, None),
        ("x y z", "exp(x)*y' = z'", ["x", "z"], None),
        ("x y z", "(1 + x^2)*y' = z'", ["x", "z"], None),
    ],
)
def test_where_bases_hold(names, constraint, coordinates, note):
    kinetic = " + ".join(f"{name}'^2" for name in names.split())
    guess = {"x": 0.4, "y": 0.3, "z": 0.7, "x'": 1}
    system = System(coordinates=names, kinetic=kinetic, constraints={"a": constraint}, guess=guess)
    derivation = system.derive("independent", coordinates) if coordinates else system.derive("minimal")
    found = [text for text in derivation.notes if "holds where" in text]
    assert [text.split(" where ")[0] for text in found] == ([] if note is None else [note])


def test_names_of_the_output_give_way_to_those_of_the_system():
    system = System(
        coordinates="x",
        kinetic="x'^2/2",
        potential="p_x*x^2 + r_x*x + lambda_rod*x",
        constraints={"rod": "x = t"},
        parameters={"p_x": 2, "r_x": 3, "lambda_rod": 4},
    )
    assert "lambda_rod_" in str(system.derive("multipliers").expressions[0])
    assert "r_x_" in str(system.derive("reactions").expressions[0])
    assert "p_x_" in str(system.derive("canonical").entries["H"][0][0])
    dotted = pendulum(constraints={"A.x": "x = l*sin(phi)"})
    assert "lambda_A_x" in str(dotted.derive("multipliers").expressions[0])


def test_loads_are_shared_by_all_that_can_pass_them_on():
    constraints = {"a": "x = y", "b": "2*x = 2*y", "c": "3*x = 3*y", "d": "z = 1"}
    system = System(coordinates="x y z", kinetic="x'^2 + y'^2 + z'^2", constraints=constraints)
    assert system.derive().shared == {"a": ["b", "c"], "b": ["a", "c"], "c": ["a", "b"]}


@pytest.mark.parametrize("kinetic", ["x'^2/2", "x'*y'"])
@pytest.mark.parametrize("form", ["multipliers", "minimal", "independent", "explicit"])
def test_undetermined_accelerations_are_refused(kinetic, form):
    system = System(coordinates="x y", kinetic=kinetic, potential="x^2 + y^2")
    with pytest.raises(DerivationError, match="positive"):
        system.derive(form)


def test_parameters_near_the_edge_of_their_domain():
    system = System(
        coordinates="x y z",
        kinetic="x'^2 + y'^2 + z'^2",
        parameters={"a": 1.01},
        constraints={"a": "x''*sqrt(a - 1.0001) + y'' = z''", "b": "x = t"},
    )
    assert system.derive("minimal").degrees_of_freedom == 1


def test_decimals_are_not_split():
    derivation = System(coordinates="x", kinetic="x'^2/2", potential="3.14*x^2 + 1.07*x").derive("explicit")
    assert derivation.as_dict()["equations"] == ["x'' + 6.28*x + 1.07 = 0"]


def test_state_of_nonholonomic_systems():
    notes = example("rod-with-knife-edge").derive("independent").notes
    assert any(note.startswith("the state is 3 positions, ") and "and 2 velocities" in note for note in notes)
    assert not any("the state is" in note for note in pendulum().derive("independent").notes)


def test_large_systems_are_answered_at_once():
    derivation = example("chain:40").derive("minimal")
    assert derivation.notes[0].startswith(
        "with 200 unknowns (coordinates and multipliers; the limit is 60) no formulas"
    )
    assert len(example("chain:40").derive("multipliers").expressions) == 120
    assert len(derivation.structure["r"]) == 120


def test_without():
    system = pendulum()
    assert [c.name for c in system.without("rod_y").constraints] == ["rod_x"]
    with pytest.raises(ModelError, match="no constraint `rod`"):
        system.without("rod")


def test_no_constraints():
    derivation = example("double-pendulum").derive("minimal")
    assert sp.eye(2) == derivation.D
    assert derivation.reactions == {}


ALL = ["multipliers", "minimal", "independent", "explicit", "canonical", "reactions"]


@pytest.mark.parametrize("form", ALL)
@pytest.mark.parametrize(
    ("kinetic", "constraint", "reaction"),
    [
        ("x'^2/2", "y = 0.3", ["0", "-2"]),  # y has no inertia
        ("x'^2/2", "y = 0.5*x + sin(t)", ["1", "-2"]),
        ("x'*y'", "y = 3*x", ["3/2", "-1/2"]),  # indefinite, but not where it can move
        ("x'^2/2 - y'^2/4", "x = y", ["7", "-7"]),
    ],
)
def test_constraints_make_up_for_what_the_mass_matrix_lacks(form, kinetic, constraint, reaction):
    system = System("x y", kinetic=kinetic, forces={"x": "3", "y": "2"}, constraints={"a": constraint})
    derivation = system.derive(form)
    assert [str(r) for r in derivation.reactions["a"]] == reaction
    if form != "reactions":
        exact = system.simulate(2, form="multipliers", rtol=1e-10)
        run = system.simulate(2, form=form, rtol=1e-10)
        assert run.certificate.ok
        assert run["x"][-1] == pytest.approx(exact["x"][-1], rel=1e-8)


def test_a_momentum_that_only_a_nonlinear_constraint_determines_is_refused():
    system = System(
        "x y", kinetic="x'^2/2", potential="x", constraints={"a": "y'^2 = x'^2 + 1"}, initial={"x'": 1, "y'": 2}
    )
    with pytest.raises(DerivationError, match="`a`, which is not linear in the velocities"):
        system.derive("canonical")


def test_plain_decimals():
    """Factors that differ only in large numbers cannot be put in order by flint."""
    rod = Mechanism(
        bodies={"rod": {"mass": 1.3, "inertia": 0.12, "at": [0.35, 0]}},
        joints={"A": {"kind": "revolute", "bodies": ["ground", "rod"], "at": [0, 0]}},
    )
    for form in ALL:
        assert "A.x" in rod.derive(form).reactions
    assert "0000000" not in str(rod.derive("minimal").equations)


def test_reactions_are_found_once(monkeypatch):
    """Forms without multipliers of their own ask for the same formulas."""
    solved, solve_reactions = [], Reactions.solve

    def counting(self, rows, pilot):
        if isinstance(rows.arithmetic, Field):
            solved.append(rows)
        return solve_reactions(self, rows, pilot)

    monkeypatch.setattr(Reactions, "solve", counting)
    system = pendulum()
    first = system.derive("minimal").reactions
    count = len(solved)
    assert count and system.derive("independent").reactions.keys() == first.keys()
    assert system.derive("reactions").reactions.keys() == first.keys()
    assert len(solved) == count


def test_every_name_in_the_equations_says_what_it_stands_for():
    """Also where the reactions, which are found afterwards, have no formula or need no names."""
    tree = Mechanism(
        bodies={
            "a": {"mass": "m", "inertia": 0.307, "at": [0.12, -0.14], "angle": -0.862, "centre": [-0.18, 0.08]},
            "b": {"mass": 1.29, "inertia": 0.169, "at": [0.2, -0.365], "angle": -1.07, "centre": [-0.13, -0.09]},
            "c": {"mass": 1.98, "inertia": 0.093, "at": [0.65, -0.66], "centre": [-0.12, 0.04]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
            "B": {"kind": "revolute", "bodies": ["ground", "b"], "at": [0, 0]},
            "C": {"kind": "revolute", "bodies": ["a", "c"], "at": [0.3, -0.35]},
        },
        springs={
            "tie": {"bodies": ["ground", "b"], "points": [[1.1, -0.7], [0, 0]], "stiffness": 31.7, "damping": 0.4}
        },
        parameters={"m": 1.82},
    )
    for form in FORMS:
        derivation = tree.derive(form)
        written = [*derivation.expressions, *(e for m in derivation.entries.values() for row in m for e in row)]
        used = {symbol.name for expr in (*written, *derivation.total_expressions) for symbol in expr.free_symbols}
        own = {name for name in used if name.startswith(("c_", "f_"))}
        assert own <= derivation.abbreviations.keys(), (form, own)


@pytest.mark.parametrize("form", ["multipliers", "explicit", "canonical", "independent", "reactions"])
def test_what_is_solved_is_what_the_kernel_computes(form):
    """`"solved"` has x'' = …, p_x' = … and λ = …, by names that are explained."""
    system = example("pendulum")
    data = system.derive(form).as_dict()
    run = system.simulate(0.1)
    known = {"t": float(run.t[-1]), **system.parameters}
    for name in system.coordinates:
        known |= {name: run[name][-1], f"{name}'": run[f"{name}'"][-1], f"{name}''": run[f"{name}''"][-1]}
    known |= {"p_x": known["m"] * known["x'"], "p_y": known["m"] * known["y'"], "p_phi": known["J"] * known["phi'"]}
    known |= {
        "p_x'": known["m"] * known["x''"],
        "p_y'": known["m"] * known["y''"],
        "p_phi'": known["J"] * known["phi''"],
    }
    known |= {f"lambda_{name}": run.multipliers[name][-1] for name in ("rod_x", "rod_y")}
    known |= {"r_x": known["lambda_rod_x"], "r_y": known["lambda_rod_y"] + 0.0}
    found = {}
    for name, text in (*data["abbreviations"].items(), *(line.split(" = ", 1) for line in data["solved"])):
        found[name] = float(value(text, {**known, **found}))
    solved = [line.split(" = ")[0] for line in data["solved"]]
    assert "lambda_rod_x" in solved
    assert {"explicit": "phi''", "canonical": "p_phi'", "independent": "phi''", "reactions": "r_x"}.get(
        form, "lambda_rod_y"
    ) in solved
    for name in solved:
        if name in known:
            assert found[name] == pytest.approx(known[name], abs=1e-7)
