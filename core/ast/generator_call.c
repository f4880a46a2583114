/* SPDX-License-Identifier: BSD-3-Clause
 * What consumes a generator in an expression. It becomes a call, where it stands, of a
 * function without parameters that has the loop: [E for x in g(a) if C]      (lambda: r =
 * []; for x in g(a): if C: r.append(E); return r)() and any, all, next and sum
 * accordingly, which stop where Python's stop. Who wants all of a generator and does
 * nothing in between (max, sorted, np.array) gets a list of it. */
#include "ast/generator.h"
#include "ast/search.h"

typedef enum Kind { K_LIST, K_DICT, K_SET, K_ANY, K_ALL, K_NEXT, K_SUM } Kind;

typedef struct Collect {
    Expand in; /* the function that is made */
    Kind kind;
    Span at;
    Sym result;
    int most; /* elements that are asked for; 0: all */
} Collect;

static const char synthetic[] = "<generated>";

/* ---- names that the function takes from around it -------------------------------------------- */

static bool
is_around(const FuncDef *f, Sym name)
{
    for (f = f->parent; f; f = f->parent)
        if (ast_has_name(f->locals, f->n_locals, name) || ast_has_name(f->free, f->n_free, name))
            return true;
    return false;
}

static void
add_free(Collect *c, Sym name)
{
    FuncDef *f = c->in.fn;
    if (ast_has_name(f->locals, f->n_locals, name) || ast_has_name(f->free, f->n_free, name) ||
        !is_around(f, name))
        return;
    Sym *more = NEW_N(&c->in.cx->arena, Sym, f->n_free + 1);
    if (f->n_free)
        memcpy(more, f->free, sizeof *more * (size_t)f->n_free);
    more[f->n_free++] = name;
    f->free = more;
}

/* What functions that are called take from around them, they find there: containers outside of
 * functions (py/outer.c). Which method it is, only its object's type tells. */
static void
add_taken(Collect *c, const Node *n)
{
    const FuncDef *f = c->in.fn->parent;
    const Const *k = n->kind == N_Const  ? n->val
                     : n->kind == N_Name ? ast_global(f, n->name)
                                         : NULL;
    const FuncDef *called = k && k->kind == CV_FUNC ? k->ref : NULL;
    for (int i = 0; called && i < called->n_free; i++)
        add_free(c, called->free[i]);
    for (; n->kind == N_Attribute && f; f = f->parent)
        for (int i = 0; i < f->n_free; i++)
            if (strchr(f->free[i], '.'))
                add_free(c, f->free[i]);
}

static void
find_free(Collect *c, const Node *n)
{
    if (!n)
        return;
    if (n->kind == N_Name)
        add_free(c, n->name);
    add_taken(c, n);
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        add_free(c, n->fn->free[i]);
    for (int i = 0; n->fn && i < n->fn->n_params; i++)
        find_free(c, n->fn->params[i].def_node);
    for (int i = 0; i < n->n; i++)
        find_free(c, n->kid[i]);
}

/* The names that the copied targets bind, and functions in what was copied. */
static void
adopt(Collect *c, const Node *n)
{
    if (!n)
        return;
    if (n->kind == N_Name && n->op == CTX_STORE)
        ast_gen_local(&c->in, n->name);
    if (n->fn)
        n->fn->parent = c->in.fn;
    for (int i = 0; n->fn && i < n->fn->n_params; i++) { /* nodes of the function around it */
        Param *p = &n->fn->params[i];
        p->def_node = ast_gen_copy(&c->in, p->def_node);
        adopt(c, p->def_node);
    }
    for (int i = 0; i < n->n; i++)
        adopt(c, n->kid[i]);
}

void
ast_gen_adopt(Expand *x, Node *body)
{
    Collect c = {.in = *x};
    adopt(&c, body);
    find_free(&c, body);
    x->fn->body = body;
}

/* ---- the loop -------------------------------------------------------------------------------- */

static Node *
one(Collect *c, NodeKind k, Node *kid)
{
    return ast_gen_node(&c->in, k, c->at, 1, &kid);
}

static bool
says_itself(const Node *n)
{
    return n->kind == N_Const || n->kind == N_Name;
}

/* result[key] = value, the key first, as a display has it and an assignment has not. */
static Node *
take_pair(Collect *c, Node *result, Node *key, Node *value)
{
    Expand *x = &c->in;
    Node *set = NULL;
    if (key->kind != N_Const && !says_itself(value)) {
        Sym name = intern(&x->cx->syms, "key.g");
        set = ast_gen_set(x, c->at, name, key);
        key = ast_gen_name(x, c->at, name, CTX_LOAD);
    }
    Node *place = ast_gen_node(x, N_Subscript, c->at, 2, (Node *[]){result, key});
    place->op = CTX_STORE;
    Node *store = ast_gen_node(x, N_Assign, c->at, 2, (Node *[]){value, place});
    return set ? ast_gen_node(x, N_Block, c->at, 2, (Node *[]){set, store}) : store;
}

/* Where no more than so many are asked for. */
static Node *
enough(Collect *c, Node *append)
{
    Expand *x = &c->in;
    Node *len[2] = {ast_gen_builtin_name(x, c->at, BI_py_len),
                    ast_gen_name(x, c->at, c->result, CTX_LOAD)};
    Node *more = ast_gen_compare(x, c->at, ast_gen_node(x, N_Call, c->at, 2, len), C_GT,
                                 ast_gen_int(x, c->at, c->most - 1));
    Node *end = one(c, N_Return, ast_gen_name(x, c->at, c->result, CTX_LOAD));
    Node *test[3] = {more, one(c, N_Block, end)};
    return ast_gen_node(x, N_Block, c->at, 2,
                        (Node *[]){append, ast_gen_node(x, N_If, c->at, 3, test)});
}

static Node *
take(Collect *c, Node *element)
{
    Expand *x = &c->in;
    Node *result = ast_gen_name(x, c->at, c->result, CTX_LOAD), *test = element;
    Node *method, *sum;
    switch (c->kind) {
    case K_LIST:
    case K_SET: /* of (element, ()) */
        method = one(c, N_Attribute, result);
        method->name = intern(&x->cx->syms, c->kind == K_SET ? "add" : "append");
        element = c->kind == K_SET ? element->kid[0] : element;
        method = one(c, N_Expr, ast_gen_node(x, N_Call, c->at, 2, (Node *[]){method, element}));
        return c->most ? enough(c, method) : method;
    case K_DICT:
        return take_pair(c, result, element->kid[0], element->kid[1]);
    case K_SUM:
        sum = ast_gen_node(x, N_BinOp, c->at, 2, (Node *[]){result, element});
        sum->op = B_ADD;
        return ast_gen_set(x, c->at, c->result, sum);
    case K_NEXT:
        return one(c, N_Return, element);
    case K_ALL:
        test = one(c, N_UnaryOp, element);
        test->op = U_NOT;
        break;
    case K_ANY:
        break;
    }
    Node *found = one(c, N_Block, one(c, N_Return, ast_gen_bool(x, c->at, c->kind == K_ANY)));
    return ast_gen_node(x, N_If, c->at, 3, (Node *[]){test, found, NULL});
}

/* The loops of a comprehension, or one over a generator that is called. */
static Node *
loops(Collect *c, const Node *over)
{
    Expand *x = &c->in;
    if (over->kind != N_ListComp) {
        Sym item = intern(&x->cx->syms, "item.g");
        Node *body = one(c, N_Block, take(c, ast_gen_name(x, c->at, item, CTX_LOAD)));
        return ast_gen_node(
            x, N_For, c->at, 4,
            (Node *[]){ast_gen_name(x, c->at, item, CTX_STORE), ast_gen_copy(x, over), body, NULL});
    }
    Node *inner = take(c, ast_gen_copy(x, over->kid[0]));
    for (int g = over->n - 1; g >= 1; g--) {
        const Node *comp = over->kid[g];
        for (int i = comp->n - 1; i >= 2; i--)
            inner = ast_gen_node(
                x, N_If, c->at, 3,
                (Node *[]){ast_gen_copy(x, comp->kid[i]), one(c, N_Block, inner), NULL});
        Node *target = ast_gen_copy(x, comp->kid[0]);
        inner = ast_gen_node(
            x, N_For, comp->at, 4,
            (Node *[]){target, ast_gen_copy(x, comp->kid[1]), one(c, N_Block, inner), NULL});
    }
    return inner;
}

static Node *
first_value(Collect *c, const Node *start)
{
    if (c->kind == K_SUM)
        return start ? ast_gen_copy(&c->in, start) : ast_gen_int(&c->in, c->at, 0);
    Node *empty = ast_gen_node(&c->in, c->kind == K_LIST ? N_List : N_Dict, c->at, 0, NULL);
    empty->op = c->kind == K_SET;
    return empty;
}

/* What is returned where the loop has come to its end. */
static Node *
last_value(Collect *c, const Node *other)
{
    Expand *x = &c->in;
    if (c->kind == K_ANY || c->kind == K_ALL)
        return one(c, N_Return, ast_gen_bool(x, c->at, c->kind == K_ALL));
    if (c->kind != K_NEXT)
        return one(c, N_Return, ast_gen_name(x, c->at, c->result, CTX_LOAD));
    if (other)
        return one(c, N_Return, ast_gen_copy(x, other));
    Node *stop = ast_gen_node(x, N_Const, c->at, 0, NULL);
    stop->val = arena_dup(&x->cx->arena, &(Const){.kind = CV_EXC_CLASS, .str = "StopIteration"},
                          sizeof(Const));
    return ast_gen_node(x, N_Raise, c->at, 2, (Node *[]){stop, NULL});
}

FuncDef *
ast_gen_new_function(Expand *x, const Node *at)
{
    Arena *a = &x->cx->arena;
    FuncDef *f = NEW(a, FuncDef), *outer = x->fn;
    f->parent = outer;
    f->src = outer->src;
    f->at = at->at;
    f->index = outer->index;
    f->int_divide = outer->int_divide;
    f->name = intern(&x->cx->syms, synthetic);
    f->qualname = arena_printf(a, "%s.%s", outer->qualname, synthetic);
    return f;
}

/* more: where a sum begins, or what next yields at the end. */
static Node *
collect_most(Expand *x, const Node *n, Kind kind, const Node *over, const Node *more,
             const Active *active, int most)
{
    Collect c = {{.cx = x->cx, .fn = ast_gen_new_function(x, n), .serial = x->serial},
                 .kind = kind,
                 .at = n->at,
                 .most = most};
    Nodes body = {0};
    Arena *a = &x->cx->arena;
    if (ast_has_kind(over, N_NamedExpr))
        return ast_gen_refuse(x, n->at, "a name that := binds where a generator is gone through");
    c.result = intern(&x->cx->syms, "made.g");
    if (kind == K_LIST || kind == K_DICT || kind == K_SET || kind == K_SUM)
        VEC_PUSH(a, body, ast_gen_set(&c.in, n->at, c.result, first_value(&c, more)));
    VEC_PUSH(a, body, loops(&c, over));
    VEC_PUSH(a, body, last_value(&c, more));
    FuncDef *f = c.in.fn;
    f->body = ast_gen_block(&c.in, n->at, &body);
    adopt(&c, f->body);
    ast_gen_visit(&c.in, &f->body, active);
    find_free(&c, f->body);
    x->serial = c.in.serial;
    Node *lambda = ast_gen_node(x, N_Lambda, n->at, 0, NULL);
    lambda->fn = f;
    return ast_gen_node(x, N_Call, n->at, 1, &lambda);
}

static Node *
collect(Expand *x, const Node *n, Kind kind, const Node *over, const Node *more,
        const Active *active)
{
    return collect_most(x, n, kind, over, more, active, 0);
}

Node *
ast_gen_first(Expand *x, const Node *n, int most, const Active *active)
{
    return collect_most(x, n, K_LIST, n, NULL, active, most + 1);
}

/* ---- generator expressions that are asked later ---------------------------------------------- */

static Node *
returns(Collect *c, Node *value)
{
    return one(c, N_Return, value);
}

/* lambda item: (TARGET = item; ELEMENT), or whether the item passes the tests. */
static Node *
of_item(Expand *x, const Node *comp, bool tests)
{
    Collect c = {{.cx = x->cx, .fn = ast_gen_new_function(x, comp), .serial = x->serial},
                 .at = comp->at};
    Arena *a = &x->cx->arena;
    FuncDef *f = c.in.fn;
    const Node *gen = comp->kid[1];
    Nodes body = {0};
    Sym item = intern(&x->cx->syms, "item.g");
    f->params = NEW(a, Param);
    f->params[f->n_params++] = (Param){.name = item, .kind = P_POS, .at = comp->at};
    ast_gen_local(&c.in, item);
    Node *set[] = {ast_gen_name(&c.in, c.at, item, CTX_LOAD), ast_gen_copy(&c.in, gen->kid[0])};
    VEC_PUSH(a, body, ast_gen_node(&c.in, N_Assign, c.at, 2, set));
    for (int i = 2; tests && i < gen->n; i++) {
        Node *not = one(&c, N_UnaryOp, ast_gen_copy(&c.in, gen->kid[i]));
        not ->op = U_NOT;
        Node *no = one(&c, N_Block, returns(&c, ast_gen_bool(&c.in, c.at, false)));
        VEC_PUSH(a, body, ast_gen_node(&c.in, N_If, c.at, 3, (Node *[]){not, no, NULL}));
    }
    Node *value = tests ? ast_gen_bool(&c.in, c.at, true) : ast_gen_copy(&c.in, comp->kid[0]);
    VEC_PUSH(a, body, returns(&c, value));
    f->body = ast_gen_block(&c.in, c.at, &body);
    adopt(&c, f->body);
    find_free(&c, f->body);
    x->serial = c.in.serial;
    Node *lambda = ast_gen_node(x, N_Lambda, comp->at, 0, NULL);
    lambda->fn = f;
    return lambda;
}

static Node *
call_of(Expand *x, Span at, const char *module, const char *name, int n, Node *const *arg)
{
    Node **kid = NEW_N(&x->cx->arena, Node *, n + 1);
    Const *c = NEW(&x->cx->arena, Const);
    *c = (Const){.kind = CV_BUILTIN, .ref = builtin_find(module, name)};
    kid[0] = ast_gen_node(x, N_Const, at, 0, NULL);
    kid[0]->val = c;
    memcpy(kid + 1, arg, sizeof *arg * (size_t)n);
    return ast_gen_node(x, N_Call, at, n + 1, kid);
}

/* (E for T in X if C), which a variable has, or a function is given, is mapped(iter(X), lambda,
 * lambda): an iterator (type/iter.c). */
void
ast_map_later(Cx *cx, const Unroll *u)
{
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    Node *comp = (Node *)(uintptr_t)u->loop, *part[3] = {comp->kid[1]->kid[1]};
    if (u->listed)
        part[0] = call_of(&x, comp->at, "builtins", "list", 1, part);
    part[0] = call_of(&x, comp->at, "builtins", "iter", 1, part);
    part[1] = of_item(&x, comp, false);
    int n = comp->kid[1]->n > 2 ? 3 : 2;
    if (n == 3)
        part[2] = of_item(&x, comp, true);
    *comp = *call_of(&x, comp->at, "swathe", comp->name ? "mapped" : "generated", n, part);
}

/* Where as many as there are go to names. */
void
ast_list_of(Cx *cx, const Unroll *u)
{
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    Node *n = (Node *)(uintptr_t)u->loop, *same = ast_gen_node(&x, n->kind, n->at, 0, NULL);
    int id = same->id;
    *same = *n;
    same->id = id;
    if (u->n) { /* of an instance: what its __iter__ yields */
        Node *f = ast_gen_node(&x, N_Attribute, n->at, 1, &same);
        f->name = intern(&cx->syms, "__iter__");
        same = ast_gen_node(&x, N_Call, n->at, 1, &f);
    }
    *n = *call_of(&x, n->at, "builtins", "list", 1, &same);
}

/* ---- who consumes ---------------------------------------------------------------------------- */

bool
ast_gen_is_within(const FuncDef *fn, const FuncDef *parent)
{
    while (fn && fn != parent && !strcmp(fn->name, synthetic))
        fn = fn->parent;
    return fn == parent;
}

/* A call of a generator, or a comprehension that goes through one. */
static bool
is_over(const FuncDef *fn, const Node *n)
{
    if (n->kind == N_ListComp)
        n = n->kid[1]->kid[1];
    const Builtin *b = ast_gen_builtin(fn, n);
    while (b && (b->id == BI_py_iter || b->id == BI_py_enumerate) && n->n > 1) {
        n = n->kid[1];
        b = ast_gen_builtin(fn, n);
    }
    return ast_gen_called(fn, n) != NULL;
}

static bool
is_plain(const Node *n)
{
    return n->kind == N_Const || n->kind == N_Name;
}

bool
ast_gen_consume_first(Expand *x, Node **slot, const Active *active)
{
    Node *n = *slot;
    const Builtin *b = ast_gen_builtin(x->fn, n);
    if (!b || n->n < 2 || n->n > 3 || n->kid[1]->kind == N_Keyword || !is_over(x->fn, n->kid[1]) ||
        (n->n == 3 && n->kid[2]->kind == N_Keyword))
        return false;
    Kind k = b->id == BI_py_any   ? K_ANY
             : b->id == BI_py_all ? K_ALL
             : b->id == BI_py_sum ? K_SUM
                                  : K_NEXT;
    if ((k == K_NEXT && b->id != BI_py_next) || (n->n == 3 && (k < K_NEXT || !is_plain(n->kid[2]))))
        return false;
    *slot = collect(x, n, k, n->kid[1], n->n == 3 ? n->kid[2] : NULL, active);
    return true;
}

static bool
wants_all(const Builtin *b)
{
    static const char *const names[] = {"list",  "max",     "min",       "sorted",     "tuple",
                                        "dict",  "set",     "array",     "asarray",    "fromiter",
                                        "deque", "Counter", "frozenset", "OrderedDict"};
    for (int i = 0; i < SW_LEN(names); i++)
        if (!strcmp(b->name, names[i]))
            return true;
    return false;
}

/* Counter(E for a in X for b in Y): it takes all before anybody sees it, as a list does. */
static void
take_list(const Expand *x, Node *n)
{
    const Builtin *b = ast_gen_builtin(x->fn, n);
    Node *of = b && n->n == 2 ? n->kid[1] : NULL;
    bool several = of && of->kind == N_ListComp && of->op == 1 && of->n > 2;
    if (several && (!strcmp(b->name, "Counter") || !strcmp(b->name, "frozenset")))
        of->op = 0;
}

void
ast_gen_consume(Expand *x, Node **slot, const Active *active)
{
    Node *n = *slot;
    take_list(x, n);
    const FuncDef *g =
        n->kind == N_ListComp && n->op == 1 ? ast_gen_called(x->fn, n->kid[1]->kid[1]) : NULL;
    if (g && n->n > 2 && ast_gen_never_ends(g)) {
        *slot = ast_gen_refuse(x, n->at,
                               "a generator expression with several `for` over what never ends, "
                               "where no loop goes through it by itself,");
        return;
    }
    if (g && n->n == 2 && (g->object || (g->is_lib && ast_gen_settles(x, n->kid[1]->kid[1]))))
        return; /* asked for later */
    if (n->kind == N_ListComp && is_over(x->fn, n)) {
        *slot = collect(x, n, n->op == 3 ? K_SET : n->op == 2 ? K_DICT : K_LIST, n, NULL, active);
        return;
    }
    if (n->kind == N_Starred && n->kid[0]->kind != N_ListComp && is_over(x->fn, n->kid[0]))
        n->kid[0] = collect(x, n->kid[0], K_LIST, n->kid[0], NULL, active);
    const Builtin *b = ast_gen_builtin(x->fn, n);
    bool join = n->kind == N_Call && n->n == 2 && n->kid[0]->kind == N_Attribute &&
                !strcmp(n->kid[0]->name, "join");
    if (!(b ? wants_all(b) : join) || n->n < 2 || n->kid[1]->kind == N_Keyword ||
        n->kid[1]->kind == N_ListComp || !is_over(x->fn, n->kid[1]))
        return;
    n->kid[1] = collect(x, n->kid[1], K_LIST, n->kid[1], NULL, active);
}

/* ---- g = gen(a), and one statement behind it that goes through g ----------------------------- */

static int
count_name(const Node *n, Sym name)
{
    if (!n)
        return 0;
    int k = n->kind == N_Name && n->name == name;
    for (int i = 0; n->fn && i < n->fn->n_free; i++)
        k += 2 * (n->fn->free[i] == name);
    for (int i = 0; i < n->n; i++)
        k += count_name(n->kid[i], name);
    return k;
}

/* Where the name is read, once and for sure, when the statement begins; NULL. */
static Node **
read_once(Node **slot, Sym name)
{
    Node *n = *slot;
    if (!n || n->kind == N_Lambda || n->kind == N_IfExp || n->kind == N_BoolOp)
        return NULL;
    if (n->kind == N_Name)
        return n->name == name && n->op == CTX_LOAD ? slot : NULL;
    if (n->kind == N_For)
        return read_once(&n->kid[1], name);
    if (n->kind == N_ListComp)
        return read_once(&n->kid[1]->kid[1], name);
    if (n->kind == N_Expr || n->kind == N_Return || n->kind == N_Assign)
        return n->n ? read_once(&n->kid[0], name) : NULL;
    for (int i = 0;
         (n->kind == N_Call || n->kind == N_BinOp || n->kind == N_UnaryOp || n->kind == N_Tuple) &&
         i < n->n;
         i++) {
        Node **found = read_once(&n->kid[i], name);
        if (found)
            return found;
    }
    return NULL;
}

/* What no variable can hold. */
static bool
is_lazy(const FuncDef *fn, const Node *n)
{
    bool lazy = (n->kind == N_ListComp && n->op == 1) || ast_gen_called(fn, n);
    for (int i = 1; n->kind == N_Call && !lazy && i < n->n; i++)
        lazy = is_lazy(fn, n->kid[i]);
    return lazy;
}

/* Takes what is evaluated where an iterable is made into variables: the arguments of a generator,
 * and what the first `for` of an expression goes through. false: it can't be told apart. */
static bool
ask_now(Expand *x, Nodes *set, Node **slot, Sym name)
{
    Node *n = *slot;
    if (n->kind == N_ListComp && n->op == 1)
        return ask_now(x, set, &n->kid[1]->kid[1], name);
    if (n->kind == N_Starred)
        return false;
    if (n->kind == N_Const)
        return true;
    if (n->kind == N_Keyword)
        return ask_now(x, set, &n->kid[0], name);
    if (is_lazy(x->fn, n)) {
        bool all = true;
        for (int i = 1; i < n->n; i++)
            all &= ask_now(x, set, &n->kid[i], name);
        return all;
    }
    Sym as = intern(&x->cx->syms, arena_printf(&x->cx->arena, "%s.g%d", name, x->serial++));
    VEC_PUSH(&x->cx->arena, *set, ast_gen_set(x, n->at, as, n));
    *slot = ast_gen_name(x, n->at, as, CTX_LOAD);
    return true;
}

/* Its arguments are evaluated where the variable is assigned, and the call is where it is
 * gone through. */
void
ast_gen_take_variable(Expand *x, Node *block, int at)
{
    Node *s = block->kid[at], *call = s->kind == N_Assign && s->n == 2 ? s->kid[0] : NULL;
    bool expression = call && call->kind == N_ListComp && call->op == 1;
    if (!call || s->kid[1]->kind != N_Name || (!expression && !ast_gen_called(x->fn, call)))
        return;
    Sym name = s->kid[1]->name;
    Node **use = NULL;
    for (int i = at + 1; i < block->n && !use; i++)
        use = count_name(block->kid[i], name) ? read_once(&block->kid[i], name) : NULL;
    if (!use || count_name(x->fn->body, name) != 2 ||
        (expression && ast_maps_by_other(x->fn, call)))
        return;
    Nodes set = {0};
    Node *later = ast_gen_copy(x, call);
    if (!ask_now(x, &set, &later, name))
        return;
    *use = later;
    block->kid[at] = ast_gen_block(x, s->at, &set);
}

/* ---- loops over what has a generator in it --------------------------------------------------- */

/* g(), iter(g()) */
static bool
is_generated(const Expand *x, const Node *n)
{
    const Builtin *b = ast_gen_builtin(x->fn, n);
    while (b && b->id == BI_py_iter && n->n == 2) {
        n = n->kid[1];
        b = ast_gen_builtin(x->fn, n);
    }
    return ast_gen_called(x->fn, n) != NULL;
}

/* for i, x in enumerate(g(), start): i is what a counter says; iter(g()) is g(). */
void
ast_gen_unwrap(Expand *x, Node *loop, Nodes *head)
{
    for (;;) {
        Node *c = loop->kid[1];
        const Builtin *b = ast_gen_builtin(x->fn, c);
        if (!b || c->n < 2 || (b->id != BI_py_iter && b->id != BI_py_enumerate))
            return;
        Node *inner = c->kid[1];
        if (inner->kind == N_Keyword || (b->id == BI_py_iter && c->n != 2) || c->n > 3)
            return;
        if (!is_generated(x, inner))
            return;
        loop->kid[1] = inner;
        if (b->id == BI_py_iter)
            continue;
        Span at = c->at;
        Arena *a = &x->cx->arena;
        Sym count = intern(&x->cx->syms, arena_printf(a, "count.g%d", x->serial)),
            item = intern(&x->cx->syms, arena_printf(a, "each.g%d", x->serial++));
        Node *start = c->n < 3                       ? ast_gen_int(x, at, 0)
                      : c->kid[2]->kind == N_Keyword ? c->kid[2]->kid[0]
                                                     : c->kid[2];
        if (start->kind != N_Const) /* behind what the generator is given */
            ask_now(x, head, &loop->kid[1], count);
        VEC_PUSH(a, *head, ast_gen_set(x, at, count, start));
        ast_gen_local(x, item);
        Node *pair = ast_gen_node(
            x, N_Tuple, at, 2,
            (Node *[]){ast_gen_name(x, at, count, CTX_LOAD), ast_gen_name(x, at, item, CTX_LOAD)});
        Node *next =
            ast_gen_node(x, N_AugAssign, at, 2,
                         (Node *[]){ast_gen_name(x, at, count, CTX_STORE), ast_gen_int(x, at, 1)});
        next->op = B_ADD;
        Node *set = ast_gen_node(x, N_Assign, at, 2, (Node *[]){pair, loop->kid[0]});
        loop->kid[0] = ast_gen_name(x, at, item, CTX_STORE);
        loop->kid[2] =
            ast_gen_node(x, N_Block, loop->kid[2]->at, 3, (Node *[]){set, next, loop->kid[2]});
    }
}

/* ---- generators of the standard library (swathe/_itertools.py) ------------------------------- */

/* Does a loop that runs once go through the name? */
static bool
is_gone_through(const Node *n, Sym name)
{
    bool is = n && n->kind == N_For && n->kid[1]->kind == N_Name && n->kid[1]->name == name;
    bool once =
        n && (n->kind == N_Block || n->kind == N_If || n->kind == N_Try || n->kind == N_With);
    for (int i = 0; once && i < n->n && !is; i++)
        is = is_gone_through(n->kid[i], name);
    return is;
}

/* A parameter that stands for what is gone through, which no variable can hold: once, and in a loop
 * of the generator's. */
bool
ast_gen_is_late(const Expand *x, const FuncDef *gen, Sym param, const Node *v)
{
    bool over = v->kind == N_ListComp && v->op == 1;
    for (int i = 1; over && !gen->is_lib && i < v->n; i++)
        over = !is_generated(x, v->kid[i]->kid[1]);
    bool lazy = over || ast_gen_called(x->fn, v);
    return lazy && count_name(gen->body, param) == 1 &&
           (gen->is_lib || is_gone_through(gen->body, param));
}

static bool
calls_library(const FuncDef *fn, const Node *n)
{
    const Const *c = n->kind != N_Call            ? NULL
                     : n->kid[0]->kind == N_Const ? n->kid[0]->val
                     : n->kid[0]->kind == N_Name  ? ast_global(fn, n->kid[0]->name)
                                                  : NULL;
    const Builtin *b = c && c->kind == CV_BUILTIN ? c->ref : NULL;
    return (b && b->family == BF_MATH) ||
           (c && c->kind == CV_FUNC && ((const FuncDef *)c->ref)->is_lib);
}

/* +1 or -1: the sign of a step that is written out; 0: it is none. */
static int
sign_of(const Node *n)
{
    bool minus = n->kind == N_UnaryOp && n->op == U_NEG;
    const Node *k = minus ? n->kid[0] : n;
    if (k->kind != N_Const || k->val->kind != CV_INT || !k->val->i)
        return 0;
    return (k->val->i < 0) != minus ? -1 : 1;
}

Node *
ast_gen_builtin_name(Expand *x, Span at, BuiltinId id)
{
    Node *n = ast_gen_node(x, N_Const, at, 0, NULL);
    n->val = arena_dup(&x->cx->arena, &(Const){.kind = CV_BUILTIN, .ref = &builtin_table[id]},
                       sizeof(Const));
    return n;
}

/* count(a, s): a range that nobody comes to the end of. */
static Node *
counted(Expand *x, const Node *n)
{
    const Node *part[2] = {NULL, NULL};
    for (int i = 1; i < n->n; i++) {
        bool named = n->kid[i]->kind == N_Keyword;
        int k = named ? strcmp(n->kid[i]->name, "step") == 0 : i - 1;
        if (k > 1 || n->kid[i]->kind == N_Starred)
            return NULL;
        part[k] = named ? n->kid[i]->kid[0] : n->kid[i];
    }
    int sign = part[1] ? sign_of(part[1]) : 1;
    bool is_float = part[0] && part[0]->kind == N_Const && part[0]->val->kind == CV_FLOAT;
    if (!sign || is_float)
        return NULL;
    Node *range[4] = {ast_gen_builtin_name(x, n->at, BI_py_range),
                      part[0] ? ast_gen_copy(x, part[0]) : ast_gen_int(x, n->at, 0),
                      ast_gen_int(x, n->at, sign > 0 ? INT64_MAX : INT64_MIN),
                      part[1] ? ast_gen_copy(x, part[1]) : ast_gen_int(x, n->at, 1)};
    return ast_gen_node(x, N_Call, n->at, 4, range);
}

/* repeat(x), where x stays what it is: (x for _ in range(2 ** 63 - 1)). NULL: it may change. */
static Node *
repeated(Expand *x, const Node *n)
{
    const Node *v = n->n == 2 ? n->kid[1] : NULL;
    bool constant = v && v->kind == N_Const;
    if (!constant && (!v || v->kind != N_Name || ast_sets(x->fn->body, v->name)))
        return NULL;
    Node *range[2] = {ast_gen_builtin_name(x, n->at, BI_py_range),
                      ast_gen_int(x, n->at, INT64_MAX)};
    Sym name = intern(&x->cx->syms, arena_printf(&x->cx->arena, "repeated.i%d", n->id));
    Node *rounds[2] = {ast_gen_name(x, n->at, name, CTX_STORE),
                       ast_gen_node(x, N_Call, n->at, 2, range)};
    Node *of[2] = {ast_gen_copy(x, v), ast_gen_node(x, N_Comprehension, n->at, 2, rounds)};
    Node *all = ast_gen_node(x, N_ListComp, n->at, 2, of);
    all->op = 1;
    return all;
}

bool
ast_gen_settles(Expand *x, const Node *n)
{
    const char *name = ast_gen_called(x->fn, n)->name;
    return (!strcmp(name, "count") && counted(x, n)) || (!strcmp(name, "repeat") && repeated(x, n));
}

/* What nothing goes through an element at a time is an iterator over a list of it. */
static Node *
settled(Expand *x, const Node *n, const Active *active)
{
    const char *name = ast_gen_called(x->fn, n)->name;
    bool count = !strcmp(name, "count");
    bool ends = !count && strcmp(name, "cycle") != 0 && (strcmp(name, "repeat") != 0 || n->n > 2);
    Node *all = count  ? counted(x, n)
                : ends ? collect(x, n, K_LIST, n, NULL, active)
                       : repeated(x, n);
    if (all && !count && !ends)
        return all;
    if (!all)
        return ast_gen_refuse(x, n->at,
                              arena_printf(&x->cx->arena,
                                           "itertools.%s where no loop goes "
                                           "through it by itself",
                                           name));
    return ast_gen_node(x, N_Call, n->at, 2,
                        (Node *[]){ast_gen_builtin_name(x, n->at, BI_py_iter), all});
}

void
ast_gen_settle(Expand *x, Node *n, const Active *active)
{
    const FuncDef *gen = ast_gen_called(x->fn, n);
    bool lib = calls_library(x->fn, n), late = gen && gen->is_lib;
    for (int i = 0; n->kind == N_ListComp && i < n->n; i++)
        if (n->kid[i]->kind == N_Comprehension)
            for (int k = 1; k < n->kid[i]->n; k++) {
                const FuncDef *g = ast_gen_called(x->fn, n->kid[i]->kid[k]);
                if (g && g->is_lib)
                    n->kid[i]->kid[k] = settled(x, n->kid[i]->kid[k], active);
            }
    for (int i = 0; n->kind != N_Comprehension && !late && i < n->n; i++) {
        Node *k = n->kid[i];
        const FuncDef *g = k ? ast_gen_called(x->fn, k) : NULL;
        if (g && g->is_lib)
            n->kid[i] = settled(x, k, active);
        else if (g && lib && i)
            n->kid[i] = collect(x, k, K_LIST, k, NULL, active);
        if (k && lib && k->kind == N_ListComp && k->op == 1) /* a function takes a list of it */
            k->op = 0;
    }
}
