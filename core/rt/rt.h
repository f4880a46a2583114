/* SPDX-License-Identifier: BSD-3-Clause
 * From a typed request to a callable function: key -> cache -> (compile) -> load -> launch.
 * compile.c is the pipeline, a page long. */
#ifndef SWATHE_RT_H
#define SWATHE_RT_H
#include "ast/ast.h"
#include "base/base.h"
#include "dev/dev.h"
#include "type/type.h"

/* ---- launch: the ABI of compiled code ---------------------------------------------------
 * int swathe_entry(SwCtx *cx, const uint64_t *args, uint64_t *results)
 * args and results are flat slots (type_slots). Status 0: results are valid, and each array in them
 * comes with a reference to its owner. Otherwise cx->err says what happened. */
typedef struct SwText { /* of an exception in whose message another's text stands: that other one */
    int32_t site;
    int64_t a[4];
} SwText;
enum { SW_MAX_TEXTS = 3 }; /* kept, one inside of the other */
/* An exception that Python has raised: counted, by any thread. */
typedef struct SwPayload {
    int64_t refs;
    const char *class; /* as ir_exc_derives reads it; for good */
    void (*drop)(struct SwPayload *p);
} SwPayload;
typedef struct SwError {
    int32_t site; /* index in the function's sites; negative: SW_ERR_* */
    /* calls that it came through; the places of the innermost, in the last slot of the outermost */
    int32_t n_calls;
    int64_t a[4];
    int32_t calls[8];
    int32_t what, also; /* kernels under debug: see watch.h; the site of the other place, or -1 */
    bool placed;        /* by the kernel that called what failed: */
    /* by the statement that raises another from it: it was never raised itself */
    bool made;
    bool explicit_;   /* raised from something, or from None: Python shows no context */
    int64_t place[2]; /* its block and thread, as %B and %T of format.c have them */
    uint64_t id;      /* of the exception: copies of it have it, too */
    /* counted: what was being handled when it was raised; what it was raised from; see
     * support_fault.c */
    struct SwFault *context, *cause;
    SwPayload *payload;       /* counted; NULL: it is no exception of Python's */
    const struct SwError *up; /* of what a handler has caught: what was being handled before */
    int32_t n_texts;
    SwText texts[SW_MAX_TEXTS]; /* what "%E" stands for, the outermost first */
} SwError;
typedef struct SwFault { /* an exception that another one refers to */
    int64_t refs;
    SwError err;
} SwFault;
enum {
    SW_ERR_MEMORY = -1,
    SW_ERR_INTERRUPT = -2,
    SW_ERR_NEG_DIM = -3,
    SW_ERR_RECURSION = -4,
    SW_ERR_PYTHON = -5,
    SW_ERR_DEVICE = -6 /* see offload_end */,
    SW_ERR_TOO_BIG = -7,
    SW_ERR_NO_PYTHON = -8 /* an upcall from where none can be made */
};

typedef struct SwCtx {
    /* nonzero there: stop, with SW_ERR_INTERRUPT. FIRST member: compiled code reads it */
    volatile int32_t *poll;
    char *stack_limit; /* recursion below this address is SW_ERR_RECURSION. SECOND member */
    const bool *alone; /* dev_alone of the thread that runs. THIRD member */
    SwError err;
    struct SwFunction *fn;
    struct Shadow *shadow; /* debug: of the parallel loops being watched, the innermost first */
    /* the device of the call, and what is where (offload.c); NULL: there is none */
    struct Offload *offload;
    struct Watch *watch; /* debug: of a kernel's launch */
    /* what the innermost handler that runs has caught; a handler that looks at it does so first */
    const SwError *handled;
    SwText nest[SW_MAX_TEXTS]; /* n_nest of them: for the error that is raised next */
    int32_t n_nest;
    /* of a worker's context (support_par.c); NULL: of a call from Python */
    struct ParWorker *worker;
    void *caller; /* what rt_upcall_hook knows of the call from Python; NULL: there is none */
} SwCtx;
/* A chunk of a parallel loop, as compiled code has it: a status, as SwEntry. */
typedef int (*SwBody)(SwCtx *cx, const uint64_t *env, int64_t chunk);
typedef int (*SwEntry)(SwCtx *cx, const uint64_t *args, uint64_t *results);

typedef struct SwSite { /* see IrSite: kept in the artifact; file is NULL in our own library */
    const char *exc, *format, *func, *file, *text;
    int line, col, end_col;
    int within; /* 1 + the site of the call in whose place it is: one before it; 0: none */
    int cause;  /* IR_FROM_... */
} SwSite;

/* A kernel that a parallel loop has become, as sw_launch wants it. */
typedef struct SwParam {
    uint8_t is_array, dtype, ndim, spare;
} SwParam;
typedef struct SwKernel {
    int n_params;
    bool may_fail;
    uint64_t writes; /* bit i: it may store to parameter i; 63: and all after */
    const SwParam *params;
} SwKernel;

typedef struct SwUpcall {
    Upcall is;
    void *function; /* Python's: set, and kept alive, by who asked for the function */
} SwUpcall;

typedef struct SwFunction { /* a loaded specialisation; reference counted, never moves */
    SwEntry entry;
    int n_args, arg_slots, ret_slots;
    const Type *ret; /* lives in `types` below */
    const Type **args;
    int n_sites;
    SwSite *sites;
    /* for explain(), lines of fields with tabs between: those of span_text, then pass, what, why,
     * and two more places "line:col:end_col" or "" */
    const char *remarks;
    const char *explain_ir; /* NULL unless asked */
    bool from_cache;
    /* no loop, no recursion, no print: a call is so short that the GIL stays held */
    bool brief;
    bool instances; /* some are among its arguments, or what it yields */
    bool lasting;   /* and some of these outlive a call */
    double compile_ms;
    /* what a device's driver compiles, NUL-terminated: a kernel, then entry is NULL; or kernels
     * that the code launches, swathe_k0, swathe_k1, ... */
    const char *source;
    size_t source_size;
    /* bit i: it may store to the array that is its flattened argument i; 63: and all after */
    uint64_t writes;
    int n_kernels;
    const SwKernel *kernels;
    int n_upcalls;
    bool shows; /* one of these may keep what it is given */
    SwUpcall *upcalls;
    Arena arena; /* holds all of the above */
    TypeTable *types;
    struct LoadedCode *code;
    int64_t refs;
} SwFunction;

typedef struct SwRequest {
    const Program *prog; /* lives in the caller's arena */
    int n_args;
    const Type *const *args; /* types from `cx->types` */
    SwOptions opt;
    /* by slot of the arguments, or NULL: see rt_likely; hashed into the key */
    const uint8_t *likely;
    int n_likely;
    const SwSched *sched; /* n_sched labels, ordered by name; hashed into the key */
    int n_sched;
    bool use_cache;
    bool keep_text;          /* inspect_*: fill text[] */
    bool no_code;            /* up to the passes; fn stays NULL */
    bool main_thread;        /* signals are looked at meanwhile; see rt_signal_hook */
    const char *stack_limit; /* rt_stack_limit() of the calling thread; NULL: it is not known */
} SwRequest;

typedef struct SwResult {
    SwFunction *fn;    /* NULL on error */
    char *error_class; /* "TypingError" ...: the class of the first diag */
    char *error;       /* rendered; malloc'ed */
    /* keep_text: types, IR lowered, IR after passes, LLVM raw, LLVM, assembly; malloc'ed */
    char *text[6];
} SwResult;

/* The same from IR text (its first function marked `entry`) that takes rq->args and returns ret;
 * rq->prog has a root for its name only. `done`: the text is what the passes yield. */
typedef struct SwIrText {
    const char *text;
    const Type *ret;
    bool done;
} SwIrText;
void rt_compile_ir(Cx *cx, const SwRequest *rq, const SwIrText *ir, SwResult *out);
/* THE pipeline. Any thread; no GIL needed. cx holds the arena in which prog and args live. */
void rt_compile(Cx *cx, const SwRequest *rq, SwResult *out);
/* Short axes of arrays among these arguments, as they are in a call that waits for its function: by
 * slot, the size where it is that of an axis of up to IR_SHORT_AXIS places, else 0. NULL: there are
 * none. */
const uint8_t *rt_likely(Cx *cx, int n_args, const Type *const *args, const uint64_t *slots,
                         int n_slots);
void rt_release(SwFunction *fn);

/* ---- sig.c: what is kept of a compilation, and its encoding: every offset and length is checked
 * ---- */
struct GenOutput;
struct IrModule;
struct Remarks;
typedef struct Artifact {
    const Type *ret;
    const void *object; /* relocatable ELF */
    size_t object_size;
    int n_sites;
    const SwSite *sites;
    const char *remarks;
    bool brief;
    uint64_t writes;    /* of a device's kernel: see SwFunction */
    const char *device; /* text of the kernels that the object launches, or NULL */
    size_t device_size;
    int n_kernels;
    const SwKernel *kernels;
    int n_upcalls;
    const Upcall *upcalls;
} Artifact;
/* In cx's arena; the object stays `out`'s. */
Artifact *artifact_make(Cx *cx, const Type *ret, const struct IrModule *m, const struct Remarks *r,
                        const struct GenOutput *out);
bool artifact_encode(const Artifact *a, StrBuf *out); /* false: it cannot be kept */
/* NULL when the bytes are not right. Points into `bytes` (16-byte aligned); types are those of
 * cx. */
const Artifact *artifact_decode(Cx *cx, const SwRequest *rq, const void *bytes, size_t n);
/* ---- signature.c: whether an entry function takes these slots; what is wrong, or NULL ---- */
char *signature_check(Cx *cx, const struct IrModule *m, const SwRequest *rq, const Type *ret);
/* ---- launch.c ---- */
typedef struct LoadError {
    char *why;      /* to be freed */
    bool no_memory; /* it is nobody's fault */
} LoadError;
SwFunction *function_load(const SwRequest *rq, const Artifact *a, LoadError *err);
/* ---- cache.c ---- */
typedef struct CacheStats {
    char dir[4096];
    int64_t files, bytes, hits, misses, errors;
} CacheStats;
Hash cache_key(const Cx *cx, const SwRequest *rq);
/* NULL: not there, or not right */
const Artifact *cache_get(Cx *cx, const SwRequest *rq, const Hash *key);
void cache_put(Cx *cx, const Hash *key, const Artifact *a); /* best effort: never fails loudly */
/* of a file's bytes; NULL */
const void *cache_read(const Hash *key, const void *file, size_t n, size_t *size);
/* what was put; in cx's arena; NULL */
const void *cache_get_bytes(Cx *cx, const Hash *key, size_t *n);
void cache_put_bytes(Cx *cx, const Hash *key, const void *bytes, size_t n);
void cache_stats(CacheStats *s);
int cache_clear(void); /* files removed */
/* ---- cache_dir.c: the folder and its size ---- */
#define CACHE_TEMP ".tmp-"
typedef struct CacheDir {
    /* descriptors of the folder and of the one for a name; -1: not to be used */
    int root, sub;
} CacheDir;
struct stat;
CacheDir cache_open(const Cx *cx, const char *name, bool make);
void cache_close(CacheDir *d);
bool cache_trusts(const struct stat *st); /* the user's own, and nobody else may write it */
int64_t cache_limit(void);                /* bytes; 0: there is no cache */
/* a file was added: removes others when there are too many */
void cache_grown(const CacheDir *d, int64_t bytes);
void cache_measure(CacheStats *s); /* dir, files and bytes */
/* ---- load.c: our ELF loader ---- */
/* Relocates into executable memory. first_site: of a unit, the number of its first site */
struct LoadedCode *load_object(const void *elf, size_t n, int32_t first_site, LoadError *err);
void *load_symbol(struct LoadedCode *c, const char *name);
/* of a unit that it calls, or that such a one calls */
const SwSite *load_site(const struct LoadedCode *c, int32_t site);
void load_free(struct LoadedCode *c);
/* ---- unit.c: functions of the library that programs share, each loaded once for the process
 * ---- */
typedef struct Unit Unit;
enum { UNIT_FIRST_SITE = 1 << 24 }; /* below are the sites of a function itself */
typedef struct UnitStats {
    int64_t live, compiled, cached, built; /* built: with the package */
    bool baseline;                         /* those can run here */
} UnitStats;
/* holds it; NULL: it is to be compiled. disk: look in the cache, too */
Unit *unit_find(const char *symbol, bool disk);
/* that was compiled; holds it; NULL: it does not load */
Unit *unit_add(const char *symbol, const Artifact *a, LoadError *err);
Hash unit_key(const char *symbol); /* of the cache */
void *unit_entry(const Unit *u);
/* also of the units that it calls; NULL: of none of them */
const SwSite *unit_site(const Unit *u, int32_t site);
void unit_release(Unit *u);
UnitStats unit_stats(void);
/* of all that are loaded, in hexadecimal, with spaces between */
void unit_keys(StrBuf *out);
/* ---- sites ---- */
/* its own, or a unit's; NULL: none has that number */
const SwSite *rt_site(const SwFunction *fn, int32_t site);
/* ---- load_extern.c, load_gdb.c: parts of the loader ---- */
/* ---- link.c: functions of other languages, "swx:KEY:TAG:NAME" ---- */
#define RT_LINK_PREFIX "swx:"
/* a shared library, or one function; false: no memory */
bool rt_link_add(const char *key, const char *path, void *function);
void *rt_link_find(const char *symbol);
/* an external symbol of compiled code; NULL: there is none of that name */
void *rt_extern(const char *name);
enum { RT_FFT_LOOPS = 5 }; /* FFT_... of kernel/kernel.h */
void rt_lend_fft(int which, void (*loop)(char **, const intptr_t *, const intptr_t *, void *),
                 void *data);
void rt_lend_text(int64_t (*text)(TextAsk *t));
void rt_lend_sort(DType d, int (*sort)(void *at, intptr_t n, void *)); /* see kernel_lend_sort */
/* tells a debugger of an object whose sh_addr are filled in; NULL: could not */
void *rt_gdb_add(const void *elf, size_t n);
void rt_gdb_remove(void *handle);
/* ---- heap.c: objects ---- */
#define RT_LAYOUT_PREFIX "swl:"
typedef struct SwLayout SwLayout;
const SwLayout *rt_layout(const char *text); /* one for each text, for good; NULL: no memory */
/* sw_alloc; `small`: where there is little of it, by dev_small */
int rt_alloc(SwCtx *cx, int64_t bytes, bool small, int zero, SwMem **out);
void rt_object_free(SwMem *m);  /* its count is zero */
void rt_object_empty(SwMem *m); /* it refers to nothing any more */
/* the next object that it refers to, and leads on: word *k, at first -1; NULL: there is none */
SwMem *rt_object_next(const SwMem *m, int64_t *k);
/* ---- circles.c: objects that lead to each other ---- */
extern int rt_running;
extern bool rt_has_circles;
void rt_circle_note(SwMem *m);
void rt_circle_forget(SwMem *m);
void rt_circle_free(SwMem *m);    /* as rt_object_free, of one that was noted */
void rt_circles_end(void);        /* a call has ended, and none runs */
int64_t rt_circles_collect(void); /* how many have gone; likewise */
/* ---- support*.c: what rt.def lists ---- */
#define RT(id, ret, params, traits) ret id params;
#include "def/rt.def"
#undef RT
/* ---- deep.c: on a thread with a large stack. *stop is set when a signal's handler has raised;
 * NULL: none is run ---- */
void rt_run_deep(void (*fn)(void *), void *arg, volatile int32_t *stop);
/* ---- support_par.c ---- */
char *rt_stack_limit(void);     /* of the calling thread: what SwCtx wants; takes microseconds */
void rt_shadow_free(SwCtx *cx); /* what an error has left behind */
void rt_watch_free(SwCtx *cx);
/* Of an error with `what`: its class, its message without the places, what is to be seen at the
 * second one. */
const char *rt_watch_note(const SwError *e);
const char *rt_watch_class(const SwError *e);
void rt_watch_text(StrBuf *out, const SwFunction *fn, const SwError *e);
void rt_shadow_forget(SwCtx *cx, const void *data, int64_t bytes); /* it has just been allocated */
/* a worker's poll is up: whether its chunk is to end, with SW_ERR_INTERRUPT */
int rt_worker_stops(SwCtx *cx);
/* ---- offload.c: a call whose parallel loops run on a device ---- */
typedef struct Offload Offload;
typedef struct OffloadOn {
    const DevApi *api;
    DevDevice *dev;
    DevQueue *queue;
    bool wait;                 /* the queue has no order of its own */
    bool keep;                 /* what it returns stays on the device: see offload_take */
    DevKernel *const *kernels; /* fn's, by number; stays until the end */
} OffloadOn;
Offload *offload_begin(const OffloadOn *on, const SwFunction *fn); /* NULL: no memory */
/* Addresses lo .. hi stand for memory of the device from `offset` on; what is there is written only
 * when wanted. */
bool offload_lend(Offload *o, void *lo, void *hi, DevMem *mem, int64_t offset);
/* after all that is lent; false: see offload_end */
bool offload_arguments(Offload *o, const uint64_t *slots);
/* Memory of the device behind a result, lo .. hi, whose elements the host has not; it is the
 * caller's from now on. False: there is no more. Before offload_end. */
typedef struct OffloadKept {
    void *lo, *hi;
    DevMem *mem;
    int64_t offset; /* of lo in it */
} OffloadKept;
bool offload_take(Offload *o, OffloadKept *to);
/* it has just been allocated */
void offload_fresh(Offload *o, void *data, int64_t bytes, bool zero);
/* brings home what was written, frees; false: what failed is in *e */
bool offload_end(Offload *o, DevError *e);
/* ---- format.c, error.c ---- */
/* %0 %1 ...: see format.c */
void rt_format(StrBuf *b, const char *format, const uint64_t *args, int n_args);
/* The arguments of an exception, where its site's format has them: how many, or -1. text:
 * malloc'ed, of every kind. */
typedef struct RtPayload {
    char kind; /* s, S, y, N, w, n: see format.c */
    int dtype;
    uint64_t v[2]; /* as an SwError has it: of floats the bits of a double */
    char *text;
} RtPayload;
/* with what "%E" stands for; malloc'ed; NULL: none */
char *rt_message_format(const SwFunction *fn, const SwError *e);
/* ---- support_fault.c: exceptions that others refer to ---- */
/* a new one: who it is, and what it is raised from */
void rt_error_raised(SwCtx *cx, SwError *e);
/* to is a copy of from, and both are to be dropped */
void rt_error_share(SwError *to, const SwError *from);
void rt_error_drop(SwError *e); /* lets go of what it refers to */
/* ---- support_caught.c ---- */
/* SW_ERR_...: its message and class; NULL: none of these */
const char *rt_known_error(int32_t site, const char **exc);
bool rt_many_args(const char *format);
char *rt_error_string(const SwFunction *fn, const SwError *e); /* str() of it; malloc'ed */
int rt_payload(const char *format, const uint64_t *v, RtPayload *out, int max);
/* the text of an error without its message; malloc'ed */
char *rt_error_places(const SwFunction *fn, const SwError *e);
/* The message of a run-time error, with file, source line and caret. exc: class name. */
char *rt_error_text(const SwFunction *fn, const SwError *e, const char **exc); /* malloc'ed */
/* ---- print: py sets where compiled code's print() goes ---- */
extern void (*rt_write_hook)(const char *s, size_t n);
/* What sw_interrupted calls when *cx->poll is up (any thread without the GIL): runs Python's signal
 * handlers; 0: go on (the flag is down again), else stop with SW_ERR_PYTHON, the exception is set.
 * NULL: stop with SW_ERR_INTERRUPT. */
extern int (*rt_signal_hook)(void);
/* Not 0: a thread has memory that Python let go of in the midst of a function, or is about to; that
 * goes when the function with this context has ended. Any thread, the one that ran the function. */
extern int rt_holds; /* atomic */
void rt_hold_end(const SwCtx *cx);
/* Of an exception that Python has raised, by the number that the call up into Python has yielded,
 * and that is the first argument of an error of a site of class EXC_PYTHON: its str(), malloc'ed;
 * NULL: nobody has it any more. Any thread, with the GIL or without. */
extern char *(*rt_python_text)(int64_t number, int64_t what);
/* The same as a payload, with the reference that was made for this. */
extern SwPayload *(*rt_python_payload)(int64_t number);
/* What sw_upcall calls: runs cx->fn's upcall number k, with slots as an entry function has them.
 * 0; else the error is in cx->err, of this site unless it is none of Python's. NULL: nothing can be
 * called. */
extern int (*rt_upcall_hook)(SwCtx *cx, int32_t k, int32_t site, const uint64_t *args,
                             uint64_t *results);
extern volatile int32_t rt_interrupt_flag; /* set by the signal handler */
extern const volatile int32_t rt_never;    /* for calls that no signal may stop */
int64_t rt_live_functions(void);
int64_t rt_live_faults(void);
#endif
