"""Curves in the languages of kernels and exports: the data, and a search by halves for the piece."""

from __future__ import annotations

import struct

from dalembert.language.curves import Interpolant

LLVM, C, NUMPY = "llvm", "c", "numpy"
_ROW = 6  # numbers in a line
_FACTORS = ((1, 1, 1, 1), (0, 1, 2, 3), (0, 0, 2, 6), (0, 0, 0, 6))  # of the coefficients, in each derivative


def source(language: str, name: str, curve: Interpolant) -> str:
    """Write the functions of a curve in a language, under a name."""
    return {LLVM: _llvm, C: _c, NUMPY: _numpy}[language](name, curve)


def _llvm(name: str, curve: Interpolant) -> str:
    """Write `name.0`, `name.1`, …, the curve and its derivatives, as LLVM has them."""
    n = len(curve.breaks)
    breaks = ", ".join(f"double {literal(x)}" for x in curve.breaks.tolist())
    rows = [[base, *piece] for base, piece in zip(curve.base.tolist(), curve.pieces.tolist(), strict=True)]
    pieces = ", ".join(f"double {literal(x)}" for row in rows for x in row)
    lines = [
        f"@{name}.breaks = private unnamed_addr constant [{n} x double] [{breaks}]",
        f"@{name}.pieces = private unnamed_addr constant [{5 * (n + 1)} x double] [{pieces}]",
    ]
    for order in range(curve.order + 1):
        lines += [
            f"define internal double @{name}.{order}(double %u) {{",
            "start:",
            "  br label %look",
            "look:",
            "  %low = phi i64 [0, %start], [%low.next, %cut]",
            f"  %high = phi i64 [{n}, %start], [%high.next, %cut]",
            "  %open = icmp slt i64 %low, %high",
            "  br i1 %open, label %cut, label %found",
            "cut:",
            "  %sum = add i64 %low, %high",
            "  %middle = lshr i64 %sum, 1",
            f"  %p = getelementptr [{n} x double], ptr @{name}.breaks, i64 0, i64 %middle",
            "  %x = load double, ptr %p, align 8",
            "  %before = fcmp olt double %u, %x",
            "  %after = add i64 %middle, 1",
            "  %low.next = select i1 %before, i64 %low, i64 %after",
            "  %high.next = select i1 %before, i64 %middle, i64 %high",
            "  br label %look",
            "found:",
            "  %row = mul i64 %low, 5",
            f"  %a = getelementptr [{5 * (n + 1)} x double], ptr @{name}.pieces, i64 0, i64 %row",
            "  %base = load double, ptr %a, align 8",
            "  %s = fsub double %u, %base",
        ]
        found = "0.0"
        for k in range(3, order - 1, -1):  # by Horner's rule
            lines += [
                f"  %p{k} = getelementptr double, ptr %a, i64 {k + 1}",
                f"  %c{k} = load double, ptr %p{k}, align 8",
                f"  %d{k} = fmul double %c{k}, {float(_FACTORS[order][k])}",
                f"  %m{k} = fmul double %s, {found}",
                f"  %v{k} = fadd double %d{k}, %m{k}",
            ]
            found = f"%v{k}"
        lines += [f"  ret double {found}", "}"]
    return "\n".join(lines)


def _c(name: str, curve: Interpolant) -> str:
    """Write a function of C that takes the place and the order of the derivative."""
    breaks = _listed(curve.breaks.tolist())
    rows = zip(curve.base.tolist(), curve.pieces.tolist(), strict=True)
    pieces = ",\n".join(f"    {{{base!r}, {', '.join(map(repr, piece))}}}" for base, piece in rows)
    return f"""static double {name}(double u, int order) {{
  static const double breaks[] = {{
{breaks}
  }};
  static const double pieces[][5] = {{
{pieces}
  }};
  int low = 0, high = {len(curve.breaks)};
  while (low < high) {{
    const int middle = (low + high) / 2;
    if (u < breaks[middle]) high = middle;
    else low = middle + 1;
  }}
  const double *c = pieces[low], s = u - c[0];
  if (order == 0) return c[1] + s * (c[2] + s * (c[3] + s * c[4]));
  if (order == 1) return c[2] + s * (2.0 * c[3] + s * (3.0 * c[4]));
  if (order == 2) return 2.0 * c[3] + s * (6.0 * c[4]);
  return 6.0 * c[4];
}}"""


def _numpy(name: str, curve: Interpolant) -> str:
    """Write a function of NumPy, which JAX has too, of the place and the order of the derivative."""
    rows = [[base, *piece] for base, piece in zip(curve.base.tolist(), curve.pieces.tolist(), strict=True)]
    return f'''

_{name}_breaks = np.array([
{_listed(curve.breaks.tolist())},
])
_{name}_pieces = np.array([
{_listed([x for row in rows for x in row])},
]).reshape(-1, 5)


def _{name}(u, order):
    """Return a table, or a derivative of it."""
    base, a, b, c, d = np.moveaxis(_{name}_pieces[np.searchsorted(_{name}_breaks, u, side="right")], -1, 0)
    s = u - base
    values = (a + s * (b + s * (c + s * d)), b + s * (2 * c + s * (3 * d)), 2 * c + s * (6 * d), 6 * d + 0 * s)
    return values[order]
'''


def _listed(values: list[float]) -> str:
    return ",\n".join("    " + ", ".join(map(repr, values[k : k + _ROW])) for k in range(0, len(values), _ROW))


def literal(number: float) -> str:
    """Write a double exactly, as LLVM reads it."""
    return f"0x{struct.unpack('>Q', struct.pack('>d', number))[0]:016X}"
