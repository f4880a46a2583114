# SPDX-License-Identifier: BSD-3-Clause
"""Programs of primitives: `program(...)` with swathe.prim as `m`, called from Python and compiled,
beside plain loops over the same elements, and the same bits at 1, 2, 3 and 7 threads.

Numbers are small whole ones, so that sums are exact in any order, and operations are associative.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from .judge import Difference, Verdict
from .program import forget, load

SIZES = (0, 1, 2, 3, 7, 31, 33, 64, 255, 257, 999, 1000, 1001, 2003, 8191, 8192, 8193, 16385, 20011)
DTYPES = ("int64", "int64", "float64", "float64", "int32", "float32", "int8", "uint8", "uint64",
          "bool", "complex128")  # fmt: skip
# What takes and yields numbers of a dtype
OPS = {
    "i": ("np.add", "operator.add", "lambda a, b: a + b", "max", "min", "np.maximum", "np.minimum",
          "operator.mul", "np.bitwise_xor", "operator.and_", "lambda a, b: b", "lambda a, b: a",
          "affine", "lambda a, b: a if a >= b else b"),
    "f": ("np.add", "operator.add", "lambda a, b: a + b", "max", "min", "np.maximum", "np.fmin",
          "lambda a, b: b", "lambda a, b: a", "lambda a, b: a if a >= b else b"),
    "b": ("np.logical_or", "np.logical_and", "operator.xor", "max", "lambda a, b: b",
          "lambda a, b: a and b"),
    "c": ("np.add", "operator.add", "lambda a, b: b", "lambda a, b: a + b"),
}  # fmt: skip
MAPS = {
    "i": ("lambda v: v * 2 + 1", "lambda v: v % 5", "np.negative", "abs", "lambda v: v > 1"),
    "f": ("lambda v: v * 0.5", "np.abs", "lambda v: v if v > 0 else -v", "lambda v: v < 2"),
    "b": ("lambda v: not v", "np.logical_not", "lambda v: v + 1"),
    "c": ("np.conj", "lambda v: v * 2", "abs"),
}
PREDICATES = {
    "i": ("lambda v: v % 2 == 0", "lambda v: v > 2"),
    "f": ("lambda v: v > 0", "np.isnan"),
    "b": ("lambda v: v",),
    "c": ("lambda v: v.real > 0",),
}
PAIR_OPS = ("lambda a, b: (a[0] + b[0], max(a[1], b[1]))",
            "lambda a, b: a if a[0] >= b[0] else b", "lambda a, b: b",
            "lambda a, b: (a[0] + b[0], b[1])")  # fmt: skip


class Maker:
    """A random program."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        self.n = self.r.choice(SIZES)
        self.lines: list[str] = []
        self.kept: list[str] = []
        self.dtypes = [self.r.choice(DTYPES) for _ in range(2)]
        self.nan = self.r.random() < 0.3
        self.spread = self.r.choice((1, 2, 9, 100))
        self.shape = self.r.choice([(3, 5), (1, 7), (4, 0), (2, 3, 4), (5, 33), (0, 3)])

    def put(self, text: str) -> None:
        name = f"v{len(self.lines)}"
        self.lines.append(f"{name} = {text}")
        self.kept.append(name)

    def vector(self) -> tuple[str, str]:
        """A vector of a kind, perhaps a view."""
        k = self.r.randrange(2)
        dtype = np.dtype(self.dtypes[k])
        kind = "i" if dtype.kind == "u" else dtype.kind
        return f"x{k}" + self.r.choice(["", "", "", "[::-1]", "[1:]", "[::2]", ".copy()"]), kind

    def op(self, kind: str, weak: bool = False) -> str:
        ops = OPS[kind]
        if kind == "i" and "64" not in "".join(self.dtypes):
            ops = tuple(op for op in ops if op != "affine")
        if weak:  # a choice between a Python number and NumPy's would have the type of either
            ops = tuple(op for op in ops if ">=" not in op and not op.endswith(": a"))
        if self.nan:  # beside which it isn't associative
            ops = tuple(op for op in ops if ">=" not in op)
        return self.r.choice(ops)

    def init(self, kind: str) -> str:
        return {"i": "3", "f": "1.5", "b": "False", "c": "(1+2j)"}[kind]

    def reduce(self) -> None:
        x, kind = self.vector()
        init = f", {self.init(kind)}" if self.r.random() < 0.5 else ""
        self.put(f"m.reduce({self.op(kind, bool(init))}, {x}{init})")

    def scan(self) -> None:
        x, kind = self.vector()
        more = self.r.choice(["", f", {self.init(kind)}", f", {self.init(kind)}, inclusive=False"])
        self.put(f"m.scan({self.op(kind, bool(more))}, {x}{more})")

    def axes(self) -> None:
        axis = self.r.choice([*range(len(self.shape)), -1])
        form = self.r.choice(
            ["m.reduce({op}, y, axis={a})", "m.reduce({op}, y, {i}, {a})",
             "m.scan({op}, y, axis={a})", "m.scan({op}, y, {i}, False, {a})",
             "m.sort(y, {a})", "m.argsort(y, {a})", "m.kselect(y, {k}, {a})",
             "m.sort_by_key(y, y, {a})", "m.scan({op}, y, axis=None)",
             "m.topk(y, {k}, {large}, {a})", "m.reduce({op}, y)", "m.map({f}, y)"]
        )  # fmt: skip
        kind = np.dtype(self.dtypes[0]).kind.replace("u", "i")
        if kind in "bc" and "reduce" not in form and "scan" not in form and "map" not in form:
            return
        view = self.r.choice(["y", "y", "y.T", "y[::-1]", "y[..., ::2]", "np.asfortranarray(y)"])
        form = form.replace("(y", f"({view}").replace(", y", f", {view}")
        op, f, large = (
            self.op(kind, "{i}" in form),
            self.r.choice(MAPS[kind]),
            self.r.random() < 0.5,
        )
        init, k = self.init(kind), self.r.randrange(4)
        self.put(form.format(op=op, a=axis, i=init, k=k, large=large, f=f))

    def by_key(self) -> None:
        x, kind = self.vector()
        if "[" in x:
            x = x[:2]
        form = self.r.choice(
            ["m.reduce_by_key({op}, keys, {x})", "m.scan_by_key({op}, keys, {x})",
             "m.reduce_by_key({op}, *m.sort_by_key(loose, {x}))", "m.sort_by_key(loose, {x})",
             "m.sort_by_key((keys, loose), {x})", "m.sort_by_key(loose, ({x}, keys))",
             "m.scan_by_key({pair}, keys, (whole, loose))", "m.reduce({pair}, (whole, loose))",
             "m.scan({pair}, (whole, loose))", "m.reduce_by_key({pair}, keys, (whole, loose))",
             "m.scan({pair}, (whole, loose), (1, 2), False)",
             "m.reduce({pair}, (whole, loose), (1, 2))",
             "m.reduce_segments({op}, {x}, offsets, {init})",
             "m.reduce_segments({op}, {x}, offsets)",
             "m.reduce_segments({pair}, (whole, loose), offsets, (1, 2))"]
        )  # fmt: skip
        op = self.op(kind, "{init}" in form)
        self.put(form.format(op=op, x=x, init=self.init(kind), pair=self.r.choice(PAIR_OPS)))

    def order(self) -> None:
        x, kind = self.vector()
        if kind in "bc":
            return
        k = self.r.choice(["0", "1", "-1", "len({x}) // 2", "len({x})"]).format(x=x)
        form = self.r.choice(
            ["m.sort({x})", "m.argsort({x})", "m.kselect({x}, {k})", "m.topk({x}, {k}, {large})",
             "m.merge(m.sort({x}), m.sort({x}))", "m.merge(m.sort({x}), m.sort({x})[1:])",
             "m.unique({x})", "m.searchsorted(m.sort({x}), {x}, {side!r})"]
        )  # fmt: skip
        side = self.r.choice(["left", "right"])
        self.put(form.format(x=x, k=k, large=self.r.random() < 0.5, side=side))

    def places(self) -> None:
        x, kind = self.vector()
        whole = x[:2]
        form = self.r.choice(
            ["m.compact({x}, {p})", "m.partition({x}, {p})", "m.compact({w}, mask)",
             "m.gather({w}, at)", "m.gather({w}, at - len(at))", "m.scatter({w}, at, {w}.copy())",
             "m.scatter({w}, at, {w}.copy(), {op})", "m.scatter({w}[0], at, {w}.copy(), {op})",
             "m.gather({w}, at + 1)", "m.scatter({w}, at + 1, {w}.copy(), {op})",
             "m.scatter({w}, at.reshape(1, -1), {w}.copy(), {op})",
             "m.scatter({w}[:, None], at, m.map(lambda a, b: a, {w}[:, None], {w}[:3]), {op})",
             "m.histogram({x}, 7, 0, 5)"]
        )  # fmt: skip
        if "histogram" in form and (kind in "bc" or self.nan):
            return
        self.put(form.format(x=x, w=whole, p=self.r.choice(PREDICATES[kind]), op=self.op(kind)))

    def maps(self) -> None:
        x, kind = self.vector()
        if kind in "if" and self.r.random() < 0.5:
            form = self.r.choice(
                ["m.map(lambda a, b: a * b, {x}, {x})", "m.zipwith(np.maximum, {x}, {x}[::-1])",
                 "m.map(lambda a, b: a + b, {x}, {x}[:, None][:3])",
                 "m.map(lambda a: (a, a + a), {x})",
                 "m.map(lambda a, b, c: a + b * c, {x}, 2, {x})"]
            )  # fmt: skip
        else:
            form = f"m.map({self.r.choice(MAPS[kind])}, {{x}})"
        self.put(form.format(x=x))

    def text(self) -> str:
        ways = [self.reduce, self.scan, self.by_key, self.by_key, self.order, self.places]
        ways += [self.maps, self.axes, self.axes]
        while len(self.lines) < self.r.randint(1, 3):
            self.r.choice(ways)()
        a, b = (f"made({self.n}, {d!r}, {k})" for k, d in enumerate(self.dtypes))
        return (
            "import operator\n\nimport numpy as np\n\n\n"
            "def affine(f, g):\n"
            "    f, g = f % 49, g % 49\n"
            "    return (f // 7) * (g // 7) % 7 * 7 + (g // 7 * (f % 7) + g % 7) % 7\n\n\n"
            "def made(n, dtype, k):\n"
            f"    x = np.random.default_rng(k).integers(0, {self.spread + 1}, n)\n"
            "    if dtype[0] in 'ifc':\n"
            f"        x -= {self.spread // 2}\n"
            "    out = x.astype(dtype)\n"
            f"    if {self.nan} and dtype[0] == 'f':\n"
            "        out[::5] = np.nan\n"
            "    return out\n\n\n"
            "def inputs():\n"
            f"    n, g = {self.n}, np.random.default_rng(7)\n"
            f"    keys = np.sort(g.integers(0, {self.spread + 1}, n))\n"
            "    offsets = np.sort(g.integers(0, n + 1, 9))\n"
            f"    shape = {self.shape}\n"
            f"    y = made(int(np.prod(shape)), {self.dtypes[0]!r}, 3).reshape(shape)\n"
            f"    return ({a}, {b}, y, keys, g.integers(0, 5, n), g.integers(0, 9, n),\n"
            "            g.integers(0, max(n, 1), n), g.random(n) < 0.5, offsets)\n\n\n"
            "def program(x0, x1, y, keys, loose, whole, at, mask, offsets):\n"
            + "".join(f"    {line}\n" for line in self.lines)
            + f"    return {', '.join(self.kept)},\n"
        )


def text(seed: int) -> str:
    return Maker(seed).text()


# ---- the same by plain loops ---------------------------------------------------------------------


def _op(op: Any) -> Any:
    return {max: np.maximum, min: np.minimum}.get(op, op)


def _at(x: Any, i: int) -> Any:
    return tuple(_at(p, i) for p in x) if isinstance(x, tuple) else x[i]


def _len(x: Any) -> int:
    return _len(x[0]) if isinstance(x, tuple) else len(x)


def _unit(x: Any) -> Any:
    return tuple(_unit(p) for p in x) if isinstance(x, tuple) else np.ones(1, x.dtype)[0]


def _kind(op: Any, x: Any, init: Any) -> Any:
    """The dtype of what is combined, or those of its parts."""
    one = _unit(x)
    return op(one, one) if init is None else op(op(init, one), one)


def _array(values: list, like: Any) -> Any:
    if isinstance(like, tuple):
        return tuple(_array([v[k] for v in values], p) for k, p in enumerate(like))
    return np.array(values, np.asarray(like).dtype)


def _row(op: Any, x: Any, init: Any) -> tuple[list, list]:
    """What comes before each element, and what includes it."""
    before, up_to, acc = [], [], init
    like = _kind(op, x, init)
    if init is not None:
        acc = _at(_array([init], like), 0)
    for i in range(_len(x)):
        before.append(acc)
        acc = _at(_array([_at(x, i) if acc is None else op(acc, _at(x, i))], like), 0)
        up_to.append(acc)
    return before, up_to


class Plain:
    """swathe.prim, an element at a time."""

    @staticmethod
    def map(f: Any, *arrays: Any) -> Any:
        arrays = np.broadcast_arrays(*arrays)
        out = [f(*v) for v in zip(*[a.reshape(-1) for a in arrays], strict=True)]
        like = f(*[a.dtype.type(1) for a in arrays])
        flat = _array(out, like)
        shape = arrays[0].shape
        if isinstance(flat, tuple):
            return tuple(p.reshape(shape) for p in flat)
        return flat.reshape(shape)

    @staticmethod
    def zipwith(f: Any, a: Any, b: Any) -> Any:
        return Plain.map(f, a, b)

    @staticmethod
    def reduce(op: Any, x: Any, init: Any = None, axis: Any = None) -> Any:
        op = _op(op)
        if axis is not None:
            rows = np.moveaxis(x, axis, -1)
            if rows.shape[-1] == 0 and init is None:
                raise ValueError
            like = _kind(op, x, init)
            flat = [Plain.reduce(op, rows[i], init) for i in np.ndindex(rows.shape[:-1])]
            return _array(flat, like).reshape(rows.shape[:-1])
        x = x if isinstance(x, tuple) else x.reshape(-1)
        if _len(x) == 0:
            if init is None:
                raise ValueError
            return _at(_array([init], _kind(op, x, init)), 0)
        return _row(op, x, init)[1][-1]

    @staticmethod
    def scan(op: Any, x: Any, init: Any = None, inclusive: bool = True, axis: int = -1) -> Any:
        op = _op(op)
        like = _kind(op, x, init)
        if axis is None:
            x = x.reshape(-1)
        if isinstance(x, tuple) or x.ndim == 1:
            return _array(_row(op, x, init)[inclusive], like)
        rows = np.moveaxis(x, axis, -1)
        out = np.empty(rows.shape, np.asarray(like).dtype)
        for i in np.ndindex(rows.shape[:-1]):
            out[i] = Plain.scan(op, rows[i], init, inclusive)
        return np.moveaxis(out, -1, axis)

    @staticmethod
    def reduce_segments(op: Any, x: Any, offsets: Any, init: Any = None) -> Any:
        op = _op(op)
        parts = [
            Plain.reduce(op, Plain.part(x, lo, hi), init)
            for lo, hi in zip(offsets[:-1], offsets[1:], strict=True)
        ]
        return _array(parts, _kind(op, x, init))

    @staticmethod
    def part(x: Any, lo: int, hi: int) -> Any:
        return tuple(Plain.part(p, lo, hi) for p in x) if isinstance(x, tuple) else x[lo:hi]

    @staticmethod
    def starts(keys: Any) -> Any:
        first = np.ones(len(keys), bool)
        first[1:] = keys[1:] != keys[:-1]
        return np.flatnonzero(first)

    @staticmethod
    def reduce_by_key(op: Any, keys: Any, x: Any) -> Any:
        first = Plain.starts(keys)
        return keys[first], Plain.reduce_segments(op, x, np.append(first, len(keys)))

    @staticmethod
    def scan_by_key(op: Any, keys: Any, x: Any) -> Any:
        op = _op(op)
        ends = np.append(Plain.starts(keys), len(keys))
        out: list = []
        for lo, hi in zip(ends[:-1], ends[1:], strict=True):
            out += _row(op, Plain.part(x, lo, hi), None)[1]
        return _array(out, _kind(op, x, None))

    @staticmethod
    def gather(x: Any, at: Any) -> Any:
        return x[at]

    @staticmethod
    def scatter(values: Any, at: Any, out: Any, op: Any = None) -> Any:
        each = np.broadcast_to(values, at.shape + out.shape[1:]).reshape(-1, *out.shape[1:])
        at = at.reshape(-1)
        if len(at) and (at.max() >= len(out) or at.min() < -len(out)):
            raise IndexError
        for k, i in enumerate(at):
            out[i] = each[k] if op is None else _op(op)(out[i], each[k])
        return out

    @staticmethod
    def compact(x: Any, mask: Any) -> Any:
        return x[mask if isinstance(mask, np.ndarray) else Plain.map(mask, x).astype(bool)]

    @staticmethod
    def partition(x: Any, pred: Any) -> Any:
        yes = Plain.map(pred, x).astype(bool)
        return np.concatenate((x[yes], x[~yes])), int(yes.sum())

    @staticmethod
    def sort(x: Any, axis: int = -1) -> Any:
        return np.sort(x, axis)

    @staticmethod
    def argsort(x: Any, axis: int = -1) -> Any:
        return np.argsort(x, axis, kind="stable")

    @staticmethod
    def sort_by_key(keys: Any, values: Any, axis: int = -1) -> Any:
        if not isinstance(keys, tuple) and keys.ndim > 1:
            rows = np.argsort(keys, axis, kind="stable")
            return np.take_along_axis(keys, rows, axis), np.take_along_axis(values, rows, axis)
        at = np.lexsort(keys[::-1]) if isinstance(keys, tuple) else np.argsort(keys, kind="stable")
        moved = [tuple(p[at] for p in x) if isinstance(x, tuple) else x[at] for x in (keys, values)]
        return tuple(moved)

    @staticmethod
    def kselect(x: Any, k: int, axis: int = -1) -> Any:
        rows = np.moveaxis(np.sort(x, axis), axis, -1)
        if not -rows.shape[-1] <= k < rows.shape[-1]:
            raise IndexError
        return rows[..., k]

    @staticmethod
    def topk(x: Any, k: int, largest: bool = True, axis: int = -1) -> Any:
        rows = np.moveaxis(x, axis, -1)
        n = rows.shape[-1]
        if not 0 <= k <= n:
            raise ValueError
        order = np.argsort(rows, -1, kind="stable")
        if largest:
            order = n - 1 - np.argsort(rows[..., ::-1], -1, kind="stable")[..., ::-1]
        at = order[..., :k]
        values = np.take_along_axis(rows, at, -1)
        return np.moveaxis(values, -1, axis), np.moveaxis(at, -1, axis)

    @staticmethod
    def merge(a: Any, b: Any) -> Any:
        return np.sort(np.concatenate((a, b)))

    @staticmethod
    def unique(x: Any) -> Any:
        return np.unique(x)

    @staticmethod
    def searchsorted(a: Any, v: Any, side: str = "left") -> Any:
        return np.searchsorted(a, v, side)

    @staticmethod
    def histogram(x: Any, bins: int, lo: float, hi: float) -> Any:
        return np.histogram(x, bins, (lo, hi))[0]


# ---- beside it -----------------------------------------------------------------------------------


def _flat(value: Any) -> list:
    if isinstance(value, tuple):
        return [p for v in value for p in _flat(v)]
    return [value]


def _differ(got: Any, want: Any) -> str:
    got, want = _flat(got), _flat(want)
    if len(got) != len(want):
        return f"{len(got)} values for {len(want)}"
    for a, b in zip(got, want, strict=True):
        a, b = np.asarray(a), np.asarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return f"{a.dtype} {a.shape} for {b.dtype} {b.shape}"
        if not np.array_equal(a, b, equal_nan=a.dtype.kind in "fc"):
            return "values"
    return ""


def _run(f: Any, inputs: Any) -> tuple[Any, str]:
    try:
        with np.errstate(all="ignore"):
            return f(*inputs()), ""
    except Exception as e:
        return e, type(e).__name__


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    import swathe

    plain = vars(load("m = None\n" + text))
    plain["m"] = Plain
    module = load("from swathe import prim as m\n" + text)
    ours = module.program
    want, error = _run(plain["program"], plain["inputs"])
    if error not in ("", "ValueError", "IndexError"):
        return Verdict("outside", why=f"{error}: {want}")
    source = swathe.njit(parallel=True)(ours)
    before = swathe.get_num_threads()
    ways = [("called", before, ours)]
    ways += [(f"compiled, {n} threads", n, source) for n in (1, 2, 3, 7)]
    try:
        for way, threads, f in ways if seed % 2 else ways[1:]:
            swathe.set_num_threads(threads)
            got, failed = _run(f, plain["inputs"])
            if failed == "CompileError" or failed == "ArgumentError":
                return Verdict("refused", why=str(got).split("\n")[0])
            if failed != error:
                return Verdict(
                    "differs", Difference("prims", f"{way}: {failed} for {error}", str(got))
                )
            wrong = "" if error else _differ(got, want)
            if wrong:
                return Verdict(
                    "differs", Difference("prims", f"{way}: {wrong}", f"{got} for {want}")
                )
    finally:
        swathe.set_num_threads(before)
        forget(module)
    return Verdict("same")
