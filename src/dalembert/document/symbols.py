"""Names as mathematics: `phi_crank'` is a φ with the index crank and a dot above, on paper, in plots and on pages."""

from __future__ import annotations

import re
from dataclasses import dataclass

from dalembert.characters import escape
from dalembert.document.symbol_parts import Symbol

_DOTS = {1: "˙", 2: "¨"}
_COMBINING = {1: "\u0307", 2: "\u0308"}


@dataclass(frozen=True)
class Label:
    """What a curve or an axis is called: as plain text, as a piece of a page, and in the language of matplotlib."""

    text: str
    html: str
    tex: str


def symbol(name: str) -> Label:
    """Return a name of the model as a mathematical symbol.

    >>> symbol("phi_crank'").text
    'φ̇_crank'
    """
    s = Symbol.read(name)
    text = s.letter + _COMBINING.get(s.dots, "'" * s.dots) + (f"_{s.index}" if s.index else "")
    return Label(text, f"<math>{mathml(name)}</math>", f"${_tex(s)}$")


def words(text: str) -> Label:
    """Return a label that is no formula."""
    return Label(text, escape(text), text.replace("$", r"\$"))


def joined(before: str, label: Label, after: str = "") -> Label:
    """Return a label with words around it."""
    left, right = words(before), words(after)
    parts = (left, label, right)
    return Label("".join(p.text for p in parts), "".join(p.html for p in parts), "".join(p.tex for p in parts))


def mathml(name: str, power: str = "") -> str:
    """Return a name as MathML, without the element `math` around it; with a power, above the index."""
    s = Symbol.read(name)
    tag = "mn" if s.letter[:1].isdigit() else "mi"
    base = f"<{tag}>{escape(s.letter)}</{tag}>"
    if s.dots in _DOTS:
        base = f'<mover accent="true">{base}<mo>{_DOTS[s.dots]}</mo></mover>'
    elif s.dots:
        base = f"<msup>{base}<mo>{'′' * s.dots}</mo></msup>"
    if not s.index:
        return f"<msup>{base}{power}</msup>" if power else base
    kind = "mn" if s.index.replace(",", "").isdigit() else "mtext"
    index = f"<{kind}>{escape(s.index)}</{kind}>"
    return f"<msubsup>{base}{index}{power}</msubsup>" if power else f"<msub>{base}{index}</msub>"


def _tex(s: Symbol) -> str:
    base = s.letter if len(s.letter) == 1 else rf"\mathrm{{{_plain(s.letter)}}}"
    base = {1: rf"\dot{{{base}}}", 2: rf"\ddot{{{base}}}"}.get(s.dots, base + "'" * s.dots)
    return base + (rf"_{{\mathrm{{{_plain(s.index)}}}}}" if s.index else "")


def _plain(text: str) -> str:
    """Write text so that matplotlib reads it as letters."""
    return re.sub(r"([{}$_#%&])", r"\\\1", text.replace("\\", "/").replace("^", " ").replace("~", " "))
