/* SPDX-License-Identifier: BSD-3-Clause
 * What every other folder stands on: one arena for each compilation, growable vectors, an
 * interning table, string buffers, a 128-bit hash, diagnostics with spans and carets, and
 * the trace that prints dumps and times. Nothing here is global but constant tables. */
#ifndef SWATHE_BASE_H
#define SWATHE_BASE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SW_LEN(a) ((int)(sizeof(a) / sizeof((a)[0])))
#define SW_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#define SW_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define SW_LIKELY(x) __builtin_expect(!!(x), 1)
#define SW_EXPORT __attribute__((visibility("default")))

/* ---- arena.c: bump allocation; everything goes when the compilation ends -------------
 * Running out of memory longjmps to `oom` (set by rt/compile.c), so callers never test. */
typedef struct ArenaChunk ArenaChunk;
typedef struct Arena {
    ArenaChunk *head;
    char *next, *end;
    size_t total;
    jmp_buf *oom;
    const volatile int32_t *stop; /* not 0 there: jump to `oom` with ARENA_STOPPED; NULL: never */
} Arena;
enum { ARENA_NO_MEMORY = 1, ARENA_STOPPED };

void arena_init(Arena *a);
void arena_free(Arena *a);
void *arena_alloc(Arena *a, size_t bytes); /* zeroed, 16-byte aligned */
void *arena_dup(Arena *a, const void *p, size_t bytes);
void arena_out_of_memory(Arena *a) __attribute__((noreturn));
void arena_poll(Arena *a);                /* jumps when the compilation is to stop */
char *arena_str(Arena *a, const char *s); /* copy of a NUL-terminated string */
char *arena_printf(Arena *a, const char *fmt, ...) SW_PRINTF(2, 3);
#define NEW(a, T) ((T *)arena_alloc((a), sizeof(T)))
#define NEW_N(a, T, n) ((T *)arena_alloc((a), sizeof(T) * (size_t)(n)))

/* ---- vec.c: a growable array in an arena: Vec(T) v = {0}; VEC_PUSH(arena, v, x) ------ */
#define Vec(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        int n, cap;                                                                                \
    }
#define VEC_PUSH(a, v, x)                                                                          \
    do {                                                                                           \
        if ((v).n == (v).cap)                                                                      \
            (v).at = vec_grow((a), (v).at, (v).n, &(v).cap, sizeof *(v).at);                       \
        (v).at[(v).n++] = (x);                                                                     \
    } while (0)
void *vec_grow(Arena *a, void *at, int n, int *cap, size_t elem);

/* ---- intern.c: one pointer for each distinct string; compare symbols with == --------- */
typedef const char *Sym;
typedef struct Intern {
    Arena *arena;
    Sym *slots;
    int n, cap;
} Intern;
void intern_init(Intern *t, Arena *a);
Sym intern(Intern *t, const char *s);
Sym intern_n(Intern *t, const char *s, size_t n);

/* ---- map.c: pointer -> pointer, open addressing ------------------------------------- */
typedef struct Map {
    const void **keys;
    void **vals;
    int n, cap;
} Map;
void *map_get(const Map *m, const void *key); /* NULL when absent */
void map_put(Arena *a, Map *m, const void *key, void *val);

static inline int64_t
gcd_i64(int64_t a, int64_t b) /* not negative */
{
    while (b) {
        int64_t r = a % b;
        a = b;
        b = r;
    }
    return a < 0 ? -a : a;
}

/* ---- strbuf.c: text that grows, on the heap; sb_free when done ----------------------- */
typedef struct StrBuf {
    char *s; /* always NUL-terminated once anything was added */
    size_t n, cap;
    bool lost; /* memory has run out, and there is less here than was added */
} StrBuf;
void sb_addn(StrBuf *b, const void *s, size_t n);
static inline void
sb_add(StrBuf *b, const char *s) /* here, so that the length of a literal is a constant */
{
    sb_addn(b, s, strlen(s));
}
void sb_add_i64(StrBuf *b, int64_t x);
void sb_add_u64(StrBuf *b, uint64_t x);
void sb_addf(StrBuf *b, const char *fmt, ...) SW_PRINTF(2, 3);
void sb_vaddf(StrBuf *b, const char *fmt, va_list ap);
void sb_free(StrBuf *b);
/* the text, in the arena; b is freed. Where something is lost, the arena has no memory */
char *sb_keep(StrBuf *b, Arena *a);
/* As vsnprintf. libquadmath, which comes with NumPy, makes each printf of its process ten times
 * slower. */
int text_format(char *to, size_t room, const char *fmt, va_list ap);

/* ---- numspec.c: numbers as repr() and format() write them ----------------------------- */
enum { NUMSPEC_MOST = 500 }; /* widths and precisions are below */
typedef struct NumSpec {
    char fill, align, sign, alt, group, type; /* 0: not given */
    int width, prec;                          /* prec: -1 when not given */
} NumSpec;
const char *numspec_read(NumSpec *s, const char *text, char end); /* at the end; NULL: not one */
bool numspec_is_float(const NumSpec *s);                          /* it makes a float of an int */
bool numspec_fits(const NumSpec *s, bool is_float);
bool textspec_read(NumSpec *s, const char *text);          /* of a string; false: not one */
void sb_lay_out(StrBuf *b, size_t from, const NumSpec *s); /* what b holds from there on */
void sb_add_float(StrBuf *b, double x, bool single);       /* repr; single: of a float32 */
void sb_add_float_as(StrBuf *b, const NumSpec *s, double x);
void sb_add_int_as(StrBuf *b, const NumSpec *s, uint64_t size, bool negative);
bool numspec_to_printf(StrBuf *b, const NumSpec *s, char letter, const char *length); /* D U G */

/* ---- what is asked of CPython about a string, or for one: see kernel/lib/text.c ---- */
#define TEXT_BAD_SPEC INT64_MAX /* in place of a length */
enum { TEXT_METHOD, TEXT_OF_INT, TEXT_OF_FLOAT, TEXT_FLOAT, TEXT_INT };
typedef struct TextAsk {
    int what;
    int64_t which; /* the method, the int, the base */
    double real;
    const uint32_t *points;
    int64_t n;
    void *out; /* code points, or a number */
    int64_t room;
} TextAsk;

/* made by tools/build_id.py: of all sources that the code that is made depends on */
extern const char swathe_build_id[];

/* ---- hash.c: 128 bits, not cryptographic (two passes of a 64-bit mixing hash) ---------
 * The cache folder is the user's own, so a key needs no resistance to forgery. */
typedef struct Hash {
    uint64_t h[2];
} Hash;
Hash hash_init(void);
void hash_bytes(Hash *h, const void *p, size_t n);
void hash_str(Hash *h, const char *s); /* with its length, so that "ab","c" != "a","bc" */
void hash_u64(Hash *h, uint64_t v);
void hash_hex(const Hash *h, char out[33]);

/* ---- diag.c: what is wrong in the user's program, where, and what to do ---------------
 * A Source is one text (a function's source) with the file it came from. Lines in a Span are those
 * of the FILE (1-based); columns are 0-based bytes of UTF-8
 * in the FILE's line, end column exclusive. */
typedef struct Source {
    const char *file;        /* as in a traceback */
    const char *text;        /* the function's source lines, each stripped of `dedent` columns */
    int first_line;          /* file line of text's first line */
    int dedent;              /* columns stripped from each line of text before parsing */
    const char *func;        /* qualified name of the function */
    const struct Span *call; /* NULL, or the call that the function's body stands in place of */
    bool is_lib;             /* swathe's own: what is raised in it is shown where it was called */
} Source;

typedef struct Span {
    const Source *src; /* NULL: no place known */
    int line, col, end_line, end_col;
} Span;

#define DIAG(id, exc, hint) DIAG_##id,
typedef enum DiagId {
#include "def/diag.def"
    DIAG_COUNT
} DiagId;
#undef DIAG

typedef struct Diag {
    DiagId id;
    char *message; /* one line, no full stop */
    char *hint;    /* or NULL */
    Span at;
    struct DiagNote { /* "the other assignment is here" */
        char *text;
        Span at;
    } * notes;
    int n_notes, cap_notes;
} Diag;

typedef struct Diags {
    Arena *arena;
    Vec(Diag *) list;
} Diags;

/* Record an error and go on; a second one at the same span with the same id is dropped. */
Diag *diag_add(Diags *d, DiagId id, Span at, const char *fmt, ...) SW_PRINTF(4, 5);
void diag_hint(Diags *d, Diag *g, const char *fmt, ...) SW_PRINTF(3, 4);
void diag_note(Diags *d, Diag *g, Span at, const char *fmt, ...) SW_PRINTF(4, 5);
const char *diag_exception(DiagId id); /* class name in Python: "TypingError", "NameError" */
/* All of them as text: message, then `  File "f.py", line 3, in f`, the line, carets, hint. */
void diag_render(const Diags *d, StrBuf *out);
/* "file\tfunc\tfirst line\tlines\tline\tcol\tend_col" of the function's source and the place in it;
 * end_col is -1 when the place is longer than its line. For explain(). */
typedef struct SpanLines { /* lines of the source that was asked for last; begins as {0} */
    const Source *of;
    int n;
} SpanLines;
void span_text(const Span *at, SpanLines *known, StrBuf *out);
void diag_render_line(const Span *at, StrBuf *out); /* file line, source line, caret line */
/* The candidate nearest to `word` (Damerau-Levenshtein, <= 1/3 of its length) or NULL. */
const char *diag_nearest(const char *word, const char *const *cands, int n);

/* ---- trace.c: SWATHE_DUMP, SWATHE_TIME and friends, described in def/flag.def --------- */
typedef struct Trace {
    const char *dump; /* comma list: stage or pass or function names; NULL = none */
    const char *skip; /* passes to leave out */
    const char *stop; /* stop after this pass */
    int check;        /* 1: verify the IR after every pass; 2: run it, too */
    int inputs;       /* ... on so many sets of arguments; 0: on all kinds of them */
    bool time;        /* print what each stage took */
    char clock;       /* '2': in time of the processor, '3': in steps of work */
    int lanes;        /* vector lanes wherever possible; 0: where it pays */
    int grain;        /* nanoseconds that a chunk of a parallel loop is worth; 0: what pays */
    bool small;       /* strips, blocks and tiles of a few iterations: def/tune.def */
    const char *func; /* what is being compiled, for the lines printed */
    struct {
        const char *name;
        uint64_t ns;
    } stage[64]; /* each with its name once */
    int n_stages;
} Trace;
typedef enum Tune {
#define TUNE(id, usual, small, what) TUNE_##id,
#include "def/tune.def"
} Tune;
void trace_init(Trace *t); /* reads the environment */
bool trace_wants(const char *list, const char *name);
void trace_clock(const Trace *t); /* the clock that it wants, in this library */
int trace_tune(const Trace *t, Tune what);
#define tune(cx, id) trace_tune(&(cx)->trace, TUNE_##id)
/* nanoseconds: monotonic, or of the processor when asked; or a microsecond for each step */
uint64_t trace_now(void);
/* Steps of this thread: nodes and statements visited, copied and compared, memory taken. The same
 * in each run, so that tests can tell how work grows. */
extern __thread uint64_t trace_work __attribute__((tls_model("initial-exec")));
void trace_stage(Trace *t, const char *name, uint64_t since); /* adds now - since */
void trace_report(const Trace *t);                            /* one line on stderr */
void trace_dump(const Trace *t, const char *stage, const char *text);

/* A number in the place of a value that decides a type; a flag, or rounds of a loop one by one, in
 * the place of a name or a result that has two types. */
enum { WANT_NUMBER = 1, WANT_ONE_TYPE = 2 };

/* ---- the context of one compilation -------------------------------------------------- */
typedef struct Cx {
    Arena arena;
    Intern syms;
    Diags diags;
    Trace trace;
    struct TypeTable *types; /* type/type.h */
    const struct SwOptions *opt;
    const struct SwSched *sched; /* the schedule given from outside, n_sched labels */
    int n_sched;
    unsigned wants; /* what the errors so far could do with */
} Cx;
void cx_init(Cx *cx);
void cx_free(Cx *cx);
/* NULL: the schedule doesn't name it */
const struct SwSched *cx_sched(const Cx *cx, const char *label);

/* def/remark.def */
typedef enum RemarkKind {
#define REMARK(pass, id, what, kind, margin, level) REMARK_##pass##_##id,
#define LLVM_REMARK(name, why)
#include "def/remark.def"
#undef REMARK
#undef LLVM_REMARK
    REMARK_COUNT
} RemarkKind;
typedef struct RemarkInfo {
    const char *pass, *what, *kind, *margin;
    int level;
} RemarkInfo;
extern const RemarkInfo remark_info[REMARK_COUNT];

enum {
#define TARGET(id, name, device, foreign) TARGET_##id,
#include "def/target.def"
#undef TARGET
    TARGET_COUNT
};
typedef struct TargetInfo {
    const char *name, *device;
    char foreign;
} TargetInfo;
extern const TargetInfo target_info[TARGET_COUNT];
int target_named(const char *name); /* -1: there is none */

/* Options of @jit that change the code made. Part of the cache key, byte by byte. */
/* What floating-point operations may take for granted: LLVM's freedoms, by its names and bits. */
enum {
    FM_REASSOC = 1,
    FM_NNAN = 2,
    FM_NINF = 4,
    FM_NSZ = 8,
    FM_ARCP = 16,
    FM_CONTRACT = 32,
    FM_AFN = 64,
    FM_ALL = 127
};
extern const char *const fastmath_names[7]; /* by bit */

enum { INLINE_PAYS, INLINE_ALWAYS, INLINE_NEVER };
typedef struct SwOptions {
    uint8_t boundscheck; /* 1 */
    uint8_t fastmath;    /* FM_*: 0 */
    uint8_t debug;       /* 0 */
    uint8_t parallel;    /* 0 */
    uint8_t opt_level;   /* 0..3, 3 */
    uint8_t contract;    /* fuse a*b+c as gcc does by default: 0 */
    /* INLINE_...: of calls to functions that don't say it themselves; INLINE_PAYS */
    uint8_t inline_;
    uint8_t target;       /* TARGET_CPU */
    uint8_t numpy_errors; /* Python's numbers are divided as NumPy's: 0 */
    uint8_t numba_casts;  /* numbers become a signature's types as Numba casts them: 0 */
    uint8_t python;       /* CPython 3's minor version, whose texts errors have: 11 */
    uint8_t spare[5];     /* 0: the cache's key is made of the bytes */
    int32_t block[3];     /* kernels: threads of a block along x, y, z; 0: not known */
    int32_t arch;         /* devices: sm_90 is 90; 0: not known */
    int32_t kernel;       /* the root is what one thread of a grid does */
    /* parallel loops become kernels for this TARGET_*; the rest is the host's code. 0: none do;
     * negative: none can */
    int32_t offload;
    /* what linked functions are looked for in: a number of rt_link's; 0: nothing */
    uint64_t link;
} SwOptions;
SwOptions options_default(void);
const char *text_of_empty(const SwOptions *o, bool least); /* what min() or max() of nothing says */

/* What a schedule asks for one label (`opts=par({"N": threads(256)})`). Part of the cache key. 0 or
 * false: not asked. No field changes a result, but that `reduce` lets a sum be reassociated. */
typedef struct SwSched {
    const char *label;
    int64_t threads; /* iterations side by side: workers or vector lanes */
    int64_t tpb;     /* threads of one block; a device's */
    int64_t unroll;
    int64_t tile[3];
    bool reduce, seq;
} SwSched;

#endif
