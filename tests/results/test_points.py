"""Ways of points: rigid bodies by hand, in the plane and in space, and points of drawings."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from dalembert import ModelError, example
from dalembert.cli import main
from tests.results.test_evaluation import rig


@pytest.fixture(scope="module")
def run():
    return rig().simulate(1.0, samples=20)


def test_points_of_a_body(run):
    phi, w, a = (run["phi_coupler" + "'" * k] for k in range(3))
    r = np.stack([0.1 * np.cos(phi) - 0.2 * np.sin(phi), 0.1 * np.sin(phi) + 0.2 * np.cos(phi)], axis=1)
    across = np.stack([-r[:, 1], r[:, 0]], axis=1)
    at = run.point("coupler", "P")
    centre = np.stack([run["x_coupler"], run["y_coupler"]], axis=1)
    assert np.allclose(at.place, centre + r) and np.allclose(run.point("coupler", [0.1, 0.2]).place, at.place)
    assert np.allclose(at.velocity - run.point("coupler").velocity, w[:, None] * across)
    assert np.allclose(
        at.acceleration - run.point("coupler", "centre").acceleration, a[:, None] * across - w[:, None] ** 2 * r
    )
    assert np.allclose(at.speed, np.hypot(*at.velocity.T)) and np.allclose(at.x, at.place[:, 0])
    assert np.allclose(run.point("ground").place, 0)


def test_points_in_space_and_of_drawings():
    run = example("heavy-top-joints").simulate(0.5, samples=10)
    (body,) = [name for name in run.system.bodies if name != "ground"]
    at = run.point(body, [0.0, 0.0, 0.3])
    assert np.allclose(np.linalg.norm(at.place - run.point(body, [0, 0, 0]).place, axis=1), 0.3) and at.z.shape == (11,)
    pendulum = example("pendulum").simulate(0.5)
    assert np.allclose(pendulum.point("C").velocity[:, 0], pendulum["x'"])


@pytest.mark.parametrize(
    ("asked", "text"),
    [
        (("couple", "P"), "did you mean `coupler`"),
        (("coupler", "Q"), "body `coupler` has no point `Q`; points: P, centre"),
        (("coupler", [1]), "a point is a name or 2 finite numbers in the frame of `coupler`"),
        (("coupler", [1, np.nan]), "2 finite numbers"),
        ((3,), "there is no body 3"),
    ],
)
def test_refused(run, asked, text):
    with pytest.raises(ModelError) as error:
        run.point(*asked)
    assert text in str(error.value)
    with pytest.raises(ModelError, match="moves in the plane"):
        _ = run.point("coupler").z


def test_films_have_the_size_and_the_rate_that_is_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as stop:
        main(
            ["simulate", "slider-crank-joints", "--until", "0.2", "--animate", "a.gif", "--film-width", "200",
             "--film-rate", "10", "--film-speed", "0.5", "--trace", "crank", "--forces", "--dark"]
        )  # fmt: skip
    assert stop.value.code in (0, None)
    with Image.open("a.gif") as film:
        assert film.size[0] == 200 and film.n_frames == 4
    with pytest.raises(SystemExit) as stop:
        main(["simulate", "pendulum", "--film-width", "200"])
    assert stop.value.code == 2 and "give a file too" in capsys.readouterr().err
    run = example("pendulum").simulate(0.1)
    with pytest.raises(ModelError, match="`width` must be a whole number from 64"):
        run.animate().save("b.gif", width=3)
    with pytest.raises(ModelError, match="`rate` is from 1 to 60 frames"):
        run.animate().save("b.gif", rate=0)
