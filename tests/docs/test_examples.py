"""Everything that can be run in the documentation is run: code, models, commands; and prints what the page says.

The models that a page shows, as text or in Python, also go through `dalembert run` as files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from dalembert.forms import FORMS
from tests.docs.blocks import Trial, agrees, read_blocks, run_command

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
CONTRADICT = {
    "initial.md": ("pendulum",),
    "open-functions.md": ("path",),
    "servo.md": ("cars",),
    "inverse.md": ("linkage",),
    "controls.md": ("cart",),
    "pd-arm.md": ("arm",),
}  # shown because they cannot start
CHAOTIC = {"interoperation.md": ("chain",)}  # models that can be trusted for a while only, and say so


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_page_does_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("MPLBACKEND", "Agg")
    trial = Trial(page.name)
    for block in read_blocks(page.read_text(encoding="utf-8")):
        printed = trial.block(block)
        if block.expected is not None:
            assert agrees(block.expected, printed), f"{page.name}, line {block.line}, prints\n{printed}"
    for path in trial.models:
        wrong = path.stem.startswith(("wrong", *CONTRADICT.get(page.name, ())))
        run_shown(path, wrong=wrong, chaotic=path.stem.startswith(CHAOTIC.get(page.name, ("\0",))))


@pytest.fixture(autouse=True)
def forms_of_their_own():
    """Take away what a page adds to the forms."""
    known = dict(FORMS)
    yield
    for form in FORMS.keys() - known.keys():
        del FORMS[form]


def run_shown(path: Path, *, wrong: bool, chaotic: bool = False) -> None:
    """Take a model that a page shows through `dalembert run`, as a reader does who has saved it."""
    code, printed = run_command(["dalembert", "run", str(path)])
    if wrong:
        assert code in (1, 2), f"{path} is shown as wrong, and runs:\n{printed}"
    elif chaotic:
        assert code == 3 and "the motion can be trusted until t = " in printed
    else:
        assert code == 0 and "Certificate: pass" in printed, (
            f"{path}:\n{path.read_text()}\nexits with {code}:\n{printed}"
        )
        assert Path(f"{path.stem}-report.html").exists()


def test_blocks_are_found_and_compared():
    """A page with one of each: what is wrong in it is noticed."""
    page = '```python\nprint(1)\n```\n\n```text\n2\n```\n\n  ```toml title="wrong.toml"\n  a = 1\n  ```\nwords\n```text\n```\n'
    python, text, toml, last = read_blocks(page)
    assert (python.line, python.expected, text.language, toml.title, toml.text, toml.expected, last.text) == (
        2, "2\n", "text", "wrong.toml", "a = 1\n", None, "",
    )  # fmt: skip
    assert not agrees(python.expected, Trial("page").block(python))
    with pytest.raises(AssertionError, match="exits with 2"):
        Trial("page").block(read_blocks("```sh\nls && dalembert check no-such-model\n```")[0])


def test_commands_between_words_are_found():
    page = (
        "see `dalembert run MODEL`, and\n\n    dalembert check a.toml   looks at it; `dalembert cache --clear`\n\n"
        "```text\n`dalembert check in-a-block`\n```\nor `dalembert derive a --to json`\n"
    )
    found = [(block.line, block.text) for block in read_blocks(page) if block.language == "sh"]
    assert found == [(3, "dalembert check a.toml"), (8, "dalembert derive a --to json")]


def test_systems_that_a_page_makes_are_run(tmp_path, monkeypatch):
    """Those of the gallery are not among them; a wrong one is noticed."""
    monkeypatch.chdir(tmp_path)
    trial = Trial("page")
    code = "\n".join((
        "from dalembert import System, example", "there = example('pendulum')", "shorter = there.replace(parameters={'l': 2})",
        "bad = System('x', kinetic=\"x'^2\", constraints={'a': 'x = 1'}, initial={'x': 2})", "same = shorter",
    ))  # fmt: skip
    trial.block(read_blocks(f"```python\n{code}\n```\n")[0])
    assert [path.stem for path in trial.models] == ["shorter-2", "bad-2"]
    run_shown(trial.models[1], wrong=True)
    with pytest.raises(AssertionError, match="exits with 1"):
        run_shown(trial.models[1], wrong=False)
