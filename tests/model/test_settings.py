"""The settings in [simulate] are judged when a file is read, and by the check; not only when its motion begins."""

from __future__ import annotations

import pytest

from dalembert import ModelError, System, loads
from dalembert.cli import main

HEAD = """format = 1
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
[simulate]
"""


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('method = "rk5"', "method: no method `rk5`; did you mean `rk4`?"),
        ('form = "minmal"', "form: no form `minmal`; did you mean `minimal`?"),
        ('keep = "hold"', "keep: no way to keep constraints `hold`; ways: project, stabilise, none"),
        ("rtol = 0.5", "rtol: `rtol` is a part of the values, usually 1e-6 to 1e-12, at most 0.1; got 0.5"),
        ("atol = 0", "atol: `atol` must be positive and finite, got 0"),
        ("step = -0.1", "step: `step` must be positive and finite, got -0.1"),
        ("samples = 2.5", "samples: `samples` must be a whole number from 1 to 10,000,000, got 2.5"),
        ("samples = 1e12", "samples: `samples` must be a whole number from 1 to 10,000,000, got 1000000000000.0"),
    ],
)
def test_wrong_values_are_refused_with_their_line(entry, words):
    with pytest.raises(ModelError) as error:
        loads(HEAD + "until = 2\n" + entry, "m.toml")
    assert str(error.value) == f"m.toml:7: {words}"


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ('method = "rk4"', "the method `rk4` has a fixed step; give it"),
        ('method = "bdf"\nstep = 0.1', "the method `bdf` chooses its steps"),
        (
            'method = "radau"\nform = "explicit"',
            "the method `radau` goes with the form `multipliers` or `minimal`, not",
        ),
        ('method = "radau"\nkeep = "none"', "the method `radau` keeps the constraints itself"),
        ('form = "canonical"\nkeep = "stabilise"', "`stabilise` goes with the forms in q and v"),
        ('method = "rattle"\nstep = 0.1', "the method `rattle` takes constraints on positions only, unlike `slow`"),
    ],
)
def test_what_does_not_go_together_is_seen_by_the_check(entries, words):
    system = loads(HEAD + entries + '\n[constraints]\nslow = "x\' = 0.1"', "m.toml")
    [problem] = [problem for problem in system.check().problems if problem.severity == "error"]
    assert problem.text.startswith(f"in [simulate]: {words}")
    assert problem.line in (6, 7)
    with pytest.raises(ModelError, match=words.replace("[", "\\[")):
        system.simulate(0.1)


def test_a_call_may_give_what_is_missing():
    system = loads(HEAD + 'method = "rk4"')
    assert not system.check().ok
    assert system.simulate(0.2, step=0.1).status == "done"


def test_the_command_sees_it(tmp_path, capsys):
    path = tmp_path / "m.toml"
    path.write_text(HEAD + 'method = "rk5"')
    with pytest.raises(SystemExit) as ended:
        main(["check", str(path)])
    assert ended.value.code == 2
    assert f"{path}:6: method: no method `rk5`" in capsys.readouterr().err


def test_settings_given_in_python():
    with pytest.raises(ModelError, match=r"simulate\.method: a method is given by its name, got None"):
        System("x", kinetic="x'^2/2", simulation={"method": None})
