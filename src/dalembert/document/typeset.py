"""Words and names as LaTeX takes them, whatever they are called."""

from __future__ import annotations

import re
import unicodedata

from dalembert.document.symbol_parts import GREEK, Symbol

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}
_SIGNS = {"−": "-", "·": r"\cdot", "×": r"\times", "≤": r"\le", "≥": r"\ge", "≠": r"\ne", "∂": r"\partial"}
_SIGNS |= {"±": r"\pm", "″": "''"}
_SIGNS |= {"∗": r"\ast", "→": r"\to", "′": "'", "∞": r"\infty", "√": r"\surd", "…": r"\dots", "°": r"{}^\circ"}
_RAISED = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ⁻ᵏ", "0123456789T-k", strict=True))
_LOWERED = dict(zip("₀₁₂₃₄₅₆₇₈₉ᵢⱼₖ", "0123456789ijk", strict=True))
_ACCENTS = {"\u0307": r"\dot", "\u0308": r"\ddot"}
_PRIMES = {"\u0307": "'", "\u0308": "''"}
_DOTS = {1: r"\dot", 2: r"\ddot", 3: r"\dddot", 4: r"\ddddot"}
_LATIN = {"eta": "H", "rho": "P", "chi": "X"}
_SPELT = {"ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "đ": "d", "ð": "d", "ł": "l", "þ": "th", "ı": "i", "ŋ": "ng"}
_SPELT |= {letter.upper(): plain.capitalize() for letter, plain in _SPELT.items() if len(letter.upper()) == 1}
_NUMERAL = re.compile(r"\d+\.\d+")
_TICK = "\x01"  # a backtick of the text; others begin a quotation
_FONT = "¿¡§£"  # signs that every font has, beside accented letters


# --- words ------------------------------------------------------------------------------------------------------------


def prose(text: str, code: bool = True) -> str:
    """Write words; what stands in backticks becomes typewriter, in code.

    >>> prose("`rod_x` and q̈ = ½ λ")
    '\\\\texttt{rod\\\\_x} and $\\\\ddot{q}$ = $\\\\tfrac{1}{2}$ $\\\\lambda$'
    """
    text = re.sub(r"([^\W\d_])([\u0307\u0308])", lambda m: f"\0{_ACCENTS[m[2]]}{{{_letter(m[1])}}}\0", text)
    text = re.sub("([α-ωΑ-Ω])\u0302", lambda m: rf"\0\hat{{{_letter(m[1])}}}\0".replace(r"\0", "\0"), text)
    pieces = unicodedata.normalize("NFC", text).replace("`", _TICK).split("\0")
    written = "".join(f"${p}$" if k % 2 else "".join(map(_character, p)) for k, p in enumerate(pieces))
    if code:
        written = re.sub(f"{_TICK}([^{_TICK}]*){_TICK}", r"\\texttt{\1}", written)
    return written.replace(_TICK, r"\textasciigrave{}")


def _character(c: str) -> str:
    if c in _SPECIAL:
        return _SPECIAL[c]
    if (c.isascii() and c.isprintable()) or c == _TICK or c in _FONT or _is_written(c):
        return c
    if c in "–—‘’“”":
        return {"–": "--", "—": "---", "‘": "`", "’": "'", "“": "``", "”": "''"}[c]
    symbol = _symbol(c)
    return f"${symbol}$" if symbol else _plain(c)


def _is_written(c: str) -> bool:
    """Tell whether it is a letter beyond ASCII that the font has."""
    return c in _SPELT or _is_accented(c)


def _is_accented(c: str) -> bool:
    return "\u00c0" <= c <= "\u017f" and unicodedata.decomposition(c)[:1] not in ("", "<")


# --- names ------------------------------------------------------------------------------------------------------------


def name(text: str) -> str:
    """Write the name of a quantity: Greek letters by their commands, one subscript, dots above the letter or word.

    >>> name("theta1''"), name("lambda_A_x"), name("th1'"), name("_a")
    ('\\\\ddot{\\\\theta}_{1}', '\\\\lambda_{A,x}', '\\\\dot{\\\\mathrm{th}}_{1}', '\\\\mathrm{\\\\_a}')
    """
    text = re.sub("[\u0307\u0308]$", lambda found: _PRIMES[found[0]], text)
    plain = text.rstrip("'")
    if set(re.findall(r"\\([A-Za-z]+)", plain)) - GREEK.keys():  # LaTeX of the user's own
        base, _, index = plain.partition("_")
        return _dotted(base, len(text) - len(plain)) + (f"_{{{index}}}" if index else "")
    symbol = Symbol.read(re.sub(r"[\\{}$ ]", "", text))
    index = ",".join(map(_word, symbol.indices))
    return _dotted(_word(symbol.letter), symbol.dots) + (f"_{{{index}}}" if index else "")


def _dotted(base: str, dots: int) -> str:
    if dots in _DOTS:
        return f"{_DOTS[dots]}{{{base}}}"
    return f"{base}^{{({dots})}}" if dots else base


def _word(text: str) -> str:
    """Write a letter, a number or a word; accented letters are those of the text, which formulas do not have."""
    if len(text) == 1 and text.isalnum() and not _is_written(text):
        return _letter(text)
    if text.isascii() and (text.isdigit() or _NUMERAL.fullmatch(text)):
        return text
    accented = all(_is_written(c) or (c.isascii() and c.isalnum()) for c in text) and not text.isascii()
    return f"\\text{{{text}}}" if accented else upright(text)


def upright(text: str) -> str:
    """Write a word inside of a formula."""
    return f"\\mathrm{{{''.join(_IN_FORMULAS.get(c, c) for c in text)}}}"


_IN_FORMULAS = {"\\": r"\backslash{}", "~": r"\sim{}", "^": r"\wedge{}", " ": r"\ ", **{c: f"\\{c}" for c in "&%$#_{}"}}


# --- letters ----------------------------------------------------------------------------------------------------------


def power(mantissa: str, exponent: str) -> str:
    """Write a number that may be multiplied by a power of ten.

    >>> power("−2.5", "7"), power("1", "−3")
    ('-2.5 \\\\cdot 10^{7}', '10^{-3}')
    """
    mantissa, exponent = mantissa.replace("−", "-"), exponent.replace("−", "-")
    if not exponent:
        return mantissa
    return {"1": "", "-1": "-"}.get(mantissa, f"{mantissa} \\cdot ") + f"10^{{{exponent}}}"


def math(text: str) -> str:
    """Put commands in place of letters that pdflatex does not read in formulas, except in words of the text."""
    pieces = re.split(r"(\\text\{[^{}]*\})", text)
    return "".join(
        piece if k % 2 else "".join(c if c.isascii() else f"{_symbol(c) or _upright(c)} " for c in piece)
        for k, piece in enumerate(pieces)
    )


def _upright(c: str) -> str:
    return f"\\mathrm{{{_plain(c)}}}"


def _symbol(c: str) -> str | None:
    if c in _SIGNS:
        return _SIGNS[c]
    if c in _RAISED:
        return f"{{}}^{{{_RAISED[c]}}}"
    if c in _LOWERED:
        return f"{{}}_{{{_LOWERED[c]}}}"
    if unicodedata.decomposition(c).startswith("<fraction>"):
        above, _, below = unicodedata.normalize("NFKD", c).partition("\u2044")
        return rf"\tfrac{{{above}}}{{{below}}}"
    letter, *marks = unicodedata.normalize("NFD", c)
    if len(marks) == 1 and marks[0] in _ACCENTS:  # one character in Unicode, as the rate of b is, but not that of q
        return f"{_ACCENTS[marks[0]]}{{{_letter(letter)}}}"
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


def _plain(c: str) -> str:
    """Return the nearest plain letters; of other scripts the last word of what the letter is called.

    >>> _plain("é"), _plain("ф"), _plain("角")
    ('e', 'ef', '89D2')
    """
    plain = _SPELT.get(c) or unicodedata.normalize("NFKD", c).encode("ascii", "ignore").decode()
    if plain.strip() or unicodedata.category(c)[0] in "CMZ":
        return plain
    words = re.split(r"[\s-]", unicodedata.name(c, "?"))
    return words[-1] if "CJK" in words[0] else words[-1].lower()
