/* SPDX-License-Identifier: BSD-3-Clause
 * Generators. `for x in g(a): BODY` becomes g's own body, with names of its own, in which
 * `x = v; BODY` stands for each `yield v`: so that what consumes and what yields are one
 * loop nest, of which sema and the passes see nothing special. What BODY's break and the
 * generator's return jump out of is a loop that ends after one iteration: p = a; left =
 * False while True: for ...:                        the generator's x = v while True:
 * BODY; break     where it has a continue that is not at the end of the generator's loop
 *             if left: break              behind each loop of the generator's in which
 * BODY breaks, by left = True; break break A generator is closed where its loop is left:
 * the generator's finally runs, as for any jump or exception. What BODY raises is not the
 * generator's to catch: handlers around a yield first look whether BODY was running. */
#include "ast/generator.h"

enum { MOST_NODES = 20000, MOST_IN_ALL = 60000, MOST_ACTIVE = 30 };

typedef struct Late {
    Sym param;
    const Node *value;
} Late;

typedef struct Out { /* a generator that is being written out */
    Expand *x;
    const FuncDef *gen;
    int id;
    const Source *src; /* of its places: with the call */
    const Node *loop;  /* the consumer's */
    Span at;
    bool manages;           /* it is no loop: a with statement over the generator */
    bool breaks, continues; /* BODY does, out of the loop or to its next iteration */
    int depth;              /* loops around, inside of the one that all is in */
    bool plain;             /* the loop around is the last statement of all: a break leaves all */
    bool tail;              /* behind what is copied, nothing more of the loop around */
    bool jumped;            /* out of the loop around, and on */
    int guards;             /* handlers around */
    int handles;            /* clauses around that run where something was caught */
    bool region, left, inside, stopped; /* whether these are needed */
    const char *why;                    /* NULL, or what can't be done, at: */
    Span where;
    int size, body_size; /* nodes made; of BODY */
    Late late[8];        /* parameters that stand for what is gone through where they are read */
    int n_late;
} Out;

static Sym
name_of(Out *o, const char *name)
{
    return intern(&o->x->cx->syms, arena_printf(&o->x->cx->arena, "%s.g%d", name, o->id));
}

static Node *
refuse(Out *o, Span at, const char *why)
{
    if (!o->why) {
        o->why = why;
        o->where = at;
    }
    return ast_gen_node(o->x, N_Pass, at, 0, NULL);
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool
is_own(const FuncDef *gen, Sym name)
{
    for (int i = 0; i < gen->n_locals; i++)
        if (gen->locals[i] == name)
            return true;
    return false;
}

/* A global of the generator's module, under another name. */
static Sym
global_name(Out *o, Sym name)
{
    FuncDef *root = o->x->fn;
    const Const *c = ast_global(o->gen, name);
    Sym as = name_of(o, name);
    while (root->parent)
        root = root->parent;
    if (!c || ast_global(root, as))
        return as;
    Binding *more = NEW_N(&o->x->cx->arena, Binding, root->n_globals + 1);
    memcpy(more, root->globals, sizeof *more * (size_t)root->n_globals);
    more[root->n_globals++] = (Binding){as, c};
    root->globals = more;
    return as;
}

static Sym
renamed(Out *o, Sym name)
{
    if (!name)
        return NULL;
    if (is_own(o->gen, name)) {
        ast_gen_local(o->x, name_of(o, name));
        return name_of(o, name);
    }
    bool around = o->gen->parent || ast_has_name(o->gen->free, o->gen->n_free, name);
    return around ? name : global_name(o, name);
}

static Span
placed(const Out *o, Span at)
{
    at.src = at.src == o->gen->src ? o->src : at.src;
    return at;
}

/* ---- expressions ----------------------------------------------------------------------------- */

/* Python makes a RuntimeError of it. */
static bool
stops(const Out *o, const Node *n)
{
    const Builtin *b = n->kind == N_Call ? ast_gen_builtin(o->gen, n) : NULL;
    const Node *cls = n->kind == N_Raise && n->n ? n->kid[0] : NULL;
    cls = cls && cls->kind == N_Call ? cls->kid[0] : cls;
    return (b && b->id == BI_py_next && n->n == 2) ||
           (cls && cls->kind == N_Name && !strcmp(cls->name, "StopIteration"));
}

static Node *
copy_own(Out *o, const Node *n)
{
    if (!n)
        return NULL;
    if (++o->size > MOST_NODES || ++o->x->size > MOST_IN_ALL)
        return refuse(o, n->at, "a generator that becomes so long where it is gone through");
    if (n->kind == N_Yield)
        return refuse(o, n->at, "what is sent to a generator (yield as a value)");
    if (n->fn)
        return refuse(o, n->at, "a function inside a generator");
    if (stops(o, n))
        return refuse(o, n->at, "what may raise StopIteration inside a generator");
    if (n->kind == N_Global)
        return refuse(o, n->at, "assigning to a variable of an outer scope in a generator");
    for (int i = 0; n->kind == N_Name && i < o->n_late; i++)
        if (o->late[i].param == n->name)
            return ast_gen_copy(o->x, o->late[i].value);
    Node *to = ast_new(&o->x->cx->arena, o->x->fn, n->kind, placed(o, n->at), n->n);
    Node **kid = to->kid;
    int id = to->id;
    Span at = to->at;
    *to = *n;
    to->id = id;
    to->kid = kid;
    to->at = at;
    if (n->kind == N_Name || n->kind == N_Handler)
        to->name = renamed(o, n->name);
    for (int i = 0; i < n->n; i++)
        kid[i] = copy_own(o, n->kid[i]);
    return to;
}

/* ---- jumps ----------------------------------------------------------------------------------- */

static void
jump_out(Out *o, Nodes *to, Span at)
{
    Arena *a = &o->x->cx->arena;
    if (o->depth > 1 || (o->depth == 1 && !o->plain)) {
        o->left = o->jumped = true;
        VEC_PUSH(a, *to, ast_gen_set(o->x, at, name_of(o, "left"), ast_gen_bool(o->x, at, true)));
    }
    o->region |= o->depth == 0;
    VEC_PUSH(a, *to, ast_gen_node(o->x, N_Break, at, 0, NULL));
}

/* Behind a loop that was at depth + 1. */
static void
go_on_out(Out *o, Nodes *to, Span at)
{
    if (!o->jumped)
        return;
    Node *test = ast_gen_name(o->x, at, name_of(o, "left"), CTX_LOAD),
         *brk = ast_gen_node(o->x, N_Break, at, 0, NULL);
    Node *then = ast_gen_node(o->x, N_Block, at, 1, &brk);
    VEC_PUSH(&o->x->cx->arena, *to, ast_gen_node(o->x, N_If, at, 3, (Node *[]){test, then, NULL}));
    o->region |= o->depth == 0;
}

/* Its breaks and continues that are the loop's own; in: is it in a loop of BODY? */
static void
find_jumps(Out *o, const Node *n, bool in)
{
    if (!n || (in && n->kind != N_For && n->kind != N_While && n->kind != N_Block &&
               n->kind != N_If && n->kind != N_Try && n->kind != N_With && n->kind != N_Handler))
        return;
    o->breaks |= !in && n->kind == N_Break;
    o->continues |= !in && n->kind == N_Continue;
    bool loop = n->kind == N_For || n->kind == N_While;
    int els = n->kind == N_For ? 3 : 2;
    for (int i = 0; i < n->n; i++)
        if (!in || loop)
            find_jumps(o, n->kid[i], loop ? i != els || in : in);
}

/* A continue in a `finally` takes back a break that led there. */
static Node *
turn_continue(Out *o, Node *n, bool wrapped, bool last)
{
    static const char *const flag[] = {"left", "stopped"};
    Nodes to = {0};
    n->kind = wrapped ? N_Break : N_Continue;
    for (int i = 0; last && i < SW_LEN(flag); i++)
        VEC_PUSH(&o->x->cx->arena, to,
                 ast_gen_set(o->x, n->at, name_of(o, flag[i]), ast_gen_bool(o->x, n->at, false)));
    VEC_PUSH(&o->x->cx->arena, to, n);
    return last ? ast_gen_block(o->x, n->at, &to) : n;
}

/* In a copy of BODY. wrapped: it is in a loop of its own; last: n is in a `finally` of it. */
static Node *
turn_jumps(Out *o, Node *n, bool wrapped, bool last)
{
    if (!n)
        return NULL;
    if (n->kind == N_Continue)
        return turn_continue(o, n, wrapped, last);
    if (n->kind == N_Break) {
        Nodes to = {0};
        if (o->loop->n > 3 && o->loop->kid[3]) {
            o->stopped = true;
            VEC_PUSH(
                &o->x->cx->arena, to,
                ast_gen_set(o->x, n->at, name_of(o, "stopped"), ast_gen_bool(o->x, n->at, true)));
        }
        jump_out(o, &to, n->at);
        return ast_gen_block(o->x, n->at, &to);
    }
    bool loop = n->kind == N_For || n->kind == N_While;
    int els = n->kind == N_For ? 3 : 2;
    for (int i = 0; i < n->n; i++)
        if (!loop || i == els)
            n->kid[i] = turn_jumps(o, n->kid[i], wrapped, last || (n->kind == N_Try && i == 2));
    return n;
}

/* Does it raise again what was caught, in no clause of its own? */
static bool
raises_again(const Node *n)
{
    if (!n || n->kind == N_Handler)
        return false;
    bool found = n->kind == N_Raise && (!n->n || !n->kid[0]);
    for (int i = 0; !found && i < n->n; i++)
        found = raises_again(n->kid[i]);
    return found;
}

/* Does a break, continue or return lead out of it? */
bool
ast_gen_jumps_away(const Node *n, bool in)
{
    if (!n)
        return false;
    bool loop = n->kind == N_For || n->kind == N_While;
    int els = n->kind == N_For ? 3 : 2;
    if (n->kind == N_Return || (!in && (n->kind == N_Break || n->kind == N_Continue)))
        return true;
    for (int i = 0; i < n->n; i++)
        if (ast_gen_jumps_away(n->kid[i], in || (loop && i != els)))
            return true;
    return false;
}

/* ---- yield ----------------------------------------------------------------------------------- */

static void
set_inside(Out *o, Nodes *to, Span at, bool v)
{
    if (!o->guards)
        return;
    o->inside = true;
    VEC_PUSH(&o->x->cx->arena, *to,
             ast_gen_set(o->x, at, name_of(o, "inside"), ast_gen_bool(o->x, at, v)));
}

static void
body_here(Out *o, Nodes *to, Span at)
{
    Arena *a = &o->x->cx->arena;
    bool wrapped = o->continues && (!o->tail || !o->depth || o->guards), outer = o->jumped;
    o->size += o->body_size;
    o->x->size += o->body_size;
    if (o->size > MOST_NODES || o->x->size > MOST_IN_ALL) {
        refuse(o, at, "a generator that becomes so long where it is gone through");
        return;
    }
    if (o->handles && raises_again(o->loop->kid[2])) {
        refuse(o, at, "a yield in except or finally, for a loop with a bare raise,");
        return;
    }
    if (o->manages) { /* what it raises is raised where the generator waits */
        VEC_PUSH(a, *to, ast_gen_copy(o->x, o->loop->kid[2]));
        return;
    }
    set_inside(o, to, at, true);
    o->jumped = false;
    o->depth += wrapped;
    bool plain = o->plain;
    o->plain &= !wrapped;
    Node *body = turn_jumps(o, ast_gen_copy(o->x, o->loop->kid[2]), wrapped, false);
    o->plain = plain;
    o->depth -= wrapped;
    if (wrapped) {
        Node *all = ast_gen_node(o->x, N_Block, body->at, 2,
                                 (Node *[]){body, ast_gen_node(o->x, N_Break, at, 0, NULL)});
        VEC_PUSH(a, *to,
                 ast_gen_node(o->x, N_While, at, 3,
                              (Node *[]){ast_gen_bool(o->x, at, true), all, NULL}));
        go_on_out(o, to, at);
        o->jumped &= o->depth > 1 || !o->plain;
    } else {
        VEC_PUSH(a, *to, body);
    }
    o->jumped |= outer;
    set_inside(o, to, at, false);
}

static void
yield_here(Out *o, Nodes *to, Node *value, Span at)
{
    Node *target = ast_gen_copy(o->x, o->loop->kid[0]);
    VEC_PUSH(&o->x->cx->arena, *to,
             ast_gen_node(o->x, N_Assign, value->at, 2, (Node *[]){value, target}));
    body_here(o, to, at);
}

/* ---- statements ------------------------------------------------------------------------------ */

static void copy_into(Out *o, Nodes *to, const Node *block, bool last);

static Node *
copy_block(Out *o, const Node *block, bool last)
{
    Nodes to = {0};
    if (!block)
        return NULL;
    copy_into(o, &to, block, last);
    return ast_gen_block(o->x, placed(o, block->at), &to);
}

static void
copy_loop(Out *o, Nodes *to, const Node *n, bool last)
{
    int body = n->kind == N_For ? 2 : 1;
    Node *kid[4] = {0};
    bool plain = o->plain, tail = o->tail, outer = o->jumped;
    for (int i = 0; i < body; i++)
        kid[i] = copy_own(o, n->kid[i]);
    o->plain = last && o->depth == 0 && !(n->n > body + 1 && n->kid[body + 1]);
    o->depth++;
    o->jumped = false;
    o->tail = true;
    kid[body] = copy_block(o, n->kid[body], false);
    o->depth--;
    o->tail = tail;
    o->plain = plain;
    bool jumped = o->jumped;
    if (n->n > body + 1 && n->kid[body + 1]) /* no break of the body's leads there */
        kid[body + 1] = copy_block(o, n->kid[body + 1], false);
    Node *loop = ast_gen_node(o->x, n->kind, placed(o, n->at), n->n, kid);
    VEC_PUSH(&o->x->cx->arena, *to, loop);
    o->jumped = jumped;
    go_on_out(o, to, placed(o, n->at));
    o->jumped = (jumped && o->depth) || outer;
}

/* yield from e: each of e's. */
static void
copy_from(Out *o, Nodes *to, const Node *y, bool last)
{
    Span at = placed(o, y->at);
    Sym item = name_of(o, arena_printf(&o->x->cx->arena, "item%d", y->id));
    ast_gen_local(o->x, item);
    Node *over = copy_own(o, y->kid[0]);
    bool plain = o->plain, tail = o->tail, outer = o->jumped;
    Nodes body = {0};
    o->plain = last && o->depth == 0;
    o->tail = true;
    o->jumped = false;
    o->depth++;
    yield_here(o, &body, ast_gen_name(o->x, at, item, CTX_LOAD), at);
    o->depth--;
    o->tail = tail;
    o->plain = plain;
    Node *kid[4] = {ast_gen_name(o->x, at, item, CTX_STORE), over, ast_gen_block(o->x, at, &body),
                    NULL};
    VEC_PUSH(&o->x->cx->arena, *to, ast_gen_node(o->x, N_For, at, 4, kid));
    go_on_out(o, to, at);
    o->jumped = (o->jumped && o->depth) || outer;
}

/* Whether a handler would see that the generator is closed, which is nothing that happens
 * here. */
static bool
sees_close(const Node *cls)
{
    if (!cls || (cls->kind == N_Name &&
                 (!strcmp(cls->name, "BaseException") || !strcmp(cls->name, "GeneratorExit"))))
        return true;
    if (cls->kind == N_Const)
        return cls->val->kind == CV_EXC_CLASS &&
               (!strcmp(cls->val->str, "BaseException") || !strcmp(cls->val->str, "GeneratorExit"));
    for (int i = 0; cls->kind == N_Tuple && i < cls->n; i++)
        if (sees_close(cls->kid[i]))
            return true;
    return false;
}

static Node *
copy_handler(Out *o, const Node *h, bool guards)
{
    Node *cls = copy_own(o, h->kid[0]);
    Span at = placed(o, h->at);
    if (guards && sees_close(h->kid[0]))
        refuse(o, h->at, "a yield where a handler catches GeneratorExit, too,");
    Nodes to = {0};
    if (guards) {
        Node *raise = ast_gen_node(o->x, N_Raise, at, 1, (Node *[]){NULL});
        Node *then = ast_gen_node(o->x, N_Block, at, 1, &raise);
        Node *test = ast_gen_name(o->x, at, name_of(o, "inside"), CTX_LOAD);
        VEC_PUSH(&o->x->cx->arena, to,
                 ast_gen_node(o->x, N_If, at, 3, (Node *[]){test, then, NULL}));
    }
    o->handles++;
    copy_into(o, &to, h->kid[1], false);
    o->handles--;
    Node *made =
        ast_gen_node(o->x, N_Handler, at, 2, (Node *[]){cls, ast_gen_block(o->x, at, &to)});
    made->name = renamed(o, h->name);
    return made;
}

static Node *
copy_try(Out *o, const Node *n)
{
    Node **kid = NEW_N(&o->x->cx->arena, Node *, n->n);
    bool guards = !o->manages && n->n > 3 && ast_has_kind(n->kid[0], N_Yield), tail = o->tail;
    o->tail &= !n->kid[2] && !n->kid[1];
    o->guards += guards;
    kid[0] = copy_block(o, n->kid[0], false);
    o->guards -= guards;
    o->tail = tail;
    o->tail &= !n->kid[2];
    kid[1] = copy_block(o, n->kid[1], false);
    for (int i = 3; i < n->n; i++)
        kid[i] = copy_handler(o, n->kid[i], guards);
    o->tail = tail;
    if (!o->manages && ast_has_kind(n->kid[0], N_Yield) && ast_gen_jumps_away(n->kid[2], false))
        refuse(o, n->kid[2]->at,
               "a yield where a jump out of `finally` ends what the loop raises,");
    o->handles++;
    kid[2] = copy_block(o, n->kid[2], false);
    o->handles--;
    return ast_gen_node(o->x, N_Try, placed(o, n->at), n->n, kid);
}

static void
copy_stmt(Out *o, Nodes *to, const Node *n, bool last)
{
    Arena *a = &o->x->cx->arena;
    Span at = placed(o, n->at);
    const Node *y = n->kind == N_Expr && n->kid[0]->kind == N_Yield ? n->kid[0] : NULL;
    if (o->manages && ast_gen_is_mark(n) && n->kid[0]->val->i)
        return;
    if (y && y->op) {
        copy_from(o, to, y, last);
    } else if (y) {
        Node *none = ast_gen_node(o->x, N_Const, at, 0, NULL);
        none->val = arena_dup(a, &(Const){.kind = CV_NONE}, sizeof(Const));
        yield_here(o, to, y->kid[0] ? copy_own(o, y->kid[0]) : none, at);
    } else if (n->kind == N_Return) {
        if (n->kid[0] && n->kid[0]->kind != N_Const && n->kid[0]->kind != N_Name)
            VEC_PUSH(a, *to, ast_gen_node(o->x, N_Expr, at, 1, (Node *[]){copy_own(o, n->kid[0])}));
        if (!last || o->depth)
            jump_out(o, to, at);
    } else if (!ast_has_kind(n, N_Yield) && !ast_has_kind(n, N_Return)) {
        VEC_PUSH(a, *to, copy_own(o, n));
    } else if (n->kind == N_For || n->kind == N_While) {
        copy_loop(o, to, n, last);
    } else if (n->kind == N_If) {
        Node *kid[3] = {copy_own(o, n->kid[0]), copy_block(o, n->kid[1], last),
                        n->kid[2] ? copy_block(o, n->kid[2], last) : NULL};
        VEC_PUSH(a, *to, ast_gen_node(o->x, N_If, at, 3, kid));
    } else if (n->kind == N_Try) {
        VEC_PUSH(a, *to, copy_try(o, n));
    } else if (n->kind == N_Block) {
        copy_into(o, to, n, last);
    } else {
        VEC_PUSH(a, *to,
                 refuse(o, n->at,
                        n->kind == N_With ? "a yield inside with"
                                          : "what is sent to a generator (yield as a value)"));
    }
}

/* last: behind it, the generator ends. */
static void
copy_into(Out *o, Nodes *to, const Node *block, bool last)
{
    bool tail = o->tail;
    for (int i = 0; i < block->n; i++) {
        bool end = i == block->n - 1;
        o->tail = tail && end;
        copy_stmt(o, to, block->kid[i], last && end);
    }
    o->tail = tail;
}

/* ---- arguments ------------------------------------------------------------------------------- */

static Node *
keyword_of(const Node *call, Sym name, int *used)
{
    for (int i = 1; i < call->n; i++)
        if (call->kid[i]->kind == N_Keyword && call->kid[i]->name == name) {
            ++*used;
            return call->kid[i]->kid[0];
        }
    return NULL;
}

static Node *
rest_of(Out *o, const Node *call, int from, int n_pos)
{
    int n = n_pos > from ? n_pos - from : 0;
    return ast_gen_node(o->x, N_Tuple, call->at, n, n ? call->kid + 1 + from : NULL);
}

/* The place of an argument in the call; -1: a default, or several. */
static int
written_at(const Node *call, const Node *v)
{
    int i = call->n - 1;
    while (i >= 0 && call->kid[i] != v && !(i && call->kid[i]->n && call->kid[i]->kid[0] == v))
        i--;
    return i;
}

/* As the arguments are written, which keywords may turn around. */
static void
put_in_order(Out *o, Nodes *to, Node *set, const Node *call)
{
    int at = to->n, place = written_at(call, set->kid[0]);
    VEC_PUSH(&o->x->cx->arena, *to, set);
    for (; place >= 0 && at > 0 && written_at(call, to->at[at - 1]->kid[0]) > place; at--)
        to->at[at] = to->at[at - 1];
    to->at[at] = set;
}

/* What a generator that is an argument is given itself, or a generator expression goes through, is
 * asked for when it is called: by names of its own. */
static Node *
given_now(Out *o, Nodes *to, Node *v)
{
    bool over = v->kind == N_ListComp && v->op == 1;
    if (v->kind == N_Const || v->kind == N_Starred)
        return v;
    if (!over && !ast_gen_called(o->x->fn, v)) {
        Sym name = name_of(o, arena_printf(&o->x->cx->arena, "given%d", to->n));
        VEC_PUSH(&o->x->cx->arena, *to, ast_gen_set(o->x, v->at, name, v));
        return ast_gen_name(o->x, v->at, name, CTX_LOAD);
    }
    Node *c = ast_gen_copy(o->x, v);
    for (int i = 1; i < (over ? 2 : c->n); i++) {
        Node **k = over                           ? &c->kid[i]->kid[1]
                   : c->kid[i]->kind == N_Keyword ? &c->kid[i]->kid[0]
                                                  : &c->kid[i];
        *k = given_now(o, to, *k);
    }
    return c;
}

/* p = a for each parameter; false: they don't fit. */
static bool
bind_arguments(Out *o, Nodes *to, const Node *call)
{
    int n_pos = 0, used = 0, at = 0;
    for (int i = 1; i < call->n; i++) {
        if (call->kid[i]->kind == N_Starred ||
            (call->kid[i]->kind == N_Keyword && !call->kid[i]->name))
            return false;
        n_pos += call->kid[i]->kind != N_Keyword;
    }
    for (int i = 0; i < o->gen->n_params; i++) {
        const Param *p = &o->gen->params[i];
        bool by_place = (p->kind == P_POS || p->kind == P_POSONLY) && at < n_pos;
        Node *v = by_place ? call->kid[1 + at] : NULL;
        if (p->kind == P_VARARGS) {
            v = rest_of(o, call, at, n_pos);
            at = n_pos;
        } else if (!v && p->kind != P_POSONLY) {
            v = keyword_of(call, p->name, &used);
        }
        at += by_place;
        if (!v && p->def) {
            v = ast_gen_node(o->x, N_Const, call->at, 0, NULL);
            v->val = p->def;
        }
        if (!v)
            return false;
        if (o->n_late < SW_LEN(o->late) && ast_gen_is_late(o->x, o->gen, p->name, v))
            o->late[o->n_late++] = (Late){p->name, o->gen->is_lib ? v : given_now(o, to, v)};
        else
            put_in_order(o, to, ast_gen_set(o->x, v->at, name_of(o, p->name), v), call);
    }
    return at == n_pos && n_pos + used == call->n - 1;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static bool
is_active(const Active *a, const FuncDef *gen)
{
    int n = 0;
    for (; a; a = a->up, n++)
        if (a->gen == gen && !gen->is_lib) /* those go through what they are given */
            return true;
    return n > MOST_ACTIVE;
}

static const Source *
source_of(Out *o)
{
    Source *s = arena_dup(&o->x->cx->arena, o->gen->src, sizeof *s);
    s->func = o->gen->qualname;
    s->call = arena_dup(&o->x->cx->arena, &o->loop->kid[1]->at, sizeof(Span));
    return s;
}

/* The flags that turned out to be needed, and then all of it. */
static Node *
put_together(Out *o, Nodes *head, Nodes *body)
{
    Arena *a = &o->x->cx->arena;
    Node *els = o->loop->n > 3 ? o->loop->kid[3] : NULL;

    struct {
        bool wanted;
        const char *name;
    } flag[] = {{o->left, "left"}, {o->inside, "inside"}, {o->stopped, "stopped"}};

    for (int i = 0; i < SW_LEN(flag); i++)
        if (flag[i].wanted)
            VEC_PUSH(a, *head,
                     ast_gen_set(o->x, o->at, name_of(o, flag[i].name),
                                 ast_gen_bool(o->x, o->at, false)));
    Node *all = ast_gen_block(o->x, o->at, body);
    if (o->region) {
        all = ast_gen_node(o->x, N_Block, o->at, 2,
                           (Node *[]){all, ast_gen_node(o->x, N_Break, o->at, 0, NULL)});
        all = ast_gen_node(o->x, N_While, o->at, 3,
                           (Node *[]){ast_gen_bool(o->x, o->at, true), all, NULL});
    }
    VEC_PUSH(a, *head, all);
    if (els && o->stopped) {
        Node *test =
            ast_gen_node(o->x, N_UnaryOp, o->at, 1,
                         (Node *[]){ast_gen_name(o->x, o->at, name_of(o, "stopped"), CTX_LOAD)});
        test->op = U_NOT;
        els = ast_gen_node(o->x, N_If, o->at, 3, (Node *[]){test, els, NULL});
    }
    if (els)
        VEC_PUSH(a, *head, els);
    return ast_gen_block(o->x, o->at, head);
}

Node *
ast_gen_for(Expand *x, Node *loop, const FuncDef *gen, const Active *active)
{
    const Node *call = loop->kid[1];
    Out o = {.x = x, .gen = gen, .id = x->serial++, .loop = loop, .at = loop->at};
    if (is_active(active, gen) && gen->object && loop->op != WITH_GENERATOR) {
        loop->kid[1]->kid[0] = ast_gen_node(x, N_Const, call->at, 0, NULL);
        loop->kid[1]->kid[0]->val = arena_dup(
            &x->cx->arena, &(Const){.kind = CV_FUNC, .ref = gen->object, .str = gen->name},
            sizeof(Const));
        return loop;
    }
    if (is_active(active, gen))
        return ast_gen_refuse(x, call->at, "a generator that goes through itself");
    if (gen->parent && !ast_gen_is_within(x->fn, gen->parent))
        return ast_gen_refuse(x, call->at, "going through a generator of another function's");
    o.src = source_of(&o);
    o.manages = loop->op == WITH_GENERATOR;
    if (!o.manages)
        find_jumps(&o, loop->kid[2], false);
    o.body_size = ast_size(loop->kid[2]);
    Nodes head = {0}, body = {0};
    if (!bind_arguments(&o, &head, call))
        return ast_gen_refuse(x, call->at,
                              arena_printf(&x->cx->arena,
                                           "calling the generator '%s' with these arguments",
                                           gen->name));
    copy_into(&o, &body, gen->body, true);
    if (o.why)
        return ast_gen_refuse(x, placed(&o, o.where), o.why);
    Node *all = put_together(&o, &head, &body);
    ast_gen_visit(x, &all, &(Active){gen, active});
    return all;
}

void
ast_gen_visit(Expand *x, Node **slot, const Active *active)
{
    Node *n = *slot;
    if (!n)
        return;
    if (n->fn && !n->fn->is_generator) {
        FuncDef *save = x->fn;
        x->fn = n->fn;
        ast_gen_visit(x, &n->fn->body, active);
        x->fn = save;
    }
    for (int i = 0; n->kind == N_Block && i < n->n; i++)
        ast_gen_take_variable(x, n, i);
    if (n->kind == N_Call && ast_gen_consume_first(x, slot, active))
        return;
    if (n->kind == N_Assign)
        ast_gen_consume_unpacked(x, n, active);
    if (n->kind == N_With && n->op == WITH_GENERATOR) {
        ast_gen_with(x, slot, active);
        return;
    }
    for (int i = 0; i < n->n; i++)
        if (n->kind != N_For || i != 1)
            ast_gen_visit(x, &n->kid[i], active);
    if (n->kind != N_For) {
        ast_gen_consume(x, slot, active);
        ast_gen_settle(x, *slot, active);
        return;
    }
    Nodes head = {0};
    ast_gen_unwrap(x, n, &head);
    const FuncDef *gen = ast_gen_called(x->fn, n->kid[1]);
    if (!gen) {
        ast_gen_visit(x, &n->kid[1], active);
        return;
    }
    for (int i = 1; i < n->kid[1]->n; i++)
        ast_gen_visit(x, &n->kid[1]->kid[i], active);
    VEC_PUSH(&x->cx->arena, head, ast_gen_for(x, n, gen, active));
    *slot = ast_gen_block(x, n->at, &head);
}

void
ast_expand_generators(Cx *cx, Program *p)
{
    Expand x = {.cx = cx};
    for (int i = 0; i < p->funcs.n; i++) {
        FuncDef *f = p->funcs.at[i];
        if (f->is_generator || !f->body || f->is_lib)
            continue;
        x.fn = f;
        x.serial = f->n_nodes; /* differs from those that it has had */
        ast_gen_visit(&x, &f->body, NULL);
    }
}
