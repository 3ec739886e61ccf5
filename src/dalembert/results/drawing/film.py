"""Films of a scene: GIF by Pillow, MP4 by ffmpeg."""

from __future__ import annotations

import io
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from dalembert.arrays import Array
from dalembert.errors import ModelError
from dalembert.results.drawing.figure import make_figure
from dalembert.results.drawing.painter import Look
from dalembert.results.drawing.player import aspect
from dalembert.results.drawing.scene import Stage

WIDTH = 640
GIF_RATE, MP4_RATE = 20, 30  # frames in a second
GIF_MOST, MP4_MOST = 240, 1800  # frames


def look(scene: Stage, width: int, dark: bool) -> Look:
    """Return a size that suits a scene; even numbers, as films need them."""
    height = 2 * round(width * max(aspect(scene), 0.5) / 2)
    top = 50.0 + 14 * (len(scene.legend) + len(scene.notes))
    return Look(float(width), float(height), (40.0, 36.0, 40.0, top), dark, clock=len(scene.times) > 1)


def frames(scene: Stage, speed: float, dark: bool, width: int, rate: float, most: int) -> Iterator[Array]:
    """Yield the pictures of a film, as bytes of red, green and blue."""
    duration = (scene.times[-1] - scene.times[0]) / speed
    count = int(np.clip(round(duration * rate), 1, most))
    figure, painting = make_figure(scene, look(scene, width, dark))
    canvas = FigureCanvasAgg(figure)
    for frame in np.linspace(0, len(scene.times) - 1, count).round().astype(int):
        painting.frame = int(frame)
        canvas.draw()
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def gif(scene: Stage, speed: float, dark: bool, width: int = WIDTH, rate: float | None = None) -> bytes:
    """Return the film as GIF; one palette serves all frames, so that nothing flickers."""
    from PIL import Image

    shown = frames(scene, speed, dark, width, rate or GIF_RATE, GIF_MOST if rate is None else MP4_MOST)
    pictures = [Image.fromarray(picture) for picture in shown]
    duration = 1000 * float(scene.times[-1] - scene.times[0]) / speed / len(pictures)
    palette = pictures[len(pictures) // 2].quantize(128, dither=Image.Dither.NONE)
    first, *rest = (picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture in pictures)
    file = io.BytesIO()
    # a hundredth of a second is the unit of the format, and browsers slow down what is faster than two of them
    step = max(20, 10 * round(duration / 10))
    first.save(file, "GIF", save_all=True, append_images=rest, duration=step, loop=0, optimize=False)
    return file.getvalue()


def mp4(scene: Stage, speed: float, dark: bool, width: int = WIDTH, rate: float | None = None) -> bytes:
    """Return the film as MP4."""
    program = shutil.which("ffmpeg")
    if program is None:
        raise ModelError("an .mp4 file needs the program ffmpeg, which is not found; install it, or save .html or .gif")
    size, rate = look(scene, width, dark), rate or MP4_RATE
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "film.mp4"
        command = [
            program, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24",
            "-s", f"{size.width:.0f}x{size.height:.0f}", "-r", f"{rate:g}", "-i", "-",
            "-an", "-pix_fmt", "yuv420p", "-movflags", "+faststart", str(out),
        ]  # fmt: skip
        with tempfile.TemporaryFile() as said:
            process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=said)
            try:
                for picture in frames(scene, speed, dark, width, rate, MP4_MOST):
                    process.stdin.write(picture.tobytes())  # pyright: ignore[reportOptionalMemberAccess]
                process.stdin.close()  # pyright: ignore[reportOptionalMemberAccess]
            except OSError:  # it ended by itself, and has said why
                pass
            except BaseException:
                process.kill()
                raise
            finally:
                failed = process.wait() != 0
            if failed:
                said.seek(0)
                why = said.read().decode(errors="replace").strip().splitlines()
                raise ModelError(f"ffmpeg could not make the film: {why[-1] if why else 'it does not say why'}")
        return out.read_bytes()
