"""The marks of a drawing that the user gave: links, springs, dampers and circles between named points."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

import numpy as np

from dalembert.arrays import Array
from dalembert.document.palette import BODIES
from dalembert.model.drawing import Drawing
from dalembert.results.drawing.scene import BAR, ELEMENT, GROUND, PIN, PLATE, ROUND, Mark, Places


def marks(drawing: Drawing, places: Places, fixed: set[str]) -> list[Mark]:
    """Return what joins the named points. A line between `fixed` points is ground, hatched on its right."""
    at = places.points
    found, count, rails = [], 0, set()
    colours: dict[str, str] = {}  # of the last line through a point
    for line in drawing.lines:
        points = np.stack([at[name] for name in line], axis=1)
        if fixed.issuperset(line):
            rails.update(line)
            found.append(Mark("hatch", points, "ground", GROUND))
            continue
        colour, count = f"series{count % BODIES}", count + 1
        colours |= dict.fromkeys(line, colour)
        if line[0] == line[-1] and len(line) > 3:
            found.append(Mark("plate", points[:, :-1], colour, PLATE))
        else:
            found += [Mark("bar", points[:, k : k + 2], colour, BAR) for k in range(len(line) - 1)]
    pairs = {
        kind: [p for chain in getattr(drawing, f"{kind}s") for p in pairwise(chain)] for kind in ("spring", "damper")
    }
    both = set(pairs["spring"]) & set(pairs["damper"])
    for kind, ends in pairs.items():
        for a, b in ends:
            name = f"{kind} beside" if (a, b) in both else kind
            found.append(Mark("symbol", np.stack([at[a], at[b]], axis=1), kind, ELEMENT, {"name": name}))
    for (centre, _, *tip), radius in zip(drawing.circles, places.radii.T, strict=True):
        rim = circle(at[centre], radius, at[tip[0]] if tip else None)
        options = {"open": 1} if rim.shape[-1] == 3 else {"spokes": len(tip)}
        found.append(Mark("disk", rim, f"series{count % BODIES}", ROUND, options))
        count += 1
    return found + pins(drawing, at, fixed, rails, colours)


def pins(
    drawing: Drawing, at: dict[str, Array], fixed: set[str], rails: set[str], colours: dict[str, str]
) -> list[Mark]:
    """Return what marks the points themselves: supports, pins where links meet, ends, and particles."""
    used = Counter(name for line in drawing.lines for name in line)
    closed = {name for line in drawing.lines if line[0] == line[-1] for name in line}
    ends = {name for line in drawing.lines for name in (line[0], line[-1])}
    others = {name for chain in (*drawing.springs, *drawing.dampers) for name in chain}
    others |= {circle[0] for circle in drawing.circles}
    axes = {circle[2] for circle in drawing.circles if len(circle) > 2} - used.keys()
    found = []
    for name in drawing.points:
        if name.startswith("_") or name in axes | rails or (name in closed and used[name] < 3 and name not in others):
            continue
        points, own = at[name][:, None], colours.get(name, "series0")
        symbol = "pin"
        if name in fixed and points.shape[-1] == 3:
            symbol, own = "ball", "ground"
        elif name in fixed:
            found.append(Mark("symbol", points, "ground", GROUND, {"name": "support"}))
        elif not used[name] and name not in others:
            symbol = "ball"
        elif used[name] == 1 and name in ends and name not in others:
            symbol = "tip"
        found.append(Mark("symbol", points, own, PIN, {"name": symbol}))
    return found


def circle(centre: Array, radius: Array, tip: Array | None) -> Array:
    """Return centre and two points of the rim: in the plane one towards a point, in space about the line to it."""
    arms = np.zeros((len(centre), 2, centre.shape[-1]))
    arms[:, 0, 0] = arms[:, 1, 1] = 1.0
    if tip is not None:
        way = tip - centre
        length = np.linalg.norm(way, axis=1, keepdims=True)
        way = way / np.where(length > 0, length, 1.0)
        if centre.shape[-1] == 2:
            arms = np.stack([way, np.stack([-way[:, 1], way[:, 0]], axis=1)], axis=1)
        else:
            arms = np.stack(across(way), axis=1)
    return np.concatenate([centre[:, None], centre[:, None] + radius[:, None, None] * arms], axis=1)


def across(axes: Array) -> tuple[Array, Array]:
    """Return two directions at right angles to unit vectors and to each other, that change smoothly with them."""
    signs = np.array(np.meshgrid([-1, 0, 1], [-1, 0, 1], [0, 1])).reshape(3, -1).T
    candidates = signs[np.any(signs != 0, axis=1)]
    candidates = candidates / np.linalg.norm(candidates, axis=1, keepdims=True)
    aside = candidates[np.argmin(np.abs(axes @ candidates.T).max(axis=0))]  # the one that stays farthest from them
    first = np.cross(axes, aside)
    first /= np.maximum(np.linalg.norm(first, axis=1, keepdims=True), 1e-12)
    return first, np.cross(axes, first)
