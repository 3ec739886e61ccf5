"""A mechanism written with each pair accelerates as the same system written by energies, or as a closed form says."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from dalembert import Mechanism, System
from dalembert.blocks.numeric import Numeric

G = 9.81


def accelerations(system: System, initial: dict[str, float] | None = None) -> dict[str, float]:
    """Coordinates, velocities, accelerations and multipliers at the start, by a dense solution of the blocks."""
    state = system.start(initial)
    values = Numeric(system).all(state.t, state.q, state.v)
    A, n = values.A.toarray(), len(state.q)
    matrix = np.block([[values.M.toarray(), A.T], [A, np.zeros((len(A), len(A)))]])
    solution = np.linalg.lstsq(matrix, np.r_[values.f, values.c], rcond=1e-12)[0]
    found = state.as_dict()
    found |= {f"{name}''": float(a) for name, a in zip(system.coordinates, solution[:n], strict=True)}
    found |= {c.name: -float(x) for c, x in zip(system.constraints, solution[n:], strict=True)}
    return found


def body(mass: float = 1.5, inertia: Any = 0.4, **more: Any) -> dict[str, Any]:
    return {"mass": mass, "inertia": inertia, **more}


def joint(kind: str, a: str, b: str, **more: Any) -> dict[str, Any]:
    return {"kind": kind, "bodies": [a, b], **more}


# --- in the plane ----------------------------------------------------------------------------------------------------


def test_revolute_and_rigid_double_pendulum():
    """Two rods; the second carries a lump that is fixed to it."""
    mechanism = Mechanism(
        {
            "one": body(1, 0.1, at=[0.5, 0]),
            "two": body(2, 0.2, at=[1.5, 0]),
            "lump": body(0.5, 0.05, at=[2, 0.3], angle=1.0),
        },
        {
            "A": joint("revolute", "ground", "one", at=[0, 0]),
            "B": joint("revolute", "one", "two", at=[1, 0]),
            "C": joint("rigid", "two", "lump", at=[2, 0]),
        },
        initial={"phi_one": 0.3, "phi_two": -0.5, "phi_one'": 1.1, "phi_two'": -0.7},
    )
    r = "(cos(b) - 0.3*sin(b))"
    h = "(sin(b) + 0.3*cos(b))"
    energies = System(
        "a b",
        define={
            "x2": "-a'*sin(a) - b'*sin(b)/2",
            "y2": "a'*cos(a) + b'*cos(b)/2",
            "x3": f"-a'*sin(a) - b'*{h}",
            "y3": f"a'*cos(a) + b'*{r}",
        },
        kinetic="(0.1 + 0.25)*a'^2/2 + (0.2 + 0.05)*b'^2/2 + (x2^2 + y2^2) + 0.25*(x3^2 + y3^2)",
        potential=f"9.81*(sin(a)/2 + 2*(sin(a) + sin(b)/2) + 0.5*(sin(a) + {h}))",
        initial={"a": 0.3, "b": -0.5, "a'": 1.1, "b'": -0.7},
    )
    found, expected = accelerations(mechanism), accelerations(energies)
    assert found["phi_one''"] == pytest.approx(expected["a''"], rel=1e-9)
    assert found["phi_two''"] == pytest.approx(expected["b''"], rel=1e-9)
    assert found["phi_lump''"] == pytest.approx(expected["b''"], rel=1e-9)


def test_prismatic_and_the_force_of_a_guide():
    """A block on an incline: its acceleration, and the normal force as multiplier."""
    mechanism = Mechanism(
        {"block": body(2, 0.1, at=[1, 1], angle=0.5)},
        {"A": joint("prismatic", "ground", "block", at=[1, 1], axis=["cos(pi/6)", "sin(pi/6)"])},
    )
    found = accelerations(mechanism)
    assert found["x_block''"] == pytest.approx(-G * np.sin(np.pi / 6) * np.cos(np.pi / 6), rel=1e-9)
    assert found["A.normal"] == pytest.approx(2 * G * np.cos(np.pi / 6), rel=1e-9)
    assert found["A.angle"] == pytest.approx(0, abs=1e-9)


def test_slot_bead_on_a_turning_arm():
    mechanism = Mechanism(
        {"arm": body(1, 0.4), "bead": body(0.5, 0.01, at=[0.8, 0])},
        {
            "A": joint("revolute", "ground", "arm", at=[0, 0]),
            "B": joint("slot", "arm", "bead", at=[0, 0], axis=[1, 0]),
        },
        initial={"phi_arm": 0.4, "phi_arm'": 2.0, "phi_bead": 0.0, "phi_bead'": 0.0},
        guess={"x_bead'": 0.3},
    ).replace(joints={"B": joint("slot", "arm", "bead", points=[[0, 0], [0, 0]], axes=[[1, 0], [1, 0]])})
    found = accelerations(mechanism)
    r = np.hypot(found["x_bead"], found["y_bead"])
    speed = (found["x_bead"] * found["x_bead'"] + found["y_bead"] * found["y_bead'"]) / r
    energies = System(
        "a r",
        kinetic="0.4*a'^2/2 + 0.25*(r'^2 + r^2*a'^2)",
        potential="0.5*9.81*r*sin(a)",
        initial={"a": 0.4, "a'": 2.0, "r": r, "r'": speed},
    )
    expected = accelerations(energies)
    assert found["phi_arm''"] == pytest.approx(expected["a''"], rel=1e-9)
    assert found["phi_bead''"] == pytest.approx(0, abs=1e-9)


def test_rod_as_a_pendulum_and_its_force():
    """A point mass on a rod without mass; the multiplier is the force with which the rod pushes."""
    mechanism = Mechanism(
        {"bob": {"mass": 2, "inertia": 1, "at": [0, -1.5]}},
        {"A": joint("rod", "ground", "bob", points=[[0, 0], [0, 0]])},
        initial={"x_bob": 0.9, "x_bob'": 1.0, "phi_bob": 0, "phi_bob'": 0},
        guess={"y_bob": -1.2},
    )
    found = accelerations(mechanism)
    s, c = 0.9 / 1.5, np.sqrt(1 - 0.36)
    rate = 1.0 / (1.5 * c)
    assert found["A.length"] == pytest.approx(-2 * (1.5 * rate**2 + G * c), rel=1e-9)
    assert found["y_bob"] == pytest.approx(-1.5 * c)
    assert found["x_bob''"] == pytest.approx(-G / 1.5 * s * 1.5 * c - 1.5 * rate**2 * s, rel=1e-9)


def test_gears_on_the_ground_and_the_force_on_their_bearings():
    """Torque τ on the first: α = τ/(J₁ + J₂ r₁²/r₂²), tooth force F = J₂ α₂/r₂, which the bearings carry."""
    mechanism = Mechanism(
        {"one": body(1, 0.2), "two": body(1, 0.7, at=[0.75, 0])},
        {
            "A": joint("revolute", "ground", "one", at=[0, 0]),
            "B": joint("revolute", "ground", "two", at=[0.75, 0]),
            "C": joint("gear", "one", "two", radii=[0.25, 0.5]),
        },
        gravity=[0, 0],
        loads={"motor": {"body": "one", "torque": 3}},
    )
    found = accelerations(mechanism)
    alpha = 3 / (0.2 + 0.7 / 4)
    assert found["phi_one''"] == pytest.approx(alpha)
    assert found["phi_two''"] == pytest.approx(-alpha / 2)
    force = 0.7 * alpha / 2 / 0.5
    assert abs(found["C.mesh"]) == pytest.approx(force)
    assert [abs(found[name]) for name in ("A.x", "A.y", "B.y")] == pytest.approx([0, force, force], abs=1e-9)


@pytest.mark.parametrize("order", [1, -1])
def test_planetary_gear(order):
    """A sun that turns, a planet on an arm, a ring that is held: Willis' formula, and the energies of one angle."""
    inside = ["planet", "ground"][::order]
    radii = [0.3, 0.8][::order]
    mechanism = Mechanism(
        {"sun": body(1, 0.1), "arm": body(1, 0.3), "planet": body(2, 0.2, at=[0, 0.5])},
        {
            "A": joint("revolute", "ground", "sun", at=[0, 0]),
            "B": joint("revolute", "ground", "arm", at=[0, 0]),
            "C": joint("revolute", "arm", "planet", at=[0, 0.5]),
            "D": joint("gear", "sun", "planet", teeth=[20, 30], carrier="arm"),
            "E": joint("gear", *inside, radii=radii, internal=True, carrier="arm"),
        },
        loads={"motor": {"body": "sun", "torque": 4}},
        initial={"phi_arm": 0.7, "phi_arm'": 1.3},
    )
    found = accelerations(mechanism)
    ratio = 1 + 0.8 / 0.2  # sun to arm, ring held
    planet = -(0.8 - 0.3) / 0.3  # planet to arm
    assert found["phi_sun'"] == pytest.approx(1.3 * ratio)
    assert found["phi_planet'"] == pytest.approx(1.3 * planet)
    inertia = 0.3 + 2 * 0.5**2 + 0.1 * ratio**2 + 0.2 * planet**2
    torque = 4 * ratio - 2 * G * 0.5 * -np.sin(0.7)
    assert found["phi_arm''"] == pytest.approx(torque / inertia, rel=1e-9)
    many = mechanism.start({"phi_arm": 50.0, "phi_arm'": 0.0}, {"phi_sun": 250.0, "phi_planet": 50 * planet})
    assert many["phi_sun"] == pytest.approx(50 * ratio)


@pytest.mark.parametrize("side", [1, -1])
def test_rack_and_pinion(side):
    mechanism = Mechanism(
        {"rack": body(3, 0.1), "pinion": body(1, 0.2, at=[0, 0.4 * side])},
        {
            "A": joint("prismatic", "ground", "rack", at=[0, 0], axis=[1, 0]),
            "B": joint("revolute", "ground", "pinion", at=[0, 0.4 * side]),
            "C": joint("rack", "rack", "pinion", axis=[1, 0], radius=0.4),
        },
        loads={"push": {"body": "rack", "force": [5, 0]}},
    )
    found = accelerations(mechanism)
    a = 5 / (3 + 0.2 / 0.4**2)
    assert found["x_rack''"] == pytest.approx(a)
    # the upper side of the rack goes to the right under the pinion, which then turns to the left: positive
    assert found["phi_pinion''"] == pytest.approx(side * a / 0.4)


def test_disk_rolling_down():
    """Theory 9.1 on an incline: s̈ = −g sin α/(1 + J/(m r²)), and both reactions."""
    alpha, m, J, r = 0.3, 2.0, 0.1, 0.5
    c, s = np.cos(alpha), np.sin(alpha)
    mechanism = Mechanism(
        {"disk": body(m, J, at=[-r * s, r * c])},
        {"A": joint("rolling", "ground", "disk", axis=[c, s], radius=r)},
    )
    found = accelerations(mechanism)
    a = -G * s / (1 + J / (m * r**2))
    assert found["x_disk''"] * c + found["y_disk''"] * s == pytest.approx(a)
    assert found["phi_disk''"] == pytest.approx(-a / r)
    assert found["A.normal"] == pytest.approx(m * G * c)
    assert found["A.roll"] == pytest.approx(m * a + m * G * s)


@pytest.mark.parametrize("grip", [False, True])
def test_atwood(grip):
    """Two weights over a pulley with radius 0.2, which turns with the rope if that does not slip."""
    mechanism = Mechanism(
        {"left": body(2, 1, at=[-0.2, -1]), "right": body(3, 1, at=[0.2, -2]), "pulley": body(1, 0.05)},
        {
            "A": joint("revolute", "ground", "pulley", at=[0, 0]),
            "B": joint(
                "rope",
                "left",
                "right",
                points=[[0, 0], [0, 0]],
                over=[{"body": "pulley", "point": [0, 0], "radius": 0.2, "side": "right"}],
                grip=grip,
            ),
            "C": joint("prismatic", "ground", "left", at=[-0.2, 0], axis=[0, 1]),
            "D": joint("prismatic", "ground", "right", at=[0.2, 0], axis=[0, 1]),
        },
    )
    found = accelerations(mechanism)
    a = G / (5 + grip * 0.05 / 0.04)
    assert found["y_left''"] == pytest.approx(a)
    assert found["y_right''"] == pytest.approx(-a)
    assert found["phi_pulley''"] == pytest.approx(-a / 0.2 if grip else 0, abs=1e-12)
    tension = [-found[name] for name in (("B.part1", "B.part2") if grip else ("B.length",))]
    assert tension == pytest.approx([2 * (G + a), 3 * (G - a)][: len(tension)])


def test_the_length_of_a_rope():
    """Two parts of 1 and 2 m and half a turn about a radius of 0.2 m; a length is kept when it is given."""

    def over(**more):
        rope = joint("rope", "left", "right", points=[[0, 0], [0, 0]], over=[{"at": [0, 0], "radius": 0.2, **more}])
        return Mechanism(
            {"left": body(at=[-0.2, -1]), "right": body(at=[0.2, -2])},
            {
                "B": {**rope, "length": 3 + 0.2 * np.pi},
                "C": joint("prismatic", "ground", "left", at=[-0.2, 0], axis=[0, 1]),
                "D": joint("prismatic", "ground", "right", at=[0.2, 0], axis=[0, 1]),
            },
        )

    assert over(side="right").start()["y_right"] == pytest.approx(-2, abs=1e-9)


# --- in space --------------------------------------------------------------------------------------------------------

INERTIA = [0.2, 0.3, 0.4]


def spatial(bodies: Any, joints: Any, **more: Any) -> Mechanism:
    return Mechanism(bodies, joints, dimensions=3, **more)


def test_spatial_revolute_pendulum():
    mechanism = spatial(
        {"rod": body(2, INERTIA, at=[0.5, 0, 0], spin=[0, 1.2, 0])},
        {"A": joint("revolute", "ground", "rod", at=[0, 0, 0], axis=[0, 1, 0])},
    )
    found = accelerations(mechanism)
    alpha = 2 * G * 0.5 / (0.3 + 2 * 0.25)
    assert found["z_rod''"] == pytest.approx(-0.5 * alpha)
    assert found["x_rod''"] == pytest.approx(-0.5 * 1.2**2)
    assert [found["A.x"], found["A.z"]] == pytest.approx([-2 * 0.5 * 1.2**2, 2 * (G - 0.5 * alpha)])


def test_spherical_heavy_top():
    """A symmetric top in Euler angles (theta from the vertical), by energies."""
    A, C, m, l = 0.2, 0.1, 1.5, 0.4
    energies = System(
        "f h s",
        kinetic=f"({A} + {m * l**2})/2*(h'^2 + f'^2*sin(h)^2) + {C}/2*(s' + f'*cos(h))^2",
        potential=f"{m * G * l}*cos(h)",
        initial={"f": 0, "h": 0.7, "s": 0, "f'": 0.8, "h'": -0.5, "s'": 12.0},
    )
    expected = accelerations(energies)
    # axes of the body at this moment: x along the line of nodes, z along the top
    spin = [-0.5, 0.8 * np.sin(0.7), 12 + 0.8 * np.cos(0.7)]
    mechanism = spatial(
        {
            "top": body(
                m,
                [A, A, C],
                at=[0, 0, 0],
                centre=[0, 0, l],
                rotation={"axis": [1, 0, 0], "angle": 0.7},
                spin=spin,
            )
        },
        {"O": joint("spherical", "ground", "top", at=[0, 0, 0])},
    )
    found = accelerations(mechanism)
    # z of the centre = l cos h
    height = -l * (expected["h''"] * np.sin(0.7) + 0.25 * np.cos(0.7))
    assert found["z_top''"] == pytest.approx(height, rel=1e-9)


def test_spatial_prismatic_cylindrical_and_planar_on_an_incline():
    """Sliding down in the direction that each pair leaves free."""
    s, c = np.sin(0.4), np.cos(0.4)
    bodies = {"b": body(2, INERTIA, at=[1, 2, 3], rotation={"axis": [1, 1, 0], "angle": 0.5})}
    for kind, axis in (("prismatic", [c, 0, s]), ("cylindrical", [c, 0, s]), ("planar", [-s, 0, c])):
        found = accelerations(spatial(bodies, {"A": joint(kind, "ground", "b", at=[1, 2, 3], axis=axis)}))
        assert [found[f"{x}_b''"] for x in "xyz"] == pytest.approx([-G * s * c, 0, -G * s * s], abs=1e-9)


def test_universal_joint_in_two_angles():
    """Turn a about x fixed in space, then b about the carried y; the body is a rod along its z axis."""
    a, b, m, l = 0.3, -0.4, 1.5, 0.6
    energies = System(
        "a b",
        # angular velocity in body axes: (a' cos b, b', a' sin b)
        kinetic=f"(0.2*(a'*cos(b))^2 + 0.3*b'^2 + 0.4*(a'*sin(b))^2)/2 + {m * l**2 / 2}*((a'*cos(b))^2 + b'^2)",
        potential=f"-{m * G * l}*cos(a)*cos(b)",
        initial={"a": a, "b": b, "a'": 1.1, "b'": -0.8},
    )
    expected = accelerations(energies)
    half = np.array([np.cos(a / 2), np.sin(a / 2)]), np.array([np.cos(b / 2), np.sin(b / 2)])
    e = [half[0][0] * half[1][0], half[0][1] * half[1][0], half[0][0] * half[1][1], half[0][1] * half[1][1]]
    mechanism = spatial(
        {"rod": body(m, INERTIA, rotation=e, centre=[0, 0, -l], spin=[1.1 * np.cos(b), -0.8, 1.1 * np.sin(b)])},
        {"U": joint("universal", "ground", "rod", points=[[0, 0, 0], [0, 0, 0]], axes=[[1, 0, 0], [0, 1, 0]])},
    )
    found = accelerations(mechanism)
    # the centre is at -l (sin b, -sin a cos b, cos a cos b)
    x = -l * (expected["b''"] * np.cos(b) - 0.64 * np.sin(b))
    assert found["x_rod''"] == pytest.approx(x, rel=1e-9)


def test_spatial_rigid_is_one_body():
    mechanism = spatial(
        {"a": body(1, INERTIA, at=[0.5, 0, 0]), "b": body(2, INERTIA, at=[0.5, 0.5, 0], rotation=[1, 1, 1, 1])},
        {
            "A": joint("revolute", "ground", "a", at=[0, 0, 0], axis=[0, 1, 0]),
            "B": joint("rigid", "a", "b", at=[0.5, 0, 0]),
        },
    )
    found = accelerations(mechanism)
    # rotation [1, 1, 1, 1] takes x to y to z to x: the moment of b about the axis y is its first
    alpha = 3 * G * 0.5 / (0.3 + 0.2 + 3 * 0.25)
    assert found["z_a''"] == pytest.approx(-0.5 * alpha)
    assert found["z_b''"] == pytest.approx(-0.5 * alpha)


@pytest.mark.parametrize("pitch", [0.5, -0.5])
def test_screw_falls_slowly(pitch):
    """z̈ = −g/(1 + J/(m h²)), h = pitch/2π, turning as its thread says."""
    h = pitch / (2 * np.pi)
    mechanism = spatial(
        {"nut": body(2, [0.3, 0.3, 0.01])},
        {"S": joint("screw", "ground", "nut", at=[0, 0, 0], axis=[0, 0, 1], pitch=pitch)},
    )
    found = accelerations(mechanism)
    a = -G / (1 + 0.01 / (2 * h**2))
    assert found["z_nut''"] == pytest.approx(a)
    assert 2 * found["e3_nut''"] == pytest.approx(a / h)


def test_spatial_rod_point_on_line_and_in_plane():
    ball = {"ball": body(2, INERTIA, at=[0, 1, 2])}
    found = accelerations(spatial(ball, {"A": joint("rod", "ground", "ball", points=[[0, 0, 2], [0, 0, 0]])}))
    assert [found["y_ball''"], found["z_ball''"]] == pytest.approx([0, -G], abs=1e-9)  # level: the rod pulls nothing
    found = accelerations(spatial(ball, {"A": joint("rod", "ground", "ball", points=[[0, 1, 3.5], [0, 0, 0]])}))
    assert found["A.length"] == pytest.approx(-2 * G)
    line = {"A": joint("point_on_line", "ground", "ball", at=[0, 1, 2], axis=[0, 1, 1])}
    assert accelerations(spatial(ball, line))["z_ball''"] == pytest.approx(-G / 2)
    plane = {"A": joint("point_in_plane", "ground", "ball", at=[0, 1, 2], axis=[0, 1, 1])}
    found = accelerations(spatial(ball, plane))
    assert [found["y_ball''"], found["z_ball''"]] == pytest.approx([G / 2, -G / 2])


def test_sphere_rolling_down():
    """5/7 of what sliding would give."""
    s, c, r, m = np.sin(0.3), np.cos(0.3), 0.2, 1.5
    J = 2 / 5 * m * r**2
    mechanism = spatial(
        {"ball": body(m, [J, J, J], at=[-r * s, 0, r * c])},
        {"A": joint("rolling_sphere", "ground", "ball", points=[[0, 0, 0], [0, 0, 0]], axis=[-s, 0, c], radius=r)},
    )
    found = accelerations(mechanism)
    assert found["x_ball''"] == pytest.approx(-5 / 7 * G * s * c)
    assert found["A.normal"] == pytest.approx(m * G * c)


def test_disk_rolling_on_a_plane():
    """The equations of Routh for heading f, lean h from the vertical and roll s, derived by energies and no slip."""
    r, m, A, C = 0.5, 2.0, 0.125, 0.25
    h, rates = 0.3, (0.9, -0.4, 5.0)
    energies = System(
        "x y f h s",
        # centre at height r cos h; body rates (h', f' cos h, s' + f' sin h) about heading, lean and axle
        kinetic=f"{m / 2}*(x'^2 + y'^2 + ({r}*h'*sin(h))^2) + {A / 2}*(h'^2 + (f'*cos(h))^2) + {C / 2}*(s' + f'*sin(h))^2",
        potential=f"{m * G * r}*cos(h)",
        constraints={
            # the contact point does not slip along the heading, nor across it
            "along": f"x'*cos(f) + y'*sin(f) - {r}*(s' + f'*sin(h)) = 0",
            "across": f"-x'*sin(f) + y'*cos(f) + {r}*h'*cos(h) = 0",
        },
        initial={"f": 0, "h": h, "s": 0, "f'": rates[0], "h'": rates[1], "s'": rates[2], "x": 0, "y": 0},
    )
    expected = accelerations(energies)
    # axle along y when upright; leaning by h about x (the heading)
    mechanism = spatial(
        {
            "disk": body(
                m,
                [A, C, A],
                at=[0, r * np.sin(-h), r * np.cos(h)],
                rotation={"axis": [1, 0, 0], "angle": h},
                spin=[rates[1], rates[2] + rates[0] * np.sin(h), rates[0] * np.cos(h)],
            )
        },
        {"R": joint("rolling_disk", "ground", "disk", points=[[0, 0, 0], [0, 0, 0]], radius=r, disk_axis=[0, 1, 0])},
    )
    found = accelerations(mechanism)
    height = -r * (expected["h''"] * np.sin(h) + rates[1] ** 2 * np.cos(h))
    assert found["z_disk''"] == pytest.approx(height, rel=1e-9)
    assert found["x_disk''"] == pytest.approx(expected["x''"], rel=1e-9)
    assert found["y_disk''"] == pytest.approx(expected["y''"], rel=1e-9)
