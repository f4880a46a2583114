# SPDX-License-Identifier: BSD-3-Clause
"""How programs use Numba's names, form by form: options, types in signatures, typed containers,
variables with types, overloads of all arities, layouts of generalised ufuncs, what a dispatcher is
asked."""

import numpy as np
import pytest

import swathe
from swathe.compat import numba
from swathe.compat.numba import float64, guvectorize, int64, jit, njit, prange, typed, types
from swathe.compat.numba.core.typing import signature
from swathe.compat.numba.extending import overload
from swathe.compat.numba.np import numpy_support

OPTIONS = [
    {"nopython": True, "nogil": True, "cache": True, "parallel": True},
    {"fastmath": {"nnan", "contract"}, "boundscheck": False, "error_model": "numpy"},
    {"inline": "always", "debug": True, "looplift": True, "forceinline": True},
    {"no_cpython_wrapper": False, "no_cfunc_wrapper": True, "target_backend": "cpu"},
    {"parallel": {"fusion": False, "reduction": True}, "noalias": True, "_nrt": True},
    {"forceobj": True, "looplift": False},
    {"locals": {"s": float64, "x": float64[:]}},
]


def total(x):
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


@pytest.mark.parametrize("options", OPTIONS, ids=lambda o: "-".join(o))
def test_options(options) -> None:
    assert jit(**options)(total)(np.arange(4.0)) == 6.0


def test_types_in_signatures() -> None:
    pair = types.Tuple((float64, int64))
    for sig in ("f8(f8)", float64(float64), [float64(float64), int64(int64)], (float64,),
                "optional(f8)(f8)", types.unicode_type(types.unicode_type)):  # fmt: skip
        given = "ab" if "unicode" in str(sig) or "str" in str(sig) else 1.5
        assert njit(sig)(lambda x: x)(given) == given
    for sig in (pair(float64), "Tuple((f8, i8))(f8)"):
        assert njit(sig)(lambda x: (x, 3))(1.5) == (1.5, 3)
    assert signature(types.void, float64[::1]).return_type == types.void
    assert numpy_support.as_dtype(types.float32[:]) == np.float32
    assert numpy_support.from_dtype(np.dtype("i2")) == types.int16
    with pytest.raises(numba.NumbaError, match="cannot be represented as a NumPy dtype"):
        numpy_support.as_dtype(types.unicode_type)
    assert numba.typeof("a") == types.unicode_type and numba.typeof([1]) == types.ListType(int64)
    assert numba.typeof({1: 2.0}) == types.DictType(int64, float64)


def test_statistics_and_text_of_containers() -> None:
    f = njit(total)
    f(np.arange(3.0))
    stats = f.stats
    assert sum(stats.cache_hits.values()) + sum(stats.cache_misses.values()) == 1
    assert stats.cache_hits + stats.cache_misses
    made = typed.List([1, 2])
    assert str(made) == "[1, 2]" and numba.typeof(made) == types.ListType(int64)
    d = typed.Dict.empty(types.int64, types.float64)
    d[1] = 2.5
    assert str(d) == "{1: 2.5}" and numba.typeof(d) == types.DictType(int64, float64)


def test_variables_with_types() -> None:
    @njit(locals={"x": types.uint8, "y": types.float32, "i": types.int32, "z": types.uint64,
                  "b": types.boolean, "a": types.float64[:]})  # fmt: skip
    def typed_all(n, a):
        x = n
        x += 3
        y, z = 1 / 3, -1
        for i in range(3):
            z = z + 1
            y: float = y / 2
        b = n
        return x, y, i, z, b, a

    got = typed_all(254, np.zeros(2))
    want = [np.uint8(1), np.float32(1 / 24), np.int32(2), np.uint64(2), np.True_]
    assert [*got[:5]] == want and [type(g) for g in got[:5]] == [type(w) for w in want]

    @njit("i8(u1[:])", locals={"n": types.int32})
    def bits(x):
        n = 0
        for i in range(len(x)):
            n += np.bitwise_count(x[i])
        return n

    assert bits(np.full(100, 255, np.uint8)) == 800  # no uint8, which would wrap


def test_types_of_variables_are_one_decorators() -> None:
    def ratio(a, b):
        c = a / b
        return c

    whole = njit(locals={"c": types.int64})(ratio)
    assert whole(8, 3) == 2 and njit(ratio)(8, 3) == ratio(8, 3)
    assert whole.py_func is ratio
    as_c = numba.cfunc("f8(i8, i8)", locals={"c": types.int64})(ratio)
    assert as_c.ctypes(8, 3) == 2.0 and numba.cfunc("f8(i8, i8)")(ratio).ctypes(8, 3) == ratio(8, 3)
    assert as_c.__qualname__ == ratio.__qualname__


def test_numbers_become_what_a_container_holds() -> None:
    @njit
    def filled(x):
        held = typed.List.empty_list(float64)
        held.append(-np.inf)
        held.append(x)
        held.insert(0, x)
        whole = [1]
        whole.append(np.int32(7))
        seen = {1: 2.0}
        seen[np.int8(2)] = x
        narrow = [x]
        narrow.append(-np.inf)
        return held, whole, seen, x in held, narrow

    x = np.float32(1.1)
    *got, narrow = filled(x)
    assert got == [[float(x), -np.inf, float(x)], [1, 7], {1: 2.0, 2: float(x)}, True]
    assert narrow == [x, -np.inf] and type(narrow[1]) is np.float32


def test_typed_containers_from_python() -> None:
    from swathe.compat.numba.typed.typeddict import Dict
    from swathe.compat.numba.typed.typedlist import List

    places = Dict.empty(key_type=types.unicode_type, value_type=float64[:])
    places["x"] = np.zeros(2)
    rows = List.empty_list(float64[:])
    rows.append(np.ones(3))

    @njit
    def moved(places, rows):
        for k in places:
            places[k] += 1.0
        s = 0.0
        for r in rows:
            s += r.sum()
        return s

    assert moved(places, rows) == 3.0 and places["x"].tolist() == [1.0, 1.0]


def nothing():
    pass


def one(a):
    pass


def defaulted(a, b=2):
    pass


def many(*args):
    pass


def named(a, *, k=3):
    pass


@overload(nothing)
def _nothing():
    return lambda: 7


@overload(one)
def _one(a):
    if isinstance(a, types.UnicodeType):
        return lambda a: len(a)
    return (lambda a: a.sum()) if isinstance(a, types.Array) else (lambda a: a + 1)


@overload(defaulted)
def _defaulted(a, b=2):
    return lambda a, b=2: a * b


@overload(many)
def _many(*args):
    n = len(args)
    return lambda *args: n


@overload(named)
def _named(a, *, k=3):
    by = 10 if isinstance(k, types.Float) else 1
    return lambda a, *, k=3: (a + k) * by


def test_overloads_of_all_arities() -> None:
    @njit
    def all_of(x, a):
        return (nothing(), one(x), one(a), one("abc"), defaulted(x), defaulted(a=x, b=4),
                many(), many(1, 2.0, a), named(x), named(x, k=1), named(x, k=0.5))  # fmt: skip

    assert all_of(4, np.arange(3.0)) == (7, 5, 3.0, 3, 8, 16, 0, 3, 7, 5, 45.0)


def stub():
    pass


@overload(stub)
def _stub_of_one(x):
    return lambda x: x + 1


@overload(stub)
def _stub_of_two(x, y, mode=1):
    if isinstance(mode, types.UnicodeType):
        return lambda x, y, mode=1: len(mode)
    by = 10 if isinstance(mode, types.Float) else 1
    return lambda x, y, mode=1: (x * y + mode) * by


@overload(stub)
def _stub_of_more(x, *rest):
    if len(rest) < 2 or not isinstance(rest[0], types.Array):
        return None
    return lambda x, *rest: x + rest[0].sum() + len(rest)


def anything(*args, **kw):
    pass


@overload(anything)
def _anything(a, b, out=None):
    if isinstance(out, types.Array):

        def into(a, b, out=None):
            out[:] = a + b
            return out

        return into
    return lambda a, b, out=None: a + b


def otherwise(p, q):
    pass


@overload(otherwise)
def _otherwise(x, scale=2):
    return lambda x, scale=2: x * scale


def test_overloads_have_parameters_of_their_own() -> None:
    @njit
    def passed(*args):
        return stub(*args)

    @njit
    def all_of(x, a):
        return (stub(x), stub(x, 2), stub(x, y=3), stub(y=3, x=x), stub(x, 2, mode=0.5),
                stub(x, a, a), stub(x, 5, mode="abc"), passed(x), passed(x, x),
                anything(x, b=2), anything(*(x, 1)), anything(x, **{"b": 2}),
                otherwise(x), otherwise(x, scale=3), otherwise(x=x, scale=0.5))  # fmt: skip

    told = (4, 7, 10, 10, 65.0, 8.0, 3, 4, 10, 5, 4, 5, 6, 9, 1.5)
    assert all_of(3, np.arange(3.0)) == told
    out = np.zeros(2)
    njit(lambda a, out: anything(a, a, out=out))(np.arange(2), out)
    assert out.tolist() == [0.0, 2.0]
    assert njit(lambda f, x: f(x))(stub, 3) == 4
    assert njit(lambda x: [f(x) for f in (stub, otherwise)])(4) == [5, 8]
    with pytest.raises(numba.TypingError, match=r"no overload of 'stub' is for \(int64, z=int64\)"):
        njit(lambda x: stub(x, z=3))(1)


def itself(x, n=1):
    return x + n


def first_of_two(x):
    return "first"


def second_of_two(x):
    return "second"


def without_end(x):
    return 0


@overload(itself)
def _itself(x, n=1):
    return itself


@overload(first_of_two)
def _first(x):
    return second_of_two


@overload(second_of_two)
def _second(x):
    return first_of_two


@overload(without_end)
def _without_end(x):
    return lambda x: without_end(x)


def test_overloads_that_yield_functions_with_overloads():
    """What one yields is compiled as it is written."""
    assert njit(lambda x: (itself(x), itself(x, 5), itself(x, n=0.5)))(3) == (4, 8, 3.5)
    assert njit(lambda x: (first_of_two(x), second_of_two(x)))(3) == ("second", "first")
    with pytest.raises(RecursionError):
        njit(lambda x: without_end(x))(3)


def preferring(x):
    return x


@overload(preferring, prefer_literal=True)
def _preferring(x):
    if isinstance(x, numba.types.Float):
        return lambda x: x + 0.5
    if isinstance(x, numba.types.IntegerLiteral):
        return lambda x: 1
    return lambda x: 2


def test_overloads_that_prefer_values():
    """One that asks for them would say something else than Numba lets it say."""
    assert njit(lambda x: preferring(x))(1.0) == 1.5
    with pytest.raises(numba.TypingError, match="'preferring': with prefer_literal=True it asks"):
        njit(lambda: preferring(1))()


def test_what_numbas_passes_note_is_refused_by_name() -> None:
    from swathe.compat.numba.misc.llvm_pass_timings import PassTimingsCollection

    assert numba.config.LLVM_PASS_TIMINGS == 0 and numba.config.DEBUG_NRT == 0
    f = njit(lambda x: x + 1)
    assert f(1) == 2 and f.get_metadata(f.signatures[0]).get("timers") is None
    with pytest.raises(numba.errors.NumbaNotImplementedError, match="'llvm_pass_timings'"):
        f.get_metadata(f.signatures[0])["llvm_pass_timings"]
    with pytest.raises(numba.errors.NumbaNotImplementedError, match="PassTimingsCollection"):
        PassTimingsCollection("timings")


def test_layouts_of_generalised_ufuncs() -> None:
    @guvectorize([(float64[:, :], float64[:, :], float64[:, :])], "(m,n),(n,p)->(m,p)")
    def product(a, b, c):
        for i in range(a.shape[0]):
            for j in range(b.shape[1]):
                c[i, j] = (a[i] * b[:, j]).sum()

    @guvectorize([(float64, float64, float64[:])], "(),()->()")
    def plus(a, b, c):
        c[0] = a + b

    @guvectorize([(float64[:], float64[:], float64[:])], "(n)->(n),()", target="parallel")
    def two(a, b, c):
        c[0] = 0
        for i in range(len(a)):
            b[i] = a[i] * 2
            c[0] += a[i]

    @guvectorize([(float64[:], float64[:], float64[:, :])], "(m),(n)->(m,n)")
    def outer(a, b, c):
        for i in range(len(a)):
            c[i] = a[i] * b

    x = np.arange(12.0).reshape(3, 4)
    assert np.allclose(product(x, x.T), x @ x.T) and plus(1.0, x)[2, 3] == 12.0
    doubled, sums = two(x)
    assert doubled.tolist() == (x * 2).tolist() and sums.tolist() == x.sum(1).tolist()
    assert outer(x[0], x[1]).tolist() == np.outer(x[0], x[1]).tolist()


def test_what_a_dispatcher_is_asked() -> None:
    @njit
    def twice(x):
        return x * 2

    args = (types.float32[::1],)
    twice.compile(args)
    assert twice.overloads[args].signature.return_type == types.float32[::1]
    assert twice.get_compile_result(args).signature.args == args
    with pytest.raises(KeyError):
        twice.overloads[(types.int8,)]
    assert twice(3) == 6 and "int(int)" in twice.overloads and len(twice.signatures) == 1
    twice.enable_caching()
    assert twice.get_metadata() == {}
    with pytest.raises(swathe.UnsupportedError, match="give the signatures to the decorator"):
        twice.disable_compile()


def test_what_has_no_meaning_inside_is_refused_by_name() -> None:
    for outside in (numba.stencil, numba.njit, numba.vectorize, numba.guvectorize):
        with pytest.raises(swathe.CompileError, match="no meaning in compiled code"):
            njit(lambda a: outside(a))(np.zeros(3))  # noqa: B023


def test_settings_of_threads_inside() -> None:
    @njit
    def set_and_asked(k):
        before = numba.get_num_threads()
        numba.set_num_threads(k)
        now = swathe.get_num_threads()
        swathe.set_num_threads(before)
        size = numba.set_parallel_chunksize(4)
        return before, now, size, numba.get_parallel_chunksize(), numba.set_parallel_chunksize(size)

    n = numba.get_num_threads()
    assert set_and_asked(1) == (n, 1, 0, 4, 4) and numba.get_num_threads() == n
    with pytest.raises(ValueError, match="the number of threads is from 1"):
        set_and_asked(10**6)

    @njit(parallel=True)
    def in_a_loop(n):
        s = 0
        for _ in prange(n):
            s += numba.get_num_threads()
        return s

    assert in_a_loop(3) == 3 * n  # on one thread


@njit
def _added(totals, v):
    totals[numba.get_thread_id()] += v


@njit(parallel=True)
def _by_thread(x, m):
    """Rows of each thread: counts, what is stored and read again, and sums of a helper's."""
    n = numba.get_num_threads()
    counts, rows, sums = np.zeros((n, m), np.int64), np.zeros((n, 2)), np.zeros(n)
    out, ids = np.zeros(x.size), np.zeros(x.size, np.int64)
    for i in prange(x.size):
        t = ids[i] = numba.get_thread_id()
        counts[t, x[i]] += 1
        rows[t, 0] = i
        rows[t, 1] = rows[t, 0] * 2
        out[i] = rows[t, 1] - rows[t, 0]
        _added(sums, 1.0)
    return counts, out, sums, ids


def test_what_each_thread_has_for_itself() -> None:
    assert numba.get_thread_id() == 0 and njit(lambda: numba.get_thread_id())() == 0
    for n in (0, 1, 3, 100_003):
        x = np.arange(n) * 7919 % 11
        for _ in range(5):
            counts, out, sums, ids = _by_thread(x, 11)
            assert counts.sum(axis=0).tolist() == np.bincount(x, minlength=11).tolist()
            assert out.tolist() == list(range(n)) and sums.sum() == n
            assert n == 0 or 0 <= ids.min() <= ids.max() < numba.get_num_threads()


def test_ints_of_64_bits_without_a_sign() -> None:
    @njit(["uint64(uint64)", "float64(float64)"])
    def half(x):
        return x

    @numba.vectorize(["uint64(uint64, uint64)"])
    def added(a, b):
        return a + b

    big = 2**63 + 4096
    for x in (big, np.uint64(big), 2**64 - 1, np.uint64(5), 3, big):
        assert half(x) == x and added(x, 0) == x and type(added(x, 0)) is np.uint64
    assert added(np.arange(2, dtype=np.uint64), big).tolist() == [big, big + 1]
    for wrong in (2**64, -(2**63) - 1):
        with pytest.raises((OverflowError, TypeError)):
            half(wrong)
    with pytest.raises(OverflowError):
        njit(lambda x: x)(big)


def test_a_ufunc_of_ufuncs() -> None:
    @numba.vectorize(["int64(int64, int64)"])
    def times(a, b):
        return a * b % 7

    @numba.vectorize(["int64(int64, int64)"])
    def power(a, b):
        r = 1
        for _ in range(b):
            r = times(r, a)
        return r

    @njit("int64[:](int64[:])")
    def roots(x):
        out = []
        at = []
        for i in range(1, 7):
            if power(i, len(x)) == x[0]:
                out.append(1)
                at.append(power(i, x[0]))
        return np.array([out, at])[1]

    assert roots(np.array([1, 2, 3])).tolist() == [1, 2, 4]


def unaligned(x):
    made = np.zeros(x.nbytes + 1, np.uint8)[1:].view(x.dtype)
    made[:] = x
    return made


def test_arrays_that_are_not_aligned() -> None:
    @njit
    def moved(a, b):
        a[0] += b[1]
        if b[0] == 5:
            raise ValueError("five")
        return a.sum()

    a, b = unaligned(np.arange(4.0)), unaligned(np.array([3.0, 1.0]))
    assert moved(a.copy(), b) == 7.0
    swathe._core.take_any_arrays(True)  # as installing it does
    try:
        b.flags.writeable = False
        assert moved(a, b) == 7.0 and a.tolist() == [1.0, 1.0, 2.0, 3.0]
        with pytest.raises(ValueError, match="five"):
            moved(a, unaligned(np.array([5.0, 1.0])))
        assert moved(a[::-2], b) == 5.0 and a.tolist() == [2.0, 1.0, 2.0, 4.0]
        for args in ((a, a), (a[1:], a[:-1])):
            with pytest.raises(ValueError, match="shares memory with another"):
                moved(*args)
        with pytest.raises(ValueError, match="in a tuple"):
            njit(lambda t: t[0][0])((a,))
        with pytest.raises(swathe.CompileError, match="read-only"):
            njit(lambda x: x.fill(1))(b)
        with pytest.raises(TypeError):
            moved(a, object())
    finally:
        swathe._core.take_any_arrays(False)
    assert a.tolist() == [2.0, 1.0, 2.0, 4.0]


FIELDS = ("a", "b")


@njit
def _of_fields(rows):
    total = 0.0
    for name in numba.literal_unroll(FIELDS):
        total += rows[name].sum()
    for i, name in enumerate(("b", "a")):
        rows[name][0] = i + 10
    for i in range(rows.size):
        for k, name in enumerate(FIELDS):
            total += (k + 1) * rows[i][name]
    return total


@njit
def _of_record(row):
    total = 0
    for name in FIELDS:
        total += row[name]
    return total


def test_loops_over_names_of_fields() -> None:
    for n in (1, 3):
        rows = np.zeros(n, [("a", "f8"), ("b", "i4"), ("c", "f4")])
        rows["a"], rows["b"] = np.arange(n) + 0.5, np.arange(n) * 3
        other = rows.copy()
        assert _of_fields(rows) == _of_fields.py_func(other)
        assert rows.tolist() == other.tolist() and _of_record(rows[0]) == 21
    with pytest.raises(swathe.CompileError, match="valid indices, not str"):
        njit(lambda rows, names: rows[names[0]].sum())(rows, ["a"])


def test_chunk_sizes_of_blocks() -> None:
    @njit
    def f(n):
        a = numba.get_parallel_chunksize()
        with numba.parallel_chunksize(n):
            b = numba.get_parallel_chunksize()
            with numba.parallel_chunksize(2):
                c = numba.get_parallel_chunksize()
        return a, b, c, numba.get_parallel_chunksize()

    assert f(8) == (0, 8, 2, 0)
    with numba.parallel_chunksize(3):
        assert f(8) == (3, 8, 2, 3)
    with pytest.raises(ValueError, match="the chunk size is from 0"):
        f(-1)
    assert numba.get_parallel_chunksize() == 0


def _power(x, n):
    return x**n


@numba.extending.overload(_power)
def _(x, n):
    return lambda x, n: numba.literally(n)


def test_what_is_asked_for_and_not_there() -> None:
    with pytest.raises(numba.NumbaError, match="asks to be asked once more with the value"):
        njit(lambda x: _power(x, 2))(3)
    with pytest.raises(ValueError, match="writable_args: 3 is no input"):
        numba.guvectorize("void(f8[:], f8[:])", "(n)->(n)", writable_args=(3,))(lambda a, o: None)
    with pytest.raises(numba.NumbaError, match="cannot be represented"):
        numba.from_dtype(np.dtype("O"))
    f = njit("f8(f8)")(lambda x: x)
    assert f.overloads[(types.float64,)].signature == types.float64(types.float64)


def test_typed_sets() -> None:
    s = numba.typed.Set.empty(types.int64)
    s.add(3)

    @njit
    def f(s):
        s.discard(3)
        t = numba.typed.Set.empty(types.int64)
        t.add(5)
        s.update(t)
        return len(t)

    assert f(s) == 1 and s == {5} and isinstance(s, numba.typed.Set)


def test_names_of_settings_and_annotations() -> None:
    from swathe.compat.numba.extending import as_numba_type
    from swathe.compat.numba.np.ufunc import PyUFunc_One, guvectorize, vectorize

    assert vectorize is numba.vectorize and guvectorize is numba.guvectorize and PyUFunc_One == 1
    assert not numba.config.CUDA_LOW_OCCUPANCY_WARNINGS and not numba.config.DUMP_LLVM
    for t, want in (
        (int, types.int64),
        (bool, types.boolean),
        (str, types.unicode_type),
        (float | None, types.optional(types.float64)),
        (list[float], types.ListType(types.float64)),
        (dict[str, int], types.DictType(types.unicode_type, types.int64)),
        (tuple[int, float], types.Tuple((types.int64, types.float64))),
        (types.float32, types.float32),
    ):
        assert as_numba_type(t) == want
    for wrong in (object, list, int | str, tuple[int, ...]):
        with pytest.raises(numba.TypingError, match="Cannot infer"):
            as_numba_type(wrong)


ADDED = 1


def with_added(x):
    return x + ADDED


def test_an_overload_sees_what_its_names_are_now(monkeypatch):
    @numba.extending.overload(with_added)
    def _(x):
        return lambda x: x + ADDED

    @numba.njit
    def f(x):
        return with_added(x)

    assert f(1) == 2
    monkeypatch.setitem(globals(), "ADDED", 5)
    assert f(1) == 6
