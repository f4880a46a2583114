# SPDX-License-Identifier: BSD-3-Clause
"""Random programs of nested loops, for test_fuzz_parallel.py.

A nest is `safe` or `wild`. In a safe one each array that is written has an index that names the
iteration in each prange around, the same wherever the array is touched; scalars are set before
they are read, or reduced. So its iterations are independent, and nobody may refuse it. In a wild
one, and in a nest of range loops alone, any element may be touched. Scalars keep their types and
Python ints stay far from the limits of int64, as in test_fuzz.py."""

from __future__ import annotations

from dataclasses import dataclass, field

import test_fuzz
from test_fuzz import Program

ARRAYS = {  # name: kind, axes
    "a": ("f8", "n"),
    "b": ("f8", "n"),
    "c": ("f4", "n"),
    "d": ("i8", "n"),
    "e": ("i4", "n"),
    "g": ("u1", "n"),
    "q": ("bool", "n"),
    "u": ("f8", "m"),
    "v": ("i8", "m"),
    "A": ("f8", "nm"),
    "B": ("i8", "nm"),
    "C": ("f4", "mn"),
    "D": ("f8", "nm"),
    "T": ("f8", "nm3"),
    "F": ("f8", "*"),  # n * m elements
    "w": ("sink", "n"),  # f8; takes what elementary functions give, and is never read
    "h": ("sum", "m"),  # i8 and f8; written in loops by h[...] += ... alone
    "k": ("sumf", "m"),
}
DTYPES = {"sink": "f8", "sum": "i8", "sumf": "f8"}
HELPERS = """
def clamp(x):
    return x if x > -9.0 else -9.0

def both(x, y):
    s = x * 0.5
    while s > 3.0:
        s -= y * y + 1.0
    return s

def put(r, j, x):
    r[j] = x

def total(r):
    s = r.dtype.type(0)
    for x in r:
        s += x
    return s

def bump(r, x):
    for j in range(len(r)):
        r[j] += x

"""
WRAP = dict(test_fuzz.WRAP, i4="np.int32({})", u1="np.uint8({})", bool="bool({})")
EXTRA = {
    "i4": ("np.abs({})", "~{}", "-{}", "max({}, np.int32(2))"),
    "u1": ("~{}", "min({}, np.uint8(9))", "np.maximum({}, 3)"),
    "bool": ("(not {})",),
}
EXTRA["float"] = (*test_fuzz.FUNCTIONS["float"], "clamp(float({}))", "both(float({}), 0.5)")
FUNCTIONS = {**test_fuzz.FUNCTIONS, **EXTRA}


@dataclass
class Axis:
    """A loop's variable: what it may index."""

    name: str
    dim: str
    forms: tuple  # texts that are in range, each another element in each iteration
    par: bool


@dataclass
class Nest:
    safe: bool
    par: bool
    own: dict = field(default_factory=dict)  # prange's dim -> text of the index that is its own
    roles: dict = field(default_factory=dict)  # array -> own, read, acc
    reds: list = field(default_factory=list)  # (name, kind, op)
    updates: dict = field(default_factory=dict)  # array of a sum -> how it is updated
    no_continue: bool = False


class ParallelProgram(Program):
    def __init__(self, seed):
        super().__init__(seed)
        self.names = {"i0": "int", "f0": "float"}
        self.fixed = {"i0", "f0"}
        self.axes = []
        self.nest = None
        self.local = {}  # array of the loop's body -> kind, axes, writable
        self.level = {}  # of a scalar: how many pranges are around it
        self.count = 0
        self.parallel = False  # has a prange
        self.wild = False  # one that may race
        self.uses_last = False
        self.close = set()  # scalars returned that may differ in rounding when parallel
        self.summed = set()  # and always
        self.ordered = set()  # of the last iteration
        self.unordered = set()  # or hang on where a NaN was
        self.results = []
        names = [x for x in ARRAYS if x not in "whk"]
        self.arrays = sorted(self.random.sample(names, self.random.randint(3, 7)))
        self.arrays += [x for x in "whk" if self.chance(0.4)]
        if not {"a", "b", "A"} & set(self.arrays):
            self.arrays.append("a")
        self.kinds = {ARRAYS[x][0] for x in self.arrays}

    def fresh(self, prefix):
        self.count += 1
        return f"{prefix}{self.count}"

    # ---- elements --------------------------------------------------------------------

    def facts(self, name):
        """Kind, axes, and whether it may be written here: not what pranges inside share."""
        if name not in self.local:
            return (*ARRAYS[name], True)
        kind, axes, depth = self.local[name]
        return kind, axes, depth == self.pars()

    def pars(self):
        return sum(x.par for x in self.axes)

    def free_index(self, dim):
        """An index in range nearly always."""
        forms = [f for x in self.axes if x.dim == dim for f in x.forms]
        if forms and self.chance(0.75):
            return self.pick(*forms)
        if self.chance(0.3):
            return self.pick("0", "-1")
        size = self.size(dim)
        forms = [
            f"({self.scalar('int', 1)}) % {size}",
            f"({self.scalar('int', 1)}) % {size} - {size}",
        ]
        if self.chance(0.04):
            forms = [x.name + self.pick(" - 1", " + 1") for x in self.axes] or forms
        return self.pick(*forms)

    def size(self, dim):
        return {"*": "(n * m)"}.get(dim, dim)

    def flat_index(self):
        i = next((x for x in self.axes if x.dim == "n" and x.forms[0] == x.name), None)
        j = next((x for x in self.axes if x.dim == "m" and x.forms[0] == x.name), None)
        if not i or not j:
            return None
        return f"{i.name} * m + {j.name}"

    def place(self, name, writing=False):
        """The index, by axis, of an element of an array that may be touched here; or None."""
        kind, axes, writable = self.facts(name)
        nest = self.nest
        if (writing and not writable) or (kind in DTYPES and not writing):
            return None
        if nest is None or name in self.local or not (nest.safe and nest.par):
            if axes == "*" and self.chance(0.7):
                flat = self.flat_index()
                return [flat] if flat else None
            return [self.free_index(x) for x in axes]
        role = nest.roles[name]
        if role == "read":
            return None if writing else self.index_list(axes)
        if role == "acc":
            return None
        around = [x for x in self.axes if x.par]
        if axes == "*":
            flat = self.flat_index()
            pars = {x.dim for x in around}
            return [flat] if flat and pars <= set("nm") else None
        if any(x.dim not in axes for x in around):
            return None
        own = {x.dim for x in around}
        return [nest.own[x] if x in own else self.free_index(x) for x in axes]

    def index_list(self, axes):
        return [self.free_index(x) for x in axes]

    def text_of(self, name, index):
        if len(index) == 1:
            return f"{name}[{index[0]}]"
        if len(index) == 2 and self.chance(0.1):
            return f"{name}.T[{index[1]}, {index[0]}]"
        if len(index) == 2 and self.chance(0.15):
            return f"{name}[{index[0]}][{index[1]}]"
        return f"{name}[{', '.join(index)}]"

    def element(self, kind):
        names = [x for x in (*self.arrays, *self.local) if self.facts(x)[0] == kind]
        self.random.shuffle(names)
        for name in names:
            index = self.place(name)
            if index:
                return self.text_of(name, index)
        name = self.variable(kind)
        if name:
            return name
        literal = {"f8": "1.5", "f4": "0.75", "i8": "5", "i4": "7", "u1": "200", "bool": "1"}
        return WRAP[kind].format(literal[kind])

    def leaf(self, kind):
        name = self.variable(kind)
        if name and self.chance(0.5):
            return name
        if kind == "int":
            if self.chance(0.25) and self.kinds & {"d", "e", "i4", "u1"}:
                return f"int({self.element(self.pick('i4', 'u1'))}) % 1009"
            return self.pick(str(self.random.randint(-9, 20)), "n", "m", "i0")
        if kind == "float":
            return self.pick("0.5", "2.0", "-1.25", "3.75", "f0", "float(m)")
        return self.element(kind)

    def scalar(self, kind, depth):
        if depth <= 0 or self.chance(0.25):
            return self.leaf(kind)
        if self.chance(0.1):
            return self.pick(*FUNCTIONS[kind]).format(f"({self.scalar(kind, depth - 1)})")
        if self.chance(0.1) and kind in ("i4", "u1", "bool"):
            inner = self.scalar("int", depth - 1)
            wrap = {"i4": "{} % 1009", "u1": "({}) & 255", "bool": "{}"}[kind]
            return WRAP[kind].format(wrap.format(f"({inner})"))
        if kind == "bool":
            return self.condition(depth - 1)
        if kind not in ("i4", "u1"):
            return super().scalar(kind, depth)
        if self.chance(0.2):
            a, b = self.scalar(kind, depth - 1), self.scalar(kind, depth - 1)
            choose = f"(({a}) if {self.condition(depth - 1)} else ({b}))"
            return self.pick(choose, f"{self.pick('min', 'max')}({a}, {b})")
        return self.binary(kind, depth)

    def binary(self, kind, depth):
        if kind in ("i4", "u1"):
            left, right = self.scalar(kind, depth - 1), self.scalar(kind, depth - 1)
            if self.chance(0.3):
                right = self.pick("3", "1", "7", "100")
            op = self.pick("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
            return f"({left} {op} ({right}{' & 7' if op in ('<<', '>>') else ''}))"
        if kind == "float" and self.chance(0.8):
            left, right = self.scalar(kind, depth - 1), self.scalar("float", depth - 1)
            op = self.pick("+", "-", "*", "/", "//", "%")
            guard = f"(abs({right}) + 0.5)" if op in "//%" else f"{right}"
            return f"({left} {op} {guard})"
        if kind == "i8" and self.chance(0.15):
            left, right = self.scalar(kind, depth - 1), self.scalar(kind, depth - 1)
            return f"({left} {self.pick('<<', '>>')} ({right} & 15))"
        return super().binary(kind, depth)

    def int_binary(self, left, right):
        op = self.pick("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
        if op in ("//", "%") and self.chance(0.9):
            return f"(({left}) {op} (({right}) % 7 {self.pick('+ 1', '- 8')}))"
        return super().int_binary(left, right)

    def condition(self, depth):
        if self.chance(0.15):
            axes = [x.name for x in self.axes] or ["i0"]
            return self.pick("({} % 3 == 1)", "({} > 4)", "({} & 1)").format(self.pick(*axes))
        if "q" in self.arrays and self.chance(0.2):
            return f"({self.element('bool')})"
        return super().condition(depth)

    # ---- statements of a body ----------------------------------------------------------

    def kind(self):
        return self.pick("int", "float", "f8", "f4", "i8", "i8", "f8", "i4", "u1")

    def temporary(self):
        level = self.pars()
        mine = [x for x in self.names if x not in self.fixed and self.level[x] == level]
        if mine and self.chance(0.35):
            name = self.pick(*mine)
            kind = self.names[name]
        else:
            kind = self.kind()
            name = self.fresh("t")
            self.level[name] = level
        self.emit(f"{name} = {WRAP[kind].format(self.scalar(kind, 3))}")
        self.names[name] = kind

    def store(self):
        names = [x for x in (*self.arrays, *self.local) if self.facts(x)[0] not in ("sum", "sumf")]
        self.random.shuffle(names)
        for name in names:
            index = self.place(name, writing=True)
            if index:
                return self.store_to(name, index)
        return self.temporary()

    def store_to(self, name, index):
        kind = self.facts(name)[0]
        if kind == "sink":
            f = self.pick("np.sin({})", "np.exp(-abs({}))", "math.cos({})", "np.tanh({})")
            x = f"min(max(float({self.scalar('f8', 2)}), -50.0), 50.0)"
            return self.emit(f"{name}[{index[0]}] = {f.format(x)}")
        text = self.text_of(name, index)
        value = self.scalar(kind, 3)
        if kind == "u1":
            return self.emit(f"{text} {self.pick('=', '+=', '^=')} {value}")
        if kind == "bool":
            return self.emit(f"{text} {self.pick('=', '|=')} {value}")
        op = self.pick("=", "=", "=", "+=", "-=", "*=")
        return self.emit(f"{text} {op} {value}")

    def reduce(self):
        if not self.nest.reds:
            return self.temporary()
        name, kind, op = self.pick(*self.nest.reds)
        if op in ("<", ">", "<=", ">="):
            self.nest.reds.remove((name, kind, op))  # at one place only
            held = self.fresh("t")
            self.emit(f"{held} = {self.scalar(kind, 2)}")
            self.emit(f"if {held} {op} {name}:")
            self.emit(f"    {name} = {held}")
            self.emit(f"    {name}at = {self.pick(*[x.name for x in self.axes])}")
            self.ordered |= {f"{name}at", f"{name}too"}
            return self.emit(f"    {name}too = {self.axes[0].name}")
        if op == "bool":
            cond = self.condition(2)
            return self.emit(
                self.pick(
                    f"{name} = {name} and {cond}", f"{name} = {name} and bool({cond})"
                ).replace(" and " + cond, f" and bool({cond})")
            )
        if op == "found":
            self.emit(f"if {self.condition(2)}:")
            return self.emit(f"    {name} = True")
        value = self.scalar(kind, 2)
        if op == "*":
            value = f"(1.0 + 0.001 * min(max(float({value}), -5.0), 5.0))"
            return self.emit(f"{name} *= {value}")
        if op in ("min", "max"):
            sign = "<" if op == "min" else ">"
            form = self.random.choice([0, 2, 3]) if int(name[1:]) % 3 else 1
            if form != 0:
                held = self.fresh("t")
                self.emit(f"{held} = {value}")
                value = held
            if form == 0:
                return self.emit(f"{name} = {op}({name}, {value})")
            if form == 1:
                if kind in ("float", "f8", "f4"):
                    self.unordered.add(name)
                return self.emit(f"{name} = {op}({value}, {name})")
            if form == 2:
                return self.emit(f"{name} = {value} if {value} {sign} {name} else {name}")
            self.emit(f"if {value} {sign} {name}:")
            return self.emit(f"    {name} = {value}")
        if kind == "int":
            value = f"({value}) % 1009"
        if op in "&|":  # never a number that makes a constant of it
            value = f"(({value}) {'|' if op == '&' else '&'} {WRAP[kind].format('255')})"
        if op == "+" and self.chance(0.3):
            return self.emit(f"{name} = {self.pick(f'{name} + ({value})', f'({value}) + {name}')}")
        if op == "+" and self.chance(0.2):
            op = "-"
        return self.emit(f"{name} {op}= {value}")

    def accumulate(self):
        names = [x for x in "hk" if x in self.arrays]
        if not names:
            return self.store()
        name = self.pick(*names)
        kind = DTYPES[ARRAYS[name][0]]
        if self.chance(0.15) and not (self.local or self.nest.par and len(self.axes) > 1):
            row = next((x for x in "AB" if x in self.arrays and ARRAYS[x][0] == kind), None)
            index = row and self.place(row)
            if index and self.nest.updates.setdefault(name, "+") == "+":
                return self.emit(f"{name} += {row}[{index[0]}]")
        op = self.nest.updates.setdefault(name, self.pick("+", "+", "min", "max"))
        place, value = f"{name}[{self.free_index('m')}]", self.scalar(kind, 2)
        if op == "+":
            return self.emit(f"{place} += {value}")
        at = self.fresh("t")
        self.emit(f"{at} = {place[2:-1]}")
        return self.emit(f"{name}[{at}] = {op}({name}[{at}], {value})")

    def row(self):
        """A name for a row of an array."""
        names = [x for x in self.arrays if len(ARRAYS[x][1]) > 1]
        self.random.shuffle(names)
        for name in names:
            writable = True
            index = self.place(name, writing=True)
            if not index:
                writable, index = False, self.place(name)
            if not index:
                continue
            kind, axes, _ = self.facts(name)
            cut = self.random.randrange(len(axes))
            fixed = {x.dim for x in self.axes if x.par}
            if self.nest.par and self.nest.safe and axes[cut] in fixed and writable:
                continue
            r = self.fresh("r")
            if len(axes) == 2:
                texts = [
                    f"{name}[{index[0]}]",
                    f"{name}[{index[0]}, :]",
                    f"{name}.T[:, {index[0]}]",
                ]
                if cut == 0:
                    texts = [f"{name}[:, {index[1]}]", f"{name}.T[{index[1]}]"]
                if self.chance(0.2):
                    texts = [x + "[::-1]" for x in texts]
                left = axes[cut]
            else:
                if self.nest.par and self.nest.safe and writable and fixed - {axes[0]}:
                    continue
                texts, left = [f"{name}[{index[0]}]"], axes[1:]
            self.emit(f"{r} = {self.pick(*texts)}")
            self.local[r] = (kind, left, self.pars() if writable else -1)
            return None
        return self.temporary()

    def own_array(self):
        t = self.fresh("z")
        kind = self.pick("f8", "i8")
        dim = self.pick("m", "3")
        form = self.random.randint(0, 2)
        source = next((x for x in "uv" if x in self.arrays and ARRAYS[x][0] == kind), None)
        if form == 0 and source and dim == "m" and self.whole(source):
            self.emit(f"{t} = {source} * {self.pick('2', '3')} + {self.leaf(kind)}")
        elif form == 1:
            self.emit(f"{t} = np.empty({dim}, np.{'float64' if kind == 'f8' else 'int64'})")
            self.emit(f"{t}[:] = {self.scalar(kind, 2)}")
        else:
            self.emit(f"{t} = np.zeros({dim}, np.{'float64' if kind == 'f8' else 'int64'})")
        self.local[t] = (kind, dim, self.pars())

    def whole(self, name):
        """May all of the array be read here?"""
        nest = self.nest
        return name in self.local or not (nest.safe and nest.par) or nest.roles[name] == "read"

    def lines_of(self, kind):
        """Texts of whole rows of m elements that may be written; and read."""
        write, read = [], []
        for x in self.local:
            k, axes, w = self.facts(x)
            if k == kind and axes == "m":
                read.append(x)
                if w:
                    write.append(x)
        for x in self.arrays:
            k, axes = ARRAYS[x]
            if k != kind:
                continue
            if axes == "m" and self.whole(x):
                read.append(x)
            index = self.place(x, writing=True) if axes == "nm" else None
            pars = {a.dim for a in self.axes if a.par}
            free = not (self.nest.safe and self.nest.par)
            if index and (free or pars <= {"n"}):
                write.append(f"{x}[{index[0]}]")
                read.append(f"{x}[{index[0]}]")
            index = self.place(x) if axes == "nm" and self.whole(x) else None
            if index:
                read.append(f"{x}[{index[0]}]")
        return write, read

    def line_statement(self):
        kind = self.pick("f8", "f8", "i8")
        write, read = self.lines_of(kind)
        if not write:
            return self.store()
        target = self.pick(*write)
        op = self.pick("+", "-", "*")
        value = self.pick(*read)
        if self.chance(0.6):
            value = f"{value} {op} {self.pick(*read, self.leaf(kind))}"
        cut = self.random.randint(1, 3)
        part = self.pick(f"[{cut}:]", f"[:-{cut}]", "[::2]", "[::-1]")
        joined = target[:-1] + ", :]" if target.endswith("]") else target + "[:]"
        return self.emit(
            self.pick(
                f"{joined} = {value}",
                f"{joined} = {self.scalar(kind, 2)}",
                f"{joined} += {value}",
                f"{target}{part} = ({value}){part}",
                f"{target}[{cut}:] = {target}[:-{cut}] + {self.leaf(kind)}",
                f"{target}[:-{cut}] -= {target}[{cut}:]",
                f"bump({target}, {self.leaf(kind)})",
            )
        )

    def line_value(self):
        kind = self.pick("f8", "i8")
        _, read = self.lines_of(kind)
        if not read:
            return self.temporary()
        name = self.fresh("t")
        self.level[name] = self.pars()
        form = self.pick("total({})", "({})[0]", "({})[-1]", "({}).max()")
        if kind == "i8":
            form = self.pick(form, "({}).sum()", "({} * 2).sum()")
        self.emit(f"{name} = {form.format(self.pick(*read))}")
        self.names[name] = kind
        return None

    def helper(self):
        rows = [x for x in self.local if self.facts(x)[1] in ("m", "3") and self.facts(x)[2]]
        if rows:
            r = self.pick(*rows)
            kind, axes, _ = self.local[r]
            value = WRAP[kind].format(self.scalar(kind, 1))
            return self.emit(f"put({r}, {self.free_index(axes)}, {value})")
        return self.temporary()

    def scope(self, lines):
        """Run `lines`; names that are new are forgotten after."""
        names, local = dict(self.names), dict(self.local)
        self.depth += 1
        lines()
        self.depth -= 1
        self.names, self.local = names, local

    def some(self, most=3):
        for _ in range(self.random.randint(1, most)):
            self.statement()

    def branch(self):
        self.emit(f"if {self.condition(2)}:")
        self.scope(lambda: self.some(2))
        if self.chance(0.4):
            self.emit("else:")
            self.scope(lambda: self.some(2))

    def inner_loop(self):
        name = self.fresh("j")
        dim = self.pick("m", "m", "3", "n")
        size = self.size(dim)
        same = [x for x in self.axes if x.dim == dim and x.forms[0] == x.name]
        bounds, forms = f"{size}", (name, f"{name} - {size}", f"-1 - {name}")
        if same and self.chance(0.3):
            bounds = self.pick(f"{same[0].name} + 1, {size}", f"{same[0].name}")
        elif self.chance(0.4):
            bounds = self.pick(f"{size} - 1, -1, -1", f"0, {size}, 2", f"1, {size}")
        self.emit(f"for {name} in range({bounds}):")

        def body():
            self.names[name] = "int"
            self.fixed.add(name)
            self.axes.append(Axis(name, dim, forms, False))
            before = self.nest.no_continue
            self.nest.no_continue = False
            self.some(3)
            if self.chance(0.25):
                self.emit(f"if {self.condition(1)}:")
                self.emit(f"    {self.pick('break', 'continue')}")
                self.some(1)
            self.nest.no_continue = before
            self.axes.pop()

        self.scope(body)

    def while_loop(self):
        name = self.fresh("w")
        self.emit(
            f"{name} = {self.pick('0', '0', self.pick(*[x.name for x in self.axes] or ['0']))}"
        )
        self.emit(f"while {name} < {self.random.randint(2, 9)}:")

        def body():
            self.names[name] = "int"
            self.fixed.add(name)
            self.emit(f"    {name} += {self.random.randint(1, 3)}".replace("    ", "", 1))
            self.some(2)
            if self.chance(0.4):
                self.emit(f"if {self.condition(1)}:")
                self.emit(f"    {self.pick('break', 'continue')}")
                self.some(1)

        self.scope(body)

    def skip(self):
        if self.nest.no_continue or self.depth != self.nest_depth + 1:
            return self.temporary()
        self.emit(f"if {self.condition(1)}:")
        return self.emit("    continue")

    def statement(self):
        self.budget -= 1
        choices = [self.temporary, self.store, self.store, self.store]
        choices += [self.reduce, self.reduce, self.accumulate, self.helper, self.line_value]
        if self.budget > 0:
            choices += [self.row, self.own_array, self.line_statement, self.skip]
            if self.depth < 5:
                choices += [self.branch, self.inner_loop, self.while_loop]
        self.pick(*choices)()

    # ---- nests ---------------------------------------------------------------------------

    def reductions(self):
        for _ in range(self.random.randint(0, 2)):
            name = self.fresh("s")
            kind = self.pick("int", "float", "f8", "f4", "i8", "i4")
            ops = ["+", "+", "min", "max"]
            if kind in ("int", "i8", "i4"):
                ops += ["|", "&", "^"]
            if kind in ("float", "f8"):
                ops += ["*"]
            op = self.pick(*ops)
            if self.chance(0.15):
                kind, op = "bool", self.pick("bool", "found")
            start = {"min": "900", "max": "-900", "*": "1", "&": "-1", "bool": "True"}.get(op, "0")
            start = "False" if op == "found" else start
            if kind not in ("bool", "int") and self.chance(0.25):
                op = self.pick("<", ">", "<=", ">=")
                start = "900" if "<" in op else "-900"
                for also in (f"{name}at", f"{name}too"):
                    self.emit(f"{also} = -1")
                    self.results.append(also)
            self.emit(f"{name} = {start if kind == 'bool' else WRAP[kind].format(start)}")
            self.nest.reds.append((name, kind, op))

    def bounds(self, name, dim):
        """Bounds of a loop, and its indices that are in range."""
        size = self.size(dim)
        direct = (name, f"{name} - {size}", f"-1 - {name}", f"{size} - 1 - {name}")
        roll = self.random.random()
        if roll < 0.5:
            return self.pick(size, size, f"0, {size}", f"min({size}, {size})"), direct
        if roll < 0.6:
            return f"{size} - 1, -1, -1", direct
        if roll < 0.7:
            return self.pick(f"1, {size}", f"1, {size} - 1", f"0, {size}, 3", "2, 2"), direct
        if roll < 0.78:
            return f"{size} - 2, 0, -2", direct
        if roll < 0.86:
            return f"-{size}, 0", (f"{name} + {size}", name, f"-1 - {name}")
        if roll < 0.93:
            twos = (f"2 * {name}", f"2 * {name} + 1")
            return f"{size} // 2", self.pick(twos, twos[::-1])
        return f"i0 % 5, {size}", direct

    def roles(self, pars):
        for x in self.arrays:
            kind, axes = ARRAYS[x]
            could = axes == "*" or all(p in axes for p in pars)
            role = "own" if could and (kind == "sink" or self.chance(0.6)) else "read"
            if kind in ("sum", "sumf"):
                role = "acc"
            if axes == "*" and not (pars == ["n", "m"][: len(pars)] and self.straight):
                role = "read"
            self.nest.roles[x] = role

    def chain(self, dims, pars, headers):
        """A loop for each dim, with statements before and after the inner one."""
        dim, rest = dims[0], dims[1:]
        name, bounds, forms = headers[0]
        self.emit(f"for {name} in {'prange' if pars[0] else 'range'}({bounds}):")

        def body():
            self.names[name] = "int"
            self.fixed.add(name)
            self.axes.append(Axis(name, dim, forms, pars[0]))
            self.nest_depth = self.depth - 1
            outer = len(self.axes) == 1
            self.set_lasts(outer)
            if not rest or self.chance(0.3):
                self.nest.no_continue = bool(rest)
                self.some(4 if not rest else 2)
            if rest:
                self.chain(rest, pars[1:], headers[1:])
                self.nest.no_continue = True
                if self.chance(0.25):
                    self.some(2)
            if outer:
                self.set_lasts(False)
            self.axes.pop()

        self.scope(body)

    def loops(self):
        dims = self.pick("n", "n", "nm", "nm", "mn", "nm3", "m", "n3")
        par = self.chance(0.75)
        pars = [par and self.chance(0.6) for _ in dims]
        if par and not any(pars):
            pars[0] = True
        self.nest = Nest(self.chance(0.85 if par else 0.5), par)
        if not par:
            self.nest.safe = self.nest.safe and self.chance(0.7)
        headers = []
        self.straight = True
        for dim in dims:
            name = self.fresh("i")
            bounds, forms = self.bounds(name, dim)
            if "-" in bounds.split(",")[0] or forms[0] != name:
                self.straight = self.straight and forms[0] == name
            headers.append((name, bounds, forms))
        own = [d for d, p in zip(dims, pars, strict=True) if p or (self.nest.safe and not par)]
        for (name, _, forms), d, p in zip(headers, dims, pars, strict=True):
            if d in own:
                self.nest.own[d] = forms[0] if "2 *" in forms[0] else self.pick(*forms)
        if self.nest.safe:
            self.nest.par = True
        axes_par = [d in own for d in dims]
        self.roles(own)
        self.parallel |= par
        self.wild |= par and not self.nest.safe
        self.reductions()
        reds = list(self.nest.reds)
        self.last = []
        self.lasts(headers)
        if self.nest.safe and not par:
            self.as_if(dims, axes_par, headers)
        else:
            self.chain(dims, pars, headers)
        for name, kind, op in reds:
            self.results.append(name)
            if kind in ("float", "f8", "f4") and op in "+*":
                self.close.add(name)
        self.nest = None

    def as_if(self, dims, own, headers):
        """A nest of ranges whose iterations are independent."""
        at = len(self.lines)
        self.chain(dims, own, headers)
        self.lines[at:] = [x.replace(" prange(", " range(") for x in self.lines[at:]]

    def lasts(self, headers):
        """Scalars that each iteration of the outermost loop sets, wanted after it."""
        name, _, _ = headers[0]
        if self.chance(0.2):
            self.emit(f"{name} = -77")
            self.results.append(name)
            self.ordered.add(name)
        for _ in range(self.pick(0, 0, 1, 2)):
            kind = self.kind()
            last = self.fresh("l")
            self.emit(f"{last} = {WRAP[kind].format(self.pick('3', '7'))}")
            self.last.append((last, kind))
            self.ordered.add(last)
            self.results.append(last)

    def set_lasts(self, sure):
        for name, kind in self.last:
            if sure or (self.level.get(name) == self.pars() and self.chance(0.2)):
                self.emit(f"{name} = {WRAP[kind].format(self.scalar(kind, 2))}")
                self.names[name] = kind
                self.level[name] = self.pars()

    def between(self):
        """A statement outside of loops."""
        self.nest = Nest(False, False)
        pick = self.random.random()
        matrices = [x for x in self.arrays if ARRAYS[x][1] == "nm" and ARRAYS[x][0] == "f8"]
        vectors = [x for x in self.arrays if ARRAYS[x][1] == "n" and ARRAYS[x][0] == "f8"]
        if pick < 0.3 and len(matrices) == 2:
            x, y = matrices
            self.emit(
                self.pick(
                    f"{x}[:] = {x} * 2 - {y}",
                    f"{x} += {y}[::-1]",
                    f"{x}[1:] = {x}[:-1] + {y}[1:]",
                    f"{x}[:, ::-1] = {x} + 1",
                )
            )
        elif pick < 0.6 and len(vectors) == 2:
            x, y = vectors
            self.emit(
                self.pick(
                    f"{x}[:] = {y} - {x} * f0",
                    f"{x}[1:] = {x}[:-1] + {y}[1:]",
                    f"{x}[::-1] += {y}",
                    f"{x}[:-2] = {x}[2:]",
                )
            )
        elif pick < 0.8 and vectors:
            name = self.fresh("s")
            x = vectors[0]
            text = self.pick(
                f"({x} * 2).sum()", f"({x} * {x} + 1).sum()", f"({x} - f0).max(initial=0.0)"
            )
            self.emit(f"{name} = {text}")
            self.results.append(name)
            self.summed.add(name)
        self.nest = None

    def text(self):
        for _ in range(self.random.randint(1, 3)):
            self.budget = self.random.randint(4, 14)
            self.loops()
            if self.chance(0.3):
                self.between()
        head = HELPERS + f"def fuzzed(i0, f0, n, m, {', '.join(self.arrays)}):\n"
        tail = f"    return {', '.join([*self.results, 'n'])},\n"
        return head + "\n".join(self.lines) + "\n" + tail
