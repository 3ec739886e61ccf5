"""Plots: every kind for every sort of system, with names, units and legends; what is left out; bad requests."""

from __future__ import annotations

import io

import numpy as np
import pytest

from dalembert import Event, Mechanism, ModelError, System, example
from dalembert.document.palette import DARK, LIGHT, series
from dalembert.results.charts import KINDS
from dalembert.results.panels import MOST, chart
from dalembert.results.quantities import quantities
from tests.conftest import pendulum


@pytest.fixture(scope="module")
def swing():
    return pendulum(name="Pendulum").simulate(3.0)


@pytest.fixture(scope="module")
def engine():
    return example("engine").simulate(0.05)


def drawn(figure) -> list:
    return [axes for axes in figure.axes if axes.get_visible()]


def legend(axes) -> list[str]:
    return [text.get_text() for text in axes.get_legend().get_texts()] if axes.get_legend() else []


@pytest.mark.parametrize(
    "what", [what for what in KINDS if what not in ("outputs", "states", "controls", "friction", "contacts")]
)  # these have none
def test_every_kind_is_drawn_with_labels(what, engine):
    for dark in (False, True):
        figure = engine.plot(what, dark=dark)
        axes = drawn(figure)
        assert axes
        assert figure.get_facecolor()[0] == pytest.approx(20 / 255 if dark else 1.0)
        for axis in axes:
            assert axis.lines
            assert legend(axis) or axis.get_ylabel()
            assert axis.get_title(loc="left") or what == "phase"
        assert "$t$ in s" in axes[-1].get_xlabel() or what == "phase"


@pytest.mark.parametrize(
    "what", [what for what in KINDS if what not in ("joints", "outputs", "states", "controls", "friction", "contacts")]
)
def test_legends_cover_no_curves(what, swing):
    """They stand beside the axes, inside the figure."""
    figure = swing.plot(what)
    figure.draw_without_rendering()
    width = figure.bbox.width
    for axes in drawn(figure):
        if axes.get_legend():
            box = axes.get_legend().get_window_extent()
            assert axes.get_window_extent().x1 <= box.x0 + 1
            assert box.x1 <= width + 1


def test_coordinates_have_units_and_are_sorted_by_kind(swing, engine):
    lengths, angles = drawn(engine.plot())
    assert (lengths.get_ylabel(), angles.get_ylabel()) == ("m", "rad")
    assert legend(angles) == [rf"$φ_{{\mathrm{{{name}}}}}$" for name in ("crank", "rod", "piston")]
    rates = drawn(engine.plot("velocities"))
    assert [axes.get_ylabel() for axes in rates] == ["m/s", "rad/s"]
    places, turn = drawn(swing.plot("accelerations"))
    assert legend(places) == [r"$\ddot{x}$", r"$\ddot{y}$"]
    assert turn.get_ylabel() == r"$\ddot{φ}$"  # no units where the model states none
    assert turn.get_xlabel() == "$t$"


def test_curves_are_the_motion(swing):
    """A pendulum in three coordinates against the identities of its rod, between the steps as well."""
    panels = chart(swing).panels
    t, (x, y), (phi,) = panels[0].x, (c.values for c in panels[0].curves), (c.values for c in panels[1].curves)
    assert len(t) >= 600
    assert x == pytest.approx(np.sin(phi), abs=1e-8)
    assert y == pytest.approx(-np.cos(phi), abs=1e-8)
    assert set(np.round(swing.motion.times, 12)) <= set(np.round(t, 12))
    forces = {panel.title.text: panel for panel in chart(swing, "reactions").panels}
    on_x = forces["Reaction of rod_x"].curves[0]
    assert on_x.name == "x"
    assert on_x.values == pytest.approx(swing.resampled(t)["x''"])  # m = 1
    balance = chart(swing, "energy").panels[1]
    assert balance.logarithmic
    assert max(balance.curves[0].values) < 1e-6


def test_few_steps_or_samples_do_not_make_corners():
    run = example("rolling-disk").simulate(samples=4)
    assert len(run.t) == 5
    panel = chart(run).panels[0]
    assert np.diff(panel.x).max() < 3.0 / 599
    assert panel.curves[0].values == pytest.approx(0.25 * panel.x**2)  # rolls with the acceleration ½


def test_joints_show_sizes_or_components(engine):
    forces, moments = drawn(engine.plot("joints"))
    assert (forces.get_ylabel(), len(legend(forces))) == ("N", 4)
    assert moments.get_ylabel() == "D on piston in N m"  # pins exert none
    (parts,) = drawn(engine.plot("joints", "B"))
    assert legend(parts) == ["x", "y"]
    panel = chart(engine, "joints", ["B"]).panels[0]
    found = engine.resampled(panel.x).joint("B")
    assert panel.curves[1].values == pytest.approx(found.force[:, 1])
    named = chart(engine, "joints", "D.normal gas").panels
    assert [p.title.text for p in named] == ["Force of D.normal on piston", "Force of gas on piston"]


def test_many_coordinates_are_chosen_and_it_is_said():
    run = example("planar-chain:12").simulate(0.2)
    panels = chart(run).panels
    assert [len(panel.curves) for panel in panels] == [MOST] * 3
    assert panels[0].title.text == "Positions x"
    assert panels[0].left_out == "the 8 of 12 that vary most"
    assert "the 8 of 12 that vary most" in run.plot()._supxlabel.get_text()
    rods = [f"x_rod{k}" for k in range(1, 13)]
    every = chart(run, "coordinates", rods).panels
    assert sum(len(panel.curves) for panel in every) == 12
    sizes = {c.name: np.ptp(c.values) for panel in every for c in panel.curves}
    assert sorted(sizes, key=sizes.get)[4:] == sorted((c.name for c in panels[0].curves), key=sizes.get)


def test_names_pick_curves(swing):
    (axes,) = drawn(swing.plot("coordinates", ["phi"]))
    assert axes.get_ylabel() == "$φ$"
    assert chart(swing, "velocities", "x' phi").panels[0].curves[0].name == "x'"
    assert [panel.curves[0].name for panel in chart(swing, "phase", "x, phi").panels] == ["x'", "phi'"]
    assert len(chart(swing, "energy", "kinetic").panels) == 1
    assert len(chart(swing, "residuals", ["rod_y"]).panels[0].curves) == 1


def test_angles_are_told_from_lengths_by_how_they_are_used():
    system = System(
        coordinates="q s psi w",
        kinetic="q'^2 + s'^2 + psi'^2 + w'^2",
        potential="cos(q + 1) + sin(3*s/l) + w^2",
        parameters={"l": 1},
    )
    assert [kind.titles[0] for kind in quantities(system).values()] == [
        "Angles",
        "Coordinates",
        "Angles",
        "Coordinates",
    ]
    assert {kind.units(1) for kind in quantities(system).values()} == {""}
    top = quantities(example("heavy-top-joints"))
    assert [top[name].units(1) for name in ("x_top", "e0_top")] == ["m/s", "1/s"]


def test_singular_positions_leave_gaps_in_reactions():
    run = example("n-four-bar:2").simulate(4.0, rtol=1e-7)  # whose steps come near to a singular position
    drawn_chart = chart(run, "multipliers")
    values = np.array([curve.values for curve in drawn_chart.panels[0].curves])
    assert np.isnan(values).any()
    assert np.nanmax(np.abs(values)) < 1000 < max(np.abs(v).max() for v in run.multipliers.values())
    assert any("singular positions" in note for note in drawn_chart.notes)
    run.plot("multipliers").savefig(io.BytesIO())


def test_what_is_not_determined_is_said():
    run = example("four-bar-spatial").simulate(0.2)
    notes = chart(run, "joints").notes
    assert any("only the sum is determined" in note for note in notes)
    bricard = example("bricard").simulate(0.2)
    with pytest.raises(ModelError, match=r"nothing to draw\. Not determined"):  # in none of its joints
        bricard.plot("joints")


def test_a_motion_that_ends_early_says_so(swing):
    fallen = System(
        coordinates="x", kinetic="x'^2/2", potential="-1/x", initial={"x": 1, "x'": 0}, name="Into the centre"
    ).simulate(5.0)
    assert fallen.status == "failed"
    assert "The motion fails" in fallen.plot()._supxlabel.get_text()
    stopped = pendulum().simulate(5.0, events=[Event("phi = 0", "stop")])
    assert "was stopped" in stopped.plot()._supxlabel.get_text()
    assert swing.plot()._supxlabel is None


def test_a_system_at_rest_and_one_without_constraints():
    resting = pendulum(initial={"phi": 0}).simulate(1.0)
    for what in ("coordinates", "phase", "reactions", "energy", "residuals"):
        assert drawn(resting.plot(what))
    double = example("double-pendulum").simulate(1.0)
    assert len(drawn(double.plot("phase"))) == 2
    matrices = System(coordinates="x y", mass=[["1", "0"], ["0", "2"]], force=["-x", "-y"], initial={"x": 1}).simulate(
        1.0
    )
    assert drawn(matrices.plot())
    with pytest.raises(ModelError, match="matrices has no energies"):
        matrices.plot("energy")


@pytest.mark.parametrize(
    ("what", "names", "words"),
    [
        ("coordinate", None, "did you mean `coordinates`"),
        ("nonsense!", None, "kinds: coordinates"),
        (3, None, "nothing is drawn by the name '3'"),
        ("coordinates", "phy", "no coordinate `phy`; did you mean `phi`"),
        ("velocities", "z", "no velocity `z`"),
        ("reactions", ["rod"], "did you mean `rod_"),
        ("residuals", "rod_z", "did you mean"),
        ("energy", "kinetik", "did you mean `kinetic`"),
        ("coordinates", [], "name at least one coordinate"),
        ("coordinates", 7, "names are a text or a list"),
        ("joints", None, "a system without bodies has no joints"),
        ("phase", "q" * 500, "no coordinate"),
    ],
)
def test_bad_requests_are_answered(what, names, words, swing):
    with pytest.raises(ModelError, match=words.replace("(", r"\(")):
        swing.plot(what, names)


@pytest.mark.parametrize("what", ["reactions", "multipliers", "residuals"])
def test_systems_without_constraints_have_none_to_draw(what):
    with pytest.raises(ModelError, match="has no constraints"):
        example("double-pendulum").simulate(0.1).plot(what)


def test_bodies_without_joints():
    free = Mechanism(bodies={"stone": {"mass": 1, "inertia": 1, "velocity": [1, 2]}}).simulate(1.0)
    with pytest.raises(ModelError, match="no joints and no drives"):
        free.plot("joints")
    assert drawn(free.plot("energy"))


def test_other_times_of_the_same_motion(swing):
    fine = swing.resampled([0.0, 0.5, 1.25])
    assert fine["phi"] == pytest.approx(swing.at([0.0, 0.5, 1.25])[0][:, 2])
    assert fine.status == swing.status
    with pytest.raises(ModelError, match="known from t = 0 to 3"):
        swing.resampled([4.0])
    canonical = pendulum().simulate(1.0, form="canonical")
    assert canonical.resampled([0.5])["phi'"] == pytest.approx(canonical.at([0.5])[1][:, 2])


def _seen(colour: str, matrix: np.ndarray) -> np.ndarray:
    """The colour in CIELAB as an eye with a colour matrix (in linear RGB) sees it."""
    srgb = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    linear = np.clip(matrix @ linear, 0, 1)
    xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]) @ linear
    f = np.cbrt(np.maximum(xyz / [0.9505, 1.0, 1.089], 0.008856))
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


EYES = {  # Machado, Oliveira, Fernandes 2009, severity 1
    "usual": np.eye(3),
    "protanopia": np.array([[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    "deuteranopia": np.array([[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    "tritanopia": np.array([[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
}  # fmt: skip


@pytest.mark.parametrize("palette", [LIGHT, DARK], ids=["light", "dark"])
@pytest.mark.parametrize("eye", EYES)
def test_colours_can_be_told_apart(palette, eye):
    """Within the solid and within the dashed curves; a difference of 10 in CIELAB is seen at a glance."""
    colours = [_seen(colour, EYES[eye]) for colour in series(palette)]
    ground = _seen(palette["paper"], EYES[eye])
    for group in (colours[:4], colours[4:]):
        for i, one in enumerate(group):
            assert np.linalg.norm(one - ground) > 30
            assert all(np.linalg.norm(one - other) > 10 for other in group[:i])


def test_friction_is_drawn():
    titles = [panel.title.text for panel in chart(example("block-on-belt").simulate(6), "friction").panels]
    assert titles == ["Forces along what slides", "Where it sticks", "Loads", "Sliding velocities"]


def test_where_friction_sticks_is_drawn_as_strips():
    """The belt oscillator begins with sticking, slips at x = 1, and sticks again: two parts of the strip are coloured."""
    run = example("block-on-belt").simulate(9)
    panel = chart(run, "friction").panels[1]
    assert panel.strip == ("sticks", "slides")
    figure = run.plot("friction")
    axes = figure.axes[1]
    assert [label.get_text() for label in axes.get_yticklabels()] == ["rubbing.status"]
    grey, coloured = axes.collections
    ends = [part.vertices[:, 0] for part in coloured.get_paths()]
    slip, stick = (next(event.t for event in run.events if event.kind == kind) for kind in ("slip", "stick"))
    assert len(grey.get_paths()) == 1 and len(ends) == 2
    assert ends[0].min() == 0.0 and ends[0].max() == pytest.approx(slip, abs=0.05)
    assert ends[1].min() == pytest.approx(stick, abs=0.05) and ends[1].max() == pytest.approx(9, abs=1e-9)
