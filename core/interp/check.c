/* SPDX-License-Identifier: BSD-3-Clause
 * Every pass against what lowering has made: takes the IR as it is after each, runs all of them on
 * the same arguments, and yields the first pass after which something differs, with the smallest
 * arguments that show it. The IR is kept as text, so that arguments can be drawn knowing what sizes
 * the last pass has written into it, and each version can be run again and again. */
#include "interp/interp.h"
#include "kernel/kernel.h"

#include <stdlib.h>

enum {
    ORDERS = 16, /* of a kernel's threads */
    /* kinds; SWATHE_CHECK=2:N draws N of them, and runs some of the versions on each */
    INPUTS = 24,
    STRIDE = 7,            /* from one kind to the next that is drawn */
    TRIES = 6,             /* for an input that ends without an error */
    BASE_BUDGET = 150000,  /* statements of a run of what lowering has made */
    SLOWER = 60,           /* a pass may make this many of one */
    BIG_BUDGET = 700000,   /* where arguments are as large as can be */
    INPUT_BUDGET = 333000, /* of all runs on one set of arguments, in the mean */
    MOST_SIZES = 24,
};

typedef struct Version {
    const char *pass;
    char *text;
    size_t n;    /* bytes of it */
    IrModule *m; /* of the text, once it has been read */
    IrFunc *f;
    int loose;  /* see num_same; 0: no sum may come in another order */
    bool loops; /* what is called is no kernel, or one no more */
} Version;

struct InterpCheck {
    Cx *cx, own; /* own: where the texts are read again */
    CheckOptions opt;
    bool closed;
    Vec(Version) v;
    CheckStats stats;
    int64_t sizes[MOST_SIZES], steps, budget;
    int n_sizes;
    uint64_t first; /* of the first version's text */
    char *found;
    const IrFunc *f; /* what takes the arguments: of a kernel, the loops that it has become */
};

/* ---- what the passes have made --------------------------------------------------------------- */

InterpCheck *
check_begin(Cx *cx, const CheckOptions *opt)
{
    InterpCheck *k = NEW(&cx->arena, InterpCheck);
    k->cx = cx;
    k->opt = *opt;
    return k;
}

/* Of which nothing says what they hold. */
static bool
takes_objects(InterpCheck *k, const IrModule *m)
{
    bool any = false;
    for (int i = 0; i < m->funcs.n; i++) {
        const IrFunc *f = m->funcs.at[i];
        for (int n = 0; f->entry && n < f->n_params + f->n_results; n++) {
            const IrVar *v = n < f->n_params ? f->vars.at[n] : f->results[n - f->n_params];
            any |= v->obj && !object_known(&k->cx->arena, v->holds);
        }
    }
    return any;
}

/* Which sizes matter, and whether sums may come in another order. */
typedef struct Scan {
    InterpCheck *k;
    Version *v;
} Scan;

/* Numbers of this dtype may be added up in another order. */
static void
loosen(Version *v, DType d)
{
    int size = num_part_size(d);
    if (dtype_kind(d) >= DK_FLOAT && (!v->loose || size < v->loose))
        v->loose = size;
}

static bool
scan_expr(IrExpr **e, void *arg)
{
    Scan *c = arg;
    InterpCheck *k = c->k;
    int64_t n;
    if ((*e)->kind == IX_OP && (*e)->flags)
        loosen(c->v, (DType)(*e)->dtype);
    if (!ir_is_const(*e, &n) || n < 2 || n > 1100 || k->n_sizes == MOST_SIZES)
        return true;
    for (int i = 0; i < k->n_sizes; i++)
        if (k->sizes[i] == n)
            return true;
    k->sizes[k->n_sizes++] = n;
    return true;
}

static void
scan_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Scan *c = arg;
    (void)b;
    ir_walk_stmt_exprs(s, scan_expr, c);
    if (s->kind == IS_LOOP && s->lanes > 1 && c->k->n_sizes < MOST_SIZES)
        c->k->sizes[c->k->n_sizes++] = s->lanes;
    for (int i = 0; i < s->n_reds; i++)
        loosen(c->v, (DType)s->reds[i].var->dtype);
    if (s->kind == IS_PAR)
        loosen(c->v, DT_f64);
    if (s->kind == IS_ATOMIC)
        loosen(c->v, (DType)s->base->dtype);
}

void
check_seen(InterpCheck *k, const IrModule *m, const char *pass)
{
    StrBuf b = {0};
    k->closed |= !interp_entry(m);  /* a unit: nothing in it is called from outside */
    k->closed |= m->device != NULL; /* loops run on a device from here on */
    k->closed |= takes_objects(k, m);
    if (k->closed)
        return;
    ir_print(m, &b);
    const Version *before = k->v.n ? &k->v.at[k->v.n - 1] : NULL;
    if (b.s && (!before || b.n != before->n || memcmp(b.s, before->text, b.n))) {
        const IrFunc *f = interp_entry(m);
        Version v = {.pass = pass, .text = arena_dup(&k->cx->arena, b.s, b.n + 1), .n = b.n};
        v.loose = before && before->loose ? before->loose
                  : k->cx->opt->fastmath  ? num_part_size(DT_f64)
                                          : 0;
        v.loops = f && !f->kernel;
        Scan c = {k, &v};
        for (int n = 0; n < m->funcs.n; n++) {
            if (m->funcs.at[n]->opt && m->funcs.at[n]->opt->fastmath && !v.loose)
                v.loose = num_part_size(DT_f64);
            ir_walk_block(&m->funcs.at[n]->body, scan_stmt, &c);
        }
        VEC_PUSH(&k->cx->arena, k->v, v);
    }
    sb_free(&b);
}

/* ---- what they are run from: their text ------------------------------------------------------ */

static bool
read_version(InterpCheck *k, int i)
{
    Version *v = &k->v.at[i];
    char *why = NULL;
    if (!v->m)
        v->m = ir_parse(&k->own, v->text, &why);
    if (v->m)
        v->f = interp_entry(v->m);
    else
        k->found =
            arena_printf(&k->cx->arena, "after %s: the IR's text can't be read: %s", v->pass, why);
    return v->m != NULL;
}

/* All of them; where only some will run, the first and what takes the arguments. */
static bool
read_versions(InterpCheck *k)
{
    bool some = k->cx->trace.inputs != 0;
    for (int i = 0; i < k->v.n; i++) {
        bool takes = !k->f && k->v.at[i].loops;
        if ((!some || !i || takes) && !read_version(k, i))
            return false;
        if (takes)
            k->f = k->v.at[i].f;
    }
    return k->f != NULL;
}

/* ---- two runs -------------------------------------------------------------------------------- */

/* A string has a number, another one each time. */
static bool
same_text(uint64_t x, uint64_t y)
{
    StrBuf a = {0}, b = {0};
    kernel_noted(&a, x);
    kernel_noted(&b, y);
    bool same = a.n == b.n && (!a.n || !memcmp(a.s, b.s, a.n));
    sb_free(&a);
    sb_free(&b);
    return same;
}

static bool
same_values(const RunError *x, const RunError *y)
{
    for (int k = 0; k < SW_LEN(x->a); k++) {
        const char text[] = {'%', (char)('0' + k), 't', 0};
        if (x->a[k] != y->a[k] &&
            !(strstr(x->format, text) && same_text((uint64_t)x->a[k], (uint64_t)y->a[k])))
            return false;
    }
    return true;
}

static const char *
errors_differ(const RunResult *a, const RunResult *b, Arena *at)
{
    const RunError *x = &a->err, *y = &b->err;
    StrBuf t = {0};
    /* an allocation says no place, the check that stands for one that has gone does */
    bool size = x->code == RUN_NEG_DIM || y->code == RUN_NEG_DIM;
    bool same =
        size || (x->code == y->code && same_values(x, y) && x->line == y->line && x->col == y->col);
    if (same && !strcmp(x->exc, y->exc) && !strcmp(x->format, y->format))
        return NULL;
    sb_add(&t, "the error is ");
    interp_error_text(y, &t);
    sb_add(&t, ", and was ");
    interp_error_text(x, &t);
    char *r = arena_str(at, t.s);
    sb_free(&t);
    return r;
}

static const char *
elements_differ(const RunValue *x, const RunValue *y, int which, int loose, Arena *at)
{
    DType d = (DType)x->dtype;
    for (int k = 0; k < x->ndim; k++)
        if (x->dim[k] != y->dim[k])
            return arena_printf(at, "result %d has size %lld along axis %d, and had %lld", which,
                                (long long)y->dim[k], k, (long long)x->dim[k]);
    if (x->n && (x->arg_buf != y->arg_buf || x->offset != y->offset))
        return arena_printf(at, "result %d lies in other memory", which);
    for (int k = 0; x->n && k < x->ndim; k++)
        if (x->dim[k] > 1 && x->stride[k] != y->stride[k])
            return arena_printf(at, "result %d has other strides", which);
    for (int64_t i = 0; i < x->n; i++) {
        if (x->undef[i])
            continue;
        Num a = num_read(d, x->data + i * dtype_size(d)),
            b = num_read(d, y->data + i * dtype_size(d));
        b.undef = y->undef[i];
        if (!num_same(d, a, b, loose)) {
            StrBuf t = {0};
            sb_addf(&t, "element %lld of result %d is ", (long long)i, which);
            num_print(&t, d, b);
            sb_add(&t, ", and was ");
            num_print(&t, d, a);
            char *r = arena_str(at, t.s);
            sb_free(&t);
            return r;
        }
    }
    return NULL;
}

/* Lists and dicts among the results and the arguments. */
static const char *
objects_changed(const IrFunc *f, const Input *in, const RunResult *a, const RunResult *b, int loose,
                Arena *at)
{
    ObjectPairs p = {.a = at, .loose = loose};
    for (int i = 0; i < in->n_args; i++) {
        const char *why = in->arg[i].object
                              ? objects_differ(&p, f->vars.at[i]->holds, a->object[i], b->object[i])
                              : NULL;
        if (why)
            return arena_printf(at, "of '%s', as the function leaves it, %s", f->vars.at[i]->name,
                                why);
    }
    for (int i = 0; a->status == RUN_OK && i < a->n_values && i < b->n_values; i++) {
        const RunValue *x = &a->value[i], *y = &b->value[i];
        const char *why = x->object && y->object
                              ? objects_differ(&p, f->results[i]->holds, x->object, y->object)
                              : NULL;
        if (why)
            return arena_printf(at, "of result %d %s", i, why);
    }
    return NULL;
}

static const char *
values_differ(const RunResult *a, const RunResult *b, int loose, Arena *at)
{
    if (a->n_values != b->n_values)
        return "the number of results is another";
    for (int i = 0; i < a->n_values; i++) {
        const RunValue *x = &a->value[i], *y = &b->value[i];
        if (x->object)
            continue;
        if (x->is_array) {
            const char *why = elements_differ(x, y, i, loose, at);
            if (why)
                return why;
        } else if (!x->v.undef && !num_same((DType)x->dtype, x->v, y->v, loose)) {
            StrBuf t = {0};
            sb_addf(&t, "result %d is ", i);
            num_print(&t, (DType)x->dtype, y->v);
            sb_add(&t, ", and was ");
            num_print(&t, (DType)x->dtype, x->v);
            char *r = arena_str(at, t.s);
            sb_free(&t);
            return r;
        }
    }
    return NULL;
}

static const char *
memory_differs(const IrFunc *f, const Input *in, const RunResult *a, const RunResult *b, int loose,
               Arena *at)
{
    for (int i = 0; i < in->n_args + in->n_bufs;
         i++) { /* of arguments that are arrays, and of all that others hold */
        bool held = i >= in->n_args;
        int n = held ? i - in->n_args : in->arg[i].buf;
        DType d = (DType)(held ? in->buf[n].dtype : f->vars.at[i]->dtype);
        int size = dtype_size(d);
        if ((held ? !in->n_objects : !in->arg[i].is_array) ||
            (!loose && !memcmp(a->buf[n], b->buf[n], (size_t)in->buf[n].bytes) && !b->undef[n]))
            continue;
        for (int64_t k = 0; (k + 1) * size <= in->buf[n].bytes; k++) {
            Num x = num_read(d, a->buf[n] + k * size), y = num_read(d, b->buf[n] + k * size);
            x.undef = a->undef[n] && a->undef[n][k * size];
            y.undef = b->undef[n] && b->undef[n][k * size];
            if (x.undef || num_same(d, x, y, loose))
                continue;
            StrBuf t = {0};
            if (held)
                sb_addf(&t, "element %lld of memory %d is ", (long long)k, n);
            else
                sb_addf(&t, "element %lld of the memory of '%s' is ",
                        (long long)k - in->arg[i].offset / size, f->vars.at[i]->name);
            num_print(&t, d, y);
            sb_add(&t, ", and was ");
            num_print(&t, d, x);
            char *r = arena_str(at, t.s);
            sb_free(&t);
            return r;
        }
    }
    return NULL;
}

/* Recursion is cut off by how deep it is, which inlining changes; an array that does not fit may be
 * one that a pass has made; debug adds errors of its own. */
static bool
beyond_compare(const InterpCheck *k, const RunResult *a, const RunResult *b)
{
    if (a->status == RUN_ERROR && a->err.code == RUN_MEMORY)
        return true; /* without the array that was too large, it goes on */
    if (b->status == RUN_CANNOT || b->status == RUN_OK)
        return b->status == RUN_CANNOT || (a->status == RUN_ERROR && a->err.code == RUN_RECURSION);
    if (b->status != RUN_ERROR)
        return false;
    if (b->err.code == RUN_RECURSION || b->err.code == RUN_MEMORY)
        return true;
    return k->cx->opt->debug &&
           (!strcmp(b->err.exc, "FloatingPointError") || strstr(b->err.exc, "RaceError"));
}

/* What nobody has set decides a branch, and that is no pass's doing: pass nan looks at what nobody
 * else does, and a kernel reads elements of shared memory that no thread of a smaller block, or one
 * that has failed, sets. */
static bool
reads_unset(const InterpCheck *k, const RunResult *a, const RunResult *b)
{
    if (!strstr(b->text, "is not known: it comes from what nobody has set"))
        return false;
    if (k->cx->opt->debug && (!strncmp(b->text, "a check", 7) || strstr(b->text, "isnan(")))
        return true;
    return (a->status == RUN_ERROR || a->unset) && k->v.at[0].f->kernel;
}

/* NULL: they agree. */
static const char *
differ(const InterpCheck *k, const Version *v, const Input *in, const RunResult *a,
       const RunResult *b, Arena *at)
{
    const char *why;
    if (b->status == RUN_WRONG)
        return reads_unset(k, a, b) ? NULL : b->text;
    if (beyond_compare(k, a, b))
        return NULL;
    if (b->status == RUN_STEPS) /* chunks beside the one that fails go on */
        return a->status == RUN_ERROR ? NULL : "it runs many times longer";
    if (a->status != b->status) {
        StrBuf t = {0};
        sb_add(&t, a->status == RUN_OK ? "it raises " : "it does not raise ");
        interp_error_text(a->status == RUN_OK ? &b->err : &a->err, &t);
        char *r = arena_str(at, t.s);
        sb_free(&t);
        return r;
    }
    if (v->loose && !in->exact)
        return NULL;
    /* another thread may come first, and says where it is */
    if (a->status == RUN_ERROR && k->v.at[0].f->kernel)
        return strcmp(a->err.exc, b->err.exc) ? errors_differ(a, b, at) : NULL;
    if (a->status == RUN_ERROR && (why = errors_differ(a, b, at)))
        return why;
    if (b->unordered)
        return NULL;
    if (strcmp(a->printed, b->printed))
        return arena_printf(at, "what it prints is another: \"%.120s\", and was \"%.120s\"",
                            b->printed, a->printed);
    if (a->status == RUN_OK && (why = values_differ(a, b, v->loose, at)))
        return why;
    if ((why = objects_changed(k->f, in, a, b, v->loose, at)))
        return why;
    return memory_differs(k->f, in, a, b, v->loose, at);
}

static RunOptions
options(int64_t budget, int64_t number)
{
    static const int chunks[] = {0, 2, 3, 1000};
    return (RunOptions){.budget = budget, .seed = (uint64_t)number, .chunks = chunks[number & 3]};
}

/* Which of a kernel's threads fails first is nobody's promise: does one of these errors come first
 * in some order? */
static bool
comes_first(InterpCheck *k, Arena *a, const Input *in, const RunError *e)
{
    for (int64_t number = 1; number <= ORDERS; number++) {
        RunOptions o = options(k->budget, number);
        RunResult r;
        interp_run(a, k->v.at[0].m, k->v.at[0].f, in, &o, &r);
        k->steps += r.steps;
        if (r.status == RUN_ERROR && !strcmp(r.err.exc, e->exc))
            return true;
    }
    return false;
}

/* Of version v, on this input; NULL: as the first. */
static const char *
try_version(InterpCheck *k, Arena *a, int v, const Input *in, const RunResult *base, int64_t number)
{
    RunResult r;
    RunOptions o = options(base->steps * SLOWER + 200000, number);
    interp_run(a, k->v.at[v].m, k->v.at[v].f, in, &o, &r);
    if (r.status == RUN_WRONG && base->status == RUN_ERROR && o.seed && !k->opt.strict) {
        o.seed = 0; /* what runs beside an error may rest on it, where the text leaves out checks */
        interp_run(a, k->v.at[v].m, k->v.at[v].f, in, &o, &r);
    }
    k->stats.runs++;
    k->steps += r.steps;
    k->stats.refused += r.status == RUN_CANNOT;
    if (k->v.at[0].f->kernel && base->status == RUN_ERROR && r.status == RUN_ERROR &&
        strcmp(base->err.exc, r.err.exc) && comes_first(k, a, in, &r.err))
        return NULL;
    return differ(k, &k->v.at[v], in, base, &r, a);
}

static void
run_base(InterpCheck *k, Arena *a, const Input *in, RunResult *out)
{
    RunOptions o = options(k->budget, 0);
    interp_run(a, k->v.at[0].m, k->v.at[0].f, in, &o, out);
    k->steps += out->steps;
}

/* The program is wrong on this input: iterations of a loop that its author wants in parallel touch
 * one element. Passes may take her at her word. */
static bool
races(InterpCheck *k, Arena *a, const Input *in)
{
    RunOptions o = {.budget = k->budget, .claims = true};
    RunResult r;
    interp_run(a, k->v.at[0].m, k->v.at[0].f, in, &o, &r);
    return r.status == RUN_WRONG;
}

/* ---- a difference ---------------------------------------------------------------------------- */

typedef struct Found {
    int version;
    int64_t number;
    const char *why;
    Input *in;
} Found;

static bool
still(InterpCheck *k, const Found *d, const Input *in, const char **why)
{
    Arena a;
    arena_init(&a);
    a.oom = k->cx->arena.oom;
    RunResult base;
    run_base(k, &a, in, &base);
    bool usable = base.status == RUN_OK || base.status == RUN_ERROR;
    usable &= d->version == 0 || !try_version(k, &a, 0, in, &base, d->number);
    usable &= !races(k, &a, in);
    const char *w = usable ? try_version(k, &a, d->version, in, &base, d->number) : NULL;
    if (w)
        *why = arena_str(&k->cx->arena, w);
    arena_free(&a);
    return w != NULL;
}

static void
shrink(InterpCheck *k, Found *d)
{
    int left = 400;
    for (int step = 0; left-- > 0; step++) {
        Input *in = input_smaller(&k->cx->arena, k->f, d->in, step);
        if (!in)
            return;
        if (still(k, d, in, &d->why)) {
            d->in = in;
            step = -1;
        }
    }
}

static void
report(InterpCheck *k, Found *d)
{
    StrBuf t = {0}, args = {0};
    shrink(k, d);
    input_print(k->f, d->in, &args);
    const char *pass = k->v.at[d->version].pass;
    sb_addf(&t, "after pass %s: %s; with %s", pass ? pass : "lower", d->why,
            args.s ? args.s : "no arguments");
    k->found = arena_str(&k->cx->arena, t.s);
    k->stats.different++;
    sb_free(&t);
    sb_free(&args);
}

/* ---- all inputs ------------------------------------------------------------------------------ */

static uint64_t
seed_of(const char *text)
{
    Hash h = hash_init();
    hash_str(&h, text);
    return h.h[0];
}

/* An input that what lowering has made can be run on: one without an error, or every fourth time
 * with one; every eighth time one that is all right but for one element that is missing. */
static Input *
solve(InterpCheck *k, Arena *a, int number, RunResult *base)
{
    uint64_t seed = k->first + k->opt.seed * 1000003 + (uint64_t)number * 31;
    Input *in = NULL;
    RunStatus wanted = number % 4 == 3 ? RUN_ERROR : RUN_OK;
    bool edge = number % 8 == 3;
    for (int t = 0; t < TRIES; t++) {
        InputPlan p = {.block = k->cx->opt->block,
                       .seed = seed,
                       .try = t,
                       .fail = wanted == RUN_ERROR && !edge,
                       .big = number % 6 == 5,
                       .n_sizes = k->n_sizes,
                       .sizes = k->sizes};
        Input *c = input_make(a, k->f, &p);
        if (edge)
            c = input_shorter(a, k->f, c, (seed >> 5) + (uint64_t)t);
        RunResult r;
        run_base(k, a, c, &r);
        if (r.status == RUN_WRONG && k->opt.strict && !k->v.at[0].f->kernel) {
            k->found = arena_printf(&k->cx->arena, "lowering: %s", r.text);
            return NULL;
        }
        if (r.status != RUN_OK && r.status != RUN_ERROR)
            continue;
        in = c;
        *base = r;
        if (r.status == wanted)
            break;
    }
    return in;
}

/* Of what the passes have made, the last and one more: what an earlier one did wrong is mostly
 * still there. */
static bool
shows(InterpCheck *k, Arena *a, const Input *in, const RunResult *base, int number)
{
    int some = k->v.n > 2 ? 1 + (int)((k->first + (uint64_t)number) % (uint64_t)(k->v.n - 2)) : 0;
    if (!read_version(k, k->v.n - 1) || !read_version(k, some))
        return true;
    return try_version(k, a, 0, in, base, number) ||
           try_version(k, a, k->v.n - 1, in, base, number) ||
           (some && try_version(k, a, some, in, base, number));
}

static void
one_input(InterpCheck *k, int number)
{
    Arena a;
    RunResult base;
    arena_init(&a);
    a.oom = k->cx->arena.oom;
    k->budget = number % 6 == 5 ? BIG_BUDGET : BASE_BUDGET;
    Input *in = solve(k, &a, number, &base);
    k->stats.inputs += in != NULL;
    k->stats.passed += in && base.status == RUN_OK;
    if (in && k->cx->trace.inputs && !shows(k, &a, in, &base, number))
        in = NULL;
    for (int v = 0; in && v < k->v.n && !k->found && read_version(k, v); v++) {
        const char *why = try_version(k, &a, v, in, &base, number);
        if (!why)
            continue;
        /* it says of itself what these arguments refute */
        if (v == 0 && (!k->opt.strict || k->v.at[0].f->kernel))
            break;
        if (races(k, &a, in))
            break;
        Found d = {.version = v, .number = number, .why = arena_str(&k->cx->arena, why), .in = in};
        report(k, &d);
    }
    arena_free(&a);
}

char *
check_end(InterpCheck *k, CheckStats *stats)
{
    cx_init(&k->own);
    k->own.arena.oom = k->cx->arena.oom;
    k->own.opt = k->cx->opt;
    k->first = k->v.n ? seed_of(k->v.at[0].text) : 0;
    if (k->v.n > (k->opt.strict ? 0 : 1) && read_versions(k)) {
        k->stats.programs++;
        int n = k->cx->trace.inputs ? k->cx->trace.inputs : INPUTS;
        int first = (int)(k->first % INPUTS);
        for (int i = 0; i < n && !k->found && k->steps < (int64_t)n * INPUT_BUDGET; i++)
            one_input(k, (first + i * STRIDE) % INPUTS + i / INPUTS * INPUTS);
    }
    cx_free(&k->own);
    if (stats) {
        stats->programs += k->stats.programs;
        stats->inputs += k->stats.inputs;
        stats->passed += k->stats.passed;
        stats->runs += k->stats.runs;
        stats->refused += k->stats.refused;
        stats->different += k->found != NULL;
    }
    return k->found;
}
