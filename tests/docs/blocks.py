"""The code blocks of a page, and how each kind of them is tried.

python           runs, in one namespace for the page
toml             is a model that passes its check; without `format` it is added to the last one that has it; with a
                 title it becomes a file, and one whose title begins with "wrong" may be as wrong as it likes
sh, console      the `dalembert` commands in it run, in the folder of the page
text             right after one of these: what is printed; … stands for anything
"""

from __future__ import annotations

import contextlib
import io
import re
import shlex
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from dalembert import loads
from dalembert.cli import main

_BLOCK = re.compile(
    r"^(?P<indent> *)```(?P<language>\w*)(?P<rest>[^\n]*)\n(?P<text>.*?)^ *```$", re.DOTALL | re.MULTILINE
)
_TITLE = re.compile(r'title="([^"]+)"')


@dataclass(frozen=True)
class Block:
    """A block of a page: its language and title, its text, its first line, and what is to be printed, if that is said."""

    language: str
    title: str
    text: str
    line: int
    expected: str | None


def read_blocks(page: str) -> list[Block]:
    """Return the blocks of a page that can be tried."""
    found, result = [*_BLOCK.finditer(page)], []
    for k, match in enumerate(found):
        after = found[k + 1] if k + 1 < len(found) else None
        adjacent = after is not None and not page[match.end() : after.start()].strip()
        expected = textwrap.dedent(after["text"]) if after and adjacent and after["language"] == "text" else None
        title = _TITLE.search(match["rest"])
        line = page.count("\n", 0, match.start()) + 2
        text = textwrap.dedent(match["text"])
        result.append(Block(match["language"], title[1] if title else "", text, line, expected))
    return result


class Trial:
    """Tries the blocks of a page in turn, in the current folder."""

    def __init__(self, name: str):
        self.name = name
        self.namespace: dict[str, Any] = {"__name__": "example"}
        self.model = ""

    def block(self, block: Block) -> str:
        """Try a block; return what it printed."""
        trials = {"python": self.python, "toml": self.toml, "sh": self.shell, "console": self.shell}
        return trials.get(block.language, lambda block: "")(block)

    def python(self, block: Block) -> str:
        """Run code."""
        code = compile("\n" * (block.line - 1) + block.text, self.name, "exec")  # tracebacks show lines of the page
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(code, self.namespace)
        return out.getvalue()

    def toml(self, block: Block) -> str:
        """Read a model, or what is to be added to one."""
        if re.search(r"^format = ", block.text, re.MULTILINE):
            self.model = block.text
        else:
            self.model += "\n" + block.text
        if block.title:
            Path(block.title).write_text(self.model, encoding="utf-8")
        if not block.title.startswith("wrong"):
            outcome = loads(self.model, f"{self.name}:{block.line}").check()
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


def run_command(words: list[str]) -> tuple[int, str]:
    """Run a command line; return its exit code and what it prints, errors included."""
    out = io.StringIO()
    with patch.object(sys, "argv", words), contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            main()
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
