"""The methods by name; each is in the file of its name, by its name in capital letters."""

from importlib import import_module

from dalembert.model.settings import METHOD_NAMES
from dalembert.motion.method import Method

METHODS: dict[str, Method] = {name: getattr(import_module(f"{__name__}.{name}"), name.upper()) for name in METHOD_NAMES}
