# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers: NumPy's streams to the bit, as many draws as the program makes and in its order,
a state for each thread."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.random import Generator, rand, randint

import swathe


def nest(n):
    np.random.seed(1)
    x, y = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            x[j, i] = np.random.random()
            y[i, j] = x[j, i] + np.random.normal()
    return x, y


def unused(n):
    np.random.seed(1)
    for _ in range(n):
        np.random.random()
    u = np.random.random()
    np.random.random(5)
    return u, np.random.random()


def branches(n):
    np.random.seed(2)
    t = 0.0
    for v in np.linspace(0, 1, 4 * n):
        if v > 0.5 and np.random.random() < v:
            t += np.random.random()
        else:
            t -= np.random.random() if v < 0.2 else 1.0
    return t, np.random.random()


def caught(n):
    np.random.seed(3)
    x = np.zeros(n)
    try:
        for i in range(2 * n):
            x[i] = np.random.random()
    except IndexError:
        pass
    return x, np.random.random()


def lists(n):
    np.random.seed(4)
    return [np.random.random() for _ in range(n)], np.array([np.random.normal() for _ in range(n)])


def arrays(n):
    np.random.seed(4)
    x = np.random.random(n) + np.random.random(n) * 2
    x += np.random.normal(0, 1, n)
    return x, np.random.random() - np.random.random(), np.random.randint(0, 9, (2, n))


def shuffled(n):
    np.random.seed(5)
    x = np.arange(n)
    np.random.shuffle(x)
    np.random.shuffle(x[1:])
    y = np.arange(3.0 * n).reshape(n, 3)
    np.random.shuffle(y)
    return x, y, np.random.permutation(x), np.random.permutation(y)


def draw():
    return np.random.standard_exponential()


def called(n):
    np.random.seed(6)
    return draw() - draw() * draw(), [draw() for _ in range(n)]


def chosen(n):
    np.random.seed(7)
    p = np.arange(1.0, n + 1) / np.arange(1.0, n + 1).sum()
    a = np.linspace(0, 1, n)
    return (
        np.random.choice(a, 5, True, p),
        np.random.choice(n, n // 2, False, p),
        np.random.choice(a, (2, 3)),
        np.random.choice(a, n, False),
        np.random.choice(a),
        np.random.random(),
    )


def generator(rng, n):
    s = 0.0
    for i in range(n):
        s += rng.random() - helper(rng, 3)
        if i % 3 and rng.integers(5) > 2:
            s *= rng.normal(2.0, 0.5)
    rng.random(5)
    return s, rng.random(n) - rng.random(n), rng.standard_normal()


def helper(rng, n):
    return rng.exponential(2.0, n).sum()


def two(rng, n):
    return twice(rng, rng, n)


def twice(a, b, n):
    return a.random(n), b.integers(9, size=n), a.random()


def rearranged(rng, n):
    x = np.arange(3.0 * n).reshape(n, 3)
    rng.shuffle(x)
    y = rng.permutation(x[0])
    return x, y, rng.permutation(x), rng.permutation(n), rng.choice(n, n // 2, False)


GENERATORS = [generator, two, rearranged]
DRAWS = [
    lambda r: (r.bytes(0), r.bytes(7), r.bytes(length=12), r.bytes(-1)),
    lambda r: r.random((2, 3)),
    lambda r: r.uniform(2, 5, 3),
    lambda r: r.normal(1, 2, 5),
    lambda r: r.standard_normal(4),
    lambda r: r.exponential(2.0, 3),
    lambda r: r.standard_exponential(),
    lambda r: r.poisson(3.5, 4),
    lambda r: r.poisson(3.5),
    lambda r: r.integers(7),
    lambda r: r.integers(2, 9, 5),
    lambda r: r.integers(2, 9, 5, endpoint=True),
    lambda r: r.integers(-(2**62), 2**62, 5),
    lambda r: r.integers(0, 2**32, 5),
    lambda r: r.integers(0, 100, 5, np.int32),
    lambda r: r.integers(0, 100, 5, np.int8),
    lambda r: r.integers(0, 100, 5, np.uint16),
    lambda r: r.integers(-5, 9, 0, np.uint16),
    lambda r: r.integers(9, 5, (2, 0)),
    lambda r: r.integers(0, 100, dtype=np.int16),
    lambda r: r.integers(0, 100, dtype=int),
    lambda r: r.choice(7),
    lambda r: r.choice(7, 5),
    lambda r: r.choice(7, 5, False),
    lambda r: r.choice(30000, 1000, False),
    lambda r: r.choice(30000, 100, False),
    lambda r: r.choice(np.array([1.5, 2.5, 3.5]), (2, 3)),
    lambda r: r.choice(np.arange(4), 6, True, np.array([0.1, 0.2, 0.3, 0.4])),
    lambda r: r.choice(np.arange(4), 3, False, np.array([0.1, 0.2, 0.3, 0.4])),
    lambda r: r.uniform(5, 2),
    lambda r: r.uniform(0, np.inf),
    lambda r: r.normal(0, -1),
    lambda r: r.integers(0),
    lambda r: r.integers(5, 3, endpoint=True),
    lambda r: r.poisson(-1),
    lambda r: r.choice(0),
    lambda r: r.choice(np.zeros(0)),
    lambda r: r.choice(7, 8, False),
    lambda r: r.choice(2, p=np.array([0.1, 0.2])),
    lambda r: r.choice(3, p=np.array([0.1, 0.9])),
    lambda r: r.choice(2, p=np.array([-0.1, 1.1])),
]
PROGRAMS = [nest, unused, branches, caught, lists, arrays, shuffled, called, chosen]


@pytest.mark.parametrize("options", [{}, {"parallel": True}, {"debug": True}])
@pytest.mark.parametrize("f", PROGRAMS)
def test_the_same_stream(f, options):
    for n in (1, 2, 9, 700 if f is unused else 30):
        want, got = f(n), swathe.njit(**options)(f)(n)
        for x, y in zip(want, got, strict=True):
            np.testing.assert_array_equal(x, y)


def test_held_against_the_interpreter():
    code = (
        "import sys; sys.path[:0] = sys.argv[1:]\n"
        "import swathe, test_numpy_random\n"
        "for f in test_numpy_random.PROGRAMS: swathe.njit(f)(9)\n"
        "from test_numpy_random import GENERATORS, np\n"
        "for f in GENERATORS: swathe.njit(f)(np.random.default_rng(1), 9)\n"
    )
    here = os.path.dirname(__file__)
    ran = subprocess.run(
        [sys.executable, "-c", code, here],
        capture_output=True,
        text=True,
        env={**os.environ, "SWATHE_CHECK": "2", "SWATHE_CACHE_SIZE": "0"},
    )
    assert ran.returncode == 0, ran.stderr


def test_ranges_of_integers():
    @swathe.njit
    def f(low, high, n):
        np.random.seed(8)
        return np.random.randint(low, high, n), np.random.randint(low, high)

    for low, high in (
        (0, 1),
        (-5, 3),
        (0, 2**32 - 1),
        (0, 2**32),
        (-(2**62), 2**62),
        (-(2**63), 2**63 - 1),
    ):
        np.random.seed(8)
        np.testing.assert_array_equal(f(low, high, 40)[0], np.random.randint(low, high, 40))
        assert f.py_func(low, high, 3)[1] == f(low, high, 3)[1]


@pytest.mark.parametrize("size", [0, (0,), (2, 0)])
def test_no_numbers_need_no_bounds(size):
    @swathe.njit
    def f(size, low, high):
        return np.random.randint(low, high, size, np.uint8), np.random.randint(low, high, size)

    for low, high in ((-5, 9), (5, 5), (9, 5), (0, 300)):
        for got, want in zip(f(size, low, high), f.py_func(size, low, high), strict=True):
            assert got.dtype == want.dtype and got.shape == want.shape


def test_names_are_the_functions():
    f = swathe.njit(lambda: (np.random.seed(1), rand(2), randint(50))[1:])
    for x, y in zip(f(), f.py_func(), strict=True):
        np.testing.assert_array_equal(x, y)
    with pytest.raises(swathe.UnsupportedError, match=r"numpy\.random\.bytes"):
        swathe.njit(lambda: np.random.bytes(1))()


@pytest.mark.parametrize(
    "f",
    [
        lambda: np.random.seed(-1),
        lambda: np.random.uniform(0, np.inf),
        lambda: np.random.normal(0, -1),
        lambda: np.random.exponential(-0.0),
        lambda: np.random.randint(0),
        lambda: np.random.randint(5, 3),
        lambda: np.random.randint(300, dtype=np.int8),
        lambda: np.random.randint(-1, 3, dtype=np.uint16),
        lambda: np.random.poisson(-1),
        lambda: np.random.random(-1),
        lambda: np.random.choice(0),
        lambda: np.random.choice(np.zeros(0)),
        lambda: np.random.choice(np.zeros((2, 2))),
        lambda: np.random.choice(5, 7, False),
        lambda: np.random.choice(2, p=np.array([0.1, 0.2])),
        lambda: np.random.choice(3, p=np.array([0.1, 0.9])),
        lambda: np.random.choice(2, p=np.array([-0.1, 1.1])),
        lambda: np.random.choice(2, p=np.array([np.nan, 1.0])),
        lambda: np.random.choice(2, 2, False, np.array([0.0, 1.0])),
    ],
)
def test_errors(f):
    with pytest.raises(Exception) as want:
        f()
    with pytest.raises(type(want.value)) as got:
        swathe.njit(f)()
    assert str(got.value).split("\n")[0] == str(want.value)


def test_a_stream_for_each_thread():
    @swathe.njit
    def begin(seed):
        np.random.seed(seed)

    @swathe.njit
    def more(n):
        return np.random.random(n)

    def both(seed):
        begin(seed)
        return np.concatenate([more(500) for _ in range(5)])

    want = [np.random.RandomState(s).random_sample(2500) for s in range(6)]
    with ThreadPoolExecutor(3) as pool:
        for got, w in zip(pool.map(both, range(6)), want, strict=True):
            np.testing.assert_array_equal(got, w)


def test_passes_may_draw_in_any_order_in_parallel_loops(monkeypatch):
    monkeypatch.setenv("SWATHE_CHECK", "2")

    @swathe.njit(parallel=True, cache=False)
    def f(n):
        a = np.empty(n)
        for i in swathe.prange(n):
            a[i] = np.random.random()
        return a

    assert f(500).shape == (500,)


def test_parallel_loops_draw_from_the_streams_of_their_threads():
    @swathe.njit(parallel=True)
    def f(n):
        x = np.empty(n)
        s = 0.0
        for i in swathe.prange(n):
            x[i] = np.random.random()
            s += x[i]
        return x, s

    x, s = f(200_000)
    assert len(np.unique(x)) == len(x)
    assert abs(s / len(x) - 0.5) < 0.01
    assert "in chunks, on all workers" in str(f.explain())


def test_what_is_not_seeded_is_different_each_time():
    code = "import numpy as np, swathe; print(swathe.njit(lambda: np.random.random())())"
    runs = {subprocess.check_output([sys.executable, "-c", code]) for _ in range(3)}
    assert len(runs) == 3


# --- generators as arguments ----------------------------------------------------------------

BITS = [np.random.PCG64, np.random.MT19937, np.random.Philox, np.random.SFC64]


@pytest.mark.parametrize("options", [{}, {"parallel": True}, {"debug": True}])
@pytest.mark.parametrize("f", GENERATORS)
def test_streams_of_generators(f, options):
    for bits in BITS:
        ours, theirs = np.random.Generator(bits(3)), np.random.Generator(bits(3))
        want, got = f(theirs, 30), swathe.njit(**options)(f)(ours, 30)
        for x, y in zip(want, got, strict=True):
            np.testing.assert_array_equal(x, y)
        assert ours.random() == theirs.random()


@pytest.mark.parametrize("f", DRAWS)
def test_draws_of_generators(f):
    compiled = swathe.njit(f)
    for bits in BITS[:2]:
        ours, theirs = np.random.Generator(bits(4)), np.random.Generator(bits(4))
        for _ in range(2):
            try:
                want = f(theirs)
            except Exception as e:
                with pytest.raises(type(e)) as got:
                    compiled(ours)
                assert str(got.value).split("\n")[0] == str(e)
                continue
            got = compiled(ours)
            assert type(got) is type(want)
            np.testing.assert_array_equal(got, want)
        assert ours.random() == theirs.random()


def test_generators_come_back_and_go_along():
    @swathe.njit
    def f(pair):
        return pair[1], pair[0] + pair[1].random()

    a, b = np.random.default_rng(5), np.random.default_rng(5)
    back, x = f((1.0, a))
    assert back is a
    assert x == 1.0 + b.random()


@pytest.mark.parametrize("sometimes", [False, True])
def test_parallel_loops_that_share_a_generator_are_refused(sometimes):
    def f(rng, x):
        for i in swathe.prange(len(x)):
            if not sometimes or x[i] > 0:
                x[i] = rng.normal()

    with pytest.raises(swathe.errors.RaceError, match="each draws from the Generator 'rng'"):
        swathe.njit(parallel=True)(f)(np.random.default_rng(1), np.zeros(9))


def test_what_generators_lack_is_named():
    rng = np.random.default_rng(1)
    for f, said in (
        (lambda r: r.spawn(2), "'spawn'"),
        (lambda r: r.normal(dtype=np.float32), "'dtype'"),
        (lambda r: r.integers(3, dtype=bool), "integer dtype"),
        (lambda r: r + 1, "Generator"),
    ):
        with pytest.raises(swathe.errors.CompileError, match=said):
            swathe.njit(f)(rng)

    def store(r):
        r[0][0] = 5

    with pytest.raises(ValueError, match="read-only"):
        swathe.njit(store)(rng)


def test_generators_from_the_cache(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import numpy as np, swathe\n"
        "f = swathe.njit(lambda r: (r.random(), r))\n"
        "print(f(np.random.default_rng(1)), f.stats['cache_hits'])\n"
    )
    env = {**os.environ, "SWATHE_CACHE_DIR": str(tmp_path / "cache"), "SWATHE_CACHE_SIZE": "64"}
    said = [
        subprocess.run([sys.executable, program], capture_output=True, text=True, env=env).stdout
        for _ in range(2)
    ]
    first = np.random.default_rng(1).random()
    assert [s.split(", ")[0] for s in said] == [f"({first}"] * 2
    assert [s.split()[-1] for s in said] == ["0", "1"]


@pytest.mark.parametrize("bits", [*BITS, np.random.PCG64DXSM])
def test_bits_that_compiled_code_makes(bits):
    def f(seed):
        r = Generator(bits(seed))
        first = r.random(3), r.integers(0, 100, 5), r.normal(size=3), r.random(dtype=np.float32)
        return (
            first,
            r.integers(0, 99, 3, dtype=np.uint32),
            np.random.default_rng(bits(seed)).random(),
        )

    def made(seed):
        r = np.random.Generator(bits(seed))
        r.integers(0, 9, dtype=np.uint32)  # half of a number is left
        return r

    g = swathe.njit(f)
    for seed in (0, 42, 2**40 + 3):
        for x, y in zip(flat(f(seed)), flat(g(seed)), strict=True):
            np.testing.assert_array_equal(x, y)
    ours, theirs = swathe.njit(made)(5), made(5)
    assert type(ours.bit_generator) is bits
    assert ours.integers(0, 9, dtype=np.uint32) == theirs.integers(0, 9, dtype=np.uint32)
    assert ours.random() == theirs.random()
    assert swathe.njit(lambda: Generator(bits()).random(2).size)() == 2


def test_words_of_a_mersenne_twister_are_a_random_state():
    def f(seed):
        return np.random.RandomState(np.random.MT19937(seed)).randn(3)

    np.testing.assert_array_equal(swathe.njit(f)(3), f(3))


def flat(t):
    return [y for x in t for y in (flat(x) if isinstance(x, tuple) else [x])]


def test_generator_over_its_bits():
    def f(seed):
        bits = np.random.PCG64(seed)
        a, b = np.random.Generator(bits), np.random.default_rng(bits)
        return a.random(), b.normal(), np.random.Generator(np.random.PCG64()).random(2).size

    def other():
        return np.random.Generator(3)

    assert swathe.njit(f)(5) == f(5)
    with pytest.raises(swathe.StaticError, match="takes PCG64"):
        swathe.njit(other)()
