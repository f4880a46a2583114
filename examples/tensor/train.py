# SPDX-License-Identifier: BSD-3-Clause
"""Train a small classifier of handwritten digits on the tensors of this folder.

    python examples/tensor/train.py --backend host --epochs 20

The same model in NumPy, from the same start and with the same batches, shows what is to be reached.
`TENSOR_COMPILER=numba` runs the library under Numba; `compare.py` times the two.
"""

from __future__ import annotations

import time

START = time.perf_counter()

import argparse  # noqa: E402
import importlib  # noqa: E402

import numpy as np  # noqa: E402
from compiler import NAME  # noqa: E402
from tensor import Backend, Tensor  # noqa: E402

HIDDEN, CLASSES, BATCH = 64, 10, 64


def digits(most: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return images and labels, to train with and to test with."""
    from sklearn.datasets import load_digits

    data = load_digits()
    order = np.random.default_rng(0).permutation(len(data.target))[:most]
    x, y = data.data[order] / 16.0, data.target[order]
    cut = len(x) * 4 // 5
    return x[:cut], y[:cut], x[cut:], y[cut:]


def start(rng: np.random.Generator) -> list[np.ndarray]:
    """Return the weights that training starts from."""
    sizes = [(64, HIDDEN), (1, HIDDEN), (HIDDEN, CLASSES), (1, CLASSES)]
    return [rng.normal(0, 1 / np.sqrt(m), (m, n)) if m > 1 else np.zeros((m, n)) for m, n in sizes]


def batches(n: int, epoch: int) -> list[np.ndarray]:
    """Return the batches of an epoch, as indices."""
    order = np.random.default_rng(epoch + 1).permutation(n)
    return [order[k : k + BATCH] for k in range(0, n, BATCH)]


# ---- on tensors --------------------------------------------------------------------------


def scores(weights: list[Tensor], x: np.ndarray) -> Tensor:
    """Return the model's scores of the classes, for each image."""
    w1, b1, w2, b2 = weights
    return (Tensor(x, w1.backend) @ w1 + b1).relu() @ w2 + b2


def train_epoch(
    weights: list[Tensor], x: np.ndarray, y: np.ndarray, epoch: int, rate: float
) -> float:
    """Go once through the images; return the mean loss."""
    total = 0.0
    for pick in batches(len(x), epoch):
        log_p = scores(weights, x[pick]).log_softmax(1)
        loss = -((log_p * np.eye(CLASSES)[y[pick]]).sum() * (1.0 / len(pick)))
        loss.backward()
        for k, w in enumerate(weights):
            weights[k] = Tensor(
                (w - Tensor(w.grad, w.backend) * rate).storage, w.backend, None, True
            )
        total += loss.item() * len(pick)
    return total / len(x)


# ---- the same in NumPy -------------------------------------------------------------------


def numpy_epoch(
    weights: list[np.ndarray], x: np.ndarray, y: np.ndarray, epoch: int, rate: float
) -> None:
    """Go once through the images with derivatives written by hand."""
    w1, b1, w2, b2 = weights
    for pick in batches(len(x), epoch):
        a = x[pick] @ w1 + b1
        h = np.maximum(a, 0)
        s = h @ w2 + b2
        p = np.exp(s - s.max(axis=1, keepdims=True))
        p /= p.sum(axis=1, keepdims=True)
        ds = (p - np.eye(CLASSES)[y[pick]]) / len(pick)
        da = (ds @ w2.T) * (a > 0)
        w2 -= rate * (h.T @ ds)
        b2 -= rate * ds.sum(axis=0, keepdims=True)
        w1 -= rate * (x[pick].T @ da)
        b1 -= rate * da.sum(axis=0, keepdims=True)


def main() -> None:
    """Train, and print what became of it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--backend", choices=["host", "grid"], default="host")
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--rate", type=float, default=0.5)
    parser.add_argument("--images", type=int, default=1797)
    parser.add_argument("--device", help="where grid kernels run, as swathe.Device takes it")
    args = parser.parse_args()

    x, y, test_x, test_y = digits(args.images)
    if args.device:
        import swathe

        with swathe.device_context(args.device):
            run(args, x, y, test_x, test_y)
    else:
        run(args, x, y, test_x, test_y)


def run(
    args: argparse.Namespace,
    x: np.ndarray,
    y: np.ndarray,
    test_x: np.ndarray,
    test_y: np.ndarray,
) -> None:
    """Train on tensors and in NumPy, and compare."""
    backend = Backend(importlib.import_module("on_" + args.backend))
    first = start(np.random.default_rng(1))
    weights = [Tensor(w, backend, None, True) for w in first]
    began = time.perf_counter()
    loss = train_epoch(weights, x, y, 0, args.rate)
    print(f"{NAME}, {args.backend}: first epoch in {time.perf_counter() - began:.3f} s", end="")
    print(f", {time.perf_counter() - START:.3f} s with imports; loss {loss:.4f}")
    began = time.perf_counter()
    for epoch in range(1, args.epochs):
        loss = train_epoch(weights, x, y, epoch, args.rate)
    if args.epochs > 1:
        each = (time.perf_counter() - began) / (args.epochs - 1)
        print(f"later epochs: {each:.3f} s each; loss {loss:.4f}")
    accuracy = np.mean(scores(weights, test_x).numpy().argmax(axis=1) == test_y)

    plain = [w.copy() for w in first]
    for epoch in range(args.epochs):
        numpy_epoch(plain, x, y, epoch, args.rate)
    w1, b1, w2, b2 = plain
    wanted = np.mean((np.maximum(test_x @ w1 + b1, 0) @ w2 + b2).argmax(axis=1) == test_y)
    apart = max(np.abs(w.numpy() - p).max() for w, p in zip(weights, plain, strict=True))
    print(
        f"accuracy: {accuracy:.4f}, in NumPy: {wanted:.4f}; weights differ by at most {apart:.1e}"
    )


if __name__ == "__main__":
    main()
