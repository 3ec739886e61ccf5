"""dalembert: constrained mechanical systems, from the model to equations, reactions and motion."""

from dalembert.model.system import System
from dalembert.model.translate import coordinates, dot
