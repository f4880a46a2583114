/* SPDX-License-Identifier: BSD-3-Clause
 * Puts the bodies of functions in place of calls to them, so that what comes behind sees through
 * these: index checks are proved, loops run in lanes, arrays are fused. Takes functions from the
 * innermost out, so that a body is complete when it is copied. Three reasons lead to a copy: the
 * program asks (inline='always', inline(f(x))); a kernel can't do without, since the function uses
 * what only a kernel has (the thread's place, barriers, shared arrays); or it pays, by the
 * function's size and where the call stands. A caller has a budget, linear in its own size. What is
 * called no more goes. */
#include "pass/simplify/inline.h"

enum {
    TINY = 30,     /* nodes: about what a call takes itself */
    IN_LOOP = 400, /* of a function that is called in a loop */
    WITH_ARRAYS = 200,
    ONLY_CALL = 800,
    LEAST = 1500, /* what a caller may grow by */
    /* and be, or half of it where loops are put in: LLVM takes more than its share of time for
     * more */
    LARGE = 3000,
    MOST = 8000, /* whoever asks */
};

typedef struct Callee {
    IrFunc *f;
    int weight, calls; /* nodes; the calls to it that there are */
    int room;          /* nodes that it may grow by */
    bool loops, tries, calls_others;
    bool nests;       /* it has loops in loops of the user's: what is around them matters little */
    bool versions;    /* of array expressions, for shapes that it doesn't know */
    bool kernel_only; /* it uses what only a kernel has */
    bool arrays;      /* takes or yields them */
    bool made_deep;   /* yields an array that isn't simply made and returned */
    bool taken;       /* its body stands in place of some call */
    bool done, reached;
} Callee;

typedef struct Inline {
    PassCx *p;
    Cx *cx;
    IrModule *m;
    Map of;     /* IrFunc* -> Callee* */
    Callee *in; /* the caller at hand */
    int loops, colds, pars;
    bool kernel; /* there is one */
} Inline;

static Callee *
callee_of(Inline *in, const IrFunc *f)
{
    return map_get(&in->of, f);
}

/* ---- what functions are like ----------------------------------------------------------------- */

typedef struct Look {
    Inline *in;
    Callee *c;
    bool rare; /* the statement before is an if with a rare case */
} Look;

static bool
look_expr(IrExpr **e, void *arg)
{
    Look *l = arg;
    l->c->kernel_only |= (*e)->kind == IX_GEO;
    return true;
}

/* It may be renamed to the result: nothing else stands between. */
static bool
is_plain_result(const IrFunc *f, const IrStmt *ret, const IrVar *v)
{
    bool here = v->is_param;
    for (const IrStmt *s = f->body.first; s; s = s->next) {
        here |= ir_does(s, ST_ALLOCATES | ST_LOOKS) && s->var == v;
        for (int i = 0; s->kind == IS_CALL && i < s->n_outs; i++)
            here |= s->outs[i].arr == v;
    }
    return f->body.last == ret && here;
}

static void
look_stmt(IrBlock *b, IrStmt *s, void *arg)
{
    Look *l = arg;
    Callee *c = l->c;
    (void)b;
    c->loops |= ir_does(s, ST_REPEATS);
    c->tries |= s->kind == IS_TRY;
    c->versions |= s->kind == IS_LOOP && s->elementwise && l->rare;
    l->rare = s->kind == IS_IF && s->cold_else;
    c->kernel_only |=
        ir_does(s, ST_WAITS) || (s->kind == IS_ALLOC && s->var->space == SPACE_SHARED);
    ir_walk_stmt_exprs(s, look_expr, l);
    if (s->kind == IS_CALL) {
        c->calls_others = true;
        Callee *to = callee_of(l->in, s->func);
        if (to)
            to->calls++;
    }
    for (int i = 0; s->kind == IS_RETURN && i < s->n_args; i++)
        if (s->args[i].arr) {
            c->arrays = true;
            c->made_deep |= !is_plain_result(c->f, s, s->args[i].arr);
        }
}

static bool
has_nest(const IrBlock *b, int loops)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        bool loop = ir_does(s, ST_REPEATS) && !s->elementwise;
        if (loop && loops)
            return true;
        for (int i = 0, n = ir_blocks(s, sub); i < n; i++)
            if (has_nest(sub[i], loops + loop))
                return true;
    }
    return false;
}

static void
look_all(Inline *in)
{
    Arena *a = &in->cx->arena;
    for (int i = 0; i < in->m->funcs.n; i++) {
        Callee *c = NEW(a, Callee);
        c->f = in->m->funcs.at[i];
        in->kernel |= c->f->kernel;
        map_put(a, &in->of, c->f, c);
    }
    for (int i = 0; i < in->m->funcs.n; i++) {
        Look l = {.in = in, .c = callee_of(in, in->m->funcs.at[i])};
        IrFunc *f = l.c->f;
        ir_walk_block(&f->body, look_stmt, &l);
        l.c->weight = pass_weight(&f->body);
        l.c->nests = has_nest(&f->body, 0);
        l.c->room = 2 * l.c->weight > LEAST ? 2 * l.c->weight : LEAST;
        for (int k = 0; k < f->n_params; k++)
            l.c->arrays |= f->vars.at[k]->is_array;
    }
}

/* ---- which calls ----------------------------------------------------------------------------- */

typedef enum Verdict { LEAVE, REFUSE, PUT } Verdict;

/* Whom the program asks, or a kernel needs. In debug of a kernel all are told of that touch
 * arrays. What is written elsewhere has no body to put in. */
static bool
must(const Inline *in, const Callee *c)
{
    if (c->f->foreign || c->f->unit)
        return false;
    if (in->cx->opt->debug)
        return c->kernel_only || (in->kernel && c->arrays && !c->f->recursive && !c->tries);
    return c->kernel_only || (c->f->inlined && in->cx->opt->opt_level > 0);
}

static int
most(const Inline *in, const Callee *c)
{
    int n = in->loops ? IN_LOOP : c->arrays ? WITH_ARRAYS : TINY;
    return c->calls == 1 && n < ONLY_CALL ? ONLY_CALL : n;
}

static const char *
name_of(const IrFunc *f)
{
    const char *name = f->at.src && f->at.src->func ? f->at.src->func : f->name;
    const char *last = f->at.src ? strrchr(name, '.') : NULL;
    return last ? last + 1 : name;
}

/* What the bodies of both must have in common. (Index checks are there by now.) */
static const char *
differ(const Inline *in, const Callee *c)
{
    const SwOptions *a = in->in->f->opt, *b = c->f->opt;
    a = a ? a : in->p->opt;
    b = b ? b : in->p->opt;
    if (a == b)
        return NULL;
    /* a loop may have become a reduction by them */
    bool keeps = !c->loops && (!b->fastmath || b->fastmath == FM_ALL);
    return a->fastmath != b->fastmath && !keeps                          ? "fastmath"
           : a->contract != b->contract                                  ? "contract"
           : a->debug != b->debug                                        ? "debug"
           : a->parallel != b->parallel && (c->loops || c->calls_others) ? "parallel"
                                                                         : NULL;
}

static void
look_text(IrBlock *b, IrStmt *s, void *arg)
{
    const IrFunc **f = arg;
    (void)b;
    if (s->kind == IS_CONSTARR)
        f[1] = f[0];
    else if (s->kind == IS_CALL && s->func != f[0] && s->func->lib && !f[1])
        f[1] = inline_has(&s->func->body, IS_CONSTARR) ? f[0] : NULL;
}

/* A function of the library for one text that the program has in it, as `s.replace("a", "b")`: what
 * it calls with that is the same for all texts. */
static bool
holds_text(IrFunc *f)
{
    const IrFunc *both[2] = {f, NULL};
    ir_walk_block(&f->body, look_text, both);
    return both[1] != NULL;
}

static Verdict
pays(const Inline *in, const Callee *c, const char **why)
{
    bool once = c->calls == 1, tiny = c->weight <= TINY && !c->loops;
    int large = c->loops ? LARGE / 2 : LARGE;
    /* whether iterations race is to be the same with debug and without */
    bool stays = in->cx->opt->debug && !in->pars;
    if (stays || in->cx->opt->opt_level < 2 || in->colds || c->f->foreign)
        return LEAVE;
    /* what a function of the library calls, a caller of that may do in a loop; but loops in loops
     * take longer than a call, wherever that is */
    if (in->p->units && !in->loops && units_fit(c->f) &&
        (!in->in->f->lib || c->nests || (c->loops && holds_text(in->in->f))))
        return LEAVE;
    if (c->f->apart)
        *why = "inline='never'";
    else if (c->f->recursive)
        *why = "it may come back to itself";
    else if (c->tries)
        *why = "it has a try";
    else if (c->nests && !once)
        *why = "it has loops in loops, and is called from several places";
    else if (c->versions && !once)
        *why = "it has versions for different shapes, and is called from several places";
    else if (c->made_deep)
        *why = "what it returns is an array from one of several places";
    else if (c->weight > most(in, c))
        *why = arena_printf(&in->cx->arena, "it is of %d nodes, and %d would pay", c->weight,
                            most(in, c));
    else if (!once && !tiny && c->weight > in->in->room)
        *why = arena_printf(&in->cx->arena, "what is put into %s has taken the room for that",
                            name_of(in->in->f));
    else if (!tiny && c->weight + in->in->weight > large)
        *why = arena_printf(&in->cx->arena, "%s would be of more than %d nodes", name_of(in->in->f),
                            large);
    else
        return PUT;
    return REFUSE;
}

static bool
wanted(Inline *in, const IrStmt *s, const Callee *c)
{
    const char *why = NULL;
    bool asked = must(in, c);
    const char *other = c->kernel_only ? NULL : differ(in, c);
    Verdict v = other ? REFUSE : asked ? PUT : pays(in, c, &why);
    if (other) {
        why = arena_printf(&in->cx->arena, "its option %s is another", other);
        c->f->inlined = false;
    }
    if (v == PUT && in->in->weight + c->weight > MOST && !c->kernel_only) {
        v = REFUSE;
        c->f->inlined = false; /* for LLVM, too */
        why = arena_printf(&in->cx->arena, "%s would be of more than %d nodes", name_of(in->in->f),
                           MOST);
    }
    if (v == REFUSE && (in->loops || asked))
        pass_remark(in->p, REMARK_inline_remains, s->at, "%s() is called: %s", name_of(c->f), why);
    return v == PUT;
}

/* ---- putting them in ------------------------------------------------------------------------- */

static void
refuse_recursion(Inline *in, IrBlock *b, IrStmt *s)
{
    Diag *d = diag_add(&in->cx->diags, DIAG_unsupported, s->at,
                       "%s() calls itself, and uses the thread's place or waits for others",
                       s->func->name);
    diag_hint(&in->cx->diags, d, "pass the place as an argument");
    ir_remove(b, s);
}

static bool
keep_freedom(IrExpr **e, void *arg)
{
    IrExpr *x = *e;
    DType d = x->kind == IX_OP && x->op != OP_select ? (DType)x->arg[0]->dtype : (DType)x->dtype;
    bool floats = dtype_is_float(d) || dtype_is_complex(d);
    if (x->kind == IX_OP && floats && !(x->flags & (IXF_FAST | IXF_STRICT)))
        x->flags |= (uint8_t) * (int *)arg;
    return true;
}

/* Floats of a body go on to be computed as its own function's options say. */
static void
keep_freedoms(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    ir_walk_stmt_exprs(s, keep_freedom, arg);
}

static void
put(Inline *in, IrBlock *b, IrStmt *s, Callee *c)
{
    if (c->f->recursive) {
        refuse_recursion(in, b, s);
        return;
    }
    const SwOptions *to = in->cx->opt, *of = c->f->opt ? c->f->opt : in->p->opt;
    IrBlock body = inline_body(in->in->f, s);
    int flag = of->fastmath ? IXF_FAST : IXF_STRICT;
    if (of->fastmath != to->fastmath && !c->kernel_only)
        ir_walk_block(&body, keep_freedoms, &flag);
    for (IrStmt *t = body.first, *next; t; t = next) {
        next = t->next;
        t->prev = t->next = NULL;
        ir_insert_before(b, s, t);
    }
    ir_remove(b, s);
    in->in->weight += c->weight;
    in->in->room -= (c->weight > TINY || c->loops) && c->calls > 1 ? c->weight : 0;
    in->in->loops |= c->loops;
    in->in->tries |= c->tries;
    in->in->kernel_only |= c->kernel_only;
    c->taken = true;
    pass_remark(in->p, REMARK_inline_replaced, s->at, "the body of %s() stands here",
                name_of(c->f));
}

static void
enter(Inline *in, const IrStmt *s, int i, int by)
{
    in->loops += ir_does(s, ST_REPEATS) ? by : 0;
    in->colds += ir_is_cold(s, i) ? by : 0;
    in->pars += s->kind == IS_LOOP && s->loop == LOOP_PAR && !s->elementwise ? by : 0;
}

static void prepare(Inline *in, Callee *c);

static void
walk(Inline *in, IrBlock *b)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first, *next; s; s = next) {
        next = s->next;
        int n = ir_blocks(s, sub);
        for (int i = 0; i < n; i++) {
            enter(in, s, i, 1);
            walk(in, sub[i]);
            enter(in, s, i, -1);
        }
        Callee *c = s->kind == IS_CALL ? callee_of(in, s->func) : NULL;
        if (c && wanted(in, s, c))
            put(in, b, s, c);
    }
}

/* ---- the order ------------------------------------------------------------------------------- */

static void
prepare_callee(IrBlock *b, IrStmt *s, void *arg)
{
    Inline *in = arg;
    (void)b;
    Callee *c = s->kind == IS_CALL ? callee_of(in, s->func) : NULL;
    if (c)
        prepare(in, c);
}

static void
prepare(Inline *in, Callee *c)
{
    if (c->done)
        return;
    c->done = true;
    if (!c->calls_others)
        return;
    ir_walk_block(&c->f->body, prepare_callee, in);
    Callee *outer = in->in;
    const SwOptions *opt = in->cx->opt;
    int loops = in->loops, colds = in->colds, pars = in->pars;
    in->in = c;
    in->cx->opt = c->f->opt ? c->f->opt : in->p->opt;
    in->loops = c->f->kernel; /* over its threads */
    in->colds = in->pars = 0;
    walk(in, &c->f->body);
    in->in = outer;
    in->cx->opt = opt;
    in->loops = loops;
    in->colds = colds;
    in->pars = pars;
}

/* ---- what is called no more ------------------------------------------------------------------ */

static void reach(Inline *in, Callee *c);

static void
reach_call(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->func && callee_of(arg, s->func))
        reach(arg, callee_of(arg, s->func));
}

static void
reach(Inline *in, Callee *c)
{
    if (c->reached)
        return;
    c->reached = true;
    if (c->calls_others)
        ir_walk_block(&c->f->body, reach_call, in);
}

static void
drop_unused(Inline *in)
{
    int n = 0;
    for (int i = 0; i < in->m->funcs.n; i++) {
        Callee *c = callee_of(in, in->m->funcs.at[i]);
        if (c->f->entry || c->f->kernel || c->f->recursive || !c->calls)
            reach(in, c);
    }
    for (int i = 0; i < in->m->funcs.n; i++)
        if (callee_of(in, in->m->funcs.at[i])->reached)
            in->m->funcs.at[n++] = in->m->funcs.at[i];
    in->m->funcs.n = n;
}

void
pass_inline(PassCx *p)
{
    Inline in = {.p = p, .cx = p->cx, .m = p->mod};
    bool any = false;
    if (p->mod->funcs.n < 2)
        return;
    look_all(&in);
    for (int i = 0; i < p->mod->funcs.n; i++)
        prepare(&in, callee_of(&in, p->mod->funcs.at[i]));
    for (int i = 0; i < p->mod->funcs.n; i++)
        any |= callee_of(&in, p->mod->funcs.at[i])->taken;
    if (any)
        drop_unused(&in);
}
