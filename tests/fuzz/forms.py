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
    "int": ("3", "0", "(-2)", "100", "(2**62)"),
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
               "np.complex64(1 + 2j)", "np.bool_(True)", "np.int64(-7)", "np.uint64(2**63)",
               "np.float64(-0.0)"),
    "array": ("np.array([3.0, -1.0, 2.0])", "np.array([3, 1, 2])", "np.array([True, False])",
              "np.array([200, 100], np.uint8)", "np.array([1 + 2j, 3j])", "np.arange(10)[::-2]",
              "np.arange(6.0).reshape(2, 3)", "np.asfortranarray(np.arange(6).reshape(2, 3))",
              "np.arange(8).reshape(2, 2, 2)", "np.ones((2, 3), np.float32)", "np.array(2.5)",
              "np.zeros((0, 3))", "np.array([], np.int64)", "np.array([math.nan, 1.0])",
              "np.array([2**63, 1], np.uint64)", "np.arange(24.0).reshape(4, 6)[::2, 1::2]"),
}  # fmt: skip

# of a; of a and b
ONE = (
    "abs({})", "all({})", "any({})", "bool({})", "complex({})", "float({})", "int({})", "len({})",
    "list({})", "max({})", "min({})", "round({})", "sorted({})", "sum({})", "tuple({})", "dict({})",
    "list(reversed({}))", "list(enumerate({}))", "list(zip({}, range(9)))",
    "sorted({}, reverse=True)", "list(map(abs, {}))", "list(filter(None, {}))", "round({}, 1)",
    "not {}", "-{}", "+{}", "~{}", "[q for q in {}]", "{} * 2", "2 * {}", "({})[0]", "({})[-1]",
    "({})[1:]", "({})[::-1]", "[*{}]", "next(iter({}))", "math.floor({})", "math.isnan({})",
    "math.sqrt({})", "math.fsum({})", "math.hypot({}, {})", "math.frexp({})", "math.dist({}, {})",
    "math.copysign(1.0, {})", "isinstance({}, (int, float))", "isinstance({}, (list, tuple))",
    "isinstance({}, np.ndarray)", "({}).real", "({}).imag", "({}).conjugate()", "({}).numerator",
    "({}).ndim", "({}).shape", "({}).copy()", "({}).sum()", "({}).dtype == float",
    "type({}) == float", "type({}) is int", "({}) is None", "({},) == ({},)", "({}, {})[1]",
    "[{}, {}][0]", "[{}] == [{}]", "{{1: {}}}", "{} == {}", "{} in ({},)", "1 in {}", "2.5 in {}",
    "[1, 2] in {}", "(1, 2) in {}", "np.array({})", "np.array([{}, {}])", "np.asarray({})",
    "np.sum({})", "np.sort({})", "[[x, x] for x in {}]", "[x for x in {} if x]",
    "sum(x for x in {})", "max(x for x in {})", "{{i: q for i, q in enumerate({})}}",
    "range({})[0]", "(lambda x: x)({})", "({})[0][0]", "({})[0, 0]", "({})[None]", "({})[...]",
    "len(({}, 2))", "1 if ({},) else 2", "[{}] + [{}]", "np.sum({}, axis=0)", "np.sum({}, 0)",
    "np.max({}, axis=-1)", "np.mean({}, axis=(0, 1))", "({}).sum(0)", "({}).sum(axis=1)",
    "({}).mean(axis=0)", "({}).max(initial=1)", "({}).argmax()", "({}).argmin(axis=0)",
    "({}).cumsum()", "({}).cumsum(0)", "({}).prod(dtype=np.float64)", "({}).all(axis=0)",
    "({}).any()", "({}).std(ddof=1)", "({}).var()", "({}).reshape(-1)", "({}).reshape(3, -1)",
    "({}).reshape((-1, 1))", "({}).ravel()", "({}).flatten()", "({}).T", "({}).transpose()",
    "({}).transpose(1, 0)", "({}).swapaxes(0, -1)", "({}).astype(np.float32)", "({}).astype(int)",
    "({}).astype('f4')", "({}).astype(bool)", "({}).fill(1)", "({}).item()", "({}).item(0)",
    "({}).tolist()", "({}).size", "({}).itemsize", "({}).nbytes", "({}).dtype", "({}).strides",
    "({}).flat[1]", "({}).clip(0, 2)", "({}).clip(1)", "({}).round(1)", "({}).min()",
    "({}).take([0, 1])", "({}).take(1)", "({}).repeat(2)", "({}).nonzero()", "({}).argsort()",
    "({}).sort()", "({}).squeeze()", "({}).diagonal()", "({}).trace()", "({}).dot(2)",
    "({}).view()", "np.sort({}).searchsorted(1)", "({}).conj()", "({}).is_integer()",
    "({}).bit_length()",
    "({}).denominator", "np.sort({}, axis=0)", "np.argsort({}, kind='stable')", "np.zeros({})",
    "np.ones({}, np.int64)", "np.full({}, 1.5)", "np.zeros_like({})",
    "np.ones_like({}, dtype=np.int8)", "np.full_like({}, 2)", "np.empty_like({}).shape",
    "np.arange({})", "np.arange(0, {}, 2)", "np.eye({})", "np.linspace(0, {}, 4)",
    "np.array({}, dtype=np.float32)", "np.array({}, np.int64)", "np.array([{}, 1])",
    "np.array([[{}]])", "np.asarray({}, dtype=float)", "np.atleast_1d({})", "np.atleast_2d({})",
    "np.shape({})", "np.ndim({})", "np.size({})", "np.cumsum({})", "np.diff({})", "np.flip({})",
    "np.roll({}, 1)", "np.tile({}, 2)", "np.repeat({}, 2)", "np.concatenate(({}, {}))",
    "np.stack(({}, {}))", "np.vstack(({}, {}))", "np.hstack(({}, {}))", "np.unique({})",
    "np.count_nonzero({})", "np.any({})", "np.all({}, axis=0)", "np.isnan({})", "np.sqrt({})",
    "np.exp({})", "np.abs({})", "np.sign({})", "np.floor({})", "np.round({}, 1)", "np.negative({})",
    "np.logical_not({})", "np.invert({})", "np.median({})", "np.trace({})", "np.diag({})",
    "np.transpose({})", "np.ravel({})", "np.reshape({}, -1)", "np.squeeze({})",
    "np.expand_dims({}, 0)", "np.argmax({})", "np.nonzero({})", "np.where({})",
    "np.where({}, 1, 2)", "np.clip({}, 0, 1)", "np.outer({}, {})", "np.float32({})", "np.int64({})",
    "np.uint8({})", "np.bool_({})", "np.complex128({})", "np.isscalar({})",
    "max({}, key=lambda x: -x)", "min({}, default=7)", "max({}, 2)", "max(*{})",
    "sorted({}, key=lambda x: -x)", "sum({}, start=1)", "sum({}, 0.5)", "round({}, ndigits=0)",
    "round({}, None)", "pow({}, 2)", "pow({}, 2, 5)", "int({}, 10)", "list(enumerate({}, start=1))",
    "list(zip({}, {}, strict=True))", "abs(-{})", "({}) ** 2", "2 ** ({})", "({}) ** 0.5",
    "({}) ** -1", "({}) >> 1", "0 < ({}) < 3", "1 <= {} == {}", "({}) and 5", "({}) or 5",
    "5 if {} else 6", "[x for x in {} for y in {}]", "[x + 1 for x in {}]", "{{x: 1 for x in {}}}",
    "[i for i, x in enumerate({}) if x]", "({}).count(1)", "({}).index(1)", "({}).get(1)",
    "({}).get(1, 0.5)", "list(({}).items())", "list(({}).values())", "({}).pop()", "({})[-1:]",
    "({})[::2]", "({})[slice(1, 3)]", "({})[[0]]", "({})[np.array([0, 1])]", "({})[({}) > 1]",
    "({})[True]", "({})[1.0]", "({})[np.int8(1)]", "({})[1:, None]", "({})[..., 0]", "({})[:, 0]",
    "({})[0, ::-1]", "({})[99:]", "({})[5:1]", "({})[-9:9:2]", "({})[::-2]", "({})[None, 0]",
    "(y := {})", "str({}) == 'a'", "f'{{{}}}' == '3'", "repr({}) == '3'", "callable({})",
    "isinstance({}, int)", "isinstance({}, float)", "isinstance({}, bool)",
    "isinstance({}, np.integer)", "isinstance({}, np.floating)", "isinstance({}, str)",
    "type({}) == type(1)", "math.ceil({})", "math.trunc({})", "math.log({})", "math.log({}, 2)",
    "math.exp({})", "math.pow({}, 2)", "math.gcd({}, 4)", "math.prod({})", "math.factorial({})",
    "math.isqrt({})", "math.isclose({}, 3)", "math.modf({})", "math.ldexp({}, 2)",
    "math.fmod({}, 2)", "math.degrees({})", "math.comb({}, 2)", "math.atan2({}, 1)",
    "math.isfinite({})", "cmath.sqrt({})", "cmath.phase({})", "cmath.polar({})", "divmod({}, 2)",
    "divmod(7, {})", "({}) % 2", "7 % ({})", "({}) // 2", "7 // ({})", "({}) / 2", "1 / ({})",
    "({}) @ ({})", "list(range(*{}))", "range({}).start", "len(range({}))", "3 in range({})",
    "np.linalg.norm({})", "np.dot({}, {})", "np.inner({}, {})", "np.isclose({}, 1.0)",
    "np.allclose({}, {})", "np.array_equal({}, {})", "np.iscomplexobj({})", "np.real({})",
    "np.imag({})", "np.angle({})", "np.conj({})", "np.copy({})", "np.broadcast_to({}, (2, 3))",
    "np.minimum({}, 1)", "np.power({}, 2)", "np.mod({}, 2)", "np.floor_divide({}, 2)",
    "np.true_divide({}, 2)", "np.add({}, 1)", "np.add.reduce({})", "np.ptp({})", "np.average({})",
    "np.percentile({}, 50)", "np.histogram({}, 3)", "np.bincount({})", "np.digitize({}, [0, 1])",
    "np.searchsorted(np.sort({}), 1)", "np.cross({}, {})", "np.kron({}, {})", "np.meshgrid({}, {})",
    "np.tril({})", "np.nan_to_num({})", "np.nansum({})", "np.cumprod({})", "np.prod({})",
    "np.delete({}, 0)", "np.insert({}, 0, 1)", "np.append({}, 1)", "np.pad({}, 1)", "np.rot90({})",
)  # fmt: skip
TWO = (
    "{} + {}", "{} - {}", "{} * {}", "{} / {}", "{} // {}", "{} % {}", "{} & {}", "{} | {}",
    "{} ^ {}", "{} == {}", "{} != {}", "{} < {}", "{} >= {}", "{} in {}", "{} not in {}", "{} @ {}",
    "({}, {})", "divmod({}, {})", "math.copysign({}, {})", "math.atan2({}, {})", "np.add({}, {})",
    "math.dist({}, {})", "np.maximum({}, {})", "np.where({}, {}, 0)", "range({}, {})[0]",
    "sum({}, {})", "isinstance({}, type({}))", "({})[{}]", "({}).index({})", "({}).count({})",
    "np.full(2, {}, dtype=type({}))", "[{}, {}]", "({},) + {}", "[{}] + {}", "[{}] == {}",
    "({},) < {}", "{} is {}", "np.dot({}, {})", "np.append({}, {})", "{} ** {}", "{} >> {}",
    "pow({}, {})", "max({}, {})", "min({}, {})", "max({}, default={})", "round({}, {})",
    "sum({}, start={})", "np.sum({}, axis={})", "({}).sum({})", "({}).reshape({})",
    "np.reshape({}, {})", "np.take({}, {})", "({}).take({})", "np.full({}, {})",
    "np.zeros({}, dtype=type({}))", "np.arange({}, {})", "np.linspace({}, {}, 3)",
    "np.clip({}, {}, None)", "np.clip({}, None, {})", "np.where({}, {}, {})", "np.power({}, {})",
    "np.subtract({}, {})", "np.multiply({}, {})", "np.arctan2({}, {})", "np.hypot({}, {})",
    "np.mod({}, {})", "np.fmod({}, {})", "np.divide({}, {})", "np.floor_divide({}, {})",
    "np.equal({}, {})", "np.less({}, {})", "np.logical_and({}, {})", "np.bitwise_and({}, {})",
    "np.left_shift({}, {})", "np.minimum({}, {})", "np.outer({}, {})", "np.roll({}, {})",
    "np.repeat({}, {})", "np.tile({}, {})", "np.searchsorted(np.sort({}), {})",
    "np.concatenate(({}, {}))",
    "np.concatenate(({}, {}), axis=1)", "np.stack(({}, {}), axis=-1)", "np.flip({}, {})",
    "np.moveaxis({}, 0, {})", "np.transpose({}, {})", "np.sort({}, axis={})", "np.argmax({}, {})",
    "np.insert({}, 0, {})", "np.delete({}, {})", "np.array({}, dtype={})", "({}).astype({})",
    "({}).get({})", "({}).get({}, 1)", "({}).pop({})", "({}).fill({})", "({}).clip({}, 5)",
    "({}).repeat({})", "np.sort({}).searchsorted({})", "({}).dot({})", "({}).round({})",
    "({}).item({})",
    "({})[{}:]", "({})[:{}]", "({})[::{}]", "({})[{}, 0]", "({})[..., {}]", "({})[None, {}]",
    "({})[0][{}]", "({})[{} == {}]", "{} if {} else 0", "{} and {}", "{} or {}", "1 < {} < {}",
    "{} == {} == 3", "[{}][0] == {}", "[x for x in {} if x in {}]", "[x + {} for x in {}]",
    "list(zip({}, {}))", "{{1: {}, 2: {}}}", "{{{}: {}}}", "({}, *{})", "[*{}, *{}]",
    "math.gcd({}, {})", "math.pow({}, {})", "math.fmod({}, {})", "math.hypot({}, {})",
    "math.isclose({}, {})", "math.log({}, {})", "math.ldexp({}, {})", "math.comb({}, {})",
    "complex({}, {})", "int({}, {})", "slice({}, {}) is None", "isinstance({}, {})",
    "np.isin({}, {})", "np.array_equal({}, {})", "np.allclose({}, {})", "np.broadcast_to({}, {})",
    "np.ones({}) + {}", "np.percentile({}, {})", "np.inner({}, {})", "np.vdot({}, {})",
    "np.kron({}, {})", "np.cross({}, {})", "np.maximum.reduce(({}, {}))", "np.linalg.solve({}, {})",
    "np.add({}, {}, dtype=np.float64)",
)  # fmt: skip
STATEMENTS = (
    "for q in a: r = r + 1", "r = [i for i, q in enumerate(a, 2)]", "for p, q in a: r += 1",
    "r, q = a", "r, *q = a", "while a:\n        r += 1\n        if r > 2: break", "if a: r = 6",
    "assert a", "if isinstance(a, np.ndarray) and a.ndim == 1: r = a.size", "r = a; r += a",
    "a += b", "a -= b", "a *= b", "a[0] = b", "a[b] = 1", "del a[b]", "a.append(b)",
    "a.insert(0, b)", "a.remove(b)", "r = [c for c in b if c == a]", "a, r = b, a",
    "def g(x): return x\n    r = g(a)", "def g(x=a): return x\n    r = g()",
    "def g(*x): return len(x)\n    r = g(a, *a)", "r = a, r",
    "it = iter(a)\n    next(it)\n    r = [x for x in it]", "a[0], a[-1] = a[-1], a[0]", "r = a[b:]",
    "try:\n        r = len(a)\n    except TypeError:\n        r = 8",
    "match a:\n        case [p, q]: r = 1\n        case _: r = 2",
    "for q in a: pass\n    else: r = 4", "while r < 3:\n        r += 1\n    else: r = a",
    "for i in range(a): r += i", "for i in range(a, b): r += i", "for i in range(0, a, b): r += 1",
    "with a as q: r = 1",
    "try:\n        r = a[b]\n    except IndexError:\n        r = 1\n    except KeyError:\n"
    "        r = 2",
    "try:\n        r = a + b\n    except TypeError as e:\n        r = 1\n    finally: r = (r, 9)",
    "r = a\n    a = b", "r = a\n    r *= 2", "a[1:] = b", "a[:] = b", "a[::2] = b", "a[..., 0] = b",
    "a[a > 1] = b", "a[0] += b", "a[b] += 1", "a[:] += b", "a //= b", "a /= b", "a %= b",
    "a &= b", "a |= b", "a @= b", "a.sort()", "a.reverse()", "a.extend(b)", "a.clear()",
    "r = a.pop()", "r = a.pop(b)", "a.update(b)", "r = a.setdefault(b, 1)", "a.fill(b)",
    "a.shape = b", "a.real = b", "a.x = b", "global zz\n    zz = a", "q = a\n    del q\n    r = q",
    "if a == b: r = 1\n    elif a != b: r = 2", "if not a: r = 1\n    r = r + 1",
    "r = [a for _ in range(2)]", "r = [[a] for _ in range(2)]\n    r[0].append(b)",
    "r = []\n    for q in a: r.append(q)", "r = {}\n    for i, q in enumerate(a): r[i] = q",
    "r = {}\n    for q in a: r[q] = r.get(q, 0) + 1", "r = np.zeros(3)\n    r[0] = a",
    "r = np.zeros(3)\n    r[:] = a", "r = np.zeros(3, np.int8)\n    r[0] = a",
    "r = np.zeros(3, np.uint8)\n    r += a", "r = np.arange(3)\n    r[a] = b",
    "r = np.zeros((2, 3))\n    r[a, b] = 1", "r = np.empty(2)\n    r.fill(a)",
    "def g(x, y=1): return (x, y)\n    r = g(y=a, x=b)", "def g(*, k): return k\n    r = g(k=a)",
    "def g(**k): return len(k)\n    r = g(p=a)", "g = lambda x, y=a: (x, y)\n    r = g(b)",
    "r = (lambda *x: x)(*a)", "def g():\n        nonlocal r\n        r = a\n    g()",
    "r = sum([a, b])", "r = max(a, b, key=lambda q: -q)", "assert a == b, 'no'", "raise a",
    "raise ValueError(a)", "x, y = a\n    r = y, x", "(x, y), z = a, b\n    r = z, y",
    "[x, *y] = a\n    r = y, x", "for i, (p, q) in enumerate(a): r += p",
    "x = y = a\n    r = x is y", "r: int = a", "if (n := len(a)) > 1: r = n",
    "while True:\n        r += 1\n        if r == a: break\n        if r > 5: break",
    "for q in a:\n        if q == b: continue\n        r += 1",
    "for q in a:\n        if q == b: break\n    else: r = 9",
    "for q in a:\n        for s in b: r += 1",
    "match a:\n        case {1: q}: r = q\n        case [q, *_]: r = q\n"
    "        case int(q): r = 5\n        case _: r = 2",
    "match a:\n        case None: r = 1\n        case (q, 1): r = q\n"
    "        case q if q == b: r = 3",
    "match (a, b):\n        case (3, q): r = q\n        case (q, 'ab'): r = 7",
    "match a:\n        case 0 | 3: r = 1\n        case True: r = 2\n        case 2.5: r = 3",
)  # fmt: skip


def left_out(form: str, kinds: list[str], texts: list[str]) -> bool:
    """What docs/semantics.md says is otherwise: numbers of lists, what begins a sum of nothing,
    and what bool and int have in common. A display may pass for a tuple beside a variable."""
    of_lists = kinds[0] in ("list", "dict") and kinds[-1] in ("scalar", "array")
    infinite = "math.inf" in texts and any("j" in t for t in texts)
    return (
        ("np.cross(" in form)  # of two elements
        or (infinite and form.startswith(("np.vdot", "np.dot", "np.inner")))
        or (form == "np.reshape({}, {})" and kinds[0] == "scalar")
        or (of_lists and len(kinds) > 1 and not form.startswith(("{} =", "{} !", "{} in")))
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
    if re.search(
        r"pow|\*\*|arctan2|hypot|exp|log|sqrt|phase|polar|angle|norm|std|var\(|solve", text
    ):
        rules.options.ulp = 4096 if "j)" in text else 4
    if re.search(r"(sum|dot|average|mean|inner|trace)\(", text):
        rules.options.zeros = False  # NumPy adds to 0
    modes = (mode,) if mode else ("plain", SERIAL[seed % 2])
    try:
        compile(text, "fuzzed", "exec")
    except SyntaxError:  # quotes in an f-string, before Python 3.12
        return Verdict("outside", why="no Python")
    return judge(text, modes, rules, copied)
