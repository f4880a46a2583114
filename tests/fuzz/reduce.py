# SPDX-License-Identifier: BSD-3-Clause
"""Makes a program that differs smaller while it goes on to differ in the same way.

Delta debugging over the syntax tree: statements go or give way to what is inside them, expressions
give way to their own parts or to constants, parameters and tuple elements go, numbers shrink.
`same(text)` says whether a candidate still shows what the program showed.
"""

from __future__ import annotations

import ast
import pickle
import re
import time
from collections.abc import Callable, Iterator
from typing import Any

BLOCKS = "body", "orelse", "finalbody"


def copied(tree: ast.Module) -> ast.Module:
    return pickle.loads(pickle.dumps(tree))


def blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in BLOCKS:
            block = getattr(node, name, None)
            if isinstance(block, list) and block and not isinstance(node, ast.Lambda):
                yield block


def without_statements(tree: ast.Module) -> Iterator[ast.Module]:
    """Leave out runs of statements, long ones first."""
    sizes = [len(b) for b in blocks(tree)]
    for k, size in enumerate(sizes):
        length = size
        while length:
            for at in range(0, size - length + 1, length):
                new = copied(tree)
                block = list(blocks(new))[k]
                if any(
                    getattr(s, "name", "") in ("fuzzed", "inputs") for s in block[at : at + length]
                ):
                    continue
                del block[at : at + length]
                if not block and k:
                    block.append(ast.Pass())
                if length < size or not isinstance(list(blocks(tree))[k][0], ast.Pass):
                    yield new
            length //= 2


def without_shells(tree: ast.Module) -> Iterator[ast.Module]:
    """Put what is inside a statement in its place."""
    for k, block in enumerate(blocks(tree)):
        for at, s in enumerate(block):
            if isinstance(s, (ast.FunctionDef, ast.Module)):
                continue
            for name in BLOCKS:
                inside = getattr(s, name, None)
                if inside:
                    new = copied(tree)
                    target = list(blocks(new))[k]
                    target[at : at + 1] = getattr(target[at], name)
                    yield new
            if getattr(s, "orelse", None):
                new = copied(tree)
                list(blocks(new))[k][at].orelse = []
                yield new
            if isinstance(s, ast.AugAssign):
                new = copied(tree)
                old = list(blocks(new))[k][at]
                list(blocks(new))[k][at] = ast.Assign([old.target], old.value, lineno=1)
                yield new


def expressions(tree: ast.AST) -> Iterator[tuple[ast.AST, str, int | None]]:
    for node in ast.walk(tree):
        for name, value in ast.iter_fields(node):
            if name in ("targets", "target", "func", "annotation", "decorator_list"):
                if name in ("targets", "target") or isinstance(value, ast.Name):
                    continue
            if isinstance(value, ast.expr):
                yield node, name, None
            elif isinstance(value, list):
                for i, v in enumerate(value):
                    if isinstance(v, ast.expr):
                        yield node, name, i


def get(at: tuple[ast.AST, str, int | None]) -> Any:
    value = getattr(at[0], at[1])
    return value if at[2] is None else value[at[2]]


def put(at: tuple[ast.AST, str, int | None], e: Any) -> None:
    if at[2] is None:
        setattr(at[0], at[1], e)
    else:
        getattr(at[0], at[1])[at[2]] = e


def simpler(e: ast.expr) -> list[ast.expr]:
    """What may stand in place of an expression: its parts, and constants."""
    if isinstance(e, ast.Constant):
        v = e.value
        if isinstance(v, bool) or not isinstance(v, (int, float)) or v in (0, 1):
            return []
        whole = [0, 1, v // 2] if isinstance(v, int) else [0.0, 1.0, float(round(v, 0))]
        return [ast.Constant(x) for x in whole if abs(x) < abs(v)]
    if isinstance(e, ast.UnaryOp) and isinstance(e.operand, ast.Constant):
        return [e.operand, *(ast.UnaryOp(e.op, x) for x in simpler(e.operand))]
    if isinstance(e, (ast.Name, ast.Slice)):
        return []
    parts = [c for c in ast.iter_child_nodes(e) if isinstance(c, ast.expr)]
    parts += [c for p in parts for c in ast.iter_child_nodes(p) if isinstance(c, ast.expr)][:8]
    parts = [p for p in parts if not isinstance(p, (ast.Slice, ast.Starred))]
    return [*parts, ast.Constant(0), ast.Constant(1), ast.Constant(1.0)]


def smaller_expressions(tree: ast.Module) -> Iterator[ast.Module]:
    places = list(expressions(tree))
    for k, at in enumerate(places):
        for n in range(len(simpler(get(at)))):
            new = copied(tree)
            place = list(expressions(new))[k]
            put(place, simpler(get(place))[n])
            yield new


def shorter_lists(tree: ast.Module) -> Iterator[ast.Module]:
    """Leave out elements of tuples, lists, comparisons; halves of long lists first."""
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.Tuple, ast.List))]
    for k, node in enumerate(nodes):
        size = len(node.elts)
        length = size // 2 if size > 8 else 1
        while length:
            for at in range(0, size, length):
                new = copied(tree)
                target = [n for n in ast.walk(new) if isinstance(n, (ast.Tuple, ast.List))][k]
                del target.elts[at : at + length]
                yield new
            length //= 2
    for k, node in enumerate(n for n in ast.walk(tree) if isinstance(n, ast.Slice)):
        for part in ("lower", "upper", "step"):
            if getattr(node, part) is not None:
                new = copied(tree)
                setattr([n for n in ast.walk(new) if isinstance(n, ast.Slice)][k], part, None)
                yield new


def function(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    found = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == name)
    return next(found, None)


def without_parameters(tree: ast.Module) -> Iterator[ast.Module]:
    f, g = function(tree, "fuzzed"), function(tree, "inputs")
    if not f or not g or not g.body or not isinstance(g.body[-1], ast.Return):
        return
    if not isinstance(g.body[-1].value, ast.Tuple):
        return
    for k in range(len(f.args.args)):
        new = copied(tree)
        f, g = function(new, "fuzzed"), function(new, "inputs")
        del f.args.args[k]
        values = g.body[-1].value.elts
        if k < len(values):
            del values[k]
        yield new


STEPS = (
    without_statements,
    without_parameters,
    without_shells,
    shorter_lists,
    smaller_expressions,
)


def reduced(text: str, same: Callable[[str], bool], seconds: float = 60.0) -> str:
    """The smallest text found in that time."""
    end = time.monotonic() + seconds
    tree = ast.parse(text)
    changed = True
    seen = {ast.unparse(tree)}
    while changed and time.monotonic() < end:
        changed = False
        for step in STEPS:
            tree, better = take(tree, step, same, seen, end)
            changed |= better
    return ast.unparse(tree) + "\n"


def take(
    tree: ast.Module, step: Callable, same: Callable, seen: set[str], end: float
) -> tuple[ast.Module, bool]:
    """Apply one kind of step as often as it helps; go on from where it last did."""
    better, again, first = False, True, 0
    while again and time.monotonic() < end:
        again = False
        for k, new in enumerate(step(tree)):
            if time.monotonic() > end:
                break
            if k < first:
                continue
            text = candidate(new)
            if text is None or text in seen:
                continue
            seen.add(text)
            if same(text):
                tree, better, again, first = ast.parse(text), True, True, k
                break
    return tree, better


def candidate(tree: ast.Module) -> str | None:
    try:
        text = ast.unparse(ast.fix_missing_locations(tree))
        ast.parse(text)
    except Exception:
        return None
    return text


# ---- text whose blocks are indented, as the IR's is -----------------------------------------


def reduced_lines(text: str, same: Callable[[str], bool], seconds: float = 60.0) -> str:
    """The same for lines: runs of them go, blocks lose their head, calls become arguments."""
    end = time.monotonic() + seconds
    lines = [x for x in text.split("\n") if x.strip()]
    changed, seen = True, set()
    while changed and time.monotonic() < end:
        changed = False
        for step in (shorter, unindented, smaller_terms):
            again, first = True, 0
            while again and time.monotonic() < end:
                again = False
                for k, new in enumerate(step(lines)):
                    joined = "\n".join(new) + "\n"
                    if k < first or joined in seen or time.monotonic() > end:
                        continue
                    seen.add(joined)
                    if same(joined):
                        lines, changed, again, first = new, True, True, k
                        break
    return "\n".join(lines) + "\n"


def indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def below(lines: list[str], k: int) -> int:
    """The end of the block that line k heads."""
    end = k + 1
    while end < len(lines) and indent(lines[end]) > indent(lines[k]):
        end += 1
    return end


def shorter(lines: list[str]) -> Iterator[list[str]]:
    for k in range(len(lines)):
        yield lines[:k] + lines[below(lines, k) :]
    for length in (8, 4, 2, 1):
        for k in range(0, len(lines) - length + 1):
            yield lines[:k] + lines[k + length :]


def unindented(lines: list[str]) -> Iterator[list[str]]:
    for k, line in enumerate(lines):
        end = below(lines, k)
        if end > k + 1 and not line.startswith("func"):
            step = indent(lines[k + 1]) - indent(line)
            yield lines[:k] + [x[step:] for x in lines[k + 1 : end]] + lines[end:]


def terms(line: str) -> Iterator[tuple[int, int, list[str]]]:
    """Calls in a line: where each is, and its arguments."""
    for start in re.finditer(r"\w+~?!?\(", line):
        depth, at, args = 1, start.end(), []
        first = at
        while at < len(line) and depth:
            c = line[at]
            depth += (c in "([") - (c in ")]")
            if (c == "," and depth == 1) or not depth:
                args.append(line[first:at].strip())
                first = at + 1
            at += 1
        yield start.start(), at, args


def smaller_terms(lines: list[str]) -> Iterator[list[str]]:
    for k, line in enumerate(lines):
        if line.startswith("site"):
            continue
        for a, b, args in terms(line):
            for arg in (*args, "0", "1", "0.0", "true"):
                if arg != line[a:b]:
                    yield [*lines[:k], line[:a] + arg + line[b:], *lines[k + 1 :]]
        for m in re.finditer(r" \[[\w ]+\]$| step -?\d+$| (readonly|zero)\b", line):
            yield [*lines[:k], line[: m.start()] + line[m.end() :], *lines[k + 1 :]]
        if line.startswith("func") or line.lstrip().startswith("return"):
            for m in re.finditer(
                r"(?<=[(,]) ?[\w:\[\], ]*?,(?= )|, [\w.]+$|(?<=return )[\w.]+, ", line
            ):
                yield [*lines[:k], line[: m.start()] + line[m.end() :], *lines[k + 1 :]]
