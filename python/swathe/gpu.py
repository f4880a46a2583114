# SPDX-License-Identifier: BSD-3-Clause
"""Kernels: functions that say what one thread of a grid does, under CUDA's names.

>>> import numpy as np
>>> from swathe import gpu
>>> @gpu.jit
... def saxpy(a, x, y):
...     i = gpu.grid(1)
...     if i < x.size:
...         y[i] += a * x[i]
>>> x, y = np.arange(5.0), np.ones(5)
>>> saxpy[1, 32](2.0, x, y)
>>> y
array([1., 3., 5., 7., 9.])

A launch gives the number of blocks and of threads in a block, each an int or a tuple of up to
three. Without a device, it runs compiled on all cores of the CPU. The module is a context
manager, too: ``with swathe.gpu:`` says where labelled loops run.
"""

import sys
import types
from typing import Any

__all__ = [
    "activemask",
    "all_sync",
    "any_sync",
    "atomic",
    "ballot_sync",
    "blockDim",
    "blockIdx",
    "brev",
    "cbrt",
    "cg",
    "clz",
    "const",
    "declare_device",
    "device_array",
    "device_array_like",
    "eq_sync",
    "ffs",
    "fma",
    "grid",
    "gridDim",
    "gridsize",
    "jit",
    "laneid",
    "lanemask_lt",
    "local",
    "match_all_sync",
    "match_any_sync",
    "popc",
    "rsqrt",
    "selp",
    "shared",
    "shfl_down_sync",
    "shfl_sync",
    "shfl_up_sync",
    "shfl_xor_sync",
    "syncgrid",
    "synchronize",
    "syncthreads",
    "syncthreads_and",
    "syncthreads_count",
    "syncthreads_or",
    "syncwarp",
    "threadIdx",
    "threadfence",
    "threadfence_block",
    "threadfence_system",
    "to_device",
    "warpsize",
]


# ---- what only kernels can say ---------------------------------------------------------------


class _Row:
    """A name that only the compiler gives a meaning: a row of core/def/grid.def."""

    def __init__(self, row: str, params: str | None = None, doc: str = "") -> None:
        self._swathe_row = row
        self._params = params
        self.__doc__ = doc

    def __call__(self, *args: Any) -> Any:
        raise RuntimeError(f"{self!r} means something only in a kernel: see swathe.gpu.jit")

    def __index__(self) -> int:
        return self()

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __call__
    __mod__ = __lt__ = __le__ = __gt__ = __ge__ = __call__

    def __repr__(self) -> str:
        return f"gpu.{self._swathe_row}" + ("()" if self._params is not None else "")


class _Names:
    """Names under one: ``gpu.threadIdx.x``, ``gpu.atomic.add``."""

    def __init__(self, name: str, doc: str, **rows: tuple[str | None, str]) -> None:
        self._swathe_row = name + "."
        self.__doc__ = doc
        for key, (params, text) in rows.items():
            setattr(self, key, _Row(f"{name}.{key}", params, text))

    def __repr__(self) -> str:
        return f"gpu.{self._swathe_row[:-1]}"

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(f"{self!r} has no '{name}'; there are {', '.join(self._names())}")

    def _names(self) -> list[str]:
        return [k for k in vars(self) if not k.startswith("_")]


def _axes(name: str, doc: str) -> Any:
    return _Names(name, doc, **{k: (None, f"{doc} Along {k}.") for k in "xyz"})


threadIdx: Any = _axes("threadIdx", "Where the thread is in its block.")  # noqa: N816
blockIdx: Any = _axes("blockIdx", "Where the block is in the grid.")  # noqa: N816
blockDim: Any = _axes("blockDim", "How many threads a block has.")  # noqa: N816
gridDim: Any = _axes("gridDim", "How many blocks the grid has.")  # noqa: N816
laneid: Any = _Row("laneid", None, "Where the thread is in its warp: 0 to 31.")
warpsize: Any = _Row("warpsize", None, "Threads of a warp: 32.")
grid: Any = _Row(
    "grid", "ndim", "Where the thread is in the grid: an int, or a tuple of 2 or 3 of them."
)
gridsize: Any = _Row(
    "gridsize", "ndim", "How many threads the grid has: an int, or a tuple of 2 or 3 of them."
)

_SHAPE = "shape, dtype"
shared: Any = _Names(
    "shared",
    "Memory of a block.",
    array=(
        _SHAPE,
        "An array that the threads of a block share. Its shape is constant; shape 0 means as much "
        "as the launch gives. What is in it at first is not said.",
    ),
)
local: Any = _Names(
    "local",
    "Memory of a thread.",
    array=(_SHAPE, "An array of the thread's own. Its shape is constant; it starts zeroed."),
    private=("shape, dtype, fill_zeros=False", "The same, by the parameters of numba-dpex."),
)
const: Any = _Names(
    "const",
    "Memory that no thread writes.",
    array_like=("ary", "A constant array with the elements of one that is known when compiling."),
)

syncthreads: Any = _Row("syncthreads", "", "Wait for all threads of the block.")
syncthreads_count: Any = _Row(
    "syncthreads_count", "predicate", "Wait; return for how many threads it is true."
)
syncthreads_and: Any = _Row(
    "syncthreads_and", "predicate", "Wait; return whether it is true for all threads."
)
syncthreads_or: Any = _Row(
    "syncthreads_or", "predicate", "Wait; return whether it is true for any thread."
)
syncwarp: Any = _Row("syncwarp", "mask=0xffffffff", "Wait for the threads of the warp.")
syncgrid: Any = _Row("syncgrid", "", "Wait for all threads of the grid.")

cg: Any = _Names(
    "cg",
    "Groups of threads.",
    this_grid=("", "All threads of the grid: its sync() waits for them."),
)

_SHUFFLE = "Return the value that another thread of the warp gives: "
shfl_sync: Any = _Row("shfl_sync", "mask, value, src_lane", _SHUFFLE + "that of lane src_lane.")
shfl_up_sync: Any = _Row("shfl_up_sync", "mask, value, delta", _SHUFFLE + "delta lanes below.")
shfl_down_sync: Any = _Row("shfl_down_sync", "mask, value, delta", _SHUFFLE + "delta lanes above.")
shfl_xor_sync: Any = _Row(
    "shfl_xor_sync", "mask, value, lane_mask", _SHUFFLE + "that of lane laneid ^ lane_mask."
)
any_sync: Any = _Row("any_sync", "mask, predicate", "Whether it is true for any thread of a warp.")
all_sync: Any = _Row("all_sync", "mask, predicate", "Whether it is true for all threads of a warp.")
eq_sync: Any = _Row("eq_sync", "mask, predicate", "Whether all threads of a warp say the same.")
ballot_sync: Any = _Row(
    "ballot_sync", "mask, predicate", "A bit for each lane of the warp: whether it is true there."
)
match_any_sync: Any = _Row(
    "match_any_sync",
    "mask, value",
    "A bit for each lane of the warp whose value has the same bits.",
)
match_all_sync: Any = _Row(
    "match_all_sync", "mask, value", "(mask, True) when all lanes have the same value; (0, False)."
)
activemask: Any = _Row("activemask", "", "A bit for each lane of the warp that runs here.")
lanemask_lt: Any = _Row("lanemask_lt", "", "A bit for each lane below this one.")

threadfence_block: Any = _Row(
    "threadfence_block", "", "Order memory as the threads of the block see it."
)
threadfence: Any = _Row("threadfence", "", "Order memory as all threads see it.")
threadfence_system: Any = _Row("threadfence_system", "", "Order memory as host and devices see it.")

_ATOMIC = "ary, idx, val"
atomic: Any = _Names(
    "atomic",
    "Read, change and write an element as one step. Each returns the old value.",
    add=(_ATOMIC, "ary[idx] += val"),
    sub=(_ATOMIC, "ary[idx] -= val"),
    min=(_ATOMIC, "ary[idx] = min(ary[idx], val); of floats, NaN if either is."),
    max=(_ATOMIC, "ary[idx] = max(ary[idx], val); of floats, NaN if either is."),
    nanmin=(_ATOMIC, "ary[idx] = min(ary[idx], val); of floats, the other if one is NaN."),
    nanmax=(_ATOMIC, "ary[idx] = max(ary[idx], val); of floats, the other if one is NaN."),
    and_=(_ATOMIC, "ary[idx] &= val"),
    or_=(_ATOMIC, "ary[idx] |= val"),
    xor=(_ATOMIC, "ary[idx] ^= val"),
    exch=(_ATOMIC, "ary[idx] = val"),
    inc=(_ATOMIC, "ary[idx] = 0 if ary[idx] >= val else ary[idx] + 1"),
    dec=(_ATOMIC, "ary[idx] = val if ary[idx] == 0 or ary[idx] > val else ary[idx] - 1"),
    cas=("ary, idx, old, val", "If ary[idx] == old: ary[idx] = val"),
    compare_and_swap=("ary, old, val", "If ary[0] == old: ary[0] = val"),
)


# ---- arithmetic: the same everywhere ---------------------------------------------------------


class _Math(_Row):
    """Something that Python can do as well."""

    def __init__(self, row: str, params: str, doc: str, python: Any) -> None:
        super().__init__(row, params, doc)
        self._python = python

    def __call__(self, *args: Any) -> Any:
        return self._python(*args)


def _bits(x: Any, least: int = 32) -> tuple[int, int]:
    """An integer as so many bits: a Python int as 64, a bool as a number of one byte."""
    width = max(8 * getattr(x, "itemsize", 1 if isinstance(x, bool) else 8), least)
    return int(x) & ((1 << width) - 1), width


def _clz(x: Any) -> int:
    bits, width = _bits(x)
    return width - bits.bit_length()


def _ffs(x: Any) -> int:
    bits, _ = _bits(x)
    return (bits & -bits).bit_length()


def _brev(x: Any) -> Any:
    bits, width = _bits(x, 8)
    r = int(format(bits, f"0{width}b")[::-1], 2)
    unsigned = type(x).__name__.startswith("u")
    r = r if unsigned or r < 1 << (width - 1) else r - (1 << width)
    return type(x)(r)


def _floats(*values: Any) -> list[Any]:
    """The numbers in the dtype that they join in; what is no float is one of Python, or float64."""
    import numpy

    if not any(hasattr(v, "dtype") for v in values):
        return [float(v) for v in values]
    joined = numpy.result_type(*values)
    of = joined if joined.kind == "f" else numpy.dtype("f8")
    return [of.type(v) for v in values]


def _fma(a: Any, b: Any, c: Any) -> Any:
    """Rounded once."""
    from fractions import Fraction
    from math import inf, isfinite, nextafter

    a, b, c = _floats(a, b, c)
    if not (isfinite(a) and isfinite(b)):
        return a * b + c
    if not isfinite(c):  # a product that is too large does not meet it as an infinity
        return c
    exact = Fraction(float(a)) * Fraction(float(b)) + Fraction(float(c))
    if not exact:
        return a * b + c
    try:
        near = float(exact)
    except OverflowError:
        return type(a)(inf if exact > 0 else -inf)
    if getattr(a, "itemsize", 8) < 8 and Fraction(near) != exact and _is_even(near):
        near = nextafter(near, inf if exact > near else -inf)  # what rounds it again sees which way
    return type(a)(near)


def _is_even(x: float) -> bool:
    import struct

    return struct.pack("<d", x)[0] & 1 == 0


def _cbrt(x: Any) -> Any:
    import numpy

    (x,) = _floats(x)
    return type(x)(numpy.cbrt(x))


def _rsqrt(x: Any) -> Any:
    import numpy

    (x,) = _floats(x)
    with numpy.errstate(all="ignore"):
        root = numpy.sqrt(numpy.asarray(x))
        return type(x)(root.dtype.type(1) / root)


popc: Any = _Math("popc", "x", "How many bits are set.", lambda x: _bits(x)[0].bit_count())
clz: Any = _Math("clz", "x", "How many zeros are before the highest bit that is set.", _clz)
ffs: Any = _Math("ffs", "x", "1 + the place of the lowest bit that is set; 0 for 0.", _ffs)
brev: Any = _Math("brev", "x", "The bits in reverse order.", _brev)
fma: Any = _Math("fma", "a, b, c", "a * b + c, rounded once.", _fma)
cbrt: Any = _Math("cbrt", "x", "The cube root.", _cbrt)
rsqrt: Any = _Math("rsqrt", "x", "1 / sqrt(x).", _rsqrt)
selp: Any = _Math(
    "selp", "condition, a, b", "a if condition else b.", lambda c, a, b: a if c else b
)


# ---- kernels ---------------------------------------------------------------------------------

# Options of numba.cuda.jit that choose nothing here.
_IGNORED = {"inline", "forceinline"}
_DRIVER = {"lineinfo", "max_registers", "opt", "link"}
_OPTIONS = {
    "boundscheck": True,
    "fastmath": False,
    "debug": False,
    "opt_level": 3,
    "contract": False,
    "cache": True,
}


def jit(
    func_or_sig: Any = None, signature: Any = None, *, device: bool = False, **options: Any
) -> Any:
    """Make a kernel of a function that says what one thread does.

    Parameters
    ----------
    func_or_sig : function, str, Signature, tuple of types, or list of these; optional
        A function is compiled at each launch with new types or another size of block. A
        signature, such as ``"void(float32[:], int32)"``, is compiled at once, and the kernel then
        takes nothing else.
    device : bool, default False
        A function for kernels to call, not a kernel. A plain function, or one that `swathe.njit`
        has decorated, does as well. Numbers are cast to what its signature says, arguments and
        results.
    boundscheck : bool, default True
        Raise IndexError for an index out of bounds.
    fastmath, debug, opt_level, contract, cache
        As for `swathe.jit`.

    Returns
    -------
    Dispatcher or decorator
        Launch it as ``k[blocks, threads](...)``.

    Raises
    ------
    TypeError
        For an option that does not exist, and for what is not a Python function.

    Examples
    --------
    >>> import numpy as np
    >>> from swathe import gpu
    >>> @gpu.jit
    ... def double(x):
    ...     x[gpu.threadIdx.x] *= 2
    >>> x = np.arange(4)
    >>> double[1, 4](x)
    >>> x
    array([0, 2, 4, 6])
    """
    kept = _check(options)
    if isinstance(func_or_sig, types.FunctionType) or hasattr(func_or_sig, "py_func"):
        return _make(func_or_sig, signature, device, kept)
    if func_or_sig is not None and signature is None:
        if not isinstance(func_or_sig, (str, list, tuple)) and not hasattr(func_or_sig, "result"):
            return _make(func_or_sig, None, device, kept)
        signature = func_or_sig
    return lambda func: _make(func, signature, device, kept)


def _check(options: dict[str, Any]) -> dict[str, Any]:
    kept = dict(_OPTIONS)
    for name, value in options.items():
        if name in kept or name in _DRIVER:
            kept[name] = value
        elif name not in _IGNORED:
            raise TypeError(
                f"gpu.jit() got an unexpected option '{name}'; there are device, "
                f"{', '.join(sorted(kept))}"
            )
    if kept["boundscheck"] is None:
        kept["boundscheck"] = _OPTIONS["boundscheck"]
    from . import _check_kinds

    _check_kinds("gpu.jit()", kept)
    return kept


def _make(func: Any, signature: Any, device: bool, options: dict[str, Any]) -> Any:
    from . import _core, _why_not

    func = getattr(func, "py_func", func)
    if not isinstance(func, types.FunctionType):
        raise TypeError(_why_not(func).replace("jit()", "gpu.jit()", 1))
    files, driver = _take_driver(options)
    texts = None
    if signature is not None:
        from .types import signature_text

        listed = signature if isinstance(signature, list) else [signature]
        texts = [signature_text(s) for s in listed]
    if device:  # compiled with the kernels that call it, and they cast to the signature
        return _core.dispatcher(func, texts, None, True, numba_casts=True, **options)
    kernel = _core.dispatcher(func, texts, None, kernel=True, **options)
    if files or driver:
        kernel._swathe_link = (files, driver)
    return kernel


def _take_driver(options: dict[str, Any]) -> tuple[tuple[Any, ...], str]:
    """What is linked, and what the driver's compiler is told."""
    link, level = options.pop("link", None), options.pop("opt", True)
    registers, lines = options.pop("max_registers", None), options.pop("lineinfo", False)
    words = []
    if registers is not None:
        if not isinstance(registers, int) or registers < 1:
            raise ValueError(f"max_registers={registers!r}: a number of registers, 1 or more")
        words.append(f"max_registers={registers}")
    if lines:
        words.append("lineinfo")
    if level is False:
        words.append("opt_level=0")
    if not link:
        return (), " ".join(words)
    from . import _link

    files = _link.as_files(link)
    key = _link.host_key(files)
    if key:
        options["link"] = int(key, 16)
    return files, " ".join(words)


def declare_device(name: str, signature: Any, link: Any = (), abi: str = "numba") -> Any:
    """Declare a function of another language, for kernels and compiled functions to call.

    It returns an int that is 0 when all is well, and stores its result through a pointer, which is
    its first argument. Where it is defined is said here or by the kernel's own ``link=``.

    Parameters
    ----------
    name : str
        Its name in the file: in C++, that of an ``extern "C"`` function.
    signature : str or Signature
        Such as ``"int32(int32, float64[:])"``. An array is passed as a pointer to its elements.
    link : path or list of paths, optional
        ``.c .o .a .so`` for the CPU; ``.ptx .cubin .fatbin .o .a .ltoir .cu`` for CUDA; ``.cl`` for
        OpenCL. Each device takes what it knows.
    abi : {"numba", "c"}
        "c": it returns its result, as functions of C do, and there is no status.

    Returns
    -------
    function

    Raises
    ------
    LinkError
        A file can't be linked, or does not define it.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import numpy as np
    >>> from swathe import gpu
    >>> file = pathlib.Path(tempfile.mkdtemp(), "twice.c")
    >>> _ = file.write_text("int twice(int *out, int x) { *out = 2 * x; return 0; }")
    >>> twice = gpu.declare_device("twice", "int32(int32)", link=[file])
    >>> @gpu.jit
    ... def kernel(x):
    ...     i = gpu.grid(1)
    ...     x[i] = twice(x[i])
    >>> x = np.arange(4, dtype=np.int32)
    >>> kernel[1, 4](x)
    >>> x
    array([0, 2, 4, 6], dtype=int32)
    """
    from . import _link

    if abi not in ("numba", "c"):
        raise ValueError(f"abi={abi!r}: 'numba' or 'c'")
    return _link.declare(name, signature, link, "plain" if abi == "c" else "status")


# ---- memory ----------------------------------------------------------------------------------


def _queue(stream: Any = 0) -> Any:
    """The queue that is given, or that of the device context; None: the CPU."""
    stream = getattr(stream, "_swathe_queue", stream)
    if hasattr(stream, "to_device"):
        return stream
    devices = sys.modules.get("swathe.devices")
    return devices.current_queue() if devices else None


def synchronize() -> None:
    """Wait for all that has been launched. On the CPU a launch has ended when it returns."""
    queue = _queue()
    if queue is not None:
        queue.sync()


def to_device(obj: Any, stream: Any = 0, copy: bool = True, to: Any = None) -> Any:
    """Copy an array to the device. On the CPU the copy is a NumPy array.

    >>> import numpy as np
    >>> from swathe import gpu
    >>> d = gpu.to_device(np.arange(3))
    >>> d.copy_to_host()
    array([0, 1, 2])
    """
    if to is not None:
        return to.copy_from_host(obj)
    queue = _queue(stream)
    if queue is not None:
        return queue.to_device(obj)
    import numpy

    array = numpy.array(obj, copy=True, subok=False, order="K")
    _check_dtype(array.dtype)
    return array.view(_host_array())


def device_array(
    shape: Any,
    dtype: Any = None,
    strides: Any = None,
    order: str = "C",
    stream: Any = 0,
) -> Any:
    """Return an array on the device; what is in it at first is not said."""
    queue = _queue(stream)
    if queue is not None:
        return queue.empty(shape, "float64" if dtype is None else dtype, order)
    import numpy

    dtype = numpy.dtype(getattr(dtype, "_swathe_dtype", dtype))  # None is float64
    _check_dtype(dtype)
    return numpy.zeros(shape, dtype, order).view(_host_array())


def _check_dtype(dtype: Any) -> None:
    """Refuse on the CPU what no other device takes."""
    if dtype.hasobject or dtype.kind in "USmM":
        raise TypeError(f"an array on a device can't hold {dtype}")


def device_array_like(ary: Any, stream: Any = 0) -> Any:
    """Return an array on the device, with the shape, dtype and order of another."""
    order = "F" if ary.flags.f_contiguous and not ary.flags.c_contiguous else "C"
    return device_array(ary.shape, ary.dtype, order=order, stream=stream)


def _host_array() -> Any:
    """Make the class at first use: importing swathe need not wait for it."""
    global _HOST
    if _HOST is None:
        from ._host_array import HostArray

        _HOST = HostArray
    return _HOST


_HOST: Any = None


# ---- `with swathe.gpu:` ----------------------------------------------------------------------


class _Module(types.ModuleType):
    """A module that is a context, which does nothing in Python and on a CPU."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        return None

    def __repr__(self) -> str:
        return "swathe.gpu"


sys.modules[__name__].__class__ = _Module
