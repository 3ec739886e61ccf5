"""Positions in which constraints become dependent: what does not get past them says so, and what does not."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism, MotionWarning


def parallelogram() -> Mechanism:
    """Three equal cranks with one coupler, of which one is too many."""
    feet = {"a": 0, "b": 0.5, "c": 1}
    return Mechanism(
        bodies={
            **{name: {"mass": 1, "inertia": 0.02, "at": [x, 0.25]} for name, x in feet.items()},
            "coupler": {"mass": 2, "inertia": 0.2, "at": [0.5, 0.5]},
        },
        joints={
            **{f"{name}0": {"kind": "revolute", "bodies": ["ground", name], "at": [x, 0]} for name, x in feet.items()},
            **{
                f"{name}1": {"kind": "revolute", "bodies": [name, "coupler"], "at": [x, 0.5]}
                for name, x in feet.items()
            },
        },
        initial={"phi_a'": 8},
    )


def test_what_does_not_get_past_a_dead_point_says_so():
    with pytest.warns(MotionWarning, match="the constraints become dependent"):
        run = parallelogram().simulate(0.2, method="bdf", rtol=1e-8, atol=1e-10)
    assert run.status == "failed" and "Take method `dop853`" in run.message and not run.certificate.ok


def test_a_dead_point_is_no_law_with_a_jump():
    """A Peaucellier linkage at the end of its reach: its joints have no friction, and nothing there is a sign."""
    a, L, s, phi = 0.2, 0.4, 0.15, 0.5
    P = np.array([a + a * np.cos(phi), a * np.sin(phi)])
    d = np.hypot(*P)
    u = P / d
    along = (L**2 - s**2 + d**2) / (2 * d)
    aside = np.sqrt(L**2 - along**2) * np.array([-u[1], u[0]])
    places = {"P": P, "B": along * u + aside, "D": along * u - aside, "R": 2 * along * u - P, "O": np.zeros(2)}
    places["Q"] = np.array([a, 0.0])

    def rod(first: str, second: str) -> dict:
        bodies = [("ground" if name in "OQ" else name) for name in (first, second)]
        return {"kind": "rod", "bodies": bodies, "at": [places[first].tolist(), places[second].tolist()]}

    bodies = {
        name: {"kind": "particle", "mass": 2.5 if name == "R" else 0, "at": places[name].tolist()} for name in "PBDR"
    }
    linkage = Mechanism(
        bodies=bodies, joints={one + two: rod(one, two) for one, two in ("QP", "OB", "OD", "PB", "PD", "BR", "DR")}
    )
    with pytest.warns(MotionWarning) as warned:
        run = linkage.simulate(0.6)
    text = " ".join(str(warning.message) for warning in warned)
    assert run.status == "failed" and "sign(v)" not in text
    assert "there the constraints become dependent" in text
