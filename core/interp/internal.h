/* SPDX-License-Identifier: BSD-3-Clause
 * The interpreter's own: memory that knows who has touched it, frames, and what a run is doing. */
#ifndef SWATHE_INTERP_INTERNAL_H
#define SWATHE_INTERP_INTERNAL_H
#include "interp/interp.h"

enum { MOST_LEVELS = 4, MOST_DEPTH = 60, MOST_BYTES = 256 << 20 };

/* Who has touched a few bytes: of each loop around whose iterations are said to be independent, and
 * of the names in the function that runs. */
typedef struct Touched {
    uint32_t act_w, act_r;
    int32_t var_w, var_r, var_n; /* written by, read by, read by as a name without aliases */
    struct {
        uint32_t stamp, wrote, read; /* iteration + 1; ANY: several */
        int32_t by_w, by_r;          /* of a loop with arrays that lie apart: by these names */
    } at[MOST_LEVELS];
} Touched;

typedef struct Buf {
    char *data;
    int64_t bytes, refs;
    int id, arg; /* arg: number of the argument's memory, or -1 */
    bool freed, readonly, forever;
    uint8_t *undef; /* by byte; NULL: all is set */
    int grain;      /* bytes that a Touched is for */
    Touched *touched;
    struct Desc *held; /* by word: what it refers to; NULL: no word does */
} Buf;

/* What an array may look at: of an argument, no more than its own elements, whatever lies beside
 * them. */
typedef struct Part {
    Buf *buf;
    int64_t lo, hi; /* bytes */
} Part;

typedef struct Desc {
    Part of;
    char *data;
    int64_t *dim, *stride;
    bool set, stale; /* stale: made by another iteration */
    bool dropped;    /* where it lay is known still */
} Desc;

typedef union Slot {
    Num v;
    Desc d;
} Slot;

typedef struct FuncInfo {
    IrFunc *f;
    bool any_noalias;
    struct Frame *spare;
} FuncInfo;

typedef struct Frame {
    IrFunc *f;
    FuncInfo *info;
    struct Frame *next;
    Slot *slot;
    uint32_t act;
    RunError caught;
    RunValue *ret; /* results: arrays by desc */
    Desc *ret_desc;
    int n_ret;
} Frame;

/* A loop whose iterations are said to be independent, or the chunks of one. */
typedef struct Level {
    uint32_t stamp, iter;
    Frame *frame;
    const IrStmt *loop;
} Level;

typedef struct Sets { /* what a loop assigns */
    Vec(IrVar *) vars;
    bool leaves; /* it may be left early: raise, return, break */
} Sets;

typedef struct Threads Threads;

typedef struct Interp {
    Arena *a;
    Threads *threads; /* of the block that runs; NULL: it is no kernel */
    IrModule *m;
    const RunOptions *opt;
    RunResult *out;
    Map infos, sets;
    Level level[64];
    int n_levels, depth, n_bufs;
    uint32_t stamps;
    uint64_t random;
    void *drawn; /* of kernels: see kernel_draw_from */
    RunError err;
    bool stop;
    const IrStmt *at;
    Frame *frame;
    /* of the statement that runs: x[i] = x[i] + ...; the user's claims are not about it */
    const IrVar *update;
    Buf **arg_buf;
    Buf **consts;
    StrBuf printed;
    int64_t made;   /* bytes */
    int64_t stores; /* statements that have stored */
    /* arrays that a block shares, and nobody else, which this iteration has stored to */
    const IrVar *again[8];
    int n_again;
} Interp;

typedef enum Go { GO_ON, GO_BREAK, GO_CONTINUE, GO_RETURN, GO_ERROR, GO_STOP } Go;

/* ---- memory.c ---- */
Buf *buf_new(Interp *in, int64_t bytes, int item, bool zero);
static inline Part
all_of(Buf *b)
{
    return (Part){b, 0, b->bytes};
}
void buf_retain(Buf *b);
void buf_release(Buf *b);
typedef enum Access { READ, WRITE, SAME /* writes what is there already */, ATOMIC } Access;
/* The bytes of an element, or NULL: the run has stopped. To be told of by `touched`. */
char *element(Interp *in, Frame *fr, IrVar *v, const int64_t *idx, Access how);
/* false: the run has stopped */
bool touched(Interp *in, Frame *fr, const IrVar *v, const char *p, Access how);
bool bytes_undef(const Buf *b, const char *p, int n);
void bytes_set(Buf *b, const char *p, int n, bool undef);
bool desc_live(Interp *in, const IrVar *v, const Desc *d);
bool same_shape(const Desc *a, const Desc *b, int ndim);
/* ---- expr.c ---- */
Num eval(Interp *in, Frame *fr, const IrExpr *e);
/* what has to be known */
int64_t eval_int(Interp *in, Frame *fr, const IrExpr *e, const char *what);
bool eval_bool(Interp *in, Frame *fr, const IrExpr *e, const char *what);
/* ---- arrays.c ---- */
void desc_put(Interp *in, Frame *fr, IrVar *v, Part of, char *data, const int64_t *dim,
              const int64_t *stride);
void grow(Interp *in, Frame *fr, IrVar *object, int64_t at, int64_t items, int64_t n);
Go exec_array(Interp *in, Frame *fr, const IrStmt *s);
/* ---- calls.c ---- */
/* as sw_overlap of rt.def */
int desc_overlap(const IrVar *a, const Desc *x, const IrVar *b, const Desc *y);
Go exec_call(Interp *in, Frame *fr, const IrStmt *s);
Go exec_return(Interp *in, Frame *fr, const IrStmt *s);
Go exec_run(Interp *in, Frame *fr, const IrStmt *s);
Go exec_rt(Interp *in, Frame *fr, const IrStmt *s);
/* ---- kernel.c ---- */
Go exec_kernel(Interp *in, Frame *fr, const IrStmt *s);
/* ---- calls.c ---- */
Frame *frame_enter(Interp *in, IrFunc *f);
void frame_leave(Interp *in, Frame *fr);
/* ---- exec.c ---- */
Go exec_block(Interp *in, Frame *fr, const IrBlock *b);
Go fail(Interp *in, Frame *fr, const IrStmt *s);
Go fail_code(Interp *in, int code, const char *exc, const char *format);
/* ---- loops.c ---- */
Go exec_loop(Interp *in, Frame *fr, const IrStmt *s);
Level *level_enter(Interp *in, Frame *fr, const IrStmt *s);
int64_t *shuffled(Interp *in, int64_t n); /* an order of 0 .. n-1; NULL: as they stand */

/* ---- threads.c ---- */
Go threads_run(Interp *in, IrFunc *f, const Input *args);
Go threads_wait(Interp *in, Frame *fr, const IrStmt *s);
int64_t threads_geo(const Threads *t, int which);
Buf *threads_shared(Threads *t, const IrStmt *s, int64_t bytes, int item, bool fixed);
/* ---- run.c ---- */
void run_args(Interp *in, Frame *fr, const Input *args);

/* The run ends: a fact is wrong, or the IR is. */
void wrong(Interp *in, const char *fmt, ...) SW_PRINTF(2, 3);
void cannot(Interp *in, const char *fmt, ...) SW_PRINTF(2, 3);
static inline Go
went(const Interp *in, Go go)
{
    return in->stop ? GO_STOP : go;
}
#endif
