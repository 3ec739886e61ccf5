"""Things that show themselves in a notebook: how, is written in `show/`, under the names of their classes."""

from __future__ import annotations


class ShownAsHTML:
    """Shows itself as a small page."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from dalembert.show import view

        return view(self)


class ShownAsMarkdown:
    """Shows itself as Markdown with formulas, which every notebook typesets."""

    __slots__ = ()

    def _repr_markdown_(self) -> str:
        from dalembert.show import view

        return view(self)
