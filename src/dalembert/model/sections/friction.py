"""[friction.*]: what rubs, and by which law.

    [friction.guide]
    joint = "D"               # or, of a model by energies: constraint = "guide" and slip = "x'"
    coefficient = "mu"        # F = mu N; or law = "…", an expression of the load N and the speed v
    static = "mu_s"           # what sticking can hold is mu_s N; else what sliding makes at rest
    stribeck = 0.01           # the speed at which sliding comes down from mu_s to mu
    viscous = 2.0             # a further force, viscous times the sliding velocity
    radius = 0.01             # of a bearing; length = … of a guide, on whose ends moments press
    normal = "m*g"            # the load, where no constraint says it
    smooth = 0.001            # a speed below which friction is rounded off: then it never sticks
    share = "least norm"      # of reactions that redundant joints share, the least are meant

What a joint rubs along, and what presses there, its pair says (`rubs` in `model/mechanism/pairs/base.py`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import symengine as se

from dalembert.arguments import shown
from dalembert.errors import ModelError, nearest, quoted
from dalembert.language.building import Expr, absolute, exponential
from dalembert.language.calculus import ZERO
from dalembert.language.state_names import is_integral
from dalembert.model.friction import LOAD, SPEED_NAME, Friction, Rubbing, is_linear, with_frictions
from dalembert.model.observed import Observed
from dalembert.model.quantity import multiplier, multipliers_in, vector_length
from dalembert.model.sections.base import ModelTable, model_table, names_in, tables_by_name

if TYPE_CHECKING:
    from dalembert.model.reading import Reader

WHERE = ("joint", "constraint", "normal")
SIZES = ("radius", "length")
LAWS = ("coefficient", "static", "stribeck", "viscous", "smooth", "law")
ENTRIES = (*WHERE, "slip", *LAWS, *SIZES, "share")
LEAST = "least norm"
_WHY = "friction depends on accelerations; it may depend on coordinates, velocities, time and reactions"
_LOCAL = (LOAD.name, SPEED_NAME.name)


@model_table
class FrictionTable(ModelTable):
    """Friction of joints and constraints."""

    name = "friction"

    def read(self, reader: Reader, given: Any) -> Mapping[str, Any]:
        """Read where there is friction, and its law; what names of parts stand for is looked up at the end."""
        found = {}
        for name, table in tables_by_name(reader, self, given, '{joint = "D", coefficient = 0.1}').items():
            key = (self.name, name)
            for entry in table:
                if entry not in ENTRIES:
                    reader.problem(f"unknown entry; {nearest(str(entry), ENTRIES, 'entries')}", *key, str(entry))
            found[name] = MappingProxyType(self._entries(reader, key, table))
        reader.rubbing = found
        return MappingProxyType(found)

    def _entries(self, reader: Reader, key: tuple[str, ...], table: Mapping[str, Any]) -> dict[str, Any]:
        """Read the entries of one."""
        kept: dict[str, Any] = {}
        given = {entry: value for entry, value in table.items() if value is not None and entry in ENTRIES}
        for entry, value in given.items():
            place = (*key, entry)
            if entry == "joint":
                kept[entry] = self._word(reader, place, value)
            elif entry == "constraint":
                names = value if isinstance(value, (list, tuple)) else (value,)
                if not names:
                    reader.problem("expected the name of a constraint, or some of them; got none", *place)
                if twice := [name for k, name in enumerate(names) if name in names[:k]]:
                    text = f"`{str(twice[0])[:60]}` stands there twice, and would press twice"
                    reader.problem(f"{text}; name each constraint once", *place)
                kept[entry] = tuple(self._word(reader, place, name) for name in names)
                programmes = names_in(reader, "programme")
                if held := [name for name in kept[entry] if name in programmes]:
                    text = f"programme `{held[0]}` is held by controls: nothing presses there that could rub"
                    reader.problem(f"{text}; name a constraint, or give `normal` and `slip`", *place)
                    kept[entry] = ()
            elif entry == "slip" and isinstance(value, (list, tuple)):
                kept[entry] = tuple(reader.acting.read(one, place, _WHY) for one in value)
            elif entry == "share":
                kept[entry] = LEAST
                if value != LEAST:
                    reader.problem(f'expected "{LEAST}", got {shown(value)}', *place)
            elif entry in ("law", "normal", "slip", "coefficient", "static", "viscous"):
                kept[entry] = reader.acting.read(value, place, _WHY, _LOCAL if entry == "law" else ())
            else:
                why = f"`{entry}` is a number, or an expression of parameters and time"
                forbidden = reader.coordinates | reader.velocities | reader.accelerations
                kept[entry] = reader.expression(value, place, forbidden, why)
                if kept[entry] == 0:
                    reader.problem(f"`{entry}` is 0; give one above zero, or leave it out", *place)
                    kept[entry] = se.Integer(1)
        self._complete(reader, key, kept)
        return kept

    def _word(self, reader: Reader, place: tuple[str, ...], value: Any) -> str:
        if not isinstance(value, str):
            reader.problem(f"expected a name in quotes, got {shown(value)}", *place)
        return str(value)

    def _complete(self, reader: Reader, key: tuple[str, ...], kept: Mapping[str, Any]) -> None:
        """Report what is missing, and what says one thing twice."""
        if not any(entry in kept for entry in WHERE):
            text = "nothing says what presses: give `joint`, or `constraint` and `slip`, or `normal` and `slip`"
            reader.problem(text, *key)
        if "joint" in kept and "constraint" in kept:
            reader.problem("`joint` and `constraint` both say where it is; take one of them away", *key, "constraint")
        if "joint" not in kept and "slip" not in kept and any(entry in kept for entry in WHERE):
            text = '`slip` is missing: the velocity with which it slides, as in slip = "x\'"'
            reader.problem(text, *key)
        if "law" in kept:
            for entry in ("coefficient", "stribeck"):
                if entry in kept:
                    reader.problem(f"`law` and `{entry}` both say how large it is; take one away", *key, entry)
        elif "coefficient" not in kept:
            text = "how large it is is missing: give `coefficient`, or a `law` of the load N and the speed v"
            reader.problem(text, *key)
        if "stribeck" in kept and "static" not in kept:
            reader.problem("`stribeck` leads from `static` to `coefficient`, but `static` is missing", *key, "stribeck")
        if "smooth" in kept and "static" in kept and "stribeck" not in kept:
            text = "rounded off by `smooth` it never sticks, and `static` means nothing; take one of them away"
            reader.problem(text, *key, "smooth")

    def put(self, kept: Any, change: Callable[[Expr], Expr]) -> None:
        """Leave it to the forces, which hold all of it."""


class AskedFrictions(Mapping[str, Friction]):
    """The friction of a model by name, looked up when something is asked of it, as all else is known then."""

    def __init__(self, names: Collection[str], find: Callable[[str], Friction]):
        self._names, self._find = names, find

    def __getitem__(self, name: str) -> Friction:
        if name not in self._names:
            raise KeyError(name)
        return self._find(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)


def asked_in(reader: Reader) -> AskedFrictions:
    """Return the friction of a model that is being read."""

    def find(name: str) -> Friction:
        resolved = Observed(reader.scope({}, reader.laws)).resolved
        joints = getattr(reader, "joints", {})
        if name in reader.rubbing_asked:
            text = f"friction `{name}` would depend on itself, by what is asked of it here"
            raise ModelError(f"{text}; write its load and its law by coordinates, velocities and reactions")
        reader.rubbing_asked.append(name)
        try:
            return meant_friction(name, reader.rubbing[name], joints, resolved, _moving(reader))
        finally:
            reader.rubbing_asked.remove(name)

    return AskedFrictions(reader.rubbing, find)


def _moving(reader: Reader) -> tuple[str, ...]:
    return tuple(name for name in reader.coordinates if not is_integral(name))


def add_friction(reader: Reader, fields: dict[str, Any], resolved: Callable[[Expr], Expr]) -> None:
    """Add the forces of friction to those of a model, once all has been read."""
    kept = fields["sections"].get("friction", {})
    moving = _moving(reader)
    joints = getattr(reader, "joints", {})
    found = []
    by = reader.tree.by if hasattr(reader, "tree") else "absolute"  # pyright: ignore[reportAttributeAccessIssue]
    for name, entries in kept.items():
        key = ("friction", name)
        if any(name in parts for parts in reader.kinds):
            what = "a joint" if name in joints else "another part"
            text = f"`{name}` is the name of {what} already, and `{name}.normal` could mean either"
            reader.problem(f"{text}; give the friction a name of its own, as in [friction.{name}_friction]", *key)
            continue
        if by != "absolute" and "smooth" not in entries:
            text = f'friction that sticks is not computed in the coordinates "{by}"'
            reader.problem(f'{text}; take coordinates = "absolute", or round it off by `smooth`', *key)
            continue
        for entry in ("joint", "constraint"):
            known = list(joints) if entry == "joint" else reader.constraint_names()
            named = entries.get(entry, ())
            for one in (named,) if isinstance(named, str) else named:
                if one not in known:
                    what = "joint" if entry == "joint" else "constraint"
                    text = f"there is no {what} `{one[:60]}`; {nearest(one, known, f'{what}s')}"
                    reader.problem(text if known else f"there is no {what} `{one[:60]}`, nor any other", *key, entry)
                    break
            else:
                continue
            break
        else:
            friction = reader.attempt(key, lambda n=name, e=entries: meant_friction(n, e, joints, resolved, moving))
            found += [friction] if friction is not None else []
    fields["forces"] = with_frictions(fields["forces"], found)


def meant_friction(
    name: str,
    entries: Mapping[str, Any],
    joints: Mapping[str, Any],
    resolved: Callable[[Expr], Expr],
    moving: Sequence[str],
) -> Friction:
    """Return a friction with what names in it stand for; raise ModelError for what cannot be."""
    kept = {key: resolved(value) if isinstance(value, se.Basic) else value for key, value in entries.items()}
    rubbing = _rubbing(kept, joints, resolved)
    if not rubbing.slips:
        raise ModelError("`slip` is empty; give the velocity with which it slides")
    for slip in rubbing.slips:
        if multipliers_in(slip):
            raise ModelError("`slip` depends on reactions; it is a velocity, linear in the velocities of the system")
        if not is_linear(slip, moving):
            raise ModelError("`slip` is no velocity: it must be linear in the velocities, and depend on one of them")
    coefficient, static = kept.get("coefficient", ZERO), kept.get("static")
    law = kept.get("law")
    if law is not None:
        law = law.xreplace({absolute(SPEED_NAME): SPEED_NAME})
        at_rest = law.xreplace({SPEED_NAME: ZERO})
    else:
        at_rest, law = coefficient * LOAD, coefficient * LOAD
        if "stribeck" in kept:
            law += (static - coefficient) * LOAD * exponential(-((SPEED_NAME / kept["stribeck"]) ** 2))
    return Friction(
        name,
        rubbing.slips,
        rubbing.load,
        law,
        at_rest if static is None else static * LOAD,
        kept.get("viscous", ZERO),
        kept.get("smooth"),
        tuple(moving),
    )


def _rubbing(kept: Mapping[str, Any], joints: Mapping[str, Any], resolved: Callable[[Expr], Expr]) -> Rubbing:
    """Find what slides and what presses: as it is said, else as the pair of a joint, or constraints, say."""
    slips, load = kept.get("slip"), kept.get("normal")
    slips = tuple(map(resolved, slips)) if isinstance(slips, tuple) else None if slips is None else (slips,)
    if "joint" in kept:
        own = _of_joint(kept, joints[kept["joint"]], load is not None)
        slips = tuple(map(resolved, own.slips)) if slips is None else slips
        load = resolved(own.load) if load is None else load
    elif unused := [entry for entry in SIZES if entry in kept]:
        raise ModelError(f"`{unused[0]}` is one of a joint; write the sliding velocity into `slip`")
    elif load is None:
        load = vector_length([multiplier(constraint) for constraint in kept["constraint"]])
    if slips is None or load is None:
        raise ModelError("nothing says what slides, or what presses")
    return Rubbing(slips, load)


def _of_joint(kept: Mapping[str, Any], joint: Any, is_loaded: bool) -> Rubbing:
    """Find what a joint says of how it rubs; it needs those sizes of which what is used is made."""
    rubs, given = joint.pair.rubs, [entry for entry in SIZES if entry in kept]
    if rubs is None:
        if given:
            raise ModelError(f"`{given[0]}` means nothing in a joint `{joint.kind}`; take it away")
        if "slip" in kept and is_loaded:
            return Rubbing((), ZERO)
        text = f"a joint `{joint.kind}` does not say how it rubs"
        raise ModelError(f"{text}; give `slip` and `normal`, in quantities of its parts")
    for entry in given:
        if entry not in (*rubs.needs, *rubs.takes):
            used = (*rubs.needs, *rubs.takes)
            raise ModelError(
                f"`{entry}` means nothing in a joint `{joint.kind}`" + (f"; it has {quoted(used)}" if used else "")
            )
    sizes = {entry: se.Symbol(f"size {entry}") for entry in dict.fromkeys((*rubs.needs, *given))}
    found = rubs.make(joint, sizes)
    if not sizes:
        return found
    said = {"slip": "slip" in kept, "normal": is_loaded}
    used = [*([] if said["slip"] else found.slips), *([] if is_loaded else [found.load])]
    symbols = {symbol for expr in used for symbol in expr.free_symbols}
    for entry, size in sizes.items():
        if size in symbols and entry not in kept:
            raise ModelError(f"`{entry}` is missing: that of the surface on which a joint `{joint.kind}` rubs")
        if size not in symbols and entry in kept:
            beside = quoted([name for name, is_said in said.items() if is_said])
            raise ModelError(f"`{entry}` changes nothing beside {beside}, which says the same; take one of them away")
    return rubs.make(joint, {**sizes, **{entry: kept[entry] for entry in given}})
