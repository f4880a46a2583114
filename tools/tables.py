#!/usr/bin/env python3
"""Read the tables in core/def: for the build, the reference pages and the tests.

tools/tables.py OUTPUT     write the parameters of all rows as C, for core/type/builtin.h, and hold
                           the functions in python/swathe/lib against the rows that name them:
                           one that lacks the other or has other parameters fails the build
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
DEF = ROOT / "core" / "def"
LIB = ROOT / "python" / "swathe" / "lib"


def table_text(table: str) -> str:
    """A table without its comments; that of kernels is what stands before their functions."""
    files = [DEF / table]
    if table == "kernel.def":
        files = sorted((ROOT / "core" / "kernel" / "lib").glob("*.c"))
    text = "".join(file.read_text() for file in files)
    return re.sub(r"/\*.*?\*/", "", text, flags=re.S)


def rows(table: str, macro: str) -> list[list[str]]:
    """The arguments of each `macro(...)` row of a table, quotes stripped."""
    text = table_text(table)
    return [arguments(text, m.end()) for m in re.finditer(rf"^{macro}\(", text, flags=re.M)]


def arguments(text: str, at: int) -> list[str]:
    """What stands between the parenthesis before `at` and its end, at commas."""
    found, depth, start, quoted = [], 1, at, False
    while depth:
        c = text[at]
        if c == '"':
            quoted = not quoted
        elif not quoted:
            depth += (c == "(") - (c == ")")
            if not depth or (c == "," and depth == 1):
                part = text[start:at].strip()
                found.append(part[1:-1] if part.startswith('"') else part)
                start = at + 1
        at += 1
    return found


class Param(NamedTuple):
    """A parameter of a row. `kind` is param.def's; `default` the text behind the `=`."""

    name: str
    default: str | None
    kwonly: bool
    kind: str

    @property
    def none(self) -> bool:
        """Whether None is a value of it."""
        return "None" in (self.default or "").split("|") or PARAMS[self.name][1]


class Row(NamedTuple):
    """A row of any table. `id` is what the C identifiers end in: np_sum, py_len."""

    id: str
    name: str
    macro: str
    params: list[Param]
    varargs: bool
    flags: frozenset[str]
    ulp: int
    domain: str
    nin: int = 0
    nout: int = 1
    text: str = ""

    @property
    def short(self) -> str:
        """The id within its table."""
        return self.id.split("_", 1)[1]

    @property
    def is_method(self) -> bool:
        """Whether arrays have it as a method."""
        return bool(self.flags & {"METHOD", "ONLY_METHOD"})

    @property
    def is_function(self) -> bool:
        """Whether its module has it."""
        return "ONLY_METHOD" not in self.flags


class Domain(NamedTuple):
    """What tests draw the arguments of a row from, by the last column of the row."""

    kinds: str  # of dtypes: letters of "?iufc", "-" where the row takes no array
    ranks: range
    maker: str  # what makes the arrays, in tests/diff/domain.py
    values: dict[str, list[str]]  # of parameters, where they aren't param.def's


def domain(text: str) -> Domain:
    """Parse "kinds ranks maker; parameter: value | value"."""
    first, *others = text.split(";")
    kinds, ranks, maker = "?iufc", range(5), ""
    for i, word in enumerate(first.split()):
        if i == 0 and not set(word) - set("?iufc-"):
            kinds = word
        elif word[0].isdigit():
            low, _, high = word.partition("..")
            ranks = range(int(low), int(high or low) + 1)
        else:
            maker = word
    values = {}
    for part in others:
        name, _, listed = part.partition(":")
        values[name.strip()] = [v.strip() for v in listed.split("|")]
    return Domain(kinds, ranks, maker, values)


# By name: the kind, whether None is a value of it, and what tests give it.
PARAMS = {r[0]: (r[1], r[2] == "1", r[3]) for r in rows("param.def", "PARAM")}


def parse(text: str, of: str = "") -> tuple[list[Param], bool]:
    """The parameters of a list like "a, axis=None, *, out=None", and whether it has `*args`.

    of: the row's id, with which a parameter may have a kind of its own.
    """
    found, kwonly, varargs = [], False, False
    for part in arguments(text + ")", 0) if text else []:
        if part.startswith("*"):
            kwonly = True
            varargs |= len(part) > 1
            continue
        name, _, default = part.partition("=")
        own = f"{of}_{name}"
        kind = PARAMS[own][0] if own in PARAMS else PARAMS[name][0] if name in PARAMS else ""
        found.append(Param(name, default if "=" in part else None, kwonly, kind))
    return found, varargs


OUTS = {"1": "out=None, *, ", "2": "out1=None, out2=None, *, out=None, "}
UFUNC = "where=True, dtype=None, casting='same_kind'"


def row(macro: str, r: list[str]) -> Row:
    """One row of a table as what its macro makes of it."""
    flags: frozenset[str] = frozenset()
    ulp, domain, nin, nout = 0, "", 0, 1
    if macro in ("PY", "OWN"):
        id_, name, text = f"py_{r[0]}", r[0], r[1]
        flags = words(r[5])
    elif macro in ("MATH", "CMATH"):
        id_, name, text, ulp = f"{macro.lower()}_{r[0]}", r[0], r[1], int(r[-1])
    elif macro == "HEAP":
        id_, name, text = f"heap_{r[0]}", r[0], r[1]
        flags = words(r[2])
    elif macro == "KERNEL":
        id_, name, text = f"kernel_{r[0]}", r[0], r[1]
    elif macro == "GRID":
        id_, name, text, domain = f"gpu_{r[0]}", r[1], "" if r[2] == "NULL" else r[2], r[5]
    elif macro == "NP_UFUNC":
        id_, name, nin, nout, ulp, domain = (
            f"np_{r[0]}",
            r[0],
            int(r[1]),
            int(r[2]),
            int(r[6]),
            r[7],
        )
        text = ("x, " if nin == 1 else "x1, x2, ") + OUTS[r[2]] + UFUNC
    elif macro == "NP":
        id_, name, text, ulp, domain = f"np_{r[0]}", r[1], r[2], int(r[7]), r[8]
        flags = words(r[6])
    elif macro == "NP_LIB":
        id_, name, text, ulp, domain = f"np_{r[0]}", r[1], r[2], int(r[4]), r[5]
        flags = words(r[3])
    else:
        id_, name, text = f"np_{r[0]}", r[0], "*args"
    params, varargs = parse(text, id_.split("_", 1)[1])
    return Row(id_, name, macro, params, varargs, flags, ulp, domain, nin, nout, text)


def words(text: str) -> frozenset[str]:
    """The names of "A | B"."""
    return frozenset(w.strip() for w in text.split("|"))


TABLES = {
    "py.def": ("PY", "OWN"),
    "grid.def": ("GRID",),
    "math.def": ("MATH", "CMATH"),
    "np.def": ("NP_UFUNC", "NP", "NP_LIB", "NP_CLASS"),
    "heap.def": ("HEAP",),
    "kernel.def": ("KERNEL",),
}


def table(*macros: str) -> list[Row]:
    """All rows of some macros, in the order of the macros."""
    where = {m: file for file, ms in TABLES.items() for m in ms}
    return [row(m, r) for m in macros for r in rows(where[m], m)]


# --- for the build ------------------------------------------------------------------------


def c_table() -> str:
    """The parameters of all rows."""
    made = ["/* Made by tools/tables.py from core/def. */", '#include "type/builtin.h"', ""]
    entries = []
    for r in table(*(m for ms in TABLES.values() for m in ms)):
        if r.params:
            made.append(f"static const RowParam of_{r.id}[] = {{")
            for p in r.params:
                flags = ", ".join(
                    str(int(b)) for b in (p.default is None, p.kwonly, p.name in PARAMS and p.none)
                )
                made.append(f'    {{"{p.name}", PK_{p.kind or "ANY"}, {flags}}},')
            made.append("};")
        at = f"of_{r.id}" if r.params else "NULL"
        entries.append(f"    [BI_{r.id}] = {{{len(r.params)}, {int(r.varargs)}, {at}}},")
    made += ["", "const RowParams builtin_params[BI_COUNT] = {", *entries, "};"]
    return "\n".join(made) + "\n"


def kernel_rows() -> str:
    """The rows of kernels, which core/def/kernel.def includes."""
    made = ["/* Made by tools/tables.py from core/kernel/lib. */"]
    for id_, *texts in rows("kernel.def", "KERNEL"):
        made.append(f"KERNEL({id_}, " + ", ".join(f'"{text}"' for text in texts) + ")")
    return "\n".join(made) + "\n"


def homes() -> str:
    """Which module of swathe.lib each function there is in, by name."""
    found = {}
    for path in sorted(LIB.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef):
                found[node.name] = path.stem
    made = ["", "const LibHome lib_homes[] = {"]
    made += [f'    {{"{name}", "{found[name]}"}},' for name in sorted(found)]
    return "\n".join([*made, "};", f"const int n_lib_homes = {len(found)};"]) + "\n"


def signature(f: ast.FunctionDef) -> str:
    """The parameters of a function as a row would list them."""
    return ast.unparse(f.args).replace("/, ", "").replace(", /", "")


def same_params(a: str, b: str) -> bool:
    """Whether two lists name the same parameters and defaults: `axis=0|None` is `axis=0`."""
    texts = (f"def f({x.replace('|None', '')}): pass" for x in (a, b))
    return len({ast.dump(ast.parse(text)) for text in texts}) == 1


def lib_functions() -> Iterator[tuple[Path, ast.FunctionDef]]:
    """The functions of the modules in swathe.lib that are for NumPy's rows: others begin with _."""
    for path in sorted(LIB.glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                yield path, node


def lib_errors() -> Iterator[str]:
    """What is wrong between python/swathe/lib and the rows NP_LIB."""
    found: dict[str, tuple[Path, ast.FunctionDef]] = {}
    for path, f in lib_functions():
        if f.name in found:
            yield f"{path}:{f.lineno}: {f.name} is in {found[f.name][0].name}, too"
        found[f.name] = path, f
    named = {r.short: r.text for r in table("NP_LIB")}
    for cls, name, text, _view in rows("heap.def", "HEAP_METHOD"):
        named[f"{cls}_{name}"] = "self, " + text if text else "self"
    for name, (path, f) in found.items():
        if name not in named:
            yield f"{path}:{f.lineno}: {name} has no row (a helper begins with _)"
        elif not same_params(signature(f), named[name]):
            yield (
                f"{path}:{f.lineno}: {name}({signature(f)}) has other parameters than its row, "
                f"{named[name]}"
            )
    kernels = {r.short for r in table("KERNEL")}
    for path in sorted(LIB.glob("*.py")):
        for name in re.findall(r"\b_kernels\.(\w+)", path.read_text()):
            if name not in kernels:
                yield f"{path}: there is no row for the kernel {name} in core/kernel/lib"
    for name in named.keys() - found.keys():
        yield f"core/def: no function {name} in python/swathe/lib"


def form_errors() -> Iterator[str]:
    """Fields of statements' forms that core/ir/form.c doesn't know."""
    known = set(re.findall(r'\{"(\w+)", (?:FORM_|ir_)', (DEF.parent / "ir" / "form.c").read_text()))
    for id_, form, _traits in rows("stmt.def", "STMT"):
        for name in re.findall(r"\$(\w+)", form):
            if name not in known:
                yield f"core/def/stmt.def: no field ${name} of {id_} in core/ir/form.c"


def row_errors() -> Iterator[str]:
    """What no C compiler sees in the tables."""
    yield from form_errors()
    for r in table("NP", "NP_LIB", "NP_UFUNC"):
        for p in r.params:
            if p.name not in PARAMS:
                yield f"core/def/np.def: parameter {p.name} of {r.name} has no row in param.def"
    dtypes = {r[1] for r in rows("dtype.def", "DTYPE")}
    word = re.compile(rf"n|(r|w|rw)(\([a-z](,[a-z])*\))?(:({'|'.join(dtypes)}))?")
    for id_, params, how, of in rows("kernel.def", "KERNEL"):
        takes, _, yields = how.partition(">")
        fits = len(takes.split()) == len(arguments(params + ")", 0))
        fits &= yields in ({"float64", "int64"} if ">" in how else {""})
        fits &= not how.startswith("n") or of == "DRAWS"
        if not fits or not all(map(word.fullmatch, takes.split())):
            yield f"core/kernel/lib: '{how}' does not say what {id_} does with {params}"
        if of != "any" and not set(of.split()) - {"DRAWS"} <= dtypes:
            yield f"core/kernel/lib: {id_} takes {of}, and not all of these are dtypes"
    for r in table("NP", "NP_LIB"):
        unknown = domain(r.domain).values.keys() - {"*"} - {p.name for p in r.params}
        if unknown:
            yield f"core/def/np.def: {r.name} has no parameter {', '.join(unknown)}"


def main() -> int:
    """Write the C table, or say why not."""
    errors = [*row_errors(), *lib_errors()]
    for error in errors:
        print(f"error: {error}", file=sys.stderr)
    if errors:
        return 1
    if len(sys.argv) > 1:
        Path(sys.argv[1]).write_text(c_table() + homes())
    if len(sys.argv) > 2:
        Path(sys.argv[2]).write_text(kernel_rows())
    return 0


if __name__ == "__main__":
    sys.exit(main())
