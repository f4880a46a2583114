# SPDX-License-Identifier: BSD-3-Clause
"""What a user touches: jit and its options, the attributes of a compiled function, types."""

from __future__ import annotations

import collections
import inspect
import os
import pickle
import subprocess
import sys
import weakref

import numpy as np
import pytest
from without_text import without_text

import swathe
from swathe import types


def plain(x, y=2.0):
    """Add."""
    return x + y


add = swathe.njit(plain)


def python(code: str, **env: str) -> str:
    """Run code in a fresh Python; return what it printed."""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


# --- the decorator ----------------


def test_bare_and_called():
    @swathe.jit
    def a(x):
        return x * 2

    @swathe.jit()
    def b(x):
        return x * 2

    @swathe.njit(fastmath=True, cache=False)
    def c(x):
        return x * 2

    assert a(2) == b(2) == c(2) == 4


@pytest.mark.parametrize("option", ["fastmat", "bounds_check", "paralel", "Cache"])
def test_unknown_option(option):
    with pytest.raises(TypeError, match="unexpected option .*did you mean"):
        swathe.jit(**{option: True})


def test_far_option_lists_all():
    with pytest.raises(TypeError, match="there are boundscheck"):
        swathe.jit(qqq=1)


def test_numba_options():
    assert swathe.jit(nopython=True, nogil=True)(plain)(1, 2) == 3
    with pytest.raises(TypeError, match="forceobj is always False"):
        swathe.jit(forceobj=True)
    with pytest.raises(ValueError, match="opt_level"):
        swathe.jit(opt_level=7)


class SomeClass:
    def method(self, x):
        return x


@pytest.mark.parametrize(
    "thing, words",
    [
        (SomeClass, "is a class"),
        (len, "built in"),
        (np.sin, "built in"),
        (3, "not int"),
        (SomeClass().method, "bound method"),
        (staticmethod(plain), "above @jit"),
    ],
)
def test_not_a_function(thing, words):
    with pytest.raises(TypeError, match=words):
        swathe.jit(thing)


def test_jit_of_jit():
    assert swathe.jit(add).py_func is plain


def test_disable_jit():
    code = "import swathe\ndef f(): pass\nprint(swathe.njit(f) is f)"
    assert python(code, SWATHE_DISABLE_JIT="1") == "True\n"


# --- the object ----------------


def test_metadata():
    assert add.__name__ == "plain"
    assert add.__doc__ == "Add."
    assert add.__module__ == __name__
    assert add.__qualname__ == "plain"
    assert add.__wrapped__ is plain is add.py_func
    assert str(inspect.signature(add)) == "(x, y=2.0)"
    assert "plain" in repr(add)
    assert isinstance(add, swathe.Dispatcher)
    add.mark = 1
    assert add.mark == 1
    assert weakref.ref(add)() is add


@swathe.njit
def pickled(x):
    return x


def test_pickle():
    assert pickle.loads(pickle.dumps(pickled)) is pickled


class Holder:
    def __init__(self, k):
        self.k = k

    @swathe.njit
    def tripled(x):
        return x * 3

    @staticmethod
    @swathe.njit
    def doubled(x):
        return x * 2


def test_method():
    assert Holder.doubled(4) == 8
    assert Holder.tripled(4) == 12
    assert Holder(1).tripled.__self__.k == 1
    with pytest.raises(TypeError):
        Holder(1).tripled()  # self is no argument that can be compiled


def test_signatures_and_stats():
    @swathe.njit(cache=False)
    def f(x):
        return x + 1

    assert f.signatures == []
    f(1)
    f(2)
    f(1.0)
    f(np.zeros(3))
    assert sorted(f.signatures) == sorted(set(f.signatures))
    assert len(f.signatures) == 3
    assert "float(float)" in f.signatures
    assert f.stats["compiled"] == 3
    assert f.overloads["int(int)"]["calls"] == 2
    f.recompile()
    assert f.signatures == []
    assert f(1) == 2


def test_inspect():
    @swathe.njit
    def f(x):
        s = 0.0
        for i in range(len(x)):
            s += x[i]
        return s

    f(np.zeros(3))
    (sig,) = f.signatures
    assert "x" in f.inspect_types()[sig]
    assert "func" in f.inspect_ir()[sig]
    assert "define" in f.inspect_llvm(sig)
    assert "ret" in f.inspect_asm(sig)
    assert sig in f.explain()
    with pytest.raises(KeyError):
        f.inspect_ir("(int8)")


# --- binding ----------------


def bound(a, b=2, *rest, c, d=4):
    return a, b, rest, c, d


def posonly(a, /, b=10):
    return a * 100 + b


def two(x, y):
    return x - y


CALLS = [
    (bound, (1,), {"c": 3}),
    (bound, (1, 5, 6.5, 7), {"c": 3, "d": 9}),
    (bound, (), {"a": 1, "c": 3}),
    (bound, (1,), {}),
    (bound, (), {"c": 1}),
    (bound, (1,), {"c": 3, "zz": 1}),
    (posonly, (1,), {}),
    (posonly, (1,), {"b": 3}),
    (posonly, (), {"a": 1}),
    (two, (1,), {}),
    (two, (), {}),
    (two, (1, 2, 3), {}),
    (two, (1,), {"x": 2}),
    (two, (), {"y": 1, "x": 5}),
    (two, (1,), {"z": 2}),
]
COMPILED = {f: swathe.njit(f) for f in (bound, posonly, two)}


@pytest.mark.parametrize("f, args, kw", CALLS)
def test_binding_is_pythons(f, args, kw):
    try:
        want = f(*args, **kw)
    except TypeError as e:
        with pytest.raises(TypeError) as info:
            COMPILED[f](*args, **kw)
        assert str(info.value) == str(e)
    else:
        got = COMPILED[f](*args, **kw)
        assert got == want and repr(got) == repr(want)


# --- explicit signatures ----------------


@pytest.mark.parametrize(
    "sig",
    [
        "float64(float64[:], int64)",
        "f8(f8[:],i8)",
        types.float64(types.float64[:], types.int64),
        (types.float64[:], types.int64),
        ["float64(float64[:], int64)"],
    ],
)
def test_eager(sig):
    @swathe.jit(sig)
    def f(x, i):
        return x[i]

    assert len(f.signatures) == 1
    x = np.arange(3.0)
    assert f(x, 2) == 2.0
    assert f(x[::2], 1) == 2.0
    assert f(x, np.int64(1)) == 1.0
    assert f(x, np.int8(1)) == 1.0
    with pytest.raises(TypeError, match="no explicit signature"):
        f(x, 1.5)
    with pytest.raises(TypeError, match="no explicit signature"):
        f(x.astype("f4"), 1)
    assert len(f.signatures) == 1


def test_eager_converts():
    @swathe.jit("float64(float64)")
    def half(x):
        return x / 2

    assert half(3) == 1.5
    assert half(True) == 0.5
    assert half(np.float32(1)) == 0.5
    assert type(half(3)) is np.float64
    with pytest.raises(TypeError):
        half(1j)


def test_several_signatures_prefer_the_exact():
    @swathe.jit(["int64(int64)", "float64(float64)"])
    def f(x):
        return x + x

    assert f(3) == 6 and not isinstance(f(3), np.floating)
    assert isinstance(f(1.5), np.floating)
    assert len(f.signatures) == 2
    f.recompile()
    assert len(f.signatures) == 2


def test_signature_of_an_array_that_meets_itself():
    """NumPy says that it can be written; here it is only read, by code of its own."""
    x = np.arange(20.0)
    windows = np.lib.stride_tricks.as_strided(x, shape=(8, 3), strides=(8, 8))

    @swathe.jit(["float64[:](float64[:,:])"])
    def f(a):
        return a.sum(axis=1)

    assert windows.flags.writeable
    np.testing.assert_array_equal(f(windows), windows.sum(axis=1))
    np.testing.assert_array_equal(f(x.reshape(4, 5)), x.reshape(4, 5).sum(axis=1))

    @swathe.jit("void(float64[:,:])")
    def store(a):
        a[0, 0] = 7

    with pytest.raises(ValueError, match="read-only"):
        store(windows)
    store(x.reshape(4, 5))
    assert x[0] == 7


def test_signature_casts_the_result():
    @swathe.jit("float32(int64)")
    def f(x):
        return x + 0.5

    assert type(f(1)) is np.float32 and f(1) == 1.5
    with pytest.raises(TypeError, match="returns"):
        swathe.jit("float64(float64[:])")(lambda x: x)


@pytest.mark.parametrize("sig", ["float64(", "nonsense(int64)", "float64(int64, int64)", "f8"])
def test_bad_signature(sig):
    with pytest.raises(TypeError, match="signature"):
        swathe.jit(sig)(lambda x: x)


# --- types ----------------


def test_types_text():
    assert repr(types.float64[:, ::1]) == "float64[:,::1]"
    assert repr(types.f4[::1, :]) == "float32[::1,:]"
    assert repr(types.float64(types.Tuple((types.int8, types.f8)))) == (
        "float64(Tuple((int8, float64)))"
    )
    assert repr(types.void(types.UniTuple(types.i8, 3))) == "none(UniTuple(int64, 3))"
    assert swathe.float64 is types.float64
    with pytest.raises(TypeError):
        types.float64[0]
    with pytest.raises(TypeError):
        types.float64[::2]
    assert type(types.float32(1.5)) is np.float32


def test_type_spellings():
    text = swathe._core.type_text
    assert text("f8[:]") == text("float64[:]")
    assert text("float64[:, ::1]") == text("f8[:,::1]")
    with pytest.raises(TypeError, match="bad type"):
        text("flot64")


def test_prange_in_python():
    assert list(swathe.prange(1, 7, 2)) == [1, 3, 5]


def test_lazy_names():
    assert swathe.errors.TypingError is swathe.TypingError
    assert issubclass(swathe.TypingError, TypeError)
    assert issubclass(swathe.UnsupportedError, NotImplementedError)
    with pytest.raises(AttributeError):
        swathe.nothing_of_the_kind  # noqa: B018


def test_import_is_light():
    code = (
        "import sys, numpy; before = set(sys.modules); import swathe;"
        "print(*sorted(m for m in set(sys.modules) - before if not m.startswith('swathe')))"
    )
    assert set(python(code).split()) <= {"linecache", "token", "tokenize"}


# --- command line, dumps ----------------


def module(*args: str, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "swathe", *args],
        capture_output=True,
        text=True,
        env={**os.environ, **env},
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_cli(tmp_path):
    folder = tmp_path / "cache"
    code = "import swathe\n@swathe.njit\ndef f(x): return x + 1\nf(1)"
    python(code, SWATHE_CACHE_DIR=str(folder))
    assert module("cache", "dir", SWATHE_CACHE_DIR=str(folder)).startswith(str(folder))
    assert "files   1" in module("cache", SWATHE_CACHE_DIR=str(folder))
    assert "removed 1 file" in module("cache", "clear", SWATHE_CACHE_DIR=str(folder))
    assert "works" in module("doctor", SWATHE_CACHE_DIR=str(folder))


def test_dump(capfd):
    @swathe.njit
    def f(x):
        return x + 1

    with swathe.dump("ir"):
        f(1)
    assert "func" in capfd.readouterr().err
    assert "SWATHE_DUMP" not in os.environ


# --- where functions come from ----------------


def test_dash_c():
    code = "import swathe\n@swathe.njit\ndef f(x):\n    return x + 1\nprint(f(1))"
    assert python(code) == "2\n"


def test_lambdas():
    f, g = swathe.njit(lambda x: x + 1), swathe.njit(lambda y: y + 2)
    assert f(1) == 2 and g(1) == 3
    if sys.version_info >= (3, 11):
        h, k = swathe.njit(lambda x: x + 3), swathe.njit(lambda x: x + 4)
        assert h(1) == 4 and k(1) == 5


def test_notebook_cell():
    import linecache

    text = "def cell(x):\n    return x * 7\n"
    linecache.cache["<ipython-input-1>"] = (
        len(text),
        None,
        text.splitlines(True),
        "<ipython-input-1>",
    )
    space = {}
    exec(compile(text, "<ipython-input-1>", "exec"), space)
    assert swathe.njit(space["cell"])(2) == 14


def test_odd_layout_of_source():
    def outer():
        if True:
            # fmt: off
            @swathe.njit(
                cache=True,
            )
            def inner(x,
                      y=(1,
      2)):
                # a comment at the margin
            # of the file
                s = """
def inner(): pass
"""
                return (x +
  y[1]) if s else \
    0

            # fmt: on
            return inner
        return None

    assert outer()(1) == 3


def test_no_source():
    f = swathe.njit(without_text("def f(x):\n    return x", "f"))
    with pytest.raises(TypeError, match="source"):
        f(1)
    assert f.py_func(1) == 1


def test_failed_compile_leaves_py_func():
    @swathe.njit
    def f(x):
        return property(bytes([x])).fget

    for _ in range(2):
        with pytest.raises(swathe.CompileError):
            f(1)
    assert f.py_func(1) == b"\1"


Point = collections.namedtuple("Point", "x y")


@pytest.mark.skipif(sys.version_info < (3, 13), reason="the prompt keeps its text since 3.13")
def test_prompt():
    done = subprocess.run(
        [sys.executable, "-i", "-q"],
        input="import swathe\ndef f(x):\n    return x + 1\n\nprint(swathe.njit(f)(1))\n",
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHON_BASIC_REPL": "1"},
    )
    assert done.stdout.split()[-1] == "2", done.stderr


@pytest.mark.parametrize(
    "option, says",
    [
        ({"opt_level": "3"}, "opt_level is 0, 1, 2 or 3, not '3'"),
        ({"inline": [1]}, r"inline is 'never' or 'always', not \[1\]"),
        ({"boundscheck": "no"}, "boundscheck is True or False, not 'no'"),
        ({"parallel": "no"}, "parallel is True or False, not 'no'"),
        ({"debug": None}, "debug is True or False, not None"),
        ({"cache": 2}, "cache is True or False, not 2"),
        ({"nogil": 3}, "nogil is always True"),
        ({"locals": {"x": 1}}, "locals is always {}"),
        ({"forceobj": True}, "forceobj is always False"),
    ],
)
def test_an_option_says_what_it_takes(option, says):
    with pytest.raises(TypeError, match=says):
        swathe.njit(lambda x: x, **option)


@pytest.mark.parametrize("option", ["boundscheck", "debug", "cache", "contract"])
def test_an_option_of_kernels_says_what_it_takes(option):
    from swathe import gpu

    with pytest.raises(TypeError, match=f"gpu.jit.*: {option} is True or False, not 'no'"):
        gpu.jit(**{option: "no"})


def test_options_of_numbas_programs():
    @swathe.njit(
        nogil=False, nopython=False, forceobj=False, locals={}, error_model="python", parallel=0
    )
    def f(x):
        return x + 1

    @swathe.njit(boundscheck=None)
    def first(a, i):
        return a[i]

    assert f(1) == 2
    with pytest.raises(IndexError):
        first(np.ones(2), 5)


def test_a_loop_is_not_written_any_number_of_times():
    with pytest.raises(ValueError, match=r"unroll\(\) takes a number from 1 to 1024, not 4000"):
        swathe.unroll(4000)
    assert swathe.unroll(1024) == swathe.unroll(1024)
