# SPDX-License-Identifier: BSD-3-Clause
"""Enums, as compiled code has them: a tuple of one number, the place of the member, or the bits of
a Flag. One class of such tuples stands for one enum; members of an IntEnum are ints."""

from __future__ import annotations

import ast
import enum
import types
import typing
import weakref
from typing import Any

from ._class_ways import function, tree_of

_classes: Any = weakref.WeakKeyDictionary()


def is_enum(t: Any) -> bool:
    """Is it an enum whose members are no numbers?"""
    return isinstance(t, enum.EnumMeta) and not issubclass(t, int)


def is_of_ints(t: Any) -> bool:
    """Is it an IntEnum, whose members are ints here?"""
    return isinstance(t, enum.EnumMeta) and issubclass(t, int) and not issubclass(t, enum.Flag)


def class_of(of: type[enum.Enum]) -> Any:
    """Return the class of tuples that stands for an enum."""
    found = _classes.get(of)
    stored = getattr(found, "_swathe_attributes", ())
    if found is None:
        found = _classes[of] = _make(of)
    elif any(d.get(name) is not v for d, name, v in stored):
        _add_attributes(of, found)
    return found


def member(m: enum.Enum) -> Any:
    """Return what stands for a member."""
    if is_bits(type(m)):
        return class_of(type(m))(m.value)
    for place, one in enumerate(_places(type(m))):
        if one is m:
            return class_of(type(m))(place)
    # of a Flag that has operators of its own
    raise TypeError(f"{m!r} is no single member of its class: pass its value, as in x.value")


def _places(of: type[enum.Enum]) -> list[Any]:
    return list({id(m): m for m in of.__members__.values()}.values())  # == may be its own


def _texts(of: type, name: str, texts: list[str]) -> Any:
    """Return a method that yields one of these, by the place of the member."""
    text = f"def {name}(self):\n    return {tuple(texts)!r}[self.enum]\n"
    file = f"<swathe {of.__module__}.{of.__qualname__}.{name}>"
    return function(name, text, {"__name__": of.__module__}, file)


# Methods that Python calls by itself and members have of their class: no others are asked.
_SPECIAL = {f"__{name}__" for name in ("eq", "ne", "lt", "le", "gt", "ge", "call", "add", "radd")}
_SPECIAL |= {f"__{name}__" for name in ("sub", "mul", "truediv", "mod", "neg", "contains", "bool")}
_SPECIAL |= {f"__{name}__" for name in ("or", "and", "xor", "invert", "int", "float", "getitem")}


def _is_method(name: str, v: Any) -> bool:
    if name in _SPECIAL:
        return isinstance(v, types.FunctionType) and v.__module__ != "enum"
    kinds = (types.FunctionType, staticmethod, classmethod, property)
    return isinstance(v, kinds) and not name.startswith("_")


_NUMBERS = {int, float, bool, complex}


def _is_like(v: Any, w: Any) -> bool:
    """Are both of one type, as elements of one list are?"""
    if type(v) is not type(w):
        return False
    if type(v) is tuple:
        return bool(v) and len(v) == len(w) and all(map(_is_like, v, w))
    return type(v) in _NUMBERS or type(v) is str


def _choice(of: type, name: str, values: tuple[Any, ...]) -> Any:
    """Return a property that is one of these, by the place of the member; None: they are unlike."""
    if not all(_is_like(values[0], v) for v in values):
        return None
    if type(values[0]) is str:
        return property(_texts(of, name, list(values)))
    ns = {"__name__": of.__module__}
    if type(values[0]) is not tuple:
        ns["values"] = values  # type: ignore[assignment]
        text = f"def {name}(self):\n    return values[self.enum]\n"
    else:  # part by part: each has a type of its own
        parts = [_choice(of, f"part_{i}", v) for i, v in enumerate(zip(*values, strict=True))]
        ns |= {f"part_{i}": p.fget for i, p in enumerate(parts)}
        made = "".join(f"part_{i}(self), " for i in range(len(parts)))
        text = f"def {name}(self):\n    return ({made})\n"
    file = f"<swathe {of.__module__}.{of.__qualname__}.{name}>"
    return property(function(name, text, ns, file))


def _text_by(of: type, how: Any, members: Any) -> Any:
    """Return the method that yields members' texts: what they are now, or the enum's own method
    where that asks for what may change."""
    name = f"__{how.__name__}__"
    own = getattr(of, name)
    users = isinstance(own, types.FunctionType) and own.__module__ != "enum"
    if users and (own.__code__.co_freevars or set(own.__code__.co_names) & set(own.__globals__)):
        return own
    return _texts(of, name, [how(m) for m in members])


_OWN = {"_value_", "_name_", "__objclass__", "_sort_order_", "enum", "mixed_"}


def _attributes(of: type[enum.Enum]) -> dict[str, Any]:
    """Return properties for what all members have, such as what their __init__ has stored."""
    members = _places(of)
    found = {}
    for name in vars(members[0]) if members else ():
        if name not in _OWN and all(name in vars(m) for m in members):
            found[name] = _choice(of, name, tuple(vars(m)[name] for m in members))
    return {name: p for name, p in found.items() if p}


def _add_attributes(of: type[enum.Enum], made: Any) -> None:
    """Add these properties, again where a program has stored others in a member since."""
    for name in {name for _, name, _ in vars(made).get("_swathe_attributes", ())}:
        if name in vars(made):
            delattr(made, name)
    own = _attributes(of)
    for name, p in own.items():
        setattr(made, name, p)
    had = {name for _, name, _ in vars(made).get("_swathe_attributes", ())} | set(own)
    made._swathe_attributes = [
        (vars(m), name, vars(m)[name]) for m in _places(of) for name in had if name in vars(m)
    ]


def is_bits(of: type) -> bool:
    """Is it a Flag, whose values are sets of bits, with no operators of its own?"""
    if not issubclass(of, enum.Flag) or issubclass(of, int):
        return False
    strict = getattr(of, "_boundary_", None) is getattr(enum, "STRICT", True)
    return strict and all(getattr(of, k) == getattr(enum.Flag, k, None) for k in _OF_FLAGS)


_OF_FLAGS = (
    *("__or__", "__and__", "__xor__", "__invert__", "__contains__", "__bool__", "__iter__"),
    *("__len__", "__str__", "__repr__"),
)


# What a Flag has. `other` is of the same class, as sema asks for when it calls operators.
_BITS = {
    "__or__": "return made(self.enum | other.enum)",
    "__and__": "return made(self.enum & other.enum)",
    "__xor__": "return made(self.enum ^ other.enum)",
    "__contains__": "return other.enum & self.enum == other.enum",
}


def _add_bits(of: type[enum.Flag], made: Any) -> None:
    """Add what a Flag has: operators, and names of what has several bits."""
    single = [(m.name, m.value) for m in of]  # bits alone, in the order that repr() shows
    named = {m.value: m.name for m in of.__members__.values()}
    mask = 0
    for _, bit in single:
        mask |= bit
    ns = {"__name__": of.__module__, "made": made}
    file = f"<swathe {of.__module__}.{of.__qualname__}"

    def add(name: str, text: str, args: str = "self") -> Any:
        text = f"def {name}({args}):\n{text}"
        return function(name, text, ns, f"{file}.{name}>")

    for name, body in _BITS.items():
        other = "    if not isinstance(other, made):\n        return NotImplemented\n"
        if name == "__contains__":
            what = f"unsupported operand type(s) for 'in': '{{}}' and '{of.__name__}'"
            what = f"f{what!r}".replace("{}", "{type(other).__name__}", 1).replace("{{", "{")
            other = f"    if not isinstance(other, made):\n        raise TypeError({what})\n"
        setattr(made, name, add(name, f"{other}    {body}\n", "self, other"))
    made.__invert__ = add("__invert__", f"    return made({mask} & ~self.enum)\n")
    made.__bool__ = add("__bool__", "    return self.enum != 0\n")
    made.value = property(add("value", "    return self.enum\n"))
    ns["name_of"] = add("name_of", _name_text(named, single))
    zero = named.get(0)
    none = "    if self.enum == 0:\n        return None\n" if zero is None else ""
    made.name = property(add("name", f"{none}    return name_of(self)\n"))
    of_none = f"    if self.enum == 0:\n        return '{of.__name__}(0)'\n" if none else ""
    made.__str__ = add("__str__", f"{of_none}    return '{of.__name__}.' + name_of(self)\n")
    of_none = f"    if self.enum == 0:\n        return '<{of.__name__}: 0>'\n" if none else ""
    shown = f"'<{of.__name__}.' + name_of(self) + ': ' + str(self.enum) + '>'"
    made.__repr__ = add("__repr__", f"{of_none}    return {shown}\n")


def _name_text(named: dict[int, Any], single: list[tuple[Any, int]]) -> str:
    text = ""
    for value, name in named.items():
        text += f"    if self.enum == {value}:\n        return {name!r}\n"
    text += "    text = ''\n"
    for name, bit in single:
        text += f"    if self.enum & {bit}:\n        text += {'|' + name!r}\n"
    return text + "    return text[1:]\n"


def _add_equal(of: type[enum.Enum], made: Any) -> None:
    """Add `==` of members that are strings or floats, too."""
    text = """def __eq__(self, other):
    if isinstance(other, made):
        return self.enum == other.enum
    return self.value == other
"""
    ns = {"__name__": of.__module__, "made": made}
    made.mixed_ = True  # keys are compared by their places, as all have one type
    made.__eq__ = function("__eq__", text, ns, f"<swathe {of.__module__}.{of.__qualname__}.__eq__>")
    text = "def __ne__(self, other):\n    return not (self == other)\n"
    made.__ne__ = function("__ne__", text, ns, f"<swathe {of.__module__}.{of.__qualname__}.__ne__>")


def _make(of: type[enum.Enum]) -> Any:
    name = of.__name__
    members = _places(of)
    made: Any = typing.NamedTuple(name, [("enum", int)])
    made.__module__ = of.__module__
    bits = is_bits(of)
    if bits:
        made._swathe_restored = staticmethod(lambda t: of(tuple.__getitem__(t, 0)))
        _add_bits(of, made)  # type: ignore[arg-type]
    else:
        made._swathe_restored = staticmethod(lambda t: members[tuple.__getitem__(t, 0)])
        value = _choice(of, "value", tuple(m.value for m in members)) if members else None
        if value:
            made.value = value
        made.name = property(_texts(of, "name", [str(m.name) for m in members]))
        made.__str__, made.__repr__ = (_text_by(of, how, members) for how in (str, repr))
        _add_attributes(of, made)
        if issubclass(of, (str, float)) and value:
            _add_equal(of, made)
    for base in reversed(of.__mro__[: of.__mro__.index(enum.Enum)]):
        for key, v in vars(base).items():
            if _is_method(key, v):
                setattr(made, key, v)
    what = f"'{name}' object is no sequence"

    def no_item(self, i):  # type: ignore[no-untyped-def]
        raise TypeError(what)

    def no_operator(self, other):  # type: ignore[no-untyped-def]
        raise TypeError(what)

    rest = dict.fromkeys(
        ("__add__", "__mul__", "__rmul__", "__radd__", "__contains__"), no_operator
    )
    for key, v in {**rest, "__getitem__": no_item}.items():
        if not isinstance(vars(made).get(key), types.FunctionType):
            setattr(made, key, v)
    return made


_of_class: Any = weakref.WeakKeyDictionary()


def of_class(method: Any) -> Any:
    """Return what a class method of an enum does, as a function in which its first parameter is the
    enum; the same one each time. None: it has no text."""
    of, f = method.__self__, method.__func__
    known = _of_class.setdefault(of, {})
    if f not in known:
        known[f] = _with_class(of, f) if isinstance(f, types.FunctionType) else None
    return known[f]


def _with_class(of: type, f: Any) -> Any:
    tree = tree_of(f)
    args = tree.args.posonlyargs or tree.args.args if tree else None
    if not args:
        return None
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    me = args.pop(0).arg
    stores = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == me)
    if any(not isinstance(n.ctx, ast.Load) for n in stores) or "super" in names:
        return None
    tree.decorator_list = []
    free = [*f.__code__.co_freevars, me]
    body = "\n".join("    " + line for line in ast.unparse(tree).splitlines())
    text = f"def around({', '.join(free)}):\n{body}\n    return {tree.name}\n"
    cells = [c.cell_contents for c in f.__closure__ or ()]
    file = f"<swathe {of.__module__}.{of.__qualname__}.{f.__name__}>"
    made = function("around", text, dict(f.__globals__), file)(*cells, of)
    # the globals are those of the method, whatever they come to be
    made = types.FunctionType(
        made.__code__, f.__globals__, f.__name__, f.__defaults__, made.__closure__
    )
    made.__kwdefaults__ = f.__kwdefaults__
    made.__qualname__ = f.__qualname__
    return made


_KEYS = (bool, int, float, complex, str)
_functions: Any = weakref.WeakKeyDictionary()


def _function_of(of: type[enum.Enum], kind: str, argument: str, keys: Any, otherwise: str) -> Any:
    """Return a function of a key that yields a member; the same one each time."""
    known = _functions.setdefault(of, {})
    if kind not in known:
        ns: dict[str, Any] = {"__name__": of.__module__, "members": class_of(of)}
        text = f"def {of.__name__}({argument}):\n"
        if kind == "by value" and is_enum(of):
            text += f"    if isinstance({argument}, members):\n        return {argument}\n"
        for i, (key, found) in enumerate(keys):
            ns[f"member_{i}"] = found
            text += f"    if {argument} == {key!r}:\n        return member_{i}\n"
        file = f"<swathe {of.__module__}.{of.__qualname__} {kind}>"
        known[kind] = function(of.__name__, f"{text}    {otherwise}\n", ns, file)
    return known[kind]


# As enum.Flag._missing_ has it, and enum.bin writes.
_FLAG = """
    if isinstance(value, made):
        return value
    bits, mask = {bits}, {mask}
    if not ~bits <= value <= bits or value & (bits ^ mask) != 0:
        width = max(value.bit_length(), mask.bit_length())
        digits = bin(value)[2:].rjust(width, '0')
        if value < 0:
            bit = 1 << value.bit_length()
            digits = bin((value & (bit - 1)) + bit)[3:].rjust(width, '1')
        given = ('0b1 ' if value < 0 else '0b0 ') + digits
        allowed = '0b0 ' + bin(mask)[2:].rjust(width, '0')
        text = f"{of!r} invalid value {{value!r}}\\n    given {{given}}\\n  allowed {{allowed}}"
        raise ValueError(text)
    return made(value + (bits + 1 if value < 0 else 0))
"""


def _flag_by_value(of: type[enum.Enum]) -> Any:
    known = _functions.setdefault(of, {})
    if "by value" not in known:
        mask = of._flag_mask_  # type: ignore[attr-defined]
        text = _FLAG.format(mask=mask, bits=(1 << mask.bit_length()) - 1, of=of)
        ns = {"__name__": of.__module__, "made": class_of(of)}
        file = f"<swathe {of.__module__}.{of.__qualname__} by value>"
        known["by value"] = function(of.__name__, f"def {of.__name__}(value):{text}", ns, file)
    return known["by value"]


def by_value(of: type[enum.Enum]) -> Any:
    """Return what `of(value)` calls; None: it is for Python to say, what that is."""
    values = [(m.value, m) for m in of.__members__.values()]
    own = "_missing_" in {k for c in of.__mro__ if c.__module__ != "enum" for k in vars(c)}
    if not own and is_bits(of):
        return _flag_by_value(of)
    if own or issubclass(of, enum.Flag) or not values:
        return None
    kinds = {type(v) for v, _ in values}
    if not kinds <= set(_KEYS) or len(kinds) > 1:
        return None
    text = f"raise ValueError(f'{{value!r}} is not a valid {of.__qualname__}')"
    return _function_of(of, "by value", "value", dict.fromkeys(values), text)


def by_name(of: type[enum.Enum]) -> Any:
    """Return what `of[name]` calls."""
    members = list(of.__members__.items())
    return _function_of(of, "by name", "name", members, "raise KeyError(name)") if members else None
