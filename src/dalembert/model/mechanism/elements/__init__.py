"""What pushes and pulls on the bodies of a mechanism; `base.py` says how to add a kind of it."""

from dalembert.model.mechanism.elements import spring, load  # isort: skip
from dalembert.model.mechanism.elements.base import ELEMENTS, Element, Site, element

__all__ = ["ELEMENTS", "Element", "Site", "element", "load", "spring"]
