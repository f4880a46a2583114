/* SPDX-License-Identifier: BSD-3-Clause
 * Dicts whose keys are known: strings that are written where the dict is made, with values of
 * unlike types, as options and results have them. Such a dict is its values (TY_KEYED), as a tuple
 * is; a store to a key makes another one, which is right where only one name has it. */
#include "ast/search.h"
#include "sema/internal.h"

/* NULL: it is none that is known. */
const char *
keyed_key(Sema *s, const Node *e)
{
    const Const *c = sema_known(s, e).cst;
    bool text = c && c->kind == CV_STR && !memchr(c->str, 0, c->str_len);
    return text ? c->str : NULL;
}

/* ---- displays -------------------------------------------------------------------------------- */

static bool
splats(const Node *n, const void *name)
{
    return n->kind == N_Keyword && !n->name && n->kid[0]->kind == N_Name && n->kid[0]->name == name;
}

/* Is the dict unpacked into arguments in this function, as it stands or by its name? */
static bool
is_splat(const Node *body, const Node *n, const Node *e)
{
    if (!n)
        return false;
    if (n->kind == N_Keyword && !n->name && n->kid[0] == e)
        return true;
    if (n->kind == N_Assign && n->n == 2 && n->kid[0] == e && n->kid[1]->kind == N_Name)
        return ast_find(body, splats, n->kid[1]->name) != NULL;
    bool found = false;
    for (int i = 0; i < n->n && !found; i++)
        found = is_splat(body, n->kid[i], e);
    return found;
}

static bool
has_known_keys(Sema *s, const Node *e)
{
    bool known = true;
    for (int i = 0; known && i < e->n; i++) {
        const Node *p = e->kid[i];
        const Sem v = sema_known(s, p->kid[0]);
        known = p->kind == N_Starred ? v.type->kind == TY_KEYED || keyed_class(v.type)
                                     : keyed_key(s, p->kid[0]) != NULL;
    }
    return known;
}

/* Has it values that no dict of one type holds, or is another one of its kind in it? */
static bool
is_unlike(Sema *s, const Node *e)
{
    const Type *all = NULL;
    for (int i = 0; i < e->n; i++) {
        const Node *p = e->kid[i];
        if (p->kind == N_Starred)
            return true;
        const Type *is = type_resolve(s->tt, sema_known(s, p->kid[1]).type), *was = all;
        const Type *v = type_element(s->tt, is);
        all = !v ? NULL : was ? type_join_elements(s->tt, was, v) : v;
        /* functions are known by their keys, unless it changes */
        bool made = all && !s->lists &&
                    (choice_is_made(s, is, is, v) || (was && choice_is_made(s, was, v, all)));
        if (!all || made)
            return true;
    }
    return false;
}

/* {"loss": [], "epoch": []} */
static void
note_empty_lists(Sema *s, const Node *e)
{
    int n = 0;
    for (int i = 0; i < e->n; i++)
        n += e->kid[i]->kind != N_Starred && e->kid[i]->kid[1]->kind == N_List &&
             !e->kid[i]->kid[1]->n;
    s->empty_lists |= n > 1;
}

bool
keyed_is_display(Sema *s, const Node *e)
{
    if (e->op || !has_known_keys(s, e))
        return false;
    note_empty_lists(s, e);
    const Node *body = s->fr->in->def->body;
    bool splat = is_splat(body, body, e);
    bool keyed = splat || (!s->dicts && (s->all_keyed || is_unlike(s, e)));
    s->want_dicts |= keyed && !splat;
    return keyed;
}

typedef struct Keyed {
    Vec(Sym) key;
    Vec(const Type *) type;
    Vec(const Const *) cst;
    bool unknown; /* one of them is no constant */
} Keyed;

static void
set(Sema *s, Keyed *k, const char *key, Sem v)
{
    int at = 0;
    while (at < k->key.n && strcmp(k->key.at[at], key))
        at++;
    if (at == k->key.n) {
        VEC_PUSH(s->a, k->key, intern(&s->cx->syms, key));
        VEC_PUSH(s->a, k->type, v.type);
        VEC_PUSH(s->a, k->cst, v.cst);
    }
    k->type.at[at] = v.type;
    k->cst.at[at] = v.cst;
}

static void
add(Sema *s, Keyed *k, Sem of)
{
    of = keyed_as_values(s, of);
    for (int i = 0; i < of.type->n; i++)
        set(s, k, of.type->names[i], tuple_elem(s, of, i));
}

static Sem
made_of(Sema *s, const Keyed *k)
{
    bool all = true;
    for (int i = 0; i < k->cst.n; i++)
        all &= k->cst.at[i] != NULL;
    return keyed_made(s, k->key.n, k->key.at, k->type.at, all ? k->cst.at : NULL);
}

Sem
keyed_made(Sema *s, int n, const Sym *keys, const Type *const *types, const Const *const *csts)
{
    Sem v = sem_of(type_keyed(s->tt, n, types, keys));
    if (!csts)
        return v;
    Const *c = (Const *)const_tuple(s, n, csts);
    c->kind = CV_KEYED;
    c->names = keys;
    v.cst = c;
    return v;
}

Sem
keyed_display(Sema *s, const Node *e)
{
    Keyed k = {0};
    for (int i = 0; i < e->n; i++) {
        const Node *p = e->kid[i];
        Sem v = sema_known(s, p->kind == N_Starred ? p->kid[0] : p->kid[1]);
        if (p->kind == N_Starred)
            add(s, &k, v);
        else
            set(s, &k, keyed_key(s, p->kid[0]), v);
    }
    return keyed_object(s, e, made_of(s, &k));
}

static bool
holds_keyed(const Type *t)
{
    bool found = t->kind == TY_KEYED || keyed_class(t);
    for (int i = 0;
         !found && (type_has_parts(t) || t->kind == TY_FUNC || t->kind == TY_REF) && i < t->n; i++)
        found = holds_keyed(t->elems[i]);
    return found;
}

/* ---- what is asked of one -------------------------------------------------------------------- */

Sem
keyed_subscript(Sema *s, const Node *e, Sem v)
{
    const char *key = keyed_key(s, e->kid[1]);
    const Sem idx = sema_known(s, e->kid[1]);
    int at = key ? type_field(v.type, key) : -1;
    if (at >= 0)
        return tuple_elem(s, v, at);
    if (key && ends_raising(s, e, "KeyError", key))
        return sema_unknown(s);
    if (key) {
        Diag *d = sema_error(s, DIAG_key, e, "'%s' is no key of this dict", key);
        sema_hint_nearest(s, d, key, v.type->names, v.type->n);
        return sema_unknown(s);
    }
    site_beside(s, idx.type, type_text(s->tt));
    if (!type_is_str(idx.type)) {
        sema_type_error(s, e, "the keys of this dict are strings, and this is %s", idx.type->text);
        return sema_unknown(s);
    }
    return heap_call(s, e, "_keyed_getitem", 2, (const Node *[]){e->kid[0], e->kid[1]});
}

const FuncDef *
keyed_method(Sema *s, const Node *f, Sem self)
{
    static const char *const has[] = {"get", "keys", "values", "items", "copy", "setdefault"};
    static const char *const change[] = {"pop", "update", "clear", "popitem"};
    if (!strcmp(f->name, "setdefault")) /* may set a new one */
        list_want_functions(s, self.type);
    for (int i = 0; i < SW_LEN(has); i++)
        if (!strcmp(f->name, has[i]))
            return heap_lib_named(s, arena_printf(s->a, "_keyed_%s", f->name));
    for (int i = 0; i < SW_LEN(change); i++)
        if (!strcmp(f->name, change[i])) {
            Diag *d = sema_error(s, DIAG_attribute, f, "%s has no method '%s' in compiled code",
                                 self.type->text, f->name);
            list_want_functions(s, self.type);
            diag_hint(s->diags, d,
                      "a dict of unlike values keeps its keys: d[key] = value sets one");
            return NULL;
        }
    sema_no_attribute(s, f, self.type);
    return NULL;
}

/* What str(), repr() and messages ask of one; NULL: anything else. */
const Method *
keyed_text_method(const Sema *sema, const char *name)
{
    Sema *s = (Sema *)(uintptr_t)sema;
    const FuncDef *fd = strcmp(name, "__repr__") ? NULL : heap_lib_named(s, "_keyed_repr");
    if (!fd)
        return NULL;
    Method *m = NEW(s->a, Method);
    *m = (Method){.name = name, .def = (FuncDef *)(uintptr_t)fd};
    return m;
}

/* ---- nodes for parts ------------------------------------------------------------------------- */

/* Evaluating it again yields the same, and does nothing. */
static bool
is_path(const Node *e)
{
    return e->kind == N_Name || (e->kind == N_Attribute && is_path(e->kid[0])) ||
           (e->kind == N_Subscript && e->kid[1]->kind == N_Const && is_path(e->kid[0]));
}

static bool
is_part(const Node *n, Sym key, NodeKind kind)
{
    return n->kind == kind && !strcmp(kind == N_Attribute ? n->name : n->kid[1]->val->str, key);
}

/* e["key"] or e.key, as a node of its own: made once, for all types of e. */
static const Node *
find_part(Sema *s, const Node *e, Sym key, NodeKind kind)
{
    FuncDef *fn = (FuncDef *)(uintptr_t)s->fr->in->def;
    const Node *made = map_get(&s->items, e);
    for (; made; made = map_get(&s->items, made))
        if (is_part(made, key, kind))
            return made;
    Node *n = ast_new(s->a, fn, kind, e->at, kind == N_Attribute ? 1 : 2);
    n->kid[0] = (Node *)(uintptr_t)e;
    n->name = kind == N_Attribute ? key : NULL;
    if (kind == N_Subscript) {
        n->kid[1] = ast_new(s->a, fn, N_Const, e->at, 0);
        n->kid[1]->val = const_str(s, key);
    }
    map_put(s->a, &s->items, n, (void *)(uintptr_t)map_get(&s->items, e));
    map_put(s->a, &s->items, e, n);
    s->again = true; /* there are facts of the nodes that there were */
    return NULL;
}

/* NULL: all is typed again, or after a message. */
static const Node *
part_node(Sema *s, const Node *e, Sym key, NodeKind kind)
{
    if (!is_path(e)) {
        Diag *d = sema_error(s, DIAG_unsupported, e, "taking this apart");
        diag_hint(s->diags, d, "give it a name first: x = ...");
        return NULL;
    }
    const Node *n = find_part(s, e, key, kind);
    if (n)
        sema_expr(s, n);
    else
        sema_error(s, DIAG_internal, e, "a part that was to be typed again");
    return n;
}

/* ---- named tuples ---------------------------------------------------------------------------- */

Sem
tuple_fields(Sema *s, int n, const Sym *names)
{
    const Const **k = NEW_N(s->a, const Const *, n + 1);
    for (int i = 0; i < n; i++)
        k[i] = const_str(s, names[i]);
    return sem_const(s, const_tuple(s, n, k));
}

/* t._replace(x=...): its class, of the fields that are given and of t's. false: it is no such. */
bool
tuple_replace(Sema *s, const Node *e, Sem self, Sem *out)
{
    const Node *f = e->kid[0];
    const Type *t = self.type;
    if (t->kind != TY_TUPLE || !t->names || strcmp(f->name, "_replace") ||
        class_method(s, t->ref, f->name))
        return false;
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_TUPLE_CLASS, .n_args = t->n};
    c->arg = NEW_N(s->a, const Node *, t->n + 1);
    c->dflt = NEW_N(s->a, const Const *, t->n + 1);
    const Type **types = NEW_N(s->a, const Type *, t->n + 1);
    memcpy(types, t->elems, sizeof *types * (size_t)t->n);
    *out = sema_unknown(s);
    for (int i = 1; i < e->n; i++) {
        const Node *k = e->kid[i];
        int at = k->kind == N_Keyword && k->name ? type_field(t, k->name) : -1;
        if (at < 0) {
            sema_type_error(s, k, "_replace() takes fields by their names");
            call_give_up(s, e);
            return true;
        }
        Sem v = heap_value(s, k->kid[0], sema_expr(s, k->kid[0]));
        if (sem_bad(v))
            return true;
        types[at] = v.type;
        c->arg[at] = k->kid[0];
    }
    for (int i = 0; i < t->n; i++)
        if (!c->arg[i] && !(c->arg[i] = part_node(s, f->kid[0], t->names[i], N_Attribute)))
            return true;
    info_of(s, e)->call = c;
    *out = sem_of(type_with_elems(s->tt, t, 0, types, t->names));
    return true;
}

/* What swathe/lib asks: its keys and its values, as tuples; of a named tuple both. */
bool
keyed_attribute(Sema *s, const Node *e, Sem v, Sem *out)
{
    if (v.type->kind == TY_TUPLE && v.type->names && s->fr->in->def->is_lib &&
        !strcmp(e->name, "ITEMS")) {
        const Const **k = NEW_N(s->a, const Const *, v.type->n + 1);
        for (int i = 0; v.cst && i < v.type->n; i++)
            k[i] = tuple_elem(s, v, i).cst;
        *out = keyed_made(s, v.type->n, v.type->names, v.type->elems, v.cst ? k : NULL);
        return true;
    }
    if ((v.type->kind != TY_KEYED && !keyed_class(v.type)) || !s->fr->in->def->is_lib)
        return false;
    v = keyed_as_values(s, v);
    int n = v.type->n;
    const Const **k = NEW_N(s->a, const Const *, n + 1);
    const Type **t = NEW_N(s->a, const Type *, n + 1);
    bool keys = !strcmp(e->name, "KEYS");
    for (int i = 0; i < n; i++) {
        k[i] = keys ? const_str(s, v.type->names[i]) : tuple_elem(s, v, i).cst;
        t[i] = keys ? const_type(s->tt, k[i]) : v.type->elems[i];
    }
    *out = sem_of(type_tuple(s->tt, n, t));
    if (keys || v.cst)
        out->cst = const_tuple(s, n, k);
    return true;
}

/* x == y, x in y, where one of them is such a dict, or has one in it. */
bool
keyed_compare(Sema *s, const Node *e, Sem a, Sem b, Sem *out)
{
    int op = e->ops[0];
    bool in = op == C_IN || op == C_NOTIN, equal = op == C_EQ || op == C_NE;
    if ((op == C_IS || op == C_ISNOT) && keyed_class(a.type) && keyed_class(b.type))
        return false; /* objects */
    a = keyed_as_values(s, a);
    b = keyed_as_values(s, b);
    if (!holds_keyed(a.type) && !holds_keyed(b.type))
        return false;
    const Node *of[2] = {e->kid[in], e->kid[!in]};
    const char *key = in && b.type->kind == TY_KEYED ? keyed_key(s, e->kid[0]) : NULL;
    if (a.type->kind == TY_NONE || b.type->kind == TY_NONE)
        return false;
    if (key) {
        *out = sem_const(s, const_bool(s, (type_field(b.type, key) >= 0) != (op == C_NOTIN)));
        return true;
    }
    if (in && b.type->kind == TY_KEYED && type_is_str(a.type)) {
        *out = heap_call(s, e, op == C_IN ? "_keyed_contains" : "_keyed_lacks", 2, of);
        return true;
    }
    if (equal && a.type->kind == TY_KEYED && b.type->kind == TY_KEYED) {
        *out = heap_call(s, e, op == C_EQ ? "_keyed_eq" : "_keyed_ne", 2, of);
        return true;
    }
    sema_error(s, DIAG_unsupported, e, "'%s' of %s and %s is not supported", cmp_text[op],
               a.type->text, b.type->text);
    *out = sema_unknown(s);
    return true;
}

/* ---- stores ---------------------------------------------------------------------------------- */

static void
returns_displays(const Node *n, bool *all)
{
    *all &= !(n && n->kind == N_Return) || (n->n && n->kid[0] && n->kid[0]->kind == N_Dict);
    for (int i = 0; n && i < n->n && *all; i++)
        returns_displays(n->kid[i], all);
}

/* Has nobody else what this yields? */
static bool
is_fresh(Sema *s, const Node *e)
{
    const Node *f = e->kind == N_Call ? e->kid[0] : NULL;
    const Call *c = f && e->kind == N_Call ? info_of(s, e)->call : NULL;
    bool all = c && c->kind == CALL_INST && c->inst && !c->inst->def->is_lib;
    if (f && f->kind == N_Attribute && !strcmp(f->name, "copy") && e->n == 1)
        return true;
    if (all)
        returns_displays(c->inst->def->body, &all);
    return e->kind == N_Dict || all;
}

typedef struct Uses {
    Sema *s;
    Sym name;
    bool returns;      /* what is returned is so for good: nothing runs on the way out */
    const Node *wrong; /* a use by which something else may have the dict */
} Uses;

static void walk_uses(Uses *u, const Node *n);

/* Of kid k of n, which is the name: is no more asked than what is in the dict? */
static bool
is_read(Uses *u, const Node *n, int k)
{
    if (n->kind == N_Subscript || n->kind == N_Compare || n->kind == N_Starred)
        return k == 0 || n->kind == N_Compare;
    if (n->kind == N_Attribute || n->kind == N_FormattedValue)
        return true;
    if (n->kind == N_Keyword && !n->name)
        return true;
    if (n->kind == N_For || n->kind == N_Comprehension)
        return k == 1;
    if (n->kind == N_Assign)
        return k > 0 && is_fresh(u->s, n->kid[0]);
    if (n->kind == N_Call || n->kind == N_Keyword) {
        /* a call that yields no dict of this kind keeps none */
        return true;
    }
    return n->kind == N_If || n->kind == N_While || n->kind == N_UnaryOp;
}

static bool
names_it(const Node *n, Sym name)
{
    n = n && (n->kind == N_Keyword || n->kind == N_Starred) ? n->kid[0] : n;
    return n && n->kind == N_Name && n->name == name;
}

static bool
has_finally(const Node *n, const void *arg)
{
    (void)arg;
    return n->kind == N_Try && n->kid[2];
}

/* A display that is returned: its elements are. */
static void
walk_returned(Uses *u, const Node *n)
{
    for (int i = 0; i < n->n; i++)
        if (n->kid[i] && n->kid[i]->kind == N_Tuple)
            walk_returned(u, n->kid[i]);
        else if (n->kid[i] && (n->kid[i]->kind != N_Name || n->kid[i]->name != u->name))
            walk_uses(u, n->kid[i]);
}

static void
walk_uses(Uses *u, const Node *n)
{
    if (!n || u->wrong)
        return;
    if (n->kind == N_Return && u->returns) {
        walk_returned(u, n);
        return;
    }
    if (n->fn && ast_has_name(n->fn->free, n->fn->n_free, u->name))
        u->wrong = n;
    for (int k = 0; k < n->n && !u->wrong; k++) {
        const Node *x = n->kid[k];
        if (!x || x->kind != N_Name || x->name != u->name) {
            walk_uses(u, x);
            continue;
        }
        if (!is_read(u, n, k))
            u->wrong = n;
    }
    bool call = n->kind == N_Call && n->kid[0]->kind != N_Attribute;
    const Type *t = call ? sema_known(u->s, n).type : NULL;
    for (int k = 1; call && !u->wrong && k < n->n; k++)
        if (names_it(n->kid[k], u->name) && !is_fresh(u->s, n) && t && holds_keyed(t))
            u->wrong = n;
}

static bool
stores_to(const Node *n, const void *t)
{
    return (n->kind == N_AugAssign && n->kid[0] == t) ||
           (n->kind == N_Assign && n->n == 2 && n->kid[1] == t);
}

/* x[key] = v, of a name that alone has the dict: all such statements become displays before all is
 * typed again. */
void
keyed_store(Sema *s, const Node *t)
{
    const FuncDef *fn = s->fr->in->def;
    const Node *x = t->kid[0], *stmt = ast_find(fn->body, stores_to, t);
    Uses u = {.s = s, .name = x->kind == N_Name ? x->name : NULL};
    bool own = u.name && ast_has_name(fn->locals, fn->n_locals, u.name);
    for (int i = 0; i < fn->n_params; i++)
        own &= fn->params[i].name != u.name;
    u.returns = !ast_find(fn->body, has_finally, NULL);
    if (own)
        walk_uses(&u, fn->body);
    bool form = stmt && ast_is_keyed_store(stmt);
    Diag *d =
        sema_error(s, DIAG_unsupported, t, "a store to a dict of unlike values %s is not supported",
                   !own || u.wrong ? "that may have another name"
                   : form          ? "here"
                                   : "in this form");
    if (own && u.wrong)
        diag_note(s->diags, d, u.wrong->at, "something else may have it from here on");
    diag_hint(s->diags, d,
              own && !u.wrong ? "write name[\"key\"] = value, with a key that is written there"
                              : "make a new one: name = {**name, \"key\": value}");
    s->want_objects |= !s->objects && (!own || u.wrong || !form);
    if (!own || u.wrong || !form)
        list_want_functions(s, sema_known(s, x).type);
    if (own && !u.wrong && form && !s->unroll.loop)
        s->unroll = (Unroll){.fn = fn, .loop = stmt, .over = x, .of = UNROLL_STORE};
}

/* What is gone through: of such a dict its keys. */
bool
keyed_gone_through(Sema *s, const Node *e, Sem v)
{
    if (sem_bad(v) || (v.type->kind != TY_KEYED && !keyed_class(v.type)))
        return false;
    Diag *d =
        sema_error(s, DIAG_unsupported, e, "going through %s here is not supported", v.type->text);
    diag_hint(s->diags, d, "write d.keys()");
    if (!s->unroll.loop && !s->fr->in->def->is_lib)
        s->unroll = (Unroll){.fn = s->fr->in->def, .loop = e, .of = UNROLL_KEYS};
    return true;
}

/* ---- as arguments ---------------------------------------------------------------------------- */

/* What f(**e) gives for a key; NULL: all is typed again, or after a message. */
const Node *
keyed_part(Sema *s, const Node *e, Sym key)
{
    for (int i = e->n - 1; e->kind == N_Dict && i >= 0; i--) {
        const Node *p = e->kid[i];
        if (p->kind == N_Starred &&
            type_field(keyed_as_values(s, sema_known(s, p->kid[0])).type, key) >= 0)
            return keyed_part(s, p->kid[0], key);
        if (p->kind != N_Starred && !strcmp(keyed_key(s, p->kid[0]), key))
            return p->kid[1];
    }
    return part_node(s, e, key, N_Subscript);
}

/* What is unpacked into arguments is an object: from here on all dicts that can be are none. */
void
keyed_wanted(Sema *s, const Node *at, Sem v)
{
    Diag *d = sema_error(s, DIAG_unsupported, at,
                         "only a dict whose keys are known can be unpacked into arguments, not %s",
                         v.type->text);
    diag_hint(s->diags, d, "make it of keys that are written there: {\"key\": value}");
    bool text = type_is_heap(v.type, &heap_dict) && !type_is_open(v.type) &&
                v.type->elems[0]->kind == TY_TEXT;
    s->want_keyed |= text && !s->all_keyed;
}
