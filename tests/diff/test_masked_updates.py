# SPDX-License-Identifier: BSD-3-Clause
"""a[m] = a[m] * 2 + b[m]: one mask on both sides, which one loop over all places does."""

import numpy as np
import pytest

import swathe


def alone(a, b, m, c):
    a[m] = a[m] * c


def two(a, b, m, c):
    a[m] = a[m] * c + b[m]


def other(a, b, m, c):
    a[m] = -b[m]


def by_test(a, b, m, c):
    a[a > c] = a[a > c] - c
    a[a < -c] = a[a < -c] + c


def by_test_of_another(a, b, m, c):
    a[(b > c) & (a != b)] = (a[(b > c) & (a != b)] + b[(b > c) & (a != b)]) * c


def added(a, b, m, c):
    a[m] += b[m] * c


def over(a, b, m, c):
    a[m] -= (a[m] + b[m]) * a[m]


def powers(a, b, m, c):
    a[m] = a[m] ** 2 - b[m] ** 2
    a[m] **= 2


def inverted(a, b, m, c):
    a[~m] = b[~m] - a[~m]


def onto_a_view(a, b, m, c):
    v = a[::-1]
    v[m] = v[m] + b[m]


def twins(a, b, m, c):
    """Looks alike, and is not: another mask, or a call, or what the mask does not select."""
    a[m] = a[m] + b[~m & m] if not m.any() else a[m]
    a[m] = np.sort(a[m]) + b[m]
    k = m.sum()
    a[m] = a[m] + b.ravel()[:k]


ALL = [
    alone,
    two,
    other,
    by_test,
    by_test_of_another,
    added,
    over,
    powers,
    inverted,
    onto_a_view,
    twins,
]
DTYPES = ["f8", "f4", "i8", "i4", "u1", "c16"]
SHAPES = [(0,), (1,), (7,), (33,), (3, 5), (4, 1), (2, 3, 4)]


def laid_out(x, layout):
    if layout == "F":
        return np.asfortranarray(x)
    if layout == "strided":
        wide = np.zeros((*x.shape[:-1], x.shape[-1] * 2), x.dtype)
        wide[..., ::2] = x
        return wide[..., ::2]
    if layout == "reversed":
        return x[::-1].copy()[::-1]
    return x.copy()


def arrays(dtype, shape, layout):
    rng = np.random.default_rng(len(shape) * 100 + sum(shape))
    a = (rng.normal(size=shape) * 20).astype(dtype)
    b = (rng.normal(size=shape) * 20).astype(dtype)
    return laid_out(a, layout), laid_out(b, layout), laid_out(rng.random(shape) < 0.5, layout)


def outcome(f, *args):
    try:
        with np.errstate(all="ignore"):
            f(*args)
    except Exception as e:
        return type(e), str(e).split("\n")[0]
    return None


def check(f, g, args):
    apart = [x.copy(order="K") if isinstance(x, np.ndarray) else x for x in args]
    want, got = outcome(f, *apart), outcome(g, *args)
    assert got == want
    for x, y in zip(args, apart, strict=True):
        np.testing.assert_array_equal(x, y)


CASES = [
    pytest.param(f, d, id=f"{f.__name__}-{d}")
    for f in ALL
    for d in DTYPES
    if d != "c16" or f not in (by_test, by_test_of_another)  # complex numbers have no order
]


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize(("f", "dtype"), CASES)
def test_forms(f, dtype, parallel):
    g = swathe.njit(parallel=parallel)(f)
    for shape in SHAPES:
        for layout in ("C", "F", "strided", "reversed"):
            check(f, g, (*arrays(dtype, shape, layout), dtype in ("f8", "f4", "c16") and 2.5 or 3))


@pytest.mark.parametrize("f", [two, other, added, inverted], ids=lambda f: f.__name__)
@pytest.mark.parametrize("sizes", [(5, 5, 4), (5, 4, 5), (4, 5, 5), (5, 1, 5), (1, 5, 1)])
def test_sizes_that_do_not_fit(f, sizes):
    a, b, m = (np.arange(1.0, n + 1) for n in sizes)
    check(f, swathe.njit(f), (a, b, m > 2, 2.0))


@pytest.mark.parametrize("f", [two, other, added], ids=lambda f: f.__name__)
@pytest.mark.parametrize("n", [1, 2, 9, 40])
def test_arrays_that_share_memory(f, n):
    def shared():
        x = np.arange(2.0 * n)
        return [
            (x[:n], x[:n], x[:n] % 3 < 2),
            (x[:n], x[1 : n + 1], x[:n] % 3 < 2),
            (x[1 : n + 1], x[:n], x[:n] % 3 < 2),
            (x[:n], x[:n][::-1], x[:n] % 3 < 2),
        ]

    g = swathe.njit(f)
    for got, want in zip(shared(), shared(), strict=True):
        f(*want, 2.0)
        g(*got, 2.0)
        np.testing.assert_array_equal(got[0], want[0])
        np.testing.assert_array_equal(got[1], want[1])


def of_bools(m):
    m[m] = ~m[m]
    return m


def in_mixed_dtypes(a, k, m):
    a[m] = a[m] + k[m]
    k[m] = k[m] * 2
    k[m] = a[m] - k[m]


def test_bools_and_mixed_dtypes():
    m = np.arange(9) % 2 == 0
    np.testing.assert_array_equal(swathe.njit(of_bools)(m.copy()), of_bools(m.copy()))
    a, k = np.linspace(-3, 3, 9), np.arange(9)
    b, j = a.copy(), k.copy()
    in_mixed_dtypes(a, k, m)
    swathe.njit(in_mixed_dtypes)(b, j, m)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(k, j)


def read_only(a, m):
    a[m] = a[m] + 1


def test_an_array_that_is_read_only():
    a = np.ones(4)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        swathe.njit(read_only)(a, a > 0)


@pytest.mark.parametrize("f", [alone, two, by_test, by_test_of_another])
def test_nothing_is_gathered(f):
    g = swathe.njit(f)
    a = np.ones(10)
    g(a, a + 1, a > 0, 2.0)
    (text,) = g.inspect_ir().values()
    assert "pick" not in text and "places" not in text
    assert f is not by_test or "alloc" not in text


def by_groups(x, group, a):
    for i in swathe.prange(len(x)):
        a[group == i] -= x[i]


def by_named_groups(x, group, a):
    for i in swathe.prange(len(x)):
        m = group == i
        a[m] = a[m].sum() + x[i]


def by_choice(x, group, a):
    for i in swathe.prange(len(x)):
        for j in range(len(a)):
            old = a[j]
            a[j] = x[i] if group[j] == i else old


@pytest.mark.parametrize("f", [by_groups, by_named_groups, by_choice])
@pytest.mark.parametrize("n", [0, 1, 31])
def test_elements_of_different_groups_in_parallel(f, n):
    rng = np.random.default_rng(n)
    group, x = rng.integers(0, 4, n), rng.random(4)
    a, b = np.arange(n, dtype=float), np.arange(n, dtype=float)
    f(x, group, a)
    swathe.njit(parallel=True)(f)(x, group, b)
    np.testing.assert_array_equal(a, b)


def all_of_them(x, group, a):
    for i in swathe.prange(len(x)):
        a[:] = x[i] * group


def test_the_same_elements_in_parallel():
    g = swathe.njit(parallel=True)(all_of_them)
    with pytest.raises(swathe.RaceError, match="each writes the same element of 'a'"):
        g(np.ones(4), np.ones(9), np.ones(9))
