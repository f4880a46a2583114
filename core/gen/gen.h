/* SPDX-License-Identifier: BSD-3-Clause
 * A back end turns an IR module into code: one for each row of def/target.def, in one table
 * (gen.c). LLVM's two live in a library of their own (libswathe_llvm.so), opened at the first cache
 * miss (library.c). */
#ifndef SWATHE_GEN_H
#define SWATHE_GEN_H
#include "ir/ir.h"

typedef struct GenTarget {
    const char *triple; /* LLVM's; NULL: the host's */
    const char *cpu;    /* LLVM CPU name; NULL: the host's, or any of the triple */
    /* "+avx2,..."; NULL: the host's, or none where a triple or a CPU is named */
    const char *features;
    int vector_bits; /* 0: let the back end decide */
} GenTarget;

typedef struct GenOutput { /* malloc'ed, freed by gen_free */
    /* relocatable ELF; of a device text that its driver compiles, NUL-terminated */
    void *object;
    size_t object_size;
    char *text[3]; /* on request: LLVM IR before, after optimisation, assembly or source */
    char *remarks; /* vectorised loops: lines as in rt.h's SwFunction, or NULL */
    /* a bug of ours, or memory: NULL when all went well, or the diagnostics say what is wrong */
    char *error;
    bool no_memory; /* that was the error */
} GenOutput;
enum { GEN_TEXT_LLVM_RAW = 1, GEN_TEXT_LLVM = 2, GEN_TEXT_ASM = 4, GEN_REMARKS = 8 };
typedef void GenEmit(IrModule *m, const GenTarget *t, int texts, GenOutput *out); /* any thread */

typedef struct GenBackend {
    const char *name; /* as in def/target.def */
    /* What its code depends on besides the program and the options. Opens and loads nothing. */
    void (*key)(Hash *h);
    GenTarget (*target)(void); /* what it makes code for when nobody says */
    int (*vector_bytes)(void); /* of the registers that passes should plan for; 0: there are none */
    GenEmit *emit;
} GenBackend;
const GenBackend *gen_backend(int target); /* TARGET_* */
void gen_free(GenOutput *o);

/* ---- def/refuse.def: what a back end can't do ---- */
typedef enum GenRefusal {
#define REFUSE(target, id, message) REFUSE_##target##_##id,
#include "def/refuse.def"

/* In the names of functions of libm by which LLVM is not to know them. */
#define GEN_LIBM_PREFIX "swm_"
#undef REFUSE
    REFUSE_COUNT
} GenRefusal;
/* Diagnoses it. a, b: the names in the message, NULL where it has fewer. */
void gen_refuse(Cx *cx, Span at, GenRefusal what, const char *a, const char *b);

/* ---- library.c: libswathe_llvm.so ---- */
typedef struct GenLibrary { /* what it exports */
    int abi;                /* GEN_ABI: refused when it differs */
    int (*init)(void);      /* once; thread-safe. 0 on success */
    GenEmit *cpu, *ptx;
} GenLibrary;
enum { GEN_ABI = 3 };
const GenLibrary *swathe_llvm_backend(void);
typedef const GenLibrary *(*GenEntry)(void);
#define GEN_ENTRY_NAME "swathe_llvm_backend"
GenEmit gen_cpu_emit, gen_ptx_emit;
#define GEN_CROSS_LIBRARY "libswathe_cross.so" /* the same with all code generators, for tests */
/* a file beside our own, or a path; before anything is emitted */
void gen_use_library(const char *name);
/* a path in the folder of our own library; real: in that of the file it links to */
bool gen_beside(const char *name, bool real, char *out, size_t n);
void gen_key_build(Hash *h); /* ours and, in the next, LLVM's library */
void gen_key_ptx(Hash *h);
void gen_key_cpu(Hash *h); /* SLEEF and the processor, too */

/* ---- host.c: the processor ---- */
GenTarget gen_host_target(void); /* SWATHE_CPU has a say */
int gen_host_vector_bytes(void);
void gen_hash_processor(Hash *h);
#define GEN_BASELINE                                                                               \
    "x86-64-v3" /* what units that come with the package are made for: LLVM's name of a processor */
bool gen_host_has_baseline(void); /* and nobody has asked for another */
/* library.c: of code that is a unit, for this processor or that */
void gen_key_unit(Hash *h, bool baseline);

/* ---- opencl/ ---- */
GenEmit gen_opencl_emit;
#endif
