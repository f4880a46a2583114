/* SPDX-License-Identifier: BSD-3-Clause
 * DLPack: how libraries hand arrays to each other. */
#ifndef SWATHE_PY_DLPACK_H
#define SWATHE_PY_DLPACK_H
#include "py.h"

/* ---- DLPack's structures, as https://dmlc.github.io/dlpack has them -------------------------- */

typedef struct DlTensor {
    void *data;
    int32_t device_type, device_id;
    int32_t ndim;
    uint8_t code, bits;
    uint16_t lanes;
    int64_t *shape, *strides; /* strides in elements; NULL: contiguous */
    uint64_t byte_offset;
} DlTensor;

typedef struct DlManaged {
    DlTensor t;
    void *user;
    void (*deleter)(struct DlManaged *self);
} DlManaged;

typedef struct DlVersioned {
    uint32_t major, minor;
    void *user;
    void (*deleter)(struct DlVersioned *self);
    uint64_t flags;
    DlTensor t;
} DlVersioned;

enum { DL_READ_ONLY = 1 };

enum { DL_INT, DL_UINT, DL_FLOAT, DL_OPAQUE, DL_BFLOAT, DL_COMPLEX, DL_BOOL };

/* What is in a capsule, which is not ours yet; NULL: nothing that we can read. */
DlTensor *dlpack_open(PyObject *capsule, bool *readonly);
/* The destructor of a capsule that is ours, under a name that begins with "used_". */
void dlpack_free(PyObject *capsule);
#endif
