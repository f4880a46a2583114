# SPDX-License-Identifier: BSD-3-Clause
"""The routines of BLAS over arrays of the host, by NumPy: what a packed, banded, symmetric or
triangular matrix stands for is written out, and the result is put back where it came from."""

from __future__ import annotations

from typing import Any

import numpy as np


def _op(a: np.ndarray, trans: str) -> np.ndarray:
    return a if trans == "N" else a.T if trans == "T" else a.conj().T


def _whole(a: np.ndarray, uplo: str, conj: bool) -> np.ndarray:
    """The symmetric or Hermitian matrix of which one triangle is given."""
    half = np.tril(a) if uplo == "L" else np.triu(a)
    rest = half.conj().T if conj else half.T
    out = half + rest
    d = np.diagonal(a)
    np.fill_diagonal(out, d.real if conj else d)
    return out


def _triangle(a: np.ndarray, uplo: str, diag: str) -> np.ndarray:
    out = np.tril(a) if uplo == "L" else np.triu(a)
    if diag == "U":
        np.fill_diagonal(out, 1)
    return out


def _unpacked(ap: np.ndarray, uplo: str, n: int) -> np.ndarray:
    """A triangle that is packed by columns."""
    out = np.zeros((n, n), ap.dtype)
    i, j = _packed_places(uplo, n)
    out[i, j] = ap[: len(i)]
    return out


def _packed_places(uplo: str, n: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of a packed triangle's elements, in their order."""
    j, i = np.tril_indices(n) if uplo == "U" else np.triu_indices(n)
    return i, j


def _banded(ab: np.ndarray, m: int, n: int, kl: int, ku: int) -> np.ndarray:
    """A matrix of bands: element (i, j) is at (ku + i - j, j)."""
    out = np.zeros((m, n), ab.dtype)
    for j in range(n):
        lo, hi = max(0, j - ku), min(m, j + kl + 1)
        out[lo:hi, j] = ab[ku + lo - j : ku + hi - j, j]
    return out


def _of(p: dict[str, Any]) -> np.ndarray:
    """The triangle or band that a routine's matrix has, written out."""
    n = p["n"]
    if "AP" in p:
        return _unpacked(p["AP"], p["uplo"], n)
    if "kl" in p:
        return _banded(p["A"], p["m"], n, p["kl"], p["ku"])
    if "k" in p:
        kl, ku = (p["k"], 0) if p["uplo"] == "L" else (0, p["k"])
        return _banded(p["A"], n, n, kl, ku)
    return p["A"][:n, :n]


def _mix(out: np.ndarray, value: np.ndarray, beta: Any) -> None:
    """out = value + beta * out, where 0 times anything, NaN too, is 0."""
    out[...] = value if beta == 0 else value + beta * out


def _product(p: dict[str, Any], a: np.ndarray) -> None:
    out, inner = p["y"], p["x"]
    _mix(out[: a.shape[0]], p["alpha"] * (a @ inner[: a.shape[1]]), p["beta"])


def _matrix_vector(p: dict[str, Any]) -> None:
    a = _of(p) if "kl" in p else p["A"][: p["m"], : p["n"]]
    _product(p, _op(a, p["trans"]))


def _symmetric_vector(conj: bool) -> Any:
    return lambda p: _product(p, _whole(_of(p), p["uplo"], conj))


def _triangle_vector(p: dict[str, Any]) -> None:
    x = p["x"][: p["n"]]
    x[...] = _op(_triangle(_of(p), p["uplo"], p["diag"]), p["trans"]) @ x


def _triangle_solve(p: dict[str, Any]) -> None:
    x = p["x"][: p["n"]]
    t = _op(_triangle(_of(p), p["uplo"], p["diag"]), p["trans"])
    x[...] = _substitute(t, x[:, None])[:, 0]


def _substitute(t: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Solve t x = b for a triangle, whichever it is."""
    x = b.copy()
    n = len(t)
    lower = not np.any(np.triu(t, 1))
    with np.errstate(all="ignore"):  # as BLAS has it: a zero on the diagonal gives inf
        for i in range(n) if lower else range(n - 1, -1, -1):
            before = slice(0, i) if lower else slice(i + 1, n)
            x[i] = (x[i] - t[i, before] @ x[before]) / t[i, i]
    return x


def _outer(conj: bool) -> Any:
    def rank1(p: dict[str, Any]) -> None:
        m, n = p["m"], p["n"]
        y = p["y"][:n].conj() if conj else p["y"][:n]
        p["A"][:m, :n] += p["alpha"] * np.outer(p["x"][:m], y)

    return rank1


def _update(p: dict[str, Any], by: np.ndarray, conj: bool, beta: Any = 1) -> None:
    """Add to one triangle of a matrix, which may be packed."""
    n, name = p["n"], next(k for k in ("AP", "C", "A") if k in p and ("C" not in p or k == "C"))
    if name == "AP":
        i, j = _packed_places(p["uplo"], n)
        p["AP"][: len(i)] += by[i, j]
        diagonal = p["AP"][: len(i)][i == j]
        if conj:
            p["AP"][np.flatnonzero(i == j)] = diagonal.real
        return
    a = p[name]
    i, j = np.tril_indices(n) if p["uplo"] == "L" else np.triu_indices(n)
    a[i, j] = by[i, j] if beta == 0 else by[i, j] + beta * a[i, j]
    if conj:
        d = np.arange(n)
        a[d, d] = a[d, d].real


def _rank1(conj: bool) -> Any:
    def update(p: dict[str, Any]) -> None:
        x = p["x"][: p["n"]]
        _update(p, p["alpha"] * np.outer(x, x.conj() if conj else x), conj)

    return update


def _rank2(conj: bool) -> Any:
    def update(p: dict[str, Any]) -> None:
        x, y = p["x"][: p["n"]], p["y"][: p["n"]]
        if conj:
            by = p["alpha"] * np.outer(x, y.conj())
            by = by + by.conj().T
        else:
            by = p["alpha"] * (np.outer(x, y) + np.outer(y, x))
        _update(p, by, conj)

    return update


def _gemm(p: dict[str, Any]) -> None:
    m, n, k = p["m"], p["n"], p["k"]
    a = _op(p["A"][:m, :k] if p["transa"] == "N" else p["A"][:k, :m], p["transa"])
    b = _op(p["B"][:k, :n] if p["transb"] == "N" else p["B"][:n, :k], p["transb"])
    _mix(p["C"][:m, :n], p["alpha"] * (a @ b), p["beta"])


def _rank_k(conj: bool, two: bool) -> Any:
    def update(p: dict[str, Any]) -> None:
        n, k, plain = p["n"], p["k"], p["trans"] == "N"

        def part(a: np.ndarray) -> np.ndarray:
            a = a[:n, :k] if plain else a[:k, :n].T
            return a if plain or not conj else a.conj()

        a = part(p["A"])
        if not two:
            by = p["alpha"] * (a @ (a.conj().T if conj else a.T))
        else:
            b = part(p["B"])
            by = p["alpha"] * (a @ (b.conj().T if conj else b.T))
            by = by + (by.conj().T if conj else by.T)
        _update(p, by, conj, p["beta"])

    return update


def _symmetric_matrix(conj: bool) -> Any:
    def product(p: dict[str, Any]) -> None:
        m, n = p["m"], p["n"]
        k = m if p["side"] == "L" else n
        a, b = _whole(p["A"][:k, :k], p["uplo"], conj), p["B"][:m, :n]
        _mix(p["C"][:m, :n], p["alpha"] * (a @ b if p["side"] == "L" else b @ a), p["beta"])

    return product


def _triangle_of(p: dict[str, Any]) -> np.ndarray:
    k = p["m"] if p["side"] == "L" else p["n"]
    return _op(_triangle(p["A"][:k, :k], p["uplo"], p["diag"]), p["trans"])


def _trmm(p: dict[str, Any]) -> None:
    m, n = p["m"], p["n"]
    t, b = _triangle_of(p), p["B"][:m, :n]
    p["C"][:m, :n] = p["alpha"] * (t @ b if p["side"] == "L" else b @ t)


def _trsm(p: dict[str, Any]) -> None:
    m, n = p["m"], p["n"]
    t, b = _triangle_of(p), p["alpha"] * p["B"][:m, :n]
    p["B"][:m, :n] = _substitute(t, b) if p["side"] == "L" else _substitute(t.T, b.T).T


def _dgmm(p: dict[str, Any]) -> None:
    m, n = p["m"], p["n"]
    a = p["A"][:m, :n]
    p["C"][:m, :n] = p["x"][:m, None] * a if p["side"] == "L" else a * p["x"][:n]


def _geam(p: dict[str, Any]) -> None:
    m, n = p["m"], p["n"]
    a = _op(p["A"][:m, :n] if p["transa"] == "N" else p["A"][:n, :m], p["transa"])
    b = _op(p["B"][:m, :n] if p["transb"] == "N" else p["B"][:n, :m], p["transb"])
    p["C"][:m, :n] = p["alpha"] * a + p["beta"] * b


ROUTINES = {
    "gbmv": _matrix_vector, "gemv": _matrix_vector,
    "trmv": _triangle_vector, "tbmv": _triangle_vector, "tpmv": _triangle_vector,
    "trsv": _triangle_solve, "tbsv": _triangle_solve, "tpsv": _triangle_solve,
    "symv": _symmetric_vector(False), "hemv": _symmetric_vector(True),
    "sbmv": _symmetric_vector(False), "hbmv": _symmetric_vector(True),
    "spmv": _symmetric_vector(False), "hpmv": _symmetric_vector(True),
    "ger": _outer(False), "geru": _outer(False), "gerc": _outer(True),
    "syr": _rank1(False), "her": _rank1(True), "spr": _rank1(False), "hpr": _rank1(True),
    "syr2": _rank2(False), "her2": _rank2(True), "spr2": _rank2(False), "hpr2": _rank2(True),
    "gemm": _gemm, "syrk": _rank_k(False, False), "herk": _rank_k(True, False),
    "syr2k": _rank_k(False, True), "her2k": _rank_k(True, True),
    "symm": _symmetric_matrix(False), "hemm": _symmetric_matrix(True),
    "trsm": _trsm, "trmm": _trmm, "dgmm": _dgmm, "geam": _geam,
}  # fmt: skip
