# SPDX-License-Identifier: BSD-3-Clause
"""Arrays of records: the same results as NumPy, over layouts; the errors; results, the cache."""

import copy
import gc
import subprocess
import sys

import numpy as np
import pytest

import swathe
from swathe import gpu, njit, prange

POINT = np.dtype([("x", "f8"), ("y", "f4"), ("n", "i4"), ("v", "f8", (3,))])
NESTED = np.dtype([("p", [("a", "i4"), ("b", "f8")]), ("w", "u1"), ("z", "c16")], align=True)
FIELDS = np.dtype([("m", "i2", (2, 3)), ("f", "?"), ("h", "f2")], align=True)


def points(n=7):
    a = np.zeros(n, POINT)
    a["x"] = np.arange(n) * 1.5
    a["y"] = np.arange(n)[::-1]
    a["n"] = np.arange(n) ** 2
    a["v"] = np.arange(3 * n).reshape(n, 3)
    return a


LAYOUTS = {
    "C": points(),
    "strided": points(14)[::2],
    "reversed": points()[::-1],
    "empty": points(0),
    "one": points(1),
}


def total(a):
    s = 0.0
    for i in range(a.shape[0]):
        s += a[i]["x"] * a[i]["n"] + a["y"][i] + a[i]["v"][1] + a["v"][i, 2]
    return s, len(a), a.size, a.ndim, a.shape


def write(a):
    for i in range(len(a)):
        a[i]["x"] = a[-1]["x"] + i
        a["n"][i] += 3
        a[i]["y"] *= 2
        a[i]["v"][1:] = i
    a["v"][:, 0] = 9


def whole(a):
    a["x"] = a["x"] * 2 + a["n"]
    a["y"] = 1.5
    return a["x"].max(initial=-1.0), (a["v"] * 2).min(initial=9.0), a["n"].sum()


def loop(a):
    s = 0.0
    for i, r in enumerate(a):
        r["n"] += i
        s += r["n"]
    for r, k in zip(a, range(3)):
        r["x"] = k
    return s


def between(a):
    b = np.zeros(len(a), POINT)
    for i in range(len(a)):
        b[i] = a[i]
    b[1:] = a[:-1]
    for i in range(1, len(a)):
        r = a[i - 1]
        a[i] = (1.25, 2, r["n"], r["v"])
    return b


def slices(a):
    b = a[1:-1]
    c = b[::-2]
    for r in c:
        r["n"] = -1
    return c, b["v"], b[:]


def pick(a, i):
    r = a[i]
    q = r if i > 2 else a[0]
    return q["x"] + r["n"]


def grown(n):
    a = np.empty((n, 2), dtype=POINT)
    for i in range(n):
        for j in range(2):
            a[i, j] = (i, j, i + j, np.ones(3) * i)
    return a


FUNCTIONS = [total, write, whole, loop, between, slices]


def same(want, got):
    if isinstance(want, tuple):
        assert len(want) == len(got)
        for w, g in zip(want, got, strict=True):
            same(w, g)
        return
    assert np.asarray(want).dtype == np.asarray(got).dtype
    np.testing.assert_array_equal(want, got)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("options", [{}, {"boundscheck": False}, {"debug": True}], ids=str)
def test_same_as_numpy(f, layout, options):
    if f is slices and layout in ("empty", "one"):
        pytest.skip("nothing to slice")
    a = LAYOUTS[layout]
    mine, theirs = copy.deepcopy(a), copy.deepcopy(a)
    same(f(theirs), njit(f, **options)(mine))
    same(theirs, mine)


@pytest.mark.parametrize("i", [0, 3, -1])
def test_choice_between_records(i):
    a = points()
    assert njit(pick)(a, i) == pick(a, i)


def test_new_arrays():
    same(grown(4), njit(grown)(4))
    assert njit(grown)(0).shape == (0, 2)


def test_attributes_name_fields():
    @njit
    def f(a):
        a[1].x = 5
        a.n[0] = 7
        a[2].n += 4
        r = a[3]
        r.y -= 1
        return a.x.sum() + a[1].v[0]

    a, b = points(), points()
    b["x"][1], b["n"][0] = 5, 7
    b["n"][2] += 4
    b["y"][3] -= 1
    assert f(a) == b["x"].sum() + b["v"][1, 0]
    same(b, a)
    assert f(points().view(np.recarray)) == b["x"].sum() + b["v"][1, 0]


def test_nested_and_inner_axes():
    @njit
    def f(m, k):
        for i in range(m.shape[0]):
            for j in range(m.shape[1]):
                m[i, j]["p"]["a"] = i
                m[i, j]["p"]["b"] += j
                m["w"][i, j] = 3
                m[i, j]["z"] = 1j
        q = m[1, 2]["p"]
        q["a"] = 77
        for i in range(len(k)):
            k[i]["m"][1, 2] = i
            k["m"][i, 0] += 2
            k[i]["f"] = i > 1
            k[i]["h"] = 0.5 * i
        return m["p"]["a"].sum() + k["m"].sum()

    m1, k1 = np.zeros((2, 3), NESTED), np.zeros(4, FIELDS)
    m2, k2 = m1.copy(), k1.copy()
    assert f(m1, k1) == f.py_func(m2, k2)
    same(m2, m1)
    same(k2, k1)


def test_results_share_memory():
    @njit
    def tail(a):
        return a[1:], a[0]

    a = points()
    t, r = tail(a)
    assert np.shares_memory(t, a)
    assert isinstance(r, np.void)
    r["x"] = 99
    t["n"][0] = 98
    assert a["x"][0] == 99 and a["n"][1] == 98
    before = sys.getrefcount(a)
    del t, r
    gc.collect()
    assert sys.getrefcount(a) < before


def test_parallel():
    @njit(parallel=True)
    def f(a):
        s = 0
        for i in prange(len(a)):
            a[i].x = a[i].y * 2 + i
            s += a[i].n
        return s

    a = points(1000)
    assert f(a) == a["n"].sum()
    same(a["x"], a["y"].astype("f8") * 2 + np.arange(1000))


def test_race_in_a_field():
    @njit(parallel=True)
    def f(a):
        for i in prange(1, len(a)):
            a[i].x = a[i - 1].x

    with pytest.raises(swathe.Error, match="race|iterations"):
        f(points())


def test_kernel():
    @gpu.jit
    def f(a, out):
        s = gpu.shared.array(32, POINT)
        t = gpu.threadIdx.x
        s[t] = a[t]
        gpu.syncthreads()
        out[t].x = s[31 - t].x + s[t].v[2]
        gpu.atomic.add(out.n, 0, s[t].n)

    a, out = points(32), np.zeros(32, POINT)
    f[1, 32](a, out)
    same(out["x"], a["x"][::-1] + a["v"][:, 2])
    assert out["n"][0] == a["n"].sum()


@pytest.mark.parametrize(
    ("text", "error", "words"),
    [
        ("a['q']", ValueError, "no field of name q"),
        ("a.nn", AttributeError, "did you mean 'n'"),
        ("a[0, 0]", IndexError, "too many indices"),
        ("a[7]", IndexError, "index 7 is out of bounds"),
        ("a[0]['v'][3]", IndexError, "index 3 is out of bounds"),
        ("a + 1", TypeError, "unsupported operand types"),
        ("a == a", TypeError, "'==' is not defined"),
        ("1 if a else 2", TypeError, "truth value"),
        ("not a", TypeError, "truth value"),
        ("np.sum(a)", TypeError, "must be an array or a number"),
        ("len(a[0])", TypeError, "len"),
        ("a.astype(POINT)", AttributeError, "astype"),
        ("float(a[0])", TypeError, "cannot convert"),
    ],
)
def test_errors(text, error, words, tmp_path):
    path = tmp_path / "wrong.py"
    path.write_text(f"import numpy as np\ndef f(a):\n    return {text}\n")
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    with pytest.raises((error, swathe.Error), match=words):
        njit(space["f"])(points())


def test_stores_that_do_not_fit():
    @njit
    def few(a):
        a[0] = (1, 2)

    @njit
    def shape(a):
        a[0] = (1, 2, 3, 4j)

    @njit
    def write(a):
        a[0]["x"] = 1

    with pytest.raises(TypeError, match="records of 4 fields"):
        few(points())
    with pytest.raises(TypeError, match="cannot store"):
        shape(points())
    frozen = points()
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        write(frozen)


@pytest.mark.parametrize(
    ("dtype", "words"),
    [
        ([("s", "U3", (2,))], "field 's'"),
        ([("o", "O")], "field 'o'"),
        ([("t", ">U4")], "byte order"),
        ([("t", ">M8[s]")], "byte order"),
        ([("b", ">f8")], "byte order"),
        ([("r", [("a", "f8")], (2,))], "array of records"),
    ],
)
def test_dtypes_that_are_refused(dtype, words):
    @njit
    def f(a):
        return len(a)

    a = np.zeros(20, np.dtype(dtype))
    with pytest.raises((TypeError, ValueError), match=words):
        f(a)


PACKED = np.dtype(
    [("t", "u1"), ("x", "f8"), ("n", "i4"), ("v", "f8", (3,)), ("p", [("a", "u1"), ("b", "c16")])]
    + [("h", "f2"), ("d", "M8[s]")]
)


def packed_loop(a):
    s = 0.0
    for i in range(a.shape[0]):
        a[i]["x"] = a[i]["n"] * 2.5 + i
        a[i]["v"][1] = a[i]["x"]
        a["n"][i] += 3
        a["p"]["b"][i] = a[i]["x"] * 1j
        s += a[i]["x"] + a[i]["p"]["b"].imag + a["v"][i].sum()
    return s


def packed_whole(a):
    a["h"] = a["x"]
    a["v"][:, 0] = a["x"] * 2 + a["n"]
    a["d"] += np.timedelta64(3, "s")
    return np.sort(a["x"]), a["v"] @ np.ones(3), (a["x"] > 1).sum(), a["p"]["b"].copy(), a[1:]


def packed_parallel(a):
    s = 0
    for i in prange(a.shape[0]):
        a["x"][i] = a["n"][i] + a["t"][i]
        s += a["n"][i]
    return s


def packed_new(a):
    b = np.zeros(a.shape[0] + 1, a.dtype)
    for i in range(a.shape[0]):
        b[i + 1] = a[i]
        b[i + 1]["v"][:] = i
    return b, b[0]["x"]


@pytest.mark.parametrize("f", [packed_loop, packed_whole, packed_parallel, packed_new])
def test_packed_records(f):
    """Fields that are not aligned, as np.dtype([...]) makes them."""
    compiled = njit(f, parallel=f is packed_parallel)
    base = np.zeros(1 + 34 * PACKED.itemsize, "u1")
    odd = base[1:].view(PACKED)  # nor is the memory as a whole
    for n in (0, 1, 2, 5, 17):
        a = np.zeros(2 * n, PACKED) if n != 17 else odd
        a["t"], a["n"], a["x"] = 3, np.arange(2 * n) * 3, np.arange(2 * n) / 3
        a["p"]["b"] = 1 + np.arange(2 * n) * 2j
        for k in (slice(None), slice(None, None, -2), slice(1, None, 2)):
            want, got = a.copy(), a.copy() if n != 17 else a
            r, s = f(want[k]), compiled(got[k])
            assert want.tobytes() == got.tobytes()
            np.testing.assert_equal(r, s)


def test_packed_records_beside_other_memory():
    @njit
    def f(a):
        return a["x"].sum()

    base = np.zeros(1 + 2 * POINT.itemsize, "u1")
    with pytest.raises(ValueError, match="not aligned"):  # though the dtype says that it is
        f(base[1:].view(POINT))

    @njit
    def g(r, v):
        return r["x"] + v[0]

    a = np.zeros(2, PACKED)
    assert g(a[0], np.ones(1)) == 1
    with pytest.raises(ValueError, match="shares memory with another"):
        g(a[0], a["x"])


def chosen(a, i):
    b = a[i]
    b["x"] = 100.0
    return b, a[i]["n"].sum(), len(a[i])


def chosen_by_masks(a, i):
    s = 0.0
    for r in a[a["n"] > 6]:
        s += r["x"]
    return a[a["x"] > 1], s, a[a["x"] > 50]["n"]


def sorted_records(a, i):
    o = np.argsort(-a["x"])
    return a[o], a[o][:2], a[o[0]]["x"]


def store_chosen(a, i):
    a[i] = a[::-1][i]
    a[a["x"] > 1] = a[0]
    a[i]["n"] = -1  # of a copy
    a[i]["v"] *= 2
    a[a["n"] > 3]["x"] += 1
    a["n"][i] += 1


CHOSEN = (chosen, chosen_by_masks, sorted_records, store_chosen)


@pytest.mark.parametrize("f", CHOSEN)
@pytest.mark.parametrize("make", [points, lambda n: np.zeros(n, PACKED)], ids=["plain", "packed"])
def test_records_chosen_by_arrays(f, make):
    compiled = njit(f)
    for n in (4, 9):
        for i in (np.array([2, 0, -1, 2]), np.arange(n) % 3 == 0, np.array([1, n]), np.arange(0)):
            want, got = make(n), make(n)
            try:
                r, error = f(want, i), None
            except IndexError as e:
                r, error = None, e
            if error:
                with pytest.raises(IndexError, match=f"index {n} is out of bounds"):
                    compiled(got, i)
            else:
                np.testing.assert_equal(compiled(got, i), r)
            assert want.tobytes() == got.tobytes()


OWN_FIELDS = np.dtype([("b", "?"), ("x", "f8"), ("n", "i4"), ("k", "i8")])


def rows_by_their_own_fields(n=6):
    a = np.zeros(n, OWN_FIELDS)
    a["b"], a["x"] = np.arange(n) % 2 == 0, np.arange(n) * 1.5
    a["n"], a["k"] = np.roll(np.arange(n), 1), np.arange(n)[::-1]
    return a


def store_by_fields(a):
    a[a["n"]] = a[::-1].copy()
    a[a["k"]] = a.copy()
    a[a["x"] > 3] = a[0]
    a[a["n"][:2]] = a[a["k"][:2]]
    a[a["b"]] = a[1]
    a[::-1][a["b"]] = (False, 1.0, 2, 3)


def test_fields_choose_the_records_that_are_stored_to():
    for n in (6, 1):
        want, got = rows_by_their_own_fields(n), rows_by_their_own_fields(n)
        try:
            store_by_fields(want)
        except IndexError:
            with pytest.raises(IndexError):
                njit(store_by_fields)(got)
        else:
            njit(store_by_fields)(got)
        assert want.tobytes() == got.tobytes()


PROGRAM = """
import numpy as np
from swathe import njit
P = np.dtype([("x", "f8"), ("n", "i4"), ("k", "i4")][::{order}])

@njit
def f(n):
    a = np.zeros(n, P)
    for i in range(n):
        a[i].n = i
        a[i].x = 2 * i
    return a

@njit
def g(a):
    return a[1:]

a = g(f(4))
print(a.dtype == P, a["n"].tolist(), a["x"].tolist())
"""


def test_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("SWATHE_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "program.py"
    seen = []
    for order in (1, 1, -1, -1):
        path.write_text(PROGRAM.replace("{order}", str(order)))
        r = subprocess.run([sys.executable, path], capture_output=True, text=True)
        assert r.returncode == 0, r.stderr
        seen.append(r.stdout)
    assert all(s.startswith("True [1, 2, 3] [2.0, 4.0, 6.0]") for s in seen)


INNER = np.dtype(
    [("x", "f8"), ("tag", "i2", (2,)), ("sub", [("a", "f4"), ("b", "u1")])], align=True
)


def test_padding_inside_stays():
    a = np.zeros(4, INNER)
    a["sub"]["b"] = np.arange(4)
    b = swathe.njit(lambda a: a[::-1])(a)
    assert b.dtype == INNER and b["sub"]["b"].tolist() == [3, 2, 1, 0]
    assert swathe.njit(lambda a: a[2])(a).dtype == INNER


@pytest.mark.parametrize("own", [False, True])
def test_one_record(own):
    @swathe.njit
    def f(r):
        r["x"] += 1
        r["tag"][1] = 7
        return r["x"] * 2 + r["sub"]["b"]

    a = np.ones(3, INNER)
    r = a[1].copy() if own else a[1]
    assert f(r) == 5.0
    assert (r["x"], r["tag"][1]) == (2.0, 7)
    assert (a[1] == r) != own
    a.setflags(write=False)
    with pytest.raises(ValueError, match="read-only"):
        f(a[0])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_copies_and_the_like(layout):
    def f(a):
        b = a.copy()
        c = np.zeros_like(a)
        d = np.empty_like(a)
        e = np.zeros(3, a.dtype)
        d["x"] = a["x"] + 1
        b["n"] *= 2
        return b, np.copy(a), c, d["x"], e

    a = LAYOUTS[layout].copy()
    for got, wanted in zip(njit(f)(a), f(a), strict=True):
        assert got.dtype == wanted.dtype
        np.testing.assert_array_equal(got, wanted)
    assert not np.shares_memory(njit(lambda a: a.copy())(a), a)


def test_swap_through_a_copy():
    def f(a):
        b = a.copy()
        b[0], b[1] = b[1], b[0]
        return b

    np.testing.assert_array_equal(njit(f)(points()), f(points()))


def test_copies_take_nothing_else():
    with pytest.raises(swathe.UnsupportedError, match="of records"):
        njit(lambda a: np.zeros_like(a, dtype=np.float64))(points())


def _given(a):
    return a


def _part(a):
    return a[1:]


def _backwards(a):
    return a[::-1]


def _one(a):
    return a[-1]


def _pair(a):
    return a[1:], (a, a[0])


RESULTS = [_given, _part, _backwards, _one, _pair]


def is_alike(got, want, arg):
    """Whether one result is the argument, a view of it, or a record, as the other is."""
    if isinstance(want, tuple):
        return all(is_alike(g, w, arg) for g, w in zip(got, want, strict=True))
    if (got is arg) != (want is arg) or type(got) is not type(want):
        return False
    same = got.dtype == want.dtype and got.dtype.type is want.dtype.type
    same = same and str(got) == str(want) and got.flags.writeable == want.flags.writeable
    if isinstance(want, np.ndarray):
        same = same and got.base is want.base and got.strides == want.strides
    return same and np.shares_memory(got, arg)


@pytest.mark.parametrize("f", RESULTS)
@pytest.mark.parametrize("of", ["whole", "part", "steps", "rec", "locked", "matrix", "F", "map"])
def test_results_are_the_argument_or_views_of_it(f, of, tmp_path):
    a = points()
    if of == "map":
        a = np.memmap(tmp_path / "a", POINT, "w+", shape=(5,))
    a = {"part": a[1:5], "steps": a[::2], "rec": np.rec.array(a)}.get(of, a)
    a = {"matrix": np.zeros((2, 3), NESTED), "F": np.zeros((2, 3), NESTED, "F")}.get(of, a)
    if of == "locked":
        a.flags.writeable = False
    assert is_alike(njit(f)(a), f(a), a)


def test_one_record_of_several_arguments():
    @njit
    def f(a, b, pair):
        return b, pair[1], a, pair[0][1:]

    a, b = points(), np.rec.array(points(3))
    r = f(a, a[1:], (b, a[2]))
    assert r[2] is a and r[0].base is a and isinstance(r[1], np.void)
    assert type(r[3]) is np.recarray and r[3].base is b
    r[1]["n"] = 77
    assert a["n"][2] == 77
    record = a[1]
    assert njit(_given)(record) is record
