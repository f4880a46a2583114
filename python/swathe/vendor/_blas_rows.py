# SPDX-License-Identifier: BSD-3-Clause
"""The routines of BLAS, of levels 2 and 3 and cuBLAS's two more: a row for each.

A row has the types (s, d, c, z) and the parameters in BLAS's order. A letter or a size is as in
BLAS; `alpha` and `beta` are numbers, with `:real` where complex routines take real ones. Of arrays
`A:r` is read and `A:w` written, too; a capital is a matrix in Fortran's order, `AP` one packed into
a vector, x and y are vectors. Leading dimensions and steps are the arrays' own.
"""

from __future__ import annotations

from typing import NamedTuple


class Param(NamedTuple):
    """One parameter of a routine."""

    name: str
    kind: str  # letter, size, number, matrix, packed, vector
    writes: bool
    real: bool


class Row(NamedTuple):
    """One routine."""

    name: str
    types: str
    params: tuple[Param, ...]


_TEXT = """
gbmv  sdcz  trans m n kl ku alpha A:r x:r beta y:w
gemv  sdcz  trans m n alpha A:r x:r beta y:w
trmv  sdcz  uplo trans diag n A:r x:w
tbmv  sdcz  uplo trans diag n k A:r x:w
tpmv  sdcz  uplo trans diag n AP:r x:w
trsv  sdcz  uplo trans diag n A:r x:w
tbsv  sdcz  uplo trans diag n k A:r x:w
tpsv  sdcz  uplo trans diag n AP:r x:w
symv  sdcz  uplo n alpha A:r x:r beta y:w
hemv  cz    uplo n alpha A:r x:r beta y:w
sbmv  sd    uplo n k alpha A:r x:r beta y:w
hbmv  cz    uplo n k alpha A:r x:r beta y:w
spmv  sd    uplo n alpha AP:r x:r beta y:w
hpmv  cz    uplo n alpha AP:r x:r beta y:w
ger   sd    m n alpha x:r y:r A:w
geru  cz    m n alpha x:r y:r A:w
gerc  cz    m n alpha x:r y:r A:w
syr   sdcz  uplo n alpha x:r A:w
her   cz    uplo n alpha:real x:r A:w
spr   sd    uplo n alpha x:r AP:w
hpr   cz    uplo n alpha:real x:r AP:w
syr2  sdcz  uplo n alpha x:r y:r A:w
her2  cz    uplo n alpha x:r y:r A:w
spr2  sd    uplo n alpha x:r y:r AP:w
hpr2  cz    uplo n alpha x:r y:r AP:w
gemm  sdcz  transa transb m n k alpha A:r B:r beta C:w
syrk  sdcz  uplo trans n k alpha A:r beta C:w
herk  cz    uplo trans n k alpha:real A:r beta:real C:w
syr2k sdcz  uplo trans n k alpha A:r B:r beta C:w
her2k cz    uplo trans n k alpha A:r B:r beta:real C:w
symm  sdcz  side uplo m n alpha A:r B:r beta C:w
hemm  cz    side uplo m n alpha A:r B:r beta C:w
trsm  sdcz  side uplo trans diag m n alpha A:r B:w
trmm  sdcz  side uplo trans diag m n alpha A:r B:r C:w
dgmm  sdcz  side m n A:r x:r C:w
geam  sdcz  transa transb m n alpha A:r beta B:r C:w
"""

LETTERS = {
    "trans": {"N": 0, "T": 1, "C": 2},
    "uplo": {"L": 0, "U": 1},
    "diag": {"N": 0, "U": 1},
    "side": {"L": 0, "R": 1},
}
LETTERS["transa"] = LETTERS["transb"] = LETTERS["trans"]

TYPES = {"s": "float32", "d": "float64", "c": "complex64", "z": "complex128"}
TYPE_OF = {name: letter for letter, name in TYPES.items()}


def _param(word: str) -> Param:
    name, _, how = word.partition(":")
    if name in LETTERS:
        kind = "letter"
    elif name in ("alpha", "beta"):
        kind = "number"
    elif not how:
        kind = "size"
    else:
        kind = "packed" if name == "AP" else "matrix" if name.isupper() else "vector"
    return Param(name, kind, how == "w", how == "real")


def _rows() -> dict[str, Row]:
    rows = {}
    for line in _TEXT.split("\n"):
        if line:
            name, types, *words = line.split()
            rows[name] = Row(name, types, tuple(map(_param, words)))
    return rows


ROWS = _rows()
