# SPDX-License-Identifier: BSD-3-Clause
"""Lazy arrays: what becomes one function, when it runs, and what assignments do."""

from __future__ import annotations

import copy
import gc
import os
import pickle
import re
import subprocess
import sys
import threading
import weakref

import numpy as np
import pytest

import swathe
from swathe import xp
from swathe._lazy import emit, graph
from swathe._lazy.array import node_of

X = np.linspace(-2, 3, 600).reshape(20, 30)


@pytest.fixture
def plans(monkeypatch):
    """The functions that are made."""
    monkeypatch.setattr(graph, "_plans", {})
    return graph._plans


def texts(plans) -> list[str]:
    return [p.text for p in plans.values()]


def statements(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines()[1:]]


def test_nothing_is_computed_before_a_value_is_asked_for(plans):
    x = swathe.lazy(X)
    y = xp.sin(x) * 2.0 + xp.sum(x)
    assert y.shape == (20, 30) and y.dtype == xp.float64 and y.ndim == 2 and y.size == 600
    assert not plans and node_of(y).op == "add"
    got = np.asarray(y)
    assert len(plans) == 1 and node_of(y).op is None
    assert np.asarray(y) is got and not got.flags.writeable
    assert np.allclose(got, np.sin(X) * 2 + X.sum())


ASK = [float, int, bool, complex, str, repr, format, np.asarray, np.from_dlpack,
       lambda x: f"{x:.3f}", lambda x: x.compute()]  # fmt: skip


@pytest.mark.parametrize("ask", ASK)
def test_what_asks_for_values(ask):
    x = xp.sum(swathe.lazy(X))
    ask(x)
    assert node_of(x).op is None


def test_a_loop_over_steps_compiles_once(plans):
    x = swathe.lazy(X[0])
    for k in range(2, 9):
        x = x * (0.5 / k) + k
        x = x[1:] - x[:-1] * float(k)
        x.compute()
    assert len(plans) == 1 and next(iter(plans.values())).launches == 7


def test_operands_that_are_one_are_told_apart_from_two(plans):
    a, b = swathe.lazy(X), swathe.lazy(X * 2)
    assert np.array_equal(a * a, X * X) and np.array_equal(a * b, X * X * 2)
    assert len(plans) == 2
    assert np.array_equal(b * a, X * X * 2) and len(plans) == 2


def test_common_and_dead_nodes(plans):
    x = swathe.lazy(X)
    dead = xp.cos(x)
    two = 2.0
    y = xp.sin(x * two) + xp.sin(x * two) * xp.exp(x)
    xp.compute(y, xp.sin(x * two))
    (text,) = texts(plans)
    assert text.count("sin") == 1 and "cos" not in text and text.count("a0 *") == 1
    assert node_of(dead).op == "cos"


def test_graphs_are_let_go():
    x = swathe.lazy(X) + 1.0
    y = x * 2.0
    gone = weakref.ref(x)
    gc.disable()
    try:
        y.compute()
        del x
        assert gone() is None and node_of(y).args == ()
    finally:
        gc.enable()


def test_a_graph_without_end_is_computed_on_the_way(plans):
    x = swathe.lazy(X[0])
    for _ in range(500):
        x = x * 0.5 + 1.0
    assert node_of(x).depth <= 100 and 1 <= len(plans) <= 3
    assert np.allclose(x, 2.0)


def test_a_graph_without_end_that_branches(plans):
    """What is cut in the middle is computed once for all that stands on it."""
    x, a = X[0], swathe.lazy(X[0])
    for _ in range(8):
        x, a = x * 0.5, a * 0.5
    for _ in range(15):
        parts = [f(a) * 0.25 for f in (xp.sin, xp.abs, xp.floor, xp.square, xp.trunc)]
        a = parts[0] + parts[1] + parts[2] + parts[3] + parts[4] + 0.125
        parts = [f(x) * 0.25 for f in (np.sin, np.abs, np.floor, np.square, np.trunc)]
        x = parts[0] + parts[1] + parts[2] + parts[3] + parts[4] + 0.125
    assert node_of(a).depth <= 100 and len(plans) <= 2
    assert np.allclose(a, x)


def test_a_loop_without_end_is_cut_where_a_step_ends(plans):
    u, v, p = swathe.lazy(X), swathe.lazy(X), swathe.lazy(X)
    w, z, q = X, X, X
    for _ in range(60):
        p[1:-1, :] = p[1:-1, :] + (u[2:, :] - u[:-2, :]) * 0.01
        u, v = u + p * 0.01, v * 0.99 + u * 0.01
    for _ in range(60):
        q = q.copy()
        q[1:-1, :] = q[1:-1, :] + (w[2:, :] - w[:-2, :]) * 0.01
        w, z = w + q * 0.01, z * 0.99 + w * 0.01
    xp.compute(u, v, p)
    assert len(plans) <= 6
    assert np.allclose(u, w) and np.allclose(v, z) and np.allclose(p, q)


def test_wide_and_shared(plans):
    parts = [swathe.lazy(X) * float(k) for k in range(150)]
    total = parts[0]
    for p in parts[1:]:
        total = total + p
    assert np.allclose(total, X * sum(range(150)))
    a = b = swathe.lazy(X[0])
    for _ in range(130):
        a, b = a * 0.5 + b, b - a * 0.25
    x = y = X[0]
    for _ in range(130):
        x, y = x * 0.5 + y, y - x * 0.25
    assert np.allclose(a, x) and np.allclose(b, y)


def test_bytes_in_another_order():
    assert np.array_equal(swathe.lazy(X.astype(">f8")) * 2.0, X * 2)


def softmax(m, x):
    e = m.exp(x - m.max(x, axis=-1, keepdims=True))
    return e / m.sum(e, axis=-1, keepdims=True)


def layer_norm(m, x):
    d = x - m.mean(x, axis=1)[:, None]
    return d / m.sqrt(m.var(x, axis=1)[:, None] + 1e-5) * x[0] + x[:, :1]


def two_results(m, x):
    s = m.sum(x * x, axis=1)
    return m.sqrt(s) + s[:, None] * 2.0


def by_columns(m, x):
    return (x - m.mean(x, axis=0)) / m.std(x, axis=0)


@pytest.mark.parametrize("f", [softmax, layer_norm, two_results, by_columns])
def test_rows_one_after_another(f, plans):
    """Where nothing mixes rows there is one loop over them; sizes that fit coincide by chance."""
    for rows, columns in ((20, 40), (50, 50), (9, 33), (40, 40)):
        x = np.sin(np.arange(rows * columns) * 0.7).reshape(rows, columns)
        assert np.allclose(f(xp, swathe.lazy(x)), f(np, x))
    assert ("for i in prange" in texts(plans)[0]) == (f in (softmax, layer_norm))
    assert not any(p.refused for p in plans.values())


def test_library_calls_cut_a_graph(plans):
    x = swathe.lazy(X[:3, :3])
    y = xp.linalg.inv(x @ x.mT + 9.0 * xp.eye(3)) * 2.0
    said = y.explain()
    assert "library call: matmul" in said and "library call: linalg.inv" in said
    assert np.allclose(y, np.linalg.inv(X[:3, :3] @ X[:3, :3].T + 9 * np.eye(3)) * 2)
    assert len(plans) == 2


def test_an_error_of_a_library_call_names_the_line():
    with pytest.raises(np.linalg.LinAlgError) as caught:
        xp.linalg.cholesky(-xp.eye(3)).compute()
    if hasattr(caught.value, "__notes__"):  # Python 3.11
        assert "test_lazy.py:" in caught.value.__notes__[0]


def test_drawings():
    x = swathe.lazy(X)
    y = xp.sum(xp.sqrt(x + 2.5), axis=0)
    svg = y._repr_svg_()
    assert svg.startswith("<svg") and svg.rstrip().endswith("</svg>")
    assert svg.count("<rect") == 4 and svg.count("<path") == 3 and "sum, axis 0" in svg
    assert re.search(r"<title>.*test_lazy.py:\d+</title>", svg)
    past = str((xp.exp(x + 2.5) + x).graph())  # an edge from x past two rows, beside their boxes
    assert past.count("<path") == 4 and f'width="{150 + 2 * 16 + 4 * 16}"' in past
    said = y.explain()
    assert "a graph of 4 nodes: 1 array, 2 functions of elements, 1 reduction" in said
    assert "not compiled yet" in said and "np.sqrt((a0 + s1))" in said


def test_what_cannot_be_compiled_is_done_by_numpy(monkeypatch, plans):
    from swathe.errors import CompileError

    def refuse(self, *args):
        raise CompileError("no such thing")

    x = swathe.lazy(X) * 2.0
    key, leaves, order, _ = graph.linear([node_of(x)])
    plan = graph.plan_of(key, [node_of(x)], order)
    monkeypatch.setattr(plan, "_compiled", refuse.__get__(plan))
    assert np.array_equal(x, X * 2) and plan.refused == "no such thing"
    assert isinstance(plan, emit.Plan) and leaves[0] is not None


# ---- assignments ----


def alias(m, x):
    y = x
    x[0] = 5.0
    x += 1.0
    return y, x


def view_of(m, x):
    row, turned, number, part = x[1], x.T, x[1, 2], x[1, 3, ...]
    x[1, 2:] = -1.0
    turned[0, :] = 7.0
    return row, x, turned, number, part


def chain_of_views(m, x):
    v = m.flip(x[1:].T, axis=0)[:, ::2]
    v += x[0, 0]
    v[2] = v[3] * 2.0
    return x, v


def node_views(m, x):
    y = m.sin(x)
    v = y[:, 1]
    y *= 2.0
    v[:] = y[:, 0]
    return v, y, x


def masks(m, x):
    x[x > 1] = 0.5
    x[x[:, 0] < 0] = m.sum(x)
    y = m.asarray(x, copy=True)
    y[y < 0] = y[y < 0] * 2.0
    y[m.asarray([0, 1]), m.asarray([2, 2])] = m.asarray([8.0, 9.0])
    return x, y


def vectors(m, x):
    y = x[0] + 0.0
    z = m.reshape(y, (5, 6))
    z[1] = 0.25
    y[::7] = m.flip(y)[::7]
    return y, z


@pytest.mark.parametrize("f", [alias, view_of, chain_of_views, node_views, masks, vectors])
def test_assignments_are_seen_as_in_numpy(f):
    kept = X.copy()
    for got, want in zip(f(xp, swathe.lazy(X)), f(np, X.copy()), strict=True):
        assert np.allclose(got, want), (got, want)
    assert np.array_equal(X, kept)  # the array that was made lazy keeps what it has


def test_old_values_stay():
    x = swathe.lazy(X) + 0.0
    y = x * 2.0
    x[...] = 0.0
    assert np.array_equal(y, X * 2) and not np.asarray(x).any()


def test_reshaped_arrays_are_refused_where_numpy_might_share():
    x = swathe.lazy(X) * 1.0
    y = xp.reshape(x, (-1,))
    x[0] = 1.0
    with pytest.raises(ValueError, match="after it was reshaped"):
        y.compute()
    x = swathe.lazy(X) * 1.0
    y = xp.reshape(x, (-1,))
    y[0] = 1.0
    assert y[0] == 1.0
    with pytest.raises(ValueError, match="was reshaped"):
        x.compute()
    z = xp.reshape(y, (30, 20), copy=True)
    z[0] = 2.0
    assert y[1] == X[0, 1]


# ---- other libraries ----


def test_memory_is_shared_with_others():
    a = np.arange(6.0)
    x = xp.asarray(a)
    assert np.shares_memory(np.asarray(x), a) and np.shares_memory(xp.from_dlpack(a).compute(), a)
    assert not np.shares_memory(np.asarray(xp.asarray(a, copy=True)), a)
    assert np.shares_memory(np.asarray(x[::2]), a)
    back = np.from_dlpack(x * 2.0)
    assert np.array_equal(back, a * 2) and x.__dlpack_device__() == a.__dlpack_device__()
    assert np.array(x, dtype=np.float32).dtype == np.float32 and len(x) == 6
    assert [float(v) for v in x] == a.tolist()
    with pytest.raises(ValueError):
        np.array(xp.ones(3), dtype=np.int8, copy=False)
    with pytest.raises(TypeError, match="dtypes of the array API"):
        swathe.lazy(np.array(["a"]))


def test_matrix_operators():
    x = swathe.lazy(X[:3, :3])
    y = x + 0.0
    y @= x
    assert np.allclose(y, X[:3, :3] @ X[:3, :3])
    with pytest.raises(TypeError):
        x @ 2.0
    assert range(5)[xp.asarray(3)] == 3 and [10, 20][xp.asarray(1)] == 20
    with pytest.raises(TypeError):
        range(5)[xp.asarray(1.0)]


def test_numbers_of_numpy_have_a_dtype():
    x = swathe.lazy(X[0].astype(np.float32))
    assert (x * np.float64(2)).dtype == xp.float64 == (np.float64(2) * x).dtype
    assert (x * np.float32(2)).dtype == xp.float32 == (x * 2.0).dtype


def test_integers_beyond_a_dtype_compare():
    x = xp.asarray([1, 200], dtype=xp.uint8)
    for got, want in ((x < 300, True), (x > 300, False), (x != -1, True), (-1 < x, True),
                      (300 <= x, False), (x == 1000, False)):  # fmt: skip
        assert np.asarray(got).tolist() == [want] * 2


def test_threads_may_share_a_graph():
    shared = swathe.lazy(X) * 2.0
    for _ in range(4):
        shared = xp.sin(shared) + shared @ shared.mT @ shared * 1e-4
    got: list[np.ndarray] = []

    def work(k: int) -> None:
        got.append(np.asarray(xp.sum(shared * float(k)) / float(k)))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(1, 9)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    want = np.sum(np.asarray(shared))
    assert len(got) == 8 and np.allclose(got, want)


def test_copies_and_pickles():
    x = swathe.lazy(X) + 1.0
    for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
        y[0] = 3.0
        assert np.array_equal(x, X + 1) and np.array_equal(y[1:], X[1:] + 1)


LIBRARY = """
import scipy.special
import numpy as np
from swathe import xp
x = np.sin(np.arange(12.0)).reshape(3, 4)
for f in (scipy.special.softmax, scipy.special.logsumexp):
    got = f(xp.asarray(x), axis=1)
    assert type(got).__name__ == "LazyArray" and np.allclose(got, f(x, axis=1))
"""


def test_libraries_written_for_the_standard():
    pytest.importorskip("scipy")
    environment = {**os.environ, "SCIPY_ARRAY_API": "1"}
    subprocess.run([sys.executable, "-c", LIBRARY], env=environment, check=True, timeout=300)


def test_fuse(plans):
    @swathe.fuse
    def scaled(x, by):
        return x * by, xp.mean(x)

    both = swathe.fuse(scaled, lambda y, mean: y - mean)
    got = both(X, by=2.0)
    assert scaled.__name__ == "scaled" and type(got) is np.ndarray and len(plans) == 1
    assert np.allclose(got, X * 2 - X.mean())
    y, mean = scaled(swathe.lazy(X), 2.0)
    assert node_of(y).op == "multiply" and node_of(mean).op == "mean"
    assert [type(v) for v in scaled(X, 2.0)] == [np.ndarray, np.ndarray]
    for wrong in ((), (3,)):
        with pytest.raises(TypeError, match="fuse()"):
            swathe.fuse(*wrong)


def test_no_fuse(plans):
    y = xp.sum(xp.sin(swathe.lazy(X)) * 2.0, axis=0)
    with swathe.no_fuse():
        got = np.asarray(y)
    assert len(plans) == 3 and np.allclose(got, (np.sin(X) * 2).sum(axis=0))
    np.asarray(xp.sin(swathe.lazy(X)) * 2.0)
    assert len(plans) == 4


SCHEDULED = [
    lambda m, x: x * 2.0 > 1.0,
    lambda m, x: m.sum(x * x),
    lambda m, x: m.exp(x - m.max(x, axis=-1, keepdims=True)),
]


@pytest.mark.parametrize("f", SCHEDULED)
def test_schedules(f):
    how = swathe.par({"axis0": swathe.threads(2).reduce(), "axis1": swathe.seq()})
    got = f(xp, swathe.lazy(X)).compute(schedule=how)
    assert np.allclose(got, f(np, X)) and got.dtype == f(np, X).dtype


def test_wrong_schedules():
    x = swathe.lazy(X) * 2.0
    with pytest.raises(ValueError, match="there are: 'axis0', 'axis1'"):
        x.compute(schedule=swathe.par({"axis7": swathe.seq()}))
    with pytest.raises(TypeError, match="what par"):
        xp.compute(x, schedule=3)
    assert np.array_equal(x, X * 2)


def test_errors_name_the_line_that_made_the_node():
    singular = xp.linalg.inv(swathe.lazy(np.zeros((2, 2))))
    with pytest.raises(np.linalg.LinAlgError) as caught:
        np.asarray(singular + 1.0)
    notes = getattr(caught.value, "__notes__", ["test_lazy.py"])
    assert "test_lazy.py" in notes[0]


def test_errors_of_compiled_graphs_name_the_line():
    """Of all that is compiled, only powers of integers look at values."""
    base, power = xp.asarray([2, 3]), xp.asarray([1, -1])
    found = xp.pow(base + 1, power)
    with pytest.raises(ValueError, match="negative integer powers") as caught:
        np.asarray(found * 2)
    notes = getattr(caught.value, "__notes__", ["pow() test_lazy.py:"])
    assert len(notes) == 1 and "pow()" in notes[0] and "test_lazy.py:" in notes[0]


def test_operands_that_are_none():
    """What the operators written in C leave to Python's rules."""
    x = swathe.lazy(X)
    assert (x == "a") is False and (x != None) is True  # noqa: E711
    for wrong in (lambda: x + "a", lambda: None - x, lambda: x < [], lambda: pow(x, 2, 3)):
        with pytest.raises(TypeError, match="unsupported operand|not supported"):
            wrong()
    n = x + 1
    for _ in range(2):  # by way of Python, and then without
        assert np.array_equal(2 - x, 2 - X) and np.allclose(x**2.0, X**2)
        assert np.array_equal(np.float64(3.0) * x, 3 * X) and np.array_equal(x * 2**60, X * 2**60)
    assert np.array_equal(n, X + 1)


ONE = {
    "of an array": lambda m, x: x[0, 1, ...],
    "squeezed": lambda m, x: m.squeeze(x[:1, :1], axis=(0, 1)),
    "alone": lambda m, x: m.asarray(np.array(1.5), copy=True),
}


@pytest.mark.parametrize("one", ONE.values(), ids=ONE)
def test_assignments_to_views_without_axes(one):
    """Whatever views of the one element are assigned to, the array has it."""

    def change(m, k):
        x = m.asarray(np.arange(6.0).reshape(2, 3), copy=True)
        y = one(m, x)
        z = [y[...], m.permute_dims(y, ()), y[None], m.reshape(y, (1, 1)), y[None, ..., None]][k]
        z[...] = m.asarray(7.0)
        z += m.ones(z.shape)
        before = y * 2.0
        z[z > 100.0] = -1.0
        z[..., None][..., 1:] = 9.0
        z *= 3.0
        y -= 1.0
        return [np.array(a) for a in (x, y, z, before)]

    for k in range(5):
        for got, want in zip(change(xp, k), change(np, k), strict=True):
            assert np.array_equal(got, want) and got.shape == want.shape, k
