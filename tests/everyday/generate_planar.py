"""Machines in the plane, as users write them, made from a seed: linkages, gears, ropes, wheels, trees of bodies."""

from __future__ import annotations

from collections.abc import Callable

from tests.everyday.case import Case, Dice
from tests.everyday.workshop import Workshop


def slider_crank(shop: Workshop) -> str:
    """A crank, a rod and a piston that may have no inertia, in one guide or two."""
    dice = shop.dice
    shop.exact = dice.chance(0.3)
    a, l, up = dice.decimal(0.1, 0.4), dice.decimal(0.7, 1.4), dice.choice((0.0, dice.decimal(0.05, 0.2)))
    pin, end = (0.0, a), (round((l**2 - (a - up) ** 2) ** 0.5, 3), up)
    shop.bar("crank", (0, 0), pin, **({"spin": dice.signed(1, 9)} if dice.chance(0.7) else {}))
    shop.bar("rod", pin, end, mass=not dice.chance(0.15), inertia=not dice.chance(0.15))
    shop.body("piston", end, inertia=dice.chance(0.4))
    shop.pin("A", ["ground", "crank"], (0, 0))
    shop.pin("B", ["crank", "rod"], pin)
    shop.pin("C", ["rod", "piston"], end)
    shop.joint("D", "prismatic", ["ground", "piston"], end, axis=[1, 0])
    if shop.exact:
        shop.joint("E", "prismatic", ["ground", "piston"], (end[0] + 0.1, up), axis=[1, 0])
    shop.decorate({"A": "angle", "B": "angle", "D": "distance"}, "A")
    return "Slider-crank"


def four_bar(shop: Workshop) -> str:
    """Four bars, or a parallelogram with a fifth."""
    dice = shop.dice
    a, h = dice.decimal(0.15, 0.4), dice.decimal(0.5, 0.9)
    shop.exact = dice.chance(0.35)
    if shop.exact:
        legs = [0.0, dice.decimal(0.5, 0.8), dice.decimal(0.9, 1.6)]
        tops = [(x + a, h) for x in legs]
    else:
        legs = [0.0, dice.decimal(0.8, 1.3)]
        tops = [(0.1, a), (round(legs[1] + 0.05, 2), h)]
    names = ["crank", "rocker", "third"][: len(legs)]
    for name, x, top in zip(names, legs, tops, strict=True):
        bare = name != "crank" and dice.chance(0.15)
        shop.bar(name, (x, 0), top, mass=not bare, inertia=not bare)
    if dice.chance(0.7):
        shop.tables["bodies"]["crank"]["spin"] = dice.signed(1, 6)
    shop.bar("coupler", tops[0], tops[-1])
    for k, (name, x, top) in enumerate(zip(names, legs, tops, strict=True)):
        shop.pin(f"G{k}", ["ground", name], (x, 0))
        shop.pin(f"K{k}", [name, "coupler"], top)
    shop.decorate({"G0": "angle", "K0": "angle"}, "G0")
    return "Four-bar"


def gears(shop: Workshop) -> str:
    """Wheels in mesh on the ground, or a planet on its carrier."""
    dice = shop.dice
    r1, r2 = dice.decimal(0.1, 0.4), dice.decimal(0.1, 0.4)
    if round(100 * (r1 + r2)) % 2:  # half of it is written in two decimals too: gears must meet
        r2 = round(r2 + 0.01, 2)
    spin = {"spin": dice.signed(1, 9)}
    sizes = (
        {"radii": [shop.short(r1), shop.short(r2)]}
        if dice.chance(0.5)
        else {"teeth": [dice.randint(12, 40), dice.randint(12, 60)]}
    )
    if dice.chance(0.4):
        shop.body("arm", ((r1 + r2) / 2, 0), mass=not dice.chance(0.2), inertia=not dice.chance(0.2), **spin)
        shop.body("sun", (0, 0))
        shop.body("planet", (r1 + r2, 0), inertia=not dice.chance(0.2))
        shop.pin("O", ["ground", "arm"], (0, 0))
        shop.pin("S", ["ground", "sun"], (0, 0))
        shop.pin("P", ["arm", "planet"], (r1 + r2, 0))
        shop.joint("mesh", "gear", ["sun", "planet"], carrier="arm", **sizes)
        if dice.chance(0.5):
            ring = shop.short(r1 + 2 * r2)
            shop.body("ring", (0, 0))
            shop.pin("R", ["ground", "ring"], (0, 0))
            shop.joint("inner", "gear", ["ring", "planet"], carrier="arm", internal=True, radii=[ring, shop.short(r2)])
            shop.tables["joints"]["mesh"] |= {"radii": [shop.short(r1), shop.short(r2)]}
            shop.tables["joints"]["mesh"].pop("teeth", None)
        shop.decorate({"O": "angle", "S": "angle", "P": "angle"}, "S" if dice.chance(0.5) else None)
        return "Planetary gear"
    shop.body("first", (0, 0), **spin)
    shop.body("second", (r1 + r2, 0), inertia=not dice.chance(0.2))
    shop.pin("A", ["ground", "first"], (0, 0))
    shop.pin("B", ["ground", "second"], (r1 + r2, 0))
    shop.joint("mesh", "gear", ["first", "second"], **sizes)
    joints = {"A": "angle", "B": "angle"}
    if dice.chance(0.5):
        r3 = dice.decimal(0.1, 0.3)
        shop.body("rack", (0.2, -r1), inertia=dice.chance(0.5))
        shop.joint("slide", "prismatic", ["ground", "rack"], (0.2, -r1), axis=[1, 0])
        shop.joint("teeth", "rack", ["rack", "first"], axis=[1, 0], radius=shop.short(r1))
        joints["slide"] = "distance"
        del r3
    shop.decorate(joints, "A")
    return "Gears"


def wheel(shop: Workshop) -> str:
    """A disk that rolls on the ground or on an incline, with something hung on it."""
    dice = shop.dice
    r = dice.decimal(0.1, 0.5)
    slope = dice.choice((0.0, 0.75))  # 3 to 4: the normal is a plain decimal
    axis, normal = ([1, 0], (0.0, 1.0)) if not slope else ([4, 3], (-0.6, 0.8))
    centre = (normal[0] * r, normal[1] * r)
    shop.body("disk", centre, **({"spin": dice.signed(1, 6)} if dice.chance(0.6) else {}))
    shop.joint("road", "rolling", ["ground", "disk"], axis=axis, radius=shop.short(r), points=[[0, 0], [0, 0]])
    joints = {"road": "distance"}
    if dice.chance(0.7):
        bob = (centre[0] + dice.decimal(0.1, 0.4), centre[1] - dice.decimal(0.3, 0.9))
        shop.bar("pendulum", centre, bob, inertia=not dice.chance(0.3))
        shop.pin("H", ["disk", "pendulum"], centre)
        joints["H"] = "angle"
    shop.decorate(joints)
    return "Wheel"


def hoist(shop: Workshop) -> str:
    """Two weights on a rope over a pulley, fixed or with a mass, that slips or not."""
    dice = shop.dice
    r, grip = dice.decimal(0.1, 0.3), dice.chance(0.5)
    heights = dice.decimal(-1.5, -0.6), dice.decimal(-1.5, -0.6)
    for name, x, y in (("left", -r, heights[0]), ("right", r, heights[1])):
        shop.body(name, (x, y), inertia=dice.chance(0.5))
        shop.joint(f"rail_{name}", "prismatic", ["ground", name], (x, y), axis=[0, 1])
    over: dict = {"radius": shop.short(r), "side": "right"}
    if grip or dice.chance(0.3):
        shop.body("pulley", (0, 0))
        shop.pin("axle", ["ground", "pulley"], (0, 0))
        over |= {"body": "pulley", "point": [0, 0]}
    else:
        over |= {"at": [0, 0]}
    shop.joint(
        "rope",
        "rope",
        ["left", "right"],
        [(-r, heights[0]), (r, heights[1])],
        over=[over],
        **({"grip": True} if grip else {}),
    )
    if dice.chance(0.4):
        shop.tables["bodies"]["left"]["velocity"] = [0, shop.short(dice.signed(0.1, 0.8))]
    shop.decorate({"rail_left": "distance", "rail_right": "distance"})
    return "Hoist"


def swing(shop: Workshop) -> str:
    """A platform on two or three rods, which may repeat each other; it may hang crosswise."""
    dice = shop.dice
    h, lean = dice.decimal(0.6, 1.5), dice.choice((0.0, dice.decimal(0.05, 0.3)))
    feet = [-0.5, 0.5, dice.decimal(0.7, 1.5)][: dice.choice((1, 2, 2, 3))]
    shop.body("seat", (lean, -h), inertia=not dice.chance(0.15))
    for k, x in enumerate(feet):
        shop.joint(f"rod{k + 1}", "rod", ["ground", "seat"], [(x, 0), (x + lean, -h)])
    if dice.chance(0.5):
        shop.tables["bodies"]["seat"]["velocity"] = [shop.short(h), shop.short(lean)]
    if dice.chance(0.4):
        shop.body("bob", (lean + 0.1, -h - 0.5), inertia=dice.chance(0.6))
        shop.joint("wire", "rod", ["seat", "bob"], [(lean, -h), (lean + 0.1, -h - 0.5)])
    shop.decorate({})
    return "Swing"


def quick_return(shop: Workshop) -> str:
    """A crank whose pin slides in a slot of a lever."""
    dice = shop.dice
    r, d = dice.decimal(0.1, 0.3), dice.decimal(0.5, 0.9)
    shop.bar("crank", (0, d), (r, d), **({"spin": dice.signed(1, 6)} if dice.chance(0.6) else {}))
    shop.body("lever", (0.1, 0.3), inertia=True)
    shop.pin("A", ["ground", "crank"], (0, d))
    shop.pin("B", ["ground", "lever"], (0, 0))
    joints = {"A": "angle", "B": "angle"}
    if dice.chance(0.5):
        shop.joint("C", "slot", ["lever", "crank"], (r, d), axis=[r, d])
        joints["C"] = "distance"
    else:  # a block between them, with a mass or without
        bare = dice.chance(0.5)
        shop.body("block", (r, d), mass=not bare, inertia=False)
        shop.joint("C", "prismatic", ["lever", "block"], (r, d), axis=[r, d])
        shop.pin("P", ["crank", "block"], (r, d))
        joints["C"] = "distance"
    shop.decorate(joints, "A")
    return "Quick return"


def tree(shop: Workshop) -> str:
    """Bodies hung on each other by pairs of all kinds, some tied by a rod."""
    dice = shop.dice
    names, joints, ends = ["ground"], {}, {"ground": (0.0, 0.0)}
    for k in range(dice.randint(1, 3)):
        base = dice.choice(names[-2:])
        x, y = ends[base]
        end = (x + dice.signed(0.2, 0.9), y - dice.decimal(0.2, 0.9))
        name = f"b{k + 1}"
        more = {"spin": dice.signed(0.5, 4)} if base == "ground" and dice.chance(0.4) else {}
        kind = dice.choice(["revolute"] * 5 + ["prismatic", "rigid", "slot"])
        if kind != "revolute":
            more = {}
        if dice.chance(0.2):
            more["centre"] = [shop.short(dice.signed(0.05, 0.2)), shop.short(dice.signed(0.02, 0.1))]
        shop.bar(name, (x, y), end, inertia=not (kind == "prismatic" and dice.chance(0.4)), **more)
        if kind == "revolute":
            shop.pin(f"J{k + 1}", [base, name], (x, y))
            joints[f"J{k + 1}"] = "angle"
        elif kind == "rigid":
            shop.joint(f"J{k + 1}", kind, [base, name], (x, y))
        else:
            shop.joint(f"J{k + 1}", kind, [base, name], (x, y), axis=[1, dice.choice((0, 0.5, -1))])
            joints[f"J{k + 1}"] = "distance"
        names.append(name)
        ends[name] = end
    if len(names) > 2 and dice.chance(0.3):
        far = (ends[names[-1]][0] + 0.8, ends[names[-1]][1] + 0.6)
        shop.joint("tie_rod", "rod", ["ground", names[-1]], [far, ends[names[-1]]])
        shop.decorate(joints)
    else:
        shop.decorate(joints, dice.choice(list(joints)) if joints else None)
    return "Tree"


MACHINES: tuple[Callable[[Workshop], str], ...] = (
    slider_crank, tree, four_bar, gears, tree, wheel, hoist, swing, quick_return,
)  # fmt: skip


def planar(seed: int) -> Case:
    """Return a machine in the plane."""
    shop = Workshop(Dice(seed))
    kind = MACHINES[seed // 4 % len(MACHINES)](shop)
    return shop.case(f"{kind} {seed}")
