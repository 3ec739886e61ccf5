"""What is known of the everyday models from elsewhere: closed forms, statics, ratios, periods.

A fact takes the motion of the model that it is named after (underscores for hyphens), sampled, and fails if it is not so.
"""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose
from scipy.integrate import solve_ivp
from scipy.linalg import eigh

from dalembert.results.run import Run

G = 9.81


def close(value, expected, rtol=1e-6, atol=1e-7):
    assert_allclose(value, expected, rtol=rtol, atol=atol)


def point(run: Run, body: str, x: float, y: float) -> np.ndarray:
    """Return the place of a point of a body in the plane, one column for each time."""
    phi = run[f"phi_{body}"]
    return np.array([
        run[f"x_{body}"] + x * np.cos(phi) - y * np.sin(phi),
        run[f"y_{body}"] + x * np.sin(phi) + y * np.cos(phi),
    ])  # fmt: skip


def turned(run: Run, body: str, axis: int) -> np.ndarray:
    """Return by how much a body in space has turned about an axis of its own that does not move."""
    return np.unwrap(2 * np.arctan2(run[f"e{axis}_{body}"], run[f"e0_{body}"]), period=2 * np.pi)


def ball_pendulum(run: Run):
    """On a cone the weight balances w² l cos a = g; a ball's own inertia plays no part."""
    l, a = 0.85, 0.6
    angle = np.sqrt(G / (l * np.cos(a))) * run.t
    close(run["x_lamp"], -l * np.sin(a) * np.sin(angle), atol=1e-6)
    close(run["y_lamp"], l * np.sin(a) * np.cos(angle), atol=1e-6)
    close(run["z_lamp"], -l * np.cos(a))


def bead(run: Run):
    """On a cycloid the length of the way swings harmonically, however far (Huygens)."""
    close(np.sin(run["u"] / 2), np.sin(0.85) * np.cos(np.sqrt(G / 1.2) * run.t), atol=1e-6)


def bicycle(run: Run):
    close(run["phi_rear"], 44 / 16 * run["phi_chainring"])
    ratio, phi = 44 / 16, run["phi_chainring"]
    torque = -35 * (1 - 0.6 * np.cos(2 * phi)) - 0.42 * ratio**2 * run["phi_chainring'"]
    close(run["phi_chainring''"] * (0.0061 + 0.11 * ratio**2), torque)


def brake(run: Run):
    """Dry friction takes 2F/k from each half swing; drag with the square of the speed makes y grow as a logarithm."""
    turns = np.arange(1, 4)
    times = turns * np.pi / np.sqrt(40)
    q = run.at(times)[0]
    close(q[:, 0], (-1.0) ** turns * (0.5 - 2 * turns * 1.5 / 48), atol=1e-5)
    close(run["y"], 1.2 / 0.9 * np.log(1 + 0.9 * 2.2 * run.t / 1.2))
    assert abs(run["z"] - run["x"]).max() < 0.02  # nearly dry


def cardan(run: Run):
    """Two joints at equal angles undo each other; the shaft between them runs unevenly."""
    close(turned(run, "input", 1), 31.4 * run.t, atol=1e-6)
    close(turned(run, "output", 1), 31.4 * run.t, atol=1e-6)


def crank_rocker(run: Run):
    b, c = point(run, "crank", 0.09, 0), point(run, "rocker", -0.03, 0.175)
    close(np.hypot(*(c - b)), np.hypot(0.48, 0.17))
    assert (np.diff(run.energy) < 1e-9).all()  # the spring brakes


def door(run: Run):
    inertia = 1.26 + 23.6 * 0.4**2
    w = np.sqrt(18.5 / inertia)
    close(turned(run, "door", 3), 1.4 / w * np.sin(w * run.t), atol=1e-6)


def double_pendulum_mm(run: Run):
    """The equations of two rods in their angles, in kg and m."""
    m, J, c, l = (2.4, 1.7), (0.0288, 0.0204), (0.19, 0.19), 0.38

    def rate(t, state):
        p, q, u, w = state
        off = m[1] * l * c[1] * np.cos(p - q)
        mass = [[J[0] + m[0] * c[0] ** 2 + m[1] * l**2, off], [off, J[1] + m[1] * c[1] ** 2]]
        swing = m[1] * l * c[1] * np.sin(p - q)
        knee = 3.1 * (q - p)
        hip = -5.2 * p - 0.12 * u
        force = [
            -swing * w**2 - G * (m[0] * c[0] + m[1] * l) * np.sin(p) + hip + knee,
            swing * u**2 - G * m[1] * c[1] * np.sin(q) - knee,
        ]
        return [u, w, *np.linalg.solve(mass, force)]

    exact = solve_ivp(rate, (0, run.t[-1]), [0, 0, 2.5, 0], t_eval=run.t, rtol=1e-10, atol=1e-12)
    close(run["phi_upper"], exact.y[0], atol=1e-6)
    close(run["phi_lower"], exact.y[1], atol=1e-6)


def four_bar_off(run: Run):
    close(run["phi_crank"], 0.8 + 11.5 * run.t)
    b, c = point(run, "crank", 0.1, 0), point(run, "rocker", 0.19, 0)
    close(np.hypot(*(c - b)), 0.58)
    close(np.hypot(c[0] - 0.745, c[1]), 0.38)
    close(np.hypot(*b), 0.2)


def gear_train(run: Run):
    first, second = 17 / 53, 19 / 61
    close(run["phi_output"], first * second * run["phi_motor"])
    inertia = 0.0009 + first**2 * (0.0125 + second**2 * 0.088)
    torque = inertia * 450 * np.exp(-3 * run.t) - first * second * 24.5
    close(run.joint("motor_speed", on="motor").moment, torque, atol=1e-6)


def governor(run: Run):
    """At rest in the turning frame: weights and spring against the centrifugal force."""
    alpha = run["alpha"][-1]
    m, M, l, w, k = 0.62, 2.4, 0.21, 18.0, 40.0
    s = 2 * l * (1 - np.cos(alpha))
    close(m * w**2 * l * np.cos(alpha), (m + M) * G + k * s, rtol=1e-5)


def gyroscope(run: Run):
    """A level axle precesses evenly: moment of the weight = spin × precession × inertia."""
    rate = 0.74 * G * 0.12 / (0.00058 * 210)
    close(run["z_rotor"], 0, atol=1e-6)
    close(run["x_rotor"], 0.12 * np.cos(rate * run.t), atol=1e-6)


def half_car(run: Run):
    """In the end the car is as high above the kerb as it was above the road."""
    close(run["z"][-1] - run["z"][0], 0.08, rtol=1e-4)
    close(run["theta"][-1], run["theta"][0], rtol=1e-3)


def inverted_pendulum(run: Run):
    growth = np.sqrt((1.6 + 0.35) * G / (1.6 * 0.48))
    close(run["theta"], 1e-4 * np.cosh(growth * run.t), rtol=1e-4)


def lift(run: Run):
    a = (640.5 - 588.2) * G / (640.5 + 588.2 + 2 * 0.83 / 0.28**2)
    close(run["y_cabin"], -a * run.t**2 / 2, atol=1e-6)
    close(run["y_counterweight"], 4 + a * run.t**2 / 2, atol=1e-6)


def massless_slide(run: Run):
    w, forced = np.sqrt(220 / 1.85), 90 * 0.05 / (220 - 1.85 * 16)
    close(run["x_weight"] - 0.6, forced * (np.sin(4 * run.t) - 4 / w * np.sin(w * run.t)), atol=1e-6)


def matrices(run: Run):
    m, k = 2400.0, 1.65e6
    squares, shapes = eigh(k * np.array([[2, -1, 0], [-1, 2, -1], [0, -1, 1.0]]), np.diag([m, m, 0.75 * m]))
    amplitudes = shapes.T @ np.diag([m, m, 0.75 * m]) @ [0.01, 0, 0]
    exact = shapes @ (amplitudes[:, None] * np.cos(np.sqrt(squares)[:, None] * run.t))
    close([run["u1"], run["u2"], run["u3"]], exact)


def pantograph(run: Run):
    pen, pencil = point(run, "long2", 0.12, -0.16), point(run, "short1", 0.06, -0.08)
    close(pen, 2 * pencil)
    assert np.ptp(pen, axis=1).min() > 0.01  # it has drawn something


def piston(run: Run):
    angle = 157 * run.t
    close(run["x_piston"], 0.043 * np.cos(angle) + np.sqrt(0.144**2 - (0.043 * np.sin(angle)) ** 2))


def planetary(run: Run):
    """Willis: the carrier follows the sun by Zs/(Zs + Zr)."""
    close(run["phi_carrier"], 80 * run.t * 24 / (24 + 84))


def quick_return(run: Run):
    angle = 6.28 * run.t
    lever = np.arctan2(0.35 + 0.11 * np.sin(angle), 0.11 * np.cos(angle))
    close(run["phi_lever"], lever - lever[0])


def rack(run: Run):
    close(abs(run["x_rack"]), abs(0.024 * run["phi_pinion"]))
    knots = np.array([0.5, 1, 1.5, 2])
    column = list(run.system.coordinates).index("phi_pinion")
    close(run.at(knots)[0][:, column], [0.6, 1.1, 0.4, 0])


def robot(run: Run):
    """At the start the drives stand still: they carry the weight."""
    moments = {name: abs(run.joint(name).moment[0]).max() for name in ("turn", "lift", "bend")}
    close(moments["lift"], G * (7.5 * 0.25 + 4.2 * 0.72))
    close(moments["bend"], G * 4.2 * 0.22)
    close(moments["turn"], 0, atol=1e-6)


def rolling_wheel(run: Run):
    a, r = 0.21, 0.32
    way = G * np.sin(a) / (1 + 0.34 / (5.7 * r**2)) * run.t**2 / 2
    close(run["x_wheel"], r * np.sin(a) + way * np.cos(a))
    close(run["phi_wheel"], -way / r)


def scissor_lift(run: Run):
    """Virtual work: at the start the cylinder carries the weight; the height follows from the foot."""
    x = 1.1 - 0.1 * run.t**3
    close(run["y_platform"], np.sqrt(1.24**2 - x**2))
    close(run["phi_platform"], 0)
    close(run.joint("cylinder").size[0], (120 + 14.5) * G * 1.1 / np.sqrt(1.24**2 - 1.1**2))


def scotch_yoke(run: Run):
    angle = 9.5 * run.t
    close(run["x_yoke"], 0.08 * np.cos(angle))
    torque = 2.7 * 0.08**2 * 9.5**2 * np.sin(angle) * np.cos(angle)
    close(run.joint("motor", on="wheel").moment, torque, atol=1e-6)


def screw_jack(run: Run):
    turn = 2 * np.pi / 0.006  # rad for each m
    a = (4.3 * turn - 432.2 * G) / (432.2 + 0.0011 * turn**2)
    close(run["z_head"] - 0.4, a * run.t**2 / 2)


def servo(run: Run):
    w = np.sqrt(27 / (3.4 + 0.65**2 * 1.9))
    x1 = 0.12 * np.cos(w * run.t)
    close(run["x1"], x1)
    close(run["x2"], 1 + 0.05 * run.t + 0.65 * (x1 - 0.12))


def skate(run: Run):
    """It goes round in a circle."""
    close(run["x"], 4.5 * np.sin(0.8 * run.t), atol=1e-6)
    close(run["y"], 4.5 * (1 - np.cos(0.8 * run.t)), atol=1e-6)


def toggle_press(run: Run):
    l, knee = np.hypot(0.12, 0.3), np.arctan2(0.12, 0.3) + run["phi_upper"]
    close(run["y_ram"], 0.89 - 2 * l * np.cos(knee))
    c, s = np.cos(knee[-1]), np.sin(knee[-1])  # at rest in the end: virtual work of push, weights and workpiece
    down = 52000 * (run["y_ram"][-1] - 0.29) + (35 + 6.4 / 4 + 6.4 * 3 / 4) * G
    close(-900 * l * c, 2 * l * s * down, rtol=1e-4)


def trolley(run: Run):
    """The common centre of mass follows the pull."""
    close(85 * run["x_trolley"] + 240 * run["x_load"], 130 * run.t**2 / 2, atol=1e-5)


def wiper(run: Run):
    """The swing of the blade, from its two dead positions."""
    a, b, c, d = 0.045, np.hypot(0.305, 0.1), 0.1, 0.35
    ends = np.arccos((c**2 + d**2 - np.array([b + a, b - a]) ** 2) / (2 * c * d))
    close(np.ptp(run["phi_blade"]), ends[0] - ends[1], rtol=1e-4)


def wishbone(run: Run):
    """Parallel arms do not turn the wheel; in the end the strut carries the load (virtual work)."""
    close([run["e1_upright"], run["e2_upright"], run["e3_upright"]], 0)
    angle = turned(run, "lower", 1)[-1]
    end = np.array([0.34 + 0.26 * np.cos(angle), 0.2 + 0.26 * np.sin(angle)])
    strut = end - [0.42, 0.75]
    length = np.hypot(*strut)
    way = strut @ [-0.26 * np.sin(angle), 0.26 * np.cos(angle)] / length
    load = (3100 - 31.5 * G - (4.8 + 2.9) * G / 2) * 0.36 * np.cos(angle)
    close(26500 * (length - 0.6) * way, load, rtol=1e-5)
