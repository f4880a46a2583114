/* SPDX-License-Identifier: BSD-3-Clause
 * SWATHE_DUMP=types: each instance with its variables, the type of every expression that
 * is a name or a call, and the moves of its edges. */
#include "sema/internal.h"

static const char *const edge_name[] = {
    [EDGE_THEN] = "then",       [EDGE_ELSE] = "else",
    [EDGE_ENTRY] = "entry",     [EDGE_BACK] = "back",
    [EDGE_JUMP] = "jump",       [EDGE_EXIT] = "exit",
    [EDGE_TRY_END] = "try-end", [EDGE_HANDLER_END] = "handler-end",
    [EDGE_GUARD] = "guard",
};

static void
print_params(const Inst *in, StrBuf *out)
{
    const FuncDef *fd = in->def;
    sb_addf(out, "%s(", in->mangled ? in->mangled : fd->name);
    for (int i = 0; i < in->n_params; i++) {
        Sym name = i < fd->n_params ? fd->params[i].name : fd->free[i - fd->n_params];
        sb_addf(out, "%s%s: %s", i ? ", " : "", name, in->params[i]->text);
        if (in->param_cst[i]) {
            sb_add(out, " = ");
            ast_print_const(in->param_cst[i], out);
        }
    }
    sb_addf(out, ") -> %s\n", in->ret->text);
}

static void
print_call(const Call *c, StrBuf *out)
{
    static const char *const kind[] = {"inst", "row", "cast", "tuple", "exception"};
    sb_addf(out, "  [%s", kind[c->kind]);
    if (c->kind == CALL_INST && c->inst)
        sb_addf(out, " %s", c->inst->mangled ? c->inst->mangled : c->inst->def->name);
    if (c->fn)
        sb_addf(out, " %s", c->fn->name);
    for (int i = 0; i < c->n_in && i < 4; i++)
        sb_addf(out, "%s%s", i ? "," : " ", dtype_info[c->in[i]].id);
    for (int i = 0; i < c->n_out && i < 2; i++)
        sb_addf(out, "%s%s", i ? "," : "->", dtype_info[c->out[i]].id);
    sb_add(out, "]");
}

static void
print_node(Cx *cx, const Inst *in, const Node *n, int depth, StrBuf *out)
{
    if (!n)
        return;
    const Info *i = sema_info(in, n);
    if (i->dead) {
        sb_addf(out, "%*sdead: line %d\n", depth, "", n->at.line);
        return;
    }
    bool shown = i->type && n->kind != N_Const;
    if (shown) {
        sb_addf(out, "%*s%d:%d %s: %s", depth, "", n->at.line, n->at.col, ast_text(&cx->arena, n),
                i->type->text);
        if (i->var && i->var->type != i->type)
            sb_addf(out, " (variable: %s)", i->var->type->text);
        if (i->check_bound)
            sb_add(out, " (may be unbound)");
        if (i->cst) {
            sb_add(out, " = ");
            ast_print_const(i->cst, out);
        }
        if (i->call)
            print_call(i->call, out);
        sb_add(out, "\n");
    }
    for (int k = 0; k < n->n; k++)
        print_node(cx, in, n->kid[k], depth + (shown ? 2 : 0), out);
}

static void
print_edges(const Inst *in, StrBuf *out)
{
    for (int i = 0; i < in->edges.n; i++) {
        const Edge *e = in->edges.at[i];
        for (int k = 0; k < e->moves.n; k++) {
            const Move *m = &e->moves.at[k];
            sb_addf(out, "  edge %s at line %d: %s: %s <- %s\n", edge_name[e->kind], e->at->at.line,
                    m->to->name, m->to->type->text, m->from ? m->from->type->text : "unbound");
        }
    }
}

void
sema_print(const SemaUnit *u, StrBuf *out)
{
    for (int i = 0; i < u->insts.n; i++) {
        const Inst *in = u->insts.at[i];
        print_params(in, out);
        for (int k = 0; k < in->n_vars; k++)
            sb_addf(out, "  var %d %s: %s%s\n", k, in->vars[k]->name, in->vars[k]->type->text,
                    in->vars[k]->flagged ? " (flagged)" : "");
        print_node(u->cx, in, in->def->body, 2, out);
        print_edges(in, out);
    }
}
