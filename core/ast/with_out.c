/* SPDX-License-Identifier: BSD-3-Clause
 * with around a yield, written out as a try, which is what generators are made of (generator.c,
 * resume_body.c). `with M as T: body`, of which py/with_in.c has made assignments and calls, is
 *     m = M; e = m.__enter__(); failed = out = False
 *     try:
 *         try: T = e; body              where out is True while a yield waits
 *         except as x: failed = True; if not m.__exit__(x, x, x): raise
 *     finally:
 *         if not failed:
 *             if out: m.__exit__(True, True, True)
 *             else: m.__exit__(None, None, None)
 * What the loop raises that goes through the generator, or that it is left, is told to __exit__ as
 * something that is not None: it is GeneratorExit in Python, of which nobody can ask more here. */
#include "ast/generator.h"

static Sym
name_like(Expand *x, const Node *manager, const char *what)
{
    const char *id = strchr(manager->name, '.');
    Sym name = intern(&x->cx->syms, arena_printf(&x->cx->arena, "%s%s", what, id));
    ast_gen_local(x, name);
    return name;
}

static Node *
set_to(Expand *x, Span at, Sym name, bool v)
{
    return ast_gen_set(x, at, name, ast_gen_bool(x, at, v));
}

static bool
is_simple(const Node *n)
{
    return n->kind == N_Expr || n->kind == N_Assign || n->kind == N_AugAssign ||
           n->kind == N_AnnAssign || n->kind == N_Return;
}

/* out = True; the statement; out = False */
static void
mark_yields(Expand *x, Node **slot, Sym out)
{
    Node *n = *slot;
    if (!n || !ast_has_kind(n, N_Yield))
        return;
    if (is_simple(n)) {
        *slot =
            ast_gen_node(x, N_Block, n->at, 3,
                         (Node *[]){set_to(x, n->at, out, true), n, set_to(x, n->at, out, false)});
        return;
    }
    for (int i = 0; i < n->n; i++)
        mark_yields(x, &n->kid[i], out);
}

static Node *
when(Expand *x, Span at, Node *test, Node *then, Node *els)
{
    Node *yes = ast_gen_node(x, N_Block, at, 1, &then),
         *no = els ? ast_gen_node(x, N_Block, at, 1, &els) : NULL;
    return ast_gen_node(x, N_If, at, 3, (Node *[]){test, yes, no});
}

/* The call of __exit__ with True in the place of None. */
static Node *
exit_by_something(Expand *x, const Node *leave)
{
    Node *s = ast_gen_copy(x, leave->kid[0]), *call = s->kid[0];
    for (int i = 1; i < call->n; i++)
        call->kid[i] = ast_gen_bool(x, s->at, true);
    return s;
}

static Node *
written_out(Expand *x, Node *n)
{
    Node *begin = n->kid[2], *leave = n->kid[3], *handler = n->kid[4];
    const Node *manager = begin->kid[0]->kid[1];
    Sym failed = name_like(x, manager, "failed"), out = name_like(x, manager, "out");
    Span at = n->at;
    mark_yields(x, &n->kid[0], out);
    Node *set_failed = set_to(x, at, failed, true);
    handler->kid[1] =
        ast_gen_node(x, N_Block, handler->at, 2, (Node *[]){set_failed, handler->kid[1]});
    ast_gen_local(x, handler->name);
    Node *inner = ast_gen_node(x, N_Try, at, 4, (Node *[]){n->kid[0], NULL, NULL, handler});
    Node *not =
        ast_gen_node(x, N_UnaryOp, at, 1, (Node *[]){ast_gen_name(x, at, failed, CTX_LOAD)});
    not ->op = U_NOT;
    Node *tells = when(x, at, ast_gen_name(x, at, out, CTX_LOAD), exit_by_something(x, leave),
                       ast_gen_copy(x, leave->kid[0]));
    Node *last = when(x, at, not, tells, NULL);
    Node *outer = ast_gen_node(x, N_Try, at, 3,
                               (Node *[]){ast_gen_node(x, N_Block, at, 1, &inner), NULL,
                                          ast_gen_node(x, N_Block, at, 1, &last)});
    return ast_gen_node(
        x, N_Block, at, 4,
        (Node *[]){begin, set_to(x, at, failed, false), set_to(x, at, out, false), outer});
}

/* A manager that compiled code knows has no methods. */
static bool
is_known(const FuncDef *f, const Node *manager)
{
    const Node *cls = manager->kind == N_Call ? manager->kid[0] : manager;
    const Const *c = cls->kind == N_Const  ? cls->val
                     : cls->kind == N_Name ? ast_global(f, cls->name)
                                           : NULL;
    return c && (c->kind == CV_CONTEXT || c->kind == CV_MODULE);
}

static void
visit(Expand *x, Node **slot)
{
    Node *n = *slot;
    if (!n)
        return;
    if (n->fn) {
        FuncDef *save = x->fn;
        x->fn = n->fn;
        visit(x, &n->fn->body);
        x->fn = save;
    }
    for (int i = 0; i < n->n; i++)
        visit(x, &n->kid[i]);
    if (n->kind != N_With || n->op == WITH_GENERATOR || !x->fn->is_generator ||
        !ast_has_kind(n->kid[0], N_Yield) || is_known(x->fn, n->kid[1]))
        return;
    *slot = written_out(x, n);
}

void
ast_write_out_with(Cx *cx, Program *p)
{
    Expand x = {.cx = cx};
    for (int i = 0; i < p->funcs.n; i++) {
        x.fn = p->funcs.at[i];
        if (x.fn->body && !x.fn->is_lib)
            visit(&x, &x.fn->body);
    }
}
