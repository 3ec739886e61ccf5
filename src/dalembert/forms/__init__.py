"""The forms of the equations of motion, one file each; `base.py` says what a form is and how to add one."""

from importlib import import_module

from dalembert.forms.base import FORMS, Form, register
from dalembert.model.settings import FORM_NAMES

__all__ = ["FORMS", "Form", "register"]

for _name in FORM_NAMES:
    import_module(f"{__name__}.{_name}")  # which registers it
