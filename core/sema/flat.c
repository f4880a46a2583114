/* SPDX-License-Identifier: BSD-3-Clause
 * x.flat. Where its elements aren't known to lie in one row, its value is a vector that is only
 * read (lib/indexed.py); what goes through it, reads an element of it or stores to it where it
 * stands does so in the array itself. Stores repeat what is stored. A name of it, bound once, is
 * one of the array, and where it is used .flat stands; other names would hold what was there. */
#include "sema/internal.h"

FlatKind
sema_flat(const Inst *in, const Node *n)
{
    const Call *c = n->kind == N_Attribute && in->info ? in->info[n->id].call : NULL;
    if (!c || c->kind != CALL_INST || !c->inst || !c->inst->def->is_lib)
        return FLAT_NONE;
    return !strcmp(c->inst->def->name, "_flat_copy")   ? FLAT_ANY
           : !strcmp(c->inst->def->name, "_flat_view") ? FLAT_ROW
                                                       : FLAT_NONE;
}

/* x.flat[k]; of more elements, x.flat[i:j], NumPy, too, makes a copy, which is of these alone. */
bool
flat_item(Sema *s, const Node *e, Sem idx, Sem *out)
{
    bool one = idx.type->kind == TY_SCALAR && dtype_is_int((DType)idx.type->dtype),
         part = idx.type->kind == TY_SLICE;
    FlatKind kind = sema_flat(s->fr->in, e->kid[0]);
    if (kind == FLAT_NONE || !(part || (one && kind == FLAT_ANY)))
        return false;
    *out = heap_call(s, e, one ? "_flat_item" : "_flat_part", 2,
                     (const Node *const[]){e->kid[0]->kid[0], e->kid[1]});
    return true;
}

static bool
is_places(const Type *t)
{
    return t->kind == TY_SLICE || (t->kind == TY_ARRAY && t->ndim == 1 &&
                                   (t->dtype == DT_bool || dtype_is_int((DType)t->dtype)));
}

/* x.flat[k] = v, x.flat[i:j] = v, x.flat = v. */
bool
flat_store(Sema *s, const Node *t, Sem idx, Sem v)
{
    FlatKind kind = t->kind == N_Subscript ? sema_flat(s->fr->in, t->kid[0]) : FLAT_NONE;
    if (kind == FLAT_NONE || (kind == FLAT_ROW && v.type->kind != TY_ARRAY))
        return false;
    Sem a = sema_expr(s, t->kid[0]->kid[0]);
    bool one = idx.type->kind == TY_SCALAR && dtype_is_int((DType)idx.type->dtype);
    bool fits = v.type->kind == TY_SCALAR || (!one && v.type->kind == TY_ARRAY);
    if (sem_bad(a) || sem_bad(v) || a.type->readonly || !fits || (!one && !is_places(idx.type)))
        return false;
    const char *name = one ? "_flat_set" : kind == FLAT_ROW ? "_flat_row_put" : "_flat_put";
    const FuncDef *fd = heap_lib_named(s, name);
    *info_of(s, t) = (Info){.type = type_unknown(s->tt)};
    if (!fd || !check_store(s, t, type_scalar(s->tt, (DType)a.type->dtype, false),
                            sem_of(v.type->kind == TY_ARRAY
                                       ? type_scalar(s->tt, (DType)v.type->dtype, false)
                                       : v.type),
                            false))
        return true;
    value_call(s, t, fd, 3, (Sem[]){a, idx, v});
    info_of(s, t)->type = v.type;
    return true;
}

/* x.flat[k] += v is x.flat[k] = x.flat[k] + v in NumPy, too. */
bool
flat_aug(Sema *s, const Node *n)
{
    const Node *t = n->kid[0];
    if (t->kind != N_Subscript || sema_flat(s->fr->in, t->kid[0]) == FLAT_NONE || s->unroll.loop)
        return false;
    sema_error(s, DIAG_unsupported, n, "%s= of x.flat", binop_text[n->op]);
    s->unroll = (Unroll){.fn = s->fr->in->def, .loop = n, .of = UNROLL_FLAT_ITEM};
    return true;
}

/* ---- names of it --------------------------------------------------------------------------- */

static bool
holds_node(const Node *n, const Node *x)
{
    bool has = n == x;
    for (int i = 0; n && !has && i < n->n; i++)
        has = holds_node(n->kid[i], x);
    return has;
}

static bool
is_use(const Node *n, Sym name)
{
    return n && n->kind == N_Name && n->op == CTX_LOAD && n->name == name;
}

static int
larger(int a, int b)
{
    return a > b ? a : b;
}

/* How often is the iterator of that name gone through? 2: more than once, as behind a loop around
 * it which doesn't bind it anew by `set`. What asks for elements, its length or an array isn't
 * counted. */
static int
rounds(const Node *n, Sym name, const Node *set)
{
    if (!n)
        return 0;
    if (n->kind == N_If)
        return rounds(n->kid[0], name, set) +
               larger(rounds(n->kid[1], name, set), n->n > 2 ? rounds(n->kid[2], name, set) : 0);
    int sum = is_use(n, name), body = n->kind == N_For ? 2 : 0;
    bool part = n->kind == N_Subscript || n->kind == N_Attribute;
    bool array =
        n->kind == N_Call && (n->kid[0]->kind != N_Name || !strcmp(n->kid[0]->name, "len"));
    bool loop = (n->kind == N_For || n->kind == N_While) && !holds_node(n, set);
    for (int i = 0; i < n->n; i++)
        if (!is_use(n->kid[i], name) || !((part && i == 0) || (array && i > 0)))
            sum += rounds(n->kid[i], name, set) * (loop && i >= body ? 2 : 1);
    return sum;
}

/* A part of a value that is kept: it would be what was there. */
static const Node *
kept(const Inst *in, const Node *e)
{
    const Node *found = e && sema_flat(in, e) == FLAT_ANY ? e : NULL;
    bool parts = e && (e->kind == N_Tuple || e->kind == N_List || e->kind == N_IfExp ||
                       e->kind == N_NamedExpr);
    for (int i = 0; parts && !found && i < e->n; i++)
        found = kept(in, e->kid[i]);
    return found;
}

static bool
is_param(const FuncDef *fn, const Node *n)
{
    bool is = false;
    for (int i = 0; n->kind == N_Name && i < fn->n_params && !is; i++)
        is = fn->params[i].name == n->name;
    return is;
}

void
flat_named(Sema *s, const Node *stmt)
{
    const FuncDef *fn = s->fr->in->def;
    const Node *e = stmt->kid[0], *to = stmt->kid[1];
    FlatKind kind = sema_flat(s->fr->in, e);
    const Node *part = kept(s->fr->in, e);
    if (s->unroll.loop || fn->is_lib || (!kind && !part))
        return;
    if (kind && to->kind == N_Name && rounds(fn->body, to->name, stmt) > 1) {
        Diag *d = sema_error(s, DIAG_unsupported, e,
                             "an iterator x.flat that is gone through more than once is not "
                             "supported");
        diag_hint(s->diags, d, "in NumPy it goes on where it was left; write x.flat in each place");
        return;
    }
    if (!part)
        return;
    if (stmt->n == 2 && kind && to->kind == N_Name && !is_param(fn, to) &&
        sema_bindings(fn->body, to->name, false, true) == 1) {
        s->unroll = (Unroll){.fn = fn, .loop = stmt, .over = to, .of = UNROLL_FLAT_NAME};
        return;
    }
    Diag *d = sema_error(s, DIAG_unsupported, part,
                         "x.flat of elements that may not lie in one row can be given only one "
                         "name, bound once");
    diag_hint(s->diags, d, "write x.flat where it is used, or x.ravel() for a copy");
}

static bool
stores(const FuncDef *fn, const Node *n)
{
    bool does = n && (n->kind == N_Subscript || n->kind == N_Attribute) && n->op == CTX_STORE;
    does |= n && n->kind == N_AugAssign && is_param(fn, n->kid[0]); /* it may be an array */
    for (int i = 0; n && !does && i < n->n; i++)
        does = stores(fn, n->kid[i]);
    return does;
}

/* A function of the user's that stores while it has what was there. */
bool
flat_given(Sema *s, const Node *call, const FuncDef *fd)
{
    const Node *part = NULL;
    for (int i = 1; !part && call && call->kind == N_Call && i < call->n; i++)
        part =
            kept(s->fr->in, call->kid[i]->kind == N_Keyword ? call->kid[i]->kid[0] : call->kid[i]);
    if (!part || fd->is_lib || !stores(fd, fd->body))
        return false;
    Diag *d = sema_error(s, DIAG_unsupported, part,
                         "x.flat of elements that may not lie in one row can't be given to a "
                         "function that stores");
    diag_hint(s->diags, d, "give it x, or x.ravel() for a copy");
    return true;
}
