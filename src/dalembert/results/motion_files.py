"""A motion as a table, to files and back; files appear by renaming, complete or not at all."""

from __future__ import annotations

import csv
import json
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np

from dalembert.arrays import Array
from dalembert.errors import ModelError, SimulationError
from dalembert.files import as_path, check_place, write
from dalembert.forms import FORMS
from dalembert.language.state_names import as_written
from dalembert.model.momenta import canonical_names
from dalembert.results.contact_columns import contact_columns
from dalembert.results.friction_columns import friction_columns

if TYPE_CHECKING:
    from dalembert.results.run import Run

FORMATS = (".npz", ".csv", ".parquet", ".mat")


def columns(run: Run) -> dict[str, Array]:
    """Return a whole table: t, coordinates, velocities, accelerations, states, outputs, multipliers, energy.

    Of a motion in canonical form it has momenta and H too. Where the equations have no finite value, as at the end of a
    motion that fails, what follows from them is NaN.
    """
    try:
        return _columns(run)
    except SimulationError:
        half = len(run.t) // 2
        if half:
            parts = [columns(run.part(rows)) for rows in (slice(half), slice(half, None))]
            return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}
    start = _columns(run.resampled([run.motion.times[0]]))
    given = {"t": run.t} | dict(zip(run.system.coordinates, run.q.T, strict=True))
    if not run.motion.kernels.conversion:
        given |= dict(zip(map(as_written, run.system.velocities), run.v.T, strict=True))
    return {name: given.get(name, np.full(1, np.nan)) for name in start}


def _columns(run: Run) -> dict[str, Array]:
    system = run.system
    table = {"t": run.t}
    accelerations = tuple(name + "'" for name in system.velocities)
    moving = (system.coordinates, run.q), (system.velocities, run.v), (accelerations, run.accelerations)
    for names, values in moving:
        table |= {name: values[:, k] for k, name in enumerate(names[: system.mechanical])}
    for names, values in moving[1:]:
        places = range(system.mechanical, len(names))
        table |= {as_written(names[k]): values[:, k] for k in places}
    table |= run.evaluate(system.quasi_velocities) | run.controls | run.outputs | friction_columns(run)
    table |= contact_columns(run)
    further = {f"lambda_{name.replace('.', '_')}": values for name, values in run.multipliers.items()}
    if len(further) < len(run.multipliers):  # a.b beside a_b
        further = {f"lambda_{name}": values for name, values in run.multipliers.items()}
    if run.energy is not None:
        further["energy"] = run.energy
    if any(FORMS[form].beside == "p" for form in run.form.split(", ")):  # its state
        taken = {*table, *system.parameters, *system.definitions, *system.calls}
        further |= {name: run[name] for name in canonical_names(system.coordinates, taken)}
    for name, values in further.items():
        while name in table:  # names of the system win
            name += "_"
        table[name] = values
    return table


def to_dataframe(run: Run) -> Any:
    """Return the table as a pandas DataFrame."""
    try:
        import pandas
    except ImportError:
        raise ModelError("a DataFrame needs pandas: pip install pandas") from None
    return pandas.DataFrame(columns(run))


def check_path(path: str | Path) -> None:
    """Refuse a file that cannot be written, or whose ending says no format, before anything is computed."""
    _check_ending(path)
    check_place(path)


def _check_ending(path: str | Path) -> None:
    if as_path(path).suffix not in FORMATS:
        raise ModelError(f"a motion is written to {', '.join(FORMATS)}; got {str(path)!r}")


def save(run: Run, path: str | Path) -> None:
    """Write the table in the format that the name of the file says."""
    check_path(path)
    path, table = Path(path), columns(run)
    if path.suffix == ".npz":
        calls = {name: values.tolist() for name, values in run.calls.items()}  # of laws in Python
        facts = json.dumps({"model": str(run.system), "facts": run.motion.facts, **({"calls": calls} if calls else {})})
        write(path, lambda file: _to_npz(file, {"facts": np.array(facts), **table}))
    elif path.suffix == ".csv":
        write(path, lambda file: _to_csv(file, table))
    elif path.suffix == ".mat":
        from dalembert.results.matlab import to_mat

        write(path, lambda file: to_mat(file, table, str(run.system)))
    else:
        frame = to_dataframe(run)
        try:
            write(path, frame.to_parquet)
        except ImportError:
            raise ModelError("a .parquet file needs pyarrow: pip install pyarrow") from None


def load_motion(path: str | Path) -> dict[str, Array]:
    """Read the table of a saved motion: arrays by name."""
    _check_ending(path)
    path = Path(path)
    if path.exists() and not path.is_file():
        raise ModelError(f"{path}: no motion can be read from this, as it is not a file")
    try:
        if path.suffix == ".npz":
            with np.load(path, allow_pickle=False) as data:
                return {name: data[name] for name in data.files if name != "facts"}
        if path.suffix == ".csv":
            with path.open(newline="", encoding="utf-8") as file:
                names, *rows = csv.reader(file)
            values = np.array(rows, dtype=float).reshape(-1, len(names))
            return {name: values[:, k] for k, name in enumerate(names)}
        if path.suffix == ".mat":
            from dalembert.results.matlab import from_mat

            return from_mat(path)
        import pandas

        frame = pandas.read_parquet(path)
        return {str(name): frame[name].to_numpy() for name in frame}
    # NotImplementedError: what SciPy says to files of MATLAB 7.3
    except (OSError, ValueError, KeyError, TypeError, NotImplementedError, ImportError) as error:
        raise ModelError(f"{path}: no motion can be read from this file ({error})") from None


def _to_npz(file: BinaryIO, table: dict[str, Array]) -> None:
    """Write an archive of arrays; numpy's own function has no room for an array called `file`."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, values in table.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as part:
                np.lib.format.write_array(part, np.asarray(values), allow_pickle=False)


def _to_csv(file: BinaryIO, table: dict[str, Array]) -> None:
    lines = [",".join(table)]
    lines += [",".join(repr(float(value)) for value in row) for row in zip(*table.values(), strict=True)]
    file.write(("\n".join(lines) + "\n").encode())
