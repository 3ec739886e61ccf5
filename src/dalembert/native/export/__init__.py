"""The equations of a system for other programs: C, NumPy and JAX from the tapes of the native code, and LaTeX."""

from __future__ import annotations

import importlib
from pathlib import Path

from dalembert.arguments import choice, shown
from dalembert.errors import DerivationError, ModelError, nearest, quoted
from dalembert.files import as_path, check_place, write_text
from dalembert.forms import FORMS
from dalembert.model.sections.functions import refuse_open
from dalembert.model.system import System

_SUFFIXES = {"c": ".c", "numpy": ".py", "jax": ".py", "latex": ".tex"}
_WRITERS = {"c": "native.export.c", "numpy": "native.export.numpy", "jax": "native.export.jax"}
_WRITERS |= {"latex": "forms.article"}


def export(system: System, path: str | Path, to: str, form: str = "multipliers") -> list[Path]:
    """Write the equations of a system to a file, of C with its header beside it; return the files."""
    path = check(path, to, form)
    if system.contacts:
        text = f"the equations with contacts, here {quoted(system.contacts)}, are those of a motion, with its impacts"
        raise ModelError(f"{text}, and are not exported. Take [contacts] away, as in replace(contacts=None)")
    if to != "latex":
        refuse_open(system)
    files = importlib.import_module(f"dalembert.{_WRITERS[to]}").files(system, path, form)
    for file, text in files.items():
        write_text(file, text)
    return list(files)


def check(path: str | Path, to: str, form: str) -> Path:
    """Refuse what cannot be written, before anything is derived; return the path with its ending."""
    if not isinstance(to, str) or to not in _SUFFIXES:
        known = f"equations are exported to {', '.join(_SUFFIXES)}"
        raise ModelError(f"{known}; {nearest(to, list(_SUFFIXES)) if isinstance(to, str) else 'got ' + shown(to)}")
    choice(form, list(FORMS), "form", "forms", DerivationError)
    path, suffix = as_path(path), _SUFFIXES[to]
    check_place(path)
    if not path.suffix:
        path = path.with_suffix(suffix)
    if path.suffix != suffix:
        raise ModelError(f"{to} is written to a file *{suffix}, got {str(path)!r}")
    return path
