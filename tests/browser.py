"""A real browser for the tests: the one that the system has, without a window and without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

_FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
          "--disable-component-update", "--disable-sync"]  # fmt: skip


@dataclass
class Opened:
    """A page in the browser, and what went wrong in it."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)  # to anything but the file itself


@contextmanager
def opened(path: Path, width: int = 1200, height: int = 900, **options: Any) -> Iterator[Opened]:
    """Open a file; a test that needs a browser is skipped where there is none."""
    program = shutil.which("chromium") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("no browser: install chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=_FLAGS)
        try:
            page = browser.new_page(viewport={"width": width, "height": height}, **options)
            seen = Opened(page)
            page.on("console", lambda said: seen.errors.append(said.text) if said.type == "error" else None)
            page.on("pageerror", lambda error: seen.errors.append(str(error)))
            page.on("request", lambda asked: None if asked.url.startswith(("file:", "data:", "blob:")) else
                    seen.requests.append(asked.url))  # fmt: skip
            page.goto(path.resolve().as_uri())
            yield seen
        finally:
            browser.close()
