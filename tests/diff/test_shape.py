# SPDX-License-Identifier: BSD-3-Clause
"""Shapes and attributes: views, reshaping, casts, joining, selecting."""

import numpy as np
from harness import DTYPES, Corpus, layouts, sample

corpus = Corpus()
case, expr = corpus, corpus.expr

V = sample("f8", 6)
M = sample("f8", (3, 4))
T = sample("f8", (2, 3, 4))
NOUGHT = np.array(2.5)

# --- attributes -------------------------------------------------------------------------

ATTRIBUTES = "a.shape, a.ndim, a.size, a.itemsize, a.nbytes, a.strides, len(a)"
for dtype in DTYPES:
    expr(ATTRIBUTES, sample(dtype, (3, 4)))
    expr("a.shape, a.ndim, a.size, a.itemsize", np.dtype(dtype).type(1))
    expr("a.real, a.imag", sample(dtype, 4))
    expr("a.conj(), a.conjugate(), np.conj(a)", sample(dtype, 4), views=False, raises=...)
    expr("a[0].real, a[0].imag, a[0].conjugate()", sample(dtype, 4), raises=...)
    expr("a.dtype == np.float64, a.dtype == np.dtype('i4')", sample(dtype, 4))
    expr("np.zeros(2, a.dtype), a.dtype.itemsize", sample(dtype, 4))
    expr("a.T, a.T[1]", sample(dtype, (3, 2)))
    for to in ("?", "i2", "u4", "f4", "f8", "c8"):
        a = sample(dtype, 5)
        if np.dtype(to).kind == "u" and a.dtype.kind in "fc":
            a = np.abs(a).astype(dtype)
        expr(f"a.astype('{to}')", a)
for where, m in layouts("f4", (3, 4)).items():
    expr(ATTRIBUTES, m, id=f"attributes-{where}")
    text = "a.flags.c_contiguous, a.flags.f_contiguous"
    expr(text, m, id=f"flags-{where}")
expr(ATTRIBUTES, T)
expr(ATTRIBUTES.replace(" a.strides,", ""), np.zeros((0, 3)))
expr("a.shape, a.ndim, a.size, a.strides, a.nbytes", NOUGHT)
expr("np.shape(a), np.ndim(a), np.size(a), np.size(a, 1)", M)
expr("a.shape[0] * a.shape[-1] + a.ndim", M)
expr("a.shape == (3, 4), a.shape == b.shape, a.shape[::-1]", M, M.T)
expr("a.item()", NOUGHT)
expr("a.item(), a[0].item()", np.array([7]))
expr("a.item()", M, raises=ValueError)
expr("int(a), float(a)", np.array(7.5))
expr("float(a)", V, raises=TypeError)

# --- views and copies -------------------------------------------------------------------

for text in (
    "a.T",
    "a.transpose()",
    "np.transpose(a)",
    "a.transpose(1, 0)",
    "np.transpose(a, (1, 0))",
    "a.swapaxes(0, 1)",
    "np.swapaxes(a, 0, -1)",
    "a.ravel()",
    "np.ravel(a)",
    "a.flatten()",
    "a.reshape(12)",
    "a.reshape(2, 6)",
    "a.reshape((4, 3))",
    "a.reshape(-1)",
    "a.reshape(2, -1)",
    "a.reshape((-1, 2, 3))",
    "np.reshape(a, (6, 2))",
    "a.reshape(3, 4)",
    "a.T.reshape(-1)",
    "a[:, 1:3].reshape(6)",
    "a[::-1].ravel()",
    "a.T.copy()",
    "a.astype(np.int32)",
    "a.astype(np.float64)",
    "a.astype(np.float64, copy=False)",
    "a.astype('f4').astype(int)",
    "a.astype(bool)",
    "a.view()",
    "np.squeeze(a[:, :1])",
    "a[None].squeeze()",
    "a[None, :, None].squeeze(0)",
    "np.expand_dims(a, 0)",
    "np.expand_dims(a, -1)",
    "np.expand_dims(a, axis=1)",
    "np.broadcast_to(a, (2, 3, 4))",
    "np.broadcast_to(a[:, :1], (3, 5))",
    "np.atleast_1d(a)",
    "np.atleast_2d(a[0])",
    "np.moveaxis(a, 0, 1)",
    "np.flip(a)",
    "np.flip(a, 0)",
    "np.fliplr(a)",
    "np.roll(a, 1)",
    "np.roll(a, -1, axis=0)",
    "np.repeat(a, 2)",
    "np.tile(a, 2)",
    "np.diff(a)",
    "np.diff(a, axis=0)",
    "np.clip(a, -0.5, 0.75)",
    "a.clip(-0.5, 0.75)",
    "a.round(1)",
    "np.where(a > 0, a, 0)",
    "np.where(a > 0, 1, -1)",
    "np.where(a > 0, a, np.float32(1))",
    "np.where(a[:, :1] > 0, a, a[0])",
    "np.diagonal(a)",
    "a.diagonal()",
    "np.triu(a), np.tril(a)",
):
    for where, m in layouts("f8", (3, 4)).items():
        # a reshape of an array that is not in C order is a copy here more often than there
        expr(text, m, id=f"{text}-{where}", views=where == "C" or "reshape" not in text)
for text in (
    "np.transpose(a[0, 1])",
    "np.transpose(a[0, 1], None)",
    "np.transpose(a[0, 1], ())",
    "a[0, 1].transpose()",
    "np.permute_dims(a[0, 1])",
    "np.transpose(a[0, 1].item())",
    "np.squeeze(a[0, 1])",
):
    expr(text, M, id=f"{text}-number")
for text in ("a.reshape(5)", "a.reshape(5, -1)", "a.reshape(-1, -1)"):
    expr(text, M, raises=ValueError)
expr("np.broadcast_to(a, (4, 3))", M, raises=ValueError)
expr("np.squeeze(a, 0)", M, raises=ValueError)
expr("a.swapaxes(0, 2)", M, raises=np.exceptions.AxisError)
expr("np.expand_dims(a, 5)", M, raises=np.exceptions.AxisError)
expr("a.transpose(0, 0)", M, raises=ValueError)
expr("a.transpose(0)", M, raises=ValueError)
for text in (
    "a.T",
    "a.transpose(2, 0, 1)",
    "a.transpose((1, 2, 0))",
    "np.transpose(a, (0, 2, 1))",
    "a.swapaxes(0, 2)",
    "a.reshape(6, 4)",
    "a.reshape(2, -1)",
    "a.transpose(1, 0, 2).reshape(3, 8)",
    "a.ravel()",
    "a.T.ravel()",
    "a[:, ::2].reshape(-1)",
    "np.squeeze(a[:1, :, :1])",
    "a.T[1].T[0]",
):
    for where, t in layouts("f8", (2, 3, 4)).items():
        views = where == "C" or "reshape" not in text
        expr(text, t, id=f"{text}-3d-{where}", views=views)
for text in ("a.T", "a.reshape(1)", "a.reshape(1, 1)", "a.ravel()", "a.flatten()"):
    expr(text, NOUGHT, views="ravel" not in text)
    expr(text, np.zeros((1,)))
expr("a.copy(), a.astype(np.int8), np.squeeze(a), np.expand_dims(a, 0)", NOUGHT)
expr("a.reshape(())", np.array([[2.5]]))
expr("a.reshape(0, 5), a.T, a.ravel(), a.reshape(3, 0, 2)", np.zeros((0, 3)))
expr("a.reshape(-1, 0)", np.zeros((0, 3)), raises=ValueError)
expr("a.reshape(b, c)", V, 2, 3)
expr("a.reshape(b)", V, (3, 2))
expr("a.reshape(b, c)", V, 4, 3, raises=ValueError)
expr("a.reshape(b, -1)", V, 3)

# --- joining and selecting --------------------------------------------------------------

for text in (
    "np.concatenate((a, b))",
    "np.concatenate([a, b, a])",
    "np.concatenate((a, b), axis=0)",
    "np.stack((a, b))",
    "np.stack((a, b), axis=1)",
    "np.stack([a, b], axis=-1)",
    "np.hstack((a, b))",
    "np.vstack((a, b))",
    "np.column_stack((a, b))",
    "np.append(a, b)",
    "np.where(a > b, a, b)",
    "np.minimum(a, b), np.maximum(a, b)",
    "np.array_equal(a, b), np.array_equal(a, a)",
    "np.interp(0.5, np.arange(6.0), a)",
    "np.cross(a[:3], b[:3])",
    "np.kron(a[:2], b[:2])",
):
    expr(text, V, V[::-1])
    expr(text, V, np.arange(6))
expr("np.concatenate((a, b), axis=1)", M, M[:, :2])
expr("np.concatenate((a, b))", M, M[:1])
expr("np.concatenate((a, b), axis=None)", M, V)
expr("np.concatenate((a, b))", M, M[:, :2], raises=ValueError)
expr("np.stack((a, b))", V, V[:3], raises=ValueError)
expr("np.concatenate((a, b))", sample("i1", 3), sample("u1", 3))
expr("np.where(a, b, c)", sample("?", 4), sample("i4", 4), sample("f4", 4))
expr("np.where(a, 1, 2.5)", sample("?", 4))
expr("np.where(a, b, c)", True, 1, 2)
expr("np.where(a, b, c)", sample("?", (3, 1)), np.arange(4), 0.5)
expr("np.where(a, b, c)", sample("?", 3), np.arange(4), 0.5, raises=ValueError)
expr("np.clip(a, b, c)", V, -V[::-1], 1.0)
expr("np.clip(a, 1, 3), np.clip(a, None, 2), np.clip(a, 2, None)", np.arange(5))
expr("np.clip(a, 0, 1)", 2.5)
expr("np.clip(a, 0, 300)", np.arange(4, dtype="u1"), raises=...)

# --- changes in place -------------------------------------------------------------------


@case(V, 3)
@case(V[::-1], 2.5)
@case(M.T, 1)
@case(sample("i4", 4), 2)
@case(sample("?", 4), True)
def fills(a, k):
    a.fill(k)


@case(sample("c16", 4))
def writes_parts(z):
    z.real[:] = 1.0
    z.imag[1] = 7.0
    z.imag *= 2
    return z.real


@case(M)
def writes_reshaped(a):
    b = a.reshape(-1)
    b[5] = 99.0
    c = a.ravel()
    c[0] = 98.0
    d = a.flatten()
    d[1] = 97.0
    return b.shape


@case(M)
def writes_permuted(a):
    b = a.T
    b[1:3] = 5.0
    b.T[0, 0] = 6.0
    np.swapaxes(a, 0, 1)[3] = 7.0
    np.expand_dims(a, 0)[0, 2, 2] = 8.0


@case(M, raises=ValueError)
def writes_broadcast(a):
    b = np.broadcast_to(a, (2, 3, 4))
    b[0, 0, 0] = 1.0


@case(T)
def chain_of_views(t):
    return t.transpose(2, 0, 1)[1:, ::-1].reshape(-1, 3)[::2].T


@case(M)
def shapes_in_loops(a):
    n, m = a.shape
    out = np.zeros(a.T.shape)
    for i in range(n):
        for j in range(m):
            out[j, i] = a[i, j]
    return out, out.shape == a.shape[::-1]


@case(np.arange(12))
def grows_rank(a):
    b = a.reshape(3, 4)
    c = b[:, None] * b[None]
    return c.shape, c.ndim, c[1, 2]


test_case = corpus.test()
