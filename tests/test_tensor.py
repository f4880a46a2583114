"""The teaching tensor library of the examples: the same numbers as NumPy, on the host and as grid
kernels, and derivatives that agree with differences."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

FOLDER = Path(__file__).resolve().parent.parent / "examples" / "tensor"
sys.path.insert(0, str(FOLDER))

import on_grid  # noqa: E402
import on_host  # noqa: E402
from storage import Storage  # noqa: E402
from tensor import Backend, Tensor  # noqa: E402

BACKENDS = {m.__name__: Backend(m) for m in (on_host, on_grid)}
rng = np.random.default_rng(3)


@pytest.fixture(params=list(BACKENDS))
def new(request: Any) -> Any:
    """Make a tensor of numbers."""
    return lambda values, needs=False: Tensor(values, BACKENDS[request.param], None, needs)


SHAPES = [
    ((), ()),
    ((3,), ()),
    ((2, 3), (3,)),
    ((4, 1, 3), (2, 1)),
    ((300,), (300,)),
    ((0, 3), (3,)),
]


@pytest.mark.parametrize(("a", "b"), SHAPES)
def test_broadcasts(new: Any, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = rng.random(a), rng.random(b) + 0.5
    s, t = new(x), new(y)
    for got, want in (
        (s + t, x + y),
        (s * t, x * y),
        (s - t, x - y),
        (s < t, x < y),
        (s > t, x > y),
        (2.0 - s, 2.0 - x),
        (s / t, x / y),
    ):
        assert got.shape == np.shape(want)
        np.testing.assert_allclose(got.numpy(), want, rtol=1e-12)


def test_maps(new: Any) -> None:
    x = rng.normal(size=(5, 7))
    t = new(x)
    np.testing.assert_array_equal(t.relu().numpy(), np.maximum(x, 0))
    np.testing.assert_allclose(t.exp().numpy(), np.exp(x), rtol=1e-14)
    np.testing.assert_allclose(t.sigmoid().numpy(), 1 / (1 + np.exp(-x)), rtol=1e-14)
    np.testing.assert_array_equal((-t.permute(1, 0)).numpy(), -x.T)


@pytest.mark.parametrize("shape", [(4,), (3, 5), (2, 130, 3), (1, 1)])
def test_reduces_along_each_axis(new: Any, shape: tuple[int, ...]) -> None:
    x = rng.normal(size=shape)
    for axis in range(len(shape)):
        want = x.sum(axis=axis, keepdims=True)
        np.testing.assert_allclose(new(x).sum(axis).numpy(), want, atol=1e-12)
        np.testing.assert_array_equal(new(x).max(axis).numpy(), x.max(axis=axis, keepdims=True))
    assert abs(new(x).mean().item() - x.mean()) < 1e-12


@pytest.mark.parametrize(
    ("a", "b"),
    [((3, 4), (4, 5)), ((33, 50), (50, 17)), ((2, 3, 4), (2, 4, 3)), ((5, 1, 2, 3), (4, 3, 2))],
)
def test_products_of_batches(new: Any, a: tuple[int, ...], b: tuple[int, ...]) -> None:
    x, y = rng.normal(size=a), rng.normal(size=b)
    np.testing.assert_allclose((new(x) @ new(y)).numpy(), x @ y, atol=1e-12)
    turned = new(np.swapaxes(y, -1, -2)).permute(*range(len(b) - 2), len(b) - 1, len(b) - 2)
    np.testing.assert_allclose((new(x) @ turned).numpy(), x @ y, atol=1e-12)


EXPRESSIONS = {
    "sum": lambda a, b: (a * b + a).sum(),
    "broadcast": lambda a, b: (a * b.sum(0)).mean(),
    "maps": lambda a, b: (a.relu() + b.exp() * a.sigmoid() + (b * b + 1.0).log()).sum(),
    "division": lambda a, b: (a / (b * b + 1.0)).sum(),
    "views": lambda a, b: (a.permute(1, 0).view(2, 6) * b.view(2, 6)).sum(),
    "product": lambda a, b: (a @ b.permute(1, 0)).relu().sum(),
    "softmax": lambda a, b: (a.log_softmax(1) * b).sum(),
    "twice": lambda a, b: ((a + a) * a - b).sum(),
    "batches": lambda a, b: (a.view(2, 2, 3) @ b.view(2, 3, 2)).exp().sum(),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_derivatives(new: Any, name: str) -> None:
    f = EXPRESSIONS[name]
    values = [rng.normal(size=(4, 3)), rng.normal(size=(4, 3))]
    leaves = [new(v, True) for v in values]
    f(*leaves).backward()
    for k, leaf in enumerate(leaves):
        for place in [(0, 0), (1, 2), (3, 1)]:
            sides = []
            for step in (1e-6, -1e-6):
                moved = [v.copy() for v in values]
                moved[k][place] += step
                sides.append(f(*(new(v) for v in moved)).item())
            slope = (sides[0] - sides[1]) / 2e-6
            assert leaf.grad is not None
            assert abs(leaf.grad.numpy()[place] - slope) < 1e-6 * max(1.0, abs(slope))


def test_errors(new: Any) -> None:
    with pytest.raises(ValueError, match="do not broadcast"):
        new(np.ones((2, 3))) + new(np.ones(4))
    with pytest.raises(ValueError, match="can't be multiplied"):
        new(np.ones((2, 3))) @ new(np.ones((2, 3)))
    with pytest.raises(ValueError, match="can't be viewed"):
        new(np.ones((2, 3))).view(4)
    with pytest.raises(ValueError, match="no order"):
        new(np.ones((2, 3))).permute(0, 0)
    with pytest.raises(ValueError, match="only a single number"):
        new(np.ones(2), True).backward()
    with pytest.raises(ValueError, match="does not broadcast"):
        Storage.of([1.0, 2.0]).broadcast_to((3,))


def train(*args: object, **env: str) -> str:
    done = subprocess.run(
        [sys.executable, FOLDER / "train.py", *map(str, args)],
        env=os.environ | env,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("backend", ["host", "grid"])
def test_training_reaches_what_numpy_does(backend: str) -> None:
    pytest.importorskip("sklearn")
    last = train("--backend", backend, "--images", 900, "--epochs", 5).splitlines()[-1]
    words = last.replace(",", "").replace(";", "").split()
    assert words[1] == words[4] and float(words[1]) > 0.85
    assert float(words[-1]) < 1e-9


def test_the_same_source_under_numba() -> None:
    pytest.importorskip("sklearn")
    pytest.importorskip("numba")
    out = train("--images", 130, "--epochs", 1, TENSOR_COMPILER="numba")
    assert out.startswith("numba, host")
    assert float(out.split()[-1]) < 1e-9
