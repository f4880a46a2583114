/* SPDX-License-Identifier: BSD-3-Clause
 * What goes through instances. A class that can be gone through has a generator (Method "iter *",
 * which swathe._classes has found or written), so that `for x in e: BODY`, where e may be an
 * instance, becomes
 *     t = e
 *     if isinstance(t, C): for x in C's generator(t): BODY
 *     else: for x in t: BODY
 * of which sema, which knows what t is, keeps one branch. So do comprehensions and functions that
 * take all there is. Done before generators are written out. */
#include "ast/generator.h"

#include "type/builtin.h"

typedef struct Way { /* a class that can be gone through */
    const ObjClass *c;
    const FuncDef *gen;
    int depth;
} Way;

typedef struct Split {
    Expand x;
    const Program *p;
    const FuncDef *of; /* the function of the program that is looked at */
    Vec(Way) ways;
    const Builtin *isinstance;
} Split;

static const FuncDef *
generator_of(const Program *p, const void *cls)
{
    const Method *m = ast_method(p, cls, "iter *");
    return m ? m->def : NULL;
}

/* Derived classes first, since isinstance takes them for what they are derived from. */
static void
find_ways(Split *s, const Program *p)
{
    Arena *a = &s->x.cx->arena;
    for (int i = 0; i < p->classes.n; i++) {
        Way w = {p->classes.at[i], generator_of(p, p->classes.at[i]->cls), 0};
        bool same = true, any = false;
        for (int k = 0; k < p->bases.n; k++) {
            const FuncDef *above =
                p->bases.at[k].cls == w.c->cls ? generator_of(p, p->bases.at[k].base) : NULL;
            w.depth += p->bases.at[k].cls == w.c->cls;
            any |= above != NULL;
            same &= !above || above == w.gen;
        }
        if (!w.gen || !w.gen->is_generator || (any && same))
            continue;
        VEC_PUSH(a, s->ways, w);
        for (int k = s->ways.n - 1; k > 0 && s->ways.at[k - 1].depth < w.depth; k--) {
            s->ways.at[k] = s->ways.at[k - 1];
            s->ways.at[k - 1] = w;
        }
    }
}

/* A generator that goes through what an __iter__ yields finds iterators there. */
static bool
is_way(const Split *s, const Way *w)
{
    for (int i = 0; i < s->ways.n; i++)
        if (s->ways.at[i].gen == s->of)
            return w->gen->object || (w->gen != s->of && !ast_has_kind(w->gen->body, N_For));
    return true;
}

/* ---- nodes ----------------------------------------------------------------------------------- */

static Node *
constant(Split *s, Span at, Const c)
{
    Node *n = ast_gen_node(&s->x, N_Const, at, 0, NULL);
    n->val = arena_dup(&s->x.cx->arena, &c, sizeof c);
    return n;
}

static Node *
call(Split *s, Span at, Node *f, Node *a, Node *b)
{
    return ast_gen_node(&s->x, N_Call, at, b ? 3 : 2, (Node *[]){f, a, b});
}

static Node *
is_instance(Split *s, Span at, const Way *w, const Node *t)
{
    Node *f = constant(s, at, (Const){.kind = CV_BUILTIN, .ref = s->isinstance});
    Const cls = {.kind = CV_CLASS, .obj = w->c, .ref = w->c->cls, .str = w->c->name};
    return call(s, at, f, ast_gen_copy(&s->x, t), constant(s, at, cls));
}

static Node *
generated(Split *s, Span at, const Way *w, const Node *t)
{
    Const f = {.kind = CV_FUNC, .ref = w->gen, .str = w->gen->name};
    return call(s, at, constant(s, at, f), ast_gen_copy(&s->x, t), NULL);
}

static Node *
is_none(Split *s, Span at, const Node *t)
{
    Node *none = constant(s, at, (Const){.kind = CV_NONE});
    return ast_gen_compare(&s->x, at, ast_gen_copy(&s->x, t), C_IS, none);
}

static bool
is_search(const Node *e)
{
    return e->kind == N_Compare && e->n == 2 && (e->ops[0] == C_IN || e->ops[0] == C_NOTIN);
}

/* What Python raises where e goes through None. */
static Node *
raise_of_none(Split *s, const Node *e, Span at)
{
    const char *why = is_search(e) ? "argument of type 'NoneType' is not iterable"
                                   : "'NoneType' object is not iterable";
    Node *text = ast_gen_str(&s->x, at, why);
    Node *cls = constant(s, at, (Const){.kind = CV_EXC_CLASS, .str = "TypeError"});
    return ast_gen_node(&s->x, N_Raise, at, 2, (Node *[]){call(s, at, cls, text, NULL), NULL});
}

/* The same as an expression. */
static Node *
none_fails(Split *s, const Node *e)
{
    Node *lambda = ast_gen_node(&s->x, N_Lambda, e->at, 0, NULL);
    FuncDef *save = s->x.fn, *f = lambda->fn = ast_gen_new_function(&s->x, e);
    s->x.fn = f;
    Node *raise = raise_of_none(s, e, e->at);
    f->body = ast_gen_node(&s->x, N_Block, e->at, 1, &raise);
    s->x.fn = save;
    return ast_gen_node(&s->x, N_Call, e->at, 1, &lambda);
}

/* ---- what may be an instance ----------------------------------------------------------------- */

/* A name, or an attribute of one: to ask twice changes nothing. */
static bool
is_plain(const FuncDef *f, const Node *e)
{
    if (e->kind == N_Attribute)
        return is_plain(f, e->kid[0]);
    return e->kind == N_Name && ast_is_local(f, e->name);
}

/* What a call calls, where that is known. */
static const Const *
callee(const FuncDef *f, const Node *e)
{
    const Node *of = e->kind == N_Call ? e->kid[0] : NULL;
    bool global = of && of->kind == N_Name && !ast_is_local(f, of->name);
    return global ? ast_global(f, of->name) : of && of->kind == N_Const ? of->val : NULL;
}

/* Of C(...): C. */
static const Const *
made_class(const FuncDef *f, const Node *e)
{
    const Const *c = callee(f, e);
    return c && c->kind == CV_CLASS ? c : NULL;
}

static bool
makes_instance(const FuncDef *f, const Node *e)
{
    return made_class(f, e) != NULL;
}

/* A call of a function, which may yield an instance, or a slice, which may be one. */
static bool
is_called(const FuncDef *f, const Node *e)
{
    if (e->kind == N_Subscript && e->kid[1]->kind == N_Slice)
        return true;
    const Builtin *b = e->kind == N_Call ? ast_gen_builtin(f, e) : NULL;
    if (b && (b->family == BF_NP || b->family == BF_LIB)) /* np.unique of an array of strings */
        return true;
    const FuncDef *g = e->kind == N_Call ? ast_gen_function(f, e->kid[0]) : NULL;
    return g && !(g->is_generator && !(g->object && g->only_object));
}

/* How one goes through what a call of a class makes. */
static const Way *
way_of_made(const Split *s, const Node *e)
{
    const Const *c = made_class(s->x.fn, e);
    for (int i = 0; c && i < s->ways.n; i++) {
        const Way *w = &s->ways.at[i];
        bool is = w->c->cls == c->ref;
        for (int k = 0; k < s->p->bases.n && !is; k++)
            is = s->p->bases.at[k].cls == c->ref && s->p->bases.at[k].base == w->c->cls;
        if (is)
            return is_way(s, w) ? w : NULL;
    }
    return NULL;
}

/* Where in the loop's iterable it stands: it, or what enumerate takes. */
static Node **
place_of(Split *s, Node *loop, int at)
{
    Node **slot = &loop->kid[at];
    const Builtin *b = ast_gen_builtin(s->x.fn, *slot);
    if (b && b->id == BI_py_enumerate && (*slot)->n > 1)
        slot = &(*slot)->kid[1];
    bool fits =
        is_plain(s->x.fn, *slot) || makes_instance(s->x.fn, *slot) || is_called(s->x.fn, *slot);
    return fits ? slot : NULL;
}

/* ---- loops and expressions ------------------------------------------------------------------- */

static Node *
loop_by(Split *s, const Node *loop, const Way *w)
{
    Node *to = ast_gen_copy(&s->x, loop), **slot = place_of(s, to, 1);
    *slot = generated(s, (*slot)->at, w, *slot);
    return to;
}

static void
split_loop(Split *s, Node **at)
{
    Node *loop = *at, **slot = place_of(s, loop, 1);
    if (!slot)
        return;
    Nodes all = {0};
    Span where = (*slot)->at;
    if (!is_plain(s->x.fn, *slot)) {
        Sym name = intern(&s->x.cx->syms, arena_printf(&s->x.cx->arena, "iterated.i%d", loop->id));
        VEC_PUSH(&s->x.cx->arena, all, ast_gen_set(&s->x, where, name, *slot));
        *slot = ast_gen_name(&s->x, where, name, CTX_LOAD);
    }
    Node *t = ast_gen_copy(&s->x, *slot), *rest = loop, *fails = raise_of_none(s, loop, where);
    for (int i = s->ways.n - 1; i >= 0; i--) {
        const Way *w = &s->ways.at[i];
        if (!is_way(s, w))
            continue;
        Node *by = loop_by(s, loop, w), *then = ast_gen_node(&s->x, N_Block, where, 1, &by);
        Node *els = ast_gen_node(&s->x, N_Block, where, 1, &rest);
        rest = ast_gen_node(&s->x, N_If, loop->at, 3,
                            (Node *[]){is_instance(s, where, w, t), then, els});
    }
    if (rest != loop) {
        Node *arm[] = {is_none(s, where, t), ast_gen_node(&s->x, N_Block, where, 1, &fails),
                       ast_gen_node(&s->x, N_Block, where, 1, &rest)};
        rest = ast_gen_node(&s->x, N_If, loop->at, 3, arm);
    }
    VEC_PUSH(&s->x.cx->arena, all, rest);
    *at = all.n == 1 ? rest : ast_gen_block(&s->x, loop->at, &all);
}

/* Does e go through an instance of that class by its __iter__? */
static bool
is_gone_through(const Split *s, const Node *e, const Way *w)
{
    return is_way(s, w) && !(is_search(e) && ast_method(s->p, w->c->cls, "__contains__"));
}

/* Where in an expression what it goes through stands: list(t), sum(E for x in t),
 * [E for x in t], x in t. */
static Node **
taken_by(Split *s, Node *e)
{
    static const BuiltinId all[] = {BI_py_list, BI_py_tuple, BI_py_set, BI_py_sum,   BI_py_any,
                                    BI_py_all,  BI_py_max,   BI_py_min, BI_py_sorted};
    bool takes = false;
    if (is_search(e))
        return is_plain(s->x.fn, e->kid[1]) || makes_instance(s->x.fn, e->kid[1]) ||
                       (e->kid[0]->kind == N_Const && is_called(s->x.fn, e->kid[1]))
                   ? &e->kid[1]
                   : NULL;
    if (e->kind == N_ListComp && e->n > 1)
        return place_of(s, e->kid[1], 1);
    const Builtin *b = ast_gen_builtin(s->x.fn, e);
    for (int i = 0; b && i < SW_LEN(all); i++)
        takes |= b->id == (int)all[i];
    Node *arg = takes && e->n > 1 ? e->kid[1] : NULL;
    if (!arg ||
        ((b->id == BI_py_max || b->id == BI_py_min) && e->n > 2 && e->kid[2]->kind != N_Keyword))
        return NULL;
    if (arg->kind == N_ListComp && arg->op == 1)
        return arg->n > 1 ? place_of(s, arg->kid[1], 1) : NULL;
    return place_of(s, e, 1);
}

/* `e in t` where t may be of a class that has a __contains__ and is derived from one without, which
 * is gone through: these are asked for first. */
static Node *
contained(Split *s, Node *e, const Node *t, Node *rest)
{
    const Program *p = s->p;
    for (int i = 0; i < p->classes.n; i++) {
        Way w = {.c = p->classes.at[i]};
        bool below = false;
        for (int k = 0; k < p->bases.n && !below; k++)
            for (int j = 0; j < s->ways.n && p->bases.at[k].cls == w.c->cls && !below; j++)
                below = p->bases.at[k].base == s->ways.at[j].c->cls &&
                        is_gone_through(s, e, &s->ways.at[j]);
        if (below && ast_method(p, w.c->cls, "__contains__"))
            rest = ast_gen_node(
                &s->x, N_IfExp, e->at, 3,
                (Node *[]){is_instance(s, t->at, &w, t), ast_gen_copy(&s->x, e), rest});
    }
    return rest;
}

static void
split_expression(Split *s, Node **at)
{
    Node *e = *at, **slot = taken_by(s, e), *rest = e;
    if (!slot)
        return;
    const Way *made = way_of_made(s, *slot);
    bool asks =
        is_search(e) && made && ast_method(s->p, made_class(s->x.fn, *slot)->ref, "__contains__");
    if (made && !asks && is_gone_through(s, e, made))
        *slot = generated(s, (*slot)->at, made, *slot);
    if (made)
        return;
    Node *t = *slot, *first = NULL;
    if (is_called(s->x.fn, t)) { /* it has a name from the first question on */
        Sym name = intern(&s->x.cx->syms, arena_printf(&s->x.cx->arena, "iterated.i%d", e->id));
        ast_gen_local(&s->x, name);
        Node *set[2] = {ast_gen_name(&s->x, t->at, name, CTX_STORE), t};
        first = ast_gen_node(&s->x, N_NamedExpr, t->at, 2, set);
        *slot = t = ast_gen_name(&s->x, t->at, name, CTX_LOAD);
    } else if (!is_plain(s->x.fn, t))
        return;
    for (int i = s->ways.n - 1; i >= 0; i--) {
        const Way *w = &s->ways.at[i];
        if (!is_gone_through(s, e, w))
            continue;
        Node *by = ast_gen_copy(&s->x, e);
        slot = taken_by(s, by);
        *slot = generated(s, t->at, w, *slot);
        rest = ast_gen_node(&s->x, N_IfExp, e->at, 3,
                            (Node *[]){is_instance(s, t->at, w, t), by, rest});
    }
    if (rest != e && is_search(e))
        rest = contained(s, e, t, rest);
    /* what is searched for comes before */
    bool simple = !is_search(e) || e->kid[0]->kind == N_Name || e->kid[0]->kind == N_Const;
    if (rest != e && simple)
        rest = ast_gen_node(&s->x, N_IfExp, e->at, 3,
                            (Node *[]){is_none(s, t->at, t), none_fails(s, e), rest});
    if (first && rest != e)
        rest->kid[0]->kid[0] = first; /* such an e is simple */
    else if (first)
        *slot = first->kid[1];
    *at = rest;
}

static void
visit(Split *s, Node **slot)
{
    Node *n = *slot;
    if (!n)
        return;
    if (n->fn) {
        FuncDef *save = s->x.fn;
        s->x.fn = n->fn;
        visit(s, &n->fn->body);
        s->x.fn = save;
    }
    bool whole = taken_by(s, n) != NULL; /* with the comprehension that it takes */
    for (int i = 0; i < n->n; i++)
        if (whole && i == 1 && n->kid[i]->kind == N_ListComp && n->kid[i]->op == 1)
            for (int k = 0; k < n->kid[i]->n; k++)
                visit(s, &n->kid[i]->kid[k]);
        else
            visit(s, &n->kid[i]);
    if (n->kind == N_For)
        split_loop(s, slot);
    else
        split_expression(s, slot);
}

void
ast_split_iterables(Cx *cx, Program *p)
{
    Split s = {.x = {.cx = cx}, .p = p, .isinstance = builtin_find("builtins", "isinstance")};
    find_ways(&s, p);
    for (int i = 0; s.ways.n && s.isinstance && i < p->funcs.n; i++) {
        FuncDef *f = p->funcs.at[i];
        if (!f->body || f->is_lib)
            continue;
        s.x.fn = f;
        s.of = f;
        visit(&s, &f->body);
    }
}
