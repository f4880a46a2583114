# SPDX-License-Identifier: BSD-3-Clause
"""Enums, as compiled code has them: a tuple of one number, the place of the member, or the bits of
a Flag. One class of such tuples stands for one enum. Where members are ints, that number is this
int, and compiled code takes the tuple for an int that remembers its class."""

from __future__ import annotations

import ast
import enum
import functools
import math
import operator
import types
import typing
import weakref
from typing import Any

from ._class_ways import function, tree_of

_classes: Any = weakref.WeakKeyDictionary()
_of_ints: dict[type, Any] = {}  # those of which nothing has to be looked at again


def is_enum(t: Any) -> bool:
    """Is it an enum?"""
    return isinstance(t, enum.EnumMeta)


def is_of_ints(t: Any) -> bool:
    """Is it an IntEnum or an IntFlag, whose members are ints?"""
    return isinstance(t, enum.EnumMeta) and issubclass(t, int)


def class_of(of: type[enum.Enum]) -> Any:
    """Return the class of tuples that stands for an enum."""
    found = _classes.get(of)
    stored = getattr(found, "_swathe_attributes", ())
    if found is None:
        found = _classes[of] = _make_of_ints(of) if is_of_ints(of) else _make(of)
        if is_of_ints(of) and not vars(found).get("_swathe_attributes"):
            _of_ints[of] = found
    elif any(d.get(name) is not v for d, name, v in stored):
        _add_attributes(of, found)
    return found


def member(m: enum.Enum) -> Any:
    """Return what stands for a member."""
    if isinstance(m, int):
        made = _of_ints.get(type(m)) or class_of(type(m))
        return tuple.__new__(made, (int(m),))
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
    if is_of_ints(of):
        if type(values[0]) is tuple:
            return None
        keys = [int(m) for m in _places(of)]  # type: ignore[call-overload]
        return property(_by_int(of, name, list(zip(keys, values, strict=True))))
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


def _writer(of: Any, made: Any) -> tuple[dict[str, Any], Any]:
    """Return the globals of methods for `made`, and what makes one of the lines of its body."""
    ns = {"__name__": of.__module__, "made": made}

    def add(name: str, body: str, args: str = "self") -> Any:
        text = f"def {name}({args}):\n    {body}\n"
        return function(name, text, ns, f"<swathe {of.__module__}.{of.__qualname__}.{name}>")

    return ns, add


def _single_bits(of: Any) -> tuple[list[tuple[Any, int]], int]:
    """Return the bits alone by name, in the order that repr() shows, and all of them."""
    single = [(m.name, int(m.value)) for m in of]
    return single, functools.reduce(operator.or_, (bit for _, bit in single), 0)


def _guard(of: Any, name: str, kind: str) -> str:
    """Return the lines that begin an operator: `other` is of another kind than it takes."""
    if name != "__contains__":
        return f"if not isinstance(other, {kind}):\n        return NotImplemented\n    "
    what = f"unsupported operand type(s) for 'in': '{{}}' and '{of.__name__}'"
    what = f"f{what!r}".replace("{}", "{type(other).__name__}", 1)
    return f"if not isinstance(other, made):\n        raise TypeError({what})\n    "


def _add_bits(of: type[enum.Flag], made: Any) -> None:
    """Add what a Flag has: operators, and names of what has several bits."""
    single, mask = _single_bits(of)
    named = {m.value: m.name for m in of.__members__.values()}
    ns, add = _writer(of, made)
    for name, body in _BITS.items():
        setattr(made, name, add(name, _guard(of, name, "made") + body, "self, other"))
    made.__invert__ = add("__invert__", f"return made({mask} & ~self.enum)")
    made.__bool__ = add("__bool__", "return self.enum != 0")
    made.value = property(add("value", "return self.enum"))
    ns["name_of"] = add("name_of", _name_text(named, single))
    none = 0 not in named

    def of_none(what: str) -> str:
        return f"if self.enum == 0:\n        return {what}\n    " if none else ""

    made.name = property(add("name", of_none("None") + "return name_of(self)"))
    text = of_none(f"'{of.__name__}(0)'") + f"return '{of.__name__}.' + name_of(self)"
    made.__str__ = add("__str__", text)
    shown = f"'<{of.__name__}.' + name_of(self) + ': ' + str(self.enum) + '>'"
    made.__repr__ = add("__repr__", of_none(f"'<{of.__name__}: 0>'") + f"return {shown}")


def _name_text(named: dict[int, Any], single: list[tuple[Any, int]]) -> str:
    text = ""
    for value, name in named.items():
        text += f"if self.enum == {value}:\n        return {name!r}\n    "
    text += "text = ''\n    "
    for name, bit in single:
        text += f"if self.enum & {bit}:\n        text += {'|' + name!r}\n    "
    return text + "return text[1:]"


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


def _add_hash(of: type[enum.Enum], made: Any) -> None:
    """Add what hash() calls. As `__hash__` it would be asked of keys, which are places."""
    own = getattr(of, "__hash__", None)
    by = "name" if own is enum.Enum.__hash__ else "value"
    text = f"def hash_(self):\n    return hash(self.{by})\n"
    file = f"<swathe {of.__module__}.{of.__qualname__}.__hash__>"
    users = isinstance(own, types.FunctionType) and own.__module__ != "enum"
    if own is not None:
        made.hash_ = own if users else function("hash_", text, {"__name__": of.__module__}, file)


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
    _add_hash(of, made)
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


def _by_int(of: type, name: str, results: list[tuple[int, Any]]) -> Any:
    """Return a method that yields one of these, by the int that the member is."""
    text = f"def {name}(self):\n    n = int(self)\n"
    for n, result in results[:-1]:
        text += f"    if n == {n}:\n        return {result!r}\n"
    text += f"    return {results[-1][1]!r}\n"
    file = f"<swathe {of.__module__}.{of.__qualname__}.{name}>"
    return function(name, text, {"__name__": of.__module__}, file)


# What an IntFlag has, as enum.Flag says it from Python 3.11 on: bits without a name are kept.
_INT_BITS = {
    "__or__": "return made(int(self) | int(other))",
    "__and__": "return made(int(self) & int(other))",
    "__xor__": "return made(int(self) ^ int(other))",
    "__contains__": "return int(other) & int(self) == int(other)",
}


def _has_known_operators(of: type) -> bool:
    """Has compiled code all that an IntEnum makes of its members as ints?"""
    known = _SPECIAL | {"__str__", "__repr__", "__format__", "__new__", "__init__"}
    known |= {
        "__new_member__",
        "__reduce__",
        "__reduce_ex__",
        "__copy__",
        "__deepcopy__",
        "__dir__",
    }
    own = [c for c in of.__mro__[: of.__mro__.index(enum.Enum)] if c.__module__ != "enum"]
    methods = {
        k
        for c in own
        for k, v in vars(c).items()
        if isinstance(v, types.FunctionType) and v.__module__ != "enum"
    }
    return not any(k.startswith("__") and k.endswith("__") and k not in known for k in methods)


def _is_int_bits(of: type) -> bool:
    keep = getattr(enum, "KEEP", None)
    own = keep and issubclass(of, enum.IntFlag) and getattr(of, "_boundary_", None) is keep
    return bool(own) and all(
        getattr(of, k, None) == getattr(enum.IntFlag, k, None) for k in (*_OF_FLAGS, "__format__")
    )


def _add_int_bits(of: Any, made: Any) -> None:
    """Add what an IntFlag has: operators, and names of what has several bits."""
    single, mask = _single_bits(of)
    ns, add = _writer(of, made)
    for name, body in _INT_BITS.items():
        text = _guard(of, name, "int") + body
        setattr(made, name, add(name, text, "self, other"))
        if name != "__contains__":
            back = f"__r{name[2:]}"
            setattr(made, back, add(back, text, "self, other"))
    all_bits = (1 << mask.bit_length()) - 1
    ns["of_int"] = add(
        "of_int",
        f"""n = n + 0
    if not {~all_bits} <= n <= {all_bits} or n & {all_bits ^ mask} != 0:
        return made(max({all_bits + 1}, 1 << n.bit_length()) + n if n < 0 else n)
    return made(n + {all_bits + 1} if n < 0 else n)""",
        "n",
    )
    made.__invert__ = add("__invert__", "return of_int(~int(self))")
    made.value = property(add("value", "return int(self)"))
    ns["name_of"] = add("name_of", _int_name_text(of, single, mask))
    made.name = property(add("name", "return name_of(self)"))
    made.__str__ = add("__str__", "return str(int(self))")
    text = f"""text = name_of(self)
    if text is None:
        return '<{of.__name__}: ' + str(int(self)) + '>'
    return '<{of.__name__}.' + text + ': ' + str(int(self)) + '>'"""
    made.__repr__ = add("__repr__", text)


def _int_name_text(of: Any, single: list[tuple[Any, int]], mask: int) -> str:
    named = {int(m): str(m.name) for m in of.__members__.values()}
    text = "n = int(self)\n"
    for n, name in named.items():
        text += f"    if n == {n}:\n        return {name!r}\n"
    text += f"    if n & {mask} == 0:\n        return None\n    text = ''\n"
    # beside bits without a name Python shows all members that are in it
    text += f"    if n & ~{mask} == 0:\n"
    for name, bit in single:
        text += f"        if n & {bit}:\n            text += {'|' + str(name)!r}\n"
    text += "        return text[1:]\n"
    for n, name in named.items():
        if n:
            text += f"    if n & {n} == {n}:\n        text += {'|' + name!r}\n"
    return text + f"    return text[1:] + '|' + str(n & ~{mask})"


def _make_of_ints(of: Any) -> Any:
    known = _is_int_bits if issubclass(of, enum.Flag) else _has_known_operators
    if not known(of):
        raise TypeError(f"a member of {of.__name__}, whose operators are its own: pass int(x)")
    own = issubclass(of, enum.Flag) or any(
        name in _SPECIAL and isinstance(v, types.FunctionType) and v.__module__ != "enum"
        for base in of.__mro__[: of.__mro__.index(enum.Enum)]
        for name, v in vars(base).items()
    )
    field = "int_operators" if own else "int_member"
    made: Any = typing.NamedTuple(of.__name__, [(field, int)])  # type: ignore[misc]
    made.__module__ = of.__module__
    made._swathe_of = of
    by_int = {int(m): m for m in _places(of)}
    if issubclass(of, enum.Flag):
        made._swathe_restored = staticmethod(lambda t: of(tuple.__getitem__(t, 0)))
        _add_int_bits(of, made)
    else:
        made._swathe_restored = staticmethod(lambda t: by_int[tuple.__getitem__(t, 0)])
        _add_int_texts(of, made, by_int)
    for base in reversed(of.__mro__[: of.__mro__.index(enum.Enum)]):
        if base.__module__ != "enum":
            for key, v in vars(base).items():
                if _is_method(key, v):
                    setattr(made, key, v)
    return made


def _add_int_texts(of: Any, made: Any, by_int: dict[int, Any]) -> None:
    for how in (str, repr) if by_int else ():
        name = f"__{how.__name__}__"
        texts = [(n, how(m)) for n, m in by_int.items()]
        if all(text == str(n) for n, text in texts):
            ns = {"__name__": of.__module__}
            file = f"<swathe {of.__module__}.{of.__qualname__}.{name}>"
            text = f"def {name}(self):\n    return str(int(self))\n"
            setattr(made, name, function(name, text, ns, file))
        else:
            setattr(made, name, _by_int(of, name, texts))
    if not by_int:
        return
    if any(format(m) != str(n) for n, m in by_int.items()):  # as enum.Enum has it
        text = "def __format__(self, spec):\n    return format(str(self), spec)\n"
        ns = {"__name__": of.__module__}
        file = f"<swathe {of.__module__}.{of.__qualname__}.__format__>"
        made.__format__ = function("__format__", text, ns, file)
    made.name = property(_by_int(of, "name", [(n, str(m.name)) for n, m in by_int.items()]))
    if all(type(m.value) is int and m.value == n for n, m in by_int.items()):
        ns = {"__name__": of.__module__}
        file = f"<swathe {of.__module__}.{of.__qualname__}.value>"
        text = "def value(self):\n    return int(self)\n"
        made.value = property(function("value", text, ns, file))
    _add_attributes(of, made)


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


def _is_key(v: Any) -> bool:
    """Is it a value that == finds, and that its text says?"""
    return all(map(_is_key, v)) if type(v) is tuple else type(v) in _KEYS


def _function_of(of: type[enum.Enum], kind: str, argument: str, keys: Any, otherwise: str) -> Any:
    """Return a function of a key that yields a member; the same one each time."""
    known = _functions.setdefault(of, {})
    if kind not in known:
        # by a name of a module of its own: one of the standard library is known by its names
        ns: dict[str, Any] = {"__name__": f"enum_of_{of.__module__}", "members": class_of(of)}
        ns |= {"inf": math.inf, "nan": math.nan}  # as texts of keys name them
        text = f"def {of.__name__}({argument}):\n"
        if kind == "by value" and not is_of_ints(of):
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
    if not own and issubclass(of, enum.Flag) and _is_int_bits(of):
        return vars(class_of(of))["__invert__"].__globals__["of_int"]
    if own or issubclass(of, enum.Flag) or not values:
        return None
    if not all(_is_key(v) and _is_like(v, values[0][0]) for v, _ in values):
        return None
    text = f"raise ValueError(f'{{value!r}} is not a valid {of.__qualname__}')"
    return _function_of(of, "by value", "value", dict.fromkeys(values), text)


def by_name(of: type[enum.Enum]) -> Any:
    """Return what `of[name]` calls."""
    members = list(of.__members__.items())
    return _function_of(of, "by name", "name", members, "raise KeyError(name)") if members else None
