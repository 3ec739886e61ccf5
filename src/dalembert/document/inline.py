"""Formulas in plain HTML, made of MathML: italic letters, powers raised, fractions with a stroke; shown by whatever
shows HTML, also where MathML is dropped.
"""

from __future__ import annotations

import re
import unicodedata
from xml.etree import ElementTree

from markupsafe import Markup

from dalembert import characters

_DOTS = {"˙": "\u0307", "¨": "\u0308"}  # combining, above the letter before
_SILENT = ("\u2061", "\u2062")  # applied to, times
_SCRIPTS = {"msub": ("sub",), "msup": ("sup",), "msubsup": ("sub", "sup")}


def escape(text: str | None) -> str:
    """Return text as HTML."""
    return str(characters.escape(text or ""))


def plain(mathml: str) -> Markup:
    """Return MathML as plain HTML.

    >>> print(plain("<mfrac><mrow><mi>a</mi><mo>+</mo><msup><mi>b</mi><mn>2</mn></msup></mrow><mn>2</mn></mfrac>"))
    (<i>a</i> + <i>b</i><sup>2</sup>)/2
    """
    return Markup(_row(ElementTree.fromstring(f"<mrow>{mathml}</mrow>")))


def _row(node: ElementTree.Element) -> str:
    """Write what is inside of an element; a fraction that something follows stands in brackets."""
    parts = [escape(node.text)]
    for k, child in enumerate(node):
        text = _sign(child, k == 0) if child.tag == "mo" else _node(child)
        parts.append(f"({text})" if child.tag == "mfrac" and k + 1 < len(node) else text)
        parts.append(escape(child.tail))
    return "".join(parts)


def _node(node: ElementTree.Element) -> str:
    if node.tag == "mi":
        return _letter(node.text or "")
    if node.tag == "mover":  # the dots of a derivative
        letter = node[0].text or ""
        return _letter(unicodedata.normalize("NFC", letter[:1] + _DOTS.get(node[1].text or "", "") + letter[1:]))
    if node.tag in _SCRIPTS:
        base, *scripts = map(_node, node)
        raised = zip(_SCRIPTS[node.tag], scripts, strict=True)
        return _bracketed(base, " /") + "".join(f"<{tag}>{script}</{tag}>" for tag, script in raised)
    if node.tag == "mfrac":
        above, below = map(_node, node)
        return _bracketed(above, " ") + "/" + _bracketed(below, " /\u2009")
    if node.tag == "msqrt":
        return f"√({_row(node)})"
    if node.tag == "span":
        return f'<span style="opacity:.7">{_row(node)}</span>'
    return "\u2009" if node.tag == "mspace" else _row(node)


def _letter(text: str) -> str:
    """Write a letter, with dots or without, in italics; a word upright."""
    is_letter = sum(not unicodedata.combining(c) for c in text) == 1
    return f"<i>{escape(text)}</i>" if is_letter else escape(text)


def _sign(node: ElementTree.Element, first: bool) -> str:
    text = node.text or ""
    if text in ("+", "−", "="):
        return f" {text} " if not first else f"{text} " if node.get("rspace", "0") != "0" else text
    return "" if text in _SILENT else f"{text} " if text == "," else escape(text)


def _bracketed(html: str, signs: str) -> str:
    """Put brackets around what holds one of some signs outside of brackets."""
    outside = re.sub(r"\([^()]*\)", "", re.sub(r"<[^>]*>", "", html))
    while "(" in outside and (shorter := re.sub(r"\([^()]*\)", "", outside)) != outside:
        outside = shorter
    return f"({html})" if any(sign in outside for sign in signs) else html
