# SPDX-License-Identifier: BSD-3-Clause
"""Products of matrices and vectors: `matmul`, and BLAS's routines by their names.

`matmul` takes arrays in any order of axes and batches of them. The routines take matrices in
Fortran's order, as BLAS does. Arrays of a CUDA device go to cuBLAS, or to kernels of our own; those
of the host to NumPy.

>>> import numpy as np
>>> from swathe.vendor import blas
>>> x, y = np.array([1.0, 2.0]), np.array([3.0, 4.0])
>>> blas.axpy(2.0, x, y)
>>> y
array([5., 8.])
>>> blas.dot(x, y)
np.float64(21.0)
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import as_strided

from ..errors import NoLibraryError
from . import _blas_rows, _host_blas
from ._work import Handles, address, lowest, number, ordered, queue_of, scalar, size, work

STATUSES = {
    1: "CUBLAS_STATUS_NOT_INITIALIZED",
    3: "CUBLAS_STATUS_ALLOC_FAILED",
    7: "CUBLAS_STATUS_INVALID_VALUE",
    8: "CUBLAS_STATUS_ARCH_MISMATCH",
    11: "CUBLAS_STATUS_MAPPING_ERROR",
    13: "CUBLAS_STATUS_EXECUTION_FAILED",
    14: "CUBLAS_STATUS_INTERNAL_ERROR",
    15: "CUBLAS_STATUS_NOT_SUPPORTED",
    16: "CUBLAS_STATUS_LICENSE_ERROR",
}
CUBLAS = Handles("cublas", "cublasCreate_v2", "cublasSetStream_v2", "cublasDestroy_v2", STATUSES)


def _letter(dtype: Any, name: str, types: str = "sdcz") -> str:
    letter = _blas_rows.TYPE_OF.get(np.dtype(dtype).name, "")
    if not letter or letter not in types:
        listed = ", ".join(_blas_rows.TYPES[t] for t in types)
        raise TypeError(f"{name}() takes arrays of {listed}, not {dtype}")
    return letter


def _real(dtype: Any) -> np.dtype:
    return np.empty(0, dtype).real.dtype


# ---- level 1 ---------------------------------------------------------------------------------


def _vectors(name: str, *arrays: Any, types: str = "sdcz") -> str:
    """Check vectors of one length and dtype; return the letter of that."""
    for a in arrays:
        if a.ndim != 1:
            raise ValueError(f"{name}() takes vectors, not arrays of {a.ndim} axes")
        if a.dtype != arrays[0].dtype:
            raise TypeError(f"{name}(): {arrays[0].dtype} and {a.dtype}: one dtype is needed")
        if a.size != arrays[0].size:
            raise ValueError(f"{name}(): {arrays[0].size} and {a.size} elements")
    return _letter(arrays[0].dtype, name, types)


def _step(x: Any) -> int:
    """A vector's step in elements: of one that can be given to BLAS, not 0."""
    if x.strides[0] % x.itemsize:
        raise ValueError("the elements of a vector lie between those of its dtype")
    return x.strides[0] // x.itemsize if x.size > 1 else 1


def _writable(name: str, x: Any) -> Any:
    if not x.flags.writeable:
        raise ValueError(f"{name}(): output array is read-only")
    if x.size > 1 and _step(x) == 0:
        raise ValueError(f"{name}(): the elements of the result are one")
    return x


def _given(*vectors: Any) -> list[Any]:
    """Vectors as they are passed: those that stand still are copied."""
    return [ordered(x) if x.size > 1 and _step(x) == 0 else x for x in vectors]


def _places(*vectors: Any) -> tuple[Any, ...]:
    """Addresses and steps for a call."""
    return tuple(part for x in vectors for part in (lowest(x), _step(x)))


def _level1(name: str, queue: Any, function: str, takes: str, reads: Any, writes: Any, *args: Any):
    """Call cuBLAS with a handle, a length, and the arguments."""
    some = (*reads, *writes)[0]
    CUBLAS.library(queue)  # which says how to get it
    with work(queue, reads, writes):
        CUBLAS.call(
            queue, function, "pi" + takes, CUBLAS.handle(queue), size(some.size, name), *args
        )


def _sum(name: str, function: dict[str, str], x: Any, *more: Any, real: bool, host: Any) -> Any:
    """A routine whose result is a number of the host."""
    letter = _vectors(name, x, *more, types="".join(function))
    queue = queue_of(x, *more)
    if queue is None:
        return host(x, *more)
    dtype = _real(x.dtype) if real else x.dtype
    out = scalar(0, dtype)
    given = _given(x, *more)
    takes = "pi" * len(given) + "p"
    _level1(name, queue, function[letter], takes, given, (), *_places(*given), ctypes.byref(out))
    return number(out, dtype)


def _names(text: str) -> dict[str, str]:
    """Names of cuBLAS by letters: "s cublasSdot_v2 ..." without what all have."""
    return {w.split(":")[0]: f"cublas{w.split(':')[1]}_v2" for w in text.split()}


_DOT = _names("s:Sdot d:Ddot c:Cdotu z:Zdotu")
_DOTC = _names("s:Sdot d:Ddot c:Cdotc z:Zdotc")
_NRM2 = _names("s:Snrm2 d:Dnrm2 c:Scnrm2 z:Dznrm2")
_ASUM = _names("s:Sasum d:Dasum c:Scasum z:Dzasum")
_AMAX = _names("s:Isamax d:Idamax c:Icamax z:Izamax")
_AMIN = _names("s:Isamin d:Idamin c:Icamin z:Izamin")


def _dot(name: str, x: Any, y: Any, conj: bool) -> Any:
    queue = queue_of(x, y)
    if queue is not None and not CUBLAS.there(queue):
        from . import _kernels

        _vectors(name, x, y)
        return _kernels.dot(queue, x, y, conj)
    host = (lambda a, b: np.vdot(a, b)) if conj else (lambda a, b: np.dot(a, b))
    return _sum(name, _DOTC if conj else _DOT, x, y, real=False, host=host)


def dot(x: Any, y: Any) -> Any:
    """Return the sum of the products of two vectors' elements, none of them conjugated."""
    return _dot("dot", x, y, False)


def dotc(x: Any, y: Any) -> Any:
    """Return the sum of the products of the conjugates of `x` and `y`: `numpy.vdot`."""
    return _dot("dotc", x, y, True)


def nrm2(x: Any) -> Any:
    """Return the Euclidean norm of a vector."""
    return _sum("nrm2", _NRM2, x, real=True, host=lambda a: _real(a.dtype).type(np.linalg.norm(a)))


def _moduli(x: Any) -> Any:
    """What BLAS takes for the size of elements: of complex ones |real| + |imaginary|."""
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


def asum(x: Any) -> Any:
    """Return the sum of the elements' sizes: of complex ones |real| + |imaginary|."""
    return _sum("asum", _ASUM, x, real=True, host=lambda a: _real(a.dtype).type(_moduli(a).sum()))


def _place(name: str, function: dict[str, str], x: Any, host: Any) -> int:
    letter = _vectors(name, x)
    if not x.size:
        raise ValueError(f"{name}() of an empty vector")
    queue = queue_of(x)
    if queue is None:
        return int(host(_moduli(np.asarray(x))))
    out = ctypes.c_int(0)
    (x,) = _given(x)
    if _step(x) < 0:
        x = ordered(x)
    _level1(name, queue, function[letter], "pip", (x,), (), *_places(x), ctypes.byref(out))
    return out.value - 1


def iamax(x: Any) -> int:
    """Return the place, from 0, of the first element of the greatest size."""
    return _place("iamax", _AMAX, x, np.argmax)


def iamin(x: Any) -> int:
    """Return the place, from 0, of the first element of the least size."""
    return _place("iamin", _AMIN, x, np.argmin)


def axpy(alpha: Any, x: Any, y: Any) -> None:
    """Add ``alpha * x`` to `y`."""
    letter = _vectors("axpy", x, _writable("axpy", y))
    queue = queue_of(x, y)
    if queue is None:
        y += y.dtype.type(alpha) * x
    elif not CUBLAS.there(queue):
        from . import _kernels

        _kernels.axpy[_kernels.blocks(y.size), 256, queue](y.dtype.type(alpha), x, y)
    else:
        (x,) = _given(x)
        factor = scalar(alpha, x.dtype)
        name = f"cublas{letter.upper()}axpy_v2"
        _level1("axpy", queue, name, "ppipi", (x,), (y,), ctypes.byref(factor), *_places(x, y))


def scal(alpha: Any, x: Any) -> None:
    """Multiply a vector by a number, in place."""
    letter = _vectors("scal", _writable("scal", x))
    queue = queue_of(x)
    if queue is None:
        x *= x.dtype.type(alpha)
    elif not CUBLAS.there(queue):
        from . import _kernels

        _kernels.scale[_kernels.blocks(x.size), 256, queue](x.dtype.type(alpha), x)
    else:
        factor = scalar(alpha, x.dtype)
        name = f"cublas{letter.upper()}scal_v2"
        if _step(x) < 0:  # BLAS does nothing then, and any order will do
            x = x[::-1]
        _level1("scal", queue, name, "ppi", (), (x,), ctypes.byref(factor), *_places(x))


def copy(x: Any, y: Any) -> None:
    """Copy `x` into `y`."""
    _vectors("copy", x, _writable("copy", y))
    queue = queue_of(x, y)
    if queue is None:
        y[...] = x
    else:
        queue.copy(y, x)


def swap(x: Any, y: Any) -> None:
    """Exchange two vectors."""
    letter = _vectors("swap", _writable("swap", x), _writable("swap", y))
    queue = queue_of(x, y)
    if queue is None:
        x[...], y[...] = y.copy(), x.copy()
    else:
        name = f"cublas{letter.upper()}swap_v2"
        _level1("swap", queue, name, "pipi", (), (x, y), *_places(x, y))


def rot(x: Any, y: Any, c: float, s: Any) -> None:
    """Let ``x, y = c * x + s * y, c * y - conj(s) * x``."""
    letter = _vectors("rot", _writable("rot", x), _writable("rot", y))
    queue = queue_of(x, y)
    if queue is None:
        real = _real(x.dtype).type(c)
        x[...], y[...] = real * x + x.dtype.type(s) * y, real * y - np.conj(x.dtype.type(s)) * x
        return
    cosine, sine = scalar(c, _real(x.dtype)), scalar(s, x.dtype)
    name = f"cublas{letter.upper()}rot_v2"
    cells = ctypes.byref(cosine), ctypes.byref(sine)
    _level1("rot", queue, name, "pipipp", (), (x, y), *_places(x, y), *cells)


def rotm(x: Any, y: Any, param: Any) -> None:
    """Apply a modified Givens rotation, whose five numbers `rotmg` returns."""
    letter = _vectors("rotm", _writable("rotm", x), _writable("rotm", y), types="sd")
    numbers = np.ascontiguousarray(param, x.dtype)
    if numbers.shape != (5,):
        raise ValueError("rotm() takes five parameters")
    queue = queue_of(x, y)
    if queue is None:
        h11, h12, h21, h22 = _modified(numbers)
        x[...], y[...] = h11 * x + h12 * y, h21 * x + h22 * y
        return
    at = numbers.__array_interface__["data"][0]
    name = f"cublas{letter.upper()}rotm_v2"
    _level1("rotm", queue, name, "pipip", (), (x, y), *_places(x, y), at)


def _modified(p: np.ndarray) -> tuple[Any, Any, Any, Any]:
    """The matrix of a modified rotation: what is in it, and what follows from the flag."""
    flag, h11, h21, h12, h22 = p
    if flag == -2:
        return 1, 0, 0, 1
    if flag == 0:
        return 1, h12, h21, 1
    return (h11, 1, -1, h22) if flag == 1 else (h11, h12, h21, h22)


def rotg(a: Any, b: Any) -> tuple[Any, Any, Any, Any]:
    """Return r, z, c, s of the Givens rotation that makes (a, b) to (r, 0)."""
    dtype = np.result_type(a, b, np.float32(0))
    a, b = dtype.type(a), dtype.type(b)
    if dtype.kind == "c":
        if a == 0:
            return b, b, _real(dtype).type(0), dtype.type(1)
        norm = np.hypot(abs(a), abs(b))
        r = a / abs(a) * norm
        return r, b, abs(a) / norm, a / abs(a) * np.conj(b) / norm
    if a == 0 and b == 0:
        return a, b, dtype.type(1), dtype.type(0)
    r = np.copysign(np.hypot(a, b), a if abs(a) > abs(b) else b)
    c, s = a / r, b / r
    z = s if abs(a) > abs(b) else 1 / c if c != 0 else dtype.type(1)
    return r, z, c, s


def rotmg(d1: Any, d2: Any, x1: Any, y1: Any) -> np.ndarray:
    """Return the five numbers of the modified Givens rotation that makes the second of
    (sqrt(d1) x1, sqrt(d2) y1) zero. C. Lawson et al., ACM TOMS 5 (1979) 308."""
    dtype = np.result_type(d1, d2, x1, y1, np.float32(0))
    p = np.zeros(5, dtype)
    d1, d2, x1, y1 = map(dtype.type, (d1, d2, x1, y1))
    if d1 < 0:
        p[0] = -1
        return p
    p2 = d2 * y1
    if p2 == 0:
        p[0] = -2
        return p
    p1 = d1 * x1
    q1, q2 = p1 * x1, p2 * y1
    if abs(q1) > abs(q2):
        h21, h12 = -y1 / x1, p2 / p1
        u = 1 - h12 * h21
        if u > 0:
            p[:] = 0, 0, h21, h12, 0
            return _scaled(p, d1 / u, d2 / u)
        p[0] = -1
        return p
    if q2 < 0:
        p[0] = -1
        return p
    h11, h22 = p1 / p2, x1 / y1
    u = 1 + h11 * h22
    p[:] = 1, h11, 0, 0, h22
    return _scaled(p, d2 / u, d1 / u)


def _scaled(p: np.ndarray, d1: Any, d2: Any) -> np.ndarray:
    """Keep the weights of a modified rotation near 1, by powers of 4096."""
    gam, least = 4096.0, 4096.0**-2
    for d, row in ((d1, (1, 3)), (d2, (2, 4))):
        d = abs(d)
        while d and not least < d < 1 / least:
            h11, h12, h21, h22 = _modified(p)
            p[:] = -1, h11, h21, h12, h22
            up = d <= least
            d = d * gam * gam if up else d / (gam * gam)
            p[list(row)] *= 1 / gam if up else gam
    return p


# ---- levels 2 and 3 --------------------------------------------------------------------------


def _needs(p: dict[str, Any]) -> dict[str, tuple[int, ...]]:
    """How large each array of a routine must be at least."""
    m, n, k = p.get("m", p["n"]), p["n"], p.get("k", 0)
    plain = p.get("trans", "N") == "N"
    side = m if p.get("side") == "L" else n
    if "transb" in p:
        inner = k if "k" in p else None
        a = (m, n if inner is None else k)
        b = (m if inner is None else k, n)
        flip = [p["transa"] != "N", p["transb"] != "N"]
        return {"A": a[::-1] if flip[0] else a, "B": b[::-1] if flip[1] else b, "C": (m, n)}
    if "side" in p:
        by = (m, n) if p["name"] == "dgmm" else (side, side)
        return {"A": by, "B": (m, n), "C": (m, n), "x": (side,)}
    if "k" in p and "trans" in p and "diag" not in p:  # updates by k columns
        by = (n, k) if plain else (k, n)
        return {"A": by, "B": by, "C": (n, n)}
    packed = (n * (n + 1) // 2,)
    if "trans" in p and "m" in p:
        band = (p["kl"] + p["ku"] + 1, n) if "kl" in p else (m, n)
        x, y = (n, m) if plain else (m, n)
        return {"A": band, "x": (x,), "y": (y,)}
    return {"A": (k + 1, n) if "k" in p else (m, n), "AP": packed, "x": (m,), "y": (n,)}


def _bind(row: Any, args: tuple[Any, ...], names: dict[str, Any]) -> dict[str, Any]:
    """The arguments of a call by their names, letters as capitals."""
    wanted = [param.name for param in row.params]
    if len(args) > len(wanted):
        raise TypeError(f"{row.name}() takes {len(wanted)} arguments: {', '.join(wanted)}")
    p = dict(zip(wanted, args, strict=False))
    for name, value in names.items():
        if name not in wanted or name in p:
            why = "twice" if name in p else f"there are {', '.join(wanted)}"
            raise TypeError(f"{row.name}() got '{name}': {why}")
        p[name] = value
    missing = [w for w in wanted if w not in p]
    if missing:
        raise TypeError(f"{row.name}() misses {', '.join(missing)}")
    for param in row.params:
        if param.kind == "letter":
            letters = _blas_rows.LETTERS[param.name]
            p[param.name] = str(p[param.name]).upper()
            if p[param.name] not in letters:
                listed = ", ".join(map(repr, letters))
                raise ValueError(f"{row.name}(): {param.name} is one of {listed}")
        elif param.kind == "size":
            p[param.name] = size(p[param.name], f"{row.name}(): {param.name}")
    return p | {"name": row.name}


def _arrays(row: Any, p: dict[str, Any]) -> list[Any]:
    """The arrays of a call, as large as they must be, of one dtype."""
    arrays = [(param, p[param.name]) for param in row.params if param.kind in _AXES]
    needs = _needs(p)
    for param, a in arrays:
        if a.ndim != _AXES[param.kind]:
            raise ValueError(f"{row.name}(): {param.name} has {_AXES[param.kind]} axes")
        if a.dtype != arrays[0][1].dtype:
            raise TypeError(f"{row.name}(): {arrays[0][1].dtype} and {a.dtype} in one call")
        if any(have < need for have, need in zip(a.shape, needs[param.name], strict=True)):
            raise ValueError(
                f"{row.name}(): {param.name} is {a.shape}, and must be at least {needs[param.name]}"
            )
        if param.writes:
            _writable(row.name, a) if param.kind != "matrix" else None
            if not a.flags.writeable:
                raise ValueError(f"{row.name}(): output array is read-only")
    return [a for _, a in arrays]


_AXES = {"matrix": 2, "packed": 1, "vector": 1}


def leading(a: Any, name: str) -> int:
    """The leading dimension of a matrix in Fortran's order."""
    rows, columns = a.shape
    one = a.strides[0] // a.itemsize if rows > 1 else 1
    ld = a.strides[1] // a.itemsize if columns > 1 else max(rows, 1)
    if one != 1 or ld < max(rows, 1) or a.strides[1] % a.itemsize and columns > 1:
        raise ValueError(
            f"{name} is not in Fortran's order, as BLAS wants matrices: order='F' makes them so"
        )
    return ld


def routine(name: str, *args: Any, **names: Any) -> None:
    """Call a routine of BLAS, of level 2 or 3.

    Parameters
    ----------
    name : str
        Without the letter of the type, such as ``"gemv"``.
    *args, **names
        BLAS's arguments in its order, or by their names, without leading dimensions and steps:
        ``routine("gemm", "N", "T", m, n, k, alpha, A, B, beta, C)``. Arrays may be larger than the
        sizes say.

    Raises
    ------
    NoLibraryError
        Arrays are on a device without cuBLAS, and the routine is none of gemm and gemv.
    """
    row = _blas_rows.ROWS.get(name)
    if row is None:
        raise ValueError(f"there is no routine {name!r}: {', '.join(_blas_rows.ROWS)}")
    p = _bind(row, args, names)
    arrays = _arrays(row, p)
    letter = _letter(arrays[0].dtype, name, row.types)
    queue = queue_of(*arrays)
    if queue is None:
        _by_numpy(row, p)
    elif CUBLAS.there(queue):
        _by_cublas(row, p, queue, letter)
    elif name in ("gemm", "gemv"):
        _by_kernel(p, queue)
    else:
        CUBLAS.library(queue)  # which raises


def _by_numpy(row: Any, p: dict[str, Any]) -> None:
    dtype = p[next(x.name for x in row.params if x.kind in _AXES)].dtype
    for param in row.params:
        if param.kind == "number":
            p[param.name] = (_real(dtype) if param.real else dtype).type(p[param.name])
        elif param.kind in _AXES:
            p[param.name] = np.asarray(p[param.name])
    _host_blas.ROUTINES[row.name](p)


def _by_cublas(row: Any, p: dict[str, Any], queue: Any, letter: str) -> None:
    takes, values, cells, reads, writes = "p", [], [], [], []
    for param in row.params:
        value = p[param.name]
        if param.kind == "letter":
            takes, values = takes + "i", [*values, _blas_rows.LETTERS[param.name][value]]
        elif param.kind == "size":
            takes, values = takes + "i", [*values, value]
        elif param.kind == "number":
            dtype = np.dtype(_blas_rows.TYPES[letter])
            cells.append(scalar(value, _real(dtype) if param.real else dtype))
            takes, values = takes + "p", [*values, ctypes.addressof(cells[-1])]
        else:
            if param.kind != "matrix" and not param.writes:
                (value,) = _given(value)
            (writes if param.writes else reads).append(value)
            takes, values = takes + "p", [*values, lowest(value)]
            if param.kind == "matrix":
                takes, values = takes + "i", [*values, size(leading(value, param.name))]
            elif param.kind == "vector":
                takes, values = takes + "i", [*values, _backwards(param, value, p)]
            elif _step(value) != 1:
                raise ValueError(f"{row.name}(): a packed matrix lies in one piece")
    end = "" if row.name in ("dgmm", "geam") else "_v2"
    function = f"cublas{letter.upper()}{row.name}{end}"
    with work(queue, reads, writes):
        CUBLAS.call(queue, function, takes, CUBLAS.handle(queue), *values)


def _backwards(param: Any, x: Any, p: dict[str, Any]) -> int:
    """The step of a vector; one that steps backwards is as long as the call says."""
    step = _step(x)
    if step < 0 and x.size != _needs(p)[param.name][0]:
        raise ValueError(f"{param.name} steps backwards, and is longer than the sizes say")
    return step


def _by_kernel(p: dict[str, Any], queue: Any) -> None:
    """gemm and gemv by our own kernel."""
    from . import _kernels

    def op(a: Any, rows: int, columns: int, trans: str) -> Any:
        if trans == "C" and a.dtype.kind == "c":
            raise NoLibraryError("conjugates of complex matrices need cuBLAS", "cuBLAS")
        return a[:rows, :columns] if trans == "N" else a[:columns, :rows].T

    if p["name"] == "gemv":
        trans = p["trans"]
        m, k = (p["m"], p["n"]) if trans == "N" else (p["n"], p["m"])
        a = op(p["A"], m, k, trans)
        b, c = p["x"][:k]._view(p["x"][:k]._proto[:, None]), p["y"][:m]
        c = c._view(c._proto[:, None])
    else:
        m, n, k = p["m"], p["n"], p["k"]
        a, b, c = op(p["A"], m, k, p["transa"]), op(p["B"], k, n, p["transb"]), p["C"][:m, :n]
    _kernels.run_product(queue, p["alpha"], a, b, p["beta"], c)


# ---- matmul ----------------------------------------------------------------------------------


def matmul(a: Any, b: Any, out: Any = None) -> Any:
    """Return the product of two matrices, vectors, or batches of them, as `numpy.matmul` does.

    Parameters
    ----------
    a, b : arrays
        Of one device; in any order of axes.
    out : array, optional
        Where the result goes.

    Raises
    ------
    ValueError
        The sizes don't fit.
    """
    queue = queue_of(a, b, *([] if out is None else [out]))
    if queue is None:
        return np.matmul(a, b, out=out)
    if not a.ndim or not b.ndim:
        raise ValueError("matmul: input operand does not have enough dimensions")
    dtype = a.dtype if a.dtype == b.dtype else np.result_type(a.dtype, b.dtype)
    if dtype.kind not in "iufc":
        raise TypeError(f"matmul() on a device takes numbers, not {dtype}")
    a, b = (x if x.dtype == dtype else _cast(queue, x, dtype) for x in (a, b))
    one, other = _as_matrices(a, b)
    if one.shape[-1] != other.shape[-2]:
        raise ValueError(f"matmul: {a.shape} and {b.shape}: {one.shape[-1]} != {other.shape[-2]}")
    batch = one.shape[:-2]
    if batch != other.shape[:-2]:
        batch = np.broadcast_shapes(batch, other.shape[:-2])
    m, n = one.shape[-2], other.shape[-1]
    shape = (*batch, *([m] if a.ndim > 1 else []), *([n] if b.ndim > 1 else []))
    if out is None:
        out = queue.empty(shape, dtype)
    elif out.shape != shape or out.dtype != dtype:
        raise ValueError(f"matmul: out must be {shape} {dtype}, not {out.shape} {out.dtype}")
    elif not out.flags.writeable:
        raise ValueError("output array is read-only")
    into = out if out.flags.c_contiguous and not _meets(out, a, b) else queue.empty(shape, dtype)
    full = into if into.ndim == len(batch) + 2 else into.reshape((*batch, m, n))
    if not one.shape[-1]:
        into.fill(0)
    elif into.size:
        _multiply(queue, _spread(one, batch), _spread(other, batch), full)
    if into is not out:
        queue.copy(out, into)
    return out


def _meets(out: Any, *arrays: Any) -> bool:
    from .._device_array import overlap

    return any(overlap(out, a) for a in arrays if a.size and out.size)


def _cast(queue: Any, x: Any, dtype: Any) -> Any:
    from ._elements import cast

    return cast(queue, x, dtype)


def _as_matrices(a: Any, b: Any) -> tuple[Any, Any]:
    if a.ndim == 1:
        a = a._view(a._proto[None])
    if b.ndim == 1:
        b = b._view(b._proto[:, None])
    return a, b


def _spread(a: Any, batch: tuple[int, ...]) -> Any:
    """A view of an array over axes of a batch."""
    shape = (*batch, *a.shape[-2:])
    if a.shape == shape:
        return a
    lacks = len(batch) - (a.ndim - 2)
    strides = [0] * lacks + [
        0 if have == 1 and want != 1 else s
        for have, want, s in zip(a.shape[:-2], batch[lacks:], a.strides, strict=False)
    ]
    return a._view(as_strided(a._proto, shape, (*strides, *a.strides[-2:])))


def _multiply(queue: Any, a: Any, b: Any, out: Any) -> None:
    """Products of matrices over a batch's axes, the last of them in one call."""
    if out.ndim > 3:
        for at in range(out.shape[0]):
            _multiply(queue, a[at], b[at], out[at])
        return
    letter = _blas_rows.TYPE_OF.get(out.dtype.name)
    if letter is None or not CUBLAS.there(queue):
        from . import _kernels

        _kernels.run_product(queue, 1, a, b, 0, out)
        return
    _gemm(queue, letter, a, b, out)


def _flat(x: Any) -> tuple[Any, int, int]:
    """A matrix, or a batch, as cuBLAS takes it: itself or a copy, the leading dimension, and
    whether its columns, read as rows in Fortran's order, are to be transposed."""
    (rows, columns), (down, right) = x.shape[-2:], x.strides[-2:]
    item = x.itemsize
    if rows == 1 and right == item:
        return x, columns, 0
    if (right == item or columns == 1) and down % item == 0 and down >= columns * item:
        return x, down // item, 0
    if (down == item or rows == 1) and right % item == 0 and right >= rows * item:
        return x, right // item, 1
    if columns == 1 and down == item:
        return x, rows, 1
    return ordered(x), columns, 0


def _gemm(queue: Any, letter: str, a: Any, b: Any, out: Any) -> None:
    """out = a @ b in C's order: in Fortran's, out.T = b.T @ a.T."""
    (m, n), k = out.shape[-2:], a.shape[-1]
    one, zero = scalar(1, out.dtype), scalar(0, out.dtype)
    if out.ndim == 3 and any(x.strides[0] % x.itemsize or x.strides[0] < 0 for x in (a, b)):
        a, b = ordered(a), ordered(b)
    (a, lda, ta), (b, ldb, tb) = _flat(a), _flat(b)
    sizes = [size(v) for v in (n, m, k)]
    left = [ctypes.addressof(one), address(b), size(ldb)]
    right = [address(a), size(lda)]
    end = [ctypes.addressof(zero), address(out), size(max(n, 1))]
    takes, function = "piiiiippipippi", f"cublas{letter.upper()}gemm_v2"
    values = [tb, ta, *sizes, *left, *right, *end]
    if out.ndim == 3:
        steps = [x.strides[0] // x.itemsize for x in (b, a)]
        values = [tb, ta, *sizes, *left, steps[0], *right, steps[1], *end, m * n]
        values.append(size(out.shape[0]))
        takes, function = "piiiiippilpilppili", f"cublas{letter.upper()}gemmStridedBatched"
    with work(queue, (a, b), (out,)):
        CUBLAS.call(queue, function, takes, CUBLAS.handle(queue), *values)


__all__ = ["asum", "axpy", "copy", "dot", "dotc", "iamax", "iamin", "leading", "matmul", "nrm2",
           "rot", "rotg", "rotm", "rotmg", "routine", "scal", "swap"]  # fmt: skip
