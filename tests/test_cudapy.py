"""Programs written for CudaPy: the same results on every device, and errors that show the place."""
# ruff: noqa: F821

from __future__ import annotations

import json
import os
import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chosen import DEVICE

import swathe
import swathe.compat.cudapy as cp
from swathe.errors import Error, LaunchError

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "grid"))

import cudapy_kernels  # noqa: E402
import ptx  # noqa: E402

IDS = [run.__name__[4:] for run in cudapy_kernels.CASES]


def check(run: Any) -> None:
    for got, want in run():
        np.testing.assert_allclose(got, want, rtol=2e-6, atol=1e-6)


@pytest.mark.parametrize("run", cudapy_kernels.CASES, ids=IDS)
def test_cpu(run: Any) -> None:
    check(run)


@pytest.mark.parametrize("run", cudapy_kernels.CASES, ids=IDS)
def test_opencl(run: Any) -> None:
    try:
        queue = swathe.Queue(DEVICE)
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))
    with swathe.device_context(queue):
        check(run)


RUN = """
import json, sys
from pathlib import Path
import cudapy_kernels, swathe
from swathe import _core

folder, out, made = Path(sys.argv[1]), {}, []
build = _core.dev_module
def record(device, source, *rest):
    made.append(source)
    return build(device, source, *rest)
_core.dev_module = record
with swathe.device_context("cuda"):
    for n, run in enumerate(cudapy_kernels.CASES):
        made.clear()
        try:
            run()
        except Exception as e:
            out[n] = f"{type(e).__name__}: {e}"
            continue
        for k, text in enumerate(made):
            (folder / f"{n}.{k}.ptx").write_bytes(text.rstrip(b"\\0"))
        out[n] = len(made)
(folder / "out.json").write_text(json.dumps(out))
"""


@pytest.mark.skipif(ptx.CC is None, reason="needs a C compiler")
def test_cuda(tmp_path: Path) -> None:
    """What is launched is what the kernels take, and what is made of them assembles."""
    arch = ptx.ARCHS[-1]
    fake = tmp_path / "libfakecuda.so"
    ptx.build_fake(fake)
    env = os.environ | {
        "SWATHE_CUDA_LIB": str(fake),
        "FAKE_CUDA_ARCH": str(arch),
        "PYTHONPATH": os.pathsep.join([str(HERE / "grid"), *filter(None, sys.path)]),
    }
    r = subprocess.run(
        [sys.executable, "-c", RUN, tmp_path], env=env, capture_output=True, text=True, timeout=600
    )
    assert r.returncode == 0, r.stderr
    assert "fake_cuda:" not in r.stderr
    out = json.loads((tmp_path / "out.json").read_text())
    for n, name in enumerate(IDS):
        assert isinstance(out[str(n)], int) and out[str(n)] > 0, (name, out[str(n)])
    for file in tmp_path.glob("*.ptx"):
        ptx.assemble(file.read_text(), arch, tmp_path)


# ---- signatures --------------------------------------------------------------------------


def spread(X, n):
    X[idx] = n


F = cp.Pointer(cp.Float)


@pytest.mark.parametrize(
    "sig",
    [
        "void (float* X, float n)",
        "void(float *X,float n)",
        "spread : void (float *, float)",
        "void (const float * X, float n);",
        "void (float X[], float)",
        [cp.Void, F, cp.Float],
        [None, "float*", float],
    ],
    ids=str,
)
def test_spellings(sig: Any) -> None:
    x = cp.CudaArray.allocate(5, cp.Float)
    cp.compile(spread, sig)(5)(x, 2)
    assert x.toList() == [2.0] * 5


# typed : void (float *X,
#               int n)   and this line goes on
def typed(X, n):
    X[idx] = n


def annotated(X: F, n: "int") -> None:
    X[idx] = n


@pytest.mark.parametrize("f", [typed, annotated])
def test_found(f: Any) -> None:
    x = cp.CudaArray.allocate(5, cp.Float)
    cp.compile(f)(5)(x, 2)
    assert x.toList() == [2.0] * 5


# nothing : void ()
def nothing():
    pass


# nothing_too : void (void)
def nothing_too():
    return


def test_no_parameters() -> None:
    for f in (nothing, nothing_too):
        k = cp.compile(f)
        assert k.signature.params == []
        k(10)()
        with pytest.raises(cp.CudaTypeError, match=r"takes 0 arguments void \(\), and is given 1"):
            k(10)(1)


@cp.kernel("void (int* X)")
def decorated(X):
    X[idx] = idx


@cp.kernel
# bare : void (int* X)
def bare(X):
    X[idx] = idx


# with_call : void (int* X)
@cp.kernel()
def with_call(X):
    X[idx] = idx


@pytest.mark.parametrize("k", [decorated, bare, with_call])
def test_decorators(k: Any) -> None:
    x = cp.CudaArray.allocate(300, cp.Int)
    k(300)(x)
    assert x.toList() == list(range(300))
    assert k.__name__ in repr(k)


# unknown : void (float alpha, flaot* X)
def unknown(alpha, X):
    pass


# too_few : void (float alpha)
def too_few(alpha, X):
    pass


# swapped : void (float* X, float alpha)
def swapped(alpha, X):
    pass


# unclosed : void (float alpha, float* X
def unclosed(alpha, X):
    pass


# void_param : void (void X, int n)
def void_param(X, n):
    pass


# returns : float* (float* X)
def returns(X):
    return X


# double_pointer : void (float** X)
def double_pointer(X):
    pass


WRONG = [
    (unknown, "unknown type 'flaot'", "flaot"),
    (too_few, "has 1 parameter, and the function has 2", "(float alpha)"),
    (swapped, "another order", "(float* X, float alpha)"),
    (unclosed, "expected ',' between parameters, found the end", " "),
    (void_param, "can't be void", "void"),
    (returns, "a function can't return float*", "*"),
    (double_pointer, "a pointer to float* is not supported", "*"),
]


@pytest.mark.parametrize(("f", "message", "word"), WRONG, ids=[w[0].__name__ for w in WRONG])
def test_wrong_signature(f: Any, message: str, word: str) -> None:
    with pytest.raises(cp.CudaTypeError) as e:
        cp.compile(f)
    first, place, line, caret = str(e.value).splitlines()
    assert message in first
    assert f'File "{__file__}", line {f.__code__.co_firstlineno - 1}, in {f.__name__}' in place
    start = caret.index("^")
    if word != " ":
        assert line[start : start + caret.count("^")] == word


def test_wrong_signature_text() -> None:
    with pytest.raises(cp.CudaTypeError, match="unknown type 'foo'(.|\n)*\\^\\^\\^$"):
        cp.compile(spread, "void (float* X, foo n)")
    with pytest.raises(cp.CudaTypeError, match="text or a list of types, not 5"):
        cp.compile(spread, 5)
    with pytest.raises(cp.CudaTypeError, match="of 'other', not of 'spread'"):
        cp.compile(spread, "other : void (float* X, int n)")
    with pytest.raises(cp.CudaTypeError, match="has 1 parameter, and the function has 2"):
        cp.compile(spread, [cp.Void, cp.Int])
    with pytest.raises(cp.CudaTypeError, match="is no type"):
        cp.compile(spread, [cp.Void, F, object()])
    with pytest.raises(cp.CudaTypeError, match="empty list"):
        cp.compile(spread, [])


# helper : float (float)
def helper(x):
    return 2 * x


def test_what_is_no_kernel() -> None:
    with pytest.raises(cp.CudaPyError, match="spread has no signature(.|\n)*# spread : void"):
        cp.compile(spread)
    with pytest.raises(cp.CudaPyError, match="returns void"):
        cp.compile(helper)
    with pytest.raises(cp.CudaPyError, match="list is empty"):
        cp.compile([])
    with pytest.raises(cp.CudaPyError, match="not 3"):
        cp.compile(3)
    with pytest.raises(cp.CudaPyError, match="2 signatures for 1"):
        cp.compile([typed], [None, None])
    with pytest.raises(cp.CudaPyError, match="not a lambda"):
        cp.compile(lambda x: x)
    space: dict[str, Any] = {}
    exec("def lost(x): pass", space)  # noqa: S102
    with pytest.raises(cp.CudaPyError, match="source of lost can't be found"):
        cp.compile(space["lost"])
    with pytest.raises(TypeError, match="unexpected option 'fast'"):
        cp.compile(typed, fast=True)
    for e in (cp.CudaPyError, cp.CudaTypeError, cp.TemplateError):
        assert issubclass(e, Error)
    assert issubclass(cp.CudaTypeError, TypeError)


# bad_return : void (float* X)
def bad_return(X):
    return X[idx]


# no_return : float (float x)
def no_return(x):
    return


# calls_it : void (float* X)
def calls_it(X):
    X[idx] = no_return(X[idx])


# wants_ints : int (int* X)
def wants_ints(X):
    return X[0]


# gives_floats : void (float* X)
def gives_floats(X):
    X[idx] = wants_ints(X)


# no_name : void (float* X)
def no_name(X):
    X[idx] = nowhere(X[idx])


BODIES = [
    (bad_return, "signature says void", "return X[idx]"),
    (calls_it, "signature says float", "return"),
    (gives_floats, "'X' is int* in its signature", None),
    (no_name, "'nowhere' is not defined", "nowhere"),
]


@pytest.mark.parametrize(("f", "message", "text"), BODIES, ids=[b[0].__name__ for b in BODIES])
def test_wrong_body(f: Any, message: str, text: str | None) -> None:
    with pytest.raises(Error) as e:
        cp.compile(f)(3)([1.0, 2.0, 3.0])
    shown = str(e.value).splitlines()
    assert message in str(e.value)
    if text is not None:
        at = next(k for k, line in enumerate(shown) if set(line.strip()) == {"^"})
        start = shown[at].index("^")
        assert shown[at - 1][start:].startswith(text)


# ---- arguments ---------------------------------------------------------------------------


# takes : void (int n, float x, bool b, long m, int* X)
def takes(n, x, b, m, X):
    X[0] = n + int(x) + (100 if b else 0) + int(m)


takes_call = cp.compile(takes)
OK = (1, 2.5, True, 3)


def test_arguments() -> None:
    x = np.zeros(1, np.int32)
    takes_call(1)(*OK, x)
    assert x[0] == 106
    takes_call(1)(np.int64(1), np.float32(2), np.bool_(False), np.int8(3), x)
    assert x[0] == 6
    takes_call(1)(1, 2, False, 1 << 40, x)
    assert x[0] == 3


BAD = [
    ((1, 2.5, True, 3), "takes 5 arguments .*, and is given 4"),
    ((1, 2.5, True, 3, [1], 7), "takes 5 arguments .*, and is given 6"),
    ((1.0, 2.5, True, 3, [1]), r"argument 1 of takes, 'int n': float 1\.0 is given"),
    ((1 << 31, 2.5, True, 3, [1]), "'int n': 2147483648 does not fit in 32 bits"),
    ((1, "x", True, 3, [1]), "argument 2 of takes, 'float x': str 'x' is given"),
    ((1, None, True, 3, [1]), "'float x': NoneType is given"),
    ((1, 1e39, True, 3, [1]), r"'float x': 1e\+39 does not fit in a float"),
    ((1, 1.0, 1, 3, [1]), "'bool b': int 1 is given"),
    ((1, 1.0, True, 1 << 63, [1]), "does not fit in 64 bits"),
    ((*OK, 5), r"argument 5 of takes, 'int\* X': int 5 is given"),
    ((*OK, [1.5]), "a list of floats is no array of int"),
    ((*OK, ["a"]), "a list of numbers is needed"),
    ((*OK, [[1, 2]]), "a list of numbers is needed"),
    ((*OK, [1 << 40]), "does not fit in int"),
    ((*OK, np.zeros(3)), "an array of float64 with 1 axes is given"),
    ((*OK, cp.CudaArray([1.0])), "a CudaArray of float is given"),
    ((*OK, np.zeros((4, 4), np.int32).T[1:]), "not contiguous"),
]


@pytest.mark.parametrize(("args", "message"), BAD)
def test_bad_arguments(args: Any, message: str) -> None:
    with pytest.raises(cp.CudaTypeError, match=message):
        takes_call(1)(*args)


@pytest.mark.parametrize(
    "counts", [(-1,), (1.5,), ("3",), (3, -2), (True,), (cp.dim3(2), 3), (None,)]
)
def test_bad_counts(counts: Any) -> None:
    with pytest.raises(LaunchError):
        bare(*counts)


def test_any_count() -> None:
    for n in (0, 1, 31, 32, 255, 256, 257, 1000):
        x = cp.CudaArray([-1] * 1001)
        bare(n)(x)
        assert x.toList() == [*range(n), *[-1] * (1001 - n)]
    x = np.full(3, 9, np.int32)
    bare(cp.dim3(2))(x)
    assert x.tolist() == [0, 1, 9]


# corner : void (int* X, int nx, int ny)
def corner(X, nx, ny):
    X[(idz * ny + idy) * nx + idx] += 1


@pytest.mark.parametrize(
    "n", [(1, 1, 1), (1, 5, 1), (40, 1, 3), (3, 50, 2), (33, 9, 5), (2, 1, 70)]
)
def test_counts_of_axes(n: tuple[int, int, int]) -> None:
    x = np.zeros(n[0] * n[1] * n[2] + 1, np.int32)
    cp.compile(corner)(*n)(x, n[0], n[1])
    assert x[:-1].tolist() == [1] * (len(x) - 1) and x[-1] == 0


# ---- arrays ------------------------------------------------------------------------------


def test_array() -> None:
    a = cp.CudaArray([1, 2, 3])
    assert (a.elemType(), a.length(), len(a), a.toList()) == (cp.Int, 3, 3, [1, 2, 3])
    assert cp.CudaArray([1, 2.5]).elemType() == cp.Float
    assert cp.CudaArray([True]).elemType() == cp.Bool
    assert cp.CudaArray([]).elemType() == cp.Int
    assert cp.CudaArray(range(3)).toList() == [0, 1, 2]
    assert cp.CudaArray(np.arange(3.0)).elemType() == cp.Double
    assert cp.CudaArray(np.arange(3)).elemType() == cp.Long
    assert cp.CudaArray([1], cp.Double).toHost().dtype == np.float64
    assert cp.CudaArray(np.ones((2, 3), np.float32)).length() == 6
    source = np.ones(3, np.float32)
    b = cp.CudaArray(source)
    source[:] = 5
    assert b.toList() == [1.0] * 3
    b[1] = 7
    assert b[1] == 7.0 and b.toHost().tolist() == [1, 7, 1]
    assert cp.CudaArray.allocate(0, cp.Float).toList() == []
    assert cp.Pointer(cp.Float) == cp.Pointer(cp.Float) != cp.Pointer(cp.Int)
    for bad in (["a"], [[1]], [None], [1 << 70]):
        with pytest.raises((cp.CudaTypeError, OverflowError)):
            cp.CudaArray(bad)
    for n in (-1, 2.5, None):
        with pytest.raises(cp.CudaTypeError):
            cp.CudaArray.allocate(n, cp.Int)
    for t in (cp.Void, cp.Pointer(cp.Int), "what", 3):
        with pytest.raises(cp.CudaTypeError):
            cp.CudaArray.allocate(3, t)


def test_memory_goes_with_the_object() -> None:
    a = cp.CudaArray([1.0] * 100)
    inner = weakref.ref(a._array)
    bare_float = cp.compile(spread, "void (float* X, float n)")
    bare_float(100)(a, 3.0)
    del a
    assert inner() is None
    a = cp.CudaArray([1.0])
    a.free()
    with pytest.raises(cp.CudaTypeError, match="freed"):
        a.toList()
    with pytest.raises(cp.CudaTypeError, match="freed"):
        bare_float(1)(a, 3.0)


def test_device_memory_goes_with_the_object() -> None:
    try:
        queue = swathe.Queue(DEVICE)
    except swathe.errors.NoDeviceError as e:
        pytest.skip(str(e))
    with swathe.device_context(queue):
        a = cp.CudaArray([1.0] * 100)
        memory = a._array._memory
        before = sys.getrefcount(memory)
        del a
        assert sys.getrefcount(memory) == before - 1


# ---- templates ---------------------------------------------------------------------------


# square : float (float x)
def square(x):
    return x * x


# negated : float (float x)
def negated(x):
    return -x


def map_of(f: Any) -> Any:
    @cp.template([(f, "f")])
    # mapped : void (float* X)
    def mapped(X):
        if idx < len(X):
            X[idx] = f(X[idx])

    return cp.compile([mapped, f])


def test_template_of_functions() -> None:
    for f in (square, negated):
        x = cp.CudaArray([1.0, 2.0, 3.0])
        map_of(f)(3)(x)
        assert x.toList() == [f(v) for v in (1.0, 2.0, 3.0)]


# filled : void (T* X)
def filled(X):
    X[idx] = T(VALUE) / 2


@pytest.mark.parametrize(
    ("t", "want"), [(cp.Int, 3), (cp.Float, 3.5), (cp.Double, 3.5), ("float", 3.5)]
)
def test_template_of_types(t: Any, want: float) -> None:
    k = cp.compile(cp.Template(filled).substitute([(t, "T"), (7, "VALUE")]))
    x = cp.CudaArray.allocate(2, t)
    k(2)(x)
    assert x.toList() == [want, want]


def test_closure() -> None:
    def make(f: Any, scale: float) -> Any:
        # inner : void (float* X)
        def inner(X):
            X[idx] = f(X[idx]) * scale

        return cp.compile(inner)

    x = cp.CudaArray([1.0, 2.0])
    make(square, 2.0)(2)(x)
    assert x.toList() == [2.0, 8.0]


# scan : void (function op, float* X, float* out, int n)
def scan(op, X, out, n):
    s = shared.array(256, float)
    t = threadIdx.x
    s[t] = X[idx] if idx < n else 0.0
    syncthreads()
    step = 1
    while step < 256:
        v = s[t]
        if t >= step:
            v = op(s[t - step], v)
        syncthreads()
        s[t] = v
        syncthreads()
        step *= 2
    if idx < n:
        out[idx] = s[t]


# plus : float (float, float)
def plus(a, b):
    return a + b


# greater : float (float, float)
def greater(a, b):
    return fmaxf(a, b)


def test_scan_of_any_function() -> None:
    x = np.random.default_rng(1).integers(0, 50, 200).astype(np.float32)
    k = cp.compile(scan)
    out = cp.CudaArray.allocate(200, cp.Float)
    k(256)(plus, x, out, 200)
    assert np.array_equal(out.toHost(), np.cumsum(x))
    k(256)(greater, x, out, 200)
    assert np.array_equal(out.toHost(), np.maximum.accumulate(x))
    with pytest.raises(cp.CudaTypeError, match="a function is expected, not int 3"):
        k(256)(3, x, out, 200)
    with pytest.raises(cp.CudaTypeError, match="takes 4 arguments"):
        k(256)(plus, x, out)


def test_template_errors() -> None:
    for bad in (3, "x", lambda x: x, len):
        with pytest.raises(cp.TemplateError):
            cp.Template(bad)
    t = cp.Template(filled)
    for subs in (
        3,
        ("T", cp.Int, 1),
        (cp.Int, 3),
        [(cp.Int, "ABSENT")],
        (object(), "T"),
        ("1 +", "T"),
    ):
        with pytest.raises(cp.TemplateError):
            t.substitute(subs)


# ---- semantics ---------------------------------------------------------------------------


# even : bool (int n)
def even(n):
    if n == 0:
        return True
    return odd(n - 1)


# odd : bool (int n)
def odd(n):
    if n == 0:
        return False
    return even(n - 1)


# parity : void (int* X)
def parity(X):
    X[idx] = 1 if odd(X[idx]) else 0


def test_mutual_recursion() -> None:
    x = cp.CudaArray([1, 2, 7, 100])
    cp.compile([parity, even, odd])(4)(x)
    assert x.toList() == [1, 0, 1, 0]


# left_over : void (int* X, int n)
def left_over(X, n):
    for i in xrange(n):
        if i == 5:
            break
    X[idx] = i
    for k in range(3, 9, 2):
        pass
    X[idx] += 100 * k


@pytest.mark.parametrize(("n", "want"), [(3, 2), (10, 5)])
def test_loop_variable_after_its_loop(n: int, want: int) -> None:
    x = cp.CudaArray([0])
    cp.compile(left_over)(1)(x, n)
    assert x.toList() == [want + 700]


def test_loop_variable_unbound() -> None:
    with pytest.raises(UnboundLocalError, match="'i'"):
        cp.compile(left_over)(1)(cp.CudaArray([0]), 0)


# divides : void (int* I, float* F, int a, int b)
def divides(I, F, a, b):  # noqa: E741
    I[0] = a / b
    I[1] = 7 / 2
    I[1] /= 2
    F[0] = a / float(b)
    F[1] = 7.0 / 2
    F[2] = 7 / 2


def test_division() -> None:
    i, f = cp.CudaArray([0, 0]), cp.CudaArray([0.0] * 3)
    cp.compile(divides)(1)(i, f, 9, 4)
    assert i.toList() == [2, 1] and f.toList() == [2.25, 3.5, 3.0]


# casts : void (int* X, double y)
def casts(X, y):
    X[0] = int(y)
    X[1] = int(float(16777217) - 16777216)
    X[2] = int(double(16777217) - 16777216)
    X[3] = int(long(1) << 40 >> 38)
    X[4] = int(bool(3))


def test_casts() -> None:
    x = cp.CudaArray([0] * 5)
    cp.compile(casts)(1)(x, -2.75)
    assert x.toList() == [-2, 0, 1, 4, 1]


def test_error_in_kernel_shows_the_line() -> None:
    # outside : void (float* X)
    def outside(X):
        X[idx + 1] = 0.0

    with pytest.raises(IndexError, match=r"index 4 is out of bounds") as e:
        cp.compile(outside)(4)(cp.CudaArray([0.0] * 4))
    assert "X[idx + 1] = 0.0" in str(e.value) and "outside" in str(e.value)


def test_explains() -> None:
    x = np.zeros(300, np.float32)
    k = cp.compile(spread, "void (float* X, float n)")
    k(300)(x, 1)
    assert "spread" in next(iter(k.inspect_ir().values()))
    with pytest.raises(AttributeError, match="'what'"):
        k.what  # noqa: B018


# ---- structs -----------------------------------------------------------------------------


@cp.struct
class Pair:
    a: cp.Int
    b: "double"


# sums : void (Pair* P, double* out, Pair q)
def sums(P, out, q):
    r = Pair(P[idx].a + q.a, P[idx].b)
    r.b *= q.b
    out[idx] = r.a + r.b


def test_struct() -> None:
    k = cp.compile(sums)
    p = cp.CudaArray([(1, 2.0), Pair(3, 4.0)], Pair)
    out = cp.CudaArray.allocate(2, cp.Double)
    k(2)(p, out, Pair(10, 3.0))
    assert out.toList() == [17.0, 25.0]
    k(2)([Pair(1, 1.0), Pair(2, 2.0)], out, {"a": 0, "b": 1.0})
    assert out.toList() == [2.0, 4.0]
    assert p.toList() == [(1, 2.0), (3, 4.0)] and p.toHost().dtype == Pair.dtype
    assert Pair.dtype.itemsize == 16
    with pytest.raises(cp.CudaTypeError, match=r"argument 3 of sums, 'Pair q': int 3 is given"):
        k(2)(p, out, 3)
    with pytest.raises(cp.CudaTypeError, match="float 1.5 is given"):
        k(2)(p, out, (1.5, 2.0))
    with pytest.raises(cp.CudaTypeError, match="CudaArray of int"):
        k(2)(cp.CudaArray([1]), out, Pair(1, 1.0))
    with pytest.raises(cp.CudaTypeError, match="no fields"):
        cp.Struct("Empty")
    with pytest.raises(cp.CudaTypeError, match="is no number"):
        cp.Struct("Bad", p=cp.Pointer(cp.Int))


# ---- mathematics -------------------------------------------------------------------------


def test_every_name_in_both_precisions(tmp_path: Path) -> None:
    """Each of C's functions compiles in a kernel, and takes doubles and floats."""
    from swathe.compat.cudapy import names

    skip = {"frexp", "modf", "sincos", "sincospi"}  # return two
    lines, plain = [], sorted(set(names.MATH) - skip)
    for k, name in enumerate(plain):
        f = names.MATH[name]
        n = getattr(f, "nin", None) or f.__code__.co_argcount
        whole = names.WHOLE.get(name, ())
        args = ", ".join("int(2)" if i in whole else "x" for i in range(n))
        lines += [f"    out[{2 * k}] = {name}({args})", f"    out[{2 * k + 1}] = {name}f({args})"]
    text = "# every : void (double x, double* out)\ndef every(x, out):\n" + "\n".join(lines) + "\n"
    file = tmp_path / "every.py"
    file.write_text(text)
    space: dict[str, Any] = {"__name__": "every"}
    exec(compile(text, str(file), "exec"), space)  # noqa: S102
    out = cp.CudaArray.allocate(2 * len(plain), cp.Double)
    cp.compile(space["every"])(1)(0.75, out)
    got = out.toHost().reshape(-1, 2)
    same = np.isclose(got[:, 0], got[:, 1], rtol=1e-5, atol=1e-6, equal_nan=True)
    assert [n for n, s in zip(plain, same, strict=True) if not s] == []
