"""No wrong answer passes; the certificate says so in words, never by an exception."""

from __future__ import annotations

import warnings

import pytest

from dalembert.errors import ModelError
from tests.honesty.wrong import WRONG


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", WRONG)
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
