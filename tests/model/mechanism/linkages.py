"""Linkages for the tests of mobility and kinematics: closed loops of bars, and a few known machines."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from dalembert import Mechanism


def loop(points: Sequence[Any], axes: Sequence[Any] | None = None, **parts: Any) -> Mechanism:
    """Bars from point to point with revolutes at the points; the first and the last are on the ground.

    Bars are `b1`, `b2`, …, joints `A`, `B`, …; in space when the axes of the joints are given.
    """
    dimensions = 2 if axes is None else 3
    inertia: Any = 0.1 if axes is None else [0.1, 0.1, 0.1]
    bodies = {
        f"b{k + 1}": {"mass": 1, "inertia": inertia, "at": list((np.add(p, q) / 2).tolist())}
        for k, (p, q) in enumerate(pairwise(points))
    }
    names = ["ground", *bodies, "ground"]
    joints = {
        chr(ord("A") + k): {"kind": "revolute", "bodies": names[k : k + 2], "at": list(point)}
        | ({} if axes is None else {"axis": list(axes[k])})
        for k, point in enumerate(points)
    }
    return Mechanism(bodies, joints, dimensions=dimensions, **parts)


def four_bar(a: float, b: float, c: float, d: float, angle: float, branch: int = 1, **parts: Any) -> Mechanism:
    """Crank a, coupler b, rocker c, frame d, assembled with the crank at an angle."""
    crank = a * np.exp(1j * angle)
    line = d - crank
    along = (abs(line) ** 2 + b**2 - c**2) / (2 * abs(line))
    tip = crank + line / abs(line) * (along + branch * 1j * np.sqrt(b**2 - along**2))
    places = [0j, crank, tip, d + 0j]
    return loop([[float(z.real), float(z.imag)] for z in places], **parts)


def spatial_four_bar(**parts: Any) -> Mechanism:
    """The planar four-bar with spatial revolutes."""
    return loop([[0, 0, 0], [0, 1, 0], [2, 2, 0], [2, 0, 0]], [[0, 0, 1]] * 4, **parts)


def bricard() -> Mechanism:
    """The right-angled linkage of the IFToMM benchmark A04."""
    points = [[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]]
    x, y, z = [1, 0, 0], [0, 1, 0], [0, 0, 1]
    return loop(points, [y, z, x, y, z, x])


def bennett(a: float = 1.0, alpha: float = 0.7, beta: float = 1.2, theta: float = 1.0) -> Mechanism:
    """Bennett's linkage by Denavit and Hartenberg: a/sin α = b/sin β, opposite bars alike."""
    b = a * np.sin(beta) / np.sin(alpha)
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)  # tan θ1/2 · tan θ2/2
    phi = 2 * np.arctan(ratio / np.tan(theta / 2))
    T = np.eye(4)
    points, axes = [], []
    for length, twist, angle in [(a, alpha, theta), (b, beta, phi), (a, alpha, -theta), (b, beta, -phi)]:
        points.append(T[:3, 3].tolist())
        axes.append(T[:3, 2].tolist())
        c, s, ct, st = np.cos(angle), np.sin(angle), np.cos(twist), np.sin(twist)
        T = T @ np.array(
            [[c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0], [0, 0, 0, 1]]
        )
    assert np.allclose(T, np.eye(4), atol=1e-9)
    return loop(points, axes)


def slider_crank(
    a: float = 1.0, l: float = 3.0, angle: float = np.pi / 3, mass: float = 1.0, **parts: Any
) -> Mechanism:
    """Crank `crank`, rod `rod`, slider `slider` on the x axis; joints A, B, C and the guide D."""
    pin = [a * np.cos(angle), a * np.sin(angle)]
    end = pin[0] + np.sqrt(l**2 - pin[1] ** 2)
    inertia = {"mass": mass, "inertia": mass / 10}
    return Mechanism(
        bodies={
            "crank": {**inertia, "at": [0, 0], "angle": angle, "points": {"P": [a, 0]}},
            "rod": {**inertia, "at": pin, "angle": -np.arcsin(pin[1] / l), "points": {"Q": [l, 0]}},
            "slider": {**inertia, "at": [end, 0]},
        },
        joints={
            "A": {"kind": "revolute", "bodies": ["ground", "crank"], "points": [[0, 0], [0, 0]]},
            "B": {"kind": "revolute", "bodies": ["crank", "rod"], "points": ["P", [0, 0]]},
            "C": {"kind": "revolute", "bodies": ["rod", "slider"], "points": ["Q", [0, 0]]},
            "D": {
                "kind": "prismatic",
                "bodies": ["ground", "slider"],
                "points": [[0, 0], [0, 0]],
                "axes": [[1, 0]] * 2,
            },
        },
        **parts,
    )
