/* SPDX-License-Identifier: BSD-3-Clause
 * Functions that have values of their own. A bound method: `x.append` that is not called where it
 * stands is `bound.append(x)` of
 *     def bound.append(of): return lambda *args, **named: of.append(*args, **named)
 * which has x, whatever the name stands for later. There is one such function for each name in a
 * program, so that what is bound to values of one type has one type. Defaults that are no
 * constants: `lambda x, k=E: B` is
 *     (lambda k.default: lambda x, k=...: (k = k.default if k is ...; B))(E)
 * What "%s" % x and "{}".format(x) show, where evaluating one argument may change another:
 *     (lambda a, b: f"{a} {b}")(X, Y)
 * Sema asks for each. */
#include "ast/generator.h"

static Param
param(Expand *x, const char *name, ParamKind kind, Span at)
{
    Sym sym = intern(&x->cx->syms, name);
    ast_gen_local(x, sym);
    return (Param){.name = sym, .kind = kind, .at = at};
}

static Node *
passed_on(Expand *x, Span at, NodeKind kind, Sym name)
{
    Node *all = ast_gen_name(x, at, name, CTX_LOAD);
    return ast_gen_node(x, kind, at, 1, &all);
}

/* The body of a lambda. */
static void
yields(Expand *x, Node *value)
{
    Nodes body = {0};
    VEC_PUSH(&x->cx->arena, body, ast_gen_node(x, N_Return, value->at, 1, &value));
    x->fn->body = ast_gen_block(x, value->at, &body);
}

/* lambda *args, **named: OF.METHOD(*args, **named) */
static Node *
forwards(Expand *x, const Node *n, Node *of)
{
    FuncDef *f = x->fn;
    f->params = NEW_N(&x->cx->arena, Param, 2);
    f->params[0] = param(x, "args.g", P_VARARGS, n->at);
    f->params[1] = param(x, "named.g", P_KEYWORDS, n->at);
    f->n_params = 2;
    Node *method = ast_gen_node(x, N_Attribute, n->at, 1, &of);
    method->name = n->name;
    Node *part[] = {method, passed_on(x, n->at, N_Starred, f->params[0].name),
                    passed_on(x, n->at, N_Keyword, f->params[1].name)};
    return ast_gen_node(x, N_Call, n->at, 3, part);
}

static FuncDef *
new_maker(Cx *cx, Program *p, const FuncDef *asks, const Node *n, Sym name)
{
    FuncDef *f = NEW(&cx->arena, FuncDef);
    f->src = asks->src;
    f->at = n->at;
    f->name = f->qualname = name;
    f->index = p->funcs.n;
    VEC_PUSH(&cx->arena, p->funcs, f);
    Expand outer = {.cx = cx, .fn = f}, inner = outer;
    f->params = NEW(&cx->arena, Param);
    f->params[f->n_params++] = param(&outer, "of.g", P_POS, n->at);
    inner.fn = ast_gen_new_function(&outer, n);
    inner.fn->name = n->name;
    inner.fn->free = NEW(&cx->arena, Sym);
    inner.fn->free[inner.fn->n_free++] = f->params[0].name;
    yields(&inner, forwards(&inner, n, ast_gen_name(&inner, n->at, f->params[0].name, CTX_LOAD)));
    Node *lambda = ast_gen_node(&outer, N_Lambda, n->at, 0, NULL);
    lambda->fn = inner.fn;
    yields(&outer, lambda);
    return f;
}

/* C.parse, a class method: lambda *args, **named: C.parse(*args, **named) */
static void
of_class(Expand *x, Node *n)
{
    Expand inner = *x;
    inner.fn = ast_gen_new_function(x, n);
    inner.fn->name = n->name;
    yields(&inner, forwards(&inner, n, ast_gen_copy(&inner, n->kid[0])));
    Node *lambda = ast_gen_node(x, N_Lambda, n->at, 0, NULL);
    lambda->fn = inner.fn;
    *n = *lambda;
}

void
ast_bind_method(Cx *cx, const Unroll *u)
{
    Node *n = (Node *)(uintptr_t)u->loop, *call[2] = {NULL, n->kid[0]};
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    if (call[1]->kind == N_Const ||
        (call[1]->kind == N_Name && !ast_is_local(x.fn, call[1]->name))) {
        of_class(&x, n);
        return;
    }
    Sym name = intern(&cx->syms, arena_printf(&cx->arena, "bound.%s", n->name));
    FuncDef *maker = NULL;
    for (int i = 0; i < u->program->funcs.n && !maker; i++)
        maker = u->program->funcs.at[i]->name == name ? u->program->funcs.at[i] : NULL;
    if (!maker)
        maker = new_maker(cx, u->program, x.fn, n, name);
    Const *c = NEW(&cx->arena, Const);
    *c = (Const){.kind = CV_FUNC, .ref = maker, .str = name};
    call[0] = ast_const(&cx->arena, x.fn, n->at, c);
    *n = *ast_gen_node(&x, N_Call, n->at, 2, call);
}

/* ---- defaults -------------------------------------------------------------------------------- */

/* if NAME is ...: NAME = KEPT */
static Node *
or_kept(Expand *x, Span at, Sym name, Sym kept, const Const *missing)
{
    Node *test = ast_gen_compare(x, at, ast_gen_name(x, at, name, CTX_LOAD), C_IS,
                                 ast_const(&x->cx->arena, x->fn, at, missing));
    Nodes then = {0};
    VEC_PUSH(&x->cx->arena, then, ast_gen_set(x, at, name, ast_gen_name(x, at, kept, CTX_LOAD)));
    return ast_gen_node(x, N_If, at, 3, (Node *[]){test, ast_gen_block(x, at, &then), NULL});
}

/* w, w[i], w[i].x: of the variable? */
static bool
is_of(const Node *n, Sym name)
{
    while (n && (n->kind == N_Subscript || n->kind == N_Attribute))
        n = n->kid[0];
    return n && n->kind == N_Name && n->name == name;
}

/* Does it change the list that is called so, or hand it to whoever may? */
static bool
changes(const Node *n, Sym name)
{
    static const char *const by[] = {"append", "extend",  "insert", "pop",
                                     "remove", "reverse", "clear",  "sort"};
    bool found = false;
    if (!n)
        return false;
    if (n->kind == N_AugAssign || n->kind == N_Return)
        found = n->kid[0] && is_of(n->kid[0], name);
    else if (n->kind == N_Subscript)
        found = n->op != CTX_LOAD && is_of(n, name);
    for (int i = 0; n->kind == N_Attribute && is_of(n->kid[0], name) && i < SW_LEN(by); i++)
        found |= !strcmp(n->name, by[i]);
    for (int i = 0; i < n->n && !found; i++)
        found = changes(n->kid[i], name);
    return found || (n->fn && changes(n->fn->body, name));
}

bool
ast_default_changes(const FuncDef *f, int i)
{
    const Node *d = f->params[i].def_node;
    bool listed = d && (d->kind == N_List || d->kind == N_BinOp);
    return listed && ((d->kind == N_List && !d->n) || changes(f->body, f->params[i].name));
}

/* k = lambda ...: the statement. */
static Node *
assigned(Node *n, const Node *lambda)
{
    Node *found = n && n->kind == N_Assign && n->kid[0] == lambda ? n : NULL;
    for (int i = 0; n && !found && i < n->n; i++)
        found = assigned(n->kid[i], lambda);
    return found;
}

/* The names that hold the defaults of f become free in it; to each belongs a default, in `value`.
 * How many. */
static int
keep_defaults(Expand *in, const char *after, Sym *kept, Node **value)
{
    Arena *a = &in->cx->arena;
    FuncDef *f = in->fn;
    Const *missing = NEW(a, Const);
    Nodes body = {0};
    Sym *taken = NEW_N(a, Sym, f->n_free + f->n_params);
    int n = 0;
    *missing = (Const){.kind = CV_ELLIPSIS};
    if (f->n_free)
        memcpy(taken, f->free, sizeof *taken * (size_t)f->n_free);
    f->free = taken;
    for (int i = 0; i < f->n_params; i++) {
        Param *p = &f->params[i];
        if (!p->def_node || p->def_node->kind == N_Const)
            continue;
        kept[n] = intern(&in->cx->syms, arena_printf(a, "%s.default%s", p->name, after));
        value[n] = (Node *)(uintptr_t)p->def_node;
        taken[f->n_free++] = kept[n];
        p->def_node = NULL;
        p->def = missing;
        VEC_PUSH(a, body, or_kept(in, p->at, p->name, kept[n++], missing));
    }
    for (int i = 0; i < f->body->n; i++)
        VEC_PUSH(a, body, f->body->kid[i]);
    f->body = ast_gen_block(in, f->at, &body);
    return n;
}

/* k.default = E, and then the function, which takes it as it takes other variables: when it is
 * called, where it stays in the function that defines it. */
static void
keep_in_place(Expand *x, Node *statement, FuncDef *f)
{
    Arena *a = &x->cx->arena;
    Expand in = {.cx = x->cx, .fn = f};
    Sym *kept = NEW_N(a, Sym, f->n_params);
    Node **value = NEW_N(a, Node *, f->n_params);
    Nodes all = {0};
    int n = keep_defaults(&in, arena_printf(a, ".g%d", statement->id), kept, value);
    for (int i = 0; i < n; i++)
        VEC_PUSH(a, all, ast_gen_set(x, value[i]->at, kept[i], value[i]));
    Node *same = ast_gen_node(x, statement->kind, statement->at, statement->n, statement->kid);
    int id = same->id;
    *same = *statement;
    same->id = id;
    VEC_PUSH(a, all, same);
    *statement = *ast_gen_block(x, statement->at, &all);
}

bool
ast_is_default(Sym name)
{
    return strstr(name, ".default") != NULL;
}

/* A lambda or `def`, some of whose defaults are evaluated where it stands. */
void
ast_bind_defaults(Cx *cx, const Unroll *u)
{
    Arena *a = &cx->arena;
    Node *n = (Node *)(uintptr_t)u->loop, *same;
    FuncDef *f = n->fn;
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn}, in = {.cx = cx, .fn = f}, outer = x;
    Node *statement = n->kind == N_Lambda ? assigned(x.fn->body, n) : n;
    if (statement && (f->n_free || f->is_generator)) {
        keep_in_place(&x, statement, f);
        return;
    }
    Sym *kept = NEW_N(a, Sym, f->n_params);
    Node **call = NEW_N(a, Node *, f->n_params + 1);
    outer.fn = ast_gen_new_function(&x, n);
    outer.fn->params = NEW_N(a, Param, f->n_params);
    int n_kept = keep_defaults(&in, "", kept, call + 1);
    for (int i = 0; i < n_kept; i++)
        outer.fn->params[outer.fn->n_params++] = param(&outer, kept[i], P_POS, call[1 + i]->at);
    same = ast_gen_node(&outer, N_Lambda, n->at, 0, NULL);
    same->fn = f;
    yields(&outer, same);
    ast_gen_adopt(&outer, outer.fn->body);
    call[0] = ast_gen_node(&x, N_Lambda, n->at, 0, NULL);
    call[0]->fn = outer.fn;
    Node *value = ast_gen_node(&x, N_Call, n->at, outer.fn->n_params + 1, call);
    *n = n->kind == N_Lambda ? *value : *ast_gen_set(&x, n->at, n->name, value);
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* f"{X} {Y.y}", where `.y` is what the field asks for: (lambda a, b: f"{a} {b.y}")(X, Y) */
void
ast_bind_shown(Cx *cx, const Unroll *u)
{
    Arena *a = &cx->arena;
    Node *n = (Node *)(uintptr_t)u->loop, **call = NEW_N(a, Node *, n->n + 1);
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn}, inner = x;
    FuncDef *f = inner.fn = ast_gen_new_function(&x, n);
    f->params = NEW_N(a, Param, n->n);
    for (int i = 0; i < n->n; i++) {
        if (n->kid[i]->kind != N_FormattedValue)
            continue;
        Node **slot = &n->kid[i]->kid[0];
        for (int k = n->kid[i]->ops ? *n->kid[i]->ops : 0; k > 0; k--)
            slot = &(*slot)->kid[0];
        if ((*slot)->kind == N_Const)
            continue;
        Sym name = intern(&cx->syms, arena_printf(a, "shown.%d", i));
        call[1 + f->n_params] = *slot;
        f->params[f->n_params++] = param(&inner, name, P_POS, (*slot)->at);
        *slot = ast_gen_name(&inner, (*slot)->at, name, CTX_LOAD);
    }
    n->op = 0;
    yields(&inner, ast_gen_copy(&inner, n));
    ast_gen_adopt(&inner, f->body);
    call[0] = ast_gen_node(&x, N_Lambda, n->at, 0, NULL);
    call[0]->fn = f;
    *n = *ast_gen_node(&x, N_Call, n->at, f->n_params + 1, call);
}
