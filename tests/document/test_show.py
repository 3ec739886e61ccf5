"""Everything a user gets into hands shows itself: in a notebook, and in short in a terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from typing import Any

import latex2mathml.converter
import numpy as np
import pytest

from dalembert import Event, Mechanism, System, example
from tests.browser import opened

EVIL = "<script>alert(1)</script> & `x` *y* $z$ \\frac"
VOID = {"img", "br"}


def rods() -> Mechanism:
    """A load on three parallel rods, of whose forces only the sum is determined."""
    places = {"A": -1, "B": 1, "C": 2}
    joints = {n: {"kind": "rod", "bodies": ["ground", "load"], "at": [[x, 1], [x, 0]]} for n, x in places.items()}
    return Mechanism(bodies={"load": {"mass": 2, "inertia": 1}}, joints=joints, gravity=[0, -10], name=EVIL)


def driven() -> Mechanism:
    return example("engine").replace(
        drives={"motor": {"joint": "A", "angle": "50*t"}}, initial={"phi_crank": None, "phi_crank'": None}
    )


@cache
def things() -> dict[str, Any]:
    pendulum, crank, sleigh = example("pendulum"), example("slider-crank-joints"), example("chaplygin-sleigh")
    evil = System(coordinates="x", kinetic="x'^2/2", constraints={"a": "x = 0", "b": "x = 1"}, name=EVIL)
    run = pendulum.simulate(2, events=[Event("phi = 0", name=EVIL)])
    turning = crank.simulate(1, samples=20)
    found = {
        "system": pendulum,
        "nonholonomic system": sleigh,
        "mechanism": crank,
        "mechanism with a name": rods(),
        "large system": example("n-four-bar:20"),
        "system with a name": evil,
        "contradiction": evil.check(),
        "constraint": pendulum.constraints[0],
        "check": crank.check(),
        "state": crank.start(),
        "mobility": rods().mobility(),
        "transmission": crank.transmission("O", "A", samples=30),
        "kinematics": driven().kinematics(np.linspace(0, 0.1, 9)),
        "run": run,
        "stopped run": pendulum.simulate(10, max_steps=2),
        "certificate": run.certificate,
        "events": run.events[0],
        "energies": run.energies,
        "joint force": turning.joint("A"),
        "joint force at a state": crank.joint_force("A"),
        "undetermined force": rods().joint_force("A"),
        "blocks": pendulum.blocks,
        "large blocks": example("n-four-bar:2").blocks,
        "release": crank.release("B"),
        "reaction": pendulum.reaction("rod_x"),
        "long derivation": crank.derive().full(),
        "derivation with a name": System(coordinates="x", kinetic="x'^2/2", name=EVIL).derive(),
    }
    for form in ("multipliers", "minimal", "explicit", "canonical", "independent", "reactions"):
        found[form] = pendulum.derive(form)
    for part in ("equations", "matrices", "reactions", "multipliers"):
        found[f"its {part}"] = getattr(found["minimal"], part)
    return found


NAMES = [
    "system", "nonholonomic system", "mechanism", "mechanism with a name", "large system", "system with a name",
    "contradiction", "constraint", "check", "state", "mobility", "transmission", "kinematics", "run", "stopped run",
    "certificate", "joint force", "joint force at a state", "undetermined force",
]  # fmt: skip
FORMULAS = [
    "blocks", "large blocks", "release", "reaction", "long derivation", "derivation with a name", "multipliers",
    "minimal", "explicit", "canonical", "independent", "reactions", "its equations", "its matrices", "its reactions", "its multipliers",
]  # fmt: skip


class Balance(HTMLParser):
    """Notes tags that are not closed in order, and what would run or be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.wrong: list[str] = []
        self.words: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "style", "link", "iframe") or any(key.startswith("on") for key, _ in attrs):
            self.wrong.append(f"<{tag}>")
        if any(key in ("src", "href") and not value.startswith("data:") for key, value in attrs):
            self.wrong.append(f"{tag} fetches something")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.wrong.append(f"</{tag}>")

    def handle_data(self, data):
        self.words.append(data)


def read(html: str) -> Balance:
    parsed = Balance()
    parsed.feed(html)
    parsed.close()
    return parsed


@pytest.mark.parametrize("name", NAMES)
def test_html_is_whole_and_small(name):
    html = things()[name]._repr_html_()
    parsed = read(html)
    assert not parsed.wrong and not parsed.open
    assert len(html) < 40_000
    assert "nan" not in parsed.words


@pytest.mark.parametrize("name", ["system with a name", "mechanism with a name", "contradiction", "run"])
def test_text_of_the_user_is_shown_as_it_is(name):
    assert EVIL in read(things()[name]._repr_html_()).words


def formulas_in(text: str) -> list[str]:
    return re.findall(r"\$\$(.*?)\$\$", text, re.DOTALL) + re.findall(r"(?<![\\$])\$([^$\n]+)\$", text)


@pytest.mark.parametrize("name", FORMULAS)
def test_formulas_can_be_typeset(name):
    """Another program than that of the notebook reads the LaTeX; it knows aligned equations by their other name."""
    thing = things()[name]
    text = thing._repr_markdown_() if hasattr(thing, "_repr_markdown_") else thing._repr_latex_()
    assert text.count("$$") % 2 == 0 and "\\[" not in text
    assert formulas_in(text) or name == "large blocks"
    for formula in formulas_in(text):
        assert formula.count("{") == formula.count("}")
        made = latex2mathml.converter.convert(formula.replace("aligned", "align*"))
        assert made.startswith("<math") and "\\" not in made


def test_equations_are_those_of_the_derivation():
    text = things()["minimal"]._repr_markdown_()
    assert "J \\ddot{\\phi}" in text
    assert "\\mathrm{rod\\_x}" in text
    assert "Shortened" not in text
    assert "\\left[\\begin{matrix}l \\cos" in text


def test_long_formulas_say_what_is_left_out():
    text = things()["long derivation"]._repr_markdown_()
    assert "more terms)" in text and "more\n" in text and "`.equations`" in text
    assert len(text) < 8_000


def test_text_of_the_user_is_no_markdown():
    text = things()["derivation with a name"]._repr_markdown_()
    title = text.split("\n")[0]
    assert "\\<script\\>" in title and "\\$z\\$" in title and "\\`x\\`" in title


@pytest.mark.parametrize("name", [*NAMES, *FORMULAS, "events", "energies"])
def test_plain_text_is_short(name):
    """Nothing prints as pages of numbers or as the address of an object."""
    text = repr(things()[name])
    assert " object at 0x" not in text and "array(" not in text
    assert len(text) < 8_000


def test_plain_text_says_what_it_is():
    assert repr(things()["system"]) == "<System 'Pendulum in three coordinates': 3 coordinates, 2 constraints>"
    assert repr(things()["mechanism"]).startswith(
        "<Mechanism 'Slider-crank with spring and damper, by joints': 2 bodies"
    )
    assert repr(things()["check"]) == str(things()["check"])
    assert "  phi_crank      1.5708         0\n" in repr(things()["state"])
    assert re.fullmatch(r"<Energies: kinetic \d+, .*constraints \d+×2>", repr(things()["energies"]))
    one = example("pendulum").compile()(0.0, [0, -1, 0], [0, 0, 0])
    assert re.fullmatch(r"<Result: acceleration \[.*\], reaction \[.*\], .*rank 2, .*>", repr(one))


def test_parts_print_as_they_were_written():
    crank = things()["mechanism"]
    assert repr(crank.joints["A"]) == "<Joint A: kind revolute, bodies (crank, rod), points (A, A)>"
    assert repr(crank.bodies["crank"]).startswith(
        "<Body crank: mass 1, inertia J1, angle pi/2, spin 0, points {A: (a, 0)"
    )
    assert repr(crank.bodies["ground"]) == "<Body ground>"
    parts = [*crank.springs.values(), *crank.loads.values(), *driven().drives.values()]
    assert all(len(repr(part)) < 200 for part in parts)
    run = things()["run"]
    assert repr(run.motion) == f"<Motion of {run.system!r}: {run.steps} steps until t = 2>"
    assert repr(run.motion.kernels) == f"<Kernels of {run.system!r} in the form multipliers>"
    assert repr(run.shares) == "<Shares: every reaction is determined>"


def test_numbers_in_html():
    words = " ".join(read(things()["run"]._repr_html_()).words)
    final = things()["run"].final()
    assert f"{final['phi']:.6g}" in words and f"{final['x']:.6g}" in words
    assert "1 degree of freedom" in " ".join(read(things()["system"]._repr_html_()).words)
    assert "Certificate " in words and "pass" in words


def test_undetermined_forces_are_said():
    words = " ".join(read(things()["undetermined force"]._repr_html_()).words)
    assert "not determined" in words and "only the sum is determined" in words


def test_lists_of_formulas_are_lists():
    equations, reactions = things()["its equations"], things()["minimal"].reactions
    assert isinstance(equations, list) and isinstance(reactions, dict)
    assert equations == list(equations)
    assert reactions["rod_x"][1] == 0
    assert "r_{y}" not in things()["reaction"]._repr_latex_()  # zeros are left out


def test_import_stays_light():
    code = "import sys, dalembert; sys.exit('dalembert.document' in str(sorted(sys.modules)) or 'numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


def test_colours_are_those_of_the_notebook(tmp_path):
    """On light and on dark ground, side by side."""
    inks = {"rgb(34, 34, 34)": "#fff", "rgb(221, 221, 221)": "#111"}
    shown = "".join(things()[name]._repr_html_() for name in NAMES)
    halves = [f'<div style="background:{paper};color:{ink}">{shown}</div>' for ink, paper in inks.items()]
    page = tmp_path / "page.html"
    page.write_text(f'<!doctype html><meta charset="utf-8"><body>{"".join(halves)}', encoding="utf-8")
    with opened(page) as seen:
        colours = seen.page.eval_on_selector_all("td", "all => all.map(e => getComputedStyle(e).color)")
        widths = seen.page.eval_on_selector_all("img", "all => all.map(e => e.naturalWidth)")
    half = len(colours) // 2
    assert [set(colours[:half]), set(colours[half:])] == [{ink} for ink in inks]
    assert widths and min(widths) > 100
    assert not seen.errors and not seen.requests


def test_what_turns_the_line_around_is_written_out():
    system = example("pendulum").replace(name="a \u202e<b>b</b>")
    run = system.simulate(0.1)
    shown = [system, system.check(), run, run.certificate, run.animate()]
    for text in [*(item._repr_html_() for item in shown), str(system.check()), str(system.derive("minimal"))]:
        assert "\u202e" not in text
    assert all("<b>b" not in item._repr_html_() for item in shown)
