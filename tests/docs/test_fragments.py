"""Entries of model files that stand between the words of a page work where the page says that they do.

Each is put at the place of @ into a small model, whose motion must pass its certificate. A fragment that a page gains
fails until it has a model here.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

from dalembert import loads

DOCS = Path(__file__).parents[2] / "docs"

TURNING = """format = 1
bodies.arm = {mass = 1.3, inertia = 0.12, at = [0.35, 0]}
joints.A = {kind = "revolute", bodies = ["ground", "arm"], at = [0, 0]}
"""
SLIDING = """format = 1
bodies.block = {mass = 1.3, at = [0.35, 0]}
joints.A = {kind = "prismatic", bodies = ["ground", "block"], at = [0, 0], axis = [1, 0]}
"""
PULLEY = """format = 1
bodies.pulley = {mass = 0.4, inertia = 0.002, at = [0, 1]}
bodies.left = {mass = 1.2, inertia = 0.1, at = [-0.1, 0]}
bodies.right = {mass = 1.5, inertia = 0.1, at = [0.1, 0]}
joints.axle = {kind = "revolute", bodies = ["ground", "pulley"], at = [0, 1]}
"""
DRIVE = "drives.motor = {joint = 'A', @}"
SPRING = (
    "springs.s = {bodies = ['ground', 'arm'], at = [[0.5, 0.4], [0.7, 0]], @}\nparameters = {k = 80, l0 = 0.3, d = 0.7}"
)
ROPE = "joints.rope = {kind = 'rope', bodies = ['%s', '%s'], points = [[0, 0], [0, 0]], @}"
OVER = 'over = [{body = "pulley", point = [0, 0], radius = 0.1, side = "left"}]'
WHEELS = """format = 1
bodies.pinion = {mass = 0.4, inertia = 0.002, at = [0.2, 0]}
bodies.ring = {mass = 1.2, inertia = 0.1}
joints.a = {kind = "revolute", bodies = ["ground", "pinion"], at = [0.2, 0]}
joints.b = {kind = "revolute", bodies = ["ground", "ring"], at = [0, 0]}
joints.mesh = {kind = "gear", bodies = ["pinion", "ring"], teeth = [20, 60], @}
loads.hand = {body = "pinion", torque = 0.3}
"""
SPACE = """format = 1
mechanism.dimensions = 3
bodies.arm = {mass = 1.3, inertia = [0.1, 0.2, 0.15], at = [0.35, 0, 0], rotation = @}
joints.A = {kind = "spherical", bodies = ["ground", "arm"], at = [0, 0, 0]}
"""

LOADED = """format = 1
coordinates = ["phi"]
parameters = {l = 1.5, F = 2, M = 0.1}
initial = {phi = 0.1, "phi'" = 0}
define = {x1 = "l*sin(phi)", y1 = "-l*cos(phi)"}
energy = {kinetic = "phi'^2"}
[loads.wind]
@
"""

CONTROLLED = """format = 1
coordinates = ["x"]
parameters = {k = 2}
energy = {kinetic = "x'^2/2"}
initial = {x = 0.3, "x'" = 0}
[controls.u]
@
"""
ROLLED = """format = 1
coordinates = ["x", "phi"]
energy = {kinetic = "x'^2/2 + phi'^2/5", potential = "x^2"}
constraints = {rolling = "x' = 0.3*phi'"}
initial = {x = 0.2, phi = 0, "x'" = 0}
simulate = {method = "rk4", step = 0.001, keep = "stabilise", gains = @}
"""
STRING = """format = 1
bodies.bob = {kind = "particle", mass = 0.3, at = [0.2, -0.3]}
[joints.A]
kind = "rod"
bodies = ["ground", "bob"]
points = [[0, 0], [0, 0]]
@
"""
TOUCHING = """format = 1
bodies.disk = {mass = 1.1, inertia = 0.02, at = [0.2, 1.3]}
contacts.c = {bodies = ["ground", "disk"], radius = 0.1, against = @}
"""
SOLID = (
    TOUCHING.replace("0.02, at = [0.2, 1.3]", "[0.02, 0.02, 0.02], at = [0, 0.2, 1.3]") + "mechanism.dimensions = 3\n"
)
FRAGMENTS = {
    "cookbook/slack-rope.md": {"slack = true": STRING},
    "howto/contacts.md": {
        '{kind = "line", axis = [1, 0]}': TOUCHING,
        '{kind = "circle", radius = 1}': TOUCHING,
        '{kind = "plane", axis = [0, 0, 1]}': SOLID,
        "inside = true": TOUCHING.replace("@", '{kind = "circle", radius = 1.5, @}'),
    },
    "motion.md": {"gains = { kappa = -5 }": ROLLED.replace("gains = @", "@")},
    "howto/friction.md": {
        'share = "least norm"': """format = 1
coordinates = ["x", "y"]
energy = {kinetic = "x'^2 + y'^2", potential = "20*y"}
constraints = {floor = "y = 0", again = "2*y = 0"}
initial = {x = 0, "x'" = 3}
[friction.f]
constraint = "floor"
slip = "x'"
coefficient = 0.1
@
"""
    },
    "states.md": {
        'e = "A.angle - 0.3"': TURNING + "actuators.m = {joint = 'A', torque = '-e'}\n[states]\n@\n",
        'i = "(V - R*i - k*A.angle\')/L"': TURNING + """parameters = {V = 6, R = 1.5, k = 0.2, L = 0.05}
actuators.m = {joint = "A", torque = "k*i"}
[states]
@
""",
        "velocities = {z = 0}": """format = 1
coordinates = ["x"]
states = {z = "1"}
energy = {kinetic = "x'^2/2"}
initial = {"x'" = 1}
[events.full]
when = "z = 0.2"
@
""",
    },
    "model-files.md": {
        "{ kappa = -5 }": ROLLED,
        "z = \"x' - z*abs(x')/G\"": """format = 1
coordinates = ["x"]
parameters = {G = 0.1}
energy = {kinetic = "x'^2/2", potential = "2*x^2"}
forces = {x = "-z"}
initial = {x = 0.3}
[states]
@
""",
        'acts = {x = "1"}': CONTROLLED + "law = '-x'",
        'law = "-k*x"': CONTROLLED + "acts = {x = 1}",
        'joint = "A"': TURNING + "\n[controls.u]\nlaw = 'A.angle'\n@",
        'mass = [["m", 0], [0, "J"]]': """format = 1
coordinates = ["x", "phi"]
parameters = {m = 1.5, J = 0.2}
initial = {x = 0.1, phi = 0.3, "x'" = 0, "phi'" = 0}
[matrices]
@
force = ["-3*x", "-phi"]
""",
        'at = ["x1", "y1"]': LOADED + 'force = ["F", 0]\n',
        'force = ["F", 0]': LOADED + 'at = ["x1", "y1"]\n',
        'angle = "phi"': LOADED + 'moment = "M"\n',
        'moment = "M"': LOADED + 'angle = "phi"\n',
        'x1 = "l*sin(a)"': """format = 1
coordinates = ["a"]
parameters = {l = 1.5}
initial = {a = 0.1, "a'" = 0.3}
[define]
@
[energy]
kinetic = "x1'^2/2 + a'^2"
""",
    },
    "animation.md": {
        'C = ["x", "y"]': """format = 1
coordinates = ["x", "y"]
energy = {kinetic = "x'^2 + y'^2", potential = "9.81*y"}
constraints = {ring = "x^2 + y^2 = 0.3"}
initial = {x = 0.2}
guess = {y = -0.5}
[draw.points]
@
""",
    },
    "howto/drive.md": {
        'angle = "2*pi*t"': TURNING + DRIVE,
        'distance = "0.1*sin(3*t)"': SLIDING + DRIVE,
        'speed = "5*min(t, 1)"': TURNING + DRIVE,
        "angle = {t = [0, 1, 2], value = [0, 0.5, 0.3]}": TURNING + DRIVE,
    },
    "coordinates.md": {
        'coordinates = {angle = "alpha", distance = "s"}': """format = 1
mechanism = {coordinates = "joints"}
bodies.plate = {mass = 1.3, inertia = 0.12, at = [0.35, 0]}
joints.A = {kind = "slot", bodies = ["ground", "plate"], at = [0.2, 0], axis = [1, 0.1], @}
""",
        "eliminate = true": """format = 1
mechanism = {coordinates = "joints"}
bodies.upper = {mass = 1.3, inertia = 0.12, at = [0.35, 0]}
bodies.lower = {mass = 0.8, inertia = 0.1, at = [1, 0]}
joints.A = {kind = "revolute", bodies = ["ground", "upper"], at = [0, 0]}
joints.B = {kind = "revolute", bodies = ["upper", "lower"], at = [0.7, 0]}
drives.motor = {joint = "A", angle = "0.4*sin(2*t)", @}
""",
        'tree = ["A", "B"]': """format = 1
mechanism = {coordinates = "joints", @}
bodies.upper = {mass = 1.3, inertia = 0.12, at = [0.35, 0]}
bodies.lower = {mass = 0.8, inertia = 0.1, at = [1, 0]}
joints.A = {kind = "revolute", bodies = ["ground", "upper"], at = [0, 0]}
joints.B = {kind = "revolute", bodies = ["upper", "lower"], at = [0.7, 0]}
""",
    },
    "mechanisms.md": {
        "slack = true": STRING,
        "gravity = [0, -9810]": TURNING.replace("0.35", "350").replace("0.12", "1.2e5") + "mechanism = {@}",
        'chain = "44*phi_front = 16*phi_rear"': """format = 1
bodies.front = {mass = 0.9, inertia = 0.0061}
bodies.rear = {mass = 1.9, inertia = 0.11, at = [-0.43, 0]}
joints.a = {kind = "revolute", bodies = ["ground", "front"], at = [0, 0]}
joints.b = {kind = "revolute", bodies = ["ground", "rear"], at = [-0.43, 0]}
loads.legs = {body = "front", torque = -35}
[constraints]
@
""",
        'angle = "2*pi*t"': TURNING + DRIVE,
        "angle = {t = [0, 1, 2], value = [0, 0.5, 0.3]}": TURNING + DRIVE,
        'force = "k*(length - l0)^3 + d*rate"': TURNING + SPRING,
        'force = "-mu*abs(D.normal)*sign(rate)"': """format = 1
bodies.block = {mass = 1.3, at = [0.35, 0], velocity = [40, 0]}
joints.D = {kind = "prismatic", bodies = ["ground", "block"], at = [0, 0], axis = [1, 0]}
actuators.brake = {joint = "D", @}
parameters = {mu = 0.2}
""",
        'kind = "torsion"': TURNING + "springs.s = {bodies = ['ground', 'arm'], stiffness = 7, @}",
        'frame = "world"': TURNING + "loads.wind = {body = 'arm', force = [1.5, 0], @}",
        "internal = true": WHEELS,
        OVER: PULLEY + ROPE % ("right", "left"),
        "grip = true": PULLEY + (ROPE % ("right", "left")).replace("@", f"@, {OVER}"),
        'coordinate = "angle"': """format = 1
bodies.wheel = {mass = 1.1, inertia = 0.02, at = [0, 0.2]}
joints.road = {kind = "rolling", bodies = ["ground", "wheel"], points = [[0, 0], [0, 0]], axis = [1, 0], radius = 0.2}
springs.s = {joint = "road", stiffness = 3, @}
initial = {"phi_wheel'" = 2}
""",
        '"top.spin_z" = 30': """format = 1
mechanism = {dimensions = 3}
bodies.top = {mass = 0.3, inertia = [0.002, 0.002, 0.001], at = [0, 0.05, 0.09]}
joints.tip = {kind = "spherical", bodies = ["ground", "top"], at = [0, 0, 0]}
[initial]
@
""",
        '{axis = [0, 0, 1], angle = "pi/3"}': SPACE,
        "{P = [0.5, 0]}": TURNING.replace("at = [0.35, 0]}", "at = [0.35, 0], points = @}") + "loads.w = {body = 'arm', point = 'P', force = [0, 2]}",
    },
}  # fmt: skip


def fragments(page: str) -> set[str]:
    """Return the entries of model files between the words of a page, those that are whole."""
    words = re.sub(r"^ *```.*?^ *```$", "", page, flags=re.DOTALL | re.MULTILINE)
    found = set()
    for text in re.findall(r"`([^`\n]+)`", words):
        try:
            tomllib.loads(f"entry = {text}" if text.startswith("{") else text)
        except tomllib.TOMLDecodeError:
            continue
        if " = " in text and "…" not in text:  # without blanks it is an argument in Python
            found.add(text)
    return found


def test_every_fragment_has_a_model():
    pages = {
        path.relative_to(DOCS).as_posix(): fragments(path.read_text(encoding="utf-8")) for path in DOCS.rglob("*.md")
    }
    pages["extending.md"].remove('kind = "pin_on_circle"')  # tried in the page itself
    assert {page: found for page, found in pages.items() if found} == {
        page: set(used) for page, used in FRAGMENTS.items()
    }


@pytest.mark.parametrize(
    ("page", "fragment"), [(page, fragment) for page, used in FRAGMENTS.items() for fragment in used]
)
def test_fragment_works(page, fragment):
    run = loads(FRAGMENTS[page][fragment].replace("@", fragment)).simulate(0.3, samples=10)
    assert (run.status, run.certificate.ok) == ("done", True), f"{page}: {fragment}\n{run.certificate}"
