"""Systems whose first integrals are known: by name the system, and what stays constant, as text."""

from __future__ import annotations

import re

from dalembert import System, example

TOP = "A*(theta'^2 + psi'^2*sin(theta)^2)/2 + C*(phi' + psi'*cos(theta))^2/2"  # symmetric, in Euler angles
SPIN = {"p_phi": "C*(phi' + psi'*cos(theta))"}
ABOUT = {"p_psi": "A*psi'*sin(theta)^2 + C*(phi' + psi'*cos(theta))*cos(theta)"}
TURNED = {"psi": 0.2, "theta": 0.7, "phi": 0.1, "psi'": 0.5, "theta'": 0.3, "phi'": 3}


def system(coordinates: str, kinetic: str, potential: str = "0", **more) -> System:
    names = ("A", "B", "C", "m", "m1", "m2", "m3", "M", "J", "k", "g", "l", "a", "r0", "w", "q", "R", "I1", "I2")
    values = dict(zip(names, (0.3, 0.4, 0.15, 1.3, 0.7, 1.9, 0.45, 2.1, 0.6, 3.5, 9.81, 0.8, 0.35, 1.2, 1.7, 0.9, 0.65, 0.31, 0.17), strict=True))  # fmt: skip
    text = " ".join([kinetic, potential, str(more)])
    used = {name: value for name, value in values.items() if name in _words(text) - set(coordinates.split())}
    return System(coordinates=coordinates, kinetic=kinetic, potential=potential, parameters=used, **more)


def _words(text: str) -> set[str]:
    return set(re.findall(r"[A-Za-z_]\w*", text))


CLASSICS: dict[str, tuple[System, dict[str, str]]] = {
    "symmetric top": (
        system("psi theta phi", TOP, "m*g*l*cos(theta)", initial=TURNED),
        {"energy": f"{TOP} + m*g*l*cos(theta)", **SPIN, **ABOUT},
    ),
    "Kepler in polar coordinates": (
        system("r phi", "m*(r'^2 + r^2*phi'^2)/2", "-k/r", initial={"r": 1, "phi'": 1.5}),
        {"energy": "m*(r'^2 + r^2*phi'^2)/2 - k/r", "p_phi": "m*r^2*phi'"},
    ),
    "Kepler": (
        system("x y", "m*(x'^2 + y'^2)/2", "-k/sqrt(x^2 + y^2)", initial={"x": 1, "y'": 1.5}),
        {"energy": "m*(x'^2 + y'^2)/2 - k/sqrt(x^2 + y^2)", "L": "m*(x*y' - y*x')"},
    ),
    "sleigh": (
        example("chaplygin-sleigh"),
        {"energy": "m*(x'^2 + y'^2)/2 + m*a*theta'*(y'*cos(theta) - x'*sin(theta)) + (J + m*a^2)*theta'^2/2"},
    ),
    "sleigh with its blade below the mass": (
        system(
            "x y theta", "m*(x'^2 + y'^2)/2 + J*theta'^2/2",
            constraints={"blade": "x'*sin(theta) - y'*cos(theta) = 0"}, initial={"theta": 0.3, "x'": 1, "theta'": 0.5},
        ),
        {"energy": "m*(x'^2 + y'^2)/2 + J*theta'^2/2", "u": "m*(x'*cos(theta) + y'*sin(theta))", "p_theta": "J*theta'"},
    ),
    "upright disk": (
        example("upright-disk"),
        {"energy": "m*(x'^2 + y'^2)/2 + m*r^2*phi'^2/4 + m*r^2*theta'^2/8", "p_phi": "phi'", "p_theta": "theta'"},
    ),
    "spherical pendulum": (
        system(
            "x y z", "m*(x'^2 + y'^2 + z'^2)/2", "m*g*z",
            constraints={"rod": "x^2 + y^2 + z^2 = l^2"}, initial={"x": 0.4, "y": 0.1, "x'": 0.3, "y'": 1}, guess={"z": -0.7},
        ),
        {"energy": "m*(x'^2 + y'^2 + z'^2)/2 + m*g*z", "L": "m*(x*y' - y*x')"},
    ),
    "cart with a pendulum": (
        system(
            "x phi", "(M + m)*x'^2/2 + m*l*x'*phi'*cos(phi) + m*l^2*phi'^2/2", "-m*g*l*cos(phi)",
            initial={"phi": 1, "x'": 0.4},
        ),
        {
            "energy": "(M + m)*x'^2/2 + m*l*x'*phi'*cos(phi) + m*l^2*phi'^2/2 - m*g*l*cos(phi)",
            "p_x": "(M + m)*x' + m*l*phi'*cos(phi)",
        },
    ),
    "double pendulum": (
        example("double-pendulum"),
        {"energy": "(m1 + m2)*l1^2*a1'^2/2 + m2*l2^2*a2'^2/2 + m2*l1*l2*a1'*a2'*cos(a1 - a2)"
                   " - (m1 + m2)*g*l1*cos(a1) - m2*g*l2*cos(a2)"},
    ),
    "double pendulum without weight": (
        system(
            "a b", "m1*l^2*a'^2/2 + m2*(l^2*a'^2 + r0^2*b'^2 + 2*l*r0*a'*b'*cos(a - b))/2",
            initial={"b": 1, "a'": 1, "b'": 2},
        ),
        {
            "energy": "m1*l^2*a'^2/2 + m2*(l^2*a'^2 + r0^2*b'^2 + 2*l*r0*a'*b'*cos(a - b))/2",
            "L": "(m1 + m2)*l^2*a' + m2*r0^2*b' + m2*l*r0*(a' + b')*cos(a - b)",
        },
    ),
    "two bodies": (
        system(
            "x1 y1 x2 y2", "m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2", "-k/sqrt((x1 - x2)^2 + (y1 - y2)^2)",
            initial={"x2": 1, "y1'": 0.4, "y2'": -1, "x1'": 0.2},
        ),
        {
            "energy": "m1*(x1'^2 + y1'^2)/2 + m2*(x2'^2 + y2'^2)/2 - k/sqrt((x1 - x2)^2 + (y1 - y2)^2)",
            "px": "m1*x1' + m2*x2'", "py": "m1*y1' + m2*y2'",
            "L": "m1*(x1*y1' - y1*x1') + m2*(x2*y2' - y2*x2')",
        },
    ),
    "three particles": (
        system(
            "x1 x2 x3", "m1*x1'^2/2 + m2*x2'^2/2 + m3*x3'^2/2", "k*(x1 - x2)^2/2 + k*(x2 - x3 - r0)^4/4",
            initial={"x2": 0.3, "x3": -0.7, "x1'": 1},
        ),
        {
            "energy": "m1*x1'^2/2 + m2*x2'^2/2 + m3*x3'^2/2 + k*(x1 - x2)^2/2 + k*(x2 - x3 - r0)^4/4",
            "p": "m1*x1' + m2*x2' + m3*x3'",
        },
    ),
    "free rigid body": (  # Euler's angles see one of the three moments; the others turn with psi
        system(
            "psi theta phi",
            "A*(psi'*sin(theta)*sin(phi) + theta'*cos(phi))^2/2 + B*(psi'*sin(theta)*cos(phi) - theta'*sin(phi))^2/2"
            " + C*(psi'*cos(theta) + phi')^2/2",
            initial=TURNED,
        ),
        {
            "energy": "A*(psi'*sin(theta)*sin(phi) + theta'*cos(phi))^2/2"
                      " + B*(psi'*sin(theta)*cos(phi) - theta'*sin(phi))^2/2 + C*(psi'*cos(theta) + phi')^2/2",
            "p_psi": "A*(psi'*sin(theta)*sin(phi) + theta'*cos(phi))*sin(theta)*sin(phi)"
                     " + B*(psi'*sin(theta)*cos(phi) - theta'*sin(phi))*sin(theta)*cos(phi)"
                     " + C*(psi'*cos(theta) + phi')*cos(theta)",
        },
    ),
    "bead on a hoop that turns": (
        system("theta", "m*R^2*(theta'^2 + w^2*sin(theta)^2)/2", "-m*g*R*cos(theta)", initial={"theta": 1}),
        {"jacobi": "m*R^2*(theta'^2 - w^2*sin(theta)^2)/2 - m*g*R*cos(theta)"},
    ),
    "bead on a hoop that is driven": (
        system(
            "theta phi", "m*R^2*(theta'^2 + phi'^2*sin(theta)^2)/2", "-m*g*R*cos(theta)",
            constraints={"drive": "phi = w*t"}, initial={"theta": 1},
        ),
        {"jacobi": "m*R^2*(theta'^2 + phi'^2*sin(theta)^2)/2 - m*g*R*cos(theta) - w*m*R^2*phi'*sin(theta)^2"},
    ),
    "Foucault's pendulum": (
        system(
            "x y", "m*((x' - w*y)^2 + (y' + w*x)^2)/2", "k*(x^2 + y^2)/2", initial={"x": 1, "y'": 0.3},
        ),
        {"jacobi": "m*(x'^2 + y'^2 - w^2*(x^2 + y^2))/2 + k*(x^2 + y^2)/2", "L": "m*(x*y' - y*x' + w*(x^2 + y^2))"},
    ),
    "central field": (
        system(
            "x y z", "m*(x'^2 + y'^2 + z'^2)/2", "k*(x^2 + y^2 + z^2)^2",
            initial={"x": 0.5, "y": 0.1, "z": 0.2, "x'": 0.3, "y'": 1, "z'": -0.4},
        ),
        {
            "energy": "m*(x'^2 + y'^2 + z'^2)/2 + k*(x^2 + y^2 + z^2)^2",
            "Lx": "m*(y*z' - z*y')", "Ly": "m*(z*x' - x*z')", "Lz": "m*(x*y' - y*x')",
        },
    ),
    "Atwood's machine": (
        system(
            "x y", "m1*x'^2/2 + m2*y'^2/2", "m1*g*x + m2*g*y",
            constraints={"rope": "x + y = l"}, initial={"x": 0.3, "x'": 0.1},
        ),
        {"energy": "m1*x'^2/2 + m2*y'^2/2 + m1*g*x + m2*g*y"},
    ),
    "elastic pendulum": (
        system(
            "x y z", "m*(x'^2 + y'^2 + z'^2)/2", "m*g*z + k*(sqrt(x^2 + y^2 + z^2) - r0)^2/2",
            initial={"x": 0.5, "z": -1, "y'": 0.7},
        ),
        {"energy": "m*(x'^2 + y'^2 + z'^2)/2 + m*g*z + k*(sqrt(x^2 + y^2 + z^2) - r0)^2/2", "L": "m*(x*y' - y*x')"},
    ),
    "charged particle": (  # in a magnetic field along z, by the potential A = B (−y, x, 0)/2
        system(
            "x y z", "m*(x'^2 + y'^2 + z'^2)/2 + q*B*(x*y' - y*x')/2",
            initial={"x": 0.5, "x'": 0.3, "y'": 1, "z'": 0.2},
        ),
        {
            "energy": "m*(x'^2 + y'^2 + z'^2)/2", "p_z": "m*z'", "px": "m*x' - q*B*y", "py": "m*y' + q*B*x",
            "L": "m*(x*y' - y*x') + q*B*(x^2 + y^2)/2",
        },
    ),
    "coin": (  # that leans, in Euler's angles, rolling on a plane: nonholonomic, and no affine momentum survives
        system(
            "x y psi theta phi",
            "m*(x'^2 + y'^2 + R^2*theta'^2*sin(theta)^2)/2 + I1*(theta'^2 + psi'^2*cos(theta)^2)/2"
            " + I2*(phi' + psi'*sin(theta))^2/2",
            "m*g*R*cos(theta)",
            constraints={
                "x": "x' = R*(phi' + psi'*sin(theta))*cos(psi) + R*theta'*cos(theta)*sin(psi)",
                "y": "y' = R*(phi' + psi'*sin(theta))*sin(psi) - R*theta'*cos(theta)*cos(psi)",
            },
            initial={"theta": 0.3, "psi'": 1, "phi'": 3},
        ),
        {
            "energy": "m*(x'^2 + y'^2 + R^2*theta'^2*sin(theta)^2)/2 + I1*(theta'^2 + psi'^2*cos(theta)^2)/2"
                      " + I2*(phi' + psi'*sin(theta))^2/2 + m*g*R*cos(theta)",
        },
    ),
    "rolling ball": (  # homogeneous: no reaction acts, it goes straight on and turns as it does
        system(
            "x y e0 e1 e2 e3",
            "m*(x'^2 + y'^2)/2 + 2*J*(e0'^2 + e1'^2 + e2'^2 + e3'^2)",
            constraints={
                "norm": "e0^2 + e1^2 + e2^2 + e3^2 = 1",
                "x": "x' = 2*R*(e0*e2' - e2*e0' + e3*e1' - e1*e3')",
                "y": "y' = -2*R*(e0*e1' - e1*e0' + e2*e3' - e3*e2')",
            },
            initial={"x": 0.3, "y": -0.2, "e1": 0.1, "e2": 0.2, "e3": -0.1, "e1'": 0.3, "e2'": 0.4, "e3'": 0.2},
            guess={"e0": 1},
        ),
        {
            "energy": "m*(x'^2 + y'^2)/2 + 2*J*(e0'^2 + e1'^2 + e2'^2 + e3'^2)",
            "x": "x'", "y": "y'", "L": "x*y' - y*x'", "spin": "e0*e3' - e3*e0' + e1*e2' - e2*e1'",
            # as ω is constant, the parameters move along a great circle
            "e01": "e0*e1' - e1*e0'", "e02": "e0*e2' - e2*e0'", "e03": "e0*e3' - e3*e0'",
        },
    ),
}  # fmt: skip
