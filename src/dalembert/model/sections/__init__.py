"""Tables of the model file, one in each file here; `base.py` says how to add one."""

from dalembert.model.sections import tables, functions, velocities  # isort: skip
from dalembert.model.sections import (  # in the order in which names become known
    contacts,
    controls,
    define,
    dissipation,
    friction,
    loads,
    outputs,
    programme,
    states,
)

from dalembert.model.sections import events  # isort: skip
from dalembert.model.sections.base import SECTIONS, ModelTable, model_table

__all__ = [
    "SECTIONS",
    "ModelTable",
    "contacts",
    "controls",
    "define",
    "dissipation",
    "events",
    "friction",
    "functions",
    "loads",
    "model_table",
    "outputs",
    "programme",
    "states",
    "tables",
    "velocities",
]
