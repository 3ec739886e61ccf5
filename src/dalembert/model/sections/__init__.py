"""Tables of the model file, one in each file here; `base.py` says how to add one."""

from dalembert.model.sections import define, dissipation, loads, outputs  # in the order in which names become known
from dalembert.model.sections.base import SECTIONS, ModelTable, model_table

__all__ = ["SECTIONS", "ModelTable", "define", "dissipation", "loads", "model_table", "outputs"]
