"""How models and results show themselves in a notebook: `_repr_html_` and `_repr_markdown_` are written here.

HTML is plain (tables, no style sheet, no script), takes its colours from the notebook, and shows the same where a
notebook is only looked at; formulas in a line are HTML too. Equations, matrices and long formulas are Markdown with
LaTeX, which every notebook typesets.
"""
