# SPDX-License-Identifier: BSD-3-Clause
"""What objects hold whose classes don't declare their attributes: all that can be reached from an
object tells the types of the fields, one for all objects of a class. So a list that is linked by
objects is of one class, in whose last object `next` is None."""

from __future__ import annotations

import sys
from typing import Any

from . import _core, _families
from . import _plain_classes as plain_classes

_HERE = sys.modules[__name__]

# A type is what `_classes._desc` makes, and besides: None, of which nothing is known yet, and
# "none", where all that is known is that it is None.
Facts = dict[type, dict[str, Any]]

_NUMBERS = {"int": 0, "float": 1, "complex": 2}


class _Call:
    """What the arguments of one call have told so far: facts, and the classes made for them."""

    def __init__(self) -> None:
        self.choices: list[list[Any]] = []
        self.of: dict[int, list[Any]] = {}  # by the address of an object that has been reached
        self.keep: list[Any] = []
        self.grown = False


_call = _Call()


def begin() -> None:
    """Another call: its objects have nothing to do with those before."""
    global _call
    _call = _Call()


def grown() -> bool:
    """Has an object added to what others of its class, which were asked of before it, hold?"""
    was, _call.grown = _call.grown, False
    return was


class Unlike(TypeError):
    """Two values of a field, or of a container, have no common type."""


def class_of(o: Any) -> type:
    """Return the class that stands for that of an object, for what all hold that it leads to."""
    choice = _call.of.get(id(o))
    if choice is None:
        facts, seen = _facts(o)
        choice = _choose(facts)
        _call.of.update(dict.fromkeys(seen, choice))
        _call.keep.append(seen)
    found: type = choice[1][type(o)]
    return found


def class_of_all(objects: list[Any]) -> type:
    """Return the class that stands for those of all of these objects, which are held alike: the
    class of tuples for them, where they are of unlike ones."""
    roots = [o for o in objects if plain_classes.is_untold(type(o))]
    if roots:
        facts, seen = _core.object_facts(_HERE, *roots)
        choice = _choose(facts)
        _call.of.update(dict.fromkeys(seen, choice))
        _call.keep.append(seen)
    classes = {plain_classes.of_instance(o) for o in objects}
    if len(classes) == 1:
        return classes.pop()
    generic = {c.__dict__.get("_swathe_generic", c) for c in classes}
    if len(generic) < len(classes):
        raise Unlike("is of objects whose fields are of unlike types")
    return family_desc(tuple(sorted(classes, key=_order)))[1]


def family_desc(classes: tuple[type, ...]) -> Any:
    return ("family", _families.of_classes(classes), *classes)


def _choose(facts: Facts) -> list[Any]:
    for choice in _call.choices:
        both = _merged(choice[0], facts) if choice[0].keys() & facts.keys() else None
        if both is None:
            continue
        if both != choice[0]:
            _call.grown = True
            choice[:] = both, _made(both)
        return choice
    choice = [facts, _made(facts)]
    _call.choices.append(choice)
    return choice


# ---- what objects hold ----


def _facts(o: Any) -> tuple[Facts, dict[int, Any]]:
    """Return what all objects hold that this one leads to, and these (py/object_facts.c)."""
    found: tuple[Facts, dict[int, Any]] = _core.object_facts(_HERE, o)
    return found


def _begin_class(facts: Facts, cls: type) -> None:
    facts[cls] = {f[0]: _declared(f[1]) for f in plain_classes.plain(cls)[0]}


def _declared(desc: Any) -> Any:
    return None if desc is None or plain_classes.holds_open(desc) else desc


def _tell(facts: Facts, cls: type, name: str, value: Any) -> list[Any]:
    """Add what a field's value tells; return the objects in it."""
    of, todo = facts[cls], list[Any]()
    desc = next(f[1] for f in plain_classes.plain(cls)[0] if f[0] == name)
    told = _declared(desc) is not None
    try:
        if not told:
            strided = getattr(cls, "_swathe_strided", False)  # its methods store any slice
            is_ = plain_classes._of_value(value, True) if strided else _type(value, todo)
            of[name] = joined(of[name], is_)
        elif not isinstance(desc, str):
            _type(value, todo)
    except TypeError as e:
        raise TypeError(f"field '{name}' of {cls.__name__} {e}") from None
    return todo


def _type(value: Any, todo: list[Any]) -> Any:
    t = type(value)
    if value is None:
        return "none"
    if t is tuple and value:
        return ("tuple", *(_type(v, todo) for v in value))
    if isinstance(value, tuple) and getattr(t, "_fields", ()):
        return ("named", t, *(_type(v, todo) for v in value))
    if t in (list, dict, set):
        columns = [value.keys(), value.values()] if t is dict else [value]
        found = []
        for column in columns:
            is_: Any = None
            try:
                for v in column:
                    is_ = joined(is_, _type(v, todo))
            except Unlike as e:
                raise Unlike(f"is a {t.__name__} of unlike values: it {e}") from None
            found.append(is_)
        return (t.__name__, *found)
    if plain_classes.plain(t):
        todo.append(value)
        return t
    return plain_classes._of_value(value)


def _array(text: Any) -> tuple[str, int] | None:
    dtype, bracket, axes = text.partition("[")
    return (dtype, axes.count(",") + 1) if bracket else None


def joined(a: Any, b: Any) -> Any:
    """Return the type of what holds values of both."""
    if a == b or b is None:
        return a
    if a is None:
        return b
    if "none" in (a, b):
        is_ = b if a == "none" else a
        return is_ if _is_optional(is_) else ("optional", is_)
    if _is_optional(a) or _is_optional(b):
        inner = (x[1] if _is_optional(x) else x for x in (a, b))
        return ("optional", joined(*inner))
    classes = _classes_in(a) | _classes_in(b)
    if len(classes) > 1:
        return ("family", *sorted(classes, key=_order))
    if isinstance(a, tuple) and isinstance(b, tuple) and (a[0], len(a)) == (b[0], len(b)):
        return (a[0], *(joined(x, y) for x, y in zip(a[1:], b[1:], strict=True)))
    if isinstance(a, str) and isinstance(b, str):
        if a in _NUMBERS and b in _NUMBERS:
            return max(a, b, key=_NUMBERS.__getitem__)
        of = _array(a)
        if of is not None and of == _array(b):
            return f"{of[0]}[{','.join(':' * of[1])}]"
    raise Unlike(f"is {_shown(a)} in one place and {_shown(b)} in another")


def _classes_in(t: Any) -> set[type]:
    """The classes of which a value is an instance; none: it is no instance."""
    if isinstance(t, type):
        return {t}
    return set(t[1:]) if isinstance(t, tuple) and t[0] == "family" else set()


def _order(cls: type) -> tuple[str, str, int]:
    return cls.__module__, cls.__qualname__, id(cls)


def _is_optional(t: Any) -> bool:
    return isinstance(t, tuple) and t[0] == "optional"


def _shown(t: Any) -> str:
    if isinstance(t, type):
        return t.__name__
    return t[0] if isinstance(t, tuple) else str(t)


# ---- choices ----


def _merged(a: Facts, b: Facts) -> Facts | None:
    """Return what is known from both, where neither makes a value of the other another one."""
    out = {cls: dict(of) for cls, of in a.items()}
    for cls, of in b.items():
        mine = out.setdefault(cls, dict(of))
        for name, t in of.items():
            was = mine[name]
            try:
                mine[name] = joined(was, t)
            except Unlike:
                return None
            if not (_keeps(was, mine[name]) and _keeps(t, mine[name])):
                return None
    return out


def _keeps(t: Any, of: Any) -> bool:
    """Is a value of type t as it is where one of type `of` is held?"""
    if t is None or t == "none" or t == of:
        return True
    if _is_optional(of):
        return _keeps(t[1] if _is_optional(t) else t, of[1])
    if isinstance(t, tuple) and isinstance(of, tuple):
        return all(_keeps(x, y) for x, y in zip(t[1:], of[1:], strict=True))
    return False


def _made(facts: Facts) -> dict[type, type]:
    """Return for each class the one whose fields are as told."""
    key = frozenset((cls, tuple(of.items())) for cls, of in facts.items())
    known: dict[Any, dict[type, type]] = plain_classes.graphs(next(iter(facts)))
    if key in known:
        return known[key]
    made: dict[type, type] = {}
    for cls, of in facts.items():
        told = plain_classes.is_told(cls)  # it is what compiled code makes of it, too
        made[cls] = cls if told else plain_classes.graph_class(cls, (tuple(of.values()), key))
    for cls, of in facts.items():
        if made[cls] is cls:
            continue
        plain_classes.graph_fields(made[cls], cls, tuple(_inside(t, made) for t in of.values()))
    known[key] = made
    return made


def _inside(t: Any, made: dict[type, type]) -> Any:
    if t == "none":
        return ("optional", None)
    if isinstance(t, tuple) and t[0] == "family":
        return family_desc(tuple(made.get(c, c) for c in t[1:]))
    if isinstance(t, tuple):
        return (t[0], *(_inside(x, made) for x in t[1:]))
    return made.get(t, t) if isinstance(t, type) else t
