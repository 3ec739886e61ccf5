"""Formulas of mechanisms in space with friction: along a motion that slides, every printed equation holds."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import Mechanism
from dalembert.forms import FORMS
from tests.everyday import formulas
from tests.sampling import sampled

LONG, DISK = (
    [0.1, 0.12, 0.02],
    {"at": [0, 0, 0.1 * np.cos(0.3)], "rotation": {"axis": [1, 0, 0], "angle": np.pi / 2 + 0.3}},
)
PAIRS = {
    "prismatic": ({"axis": [1, 0, -1]}, {}, {}),
    "cylindrical": ({"axis": [1, 0, 0]}, {"velocity": [2, 0, 0], "spin": [10, 0, 0]}, {"radius": 0.05}),
    "revolute": ({"axis": [0, 1, 0]}, {"at": [0.6, 0, 0]}, {"radius": 0.02}),
    "spherical": ({}, {"at": [0.6, 0, 0], "spin": [0, 1, 2]}, {"radius": 0.02}),
    "screw": ({"axis": [0, 0, 1], "pitch": 0.02}, {"spin": [0, 0, 5]}, {"radius": 0.02}),
    "point_on_line": ({"axis": [1, 0, 0]}, {"velocity": [2, 0, 0]}, {}),
    "point_in_plane": ({"axis": [0, 0, 1]}, {"velocity": [2, 1, 0]}, {}),
    "rolling_sphere": ({"axis": [0, 0, 1], "radius": 0.1}, {"at": [0, 0, 0.1], "velocity": [2, 1, 0]}, {}),
    "rolling_disk": ({"axis": [0, 0, 1], "radius": 0.1}, {**DISK, "velocity": [2, 0, 0]}, {}),
}
WRITTEN = ("multipliers", "minimal", "explicit", "canonical", "independent")


def model(pair: str) -> Mechanism:
    joint, body, friction = PAIRS[pair]
    place = {} if pair.startswith("rolling") else {"at": [0, 0, 0]}
    return Mechanism(
        {"b": {"mass": 2, "inertia": LONG, "at": [0, 0, 0], **body}},
        {"S": {"kind": pair, "bodies": ["ground", "b"], **place, **joint}},
        friction={"f": {"joint": "S", "coefficient": 0.1, **friction}},
        dimensions=3,
    )


@pytest.mark.parametrize("case", sampled([(pair, form) for pair in PAIRS for form in WRITTEN], 12), ids=" ".join)
def test_every_equation_holds_where_it_slides(case):
    pair, form = case
    system = model(pair)
    run = system.simulate(0.1, method="dop853")
    assert not run.events and form in FORMS
    found = system.derive(form).as_dict()
    for t in (0.031, 0.077):
        known = dict(formulas.names(t=t, **system.parameters))
        wanted = [q + primes for q in system.coordinates for primes in ("", "'", "''")]
        wanted += [f"p_{q}{prime}" for q in system.coordinates for prime in ("", "'")]
        wanted += [f"lambda_{constraint.name}".replace(".", "_") for constraint in system.constraints]
        known |= {name: run.evaluate(name, [t])[0] for name in wanted}
        open_names = dict(found["abbreviations"])
        while open_names:
            name = next(name for name, text in open_names.items() if formulas.mentioned(text).isdisjoint(open_names))
            known[name] = formulas.value(open_names.pop(name), known)
        forces = [formulas.value(text, known) for text in found["equations"]]
        assert np.abs(np.array(forces, dtype=float)).max() < 1e-6
        assert max(abs(known[f"lambda_{c}".replace(".", "_")]) for c in found["multipliers"]) > 0.1  # it is loaded
