# SPDX-License-Identifier: BSD-3-Clause
# ruff: noqa: E501
"""Mutants of programs that people wrote (harvest.py).

A mutation changes one place of the tree: another loop order, a helper in between, a view for an
array, an alias, another dtype, an old value in an initialiser. One to four are applied; what CPython
does with the result is right, whatever it means.
"""

from __future__ import annotations

import ast
import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from harness import Options, copy_args

from swathe.errors import RaceError

from . import harvest, loops
from . import judge as judging
from .documented import documented
from .judge import Difference, Rules, Verdict
from .program import Outside, forget, load, oracle

DTYPES = (
    "float64",
    "float32",
    "int64",
    "int32",
    "uint8",
    "int8",
    "bool_",
    "float16",
    "uint64",
    "int16",
)


class Mutant:
    """A program's tree, and what may be done to it."""

    def __init__(self, seed: int) -> None:
        self.r = random.Random(seed)
        base = harvest.programs()
        self.tree = ast.parse(base[self.r.randrange(len(base))])
        self.count = 0
        for node in self.tree.body:
            if isinstance(node, ast.FunctionDef) and node.name == "inputs":
                self.given = node
            elif isinstance(node, ast.FunctionDef) and node.name == "fuzzed":
                self.main = node

    def text(self) -> str:
        text = unparsed(self.tree)
        for _ in range(self.r.choice([1, 1, 2, 2, 3, 4])):
            for _ in range(8):
                mutation = self.r.choice(MUTATIONS)
                try:
                    before, text = text, unparsed(self.tree) if mutation(self) else text
                except ValueError:  # what stands in an f-string is not to be replaced
                    return text + "\n"
                if text != before:
                    break
        return text + "\n"

    # ---- finding places ----------------------------------------------------------------

    def fresh(self, prefix: str) -> str:
        used = {n.id for n in ast.walk(self.tree) if isinstance(n, ast.Name)}
        used |= {n.name for n in ast.walk(self.tree) if isinstance(n, ast.FunctionDef)}
        while f"{prefix}{self.count}" in used:
            self.count += 1
        self.count += 1
        return f"{prefix}{self.count - 1}"

    def pick(self, kinds: Any, test: Callable[[Any], bool] = lambda n: True) -> Any:
        found = [n for n in ast.walk(self.main) if isinstance(n, kinds) and test(n)]
        return self.r.choice(found) if found else None

    def blocks(self) -> Iterator[list[ast.stmt]]:
        for node in ast.walk(self.main):
            for name in ("body", "orelse"):
                block = getattr(node, name, None)
                if isinstance(block, list) and block:
                    yield block

    def statement(self, kinds: Any = ast.stmt) -> tuple[list[ast.stmt], int] | None:
        found = [(b, k) for b in self.blocks() for k, s in enumerate(b) if isinstance(s, kinds)]
        return self.r.choice(found) if found else None

    def expressions(self) -> list[tuple[Any, str, int | None, ast.expr]]:
        """Places of expressions that are read."""
        found = []
        for node in ast.walk(self.main):
            for name, v in ast.iter_fields(node):
                for k, e in enumerate(v) if isinstance(v, list) else [(None, v)]:
                    load = isinstance(getattr(e, "ctx", ast.Load()), ast.Load)
                    if (
                        isinstance(e, ast.expr)
                        and load
                        and name not in ("func", "targets", "target")
                    ):
                        found.append((node, name, k, e))
        return found

    @staticmethod
    def put(place: tuple[Any, str, int | None, ast.expr], e: ast.expr) -> bool:
        node, name, k, _ = place
        if k is None:
            setattr(node, name, e)
        else:
            getattr(node, name)[k] = e
        return True

    def locals(self) -> set[str]:
        names = {a.arg for a in self.main.args.args}
        stores = (n for n in ast.walk(self.main) if isinstance(n, ast.Name))
        return names | {n.id for n in stores if isinstance(n.ctx, ast.Store)}

    def arrays(self) -> list[str]:
        """Parameters that are arrays."""
        try:
            space: dict[str, Any] = {}
            exec(unparsed(self.tree), space)
            args = space["inputs"]()
        except Exception:
            return []
        names = [a.arg for a in self.main.args.args]
        return [n for n, v in zip(names, args, strict=False) if isinstance(v, np.ndarray)]

    def argument(self, name: str) -> tuple[ast.Tuple, int] | None:
        end = self.given.body[-1]
        names = [a.arg for a in self.main.args.args]
        if not isinstance(end, ast.Return) or not isinstance(end.value, ast.Tuple):
            return None
        return (end.value, names.index(name)) if len(end.value.elts) > names.index(name) else None

    def add_helper(self, text: str) -> None:
        at = self.tree.body.index(self.main)
        self.tree.body[at:at] = ast.parse(text).body

    # ---- mutations -----------------------------------------------------------------------

    def old_value(self) -> bool:
        """The initialiser of an element reads the element."""
        s = self.pick(ast.Assign, lambda s: isinstance(s.targets[0], ast.Subscript))
        if not s:
            return False
        old = ast.unparse(s.targets[0])
        form = self.r.choice(["{o} * 2", "{o} * ({v})", "({v}) - {o}", "{o}", "({v}) + {o} * 0.5"])
        s.value = expression(form.format(o=old, v=ast.unparse(s.value)))
        return True

    def outline(self) -> bool:
        """An expression becomes a call of a helper."""
        places = [
            p
            for p in self.expressions()
            if isinstance(p[3], (ast.BinOp, ast.Subscript, ast.Compare, ast.Call, ast.IfExp))
        ]
        if not places:
            return False
        place = self.r.choice(places)
        names = sorted(
            {n.id for n in ast.walk(place[3]) if isinstance(n, ast.Name)} & self.locals()
        )
        f = self.fresh("h")
        self.add_helper(f"def {f}({', '.join(names)}):\n    return {ast.unparse(place[3])}\n")
        return self.put(place, expression(f"{f}({', '.join(names)})"))

    def outline_body(self) -> bool:
        """The body of a loop that only stores becomes a helper."""
        loop = self.pick(
            ast.For,
            lambda s: (
                not any(
                    isinstance(x, (ast.Return, ast.Break, ast.Continue, ast.FunctionDef))
                    for x in ast.walk(s)
                )
            ),
        )
        if not loop:
            return False
        inside = [n for s in loop.body for n in ast.walk(s) if isinstance(n, ast.Name)]
        stored = {n.id for n in inside if isinstance(n.ctx, ast.Store)}
        outside = (
            {n.id for n in ast.walk(self.main) if isinstance(n, ast.Name)} if stored else set()
        )
        all_names = [n.id for n in ast.walk(self.main) if isinstance(n, ast.Name)]
        if any(all_names.count(x) > sum(n.id == x for n in inside) for x in stored & outside):
            return False
        names = sorted(({n.id for n in inside} & self.locals()) - stored)
        f = self.fresh("h")
        body = "\n".join("    " + x for s in loop.body for x in ast.unparse(s).split("\n"))
        self.add_helper(f"def {f}({', '.join(names)}):\n{body}\n")
        loop.body = ast.parse(f"{f}({', '.join(names)})").body
        return True

    def view_helper(self) -> bool:
        """An array is what a helper returns of it."""
        arrays = self.arrays()
        places = [p for p in self.expressions() if isinstance(p[3], ast.Name) and p[3].id in arrays]
        if not places:
            return False
        place = self.r.choice(places)
        f = self.fresh("h")
        form = self.r.choice(
            [
                "x[::-1]",
                "x",
                "x.T",
                "x[:]",
                "x[::-1][::-1]",
                "x.reshape(-1)",
                "np.flip(x)",
                "x[1:]",
                "x[None]",
                "np.asarray(x)",
                "x.copy()",
            ]
        )
        self.add_helper(f"def {f}(x):\n    return {form}\n")
        return self.put(place, expression(f"{f}({ast.unparse(place[3])})"))

    def view(self) -> bool:
        arrays = self.arrays()
        if not arrays:
            return False
        x = self.r.choice(arrays)
        form = self.r.choice(
            [
                f"{x}[::-1]",
                f"{x}[1:]",
                f"{x}.T",
                f"{x}[:-1]",
                f"{x}[::2]",
                f"{x}[..., ::-1]",
                f"{x}.copy()",
                f"{x}[...]",
                f"{x}[:3]",
                f"np.asfortranarray({x})",
            ]
        )
        if self.r.random() < 0.5:
            self.main.body[0:0] = ast.parse(f"{x} = {form}").body
            return True
        at = self.argument(x)
        if not at:
            return False
        old = ast.unparse(at[0].elts[at[1]])
        layouts = [re.sub(rf"\b{x}\b", lambda _: old, form), f"np.asfortranarray({old})", f"np.repeat({old}, 2, axis=-1)[..., ::2]",
                   f"{old}[::-1].copy()[::-1]", f"{old}[:1]", f"{old}[:0]"]  # fmt: skip
        at[0].elts[at[1]] = expression(self.r.choice(layouts))
        return True

    def alias(self) -> bool:
        arrays = self.arrays()
        if len(arrays) < 2:
            return False
        a, b = self.r.sample(arrays, 2)
        x, y = self.argument(a), self.argument(b)
        if not x or not y:
            return False
        name = self.fresh("same")
        first = ast.unparse(x[0].elts[x[1]])
        self.given.body[-1:-1] = ast.parse(f"{name} = {first}").body
        form = self.r.choice(
            ["{0}, {0}", "{0}[:-1], {0}[1:]", "{0}[1:], {0}[:-1]", "{0}, {0}[::-1]", "{0}, {0}.T"]
        )
        one, other = form.format(name).split(", ")
        x[0].elts[x[1]], y[0].elts[y[1]] = expression(one), expression(other)
        return True

    def dtype(self) -> bool:
        arrays = self.arrays()
        at = self.argument(self.r.choice(arrays)) if arrays else None
        if not at:
            return False
        old = ast.unparse(at[0].elts[at[1]])
        at[0].elts[at[1]] = expression(f"{old}.astype(np.{self.r.choice(DTYPES)})")
        return True

    def rank(self) -> bool:
        arrays = self.arrays()
        at = self.argument(self.r.choice(arrays)) if arrays else None
        if not at:
            return False
        old = ast.unparse(at[0].elts[at[1]])
        at[0].elts[at[1]] = expression(
            self.r.choice(
                [f"{old}[None]", f"{old}[..., None]", f"np.stack(({old}, {old}))", f"{old}[0]"]
            )
        )
        return True

    def size(self) -> bool:
        """Another number where an argument is a number."""
        end = self.given.body[-1]
        if not isinstance(end, ast.Return) or not isinstance(end.value, ast.Tuple):
            return False
        for k in self.r.sample(range(len(end.value.elts)), len(end.value.elts)):
            e = end.value.elts[k]
            if isinstance(e, ast.Constant) and isinstance(e.value, (int, float)):
                end.value.elts[k] = expression(
                    self.r.choice(
                        [
                            "0",
                            "1",
                            "-1",
                            "2",
                            f"{e.value} + 1",
                            f"{e.value} - 1",
                            "0.5",
                            "np.int32(3)",
                            "np.float32(0.5)",
                            "True",
                        ]
                    )
                )
                return True
        return False

    def bounds(self) -> bool:
        """Another order, another stretch of a loop."""
        call = self.pick(
            ast.Call, lambda c: isinstance(c.func, ast.Name) and c.func.id in ("range", "prange")
        )
        if not call:
            return False
        args = [ast.unparse(a) for a in call.args]
        lo, hi, step = ("0", args[0], "1") if len(args) == 1 else (*args, "1")[:3]
        forms = [f"({hi}) - 1, ({lo}) - 1, -1", f"({lo}) + 1, {hi}", f"{lo}, {hi}, 2", f"{lo}, ({hi}) - 1", f"({hi}) - 1, {lo}, -1",
                 f"{lo}, {hi}, 3", f"{lo}, {lo}", f"{lo}, ({lo}) + 1", f"{lo}, {hi}, {step}", f"-1, {hi}", f"({hi}) // 2"]  # fmt: skip
        call.args = expression(f"f({self.r.choice(forms)})").args  # type: ignore[attr-defined]
        return True

    def swap_loops(self) -> bool:
        outer = self.pick(
            ast.For, lambda s: len(s.body) == 1 and isinstance(s.body[0], ast.For) and not s.orelse
        )
        if not outer:
            return False
        inner = outer.body[0]
        outer.target, inner.target = inner.target, outer.target
        outer.iter, inner.iter = inner.iter, outer.iter
        return True

    def parallel(self) -> bool:
        name = self.pick(ast.Name, lambda n: n.id in ("range", "prange"))
        if name:
            name.id = "prange" if name.id == "range" else "range"
        return bool(name)

    def around(self) -> bool:
        """A statement in a loop, a branch, a try."""
        at = self.statement((ast.Assign, ast.AugAssign, ast.For, ast.If))
        if not at:
            return False
        block, k = at
        v = self.fresh("q")
        shell = self.r.choice([f"for {v} in range(2):\n    pass", "if True:\n    pass", "try:\n    pass\nexcept IndexError:\n    pass", f"for {v} in range(1):\n    pass",
                               "try:\n    pass\nexcept ValueError:\n    raise", f"{v} = 0\nwhile {v} < 2:\n    {v} += 1\n    pass"])  # fmt: skip
        new = ast.parse(shell).body
        new[-1].body[-1:] = [block[k]]  # type: ignore[attr-defined]
        block[k : k + 1] = new
        return True

    def order(self) -> bool:
        at = self.statement()
        if not at:
            return False
        block, k = at
        form = self.r.random()
        if form < 0.4 and k + 1 < len(block):
            block[k], block[k + 1] = block[k + 1], block[k]
        elif form < 0.8 and not isinstance(block[k], ast.Return):
            block.insert(k, ast.parse(ast.unparse(block[k])).body[0])
        elif len(block) > 1:
            del block[k]
        return True

    def augment(self) -> bool:
        at = self.statement((ast.AugAssign, ast.Assign))
        if not at:
            return False
        block, k = at
        s: Any = block[k]
        if isinstance(s, ast.AugAssign):
            target = ast.unparse(s.target)
            op = ast.unparse(ast.BinOp(ast.Name("x"), s.op, ast.Name("y")))[2:-2]
            left = f"{target} {op} ({ast.unparse(s.value)})"
            right = f"({ast.unparse(s.value)}) {op} {target}"
            block[k] = ast.parse(f"{target} = {self.r.choice([left, left, right])}").body[0]
        elif len(s.targets) == 1 and isinstance(s.targets[0], (ast.Name, ast.Subscript)):
            op = self.r.choice(["+", "-", "*"])
            block[k] = ast.parse(f"{ast.unparse(s.targets[0])} {op}= {ast.unparse(s.value)}").body[
                0
            ]
        return True

    def twice(self) -> bool:
        """A value is kept and used again, or the result is."""
        at = self.statement(ast.Return)
        if at and self.r.random() < 0.4:
            block, k = at
            v: Any = block[k]
            if v.value is None:
                return False
            name = self.fresh("r")
            use = self.r.choice([f"{name}, {name}", f"{name}, {ast.unparse(v.value)}", f"{name}"])
            block[k : k + 1] = ast.parse(f"{name} = {ast.unparse(v.value)}").body + [
                ast.Return(expression(use))
            ]
            return True
        at = self.statement(ast.Assign)
        if not at:
            return False
        block, k = at
        s: Any = block[k]
        if not isinstance(s.targets[0], ast.Name):
            return False
        name, x = self.fresh("r"), s.targets[0].id
        block[k + 1 : k + 1] = ast.parse(
            f"{name} = {x}\n{x} = {self.r.choice([name, f'{name} + {x} - {name}', f'{x} * 1'])}"
        ).body
        return True

    def out(self) -> bool:
        """`a = x + y` becomes `np.add(x, y, out=a)`."""
        s = self.pick(
            ast.Assign, lambda s: isinstance(s.value, ast.BinOp) and type(s.value.op) in UFUNC
        )
        if not s:
            return False
        f = UFUNC[type(s.value.op)]
        target = ast.unparse(s.targets[0])
        call = f"np.{f}({ast.unparse(s.value.left)}, {ast.unparse(s.value.right)}"
        arrays = self.arrays()
        to = self.r.choice(
            [*arrays, target] if isinstance(s.targets[0], ast.Name) else [target, *arrays]
        )
        if isinstance(s.targets[0], ast.Name):
            s.value = expression(f"{call}, out={to})" if self.r.random() < 0.7 else f"{call})")
        else:
            s.value = expression(f"{call})")
        return True

    def operator(self) -> bool:
        node = self.pick((ast.BinOp, ast.AugAssign, ast.Compare))
        if not node:
            return False
        if isinstance(node, ast.Compare):
            node.ops[0] = self.r.choice([ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq])()
        else:
            node.op = self.r.choice(
                [
                    ast.Add,
                    ast.Sub,
                    ast.Mult,
                    ast.Add,
                    ast.Sub,
                    ast.FloorDiv,
                    ast.Mod,
                    ast.Div,
                    ast.BitAnd,
                ]
            )()
        return True

    def index(self) -> bool:
        node = self.pick(ast.Subscript)
        if not node:
            return False
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        k = self.r.randrange(len(parts)) if parts else 0
        if not parts or isinstance(parts[k], ast.Slice):
            if not parts:
                return False
            old = parts[k]
            new = self.r.choice(
                ["x[1:]", "x[:-1]", "x[::-1]", "x[::2]", "x[:]", "x[2:]", "x[-2:]", "x[0]"]
            )
            part = expression(new).slice  # type: ignore[attr-defined]
            parts[k] = old if old is part else part
        else:
            i = ast.unparse(parts[k])
            parts[k] = expression(
                self.r.choice(
                    [
                        f"{i} - 1",
                        f"{i} + 1",
                        f"-{i}",
                        f"{i} // 2",
                        f"{i} % 2",
                        f"({i}) * 2",
                        f"({i}) ^ 1",
                        "0",
                        "-1",
                        f"-1 - ({i})",
                    ]
                )
            )
        if not isinstance(node.slice, ast.Tuple):
            node.slice = parts[0]
        return True

    def rename(self) -> bool:
        """One variable is read in place of another."""
        places = [
            p for p in self.expressions() if isinstance(p[3], ast.Name) and p[3].id in self.locals()
        ]
        if not places:
            return False
        return self.put(
            self.r.choice(places), ast.Name(self.r.choice(sorted(self.locals())), ast.Load())
        )

    def constant(self) -> bool:
        places = [
            p
            for p in self.expressions()
            if isinstance(p[3], ast.Constant) and type(p[3].value) in (int, float)
        ]
        if not places:
            return False
        place = self.r.choice(places)
        v = place[3].value  # type: ignore[attr-defined]
        new = (
            self.r.choice([0, 1, 2, v + 1, v - 1, -v, v * 2, float(v), 0.5, 3, 7])
            if isinstance(v, int)
            else self.r.choice([0.0, 1.0, -0.0, v / 2, -v, 2])
        )
        return self.put(place, expression(repr(new)))

    def graft(self) -> bool:
        """An expression of the same program in place of another."""
        places = self.expressions()
        if len(places) < 2:
            return False
        a, b = self.r.sample(places, 2)
        if any(isinstance(x, (ast.Slice, ast.Starred)) for p in (a, b) for x in ast.walk(p[3])):
            return False
        return self.put(a, expression(ast.unparse(b[3])))

    def wrap(self) -> bool:
        """An expression in a function that leaves most of it."""
        places = [
            p
            for p in self.expressions()
            if not isinstance(p[3], (ast.Slice, ast.Starred, ast.Tuple))
        ]
        if not places:
            return False
        place = self.r.choice(places)
        e = ast.unparse(place[3])
        form = self.r.choice(["abs({})", "-({})", "({}) + 0", "({}) * 1", "np.abs({})", "np.maximum({}, 0)", "min({}, 3)", "({}) if True else 0", "+({})", "np.where(({}) > 0, {}, 0)",
                              "float({})", "int({})", "({})[0]", "({}).copy()", "({}).sum()", "({}) - ({})"])  # fmt: skip
        return self.put(place, expression(form.replace("{}", e)))


UFUNC = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Mod: "remainder",
}
MUTATIONS = (
    Mutant.old_value, Mutant.outline, Mutant.outline, Mutant.outline_body, Mutant.view_helper, Mutant.view_helper,
    Mutant.view, Mutant.view, Mutant.alias, Mutant.dtype, Mutant.dtype, Mutant.rank, Mutant.size, Mutant.bounds,
    Mutant.bounds, Mutant.swap_loops, Mutant.parallel, Mutant.around, Mutant.order, Mutant.augment, Mutant.twice,
    Mutant.out, Mutant.operator, Mutant.index, Mutant.index, Mutant.rename, Mutant.constant, Mutant.graft, Mutant.wrap,
)  # fmt: skip


def place(block: list[Any]) -> None:
    """Give the statements that were written anew a line, which is all that unparsing asks for."""
    for s in block:
        s.lineno = getattr(s, "lineno", 1)
        for inner in ("body", "orelse", "finalbody", "handlers"):
            place(getattr(s, inner, []))


def unparsed(tree: ast.Module) -> str:
    place(tree.body)
    return ast.unparse(tree)


def expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


# ---- judging -----------------------------------------------------------------------------


NARROW = {"float16": r"float16|\bf2\b", "float32": r"float32|\bf4\b|complex64"}
MOST = {"float16": (8.0, 8.0), "float32": (512.0, 1e2)}  # units, and the magnitude of terms


@dataclass
class Tolerance(Options):
    """In units of the dtype, or of a narrower one that the program names: a result may come from it."""

    narrow: str = ""
    great: float = 0.0  # magnitude of the arguments, where it is one that numbers are not exact at

    def of(self, dtype: np.dtype) -> Options:
        name = str(np.finfo(dtype).dtype)
        ulp, scale = self.ulp, self.scale
        if name in MOST:
            ulp, scale = min(ulp, MOST[name][0]), min(scale, MOST[name][1])
        wide = float(np.finfo(self.narrow or dtype).eps) / float(np.finfo(dtype).eps)
        if wide > 1 and 2 * wide > ulp:
            ulp, scale = 2 * wide, 1.0
        if name != "float16":  # which has no number near 2**53
            scale = max(scale, 1e3 * self.great)
        return Options(views=self.views, zeros=self.zeros, ulp=ulp, scale=scale)


def magnitude(given: tuple) -> float:
    """Of the terms of sums where arguments hold numbers that are not exact; of others, 0."""
    arrays = (x for x in given if isinstance(x, np.ndarray) and x.dtype.names is None)
    greatest = [np.max(np.abs(x[np.isfinite(x)].astype(complex)), initial=0) for x in arrays]
    return float(max(greatest, default=0)) if max(greatest, default=0) >= 2**53 else 0.0


class MutantRules(Rules):
    """As near as the program that was mutated had to be."""

    def __init__(self, text: str, parallel: bool = False, given: tuple = ()) -> None:
        super().__init__(text, joins=True)
        rough = re.search(r"^ROUGH = \(?([^,]*), ([^)]*)\)?$", text, re.M)
        inexact = re.search(
            r"\b(sum|mean|prod|dot|var|std|cumsum|cumprod|linspace|logspace|exp|log|sin|cos|tan|tanh|power|hypot|cbrt|@|\*\*|complex\w*|j)\b|@|\*\*|\dj",
            text,
        )
        if rough or inexact or parallel:
            ulp, scale = (1e6, 1e3) if parallel or rough else (64.0, 1e3)
            self.options = Tolerance(views=False, zeros=False, ulp=ulp, scale=scale)
            names = [n for n, form in NARROW.items() if re.search(form, text)]
            self.options.great = magnitude(given)
            self.options.narrow = names[0] if names else ""
        self.messages = False


def text(seed: int) -> str:
    return Mutant(seed).text()


SERIAL = ("optimised", "lanes", "debug", "lanes8")
PARALLEL = ("parallel", "parallel-lanes", "parallel-optimised")


def modes(seed: int) -> tuple[str, ...]:
    return (SERIAL[seed % 4], PARALLEL[seed % 3])


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    try:
        ours = oracle(text, prange=range)
        given = ours.inputs()
        want = judging.run(ours.fuzzed, copy_args(given))
        moves = "prange" in text and loops.ordered(text, want)
    except Outside as e:
        return Verdict("outside", why=str(e))
    except Exception as e:
        return Verdict("outside", why=f"inputs: {type(e).__name__}")
    module = load(text)
    try:
        for mode in (mode,) if mode else modes(seed):
            verdict = judged(module, text, given, want, mode, moves)
            if verdict.state != "same":
                return verdict
    finally:
        forget(module)
    return Verdict("same")


def judged(module: Any, text: str, given: tuple, want: Any, mode: str, moves: bool) -> Verdict:
    got, f = judging.compiled_run(module, mode, copy_args(given))
    rules = MutantRules(text, "parallel" in mode, given)
    if isinstance(got.error, RaceError):
        return Verdict("race refused")
    if rules.refused(got.error):
        if judging.same_refusal(want.error, got.error):
            return Verdict("same")
        return Verdict("refused", why=judging.said(got.error))
    if "parallel" in mode and "prange" in text:
        said = str(f.explain())
        if (moves or want.error) and any(x in said for x in loops.UNPROVEN):
            return Verdict("promised, races")
        if re.search(r"^ *except", text, re.M) and not want.error:
            return Verdict("promised, may have caught an error")  # beside which others ran
    found = rules.compare(want, got, mode)
    why = found and documented(text, want, got, given, rules, mode)
    if why:
        return Verdict("documented", why=why)
    return Verdict("differs", Difference(mode, *found)) if found else Verdict("same")
