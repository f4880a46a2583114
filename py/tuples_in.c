/* SPDX-License-Identifier: BSD-3-Clause
 * Tuples whose length no type says: those of zip(*rows), of permutations and combinations of what
 * is computed. Where each is only gone through, indexed, summed and the like, a list does as well,
 * and functions of swathe._itertools that yield lists stand for the others. And global ranges. */
#include "heap.h"
#include "py.h"

/* permutations(range(3)), permutations([a, b, c]): the length is written there. */
void
in_fold_permutations(In *in, FuncDef *f, Node *n)
{
    const Node *of = n->n == 2 ? n->kid[1] : NULL;
    const Const *c = of ? in_constant_value(f, n->kid[0]) : NULL, *length = NULL;
    const FuncDef *fn = c && c->kind == CV_FUNC ? c->ref : NULL;
    if (!fn || !fn->is_lib || strcmp(fn->name, "permutations"))
        return;
    const Const *r = of->kind == N_Call && of->n == 2 ? in_constant_value(f, of->kid[0]) : NULL;
    const Builtin *b = r && r->kind == CV_BUILTIN ? r->ref : NULL;
    if (b && b->id == BI_py_range && of->kid[1]->kind == N_Const &&
        of->kid[1]->val->kind == CV_INT && of->kid[1]->val->i >= 0)
        length = of->kid[1]->val;
    bool written = of->kind == N_List || of->kind == N_Tuple;
    for (int i = 0; written && i < of->n; i++)
        written = of->kid[i]->kind != N_Starred;
    if (written) {
        Const *k = NEW(&in->cx->arena, Const);
        *k = (Const){.kind = CV_INT, .i = of->n};
        length = k;
    }
    if (!length)
        return;
    Node **kid = NEW_N(&in->cx->arena, Node *, 3);
    kid[0] = n->kid[0];
    kid[1] = n->kid[1];
    kid[2] = ast_const(&in->cx->arena, f, of->at, length);
    n->kid = kid;
    n->n = 3;
}

/* n becomes a call of the builtin with three constants. */
static void
call_of(In *in, FuncDef *f, Node *n, BuiltinId id, const Const *const part[3])
{
    Node **kid = NEW_N(&in->cx->arena, Node *, 4);
    Const *called = NEW(&in->cx->arena, Const);
    *called = (Const){.kind = CV_BUILTIN, .ref = &builtin_table[id]};
    kid[0] = ast_const(&in->cx->arena, f, n->at, called);
    for (int i = 0; i < 3; i++)
        kid[i + 1] = ast_const(&in->cx->arena, f, n->at, part[i]);
    n->kind = N_Call;
    n->kid = kid;
    n->n = 4;
    n->name = NULL;
}

/* SIZES, a global range, is range(start, stop, step). */
static bool
fold_range(In *in, FuncDef *f, Node *n, PyObject *o)
{
    int64_t part[3];
    if (!o || !PyRange_Check(o) || !heap_range(o, part))
        return false;
    const Const *of[3];
    for (int i = 0; i < 3; i++) {
        Const *c = NEW(&in->cx->arena, Const);
        *c = (Const){.kind = CV_INT, .i = part[i]};
        of[i] = c;
    }
    call_of(in, f, n, BI_py_range, of);
    return true;
}

/* FIELD, a global slice of ints, is slice(start, stop, step). */
static bool
fold_slice(In *in, FuncDef *f, Node *n, PyObject *o)
{
    if (!o || !PySlice_Check(o))
        return false;
    PySliceObject *s = (PySliceObject *)o;
    PyObject *part[3] = {s->start, s->stop, s->step};
    const Const *of[3];
    for (int i = 0; i < 3; i++) {
        of[i] =
            part[i] == Py_None || PyLong_CheckExact(part[i]) ? in_const(in, part[i], NULL) : NULL;
        if (!of[i] || (of[i]->kind != CV_NONE && of[i]->kind != CV_INT))
            return false;
    }
    call_of(in, f, n, BI_py_slice, of);
    return true;
}

bool
in_fold_ints(In *in, FuncDef *f, Node *n, PyObject *o)
{
    return fold_range(in, f, n, o) || fold_slice(in, f, n, o);
}

static const Builtin *
builtin_at(const FuncDef *f, const Node *n)
{
    const Const *c = n && n->kind == N_Call ? in_constant_value(f, n->kid[0]) : NULL;
    return c && c->kind == CV_BUILTIN ? c->ref : NULL;
}

static bool
is_loaded(const Node *n, Sym name)
{
    return n && n->kind == N_Name && n->name == name && n->op == CTX_LOAD;
}

/* It, or a slice of it. */
static bool
is_part(const Node *n, Sym name)
{
    if (n && n->kind == N_Subscript && n->op == CTX_LOAD && n->kid[1]->kind == N_Slice)
        return is_part(n->kid[0], name);
    return is_loaded(n, name);
}

static bool only_elements(const FuncDef *f, const Node *n, Sym name);

/* `if name and ...`: of it only whether there is anything */
static bool
only_tested(const FuncDef *f, const Node *test, Sym name)
{
    bool only = true;
    for (int i = 0; only && i < test->n; i++)
        only = is_loaded(test->kid[i], name) || only_elements(f, test->kid[i], name);
    return only;
}

/* Does nothing look at what `name` is as a whole? */
static bool
only_elements(const FuncDef *f, const Node *n, Sym name)
{
    static const short takes[] = {BI_py_list,   BI_py_sum,     BI_py_max, BI_py_min,
                                  BI_py_len,    BI_py_any,     BI_py_all, BI_py_enumerate,
                                  BI_py_zip,    BI_py_sorted,  BI_py_set, BI_py_map,
                                  BI_py_filter, BI_py_reversed};
    if (!n)
        return true;
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        if (n->fn->free[i] == name)
            return false;
    const Builtin *b = builtin_at(f, n);
    const Node *g = n->kind == N_Call ? n->kid[0] : NULL;
    bool fine = g && g->kind == N_Attribute && !strcmp(g->name, "join");
    for (int i = 0; b && i < SW_LEN(takes); i++)
        fine |= b->id == takes[i];
    fine |= b && (b->family == BF_NP || b->family == BF_UFUNC);
    for (int i = 0; i < n->n; i++) {
        bool iterates = (n->kind == N_For || n->kind == N_Comprehension) && i == 1;
        bool element =
            n->kind == N_Subscript && n->op == CTX_LOAD && i == 0 && n->kid[1]->kind != N_Slice;
        bool member = n->kind == N_Compare && i == 1 && (n->ops[0] == C_IN || n->ops[0] == C_NOTIN);
        bool branches = i == 0 && (n->kind == N_If || n->kind == N_While);
        bool test = branches || (n->kind == N_UnaryOp && n->op == U_NOT);
        if (branches && n->kid[0]->kind == N_BoolOp) {
            if (!only_tested(f, n->kid[0], name))
                return false;
            continue;
        }
        bool is = is_part(n->kid[i], name);
        for (const Node *k = is ? n->kid[i] : NULL; k && k->kind == N_Subscript; k = k->kid[0])
            if (!only_elements(f, k->kid[1], name))
                return false;
        if (is ? !(iterates || element || member || test || (fine && i > 0))
               : !only_elements(f, n->kid[i], name))
            return false;
    }
    return true;
}

/* x of f(*x), which is no display; NULL */
static Node *
unpacked_rows(const Node *call)
{
    Node *x = call->n > 1 ? call->kid[1] : NULL;
    bool rows =
        x && x->kind == N_Starred && x->kid[0]->kind != N_Tuple && x->kid[0]->kind != N_List;
    return rows ? x->kid[0] : NULL;
}

/* strict=True, strict=False */
static bool
says_strict(const FuncDef *f, const Node *k, bool *strict)
{
    bool is = k->kind == N_Keyword && !strcmp(k->name, "strict");
    const Const *c = is ? in_constant_value(f, k->kid[0]) : NULL;
    *strict = c && c->kind == CV_BOOL && c->b;
    return c && c->kind == CV_BOOL;
}

/* x of zip(*x), or zip(*x, strict=True) */
static Node *
zipped_rows(const FuncDef *f, const Node *z, bool *strict)
{
    const Builtin *b = builtin_at(f, z);
    *strict = false;
    bool is =
        b && b->id == BI_py_zip && (z->n == 2 || (z->n == 3 && says_strict(f, z->kid[2], strict)));
    return is ? unpacked_rows(z) : NULL;
}

/* x of zip_longest(*x), or zip_longest(*x, fillvalue=v) */
static Node *
padded_rows(const FuncDef *f, const Node *z)
{
    const Const *c = z->kind == N_Call ? in_constant_value(f, z->kid[0]) : NULL;
    const FuncDef *fn = c && c->kind == CV_FUNC ? c->ref : NULL;
    bool fills = z->n == 2 || (z->n == 3 && z->kid[2]->kind == N_Keyword);
    bool is = fn && fn->is_lib && !strcmp(fn->name, "zip_longest");
    return is && fills ? unpacked_rows(z) : NULL;
}

/* permutations(x), combinations(x, r), product(x, repeat=r), where r is not known */
static const char *
of_unknown_length(const FuncDef *f, const Node *z)
{
    static const char *const names[] = {"permutations", "combinations",
                                        "combinations_with_replacement", "product"};
    const Const *c = z->kind == N_Call ? in_constant_value(f, z->kid[0]) : NULL;
    const FuncDef *fn = c && c->kind == CV_FUNC ? c->ref : NULL;
    const char *name = NULL;
    for (int i = 0; fn && fn->is_lib && i < SW_LEN(names); i++)
        name = strcmp(fn->name, names[i]) ? name : names[i];
    if (!name || z->n < 2 || z->n > 3 || z->kid[1]->kind == N_Starred)
        return NULL;
    const Node *r = z->n == 3 ? z->kid[2] : NULL;
    bool named = r && r->kind == N_Keyword;
    if (name == names[3] ? !named : !r && name != names[0])
        return NULL;
    if (named)
        r = r->kid[0];
    const Const *known = r ? in_constant_value(f, r) : NULL;
    return known && known->kind == CV_INT ? NULL : name;
}

/* z: tuples of the length that only the run tells, or lists, where nobody asks for tuples. */
static void
stand_in(In *in, FuncDef *f, Node *z, bool lists)
{
    bool strict;
    Node *rows = zipped_rows(f, z, &strict), *padded = rows ? NULL : padded_rows(f, z);
    const char *of = f->is_lib ? NULL /* which stands in itself */
                     : rows    ? "zip"
                     : padded  ? "zip_longest"
                               : of_unknown_length(f, z);
    rows = rows ? rows : padded;
    const Const *c = !of      ? NULL
                     : strict ? in_stdlib_method(in, of, lists ? "strict_columns" : "strict_tuples")
                     : lists  ? in_stdlib_method(in, of, rows ? "columns" : "lists")
                              : in_stdlib_method(in, of, "tuples");
    if (!c)
        return;
    in_mention(in, c);
    z->kid[0] = ast_const(&in->cx->arena, f, z->at, c);
    if (rows)
        z->kid[1] = rows;
    if (!strcmp(of, "zip"))
        z->n = 2; /* without strict= */
}

/* zip(*rows) by another name, which takes the rows. */
static void
columns_by(In *in, FuncDef *f, Node *z, const char *by)
{
    bool strict = false;
    Node *rows = !f->is_lib && z->kind == N_Call ? zipped_rows(f, z, &strict) : NULL;
    const Const *c = rows && !strict && z->n == 2 ? in_stdlib_method(in, "zip", by) : NULL;
    if (!c)
        return;
    in_mention(in, c);
    z->kid[0] = ast_const(&in->cx->arena, f, z->at, c);
    z->kid[1] = rows;
}

/* `for x, y in zip(*rows)`, `for i, (x, y) in enumerate(zip(*rows))`, dict(zip(*rows)): there have
 * to be as many rows as that takes. */
static void
fold_columns(In *in, FuncDef *f, Node *n)
{
    bool loop = n->kind == N_For || n->kind == N_Comprehension;
    const Node *to = loop ? n->kid[0] : NULL;
    Node *z = loop ? n->kid[1] : n;
    const Builtin *b = builtin_at(f, z);
    bool numbered = to && b && b->id == BI_py_enumerate && to->kind == N_Tuple && to->n == 2;
    bool dict = !loop && b && b->id == BI_py_dict && z->n == 2;
    if (numbered || dict) {
        to = numbered ? to->kid[1] : NULL;
        z = z->n > 1 ? z->kid[1] : NULL;
    }
    if (!z || (!loop && !dict))
        return;
    bool fits = to && to->kind == N_Tuple && to->n >= 2 && to->n <= 4;
    for (int i = 0; fits && i < to->n; i++)
        fits = to->kid[i]->kind != N_Starred;
    if (dict)
        columns_by(in, f, z, "pairs");
    else if (fits)
        columns_by(in, f, z, arena_printf(&in->cx->arena, "columns%d", to->n));
}

/* `for c in zip(*rows)`, of a loop or comprehension; scope: where its variable is that one. */
static void
fold_tuples(In *in, FuncDef *f, Node *n, const Node *scope)
{
    Node *z = n->kid[1], *to = n->kid[0];
    bool rest = false; /* for *key, last in zip(*rows): a list of the first */
    for (int i = 0; to->kind == N_Tuple && i < to->n; i++)
        rest |= to->kid[i]->kind == N_Starred;
    bool apart = rest || (z && to->kind == N_Tuple && padded_rows(f, z));
    if (z && z->kind == N_Call && (to->kind == N_Name || apart))
        stand_in(in, f, z, apart || only_elements(f, scope, to->name));
}

/* `xs, ys = zip(*rows)`: lists of their columns. */
static void
fold_unpacked_columns(In *in, FuncDef *f, Node *n)
{
    const Builtin *b = builtin_at(f, n->kid[0]);
    bool listed = b && b->id == BI_py_list && n->kid[0]->n == 2; /* by in_fold_unpacked */
    Node *z = listed ? n->kid[0]->kid[1] : n->kid[0];
    bool strict = false;
    Node *rows = z->kind == N_Call ? zipped_rows(f, z, &strict) : NULL;
    Node *to = n->n == 2 ? n->kid[1] : NULL;
    if (!rows || strict || !to || to->kind != N_Tuple)
        return;
    bool lists = true;
    for (int i = 0; i < to->n; i++)
        lists &= to->kid[i]->kind == N_Name && only_elements(f, f->body, to->kid[i]->name);
    const char *by =
        arena_printf(&in->cx->arena, lists ? "unpacked%d" : "unpacked%d_tuples", to->n);
    const Const *c = in_stdlib_method(in, "zip", by);
    if (!c)
        return;
    in_mention(in, c);
    z->kid[0] = ast_const(&in->cx->arena, f, z->at, c);
    z->kid[1] = rows;
    z->n = 2;
    n->kid[0] = z;
}

/* () of d.get(k, ()), of `x or ()`, of `x if test else ()` */
static void
mark_nothing(Node *e)
{
    if (e->kind == N_Tuple && !e->n)
        e->op = TUPLE_OR_LIST;
    else if (e->kind == N_IfExp || e->kind == N_BoolOp)
        for (int i = e->kind == N_IfExp; i < e->n; i++)
            mark_nothing(e->kid[i]);
    else if (e->kind == N_Call && e->n == 3 && e->kid[0]->kind == N_Attribute &&
             !strcmp(e->kid[0]->name, "get") && e->kid[2]->kind == N_Tuple)
        mark_nothing(e->kid[2]);
}

/* `x = d.get(k, ())`, of which nobody asks for more than elements. */
static void
fold_nothing(const FuncDef *f, Node *n)
{
    const Node *to = n->n == 2 ? n->kid[1] : NULL;
    Node *v = n->kid[0];
    bool may = v->kind == N_Call || v->kind == N_IfExp || v->kind == N_BoolOp;
    if (may && to && to->kind == N_Name && !f->is_lib && ast_is_local(f, to->name) &&
        only_elements(f, f->body, to->name))
        mark_nothing(v);
}

void
in_walk_tuples(In *in, FuncDef *f, Node *n)
{
    if (n && n->kind == N_Assign)
        fold_nothing(f, n);
    if (n && n->kind == N_Assign)
        fold_unpacked_columns(in, f, n);
    if (n)
        fold_columns(in, f, n);
    for (int i = 0; n && i < n->n; i++) {
        in_walk_tuples(in, f, n->kid[i]);
        if (n->kid[i] && n->kid[i]->kind == N_Comprehension)
            fold_tuples(in, f, n->kid[i], n);
    }
    if (n && n->kind == N_For)
        fold_tuples(in, f, n, f->body);
    for (int i = 0; n && i < n->n; i++) {
        bool goes_through = (n->kind == N_For || n->kind == N_Comprehension) && i == 1;
        if (n->kid[i] && n->kid[i]->kind == N_Call && !goes_through)
            stand_in(in, f, n->kid[i], false);
    }
    if (n && n->fn)
        in_walk_tuples(in, n->fn, n->fn->body);
}
