"""Motions for MATLAB: valid names, columns, and back."""

from __future__ import annotations

import keyword
import re

import numpy as np
import pytest
from scipy.io import loadmat

from dalembert import ModelError, example, load_motion
from dalembert.results.matlab import matlab_names


def test_a_motion_there_and_back(tmp_path):
    run = example("pendulum").simulate(1.0, samples=10)
    run.save(tmp_path / "pendulum.mat")
    data = loadmat(tmp_path / "pendulum.mat")
    assert data["t"].shape == data["phi_dd"].shape == (11, 1)
    assert data["phi_d"].ravel() == pytest.approx(run["phi'"], abs=0)
    assert "coordinates" in data["model"][0]
    table = load_motion(tmp_path / "pendulum.mat")
    assert list(table)[:4] == ["t", "x", "y", "phi"]
    for name in ("phi", "phi'", "phi''"):
        assert np.array_equal(table[name], run[name])
    assert np.array_equal(table["lambda_rod_x"], run.multipliers["rod_x"])
    assert [path.name for path in tmp_path.iterdir()] == ["pendulum.mat"]


def test_names_are_valid_and_different():
    long = "x" * 80
    names = ["a", "a'", "a_d", "end", "for", "_b", "1", "column_names", "model", "å", long, long + "y", *keyword.kwlist]
    found = matlab_names(names)
    assert len(set(found)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,62}", name) for name in found)
    assert not {"end", "for", "model"} & set(found)


def test_files_of_others_are_refused(tmp_path):
    from scipy.io import savemat

    savemat(tmp_path / "other.mat", {"x": 1})
    with pytest.raises(ModelError, match=r"other.mat: no motion can be read from this file \(it has no `column_names`"):
        load_motion(tmp_path / "other.mat")
    (tmp_path / "bad.mat").write_bytes(b"nothing of the kind")
    with pytest.raises(ModelError, match="no motion can be read"):
        load_motion(tmp_path / "bad.mat")
