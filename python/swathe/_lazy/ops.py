# SPDX-License-Identifier: BSD-3-Clause
"""The operations of nodes: how each is written in the source of a compiled function."""

from __future__ import annotations

# Functions of elements: the kind of operands, the result ("same" as the operands together, "bool",
# "real" for the part of a complex number, or "quotient", which of integers is a float), and the
# text.
UNARY = {
    "abs": ("numeric", "real", "np.abs({})"),
    "acos": ("floating-point", "same", "np.arccos({})"),
    "acosh": ("floating-point", "same", "np.arccosh({})"),
    "asin": ("floating-point", "same", "np.arcsin({})"),
    "asinh": ("floating-point", "same", "np.arcsinh({})"),
    "atan": ("floating-point", "same", "np.arctan({})"),
    "atanh": ("floating-point", "same", "np.arctanh({})"),
    "bitwise_invert": ("integer or boolean", "same", "np.invert({})"),
    "ceil": ("real numeric", "same", "np.ceil({})"),
    "conj": ("numeric", "same", "np.conjugate({})"),
    "cos": ("floating-point", "same", "np.cos({})"),
    "cosh": ("floating-point", "same", "np.cosh({})"),
    "exp": ("floating-point", "same", "np.exp({})"),
    "expm1": ("floating-point", "same", "np.expm1({})"),
    "floor": ("real numeric", "same", "np.floor({})"),
    "imag": ("complex floating-point", "real", "np.imag({})"),
    "isfinite": ("numeric", "bool", "np.isfinite({})"),
    "isinf": ("numeric", "bool", "np.isinf({})"),
    "isnan": ("numeric", "bool", "np.isnan({})"),
    "log": ("floating-point", "same", "np.log({})"),
    "log10": ("floating-point", "same", "np.log10({})"),
    "log1p": ("floating-point", "same", "np.log1p({})"),
    "log2": ("floating-point", "same", "np.log2({})"),
    "logical_not": ("boolean", "bool", "np.logical_not({})"),
    "negative": ("numeric", "same", "(-{})"),
    "positive": ("numeric", "same", "np.positive({})"),  # a copy, as all others are
    "real": ("numeric", "real", "np.real({})"),
    "reciprocal": ("floating-point", "same", "np.reciprocal({})"),
    "round": ("numeric", "same", "np.round({})"),
    "sign": ("numeric", "same", "np.sign({})"),
    "signbit": ("real floating-point", "bool", "np.signbit({})"),
    "sin": ("floating-point", "same", "np.sin({})"),
    "sinh": ("floating-point", "same", "np.sinh({})"),
    "sqrt": ("floating-point", "same", "np.sqrt({})"),
    "square": ("numeric", "same", "np.square({})"),
    "tan": ("floating-point", "same", "np.tan({})"),
    "tanh": ("floating-point", "same", "np.tanh({})"),
    "trunc": ("real numeric", "same", "np.trunc({})"),
}

BINARY = {
    "add": ("numeric", "same", "({} + {})"),
    "atan2": ("real floating-point", "same", "np.arctan2({}, {})"),
    "bitwise_and": ("integer or boolean", "same", "({} & {})"),
    "bitwise_left_shift": ("integer", "same", "({} << {})"),
    "bitwise_or": ("integer or boolean", "same", "({} | {})"),
    "bitwise_right_shift": ("integer", "same", "({} >> {})"),
    "bitwise_xor": ("integer or boolean", "same", "({} ^ {})"),
    "copysign": ("real floating-point", "same", "np.copysign({}, {})"),
    "divide": ("numeric", "quotient", "({} / {})"),
    "equal": ("any", "bool", "({} == {})"),
    "floor_divide": ("real numeric", "same", "({} // {})"),
    "greater": ("real numeric", "bool", "({} > {})"),
    "greater_equal": ("real numeric", "bool", "({} >= {})"),
    "hypot": ("real floating-point", "same", "np.hypot({}, {})"),
    "less": ("real numeric", "bool", "({} < {})"),
    "less_equal": ("real numeric", "bool", "({} <= {})"),
    "logaddexp": ("real floating-point", "same", "np.logaddexp({}, {})"),
    "logical_and": ("boolean", "bool", "np.logical_and({}, {})"),
    "logical_or": ("boolean", "bool", "np.logical_or({}, {})"),
    "logical_xor": ("boolean", "bool", "np.logical_xor({}, {})"),
    "maximum": ("real numeric", "same", "np.maximum({}, {})"),
    "minimum": ("real numeric", "same", "np.minimum({}, {})"),
    "multiply": ("numeric", "same", "({} * {})"),
    "nextafter": ("real floating-point", "same", "np.nextafter({}, {})"),
    "not_equal": ("any", "bool", "({} != {})"),
    "pow": ("numeric", "same", "np.power({}, {})"),
    "remainder": ("real numeric", "same", "({} % {})"),
    "subtract": ("numeric", "same", "({} - {})"),
}

# On integers these change nothing, and on real numbers neither does `conj` or `real`.
WHOLE = {"ceil", "floor", "round", "trunc", "positive"}
REAL_ALREADY = {"conj", "real"}

# Reductions: the kind of operands and the function of NumPy; its text is made by `reduced`.
REDUCTIONS = {
    "all": ("any", "np.all"),
    "any": ("any", "np.any"),
    "argmax": ("real numeric", "np.argmax"),
    "argmin": ("real numeric", "np.argmin"),
    "count_nonzero": ("any", "np.count_nonzero"),
    "max": ("real numeric", "np.max"),
    "mean": ("floating-point", "np.mean"),
    "min": ("real numeric", "np.min"),
    "prod": ("numeric", "np.prod"),
    "std": ("real floating-point", "np.std"),
    "sum": ("numeric", "np.sum"),
    "var": ("real floating-point", "np.var"),
}


def slices(par: tuple, vals: list[str]) -> str:
    """Return the text of a subscript of slices, indices and new axes."""
    rest = iter(vals)
    parts = []
    for kind, *more in par:
        if kind == "i":
            parts.append(next(rest))
        elif kind == "n":
            parts.append("None")
        elif kind == "s":
            step, has_start, has_stop = more
            start = next(rest) if has_start else ""
            stop = next(rest) if has_stop else ""
            parts.append(f"{start}:{stop}" + (f":{step}" if step != 1 else ""))
    return ", ".join(parts)


def reduced(op: str, x: str, par: tuple) -> str:
    """Return the text of a reduction: par is axis, keepdims, the rank, a correction for `var`."""
    axis, keepdims, rank, *more = par
    text = f"{REDUCTIONS[op][1]}({x}, axis={axis!r}"
    if more and more[0]:
        text += f", ddof={more[0]!r}"
    if not keepdims or axis is None:
        return text + (", keepdims=True)" if keepdims else ")")
    # An axis that is put back fuses with what comes after; one that is kept does not.
    gone = axis if isinstance(axis, tuple) else (axis,)
    return f"{text})[{', '.join('None' if k in gone else ':' for k in range(rank))}]"


def _tuple(vals: list[str]) -> str:
    return f"({', '.join(vals)}{',' if len(vals) == 1 else ''})"


def _broadcast(x: list[str], par: tuple, vals: list[str]) -> str:
    return f"np.broadcast_to({x[0]}, {_tuple(vals)})"


def _reshape(x: list[str], par: tuple, vals: list[str]) -> str:
    return f"np.reshape({x[0]}, {_tuple(vals)})"


def _filled(x: list[str], par: tuple, vals: list[str]) -> str:
    if not vals:
        return x[0]
    return f"np.full({_tuple(vals)}, {x[0]})"


_TYPE = {"bool": "bool_"}


def type_name(dtype: str) -> str:
    """Return the name of a dtype in the namespace of NumPy."""
    return _TYPE.get(dtype, dtype)


# The others: functions of the texts of operands, of what is known when the node is compiled, and
# of the names of what is not.
OTHERS = {
    "astype": lambda x, par, vals: f"({x[0]}).astype(np.{type_name(par[0])})",
    "scalar_as": lambda x, par, vals: f"np.{type_name(par[0])}({x[0]})",
    "where": lambda x, par, vals: f"np.where({x[0]}, {x[1]}, {x[2]})",
    "power_of": lambda x, par, vals: f"({x[0]} ** {par[0]})",
    "clip": lambda x, par, vals: f"np.minimum(np.maximum({x[0]}, {x[1]}), {x[2]})",
    "getitem": lambda x, par, vals: f"({x[0]})[{slices(par, vals)}]",
    "transpose": lambda x, par, vals: f"np.transpose({x[0]}, {par!r})",
    "reshape": _reshape,
    "broadcast": _broadcast,
    "full": _filled,
    "concat": lambda x, par, vals: f"np.concatenate({_tuple(x)}, axis={par[0]})",
    "stack": lambda x, par, vals: f"np.stack({_tuple(x)}, axis={par[0]})",
    "arange": lambda x, par, vals: f"np.arange({vals[0]}, {vals[1]}, {vals[2]}, dtype=np.{par[0]})",
    "tril": lambda x, par, vals: f"np.tril({x[0]}, {vals[0]})",
    "triu": lambda x, par, vals: f"np.triu({x[0]}, {vals[0]})",
}

# A view of an array that is in memory costs nothing, and is taken when the node is made.
VIEWS = {"getitem", "transpose", "reshape", "broadcast"}
_FIXED = {name: row[2] for name, row in {**UNARY, **BINARY}.items()}
ELEMENTWISE = {*UNARY, *BINARY, "astype", "scalar_as", "where", "power_of", "clip"}


def text(op: str, x: list[str], par: tuple, vals: list[str]) -> str:
    """Return the text of an operation, of the texts of its operands and values."""
    fixed = _FIXED.get(op)
    if fixed is not None:
        return fixed.format(*x)
    if op in REDUCTIONS:
        return reduced(op, x[0], par)
    return OTHERS[op](x, par, vals)


def place(name: str, ways: tuple, vals: list[str]) -> str:
    """Return the text of what is assigned to: a view, which ways lead to, of an array."""
    for op, par in ways:
        count = _numbers(op, par)
        name = text(op, [name], par, vals[:count])
        vals = vals[count:]
    return name if ways[-1][0] == "getitem" else f"{name}[...]"


def _numbers(op: str, par: tuple) -> int:
    """Return how many numbers a view is told when it is made."""
    if op == "getitem":
        return sum([1 if p[0] == "i" else p[2] + p[3] if p[0] == "s" else 0 for p in par])
    return par[0] if op == "reshape" else 0
