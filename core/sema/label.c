/* SPDX-License-Identifier: BSD-3-Clause
 * label('N'), which names the loops of the statement after it, and the schedule, which
 * refers to those names. Labels in a row name the dimensions of what follows from left to
 * right, so there may be no more of them than it has. A label that names nothing, and a
 * schedule that names no label, are mistakes: neither would have an effect. */
#include "sema/internal.h"

/* ---- labels ------------------------------------------------------------------------ */

static const Const *
value_of(const FuncDef *f, const Node *n)
{
    return n->kind == N_Const ? n->val : n->kind == N_Name ? ast_global(f, n->name) : NULL;
}

/* The argument of label(...); NULL when n is another statement. */
static const Node *
label_arg(const FuncDef *f, const Node *n)
{
    const Node *e = n->kind == N_Expr ? n->kid[0] : NULL;
    const Const *c = e && e->kind == N_Call ? value_of(f, e->kid[0]) : NULL;
    if (!c || c->kind != CV_BUILTIN || ((const Builtin *)c->ref)->id != BI_py_label)
        return NULL;
    return e->n > 1 ? e->kid[1] : e;
}

int
sema_label_run(Sema *s, const Node *block, int i)
{
    int n = 0;
    while (i + n < block->n && label_arg(s->fr->in->def, block->kid[i + n]))
        n++;
    return n;
}

/* What a label may say: type_py asks. */
const Type *
sema_type_label(Sema *s, const Node *call, Sem name)
{
    if (s->label_at != call) {
        Diag *g = sema_error(s, DIAG_label, call, "label() is part of an expression");
        diag_hint(s->diags, g, "write it as a statement of its own, before what it names");
    } else if (!name.cst || name.cst->kind != CV_STR) {
        Diag *g = sema_error(s, DIAG_label, call,
                             "label() takes a string that is known at compile time%s%s",
                             name.type ? ", not " : "", name.type ? name.type->text : "");
        diag_hint(s->diags, g, "write label('N')");
    } else if (!name.cst->str_len) {
        sema_error(s, DIAG_label, call, "label() takes a name, not an empty string");
    }
    return type_none(s->tt);
}

/* ---- what they name ---------------------------------------------------------------- */

static int
most(int a, int b)
{
    return a > b ? a : b;
}

static int
own_rank(Sema *s, const Node *e)
{
    const Type *t = info_of(s, e)->type;
    return t && t->kind == TY_ARRAY ? t->ndim : 0;
}

/* The axes of the widest loop nest in an expression. What a function of the program does
 * has labels of its own. */
static int
rank(Sema *s, const Node *e)
{
    if (!e)
        return 0;
    if (e->kind == N_Name || e->kind == N_Subscript || e->kind == N_Const)
        return own_rank(s, e);
    const Call *c = info_of(s, e)->call;
    if (c && c->kind == CALL_INST && !c->inst->def->is_lib)
        return 0;
    int r = own_rank(s, e);
    for (int i = 0; i < e->n; i++)
        r = most(r, rank(s, e->kid[i]));
    return r;
}

/* A name or a view of one is made without a loop. */
static int
value_rank(Sema *s, const Node *e)
{
    bool plain = !e || e->kind == N_Name || e->kind == N_Subscript || e->kind == N_Attribute;
    return plain ? 0 : rank(s, e);
}

static int
target_rank(Sema *s, const Node *t)
{
    return t->kind == N_Subscript ? own_rank(s, t) : 0;
}

/* A for over ranges(a, b) is two loops. */
static int
loops_of(Sema *s, const Node *iterable)
{
    const Call *c = iterable->kind == N_Call ? info_of(s, iterable)->call : NULL;
    bool nest = c && c->kind == CALL_BUILTIN && c->fn->id == BI_py_ranges;
    return nest ? c->n_args : 1;
}

static int
stmt_rank(Sema *s, const Node *n)
{
    int r = 0;
    switch (n->kind) {
    case N_For:
        return loops_of(s, n->kid[1]);
    case N_Assign:
        r = value_rank(s, n->kid[0]);
        for (int i = 1; i < n->n; i++)
            r = most(r, target_rank(s, n->kid[i]));
        return r;
    case N_AugAssign:
        r = most(value_rank(s, n->kid[1]), target_rank(s, n->kid[0]));
        return n->kid[0]->kind == N_Name ? most(r, own_rank(s, n->kid[0])) : r;
    case N_AnnAssign:
        return n->n > 1 ? value_rank(s, n->kid[1]) : 0;
    case N_Expr:
    case N_Return:
        return n->n ? value_rank(s, n->kid[0]) : 0;
    default:
        return 0;
    }
}

static const char *
text_of(Sema *s, const Node *label)
{
    const Node *a = label_arg(s->fr->in->def, label);
    const Const *c = info_of(s, a)->cst;
    return c && c->kind == CV_STR ? c->str : "?";
}

static void
names_nothing(Sema *s, const Node *label, const char *why, const char *hint)
{
    Diag *g =
        sema_error(s, DIAG_label, label, "label '%s' names nothing: %s", text_of(s, label), why);
    diag_hint(s->diags, g, "%s", hint);
}

void
sema_check_labels(Sema *s, const Node *block, int first, int n)
{
    const Node *label = block->kid[first];
    const Node *next = first + n < block->n ? block->kid[first + n] : NULL;
    const char *where = "put it right before a for loop, a slice statement such as "
                        "a[:, :] = b, or a reduction";
    if (!next) {
        names_nothing(s, label, "no statement follows it in this block", where);
        return;
    }
    int r = stmt_rank(s, next);
    if (next->kind == N_While)
        names_nothing(s, label, "a while loop can't be scheduled", "use a for loop");
    else if (r == 0)
        names_nothing(s, label, "the statement after it makes no loop", where);
    else if (n > r) {
        Diag *g =
            sema_error(s, DIAG_label, block->kid[first + r],
                       "%d labels, but what follows has %d dimension%s", n, r, r == 1 ? "" : "s");
        diag_note(s->diags, g, next->at, "this is what they name");
    }
}

/* ---- the schedule ------------------------------------------------------------------ */

typedef Vec(const char *) Texts;

static void
add_text(Sema *s, Texts *out, const char *name)
{
    for (int i = 0; i < out->n; i++)
        if (!strcmp(out->at[i], name))
            return;
    if (strcmp(name, "_"))
        VEC_PUSH(s->a, *out, name);
}

/* Also in branches that these types leave dead. */
static void
collect(Sema *s, const FuncDef *f, const Node *n, Texts *out)
{
    if (!n)
        return;
    const Node *arg = label_arg(f, n);
    const Const *c = arg ? value_of(f, arg) : NULL;
    if (c && c->kind == CV_STR)
        add_text(s, out, c->str);
    for (int i = 0; i < n->n; i++)
        collect(s, f, n->kid[i], out);
    if (n->fn)
        collect(s, n->fn, n->fn->body, out);
}

static void
unknown_label(Sema *s, const char *name, const Texts *known)
{
    const FuncDef *root = s->prog->root;
    StrBuf b = {0};
    const char *near = diag_nearest(name, known->at, known->n);
    Diag *g = diag_add(s->diags, DIAG_schedule, root->at,
                       "the schedule has a label '%s', which '%s' has not", name, root->name);
    if (near)
        sb_addf(&b, "did you mean '%s'? ", near);
    sb_add(&b, known->n ? "there are: " : "no function that it calls has a label either");
    for (int i = 0; i < known->n; i++)
        sb_addf(&b, "%s'%s'", i ? ", " : "", known->at[i]);
    diag_hint(s->diags, g, "%s", b.s);
    sb_free(&b);
}

void
sema_check_schedule(Sema *s)
{
    Texts known = {0};
    if (!s->cx->n_sched)
        return;
    for (int i = 0; i < s->prog->funcs.n; i++) {
        const FuncDef *f = s->prog->funcs.at[i];
        if (!f->is_lib && !f->parent)
            collect(s, f, f->body, &known);
    }
    for (int i = 0; i < s->cx->n_sched; i++) {
        const char *name = s->cx->sched[i].label;
        int k = 0;
        while (k < known.n && strcmp(known.at[k], name))
            k++;
        if (k == known.n)
            unknown_label(s, name, &known);
    }
}
