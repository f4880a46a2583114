/* SPDX-License-Identifier: BSD-3-Clause
 * Functions, variables and the edges of control flow. A variable of the source becomes one
 * "slot" for each type that it has: an IR variable for a scalar or an array, several for a
 * tuple or closure, none for what is known at compile time. */
#include "ast/search.h"
#include "lower/internal.h"

/* ---- slots ----------------------------------------------------------------------------- */

static bool
type_has_elems(const Type *t)
{
    return type_has_parts(t) || t->kind == TY_SLICE || t->kind == TY_FUNC;
}

Val
val_slot(Lower *l, const Type *t, const char *name)
{
    IrFunc *f = l->b.f;
    Val v = {.type = t};
    if (t->kind == TY_LIST) /* it would be empty, whatever is put there */
        diag_add(&l->cx->diags, DIAG_internal, l->b.span, "%s has no variables of its own",
                 t->text);
    if (t->kind == TY_STR && t->ref) { /* its constant */
        v.kind = VK_CONST;
        v.cst = t->ref;
    } else if (t->kind == TY_SCALAR) {
        v.kind = VK_SCALAR;
        v.e = ir_use(l->cx, ir_var(f, name, t->storage));
    } else if (t->kind == TY_ARRAY) {
        v.kind = VK_ARRAY;
        v.arr = ir_array_var(f, name, t->storage, t->ndim, t->layout);
        v.arr->readonly = t->readonly;
        v.arr->fortran = t->fortran;
        map_put(&l->cx->arena, &l->kept, v.arr, v.arr);
    } else if (t->kind == TY_REF || t->kind == TY_OBJ) {
        v.kind = VK_ARRAY;
        v.arr = ir_array_var(f, name, DT_i64, 1, LAY_C);
        v.arr->obj = heap_layout(&l->cx->arena, t);
        v.arr->holds = heap_holds(&l->cx->arena, t);
        map_put(&l->cx->arena, &l->kept, v.arr, v.arr);
        l->objects = true;
    } else if (t->kind == TY_EXC && t->n) {
        v.kind = VK_TUPLE; /* one array: see sema/caught.c */
        v.n = 1;
        v.elem = NEW(&l->cx->arena, Val);
        v.elem[0] = val_slot(l, t->elems[0], name);
    } else if (t->kind == TY_ITER) {
        const Type *part[64];
        v.kind = VK_TUPLE;
        v.n = type_iter_parts(l->cx->types, t, part);
        v.elem = NEW_N(&l->cx->arena, Val, v.n + 1);
        for (int i = 0; i < v.n; i++)
            v.elem[i] = val_slot(l, part[i], arena_printf(&l->cx->arena, "%s.%d", name, i));
    } else if (type_has_elems(t)) {
        v.kind = VK_TUPLE;
        v.n = t->n;
        v.elem = NEW_N(&l->cx->arena, Val, t->n);
        for (int i = 0; i < t->n; i++)
            v.elem[i] = val_slot(
                l, t->elems[i],
                t->kind == TY_OPTIONAL || t->kind == TY_TEXT || t->kind == TY_RANGE ? name
                : t->kind == TY_RECORD ? arena_printf(&l->cx->arena, "%s.%s", name, t->names[i])
                                       : arena_printf(&l->cx->arena, "%s.%d", name, i));
    } else {
        v.kind = VK_NONE;
    }
    return v;
}

void
slot_store(Lower *l, const Val *slot, Val x)
{
    bool other = slot->type && x.type && x.type != slot->type;
    if (other && (type_is_optional(slot->type) || slot->type->kind == TY_CHOICE ||
                  slot->type->kind == TY_EITHER || slot->type->kind != x.type->kind))
        x = val_convert(&l->b, x, slot->type); /* of a kind that holds others, too */
    switch (slot->kind) {
    case VK_SCALAR:
        ir_set(&l->b, slot->e->var, val_expr(&l->b, &x, slot->e->dtype));
        break;
    case VK_ARRAY:
        if (x.kind == VK_LAZY)
            x = np_materialize(&l->b, x, LAY_C);
        if (x.kind == VK_ARRAY && x.arr != slot->arr)
            ir_alias(&l->b, slot->arr, x.arr);
        break;
    case VK_TUPLE:
        for (int i = 0; i < slot->n && i < x.n; i++)
            slot_store(l, &slot->elem[i], x.elem[i]);
        break;
    case VK_NONE:
    case VK_LAZY:
    case VK_CONST:
        break;
    }
}

int
flat_count(const Val *v)
{
    int n = v->kind == VK_SCALAR || v->kind == VK_ARRAY;
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++)
        n += flat_count(&v->elem[i]);
    return n;
}

int
flatten(const Val *v, IrArg *out, int n)
{
    if (v->kind == VK_SCALAR) {
        out[n++] = (IrArg){.e = v->e};
    } else if (v->kind == VK_ARRAY) {
        out[n++] = (IrArg){.arr = v->arr};
    } else if (v->kind == VK_TUPLE) {
        for (int i = 0; i < v->n; i++)
            n = flatten(&v->elem[i], out, n);
    }
    return n;
}

void
keep_arrays(Lower *l, const Val *v)
{
    if (v->kind == VK_ARRAY)
        map_put(&l->cx->arena, &l->kept, v->arr, v->arr);
    for (int i = 0; v->kind == VK_TUPLE && i < v->n; i++)
        keep_arrays(l, &v->elem[i]);
}

/* Arrays that a statement made and that no variable took are released at its end. */
int
drop_mark(Lower *l)
{
    return l->b.f->vars.n;
}

void
drop_temps(Lower *l, int mark)
{
    IrStmt *last = l->b.at->last;
    bool dead = last && ir_does(last, ST_LEAVES);
    for (int i = mark; i < l->b.f->vars.n; i++) {
        IrVar *v = l->b.f->vars.at[i];
        if (!v->is_array || map_get(&l->kept, v))
            continue;
        map_put(&l->cx->arena, &l->kept, v, v);
        if (!dead)
            ir_drop(&l->b, v);
    }
}

/* ---- variables --------------------------------------------------------------------------- */

static Val *
slot_of(Lower *l, const Var *v)
{
    Val *s = &l->slot[v->id];
    if (!s->type)
        *s = val_slot(l, v->type, ast_shown(&l->cx->arena, v->name));
    return s;
}

Val
var_val(Lower *l, const Var *v)
{
    IrVar *direct = map_get(&l->loop_var, v);
    Val out = *slot_of(l, v);
    if (direct)
        out.e = ir_use(l->cx, direct);
    else if (out.kind == VK_SCALAR)
        out.e = ir_use(l->cx, out.e->var);
    return out;
}

void
flag_set(Lower *l, const Var *v, bool bound)
{
    IrVar *f = map_get(&l->flag, v->name);
    if (f)
        ir_set(&l->b, f, ir_int(l->cx, DT_bool, bound));
}

void
var_assign(Lower *l, const Var *v, Val x)
{
    slot_store(l, slot_of(l, v), x);
    flag_set(l, v, true);
}

bool
edge_has_moves(Lower *l, const Node *at, EdgeKind k)
{
    const Edge *e = sema_edge(l->in, at, k);
    return e && e->moves.n > 0;
}

void
edge_moves(Lower *l, const Node *at, EdgeKind k)
{
    const Edge *e = sema_edge(l->in, at, k);
    for (int i = 0; e && i < e->moves.n; i++) {
        const Move *m = &e->moves.at[i];
        if (m->from && m->to && m->from != m->to)
            slot_store(l, slot_of(l, m->to), val_convert(&l->b, var_val(l, m->from), m->to->type));
        else if (!m->from && m->to)
            flag_set(l, m->to, false); /* as after `except E as e`, which deletes e */
    }
}

/* ---- errors -------------------------------------------------------------------------------- */

void
check(Lower *l, IrExpr *ok, const char *exc, const char *format)
{
    int64_t v;
    if (ir_is_const(ok, &v) && v)
        return;
    ir_check(&l->b, ok, ir_site(l->b.mod, exc, format, l->b.span), 0, NULL);
}

void
raise_(Lower *l, const char *exc, const char *format)
{
    ir_raise(&l->b, ir_site(l->b.mod, exc, format, l->b.span), 0, NULL);
}

/* ---- functions ------------------------------------------------------------------------------- */

static void
add_param(Lower *l, const Val *v)
{
    IrArg *flat = NEW_N(&l->cx->arena, IrArg, flat_count(v));
    int n = flatten(v, flat, 0);
    for (int i = 0; i < n; i++) {
        IrVar *p = flat[i].arr ? flat[i].arr : flat[i].e->var;
        p->is_param = true;
        l->b.f->n_params++;
    }
}

/* The Var of a parameter is the one of its name and type; sema numbers parameters first. */
static const Var *
param_var(const Inst *in, Sym name, const Type *t)
{
    for (int i = 0; i < in->n_vars; i++)
        if (in->vars[i]->name == name && in->vars[i]->type == t)
            return in->vars[i];
    return NULL;
}

static Sym
param_name(const Inst *in, int i)
{
    const FuncDef *d = in->def;
    return i < d->n_params ? d->params[i].name : d->free[i - d->n_params];
}

static void
declare_params(Lower *l)
{
    const Inst *in = l->in;
    for (int i = 0; i < in->n_params; i++) {
        const Var *v = param_var(in, param_name(in, i), in->params[i]);
        Val slot = v ? *slot_of(l, v) : val_slot(l, in->params[i], param_name(in, i));
        add_param(l, &slot);
    }
}

static void
declare_results(Lower *l)
{
    const Inst *in = l->in;
    if (!in->ret)
        return;
    IrFunc dummy = {.mod = l->b.mod}, *save = l->b.f;
    l->b.f = &dummy;
    Val v = val_slot(l, in->ret, "result");
    l->b.f = save;
    IrArg *flat = NEW_N(&l->cx->arena, IrArg, flat_count(&v));
    int n = flatten(&v, flat, 0);
    if (n > SW_LEN(save->results)) {
        diag_add(&l->cx->diags, DIAG_unsupported, in->def->at, "a result of more than %d values",
                 SW_LEN(save->results));
        n = 0;
    }
    save->n_results = n;
    for (int i = 0; i < n; i++)
        save->results[i] = flat[i].arr ? flat[i].arr : flat[i].e->var;
}

/* Numbers that may be read while their names are unbound: passes put tests of them before the one
 * of the flag. */
static void
declare_unbound(Lower *l)
{
    for (int i = 0; i < l->in->n_vars; i++) {
        const Var *v = l->in->vars[i];
        bool param = false;
        for (int k = 0; k < l->in->n_params; k++)
            param |= param_name(l->in, k) == v->name;
        if (!v->flagged || param || v->type->kind != TY_SCALAR)
            continue;
        DType d = (DType)v->type->storage;
        ir_set(&l->b, slot_of(l, v)->e->var, ir_cast(l->cx, d, ir_int(l->cx, DT_i64, 0)));
    }
}

static void
declare_flags(Lower *l)
{
    for (int i = 0; i < l->in->n_vars; i++) {
        const Var *v = l->in->vars[i];
        if (!v->flagged || map_get(&l->flag, v->name))
            continue;
        IrVar *f = ir_var(l->b.f, arena_printf(&l->cx->arena, "%s.bound", v->name), DT_bool);
        map_put(&l->cx->arena, &l->flag, v->name, f);
    }
    for (int i = 0; i < l->flag.cap; i++) {
        if (!l->flag.keys[i])
            continue;
        bool param = false;
        for (int k = 0; k < l->in->n_params; k++)
            param |= param_name(l->in, k) == l->flag.keys[i];
        ir_set(&l->b, l->flag.vals[i], ir_int(l->cx, DT_bool, param));
    }
    declare_unbound(l);
}

/* An expression that the rounds over loops and calls left without a type, as what a function holds
 * that captures itself by way of another variable. */
static const Node *untyped(const Inst *in, const Node *n);

/* Of an iterable that is known to be empty a target has no type, and what is done with it isn't
 * done. */
static bool
over_nothing(const Inst *in, const Node *n)
{
    const Node *loop = n->kind == N_ListComp && n->n > 1 ? n->kid[1] : n;
    if (loop->kind != N_For && loop->kind != N_Comprehension)
        return false;
    const Type *target = sema_info(in, loop->kid[0])->type;
    return (!target || target->kind == TY_UNKNOWN) && !untyped(in, loop->kid[1]);
}

static const Node *
untyped(const Inst *in, const Node *n)
{
    const Info *i = n ? sema_info(in, n) : NULL;
    if (!n || i->unbound || n->kind == N_FunctionDef || n->kind == N_Lambda)
        return NULL;
    if (over_nothing(in, n))
        return n->kind == N_For ? untyped(in, n->kid[3]) : NULL;
    for (int k = 0; k < n->n; k++) {
        const Node *found = untyped(in, n->kid[k]);
        if (found)
            return found;
    }
    return i->type && i->type->kind == TY_UNKNOWN ? n : NULL;
}

static bool
all_typed(Cx *cx, const Inst *in)
{
    const Node *n = untyped(in, in->def->body);
    if (!n)
        return true;
    Diag *d = diag_add(&cx->diags, DIAG_types, n->at,
                       "the type of this could not be found: it hangs on itself");
    diag_hint(&cx->diags, d,
              "pass to functions as arguments what they take from variables around them");
    return false;
}

static IrFunc *
new_func(IrModule *m, const Inst *in)
{
    IrFunc *f = ir_func(m, in->mangled ? in->mangled : in->def->name);
    f->at = in->def->at;
    f->may_raise = in->may_raise;
    f->lib = in->def->is_lib;
    f->opt = in->opt != m->cx->opt ? in->opt : NULL;
    return f;
}

IrFunc *
callee_func(Lower *l, const Inst *callee)
{
    const IrFunc *here = l->b.f;
    if (!callee->def->is_lib || !np_scheduled(&l->b))
        return l->funcs[callee->index];
    for (int i = 0; i < l->variants.n; i++) {
        Variant *v = &l->variants.at[i];
        if (v->in == callee && v->labels == here->labels)
            return v->f;
    }
    Variant v = {callee, here->labels, here->n_labels, new_func(here->mod, callee)};
    VEC_PUSH(&l->cx->arena, l->variants, v);
    return v.f;
}

static void
lower_function(Lower *l, const Inst *in, IrFunc *f)
{
    l->in = in;
    l->slot = NEW_N(&l->cx->arena, Val, in->n_vars + 1);
    l->flag = l->loop_var = l->kept = (Map){0};
    l->loop = l->innermost = NULL;
    l->overriding = 0;
    l->jumps.n = 0;
    l->objects = false;
    l->rebinds = ast_has_kind(in->def->body, N_NamedExpr);
    l->known.n = 0;
    l->tries = NULL;
    l->b = (IrBuilder){
        .cx = l->cx, .mod = f->mod, .f = f, .at = &f->body, .span = in->def->at, .owner = l};
    declare_params(l);
    declare_results(l);
    declare_flags(l);
    lower_block(l, in->def->body);
    IrStmt *last = l->b.at->last;
    if (!last || last->kind != IS_RETURN) {
        /* Falling off the end returns None; where sema knows better, the end is not reached. */
        if (f->n_results == 0)
            ir_return(&l->b, 0, NULL);
        else if (type_is_optional(in->ret))
            return_val(l, val_none(&l->b));
        else if (!last || last->kind != IS_RAISE)
            raise_(l, "SystemError", "the end of the function was reached unexpectedly");
    }
}

static void
mark_inlined(Cx *cx, const Inst *in, IrFunc *f)
{
    int asked = in->def->inline_ ? in->def->inline_ : cx->opt->inline_;
    f->inlined = !f->entry && !f->recursive && (in->inlined || asked == INLINE_ALWAYS);
    f->apart = !f->entry && !f->inlined && asked == INLINE_NEVER;
}

IrModule *
lower_unit(Cx *cx, const SemaUnit *u)
{
    IrModule *m = ir_module(cx);
    Lower l = {.cx = cx, .unit = u};
    val_row = heap_run_of;
    l.funcs = NEW_N(&cx->arena, IrFunc *, u->insts.n);
    for (int i = 0; i < u->insts.n; i++)
        l.funcs[u->insts.at[i]->index] = new_func(m, u->insts.at[i]);
    IrFunc *root = l.funcs[u->insts.at[0]->index];
    root->entry = true;
    root->kernel = cx->opt->kernel;
    for (int i = 0; i < u->insts.n; i++)
        if (!all_typed(cx, u->insts.at[i]))
            return m;
    const SwOptions *opt = cx->opt;
    for (int i = 0; i < u->insts.n; i++) {
        cx->opt = u->insts.at[i]->opt;
        lower_function(&l, u->insts.at[i], l.funcs[u->insts.at[i]->index]);
    }
    for (int i = 0; i < l.variants.n; i++) {
        Variant v = l.variants.at[i];
        l.as = &v;
        cx->opt = v.in->opt;
        v.f->opt = v.in->opt != opt ? v.in->opt : NULL;
        lower_function(&l, v.in, v.f);
    }
    cx->opt = opt;
    lower_mark_recursive(&cx->arena, m);
    for (int i = 0; i < u->insts.n; i++)
        mark_inlined(cx, u->insts.at[i], l.funcs[u->insts.at[i]->index]);
    for (int i = 0; i < l.variants.n; i++)
        mark_inlined(cx, l.variants.at[i].in, l.variants.at[i].f);
    if (m->upcalls.n)
        upcalls_make_serial(m);
    return m;
}
