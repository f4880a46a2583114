# SPDX-License-Identifier: BSD-3-Clause
"""np.random.RandomState made in compiled code: NumPy's numbers, apart from np.random's own stream,
whatever raises in between, in helpers, containers, instances and parallel loops."""

import numpy as np
import pytest
from numpy.random import RandomState

import swathe
from swathe import prange


def all_methods(n):
    rs = np.random.RandomState(42)
    a = np.arange(n)
    rs.shuffle(a)
    return (
        a,
        (rs.rand(n), rs.rand(), rs.randn(n, 2), rs.randn(), rs.random(2), rs.random_sample()),
        (rs.randint(0, 10, size=n), rs.randint(5), rs.randint(0, 255, 4, dtype=np.uint8)),
        (rs.normal(0, 1, 3), rs.normal(), rs.standard_normal((2, 2)), rs.uniform(-1, 1)),
        (rs.permutation(n), rs.choice(n, 2), rs.choice(a, 3, replace=False), rs.poisson(3, 2)),
        (rs.exponential(2.0), rs.standard_exponential(2), rs.gamma(2.0, size=2), rs.beta(1, 2)),
        (rs.binomial(10, 0.5, 3), rs.geometric(0.3), rs.multinomial(5, [0.2, 0.8]), rs.zipf(2)),
        (rs.dirichlet([1, 2, 3]), rs.laplace(), rs.lognormal(), rs.triangular(0, 1, 2)),
        (rs.vonmises(0, 1), rs.standard_t(3), rs.wald(1, 2), rs.chisquare(3), rs.weibull(2)),
    )


def apart(n):
    """Two of one seed, np.random between them, and an exception on the way."""
    a, b = np.random.RandomState(1), np.random.RandomState(1)
    np.random.seed(3)
    first = np.random.rand()
    s = 0.0
    for _ in range(n):
        s += a.normal() - b.normal()
        s += np.random.rand()
    caught = 0
    try:
        a.normal(0, -1)
    except ValueError:
        caught += 1
    return s, first, caught, np.random.rand(), a.rand(), b.rand()


def drawn(rs, n):
    return rs.randint(0, 9, n)


class Walk:
    def __init__(self, seed):
        self.rs = np.random.RandomState(seed)
        self.x = 0.0

    def step(self):
        self.x += self.rs.normal()
        return self.x


def passed_on(n):
    rs = np.random.RandomState(n)
    other = rs
    walk = Walk(n)
    kept = [np.random.RandomState(k) for k in range(3)]
    maybe = None
    if n > 2:
        maybe = np.random.RandomState(seed=9)
    rs.seed(n + 1)
    return (
        (drawn(rs, n), drawn(other, n), walk.step(), walk.step()),
        (kept[1].rand(), kept[1].rand(), maybe.rand() if maybe is not None else 0.0),
    )


def in_parallel(n):
    out = np.empty(n)
    for i in prange(n):
        rs = np.random.RandomState(i)
        out[i] = rs.randn() + rs.rand()
    return out


def shared_in_parallel(n):
    rs = np.random.RandomState(5)
    out = np.empty(n)
    for i in prange(n):
        out[i] = rs.rand()
    return out


def same(a, b):
    if isinstance(b, tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(same, a, b))
    return (
        type(a) is type(b) and np.asarray(a).dtype == np.asarray(b).dtype and np.array_equal(a, b)
    )


@pytest.mark.parametrize("f", (all_methods, apart, passed_on, in_parallel, shared_in_parallel))
def test_is_numpys_stream(f):
    assert same(swathe.njit(parallel="parallel" in f.__name__)(f)(5), f(5))


def test_is_numpys_in_python():
    @swathe.njit
    def made(seed):
        rs = np.random.RandomState(seed)
        return rs, rs.randn()

    rs, first = made(7)
    want = np.random.RandomState(7)
    assert type(rs) is np.random.RandomState and first == want.randn()
    assert rs.randn() == want.randn() and rs.rand() == want.rand()


def test_seeds_that_are_refused():
    @swathe.njit
    def made(seed):
        return np.random.RandomState(seed).rand()

    with pytest.raises(ValueError, match="Seed must be between"):
        made(-1)
    with pytest.raises(swathe.StaticError, match="must be an integer"):
        made(np.array([1, 2]))
    assert 0 <= swathe.njit(lambda: np.random.RandomState().rand())() < 1


# ---- those of NumPy's as arguments ---------------------------------------------------------


def some(rs):
    return rs.rand(2), rs.randn(3), rs.randn(), rs.randint(0, 9, 4), rs.permutation(4), rs.normal()


def seeded_again(rs):
    rs.seed(5)
    return rs.rand(), rs.randn()


def beside_itself(a, b):
    return a.rand() - b.rand(), a.randn() - b.randn()


def check_random_state(seed):
    if seed is None:
        return RandomState(0).rand()
    elif isinstance(seed, int):
        rs = np.random.RandomState(seed)
    else:
        rs = seed
    return rs.rand()


def same_state(a, b):
    s, t = a.get_state(), b.get_state()
    return s[0] == t[0] and np.array_equal(s[1], t[1]) and s[2:] == t[2:]


class Sampler:
    def __init__(self, rng):
        self.rng = rng

    def draw(self):
        return self.rng.normal(size=3)


def drawn_by(sampler):
    return sampler.draw()


@pytest.mark.parametrize("odd", [False, True])
@pytest.mark.parametrize("f", [some, seeded_again, check_random_state])
def test_argument_is_drawn_from_in_place(f, odd):
    ours, theirs = np.random.RandomState(3), np.random.RandomState(3)
    if odd:  # a second normal number is left
        assert ours.randn() == theirs.randn()
    for _ in range(4):
        assert same(swathe.njit(f)(ours), f(theirs))
        assert same_state(ours, theirs)


def test_argument_is_one_object_however_it_comes():
    ours, theirs = np.random.RandomState(4), np.random.RandomState(4)
    assert same(swathe.njit(beside_itself)(ours, ours), beside_itself(theirs, theirs))
    assert same(swathe.njit(lambda t: t[1].randn(3))((1, ours)), theirs.randn(3))
    assert same(swathe.njit(drawn_by)(Sampler(ours)), drawn_by(Sampler(theirs)))
    assert swathe.njit(lambda rs: rs)(ours) is ours
    assert swathe.njit(check_random_state)(None) == check_random_state(None)
    assert swathe.njit(check_random_state)(7) == check_random_state(7)
    assert same_state(ours, theirs)


@pytest.mark.parametrize("make", [np.random.RandomState, np.random.default_rng])
def test_in_containers_and_objects(make):
    def by_name(d):
        return d["rng"].normal(size=2)

    def through(sources):
        s = 0.0
        for rs in sources:
            s += rs.normal()
        return s

    def swapped(sources):
        sources[0], sources[1] = sources[1], sources[0]

    a, b, c, d = make(3), make(3), make(4), make(4)
    assert same(swathe.njit(by_name)({"rng": a}), by_name({"rng": b}))
    assert same(swathe.njit(by_name)({"rng": a, "n": 2}), by_name({"rng": b, "n": 2}))
    assert swathe.njit(through)([a, c, a]) == through([b, d, b])
    f, ours, theirs = swathe.njit(drawn_by), Sampler(a), Sampler(b)
    for _ in range(3):
        assert same(f(ours), drawn_by(theirs)) and ours.rng is a
    sources = [a, c]
    swathe.njit(swapped)(sources)
    assert sources[0] is c and sources[1] is a
    assert [x is y for x, y in zip(swathe.njit(lambda x: x)(sources), (c, a), strict=True)] == [
        True,
        True,
    ]
    assert a.normal() == b.normal()


def test_argument_after_an_exception():
    @swathe.njit
    def f(rs):
        rs.randn()
        rs.normal(0, -1)

    ours, theirs = np.random.RandomState(4), np.random.RandomState(4)
    with pytest.raises(ValueError, match="scale < 0"):
        f(ours)
    theirs.randn()
    assert same_state(ours, theirs)


def test_arguments_that_are_refused():
    f = swathe.njit(lambda rs: rs.rand())
    with pytest.raises(swathe.ArgumentTypeError, match="MT19937"):
        f(np.random.RandomState(np.random.PCG64(1)))

    @swathe.njit
    def made(seed):
        return np.random.RandomState(np.random.PCG64(seed)).rand()

    with pytest.raises(ValueError, match="MT19937"):
        made(1)
