"""Machines in space, as users write them, made from a seed: chains of all pairs, rolling bodies, closed linkages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.everyday.case import Case, Dice
from tests.everyday.workshop import Workshop

AXES = ([0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 1, 1], [1, 2, 2])
COORDINATE = {
    "revolute": "angle",
    "prismatic": "distance",
    "cylindrical": "angle",
    "screw": "distance",
    "planar": "angle",
}


class Spatial(Workshop):
    """A workshop for bodies in space."""

    def solid(self, name: str, at: Any, inertia: bool = True, mass: bool = True, **more: Any) -> str:
        """Add a body; three moments that a body can have, or a matrix."""
        dice = self.dice
        table: dict[str, Any] = {"mass": self.named(f"m_{name}", self.mass())} if mass else {}
        if inertia:
            base = dice.decimal(0.05, 0.3)
            moments = [self.moment(base * k) for k in (1.0, 1.3, 1.6)]
            dice.shuffle(moments)
            off = self.moment(base * 0.1)
            full = [[moments[0], off, 0], [off, moments[1], 0], [0, 0, moments[2]]]
            table["inertia"] = full if dice.chance(0.2) else moments
        table["at"] = self.vector(at)
        if dice.chance(0.4):
            table["rotation"] = {"axis": dice.choice(AXES), "angle": dice.decimal(0.2, 1.5)}
        self.tables["bodies"][name] = table | more
        return name

    def moment(self, x: float) -> Any:
        """Return a moment of inertia as it is written."""
        return float(f"{x * self.M * self.L**2:.6g}")


def chain(shop: Spatial) -> str:
    """One to three bodies hung on each other by pairs of all kinds."""
    dice = shop.dice
    base, here, joints = "ground", (0.0, 0.0, 0.0), {}
    for k in range(dice.choice((1, 1, 2, 2, 3))):
        end = tuple(round(x + dice.signed(0.1, 0.7), 2) for x in here)
        name = f"b{k + 1}"
        middle = [(a + b) / 2 for a, b in zip(here, end, strict=True)]
        kind = dice.choice(
            ["revolute"] * 3 + ["spherical", "universal", "cylindrical", "prismatic", "screw", "planar", "rigid"]
        )
        shop.solid(name, middle, inertia=not (kind in ("prismatic", "rigid") and dice.chance(0.3)))
        more: dict[str, Any] = {}
        if kind not in ("spherical", "rigid"):
            more["axis"] = dice.choice(AXES)
        if kind == "screw":
            more["pitch"] = shop.short(dice.decimal(0.02, 0.3))
        if kind == "universal":
            more |= dice.choice([{"axis": [0, 0, 1], "cross": [1, 0, 0]}, {"axis": [0, 1, 0], "cross": [1, 0, 1]}])
        shop.joint(f"J{k + 1}", kind, [base, name], here, **more)
        if kind in COORDINATE:
            joints[f"J{k + 1}"] = COORDINATE[kind]
        base, here = name, end
    if dice.chance(0.25):
        far = [x + d for x, d in zip(here, (0.5, 0.4, 0.8), strict=True)]
        shop.joint("tie_rod", "rod", ["ground", base], [far, here])
        shop.decorate(joints)
    else:
        shop.decorate(joints, dice.choice(list(joints)) if joints else None)
    return "Chain in space"


def guided(shop: Spatial) -> str:
    """A body with points on lines and in planes."""
    dice = shop.dice
    shop.solid("plate", (0.1, 0.2, 0.3))
    shop.joint("line", "point_on_line", ["ground", "plate"], (0.1, 0, 0), axis=dice.choice(AXES[1:3]))
    for k in range(dice.choice((0, 1, 2))):
        place = (dice.decimal(0.2, 0.9), dice.decimal(0.2, 0.9), 0.3)
        shop.joint(f"plane{k + 1}", "point_in_plane", ["ground", "plate"], place, axis=[0, 0, 1])
    shop.decorate({"line": "distance"})
    return "Guided plate"


def rolling(shop: Spatial) -> str:
    """A sphere or a disk on the floor."""
    dice = shop.dice
    r = dice.decimal(0.1, 0.5)
    spin = [dice.signed(0.2, 3), dice.signed(0.2, 3), dice.signed(0.2, 3)]
    if dice.chance(0.5):
        shop.solid("ball", (0, 0, r), **({"spin": spin} if dice.chance(0.6) else {}))
        shop.joint("floor", "rolling_sphere", ["ground", "ball"], points=[[0, 0, 0], [0, 0, 0]], radius=shop.short(r))
        shop.decorate({})
        return "Ball"
    shop.solid("coin", (0, 0, r * 0.8), **({"spin": spin} if dice.chance(0.5) else {}))
    shop.tables["bodies"]["coin"]["rotation"] = {"axis": [1, 0, 0], "angle": dice.decimal(0.8, 1.5)}
    shop.joint("floor", "rolling_disk", ["ground", "coin"], points=[[0, 0, 0], [0, 0, 0]], radius=shop.short(r))
    shop.decorate({})
    return "Coin"


def linkage(shop: Spatial) -> str:
    """A four-bar of the plane with the revolutes of space, which repeat each other, or with looser pairs."""
    dice = shop.dice
    tops = [(0.0, 0.3, 0.0), (1.0, 0.6, 0.0)]
    kinds = dice.choice(
        [
            ["revolute"] * 4,
            ["revolute", "spherical", "spherical", "revolute"],
            ["revolute", "revolute", "spherical", "cylindrical"],
        ]
    )
    shop.solid("crank", (0, 0.15, 0))
    shop.solid("coupler", (0.5, 0.45, 0))
    shop.solid("rocker", (1, 0.3, 0), inertia=not dice.chance(0.2))
    pins = [
        ("ground", "crank", (0, 0, 0)),
        ("crank", "coupler", tops[0]),
        ("coupler", "rocker", tops[1]),
        ("ground", "rocker", (1, 0, 0)),
    ]
    for name, kind, (a, b, at) in zip("ABCD", kinds, pins, strict=True):
        shop.joint(name, kind, [a, b], at, **({} if kind == "spherical" else {"axis": [0, 0, 1]}))
    shop.decorate({"A": "angle"}, "A")
    return "Linkage in space"


MACHINES: tuple[Callable[[Spatial], str], ...] = (chain, rolling, chain, linkage, chain, guided)


def spatial(seed: int) -> Case:
    """Return a machine in space."""
    shop = Spatial(Dice(seed), dimensions=3)
    kind = MACHINES[seed // 4 % len(MACHINES)](shop)
    return shop.case(f"{kind} {seed}", until=0.1)
