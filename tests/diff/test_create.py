# SPDX-License-Identifier: BSD-3-Clause
"""Creation of arrays, with every dtype argument that makes sense."""

import numpy as np
import pytest
from harness import Corpus, layouts, sample

corpus = Corpus()
case, expr = corpus, corpus.expr

V = sample("f8", 5)
M = sample("f8", (3, 4))
NAMES = "bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64"
NAMES = (NAMES + " complex64 complex128").split()

for name in NAMES:
    dtype = f"np.{name}"
    for text in (
        f"np.zeros(a, {dtype})",
        f"np.ones((a, 2), dtype={dtype})",
        f"np.full(a, 1, {dtype})",
        f"np.full((2, a), True, dtype={dtype})",
        f"np.eye(a, dtype={dtype})",
        f"np.identity(a, {dtype})",
        f"np.array([a, 2, 3], dtype={dtype})",
        f"np.array(a, {dtype})",
        f"np.zeros((), {dtype})",
    ):
        expr(text, 3)
    expr(f"np.empty((a, 2), {dtype})", 3, undefined=True)
    expr(f"np.zeros_like(a, dtype={dtype})", M)
    expr(f"np.ones_like(a, {dtype})", V)
    expr(f"np.full_like(a, 1, dtype={dtype})", V)
    expr(f"np.asarray(a, dtype={dtype})", sample(name, 4))
    expr(f"np.asarray(a, dtype={dtype})", np.arange(4))
    expr(f"np.array(a, dtype={dtype})", np.arange(4))
    expr(f"np.zeros(2, dtype={dtype})[0]", id=f"element-{name}")
    expr("np.zeros_like(a), np.ones_like(a), np.full_like(a, 1)", sample(name, 3))
    expr("np.zeros(2, a.dtype), np.ones(1, dtype=a.dtype)", sample(name, 3))
    expr("np.copy(a), a.copy(), np.array(a), np.asarray(a)", sample(name, 3))
    if name != "bool_":
        expr(f"np.arange(a, dtype={dtype})", 4)
    expr(f"np.linspace(0, a, 5, dtype={dtype}), np.linspace(-a, a, 17, dtype={dtype})", 4)
for dtype in ("'f4'", "'int8'", "'float64'", "float", "int", "bool", "complex", "'?'"):
    expr(f"np.zeros(a, {dtype}), np.ones(a, dtype={dtype})", 2)
expr("np.zeros(2, np.dtype('i2')), np.zeros(2, np.dtype(np.float32))", id="np.dtype")
expr("np.zeros(2, np.intp), np.zeros(2, np.double), np.zeros(1, np.intc)", id="aliases")

for text in (
    "np.zeros(a)",
    "np.ones(a)",
    "np.zeros((a, a))",
    "np.zeros((a, 0, 2))",
    "np.zeros((a,))",
    "np.zeros(())",
    "np.zeros(shape=(a, 2))",
    "np.zeros((2, a), order='F')",
    "np.ones([a, 2])",
    "np.full(a, 7)",
    "np.full(a, 7.5)",
    "np.full(a, True)",
    "np.full((a, 2), 1j)",
    "np.full(a, np.float32(2))",
    "np.full((), a)",
    "np.full((2, a), np.arange(a))",
    "np.eye(a)",
    "np.eye(a, 5)",
    "np.eye(a, k=1)",
    "np.eye(a, 4, -1)",
    "np.identity(a)",
    "np.diag(np.arange(a))",
    "np.tri(a)",
    "np.arange(a)",
    "np.arange(1, a)",
    "np.arange(0, a, 1, np.int32)",
    "np.arange(start=a, stop=3 * a, step=2)",
    "np.arange(1, stop=a, dtype=np.float32)",
    "np.arange(a, 0, -1)",
    "np.arange(0, a, 2)",
    "np.arange(a, 1)",
    "np.arange(0.0, a, 0.3)",
    "np.arange(a * 1.0)",
    "np.arange(0.5, a)",
    "np.arange(a, dtype=np.float32)",
    "np.arange(0, a, 0.25, dtype=np.float32)",
    "np.arange(-a)",
    "np.arange(np.int32(a))",
    "np.linspace(0, 1, a)",
    "np.linspace(0, a)",
    "np.linspace(2.0, -1.0, a)",
    "np.linspace(0, 1, a, endpoint=False)",
    "np.linspace(0, 1, 1), np.linspace(0, 1, 0)",
    "np.linspace(a, a, 3)",
    "np.array([a, 1, 2])",
    "np.array((a, 1.5))",
    "np.array([[a, 1], [2, 3]])",
    "np.array(((1, a), (2.5, 3), (0, 1)))",
    "np.array([[[a]]])",
    "np.array([a])",
    "np.array(a)",
    "np.array([1j, a])",
    "np.array([True, False])",
    "np.array([True, a])",
    "np.array([np.float32(1), a])",
    "np.array([np.int8(1), np.int16(2)])",
    "np.array([np.float32(1), np.float32(a)])",
    "np.asarray([a, 1.0])",
    "np.asarray(a)",
    "np.array([1, 2, 3, a])[1:]",
    "np.zeros(a).shape, np.zeros(a).dtype.itemsize",
    "np.zeros(a)[0], np.ones(a, np.int8)[-1]",
):
    expr(text, 3)
expr("np.empty(a), np.empty((a, 2)), np.empty(0)", 3, undefined=True)
expr("np.empty_like(a), np.empty_like(a, dtype=np.int8)", M, undefined=True)
expr("np.zeros(a)", np.int32(2))
expr("np.zeros(a)", (2, 3))
expr("np.zeros(a.shape), np.ones(a.shape[1]), np.zeros((len(a), 2))", M)
expr("np.zeros(a)", 0)
expr("np.arange(a, b, c)", 0, 10, 3)
expr("np.arange(a, b, c)", 0.0, 1.0, 0.1)
for a, b in (
    (0.1, 5e-324),
    (0.0, 5e-324),
    (0.0, 1e-45),
    (1, 2**53 + 1),
    (-0.0, -0.0),
    (1j, 5e-324j),
):
    expr("np.linspace(a, b, 11), np.linspace(a, b, 7, False, True)", a, b)
    for one in (np.float32, np.complex64):
        if not isinstance(a, complex) or one is np.complex64:
            expr("np.linspace(a, b, 11, retstep=True), np.linspace(a, 3.5, 9)", one(a), one(b))
expr("np.arange(a, b, c)", 5, 1, -0.5)
expr("np.zeros(a)", -1, raises=ValueError)
expr("np.zeros((2, a))", -1, raises=ValueError)
expr("np.zeros(a)", 2.0, raises=TypeError)
expr("np.arange(0, a, 0)", 3, raises=ZeroDivisionError)
expr("np.linspace(0, 1, a)", -1, raises=ValueError)
expr("np.array([[1, 2], [a]])", 3, raises=ValueError)
expr("np.full(a, 300, np.uint8)", 3, raises=OverflowError)
expr("np.array([a, 300], dtype=np.uint8)", 3, raises=OverflowError)
expr("np.full(3, a)", np.arange(2), raises=ValueError)
expr("np.full(3, a)", np.arange(3))
expr("np.array(a)", ((1, 2), (3, 4)))
expr("np.array([a, b])", V, V)
expr("np.array([[a, b], [b, a]])", 1, 2.5)

for where, m in layouts("f8", (3, 4)).items():
    for text in (
        "np.ascontiguousarray(a)",
        "np.ascontiguousarray(a).strides",
        "np.asfortranarray(a)",
        "np.copy(a)",
        "a.copy()",
        "a.copy().strides, np.copy(a).strides",
        "np.zeros_like(a)",
        "np.ones_like(a, dtype=np.int32)",
        "np.full_like(a, 2.5)",
        "np.asarray(a)",
        "np.array(a)",
    ):
        expr(text, m, id=f"{text}-{where}")
for text in ("np.zeros_like(a)", "np.full_like(a, b)", "np.ones_like(a) * b"):
    expr(text, np.arange(3), 2)
    expr(text, np.array(2.5), 7)
expr("np.full_like(a, 2.75)", np.arange(3))
expr("np.zeros_like(a), np.ones_like(a)", 3)
expr("np.zeros_like(a)", 2.5)
expr("np.ascontiguousarray(a)", np.array(2.5), views=False)


@case(4)
def fills_by_loop(n):
    a = np.empty((n, n), np.int32)
    for i in range(n):
        for j in range(n):
            a[i, j] = i * n + j
    return a


@case(3)
def dtype_in_a_variable(n):
    t = np.float32
    return np.zeros(n, t), np.ones(n, dtype=t), t(0.1)


@case(2, 3)
def asarray_shares(n, m):
    a = np.zeros((n, m))
    b = np.asarray(a)
    b[0, 0] = 5.0
    c = np.array(a)
    c[1, 1] = 7.0
    return a, c


@case(V)
def asarray_of_argument(a):
    b = np.asarray(a)
    b[0] = 9.0
    return b


@pytest.mark.parametrize("n", [0, 1, 100, 100_000])
def test_sizes(n):
    from harness import check, expression

    check(expression("np.zeros(a), np.arange(a), np.full(a, 2.5)", "a"), n)


test_case = corpus.test()
