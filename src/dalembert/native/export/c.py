"""C99 with a header: functions of t, q, v and the parameters, without global state and without allocation."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from pathlib import Path

from dalembert.errors import ModelError
from dalembert.forms import FORMS
from dalembert.model.system import System
from dalembert.native.codegen import Kernel
from dalembert.native.csource import literal, local, to_c
from dalembert.native.export.foreign_names import identifier, identifiers, listed, origin, states, title
from dalembert.native.export.modules import module_of

_STATE = ("double t", "const double *q", "const double *v", "const double *parameters")
_NOT_INCLUDED = re.compile(r"[\"\\\x00-\x1f\x7f]|\?\?")
_NEWTON = 20  # steps of a projection, at most


def files(system: System, path: Path, form: str) -> dict[Path, str]:
    """Return the source and its header."""
    if _NOT_INCLUDED.search(path.name):
        what = "C cannot include a header whose name holds quotes, backslashes, ?? or characters that cannot be seen"
        raise ModelError(f"{what}, and this one is named after {path.name!r}; choose another name")
    library = _Library(system, path.stem, form)
    return {path: library.source(path.with_suffix(".h").name), path.with_suffix(".h"): library.header()}


@dataclass(frozen=True)
class _CFunction:
    """One function of the header: what it gives, its arguments between the state and the workspace, its statements."""

    name: str
    words: str
    given: tuple[str, ...]
    results: tuple[str, ...]
    body: tuple[str, ...]


class _Library:
    def __init__(self, system: System, stem: str, form: str):
        self.system, self.form, self.beside = system, form, FORMS[form].beside
        self.name = identifier(stem)
        self.macro = self.name.upper()
        self.n, self.s, self.p = len(system.coordinates), len(system.constraints), len(system.parameters)
        module = module_of(system, form)
        self.kernels: dict[str, Kernel] = module.kernels
        self.count = module.facts.get("count", self.n)  # of what stands beside q in the state
        self.code, layout = to_c(list(module.routines.values()), module.kernels.values(), module.rolled, static=True)
        self.inputs = 1 + 2 * self.n + self.p
        self.outputs = max(kernel.outputs for kernel in module.kernels.values())
        self.work = self.inputs + self.outputs + layout.size
        self.functions = list(self._functions())

    # --- what is there -----------------------------------------------------------------------------------------------

    def _functions(self):
        n, s, main = self.n, self.s, self.form
        if FORMS[main].shared:
            yield self._plain(
                "accelerations",
                "Accelerations a and multipliers lambda (which may be NULL). Redundant constraints are fine: of these\n"
                "the multipliers are those of least norm. M must be positive definite, else 1 is returned.",
                {"a": (0, n), "lambda": (n, s)},
                status=f"out[{n + s + 2}] > 0.0 && all_finite(out, {n + s})",
            )
        elif self.beside == "u":
            yield self._plain(
                main,
                f"Rates of positions and of the {self.count} quasi-velocities u, and the reaction r, from t, q and u\n"
                "in place of v.",
                {"rate_q": (0, n), "rate_u": (n, self.count), "r": (2 * n, n)},
            )
            yield self._plain("velocities", "The quasi-velocities u of t, q and v.", {"u": (0, self.count)})
        elif self.beside == "p":
            yield self._plain(
                main,
                "Rates of positions and momenta, and the reaction r, from t, q and the momenta p in place of v.",
                {"rate_q": (0, n), "rate_p": (n, n), "r": (2 * n, n)},
            )
            yield self._plain("momenta", "Momenta p = M v + l.", {"p": (0, n)})
        else:
            yield self._plain(
                main,
                "Accelerations a and the reaction r = M a - f on each coordinate (which may be NULL).",
                {"a": (0, n), "r": (n, n)},
                name="accelerations",
            )
        if self.beside == "v":
            yield self._derivative()
        yield self._plain(
            "residuals",
            "Residuals of the constraints: g of positions, psi of velocities; zero where a constraint has none.",
            {"g": (0, s), "psi": (s, s)},
        )
        if "energies" in self.kernels:
            yield self._plain(
                "energies",
                "Kinetic and potential energy, T2 - T0 + V, and the powers of forces without potential and of what\n"
                "depends on time: five numbers.",
                {"values": (0, 5)},
            )
        if "matrices" in self.kernels:
            sizes = {"M": n * n, "f": n, "A": s * n, "c": s}
            starts = dict(zip(sizes, (0, n * n, n * n + n, n * n + n + s * n), strict=True))
            words = "M, f, A, c of M a = f + A^T lambda, A a = c; matrices row by row. Each may be NULL."
            words += "\nf is without forces that depend on lambda." if self.system.followed else ""
            yield self._plain("matrices", words, {key: (starts[key], size) for key, size in sizes.items()}, clear=True)
        if "position_step" in self.kernels:
            yield self._project()

    def _plain(self, kernel, words, results, status="", name="", clear=False) -> _CFunction:
        """Return a function that runs a kernel and copies parts of what it gives out."""
        size = self.kernels[kernel].outputs
        body = [f"double *out = prepare(t, q, v, parameters, work), *space = out + {self.outputs};"]
        if clear:
            body.append(f"memset(out, 0, {size} * sizeof(double));")
        body.append(f"{local(kernel)}(out, work, space);")
        for result, (start, count) in results.items():
            copy = f"memcpy({result}, out + {start}, {count} * sizeof(double));"
            body.append(f"if ({result}) {copy}" if count else f"(void){result};")
        body.append(f"return {status or f'all_finite(out, {size})'} ? 0 : 1;")
        return _CFunction(name or kernel, words, _STATE, tuple(f"double *{result}" for result in results), tuple(body))

    def _derivative(self) -> _CFunction:
        """Return the right side for integrators."""
        n, last = self.n, ", NULL"
        body = (
            f"memcpy(rate, state + {n}, {n} * sizeof(double));",
            f"return {self.name}_accelerations(t, state, state + {n}, parameters, rate + {n}{last}, work);",
        )
        words = "The rate (v, a) of the state (q, v), as integrators ask for it."
        given = ("double t", "const double *state", "const double *parameters")
        return _CFunction("rate", words, given, ("double *rate",), body)

    def _project(self) -> _CFunction:
        """Return the projection of a state onto the constraints."""
        words = "Move q onto g = 0 and v onto psi = 0, least in the mass norm; 1 if no such state is near."
        body = (
            f"double *out = work + {self.inputs}, *space = out + {self.outputs};",
            "for (int level = 0; level < 2; level++) {",
            "  double *x = level == 0 ? q : v, before = INFINITY, last = INFINITY;",
            "  int done = 0;",
            f"  for (int turn = 0; turn < {_NEWTON} && !done; turn++) {{",
            "    double moved = 0.0, farthest = 0.0, residual = 0.0, size = 1e-6;",
            "    prepare(t, q, v, parameters, work);",
            f"    if (level == 0) {local('position_step')}(out, work, space);",
            f"    else {local('velocity_step')}(out, work, space);",
            f"    if (!all_finite(out, {self.n + self.s})) return 1;",
            f"    for (int i = 0; i < {self.n}; i++) {{",
            "      x[i] += out[i];",
            "      size = fmax(size, fabs(x[i]));",
            "      farthest = fmax(farthest, fabs(out[i]));",
            "    }",
            "    moved = farthest / size;",
            f"    for (int i = {self.n}; i < {self.n + self.s}; i++) residual = fmax(residual, fabs(out[i]));",
            "    if ((moved < 1e-14 && moved >= 0.5 * last) || moved < 1e-30",
            "        || (moved < 1e-9 && residual >= 0.5 * before)) {",
            "      if (residual > 1e-6 * size && residual > 100.0 * farthest) return 1;",
            "      done = 1;",
            "    }",
            "    before = residual;",
            "    last = moved;",
            "  }",
            "  if (!done) return 1;",
            "}",
            "return 0;",
        )
        state = ("double t", "double *q", "double *v", "const double *parameters")
        return _CFunction("project", words, state, (), body)

    # --- the files ---------------------------------------------------------------------------------------------------

    def signature(self, function: _CFunction) -> str:
        """Write the head of a function."""
        arguments = [*function.given, *function.results, "double *work"]
        if self.beside != "v" and function.name == self.form:
            arguments[2] = f"const double *{self.beside}"
        return f"int {self.name}_{function.name}({', '.join(arguments)})"

    def header(self) -> str:
        """Write the header."""
        system, macro = self.system, self.macro
        said = "".join(f" * {line}\n" for line in states(system))
        text = f"""/* {title(system)}.
 * {origin(self.form)}
 *
 * q and v hold a value for each coordinate, `parameters` one for each parameter, in the orders below.
{said} * `work` are {macro}_WORK doubles of the caller, which need not be kept; nothing is global, so that functions
 * may run in several threads, each with its own `work`. All return 0, or 1 where there is no finite result.
 */
#ifndef {macro}_H
#define {macro}_H

#define {macro}_COORDINATES {self.n}
#define {macro}_CONSTRAINTS {self.s}
#define {macro}_PARAMETERS {self.p}
#define {macro}_WORK {self.work}

"""
        for kind, letter, names in self._names():
            text += self._enumeration(kind, letter, names)
        text += '#ifdef __cplusplus\nextern "C" {\n#endif\n\n'
        if self.p:
            text += "/* The values of the model; NAN where it gives none. */\n"
            text += f"extern const double {self.name}_parameters[{macro}_PARAMETERS];\n\n"
        for function in self.functions:
            words = function.words.replace("\n", "\n * ")
            text += f"/* {words} */\n{self.signature(function)};\n\n"
        return text + f"#ifdef __cplusplus\n}}\n#endif\n\n#endif /* {macro}_H */\n"

    def _names(self):
        yield "Coordinates", "q", list(self.system.coordinates)
        yield "Constraints", "c", [constraint.name for constraint in self.system.constraints]
        yield "Parameters", "p", list(self.system.parameters)

    def _enumeration(self, kind: str, letter: str, names: list[str]) -> str:
        if not names:
            return ""
        plain = identifiers(names)
        width = max(map(len, plain)) + 1
        plain = [*(f"{short}," for short in plain[:-1]), plain[-1]]
        lines = [
            f"  {self.name}_{letter}_{short:{width}} /* {name} */" for name, short in zip(names, plain, strict=True)
        ]
        return f"/* {kind}, by their places. */\nenum {{\n" + "\n".join(lines) + "\n};\n\n"

    def source(self, header: str) -> str:
        """Write the source."""
        head = [f"/* {title(self.system)}. {origin(self.form)}"]
        head += [f" * {line}" for line in listed("Coordinates", self.system.coordinates)]
        text = "\n".join(head) + f' */\n#include "{header}"\n\n#include <string.h>\n' + self.code + "\n"
        if self.p:
            values = [literal(math.nan if x is None else x) for x in self.system.parameters.values()]
            text += f"const double {self.name}_parameters[] = {{{', '.join(values)}}};\n\n"
        text += self._helpers()
        for function in self.functions:
            body = "\n".join(f"  {line}" for line in function.body)
            if self.beside != "v" and function.name == self.form:
                body = self._with_beside(body)
            text += f"\n{self.signature(function)} {{\n{body}\n}}\n"
        return text

    def _with_beside(self, body: str) -> str:
        """Let a function read what stands beside q; where that are fewer than coordinates, zeros behind it."""
        if self.count == self.n:
            return body.replace("prepare(t, q, v,", f"prepare(t, q, {self.beside},")
        size = f"{self.count} * sizeof(double)"
        copy = f"memcpy(all, {self.beside}, {size});" if self.count else f"(void){self.beside};"
        return f"  double all[{self.n}] = {{0}};\n  {copy}\n" + body.replace("prepare(t, q, v,", "prepare(t, q, all,")

    def _helpers(self) -> str:
        n, p = self.n, self.p
        last = f"memcpy(work + {1 + 2 * n}, parameters, {p} * sizeof(double));" if p else "(void)parameters;"
        return f"""static int all_finite(const double *x, int count) {{
  for (int i = 0; i < count; i++)
    if (!isfinite(x[i])) return 0;
  return 1;
}}

/* Lay out the inputs at the beginning of the workspace; return the place of the outputs behind them. */
static double *prepare(double t, const double *q, const double *v, const double *parameters, double *work) {{
  work[0] = t;
  memcpy(work + 1, q, {n} * sizeof(double));
  memcpy(work + {1 + n}, v, {n} * sizeof(double));
  {last}
  return work + {self.inputs};
}}
"""
