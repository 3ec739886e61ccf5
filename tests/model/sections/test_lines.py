"""A mistake in any table of a model file is told with its line."""

from __future__ import annotations

import pytest

from dalembert import ModelError, loads

ENERGIES = """format = 1
coordinates = ["x"]
[energy]
kinetic = "x'^2/2"
"""
BODIES = """format = 1
[bodies.bob]
kind = "particle"
mass = 1
"""


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[define]\na = "x"\nb = "x +"', "m.toml:7:9: b: the expression ends"),
        ('[outputs]\ntip = "x"\ntop = "tp"', "m.toml:7:8: top: unknown name `tp`; did you mean `tip`"),
        ("[tables.road]\nx = [0, 1]\nvalue = [0]", "m.toml:6: x: 2 places and 1 values"),
        ('[tables.road]\nx = [0, 1]\nvalue = [0, "b"]', "m.toml:7: value: expected finite numbers, got 'b'"),
        ('[tables.road]\nfile = "../road.csv"', "m.toml:6: file: "),
        ('[functions]\nF = ["t"]\nG = ["y"]', "m.toml:7: G: a function depends on t and coordinates"),
        ('[states]\nz = "x"\nw = "z + v"', "m.toml:7:10: w: unknown name `v`"),
        ('[controls.u]\nacts = {y = 1}\nlaw = "-x"', "m.toml:6: acts: it acts on `y`"),
        ('[controls.u]\nacts = {x = 1}\nlaw = "-k*x"', "m.toml:7:9: law: unknown name `k`"),
        ('[loads.wind]\nat = ["x", 0]\nforce = [0]', "m.toml:7: force: expected two or three expressions"),
        ('[loads.wind]\nangle = "x"\nmomnt = 1', "m.toml:7: momnt: unknown entry; did you mean `moment`"),
        ('[events.hit]\nwhen = "x = 0"\ndirection = "left"', "m.toml:7: direction: "),
        ('[events.hit]\nwhen = "x = 0"\nvelocities = {"y\'" = 1}', "m.toml:7: "),
        ('dissipation = "d*x\'^2/2"', "m.toml:5:16: dissipation: unknown name `d`"),
        ('dissipation = "x^2"\n[forces]\nx = "y"', "m.toml:7:6: x: unknown name `y`"),
    ],
)
def test_by_energies(text, words):
    with pytest.raises(ModelError) as error:
        loads(ENERGIES + text, "m.toml").simulate(0.1)
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("inertia = 2", "m.toml:5: inertia: a particle is a point, without `inertia`"),
        ('[joints.A]\nkind = "prismatic"\nbodies = ["ground", "bob"]\nat = [0, 0]', "m.toml:"),
        ('[outputs]\nspin = "bob.spin"', "m.toml:6:9: spin: `bob` has no `spin`"),
    ],
)
def test_of_particles(text, words):
    with pytest.raises(ModelError) as error:
        loads(BODIES + text, "m.toml")
    assert words in str(error.value)
