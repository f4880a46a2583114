# SPDX-License-Identifier: BSD-3-Clause
"""Random numbers on a device: cuRAND's stand-in, our own kernels, and the same numbers on the
host."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from vendor_libs import build, needs_cc, run

from swathe.vendor import random


@pytest.fixture(scope="module")
def libs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("vendor"), "curand")


CODE = """
from swathe.vendor import random as r
def host(a):
    return a.copy_to_host()

for dtype in ("f4", "f8"):
    g = r.Generator(seed=7)
    u = host(g.uniform(q.empty(20001, dtype)))
    assert u.min() > 0 and u.max() <= 1 and abs(u.mean() - 0.5) < 0.01
    assert abs(u.var() - 1 / 12) < 0.005
    n = host(g.normal(q.empty((101, 99), dtype), 2.0, 3.0))
    assert abs(n.mean() - 2) < 0.15 and abs(n.std() - 3) < 0.1
    e = host(g.lognormal(q.empty(10001, dtype), 0.5, 0.25))
    assert abs(np.log(e).mean() - 0.5) < 0.02 and abs(np.log(e).std() - 0.25) < 0.02
    part = q.zeros((50, 40), dtype)
    g.normal(part[::2, 1:])
    assert (host(part)[1::2] == 0).all() and (host(part)[::2, 1:] != 0).all()
for lam in (0.5, 3.0, 40.0, 500.0):
    p = host(g.poisson(q.empty(20000, "u4"), lam)).astype(float)
    assert abs(p.mean() - lam) < 5 * (lam / 20000) ** 0.5 + 1e-3, (lam, p.mean())
    assert abs(p.var() / lam - 1) < 0.1, (lam, p.var())
w = host(g.bits(q.empty(10001, "u4")))
assert abs(np.unpackbits(w.view("u1")).mean() - 0.5) < 0.01

# The same again by the seed, other numbers by another, the rest of a stream by its offset.
a, b, c = (host(r.Generator(s).normal(q.empty(1000))) for s in (3, 3, 4))
assert (a == b).all() and (a != c).all()
g = r.Generator(3)
first, second = host(g.uniform(q.empty(100))), host(g.uniform(q.empty(50)))
assert g.offset == 150
whole = host(r.Generator(3).uniform(q.empty(150)))
assert (whole[:100] == first).all() and (whole[100:] == second).all()
h = r.Generator(3)
h.offset = 100
assert (host(h.uniform(q.empty(50))) == second).all()
g.seed = 3
assert (host(g.uniform(q.empty(100))) == first).all()
g.uniform(q.empty(0))
raises(TypeError, "not of int64", g.uniform, q.empty(3, "i8"))
raises(TypeError, "not of float64", g.poisson, q.empty(3), 1.0)
raises(ValueError, "lam=0", g.poisson, q.empty(3, "u4"), 0)
raises(ValueError, "is none of", r.Generator, 0, "sobol")
raises(errors.QueueError, "host's", g.uniform, np.empty(3))
"""


@needs_cc
def test_curand(libs: Path, tmp_path: Path) -> None:
    more = """
lib = library("curand")
g, h = r.Generator(), r.Generator(kind="sobol32", dimensions=2)
before = lib.fake_vendor_alive()
for kind in r.KINDS:
    if kind not in ("test", "quasi") and "sobol" not in kind:
        r.Generator(1, kind).uniform(q.empty(8))
    elif "sobol" in kind:
        r.Generator(1, kind).bits(q.empty(8, "u8" if "64" in kind else "u4"))
assert lib.fake_vendor_alive() == before
x = host(h.uniform(q.empty(16)))
assert (x[:8] == x[8:]).all() and h.offset == 8
raises(ValueError, "no multiple of 2", h.uniform, q.empty(3))
other = swathe.Queue("cuda")
k = r.Generator(5, queue=other)
assert (host(k.normal(q.empty(7))) == host(r.Generator(5).normal(q.empty(7)))).all()
raises(errors.QueueError, "the generator is on", k.normal, swathe.Queue("cuda:1").empty(3))
lib.fake_vendor_fail(b"curandGenerateUniformDouble", 201)
raises(errors.LibraryError, "CURAND_STATUS_LAUNCH_FAILURE", k.uniform, q.empty(3))
del g, h, k, other
gc.collect()
assert lib.fake_vendor_alive() == 0, lib.fake_vendor_alive()
"""
    run(libs, tmp_path, CODE + more)


@needs_cc
def test_own_kernels(libs: Path, tmp_path: Path) -> None:
    more = """
for n in (1, 2, 101):  # the same on the host
    d, c = r.Generator(9), r.Generator(9)
    for dtype in ("f4", "f8"):
        close(d.uniform(q.empty(n, dtype)), c.uniform(np.empty(n, dtype)))
        close(d.normal(q.empty(n, dtype), 1, 2), c.normal(np.empty(n, dtype), 1, 2))
    close(d.bits(q.empty(n, "u4")), c.bits(np.empty(n, "u4")))
    close(d.poisson(q.empty(n, "u4"), 25.0), c.poisson(np.empty(n, "u4"), 25.0))
"""
    run(libs, tmp_path, CODE + more, with_libraries=False)


def test_on_the_host() -> None:
    g = random.Generator(1)
    x = g.normal(np.empty((30, 40)))
    assert abs(x.mean()) < 0.1 and abs(x.std() - 1) < 0.1
    y = np.zeros((4, 6))
    g.uniform(y[:, ::2])
    assert (y[:, ::2] > 0).all() and (y[:, 1::2] == 0).all()
    p = g.poisson(np.empty(5000, np.uint32), 4.0)
    assert abs(p.mean() - 4) < 0.2


def test_quasi_on_the_host() -> None:
    qmc = pytest.importorskip("scipy.stats.qmc")
    g = random.Generator(kind="sobol32", dimensions=3)
    x = g.uniform(np.empty(3 * 64)).reshape(3, 64)
    want = qmc.Sobol(3, scramble=False).random(64).T
    assert np.abs(x - want).max() < 1e-8
    rest = g.bits(np.empty(3 * 64, np.uint32)).reshape(3, 64)
    whole = qmc.Sobol(3, scramble=False).random(128).T
    assert np.array_equal(rest, (whole[:, 64:] * 2**32).astype(np.uint32))
    with pytest.raises(ValueError, match="no multiple"):
        g.uniform(np.empty(4))
