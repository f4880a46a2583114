/* SPDX-License-Identifier: BSD-3-Clause
 * Generators that have something to do when they are left: `finally` around a yield, or a handler
 * of GeneratorExit. Python closes one when nobody has it any more. Here that is known where a
 * loop goes through it, and where one variable of a function has it, for good and alone; there
 *     t = g(a)                  becomes        t = g(a)
 *     ... t ...                                try: ... t ...
 *                                              finally: t.close()
 * All else that might have one is refused. */
#include "ast/resume.h"

typedef struct Close {
    Resume *r;
    Expand x; /* the function that is looked at */
    bool more;
} Close;

static bool
is_exit(const Node *n, const void *arg)
{
    static const char *const all[] = {"GeneratorExit", "BaseException"};
    const char *name = n->kind == N_Name                                    ? n->name
                       : n->kind == N_Const && n->val->kind == CV_EXC_CLASS ? n->val->str
                                                                            : NULL;
    bool is = false;
    (void)arg;
    for (int i = 0; name && i < SW_LEN(all); i++)
        is |= !strcmp(name, all[i]);
    return is;
}

/* Does a handler around a yield see that the generator is closed? */
bool
ast_resume_sees_exit(const Node *n, const void *arg)
{
    bool sees = false;
    (void)arg;
    for (int i = 3; n->kind == N_Try && ast_has_kind(n->kid[0], N_Yield) && i < n->n; i++)
        sees |= !n->kid[i]->kid[0] || ast_find(n->kid[i]->kid[0], is_exit, NULL);
    return sees;
}

static bool
cleans_up(const Node *n, const void *arg)
{
    bool last = n->kind == N_Try && n->kid[2];
    return ((n->kind == N_With || last) && ast_has_kind(n->kid[0], N_Yield)) ||
           ast_resume_sees_exit(n, arg);
}

bool
ast_resume_cleans_up(const FuncDef *gen)
{
    return ast_find(gen->body, cleans_up, NULL) != NULL;
}

/* Of a call: the generator, of which an object is made that has to be closed; NULL. */
static const FuncDef *
closing(const Close *c, const Node *n)
{
    const FuncDef *g = n && n->kind == N_Call ? ast_gen_function(c->x.fn, n->kid[0]) : NULL;
    return g && g->is_generator && ast_resume_of(c->r, g) && ast_find(g->body, cleans_up, NULL)
               ? g
               : NULL;
}

/* ---- uses of a variable that keep it to itself ----------------------------------------------- */

static bool
only_asks(const Builtin *b)
{
    return b && (b->flags & ELEMENTS || b->id == BI_py_next);
}

static bool
comes_to_its_end(const Builtin *b)
{
    return b && b->flags & ELEMENTS && b->id != BI_py_any && b->id != BI_py_all;
}

/* Is the variable, wherever it is read in n, asked for its next, or closed, and no more? */
static bool
stays(const Close *c, const Node *n, Sym name)
{
    const Builtin *b = n ? ast_gen_builtin(c->x.fn, n) : NULL;
    for (int i = 0; n && n->fn && i < n->fn->n_free; i++)
        if (n->fn->free[i] == name)
            return false;
    for (int i = 0; n && i < n->n; i++) {
        const Node *k = n->kid[i];
        bool is = k && k->kind == N_Name && k->name == name && k->op == CTX_LOAD;
        bool method =
            k && k->kind == N_Attribute && k->kid[0]->kind == N_Name && k->kid[0]->name == name;
        bool asked = (n->kind == N_Call && i == 1 && only_asks(b)) ||
                     ((n->kind == N_For || n->kind == N_Comprehension) && i == 1);
        if (is ? !asked : method ? n->kind != N_Call || i != 0 : k && !stays(c, k, name))
            return false;
    }
    return true;
}

static int
count_sets(const Node *n, Sym name)
{
    int k = n && n->kind == N_Name && n->name == name && n->op != CTX_LOAD;
    for (int i = 0; n && i < n->n; i++)
        k += count_sets(n->kid[i], name);
    return k;
}

/* ---- writing it out -------------------------------------------------------------------------- */

static Node *
closed(Close *c, Span at, Sym name, Node *body)
{
    Node *call = ast_resume_call(&c->x, at, name, "close");
    Node *s = ast_gen_node(&c->x, N_Expr, at, 1, &call);
    Node *last = ast_gen_node(&c->x, N_Block, at, 1, &s);
    c->r->throws = c->more = true;
    return ast_gen_node(&c->x, N_Try, at, 3, (Node *[]){body, NULL, last});
}

static Sym
fresh(Close *c, const Node *n)
{
    Sym name = intern(&c->x.cx->syms, arena_printf(&c->x.cx->arena, "closed.r%d", n->id));
    ast_gen_local(&c->x, name);
    return name;
}

/* for T in g(a): BODY, of an object */
static void
close_loop(Close *c, Node *loop)
{
    Span at = loop->kid[1]->at;
    Sym name = fresh(c, loop);
    loop->kid[1]->op = 1; /* this one is seen to */
    Node *set = ast_gen_set(&c->x, at, name, loop->kid[1]), *copy;
    copy = ast_gen_node(&c->x, N_For, loop->at, loop->n, loop->kid);
    copy->kid[1] = ast_gen_name(&c->x, at, name, CTX_LOAD);
    Node *body = ast_gen_node(&c->x, N_Block, at, 1, &copy);
    Node *both = ast_gen_node(&c->x, N_Block, at, 2, (Node *[]){set, closed(c, at, name, body)});
    loop->kind = N_Block;
    loop->n = both->n;
    loop->kid = both->kid;
}

/* op of a Block: the rest of a function's own statements, in the guard of another variable */
enum { OWN_REST = 1 };

/* g = gen(a), in the function's own statements: what follows is guarded. */
static bool
close_variable(Close *c, Node *block, int at)
{
    Node *s = block->kid[at];
    const FuncDef *f = c->x.fn;
    if ((block != f->body && block->op != OWN_REST) || s->n != 2 || s->kid[1]->kind != N_Name ||
        at + 1 == block->n)
        return false;
    Sym name = s->kid[1]->name;
    if (count_sets(f->body, name) != 1 || !stays(c, f->body, name))
        return false;
    Node *rest = ast_gen_node(&c->x, N_Block, s->at, block->n - at - 1, block->kid + at + 1);
    rest->op = OWN_REST;
    Node *guard = closed(c, s->kid[0]->at, name, rest);
    block->kid[at + 1] = guard;
    block->n = at + 2;
    s->kid[0]->op = 1;
    return true;
}

/* taken: all there is of n is asked for where it stands. */
static void
look(Close *c, Node **slot, bool taken)
{
    Node *n = *slot;
    if (!n)
        return;
    for (int i = 0; n->kind == N_Block && i < n->n; i++)
        if (n->kid[i]->kind == N_Assign && !n->kid[i]->kid[0]->op && closing(c, n->kid[i]->kid[0]))
            close_variable(c, n, i);
    const FuncDef *g = n->kind == N_For ? closing(c, n->kid[1]) : NULL;
    if (g && !n->kid[1]->op &&
        (g->only_object || (ast_resume_of(c->r, c->x.fn) && ast_has_kind(n->kid[2], N_Yield))))
        close_loop(c, n);
    bool loop = n->kind == N_For && closing(c, n->kid[1]);
    g = closing(c, n);
    if (g && !taken && !n->op) {
        *slot = ast_gen_refuse(&c->x, n->at,
                               arena_printf(&c->x.cx->arena,
                                            "the generator '%s', which has something to do when it "
                                            "is closed, as a value that more than one variable may "
                                            "have,",
                                            g->name));
        return;
    }
    const Builtin *b = ast_gen_builtin(c->x.fn, n);
    if (b && (b->id == BI_heap_keep || b->id == BI_heap_kept) && n->n == 3)
        n->kid[2]->op = 1; /* Python sees to it */
    bool all = comes_to_its_end(b);
    for (int i = 0; i < n->n; i++)
        look(c, &n->kid[i],
             (n->kind == N_Call && i == 1 && all) || (i == 1 && loop) ||
                 (n->kind == N_Comprehension && i == 1) || (n->kind == N_Yield && n->op));
    if (n->fn && !n->fn->is_generator) {
        Close inner = *c;
        inner.x.fn = n->fn;
        look(&inner, &n->fn->body, false);
        c->more |= inner.more;
    }
}

/* ---- what is thrown -------------------------------------------------------------------------- */

static const Const *
known(const FuncDef *f, const Node *n)
{
    return n->kind == N_Const ? n->val : n->kind == N_Name ? ast_global(f, n->name) : NULL;
}

/* g.throw(E(...)), of what is known: E has a number. */
static void
find_thrown(Close *c, Node *n)
{
    bool is = n && n->kind == N_Call && n->n == 2 && n->kid[0]->kind == N_Attribute &&
              !strcmp(n->kid[0]->name, "throw");
    Node *e = is ? n->kid[1] : NULL;
    const Const *cls = e ? known(c->x.fn, e->kind == N_Call ? e->kid[0] : e) : NULL;
    for (int i = 0; n && i < n->n; i++)
        find_thrown(c, n->kid[i]);
    if (n && n->fn) {
        Close inner = *c;
        inner.x.fn = n->fn;
        find_thrown(&inner, n->fn->body);
    }
    bool good = cls && cls->kind == CV_EXC_CLASS;
    for (int i = 1; good && e->kind == N_Call && i < e->n; i++)
        good = e->kid[i]->kind == N_Const;
    if (!good)
        return;
    Node *of = ast_gen_node(&c->x, N_Const, e->at, 0, NULL);
    of->val = cls;
    if (e->kind == N_Call)
        e->kid[0] = of;
    VEC_PUSH(&c->x.cx->arena, c->r->thrown, e->kind == N_Call ? e : of);
    n->kid[1] = ast_gen_int(&c->x, e->at, c->r->thrown.n + 1);
}

/* mode = self._gi_mode; self._gi_mode = 0; if mode == 2: raise E(...); ...; raise GeneratorExit */
void
ast_resume_throw(Resume *r, FuncDef *f)
{
    Expand x = {.cx = r->cx, .fn = f};
    Nodes to = {0};
    Sym self = f->params[0].name, mode = intern(&r->cx->syms, "mode.r");
    Span at = f->at;
    VEC_PUSH(&r->cx->arena, to,
             ast_gen_set(&x, at, mode, ast_resume_field(&x, at, self, "_gi_mode", CTX_LOAD)));
    Node *reset[] = {ast_gen_int(&x, at, 0), ast_resume_field(&x, at, self, "_gi_mode", CTX_STORE)};
    VEC_PUSH(&r->cx->arena, to, ast_gen_node(&x, N_Assign, at, 2, reset));
    for (int i = 0; i <= r->thrown.n; i++) {
        bool last = i == r->thrown.n;
        Node *e = last ? ast_gen_node(&x, N_Const, at, 0, NULL) : ast_gen_copy(&x, r->thrown.at[i]);
        if (last)
            e->val =
                arena_dup(&r->cx->arena, &(Const){.kind = CV_EXC_CLASS, .str = "GeneratorExit"},
                          sizeof(Const));
        Node *raise = ast_gen_node(&x, N_Raise, at, 2, (Node *[]){e, NULL});
        if (!last) {
            Node *is = ast_gen_compare(&x, at, ast_gen_name(&x, at, mode, CTX_LOAD), C_EQ,
                                       ast_gen_int(&x, at, i + 2));
            Node *then = ast_gen_node(&x, N_Block, at, 1, &raise);
            raise = ast_gen_node(&x, N_If, at, 3, (Node *[]){is, then, NULL});
        }
        VEC_PUSH(&r->cx->arena, to, raise);
    }
    f->body = ast_gen_block(&x, at, &to);
}

/* What goes through such a generator has something to do then, too. */
void
ast_resume_close(Resume *r)
{
    Close c = {.r = r, .more = true};
    for (int i = 0; i < r->p->funcs.n; i++) {
        c.x = (Expand){.cx = r->cx, .fn = r->p->funcs.at[i]};
        if (ast_resume_looks_at(r, c.x.fn))
            find_thrown(&c, c.x.fn->body);
    }
    while (c.more) {
        c.more = false;
        for (int i = 0; i < r->p->funcs.n; i++) {
            c.x = (Expand){.cx = r->cx, .fn = r->p->funcs.at[i]};
            if (ast_resume_looks_at(r, c.x.fn))
                look(&c, &c.x.fn->body, false);
        }
        for (int i = 0; i < r->all.n; i++) {
            c.x = (Expand){.cx = r->cx, .fn = r->all.at[i]->gen};
            if (c.x.fn->parent)
                look(&c, &c.x.fn->body, false);
        }
    }
}
