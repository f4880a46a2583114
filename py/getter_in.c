/* SPDX-License-Identifier: BSD-3-Clause
 * operator.attrgetter("a.b") is lambda x: x.a.b, and methodcaller("m", 1) is lambda x: x.m(1),
 * where names, and what the method is given, are constants. */
#include "ast/generator.h"
#include "py.h"

static bool
is_name(const Node *n)
{
    return n->kind == N_Const && n->val->kind == CV_STR && n->val->str_len;
}

static Node *
attribute(Expand *x, Node *of, Span at, const char *name)
{
    Node *n = ast_gen_node(x, N_Attribute, at, 1, &of);
    n->name = intern(&x->cx->syms, name);
    return n;
}

/* item.a.b, of "a.b" */
static Node *
path(Expand *x, const Node *names, Sym item)
{
    Node *n = ast_gen_name(x, names->at, item, CTX_LOAD);
    char *text = arena_printf(&x->cx->arena, "%s", names->val->str);
    for (char *end; text; text = end) {
        end = strchr(text, '.');
        if (end)
            *end++ = 0;
        n = attribute(x, n, names->at, text);
    }
    return n;
}

static Node *
attributes(Expand *x, const Node *n, Sym item)
{
    Node **part = NEW_N(&x->cx->arena, Node *, n->n);
    for (int i = 1; i < n->n; i++) {
        if (!is_name(n->kid[i]))
            return NULL;
        part[i - 1] = path(x, n->kid[i], item);
    }
    return n->n == 2 ? part[0] : ast_gen_node(x, N_Tuple, n->at, n->n - 1, part);
}

static Node *
call(Expand *x, const Node *n, Sym item)
{
    Node **kid = NEW_N(&x->cx->arena, Node *, n->n);
    for (int i = 1; i < n->n; i++) {
        const Node *v = n->kid[i]->kind == N_Keyword ? n->kid[i]->kid[0] : n->kid[i];
        if (v->kind != N_Const || (n->kid[i]->kind == N_Keyword && (i == 1 || !n->kid[i]->name)))
            return NULL;
        kid[i - 1] = ast_gen_copy(x, n->kid[i]);
    }
    if (!is_name(n->kid[1]))
        return NULL;
    kid[0] = attribute(x, ast_gen_name(x, n->at, item, CTX_LOAD), n->at, n->kid[1]->val->str);
    return ast_gen_node(x, N_Call, n->at, n->n - 1, kid);
}

void
in_fold_getter(In *in, FuncDef *f, Node *n)
{
    const Const *c = n->n > 1 ? in_constant_value(f, n->kid[0]) : NULL;
    const FuncDef *of = c && c->kind == CV_FUNC ? c->ref : NULL;
    bool attr = of && of->is_lib && !strcmp(of->name, "attrgetter");
    if (!attr && !(of && of->is_lib && !strcmp(of->name, "methodcaller")))
        return;
    Expand x = {.cx = in->cx, .fn = f};
    x.fn = ast_gen_new_function(&x, n);
    Sym item = intern(&in->cx->syms, "item.g");
    Node *value = attr ? attributes(&x, n, item) : call(&x, n, item);
    if (!value)
        return;
    FuncDef *made = x.fn;
    made->params = NEW(&in->cx->arena, Param);
    made->params[made->n_params++] = (Param){.name = item, .kind = P_POS, .at = n->at};
    ast_gen_local(&x, item);
    made->body = ast_gen_node(&x, N_Return, n->at, 1, &value);
    made->body = ast_gen_node(&x, N_Block, n->at, 1, &made->body);
    n->kind = N_Lambda;
    n->n = 0;
    n->fn = made;
}
