"""Random systems in ordinary decimals: formulas with numbers as they were written, equal to the native kernel."""

from __future__ import annotations

import re
from random import Random

import numpy as np
import pytest

from dalembert import Mechanism, System
from tests.everyday.formulas import names, value

FORMS = ("minimal", "explicit", "reactions")
DIGITS = 12  # of the product of four written numbers
_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def made(seed: int) -> System:
    """Return a system that a person could have written."""
    random = Random(seed)
    return (chain, linkage, constrained)[seed % 3](random)


def short(random: Random, low: float, high: float, digits: int = 2) -> float:
    return round(random.uniform(low, high), digits) or high


def chain(random: Random) -> Mechanism:
    """Return one to three bodies that hang on each other, in some coordinates."""
    place, bodies, joints, before = [0.0, 0.0], {}, {}, "ground"
    for k in range(random.randint(1, 2)):
        arm = [short(random, 0.1, 0.6), short(random, -0.6, 0.6)]
        light = k and random.random() < 0.2
        centre = [round(p + a, 2) for p, a in zip(place, arm, strict=True)]
        bodies[f"b{k}"] = {
            "mass": short(random, 0.3, 5, 1),
            "inertia": 0.0 if light else short(random, 0.01, 0.4),
            "at": centre,
        }
        joints[f"A{k}"] = {"kind": "revolute", "bodies": [before, f"b{k}"], "at": list(place)}
        place, before = [round(p + 2 * a, 2) for p, a in zip(place, arm, strict=True)], f"b{k}"
    springs = {"spring": {"joint": "A0", "stiffness": short(random, 2, 40, 1)}} if random.random() < 0.4 else {}
    return Mechanism(bodies, joints, springs=springs, by=random.choice(["angles", "joints", "absolute"]))


def linkage(random: Random) -> System:
    """Return a crank, a light rod and a slider, by angles."""
    r, l = short(random, 0.1, 0.4), short(random, 0.7, 1.5)
    J, m, k = short(random, 0.02, 0.5), short(random, 0.5, 4, 1), short(random, 5, 90, 1)
    return System(
        "a b x",
        kinetic=f"{J}*a'^2/2 + {m}*x'^2/2",
        potential=f"{k}*(x - {short(random, 0.2, 0.9)})^2/2",
        forces={"a": f"{short(random, 0.5, 4)} - {short(random, 0.01, 0.2)}*a'"},
        constraints={"across": f"{r}*sin(a) = {l}*sin(b)", "along": f"x = {r}*cos(a) + {l}*cos(b)"},
        initial={"a": short(random, 0.3, 1.2), "a'": short(random, 1, 4)},
    )


def constrained(random: Random) -> System:
    """Return a body with a blade or a wheel on a slope."""
    m, J, r = short(random, 0.5, 6, 1), short(random, 0.02, 0.9), short(random, 0.05, 0.6)
    held = random.choice(
        [
            {"blade": f"x'*sin(p) - y'*cos(p) = {r}*p'"},
            {"rolling_x": f"x' = {r}*u'*cos(p)", "rolling_y": f"y' = {r}*u'*sin(p)"},
            {"wire": f"y = {r}*x^2 - {short(random, 0.1, 0.9)}*x"},
            {"rod": f"x^2 + y^2 = {short(random, 0.5, 2)}"},
        ]
    )
    return System(
        "x y p u",
        kinetic=f"{m}*(x'^2 + y'^2)/2 + {J}*p'^2/2 + {short(random, 0.02, 0.9)}*u'^2/2",
        potential=f"{m}*9.81*{short(random, 0.1, 0.9)}*x",
        forces={"p": f"{short(random, 0.1, 2)}", "u": f"-{short(random, 0.01, 0.9)}*u'"},
        constraints=held,
        guess={"x": 0.6, "y": 0.7, "x'": 0.4},
        initial={"p": short(random, 0.2, 1.2), "p'": short(random, 0.2, 2)},
    )


def in_order(texts: dict[str, str], z: dict) -> dict:
    for name, text in texts.items():
        z[name] = value(text, z)
    return z


def sizes(text: str, z: dict, rates: list[str]) -> tuple[float, float]:
    """Return what is left of an equation, and the size of its terms."""
    still = value(text, {**z, **dict.fromkeys(rates, 0.0)})
    parts = [abs(value(text, {**z, **dict.fromkeys(rates, 0.0), rate: z[rate]}) - still) for rate in rates]
    return float(abs(value(text, z))), float(abs(still) + sum(parts))


def digits(text: str) -> int:
    mantissa = text.split("e")[0].replace(".", "").strip("0")
    return len(mantissa)


@pytest.mark.parametrize("seed", [s if s < 6 else pytest.param(s, marks=pytest.mark.full) for s in range(300)])
def test_decimals(seed):
    system = made(seed)
    state = system.start()
    kernels = system.compile()
    solution = kernels.accelerations(state.t, state.q, state.v)
    z = names(t=state.t, **{key: np.longdouble(x) for key, x in system.parameters.items()})
    z |= dict(zip(system.coordinates, map(np.longdouble, state.q), strict=True))
    z |= {f"{q}'": np.longdouble(x) for q, x in zip(system.coordinates, state.v, strict=True)}
    z |= {f"{q}''": np.longdouble(x) for q, x in zip(system.coordinates, solution.acceleration, strict=True)}
    z |= {f"r_{q}": np.longdouble(x) for q, x in zip(system.coordinates, solution.reaction, strict=True)}
    for form in FORMS:
        written = system.derive(form).as_dict()
        rates = [name for name in z if name.endswith("''") or name.startswith("r_")]
        values = in_order(written.get("abbreviations", {}), dict(z))
        assert written["equations"]
        found = [sizes(text, values, rates) for text in written["equations"]]
        whole = max(size for _, size in found)  # what vanishes has no size of its own
        for (left, _), text in zip(found, written["equations"], strict=True):
            assert left <= 1e-10 * whole, (form, text)
        for text in [*written["equations"], *written.get("abbreviations", {}).values()]:
            long = [number for number in _NUMBER.findall(text) if digits(number) > DIGITS]
            assert not long, (form, long, text)
