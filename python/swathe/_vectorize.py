# SPDX-License-Identifier: BSD-3-Clause
"""`vectorize`: a function of numbers becomes one of arrays, on one core, on all, or on a device.

For each choice of types there is a loop over the elements (or a kernel, one thread each) that calls
the function. Arrays that do not lie like the result are broadcast and copied first.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import _ufunc_text, gpu, njit, prange
from ._device_array import DeviceArray
from ._host_array import HostArray

TARGETS = ("cpu", "parallel", "cuda", "opencl", "gpu")


def is_grid(target: str) -> bool:
    """Tell whether a target means kernels."""
    return target not in ("cpu", "parallel")


def check_target(target: Any, what: str) -> str:
    """Return a target that there is."""
    if target not in TARGETS:
        raise ValueError(f"{what}: target is one of {', '.join(TARGETS)}, not {target!r}")
    return target


def compiled(text: str, names: dict[str, Any], target: str) -> Any:
    """Return the function of a text as a loop, or as a kernel."""
    f = _ufunc_text.function(text, names)
    return gpu.jit(f) if is_grid(target) else njit(f, parallel=target == "parallel")


def named(f: Any) -> str:
    """A name for what is made of a function; a lambda has none."""
    return f.__name__ if f.__name__.isidentifier() else "ufunc"


def loop_head(target: str, count: str) -> str:
    """How the text of a function begins what it does for each i below a count."""
    if is_grid(target):
        return f"    i = gpu.grid(1)\n    if i < {count}:\n"
    return f"    for i in {'prange' if target == 'parallel' else 'range'}({count}):\n"


def launch(f: Any, target: str, n: int, args: tuple[Any, ...], stream: Any = 0) -> None:
    """Run what `compiled` has returned, for n elements."""
    if n == 0:
        return
    if is_grid(target):
        f.forall(n, 0, stream)(*args)
    else:
        f(*args)


def vectorize(ftylist_or_function: Any = None, **options: Any) -> Any:
    """Make a ufunc of a function of numbers.

    Parameters
    ----------
    ftylist_or_function : list of signatures or one, or function; optional
        As ``["float32(float32, float32)", "float64(float64, float64)"]``: arguments take the first
        that they convert to without loss. Without signatures the types of the arguments decide.
    target : {"cpu", "parallel", "cuda", "opencl", "gpu"}
        One core, all cores, or a kernel: on the device there is, else on the CPU.
    identity : 0, 1, "reorderable" or None
        What `reduce` yields for nothing.

    Returns
    -------
    Ufunc or decorator

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import vectorize
    >>> @vectorize(["float64(float64, float64)"], target="cuda")
    ... def relative(a, b):
    ...     return (a - b) / (a + b)
    >>> relative(np.array([1.0, 3.0]), 1.0)
    array([0. , 0.5])
    >>> relative.nin
    2
    """
    from numbers import Number

    target = check_target(options.pop("target", "cpu"), "vectorize()")
    identity = options.pop("identity", None)
    if not (identity is None or identity == "reorderable" or isinstance(identity, Number)):
        raise ValueError(f"vectorize(): identity is 0, 1, 'reorderable' or None, not {identity!r}")
    for name in options:
        if name not in ("nopython", "cache", "fastmath", "forceobj", "writable_args", "looplift"):
            raise TypeError(f"vectorize() got an unexpected option '{name}'")
    if callable(ftylist_or_function) and not hasattr(ftylist_or_function, "result"):
        return Ufunc(ftylist_or_function, [], target, identity)
    signatures = _ufunc_text.listed(ftylist_or_function)
    return lambda func: Ufunc(func, signatures, target, identity)


class Ufunc:
    """A function of arrays, by elements, as NumPy's ufuncs.

    Attributes
    ----------
    nin, nout, nargs : int
    types : list of str
    identity : object
    """

    nout = 1
    signature = None

    def __init__(self, func: Any, signatures: list[Any], target: str, identity: Any) -> None:
        self._func = getattr(func, "py_func", func)
        self._target = target
        self.nin = self._func.__code__.co_argcount
        self.nargs = self.nin + 1
        self.identity = None if identity == "reorderable" else identity
        self._chosen: list[tuple[tuple[np.dtype, ...], np.dtype]] = []
        self._dynamic = not signatures
        self._found: dict[Any, Any] = {}
        self._made: dict[Any, Any] = {}
        functools.update_wrapper(self, self._func)
        for s in signatures:
            self._add(s)

    def _add(self, signature: Any) -> None:
        result, args = _ufunc_text.parse(signature)
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__} has {self.nin} parameters, {signature} {len(args)}")
        ins = tuple(_ufunc_text.dtype_of(a) for a in args)
        out = _ufunc_text.dtype_of(result) if result else self._infer(ins)
        self._chosen.append((ins, out))

    def _infer(self, ins: tuple[np.dtype, ...]) -> np.dtype:
        one = njit(f"({', '.join(d.name for d in ins)},)")(self._func)
        return _ufunc_text.dtype_of(_ufunc_text.parse(one.signatures[0])[0])

    @property
    def types(self) -> list[str]:
        """The types that it has been compiled for, as NumPy writes them."""
        return ["".join(d.char for d in ins) + "->" + out.char for ins, out in self._chosen]

    @property
    def py_func(self) -> Any:
        """The function of numbers."""
        return self._func

    def __repr__(self) -> str:
        return f"<ufunc {self.__name__!r}, of {self.nin}>"

    # ---- types ----

    def _resolve(self, args: list[Any]) -> tuple[tuple[np.dtype, ...], np.dtype]:
        if any(map(_is_weak, args)):
            return self._look(args)  # what a Python number fits depends on its value
        key = tuple(a.dtype for a in args)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look(args)
        return found

    def _look(self, args: list[Any]) -> tuple[tuple[np.dtype, ...], np.dtype]:
        sized = args if any(not _is_weak(a) for a in args) else list(map(np.asarray, args))
        for given in (sized, args):
            for ins, out in self._chosen:
                if not self._dynamic and all(map(_fits, given, ins)):
                    return ins, out
        own = tuple(_dtype(a, args) for a in args)
        if not self._dynamic:
            said = ", ".join(d.name for d in own)
            have = "; ".join(", ".join(d.name for d in ins) for ins, _ in self._chosen)
            raise TypeError(
                f"ufunc '{self.__name__}' not supported for the input types ({said}), which do not "
                f"convert without loss to ({have})"
            )
        out = self._infer(own)
        if (own, out) not in self._chosen:
            self._chosen.append((own, out))
        return own, out

    # ---- calls ----

    def __call__(
        self, *args: Any, out: Any = None, where: Any = True, stream: Any = 0, **options: Any
    ) -> Any:
        """Apply it to arrays and numbers that broadcast."""
        if options.keys() - {"casting", "dtype", "order", "subok"}:
            raise TypeError(f"{self.__name__}() got an unexpected keyword '{next(iter(options))}'")
        if len(args) == self.nin + 1 and out is None:
            *args, out = args  # type: ignore[assignment]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments, not {len(args)}")
        out = out[0] if isinstance(out, tuple) else out
        given = [a if _is_array(a) or _is_number(a) else np.asarray(a) for a in args]
        ins, to = self._resolve(given)
        if any(isinstance(a, DeviceArray) for a in given) or isinstance(out, DeviceArray):
            return self._on_device(given, ins, to, out, stream)
        shape = np.broadcast_shapes(*(np.shape(a) for a in given))
        result = out
        if out is None:
            result = np.empty(shape, to)
            if any(isinstance(a, HostArray) for a in given):
                result = result.view(HostArray)
        elif np.broadcast_shapes(shape, out.shape) != out.shape:
            raise ValueError(f"the result has the shape {shape}, and out {out.shape}")
        if where is not True:
            values = self(*args, stream=stream)
            np.copyto(result, values, where=where, casting="same_kind")
            return result
        flat = np.empty(result.shape, to) if _apart(result, to, given) else result
        self._run(flat, [_like(a, flat.shape) for a in given], ins, to, stream)
        if flat is not result:
            np.copyto(result, flat, casting="same_kind")
        return result[()] if out is None and shape == () else result

    def _run(self, out: Any, args: list[Any], ins: Any, to: Any, stream: Any) -> None:
        f = self._loop(ins, to, tuple(np.shape(a) != () for a in args))
        flat = [a.reshape(-1) if np.shape(a) != () else a for a in args]
        launch(f, self._target, out.size, (out.reshape(-1), *flat), stream)

    def _loop(self, ins: Any, to: Any, arrays: tuple[bool, ...]) -> Any:
        f = self._made.get((ins, to, arrays))
        if f is None:
            names = [f"x{k}" for k in range(self.nin)]
            values = [
                f"t{k}({n}[i])" if a else f"t{k}({n})"
                for k, (n, a) in enumerate(zip(names, arrays, strict=True))
            ]
            text = f"def {named(self)}_loop(out, {', '.join(names)}):\n"
            text += loop_head(self._target, "out.size")
            text += f"        out[i] = to(f({', '.join(values)}))\n"
            space = {"f": self._func, "to": to.type, **{f"t{k}": d.type for k, d in enumerate(ins)}}
            f = self._made[ins, to, arrays] = compiled(text, space | _NAMES, self._target)
        return f

    def _on_device(self, args: list[Any], ins: Any, to: Any, out: Any, stream: Any) -> Any:
        if not is_grid(self._target):
            raise TypeError(
                f"{self.__name__}: an array of a device, and the target is {self._target}"
            )
        queue = next(a.queue for a in [*args, out] if isinstance(a, DeviceArray))
        shape = np.broadcast_shapes(*(np.shape(a) for a in args))
        result = queue.empty(shape, to) if out is None else out
        there = []
        for a in args:
            if np.shape(a) not in (shape, ()) or not isinstance(a, DeviceArray) and np.shape(a):
                host = a.copy_to_host() if isinstance(a, DeviceArray) else a
                a = queue.to_device(np.ascontiguousarray(np.broadcast_to(host, shape)))
            elif isinstance(a, DeviceArray) and not a.is_c_contiguous():
                a = queue.to_device(np.ascontiguousarray(a.copy_to_host()))
            there.append(a.copy_to_host()[()] if isinstance(a, DeviceArray) and not shape else a)
        self._run(result, there, ins, to, stream or queue)
        return result

    # ---- along an axis ----

    def _two(self, what: str) -> None:
        if self.nin != 2:
            raise ValueError(f"{what} only supported for binary functions")

    def reduce(
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = None, stream: Any = 0,
    ) -> Any:  # fmt: skip
        """Join the elements along an axis, along several, or with None along all."""
        self._two("reduce")
        a = _host(array)
        axes = (
            tuple(range(a.ndim)) if axis is None else axis if isinstance(axis, tuple) else (axis,)
        )
        axes = tuple(k % a.ndim for k in axes)
        rest = [k for k in range(a.ndim) if k not in axes]
        shape = tuple(a.shape[k] for k in rest)
        n = int(np.prod([a.shape[k] for k in axes], dtype=int))
        rows = (
            a.transpose(*rest, *axes).reshape(-1, n)
            if a.size
            else np.empty((int(np.prod(shape)), n), a.dtype)
        )
        first = self.identity if initial is None else initial
        if n == 0 and first is None:
            raise ValueError(
                f"zero-size array to reduction operation {self.__name__} which has no identity"
            )
        found = np.empty(rows.shape[0], dtype or self._resolve([rows, rows])[1])
        if n == 0:
            found[...] = first
        else:
            found[...] = self._along(rows, found.dtype)[:, -1]
            if initial is not None:
                found[...] = self(np.asarray(initial, found.dtype), found)
        whole = found.reshape(
            [1 if k in axes else a.shape[k] for k in range(a.ndim)] if keepdims else shape
        )
        if out is None:
            return whole[()]
        out[...] = whole
        return out

    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Join the elements along an axis, and keep what there is after each."""
        self._two("accumulate")
        a = np.moveaxis(_host(array), axis, -1)
        rows = (
            np.ascontiguousarray(a).reshape(-1, a.shape[-1])
            if a.size
            else a.reshape(0, a.shape[-1])
        )
        found = self._along(rows, np.dtype(dtype) if dtype else self._resolve([rows, rows])[1])
        whole = np.moveaxis(found.reshape(a.shape), -1, axis)
        if out is None:
            return whole
        out[...] = whole
        return out

    def _along(self, rows: np.ndarray, to: np.dtype) -> np.ndarray:
        ins, own = self._resolve([np.empty(0, to), rows])
        key = ("along", ins, own, to)
        f = self._made.get(key)
        if f is None:
            target = "parallel" if self._target == "parallel" else "cpu"
            text = f"def {named(self)}_along(a, out):\n" + loop_head(target, "len(a)")
            text += "        if a.shape[1] > 0:\n            s = to(a[i, 0])\n"
            text += "            out[i, 0] = s\n            for k in range(1, a.shape[1]):\n"
            text += "                s = to(f(t0(s), t1(a[i, k])))\n                out[i, k] = s\n"
            space = {"f": self._func, "to": to.type, "t0": ins[0].type, "t1": ins[1].type}
            f = self._made[key] = compiled(text, space | _NAMES, target)
        out = np.empty(rows.shape, to)
        f(rows, out)
        return out

    def outer(self, a: Any, b: Any, **options: Any) -> Any:
        """Apply it to all pairs of elements."""
        self._two("outer")
        a, b = _host(a), _host(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **options)

    def at(self, a: np.ndarray, indices: Any, b: Any = None) -> None:
        """Change elements in place, one after the other: an index may come twice."""
        picked = np.arange(a.size).reshape(a.shape)[indices]
        flat, places = a.reshape(-1), np.ravel(picked)
        if not np.shares_memory(flat, a):
            flat = a.ravel()
        values = None if b is None else np.broadcast_to(b, np.shape(picked)).ravel()
        for k, p in enumerate(places):
            flat[p] = self(flat[p]) if values is None else self(flat[p], values[k])
        if not np.shares_memory(flat, a):
            a[...] = flat.reshape(a.shape)


_NAMES: dict[str, Any] = {"gpu": gpu, "prange": prange}


# ---- arguments ---------------------------------------------------------------------------


def _is_array(a: Any) -> bool:
    return isinstance(a, (np.ndarray, DeviceArray))


def _is_number(a: Any) -> bool:
    return isinstance(a, (bool, int, float, complex, np.generic))


def _is_weak(a: Any) -> bool:
    """Tell whether it is a number of Python, whose width nothing says."""
    return type(a) in (bool, int, float, complex)


def _dtype(a: Any, args: list[Any]) -> np.dtype:
    """The dtype of one of the arguments, as NumPy promotes."""
    if not _is_weak(a):
        return a.dtype
    return np.result_type(a, *(b.dtype for b in args if not _is_weak(b)))


def _fits(a: Any, d: np.dtype) -> bool:
    if type(a) is bool:
        return True
    if type(a) is int:
        return d.kind in "fc" or (d.kind in "iu" and np.iinfo(d).min <= a <= np.iinfo(d).max)
    if type(a) is float:
        return d.kind in "fc"
    if type(a) is complex:
        return d.kind == "c"
    return np.can_cast(a.dtype, d)


def _like(a: Any, shape: tuple[int, ...]) -> Any:
    """An argument as C-contiguous elements of a shape, or as one number."""
    if np.shape(a) == ():
        return a[()] if isinstance(a, np.ndarray) else a
    if a.shape != shape:
        a = np.broadcast_to(a, shape)
    return np.ascontiguousarray(a) if shape else a[()]


def _apart(out: Any, to: np.dtype, args: list[Any]) -> bool:
    """Whether the result can't be written into `out` itself: its layout, or what overlaps it."""
    if out.dtype != to or not out.flags.c_contiguous:
        return True
    return any(
        isinstance(a, np.ndarray) and a is not out and np.may_share_memory(a, out) for a in args
    )


def _host(a: Any) -> np.ndarray:
    return a.copy_to_host() if isinstance(a, DeviceArray) else np.asarray(a)
