# SPDX-License-Identifier: BSD-3-Clause
"""Numba's ``intrinsic``: functions whose bodies are made of LLVM's instructions.

What makes them is run with a builder that writes each instruction down as an expression of NumPy's,
for the types of a call. An instruction that has none here is refused, by the intrinsic's name."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from .. import _named
from ..llvmlite import ir
from . import _overloads, types


class _Value:
    """A value of the body: an expression, and its type."""

    def __init__(self, text: str, type_: Any) -> None:
        self.text, self._type = text, type_

    @property
    def type(self) -> Any:
        """LLVM's type, of an argument that the body uses."""
        return _llvm(self._type) if isinstance(self._type, types.Type) else self._type


_BINARY = {
    "add": "+", "sub": "-", "mul": "*", "fadd": "+", "fsub": "-", "fmul": "*", "fdiv": "/",
    "and_": "&", "or_": "|", "xor": "^", "shl": "<<", "ashr": ">>",
}  # fmt: skip
_CALLED = {
    "sqrt": "np.sqrt", "fabs": "np.abs", "floor": "np.floor", "ceil": "np.ceil", "exp": "np.exp",
    "log": "np.log", "sin": "np.sin", "cos": "np.cos", "ctpop": "np.bitwise_count",
    "trunc": "np.trunc", "rint": "np.rint", "copysign": "np.copysign",
}  # fmt: skip


def _text(v: Any) -> str:
    return f"np.{v.type.dtype}({v.constant!r})" if isinstance(v, ir.Constant) else v.text


class _Builder:
    """Writes instructions down."""

    module = None

    def bitcast(self, v: Any, to: Any) -> _Value:
        """Read a number's bits as another's."""
        if np.dtype(v.type.dtype).itemsize != np.dtype(to.dtype).itemsize:
            raise NotImplementedError("bitcast between types of unlike sizes")
        return _Value(f"np.{v.type.dtype}({_text(v)}).view(np.{to.dtype})", to)

    def call(self, function: Any, args: Any) -> _Value:
        """Call one of LLVM's functions."""
        _, _, short = function.name.partition("llvm.")
        name = short.split(".")[0]
        if name not in _CALLED:
            raise NotImplementedError(f"a call of {function.name}")
        kind = function.function_type.return_type
        given = ", ".join(_text(a) for a in args)
        return _Value(f"np.{kind.dtype}({_CALLED[name]}({given}))", kind)

    def allocated(self, of: Any, size: Any) -> _Value:
        """Return memory that nobody has written to."""
        count = size if isinstance(size, int) else _text(size)
        return _Value(f"np.empty({count}, np.{of.dtype})", None)

    def _convert(self, v: Any, to: Any, *_: Any) -> _Value:
        return _Value(f"np.{to.dtype}({_text(v)})", to)

    trunc = sext = sitofp = fptosi = fpext = fptrunc = _convert

    def __getattr__(self, name: str) -> Any:
        if name not in _BINARY:
            raise NotImplementedError(f"LLVM's instruction {name}")
        return lambda a, b, *_, **__: _Value(f"({_text(a)} {_BINARY[name]} {_text(b)})", a.type)


class _Context:
    """What Numba's target would do."""

    def cast(self, builder: Any, v: Any, of: Any, to: Any) -> _Value:
        """Convert a number from one of Numba's types to another."""
        return _Value(f"np.{to}({_text(v)})", _llvm(to))

    def get_constant(self, of: Any, value: Any) -> Any:
        """Return a constant of one of Numba's types."""
        return ir.Constant(_llvm(of), value)

    def get_value_type(self, of: Any) -> Any:
        """Return LLVM's type of one of Numba's."""
        return _llvm(of)

    def __getattr__(self, name: str) -> Any:
        raise NotImplementedError(f"context.{name}")


def _llvm(t: Any) -> Any:
    """Return LLVM's type for numbers of a type."""
    if isinstance(t, types.Float) and t.bitwidth in (32, 64):
        return ir.FloatType() if t.bitwidth == 32 else ir.DoubleType()
    if isinstance(t, types.Integer):
        made = ir.IntType(t.bitwidth)
        made.dtype = t.text  # signs are of instructions in LLVM, and of dtypes here
        return made
    raise NotImplementedError(f"a value of type {t}")


def _function(name: str, params: list[str], body: str) -> Any:
    text = f"def {name}({', '.join(params)}):\n    {body}\n"
    space: dict[str, Any] = {"np": np}
    exec(compile(text, _named(text), "exec"), space)
    return space[name]


def made(func: Any) -> Any:
    """Return what compiled code calls for an intrinsic, and Python can't."""
    name = func.__name__ if func.__name__.isidentifier() else "intrinsic"
    params = [*inspect.signature(func).parameters][1:]  # behind the typing context

    def choose(*args: Any) -> Any:
        try:
            found = func(None, *args)
            if found is None:
                return None
            sig, body = found
            given = [_Value(p, t) for p, t in zip(params, args, strict=True)]
            text = _text(body(_Context(), _Builder(), sig, given))
            of = getattr(sig, "return_type", None)
            number = isinstance(of, (types.Integer, types.Float))
            return _function(name, params, "return " + (f"np.{of}({text})" if number else text))
        except (NotImplementedError, AttributeError) as e:
            raise NotImplementedError(
                f"{name} is an intrinsic of LLVM's, of which {e} is not supported: "
                "write a function in Python"
            ) from None

    says = f"{name} is an intrinsic: compiled code calls it"
    stub = _function(name, params, f"raise NotImplementedError({says!r})")
    stub.__doc__, stub.__wrapped__ = func.__doc__, func
    _overloads.add(stub, choose)
    return stub
