# SPDX-License-Identifier: BSD-3-Clause
"""Labels in the code, schedules at the call."""

import pickle
import sys

import numpy as np
import pytest

import swathe
from swathe import LoopPar, label, par, ranges, reduce, seq, threads, tile, tpb, unroll

rng = np.random.default_rng(7)
SCHEDULES = [
    None,
    par({}),
    par({"N": threads(1)}),
    par({"N": threads(7), "M": seq()}),
    par({"N": seq(), "M": threads(64)}),
    par({"N": unroll(4), "M": unroll(3).threads(2)}),
    par({"N": threads(3).tpb(32), "M": tile(8, 8)}),
]


def loops(f, args, opts=None):
    """[(kind, label)] of the loops after the pass that reads the schedule."""
    found = []
    for line in swathe.print_compiled(f, args, opts, "lower").splitlines():
        words = line.split()
        if "[" in line and 'label "' in line:
            found.append((words[0], line.split('label "')[1].split('"')[0]))
    return found


# ---- what a label names ------------------------------------------------------------------


@swathe.njit
def nest(A, x, y):
    label("N")
    for i in range(A.shape[0]):
        y[i] = 0.0
        label("M")
        for j in range(A.shape[1]):
            y[i] += A[i, j] * x[j]


@swathe.njit
def slices(A, B, y):
    label("N")
    label("M")
    A[:, :] = B * 2.0 + y
    label("_")
    label("M")
    A[:, :] += 1.0
    label("N")
    A[0, :] = B[1, :]


@swathe.njit
def reductions(A, B, y):
    label("N")
    label("M")
    y[:] = np.sum(A, axis=0)
    label("N")
    s = np.sum(B[0, :] * B[1, :])
    label("N")
    s += B[0].max()
    label("N")
    label("M")
    return s + np.sum(A * B)


@pytest.mark.parametrize("opts", SCHEDULES)
@pytest.mark.parametrize("n", [0, 1, 5, 301])
def test_a_schedule_changes_no_result(opts, n):
    A, x, y, y2 = rng.random((n, 13)), rng.random(13), np.empty(n), np.empty(n)
    nest(A, x, y, opts=opts)
    nest.py_func(A, x, y2)
    assert np.array_equal(y, y2)
    A = rng.random((n + 1, 13))
    B = rng.random((n + 2, 13))[: n + 1] if n else rng.random((2, 13))[:1]
    if n:
        A2 = A.copy()
        slices(A, B, x, opts=opts)
        slices.py_func(A2, B, x)
        assert np.array_equal(A, A2)
        out, out2 = np.empty(13), np.empty(13)
        got = reductions(A, B, out, opts=opts)
        assert np.isclose(got, reductions.py_func(A, B, out2), rtol=1e-12)
        assert np.allclose(out, out2, rtol=1e-12)


def test_reduce_lets_a_sum_be_reordered():
    A, x, y = rng.random((50, 1000)), rng.random(1000), np.empty(50)
    nest(A, x, y, opts=par({"N": threads(4), "M": threads(8).reduce()}))
    assert np.allclose(y, A @ x)
    assert "add~" in swathe.print_compiled(nest, [A, x, y], par({"M": reduce()}))
    assert "add~" not in swathe.print_compiled(nest, [A, x, y])


def test_labels_arrive_at_their_loops():
    A, x, y = np.ones((3, 4)), np.ones(4), np.ones(3)
    assert loops(nest, [A, x, y]) == [("seq", "N"), ("seq", "M")]
    # 2-D arrays that are contiguous are one loop unless a schedule asks for each axis.
    found = loops(slices, [A, A, x], par({"M": seq()}))
    assert [k for k in found if k[1] == "M"] and [k for k in found if k[1] == "N"]


def test_axis_of_a_reduction_takes_its_label():
    @swathe.njit
    def f(A, y):
        label("K")
        label("N")
        y[:] = A.sum(axis=0)

    @swathe.njit
    def g(A, y):
        label("N")
        label("K")
        y[:] = A.sum(axis=1)

    A = rng.random((6, 5))
    y, z = np.empty(5), np.empty(6)
    p = par({"K": threads(2).reduce(), "N": threads(3)})
    f(A, y, opts=p)
    g(A, z, opts=p)
    assert np.allclose(y, A.sum(0)) and np.allclose(z, A.sum(1))
    text = swathe.print_compiled(f, [A, y], p, "lower")
    assert 'seq i in 0 .. dim(A, 0) [label "K"]' in text
    assert text.count('label "N"') >= 2  # the axis that stays, and storing it


def test_ranges_take_a_label_each():
    @swathe.njit
    def f(A):
        label("N")
        label("M")
        for i, j in ranges(A.shape[0], (1, A.shape[1], 2)):
            A[i, j] = 10 * i + j

    A, B = np.zeros((4, 5)), np.zeros((4, 5))
    f(A, opts=par({"N": threads(2), "M": seq()}))
    f.py_func(B)
    assert np.array_equal(A, B)
    assert loops(f, [A]) == [("seq", "N"), ("seq", "M")]


def test_labels_in_callees_and_branches():
    @swathe.njit
    def inner(row):
        label("row")
        for i in range(len(row)):
            row[i] *= 2.0

    @swathe.njit
    def outer(A, which):
        if which is None:
            label("unused")
            for i in range(3):
                A[i] = 0.0
        label("rows")
        for i in range(len(A)):
            inner(A[i])

    A = np.ones((3, 4))
    outer(A, 1, opts=par({"row": threads(2), "rows": threads(3), "unused": seq()}))
    assert (A == 2).all()


def test_label_does_nothing_in_python():
    assert label("N") is None
    assert swathe.gpu.__enter__() is None


def test_label_by_a_constant_name():
    @swathe.njit
    def f(x):
        label(NAME)
        for i in range(len(x)):
            x[i] = i

    x = np.zeros(3)
    f(x, opts=par({"outer": threads(2)}))
    assert x.tolist() == [0, 1, 2]


NAME = "outer"


# ---- mistakes in the code ----------------------------------------------------------------


def dangling_at_end(x):
    x[0] = 1.0
    label("N")


def dangling_in_loop(x):
    for i in range(len(x)):
        x[i] = 0.0
        label("N")


def before_if(x):
    label("N")
    if x[0] > 0:
        x[:] = 0.0


def before_while(x):
    label("N")
    while x[0] > 0:
        x[0] -= 1.0


def before_scalar(x):
    label("N")
    y = x[0]
    return y


def before_view(x):
    label("N")
    y = x[1:]
    return y


def before_call(x):
    label("N")
    y = before_scalar_helper(x)
    return y


def before_scalar_helper(x):
    return x[0]


def too_many_for_a_slice(x):
    label("N")
    label("M")
    x[:] = 0.0


def too_many_for_a_loop(x):
    label("N")
    label("M")
    for i in range(len(x)):
        x[i] = 0.0


def too_many_for_a_reduction(x):
    label("N")
    label("M")
    return np.sum(x)


def not_constant(x):
    for i in range(3):
        label(i)
        x[:] = 0.0


def no_string(x):
    label(3)
    x[:] = 0.0


def empty(x):
    label("")
    x[:] = 0.0


def in_an_expression(x):
    y = label("N")
    return y


WRONG = [
    (dangling_at_end, "label 'N' names nothing: no statement follows it"),
    (dangling_in_loop, "label 'N' names nothing: no statement follows it"),
    (before_if, "label 'N' names nothing: the statement after it makes no loop"),
    (before_while, "label 'N' names nothing: a while loop can't be scheduled"),
    (before_scalar, "label 'N' names nothing"),
    (before_view, "label 'N' names nothing"),
    (before_call, "label 'N' names nothing"),
    (too_many_for_a_slice, "2 labels, but what follows has 1 dimension"),
    (too_many_for_a_loop, "2 labels, but what follows has 1 dimension"),
    (too_many_for_a_reduction, "2 labels, but what follows has 1 dimension"),
    (not_constant, "label\\(\\) takes a string that is known at compile time, not int"),
    (no_string, "label\\(\\) takes a string that is known at compile time, not int"),
    (empty, "label\\(\\) takes a name"),
    (in_an_expression, "label\\(\\) is part of an expression"),
]


@pytest.mark.parametrize(("f", "message"), WRONG, ids=lambda v: getattr(v, "__name__", ""))
def test_labels_that_are_wrong(f, message):
    x = np.ones(3)
    with pytest.raises(swathe.TypingError, match=message):
        swathe.njit(f)(x)
    assert x.tolist() == [1, 1, 1]


# ---- a schedule that races ---------------------------------------------------------------


@swathe.njit
def recurrence(x):
    label("N")
    for i in range(1, len(x)):
        x[i] = x[i - 1] + 1.0


def test_a_schedule_that_races_is_an_error():
    x = np.zeros(5)
    with pytest.raises(swathe.RaceError):
        recurrence(x, opts=par({"N": threads(2)}))
    assert not x.any()
    recurrence(x, opts=par({"N": seq()}))
    recurrence(x, opts=par({"N": unroll(2)}))
    assert x.tolist() == [0, 1, 2, 3, 4]


@swathe.njit
def scattered(h, k, x):
    label("N")
    for i in range(len(k)):
        h[k[i]] = x[i]


@swathe.njit
def mixed(h, k, x):
    label("N")
    for i in range(len(k)):
        h[k[i]] = h[k[i]] * 3 % 7 + x[i]


@swathe.njit
def clipped(h, k, x):
    label("N")
    for i in range(len(k)):
        j = k[i]
        if j > 1:
            j = 1
        h[j] += x[i]


@swathe.njit
def counted(h, k, x):
    label("N")
    for i in range(len(k)):
        h[k[i]] += 1


@pytest.mark.parametrize("debug", [False, True])
@pytest.mark.parametrize("f", [scattered, mixed, clipped])
def test_what_is_not_proven_runs_in_order(f, debug):
    """Nobody has promised anything: the loop is no prange."""
    f = swathe.njit(debug=debug)(f.py_func)
    k, x = rng.integers(0, 3, 300), rng.random(300)
    want, got = np.zeros(3), np.zeros(3)
    f.py_func(want, k, x)
    f(got, k, x, opts=par({"N": threads(8)}))
    assert (got == want).all()
    said = str(f.explain())
    assert "runs serially" in said and "not proven" not in said


def test_updates_may_be_split():
    k, x = rng.integers(0, 3, 300), rng.random(300)
    want, got = np.zeros(3, int), np.zeros(3, int)
    counted(want, k, x)
    f = swathe.njit(counted.py_func)
    f(got, k, x, opts=par({"N": threads(8)}))
    assert (got == want).all() and "partial results combined: h" in str(f.explain())
    f = swathe.njit(clipped.py_func)
    f(np.zeros(3), k, x, opts=par({"N": threads(8).reduce()}))
    assert "partial results combined: h" in str(f.explain())


def test_a_prange_with_a_label_is_still_a_promise():
    @swathe.njit
    def f(h, k):
        label("N")
        for i in swathe.prange(len(k)):
            h[k[i]] = i

    f(np.zeros(50), np.arange(50), opts=par({"N": threads(8)}))
    assert "not proven" in str(f.explain())


def test_seq_takes_the_threads_from_a_prange():
    @swathe.njit(parallel=True)
    def f(x):
        label("N")
        for i in swathe.prange(1, len(x)):
            x[i] = x[i - 1] + 1.0

    x = np.zeros(5)
    with pytest.raises(swathe.RaceError):
        f(x)
    f(x, opts=par({"N": seq()}))
    assert x.tolist() == [0, 1, 2, 3, 4]


def test_a_strict_sum_stays_in_order():
    @swathe.njit
    def f(x):
        s = 0.0
        label("N")
        for v in x:
            s += v
        return s

    x = rng.random(10001)
    assert f(x, opts=par({"N": threads(4)})) == f(x) == f.py_func(x)
    assert "threads(4).reduce() lets it be split" in f.explain()
    assert np.isclose(f(x, opts=par({"N": threads(4).reduce()})), f(x), rtol=1e-12)


@pytest.mark.parametrize("same", [False, True])
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_reduce_into_memory(n, same):
    @swathe.njit
    def f(x, y, k):
        label("N")
        for i in range(len(x)):
            y[k] += x[i]

    p = par({"N": threads(4).reduce()})
    x = rng.integers(0, 9, n + 2).astype(float)[: n or None] if n else np.zeros(0)
    y = x if same and n else np.ones(3)
    x2 = x.copy()
    y2 = x2 if same and n else np.ones(3)
    f(x, y, 0, opts=p)
    f.py_func(x2, y2, 0)
    assert np.array_equal(y, y2) and np.array_equal(x, x2)
    y = np.ones(0)
    if n:
        with pytest.raises(IndexError):
            f(x, y, 0, opts=p)
    else:
        f(x, y, 0, opts=p)


def test_schedules_leak_nothing():
    @swathe.njit(cache=False)
    def f(x):
        label("N")
        for i in range(len(x)):
            x[i] += 1.0

    x = np.zeros(3)
    p = par({"N": seq()})
    before = sys.getrefcount(p)
    for _ in range(50):
        f(x, opts=p)
        f(x, opts=par({"N": seq()}))
        with pytest.raises(TypeError):
            f(x, opts=3)
    assert sys.getrefcount(p) == before
    assert f.stats["specialisations"] == 1


# ---- mistakes in the schedule ------------------------------------------------------------


def test_unknown_label_lists_the_known_ones():
    A, x, y = np.ones((3, 4)), np.ones(4), np.ones(3)
    with pytest.raises(ValueError, match="a label 'NN', which 'nest' has not") as e:
        nest(A, x, y, opts=par({"NN": threads(2)}))
    assert isinstance(e.value, swathe.CompileError)
    assert "did you mean 'N'? there are: 'N', 'M'" in str(e.value)
    with pytest.raises(ValueError, match="no function that it calls has a label"):
        swathe.njit(before_scalar_helper)(x, opts=par({"N": threads(2)}))


@pytest.mark.parametrize("opts", [{"N": threads(2)}, 3, "N", threads(2), par])
def test_opts_that_are_no_schedule(opts):
    y = np.zeros(3)
    with pytest.raises(TypeError, match="opts is a schedule"):
        nest(np.ones((3, 4)), np.ones(4), y, opts=opts)
    assert not y.any()


@pytest.mark.parametrize("f", [threads, tpb, unroll, tile])
@pytest.mark.parametrize(
    ("n", "error"),
    [(0, ValueError), (-1, ValueError), (2**40, ValueError), (1.5, TypeError), ("8", TypeError)]
    + [(None, TypeError), (True, TypeError)],
)
def test_numbers_that_are_wrong(f, n, error):
    with pytest.raises(error, match=f.__name__):
        f(n)


def test_schedules_that_are_wrong():
    with pytest.raises(TypeError, match="takes a dict"):
        par([("N", threads(2))])
    with pytest.raises(TypeError, match="label 'N' needs a schedule"):
        par({"N": 2})
    with pytest.raises(TypeError, match="label 'N' needs a schedule"):
        par({"N": threads})
    with pytest.raises(TypeError, match="a label is a string"):
        par({1: threads(2)})
    for name in ("", "_"):
        with pytest.raises(ValueError, match="is no label"):
            par({name: threads(2)})
    with pytest.raises(TypeError, match="one to three"):
        tile()
    with pytest.raises(TypeError, match="one to three"):
        tile(1, 2, 3, 4)
    with pytest.raises(ValueError, match="not both"):
        threads(2).seq()
    with pytest.raises(ValueError, match="not both"):
        seq().threads(2)


# ---- schedules as values -----------------------------------------------------------------


def test_a_schedule_is_a_value():
    p = par({"N": threads(256).reduce(), "M": seq()})
    q = par({"M": LoopPar().seq(), "N": LoopPar().reduce().threads(256)})
    assert p == q and hash(p) == hash(q) and p != par({})
    assert repr(p) == "par({'M': seq(), 'N': threads(256).reduce()})"
    assert eval(repr(p)) == p
    assert pickle.loads(pickle.dumps(p)) == p
    assert repr(tile(8, 16).unroll(2)) == "unroll(2).tile(8, 16)"
    assert repr(LoopPar()) == "LoopPar()"
    assert threads(2).is_parallel() and reduce().is_parallel() and not seq().is_parallel()
    for broken in (p, threads(2)):
        with pytest.raises(AttributeError):
            broken.loops = {}
        with pytest.raises(AttributeError):
            broken.n = 3
    assert threads(np.int64(3)) == threads(3)


def test_equal_schedules_are_one_specialisation():
    f = swathe.njit(nest.py_func, cache=False)
    A, x, y = np.ones((3, 4)), np.ones(4), np.ones(3)
    for n in (1, 1, 2):
        f(A, x, y, opts=par({"N": threads(n)}))
    assert f.stats["specialisations"] == 2
    f(A, x, y)
    f(A, x, y, opts=None)
    assert f.stats["specialisations"] == 3
    assert len(f.signatures) == 3
    assert any("par({'N': threads(2)})" in s for s in f.signatures)
    assert len(f.inspect_ir()) == 3


def test_values_and_sizes_are_no_part_of_it():
    @swathe.njit(cache=False)
    def f(a, x, n):
        label("N")
        for i in range(n):
            x[i] *= a

    for n in (1, 2, 3):
        f(float(n), np.ones(n), n, opts=par({"N": threads(n * 0 + 4)}))
    assert f.stats["specialisations"] == 1


def test_opts_with_keywords_defaults_and_star():
    @swathe.njit
    def f(x, a=2.0, *rest, k=1.0):
        label("N")
        for i in range(len(x)):
            x[i] = a + k + len(rest)

    p = par({"N": threads(2)})
    x = np.zeros(2)
    f(x, opts=p)
    assert x.tolist() == [3, 3]
    f(a=3.0, x=x, opts=p)
    assert x.tolist() == [4, 4]
    f(x, 1.0, 5, 6, k=2.0, opts=p)
    assert x.tolist() == [5, 5]
    with pytest.raises(TypeError, match="unexpected keyword"):
        f(x, opts=p, bad=1)
    with pytest.raises(TypeError, match="missing"):
        f(opts=p)


def test_a_parameter_called_opts_is_the_functions_own():
    @swathe.njit
    def f(x, opts=2):
        return x + opts

    assert f(1, opts=5) == 6
    assert f(1) == 3


def test_opts_with_explicit_signatures():
    @swathe.njit("none(float64[:], float64)")
    def f(x, a):
        label("N")
        for i in range(len(x)):
            x[i] = a

    x = np.zeros(4)
    f(x, 2, opts=par({"N": threads(2)}))
    assert x.tolist() == [2] * 4
    with pytest.raises(ValueError, match="a label 'M'"):
        f(x, 2.0, opts=par({"M": threads(2)}))


def test_opts_of_the_decorator():
    @swathe.njit(opts=par({"N": seq()}), parallel=True)
    def f(x):
        label("N")
        for i in swathe.prange(1, len(x)):
            x[i] = x[i - 1] + 1.0

    x = np.zeros(4)
    f(x)
    assert x.tolist() == [0, 1, 2, 3]
    with pytest.raises(swathe.RaceError):
        f(x, opts=par({}))
    with pytest.raises(TypeError, match="opts is a schedule"):
        swathe.njit(opts=3)(f.py_func)


def test_opts_of_a_method():
    class C:
        @swathe.njit
        def f(x, y):  # noqa: N805
            label("N")
            for i in range(len(y)):
                y[i] += 1.0

    y = np.zeros(3)
    C.f(1, y, opts=par({"N": threads(2)}))
    assert y.tolist() == [1, 1, 1]


# ---- text --------------------------------------------------------------------------------


def test_print_compiled_runs_nothing():
    y = np.zeros(3)
    for stage in ("types", "lower", "ir", "llvm.raw", "llvm", "asm"):
        assert swathe.print_compiled(nest, [np.ones((3, 4)), np.ones(4), y], None, stage)
    assert not y.any()
    with pytest.raises(ValueError, match="stage is one of"):
        swathe.print_compiled(nest, [], None, "ptx")
    with pytest.raises(TypeError, match="missing"):
        swathe.print_compiled(nest, [y])
    with pytest.raises(TypeError, match="opts is a schedule"):
        swathe.print_compiled(nest, [np.ones((3, 4)), np.ones(4), y], {})
    assert swathe.dump(nest.py_func, [np.ones((3, 4)), np.ones(4), y], "ir").startswith("# swathe")


@pytest.mark.parametrize("stage", ["lower", "ir"])
def test_compile_string(stage):
    A, x, y = rng.random((5, 4)), rng.random(4), np.empty(5)
    text = swathe.print_compiled(nest, [A, x, y], par({"N": threads(2)}), stage)
    f = swathe.compile_string(text)
    f(A, x, y=y)
    assert np.allclose(y, A @ x)
    assert f.__name__ == "nest" and f.signatures == [text.splitlines()[0].split(": ", 1)[1]]
    with pytest.raises(TypeError, match="no explicit signature"):
        f(A.astype(np.float32), x, y)
    with pytest.raises(IndexError):
        f(A, x[:2].copy(), y)
    f.recompile()
    f(A, x, y)
    assert f.inspect_llvm()


def test_compile_string_of_edited_text():
    @swathe.njit
    def f(x):
        return (x * 3.0, x[0])

    text = swathe.print_compiled(f, [np.ones(2)])
    g = swathe.compile_string(text.replace("3.0", "5.0"), "g")
    a, b = g(np.ones(2))
    assert a.tolist() == [5, 5] and b == 1 and g.__name__ == "g"


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda t: "", "line 1"),
        (lambda t: t.split("\n", 1)[1], "line 1"),
        (lambda t: t.replace("mul(", "mull("), r"line \d+: unknown operation"),
        (lambda t: t.replace(" entry", ""), "entry"),
        (lambda t: t.replace("x: f64[::1]", "x: f32[::1]"), "f32"),
        (lambda t: t.replace("float64(float64[::1])", "float64(int64[::1])", 1), "parameter 'x'"),
        (lambda t: t.replace("(float64[::1])", "(float64[::1], int)", 1), "1 parameters"),
        (lambda t: t.replace("float64(", "none(", 1), "does not return"),
        (lambda t: t.replace("float64(", "flot64(", 1), "bad signature"),
        (lambda t: t.replace("(float64[::1])", "(float64[:])", 1), "parameter 'x'"),
        (lambda t: t[: len(t) // 2], "."),
    ],
)
def test_compile_string_of_wrong_text(edit, message):
    @swathe.njit
    def f(x):
        return x[0] * 3.0

    text = swathe.print_compiled(f, [np.ones(2)])
    with pytest.raises((ValueError, TypeError), match=message):
        swathe.compile_string(edit(text))
    with pytest.raises(TypeError, match="takes a str"):
        swathe.compile_string(3)


# ---- inline, convert, static -------------------------------------------------------------


def test_inline():
    @swathe.njit
    def f(x):
        return x * 2

    @swathe.njit
    def g(x):
        return swathe.inline(f(x)) + 1

    assert g(3) == 7
    assert " inlined" in swathe.print_compiled(g, [3], stage="lower")

    @swathe.njit
    def h(x):
        return swathe.inline(x)

    with pytest.raises(swathe.TypingError, match="takes a call"):
        h(1)


def test_convert():
    @swathe.njit
    def f(x, a):
        return swathe.convert(x, np.int32), swathe.convert(a, swathe.float32)

    x, a = f(2.75, np.arange(3))
    assert type(x) is np.int32 and x == 2 and a.dtype == np.float32
    x, a = f.py_func(2.75, np.arange(3))
    assert type(x) is np.int32 and x == 2 and a.dtype == np.float32


def test_ranges_leave_by_break_and_keep_else():
    @swathe.njit
    def f(n, stop):
        k = 0
        for i, j, m in ranges(n, (1, 4), (6, 0, -2)):
            if i * j == stop:
                break
            if m == 4:
                continue
            k += i * 100 + j * 10 + m
        else:
            k = -k
        return k

    for n in (0, 1, 3):
        for stop in (0, 4, 99):
            assert f(n, stop) == f.py_func(n, stop)

    @swathe.njit
    def one(n):
        k = 0
        for i in ranges((n, 3 * n)):
            k += i
        return k

    assert one(4) == one.py_func(4)

    @swathe.njit
    def wrong():
        for i, j in ranges(3, 1.5):
            pass

    with pytest.raises(swathe.TypingError, match="ranges"):
        wrong()

    @swathe.njit
    def zero(n):
        for i, j in ranges(3, (0, 1, n)):
            pass

    with pytest.raises(ValueError, match="must not be zero"):
        zero(0)
