# SPDX-License-Identifier: BSD-3-Clause
"""Arguments of functions that rows do not draw, each against NumPy: dtype=, out= and casting= of
joins, ends of np.linspace that are arrays, where=, mean= and correction= of statistics, weights and
methods of quantiles, modes and orders of indices, flags; and axes that loops over tuples name."""

import numpy as np
import pytest
from harness import Options, compare, define, run

import swathe

# ruff: noqa: E501

# A line is an expression, or statements with "\\n" between them, of the arguments below.
CASES = r"""
np.std(a, correction=1)
np.var(a, mean=np.mean(a))
np.var(a, axis=0, mean=np.mean(a, axis=0, keepdims=True))
np.var(a, ddof=1, correction=1)
np.nansum(v, where=v > 1)
np.nanmax(v, where=v > 1, initial=0)
np.nanmin(v, initial=-1.0)
np.nanmin(m, axis=0, initial=2)
np.nanmin(m, axis=1, initial=200)
np.nanmin(m, where=m > 2)
np.nanmax(i, where=i > 0, initial=-3)
np.nanmax(v, where=v > 100, initial=np.nan)
np.nanmean(v, where=v < 4)
np.nanstd(v, where=v < 4)
np.nanvar(v, correction=1)
np.nanvar(m, axis=1, correction=1, keepdims=True)
np.nanvar(v, mean=np.nanmean(v, keepdims=True))
np.concatenate((a, a), dtype=np.float32)
np.concatenate((a, a), axis=1, out=np.zeros((3, 8)))
o = np.zeros((6, 4))\nr = np.concatenate([a, a * 2], out=o)\nreturn r, o
np.concatenate((a, a), axis=1, out=np.zeros((3, 7)))
np.concatenate((a, i), axis=None, out=np.zeros(15))
np.concatenate([[1, 2], [3, 4]])
np.concatenate([[1, 2], b], dtype=np.float32)
np.concatenate((i, a.ravel()), dtype=int, casting='unsafe')
np.concatenate((i, a.ravel()), dtype=int)
np.concatenate((i, i), casting='safe')
np.concatenate((a, a), out=np.zeros((6, 4)), dtype=float)
l = [a, a * 2]\nl.append(a)\nreturn np.concatenate(l, dtype=np.float32)
l = [a, a * 2]\nl.append(a)\no = np.zeros((9, 4))\nnp.concatenate(l, out=o)\nreturn o
np.stack((b, b), dtype=np.float32)
np.stack([b, b * 2], axis=1, out=np.zeros((4, 2)))
np.stack([b, b * 2], axis=-1, dtype=np.float32)
np.hstack((b, [1, 2]))
np.hstack((a, a), dtype=np.float32)
np.vstack(([1, 2, 3, 4], b), dtype=np.float32)
np.vstack([r * 2 for r in a], dtype=np.float32)
np.linspace(b, b * 2, 3)
np.linspace(0, b, 3, axis=1)
np.linspace(0, b, 3, axis=-1, endpoint=False)
np.linspace(0, 1, 5, dtype=np.float32)
np.linspace(0, 1, 5, axis=-1)
np.linspace([0, 1], [5, 6], 4, dtype=int)
np.linspace((0, 1), 5, 4)
np.linspace(b, a, 4, axis=1)
np.linspace(np.float32(0), b.astype(np.float32), 4)
np.linspace(u, 300, 4)
np.linspace(b, b, 3)
np.linspace(b, 2 * b, 4, retstep=True)
np.linspace(b, 2 * b, 0)
np.linspace(c, 2 * b[0], 3)
np.logspace(0, b, 3)
np.logspace(0, b, 3, axis=1)
np.logspace(0, 3, 4, dtype=int)
np.logspace(0, 3, 4, base=2)
np.geomspace(b, b * 100, 3)
np.geomspace(1, 256, 9, dtype=int)
np.geomspace(1, 1000, 4)
np.geomspace(-1, -1000, 4)
np.geomspace(1j, 16j, 5)
np.geomspace(np.float32(1), np.float32(8), 4)
np.geomspace(1, 8, 4, endpoint=False)
np.geomspace(1, 8, 1)
np.geomspace(0, 8, 4)
np.indices((2, 3), sparse=True)
np.indices((2, 3), np.float32, True)
np.dsplit(np.zeros((2,2,4)), 2)
np.sort_complex(i)
np.sort_complex(c)
np.mask_indices(3, np.triu)
np.mask_indices(3, np.triu, 1)
np.can_cast(np.int32, np.float64)
np.can_cast('i8', 'f4')
np.can_cast(a.dtype, np.float32, 'same_kind')
np.isfortran(a.T)
np.isfortran(a), np.isfortran(b)
np.iterable(a), np.iterable(3), np.iterable((1, 2))
np.asarray_chkfinite(a)
np.asarray_chkfinite(v)
a.flags.c_contiguous
a.flags['C_CONTIGUOUS'], a.T.flags['F_CONTIGUOUS'], a[:, 1:].flags['C_CONTIGUOUS']
a.T.flags.f_contiguous, a[::2].flags.c_contiguous, a[1:].flags.contiguous
a.flags.writeable, a.flags.forc, a.flags.fnc
np.broadcast_to(b, (3, 4)).flags.writeable
if not a.flags.c_contiguous:\n    a = np.ascontiguousarray(a)\nreturn a.sum()
np.percentile(b, 50, weights=b, method='inverted_cdf')
np.quantile(b, [.2, .5], weights=b, method='inverted_cdf')
np.quantile(a, [.2, .5], weights=b, method='inverted_cdf', axis=1)
np.quantile(a, 0.4, weights=a, method='inverted_cdf', axis=0, keepdims=True)
np.quantile(a, 0.4, weights=b, method='inverted_cdf')
np.quantile(a, 0.4, weights=b)
np.nanquantile(v, 0.5, weights=np.ones(6), method='inverted_cdf')
np.quantile(a, 0.4, weights=a, method='inverted_cdf', axis=(0, 1))
np.quantile(b, 0.3, method='hazen')
np.quantile(b, 0.3, method='median_unbiased')
np.quantile(b, 0.0, method='median_unbiased')
np.quantile(b, 1.0, method='normal_unbiased')
np.quantile(b, [0, 0.1, 0.25, 0.5, 0.75, 1.0], method='averaged_inverted_cdf')
np.quantile(b, [0, 0.1, 0.25, 0.5, 0.75, 1.0], method='inverted_cdf')
np.quantile(b, [0, 0.1, 0.25, 0.5, 0.75, 1.0], method='closest_observation')
np.quantile(b, [0, 0.1, 0.25, 0.5, 0.75, 1.0], method='interpolated_inverted_cdf')
np.quantile(i, 0.4, method='closest_observation')
np.quantile(i, 0.4, method='weibull')
np.percentile(b, 30, method='weibull')
np.percentile(a, [10, 60], axis=1, method='hazen')
np.nanpercentile(v, 30, method='weibull')
np.percentile(b, 30, method='nonsense')
np.cumulative_sum(b, include_initial=True)
np.cumulative_prod(b, include_initial=True)
np.cumulative_sum(a, axis=1, include_initial=True, dtype=np.float32)
np.cumulative_sum(i, include_initial=True)
np.trim_zeros(a)
np.trim_zeros(np.eye(5)[:, 1:4], axis=0)
np.unravel_index(5, (3, 4), order='F')
np.unravel_index(i, 7)
np.ravel_multi_index((1, 2), (3, 4), order='F')
np.ravel_multi_index((1, 9), (3, 4), mode='wrap')
np.ravel_multi_index((1, 9), (3, 4), mode='clip')
np.ravel_multi_index(np.array([[1, 2], [0, 3]]), (3, 4))
np.ravel_multi_index((i, i), (3, 4), mode='wrap', order='F')
np.choose(i, (i, i * 2, i + 5), mode='clip')
np.choose(i, (i, i * 2), mode='wrap')
np.choose(i, (i, i * 2), mode='x')
np.compress([True, False, True], a, axis=0, out=np.zeros((2, 4)))
a.compress([True, False, True], axis=0)
np.unique_all(i)
np.unique(i, sorted=True)
np.add.reduceat(b, [0, 2], out=np.zeros(2))
np.maximum.accumulate(b, out=np.zeros(4))
np.sort(np.unique_values(i))
np.add.reduce(-0.0)
b ** 1.5, b ** -1.5, b ** 2.5, b ** -0.5, v ** 1.5, b.astype(np.float32) ** -1.5, i ** 1.5, np.float64(2) ** 1.5
np.power(np.array([0.0, -0.0, np.inf, -np.inf, -1.0, np.nan]), 1.5), np.power(np.array([0.0, -0.0, np.inf, -np.inf, -1.0, np.nan]), -1.5)
np.power(np.array([0.0, -0.0, np.inf, -np.inf, 1e-206, 1e206]), 2.5), np.power(np.array([0.0, -0.0, np.inf, -np.inf, 5e-324, 1e308]), -0.5)
np.fft.fft(b, out=np.zeros(4, complex))
o = np.zeros((3, 4), complex)\nr = np.fft.fftn(a, out=o)\nreturn r, o
np.fft.rfft(b, out=np.zeros(4, complex))
np.fft.irfft(np.fft.rfft(b), out=np.zeros(4)), np.fft.ifftn(a, out=np.zeros((3, 4), complex))
np.linalg.tensorinv(np.eye(24).reshape((4, 6, 8, 3)) + 1, ind=2)
np.linalg.tensorinv(np.eye(24).reshape((24, 8, 3)), ind=1)
np.linalg.tensorsolve(np.eye(12).reshape(3, 4, 12), a)
np.linalg.tensorsolve(np.eye(24).reshape((6, 4, 2, 3, 4)) + np.eye(4)[None, :, None, None, :], np.arange(24.0).reshape(6, 4))
np.linalg.tensorsolve(np.ones((3, 4, 5)), a)
np.allclose(np.linalg.pinv(m, rtol=1e-10), np.linalg.inv(m))
np.linalg.multi_dot([m, m, m], out=np.zeros((4, 4)))
np.einsum('ij,jk->ik', a, m, out=np.zeros((3, 4)))
o = np.zeros(3)\nnp.einsum('ij->i', a, out=o)\nreturn o
np.trace(m, out=np.zeros(()))
a.tobytes(), a.T.tobytes(), a.tobytes('F'), a[::2, ::2].tobytes(), i.tobytes(), c.tobytes(), (a > 3).tobytes(), u.tobytes()
seen = set()\nx = i\nn = 0\nwhile x.tobytes() not in seen:\n    seen.add(x.tobytes())\n    x = np.roll(x, 1)\n    n += 1\nreturn n
d = {a.tobytes(): 1}\nreturn d[a.copy().tobytes()]
np.binary_repr(5), np.binary_repr(-3, width=8), np.binary_repr(0, 4), np.binary_repr(-8, 4), np.binary_repr(-5), np.binary_repr(9, width=6)
np.binary_repr(200, width=3)
np.base_repr(255, 16), np.base_repr(-5), np.base_repr(0), np.base_repr(7, 5, 3), np.base_repr(0, 2, 3)
np.base_repr(5, 40)
s = 0.0\nfor x, y in np.nditer([a, b[None, :] + a]):\n    s += x * y\nreturn s
np.percentile(-0.0, 1)
np.percentile(np.array([-0.0, -0.0]), [1, 70, 100, 0])
np.quantile(np.array([-0.0, 0.0, -0.0]), 0.5)
np.quantile(np.array([1.0, np.inf]), 1.0)
np.quantile(np.array([1.0, np.inf]), 0.5)
np.quantile(np.array([np.inf, np.inf]), 0.5)
np.percentile(b, [0, 30, 100])
np.percentile(i, 30)
np.quantile(b.astype(np.float32), np.float32(0.3))
np.quantile(a, [0.1, 0.99, 1], axis=1)
[np.roll(a, 1, axis=k) for k in (0, 1)]
sum(np.roll(a, 1, axis=k) for k in (0, 1))
sum(np.roll(a, d, axis=k) for d in (1, -1) for k in (0, 1))
sum(np.roll(a, d, axis=k) for k in (0, 1) for d in (1, -1))
sum([np.roll(a, d, axis=k) for d in (1, -1) for k in (0, 1)])
[np.roll(a, d, axis=k) for d in (1, -1) for k in (0, 1)]
sum(np.roll(a, d, k) for d, k in ((1, 0), (-1, 0), (1, 1), (-1, 1)))
sum(np.roll(a, d, axis=k) for d, k in [(1, 0), (-1, 0), (1, 1), (-1, 1)])
s = 0.0\nfor d in (1, -1):\n    for k in (0, 1):\n        s = s + np.roll(a, d, axis=k)\nreturn s
s = np.zeros_like(a)\nfor k in range(2):\n    for d in (1, -1):\n        s += np.roll(a, d, axis=k)\nreturn s
s = np.zeros_like(a)\nfor d, k in [(1, 0), (-1, 0), (1, 1), (-1, 1)]:\n    s += np.roll(a, d, axis=k)\nreturn s
max(np.max(np.diff(a, axis=k)) for k in range(a.ndim))
[np.concatenate((a, a), axis=k).shape for k in range(2) for r in range(2)]
any(np.any(np.all(a > t, axis=k)) for k in (0, 1) for t in (3, 4))
{k: a.sum(axis=k) for k in (0, 1)}[1]
np.stack([np.roll(a, s, axis=x) for x in range(2) for s in (1, -1)])
sum(a.sum(axis=k).max() for k in range(2) if k > 0)
tuple(a.sum(axis=k) for k in range(2))
np.array([np.roll(a, d, axis=k) for d in (1, -1) for k in (0, 1)])
sum(np.roll(np.roll(a, i, 0), j, 1) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
s = np.zeros_like(a)\nfor d, k in ((1, 0), (-1, 0), (1, 1)):\n    s += np.roll(a, d, axis=k)\nreturn s
s = np.zeros_like(a)\nfor d, k in [(1, 0), (-1, 0), (1, 1)]:\n    s += np.roll(a, d, axis=k)\nreturn s
s = np.zeros_like(a)\nfor d, k in [(1, 0), (2, 0), (1, 1)]:\n    s += np.roll(a, d, axis=k)\nreturn s
s = np.zeros_like(a)\nfor d, k in [(1, 0), (2, 0), (1, 1)]:\n    s = s + np.roll(a, d, axis=k)\nreturn s
s = np.zeros_like(a)\nfor d, k in [(1, 0), (2, 0), (1, 1)]:\n    s += np.roll(a, d, k)\nreturn s
s = 0.0\nfor k, d in [(0, 1), (1, 1)]:\n    s += a.sum(axis=k)[d]\nreturn s
s = 0.0\nfor k, d in zip((0, 1), (1, 1)):\n    s += a.sum(axis=k)[d]\nreturn s
[a.sum(axis=k)[d] for k, d in [(0, 1), (1, 1)]]
[a.sum(axis=k)[d] for k, d in ((0, 1), (1, 1))]
[a.sum(axis=k)[d] for k, d in zip((0, 1), (1, 1))]
[a.sum(axis=p[0])[p[1]] for p in ((0, 1), (1, 1))]
SHIFTS = ((1, 0), (0, 1))\ns = 0.0\nfor k, d in SHIFTS:\n    s += a.sum(axis=k)[d]\nreturn s
axis = 1\naxes = tuple(k for k in range(a.ndim) if k != axis)\nreturn a.mean(axis=axes, keepdims=True), axes
axes = tuple(k for k in range(m.reshape(2, 2, 4).ndim) if k not in (0, 2))\nreturn m.reshape(2, 2, 4).sum(axis=axes)
axes = tuple(k for k in range(3) if k % 2 == 0 and not k == 2 or k == 1)\nreturn axes
tuple(2 * k + 1 for k in range(-2, 3) if 0 <= k + 1 < 3)
[a.sum(axis=k) for k in (1, 0) if k > 5]
[np.roll(a, s, axis=k) for k in range(2) for s in (-1, 0, 1) if s != 0]
sum(np.roll(a, (i, j), axis=(0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0))
[x.shape for x in (np.concatenate((a, a), axis=k) for k in (0, 1))]
[a.sum(axis=k).shape[0] + e for e, k in enumerate((1, 0)) if e == 1]
p, q = (a.sum(axis=k) for k in range(3) if k < 2)\nreturn p, q
s = 0.0\nfor k, (d, e) in ((0, (1, 2)), (1, (0, 1))):\n    s += a.sum(axis=k)[d] * e\nreturn s
s = []\nfor k, name in [(0, 'x'), (1, 'y')]:\n    s.append((name, a.max(axis=k).sum()))\nreturn s
tuple(range(a.ndim))
a.sum(axis=tuple(range(a.ndim)))
a.sum(axis=tuple(range(1, a.ndim)))
np.transpose(a, tuple(range(a.ndim))[::-1])
t = tuple(range(3))\nreturn t[1], len(t), t
tuple(range(0)), tuple(range(5, 1, -2))
x, y = tuple(range(2))\nreturn x + y
[k for k in tuple(range(4))]
np.mean(a, axis=tuple(range(a.ndim - 1)))
ax = tuple(range(-2, 0))\nreturn np.fft.fft2(a, axes=ax)
t = tuple(range(3))\ns = 0\nfor k in t:\n    s += k * k\nreturn s
np.add.reduce(a, axis=tuple(range(2)))
np.einsum('ij,ij->j', a, a), np.einsum('ij,ij->i', a, a), np.einsum('ij,ij->', a, a), np.einsum('ij,ji->i', m, m)
np.einsum('nij,nj->ni', m.reshape(2, 2, 4), a[:2]), np.einsum('nij,nj->in', m.reshape(2, 2, 4), a[:2])
np.einsum('ij,ij->j', a > 3, a > 5), np.einsum('ij,ij->i', u[:, None], u[:, None]), np.vecdot(u, u), np.vecdot(c, c)
np.roll(a, (1, 2), (0, 1)), np.roll(a, (1, 1), (1, 1)), np.roll(a, 2, (0, 1)), np.roll(a, (1, -5), (-1, 0)), np.roll(a[:0], (1, 2), (0, 1))
np.roll(a, (1, 2), (0, 5))
np.pad(a, ((2, 1), (0, 3)), mode='wrap'), np.pad(a, 3, mode='symmetric'), np.pad(a.T, ((1, 2), (3, 4)), mode='linear_ramp')
np.pad(a, 2, mode='mean'), np.pad(a, ((1, 0), (0, 2)), mode='median'), np.pad(a, 5, mode='reflect'), np.pad(a, 7, mode='reflect', reflect_type='odd')
np.packbits(a > 3), np.packbits(a > 3, axis=0), np.packbits((a > 3).T, axis=1, bitorder='little'), np.packbits(i), np.packbits(a[:0] > 1)
np.unpackbits(u), np.unpackbits(u, count=13), np.unpackbits(u[:, None], axis=1, bitorder='little'), np.unpackbits(u, count=30)
np.resize(a, 30), np.resize(a, 5), np.resize(a, (0, 3)), np.resize(b, (3, 3))
np.take(a, i, axis=1), np.take(a, [[0, 1], [2, 3]], axis=1), np.take(m.reshape(2, 2, 4), i, axis=2), np.take(a, 5 * i, axis=1, mode='wrap')
np.take(a, 5 * i, axis=1)
np.add.at(b, i, 2)\nnp.add.at(b, [0, 0], [1, 2]); return b
np.add.at(b, [0, 9], 2); return b
np.nanmax(v), np.nanmin(v * 0 - np.inf), np.nanmax(np.array([[np.nan, 1], [np.nan, np.nan]]), axis=1), np.nanmax(np.array([-np.inf, np.nan]))
np.sort(np.array([0.0, -0.0, np.nan, -1, 3])), np.sort(np.array([[3, -0.0, 0.0], [1, 0.0, -0.0], [2, 5, 4]]), axis=0), np.sort(a[::-1, ::-1], axis=0)
rng = np.random.default_rng(5)\nreturn rng.permuted(a, axis=1), rng.random()
rng = np.random.default_rng(5)\nreturn rng.permuted(a, axis=0), rng.random()
rng = np.random.default_rng(5)\nreturn rng.permuted(a), rng.random()
rng = np.random.default_rng(5)\nreturn rng.permuted(b), rng.random()
rng = np.random.default_rng(5)\nreturn rng.permuted(i, out=np.zeros(3, int)), rng.random()
rng = np.random.default_rng(5)\nrng.permuted(a, axis=1, out=a)\nreturn a
rng = np.random.default_rng(5)\nrng.shuffle(a, axis=1)\nreturn a, rng.random()
rng = np.random.default_rng(5)\nrng.shuffle(a)\nreturn a, rng.random()
rng = np.random.default_rng(5)\nrng.shuffle(b)\nreturn b, rng.random()
rng = np.random.default_rng(5)\nrng.shuffle(a, axis=3)\nreturn a
rng = np.random.default_rng(5)\nreturn rng.permutation(a, axis=1), rng.random()
rng = np.random.default_rng(5)\nreturn rng.permutation(6), rng.permutation(b)
rng = np.random.default_rng(5)\nreturn rng.choice(a, 2, axis=1), rng.random()
rng = np.random.default_rng(5)\nreturn rng.choice(a, 2), rng.choice(a), rng.random()
rng = np.random.default_rng(5)\nreturn rng.choice(a, (2, 2), axis=1, p=[.1, .2, .3, .4]), rng.random()
rng = np.random.default_rng(5)\nreturn rng.choice(10, 4, replace=False, shuffle=False), rng.random()
rng = np.random.default_rng(5)\nreturn rng.choice(20000, 800, replace=False, shuffle=False).sum(), rng.random()
rng = np.random.default_rng(5)\nreturn rng.choice(20000, 1800, replace=False, shuffle=False), rng.random()
rng = np.random.default_rng(5)\nreturn rng.choice(b, 3, replace=False), rng.choice(b, p=[.1, .2, .3, .4])
rng = np.random.default_rng(5)\nreturn rng.random(5, dtype=np.float32), rng.random()
rng = np.random.default_rng(5)\nreturn rng.random(dtype=np.float32), rng.random()
rng = np.random.default_rng(5)\nreturn rng.standard_normal((3, 2), dtype=np.float32), rng.random()
rng = np.random.default_rng(5)\nreturn rng.standard_exponential(4, dtype=np.float32), rng.random()
rng = np.random.default_rng(5)\no = np.zeros((2, 3))\nrng.random(out=o)\nreturn o, rng.random()
rng = np.random.default_rng(5)\no = np.zeros((2, 3), np.float32)\nrng.standard_normal(out=o, dtype=np.float32)\nreturn o
rng = np.random.default_rng(5)\no = np.zeros((2, 3), np.float32)\nrng.standard_normal(out=o)\nreturn o
rng = np.random.default_rng(5)\no = np.zeros((2, 3))\nrng.standard_normal(out=o, size=3)\nreturn o
rng = np.random.default_rng(5)\nreturn rng.integers(0, 5, 4, endpoint=True), rng.integers(0, 200, 3, dtype=np.uint8, endpoint=True), rng.integers(3)
rng = np.random.default_rng(5)\nreturn rng.random(3), rng.standard_normal(2), rng.standard_exponential()
np.sum(-0.0), np.sum(np.float32(-0.0)), np.mean(-0.0), np.prod(-0.0)
np.sum(np.array(-0.0)), np.sum(np.array([-0.0])), np.nansum(np.array(-0.0))
np.bincount(()), np.repeat(b, ())
np.repeat(b[:2], [1.5, 2]), np.repeat(b[:2], (2.5, True)), np.repeat(3, np.complex64(2)), np.repeat(b[:0], []), np.repeat(a, [1.5], 1)
np.repeat(1.0, [])
np.repeat(b[:2], np.array([1.0, 2.0]))
np.polymul([0, 0, 1, 2], b), np.polymul(b * 0, b), np.polymul(np.arange(5), [1, 2]), np.polymul([], [0]), np.polymul(a[0], 3)
np.polymul(a, b)
np.trim_zeros(b, axis=-9)
np.trim_zeros(b, axis=0), np.trim_zeros(a, axis=1)
np.interp(2.5, b, b, left=1j)
np.interp(0.5, b, b * 1j, left=1j), np.interp(9.5, b, b, right=7)
np.random.default_rng("12")
np.random.default_rng(b"12")
np.random.default_rng([1.5])
np.random.default_rng([1, 2]).random(), np.random.default_rng(i).random(), np.random.default_rng((3,)).random()
np.random.seed(4); return np.random.chisquare(np.nan), np.random.beta(v[:1], 2.0), np.random.pareto(np.array([np.nan]))
rng = np.random.default_rng(5)\nreturn rng.chisquare(np.nan), rng.standard_t(np.nan), rng.random()
rng = np.random.default_rng(5)\nreturn rng.negative_binomial(np.nan, 0.5)
np.random.binomial(3, np.nan)
np.random.binomial(3, v)
np.polyfit([1.0, 2, 3, 5], b, 1, cov="x"), np.polyfit([1.0, 2, 3, 5], b, 1, cov="unscaled")
""".strip().splitlines()
BLOCK = 12


def arguments():
    return (
        np.arange(12.0).reshape(3, 4),
        np.arange(4.0) + 1,
        np.arange(16.0).reshape(4, 4) % 5 + np.eye(4) * 9,
        np.array([3.0, 1, 2, 5, np.nan, 0]),
        np.array([2, 0, 1]),
        np.arange(6) * (1 + 2j),
        np.array([1, 200, 3], np.uint8),
    )


def problem(case):
    lines = case.replace("; return", "\\nreturn").split("\\n")
    if len(lines) == 1:
        lines[0] = f"return {lines[0]}"
    f = define("def f(a, b, m, v, i, c, u):\n" + "".join(f"    {line}\n" for line in lines))
    want = run(f, arguments(), {})
    got = run(swathe.njit(opt_level=0)(f), arguments(), {})
    if want.error is not None and type(got.error) is type(want.error):
        return None  # the text is NumPy's own
    found = compare(want, got, Options(ulp=16, views=False), "plain")
    return found and f"{case}: {found}"


@pytest.mark.parametrize("start", range(0, len(CASES), BLOCK))
def test_as_numpy(start):
    found = [p for p in map(problem, CASES[start : start + BLOCK]) if p]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("axis", (0, 1, 2, (0, 2)))
def test_other_axes_by_argument(axis):
    """Which axes are left depends on an argument: the function is compiled for its value."""
    test = "k not in axis" if isinstance(axis, tuple) else "k != axis"
    f = define(
        "def f(a, axis):\n"
        f"    axes = tuple(k for k in range(a.ndim) if {test})\n"
        "    return (a - a.mean(axis=axes, keepdims=True)) / a.std(axis=axes, keepdims=True)\n"
    )
    a = np.arange(24.0).reshape(2, 3, 4)
    want = run(f, (a, axis), {})
    got = run(swathe.njit(opt_level=0)(f), (a, axis), {})
    assert not compare(want, got, Options(ulp=16, views=False), "plain")


@pytest.mark.parametrize("text", ("((), 1)", "(1, ())", "(((),), (1,))", "((1, 2), 3)"))
def test_unlike_depths(text):
    """No array, where an empty sequence stands beside a number."""
    for of in ("np.array", "np.sum", "np.maximum.reduce"):
        f = define(f"def f():\n    return {of}({text})\n")
        with pytest.raises(ValueError):
            f()
        with pytest.raises(ValueError):
            swathe.njit(opt_level=0)(f)()
