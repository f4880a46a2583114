# SPDX-License-Identifier: BSD-3-Clause
"""What a call of a `guvectorize` in compiled code means: a function that goes through the axes
that the layout doesn't name, one after the other, and calls the function of small arrays. All
outputs are arguments, which say how far the inputs are broadcast. It is compiled as functions of
swathe/lib are: branches on the numbers of axes are known."""

from __future__ import annotations

import linecache
import zlib
from typing import Any

import numpy as np

from . import njit

_Axes = list[tuple[str, ...]]


def function(func: Any, ins: _Axes, outs: _Axes, chosen: list[Any], target: str) -> Any:
    """Return it; None for one of devices, without outputs, or whose signatures don't agree which
    arguments are arrays."""
    from ._vectorize import is_grid

    if is_grid(target) or not outs or len({a for _, a in chosen}) > 1:
        return None
    cores = [*ins, *outs]
    arrays = chosen[0][1] if chosen else [bool(c) for c in ins] + [True] * len(outs)
    of = njit([_signature(dtypes, arrays, cores) for dtypes, arrays in chosen]) if chosen else njit
    names = [f"x{k}" for k in range(len(cores))]
    own = func.__name__
    plain = own.isidentifier() and own[0] != "_" and own not in ("np", "range", "ValueError")
    name = own if plain else "gufunc"
    text = "\n".join(_text(name, names, cores, len(ins), arrays))
    file = f"<gufunc {func.__module__}.{func.__qualname__} {zlib.crc32(text.encode()):x}>"
    linecache.cache[file] = (len(text), None, text.splitlines(True), file)
    space: dict[str, Any] = {"np": np, "_f": of(func), "__name__": "swathe.lib.gufuncs"}
    exec(compile(text, file, "exec"), space)  # noqa: S102
    return space[name]


def _signature(dtypes: Any, arrays: Any, cores: _Axes) -> str:
    def one(d: Any, array: bool, core: tuple[str, ...]) -> str:
        word = "bool_" if d.kind == "b" else d.name
        return f"{word}[{','.join(':' * max(len(core), 1))}]" if array else word

    return f"void({', '.join(map(one, dtypes, arrays, cores))})"


def _text(name: str, names: list[str], cores: _Axes, nin: int, arrays: Any) -> list[str]:
    """Functions of a core, of an axis, and of all."""
    all_ = ", ".join(names)
    first = next(zip(names[nin:], cores[nin:], strict=True))
    given = [
        f"np.array([{x}])" if k < nin and not core and arrays[k] else x
        for k, (x, core) in enumerate(zip(names, cores, strict=True))
    ]
    lines = [f"def _core({all_}):", f"    _f({', '.join(given)})", ""]
    lines += ["def _part(x, axes, i):", "    if np.ndim(x) < axes:", "        return x"]
    lines += ["    return x[0 if x.shape[0] == 1 else i]", ""]
    lines += [f"def _axes({all_}):", f"    left = {first[0]}.ndim - {len(first[1])}"]
    whole = [f"{x}.reshape(1)" if k >= nin and not c else x for k, x, c in _each(names, cores)]
    word = "if"
    for k, x, c in _each(names, cores):
        lines += [f"    {word} np.ndim({x}) - {len(c)} {'>' if k < nin else '!='} left:"]
        lines += ["        " + _INCOMPATIBLE]
        word = "elif"
    lines += ["    elif left == 0:", f"        _core({', '.join(whole)})", "    else:"]
    lines += [f"        n = {first[0]}.shape[0]"]
    for k, x, c in _each(names, cores):
        one = f" and {x}.shape[0] != 1" if k < nin else ""
        lines += [f"        if np.ndim({x}) - {len(c)} == left:"]
        lines += [f"            if {x}.shape[0] != n{one}:", "                " + _INCOMPATIBLE]
    parts = [f"_part({x}, left + {len(c)}, i)" for _, x, c in _each(names, cores)]
    last = [
        f"{x}[i : i + 1]" if k >= nin and not c else parts[k] for k, x, c in _each(names, cores)
    ]
    lines += ["        for i in range(n):", "            if left == 1:"]
    lines += [f"                _core({', '.join(last)})", "            else:"]
    lines += [f"                _axes({', '.join(parts)})", ""]
    return [*lines, f"def {name}({all_}):", *_checks(names, cores), f"    _axes({all_})"]


_INCOMPATIBLE = 'raise ValueError("Loop and array shapes are incompatible")'


def _each(names: list[str], cores: _Axes) -> Any:
    return [(k, x, c) for k, (x, c) in enumerate(zip(names, cores, strict=True))]


def _checks(names: list[str], cores: _Axes) -> list[str]:
    """What the layout says of the sizes of axes that have a name, or are a number."""
    known: dict[str, str] = {}
    lines = []
    for _, x, core in _each(names, cores):
        if core:
            lines += [f"    if {x}.ndim < {len(core)}:", "        " + _INCOMPATIBLE]
        for j, name in enumerate(core):
            is_ = f"{x}.shape[{j - len(core)}]"
            want = name if name.isdigit() else known.setdefault(name, is_)
            if want != is_:
                text = f"a mismatch in the core dimension '{name}'"
                lines += [f"    if {is_} != {want}:", f"        raise ValueError({text!r})"]
    return lines
