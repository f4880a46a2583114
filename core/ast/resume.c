/* SPDX-License-Identifier: BSD-3-Clause
 * Generators that are values. A generator that is gone through where it is called is written out
 * there (generator.c). Of any other, and of one that goes through itself, objects are made: each is
 * an instance of a class of the generator's own, whose fields are what lives across a yield, with a
 * function that goes on to the next yield (resume_body.c). The generator's name becomes that of a
 * function that makes one. All behind sees a class with methods; those that all such classes have
 * are Python, in swathe/_resumed.py. */
#include "ast/resume.h"

typedef struct Find {
    Resume *r;
    FuncDef *fn; /* whose body is looked at */
    bool object; /* it is that of objects: what yields in it is not written out */
} Find;

Resumable *
ast_resume_of(const Resume *r, const FuncDef *gen)
{
    for (int i = 0; i < r->all.n; i++)
        if (r->all.at[i]->gen == gen)
            return r->all.at[i];
    return NULL;
}

bool
ast_resume_looks_at(const Resume *r, const FuncDef *f)
{
    return f->body && (!f->is_lib || f == r->p->root);
}

Node *
ast_resume_field(Expand *x, Span at, Sym self, const char *name, int op)
{
    Node *of = ast_gen_name(x, at, self, CTX_LOAD);
    Node *n = ast_gen_node(x, N_Attribute, at, 1, &of);
    n->name = intern(&x->cx->syms, name);
    n->op = op;
    return n;
}

Node *
ast_resume_call(Expand *x, Span at, Sym self, const char *method)
{
    Node *f = ast_resume_field(x, at, self, method, CTX_LOAD);
    return ast_gen_node(x, N_Call, at, 1, &f);
}

/* ---- which ----------- */

static void find(Find *f, Node *n, bool taken);

/* The generator that a name or constant stands for; NULL. */
static FuncDef *
named(const Resume *r, FuncDef *fn, Node *n)
{
    if (n->kind == N_Name && ast_is_local(fn, n->name) &&
        !ast_has_name(r->nested.at, r->nested.n, n->name))
        return NULL;
    bool is = n->kind == N_Const || (n->kind == N_Name && n->op == CTX_LOAD);
    FuncDef *g = is ? (FuncDef *)(uintptr_t)ast_gen_function(fn, n) : NULL;
    return g && g->is_generator && !g->is_lib && g->body ? g : NULL;
}

static bool
yields_value(const Node *n, const void *arg)
{
    (void)arg;
    for (int i = 0; i < n->n; i++)
        if (n->kid[i] && n->kid[i]->kind == N_Yield && n->kind != N_Expr)
            return true;
    return false;
}

static bool
is_awkward(const Node *n, const void *gen)
{
    const Builtin *b = n->kind == N_Call ? ast_gen_builtin(gen, n) : NULL;
    const Node *cls = n->kind == N_Raise && n->n ? n->kid[0] : NULL;
    cls = cls && cls->kind == N_Call ? cls->kid[0] : cls;
    bool stops = (b && b->id == BI_py_next && n->n == 2) ||
                 (cls && cls->kind == N_Name && !strcmp(cls->name, "StopIteration"));
    return stops || n->fn;
}

/* What generator.c does not write out. */
static bool
is_hard(const FuncDef *g)
{
    return ast_find(g->body, yields_value, NULL) || ast_find(g->body, is_awkward, g) ||
           ast_find(g->body, ast_resume_sees_exit, NULL);
}

typedef struct Reach {
    const FuncDef *to, *fn;
    const FuncDef *seen[64];
    int n;
} Reach;

/* Does what n calls go through the generator again? */
static bool
reaches(Reach *r, const Node *n)
{
    if (!n)
        return false;
    const FuncDef *g = n->kind == N_Call ? ast_gen_called(r->fn, n) : NULL, *save = r->fn;
    bool known = false;
    for (int i = 0; i < r->n; i++)
        known |= r->seen[i] == g;
    if (g == r->to && g)
        return true;
    if (g && !known && r->n < SW_LEN(r->seen)) {
        r->seen[r->n++] = g;
        r->fn = g;
        bool found = reaches(r, g->body);
        r->fn = save;
        if (found)
            return true;
    }
    for (int i = 0; i < n->n; i++)
        if (reaches(r, n->kid[i]))
            return true;
    return false;
}

static void
need(Find *f, FuncDef *g)
{
    if (ast_resume_of(f->r, g))
        return;
    Resumable *of = NEW(&f->r->cx->arena, Resumable);
    of->gen = g;
    of->outer = g->parent;
    VEC_PUSH(&f->r->cx->arena, f->r->all, of);
    Reach r = {.to = g, .fn = g};
    g->only_object = is_hard(g) || reaches(&r, g->body);
    find(&(Find){f->r, g, true}, g->body, false);
}

static void
find_in_call(Find *f, Node *n, bool taken)
{
    FuncDef *g = (FuncDef *)(uintptr_t)ast_gen_called(f->fn, n);
    const Builtin *b = ast_gen_builtin(f->fn, n);
    FuncDef *own = g && g->is_lib && !taken ? ast_resume_of_library(f->r, f->fn, n) : NULL;
    if (own) {
        need(f, own);
    } else if (g && !g->is_lib) {
        Reach r = {.to = g, .fn = g};
        if (!taken || is_hard(g) || reaches(&r, g->body))
            need(f, g);
    } else {
        find(f, n->kid[0], false);
    }
    bool wraps = b && (b->id == BI_py_iter || b->id == BI_py_enumerate);
    bool takes = wraps ? taken : b && (b->flags & ELEMENTS || b->id == BI_py_next);
    bool join = n->kid[0]->kind == N_Attribute && !strcmp(n->kid[0]->name, "join");
    for (int i = 1; i < n->n; i++)
        find(f, n->kid[i], i == 1 && (takes || join));
}

/* taken: what n is gone through where it stands. */
static void
find(Find *f, Node *n, bool taken)
{
    if (!n)
        return;
    if (n->kind == N_Call) {
        find_in_call(f, n, taken);
        return;
    }
    if (n->kind == N_With && n->op == WITH_GENERATOR) {
        find(f, n->kid[0], false);
        for (int i = 1; i < n->kid[1]->n; i++)
            find(f, n->kid[1]->kid[i], false);
        return;
    }
    FuncDef *g = named(f->r, f->fn, n);
    if (g)
        need(f, g);
    f->r->throws |=
        n->kind == N_Attribute && (!strcmp(n->name, "close") || !strcmp(n->name, "throw"));
    if (n->fn) {
        Find inner = {f->r, n->fn, false};
        find(&inner, n->fn->body, false);
        for (int i = 0; i < n->fn->n_params; i++)
            find(f, (Node *)(uintptr_t)n->fn->params[i].def_node, false);
    }
    bool yields = f->object && ast_has_kind(n, N_Yield);
    bool head = n->kind == N_For || n->kind == N_Comprehension;
    for (int i = 0; i < n->n; i++) {
        bool later = n->kind == N_ListComp && n->op == 1 && !taken && i > 0;
        if (later) {
            find(f, n->kid[i]->kid[0], false);
            for (int k = 1; k < n->kid[i]->n; k++)
                find(f, n->kid[i]->kid[k], false);
            continue;
        }
        bool asked = head && i == 1 && n->kid[1]->kind == N_ListComp && n->kid[1]->op == 1;
        bool over = (head && i == 1 && !yields && !asked) || n->kind == N_Starred ||
                    (n->kind == N_Yield && n->op && !f->object);
        find(f, n->kid[i], over);
    }
}

/* Methods that are generators: those that are called by name, and an __iter__ that may go through
 * instances of its own class. */
static bool
is_generator_method(const Method *m)
{
    if (!m->def || !m->def->is_generator || !m->def->body || !strcmp(m->name, "iter *"))
        return false;
    return true;
}

/* Of an instance an iterator is made by it: __iter__ itself, or, where that is `return self`, a
 * generator that asks __next__ (swathe/_class_ways.py). */
static bool
is_iter_method(const Method *m)
{
    return !strcmp(m->name, "__iter__") || !strcmp(m->name, "iter object");
}

static bool
is_attribute(const Node *n, const void *name)
{
    return n->kind == N_Attribute && n->name == name;
}

static bool
is_wanted(const Program *p, const Method *m)
{
    if (ast_resume_cleans_up(m->def)) /* nobody would know when it is left */
        return false;
    if (is_iter_method(m) || !strcmp(m->name, "__reversed__"))
        return true;
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->body && ast_find(p->funcs.at[i]->body, is_attribute, m->name))
            return true;
    return false;
}

/* Is there one? Nested ones are noted. */
static bool
find_generators(Resume *r, const Node *n)
{
    bool some = false;
    if (n && n->kind == N_FunctionDef && n->fn->is_generator) {
        VEC_PUSH(&r->cx->arena, r->nested, n->name);
        some = true;
    }
    if (n && n->fn)
        some |= find_generators(r, n->fn->body);
    for (int i = 0; n && i < n->n; i++)
        some |= find_generators(r, n->kid[i]);
    return some;
}

Resume *
ast_find_resumable(Cx *cx, Program *p)
{
    Resume *r = NEW(&cx->arena, Resume);
    *r = (Resume){.cx = cx, .p = p};
    bool some = false;
    for (int i = 0; i < p->funcs.n; i++) {
        const FuncDef *f = p->funcs.at[i];
        some |= f->is_generator && (!f->is_lib || ast_gen_never_ends(f));
        some |= f->body && !f->is_lib && find_generators(r, f->body);
    }
    if (!some)
        return NULL;
    r->endless = true;
    for (int i = 0; i < p->funcs.n; i++) {
        FuncDef *f = p->funcs.at[i];
        if (ast_resume_looks_at(r, f))
            find(&(Find){r, f, false}, f->body, false);
    }
    for (int i = 0; i < p->methods.n; i++) {
        const Method *m = &p->methods.at[i];
        if (is_generator_method(m) && is_wanted(p, m)) {
            need(&(Find){r, m->def, false}, m->def);
            m->def->only_object |= !is_iter_method(m);
        }
    }
    return r->all.n ? r : NULL;
}

/* ---- classes ----------- */

FuncDef *
ast_resume_new_function(Resume *r, const FuncDef *g, const char *name)
{
    Arena *a = &r->cx->arena;
    FuncDef *f = NEW(a, FuncDef);
    const FuncDef *root = g;
    while (root->parent)
        root = root->parent;
    f->src = g->src;
    f->at = g->at;
    f->int_divide = g->int_divide;
    f->is_installed = g->is_installed;
    f->own = g->own;
    f->name = intern(&r->cx->syms, name);
    f->qualname = g->qualname;
    f->globals = root->globals;
    f->n_globals = root->n_globals;
    f->index = r->p->funcs.n;
    VEC_PUSH(a, r->p->funcs, f);
    return f;
}

static void
add_param(Resume *r, FuncDef *f, Param p)
{
    Param *more = NEW_N(&r->cx->arena, Param, f->n_params + 1);
    if (f->n_params)
        memcpy(more, f->params, sizeof *more * (size_t)f->n_params);
    more[f->n_params++] = p;
    f->params = more;
    Expand x = {.cx = r->cx, .fn = f};
    ast_gen_local(&x, p.name);
}

FuncDef *
ast_resume_function(Resume *r, const FuncDef *g, const char *name)
{
    FuncDef *f = ast_resume_new_function(r, g, name);
    add_param(r, f,
              (Param){.name = intern(&r->cx->syms, "self.r"), .kind = P_POSONLY, .at = g->at});
    return f;
}

static void
set_field(Expand *x, Nodes *to, Span at, Sym self, const char *name, Node *v)
{
    Node *kid[2] = {v, ast_resume_field(x, at, self, name, CTX_STORE)};
    VEC_PUSH(&x->cx->arena, *to, ast_gen_node(x, N_Assign, at, 2, kid));
}

/* self.a = a for each parameter that lives across a yield, and captured variable */
static void
write_init(Resume *r, Resumable *of, Sym self)
{
    FuncDef *g = of->gen, *f = of->init = ast_resume_new_function(r, g, "__init__");
    Expand x = {.cx = r->cx, .fn = f};
    Nodes to = {0};
    add_param(r, f, (Param){.name = self, .kind = P_POSONLY, .at = g->at});
    for (int i = 0; i < g->n_params; i++) {
        Param p = g->params[i];
        p.def_node = NULL;
        add_param(r, f, p);
        if (ast_has_name(of->kept.at, of->kept.n, p.name))
            set_field(&x, &to, g->at, self, p.name, ast_gen_name(&x, g->at, p.name, CTX_LOAD));
    }
    for (int i = 0; i < of->captured.n; i++) {
        Sym name = of->captured.at[i];
        add_param(r, f, (Param){.name = name, .kind = P_KWONLY, .at = g->at});
        set_field(&x, &to, g->at, self, name, ast_gen_name(&x, g->at, name, CTX_LOAD));
    }
    set_field(&x, &to, g->at, self, "_gi_state", ast_gen_int(&x, g->at, 0));
    set_field(&x, &to, g->at, self, "_gi_mode", ast_gen_int(&x, g->at, 0));
    f->body = ast_gen_block(&x, g->at, &to);
}

/* How often a variable is set, where a loop may do so more than once. */
static int
count_sets(const Node *n, Sym name, int by)
{
    int k = n && n->kind == N_Name && n->name == name && n->op != CTX_LOAD ? by : 0;
    for (int i = 0; n && i < n->n; i++)
        k += count_sets(n->kid[i], name, n->kind == N_For || n->kind == N_While ? 2 : by);
    return k;
}

/* The object has what a variable around it was when it was made. */
Sym
ast_resume_set_again(const Resumable *of)
{
    for (int i = 0; i < of->captured.n; i++) {
        Sym name = of->captured.at[i];
        const FuncDef *f = of->gen->parent;
        while (f && !ast_has_name(f->locals, f->n_locals, name))
            f = f->parent;
        int n = 0;
        for (int k = 0; f && k < f->n_params; k++)
            n += f->params[k].name == name;
        if (f && n + count_sets(f->body, name, 1) > 1)
            return name;
    }
    return NULL;
}

/* `if x is ...: x = kept` of a parameter whose default is a variable (default.c, bound.c). */
static bool
is_default(const FuncDef *g, const Node *s)
{
    const Node *test = s->kind == N_If ? s->kid[0] : NULL;
    const Const *k =
        test && test->kind == N_Compare && test->n == 2 && test->kid[1]->kind == N_Const
            ? test->kid[1]->val
            : NULL;
    bool found = false;
    for (int i = 0; k && k->kind == CV_ELLIPSIS && !found && i < g->n_params; i++)
        found = g->params[i].def == k && test->kid[0]->kind == N_Name &&
                test->kid[0]->name == g->params[i].name;
    return found;
}

/* How many statements that does first. */
int
ast_resume_defaults(const FuncDef *g)
{
    int n = 0;
    while (n < g->body->n && is_default(g, g->body->kid[n]))
        n++;
    return n;
}

/* The function that has the generator's name: return C(a, b, ...). What stands for a default is
 * taken here, for the object's parameters have one type. */
static void
write_factory(Resume *r, Resumable *of)
{
    FuncDef *g = of->gen, *f = ast_resume_new_function(r, g, g->name);
    Expand x = {.cx = r->cx, .fn = f};
    Nodes arg = {0};
    if (g->parent) { /* it is where its definition is */
        r->p->funcs.n--;
        f->index = g->index;
        f->parent = g->parent;
        f->globals = NULL;
        f->n_globals = 0;
    }
    f->free = of->captured.at;
    f->n_free = of->captured.n;
    Node *cls = ast_gen_node(&x, N_Const, g->at, 0, NULL);
    cls->val = of->cst;
    VEC_PUSH(&r->cx->arena, arg, cls);
    for (int i = 0; i < g->n_params + of->captured.n; i++) {
        bool own = i < g->n_params;
        Sym name = own ? g->params[i].name : of->captured.at[i - g->n_params];
        ParamKind kind = own ? g->params[i].kind : P_KWONLY;
        Node *v = ast_gen_name(&x, g->at, name, CTX_LOAD);
        if (own)
            add_param(r, f, g->params[i]);
        if (kind == P_VARARGS || kind == P_KWONLY || kind == P_KEYWORDS)
            v = ast_gen_node(&x, kind == P_VARARGS ? N_Starred : N_Keyword, g->at, 1, &v);
        if (kind == P_KWONLY)
            v->name = name;
        VEC_PUSH(&r->cx->arena, arg, v);
    }
    Node *made = ast_gen_node(&x, N_Call, g->at, arg.n, arg.at);
    Sym again = ast_resume_set_again(of);
    if (again)
        made = ast_gen_refuse(
            &x, g->at,
            arena_printf(&r->cx->arena,
                         "a generator, as a value, that takes '%s', which is assigned again,",
                         ast_shown(&r->cx->arena, again)));
    Nodes to = {0};
    for (int i = 0; i < ast_resume_defaults(g); i++)
        VEC_PUSH(&r->cx->arena, to, ast_gen_copy(&x, g->body->kid[i]));
    VEC_PUSH(&r->cx->arena, to, ast_gen_node(&x, N_Return, g->at, 1, &made));
    f->body = ast_gen_block(&x, g->at, &to);
    g->object = f;
    f->object = g;
}

static bool
has_result(const Node *n, const void *arg)
{
    (void)arg;
    return n->kind == N_Return && n->n && n->kid[0] &&
           !(n->kid[0]->kind == N_Const && n->kid[0]->val->kind == CV_NONE);
}

/* What a nested generator takes from around it, but for generators: their objects are made by
 * name. */
static void
find_captured(Resume *r, Resumable *of)
{
    const FuncDef *g = of->gen;
    for (int i = 0; i < g->n_free; i++) {
        Node at = {.kind = N_Name, .name = g->free[i]};
        FuncDef *inner = named(r, of->gen, &at);
        if (!inner || !ast_resume_of(r, inner))
            VEC_PUSH(&r->cx->arena, of->captured, g->free[i]);
    }
}

static void
begin_class(Resume *r, Resumable *of)
{
    Arena *a = &r->cx->arena;
    ObjClass *c = of->cls = NEW(a, ObjClass);
    c->name = of->gen->name;
    c->cls = c->generic = c;
    c->open = c->resumed = true;
    of->cst =
        arena_dup(a, &(Const){.kind = CV_CLASS, .obj = c, .ref = c, .str = c->name}, sizeof(Const));
    of->receives = ast_find(of->gen->body, yields_value, NULL) != NULL;
    of->returns = ast_find(of->gen->body, has_result, NULL) != NULL;
    find_captured(r, of);
    ast_resume_keep(r, of);
}

static void
add_method(Resume *r, Resumable *of, const char *name, FuncDef *def)
{
    VEC_PUSH(&r->cx->arena, r->p->methods,
             ((Method){.cls = of->cls, .name = intern(&r->cx->syms, name), .def = def}));
}

static void
add_field(Resume *r, ObjClass *c, const char *name, bool number, bool maybe)
{
    ObjField *f = &c->field[c->n++];
    f->name = intern(&r->cx->syms, name);
    f->maybe = maybe;
    f->var = number ? NULL : NEW(&r->cx->arena, TypeVar);
    f->type = number ? type_scalar(r->cx->types, DT_i64, true) : type_open(r->cx->types, f->var);
}

static void
end_class(Resume *r, Resumable *of, FuncDef *const *ways)
{
    ObjClass *c = of->cls;
    c->field = NEW_N(&r->cx->arena, ObjField, of->kept.n + of->captured.n + 5);
    for (int i = 0; i < of->kept.n; i++)
        add_field(r, c, of->kept.at[i], false, ast_resume_may_lack(of->gen, of->kept.at[i]));
    for (int i = 0; i < of->captured.n; i++)
        add_field(r, c, of->captured.at[i], false, false);
    add_field(r, c, "_gi_state", true, false);
    add_field(r, c, "_gi_mode", true, false);
    add_field(r, c, "_gi_value", false, false);
    if (of->returns)
        add_field(r, c, "_gi_result", false, false);
    if (of->receives)
        add_field(r, c, "_gi_sent", false, false);
    VEC_PUSH(&r->cx->arena, r->p->classes, c);
    add_method(r, of, "__init__", of->init);
    add_method(r, of, "_gi_resume", of->resume);
    static const char *const name[] = {"__iter__", "__next__", "next or", "send", "close", "throw"};
    add_method(r, of, "_gi_throw", r->raise);
    for (int i = 0; i < SW_LEN(name); i++) {
        int kind = i == 0 || i == 4 ? 0 : of->receives + 2 * of->returns;
        if (ways[4 * i + kind])
            add_method(r, of, name[i], ways[4 * i + kind]);
    }
}

/* ---- names ----------- */

/* The generator's name becomes that of what makes an object of it. */
static void
replace(Resume *r, FuncDef *fn, Node *n, bool all)
{
    if (!n)
        return;
    FuncDef *g = named(r, fn, n);
    if (g && g->object && !g->parent && (all || g->only_object)) {
        n->kind = N_Const;
        n->n = 0;
        n->val =
            arena_dup(&r->cx->arena, &(Const){.kind = CV_FUNC, .ref = g->object, .str = g->name},
                      sizeof(Const));
        return;
    }
    if (n->fn && n->kind == N_FunctionDef && n->fn->is_generator && n->fn->object &&
        (all || n->fn->only_object))
        n->fn = n->fn->object;
    else if (n->fn)
        replace(r, n->fn, n->fn->body, all);
    for (int i = 0; i < n->n; i++)
        replace(r, fn, n->kid[i], all);
}

static void
replace_all(Resume *r, bool all)
{
    for (int i = 0; i < r->p->funcs.n; i++) {
        FuncDef *f = r->p->funcs.at[i];
        if (ast_resume_looks_at(r, f))
            replace(r, f, f->body, all);
    }
    for (int i = 0; i < r->p->methods.n; i++) {
        Method *m = &r->p->methods.at[i];
        if (m->def && m->def->is_generator && m->def->object && strcmp(m->name, "iter *") &&
            (all || m->def->only_object || is_iter_method(m)))
            m->def = m->def->object;
    }
}

/* yield from e: a loop, of which iterate.c makes one for instances and one for all else. */
static void
write_loops(Expand *x, Node *n)
{
    Node *y =
        n && n->kind == N_Expr && n->kid[0]->kind == N_Yield && n->kid[0]->op ? n->kid[0] : NULL;
    for (int i = 0; n && i < n->n; i++)
        write_loops(x, n->kid[i]);
    if (!y)
        return;
    Sym item = intern(&x->cx->syms, arena_printf(&x->cx->arena, "item.r%d", y->id));
    ast_gen_local(x, item);
    Node *v = ast_gen_name(x, y->at, item, CTX_LOAD);
    Node *each = ast_gen_node(x, N_Yield, y->at, 1, &v);
    Node *s = ast_gen_node(x, N_Expr, y->at, 1, &each);
    Node *kid[4] = {ast_gen_name(x, y->at, item, CTX_STORE), y->kid[0],
                    ast_gen_node(x, N_Block, y->at, 1, &s), NULL};
    n->kind = N_For;
    n->n = 4;
    n->kid = ast_gen_node(x, N_For, y->at, 4, kid)->kid;
}

static void
write_iter_loops(Resume *r)
{
    for (int i = 0; i < r->p->methods.n; i++) {
        FuncDef *g = r->p->methods.at[i].def;
        bool in_place = g && g->is_generator && g->object && !g->only_object;
        if (in_place && !strcmp(r->p->methods.at[i].name, "__iter__"))
            write_loops(&(Expand){.cx = r->cx, .fn = g}, g->body);
    }
}

void
ast_resume_classes(Resume *r, int from, FuncDef *const *ways)
{
    for (int i = from; i < r->all.n; i++)
        begin_class(r, r->all.at[i]);
    for (int i = from; i < r->all.n; i++)
        write_factory(r, r->all.at[i]);
    for (int i = from; i < r->all.n; i++) {
        Resumable *of = r->all.at[i];
        Sym self = intern(&r->cx->syms, "self.r");
        write_init(r, of, self);
        of->resume = ast_resume_function(r, of->gen, "_gi_resume");
        ast_resume_body(r, of);
    }
    for (int i = from; i < r->all.n; i++)
        end_class(r, r->all.at[i], ways);
}

void
ast_make_resumable(Resume *r, FuncDef *const *ways)
{
    r->held = ways[4 * 6];
    ast_resume_close(r);
    r->raise = ast_resume_function(r, r->all.at[0]->gen, "_gi_throw");
    ast_resume_throw(r, r->raise);
    ast_resume_classes(r, 0, ways);
    write_iter_loops(r);
    replace_all(r, false);
}

void
ast_end_resumable(Resume *r)
{
    replace_all(r, true);
}
