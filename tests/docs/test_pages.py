"""What pages say about the package is so: its pairs, its models, its sections, its papers, its commands."""

from __future__ import annotations

import contextlib
import operator
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from dalembert import Mechanism, ModelError, example, names
from dalembert.cli.app import app
from dalembert.model.mechanism.pairs import PAIRS
from dalembert.model.mechanism.pairs.base import is_built_in
from dalembert.model.mechanism.table_reader import TableReader
from dalembert.model.textfile import PARTS, top

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"


def read(*path: str) -> str:
    return ROOT.joinpath(*path).read_text(encoding="utf-8")


def commands(page: str) -> list[str]:
    return [text.strip() for text in re.findall(r"```sh\n(.*?)```", page, re.DOTALL)]


def test_first_commands_are_the_same_everywhere_and_ci_runs_the_second():
    install, test = commands(read("README.md"))[:2]
    assert commands(read("docs", "index.md"))[:2] == [install, test]
    assert test in read(".ci", "run")


def test_every_pair_is_in_its_table():
    page = read("docs", "mechanisms.md")
    plane, space = (page.split(f"| {place} | conditions")[1].split("\n\n")[0] for place in ("plane", "space"))
    for dimensions, table in ((2, plane), (3, space)):
        kinds = {kind for kind, made in PAIRS[dimensions].items() if is_built_in(made.equations)}
        assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == kinds


def test_every_section_of_a_model_file_is_described():
    pages = read("docs", "model-files.md") + read("docs", "mechanisms.md")
    for name in top():
        assert f"`{name}`" in pages or f"[{name}" in pages, name
    for name in (part for parts in PARTS.values() for part in parts):
        assert re.search(rf"\b{name} = |`{name}`", pages), name


def test_every_model_is_in_the_gallery_page():
    page = read("docs", "gallery.md")
    for name in names():
        assert f"gallery/{name}.png" in page
        assert (DOCS / "gallery" / f"{name}.png").exists()


def test_every_row_of_the_papers_page_has_its_test():
    source = read("tests", "references", "test_papers.py") + read("tests", "references", "test_theory.py")
    named = set(re.findall(r"`(test_\w+)`", read("docs", "papers.md")))
    assert named == {name for name in named if f"def {name}(" in source}
    assert set(re.findall(r"def (test_\w+)\(", read("tests", "references", "test_papers.py"))) <= named


def test_the_table_of_stabilisation():
    """The numbers of docs/motion.md, of which theory knows those of RK4."""
    sys.path.insert(0, str(DOCS))
    try:
        from stabilisation import largest_residuals  # pyright: ignore[reportMissingImports]
    finally:
        sys.path.remove(str(DOCS))
    assert [*largest_residuals("euler").values()] == pytest.approx([0.20, 0.024, 0.010, 0.012], rel=0.05)
    rk4 = [*largest_residuals("rk4").values()]
    assert rk4 == pytest.approx([1.4e-7, 6.6e-5, 1.2e-3, 6.9e-9], rel=0.05)
    assert np.log2(rk4[-1] / [*largest_residuals("rk4", 0.05).values()][-1]) == pytest.approx(5, abs=0.05)


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md"])
def test_links_lead_somewhere(page):
    """Those of the site are checked where it is built."""
    for target in re.findall(r"\]\(([^)#]+)\)", read(page)):
        assert target.startswith("http") or (ROOT / target).exists(), target


def test_every_entry_of_a_mechanism_is_described(monkeypatch):
    """What the reader asks for, in every section and for every pair, is on the page."""
    asked: set[str] = set()
    has = TableReader.has
    monkeypatch.setattr(TableReader, "has", lambda table, key: asked.add(key) or has(table, key))
    for dimensions, kinds in PAIRS.items():
        zero = [0] * dimensions
        for kind in (kind for kind, made in kinds.items() if is_built_in(made.equations)):
            with contextlib.suppress(ModelError):  # not every pair takes all of this
                Mechanism(
                    dimensions=dimensions,
                    bodies={"a": {"rotation": {}}, "b": {"frames": {"b": {"at": zero}}}},
                    joints={"J": {"kind": kind, "bodies": ["a", "b"], "points": [zero, zero], "radius": 1}},
                    springs={"s": {"joint": "J", "stiffness": 1}, "l": {"bodies": ["a", "b"], "at": [zero, zero]}},
                    dampers={"d": {"joint": "J", "damping": 1}},
                    actuators={"f": {"joint": "J"}},
                    loads={"p": {"body": "a"}},
                    drives={"m": {"joint": "J", "speed": 1}, "n": {"joint": "J", "angle": {"t": [], "value": []}}},
                )
    assert {"mass", "carrier", "pitch", "stiffness", "torque", "frame", "value"} <= asked
    page = read("docs", "mechanisms.md")
    assert [
        key for key in sorted(asked - {"b"}) if not re.search(rf"`[^`]*\b{key}\b[^`]*`|^{key} = ", page, re.M)
    ] == []


def test_attributes_between_words_exist():
    """`run.energy` and the like, of the objects that pages speak of by these names."""
    mechanism, system = example("four-bar"), example("pendulum")
    run = system.simulate(0.1, method="rk4", step=0.05, keep="stabilise")
    speaks_of = {
        "animation": run.animate(), "derivation": system.derive("minimal"), "kernel": system.compile(),
        "mechanism": mechanism, "released": mechanism.release("A"), "run": run, "system": system,
    }  # fmt: skip
    found = set()
    for path in (ROOT / "README.md", *DOCS.rglob("*.md")):
        found |= set(re.findall(r"`([a-z]+)((?:\.[a-z_]+)+)", path.read_text(encoding="utf-8")))
    asked = {(name, chain) for name, chain in found if name in speaks_of}
    assert len(asked) > 40
    assert [name + chain for name, chain in sorted(asked) if not has(speaks_of[name], chain)] == []


def has(thing: object, chain: str) -> bool:
    try:
        operator.attrgetter(chain[1:])(thing)
    except AttributeError:
        return False
    return True


def test_every_command_has_its_section():
    assert re.findall(r"^## (\w+)$", read("docs", "command-line.md"), re.MULTILINE) == [
        command.name for command in app.registered_commands
    ]
