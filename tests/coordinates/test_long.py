"""Long trees, in which bodies follow link by link: the same motion and the same forces as if all were written out."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import DerivationError, Mechanism, ModelError, example
from dalembert.blocks.numeric import Numeric
from dalembert.cli import main
from dalembert.model.mechanism import tree
from tests.conftest import STEERED
from tests.coordinates.same import differences
from tests.coordinates.test_gallery import MECHANISMS, QUICK
from tests.everyday.test_everyday import case_of

SOME = (4, 14, 18, 446)  # a tree in the plane, linkages in space, screws; in the last rows of the loop are rounding


@pytest.fixture
def always(monkeypatch):
    """Treat every tree as a long one."""
    monkeypatch.setattr(tree, "WRITTEN", {2: 0, 3: 0})


def full(items, quick):
    return [item if item in quick else pytest.param(item, marks=pytest.mark.full) for item in items]


@pytest.mark.parametrize("name", full([name for name in MECHANISMS if name not in STEERED], QUICK))
def test_same_motion_in_the_gallery(name, always):
    mechanism = example(name)
    assert not differences(mechanism, "joints", min(0.3, mechanism.simulation.get("until", 1.0)))


def test_programmes_are_refused(always):
    with pytest.raises(ModelError, match=r"long rows, where no programme can be held; take coordinates = .absolute"):
        example("led-arm").replace(by="joints")


@pytest.mark.parametrize("seed", full(range(0, 600, 2), SOME))
def test_same_motion_of_random_machines(seed, always):
    mechanism = case_of(seed).build()
    if not isinstance(mechanism, Mechanism):
        pytest.skip("by energies")
    try:
        mechanism.start()
        mechanism.compile()
    except (ModelError, DerivationError):
        pytest.skip("cannot be assembled, or is not determined")
    try:
        assert not differences(mechanism, "joints", 0.05)
    except ModelError as error:
        assert "no coordinates of joints" in str(error)


@pytest.mark.parametrize("name", ["four-bar", "excavator", "spatial-chain:4", "bricard"])
def test_blocks_are_those_of_the_formulas(name, monkeypatch):
    written = example(name).replace(by="joints")
    monkeypatch.setattr(tree, "WRITTEN", {2: 0, 3: 0})
    followed = example(name).replace(by="joints")
    assert followed.tree.long and not written.tree.long
    one, other = Numeric(written), Numeric(followed)
    random = np.random.default_rng(1)
    q, v = random.normal(size=(2, one.n))
    a, b = one.all(0.3, q, v), other.all(0.3, q, v)
    for x, y in ((a.M, b.M), (a.A, b.A)):
        x, y = x.toarray(), y.toarray()
        assert np.allclose(x, y, rtol=1e-12, atol=1e-13 * np.abs(x).max(initial=0.0))
    assert np.allclose(a.f, b.f, rtol=1e-12, atol=1e-12 * np.abs(a.f).max())
    assert np.allclose(a.c, b.c, rtol=1e-12, atol=1e-12)
    (g, slopes, _), (residual, directions, _) = one.position(0.3, q), other.position(0.3, q)
    assert np.allclose(g, residual) and np.allclose(slopes.toarray(), directions.toarray())


@pytest.mark.parametrize("name", ["planar-chain:60", "spatial-chain:12"])
def test_a_long_chain_from_check_to_joint_forces(name):
    chain, bodies = example(name), int(name.partition(":")[2])
    joints = chain.replace(by="joints")
    assert joints.check().degrees_of_freedom == bodies
    one, other = (system.simulate(0.05, samples=2) for system in (chain, joints))
    assert other.certificate.ok
    last = f"rod{bodies}"
    for what in (f"x_{last}", f"y_{last}'", f"x_{last}''", f"{last}.end.x", f"{last}.end.x'"):
        assert np.allclose(one.evaluate(what), other.evaluate(what), rtol=1e-7, atol=1e-7), what
    for joint in ("J1", f"J{bodies}"):
        assert np.allclose(one.joint(joint).force, other.joint(joint).force, rtol=1e-7, atol=1e-6)


ARMS = {
    "bodies": {
        "a": {"mass": 1, "inertia": 0.1, "at": [0.5, 0]},
        "b": {"mass": 1, "inertia": 0.1, "at": [1.5, 0], "points": {"E": [0.5, 0]}},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
        "B": {"kind": "revolute", "bodies": ["a", "b"], "at": [1, 0]},
    },
}
LINK = {
    "bodies": {
        "a": {"mass": 1, "inertia": 0.1, "at": [0.5, 0]},
        "link": {"at": [1.5, 0]},
        "c": {"mass": 1, "inertia": 0.2, "at": [2, 0.5]},
    },
    "joints": {
        "A": {"kind": "revolute", "bodies": ["ground", "a"], "at": [0, 0]},
        "B": {"kind": "revolute", "bodies": ["a", "link"], "at": [1, 0]},
        "C": {"kind": "revolute", "bodies": ["link", "c"], "at": [2, 0]},
        "D": {"kind": "revolute", "bodies": ["ground", "c"], "at": [2, 1]},
    },
}
SPACE = {
    "dimensions": 3,
    "bodies": {
        "a": {"mass": 1, "inertia": [0.1, 0.2, 0.25], "at": [0.5, 0, 0], "spin": [1, 0.4, 0]},
        "b": {"mass": 1, "inertia": [[0.1, 0.01, 0], [0.01, 0.2, 0.02], [0, 0.02, 0.25]], "at": [1.5, 0, 0]},
    },
}
BALL = {"kind": "spherical", "bodies": ["a", "ground"], "at": [0, 0, 0]}
HINGE = {"kind": "revolute", "bodies": ["a", "b"], "at": [1, 0, 0], "axis": [0, 1, 0]}


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param(
            ARMS
            | {
                "coordinates": "u",
                "kinetic": "u'^2/2 + 0.1*u'*x_b'",
                "potential": "(u - x_b)^2",
                "constraints": {"k": "u - y_b^2 - 0.3*phi_a = 0"},
                "forces": {"x_b": "-0.3*x_b'", "u": "t"},
            },
            id="what the user adds",
        ),
        pytest.param(ARMS | {"constraints": {"v": "x_b'*sin(phi_b) - y_b'*cos(phi_b) = 0"}}, id="nonholonomic"),
        pytest.param(ARMS | {"drives": {"m": {"joint": "A", "angle": "t^2"}}}, id="drive"),
        pytest.param(LINK, id="a loop with a body without mass"),
        pytest.param(
            SPACE
            | {"joints": {"B": HINGE}, "forces": {"e1_b": "0.3"}, "springs": {"s": {"joint": "B", "stiffness": 2}}},
            id="a free body carries another",
        ),
        pytest.param(
            SPACE | {"joints": {"A": BALL, "B": {**HINGE, "kind": "cylindrical", "bodies": ["b", "a"]}}},
            id="joints that carry their first body",
        ),
    ],
)
def test_same_end(parts, always):
    mechanism = Mechanism(**parts)
    one, other = (m.simulate(0.1, rtol=1e-11, atol=1e-13) for m in (mechanism, mechanism.replace(by="joints")))
    assert other.system.tree.long and other.certificate.ok
    names = [name for body in mechanism.bodies.values() for name in body.coordinates[: mechanism.dimensions]]
    for name in (*names, *(f"{name}'" for name in names)):
        assert one.evaluate(name)[-1] == pytest.approx(other.evaluate(name)[-1], rel=1e-8, abs=1e-8)


def test_events_watch_bodies(always):
    mechanism = Mechanism(**ARMS)
    one, other = (m.simulate(1, events=["y_b = -0.5"]) for m in (mechanism, mechanism.replace(by="joints")))
    assert [event.t for event in other.events] == pytest.approx([event.t for event in one.events], rel=1e-7)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("four-bar", {"method": "radau"}),
        ("four-bar-spatial", {"method": "bdf"}),
        ("four-bar", {"form": "minimal"}),
        ("four-bar", {"form": "explicit"}),
        ("four-bar", {"form": "independent"}),
    ],
)
def test_implicit_methods_and_forms(name, settings, always):
    mechanism = example(name)
    run = mechanism.replace(by="joints").simulate(0.1, samples=2, rtol=1e-9, atol=1e-11, **settings)
    assert run.system.tree.long and run.certificate.ok
    other = mechanism.simulate(0.1, samples=2, rtol=1e-11, atol=1e-13)
    names = [name for body in mechanism.bodies.values() for name in body.coordinates[: mechanism.dimensions]]
    for what in (*names, *(f"{name}'" for name in names)):
        assert run.evaluate(what) == pytest.approx(other.evaluate(what), rel=1e-6, abs=1e-6)


def test_jacobians_are_slopes_of_the_balance(always):
    """F and C of implicit methods in a tree with a free body, against differences in every direction."""
    mechanism = Mechanism(**SPACE, joints={"B": HINGE}, constraints={"v": "x_b' = 0.3*y_b"}, by="joints")
    kernels = mechanism.compile()
    random = np.random.default_rng(2)
    n, s = kernels.n, kernels.s
    q, v, a, multipliers = (random.normal(size=size) for size in (n, n, n, s))
    found = kernels.jacobians(0.3, q, v, a, multipliers)
    row = np.concatenate([kernels.inputs(0.3, q, v), a, multipliers])
    rows, h = np.tile(row, (2 * len(row), 1)), 1e-6
    rows[: len(row)] += h * np.eye(len(row))
    rows[len(row) :] -= h * np.eye(len(row))
    forward, back = np.split(kernels.run("implicit", "balance", rows), 2)
    slopes = (forward - back).T / (2 * h)
    parts = {"F_q": slopes[:n, 1 : 1 + n], "F_v": slopes[:n, 1 + n : 1 + 2 * n], "M": slopes[:n, len(row) - n - s : -s]}
    parts |= {"C_q": slopes[n:, 1 : 1 + n], "C_v": slopes[n:, 1 + n : 1 + 2 * n], "A": -slopes[:n, -s:].T}
    for name, wanted in parts.items():
        got = getattr(found, name).toarray()
        assert np.allclose(got, wanted, rtol=1e-6, atol=1e-6 * max(1.0, np.abs(wanted).max())), name


def test_formulas_of_long_trees_are_refused(tmp_path):
    chain = example("planar-chain:20").replace(by="joints")
    with pytest.raises(DerivationError, match='take coordinates = "absolute" for formulas'):
        chain.derive("minimal")
    with pytest.raises(ModelError, match=r"`rattle` needs formulas.*or `dop853`, `radau` or `bdf`"):
        chain.simulate(0.1, method="rattle", step=1e-3)
    with pytest.raises(ModelError, match=r'`canonical` needs formulas.*take coordinates = "absolute"'):
        chain.simulate(0.1, form="canonical")
    with pytest.raises(DerivationError, match="every formula would be long"):
        chain.system()
    chain.simulate(0.05).report(tmp_path / "chain.html")
    assert "The equations are not written down" in (tmp_path / "chain.html").read_text(encoding="utf-8")


def test_a_long_tree_runs_from_the_command_line(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["run", "planar-chain:20", "--by", "joints", "--until", "0.05", "--no-report"])
    printed = capsys.readouterr().out
    assert ended.value.code == 0 and "The equations are not written down" in printed and "Certificate: pass" in printed
