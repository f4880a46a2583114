# SPDX-License-Identifier: BSD-3-Clause
"""`guvectorize`: a function of small arrays becomes one over stacks of them.

The layout names the axes that the function sees, ``(m,n),(n,p)->(m,p)``; those before
them are looped over. Arguments are made to stacks that lie one after the other, and each call is
handed its parts.
"""

from __future__ import annotations

import contextlib
import functools
import math
import re
from typing import Any

import numpy as np

from . import _by_value, _core_axes, _gufunc_calls, _ufunc_text, gpu, njit, prange
from . import _ufunc_args as _args
from ._device_array import DeviceArray
from ._host_array import HostArray
from ._vectorize import check_target, compiled, is_grid, launch, loop_head, named
from .errors import CompileError

# Python's numbers go with any dtype of such a kind.
_WEAK = {int: "iufc", float: "fc", complex: "c"}
_LAYOUT = re.compile(r"\(([^()]*)\)")


def guvectorize(*spec: Any, **options: Any) -> Any:
    """Make a generalised ufunc of a function of small arrays, which fills its last ones.

    Parameters
    ----------
    signatures : list of signatures or one, optional
        As ``["void(float64[:], float64[:])"]``; without them the types of the arguments decide.
    layout : str
        As ``"(n),()->(n)"``.
    target : {"cpu", "parallel", "cuda", "opencl", "gpu"}
    writable_args : tuple of names or indices, optional
        Inputs of which what the function stores is seen also where they are of another dtype than
        the signature says. In arrays of that dtype it is seen anyway, unless they are broadcast.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import guvectorize
    >>> @guvectorize(["void(float64[:], float64, float64[:])"], "(n),()->(n)", target="cuda")
    ... def shift(x, by, out):
    ...     for i in range(x.shape[0]):
    ...         out[i] = x[i] + by
    >>> shift(np.array([[1.0, 2.0], [3.0, 4.0]]), 10.0)
    array([[11., 12.],
           [13., 14.]])
    """
    target = check_target(options.pop("target", "cpu"), "guvectorize()")
    for name in options:
        if name not in ("nopython", "cache", "fastmath", "forceobj", "writable_args", "identity"):
            raise TypeError(f"guvectorize() got an unexpected option '{name}'")
    if not 1 <= len(spec) <= 2 or not isinstance(spec[-1], str):
        raise TypeError("guvectorize() takes signatures and a layout, as '(m,n),(n,p)->(m,p)'")
    signatures = _ufunc_text.listed(spec[0]) if len(spec) == 2 else []
    writable = tuple(options.get("writable_args") or ())
    return lambda func: GUfunc(func, signatures, spec[-1], target, writable)


def _axes(part: str) -> list[tuple[str, ...]]:
    return [tuple(n.strip() for n in one.split(",") if n.strip()) for one in _LAYOUT.findall(part)]


class GUfunc:
    """A function of stacks of arrays.

    Attributes
    ----------
    signature : str
        The layout.
    nin, nout, nargs : int
    """

    def __init__(
        self, func: Any, signatures: list[Any], layout: str, target: str, writable: Any = ()
    ) -> None:
        self._func = getattr(func, "py_func", func)
        self._how = signatures, layout, target, writable
        self.signature = layout
        ins, arrow, outs = layout.partition("->")
        self._ins, self._outs = _axes(ins), _axes(outs)
        if not self._ins or (arrow and not self._outs) or "-" in ins or ">" in ins:
            raise ValueError(
                f"guvectorize(): a layout is written '(m,n),(n,p)->(m,p)', not {layout!r}"
            )
        named = {n for part in self._ins for n in part}
        for part in self._outs:
            for n in part:
                if n not in named:
                    raise NameError(f"undefined output symbols: {n}")
        self.nin, self.nout = len(self._ins), len(self._outs)
        self.nargs = self.nin + self.nout
        count = self._func.__code__.co_argcount
        if count != self.nargs:
            raise TypeError(
                f"the layout {layout!r} names {self.nargs} arrays, {func.__name__} {count}"
            )
        params = self._func.__code__.co_varnames[: self.nin]
        for w in writable:
            if w not in params and not (isinstance(w, int) and 0 <= w < self.nin):
                raise ValueError(f"guvectorize(): writable_args: {w!r} is no input of {params}")
        self._writable = {params.index(w) if isinstance(w, str) else w for w in writable}
        self._target = target
        self._chosen = [self._types(s) for s in signatures]
        self._seen: list[Any] = []  # what it was called for, where it has no signatures
        self._made: dict[Any, Any] = {}
        self._stores: set[Any] = set()  # for which types it stores to its arguments
        functools.update_wrapper(self, self._func)

    def __copy__(self) -> Any:
        return self  # as copies of functions are

    def __deepcopy__(self, memo: Any) -> Any:
        return self

    def __reduce__(self) -> Any:
        return _by_value.reduce_ufunc(self, *self._how)

    def _types(self, signature: Any) -> tuple[tuple[np.dtype, ...], tuple[bool, ...]]:
        result, args = _ufunc_text.parse(signature)
        if result not in ("", "none", "void"):
            raise TypeError(f"guvectorize(): {signature} returns something: write void(...)")
        if len(args) != self.nargs:
            raise TypeError(f"{self.__name__} has {self.nargs} parameters, {signature} {len(args)}")
        return tuple(map(_ufunc_text.dtype_of, args)), tuple("[" in a for a in args)

    @property
    def types(self) -> list[str]:
        """The types that it has signatures for, or was called for, as NumPy writes them."""
        said = [[d.char for d in dtypes] for dtypes, _ in self._chosen or self._seen]
        return ["".join(c[: self.nin]) + "->" + "".join(c[self.nin :]) for c in said]

    def in_compiled_code(self) -> Any:
        """Return the function that compiled code calls, with all outputs."""
        return _gufunc_calls.function(self._func, self._ins, self._outs, self._chosen, self._target)

    def _resolve(self, given: list[Any], args: list[Any], outs: list[Any]) -> Any:
        own = [a.dtype for a in args]
        for dtypes, arrays in self._chosen:
            takes = zip(given, own, dtypes, strict=False)
            if all(_WEAK.get(type(x), "") or np.can_cast(d, t) for x, d, t in takes) and all(
                t.kind in _WEAK.get(type(x), t.kind) for x, t in zip(given, dtypes, strict=False)
            ):
                return dtypes, arrays
        if self._chosen:
            said = ", ".join(d.name for d in own)
            raise TypeError(f"gufunc '{self.__name__}' not supported for the input types ({said})")
        if any(o is None for o in outs):
            raise TypeError(f"{self.__name__} has no signatures, so it has to be given its outputs")
        arrays = [bool(core) for core in self._ins] + [True] * self.nout
        found = (*own, *(o.dtype for o in outs)), tuple(arrays)
        if found not in self._seen:
            self._seen.append(found)
        return found

    def _sizes(self, args: list[Any]) -> tuple[dict[str, int], tuple[int, ...]]:
        """What the layout's names stand for, and the shape of the stack."""
        sizes: dict[str, int] = {}
        outer = []
        for k, (a, core) in enumerate(zip(args, self._ins, strict=True)):
            if len(a.shape) < len(core):
                raise ValueError(
                    f"{self.__name__}: Input operand {k} does not have enough dimensions "
                    f"(has {len(a.shape)}, gufunc core with signature {self.signature} "
                    f"requires {len(core)})"
                )
            cut = len(a.shape) - len(core)
            outer.append(a.shape[:cut])
            for name, n in zip(core, a.shape[cut:], strict=True):
                known = int(name) if name.isdigit() else sizes.setdefault(name, n)
                if known != n:
                    raise ValueError(
                        f"{self.__name__}: Input operand {k} has a mismatch in its core dimension "
                        f"'{name}' (size {n} is different from {known})"
                    )
        return sizes, np.broadcast_shapes(*outer)

    @_args.asks_first
    def __call__(self, *args: Any, out: Any = None, stream: Any = 0, **names: Any) -> Any:
        """Apply it to stacks that broadcast; ``axes``, ``axis`` and ``keepdims`` as NumPy's."""
        if names:
            wrong = [n for n in names if n not in ("axes", "axis", "keepdims")]
            if wrong:
                raise TypeError(
                    f"{self.__name__}() got an unexpected keyword argument '{wrong[0]}'"
                )
            return _core_axes.call(self, args, out, names)
        given, outs = list(args[: self.nin]), list(args[self.nin :])
        if len(given) < self.nin or len(outs) > self.nout:
            raise TypeError(
                f"{self.__name__}() takes {self.nin} to {self.nargs} arguments, not {len(args)}"
            )
        if out is not None and outs:
            raise TypeError("cannot specify 'out' as both a positional and keyword argument")
        pad = [None] * (self.nout - len(outs))
        outs = _args.outputs(self, tuple(outs + pad) if out is None else out)
        device = next((a for a in (*given, *outs) if isinstance(a, DeviceArray)), None)
        kept = any(isinstance(a, HostArray) for a in given)
        host = [a.copy_to_host() if isinstance(a, DeviceArray) else np.asarray(a) for a in given]
        dtypes, arrays = self._resolve(given, host, outs)
        for k, x in enumerate(given):
            if type(x) in _WEAK:
                host[k] = np.asarray(x, dtypes[k])  # an OverflowError where it does not fit
        sizes, outer = self._sizes(host)
        outer = self._outer_with(outer, outs)
        count = int(np.prod(outer, dtype=int))
        shapes = [tuple(int(n) if n.isdigit() else sizes[n] for n in core) for core in self._outs]
        self._check_outputs(outs, outer, shapes, dtypes[self.nin :])
        made = [
            np.zeros((count, *(s or (1,))), d)
            for s, d in zip(shapes, dtypes[self.nin :], strict=True)
        ]
        for m, o in zip(made, outs, strict=True):  # a function may read what it is to write
            if o is not None and np.can_cast(o.dtype, m.dtype, "same_kind"):
                m[...] = np.reshape(o.copy_to_host() if isinstance(o, DeviceArray) else o, m.shape)
        self._run(count, host, outer, made, dtypes, arrays, stream)
        results = [m.reshape(outer + s) for m, s in zip(made, shapes, strict=True)]
        return self._give(results, outs, device, kept)

    def _outer_with(self, outer: tuple[int, ...], outs: list[Any]) -> tuple[int, ...]:
        """The shape of the stack: inputs are broadcast to outputs, and no output to anything."""
        for o, core in zip(outs, self._outs, strict=True):
            if o is not None and len(o.shape) >= len(core):
                with contextlib.suppress(ValueError):  # said where the output is looked at
                    outer = np.broadcast_shapes(outer, o.shape[: len(o.shape) - len(core)])
        return outer

    def _check_outputs(self, outs: list[Any], outer: Any, shapes: list[Any], dtypes: Any) -> None:
        for k, (o, s, d) in enumerate(zip(outs, shapes, dtypes, strict=True)):
            if o is None:
                continue
            if tuple(o.shape) != outer + s:
                raise ValueError(
                    f"{self.__name__}: an output has the shape {o.shape}, not {outer + s}"
                )
            _args.check_output_cast(self, k, d, o.dtype, "same_kind")

    def _run(
        self, count: int, host: list[np.ndarray], outer: Any, made: list[np.ndarray], dtypes: Any,
        arrays: tuple[bool, ...], stream: Any,
    ) -> None:  # fmt: skip
        """Call the function for each part. Arguments are copied only if it stores to them."""
        key = (dtypes, arrays)
        for copies in (False, True):
            if not copies and key in self._stores:
                continue
            cores = list(zip(host, self._ins, strict=True))
            # what all parts share stays one, unless it may be stored to
            once = [not copies and a.ndim > 0 and _parts_of(a, c) == 1 for a, c in cores]
            stacks = [
                _stack(a, () if o else outer, 1 if o else count, c, d, copies)
                for (a, c), d, o in zip(cores, dtypes, once, strict=False)
            ]
            f = self._loop(dtypes, arrays, tuple(once) if count != 1 else (False,) * self.nin)
            try:
                before = [s.copy() for s in stacks] if copies and self.nout else []
                launch(f, self._target, count, (count, *stacks, *made), stream)
                if not self.nout and copies:
                    self._store_back(host, stacks)
                for k, was in enumerate(before):
                    self._show_stores(k, host[k], was, stacks[k])
                return
            except CompileError as e:
                if copies or "read-only" not in str(e):
                    raise
                self._stores.add(key)

    def _show_stores(self, k: int, a: np.ndarray, was: np.ndarray, now: np.ndarray) -> None:
        """Let an input have what the function has stored in it, where it would see its memory."""
        seen = (a.dtype == now.dtype or k in self._writable) and a.flags.writeable
        if seen and a.size == now.size and was.tobytes() != now.tobytes():
            a[...] = now.reshape(a.shape)

    def _store_back(self, host: list[np.ndarray], stacks: list[np.ndarray]) -> None:
        """Without results in the layout, what the function has written is in its arguments."""
        for k, (a, s) in enumerate(zip(host, stacks, strict=True)):
            if a.size != s.size:
                continue  # one for several parts, which only reads make sense of
            new = s.reshape(a.shape)
            if not a.flags.writeable and not np.array_equal(a, new, equal_nan=a.dtype.kind in "fc"):
                raise ValueError(f"{self.__name__}: argument {k} is read-only")
            if a.flags.writeable and a.tobytes() != new.tobytes():
                a[...] = new

    def _give(self, results: list[np.ndarray], outs: list[Any], device: Any, kept: bool) -> Any:
        """Put results where they belong."""
        done = []
        for r, o in zip(results, outs, strict=True):
            if o is not None:
                r = _args.give(r, o)
            elif device is not None:
                r = device.queue.to_device(np.ascontiguousarray(r))
            elif kept:
                r = r.view(HostArray)
            number = o is None and isinstance(r, np.ndarray) and r.shape == ()
            done.append(r[()] if number else r)
        return None if not done else done[0] if len(done) == 1 else tuple(done)

    def _loop(self, dtypes: Any, arrays: tuple[bool, ...], once: tuple[bool, ...]) -> Any:
        f = self._made.get((dtypes, arrays, once))
        if f is None:
            names = [f"x{k}" for k in range(self.nargs)]
            parts = []
            for k, n in enumerate(names):
                core = self._ins[k] if k < self.nin else ("",)
                whole = not core and arrays[k]  # a number that the function takes as an array
                one = k < self.nin and once[k]
                first, last = ("0", "1") if one else ("i", "i + 1")
                parts.append(f"{n}[{first}:{last}]" if whole else f"{n}[{first}]")
            text = f"def {named(self)}_loop(count, {', '.join(names)}):\n"
            text += loop_head(self._target, "count") + f"        f({', '.join(parts)})\n"
            inner = self._func if is_grid(self._target) else njit(self._func)
            space = {"f": inner, "gpu": gpu, "prange": prange}
            f = self._made[dtypes, arrays, once] = compiled(text, space, self._target)
        return f


def _parts_of(a: np.ndarray, core: tuple[str, ...]) -> int:
    return math.prod(a.shape[: a.ndim - len(core)])


def _stack(
    a: np.ndarray, outer: tuple[int, ...], count: int, core: tuple[str, ...], d: np.dtype,
    copies: bool,
) -> np.ndarray:  # fmt: skip
    """An argument as `count` parts that lie one after the other: its own memory, read-only, or a
    copy."""
    own = a.shape[a.ndim - len(core) :]
    a = a if outer else a.reshape(own)
    whole = np.broadcast_to(a, outer + own).astype(d, order="C", copy=copies)
    parts = np.ascontiguousarray(whole).reshape(count, *own)
    parts.flags.writeable = copies
    return parts
