"""What the generators of mechanisms share: bodies, joints and forces in numbers that a person would write."""

from __future__ import annotations

import math
from typing import Any

from tests.everyday.case import Case, Dice
from tests.everyday.machines import oracle_of
from tests.everyday.words import Word, call, word


class Workshop:
    """A mechanism while it is built. Lengths are in metres here and written in m and kg, or in mm and tonnes."""

    def __init__(self, dice: Dice, dimensions: int = 2):
        self.dice, self.dimensions = dice, dimensions
        self.small = dice.chance(0.2)  # millimetres and tonnes: forces stay in newton
        self.L, self.M = (1000, 0.001) if self.small else (1, 1)
        self.parameters: dict[str, float] = {}
        self.tables: dict[str, dict[str, Any]] = {"bodies": {}, "joints": {}}
        down = [0] * (dimensions - 1)
        if self.small:
            self.settings: dict[str, Any] = {"gravity": [*down, -9810]}
        else:
            self.settings = dice.choice([{}, {}, {"gravity": [*down, -9.81]}, {"gravity": [0] * dimensions}])
        if dimensions == 3:
            self.settings = {"dimensions": 3} | self.settings
        self.exact = False  # whether joints that repeat each other need exact places

    # --- numbers -----------------------------------------------------------------------------------------------------

    def short(self, x: float, power: int = 1) -> float:
        """Return a number of metres as it is written, without the digits that nobody types."""
        return tidy(x * self.L**power)

    def vector(self, x: Any) -> list[float]:
        """Return a place as it is written."""
        return [self.short(float(value)) for value in x]

    def named(self, stem: str, value: float) -> Any:
        """Return a number, plainly or as a parameter."""
        if not self.dice.chance(0.3) or stem in self.parameters:
            return value
        self.parameters[stem] = value
        return word(stem)

    def mass(self, low: float = 0.2, high: float = 5) -> float:
        """Return a mass."""
        return tidy(self.dice.decimal(low, high) * self.M)

    def inertia(self, low: float = 0.01, high: float = 0.4) -> float:
        """Return a moment of inertia."""
        return tidy(self.dice.decimal(low, high, 3) * self.M * self.L**2)

    # --- parts -------------------------------------------------------------------------------------------------------

    def body(self, name: str, at: Any, angle: float = 0.0, mass: bool = True, inertia: bool = True, **more: Any) -> str:
        """Add a body in the plane; `angle` in radians."""
        table: dict[str, Any] = {}
        if mass:
            table["mass"] = self.named(f"m_{name}", self.mass())
        if inertia:
            table["inertia"] = self.inertia()
        table["at"] = self.vector(at)
        if angle:
            table["angle"] = round(angle, 3)
        self.tables["bodies"][name] = table | more
        return name

    def bar(self, name: str, start: Any, end: Any, **more: Any) -> str:
        """Add a bar between two places, its frame in the middle and, or not, along it."""
        middle = [(a + b) / 2 for a, b in zip(start, end, strict=True)]
        along = math.atan2(end[1] - start[1], end[0] - start[0]) if self.dice.chance(0.6) else 0.0
        return self.body(name, middle, along, **more)

    def joint(self, name: str, kind: str, bodies: list[str], at: Any = None, **more: Any) -> str:
        """Add a joint at a place of the world."""
        table: dict[str, Any] = {"kind": kind, "bodies": bodies}
        if at is not None:
            nested = isinstance(at[0], (list, tuple))
            table["at"] = [self.vector(x) for x in at] if nested else self.vector(at)
        self.tables["joints"][name] = table | more
        return name

    def pin(self, name: str, bodies: list[str], at: Any) -> str:
        """Add a revolute of the plane by its place in the world, or by a point on each body, a little off."""
        if self.exact or not self.dice.chance(0.35):
            return self.joint(name, "revolute", bodies, at)
        points = []
        for body in bodies:
            table = self.tables["bodies"].get(body, {})
            x0, y0 = table.get("at", [0, 0])
            c, s = math.cos(table.get("angle", 0.0)), math.sin(table.get("angle", 0.0))
            dx, dy = at[0] * self.L - x0, at[1] * self.L - y0
            place = [round(c * dx + s * dy, 2 if self.L == 1 else 0), round(c * dy - s * dx, 2 if self.L == 1 else 0)]
            if body != "ground" and self.dice.chance(0.4):
                table.setdefault("points", {})[f"P{name}"] = place
                points.append(f"P{name}")
            else:
                points.append(place)
        self.tables["joints"][name] = {"kind": "revolute", "bodies": bodies, "points": points}
        return name

    def add(self, section: str, name: str, **table: Any) -> None:
        """Add a spring, a damper, an actuator, a load or a drive."""
        self.tables.setdefault(section, {})[name] = table

    # --- forces ------------------------------------------------------------------------------------------------------

    def decorate(self, joints: dict[str, str], drivable: str | None = None) -> None:
        """Add springs, dampers, actuators, loads and drives; `joints` says which coordinate each joint has."""
        dice, bodies = self.dice, [name for name in self.tables["bodies"] if name != "ground"]
        free = dict(joints)
        if drivable and dice.chance(0.3):
            kind = free.pop(drivable)
            self.drive(drivable, kind)
        for name, kind in free.items():
            if dice.chance(0.3):
                self.on_joint(name, kind)
        if dice.chance(0.4):
            self.load(dice.choice(bodies))
        if dice.chance(0.35):
            self.spring(dice.choice(bodies))

    def drive(self, joint: str, kind: str) -> None:
        """Drive a joint; nothing may then be fixed beside it at the start."""
        dice = self.dice
        for table in self.tables["bodies"].values():
            table.pop("spin", None)
        t, size = word("t"), 1 if kind == "angle" else 0.1 * self.L
        way = tidy(dice.decimal(0.2, 1.2) * size)
        motion: Any = dice.choice([way * t, way * call("sin", dice.decimal(1, 6) * t), way * t**2 / 2])
        if dice.chance(0.25):
            self.add("drives", "motor", joint=joint, speed=motion)
            if "coordinate" in self.needed(joint):
                self.tables["drives"]["motor"]["coordinate"] = kind
        else:
            self.add("drives", "motor", joint=joint, **{kind: motion})

    def needed(self, joint: str) -> tuple[str, ...]:
        """Return what an element on a joint with two coordinates needs to say."""
        return ("coordinate",) if self.tables["joints"][joint]["kind"] in TWO else ()

    def on_joint(self, joint: str, kind: str) -> None:
        """Let a spring, a damper or a motor act along a joint."""
        dice = self.dice
        said: dict[str, Any] = {"joint": joint} | ({"coordinate": kind} if self.needed(joint) else {})
        turning = kind == "angle"
        unit = self.L if turning else 1 / self.L  # of a stiffness: N m in N mm, N/m in N/mm
        k = tidy(dice.decimal(0.5, 20) * unit * (1 if turning else 10))
        d = tidy(dice.decimal(0.05, 2) * unit)
        what = dice.choice(["spring", "damper", "motor", "law"])
        if what == "spring":
            more = {"damping": d} if dice.chance(0.4) else {}
            more |= {kind: tidy(dice.decimal(-0.3, 0.3) * (1 if turning else self.L))} if dice.chance(0.4) else {}
            self.add("springs", f"s_{joint}", **said, stiffness=self.named(f"k_{joint}", k), **more)
        elif what == "damper":
            self.add("dampers", f"d_{joint}", **said, damping=d)
        elif what == "motor":
            size = tidy(dice.decimal(0.2, 6) * (self.L if turning else 1))
            torque = dice.choice([size * call("cos", 3 * word("t")), size - d * word("rate"), word(size)])
            self.add("actuators", f"m_{joint}", **said, **{"torque" if turning else "force": torque})
        else:
            law = k * word(kind) ** 3 / (1 if turning else self.L**2) + d * word("rate")
            self.add("springs", f"n_{joint}", **said, force=law)

    def load(self, body: str) -> None:
        """Push a body."""
        dice = self.dice
        push = [
            dice.choice([dice.signed(1, 20), dice.decimal(1, 20) * call("sin", 5 * word("t")), 0])
            for _ in range(self.dimensions)
        ]
        more: dict[str, Any] = (
            {"force": push} if any(not isinstance(x, int) for x in push) else {"force": [3.5] * self.dimensions}
        )
        if dice.chance(0.4):
            torque = tidy(dice.signed(0.1, 2) * self.L)
            more["torque"] = torque if self.dimensions == 2 else [0, torque, 0]
        if dice.chance(0.4):
            more["point"] = [self.short(dice.signed(0.05, 0.2)) for _ in range(self.dimensions)]
        if dice.chance(0.3):
            more["frame"] = "body"
        self.add("loads", "push", body=body, **more)

    def spring(self, body: str) -> None:
        """Tie a body to the ground by a spring with a free length, or by a law of its own."""
        dice = self.dice
        far = [self.short(dice.signed(1.2, 2.5)) for _ in range(self.dimensions)]
        said = {"bodies": ["ground", body], "points": [far, [0] * self.dimensions]}
        k, d = tidy(dice.decimal(5, 80) / self.L), tidy(dice.decimal(0.1, 3) / self.L)
        if dice.chance(0.3):
            law: Word = k * (word("length") - self.short(1.5)) + d * word("rate")
            self.add("springs", "tie", **said, force=law)
        else:
            more = {"length": self.short(dice.decimal(0.5, 1.5))} if dice.chance(0.5) else {}
            self.add("springs", "tie", **said, stiffness=k, **({"damping": d} if dice.chance(0.5) else {}), **more)

    def case(self, title: str, until: float = 0.15) -> Case:
        """Return the mechanism in both ways."""
        tables: dict[str, Any] = {}
        if self.settings:
            tables["mechanism"] = self.settings
        if self.parameters:
            tables["parameters"] = self.parameters
        tables |= self.tables
        tables["simulate"] = {"until": until}
        return Case(title, tables, oracle_of(tables, self.L), until, mechanism=True)


TWO = ("slot", "rack", "rolling", "cylindrical", "screw")  # pairs with a distance and an angle


def tidy(x: float) -> Any:
    """Return a number without rounding errors of its making: 0.30000000000000004 is written 0.3."""
    x = float(f"{x:.10g}")
    return int(x) if x == int(x) and abs(x) < 1e6 else x
