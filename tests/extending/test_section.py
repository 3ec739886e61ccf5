"""A table of the model file is one class in one file: read with lines, written again, changed, moved, shown, exported."""

from __future__ import annotations

import numpy as np
import pytest

from dalembert import ModelError, System, load, loads
from dalembert.model.sections.base import SECTIONS, ModelTable, by_name, model_table
from dalembert.model.textfile import tables


class Drags(ModelTable):
    """`[drags] x = "c"`: a force against the velocity of a coordinate, −c v."""

    name = "drags"

    def read(self, reader, given):
        """Read coefficients by coordinate."""
        given = by_name(reader, self, given)
        for key in given.keys() - set(reader.coordinates):
            reader.problem(f"no coordinate `{key}`", *self.path, key)
        known = {key: value for key, value in given.items() if key in reader.coordinates}
        return {key: reader.expression(value, (*self.path, key)) for key, value in known.items()}

    def forces(self, reader, kept):
        """Slow coordinates down."""
        return {key: -c * reader.expression(f"{key}'", (*self.path, key)) for key, c in kept.items()}


TEXT = """format = 1
coordinates = ["x"]

[parameters]
m = 2.0
c = 0.5

[drags]
x = "2*c"

[energy]
kinetic = "m*x'^2/2"

[initial]
x = 0
"x'" = 3

[simulate]
until = 2
"""


@pytest.fixture
def added():
    """Add the table for a while."""
    model_table(Drags)
    yield
    del SECTIONS[Drags.name]


def test_table(added, tmp_path):
    system = loads(TEXT)
    assert "drags" in tables()
    run = system.simulate(rtol=1e-11, atol=1e-12)
    assert run["x'"][-1] == pytest.approx(3 * np.exp(-2 * 0.5 / 2 * 2), rel=1e-9)  # m v' = −2c v
    assert run.certificate.ok
    system.save(tmp_path / "mine.toml")
    assert load(tmp_path / "mine.toml") == system
    assert system.replace(drags={"x": 4}).sections["drags"]["x"] == 4
    assert System("x", kinetic="x'^2/2", drags={"x": 1}).forces["x"] != 0
    run.report(tmp_path / "mine.html")
    assert (tmp_path / "mine.html").stat().st_size > 1000
    assert system.export(tmp_path / "mine.c", to="c")


def test_what_is_wrong_with_it_has_its_line(added):
    with pytest.raises(ModelError) as error:
        loads(TEXT.replace('x = "2*c"', 'y = "2*c"'))
    assert [(problem.line, problem.text) for problem in error.value.problems] == [(9, "no coordinate `y`")]
    with pytest.raises(ModelError, match="drags"):
        loads(TEXT.replace('[drags]\nx = "2*c"', "").replace("[parameters]", "drags = 3\n[parameters]"))


def test_without_it_there_is_no_such_table():
    with pytest.raises(ModelError, match="drags"):
        loads(TEXT)


def test_forces_of_a_table_stand_in_the_reduced_system_once(added):
    """They are in its equations; and the coordinate that the table names may be gone."""
    given = {"kinetic": "(x'^2 + y'^2)/2", "constraints": {"a": "y = 2*x"}, "initial": {"x": 0, "x'": 3}}
    system = System("x y", **given, drags={"x": 0.5, "y": 0.25})
    left = system.reduced()
    assert left.coordinates == ("x",)
    assert left.simulate(1)["x"][-1] == pytest.approx(system.simulate(1)["x"][-1], rel=1e-9)
