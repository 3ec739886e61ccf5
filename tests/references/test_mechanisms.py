"""Mechanisms of the gallery against published numbers, closed forms, and the same systems written by energies."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import symengine as se

from dalembert import Mechanism, System, example
from dalembert.blocks.numeric import Numeric
from tests.references.test_other_software import ROLLING_DISK

EXACT: dict[str, Any] = {"rtol": 1e-10, "atol": 1e-12}


# --- systems by energies ---------------------------------------------------------------------------------------------


def symbols(names: str) -> list[Any]:
    return [se.Symbol(name) for name in names.split()]


def rate(expression: Any, q: Sequence[Any]) -> Any:
    """Differentiate by time, along coordinates that move."""
    terms = [se.diff(expression, x) * se.Symbol(f"{x}'") for x in q]
    return se.Add(se.diff(expression, se.Symbol("t")), *terms)


def direction(angle: Any) -> np.ndarray:
    return np.array([se.cos(angle), se.sin(angle)])


def turned(angle: Any, vector: Sequence[float]) -> np.ndarray:
    return np.array([[se.cos(angle), -se.sin(angle)], [se.sin(angle), se.cos(angle)]]) @ np.array(vector)


def kinetic(q: Sequence[Any], bodies: Sequence[tuple[Any, Any, Sequence[Any], Any]]) -> Any:
    """Add up the energies of bodies in the plane: (mass, inertia, place of the centre, angle)."""
    terms = []
    for mass, inertia, place, angle in bodies:
        terms += [mass * rate(x, q) ** 2 / 2 for x in place]
        terms.append(inertia * rate(angle, q) ** 2 / 2)
    return se.Add(*terms)


def points_of(mechanism: Mechanism, run: Any, body: str, point: Sequence[float]) -> np.ndarray:
    """Return the way of a point of a body."""
    numeric = Numeric(mechanism)
    program = numeric.program(list(mechanism.bodies[body].view.position(tuple(map(se.sympify, point)))))
    return np.array([numeric.evaluate(program, t, q, v) for t, q, v in zip(run.t, run.q, run.v, strict=True)])


def mechanism(name: str) -> Mechanism:
    found = example(name)
    assert isinstance(found, Mechanism)
    return found


# --- in the plane ----------------------------------------------------------------------------------------------------


def test_engine():
    """One angle is enough: the rod makes sin p = −a sin q / l."""
    q = symbols("q")
    a, l, m1, J1, m2, J2, m3, F, T, d = symbols("a l m1 J1 m2 J2 m3 F T d")
    p = -se.asin(a * se.sin(q[0]) / l)
    centre = a * direction(q[0]) + l / 3 * direction(p)
    x = a * se.cos(q[0]) + l * se.cos(p)
    push = -F * (1 + se.cos(q[0])) / 2 - d * rate(x, q)
    engine = mechanism("engine")
    energies = System(
        [str(x) for x in q],
        kinetic=kinetic(q, [(m1, J1, (0, 0), q[0]), (m2, J2, centre, p), (m3, 0, (x,), 0)]),
        potential=9.81 * m2 * centre[1],
        forces={"q": push * se.diff(x, q[0]) - T},
        parameters=engine.parameters,
        initial={"q": 0.3, "q'": 100},
    )
    run, other = engine.simulate(0.2, **EXACT), energies.simulate(0.2, **EXACT)
    assert run["phi_crank"][-1] == pytest.approx(other["q"][-1], abs=1e-7)
    assert run["phi_crank'"][-1] == pytest.approx(other["q'"][-1], rel=1e-7)


SUNDIALS = {  # angle of the crank, place of the slider, angle of the rod
    1.0: (1.315420570881635, 1.001491807230822, -0.504973470642022),
    2.5: (0.072236105465910, 1.498044718149753, -0.036094486807723),
    5.0: (-1.429996967647213, 0.939030613578268, 0.517894756489900),
    7.5: (0.180418466694008, 1.487851315824072, -0.089841441982501),
    10.0: (1.275675848650261, 1.023578558979836, -0.498813049182484),
}


def test_slider_crank_of_sundials():
    run = mechanism("slider-crank-joints").simulate(10.0, **EXACT)
    q, _ = run.at(list(SUNDIALS))
    columns = [run.system.coordinates.index(name) for name in ("phi_crank", "x_rod", "phi_rod")]
    assert q[:, columns] == pytest.approx(np.array(list(SUNDIALS.values())), abs=1e-8)


@pytest.fixture(scope="module")
def four_bar():
    return mechanism("four-bar").simulate(2.0, **EXACT)


def test_four_bar(four_bar):
    """Three angles and the two conditions that close the loop."""
    q = symbols("a b c")
    lengths = [se.Rational(3, 10), se.Integer(1), se.sqrt(se.Rational(9, 10))]
    masses = [1, 3, 2]
    top, corner = lengths[0] * direction(q[0]), np.array([se.Rational(11, 10), 0]) + lengths[2] * direction(q[2])
    centres = [top / 2, top + direction(q[1]) / 2, corner - lengths[2] * direction(q[2]) / 2]
    gap = top + direction(q[1]) - corner
    energies = System(
        [str(x) for x in q],
        kinetic=kinetic(q, [(m, m * l**2 / 12, c, x) for m, l, c, x in zip(masses, lengths, centres, q, strict=True)]),
        potential=9.81 * se.Add(*[m * c[1] for m, c in zip(masses, centres, strict=True)]),
        constraints={"x": gap[0], "y": gap[1]},
        initial={"a": np.pi / 2, "a'": 12},
        guess={"b": np.arctan2(3, 4), "c": np.arctan2(9, -3)},
    )
    other = energies.simulate(2.0, **EXACT)
    for mine, theirs in (("phi_crank", "a"), ("phi_coupler", "b"), ("phi_rocker", "c")):
        assert four_bar[mine][-1] == pytest.approx(other[theirs][-1], abs=1e-7)
        assert four_bar[mine + "'"][-1] == pytest.approx(other[theirs + "'"][-1], abs=1e-6)


def test_four_bar_of_spatial_revolutes_moves_in_its_plane(four_bar):
    space = mechanism("four-bar-spatial")
    run = space.simulate(2.0, **EXACT)
    assert run.certificate.ok
    for body in ("crank", "coupler", "rocker"):
        for name in (f"x_{body}", f"y_{body}", f"x_{body}'", f"y_{body}'"):
            assert run[name][-1] == pytest.approx(four_bar[name][-1], abs=1e-6)
        half = four_bar[f"phi_{body}"][-1] / 2
        assert np.abs([run[f"e{k}_{body}"][-1] for k in range(4)]) == pytest.approx(
            np.abs([np.cos(half), 0, 0, np.sin(half)]), abs=1e-7
        )
    flat = four_bar.multipliers["A.x"][-1], four_bar.multipliers["A.y"][-1]
    assert (run.multipliers["A.x"][-1], run.multipliers["A.y"][-1]) == pytest.approx(flat, rel=1e-5)


@pytest.mark.parametrize("loops", [1, 3])
def test_n_four_bar(loops):
    run, other = (example(f"{name}:{loops}").simulate(2.0, **EXACT) for name in ("n-four-bar-joints", "n-four-bar"))
    assert run.q[-1] == pytest.approx(other.q[-1], abs=1e-7)
    assert run.v[-1] == pytest.approx(other.v[-1], abs=1e-6)


def test_n_four_bar_published():
    """IFToMM benchmark A02, N = 2: place and velocity of the first upper joint at t = 10."""
    run = example("n-four-bar-joints:2").simulate(10.0, **EXACT)
    place, speed = 2 * run.q[-1, :2], 2 * run.v[-1, :2]
    assert place == pytest.approx([0.3284581115366, 0.9445185381801], abs=1e-7)
    assert speed == pytest.approx([1.423051470197, -0.494868845477], abs=1e-6)


def test_andrews_squeezer():
    """The IVP test set at t = 0.03, recomputed with 26 digits; the angles of the bodies are sums of its own."""
    beta, theta, gamma, phi = 15.81077119515370710, -15.75637105841183947, 0.0408222401196458049, -0.534730116342079594
    delta, omega, epsilon = 0.524409965879954069, 0.534730116342079594, 1.048080741041937873
    angles = [beta, beta + theta, gamma, phi + delta, delta, omega + epsilon, epsilon]
    rates = [1139.9203022591060642, 1139.9203022591060642 - 1424.3792951775400732, 11.032911910618593745]
    run = mechanism("andrews-squeezer-joints").simulate(0.03, rtol=1e-11, atol=1e-12)
    assert run.q[-1, 2::3] == pytest.approx(angles, abs=2e-8)
    assert run.v[-1, 2:9:3] == pytest.approx(rates, abs=1e-4)
    force = np.hypot(run.multipliers["E3.x"][-1], run.multipliers["E3.y"][-1])
    assert force == pytest.approx(np.hypot(199.17534810453863, 29.755309974971763), rel=1e-6)


def test_planar_chain():
    run, other = (example(f"{name}:4").simulate(1.0, **EXACT) for name in ("planar-chain", "chain"))
    assert run.q[-1] == pytest.approx(other.q[-1], abs=1e-7)
    for i in range(1, 5):
        assert run.multipliers[f"J{i}.y"][-1] == pytest.approx(other.multipliers[f"joint{i}_y"][-1], rel=1e-6)


def test_ackermann_steering():
    """The trapezoid in closed form makes the right angle a function of the left one."""
    car = mechanism("ackermann-steering")
    x, y, phi = q = symbols("x y phi")
    t, L, s, h, k, m, J, m1, J1, m2, F = symbols("t L s h k m J m1 J1 m2 F")
    left = se.sin(t) / 2
    end = np.array([0, 2 * s]) - h * direction(left + k)  # of the left arm, as seen from the right kingpin
    away = se.sqrt(end[0] ** 2 + end[1] ** 2)
    width = 2 * (s - h * se.sin(k))
    corner = se.acos((away**2 + h**2 - width**2) / (2 * h * away))
    right = se.pi / 2 - se.atan(end[0] / end[1]) + corner - se.pi + k
    other_end = h * direction(right + se.pi - k)
    rear = np.array([x, y])
    places = [turned(phi, (L / 2, 0)), turned(phi, (L, s)), turned(phi, (L, -s))]
    places.append(turned(phi, np.array([L, -s]) + (end + other_end) / 2))
    angles = [phi, phi + left, phi + right, phi - se.atan((end - other_end)[0] / (end - other_end)[1])]
    inertias = [(m, J), (m1, J1), (m1, J1), (m2, m2 * (width / 2) ** 2 / 3)]
    front = [rate(e, q) for e in rear + places[1]]
    energies = System(
        [str(x) for x in q],
        kinetic=kinetic(
            q, [(*both, rear + place, angle) for both, place, angle in zip(inertias, places, angles, strict=True)]
        ),
        forces={"x": F * se.cos(phi), "y": F * se.sin(phi)},
        constraints={
            "rear": "-x'*sin(phi) + y'*cos(phi) = 0",
            "front": -front[0] * se.sin(phi + left) + front[1] * se.cos(phi + left),
        },
        parameters=car.parameters,
        initial={"x": 0, "y": 0, "phi": 0, "x'": 5},
    )
    run, other = car.simulate(4.0, **EXACT), energies.simulate(4.0, **EXACT)
    assert run["phi_car"][-1] == pytest.approx(other["phi"][-1], abs=1e-7)
    rear_x = run["x_car"][-1] - 1.25 * np.cos(run["phi_car"][-1])
    assert rear_x == pytest.approx(other["x"][-1], abs=1e-6)
    values = {se.Symbol(name): value for name, value in car.parameters.items()} | {t: run.t[-1]}
    turn = run["phi_right"][-1] - run["phi_car"][-1]
    assert turn == pytest.approx(float(right.subs(values)), abs=1e-9)
    assert abs(turn) > abs(np.sin(run.t[-1]) / 2)  # to the right: the inner wheel turns more


def test_excavator():
    """Boom, stick, bucket and rocker by their angles; what the cylinders do follows from the places of their pins."""
    arm = mechanism("excavator").replace(drives={"boom": {"joint": "cylinder1", "distance": "0.12*sin(t)^2"}})
    q = symbols("a b c d")
    t = se.Symbol("t")
    value = arm.parameters

    def on(body: int, place: Sequence[float]) -> np.ndarray:
        """Return where a point of boom, stick, bucket or rocker is, given where it was assembled."""
        if body < 0:
            return np.array(place, dtype=object)
        pivot, carrier = [((0, 0), -1), ((5, 1.2), 0), ((6.5, -0.8), 1), ((6.34, -0.42), 1)][body]
        return on(carrier, pivot) + turned(q[body], np.subtract(place, pivot))

    bodies = [
        (value[f"m{i + 1}"], value[f"J{i + 1}"], on(i, centre), q[i])
        for i, centre in enumerate([(2.4, 1.3), (5.44, 0.78), (6.4, -1.4), (6.54, -0.27)])
    ]
    terms, weights, lengths = [kinetic(q, bodies)], [mass * place[1] for mass, _, place, _ in bodies], []
    pins = [
        (-1, (0.5, -0.4), (1, 0), 0, (2.2, 0.9), (1.8, 0.6)),
        (0, (2.8, 1.9), (3.3, 1.9), 1, (4.88, 1.86), (4.4, 1.9)),
        (1, (5.46, 1.42), (5.8, 1), 3, (6.74, -0.12), (6.4, 0.3)),
    ]
    for first, foot, barrel, second, head, piston in pins:
        way, start = on(second, head) - on(first, foot), np.subtract(head, foot)
        length, before = se.sqrt(way[0] ** 2 + way[1] ** 2), float(np.hypot(*start))
        along, was = way / length, start / before
        cos, sin = along @ was, along[1] * was[0] - along[0] * was[1]
        turn = np.array([[cos, -sin], [sin, cos]])
        spin = cos * rate(sin, q) - sin * rate(cos, q)
        for body, pin, centre, kind in ((first, foot, barrel, "b"), (second, head, piston, "p")):
            place = on(body, pin) + turn @ np.subtract(centre, pin)
            terms += [kinetic(q, [(value[f"m{kind}"], 0, place, 0)]), value[f"J{kind}"] * spin**2 / 2]
            weights.append(value[f"m{kind}"] * place[1])
        lengths.append(length - before)
    tip, link = on(2, (6.4, -2.2)), on(3, (6.74, -0.12)) - on(2, (6.88, -0.64))
    pull = value["p"] * value["S"] - value["d"] * rate(lengths[2], q)
    energies = System(
        [str(x) for x in q],
        kinetic=se.Add(*terms),
        potential=9.81 * se.Add(*weights) - 4000 * tip[0] - 2000 * tip[1],
        forces={str(x): pull * se.diff(lengths[2], x) for x in q},
        constraints={
            "boom": lengths[0] - 0.12 * se.sin(t) ** 2,
            "stick": lengths[1] + 0.2 * se.sin(t) ** 2,
            "link": se.sqrt(link[0] ** 2 + link[1] ** 2) - float(np.hypot(0.14, 0.52)),
        },
    )
    run, other = arm.simulate(1.5, **EXACT), energies.simulate(1.5, **EXACT)
    for mine, theirs in (("boom", "a"), ("stick", "b"), ("bucket", "c"), ("rocker", "d")):
        assert run[f"phi_{mine}"][-1] == pytest.approx(other[theirs][-1], abs=1e-7)
    for mine, theirs in (("boom.distance", "boom"), ("stick.distance", "stick")):
        assert run.multipliers[mine][-1] == pytest.approx(other.multipliers[theirs][-1], rel=1e-6)


# --- in space --------------------------------------------------------------------------------------------------------


BRICARD = {  # the third joint; from the one degree of freedom, to 1e-10
    0.5: (0.77471780804, -0.97981504766, -0.19990615895),
    1.0: (0.27448131926, -0.88670793873, -0.46233000269),
    1.5: (-0.27901757542, -0.88736137883, -0.46107459630),
    2.0: (-0.77813537303, -0.98035268344, -0.19725267062),
    2.5: (-0.99998318529, -0.99999999986, -1.681457e-05),
    5.0: (0.99993274230, -0.99999999774, -6.725544e-05),
    10.0: (0.99973098730, -0.99999996383, -2.6897651e-04),
}


def test_bricard():
    """IFToMM benchmark A04."""
    linkage = mechanism("bricard")
    run = linkage.simulate(10.0, samples=[0.0, *BRICARD], **EXACT)
    assert run.certificate.ok
    assert points_of(linkage, run, "rod2", (0, -0.5, 0))[1:] == pytest.approx(
        np.array(list(BRICARD.values())), abs=1e-6
    )


def test_heavy_top():
    """Recomputed to 12 digits; they agree with the five published ones."""
    run = mechanism("heavy-top-joints").simulate(1.0, samples=[0.1, 0.2, 1.0], **EXACT)
    centres = [
        (0.4212966589254, 0.8945719743456, -0.1491647005619),
        (0.6055505613770, 0.5989576817950, -0.5239830274301),
        (0.173343964098, 0.640088592070, -0.748490791134),
    ]
    turns = [
        (0.3318229126083, 0.1773380566669, 0.9149751591387, -0.1458260144309),
        (-0.7082791529743, 0.4387810881266, 0.5457283961454, 0.0893997528239),
        (0.7329439806798, -0.2782857193380, 0.5318246113338, -0.3201761427362),
    ]
    found = run.q[-3:]
    assert found[:, :3] == pytest.approx(np.array(centres), abs=1e-6)
    assert found[:, 3:] == pytest.approx(np.array(turns), abs=1e-6)


def test_rolling_coin():
    """The lowest point after 0.2 s and 0.5 s, from 12 digits; Exudyn's example gives 0.0020041 for the last x."""
    coin = mechanism("rolling-coin")
    run = coin.simulate(0.5, samples=[0.2, 0.5], **EXACT)
    contacts = []
    for state in run.q[-2:]:
        e0, e1, e2, e3 = state[3:]
        axle = np.array([e0**2 + e1**2 - e2**2 - e3**2, 2 * (e1 * e2 + e0 * e3), 2 * (e1 * e3 - e0 * e2)])
        down = np.array([0, 0, -1]) + axle[2] * axle
        contacts.append(state[:3] + 0.01 * down / np.linalg.norm(down))
    expected = [(-0.00530768623, -0.00077072842, 0), (0.00200494702, 0.00259692310, 0)]
    assert np.array(contacts) == pytest.approx(np.array(expected), abs=1e-9)


def test_rolling_disk_by_energies():
    """A wheel that leans and turns, against the same in yaw, lean and roll."""
    angles = ROLLING_DISK.simulate(1.0, **EXACT)
    r, q1, q2, u = 0.26, 0.3, 0.1, (-0.2, 1.3, 0.8)
    spin = [u[0], u[1] + u[2] * np.sin(q2), u[2] * np.cos(q2)]  # in the axes of the lean
    wheel = Mechanism(
        {
            "disk": {
                "mass": 3.43,
                "inertia": [3.43 * r**2 / 4, 3.43 * r**2 / 2, 3.43 * r**2 / 4],
                "at": [r * np.sin(q2) * np.sin(q1), -r * np.sin(q2) * np.cos(q1), r * np.cos(q2)],
                "rotation": {
                    "x": [np.cos(q1), np.sin(q1), 0],
                    "y": [-np.sin(q1) * np.cos(q2), np.cos(q1) * np.cos(q2), np.sin(q2)],
                },
                "spin": spin,
            }
        },
        {
            "floor": {
                "kind": "rolling_disk",
                "bodies": ["ground", "disk"],
                "points": [[0, 0, 0], [0, 0, 0]],
                "radius": r,
                "disk_axis": [0, 1, 0],
            }
        },
        dimensions=3,
    )
    run = wheel.simulate(1.0, **EXACT)
    moved = [run[f"{x}_disk"][-1] - run[f"{x}_disk"][0] for x in "xyz"]
    assert moved == pytest.approx([angles[x][-1] - angles[x][0] for x in "xyz"], abs=1e-7)


def test_gyroscope_precesses_steadily():
    gyroscope = mechanism("gyroscope")
    p = gyroscope.parameters
    precession = p["m"] * p["g"] * p["l"] / (p["C"] * p["w"])
    run = gyroscope.simulate(3.0, **EXACT)
    for k, expected in enumerate([np.cos(precession * run.t / 2), 0, 0, np.sin(precession * run.t / 2)]):
        assert run[f"e{k}_outer"] == pytest.approx(expected + 0 * run.t, abs=1e-8)
        assert run[f"e{k}_inner"] == pytest.approx(expected + 0 * run.t, abs=1e-8)


def test_gyroscope_nutates():
    """Let go at rest its axle nods; against the same in the three angles of the joints."""
    gyroscope = mechanism("gyroscope")
    bodies = {name: {**gyroscope.tables["bodies"][name]} for name in ("outer", "rotor")}
    bodies["outer"]["spin"], bodies["rotor"]["spin"] = [0, 0, 0], [0, "w", 0]
    run = gyroscope.replace(bodies=bodies).simulate(1.0, **EXACT)
    angles = System(
        "psi theta phi",
        kinetic=(
            "B*psi'^2/2 + (B*theta'^2 + B*(psi'*sin(theta))^2 + 2*B*(psi'*cos(theta))^2)/2"
            " + m*l^2*(theta'^2 + (psi'*cos(theta))^2)/2"
            " + (A*theta'^2 + C*(phi' + psi'*sin(theta))^2 + A*(psi'*cos(theta))^2)/2"
        ),
        potential="m*g*l*sin(theta)",
        parameters=gyroscope.parameters,
        initial={"psi": 0, "theta": 0, "phi": 0, "psi'": 0, "theta'": 0, "phi'": 60},
    ).simulate(1.0, **EXACT)
    assert np.ptp(angles["theta"]) > 0.005
    assert 2 * np.arctan2(run["e3_outer"][-1], run["e0_outer"][-1]) == pytest.approx(angles["psi"][-1], abs=1e-7)
    assert run["z_inner"][-1] == pytest.approx(0.15 * np.sin(angles["theta"][-1]), abs=1e-8)


def test_spatial_chain():
    """Two rods: the first turns about the level axis by a, the second about an upright one of the first by b."""
    angles = System(
        "a b",
        define={
            "vx": "-l*sin(a)*a' - l*(sin(b)*b'*cos(a) + cos(b)*sin(a)*a')/2",
            "vy": "l*cos(b)*b'/2",
            "vz": "-l*cos(a)*a' - l*(-sin(b)*b'*sin(a) + cos(b)*cos(a)*a')/2",
            "J": "m*(l^2 + w^2)/12",
        },
        kinetic=(
            "m*(l*a'/2)^2/2 + J*a'^2/2 + m*(vx^2 + vy^2 + vz^2)/2"
            " + (m*w^2/6*(a'*sin(b))^2 + J*(a'*cos(b))^2 + J*b'^2)/2"
        ),
        potential="-m*g*l*sin(a)*(3 + cos(b))/2",
        parameters={"m": 1.0, "l": 1.0, "w": 0.1, "g": 9.81},
        initial={"a": 0, "b": 0, "a'": 0.5, "b'": 2.0},
    ).simulate(1.0, **EXACT)
    chain = mechanism("spatial-chain:2")
    bodies = {name: {**chain.tables["bodies"][name]} for name in ("rod1", "rod2")}
    bodies["rod1"]["spin"], bodies["rod2"]["spin"] = [0, 0.5, 0], [0, 0.5, 2.0]
    run = chain.replace(bodies=bodies).simulate(1.0, **EXACT)
    a, b = angles["a"][-1], angles["b"][-1]
    place = [np.cos(a) * (1 + np.cos(b) / 2), np.sin(b) / 2, -np.sin(a) * (1 + np.cos(b) / 2)]
    assert [run[f"{x}_rod2"][-1] for x in "xyz"] == pytest.approx(place, abs=1e-7)
