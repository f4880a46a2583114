# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Whole NumPy programs over short arrays of mixed dtypes: masks, indices that are arrays, changes
in place through views, reductions by axes, `out=` and `where=`, joining and cutting, closures,
tuples of arrays, parallel rows, loops that end early.

Written and run as those of `functions`; forms of expressions and statements come from tables.
"""

from __future__ import annotations

import random
import re

from . import functions, values
from .functions import Refused, is_array
from .judge import Rules, Verdict, judge

# {a} an array that has a name, {e} any array, {x} what goes with {a}, {m} a mask of {a}'s shape, {w} one
# of its first axis, {i} places in its first axis, {k} an axis, {kk} axes, {s} a small int, {n} a
# number, {d} a dtype, {t} a test, {r} {a} as integers, {o} another of {a}'s shape
FORMS = (
    "{a}[{m}]", "{a}[~({m})]", "{a}[{w}]", "{a}[{i}]", "{a}[{i}][::-1]", "{a}[{i}, 0]", "{a}[..., {i}]",
    "{a}[{i}][:, None]", "{a}[:, {s}:][{w}]", "{a}[{i}[:, None], {i}]", "{a}[{w}, {s}]", "{a}[None, {i}]",
    "np.where({m}, {a}, {x})", "np.where({m})[0]", "np.nonzero({m})[-1]", "np.argwhere({m})",
    "np.flatnonzero({m})", "np.take({a}, {i}, axis={k})", "np.take({a}, {i})", "{a}.take({i}, axis=0)",
    "np.compress({w}, {a}, axis=0)", "np.extract({m}, {a})", "np.select([{m}, {m}], [{a}, {x}], {n})",
    "np.choose(({m}).astype(np.int64), (np.zeros_like({a}), {a}))", "np.argsort({a}, axis={k}, kind='stable')",
    "np.take_along_axis({a}, np.argsort({a}, axis={k}, kind='stable'), axis={k})", "np.sort({a}, axis={k})",
    "{r}.sum(axis={kk})", "{r}.sum(axis={kk}, keepdims=True)", "np.sum({r}, axis={k}, dtype=np.{d})",
    "{a}.max(axis={kk})", "{a}.min(axis={kk}, keepdims=True)", "np.max({a}, axis={k}, initial={n})",
    "np.any({m}, axis={kk})", "np.all({m}, axis={k}, keepdims=True)", "np.count_nonzero({m}, axis={k})",
    "np.argmax({a}, axis={k})", "np.argmin({a}, axis={k}, keepdims=True)", "np.ptp({r}, axis={k})",
    "np.sum({r}, axis={k}, where={m})", "np.max({a}, where={m}, initial={n}, axis={k})",
    "np.cumsum({r}, axis={k})", "{r}.cumsum(axis={k}, dtype=np.int64)", "np.cumprod({r} % 3, axis={k})",
    "np.mean({r}, axis={k})", "np.median({r}, axis={k})", "np.add.reduce({r}, axis={k})",
    "np.maximum.accumulate({a}, axis={k})", "np.add.accumulate({r}, axis={k})", "np.minimum.reduce({a})",
    "np.multiply.outer({r}, {i})", "np.add.reduceat({r}, {i} % 2, axis=0)", "np.nansum({r}, axis={k})",
    "np.concatenate(({a}, {o}), axis={k})", "np.concatenate([{a}, {o}, {a}[:1]])", "np.stack(({a}, {o}), axis={k})",
    "np.vstack(({a}, {o}))", "np.hstack(({a}, {o}))", "np.dstack(({a}, {o}))", "np.column_stack(({a}, {o}))",
    "np.concatenate(({a}, {o}.astype(np.{d})))", "np.concatenate(({a}[{w}], {o}[{i}]))", "np.append({a}, {o}, axis=0)",
    "np.append({a}, {n})", "np.split({a}, {s})[0]", "np.array_split({a}, {s})[-1]", "np.array_split({a}, 3, axis={k})[{s}]",
    "np.hsplit({a}, 1)[0]", "np.tile({a}, {s})", "np.tile({a}, (2, 1))", "np.repeat({a}, {s}, axis={k})",
    "np.repeat({a}, {i} % 3, axis=0)", "np.roll({a}, {s}, axis={k})", "np.roll({a}, -{s})", "np.rot90({a})",
    "np.flip({a}, axis={k})", "np.pad({a}, 1)", "np.pad({a}, ({s}, 0), mode='edge')", "np.pad({a}, 1, mode='reflect')",
    "np.pad({a}, {s}, constant_values={n})", "{a}.reshape(-1, 1)", "{a}.reshape({a}.shape[::-1])", "{a}.ravel()",
    "np.ravel({a}, order='F')", "{a}.T.reshape(-1)", "{a}.flatten()", "np.broadcast_to({a}, ({s},) + {a}.shape)",
    "np.diff({a}, axis={k})", "np.diff({r}, n=2)", "np.ediff1d({r})", "np.outer({r}, {i})", "np.unique({a})",
    "np.unique({r}, return_counts=True)[1]", "np.unique({r}, return_inverse=True)[1]", "np.unique({r}, return_index=True)[1]",
    "np.searchsorted(np.sort({a}.ravel()), {o}.ravel())", "np.searchsorted(np.unique({r}), {n}, side='right')",
    "np.digitize({a}, np.array([0.0, 2.0, 5.0]))", "np.bincount(np.abs({r}).ravel() % 5)", "np.isin({a}, {o})",
    "np.bincount({i}, minlength=6)", "np.histogram({r}, 3)[0]", "np.insert({a}, {s}, {n})", "np.delete({a}, {s}, axis=0)",
    "np.insert({a}, 1, {n}, axis={k})", "np.delete({a}, {i} % 2)", "np.trim_zeros({a})", "np.union1d({a}, {o})",
    "np.intersect1d({a}, {o})", "np.setdiff1d({a}, {o})", "{a}.clip({n}, None)", "np.clip({a}, {x}, {x})", "np.clip({a}, 0, 3)",
    "{a}.astype(np.{d})", "{a}.round()", "np.dot({r}, {r}.T)", "({r} @ {r}.T)", "np.tensordot({r}, {r}, axes=0)",
    "np.einsum('i...->...', {r})", "np.einsum('ij->ji', {a})", "np.trace({r})", "np.diag({a})", "np.diagonal({a})",
    "np.kron({r}, np.eye(2, dtype=np.int64))", "np.meshgrid({a}[:2], {o}[:3])[0]", "np.tril({a}, {s})", "np.triu({a}, -1)",
    "np.fliplr({a})", "np.squeeze({a}[None], axis=0)", "np.expand_dims({a}, {k})", "np.atleast_2d({a})", "np.convolve({r}, {i} % 3)",
    "np.lexsort(({o}, {a}))", "np.resize({a}, 7)", "np.partition({a}.ravel(), 0)[:1]", "np.nan_to_num({a})", "np.interp({i}, np.arange(5), np.arange(5) * 2.0)",
    "np.ascontiguousarray({a}.T)", "{a}.swapaxes(0, -1)[::-1]", "{a}.copy()[{m}]", "np.array([{a}, {o}])",
    "np.full_like({a}, {n})", "np.where({m}, {n}, {a})", "np.logical_and({m}, {m})", "np.vstack([{a}[{w}], {a}[~({w})]])",
    "first({a}, {o})", "rows({a}, {s})", "picked({a}, {m})", "pair({a}, {o})[0]", "pair({o}, {a})[1].T", "inner({a})", "early({a}, {n})",
    "np.array([z.sum() for z in {r}])", "np.array([inner(z) for z in {a}])", "np.stack([z * 2 for z in {a}])", "np.where({t}, {a}, {o})",
    "({a} if {t} else {o})", "np.full({s}, {n}, np.{d})", "np.arange({s}) * {n}", "np.maximum({a}, {x})", "({a} + {x})", "({a} * {x})",
    "np.ix_({i}, {i})[0]", "np.tri({s})", "np.zeros({a}.shape + (2,), np.{d})", "np.divmod({r}, 3)[1]", "np.bitwise_and({r}, {i}[0])",
    "np.sign({a})", "np.abs({a})", "-{a}", "~({m})", "({a} == {x})", "np.isclose({a}, {x})", "np.lexsort(({a},))", "np.put_along_axis({a}.copy(), np.argmax({a}, axis={k}, keepdims=True), 0, axis={k}) or {a}",
)  # fmt: skip
STATEMENTS = (
    "{a}[{m}] = {n}", "{a}[{m}] += {n}", "{a}[{m}] = {o}[{m}]", "{a}[{m}] *= {n}", "{a}[{w}] = {n}", "{a}[{i}] = {n}",
    "{a}[{i}] += 1", "{a}[{i}] = {a}[{i}[::-1]]", "{a}[{i}] -= {o}[{i}]", "{a}[{i}, 0] = {n}", "{a}[..., {i}] = {n}",
    "{a}[...] = {x}", "{a}[:] = {x}", "{a}[:] = {a}[::-1]", "{a}[::2] = {n}", "{a}[1:] -= {a}[:-1]", "{a}[:-1] += {a}[1:]",
    "{a}[1:] = {a}[:-1]", "{a}[[0, -1]] = {a}[[-1, 0]]", "{a} += {x}", "{a} -= {a}[::-1]", "{a} *= {n}", "{a} //= 3", "{a} %= 5",
    "{a} &= 7", "{a} |= {x}", "{a} <<= 1", "{a} ^= {o}", "{a} /= 2", "{a} **= 2", "{a} += {a}.T", "{a}[0] = {a}[-1]",
    "np.add.at({a}, {i}, 1)", "np.subtract.at({a}, {i}, {n})", "np.maximum.at({a}, {i}, {n})", "np.copyto({a}, {x}, where={m})",
    "np.putmask({a}, {m}, {n})", "np.place({a}, {m}, [{n}])", "np.put({a}, {i}, {n})", "np.fill_diagonal({a}, {n})",
    "{a}.sort()", "{a}.sort(axis={k})", "{a}.fill({n})", "{a}.flat[{s}] = {n}", "{a}.T[...] += {n}", "{a}.T[0] = {n}",
    "np.add({a}, {x}, out={a})", "np.add({o}, {x}, out={a}, where={m})", "np.multiply({a}, {a}[::-1], out={a})", "np.negative({o}, out={a})",
    "np.cumsum({r}, axis={k}, out={a})", "{r}.sum(axis=0, out={a}[0])", "np.maximum({a}[1:], {a}[:-1], out={a}[1:])", "np.clip({a}, 0, 4, out={a})",
    "np.take({o}, {i} * 0, axis=0, out={a})", "np.minimum({o}, {n}, {a})", "{a}.put({i}, {n})", "{a}[{s}], {a}[0] = {n}, {a}[-1]",
    "np.copyto({a}, {o})", "scaled({a}, {n})", "masked({a}, {m}, {n})", "moved({a}, {o})", "scaled({a}[::-1], {n})", "scaled({a}.T, {n})",
    "scaled({a}[1:], {n})", "masked({a}.T, {m}.T, {n})", "for z in ({a}, {o}):\n    z += {n}", "for z in {a}:\n    z *= 2", "for z in {a}:\n    z[...] = z[::-1]",
    "for z, y in zip({a}, {o}):\n    z += y", "for j, z in enumerate({a}):\n    z[:] = j + z", "for j in range(len({a})):\n    {a}[j] = {a}[j - 1] + {n}",
    "for j in prange(len({a})):\n    {a}[j] = {a}[j] + {n}", "for j in prange(len({a})):\n    {a}[j] *= {o}[j]", "for j in prange({a}.shape[0]):\n    {a}[j] = {o}[-1 - j]",
    "for j in prange(len({a})):\n    scaled({a}[j], {n})", "for j in prange(len({a})):\n    if {o}[j].any():\n        {a}[j] = 0",
    "for j in prange({a}.shape[0]):\n    for l in range({a}.shape[1]):\n        {a}[j, l] = {o}[j, -1 - l] + {n}",
    "for j in range(len({a})):\n    if ({a}[j] > {n}).all():\n        {a}[j] = 1\n        break\n    {a}[j] += 1",
    "for j in range({a}.shape[-1]):\n    {a}[..., j] += {o}[..., -1 - j]", "while ({a} > 20).any():\n    {a}[{a} > 20] -= 20", "if {t}:\n    {a}[...] = {o}",
    "try:\n    {a}[{s}] = {o}[{s} + 2]\nexcept IndexError:\n    {a} += 1", "del_, *_ = ({a}, {o})\ndel_[...] = {n}",
    "t2 = ({a}, {o})\nt2[{s} % 2][...] += 1", "t2 = ({a}, {o})[::-1]\nt2[0][:1] = t2[1][:1]",
)  # fmt: skip
HELPERS = """def first(x, y):
    return x if len(x) > 2 else y


def rows(x, k):
    return x[k:][::-1]


def picked(x, m):
    return x[m]


def pair(x, y):
    return x[::-1], y


def scaled(x, v):
    x *= 2
    x += x[::-1].copy() * 0 + x.dtype.type(1)


def masked(x, m, v):
    x[m] = x[m] * 0


def moved(x, y):
    x[1:] = y[:-1]
    x[:1] = y[-1:]


def early(x, v):
    for z in x:
        if np.any(z > v):
            return z
    return x[0]


"""


class Writer(functions.Writer):
    """Writes one function."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.r = random.Random(seed * 31 + 5)
        self.dtypes = self.r.sample(
            [d for d in values.DTYPES if d[0] != "c"], self.r.choice([1, 2, 2, 3, 4])
        )
        self.edge = self.r.choice([0.0, 0.0, 0.05])
        self.helpers = [HELPERS.rstrip()]
        exec(HELPERS, self.names)
        self.names["prange"] = range
        self.names["inner"] = lambda x: x[::-1]

    def part_of(self, name: str, a: str) -> str:
        """The text of a slot of a form."""
        v = self.env[a]
        if name == "a":
            return a
        if name == "e":
            return self.array(1) or a
        if name == "o":
            those = self.those(lambda w: is_array(w) and w.shape == v.shape)
            return self.pick(*those)
        if name == "x":
            return self.fitting(v.shape, 1)
        if name == "m":
            b = self.pick(a, a, *self.those(lambda w: is_array(w) and w.shape == v.shape))
            return f"({b} {self.pick('>', '<=', '!=', '==')} {self.number_leaf()})"
        if name == "w":
            return self.pick(f"(np.arange(len({a})) % 2 == {self.pick(0, 1)})", f"(np.arange(len({a})) > {self.pick(0, 1, 9)})",
                             f"({a}.reshape(len({a}), -1)[:, 0] > {self.pick(0, 2)})")  # fmt: skip
        if name == "i":
            n = max(v.shape[0], 1) if v.ndim else 1
            k = self.pick(1, 2, 3, 4)
            at = [self.r.randint(-n if self.chance(0.5) else 0, n - 1) for _ in range(k)]
            dtype = self.pick("", "", ", np.int32", ", np.uint8" if min(at) >= 0 else "")
            ints = self.those(
                lambda w: is_array(w) and w.dtype.kind == "i" and w.ndim == 1 and w.size
            )
            if ints and self.chance(0.25):
                return f"({self.pick(*ints)} % {n})"
            return f"np.array({at}{dtype})"
        if name == "k":
            return str(self.r.randint(-v.ndim, v.ndim - 1)) if v.ndim else "None"
        if name == "kk":
            axes = self.r.sample(range(v.ndim), self.r.randint(1, v.ndim)) if v.ndim else []
            return self.pick("None", str(tuple(axes)), str(tuple(x - v.ndim for x in axes)))
        if name == "s":
            return str(self.pick(0, 1, 1, 2, 3))
        if name == "n":
            return self.number_leaf()
        if name == "d":
            d = str(self.pick(*self.dtypes, "int64", "float64"))
            return "bool_" if d == "bool" else d
        if name == "t":
            return self.condition()
        if v.dtype.kind in "iub" and v.dtype.itemsize < 8:
            return a
        return f"(np.clip({a}, -99, 99) // 1).astype(np.int64)" if v.dtype.kind != "b" else a

    def form(self, *forms: str) -> str:
        a = str(self.pick(*self.those(is_array)))
        return re.sub(r"{([a-z]+)}", lambda m: self.part_of(m[1], a), self.pick(*forms))

    def array(self, depth: int = 2) -> str:
        if depth > 0 and self.chance(0.6) and self.those(is_array):
            return self.form(*FORMS)
        return super().array(depth)

    def from_table(self) -> list[str]:
        return self.form(*STATEMENTS).split("\n")

    def statement(self, helper: bool = False) -> list[str]:
        for _ in range(5):
            if self.chance(0.35):
                break
            before = self.saved()
            try:
                if self.chance(0.5):
                    lines = self.from_table()
                    if len(lines) > 1:
                        return self.whole(lines)
                else:
                    text = self.form(*FORMS)
                    self.value(text)
                    lines = [f"{self.fresh('v')} = {text}"]
                self.execute("\n".join(lines))
                return lines
            except (Refused, IndexError, SyntaxError, ValueError):
                self.restore(before)
        return super().statement(helper)

    def written(self) -> str:
        text = super().written()
        inner = f"    c0 = {self.pick(1, 2, 3)}\n\n    def inner(x):\n        return x[::-1] if c0 else x\n\n"
        return re.sub(r"(\ndef fuzzed\(.*\):\n)", lambda m: m[1] + inner, text)


def text(seed: int) -> str:
    return Writer(seed).text()


MODES = (
    "optimised",
    "plain",
    "parallel-lanes",
    "lanes",
    "parallel-optimised",
    "debug",
    "lanes8",
    "parallel",
)


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    return judge(text, (mode or MODES[seed % len(MODES)],), Rules(text, joins=True))
