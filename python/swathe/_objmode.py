# SPDX-License-Identifier: BSD-3-Clause
"""Blocks under `with objmode(...)`: which names go in and come out, and the block as a function.

Takes the tree of the Python function and the statement; yields what the compiler puts in its place,
a call with names, and the function that the call runs. The one hard idea is what may be read
behind the block: all that it assigns and that is read there must be declared, or compiled code
would go on with what it had before.
"""

from __future__ import annotations
import __future__

import ast
import builtins
import contextlib
import hashlib
import types as pytypes
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .marks import objmode

Names = frozenset[str]
NONE: Names = frozenset()
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_FLAGS = 0
for _name in __future__.all_feature_names:
    _FLAGS |= getattr(__future__, _name).compiler_flag


class Refused(Exception):
    """What is wrong, where, and what to do about it."""

    def __init__(self, node: ast.AST, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.node, self.text, self.hint = node, text, hint


# ---- names of a scope ----------------------------------------------------------------------------


def _children(node: ast.AST) -> Iterator[ast.AST]:
    """What is evaluated in the scope of the node itself, where it is a function or a class."""
    if isinstance(node, _FUNCTIONS):
        a = node.args
        yield from (d for d in [*a.defaults, *a.kw_defaults] if d is not None)
        yield from getattr(node, "decorator_list", [])
    elif isinstance(node, ast.ClassDef):
        yield from [*node.bases, *(k.value for k in node.keywords), *node.decorator_list]
    else:
        yield from ast.iter_child_nodes(node)


def _bound(node: ast.AST) -> Iterator[str]:
    """Names that this very node binds or deletes."""
    if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from (a.asname or a.name.partition(".")[0] for a in node.names)
    elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
        yield from [node.name] if node.name else []
    elif isinstance(node, ast.MatchMapping):
        yield from [node.rest] if node.rest else []


def _walk(node: ast.AST, stop: Callable[[ast.AST], bool] = lambda n: False) -> Iterator[ast.AST]:
    """All that belongs to the scope: not what stands in functions, classes, and `stop` nodes."""
    yield node
    if not stop(node):
        for child in _children(node):
            yield from _walk(child, stop)


def _stores(nodes: Iterable[ast.AST], stop: Callable[[ast.AST], bool] = lambda n: False) -> Names:
    hidden: set[str] = set()
    names: set[str] = set()
    for node in nodes:
        for n in _walk(node, lambda n: isinstance(n, _COMPREHENSIONS) or stop(n)):
            names.update(_bound(n))
            if isinstance(n, (ast.Global, ast.Nonlocal)):
                hidden.update(n.names)
            elif isinstance(n, _COMPREHENSIONS):
                names.update(w.target.id for w in ast.walk(n) if isinstance(w, ast.NamedExpr))
    return frozenset(names - hidden)


def _declared(nodes: Iterable[ast.AST], kind: Any) -> Names:
    return frozenset(
        name for node in nodes for n in _walk(node) if isinstance(n, kind) for name in n.names
    )


def _params(fn: Any) -> Names:
    a = fn.args
    extra = [x for x in (a.vararg, a.kwarg) if x]
    return frozenset(p.arg for p in [*a.posonlyargs, *a.args, *a.kwonlyargs, *extra])


def _body(fn: Any) -> list[ast.AST]:
    return [fn.body] if isinstance(fn, ast.Lambda) else fn.body


def _reads(node: ast.AST | None) -> Names:
    """Names that evaluating the node, and what it makes, may read."""
    if node is None:
        return NONE
    if isinstance(node, ast.Name):
        return frozenset([node.id]) if isinstance(node.ctx, ast.Load) else NONE
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        return _reads(node.value) | {node.target.id}
    got = _all(_reads(c) for c in _children(node))
    if isinstance(node, _FUNCTIONS):
        inside = _all(_reads(c) for c in _body(node))
        return got | (inside - _params(node) - _stores(_body(node)))
    if isinstance(node, ast.ClassDef):
        return got | _all(_reads(c) for c in node.body)
    if isinstance(node, _COMPREHENSIONS):
        return got - _stores(g.target for g in node.generators)
    return got


def _all(sets: Iterable[Names]) -> Names:
    return frozenset().union(*sets)


# ---- what is read later --------------------------------------------------------------------------


class _Live:
    """Names whose values may be read after a point: from the end of a body to its start."""

    def __init__(self, target: ast.AST | None = None) -> None:
        self.target = target
        self.after: Names = NONE  # the target
        self.raised: Names = NONE  # where an exception leaves it
        self.error: Names = NONE  # where one goes from here
        self.jumps: list[tuple[Names, Names]] = []  # break, continue

    def block(self, body: list[Any], out: Names) -> Names:
        for s in reversed(body):
            out = self.statement(s, out)
        return out

    def statement(self, s: Any, out: Names) -> Names:
        if s is self.target:
            self.after |= out
            self.raised |= self.error
        one = getattr(self, f"_{type(s).__name__}", self._simple)
        return one(s, out) | self.error

    def _simple(self, s: Any, out: Names) -> Names:
        kills = _stores([s]) if not isinstance(s, ast.Delete) else NONE
        return (out - kills) | _reads(s)

    def _Return(self, s: Any, out: Names) -> Names:
        return _reads(s)

    _Raise = _Return

    def _Break(self, s: Any, out: Names) -> Names:
        return self.jumps[-1][0] if self.jumps else NONE

    def _Continue(self, s: Any, out: Names) -> Names:
        return self.jumps[-1][1] if self.jumps else NONE

    def _If(self, s: Any, out: Names) -> Names:
        return _reads(s.test) | self.block(s.body, out) | self.block(s.orelse, out)

    def _loop(self, s: Any, out: Names, test: Names, kills: Names) -> Names:
        end = self.block(s.orelse, out)
        head = end | test
        while True:
            self.jumps.append((out, head))
            more = head | (self.block(s.body, head) - kills)
            self.jumps.pop()
            if more == head:
                return head
            head = more

    def _While(self, s: Any, out: Names) -> Names:
        return self._loop(s, out, _reads(s.test), NONE)

    def _For(self, s: Any, out: Names) -> Names:
        kills = _stores([s.target])
        return _reads(s.iter) | self._loop(s, out, _reads(s.target), kills)

    def _With(self, s: Any, out: Names) -> Names:
        kills = _stores(i.optional_vars for i in s.items if i.optional_vars)
        return _all(_reads(i.context_expr) for i in s.items) | (self.block(s.body, out) - kills)

    def _Try(self, s: Any, out: Names) -> Names:
        outer, jumps = self.error, self.jumps
        leave = out
        if s.finalbody:
            others = outer | _all(b | c for b, c in jumps)
            leave = self.block(s.finalbody, out)
            self.error = self.block(s.finalbody, out | others)
        caught = self.error
        for h in s.handlers:
            inside = self.block(h.body, leave) - ({h.name} if h.name else NONE)
            caught |= inside | _reads(h.type)
        end = self.block(s.orelse, leave)
        self.error = caught
        begin = self.block(s.body, end)
        self.error = outer
        return begin

    _TryStar = _Try

    def _Match(self, s: Any, out: Names) -> Names:
        got = out | _reads(s.subject)
        for c in s.cases:
            got |= (
                _reads(c.guard)
                | self.block(c.body, out)
                | _all(_reads(n) for n in ast.walk(c.pattern))
            )
        return got


# ---- the block -----------------------------------------------------------------------------------


class _Where:
    """The function as Python has it, and what its names stand for."""

    def __init__(self, func: Any, imports: dict[str, Any] | None) -> None:
        self.func = func
        self.cells: dict[str, Any] = dict(
            zip(func.__code__.co_freevars, func.__closure__ or (), strict=True)
        )
        for name, value in (imports or {}).items():
            self.cells[name] = pytypes.CellType(value)

    def names(self) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for name, cell in self.cells.items():
            with contextlib.suppress(ValueError):
                known[name] = cell.cell_contents
        return known

    def value(self, e: ast.AST) -> Any:
        if isinstance(e, ast.Constant):  # what as_block has written
            return e.value
        if isinstance(e, ast.Attribute):
            return getattr(self.value(e.value), e.attr, None)
        if not isinstance(e, ast.Name):
            return None
        known = self.names()
        if e.id in known:
            return known[e.id]
        return self.func.__globals__.get(e.id, getattr(builtins, e.id, None))

    def is_block(self, s: ast.AST) -> bool:
        return (
            isinstance(s, ast.With)
            and isinstance(s.items[0].context_expr, ast.Call)
            and self.value(s.items[0].context_expr.func) is objmode
        )


def _path(node: ast.AST, target: ast.AST) -> list[ast.AST] | None:
    if node is target:
        return [node]
    for child in ast.iter_child_nodes(node):
        found = _path(child, target)
        if found:
            return [node, *found]
    return None


def _outputs(s: Any) -> list[str]:
    return [k.arg for k in s.items[0].context_expr.keywords if k.arg]


def _locals(fn: Any, where: _Where) -> Names:
    """Names that compiled code has: not those that only blocks assign."""
    names = _params(fn) | _stores(_body(fn), where.is_block)
    names -= _declared(_body(fn), (ast.Global, ast.Nonlocal))
    imported = frozenset(
        name
        for n in (n for s in _body(fn) for n in _walk(s, where.is_block))
        if isinstance(n, (ast.Import, ast.ImportFrom))
        for name in _bound(n)
    )
    blocks = [n for s in _body(fn) for n in _walk(s) if where.is_block(n)]
    return (names - imported) | _all(frozenset(_outputs(b)) for b in blocks)


def _check_jumps(nodes: list[Any], in_loop: bool = False) -> None:
    for n in nodes:
        if isinstance(n, ast.Return):
            raise Refused(n, "'return' in a block of objmode", "return behind the block")
        if isinstance(n, (ast.Break, ast.Continue)) and not in_loop:
            word = type(n).__name__.lower()
            raise Refused(
                n, f"'{word}' out of a block of objmode", f"set a flag, and {word} behind the block"
            )
        if isinstance(n, (ast.Yield, ast.YieldFrom)):
            raise Refused(n, "'yield' in a block of objmode", "yield behind the block")
        if isinstance(n, (ast.Await, ast.AsyncFor, ast.AsyncWith)):
            raise Refused(n, "async in a block of objmode")
        loop = isinstance(n, (ast.For, ast.While))
        for field, child in ast.iter_fields(n):
            inside = [
                c
                for c in (child if isinstance(child, list) else [child])
                if isinstance(c, ast.AST) and not isinstance(c, (*_FUNCTIONS, ast.ClassDef))
            ]
            _check_jumps(inside, in_loop or (loop and field == "body"))


def _check_read(s: Any, fn: Any, assigned: Names, outs: list[str], where: _Where) -> None:
    """What is assigned, and read behind the block, must be declared."""
    live = _Live(s)
    live.block(_body(fn), NONE)
    mine = _locals(fn, where)
    compiled = _all(
        _reads(n)
        for b in _body(fn)
        for n in _walk(b, where.is_block)
        if isinstance(n, (ast.Name, *_FUNCTIONS)) and not where.is_block(n)
    )
    nested = _all(
        _reads(n) for b in _body(fn) for n in _walk(b, where.is_block) if isinstance(n, _FUNCTIONS)
    )
    for name in sorted(assigned - set(outs)):
        if name in live.after or name in nested or (name not in mine and name in compiled):
            raise Refused(
                s.items[0].context_expr,
                f"'{name}', which the block assigns, is read behind it, and objmode does not "
                "declare it",
                f'say its type: objmode({name}="float64[:]")',
            )
    last = s.body[-1]
    plain = isinstance(last, (ast.Assign, ast.AnnAssign)) and all(
        isinstance(n, (ast.Name, ast.Tuple))
        for t in (last.targets if isinstance(last, ast.Assign) else [last.target])
        for n in _walk(t)
        if not isinstance(n, ast.expr_context)
    )
    early = _stores(s.body[:-1] if plain else s.body)
    for name in sorted(assigned & live.raised & early):
        raise Refused(
            s.items[0].context_expr,
            f"'{name}', which the block assigns, is read where an exception of the block is "
            "handled",
            "assign it in the last statement of the block, or to another name first",
        )


def _types(s: Any, where: _Where) -> tuple[list[str], list[str]]:
    """The types of the spec as text; and the global names that they were told by."""
    from .types import _text

    call, texts, used = s.items[0].context_expr, [], set()
    if call.args:
        raise Refused(call, "objmode() takes names with types only", 'objmode(y="float64[:]")')
    for k in call.keywords:
        if k.arg is None:
            raise Refused(call, "'**' in objmode()", "name the variables")
        try:
            code = compile(ast.Expression(k.value), "<objmode>", "eval")
            value = eval(code, where.func.__globals__, where.names())
            text = repr(value) if isinstance(value, pytypes.GenericAlias) else _text(value)
        except Exception as e:
            raise Refused(
                k.value,
                f"the type of '{k.arg}' in objmode is not known here: {e}",
                "a string, a type of swathe.types, or a global that is one",
            ) from None
        texts.append(text)
        used |= {n.id for n in ast.walk(k.value) if isinstance(n, ast.Name)}
    return texts, sorted(used - set(where.cells))


def _function(
    s: Any, fn: Any, ins: list[str], outs: list[str], unsure: Names, where: _Where, shift: int
) -> Any:
    func, at = where.func, s
    code = func.__code__
    outside = [n for b in _body(fn) for n in _walk(b) if isinstance(n, (ast.Global, ast.Nonlocal))]
    assigned = _stores(s.body) | _declared(s.body, (ast.Global, ast.Nonlocal))
    head: list[Any] = []
    for n in outside:
        names = [x for x in n.names if x in assigned and x not in ins]
        if names and not any(n is m for b in s.body for m in _walk(b)):
            head.append(type(n)(names))
    marker = "unbound."
    for name in ins:
        if name in unsure:
            same = ast.Compare(
                ast.Name(name, ast.Load()), [ast.Is()], [ast.Name(marker, ast.Load())]
            )
            head.append(ast.If(same, [ast.Delete([ast.Name(name, ast.Del())])], []))
    pairs = ast.Tuple([ast.Name(o, ast.Load()) for o in outs], ast.Load())
    params = ast.arguments([], [ast.arg(i) for i in ins], None, [], [], None, [])
    body = [*head, *s.body, ast.Return(pairs)]
    block = ast.FunctionDef(func.__name__, params, body, [], None, type_params=[])
    hidden = [*where.cells, marker]
    shell_params = ast.arguments([], [ast.arg(c) for c in hidden], None, [], [], None, [])
    if func.__name__ == "<lambda>":
        block.name = "block"
    shell = ast.FunctionDef("shell.", shell_params, [block], [], None, type_params=[])
    for node in (*head, block.args, pairs, body[-1], block, shell.args, shell):
        for n in ast.walk(node) if node in head else (node, *ast.iter_child_nodes(node)):
            if not hasattr(n, "lineno"):
                ast.copy_location(n, at)
    module = ast.Module([ast.fix_missing_locations(shell)], [])
    if shift:
        module = _shifted(module, shift)
    made = compile(module, code.co_filename, "exec", code.co_flags & _FLAGS, True)
    inner = next(c for c in made.co_consts if isinstance(c, pytypes.CodeType))
    inner = next(c for c in inner.co_consts if isinstance(c, pytypes.CodeType))
    cells = {**where.cells, marker: pytypes.CellType(objmode)}
    closure = tuple(cells[n] for n in inner.co_freevars)
    made_func = pytypes.FunctionType(inner, func.__globals__, inner.co_name, None, closure)
    made_func.__module__ = func.__module__
    return made_func


class _Parts(ast.NodeTransformer):
    """Takes `self.n`, `x.shape[0]`, `p.name()` of the function's variables out of a statement."""

    def __init__(self, names: Names, hidden: Names) -> None:
        self.names, self.hidden = names, hidden
        self.taken: list[ast.stmt] = []

    def visit(self, node: Any) -> Any:
        of, read = node, False
        while isinstance(of, (ast.Attribute, ast.Subscript, ast.Call)):
            read |= isinstance(of, ast.Attribute)
            of = of.func if isinstance(of, ast.Call) else of.value
        mine = read and isinstance(of, ast.Name) and of.id in self.names
        if not mine or _reads(node) & self.hidden:
            return self.generic_visit(node)
        name = f"told.{len(self.taken)}"
        to = ast.Assign([ast.Name(name, ast.Store())], node)
        self.taken.append(ast.fix_missing_locations(ast.copy_location(to, node)))
        return ast.copy_location(ast.Name(name, ast.Load()), node)


def as_block(root: Any, s: Any) -> ast.If:
    """Put the statement under objmode, in the tree itself, and return what stands there now.

    What it reads of the function's variables is read before, by compiled code, for instances can't
    be shown to Python.
    """
    chain = [n for n in _path(root, s) or [] if isinstance(n, _FUNCTIONS)]
    outside = _all(_declared(_body(f), ast.Global) for f in chain)
    imported = (_bound(n) for n in ast.walk(root) if isinstance(n, (ast.Import, ast.ImportFrom)))
    names = _all(_params(f) | _stores(_body(f)) for f in chain)
    names -= outside | _all(map(frozenset, imported))
    bound = frozenset(n.id for n in ast.walk(s) if isinstance(n, ast.Name)) & _all(
        _stores(g.target for g in n.generators) if isinstance(n, _COMPREHENSIONS) else _params(n)
        for n in ast.walk(s)
        if isinstance(n, (*_COMPREHENSIONS, ast.Lambda))
    )
    parts = _Parts(names, bound)
    call = ast.Call(ast.Constant(objmode), [], [])
    block = ast.If(ast.Constant(True), [], [])
    for node in ast.walk(root):
        for _, body in ast.iter_fields(node):
            if isinstance(body, list):
                body[:] = [block if x is s else x for x in body]
    told = s.value
    told.args = [parts.visit(a) for a in told.args]
    told.keywords = [parts.visit(k) for k in told.keywords]
    block.body = [*parts.taken, ast.With([ast.withitem(call)], [s])]
    return ast.fix_missing_locations(ast.copy_location(block, s))


def _shifted(module: ast.Module, by: int) -> ast.Module:
    """With the lines of the file; the tree itself is the compiler's, and stays as it is."""
    import copy

    return ast.increment_lineno(copy.deepcopy(module), by)


def block(
    root: Any, s: Any, func: Any, imports: dict[str, Any] | None, shift: int
) -> tuple[Any, ...]:
    """Return (key, outs, types, ins, function, globals), or (node, text, hint) of what is wrong."""
    try:
        return _block(root, s, func, _Where(func, imports), shift)
    except Refused as e:
        return e.node, e.text, e.hint


def _block(root: Any, s: Any, func: Any, where: _Where, shift: int) -> tuple[Any, ...]:
    call = s.items[0].context_expr
    if len(s.items) > 1:
        raise Refused(call, "objmode beside another context manager", "write two with statements")
    if s.items[0].optional_vars is not None:
        raise Refused(call, "'as' after objmode()")
    _check_jumps(s.body)
    texts, used = _types(s, where)
    outs = _outputs(s)
    chain = [n for n in _path(root, s) or [] if isinstance(n, _FUNCTIONS)]
    fn = chain[-1]
    assigned = _stores(s.body) - _declared(_body(fn), (ast.Global, ast.Nonlocal))
    for name in outs:
        if name not in assigned:
            raise Refused(
                call, f"'{name}' is declared in objmode, and the block does not assign it"
            )
    _check_outer(s, chain, where)
    _check_read(s, fn, assigned, outs, where)
    exposed = _Live().block(s.body, frozenset(outs))
    ins: list[str] = []
    elsewhere = NONE
    for f in chain:
        mine = _locals(f, where)
        if f is fn:
            mine -= {
                n for n in assigned if n not in _params(fn) and not _elsewhere(n, fn, s, where)
            }
        elsewhere = (elsewhere - _stores(_body(f))) | mine
    ins = sorted(exposed & elsewhere)
    unsure = frozenset(n for n in ins if n not in _params(fn))
    function = _function(s, fn, ins, outs, unsure, where, shift)
    what = (ast.dump(s, include_attributes=True), func.__qualname__, func.__module__, shift)
    key = hashlib.sha256(repr((what, ins, texts)).encode()).hexdigest()[:24]
    return key, tuple(outs), tuple(texts), tuple(ins), function, tuple(used)


def _elsewhere(name: str, fn: Any, s: Any, where: _Where) -> bool:
    """Whether anything but the block assigns it, or the block before, in a loop."""
    if name in _stores(_body(fn), lambda n: n is s or where.is_block(n)):
        return True
    blocks = [n for b in _body(fn) for n in _walk(b) if where.is_block(n) and n is not s]
    if any(name in _outputs(b) for b in blocks):
        return True
    path = _path(fn, s) or []
    return name in _outputs(s) and any(isinstance(n, (ast.For, ast.While)) for n in path)


def _check_outer(s: Any, chain: list[Any], where: _Where) -> None:
    """Variables of outer scopes that the block assigns: compiled code does not look again."""
    fn = chain[-1]
    outer = _declared([*s.body, *_body(fn)], (ast.Global, ast.Nonlocal))
    written = frozenset(n for b in s.body for x in _walk(b) for n in _bound(x)) & outer
    if not written:
        return
    for f in chain:
        for name in sorted(written):
            if f is not fn and name in _locals(f, where):
                raise Refused(
                    s.items[0].context_expr,
                    f"'{name}', which the block assigns, is a variable of compiled code around it",
                    "declare it in objmode, in the function that has it",
                )
            read = _all(
                _reads(n)
                for b in _body(f)
                for n in _walk(b, where.is_block)
                if not where.is_block(n) and isinstance(n, (ast.Name, *_FUNCTIONS))
            )
            if name in read:
                raise Refused(
                    s.items[0].context_expr,
                    f"'{name}', which the block assigns, is a global that compiled code "
                    "reads, which takes it for a constant",
                    'read it in a block, too: objmode(value="float64")',
                )
