"""The site is built without a warning, and its pages open as files: no errors, nothing fetched, formulas and search work."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import dalembert
from tests.browser import opened

ROOT = Path(__file__).parents[2]
OPENED = ("index.html", "theory.html", "howto/form.html", "api/models.html", "benchmarks/motion.html")


def build(folder: Path) -> Path:
    """Build the site; links, anchors and pages that the navigation misses are warnings, and every warning counts."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_site(tmp_path):
    """One test, as the site is built once."""
    site = build(tmp_path / "site")
    for path in site.rglob("*.html"):
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"<(?:script|link|img|iframe)\b[^>]*?(?:src|href)=\"?(?:https?:)?//", text), path
        assert "arithmatex" not in text, f"{path}: a formula is left as LaTeX"
    for page in OPENED:
        with opened(site / page) as seen:
            assert seen.page.locator("h1").count() == 1
            if page == "index.html":
                search(seen.page)
            if page == "theory.html":
                assert seen.page.locator("math").count() > 50
            assert not seen.page.evaluate("[...document.images].filter(i => !i.naturalWidth).map(i => i.src)")
            assert (seen.errors, seen.requests) == ([], [])
    narrow(site / "howto" / "form.html")


def search(page) -> None:
    """Type into the search, which runs without a server."""
    page.wait_for_function("typeof __index === 'object'", timeout=60_000)
    page.locator(".md-search__input").click()
    page.locator(".md-search__input").press_sequentially("rattle", delay=50)
    page.locator(".md-search-result__item").first.wait_for(state="attached", timeout=60_000)


def narrow(path: Path) -> None:
    """A page fits a narrow screen: wide things scroll by themselves."""
    with opened(path, width=400, color_scheme="dark") as seen:
        assert seen.page.evaluate("document.documentElement.scrollWidth") <= 400


@pytest.mark.parametrize("name", dalembert.__all__)
def test_public_name_has_its_entry(name):
    text = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "api").glob("*.md"))
    found = getattr(dalembert, name)
    assert f"::: {found.__module__}.{found.__qualname__}\n" in text
