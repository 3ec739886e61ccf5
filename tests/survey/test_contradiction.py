"""Initial values out of reach together: all of them are named, and what is proposed helps."""

import re

import pytest

from dalembert import Mechanism, ModelError, System


def pendulum(**rest):
    kinetic, constraints = "x'^2 + y'^2 + 0.1*phi'^2", {"rod_x": "x = sin(phi)", "rod_y": "y = -cos(phi)"}
    return System("x y phi", kinetic=kinetic, constraints=constraints, **rest)


def chain(**rest):
    """Four links of length 1 along x."""
    bodies = {f"b{i}": {"mass": 1, "inertia": 0.1, "at": [i + 0.5, 0]} for i in range(4)}
    ends = ["ground", *bodies]
    joints = {f"J{i}": {"kind": "revolute", "bodies": ends[i : i + 2], "at": [i, 0]} for i in range(4)}
    return Mechanism(bodies, joints, **rest)


def refused(model, initial):
    with pytest.raises(ModelError) as error:
        model(initial=initial).start()
    return error.value.problems


CASES = [
    (pendulum, {"x": 0.5, "phi": 1.0}),
    (pendulum, {"x": 2.0}),
    (pendulum, {"x": 0.3, "y": 0.3}),
    (pendulum, {"phi": 0.2, "x'": 1, "y'": 1}),
    (chain, {"x_b0": 0.5, "x_b3": -3.4}),  # reaches to -1.5
    (chain, {"x_b0": 0.45, "y_b3": 5}),
    (chain, {"J0.angle": 0.5, "y_b1": 3}),
    (chain, {"phi_b0": 0.5, "J0.angle": 0.7, "J2.angle": 0.1}),
    (chain, {"J0.angle": 0.5, "y_b0'": 1, "J0.angle'": 3, "J2.angle'": 1}),
]


@pytest.mark.parametrize(("model", "initial"), CASES)
def test_following_the_proposal_helps(model, initial):
    (problem,) = refused(model, initial)
    nearby = dict(re.findall(r"([\w.']+) = ([-\d.e]+)", problem.text[problem.text.index("(nearby: ") :]))
    model(initial=initial | {name: float(value) for name, value in nearby.items()}).start()
    out = re.search(r"Leave (.+?) out, so that it is solved for", problem.text)
    assert out
    for name in nearby if out[1] in ("it", "one of them") else out[1].split(" or "):
        model(initial={other: value for other, value in initial.items() if other != name}).start()


def test_both_ends_are_named_though_nothing_between_them_is_fixed():
    """The joints that stay open in between touch neither of the two values."""
    (problem,) = refused(chain, {"x_b0": 0.5, "x_b3": -3.4})
    assert problem.text.startswith("the initial values x_b0 = 0.5, x_b3 = -3.4 contradict `J")
    assert problem.key == ("initial", "x_b0")


def test_what_does_not_matter_is_not_named():
    (problem,) = refused(chain, {"J2.angle": 0.1, "phi_b0": 0.5, "J0.angle": 0.7})
    assert "the initial values phi_b0 = 0.5, J0.angle = 0.7 contradict `J0.x`" in problem.text or (
        "the initial values phi_b0 = 0.5, J0.angle = 0.7 contradict each other" in problem.text
    )
    assert "J2" not in problem.text


def test_two_contradictions_are_told_at_once():
    problems = refused(pendulum, {"x": 2.0, "y": 3.0})
    assert [problem.text.split(" contra")[0] for problem in problems] == [
        "the initial value y = 3",
        "the initial value x = 2",
    ] or [problem.text.split(" contra")[0] for problem in problems] == [
        "the initial value x = 2",
        "the initial value y = 3",
    ]


def test_a_drive_and_an_initial_angle():
    (problem,) = refused(
        lambda initial: chain(initial=initial, drives={"motor": {"joint": "J0", "angle": "0.1 + t"}}), {"J0.angle": 0.2}
    )
    assert "the initial value J0.angle = 0.2 contradicts `motor.angle`" in problem.text
    assert problem.text.endswith("(nearby: J0.angle = 0.1)")
