/* SPDX-License-Identifier: BSD-3-Clause
 * x.flat. Where its elements aren't known to lie in one row, its value is a vector that is only
 * read (lib/indexed.py), wherever it is named; what goes through it, reads an element of it or
 * stores to it where it stands does so in the array itself. Stores repeat what is stored. */
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

/* x.flat[k]; of more elements NumPy, too, makes a copy. */
bool
flat_item(Sema *s, const Node *e, Sem idx, Sem *out)
{
    bool one = idx.type->kind == TY_SCALAR && dtype_is_int((DType)idx.type->dtype);
    if (!one || sema_flat(s->fr->in, e->kid[0]) != FLAT_ANY)
        return false;
    *out = heap_call(s, e, "_flat_item", 2, (const Node *const[]){e->kid[0]->kid[0], e->kid[1]});
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
