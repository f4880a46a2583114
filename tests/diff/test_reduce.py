# SPDX-License-Identifier: BSD-3-Clause
"""Reductions and scans: as function and method, by axis, with keepdims, when empty."""

import numpy as np
from harness import DTYPES, PLAIN, Corpus, layouts, sample

corpus = Corpus(ulp=16, scale=16.0)
case, expr = corpus, corpus.expr

NAMES = "sum prod min max mean var std any all argmin argmax cumsum cumprod".split()
NO_TUPLE = {"argmin", "argmax", "cumsum", "cumprod"}
NO_KEEP = {"cumsum", "cumprod"}


def loose(name, dtype):
    """Sums and products may be reassociated; what selects or counts may not differ."""
    kind = np.dtype(dtype).kind
    exact = kind in "?biu" and name not in ("mean", "var", "std")
    if exact or name in ("min", "max", "any", "all", "argmin", "argmax"):
        return {"ulp": 0, "scale": 0.0}
    if "prod" in name:  # one rounding for each factor
        return {"ulp": 12, "scale": 0.0, "zeros": False}
    return {"ulp": 4, "scale": 12.0, "zeros": False}  # the terms add up to about that


# --- a NaN beside zeros -------------------------------------------------------------------

for dtype in ("f2", "f4", "f8", "c8"):
    for k in range(4):
        rows = np.zeros((3, 4), dtype)
        rows[1, k], rows[2, k] = np.nan, -1
        for a in (rows, rows[:, ::-1], -rows):
            for name in ("max", "min", "argmax", "argmin"):
                expr(f"a.{name}(axis=-1), a.{name}()", a, zeros=False, ulp=0, scale=0.0)

# --- every dtype, whole and by axis -----------------------------------------------------

for name in NAMES:
    for dtype in DTYPES:
        how = loose(name, dtype)
        a = sample(dtype, 11)
        m = sample(dtype, (3, 4), 1)
        expr(f"a.{name}()", a, **how)
        expr(f"np.{name}(a, axis=0), np.{name}(a, axis=1)", m, modes=PLAIN, **how)
    for dtype in ("f4", "f8", "f2"):
        edges = sample(dtype, 9, 0, edges=True)
        if "prod" not in name:
            expr(f"np.{name}(a)", edges, modes=PLAIN, **loose(name, dtype))
    for dtype in ("i1", "u1", "i8"):
        edges = sample(dtype, 9, 0, edges=True)
        if dtype != "i8" or name not in ("mean", "var", "std"):
            how = loose(name, dtype) | {"zeros": True}
            expr(f"a.{name}()", edges, modes=PLAIN, **how)

# --- axis, keepdims, layouts ------------------------------------------------------------

for name in NAMES:
    how = loose(name, "f8")
    keywords = ["", "axis=None", "axis=0", "axis=1", "axis=-1", "axis=-2"]
    if name not in NO_KEEP:
        keywords += ["keepdims=True", "axis=1, keepdims=True", "axis=0, keepdims=False"]
    if name not in NO_TUPLE:
        keywords += ["axis=(0, 1)", "axis=(1,), keepdims=True", "axis=(-1, 0)"]
    for keyword in keywords:
        m = sample("f8", (3, 4), 2)
        comma = ", " if keyword else ""
        expr(f"np.{name}(a{comma}{keyword})", m, **how)
        expr(f"a.{name}({keyword})", m.astype("i4"), **loose(name, "i4"))
    for where, m in layouts("f8", (3, 4)).items():
        text = f"a.{name}(), a.{name}(0), np.{name}(a, 1)"
        expr(text, m, id=f"{text}-{where}", **how)
    for where, t in layouts("f4", (2, 3, 4)).items():
        for axis in (0, 1, 2, -1):
            text = f"a.{name}(axis={axis})"
            expr(text, t, id=f"{text}-3d-{where}", modes=PLAIN, **loose(name, "f4"))
    t = sample("f8", (2, 3, 4))
    if name not in NO_TUPLE:
        expr(
            f"np.{name}(a, axis=(0, 2)), np.{name}(a, axis=(1, 2), keepdims=True)",
            t,
            **how,
        )
        expr(f"a.{name}(axis=(0, 0))", t, raises=ValueError)
    expr(f"a.{name}(axis=2)", sample("f8", (3, 4)), raises=np.exceptions.AxisError)
    expr(f"a.{name}(axis=-3)", sample("f8", (3, 4)), raises=np.exceptions.AxisError)
    expr(f"np.{name}(a)", np.array(2.5), **how)
    expr(f"np.{name}(a)", 2.5, **how)
    expr(f"np.{name}(a)", 3, **loose(name, "i8"))
    expr(f"a.{name}()", np.float32(2.5), **how)

# --- nothing to reduce ------------------------------------------------------------------

for name in NAMES:
    fails = ValueError if name in ("min", "max", "argmin", "argmax") else None
    expr(f"a.{name}()", np.zeros(0), raises=fails)
    expr(f"np.{name}(a)", np.zeros(0, "i4"), raises=fails)
    expr(f"a.{name}(axis=0)", np.zeros((0, 3)), raises=fails)
    expr(f"a.{name}(axis=1)", np.zeros((0, 3)))
    expr(f"np.{name}(a, axis=1)", np.zeros((3, 0)), raises=fails)

# --- keywords ---------------------------------------------------------------------------

F, I, M = sample("f8", 9), sample("i4", 9), sample("f8", (3, 4))
for text in (
    "np.sum(a, dtype=np.float32)",
    "a.sum(dtype=np.int64)",
    "a.mean(dtype=np.float32)",
    "np.cumsum(a, dtype=np.float32)",
    "np.prod(a, dtype=np.complex128)",
    "np.var(a, ddof=1), a.std(ddof=1), np.std(a, ddof=2)",
    "a.std(dtype=np.float32), np.var(a, dtype=np.complex64)",
    "np.sum(a, initial=10.0)",
    "np.max(a, initial=100.0), np.min(a, initial=-100)",
    "np.sum(a, where=a > 0)",
    "np.amin(a), np.amax(a), np.ptp(a)",
    "np.nansum(a), np.nanmax(a), np.nanmean(a)",
    "np.average(a)",
    "np.median(a)",
    "np.count_nonzero(a > 0), np.count_nonzero(a)",
    "np.diff(a)",
    "(a * a).sum(), (a > 0).sum(), (a > 0).mean()",
    "np.sum(a[::2]) + a[::-1].max()",
    "np.any(a > 100), np.all(a < 100), (a == a).all()",
    "sum(a), min(a), max(a)",
    "np.linalg.norm(a)",
    "np.argmax(a == a[3])",
    "a.sum().dtype.itemsize",
):
    for v in (F, I, F[::-2], F.astype("f4")):
        expr(text, v, scale=64.0)
expr("np.var(a, ddof=3)", np.arange(3.0))
expr("np.sum(a, axis=0, out=b)\nreturn b", M, np.zeros(4))
expr("np.cumsum(a, out=b)\nreturn b", F, np.zeros(9))
expr("a.sum(axis=0, dtype=np.float32, keepdims=True)", M, scale=64.0)
expr("np.count_nonzero(a)", sample("?", 9))
expr("np.count_nonzero(a, axis=0), np.count_nonzero(a, axis=1)", sample("i4", (3, 4)))
expr("np.sum((a, b))", 1, 2.5)
expr("np.max((a, b)), np.min([a, b])", 1, 2)
expr("a.sum(axis=b)", M, 1, scale=64.0)
expr("a.argmax(), a.argmin()", np.array([1.0, 5.0, 5.0, 1.0]))
expr("a.argmax(), a.argmin(), a.max(), a.min()", np.array([1.0, np.nan, 9.0, np.nan]))
expr("a.max(), a.min()", np.array([0.0, -0.0]), zeros=False)
expr("a.sum(), a.prod()", np.array([-0.0]))
expr("a.any(), a.all()", np.array([np.nan, 0.0]))
expr("a.sum()", np.full(100, 100, "i1"))
expr("a.sum(), a.mean()", np.full(1000, 0.1, "f4"))
expr("a.sum(), a.mean()", np.full(3000, 10.0, "f2"), ulp=1, scale=0.0)
expr("a.sum(), a.var()", np.linspace(0, 1, 100_001), scale=1e5)
expr("a.sum(axis=0)", np.ones((1000, 3), "f4") / 3)
expr("a.sum(5)", F, raises=np.exceptions.AxisError)
expr("a.sum(axis=0, no=1)", F, raises=TypeError)
expr("a.summ()", F, raises=AttributeError)

# --- products ---------------------------------------------------------------------------

PRODUCTS = (
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((3,), (3, 2)),
    ((2, 3), (3, 4)),
    ((0,), (0,)),
    ((2, 0), (0, 3)),
    ((1, 1), (1, 1)),
    ((17, 9), (9, 13)),
)
for left, right in PRODUCTS:
    for dtype in ("f8", "f4", "i4", "c16", "?", "i1"):
        a, b = sample(dtype, left), sample(dtype, right, 1)
        expr("np.dot(a, b)", a, b, scale=256.0)
        expr("a @ b, a.dot(b)", a, b, scale=256.0, modes=PLAIN)
    expr("a @ b", sample("f4", left), sample("i8", right), scale=256.0)
for left, right in (((3,), (4,)), ((2, 3), (2, 3)), ((3,), (2, 3))):
    expr("a @ b", sample("f8", left), sample("f8", right), raises=ValueError)
    expr("np.dot(a, b)", sample("f8", left), sample("f8", right), raises=ValueError)
for where, m in layouts("f8", (4, 4)).items():
    for text in ("a @ a.T", "a.T @ a", "a @ a[0]", "a[:, 1] @ a", "a[::2] @ a[:, ::2]"):
        expr(text, m, id=f"{text}-{where}", scale=256.0)
expr("np.dot(a, b)", 3, 2.5)
expr("np.dot(a, b)", F, 2.0)
expr("a @ b", F, 2.0, raises=ValueError)
expr("np.vdot(a, b), np.inner(a, b)", F, F[::-1], scale=64.0)
expr("np.vdot(a, b)", sample("c16", 5), sample("c16", 5, 1), scale=64.0)
expr("np.outer(a, b)", F, F[:4])
expr("np.trace(a)", M)
expr("a @= b\nreturn a", sample("f8", (3, 3)), np.eye(3) * 2, scale=64.0)


@case(M)
@case(np.asfortranarray(M))
def normalise(a):
    a -= a.mean(axis=0)
    a /= a.std(axis=0)
    return a, np.abs(a).max()


@case(F, 3)
def reduction_in_loop(a, k):
    out = np.zeros(len(a) - k + 1)
    for i in range(len(out)):
        out[i] = a[i : i + k].sum() / k
    return out


@case(F)
def running(a):
    c = np.cumsum(a)
    return c[2:] - c[:-2], np.cumprod(a[:3])[-1], a.cumsum()[-1]


test_case = corpus.test()
