"""Systems whose programmes are held by controls."""

from __future__ import annotations

from dalembert import System

RISE = "(1716*s^7 - 9009*s^8 + 20020*s^9 - 24024*s^10 + 16380*s^11 - 6006*s^12 + 924*s^13)"


def rise(over: str) -> str:
    """Return the polynomial that rises from 0 to 1 with six derivatives at rest at both ends."""
    return RISE.replace("s", f"({over})")


def crane(**more) -> System:
    """Return a trolley with a winch and a load on a rope; the path of the load is the programme."""
    given = {
        "kinetic": "mt*s'^2/2 + J*beta'^2/2 + m*(xd'^2 + zd'^2)/2",
        "potential": "-m*g*zd",
        "constraints": {"rope": "(xd - s)^2 + zd^2 - (r*beta)^2 = 0"},
        "controls": {"F": {"acts": {"s": 1}}, "M": {"acts": {"beta": 1}}},
        "programme": {"across": f"xd = {rise('t/6')}", "down": f"zd = 4 + {rise('t/6')}"},
        "parameters": {"mt": 10, "J": 0.1, "m": 100, "r": 0.1, "g": 9.81},
        "guess": {"s": 0, "beta": 40, "xd": 0, "zd": 4},
        "simulation": {"until": 6},
    }
    return System("s beta xd zd", **{**given, **more})


def cars(path: str = "y(t)", **more) -> System:
    """Return two cars with a spring; the force on the second holds the path of the first."""
    given = {
        "kinetic": "m1*x1'^2/2 + m2*x2'^2/2",
        "potential": "k*(x2 - x1 - l)^2/2",
        "controls": {"F": {"acts": {"x2": 1}}},
        "programme": {"path": f"x1 = {path}"},
        "functions": {"y": ["t"]} if path == "y(t)" else None,
        "parameters": {"m1": 1, "m2": 2, "k": 1, "l": 0.5},
    }
    return System("x1 x2", **{key: value for key, value in {**given, **more}.items() if value is not None})


def arm(outside: float, spring: float = 50.0) -> System:
    """Return two links, the second on a spring in its joint; the torque T holds the angle of a point of the second.

    The output is phi + outside*theta, which for small angles is the angle to a point on the second link: by its place
    the internal dynamics is stable or not.
    """
    return System(
        "phi theta",
        mass=[["I1 + I2 + m2*l1^2 + 2*m2*l1*s2*cos(theta)", "I2 + m2*l1*s2*cos(theta)"],
              ["I2 + m2*l1*s2*cos(theta)", "I2"]],
        force=["m2*l1*s2*sin(theta)*(2*phi'*theta' + theta'^2)",
               "-m2*l1*s2*sin(theta)*phi'^2 - k*theta - d*theta'"],
        controls={"T": {"acts": {"phi": 1}}},
        programme={"tip": f"phi + b*theta = {rise('t/2')}"},
        parameters={"I1": 0.05, "I2": 0.04, "m2": 2.0, "l1": 0.5, "s2": 0.2, "k": spring, "d": 0.25, "b": outside},
        simulation={"until": 2},
    )  # fmt: skip
