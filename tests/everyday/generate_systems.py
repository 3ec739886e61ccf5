"""Systems by energies or by matrices, as users write them, made from a seed.

Some coordinates are free, the others are each held by one constraint that is solved for it, so that an initial state
exists; held ones may have no mass. Repeated and combined constraints may follow.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.everyday.case import Case, Dice
from tests.everyday.oracle import Frame, Oracle, Parts
from tests.everyday.words import Word, call, total, when, word

NAMES = ("x", "y", "z", "phi", "theta", "s", "u", "alpha", "q1", "q2", "psi", "r")


class Sheet:
    """A system while it is written."""

    def __init__(self, dice: Dice):
        self.dice = dice
        free, held = dice.choice([(1, 0), (1, 1), (1, 2), (2, 0), (2, 1), (2, 2), (3, 1), (1, 3), (3, 0)])
        names = dice.sample(NAMES, free + held)
        self.free, self.held = names[:free], names[free:]
        self.names = dice.sample(names, len(names))
        self.carried = list(self.names)  # those with a mass
        self.fast: set[str] = set()  # held by a speed, and in need of a mass
        self.parameters: dict[str, float] = {}
        self.define: dict[str, Word] = {}
        self.initial: dict[str, Any] = {}
        self.guess: dict[str, Any] = {}
        self.constraints: dict[str, tuple[str, Word, Word]] = {}  # name -> level, left and right side
        self.kinetic: list[Word] = []
        self.potential: list[Word] = []
        self.forces: dict[str, Word] = {}

    def constant(self, stem: str, low: float, high: float) -> Word:
        """Return a number, plainly or as a parameter."""
        value = self.dice.decimal(low, high)
        if not self.dice.chance(0.6):
            return word(value)
        name = stem if stem not in self.parameters else f"{stem}{len(self.parameters)}"
        self.parameters[name] = value
        return word(name)

    def smooth(self, names: list[str]) -> Word:
        """Return a smooth function of some coordinates, of size one."""
        dice, name = self.dice, self.dice.choice(names)
        a = dice.decimal(0.2, 1.6)
        kinds = [
            lambda: call("sin", a * word(name)),
            lambda: call("cos", name),
            lambda: a * word(name),
            lambda: a * word(name) ** 2,
            lambda: word(name) * word(dice.choice(names)),
            lambda: call("sqrt", 1 + word(name) ** 2),
            lambda: call("exp", -word(name) / 2),
            lambda: call("tanh", name),
            lambda: call("atan2", name, 1.5),
            lambda: call("cosh", 0.4 * word(name)),
            lambda: call("log", 2 + word(name) ** 2),
        ]
        return dice.choice(kinds)()

    # --- energies and forces -----------------------------------------------------------------------------------------

    def masses(self) -> None:
        """Write the kinetic energy: squares that keep it definite, couplings that are small against them."""
        dice = self.dice
        carried = self.carried = [name for name in self.names if name in self.free or not dice.chance(0.35)]
        for name in carried:
            m = self.constant("m" if name in "xyzsur" else "J", 0.3, 4)
            v = word(name + "'")
            if dice.chance(0.25):
                m = m * (1.2 + self.smooth([name]) ** 2) if dice.chance(0.5) else m + call("cos", name) / 5
            self.kinetic.append(m * v**2 / 2 if dice.chance(0.7) else 0.5 * m * v**2)
        if len(carried) > 1 and dice.chance(0.5):
            a, b = dice.sample(carried, 2)
            self.kinetic.append(0.12 * call("cos", word(a) - word(b)) * word(a + "'") * word(b + "'"))
        if dice.chance(0.15):  # a moved support, a rotating frame
            self.kinetic.append(word(carried[0] + "'") * self.smooth(self.names) * call("cos", 2 * word("t")) / 3)

    def forces_and_potential(self) -> None:
        """Write weights, springs, dampers, forces in time, friction-like forces, switches."""
        dice = self.dice
        for name in self.names:
            kind = dice.choice(["", "weight", "spring", "hard", "far", "field"])
            q = word(name)
            if kind == "weight":
                self.potential.append(self.constant("m", 0.3, 3) * word(9.81) * q)
            elif kind == "spring":
                self.potential.append(self.constant("k", 2, 90) * (q - dice.decimal(-0.5, 0.5)) ** 2 / 2)
            elif kind == "hard":
                self.potential.append(self.constant("k", 1, 9) * q**4 / 4)
            elif kind == "far" and len(self.names) > 1:
                other = dice.choice([n for n in self.names if n != name])
                length = call("sqrt", (q - word(other)) ** 2 + dice.decimal(0.2, 1.5))
                self.potential.append(self.constant("k", 2, 30) * (length - dice.decimal(0.3, 0.9)) ** 2 / 2)
            elif kind == "field":
                self.potential.append(-dice.decimal(0.5, 5) * self.smooth(self.names))
            if dice.chance(0.4):
                self.forces[name] = self.force(name)

    def force(self, name: str) -> Word:
        """Return a force without potential."""
        dice, q, v = self.dice, word(name), word(name + "'")
        d = self.constant("d", 0.1, 2)
        kinds = [
            lambda: -d * v,
            lambda: -d * call("abs", v) * v,
            lambda: dice.decimal(0.5, 9) * call("sin", dice.decimal(1, 9) * word("t")),
            lambda: -d * call("tanh", 20 * v),
            lambda: when(q, dice.decimal(-0.9, 0.9), -d * q, 0),
            lambda: call("min", d * word("t"), 3.5) - d * v,
            lambda: call("max", -2.5, -d * q),
            lambda: call("step", word("t") - dice.decimal(0.05, 0.15, 3)) * d,
            lambda: -d * (v - word(dice.choice(self.names) + "'")),
        ]
        return dice.choice(kinds)()

    # --- constraints -------------------------------------------------------------------------------------------------

    def state(self) -> None:
        """Choose the initial state of what is free."""
        for name in self.free:
            self.initial[name] = self.dice.signed(0.1, 1.1)
            if self.dice.chance(0.7):
                self.initial[name + "'"] = self.dice.signed(0.1, 1.5)

    def hold(self) -> None:
        """Hold each of the other coordinates by a constraint."""
        above = "position"  # constraints on positions first, so that each uses only what is there
        order = {"position": 0, "velocity": 1, "acceleration": 2}
        known = list(self.free)
        levels = sorted((self.dice.choice(["position"] * 6 + ["velocity"] * 3 + ["acceleration"]) for _ in self.held),
                        key=order.__getitem__)  # fmt: skip
        for k, (name, level) in enumerate(zip(self.held, levels, strict=True)):
            above = level
            label = self.dice.choice([f"c{k + 1}", f"hold_{name}", f"link{k + 1}"])
            self.constraints[label] = (above, *getattr(self, f"on_{above}")(name, known))
            known.append(name)

    def on_position(self, name: str, known: list[str]) -> tuple[Word, Word]:
        """Return a condition on positions, solved for a coordinate or not."""
        dice, q, other = self.dice, word(name), word(dice_name(self.dice, known))
        a = self.constant("a", 0.1, 0.9)
        kind = dice.choice(["explicit", "explicit", "fixed", "circle", "surface", "moved", "joint"])
        if kind == "fixed":
            return q, word(dice.decimal(-0.9, 0.9))
        if kind == "circle":  # the radius is larger than the initial value of the other coordinate can be
            radius = dice.decimal(5, 7)
            self.guess[name] = dice.choice((-1, 1)) * radius
            return q**2 + other**2, word(radius) ** 2
        if kind == "surface":
            return q - a * other**2, dice.decimal(0.1, 0.6) * self.smooth(known)
        if kind == "moved":
            return q, a * call("sin", dice.decimal(1, 6) * word("t")) + dice.decimal(0.2, 0.9) * other
        if kind == "joint":
            return q, a * call(dice.choice(("sin", "cos")), other)
        return q, a * self.smooth(known) + dice.decimal(-0.5, 0.5)

    def on_velocity(self, name: str, known: list[str]) -> tuple[Word, Word]:
        """Return a condition on velocities."""
        dice, v = self.dice, word(name + "'")
        other = dice_name(dice, known)
        w = word(other + "'")
        kind = dice.choice(["blade", "gear", "driven", "speed", "rolling"])
        self.initial[name] = dice.signed(0.1, 0.9)
        if kind == "blade":
            angle = dice.choice(known)
            return v * call("cos", 0.3 * word(angle)), w * call("sin", angle)
        if kind == "driven":
            return v, dice.decimal(0.2, 2) * call("cos", dice.decimal(1, 4) * word("t")) + 0.3 * w
        if kind == "speed" and other + "'" in self.initial and name in self.carried:  # else it ends where v = 0
            self.fast.add(name)
            speed = abs(self.initial[other + "'"]) + dice.decimal(0.4, 1.5)
            self.guess[name + "'"] = speed
            return v**2 + w**2, word(round(speed, 2)) ** 2
        if kind == "rolling":
            return v, dice.decimal(0.1, 0.5) * w * call("cos", name)
        return v, dice.choice((2, 0.35, 1.3)) * w

    def on_acceleration(self, name: str, known: list[str]) -> tuple[Word, Word]:
        """Return a condition on accelerations."""
        other = dice_name(self.dice, known)
        self.initial |= {name: self.dice.signed(0.1, 0.9), name + "'": self.dice.signed(0.1, 0.9)}
        left = word(name + "''")
        if self.dice.chance(0.5):
            return left, self.dice.decimal(0.1, 0.6) * word(other + "''") - 1.2 * word(name + "'")
        return left + 0.2 * word(other) * word(other + "''"), call("sin", 3 * word("t"))

    def repeat(self) -> None:
        """Say again what was said, in other words."""
        positions = {n: c for n, c in self.constraints.items() if c[0] != "acceleration"}
        if not positions or not self.dice.chance(0.25):
            return
        name, (level, left, right) = self.dice.choice(list(positions.items()))
        factor = self.dice.choice((2, 0.35, -1.3, 1000))
        self.constraints[f"{name}_again"] = (level, factor * left, factor * right)
        others = [n for n, c in positions.items() if n != name and c[0] == level]
        if others and self.dice.chance(0.5):
            _, left2, right2 = positions[self.dice.choice(others)]
            self.constraints["sum"] = (level, left + left2, right + right2)

    # --- what comes of it --------------------------------------------------------------------------------------------

    def definitions(self) -> None:
        """Give some expressions a name."""
        if self.potential and self.dice.chance(0.3):
            self.define["W"] = self.potential.pop()
            self.potential.append(word("W"))
        if self.forces and self.dice.chance(0.2):
            name = self.dice.choice(list(self.forces))
            self.define["F1"] = self.forces[name]
            self.forces[name] = word("F1")

    def case(self, seed: int) -> Case:
        """Return the model in both ways."""
        kinetic, potential = total(self.kinetic), total(self.potential)
        tables: dict[str, Any] = {"coordinates": list(self.names), "parameters": dict(self.parameters)}
        if self.define:
            tables["define"] = self.define
        tables["energy"] = {"kinetic": kinetic} | ({"potential": potential} if self.potential else {})
        if self.forces:
            tables["forces"] = self.forces
        if self.constraints:
            tables["constraints"] = {n: f"{a.text} = {b.text}" for n, (_, a, b) in self.constraints.items()}
        tables["initial"] = self.initial
        if self.guess:
            tables["guess"] = self.guess
        tables["simulate"] = {"until": 0.2}

        def describe(frame: Frame) -> Parts:
            for name, expression in self.define.items():
                frame.extra[name] = expression.value(frame.values)
            z = frame.values
            forces = np.array([float(self.forces[n].value(z)) if n in self.forces else 0.0 for n in self.names])
            conditions = [(n, level, a.value(z) - b.value(z)) for n, (level, a, b) in self.constraints.items()]
            return Parts(kinetic.value(z), potential.value(z), None, forces, conditions)

        oracle = Oracle(tuple(self.names), self.parameters, describe, np.ones(len(self.names)))
        return Case(f"System {seed}", tables, oracle)


def dice_name(dice: Dice, names: list[str]) -> str:
    """Return one of the names."""
    return dice.choice(names)


def by_energies(seed: int) -> Case:
    """Return a system by its energies."""
    sheet = Sheet(Dice(seed))
    sheet.masses()
    sheet.forces_and_potential()
    sheet.state()
    sheet.hold()
    sheet.repeat()
    sheet.definitions()
    return sheet.case(seed)


def by_matrices(seed: int) -> Case:
    """Return a system by its mass matrix and forces, with constraints as above."""
    dice = Dice(seed)
    sheet = Sheet(dice)
    sheet.forces_and_potential()
    sheet.state()
    sheet.hold()
    sheet.repeat()
    n, names = len(sheet.names), sheet.names
    mass = [[word(0) for _ in names] for _ in names]
    for i, name in enumerate(names):
        if name in sheet.free or name in sheet.fast or not dice.chance(0.3):
            mass[i][i] = sheet.constant("m", 0.4, 3)
            if dice.chance(0.3):
                mass[i][i] = mass[i][i] + 0.2 * call("cos", name)
    massive = [i for i in range(n) if mass[i][i].text != "0"]
    if len(massive) > 1 and dice.chance(0.6):
        i, j = dice.sample(massive, 2)
        mass[i][j] = mass[j][i] = 0.11 * call("cos", word(names[i]) - word(names[j]))
    force = [sheet.forces.get(name, word(0)) - dice.decimal(0.5, 20) * word(name) for name in names]
    tables: dict[str, Any] = {"coordinates": list(names), "parameters": dict(sheet.parameters)}
    tables["matrices"] = {"mass": mass, "force": force}
    if sheet.constraints:
        tables["constraints"] = {n: f"{a.text} = {b.text}" for n, (_, a, b) in sheet.constraints.items()}
    tables |= {"initial": sheet.initial} | ({"guess": sheet.guess} if sheet.guess else {})
    tables["simulate"] = {"until": 0.2}

    def describe(frame: Frame) -> Parts:
        z = frame.values
        M = np.array([[float(entry.value(z)) for entry in row] for row in mass])
        f = np.array([float(entry.value(z)) for entry in force])
        conditions = [(n, level, a.value(z) - b.value(z)) for n, (level, a, b) in sheet.constraints.items()]
        return Parts(matrices=(M, f), conditions=conditions)

    return Case(f"Matrices {seed}", tables, Oracle(tuple(names), sheet.parameters, describe, np.ones(n)))
