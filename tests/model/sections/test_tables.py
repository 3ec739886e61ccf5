"""[tables.*]: data as functions, in files, in Python, in formulas, saved and exported; and what cannot be a table."""

from __future__ import annotations

import os
import runpy

import numpy as np
import pytest
import sympy as sp
from scipy.interpolate import CubicSpline

from dalembert import Mechanism, ModelError, System, coordinates, dot, load
from dalembert import loads as read
from tests.extending.contract import compile_c, journey

MODEL = """format = 1
coordinates = ["x", "y"]

[parameters]
m = 1.2
k = 40

[tables.road]
@

[energy]
kinetic = "m*(x'^2 + y'^2)/2"
potential = "k*(y - road(x))^2/2"

[initial]
x = 0.5
"x'" = 1
"""
POINTS = "x = [0, 1, 2, 3, 4]\nvalue = [0, 0.1, 0, 0.3, 0.1]"
X, Y = [0.0, 1.0, 2.0, 3.0, 4.0], [0.0, 0.1, 0.0, 0.3, 0.1]


def model(text=POINTS):
    return read(MODEL.replace("@", text))


def test_formulas_keep_the_name_and_obey_the_chain_rule():
    system = model()
    assert str(system.derive()).count("road'(x)*(") == 1
    spline = CubicSpline(X, Y)
    q, v = np.array([2.3, 0.4]), np.array([1.0, 0.0])
    found = system.compile()(0.0, q, v).acceleration
    force = 40 * (q[1] - spline(q[0]))
    assert np.allclose(found, [force * spline(q[0], 1) / 1.2, -force / 1.2], rtol=1e-13)
    on_it = System("x y", kinetic="x'^2 + y'^2", constraints={"wire": "y = road(x)"}, tables=system.sections["tables"])
    c = on_it.compile()(0.0, np.array([2.3, spline(2.3)]), np.array([2.0, 2 * spline(2.3, 1)])).acceleration
    assert np.isclose(c[1] - spline(2.3, 1) * c[0], spline(2.3, 2) * 4.0)
    written = system.replace(potential=None, forces={"x": "k*road'(x)*(y - road(x))", "y": "-k*(y - road(x))"})
    assert written.compile()(0.0, q, v).acceleration == pytest.approx(found)
    assert read(str(written)) == written and "road''''(x)" not in str(system.replace(potential="k*road''''(x)*y"))


@pytest.mark.parametrize("more", ["", '\nkind = "linear"', '\nbeyond = "constant"'])
def test_from_text_to_report_and_exports(more, tmp_path):
    system = model(POINTS + more)
    run = journey(system, tmp_path, 0.4)
    compile_c(system, tmp_path)
    state = system.start()
    expected = system.compile()(state.t, state.q, state.v).acceleration
    system.export(tmp_path / "plain.py", to="numpy")
    plain = runpy.run_path(str(tmp_path / "plain.py"))["accelerations"]
    assert np.allclose(plain(state.t, state.q, state.v)[0], expected, rtol=1e-13)
    assert np.allclose(plain(run.t, run.q, run.v)[0], run.accelerations, rtol=1e-9, atol=1e-12)
    system.export(tmp_path / "other.py", to="jax")
    assert "road" not in (tmp_path / "other.py").read_text().split("COORDINATES")[0]
    pytest.importorskip("jax")
    other = runpy.run_path(str(tmp_path / "other.py"))["accelerations"]
    assert np.allclose(other(state.t, state.q, state.v)[0], expected, rtol=1e-12)


def test_a_bead_on_a_wire_of_points(tmp_path):
    x = np.linspace(-2, 2, 81)
    bead = System(
        "x y",
        kinetic="m*(x'^2 + y'^2)/2",
        potential="m*g*y",
        constraints={"wire": "y = bowl(x)"},
        tables={"bowl": {"x": x, "value": x**2 / 2}},
        parameters={"m": 1, "g": 9.81},
        initial={"x": 1.0, "x'": 0},
    )
    run = journey(bead, tmp_path)
    smooth = bead.replace(constraints={"wire": "y = x^2/2"}, tables={"bowl": None}).simulate(1.0)
    assert run["x"][-1] == pytest.approx(smooth["x"][-1], abs=1e-8)


def test_files_beside_the_model(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "road.csv").write_text("# measured\nvalue;ignored;x\n0;a;0\n0.1;b;1\n0;c;2\n0.3;;3\n.1;;4e0\n")
    path = tmp_path / "model.toml"
    path.write_text(MODEL.replace("@", 'file = "data/road.csv"'))
    system = load(path)
    assert system == model() and "road.csv" not in str(system)
    (tmp_path / "plain.csv").write_text("0 0\n1 0.1\n2 0\n3 0.3\n4 0.1\n")
    path.write_text(MODEL.replace("@", 'file = "plain.csv"\nkind = "linear"'))
    assert load(path) == model(POINTS + '\nkind = "linear"')
    named = model().replace(tables={"road": {"file": str(tmp_path / "plain.csv")}})
    assert named == model()


CSV = {
    "text": ("hello\nworld\n", "line 1: expected the names of the columns"),
    "binary": (bytes(range(128, 256)) * 9, "not UTF-8 text"),
    "nothing": ("", "no numbers"),
    "header only": ("x,value\n", "no numbers"),
    "NaN": ("x,value\n0,1\n1,nan\n", "line 3: expected a finite number, got `nan`"),
    "infinite": ("0,1\n1,1e999\n", "finite"),
    "words": ("0,1\n1,__import__('os')\n", "line 2: expected a finite number"),
    "three columns": ("0,1,2\n", "3 columns without names"),
    "ragged": ("x,value\n0,1\n2\n", "line 3: 1 columns"),
    "decimal commas": ("x;value\n0;1,5\n1;2\n", "decimals have a point"),
    "backwards": ("x,value\n0,1\n2,1\n1,3\n", "must increase: 1 follows 2 at place 3"),
    "twice": ("0,1\n0,2\n", "must increase"),
    "one point": ("0,1\n", "two points"),
    "too many": ("\n".join(f"{i},0" for i in range(100_002)), "more than 100,000 points"),
    "columns twice": ("x,x,value\n0,1,2\n", "names of the columns"),
}


@pytest.mark.parametrize(("content", "message"), CSV.values(), ids=CSV)
def test_files_that_are_no_tables(content, message, tmp_path):
    (tmp_path / "road.csv").write_bytes(content if isinstance(content, bytes) else content.encode())
    path = tmp_path / "model.toml"
    path.write_text(MODEL.replace("@", 'file = "road.csv"'))
    with pytest.raises(ModelError) as error:
        load(path)
    (problem,) = error.value.problems
    assert message in problem.text and problem.line == 9 and problem.file == str(path)


@pytest.mark.parametrize(
    "name", ["../road.csv", "/etc/passwd", "C:\\\\road.csv", "link.csv", "up/road.csv", "a/../../road.csv"]
)
def test_files_elsewhere_are_not_read(name, tmp_path):
    folder = tmp_path / "models"
    folder.mkdir()
    (tmp_path / "road.csv").write_text("0,0\n1,1\n")
    os.symlink(tmp_path / "road.csv", folder / "link.csv")
    os.symlink(tmp_path, folder / "up")
    path = folder / "model.toml"
    path.write_text(MODEL.replace("@", f'file = "{name}"'))
    with pytest.raises(ModelError, match="files elsewhere are not read"):
        load(path)


def test_files_that_are_none(tmp_path):
    path = tmp_path / "model.toml"
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    for name, message in (("gone.csv", "there is no file"), ("folder", "no file that"), ("pipe", "no file that")):
        path.write_text(MODEL.replace("@", f'file = "{name}"'))
        with pytest.raises(ModelError, match=message):
            load(path)
    path.write_text(MODEL.replace("@", 'file = "a\\u0000b"'))
    with pytest.raises(ModelError, match="null"):
        load(path)
    with pytest.raises(ModelError, match="a text has no folder"):
        model('file = "road.csv"')
    with open(tmp_path / "large.csv", "wb") as file:
        file.truncate(30_000_000)
    path.write_text(MODEL.replace("@", 'file = "large.csv"'))
    with pytest.raises(ModelError, match="more than 20,000,000 bytes"):
        load(path)


WRONG = {
    "x = [0, 1]": "`value` is missing",
    "x = [0, 1]\nvalue = [0]": "2 places and 1 values",
    "x = [0]\nvalue = [0]": "two points at least, got 1",
    "x = []\nvalue = []": "two points at least, got 0",
    "x = [1, 0]\nvalue = [0, 0]": "must increase: 0 follows 1 at place 2",
    "x = [0, 0]\nvalue = [0, 0]": "must increase",
    "x = [0, nan]\nvalue = [0, 0]": "finite numbers",
    "x = [0, inf]\nvalue = [0, 0]": "finite numbers",
    'x = [0, "1"]\nvalue = [0, 0]': "finite numbers",
    "x = [0, true]\nvalue = [0, 0]": "finite numbers",
    "x = [[0, 1]]\nvalue = [0, 0]": "finite numbers",
    "x = 3\nvalue = [0, 0]": "expected a list of numbers",
    "x = [0, 1e-320]\nvalue = [0, 1]": "too close together",
    POINTS + '\nkind = "akima"': "expected cubic, linear",
    POINTS + '\nbeyond = "periodic"': "expected stop, constant, linear",
    POINTS + "\nbeyond = 3": "expected stop, constant, linear",
    POINTS + "\nvalues = [1]": "unknown entry",
    POINTS + '\nfile = "a.csv"': "take one of them away",
    "file = 3": "the name of a file is a text",
}


@pytest.mark.parametrize(("text", "message"), WRONG.items())
def test_what_is_no_table_is_said_once_with_its_line(text, message):
    with pytest.raises(ModelError) as error:
        model(text)
    (problem,) = error.value.problems
    assert message in problem.text and 8 <= (problem.line or 0) <= 11


def test_a_first_line_that_is_no_header_is_not_left_out(tmp_path):
    (tmp_path / "road.csv").write_text("0x1,2\n2,3\n3,4\n")
    with pytest.raises(ModelError, match="line 1: expected a finite number, got `0x1`"):
        model().replace(tables={"road": {"file": str(tmp_path / "road.csv")}})


def test_a_link_to_itself(tmp_path):
    os.symlink("road.csv", tmp_path / "road.csv")
    path = tmp_path / "model.toml"
    path.write_text(
        'format = 1\ncoordinates = ["x"]\n[energy]\nkinetic = "x\'^2/2"\n[tables.road]\nfile = "road.csv"\n'
    )
    with pytest.raises(ModelError, match=r"model.toml:6: file: `road.csv`.*(leads nowhere|symbolic links)"):
        load(path)


def test_names_and_uses_that_are_wrong():
    def wrong(old, new):
        with pytest.raises(ModelError) as error:
            read(MODEL.replace("@", POINTS).replace(old, new))
        return str(error.value)

    assert "`road` is a function; write `road(…)`" in wrong("road(x)", "road")
    assert "`road` takes 1 argument, got 2" in wrong("road(x)", "road(x, y)")
    assert "unknown function `rood`; did you mean `road`" in wrong("road(x)", "rood(x)")
    assert "table `x` is also a coordinate" in wrong("tables.road", "tables.x")
    assert "reserved" in wrong("tables.road", "tables.sin")
    assert "a name is letters" in wrong("tables.road", 'tables."a b"')
    assert "definition `road` is also a table" in wrong("[energy]", "[define]\nroad = 'x'\n[energy]")
    assert "output `road` is also a table" in wrong("[initial]", "[outputs]\nroad = 'x'\n[initial]")
    assert "only coordinates" in wrong("road(x)", "sin'(x)")
    with pytest.raises(ModelError, match="another system"):
        System("x", kinetic="x'^2", forces={"x": model().potential.args[-1]})


def test_variants_and_many_points():
    system = model()
    other = system.replace(tables={"road": {"value": [0, 0, 0, 0, 0]}})
    assert other.compile()(0, np.array([1.0, 0.5]), np.zeros(2)).acceleration == pytest.approx([0, -0.5 * 40 / 1.2])
    assert other.replace(tables={"road": {"value": Y}}) == system
    x = np.linspace(0, 10, 20_000)
    large = system.replace(tables={"road": {"x": x, "value": np.sin(x)}})
    assert read(str(large)) == large
    found = large.compile()(0, np.array([2.3, 0.5]), np.zeros(2)).acceleration
    assert found[1] == pytest.approx(-40 * (0.5 - np.sin(2.3)) / 1.2, rel=1e-10)
    with pytest.raises(ModelError, match="more than 100,000 points in all"):
        system.replace(
            tables={"road": {"x": range(90_000), "value": [0] * 90_000}, "more": large.sections["tables"]["road"]}
        )


def test_in_sympy():
    x, y = coordinates("x y")
    road = sp.Function("road")
    written = System(
        [x, y],
        kinetic=(dot(x) ** 2 + dot(y) ** 2) * sp.Rational(6, 10),
        potential=20 * (y - road(x)) ** 2,
        forces={y: sp.Derivative(road(x), dynamic_time())},
        tables={"road": {"x": X, "value": Y}},
    )
    other = written.replace(kinetic="0.6*(x'^2 + y'^2)", potential="20*(y - road(x))^2", forces={"y": "road'(x)*x'"})
    assert str(written.blocks.f[1]) == str(other.blocks.f[1])
    back = written.sympy(written.blocks.f[0])
    assert sp.diff(back, y) == 40 * sp.diff(written.sympy(written.potential), y).diff(x) / -40
    assert written.replace(forces={"y": back}).forces["y"] == written.blocks.f[0]


def dynamic_time():
    from sympy.physics.vector import dynamicsymbols

    return dynamicsymbols._t


def test_in_mechanisms():
    mechanism = Mechanism(
        {"cart": {"mass": 1, "at": [0, 0]}},
        {"rail": {"kind": "prismatic", "bodies": ["ground", "cart"], "at": [0, 0], "axis": [1, 0]}},
        drives={"motor": {"joint": "rail", "distance": "lift(t)"}},
        tables={"lift": {"x": [0, 1, 2, 3], "value": [0, 0.2, 0.3, 0.3]}},
        outputs={"s": "lift(t)"},
    )
    assert read(str(mechanism)) == mechanism and mechanism.check().ok
    run = mechanism.simulate(3)
    assert run.status == "done" and run.certificate.ok, str(run.certificate)
    assert np.abs(run["x_cart"] - run["s"]).max() < 1e-12
