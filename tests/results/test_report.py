"""The report: what is in it, that nothing of the user's text is taken for HTML, and how it behaves in a browser."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest

from dalembert import Event, Mechanism, ModelError, System, example, loads, names
from dalembert.model.gallery import SIZED
from tests.browser import Opened, opened
from tests.conftest import GALLERY, pendulum

SAMPLE = ["rolling-disk", "engine"]


def shown(report: str) -> str:
    """The text of a page without its scripts."""
    text = re.sub(r"<(script|style)[^>]*>.*?</\1>", " ", report, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", text)))


@pytest.fixture(scope="module")
def written(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("report") / "pendulum.html"
    pendulum(name="Pendulum").simulate(3.0).report(path)
    return path


# --- what is in it ----------------------------------------------------------------------------------------------------


def test_it_has_all_sections_and_stands_alone(written):
    text = written.read_text(encoding="utf-8")
    for section in ("model", "check", "equations", "motion", "animation", "plots", "certificate", "reproduce"):
        assert f'<section id="{section}">' in text
    assert not re.search(r"(?:src|href)=[\"'](?!data:|#)", text)
    assert "http" not in re.sub(r"http://www\.w3\.org/\S*", "", text)
    assert len(text) < 400_000
    words = shown(text)
    assert "3 coordinates, 2 constraints of rank 2: 1 degree of freedom" in words
    assert text.count('<span class="good">pass</span>') >= 5 and '.good::before { content: "✓ "; }' in text


def test_the_lines_under_how_to_reproduce_it_do(written, tmp_path, monkeypatch):
    """The model that the page holds and the Python lines on it give the same motion."""
    monkeypatch.chdir(tmp_path)
    page = written.read_text(encoding="utf-8")
    model, command, python, released = (
        html.unescape(code) for code in re.findall(r"<pre><code>(.*?)</code></pre>", page, re.DOTALL)
    )
    (tmp_path / "pendulum.toml").write_text(model, encoding="utf-8")
    space: dict = {}
    exec(python, space)
    first = pendulum().simulate(3.0)
    assert space["run"].final() == first.final()
    assert (tmp_path / "report.html").stat().st_size > 50_000
    options = dict(re.findall(r"--(\w+) (\S+)", command))
    assert command.startswith("dalembert simulate pendulum.toml --until 3.0 ")
    assert options["rtol"] == "1e-09"
    assert options["method"] == "dop853"
    assert loads(model) == pendulum(name="Pendulum")
    assert released.splitlines()[0] == "dalembert derive pendulum.toml --release rod_x"


def test_steps_are_in_the_report_to_be_opened(written):
    page = written.read_text(encoding="utf-8")
    assert "Step by step" in page and "Step 1: the rows of A made orthogonal" in page and "Multipliers, λ" in page


def test_names_are_text_and_never_html(tmp_path):
    evil = "<img src=x onerror=alert(1)> & </script><b>"
    system = pendulum(name=evil + "\u202e")
    path = tmp_path / "evil.html"
    run = system.simulate(0.5, events=[Event("phi = 0.9", name="<i>passage</i>")])
    run.report(path)
    text = path.read_text(encoding="utf-8")
    assert "<img" not in text
    assert "\u202e" not in text  # nothing turns the line around
    assert "<i>passage" not in text
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    with opened(path) as page:
        assert page.page.title() == evil + r"\u202e"
        assert page.page.locator("h1").inner_text() == evil + r"\u202e"
        assert page.page.locator("img").count() == 0
        assert not page.errors
    bodies = {"a<b>": {"mass": 1, "inertia": 1}}
    try:
        mechanism = Mechanism(
            bodies=bodies, joints={"P": {"kind": "revolute", "bodies": ["ground", "a<b>"], "at": [0, 1]}}
        )
    except ModelError:
        return  # such a name is refused
    mechanism.simulate(0.1).report(path)
    assert "a<b>" not in path.read_text(encoding="utf-8")


def test_a_motion_that_fails_or_is_stopped_says_so(tmp_path):
    path = tmp_path / "r.html"
    System(coordinates="x", kinetic="x'^2/2", potential="-1/x", initial={"x": 1, "x'": 0}, name="Fall").simulate(
        5.0
    ).report(path)
    words = shown(path.read_text(encoding="utf-8"))
    assert "the motion fails" in words
    assert "The motion fails: the step becomes too small" in words
    assert "nothing to draw: name some points" in words
    pendulum().simulate(5.0, events=[Event("phi = 0", "stop", name="lowest")]).report(path)
    words = shown(path.read_text(encoding="utf-8"))
    assert "the motion was stopped" in words
    assert "lowest" in words
    assert "--until 5.0" in words


def test_what_is_left_out_is_said(tmp_path):
    path = tmp_path / "chain.html"
    example("planar-chain:15").simulate(0.1).report(path)
    text = path.read_text(encoding="utf-8")
    words = shown(text)
    assert "36 more equations" in words  # folded, all of them
    assert "more equations" not in words.replace("36 more equations", "")
    assert "the 8 of 15 that vary most" in words
    assert len(text) < 1_500_000


def test_reactions_as_formulas(tmp_path):
    path = tmp_path / "disk.html"
    example("rolling-disk").simulate(1.0).report(path)
    words = shown(path.read_text(encoding="utf-8")).replace("\u2062", "").replace("\u2061", "")
    assert "rs = −JFJ+mr2rolling" in words  # −J F/(J + m r²)
    assert "ru = mgcontact" in words


@pytest.mark.parametrize("form", ["explicit", "canonical", "independent"])
def test_other_forms_are_written_down(form, tmp_path):
    path = tmp_path / "r.html"
    pendulum().simulate(0.5, form=form).report(path)
    words = shown(path.read_text(encoding="utf-8"))
    assert {"explicit": "explicit", "canonical": "canonical form", "independent": "independent"}[form] in words


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("report.pdf", "ending in .html; got 'report.pdf'"),
        ("report", "ending in .html"),
        ("missing/report.html", "there is no folder"),
        (3.5, "named by a text or a path"),
    ],
)
def test_bad_paths_are_refused(path, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError, match=re.escape(words)):
        pendulum().simulate(0.1).report(path)
    assert not list(tmp_path.iterdir())


# --- in a browser -----------------------------------------------------------------------------------------------------


def look(opened_page: Opened, least: int) -> None:
    """What every report must do in a browser."""
    page = opened_page.page
    plots = page.locator("section#plots > figure.plot svg[role=img]")
    assert plots.count() >= least
    paths = page.locator("section#plots > figure.plot path.curve")
    lengths = paths.evaluate_all("paths => paths.map(path => path.getTotalLength())")
    assert lengths
    assert min(lengths) > 100
    sizes = page.locator("section#equations math").evaluate_all(
        "all => all.map(math => { const box = math.getBoundingClientRect(); return [box.width, box.height]; })"
    )
    assert sizes
    assert all(width > 2 and height > 5 for width, height in sizes)
    assert page.locator("section#certificate tbody tr").count() >= 4
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0
    assert not opened_page.errors
    assert not opened_page.requests


@pytest.mark.parametrize("name", SAMPLE)
def test_reports_open_without_errors(name, tmp_path):
    example(name).simulate().report(tmp_path / "report.html")
    with opened(tmp_path / "report.html") as page:
        look(page, 4)
        assert page.page.locator("figure.dalembert-animation canvas").count() == 1


@pytest.mark.full
@pytest.mark.parametrize("name", [*GALLERY, "n-four-bar:40", *(name for name in names() if name in SIZED)])
def test_every_report_opens_without_errors(name, tmp_path):
    example(name).simulate().report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 3_000_000
    with opened(tmp_path / "report.html") as page:
        look(page, 2)
    with opened(tmp_path / "report.html", width=390, height=800, color_scheme="dark") as phone:
        look(phone, 2)


def ticks(page, plot: int = 0) -> list[str]:
    return page.locator("figure.plot").nth(plot).locator("svg[role=img] text").all_inner_texts()


def view(page, plot: int = 0) -> tuple[float, float]:
    text = page.locator("figure.plot > svg").nth(plot).get_attribute("data-view")
    first, last = map(float, text.split())
    return first, last


def test_plots_are_zoomed_and_read_off(written):
    with opened(written) as opened_page:
        page = opened_page.page
        first = page.locator("figure.plot > svg").first
        first.scroll_into_view_if_needed()
        box = first.bounding_box()

        def at(x, y=0.5):
            return box["x"] + 66 + x * (box["width"] - 82), box["y"] + y * box["height"]

        page.mouse.move(*at(0.5))  # reading off: t and the values in all plots
        assert float(page.locator(".now").first.inner_text().removeprefix("t = ")) == pytest.approx(1.5, abs=0.01)
        values = [text.replace("−", "-") for text in page.locator(".legend output").all_inner_texts()[:3]]
        q, _ = pendulum().simulate(3.0).at(1.5)
        assert [float(value) for value in values] == pytest.approx(list(q), abs=0.02)
        assert page.locator("figure.plot").nth(1).locator("circle").count() == 1

        before = ticks(page)
        page.mouse.down()  # dragging: all plots look at the same times
        page.mouse.move(*at(0.75, 0.52), steps=3)
        assert page.locator("rect.chosen").count() == 1
        page.mouse.up()
        assert view(page) == pytest.approx((1.5, 2.25), abs=0.01)
        assert view(page, 2) == view(page)
        assert ticks(page) != before
        page.mouse.dblclick(*at(0.5))
        assert view(page) == (0.0, 3.0)
        assert ticks(page) == before

        page.mouse.wheel(0, -300)
        narrow = view(page)
        assert narrow[1] - narrow[0] < 2
        page.keyboard.press("Tab")
        first.press("Escape")
        assert view(page) == (0.0, 3.0)
        first.press("+")
        assert view(page)[1] - view(page)[0] == pytest.approx(2.1)
        first.press("ArrowRight")
        assert view(page)[0] == pytest.approx(0.66)
        first.press("0")

        page.mouse.move(*at(0.2, 0.2))  # a rectangle: values as well
        page.mouse.down()
        page.mouse.move(*at(0.4, 0.6), steps=3)
        page.mouse.up()
        others = ticks(page, 1)
        assert view(page) == pytest.approx((0.6, 1.2), abs=0.01)
        page.mouse.dblclick(*at(0.5))
        assert ticks(page, 1) != others

        curves = page.locator("figure.plot").first.locator("path.curve")
        assert curves.count() == 2
        page.locator(".legend button").first.click()
        assert curves.count() == 1
        assert page.locator(".legend button").first.get_attribute("aria-pressed") == "false"
        assert not opened_page.errors


def test_a_page_that_is_scrolled_goes_on_scrolling_over_plots(written):
    with opened(written) as opened_page:
        page = opened_page.page
        page.mouse.move(600, 500)
        for _ in range(12):
            page.mouse.wheel(0, 250)
        page.wait_for_timeout(200)
        assert page.evaluate("scrollY") > 1500
        assert view(page) == (0.0, 3.0)


def test_the_animation_and_the_plots_go_together(tmp_path):
    example("pendulum").simulate(3.0).report(tmp_path / "r.html")
    with opened(tmp_path / "r.html") as opened_page:
        page = opened_page.page
        player = "document.querySelector('figure.dalembert-animation').player"
        page.evaluate(f"{player}.go(({player}.data.frames - 1) / 2)")
        assert float(page.locator(".now").first.inner_text().removeprefix("t = ")) == pytest.approx(1.5, abs=0.01)
        svg = page.locator("figure.plot > svg").first
        svg.scroll_into_view_if_needed()
        box = svg.bounding_box()
        page.mouse.click(box["x"] + 66 + 0.25 * (box["width"] - 82), box["y"] + 80)
        position = page.evaluate(f"{player}.position / ({player}.data.frames - 1)")
        assert position == pytest.approx(0.25, abs=0.01)
        assert not opened_page.errors


def test_colours_follow_the_reader_and_paper_is_white(written):
    ground = "getComputedStyle(document.body).backgroundColor"
    with opened(written) as light:
        assert light.page.evaluate(ground) == "rgb(255, 255, 255)"
    with opened(written, color_scheme="dark") as dark:
        assert dark.page.evaluate(ground) == "rgb(20, 23, 28)"
        dark.page.emulate_media(media="print")
        assert dark.page.evaluate(ground) == "rgb(255, 255, 255)"
        assert dark.page.locator("nav").is_hidden()
        assert dark.page.locator("figure.plot > svg").first.is_visible()
        assert dark.page.pdf(format="A4").startswith(b"%PDF")
        assert not dark.errors


@pytest.mark.parametrize("width", [1280, 390])
def test_where_friction_sticks_stands_as_a_strip_beneath_its_forces(width, tmp_path):
    run = example("block-on-belt").simulate(9)
    run.report(tmp_path / "belt.html")
    with opened(tmp_path / "belt.html", width=width) as seen:
        figure = seen.page.locator("figure.plot", has_text="Where it sticks")
        figure.scroll_into_view_if_needed()
        whole = figure.locator("svg rect.strip").bounding_box()
        parts = [part.bounding_box() for part in figure.locator("svg rect[style*='fill']").all()]
        slip, stick = (next(event.t for event in run.events if event.kind == kind) for kind in ("slip", "stick"))
        share = [part["width"] / whole["width"] for part in parts]
        assert share == pytest.approx([slip / 9, 1 - stick / 9], abs=0.02)
        assert all(part["x"] > 0 and part["x"] + part["width"] <= width for part in parts)
        box = figure.locator("> svg").bounding_box()
        figure.locator("> svg").hover(position={"x": whole["x"] + 2 - box["x"], "y": 10})  # once nothing moves
        figure.locator("output", has_text=re.compile("^sticks$")).wait_for()
        assert not seen.errors and not seen.requests
