/* SPDX-License-Identifier: BSD-3-Clause
 * The text form of the IR, which parse.c reads back. Names are made unique while printing
 * (x, x.1, ...); constants carry their dtype unless it is int64, float64 or bool; floats are
 * printed with as few digits as read back to the same bits. Where a statement came from
 * follows in a comment that the parser reads too. The grammar is in parse.c. */
#include "ir/ir.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Printer {
    const IrModule *m;
    const IrFunc *f;
    StrBuf *out;
    const char **names; /* by variable id */
    int indent;
    bool shape; /* see ir_print_shape */
} Printer;

const char *const ir_loop_words[IR_LOOP_WORDS] = {"seq", "par", "reduce", "simd", "grid", "block"};

/* ---- names --------------------------------------------------------------------------------- */

static void
make_names(Printer *p, Arena *a)
{
    static const char *const words[] = {"true", "false", "_"};
    Map taken = {0}; /* name -> one more than the last number given to it */
    Intern syms;
    intern_init(&syms, a);
    for (int i = 0; i < SW_LEN(words); i++)
        map_put(a, &taken, intern(&syms, words[i]), (void *)1);
    p->names = NEW_N(a, const char *, p->f->vars.n + 1);
    for (int i = 0; p->shape && i < p->f->vars.n; i++)
        p->names[i] = arena_printf(a, "v%d", i);
    for (int i = 0; !p->shape && i < p->f->vars.n; i++) {
        Sym base = intern(&syms, p->f->vars.at[i]->name), name = base;
        intptr_t k = (intptr_t)map_get(&taken, base);
        while (map_get(&taken, name))
            name = intern(&syms, arena_printf(a, "%s.%d", base, (int)k++));
        if (k)
            map_put(a, &taken, base, (void *)k);
        map_put(a, &taken, name, (void *)1);
        p->names[i] = name;
    }
}

static const char *
name_of(Printer *p, const IrVar *v)
{
    if (!v || v->id < 0 || v->id >= p->f->vars.n || p->f->vars.at[v->id] != v)
        return "?";
    return p->names[v->id];
}

/* ---- types and constants --------------------------------------------------------------------- */

static void
put_type(Printer *p, const IrVar *v)
{
    sb_add(p->out, dtype_info[v->dtype].id);
    if (!v->is_array)
        return;
    sb_add(p->out, "[");
    for (int i = 0; i < v->ndim; i++) {
        bool one = (v->layout == LAY_C && i == v->ndim - 1) || (v->layout == LAY_F && i == 0);
        sb_addf(p->out, "%s:%s", i ? "," : "", one ? ":1" : "");
    }
    sb_add(p->out, "]");
    if (v->obj)
        sb_addf(p->out, " ref \"%s\"", v->obj);
}

/* Of a function that others call. */
static void
put_holds(Printer *p, const IrFunc *f, const IrVar *v)
{
    if (f->entry && v->obj && v->holds)
        sb_addf(p->out, " holds \"%s\"", v->holds);
}

static void
put_var_flags(Printer *p, const IrVar *v)
{
    if (v->readonly)
        sb_add(p->out, " readonly");
    if (v->is_array && !v->owned)
        sb_add(p->out, " borrowed");
    if (v->noalias)
        sb_add(p->out, " noalias");
    for (int i = 0; v->likely && i < v->ndim; i++)
        sb_addf(p->out, "%s%d%s", i ? ", " : " likely(", ir_likely(v, i),
                i == v->ndim - 1 ? ")" : "");
    if (v->space)
        sb_add(p->out, v->space == SPACE_SHARED ? " shared" : " local");
}

/* Of a small one with an end, which most are; false: nothing is written. */
static bool
put_short_float(StrBuf *out, double v)
{
    if (!(fabs(v) < 10000))
        return false;
    double size = fabs(v), whole = floor(size);
    int quarters = (int)((size - whole) * 4);
    if (whole + quarters * 0.25 != size || size >= (quarters ? 100 : 10000))
        return false;
    sb_add(out, signbit(v) ? "-" : "");
    sb_add_i64(out, (int64_t)whole);
    static const char *const rest[] = {".0", ".25", ".5", ".75"};
    sb_add(out, rest[quarters]);
    return true;
}

static void
put_float(StrBuf *out, double v, DType d)
{
    if (put_short_float(out, v)) /* never for a NaN */
        return;
    char s[40];
    if (isnan(v) || isinf(v)) {
        sb_addf(out, "%s%s%s", signbit(v) ? "-" : "", isnan(v) ? "nan" : "inf",
                d == DT_f64 ? ":f64" : "");
        return;
    }
    for (int digits = d == DT_f64 || d == DT_c128 ? 15 : 4; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, v);
        if (ir_round_float(d, strtod(s, NULL)) == v)
            break;
    }
    sb_add(out, s);
    if (!strpbrk(s, ".e"))
        sb_add(out, ".0");
}

static void
put_const(StrBuf *out, const IrExpr *e)
{
    DType d = (DType)e->dtype;
    switch (dtype_kind(d)) {
    case DK_BOOL:
        sb_add(out, e->i ? "true" : "false");
        return;
    case DK_UINT:
        sb_add_u64(out, (uint64_t)e->i);
        break;
    case DK_INT:
        sb_add_i64(out, e->i);
        break;
    case DK_FLOAT:
        put_float(out, e->re, d);
        break;
    case DK_COMPLEX:
        sb_add(out, "(");
        put_float(out, e->re, d);
        sb_add(out, ", ");
        put_float(out, e->im, d);
        sb_add(out, ")");
        break;
    }
    if (d != DT_i64 && d != DT_f64) {
        sb_add(out, ":");
        sb_add(out, dtype_info[d].id);
    }
}

static void
put_string(StrBuf *out, const char *s)
{
    sb_add(out, "\"");
    for (const char *from = s;; s++) {
        unsigned char c = (unsigned char)*s;
        if (c >= ' ' && c != '"' && c != '\\' && c != '#' && c != 127)
            continue;
        sb_addn(out, from, (size_t)(s - from));
        from = s + 1;
        if (!c)
            break;
        if (c == '"' || c == '\\')
            sb_addf(out, "\\%c", c);
        else
            sb_addf(out, "\\x%02x", c);
    }
    sb_add(out, "\"");
}

/* ---- expressions ----------------------------------------------------------------------------- */

static void put_expr(Printer *p, const IrExpr *e);

static void
put_list(Printer *p, IrExpr *const *e, int n, const char *open, const char *close)
{
    sb_add(p->out, open);
    for (int i = 0; i < n; i++) {
        sb_add(p->out, i ? ", " : "");
        put_expr(p, e[i]);
    }
    sb_add(p->out, close);
}

static void
put_expr(Printer *p, const IrExpr *e)
{
    if (!e) {
        sb_add(p->out, "?");
        return;
    }
    switch (e->kind) {
    case IX_CONST:
        put_const(p->out, e);
        break;
    case IX_VAR:
        sb_add(p->out, name_of(p, e->var));
        break;
    case IX_OP:
        sb_add(p->out, op_info[e->op].name);
        if (e->flags & IXF_REASSOC)
            sb_add(p->out, "~");
        if (e->flags & IXF_FAST)
            sb_add(p->out, "!");
        if (e->flags & IXF_STRICT)
            sb_add(p->out, "^");
        if (e->flags & IXF_EXACT)
            sb_add(p->out, "&");
        put_list(p, e->arg, e->n, "(", ")");
        break;
    case IX_CAST:
        sb_add(p->out, dtype_info[e->dtype].id);
        sb_add(p->out, e->flags & IXF_ANY ? "~" : "");
        put_list(p, e->arg, e->n, "(", ")");
        break;
    case IX_LOAD:
        sb_add(p->out, name_of(p, e->var));
        put_list(p, e->arg, e->n, "[", "]");
        break;
    case IX_DIM:
    case IX_STRIDE:
        sb_addf(p->out, "%s(%s, %d)", e->kind == IX_DIM ? "dim" : "stride", name_of(p, e->var),
                e->axis);
        break;
    case IX_GEO:
        sb_addf(p->out, "geo.%s", e->axis < GEO_COUNT ? ir_geo_words[e->axis] : "?");
        break;
    }
}

/* ---- statements ------------------------------------------------------------------------------ */

static void put_block(Printer *p, const IrBlock *b);

static void
start_line(Printer *p)
{
    for (int i = 0; i < p->indent; i++)
        sb_add(p->out, "  ");
}

static void
end_line(Printer *p, const Span *at)
{
    if (at && at->src && at->src->file) {
        const char *file = strrchr(at->src->file, '/');
        file = file ? file + 1 : at->src->file;
        sb_add(p->out, "  # ");
        sb_addn(p->out, file, strcspn(file, "\n")); /* what is no file may be a text of lines */
        sb_add(p->out, ":");
        sb_add_i64(p->out, at->line);
        sb_add(p->out, ":");
        sb_add_i64(p->out, at->col);
    }
    sb_add(p->out, "\n");
}

static void
put_attrs(Printer *p, const IrStmt *s)
{
    const char *words[] = {s->cold ? "cold" : NULL,
                           s->cold_else ? "cold_else" : NULL,
                           s->any_else ? "any_else" : NULL,
                           s->novector ? "novector" : NULL,
                           s->few ? "few" : NULL,
                           s->light ? "light" : NULL,
                           s->wide ? "wide" : NULL,
                           s->novec_alias ? "noalias" : NULL,
                           s->unpromised && s->loop == LOOP_PAR ? "unpromised" : NULL,
                           s->combines ? "combines" : NULL,
                           s->elementwise ? "elementwise" : NULL,
                           s->independent ? "independent" : NULL,
                           s->apart ? "apart" : NULL,
                           s->threads ? "threads" : NULL};
    bool any = false;
    for (int i = 0; i < SW_LEN(words); i++) {
        if (!words[i])
            continue;
        sb_addf(p->out, "%s%s", any ? " " : " [", words[i]);
        any = true;
    }
    if (s->lanes) {
        sb_addf(p->out, "%slanes %d", any ? " " : " [", s->lanes);
        any = true;
    }
    for (int i = 0; i < s->n_reds; i++) {
        sb_addf(p->out, "%sreduce %s %s", any ? " " : " [", op_info[s->reds[i].op].name,
                name_of(p, s->reds[i].var));
        if (s->reds[i].of)
            sb_addf(p->out, " of %s", name_of(p, s->reds[i].of));
        if (s->reds[i].hit)
            sb_addf(p->out, " hit %s", name_of(p, s->reds[i].hit));
        any = true;
    }
    for (int i = 0; i < s->n_lasts; i++) {
        sb_addf(p->out, "%slast %s", any ? " " : " [", name_of(p, s->lasts[i]));
        any = true;
    }
    if (s->label) {
        sb_add(p->out, any ? " label " : " [label ");
        put_string(p->out, s->label);
        any = true;
    }
    sb_add(p->out, any ? "]" : "");
}

static void
put_args(Printer *p, const IrArg *a, int n)
{
    for (int i = 0; i < n; i++) {
        sb_add(p->out, i ? ", " : "");
        if (a[i].arr)
            sb_add(p->out, name_of(p, a[i].arr));
        else
            put_expr(p, a[i].e);
    }
}

static void
put_call_args(Printer *p, const IrStmt *s)
{
    sb_add(p->out, "(");
    put_args(p, s->args, s->n_args);
    sb_add(p->out, ")");
}

static void
put_outs(Printer *p, const IrStmt *s)
{
    for (int i = 0; i < s->n_outs; i++) {
        const IrVar *v = s->outs[i].arr ? s->outs[i].arr : s->outs[i].out;
        sb_addf(p->out, "%s%s", i ? ", " : "", v ? name_of(p, v) : "_");
    }
    sb_add(p->out, s->n_outs ? " = " : "");
}

static void
put_site(Printer *p, const IrStmt *s)
{
    sb_addf(p->out, "site %d", s->site);
    if (s->n_args) {
        sb_add(p->out, " ");
        put_call_args(p, s);
    }
}

static void
put_array_def(Printer *p, const IrStmt *s)
{
    int nd = s->var ? s->var->ndim : 0;
    sb_addf(p->out, "%s = ", name_of(p, s->var));
    switch (s->kind) {
    case IS_ALLOC:
        put_list(p, s->idx, s->n_idx, "alloc(", ")");
        sb_add(p->out, s->order == LAY_F ? " order F" : "");
        sb_add(p->out, s->zero ? " zero" : "");
        break;
    case IS_VIEW:
        sb_addf(p->out, "view %s + ", name_of(p, s->base));
        put_expr(p, s->e);
        put_list(p, s->idx, nd, " dims(", ")");
        put_list(p, s->idx + nd, s->n_idx - nd, " strides(", ")");
        break;
    case IS_ALIAS:
        sb_addf(p->out, "alias %s", name_of(p, s->base));
        break;
    case IS_GET:
        sb_addf(p->out, "get %s", name_of(p, s->base));
        put_list(p, s->idx, s->n_idx, "[", "]");
        break;
    default:
        sb_addf(p->out, "constarr %d", s->n);
        break;
    }
    end_line(p, NULL);
}

static void
put_nested(Printer *p, const IrBlock *b)
{
    p->indent++;
    put_block(p, b);
    p->indent--;
}

static void
put_loop(Printer *p, const IrStmt *s)
{
    int64_t step = 0;
    sb_addf(p->out, "%s %s in ", ir_loop_words[s->loop], name_of(p, s->var));
    put_expr(p, s->idx[0]);
    sb_add(p->out, " .. ");
    put_expr(p, s->idx[1]);
    if (!ir_is_const(s->idx[2], &step) || step != 1) {
        sb_add(p->out, " step ");
        put_expr(p, s->idx[2]);
    }
    put_attrs(p, s);
    end_line(p, p->shape ? NULL : &s->at);
    put_nested(p, &s->body);
}

static void
put_while(Printer *p, const IrStmt *s)
{
    sb_add(p->out, "while");
    if (s->pre.first) {
        end_line(p, NULL);
        put_nested(p, &s->pre);
        start_line(p);
        sb_add(p->out, "test");
    }
    sb_add(p->out, " ");
    put_expr(p, s->e);
    put_attrs(p, s);
    end_line(p, &s->at);
    put_nested(p, &s->body);
}

static void
put_else(Printer *p, const IrBlock *b)
{
    if (!b->first)
        return;
    start_line(p);
    sb_add(p->out, "else\n");
    put_nested(p, b);
}

static void
put_try(Printer *p, const IrStmt *s)
{
    sb_add(p->out, "try\n");
    put_nested(p, &s->body);
    for (int i = 0; i < s->n_handlers; i++) {
        const IrHandler *h = &s->handlers[i];
        start_line(p);
        sb_add(p->out, "except");
        for (int k = 0; k < h->n_exc; k++)
            sb_addf(p->out, "%s %s", k ? "," : "", h->exc[k]);
        sb_add(p->out, "\n");
        put_nested(p, &h->body);
    }
    put_else(p, &s->els);
}

/* n = barrier block count p; old = atomic add x[i], e; v = warp shfl e, mask, lane */
static void
put_grid_stmt(Printer *p, const IrStmt *s)
{
    if (s->var)
        sb_add(p->out, name_of(p, s->var));
    for (int i = 0; i < s->n_outs; i++)
        sb_addf(p->out, ", %s", name_of(p, s->outs[i].out));
    sb_add(p->out, s->var ? " = " : "");
    if (s->kind == IS_BARRIER) {
        sb_addf(p->out, "barrier %s", ir_barrier_words[s->order]);
        sb_addf(p->out, s->n ? " %s " : "", ir_vote_words[s->n]);
    } else if (s->kind == IS_ATOMIC) {
        sb_addf(p->out, "atomic %s %s", ir_atomic_words[s->order], name_of(p, s->base));
        put_list(p, s->idx, s->n_idx, "[", "], ");
    } else {
        sb_addf(p->out, "warp %s%s", ir_warp_words[s->order], s->e ? " " : "");
    }
    if (s->e)
        put_expr(p, s->e);
    sb_add(p->out, s->n_args ? ", " : "");
    put_args(p, s->args, s->n_args);
    end_line(p, &s->at);
}

static void
put_piece(Printer *p, const IrStmt *s, const FormPiece *f)
{
    bool none = f->kind == FORM_PLACE || (f->kind == FORM_VALUES && !s->n_args) ||
                (f->maybe && s->site < 0);
    if (none)
        return;
    sb_add(p->out, f->blank ? " " : "");
    switch (f->kind) {
    case FORM_TEXT:
        sb_add(p->out, f->text);
        break;
    case FORM_ARRAY:
    case FORM_BASE:
        sb_add(p->out, name_of(p, f->kind == FORM_ARRAY ? s->var : s->base));
        break;
    case FORM_INDEX:
        put_list(p, s->idx, s->n_idx, "[", "]");
        break;
    case FORM_BOOL:
    case FORM_I64:
        put_expr(p, s->e);
        break;
    case FORM_AXIS:
    case FORM_N:
    case FORM_ORDER:
        sb_add_i64(p->out, f->kind == FORM_AXIS ? s->axis : f->kind == FORM_N ? s->n : s->order);
        break;
    case FORM_WORD:
        sb_add(p->out, f->words->words[f->words->in_n ? s->n : s->order]);
        break;
    case FORM_VALUES:
        put_args(p, s->args, s->n_args);
        break;
    case FORM_SITE:
        put_site(p, s);
        break;
    case FORM_PLACE:
        break;
    }
}

static void
put_form(Printer *p, const IrStmt *s)
{
    const char *at = stmt_info[s->kind].form;
    bool place = false;
    for (FormPiece f; ir_form_next(&at, &f); place |= f.kind == FORM_PLACE)
        put_piece(p, s, &f);
    end_line(p, place ? &s->at : NULL);
}

static void
put_stmt(Printer *p, const IrStmt *s)
{
    start_line(p);
    switch (s->kind) {
    case IS_SET:
        sb_add(p->out, name_of(p, s->var));
        sb_add(p->out, " = ");
        put_expr(p, s->e);
        end_line(p, NULL);
        break;
    case IS_STORE:
        sb_add(p->out, name_of(p, s->var));
        put_list(p, s->idx, s->n_idx, "[", "] = ");
        put_expr(p, s->e);
        end_line(p, NULL);
        break;
    case IS_ALLOC:
    case IS_VIEW:
    case IS_ALIAS:
    case IS_CONSTARR:
    case IS_GET:
        put_array_def(p, s);
        break;
    case IS_PUT:
        sb_addf(p->out, "put %s", name_of(p, s->base));
        put_list(p, s->idx, s->n_idx, "[", "] = ");
        sb_add(p->out, s->var ? name_of(p, s->var) : "nothing");
        sb_add(p->out, s->fresh ? " fresh" : "");
        end_line(p, NULL);
        break;
    case IS_LOOP:
        put_loop(p, s);
        break;
    case IS_WHILE:
        put_while(p, s);
        break;
    case IS_IF:
        sb_add(p->out, "if ");
        put_expr(p, s->e);
        put_attrs(p, s);
        end_line(p, NULL);
        put_nested(p, &s->body);
        put_else(p, &s->els);
        break;
    case IS_CALL:
        put_outs(p, s);
        sb_addf(p->out, "call %s", s->func ? s->func->name : "?");
        put_call_args(p, s);
        end_line(p, &s->at);
        break;
    case IS_RT:
        put_outs(p, s);
        sb_addf(p->out, "rt %s", rt_info[s->rt].name);
        put_call_args(p, s);
        end_line(p, NULL);
        break;
    case IS_TRY:
        put_try(p, s);
        break;
    case IS_PAR:
    case IS_LAUNCH:
        sb_addf(p->out, "%s %s, ", s->kind == IS_PAR ? "run" : "launch",
                s->func ? s->func->name : "?");
        put_list(p, s->idx, s->n_idx, "", "");
        put_call_args(p, s);
        end_line(p, &s->at);
        break;
    case IS_BARRIER:
    case IS_ATOMIC:
    case IS_WARP:
        put_grid_stmt(p, s);
        break;
    default:
        put_form(p, s);
        break;
    }
}

static void
put_block(Printer *p, const IrBlock *b)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        put_stmt(p, s);
}

/* ---- functions, modules ---------------------------------------------------------------------- */

static void
mark_loop_var(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    if (s->kind == IS_LOOP && s->var)
        ((bool *)arg)[s->var->id] = true;
}

static void
put_results(Printer *p)
{
    const IrFunc *f = p->f;
    if (f->n_results == 0)
        return;
    sb_add(p->out, f->n_results > 1 ? " -> (" : " -> ");
    for (int i = 0; i < f->n_results; i++) {
        sb_add(p->out, i ? ", " : "");
        put_type(p, f->results[i]);
        put_holds(p, f, f->results[i]);
    }
    sb_add(p->out, f->n_results > 1 ? ")" : "");
}

static void
put_vars(Printer *p, Arena *a)
{
    bool *loop_var = NEW_N(a, bool, p->f->vars.n + 1);
    ir_walk_block((IrBlock *)&p->f->body, mark_loop_var, loop_var);
    for (int i = p->f->n_params; i < p->f->vars.n; i++) {
        const IrVar *v = p->f->vars.at[i];
        if (loop_var[i])
            continue; /* declared by its loop */
        sb_addf(p->out, "  var %s: ", p->names[i]);
        put_type(p, v);
        put_var_flags(p, v);
        sb_add(p->out, "\n");
    }
}

static void
print_func(const IrFunc *f, bool shape, StrBuf *out)
{
    Arena a;
    arena_init(&a);
    a.oom = f->mod->cx->arena.oom;
    Printer p = {f->mod, f, out, NULL, 1, shape};
    make_names(&p, &a);
    sb_addf(out, "func %s(", shape ? "" : f->name);
    for (int i = 0; i < f->n_params; i++) {
        sb_addf(out, "%s%s: ", i ? ", " : "", p.names[i]);
        put_type(&p, f->vars.at[i]);
        put_holds(&p, f, f->vars.at[i]);
        put_var_flags(&p, f->vars.at[i]);
    }
    sb_add(out, ")");
    put_results(&p);
    sb_addf(out, "%s%s%s%s%s%s", f->entry ? " entry" : "", f->may_raise ? " may_raise" : "",
            f->recursive ? " recursive" : "", f->inlined ? " inlined" : "",
            f->apart ? " apart" : "", f->kernel ? " kernel" : "");
    sb_add(out, f->lib ? " lib" : "");
    if (f->unit) {
        sb_add(out, " unit ");
        put_string(out, f->unit);
    }
    if (f->foreign) {
        sb_add(out, " foreign ");
        put_string(out, f->foreign);
    }
    if (f->opt) {
        const SwOptions *o = f->opt;
        char text[64];
        snprintf(text, sizeof text, " options \"%d %d %d %d %d\"", o->boundscheck, o->fastmath,
                 o->debug, o->parallel, o->contract);
        sb_add(out, text);
    }
    end_line(&p, shape ? NULL : &f->at);
    put_vars(&p, &a);
    put_block(&p, &f->body);
    arena_free(&a);
}

void
ir_print_stmt(const IrFunc *f, const IrStmt *s, StrBuf *out)
{
    Arena a;
    StrBuf all = {0};
    arena_init(&a);
    a.oom = f->mod->cx->arena.oom;
    Printer p = {f->mod, f, &all, NULL, 0, false};
    make_names(&p, &a);
    put_stmt(&p, s);
    sb_addn(out, all.s ? all.s : "", all.s ? strcspn(all.s, "\n") : 0);
    sb_free(&all);
    arena_free(&a);
}

static void
put_site_row(StrBuf *out, const IrSite *s, int i)
{
    sb_addf(out, "site %d ", i);
    put_string(out, s->exc ? s->exc : "");
    sb_add(out, " ");
    put_string(out, s->format ? s->format : "");
    if (s->file) {
        sb_add(out, " at ");
        put_string(out, s->file);
        sb_addf(out, " %d %d %d", s->line, s->col, s->end_col);
    }
    if (s->func) {
        sb_add(out, " in ");
        put_string(out, s->func);
    }
    if (s->text) {
        sb_add(out, " text ");
        put_string(out, s->text);
    }
    if (s->within)
        sb_addf(out, " within %d", s->within - 1);
    if (s->cause)
        sb_addf(out, " cause %d", s->cause);
    sb_add(out, s->is_lib ? " lib\n" : "\n");
}

static void
put_const_array(StrBuf *out, const IrConstArray *c, int i)
{
    sb_addf(out, "const %d %s (", i, dtype_info[c->dtype].id);
    for (int k = 0; k < c->ndim; k++)
        sb_addf(out, "%s%" PRId64, k ? ", " : "", c->shape[k]);
    sb_add(out, ") \"");
    for (size_t k = 0; k < c->nbytes; k++) {
        unsigned char byte = ((const unsigned char *)c->data)[k];
        char hex[] = {"0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
        sb_addn(out, hex, 2);
    }
    sb_add(out, "\"\n");
}

void
ir_print_func(const IrFunc *f, StrBuf *out)
{
    print_func(f, false, out);
}

void
ir_print_shape(const IrFunc *f, StrBuf *out)
{
    print_func(f, true, out);
}

void
ir_print(const IrModule *m, StrBuf *out)
{
    for (int i = 0; i < m->sites.n; i++)
        put_site_row(out, &m->sites.at[i], i);
    for (int i = 0; i < m->consts.n; i++)
        put_const_array(out, &m->consts.at[i], i);
    for (int i = 0; i < m->funcs.n; i++) {
        sb_add(out, out->n ? "\n" : "");
        ir_print_func(m->funcs.at[i], out);
    }
    for (int i = 0; m->device && i < m->device->funcs.n; i++) {
        sb_add(out, "\n");
        ir_print_func(m->device->funcs.at[i], out);
    }
}
