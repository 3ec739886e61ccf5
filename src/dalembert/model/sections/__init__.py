"""Tables of the model file, one in each file here; `base.py` says how to add one."""

from dalembert.model.sections import dissipation
from dalembert.model.sections.base import SECTIONS, ModelTable, model_table

__all__ = ["SECTIONS", "ModelTable", "dissipation", "model_table"]
