/* SPDX-License-Identifier: BSD-3-Clause
 * Instances: one for each function and types of arguments that the program reaches. A
 * recursive call finds its instance unfinished and takes the result known so far (UNKNOWN
 * at first); the instance is then inferred again until its result no longer changes. One
 * whose types rest on an unfinished instance further out is provisional: it is inferred
 * again once that one knows more, and is final together with it. */
#include "sema/internal.h"

enum {
    MAX_DEPTH = 1000,
    MAX_SAME = 100,
    MAX_ALL = 256,
    MAX_OBJECTS = 4,
    MAX_STACK = 3 << 20,
    MAX_ROUNDS = 24,
    MAX_GUESSES = 2,
    LONG_TEXT = 300 /* of a type that a message shows */
};

typedef struct InstState {
    bool busy, recursive, failed, ends, built;
    unsigned wants; /* of Cx, by its errors and those of what it calls */
    int depth, low, epoch;
    Inst *in;
    const Node *ret_at;
    DiagList diags;
} InstState;

typedef struct Run {
    Sema s;
    Map states;            /* Inst -> InstState */
    Vec(InstState *) open; /* provisional, waiting for the head of their recursion */
    int depth, epoch;
    const char *stack; /* about where it began */
} Run;

static Run *
run_of(Sema *s)
{
    return (Run *)s;
}

static InstState *
state_of(Sema *s, const Inst *in)
{
    return map_get(&run_of(s)->states, in);
}

/* ---- finding and making ---------------------------------------------------------------------- */

static bool
same_inst(const Inst *in, const FuncDef *fd, const SwOptions *opt, int n, const Type *const *types,
          const Const *const *csts)
{
    if (in->def != fd || in->n_params != n || in->opt != opt)
        return false;
    for (int i = 0; i < n; i++) {
        const Const *a = in->param_cst[i], *b = csts[i];
        if (in->params[i] != types[i] || (a != b && (!a || !b || !const_equal(a, b))))
            return false;
    }
    return true;
}

/* What a function is compiled under: what its own decorator says, else what its caller is. What
 * debug=True asks for holds for all that is called; a kernel is one piece of code, with one set of
 * options, and so is what goes to a device. */
static const SwOptions *
options_of(Sema *s, const FuncDef *fd)
{
    const SwOptions *root = s->cx->opt, *by = s->fr ? s->fr->in->opt : root;
    while (fd->parent)
        fd = fd->parent;
    if (fd == s->prog->root || root->kernel || root->target != TARGET_CPU)
        return root;
    if (!fd->own)
        return by;
    SwOptions o = *root;
    o.boundscheck = fd->own->boundscheck;
    o.fastmath = fd->own->fastmath;
    o.contract = fd->own->contract;
    o.numpy_errors = fd->own->numpy_errors;
    o.parallel = root->offload ? root->parallel : fd->own->parallel;
    o.debug = fd->own->debug || by->debug;
    if (!memcmp(&o, root, sizeof o))
        return root;
    for (int i = 0; i < s->unit->opts.n; i++)
        if (!memcmp(&o, s->unit->opts.at[i], sizeof o))
            return s->unit->opts.at[i];
    VEC_PUSH(s->a, s->unit->opts, arena_dup(s->a, &o, sizeof o));
    return s->unit->opts.at[s->unit->opts.n - 1];
}

static Inst *
find_inst(Sema *s, const FuncDef *fd, int n, const Type *const *types, const Const *const *csts)
{
    const SwOptions *opt = options_of(s, fd);
    for (int i = 0; i < s->unit->insts.n; i++)
        if (same_inst(s->unit->insts.at[i], fd, opt, n, types, csts))
            return s->unit->insts.at[i];
    Inst *in = NEW(s->a, Inst);
    in->def = fd;
    in->opt = opt;
    in->n_params = n;
    in->params = arena_dup(s->a, types, sizeof *types * (size_t)n);
    in->param_cst = arena_dup(s->a, csts, sizeof *csts * (size_t)n);
    in->ret = type_unknown(s->tt);
    in->may_raise = true;
    VEC_PUSH(s->a, s->unit->insts, in);
    InstState *st = NEW(s->a, InstState);
    st->in = in;
    st->epoch = -1;
    map_put(s->a, &run_of(s)->states, in, st);
    return in;
}

/* ---- one round over a body ------------------------------------------------------------------- */

static void
bind_params(Sema *s)
{
    Inst *in = s->fr->in;
    const FuncDef *fd = in->def;
    for (int i = 0; i < in->n_params; i++) {
        Sym name = i < fd->n_params ? fd->params[i].name : fd->free[i - fd->n_params];
        env_bind(s, name, (Sem){in->params[i], in->param_cst[i]}, NULL);
    }
    for (int i = 0; i < fd->n_locals; i++)
        env_index(s, fd->locals[i]);
    for (int i = 0; i < fd->n_free; i++)
        env_index(s, fd->free[i]);
}

static const Type *
one_round(Sema *s, Inst *in, const Node *call, InstState *st)
{
    Frame f = {.up = s->fr, .in = in, .call = call, .depth = st->depth, .low = st->depth};
    f.ret = type_unknown(s->tt);
    in->info = NEW_N(s->a, Info, in->def->n_nodes + 1);
    in->edges.n = 0;
    in->edge_map = (Map){0};
    s->fr = &f;
    bind_params(s);
    sema_block(s, in->def->body);
    st->ends = !f.env.dead;
    st->ret_at = f.ret_at;
    in->ret_cst = st->ends || !in->def->is_lib ? NULL : f.ret_cst;
    if (st->ends) {
        const Type *none = type_none(s->tt), *t = type_join(s->tt, f.ret, none);
        if (!t) {
            Diag *d = sema_error(s, DIAG_type_changes, f.ret_at,
                                 "'%s' returns %s here, and None where control reaches its end",
                                 in->def->name, f.ret->text);
            s->cx->wants |= WANT_ONE_TYPE;
            diag_hint(s->diags, d, "end it with a return or a raise");
        }
        f.ret = t ? t : f.ret;
    }
    s->fr = f.up;
    in->n_vars = f.vars.n;
    in->vars = f.vars.at;
    if (f.low < st->low)
        st->low = f.low;
    return f.ret;
}

static void
keep_diags(Sema *s, InstState *st, int mark)
{
    diag_copy(s, mark, &st->diags);
    st->failed = st->diags.n > 0;
}

static void
replay_diags(Sema *s, const InstState *st)
{
    for (int i = 0; i < st->diags.n; i++) {
        bool there = false;
        for (int k = 0; k < s->diags->list.n; k++)
            there |= s->diags->list.at[k] == st->diags.at[i];
        if (!there)
            VEC_PUSH(s->a, s->diags->list, st->diags.at[i]);
    }
    s->cx->wants |= st->wants;
}

static void
settle(Sema *s, InstState *st)
{
    Run *r = run_of(s);
    st->in->done = true;
    for (int i = r->open.n - 1; i >= 0; i--) {
        InstState *o = r->open.at[i];
        if (o->depth <= st->depth && o != st)
            break;
        o->in->done = true;
        if (o->in->ret->kind == TY_UNKNOWN && !o->failed)
            o->in->ret = type_none(s->tt);
        r->open.n = i;
    }
}

/* A type that is made of itself grows, by a power in each round. */
static void
grows(Sema *s, const Inst *in, const InstState *st, const Type *got)
{
    Diag *d;
    if (strlen(got->text) < LONG_TEXT)
        d = sema_error(s, DIAG_type_changes, st->ret_at,
                       "'%s' returns %s here, if its own calls return %s: its result has no type",
                       in->def->name, got->text, in->ret->text);
    else
        d = sema_error(s, DIAG_type_changes, st->ret_at,
                       "what '%s' returns holds what its own calls return: its result has no type",
                       in->def->name);
    diag_hint(s->diags, d, "a function that calls itself returns one type on all paths");
}

/* Of an argument that is to be typed later nobody can tell yet what a function returns. */
static bool
takes_open(Sema *s, const Inst *in)
{
    bool open = false;
    for (int i = 0; !s->settle && i < in->n_params && !open; i++)
        open = type_is_open(type_resolve(s->tt, in->params[i]));
    return open;
}

/* Infers until the result is stable: once for most functions, twice for most recursive
 * ones. */
static void
infer(Sema *s, Inst *in, const Node *call, InstState *st)
{
    Run *r = run_of(s);
    int mark = diag_mark(s), guesses = 0;
    unsigned wanted = s->cx->wants;
    st->busy = true;
    s->cx->wants = 0;
    st->depth = st->low = ++r->depth;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        diag_rewind(s, mark);
        st->low = st->depth;
        st->recursive = false;
        const Type *got = one_round(s, in, call, st), *t = type_join(s->tt, in->ret, got);
        bool endless = !t ? ++guesses > MAX_GUESSES : t != in->ret && round == MAX_ROUNDS - 1;
        if (endless && st->ret_at) {
            grows(s, in, st, got);
            in->ret = type_unknown(s->tt);
            break;
        }
        t = t ? t : got;
        bool head = st->low >= st->depth;
        bool never = t->kind == TY_UNKNOWN && head && diag_mark(s) == mark && !takes_open(s, in);
        if (never)
            t = st->recursive ? type_scalar(s->tt, DT_i64, true) : type_none(s->tt);
        if (t == in->ret)
            break;
        in->ret = t;
        r->epoch++;
        if (!st->recursive)
            break;
    }
    st->busy = false;
    st->epoch = r->epoch;
    r->depth--;
    keep_diags(s, st, mark);
    st->wants = st->failed ? s->cx->wants : 0;
    s->cx->wants = wanted | st->wants;
    if (st->low >= st->depth)
        settle(s, st);
    else
        VEC_PUSH(s->a, r->open, st);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void
rest_on(Sema *s, int depth)
{
    if (s->fr && depth < s->fr->low)
        s->fr->low = depth;
}

/* Does a generator make objects of itself with ever longer tuples? Each would be a class. */
static bool
has_ever_longer(Sema *s, const FuncDef *fd, int n, const Type **types)
{
    int within = 0, rows = 0;
    for (const Frame *f = s->fr; f && fd->object; f = f->up)
        within += f->in->def != fd && f->in->def->qualname == fd->qualname;
    for (int i = 0; i < n && i < fd->n_params; i++)
        rows += types[i]->kind == TY_TUPLE && !types[i]->names;
    return !s->wide && within > MAX_OBJECTS && rows;
}

/* A callee is inferred inside of its caller, on the C stack. */
static bool
too_deep(Sema *s, const Node *at, const FuncDef *fd, int n, const Type **types)
{
    int same = 0;
    char here;
    for (const Frame *f = s->fr; f; f = f->up)
        same += f->in->def == fd;
    ptrdiff_t used = run_of(s)->stack - &here;
    int all = 0; /* where it calls itself twice, there are two to the power of how deep it goes */
    for (int i = 0; same > MAX_KNOWN && i < s->unit->insts.n; i++)
        all += s->unit->insts.at[i]->def == fd;
    bool new = same >= MAX_SAME || all > MAX_ALL || has_ever_longer(s, fd, n, types);
    if (new && !s->wide && !fd->is_lib) {
        s->rows_of = fd;
        s->want_wide = true;
    }
    if (new)
        sema_error(s, DIAG_unsupported, at,
                   "the calls nest too deeply: '%s' calls itself with ever new types", fd->name);
    else if (run_of(s)->depth >= MAX_DEPTH || used > MAX_STACK || -used > MAX_STACK)
        sema_error(s, DIAG_unsupported, at,
                   "the calls nest too deeply: '%s' is reached through %d others", fd->name,
                   run_of(s)->depth);
    else
        return false;
    return true;
}

/* Of an instance, which is made if it isn't there. */
static const Type *
call_one(Sema *s, const Node *at, const FuncDef *fd, int n, const Type **types, const Const **csts,
         Inst **out)
{
    Inst *in = find_inst(s, fd, n, types, csts);
    InstState *st = state_of(s, in);
    *out = in;
    if (st->busy) {
        st->recursive = true;
        rest_on(s, st->depth);
        return in->ret;
    }
    if (!in->done && too_deep(s, at, fd, n, types))
        return type_unknown(s->tt);
    if (!in->done && st->epoch != run_of(s)->epoch)
        infer(s, in, at, st);
    else if (st->failed)
        replay_diags(s, st);
    if (!in->done)
        rest_on(s, st->low);
    return st->failed ? type_unknown(s->tt) : in->ret;
}

/* A function of the user's that doesn't compile because a number in it decides a type, as an axis
 * does: once more, with the numbers that are known where it is called. */
static const Type *
call_known(Sema *s, const Node *at, const FuncDef *fd, int n, const Type **types,
           const Const **csts, const Const **keep, Inst **out)
{
    int mark = diag_mark(s);
    unsigned wanted = s->cx->wants;
    bool more = false;
    const Type *t = call_one(s, at, fd, n, types, keep, out);
    unsigned wants = state_of(s, *out)->wants;
    for (int i = 0; csts && i < n && wants; i++)
        if (!keep[i] && inst_number_known(csts[i]) &&
            (wants & WANT_NUMBER || csts[i]->kind == CV_BOOL)) {
            keep[i] = csts[i];
            more = true;
        }
    if (!more)
        return t;
    DiagList first = {0}; /* an error at a place where there is one already isn't told again */
    diag_copy(s, mark, &first);
    diag_rewind(s, mark);
    Inst *known;
    const Type *r = call_one(s, at, fd, n, types, keep, &known);
    if (!state_of(s, known)->failed && diag_mark(s) == mark) {
        s->cx->wants = wanted;
        *out = known;
        return r;
    }
    diag_put(s, mark, &first);
    return t;
}

/* Of the library: what it does with a number that is known may have no form for others. */
static const Type *
call_library(Sema *s, const Node *at, const FuncDef *fd, int n, const Type **types,
             const Const **keep, Inst **out)
{
    const Type *t = call_one(s, at, fd, n, types, keep, out);
    for (int i = 0; i < n && state_of(s, *out)->failed; i++)
        s->cx->wants |= inst_number_unknown(types[i], keep[i]) ? WANT_NUMBER : 0;
    return t;
}

const Type *
sema_call_inst(Sema *s, const Node *at, const FuncDef *fd, int n, const Type **types,
               const Const **csts, Inst **out)
{
    for (int i = 0; s->wide && s->rows_of == fd && at && i < fd->n_params && i < n; i++)
        types[i] = inst_any_length(s, at, types[i], i);
    const Const **keep = NEW_N(s->a, const Const *, n + 1);
    if (n < fd->n_params + fd->n_free) {
        sema_takes_outer(s, at, fd);
        *out = NULL;
        return type_unknown(s->tt);
    }
    /* of a container's, or a text's: one for all elements */
    bool method = fd->is_lib && n && fd->n_params &&
                  (types[0]->kind == TY_REF || types[0]->kind == TY_TEXT) &&
                  !strcmp(fd->params[0].name, "self");
    for (int i = 0; i < n; i++) {
        bool number = method && types[i]->kind == TY_SCALAR && types[i]->dtype != DT_bool;
        keep[i] = csts && !number ? inst_specialises(fd, types[i], csts[i]) : NULL;
        if (keep[i] && !fd->is_lib && inst_ever_another(s, fd, i, keep[i])) {
            types[i] = type_text(s->tt);
            keep[i] = NULL;
        }
    }
    return fd->is_lib ? call_library(s, at, fd, n, types, keep, out)
                      : call_known(s, at, fd, n, types, csts, keep, out);
}

const Inst *
sema_instantiate(Sema *s, const Node *at, const FuncDef *fd, int n, const Type *const *types,
                 const Const *const *csts)
{
    Inst *in;
    const Type **t = arena_dup(s->a, types, sizeof *types * (size_t)(n ? n : 1));
    const Type *r = sema_call_inst(s, at, fd, n, t, (const Const **)csts, &in);
    return r->kind == TY_UNKNOWN ? NULL : in;
}

bool
sema_never_returns(Sema *s, const Inst *in)
{
    InstState *st = state_of(s, in);
    return in->done && !st->ends && in->ret->kind == TY_NONE && !st->built;
}

/* A function that returns nothing but by `return None` or its end has type none; one
 * whose every path raises has it too, and calls of it end their path. */
void
sema_returned(Sema *s)
{
    state_of(s, s->fr->in)->built = true;
}

/* ---- the unit -------------------------------------------------------------------------------- */

static void
reach(Inst *in, Map *seen, Sema *s, Inst **list, int *n)
{
    if (map_get(seen, in))
        return;
    map_put(s->a, seen, in, in);
    in->index = *n;
    list[(*n)++] = in;
    for (int i = 0; i < in->def->n_nodes; i++) {
        const Call *c = in->info[i].call;
        if (c && c->kind == CALL_INST && c->inst)
            reach(c->inst, seen, s, list, n);
        c = in->info[i].before;
        if (c && c->inst)
            reach(c->inst, seen, s, list, n);
        c = in->info[i].truth;
        if (c)
            reach(c->inst, seen, s, list, n);
        const Need *need = in->info[i].need;
        if (need && need->table)
            reach(need->table, seen, s, list, n);
    }
    for (int i = 0; i < in->helpers.n; i++)
        if (in->helpers.at[i]->done && !state_of(s, in->helpers.at[i])->failed)
            reach(in->helpers.at[i], seen, s, list, n);
}

/* Only what the root reaches stays: a loop inferred twice may have tried others. */
static void
finish(Sema *s, Inst *root)
{
    Map seen = {0};
    int n = 0, all = s->unit->insts.n;
    Inst **list = NEW_N(s->a, Inst *, all + 1);
    reach(root, &seen, s, list, &n);
    s->unit->insts.n = 0;
    for (int i = 0; i < n; i++) {
        list[i]->mangled = arena_printf(s->a, "%s.%d", list[i]->def->name, i);
        VEC_PUSH(s->a, s->unit->insts, list[i]);
    }
}

/* Everything but what was found out. */
void
sema_forget(Sema *s, int mark)
{
    Run *r = run_of(s);
    diag_rewind(&r->s, mark);
    for (int i = 0; i < r->s.unit->insts.n; i++) {
        Inst *in = r->s.unit->insts.at[i];
        InstState *st = state_of(&r->s, in);
        *st = (InstState){.in = in, .epoch = -1};
        in->done = false;
        in->ret = type_unknown(r->s.tt);
    }
    r->open.n = r->depth = r->epoch = 0;
    r->s.found = r->s.open = 0;
    r->s.unroll.loop = NULL;
    r->s.cx->wants = 0;
}

static const char *
root_arg(Sema *s, int i)
{
    const FuncDef *f = s->prog->root;
    return i < f->n_params ? f->params[i].name : ast_shown(s->a, f->free[i - f->n_params]);
}

static Span
root_arg_at(const Program *p, int i)
{
    return i < p->root->n_params ? p->root->params[i].at : p->root->at;
}

/* What empty lists among the arguments hold is known now, and which of numbers hold wider ones: the
 * function is one for such lists. */
static bool
tell_args(Run *r, const Type *const *args, const Type *const *types, int n)
{
    bool any = false;
    Map seen = {0};
    const Type **t = NEW_N(r->s.a, const Type *, n + 1);
    for (int i = 0; i < n; i++) {
        t[i] = type_resolve(r->s.tt, types[i]);
        if (type_is_open(t[i]) || type_widens(t[i])) /* or it would be another one each time */
            t[i] = args[i];
        any |= (t[i] != args[i]) | object_told(&r->s, t[i], &seen);
        if (object_is_open(t[i])) {
            diag_hint(r->s.diags,
                      diag_add(r->s.diags, DIAG_types, root_arg_at(r->s.prog, i),
                               "'%s' is to hold instances of a class whose fields it does not "
                               "declare",
                               root_arg(&r->s, i)),
                      "declare them in the body of the class, as in x: float");
            return false;
        }
    }
    if (any)
        ((Program *)(uintptr_t)r->s.prog)->found = t;
    return any;
}

SemaUnit *
sema_run(Cx *cx, const Program *prog, int n_args, const Type *const *args)
{
    SemaUnit *u = NEW(&cx->arena, SemaUnit);
    u->cx = cx;
    u->prog = prog;
    Run *r = NEW(&cx->arena, Run);
    r->s = (Sema){
        .cx = cx, .a = &cx->arena, .tt = cx->types, .diags = &cx->diags, .unit = u, .prog = prog};
    r->s.objects = r->s.want_objects = prog->dict_objects;
    char here;
    r->stack = &here;
    int before = cx->diags.list.n;
    FuncDef *fd = prog->root;
    if (before && !fd->body->n) /* its source is missing, which has been said */
        return NULL;
    if (fd->n_params + fd->n_free != n_args) {
        diag_add(&cx->diags, DIAG_argument, fd->at, "%s() takes %d argument%s but %d %s given",
                 fd->name, fd->n_params, fd->n_params == 1 ? "" : "s", n_args,
                 n_args == 1 ? "was" : "were");
        return NULL;
    }
    if (!sema_check_axes(&r->s, fd, n_args, args))
        return NULL;
    if (fd->is_generator)
        diag_hint(&cx->diags,
                  diag_add(&cx->diags, DIAG_unsupported, fd->at,
                           "'%s' is a generator, which is compiled for what it is called with",
                           fd->name),
                  "leave the signature out");
    Inst *root;
    const Type **types = NEW_N(&cx->arena, const Type *, n_args + 1);
    memcpy(types, args, sizeof *types * (size_t)n_args);
    for (int i = 0; i < n_args; i++)
        site_forget_arg(args[i]);
    const Type *ret = sema_infer(&r->s, fd, n_args, types, &root);
    if (prog->wanted.n || prog->asked || family_asked(&r->s, before) ||
        (cx->diags.list.n == before && tell_args(r, args, types, n_args)))
        return NULL;
    for (int i = 0; i < n_args && cx->diags.list.n == before; i++)
        if (keyed_is_open(cx->types, args[i]) ||
            type_has_open_row(type_resolve(cx->types, args[i])))
            diag_hint(&cx->diags,
                      diag_add(&cx->diags, DIAG_types, root_arg_at(prog, i),
                               "nothing tells what '%s' is to hold", root_arg(&r->s, i)),
                      "put something in it before the call");
    sema_check_root(&r->s, root, ret);
    object_end(&r->s, fd, ret);
    sema_check_packed(&r->s, fd);
    sema_check_schedule(&r->s);
    if (cx->diags.list.n > before)
        return NULL;
    finish(&r->s, root);
    return u;
}
