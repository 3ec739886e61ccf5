"""The code blocks of a page, and how each kind of them is tried.

python           runs, in one namespace for the page; the systems that it makes are models that the page shows
toml             is a model that passes its check; without `format` it is added to the last one that has it; with a
                 title it becomes a file, and one whose title begins with "wrong" must be refused
sh, console      the `dalembert` commands in it run, in the folder of the page; so do those written between words, and
                 those that stand indented with words after them
c                is compiled beside the files of the page, and runs, where there is a compiler
text             right after one of these: what is printed; … stands for anything
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

import dalembert
from dalembert import System, load
from dalembert.cli import main

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)(?P<rest>[^\n]*)\n(?P<text>.*?)^ *```$", re.DOTALL | re.MULTILINE
)
_EXAMPLE = dalembert.example
_TITLE = re.compile(r'title="([^"]+)"')
_COMMAND = re.compile(r"^ {4}(dalembert .*?)(?=  |$)|`(dalembert [^`]+)`", re.MULTILINE)
_NOT_RUN = re.compile(r"\b[A-Z]{3,}\b|-completion|--clear")  # placeholders; what changes the reader's shell or cache


@dataclass(frozen=True)
class Block:
    """A block of a page: its language and title, its text, its first line, and what is to be printed, if that is said."""

    language: str
    title: str
    text: str
    line: int
    expected: str | None


def read_blocks(page: str) -> list[Block]:
    """Return what can be tried of a page, in order: its blocks, and the commands outside of them."""
    found, result = [*_BLOCK.finditer(page)], []
    for match in _COMMAND.finditer(_BLOCK.sub(lambda block: re.sub(r"[^\n]", ".", block[0]), page)):
        command = match[1] or match[2]
        if not _NOT_RUN.search(command):
            result.append(Block("sh", "", command, page.count("\n", 0, match.start()) + 1, None))
    for k, match in enumerate(found):
        after = found[k + 1] if k + 1 < len(found) else None
        adjacent = after is not None and not page[match.end() : after.start()].strip()
        expected = textwrap.dedent(after["text"]) if after and adjacent and after["language"] == "text" else None
        title = _TITLE.search(match["rest"])
        line = page.count("\n", 0, match.start()) + 2
        text = textwrap.dedent(match["text"])
        result.append(Block(match["language"], title[1] if title else "", text, line, expected))
    return sorted(result, key=lambda block: block.line)


class Trial:
    """Tries the blocks of a page in turn, in the current folder; `models` are those that it shows, as files."""

    def __init__(self, name: str):
        self.name = name
        self.namespace: dict[str, Any] = {"__name__": "example"}
        self.model = ""
        self.models: list[Path] = []
        self._known: list[System] = []

    def block(self, block: Block) -> str:
        """Try a block; return what it printed."""
        trials = {"python": self.python, "toml": self.toml, "sh": self.shell, "console": self.shell, "c": self.c}
        return trials.get(block.language, lambda block: "")(block)

    def python(self, block: Block) -> str:
        """Run code, and save the systems that it makes; those of the gallery are tried elsewhere."""
        text = "\n" * (block.line - 1) + block.text  # tracebacks show lines of the page
        code = compile(text, self.name, "exec", dont_inherit=True)
        with contextlib.redirect_stdout(io.StringIO()) as out, patch.object(dalembert, "example", self.example):
            exec(code, self.namespace)
        for name, system in self.systems():
            self._known.append(system)
            self.models.append(Path("shown", f"{name}-{block.line}.toml"))
            self.models[-1].parent.mkdir(exist_ok=True)
            system.save(self.models[-1])
        return out.getvalue()

    def example(self, name: str, *args: Any) -> System:
        """Return a model of the gallery, and remember it."""
        self._known.append(_EXAMPLE(name, *args))
        return self._known[-1]

    def systems(self) -> Iterator[tuple[str, System]]:
        """Go through the systems that the page has made and that were not there before, by their names in it."""
        for name, value in [*self.namespace.items()]:
            if isinstance(value, System) and value not in self._known:
                yield name, value

    def toml(self, block: Block) -> str:
        """Read a model, or what is to be added to one."""
        if re.search(r"^format = ", block.text, re.MULTILINE):
            self.model = block.text
        else:
            self.model += "\n" + block.text
        title = Path(block.title or f"model-{block.line}.toml")
        title.write_text(self.model, encoding="utf-8")
        self.models = [path for path in self.models if path != title] + [title]
        if not block.title.startswith("wrong"):
            self._known.append(load(title))
            outcome = self._known[-1].check()
            assert outcome.ok, str(outcome)
        return ""

    def shell(self, block: Block) -> str:
        """Run the commands that are ours; one that fails must be followed by what it says."""
        printed = ""
        for command in re.split(r"\n|&&", block.text.replace("\\\n", " ")):
            words = shlex.split(command.removeprefix("$ "), comments=True)
            if words[:1] == ["dalembert"]:
                code, text = run_command(words)
                assert code == 0 or block.expected, f"{command} exits with {code}:\n{text}"
                printed += text
        return printed

    def c(self, block: Block) -> str:
        """Compile a program with what the page has exported, and run it."""
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            return block.expected or ""
        Path("main.c").write_text(block.text, encoding="utf-8")
        sources = [header.replace(".h", ".c") for header in re.findall(r'#include "(\w+\.h)"', block.text)]
        warnings = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic"]
        subprocess.run([compiler, *warnings, "main.c", *sources, "-o", "main", "-lm"], check=True)
        return subprocess.run([Path("main").resolve()], check=True, capture_output=True, text=True).stdout


def run_command(words: list[str]) -> tuple[int, str]:
    """Run a command line; return its exit code and what it prints, errors included."""
    out = io.StringIO()
    with patch.object(sys, "argv", words), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main(words[1:])  # not of this process: at whose end interruptions are ignored
        except SystemExit as end:
            return int(end.code or 0), out.getvalue()
    return 0, out.getvalue()


def agrees(expected: str, printed: str) -> bool:
    """Tell whether a text is what was expected; … stands for anything.

    >>> agrees("in … s", "in 0.3 s"), agrees("in … s", "in 0.3 ms")
    (True, False)
    """
    parts = (re.escape(part) for part in expected.strip().split("…"))
    return re.fullmatch(".*?".join(parts), printed.strip(), re.DOTALL) is not None
