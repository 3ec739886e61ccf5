"""Text that means harm, or means nothing: refused by bounds on size and depth, nothing executed."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalembert import ModelError, System, load, loads, names
from dalembert.model.gallery import SIZED, example
from dalembert.model.sections import SECTIONS

KEYED = ("tables", "controls", "loads", "events")  # tables of tables
GOOD = str(example("pendulum"))
LINES = GOOD.split("\n")

HOSTILE = {
    "garbage": "\n".join(f"@@ {i} ]][[ = = '\" \\ {{" for i in range(200)),
    "dotted key": "a." * 20_000 + "b = 1",
    "dotted header": "[" + "a." * 20_000 + "b]",
    "quoted dotted key": '"a".' * 20_000 + "b = 1",
    "nested brackets": "x = " + "[" * 5_000 + "]" * 5_000,
    "nested tables": "x = " + "{a = " * 5_000 + "1" + "}" * 5_000,
    "long integer": "x = " + "9" * 5_000,
    "long float": "x = 1." + "9" * 5_000,
    "open string": 'x = "' + "a" * 10_000,
    "quotes": '"' * 9_999,
    "triple quotes": 'x = """' + '\\"""' * 5_000,
    "null": "\x00" * 100,
}
EXPRESSIONS = {
    "parentheses": "(" * 5_000 + "x" + ")" * 5_000,
    "minus signs": "-" * 5_000 + "x",
    "towers": "x^(9^9^9)",
    "tower of twos": "^".join(["2"] * 50),
    "nested powers": "((9^1000*x)^1000*x)^1000",
    "import": "__import__('os').system('true')",
    "attribute": "x.__class__",
    "call of a name": "x.diff(x)",
    "subscript": "x[0]",
    "lambda": "lambda: x",
    "long number": "9" * 5_000,
    "long decimal": "0." + "1" * 5_000,
    "large exponent": "1e999999999",
    "functions": "sin(" * 3_000 + "x" + ")" * 3_000,
    "conditions": "if(" + " and ".join(["x > 0"] * 3_000) + ", 1, 2)",
    "deep conditions": "if(x > 0, " * 1_000 + "1" + ", 2)" * 1_000,
    "strings": "'a' + \"b\"",
    "zero": "1/(x - x)",
    "imaginary": "sqrt(-1)*x",
    "infinite": "x*1e308*10",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_are_refused(text):
    with pytest.raises(ModelError):
        loads(text)
    with pytest.raises(ModelError):
        loads(GOOD + "\n" + text)


@pytest.mark.parametrize("text", EXPRESSIONS.values(), ids=EXPRESSIONS)
def test_hostile_expressions_are_refused(text):
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    with pytest.raises(ModelError):
        loads(GOOD.replace('potential = "m*g*y"', f'potential = "{quoted}"'))


def test_definitions_that_double():
    """Sixty lines that would make 2⁶⁰ terms."""
    doubled = "\n".join(f'd{i} = "d{i - 1}*d{i - 1} + x*d{i - 1}"' for i in range(1, 60))
    with pytest.raises(ModelError, match=r"\d+"):
        loads(GOOD.replace("[energy]", f'[define]\nd0 = "x + y"\n{doubled}\n\n[energy]'))


def test_definitions_share_one_budget():
    """Definitions used in definitions cannot multiply the work: refused by size."""
    large = " + ".join(f"sin({i}*x)" for i in range(9_000))
    uses = "".join(f"d{i} = 'D*{i}'\n" for i in range(2_000))
    with pytest.raises(ModelError, match="all expressions together are too large"):
        loads(f"{GOOD}\n[define]\nD = '{large}'\n{uses}")


def test_thousands_of_definitions_and_of_mistakes():
    lines = "".join(f"d{i} = 'x + {i}'\n" for i in range(10_000))
    many = loads(f"{GOOD}\n[define]\n{lines}")
    assert many.replace(define=None) == loads(GOOD) and len(many.sections["define"]) == 10_000
    with pytest.raises(ModelError) as error:
        loads(GOOD + "\n[forces]\n" + "".join(f"y{i} = 'z{i}'\n" for i in range(10_000)))
    assert len(error.value.problems) > 100


def test_the_slope_of_a_broken_root_does_not_end_the_process():
    """SymEngine's own sign(sqrt(-x)) does; a process of its own, so that a crash is a failed test."""
    code = "from dalembert import System; System('x', kinetic=\"x'^2/2\", potential='abs(sqrt(-x))').blocks"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_large_files_are_refused_unread(tmp_path):
    path = tmp_path / "large.toml"
    path.write_text("# " + "x" * 10_000_000)
    with pytest.raises(ModelError, match="model files have at most 5,000,000 bytes"):
        load(path)


@pytest.mark.parametrize("name", [name for name in names() if name not in SIZED])
def test_round_trip(name):
    system = example(name)
    assert loads(str(system)) == system


def test_a_large_model_can_be_written_and_read():
    for name in ("chain:300", "chain-minimal:200"):
        system = example(name)
        assert loads(str(system)) == system


def test_what_is_too_large_to_be_read_is_not_saved(tmp_path):
    with pytest.raises(ModelError, match="too large for a model file"):
        example("chain-minimal:260").save(tmp_path / "large.toml")
    assert not list(tmp_path.iterdir())


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.text(max_size=300))
def test_no_text_makes_the_reader_raise_anything_else(text):
    with contextlib.suppress(ModelError):
        loads(text)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.integers(0, len(LINES) - 1),
    st.text("abcxyphi'\"=+-*/^()[]{}.,<>0123456789 \n\\#", max_size=40),
    st.integers(0, 60),
    st.booleans(),
)
def test_no_damage_to_a_model_makes_the_reader_raise_anything_else(line, text, place, instead):
    lines = list(LINES)
    kept = lines[line][:place]
    lines[line] = kept + text + (lines[line][place + len(text) :] if instead else lines[line][place:])
    with contextlib.suppress(ModelError):
        loads("\n".join(lines))


class Mute:
    """What cannot even be shown."""

    def __repr__(self):
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "wrong",
    [3, 1.5, 1j, "x", [1], np.array([1, 2]), np.array([]), Mute(), {Mute(): 1}],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize("name", sorted(SECTIONS))
def test_what_is_no_table_is_refused_whatever_the_others_are(name, wrong):
    """In Python any value may come, beside tables that look at each other's names."""
    others: dict[str, Any] = {
        "outputs": {"tip": "x"},
        "states": {"z": "x - z"},
        "controls": {"u": {"acts": {"x": 1}, "law": "-x"}},
        "tables": {"road": {"x": [0, 1], "value": [0, 1]}},
    }
    with contextlib.suppress(ModelError):
        System("x", kinetic="x'^2/2", **{**others, name: wrong})


@pytest.mark.parametrize(
    "wrong",
    [None, 3, [], {}, np.array([1, 2]), np.array([]), Mute(), float("nan"), b"x"],
    ids=lambda value: type(value).__name__,
)
@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("tables", {"x": [0, 1], "value": [0, 1], "kind": "linear", "beyond": "stop", "file": "a.csv"}),
        ("controls", {"acts": {"x": 1}, "law": "-x"}),
        ("loads", {"at": ["x", 0], "force": [1, 0], "angle": "x", "moment": 1}),
        ("events", {"when": "x = 0", "direction": "up", "stop": True, "set": {}, "velocities": {}}),
        ("outputs", {"a": "x"}),
        ("define", {"a": "x"}),
        ("states", {"a": "x"}),
        ("functions", {"a": ["t"]}),
    ],
)
def test_no_entry_of_a_table_raises_anything_else(name, good, wrong):
    for entry in good:
        changed = {**good, entry: wrong}
        with contextlib.suppress(ModelError):
            System("x", kinetic="x'^2/2", **{name: {"a": changed} if name in KEYED else changed})
