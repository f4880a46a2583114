# SPDX-License-Identifier: BSD-3-Clause
"""The fuzzers' own parts: what the judge sees, what the pool survives, how far the reducer goes."""

from __future__ import annotations

import os
import time

import numpy as np
import pytest
from harness import ORACLE

from fuzz import functions, harvest, kernels, loops, mutants, pool, reduce, values
from fuzz.judge import MODES, PASSES, Difference, Rules, Verdict, compiled_run, judge, passes, run
from fuzz.program import HEADER, Outside, forget, load, oracle, short_power, ticked


def program(body: str, inputs: str = "1,", parameters: str = "a") -> str:
    lines = "\n    ".join(body.split("\n"))
    return (
        f"{HEADER}def fuzzed({parameters}):\n    {lines}\n\n\ndef inputs():\n    return {inputs}\n"
    )


@pytest.mark.parametrize(
    "body",
    [
        "return a + 2**62 + 2**62 + 2**62",
        "while True:\n    a += 1",
        "return (-a) ** 0.5",
        "return np.float64(1e30) // 1 if a else np.array([1e30]).astype(np.int8)",
        "return np.array([np.nan]).astype(np.int32)",
        "return (2**62 + a) / 3",
        "def f(x):\n    return f(x)\nreturn f(a)",
        "for i in range(20):\n    a = (a,) * 10\nreturn a",
        "return np.arange(np.uint8(4), 3)",
        "return np.arange(np.int8(-100), np.int8(100))",
    ],
)
def test_outside(body: str) -> None:
    with pytest.raises(Outside):
        module = oracle(program(body))
        run(module.fuzzed, module.inputs())
        run(module.fuzzed, (0,))


def test_powers_that_grow_are_given_up() -> None:
    names = {"_tick": lambda: None, "_short_power": short_power}
    with pytest.raises(Outside):
        exec(ticked("p = 7\nfor i in range(99):\n    p = (-p) ** 3"), names)
    exec(ticked("q = 0\nfor i in range(9):\n    q += i ** 3"), names)
    assert names["q"] == 1296


@pytest.mark.skipif(ORACLE, reason="compiles")
def test_a_difference_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program("return a + 1")
    assert judge(text, ("plain", "debug", "lanes")).state == "same"
    real = run
    monkeypatch.setattr(
        "fuzz.judge.run",
        lambda f, args: real((lambda a: a + 2) if "py_func" in dir(f) else f, args),
    )
    found = judge(text, ("plain",)).difference
    assert found and found.what == "value" and found.mode == "plain"


CARRIED = """for i in range(a.shape[0]):
    s = 0.0
    for j in range(5):
        s = s * 0.5 + a[i]
    a[i] = s
return a"""


@pytest.mark.skipif(ORACLE, reason="compiles")
@pytest.mark.parametrize("mode", [m for m in MODES if "lanes" in m])
def test_modes_of_lanes_have_lanes(mode: str) -> None:
    module = load(program(CARRIED, "np.ones(30),"))
    try:
        _, f = compiled_run(module, mode, module.inputs())
        assert "vectorised across iterations" in f.explain()
    finally:
        forget(module)


@pytest.mark.skipif(ORACLE, reason="compiles")
def test_passes_are_those_of_a_full_compile(capfd: pytest.CaptureFixture[str]) -> None:
    """Some passes do nothing at the low levels of optimisation."""
    for options, env in PASSES:
        passes(program(CARRIED, "np.ones(30),"), options, env | {"SWATHE_DUMP": "vectorize"})
        lanes = env.get("SWATHE_LANES")
        assert not lanes or f"lanes {lanes}" in capfd.readouterr().err
        assert options.get("opt_level", 3) == 3


FIB = """out = np.zeros(a, np.int64)
for i in prange(a - 1, -1, -1):
    out[i + 1] = fib(i % 15)
return out"""
ROOT = """total, squares = 0.0, 0.0
for i in prange(9):
    payoff = np.exp(-a) * max(i // 9 + 1.0, 0.0)
    total += payoff
    squares += payoff * payoff
return np.sqrt((squares / 9 - total / 9 * (total / 9)) / 9)"""


@pytest.mark.skipif(ORACLE, reason="compiles")
@pytest.mark.parametrize("body, given", [(FIB, "256,"), (ROOT, "5.0,")])
def test_what_parallel_loops_may_do_is_no_difference(
    monkeypatch: pytest.MonkeyPatch, body: str, given: str
) -> None:
    """Beside an iteration that fails others go on for long; a root of what cancels is NaN, or 0."""
    monkeypatch.setattr("fuzz.judge.CHECK", "2:40")
    fib = "def fib(n):\n    return n if n < 0 else fib(n - 1) + fib(n - 2)\n\n\n"
    text = program(body, given).replace("def fuzzed", f"{fib}def fuzzed")
    assert passes(text, *PASSES[1]).state == "same"


@pytest.mark.skipif(ORACLE, reason="compiles")
def test_a_negative_size_is_one_error_with_and_without_the_array() -> None:
    for k in range(8):  # of which some draw it
        text = program(f"t = np.ones(a)\nu = t * {k}\nreturn u + (u + t)", "-1,")
        assert passes(text, {}, {}).state == "same"


def test_a_text_is_printed_by_what_it_says() -> None:
    """Its number is another in each run, also where a container before it is printed in parts."""
    body = "    d = {0: 0}\n    print((d,), (s := str(d)))\n\n"
    text = f"{HEADER}def fuzzed():\n{body}\ndef inputs():\n    return ()\n"
    assert passes(text, *PASSES[0]).state == "same"


def test_types_and_messages_count() -> None:
    def outcome(f: object) -> object:
        return run(f, ())  # type: ignore[arg-type]

    def fail(text: str) -> object:
        raise ValueError(text)

    rules = Rules()
    for one, other in (
        (lambda: 1, lambda: 1.0),
        (lambda: np.zeros(2), lambda: np.zeros(2, np.float32)),
        (lambda: 0.0, lambda: -0.0),
        (lambda: fail("x"), lambda: fail("y")),
        (lambda: 1, lambda: fail("y")),
        (lambda: (1, 2), lambda: (1, 2, 3)),
    ):
        assert rules.compare(outcome(one), outcome(other), "plain")  # type: ignore[arg-type]
        assert not rules.compare(outcome(one), outcome(one), "plain")  # type: ignore[arg-type]


def misbehave(seed: int) -> Verdict:
    if seed == 3:
        os.abort()
    if seed == 5:
        time.sleep(60)
    if seed == 7:
        raise KeyError("judge")
    if seed == 8:  # the machine is busy with others
        time.sleep(3)
    return Verdict("same")


def test_crashes_and_hangs_are_differences() -> None:
    tally = pool.run_seeds(misbehave, range(10), jobs=2, silent=2.0)
    assert tally.states == {"same": 7, "differs": 3}
    found = {seed: d.what for seed, d in tally.found}
    assert found == {3: "crash: SIGABRT", 5: "hang", 7: "judge: KeyError"}


def test_the_reducer_finds_the_core() -> None:
    text = program(
        "b = np.zeros(4)\nfor i in range(9):\n    if i > a:\n        b[i % 4] += 3 * (a - 7)\n"
        "    else:\n        b[0] = 1.0\nc = b[::-1]\nreturn b, c, a * 2",
        "5, 6",
        "a, z",
    )
    small = reduce.reduced(text, lambda t: "[::-1]" in t)
    assert len(small.split("\n")) <= 6, small
    crashes = pool.Apart(lambda t: os.abort() if "a * 2" in t else Verdict("same"))
    with crashes as apart:
        small = reduce.reduced(text, lambda t: apart(t).difference is not None)
    assert "a * 2" in small and "for" not in small


def test_apart_gives_differences_as_they_are() -> None:
    d = Difference("plain", "value", "text")
    with pool.Apart(lambda t: Verdict("differs", d, t), 5.0) as apart:
        assert apart("why") == Verdict("differs", d, "why")


def test_spelled_arguments_are_the_same() -> None:
    a = np.arange(24.0).reshape(4, 6)
    args = (a[::-1, ::2], a, a.T, np.float32(np.nan), (1, np.array([1 - 2j])), None, 2.5, a[:0])
    lines, texts = values.spelled(args) or ([], [])
    space = {"np": np}
    exec("\n".join(lines), space)
    got = eval(f"({', '.join(texts)},)", space)
    for w, g in zip(args[:3], got[:3], strict=True):
        assert np.array_equal(w, g) and w.strides == g.strides
    assert np.shares_memory(got[0], got[2]) and np.isnan(got[3]) and got[4][1][0] == 1 - 2j


LOOP = """def fuzzed(a, n):
    for i in prange(n):
        {}


def inputs():
    return np.arange(9), 4
"""


@pytest.mark.parametrize(
    ("body", "meets"),
    [
        ("a[i] += 1", False),
        ("a[i] = a[i + 1]", True),
        ("a[i % 2] = 1", True),
        ("a[i:i + 2] = 0", True),
        ("a[2 * i:2 * i + 2] += a[8]", False),
        ("a[::-1][i] = a[i]", False),
        ("a[...] = i", True),
        ("a[2 * i], a[2 * i + 1] = a[2 * i + 1], a[2 * i]", False),
    ],
)
def test_iterations_that_meet(body: str, meets: bool) -> None:
    assert bool(loops.meeting(HEADER + LOOP.format(body)).meet) == meets


def test_what_handles_an_error_is_in_no_iteration() -> None:
    text = """def fuzzed(a, n):
    try:
        for i in prange(n):
            a[i] = a[9 * i]
    except IndexError:
        a[0] = 2


def inputs():
    return np.arange(9), 4
"""
    log = loops.meeting(HEADER + text)
    assert log.left and not log.meet and not log.stack


def test_the_examples_are_harvested() -> None:
    """Each is a program of few steps in CPython, and the same when it is compiled."""
    known = list(harvest.examples())
    assert len(known) == 15
    for f, args in known:
        text = harvest.program(f, args, 1e6, 1e3)
        assert text, f
        assert mutants.verdict(text, 0).state == "same", text


def test_programs_vary() -> None:
    assert len({functions.text(s) for s in range(60)}) == 60
    assert functions.text(5) == functions.text(5)


@pytest.mark.filterwarnings("ignore:overflow")
def test_a_written_power_may_be_a_product() -> None:
    """Of arrays, where it is as near as documented; nothing else is let pass."""
    x = np.array([1.613, 0.177, 2.0, np.inf, -np.nan, 1e200, -3.7, 0.0, 1e-120])
    text = program("return a ** 3, a ** 4, a ** b", "x, 3", "a, b")
    cube, fourth, power = oracle(text).fuzzed(x, 3)
    with np.errstate(all="ignore"):
        assert np.array_equal(cube, x * x * x, equal_nan=True) and not np.array_equal(cube, x**3)
        assert np.array_equal(fourth, (x * x) * (x * x), equal_nan=True)
        assert np.array_equal(power, x**3, equal_nan=True)
    assert cube.dtype == x.dtype and type(oracle(text).fuzzed(np.array(2.5), 3)[0]) is np.float64
    assert oracle(text).fuzzed(np.float64(1.613), 3)[0] == np.float64(1.613) ** 3


@pytest.mark.skipif(ORACLE, reason="compiles")
def test_a_wrong_power_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    text = program("return a ** 3", "np.array([1.613, 0.177]),")
    assert judge(text, ("plain",)).state == "same"
    real = run
    wrong = np.nextafter(np.array([1.613, 0.177]) ** 3, 9)
    monkeypatch.setattr(
        "fuzz.judge.run",
        lambda f, args: real((lambda a: wrong) if "py_func" in dir(f) else f, args),
    )
    assert judge(text, ("plain",)).state == "differs"


def test_the_maker_stops_what_runs_too_long() -> None:
    w = functions.Writer(0)
    w.env = {"a": 1}
    for text in (
        "for i in range(10**9):\n    try:\n        a = 2\n    except Exception:\n        pass",
        "while a:\n    a = 3",
        "h = lambda: 1\nfor i in range(300):\n    for j in range(300):\n        a = 4",
    ):
        with pytest.raises(functions.Refused):
            w.execute(text)
        assert w.env == {"a": 1}
    w.execute("for i in range(300):\n    a += 1")
    assert w.env["a"] == 301


# an element that no thread sets, a lane that is not there
UNSET = [
    "    narrow = gpu.shared.array(8, np.int32)\n"
    "    wide = gpu.shared.array(1, np.int64)\n"
    "    v = wide[n]\n"
    "    if k:\n"
    "        narrow[1] = v\n",
    "    w = gpu.local.array(3, np.float64)\n"
    "    v = 1.0\n"
    "    k = gpu.shfl_sync(0, k, 1)\n"
    "    for j in range(n + 1):\n"
    "        gpu.syncthreads()\n"
    "        if v > 1.0:\n"
    "            v += w[k % 3]\n"
    "        k = 0\n"
    "    x[gpu.threadIdx.x] = v\n",
]


@pytest.mark.parametrize("body", UNSET)
def test_a_kernel_may_read_what_nobody_has_set(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What passes decide by it, as here whether it fits, is no error of theirs."""
    text = HEADER + (
        f"def kernel(x, k, n):\n{body}\n\n"
        "def inputs():\n    return np.zeros(8), 1, 0\n\n\n"
        "GRID, BLOCK = (1,), (8,)\n"
    )
    monkeypatch.setattr("fuzz.judge.CHECK", "2:100")
    assert kernels.passes(text, 1).state == "same"


GRID_KERNEL = """{header}def more(p, q):
    return p * q


@gpu.jit(device=True)
def twice(p):
    p += p
    return p


def kernel(x, out, n):
    a = gpu.shared.array(8, np.int64)
    t = gpu.threadIdx.x
    k = t
    v = x[t]
    for j in range(n):
        a[t] = k % 97
        gpu.syncthreads()
        {step}
        gpu.syncthreads()
    out[t] = k // 2 % 97


def inputs():
    return np.arange(8.0), np.zeros(8, np.int64), 40


GRID, BLOCK = (1,), (8,)
"""
STEPS_AWAY = [  # forty of one leave int64, some in what is not kept
    "k = (k * 4 + 1) // 1",
    "k += k * 3 + 1",
    "k <<= 2",
    "k = k * 3 if t == 5 else t",
    "k = more(k, 4)",
    "k = twice(twice(k))",
    "k = (k + 2**62) // 3 + (k + 2**62) * 2 % 5",
    "k = (lambda p: p * 5)(k)",
    "k = ~(k * 7)",
    "v *= 8.0\n        k = int(v) % 50",
]


def judged_kernel(step: str, mode: str = "plain") -> Verdict:
    return kernels.verdict(GRID_KERNEL.format(header=HEADER, step=step), 0, mode)


@pytest.mark.parametrize("step", STEPS_AWAY)
def test_a_kernel_whose_ints_leave_int64_is_outside(step: str) -> None:
    """Of any thread, though no such int is in the end stored anywhere."""
    got = judged_kernel(step)
    assert (got.state, got.why) == ("outside", "int")


@pytest.mark.skipif(ORACLE, reason="compiles")
@pytest.mark.parametrize("mode", kernels.MODES)
def test_a_kernel_whose_ints_stay_is_judged(mode: str) -> None:
    for step in (
        "k = (k + int(v)) % 50",
        "k = twice(more(k, 3)) % 97",
        "k = int(a[(t + 1) % 8]) // 2 + t",
        "k = max(k, 2**62 - 1 - t + 2**62)",
        "k = min(k, -(2**62) * 2)",
    ):
        assert judged_kernel(step, mode) == Verdict("same"), step


@pytest.mark.skipif(ORACLE, reason="compiles")
def test_a_wrong_kernel_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernels, "load", lambda text: load(text.replace("// 2 % 97", "// 2 % 98")))
    found = judged_kernel("k += 60").difference
    assert found and found.what == "value of an argument"


def test_a_kernel_that_does_not_end_is_outside() -> None:
    got = judged_kernel("while k > -1:\n            k = t")
    assert (got.state, got.why) == ("outside", "long")


def test_an_array_that_doubles_is_not_waited_for() -> None:
    writer = functions.Writer(0)
    writer.env["a"] = np.zeros(8)
    with pytest.raises(functions.Refused, match="long"):
        writer.execute("for i in range(60):\n    a = np.concatenate((a, a))")
    assert writer.env["a"].size == 8
