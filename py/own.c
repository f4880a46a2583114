/* SPDX-License-Identifier: BSD-3-Clause
 * What its decorator says of a function that compiled code calls: the options that it is compiled
 * under, and the signatures that calls choose among. Also the text of signatures, which spec.c
 * reads, too. */
#include "py.h"

/* ---- the text of signatures ------------------------------------------------------------------ */

const char *
own_params(const char *text, size_t *n)
{
    size_t end = strlen(text);
    while (end > 0 && text[end - 1] == ' ')
        end--;
    if (end == 0 || text[end - 1] != ')')
        return NULL;
    int depth = 0;
    for (size_t i = end; i-- > 0;) {
        depth += (text[i] == ')') - (text[i] == '(');
        if (depth == 0) {
            *n = end - 1 - (i + 1);
            return text + i + 1;
        }
    }
    return NULL;
}

/* One parameter's type out of "float64[:], Tuple((int64, int64))": up to a top-level
 * comma. */
static const char *
next_part(const char *p, char *out, size_t cap)
{
    size_t n = 0;
    int depth = 0;
    while (*p == ' ')
        p++;
    for (; *p && !(depth == 0 && *p == ','); p++) {
        depth += (*p == '(' || *p == '[') - (*p == ')' || *p == ']');
        if (n + 1 < cap)
            out[n++] = *p;
    }
    while (n > 0 && out[n - 1] == ' ')
        n--;
    out[n] = 0;
    return *p ? p + 1 : p;
}

const char *
own_signature(Cx *cx, const char *text, Signature *sig)
{
    const char *why = NULL;
    const Type *types[OWN_MOST_PARAMS];
    size_t n = 0;
    const char *params = own_params(text, &n);
    *sig = (Signature){.text = arena_str(&cx->arena, text)};
    if (!params)
        return "it is not of the form 'result(argument, ...)'";
    const char *p = arena_printf(&cx->arena, "%.*s", (int)n, params);
    char part[512];
    while (*p) {
        p = next_part(p, part, sizeof part);
        const Type *t = type_parse(cx->types, part, &why);
        if (!t)
            return why ? why : "a type in it is not known";
        if (sig->n == SW_LEN(types))
            return "it has too many arguments";
        types[sig->n++] = t;
    }
    sig->params = arena_dup(&cx->arena, types, sizeof *types * (size_t)(sig->n + 1));
    char *ret = arena_printf(&cx->arena, "%.*s", (int)(params - 1 - text), text);
    if (ret[strspn(ret, " ")] && !(sig->ret = type_parse(cx->types, ret, &why)))
        return why ? why : "its result's type is not known";
    return NULL;
}

/* ---- functions that compiled code calls ------------------------------------------------------ */

/* Signatures that can't be read have been reported where they were given. */
static void
take_signatures(In *in, FuncDef *f, Dispatcher *d)
{
    Py_ssize_t n = d->sigs && !d->ir ? PyList_GET_SIZE(d->sigs) : 0;
    Signature *all = NEW_N(&in->cx->arena, Signature, n + 1);
    for (Py_ssize_t i = 0; i < n; i++) {
        const char *text = PyUnicode_AsUTF8(PyList_GET_ITEM(d->sigs, i));
        if (text && !own_signature(in->cx, text, &all[f->n_sigs]))
            f->n_sigs++;
        PyErr_Clear();
    }
    f->sigs = all;
}

static FuncDef *
claim(In *in, FuncDef *f, Dispatcher *d)
{
    f->own = arena_dup(&in->cx->arena, &d->opt, sizeof d->opt);
    if (d->opt.inline_)
        f->inline_ = d->opt.inline_;
    take_signatures(in, f, d);
    map_put(&in->cx->arena, &in->func_of, d, f);
    return f;
}

/* One Python function may have been decorated several times, and be called as it is, too: each is a
 * function of its own. The one that Python called finds itself by its name. */
FuncDef *
in_dispatcher(In *in, PyObject *of)
{
    Dispatcher *d = (Dispatcher *)of;
    FuncDef *f = map_get(&in->func_of, of);
    if (f)
        return f;
    f = map_get(&in->func_of, d->func);
    if (!f || f != in->prog->root || f->own)
        f = in_function_again(in, d->func);
    return f && PyList_Append(in->keep, of) == 0 ? claim(in, f, d) : NULL;
}
