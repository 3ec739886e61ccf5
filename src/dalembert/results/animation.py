"""A motion to look at: in the browser, in a notebook, as GIF, MP4 or picture."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dalembert.arguments import number, switch, whole
from dalembert.errors import ModelError
from dalembert.files import as_path, check_place, write
from dalembert.results.drawing.scene import Stage
from dalembert.results.drawing.staging import build
from dalembert.results.drawing.view import nice

if TYPE_CHECKING:
    from dalembert.results.run import Run

FRAMES = 600  # stored at most; the player draws smoothly in between
RATE = 60  # frames for each second of watching, as far as they suffice
NUMBERS = 1_000_000  # stored at most, for systems with very many points
QUICK, LONG = 2.0, 60.0  # seconds; what is shorter or longer is not shown in real time unless this is asked for
WIDTH, WIDTHS, RATES = 640, (64, 4096), (1, 60)  # of films: pixels, frames for each second
FORMATS = (".html", ".gif", ".mp4", ".png", ".svg", ".pdf")


class Animation:
    """The motion of a system as a scene that is played: `save` writes files, `fragment` is for pages of your own.

    `scene` has the times of its frames, its marks with their places, and `notes` on what is not drawn. `speed` is how
    fast the motion is shown, against real time.
    """

    def __init__(self, scene: Stage, *, dark: bool | None = None, speed: float = 1.0):
        self.scene, self.dark, self.speed = scene, dark, speed

    def __repr__(self) -> str:
        t = self.scene.times
        return f"<Animation {self.scene.title!r} from t = {t[0]:g} to {t[-1]:g}: {len(t)} frames, speed {self.speed:g}>"

    def save(self, path: str | Path, *, width: int | None = None, rate: float | None = None) -> None:
        """Write a page to play (.html), a film (.gif, .mp4), or a picture of the middle (.png, .svg, .pdf).

        width, rate: of films, in pixels and in frames for each second; without them 640, and 20 (.gif) or 30 (.mp4).
        """
        check_path(path)
        width = check_film(width, rate)
        path = Path(path)
        kind = path.suffix.lower()
        if kind == ".html":
            from dalembert.results.drawing.player import page

            text = page(self.scene, dark=self.dark, speed=self.speed)
            write(path, lambda file: file.write(text.encode()))
        elif kind in (".gif", ".mp4"):
            from dalembert.results.drawing.film import gif, mp4

            film = (gif if kind == ".gif" else mp4)(self.scene, self.speed, bool(self.dark), width, rate)
            write(path, lambda file: file.write(film))
        else:
            figure = self.figure()
            write(path, lambda file: figure.savefig(file, format=kind[1:], dpi=200))

    def figure(self, t: float | None = None) -> Any:
        """Return a figure of matplotlib of the motion at a time, of its middle if none is given."""
        from dalembert.results.drawing.figure import make_figure
        from dalembert.results.drawing.film import look

        times = self.scene.times
        if t is not None and not np.isfinite(number("t", t)):
            raise ModelError(f"`t` is a time of the motion, from {times[0]:g} to {times[-1]:g}; got {t}")
        frame = len(times) // 2 if t is None else int(np.argmin(np.abs(times - float(t))))
        return make_figure(self.scene, look(self.scene, 700, bool(self.dark)), frame)[0]

    def fragment(self) -> str:
        """Return a <figure> with its own script, to be put into any page, also several times."""
        from dalembert.results.drawing.player import fragment

        return fragment(self.scene, dark=self.dark, speed=self.speed)

    def _repr_html_(self) -> str:
        return self.fragment()


def check_path(path: str | Path) -> None:
    """Refuse a file name whose ending says no format, or which has no folder, before anything is drawn."""
    if as_path(path).suffix.lower() not in FORMATS:
        raise ModelError(f"an animation is written to {', '.join(FORMATS)}; got {str(path)!r}")
    check_place(path)


def animate(
    run: Run,
    *,
    dark: bool | None = None,
    trace: str | Iterable[str] = (),
    reactions: bool = False,
    speed: float | None = None,
) -> Animation:
    """Prepare the motion for watching; see `Run.animate`."""
    names = check_names(trace)
    if not (dark is None or isinstance(dark, bool)):
        raise ModelError(f"`dark` is True, False or None; got {dark!r}")
    begin, end = float(run.motion.times[0]), float(run.motion.times[-1])
    speed = choose_speed(end - begin) if speed is None else check_speed(speed)
    points = len(run.system.drawing.expressions) if run.system.drawing is not None else 1
    most = min(FRAMES, max(300, NUMBERS // points))
    count = int(np.clip(np.ceil((end - begin) / speed * RATE), 300, most)) if end > begin else 0
    times = np.linspace(begin, end, count + 1)
    q, v = run.at(times)
    parameters = np.broadcast_to(run.motion.parameters_at(times), (len(times), len(run.motion.parameters)))
    inputs = np.concatenate([times[:, None], q, v, parameters], axis=1)
    scene = build(run.system, inputs, names)
    if switch("reactions", reactions):
        from dalembert.results.drawing.arrows import with_reactions

        scene = with_reactions(scene, run, inputs)
    return Animation(scene, dark=dark, speed=speed)


def choose_speed(duration: float) -> float:
    """Return 1 for motions that can be watched in real time; else a round number that makes them so."""
    if duration <= 0 or QUICK <= duration <= LONG:
        return 1.0
    return nice(duration / (8.0 if duration < QUICK else 40.0))


def check_names(trace: Any) -> tuple[str, ...]:
    """Refuse what are not names of points."""
    names = (trace,) if isinstance(trace, str) else tuple(trace) if isinstance(trace, Iterable) else (None,)
    if not all(isinstance(name, str) for name in names):
        raise ModelError(f"`trace` is the name of a point or several, as in trace=('A', 'B'); got {trace!r}")
    return names  # pyright: ignore[reportReturnType]


def check_film(width: Any = None, rate: Any = None) -> int:
    """Refuse a width or a rate that no film can have; return the width, which is even."""
    if rate is not None and not RATES[0] <= number("rate", rate) <= RATES[1]:
        raise ModelError(f"`rate` is from {RATES[0]} to {RATES[1]} frames for each second, got {rate!r}")
    return WIDTH if width is None else 2 * (whole("width", width, *WIDTHS) // 2)


def check_speed(speed: Any) -> float:
    """Refuse a speed that is not a positive number."""
    value = number("speed", speed)
    if not 0 < value < np.inf:
        raise ModelError(f"`speed` is a positive number, 1 for real time; got {speed!r}")
    return value
