"""The page: its sections in order, with style and script inside."""

from __future__ import annotations

from datetime import UTC, datetime
from importlib import resources
from typing import TYPE_CHECKING

from dalembert.characters import escape
from dalembert.results.palette import DARK, LIGHT, Palette
from dalembert.results.report import animation, certificate, check, equations, model, motion, reproduce
from dalembert.results.report.plots import Plots

if TYPE_CHECKING:
    from dalembert.results.trajectory import Run


def page(run: Run) -> str:
    """Return the report of a motion as HTML."""
    system = run.system
    plots = Plots(run)
    found = system.check()
    sections = [
        model.section(system),
        check.section(found),
        equations.section(system, run.form),
        motion.section(plots.source),
        animation.section(run),
        plots.section(),
        certificate.section(run.certificate),
        reproduce.section(run),
    ]
    title = escape(system.name or "A mechanical system")
    contents = "".join(f'<a href="#{section.name}">{section.title}</a>' for section in sections)
    body = "\n".join(map(str, sections))
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
{motion.summary(run, found)}
<nav>{contents}</nav>
</header>
<main>
{body}
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


def _colours() -> str:
    """Return the colours as variables: light, dark where the reader prefers it, light on paper."""

    def variables(palette: Palette) -> str:
        names = {"ground": palette.ground, "ink": palette.ink, "faint": palette.faint, "line": palette.line}
        names |= {f"curve{k}": colour for k, colour in enumerate(palette.curves)}
        return ":root { " + " ".join(f"--{name}: {colour};" for name, colour in names.items()) + " }"

    return f"{variables(LIGHT)}\n@media screen and (prefers-color-scheme: dark) {{ {variables(DARK)} }}"
