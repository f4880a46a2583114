/* SPDX-License-Identifier: BSD-3-Clause
 * What NumPy lets be indexed in place of called: np.mgrid, np.ogrid, np.r_, np.c_ become calls of
 * their rows, in which ("slice", start, stop, step) stands for a slice, whose step may be a complex
 * number; np.s_ and np.index_exp become the index. An index that is a list of lists becomes the
 * array that NumPy makes of it, and a.flat = x is a.flat[:] = x. And what is called by another
 * name: methods of ufuncs without a row, np.fromiter. Takes a node whose kids are folded. */
#include "py.h"

static Node *
made(In *in, FuncDef *f, NodeKind k, const Node *at, int n)
{
    return ast_new(&in->cx->arena, f, k, at->at, n);
}

static Node *
constant(In *in, FuncDef *f, const Node *at, const Const *c)
{
    Node *n = made(in, f, N_Const, at, 0);
    n->val = c;
    return n;
}

static Node *
none(In *in, FuncDef *f, const Node *at)
{
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_NONE;
    return constant(in, f, at, c);
}

static Node *
row(In *in, FuncDef *f, const Node *at, const char *module, const char *name)
{
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_BUILTIN;
    c->ref = builtin_find(module, name);
    return constant(in, f, at, c);
}

/* The parts of a slice from `first` on. */
static void
put_parts(In *in, FuncDef *f, Node *to, int first, const Node *slice)
{
    for (int i = 0; i < 3; i++) {
        Node *part = i < slice->n ? slice->kid[i] : NULL;
        to->kid[first + i] = part ? part : none(in, f, slice);
    }
}

static Node *
tuple_of_slice(In *in, FuncDef *f, const Node *slice)
{
    Node *t = made(in, f, N_Tuple, slice, 4);
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_STR;
    c->str = "slice";
    c->str_len = 5;
    t->kid[0] = constant(in, f, slice, c);
    put_parts(in, f, t, 1, slice);
    return t;
}

/* np.mgrid[a, b] is mgrid(a, b), and np.mgrid[a,], whose result has an axis more than that of
 * np.mgrid[a], mgrid(a, None). */
static void
become_call(In *in, FuncDef *f, Node *n)
{
    Node *index = n->kid[1];
    bool several = index->kind == N_Tuple;
    int count = several ? index->n : 1;
    Node *call = made(in, f, N_Call, n, 1 + count + (several && count == 1));
    call->kid[0] = n->kid[0];
    for (int i = 0; i < count; i++) {
        Node *e = several ? index->kid[i] : index;
        call->kid[1 + i] = e->kind == N_Slice ? tuple_of_slice(in, f, e) : e;
    }
    if (several && count == 1)
        call->kid[2] = none(in, f, n);
    n->kind = N_Call;
    n->n = call->n;
    n->kid = call->kid;
    n->op = 0;
}

static Node *
value_of_index(In *in, FuncDef *f, Node *e)
{
    if (e->kind == N_Tuple)
        for (int i = 0; i < e->n; i++)
            e->kid[i] = value_of_index(in, f, e->kid[i]);
    if (e->kind != N_Slice)
        return e;
    Node *call = made(in, f, N_Call, e, 4);
    call->kid[0] = row(in, f, e, "builtins", "slice");
    put_parts(in, f, call, 1, e);
    return call;
}

static void
become_index(In *in, FuncDef *f, Node *n, bool always_tuple)
{
    Node *e = value_of_index(in, f, n->kid[1]);
    if (always_tuple && e->kind != N_Tuple) {
        Node *t = made(in, f, N_Tuple, n, 1);
        t->kid[0] = e;
        e = t;
    }
    n->kind = e->kind;
    n->n = e->n;
    n->kid = e->kid;
    n->op = e->op;
    n->name = e->name;
    n->val = e->val;
    n->ops = e->ops;
    n->fn = e->fn;
}

static Node *
as_array_of_lists(In *in, FuncDef *f, Node *e)
{
    if (e->kind != N_List || !e->n || e->kid[0]->kind != N_List)
        return e;
    Node *call = made(in, f, N_Call, e, 2);
    call->kid[0] = row(in, f, e, "numpy", "array");
    call->kid[1] = e;
    return call;
}

const Const *
in_lib_const(In *in, const char *name)
{
    PyObject *lib = in_lib_function(in, name);
    Const *fn = NEW(&in->cx->arena, Const);
    fn->kind = CV_FUNC;
    fn->ref = lib ? in_function(in, lib) : NULL;
    in->failed |= !fn->ref;
    return fn->ref ? fn : NULL;
}

static bool
is_ufunc_method(const char *name)
{
    static const char *const names[] = {"reduce", "accumulate", "reduceat", "outer", "at"};
    bool known = false;
    for (int i = 0; i < SW_LEN(names); i++)
        known |= !strcmp(name, names[i]);
    return known;
}

/* np.gcd.reduce(x) is _ufunc_reduce("gcd", np.gcd, x), where gcd.reduce has no row. add.reduce(x)
 * of what swathe.vectorize has made is _vectorized_reduce(...), with what it has to know first. */
static void
fold_method(In *in, FuncDef *f, Node *n)
{
    Node *callee = n->kid[0], *of = callee->kid[0];
    const Const *c = in_constant_value(f, of), *first[4] = {0};
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    bool own = c && c->kind == CV_FUNC && c->n == SW_LEN(first);
    if (!is_ufunc_method(callee->name) || (!own && !b) ||
        (b && (b->family != BF_UFUNC || b->nin != 2 || b->nout != 1)))
        return;
    const Const *fn = in_lib_const(
        in, arena_printf(&in->cx->arena, own ? "_vectorized_%s" : "_ufunc_%s", callee->name));
    Const *text = NEW(&in->cx->arena, Const);
    int n_first = own ? SW_LEN(first) : 2;
    if (b) {
        text->kind = CV_STR;
        text->str = b->name;
        text->str_len = strlen(b->name);
        first[0] = text;
        first[1] = c;
    }
    for (int i = 0; own && i < n_first; i++)
        first[i] = c->elems[i];
    if (!fn)
        return;
    Node *call = made(in, f, N_Call, n, n->n + n_first);
    call->kid[0] = constant(in, f, callee, fn);
    for (int i = 0; i < n_first; i++)
        call->kid[i + 1] = constant(in, f, of, first[i]);
    for (int i = 1; i < n->n; i++)
        call->kid[i + n_first] = n->kid[i];
    n->n = call->n;
    n->kid = call->kid;
}

/* [0, ..., 2] as the letters that a string has in its place, behind what is in `out`; false: they
 * are no such numbers. */
static bool
add_subscripts(Node *n, char *out, size_t room)
{
    for (int i = 0; i < n->n; i++) {
        const Const *c = n->kid[i]->kind == N_Const ? n->kid[i]->val : NULL;
        size_t at = strlen(out);
        if (!c || at + 4 > room)
            return false;
        if (c->kind == CV_ELLIPSIS)
            memcpy(out + at, "...", 4);
        else if (c->kind == CV_INT && c->i >= 0 && c->i < 52)
            snprintf(out + at, 2, "%c", (int)(c->i < 26 ? 'A' + c->i : 'a' + c->i - 26));
        else
            return false;
    }
    return n->kind == N_List || n->kind == N_Tuple;
}

/* np.einsum(a, [0, 1], b, [1, 2], [0, 2]) is np.einsum("AB,BC->AC", a, b). */
static void
fold_einsum(In *in, FuncDef *f, Node *n)
{
    enum { ROOM = 256 };
    char text[ROOM] = "";
    int given = 1, operands = 0;
    while (given < n->n && n->kid[given]->kind != N_Keyword && n->kid[given]->kind != N_Starred)
        given++;
    Node **kid = NEW_N(&in->cx->arena, Node *, n->n + 1);
    for (int i = 1; i + 1 < given; i += 2) {
        if (operands && strlen(text) + 2 < ROOM)
            strcat(text, ",");
        if (!add_subscripts(n->kid[i + 1], text, ROOM))
            return;
        kid[2 + operands++] = n->kid[i];
    }
    if (!operands)
        return;
    if (given % 2 == 0) { /* the result's come last */
        if (strlen(text) + 3 < ROOM)
            strcat(text, "->");
        if (!add_subscripts(n->kid[given - 1], text, ROOM))
            return;
    }
    Const *c = NEW(&in->cx->arena, Const);
    c->kind = CV_STR;
    c->str = arena_printf(&in->cx->arena, "%s", text);
    c->str_len = strlen(text);
    kid[0] = n->kid[0];
    kid[1] = constant(in, f, n->kid[1], c);
    for (int i = given; i < n->n; i++)
        kid[2 + operands + i - given] = n->kid[i];
    n->n = 2 + operands + n->n - given;
    n->kid = kid;
}

/* np.fromiter(x for x in a) is np.array([x for x in a]); with a count, it is called. */
static void
fold_fromiter(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->kid[0]->kind == N_Const ? n->kid[0]->val : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    if (!b || b->id != BI_np_fromiter || n->n < 2)
        return;
    bool counted = n->n == 4;
    const Const *fn = counted ? in_lib_const(in, "_fromiter_counted") : NULL;
    if (fn) {
        n->kid[0] = constant(in, f, n->kid[0], fn);
        return;
    }
    if (n->kid[1]->kind == N_ListComp && n->kid[1]->op == 1)
        n->kid[1]->op = 0;
    n->kid[0] = row(in, f, n->kid[0], "numpy", "array");
}

/* np.atleast_1d(x, y) is a tuple of what it makes of each. */
static void
fold_atleast(In *in, FuncDef *f, Node *n, const Builtin *b)
{
    for (int i = 1; i < n->n; i++)
        if (n->kid[i]->kind == N_Keyword || n->kid[i]->kind == N_Starred)
            return;
    if (n->n < 3)
        return;
    Node *all = made(in, f, N_Tuple, n, n->n - 1);
    for (int i = 1; i < n->n; i++) {
        Node *call = all->kid[i - 1] = made(in, f, N_Call, n->kid[i], 2);
        call->kid[0] = i == 1 ? n->kid[0] : row(in, f, n->kid[0], "numpy", b->name);
        call->kid[1] = n->kid[i];
    }
    n->kind = N_Tuple;
    n->n = all->n;
    n->kid = all->kid;
}

static void
become_tuple(Node *n)
{
    if (n->kind == N_Keyword)
        n = n->kid[0];
    if (n->kind != N_List && n->kind != N_Tuple)
        return;
    n->kind = N_Tuple;
    for (int i = 0; i < n->n; i++)
        become_tuple(n->kid[i]);
}

/* ---- squeeze() of what is seen to have axes of one element ----------------------------------- */

enum { MOST_AXES = 16 };

typedef struct Ones {
    int n, axis[MOST_AXES];
} Ones;

static void
add_one(Ones *o, int axis)
{
    if (o->n < MOST_AXES)
        o->axis[o->n++] = axis;
}

static bool
int_of(const Node *n, int64_t *out)
{
    bool minus = n && n->kind == N_UnaryOp && n->op == U_NEG;
    const Node *k = minus ? n->kid[0] : n;
    if (!k || k->kind != N_Const || k->val->kind != CV_INT)
        return false;
    *out = minus ? -k->val->i : k->val->i;
    return true;
}

/* a[:1], a[2:3] */
static bool
is_single(const Node *s)
{
    int64_t from = 0, to;
    bool known = !s->kid[0] || int_of(s->kid[0], &from);
    return known && !s->kid[2] && int_of(s->kid[1], &to) && to == from + 1;
}

static void
ones_of_index(const Node *index, Ones *o)
{
    Node *const *part = index->kind == N_Tuple ? index->kid : (Node *const *)&index;
    int n = index->kind == N_Tuple ? index->n : 1, behind = -1;
    for (int i = 0, axis = 0; i < n; i++) {
        bool none = part[i]->kind == N_Const && part[i]->val->kind == CV_NONE;
        if (part[i]->kind == N_Const && part[i]->val->kind == CV_ELLIPSIS)
            behind = i;
        else if (part[i]->kind != N_Slice && !none)
            o->n = MOST_AXES + 1; /* a number, or an array */
        if (behind < 0 && (none || (part[i]->kind == N_Slice && is_single(part[i]))))
            add_one(o, axis);
        axis++;
    }
    for (int i = n - 1; behind >= 0 && i > behind; i--)
        if (part[i]->kind != N_Slice || is_single(part[i]))
            add_one(o, i - n);
}

static Node *
keyword(const Node *call, const char *name)
{
    for (int i = 1; i < call->n; i++)
        if (call->kid[i]->kind == N_Keyword && call->kid[i]->name &&
            !strcmp(call->kid[i]->name, name))
            return call->kid[i]->kid[0];
    return NULL;
}

/* a.sum(axis=1, keepdims=True), a.reshape(1, -1) */
static void
ones_of_call(const Node *call, Ones *o)
{
    const Node *callee = call->kid[0], *keep = keyword(call, "keepdims");
    int64_t k;
    bool reshape = callee->kind == N_Attribute && !strcmp(callee->name, "reshape");
    for (int i = 1; reshape && i < call->n; i++)
        if (int_of(call->kid[i], &k) && k == 1)
            add_one(o, i - 1);
    if (reshape && call->n == 2 && call->kid[1]->kind == N_Tuple)
        for (int i = 0; i < call->kid[1]->n; i++)
            if (int_of(call->kid[1]->kid[i], &k) && k == 1)
                add_one(o, i);
    if (keep && keep->kind == N_Const && keep->val->kind == CV_BOOL && keep->val->i &&
        int_of(keyword(call, "axis"), &k))
        add_one(o, (int)k);
}

/* x.squeeze(), np.squeeze(x): _squeezed(x, axes) */
static void
fold_squeeze(In *in, FuncDef *f, Node *n)
{
    const Node *callee = n->kid[0];
    const Const *c = callee->kind == N_Const ? callee->val : NULL;
    bool row = c && c->kind == CV_BUILTIN && ((const Builtin *)c->ref)->id == BI_np_squeeze;
    bool method = callee->kind == N_Attribute && !strcmp(callee->name, "squeeze");
    if (!(row && n->n == 2) && !(method && n->n == 1))
        return;
    Node *x = row ? n->kid[1] : callee->kid[0];
    Ones o = {0};
    if (x->kind == N_Subscript)
        ones_of_index(x->kid[1], &o);
    else if (x->kind == N_Call)
        ones_of_call(x, &o);
    if (!o.n || o.n > MOST_AXES)
        return;
    const Const *fn = in_lib_const(in, "_squeezed");
    Node *axes = made(in, f, N_Tuple, n, o.n), *call = made(in, f, N_Call, n, 3);
    for (int i = 0; i < o.n; i++) {
        Const *k = NEW(&in->cx->arena, Const);
        k->kind = CV_INT;
        k->dtype = DT_i64;
        k->i = o.axis[i];
        axes->kid[i] = constant(in, f, n, k);
    }
    if (!fn)
        return;
    call->kid[0] = constant(in, f, n, fn);
    call->kid[1] = x;
    call->kid[2] = axes;
    n->n = 3;
    n->kid = call->kid;
}

/* The keyword argument of a call by this name; NULL: it has none. */
static Node *
keyword_of(const Node *n, const char *name)
{
    for (int i = 1; i < n->n; i++)
        if (n->kid[i]->kind == N_Keyword && n->kid[i]->name && !strcmp(n->kid[i]->name, name))
            return n->kid[i];
    return NULL;
}

/* np.arange(start=1, stop=5), np.arange(0, n, 1, np.int32): the row has numbers by position and
 * dtype= alone. They stay in the order in which they are evaluated. */
static void
fold_arange(In *in, FuncDef *f, Node *n)
{
    static const char *const names[] = {"start", "stop", "step"};
    Node *by[4] = {NULL}, *dtype = keyword_of(n, "dtype");
    int given = 0, named = 0, last = 0;
    while (given + 1 < n->n && n->kid[given + 1]->kind != N_Keyword)
        given++;
    for (int i = 0; i < given && i < 4; i++)
        by[i] = n->kid[i + 1];
    for (int i = 0; i < 3; i++) {
        Node *k = keyword_of(n, names[i]);
        named += k != NULL;
        for (int at = 1; k && at < n->n; at++) {
            if (n->kid[at] != k)
                continue;
            if (at < last)
                return;
            last = at;
        }
        if (k && by[i])
            return; /* two values, or np.arange(5, start=1) */
        by[i] = k ? k->kid[0] : by[i];
    }
    bool fourth = given == 4 && !dtype && !named;
    if (given > 4 || (!fourth && (given > 3 || !named || !by[1] || (by[2] && !by[0]))) ||
        given + named + (dtype != NULL) + 1 != n->n)
        return;
    int at = 1;
    for (int i = 0; i < 3; i++)
        if (by[i])
            n->kid[at++] = by[i];
    if (fourth) {
        dtype = made(in, f, N_Keyword, by[3], 1);
        dtype->name = intern(&in->cx->syms, "dtype");
        dtype->kid[0] = by[3];
    }
    if (dtype)
        n->kid[at++] = dtype;
    n->n = at;
}

/* np.array(x, ndmin=2) is np.atleast_2d(np.array(x)). */
static void
fold_ndmin(In *in, FuncDef *f, Node *n)
{
    static const char *const rows[] = {NULL, "atleast_1d", "atleast_2d"};
    Node *k = keyword_of(n, "ndmin");
    int64_t least;
    int at = 1;
    if (!k || !int_of(k->kid[0], &least) || least < 0 || least >= SW_LEN(rows))
        return;
    while (n->kid[at] != k)
        at++;
    memmove(n->kid + at, n->kid + at + 1, sizeof *n->kid * (size_t)(n->n - at - 1));
    n->n--;
    if (least == 0)
        return;
    Node *of = made(in, f, N_Call, n, n->n);
    memcpy(of->kid, n->kid, sizeof *n->kid * (size_t)n->n);
    n->kid[0] = row(in, f, n, "numpy", rows[least]);
    n->kid[1] = of;
    n->n = 2;
}

/* np.full(n, [1, 2]) has the array of the list. */
static void
fold_full(In *in, FuncDef *f, Node *n)
{
    Node *k = keyword_of(n, "fill_value");
    Node **v = k ? &k->kid[0] : n->n > 2 ? &n->kid[2] : NULL;
    if (!v || (*v)->kind != N_List)
        return;
    Node *of = made(in, f, N_Call, *v, 2);
    of->kid[0] = row(in, f, *v, "numpy", "array");
    of->kid[1] = *v;
    *v = of;
}

void
in_fold_called(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->kid[0]->kind == N_Const ? n->kid[0]->val : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    for (int i = 1; b && b->flags & TUPLES && i < n->n; i++)
        become_tuple(n->kid[i]);
    if (b && b->id == BI_np_arange)
        fold_arange(in, f, n);
    if (b && b->id == BI_np_array)
        fold_ndmin(in, f, n);
    if (b && (b->id == BI_np_full || b->id == BI_np_full_like))
        fold_full(in, f, n);
    if (b &&
        (b->id == BI_np_atleast_1d || b->id == BI_np_atleast_2d || b->id == BI_np_atleast_3d)) {
        fold_atleast(in, f, n, b);
        return;
    }
    if (b && b->id == BI_np_einsum)
        fold_einsum(in, f, n);
    if (n->kid[0]->kind == N_Attribute)
        fold_method(in, f, n);
    else
        fold_fromiter(in, f, n);
    if (!f->is_lib)
        fold_squeeze(in, f, n);
}

void
in_fold_index(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->kid[0]->kind == N_Const ? n->kid[0]->val : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    Node *index = n->kid[1];
    if (b && b->flags & INDEXED && n->op == CTX_LOAD) {
        if (b->id == BI_np_s_ || b->id == BI_np_index_exp)
            become_index(in, f, n, b->id == BI_np_index_exp);
        else
            become_call(in, f, n);
        return;
    }
    n->kid[1] = as_array_of_lists(in, f, index);
    if (index->kind == N_Tuple)
        for (int i = 0; i < index->n; i++)
            index->kid[i] = as_array_of_lists(in, f, index->kid[i]);
}

void
in_fold_flat(In *in, FuncDef *f, Node *n)
{
    for (int i = 1; i < n->n; i++) {
        Node *t = n->kid[i];
        if (t->kind != N_Attribute || strcmp(t->name, "flat") != 0)
            continue;
        Node *all = made(in, f, N_Subscript, t, 2);
        all->op = t->op;
        all->name = t->name; /* of an instance it is an attribute after all: UNROLL_FLAT */
        all->kid[0] = t;
        all->kid[1] = made(in, f, N_Slice, t, 3);
        t->op = CTX_LOAD;
        n->kid[i] = all;
    }
}

/* ---- a, b = what is gone through ------------------------------------------------------------- */

static bool
calls_one_of(FuncDef *f, const Node *n, int count, const BuiltinId *ids)
{
    const Const *c = n->kind == N_Call ? in_constant_value(f, n->kid[0]) : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    for (int i = 0; b && i < count; i++)
        if (b->id == (int)ids[i])
            return true;
    return false;
}

/* Does it go through what may be a generator? ast_gen_consume_unpacked knows. */
static bool
through_call(FuncDef *f, const Node *v)
{
    const Const *c = v->kind == N_Call ? in_constant_value(f, v->kid[0]) : NULL;
    bool found = c ? c->kind == CV_FUNC : v->kind == N_Call && v->kid[0]->kind == N_Name;
    for (int i = 1; !found && v->kind == N_Call && i < v->n; i++)
        found = through_call(f, v->kid[i]);
    for (int i = 1; !found && v->kind == N_ListComp && i < v->n; i++)
        found = through_call(f, v->kid[i]->kid[1]);
    return found;
}

/* What stands behind `a, b =`: a generator expression is a list there, since all of it is asked
 * for, and what yields its elements one by one becomes list(...). */
static Node *
unpacked(In *in, FuncDef *f, const Node *target, Node *v)
{
    static const BuiltinId lazy[] = {BI_py_reversed, BI_py_enumerate, BI_py_zip};
    if (target->kind != N_Tuple && target->kind != N_List)
        return v;
    if (v->kind == N_Tuple && v->n == target->n)
        for (int i = 0; i < v->n; i++)
            v->kid[i] = unpacked(in, f, target->kid[i], v->kid[i]);
    if (through_call(f, v))
        return v;
    if (v->kind == N_ListComp && v->op == 1)
        v->op = 0;
    if (!calls_one_of(f, v, SW_LEN(lazy), lazy))
        return v;
    Node *all = made(in, f, N_Call, v, 2);
    all->kid[0] = row(in, f, v, "builtins", "list");
    all->kid[1] = v;
    return all;
}

void
in_fold_unpacked(In *in, FuncDef *f, Node *n)
{
    if (n->n == 2) /* of several targets, the second finds an iterator at its end */
        n->kid[0] = unpacked(in, f, n->kid[1], n->kid[0]);
}

/* `for i in range(n)[::-1]` goes through reversed(range(n)). */
void
in_fold_backwards(In *in, FuncDef *f, Node *loop)
{
    static const BuiltinId range[] = {BI_py_range};
    Node *over = loop->kid[1], *by = over->kind == N_Subscript ? over->kid[1] : NULL;
    bool slice = by && by->kind == N_Slice && by->n == 3 && !by->kid[0] && !by->kid[1];
    Node *step = slice ? by->kid[2] : NULL;
    bool back = step && step->kind == N_UnaryOp && step->op == U_NEG;
    const Const *c = back && step->kid[0]->kind == N_Const ? step->kid[0]->val
                     : step && step->kind == N_Const       ? step->val
                                                           : NULL;
    if (!c || c->kind != CV_INT || c->i != (back ? 1 : -1) ||
        !calls_one_of(f, over->kid[0], 1, range))
        return;
    loop->kid[1] = made(in, f, N_Call, over, 2);
    loop->kid[1]->kid[0] = row(in, f, over, "builtins", "reversed");
    loop->kid[1]->kid[1] = over->kid[0];
}
