# SPDX-License-Identifier: BSD-3-Clause
"""Classes whose instances compiled code makes and changes: `swathe.jitclass`.

A decorated class becomes one of `_core.Instance`, with a `_swathe_class` that tells the compiler
(``py/class.c``) what it has: (fields, members, made of its fields, frozen, copied, ready).
"""

from __future__ import annotations

import abc
import ast
import sys
import types as _pytypes
import typing
from collections.abc import Iterable
from typing import Any

from . import _cached, _class_data, _core, _enums
from ._class_ways import (
    FROZEN,
    add_copies,
    add_iterated,
    asked_above,
    begin_with,
    function,
    is_generator,
    names_base,
    nodes_of,
    not_equal,
    object_init,
    parameters,
    raw_init,
    reduce_ex,
    refuse_abstract,
    setstate,
    tree_of,
)

# Python runs these itself, on instances as it sees them.
_PYTHONS = {
    "__repr__",
    "__str__",
    "__format__",
    "__reversed__",
    "__reduce__",
    "__reduce_ex__",
    "__getstate__",
    "__setstate__",
    "__copy__",
    "__deepcopy__",
    "__dir__",
    "__sizeof__",
    "__bytes__",
    "__fspath__",
}
# Compiled code calls these, too.
_TEXTS = {"__repr__", "__str__", "__format__"}
_REFUSED = {
    "__new__": "write an __init__",
    "__getattr__": "declare the attributes",
    "__getattribute__": "declare the attributes",
    "__setattr__": "write a property with a setter",
    "__delattr__": "fields are there as long as the instance",
    "__del__": "write a method, and call it",
    "__init_subclass__": "write what it does behind the class",
}
_NOT_MEMBERS = {
    "__module__",
    "__qualname__",
    "__doc__",
    "__dict__",
    "__weakref__",
    "__annotations__",
    "__annotate__",
    "__annotate_func__",
    "__annotations_cache__",
    "__conditional_annotations__",
    "__slots__",
    "__firstlineno__",
    "__static_attributes__",
    "__match_args__",
    "__dataclass_fields__",
    "__dataclass_params__",
    "__hash__",
    "__orig_bases__",
    "__parameters__",
    "__type_params__",
}
_WEAK = {
    "float64": "float",
    "int64": "int",
    "bool": "bool",
    "boolean": "bool",
    "bool_": "bool",
    "complex128": "complex",
    "f8": "float",
    "i8": "int",
    "double": "float",
    "intp": "int",
    "int_": "int",
    "float_": "float",
}
_PLAIN = {float: "float", int: "int", bool: "bool", complex: "complex"}
_DTYPES = {"float": "float64", "int": "int64", "bool": "bool", "complex": "complex128"}


# Bases that add nothing to instances, and the classes of these.
BASES = (object, abc.ABC, typing.Generic, typing.Protocol)
METACLASSES = (type, abc.ABCMeta, type(typing.Protocol))


class _SELF:  # noqa: N801
    """The class that is being compiled, in its annotations."""


def jitclass(cls_or_spec: Any = None, spec: Any = None, **options: Any) -> Any:
    """Compile a class: its instances are made, read and changed by compiled functions.

    Parameters
    ----------
    cls_or_spec : class, dict or list of pairs, optional
        The class, when used without parentheses; else a `spec`.
    spec : dict or list of pairs, optional
        The types of the fields by name, as in ``[("x", float64), ("data", float64[:])]``. Fields
        that it lacks are those that the class annotates, as in ``x: float``.
    **options
        Those of `jit`, for all methods.

    Returns
    -------
    class or decorator

    Examples
    --------
    >>> import swathe
    >>> @swathe.jitclass
    ... class Counter:
    ...     n: int
    ...     def __init__(self, start):
    ...         self.n = start
    ...     def add(self, k):
    ...         self.n += k
    ...         return self.n
    >>> c = Counter(3)
    >>> c.add(4), c.n
    (7, 7)
    """
    if isinstance(cls_or_spec, type):
        return _build(cls_or_spec, spec, options, sys._getframe(1).f_locals)
    if cls_or_spec is not None and spec is not None:
        raise TypeError("jitclass(): the spec is given twice")
    given = cls_or_spec if cls_or_spec is not None else spec
    return lambda cls: _build(cls, given, options, sys._getframe(1).f_locals)


# ---- types of fields ----


class _Names(dict):
    """What names in an annotation that is text stand for."""

    def __init__(self, cls: type, members: dict[str, Any], around: Any = ()) -> None:
        super().__init__()
        self.cls, self.members, self.around = cls, members, around
        self.told, self.field = True, ""  # of every field its type; whose annotation it is
        self.module = vars(sys.modules.get(cls.__module__, sys))

    def __missing__(self, name: str) -> Any:
        from . import types

        if name == self.cls.__name__:
            return _SELF
        for where in (self.members, self.around, self.module, vars(typing), vars(types)):
            if name in where:
                return where[name]
        import builtins

        if hasattr(builtins, name):
            return getattr(builtins, name)
        raise KeyError(name)


def _desc_text(text: str, names: _Names) -> Any:
    try:
        found = eval(text, {"__builtins__": {}}, names)  # noqa: S307 - the class's own annotation
    except Exception:
        found = text
    if isinstance(found, str):
        if found != text:
            return _desc_text(found, names)
        return _plain_text(_core.type_text(text))
    return _desc(found, names)


def _plain_text(text: str) -> str:
    return _WEAK.get(text, text)


def _desc(t: Any, names: _Names) -> Any:
    """Return a type as the compiler reads it: text, a class, or a word and types."""
    from . import types

    if isinstance(t, (str, typing.ForwardRef)):
        return _desc_text(t if isinstance(t, str) else t.__forward_arg__, names)
    if t is _SELF or t is names.cls:
        return _SELF
    if isinstance(t, types.Deferred):
        if t.is_ is None:
            return ("deferred", t)
        return _desc(t.is_, names)
    if isinstance(t, types.Of):
        return _made(names, t.word, *(_desc(p, names) for p in t.parts))
    if isinstance(t, types.TupleOf):
        return _made(names, "tuple", *(_desc(p, names) for p in t.types))
    if t is str or isinstance(t, types.Type) and t.text == "str":
        return "str"
    if isinstance(t, types.Type):
        return _plain_text(_core.type_text(t.text))
    if isinstance(t, type) and t in _PLAIN:
        return _PLAIN[t]
    if isinstance(t, type) and hasattr(t, "_swathe_class"):
        return t
    if isinstance(t, type) and t is not names.cls and _is_plain(t):
        return t
    if isinstance(t, type) and issubclass(t, _np().generic):
        return _np().dtype(t).name
    found = None if names.told and not _enums.is_enum(t) else _desc_named(t, names)
    return found or _desc_generic(t, names)


def _desc_named(t: Any, names: _Names) -> Any:
    """Return the type of a named tuple that says what its parts are, or of a member of an enum."""
    if _enums.is_enum(t):
        return ("named", _enums.class_of(t), "int")
    if not (isinstance(t, type) and issubclass(t, tuple) and hasattr(t, "_fields")):
        return None
    said = _own_annotations(t)
    if not t._fields or any(f not in said for f in t._fields):
        return None
    around = _Names(t, {}, ())
    around.told = False
    return ("named", t, *(_desc(said[f], around) for f in t._fields))


def _is_plain(cls: type) -> bool:
    from ._plain_classes import plain

    return bool(plain(cls))


def _is_open(t: Any, names: _Names) -> bool:
    from ._plain_classes import is_any, is_open

    return is_any(t, names) or is_open(t, names)


def _made(names: _Names, word: str, *parts: Any) -> tuple[Any, ...]:
    if names.told and word in FROZEN and any(map(_has_text, parts)):
        raise TypeError(f"a {word} of strings is no type of a field")
    return (word, *parts)


def _has_text(desc: Any) -> bool:
    return desc == "str" or isinstance(desc, tuple) and any(map(_has_text, desc[1:]))


def _desc_generic(t: Any, names: _Names) -> Any:
    origin, args = typing.get_origin(t), typing.get_args(t)
    if origin is typing.Union or origin is getattr(_pytypes, "UnionType", ()):
        rest = [a for a in args if a is not type(None)]
        if len(rest) == 1 and len(rest) < len(args):
            return ("optional", _desc(rest[0], names))
    if origin in (list, dict, set) and args:
        return _made(names, origin.__name__, *(_desc(a, names) for a in args))
    if origin is tuple and args and Ellipsis not in args:
        return ("tuple", *(_desc(a, names) for a in args))
    if origin is typing.Annotated:
        return _desc(args[0], names)
    text = getattr(t, "__name__", None) or repr(t)
    hint = ""
    if t is _np().ndarray or origin is _np().ndarray:
        hint = ": write its dtype and axes, as float64[:, :]"
    elif t in (list, dict, set, tuple):
        hint = f": write what it holds, as {t.__name__}[float]"
    raise TypeError(f"{text} is no type of a field{hint}")


def _np() -> Any:
    import numpy as np

    return np


def _own_annotations(cls: type) -> dict[str, Any]:
    if sys.version_info >= (3, 14):
        import annotationlib

        return annotationlib.get_annotations(cls, format=annotationlib.Format.FORWARDREF)
    return cls.__dict__.get("__annotations__", {})


def _mangled(cls: type, name: str) -> str:
    """Return what Python makes of a name in the class's body."""
    of = cls.__name__.lstrip("_")
    private = name.startswith("__") and not name.endswith("__") and of
    return f"_{of}{name}" if private else name


def _fields(
    cls: type, spec: Any, members: dict[str, Any], around: Any = (), told: bool = True
) -> dict[str, Any]:
    """Return the type of each field; not told: None for arrays of which a class says no more."""
    names = _Names(cls, members, around)
    names.told = told
    given: dict[str, Any] = {}
    untold: dict[str, Any] = {}
    for base in reversed(cls.__mro__[1:]):
        if hasattr(base, "_swathe_class"):
            given.update({f[0]: f[1] for f in base._swathe_class[0] if f[1] is not None})
            untold.update({f[0]: None for f in base._swathe_class[0] if f[1] is None})
        else:
            given.update(_own_annotations(base) if base is not object else {})
    given.update(_own_annotations(cls))
    pairs = spec.items() if isinstance(spec, dict) else spec or ()
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2 or not isinstance(pair[0], str):
            raise TypeError(
                f"jitclass(): {cls.__name__}: a spec is a dict, or pairs of a name and a type, "
                f"not {pair!r}"
            )
        given[_mangled(cls, pair[0])] = pair[1]
    out = {}
    for name, t in given.items():
        if typing.get_origin(t) is typing.ClassVar or (
            isinstance(t, str) and t.lstrip("typing.").startswith("ClassVar")
        ):
            continue
        if _class_data.is_no_field(t):
            continue
        if not name.isidentifier():
            raise TypeError(f"jitclass(): {cls.__name__}: {name!r} is no name of a field")
        try:
            names.field = name
            if not told and _is_open(t, names):
                out[name] = None
            else:
                out[name] = t if isinstance(t, tuple) else _desc(t, names)
        except (TypeError, ValueError) as e:
            raise TypeError(f"jitclass(): field '{name}' of {cls.__name__}: {e}") from None
    return {**untold, **out}


# ---- what __init__ sets ----


def _mentions(node: ast.AST, name: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == name for n in ast.walk(node))


def _stored(target: ast.AST, me: str) -> str | None:
    own = isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)
    return target.attr if own and target.value.id == me else None  # type: ignore[attr-defined]


def _attributes(nodes: Iterable[ast.AST], me: str) -> list[ast.Attribute]:
    return [
        n
        for n in nodes
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and n.value.id == me
    ]


def _is_only(node: ast.AST, me: str, good: set[int]) -> bool:
    """Is `me` there in no other place than these, which are ids of names?"""
    return all(id(n) in good for n in ast.walk(node) if isinstance(n, ast.Name) and n.id == me)


def _only_reads(node: ast.AST, me: str, there: set[str]) -> bool:
    """Is `me` there for attributes alone that are set by now?"""
    found = _attributes(ast.walk(node), me)
    good = {id(n.value) for n in found if n.attr in there and isinstance(n.ctx, ast.Load)}
    return _is_only(node, me, good)


def _surely_set(func: Any, names: dict[str, Any], members: dict[str, Any]) -> set[str]:
    """Names of fields that nobody sees before __init__ has set them."""
    there: set[str] = set()
    _init_sets(func, members, there)
    return there & set(names)


def _init_sets(func: Any, members: dict[str, Any], there: set[str]) -> bool:
    tree = tree_of(func)
    if tree is None or not tree.args.args and not tree.args.posonlyargs:
        return False
    me = (tree.args.posonlyargs + tree.args.args)[0].arg
    owner = func.__qualname__.rpartition(".")[0]
    above = members.get(f"super {owner} __init__")
    return _walk_sets(tree.body, me, there, above, members)


def _calls_init_above(s: ast.stmt) -> bool:
    f = s.value.func if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call) else None
    return (
        isinstance(f, ast.Attribute)
        and f.attr == "__init__"
        and isinstance(f.value, ast.Call)
        and isinstance(f.value.func, ast.Name)
        and f.value.func.id == "super"
    )


def _walk_sets(
    body: list[ast.stmt], me: str, there: set[str], above: Any, members: dict[str, Any]
) -> bool:
    """Add what these statements set; False: somebody may look at the instance from here on."""
    for s in body:
        if _calls_init_above(s):
            if not _only_reads(s, me, there) or not _init_sets(above, members, there):
                return False
            continue
        targets: list[ast.AST] = []
        value: ast.AST | None = None
        if isinstance(s, ast.Assign):
            targets, value = list(s.targets), s.value
        elif isinstance(s, ast.AnnAssign) and s.value is not None:
            targets, value = [s.target], s.value
        elif isinstance(s, ast.If):
            if not _only_reads(s.test, me, there):
                return False
            sides = []
            for side in (s.body, s.orelse):
                mine = set(there)
                goes_on = _walk_sets(side, me, mine, above, members)
                if not goes_on:
                    return False
                raises = side and isinstance(side[-1], ast.Raise)
                sides.append(None if raises else mine)
            known = [x for x in sides if x is not None]
            if known:
                there |= set.intersection(*known)
            continue
        elif isinstance(s, (ast.Return, ast.Try, ast.While, ast.For, ast.With)):
            if any(isinstance(n, ast.Return) for n in ast.walk(s)):
                return False
            if not _only_reads_and_stores(s, me, there):
                return False
            continue
        elif not _only_reads_and_stores(s, me, there):
            return False
        else:
            continue
        if value is not None and not _only_reads(value, me, there):
            return False
        parts: list[ast.AST] = []
        for t in targets:
            parts += t.elts if isinstance(t, (ast.Tuple, ast.List)) else [t]
        for p in parts:
            name = _stored(p, me)
            if name:
                there.add(name)
            elif not _only_reads(p, me, there):
                return False
    return True


def _only_reads_and_stores(node: ast.AST, me: str, there: set[str]) -> bool:
    found = _attributes(ast.walk(node), me)
    good = {id(n.value) for n in found if n.attr in there or isinstance(n.ctx, ast.Store)}
    updated = {
        id(n.target.value)
        for n in ast.walk(node)
        if isinstance(n, ast.AugAssign)
        and isinstance(n.target, ast.Attribute)
        and n.target.attr not in there
    }
    return _is_only(node, me, good - updated)


# ---- the class ----


def _members(cls: type) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base in BASES or base is _core.Instance:
            continue
        has = base.__dict__.get("_swathe_class")
        own = has[1] if has else base.__dict__
        for k, v in own.items():
            if k in _NOT_MEMBERS or k.startswith(("iter ", "instance_copied_", "instance_deep_")):
                continue
            if k in out and not k.startswith("super ") and not has:
                out[f"super {base.__qualname__} {k}"] = out[k]
            out[k] = base.__dict__.get(k) if v is None else v  # what only Python has of it
        for k in () if has else asked_above(own):
            above = f"super {base.__qualname__} {k}"
            if k in out and k not in own:
                out[above] = out[k]
            elif k == "__init__":
                out.setdefault(above, object_init)
        if has and raw_init(base) in out:
            out["__init__"] = out.pop(raw_init(base))
            if out["__init__"] is None:
                del out["__init__"]
    return out


def _defaults(cls: type, fields: dict[str, Any], members: dict[str, Any]) -> dict[str, Any]:
    """Take those fields from the members that the class has a value for, and return these."""
    found = {}
    for field in fields:
        v = members.get(field)
        if isinstance(v, _pytypes.MemberDescriptorType):
            del members[field]
        elif field in members and not hasattr(v, "__get__"):
            found[field] = members.pop(field)
        elif field in members:
            raise TypeError(f"jitclass(): '{field}' of {cls.__name__} is a field and a method")
    is_data = "__dataclass_params__" in cls.__dict__ or _class_data.frozen(cls)
    return {} if is_data else found


def _build(cls: type, spec: Any, options: dict[str, Any], around: Any) -> type:
    from . import config, njit

    name = cls.__name__
    if hasattr(cls, "_swathe_class") and "_swathe_class" in cls.__dict__:
        raise TypeError(f"jitclass(): {name} is compiled already")
    if type(cls) not in METACLASSES:
        raise TypeError(f"jitclass(): {name} has a metaclass, {type(cls).__name__}")
    if config.DISABLE_JIT:
        return cls
    members = _members(cls)
    _class_data.write(cls, members)
    _cached.write(cls, members)
    frozen = _class_data.frozen(cls)
    for what, hint in _REFUSED.items():
        if what in members:
            raise TypeError(f"jitclass(): {name} has a {what}, which is not compiled: {hint}")
    fields = _fields(cls, spec, members, around)
    if spec is None:
        _add_stored(name, members, fields, _Names(cls, members, around))
    defaults = _defaults(cls, fields, members)
    init = members.get("__init__")
    sure = _surely_set(init, fields, members) if init else set()
    if defaults:
        begin_with(cls, defaults, members)
        init, sure = members["__init__"], sure | set(defaults)
    ns: dict[str, Any] = {"__slots__": (), "__module__": cls.__module__, "__doc__": cls.__doc__}
    ns["__qualname__"] = cls.__qualname__
    ns["_swathe_class"] = ((), {}, False, False, False, None)
    compile_ = njit(**options)
    for k, v in members.items():
        if k != "__init__" and not k.startswith("super "):
            ns[k] = _python_side(k, v, compile_)
    above = (b.__dict__ for b in cls.__mro__ if b not in (object, _core.Instance))
    hashed = next((d["__hash__"] for d in (members, *above) if "__hash__" in d), None)
    if hashed is not None:
        members["__hash__"] = hashed
        plain = isinstance(hashed, _pytypes.FunctionType)
        ns["__hash__"] = compile_(hashed) if plain else hashed
    elif "__eq__" in members:
        ns["__hash__"] = None
    ns.setdefault("__repr__", _repr)
    _class_data.for_python(cls, ns)  # before what others get
    if "__reduce__" not in ns:
        ns.setdefault("__reduce_ex__", reduce_ex)
    ns.setdefault("__setstate__", setstate)
    is_open = None in fields.values()
    if is_open:
        ns["_swathe_made"] = {None: compile_}
    else:
        _add_fields(ns, name, fields, sure, compile_, frozen)
    bases = tuple(b for b in cls.__bases__ if hasattr(b, "_swathe_class"))[:1]
    if len([b for b in cls.__bases__ if b not in BASES]) > 1:
        raise TypeError(f"jitclass(): {name} has several base classes")
    refuse_abstract(cls, members)
    new = type(name, bases or (_core.Instance,), ns)
    known = tuple((f, _with_self(d, new), f not in sure) for f, d in fields.items())
    add_iterated(name, members)
    not_equal(members)
    add_copies(new, known, members)
    kept = {k: _compiled_side(k, v) for k, v in members.items()} | defaults
    new._swathe_class = (known, kept, False, frozen, False, True)  # type: ignore[attr-defined]
    new.__new__ = staticmethod(_maker(new, init, compile_))  # type: ignore[method-assign]
    new.class_type = ClassType(new)  # type: ignore[attr-defined]
    _rebind(members, cls, new)
    return new


def _add_fields(
    ns: dict[str, Any],
    name: str,
    fields: dict[str, Any],
    sure: set[str],
    compile_: Any,
    frozen: bool,
) -> None:
    """Add what Python reads and stores fields by."""
    word = 1
    for field, desc in fields.items():
        plain = isinstance(desc, str) and "[" not in desc and field in sure
        if plain and desc not in ("none", "str", "complex64"):
            dtype = _DTYPES.get(desc, desc)
            ns[field] = _core.Field(field, word, dtype, desc in _DTYPES, False)
            word += 2 if dtype == "complex128" else 1
        elif plain and desc == "complex64":
            word += 2
            ns[field] = _accessor(name, field, desc, compile_, frozen)
        else:
            ns[field] = _accessor(name, field, desc, compile_, frozen)


class ClassType:
    """What Numba's ``C.class_type`` is asked for."""

    def __init__(self, cls: type) -> None:
        self.instance_type = cls


def resolved(deferred: Any, cls: type) -> Any:
    """Return what a deferred type was defined as, for the compiler."""
    if deferred.is_ is None:
        raise TypeError(f"a deferred type in {cls.__name__} is used before it is defined")
    return _with_self(_desc(deferred.is_, _Names(cls, {})), cls)


def _rebind(members: dict[str, Any], old: type, new: type) -> None:
    """Let methods that mention their class by `super` or `__class__` find the new one."""
    for v in members.values():
        f = v.fget if isinstance(v, property) else getattr(v, "__func__", v)
        for cell in getattr(f, "__closure__", None) or ():
            try:
                if cell.cell_contents is old:
                    cell.cell_contents = new
            except ValueError:
                pass


def _methods(members: dict[str, Any]) -> list[Any]:
    """Return the functions whose first argument is an instance."""
    out = []
    for v in members.values():
        both = (v.fget, v.fset) if isinstance(v, property) else (v,)
        out += [f for f in both if isinstance(f, _pytypes.FunctionType)]
    return out


def _add_stored(name: str, members: dict[str, Any], fields: dict[str, Any], names: Any) -> None:
    """Add what methods store in an instance and nobody declares: None, use tells its type."""
    init = members.get("__init__")
    for f in sorted(_methods(members), key=lambda f: f is not init):
        tree = tree_of(f)
        if tree is None or not (tree.args.args or tree.args.posonlyargs):
            continue
        me = (tree.args.posonlyargs + tree.args.args)[0].arg
        said = {
            field: n.annotation
            for n in nodes_of(tree)
            if isinstance(n, ast.AnnAssign)
            and (field := _stored(n.target, me))
            and not names_base(n)
        }
        for n in _attributes(nodes_of(tree), me):
            if not isinstance(n.ctx, ast.Store) or isinstance(members.get(n.attr), property):
                continue
            if n.attr in said and fields.get(n.attr) is None:
                try:
                    fields[n.attr] = _desc_text(ast.unparse(said[n.attr]), names)
                except (TypeError, ValueError) as e:
                    if names.told:
                        raise TypeError(f"jitclass(): field '{n.attr}' of {name}: {e}") from None
            fields.setdefault(n.attr, None)


def chosen(cls: type, types: tuple[Any, ...]) -> type:
    """Return the class of instances whose fields are of these types, where `cls` says nothing."""
    if not issubclass(cls, _core.Instance):
        from ._plain_classes import chosen_plain

        return chosen_plain(cls, types)
    made = cls.__dict__["_swathe_made"]
    if types in made:
        return made[types]
    fields, members, *flags = cls._swathe_class  # type: ignore[attr-defined]
    is_ = {f[0]: _SELF if t is cls else t for f, t in zip(fields, types, strict=True)}
    ns: dict[str, Any] = {"__slots__": (), "__module__": cls.__module__, "__doc__": cls.__doc__}
    ns["__qualname__"] = cls.__qualname__
    ns["_swathe_class"] = ((), {}, False, False, False, None)
    ns["_swathe_generic"] = cls
    sure = {f[0] for f in fields if not f[2]}
    _add_fields(ns, cls.__name__, is_, sure, made[None], flags[1])
    ns.update(cls.__dict__.get("_swathe_python", ()))  # what Python has in place of a field
    new = made[types] = type(cls.__name__, (cls,), ns)
    known = tuple((f[0], _inner(is_[f[0]], cls, new), f[2]) for f in fields)
    new._swathe_class = (known, members, *flags)  # type: ignore[attr-defined]
    return new


def _inner(desc: Any, old: type, new: type) -> Any:
    if desc is old or desc is _SELF:
        return new
    return (desc[0], *(_inner(d, old, new) for d in desc[1:])) if isinstance(desc, tuple) else desc


def _with_self(desc: Any, cls: type) -> Any:
    if desc is _SELF:
        return cls
    if isinstance(desc, tuple) and desc[0] == "deferred":
        return ("deferred", desc[1], cls)
    if isinstance(desc, tuple):
        return (desc[0], *(_with_self(d, cls) for d in desc[1:]))
    return desc


def _repr(self: Any) -> str:
    parts = []
    for f in type(self)._swathe_class[0]:
        try:
            v = getattr(self, f[0])
        except AttributeError:
            continue
        own = isinstance(v, _core.Instance)
        parts.append(f"{f[0]}={f'<{type(v).__name__}>' if own else repr(v)}")
    return f"{type(self).__name__}({', '.join(parts)})"


def _compiled_side(name: str, v: Any) -> Any:
    """What compiled code has of a member; None: nothing."""
    if name.startswith("iter "):
        return v
    if name in _TEXTS and isinstance(v, _pytypes.FunctionType):
        return v
    if name in _PYTHONS and name not in ("__copy__", "__reversed__"):
        return None
    return v


def _python_side(name: str, v: Any, compile_: Any) -> Any:
    if name in _PYTHONS or name == "__iter__" or is_generator(v):
        return v
    if isinstance(v, _pytypes.FunctionType):
        return compile_(v)
    if isinstance(v, property):
        get = compile_(v.fget) if isinstance(v.fget, _pytypes.FunctionType) else v.fget
        set_ = compile_(v.fset) if isinstance(v.fset, _pytypes.FunctionType) else v.fset
        return property(get, set_, v.fdel, v.__doc__)
    if isinstance(v, staticmethod) and isinstance(v.__func__, _pytypes.FunctionType):
        return staticmethod(compile_(v.__func__))
    return v


# ---- functions that are written here ----


def _accessor(cls: str, field: str, desc: Any, compile_: Any, frozen: bool) -> property:
    file = f"<swathe {cls}.{field}>"
    setter = "__init__" if frozen else "set"  # elsewhere such a field is never stored
    of = desc[1] if isinstance(desc, tuple) and desc[0] == "optional" else desc
    kind = of[0] if isinstance(of, tuple) and of[0] in FROZEN else ""
    value = f"None if value is None else {kind}(value)" if kind else "value"
    text = (
        f"def get(self):\n    return self.{field}\n"
        f"def {setter}(self, value):\n    self.{field} = {value}\n"
    )
    ns: dict[str, Any] = {"__name__": "swathe._classes"}
    function("get", text, ns, file)
    get, set_ = compile_(ns["get"]), compile_(ns[setter])
    if not kind:
        return property(get, set_)
    show = FROZEN[kind]
    return property(lambda self: show(get(self)), set_)


def _maker(cls: type, init: Any, compile_: Any) -> Any:
    """What calling the class calls: a function like its __init__, which yields an instance."""
    from . import _classes

    name = cls.__name__
    head, call, keywords = parameters(init) if init else ([], [], "")
    if keywords:
        raise TypeError(f"jitclass(): the __init__ of {name} takes **{keywords}")
    text = f"def {name}({', '.join(head)}):\n    return made({', '.join(call)})\n"
    ns = {"__name__": cls.__module__, "made": cls}
    f = function(name, text, ns, f"<swathe {cls.__module__}.{cls.__qualname__}>")
    if init is not None:
        f.__defaults__, f.__kwdefaults__ = init.__defaults__, init.__kwdefaults__
    made = compile_(f)
    del _classes

    def __new__(asked: type, *args: Any, **kw: Any) -> Any:  # noqa: N807
        if asked is not cls and asked.__dict__.get("_swathe_generic") is not cls:
            raise TypeError(
                f"{asked.__name__} is derived from a compiled class and isn't compiled: "
                "decorate it with swathe.jitclass, too"
            )
        return made(*args, **kw)

    return __new__
