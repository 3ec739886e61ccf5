"""Formulas in a line of HTML: Greek letters, dots for primes, powers raised; no typesetting program is needed."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection

from markupsafe import Markup

from dalembert.characters import escape
from dalembert.document.names import Symbol
from dalembert.language.building import Expr
from dalembert.language.printing import to_text

_TOKEN = re.compile(r"(?P<number>\d[\d.]*(?:e[+-]?\d+)?)|(?P<name>[^\W\d]\w*)(?P<primes>'*)|(?P<other>.)")
_DOTS = ("", "\u0307", "\u0308")  # combining, above the letter before
_LONG = 110  # characters


def name(text: str) -> Markup:
    """Return the name of a quantity as it is written by hand.

    >>> print(name("phi_crank'"))
    <i>φ̇</i><sub>crank</sub>
    """
    symbol = Symbol.read(text)
    dotted = symbol.letter[:1] + _DOTS[min(symbol.dots, 2)] + symbol.letter[1:]
    index = Markup("<sub>{}</sub>").format(escape(symbol.index)) if symbol.index else ""
    return Markup("<i>{}</i>").format(escape(unicodedata.normalize("NFC", dotted))) + index


def formula(expr: Expr, names: Collection[str] = ()) -> Markup:
    """Return an expression as HTML; of a long sum the first terms."""
    text = to_text(expr, names)
    if len(text) <= _LONG:
        return typeset(text)
    cut = _first_terms(text)
    said = " + …" if cut else f"a formula of {len(text):,} characters"
    return typeset(cut) + Markup('<span style="opacity:.7">{}</span>').format(said)


def typeset(text: str) -> Markup:
    """Return text in the grammar of model files as HTML.

    >>> print(typeset("x'^2 + sin(phi)"))
    <i>ẋ</i><sup>2</sup> + sin(<i>φ</i>)
    """
    return Markup("".join(_pieces(text)))


def _pieces(text: str) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        token = _TOKEN.match(text, at)
        if token is None:  # a line break, which no formula has
            at += 1
            continue
        at = token.end()
        if token["name"] is not None:
            is_function = text[at : at + 1] == "(" and not token["primes"]
            pieces.append(_function(token["name"]) if is_function else name(token[0]))
        elif token["other"] == "^":
            end = _operand(text, at)
            inner = text[at:end]
            inner = inner[1:-1] if inner.startswith("(") else inner
            pieces.append(f"<sup>{typeset(inner)}</sup>")
            at = end
        else:
            pieces.append({"*": "\u2009", "-": "−"}.get(token[0]) or escape(token[0]))
    return pieces


def _function(word: str) -> str:
    return {"sqrt": "√"}.get(word, escape(word))


def _operand(text: str, at: int) -> int:
    """Return where the operand that begins at a place ends."""
    depth = 0
    for end in range(at, len(text)):
        depth += {"(": 1, ")": -1}.get(text[end], 0)
        if depth == 0:
            if text[end] == ")":
                return end + 1
            token = _TOKEN.match(text, end)
            end = token.end() if token else end + 1
            return _operand(text, end) if text[end : end + 1] == "(" and token and token["name"] else end
    return len(text)


def _first_terms(text: str) -> str:
    """Return the terms of a sum that fit; nothing if its first one does not."""
    depth, cut = 0, 0
    for k, character in enumerate(text[:_LONG]):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0 and k and text[k : k + 3] in (" + ", " - "):
            cut = k
    return text[:cut]
