"""Simulation as a user meets it: settings, output, interruption, limits, files."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, System, load_motion
from dalembert.errors import MotionWarning
from dalembert.motion.methods import METHODS
from tests.conftest import pendulum
from tests.shared import example


@pytest.mark.parametrize("method", ["dop853", "radau", "bdf"])
def test_the_last_sample_is_there(method):
    """Whatever rounding makes of the end of the last step, t + (end − t)."""
    system = System("x", kinetic="x'^2/2", potential="x^2/2", initial={"x": 1})
    for end in np.random.default_rng(5).uniform(0.05, 3.0, 40):
        run = system.simulate(float(end), samples=3, method=method, rtol=1e-5, atol=1e-7)
        assert (len(run.t), run.t[-1]) == (4, float(end))


def test_samples_are_where_they_were_asked_for():
    run = pendulum().simulate(2.0, samples=20)
    assert run.t == pytest.approx(np.linspace(0, 2, 21))
    assert run.q.shape == (21, 3)
    times = [0.1, 0.5, 1.7]
    other = pendulum().simulate(2.0, samples=times)
    assert other.t == pytest.approx(times)
    assert other["phi"] == pytest.approx(run.at(times)[0][:, 2], abs=1e-8)
    assert max(other.residual.values()) < 1e-12  # samples are projected too


@pytest.mark.parametrize("method", METHODS)
def test_values_in_between(method):
    step = None if METHODS[method].adaptive else 0.005
    run = pendulum().simulate(2.0, method=method, step=step)
    fine = pendulum().simulate(2.0, rtol=1e-12, atol=1e-13)
    times = np.linspace(0, 2, 57)
    q, v = run.at(times)
    expected = fine.at(times)
    tolerance = {"euler": 0.2}.get(method, 1e-7)
    assert np.abs(q - expected[0]).max() < tolerance
    assert np.abs(v - expected[1]).max() < 20 * tolerance
    assert run.at(0.5)[0].shape == (3,)
    assert run.at(2.0)[0] == pytest.approx(run.q[-1])


def test_what_a_run_knows():
    run = pendulum().simulate(1.0)
    assert run["phi"][0] == 1.0
    assert run["phi'"].shape == run["phi''"].shape == run.t.shape
    assert run.reaction("rod_x").shape == (len(run.t), 3)
    assert set(run.multipliers) == {"rod_x", "rod_y"}
    assert run.energy[0] == pytest.approx(run.energy[-1], rel=1e-9)
    assert run.status == "done"
    assert run.steps == len(run.t) - 1
    assert run.evaluations >= 12 * run.steps
    assert np.all(run.conditioning > 0.1)
    assert f"done, {run.steps} steps, dop853, multipliers" in repr(run)
    with pytest.raises(ModelError, match="a run has no `psi`; "):
        run["psi"]
    with pytest.raises(AttributeError, match="a run has no `speed`"):
        _ = run.speed
    with pytest.raises(ModelError, match="the motion is known from t = 0 to 1; asked for"):
        run.at([0.5, 3.0])


def test_changed_parameters_change_the_motion():
    slow = pendulum().replace(parameters={"g": 1.0}).simulate(1.0)
    assert slow["phi"][-1] > pendulum().simulate(1.0)["phi"][-1]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"method": "rk45"}, "no method `rk45`; did you mean `rk4`?"),
        ({"form": "hamilton"}, "no form `hamilton`; "),
        ({"keep": "projct"}, "no way to keep constraints `projct`; did you mean `project`?"),
        (
            {"method": "rk4"},
            "the method `rk4` has a fixed step; give it: step=0.01, or --step 0.01 on the command line",
        ),
        ({"rtol": 0}, "`rtol` must be a part of the values, positive and at most 0.1 (usually 1e-6 to 1e-12), got 0"),
        ({"step": -1}, "`step` must be positive and finite, got -1"),
        ({"samples": [0.5, 0.2]}, "`samples` is a number of intervals, or increasing times"),
        ({"samples": [0.5, 20.0]}, "`samples` must lie between 0 and 1, got 0.5 to 20"),
        ({"form": "canonical", "keep": "stabilise"}, "`stabilise` goes with the forms in q and v"),
        ({"keep": "stabilise", "gains": {"gamma": 1}}, "no gain `gamma`; "),
        ({"keep": "stabilise", "gains": {"alpha": -1, "beta": 1}}, "needs negative real parts: kappa < 0 (velocities)"),
    ],
)
def test_mistakes_are_answered(settings, message):
    with pytest.raises(ModelError) as error:
        pendulum().simulate(1.0, **settings)
    assert message in str(error.value)


def test_settings_of_the_model_are_used():
    system = pendulum(simulation={"until": 0.5, "method": "rk4", "step": 0.1, "keep": "none"})
    run = system.simulate()
    assert (run.method, run.keep, run.steps, run.t[-1]) == ("rk4", "none", 5, 0.5)
    assert system.simulate(1.0, step=0.25).steps == 4


def test_interrupted():
    def stop(t, seconds):
        raise KeyboardInterrupt

    run = example("chain:3").simulate(1e6, progress=stop)
    assert run.status == "stopped"
    assert run.message.startswith("interrupted at t = ")
    assert 0 < run.t[-1] < 1e6
    assert np.all(np.isfinite(run.q))


def test_limits():
    run = pendulum().simulate(1e9, max_steps=50)
    assert run.status == "stopped"
    assert run.steps == 50
    assert "50 steps were taken at t = " in run.message
    run = pendulum().simulate(1e9, max_seconds=0.1)
    assert "s were over at t = " in run.message


def test_a_motion_of_no_length():
    run = pendulum().simulate(0.0)
    assert run.status == "done"
    assert run.t == pytest.approx([0.0])
    assert run.certificate.ok


def test_free_fall_and_one_coordinate():
    run = System("y", kinetic="y'^2/2", potential="9.81*y", initial={"y": 10}).simulate(1.0)
    assert run["y"][-1] == pytest.approx(10 - 9.81 / 2)
    assert run.multipliers == {}
    assert run.certificate.ok


@pytest.mark.parametrize("suffix", [".npz", ".csv", ".parquet"])
def test_files(tmp_path, suffix):
    pytest.importorskip("pyarrow") if suffix == ".parquet" else None
    run = pendulum().simulate(1.0, samples=10)
    path = tmp_path / f"motion{suffix}"
    run.save(path)
    table = load_motion(path)
    assert list(table)[:4] == ["t", "x", "y", "phi"]
    assert {"phi'", "phi''", "lambda_rod_x", "energy"} <= set(table)
    assert np.array_equal(table["phi"], run["phi"])
    assert [file.name for file in tmp_path.iterdir()] == [path.name]


def test_files_that_cannot_be(tmp_path):
    run = pendulum().simulate(0.1)
    with pytest.raises(ModelError, match="a motion is written to"):
        run.save(tmp_path / "motion.xls")
    with pytest.raises(ModelError, match="there is no folder"):
        run.save(tmp_path / "no" / "motion.npz")
    (tmp_path / "bad.npz").write_text("nothing")
    with pytest.raises(ModelError, match="no motion can be read"):
        load_motion(tmp_path / "bad.npz")


def test_dataframe():
    pytest.importorskip("pandas")
    frame = pendulum().simulate(1.0, samples=4).to_dataframe()
    assert list(frame.columns)[:2] == ["t", "x"]
    assert len(frame) == 5


@pytest.mark.parametrize("settings", [{"rtol": 1e-6, "atol": 1e-6}, {"method": "rk4", "step": 0.02}])
def test_the_global_error_is_estimated(settings):
    run = pendulum().simulate(5.0, **settings)
    exact = pendulum().simulate(5.0, rtol=1e-13, atol=1e-14).at(run.t)[0]
    true, estimated = np.abs(run.q - exact).max(), run.global_error().max()
    assert 0.5 * true < estimated < 2 * true


@pytest.mark.parametrize("settings", [{"form": "independent"}, {"keep": "stabilise"}, {"form": "canonical"}])
def test_steps_are_repeated_as_they_were(settings):
    """In between, a step is computed again with the choice or the gains that it had: its ends are met."""
    run = example("chaplygin-sleigh").simulate(3.0, **settings)
    inside = run.motion.times[:-1] + (1 - 1e-9) * np.diff(run.motion.times)
    assert np.abs(run.at(inside)[0] - run.q[1:]).max() < 1e-7
    assert np.abs(run.at(run.t)[1] - run.v).max() < 1e-12
    assert run.certificate.ok or settings == {"keep": "stabilise"}


@pytest.mark.parametrize("start", [1e-9, 1.0, 1e16, 1e150])
def test_very_small_and_very_large_motions(start):
    system = System("x", kinetic="x'^2/2", potential="x^2/2", initial={"x": start, "x'": 0})
    run = system.simulate(1.0, atol=1e-11 * min(start, 1.0))
    assert run["x"][-1] == pytest.approx(start * np.cos(1.0), rel=1e-6)


def test_small_oscillations_are_certified():
    system = System(
        "x y",
        kinetic="(x'^2 + y'^2)/2",
        potential="9.81*y",
        constraints={"rod": "x^2 + y^2 = 1"},
        initial={"x": 1e-6},
        guess={"y": -1},
    )
    assert system.simulate(10.0).certificate.ok


def test_singular_positions_are_certified():
    assert example("n-four-bar:2").simulate(5.0).certificate.ok


def test_friction_that_sticks_is_recognised():
    """Steps become tiny; that is said, with a remedy, and what was computed is returned and measured all the same."""
    block = System("x", kinetic="x'^2/2", forces={"x": "-sign(x')"}, initial={"x'": 1})
    run = block.simulate(3.0, max_steps=100_000)
    assert run.status == "failed" and "tanh" in run.message
    assert not run.certificate.ok and run.certificate["energy"].ok is not None


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"until": "soon"}, "`until` must be a number, got 'soon'"),
        ({"rtol": "x"}, "`rtol` must be a number, got 'x'"),
        ({"samples": "abc"}, "`samples` is a number of intervals, or increasing times"),
        ({"max_steps": -1}, "`max_steps` must be a whole number from 1 to 1,000,000,000, got -1"),
    ],
)
def test_values_of_the_wrong_kind(settings, message):
    with pytest.raises(ModelError) as error:
        pendulum().simulate(**{"until": 1.0, **settings})
    assert message in str(error.value)


def test_times_and_names_of_the_wrong_kind():
    run = pendulum().simulate(1.0, samples=np.int64(5))
    assert len(run.t) == 6
    with pytest.raises(ModelError, match="`times` takes numbers, got 'a'"):
        run.at("a")
    with pytest.raises(ModelError, match=r"a run is asked by names, as in run..x..; got 0"):
        run[0]


@pytest.mark.parametrize("suffix", [".npz", ".csv"])
def test_names_that_clash(tmp_path, suffix):
    system = System(
        "file energy",
        kinetic="file'^2 + energy'^2",
        constraints={"a.b": "file = 1", "a_b": "file = 1"},
        initial={"energy": 2},
    )
    run = system.simulate(0.1)
    run.save(tmp_path / f"m{suffix}")
    table = load_motion(tmp_path / f"m{suffix}")
    assert table["file"][-1] == pytest.approx(1)
    assert table["energy"][-1] == pytest.approx(2)
    assert {"energy_", "lambda_a.b", "lambda_a_b"} <= set(table)


def test_a_step_that_is_too_large_is_seen():
    """Without a tolerance the energy is held against a limit of its own, and a failure speaks of the step."""
    certificate = example("four-bar").simulate(2, method="rk4", step=0.05).certificate
    assert not certificate.ok
    assert certificate.as_dict()["items"]["energy"]["ok"] is False
    with pytest.warns(MotionWarning, match="take a smaller one"):
        assert example("four-bar").simulate(2, method="rk4", step=0.5).status == "failed"


def test_what_is_made_of_a_motion_does_not_change_it():
    run = pendulum().simulate(1.0, samples=10)
    before = run.q.copy()
    angle = run["phi"]
    angle *= 180 / np.pi
    assert np.array_equal(run.q, before)
    with pytest.raises(ValueError, match="read-only"):
        run.q[0] = 0.0


@pytest.mark.parametrize("rtol", [1e-11, 1e-12])
def test_rounding_of_dependent_coordinates_does_not_shorten_the_steps(rtol):
    """Next to the position where all bars lie in one line, the others are known to a multiple of rounding only."""
    run = example("n-four-bar:1").simulate(1.0, form="independent", rtol=rtol, atol=rtol / 100, max_steps=1000)
    exact = example("n-four-bar:1").simulate(1.0, rtol=1e-13, atol=1e-15)
    assert run.status == "done"
    assert np.abs(run.q[-1] - exact.q[-1]).max() < 1e-9
