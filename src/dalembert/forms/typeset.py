"""Words and formulas as LaTeX takes them: special characters escaped, letters of other alphabets by their commands."""

from __future__ import annotations

import re
import unicodedata

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}
_SIGNS = {"−": "-", "·": r"\cdot", "×": r"\times", "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "∂": r"\partial"}
_SIGNS |= {"∗": r"\ast", "→": r"\to", "′": "'", "∞": r"\infty", "√": r"\surd", "…": r"\dots", "°": r"{}^\circ"}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ⁻", "0123456789T-", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖ", "0123456789ijk", strict=True))
_ACCENTS = {"\u0307": r"\dot", "\u0308": r"\ddot"}


def prose(text: str) -> str:
    """Write words; what stands in backticks becomes typewriter.

    >>> prose("`rod_x` and q̈ = 2 λ")
    '\\\\texttt{rod\\\\_x} and $\\\\ddot{q}$ = 2 $\\\\lambda$'
    """
    text = re.sub(r"([^\W\d_])([\u0307\u0308])", lambda m: f"\0{_ACCENTS[m[2]]}{{{_letter(m[1])}}}\0", text)
    pieces = text.split("\0")
    written = "".join(f"${p}$" if k % 2 else "".join(map(_character, p)) for k, p in enumerate(pieces))
    return re.sub(r"`([^`]*)`", r"\\texttt{\1}", written)


def math(text: str) -> str:
    """Put commands in place of letters that pdflatex does not read in formulas."""
    return "".join(c if c.isascii() else f"{_symbol(c) or _upright(c)} " for c in text)


def _upright(c: str) -> str:
    return f"\\mathrm{{{_plain(c)}}}"


def _character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if c.isascii() or ("\u00a0" <= c <= "\u017f" and c not in _SIGNS and c not in _RAISED):
        return c  # which the font has
    if c in "–—‘’“”":
        return {"–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''"}[c]
    symbol = _symbol(c)
    return f"${symbol}$" if symbol else _plain(c)


def _symbol(c: str) -> str | None:
    if c in _SIGNS:
        return _SIGNS[c]
    if c in _RAISED:
        return f"{{}}^{{{_RAISED[c]}}}"
    if c in _LOWERED:
        return f"{{}}_{{{_LOWERED[c]}}}"
    return _letter(c) if not c.isascii() and _letter(c) != c else None


def _letter(c: str) -> str:
    """Return the command of a Greek letter, any other as it is."""
    words = unicodedata.name(c, "").split()
    if words[:1] != ["GREEK"] or len(words) != 4 or words[2] != "LETTER":
        return c
    name = {"LAMDA": "lambda", "OMICRON": "o", "FINAL": "varsigma"}.get(words[3], words[3].lower())
    if words[1] == "SMALL":
        return name if name == "o" else f"\\{name}"
    upper = ("gamma", "delta", "theta", "lambda", "xi", "pi", "sigma", "upsilon", "phi", "psi", "omega")
    return f"\\{name.capitalize()}" if name in upper else f"\\mathrm{{{_LATIN.get(name, name[0].upper())}}}"


_LATIN = {"eta": "H", "rho": "P", "chi": "X"}


def _plain(c: str) -> str:
    """Return the nearest plain letters."""
    return unicodedata.normalize("NFKD", c).encode("ascii", "ignore").decode() or "?"
