# SPDX-License-Identifier: BSD-3-Clause
"""What classes of instances get beside what they are written with: how compiled code goes through
them, `!=`, and how they are copied and pickled.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
import types as _pytypes
import weakref
from collections.abc import Iterator
from typing import Any

_trees: Any = weakref.WeakKeyDictionary()  # of functions; classes share those of their bases


def object_init(self: Any) -> None:
    """`super().__init__()` where no class above has one."""


def asked_above(own: Any) -> list[str]:
    """Return the names that methods of a class may ask for by `super()`."""
    names: dict[str, None] = {}
    for f in own.values():
        f = f.fget if isinstance(f, property) else getattr(f, "__func__", f)
        code = f.__code__ if isinstance(f, _pytypes.FunctionType) else None
        if code and "super" in code.co_names:
            names.update(dict.fromkeys(code.co_names))
    return list(names)


def tree_of(func: Any) -> Any:
    """Return the tree of a function, which nobody changes; None: its text is not known."""
    try:
        return _trees[func]
    except (KeyError, TypeError):
        tree = _read_tree(func)
    if isinstance(func, _pytypes.FunctionType):
        _trees[func] = tree
    return tree


def nodes_of(tree: Any) -> list[ast.AST]:
    """Return all nodes of such a tree, which keeps them."""
    if not hasattr(tree, "swathe_nodes"):
        tree.swathe_nodes = list(ast.walk(tree))
    return tree.swathe_nodes


_LONG = 4000  # lines of a file: to read one function of it takes less than to read all
_files: dict[str, tuple[list[str], dict[tuple[int, str], ast.FunctionDef]]] = {}


def _statements(body: list[Any]) -> Iterator[Any]:
    for n in body:
        yield n
        for field in ("body", "orelse", "handlers", "finalbody", "cases"):
            yield from _statements(getattr(n, field, ()))


def _functions_of(file: str) -> dict[tuple[int, str], ast.FunctionDef]:
    """The functions of a file as it is now, by where they begin and their names."""
    linecache.checkcache(file)
    lines = linecache.getlines(file)
    if file in _files and _files[file][0] is lines:
        return _files[file][1]
    found: dict[tuple[int, str], ast.FunctionDef] = {}
    try:
        tree = ast.parse("".join(lines) if len(lines) <= _LONG else "")
        for n in _statements(tree.body):
            if isinstance(n, ast.FunctionDef):
                first = min([n.lineno, *(d.lineno for d in n.decorator_list)])
                found[first, n.name] = n
    except (SyntaxError, ValueError):
        found = {}
    _files[file] = lines, found
    return found


def _read_alone(func: Any) -> Any:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(func)))
    except (OSError, SyntaxError, TypeError):
        return None
    return tree.body[0] if tree.body else None


def _read_tree(func: Any) -> Any:
    code = getattr(inspect.unwrap(func), "__code__", None)
    found: Any = None
    if code:
        found = _functions_of(code.co_filename).get((code.co_firstlineno, code.co_name))
    found = found or _read_alone(func)
    of = func.__qualname__.rpartition(".")[0].rpartition(".")[2].lstrip("_")
    for n in ast.walk(found) if of and found else ():
        private = isinstance(n, ast.Attribute) and n.attr.startswith("__")
        if private and not n.attr.endswith("__"):  # type: ignore[attr-defined]
            n.attr = f"_{of}{n.attr}"  # type: ignore[attr-defined]
    return found if isinstance(found, ast.FunctionDef) else None


def is_generator(v: Any) -> bool:
    return isinstance(v, _pytypes.FunctionType) and bool(v.__code__.co_flags & inspect.CO_GENERATOR)


def function(name: str, text: str, ns: dict[str, Any], file: str) -> Any:
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    exec(compile(text, file, "exec"), ns)  # noqa: S102 - made of names alone
    return ns[name]


def _fixed(x: Any) -> Any:
    return x if x is None else tuple(x)


# What Python is shown of a container: a copy that can't change, as changes would be lost.
FROZEN = {
    "list": _fixed,
    "dict": lambda x: x if x is None else _pytypes.MappingProxyType(x),
    "set": lambda x: x if x is None else frozenset(x),
}


def not_equal(members: dict[str, Any]) -> None:
    """Add the `!=` that Python makes of an __eq__."""
    if isinstance(members.get("__eq__"), _pytypes.FunctionType) and "__ne__" not in members:
        text = "def __ne__(self, other):\n    return not (self == other)\n"
        members["__ne__"] = function("__ne__", text, {"__name__": __name__}, "<swathe !=>")


# ---- attributes of a class that an instance has until it stores its own ----

_DEFAULTS = (bool, int, float, complex, str, bytes, type(None))


def raw_init(cls: type) -> str:
    """Return the name of what the class's __init__ is where it begins with such attributes."""
    return f"_swathe_init_{cls.__name__}"


def parameters(f: Any) -> tuple[list[str], list[str], str]:
    """Return what to write in the head of a function that takes what the method f takes, and in a
    call of f; what of it is `**keywords`, which neither has."""
    params = list(inspect.signature(f).parameters.values())[1:]
    head, call, star, keywords = [], [], False, ""
    for i, p in enumerate(params):
        if p.kind is p.VAR_KEYWORD:
            keywords = p.name
            continue
        if p.kind is p.KEYWORD_ONLY and not star:
            head.append("*")
            star = True
        text = f"*{p.name}" if p.kind is p.VAR_POSITIONAL else p.name
        star |= p.kind is p.VAR_POSITIONAL
        head.append(text)
        call.append(f"{p.name}={p.name}" if p.kind is p.KEYWORD_ONLY else text)
        last = i + 1 == len(params) or params[i + 1].kind is not p.POSITIONAL_ONLY
        if p.kind is p.POSITIONAL_ONLY and last:
            head.append("/")
    return head, call, keywords


def begin_with(cls: type, defaults: dict[str, Any], members: dict[str, Any]) -> None:
    """Let __init__ first store what an instance has of its class for the fields of these names."""
    for name, v in defaults.items():
        if not isinstance(v, _DEFAULTS):
            what = f"'{name}' of {cls.__name__} is a {type(v).__name__} of the class, and a field"
            raise TypeError(f"jitclass(): {what}: store it in __init__")
    own = members.get("__init__")
    head, call, keywords = parameters(own) if own else ([], [], "")
    if keywords:
        raise TypeError(f"jitclass(): the __init__ of {cls.__name__} takes **{keywords}")
    text = f"def __init__({', '.join(['self', *head])}):\n"
    ns = {"__name__": cls.__module__, **{f"default_{k}": v for k, v in defaults.items()}}
    for name in defaults:
        text += f"    self.{name} = default_{name}\n"
    if own:
        members[raw_init(cls)] = own
        text += f"    self.{raw_init(cls)}({', '.join(call)})\n"
    file = f"<swathe {cls.__module__}.{cls.__qualname__}.__init__>"
    made = members["__init__"] = function("__init__", text, ns, file)
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    if own:
        made.__defaults__, made.__kwdefaults__ = own.__defaults__, own.__kwdefaults__


def names_base(n: ast.AnnAssign) -> bool:
    """Is it `x: Dict[str, int] = defaultdict(int)`, whose annotation names no class of containers
    but what one derives from? Use tells more."""
    made = ast.unparse(n.value.func).split(".")[-1] if isinstance(n.value, ast.Call) else ""
    said = ast.unparse(n.annotation).strip("'\"").split("[")[0].split(".")[-1]
    kinds = ("defaultdict", "OrderedDict", "Counter", "deque")
    return made in kinds and said.lower() != made.lower()


def refuse_abstract(cls: type, members: dict[str, Any]) -> None:
    """Let no instance be made of a class with abstract methods."""
    if not getattr(cls, "__abstractmethods__", None):
        return
    try:
        object.__new__(cls)
    except TypeError as e:
        text = f"def __init__(self, *args):\n    raise TypeError({str(e)!r})\n"
        file = f"<swathe {cls.__module__}.{cls.__qualname__}.__init__>"
        members[raw_init(cls)] = members.get("__init__")
        members["__init__"] = function("__init__", text, {"__name__": cls.__module__}, file)


# ---- copies in compiled code ----


def add_copies(cls: type, fields: Any, members: dict[str, Any]) -> None:
    """Add what `copy.copy` and `copy.deepcopy` call in compiled code: a blank instance, and then
    its fields; maybe: where one may be unset."""
    from . import _copy, _objects, static_fail

    ns = {"__name__": __name__, "part": _copy.deep_part, "address": _objects.address}
    ns |= {"fail": static_fail, "copies": _objects.copies}
    plain = "def instance_copied_(self):\n    new = type(self)._swathe_blank()\n"
    deep = (
        "def instance_deep_(self, memo, seen, root):\n"
        "    k = address(self)\n"
        "    if copies(root, self):\n"
        "        if k in memo:\n"
        "            return memo[k]\n"
        "        new = type(self)._swathe_blank()\n"
        "        memo[k] = new\n"
        "    else:\n"
        "        if k in seen:\n"
        f"            raise ValueError({_copy.TWICE!r})\n"
        "        seen.add(k)\n"
        "        new = type(self)._swathe_blank()\n"
    )
    for name, _, maybe, *_ in fields:
        one, two = f"new.{name} = self.{name}", f"new.{name} = part(self.{name}, memo, seen, root)"
        if maybe:
            one, two = (
                f"try:\n        {t}\n    except AttributeError:\n        pass" for t in (one, two)
            )
        plain += f"    {one}\n"
        deep += f"    {two}\n"
    if "__copy__" in members:
        plain = "def instance_copied_(self):\n    new = self.__copy__()\n"
    own = [
        n for n in ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__") if n in members
    ]
    if own and "__copy__" not in members:
        text = f"copy.copy() of an instance whose class has a {own[0]}"
        plain = f"def instance_copied_(self):\n    fail({text!r})\n    new = self\n"
    if "__deepcopy__" in members or own:
        own = ["__deepcopy__", *own] if "__deepcopy__" in members else own
        text = f"copy.deepcopy() of an instance whose class has a {own[0]}"
        deep = f"def instance_deep_(self, memo, seen, root):\n    fail({text!r})\n    new = self\n"
    for name, text in (("instance_copied_", plain), ("instance_deep_", deep)):
        file = f"<swathe {cls.__module__}.{cls.__qualname__}.{name}>"
        members[name] = function(name, text + "    return new\n", ns, file)


# ---- pickle and copy: a blank instance, and then its fields ----


def reduce_ex(self: Any, protocol: int) -> Any:
    cls = type(self)
    own = getattr(cls, "__getstate__", None)
    if own is not None and own is not getattr(object, "__getstate__", None):
        state = self.__getstate__()
    else:
        state = {}
        for name, desc, *_ in cls._swathe_class[0]:
            try:
                v = getattr(self, name)
            except AttributeError:
                continue
            of = desc[1] if isinstance(desc, tuple) and desc[0] == "optional" else desc
            kind = of[0] if isinstance(of, tuple) else ""
            state[name] = (
                {"list": list, "dict": dict, "set": set}[kind](v)
                if (kind in FROZEN and v is not None)
                else v
            )
    generic = cls.__dict__.get("_swathe_generic", cls)
    from ._classes import _inner

    types = (
        None if generic is cls else tuple(_inner(f[1], cls, generic) for f in cls._swathe_class[0])
    )
    return _blank, (generic, types), state


def setstate(self: Any, state: Any) -> None:
    for k, v in state.items():
        setattr(self, k, v)


def _blank(cls: Any, types: Any = None) -> Any:
    """Return an instance whose __init__ nobody has run."""
    from . import njit

    if types is not None:
        from ._classes import chosen

        cls = chosen(cls, types)
    make = cls.__dict__.get("_swathe_blank")
    if make is None:
        text = "def blank():\n    return made._swathe_blank()\n"
        f = function("blank", text, {"__name__": __name__, "made": cls}, f"<swathe {cls}>")
        make = staticmethod(njit(f))
        cls._swathe_blank = make
    return make.__func__()


# How one goes through an instance, for a class whose __iter__ isn't a generator.
_WAYS = {
    "__next__": """
    it = self.__iter__()
    while True:
        try:
            v = it.__next__()
        except StopIteration:
            return
        yield v
""",
    "__iter__": """
    it = self.__iter__()
    for v in it:
        yield v
""",
    "__getitem__": """
    i = 0
    while True:
        try:
            v = self[i]
        except IndexError:
            return
        yield v
        i += 1
""",
}


def _iter_of(f: Any) -> tuple[str, str] | None:
    """Of `def __iter__(me): return iter(e)`: me, and e, where it is of nothing else."""
    tree = tree_of(f) if f else None
    body = [s for s in tree.body if not isinstance(s, ast.Expr)] if tree else []
    v = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    if not (isinstance(v, ast.Call) and isinstance(v.func, ast.Name) and v.func.id == "iter"):
        return None
    me = tree.args.args[0].arg if len(tree.args.args) == 1 else ""
    names = {n.id for n in ast.walk(v) if isinstance(n, ast.Name)}
    return (me, ast.unparse(v.args[0])) if len(v.args) == 1 and names == {me, "iter"} else None


def _is_self(f: Any) -> bool:
    """Is it `def __iter__(me): return me`?"""
    tree = tree_of(f) if f else None
    body = [s for s in tree.body if not isinstance(s, (ast.Expr, ast.Pass))] if tree else []
    v = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
    me = tree.args.args[0].arg if tree and len(tree.args.args) == 1 else ""
    return isinstance(v, ast.Name) and v.id == me


# `x in o` of a class that has no more than a __getitem__
_SEARCH = """def __contains__(self, x):
    i = 0
    while True:
        try:
            v = self[i]
        except IndexError:
            return False
        if v == x:
            return True
        i += 1
"""


def add_iterated(name: str, members: dict[str, Any]) -> None:
    """Add what compiled code goes through instances by, and what makes an iterator of one that is
    its own: with no more than `return self`, nobody can tell when it was asked."""
    members["iter *"] = iterated(name, members)
    if "__contains__" not in members and not members.get("__iter__") and members["iter *"]:
        file = f"<swathe in of {name}>"
        members["__contains__"] = function("__contains__", _SEARCH, {"__name__": __name__}, file)
    if _is_self(members.get("__iter__")) and "__next__" in members:
        members["iter object"] = members["iter *"]


def iterated(name: str, members: dict[str, Any]) -> Any:
    """Return the generator that compiled code goes through instances by (core/ast/iterate.c)."""
    own = members.get("__iter__")
    if is_generator(own):
        return own
    of = _iter_of(own)
    if of:
        text = f"def iterated({of[0]}):\n    for v in {of[1]}:\n        yield v\n"
        return function("iterated", text, {"__name__": __name__}, f"<swathe iter of {name}>")
    names = ("__next__", "__iter__") if own else ("__getitem__",)
    way = next((k for k in names if isinstance(members.get(k), _pytypes.FunctionType)), None)
    if way is None:
        return None
    text = f"def iterated(self):{_WAYS[way]}"
    return function("iterated", text, {"__name__": __name__}, f"<swathe iter of {name} by {way}>")
