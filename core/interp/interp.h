/* SPDX-License-Identifier: BSD-3-Clause
 * Runs a module of the loop IR, with no cleverness in it: takes an entry function and its
 * arguments, yields results, what memory then holds, or the error. It is what every pass is held
 * against: it asserts each fact that passes have noted (an index in range, no alias, independent
 * iterations, `assume`, borrowed memory that is still there), so that a wrong fact shows even where
 * no value changes by it. input.c makes arguments, check.c compares what a pass has made with what
 * it was given. */
#ifndef SWATHE_INTERP_H
#define SWATHE_INTERP_H
#include "interp/num.h"

/* ---- arguments, and what is left of them ----------------------------------------------------- */
typedef struct InBuf { /* memory that arguments look at */
    int64_t bytes;
    char *data;
    uint8_t dtype;
} InBuf;
typedef struct InObject InObject; /* see objects.c */
typedef struct InArg {
    bool is_array;
    const InObject *object; /* a list or dict; NULL: it is none */
    Num v;
    int buf;
    int64_t offset, *dim, *stride; /* bytes */
} InArg;
typedef struct Input {
    int n_args, n_bufs;
    bool exact; /* sums and products of its floats are exact */
    InArg *arg;
    InBuf *buf;
    int n_objects;
    int *length; /* of each object: how many of the elements drawn for it are there */
} Input;

enum { MOST_OBJECTS = 200, MOST_ELEMENT_ARRAYS = 60 };

typedef enum RunStatus {
    RUN_OK,
    RUN_ERROR,  /* of the program: err */
    RUN_WRONG,  /* a fact does not hold, or the IR is not right: text */
    RUN_STEPS,  /* it runs too long */
    RUN_CANNOT, /* what the interpreter does not do: text */
} RunStatus;

typedef struct RunError {
    int code; /* negative: of a runtime function, see below */
    const char *exc, *format;
    int line, col;
    int64_t a[4];
} RunError;
enum { RUN_MEMORY = -1, RUN_NEG_DIM = -3, RUN_RECURSION = -4 };

typedef struct RunValue { /* a result */
    bool is_array;
    uint8_t dtype, ndim;
    Num v;
    int64_t *dim, *stride;
    int arg_buf;        /* of the argument whose memory it is; -1: its own */
    int64_t offset;     /* in that */
    struct Buf *object; /* or what the object is */
    char *data;         /* the elements, in C order */
    uint8_t *undef;     /* by element */
    int64_t n;
} RunValue;

typedef struct RunOptions {
    uint64_t seed;  /* of the order of iterations that have none; 0: the order of the text */
    int64_t budget; /* statements */
    int chunks;     /* of a parallel loop, at most; 0: as compiled code has it */
    /* loops that the user wants in parallel are held to be independent, but for updates in place */
    bool claims;
} RunOptions;

typedef struct RunResult {
    RunStatus status;
    RunError err;
    char *text;
    int n_values;
    RunValue *value;
    int n_bufs;
    struct Buf **object; /* by argument: what it is after the run */
    char **buf;          /* the arguments' memory after the run */
    uint8_t **undef;     /* by byte; NULL: nothing of it */
    char *printed;
    int64_t steps;
    bool unset; /* an element was read that nobody has set */
    /* an error has left a parallel loop: what others had done by then is not known */
    bool unordered;
} RunResult;

/* Memory of the result is from `a`. The module isn't changed. */
void interp_run(Arena *a, IrModule *m, IrFunc *f, const Input *in, const RunOptions *opt,
                RunResult *out);
/* the first that is marked so, or the first; NULL: there is none */
IrFunc *interp_entry(const IrModule *m);
void interp_error_text(const RunError *e, StrBuf *out);
void interp_print_result(const IrFunc *f, const RunResult *r, StrBuf *out);

/* ---- input.c --------------------------------------------------------------------------------- */
/* "n=3; x=(2,3) 1 2 3 4 5 6; y=x+8(2):(16)": see input.c. NULL: *wrong says what isn't right. */
Input *input_parse(Arena *a, const IrFunc *f, const char *text, const char **wrong);
void input_print(const IrFunc *f, const Input *in, StrBuf *out);

/* What arguments are drawn from. */
typedef struct InputPlan {
    uint64_t seed;
    int try; /* 0 is the most likely to pass the checks of the program */
    int n_sizes;
    const int64_t *sizes; /* that matter to the program: constants in it */
    const int32_t *block; /* threads of a block, where that is known; or NULL */
    bool big;             /* of the sizes, one of the largest that a run can take */
    bool fail;            /* checks should not pass */
} InputPlan;

/* ---- objects.c: lists and dicts ---- */
typedef struct ObjectDraw { /* of what the arguments before have */
    Arena *a;
    Input *in;
    Num (*value)(void *draw, DType d);
    int64_t (*size)(void *draw), (*below)(void *draw, int64_t n);
    InObject *all[MOST_OBJECTS];
    int n, arrays;
    void *draw;
} ObjectDraw;

const InObject *object_draw(ObjectDraw *d, const char *holds);
bool object_known(Arena *a, const char *holds);
void object_print(const Input *in, const InObject *o, StrBuf *out);
struct Interp;
struct Buf *object_lay_out(struct Interp *in, const Input *args, const InObject *o,
                           struct Buf **made); /* made: by number */

/* Of two runs: do these hold the same, one object where the other has one? NULL: they do.
 */
typedef struct ObjectPairs {
    Arena *a;
    Map of;    /* Buf of the first -> that of the second */
    int loose; /* see num_same */
} ObjectPairs;

const char *objects_differ(ObjectPairs *p, const char *holds, struct Buf *x, struct Buf *y);
Input *input_make(Arena *a, const IrFunc *f, const InputPlan *p);
/* the same, with one element less along some axis */
Input *input_shorter(Arena *a, const IrFunc *f, const Input *in, uint64_t which);
/* NULL: no more steps */
Input *input_smaller(Arena *a, const IrFunc *f, const Input *in, int step);

/* ---- check.c: every pass against what lowering has made -------------------------------------- */
typedef struct InterpCheck InterpCheck;
typedef struct CheckOptions {
    bool strict; /* what lowering has made is to be right, too */
    uint64_t seed;
} CheckOptions;
typedef struct CheckStats {
    int64_t programs, inputs, passed /* of inputs: ended without an error */, runs, refused,
        different;
} CheckStats;
InterpCheck *check_begin(Cx *cx, const CheckOptions *opt);
/* after lowering (NULL), after each pass */
void check_seen(InterpCheck *k, const IrModule *m, const char *pass);
char *check_end(InterpCheck *k, CheckStats *stats); /* NULL: all agree; in cx's arena */
#endif
