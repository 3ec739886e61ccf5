"""Things that are shown: each says once what it consists of, and the writers do the rest.

`document()` returns that, `text()` writes it for a terminal or a file, and a notebook gets it as HTML; with
`TYPESET`, as Markdown with formulas in LaTeX, which every notebook typesets.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dalembert.document.nodes import Section


class Shown:
    """Shows itself on every screen."""

    __slots__ = ()
    TYPESET = False
    WHOLE = "`print` shows all of it"  # where a formula is shortened

    def document(self) -> Section:
        """Return what it consists of."""
        raise NotImplementedError

    def text(self, width: int | None = None) -> str:
        """Return it as text; with a width, in as many lines as that needs."""
        from dalembert.document.text import write_text

        return write_text(self.document(), width)

    def _brief(self) -> Section:
        """Return what a page shows of it, where a person reads."""
        return self.document()

    def _repr_html_(self) -> str | None:
        from dalembert.document.html import write_notebook

        return None if self.TYPESET else write_notebook(self._brief())

    def _repr_markdown_(self) -> str | None:
        from dalembert.document.markdown import write_markdown

        return write_markdown(self._brief(), self.WHOLE) if self.TYPESET else None


class Printed(Shown):
    """Prints as its text, too."""

    __slots__ = ()

    def __str__(self) -> str:
        return self.text()

    def __repr__(self) -> str:
        return self.text()
