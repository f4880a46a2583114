# SPDX-License-Identifier: BSD-3-Clause
"""A function as it was written: its tree, its comments, and templates.

`Template` is a function with substitutions; `read` finds the tree and signature of any function,
with lines and columns as they are in its file.
"""

from __future__ import annotations

import ast
import inspect
import types
from dataclasses import dataclass
from typing import Any

from . import signature
from .types import CudaPyError, CudaTypeError, TemplateError, Type, as_type, of_note


@dataclass
class Source:
    """A function with its tree."""

    func: types.FunctionType
    node: ast.FunctionDef
    comments: list[tuple[int, str]]
    file: str


def _block(func: types.FunctionType) -> tuple[list[str], int]:
    try:
        lines, first = inspect.getsourcelines(func)
    except (OSError, TypeError) as e:
        raise CudaPyError(
            f"the source of {func.__name__} can't be found: "
            "define it in a file or a notebook's cell"
        ) from e
    return lines, max(first, 1)


def read(func: types.FunctionType) -> Source:
    """Return the tree of a function, and the comments above it."""
    lines, first = _block(func)
    if func.__name__ == "<lambda>":
        raise CudaPyError("a lambda has no comment to say its types: write a def")
    indented = lines[0][:1].isspace()
    tree = ast.parse(("if 1:\n" if indented else "") + "".join(lines))
    node: Any = tree.body[0].body[0] if indented else tree.body[0]  # type: ignore[attr-defined]
    if not isinstance(node, ast.FunctionDef):
        raise CudaPyError(f"{func.__name__} is not a plain function")
    ast.increment_lineno(tree, first - 1 - indented)
    before = inspect.getcomments(func) or ""
    count = before.count("\n")
    file = func.__code__.co_filename
    indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())] if indented else ""
    comments = [
        (first - count + k, indent + line.lstrip())
        for k, line in enumerate(before.splitlines(True))
    ]
    inner = range(first, node.lineno)  # between the decorators and the def
    comments += [(n, lines[n - first]) for n in inner if lines[n - first].lstrip().startswith("#")]
    return Source(func, node, comments, file)


class Template:
    """A function in which names stand for something that is filled in.

    >>> from swathe.compat import cudapy as cp
    >>> t = cp.Template(lambda: 0)
    Traceback (most recent call last):
    swathe.compat.cudapy.types.TemplateError: a template is a function with a name, not a lambda
    """

    def __init__(self, fun: Any) -> None:
        fun = getattr(fun, "py_func", fun)
        if not inspect.isfunction(fun):
            raise TemplateError(f"a template is a function, not {fun!r}")
        if fun.__name__ == "<lambda>":
            raise TemplateError("a template is a function with a name, not a lambda")
        self.__name__ = fun.__name__
        self._function = fun
        self._values: dict[str, Any] = {}
        try:
            self._source = read(fun)
        except CudaPyError as e:
            raise TemplateError(str(e)) from None

    def substitute(self, subst: Any) -> Template:
        """Fill in (value, name), or a list of these: a function, a number, a type or text."""
        if isinstance(subst, list):
            for one in subst:
                self.substitute(one)
            return self
        if not (isinstance(subst, tuple) and len(subst) == 2 and isinstance(subst[1], str)):
            raise TemplateError(
                f"a substitution in {self.__name__} is (value, 'name'), "
                f"or a list of them, not {subst!r}"
            )
        value, name = subst
        if not self._mentions(name):
            raise TemplateError(f"the template {self.__name__} does not mention '{name}'")
        value = getattr(value, "py_func", value)
        known = inspect.isfunction(value) or isinstance(
            value, (Template, Type, bool, int, float, str)
        )
        if not known:
            raise TemplateError(
                f"'{name}' in {self.__name__} can't stand for {value!r}: "
                "a function, a number or a type can"
            )
        if isinstance(value, str):
            value = self._text(value, name)
        self._values[name] = value
        return self

    def _text(self, text: str, name: str) -> Any:
        """Text stands for what it would be in the function."""
        try:
            return as_type(text)
        except CudaTypeError:
            pass
        try:
            return ast.parse(text, mode="eval").body
        except SyntaxError:
            raise TemplateError(
                f"'{name}' in {self.__name__} can't stand for the text {text!r}"
            ) from None

    def _mentions(self, name: str) -> bool:
        tree = any(
            name in (getattr(n, "id", None), getattr(n, "arg", None))
            for n in ast.walk(self._source.node)
        )
        return tree or any(name in line for _, line in self._source.comments)


def template(subs: Any) -> Any:
    """Decorate a function to make a `Template` of it, with these substitutions."""
    return lambda fun: Template(fun).substitute(subs)


# ---- signatures --------------------------------------------------------------------------


class _Names(dict):
    """Types by name, as a function's template, closure and module know them."""

    def __init__(self, func: types.FunctionType, values: dict[str, Any]) -> None:
        super().__init__(func.__globals__)
        for name, cell in zip(func.__code__.co_freevars, func.__closure__ or (), strict=False):
            try:
                self[name] = cell.cell_contents
            except ValueError:
                continue
        self.update(values)

    def get(self, name: str, default: Any = None) -> Any:
        value = super().get(name, default)
        return value if isinstance(value, (Type, type)) else default


def signature_of(template_: Template, sig: Any) -> signature.Signature | None:
    """Return a function's signature: what is given, else its comment, else its annotations."""
    func, source = template_._function, template_._source
    names = _Names(func, template_._values)
    if isinstance(sig, str):
        sig = sig.strip()
        text = signature.Text(sig, None, func.__name__)
        found = signature.parse(text, names)
    elif sig is not None:
        found = signature.of_types(sig, func.__name__, names)
    else:
        found = signature.in_comments(source.comments, source.file, func.__name__, names)
        if found is None:
            found = _annotations(func, names)
    if found is not None:
        _check(found, func, source)
    return found


def _annotations(func: types.FunctionType, names: Any) -> signature.Signature | None:
    notes = func.__annotations__
    params = func.__code__.co_varnames[: func.__code__.co_argcount]
    if not notes or any(p not in notes for p in params):
        return None
    kinds = [of_note(notes[p], names, names) for p in params]
    return signature.Signature(of_note(notes.get("return"), names, names), kinds, list(params))


def _check(sig: signature.Signature, func: types.FunctionType, source: Source) -> None:
    params = func.__code__.co_varnames[: func.__code__.co_argcount]
    args = source.node.args
    if args.vararg or args.kwarg or args.kwonlyargs:
        raise CudaPyError(f"{func.__name__} may have plain parameters only, no * and no keywords")
    own = [n for n in sig.names if n]
    if len(params) != len(sig.params):
        message = (
            f"the signature of {func.__name__} has {len(sig.params)} "
            f"parameter{'s' * (len(sig.params) != 1)}, and the function has {len(params)}: "
            f"({', '.join(params)})"
        )
    elif len(own) == len(params) and list(params) != own and sorted(params) == sorted(own):
        message = (
            f"the signature of {func.__name__} has its parameters in another order: "
            f"({', '.join(params)})"
        )
    else:
        return
    if sig.text is None:
        raise CudaTypeError(f'{message}\n  File "{source.file}", line {source.node.lineno}')
    at = sig.text.text.index("(") if "(" in sig.text.text else 0
    raise sig.text.error(message, at, len(sig.text.text.rstrip()) - at)
