"""Model files: what is written is read again, and whatever is wrong is answered with its place, never with a crash."""

from __future__ import annotations

import os
import stat
import string

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dalembert import files
from dalembert.errors import ModelError
from dalembert.model import gallery
from dalembert.model.system import System
from dalembert.model.textfile import MAX_PROBLEMS, load, loads, save
from dalembert.model.tomlscan import MAX_BYTES
from dalembert.model.writing import to_toml

from ..conftest import GALLERY, pendulum

HEAD = """format = 1
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
"""
FULL = """# everything a file can have
format = 1
name = "All of it"
coordinates = ["x", "phi"]

[parameters]
m = 1.5
l = "2*pi/3"
k = "?"

[define]
s = "l*sin(phi)"
r = "x + s"

[energy]
kinetic = "m*(x'^2 + l^2*phi'^2)/2"
potential = "k*r^2/2"

[forces]
x = "-0.1*sign(x')*if(x > 0 and not phi < 1, 1, 2)"
phi = 0.25

[constraints]
rod = "x = s"
"joint.b" = "x'*sin(phi) = phi'*max(1, x, m)"

[initial]
x = "l/2"
"phi'" = 3

[guess]
phi = 0.5

[simulate]
until = 10
form = "multipliers"

[draw]
lines = [["O", "P"]]
springs = [["P", "Q"]]
circles = [["P", "l/4"]]

[draw.points]
O = [0, 0]
P = ["x", "-l*cos(phi)"]
"Q 1" = [1.5, "t"]
Q = [1, 2]
"""


def mistakes(text: str) -> list[str]:
    with pytest.raises(ModelError) as caught:
        loads(text, "m.toml")
    assert all(problem.file == "m.toml" for problem in caught.value.problems)
    return str(caught.value).split("\n")


def has(found: list[str], *expected: str) -> bool:
    """Tell whether each line begins as expected, and contains what follows after ` … `."""
    pairs = [(line, words.split(" … ")) for line, words in zip(found, expected, strict=False)]
    fits = [line.startswith(words[0]) and all(word in line for word in words[1:]) for line, words in pairs]
    return len(found) == len(expected) and all(fits)


# --- writing and reading ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", GALLERY)
def test_every_model_of_the_gallery_is_read_as_it_was_written(name):
    system = gallery.example(name)
    assert loads(to_toml(system)) == system


def test_everything_a_file_can_have():
    system = loads(FULL)
    again = loads(to_toml(system))
    assert again == system
    assert to_toml(again) == to_toml(system)
    assert system.parameters == {"m": 1.5, "l": pytest.approx(2.0943951), "k": None}
    assert [c.name for c in system.constraints] == ["rod", "joint.b"]
    assert system.source is not None and system.source.lines[("constraints", "rod")] == 24


def test_matrices():
    text = 'format = 1\ncoordinates = ["x", "y"]\n[matrices]\nmass = [["m", 0],\n [0, 2.5]]\nforce = ["-x", "m"]\n'
    system = loads(text + "[parameters]\nm = 1\n")
    assert loads(to_toml(system)) == system


@pytest.mark.parametrize(
    "name", ["plain", 'with "quotes" and \\', "tabs\tand\nlines", "\x00\x1f\x7f\x85\u2028\ufeff", "φ²·日本語🙂", "'''"]
)
def test_any_name_is_written_and_read(name):
    system = pendulum(name=name)
    assert loads(to_toml(system)).name == name


def test_numbers_of_every_size():
    values = [1, -1, 0.1, -2.5e-7, 1e22, 1.7e308, 5e-324, 10**180, 10**300, 123456789012345678901234567890]
    initial = {f"q{i}": value for i, value in enumerate(values)}
    system = System(coordinates=" ".join(initial), kinetic="q0'^2", initial=initial, parameters={"k": 1e-12})
    assert loads(to_toml(system)) == system


@pytest.mark.parametrize("text", ["[draw]\n", "[draw]\nlines = []\n", "[draw.points]\n", "[draw]\npoints = {}\n"])
def test_an_empty_drawing_is_none(text):
    assert loads(HEAD + text).drawing is None
    assert loads(to_toml(loads(HEAD + text))) == loads(HEAD)


def test_names_in_other_letters():
    system = loads('format = 1\ncoordinates = ["φ"]\n[parameters]\n"größe" = 1\n[energy]\nkinetic = "größe*φ\'^2"\n')
    assert system.coordinates == ("φ",)
    assert loads(to_toml(system)) == system


# --- files -----------------------------------------------------------------------------------------------------------


def test_save_and_load(tmp_path):
    path = tmp_path / "m.toml"
    save(pendulum(), path)
    assert load(path) == pendulum()
    assert load(str(path)).source.file == str(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.toml"]


@pytest.mark.skipif(os.name != "posix", reason="modes of files")
def test_modes_of_files(tmp_path):
    new, old = tmp_path / "new.toml", tmp_path / "old.toml"
    old.write_text("")
    old.chmod(0o600)
    mask = os.umask(0o027)
    try:
        save(pendulum(), new)
        save(pendulum(), old)
    finally:
        os.umask(mask)
    assert stat.S_IMODE(new.stat().st_mode) == 0o640
    assert stat.S_IMODE(old.stat().st_mode) == 0o600  # as it was


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real.toml").write_text("")
    (tmp_path / "link.toml").symlink_to("real.toml")
    save(pendulum(), tmp_path / "link.toml")
    assert (tmp_path / "link.toml").is_symlink()
    assert load(tmp_path / "real.toml") == pendulum()


@pytest.mark.parametrize("where", ["chmod", "replace", "fdopen"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_half_written(tmp_path, monkeypatch, where, error):
    monkeypatch.delattr(files.os, "O_TMPFILE", raising=False)  # as it is not on every system
    path = tmp_path / "m.toml"
    path.write_text("as it was")

    def fail(*args, **options):
        raise error

    monkeypatch.setattr(files.os, where, fail)
    with pytest.raises((ModelError, KeyboardInterrupt)) as caught:
        save(pendulum(), path)
    if isinstance(error, OSError):
        assert str(caught.value) == f"{path}: cannot write: No space left on device"
    assert path.read_text() == "as it was"
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.toml"]


def test_places_that_cannot_be_written(tmp_path):
    with pytest.raises(ModelError, match="cannot write: No such file or directory"):
        save(pendulum(), tmp_path / "nowhere" / "m.toml")
    with pytest.raises(ModelError, match="cannot write: Is a directory"):
        save(pendulum(), tmp_path)
    with pytest.raises(ModelError, match="cannot write: File name too long"):
        save(pendulum(), tmp_path / ("m" * 300))
    with pytest.raises(ModelError, match="half of a surrogate pair"):
        save(pendulum(name="\ud800"), tmp_path / "m.toml")
    assert list(tmp_path.iterdir()) == []


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(ModelError, match=r"absent\.toml: there is no such file"):
        load(tmp_path / "absent.toml")
    with pytest.raises(ModelError, match="it is a folder, not a model file"):
        load(tmp_path)
    with pytest.raises(ModelError, match="null"):
        load("\0")
    with pytest.raises(ModelError, match="File name too long"):
        load(tmp_path / ("m" * 300))


def test_large_files(tmp_path):
    path = tmp_path / "large.toml"
    path.write_bytes(b"#" * 10_000_000)
    with pytest.raises(ModelError, match="model files have at most 5,000,000 bytes; this one is larger"):
        load(path)
    with pytest.raises(ModelError, match="the text has 10,000,000 characters; at most 5,000,000 are read"):
        loads("#" * 10_000_000)
    assert loads(HEAD + "#" * (MAX_BYTES - len(HEAD))) == loads(HEAD)


def test_encodings(tmp_path):
    path = tmp_path / "m.toml"
    for data in (b"\xef\xbb\xbf" + HEAD.encode(), HEAD.replace("\n", "\r\n").encode()):
        path.write_bytes(data)
        assert load(path) == loads(HEAD)
    assert loads("\ufeff" + HEAD) == loads(HEAD)
    path.write_bytes(HEAD.encode() + b'name = "\xff"')
    with pytest.raises(ModelError, match=r"m\.toml:5: not UTF-8 text; save the file in that encoding"):
        load(path)
    path.write_bytes(HEAD.encode("utf-16"))
    with pytest.raises(ModelError, match="not UTF-8 text"):
        load(path)
    with pytest.raises(ModelError, match=":2: half of a surrogate pair"):
        loads("format = 1\nname = '\ud800'")


# --- mistakes --------------------------------------------------------------------------------------------------------


def test_all_mistakes_in_one_go():
    found = mistakes(
        """formt = 1
coordinates = ["x", "phi"]
[parameters]
m = true
l = "2*k"
t = 1
[define]
s = "l*sin(ph)"
[energy]
kinetic = "m*(x'^2 + l'^2)/2"
potental = "0"
[forces]
y = 1
x = "x''"
[constraints]
rod = "x - s"
a.b = "x = 0"
c1  =  "1 + x = 2*cos(phi"
c2 = 7
[inital]
x = 1
[initial]
x = "phi"
"phi''" = 1
[simulate]
until = "ten"
[draw]
lines = ["O", "P"]
[draw.points]
O = ["x"]
"""
    )
    assert has(
        found,
        "m.toml:1: formt: unknown entry; did you mean `format`?",
        "m.toml:1: format: expected `format = 1` at the top; it is missing",
        "m.toml:4: m: expected a number or an expression in quotes, got true or false",
        "m.toml:5:8: l: unknown name `k`; `l` needs a constant",
        "m.toml:6: t: parameter `t`: this name is reserved for time; choose another",
        "m.toml:8:12: s: unknown name `ph`; did you mean `phi`?",
        "m.toml:10:22: kinetic: a prime on `l`, which is a parameter; only coordinates and definitions have time derivatives",
        "m.toml:11: potental: unknown entry in [energy]; did you mean `potential`?",
        "m.toml:13: y: a force on `y`, which is no coordinate",
        "m.toml:14: x: a force depends on accelerations",
        "m.toml:16:13: rod: an equation needs `=`",
        "m.toml:17: a: expected an equation in quotes, got a section; a key with a point or a prime is quoted",
        "m.toml:18:22: c1: the parenthesis of `cos(` is never closed",
        "m.toml:19: c2: expected an equation in quotes, got a number",
        "m.toml:20: inital: unknown section; did you mean `initial`?",
        "m.toml:23: x: the value of `x` must be a number or an expression of parameters (found phi)",
        "m.toml:24: phi'': `phi''` is neither a coordinate nor a velocity",
        "m.toml:26:10: until: unknown name `ten`",
        "m.toml:28: lines: expected a list of lists",
        "m.toml:30: O: point `O` needs two or three coordinates",
    ), found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "",
            ["1: format: expected `format = 1` at the top; it is missing", "1: coordinates: expected a list of names"],
        ),
        (
            "format = 2\ncoordinates = ['x']",
            ["1: format: expected `format = 1` at the top; got '2'", "1: energy: no inertia"],
        ),
        ("format = true\n" + HEAD[11:], ["1: format: expected `format = 1` at the top; got 'True'"]),
        ("format = [" + "1," * 1000 + "]\n" + HEAD[11:], ["1: format: expected `format = 1` at the top; got '[1, 1,"]),
        ("format = 1\ncoordinates = 'x'", ["2: coordinates: expected a list of names, as in coordinates ="]),
        (
            "format = 1\ncoordinates = 'angles'\ngravity = [0, -9.81]\nuntil = 3\n[bodies.a]\nmass = 1\ninertia = 1",
            [
                """2: coordinates: … coordinates a mechanism has is said in [mechanism]: coordinates = "angles\"""",
                "3: gravity: unknown entry; `gravity` stands in [mechanism]",
                "4: until: unknown entry; `until` stands in [simulate]",
            ],
        ),
        ("format = 1\ncoordinates = []", ["2: coordinates: a system needs at least one coordinate"]),
        (
            "format = 1\ncoordinates = ['x', 'y', 'x']\n[energy]\nkinetic = 'z'",
            ["2: coordinates: coordinate `x` is listed twice", "4:12: kinetic: unknown name `z`"],
        ),
        ("name = 1\n" + HEAD, ["1: name: the name is a text in quotes, got a number"]),
        (HEAD + "[energy]", ["5:8: not valid TOML: [energy] is there twice, or contradicts what is above it"]),
        (HEAD + "kinetic = '0'\n", ["5:14: not valid TOML: kinetic is there twice"]),
        (HEAD + "[initial]\nx = 1\nx.y = 2\n", ["7:8: not valid TOML: x.y is there twice, or contradicts"]),
        (HEAD + "potential = 2*x\n", ["5:14: not valid TOML: Expected newline … expressions stand in quotes"]),
        (HEAD + "potential = x\n", ["5:13: not valid TOML: Invalid value; expressions stand in quotes"]),
        (HEAD + "[initial]\nx' = 1\n", ["6:2: a key with a prime is quoted"]),
        (HEAD + "[constraints]\nc = 'x' = 0'\n", ["6:12: a string is never closed"]),
        (HEAD + "[constraints]\nc = 'x'' = 0'\n", ["6:8: not valid TOML: Expected newline … in double quotes"]),
        (HEAD + 'name = "x\n', ["5:8: a string is never closed"]),
        (HEAD + "x = [1, 2\n", ["6: not valid TOML: Unclosed array"]),
        (HEAD + 'name = "\\x"\n', ["5:11: not valid TOML: Unescaped"]),
        (HEAD + "\0", ["5:1: not valid TOML: Invalid statement"]),
        (HEAD.replace("\n", "\r"), ["1:11: not valid TOML: Expected newline"]),
        ("format = 1\ncoordinates = ['x']\nenergy = 5", ["3: energy: expected a section [energy], got a number"]),
        (
            "format = 1\ncoordinates = ['x']\nmatrices = 2020-01-01",
            ["3: matrices: expected a section [matrices], got a date or time"],
        ),
        (HEAD + "[energy.potential]\nx = 1", ["5: potential: expected a number or an expression in quotes, got a sec"]),
        (HEAD + "[draw]\ncolour = 'red'", ["6: colour: no part `colour` of a drawing"]),
        (HEAD + "[draw]\ncircles = [['O', 1]]", ["6: circles: a circle is [centre, radius] with a named point"]),
        (HEAD + "[parameters]\nm = 1.5 kg", ["6:9: not valid TOML: … without its unit: m = 1.5"]),
        (HEAD + "[parameters]\nm = '1,5'", ["6:7: m: a comma belongs … decimals have a point: 1.5"]),
        (
            HEAD + "[simulate]\nuntil = -1",
            ["6: until: `until` must not be earlier than the motion begins, at t = 0; got -1"],
        ),
        (
            HEAD + "[simulate]\nform = 1\nmethod = [1]",
            ["6: form: a form is given by its name, got 1", "7: method: expected a number or"],
        ),
    ],
    ids=lambda value: str(value)[-30:],
)
def test_mistakes(text, expected):
    found = mistakes(text)
    assert has(found, *(f"m.toml:{words}" for words in expected)), found


VALUES = ["true", "2020-01-01", "07:32:00", "1979-05-27T07:32:00Z", "[]", "[[]]", "{}", "{a = 1}", "[{}]", "inf", "nan"]


@pytest.mark.parametrize("value", VALUES)
@pytest.mark.parametrize(
    "place",
    [
        "parameters.a",
        "define.a",
        "energy.potential",
        "forces.x",
        "constraints.a",
        "initial.x",
        "guess.x",
        "simulate.until",
    ],
)
def test_values_of_the_wrong_type(place, value):
    section, key = place.split(".")
    text = HEAD + (f"{key} = {value}\n" if section == "energy" else f"[{section}]\n{key} = {value}\n")
    assert has(mistakes(text), f"m.toml:{5 if section == 'energy' else 6}: {key}: ")


MATRICES = "format = 1\ncoordinates = ['x']\n[matrices]\nmass = {}\nforce = {}\n"


@pytest.mark.parametrize("value", [*VALUES, "1", "'x'", "[true]", "[[true]]", "[[[]]]", "[['x', []]]", "[1, [1]]"])
@pytest.mark.parametrize(
    ("pattern", "line"),
    [
        (MATRICES.format("{}", "[0]"), 4),
        (MATRICES.format("[[1]]", "{}"), 5),
        (HEAD + "[draw]\nlines = {}\n", 6),
        (HEAD + "[draw]\nsprings = {}\n", 6),
        (HEAD + "[draw]\ncircles = {}\n", 6),
        (HEAD + "[draw]\npoints = {}\n", 6),
        (HEAD + "[draw]\npoints.A = {}\n", 6),
        (HEAD + "[draw.points]\nA = [0, {}]\n", 6),
    ],
    ids=["mass", "force", "lines", "springs", "circles", "points", "point", "coordinate"],
)
def test_lists_of_the_wrong_type(pattern, line, value):
    text = pattern.replace("{}", value)
    try:
        loads(text)
    except ModelError as error:
        assert {problem.line for problem in error.problems} == {line}
    else:
        assert value in ("[]", "{}", "1", "'x'")


@pytest.mark.parametrize(
    "text",
    [
        MATRICES.format("[[[{}]]]", "[0]"),
        MATRICES.format("[[1]]", "[{{a = {}}}]"),
        HEAD + "[draw]\npoints = {{A = [[{}], 0]}}\n",
        HEAD + "[draw]\npoints = {{A = [0, 0]}}\ncircles = [['A', [{}]]]\n",
        HEAD + "[draw]\nlines = [[{}, {{a = {}}}]]\n",
        HEAD + "potential = {}\n",
        HEAD + "[parameters]\nm = {}\n",
        HEAD + "[simulate]\nuntil = {}\n",
        HEAD + "[constraints]\nc = {}\n",
        "format = 1\ncoordinates = [{}]\n",
    ],
)
def test_no_text_is_ever_run(text, tmp_path):
    trap = tmp_path / "trap"
    mistakes(text.format(*[f"\"__import__('pathlib').Path('{trap}').touch()\""] * 2))
    assert not trap.exists()


@pytest.mark.parametrize("name", ["", "a b", "x.y", "x'", "2x", "sin", "t", "if", "and", "x-y", "x\u0301"])
def test_odd_names(name):
    found = mistakes(f'format = 1\ncoordinates = ["{name}"]\n[energy]\nkinetic = 1\n')
    assert found[0].startswith(f"m.toml:2: coordinates: coordinate {name!r}") or f"`{name}`" in found[0]
    for section in ("parameters", "define"):
        assert has(mistakes(f'{HEAD}[{section}]\n"{name}" = "1"\n'), f"m.toml:6: {name}: ")


def test_many_mistakes_are_cut_off():
    found = mistakes("format = 1\n" + "".join(f"x{i} = 1\n" for i in range(3000)))
    assert len(found) <= MAX_PROBLEMS + 1
    found = mistakes(HEAD + "[initial]\n" + "".join(f"n{i} = 1\n" for i in range(300)))
    assert len(found) == MAX_PROBLEMS + 1
    assert found[-1] == "m.toml: … and 200 more"


# --- anything --------------------------------------------------------------------------------------------------------


def survives(text: str) -> None:
    """Read a text; what is read can be written and read again, everything else is a ModelError in words."""
    try:
        system = loads(text)
    except ModelError as error:
        assert error.problems
        assert len(str(error)) < 100_000
        assert all(problem.text for problem in error.problems)
    else:
        assert loads(to_toml(system)) == system


@pytest.mark.parametrize(
    "text",
    [
        "\n".join("§$%&/()=?`´+#*'-_.:,;<>|^°!\"{[]}\\"[i % 30 :] * (i % 5) for i in range(200)),
        "\n".join(f"{'[' * (i % 7)}word {i} = = {i}{']' * (i % 5)}" for i in range(200)),
        "the quick brown fox jumps over the lazy dog and does not stop\n" * 200,
        HEAD + "a." * 20_000 + "a = 1",
        HEAD + "[" * 5000 + "]" * 5000,
        HEAD + "a = " + "[" * 5000 + "]" * 5000,
        HEAD + "a = " + "{a = " * 5000 + "1" + "}" * 5000,
        HEAD + "potential = '" + "(" * 5000 + "x" + ")" * 5000 + "'",
        HEAD + "potential = '" + "(" * 200_000 + "'",
        HEAD + "potential = '" + "-" * 200_000 + "x'",
        HEAD + "potential = '" + "x^" * 100_000 + "x'",
        HEAD + "potential = '" + "max(x, " * 50_000 + "'",
        HEAD + "potential = " + "1" * 5000,
        HEAD + "potential = '" + "1" * 5000 + "'",
        HEAD + "potential = '0." + "1" * 5000 + "'",
        HEAD + "potential = 1." + "1" * 5000,
        HEAD + "potential = 1e" + "9" * 150,
        HEAD + "potential = '1e" + "9" * 250 + "'",
        HEAD + "potential = '" + "x" * 100_000 + "'",
        HEAD + "potential = '" + " " * 300_000 + "'",
        HEAD + 'potential = "' + "\\u0078 + " * 20_000 + 'x"',
        HEAD + "potential = '''" + "x +\n" * 20_000 + "x'''",
        HEAD + "\n".join(f"[s{i}]" for i in range(20_000)),
        HEAD + "[[define]]\n" * 20_000,
        HEAD + "[parameters]\n" + "\n".join(f"p{i} = {i}" for i in range(20_000)),
        HEAD + "[define]\n" + "\n".join(f"d{i + 1} = 'x + d{i}'" for i in range(300)),
        HEAD + "[define]\nd0 = 'x'\n" + "\n".join(f"d{i + 1} = 'd{i}*sin(d{i})'" for i in range(300)),
        HEAD + "[define]\nd0 = 'x'\n" + "\n".join(f"d{i + 1} = 'd{i}^d{i}'" for i in range(300)),
        HEAD + "[constraints]\n" + "\n".join(f"c{i} = 'x = {i}'" for i in range(2000)),
        HEAD + "potential = '" + "+".join(f"n{i}" for i in range(20_000)) + "'",
        HEAD + "#" * 1_000_000 + "\r" * 1000,
        HEAD + "x = " + " " * 300_000 + "1 1",
        "\r\n" * 100_000,
        "\\" * 100_000,
        "\ufeff\ufeff" + HEAD,
        HEAD + "\x85\u2028\u2029",
        'format = 1\ncoordinates = ["x\\u0000"]',
        'format = 1\ncoordinates = ["x\\n"]\n[energy]\nkinetic = "1"',
    ],
    ids=lambda text: text.removeprefix(HEAD)[:30],
)
def test_odd_texts(text):
    survives(text)


FRAGMENTS = [
    *FULL.split("\n"),
    *("[energy]", "[define]", "[[draw]]", "[draw.points]", "[matrices]", "mass = [[1]]", "force = ['x']", "x = 1"),
    *("format = 1", "coordinates = ['x']", "coordinates = ['x', 'y', 'φ']", 'kinetic = "x\'^2/2"', "name = ''"),
    *("'' = 1", "a.b.c = 'x'", '"a.b" = "x = t"', "x = []", "x = [[], {}]", "x = inf", "x = 2020-01-01", "x = false"),
    *("potential = '0^0'", "potential = '(-x)^(1/2)'", "potential = 'sign(sqrt(-x))'", "potential = '1e308*x*10'"),
    *("points = {A = ['x', 'y']}", "lines = [['A', 'A']]", "circles = [['A', -1]]", "c = 'x^(1/3) = sin(x)/x'"),
    *("c = \"x'' = x'*t\"", "c = \"abs(x')*x' = step(x)\"", "c = 'x = x'", "c = '0*x = 1'", "until = '1/0'"),
]
CHARACTERS = string.printable + 'φ′−·×\ufeff\x00\x85²½\'"""[]{}=.,#\\\n'
anything = settings(deadline=None, max_examples=250)


@anything
@given(st.text(max_size=200))
@example("=")
@example("[]")
@example("''=0")
def test_random_texts(text):
    survives(text)


@anything
@given(st.text(alphabet="xt'=<>()+-*/^.,0123456789 einfmaxsqrlog", max_size=60))
def test_random_expressions(text):
    survives(f'{HEAD}potential = "{text}"\n[constraints]\nc = "{text} = x"\n')


@anything
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=25).map("\n".join))
def test_random_fragments(text):
    survives(text)
    survives(HEAD + text)


@st.composite
def mutated(draw) -> str:
    """A valid file in which a few characters, lines or pieces are replaced, doubled, moved or taken away."""
    text = draw(st.sampled_from([FULL, to_toml(loads(FULL)), HEAD, MATRICES.format("[['x', 1]]", "['t']")]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(len(text), start + 12)))
        put = draw(
            st.one_of(st.text(CHARACTERS, max_size=3), st.sampled_from(FRAGMENTS), st.just(text[start:stop] * 2))
        )
        text = text[:start] + put + text[stop:]
    return text


@anything
@given(mutated())
def test_mutated_files(text):
    survives(text)


@pytest.mark.parametrize("value", ["x'^2/2", "'x'^2/2'", "x'^2/2 + x'*x'/3", "'x'^2/2 + x'^2'", "m*x^2"])
def test_an_expression_without_double_quotes_is_told_to_have_them(value):
    with pytest.raises(ModelError, match=r"stands? in (double )?quotes") as error:
        loads(HEAD.replace('"x\'^2/2"', value))
    assert error.value.problems[0].line == 4


def test_a_mistake_under_a_key_with_an_escape_has_its_line():
    with pytest.raises(ModelError) as error:
        loads(HEAD + '[initial]\nx = 0\n"x\\u0027" = "zz"\n')
    assert (error.value.problems[0].line, error.value.problems[0].column) == (7, 14)
