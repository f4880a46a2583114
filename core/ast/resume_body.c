/* SPDX-License-Identifier: BSD-3-Clause
 * The function of a generator's objects that goes on to the next yield. Takes the generator's body,
 * yields a function that is entered anew each time and returns whether there is a value. It is the
 * same structure of statements, entered from the top: what stands before the place where it goes on
 * is skipped by tests of the state s, which is the number of that yield until it is reached, and 0
 * from then on. So `finally`, handlers and loops stay what they are:
 *     while T: A; yield v; B      while s != 0 or T:
 *                                     if s == 0: A
 *                                     if s == 0: value = v; state = 1; return True
 *                                     s = 0
 *                                     B
 * Variables that live across a yield are fields of the object (resume_names.c). */
#include "ast/resume.h"

static void emit_list(Body *b, Nodes *to, Node *const *s, int n);

/* ---- yield ----------------------------------------------------------------------------------- */

static Node *
none(Body *b, Span at)
{
    Node *n = resume_make(b, N_Const, at, 0, NULL);
    n->val = arena_dup(&b->x.cx->arena, &(Const){.kind = CV_NONE}, sizeof(Const));
    return n;
}

/* value = v; state = k; return True. Who goes on without send() sends None. */
static void
leave(Body *b, Nodes *to, Span at, Node *value, int k)
{
    resume_assign(b, to, resume_field(b, at, "_gi_value", CTX_STORE), value);
    if (b->of->receives)
        resume_assign(b, to, resume_field(b, at, "_gi_sent", CTX_STORE), none(b, at));
    resume_set_state(b, to, at, k);
    Node *yes = ast_gen_bool(&b->x, at, true);
    resume_push(b, to, resume_make(b, N_Return, at, 1, &yes));
}

static void
reached(Body *b, Nodes *to, Span at)
{
    resume_push(b, to, ast_gen_set(&b->x, at, b->s, ast_gen_int(&b->x, at, 0)));
}

/* Where close() or throw() asks for it, an exception is raised here. */
static Node *
is_thrown(Body *b, Span at)
{
    return resume_compare(b, at, resume_field(b, at, "_gi_mode", CTX_LOAD), C_NE,
                          ast_gen_int(&b->x, at, 0));
}

static void
throw_here(Body *b, Nodes *to, Span at)
{
    Nodes then = {0};
    if (!b->r->throws)
        return;
    resume_push(b, &then,
                resume_make(b, N_Expr, at, 1,
                            (Node *[]){ast_resume_call(&b->x, at, b->self, "_gi_throw")}));
    resume_when(b, to, at, is_thrown(b, at), &then);
}

/* The targets of an assignment, whose value is `yield`. */
static void
assign_targets(Body *b, Nodes *to, const Node *set, Node *value)
{
    Node **kid = NEW_N(&b->x.cx->arena, Node *, set->n);
    kid[0] = value;
    for (int i = 1; i < set->n; i++)
        kid[i] = resume_own(b, set->kid[i]);
    resume_push(b, to, resume_make(b, N_Assign, set->at, set->n, kid));
}

static void
emit_yield(Body *b, Nodes *to, const Node *y, const Node *set)
{
    int k = b->n++;
    Nodes out = {0};
    leave(b, &out, y->at, y->kid[0] ? resume_own(b, y->kid[0]) : none(b, y->at), k);
    resume_when(b, to, y->at, resume_is_state(b, y->at, C_EQ, 0), &out);
    reached(b, to, y->at);
    throw_here(b, to, y->at);
    if (set)
        assign_targets(b, to, set, resume_field(b, y->at, "_gi_sent", CTX_LOAD));
}

static Node *
builtin(Body *b, Span at, const char *as, int n, Node *const *arg)
{
    Node **kid = NEW_N(&b->x.cx->arena, Node *, n + 1);
    kid[0] = resume_make(b, N_Const, at, 0, NULL);
    kid[0]->val =
        arena_dup(&b->x.cx->arena,
                  &(Const){.kind = CV_BUILTIN, .ref = builtin_find("builtins", as)}, sizeof(Const));
    for (int i = 0; i < n; i++)
        kid[i + 1] = arg[i];
    return resume_make(b, N_Call, at, n + 1, kid);
}

/* isinstance(self.from, C) */
static Node *
is_object_of(Body *b, Span at, Sym from, const Resumable *of)
{
    Node *cls = resume_make(b, N_Const, at, 0, NULL);
    cls->val = of->cst;
    return builtin(b, at, "isinstance", 2, (Node *[]){resume_field(b, at, from, CTX_LOAD), cls});
}

static Node *
field_of(Body *b, Span at, Sym from, const char *of, int op)
{
    Node *o = resume_field(b, at, from, CTX_LOAD);
    Node *n = resume_make(b, N_Attribute, at, 1, &o);
    n->name = intern(&b->x.cx->syms, of);
    n->op = op;
    return n;
}

/* What is sent, or thrown, goes on to the generator that `yield from` goes through. */
static void
pass_on(Body *b, Nodes *to, Span at, Sym from)
{
    Node *els = NULL;
    Nodes thrown = {0};
    if (b->r->throws) {
        throw_here(b, &thrown, at);
        els = ast_gen_block(&b->x, at, &thrown);
    }
    for (int i = 0; i < b->r->all.n; i++) {
        const Resumable *c = b->r->all.at[i];
        Nodes then = {0};
        if (c->receives && b->of->receives)
            resume_assign(b, &then, field_of(b, at, from, "_gi_sent", CTX_STORE),
                          resume_field(b, at, "_gi_sent", CTX_LOAD));
        if (b->r->throws) {
            resume_assign(b, &then, field_of(b, at, from, "_gi_mode", CTX_STORE),
                          resume_field(b, at, "_gi_mode", CTX_LOAD));
            resume_assign(b, &then, resume_field(b, at, "_gi_mode", CTX_STORE),
                          ast_gen_int(&b->x, at, 0));
        }
        if (then.n)
            els = resume_make(
                b, N_If, at, 3,
                (Node *[]){is_object_of(b, at, from, c), ast_gen_block(&b->x, at, &then), els});
        if (then.n && i + 1 < b->r->all.n) {
            Nodes more = {0};
            resume_push(b, &more, els);
            els = ast_gen_block(&b->x, at, &more);
        }
    }
    if (els)
        resume_push(b, to, els);
}

/* What it has returned, if it is a generator that returns something. */
static Node *
result_of(Body *b, Span at, Sym from)
{
    Node *r = none(b, at);
    for (int i = 0; i < b->r->all.n; i++) {
        const Resumable *c = b->r->all.at[i];
        if (c->returns)
            r = resume_make(b, N_IfExp, at, 3,
                            (Node *[]){is_object_of(b, at, from, c),
                                       field_of(b, at, from, "_gi_result", CTX_LOAD), r});
    }
    return r;
}

/* It yields an iterator, or what is as good. */
static bool
makes_iterator(const Builtin *f)
{
    static const int all[] = {BI_py_iter, BI_py_enumerate, BI_py_zip, BI_py_reversed, BI_py_range};
    bool is = false;
    for (int i = 0; f && i < SW_LEN(all); i++)
        is |= (int)f->id == all[i];
    return is;
}

/* What is gone through in pieces. */
static Node *
iterator(Body *b, const Node *over)
{
    Span at = over->at;
    const Builtin *f = ast_gen_builtin(b->of->gen, over);
    const FuncDef *g = over->kind == N_Call ? ast_gen_function(b->of->gen, over->kid[0]) : NULL;
    Node *v = resume_own(b, over);
    if (g && g->is_generator && g->object && !g->parent) {
        v->kid[0] = resume_make(b, N_Const, at, 0, NULL);
        v->kid[0]->val =
            arena_dup(&b->x.cx->arena, &(Const){.kind = CV_FUNC, .ref = g->object, .str = g->name},
                      sizeof(Const));
    }
    if ((over->kind == N_ListComp && over->op <= 1) || makes_iterator(f))
        return builtin(b, at, "iter", 1, &v);
    Node *held = resume_make(b, N_Const, at, 0, NULL);
    held->val = arena_dup(&b->x.cx->arena,
                          &(Const){.kind = CV_FUNC, .ref = b->r->held, .str = b->r->held->name},
                          sizeof(Const));
    return resume_make(b, N_Call, at, 2, (Node *[]){held, v});
}

static void
emit_from(Body *b, Nodes *to, const Node *y, const Node *set)
{
    int k = b->n++;
    Span at = y->at;
    Sym from = resume_fresh_field(b, "from"), item = resume_fresh(b, "item");
    Nodes begin = {0}, out = {0};
    resume_assign(b, &begin, resume_field(b, at, from, CTX_STORE), iterator(b, y->kid[0]));
    resume_when(b, to, at, resume_is_state(b, at, C_EQ, 0), &begin);
    Nodes again = {0};
    pass_on(b, &again, at, from);
    if (again.n)
        resume_when(b, to, at, resume_is_state(b, at, C_NE, 0), &again);
    reached(b, to, at);
    ast_gen_local(&b->x, item);
    leave(b, &out, at, resume_name(b, at, item), k);
    Node *kid[4] = {ast_gen_name(&b->x, at, item, CTX_STORE), resume_field(b, at, from, CTX_LOAD),
                    ast_gen_block(&b->x, at, &out), NULL};
    resume_push(b, to, resume_make(b, N_For, at, 4, kid));
    if (set)
        assign_targets(b, to, set, result_of(b, at, from));
}

/* ---- statements ------------------------------------------------------------------------------ */

static Node *
emit_block(Body *b, const Node *block)
{
    Nodes to = {0};
    if (!block)
        return NULL;
    emit_list(b, &to, block->kid, block->n);
    return ast_gen_block(&b->x, block->at, &to);
}

static void
emit_if(Body *b, Nodes *to, const Node *n)
{
    int from = b->n, then = resume_count_yields(n->kid[1]);
    Node *test =
        resume_both(b, n->at, false, resume_is_state(b, n->at, C_EQ, 0), resume_own(b, n->kid[0]));
    if (then) {
        test = resume_both(b, n->at, true, test, resume_is_within(b, n->at, from, from + then));
        test->name = intern(&b->x.cx->syms, "resumed");
    }
    Node *yes = emit_block(b, n->kid[1]), *no = emit_block(b, n->kid[2]);
    resume_push(b, to, resume_make(b, N_If, n->at, 3, (Node *[]){test, yes, no}));
}

/* Goes on in the body, or begins an iteration by this test; otherwise it is the else's. */
static Node *
loop_test(Body *b, const Node *n, int body, Node *test)
{
    int from = b->n, inner = resume_count_yields(n->kid[body]);
    bool els = n->n > body + 1 && resume_count_yields(n->kid[body + 1]);
    if (!els && test->kind == N_Const)
        return test;
    Node *goes_on =
        els ? resume_is_within(b, n->at, from, from + inner) : resume_is_state(b, n->at, C_NE, 0);
    if (els)
        test = resume_both(b, n->at, false, resume_is_state(b, n->at, C_EQ, 0), test);
    return inner ? resume_both(b, n->at, true, goes_on, test) : test;
}

static void
emit_while(Body *b, Nodes *to, const Node *n)
{
    Node *test = loop_test(b, n, 1, resume_own(b, n->kid[0]));
    Node *body = emit_block(b, n->kid[1]), *els = emit_block(b, n->kid[2]);
    resume_push(b, to, resume_make(b, N_While, n->at, 3, (Node *[]){test, body, els}));
}

/* `while T` whose test has a yield, or sets a field: while True: ...; if not T: break */
static void
emit_test_within(Body *b, Nodes *to, const Node *n)
{
    Node *test = ast_gen_copy(&b->x, n->kid[0]);
    Nodes body = {0};
    if (n->kid[2] || !resume_pull(b, &test, &body)) {
        resume_refuse(b, to, n->kid[0]->at, "a yield at this place in a loop's test");
        return;
    }
    Node *not = resume_make(b, N_UnaryOp, n->at, 1, &test);
    not ->op = U_NOT;
    Node *leave_it = resume_make(b, N_Break, n->at, 0, NULL);
    Node *then = resume_make(b, N_Block, n->at, 1, &leave_it);
    resume_push(b, &body, resume_make(b, N_If, n->at, 3, (Node *[]){not, then, NULL}));
    resume_push(b, &body, n->kid[1]);
    Node *kid[3] = {ast_gen_bool(&b->x, n->at, true), ast_gen_block(&b->x, n->at, &body), NULL};
    emit_while(b, to, resume_make(b, N_While, n->at, 3, kid));
}

/* 1 or -1: of a range whose step is known; 0: it is none. */
static int
range_step(Body *b, const Node *e)
{
    const Builtin *f = ast_gen_builtin(b->of->gen, e);
    if (!f || f->id != BI_py_range || e->n < 2 || e->n > 3)
        return 0;
    for (int i = 1; i < e->n; i++) {
        const Builtin *len = ast_gen_builtin(b->of->gen, e->kid[i]);
        bool number = e->kid[i]->kind == N_Const && e->kid[i]->val->kind == CV_INT;
        if (!number && !(len && len->id == BI_py_len))
            return 0;
    }
    return 1;
}

/* A range of which it is known that it is one of Python's ints counts by itself. */
static void
emit_range(Body *b, Nodes *to, const Node *n)
{
    Span at = n->kid[1]->at;
    const Node *e = n->kid[1];
    Sym i = resume_fresh_field(b, "count"), end = resume_fresh_field(b, "end");
    Nodes begin = {0}, next = {0};
    Node *start = e->n == 3 ? resume_own(b, e->kid[1]) : ast_gen_int(&b->x, at, 0);
    resume_assign(b, &begin, resume_field(b, at, i, CTX_STORE), start);
    resume_assign(b, &begin, resume_field(b, at, end, CTX_STORE), resume_own(b, e->kid[e->n - 1]));
    resume_when(b, to, at, resume_is_state(b, at, C_EQ, 0), &begin);
    Node *test = loop_test(b, n, 2,
                           resume_compare(b, at, resume_field(b, at, i, CTX_LOAD), C_LT,
                                          resume_field(b, at, end, CTX_LOAD)));
    resume_assign(b, &next, resume_own(b, n->kid[0]), resume_field(b, at, i, CTX_LOAD));
    Node *step =
        resume_make(b, N_AugAssign, at, 2,
                    (Node *[]){resume_field(b, at, i, CTX_STORE), ast_gen_int(&b->x, at, 1)});
    step->op = B_ADD;
    resume_push(b, &next, step);
    Nodes body = {0};
    resume_when(b, &body, at, resume_is_state(b, at, C_EQ, 0), &next);
    resume_push(b, &body, emit_block(b, n->kid[2]));
    Node *els = emit_block(b, n->kid[3]);
    resume_push(b, to,
                resume_make(b, N_While, n->at, 3,
                            (Node *[]){test, ast_gen_block(&b->x, n->at, &body), els}));
}

/* more = True; for item in self.iter: T = item; break, else: more = False */
static void
emit_for(Body *b, Nodes *to, const Node *n)
{
    Span at = n->kid[1]->at;
    Sym it = resume_fresh_field(b, "iter"), item = resume_fresh(b, "item"),
        more = resume_fresh(b, "more");
    Nodes begin = {0}, next = {0}, found = {0}, body = {0};
    int from = b->n, inner = resume_count_yields(n->kid[2]), els = resume_count_yields(n->kid[3]);
    resume_assign(b, &begin, resume_field(b, at, it, CTX_STORE), iterator(b, n->kid[1]));
    resume_when(b, to, at, resume_is_state(b, at, C_EQ, 0), &begin);
    Node *goes_on = els && inner ? resume_both(b, at, true, resume_is_state(b, at, C_EQ, 0),
                                               resume_is_within(b, at, from, from + inner))
                    : els        ? resume_is_state(b, at, C_EQ, 0)
                                 : ast_gen_bool(&b->x, at, true);
    resume_push(b, to, ast_gen_set(&b->x, at, more, goes_on));
    ast_gen_local(&b->x, item);
    resume_push(b, &next, ast_gen_set(&b->x, at, more, ast_gen_bool(&b->x, at, false)));
    resume_assign(b, &found, resume_own(b, n->kid[0]), resume_name(b, at, item));
    resume_push(b, &found, ast_gen_set(&b->x, at, more, ast_gen_bool(&b->x, at, true)));
    resume_push(b, &found, resume_make(b, N_Break, at, 0, NULL));
    Node *kid[4] = {ast_gen_name(&b->x, at, item, CTX_STORE), resume_field(b, at, it, CTX_LOAD),
                    ast_gen_block(&b->x, at, &found), NULL};
    resume_push(b, &next, resume_make(b, N_For, n->at, 4, kid));
    resume_when(b, &body, at, resume_is_state(b, at, C_EQ, 0), &next);
    Nodes then = {0};
    resume_push(b, &then, emit_block(b, n->kid[2]));
    resume_when(b, &body, at, resume_name(b, at, more), &then);
    resume_push(b, to,
                resume_make(b, N_While, n->at, 3,
                            (Node *[]){resume_name(b, at, more), ast_gen_block(&b->x, n->at, &body),
                                       emit_block(b, n->kid[3])}));
}

/* ---- try ------------------------------------------------------------------------------------- */

/* Only where the function is left for good: a yield leaves it, too. */
static Node *
when_left(Body *b, Node *last)
{
    Nodes to = {0}, all = {0};
    resume_push(b, &to, last);
    Span at = last->at;
    resume_when(b, &all, at,
                resume_compare(b, at, resume_field(b, at, "_gi_state", CTX_LOAD), C_LT,
                               ast_gen_int(&b->x, at, 0)),
                &to);
    return ast_gen_block(&b->x, at, &all);
}

static bool
raises_again(const Node *n, const void *arg)
{
    (void)arg;
    return n->kind == N_Raise && (!n->n || !n->kid[0]);
}

/* What of a handler comes from its first yield on runs behind the statement. */
static Node *
emit_handler(Body *b, const Node *h, Sym behind, int k, Nodes *rest)
{
    const Node *body = h->kid[1];
    int n = 0;
    Nodes to = {0};
    while (n < body->n && !resume_count_yields(body->kid[n]))
        n++;
    for (int i = 0; i < n; i++)
        resume_push(b, &to, resume_own(b, body->kid[i]));
    for (int i = n; i < body->n; i++)
        if (ast_find(body->kid[i], raises_again, NULL) ||
            (h->name && ast_mentions(body->kid[i], h->name))) {
            resume_refuse(b, &to, h->at, "an exception that is used behind a yield in its handler");
            n = body->n;
        }
    if (n < body->n) {
        int from = b->n, all = resume_count_yields(body);
        resume_push(b, &to, ast_gen_set(&b->x, h->at, behind, ast_gen_int(&b->x, h->at, k)));
        Nodes then = {0};
        Node *test = resume_both(b, h->at, true,
                                 resume_compare(b, h->at, resume_name(b, h->at, behind), C_EQ,
                                                ast_gen_int(&b->x, h->at, k)),
                                 resume_is_within(b, h->at, from, from + all));
        emit_list(b, &then, body->kid + n, body->n - n);
        resume_when(b, rest, h->at, test, &then);
    }
    Node *made =
        resume_make(b, N_Handler, h->at, 2,
                    (Node *[]){resume_own(b, h->kid[0]), ast_gen_block(&b->x, h->at, &to)});
    made->name = h->name;
    if (h->name)
        ast_gen_local(&b->x, h->name);
    return made;
}

/* try and its handlers; what of these, or of its else, has a yield follows. */
static void
emit_handlers(Body *b, Nodes *to, const Node *n)
{
    Sym behind = resume_fresh(b, "behind");
    Nodes rest = {0};
    int from = b->n, inner = resume_count_yields(n->kid[0]);
    bool later = resume_count_yields(n) > inner + resume_count_yields(n->kid[2]);
    Node **kid = NEW_N(&b->x.cx->arena, Node *, n->n);
    kid[0] = emit_block(b, n->kid[0]);
    bool els = n->kid[1] && resume_count_yields(n->kid[1]);
    if (els) {
        Nodes then = {0}, body = {0};
        Node *test =
            resume_both(b, n->at, true,
                        resume_compare(b, n->at, resume_name(b, n->at, behind), C_EQ,
                                       ast_gen_int(&b->x, n->at, 1)),
                        resume_is_within(b, n->at, b->n, b->n + resume_count_yields(n->kid[1])));
        resume_push(b, &then, emit_block(b, n->kid[1]));
        resume_when(b, &rest, n->at, test, &then);
        resume_push(b, &body, kid[0]);
        resume_push(b, &body, ast_gen_set(&b->x, n->at, behind, ast_gen_int(&b->x, n->at, 1)));
        kid[0] = ast_gen_block(&b->x, n->at, &body);
    } else if (n->kid[1]) {
        kid[1] = resume_own(b, n->kid[1]);
    }
    for (int i = 3; i < n->n; i++)
        kid[i] = emit_handler(b, n->kid[i], behind, i, &rest);
    Node *all = resume_make(b, N_Try, n->at, n->n, kid);
    if (!later) {
        resume_push(b, to, all);
        return;
    }
    Nodes first = {0};
    resume_push(b, &first, all);
    resume_push(b, to, ast_gen_set(&b->x, n->at, behind, ast_gen_int(&b->x, n->at, 0)));
    Node *test = resume_is_state(b, n->at, C_EQ, 0);
    if (inner)
        test = resume_both(b, n->at, true, test, resume_is_within(b, n->at, from, from + inner));
    resume_when(b, to, n->at, test, &first);
    for (int i = 0; i < rest.n; i++)
        resume_push(b, to, rest.at[i]);
}

static void
emit_try(Body *b, Nodes *to, const Node *n)
{
    Nodes body = {0};
    if (resume_count_yields(n->kid[2])) {
        resume_refuse(b, to, n->kid[2]->at, "a yield in finally");
        return;
    }
    if (n->n > 3)
        emit_handlers(b, &body, n);
    else
        resume_push(b, &body, emit_block(b, n->kid[0]));
    if (!n->kid[2]) {
        for (int i = 0; i < body.n; i++)
            resume_push(b, to, body.at[i]);
        return;
    }
    Node *kid[3] = {ast_gen_block(&b->x, n->at, &body), NULL,
                    when_left(b, resume_own(b, n->kid[2]))};
    resume_push(b, to, resume_make(b, N_Try, n->at, 3, kid));
}

/* ---- lists of statements --------------------------------------------------------------------- */

/* Statements without a test or body of their own. */
static void
emit_simple(Body *b, Nodes *to, const Node *n)
{
    Node *c = ast_gen_copy(&b->x, n);
    Nodes before = {0};
    int from = n->kind == N_AugAssign || n->kind == N_AnnAssign;
    bool good = !from || c->kid[0]->kind == N_Name;
    for (int i = n->kind == N_Assign ? 1 : c->n; i < c->n; i++)
        good &= !resume_is_busy(b, c->kid[i]);
    bool alone = (n->kind == N_Expr || n->kind == N_Assign) && c->kid[0]->kind == N_Yield;
    for (int i = from; good && i < (n->kind == N_Assign ? 1 : c->n); i++)
        good = resume_pull(b, alone ? &c->kid[i]->kid[0] : &c->kid[i], &before);
    if (!good) {
        resume_refuse(b, to, n->at, "a yield at this place of a statement");
        return;
    }
    resume_push(b, &before, c);
    emit_list(b, to, before.at, before.n);
}

static void
emit_pulled(Body *b, Nodes *to, const Node *n, int k)
{
    Node *c = ast_gen_copy(&b->x, n);
    Nodes before = {0};
    if (!resume_pull(b, &c->kid[k], &before)) {
        resume_refuse(b, to, n->at, "a yield at this place of a statement");
        return;
    }
    resume_push(b, &before, c);
    emit_list(b, to, before.at, before.n);
}

static void
emit(Body *b, Nodes *to, const Node *n)
{
    const Node *y =
        (n->kind == N_Expr || n->kind == N_Assign) && n->kid[0]->kind == N_Yield ? n->kid[0] : NULL;
    bool plain = y && (!y->kid[0] || !resume_is_busy(b, y->kid[0]));
    for (int i = 1; i < n->n && plain; i++)
        plain = !resume_is_busy(b, n->kid[i]);
    int test = n->kind == N_For ? 1 : 0;
    if (plain)
        (y->op ? emit_from : emit_yield)(b, to, y, n->kind == N_Assign ? n : NULL);
    else if (n->kind == N_Block)
        emit_list(b, to, n->kid, n->n);
    else if (n->kind == N_While && resume_is_busy(b, n->kid[0]))
        emit_test_within(b, to, n);
    else if ((n->kind == N_If || n->kind == N_For) && resume_is_busy(b, n->kid[test]))
        emit_pulled(b, to, n, test);
    else if (n->kind == N_If)
        emit_if(b, to, n);
    else if (n->kind == N_While)
        emit_while(b, to, n);
    else if (n->kind == N_For && range_step(b, n->kid[1]))
        emit_range(b, to, n);
    else if (n->kind == N_For)
        emit_for(b, to, n);
    else if (n->kind == N_Try)
        emit_try(b, to, n);
    else if (n->kind == N_With)
        resume_refuse(b, to, n->at, "a yield inside with");
    else
        emit_simple(b, to, n);
}

static void
emit_list(Body *b, Nodes *to, Node *const *s, int n)
{
    int left = 0;
    for (int i = 0; i < n; i++)
        left += resume_count_yields(s[i]);
    for (int i = 0; i < n;) {
        Nodes part = {0};
        Span at = s[i]->at;
        int from = b->n, inner = 0;
        for (; i < n && !resume_is_busy(b, s[i]); i++)
            resume_push(b, &part, resume_own(b, s[i]));
        if (!part.n) {
            inner = resume_count_yields(s[i]);
            left -= inner;
            emit(b, &part, s[i++]);
        }
        Node *test = left ? resume_is_state(b, at, C_EQ, 0) : NULL;
        if (left && inner)
            test = resume_both(b, at, true, test, resume_is_within(b, at, from, from + inner));
        if (test)
            resume_when(b, to, at, test, &part);
        for (int k = 0; !test && k < part.n; k++)
            resume_push(b, to, part.at[k]);
    }
}

/* May StopIteration be raised in it, by what it calls, too? */
static bool
may_stop(const FuncDef *fn, const Node *n, int deep)
{
    enum { DEEPEST = 6 };
    if (!n)
        return false;
    const Builtin *b = n->kind == N_Call ? ast_gen_builtin(fn, n) : NULL;
    const FuncDef *f = n->kind == N_Call ? ast_gen_function(fn, n->kid[0]) : NULL;
    const Node *cls = n->kind == N_Raise && n->n ? n->kid[0] : NULL;
    cls = cls && cls->kind == N_Call ? cls->kid[0] : cls;
    if (b && b->id == BI_py_next && n->n == 2)
        return true;
    if (cls && cls->kind == N_Name && !strcmp(cls->name, "StopIteration"))
        return true;
    if (n->kind == N_Attribute &&
        (!strcmp(n->name, "send") || !strcmp(n->name, "throw") || !strcmp(n->name, "__next__")))
        return true;
    if (f && f->body && !f->is_generator && !f->is_lib &&
        (deep == DEEPEST || may_stop(f, f->body, deep + 1)))
        return true;
    for (int i = 0; i < n->n; i++)
        if (may_stop(fn, n->kid[i], deep))
            return true;
    return n->fn && n->kind == N_Lambda && may_stop(n->fn, n->fn->body, deep);
}

static Node *
error(Body *b, Span at, const char *as, const char *text)
{
    Node *cls = resume_make(b, N_Const, at, 0, NULL);
    cls->val = arena_dup(&b->x.cx->arena, &(Const){.kind = CV_EXC_CLASS, .str = as}, sizeof(Const));
    return text ? resume_make(b, N_Call, at, 2, (Node *[]){cls, ast_gen_str(&b->x, at, text)})
                : cls;
}

/* Python makes a RuntimeError of what would be taken for the generator's end. */
static Node *
no_stop(Body *b, Node *body)
{
    Span at = b->of->gen->at;
    Node *raise = resume_make(
        b, N_Raise, at, 2,
        (Node *[]){error(b, at, "RuntimeError", "generator raised StopIteration"), NULL});
    Node *then = resume_make(b, N_Block, at, 1, &raise);
    Node *h =
        resume_make(b, N_Handler, at, 2, (Node *[]){error(b, at, "StopIteration", NULL), then});
    return resume_make(b, N_Try, at, 4, (Node *[]){body, NULL, NULL, h});
}

void
ast_resume_body(Resume *r, Resumable *of)
{
    Body b = {.x = {.cx = r->cx, .fn = of->resume}, .r = r, .of = of, .n = 1};
    Nodes to = {0};
    FuncDef *g = of->gen;
    Span at = g->at;
    b.self = of->resume->params[0].name;
    b.s = intern(&r->cx->syms, "state.r");
    resume_push(&b, &to, ast_gen_set(&b.x, at, b.s, resume_field(&b, at, "_gi_state", CTX_LOAD)));
    resume_set_state(&b, &to, at, -1);
    Nodes over = {0};
    Node *no = ast_gen_bool(&b.x, at, false);
    resume_push(&b, &over, resume_make(&b, N_Return, at, 1, &no));
    resume_when(&b, &to, at, resume_is_state(&b, at, C_LT, 0), &over);
    for (int i = 0; i < of->captured.n; i++)
        resume_push(&b, &to,
                    ast_gen_set(&b.x, at, of->captured.at[i],
                                resume_field(&b, at, of->captured.at[i], CTX_LOAD)));
    Nodes own_body = {0}, rest = {0};
    for (int i = ast_resume_defaults(g); i < g->body->n; i++) {
        Node *s = g->body->kid[i];
        if (!ast_resume_is_made_anew(g, s))
            VEC_PUSH(&r->cx->arena, rest, s);
        else if (!s->fn->is_generator || !ast_resume_of(r, s->fn))
            resume_push(&b, &to, resume_own(&b, s));
    }
    emit_list(&b, &own_body, rest.at, rest.n);
    Node *all = ast_gen_block(&b.x, at, &own_body);
    resume_push(&b, &to, may_stop(g, g->body, 0) ? no_stop(&b, all) : all);
    no = ast_gen_bool(&b.x, at, false);
    resume_push(&b, &to, resume_make(&b, N_Return, at, 1, &no));
    of->resume->body = ast_gen_block(&b.x, at, &to);
}
