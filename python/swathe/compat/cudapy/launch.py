# SPDX-License-Identifier: BSD-3-Clause
"""`compile` and launches.

A kernel knows its signature, so arguments are checked before anything runs, and it is told only how
many threads it has: ``k(n)(args)``. What a pair of counts and queue needs is made once and kept: a
small function, written for the signature, that checks the arguments and launches.
"""

from __future__ import annotations

import inspect
import math
import sys
from typing import Any

import numpy as np

from swathe import gpu
from swathe.errors import LaunchError

from .array import CudaArray, as_elements
from .rewrite import Unit
from .signature import Signature
from .source import Template, signature_of
from .types import (
    Bool,
    CudaPyError,
    CudaTypeError,
    Double,
    Float,
    Function,
    Int,
    Long,
    Pointer,
    Struct,
    TemplateError,
    Type,
    Void,
    dim3,
)

_THREADS = 256
_KEPT = 256  # configured launches
_MISSING: Any = object()
_MOST_FLOAT = (2.0 - 2.0**-24) * 2.0**127  # and above it rounds to infinity


def compile(funs: Any, sigs: Any = None, debug: bool = False, **options: Any) -> Kernel:  # noqa: A001
    """Make a kernel of a function, or of a kernel and its helpers.

    Parameters
    ----------
    funs : function, Template, or list of these
        The first that returns void is the kernel. Functions that are called and not listed are
        found by their names.
    sigs : str, list of types, or list of these; optional
        The signature, as ``"void (float alpha, float* X)"`` or ``[Void, Float, Pointer(Float)]``;
        for a list of functions one for each, or None. Otherwise it is taken from the comment above
        the function, ``# name : void (float alpha, float* X)``, or from annotations.
    debug : bool, default False
        Check in the kernel what `swathe.jit` checks under ``debug=True``.
    threads : int or tuple, optional
        Threads of a block; without it, they are chosen.
    boundscheck, fastmath, cache, ...
        As for `swathe.gpu.jit`.

    Returns
    -------
    Kernel
        Launch it as ``k(n)(args)``, ``k(x, y)(args)`` or ``k(dim3(x, y, z))(args)``.

    Raises
    ------
    CudaPyError
        When there is no signature, or no kernel.
    CudaTypeError
        When a signature makes no sense.

    Examples
    --------
    >>> from swathe.compat import cudapy as cp
    >>> # scale : void (float a, float* X)
    >>> def scale(a, X):
    ...     X[idx] = a * X[idx]
    >>> X = cp.CudaArray([1.0, 2.0])
    >>> cp.compile(scale, "void (float a, float* X)")(2)(3.0, X)
    >>> X.toList()
    [3.0, 6.0]
    """
    listed = list(funs) if isinstance(funs, (list, tuple)) else [funs]
    if not listed:
        raise CudaPyError("compile() takes a kernel and its helpers, and the list is empty")
    given = [sigs] if not isinstance(funs, (list, tuple)) else sigs
    given = [None] * len(listed) if given is None else list(given)
    if len(given) != len(listed):
        raise CudaPyError(f"compile() has {len(given)} signatures for {len(listed)} functions")
    templates = [_as_template(f) for f in listed]
    found: dict[str, Signature] = {}
    for t, s in zip(templates, given, strict=True):
        if t.__name__ in found:
            raise CudaPyError(f"compile() is given two functions of the name {t.__name__}")
        sig = signature_of(t, s)
        if sig is None:
            source = t._source
            raise CudaPyError(
                f"{t.__name__} has no signature\n"
                f'  File "{source.file}", line {source.node.lineno}, in {t.__name__}\n'
                f"Write it in a comment above: {_example(t)}"
            )
        found[t.__name__] = sig
    kernels = [t for t in templates if found[t.__name__].result == Void]
    if not kernels:
        said = ", ".join(f"{n} {s.result}" for n, s in found.items())
        raise CudaPyError(f"none of the functions returns void, and a kernel does: {said}")
    return Kernel(kernels[0], Unit(templates, found), debug, options)


def kernel(sig: Any = None, debug: bool = False, **options: Any) -> Any:
    """Decorate a function to compile it; with a signature or without.

    >>> from swathe.compat import cudapy as cp
    >>> @cp.kernel("void (int* X)")
    ... def count(X):
    ...     X[idx] = idx
    >>> X = cp.CudaArray.allocate(3, cp.Int)
    >>> count(3)(X)
    >>> X.toList()
    [0, 1, 2]
    """
    if inspect.isfunction(sig) or isinstance(sig, Template):
        return compile(sig)
    return lambda fun: compile(fun, sig, debug, **options)


def _as_template(fun: Any) -> Template:
    if isinstance(fun, Kernel):
        return fun._swathe_template
    if isinstance(fun, Template):
        return fun
    try:
        return Template(fun)
    except TemplateError as e:
        raise CudaPyError(str(e).replace("a template is", "compile() takes")) from None


def _example(t: Template) -> str:
    params = t._function.__code__.co_varnames[: t._function.__code__.co_argcount]
    return f"# {t.__name__} : void ({', '.join('float* ' + p for p in params)})"


class Kernel:
    """A kernel: ``k(n)(args)`` runs it in n threads, with ``idx`` of 0 to n - 1.

    Attributes
    ----------
    signature : Signature
    py_func : function
    """

    def __init__(
        self, template: Template, unit: Unit, debug: bool, options: dict[str, Any]
    ) -> None:
        self._swathe_template = template
        self._unit = unit
        self.signature = unit.sigs[template.__name__]
        self.__name__ = template.__name__
        self.__doc__ = template._function.__doc__
        self.py_func = template._function
        options = dict(options)
        self._block = _given_block(options.pop("threads", None))
        self._options = gpu._check({**options, "debug": debug})
        self._made: dict[Any, Any] = {}  # axes, functions -> dispatcher
        self._ready: dict[Any, Any] = {}  # counts -> launch on the CPU
        self._last: Any = None

    def __call__(self, x: Any, y: Any = 1, z: Any = 1) -> Any:
        """Return the launch in so many threads along x, y and z, to be called with arguments."""
        devices = sys.modules.get("swathe.devices")
        if devices is None or devices.current_queue() is None:
            try:
                return self._ready[x, y, z]
            except (KeyError, TypeError):
                pass
            launch = self._launch(x, y, z, None)
            if len(self._ready) >= _KEPT:
                self._ready.clear()
            self._ready[x, y, z] = launch
            return launch
        return self._launch(x, y, z, devices.current_queue())

    def __getattr__(self, name: str) -> Any:
        if name in (
            "explain",
            "inspect_types",
            "inspect_ir",
            "inspect_llvm",
            "inspect_asm",
            "stats",
            "signatures",
        ):
            return getattr(self._last or self._dispatcher("x", ()), name)
        raise AttributeError(f"a kernel has no attribute '{name}'")

    def __repr__(self) -> str:
        return f"<kernel {self.__name__} : {self.signature}>"

    # ---- making ----

    def _dispatcher(self, axes: str, functions: tuple[Any, ...]) -> Any:
        """The kernel with counts for these axes, and with these functions as its arguments."""
        made = self._made.get((axes, functions))
        if made is None:
            params = self.py_func.__code__.co_varnames
            of_kind = [
                p for p, t in zip(params, self.signature.params, strict=False) if t == Function
            ]
            bound = dict(zip(of_kind, functions, strict=True))
            func = self._unit.kernel(self._swathe_template, axes, bound)
            made = self._made[axes, functions] = gpu._make(func, None, False, self._options)
        self._last = made
        return made

    def _launch(self, x: Any, y: Any, z: Any, queue: Any) -> Any:
        counts = _counts(self.__name__, x, y, z)
        block = self._block or _block(counts)
        grid = tuple(-(-n // b) for n, b in zip(counts, block, strict=True))
        whole = all(n == g * b for n, g, b in zip(counts, grid, block, strict=True))
        axes = "xyz"[: 3 if counts[2] > 1 else 2 if counts[1] > 1 else 1]
        axes = "".join(
            a for a, b, n in zip("xyz", block, counts, strict=True) if a in axes or n % b
        )
        if Function not in self.signature.params:
            core = self._core(axes, (), grid, block, queue, whole)
            return _checked(self, core, counts, axes, queue)
        return lambda *args: self._with_functions(args, axes, counts, grid, block, queue, whole)

    def _core(
        self, axes: str, functions: Any, grid: Any, block: Any, queue: Any, whole: bool
    ) -> Any:
        if 0 in grid:
            return _nothing
        chosen = self._block is None and not self._unit.has_barrier
        if queue is not None and chosen and grid[1:] == block[1:] == (1, 1):
            # The device chooses the threads of a block; the kernel is told how many there are.
            return self._dispatcher(axes, functions).forall(grid[0] * block[0], None, queue)
        d = self._dispatcher(axes, functions)
        if whole and self._unit.has_barrier:
            # Every thread meets every barrier: as all devices ask for.
            plain = self._dispatcher("", functions)
            launch = plain[grid, block] if queue is None else plain[grid, block, queue]
            drop = len(axes)
            return lambda *args: launch(*args[: len(args) - drop])
        return d[grid, block] if queue is None else d[grid, block, queue]

    def _with_functions(
        self, args: Any, axes: str, counts: Any, grid: Any, block: Any, queue: Any, whole: bool
    ) -> None:
        kinds = self.signature.params
        if len(args) != len(kinds):
            raise _wrong_count(self, len(args))
        functions = []
        for k, (a, t) in enumerate(zip(args, kinds, strict=True)):
            if t == Function:
                a = getattr(a, "py_func", a)
                if not inspect.isfunction(a) and not isinstance(a, Template):
                    raise _wrong(self, k, f"a function is expected, not {_of(a)}")
                functions.append(a)
        core = self._core(axes, tuple(functions), grid, block, queue, whole)
        rest = [a for a, t in zip(args, kinds, strict=True) if t != Function]
        _checked(self, core, counts, axes, queue)(*rest)


def _nothing(*args: Any) -> None:
    """Launch no thread."""


# ---- counts ------------------------------------------------------------------------------


def _counts(name: str, x: Any, y: Any, z: Any) -> tuple[int, ...]:
    if isinstance(x, dim3):
        if (y, z) != (1, 1):
            raise LaunchError(
                f"{name}: a dim3 says all counts of threads, and {y!r}, {z!r} follow it"
            )
        x, y, z = x.x, x.y, x.z
    out = []
    for n in (x, y, z):
        if isinstance(n, (bool, np.bool_)) or not hasattr(n, "__index__"):
            raise LaunchError(
                f"{name}: a number of threads is an int, not {n!r}: "
                f"launch it as {name}(n)(arguments)"
            )
        n = n.__index__()
        if n < 0:
            raise LaunchError(f"{name}: there can't be {n} threads")
        out.append(n)
    return tuple(out)


def _block(counts: tuple[int, ...]) -> tuple[int, int, int]:
    """Threads of a block. Few different ones, as a kernel is compiled for each."""
    x, y, z = counts
    if y <= 1 and z <= 1:
        return _THREADS, 1, 1
    tx = min(32, 1 << max(x - 1, 0).bit_length())
    ty = min(_THREADS // tx, 1 << max(y - 1, 0).bit_length()) if z > 1 else _THREADS // tx
    ty = min(ty, 8) if z > 1 else ty
    tz = min(64, _THREADS // (tx * ty)) if z > 1 else 1
    return tx, ty, tz


def _given_block(threads: Any) -> tuple[int, int, int] | None:
    if threads is None:
        return None
    sizes = threads if isinstance(threads, (tuple, list)) else (threads,)
    if not 1 <= len(sizes) <= 3:
        raise LaunchError(f"the threads of a block are an int or up to three, not {threads!r}")
    x, y, z = _counts("compile()", *sizes, *[1] * (3 - len(sizes)))
    if min(x, y, z) < 1 or x * y * z > 1024:
        raise LaunchError(f"a block has 1 to 1024 threads, not {x} * {y} * {z}")
    return x, y, z


# ---- arguments ---------------------------------------------------------------------------


def _of(a: Any) -> str:
    if isinstance(a, CudaArray):
        return f"a CudaArray of {a.elemType()}"
    if hasattr(a, "dtype") and hasattr(a, "shape") and a.shape != ():
        return f"an array of {a.dtype} with {len(a.shape)} axes"
    return (
        f"{type(a).__name__} {a!r}" if isinstance(a, (int, float, bool, str)) else type(a).__name__
    )


def _wrong(k: Kernel, n: int, why: str) -> CudaTypeError:
    name = k.py_func.__code__.co_varnames[n]
    kind = k.signature.params[n]
    return CudaTypeError(f"argument {n + 1} of {k.__name__}, '{kind} {name}': {why}")


def _wrong_count(k: Kernel, n: int) -> CudaTypeError:
    want = len(k.signature.params)
    return CudaTypeError(
        f"{k.__name__} takes {want} argument{'s' * (want != 1)} {k.signature}, and is given {n}"
    )


def _number(k: Kernel, n: int, kind: Type, a: Any) -> Any:
    """A scalar argument that is not what it most often is."""
    if isinstance(a, np.generic):
        a = a.item()
    if kind == Bool and isinstance(a, bool):
        return a
    if kind in (Float, Double) and isinstance(a, (int, float)) and not isinstance(a, bool):
        try:
            a = float(a)
        except OverflowError:
            raise _wrong(k, n, f"{a} does not fit") from None
        if kind == Float and _MOST_FLOAT <= abs(a) < math.inf:
            raise _wrong(k, n, f"{a} does not fit in a float")
        return a
    if kind in (Int, Long) and not isinstance(a, (bool, float)) and hasattr(a, "__index__"):
        a = a.__index__()
        bits = 8 * kind.dtype.itemsize - 1
        if -(1 << bits) <= a < 1 << bits:
            return a
        raise _wrong(k, n, f"{a} does not fit in {8 * kind.dtype.itemsize} bits")
    raise _wrong(k, n, f"{_of(a)} is given")


def _values(k: Kernel, n: int, kind: Struct, a: Any) -> Any:
    if isinstance(a, dict) and set(a) == set(kind.fields):
        a = tuple(a[f] for f in kind.fields)
    if isinstance(a, np.void) and a.dtype.names == tuple(kind.fields):
        a = a.item()
    if not isinstance(a, tuple) or len(a) != len(kind.fields):
        raise _wrong(k, n, f"{_of(a)} is given, and not {kind.name}({', '.join(kind.fields)})")
    return kind.value(*(_number(k, n, t, v) for v, t in zip(a, kind.fields.values(), strict=True)))


def _array(k: Kernel, n: int, kind: Pointer, a: Any) -> Any:
    """What a kernel is given for a pointer: memory of a CudaArray or array, or a list's copy."""
    elem = kind.elemType()
    if isinstance(a, CudaArray):
        if a._data is None:
            raise _wrong(k, n, "the CudaArray has been freed")
        if a._type != elem:
            raise _wrong(k, n, f"{_of(a)} is given")
        return a._data
    if isinstance(a, (list, tuple)):
        try:
            return CudaArray(as_elements(a, elem), elem)._data
        except CudaTypeError as e:
            raise _wrong(k, n, str(e)) from None
    if not (hasattr(a, "dtype") and hasattr(a, "reshape") and getattr(a, "shape", ()) != ()):
        raise _wrong(k, n, f"{_of(a)} is given")
    if a.dtype != elem.dtype:
        raise _wrong(k, n, f"{_of(a)} is given")
    if not a.flags.c_contiguous:
        raise _wrong(k, n, "the array is not contiguous: pass a copy")
    flat = a.reshape(-1)
    if isinstance(elem, Struct):
        if hasattr(flat, "_proto"):
            return elem.arrays(*(flat._view(flat._proto[f]) for f in elem.fields))
        return elem.arrays(*(flat[f] for f in elem.fields))
    return flat


def _checked(k: Kernel, core: Any, counts: tuple[int, ...], axes: str, queue: Any) -> Any:
    """Write the function that checks the arguments of this signature and launches."""
    kinds = [(n, t) for n, t in enumerate(k.signature.params) if t != Function]
    names = [f"a{n}" for n, _ in kinds]
    space: dict[str, Any] = {"core": core, "k": k, "CudaArray": CudaArray, "MISSING": _MISSING}
    space["ndarray"] = np.ndarray
    space |= {"number": _number, "values": _values, "array": _array, "wrong_count": _wrong_count}
    lines = [f"def launch({''.join(n + '=MISSING, ' for n in names)}*more):"]
    last = f"{names[-1]} is MISSING or " if names else ""
    given = " + ".join(f"({n} is not MISSING)" for n in names)
    lines.append(
        f"    if {last}more: raise wrong_count(k, {given + ' + ' if given else ''}len(more))"
    )
    for n, t in kinds:
        space[f"t{n}"] = t
        a = f"a{n}"
        if isinstance(t, Pointer):
            space[f"e{n}"] = t.elemType()
            lines.append(
                f"    if {a}.__class__ is CudaArray and {a}._type is e{n}"
                f" and {a}._data is not None: {a} = {a}._data"
            )
            plain = "" if isinstance(t.elemType(), Struct) else f"{a}.__class__ is not ndarray or "
            if plain:  # what needs no other look; NumPy has one object for each plain dtype
                space[f"d{n}"] = t.elemType().dtype
                plain += f"{a}.dtype is not d{n} or {a}.ndim != 1 or not {a}.flags.c_contiguous"
            lines.append(
                f"    el{f'if {plain}' if plain else 'se'}: {a} = array(k, {n}, t{n}, {a})"
            )
        elif isinstance(t, Struct):
            lines.append(f"    {a} = values(k, {n}, t{n}, {a})")
        else:
            plain = {Bool: "bool", Int: "int", Long: "int"}.get(t, "float")
            test = {
                Int: f" or not -2147483648 <= {a} < 2147483648",
                Float: f" or not {-_MOST_FLOAT} < {a} < {_MOST_FLOAT}",
                Long: f" or not {-(2**63)} <= {a} < {2**63}",
            }.get(t, "")
            lines.append(
                f"    if {a}.__class__ is not {plain}{test}: {a} = number(k, {n}, t{n}, {a})"
            )
            if queue is not None:  # a device need not know float64
                space[f"d{n}"] = t.dtype.type
                lines.append(f"    {a} = d{n}({a})")
    tail = [str(counts["xyz".index(a)]) for a in axes]
    lines.append(f"    core({', '.join(names + tail)})")
    exec("\n".join(lines), space)
    launch = space["launch"]
    launch.__name__ = launch.__qualname__ = k.__name__
    return launch
