"""Bad command lines, made by breaking good ones in one place; the same ones every time."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

from dalembert.model.gallery import SIZED

Line = tuple[str, ...]
COMMANDS = ("examples", "new", "run", "check", "derive", "simulate", "inverse", "gains", "export", "cache")
MODEL_COMMANDS = ("run", "check", "derive", "simulate", "export")
OPTIONS = {
    "run": ("--until", "--set", "--initial", "--report", "--no-report"),
    "check": ("--set", "--initial", "--json"),
    "derive": ("--form", "--coordinates", "--to", "--set", "--initial"),
    "simulate": ("--until", "--method", "--keep", "--rtol", "--step", "--samples", "--out", "--max-seconds", "--json"),
    "export": ("--to", "--form", "--out", "--force"),
    "new": ("--kind", "--from", "--force"),
    "cache": ("--clear",),
}
FLAGS = {"--no-report", "--json", "--force", "--clear"}
NUMBERS = ("--until", "--rtol", "--atol", "--step", "--samples", "--max-steps", "--max-seconds")
CHOICES = {
    ("derive", "--form"): ("minmal", "", "Minimal", "φ", "m" * 3000),
    ("derive", "--to"): ("pdf", "", "TEXT", "text,json"),
    ("simulate", "--form"): ("reactions", "multiplier", ""),
    ("simulate", "--method"): ("rk5", "RK4", "", "rk4", "euler", "dop 853"),  # rk4 and euler need a step
    ("simulate", "--keep"): ("proj", "yes", ""),
    ("simulate", "--plot-of"): ("speed", "", "energies"),
    ("export", "--to"): ("fortran", "", "C", "matlab"),
    ("new", "--kind"): ("fluid", "", "energy"),
    ("new", "--from"): ("pendulm", "", "pendulum:3", "n-four-bar:0"),
}
NOT_NUMBERS = (
    *("nan", "inf", "-inf", "1e999", "-1", "", "  ", "abc", "1,5", "0x1g", "1e", "--", "½½", "1/0", "sqrt(-1)", "t"),
    *("1+", "(", "__import__('os')", "2**99999", "9" * 5000, "1;2", "\x1b[31m1", "１０ m", "x'"),
)
SIZES = ("0", "-3", "1e9", "2.5", " 2", "two", "99999", "9" * 400, "+1", "½", "1:2", "2001")
NAMES = ("pendulm", "Pendulum", "pendulum ", "φ", "four_bar", "🙂", "a" * 5000, "", "--", "con", "%s%s", "$(ls)", "*")
PAIRS = ("l", "=2", "l=", "=", "L=2", "l=nan", "l=1e999", "l=1+", "l=k", "l=(", "", "φ=1", "l==2", "l=2=3", "a" * 3000)
STARTS = ("phi", "=1", "phi=", "psi=1", "phi''=1", "phi=1e999", "phi=1+", "phi=phi", "phi=zz", "m=1", "")
PLACES = (
    "",
    ".",
    "folder.toml",
    "no/where/motion.{}",
    "motion",
    "motion.xyz",
    "file.toml/motion.{}",
    "m" * 300 + ".{}",
)
FILES = {
    "binary.toml": bytes(range(256)) * 4,
    "huge.toml": b"# " + b"x" * 5_000_001,
    "empty.toml": b"",
    "file.toml": b"format = 2\n",
    "latin.toml": "name = 'é'".encode("latin-1"),
    "open.toml": b'format = 1\ncoordinates = ["x"\n',
    "deep.toml": b"a = " + b"[" * 5000,
    "twice.toml": b"format = 1\nformat = 1\n",
    "unquoted.toml": b'format = 1\ncoordinates = ["x"]\n[energy]\nkinetic = x^2\n',
    "unknown.toml": b'format = 1\ncoordinates = ["x"]\n[energy]\nkinetic = "m*x\'^2"\n',
    "section.toml": b'format = 1\ncoordinates = ["x"]\n[enrgy]\nkinetic = "x\'^2"\n',
    "massless.toml": b'format = 1\ncoordinates = ["x"]\n',
    "escape.toml": b'format = 1\ncoordinates = ["x"]\n[energy]\nkinetic = "x\'^2 + \\u001b[31m"\n',
    "python.toml": b'format = 1\ncoordinates = ["x"]\n[energy]\nkinetic = "__import__(\'os\').getpid()"\n',
}


def prepare(folder: Path) -> None:
    """Put bad files into a folder."""
    for name, content in FILES.items():
        (folder / name).write_bytes(content)
    (folder / "folder.toml").mkdir()
    (folder / "locked.toml").write_bytes(b"format = 1\n")
    os.chmod(folder / "locked.toml", 0)


def wrong_words() -> Iterator[Line]:
    """Commands, options and arguments that do not exist, or are too many, or too few."""
    for verb in COMMANDS:
        for spelt in (verb[:-1] + verb[-1] * 2, verb[1:], verb.upper(), verb + "é", f" {verb}", f"{verb}:2"):
            yield spelt, "pendulum"
    for verb in (*NAMES, "pendulum", "n-four-bar:2", "mine.toml", "-", "x" * 3000):
        yield (verb,) if verb not in ("", "--") else (verb, "check")
    for verb, options in OPTIONS.items():
        model = ("pendulum",) if verb in MODEL_COMMANDS else ()
        for option in options:
            for spelt in (option[:-1] + "x", option[1:], option + "é", option.upper(), f"-{option}"):
                yield verb, *model, spelt, *(() if option in FLAGS else ("1",))
            yield (verb, *model, f"{option}=1") if option in FLAGS else (verb, *model, option)
        yield verb, *model, "-q"
        yield verb, *model, "--no-such"
        yield verb, *(model or ("x.toml",)), "further", "words"
    for verb in MODEL_COMMANDS:
        yield (verb,)
        yield verb, "--"
    yield "export", "pendulum"
    yield ("--version=1",)
    yield ("--vrsion",)


def wrong_models() -> Iterator[Line]:
    """Models that are not there, have no such size, or cannot be read."""
    for verb in MODEL_COMMANDS:
        rest = ("--to", "toml", "--out", "out.toml") if verb == "export" else ()
        for name in NAMES:
            if name != "--":
                yield verb, name, *rest
        for size in SIZES:
            for base in SIZED:
                yield verb, f"{base}:{size}", *rest
        for name in (
            "pendulum:2",
            "four-bar:1",
            "missing.toml",
            "no/such/file",
            "folder.toml",
            ".",
            "a\0b",
            "a/\0.toml",
        ):
            yield verb, name, *rest
        for name in FILES:
            yield verb, name, *rest
    for name in NAMES:
        if name != "--":
            yield "examples", name
            yield "new", "x.toml", "--from", name


def wrong_values() -> Iterator[Line]:
    """Numbers that are none, choices that are not offered, parameters that do not exist."""
    for option in NUMBERS:
        for text in NOT_NUMBERS:
            yield "simulate", "pendulum", option, text
    for text in NOT_NUMBERS:
        yield "run", "pendulum", "--no-report", "--until", text
    for option in ("--samples", "--max-steps"):
        for text in ("0", "1.5", "1e15", "-3", "pi"):
            yield "simulate", "pendulum", option, text
    for (verb, option), values in CHOICES.items():
        model = "x.toml" if verb == "new" else "pendulum"
        for value in values:
            yield verb, model, option, value
    for verb in MODEL_COMMANDS:
        rest = ("--to", "toml", "--out", "out.toml") if verb == "export" else ()
        for pair in PAIRS:
            yield verb, "pendulum", *rest, "--set", pair
        for pair in STARTS:
            yield verb, "pendulum", *rest, "--initial", pair
    for names in ("q", ",", "", "phi,q", "x,y,phi", "φ"):
        yield "derive", "pendulum", "--form", "independent", "--coordinates", names


def wrong_places() -> Iterator[Line]:
    """Files that cannot be written, or would be written over, and options that contradict each other."""
    for option, ending in (("--out", "csv"), ("--plot", "png"), ("--animate", "gif"), ("--report", "html")):
        for place in PLACES:
            yield "simulate", "pendulum", option, place.format(ending)
    for place in (*PLACES, "a\0b.{}"):
        yield "run", "pendulum", "--report", place.format("html")
        yield "export", "pendulum", "--to", "c", "--out", place.format("c")
        yield "new", place.format("toml") if place else ""
    yield "new", "file.toml"
    yield "new", "file.toml", "--from", "pendulum"
    yield "export", "pendulum", "--to", "toml", "--out", "file.toml"
    yield "run", "pendulum", "--report", "a.html", "--no-report"
    yield "new", "x.toml", "--kind", "energies", "--from", "pendulum"
    yield "derive", "pendulum", "--form", "minimal", "--coordinates", "phi"
    yield "derive", "knife-edge", "--form", "canonical"
    yield "export", "pendulum", "--to", "toml", "--form", "minimal", "--out", "out.toml"
    yield "simulate", "pendulum", "--method", "radau", "--form", "canonical"
    yield "simulate", "pendulum", "--method", "bdf", "--step", "0.1"
    yield "simulate", "pendulum", "--method", "rattle", "--keep", "stabilise", "--step", "0.1"
    yield "simulate", "pendulum", "--form", "canonical", "--keep", "stabilise"
    yield "simulate", "knife-edge", "--method", "rattle", "--step", "0.1"
    for gain in ("kappa", "kappa=", "kappa=[1, 2", "gamma=1", "alpha=-1", "beta=sin(t", "alpha=[[1], [2, 3]]"):
        yield "simulate", "pendulum", "--method", "rk4", "--step", "0.1", "--keep", "stabilise", "--gains", gain
        yield "gains", "rk4", "--gains", gain.replace("alpha", "kappa").replace("kappa=-1", "kappa=[[1]")
    yield "gains", "radau"
    yield "gains", "rk4", "--step", "-1"
    yield "simulate", "pendulum", "--form", "independent", "--coordinates", "x,y"
    yield "simulate", "pendulum", "--coordinates", "phi"


def generated(count: int) -> list[Line]:
    """Return some of all these lines, as many of each family."""
    chosen: list[Line] = []
    families = (wrong_words, wrong_models, wrong_values, wrong_places)
    for k, family in enumerate(families):
        lines = sorted(set(family()))
        share = (count * (k + 1)) // len(families) - (count * k) // len(families)
        chosen += random.Random(k).sample(lines, share)
    return chosen
