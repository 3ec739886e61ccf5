"""Draw the pictures of docs/report.md: a plot of the forces in an engine, and the report of it in a browser."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from dalembert import example

FOLDER = Path(__file__).parent / "assets"


def main() -> None:
    """Write docs/assets/engine-joints.png and docs/assets/engine-report.png; the second needs Chromium."""
    from playwright.sync_api import sync_playwright

    FOLDER.mkdir(exist_ok=True)
    run = example("engine").simulate()
    run.plot("joints").savefig(FOLDER / "engine-joints.png", dpi=110)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        page = Path(folder) / "engine.html"
        run.report(page)
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport={"width": 900, "height": 1230})
        tab.goto(page.as_uri())
        tab.evaluate("document.querySelector('figure.dalembert-animation').player.go(120)")
        tab.evaluate("scrollTo({top: document.querySelector('#animation').offsetTop - 20, behavior: 'instant'})")
        tab.wait_for_timeout(500)
        tab.screenshot(path=FOLDER / "engine-report.png")
        browser.close()


if __name__ == "__main__":
    main()
