"""The gallery itself."""

from __future__ import annotations

import pytest

from dalembert import ModelError, example, names
from dalembert.blocks.numeric import Numeric
from dalembert.model.gallery import SIZED, title


def test_names_and_titles():
    assert len(names()) >= 18
    assert all(title(name) for name in names())


@pytest.mark.parametrize("loops", [1, 2, 10])
def test_four_bar_sizes(loops):
    system = example(f"n-four-bar:{loops}")
    assert (len(system.coordinates), len(system.constraints)) == (6 * loops + 3, 6 * loops + 2)
    state = system.start()
    assert state["x_b1'"] == pytest.approx(1.0)  # the bars translate at 1 m/s
    assert state[f"a_u{loops}'"] == pytest.approx(-1.0)


def test_four_bar_energy_is_the_published_one():
    system = example("n-four-bar:2")
    numeric, state = Numeric(system), system.start()
    M = numeric.mass(0.0, state.q)
    assert state.v @ (M @ state.v) / 2 == pytest.approx(1.5)


def test_chains_agree():
    """The same chain in absolute coordinates and in its angles has the same energy at the same angles."""
    absolute, minimal = example("chain:3"), example("chain-minimal:3")
    angles = {"a_1": 0.3, "a_2": -0.7, "a_3": 1.1, "a_1'": 0.5, "a_2'": -1.5, "a_3'": 0.9}
    energies = []
    for system in (absolute, minimal):
        state, numeric = system.start(initial=angles), Numeric(system)
        program = numeric.program([numeric.blocks.energy])
        energies.append(numeric.evaluate(program, 0.0, state.q, state.v)[0])
    assert energies[0] == pytest.approx(energies[1], rel=1e-12)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("pendulm", "no model `pendulm` in the gallery; did you mean `pendulum`"),
        ("pendulum:3", "`pendulum` has no size; write `pendulum`"),
        ("chain:0", "`chain:0`: the size counts rods, a whole number from 1 to 2000, as in `chain:10`"),
        ("chain:-1", "the size counts rods"),
        ("chain:2.5", "the size counts rods"),
        ("n-four-bar:99999999999", "the size counts loops"),
        ("chain:٣", "the size counts rods"),
        ("", "no model ``"),
        ("../pendulum", "no model"),
    ],
)
def test_wrong_names(name, message):
    with pytest.raises(ModelError) as error:
        example(name)
    assert message in str(error.value)


def test_default_sizes():
    for name, sized in SIZED.items():
        assert example(name) == example(f"{name}:{sized.default}")
