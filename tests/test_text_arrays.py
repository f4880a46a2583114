"""Arrays of str and bytes of fixed width in compiled code, held against NumPy."""

from __future__ import annotations

import linecache

import numpy as np
import pytest

import swathe
from swathe import njit

GIVEN = {
    "str": lambda: np.array(["ab", "c", "ab", "zz"]),
    "strided": lambda: np.array(["ab", "c", "ab", "zz", "é"])[::-2],
    "one": lambda: np.array(["x"]),
    "empty": lambda: np.array([], "U3"),
}

WHOLE = """
a[1:] | a[::2] | a[::-1] | a == "ab" | "ab" == a | a != "ab" | a < "b" | a >= "c" | a == a[::-1]
"c" in a | "q" not in a | len(a) | a.shape | a.size | a.ndim | a.itemsize | a.nbytes | a.T | a[...]
np.sort(a) | np.sort(a)[::-1] | np.argsort(a, kind="stable") | sorted(a) | list(a) | set(a)
[s.upper() for s in a] | [s for s in np.unique(a)] | a.tolist() | np.unique(a)
np.unique(a, return_counts=True) | np.unique(a, return_inverse=True)
np.unique(a, return_index=True, return_counts=True)
a.copy() | np.copy(a) | np.array(a) | np.asarray(a) | a[a == "ab"] | (a == "ab").sum()
np.where(a == "ab", 1, 0) | np.where(a == "ab", "x", "yyy") | np.where(a == "ab", a, "none")
np.isin(a, ["ab", "zz"]) | np.isin(a, a[:1]) | np.concatenate((a, a[:1])) | np.append(a, "hello")
a + "x" | "x" + a | a + a | np.char.add(a, "x") | np.char.upper(a) | np.strings.title(a)
np.char.strip(a, "a") | np.char.str_len(a) | np.char.startswith(a, "a") | np.char.find(a, "b")
np.char.count(a, "z") | np.char.isalpha(a) | np.char.isupper(a) | np.flip(a) | np.roll(a, 1)
np.searchsorted(np.sort(a), "c") | np.searchsorted(np.sort(a), a, "right") | np.array_equal(a, a)
np.repeat(a, 2) | np.tile(a, 2) | np.vstack((a, a)) | np.hstack((a, a)) | np.union1d(a, a[:1])
np.setdiff1d(a, a[:1]) | np.intersect1d(a, a[1:]) | np.nonzero(a == "ab") | a.reshape(-1, 1)
np.char.replace(a, "a", "xyz") | np.char.zfill(a, 5) | np.char.center(a, 5) | a.ravel()
np.arange(len(a))[a == "ab"] | {s: i for i, s in enumerate(a)} | np.insert(a, 0, "quite")
np.array(["a", "bcd"]) | np.array([["a", "b"], ["cc", "d"]]) | np.zeros(3, dtype="U5")
np.full(3, "ab") | np.full(3, "abcdef", dtype="U3") | np.array(["a", "bcd"], dtype="U2")
np.array([b"a", b"bcd"]) | np.zeros(2, "S3") | np.array(["a", "b"], dtype=str)
"""
SOME = """
a[0] | a[-1] | a[0] == a[-1] | a[0] + "x" | max(a) | min(a) | np.take(a, [0]) | np.delete(a, 0)
a[np.array([0])] | a[[0]] | a[9] | a[0] < "b"
"""


def made(source):
    text = f"def f(a):\n    return {source}\n"
    name = f"<text array {source}>"
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    names = {"np": np}
    exec(compile(text, name, "exec"), names)
    return names["f"]


def plain(v):
    if isinstance(v, (tuple, list)):
        return type(v)(plain(x) for x in v)
    if isinstance(v, np.ndarray):
        return str(v.dtype), v.shape, v.tolist()
    return v.item() if isinstance(v, np.generic) else v


def outcome(f, *args):
    try:
        r = plain(f(*args))
    except Exception as e:
        return next(c.__name__ for c in type(e).__mro__ if c.__module__ == "builtins")
    return r, [plain(a) for a in args]


def sources(text):
    return [s.strip() for line in text.split("\n") for s in line.split(" | ") if s.strip()]


def same(f, *makers):
    expected = outcome(f, *(m() for m in makers))
    assert outcome(njit(f), *(m() for m in makers)) == expected
    return expected


@pytest.mark.parametrize("source", sources(WHOLE))
def test_of_any_length(source):
    for make in GIVEN.values():
        same(made(source), make)


@pytest.mark.parametrize("source", sources(SOME))
def test_of_elements(source):
    for name in ("str", "strided", "one"):
        same(made(source), GIVEN[name])


def stores(a):
    a[0] = "hello"
    a[1:2] = "q"
    a[a == "ab"] = "x"
    b = a[2:]
    b[0] = a[-1] + "x"
    a[[0, 1]] = ["k", "long"]
    return b


def sorts_itself(a):
    b = a.copy()
    a.sort()
    return b


def fills(a):
    r = np.empty(len(a), dtype="U10")
    for i, s in enumerate(a):
        r[i] = s * 3
    a[:] = a[::-1]
    return r


def counts(a):
    d = {}
    for s in a:
        d[s] = d.get(s, 0) + 1
    return sorted([(d[s], s) for s in d])


def per_value(a):
    out = []
    for s in np.unique(a):
        out.append((s, int((a == s).sum())))
    return out


@pytest.mark.parametrize("f", [stores, sorts_itself, fills, counts, per_value])
def test_loops_and_stores(f):
    same(f, GIVEN["str"])


def two_axes(a):
    b = a.copy()
    b[0, 1] = "w"
    b[1] = "t"
    rows = [r.tolist() for r in a]
    return a[1, 0], a[:, 0], a[0], b, rows, np.sort(a), np.unique(a), a == "c", a.T, a.ravel()


def test_two_axes():
    same(two_axes, lambda: np.array([["ab", "c"], ["d", "ef"]]))
    same(two_axes, lambda: np.array([["ab", "c"], ["d", "ef"]]).T)


def test_bytes():
    def f(a):
        return a[0], a == b"ab", np.sort(a), np.unique(a), b"c" in a, a[::-1], np.char.upper(a)

    same(f, lambda: np.array([b"ab", b"c", b"ab"]))


@pytest.mark.parametrize("other", [["ab", "c"], ["ab  ", "c ", "ab", "zzzz"], ["ab"], ["ab"] * 4])
def test_two_arrays(other):
    def f(a, b):
        return a == b, a < b, a + b

    def g(a, b):
        a[:] = b
        return np.concatenate((a, b)), np.isin(a, b)

    same(f, GIVEN["str"], lambda: np.array(other))
    same(g, GIVEN["str"], lambda: np.array(other))


def test_memory_is_shared():
    a = GIVEN["str"]()
    assert njit(lambda a: a)(a) is a
    assert np.shares_memory(njit(lambda a: a[1:])(a), a)

    @njit
    def f(a, b):
        a[:] = b

    b = GIVEN["str"]()
    f(b[1:], b[:-1])
    assert b.tolist() == ["ab", "ab", "c", "ab"]


def test_read_only():
    a = GIVEN["str"]()
    a.flags.writeable = False

    @njit
    def f(a):
        a[0] = "x"

    with pytest.raises(ValueError, match="read-only"):
        f(a)
    assert njit(lambda a: a[1:])(a).tolist() == ["c", "ab", "zz"]


def test_numpy_strings_are_strings():
    f = njit(lambda s: s + s)
    assert f(np.str_("ab")) == "abab"
    assert f(np.bytes_(b"ab")) == b"abab"


@pytest.mark.parametrize(
    "a", [np.array(["ab"]).astype(">U2"), np.array("ab"), np.zeros((1, 1, 1), "U2")]
)
def test_what_is_refused(a):
    with pytest.raises(TypeError, match="arrays of strings"):
        swathe.njit(lambda a: len(a))(a)


def test_list_as_a_place_of_an_instance():
    class Row:
        def __init__(self, x):
            self.x = x

        def __setitem__(self, k, v):
            self.x[k] = v

    def f(x):
        r = Row(x)
        r[[0, 2]] = 1.0
        r[0] = 3.0
        r[[1, 2]] = [4.0, 5.0]
        return r.x

    assert njit(f)(np.zeros(3)).tolist() == f(np.zeros(3)).tolist()
