/* SPDX-License-Identifier: BSD-3-Clause
 * Loops whose body has other types in each round: over an axis, over a tuple of unlike values.
 * Takes such a loop or comprehension and how many rounds it has (sema/unroll.c), and puts the
 * rounds one after the other in its place. */
#include "ast/generator.h"

/* A display of constants: nothing changes what its elements are. */
bool
ast_is_literal(const Node *e)
{
    bool all = e->kind == N_Tuple || e->kind == N_List;
    for (int i = 0; all && i < e->n; i++) {
        const Node *k = e->kid[i];
        all = k->kind == N_Const || (k->kind == N_UnaryOp && k->kid[0]->kind == N_Const) ||
              (k->kind == N_Tuple && ast_is_literal(k));
    }
    return all;
}

/* One of names and constants, which is there again for each round of a comprehension. */
bool
ast_is_plain_display(const Node *e)
{
    bool all = (e->kind == N_Tuple || e->kind == N_List) && e->op == CTX_LOAD;
    for (int i = 0; all && i < e->n; i++) {
        const Node *k = e->kid[i];
        all = k->kind == N_Name || k->kind == N_Const ||
              (k->kind == N_UnaryOp && k->kid[0]->kind == N_Const) ||
              (k->kind == N_Tuple && ast_is_plain_display(k));
    }
    return all;
}

static Node *
element(Expand *x, const Unroll *u, Span at, const Node *over, int k)
{
    if (u->of == UNROLL_RANGE)
        return ast_gen_int(x, at, u->start + k * u->step);
    if (ast_is_plain_display(over))
        return ast_gen_copy(x, over->kid[k]);
    Node *kid[] = {ast_gen_copy(x, over), ast_gen_int(x, at, k)};
    return ast_gen_node(x, N_Subscript, at, 2, kid);
}

/* What gives the values of a loop, evaluated once before the first round where it isn't written
 * there. */
static const Node *
evaluated(Expand *x, Nodes *head, const Node *over, int number)
{
    Arena *a = &x->cx->arena;
    if (ast_is_literal(over))
        return over;
    Sym once = intern(&x->cx->syms, arena_printf(a, "over.u%d", number));
    Node *value = ast_gen_copy(x, over);
    if (value->kind == N_List) /* of unlike elements, perhaps, which nobody has but the rounds */
        value->kind = N_Tuple;
    VEC_PUSH(a, *head, ast_gen_set(x, over->at, once, value));
    return ast_gen_name(x, over->at, once, CTX_LOAD);
}

static Node *
member(Expand *x, const Unroll *u, Span at, int k)
{
    Node *key = ast_gen_str(x, at, u->keys[k]);
    if (u->member == 'k')
        return key;
    Node *of[] = {ast_gen_copy(x, u->over), ast_gen_copy(x, key)};
    Node *both[] = {key, ast_gen_node(x, N_Subscript, at, 2, of)};
    return u->member == 'v' ? both[1] : ast_gen_node(x, N_Tuple, at, 2, both);
}

/* Of round k, where each of several gives one. */
static Node *
round_value(Expand *x, const Unroll *u, const Node *const *over, int n, Span at, int k)
{
    Node *part[UNROLL_PARTS];
    int m = 0;
    if (u->of == UNROLL_MEMBERS)
        return member(x, u, at, k);
    if (u->of == UNROLL_ENUMERATE)
        part[m++] = ast_gen_int(x, at, u->start + k);
    for (int i = 0; i < n; i++)
        part[m++] = element(x, u, at, over[i], k);
    return u->of < UNROLL_ENUMERATE ? part[0] : ast_gen_node(x, N_Tuple, at, m, part);
}

/* e, with what stands for the target of a comprehension in its place. */
static Node *
put_in(Expand *x, const Node *e, const Node *target, Node *value)
{
    if (target->kind == N_Name)
        return ast_gen_substituted(x, e, target->name, value);
    Node *r = (Node *)(uintptr_t)e;
    for (int i = 0; i < target->n; i++) {
        Node *kid[] = {value, ast_gen_int(x, value->at, i)};
        Node *part = value->kind == N_Tuple ? value->kid[i]
                                            : ast_gen_node(x, N_Subscript, value->at, 2, kid);
        r = ast_gen_substituted(x, r, target->kid[i]->name, part);
    }
    return r;
}

/* e in round k of a `for` of a comprehension. */
static Node *
in_round(Expand *x, const Unroll *u, const Node *gen, const Node *e, int k)
{
    const Node *over[UNROLL_PARTS] = {u->over};
    int parts = u->of == UNROLL_ZIP ? u->over->n - 1 : 1;
    for (int i = 0; i < parts && u->of == UNROLL_ZIP; i++)
        over[i] = u->over->kid[i + 1];
    return put_in(x, e, gen->kid[0], round_value(x, u, over, parts, gen->at, k));
}

/* ---- for which types ---- */

/* All types that reach a function share its tree. What was written out for one of them is right
 * where this is true, which is known when it is typed. */
typedef struct Holds {
    Expand *x;
    Span at;
    Node *all; /* NULL: it always is */
} Holds;

static void
and_also(Holds *h, Node *test)
{
    Node *kid[] = {h->all, test};
    h->all = h->all ? ast_gen_node(h->x, N_BoolOp, h->at, 2, kid) : test;
}

static void
and_equal(Holds *h, Node *e, int64_t v)
{
    and_also(h, ast_gen_compare(h->x, h->at, e, C_EQ, ast_gen_int(h->x, h->at, v)));
}

static bool
is_number(const Node *e)
{
    return e->kind == N_Const || (e->kind == N_UnaryOp && e->kid[0]->kind == N_Const);
}

static void
and_length(Holds *h, const Node *of, int64_t n)
{
    if (of->kind == N_Tuple || of->kind == N_List) /* as long as it is written */
        return;
    Node *kid[] = {ast_gen_builtin_name(h->x, h->at, BI_py_len), ast_gen_copy(h->x, of)};
    and_equal(h, ast_gen_node(h->x, N_Call, h->at, 2, kid), n);
}

/* What a loop goes through has the length, or the bounds, that were seen; `over`: names for it. */
static void
and_rounds(Holds *h, const Unroll *u, const Node *const *over)
{
    int parts = u->of == UNROLL_RANGE || u->of == UNROLL_ZIP ? u->over->n - 1 : 1;
    for (int i = 0; i < parts && u->of != UNROLL_MEMBERS; i++) {
        const Node *of =
            u->of == UNROLL_RANGE || u->of == UNROLL_ZIP ? u->over->kid[i + 1] : u->over;
        if (u->of != UNROLL_RANGE)
            and_length(h, over && of->kind != N_Tuple && of->kind != N_List ? over[i] : of,
                       u->seen[i]);
        else if (!is_number(of))
            and_equal(h, ast_gen_copy(h->x, of), u->seen[i]);
    }
    if (u->from && !is_number(u->from))
        and_equal(h, ast_gen_copy(h->x, u->from), u->start);
}

/* The conditions of a comprehension leave these rounds. */
static void
and_kept(Holds *h, const Unroll *u, const Node *gen)
{
    for (int k = 0; k < u->n && !u->inner; k++) {
        Node *all = NULL;
        for (int i = 2; i < gen->n; i++) {
            Node *test = in_round(h->x, u, gen, gen->kid[i], k), *both[] = {all, test};
            all = all ? ast_gen_node(h->x, N_BoolOp, h->at, 2, both) : test;
        }
        Node *is_not =
            all && !(u->keep >> k & 1) ? ast_gen_node(h->x, N_UnaryOp, h->at, 1, &all) : NULL;
        if (is_not)
            is_not->op = U_NOT;
        if (all)
            and_also(h, is_not ? is_not : all);
    }
}

/* True where a dict has these keys in this order, which sema asks: below a constant the dict, the
 * comprehension as it was, and the keys. */
static Node *
has_keys(Expand *x, const Unroll *u, const Node *comp)
{
    Node **kid = NEW_N(&x->cx->arena, Node *, u->n + 2);
    kid[0] = ast_gen_copy(x, u->over);
    kid[1] = arena_dup(&x->cx->arena, comp, sizeof *comp);
    for (int i = 0; i < u->n; i++)
        kid[i + 2] = ast_gen_str(x, comp->at, u->keys[i]);
    Node *n = ast_gen_node(x, N_Const, comp->at, u->n + 2, kid);
    n->val = ast_gen_bool(x, comp->at, true)->val;
    return n;
}

static Node *
comprehension_holds(Expand *x, const Unroll *u, const Node *n)
{
    Node *yes = u->of == UNROLL_MEMBERS ? has_keys(x, u, n) : ast_gen_bool(x, n->at, true);
    Holds h = {x, n->at, yes}, kept = {x, n->at, NULL};
    and_rounds(&h, u, NULL);
    if (u->inner)
        and_rounds(&h, u->inner, NULL);
    and_kept(&kept, u, n->kid[1]);
    h.all->rounds = kept.all;
    return h.all;
}

static void
unroll_list(Expand *x, const Unroll *u, Node *n)
{
    Nodes out = {0};
    int m = u->inner ? u->inner->n : 1;
    for (int k = 0; k < u->n * m; k++) {
        if (!(u->keep >> k & 1))
            continue;
        Node *e = n->kid[0];
        if (u->inner)
            e = in_round(x, u->inner, n->kid[2], e, k % m);
        VEC_PUSH(&x->cx->arena, out, in_round(x, u, n->kid[1], e, k / m));
    }
    NodeKind display = n->op == 2 ? N_Dict : u->tuple ? N_Tuple : N_List;
    Node *holds = comprehension_holds(x, u, n);
    *n = *ast_gen_node(x, display, n->at, out.n, out.at);
    n->rounds = holds;
}

/* The loop as it was, over what was evaluated already: for other types. */
static Node *
for_the_others(Expand *x, const Unroll *u, const Node *n, const Node *const *over, int parts)
{
    Node *loop = ast_gen_copy(x, n);
    Node *call = loop->kid[1];
    for (int i = 0; i < parts && u->of != UNROLL_RANGE; i++)
        *(u->of == UNROLL_TUPLE ? &loop->kid[1] : &call->kid[i + 1]) = ast_gen_copy(x, over[i]);
    return loop;
}

static void
unroll_for(Expand *x, const Unroll *u, Node *n)
{
    Arena *a = &x->cx->arena;
    Nodes all = {0}, rounds = {0}, rest = {0};
    const Node *over[UNROLL_PARTS] = {u->over};
    int parts = u->of == UNROLL_ZIP ? u->over->n - 1 : 1;
    for (int i = 0; i < parts && u->of != UNROLL_RANGE; i++)
        over[i] = evaluated(x, &all, u->of == UNROLL_ZIP ? u->over->kid[i + 1] : u->over,
                            n->id * UNROLL_PARTS + i);
    Holds h = {x, n->at, NULL};
    and_rounds(&h, u, over);
    for (int k = 0; k < u->n; k++) {
        Node *value = round_value(x, u, over, parts, n->kid[1]->at, k);
        Node *set[] = {value, ast_gen_copy(x, n->kid[0])};
        VEC_PUSH(a, rounds, ast_gen_node(x, N_Assign, n->kid[0]->at, 2, set));
        VEC_PUSH(a, rounds, ast_gen_copy(x, n->kid[2]));
    }
    Node *body = ast_gen_block(x, n->at, &rounds);
    if (h.all) {
        VEC_PUSH(a, rest, for_the_others(x, u, n, over, parts));
        Node *kid[] = {h.all, body, ast_gen_block(x, n->at, &rest)};
        h.all->rounds = ast_gen_bool(x, n->at, true);
        body = ast_gen_node(x, N_If, n->at, 3, kid);
    }
    VEC_PUSH(a, all, body);
    *n = *ast_gen_block(x, n->at, &all);
}

/* ---- dicts with known keys ------------------------------------------------------------------- */

bool
ast_is_keyed_store(const Node *n)
{
    bool aug = n->kind == N_AugAssign;
    const Node *t = aug ? n->kid[0] : n->kind == N_Assign && n->n == 2 ? n->kid[1] : NULL;
    return t && t->kind == N_Subscript && t->kid[0]->kind == N_Name && t->kid[1]->kind == N_Const &&
           t->kid[1]->val->kind == CV_STR;
}

/* x = {**x, key: value} */
static Node *
keyed_set(Expand *x, const Node *t, Node *value)
{
    Sym name = t->kid[0]->name;
    Node *old = ast_gen_name(x, t->at, name, CTX_LOAD);
    Node *pair[] = {ast_gen_copy(x, t->kid[1]), value};
    Node *parts[] = {ast_gen_node(x, N_Starred, t->at, 1, &old),
                     ast_gen_node(x, N_Tuple, t->at, 2, pair)};
    Node *set[] = {ast_gen_node(x, N_Dict, t->at, 2, parts),
                   ast_gen_name(x, t->at, name, CTX_STORE)};
    return ast_gen_node(x, N_Assign, t->at, 2, set);
}

/* An element is changed in place where it can be, as it is without the dict. */
static Node *
keyed_aug(Expand *x, const Node *n)
{
    const Node *t = n->kid[0];
    Nodes out = {0};
    Sym once = intern(&x->cx->syms, arena_printf(&x->cx->arena, "%s.k%d", t->kid[0]->name, n->id));
    ast_gen_update(x, n, once, &out);
    VEC_PUSH(&x->cx->arena, out, keyed_set(x, t, ast_gen_name(x, t->at, once, CTX_LOAD)));
    return ast_gen_block(x, n->at, &out);
}

/* x[i] += v of what can't change, but holds an array, which does. */
static void
element_aug(Expand *x, Node *n)
{
    Nodes out = {0};
    Sym once = intern(&x->cx->syms, arena_printf(&x->cx->arena, "element.k%d", n->id));
    ast_gen_update(x, n, once, &out);
    *n = *ast_gen_block(x, n->at, &out);
}

/* o = x; k = i; t = o[k]; t += v; o[k] = t. Of x.a: o = x; t = o.a; t += v; o.a = t
 * flat: of x.flat[k]: o = x; k = i; t = o.flat[k]; t = t + v; o.flat[k] = t */
static void
item_aug(Expand *x, Node *n, bool flat)
{
    Arena *a = &x->cx->arena;
    Intern *syms = &x->cx->syms;
    Span at = n->kid[0]->at;
    Node *same = ast_gen_copy(x, n), *t = same->kid[0];
    Sym of = intern(syms, arena_printf(a, "item.o%d", n->id));
    Sym index = intern(syms, arena_printf(a, "item.i%d", n->id));
    Sym once = intern(syms, arena_printf(a, "item.v%d", n->id));
    Nodes out = {0};
    Node **whose = flat ? &t->kid[0]->kid[0] : &t->kid[0];
    VEC_PUSH(a, out, ast_gen_set(x, at, of, *whose));
    *whose = ast_gen_name(x, at, of, CTX_LOAD);
    if (t->kind == N_Subscript) {
        VEC_PUSH(a, out, ast_gen_set(x, at, index, t->kid[1]));
        t->kid[1] = ast_gen_name(x, at, index, CTX_LOAD);
    }
    if (flat) { /* of several elements t is a copy that nobody changes */
        Node *sum[] = {ast_gen_copy(x, t), same->kid[1]};
        Node *v = ast_gen_node(x, N_BinOp, n->at, 2, sum);
        v->op = n->op;
        VEC_PUSH(a, out, ast_gen_set(x, at, once, v));
    } else {
        ast_gen_update(x, same, once, &out);
    }
    Node *set[] = {ast_gen_name(x, at, once, CTX_LOAD), ast_gen_copy(x, t)};
    VEC_PUSH(a, out, ast_gen_node(x, N_Assign, n->at, 2, set));
    *n = *ast_gen_block(x, n->at, &out);
}

static void
keyed_stores(Expand *x, Sym name, Node *n)
{
    for (int i = 0; n && i < n->n; i++)
        keyed_stores(x, name, n->kid[i]);
    if (!n || !ast_is_keyed_store(n))
        return;
    bool aug = n->kind == N_AugAssign;
    const Node *t = n->kid[aug ? 0 : 1];
    if (t->kid[0]->name == name)
        *n = aug ? *keyed_aug(x, n) : *keyed_set(x, t, ast_gen_copy(x, n->kid[0]));
}

static void
keyed_keys(Expand *x, Node *n)
{
    Node *of = ast_gen_copy(x, n);
    Node *f = ast_gen_node(x, N_Attribute, n->at, 1, &of);
    f->name = intern(&x->cx->syms, "keys");
    *n = *ast_gen_node(x, N_Call, n->at, 1, &f);
}

/* ---- views of dicts -------------------------------------------------------------------------- */

static void
put_view(Expand *x, Node *n, Sym name, const Node *call)
{
    for (int i = 0; n && i < n->n; i++)
        put_view(x, n->kid[i], name, call);
    if (n && n->kind == N_Name && n->name == name && n->op == CTX_LOAD)
        *n = *ast_gen_copy(x, call);
}

static void
view_uses(Expand *x, const Unroll *u, Node *set)
{
    const Node *call = ast_gen_copy(x, set->kid[0]);
    Sym name = u->over->name;
    set->kind = N_Expr;
    set->n = 1;
    put_view(x, u->fn->body, name, call);
}

static void
flat_uses(Expand *x, const Unroll *u, Node *set)
{
    Node *use = ast_gen_copy(x, set->kid[0]);
    use->kid[0] = ast_gen_name(x, use->at, u->over->name, CTX_LOAD);
    put_view(x, u->fn->body, u->over->name, use);
    set->kid[0] = set->kid[0]->kid[0];
}

static void
attribute_again(Node *n)
{
    *n = *n->kid[0];
    n->op = CTX_STORE;
}

static void
of_its_class(Expand *x, Node *n)
{
    Node *type[] = {ast_gen_builtin_name(x, n->at, BI_py_type), n->kid[0]};
    n->kid[0] = ast_gen_node(x, N_Call, n->at, 2, type);
}

static void
unroll_rounds(Expand *x, const Unroll *u, Node *n)
{
    Told told = {.at = n->at};
    told.text = arena_printf(
        &x->cx->arena, "its %d rounds stand one after the other, for their types differ", u->n);
    VEC_PUSH(&x->cx->arena, x->fn->told, told);
    if (n->kind == N_ListComp)
        unroll_list(x, u, n);
    else
        unroll_for(x, u, n);
}

/* f(a, *x, *y, k=1) becomes f(*(a, *x, *y), k=1). */
static void
one_star(Expand *x, Node *call)
{
    Node *all = ast_gen_node(x, N_Tuple, call->at, call->n - 1, call->kid + 1);
    int n = 2;
    all->n = 0;
    for (int i = 1; i < call->n; i++) {
        Node *arg = call->kid[i];
        if (arg->kind == N_Keyword)
            call->kid[n++] = arg;
        else
            all->kid[all->n++] = arg;
    }
    call->kid[1] = ast_gen_node(x, N_Starred, call->at, 1, &all);
    call->n = n;
}

bool
ast_unrolls_a_name(UnrollOf of)
{
    return of == UNROLL_VIEW || of == UNROLL_FLAT_NAME;
}

bool
ast_unrolls_no_loop(UnrollOf of)
{
    return of == UNROLL_LATER || of == UNROLL_LIST || of == UNROLL_METHOD || of == UNROLL_CLASS ||
           of == UNROLL_DEFAULTS || of == UNROLL_STARS || of == UNROLL_SLICE ||
           of == UNROLL_SHOWN || of == UNROLL_EACH || ast_unrolls_a_name(of);
}

void
ast_unroll(Cx *cx, const Unroll *u)
{
    Expand x = {.cx = cx, .fn = (FuncDef *)(uintptr_t)u->fn};
    Node *n = (Node *)(uintptr_t)u->loop;
    if (u->of == UNROLL_STORE)
        keyed_stores(&x, u->over->name, u->fn->body);
    else if (u->of == UNROLL_ITEM)
        item_aug(&x, n, false);
    else if (u->of == UNROLL_FLAT_ITEM)
        item_aug(&x, n, true);
    else if (u->of == UNROLL_AUG)
        element_aug(&x, n);
    else if (u->of == UNROLL_VIEW)
        view_uses(&x, u, n);
    else if (u->of == UNROLL_FLAT_NAME)
        flat_uses(&x, u, n);
    else if (u->of == UNROLL_LATER)
        ast_map_later(cx, u);
    else if (u->of == UNROLL_LIST)
        ast_list_of(cx, u);
    else if (u->of == UNROLL_SLICE)
        ast_slice_of(cx, u);
    else if (u->of == UNROLL_SHOWN)
        ast_bind_shown(cx, u);
    else if (u->of == UNROLL_EACH)
        ast_add_one_by_one(cx, u);
    else if (u->of == UNROLL_CLASS)
        of_its_class(&x, n);
    else if (u->of == UNROLL_METHOD)
        ast_bind_method(cx, u);
    else if (u->of == UNROLL_DEFAULTS)
        ast_bind_defaults(cx, u);
    else if (u->of == UNROLL_STARS)
        one_star(&x, n);
    else if (u->of == UNROLL_FLAT)
        attribute_again(n);
    else if (u->of == UNROLL_KEYS)
        keyed_keys(&x, n);
    else
        unroll_rounds(&x, u, n);
}
