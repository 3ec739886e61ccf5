"""The methods by name; one file each."""

from dalembert.motion.method import Method
from dalembert.motion.methods.dop853 import DOP853
from dalembert.motion.methods.euler import EULER
from dalembert.motion.methods.radau import RADAU
from dalembert.motion.methods.rattle import RATTLE
from dalembert.motion.methods.rk4 import RK4

_ALL: tuple[Method, ...] = (DOP853, EULER, RK4, RADAU, RATTLE)
METHODS = {method.name: method for method in _ALL}
