# SPDX-License-Identifier: BSD-3-Clause
"""`vectorize`: a function of numbers becomes one of arrays, on one core, on all, or on a device.

For each choice of types there is a loop over the elements (or a kernel, one thread each) that calls
the function. Arrays that do not lie like the result are broadcast and copied first.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from . import _by_value, _core, _ufunc_text, gpu, njit, prange
from . import _ufunc_args as _args
from ._device_array import DeviceArray, meets_apart
from ._host_array import HostArray
from .errors import CompileError

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


_ABSENT = object()


class Ufunc(_core.UfuncCalls):
    """A function of arrays, by elements, as NumPy's ufuncs. A call with plain arrays of dtypes
    that are known goes to one of these, whose loops are compiled; any other to `_call`.

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
        self._how = signatures, target, identity
        self._target = target
        self.nin = self._func.__code__.co_argcount
        if self.nin == 0:
            raise TypeError(
                f"vectorize(): {named(func)}() has no parameters, and a ufunc takes one or more"
            )
        self.nargs = self.nin + 1
        self._ordered = identity is None  # several axes can't be joined in any order
        self.identity = None if identity == "reorderable" else identity
        self._chosen: list[tuple[tuple[np.dtype, ...], np.dtype]] = []
        self._dynamic = not signatures
        self._found: dict[Any, Any] = {}
        self._made: dict[Any, Any] = {}
        self._inferred: list[Any] = []  # what has told the dtypes of results
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
        said = ("bool_" if d.kind == "b" else d.name for d in ins)  # bool is Python's own
        one = njit(f"({', '.join(said)},)")(self._func)
        self._inferred.append(one)
        return _ufunc_text.dtype_of(_ufunc_text.parse(one.signatures[0])[0])

    @property
    def types(self) -> list[str]:
        """The types that it has been compiled for, as NumPy writes them."""
        return ["".join(d.char for d in ins) + "->" + out.char for ins, out in self._chosen]

    @property
    def ntypes(self) -> int:
        """How many these are."""
        return len(self._chosen)

    @property
    def py_func(self) -> Any:
        """The function of numbers."""
        return getattr(self._func, "_swathe_live", self._func)

    def __copy__(self) -> Any:
        return self  # as copies of functions are

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return _by_value.reduce_ufunc(self, *self._how)

    def __repr__(self) -> str:
        return f"<ufunc {self.__name__!r}, of {self.nin}>"

    # ---- types ----

    def _forget_changed(self) -> None:
        """Forget dtypes of results that globals have told which are others now."""
        if self._dynamic and self._changed(self._inferred):
            self._found, self._chosen, self._inferred = {}, [], []

    def _resolve(self, args: list[Any]) -> tuple[tuple[np.dtype, ...], np.dtype]:
        if any(map(_is_weak, args)):
            self._forget_changed()
            return self._look(args)  # what a Python number fits depends on its value
        self._forget_changed()
        key = tuple(a.dtype for a in args)
        found = self._found.get(key)
        if found is None:
            found = self._found[key] = self._look(args)
        return found

    def _types_of(
        self, args: list[Any], dtype: Any, casting: str
    ) -> tuple[tuple[np.dtype, ...], np.dtype]:
        """The types of arguments and result; changes arguments that C's rules don't convert."""
        if dtype is None:
            strict = casting in ("no", "equiv") and not self._dynamic
            return self._look(args, casting) if strict else self._resolve(args)
        to = np.dtype(dtype)
        ins = self._yielding(args, to, casting)
        for k, (a, d) in enumerate(zip(args, ins, strict=True)):
            if not _fits(a, d, "same_kind") and not isinstance(a, DeviceArray):
                args[k] = np.asarray(a).astype(d)
        return ins, to

    def _signed(self, args: list[Any], signature: Any, dtype: Any, casting: str) -> Any:
        """Convert arguments to the dtypes of a signature; return the dtype of the result."""
        if dtype is not None:
            raise TypeError("cannot specify both 'signature' and 'dtype'")
        if isinstance(signature, str):
            ins, arrow, out = signature.partition("->")
            if len(ins) != self.nin or arrow and len(out) != 1:
                raise ValueError(
                    f"{self.__name__}: a signature of {self.nin} arguments is no {signature!r}"
                )
            said = (*ins, out or None)
        else:
            said = tuple(signature)
        if len(said) != self.nargs:
            raise ValueError(
                f"{self.__name__}: a signature names {self.nargs} dtypes, not {len(said)}"
            )
        for k, d in enumerate(said[:-1]):
            if d is not None:
                to = np.dtype(d)
                if not _fits(args[k], to, casting):
                    _args.check_input_cast(self, k, np.asarray(args[k]).dtype, to, casting)
                args[k] = np.asarray(args[k]).astype(to)
        return None if said[-1] is None else np.dtype(said[-1])

    def _yielding(self, args: list[Any], to: np.dtype, casting: str) -> tuple[np.dtype, ...]:
        """The types of the arguments from which a result of a type is made."""
        own = tuple(_dtype(a, args) for a in args)
        if self._dynamic:
            if self._infer(own) == to:
                return own
            known = [(to,) * self.nin] if self._infer((to,) * self.nin) == to else []
        else:
            known = [ins for ins, out in self._chosen if out == to]
        for ins in known:
            if all(_fits(a, d, casting) for a, d in zip(args, ins, strict=True)):
                return ins
        if not known:
            raise TypeError(
                f"No loop matching the specified signature and casting was found for ufunc "
                f"{self.__name__}: dtype={to}"
            )
        for k, (a, d) in enumerate(zip(args, known[0], strict=True)):
            if not _fits(a, d, casting):
                _args.check_input_cast(self, k, np.asarray(a).dtype if _is_weak(a) else a.dtype, d,
                                       casting)  # fmt: skip
        raise TypeError(f"{self.__name__}: the arguments don't convert to make dtype={to}")

    def _look(
        self, args: list[Any], casting: str = "safe"
    ) -> tuple[tuple[np.dtype, ...], np.dtype]:
        sized = args if any(not _is_weak(a) for a in args) else list(map(np.asarray, args))
        for given in (sized, args):
            for ins, out in self._chosen:
                fit = (_fits(a, d, casting) for a, d in zip(given, ins, strict=True))
                if not self._dynamic and all(fit):
                    return ins, out
        own = tuple(_dtype(a, args) for a in args)
        odd = any(d.kind in "OSUV" or d.char in "gG" for d in own)
        if odd and self._dynamic:
            said = ", ".join(map(str, own))
            raise TypeError(
                f"ufunc '{self.__name__}' not supported for the input types ({said}): elements "
                "are times or numbers, and no long doubles"
            )
        if not self._dynamic:
            said = ", ".join(d.name for d in own)
            have = "; ".join(", ".join(d.name for d in ins) for ins, _ in self._chosen)
            raise TypeError(
                f"ufunc '{self.__name__}' not supported for the input types ({said}), which do not "
                f"convert without loss to ({have})"
            )
        own, out = self._infer_ints(args, own)
        if (own, out) not in self._chosen:
            self._chosen.append((own, out))
        return own, out

    def _infer_ints(
        self, args: list[Any], own: tuple[np.dtype, ...]
    ) -> tuple[tuple[np.dtype, ...], np.dtype]:
        """A Python int stays one where the function doesn't take it as the arrays' float."""
        try:
            return own, self._infer(own)
        except CompileError:
            ints = (
                np.dtype(np.int64) if type(a) is int else d for a, d in zip(args, own, strict=True)
            )
            whole = tuple(ints)
            if whole == own:
                raise
            try:
                return whole, self._infer(whole)
            except CompileError:
                pass
            raise

    # ---- NumPy's own ----

    def _make_loops(self, ins: Any, to: np.dtype) -> tuple[Any, Any]:
        """Compile the loop over strided arrays that NumPy calls, and the one of `reduce`."""
        space = {"f": self._func, "to": to.type, **{f"t{k}": d.type for k, d in enumerate(ins)}}
        arrays = [f"{d.name}[:]" for d in (*ins, to)]
        names = [f"x{k}" for k in range(self.nin)]
        values = ", ".join(f"t{k}({n}[i])" for k, n in enumerate(names))
        text = f"def {named(self)}_each({', '.join(names)}, out):\n"
        text += loop_head(self._target, "out.size") + f"        out[i] = to(f({values}))\n"
        parallel = self._target == "parallel"
        each = njit(f"void({', '.join(arrays)})", parallel=parallel)(
            _ufunc_text.function(text, space | _NAMES)
        )
        if self.nin != 2 or ins != (to, to) or parallel:
            return each, None
        text = f"def {named(self)}_fold(a, out):\n    s = out[0]\n    for i in range(a.size):\n"
        text += "        s = to(f(t0(s), t1(a[i])))\n    out[0] = s\n"
        fold = njit(f"void({', '.join(arrays[1:])})")(_ufunc_text.function(text, space | _NAMES))
        return each, fold

    def _learns(self, args: tuple[Any, ...], ins: Any, to: np.dtype) -> bool:
        """Let calls with such arguments go to NumPy; tell whether they do now."""
        if is_grid(self._target):
            return False
        make = functools.partial(self._make_loops, ins, to)
        return self._learn(args, (*ins, to), make, self.__name__, not self._ordered)

    # ---- calls ----

    @_args.asks_first
    def _call(
        self, *args: Any, out: Any = None, where: Any = True, stream: Any = 0,
        casting: str = "same_kind", order: str = "K", dtype: Any = None, subok: bool = True,
        signature: Any = None,
    ) -> Any:  # fmt: skip
        """Apply it to arrays and numbers that broadcast; the options mean what NumPy's do."""
        if len(args) == self.nargs:
            if out is not None:
                raise TypeError("cannot specify 'out' as both a positional and keyword argument")
            *args, out = args  # type: ignore[assignment]
        if len(args) != self.nin:
            raise TypeError(f"{self.__name__}() takes {self.nin} arguments, not {len(args)}")
        (out,), mask = _args.outputs(self, out), _args.mask_of(where)
        casting, order = _args.check_casting(casting), _args.check_order(order)
        subok = _args.check_subok(subok)
        given = [_args.plain(a) if _is_array(a) or _is_number(a) else np.asarray(a) for a in args]
        if signature is not None:
            dtype = self._signed(given, signature, dtype, casting)
        ins, to = self._types_of(given, dtype, casting)
        if out is not None:
            _args.check_output_cast(self, 0, to, out.dtype, casting)
        plain = dtype is None and casting == "same_kind" and subok and stream == 0
        whole = self._dynamic or not any(type(a) is int for a in args)  # an int's value matters
        if plain and whole and self._learns(tuple(args), ins, to):
            return self(*args, out=out, order=order, where=True if mask is None else mask)
        if any(isinstance(a, DeviceArray) for a in [*given, out]):
            if mask is not None or order == "F":
                said = "order='F'" if mask is None else "where"
                raise TypeError(f"{self.__name__}: arrays of a device take no {said}")
            return self._on_device(given, ins, to, out, stream)
        shaping = given if mask is None else [*given, mask]
        shape = _joined(shaping)
        result = _args.empty(shape, to, order, shaping) if out is None else out
        if out is not None:
            _check_shape(shape, out)
        if mask is None:
            self._fill(result, given, ins, to, stream)
        else:
            self._fill_some(result, np.broadcast_to(mask, result.shape), given, ins, to, stream)
        if out is not None:
            return out
        if any(isinstance(a, HostArray) for a in given):
            result = result.view(HostArray)
        whole = _args.wrapped(self, tuple(args), result) if subok else result
        return whole[()] if whole is result and shape == () else whole

    def _fill(self, result: np.ndarray, args: list[Any], ins: Any, to: Any, stream: Any) -> None:
        """Compute all elements of an array, in the order in which they lie."""
        axes = None if result.flags.c_contiguous else _args.outer_first(result)
        lies = result if axes is None else result.transpose(axes)
        flat = np.empty(lies.shape, to) if _apart(result, lies, to, args) else lies
        self._run(flat, [_like(a, result.shape, axes) for a in args], ins, to, stream)
        if flat is not lies:
            lies[...] = flat

    def _fill_some(
        self, result: np.ndarray, mask: np.ndarray, args: list[Any], ins: Any, to: Any, stream: Any
    ) -> None:
        """Compute the elements of an array that a mask shows, and no others."""
        some = [a if np.shape(a) == () else np.broadcast_to(a, result.shape)[mask] for a in args]
        values = np.empty(int(np.count_nonzero(mask)), to)
        self._run(values, [_like(a, values.shape) for a in some], ins, to, stream)
        result[mask] = values

    def _run(self, out: Any, args: list[Any], ins: Any, to: Any, stream: Any) -> None:
        f = self._loop(ins, to, tuple(np.shape(a) != () for a in args))
        flat = [a.reshape(-1) if np.shape(a) != () else _number(a) for a in args]
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
        shape = _joined(args)
        result = out
        if out is not None:
            _check_shape(shape, out)
            shape = tuple(out.shape)
        fits = isinstance(out, DeviceArray) and out.dtype == to and out.is_c_contiguous()
        if not fits or any(isinstance(a, DeviceArray) and meets_apart(a, out) for a in args):
            result = queue.empty(shape, to)
        there = []
        for a in args:
            if np.shape(a) not in (shape, ()) or not isinstance(a, DeviceArray) and np.shape(a):
                host = a.copy_to_host() if isinstance(a, DeviceArray) else a
                a = queue.to_device(np.ascontiguousarray(np.broadcast_to(host, shape)))
            elif isinstance(a, DeviceArray) and not a.is_c_contiguous():
                a = queue.to_device(np.ascontiguousarray(a.copy_to_host()))
            one = isinstance(a, DeviceArray) and np.shape(a) == ()
            there.append(a.copy_to_host()[()] if one else a)
        self._run(result, there, ins, to, stream or queue)
        return result if out is None or out is result else _args.give(result.copy_to_host(), out)

    # ---- along an axis ----

    def _joins(self, a: Any, dtype: Any, out: Any) -> bool:
        """Tell whether NumPy's ufunc joins the elements of an array. It is given a dtype, for by
        the names "add" and "multiply" NumPy knows functions of wider sums."""
        if type(a) is not np.ndarray or dtype is not None or self._target != "cpu" or self.nin != 2:
            return False
        if out is not None and (type(out) is not np.ndarray or out.dtype != a.dtype):
            return False
        if self._inner(a):
            return True
        ins, to = self._resolve([a, a])
        if ins == (a.dtype, a.dtype) and to == a.dtype:
            return self._learns((a, a), ins, to) and self._inner(a)
        return False

    def _two(self, what: str) -> None:
        if self.nin != 2:
            raise ValueError(f"{what} only supported for binary functions")

    @_args.asks_first
    def reduce(
        self, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None, keepdims: bool = False,
        initial: Any = _ABSENT, where: Any = True, stream: Any = 0,
    ) -> Any:  # fmt: skip
        """Join the elements along an axis, along several, or with None along all."""
        self._two("reduce")
        a, (out,) = _host(array), _args.outputs(self, out)
        if self._joins(a, dtype, out):
            options: dict[str, Any] = {} if where is True else {"where": where}
            start = self.identity if initial is _ABSENT else initial
            if start is not None:
                options["initial"] = start
            return self._by_numpy("reduce", (a, axis, a.dtype, out, bool(keepdims)), options)
        axes = _args.axes_of(axis, a.ndim)
        if len(axes) > 1 and self._ordered:
            raise ValueError(
                f"reduction operation '{self.__name__}' is not reorderable, so at most one axis "
                "may be specified"
            )
        rest = [k for k in range(a.ndim) if k not in axes]
        shape = tuple(a.shape[k] for k in rest)
        n = int(np.prod([a.shape[k] for k in axes], dtype=int))
        count = int(np.prod(shape, dtype=int))
        rows, ins, to = self._fold_types(a.transpose(*rest, *axes).reshape(count, n), dtype, out)
        start = self.identity if initial is _ABSENT else initial
        if n == 0 and start is None:
            raise ValueError(
                f"zero-size array to reduction operation {self.__name__} which has no identity"
            )
        ones = [1 if k in axes else a.shape[k] for k in range(a.ndim)]
        one = a[tuple(slice(0, 1) if k in axes else slice(None) for k in range(a.ndim))]
        whole = np.empty_like(one, to, subok=False) if n else np.empty(ones, to)
        if where is True:
            found = self._along(rows, ins, to, start, True)
        else:
            mask = self._mask(where, a, start).transpose(*rest, *axes).reshape(count, n)
            found = self._along_where(rows, mask, ins, to, start)
        whole[...] = found.reshape(ones)
        if not keepdims:
            whole = whole[tuple(0 if k in axes else slice(None) for k in range(a.ndim))]
        if out is None:
            return whole[()]
        if tuple(out.shape) != whole.shape:
            raise ValueError(
                f"output parameter for reduction operation {self.__name__} has the shape "
                f"{tuple(out.shape)}, and the result {whole.shape}"
            )
        return _args.give(whole, out)

    def _mask(self, where: Any, a: np.ndarray, start: Any) -> np.ndarray:
        """Which elements are joined; there may be rows of none."""
        if start is None:
            raise ValueError(
                f"reduction operation '{self.__name__}' does not have an identity, so to use a "
                "where mask one has to specify 'initial'"
            )
        return np.broadcast_to(np.asarray(_host(where)).astype(bool, casting="safe"), a.shape)

    def _along_where(
        self, rows: np.ndarray, mask: np.ndarray, ins: Any, to: np.dtype, start: Any
    ) -> np.ndarray:
        found = np.empty((len(rows), 1), to)
        for k in range(len(rows)):
            found[k : k + 1] = self._along(rows[k : k + 1, mask[k]], ins, to, start, True)
        return found

    @_args.asks_first
    def accumulate(self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None) -> Any:
        """Join the elements along an axis, and keep what there is after each."""
        self._two("accumulate")
        a, (out,) = _host(array), _args.outputs(self, out)
        if self._joins(a, dtype, out):
            return self._by_numpy("accumulate", (a, axis, a.dtype, out), {})
        if a.ndim == 0:
            raise TypeError("cannot accumulate on a scalar")
        if isinstance(axis, tuple) and len(axis) == 1:
            (axis,) = axis
        if axis is None and a.ndim == 1:
            axis = 0
        if axis is None or isinstance(axis, tuple):
            raise ValueError("accumulate does not allow multiple axes")
        k = _args.axis_of(axis, a.ndim)
        if out is not None and tuple(out.shape) != a.shape:
            raise ValueError(
                f"provided out has the shape {tuple(out.shape)}, and the accumulation {a.shape}"
            )
        last = np.moveaxis(a, k, -1)
        count = int(np.prod(last.shape[:-1], dtype=int))
        rows, ins, to = self._fold_types(last.reshape(count, last.shape[-1]), dtype, out)
        found = np.moveaxis(self._along(rows, ins, to, None, False).reshape(last.shape), -1, k)
        if out is not None:
            return _args.give(found, out)
        whole = np.empty_like(a, to, subok=False)
        whole[...] = found
        return whole

    @_args.asks_first
    def reduceat(
        self, array: Any, indices: Any, axis: int = 0, dtype: Any = None, out: Any = None
    ) -> Any:
        """Join the elements of stretches along an axis, each from a place to the next one."""
        self._two("reduceat")
        a, (out,) = _host(array), _args.outputs(self, out)
        if self._joins(a, dtype, out):
            return self._by_numpy("reduceat", (a, indices, axis, a.dtype, out), {})
        if a.ndim == 0:
            raise TypeError("cannot reduceat on a scalar")
        k, places = _args.axis_of(axis, a.ndim), np.asarray(indices).astype(int, casting="safe")
        if places.ndim != 1:
            raise ValueError(f"the indices of reduceat have one axis, not {places.ndim}")
        n = a.shape[k]
        for p in places:
            if not 0 <= p < n:
                raise IndexError(f"index {p} out-of-bounds in {self.__name__}.reduceat [0, {n})")
        parts = []
        for first, end in zip(places, [*places[1:], n], strict=True):
            stretch = np.take(a, range(first, max(end, first + 1)), k)
            parts.append(self.reduce(stretch, k, dtype))
        to = self._fold_types(np.empty((0, 1), a.dtype), dtype, out)[2]
        shape = (*a.shape[:k], 0, *a.shape[k + 1 :])
        found = np.stack(parts, k) if parts else np.empty(shape, to)
        return found if out is None else _args.give(found, out)

    def _fold_types(self, rows: np.ndarray, dtype: Any, out: Any) -> tuple[np.ndarray, Any, Any]:
        """The rows that are joined, the types of the arguments of a step, and that of a result."""
        if dtype is None and out is None:
            to = self._resolve([rows, rows])[1]
            return rows, self._resolve([np.empty(0, to), rows])[0], to
        to = np.dtype(out.dtype if dtype is None else dtype)
        rows = rows.astype(to, copy=False)
        return rows, self._types_of([rows, rows], None if self._dynamic else to, "unsafe")[0], to

    def _along(self, rows: np.ndarray, ins: Any, to: Any, start: Any, last: bool) -> np.ndarray:
        """Join the elements of each row, behind `start` unless that is None: the last, or all."""
        key = ("along", ins, to, rows.dtype, start is None, last)
        f = self._made.get(key)
        if f is None:
            target = "parallel" if self._target == "parallel" else "cpu"
            keep = "" if last else "out[i, {}] = s"
            text = f"def {named(self)}_along(a, start, out):\n" + loop_head(target, "len(a)")
            if start is None:
                text += f"        s = to(a[i, 0])\n        {keep.format(0)}\n"
            else:
                text += "        s = start[0]\n"
            text += f"        for k in range({int(start is None)}, a.shape[1]):\n"
            text += f"            s = to(f(t0(s), t1(a[i, k])))\n            {keep.format('k')}\n"
            text += "        out[i, 0] = s\n" if last else ""
            space = {"f": self._func, "to": to.type, "t0": ins[0].type, "t1": ins[1].type}
            f = self._made[key] = compiled(text, space | _NAMES, target)
        out = np.empty((len(rows), 1) if last else rows.shape, to)
        if len(rows) and (rows.shape[1] or start is not None):
            f(rows, np.array([0 if start is None else start], to), out)
        return out

    @_args.asks_first
    def outer(self, a: Any, b: Any, **options: Any) -> Any:
        """Apply it to all pairs of elements."""
        self._two("outer")
        a, b = _host(a), _host(b)
        return self(a.reshape(a.shape + (1,) * b.ndim), b, **options)

    @_args.asks_first
    def at(self, a: np.ndarray, indices: Any, b: Any = None) -> None:
        """Change elements in place, one after the other: an index may come twice."""
        if b is not None and self._joins(a, None, None) and np.asarray(b).dtype == a.dtype:
            self._by_numpy("at", (a, indices, b), {})
            return
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


def _fits(a: Any, d: np.dtype, casting: str = "safe") -> bool:
    if type(a) is bool:
        return True
    if type(a) is int:
        return d.kind in "fc" or (d.kind in "iu" and np.iinfo(d).min <= a <= np.iinfo(d).max)
    if type(a) is float and casting != "unsafe":
        return d.kind in "fc"
    if type(a) is complex and casting != "unsafe":
        return d.kind == "c"
    return np.can_cast(np.asarray(a).dtype if _is_weak(a) else a.dtype, d, casting)


def _like(a: Any, shape: tuple[int, ...], axes: tuple[int, ...] | None = None) -> Any:
    """An argument as C-contiguous elements of a shape whose axes are permuted, or as one number."""
    if np.shape(a) == ():
        return a[()] if isinstance(a, np.ndarray) else a
    if a.shape != shape:
        a = np.broadcast_to(a, shape)
    if axes is not None:
        a = a.transpose(axes)
    if not shape:
        return a[()]
    native = a.dtype.newbyteorder("=") if not a.dtype.isnative else None
    return np.require(a, native, ["C_CONTIGUOUS", "ALIGNED"])


def _number(a: Any) -> Any:
    """One number as compiled code takes it: a Python int there has 64 bits with its sign."""
    return np.uint64(a) if type(a) is int and a >> 63 > 0 else a


def _apart(out: Any, lies: Any, to: np.dtype, args: list[Any]) -> bool:
    """Whether the result can't be written into `out` itself: its layout, or what overlaps it."""
    if out.dtype != to or not lies.flags.c_contiguous or not out.dtype.isnative:
        return True
    if not out.flags.aligned:
        return True
    return any(
        isinstance(a, np.ndarray) and a is not out and np.may_share_memory(a, out) for a in args
    )


def _joined(arrays: list[Any]) -> tuple[int, ...]:
    """The shape to which arguments broadcast."""
    shapes = {tuple(getattr(a, "shape", ())) for a in arrays} - {()}
    return next(iter(shapes), ()) if len(shapes) < 2 else np.broadcast_shapes(*shapes)


def _check_shape(shape: tuple[int, ...], out: Any) -> None:
    if tuple(out.shape) != shape and np.broadcast_shapes(shape, out.shape) != tuple(out.shape):
        raise ValueError(
            f"the result has the shape {shape}, and out {tuple(out.shape)}: non-broadcastable "
            "output operand"
        )


def _host(a: Any) -> np.ndarray:
    return a.copy_to_host() if isinstance(a, DeviceArray) else np.asarray(a)
