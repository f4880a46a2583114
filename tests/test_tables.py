"""Long tuples and lists that are known: their elements at run time, and arrays of them."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import swathe
from swathe import njit, prange

N = 40
TABLES = {
    "ints": tuple(range(-20, 20)),
    "list": [i * 3 for i in range(N)],
    "floats": (float("inf"), -0.0, *(i * 0.1 for i in range(N - 2))),
    "complexes": tuple(complex(i, -i) for i in range(N)),
    "bools": tuple(i % 3 == 0 for i in range(N)),
    "uint64": tuple(np.uint64(2**64 - 1 - i) for i in range(N)),
    "int8": tuple(np.int8(i - 20) for i in range(N)),
    "float16": tuple(np.float16(i / 7) for i in range(N)),
    "float32": tuple(np.float32(i / 7) for i in range(N)),
    "complex64": tuple(np.complex64(complex(i, 1 / 3)) for i in range(N)),
    "strings": ("", "é", "日本", "😀x", *(f"w{i}" for i in range(N - 4))),
    "empty": ("",) * N,
    "bytes": tuple(b"ab%d" % i for i in range(N)),
    "none": tuple(None if i % 4 == 0 else i * 1.5 for i in range(N)),
    "none_text": tuple(None if i % 4 == 0 else f"s{i}" for i in range(N)),
    "pairs": tuple((f"k{i}", i, i * 0.5) for i in range(N)),
    "deep": tuple(((i, (f"a{i}",)), i % 2 == 0) for i in range(N)),
    "part_none": tuple((i, None if i % 3 else i * 0.5) for i in range(N)),
    "lists": [[i, i + 1] for i in range(N)],
    "dates": tuple(np.datetime64("2020-01-30") + i for i in range(N)),
}


@pytest.mark.parametrize("name", TABLES)
def test_elements_are_pythons(name):
    table = TABLES[name]

    @njit
    def f(k):
        return table[k]

    for k in (0, 1, 2, 3, N // 2, N - 1, -1, -N):
        got, want = f(k), table[k]
        assert repr(got) == repr(want) and type(got) is type(want)
    for k in (N, -N - 1):
        with pytest.raises(IndexError):
            f(k)


def test_elements_of_unlike_types_are_joined():
    table = tuple(i if i % 2 else i + 0.5 for i in range(N))
    f = njit(lambda k: table[k])
    assert [f(k) for k in range(N)] == [float(x) for x in table]


def test_one_table_serves_loops_and_names():
    ints, words, maybe = TABLES["ints"], TABLES["strings"], TABLES["none"]

    def f(x):
        total, at, text = 0, 0, ""
        for a in ints:
            total += a
        for k, w in enumerate(words):
            text = text + w
            at += k * len(w)
        word = words[x]
        x = 7
        for k in range(len(maybe)):
            v = maybe[k]
            if v is not None:
                total += int(v) + ints[k] + ints[x]
        return total, at, text, word, [words[3], words[x]], {words[x]: ints[-x]}

    assert njit(f)(5) == f(5)


def test_tables_are_read_side_by_side_and_in_kernels():
    ints, floats = TABLES["ints"], TABLES["floats"]

    @njit(parallel=True)
    def f(x):
        s = 0
        for i in prange(len(x)):
            x[i] = floats[int(x[i])]
            s += ints[i]
        return s

    @swathe.gpu.jit
    def g(out):
        i = swathe.gpu.grid(1)
        if i < out.size:
            out[i] = ints[i] + floats[i]

    x, out = np.arange(float(N)), np.zeros(N)
    assert f(x) == sum(ints) and x.tolist() == list(floats)
    g[2, 32](out)
    assert out.tolist() == [a + b for a, b in zip(ints, floats, strict=True)]


def test_what_is_not_known_is_halved():
    @njit
    def f(t, k):
        return t[k]

    t = tuple(x * 0.5 for x in range(100))
    assert [f(t, k) for k in range(-100, 100)] == [t[k] for k in range(-100, 100)]


M = 70
ARRAYS = {
    "ints": list(range(M)),
    "floats": tuple(i * 0.5 for i in range(M)),
    "special": [-0.0, float("nan"), float("inf")] * 30,
    "joined": [i if i % 2 else i + 0.5 for i in range(M)],
    "bools": [i % 3 == 0 for i in range(M)],
    "mixed": [True, 2] * M,
    "complexes": [1j * i for i in range(M)],
    "uint64": [np.uint64(2**64 - 1 - i) for i in range(M)],
    "float16": [np.float16(i / 3) for i in range(M)],
    "float32": [np.float32(i / 3) for i in range(M)],
    "rows": [[i, i + 1, i * 2] for i in range(M)],
    "blocks": [[[i, 1.5], [2, i]] for i in range(M)],
}


@pytest.mark.parametrize("name", ARRAYS)
def test_arrays_of_many_known_numbers(name):
    values = ARRAYS[name]

    def f(k):
        a, b = np.array(values), np.array(values, order="F")
        a[k] = a[k + 1]  # a copy, of which the next array knows nothing
        return a, b, np.array(values), np.asarray(values, dtype=np.complex128), np.max(values)

    for got, want in zip(njit(f)(3), f(3), strict=True):
        assert got.dtype == want.dtype and got.shape == want.shape
        np.testing.assert_array_equal(got, want)
        np.testing.assert_array_equal(np.signbit(got.real), np.signbit(want.real))


def test_arrays_in_loops_are_new_each_time():
    values = ARRAYS["ints"]

    @njit(parallel=True)
    def f(n):
        s = 0
        for i in prange(n):
            a = np.array(values)
            a[i] += 1000
            s += a.sum()
        return s

    assert f(M) == M * (sum(values) + 1000)


@pytest.mark.parametrize("width", [1, 3])
def test_a_string_is_one_of_many(width):
    words = tuple(chr(0x61 + k) * width for k in range(N)) + ("",) * (width > 1)

    @njit
    def f(x, y):
        n = 0
        for c in y:
            n += c * width in words
        return x in words, x not in words, (x + "!") in words, n

    for x in (words[0], words[N - 1], "", "a", "aa", "é", "zzzz"):
        want = x in words, x not in words, False, 2 + ("é" * width in words)
        assert f(x, "aéb") == want


@pytest.mark.parametrize("n", [2500, 60000])
def test_long_ones_take_no_stack(n):
    text = f"""
        import os, threading
        os.environ["SWATHE_CACHE_SIZE"] = "0"
        import numpy as np
        from swathe import njit
        n = {n}
        ints, pairs = list(range(n)), tuple((i, i + 0.5) for i in range(n))
        words = [f"w{{i}}" for i in range(n)]
        def f(k): return ints[k] + pairs[k][1]
        def g(k): return words[k]
        def h():
            s = 0.0
            for a, b in pairs:
                s += b - a
            return s
        def a(): return np.array(ints).sum() + np.sum(pairs)
        def b(x): return x in words
        def run():
            print(njit(f)(n - 1) == f(n - 1), njit(g)(n // 2) == g(n // 2), njit(h)() == h())
            print(njit(a)() == a(), njit(b)(f"w{{n - 1}}"), not njit(b)("w"))
        run()
        threading.stack_size(512 * 1024)
        t = threading.Thread(target=run)
        t.start()
        t.join()
    """
    file = "import linecache\n" + textwrap.dedent(text)
    code = (
        f"text = {file!r}\nimport linecache\n"
        "linecache.cache['<t>'] = (len(text), None, text.splitlines(True), '<t>')\n"
        "exec(compile(text, '<t>', 'exec'))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300)
    assert done.stdout.split() == ["True"] * 12, (done.returncode, done.stderr[-2000:])
