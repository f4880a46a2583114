/* SPDX-License-Identifier: BSD-3-Clause
 * Reads the text form of the IR; print(parse(print(m))) equals print(m). One statement a line,
 * blocks by indentation, `#` starts a comment, and a comment `# file:line:col` gives the line's
 * statement its place. Nothing is folded: what was written is what is made.
 *
 *     site 0 "ZeroDivisionError" "division by zero" at "f.py" 4 2 7 in "f" text "  x = a / b"
 *     func f(a: f64, x: f64[:,::1] readonly) -> (f64, i64[:]) entry
 *       var s: f32
 *       s = f32(add~(a, x[0, 1]))
 *
 * Attributes stand in brackets after a blank: `x [cold]` has one, `x[i]` is a load.
 * Functions may be called before they are written, so headers are read in a first round. */
#include "ir/parse.h"

#include <stdio.h>

#include <stdlib.h>

static void read_block(Parser *p, IrBlock *to);

static void
read_body(Parser *p, IrBlock *to)
{
    lex_end_line(&p->lx);
    read_block(p, to);
}

static IrArg *
read_args(Parser *p, int *n)
{
    Vec(IrArg) v = {0};
    while (!lex_at(&p->lx, ")") && !lex_at_end(&p->lx)) {
        if (v.n)
            lex_need(&p->lx, ",");
        IrVar *arr = find_var(p, lex_peek_word(&p->lx));
        IrArg a = {0};
        bool more = lex_peek_next(&p->lx, "[") || lex_peek_next(&p->lx, "(") ||
                    lex_peek_next(&p->lx, "~") || lex_peek_next(&p->lx, "!") ||
                    lex_peek_next(&p->lx, "^");
        if (arr && arr->is_array && !more)
            a.arr = read_array(p);
        else
            a.e = read_expr(p);
        VEC_PUSH(&p->cx->arena, v, a);
    }
    *n = v.n;
    return v.at;
}

static void
read_call_args(Parser *p, IrStmt *s)
{
    lex_need(&p->lx, "(");
    s->args = read_args(p, &s->n_args);
    lex_need(&p->lx, ")");
}

static void
read_site(Parser *p, IrStmt *s)
{
    if (!lex_take(&p->lx, "site"))
        return;
    s->site = (int)lex_int(&p->lx);
    if (lex_at(&p->lx, "("))
        read_call_args(p, s);
}

static IrVar *
read_scalar_name(Parser *p)
{
    Sym name = lex_word(&p->lx);
    IrVar *v = find_var(p, name);
    if (!v || v->is_array)
        lex_fail(&p->lx, "'%s' is no scalar variable", name);
    return v;
}

static void
read_reduce(Parser *p, IrStmt *s)
{
    IrReduce *all = NEW_N(&p->cx->arena, IrReduce, s->n_reds + 1);
    for (int i = 0; i < s->n_reds; i++)
        all[i] = s->reds[i];
    Sym word = lex_word(&p->lx);
    for (int op = 0; op < OP_COUNT; op++)
        if (strcmp(op_info[op].name, word) == 0)
            all[s->n_reds].op = (uint8_t)op;
    IrReduce *r = &all[s->n_reds++];
    r->var = read_var(p);
    if (lex_take(&p->lx, "of"))
        r->of = read_var(p);
    if (lex_take(&p->lx, "hit"))
        r->hit = read_var(p);
    s->reds = all;
}

static void
read_last(Parser *p, IrStmt *s)
{
    IrVar **all = NEW_N(&p->cx->arena, IrVar *, s->n_lasts + 1);
    for (int i = 0; i < s->n_lasts; i++)
        all[i] = s->lasts[i];
    all[s->n_lasts++] = read_scalar_name(p);
    s->lasts = all;
}

static void
read_attrs(Parser *p, IrStmt *s)
{
    struct {
        const char *word;
        bool *flag;
    } flags[] = {{"cold", &s->cold},
                 {"cold_else", &s->cold_else},
                 {"any_else", &s->any_else},
                 {"novector", &s->novector},
                 {"noalias", &s->novec_alias},
                 {"unpromised", &s->unpromised},
                 {"combines", &s->combines},
                 {"elementwise", &s->elementwise},
                 {"independent", &s->independent},
                 {"apart", &s->apart},
                 {"threads", &s->threads},
                 {"few", &s->few},
                 {"light", &s->light},
                 {"wide", &s->wide}};
    if (!lex_take(&p->lx, "["))
        return;
    while (!lex_take(&p->lx, "]")) {
        int k = 0;
        while (k < SW_LEN(flags) && !lex_take(&p->lx, flags[k].word))
            k++;
        if (k < SW_LEN(flags))
            *flags[k].flag = true;
        else if (lex_take(&p->lx, "label"))
            s->label = lex_string(&p->lx, NULL);
        else if (lex_take(&p->lx, "lanes"))
            s->lanes = (uint8_t)lex_int(&p->lx);
        else if (lex_take(&p->lx, "reduce"))
            read_reduce(p, s);
        else if (lex_take(&p->lx, "last"))
            read_last(p, s);
        else
            lex_fail(&p->lx, "unknown attribute");
    }
}

static void
read_view(Parser *p, IrStmt *s)
{
    IrExpr *idx[64];
    s->base = read_array(p);
    lex_need(&p->lx, "+");
    s->e = read_expr(p);
    lex_need(&p->lx, "dims");
    int n = read_list(p, "(", ")", idx, 32);
    lex_need(&p->lx, "strides");
    n += read_list(p, "(", ")", idx + n, 32);
    s->n_idx = n;
    s->idx = arena_dup(&p->cx->arena, idx, sizeof *idx * (size_t)n);
}

static void
read_alloc(Parser *p, IrStmt *s)
{
    IrExpr *idx[32];
    s->n_idx = read_list(p, "(", ")", idx, 32);
    s->idx = arena_dup(&p->cx->arena, idx, sizeof *idx * (size_t)s->n_idx);
    if (lex_take(&p->lx, "order")) {
        lex_need(&p->lx, "F");
        s->order = LAY_F;
    } else {
        s->order = LAY_C;
    }
    s->zero = lex_take(&p->lx, "zero");
}

static void
read_word_of(Parser *p, IrStmt *s)
{
    IrExpr *idx[2];
    s->base = read_array(p);
    s->n_idx = read_list(p, "[", "]", idx, 2);
    s->idx = arena_dup(&p->cx->arena, idx, sizeof *idx * (size_t)s->n_idx);
}

/* put x[3] = y; put x[3] = y fresh; put x[3] = nothing */
static void
read_put(Parser *p)
{
    IrStmt *s = ir_append(&p->b, IS_PUT);
    read_word_of(p, s);
    lex_need(&p->lx, "=");
    if (!lex_take(&p->lx, "nothing"))
        s->var = read_array(p);
    s->fresh = lex_take(&p->lx, "fresh");
}

static void
read_array_def(Parser *p, IrVar *v)
{
    IrStmt *s = ir_append(&p->b, IS_ALIAS);
    s->var = v;
    if (lex_take(&p->lx, "alias")) {
        s->base = read_array(p);
    } else if (lex_take(&p->lx, "constarr")) {
        s->kind = IS_CONSTARR;
        ir_set_const_array(p->m, s, v, (int)lex_int(&p->lx));
    } else if (lex_take(&p->lx, "get")) {
        s->kind = IS_GET;
        read_word_of(p, s);
    } else if (lex_take(&p->lx, "alloc")) {
        s->kind = IS_ALLOC;
        read_alloc(p, s);
    } else {
        s->kind = IS_VIEW;
        lex_need(&p->lx, "view");
        read_view(p, s);
    }
}

static IrRt
find_rt(Parser *p, Sym name)
{
    for (int i = 0; i < RT_COUNT; i++)
        if (strcmp(rt_info[i].name, name) == 0)
            return (IrRt)i;
    lex_fail(&p->lx, "unknown runtime function '%s'", name);
}

/* call f(...) or rt f(...), after its results. */
static void
read_call(Parser *p, IrVar **outs, int n_outs)
{
    IrStmt *s = ir_append(&p->b, lex_take(&p->lx, "rt") ? IS_RT : IS_CALL);
    if (s->kind == IS_CALL)
        lex_need(&p->lx, "call");
    Sym name = lex_word(&p->lx);
    if (s->kind == IS_RT)
        s->rt = (uint8_t)find_rt(p, name);
    else if (!(s->func = map_get(&p->funcs, name)))
        lex_fail(&p->lx, "unknown function '%s'", name);
    read_call_args(p, s);
    s->n_outs = n_outs;
    s->outs = NEW_N(&p->cx->arena, IrArg, n_outs ? n_outs : 1);
    for (int i = 0; i < n_outs; i++) {
        if (outs[i] && outs[i]->is_array)
            s->outs[i].arr = outs[i];
        else
            s->outs[i].out = outs[i];
    }
}

/* run f, chunks, workers(args); launch k, threads, block(args) */
static void
read_run(Parser *p, IrStmtKind kind)
{
    IrStmt *s = ir_append(&p->b, kind);
    Sym name = lex_word(&p->lx);
    if (!(s->func = map_get(&p->funcs, name)))
        lex_fail(&p->lx, "unknown function '%s'", name);
    s->n_idx = 2;
    s->idx = NEW_N(&p->cx->arena, IrExpr *, 2);
    for (int i = 0; i < 2; i++) {
        lex_need(&p->lx, ",");
        s->idx[i] = read_expr(p);
    }
    read_call_args(p, s);
}

static bool
at_call(Parser *p)
{
    return (lex_at(&p->lx, "call") || lex_at(&p->lx, "rt")) && lex_word_follows(&p->lx);
}

/* v = e, v = alloc..., v, w = call..., v[i] = e */
static void
read_assign(Parser *p)
{
    IrVar *outs[64], *v;
    int n = 0;
    do {
        Sym name = lex_peek_word(&p->lx);
        bool none = name && strcmp(name, "_") == 0;
        if (none)
            lex_word(&p->lx);
        if (n == SW_LEN(outs))
            lex_fail(&p->lx, "too many results");
        outs[n++] = v = none ? NULL : read_var(p);
    } while (lex_take(&p->lx, ","));
    if (v && lex_at(&p->lx, "[")) {
        IrExpr *idx[32];
        int k = read_list(p, "[", "]", idx, 32);
        lex_need(&p->lx, "=");
        ir_store(&p->b, v, k, idx, read_expr(p));
        return;
    }
    lex_need(&p->lx, "=");
    if (at_call(p))
        read_call(p, outs, n);
    else if (at_grid_stmt(p))
        read_grid_stmt(p, outs, n);
    else if (!v || n != 1)
        lex_fail(&p->lx, "expected a call");
    else if (v->is_array)
        read_array_def(p, v);
    else
        ir_set(&p->b, v, read_expr(p));
}

static void
read_loop(Parser *p, int kind)
{
    Sym name = lex_word(&p->lx);
    lex_need(&p->lx, "in");
    IrExpr *lo = read_expr(p);
    lex_need(&p->lx, "..");
    IrExpr *hi = read_expr(p);
    IrVar *v = find_var(p, name);
    if (!v) {
        v = ir_var(p->f, name, DT_i64);
        map_put(&p->cx->arena, &p->vars, name, v);
    }
    IrStmt *s = ir_loop(&p->b, (LoopKind)kind, v, lo, hi, 1);
    if (lex_take(&p->lx, "step"))
        s->idx[2] = read_expr(p);
    read_attrs(p, s);
    read_body(p, &s->body);
}

static void
read_while(Parser *p)
{
    IrStmt *s = ir_while(&p->b);
    if (lex_at_end(&p->lx)) {
        read_body(p, &s->pre);
        lex_line(&p->lx);
        lex_need(&p->lx, "test");
    }
    s->e = read_expr(p);
    read_attrs(p, s);
    read_body(p, &s->body);
}

static bool
next_line_is(Parser *p, const char *word)
{
    return lex_same_indent(&p->lx) && lex_next_line_is(&p->lx, word);
}

static void
read_if(Parser *p)
{
    IrStmt *s = ir_if(&p->b, read_expr(p));
    read_attrs(p, s);
    read_body(p, &s->body);
    if (next_line_is(p, "else")) {
        lex_line(&p->lx);
        lex_need(&p->lx, "else");
        read_body(p, &s->els);
    }
}

static void
read_handler(Parser *p, IrHandler *h)
{
    Vec(const char *) exc = {0};
    while (!lex_at_end(&p->lx)) {
        if (exc.n)
            lex_need(&p->lx, ",");
        VEC_PUSH(&p->cx->arena, exc, (const char *)lex_word(&p->lx));
    }
    h->exc = exc.at;
    h->n_exc = exc.n;
    read_body(p, &h->body);
}

static void
read_try(Parser *p)
{
    IrStmt *s = ir_append(&p->b, IS_TRY);
    Vec(IrHandler) v = {0};
    read_body(p, &s->body);
    while (next_line_is(p, "except")) {
        lex_line(&p->lx);
        lex_need(&p->lx, "except");
        IrHandler h = {0};
        read_handler(p, &h);
        VEC_PUSH(&p->cx->arena, v, h);
    }
    s->handlers = v.at;
    s->n_handlers = v.n;
    if (next_line_is(p, "else")) {
        lex_line(&p->lx);
        lex_need(&p->lx, "else");
        read_body(p, &s->els);
    }
}

static void
read_index(Parser *p, IrStmt *s)
{
    IrExpr *idx[64];
    s->n_idx = read_list(p, "[", "]", idx, 64);
    s->idx = arena_dup(&p->cx->arena, idx, sizeof *idx * (size_t)(s->n_idx + 1));
}

static void
read_piece(Parser *p, IrStmt *s, const FormPiece *f)
{
    int word;
    switch (f->kind) {
    case FORM_TEXT:
        lex_need(&p->lx, f->text);
        break;
    case FORM_ARRAY:
        s->var = read_array(p);
        break;
    case FORM_BASE:
        s->base = read_array(p);
        break;
    case FORM_INDEX:
        read_index(p, s);
        break;
    case FORM_BOOL:
    case FORM_I64:
        s->e = read_expr(p);
        break;
    case FORM_AXIS:
        s->axis = (uint8_t)lex_int(&p->lx);
        break;
    case FORM_N:
        s->n = (int)lex_int(&p->lx);
        break;
    case FORM_ORDER:
        s->order = (uint8_t)lex_int(&p->lx);
        break;
    case FORM_WORD:
        word = read_word(p, f->words->words, f->words->n, f->words->what);
        if (f->words->in_n)
            s->n = word;
        else
            s->order = (uint8_t)word;
        break;
    case FORM_VALUES:
        s->args = read_args(p, &s->n_args);
        break;
    case FORM_SITE:
        read_site(p, s);
        break;
    case FORM_PLACE:
        break;
    }
}

static void
read_form(Parser *p, IrStmtKind kind)
{
    IrStmt *s = ir_append(&p->b, kind);
    const char *at = stmt_info[kind].form;
    for (FormPiece f; ir_form_next(&at, &f);)
        read_piece(p, s, &f);
}

static int
loop_word(Parser *p)
{
    for (int i = 0; i < IR_LOOP_WORDS; i++)
        if (lex_take(&p->lx, ir_loop_words[i]))
            return i;
    return -1;
}

static void
read_stmt(Parser *p)
{
    int kind;
    p->b.span = lex_span(&p->lx);
    if (lex_peek_next(&p->lx, "=") || lex_peek_next(&p->lx, "[") || lex_peek_next(&p->lx, ","))
        read_assign(p);
    else if (at_call(p))
        read_call(p, NULL, 0);
    else if (at_grid_stmt(p))
        read_grid_stmt(p, NULL, 0);
    else if ((kind = loop_word(p)) >= 0)
        read_loop(p, kind);
    else if (lex_take(&p->lx, "while"))
        read_while(p);
    else if (lex_take(&p->lx, "if"))
        read_if(p);
    else if (lex_take(&p->lx, "try"))
        read_try(p);
    else if (lex_take(&p->lx, "put"))
        read_put(p);
    else if (lex_take(&p->lx, "run"))
        read_run(p, IS_PAR);
    else if (lex_take(&p->lx, "launch"))
        read_run(p, IS_LAUNCH);
    else if ((kind = ir_form_kind(lex_peek_word(&p->lx))) >= 0)
        read_form(p, (IrStmtKind)kind);
    else
        lex_fail(&p->lx, "no statement starts with '%s'", lex_peek_word(&p->lx));
    lex_end_line(&p->lx);
}

/* Lines indented deeper than the line just read. */
static void
read_block(Parser *p, IrBlock *to)
{
    IrBlock *save = p->b.at;
    int outer = lex_enter(&p->lx);
    p->b.at = to;
    while (lex_line_in_block(&p->lx))
        read_stmt(p);
    lex_leave(&p->lx, outer);
    p->b.at = save;
}

/* ---- functions, modules ---------------------------------------------------------------------- */

/* Of a function that is compiled under others than the module. */
static const SwOptions *
read_options(Parser *p, const char *text)
{
    SwOptions *o = arena_dup(&p->cx->arena, p->cx->opt, sizeof *o);
    int v[5];
    if (sscanf(text, "%d %d %d %d %d", &v[0], &v[1], &v[2], &v[3], &v[4]) != SW_LEN(v))
        lex_fail(&p->lx, "options are boundscheck, fastmath, debug, parallel and contract");
    o->boundscheck = (uint8_t)v[0];
    o->fastmath = (uint8_t)v[1];
    o->debug = (uint8_t)v[2];
    o->parallel = (uint8_t)v[3];
    o->contract = (uint8_t)v[4];
    return o;
}

static void
read_header(Parser *p)
{
    IrFunc *f = p->f = ir_func(p->m, lex_word(&p->lx));
    IrFunc scratch = {.mod = p->m}; /* results are no variables of the function */
    f->at = lex_span(&p->lx);
    map_put(&p->cx->arena, &p->funcs, intern(&p->cx->syms, f->name), f);
    lex_need(&p->lx, "(");
    while (!lex_take(&p->lx, ")")) {
        if (f->n_params++)
            lex_need(&p->lx, ",");
        Sym name = lex_word(&p->lx);
        lex_need(&p->lx, ":");
        IrVar *v = read_type(p, name, f);
        v->is_param = true;
        read_var_flags(p, v);
    }
    if (lex_take(&p->lx, "->")) {
        bool many = lex_take(&p->lx, "(");
        do {
            if (f->n_results == SW_LEN(f->results))
                lex_fail(&p->lx, "too many results");
            f->results[f->n_results++] = read_type(p, "result", &scratch);
        } while (many && lex_take(&p->lx, ","));
        if (many)
            lex_need(&p->lx, ")");
    }
    f->entry = lex_take(&p->lx, "entry");
    f->may_raise = lex_take(&p->lx, "may_raise");
    f->recursive = lex_take(&p->lx, "recursive");
    f->inlined = lex_take(&p->lx, "inlined");
    f->apart = lex_take(&p->lx, "apart");
    f->kernel = lex_take(&p->lx, "kernel");
    f->lib = lex_take(&p->lx, "lib");
    if (lex_take(&p->lx, "unit"))
        f->unit = lex_string(&p->lx, NULL);
    if (lex_take(&p->lx, "foreign"))
        f->foreign = lex_string(&p->lx, NULL);
    if (lex_take(&p->lx, "options"))
        f->opt = read_options(p, lex_string(&p->lx, NULL));
    lex_end_line(&p->lx);
}

static void
add_var(Parser *p, IrVar *v)
{
    Sym name = intern(&p->cx->syms, v->name);
    if (map_get(&p->vars, name))
        lex_fail(&p->lx, "'%s' is declared twice", name);
    map_put(&p->cx->arena, &p->vars, name, v);
}

static void
read_var_lines(Parser *p)
{
    while (lex_next_line_is(&p->lx, "var") && !lex_next_line_assigns(&p->lx)) {
        lex_line(&p->lx);
        lex_need(&p->lx, "var");
        Sym name = lex_word(&p->lx);
        lex_need(&p->lx, ":");
        IrVar *v = read_type(p, name, p->f);
        read_var_flags(p, v);
        add_var(p, v);
        lex_end_line(&p->lx);
    }
}

static void
read_func(Parser *p)
{
    lex_need(&p->lx, "func");
    Sym name = lex_word(&p->lx);
    p->f = map_get(&p->funcs, name);
    if (!p->f)
        lex_fail(&p->lx, "no function '%s' is declared", name);
    p->vars = (Map){0};
    p->b = (IrBuilder){.cx = p->cx, .mod = p->m, .f = p->f, .at = &p->f->body};
    for (int i = 0; i < p->f->n_params; i++)
        add_var(p, p->f->vars.at[i]);
    lex_skip_line(&p->lx);
    read_var_lines(p);
    p->lx.indent = 0; /* the body is deeper than `func`, not than the last `var` */
    read_block(p, &p->f->body);
}

static void
read_site_row(Parser *p)
{
    IrSite s = {0};
    if (lex_int(&p->lx) != p->m->sites.n)
        lex_fail(&p->lx, "sites are numbered from 0");
    s.exc = lex_string(&p->lx, NULL);
    s.format = lex_string(&p->lx, NULL);
    if (lex_take(&p->lx, "at")) {
        s.file = lex_string(&p->lx, NULL);
        s.line = (int)lex_int(&p->lx);
        s.col = (int)lex_int(&p->lx);
        s.end_col = (int)lex_int(&p->lx);
    }
    if (lex_take(&p->lx, "in"))
        s.func = lex_string(&p->lx, NULL);
    if (lex_take(&p->lx, "text"))
        s.text = lex_string(&p->lx, NULL);
    if (lex_take(&p->lx, "within")) {
        int64_t call = lex_int(&p->lx);
        if (call < 0 || call >= p->m->sites.n)
            lex_fail(&p->lx, "a site stands behind that of the call around it");
        s.within = 1 + (int)call;
    }
    if (lex_take(&p->lx, "cause"))
        s.cause = (int)lex_int(&p->lx);
    s.is_lib = lex_take(&p->lx, "lib");
    VEC_PUSH(&p->cx->arena, p->m->sites, s);
    lex_end_line(&p->lx);
}

static int
hex_digit(int c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : 0;
}

static void
read_const_row(Parser *p)
{
    int64_t shape[32];
    IrConstArray c = {0};
    if (lex_int(&p->lx) != p->m->consts.n)
        lex_fail(&p->lx, "constant arrays are numbered from 0");
    c.dtype = (uint8_t)read_dtype(p);
    size_t want = (size_t)dtype_size(c.dtype), len;
    lex_need(&p->lx, "(");
    while (!lex_take(&p->lx, ")")) {
        if (c.ndim == SW_LEN(shape) || (c.ndim && !lex_take(&p->lx, ",")))
            lex_fail(&p->lx, "a malformed shape");
        shape[c.ndim] = lex_int(&p->lx);
        if (shape[c.ndim] < 0 || __builtin_mul_overflow(want, (size_t)shape[c.ndim], &want))
            lex_fail(&p->lx, "a malformed shape");
        c.ndim++;
    }
    const char *hex = lex_string(&p->lx, &len);
    if (len % 2 || len / 2 != want)
        lex_fail(&p->lx, "a constant array of %zu bytes has %zu hex digits", want, len);
    char *data = arena_alloc(&p->cx->arena, want + 1);
    for (size_t i = 0; i < want; i++)
        data[i] = (char)(hex_digit(hex[2 * i]) << 4 | hex_digit(hex[2 * i + 1]));
    c.data = data;
    c.nbytes = want;
    c.shape = arena_dup(&p->cx->arena, shape, sizeof *shape * c.ndim);
    VEC_PUSH(&p->cx->arena, p->m->consts, c);
    lex_end_line(&p->lx);
}

static void
read_headers(Parser *p)
{
    while (lex_line(&p->lx)) {
        if (lex_indent(&p->lx) == 0 && lex_take(&p->lx, "func"))
            read_header(p);
        else
            lex_skip_line(&p->lx);
    }
}

static void
read_module(Parser *p)
{
    while (lex_line(&p->lx)) {
        if (lex_indent(&p->lx))
            lex_fail(&p->lx, "unexpected indentation");
        if (lex_at(&p->lx, "func"))
            read_func(p);
        else if (lex_take(&p->lx, "site"))
            read_site_row(p);
        else if (lex_take(&p->lx, "const"))
            read_const_row(p);
        else
            lex_fail(&p->lx, "expected site, const or func");
    }
}

IrModule *
ir_parse(Cx *cx, const char *text, char **err)
{
    Parser *p = NEW(&cx->arena, Parser);
    p->cx = cx;
    p->m = ir_module(cx);
    *err = NULL;
    if (setjmp(p->lx.failed)) {
        *err = p->lx.error;
        return NULL;
    }
    lex_init(&p->lx, cx, text);
    read_headers(p);
    lex_rewind(&p->lx);
    read_module(p);
    return p->m;
}
