# SPDX-License-Identifier: BSD-3-Clause
"""What an exception class of the user's keeps of its arguments, and what it says.

The text of such an exception is told by a function that is written here, of `__init__` and
`__str__`: it takes the arguments and yields the text and all of them, defaults too."""

from __future__ import annotations

import ast
import builtins
import copy
import weakref
from types import FunctionType
from typing import Any

from ._class_ways import function, tree_of

_MOST = 3  # arguments: an error has room for so many values and its text
_made: Any = weakref.WeakKeyDictionary()


class _Unknown(Exception):
    """It can't be told what the exception says."""


def _python(cls: type, name: str, after: type | None = None) -> tuple[type, FunctionType] | None:
    """Return the first method in Python of that name, behind a class of the order of bases."""
    mro = cls.__mro__
    for k in mro[mro.index(after) + 1 if after else 0 :]:
        if isinstance(vars(k).get(name), FunctionType):
            return k, vars(k)[name]
    return None


def _is_plain(cls: type) -> bool:
    names = ("__new__", "__setattr__", "__getattr__", "__getattribute__")
    return not any(_python(cls, name) for name in names)


def _super_call(s: ast.stmt) -> ast.Call | None:
    call = s.value if isinstance(s, ast.Expr) else None
    is_one = (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr == "__init__"
    )
    return call if is_one else None  # type: ignore[return-value]


def _is_text(s: ast.stmt) -> bool:
    return isinstance(s, ast.Pass) or (
        isinstance(s, ast.Expr) and isinstance(s.value, ast.Constant)
    )


def _in_order(
    of: tuple[type, FunctionType] | None, args: list[ast.expr], named: list[ast.keyword]
) -> list[ast.expr]:
    """Return the arguments of a call without names, where these are the ones that come next."""
    if not named:
        return args
    by_name = {k.arg: k.value for k in named}
    order = _names(of[1])[1][1 + len(args) :] if of else []
    if order[: len(named)] != [k.arg for k in named]:
        raise _Unknown
    return [*args, *(by_name[n] for n in order[: len(named)])]


def _base(
    cls: type, k: type, f: FunctionType, call: ast.Call, me: str
) -> tuple[tuple[type, FunctionType] | None, list[ast.expr]]:
    """Return the __init__ that one of class k calls, None: Python's own; and with what."""
    of = call.func.value  # type: ignore[attr-defined]
    if any(isinstance(x, ast.Starred) for x in call.args):
        raise _Unknown
    if isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "super":
        above = _python(cls, "__init__", k)
        return above, _in_order(above, call.args, call.keywords)
    c = of.id if isinstance(of, ast.Name) else ""
    found = f.__globals__.get(c, getattr(builtins, c, None))
    first = call.args[0] if call.args else None
    if not isinstance(found, type) or not isinstance(first, ast.Name) or first.id != me:
        raise _Unknown
    above = _python(found, "__init__")
    return above, _in_order(above, call.args[1:], call.keywords)


def _assignments(s: ast.stmt) -> list[ast.stmt]:
    """Return `self.x, self.y = x, y`, and its kin, as assignments to one place each."""
    if isinstance(s, ast.AnnAssign) and s.value is not None and not s.simple:
        return [ast.copy_location(ast.Assign([s.target], s.value), s)]
    if not isinstance(s, ast.Assign):
        return [s]
    first, v = s.targets[0], s.value
    parts = first.elts if isinstance(first, ast.Tuple) else []
    values = v.elts if isinstance(v, ast.Tuple) else []
    pairs: list[tuple[ast.expr, ast.expr]] = [(t, v) for t in s.targets]
    if len(s.targets) == 1 and parts and len(parts) == len(values):
        pairs = list(zip(parts, values, strict=True))
    of = all(isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name) for t, _ in pairs)
    if not of or not all(isinstance(x, ast.Name | ast.Constant) for _, x in pairs):
        return [s]
    return [ast.copy_location(ast.Assign([t], x), s) for t, x in pairs]


def _one_by_one(tree: Any) -> Any:
    if tree is None:
        return None
    body = [x for s in tree.body for x in _assignments(s)]
    if len(body) == len(tree.body) and all(x is s for x, s in zip(body, tree.body, strict=True)):
        return tree
    new = copy.copy(tree)
    new.body = body
    return new


def _names(f: FunctionType) -> tuple[Any, list[str]]:
    tree = _one_by_one(tree_of(f))
    a = tree.args if tree else None
    if not a or a.vararg or a.kwarg or a.kwonlyargs or not (a.posonlyargs or a.args):
        raise _Unknown
    return tree, [x.arg for x in (*a.posonlyargs, *a.args)]


def _kept(cls: type, k: type, f: FunctionType) -> dict[str, str | None]:
    """Return which attributes are arguments of this __init__."""
    tree, names = _names(f)
    kept: dict[str, str | None] = {}
    changed: set[str] = set()
    for s in tree.body:
        call = _super_call(s)
        if call:
            base, args = _base(cls, k, f, call, names[0])
            inner = _kept(cls, *base) if base else {}
            theirs = _names(base[1])[1][1:] if base else []
            given = {n: v.id for n, v in zip(theirs, args, strict=False) if isinstance(v, ast.Name)}
            for attr, name in inner.items():
                of = given.get(name or "")
                kept[attr] = of if of in names[1:] and attr not in kept else None
        if call or _is_text(s):
            continue
        t = s.targets[0] if isinstance(s, ast.Assign) and len(s.targets) == 1 else None
        of = t.value if isinstance(t, ast.Attribute) else None
        if isinstance(t, ast.Attribute) and isinstance(of, ast.Name) and of.id == names[0]:
            is_one = isinstance(s.value, ast.Name) and s.value.id in names[1:]
            once = t.attr not in kept and not hasattr(cls, t.attr)
            kept[t.attr] = s.value.id if is_one and once else None
            continue
        for n in ast.walk(s):
            if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store):
                kept[n.attr] = None
            elif isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                changed.add(n.id)
            elif isinstance(n, ast.Call | ast.FunctionDef | ast.Lambda):
                raise _Unknown
    kept = {k: None if v in changed else v for k, v in kept.items()}
    return kept


def attributes(cls: type) -> str:
    """Return "name=k;..." of attributes that are argument k; "" where that can't be told."""
    found = _python(cls, "__init__")
    if not found or not _is_plain(cls):
        return ""
    try:
        kept = _kept(cls, *found)
        names = _names(found[1])[1]
    except _Unknown:
        return ""
    return "".join(f"{k}={names.index(v) - 1};" for k, v in kept.items() if v)


# ---- the text -----------------------------------------------------------------------------------


class _Fields(ast.NodeTransformer):
    """self.x becomes a variable."""

    def __init__(self, cls: type, me: str, prefix: str) -> None:
        self.cls, self.me, self.prefix = cls, me, prefix
        self.read: set[str] = set()
        self.set: set[str] = set()

    def visit_Attribute(self, n: ast.Attribute) -> ast.AST:
        if _is_class_name(n, self.me):
            return ast.copy_location(ast.Constant(self.cls.__name__), n)
        if not (isinstance(n.value, ast.Name) and n.value.id == self.me):
            return self.generic_visit(n)
        if hasattr(self.cls, n.attr):
            raise _Unknown
        store = isinstance(n.ctx, ast.Store)
        (self.set if store else self.read).add(n.attr)
        return ast.copy_location(ast.Name(self.prefix + n.attr, n.ctx), n)

    def visit_Name(self, n: ast.Name) -> ast.AST:
        if n.id == self.me:
            raise _Unknown
        return n


def _is_class_name(n: ast.Attribute, me: str) -> bool:
    of = n.value
    by_type = isinstance(of, ast.Call) and isinstance(of.func, ast.Name) and of.func.id == "type"
    of = of.args[0] if by_type and len(of.args) == 1 else of  # type: ignore[attr-defined]
    by_class = isinstance(of, ast.Attribute) and of.attr == "__class__"
    of = of.value if by_class else of  # type: ignore[attr-defined]
    named = isinstance(of, ast.Name) and of.id == me
    return n.attr == "__name__" and named and (by_type or by_class)


_BUILTINS = ("str", "repr", "len", "int", "float", "abs", "min", "max", "round", "sum", "sorted",
             "bool", "isinstance", "chr", "ord", "hex", "type")  # fmt: skip


def _check_names(body: list[ast.stmt], known: set[str], f: FunctionType) -> None:
    bound = set(known)
    for s in body:
        for n in ast.walk(s):
            if isinstance(n, (ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.Await)):
                raise _Unknown
            if isinstance(n, (ast.GeneratorExp, ast.FunctionDef, ast.Yield, ast.YieldFrom)):
                raise _Unknown
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store):
                bound.add(n.id)
    for s in body:
        for n in ast.walk(s):
            other = isinstance(n, ast.Name) and n.id not in bound
            if other and (n.id not in _BUILTINS or n.id in f.__globals__):
                raise _Unknown
            if other and n.id in f.__code__.co_freevars:
                raise _Unknown


class _Text:
    def __init__(self, cls: type) -> None:
        self.cls = cls
        self.lines: list[ast.stmt] = []
        self.count = 0

    def shown(self, args: list[ast.expr]) -> ast.expr:
        """What BaseException's str() makes of them."""
        key = self.cls.__str__ is KeyError.__str__
        if not args:
            return ast.Constant("")
        what = args[0] if len(args) == 1 else ast.Tuple(args, ast.Load())
        if isinstance(what, ast.JoinedStr) and not key:
            return what
        how = ord("r") if key and len(args) == 1 else ord("s")
        return ast.JoinedStr([ast.FormattedValue(what, how)])

    def init(self, k: type, f: FunctionType, given: list[ast.expr] | None) -> ast.expr | None:
        """Write out an __init__; what it says, None: nothing but its arguments. given: what it is
        called with, or None: the arguments of the exception."""
        tree, names = _names(f)
        prefix = f"_{self.count}_"  # of variables for attributes
        self.count += 1
        fields = _Fields(self.cls, names[0], prefix)
        body: list[ast.stmt] = []
        if given is None:
            self.params = names[1:]
            self.defaults = f.__defaults__ or ()
            known = set(self.params)
        else:
            defaults, missing = tree.args.defaults, len(names) - 1 - len(given)
            if not 0 <= missing <= len(defaults):
                raise _Unknown
            rest = defaults[len(defaults) - missing :]
            if not all(isinstance(d, ast.Constant) for d in rest):
                raise _Unknown
            known = {prefix + "of_" + n for n in names[1:]}
            for n, v in zip(names[1:], [*given, *rest], strict=True):
                self.lines.append(ast.Assign([ast.Name(prefix + "of_" + n, ast.Store())], v))
        says, called = None, False
        for s in tree.body:
            call = _super_call(s)
            if _is_text(s):
                continue
            if call is None:
                if any(isinstance(n, (ast.Return, ast.Raise, ast.Attribute)) and
                       (not isinstance(n, ast.Attribute) or n.attr == "__init__")
                       for n in ast.walk(s)):  # fmt: skip
                    raise _Unknown
                body.append(self.own(s, fields, names, prefix if given is not None else None))
                continue
            if called:
                raise _Unknown
            called = True
            base, args = _base(self.cls, k, f, call, names[0])
            _check_names(body, known, f)
            self.lines += body
            known |= {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name)}
            body = []
            args = [self.own(x, fields, names, prefix if given is not None else None) for x in args]
            _check_names([ast.Expr(x) for x in args], known, f)
            said = f"{prefix}_said"
            if base is None:
                self.lines.append(ast.Assign([ast.Name(said, ast.Store())], self.shown(args)))
                says = ast.Name(said, ast.Load())
            else:
                says = self.init(*base, args)
        _check_names(body, known, f)
        self.lines += body
        return self.by_str(fields, prefix) or says

    def own(self, n: Any, fields: _Fields, names: list[str], prefix: str | None) -> Any:
        """Python's tree with variables for attributes, and for parameters of another's."""
        n = fields.visit(copy.deepcopy(n))
        if prefix is not None:
            for x in ast.walk(n):
                if isinstance(x, ast.Name) and x.id in names[1:]:
                    x.id = prefix + "of_" + x.id
        elif any(
            isinstance(x, ast.Name) and isinstance(x.ctx, ast.Store) and x.id in self.params
            for x in ast.walk(n)
        ):  # the arguments are yielded as they were given
            self.changed = True
        return n

    def by_str(self, fields: _Fields, prefix: str) -> ast.expr | None:
        """What __str__ says, where this __init__ sets all that it asks for."""
        found = _python(self.cls, "__str__")
        if not found:
            return None
        tree = tree_of(found[1])
        body = [s for s in tree.body if not _is_text(s)] if tree else []
        if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
            raise _Unknown
        asks = _Fields(self.cls, tree.args.args[0].arg, prefix)
        e = asks.visit(copy.deepcopy(body[0].value))
        if not asks.read <= fields.set:
            return None
        _check_names([ast.Expr(e)], {prefix + n for n in fields.set}, found[1])
        self.by_method = True
        return e  # type: ignore[no-any-return]

    def make(self) -> tuple[str, int, tuple[Any, ...]]:
        by_method = _python(self.cls, "__str__")
        own = self.cls.__str__ in (BaseException.__str__, KeyError.__str__)
        found = _python(self.cls, "__init__")
        if not _is_plain(self.cls) or not (own or by_method):
            raise _Unknown
        if not found:
            says = self.by_str(_Fields(self.cls, "", ""), "")
            if says is None:
                raise _Unknown
            return f"def made(*args):\n    return ({ast.unparse(says)}, *args)\n", -1, ()
        self.changed = self.by_method = False
        says = self.init(*found, None)
        if len(self.params) > _MOST:
            raise _Unknown
        if by_method and not self.by_method:
            raise _Unknown
        given = [f"_given_{p}" if self.changed else p for p in self.params]
        args: list[ast.expr] = [ast.Name(p, ast.Load()) for p in given]
        says = says or self.shown(args)
        text = [f"def made({', '.join(self.params)}):"]
        if self.changed:
            text += (f"    {g} = {p}" for g, p in zip(given, self.params, strict=True))
        for s in self.lines:
            text += ("    " + x for x in ast.unparse(ast.fix_missing_locations(s)).splitlines())
        all_of = ast.Tuple([says, *args], ast.Load())
        text.append("    return " + ast.unparse(ast.fix_missing_locations(all_of)))
        return "\n".join(text) + "\n", len(self.params), self.defaults


def text(cls: type) -> str:
    """Return the text of the function that `made` yields; "" where there is none."""
    if cls not in _made:
        try:
            _made[cls] = _Text(cls).make()
        except (_Unknown, ValueError, AttributeError):
            _made[cls] = None
    found = _made[cls]
    return repr(found) if found else ""


def made(cls: type) -> tuple[FunctionType, int] | None:
    """Return a function of the arguments of such an exception that yields a tuple of its text and
    all of them, and how many there are (-1: as many as it is given)."""
    if not text(cls):
        return None
    says, n, defaults = _made[cls]
    f = function("made", says, {"__name__": __name__}, f"<swathe exception {cls.__qualname__}>")
    f.__defaults__ = defaults or None
    return f, n
