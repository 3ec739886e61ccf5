"""The settings in [simulate] are judged when a file is read, and by the check; not only when its motion begins."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from inspect import Parameter, signature

import pytest
from typer.main import get_command

from dalembert import Mechanism, ModelError, System, loads
from dalembert.cli import main
from dalembert.cli.app import app
from dalembert.cli.options import MOTION
from dalembert.forms import FORMS
from dalembert.model.setting_kinds import Choice
from dalembert.model.settings import FORM_NAMES, Settings
from dalembert.motion.methods import METHODS

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
        (
            "rtol = 0.5",
            "rtol: `rtol` must be a part of the values, positive and at most 0.1 (usually 1e-6 to 1e-12), got 0.5",
        ),
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


def test_the_signature_of_simulate_is_the_declaration():
    """Written out once, for editors: the same names, types, defaults and words; what a model may say is left open."""
    for kind in (System, Mechanism):
        declared = {f.name: f for f in fields(Settings)}
        parameters = dict(list(signature(kind.simulate).parameters.items())[1:])
        assert list(parameters) == list(declared)
        documented = " ".join((kind.simulate.__doc__ or "").split())
        for name, parameter in parameters.items():
            said, default, annotation = Settings.said[name], declared[name].default, str(declared[name].type)
            if said.in_file:
                default, annotation = None, annotation.removesuffix(" | None") + " | None"
            assert (parameter.default, parameter.annotation) == (default, annotation), name
            assert f"{name}: {said.docstring}" in documented
            assert parameter.kind == (Parameter.POSITIONAL_OR_KEYWORD if name == "until" else Parameter.KEYWORD_ONLY)


def test_defaults_are_as_they_are_said():
    defaults = {f.name: f.default for f in fields(Settings)}
    for name in ("until", "method", "keep", "rtol", "atol"):
        value = Settings.said[name].docstring.rpartition("else ")[2].removesuffix(".")
        assert type(defaults[name])(value) == defaults[name]
    assert Settings().form == METHODS[Settings().method].forms[0]


def test_what_is_offered_is_what_exists():
    for name in ("form", "method", "keep"):
        kind = Settings.said[name].kind
        assert isinstance(kind, Choice)
        assert set(kind.offered) == set(kind.known())
    assert set(FORMS) == set(FORM_NAMES)


def test_the_command_line_has_an_option_for_each_setting():
    known = get_command(app).commands["simulate"]  # pyright: ignore[reportAttributeAccessIssue]
    options = {param.name: param for param in known.params if getattr(param, "rich_help_panel", "") == MOTION}
    assert tuple(options) == Settings.options
    for name, option in options.items():
        assert (option.help, option.metavar or "") == (Settings.said[name].sentence, Settings.said[name].metavar)
        assert option.opts == [f"--{name.replace('_', '-')}"]


@pytest.mark.parametrize("name", [name for name in Settings.in_file if name != "begin"])  # any number is right there
def test_file_python_and_command_line_say_the_same(name, capsys):
    """A value that is wrong for each of the three, in the words of the one declaration."""
    wrong = {"samples": 2.5, "form": "x", "method": "x", "keep": "x", "gains": {"gamma": "1"}, "coordinates": "x,,y"}
    value = wrong.get(name, -1.0)
    words = []
    with pytest.raises(ModelError) as error:
        System("x", kinetic="x'^2/2").simulate(**{name: value})
    words.append(str(error.value))
    with pytest.raises(ModelError) as error:
        System("x", kinetic="x'^2/2", simulation={name: value})
    words.append(str(error.value).removeprefix(f"simulate.{name}: "))
    with pytest.raises(SystemExit):
        main(["simulate", "pendulum", f"--{name.replace('_', '-')}", "gamma=1" if name == "gains" else str(value)])
    words.append(capsys.readouterr().err.strip().replace(f"`--{name.replace('_', '-')}", f"`{name}"))
    assert words[0] == words[1] == words[2]


def test_a_keyword_that_does_not_exist():
    with pytest.raises(ModelError, match=r"a motion has no setting `smaples`; did you mean `samples`\?"):
        System("x", kinetic="x'^2/2").simulate(1, smaples=3)  # pyright: ignore[reportCallIssue]


def test_the_declaration_is_read_without_numpy():
    """A page of help, or a press of the Tab key, waits for nothing of the mechanics."""
    code = "import sys, dalembert.cli.app; sys.exit('numpy' in sys.modules or 'sympy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
