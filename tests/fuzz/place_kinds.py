# SPDX-License-Identifier: BSD-3-Clause
"""The kinds of values that `places` puts in each place."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Kind:
    """Expressions of two or three values of one type, and what can be asked of them."""

    values: tuple[str, ...]
    shown: str = "{}"  # what makes of it a result
    text: bool = True  # has a text
    equal: bool = True
    order: bool = False
    hashed: bool = False
    sized: int = 0  # 1: has a length; 2: slices, too
    looped: bool = False
    once: bool = False  # is used up by being gone through
    passed: bool = True  # may be an argument or a global
    copied: bool = False  # a global of it is a constant, of which each result is a copy
    typed: str = ""  # its class
    more: tuple[str, ...] = ()  # other questions


def number(*values: str, typed: str, more: tuple[str, ...] = (), order: bool = True) -> Kind:
    return Kind(values, order=order, hashed=True, typed=typed, more=more)


KINDS: dict[str, Kind] = {
    "int": number("3", "-1", "0", typed="int", more=("{} + 1", "{} / 2", "{} % 3", "range(5)[{}]")),
    "bool": number(
        "True", "False", typed="bool", more=("not {}", "{} + 1", "{} & True", "int({})")
    ),
    "float": number(
        "2.5", "-0.0", "1e300", typed="float", more=("{} * 2", "{} // 1", "f'{{{}:.2f}}'")
    ),
    "complex": number("1 + 2j", "-1j", typed="complex", more=("{}.real", "abs({})"), order=False),
    **{
        d: number(
            f"np.{d}(3)",
            f"np.{d}(1)",
            typed=f"np.{d}",
            more=("{} + 1", "{}.dtype", "{} * {}", "int({})"),
        )
        for d in (
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
            "float32",
            "float64",
        )
    },
    "float16": number("np.float16(1.5)", "np.float16(2)", typed="np.float16", more=("{} + 1",)),
    "bool_": number(
        "np.bool_(True)", "np.bool_(False)", typed="np.bool_", more=("~{}",), order=False
    ),
    "complex64": number("np.complex64(1j)", "np.complex64(2)", typed="np.complex64", order=False),
    "datetime64": Kind(
        ("np.datetime64('2020-01-02')", "np.datetime64('2021-03-04')"),
        order=True,
        typed="np.datetime64",
        more=("{} + np.timedelta64(1, 'D')",),
    ),
    "timedelta64": Kind(
        ("np.timedelta64(3, 's')", "np.timedelta64(4, 's')"), order=True, typed="np.timedelta64"
    ),
    "str": Kind(
        ("'ab'", "''", "'\\u00e9x'"),
        order=True,
        hashed=True,
        sized=2,
        looped=True,
        typed="str",
        more=("{} + '!'", "{}.upper()", "{} * 2", "'a' in {}", "{}.split('b')"),
    ),
    "bytes": Kind(
        ("b'ab'", "b''"),
        order=True,
        hashed=True,
        sized=2,
        looped=True,
        typed="bytes",
        more=("{} + b'c'",),
    ),
    "bytearray": Kind(
        ("bytearray(b'ab')", "bytearray(2)"), sized=2, looped=True, typed="bytearray"
    ),
    "None": Kind(("None",), hashed=True, more=("{} is not None",)),
    "opt_int": Kind(
        ("(3 if n > 0 else None)", "(None if n > -5 else 4)"), passed=False, more=("{} or 7",)
    ),
    "opt_str": Kind(("('s' if n > 2 else None)", "(None if n > -5 else 'q')"), passed=False),
    "opt_list": Kind(("([1] if n > 2 else None)", "(None if n > -5 else [2])"), passed=False),
    "tuple": Kind(
        ("(1, 2.5)", "(3, -1.0)"),
        order=True,
        hashed=True,
        sized=1,
        typed="tuple",
        more=("{}[0]", "{}[1]"),
    ),
    "tuple_ss": Kind(
        ("('a', 'b')", "('c', '')"), order=True, hashed=True, sized=2, looped=True, typed="tuple"
    ),
    "nested": Kind(
        ("((1, 'a'), 2)", "((0, 'b'), 5)"), order=True, hashed=True, sized=1, more=("{}[0][1]",)
    ),
    "empty_tuple": Kind(("()",), hashed=True, sized=1, typed="tuple"),
    "long_tuple": Kind(
        ("tuple(range(n))", "tuple(range(n + 2))"),
        order=True,
        hashed=True,
        sized=2,
        looped=True,
        passed=False,
    ),
    "tuple_none": Kind(("(1, None)", "(2, None)"), hashed=True, sized=1, more=("{}[1]",)),
    "list": Kind(
        ("[1, 2]", "[3]", "[1]"),
        order=True,
        sized=2,
        looped=True,
        typed="list",
        more=("{} + [9]", "sum({})", "{}[-1]"),
    ),
    "list_f": Kind(("[1.0, 2.5]", "[3.0]"), order=True, sized=2, looped=True, typed="list"),
    "list_s": Kind(
        ("['a', 'b']", "['']"), order=True, sized=2, looped=True, more=("','.join({})",)
    ),
    "list_b": Kind(("[True, False]", "[True]"), order=True, sized=2, looped=True),
    "lists": Kind(("[[1], [2, 3]]", "[[4]]"), order=True, sized=2, looped=True, more=("{}[0][0]",)),
    "list_opt": Kind(("[1, None]", "[None, 2]", "[None, None, 3]"), sized=2, looped=True),
    "list_t": Kind(("[(1, 'a')]", "[(0, 'b'), (2, 'c')]"), order=True, sized=2, looped=True),
    "list_d": Kind(("[{1: 2}]", "[{3: 4}, {}]"), sized=2, looped=True),
    "dict": Kind(
        ("{'a': 1}", "{'b': 2, 'a': 3}"),
        sized=1,
        looped=True,
        typed="dict",
        more=("list({}.items())", "{}.get('a')"),
    ),
    "dict_i": Kind(
        ("{1: 2.5}", "{2: 0.5, 4: 1.5}"), sized=1, looped=True, more=("sum({}.values())",)
    ),
    "dict_l": Kind(("{1: [2]}", "{2: [0, 1], 4: [1]}"), sized=1, looped=True),
    "dict_unlike": Kind(
        ("{'a': 1, 'b': 'x'}", "{'a': 2, 'b': 'y'}"),
        sized=1,
        text=False,
        shown="{}['b']",
        more=("{}['a']",),
    ),
    "set": Kind(
        ("{1, 2}", "{3}"), sized=1, looped=True, typed="set", more=("sorted({})", "{} | {{5}}")
    ),
    "frozenset": Kind(
        ("frozenset([1, 2])", "frozenset([3])"),
        hashed=True,
        sized=1,
        looped=True,
        typed="frozenset",
    ),
    "deque": Kind(
        ("deque([1, 2])", "deque([3])"), sized=1, looped=True, typed="deque", more=("{}[0]",)
    ),
    "counter": Kind(
        ("Counter([1, 2, 1])", "Counter([3])"),
        sized=1,
        looped=True,
        typed="Counter",
        more=("{}[1]",),
    ),
    "defaultdict": Kind(
        ("defaultdict(int, {1: 2})", "defaultdict(int)"),
        text=False,
        sized=1,
        more=("{}[1]", "sorted({})"),
    ),
    "array0": Kind(
        ("np.array(3)", "np.array(4)"),
        copied=True,
        equal=False,
        typed="np.ndarray",
        more=("{}.shape", "{}[()]"),
    ),
    "array1": Kind(
        ("np.arange(3)", "np.arange(2)"),
        copied=True,
        equal=False,
        sized=2,
        looped=True,
        typed="np.ndarray",
        more=("{}.sum()", "{} + 1", "{}[0]"),
    ),
    "array2": Kind(
        ("np.ones((2, 3))", "np.zeros((1, 2))"),
        copied=True,
        equal=False,
        sized=2,
        typed="np.ndarray",
        more=("{}.T", "{}[0]"),
    ),
    "strided": Kind(
        ("np.arange(6.0)[::2]", "np.arange(9.0)[::-3]"),
        copied=True,
        equal=False,
        sized=2,
        looped=True,
        more=("{}.strides", "{}.copy()"),
    ),
    "empty": Kind(
        ("np.zeros((0, 2))", "np.zeros((0, 2))"),
        copied=True,
        equal=False,
        sized=1,
        more=("{}.shape",),
    ),
    "arrays": Kind(
        ("[np.arange(2), np.arange(3)]", "[np.arange(1)]"),
        copied=True,
        equal=False,
        sized=2,
        more=("{}[0]", "len({}[0])"),
    ),
    "tuple_a": Kind(
        ("(np.arange(2), 1)", "(np.arange(3), 4)"),
        copied=True,
        equal=False,
        sized=1,
        more=("{}[0]",),
    ),
    "range": Kind(
        ("range(3)", "range(1, 9, 2)"),
        hashed=True,
        sized=2,
        looped=True,
        typed="range",
        more=("{}[1]", "sum({})"),
    ),
    "slice": Kind(
        ("slice(1, 3)", "slice(0, 2)"),
        shown="[5, 6, 7, 8][{}]",
        text=False,
        equal=False,
        passed=False,
        more=("{}.start",),
    ),
    "namedtuple": Kind(
        ("Point(1, 2.5)", "Point(0, 0.5)"),
        order=True,
        hashed=True,
        sized=1,
        typed="Point",
        more=("{}.x", "{}._replace(x=4)", "{}._asdict()"),
    ),
    "dataclass": Kind(("Item(1)", "Item(2, 'u')"), typed="Item", more=("{}.key", "{}.tag")),
    "plain": Kind(("Plain(1)", "Plain(2)"), text=False, typed="Plain", more=("{}.k", "{}.seen")),
    "list_obj": Kind(("[Item(1)]", "[Item(2), Item(3, 'w')]"), sized=2, more=("{}[0].key",)),
    "enum": Kind(
        ("Color.RED", "Color.BLUE"),
        hashed=True,
        typed="Color",
        more=("{}.name", "{}.value", "{} is Color.RED"),
    ),
    "intenum": number(
        "Op.ADD", "Op.MUL", typed="Op", more=("{}.name", "{} + 1", "{} is Op.ADD", "[4, 5, 6][{}]")
    ),
    "intflag": Kind(
        ("Perm.R", "Perm.R | Perm.W"),
        hashed=True,
        typed="Perm",
        more=("{} | Perm.W", "Perm.R in {}", "{}.value"),
    ),
    "function": Kind(
        ("same", "twice"), shown="{}(3)", text=False, equal=False, more=("{} is same",)
    ),
    "lambda": Kind(
        ("(lambda x: x + n)", "(lambda x: x - n)"),
        shown="{}(3)",
        text=False,
        equal=False,
        passed=False,
    ),
    "partial": Kind(("partial(max, 2)", "partial(max, 5)"), shown="{}(3)", text=False, equal=False),
    "bound": Kind(
        ("'abc'.upper", "'xyz'.upper"), shown="{}()", text=False, equal=False, passed=False
    ),
    "class": Kind(("Item", "Plain"), shown="{}(3)", text=False, equal=False, passed=False),
    "type": Kind(("float", "abs"), shown="{}(3.5)", text=False, equal=False, passed=False),
    "generator": Kind(
        ("count(3)", "count(2)"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
        more=("next({})", "sum({})", "5 in {}"),
    ),
    "genexpr": Kind(
        ("(k * k for k in range(n))", "(k + 1 for k in range(n))"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
    ),
    "zip": Kind(
        ("zip([1, 2], 'ab')", "zip([3], 'c')"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
        more=("dict({})", "next({})"),
    ),
    "map": Kind(
        ("map(same, [1, 2])", "map(same, [3])"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
    ),
    "filter": Kind(
        ("filter(None, [0, 1, 2])", "filter(None, [3, 0])"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
    ),
    "enumerate": Kind(
        ("enumerate('ab')", "enumerate('c', 2)"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
    ),
    "reversed": Kind(
        ("reversed([1, 2])", "reversed([3])"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
    ),
    "iter": Kind(
        ("iter([1, 2])", "iter([3])"),
        shown="list({})",
        text=False,
        equal=False,
        once=True,
        looped=True,
        passed=False,
        more=("next({})",),
    ),
    "dict_view": Kind(
        ("{1: 2}.items()", "{3: 4, 5: 6}.items()"),
        shown="list({})",
        text=False,
        equal=False,
        looped=True,
        passed=False,
    ),
    "memoryview": Kind(
        ("memoryview(b'ab')", "memoryview(b'c')"),
        shown="{}.tolist()",
        text=False,
        sized=2,
        looped=True,
        passed=False,
        more=("bytes({})", "{}.format"),
    ),
    "array.array": Kind(
        ("array.array('i', [1, 2])", "array.array('i', [3])"),
        order=True,
        sized=2,
        looped=True,
        more=("{}.typecode", "{}.tolist()"),
    ),
    "record": Kind(
        (
            "np.array([(1, 2.5)], [('i', 'i4'), ('f', 'f8')])[0]",
            "np.zeros(1, [('i', 'i4'), ('f', 'f8')])[0]",
        ),
        text=False,
        copied=True,
        equal=False,
        more=("{}['f']",),
    ),
    "dtype": Kind(
        ("np.dtype('f4')", "np.dtype('i8')"),
        text=False,
        equal=False,
        passed=False,
        shown="np.zeros(2, {})",
    ),
    "exception": Kind(
        ("ValueError('a')", "ValueError('b')"),
        shown="str({})",
        text=False,
        equal=False,
        passed=False,
        more=("{}.args",),
    ),
}
