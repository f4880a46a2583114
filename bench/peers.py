"""Pythran, JAX and Taichi on the kernels, for `kernels.py --peers`.

Pythran and Taichi compile the very source of kernels_py.py, with the spelling changed that each
wants; JAX gets the same computations as array expressions, since that is what it compiles. A
kernel that one of them can't compile is left out of its column. All use THREADS threads and
strict floating point.
"""

from __future__ import annotations

import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from kernels_py import Kernel

Call = Callable[[], Any]


def _import(path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


class Pythran:
    """`pythran -O3 -march=native -fopenmp` over a module with the one function."""

    def __init__(self, threads: int) -> None:
        import pythran  # noqa: F401  (is it there?)

        self.openmp = ["-fopenmp"] if threads > 1 else []
        self.folder = Path(tempfile.mkdtemp(prefix="pythran-"))

    @staticmethod
    def _type(arg: Any) -> str:
        if isinstance(arg, np.ndarray):
            return arg.dtype.name + "[" + ",".join(":" * arg.ndim) + "]"
        names: dict[type, str] = {int: "int", float: "float", np.float32: "float32"}
        return names[type(arg)]

    def bind(self, kernel: Kernel, args: tuple[Any, ...]) -> Call:
        """Compile the kernel and bind it to its arguments."""
        name = kernel.function.__name__
        source = inspect.getsource(kernel.function)
        sums = re.findall(r"^    (\w+) = 0(?:\.0)?$", source, re.M)
        clause = f" reduction(+:{','.join(sums)})" if sums and not kernel.writes else ""
        source = re.sub(
            r"^( *)for (\w+) in prange\(",
            rf"\1#omp parallel for{clause}\n\1for \2 in range(",
            source,
            flags=re.M,
        )
        export = f"#pythran export {name}({', '.join(map(self._type, args))})\n"
        stem = f"pythran_{kernel.name}"
        file = self.folder / f"{stem}.py"
        file.write_text(f"{export}import numpy as np\n\n\n{source}")
        made = self.folder / f"{stem}.so"
        command = [sys.executable, "-m", "pythran.run", "-O3", "-march=native", *self.openmp]
        run = subprocess.run(
            [*command, str(file), "-o", str(made)], capture_output=True, text=True, check=False
        )
        if run.returncode:
            raise RuntimeError((run.stderr.strip().splitlines() or ["it failed"])[-1])
        function = getattr(_import(made), name)
        return lambda: function(*args)


class Taichi:
    """A `ti.kernel` over NumPy arrays; its outermost loop is parallel."""

    def __init__(self, threads: int) -> None:
        os.environ.setdefault("TI_LOG_LEVEL", "error")
        os.environ.setdefault("ENABLE_TAICHI_HEADER_PRINT", "0")
        import taichi as ti

        self.ti = ti
        ti.init(
            arch=ti.cpu,
            cpu_max_num_threads=threads,
            default_fp=ti.f64,
            default_ip=ti.i64,
            fast_math=False,
            offline_cache=False,
        )
        self.folder = Path(tempfile.mkdtemp(prefix="taichi-"))

    @staticmethod
    def _type(arg: Any) -> str:
        short = {"float64": "f64", "float32": "f32", "int64": "i64", "uint8": "u8"}
        if isinstance(arg, np.ndarray):
            return f"ti.types.ndarray(dtype=ti.{short[arg.dtype.name]}, ndim={arg.ndim})"
        return (
            "ti.i64"
            if isinstance(arg, int)
            else "ti.f32"
            if isinstance(arg, np.float32)
            else "ti.f64"
        )

    def bind(self, kernel: Kernel, args: tuple[Any, ...]) -> Call:
        """Compile the kernel and bind it to its arguments."""
        source = inspect.getsource(kernel.function)
        names = list(inspect.signature(kernel.function).parameters)
        head = ", ".join(f"{n}: {self._type(a)}" for n, a in zip(names, args, strict=True))
        source = re.sub(
            r"def (\w+)\([^)]*\):",
            rf"def \1({head}){'' if kernel.writes else ' -> ti.f64'}:",
            source,
            count=1,
        )
        source = re.sub(r"np\.(sqrt|exp|log|sin|cos|abs)\(", r"ti.\1(", source)
        source = source.replace("prange(", "range(").replace(".size", ".shape[0]")
        source = re.sub(r"len\((\w+)\)", r"\1.shape[0]", source)
        source = re.sub(r"^    (\w+(?:, \w+)+) = (\w+)\.shape$", self._unpack, source, flags=re.M)
        stem = f"taichi_{kernel.name}"
        file = self.folder / f"{stem}.py"
        file.write_text(f"import taichi as ti\n\n\n@ti.kernel\n{source}")
        function = getattr(_import(file), kernel.function.__name__)
        return lambda: function(*args)

    @staticmethod
    def _unpack(found: re.Match[str]) -> str:
        names = found[1].split(", ")
        return "\n".join(f"    {n} = {found[2]}.shape[{i}]" for i, n in enumerate(names))


class Jax:
    """`jax.jit` over array expressions, on the CPU; results stay with JAX."""

    def __init__(self, threads: int) -> None:
        os.environ["XLA_FLAGS"] = (
            ""
            if threads > 1
            else "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
        )
        os.environ["JAX_PLATFORMS"] = "cpu"
        import jax

        jax.config.update("jax_enable_x64", True)
        self.jax = jax

    def bind(self, kernel: Kernel, args: tuple[Any, ...]) -> Call:
        """Compile the kernel and bind it to its arguments, less those that it only writes."""
        import jax.numpy as jnp

        function = self.jax.jit(_jax_functions(self.jax, jnp)[kernel.name], static_argnums=())
        arrays = [jnp.asarray(a) if isinstance(a, np.ndarray) else a for a in args]

        def call() -> Any:
            result = function(*arrays)
            self.jax.block_until_ready(result)
            return result

        # what it returns is compared in place of what the others write
        def written() -> Any:
            result = call()
            if not kernel.writes:
                return float(result)
            parts = result if isinstance(result, tuple) else (result,)
            for i, part in zip(kernel.writes, parts, strict=True):
                np.copyto(args[i], part)
            return None

        written()
        call.checked = written  # type: ignore[attr-defined]
        return call


def _jax_functions(jax: Any, jnp: Any) -> dict[str, Callable[..., Any]]:
    def stencil(a, out):
        inner = 0.2 * (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:])
        return out.at[1:-1, 1:-1].set(inner)

    def mandelbrot(out, limit):
        h, w = out.shape
        ci = (-1.25 + 2.5 * jnp.arange(h) / h)[:, None]
        cr = (-2.0 + 2.75 * jnp.arange(w) / w)[None, :]

        def step(_, state):
            zr, zi, n = state
            go = zr * zr + zi * zi <= 4.0
            t = zr * zr - zi * zi + cr
            zi = jnp.where(go, 2.0 * zr * zi + ci, zi)
            return jnp.where(go, t, zr), zi, n + go

        zero = jnp.zeros((h, w))
        return jax.lax.fori_loop(0, limit, step, (zero, zero, jnp.zeros((h, w), out.dtype)))[2]

    def nbody(pos, vel, mass, dt):
        d = pos[None, :, :] - pos[:, None, :]
        r2 = (d * d).sum(-1) + 1e-9
        s = mass[None, :] / (r2 * jnp.sqrt(r2))
        vel = vel + dt * (d * s[:, :, None]).sum(1)
        return pos + dt * vel, vel

    def black_scholes(price, strike, years, rate, sigma, call, put):
        def cdf(d):
            k = 1.0 / (1.0 + 0.2316419 * jnp.abs(d))
            poly = -1.821255978 + k * 1.330274429
            poly = k * (0.319381530 + k * (-0.356563782 + k * (1.781477937 + k * poly)))
            n = 0.3989422804014327 * jnp.exp(-0.5 * d * d) * poly
            return jnp.where(d > 0.0, 1.0 - n, n)

        root = jnp.sqrt(years)
        d1 = (jnp.log(price / strike) + (rate + 0.5 * sigma * sigma) * years) / (sigma * root)
        n1, n2 = cdf(d1), cdf(d1 - sigma * root)
        disc = strike * jnp.exp(-rate * years)
        return price * n1 - disc * n2, disc * (1.0 - n2) - price * (1.0 - n1)

    def sixterm(x, y, out):
        return jnp.sin(x) * jnp.cos(y) + jnp.exp(-x) + jnp.log(y) + jnp.sqrt(x) + x * y

    def softmax(x, out):
        e = jnp.exp(x - x.max(1, keepdims=True))
        return e / e.sum(1, keepdims=True)

    def heat3d(a, out):
        c = a[1:-1, 1:-1, 1:-1]
        new = (
            0.125 * (a[2:, 1:-1, 1:-1] - 2.0 * c + a[:-2, 1:-1, 1:-1])
            + 0.125 * (a[1:-1, 2:, 1:-1] - 2.0 * c + a[1:-1, :-2, 1:-1])
            + 0.125 * (a[1:-1, 1:-1, 2:] - 2.0 * c + a[1:-1, 1:-1, :-2])
            + c
        )
        return out.at[1:-1, 1:-1, 1:-1].set(new)

    def life(world, out):
        h, w = world.shape
        n = sum(
            world[1 + u : h - 1 + u, 1 + v : w - 1 + v]
            for u in (-1, 0, 1)
            for v in (-1, 0, 1)
            if u or v
        )
        alive = (n == 3) | ((world[1:-1, 1:-1] == 1) & (n == 2))
        return out.at[1:-1, 1:-1].set(alive.astype(out.dtype))

    return {
        "sum2d": jnp.sum,
        "saxpy": lambda alpha, x, y: alpha * x + y,
        "sixterm64": sixterm,
        "sixterm32": sixterm,
        "sixterm_array": sixterm,
        "mandelbrot": mandelbrot,
        "stencil": stencil,
        "nbody": nbody,
        "black_scholes": black_scholes,
        "blacksch_array": black_scholes,
        "prefix_sum": lambda x, out: jnp.cumsum(x),
        "pairwise": lambda x, out: jnp.sqrt(((x[:, None, :] - x[None, :, :]) ** 2).sum(-1)),
        "softmax": softmax,
        "gather": lambda x, index, out: x[index],
        "scatter": lambda x, index, out: out.at[index].set(x),
        "triad": lambda a, b, c: b + 3.0 * c,
        "dot": jnp.dot,
        "sum": jnp.sum,
        "variance": jnp.var,
        "heat3d": heat3d,
        "life": life,
        "batched_matmul": lambda a, b, out: a @ b,
    }


PEERS: dict[str, type] = {"pythran": Pythran, "jax": Jax, "taichi": Taichi}


def installed(threads: int) -> dict[str, Any]:
    """Return the peers that are installed, ready for `threads` threads."""
    found = {}
    for name, make in PEERS.items():
        try:
            found[name] = make(threads)
        except ImportError as error:
            print(f"{name} is not installed: {error}", file=sys.stderr)
    return found
