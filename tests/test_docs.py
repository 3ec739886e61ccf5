"""What the documentation says is run: examples, commands, model files."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

import numpy as np
import pytest

from dalembert import ModelError, loads, names
from dalembert.model.mechanism.pairs import PAIRS
from dalembert.model.mechanism.pairs.base import is_built_in

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)


@pytest.mark.parametrize("page", ["README.md", "docs/joint-forces.md"])
def test_examples_print_what_they_say(page):
    """Every Python block runs in turn; the output block after it is what it prints."""
    namespace: dict = {}
    text = (ROOT / page).read_text(encoding="utf-8")
    pieces = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", text, re.DOTALL)
    assert pieces
    for code, expected in pieces:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, namespace)
        assert out.getvalue() == expected


def test_the_examples_of_mechanisms_print_what_they_say():
    page = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    pieces = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", page, re.DOTALL)
    assert len(pieces) == 2
    for code, expected in pieces:
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(code, {"__name__": "example"})
        assert out.getvalue() == expected


def test_every_pair_is_in_its_table():
    page = (ROOT / "docs" / "mechanisms.md").read_text(encoding="utf-8")
    plane, space = (page.split(f"| {place} | conditions")[1].split("\n\n")[0] for place in ("plane", "space"))
    for dimensions, table in ((2, plane), (3, space)):
        kinds = {kind for kind, made in PAIRS[dimensions].items() if is_built_in(made.equations)}
        assert set(re.findall(r"^\| `(\w+)`", table, re.MULTILINE)) == kinds


def test_the_example_of_native_code_runs():
    (code,) = blocks((ROOT / "docs" / "native.md").read_text(encoding="utf-8"), "python")
    namespace: dict = {}
    exec(code, namespace)
    assert namespace["kernel"](0.0, namespace["start"].q, namespace["speeds"]).reaction.shape == (1000, 3)


def test_the_examples_of_motion_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for code in blocks((ROOT / "docs" / "motion.md").read_text(encoding="utf-8"), "python"):
        exec(code, {})
    assert "Certificate: pass" in capsys.readouterr().out
    assert (tmp_path / "slider.npz").exists()


def test_the_page_on_kinematics():
    """The example prints what it says, and the sentence on redundancy is the one that the check gives."""
    from tests.model.mechanism.linkages import spatial_four_bar

    page = (ROOT / "docs" / "kinematics.md").read_text(encoding="utf-8")
    (code,) = blocks(page, "python")
    printed, sentence = blocks(page, "text")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(code, {})
    assert out.getvalue() == printed
    assert sentence.strip() in [problem.text for problem in spatial_four_bar().check().problems]


def test_the_table_of_stabilisation():
    """The numbers of docs/motion.md, of which theory knows those of RK4."""
    folder = str(ROOT / "docs")
    sys.path.insert(0, folder)
    try:
        from stabilisation import largest_residuals  # pyright: ignore[reportMissingImports]
    finally:
        sys.path.remove(folder)
    assert [*largest_residuals("euler").values()] == pytest.approx([0.20, 0.024, 0.010, 0.012], rel=0.05)
    rk4 = [*largest_residuals("rk4").values()]
    assert rk4 == pytest.approx([1.4e-7, 6.6e-5, 1.2e-3, 6.9e-9], rel=0.05)
    assert np.log2(rk4[-1] / [*largest_residuals("rk4", 0.05).values()][-1]) == pytest.approx(5, abs=0.05)


def test_ci_runs_the_test_command_of_the_readme():
    _, command = blocks(README, "sh")
    assert command.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_model_files_in_the_documentation_can_be_read():
    texts = [text for page in PAGES for text in blocks(page.read_text(encoding="utf-8"), "toml")]
    assert texts
    for text in texts:
        assert loads(text).check().ok


def test_every_model_is_in_the_gallery_page():
    page = (ROOT / "docs" / "gallery.md").read_text(encoding="utf-8")
    for name in names():
        assert f"gallery/{name}.png" in page
        assert (ROOT / "docs" / "gallery" / f"{name}.png").exists()


def test_mistakes_in_the_documentation_are_answered_as_printed():
    """The messages that the page on model files shows come from such a file."""
    text = (
        'format = 1\ncoordinates = ["x", "y", "phi"]\n\n[parameters]\nm = 1\nJ = 1\n'
        'l = "k"\n\n\n\n[energy]\nkinetic = "m*(x\'^2 + y\'^2)/2 + J*ph\'^2/2"\n\n\n[constraints]\n'
        'rod_x = "x - l*sin(phi)"\n\n\n\n[inital]\nphi = 1\n'
    )
    with pytest.raises(ModelError) as error:
        loads(text, "p.toml")
    shown = blocks((ROOT / "docs" / "model-files.md").read_text(encoding="utf-8"), "text")[0].strip().split("\n")
    assert str(error.value).split("\n") == shown


def test_every_row_of_the_papers_page_has_its_test():
    page = (ROOT / "docs" / "papers.md").read_text(encoding="utf-8")
    references = ROOT / "tests" / "references"
    source = "".join((references / name).read_text(encoding="utf-8") for name in ("test_papers.py", "test_theory.py"))
    named = set(re.findall(r"`(test_\w+)`", page))
    assert named == {name for name in named if f"def {name}(" in source}
    written = set(re.findall(r"def (test_\w+)\(", (references / "test_papers.py").read_text(encoding="utf-8")))
    assert written <= named
