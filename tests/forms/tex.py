"""Reads LaTeX as TeX would, as far as a formula can be wrong: groups, scripts, environments, letters."""

from __future__ import annotations

import re

_TOKEN = re.compile(r"\\[a-zA-Z]+\*?|\\.|[{}_^$&%']|\s+|.", re.DOTALL)
_PREAMBLE = re.compile(r".*\\begin\{document\}", re.DOTALL)


def problems(text: str) -> list[str]:
    """Return what TeX would stop at."""
    text = _PREAMBLE.sub("", text).replace("\\end{document}", "")
    text = re.sub(r"(?<!\\)%.*", "", text)
    found = [f"a letter that pdflatex does not read in a formula: {c!r}" for c in sorted(set(text)) if ord(c) > 0x17F]
    return [*found, *_environments(text), *_scripts(text)]


def _environments(text: str) -> list[str]:
    waiting: list[str] = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            waiting.append(name)
        elif not waiting or waiting.pop() != name:
            return [f"\\end{{{name}}} closes something else"]
    found = [f"\\begin{{{name}}} is not closed" for name in waiting]
    sides = len(re.findall(r"\\left(?![a-zA-Z])", text)), len(re.findall(r"\\right(?![a-zA-Z])", text))
    return found if sides[0] == sides[1] else [*found, f"{sides[0]} \\left, {sides[1]} \\right"]


def _scripts(text: str) -> list[str]:
    """Find second scripts at one base, and groups that are not closed."""
    found: list[str] = []
    levels: list[set[str]] = [set()]  # the scripts that the last base of each open group has
    script = False  # the next token or group is one
    for token in _TOKEN.finditer(text):
        sign = token[0]
        if sign in ("_", "^"):
            if sign in levels[-1]:
                found.append(f"a second {sign} at one base: …{text[max(0, token.start() - 40) : token.end() + 20]}…")
            levels[-1].add(sign)
            script = True
        elif sign == "{":
            if not script:
                levels[-1].clear()
            levels.append(set())
            script = False
        elif sign == "}":
            levels.pop()
            if not levels:
                return [*found, f"a }} too many: …{text[max(0, token.start() - 40) : token.end()]}…"]
        elif not sign.isspace():
            if not script:
                levels[-1].clear()
            script = False
    return found if len(levels) == 1 else [*found, f"{len(levels) - 1} {{ are not closed"]
