"""The writers for HTML: pages with a style sheet, where formulas are MathML, and what stands in a notebook.

A notebook that is not trusted drops style sheets and MathML, so styles stand at the elements there and formulas in a
line are plain HTML. There are no colours of text and background, so that it can be read on light and dark themes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from markupsafe import Markup

from dalembert.characters import escape
from dalembert.document import curve, inline, nodes
from dalembert.document.mathml import formula, math, matrix
from dalembert.document.nodes import ROWS, is_empty
from dalembert.document.palette import ANY
from dalembert.document.readable import is_readable, name_parts, written
from dalembert.document.symbols import mathml
from dalembert.language.building import Expr

_EQUATIONS = 9  # that stand open
_FOLDED = 120  # more of them, folded
_ENTRIES = 40  # of a matrix that is
_SENTENCE = 60  # letters of a cell that may be broken
_LINE = 60  # symbols and operations of a formula in a line of text
_TAGS = {"strong": "b", "name": "code"}
_PARAGRAPHS = {"faint": "aside", "bad": "alarm"}


def write_page(parts: Iterable[nodes.Block]) -> Markup:
    """Write the sections of a page; its classes are those of a style sheet."""
    return Markup("\n").join(_Page().block(part, 2) for part in parts)


def write_notebook(part: nodes.Block) -> str:
    """Write something as a notebook shows it, wherever it is opened."""
    return str(_Notebook().block(part, 1))


class _Page:
    """Writes for a page with a style sheet."""

    def element(self, tag: str, content: str, kind: str = "") -> Markup:
        return Markup(f'<{tag} class="{kind}">' if kind else f"<{tag}>") + content + Markup(f"</{tag}>")

    def block(self, part: nodes.Block, level: int) -> Markup:
        match part:
            case nodes.Section():
                return self.section(part, level)
            case nodes.Paragraph():
                return self.element("p", self.text(part.text, sentence=True), _PARAGRAPHS.get(part.tone, part.tone))
            case nodes.Note():
                return self.note(part)
            case nodes.Listing():
                return self.listing(part)
            case nodes.Table():
                return self.table(part)
            case nodes.Equations():
                return self.equations(part)
            case nodes.Matrix():
                return self.matrix(part)
            case nodes.Code():
                return self.element("pre", self.element("code", escape(part.text)))
            case nodes.Figure():
                return Markup(part.html)

    def parts(self, parts: Iterable[nodes.Block], level: int) -> Markup:
        return Markup("").join(self.block(part, level) for part in parts)

    def section(self, part: nodes.Section, level: int) -> Markup:
        title = self.text(part.title)
        if not is_empty(part.said):
            title += " " + self.element("span", self.text(part.said), "said")
        if part.fold:
            return self.folded(title, self.parts(part.parts, level + 1), part.fold)
        inner = self.heading(title, level, part.key if level > 2 else "") + self.parts(part.parts, level + 1)
        return Markup('<section id="{}">\n{}\n</section>').format(part.key, inner) if level == 2 else inner

    def heading(self, title: Markup, level: int, key: str) -> Markup:
        address = Markup(' id="{}"').format(key) if key else ""
        return Markup("<h{0}{1}>{2}</h{0}>").format(level, address, title)

    def folded(self, title: Markup, inner: Markup, how: str) -> Markup:
        attribute = {"open": " open", "paper": " data-print"}.get(how, "")
        return Markup(f"<details{attribute}>") + Markup("<summary>{}</summary>{}</details>").format(title, inner)

    def note(self, part: nodes.Note) -> Markup:
        words = self.text(part.text, sentence=True)
        return self.element("p", self.element("b", f"{part.kind}:", _kind(part.tone)) + " " + words, "note")

    def listing(self, part: nodes.Listing) -> Markup:
        if not part.items:
            return Markup("")
        items = [self.text(item, sentence=not part.short) for item in part.shown]
        if part.short:
            cells = Markup("").join(self.element("div", item) for item in items)
            title = self.heading(escape(part.title.capitalize()), 3, "") if part.title else Markup("")
            return title + self.element("div", cells, "grid")
        cells = Markup("").join(self.element("li", item) for item in items)
        return self.element("ul", cells, _PARAGRAPHS.get(part.tone, part.tone))

    # --- text ---------------------------------------------------------------------------------------------------------

    def text(self, text: nodes.Text, sentence: bool = False) -> Markup:
        match text:
            case str():
                return self.sentence(text) if sentence else escape(text)
            case nodes.Tone():
                return self.element(_TAGS.get(text.tone, "span"), self.text(text.text, sentence), _kind(text.tone))
            case nodes.Name():
                return self.name(text.text)
            case nodes.Number():
                return number(text)
            case nodes.Formula():
                return self.formula(text.expr, text.names)
            case nodes.Sparkline():
                return curve.drawn(text)
            case _:
                return Markup("").join(self.text(piece, sentence) for piece in text)

    def sentence(self, text: str) -> Markup:
        parts = text.split("`")
        if len(parts) % 2 == 0:
            return escape(text)
        pieces = (self.element("code", escape(part)) if k % 2 else escape(part) for k, part in enumerate(parts))
        return Markup("").join(pieces)

    def name(self, text: str) -> Markup:
        return Markup(math(mathml(text)))

    def formula(self, expr: Expr, names: Iterable[str] = ()) -> Markup:
        return Markup(written(expr))

    # --- tables and formulas ------------------------------------------------------------------------------------------

    def table(self, part: nodes.Table) -> Markup:
        if not part.rows:
            return Markup("")
        inner = self.element("tbody", Markup("").join(self.row("td", row, part.columns) for row in part.shown))
        if any(part.head):
            inner = self.element("thead", self.row("th", part.head, part.columns)) + inner
        return self.wide(self.element("table", inner)) + self.more(part.left_out)

    def row(self, tag: str, cells: Sequence[nodes.Text], kept: Mapping[int, bool]) -> Markup:
        made = []
        for k, is_right in kept.items():
            long = isinstance(cells[k], str) and len(str(cells[k])) > _SENTENCE
            made.append(self.element(tag, self.text(cells[k]), "number" if is_right else "sentence" if long else ""))
        return self.element("tr", Markup("").join(made))

    def wide(self, table: Markup) -> Markup:
        return self.element("div", table, "wide")

    def more(self, count: int, what: str = "") -> Markup:
        several = "s" * (count > 1 and bool(what))
        text = f"… and {count} more {what}".rstrip() + several
        return self.element("p", escape(text), "more") if count > 0 else Markup("")

    def equations(self, part: nodes.Equations) -> Markup:
        found, names = self.lines(part.rows[:_EQUATIONS], part.names)
        if not (rest := part.rows[_EQUATIONS:]):
            return found
        inner, _ = self.lines(rest[:_FOLDED], [*part.names, *names])
        title = escape(f"{len(rest)} more {part.what}".rstrip() + "s" * (len(rest) > 1 and bool(part.what)))
        return found + self.folded(title, inner + self.more(len(rest) - _FOLDED, part.what), "closed")

    def lines(self, rows: Sequence[nodes.Equation], taken: Collection[str]) -> tuple[Markup, Collection[str]]:
        """Write equations under each other, and what their long parts are called beneath; return these names too."""
        sides = [side for row in rows for side in (row.left, row.right) if not isinstance(side, str)]
        sides, named = name_parts(sides, taken)
        made = iter(sides)

        def side(of: Expr | str) -> Expr | str:
            return of if isinstance(of, str) else next(made)

        lines = [self.line(side(row.left), side(row.right), row) for row in rows]
        if named:
            lines.append(self.element("p", "where", "where"))
            lines += [self.line(name, expr) for name, expr in named.items()]
        return Markup("").join(lines), named

    def line(self, left: Expr | str, right: Expr | str, row: nodes.Equation | None = None) -> Markup:
        sides = [math(mathml(s)) if isinstance(s, str) else written(s) for s in (left, right)]
        inner = self.element("div", Markup(f"{sides[0]} {math('<mo>=</mo>')} {sides[1]}"))
        words = [escape(row.name), self.text(row.said, sentence=True)] if row else []
        label = self.element("span", Markup(", ").join(filter(None, words)), "name") if any(words) else ""
        return self.element("div", inner + label, "formula")

    def matrix(self, part: nodes.Matrix) -> Markup:
        entries = [entry for row in part.rows for entry in row]
        if any(isinstance(entry, str) for entry in entries) or not is_small(entries):
            return Markup("")
        cells = matrix([[formula(entry) for entry in row] for row in part.rows])
        said = self.element("span", escape(part.said), "name") if part.said else ""
        line = self.element("div", Markup(math(f"{mathml(part.name)}<mo>=</mo>{cells}"))) + said
        return self.element("div", line, "formula")


def is_small(entries: Sequence[Expr]) -> bool:
    """Tell whether the entries of a matrix can be read together."""
    return 0 < len(entries) <= _ENTRIES and is_readable([sum(entries[1:], entries[0])])


def number(value: nodes.Number) -> Markup:
    """Write a number for a reader: 1.5 · 10⁻⁷.

    >>> number(nodes.Number(1e-7))
    Markup('10<sup>−7</sup>')
    """
    mantissa, power = value.parts
    if not power:
        return Markup(mantissa)
    factor = {"1": "", "−1": "−"}.get(mantissa, f"{mantissa}&#8239;·&#8239;")
    return Markup(f"{factor}10<sup>{power}</sup>")


def _kind(tone: str) -> str:
    return "" if tone in _TAGS else tone


# --- notebooks --------------------------------------------------------------------------------------------------------

_CELL = "text-align:left;padding:.15em .8em .15em 0;vertical-align:middle;white-space:nowrap"
_STYLES = {  # by kind, or by element
    "div": "margin:.2em 0",
    "p": "margin:.2em 0",
    "table": "border-collapse:collapse;margin:.4em 0;color:inherit",
    "td": _CELL,
    "th": f"{_CELL};opacity:.7;font-weight:bold",
    "sentence": _CELL.replace("nowrap", "normal"),
    "number": _CELL.replace("left", "right"),
    "faint": "opacity:.7",
    "more": "margin:.2em 0;opacity:.7",
    "said": "opacity:.7",
    "whole": "margin:.2em 0;overflow-x:auto",
    **{tone: f"color:{ANY[tone]};font-weight:bold" for tone in ("good", "caution", "bad")},
}
_STYLES |= {"aside": _STYLES["more"], "alarm": f"margin:.2em 0;padding-left:.6em;border-left:3px solid {ANY['bad']}"}


class _Notebook(_Page):
    """Writes for a notebook."""

    def element(self, tag: str, content: str, kind: str = "") -> Markup:
        style = _STYLES.get(kind) or _STYLES.get(tag, "")
        return Markup(f'<{tag} style="{style}">' if style else f"<{tag}>") + content + Markup(f"</{tag}>")

    def section(self, part: nodes.Section, level: int) -> Markup:
        said = Markup("") if is_empty(part.said) else " " + self.beside(part.said)
        title = self.element("b", self.text(part.title)) + said
        if part.fold:
            return self.folded(self.text(part.title) + said, self.parts(part.parts, level + 1), part.fold)
        inner = self.element("div", title) + self.parts(part.parts, level + 1)
        return self.element("div", inner, "whole") if level == 1 else inner

    def beside(self, said: nodes.Text) -> Markup:
        return self.element("span", self.text(said), "said") if isinstance(said, str) else self.text(said)

    def listing(self, part: nodes.Listing) -> Markup:
        if not part.short or not part.items:
            return super().listing(part)
        title = self.element("span", escape(f"{part.title}: "), "faint") if part.title else Markup("")
        return self.element("div", title + Markup(", ").join(self.text(item) for item in part.shown))

    def wide(self, table: Markup) -> Markup:
        return table

    def name(self, text: str) -> Markup:
        return inline.plain(mathml(text))

    def formula(self, expr: Expr, names: Iterable[str] = ()) -> Markup:
        return inline.plain(written(expr, _LINE))

    def equations(self, part: nodes.Equations) -> Markup:

        def side(of: Expr | str) -> nodes.Text:
            return nodes.Name(of) if isinstance(of, str) else nodes.Formula(of, part.names)

        rows = [(row.name, (side(row.left), " = ", side(row.right)), row.said) for row in part.rows[: ROWS + 1]]
        return self.table(nodes.Table(rows, total=len(part.rows)))

    def matrix(self, part: nodes.Matrix) -> Markup:
        return Markup("")
