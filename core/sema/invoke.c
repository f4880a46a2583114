/* SPDX-License-Identifier: BSD-3-Clause
 * Calls. What is called decides: a function of the program (an instance for these types),
 * a row of the library table, a dtype (a cast), a named tuple's class. A method of an
 * array is the row of that name with the array as its first argument. */
#include "sema/calls.h"
#include "sema/fold.h"

static Call *
new_call(Sema *s, const Node *e)
{
    Call *c = NEW(s->a, Call);
    info_of(s, e)->call = c;
    return c;
}

/* The arguments of a call that cannot be typed still are, for their own mistakes. */
Sem
call_give_up(Sema *s, const Node *e)
{
    for (int i = 1; i < e->n; i++) {
        const Node *k = e->kid[i];
        sema_expr(s, k->kind == N_Keyword || k->kind == N_Starred ? k->kid[0] : k);
    }
    return sema_unknown(s);
}

/* ---- functions of the program ---------------------------------------------------------------- */

/* What stands for a function of which Numba's `overload` tells by types. NULL: it isn't known yet,
 * or that there is none has been said. */
static const FuncDef *
choose_function(Sema *s, const Node *e, const FuncDef *fd, const Call *c, const Type **types)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    const char *key = "";
    for (int i = 0; i < fd->n_params; i++) {
        const Type *t = type_resolve(s->tt, types[i]);
        if (t->kind == TY_UNKNOWN || type_is_open(t))
            return NULL;
        key = arena_printf(s->a, "%s%s%s\n", key, c->arg[i] ? "" : "omitted ", t->text);
    }
    for (int i = 0; i < p->chosen.n; i++) {
        const Chosen *known = &p->chosen.at[i];
        if (known->of != fd || strcmp(known->types, key))
            continue;
        if (known->why)
            sema_error(s, DIAG_types, e, "%s", known->why);
        return known->def;
    }
    VEC_PUSH(s->a, p->chosen, ((Chosen){.of = fd, .types = key}));
    p->asked = true;
    return NULL;
}

/* A name that is surely bound, an attribute of an array that one stands for, or a constant: nobody
 * sees whether it is evaluated. */
static bool
is_plain(Sema *s, const Node *n)
{
    if (n->kind == N_Keyword)
        n = n->kid[0];
    for (; n->kind == N_Attribute; n = n->kid[0])
        if (sema_known(s, n->kid[0]).type->kind != TY_ARRAY)
            return false; /* it may be a property */
    return n->kind == N_Const || (n->kind == N_Name && !info_of(s, n)->check_bound);
}

/* np.issubdtype(x.dtype, np.integer): a test that types alone decide is known, so that only the
 * branch that is taken is compiled. */
static const Const *
told_by_types(Sema *s, const Node *e, const Builtin *row, const Call *c)
{
    bool plain = row && row->flags & OF_TYPES && c->inst && e->kind == N_Call;
    for (int i = 1; plain && i < e->n; i++)
        plain = is_plain(s, e->kid[i]);
    return plain ? c->inst->ret_cst : NULL;
}

Sem
call_function(Sema *s, const Node *e, const Type *ft, const FuncDef *fd, const Node *self,
              const Builtin *row)
{
    if (fd->is_generator) {
        Diag *d = sema_error(s, DIAG_unsupported, e,
                             "'%s' is a generator, which is not gone through here", fd->name);
        diag_hint(s->diags, d,
                  "call it in the head of a for statement, or make a list of it: list(%s(...))",
                  fd->name);
        return call_give_up(s, e);
    }
    int n = fd->n_params + fd->n_free;
    const Type **types = NEW_N(s->a, const Type *, n + 1);
    const Const **csts = NEW_N(s->a, const Const *, n + 1);
    Call *c = new_call(s, e);
    c->fn = row;
    if (!bind_inst(s, e, fd, self, c, types, csts)) {
        if (self && self != e && fd->is_lib) /* no constructor */
            site_awaits(type_resolve(s->tt, sema_expr(s, self).type));
        return sema_unknown(s);
    }
    if ((self && fd->is_lib && !text_takes(s, e, fd->name, c, types)) || flat_given(s, e, fd))
        return sema_unknown(s);
    if (fd->chooser) {
        const FuncDef *chosen = choose_function(s, e, fd, c, types);
        return chosen ? call_function(s, e, NULL, chosen, self, row) : sema_unknown(s);
    }
    CallCx x = {.s = s, .at = e, .fn = row, .c = c, .method = self != NULL};
    Sem own;
    if (row && text_array_row(s, e, row, c, &own))
        return own;
    if (row && (!check_params(&x) || !time_may_call(&x)))
        return sema_unknown(s);
    if (row)
        count_in_ints(s, row, types, csts);
    if (fd->n_free && (!ft || !ft->n)) {
        ft = c->takes = closure_of(s, e, fd).type;
        c->scope = s->fr->scope;
    }
    for (int i = 0; i < fd->n_free; i++) {
        if (!ft || i >= ft->n)
            return sema_unknown(s);
        types[fd->n_params + i] = ft->elems[i];
    }
    if (fd->n_sigs && !(c->sig = signature_choose(s, e, fd, types, csts)))
        return sema_unknown(s);
    const Type *r = sema_call_inst(s, e, fd, n, types, csts, &c->inst);
    if (c->sig)
        return sem_of(signature_result(s, c->sig, r));
    return (Sem){r, told_by_types(s, e, row, c)};
}

const FuncDef *
tuple_function(Sema *s, const Type *t, Sym name)
{
    const Method *m = t->names ? class_method(s, t->ref, name) : NULL;
    if (!t->names && (!strcmp(name, "index") || !strcmp(name, "count")))
        return heap_lib_named(s, arena_printf(s->a, "_tuple_%s", name));
    if (t->names && !m && !strcmp(name, "_asdict"))
        return heap_lib_named(s, "_tuple_asdict");
    return m && !m->is_property ? m->def : NULL;
}

static const FuncDef *
range_function(Sema *s, Sym name)
{
    bool is = !strcmp(name, "index") || !strcmp(name, "count");
    return is ? heap_lib_named(s, arena_printf(s->a, "_range_%s", name)) : NULL;
}

static const FuncDef *
slice_function(Sema *s, Sym name)
{
    return !strcmp(name, "indices") ? heap_lib_named(s, "_slice_indices") : NULL;
}

/* value.name, where the name is a property: a call that has no node of its own. */
Sem
tuple_property(Sema *s, const Node *e, const FuncDef *fd)
{
    return call_function(s, e, NULL, fd, e->kid[0], NULL);
}

/* n.bit_length(), of Python's numbers, some of NumPy's. NULL: there is none, or it is wanted. */
static const FuncDef *
number_function(Sema *s, const Type *t, Sym name)
{
    static const struct {
        const char *name, *of;
        bool numpy;
    } all[] = {{"bit_length", "int", false},
               {"bit_count", "int", true},
               {"to_bytes", "int", false},
               {"is_integer", "float", true}};
    if (t->kind != TY_SCALAR)
        return NULL;
    DType d = (DType)t->dtype;
    bool whole = t->weak ? d == DT_i64 || d == DT_bool : dtype_is_int(d);
    for (int i = 0; i < SW_LEN(all); i++)
        if (!strcmp(all[i].name, name) && (t->weak || all[i].numpy) &&
            (all[i].of[0] == 'i' ? whole : dtype_is_float(d)))
            return heap_lib_named(s, arena_printf(s->a, "_%s_%s", all[i].of, name));
    return NULL;
}

/* ---- library rows ---------------------------------------------------------------------------- */

/* To NumPy a generator is one object; sum() of one it warns of. */
static bool
gives_generator(Sema *s, const Node *e, const Builtin *fn)
{
    for (int i = 1;
         i < e->n && (fn->family == BF_NP || fn->family == BF_UFUNC || fn->family == BF_LIB); i++) {
        const Node *k = e->kid[i]->kind == N_Keyword ? e->kid[i]->kid[0] : e->kid[i];
        if (k->kind != N_ListComp || k->op != 1)
            continue;
        Diag *d = sema_error(
            s, DIAG_unsupported, k,
            "a generator expression, map or filter as an argument of np.%s is not supported",
            fn->name);
        diag_hint(s->diags, d, "make a list of it: [... for ...]");
        return true;
    }
    return false;
}

/* A list, and beside it no more than a dtype. */
static bool
gives_list(Sema *s, const Call *c)
{
    Sem v = sema_arg(s, c, 0);
    bool list = v.type && type_is_row(v.type) && !type_is_open(v.type);
    for (int i = 2; list && i < c->n_args; i++)
        list = !c->arg[i];
    return list;
}

/* A list of arrays, of which there may be any number. */
static bool
gives_arrays(Sema *s, const Call *c)
{
    const Node *e = sema_arg_node(c, 0);
    Sem v = sema_arg(s, c, 0);
    if (e && e->kind == N_ListComp && !e->op && !sem_bad(v) && v.type->elems[0]->kind == TY_ARRAY)
        v = heap_value(s, e, v);
    return v.type && type_is_row(v.type) && !type_is_open(v.type) &&
           v.type->elems[0]->kind == TY_ARRAY;
}

/* Elements that where= leaves out: a function of the library of their own. */
static bool
leaves_out(Sema *s, const Call *c)
{
    int k = c->fn->family == BF_UFUNC || c->fn->id != BI_np_copyto ? row_param(c->fn, "where") : -1;
    Sem v = k < 0 ? (Sem){0} : sema_arg(s, c, k);
    bool all = v.type && v.cst && v.type->kind == TY_SCALAR && v.type->dtype == DT_bool &&
               const_truth(v.cst) == 1;
    return v.type && !sem_bad(v) && !all;
}

/* np.add(a, b, out=c, where=m): _where_1(np.add, out, where, a), _where_2(..., a, b). */
static Sem
call_ufunc_where(Sema *s, const Node *e, const Call *c)
{
    static const char *const given[] = {"out", "where"};
    const Node *arg[5] = {e->kid[0]};
    const Builtin *fn = c->fn;
    int dtype = row_param(fn, "dtype");
    bool plain = fn->nout == 1 && !c->splat && !c->self && !(dtype >= 0 && c->arg[dtype]);
    if (!plain) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "np.%s with where= and %s is not supported",
                             fn->name, fn->nout > 1 ? "several results" : "dtype= or *args");
        diag_hint(s->diags, d, "write np.where(mask, np.%s(...), old)", fn->name);
        return sema_unknown(s);
    }
    for (int i = 0; i < 2; i++)
        arg[1 + i] = sema_arg_node(c, row_param(fn, given[i]));
    for (int i = 0; i < fn->nin; i++)
        arg[3 + i] = c->arg[i];
    return heap_call(s, e, fn->nin == 1 ? "_where_1" : "_where_2", 3 + fn->nin, arg);
}

static Sem
call_where(Sema *s, const Node *e, const Call *c, const Node *self)
{
    const Builtin *fn = c->fn;
    if (fn->family == BF_UFUNC)
        return call_ufunc_where(s, e, c);
    const FuncDef *fd = heap_lib_named(s, arena_printf(s->a, "_where_%s", fn->name));
    return fd ? call_function(s, e, NULL, fd, self, fn) : sema_unknown(s);
}

/* How many the array has that NumPy makes of it. */
static int
axes_made(const Type *t)
{
    if (t->kind == TY_ARRAY)
        return t->ndim;
    if (t->kind != TY_TUPLE && t->kind != TY_LIST && !type_is_row(t))
        return t->kind == TY_RANGE;
    int most = 0;
    for (int i = 0; i < t->n; i++) {
        int n = axes_made(t->elems[i]);
        most = n > most ? n : most;
    }
    return most + 1;
}

/* np.dot of two arrays of which one has more than two axes. */
static bool
has_many_axes(Sema *s, const Call *c)
{
    int least = SEMA_MAX_NDIM, most = 0;
    for (int k = 0; k < 2; k++) {
        Sem v = sema_arg(s, c, k);
        int n = v.type ? axes_made(v.type) : 0;
        least = n < least ? n : least;
        most = n > most ? n : most;
    }
    return least > 0 && most > 2;
}

/* Arguments that the compiler's expansion of a row doesn't take, but the library does: out=, what
 * stands behind `*`, and arrays as the ends of np.linspace. */
static bool
gives_more(Sema *s, const Call *c)
{
    const Builtin *fn = c->fn;
    const RowParams *p = &builtin_params[fn->id];
    for (int k = 0; (fn->flags & REST) && k < p->n; k++) {
        const Type *t = c->arg[k] ? sema_arg(s, c, k).type : NULL;
        bool own = p->at[k].kind == PK_OUT || p->at[k].kwonly;
        bool ends = fn->id == BI_np_linspace && k < 2 && t &&
                    (t->kind == TY_TUPLE || t->kind == TY_LIST || type_is_heap(t, &heap_list) ||
                     (t->kind == TY_ARRAY && t->ndim));
        if (t && ((own && t->kind != TY_NONE) || ends))
            return true;
    }
    return false;
}

static Sem
call_row(Sema *s, const Node *e, const Builtin *fn, const Node *self)
{
    if (gives_generator(s, e, fn))
        return call_give_up(s, e);
    if (fn->id == BI_np_ndarray) /* called, it makes one without values */
        fn = &builtin_table[BI_np_empty];
    if (fn->family == BF_LIB) {
        const FuncDef *fd = heap_lib_named(s, fn->def);
        return fd ? call_function(s, e, NULL, fd, self, fn) : call_give_up(s, e);
    }
    Call *c = new_call(s, e);
    bool bound = bind_args(s, e, fn, self, c);
    bool whole = fn->family == BF_PY && (fn->flags & ELEMENTS || fn->id == BI_py_len);
    if (whole && e->n > 1 && (e->n == 2 || !(fn->flags & UNPACKS)))
        site_gone_through(s, sema_known(s, e->kid[1]).type);
    Sem own;
    if (!bound)
        return sema_unknown(s);
    if (text_array_row(s, e, fn, c, &own))
        return own;
    if ((fn->flags & LISTS) && sema_arg(s, c, 0).type)
        site_arrayed(sema_arg(s, c, 0).type);
    if ((fn->flags & LISTS) && gives_list(s, c))
        return heap_array(s, e, c);
    if ((fn->flags & ARRAYS) && gives_arrays(s, c)) {
        const FuncDef *fd = heap_lib_named(s, arena_printf(s->a, "_list_%s", fn->name));
        return fd ? call_function(s, e, NULL, fd, self, fn) : sema_unknown(s);
    }
    if ((fn->family == BF_UFUNC || fn->family == BF_NP) && leaves_out(s, c))
        return call_where(s, e, c, self);
    if (gives_more(s, c)) {
        const FuncDef *fd = heap_lib_named(s, arena_printf(s->a, "_rest_%s", fn->name));
        return fd ? call_function(s, e, NULL, fd, self, fn) : sema_unknown(s);
    }
    if (fn->id == BI_np_dot && has_many_axes(s, c)) {
        const FuncDef *fd = heap_lib_named(s, "_dot_many");
        return fd ? call_function(s, e, NULL, fd, self, fn) : sema_unknown(s);
    }
    if (special_row(s, e, c, &own))
        return own;
    return call_builtin(s, e, fn, self, c);
}

/* None is false, a NaN to NumPy's floats, and no number else. */
static void
cast_needs(Sema *s, const Node *k, Sem v, const Type *dt)
{
    static const char *const text[] = {
        [DK_INT] =
            "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
        [DK_UINT] =
            "int() argument must be a string, a bytes-like object or a real number, not 'NoneType'",
        [DK_FLOAT] = "float() argument must be a string or a real number, not 'NoneType'",
        [DK_COMPLEX] = "complex() first argument must be a string or a number, not 'NoneType'",
    };
    DKind kind = dtype_kind((DType)dt->dtype);
    bool number = type_value(v.type)->kind == TY_SCALAR;
    bool converts = kind == DK_BOOL || (kind == DK_FLOAT && !dt->weak);
    if ((!number || !converts) && !(kind == DK_BOOL && dt->weak))
        sema_need(s, k, v, "TypeError", "%s", text[kind == DK_BOOL ? DK_INT : kind]);
}

/* What stands at place i of int(x, base=b) and complex(real=x, imag=y), NULL for any other name. */
static const Node *
cast_arg(const Node *e, int i, const Type *dt)
{
    const Node *k = e->kid[i];
    if (k->kind == N_Starred)
        return NULL;
    if (k->kind != N_Keyword)
        return k;
    bool z = dt->dtype == DT_c128;
    const char *name = z && i == 1 ? "real" : z && i == 2 ? "imag" : i == 2 ? "base" : NULL;
    bool takes = dt->weak && (z || dt->dtype == DT_i64) && name && k->name;
    return takes && !strcmp(k->name, name) ? k->kid[0] : NULL;
}

static Sem
cast(Sema *s, const Node *e, const Type *dt)
{
    if (dtype_is_param((DType)dt->dtype))
        return time_new(s, e, dt, new_call(s, e));
    const Node **arg = NEW_N(s->a, const Node *, e->n + 1);
    bool bad = false;
    for (int i = 1; i < e->n; i++) {
        const Node *k = cast_arg(e, i, dt);
        if (!k) {
            sema_error(s, DIAG_unsupported, e->kid[i], "only plain arguments of %s() are supported",
                       dt->text);
            return call_give_up(s, e);
        }
        Sem v = sema_operand(s, k), own;
        if (special_cast(s, e, v, dt, &own))
            return own;
        cast_needs(s, k, v, dt);
        bad |= sem_bad(v);
        arg[i - 1] = k;
    }
    Call *c = new_call(s, e);
    c->kind = CALL_CAST;
    c->arg = arg;
    c->n_args = e->n - 1;
    Sem v = bad ? sema_unknown(s) : call_cast(s, e, dt, e->n - 1, arg, c);
    for (int i = 1; i < e->n && !v.cst && !sem_bad(v); i++) {
        const Const *k = sema_known(s, e->kid[i]).cst;
        if (const_has_big(k)) {
            big_report(s, e->kid[i], k);
            v = sema_unknown(s);
        }
    }
    return v;
}

/* ---- what is called -------------------------------------------------------------------------- */

static Sem
not_callable(Sema *s, const Node *e, Sem f)
{
    if (f.cst && f.cst->kind == CV_UNSUPPORTED) {
        Diag *d = sema_error(s, DIAG_unsupported, e->kid[0], "%s cannot be called in compiled code",
                             f.cst->str);
        diag_hint(s->diags, d, "%s", sema_objmode_hint);
    } else if (f.cst && f.cst->kind == CV_CONTEXT) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "%s outside a with statement is not supported",
                             f.cst->str);
        diag_hint(s->diags, d, "write the call behind `with`");
    } else if (is_exc_class(f.cst)) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "an exception in a variable or expression");
        diag_hint(s->diags, d, "write `raise %s(...)`", f.cst->str);
    } else {
        const char *name = f.type->kind == TY_FUNC ? NULL : class_name(s, f.type);
        bool python = name && f.type->kind != TY_ARRAY && f.type->kind != TY_UNKNOWN;
        Diag *d = python ? sema_type_error(s, e->kid[0], "'%s' object is not callable", name)
                         : sema_type_error(s, e->kid[0], "%s is not callable", f.type->text);
        if (e->kid[0]->kind == N_Name && builtin_find("builtins", e->kid[0]->name))
            diag_hint(s->diags, d,
                      "'%s' is a variable here, which hides the builtin: give it another name",
                      e->kid[0]->name);
        else if (e->kid[0]->kind == N_Attribute && f.type->kind != TY_FUNC)
            diag_hint(s->diags, d, "'%s' is no method: leave the parentheses out", e->kid[0]->name);
        else if ((f.type->kind == TY_ARRAY || f.type->kind == TY_REF || f.type->kind == TY_TUPLE ||
                  f.type->kind == TY_KEYED) &&
                 e->n > 1)
            diag_hint(s->diags, d, "an index stands in brackets");
    }
    return call_give_up(s, e);
}

/* f(*x) of a row that takes `least`, 0 or 1, up to `most`: a call for each number. */
static Sem
row_by_count(Sema *s, const Node *e, const Builtin *fn, int least, int most)
{
    const char *few = arena_printf(s->a, "%s expected at least 1 argument, got 0", fn->name);
    const char *many = arena_printf(s->a, "%s expected at most %d arguments, got ", fn->name, most);
    const Const *lacks[] = {const_str(s, few)};
    const Const *how[] = {const_str(s, many), const_int(s, 0), const_str(s, ""),
                          const_tuple(s, least, lacks)};
    const Node *arg[] = {e->kid[0], e->kid[1]->kid[0], NULL, NULL};
    const Const *given[] = {NULL, NULL, const_tuple(s, SW_LEN(how), how), const_int(s, most)};
    return heap_call_given(s, e, "_call_by_count", SW_LEN(arg), arg, given);
}

/* max(*xs), range(*map(int, parts)): how many it is given is seen when it runs. */
static bool
row_spread(Sema *s, const Node *e, const Builtin *fn, Sem *out)
{
    enum { MOST = 8 };
    bool most = fn->id == BI_py_max || fn->id == BI_py_min;
    bool fold = fn->id == BI_math_gcd || fn->id == BI_math_lcm, all = fn->id == BI_math_hypot;
    bool ends = fn->id == BI_py_range || fn->id == BI_py_slice;
    Sem v;
    if ((!most && !fold && !all && !ends) || !bind_star(s, e, &v))
        return false;
    if (ends || all) {
        *out = row_by_count(s, e, fn, ends, ends ? 3 : MOST);
        return true;
    }
    const Node *arg[] = {e->kid[0], NULL, e->kid[1]->kid[0]};
    const Const *with = most ? const_str(s, fn->name) : const_int(s, fn->id == BI_math_lcm);
    const Const *given[] = {NULL, with, NULL};
    *out = heap_call_given(s, e, most ? "_most_of_args" : "_fold_args", SW_LEN(arg), arg, given);
    return true;
}

/* f(*x), where how many there are decides which arguments f gets. */
static bool
call_spread(Sema *s, const Node *e, Sem f, Sem *out)
{
    s->star = NULL;
    if (e->n != 2 || e->kid[1]->kind != N_Starred)
        return false;
    if (f.type->kind == TY_FUNC)
        return bind_spread(s, e, f.type->ref, 0, out);
    if (f.cst && f.cst->kind == CV_TUPLE_CLASS)
        return bind_spread_fields(s, e, f.cst, out);
    if (f.cst && f.cst->kind == CV_BUILTIN)
        return row_spread(s, e, f.cst->ref, out);
    const Method *init =
        f.cst && f.cst->kind == CV_CLASS ? class_method(s, f.cst->ref, "__init__") : NULL;
    return init && init->def && bind_spread(s, e, init->def, 1, out);
}

/* x.extend(E for a in A for b in B), which no iterator is made of. */
static void
want_each(Sema *s, const Node *e)
{
    const FuncDef *fn = s->fr->in->def;
    if (!s->unroll.loop && !fn->is_lib && ast_is_one_by_one(fn, e))
        s->unroll = (Unroll){.fn = fn, .loop = e, .of = UNROLL_EACH};
}

/* An empty one of these, in place of `()`. */
bool
call_nothing_of(Node *e, const Type *value)
{
    if (type_is_heap(value, &heap_list)) {
        e->kind = N_List;
        e->op = 0;
    } else if (type_is_heap(value, &heap_set)) {
        e->kind = N_Dict;
        e->op = 1; /* set() */
    } else {
        return false;
    }
    return true;
}

/* Where `for x in d.get(k, ())` goes through lists or sets, what is not there is an empty one. */
static void
get_or_nothing(Sema *s, const Node *e, const Type *of)
{
    Node *other = e->n == 3 ? e->kid[2] : NULL;
    if (!other || other->kind != N_Tuple || other->n ||
        (s->through != e && s->taken != e && other->op != TUPLE_OR_LIST) ||
        strcmp(e->kid[0]->name, "get") != 0 || !type_heap_has(of, HEAP_MAPS))
        return;
    call_nothing_of(other, type_resolve(s->tt, of->elems[1]));
}

/* Of a builtin, which may look at no more than the elements of its argument. */
static Sem
call_taking(Sema *s, const Node *e, const Builtin *fn)
{
    static const int takes[] = {BI_py_iter, BI_py_list, BI_py_len, BI_py_sorted, BI_py_set};
    const Node *around = s->taken;
    for (int i = 0; i < SW_LEN(takes); i++)
        if (fn->id == takes[i] && e->n > 1)
            s->taken = e->kid[1];
    Sem v = call_row(s, e, fn, NULL);
    s->taken = around;
    return v;
}

static Sem
call_value(Sema *s, const Node *e, Sem f)
{
    if (type_is_optional(f.type))
        f = sema_need(s, e->kid[0], f, "TypeError", "'NoneType' object is not callable");
    if (f.type->kind == TY_CLASS)
        f.cst = type_class_const(s->tt, f.type);
    ConstKind k = f.cst ? f.cst->kind : CV_UNSUPPORTED;
    Sem spread;
    if (call_spread(s, e, f, &spread))
        return spread;
    if (f.type->kind == TY_CHOICE)
        return choice_call(s, e);
    if (f.type->kind == TY_FUNC)
        return call_function(s, e, f.type, f.type->ref, NULL, NULL);
    if (f.type->kind == TY_DTYPE)
        return cast(s, e, f.type);
    const Method *own = special_of(s, f.type, "__call__");
    if (own && own->def)
        return call_function(s, e, NULL, own->def, e->kid[0], NULL);
    if (k == CV_CLASS)
        return object_new(s, e, f.cst);
    if (k == CV_TUPLE_CLASS && special_new(s, e, f.cst))
        return call_give_up(s, e);
    if (k == CV_TUPLE_CLASS)
        return tuple_class_call(s, e, f.cst, new_call(s, e));
    if (k == CV_BUILTIN)
        return call_taking(s, e, f.cst->ref);
    if (f.type->kind == TY_BUILTIN && f.type->ref)
        return call_row(s, e, f.type->ref, NULL);
    return not_callable(s, e, f);
}

/* a.sum(): the row, with `a` as its first argument. NULL: not a method call. */
static const Builtin *
method_of(Sema *s, const Node *f, Sem self)
{
    bool records = self.type->kind == TY_RECORD;
    if (self.type->kind != TY_ARRAY && self.type->kind != TY_SCALAR && !records)
        return NULL;
    bool number = self.type->kind == TY_SCALAR, python = number && self.type->weak;
    const Builtin *fn = builtin_method(f->name);
    if (!fn || (records && !record_is_created(fn)) || (python && !(fn->flags & OF_PYTHON)) ||
        (number && fn->flags & OF_ARRAYS))
        return NULL;
    Const *c = NEW(s->a, Const);
    *c = (Const){.kind = CV_BUILTIN, .ref = fn, .str = fn->name};
    *info_of(s, f) = (Info){0};
    sema_set(s, f, sem_const(s, c));
    return fn;
}

/* s.union(*x): the method of sets that takes them one by one, where x is no tuple. */
static const FuncDef *
method_of_each(Sema *s, const Node *e, const Type *object, const FuncDef *m)
{
    static const char any[] = " update union intersection intersection_update difference "
                              "difference_update ";
    const char *name = e->kid[0]->name;
    Sem v;
    if (!m || (!type_is_heap(object, &heap_set) && !type_is_heap(object, &heap_frozenset)) ||
        !strstr(any, arena_printf(s->a, " %s ", name)) || !bind_star(s, e, &v))
        return m;
    return heap_lib_named(s, arena_printf(s->a, "_set_%s_each", name));
}

static void
no_method(Sema *s, const Node *f, Sem self)
{
    const char *list = " append extend insert pop remove sort clear reverse ";
    list_want_functions(s, self.type);
    if (!self.type->listed || !strstr(list, f->name)) {
        sema_no_attribute(s, f, self.type);
        return;
    }
    Diag *d = sema_error(s, DIAG_attribute, f, "%s has no method '%s' in compiled code",
                         self.type->text, f->name);
    diag_hint(s->diags, d,
              self.type->n && type_is_function(self.type->elems[0])
                  ? "a list of functions that is an argument takes no others: make a list of it, "
                    "with list(...)"
              : self.type->n ? "a list of unlike values takes no others: make a new one"
                             : "a default that is a list is one and the same in all calls: write "
                               "acc=None, and make the list in the function");
}

Sem
expr_call(Sema *s, const Node *e)
{
    const Node *f = e->kid[0];
    if (f->kind == N_Attribute) {
        Sem self = sema_need(s, f->kid[0], sema_expr(s, f->kid[0]), "AttributeError",
                             "'NoneType' object has no attribute '%s'", f->name);
        if (sem_bad(self)) {
            site_called(s, self.type, f->name);
            return call_give_up(s, e);
        }
        if (self.type->kind == TY_LIST) /* [1, 2].index(x) */
            self = heap_value(s, f->kid[0], self);
        const FuncDef *m;
        Sem asked;
        if (either_method_call(s, e, self, &asked) ||
            either_no_attribute(s, e, self, f->name, &asked))
            return asked;
        if (bound_special(s, self.type, f->name, &m))
            return m ? call_function(s, e, NULL, m, f->kid[0], NULL) : call_give_up(s, e);
        if (type_is_str(self.type) || type_is_bytes(self.type)) {
            m = text_method(s, e, f, self);
            return m ? call_function(s, e, NULL, m, f->kid[0], NULL) : call_give_up(s, e);
        }
        if (self.type->kind == TY_REF) {
            m = method_of_each(s, e, self.type, heap_method(s, f, self.type));
            want_each(s, e);
            get_or_nothing(s, e, self.type);
            Sem made = m ? call_function(s, e, NULL, m, f->kid[0], NULL) : call_give_up(s, e);
            if (e->n == 2 && (!strcmp(f->name, "extend") || !strcmp(f->name, "update")))
                site_beside(s, sema_known(s, e->kid[1]).type, self.type);
            return made;
        }
        if (self.type->kind == TY_KEYED || keyed_class(self.type)) {
            m = keyed_method(s, f, self);
            return m ? call_function(s, e, NULL, m, f->kid[0], NULL) : call_give_up(s, e);
        }
        Sem own;
        if (object_call(s, e, self, &own))
            return own;
        const Builtin *fn = method_of(s, f, self);
        if (fn)
            return call_row(s, e, fn, f->kid[0]);
        const FuncDef *number = number_function(s, self.type, f->name);
        if (number)
            return call_function(s, e, NULL, number, f->kid[0], NULL);
        if (tuple_replace(s, e, self, &own))
            return own;
        bool member = type_is_int_member(self.type);
        const FuncDef *fd = self.type->kind == TY_TUPLE || member
                                ? tuple_function(s, self.type, f->name)
                            : self.type->kind == TY_RANGE ? range_function(s, f->name)
                            : self.type->kind == TY_SLICE ? slice_function(s, f->name)
                                                          : NULL;
        if (fd)
            return call_function(s, e, NULL, fd, f->kid[0], NULL);
        bool field = self.type->kind == TY_TUPLE && self.type->names;
        field |= type_class(self.type) || (self.cst && self.cst->kind == CV_CLASS);
        if (!field && self.type->kind != TY_ARRAY && self.type->kind != TY_SCALAR &&
            self.type->kind != TY_MODULE && self.type->kind != TY_DTYPE) {
            no_method(s, f, self);
            return call_give_up(s, e);
        }
    }
    s->callee = f;
    Sem v = sema_expr(s, f);
    return sem_bad(v) ? call_give_up(s, e) : call_value(s, e, v);
}

/* ---- calls of functions of swathe/lib -------------------------------------------------------- */

/* `known`: strings stay what they are known to be, as the name of a dtype. */
static Sem
call_with(Sema *s, const Node *e, const char *name, int n, const Node *const *arg,
          const Const *const *given, bool known)
{
    const FuncDef *fd = heap_lib_named(s, name);
    const Type **types = NEW_N(s->a, const Type *, n + 1);
    const Const **csts = NEW_N(s->a, const Const *, n + 1);
    if (!fd)
        return sema_unknown(s);
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST, .n_args = n};
    c->arg = NEW_N(s->a, const Node *, n + 1);
    c->dflt = NEW_N(s->a, const Const *, n + 1);
    for (int i = 0; i < n; i++) {
        Sem v = arg[i] ? sema_known(s, arg[i]) : sem_const(s, given ? given[i] : const_none(s));
        if (arg[i])
            v = heap_value(s, arg[i], v);
        if (arg[i] && !known)
            v = text_value(s, arg[i], v);
        if (sem_bad(v) || (arg[i] && sema_is_later(s, arg[i], v)))
            return sema_unknown(s);
        c->arg[i] = arg[i];
        c->dflt[i] = arg[i] ? NULL : v.cst;
        types[i] = type_resolve(s->tt, v.type);
        csts[i] = v.cst;
    }
    info_of(s, e)->call = c;
    return sem_of(sema_call_inst(s, e, fd, n, types, csts, &c->inst));
}

/* A function of the library with these arguments; NULL: None. */
Sem
heap_call(Sema *s, const Node *e, const char *name, int n, const Node *const *arg)
{
    return call_with(s, e, name, n, arg, NULL, false);
}

/* What has no node is a constant. */
Sem
heap_call_given(Sema *s, const Node *e, const char *name, int n, const Node *const *arg,
                const Const *const *given)
{
    return call_with(s, e, name, n, arg, given, false);
}

/* What is known of strings stays known. */
Sem
heap_call_known(Sema *s, const Node *e, const char *name, int n, const Node *const *arg)
{
    return call_with(s, e, name, n, arg, NULL, true);
}
