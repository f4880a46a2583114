# SPDX-License-Identifier: BSD-3-Clause
"""Distributions, in NumPy's streams: of np.random after a seed, of a Generator that is passed in,
and of one that np.random.default_rng makes in compiled code. To the bit."""

import numpy as np
import pytest
from test_more_numpy import defined

import swathe

# In one function each, so that each begins where the one before has left the stream.
CALLS = {
    "gammas": """
        standard_gamma(0.5); standard_gamma(1.0); standard_gamma(2.5); gamma(0.5, 2.0)
        gamma(3, 1.5, size=(2, 3)); beta(0.5, 0.5); beta(2, 3.0, size=4); chisquare(3)
        chisquare(0.5); noncentral_chisquare(3, 1.5); noncentral_chisquare(0.5, 1.5)
        noncentral_chisquare(3, 0); f(3, 4.5); noncentral_f(3, 4.0, 1.0)
        standard_t(3, size=2); gamma(a); beta(a, b[:, None])""",
    "others": """
        standard_cauchy(); standard_cauchy(2); vonmises(0.5, 2.0); vonmises(1, 1e-6, 3)
        vonmises(0, 0); pareto(3); weibull(2); power(2.0); laplace(); laplace(1, 2, size=3)
        gumbel(); logistic(1, 2); lognormal(); lognormal(1, 0.5, size=(2, 1)); rayleigh(2.0)
        wald(1, 2.0); triangular(-1, 0, 3); normal(a, 1.0); normal(0.0, a, size=(2, 3))
        uniform(a, a + 1); exponential(a); normal(size=0)""",
    "counts": """
        binomial(10, 0.3); binomial(100, 0.5, size=3); binomial(100, 0.9)
        negative_binomial(3, 0.4); geometric(0.1); geometric(0.5, size=4); zipf(1.5)
        zipf(4, size=(2, 2)); hypergeometric(5, 3, 4); hypergeometric(60, 70, 50, size=3)
        hypergeometric(600, 700, 1000); logseries(0.5); logseries(0.9, 3); binomial(k, 0.5)
        binomial(10, a / 10); poisson(a); multinomial(20, [0.2, 0.3, 0.5])
        multinomial(20, (0.2, 0.8), size=(2, 2)); dirichlet((0.5, 1.5, 3))
        dirichlet([0.01, 0.02, 0.03], size=2)""",
}
SOURCES = {
    "legacy": ("    np.random.seed(n)\n", "np.random"),
    "given": ("", "b"),
    "own": ("    g = np.random.default_rng(n)\n", "g"),
}


def same(x, y):
    if isinstance(x, tuple):
        return len(x) == len(y) and all(map(same, x, y))
    return type(x) is type(y) and np.array_equal(x, y)


def body(source, calls):
    begin, of = SOURCES[source]
    texts = [c.strip() for c in calls.replace("\n", ";").split(";")]
    texts = [c.replace("b[", "k[") for c in texts]
    return begin + "    return (" + ", ".join(f"{of}.{c}" for c in texts if c) + ")\n"


@pytest.mark.parametrize("kind", CALLS)
@pytest.mark.parametrize("source", SOURCES)
def test_streams(source, kind):
    f = defined(body(source, CALLS[kind]))
    a, k = np.array([0.5, 1.0, 2.5]), np.array([3, 10, 50])
    x, y = np.random.default_rng(9), np.random.default_rng(9)
    with np.errstate(all="ignore"):
        want = f(a, x, None, k, 12345)
        got = swathe.njit(opt_level=0)(f)(a, y, None, k, 12345)
    differ = [i for i, (p, q) in enumerate(zip(want, got)) if not same(p, q)]
    assert not differ, [(i, want[i], got[i]) for i in differ]
    assert x.bit_generator.state == y.bit_generator.state


def test_vectors():
    def f(n):
        np.random.seed(n)
        g = np.random.default_rng(n)
        m, c = np.array([0.0, 1.0]), np.array([[1.0, 0.5], [0.5, 2.0]])
        return np.random.multivariate_normal(m, c, 3), g.multivariate_normal(m, c), g.random()

    for p, q in zip(swathe.njit(f)(5), f(5)):
        assert np.allclose(p, q, rtol=1e-13, atol=1e-15)


def test_seeds():
    def f():
        return (
            np.random.default_rng(0).random(),
            np.random.default_rng([1, 2, 3]).random(),
            np.random.default_rng(2**40 + 5).random(),
            np.random.default_rng(np.arange(6)).integers(0, 100, size=3, dtype=np.uint8),
        )

    assert same(swathe.njit(f)(), f())
    g = swathe.njit(lambda: np.random.default_rng().random(4))
    assert not np.array_equal(g(), g())
    with pytest.raises(ValueError, match="non-negative"):
        swathe.njit(lambda n: np.random.default_rng(n).random())(-1)


def test_generators_come_back():
    def f(n):
        g = np.random.default_rng(n)
        g.integers(0, 9, dtype=np.int32)
        return g, g.random()

    (p, x), (q, y) = swathe.njit(f)(7), f(7)
    assert x == y and p.bit_generator.state == q.bit_generator.state
    assert swathe.njit(lambda g: g.gamma(2.0))(p) == q.gamma(2.0)


def test_own_generators_in_parallel():
    def f(n):
        out = np.zeros(n)
        for i in swathe.prange(n):
            g = np.random.default_rng(i)
            out[i] = g.normal() + g.gamma(2.0)
        return out

    assert np.array_equal(swathe.njit(parallel=True)(f)(9), f(9))


WRONG = {
    "gamma(-1.0)": "shape < 0",
    "beta(0.0, 1.0)": "a <= 0",
    "binomial(3, 1.5)": "p < 0, p > 1",
    "zipf(1.0)": "a <= 1",
    "triangular(2, 1, 3)": "left > mode",
    "hypergeometric(1, 1, 5)": "ngood",
    "multinomial(3, [0.9, 0.9, 0.9])": "sum",
    "normal(0, -1.0)": "scale < 0",
}


@pytest.mark.parametrize("text", WRONG)
def test_wrong_parameters(text):
    for f in (defined(f"    return np.random.{text}\n"), defined(f"    return b.{text}\n")):
        with pytest.raises(ValueError, match=WRONG[text]):
            swathe.njit(opt_level=0)(f)(1.0, np.random.default_rng(1), None, None, 0)
