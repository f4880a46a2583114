/* SPDX-License-Identifier: BSD-3-Clause
 * OpenCL C from the loop IR. An IR function becomes a C function for each way in which the arrays
 * that it gets lie in memory (global, shared, local, constant: OpenCL's pointers differ). Scalars
 * are C variables, an array is a byte pointer, dims and strides. Every function that may fail
 * returns a status. */
#ifndef SWATHE_GEN_OPENCL_H
#define SWATHE_GEN_OPENCL_H
#include "gen/gen.h"

#define OPENCL_KERNEL_NAME "swathe_kernel"

/* What gen_opencl_emit yields: the module's kernels (the one marked `entry` is called
 * swathe_kernel). Parameters, in the order of the function's: of an array its buffer, an offset in
 * bytes, dims and strides (all long); a scalar by value (bool: uchar, float16: ushort, complex:
 * two). Then the buffer of a DevFault with its offset, the dynamic shared memory, and its size in
 * bytes (long). */

/* ---- inside ---------------------------------------------------------------------------------- */
typedef enum ClSpace { CLS_NONE, CLS_GLOBAL, CLS_SHARED, CLS_LOCAL, CLS_CONST, CLS_COUNT } ClSpace;

typedef struct ClInst { /* a function for these spaces of its array parameters */
    IrFunc *f;
    uint8_t *space;     /* by variable */
    uint8_t result[64]; /* of array results */
    char *name;
    bool waits; /* it holds a barrier, or calls what does */
    bool emitted;
} ClInst;

typedef struct ClMask {
    char name[16];
    IrStmt *loop; /* the loop whose iterations (`alive`: which at all) it masks, or NULL */
    bool alive;
} ClMask;

typedef struct Cl {
    Cx *cx;
    IrModule *m;
    StrBuf body;         /* of all functions made so far */
    StrBuf *out, *decls; /* of the one being made: statements, and what is declared before them */
    StrBuf protos;
    Vec(ClInst *) insts;
    ClInst *inst;
    IrFunc *f;
    int indent, serial, label;
    int64_t shared; /* bytes of static shared memory so far */
    /* by variable, in a function that waits: threads of a block may differ in it */
    bool *varies;
    Vec(ClMask) masks; /* of the threads that are still here, the innermost last; none: all are */
    int plain_loops;   /* loops around, inside the current chunk, that hold no barrier */
    /* scratch for votes, for warps: offsets in the shared memory; -1: none */
    int64_t vote_at, warp_at;
    bool in_chunk, left_chunk, failed;
    int depth; /* of calls */
} Cl;

void cl_line(Cl *g, const char *fmt, ...) SW_PRINTF(2, 3);
/* NULL: no such name in it */
void cl_refuse(Cl *g, Span at, GenRefusal what, const char *a, const char *b);
const char *cl_space(ClSpace s);  /* "__global" ... */
const char *cl_type(DType d);     /* of a variable */
const char *cl_mem_type(DType d); /* of an element, a parameter of a kernel */
char *cl_var(Cl *g, const IrVar *v);
ClSpace cl_space_of(Cl *g, const IrVar *v);
/* ---- expr.c ---- */
char *cl_expr(Cl *g, const IrExpr *e); /* in the arena; parenthesised */
char *cl_op(Cl *g, IrOp op, DType d, char **a, uint8_t flags, Span at); /* operands of dtype d */
char *cl_cast(Cl *g, DType to, DType from, char *a);
/* of an element: a typed pointer */
char *cl_address(Cl *g, const IrVar *v, int n, IrExpr *const *idx);
char *cl_load(Cl *g, DType d, ClSpace s, const char *address);
void cl_store(Cl *g, DType d, ClSpace s, const char *address, const char *value);
char *cl_zero(Cl *g, DType d);
/* ---- atomic.c ---- */
void cl_atomic(Cl *g, IrStmt *s);
/* ---- warp.c ---- */
void cl_barrier(Cl *g, IrStmt *s);
void cl_warp(Cl *g, IrStmt *s);
/* whether it's true for any thread: a C expression, after some lines */
char *cl_any(Cl *g, const char *mask);
void cl_start_votes(Cl *g, StrBuf *o); /* at the start of a kernel that waits */
/* ---- print.c ---- */
void cl_print(Cl *g, IrStmt *s);
/* ---- call.c ---- */
void cl_call(Cl *g, IrStmt *s);
void cl_return(Cl *g, IrStmt *s);
ClInst *cl_instance(Cl *g, IrFunc *f, const uint8_t *param_spaces, Span at);
void cl_params(Cl *g, const ClInst *in, StrBuf *o); /* of a device function */
/* ---- stmt.c ---- */
void cl_block(Cl *g, IrBlock *b);
void cl_leave(Cl *g, bool failing);      /* the thread ends: return, or out of all masks */
const char *cl_mask(const Cl *g);        /* whether this thread is here: a C expression */
void cl_off(Cl *g, int from);            /* it isn't any more, from that mask on */
int64_t cl_shared(Cl *g, int64_t bytes); /* an offset */
/* ---- uniform.c ---- */
bool cl_waits(IrFunc *f, const IrStmt *s); /* a barrier in it, or in what it calls */
bool cl_func_waits(IrFunc *f);
void cl_find_varying(Cl *g);
bool cl_varies(const Cl *g, const IrExpr *e);
/* it may leave the function; or the loop, when given */
bool cl_leaves(const IrBlock *b, const IrStmt *loop);
/* a return that all threads of the block take, if any does */
bool cl_together(const Cl *g, const IrStmt *s);
bool cl_slips(const Cl *g, const IrBlock *b); /* threads may leave the function there one by one */
/* ---- helpers.c ---- */
void cl_add_helpers(Cl *g, StrBuf *out, const char *text); /* those that the text mentions */
#endif
