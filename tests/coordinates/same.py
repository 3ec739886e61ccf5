"""The same motion in other coordinates: what is compared, and how closely."""

from __future__ import annotations

import numpy as np

from dalembert import Mechanism

MOTION, FORCE = 1e-9, 1e-8  # of the largest place or speed, and of the largest force


def kinds(mechanism: Mechanism) -> tuple[str, ...]:
    """Return the coordinates in which a mechanism can be written besides its own."""
    return ("joints", "angles") if mechanism.dimensions == 2 else ("joints",)


def differences(mechanism: Mechanism, by: str, until: float) -> list[str]:
    """Return in what a motion differs in other coordinates: places, velocities, forces in joints, what is determined."""
    settings = {"samples": 4, "rtol": 1e-11, "atol": 1e-13}
    one, other = mechanism.simulate(until, **settings), mechanism.replace(by=by).simulate(until, **settings)
    if one.status != other.status:
        return [f"{one.status} against {other.status}: {one.message} | {other.message}"]
    found = []
    n = mechanism.dimensions
    names = [name for body in mechanism.bodies.values() for name in body.coordinates[:n]]
    for prime in ("", "'"):
        wanted = np.array([one.evaluate(name + prime) for name in names])
        got = np.array([other.evaluate(name + prime) for name in names])
        if np.abs(got - wanted).max() > MOTION * max(1.0, np.abs(wanted).max()):
            found.append(f"{'velocities' if prime else 'places'} differ by {np.abs(got - wanted).max():.1e}")
    forces = {name: (one.joint(name), other.joint(name)) for name in (*mechanism.joints, *mechanism.drives)}
    size = max((np.nanmax(np.abs(part), initial=0.0) for pair in forces.values() for part in parts(pair[0])), default=0)
    for name, (wanted, got) in forces.items():
        for a, b in zip(parts(wanted), parts(got), strict=True):
            if np.any(np.isnan(a) != np.isnan(b)):
                found.append(f"`{name}` is determined in one of them only")
            elif np.nanmax(np.abs(a - b), initial=0.0) > FORCE * max(1.0, size):
                found.append(f"force of `{name}` differs by {np.nanmax(np.abs(a - b)):.1e} of {size:.3g}")
    return found


def parts(force) -> tuple[np.ndarray, np.ndarray]:
    """Return force and moment."""
    return force.force, force.moment
