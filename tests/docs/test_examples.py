"""Everything that can be run in the documentation is run: code, models, commands; and prints what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.docs.blocks import Trial, agrees, read_blocks

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


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
