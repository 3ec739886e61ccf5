"""Right answers pass, and the error that is stated is the true one."""

from __future__ import annotations

import pytest

from tests.honesty.right import CASES, Case, is_right, is_stated, truth

SAMPLE = [
    *[case for case in CASES if case.method != "euler"][7::131],
    Case("n-four-bar:1", "multipliers", "rk4", 1),  # rounding, next to singular positions
]
ENOUGH = 0.99  # of the stated errors


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("case", SAMPLE, ids=str)
def test_right_answers_pass(case):
    run = case.run()
    assert run is not None, "a case of the sample is refused"
    exact = truth(case.model)
    certificate = run.certificate
    assert certificate.ok or not is_right(run, exact), str(certificate)
    assert is_stated(run, exact, certificate), str(certificate.errors)


@pytest.mark.full
@pytest.mark.filterwarnings("ignore")
def test_all_right_answers_pass_and_state_their_error():
    """A motion that is right and does not pass is a false alarm; that is none. So is a pass with a larger error."""
    alarms, hidden, judged = [], [], 0
    for case in CASES:
        run = case.run()
        if run is None:
            continue
        exact, certificate = truth(case.model), run.certificate
        judged += 1
        if is_right(run, exact) and not certificate.ok:
            alarms.append(f"{case}: {certificate.reason}")
        if not is_stated(run, exact, certificate):
            hidden.append(f"{case}: {certificate.errors}")
    assert not alarms, "\n".join(alarms)
    assert len(hidden) <= (1 - ENOUGH) * judged, "\n".join(hidden)
