"""The groups of kernels, one file each; `base.py` says what a group is and how to add one."""

from dalembert.native.groups import (
    core,
    dependent,
    direct,
    implicit,
    numbers,
    objective,
    pivots,
    stabilised,
    symplectic,
)
from dalembert.native.groups.base import GROUPS, Group, register
from dalembert.native.groups.form import FormGroup

__all__ = [
    "GROUPS",
    "Group",
    "core",
    "dependent",
    "direct",
    "find",
    "implicit",
    "numbers",
    "objective",
    "pivots",
    "register",
    "stabilised",
    "symplectic",
]


def find(name: str) -> Group:
    """Return a group by its name; a form of the equations is one too."""
    return GROUPS.get(name) or FormGroup(name)
