/* SPDX-License-Identifier: BSD-3-Clause
 * Attributes and methods of values of one type or another (either.c): a function that asks for
 * them, of any value (ast/ask.c), is compiled for each of the types. What a type has not is
 * Python's AttributeError, when it runs, if it is certain that Python's has it not either. */
#include "ast/generator.h"
#include "sema/calls.h"

enum { MOST_ARGS = 4 };

/* Function `by` of the library, of these arguments and of function f of what the first, or the
 * second, is. */
Sem
either_apply(Sema *s, const Node *e, const char *by, const FuncDef *of, int n,
             const Node *const *arg)
{
    const FuncDef *fd = heap_lib_named(s, by);
    if (!fd || !of)
        return sema_unknown(s);
    const Type *types[MOST_ARGS + 1];
    const Const *csts[MOST_ARGS + 1] = {NULL};
    Call *c = NEW(s->a, Call);
    *c = (Call){.kind = CALL_INST, .n_args = n + 1};
    c->arg = NEW_N(s->a, const Node *, n + 1);
    c->dflt = NEW_N(s->a, const Const *, n + 1);
    for (int i = 0; i < n; i++) {
        Sem v = heap_value(s, arg[i], sema_known(s, arg[i]));
        if (sem_bad(v))
            return v;
        c->arg[i] = arg[i];
        types[i] = type_resolve(s->tt, v.type);
        csts[i] = v.cst;
    }
    Const *k = NEW(s->a, Const);
    *k = (Const){.kind = CV_FUNC, .ref = of, .str = of->name};
    c->dflt[n] = csts[n] = k;
    types[n] = const_type(s->tt, k);
    info_of(s, e)->call = c;
    return sem_of(sema_call_inst(s, e, fd, n + 1, types, csts, &c->inst));
}

/* The function that asks for it; one for all such expressions of a program. */
static const FuncDef *
asking(Sema *s, const Node *e, const char *attribute)
{
    Program *p = (Program *)(uintptr_t)s->prog;
    StrBuf b = {0};
    bool calls = e->kind == N_Call;
    sb_addf(&b, "_on_%s %s", calls ? "call" : "attribute", attribute);
    for (int i = 1; calls && i < e->n; i++)
        sb_addf(&b, " %s", e->kid[i]->kind == N_Keyword ? e->kid[i]->name : "-");
    const char *name = sb_keep(&b, s->a);
    for (int i = 0; i < p->funcs.n; i++)
        if (p->funcs.at[i]->is_lib && !strcmp(p->funcs.at[i]->qualname, name))
            return p->funcs.at[i];
    const FuncDef *in = heap_lib_named(s, "_either_one");
    if (!in)
        return NULL;
    FuncDef *f = ast_gen_ask(s->cx, in, e, name);
    VEC_PUSH(s->a, p->funcs, f);
    return f;
}

/* x.name, where x is of one type or another. False: it is not, or it is the library that asks,
 * which is not written for such values. */
bool
either_attribute(Sema *s, const Node *e, Sem v, Sem *out)
{
    if (!s->either || s->fr->in->def->is_lib || sem_bad(v) || v.type->kind != TY_EITHER)
        return false;
    *out = either_apply(s, e, "_either_one", asking(s, e, e->name), 1, (const Node *const *)e->kid);
    return true;
}

/* x.name(...) */
bool
either_method_call(Sema *s, const Node *e, Sem self, Sem *out)
{
    static const char *const by[MOST_ARGS] = {"_either_one", "_either_left", "_either_with_two",
                                              "_either_with_three"};
    const Node *arg[MOST_ARGS];
    bool fits = s->either && !s->fr->in->def->is_lib && self.type->kind == TY_EITHER &&
                e->n <= MOST_ARGS;
    for (int i = 1; i < e->n && fits; i++) {
        const Node *k = e->kid[i];
        fits = k->kind != N_Starred && (k->kind != N_Keyword || k->name);
        arg[i] = k->kind == N_Keyword ? k->kid[0] : k;
    }
    if (!fits)
        return false;
    arg[0] = e->kid[0]->kid[0];
    for (int i = 1; i < e->n; i++)
        sema_expr(s, arg[i]);
    *out = either_apply(s, e, by[e->n - 1], asking(s, e, e->kid[0]->name), e->n, arg);
    return true;
}

/* ---- what Python's types have not ------------------------------------------------------------ */

static const char of_int[] =
    " as_integer_ratio bit_count bit_length conjugate denominator from_bytes imag is_integer "
    "numerator real to_bytes ";
static const char of_float[] = " as_integer_ratio conjugate fromhex from_number hex imag "
                               "is_integer real ";
static const char of_complex[] = " conjugate from_number imag real ";
static const char of_text[] =
    " capitalize casefold center count encode decode endswith expandtabs find format format_map "
    "fromhex hex index isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric "
    "isprintable isspace istitle isupper join ljust lower lstrip maketrans partition removeprefix "
    "removesuffix replace rfind rindex rjust rpartition rsplit rstrip split splitlines startswith "
    "strip swapcase title translate upper zfill ";
static const char of_list[] = " append clear copy count extend index insert pop remove reverse "
                              "sort ";
static const char of_tuple[] = " count index ";
static const char of_dict[] = " clear copy fromkeys get items keys pop popitem setdefault update "
                              "values move_to_end most_common elements subtract total "
                              "default_factory ";
static const char of_set[] =
    " add clear copy difference difference_update discard intersection intersection_update "
    "isdisjoint issubset issuperset pop remove symmetric_difference symmetric_difference_update "
    "union update ";

/* All that a value of this type may have, or more; NULL: not known. */
static const char *
attributes(const Type *t)
{
    if (t->kind == TY_SCALAR && t->weak && !t->names)
        return t->dtype == DT_f64 ? of_float : t->dtype == DT_c128 ? of_complex : of_int;
    if (type_is_str(t) || type_is_bytes(t))
        return of_text;
    if (type_is_heap(t, &heap_list) || t->kind == TY_LIST || t->listed)
        return of_list;
    if ((t->kind == TY_TUPLE && !t->names) || type_is_heap(t, &heap_tuple))
        return of_tuple;
    if (type_is_heap(t, &heap_set) || type_is_heap(t, &heap_frozenset))
        return of_set;
    return type_heap_has(t, HEAP_MAPS) ? of_dict : NULL;
}

static bool
surely_lacks(Sema *s, const Type *t, const char *name)
{
    const ObjClass *c = t->kind == TY_OBJ ? type_class(t) : NULL;
    if (!strncmp(name, "__", 2) || (c && c->dict))
        return false;
    if (c)
        return object_field(c, name) < 0 && !class_method(s, c->cls, name);
    const char *all = attributes(t);
    return all && !strstr(all, arena_printf(s->a, " %s ", name));
}

/* An attribute that v has not, in a function that is compiled for each type: expression e raises.
 */
bool
either_no_attribute(Sema *s, const Node *e, Sem v, const char *name, Sem *out)
{
    const FuncDef *in = s->fr->in->def;
    if (!s->either || !in->is_lib || strncmp(in->name, "_on_", 4) != 0 || sem_bad(v) ||
        !surely_lacks(s, v.type, name))
        return false;
    *out = either_raises(
        s, e, "_either_lacks",
        arena_printf(s->a, "'%s' object has no attribute '%s'", class_name(s, v.type), name));
    return true;
}
