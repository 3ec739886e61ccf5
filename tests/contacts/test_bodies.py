"""Contacts between the bodies of a mechanism, against closed forms and against the same contacts as gaps."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, example, load, loads
from tests.contacts.seen import kinds, times

WHEEL = {"wheel": {"mass": 2.0, "inertia": 0.09, "at": [0, 0.3], "velocity": [3, 0]}}
FLOOR = {"bodies": ["ground", "wheel"], "radius": 0.3, "friction": 0.2}


def test_a_wheel_that_slides_rolls_in_the_end():
    run = Mechanism(bodies=WHEEL, contacts={"floor": FLOOR}).simulate(1)
    assert times(run, "stick") == pytest.approx([3 / (3 * 0.2 * 9.81)], rel=1e-9)
    assert run["x_wheel'"][-1] == pytest.approx(2, rel=1e-9) and run.certificate.ok


def test_a_point_leaves_a_circle_on_which_it_slides():
    """From rest, or nearly, at two thirds of the height."""
    run = Mechanism(
        bodies={"bead": {"kind": "particle", "mass": 0.37, "at": [0, 1.5], "velocity": [1e-4, 0]}},
        contacts={"hill": {"bodies": ["ground", "bead"], "against": {"kind": "circle", "radius": 1.5}}},
    ).simulate(6)
    left = run.events[0]
    assert left.kind == "open" and left.q[1] == pytest.approx(1.5 * (2 / 3 + 1e-8 / (3 * 9.81 * 1.5)), rel=1e-9)


def test_a_disk_rolls_through_a_bowl():
    """Released at an angle a it presses on the lowest point with m g (7 − 4 cos a)/3."""
    a, r, R, m = 0.7, 0.15, 1.2, 1.7
    run = Mechanism(
        bodies={
            "disk": {"mass": m, "inertia": m * r**2 / 2, "at": [float((R - r) * np.sin(a)), float(-(R - r) * np.cos(a))]}
        },
        contacts={
            "bowl": {
                "bodies": ["ground", "disk"], "radius": r, "friction": 0.5,
                "against": {"kind": "circle", "radius": R, "inside": True},
            }
        },
        events={"lowest": {"when": "x_disk = 0", "direction": "down", "stop": True}},
    ).simulate(3, rtol=1e-11, atol=1e-13)  # fmt: skip
    assert run.status == "stopped" and run["bowl.sticks"][-1] == 1
    assert run["bowl.normal"][-1] == pytest.approx(m * 9.81 * (7 - 4 * np.cos(a)) / 3, rel=1e-8)


def test_a_block_on_a_plank_takes_it_along():
    """Both end with m v/(m + M), after v M/(μ g (m + M)); the guide carries the moment."""
    m, M, mu, v = 0.8, 2.3, 0.35, 1.9
    run = Mechanism(
        bodies={
            "plank": {"mass": M, "inertia": 0.4, "at": [0, 0]},
            "block": {"kind": "particle", "mass": m, "at": [-0.5, 0.1], "velocity": [v, 0]},
        },
        joints={"guide": {"kind": "prismatic", "bodies": ["ground", "plank"], "at": [0, 0], "axis": [1, 0]}},
        contacts={"top": {"bodies": ["plank", "block"], "points": [[0, 0.1], [0, 0]], "friction": mu}},
        initial={"x_plank'": 0},
    ).simulate(1)
    assert times(run, "stick") == pytest.approx([v * M / (mu * 9.81 * (m + M))], rel=1e-9)
    assert run["x_plank'"][-1] == pytest.approx(m * v / (m + M), rel=1e-9)
    assert run.joint("guide").force[0] == pytest.approx([0, (m + M) * 9.81], abs=1e-9)


PENDULUM = """
format = 1
[mechanism]
coordinates = "{coordinates}"
[bodies.upper]
mass = 1.2
inertia = 0.03
at = [0.25, 0]
[bodies.lower]
mass = 0.8
inertia = 0.02
at = [0.75, 0]
[joints.A]
kind = "revolute"
bodies = ["ground", "upper"]
at = [0, 0]
[joints.B]
kind = "revolute"
bodies = ["upper", "lower"]
at = [0.5, 0]
[contacts.wall]
bodies = ["ground", "lower"]
points = [[-0.1, 0], [0.25, 0]]
radius = 0.02
against = {{kind = "line", axis = [0, -1]}}
restitution = 0.6
{further}
"""


@pytest.mark.parametrize("further", ["", "friction = 0.25"])
def test_a_double_pendulum_hits_a_wall_in_all_coordinates(further):
    runs = [
        loads(PENDULUM.format(coordinates=name, further=further)).simulate(2, samples=41, rtol=1e-10, atol=1e-12)
        for name in ("absolute", "joints", "angles")
    ]
    first, *others = runs
    assert first.impacts and all(run.certificate.ok for run in runs)
    for run in others:
        assert kinds(run) == kinds(first)
        assert run.impacts[0].constraints == pytest.approx(first.impacts[0].constraints, rel=1e-8)
        assert [event.t for event in run.events] == pytest.approx([event.t for event in first.events], abs=1e-8)
        for name in "AB":
            assert run.joint(name).size == pytest.approx(first.joint(name).size, rel=1e-6)


def test_impulses_go_through_joints():
    """What the wall gives to the lower bar, less what it takes on, the joint B gives to the upper one, and A holds."""
    run = loads(PENDULUM.format(coordinates="absolute", further="")).simulate(1)
    impact = run.impacts[0]
    place = int(np.searchsorted(run.t, impact.t))
    change = run.v[place + 1] - run.v[place]
    assert impact.constraints["B.x"] + impact.normal["wall"] == pytest.approx(0.8 * change[3], rel=1e-9)
    assert impact.constraints["A.x"] - impact.constraints["B.x"] == pytest.approx(1.2 * change[0], rel=1e-9)


def test_spheres_in_space():
    """A ball falls on a plane that slopes, another on a ball that lies: of equal masses they exchange what is normal."""
    ball = {"mass": 0.4, "inertia": [0.001, 0.001, 0.001]}
    slope = {
        "bodies": ["ground", "a"],
        "radius": 0.1,
        "against": {"kind": "plane", "axis": [1, 0, 1]},
        "restitution": 1,
    }
    run = Mechanism(bodies={"a": {**ball, "at": [0, 0, 1.1]}}, contacts={"s": slope}, dimensions=3).simulate(0.5)
    way = 1.1 - 0.1 * 2**0.5
    assert times(run, "impact")[0] == pytest.approx((2 * way / 9.81) ** 0.5, rel=1e-11)
    assert run.v[np.searchsorted(run.t, run.impacts[0].t) + 1][2] == pytest.approx(0, abs=1e-9)
    two = Mechanism(
        bodies={"a": {**ball, "at": [0, 0, 0]}, "b": {**ball, "at": [0.15, 0, 0.5]}},
        contacts={"ab": {"bodies": ["a", "b"], "radius": 0.1, "against": {"kind": "sphere", "radius": 0.1}, "restitution": 1}},
        dimensions=3,
        gravity=[0, 0, 0],
        initial={"z_b'": -2, "z_a'": 0},
    ).simulate(0.5)  # fmt: skip
    normal = np.array([0.15, 0, (0.04 - 0.0225) ** 0.5]) / 0.2
    assert two.v[-1][:3] == pytest.approx(-2 * normal[2] * normal, abs=1e-9)
    assert two.v[-1][7:10] == pytest.approx(np.array([0, 0, -2]) + 2 * normal[2] * normal, abs=1e-9)


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        ({}, r'needs its `bodies`, as in bodies = \["ground", "wheel"\]'),
        ({"radius": 0.3}, "`bodies` is missing"),
        ({"bodies": ["ground", "whel"]}, "there is no body `whel`.*wheel"),
        ({"bodies": ["wheel", "wheel"]}, "both ends are on `wheel`"),
        ({"bodies": ["ground", "wheel"], "points": [[0, 0]]}, "two points, one for each body"),
        ({"bodies": ["ground", "wheel"], "radius": -1}, "`radius` is not below zero, got -1"),
        ({"bodies": ["ground", "wheel"], "against": {"kind": "plane"}}, "got `plane`.*line"),
        ({"bodies": ["ground", "wheel"], "against": {"axis": [1, 0]}}, "`kind` is missing"),
        ({"bodies": ["ground", "wheel"], "against": {"kind": "line", "axis": [0, 0]}}, "a direction of length zero"),
        ({"bodies": ["ground", "wheel"], "against": {"kind": "circle"}}, "`radius` is missing"),
        ({"bodies": ["ground", "wheel"], "against": {"kind": "line", "radius": 1}}, "unknown entry"),
        ({"bodies": ["ground", "wheel"], "gap": "y_wheel"}, "say the same thing twice"),
        ({"bodies": ["ground", "wheel"], "gab": 1}, "unknown entry"),
        ({"bodies": ["ground", "wheel"], "tangential": 0.5}, "`friction` is missing beside `tangential`"),
    ],
)
def test_wrong_entries_are_told(entries, said):
    with pytest.raises(ModelError, match=said):
        Mechanism(bodies=WHEEL, contacts={"floor": entries})


def test_names_and_friction_that_cannot_be_are_told():
    with pytest.raises(ModelError, match="is the name of another part already"):
        Mechanism(bodies=WHEEL, contacts={"wheel": FLOOR})
    ball = {"mass": 1, "inertia": [1, 1, 1]}
    with pytest.raises(ModelError, match="slide in a plane, whose friction"):
        Mechanism(bodies={"b": ball}, contacts={"f": {"bodies": ["ground", "b"], "friction": 0.1}}, dimensions=3)
    with pytest.raises(ModelError, match=r"the gap of contact `floor` is -0\.1 at the start"):
        Mechanism(bodies={"wheel": {**WHEEL["wheel"], "at": [0, 0.2]}}, contacts={"floor": FLOOR}).simulate(1)


def test_they_are_kept_in_files_and_variants_and_as_plain_systems(tmp_path):
    machine = Mechanism(bodies=WHEEL, contacts={"floor": {**FLOOR, "against": {"kind": "line", "axis": [1, 0]}}})
    machine.save(tmp_path / "wheel.toml")
    assert load(tmp_path / "wheel.toml").sections["contacts"] == machine.sections["contacts"]
    end = machine.simulate(1)["x_wheel'"][-1]
    assert machine.system().simulate(1, initial=machine.start().as_dict())["x_wheel'"][-1] == pytest.approx(
        end, rel=1e-9
    )
    slow = machine.replace(contacts={"floor": {"friction": 0.1}}).simulate(1)
    assert slow["x_wheel'"][-1] == pytest.approx(3 - 0.981, rel=1e-9)
    as_gap = {"floor": {"gap": "y_wheel - 0.3", "slip": "x_wheel' + 0.3*phi_wheel'", "friction": 0.2}}
    assert Mechanism(bodies=WHEEL, contacts=as_gap).simulate(1)["x_wheel'"][-1] == pytest.approx(end, rel=1e-9)


def test_pictures_and_reports_show_them(tmp_path):
    machine = Mechanism(bodies=WHEEL, contacts={"floor": FLOOR})
    assert {shape.kind for shape in machine.drawing.shapes} == {"body", "contact line", "contact circle"}
    assert "contact: not below zero, restitution 0, friction 0.2" in repr(machine.document())
    machine.simulate(1).report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "slide floor" not in page and "closed floor" not in page  # modes are no parameters of the user


@pytest.mark.parametrize(
    "settings", [{"method": "radau"}, {"method": "bdf"}, {"method": "rk4", "step": 1e-3}, {"form": "minimal"}]
)
def test_a_crate_comes_to_rest_by_all_methods(settings):
    """Where it lies after some thirty impacts."""
    run = example("crate").simulate(**settings)
    assert run.status == "done" and run.certificate.ok and run["a.sticks"][-1] == run["b.sticks"][-1] == 1
    assert run.q[-1][:3] == pytest.approx([0.51838178, 0.01870011, -np.arctan(0.2)], abs=1e-6)
