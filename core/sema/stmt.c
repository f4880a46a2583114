/* SPDX-License-Identifier: BSD-3-Clause
 * Statements: what each does to the environment. A test whose value is known at compile
 * time (a None check, isinstance, ndim) leaves one branch dead, and what is dead is not
 * typed. */
#include "sema/internal.h"

/* ---- blocks, and what is never reached ------------------------------------------------------- */

/* Nothing said before of a node that is dead now may remain: sema.c looks for calls
 * there. */
void
sema_dead(Sema *s, const Node *n)
{
    if (!n)
        return;
    Info *i = info_of(s, n);
    *i = (Info){.dead = true};
    for (int k = 0; k < n->n; k++)
        sema_dead(s, n->kid[k]);
}

/* The labels at i and the statement that they name; returns where that is. */
static int
labelled(Sema *s, const Node *block, int i)
{
    int n = sema_label_run(s, block, i), mark = diag_mark(s);
    for (int k = i; k < i + n; k++) {
        s->label_at = block->kid[k]->kid[0];
        sema_stmt(s, block->kid[k]);
    }
    if (i + n < block->n)
        sema_stmt(s, block->kid[i + n]);
    if (diag_mark(s) == mark)
        sema_check_labels(s, block, i, n);
    return i + n;
}

void
sema_block(Sema *s, const Node *block)
{
    s->fr->nested++;
    for (int i = 0; block && i < block->n; i++) {
        if (s->fr->env.dead)
            sema_dead(s, block->kid[i]);
        else if (block->kid[i]->kind == N_Expr && sema_label_run(s, block, i))
            i = labelled(s, block, i);
        else
            sema_stmt(s, block->kid[i]);
    }
    s->fr->nested--;
}

/* ---- tests ----------------------------------------------------------------------------------- */

/* Can it be left out when its value does not matter? Not when it may raise. */
static bool
is_silent(const Node *e)
{
    if (!e)
        return true;
    bool divides = e->kind == N_BinOp && e->op != B_ADD && e->op != B_SUB && e->op != B_MUL;
    if (divides || e->kind == N_Call || e->kind == N_Subscript || e->kind == N_NamedExpr)
        return false;
    for (int i = 0; i < e->n; i++)
        if (!is_silent(e->kid[i]))
            return false;
    return true;
}

/* (state == 0 and TEST) or within(...), of a generator's `if` (ast/resume_body.c): where TEST is
 * known, nobody can be within the other branch. */
static int
known_resumed(Sema *s, const Node *e, int first)
{
    const Const *c = e->name && e->op ? sema_known(s, e->kid[0]->kid[1]).cst : NULL;
    return !e->name ? -1 : first == 0 ? 0 : c && const_truth(c) == 1 ? 1 : -1;
}

/* `and`, `or` in a test: only truth matters, so the operands need no common type. */
static int
test_boolop(Sema *s, const Node *e)
{
    int out = -1, stop = e->op; /* `or` stops at true, `and` at false */
    bool all_known = true, decided = false, silent = true;
    Env first = {0}; /* when the first operand is known, which is surely evaluated */
    for (int i = 0; i < e->n; i++) {
        if (decided) {
            sema_dead(s, e->kid[i]);
            continue;
        }
        if (i)
            sema_narrow(s, e->kid[i - 1], !stop);
        int t = sema_test(s, e->kid[i]);
        if (!i)
            first = env_copy(s, &s->fr->env);
        int resumed = i ? -1 : known_resumed(s, e, t);
        if (resumed >= 0) {
            sema_dead(s, e->kid[1]);
            *info_of(s, e) = (Info){.type = type_scalar(s->tt, DT_bool, true)};
            info_of(s, e)->cst = const_bool(s, resumed);
            return resumed;
        }
        all_known &= t >= 0;
        silent &= t >= 0 || is_silent(e->kid[i]);
        decided = t == stop;
    }
    env_maybe(s, &first);
    if (decided || all_known)
        out = decided ? stop : !stop;
    Info *info = info_of(s, e);
    *info = (Info){.type = type_scalar(s->tt, DT_bool, true)};
    info->cst = out >= 0 && silent ? const_bool(s, out) : NULL;
    return out;
}

static int
test_not(Sema *s, const Node *e)
{
    int t = sema_test(s, e->kid[0]);
    Info *info = info_of(s, e);
    *info = (Info){.type = type_scalar(s->tt, DT_bool, true)};
    info->cst = t >= 0 && is_silent(e->kid[0]) ? const_bool(s, !t) : NULL;
    return t >= 0 ? !t : -1;
}

static int
truth_of(Sema *s, const Node *e, Sem v)
{
    if (e->kind == N_ListComp && !e->op)
        v = heap_value(s, e, v);
    else if (e->kind == N_List && v.type->kind == TY_LIST)
        v = list_as_tuple(s, e, v);
    const Type *of = type_value(v.type);
    if (special_truth(s, e, v.type))
        return -1;
    if ((of->kind == TY_SCALAR || of->kind == TY_ARRAY) && type_has_param(of)) {
        time_refuse(s, e, "the truth value", of);
        return -1;
    }
    if (v.cst)
        return const_truth(v.cst);
    switch (v.type->kind) {
    case TY_NONE:
        return 0;
    case TY_TUPLE:
    case TY_KEYED:
        return v.type->n > 0;
    case TY_REF:
    case TY_EITHER:
        return -1;
    case TY_OBJ: /* a dict of these is never empty */
    case TY_FUNC:
    case TY_CHOICE:
    case TY_CLASS:
    case TY_BUILTIN:
    case TY_DTYPE:
    case TY_MODULE:
    case TY_SLICE:
        return 1;
    case TY_OPTIONAL: {
        Sem value = sem_of(v.type->elems[1]);
        if (value.type->kind == TY_RECORD)
            truth_of(s, e, value);
        return -1;
    }
    case TY_RECORD:
    case TY_LIST:
    case TY_ITER:
    case TY_STR:
        v = text_value(s, e, v);
        if (v.type->kind == TY_TEXT)
            return -1;
        sema_error(s, DIAG_unsupported, e, "the truth value of %s", v.type->text);
        return -1;
    default:
        return -1;
    }
}

int
sema_test(Sema *s, const Node *e)
{
    if (e->kind == N_BoolOp)
        return test_boolop(s, e);
    if (e->kind == N_UnaryOp && e->op == U_NOT)
        return test_not(s, e);
    return truth_of(s, e, sema_expr(s, e));
}

/* ---- assignment ------------------------------------------------------------------------------ */

static void
assign_name(Sema *s, const Node *t, Sem v, const Node *value)
{
    v = heap_value(s, value, v);
    if (!sema_may_hold(s, value ? value : t, v))
        v = sema_unknown(s);
    const Var *var = env_bind(s, t->name, v, t);
    *info_of(s, t) = (Info){.var = var, .type = var->type};
}

static void
assign_unknown(Sema *s, const Node *t)
{
    if (t->kind == N_Name)
        assign_name(s, t, sema_unknown(s), NULL);
    else if (t->kind == N_Tuple || t->kind == N_List || t->kind == N_Starred)
        for (int i = 0; i < t->n; i++)
            assign_unknown(s, t->kid[i]);
    else if (t->kind == N_Subscript || t->kind == N_Attribute)
        sema_expr(s, t->kid[0]);
}

static void
unpack_tuple(Sema *s, const Node *t, Sem v)
{
    int star = -1, n = v.type->n;
    for (int i = 0; i < t->n; i++)
        if (t->kid[i]->kind == N_Starred)
            star = i;
    if (star < 0 ? n != t->n : n < t->n - 1) {
        const char *text =
            n > t->n ? arena_printf(s->a, "too many values to unpack (expected %d)", t->n)
                     : arena_printf(s->a, "not enough values to unpack (expected %s%d, got %d)",
                                    star < 0 ? "" : "at least ", star < 0 ? t->n : t->n - 1, n);
        bool whole =
            s->stmt && s->stmt->kind == N_Assign && s->stmt->n == 2 && s->stmt->kid[1] == t;
        if (whole && ends_raising(s, t, "ValueError", text))
            return;
        sema_error(s, DIAG_value, t,
                   n > t->n ? "too many values to unpack (expected %d, got %d)"
                            : "not enough values to unpack (expected %d, got %d)",
                   star < 0 ? t->n : t->n - 1, n);
        assign_unknown(s, t);
        return;
    }
    int extra = n - t->n + 1;
    for (int i = 0, k = 0; i < t->n; i++) {
        if (i != star) {
            sema_assign(s, t->kid[i], tuple_elem(s, v, k++), NULL);
            continue;
        }
        const Type *rest = type_listed(s->tt, extra, v.type->elems + k);
        sema_assign(s, t->kid[i]->kid[0], sem_of(rest), NULL);
        k += extra;
    }
}

static void
unpack(Sema *s, const Node *t, Sem v, const Node *value)
{
    if (value)
        v = sema_need(s, value, v, "TypeError", "cannot unpack non-iterable NoneType object");
    v = iter_unpacked(s, t, v, value);
    if (value)
        v = iter_resumed(s, value, v);
    info_of(s, t)->type = v.type;
    if (special_iter(s, t, v.type)) {
        if (value)
            sema_want_list(s, value);
        assign_unknown(s, t);
        return;
    }
    if (v.type->kind == TY_TUPLE) {
        unpack_tuple(s, t, v);
        return;
    }
    if ((v.type->kind == TY_ARRAY && v.type->ndim > 0) || v.type->kind == TY_REF ||
        type_is_str(v.type) || type_is_bytes(v.type)) {
        const Type *e = sema_iter_elem(s, t, v.type);
        for (int i = 0; i < t->n; i++) {
            if (t->kid[i]->kind == N_Starred && v.type->kind != TY_REF) {
                sema_error(s, DIAG_unsupported, t->kid[i],
                           "a starred target takes elements of a tuple or list, not of %s",
                           type_is_str(v.type)     ? "a string"
                           : type_is_bytes(v.type) ? "bytes"
                                                   : "an array");
                assign_unknown(s, t->kid[i]);
                continue;
            }
            if (t->kid[i]->kind == N_Starred) {
                const Type *rest = type_heap(s->tt, &heap_list, &e);
                bool own = type_is_heap(v.type, &heap_tuple) || type_heap_has(v.type, HEAP_PACKED);
                heap_rest(s, t, own ? v.type : rest);
                sema_assign(s, t->kid[i]->kid[0], sem_of(rest), NULL);
                continue;
            }
            sema_assign(s, t->kid[i], sem_of(e), NULL);
        }
        return;
    }
    if (value && (v.type->kind == TY_ITER || v.type->kind == TY_RANGE))
        sema_want_list(s, value);
    bool starred = false;
    for (int i = 0; i < t->n; i++)
        starred |= t->kid[i]->kind == N_Starred;
    if (sem_bad(v) && !starred)
        site_unpacked(s, v.type, t->n);
    if (!sem_bad(v))
        sema_not_unpacked(s, value ? value : t, v.type, t->n);
    assign_unknown(s, t);
}

/* x in x[i] = v. */
static Sem
needed_place(Sema *s, const Node *t)
{
    Sem v = sema_expr(s, t->kid[0]);
    return sema_need(s, t->kid[0], v, "TypeError",
                     "'NoneType' object does not support item assignment");
}

/* A number that may be None is a NaN, False or an error in an array: lowering knows. */
static Sem
stored_value(Sema *s, const Node *t, Sem v)
{
    if (!type_is_optional(v.type))
        return v;
    if (v.type->elems[1]->kind == TY_SCALAR)
        return sem_of(v.type->elems[1]);
    Diag *d = sema_error(s, DIAG_unsupported, t,
                         "assigning %s to elements of an array is not supported", v.type->text);
    diag_hint(s->diags, d, "test for None first: `if x is not None:`");
    return sema_unknown(s);
}

static void
no_attribute_place(Sema *s, const Node *t)
{
    Diag *d = sema_error(s, DIAG_unsupported, t, "assignment to attribute '%s' is not supported",
                         t->name);
    const char *name = t->kid[0]->kind == N_Name ? t->kid[0]->name : "x";
    if (!strcmp(t->name, "shape"))
        diag_hint(s->diags, d, "write %s = %s.reshape(...)", name, name);
}

/* x.flat = v, read as x.flat[:] = v, where x is no array: all is typed again. */
static bool
is_own_flat(Sema *s, const Node *t)
{
    const Type *of = t->name ? sema_expr(s, t->kid[0]->kid[0]).type : NULL;
    if (!of || (!type_class(of) && of->kind != TY_RECORD))
        return false;
    no_attribute_place(s, t->kid[0]);
    s->unroll = (Unroll){.fn = s->fr->in->def, .loop = t, .of = UNROLL_FLAT};
    return true;
}

static void
assign_subscript(Sema *s, const Node *t, Sem v, const Node *value)
{
    if (is_own_flat(s, t))
        return;
    Sem obj = needed_place(s, t), idx = sema_expr(s, t->kid[1]);
    if (value && !sem_bad(v) && obj.type->kind != TY_REF &&
        obj.type->kind != TY_OBJ) /* a[:] = [1, 2, 3] */
        v = list_as_elements(s, value, v, ALL_DEPTHS);
    if (value && value == s->sole && obj.type->kind == TY_ARRAY && !sema_may_change(s, t) &&
        !sem_bad(v))
        v = heap_stored_array(s, value, v);
    Info *info = info_of(s, t);
    *info = (Info){0};
    if (sem_bad(obj) && !sem_bad(idx))
        site_stored(s, obj.type, idx.type);
    if (sem_bad(obj) || sem_bad(idx))
        return;
    if (obj.type->kind == TY_REF) {
        sema_heap_store(s, t, obj, idx, v, value);
        return;
    }
    if (obj.type->kind == TY_OBJ) {
        object_store_item(s, t, obj, idx, v, value);
        return;
    }
    if (obj.type->kind == TY_KEYED) {
        keyed_store(s, t);
        return;
    }
    if (obj.type->kind != TY_ARRAY && obj.type->kind != TY_RECORD) {
        sema_no_item_store(s, t, obj.type);
        return;
    }
    if (flat_store(s, t, idx, v))
        return;
    sema_need_index(s, t->kid[1], obj.type);
    const Type *to = sema_place(s, t, obj.type);
    info = info_of(s, t);
    info->type = to ? to : type_unknown(s->tt);
    v = stored_value(s, t, v);
    if (to && !sem_bad(v))
        sema_check_place(s, t, to, v, false);
}

static void
cannot_set(Sema *s, const Node *t, const Type *tuple)
{
    Diag *d = sema_error(s, DIAG_attribute, t, "cannot set attribute '%s' of a tuple", t->name);
    if (tuple->names)
        diag_hint(s->diags, d, "a tuple does not change: x._replace(%s=...) makes a new one",
                  t->name);
}

static void
assign_attribute(Sema *s, const Node *t, Sem v, const Node *value)
{
    Sem obj = sema_expr(s, t->kid[0]);
    if (type_class(obj.type)) {
        obj = sema_need(s, t->kid[0], obj, "AttributeError",
                        "'NoneType' object has no attribute '%s'", t->name);
        object_store(s, t, obj, v, value);
        return;
    }
    if (sem_bad(obj) || object_store_tuple(s, t, obj, v, value))
        return;
    if (obj.type->kind == TY_RECORD) {
        const Type *to = sema_place(s, t, obj.type);
        *info_of(s, t) = (Info){.type = to ? to : type_unknown(s->tt)};
        v = stored_value(s, t, v);
        if (to && !sem_bad(v))
            sema_check_place(s, t, to, v, false);
        return;
    }
    if (is_part_place(t, obj.type)) {
        const Type *to = part_place(s, t, obj);
        *info_of(s, t) = (Info){.type = to ? to : type_unknown(s->tt)};
        v = value && !sem_bad(v) ? list_as_elements(s, value, v, ALL_DEPTHS) : v;
        v = stored_value(s, t, v);
        if (to && !sem_bad(v))
            check_store(s, t, to, v, false);
        return;
    }
    if (obj.type->kind == TY_TUPLE)
        cannot_set(s, t, obj.type);
    else if (obj.cst && obj.cst->kind == CV_MODULE && !strncmp(obj.cst->str, "swathe.gpu.", 11))
        sema_error(s, DIAG_types, t, "gpu.%s.%s says where the thread is, and can't be assigned",
                   obj.cst->str + 11, t->name);
    else
        no_attribute_place(s, t);
}

void
sema_assign(Sema *s, const Node *t, Sem v, const Node *value)
{
    switch (t->kind) {
    case N_Name:
        assign_name(s, t, v, value);
        break;
    case N_Tuple:
    case N_List:
        unpack(s, t, v, value);
        break;
    case N_Starred:
        sema_assign(s, t->kid[0], v, value);
        break;
    case N_Subscript:
        assign_subscript(s, t, v, value);
        break;
    case N_Attribute:
        assign_attribute(s, t, v, value);
        break;
    default:
        sema_error(s, DIAG_unsupported, t, "assignment to this");
    }
}

static void
stmt_assign(Sema *s, const Node *n)
{
    const Node *names = NULL;
    for (int i = 1; i < n->n; i++)
        if (n->kid[i]->kind == N_Tuple || n->kid[i]->kind == N_List)
            names = n->kid[i];
    bool one = n->n == 2 && n->kid[1]->kind == N_Name;
    Sem v = one ? sema_function(s, n->kid[0]) : sema_expr(s, n->kid[0]);
    if (names)
        v = sema_unpacked(s, n->kid[0], v, names->n);
    s->sole = n->n == 2 ? n->kid[0] : NULL;
    for (bool again = true; again;) {
        for (int i = 1; i < n->n; i++)
            sema_assign(s, n->kid[i], v, n->kid[0]);
        Sem now = sema_known(s, n->kid[0]); /* an object, by one target, that others take apart */
        again = names && n->n > 2 && !sem_bad(v) && !sem_bad(now) && now.type->kind == TY_REF &&
                v.type->kind == TY_TUPLE;
        v = again ? now : v;
    }
    if (!sem_bad(v)) {
        sema_view(s, n);
        flat_named(s, n);
    }
}

/* ---- control flow ---------------------------------------------------------------------------- */

void
sema_branch(Sema *s, const Node *block)
{
    if (block)
        sema_block(s, block);
}

static void
stmt_if(Sema *s, const Node *n)
{
    int rounds = sema_test_rounds(s, n->kid[0]), t = rounds < 0 ? sema_test(s, n->kid[0]) : rounds;
    Env start = env_copy(s, &s->fr->env);
    if (t >= 0) {
        sema_dead(s, n->kid[t ? 2 : 1]);
        sema_branch(s, n->kid[t ? 1 : 2]);
        Path p[2] = {{s->fr->env, n, t ? EDGE_THEN : EDGE_ELSE},
                     {{.dead = true}, n, t ? EDGE_ELSE : EDGE_THEN}};
        s->fr->env = env_join(s, 2, p, n);
        return;
    }
    sema_narrow(s, n->kid[0], true);
    sema_branch(s, n->kid[1]);
    Path p[2] = {{s->fr->env, n, EDGE_THEN}};
    s->fr->env = start;
    sema_narrow(s, n->kid[0], false);
    sema_branch(s, n->kid[2]);
    p[1] = (Path){s->fr->env, n, EDGE_ELSE};
    s->fr->env = env_join(s, 2, p, n);
}

static void
stmt_jump(Sema *s, const Node *n)
{
    LoopCtx *l = s->fr->loop;
    if (!l)
        return;
    Path p = {s->fr->env, n, EDGE_JUMP};
    if (n->kind == N_Break)
        VEC_PUSH(s->a, l->breaks, p);
    else
        VEC_PUSH(s->a, l->continues, p);
    s->fr->env = (Env){.dead = true};
}

static void
stmt_assert(Sema *s, const Node *n)
{
    int t = sema_test(s, n->kid[0]);
    if (n->n > 1 && n->kid[1]) { /* which is evaluated where the statement raises only */
        Env passed = env_copy(s, &s->fr->env);
        sema_expr(s, n->kid[1]);
        text_raised(s, 1, &n->kid[1]);
        s->fr->env = passed;
    }
    if (t == 0)
        s->fr->env = (Env){.dead = true};
    else
        sema_narrow(s, n->kid[0], true);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static void
stmt_delete(Sema *s, const Node *n)
{
    for (int i = 0; i < n->n; i++) {
        const Node *t = n->kid[i];
        if (t->kind == N_Name) {
            sema_expr(s, t);
            env_unbind(s, t->name);
        } else if (t->kind == N_Subscript) {
            heap_delete(s, t);
        } else if (t->kind != N_Attribute || !object_delete(s, t)) {
            Diag *d = sema_error(s, DIAG_unsupported, t, "del of this is not supported");
            diag_hint(s->diags, d, "names, and elements of lists and dicts, can be deleted");
        }
    }
}

/* Evaluated where the function is defined, as in Python. One that is not a constant is kept by the
 * function: ast/bound.c. */
void
sema_defaults(Sema *s, const Node *e)
{
    const FuncDef *fd = e->fn;
    for (int i = 0; i < fd->n_params; i++) {
        const Node *d = fd->params[i].def_node;
        Sem v = d ? sema_expr(s, d) : sema_unknown(s);
        bool changes = v.cst && (v.type->kind == TY_LIST || v.type->listed) &&
                       ast_default_changes(fd, i) && !s->unroll.loop;
        if (v.cst && !changes) {
            map_put(s->a, &s->defaults, d, (void *)v.cst);
        } else if (d && !sem_bad(v)) {
            sema_error(s, DIAG_unsupported, d, "the default of '%s' must be known at compile time",
                       fd->params[i].name);
            if (!s->unroll.loop)
                s->unroll = (Unroll){.fn = s->fr->in->def, .loop = e, .of = UNROLL_DEFAULTS};
        }
    }
}

static void
stmt_def(Sema *s, const Node *n)
{
    FuncDef *fd = n->fn;
    sema_defaults(s, n);
    const Type *t = type_other(s->tt, TY_FUNC, fd, 0, NULL, NULL);
    Const *c = NULL;
    if (!fd->n_free) {
        c = NEW(s->a, Const);
        *c = (Const){.kind = CV_FUNC, .ref = fd, .str = fd->name};
    }
    info_of(s, n)->var = env_bind(s, n->name, (Sem){t, c}, n);
}

static void
stmt_expr(Sema *s, const Node *n)
{
    const Node *e = n->kid[0];
    Sem v = sema_expr(s, e);
    if (v.type->kind == TY_STR && !v.cst)
        v = text_value(s, e, v);
    bool generator = e->kind == N_ListComp && e->op == 1;
    if (v.type->kind == TY_LIST && !generator)
        v = heap_value(s, e, v);
    if (v.type->kind == TY_LIST || v.type->kind == TY_ITER)
        sema_error(s, DIAG_unsupported, e, "%s that is not used",
                   generator                 ? "a generator expression"
                   : v.type->kind == TY_ITER ? "an iterator"
                                             : "a list");
    if (ends_only_raises(s, e))
        s->fr->env = (Env){.dead = true};
}

static void
statement(Sema *s, const Node *n)
{
    *info_of(s, n) = (Info){0};
    switch (n->kind) {
    case N_Block:
        sema_block(s, n);
        break;
    case N_Expr:
        stmt_expr(s, n);
        break;
    case N_Assign:
        stmt_assign(s, n);
        break;
    case N_AugAssign:
        sema_aug(s, n);
        break;
    case N_AnnAssign:
        if (n->n > 1 && n->kid[1])
            sema_assign(s, n->kid[0], sema_expr(s, n->kid[1]), n->kid[1]);
        break;
    case N_If:
        stmt_if(s, n);
        break;
    case N_While:
        sema_while(s, n);
        break;
    case N_For:
        sema_for(s, n);
        break;
    case N_Break:
    case N_Continue:
        stmt_jump(s, n);
        break;
    case N_Pass:
        break;
    case N_Return:
        sema_return(s, n);
        break;
    case N_Raise:
        sema_raise(s, n);
        break;
    case N_Assert:
        stmt_assert(s, n);
        break;
    case N_Try:
        sema_try(s, n);
        break;
    case N_Delete:
        stmt_delete(s, n);
        break;
    case N_FunctionDef:
        stmt_def(s, n);
        break;
    case N_With:
        sema_with(s, n);
        break;
    case N_Global:
        sema_unsupported(s, n, "assigning to a variable of an outer scope (global, nonlocal)");
        break;
    case N_Unsupported:
        sema_unsupported(s, n, n->name);
        break;
    default:
        sema_error(s, DIAG_internal, n, "a %s where a statement belongs", node_kind_name[n->kind]);
    }
}

void
sema_stmt(Sema *s, const Node *n)
{
    const Node *unbound = s->unbound, *stmt = s->stmt;
    s->unbound = NULL;
    s->stmt = n;
    statement(s, n);
    if (s->unbound)
        ends_statement(s, n);
    s->unbound = unbound;
    s->stmt = stmt;
}
