/* SPDX-License-Identifier: BSD-3-Clause
 * A back end turns an IR module into code. It is a vtable, found by name; LLVM's lives in a library
 * of its own (libswathe_llvm.so), which is opened at the first cache miss. */
#ifndef SWATHE_GEN_H
#define SWATHE_GEN_H
#include "ir/ir.h"

typedef struct GenTarget {
    const char *name;      /* "cpu" */
    const char *cpu;       /* LLVM CPU name; NULL: the host's */
    const char *features;  /* "+avx2,..."; NULL: the host's */
    int vector_bits;       /* 0: let the back end decide */
} GenTarget;

typedef struct GenOutput { /* malloc'ed, freed by gen_free */
    void *object;          /* relocatable ELF */
    size_t object_size;
    char *text[3];         /* on request: LLVM IR before, after optimisation, assembly */
    char *remarks;         /* vectorised loops: lines as in rt.h's SwFunction, or NULL */
    char *error;           /* NULL when all went well */
    bool no_memory;        /* that was the error */
} GenOutput;
enum { GEN_TEXT_LLVM_RAW = 1, GEN_TEXT_LLVM = 2, GEN_TEXT_ASM = 4, GEN_REMARKS = 8 };

typedef struct GenBackend {
    const char *name;
    int abi;               /* GEN_ABI: refused when it differs */
    int (*init)(void);     /* once; thread-safe. 0 on success */
    /* What the host is: for the cache key. Static strings. */
    const char *(*host_cpu)(void);
    const char *(*host_features)(void);
    void (*emit)(IrModule *m, const GenTarget *t, int texts, GenOutput *out); /* any thread */
} GenBackend;
enum { GEN_ABI = 2 };
void gen_free(GenOutput *o);
/* What libswathe_llvm.so exports. */
const GenBackend *swathe_llvm_backend(void);
typedef const GenBackend *(*GenEntry)(void);
#define GEN_ENTRY_NAME "swathe_llvm_backend"
#endif
