"""Machines in millimetres: what turns goes as far as in metres, and nothing is lost in accelerations."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import loads
from dalembert.blocks.numeric import numeric_of
from dalembert.forms.augment import augmentation

COIN = """format = 1
[mechanism]
dimensions = 3
gravity = [0, 0, -9810]
[bodies.coin]
mass = 0.00175
inertia = [96.0, 78.0, 60.0]
at = [0, 0, 240]
rotation = {axis = [1, 0, 0], angle = 1.14}
spin = [-0.65, 2.97, 1.28]
[joints.floor]
kind = "rolling_disk"
bodies = ["ground", "coin"]
points = [[0, 0, 0], [0, 0, 0]]
radius = 300
[loads.push]
body = "coin"
force = [-7.52, "16.77*sin(5*t)", "4.42*sin(5*t)"]
"""


@pytest.mark.parametrize("form", ["multipliers", "explicit", "minimal", "independent"])
def test_accelerations_are_those_of_a_dense_solution(form):
    system = loads(COIN)
    assert not augmentation(system)
    run = system.simulate(0.1, samples=5, form=form)
    for t, q, v, found in zip(run.t, run.q, run.v, run.accelerations, strict=True):
        values = numeric_of(system).all(t, q, v)
        M, A = values.M.toarray(), values.A.toarray()
        matrix = np.block([[M, -A.T], [A, np.zeros((len(A), len(A)))]])
        exact = np.linalg.solve(matrix, [*values.f, *values.c])[: len(M)]
        np.testing.assert_allclose(found, exact, atol=1e-11 * np.abs(exact).max())


def test_numbers_larger_than_floats_are_no_obstacle():
    text = """format = 1
[mechanism]
gravity = [0, -9810]
[bodies]
b1 = {mass = 0.00324, inertia = 371, at = [-175, -325], angle = -2.065}
b2 = {mass = 0.00044, inertia = 220, at = [275, -205], angle = -0.641}
[joints]
J1 = {kind = "slot", bodies = ["ground", "b1"], at = [0, 0], axis = [1, 0]}
J2 = {kind = "rigid", bodies = ["ground", "b2"], at = [0, 0]}
"""
    assert loads(text).derive("canonical").equations
