# SPDX-License-Identifier: BSD-3-Clause
"""Imports inside a function: done when it is compiled, so that what they bind are constants.

That is what they mean where each use of a name comes after an import of it in the same block, or in
one within, and nothing else binds the name. Any other import is refused.
"""

from __future__ import annotations

import ast
import builtins
import sys
from types import ModuleType
from typing import Any

FIXED = ("math", "cmath", "numpy", "swathe")  # nobody rebinds what these hold
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
IMPORTS = (ast.Import, ast.ImportFrom)
FAILS = "an import that fails"
OTHERS = "a name that an import and other statements bind"
SEVERAL = "one name for what several imports bind"
EARLY = "a name that is used where no import has bound it for sure"
OUTER = "a name that means something else outside of the function that imports it"


def bound_by(alias: ast.alias, node: ast.AST) -> str:
    return alias.asname or (
        alias.name.split(".")[0] if isinstance(node, ast.Import) else alias.name
    )


class Scope:
    """A function, or a comprehension, whose targets are its own."""

    def __init__(self, outer: Scope | None, node: ast.AST) -> None:
        self.outer, self.node = outer, node
        self.others: set[str] = set()  # what is bound by other than imports
        self.imports: dict[str, list[ast.AST]] = {}
        self.elsewhere: set[str] = set()  # global and nonlocal

    def function(self) -> Scope:
        return self.outer.function() if isinstance(self.node, COMPREHENSIONS) else self


def is_objmode(node: ast.AST) -> bool:
    """Such a block runs in Python, imports and all."""
    call = node.items[0].context_expr if isinstance(node, ast.With) else None
    return isinstance(call, ast.Call) and ast.unparse(call.func).split(".")[-1] == "objmode"


class Walk:
    def __init__(self, root: ast.AST) -> None:
        self.scopes: list[Scope] = []
        self.uses: list[tuple[ast.Name, Scope]] = []
        self.function(root, None)

    def function(self, node: Any, outer: Scope | None) -> None:
        scope = Scope(outer, node)
        self.scopes.append(scope)
        a = node.args
        params = [*a.posonlyargs, *a.args, *a.kwonlyargs, *filter(None, (a.vararg, a.kwarg))]
        scope.others.update(p.arg for p in params)
        for s in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(s, scope)

    def visit(self, node: ast.AST, scope: Scope) -> None:
        if is_objmode(node):
            return
        function = scope.function()
        if isinstance(node, FUNCTIONS):
            if not isinstance(node, ast.Lambda):
                function.others.add(node.name)
                for d in node.decorator_list:
                    self.visit(d, scope)
            for d in [*node.args.defaults, *filter(None, node.args.kw_defaults)]:
                self.visit(d, scope)
            self.function(node, scope)
        elif isinstance(node, COMPREHENSIONS):
            inner = Scope(scope, node)
            self.scopes.append(inner)
            for child in ast.iter_child_nodes(node):
                self.visit(child, inner)
        elif isinstance(node, IMPORTS):
            for alias in node.names:
                function.imports.setdefault(bound_by(alias, node), []).append(node)
        else:
            self.name(node, scope, function)
            for child in ast.iter_child_nodes(node):
                self.visit(child, scope)

    def name(self, node: Any, scope: Scope, function: Scope) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Load):
                self.uses.append((node, scope))
            else:
                scope.others.add(node.id)
        elif isinstance(node, ast.NamedExpr):
            function.others.add(node.target.id)
        elif isinstance(node, (ast.Global, ast.Nonlocal)):
            function.elsewhere.update(node.names)
        elif isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
            function.others.add(node.name)
        elif isinstance(node, ast.MatchMapping) and node.rest:
            function.others.add(node.rest)


def binds(s: ast.AST, name: str) -> bool:
    """Has an import bound the name behind this statement, whatever it does?"""
    if isinstance(s, IMPORTS):
        return any(bound_by(a, s) == name for a in s.names)
    if isinstance(s, ast.If):
        return bool(s.orelse) and all(any(binds(x, name) for x in b) for b in (s.body, s.orelse))
    if isinstance(s, ast.Try):
        return any(binds(x, name) for x in s.finalbody)
    return isinstance(s, ast.With) and not is_objmode(s) and any(binds(x, name) for x in s.body)


def bound_in(node: ast.AST, name: str, done: bool, found: set[int]) -> None:
    """Puts the uses of the name that come after an import of it into `found`."""
    if done and isinstance(node, ast.Name):
        found.add(id(node))
    for _, field in ast.iter_fields(node):
        now = done
        for x in field if isinstance(field, list) else [field]:
            if isinstance(x, ast.AST):
                bound_in(x, name, now, found)
                now = now or binds(x, name)


def owner_of(name: str, scope: Scope | None) -> Scope | None:
    while scope and name not in scope.others and name not in scope.imports:
        scope = scope.outer
    return scope


def done(node: Any, names: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """What an import binds, and where that is: (dict, key, value)."""
    deps: list[Any] = []

    def loaded(module: str) -> Any:
        m = sys.modules[module]
        deps.append((sys.modules, module, m))
        return m

    if isinstance(node, ast.Import):
        values = {}
        for a in node.names:
            m = __import__(a.name, names)
            for part in a.name.split(".")[1:] if a.asname else []:
                m = getattr(m, part)
            loaded(a.name if a.asname else a.name.split(".")[0])
            values[bound_by(a, node)] = m
        return values, deps
    wanted = [a.name for a in node.names]
    m = __import__(node.module or "", names, None, wanted, node.level)
    values = {a.asname or a.name: getattr(m, a.name) for a in node.names}
    if isinstance(m, ModuleType) and sys.modules.get(m.__name__) is m:
        loaded(m.__name__)
        if m.__name__.split(".")[0] not in FIXED:
            deps += [(vars(m), a.name, values[a.asname or a.name]) for a in node.names]
    return values, deps


def outside(name: str, func: Any) -> Any:
    cells = dict(zip(func.__code__.co_freevars, func.__closure__ or (), strict=True))
    if name in cells:
        try:
            return cells[name].cell_contents
        except ValueError:
            return None
    return func.__globals__.get(name, getattr(builtins, name, None))


def wrong(walk: Walk, func: Any, values: dict[str, Any]) -> list[tuple[Any, str]]:
    """Import statements and why the names that they bind can't be constants."""
    found: list[tuple[Any, str]] = []
    for scope in walk.scopes:
        for name, nodes in scope.imports.items():
            if name not in values:
                continue
            if name in scope.elsewhere or name in scope.others:
                found.append((nodes[0], OTHERS))
                continue
            after: set[int] = set()
            bound_in(scope.node, name, False, after)
            for use, at in walk.uses:
                if use.id == name and owner_of(name, at) is scope and id(use) not in after:
                    found.append((nodes[0], EARLY))
                    break
    for name, v in values.items():
        outer = any(use.id == name and not owner_of(name, at) for use, at in walk.uses)
        if outer and outside(name, func) is not v:
            found += [(s.imports[name][0], OUTER) for s in walk.scopes if name in s.imports]
    return found


def bindings(
    root: Any, func: Any
) -> tuple[dict[str, Any], dict[int, str], list[tuple[Any, str]], list[Any]]:
    """Names and what they stand for, which statements fail (by id), which are not supported
    wherever they are, and what that rests on."""
    walk = Walk(root)
    values: dict[str, Any] = {}
    fails: dict[int, str] = {}
    several: list[tuple[Any, str]] = []
    deps: list[Any] = []
    for scope in walk.scopes:
        for node in {id(n): n for nodes in scope.imports.values() for n in nodes}.values():
            try:
                new, where = done(node, func.__globals__)
            except MemoryError:
                raise
            except Exception:  # perhaps it never runs; where it does, it would raise
                fails[id(node)] = FAILS
                new, where = {bound_by(a, node): None for a in node.names}, []
            deps += where
            for name, v in new.items():
                if values.setdefault(name, v) is not v:
                    several.append((node, SEVERAL))
    return values, fails, several + wrong(walk, func, values), deps
