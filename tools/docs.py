#!/usr/bin/env python3
"""Write the reference pages that follow from the tables in core/def.

tools/docs.py            rewrite docs/functions.md and docs/environment.md
tools/docs.py --check    exit 1 when a page is not what the tables say
"""

from __future__ import annotations

import sys
from pathlib import Path

from tables import rows, table

ROOT = Path(__file__).resolve().parent.parent

# What complex numbers may differ by, relative to their magnitude, where the table has no 0.
COMPLEX_ULP = 16


def ulps() -> dict[str, int]:
    """The error that the tables allow each function, in units in the last place: "np.sin"."""
    found = {f"np.{r.name}": r.ulp for r in table("NP_UFUNC")}
    for _id, name, target in rows("np.def", "NP_ALIAS"):
        if f"np.{target}" in found:
            found[f"np.{name}"] = found[f"np.{target}"]
    for macro in ("MATH", "CMATH"):
        found |= {f"{macro.lower()}.{r.name}": r.ulp for r in table(macro)}
    return found


def functions() -> str:
    out = [
        "# Functions that compiled code may call",
        "",
        "This page is made by `tools/docs.py` from the tables in `core/def`. The error is what to",
        "expect at most against NumPy's own result, in units in the last",
        "place; 0 is the same bits. Complex results are within "
        f"{COMPLEX_ULP} of their magnitude, sums within theirs of the greatest term.",
        "",
        "## NumPy ufuncs",
        "",
        "| function | operands | results | error |",
        "|---|---|---|---|",
    ]
    for r in table("NP_UFUNC"):
        out.append(f"| `np.{r.name}` | {r.nin} | {r.nout} | {r.ulp} |")
    aliases = rows("np.def", "NP_ALIAS")
    out += ["", "Other names of these: " + ", ".join(f"`np.{a[1]}`" for a in aliases) + ".", ""]
    out += ["## NumPy functions and array methods", ""]
    out += ["| function | method | parameters | result | error |", "|---|---|---|---|---|"]
    for r in sorted(table("NP", "NP_LIB", "NP_CLASS"), key=lambda r: r.name):
        shown = f"`np.{r.name}`" if r.is_function else f"`a.{r.name}()`"
        shown = f"`np.{r.name}[]`" if "INDEXED" in r.flags else shown
        result = "class" if r.macro == "NP_CLASS" else "view" if "VIEW" in r.flags else ""
        method = "yes" if r.is_method else ""
        out.append(f"| {shown} | {method} | `{r.text}` | {result} | {r.ulp} |")
    for macro in ("MATH", "CMATH"):
        out += ["", f"## {macro.lower()}", ""]
        out.append(", ".join(f"`{r.name}({r.text})`" for r in table(macro)) + ".")
    out += ["", "## Python's builtins", ""]
    out.append(", ".join(f"`{r.name}({r.text})`" for r in table("PY", "OWN")) + ".")
    out += ["", "## Methods of lists and dicts", ""]
    methods = rows("heap.def", "HEAP_METHOD")
    out.append(", ".join(f"`{cls}.{name}({text})`" for cls, name, text, _view in methods) + ".")
    out += ["", "## swathe.gpu", "", "In [kernels](howto-kernels.md):", ""]
    grid = [(r[1], r[2]) for r in rows("grid.def", "GRID") if not r[1].startswith("this_")]
    out.append(", ".join(f"`{n}`" if p == "NULL" else f"`{n}({p})`" for n, p in grid) + ".")
    return "\n".join(out) + "\n"


def environment() -> str:
    out = [
        "# Environment variables",
        "",
        "This page is made by `tools/docs.py` from `core/def/flag.def`.",
        "",
        "| variable | what it does |",
        "|---|---|",
    ]
    out += [f"| `{name}` | {what} |" for name, what in rows("flag.def", "FLAG")]
    return "\n".join(out) + "\n"


PAGES = {"docs/functions.md": functions, "docs/environment.md": environment}


def stale() -> list[str]:
    """The pages that are not what the tables say."""
    return [
        page
        for page, make in PAGES.items()
        if not (ROOT / page).exists() or (ROOT / page).read_text() != make()
    ]


def main() -> int:
    if "--check" in sys.argv[1:]:
        for page in stale():
            print(f"{page} is not what core/def says: run tools/docs.py")
        return bool(stale())
    for page, make in PAGES.items():
        (ROOT / page).write_text(make())
    return 0


if __name__ == "__main__":
    sys.exit(main())
