# SPDX-License-Identifier: BSD-3-Clause
"""Calls of the functions of NumPy's table, made from its rows alone.

A row says which kinds of dtypes it takes, which ranks, and how its arrays are made; param.def
says which values each parameter takes. Those are factors: dtypes, layouts, ranks, sizes, each
parameter given or left out, `out=` of every sort, function or method. `pairs` chooses
so few calls that each two values of different factors meet in one; `drawn` is any of the whole
product.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
import tables
from harness import DTYPES, layouts, sample

Factors = dict[str, list[Any]]
SHAPES = [(), (5,), (3, 4), (2, 3, 4), (2, 1, 3, 2)]
LAYOUTS = ("C", "F", "strided", "reversed", "perm")
SIZES = ("usual", "empty", "one")
OUTS = (None, None, "like", "F", "strided", "wider", "wrong")
LEFT_OUT = "omitted"
WIDER = {"?": "i8", "i": "f8", "u": "f8", "f": "c16", "c": "c16"}


class Call(NamedTuple):
    """The text of one call, and its arguments a, b, c, ..."""

    text: str
    args: tuple
    row: tables.Row
    choice: dict[str, Any]


# --- arrays ---------------------------------------------------------------------------------


def sized(shape: tuple, size: str) -> tuple:
    """The shape with its first axis empty, or all axes of one element."""
    if size == "one":
        return (1,) * len(shape)
    return (0, *shape[1:]) if size == "empty" and shape else shape


def made(dtype: str, shape: tuple, layout: str, seed: int = 0, edges: bool = False) -> np.ndarray:
    """An array; a layout that its rank can't have is C."""
    if not shape:
        return np.asarray(sample(dtype, (1,), seed)[0])
    found = layouts(dtype, shape, seed, edges)
    return found.get(layout, found["C"])


def same(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """All arrays of one shape."""
    return {
        p: made(c["of"], shape, c["layout"] if i == 0 else "C", i) for i, p in enumerate(params)
    }


def edges(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    return {p: made(c["of"], shape, c["layout"], i, True) for i, p in enumerate(params)}


def filled(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """With elements: where NumPy looks at memory that nobody has set when there are none."""
    return same(c, tuple(max(k, 1) for k in shape), params)


def product(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """A matrix or vector, and one that fits it from the right."""
    right = (*shape[:-2], shape[-1], 2) if c["size"] != "one" else shape[-1:]
    a, b = made(c["of"], shape, c["layout"]), made(c["of"], right, c["layout"], 1)
    return dict(zip(params, (a, b)))


def matvec(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    a = made(c["of"], shape, c["layout"])
    return dict(zip(params, (a, made(c["of"], shape[-1:], "strided", 1))))


def vecmat(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    a = made(c["of"], shape[-2:-1], "strided", 1)
    return dict(zip(params, (a, made(c["of"], shape, c["layout"]))))


def triples(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    return same(c, (*shape[:-1], 3), params)


def in_order(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """A sorted vector, and an array of any shape."""
    a = made(c["of"], shape, c["layout"])
    a.sort()
    return dict(zip(params, (a, made(c["of"], (2, 3), "F", 1))))


def counts(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    a = made(c["of"], shape, c["layout"])
    np.abs(a, out=a)
    return {params[0]: a}


def points(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Places anywhere, and a sorted vector with its values."""
    at = np.unique(sample(c["of"], 9))
    return dict(zip(params, (made(c["of"], shape, c["layout"]), at, sample("f8", at.shape, 2))))


def condition(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    x, y = made(c["of"], shape, c["layout"]), made(c["of"], shape, "C", 1)
    return {"condition": made("?", shape, "F"), "x": x, "y": y}


def parts(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Given as a display of the two."""
    return {"arrays": (made(c["of"], shape, c["layout"]), made("f4", shape, "C", 1))}


def weights(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    return {"a": made(c["of"], shape, c["layout"]), "weights": made("f8", shape, "C", 3)}


def single(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    return {"a": made(c["of"], (1,) * len(shape) if c["size"] == "one" else shape, c["layout"])}


def ones(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """First and last axis of one element."""
    shape = (1, *shape[1:-1], 1) if len(shape) > 1 else (1,) * len(shape)
    return {"a": made(c["of"], shape, c["layout"])}


def square(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Matrices with a large diagonal, and right sides: matrices, or one vector for all."""
    n = shape[-2]
    a = made(c["of"], (*shape[:-2], n, n), c["layout"])
    rng = np.random.default_rng(n)
    small = rng.integers(0, 3, a.shape)
    if a.dtype.kind == "c":
        small = small + 1j * rng.integers(0, 3, a.shape)
    a[...] = np.tril(small) if a.dtype == bool else small
    for i in range(n):
        a[..., i, i] = 4 * n
    b = made(c["of"], (n,) if c["layout"] == "reversed" else (*shape[:-2], n, 2), c["layout"], 1)
    return dict(zip(params, (a, b)))


def definite(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    a = square(c, shape, params)[params[0]]
    half = np.tril(a)
    if a.dtype == bool:
        a[...] = np.eye(a.shape[-1], dtype=bool)
    else:
        a[...] = half + half.swapaxes(-1, -2).conj()
    return {params[0]: a}


def at_places(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Places within, some counted from the end."""
    n = max(min(shape), 1)
    at = np.array([[0, n - 1, -1], [-n, 0, 0]])[: 1 + (c["layout"] == "F")]
    return dict(zip(params, (made(c["of"], shape, c["layout"]), at if len(at) > 1 else at[0])))


def conditions(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    yes = np.arange(min(shape)) % 3 != 1
    return {"condition": yes, "a": made(c["of"], shape, c["layout"])}


def chosen(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    return {"condition": made("?", shape, "F"), "a": made(c["of"], shape, c["layout"])}


def masked(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    values = made(c["of"], (2,), "C", 2)
    return dict(zip(params, (made(c["of"], shape, c["layout"]), made("?", shape, "F", 1), values)))


def put_at(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    a = made(c["of"], shape, c["layout"])
    at = np.array([0, -1, a.size // 2])[: a.size]
    return dict(zip(params, (a, at, made(c["of"], (2,), "C", 2))))


def some_rows(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """An array, and a number to put between."""
    return dict(zip(params, (made(c["of"], shape, c["layout"]), made(c["of"], (), "C", 2))))


def variables(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Two or more, with two or more samples of each: of one NumPy makes an array without axes."""
    shape = tuple(max(k, 2) for k in shape)
    return {params[0]: made(c["of"], shape, c["layout"])}


def at_each(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Places along the first axis, of which some are named twice, and a number for each."""
    a = made(c["of"], shape, c["layout"])
    at = np.array([0, -1, 0, 0])[: 4 * bool(shape[0])]
    return dict(zip(params, (a, at, made(c["of"], (*at.shape, *shape[1:]), "C", 2))))


def stretches(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Places that are within along each axis, one behind another or not."""
    n = min(shape)
    at = np.array([0, n // 2, n // 2, 0, n - 1, 0])[: 6 * bool(n)]
    return dict(zip(params, (made(c["of"], shape, c["layout"]), at)))


def chosen_from(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    two = tuple(made("f8", shape, "C", k) for k in (3, 4))
    return {"a": np.abs(made(c["of"], shape, c["layout"])) % 2, "choices": two}


def along(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Places for all axes but the last, where they are in order."""
    n = max(min(shape), 1)
    at = np.arange(int(np.prod(shape))).reshape(shape) % n
    return dict(zip(params, (made(c["of"], shape, c["layout"]), at)))


def unravelled(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    return {"indices": np.arange(int(np.prod(shape)), dtype=c["of"]).reshape(shape) % 6}


def cases(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    two = tuple(made("?", shape, "C", k) for k in (1, 2))
    return {"condlist": two, "choicelist": tuple(made(c["of"], shape, "C", k) for k in (3, 4))}


def joined(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    return {"tup": (made(c["of"], shape, c["layout"]), made("f4", shape, "C", 1))}


def of_keys(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    a = made(c["of"], shape, c["layout"])
    return {"keys": (a, np.arange(a.size) % 2)}


def few(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Of few different elements."""
    found = same(c, shape, params)
    for k, a in enumerate(found.values()):
        if a.size > 2:
            values = sample(c["of"], 3, k)
            a[...] = values[np.arange(a.size).reshape(a.shape) * 7 % 5 % 3]
    return found


def in_bins(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    edges = np.array([-1.0, 0.0, 1.0, 4.0])
    return {"x": made(c["of"], shape, c["layout"]), "bins": edges[:: 1 - 2 * (c["layout"] == "F")]}


def vectors(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Of different lengths, either the longer."""
    sizes = (shape[0], 3) if c["layout"] != "F" else (3, shape[0] + 1)
    return {p: made(c["of"], (n,), c["layout"], k) for k, (p, n) in enumerate(zip(params, sizes))}


def ranks(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """The second of two axes, or of fewer where the first has more."""
    other = (2, 3) if c["layout"] != "F" else shape[:1]
    return dict(zip(params, (made(c["of"], shape, c["layout"]), made(c["of"], other, "C", 1))))


def regular(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """A square one with elements."""
    return square(c, tuple(max(k, 1) for k in shape), params)


def system(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """A matrix, and right sides: columns, or one vector."""
    right = shape[:1] if c["layout"] == "reversed" else (shape[0], 2)
    return dict(zip(params, (made(c["of"], shape, c["layout"]), made(c["of"], right, "F", 1))))


def chain(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Matrices that can be multiplied, given as a display."""
    m, n = shape
    a, b, d = (made(c["of"], s, c["layout"], k) for k, s in enumerate(((m, n), (n, 2), (2, m))))
    return {"matrices": (a, b) if c["layout"] == "F" else (a, b, d)}


def samples(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Five places, and values: of one or of two functions."""
    x = np.arange(5).astype(c["of"])
    of = (5, 2) if c["layout"] == "F" else (5,)
    return {"x": x, "y": made(c["of"], of, c["layout"], 1)}


Maker = Callable[[dict, tuple, list[str]], dict[str, Any]]


def numbers(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """With the edges of their dtype among them, and never none."""
    return edges(c, tuple(max(k, 1) for k in shape), params)


def octets(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Bytes."""
    return {p: made("u1", shape, c["layout"], i) for i, p in enumerate(params)}


def raw(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """A vector in one piece."""
    return {p: made(c["of"], shape, "C", i) for i, p in enumerate(params)}


def wide(c: dict, shape: tuple, params: list[str]) -> dict[str, Any]:
    """Elements of 8 bytes."""
    of = {"i": "i8", "f": "f8"}[np.dtype(c["of"]).kind]
    return {p: made(of, tuple(max(k, 5) for k in shape), "C", i) for i, p in enumerate(params)}


MAKERS: dict[str, Maker] = {
    "octets": octets, "numbers": numbers, "bytes": raw, "wide": wide,
    "": same, "edges": edges, "product": product, "matvec": matvec, "vecmat": vecmat,
    "triples": triples, "sorted": in_order, "counts": counts, "points": points,
    "condition": condition, "parts": parts, "weights": weights, "single": single, "ones": ones,
    "filled": filled, "square": square, "definite": definite,
    "places": at_places, "choices": conditions, "chosen": chosen, "masked": masked,
    "puts": put_at, "rows": some_rows, "at": at_each, "stretches": stretches, "choose": chosen_from,
    "variables": variables, "along": along, "unravel": unravelled, "cases": cases,
    "tup": joined, "keys": of_keys, "few": few, "bins": in_bins,
    "two": vectors, "ranks": ranks,
    "regular": regular, "system": system, "chain": chain, "samples": samples,
    "values": lambda c, shape, params: {},
}  # fmt: skip


# --- operands of ufuncs ---------------------------------------------------------------------


def operand(c: dict, maker: str, k: int, shape: tuple) -> Any:
    """The k-th operand: an array, a NumPy scalar, or a Python number."""
    dtype = c["of2"] if k else c["of"]
    if maker == "exponent" and k:
        dtype = "i4"
    kind = np.dtype(dtype).kind
    if k and c["shapes"] == "stretched":
        shape = (*shape[:-1], 1) if len(shape) % 2 else shape[1:]
    a = made(dtype, shape, c["layout"], k, edges=kind != "c")
    if maker == "unit" and kind in "fi":
        np.clip(a, -1, 1, out=a)
    elif maker == "positive" and kind in "fi":
        np.abs(a, out=a)
    elif maker == "nonzero" and kind in "iu":
        a[...] = np.where(a == 0, 1, a)
    elif maker in ("power", "shift", "exponent") and kind in "iu" and k:
        np.remainder(np.abs(a), 4, out=a)
    elif maker == "power" and kind == "f" and not k:
        np.abs(a, out=a)
    form = c["form2"] if k else c["form"]
    if form == "array" or not a.size:
        return a
    first = a.flat[0]
    if form == "python" and kind == "u":
        first = min(first, 200)  # a Python int beyond int64 is refused
    return first if form == "scalar" else np.asarray(first).item()


def ufunc_factors(row: tables.Row) -> Factors:
    found: Factors = {"of": list(DTYPES), "form": ["array", "array", "scalar", "python"]}
    if row.nin == 2:
        found["of2"] = list(DTYPES)
        found["form2"] = ["array", "array", "scalar", "python"]
        found["shapes"] = ["same", "stretched"]
    found["layout"] = list(LAYOUTS)
    found["rank"] = [0, 1, 2, 3]
    found["size"] = list(SIZES)
    if row.nout == 1:
        found["out"] = list(OUTS)
        found["dtype"] = [LEFT_OUT] * 3 + ["np.float32", "np.complex128", "np.int16"]
    return found


def ufunc_call(row: tables.Row, c: dict[str, Any]) -> Call:
    shape = sized(SHAPES[c["rank"]], c["size"])
    args = tuple(operand(c, row.domain, k, shape) for k in range(row.nin))
    given = list("ab"[: row.nin])
    if c.get("dtype", LEFT_OUT) != LEFT_OUT:
        given.append(f"dtype={c['dtype']}")
    out = outs(row, f"np.{row.name}({', '.join(given)})", args, c.get("out"))
    if out is not None:
        given.append(f"out={'abcdefgh'[len(args)]}")
        args = (*args, out)
    return Call(f"np.{row.name}({', '.join(given)})", args, row, c)


# --- factors --------------------------------------------------------------------------------


def arrays_of(row: tables.Row) -> list[str]:
    """The parameters that are arrays and must be given."""
    return [
        p.name
        for p in row.params
        if (p.kind in ("ARRAY", "VALUES") or p.name in BUFFERS)
        and p.default is None
        and p.name not in VALUES
    ]


BUFFERS = {"buffer", "ind"}  # arrays, though bytes, or any index, would do
VALUES = {"value", "fill_value", "start", "stop"}  # numbers, though any array would do


def factors(row: tables.Row) -> Factors:
    """What may be chosen for a call of a row, and from what."""
    if row.macro == "NP_UFUNC":
        return ufunc_factors(row)
    domain = tables.domain(row.domain)
    found: Factors = {}
    if domain.kinds != "-":
        found["of"] = [d for d in DTYPES if np.dtype(d).kind in domain.kinds.replace("?", "b")]
        found["layout"] = list(LAYOUTS)
        found["rank"] = [r for r in domain.ranks if r < len(SHAPES)]
        found["size"] = list(SIZES)
    if row.is_method and row.is_function:
        found["how"] = ["function", "method"]
    for p in row.params:
        if p.kind == "OUT":
            found["out"] = list(OUTS)
        if p.name in domain.values:
            found[p.name] = [LEFT_OUT if v == "-" else v for v in domain.values[p.name]]
        elif p.name not in arrays_of(row) and tables.PARAMS[p.name][2]:
            listed = [v.strip() for v in tables.PARAMS[p.name][2].split(";")]
            found[p.name] = listed if p.default is None else [LEFT_OUT, *listed]
    if row.varargs:
        found["*"] = domain.values["*"]
    return found


def pairs(found: Factors, seed: str) -> Iterator[dict[str, Any]]:
    """Choices in which each two values of two factors meet: greedily, each the best of some."""
    rng = random.Random(seed)
    names = list(found)
    left = {
        (m, i, n, j)
        for m, n in itertools.combinations(range(len(names)), 2)
        for i in range(len(found[names[m]]))
        for j in range(len(found[names[n]]))
    }
    if len(names) < 2:
        yield from ({n: v} for n in names for v in found[n])
        if not names:
            yield {}
        return
    while left:
        first = min(left)
        best: tuple[int, list[int]] = (-1, [])
        for _ in range(6):
            chosen = [-1] * len(names)
            chosen[first[0]], chosen[first[2]] = first[1], first[3]
            for k in rng.sample(range(len(names)), len(names)):
                if chosen[k] < 0:
                    chosen[k] = most(left, chosen, k, len(found[names[k]]), rng)
            covered = sum(met(chosen, p) for p in left)
            best = max(best, (covered, chosen))
        left = {p for p in left if not met(best[1], p)}
        yield {n: found[n][i] for n, i in zip(names, best[1])}


def met(chosen: list[int], pair: tuple[int, int, int, int]) -> bool:
    m, i, n, j = pair
    return chosen[m] == i and chosen[n] == j


def most(left: set, chosen: list[int], k: int, n: int, rng: random.Random) -> int:
    """The value of factor k that meets the most of what is left."""

    def gain(i: int) -> tuple[int, float]:
        hits = sum(
            ((m, c, k, i) if m < k else (k, i, m, c)) in left
            for m, c in enumerate(chosen)
            if c >= 0
        )
        return hits, rng.random()

    return max(range(n), key=gain)


# --- calls ----------------------------------------------------------------------------------


def call(row: tables.Row, choice: dict[str, Any]) -> Call:
    """The call that a choice stands for."""
    if row.macro == "NP_UFUNC":
        return ufunc_call(row, choice)
    domain = tables.domain(row.domain)
    given: dict[str, str] = {}
    args: list[Any] = []
    if "rank" in choice:
        shape = sized(SHAPES[choice["rank"]], choice["size"])
        arrays = MAKERS[domain.maker](choice, shape, arrays_of(row))
        for name, value in arrays.items():
            if isinstance(value, tuple):
                letters = ["abcdefgh"[len(args) + i] for i in range(len(value))]
                given[name] = f"({', '.join(letters)})"
                args += value
            elif choice.get(name) != LEFT_OUT:
                given[name] = "abcdefgh"[len(args)]
                args.append(value)
    for p in row.params:
        value = choice.get(p.name, LEFT_OUT)
        if value != LEFT_OUT and p.kind != "OUT" and p.name not in given:
            given[p.name] = value
    text = spelled(row, given, choice)
    out = outs(row, text, tuple(args), choice.get("out"))
    if out is not None:
        given["out"] = "abcdefgh"[len(args)]
        args.append(out)
    return Call(spelled(row, given, choice), tuple(args), row, choice)


def spelled(row: tables.Row, given: dict[str, str], choice: dict[str, Any]) -> str:
    """The call as text: by position what has no default, else by name."""
    parts, gap = [], False
    for p in row.params:
        if p.name in given:
            by_name = p.kwonly or gap or (p.default is not None and p.kind != "ARRAY")
            by_name |= bool(parts) and "=" in parts[-1]
            parts.append(f"{p.name}={given[p.name]}" if by_name else given[p.name])
        gap |= p.name not in given
    method = choice.get("how") == "method" or not row.is_function
    first = parts.pop(0) if method else ""
    if choice.get("*"):
        parts.insert(sum("=" not in p for p in parts), choice["*"])
    if row.name.startswith("random."):  # of a stream that begins here
        return f"(np.random.seed(3), np.{row.name}({', '.join(parts)}))[1]"
    return (
        f"{first}.{row.name}({', '.join(parts)})"
        if method
        else f"np.{row.name}({', '.join(parts)})"
    )


def evaluated(text: str, args: tuple) -> Any:
    names = dict(zip("abcdefgh", args))
    return eval(text, {"np": np, **names})


def outs(row: tables.Row, text: str, args: tuple, sort: str | None) -> np.ndarray | None:
    """An array for out=, by what NumPy returns without it."""
    if sort is None:
        return None
    try:
        with np.errstate(all="ignore"):
            like = np.asarray(evaluated(text, args))
    except Exception:
        return None
    if sort == "wider" and (row.ulp or like.dtype.kind == "c"):
        sort = "like"  # the error is that of the narrower loop
    dtype = (
        np.dtype(WIDER[like.dtype.char if like.dtype == bool else like.dtype.kind])
        if sort == "wider"
        else like.dtype
    )
    shape = (
        (*like.shape[:-1], like.shape[-1] + 2)
        if sort == "wrong" and like.shape[-1:] > (1,)
        else like.shape
    )
    layout = sort if sort in ("F", "strided") else "C"
    out = made(dtype.str[1:] if dtype != bool else "?", shape, layout)
    out[...] = 1
    return out


OF = ("of", "of2")  # the factors that are dtypes of arrays


def one_of_each(found: Factors) -> Factors:
    """With one dtype of each kind."""
    kinds = {n: {np.dtype(d).kind: d for d in found[n]} for n in OF if n in found}
    return found | {n: list(k.values()) for n, k in kinds.items()}


def calls(row: tables.Row) -> list[Call]:
    """A part of the product, in which any two values meet but for the widths of dtypes."""
    found = factors(row)
    result = []
    for i, choice in enumerate(pairs(one_of_each(found), row.id)):
        for n in OF:  # the widths of a kind by turns
            if n in choice:
                kind = np.dtype(choice[n]).kind
                widths = [d for d in found[n] if np.dtype(d).kind == kind]
                choice = choice | {n: widths[i % len(widths)]}
        result.append(call(row, choice))
    return result


def drawn(row: tables.Row, rng: random.Random) -> Call:
    """Any call of the whole product."""
    return call(row, {n: rng.choice(values) for n, values in factors(row).items()})
