/* SPDX-License-Identifier: BSD-3-Clause
 * Nodes and expressions of the function that goes on to a generator's next yield. Takes expressions
 * of the generator's body; yields copies in which variables that live across a yield are fields of
 * the object, and statements that go before: what is sent to a yield within an expression, what :=
 * sets, and what is evaluated before these. */
#include "ast/resume.h"

/* ---- nodes ----------------------------------------------------------------------------------- */

Node *
resume_make(Body *b, NodeKind k, Span at, int n, Node *const *kid)
{
    return ast_gen_node(&b->x, k, at, n, kid);
}

Node *
resume_name(Body *b, Span at, Sym as)
{
    return ast_gen_name(&b->x, at, as, CTX_LOAD);
}

Node *
resume_field(Body *b, Span at, const char *of, int op)
{
    return ast_resume_field(&b->x, at, b->self, of, op);
}

void
resume_push(Body *b, Nodes *to, Node *n)
{
    VEC_PUSH(&b->x.cx->arena, *to, n);
}

void
resume_assign(Body *b, Nodes *to, Node *target, Node *value)
{
    resume_push(b, to, resume_make(b, N_Assign, target->at, 2, (Node *[]){value, target}));
}

void
resume_set_state(Body *b, Nodes *to, Span at, int64_t v)
{
    resume_assign(b, to, resume_field(b, at, "_gi_state", CTX_STORE), ast_gen_int(&b->x, at, v));
}

Node *
resume_compare(Body *b, Span at, Node *left, CmpKind op, Node *right)
{
    return ast_gen_compare(&b->x, at, left, op, right);
}

Node *
resume_is_state(Body *b, Span at, CmpKind op, int64_t v)
{
    return resume_compare(b, at, resume_name(b, at, b->s), op, ast_gen_int(&b->x, at, v));
}

Node *
resume_both(Body *b, Span at, bool or, Node *l, Node *r)
{
    Node *n = resume_make(b, N_BoolOp, at, 2, (Node *[]){l, r});
    n->op = or ;
    return n;
}

/* Does it go on at one of these yields? */
Node *
resume_is_within(Body *b, Span at, int from, int to)
{
    if (to - from == 1)
        return resume_is_state(b, at, C_EQ, from);
    return resume_both(b, at, false, resume_is_state(b, at, C_GE, from),
                       resume_is_state(b, at, C_LT, to));
}

void
resume_when(Body *b, Nodes *to, Span at, Node *test, const Nodes *then)
{
    Node *block = ast_gen_block(&b->x, at, then);
    resume_push(b, to, resume_make(b, N_If, at, 3, (Node *[]){test, block, NULL}));
}

Sym
resume_fresh(Body *b, const char *what)
{
    return intern(&b->x.cx->syms, arena_printf(&b->x.cx->arena, "%s.r%d", what, b->x.serial++));
}

Sym
resume_fresh_field(Body *b, const char *what)
{
    Sym as = resume_fresh(b, what);
    VEC_PUSH(&b->x.cx->arena, b->of->kept, as);
    return as;
}

void
resume_refuse(Body *b, Nodes *to, Span at, const char *why)
{
    resume_push(b, to, ast_gen_refuse(&b->x, at, why));
}

/* ---- expressions ----------------------------------------------------------------------------- */

static bool
is_in(const Sym *names, int n, Sym as)
{
    return ast_has_name(names, n, as);
}

static bool
is_field(const Body *b, Sym as)
{
    return is_in(b->of->kept.at, b->of->kept.n, as) && !is_in(b->shadows.at, b->shadows.n, as);
}

static void
shadow(Body *b, const Node *target)
{
    if (target->kind == N_Name)
        VEC_PUSH(&b->x.cx->arena, b->shadows, target->name);
    for (int i = 0; i < target->n; i++)
        shadow(b, target->kid[i]);
}

/* A function's body, in place: fields are those of the object, which it takes from around it. */
static void
rename_inner(Body *b, FuncDef *f, Node *n)
{
    if (!n)
        return;
    if (n->fn)
        rename_inner(b, n->fn, n->fn->body);
    bool is_own = n->kind == N_Name && is_in(f->locals, f->n_locals, n->name);
    if (n->kind == N_Name && !is_own && is_field(b, n->name)) {
        Node *of = ast_new(&b->x.cx->arena, f, N_Name, n->at, 0);
        of->name = b->self;
        n->kind = N_Attribute;
        n->n = 1;
        n->kid = NEW(&b->x.cx->arena, Node *);
        n->kid[0] = of;
    }
    int hidden = b->shadows.n;
    for (int i = 1; n->kind == N_ListComp && i < n->n; i++)
        shadow(b, n->kid[i]->kid[0]);
    for (int i = 0; i < n->n; i++)
        rename_inner(b, f, n->kid[i]);
    b->shadows.n = hidden;
}

static void
take_self(Body *b, FuncDef *f)
{
    Sym *free = NEW_N(&b->x.cx->arena, Sym, f->n_free + 1);
    int n = 0;
    bool some = false;
    for (int i = 0; i < f->n_free; i++)
        if (is_field(b, f->free[i]))
            some = true;
        else
            free[n++] = f->free[i];
    if (some)
        free[n++] = b->self;
    f->free = free;
    f->n_free = n;
}

static void
own_function(Body *b, Node *to)
{
    FuncDef *f = to->fn;
    rename_inner(b, f, f->body);
    take_self(b, f);
    f->parent = b->x.fn;
    for (int i = 0; i < f->n_params; i++)
        if (f->params[i].def_node)
            f->params[i].def_node = resume_own(b, f->params[i].def_node);
}

/* Of nested generators: their objects are made of what they take from around them, too, which this
 * one has as well. */
static Node *
own_nested(Body *b, const Node *n)
{
    const FuncDef *g = ast_gen_function(b->of->gen, n->kid[0]);
    Resumable *of = g && g->is_generator && g->parent ? ast_resume_of(b->r, g) : NULL;
    if (!of)
        return NULL;
    Sym again = ast_resume_set_again(of);
    if (again)
        return ast_gen_refuse(&b->x, n->at,
                              arena_printf(&b->x.cx->arena,
                                           "a generator that takes '%s', which is assigned again,",
                                           ast_shown(&b->x.cx->arena, again)));
    Node **kid = NEW_N(&b->x.cx->arena, Node *, n->n + of->captured.n);
    kid[0] = resume_make(b, N_Const, n->at, 0, NULL);
    kid[0]->val = of->cst;
    for (int i = 1; i < n->n; i++)
        kid[i] = resume_own(b, n->kid[i]);
    for (int i = 0; i < of->captured.n; i++) {
        Node *v = resume_own(b, resume_name(b, n->at, of->captured.at[i]));
        Node *k = resume_make(b, N_Keyword, n->at, 1, &v);
        k->name = of->captured.at[i];
        kid[n->n + i] = k;
    }
    return resume_make(b, N_Call, n->at, n->n + of->captured.n, kid);
}

/* Objects of it are made by name, so that nothing defines it here. */
static bool
is_nested(Body *b, const Node *name)
{
    const FuncDef *g = ast_gen_function(b->of->gen, name);
    return g && g->is_generator && g->parent == b->of->gen && ast_resume_of(b->r, g);
}

static Node *
own_return(Body *b, const Node *n)
{
    Nodes to = {0};
    if (n->n && n->kid[0])
        resume_assign(b, &to, resume_field(b, n->at, "_gi_result", CTX_STORE),
                      resume_own(b, n->kid[0]));
    Node *no = ast_gen_bool(&b->x, n->at, false);
    resume_push(b, &to, resume_make(b, N_Return, n->at, 1, &no));
    return ast_gen_block(&b->x, n->at, &to);
}

static bool
mentions_field(Body *b, const Node *n)
{
    bool found = n && n->kind == N_Name && is_field(b, n->name);
    for (int i = 0; n && !found && i < n->n; i++)
        found = mentions_field(b, n->kid[i]);
    return found;
}

/* A loop's target is a variable, of which the fields are set. */
static Node *
own_for(Body *b, const Node *n)
{
    Sym each = resume_fresh(b, "each");
    Nodes body = {0};
    ast_gen_local(&b->x, each);
    resume_assign(b, &body, resume_own(b, n->kid[0]), resume_name(b, n->kid[0]->at, each));
    resume_push(b, &body, resume_own(b, n->kid[2]));
    Node *kid[4] = {ast_gen_name(&b->x, n->kid[0]->at, each, CTX_STORE), resume_own(b, n->kid[1]),
                    ast_gen_block(&b->x, n->kid[2]->at, &body), resume_own(b, n->kid[3])};
    return resume_make(b, N_For, n->at, 4, kid);
}

/* A copy in which variables that live across a yield are fields. */
Node *
resume_own(Body *b, const Node *n)
{
    if (!n)
        return NULL;
    if (n->kind == N_Return)
        return own_return(b, n);
    if (n->kind == N_For && mentions_field(b, n->kid[0]))
        return own_for(b, n);
    if (n->kind == N_Name && is_field(b, n->name))
        return resume_field(b, n->at, n->name, n->op);
    if (n->kind == N_Name && is_nested(b, n))
        return ast_gen_refuse(&b->x, n->at, "a generator inside a generator, as a value,");
    Node *nested = n->kind == N_Call ? own_nested(b, n) : NULL;
    if (nested)
        return nested;
    if (n->kind == N_Global)
        return ast_gen_refuse(&b->x, n->at,
                              "assigning to a variable of an outer scope in a generator");
    if ((n->kind == N_Handler || n->kind == N_FunctionDef) && n->name && is_field(b, n->name))
        return ast_gen_refuse(&b->x, n->at,
                              n->kind == N_Handler
                                  ? "an exception that is used behind a yield"
                                  : "a function inside a generator that is used behind a yield");
    bool deletes = n->kind == N_Delete && mentions_field(b, n);
    for (int i = 0; deletes && i < n->n; i++)
        if (n->kid[i]->kind == N_Name)
            return ast_gen_refuse(&b->x, n->at, "del of a generator's variable");
    Node *to = resume_make(b, n->kind, n->at, n->n, n->kid), **kid = to->kid;
    int id = to->id, hidden = b->shadows.n;
    *to = *n;
    to->id = id;
    to->kid = kid;
    if (n->kind == N_Name && n->op == CTX_STORE)
        ast_gen_local(&b->x, n->name);
    if ((n->kind == N_Handler || n->kind == N_FunctionDef) && n->name)
        ast_gen_local(&b->x, n->name);
    if (n->fn)
        own_function(b, to);
    for (int i = 1; n->kind == N_ListComp && i < n->n; i++)
        shadow(b, n->kid[i]->kid[0]);
    for (int i = 0; i < n->n; i++)
        kid[i] = resume_own(b, n->kid[i]);
    b->shadows.n = hidden;
    return to;
}

/* ---- yields and := within expressions -------------------------------------------------------- */

static bool
is_bound_field(const Node *n, const void *body)
{
    return n->kind == N_Yield ||
           (n->kind == N_NamedExpr && is_field((const Body *)body, n->kid[0]->name));
}

/* Is there a statement of its own to make of a part of it? */
bool
resume_is_busy(const Body *b, const Node *n)
{
    return ast_find(n, is_bound_field, b) != NULL;
}

int
resume_count_yields(const Node *n)
{
    int k = n && n->kind == N_Yield;
    for (int i = 0; n && i < n->n; i++)
        k += resume_count_yields(n->kid[i]);
    return k;
}

/* What is evaluated before a yield has a name of its own by then. */
static void
keep_early(Body *b, Node **slot, Nodes *before)
{
    Node *n = *slot;
    if (!n || n->kind == N_Const)
        return;
    Sym as = resume_fresh_field(b, "early");
    resume_assign(b, before, ast_gen_name(&b->x, n->at, as, CTX_STORE), n);
    *slot = resume_name(b, n->at, as);
}

static bool
pull_operands(Body *b, Node *n, int from, Nodes *before)
{
    for (int i = from; i < n->n; i++) {
        bool more = false;
        for (int k = i + 1; k < n->n; k++)
            more |= resume_is_busy(b, n->kid[k]);
        Node **slot = n->kid[i] && n->kid[i]->kind == N_Keyword ? &n->kid[i]->kid[0] : &n->kid[i];
        if (!*slot)
            continue;
        if (!resume_pull(b, slot, before) || (more && (*slot)->kind == N_Starred))
            return false;
        if (more)
            keep_early(b, slot, before);
    }
    return true;
}

static bool
pull_call(Body *b, Node *n, Nodes *before)
{
    Node *f = n->kid[0];
    if (resume_is_busy(b, f) && (f->kind != N_Attribute || !resume_pull(b, &f->kid[0], before)))
        return false;
    if (f->kind == N_Attribute && f->kid[0]->kind != N_Name)
        keep_early(b, &f->kid[0], before);
    return pull_operands(b, n, 1, before);
}

/* Makes statements, which go before, of the yields and := in an expression. False: what is
 * evaluated in between can't be told apart. */
bool
resume_pull(Body *b, Node **slot, Nodes *before)
{
    Node *n = *slot;
    if (!n || !resume_is_busy(b, n))
        return true;
    Span at = n->at;
    bool first = n->kind == N_BoolOp || n->kind == N_IfExp || (n->kind == N_Compare && n->n > 2) ||
                 n->kind == N_ListComp || n->kind == N_Lambda;
    if (n->kind == N_Yield || n->kind == N_NamedExpr) {
        Node **v = &n->kid[n->kind == N_NamedExpr];
        if (!resume_pull(b, v, before))
            return false;
        bool sent = n->kind == N_Yield;
        Sym as = sent ? resume_fresh_field(b, "sent") : resume_fresh_field(b, "bound");
        resume_assign(b, before, ast_gen_name(&b->x, at, as, CTX_STORE), sent ? n : *v);
        if (!sent)
            resume_assign(b, before, n->kid[0], resume_name(b, at, as));
        *slot = resume_name(b, at, as);
        return true;
    }
    if (first) {
        Node **head = n->kind == N_ListComp ? &n->kid[1]->kid[1] : &n->kid[0];
        if (n->kind == N_Lambda || !resume_pull(b, head, before))
            return false;
        return !resume_is_busy(b, n);
    }
    return n->kind == N_Call ? pull_call(b, n, before) : pull_operands(b, n, 0, before);
}
