"""Random polygons that fall on a slope: nothing is trusted but the states, from which all is worked out again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

from dalembert import Mechanism
from tests.sampling import sampled

COUNT, G = 300, 9.81


@dataclass(frozen=True)
class Polygon:
    """A body with corners, over a line through the origin."""

    corners: np.ndarray
    mass: float
    inertia: float
    slope: float
    mu: float
    restitution: tuple[float, ...]
    at: tuple[float, float]
    angle: float
    velocity: tuple[float, float]
    spin: float

    @classmethod
    def of(cls, seed: int):
        """Make one, in plain decimals; with friction all corners bounce alike, else energy may grow, which is said."""
        some = np.random.default_rng(seed)

        def number(low, high, digits=2):
            return round(float(some.uniform(low, high)), digits)

        n, size, flat = int(some.integers(3, 7)), some.uniform(0.1, 0.3), some.uniform(0.5, 1)
        angles = np.sort(some.uniform(0, 2 * np.pi, n))
        corners = np.column_stack([size * np.cos(angles), flat * size * np.sin(angles)])
        corners = np.round(corners - corners.mean(axis=0), 3)
        mass, mu = number(0.2, 5), float(some.choice([0, 0.1, 0.4, 0.9]))
        e = [float(some.choice([0, 0.2, 0.6])) for _ in corners]
        return cls(
            corners, mass, round(float(mass * size**2 * some.uniform(0.2, 0.6)), 4), float(some.choice([0, 0, 0.1, -0.3])),
            mu, tuple(e if mu == 0 else e[:1] * n), (0.0, number(0.4, 0.8)), number(-3, 3),
            (number(-2, 2), number(-2, 1)), number(-6, 6),
        )  # fmt: skip

    @property
    def names(self) -> list[str]:
        return [f"c{k}" for k in range(len(self.corners))]

    def mechanism(self) -> Mechanism:
        rubs = {"friction": self.mu} if self.mu else {}
        contacts = {
            name: {
                "bodies": ["ground", "stone"], "points": [[0, 0], [float(x) for x in corner]],
                "against": {"kind": "line", "axis": [1, self.slope]}, "restitution": e, **rubs,
            }
            for name, corner, e in zip(self.names, self.corners, self.restitution, strict=True)
        }  # fmt: skip
        body = {"mass": self.mass, "inertia": self.inertia, "at": list(self.at), "angle": self.angle}
        return Mechanism(
            bodies={"stone": {**body, "velocity": list(self.velocity), "spin": self.spin}}, contacts=contacts
        )

    def heights(self, q: np.ndarray) -> np.ndarray:
        """Return how far the corners are above the line."""
        c, s = np.cos(q[:, 2:]), np.sin(q[:, 2:])
        x = q[:, :1] + c * self.corners[:, 0] - s * self.corners[:, 1]
        y = q[:, 1:2] + s * self.corners[:, 0] + c * self.corners[:, 1]
        return (y - self.slope * x) / np.hypot(1, self.slope)

    def energy(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return kinetic and potential energy."""
        moving = self.mass * (v[:, 0] ** 2 + v[:, 1] ** 2) / 2 + self.inertia * v[:, 2] ** 2 / 2
        return moving + self.mass * G * q[:, 1]


@pytest.mark.parametrize("seed", sampled(range(COUNT), 50))
def test_a_polygon_falls_slides_tips_and_lies(seed):
    """No corner below the line by 1e-9, no energy out of nothing, no force at a distance; or contacts are named."""
    polygon = Polygon.of(seed)
    run = polygon.mechanism().simulate(2, samples=801)
    if run.status != "done":
        assert any(f"`{name}`" in run.message for name in polygon.names)
        return
    assert run.certificate.ok
    heights, energy = polygon.heights(run.q), polygon.energy(run.q, run.v)
    assert heights.min() > -1e-9
    size = np.ptp(energy) + polygon.mass * G * 0.1
    assert np.diff(energy).max() < 1e-8 * size
    normal = np.stack([run[f"{name}.normal"] for name in polygon.names], axis=1)
    assert np.nanmin(normal) > -1e-9 * polygon.mass * G and np.abs(normal[heights > 1e-6]).max(initial=0.0) == 0
    if polygon.mu:
        tangent = np.stack([run[f"{name}.tangent"] for name in polygon.names], axis=1)
        assert np.nanmax(np.abs(tangent) - polygon.mu * normal) < 1e-6 * polygon.mass * G
