"""Facts of a system are worked out once, and a variant in other values takes over those that hold: counted, not timed."""

import copy
import pickle
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import dalembert
from dalembert import Mechanism, System, example, loads
from dalembert.blocks.numeric import numeric_of
from dalembert.blocks.programs import programs
from dalembert.blocks.symbolic import _Derivation
from dalembert.errors import ModelError
from dalembert.model.facts import PARAMETERS, START, STRUCTURE, Survey, fact
from dalembert.native import cache, machine
from dalembert.native.kernels import Kernels

MODELS = ["pendulum", "slider-crank", "rolling-disk", "n-four-bar:2", "four-bar-spatial"]


def changed(system):
    """Return other values of one parameter and of one initial velocity."""
    name = next(name for name, value in system.parameters.items() if value)
    rate = next(name for name in system.initial if name.endswith("'") or ".spin_z" in name)
    return {"parameters": {name: 1.01 * system.parameters[name]}, "initial": {rate: 0.25}}


@pytest.fixture
def work(monkeypatch):
    """Count derivations, compilations, and what is loaded or read from disk: of models, not what starts all of them."""
    pendulum = example("pendulum")
    for angle in (0.1, 0.2):
        pendulum.simulate(0.01, initial={"phi": angle})
    done = []

    def counted(owner, name):
        plain = getattr(owner, name)

        def call(*args, **named):
            done.append(name)
            return plain(*args, **named)

        monkeypatch.setattr(owner, name, call)

    for owner, name in (
        (machine, "compile_object"),
        (machine.Library, "__init__"),
        (_Derivation, "blocks"),
        (cache, "read"),
        (programs(example("pendulum")).__class__, "__init__"),
    ):
        counted(owner, name)
    return done


@pytest.mark.parametrize("model", ["slider-crank", "four-bar"])
def test_each_fact_is_worked_out_once(model):
    system = example(model)
    assert system.check().ok
    run = system.simulate(0.1)
    assert run.certificate.ok
    system.derive("minimal")
    system.start()
    system.simulate(0.1, method="radau", rtol=1e-6, atol=1e-8)
    assert system.survey.worked
    assert max(system.survey.worked.values()) == 1


@pytest.mark.parametrize("part", ["parameters", "initial"])
@pytest.mark.parametrize("model", MODELS)
def test_a_variant_derives_and_compiles_nothing(model, part, work):
    system = example(model)
    system.simulate(0.1)
    assert "blocks" in work
    work.clear()
    variant = system.replace(**{part: changed(system)[part]})
    variant.simulate(0.1)
    system.simulate(0.1, initial=changed(system)["initial"])
    assert work == []


@pytest.mark.parametrize("model", MODELS)
def test_what_was_done_before_does_not_change_a_motion(model):
    """One variant is of a system that has moved, with native numbers; of the other nothing is known."""
    system = example(model)
    system.simulate(0.1)
    variant, fresh = (one.replace(**changed(system)) for one in (system, example(model)))
    assert fresh == variant == loads(str(variant))
    assert np.array_equal(fresh.start().q, variant.start().q)
    for name in ("times", "states"):
        assert np.array_equal(getattr(variant.simulate(0.2).motion, name), getattr(fresh.simulate(0.2).motion, name))


def test_a_check_before_does_not_change_the_motion():
    plain, checked = example("four-bar-spatial"), example("four-bar-spatial")
    checked.check()
    assert np.array_equal(plain.simulate(0.2).motion.states, checked.simulate(0.2).motion.states)


@pytest.mark.parametrize("model", [*MODELS, "rolling-coin", "andrews-squeezer"])
def test_native_numbers_have_the_same_bits(model):
    system, random = example(model), np.random.default_rng(0)
    known, n = programs(system), len(system.coordinates)
    rows = [[random.uniform(), *random.normal(size=2 * n), *system.parameters.values()] for _ in range(10)]
    plain = [[program.floats(row).tobytes() for row in rows] for program, _ in known.parts]
    Kernels(system).hasten()
    assert known.native is not None
    assert [[program.floats(row).tobytes() for row in rows] for program, _ in known.parts] == plain


def test_what_the_structure_says_is_shared_and_what_values_say_is_not():
    system = example("slider-crank")
    other = system.replace(parameters={"a": 0.31})
    assert other.blocks is system.blocks
    assert other.start() is not system.start()
    assert other.start()["x"] != system.start()["x"]
    assert system.replace(forces={"x": "1"}).blocks is not system.blocks
    assert system.replace(initial={"q": "pi/3"}).blocks is system.blocks  # read again, and found to be the same


def test_redundancy_belongs_to_the_values():
    """Two constraints that repeat each other for one value of a parameter only."""
    system = System(
        coordinates="x y",
        kinetic="x'^2/2 + y'^2/2",
        constraints={"a": "x = 0", "b": "x + k*y = 0"},
        parameters={"k": 0.0},
    )
    assert system.check().rank == 1
    assert system.replace(parameters={"k": 1.0}).check().rank == 2
    assert system.check().rank == 1


def test_other_values_of_a_mechanism_are_judged_in_the_same_words():
    four_bar = example("four-bar-spatial")
    with pytest.raises(ModelError, match="a mass is not negative, got -1 kg"):
        four_bar.replace(parameters={"m1": -1.0})
    with pytest.raises(ModelError, match="principal ones here are"):
        four_bar.replace(parameters={"J": -0.1})


def test_a_value_that_decides_on_the_equations_is_read_again():
    def drum(turns):
        return Mechanism(
            bodies={"disk": {"mass": 1, "inertia": 1}},
            joints={"A": {"kind": "revolute", "bodies": ["ground", "disk"], "at": [0, 0]}},
            drives={"motor": {"joint": "A", "angle": "turns*2*pi + t"}},
            parameters={"turns": turns},
        )

    assert drum(0.0).replace(parameters={"turns": 3.0}).constraints == drum(3.0).constraints


def test_several_values_of_a_mechanism_change_at_once():
    four_bar = example("four-bar-spatial")
    changes = {"parameters": {"m1": 2.0}, "initial": {"crank.spin_z": 3.0}, "guess": {"x_coupler": 0.41}}
    variant = four_bar.replace(**changes)
    assert (variant.parameters["m1"], variant.initial["crank.spin_z"], variant.guess["x_coupler"]) == (2.0, 3.0, 0.41)
    assert (variant.own.initial["crank.spin_z"], variant.own.guess["x_coupler"]) == (3.0, 0.41)
    assert loads(str(variant)) == variant


def test_answers_by_name_are_bounded():
    @fact(START)
    def answer(system, name):
        return name

    system = example("pendulum")
    for k in range(300):
        assert answer(system, str(k)) == str(k)
    assert sum(getattr(key[0], "__name__", "") == "answer" for key in system.survey.known[START]) == 64


def test_facts_of_one_name_do_not_meet():
    def declared(value):
        @fact(START)
        def _places(system):
            return value

        return _places

    one, other, system = declared(1), declared(2), example("pendulum")
    assert (one(system), other(system), one(system)) == (1, 2, 1)


def test_a_name_under_which_facts_are_kept_has_one_owner():
    sources = [path.read_text(encoding="utf-8") for path in Path(dalembert.__file__).parent.rglob("*.py")]
    found = re.findall(r'\bfind\(\s*(?:STRUCTURE|PARAMETERS|START),\s*\("([^"]*)"', "\n".join(sources))
    assert len(found) > 5
    assert len(found) == len(set(found))


def test_what_holds_is_told_once_for_all_inertias():
    system = example("four-bar-spatial")
    first = numeric_of(system).vanishing
    assert numeric_of(system.replace(parameters={"m1": 2.5, "J": 0.02})).vanishing is first
    other = numeric_of(system.replace(parameters={"a": 0.31})).vanishing
    assert other is not first
    assert first.A.any()  # with a = 0.3 the pins of the rocker lie in line with its middle, but for rounding
    assert not other.A.any()


def test_a_size_is_that_of_the_guess_it_was_found_at():
    system = example("four-bar-spatial")
    sizes = [numeric_of(system).units.max()]
    sizes += [numeric_of(system.replace(guess={name: 40.0})).units.max() for name in ("x_rocker", "e1_rocker")]
    assert sizes[1] > 20 * sizes[0]
    assert sizes[2] != sizes[1]


def test_a_survey_is_left_behind_by_copies_of_another_process():
    survey = example("pendulum").survey
    survey.find(STRUCTURE, ("one",), lambda: 1)
    assert pickle.loads(pickle.dumps(survey)).worked == {}
    assert copy.deepcopy(survey).worked == {}
    assert copy.copy(example("pendulum")) == example("pendulum")
    shared = Survey(survey, (STRUCTURE, PARAMETERS))
    assert shared.find(STRUCTURE, ("one",), lambda: 2) == 1
    assert shared.worked == {}


def test_variants_can_be_moved_in_threads():
    system = example("slider-crank")
    lengths = [0.3 + 0.01 * k for k in range(8)]

    def end(a):
        return system.replace(parameters={"a": a}).simulate(0.2).motion.states[-1].tolist()

    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(end, lengths))
    assert together == [end(a) for a in lengths]


def test_a_fact_that_is_asked_by_keywords():
    from dalembert.model.facts import STRUCTURE, fact

    @fact(STRUCTURE)
    def answer(system, name, how="a"):
        return name + how

    system = System("x", kinetic="x'^2/2")
    assert [answer(system, "x", how="a"), answer(system, "x", how="b"), answer(system, name="y")] == ["xa", "xb", "ya"]
