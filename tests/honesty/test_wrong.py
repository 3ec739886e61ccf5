"""No wrong answer passes; the certificate says so in words, never by an exception."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from dalembert.errors import ModelError
from tests.honesty.machines import gliding
from tests.honesty.wrong import WRONG
from tests.sampling import sampled


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", sampled(WRONG, 3))
def test_wrong_answers_do_not_pass(name, monkeypatch):
    try:
        run = WRONG[name](monkeypatch)
    except ModelError:  # refused: it does not even begin
        return
    certificate = run.certificate
    assert not certificate.ok, str(certificate)
    assert certificate.reason
    assert str(certificate).startswith("Certificate: not ") or "can be trusted until" in str(certificate)


def test_a_certificate_that_does_not_pass_warns():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _ = WRONG["euler on matrices"](None).certificate
    assert any("certificate: not kept" in str(warning.message) for warning in caught)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("force", "speed"),
    [
        ("if(abs(t - 5.3) < 0.001, 1000, 0)", 3.0),
        ("1000*exp(-((t - 5.3)/0.001)^2)", 1 + np.sqrt(np.pi)),
    ],
)
def test_a_pulse_is_met_or_does_not_pass(force, speed):
    run = gliding(forces={"x": force}).simulate(10)
    assert abs(run["x'"][-1] - speed) < 1e-6 or not run.certificate.ok
