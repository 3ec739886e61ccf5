"""The forms of the equations of motion, one file each; `base.py` says what a form is and how to add one."""

from dalembert.forms import multipliers, minimal, explicit, canonical, independent, reactions, quasi  # isort: skip
from dalembert.forms.base import FORMS, Form, register

__all__ = [
    "FORMS",
    "Form",
    "canonical",
    "explicit",
    "independent",
    "minimal",
    "multipliers",
    "quasi",
    "reactions",
    "register",
]
