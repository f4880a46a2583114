# SPDX-License-Identifier: BSD-3-Clause
"""Results of arrays in Fortran order and of parts of them have NumPy's strides, axis by axis."""

import numpy as np
import pytest

import swathe

ELEMENTWISE = {
    "neg": lambda a: -a,
    "twice": lambda a: a * 2 + a,
    "sin": lambda a: np.sin(a),
    "less": lambda a: a < 2,
    "where": lambda a: np.where(a > 2, a, 0.0),
    "clip": lambda a: np.clip(a, 1, 3),
    "copy": lambda a: np.copy(a),
    "copy_k": lambda a: a.copy(order="K"),
    "copy_a": lambda a: a.copy(order="A"),
    "copy_c": lambda a: a.copy(),
    "array": lambda a: np.array(a),
    "astype": lambda a: a.astype(np.float32),
    "astype_a": lambda a: a.astype(np.float32, order="A"),
    "zeros_like": lambda a: np.zeros_like(a),
    "full_like": lambda a: np.full_like(a, 2.5),
    "sort": lambda a: np.sort(a, axis=0),
    "argsort": lambda a: np.argsort(a, axis=0),
    "cumsum": lambda a: np.cumsum(a, axis=0),
    "cumprod": lambda a: np.cumprod(a, axis=-1),
    "accumulate": lambda a: np.minimum.accumulate(a, axis=0),
    "rint": lambda a: np.round(a),
    "round": lambda a: np.round(a, 1),
    "nan_to_num": lambda a: np.nan_to_num(a),
    "of_part": lambda a: a[1:, 1:] * 2,
    "of_parts": lambda a: a[1:] - a[:-1],
    "steps": lambda a: a[::2, ::-1] + 1,
    "turned": lambda a: a.T + 1,
    "part_turned": lambda a: a[1:, 1:].T * 2,
    "twice_turned": lambda a: a[1:].T.T * 2,
    "transposed": lambda a: np.transpose(a[:, 1:]) + 0,
    "with_axis": lambda a: a[:, None] * 2,
    "row": lambda a: a + a[0],
    "result_part": lambda a: np.sqrt(a)[1:] + 1,
    "diff": lambda a: np.diff(a),
    "diff_0": lambda a: np.diff(a, axis=0),
    "flip": lambda a: np.flip(a) + 1,
    "roll": lambda a: np.roll(a, 1, axis=0),
    "delete": lambda a: np.delete(a, 1, axis=0),
    "insert": lambda a: np.insert(a, 1, 0.0, axis=1),
    "pad": lambda a: np.pad(a, 1),
    "pad_edge": lambda a: np.pad(a, 1, mode="edge"),
    "concatenate": lambda a: np.concatenate((a, a[1:]), axis=0),
    "fft": lambda a: np.fft.fft(a),
    "partition": lambda a: np.partition(a, 2, axis=0),
    "modf": lambda a: np.modf(a)[1],
    "divmod": lambda a: np.divmod(a, 2)[0],
    "real": lambda a: (a + 1j).real + 1,
    "mean": lambda a: np.mean(a, axis=0),
    "total": lambda a: a[1:].sum(axis=-1),
    "greatest": lambda a: a[1:].max(axis=0, keepdims=True),
    "masked": lambda a: a[a > 2],
}

NEED_TWO = ("partition", "greatest", "delete", "row", "pad_edge", "mean")


def arrays():
    c = np.random.default_rng(5).random((9, 8)) * 9
    f = np.asfortranarray(c)
    cube = np.asfortranarray(np.random.default_rng(6).random((6, 7, 8)) * 9)
    return {
        "c": c,
        "f": f,
        "f_part": f[1:-1, 2:-1],
        "f_turned_round": f[::-1, ::-1],
        "f_steps": f[::2, ::3],
        "c_part": c[1:-1, 2:-1],
        "c_part_turned": c[1:-1, 2:-1].T,
        "one_row": f[2:3, 1:],
        "one_column": f[1:, 2:3],
        "empty": f[1:1, 1:],
        "cube": cube,
        "cube_part": cube[1:-1, 1:-1, 1:-1],
    }


def steps(a):
    """The strides of the axes that have any."""
    return tuple(s for s, n in zip(a.strides, a.shape, strict=True) if n > 1 and a.size)


@pytest.mark.parametrize("name", ELEMENTWISE)
def test_strides(name):
    plain = ELEMENTWISE[name]
    compiled = swathe.njit(plain)
    for which, a in arrays().items():
        if min(a.shape) < 2 and name in NEED_TWO:
            continue
        want, got = plain(a), compiled(a)
        np.testing.assert_allclose(got, want, err_msg=which)
        assert got.dtype == want.dtype
        no_order = name in ("transposed", "part_turned", "with_axis", "mean", "total", "greatest")
        if a.ndim == 2 or not no_order:
            assert steps(got) == steps(want), which


def test_in_place():
    def f(a, b):
        a[1:, 1:] += 1
        a[:2] = b[:2]
        v = a[:, 1:]
        v *= 2
        v[1:] -= b[1:, 1:].sum(axis=0)
        return a[1:].sum(), v.argmax(), v.min(axis=0)

    for a in arrays().values():
        if a.ndim == 2 and a.size and min(a.shape) > 1:
            x, y = a.copy(order="K"), a.copy(order="K")
            base = np.asfortranarray(np.pad(a, 1))
            for one, other in ((x, y), (base[1:-1, 1:-1], base.copy(order="K")[1:-1, 1:-1])):
                want, got = f(one, a), swathe.njit(f)(other, a)
                np.testing.assert_allclose(other, one)
                for p, q in zip(got, want, strict=True):
                    np.testing.assert_allclose(p, q)


def test_carried():
    @swathe.njit
    def halves(a):
        while a.shape[0] > 2:
            a = a[1:]
        b = a
        for _ in range(2):
            b = b.T
        return a * 2, b * 2

    f = np.asfortranarray(np.arange(20.0).reshape(5, 4))
    for a in (f, f.copy(), f[:, 1:], f.copy()[:, 1:], f[1:].T):
        want = a[-2:] * 2
        for got in halves(a):
            np.testing.assert_array_equal(got, want)
    assert steps(halves(f)[0]) == (8, 16)


def test_one_code_each():
    """Both orders are told apart at the call, each time."""

    @swathe.njit
    def twice(a):
        return a * 2

    c = np.arange(30.0).reshape(5, 6)
    f = np.asfortranarray(c)
    for _ in range(3):
        for a in (c[1:, 1:], f[1:, 1:], c, f, f[::-1], c[::-1]):
            got = twice(a)
            np.testing.assert_array_equal(got, a * 2)
            assert steps(got) == steps(a * 2)


def test_containers():
    @swathe.njit
    def f(xs, d, t):
        r = [x * 2 for x in xs]
        return r, d["a"] + 1, t[0] * 2, t[1] * 2

    c = np.arange(30.0).reshape(5, 6)
    f_part, c_part = np.asfortranarray(c)[1:, 1:], c[1:, 1:]
    for x, y in ((f_part, c_part), (c_part, f_part)):
        r, a, p, q = f([x, y], {"a": x}, (x, y))
        for got, want in ((r[0], x * 2), (r[1], y * 2), (a, x + 1), (p, x * 2), (q, y * 2)):
            np.testing.assert_array_equal(got, want)
        assert steps(p) == steps(x * 2)
        assert steps(q) == steps(y * 2)
