"""What the check says, sentence by sentence."""

from __future__ import annotations

import json

import pytest

from dalembert import Mechanism, ModelError, System, example, loads
from tests.conftest import pendulum


def sentences(system: System) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"error": [], "warning": [], "note": []}
    for problem in system.check().problems:
        found[problem.severity].append(problem.text)
    return found


REPEATED = {"Bricard's linkage": 1, "Four-bar linkage in space": 3}  # conditions that follow from others


def test_counts_of_the_gallery(model):
    outcome = model.check()
    assert outcome.ok
    assert len(outcome.redundancies) == REPEATED.get(model.name, 0)
    assert outcome.degrees_of_freedom == len(model.coordinates) - outcome.rank
    assert outcome.rank == len(model.constraints) - len(outcome.redundancies)
    assert outcome.state is not None


LENGTH = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "length": "x^2 + y^2 = l^2"}


def test_redundancy_on_the_manifold():
    outcome = pendulum(constraints=LENGTH).check()
    assert outcome.ok
    assert (outcome.rank, outcome.degrees_of_freedom) == (2, 1)
    assert outcome.as_dict()["redundant"] == {"length": ["rod_x", "rod_y"]}
    text = "redundant: `length` follows from `rod_x` and `rod_y` (where these hold; not as an identity)"
    assert [p.text for p in outcome.problems if "redundant" in p.text] == [text]


def test_redundancy_as_an_identity():
    twice = {"rod_x": "x = l*sin(phi)", "rod_y": "y = -l*cos(phi)", "again": "3*x = 3*l*sin(phi)"}
    assert sentences(pendulum(constraints=twice))["note"][-1] == "redundant: `again` follows from `rod_x`"


def test_redundancy_for_these_values_only():
    parameters = {"m": 1, "J": 0.1, "l": 1, "g": 9.81, "L": 1}
    system = pendulum(constraints={**LENGTH, "length": "x^2 + y^2 = L^2"}, parameters=parameters)
    assert sentences(system)["note"][-1].endswith("; this holds only for the present values of `l` and `L`")


def parallelogram(**values: float) -> System:
    """A platform on three parallel cranks: one of them is too many, and allowed only because they are equal."""
    return System(
        coordinates="x y th",
        kinetic="m*(x'^2 + y'^2)/2 + J*th'^2/2",
        constraints={
            "A": "(x - d*cos(th) + d)^2 + (y - d*sin(th))^2 = a^2",
            "B": "x^2 + y^2 = b^2",
            "C": "(x + d*cos(th) - d)^2 + (y + d*sin(th))^2 = c^2",
        },
        parameters={"m": 1, "J": 0.1, "a": 1, "b": 1, "c": 1, "d": 0.5, **values},
        initial={"x": 0.6, "x'": 1},
        guess={"y": -1},
    )


def test_overconstrained_like_bricard():
    outcome = parallelogram().check()
    assert outcome.degrees_of_freedom == 1
    (redundancy,) = outcome.redundancies
    assert str(redundancy) == (
        "`C` follows from `A` and `B` (where these hold; not as an identity); "
        "this holds only for the present values of `a`, `b` and `c`"
    )


def test_unequal_cranks_have_no_freedom():
    outcome = parallelogram(c=1.001).check()
    assert not outcome.redundancies
    assert outcome.degrees_of_freedom in (0, None)


def test_contradiction_is_named_with_its_residual():
    system = pendulum(constraints={"a": "x = 1", "b": "x = 2", "c": "phi = y"}, initial={})
    (text,) = sentences(system)["error"]
    assert text.startswith("constraints `a` and `b` contradict each other: `a` is off by 0.5, `b` is off by -0.5")


def test_constraint_that_cannot_hold():
    (text,) = sentences(pendulum(constraints={"a": "x^2 + y^2 = -l"}, initial={}))["error"]
    assert text.startswith("constraint `a` cannot be satisfied: `a` is off by 1 at the best point found")


def test_contradictory_accelerations():
    system = pendulum(constraints={"still": "x = 1", "pushed": "x'' = 2"}, initial={})
    (text,) = sentences(system)["error"]
    assert text.startswith(
        "`still` and `pushed` ask for different accelerations: `still` is off by -1, `pushed` is off by 1"
    )


@pytest.mark.parametrize("later", ["x = t^3", "x' = t^2", "x = t^10"])
def test_contradiction_that_comes_with_time(later):
    system = System(coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints={"a": "x = 0", "b": later})
    outcome = system.check()
    (text,) = [problem.text for problem in outcome.problems if problem.severity == "error"]
    assert text.startswith("constraints `a` and `b` contradict each other: `a` is off by ")
    assert "at the best compromise found for t = 0.1. " in text
    assert (outcome.rank, outcome.redundancies) == (None, ())
    with pytest.raises(ModelError, match="constraints `a` and `b` contradict each other"):
        system.derive("minimal")


@pytest.mark.parametrize("constraint", ["x^3 = t", "x = t^3", "x^2 + y^2 = t"])
def test_what_holds_at_later_times_is_no_contradiction(constraint):
    """Even if the start is singular."""
    system = System(coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints={"a": constraint})
    assert not any("contradict" in text or "t = " in text for text in sentences(system)["error"])


def test_redundant_motions_need_not_agree_to_the_last_digit():
    constraints = {"a": "x = 0", "b": "x = y - 30*sqrt(1.1 + t)", "c": "y^2 = 900*(1.1 + t)"}
    system = System(coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints=constraints, guess={"y": 30})
    assert system.check().as_dict()["redundant"] == {"c": ["a", "b"]}


def test_contradictory_initial_values_have_their_line():
    text = str(example("pendulum")).replace("phi = 1.0", "phi = 1.0\nx = 0.5")
    outcome = loads(text, "p.toml").check()
    (problem,) = [p for p in outcome.problems if p.severity == "error"]
    assert problem.text.startswith("the initial values x = 0.5, phi = 1 contradict `rod_x`: `rod_x` is off by -0.341")
    assert problem.line == text[: text.index("x = 0.5")].count("\n") + 1
    assert outcome.degrees_of_freedom == 1  # the rest of the check goes on


def test_singular_initial_position():
    """Two particles on a slotted cross: at x = y = 0 the constraint has no slope."""
    system = System(
        coordinates="x y", kinetic="x'^2 + y'^2", constraints={"cross": "x*y = 0"}, initial={"x": 0, "y": 0}
    )
    (text,) = sentences(system)["warning"]
    assert text == "the initial position is singular: the constraints have rank 0 there and 1 nearby"


def test_singular_mass_is_fine_where_constraints_hold():
    assert example("heavy-top").check().ok
    assert sentences(example("moved-pendulum"))["note"] == ["`phi` has no inertia"]


def test_singular_mass_where_motion_is_free():
    system = System(coordinates="x y", kinetic="(x' + y')^2/2", constraints={})
    (text,) = sentences(system)["error"]
    assert text.startswith("no inertia against a motion of `x` and `y` that the constraints allow")


def test_negative_inertia():
    (text,) = sentences(System(coordinates="x", kinetic="-x'^2"))["error"]
    assert text.startswith("negative inertia against a motion of `x`")


def test_asymmetric_mass():
    system = System(coordinates="x y", mass=[["1", "0"], ["1", "1"]], force=["0", "0"])
    assert sentences(system)["error"] == ["the mass matrix is not symmetric: entries (x, y) and (y, x) differ"]


def test_asymmetric_mass_of_a_light_part():
    mass = [["1e6", "0", "0"], ["0", "1e-3", "5e-4"], ["0", "0", "1e-3"]]
    system = System(coordinates="x y z", mass=mass, force=["0", "0", "1"])
    assert sentences(system)["error"] == ["the mass matrix is not symmetric: entries (y, z) and (z, y) differ"]


def test_rounding_does_not_make_a_mass_asymmetric():
    mass = [["1e6", "0.1*x + 0.2*x"], ["0.3*x", "1e3"]]
    system = System(coordinates="x y", mass=mass, force=["0", "0"], initial={"x": 0.7})
    assert sentences(system)["error"] == []


def test_unused_parameter():
    system = pendulum(parameters={"m": 1, "J": 0.1, "l": 1, "g": 9.81, "k": 3})
    assert sentences(system)["warning"] == ["parameter `k` is not used"]


def test_parameters_without_values():
    system = pendulum(parameters=dict.fromkeys("mJlg"))
    assert sentences(system)["note"][0] == "`m`, `J`, `l` and `g` have no value: random ones were used for this check"


def test_not_finite():
    system = System(coordinates="x", kinetic="x'^2/2", potential="sqrt(x - 5)")
    (text,) = sentences(system)["error"]
    assert text.startswith("the equations of `x` are not finite at the initial state")
    outcome = system.check()
    assert (outcome.rank, outcome.degrees_of_freedom) == (None, None)
    assert "degree" not in str(outcome)


@pytest.mark.parametrize(
    "force", ["-p0*A*((1 - x/h)^(-1.4) - 1)", "-sqrt(x + 0.001)", "1/(x - 0.05)"], ids=["gas spring", "root", "pole"]
)
def test_what_is_not_finite_elsewhere_is_no_mistake(force):
    parameters = {"p0": 1e5, "A": 1e-3, "h": 0.2}
    system = System(coordinates="x", kinetic="x'^2/2", forces={"x": force}, parameters=parameters)
    assert system.check().ok


def test_inertia_that_vanishes_at_the_start():
    system = System(coordinates="r th", kinetic="(r'^2 + r^2*th'^2)/2")
    (text,) = sentences(system)["error"]
    assert text.startswith("no inertia against a motion of `th`")


def test_light_parts_have_inertia():
    system = System(
        coordinates="x phi h",
        kinetic="m*x'^2/2 + J*phi'^2/2",
        constraints={"c": "h = phi"},
        parameters={"m": 5e4, "J": 1e-8},
    )
    assert system.check().ok


def cranks(a: float) -> System:
    """A platform on three parallel cranks, in the angles of the cranks and of the platform."""
    return System(
        coordinates="a b c d",
        kinetic="a'^2 + b'^2 + c'^2 + d'^2",
        constraints={
            "x1": "cos(a) + 2*cos(b) - cos(c) = 2",
            "y1": "sin(a) + 2*sin(b) - sin(c) = 0",
            "x2": "cos(a) + cos(b) - cos(d) = 1",
            "y2": "sin(a) + sin(b) - sin(d) = 0",
        },
        initial={"a": a},
        guess={"c": a, "d": a},
    )


@pytest.mark.parametrize("a", [0.05, 0.1, 0.2, 0.3, 0.5, 1.0])
def test_rank_near_singular_positions(a):
    outcome = cranks(a).check()
    assert (outcome.rank, outcome.degrees_of_freedom) == (3, 1)
    assert [r.name for r in outcome.redundancies] == ["y2"]


def test_redundancy_blames_only_its_own_parameters():
    system = System(
        coordinates="x y",
        kinetic="x'^2 + y'^2",
        constraints={"a1": "x = p", "a2": "x = r", "b1": "y = k", "b2": "2*y = 2*k"},
        parameters={"p": 1, "r": 1, "k": 1},
    )
    texts = [str(r) for r in system.check().redundancies]
    assert texts == [
        "`a2` follows from `a1`; this holds only for the present values of `p` and `r`",
        "`b2` follows from `b1`",
    ]


def test_velocities_too_can_agree_by_their_values_only():
    system = System(
        coordinates="x y",
        kinetic="x'^2 + y'^2",
        constraints={"a": "x' = p", "b": "x' = r"},
        parameters={"p": 1, "r": 1},
    )
    assert str(system.check().redundancies[0]).endswith("only for the present values of `p` and `r`")


def test_the_stronger_condition_comes_first():
    system = System(coordinates="x y", kinetic="x'^2 + y'^2", constraints={"vel": "x' = 0", "pos": "x = 1"})
    assert system.check().as_dict()["redundant"] == {"vel": ["pos"]}


def test_a_contradiction_is_not_called_redundant():
    system = System(coordinates="x y", kinetic="x'^2 + y'^2", constraints={"p": "x = sin(t)", "c": "x'' = 0"})
    outcome = system.check()
    assert not outcome.ok
    assert outcome.redundancies == ()


IDENTITIES = [
    "(x + y)^2 = x^2 + 2*x*y + y^2",
    "1e-9*x*(x + y)^2 = 1e-9*x*(x^2 + 2*x*y + y^2)",
    "y*((x + y)^2 - x^2 - 2*x*y - y^2) = 0",
    "sin(2*x) = 2*sin(x)*cos(x)",
    "(x + y)*x' = x*x' + y*x'",
]


@pytest.mark.parametrize("identity", IDENTITIES)
def test_a_constraint_that_is_always_true_takes_no_freedom(identity):
    """All that is left of its row is rounding."""
    guess = {"x": 1.3, "y": 0.4, "x'": 1}
    system = System(coordinates="x y", kinetic="(x'^2 + y'^2)/2", constraints={"a": identity}, guess=guess)
    outcome = system.check()
    assert outcome.ok
    assert (outcome.rank, outcome.degrees_of_freedom) == (0, 2)
    assert [str(r) for r in outcome.redundancies] == ["`a` is always true"]
    assert len(system.derive("minimal").expressions) == 2


def test_always_true_for_these_values_only():
    parameters = {"p": 2, "r": 2}
    system = System(coordinates="x", kinetic="x'^2", constraints={"a": "p*x = r*x"}, parameters=parameters)
    (redundancy,) = system.check().redundancies
    assert str(redundancy) == "`a` is always true; this holds only for the present values of `p` and `r`"


def test_units_of_coordinates_do_not_matter():
    for l in (1e-6, 1e9):
        system = pendulum(parameters={"m": 1, "J": 0.1 * l * l, "l": l, "g": 9.81})
        assert system.check().redundancies == ()
        assert system.check().rank == 2


def test_combinations_can_be_integrable():
    """Two wheels on one axle: their difference turns the axle, which no constraint alone says."""
    system = System(
        coordinates="x y phi w1 w2",
        kinetic="x'^2 + y'^2 + phi'^2 + w1'^2 + w2'^2",
        constraints={
            "side": "-x'*sin(phi) + y'*cos(phi) = 0",
            "left": "x'*cos(phi) + y'*sin(phi) - b*phi' = r*w1'",
            "right": "x'*cos(phi) + y'*sin(phi) + b*phi' = r*w2'",
        },
        parameters={"b": 0.4, "r": 0.2},
    )
    assert "a combination of `left` and `right` is integrable, though none of them is" in sentences(system)["note"]


def test_combinations_whose_parts_vary_from_place_to_place():
    """a + b is d(z + w + u²v) = 0."""
    system = System(
        coordinates="x y z w u v",
        kinetic="x'^2 + y'^2 + z'^2 + w'^2 + u'^2 + v'^2",
        constraints={"a": "z' = y*x'", "b": "w' + y*x' + 2*u*v*u' + u^2*v' = 0"},
        guess={"y": 1, "u": 2, "v": 1},
    )
    assert "a combination of `a` and `b` is integrable, though none of them is" in sentences(system)["note"]


def particles(count: int, constraints: dict[str, str]) -> System:
    names = [f"x{i}" for i in range(count)]
    return System(coordinates=names, kinetic=" + ".join(f"{name}'^2" for name in names), constraints=constraints)


def test_integrability_in_large_systems():
    """No matrix of the size of the system is filled: at this size it would not fit into memory."""
    outcome = particles(3000, {"c": "x0' = x1*x2'"}).check()
    assert (outcome.rank, outcome.classes["c"]["integrable"]) == (1, False)


def test_integrability_of_many_constraints():
    outcome = particles(200, {f"c{i}": f"x{i}' = x{i + 1}*x{i + 1}'" for i in range(100)}).check()
    assert outcome.rank == 100
    assert all(kind["integrable"] for kind in outcome.classes.values())


def test_rounding_does_not_make_a_constraint_nonholonomic():
    system = System(
        coordinates="x y phi",
        kinetic="x'^2 + y'^2 + phi'^2",
        constraints={"a": "(cos(2*phi) + 2*sin(phi)^2)*x' = y'"},
        initial={"phi": 0.3},
    )
    assert system.check().as_dict()["classes"]["a"]["integrable"] is True


def test_velocities_inside_abs():
    system = System(coordinates="x y", kinetic="m*(abs(x')^2 + y'^2)/2", parameters={"m": 2})
    assert system.check().ok


def test_kinetic_energy_of_higher_degree_is_reported():
    assert sentences(System(coordinates="x", kinetic="x'^4"))["error"][0].startswith(
        "the kinetic energy is not quadratic"
    )


INTEGRABLE = [
    ("x y", {"a": "x*y' + y*x' = 0"}, {"a": True}),
    ("x y z", {"a": "z' = y*x'"}, {"a": False}),
    ("x y z", {"a": "z' = y*x'", "b": "x' = t"}, {"a": False, "b": True}),
    ("x y z", {"a": "z' = y*x'", "b": "y = 2*x"}, {"a": True, "b": None}),
    ("x y", {"a": "x' = y"}, {"a": False}),
    ("x y", {"a": "x'^2 + y'^2 = 1"}, {"a": None}),
    ("x y p h", {"a": "x' = p'*cos(h)", "b": "y' = p'*sin(h)"}, {"a": False, "b": False}),
    (
        "x y p h",
        {"a": "x' = p'*cos(h)", "b": "y' = p'*sin(h)", "c": "h' = 0"},
        {"a": True, "b": True, "c": True},
    ),
    ("x y p h", {"a": "x' = p'*cos(h)", "c": "p' = 0"}, {"a": True, "c": True}),
    ("x", {"a": "x' = t*x"}, {"a": True}),
    ("x y", {"a": "x' = 2*y'"}, {"a": True}),
]


@pytest.mark.parametrize(("names", "constraints", "expected"), INTEGRABLE)
def test_integrability(names, constraints, expected):
    kinetic = " + ".join(f"{name}'^2" for name in names.split())
    system = System(coordinates=names, kinetic=kinetic, constraints=constraints, guess={"x": 0.7})
    classes = system.check().as_dict()["classes"]
    assert {name: entry["integrable"] for name, entry in classes.items()} == expected


def test_classes():
    system = System(
        coordinates="x y",
        kinetic="x'^2 + y'^2",
        constraints={
            "line": "x = 2*y + t",
            "curve": "x = y^2",
            "rolls": "x' = y*y'",
            "cone": "x'^2 = y'^2",
            "servo": "x'' = y*y'",
        },
    )
    expected = {
        "line": ("position", True, True),
        "curve": ("position", False, False),
        "rolls": ("velocity", True, False),
        "cone": ("velocity", False, False),
        "servo": ("acceleration", True, False),
    }
    assert {c.name: (c.level, c.linear, c.time) for c in system.constraints} == expected


def test_json_is_plain():
    outcome = pendulum(constraints=LENGTH).check().as_dict()
    assert json.loads(json.dumps(outcome)) == outcome
    assert list(outcome) == [
        "coordinates",
        "constraints",
        "rank",
        "degrees_of_freedom",
        "redundant",
        "classes",
        "problems",
        "integrals",
    ]
    assert set(outcome["problems"][0]) == {"severity", "text", "line"}


def test_reads_well():
    assert str(pendulum(constraints=LENGTH, initial={"phi": 1, "phi'": 0}, name="P").check()).split("\n") == [
        "P",
        "  3 coordinates, 3 constraints of rank 2: 1 degree of freedom",
        "  rod_x, rod_y, length: on positions (holonomic)",
        "  note: redundant: `length` follows from `rod_x` and `rod_y` (where these hold; not as an identity)",
        "  initial state: x = 0.841471, y = -0.540302, phi = 1, x' = 0, y' = 0, phi' = 0",
        "First integrals",
        "  energy = (J*phi'^2 + m*(x'^2 + y'^2 + 2*g*y))/2    (the energy T + V)",
    ]


def test_integrals_are_told():
    """Where they are quickly found, and nothing contradicts itself."""
    kepler = System(
        "r phi", kinetic="m*(r'^2 + r^2*phi'^2)/2", potential="-k/r", parameters={"m": 1, "k": 1}, initial={"r": 1}
    )
    found = kepler.check()
    assert list(found.as_dict()["integrals"]) == ["energy", "p_phi"]
    assert found.as_dict()["integrals"]["p_phi"]["value"] == "m*r^2*phi'"
    assert "p_phi = m*r^2*phi'    (the momentum of `phi`)" in str(found)
    driven = System("x", kinetic="x'^2/2", forces={"x": "-x'^3"}).check()
    assert driven.as_dict()["integrals"] == {} and "integral" not in str(driven)
    assert pendulum(initial={"phi": 1, "x": 0}).check().as_dict()["integrals"] is None
    assert example("planar-chain:10").check().integrals is None


def test_units_and_row_scales_do_not_matter():
    scaled = {
        "rod_x": "1e-6*x = 1e-6*l*sin(phi)",
        "rod_y": "1e5*y = -1e5*l*cos(phi)",
        "length": "x^2 + y^2 = l^2",
    }
    for l in (1e-4, 1.0, 1e4):
        system = pendulum(constraints=scaled, parameters={"m": 1, "J": 0.1 * l * l, "l": l, "g": 9.81})
        assert system.check().as_dict()["redundant"] == {"length": ["rod_x", "rod_y"]}


def test_an_energy_without_value_is_named_though_its_slope_has_one():
    system = System("x", kinetic="x'^2/2", potential="log(x)", initial={"x": -1.0})
    [text] = sentences(system)["warning"]
    assert "potential energy has no finite value" in text


def test_small_values_that_were_given_are_shown_beside_large_ones():
    system = System("x y", kinetic="(x'^2 + y'^2)/2", initial={"x": 1e-6, "y'": 1e9})
    assert "initial state: x = 1e-06, y = 0, x' = 0, y' = 1e+09" in str(system.check())


def test_all_coordinates_without_inertia_are_named():
    names = [f"x{i}" for i in range(10)]
    system = System(names, kinetic="x0'^2", constraints={f"c{i}": f"x{i} = 0.3*x0" for i in range(1, 10)})
    (note,) = (p.text for p in system.check().problems if "no inertia" in p.text)
    assert "`x1`" in note and "`x9`" in note


def test_a_massless_coupler_between_ball_joints_is_named():
    """It turns about its own line; with a universal pair at one end it is held, and the mechanism moves."""

    def linkage(kind: str) -> Mechanism:
        ball = {"kind": "spherical"}
        return Mechanism(
            dimensions=3,
            bodies={
                "crank": {"mass": 1, "inertia": [0.001, 0.01, 0.01], "at": [0, 0.05, 0]},
                "coupler": {"mass": 0, "at": [0.2, 0.05, 0.15]},
                "rocker": {"mass": 2, "inertia": [0.02, 0.02, 0.002], "at": [0.4, 0, 0.15]},
            },
            joints={
                "A": {"kind": "revolute", "bodies": ["ground", "crank"], "at": [0, 0, 0], "axis": [1, 0, 0]},
                "B": {"kind": kind, "bodies": ["crank", "coupler"], "at": [0, 0.1, 0]},
                "C": ball | {"bodies": ["coupler", "rocker"], "at": [0.4, 0, 0.3]},
                "D": {"kind": "revolute", "bodies": ["ground", "rocker"], "at": [0.4, 0, 0], "axis": [0, 1, 0]},
            },
        )

    text = str(linkage("spherical").check())
    assert "`coupler` can turn about the line through its joints `B` and `C`, and has no inertia against that" in text
    assert "`universal` pair in place of one of the joints, or a `rod` in place of all three" in text
