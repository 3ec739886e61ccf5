"""sin² + cos² = 1 is used, and what is equal by it is written in one way."""

from __future__ import annotations

import re

import symengine as se

from dalembert import System
from dalembert.algebra.writing.pythagoras import completed

a, b, m, n = se.symbols("a b m n")


def test_what_it_completes():
    s, c = se.sin(a), se.cos(a)
    assert completed(s**2 - 1) == -(c**2)
    assert completed(m - m * c**2 + n) == n + m * s**2
    assert completed(b / (2 * m * n - 2 * m * n * s**2 + b * (1 - c**2))) == b / (2 * m * n * c**2 + b * s**2)
    assert completed(m - n * c**2) == m - n * c**2 and completed(1 + c**2) == 1 + c**2


def test_a_crane_of_two_hooks():
    """The matrix of H and the determinant beside it have mh sin² a + mt, and not mh + mt − mh cos² a."""
    crane = System(
        "x a b",
        kinetic="mt*x'^2/2 + mh*(xh'^2 + yh'^2)/2 + ml*(xl'^2 + yl'^2)/2",
        define={"xh": "x + l1*sin(a)", "yh": "-l1*cos(a)", "xl": "xh + l2*sin(b)", "yl": "yh - l2*cos(b)"},
        parameters={"mt": 1500, "mh": 50, "ml": 2000, "l1": 6.5, "l2": 1.2},
    )
    text = str(crane.derive("canonical"))
    assert "mh*sin(a)^2" in text and not re.search(r"mh\*cos\(a\)\^2", text)


def test_a_trailer_in_quasi_velocities():
    trailer = System(
        "x y th ps",
        kinetic="m*(x'^2 + y'^2)/2 + J*th'^2/2 + mt*(xt'^2 + yt'^2)/2 + Jt*ps'^2/2",
        define={"xt": "x - L*cos(ps)", "yt": "y - L*sin(ps)"},
        parameters={"m": 1200, "J": 1500, "mt": 400, "Jt": 300, "L": 3},
        constraints={"car": "x'*sin(th) = y'*cos(th)", "trailer": "xt'*sin(ps) = yt'*cos(ps)"},
        velocities={"v": "x'*cos(th) + y'*sin(th)", "w": "th'"},
        initial={"x'": 5, "th'": 0.4, "ps": 0.3},
    )
    text = str(trailer.derive("quasi"))
    assert not re.search(r"1 - \w+(\([^()]*\))?\^2|\^2 - 1\b", text)
