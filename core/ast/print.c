/* SPDX-License-Identifier: BSD-3-Clause
 * The tree as text, for SWATHE_DUMP=ast and the tests: a line for each statement, nested
 * blocks indented, expressions as (Kind detail kid kid). An absent kid is `-`. */
#include "ast/ast.h"

static void print_node(const Node *n, int depth, StrBuf *out);
static void print_func(const FuncDef *f, int depth, StrBuf *out);

static void
print_elems(const Const *c, StrBuf *out)
{
    sb_add(out, c->is_list ? "[" : "(");
    for (int i = 0; i < c->n; i++) {
        sb_add(out, i ? ", " : "");
        if (c->names)
            sb_addf(out, "%s=", c->names[i]);
        ast_print_const(c->elems[i], out);
    }
    sb_add(out, c->is_list ? "]" : ")");
}

static void
print_array(const Const *c, StrBuf *out)
{
    sb_addf(out, "array:%s[", dtype_info[c->dtype].id);
    for (int i = 0; i < c->ndim; i++)
        sb_addf(out, "%s%lld", i ? "," : "", (long long)c->shape[i]);
    sb_add(out, "]");
}

static void
print_npscalar(const Const *c, StrBuf *out)
{
    const DTypeInfo *d = &dtype_info[c->dtype];
    if (d->kind == DK_FLOAT)
        sb_addf(out, "%s:%.17g", d->id, c->re);
    else if (d->kind == DK_COMPLEX)
        sb_addf(out, "%s:%.17g%+.17gj", d->id, c->re, c->im);
    else
        sb_addf(out, "%s:%lld", d->id, (long long)c->i);
}

static void
print_ref(const Const *c, StrBuf *out)
{
    const Builtin *b = c->ref;
    if (c->kind == CV_FUNC)
        sb_addf(out, "func:%s", ((const FuncDef *)c->ref)->name);
    else if (c->kind == CV_BUILTIN)
        sb_addf(out, "%s.%s", b->module, b->name);
    else
        sb_addf(out, "%s%s", c->weak ? "weak:" : "dtype:", dtype_info[c->dtype].id);
}

void
ast_print_const(const Const *c, StrBuf *out)
{
    switch (c->kind) {
    case CV_NONE:
        sb_add(out, "None");
        break;
    case CV_BOOL:
        sb_add(out, c->b ? "True" : "False");
        break;
    case CV_INT:
        if (c->too_big)
            sb_addf(out, "int:%.17g", c->re);
        else if (c->dtype == DT_u64)
            sb_addf(out, "%llu", (unsigned long long)c->i);
        else
            sb_addf(out, "%lld", (long long)c->i);
        break;
    case CV_FLOAT:
        sb_addf(out, "%.17g", c->re);
        break;
    case CV_COMPLEX:
        sb_addf(out, "%.17g%+.17gj", c->re, c->im);
        break;
    case CV_NPSCALAR:
        print_npscalar(c, out);
        break;
    case CV_BYTES:
        sb_addf(out, "b[%zu]", c->str_len);
        break;
    case CV_STR:
        sb_addf(out, "\"%s\"", c->str);
        break;
    case CV_ELLIPSIS:
        sb_add(out, c->b ? "NotImplemented" : "...");
        break;
    case CV_TUPLE:
    case CV_KEYED:
        print_elems(c, out);
        break;
    case CV_ARRAY:
        print_array(c, out);
        break;
    case CV_FUNC:
    case CV_BUILTIN:
    case CV_DTYPE:
        print_ref(c, out);
        break;
    case CV_MODULE:
        sb_addf(out, "module:%s", c->str);
        break;
    case CV_TUPLE_CLASS:
        sb_addf(out, "namedtuple:%s", c->str);
        break;
    case CV_RECORD:
        sb_addf(out, "record:%s", c->str);
        break;
    case CV_EXC_CLASS:
        sb_addf(out, "exception:%s", c->str);
        break;
    case CV_CLASS:
    case CV_CONTEXT:
        sb_addf(out, "context:%s", c->str);
        break;
    case CV_UNSUPPORTED:
        sb_addf(out, "unsupported:%s", c->str);
        break;
    }
}

static void
print_indent(int depth, StrBuf *out)
{
    sb_addf(out, "\n%*s", depth * 2, "");
}

static void
print_op(const Node *n, StrBuf *out)
{
    static const char *const ctx[] = {"", " store", " del"};
    if (n->kind == N_BinOp || n->kind == N_AugAssign)
        sb_addf(out, " %s", binop_text[n->op]);
    else if (n->kind == N_UnaryOp)
        sb_addf(out, " %s", unary_text[n->op]);
    else if (n->kind == N_BoolOp)
        sb_add(out, n->op ? " or" : " and");
    else if (n->kind == N_Name || n->kind == N_Subscript || n->kind == N_Tuple)
        sb_add(out, ctx[n->op]);
    else if (n->kind == N_ListComp && n->op)
        sb_add(out, " generator");
    if (n->kind == N_Compare)
        for (int i = 0; i < n->n - 1; i++)
            sb_addf(out, " %s", cmp_text[n->ops[i]]);
}

static void
print_kid(const Node *k, int depth, StrBuf *out)
{
    if (!k) {
        sb_add(out, " -");
    } else if (k->kind == N_Block) {
        for (int i = 0; i < k->n; i++) {
            print_indent(depth + 1, out);
            print_node(k->kid[i], depth + 1, out);
        }
        if (k->n == 0)
            sb_add(out, " (Block)");
    } else if (k->kind == N_Handler) {
        print_indent(depth, out);
        print_node(k, depth, out);
    } else {
        sb_add(out, " ");
        print_node(k, depth, out);
    }
}

static void
print_node(const Node *n, int depth, StrBuf *out)
{
    bool else_block = n->kind == N_If || n->kind == N_For || n->kind == N_While;
    sb_addf(out, "(%s", node_kind_name[n->kind]);
    print_op(n, out);
    if (n->name)
        sb_addf(out, " %s", n->name);
    if (n->val) {
        sb_add(out, " ");
        ast_print_const(n->val, out);
    }
    if (n->fn)
        print_func(n->fn, depth + 1, out);
    for (int i = 0; i < n->n; i++) {
        if (else_block && i == n->n - 1 && n->kid[i]) {
            print_indent(depth, out);
            sb_add(out, "else");
        }
        print_kid(n->kid[i], depth, out);
    }
    sb_add(out, ")");
}

static void
print_params(const FuncDef *f, StrBuf *out)
{
    for (int i = 0; i < f->n_params; i++) {
        const Param *p = &f->params[i];
        sb_addf(out, "%s%s%s", i ? ", " : "",
                p->kind == P_VARARGS    ? "*"
                : p->kind == P_KEYWORDS ? "**"
                                        : "",
                p->name);
        if (p->kind == P_KWONLY)
            sb_add(out, " kwonly");
        if (p->def) {
            sb_add(out, "=");
            ast_print_const(p->def, out);
        } else if (p->def_node) {
            sb_add(out, "=");
            print_node(p->def_node, 0, out);
        }
    }
}

static void
print_names(const char *what, int n, const Sym *names, int depth, StrBuf *out)
{
    if (n == 0)
        return;
    print_indent(depth, out);
    sb_add(out, what);
    for (int i = 0; i < n; i++)
        sb_addf(out, " %s", names[i]);
}

static void
print_func(const FuncDef *f, int depth, StrBuf *out)
{
    print_indent(depth, out);
    sb_addf(out, "func %s(", f->name);
    print_params(f, out);
    sb_addf(out, ")%s", f->is_lib ? " lib" : "");
    print_names("locals", f->n_locals, f->locals, depth + 1, out);
    print_names("free", f->n_free, f->free, depth + 1, out);
    for (int i = 0; i < f->n_globals; i++) {
        print_indent(depth + 1, out);
        sb_addf(out, "global %s = ", f->globals[i].name);
        ast_print_const(f->globals[i].val, out);
    }
    print_kid(f->body, depth, out);
}

void
ast_print(const FuncDef *f, StrBuf *out)
{
    print_func(f, 0, out);
    sb_add(out, "\n");
}
