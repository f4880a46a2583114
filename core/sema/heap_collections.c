/* SPDX-License-Identifier: BSD-3-Clause
 * What the classes of collections are made of: deque, Counter, defaultdict. */
#include "sema/calls.h"

const Type *
heap_filled_by(Sema *s, const Node *e, const HeapClass *cls, const Type **kv, const Type *from)
{
    const Type *d = type_resolve(s->tt, from), *t;
    bool maps = type_heap_has(d, HEAP_MAPS); /* else a list of lists, which are pairs */
    const Type *pair = maps ? d : type_resolve(s->tt, d->elems[0]);
    if (!heap_add_pair(s, e, kv, pair->elems[0], pair->elems[maps]))
        return NULL;
    t = type_heap(s->tt, cls, kv);
    const Type *types[2] = {t, d};
    const Const *csts[2] = {NULL, NULL};
    const FuncDef *fd = heap_lib_named(s, heap_update_by(s, cls));
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd)
        return NULL;
    if (!type_is_open(t) && !type_is_open(d))
        sema_call_inst(s, e, fd, 2, types, csts, &c->inst);
    info_of(s, e)->before = c;
    return t;
}

static bool
nothing(Sem v)
{
    return !v.type || (v.type->kind == TY_TUPLE && !v.type->n);
}

const Type *
heap_set_from(Sema *s, const Node *at, const HeapClass *cls, const Node *from, Sem v)
{
    const Type *kv[2] = {NULL, NULL};
    const Type *t = nothing(v) ? NULL : heap_yielded(s, at, from, v);
    const Type *open = !t && v.type && v.type->kind == TY_REF && v.type->n
                           ? type_resolve(s->tt, v.type->elems[0])
                           : NULL;
    if (open && open->kind == TY_UNKNOWN && open->ref)
        t = open;
    if (!nothing(v) && !t)
        return NULL;
    if (t && !heap_add_pair(s, at, kv, t, type_tuple(s->tt, 0, NULL)))
        return NULL;
    heap_known_pair(s, at, cls, kv);
    Sem d = heap_filled(s, at, cls, kv, "_dict_setitem");
    return sem_bad(d) ? NULL : d.type;
}

const Type *
type_py_deque(CallCx *x)
{
    Sema *s = x->s;
    Sem v = sema_arg(s, x->c, 0), limit = sema_arg(s, x->c, 1);
    if (v.type && !sema_is_iterable(v.type)) {
        sema_not_iterable(s, x->at, v.type);
        return NULL;
    }
    const Type *list = heap_list_from(s, x->at, x->c->arg[0], v);
    if (!list)
        return NULL;
    const Type *t = type_heap(s->tt, &heap_deque, list->elems), *types[2] = {t, limit.type};
    const Const *csts[2] = {NULL, limit.cst};
    const FuncDef *fd = heap_lib_named(s, "_deque_limit");
    if (!limit.type || limit.type->kind == TY_NONE || type_is_open(t))
        return t;
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    if (!fd || !sema_call_inst(s, x->at, fd, 2, types, csts, &c->inst))
        return NULL;
    info_of(s, x->at)->before = c;
    return t;
}

const Type *
type_py_counter(CallCx *x)
{
    Sema *s = x->s;
    Sem v = sema_arg(s, x->c, 0);
    const Type *kv[2] = {NULL, type_scalar(s->tt, DT_i64, true)},
               *unit = type_tuple(s->tt, 0, NULL);
    if (v.type && type_heap_has(v.type, HEAP_MAPS))
        return heap_filled_by(s, x->at, &heap_Counter, kv, v.type);
    if (v.type && !sema_is_iterable(v.type)) {
        sema_not_iterable(s, x->at, v.type);
        return NULL;
    }
    const Type *t = nothing(v) ? NULL : heap_yielded(s, x->at, x->c->arg[0], v), *set[2] = {0};
    if (!nothing(v) && (!t || !heap_add_pair(s, x->at, set, t, unit)))
        return NULL;
    kv[0] = set[0];
    heap_known_pair(s, x->at, &heap_Counter, kv);
    Sem d = heap_filled(s, x->at, &heap_Counter, kv, "_Counter_count");
    return sem_bad(d) ? NULL : d.type;
}

/* Of nothing; else text_row has made it. */
const Type *
type_py_bytearray(CallCx *x)
{
    return type_of_packed(x->s->tt, &heap_bytearray);
}

/* array(typecode), of nothing; else text_row has made it. */
const Type *
type_py_array(CallCx *x)
{
    const Sem code = sema_arg(x->s, x->c, 0);
    const char *text = code.cst && code.cst->kind == CV_STR ? code.cst->str : NULL;
    const HeapClass *c = text ? heap_array_class(text) : NULL;
    if (c)
        return type_of_packed(x->s->tt, c);
    Diag *d;
    if (text && (strchr("uwLQ", *text) && text[0] && !text[1])) {
        d = sema_error(x->s, DIAG_unsupported, x->at, "array.array of typecode '%s'", text);
        diag_hint(x->s->diags, d, "there are b, B, h, H, i, I, l, q, f and d");
    } else if (text)
        sema_error(x->s, DIAG_argument, x->at,
                   "bad typecode (must be b, B, u, h, H, i, I, l, L, q, Q, f or d)");
    else {
        d = sema_error(x->s, DIAG_unsupported, x->at,
                       "array.array of a typecode that is not known when it is compiled");
        diag_hint(x->s->diags, d, "write it out: array('d')");
    }
    return NULL;
}

/* ---- defaultdict ----------------------------------------------------------------------------- */

static const Type *
open_of(Sema *s, const Node *at, const HeapClass *c, int n, bool counts)
{
    const Type *e[2];
    for (int i = 0; i < n; i++)
        e[i] = counts && i == 1 ? type_scalar(s->tt, DT_i64, true) : heap_empty_site(s, at, 1 + i);
    return type_heap(s->tt, c, e);
}

/* What a class makes without arguments; NULL: another one. */
static const Type *
made_by_class(Sema *s, const Node *at, const Const *c)
{
    if (c && c->kind == CV_DTYPE && c->b && c->weak)
        return type_scalar(s->tt, (DType)c->dtype, true);
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    switch (b ? b->id : BI_COUNT) {
    case BI_py_list:
        return open_of(s, at, &heap_list, 1, false);
    case BI_py_set:
        return open_of(s, at, &heap_set, 1, false);
    case BI_py_dict:
        return open_of(s, at, &heap_dict, 2, false);
    case BI_py_deque:
        return open_of(s, at, &heap_deque, 1, false);
    case BI_py_Counter:
        return open_of(s, at, &heap_Counter, 2, true);
    case BI_py_OrderedDict:
        return open_of(s, at, &heap_OrderedDict, 2, false);
    default:
        return NULL;
    }
}

static const Type *
made_by(Sema *s, const Node *at, const Type *factory, Inst **in)
{
    const FuncDef *fd = factory->ref;
    const Type *none[1] = {NULL};
    const Const *csts[1] = {NULL};
    if (fd->n_free || factory->n) {
        Diag *d = sema_error(s, DIAG_unsupported, at,
                             "a default_factory that uses variables of the function around it");
        diag_hint(s->diags, d, "write the value out, or test `if k not in d` before");
        return NULL;
    }
    return sema_call_inst(s, at, fd, 0, none, csts, in);
}

const Type *
heap_default(Sema *s, const Node *at, const Type *object)
{
    if (object->ref != &heap_defaultdict_of)
        return type_resolve(s->tt, object->elems[1]);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST};
    const Type *t = made_by(s, at, object->elems[2], &c->inst);
    info_of(s, at)->before = c;
    return t ? type_resolve(s->tt, t) : NULL;
}

const Type *
type_py_defaultdict(CallCx *x)
{
    Sema *s = x->s;
    Sem f = sema_arg(s, x->c, 0), v = sema_arg(s, x->c, 1);
    const Type *kv[3] = {NULL, NULL, NULL};
    const HeapClass *c = &heap_defaultdict;
    if (v.type && !sema_is_iterable(v.type)) {
        sema_not_iterable(s, x->at, v.type);
        return NULL;
    }
    kv[1] = made_by_class(s, x->at, f.cst);
    if (!kv[1] && f.type && f.type->kind == TY_FUNC && f.type->ref) {
        Inst *in = NULL;
        const Type *t = made_by(s, x->at, f.type, &in);
        kv[1] = t ? type_element(s->tt, type_resolve(s->tt, t)) : NULL;
        kv[2] = f.type;
        c = &heap_defaultdict_of;
        if (!t)
            return NULL;
    }
    if (!kv[1]) {
        Diag *d = sema_error(s, DIAG_unsupported, x->at,
                             "a defaultdict by %s is not supported in compiled code",
                             f.type ? f.type->text : "None");
        diag_hint(s->diags, d,
                  "give it int, float, bool, complex, list, set, dict, or a function "
                  "that takes nothing");
        return NULL;
    }
    return heap_dict_from(s, x->at, c, kv, x->c->arg[1], v);
}
