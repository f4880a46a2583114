# SPDX-License-Identifier: BSD-3-Clause
"""Run modules of Numba's own tests over swathe: ``tests/packages/numba_tests.py test_lists ...``,
``doc_examples.test_examples``, ``cuda.cudapy.test_atomics`` (kernels, here on the CPU).

The tests come with Numba's wheel, from the registry that pip is set up for, into build/packages.
Many of them reach for what is inside of Numba (its IR, its run time's counts, its types' fields);
names that `swathe.compat.numba` lacks are stand-ins there, and a test that meets one is counted as
`internal`. Texts made by ``exec`` are kept, as swathe reads the text of a function. For each module
the counts are printed, and what each test raised is written to build/packages/numba/MODULE.json;
with ``--causes`` the headlines of these are printed, most frequent first."""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import contextlib
import functools
import importlib.abc
import importlib.util
import inspect
import itertools
import json
import linecache
import os
import random
import re
import signal
import subprocess
import sys
import textwrap
import traceback
import unittest
import warnings
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent.parent
BUILD = ROOT / "build" / "packages" / "numba"
TESTS = BUILD / "numba" / "tests"
# Modules that are the tests' own, of the CPU and of CUDA.
_OURS = ("numba.tests", "numba.cuda.tests", "numba.cuda.testing")
VERSION = "0.68.1"
SECONDS = 30  # of a test
_FETCHED = ("numba/tests/", "numba/cuda/tests/", "numba/cuda/testing.py", "numba/_helperlib")

# What the tests ask of Numba's version and of its dispatchers.
_REWRITTEN = [
    (r"utils\.PYVERSION", "__import__('sys').version_info[:2]"),
    (r"(utils|config)\.MACHINE_BITS", "64"),
    (r"self\.check_scheduling\(.*\)$", "pass"),  # looks into LLVM's text
    (r"types\.(Generator|Dummy)\(", r"stand_in('\1')("),
    (r"^infer_global\(MyClass.*", ""),
    (r"^structref\.define_proxy\(", "_tried(structref.define_proxy, "),
    (r"\b_helperlib\.__file__", "_helperlib_file()"),  # C functions to call
    (r"\w+\.library\.get_llvm_str\(\)", "'@do_scheduling'"),
    (r"^_exec_cond = .*", "_exec_cond = True"),
]


def fetch() -> None:
    """Put Numba's tests into the build folder, once."""
    if TESTS.is_dir():
        return
    BUILD.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(BUILD)]
    subprocess.run([*pip, f"numba=={VERSION}"], check=True)
    with zipfile.ZipFile(next(BUILD.glob("numba-*.whl"))) as wheel:
        wheel.extractall(BUILD, [n for n in wheel.namelist() if n.startswith(_FETCHED)])


# ---- names of Numba's that are not here ----


class Internal(Exception):
    """A test has met what is inside of Numba."""


class _StandInType(type):
    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(name)


class _StandInBase(metaclass=_StandInType):
    def __init__(self, *args: Any, **kw: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        raise Internal(f"{type(self).__name__}.{name}")


class StandIn:
    """A function, a decorator, a module or a constant of Numba's."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, *args: Any, **kw: Any) -> Any:
        told = ("box", "unbox", "register", "type_callable", "lower_", "infer_", "overload")
        if self.__name__.startswith(told):  # decorators that are told of a class
            return lambda decorated: decorated
        return args[0] if len(args) == 1 and not kw and callable(args[0]) else self

    def __mro_entries__(self, bases: Any) -> tuple[type, ...]:
        return ()

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return stand_in(name)

    def __getitem__(self, key: Any) -> Any:
        return self

    def __iter__(self) -> Any:
        raise Internal(self.__name__)

    def __contains__(self, key: Any) -> bool:
        raise Internal(self.__name__)

    def __or__(self, other: Any) -> Any:
        return self

    __ror__ = __or__

    def __sub__(self, other: Any) -> int:  # of counts of allocations
        return 0

    def __ge__(self, other: Any) -> bool:  # of versions
        return True

    __gt__ = __ge__

    def __lt__(self, other: Any) -> bool:
        return False

    __le__ = __lt__


def stand_in(name: str) -> Any:
    """A class where the name looks like one, else a thing that can be called."""
    is_class = name[:1].isupper() and not name.isupper()
    return _StandInType(name, (_StandInBase,), {}) if is_class else StandIn(name)


def _module(name: str) -> Any:
    if name.startswith(_OURS):
        return importlib.import_module(name)
    try:
        return importlib.import_module(name)
    except Exception:  # also what a module of the compatibility layer raises by name
        return stand_in(name.rpartition(".")[2])


# What is here for other uses than the tests have for it.
_INSIDE = {"typeof_impl", "type_callable", "lower_builtin", "models", "register_model",
           "make_attribute_wrapper", "box", "unbox", "NativeValue", "CompilerBase"}  # fmt: skip


def _member(module: str, name: str) -> Any:
    if name in _INSIDE:
        return stand_in(name)
    found = _module(module)
    try:
        return getattr(found, name)
    except Exception:
        try:
            return importlib.import_module(f"{module}.{name}")
        except Exception:
            return stand_in(name)


def _kept_exec(source: Any, *spaces: Any) -> Any:
    """Do what ``exec`` does, and keep the text."""
    if isinstance(source, str):
        file = f"<exec {len(linecache.cache)}>"
        linecache.cache[file] = (len(source), None, source.splitlines(True), file)
        source = compile(source, file, "exec")
    if not spaces:
        frame = sys._getframe(1)
        spaces = (frame.f_globals, frame.f_locals)
    return builtins.exec(source, *spaces)


def _compile_function(name: str, code: str, space: Any) -> Any:
    own: dict[str, Any] = {}
    _kept_exec(code, space, own)
    return own[name]


def _generate_prange_func(_: Any, pyfunc: Any, places: Any) -> Any:
    """Do by its text what the test does by its byte code: write prange in the place of range."""
    text = textwrap.dedent(inspect.getsource(pyfunc))
    count = itertools.count()

    def by(_: Any) -> str:
        k = next(count)
        return "prange(" if places is None or k in places else "range("

    text = re.sub(r"\brange\(", by, text)
    return _compile_function(
        pyfunc.__name__, text, {**pyfunc.__globals__, "prange": numba_prange()}
    )


def _follow_cpython(_: Any, state: Any, seed: int = 2) -> Any:
    sys.modules["numba"].njit(lambda s: random.seed(s))(seed)
    return random.Random(seed)


def _follow_numpy(_: Any, state: Any, seed: int = 2) -> Any:
    sys.modules["numba"].njit(lambda s: np.random.seed(s))(seed)
    return np.random.RandomState(seed)


def _compile_stencil(_: Any, func: Any, sig: Any, flags: Any) -> Any:
    parallel = "auto_parallel" in vars(flags)
    return sys.modules["numba"].njit(sig, parallel=parallel)(func).overloads[sig]


def _tried(function: Any, *args: Any) -> None:
    with contextlib.suppress(Exception):  # what one class lacks is no reason to run no test
        function(*args)


def _helperlib_file() -> str:
    return str(next(BUILD.glob("numba/_helperlib*.so")))


def _internals(name: str) -> Any:
    def asked(self: Any) -> Any:
        raise Internal(name)

    return property(asked)


def numba_prange() -> Any:
    """Return Numba's prange, as it is here."""
    return sys.modules["numba"].prange


# What helpers of the tests do with code objects, done with text; and what they ask of results.
_PATCHED = {
    "support": {"compile_function": _compile_function},
    "test_random": {
        "BaseTest._follow_cpython": _follow_cpython,
        "BaseTest._follow_numpy": _follow_numpy,
    },
    "test_stencils": {"TestStencilBase._compile_this": _compile_stencil},
    "test_parfors": {"TestPrangeBase.generate_prange_func": _generate_prange_func},
}


def _patch(module: Any) -> None:
    for place, by in _PATCHED.get(module.__name__.removeprefix("numba.tests."), {}).items():
        *path, name = place.split(".")
        setattr(functools.reduce(getattr, path, module), name, by)


# ---- the tests' modules ----


class _Imports(ast.NodeTransformer):
    """Make assignments of imports from Numba, which can't fail."""

    def __init__(self, package: str) -> None:
        self.package = package

    def _assign(self, at: Any, name: str, text: str) -> Any:
        made = ast.parse(f"{name} = {text}").body[0]
        return ast.fix_missing_locations(ast.copy_location(made, at))

    def visit_ImportFrom(self, node: Any) -> Any:  # noqa: N802
        module = node.module or ""
        if node.level:
            module = importlib.util.resolve_name("." * node.level + module, self.package)
        ours = module.startswith(("numba", "llvmlite"))
        if not ours or any(a.name == "*" for a in node.names):
            return node
        return [
            self._assign(node, a.asname or a.name, f"_member_of({module!r}, {a.name!r})")
            for a in node.names
        ]

    def visit_Import(self, node: Any) -> Any:  # noqa: N802
        made = []
        for a in node.names:
            first = a.name.partition(".")[0]
            if first in ("numba", "llvmlite") and a.name != "numba":
                whole = a.name if a.asname else first
                made.append(self._assign(node, a.asname or first, f"_module_of({whole!r})"))
            else:
                made.append(ast.copy_location(ast.Import([a]), node))
        return made


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds numba.tests in the build folder, and numba's other modules in swathe.compat."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name.partition(".")[0] != "numba" or name == "numba":
            return None
        if not name.startswith(_OURS):
            module = importlib.import_module(f"swathe.compat.{name}")
            spec = importlib.util.spec_from_loader(name, self)
            vars(spec)["module"] = module
            return spec
        place = BUILD.joinpath(*name.split("."))
        if place.is_dir():
            return importlib.util.spec_from_loader(name, self, is_package=True)
        if place.with_suffix(".py").exists():
            file = str(place.with_suffix(".py"))
            return importlib.util.spec_from_file_location(name, file, loader=self)
        return None

    def create_module(self, spec: Any) -> Any:
        return vars(spec).get("module")

    def exec_module(self, module: Any) -> None:
        file = getattr(module.__spec__, "origin", None)
        if not file or not module.__name__.startswith(_OURS):
            return
        text, package = Path(file).read_text(), module.__name__.rpartition(".")[0]
        for pattern, by in _REWRITTEN:
            text = re.sub(pattern, by, text, flags=re.M)
        text = re.sub(r"(?<![\w.])exec\(", "_kept_exec(", text)
        tree = ast.fix_missing_locations(_Imports(package).visit(ast.parse(text, file)))
        linecache.cache[file] = (len(text), None, text.splitlines(True), file)
        ours = {"_member_of": _member, "_module_of": _module, "_kept_exec": _kept_exec}
        ours |= {"_helperlib_file": _helperlib_file, "_tried": _tried, "stand_in": stand_in}
        vars(module).update(ours)
        exec(compile(tree, file, "exec"), vars(module))
        _patch(module)


# ---- results ----


def _kind(error: BaseException, failure: type[BaseException]) -> str:
    text = str(error)
    if isinstance(error, Internal) or "StandIn" in text:
        return "internal"
    if not isinstance(error, failure):
        return "error"
    wording = "does not match" in text or "not found in '" in text or "Error not raised" in text
    return "wording" if wording else "differs"


class _Result(unittest.TestResult):
    def __init__(self) -> None:
        super().__init__()
        self.kinds: dict[str, tuple[str, str]] = {}

    def startTest(self, test: Any) -> None:  # noqa: N802
        super().startTest(test)
        signal.alarm(SECONDS)

    def stopTest(self, test: Any) -> None:  # noqa: N802
        signal.alarm(0)
        super().stopTest(test)

    def _put(self, test: Any, kind: str, error: Any = None) -> None:
        text = "".join(traceback.format_exception(*error))[-2500:] if error else ""
        self.kinds.setdefault(test.id(), (kind, text))

    def addSuccess(self, test: Any) -> None:  # noqa: N802
        self._put(test, "same")

    def addFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._put(test, _kind(err[1], test.failureException), err)

    addError = addFailure  # noqa: N815

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            self.addFailure(test, err)

    def addSkip(self, test: Any, reason: str) -> None:  # noqa: N802
        self._put(test, "skipped")

    def addExpectedFailure(self, test: Any, err: Any) -> None:  # noqa: N802
        self._put(test, "skipped")

    def addUnexpectedSuccess(self, test: Any) -> None:  # noqa: N802
        self._put(test, "same")


def _too_long(*_: Any) -> None:
    raise TimeoutError(f"{SECONDS} s")


def run(module: str) -> None:
    """Run a module's tests in this process, and write what has come of them."""
    from swathe import _core
    from swathe.compat import numba
    from swathe.compat.numba import _dispatcher, extending

    _core.take_any_arrays(True)  # as `python -m swathe.compat numba` does
    for name in ("library", "metadata", "fndesc", "_compiler", "type_annotation"):
        setattr(_dispatcher.Compiled, name, _internals(name))
    for name in ("_overload_method", "_overload_attribute", "overload_classmethod"):
        setattr(extending, name, lambda *_: lambda decorated: decorated)
    sys.modules["numba"] = numba
    sys.meta_path.insert(0, _Finder())
    signal.signal(signal.SIGALRM, _too_long)
    warnings.simplefilter("ignore")
    result = _Result()
    try:
        folder = "numba.cuda.tests" if module.startswith("cuda.") else "numba.tests"
        tests = importlib.import_module(f"{folder}.{module.removeprefix('cuda.')}")
        unittest.defaultTestLoader.loadTestsFromModule(tests).run(result)
    except Exception:
        result.kinds["import"] = ("error", traceback.format_exc()[-2500:])
    (BUILD / f"{module}.json").write_text(json.dumps(result.kinds))
    os._exit(0)  # whatever threads the tests have left


def _headline(text: str) -> str:
    heads = re.findall(r"(?m)^[\w.]*(?:Error|Exception)\b.*", text)
    return re.sub(r"\d+", "N", (heads or [text.strip()[-150:]])[-1])[:150]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("modules", nargs="+", help="such as test_lists")
    parser.add_argument("--causes", action="store_true")
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.here:
        run(given.modules[0])
    fetch()
    for module in given.modules:
        out = BUILD / f"{module}.json"
        out.unlink(missing_ok=True)
        subprocess.run([sys.executable, __file__, "--here", module], timeout=1800, check=False)
        kinds = json.loads(out.read_text()) if out.exists() else {"process": ("error", "it died")}
        print(module, dict(collections.Counter(k for k, _ in kinds.values())), flush=True)
        causes = collections.Counter(
            (k, _headline(t)) for k, t in kinds.values() if k in ("error", "differs")
        )
        for (kind, head), n in causes.most_common() if given.causes else ():
            print(f"  {n:4} {kind}: {head}")


if __name__ == "__main__":
    main()
