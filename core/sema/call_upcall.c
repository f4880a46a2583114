/* SPDX-License-Identifier: BSD-3-Clause
 * objmode(key, names, types, *args): a block of Python, which py/objmode_in.c has made a function
 * of. What it is given must be something that Python can be shown; what it yields has the types
 * that the program declares. */
#include "sema/calls.h"

const char sema_objmode_hint[] =
    "it can run in Python: `with swathe.objmode(y=\"float64\"):` and what needs it in the block";

/* What goes through as a Python object, and comes back. */
static const char *
refused(const Type *t, const Const *c)
{
    const char *why = NULL;
    switch (t->kind) {
    case TY_UNKNOWN:
    case TY_NONE:
    case TY_ARRAY:
    case TY_TEXT:
        return NULL;
    case TY_SCALAR:
        return t->mixed ? "an int on one path and a bool on another" : NULL;
    case TY_STR:
        return c && c->kind == CV_STR ? NULL : "a string";
    case TY_TUPLE:
    case TY_RECORD:
    case TY_OPTIONAL:
    case TY_REF:
        for (int i = 0; i < t->n && !why; i++)
            why = refused(t->elems[i], NULL);
        return why;
    case TY_EITHER:
        return "of one type or another";
    case TY_KEYED:
        return "a dict of unlike values";
    case TY_FUNC:
    case TY_CHOICE:
        return "a function of compiled code";
    case TY_EXC:
        return "an exception that was caught";
    case TY_RANGE:
    case TY_ITER:
    case TY_SLICE:
        return t->kind == TY_RANGE ? "a range" : t->kind == TY_ITER ? "an iterator" : "a slice";
    case TY_OBJ:
        return "an instance of a class";
    case TY_BUILTIN:
    case TY_CLASS:
    case TY_MODULE:
    case TY_DTYPE:
    case TY_ELLIPSIS:
    case TY_LIST:
        break;
    }
    return t->text;
}

static const Const *
parts(CallCx *x, int k)
{
    const Const *c = sema_arg(x->s, x->c, k).cst;
    return c && c->kind == CV_TUPLE ? c : NULL;
}

/* What it may yield: the same, but records. */
static bool
can_yield(const Type *t)
{
    for (int i = 0; type_has_parts(t) && t->kind != TY_TEXT && i < t->n; i++)
        if (!can_yield(t->elems[i]))
            return false;
    return t->kind != TY_RECORD;
}

static const Type *parse(CallCx *x, const char *text, size_t n, const char **why);

/* The types between commas: how many, -1 for none that is a type. */
static int
parse_parts(CallCx *x, const char *text, size_t n, const Type *e[], int most, const char **why)
{
    int depth = 0, k = 0;
    size_t from = 0;
    for (size_t i = 0; i <= n; i++) {
        bool end = i == n;
        depth += end ? 0 : (strchr("[(", text[i]) != NULL) - (strchr("])", text[i]) != NULL);
        if (!end && !(text[i] == ',' && depth == 0))
            continue;
        if (end && k && from + strspn(text + from, " ") >= n) /* as in `(float64,)` */
            break;
        if (k == most || !(e[k] = parse(x, text + from, i - from, why)))
            return -1;
        k++;
        from = i + 1;
    }
    return k;
}

/* "list[float]", "DictType(unicode_type, int64)": what stands between the brackets. */
static const Type *
parse_container(CallCx *x, const HeapClass *c, const char *text, size_t n, const char **why)
{
    const Type *e[2] = {NULL, NULL};
    if (parse_parts(x, text, n, e, c->n_elems, why) != c->n_elems)
        return NULL;
    for (int i = 0; i < c->n_elems; i++)
        if (!(e[i] = type_element(x->s->tt, e[i])))
            return NULL;
    return type_heap(x->s->tt, c, e);
}

static const Type *
parse_tuple(CallCx *x, const char *text, size_t n, const char **why)
{
    const Type *e[64];
    int k = parse_parts(x, text, n, e, SW_LEN(e), why);
    return k < 0 ? NULL : type_tuple(x->s->tt, k, e);
}

static const Type *
parse(CallCx *x, const char *text, size_t n, const char **why)
{
    static const struct {
        const char *begin, *end;
        const HeapClass *class_; /* NULL: a tuple */
    } made[] = {{"list[", "]", &heap_list},     {"List(", ")", &heap_list},
                {"ListType(", ")", &heap_list}, {"dict[", "]", &heap_dict},
                {"DictType(", ")", &heap_dict}, {"Tuple((", "))", NULL}};

    for (; n && *text == ' '; n--)
        text++;
    for (; n && text[n - 1] == ' '; n--)
        ;
    *why = "there is no such type of elements";
    for (int i = 0; i < SW_LEN(made); i++) {
        size_t b = strlen(made[i].begin), e = strlen(made[i].end);
        if (n <= b + e || strncmp(text, made[i].begin, b) != 0 ||
            strncmp(text + n - e, made[i].end, e) != 0)
            continue;
        return made[i].class_ ? parse_container(x, made[i].class_, text + b, n - b - e, why)
                              : parse_tuple(x, text + b, n - b - e, why);
    }
    const char *one = arena_printf(x->s->a, "%.*s", (int)n, text);
    if (!strcmp(one, "str") || !strcmp(one, "unicode_type"))
        return type_text(x->s->tt);
    return !strcmp(one, "bytes") ? type_bytes(x->s->tt) : type_parse(x->s->tt, one, why);
}

static const Type *
declared(CallCx *x, const char *name, const char *text)
{
    const char *why = NULL;
    const Type *t = parse(x, text, strlen(text), &why);
    if (t && can_yield(t))
        return t;
    Diag *d = sema_error(x->s, DIAG_argument, x->at, "'%s' of objmode can't be of type '%s': %s",
                         name, text, t ? "a block can't yield it" : why);
    diag_hint(x->s->diags, d,
              "\"float64[:]\", \"int64\", \"Tuple((float64, int64))\", "
              "\"optional(float64)\", \"list[float]\", \"str\" are types");
    return NULL;
}

static bool
takes(CallCx *x)
{
    bool ok = true;
    for (int i = 3; i < x->c->n_args; i++) {
        Sem v = sema_arg(x->s, x->c, i);
        const char *why = v.type ? refused(v.type, v.cst) : NULL;
        if (!why)
            continue;
        const Node *n = sema_arg_node(x->c, i);
        Diag *d = sema_error(x->s, DIAG_argument, n ? n : x->at,
                             "'%s', which the block in objmode mentions, is %s, which can't be "
                             "passed to Python",
                             n && n->name ? ast_shown(x->s->a, n->name) : "?", why);
        diag_hint(x->s->diags, d,
                  "numbers, arrays, tuples, lists, dicts, None and strings that "
                  "are known can be; make it inside of the block");
        ok = false;
    }
    return ok;
}

const Type *
type_py_objmode(CallCx *x)
{
    const Const *key = sema_arg(x->s, x->c, 0).cst, *names = parts(x, 1), *types = parts(x, 2);
    if (!key || key->kind != CV_STR || !names || !types || names->n != types->n) {
        Diag *d = sema_error(x->s, DIAG_argument, x->at, "objmode() stands in a with statement");
        diag_hint(x->s->diags, d, "with objmode(y=\"float64\"): y = ...");
        return NULL;
    }
    x->s->unit->upcalls = true;
    if (!takes(x))
        return NULL;
    const Type **e = NEW_N(x->s->a, const Type *, types->n + 1);
    for (int i = 0; i < types->n; i++)
        if (!(e[i] = declared(x, names->elems[i]->str, types->elems[i]->str)))
            return NULL;
    return types->n ? type_tuple(x->s->tt, types->n, e) : type_none(x->s->tt);
}

/* ---- what calls come to ---------------------------------------------------------------------- */

static bool runs(const Call *c, Map *seen, Arena *a);

static bool
node_runs(const Inst *in, const Node *n, Map *seen, Arena *a)
{
    if (!n || !in->info)
        return false;
    const Info *i = &in->info[n->id];
    if (runs(i->call, seen, a) || runs(i->before, seen, a) || runs(i->truth, seen, a))
        return true;
    for (int k = 0; k < n->n; k++)
        if (node_runs(in, n->kid[k], seen, a))
            return true;
    return false;
}

static bool
runs(const Call *c, Map *seen, Arena *a)
{
    if (c && c->kind == CALL_BUILTIN)
        return c->fn->family == BF_PY && c->fn->flags & UPCALLS;
    if (!c || c->kind != CALL_INST || !c->inst || map_get(seen, c->inst))
        return false;
    map_put(a, seen, c->inst, c->inst);
    return node_runs(c->inst, c->inst->def->body, seen, a);
}

bool
sema_runs_python(const SemaUnit *u, const Call *c)
{
    Map seen = {0};
    return u->upcalls && runs(c, &seen, &u->cx->arena);
}
