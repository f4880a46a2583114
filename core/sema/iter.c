/* SPDX-License-Identifier: BSD-3-Clause
 * What `for x in v` binds, and comprehensions. A comprehension's targets live in a scope
 * of their own: their variables have names that no other variable of the function has. */
#include "ast/search.h"
#include "ast/generator.h"
#include "sema/internal.h"

static const Type *
join_elems(Sema *s, const Node *at, const Type *v)
{
    const Type *j = type_unknown(s->tt);
    for (int i = 0; i < v->n; i++) {
        const Type *t = choice_of_elements(s, j, v->elems[i], type_join(s->tt, j, v->elems[i]));
        if (!t) {
            either_want(s);
            Diag *d = sema_type_error(s, at, "the elements of %s have no common type", v->text);
            diag_note(s->diags, d, at->at, "element %d is %s, others %s", i, v->elems[i]->text,
                      j->text);
            diag_hint(s->diags, d, "index it with constants");
            s->cx->wants |= WANT_ONE_TYPE;
            return type_unknown(s->tt);
        }
        j = t;
    }
    return j;
}

const Inst *
sema_mapper(const Inst *in, const Type *f, const Type *item)
{
    for (int i = 0; i < in->helpers.n; i++) {
        const Inst *h = in->helpers.at[i];
        bool same = h->def == f->ref && h->n_params == 1 + f->n && h->params[0] == item;
        for (int k = 0; same && k < f->n; k++)
            same = h->params[1 + k] == f->elems[k];
        if (same)
            return h;
    }
    return NULL;
}

/* Is what may raise StopIteration in what it computes? Then it would be a RuntimeError. */
static bool stops_in(Sema *s, const Node *at, const Inst *in);

/* What a generator expression's function makes of an item. */
static const Type *
map_item(Sema *s, const Node *at, const Type *f, const Type *item)
{
    const FuncDef *fd = f->ref;
    const Type **types = NEW_N(s->a, const Type *, f->n + 1);
    Inst *in = NULL, *here = s->fr->in;
    types[0] = item;
    for (int i = 0; i < f->n; i++)
        types[1 + i] = f->elems[i];
    const Type *r = sema_call_inst(s, at, fd, 1 + f->n, types, NULL, &in);
    if (in && !sema_mapper(here, f, types[0]))
        VEC_PUSH(s->a, here->helpers, in);
    return in && stops_in(s, at, in) ? type_unknown(s->tt) : r;
}

static const Type *
mapped_of(Sema *s, const Node *at, const Type *v)
{
    const Type *item = sema_iter_elem(s, at, v->elems[0]);
    if (item->kind == TY_UNKNOWN)
        return item;
    for (int i = 2; i < v->n; i++)
        map_item(s, at, v->elems[i], item);
    return map_item(s, at, v->elems[1], item);
}

static const Type *
iter_of(Sema *s, const Node *at, const Type *v)
{
    const Builtin *fn = v->ref;
    if (!fn)
        return type_unknown(s->tt);
    if (type_iter_maps(v))
        return mapped_of(s, at, v);
    if (fn->id == BI_py_ranges)
        return v->n == 1 ? v->elems[0] : type_tuple(s->tt, v->n, v->elems);
    if (fn->id == BI_py_reversed || fn->id == BI_py_iter)
        return sema_iter_elem(s, at, v->elems[0]);
    int n = type_iter_count(v);
    const Type **e = NEW_N(s->a, const Type *, n + 1);
    for (int i = 0; i < n; i++)
        e[i] = sema_iter_elem(s, at, v->elems[i]);
    if (fn->id == BI_py_enumerate) {
        const Type *pair[2] = {type_scalar(s->tt, DT_i64, true), e[0]};
        return type_tuple(s->tt, 2, pair);
    }
    return type_tuple(s->tt, n, e);
}

/* Of an object of a generator: what it yields. The function that goes on to that is asked for. */
static const Type *
yielded(Sema *s, const Node *at, const Type *v)
{
    const ObjClass *c = v->ref;
    const Method *m = c->resumed ? class_method(s, c->cls, "_gi_resume") : NULL;
    int k = object_field(c, "_gi_value");
    Inst *in = NULL, *here = s->fr->in;
    if (!m || !sema_call_inst(s, at, m->def, 1, &v, NULL, &in) || k < 0)
        return type_unknown(s->tt);
    if (in && !sema_helper(here, m->def->name, v))
        VEC_PUSH(s->a, here->helpers, in);
    return type_resolve(s->tt, c->field[k].type);
}

/* What an instance's __iter__ yields, where that can be asked for its next. */
static const Type *
iter_method(Sema *s, const Node *e, const Type *of, Need *need)
{
    const ObjClass *c = of->ref;
    const Method *m = c->resumed ? NULL : class_method(s, c->cls, "__iter__");
    if (c->resumed)
        return of;
    if (!m || !m->def || !m->def->object)
        m = class_method(s, c->cls, "iter object");
    const FuncDef *made = m && m->def && !m->def->is_generator ? m->def : NULL;
    const Type *t =
        made && made->object ? sema_call_inst(s, e, made, 1, &of, NULL, &need->table) : NULL;
    return t && t->kind == TY_OBJ && type_class(t)->resumed ? t : NULL;
}

/* An object of a generator that is gone through is an iterator over it; so is what a generator that
 * is an __iter__ makes of an instance. */
Sem
iter_resumed(Sema *s, const Node *e, Sem v)
{
    const ObjClass *c = v.type ? type_class(v.type) : NULL;
    Need *n = c ? NEW(s->a, Need) : NULL;
    const Type *t = c && !info_of(s, e)->need ? iter_method(s, e, type_value(v.type), n) : NULL;
    if (!t)
        return v;
    n->from = v.type;
    n->iterates = true;
    n->exc = "TypeError";
    n->text = "'NoneType' object is not iterable";
    Info *i = info_of(s, e);
    i->need = n;
    i->type = type_iterator(s->tt, t);
    return sem_of(i->type);
}

/* How the parts of a text are found that a loop over this call goes through. */
TextParts
sema_text_parts(const Call *c)
{
    const Inst *in = c->kind == CALL_INST ? c->inst : NULL;
    if (!in || !in->def->is_lib || c->splat || c->makes)
        return PARTS_NONE;
    bool lines = !strcmp(in->def->name, "str_splitlines");
    if ((!lines && strcmp(in->def->name, "str_split") != 0) || in->params[0]->kind != TY_TEXT ||
        (c->n_args > 2 - lines && c->arg[2 - lines]))
        return PARTS_NONE;
    if (lines)
        return PARTS_LINES;
    if (c->n_args > 1 && c->arg[1] && in->params[1]->kind == TY_TEXT)
        return PARTS_BY;
    return in->params[1]->kind == TY_NONE ? PARTS_WORDS : PARTS_NONE;
}

/* What a loop over it asks for. */
static void
want_parts(Sema *s, const Node *at)
{
    const Call *c = at->kind == N_Call ? info_of(s, at)->call : NULL;
    TextParts parts = c ? sema_text_parts(c) : PARTS_NONE;
    if (parts == PARTS_NONE)
        return;
    const Type *i = type_scalar(s->tt, DT_i64, true), *text = c->inst->params[0];
    if (parts == PARTS_BY) {
        heap_help(s, at, "_part_end", 3, (const Type *[]){text, c->inst->params[1], i});
        return;
    }
    bool lines = parts == PARTS_LINES;
    heap_help(s, at, lines ? "_line_behind" : "_word_begin", 2, (const Type *[]){text, i});
    heap_help(s, at, lines ? "_line_end" : "_word_end", 2, (const Type *[]){text, i});
}

const Type *
sema_iter_elem(Sema *s, const Node *at, const Type *v)
{
    switch (v->kind) {
    case TY_OBJ:
        if (((const ObjClass *)v->ref)->resumed)
            return yielded(s, at, v);
        sema_not_iterable(s, at, v);
        return type_unknown(s->tt);
    case TY_UNKNOWN:
        site_gone_through(s, v);
        return v;
    case TY_RANGE:
        return type_scalar(s->tt, DT_i64, true);
    case TY_TUPLE:
        return join_elems(s, at, v);
    case TY_LIST:
        return v->elems[0];
    case TY_STR:
    case TY_TEXT:
        return type_is_bytes(v) ? type_scalar(s->tt, DT_i64, true) : type_text(s->tt);
    case TY_REF:
        if (type_heap_has(v, HEAP_KEYED | HEAP_RING))
            heap_keys(s, at, v);
        want_parts(s, at);
        return type_resolve(s->tt, v->elems[0]);
    case TY_ITER:
        return iter_of(s, at, v);
    case TY_RECORD:
        if (v->ndim > 0)
            return type_record_row(s->tt, v);
        sema_type_error(s, at, "iteration over one record");
        return type_unknown(s->tt);
    case TY_ARRAY:
        if (v->ndim == 1)
            return type_scalar(s->tt, (DType)v->dtype, false);
        if (v->ndim > 1)
            return type_row(s->tt, v);
        sema_type_error(s, at, "iteration over a 0-d array");
        return type_unknown(s->tt);
    default:
        sema_not_iterable(s, at, v);
        return type_unknown(s->tt);
    }
}

/* Does n do no more with the name than to take elements out of it, or unpack them? Then nobody can
 * tell a list from its elements. */
static bool
only_taken_apart(const Node *n, Sym name)
{
    bool apart = true;
    for (int k = 0; n && k < n->n && apart; k++) {
        const Node *x = n->kid[k];
        bool set = n->kind == N_Assign ? k > 0 : n->kind == N_AugAssign && k == 0;
        if (!x)
            continue;
        if (x->kind != N_Name || x->name != name) {
            bool changed = (set || n->kind == N_Delete) && x->kind == N_Subscript &&
                           x->kid[0]->kind == N_Name && x->kid[0]->name == name;
            apart = !changed && only_taken_apart(x, name);
            continue;
        }
        bool element = n->kind == N_Subscript && k == 0 && n->kid[1]->kind != N_Slice;
        bool unpacked = n->kind == N_Assign && k == 0 && n->n == 2 && n->kid[1]->kind == N_Tuple;
        bool bound = (n->kind == N_For || n->kind == N_Comprehension) && k == 0;
        apart = element || unpacked || bound;
    }
    return apart;
}

/* How deep are displays taken apart whose elements are assigned to this? */
static int
taken_apart(Sema *s, const Node *target)
{
    if (target->kind == N_Tuple || target->kind == N_List)
        return 1;
    return target->kind == N_Name && only_taken_apart(s->fr->in->def->body, target->name);
}

/* An iterable, as `for` takes it. */
Sem
sema_iterated(Sema *s, const Node *e, const Node *target)
{
    const Node *around = s->through;
    s->through = e;
    Sem v = sema_expr(s, e);
    s->through = around;
    v = v.type->kind == TY_STR && !v.cst ? text_value(s, e, v) : v;
    v = iter_resumed(s, e, v);
    v = list_as_elements(s, e, v, e->kind == N_List ? taken_apart(s, target) : 0);
    if (keyed_gone_through(s, e, v) || (!sem_bad(v) && special_iter(s, e, v.type)))
        return sema_unknown(s);
    return sema_need(s, e, v, "TypeError", "'NoneType' object is not iterable");
}

bool
sema_iter_empty(const Type *t)
{
    if (t->kind == TY_TUPLE)
        return t->n == 0;
    const Builtin *fn = t->kind == TY_ITER ? t->ref : NULL;
    if (!fn || fn->id == BI_py_ranges)
        return false;
    for (int i = 0; i < type_iter_count(t); i++)
        if (sema_iter_empty(t->elems[i]))
            return true;
    return false;
}

/* ---- generator expressions
 * ----------------------------------------------------------------------------- They are lowered
 * where they are consumed, so what is in them is evaluated there, as in Python; what StopIteration
 * would mean in one depends on who asks, and it is refused. */

static bool
instance_stops(Sema *s, const Inst *in, const Node *n, Map *seen)
{
    if (!n)
        return false;
    const Info *i = &in->info[n->id];
    const Call *c = i->call;
    bool next = c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_next && !c->arg[1];
    if (next || (n->kind == N_Raise && n->n && !i->dead))
        return next || strstr(ast_text(s->a, n), "StopIteration");
    if (c && c->kind == CALL_INST && c->inst && c->inst->info && !map_get(seen, c->inst)) {
        map_put(s->a, seen, c->inst, c->inst);
        if (instance_stops(s, c->inst, c->inst->def->body, seen))
            return true;
    }
    for (int k = 0; k < n->n; k++)
        if (instance_stops(s, in, n->kid[k], seen))
            return true;
    return false;
}

static bool
refuse_stops(Sema *s, const Node *e)
{
    Diag *d = sema_error(s, DIAG_unsupported, e,
                         "what may raise StopIteration inside a generator expression, map or "
                         "filter is not supported");
    diag_hint(s->diags, d, "give next() a default, or write a for statement");
    return true;
}

static bool
stops(Sema *s, const Node *e)
{
    Map seen = {0};
    bool found = instance_stops(s, s->fr->in, e->kid[0], &seen);
    for (int g = 1; g < e->n && !found; g++)
        for (int i = g == 1 ? 2 : 1; i < e->kid[g]->n && !found; i++)
            found = instance_stops(s, s->fr->in, e->kid[g]->kid[i], &seen);
    return found && refuse_stops(s, e);
}

static bool
stops_in(Sema *s, const Node *at, const Inst *in)
{
    Map seen = {0};
    return in->info && instance_stops(s, in, in->def->body, &seen) && refuse_stops(s, at);
}

/* It becomes an object, as a generator does (ast/resume_later.c). */
void
sema_want_object(Sema *s, const Node *e)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    if (!e || e->kind != N_ListComp || e->op != 1 || ast_has_kind(e, N_NamedExpr) ||
        s->fr->in->def->is_lib || ast_maps_by_other(s->fr->in->def, e))
        return;
    for (int i = 0; i < p->later.n; i++)
        if (p->later.at[i].comp == e)
            return;
    if (p->later.n && !p->later.at[p->later.n - 1].known)
        return;
    VEC_PUSH(s->a, p->later, ((Later){.fn = s->fr->in->def, .comp = e}));
    p->asked = true;
}

/* A generator expression that is not consumed where it stands becomes an iterator, and all is typed
 * again. */
void
sema_want_later(Sema *s, const Node *e)
{
    const Call *c = e && e->kind == N_Call ? info_of(s, e)->call : NULL;
    bool goes_on = c && c->kind == CALL_BUILTIN && sema_known(s, e).type->kind == TY_ITER;
    for (int i = 0; goes_on && i < c->n_args; i++)
        sema_want_later(s, c->arg[i]);
    bool plain = e && e->kind == N_ListComp && e->op == 1 && !s->unroll.loop &&
                 !ast_has_kind(e, N_NamedExpr) && !s->fr->in->def->is_lib &&
                 !ast_maps_by_other(s->fr->in->def, e);
    if (plain && e->n > 2) {
        sema_want_object(s, e);
        return;
    }
    const Type *over = plain ? sema_known(s, e->kid[1]->kid[1]).type : NULL;
    if (!over)
        return;
    bool listed = type_heap_has(over, HEAP_KEYED | HEAP_RING);
    s->unroll = (Unroll){.fn = s->fr->in->def, .loop = e, .of = UNROLL_LATER, .listed = listed};
}

/* May a variable, or a field? */
bool
sema_may_hold(Sema *s, const Node *at, Sem v)
{
    Diag *d = NULL;
    switch (v.type->kind) {
    case TY_LIST:
        if (at->kind == N_ListComp && at->op == 1) {
            d = sema_error(s, DIAG_unsupported, at,
                           "a generator expression, map or filter in a variable is not supported");
            sema_want_later(s, at);
            diag_hint(s->diags, d,
                      "write it where it is consumed, or make a list of it: [... for ...]");
            return false;
        }
        d = sema_error(s, DIAG_unsupported, at, "this list in a variable is not supported");
        diag_hint(s->diags, d, "make its elements of one type, or an array with np.array(...)");
        return false;
    case TY_ITER:
        if (type_iter_holds(v.type))
            return true;
        sema_want_later(s, at);
        d = sema_error(s, DIAG_unsupported, at, "%s in a variable is not supported", v.type->text);
        diag_hint(s->diags, d, "write it in the for statement");
        return false;
    case TY_STR:
        if (v.cst || v.type->ref)
            return true;
        d = sema_error(s, DIAG_unsupported, at, "a string made at run time is not supported");
        diag_hint(s->diags, d, "f-strings may be the message of an exception, or printed");
        return false;
    default:
        return true;
    }
}

/* Is it one, or an iterator over one, that a function of the library is to be given? */
bool
sema_is_later(Sema *s, const Node *e, Sem v)
{
    bool over = v.type->kind == TY_ITER && !type_iter_holds(v.type);
    if (!over && (e->kind != N_ListComp || e->op != 1 || v.type->kind != TY_LIST))
        return false;
    sema_want_later(s, e);
    Diag *d = sema_error(s, DIAG_unsupported, e, "a generator expression here is not supported");
    diag_hint(s->diags, d, "make a list of it: [... for ...]");
    return true;
}

/* An iterator that is unpacked, by a node of its own. */
void
sema_want_list(Sema *s, const Node *e)
{
    const ObjClass *c = type_class(sema_known(s, e).type);
    const Method *m = c ? class_method(s, c->cls, "__iter__") : NULL;
    bool own = m && m->def && !m->def->is_generator;
    if (!s->unroll.loop && !s->fr->in->def->is_lib)
        s->unroll = (Unroll){.fn = s->fr->in->def, .loop = e, .n = own, .of = UNROLL_LIST};
}

bool
sema_want_slice(Sema *s, const Node *index, const Type *of, Sem idx)
{
    if (idx.type->kind != TY_SLICE || index->kind == N_Slice || of->kind == TY_ARRAY ||
        of->kind == TY_RECORD || of->kind == TY_OBJ)
        return false;
    if (!s->unroll.loop && !s->fr->in->def->is_lib)
        s->unroll = (Unroll){.fn = s->fr->in->def, .loop = index, .of = UNROLL_SLICE};
    return true;
}

static bool
has_starred(const Node *t)
{
    bool has = false;
    for (int i = 0; i < t->n; i++)
        has |= t->kid[i]->kind == N_Starred;
    return has;
}

Sem
iter_unpacked(Sema *s, const Node *t, Sem v, const Node *value)
{
    const ObjClass *c = type_class(v.type);
    const Method *m = c && !c->resumed ? special_of(s, v.type, "__iter__") : NULL;
    bool asked = (v.type->kind == TY_ITER && type_iter_holds(v.type)) || (c && c->resumed) ||
                 (m && m->def && m->def->object);
    bool parts = either_has_parts(s, v.type, t->n);
    if (!value || !(asked || parts) || has_starred(t))
        return v;
    Sem few = parts ? sema_need_made(s, value, v, "_either_parts", const_int(s, t->n))
                    : sema_need_made(s, value, v, "_at_most", const_int(s, t->n + 1));
    return few.type ? few : sema_unknown(s);
}

/* Is the name asked for nothing but elements, by which a range and a list of it are one? */
static bool
only_elements(Sema *s, const Node *n, Sym name)
{
    const Builtin *b = n && n->kind == N_Call ? ast_gen_builtin(s->fr->in->def, n) : NULL;
    bool fine = b && ((b->family == BF_PY && b->flags & ELEMENTS) || b->id == BI_py_len ||
                      b->id == BI_py_enumerate || b->id == BI_py_zip);
    for (int i = 0; n && n->fn && i < n->fn->n_free; i++)
        if (n->fn->free[i] == name)
            return false;
    for (int i = 0; n && i < n->n; i++) {
        const Node *k = n->kid[i];
        bool is = k && k->kind == N_Name && k->name == name && k->op == CTX_LOAD;
        bool iterates = (n->kind == N_For || n->kind == N_Comprehension) && i == 1;
        bool element = n->kind == N_Subscript && n->op == CTX_LOAD && i == 0 &&
                       n->kid[1]->kind != N_Slice && n->kid[1]->kind != N_Tuple;
        bool alone = n->kind == N_Call && n->n == 2 && i == 1; /* not zip(x, x), max(x, y) */
        if (is ? !(iterates || element || (fine && alone)) : !only_elements(s, k, name))
            return false;
    }
    return true;
}

/* x = range(n), x, y = range(n), 0 */
static const Node *
range_put(Sema *s, const Node *to, const Node *v, Sym name)
{
    const Node *found = NULL;
    if (to->kind == N_Name && to->name == name && sema_known(s, v).type->kind == TY_RANGE)
        return v;
    bool each = to->kind == N_Tuple && v->kind == N_Tuple && to->n == v->n;
    for (int i = 0; each && !found && i < to->n; i++)
        found = range_put(s, to->kid[i], v->kid[i], name);
    return found;
}

static const Node *
range_assigned(Sema *s, const Node *n, Sym name)
{
    const Node *found =
        n && n->kind == N_Assign && n->n == 2 ? range_put(s, n->kid[1], n->kid[0], name) : NULL;
    for (int i = 0; n && !found && i < n->n; i++)
        found = range_assigned(s, n->kid[i], name);
    return found;
}

void
iter_range_as_list(Sema *s, Sym name, const Type *a, const Type *b)
{
    const FuncDef *fn = s->fr->in->def;
    const Type *other = a->kind == TY_RANGE ? b : a;
    bool meets = (a->kind == TY_RANGE) != (b->kind == TY_RANGE) && type_is_heap(other, &heap_list);
    if (!meets || s->unroll.loop || fn->is_lib || !only_elements(s, fn->body, name))
        return;
    const Node *value = range_assigned(s, fn->body, name);
    if (value)
        s->unroll = (Unroll){.fn = fn, .loop = value, .of = UNROLL_LIST};
}

/* A list, or an iterator, that is no value of its own, or a tuple with one. */
bool
iter_yields_passing(const Type *t)
{
    bool has = t->kind == TY_LIST || (t->kind == TY_ITER && !type_iter_holds(t));
    for (int i = 0; t->kind == TY_TUPLE && !has && i < t->n; i++)
        has = iter_yields_passing(t->elems[i]);
    return has;
}

typedef struct Late {
    Sema *s;
    const Node *at, *gen;
    Sym name;
} Late;

static void
assigned_late(Sema *s, const Node *at, Sym name, void *arg)
{
    Late *l = arg;
    (void)at;
    if (env_resolve(s, name) == l->name)
        l->at = l->gen;
}

/* Does the loop assign a name that is read in n, or one that a function which is called there
 * takes? */
static bool
reads_assigned(Sema *s, const Node *loop, const Node *n)
{
    if (!n)
        return false;
    Late l = {.s = s, .gen = n, .name = n->kind == N_Name ? n->name : NULL};
    const Type *t = n->kind == N_Name ? info_of(s, n)->type : NULL;
    for (int k = 0; l.name && k < loop->n; k++)
        if (k != 1)
            env_walk_assigned(s, loop->kid[k], assigned_late, &l);
    const FuncDef *fd = n->fn ? n->fn : t && t->kind == TY_FUNC ? t->ref : NULL;
    for (int i = 0; fd && i < fd->n_free && !l.at; i++) {
        l.name = fd->free[i];
        for (int k = 0; k < loop->n; k++)
            if (k != 1)
                env_walk_assigned(s, loop->kid[k], assigned_late, &l);
    }
    bool found = l.at != NULL;
    for (int i = 0; i < n->n && !found; i++)
        found = reads_assigned(s, loop, n->kid[i]);
    return found;
}

/* A generator expression that the loop goes through is typed before the loop and evaluated in
 * it. */
void
sema_check_late(Sema *s, const Node *loop, const Node *e)
{
    const Call *c = e && e->kind == N_Call ? info_of(s, e)->call : NULL;
    if (c && c->kind == CALL_BUILTIN && sema_known(s, e).type->kind == TY_ITER)
        for (int i = 0; i < c->n_args; i++)
            sema_check_late(s, loop, c->arg[i]);
    if (!e || e->kind != N_ListComp || e->op != 1)
        return;
    sema_check_late(s, loop, e->kid[1]->kid[1]);
    bool late = reads_assigned(s, loop, e->kid[0]);
    for (int g = 1; g < e->n; g++)
        for (int i = g == 1 ? 2 : 1; i < e->kid[g]->n; i++)
            late |= reads_assigned(s, loop, e->kid[g]->kid[i]);
    if (!late)
        return;
    Diag *d =
        sema_error(s, DIAG_unsupported, e,
                   "a generator expression that reads what its loop assigns is not supported");
    diag_hint(s->diags, d, "make a list of it first: [... for ...]");
}

/* ---- comprehensions -------------------------------------------------------------------------- */

static void
push_scope(Sema *s, const Node *at, Sym name, void *arg)
{
    (void)arg;
    Scope *c = NEW(s->a, Scope);
    *c = (Scope){.name = name, .up = s->fr->scope};
    c->as = intern(&s->cx->syms, arena_printf(s->a, "%s.%d", name, at->id));
    s->fr->scope = c;
}

/* Of as many parts as the target has. */
static const Type *
never_made(Sema *s, const Node *target)
{
    const Type **e = NEW_N(s->a, const Type *, target->n + 1);
    if (target->kind != N_Tuple && target->kind != N_List)
        return type_scalar(s->tt, DT_i64, true);
    for (int i = 0; i < target->n; i++)
        e[i] = never_made(s, target->kid[i]);
    return type_tuple(s->tt, target->n, e);
}

static bool
generators(Sema *s, const Node *e)
{
    for (int g = 1; g < e->n; g++) {
        const Node *c = e->kid[g];
        *info_of(s, c) = (Info){0};
        Sem it = sema_iterated(s, c->kid[1], c->kid[0]);
        const Type *elem = sema_iter_elem(s, c->kid[1], it.type);
        if (sema_iter_empty(it.type)) /* any type does: its elements are never made */
            elem = never_made(s, c->kid[0]);
        env_walk_assigned(s, c->kid[0], push_scope, NULL);
        sema_assign(s, c->kid[0], sem_of(elem), NULL);
        for (int i = 2; i < c->n; i++) {
            sema_test(s, c->kid[i]);
            sema_narrow(s, c->kid[i], true);
        }
    }
    return true;
}

static void
comprehended(Sema *s, const Node *e)
{
    Scope *save = s->fr->scope;
    Env before = s->fr->optional ? env_copy(s, &s->fr->env) : (Env){0};
    generators(s, e);
    sema_expr(s, e->kid[0]);
    s->fr->scope = save;
    env_unnarrow(s, &before);
}

/* There may be no iteration, so that what `:=` binds is as it was. */
static void
maybe_bound(Sema *s, const Node *at, Sym name, void *arg)
{
    const Env *entry = arg;
    int k = env_index(s, env_resolve(s, name));
    Slot *slot = env_slot(s, env_resolve(s, name));
    const Slot *was = k < entry->n ? &entry->slot[k] : NULL;
    (void)at;
    slot->maybe |= !was || !was->var || was->maybe;
    slot->cst = NULL;
    slot->as = NULL;
}

/* A function that is kept, and sees what the next round gives the variable. */
static void
refuse_kept(Sema *s, const Node *at, Sym name, void *arg)
{
    Sem *v = arg;
    const char *shown = arena_printf(s->a, "%.*s", (int)strcspn(name, "."), name);
    if (sem_bad(*v) || !env_captures(s, v->type, name))
        return;
    Diag *d = sema_error(s, DIAG_unsupported, at,
                         "a function that takes '%s' is kept, and the next round changes '%s'",
                         shown, shown);
    diag_hint(s->diags, d, "give it the value as a default: lambda x, %s=%s: ...", shown, shown);
    *v = sema_unknown(s);
}

/* Names that `:=` binds in it keep one type, from one iteration to the next. */
Sem
expr_comprehension(Sema *s, const Node *e)
{
    TryCtx c = {.loops = true};
    env_walk_assigned(s, e, sema_pin_name, &c);
    if (!c.pin.n) {
        comprehended(s, e);
    } else {
        Env entry = env_copy(s, &s->fr->env);
        sema_guarded(s, e, EDGE_ENTRY, &c, &entry, comprehended);
        env_walk_assigned(s, e, maybe_bound, &entry);
    }
    Sem v = sema_known(s, e->kid[0]);
    for (int g = 1; g < e->n; g++)
        env_walk_assigned(s, e->kid[g]->kid[0], refuse_kept, &v);
    env_walk_assigned(s, e->kid[0], refuse_kept, &v);
    if (sem_bad(v) || (e->op == 1 && stops(s, e)))
        return sema_unknown(s);
    if (e->op >= 2)
        return heap_keyed_of(s, e, v.type);
    return sem_of(type_other(s->tt, TY_LIST, NULL, 1, &v.type, NULL));
}
