"""The page: its sections in order, with style and script inside."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from importlib import resources
from typing import TYPE_CHECKING

from dalembert.characters import escape
from dalembert.document.html import write_page
from dalembert.document.nodes import Paragraph, Text, judged, listed
from dalembert.document.palette import DARK, LIGHT
from dalembert.results.kept_formulas import all_equations
from dalembert.results.overview import until, verb
from dalembert.results.report import reproduce, sections
from dalembert.results.report.plot_section import Plots

if TYPE_CHECKING:
    from dalembert.results.run import Run
    from dalembert.survey.outcome import Check


def page(run: Run) -> str:
    """Return the report of a motion as HTML."""
    system = run.system
    plots = Plots(run)
    found = system.check()
    parts = [
        sections.model(system),
        sections.check(found),
        all_equations(system, run.form),
        sections.motion(plots.source),
        sections.animation(run),
        plots.section(),
        sections.certificate(run.certificate),
        reproduce.section(run),
    ]
    title = escape(system.name or "A mechanical system")
    contents = "".join(f'<a href="#{part.key}">{part.title}</a>' for part in parts)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>{title}</title>
<style>
{_colours()}
{_file("style.css")}
</style>
</head>
<body>
<header>
<h1>{title}</h1>
{_summary(run, found)}
<nav>{contents}</nav>
</header>
<main>
{write_page(parts)}
</main>
<footer>Written by dalembert on {datetime.now(UTC):%d %B %Y}.</footer>
<script type="application/json" id="curves">{plots.data()}</script>
<script>
{_file("plot.js")}
</script>
</body>
</html>
"""


def _file(name: str) -> str:
    return resources.files("dalembert.results.report").joinpath(name).read_text(encoding="utf-8")


def _summary(run: Run, found: Check) -> str:
    """Say in one line what this is, and whether all is well, in words."""
    ok = run.certificate.ok
    words: list[Text] = [found.freedom, f"motion until {until(run)}"]
    if run.status != "done":
        words.append(judged(verb(run), False))
    words.append(("certificate ", judged("pass" if ok else "does not pass", ok)))
    return write_page([Paragraph(listed(filter(None, words), between=" · "), "summary")])


def _colours() -> str:
    """Return the colours as variables: light, dark where the reader prefers it, light on paper."""

    def variables(palette: Mapping[str, str]) -> str:
        return ":root { " + " ".join(f"--{name}: {colour};" for name, colour in palette.items()) + " }"

    return f"{variables(LIGHT)}\n@media screen and (prefers-color-scheme: dark) {{ {variables(DARK)} }}"
