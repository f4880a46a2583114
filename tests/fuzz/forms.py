# SPDX-License-Identifier: BSD-3-Clause
"""Each form of an expression or statement with each kind of value, as an argument, a constant or a
global: what a user writes by mistake, or in a way that nobody thought of."""

from __future__ import annotations

import copy
import random
import re
from typing import Any

from .judge import SERIAL, Outcome, Rules, Verdict, judge
from .program import HEADER

VALUES = {
    "int": ("3", "0", "(-2)", "100"),
    "float": ("2.5", "(-0.5)", "(-0.0)", "math.inf"),
    "complex": ("(1 + 2j)",),
    "bool": ("True", "False"),
    "none": ("None",),
    "str": ("'ab'", "''"),
    "tuple": ("(3, 1, 2)", "(0.5, 2.0)", "()", "(5,)", "((1, 2), (3, 4))"),
    "list": ("[3, 1, 2]", "[0.5, 2.0]", "[]", "[5]", "[[1, 2], [3]]", "[(1, 0.5), (3, 4.5)]"),
    "range": ("range(4)", "range(0)", "range(5, 1, -2)"),
    "dict": ("{1: 2, 3: 4}", "{1: 0.5}", "{(1, 2): 0.5}"),
    "scalar": ("np.int8(100)", "np.uint8(200)", "np.float32(0.1)", "np.float16(2.5)",
               "np.complex64(1 + 2j)", "np.bool_(True)", "np.int64(-7)"),
    "array": ("np.array([3.0, -1.0, 2.0])", "np.array([3, 1, 2])", "np.array([True, False])",
              "np.array([200, 100], np.uint8)", "np.array([1 + 2j, 3j])", "np.arange(10)[::-2]",
              "np.arange(6.0).reshape(2, 3)", "np.asfortranarray(np.arange(6).reshape(2, 3))",
              "np.arange(8).reshape(2, 2, 2)", "np.ones((2, 3), np.float32)", "np.array(2.5)"),
}  # fmt: skip

# of a; of a and b
ONE = (
    "abs({})", "all({})", "any({})", "bool({})", "complex({})", "float({})", "int({})",
    "len({})", "list({})", "max({})", "min({})", "round({})", "sorted({})", "sum({})",
    "tuple({})", "dict({})", "list(reversed({}))", "list(enumerate({}))",
    "list(zip({}, range(9)))", "sorted({}, reverse=True)", "list(map(abs, {}))",
    "list(filter(None, {}))", "round({}, 1)", "not {}", "-{}", "+{}", "~{}", "[q for q in {}]",
    "{} * 2", "2 * {}", "({})[0]", "({})[-1]", "({})[1:]", "({})[::-1]", "[*{}]",
    "next(iter({}))", "math.floor({})", "math.isnan({})", "math.sqrt({})", "math.fsum({})",
    "math.hypot({}, {})", "math.frexp({})", "math.dist({}, {})", "math.copysign(1.0, {})",
    "isinstance({}, (int, float))", "isinstance({}, (list, tuple))",
    "isinstance({}, np.ndarray)", "({}).real", "({}).imag", "({}).conjugate()", "({}).numerator",
    "({}).ndim", "({}).shape", "({}).copy()", "({}).sum()", "({}).dtype == float",
    "type({}) == float", "type({}) is int", "({}) is None", "({},) == ({},)", "({}, {})[1]",
    "[{}, {}][0]", "[{}] == [{}]", "{{1: {}}}", "{} == {}", "{} in ({},)", "1 in {}",
    "2.5 in {}", "[1, 2] in {}", "(1, 2) in {}", "np.array({})", "np.array([{}, {}])",
    "np.asarray({})", "np.sum({})", "np.sort({})", "[[x, x] for x in {}]",
    "[x for x in {} if x]", "sum(x for x in {})", "max(x for x in {})",
    "{{i: q for i, q in enumerate({})}}", "range({})[0]", "(lambda x: x)({})", "({})[0][0]",
    "({})[0, 0]", "({})[None]", "({})[...]", "len(({}, 2))", "1 if ({},) else 2", "[{}] + [{}]",
)  # fmt: skip
TWO = (
    "{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "{} & {}", "{} | {}",
    "{} ^ {}", "{} == {}", "{} != {}", "{} < {}", "{} >= {}", "{} in {}", "{} not in {}",
    "{} @ {}", "({}, {})", "divmod({}, {})", "math.copysign({}, {})", "math.atan2({}, {})",
    "np.add({}, {})", "math.dist({}, {})", "np.maximum({}, {})", "np.where({}, {}, 0)",
    "range({}, {})[0]", "sum({}, {})", "isinstance({}, type({}))", "({})[{}]", "({}).index({})",
    "({}).count({})", "np.full(2, {}, dtype=type({}))",
    "[{}, {}]", "({},) + {}", "[{}] + {}", "[{}] == {}", "({},) < {}", "{} is {}",
    "np.dot({}, {})", "np.append({}, {})",
)  # fmt: skip
STATEMENTS = (
    "for q in a: r = r + 1", "r = [i for i, q in enumerate(a, 2)]", "for p, q in a: r += 1",
    "r, q = a", "r, *q = a", "while a:\n        r += 1\n        if r > 2: break", "if a: r = 6",
    "assert a", "if isinstance(a, np.ndarray) and a.ndim == 1: r = a.size", "r = a; r += a",
    "a += b", "a -= b", "a *= b", "a[0] = b", "a[b] = 1", "del a[b]", "a.append(b)",
    "a.insert(0, b)", "a.remove(b)", "r = [c for c in b if c == a]", "a, r = b, a",
    "def g(x): return x\n    r = g(a)", "def g(x=a): return x\n    r = g()",
    "def g(*x): return len(x)\n    r = g(a, *a)", "r = a, r",
    "it = iter(a)\n    next(it)\n    r = [x for x in it]", "a[0], a[-1] = a[-1], a[0]",
    "r = a[b:]", "try:\n        r = len(a)\n    except TypeError:\n        r = 8",
    "match a:\n        case [p, q]: r = 1\n        case _: r = 2",
    "match a:\n        case 0 | 3: r = 1\n        case True: r = 2\n        case 2.5: r = 3",
)  # fmt: skip


def left_out(form: str, kinds: list[str], texts: list[str]) -> bool:
    """What docs/semantics.md says is otherwise: numbers of lists, what begins a sum of nothing,
    and what bool and int have in common. A display may pass for a tuple beside a variable."""
    of_lists = kinds[0] == "list" and kinds[-1] in ("scalar", "array")
    return (
        (of_lists and len(kinds) > 1 and not form.startswith(("{} =", "{} !", "{} in")))
        or ("sum(" in form and any(t in ("()", "[]", "range(0)") for t in texts))
        or ("is {}" in form and kinds[0] != "none")
        or (kinds[-1] == "tuple" and form in ("[{}] + {}", "[1, 2] in {}", "[{}] == {}"))
    )


def text(seed: int) -> str:
    r = random.Random(seed)
    while True:
        kinds = [r.choice(list(VALUES)) for _ in "ab"]
        texts = [r.choice(VALUES[k]) for k in kinds]
        form = r.choice(r.choice((ONE, ONE, TWO, STATEMENTS)))
        if form in ONE:
            del kinds[1:], texts[1:]
        if not left_out(form, kinds, texts):
            break
    place = r.choice(["argument", "argument", "constant", "global"])
    if "list" in kinds or "dict" in kinds or form in STATEMENTS:
        place = "argument"  # a global list is a tuple
    names = ["a", "b"][: len(texts)]
    used = names if place != "constant" else texts
    n = form.count("{}")
    body = f"r = 0\n    {form}\n    return r, a"
    if form not in STATEMENTS:
        body = f"return {form.format(*(used * n)[:n])}"
    made = "".join(f"{k} = {v}\n" for k, v in zip(names, texts, strict=True))
    tail = ", ".join(names) + ","
    if place == "argument":
        inputs = re.sub(r"^", "    ", made.rstrip(), flags=re.M)
        tail = f"\n\n\ndef inputs():\n{inputs}\n    return {tail}\n"
        return f"{HEADER}def fuzzed({', '.join(names)}):\n    {body}{tail}"
    names_of = made + "\n\n" if place == "global" else ""
    return f"{HEADER}{names_of}def fuzzed():\n    {body}\n\n\ndef inputs():\n    return ()\n"


def spread(value: Any) -> Any:
    """Lists and dicts as tuples, whose items are compared one by one."""
    if isinstance(value, (tuple, list)):
        return (type(value).__name__, *map(spread, value))
    if isinstance(value, dict):
        return ("dict", *((spread(k), spread(v)) for k, v in value.items()))
    return value


def copied(args: tuple) -> tuple:
    """Lists and dicts, too; of no two arrays is memory in common."""
    return copy.deepcopy(args)


class FormRules(Rules):
    messages = False

    def compare(self, want: Outcome, got: Outcome, mode: str) -> tuple[str, str] | None:
        both = [Outcome(spread(x.value), x.error, spread(x.args)) for x in (want, got)]
        return super().compare(*both, mode)


def verdict(text: str, seed: int, mode: str = "") -> Verdict:
    rules = FormRules(text, joins=True)
    if re.search(r"np\.(sum|dot)\(", text):
        rules.options.zeros = False  # NumPy adds to 0
    modes = (mode,) if mode else ("plain", SERIAL[seed % 2])
    return judge(text, modes, rules, copied)
