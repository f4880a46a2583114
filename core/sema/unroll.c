/* SPDX-License-Identifier: BSD-3-Clause
 * Which loop has to be unrolled for its body to be typed: one whose number of rounds is known, and
 * small, around an error that a value isn't known, or that a type changes. The innermost comes
 * first; then the function is typed again. */
#include "ast/search.h"
#include "sema/internal.h"

enum { MOST_ROUNDS = 16, MOST_NODES = 6000 }; /* of a loop; of the whole program */

/* Leaves a round before its end. What is inside of another loop is that one's. */
static bool
jumps(const Node *n, bool inner)
{
    if (!n)
        return false;
    if (n->kind == N_Lambda || n->kind == N_FunctionDef || n->kind == N_Yield)
        return true; /* what takes the variable of a round later */
    if ((n->kind == N_Break || n->kind == N_Continue) && !inner)
        return true;
    bool loop = n->kind == N_For || n->kind == N_While;
    int els = n->kind == N_For ? 3 : 2;
    for (int i = 0; i < n->n; i++)
        if (jumps(n->kid[i], inner || (loop && i != els)))
            return true;
    return false;
}

static bool
known_int(Sema *s, const Node *e, int64_t *out)
{
    const Const *c = sema_known(s, e).cst;
    bool is = c && c->kind == CV_INT && c->i > -1000000 && c->i < 1000000;
    *out = is ? c->i : 0;
    return is;
}

static bool
of_range(Sema *s, const Node *e, Unroll *u)
{
    const Call *c = info_of(s, e)->call;
    int64_t a[3] = {0, 0, 1};
    int n = e->n - 1;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_range || n < 1 || n > 3)
        return false;
    for (int i = 0; i < n; i++)
        if (!known_int(s, e->kid[i + 1], &a[n == 1 ? 1 : i]))
            return false;
    int64_t span = a[2] > 0 ? a[1] - a[0] : a[0] - a[1], by = a[2] > 0 ? a[2] : -a[2];
    if (!by || span > by * MOST_ROUNDS)
        return false;
    *u = (Unroll){.of = UNROLL_RANGE, .n = span > 0 ? (int)((span + by - 1) / by) : 0, .over = e};
    u->start = a[0];
    u->step = a[2];
    for (int i = 0; i < n; i++)
        u->seen[i] = a[n == 1 ? 1 : i];
    return true;
}

static bool
of_tuple(Sema *s, const Node *e, Unroll *u)
{
    const Type *t = sema_known(s, e).type;
    bool literal = ast_is_literal(e);
    if (!literal && !(e->kind == N_List && ast_is_plain_display(e)) &&
        (t->kind != TY_TUPLE || t->names))
        return false;
    *u = (Unroll){.of = UNROLL_TUPLE, .n = literal || e->kind == N_List ? e->n : t->n, .over = e};
    u->seen[0] = u->n;
    return e->kind != N_Tuple || literal || u->n == e->n;
}

static bool
of_enumerate(Sema *s, const Node *e, Unroll *u)
{
    const Call *c = e->kind == N_Call ? info_of(s, e)->call : NULL;
    int64_t start = 0;
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_enumerate || e->n < 2 || e->n > 3)
        return false;
    for (int i = 1; i < e->n; i++)
        if (e->kid[i]->kind == N_Keyword || e->kid[i]->kind == N_Starred)
            return false;
    if ((e->n == 3 && !known_int(s, e->kid[2], &start)) || !of_tuple(s, e->kid[1], u))
        return false;
    u->of = UNROLL_ENUMERATE;
    u->start = start;
    u->from = e->n == 3 ? e->kid[2] : NULL;
    return true;
}

static bool
of_zip(Sema *s, const Node *e, Unroll *u)
{
    const Call *c = e->kind == N_Call ? info_of(s, e)->call : NULL;
    int least = MOST_ROUNDS + 1;
    int64_t seen[UNROLL_PARTS];
    if (!c || c->kind != CALL_BUILTIN || c->fn->id != BI_py_zip || e->n < 2 || e->n >= UNROLL_PARTS)
        return false;
    for (int i = 1; i < e->n; i++) {
        const Node *of = e->kid[i];
        if (of->kind == N_Keyword || of->kind == N_Starred || !of_tuple(s, of, u))
            return false;
        least = u->n < least ? u->n : least;
        seen[i - 1] = u->n;
    }
    *u = (Unroll){.of = UNROLL_ZIP, .n = least, .over = e};
    memcpy(u->seen, seen, sizeof seen);
    return true;
}

/* Of a dict with known keys that has a name: d, d.keys(), d.values(), d.items(). */
static bool
of_members(Sema *s, const Node *over, Unroll *u)
{
    const Node *f = over->kind == N_Call && over->n == 1 ? over->kid[0] : NULL;
    const Node *d = f && f->kind == N_Attribute ? f->kid[0] : over;
    const Type *t = d->kind == N_Name ? sema_known(s, d).type : NULL;
    char which = d == over                    ? 'k'
                 : !strcmp(f->name, "keys")   ? 'k'
                 : !strcmp(f->name, "values") ? 'v'
                 : !strcmp(f->name, "items")  ? 'i'
                                              : 0;
    t = t ? keyed_as_values(s, sem_of(t)).type : NULL;
    if (!t || t->kind != TY_KEYED || !which)
        return false;
    *u = (Unroll){.of = UNROLL_MEMBERS, .n = t->n, .over = d, .keys = t->names, .member = which};
    return true;
}

/* May it be evaluated again for each element? */
static bool
is_cheap(Sema *s, const Node *over)
{
    if (over->kind == N_Attribute)
        return over->kid[0]->kind == N_Name && !strcmp(over->name, "shape") &&
               sema_known(s, over->kid[0]).type->kind == TY_ARRAY;
    if (over->kind == N_Subscript) /* x.shape[1:] */
        return over->kid[1]->kind == N_Slice && over->kid[0]->kind == N_Attribute &&
               sema_known(s, over).type->kind == TY_TUPLE && is_cheap(s, over->kid[0]);
    return over->kind == N_Name || ast_is_plain_display(over);
}

/* A function sees the variable, and not the value that it has in one round. */
static bool
is_taken(const Node *body, Sym name)
{
    bool taken = body->fn && ast_has_name(body->fn->free, body->fn->n_free, name);
    for (int i = 0; i < body->n && !taken; i++)
        taken = body->kid[i] && is_taken(body->kid[i], name);
    return taken;
}

/* May each of its names be replaced in what a comprehension yields? */
static bool
is_replaceable(const Node *target, const Node *body, const Node *over)
{
    if (target->kind == N_Name)
        return !ast_sets(body, target->name) && !is_taken(body, target->name);
    bool all = target->kind == N_Tuple && target->n > 0;
    for (int i = 0; all && i < target->n; i++) {
        const Node *t = target->kid[i];
        all = t->kind == N_Name && !ast_sets(body, t->name) && !is_taken(body, t->name) &&
              !ast_mentions(over, t->name);
        for (int j = 0; all && j < i; j++)
            all = target->kid[j]->name != t->name;
    }
    return all;
}

/* What a comprehension goes through is there again for each element. */
static bool
all_cheap(Sema *s, const Node *over, const Unroll *u)
{
    bool all = u->of != UNROLL_TUPLE || is_cheap(s, over);
    for (int i = 1; all && u->of == UNROLL_ZIP && i < over->n; i++)
        all = is_cheap(s, over->kid[i]);
    return all && (u->of != UNROLL_ENUMERATE || is_cheap(s, over->kid[1]));
}

/* ---- which rounds a condition leaves ---- */

enum { MOST_NAMES = 8 };

/* The variables of one round that are known ints. */
typedef struct Round {
    int n;
    Sym name[MOST_NAMES];
    int64_t v[MOST_NAMES];
} Round;

static void
bind_int(Round *r, const Node *target, int64_t v)
{
    if (target->kind != N_Name || r->n == MOST_NAMES)
        return;
    r->name[r->n] = target->name;
    r->v[r->n++] = v;
}

static bool round_int(Sema *s, const Node *e, const Round *r, int64_t *out);

static void
bind_display(Sema *s, const Node *target, const Node *value, Round *r)
{
    int64_t v;
    if (target->kind == N_Tuple && value->kind == N_Tuple && target->n == value->n)
        for (int i = 0; i < target->n; i++)
            bind_display(s, target->kid[i], value->kid[i], r);
    else if (round_int(s, value, &(Round){0}, &v))
        bind_int(r, target, v);
}

static void
bind_round(Sema *s, const Node *target, const Unroll *u, int k, Round *r)
{
    if (u->of == UNROLL_RANGE)
        bind_int(r, target, u->start + k * u->step);
    else if (u->of == UNROLL_ENUMERATE && target->kind == N_Tuple)
        bind_int(r, target->kid[0], u->start + k);
    else if (u->of == UNROLL_TUPLE && (u->over->kind == N_Tuple || u->over->kind == N_List))
        bind_display(s, target, u->over->kid[k], r);
}

/* Is x among the numbers of a tuple, written or known? -1: nobody knows. */
static int
is_among(Sema *s, int64_t x, const Node *of, const Round *r)
{
    const Const *c = of->kind == N_Tuple || of->kind == N_List ? NULL : sema_known(s, of).cst;
    int n = c && c->kind == CV_TUPLE ? c->n : c ? -1 : of->n;
    if (n < 0 || (!c && of->kind != N_Tuple && of->kind != N_List))
        return -1;
    bool found = false;
    for (int i = 0; i < n; i++) {
        int64_t y;
        if (c ? !const_as_int(c->elems[i], &y) : !round_int(s, of->kid[i], r, &y))
            return -1;
        found |= x == y;
    }
    return found;
}

static int
compared(Sema *s, int op, const Node *a, const Node *b, const Round *r)
{
    int64_t x, y;
    if ((op == C_EQ || op == C_NE) && a->kind == N_Tuple && b->kind == N_Tuple && a->n == b->n) {
        bool same = true;
        for (int i = 0; i < a->n; i++) {
            int is = compared(s, C_EQ, a->kid[i], b->kid[i], r);
            if (is < 0)
                return -1;
            same &= is;
        }
        return same == (op == C_EQ);
    }
    if (!round_int(s, a, r, &x))
        return -1;
    if (op == C_IN || op == C_NOTIN) {
        int is = is_among(s, x, b, r);
        return is < 0 ? -1 : is == (op == C_IN);
    }
    if (!round_int(s, b, r, &y) || op > C_GE)
        return -1;
    return op == C_EQ   ? x == y
           : op == C_NE ? x != y
           : op == C_LT ? x < y
           : op == C_LE ? x <= y
           : op == C_GT ? x > y
                        : x >= y;
}

static bool
round_logic(Sema *s, const Node *e, const Round *r, int64_t *out)
{
    if (e->kind == N_Compare) {
        *out = 1;
        for (int i = 0; i + 1 < e->n && *out; i++) {
            int is = compared(s, e->ops[i], e->kid[i], e->kid[i + 1], r);
            if (is < 0)
                return false;
            *out = is;
        }
        return true;
    }
    for (int i = 0; i < e->n; i++)
        if (!round_int(s, e->kid[i], r, out))
            return false;
        else if ((*out != 0) == (e->op == 1))
            return true;
    return true;
}

static bool
round_arith(Sema *s, const Node *e, const Round *r, int64_t *out)
{
    int64_t x, y = 1, q;
    if (!round_int(s, e->kid[0], r, &x) || (e->n > 1 && !round_int(s, e->kid[1], r, &y)))
        return false;
    if (e->kind == N_UnaryOp) {
        *out = e->op == U_NEG ? -x : e->op == U_NOT ? !x : x;
        return e->op != U_INVERT;
    }
    if ((e->op == B_MOD || e->op == B_FLOORDIV) && y <= 0)
        return false;
    q = e->op == B_MOD || e->op == B_FLOORDIV ? (x % y < 0 ? x / y - 1 : x / y) : 0;
    *out = e->op == B_ADD   ? x + y
           : e->op == B_SUB ? x - y
           : e->op == B_MUL ? x * y
           : e->op == B_MOD ? x - q * y
                            : q;
    return e->op == B_ADD || e->op == B_SUB || e->op == B_MUL || e->op == B_MOD ||
           e->op == B_FLOORDIV;
}

/* An int, or a truth as one, that is known in a round. All of them are small. */
static bool
round_int(Sema *s, const Node *e, const Round *r, int64_t *out)
{
    bool found = false;
    for (int i = 0; e->kind == N_Name && i < r->n && !found; i++)
        if ((found = r->name[i] == e->name))
            *out = r->v[i];
    if (!found && (e->kind == N_Compare || e->kind == N_BoolOp))
        found = round_logic(s, e, r, out);
    else if (!found && (e->kind == N_BinOp || e->kind == N_UnaryOp))
        found = round_arith(s, e, r, out);
    else if (!found)
        found = known_int(s, e, out);
    return found && *out > -1000000 && *out < 1000000;
}

static bool
kept(Sema *s, const Node *gen, const Round *r, bool *keep)
{
    for (int i = 2; i < gen->n && *keep; i++) {
        int64_t v;
        if (!round_int(s, gen->kid[i], r, &v))
            return false;
        *keep = v != 0;
    }
    return true;
}

/* Which rounds of a comprehension there are; false: nobody knows. */
static bool
find_kept(Sema *s, const Node *n, Unroll *u)
{
    int m = u->inner ? u->inner->n : 1;
    u->keep = 0;
    for (int k = 0; k < u->n * m; k++) {
        Round r = {0};
        bool keep = true;
        bind_round(s, n->kid[1]->kid[0], u, k / m, &r);
        if (!kept(s, n->kid[1], &r, &keep))
            return false;
        if (u->inner)
            bind_round(s, n->kid[2]->kid[0], u->inner, k % m, &r);
        if (u->inner && !kept(s, n->kid[2], &r, &keep))
            return false;
        u->keep |= (uint32_t)keep << k;
    }
    return true;
}

static bool
of_any(Sema *s, const Node *over, Unroll *u)
{
    return (over->kind == N_Call && of_range(s, over, u)) || of_tuple(s, over, u) ||
           of_enumerate(s, over, u) || of_zip(s, over, u);
}

/* Names of a target, in an expression. */
static bool
mentions_target(const Node *target, const Node *in)
{
    if (target->kind == N_Name)
        return ast_mentions(in, target->name);
    for (int i = 0; i < target->n; i++)
        if (mentions_target(target->kid[i], in))
            return true;
    return false;
}

/* The second `for` of a comprehension, in which the variables of the first one have no say. */
static bool
of_second(Sema *s, const Node *n, Unroll *u)
{
    const Node *gen = n->kid[2], *body = n->kid[0];
    Unroll *v = NEW(s->a, Unroll);
    if (mentions_target(n->kid[1]->kid[0], gen->kid[1]) ||
        mentions_target(n->kid[1]->kid[0], gen->kid[0]) || !of_any(s, gen->kid[1], v) ||
        !all_cheap(s, gen->kid[1], v) || !is_replaceable(gen->kid[0], body, gen->kid[1]))
        return false;
    u->inner = v;
    return v->n * u->n <= MOST_ROUNDS;
}

/* Notes that a loop or comprehension is to be unrolled, where it can be. */
static void
choose(Sema *s, const Node *n)
{
    const FuncDef *fn = s->fr->in->def;
    bool comp = n->kind == N_ListComp;
    const Node *gen = comp ? n->kid[1] : n, *over = gen->kid[1];
    Unroll u;
    if (s->unroll.loop || fn->is_lib || (comp && n->rounds) || (!comp && n->n > 3 && n->kid[3]))
        return;
    if (comp && (n->n > 3 || n->op > 2))
        return;
    if (!(comp && of_members(s, over, &u)) && !of_any(s, over, &u))
        return;
    if (comp && n->n == 3 && (u.n > MOST_ROUNDS || !of_second(s, n, &u)))
        return;
    const Node *body = comp ? n->kid[0] : n->kid[2];
    int more = u.n > MOST_ROUNDS ? 0 : u.n * (u.inner ? u.inner->n : 1) * ast_size(body);
    if (u.n > MOST_ROUNDS || s->unrolled + more > MOST_NODES || jumps(body, comp))
        return;
    if (comp && (!all_cheap(s, over, &u) || !is_replaceable(gen->kid[0], body, over)))
        return;
    if (u.of == UNROLL_MEMBERS && ast_sets(body, u.over->name))
        return;
    if (comp && !find_kept(s, n, &u))
        return;
    u.fn = fn;
    u.tuple = comp && n->op == 1;
    u.loop = n;
    s->unroll = u;
    s->unrolled += more;
}

/* Are the rounds that were written out those of the types at hand? What is no tuple has others. */
static bool
same_rounds(Sema *s, const Node *test)
{
    int mark = diag_mark(s), is = sema_test(s, test);
    if (diag_mark(s) == mark)
        return is == 1;
    diag_rewind(s, mark);
    return false;
}

/* The test before a loop that is written out. Yields -1: it is no such test. */
int
sema_test_rounds(Sema *s, const Node *test)
{
    if (!test->rounds)
        return -1;
    bool same = same_rounds(s, test);
    sema_set(s, test, (Sem){type_scalar(s->tt, DT_bool, true), const_bool(s, same)});
    return same;
}

/* Has the dict that was gone through the keys that it had, in their order? */
static bool
same_keys(Sema *s, const Node *test)
{
    if (test->kind != N_Const || !test->n)
        return true;
    int mark = diag_mark(s);
    Sem v = sema_expr(s, test->kid[0]);
    const Type *t = sem_bad(v) || diag_mark(s) > mark ? v.type : keyed_as_values(s, v).type;
    bool same = t->kind == TY_KEYED && t->n == test->n - 2;
    for (int i = 0; same && i < t->n; i++)
        same = !strcmp(t->names[i], test->kid[i + 2]->val->str);
    diag_rewind(s, mark);
    return same;
}

/* A display that was a comprehension has the rounds of the types for which it was written out. Of
 * other types that reach the same function it may be another one. */
void
sema_check_rounds(Sema *s, const Node *e)
{
    const Node *kept = e->rounds->rounds;
    bool keys = same_keys(s, e->rounds);
    if (keys && same_rounds(s, e->rounds) && (!kept || sema_test(s, kept) != 0))
        return;
    Diag *d = sema_error(s, DIAG_unsupported, e,
                         "a comprehension over elements of unlike types that has other rounds in "
                         "another call of the function");
    diag_hint(s->diags, d, "write a for loop");
    if (keys)
        return;
    Node *n = (Node *)(uintptr_t)e, *holds = n->rounds; /* from now on it is what it was */
    *n = *holds->kid[1];
    n->rounds = holds;
    s->want_dicts = true;
}

unsigned
sema_rounds_begin(Sema *s)
{
    unsigned before = s->cx->wants;
    s->cx->wants = 0;
    return before;
}

void
sema_rounds_end(Sema *s, const Node *n, unsigned before)
{
    if (s->cx->wants)
        choose(s, n);
    s->cx->wants |= before;
}

/* Has the comprehension so many rounds, and can it be a display? It is noted, and after an error
 * all is typed again. */
static bool
becomes_display(Sema *s, const Node *n, int rounds)
{
    int before = s->unrolled;
    if (s->unroll.loop)
        return false;
    choose(s, n);
    if (s->unroll.loop && __builtin_popcount(s->unroll.keep) == rounds)
        return true;
    s->unroll.loop = NULL;
    s->unrolled = before;
    return false;
}

/* A comprehension that a tuple is to be made of: after an error it is a display, where it goes
 * through a tuple. */
void
sema_want_display(Sema *s, const Node *e)
{
    if (e && e->kind == N_ListComp)
        choose(s, e);
}

/* tuple(range(x.ndim)): of a short range whose bounds are known its numbers. NULL: of others. */
const Const *
sema_range_tuple(Sema *s, const Node *e)
{
    Unroll u;
    if (!e || e->kind != N_Call || !of_range(s, e, &u))
        return NULL;
    const Const **all = NEW_N(s->a, const Const *, u.n + 1);
    for (int i = 0; i < u.n; i++)
        all[i] = const_int(s, u.start + i * u.step);
    return const_tuple(s, u.n, all);
}

/* What so many names are assigned from: a display where it is known that there are as many, else
 * a comprehension is a list. */
Sem
sema_unpacked(Sema *s, const Node *e, Sem v, int names)
{
    v = list_as_tuple(s, e, v);
    if (v.type->kind != TY_LIST || e->kind != N_ListComp)
        return v;
    if (!becomes_display(s, e, names))
        return heap_value(s, e, v);
    sema_type_error(s, e, "cannot unpack %s", v.type->text);
    return sema_unknown(s);
}
