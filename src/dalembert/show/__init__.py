"""How models and results show themselves in a notebook: what `_repr_html_` and `_repr_markdown_` return.

HTML is plain (tables, no style sheet, no script), takes its colours from the notebook, and shows the same where a
notebook is only looked at; formulas in a line are HTML too. Equations, matrices and long formulas are Markdown with
LaTeX, which every notebook typesets.
"""

from __future__ import annotations

import importlib

_VIEWS = {  # class -> where its view is written
    "System": "model.system_html",
    "Mechanism": "model.mechanism_html",
    "Constraint": "model.constraint_html",
    "Check": "model.check_html",
    "State": "model.state_html",
    "Mobility": "model.mobility_html",
    "Kinematics": "motion.kinematics_html",
    "Transmission": "motion.transmission_html",
    "JointForce": "motion.joint_force_html",
    "Certificate": "motion.certificate_html",
    "Run": "motion.run_html",
    "Blocks": "equations.blocks_markdown",
    "Derivation": "equations.derivation_markdown",
    "Release": "equations.release_markdown",
}


def view(thing: object) -> str:
    """Return how something shows itself; a kind of something shows itself as that."""
    kind = next(kind.__name__ for kind in type(thing).__mro__ if kind.__name__ in _VIEWS)
    module, name = _VIEWS[kind].split(".")
    return getattr(importlib.import_module(f"{__name__}.{module}"), name)(thing)
