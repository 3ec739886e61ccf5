"""Mechanisms that have between them every kind of joint and element, each small enough to be drawn at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from dalembert import Mechanism


def joint(kind: str, first: str, second: str, **rest: Any) -> dict[str, Any]:
    return {"kind": kind, "bodies": [first, second], **rest}


def body(mass: float = 1.0, inertia: Any = 0.1, **rest: Any) -> dict[str, Any]:
    return {"mass": mass, "inertia": inertia, **rest}


def solid(**rest: Any) -> dict[str, Any]:
    return {"mass": 1.0, "inertia": [0.1, 0.1, 0.1], **rest}


def planetary() -> Mechanism:
    """Sun, planet on an arm, and a fixed ring; teeth in mesh."""
    return Mechanism(
        {"arm": body(at=[0.25, 0]), "sun": body(), "planet": body(at=[0.5, 0])},
        {
            "A": joint("revolute", "ground", "arm", at=[0, 0]),
            "B": joint("revolute", "ground", "sun", at=[0, 0]),
            "C": joint("revolute", "arm", "planet", at=[0.5, 0]),
            "D": joint("gear", "sun", "planet", teeth=[20, 30], carrier="arm"),
            "E": joint(
                "gear", "ground", "planet", radii=[0.8, 0.3], internal=True, carrier="arm", points=[[0, 0], [0, 0]]
            ),
        },
        drives={"motor": {"joint": "B", "angle": "2*t"}},
        name="Planetary gear",
    )


def gears() -> Mechanism:
    return Mechanism(
        {"one": body(), "two": body(at=[0.75, 0])},
        {
            "A": joint("revolute", "ground", "one", at=[0, 0]),
            "B": joint("revolute", "ground", "two", at=[0.75, 0]),
            "C": joint("gear", "one", "two", radii=[0.25, 0.5]),
        },
        drives={"motor": {"joint": "A", "angle": "2*t"}},
        springs={"coil": {"joint": "B", "stiffness": 1.0}},
        name="Two gears",
    )


def rack(side: int = 1) -> Mechanism:
    return Mechanism(
        {"rack": body(), "pinion": body(at=[0, 0.4 * side])},
        {
            "A": joint("prismatic", "ground", "rack", at=[-0.6, 0], axis=[1, 0]),
            "B": joint("revolute", "ground", "pinion", at=[0, 0.4 * side]),
            "C": joint("rack", "rack", "pinion", axis=[1, 0], radius=0.4),
        },
        actuators={"push": {"joint": "A", "force": "sin(3*t)"}},
        name="Rack and pinion",
    )


def wheel() -> Mechanism:
    """A disk rolls down an incline, held by a spring with a damper."""
    return Mechanism(
        {"disk": body(at=[0, 0.5], inertia=0.05)},
        {"floor": joint("rolling", "ground", "disk", axis=[1, -0.3], radius=0.5, points=[[0, 0], [0, 0]])},
        springs={"s": {"bodies": ["ground", "disk"], "at": [[-1.5, 1.0], [0, 0.5]], "stiffness": 5, "damping": 0.5}},
        name="Disk on an incline",
    )


def pulleys() -> Mechanism:
    over = [
        {"at": [0, 1], "radius": 0.2, "side": "right"},
        {"body": "block", "point": [0, 0], "radius": 0.15, "side": "left"},
        {"at": [0.9, 1.0], "radius": 0.2, "side": "right"},
    ]
    return Mechanism(
        {"left": body(at=[-0.2, 0]), "block": body(2.5, at=[0.45, 0.2]), "right": body(at=[1.1, 0])},
        {
            "rope": joint("rope", "left", "right", points=[[0, 0], [0, 0]], over=over),
            "A": joint("prismatic", "ground", "left", at=[-0.2, 0], axis=[0, 1]),
            "B": joint("prismatic", "ground", "block", at=[0.45, 0.2], axis=[0, 1]),
            "C": joint("prismatic", "ground", "right", at=[1.1, 0], axis=[0, 1]),
        },
        name="Rope over pulleys",
    )


def quick_return() -> Mechanism:
    """A crank whose pin moves in the slot of a rocker; a rod to a weight; a damper, an actuator, a weld."""
    return Mechanism(
        {
            "crank": body(at=[0, 0.5], points={"P": [0.3, 0]}),
            "rocker": body(at=[0, 0], angle="atan2(0.5, 0.3)", points={"top": [1.0, 0]}),
            "weight": body(at=[1.4, 0.6]),
            "flag": body(at=[1.4, 0.8]),
        },
        {
            "A": joint("revolute", "ground", "crank", at=[0, 0.5]),
            "O": joint("revolute", "ground", "rocker", at=[0, 0]),
            "S": joint("slot", "rocker", "crank", at=[0.3, 0.5], axis=[0.3, 0.5]),
            "link": joint("rod", "rocker", "weight", points=["top", [0, 0]]),
            "guide": joint("prismatic", "ground", "weight", at=[1.4, 0.6], axis=[1, 0]),
            "W": joint("rigid", "weight", "flag", at=[1.4, 0.7]),
        },
        dampers={"d": {"bodies": ["ground", "flag"], "at": [[2.2, 0.9], [1.4, 0.9]], "damping": 2}},
        actuators={"jack": {"bodies": ["ground", "rocker"], "at": [[-0.8, 0.2], [0.15, 0.25]], "force": 1}},
        drives={"motor": {"joint": "A", "speed": 3}},
        name="Quick return",
    )


def cardan() -> Mechanism:
    """Two shafts with a universal joint, one in a cylinder, a screw and a ball on it."""
    return Mechanism(
        {"shaft": solid(at=[-0.5, 0, 0]), "second": solid(at=[0.5, 0, 0]), "nut": solid(at=[-0.7, 0, 0])},
        {
            "A": joint("revolute", "ground", "shaft", at=[-1, 0, 0], axis=[1, 0, 0]),
            "U": joint("universal", "shaft", "second", at=[0, 0, 0], axis=[0, 1, 0], cross=[0, 0, 1]),
            "C": joint("cylindrical", "ground", "second", at=[1, 0, 0], axis=[1, 0, 0]),
            "S": joint("screw", "shaft", "nut", at=[-0.7, 0, 0], axis=[1, 0, 0], pitch=0.2),
            "G": joint(
                "point_in_plane", "ground", "nut", points=[[-0.7, 0.2, 0], [0, 0.2, 0]], axes=[[0, 0, 1], [0, 0, 1]]
            ),
        },
        dimensions=3,
        drives={"motor": {"joint": "A", "angle": "t"}},
        name="Universal joint and screw",
    )


def slides() -> Mechanism:
    """Sliders in space: a cart on a rail, a bead on a line, a puck on a plane, a swinging rod and a ball joint."""
    return Mechanism(
        {
            "cart": solid(at=[0, 0, 0]),
            "arm": solid(at=[0, 0, -0.5], points={"end": [0, 0, -0.5]}),
            "bead": solid(at=[0.5, 1, 0.5]),
            "puck": solid(at=[1, 1, 0], velocity=[0.2, 0.1, 0]),
            "bob": solid(at=[0.4, 0.3, -1.4]),
            "plate": solid(at=[0, 0, 0.3]),
        },
        {
            "rail": joint("prismatic", "ground", "cart", at=[0, 0, 0], axis=[1, 0, 0]),
            "ball": joint("spherical", "cart", "arm", at=[0, 0, 0]),
            "line": joint("point_on_line", "ground", "bead", at=[0.5, 1, 0.5], axis=[1, 0, 0.5]),
            "table": joint("planar", "ground", "puck", at=[1, 1, 0], axis=[0, 0, 1]),
            "link": joint("rod", "arm", "bob", points=["end", [0, 0, 0]]),
            "weld": joint("rigid", "cart", "plate", at=[0, 0, 0.1]),
        },
        dimensions=3,
        springs={"s": {"bodies": ["ground", "bead"], "at": [[1.5, 1, 1], [0.5, 1, 0.5]], "stiffness": 3}},
        initial={"x_cart'": 0.5},
        name="Sliders in space",
    )


def marble() -> Mechanism:
    return Mechanism(
        {"marble": solid(at=[0, 0, 0.3], spin=[0, 4, 1])},
        {"floor": joint("rolling_sphere", "ground", "marble", points=[[0, 0, 0], [0, 0, 0]], radius=0.3)},
        dimensions=3,
        name="Marble",
    )


ZOO: dict[str, Callable[[], Mechanism]] = {
    make.__name__: make for make in (planetary, gears, rack, wheel, pulleys, quick_return, cardan, slides, marble)
}
