# SPDX-License-Identifier: BSD-3-Clause
"""From a function as it is written here to one that swathe reads.

Takes templates with their signatures, and yields functions with a tree of their own
(``_swathe_tree``): names of this interface are what `names` says, a parameter has the type that its
signature gives it, a struct's pointer is a tuple of arrays, one a field, and a kernel ends at once
in threads beyond the count. Lines and columns stay those of the file, so that errors show it.
"""

from __future__ import annotations

import ast
import copy
import types
from typing import Any

from swathe import marks

from . import names
from .signature import Signature
from .source import Template, signature_of
from .types import (
    CudaPyError,
    CudaTypeError,
    FunctionType,
    Pointer,
    Struct,
    TemplateError,
    Type,
    Void,
)

_BARRIERS = {n for n in names.KERNEL if "syncthreads" in n}


class Unit:
    """The functions that are compiled together, each read once for what it is bound to."""

    def __init__(self, listed: list[Template], sigs: dict[str, Signature]) -> None:
        self.listed = {t.__name__: t for t in listed}
        self.sigs = sigs
        self.made: dict[Any, types.FunctionType] = {}
        self.has_barrier = False

    def signature(self, template: Template) -> Signature | None:
        """Return the signature; None for a function that goes by the types it is called with."""
        if self.listed.get(template.__name__) is template:
            return self.sigs[template.__name__]
        return signature_of(template, None)

    def function(self, template: Template) -> types.FunctionType:
        """Return a helper to be called from kernels."""
        made = self.made.get(template)
        if made is None:
            sig = self.signature(template)
            params = [a.arg for a in template._source.node.args.args]
            made = self.made[template] = _shell(template._function, params)
            node = _Rewrite(self, template, sig, {}).helper()
            made._swathe_tree = (node, True)  # type: ignore[attr-defined]
        return made

    def kernel(self, template: Template, axes: str, bound: dict[str, Any]) -> types.FunctionType:
        """Return the kernel, with a count of threads as a parameter for each of `axes`."""
        work = _Rewrite(self, template, self.signature(template), bound)
        node = work.kernel(axes)
        made = _shell(template._function, [a.arg for a in node.args.args])
        made._swathe_tree = (node, True)  # type: ignore[attr-defined]
        return made


def _shell(func: types.FunctionType, params: list[str]) -> types.FunctionType:
    """Return a function with these parameters, which nobody runs: swathe reads its tree."""
    space: dict[str, Any] = {}
    exec(f"def shell({', '.join(params)}): pass", space)
    old = func.__code__
    code = space["shell"].__code__.replace(
        co_filename=old.co_filename, co_name=old.co_name, co_firstlineno=old.co_firstlineno
    )
    made = types.FunctionType(code, func.__globals__, func.__name__)
    made.__qualname__, made.__module__ = func.__qualname__, func.__module__
    made.__doc__ = func.__doc__
    return made


def _stored(node: ast.AST) -> set[str]:
    """Names that are bound somewhere in a function."""
    found = set()
    for n in ast.walk(node):
        if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load):
            found.add(n.id)
        elif isinstance(n, ast.arg):
            found.add(n.arg)
        elif isinstance(n, ast.FunctionDef) and n is not node:
            found.add(n.name)
    return found


def _const(value: Any) -> ast.expr:
    return ast.Constant(value)


def _load(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def _call(what: Any, *args: ast.expr) -> ast.Call:
    return ast.Call(_const(what), list(args), [])


def _place(new: ast.AST, at: ast.AST) -> Any:
    """Where `new` has no lines, it has those of `at`."""
    for n in ast.walk(new):
        if isinstance(n, (ast.stmt, ast.expr)) and not hasattr(n, "lineno"):
            ast.copy_location(n, at)
    return new


class _Rewrite(ast.NodeTransformer):
    def __init__(
        self, unit: Unit, template: Template, sig: Signature | None, bound: dict[str, Any]
    ) -> None:
        self.unit = unit
        self.template = template
        self.func = template._function
        self.sig = sig
        self.bound = bound
        self.node = copy.deepcopy(template._source.node)
        self.locals = _stored(self.node) - set(bound) - set(template._values)
        self.depth = 0
        self.axes: set[str] = set()
        params = [a.arg for a in self.node.args.args]
        self.params = dict(zip(params, sig.params, strict=True)) if sig else {}
        self.pointers = {
            n: t._elem
            for n, t in self.params.items()
            if isinstance(t, Pointer) and isinstance(t._elem, Struct)
        }
        self.structs: dict[str, Struct] = {
            n: t for n, t in self.params.items() if isinstance(t, Struct)
        }

    # ---- whole functions ----

    def helper(self) -> ast.FunctionDef:
        head = [self.check(n, t) for n, t in self.params.items() if isinstance(t, Pointer)]
        return self.finish([h for h in head if h is not None] + self.casts())

    def kernel(self, axes: str) -> ast.FunctionDef:
        args = [a for a in self.node.args.args if a.arg not in self.bound]
        tests: list[ast.expr] = []
        for a in axes:
            self.axes.add(a)
            args.append(ast.arg(f"_threads_{a}"))
            tests.append(ast.Compare(_load(f"_at_{a}"), [ast.GtE()], [_load(f"_threads_{a}")]))
        mask: list[ast.stmt] = []
        if tests:
            test = tests[0] if len(tests) == 1 else ast.BoolOp(ast.Or(), tests)
            mask = [ast.If(test, [ast.Return(None)], [])]
        node = self.finish(mask + self.casts())
        node.args = ast.arguments([], args, None, [], [], None, [])
        for a in args:
            if not hasattr(a, "lineno"):
                ast.copy_location(a, node)
        return node

    def finish(self, head: list[ast.stmt]) -> ast.FunctionDef:
        node = self.node
        node.decorator_list = []
        node.returns = None
        for a in node.args.args:
            a.annotation = None
        body = [self.visit(s) for s in node.body]
        where = [
            ast.Assign([ast.Name(f"_at_{a}", ast.Store())], self.index(a))
            for a in sorted(self.axes)
        ]
        start = ast.Pass(
            lineno=node.lineno,
            col_offset=node.col_offset,
            end_lineno=node.lineno,
            end_col_offset=node.col_offset + len("def ") + len(node.name),
        )
        node.body = [_place(s, start) for s in [*where, *head]]
        for s in body:
            node.body += s if isinstance(s, list) else [s]
        return node

    def casts(self) -> list[ast.stmt]:
        """Each parameter takes the type of the signature."""
        out: list[ast.stmt] = []
        for name, kind in self.params.items():
            if isinstance(kind, Struct):
                fields = [ast.Attribute(_load(name), f, ast.Load()) for f in kind.fields]
                value = self.make(kind, fields)  # type: ignore[arg-type]
            elif isinstance(kind, (Pointer, FunctionType)):
                continue
            else:
                value = _call(names.CASTS[kind.name], _load(name))
            out.append(ast.Assign([ast.Name(name, ast.Store())], value))
        return out

    def check(self, name: str, kind: Pointer) -> ast.stmt | None:
        if isinstance(kind._elem, Struct):
            return None
        same = _call(marks.static_types_eq, _load(name), _const(kind._elem.dtype.type))
        text = f"{self.func.__name__}(): '{name}' is {kind} in its signature, and not given so"
        fail = ast.Expr(_call(marks.static_fail, _const(text)))
        return ast.If(ast.UnaryOp(ast.Not(), same), [fail], [])

    @staticmethod
    def index(axis: str) -> ast.expr:
        block, size, thread = names.INDEX["id" + axis]
        start = ast.BinOp(_const(block), ast.Mult(), _const(size))
        return ast.BinOp(start, ast.Add(), _const(thread))

    def fail(self, cls: type[Exception], message: str, at: Any) -> Exception:
        import linecache

        line = linecache.getline(self.template._source.file, at.lineno).rstrip("\n")
        indent = len(line) - len(line.lstrip())
        last = at.end_col_offset if at.end_lineno == at.lineno else len(line)
        caret = " " * (at.col_offset - indent) + "^" * max(last - at.col_offset, 1)
        place = f'File "{self.template._source.file}", line {at.lineno}, in {self.func.__name__}'
        return cls(f"{message}\n  {place}\n    {line.strip()}\n    {caret}")

    # ---- names ----

    def value(self, name: str) -> tuple[bool, Any]:
        """What a free name is in the function's closure, or what of ours it is in its module."""
        cells = dict(zip(self.func.__code__.co_freevars, self.func.__closure__ or (), strict=False))
        if name in cells:
            try:
                return True, cells[name].cell_contents
            except ValueError:
                return False, None
        v = self.func.__globals__.get(name)
        v = getattr(v, "_swathe_template", v)
        ours = isinstance(v, (types.FunctionType, Template, Struct, Type)) or hasattr(v, "py_func")
        return ours, v

    def resolve(self, name: str, at: ast.AST) -> ast.expr | None:
        """What stands in the place of a free name; None: itself."""
        for bound in (self.bound, self.template._values):
            if name in bound:
                return self.stand(bound[name], at)
        if name in self.unit.listed:
            return self.stand(self.unit.listed[name], at)
        if name in names.INDEX:
            self.axes.add(name[-1])
            return _load(f"_at_{name[-1]}")
        if name in names.KERNEL:
            self.unit.has_barrier |= name in _BARRIERS
            return _const(names.KERNEL[name])
        if name in names.CASTS:
            return _const(names.CASTS[name])
        found, value = self.value(name)
        if found:
            return self.stand(value, at)
        return self.math(name)

    def math(self, name: str) -> ast.expr | None:
        if name in names.MATH:
            return _const(names.MATH[name])
        base = names.single(name)
        if base is None:
            return None
        params = [f"x{k}" for k in range(_arity(base))]
        body = self.narrow(base, [_load(p) for p in params])
        args = ast.arguments([], [ast.arg(p) for p in params], None, [], [], None, [])
        return ast.Lambda(args, body)

    def narrow(self, base: str, args: list[ast.expr]) -> ast.expr:
        """A call in single precision."""
        whole = names.WHOLE.get(base, ())
        f32 = names.CASTS["float"]
        return _call(
            names.MATH[base], *(a if k in whole else _call(f32, a) for k, a in enumerate(args))
        )

    def stand(self, value: Any, at: ast.AST) -> ast.expr:
        """The node for a value that the compiler shall see."""
        value = getattr(value, "_swathe_template", value)
        if isinstance(value, ast.AST):
            return copy.deepcopy(value)  # type: ignore[return-value]
        if isinstance(value, Template):
            return _const(self.unit.function(value))
        if isinstance(value, types.FunctionType):
            module = value.__module__ or ""
            if value.__name__ == "<lambda>" or module.startswith("swathe."):
                return _const(value)
            return _const(self.unit.function(_template(value)))
        if isinstance(value, Struct):
            return _const(self.maker(value))
        if isinstance(value, Type):
            if value == Void or value._swathe_dtype is None:
                raise self.fail(CudaTypeError, f"{value} is no value", at)
            return _const(value.dtype.type)
        return _const(value)

    def full_name(self, node: ast.expr) -> str | None:
        """The name in ``math.sinf``, ``cp.idx``: of a module that stands for this interface."""
        if not isinstance(node, ast.Attribute) or not isinstance(node.value, ast.Name):
            return None
        root = node.value.id
        if root in self.locals:
            return None
        v = self.func.__globals__.get(root)
        module = getattr(v, "__name__", None) if isinstance(v, types.ModuleType) else None
        if (
            root == "math"
            and (v is None or module == "math")
            and (node.attr in names.MATH or names.single(node.attr))
        ):
            return node.attr
        ours = module == "swathe.compat.cudapy"
        known = node.attr in (*names.INDEX, *names.KERNEL, *names.CASTS, *names.MATH)
        return node.attr if ours and (known or names.single(node.attr)) else None

    def visit_Name(self, node: ast.Name) -> Any:  # noqa: N802
        if not isinstance(node.ctx, ast.Load) or node.id in self.locals:
            return node
        new = self.resolve(node.id, node)
        return node if new is None else _place(new, node)

    def visit_Attribute(self, node: ast.Attribute) -> Any:  # noqa: N802
        name = self.full_name(node)
        if name is not None:
            new = self.resolve(name, node) or self.math(name)
            return _place(new, node) if new is not None else node
        pointer = self.element(node.value)
        if pointer is not None:  # P[i].x is P.x[i]
            base, index, _ = pointer
            field = ast.Attribute(_load(base), node.attr, ast.Load())
            return _place(ast.Subscript(_place(field, node.value), index, node.ctx), node)
        node.value = self.visit(node.value)
        axes = isinstance(node.value, ast.Constant) and isinstance(node.ctx, ast.Load)
        if axes and node.attr in "xyz" and hasattr(node.value.value, "_swathe_row"):
            return _place(_const(getattr(node.value.value, node.attr)), node)
        return node

    def visit_Call(self, node: ast.Call) -> Any:  # noqa: N802
        name = self.full_name(node.func)
        if name is None and isinstance(node.func, ast.Name) and node.func.id not in self.locals:
            name = node.func.id
            if self.value(name)[0] or name in self.unit.listed or name in self.template._values:
                name = None
        base = names.single(name) if name else None
        if base is not None and not node.keywords and name not in self.bound:
            return _place(self.narrow(base, [self.visit(a) for a in node.args]), node)
        if name == "len" and len(node.args) == 1 and isinstance(node.args[0], ast.Name):
            elem = self.pointers.get(node.args[0].id)
            if elem is not None:
                first = ast.Attribute(_load(node.args[0].id), next(iter(elem.fields)), ast.Load())
                return _place(ast.Call(node.func, [_place(first, node)], []), node)
        return self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> Any:  # noqa: N802
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1
        return node

    def visit_Return(self, node: ast.Return) -> Any:  # noqa: N802
        if self.depth or self.sig is None:
            return self.generic_visit(node)
        kind = self.sig.result
        given = node.value is not None and not (
            isinstance(node.value, ast.Constant) and node.value.value is None
        )
        if given and kind == Void:
            message = f"{self.func.__name__} returns a value, and its signature says void"
            raise self.fail(CudaTypeError, message, node)
        if not given and kind != Void:
            message = f"{self.func.__name__} returns nothing here, and its signature says {kind}"
            raise self.fail(CudaTypeError, message, node)
        if not given:
            return node
        node.value = self.visit(node.value)  # type: ignore[arg-type]
        if kind.name in names.CASTS:
            node.value = _place(_call(names.CASTS[kind.name], node.value), node.value)  # type: ignore[arg-type]
        return node

    # ---- structs ----

    def element(self, node: ast.expr) -> tuple[str, ast.expr, Struct] | None:
        """P[i], where P points to structs: its name, the index, the struct."""
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            kind = self.pointers.get(node.value.id)
            if kind is not None:
                return node.value.id, self.visit(copy.deepcopy(node.slice)), kind
        return None

    def maker(self, kind: Struct) -> types.FunctionType:
        """A function that makes a value of its fields, each of the field's type."""
        made = self.unit.made.get(kind)
        if made is None:
            args = ast.arguments([], [ast.arg(f) for f in kind.fields], None, [], [], None, [])
            value = _call(
                kind.value, *(_call(names.CASTS[t.name], _load(f)) for f, t in kind.fields.items())
            )
            node = ast.FunctionDef(kind.name, args, [ast.Return(value)], [], None, None)
            node.lineno = node.end_lineno = self.node.lineno
            node.col_offset, node.end_col_offset = self.node.col_offset, self.node.col_offset + 3
            for n in ast.walk(node):
                if isinstance(n, (ast.stmt, ast.expr, ast.arg)) and not hasattr(n, "lineno"):
                    ast.copy_location(n, node)
            made = self.unit.made[kind] = _shell(self.func, list(kind.fields))
            made.__name__ = made.__qualname__ = kind.name
            made._swathe_tree = (node, True)  # type: ignore[attr-defined]
        return made

    def make(self, kind: Struct, fields: list[ast.expr]) -> ast.expr:
        return _call(self.maker(kind), *fields)

    def visit_Subscript(self, node: ast.Subscript) -> Any:  # noqa: N802
        found = self.element(node)
        if found is None or not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)
        base, index, kind = found
        parts: list[ast.expr] = [
            ast.Subscript(
                ast.Attribute(_load(base), f, ast.Load()), copy.deepcopy(index), ast.Load()
            )
            for f in kind.fields
        ]
        return _place(self.make(kind, parts), node)

    def struct_of(self, value: ast.expr) -> Struct | None:
        """The struct that an expression surely is."""
        found = self.element(value)
        if found is not None:
            return found[2]
        if isinstance(value, ast.Name):
            return self.structs.get(value.id)
        if isinstance(value, ast.Call) and isinstance(value.func, ast.Name):
            got = self.value(value.func.id)[1]
            return got if isinstance(got, Struct) else None
        return None

    def visit_Assign(self, node: ast.Assign) -> Any:  # noqa: N802
        target = node.targets[0] if len(node.targets) == 1 else None
        kind = self.struct_of(node.value)
        if isinstance(target, ast.Name) and kind is not None:
            self.structs[target.id] = kind
        found = self.element(target) if target is not None else None
        if found is not None:
            return self.store(found, node)
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            own = self.structs.get(target.value.id)
            if own is not None and target.attr in own.fields:
                return self.change(own, target, self.visit(node.value), node)
        return self.generic_visit(node)

    def visit_AugAssign(self, node: ast.AugAssign) -> Any:  # noqa: N802
        target = node.target
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name):
            own = self.structs.get(target.value.id)
            if own is not None and target.attr in own.fields:
                old = ast.Attribute(_load(target.value.id), target.attr, ast.Load())
                value = ast.BinOp(_place(old, target), node.op, self.visit(node.value))
                return self.change(own, target, _place(value, node), node)
        return self.generic_visit(node)

    def change(self, kind: Struct, target: Any, value: ast.expr, at: ast.AST) -> ast.stmt:
        """p.x = v makes a new value of p."""
        name = target.value.id
        fields: list[Any] = [
            value if f == target.attr else ast.Attribute(_load(name), f, ast.Load())
            for f in kind.fields
        ]
        new = ast.Assign([ast.Name(name, ast.Store())], self.make(kind, fields))
        return _place(new, at)

    def store(self, found: tuple[str, ast.expr, Struct], node: ast.Assign) -> list[ast.stmt]:
        """P[i] = v: a store for each field."""
        base, index, kind = found
        out: list[ast.stmt] = [
            ast.Assign([ast.Name("_struct", ast.Store())], self.visit(node.value))
        ]
        for f in kind.fields:
            into = ast.Attribute(_load(base), f, ast.Load())
            place = ast.Subscript(into, copy.deepcopy(index), ast.Store())
            out.append(ast.Assign([place], ast.Attribute(_load("_struct"), f, ast.Load())))
        return [_place(s, node) for s in out]


def _arity(base: str) -> int:
    value = names.MATH[base]
    return getattr(value, "nin", None) or value.__code__.co_argcount


_templates: dict[Any, Template] = {}


def _template(func: types.FunctionType) -> Template:
    """Return the one template of a function that is met by name."""
    found = _templates.get(func.__code__)
    if found is None or found._function is not func:
        try:
            found = Template(func)
        except TemplateError as e:
            raise CudaPyError(str(e)) from None
        _templates[func.__code__] = found
    return found
