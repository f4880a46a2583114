/* SPDX-License-Identifier: BSD-3-Clause
 * Statements. In functions without barriers an IR statement is the C statement that it looks like.
 * OpenCL wants each barrier to be reached by all threads of a block or none, while here threads may
 * have returned, or wait at it inside of a branch that others don't take. So in functions with
 * barriers all threads walk through everything that holds one, and a mask says who is really there:
 * what lies between ("a chunk") is run by these; who returns, breaks or continues leaves the masks
 * and jumps to the end of the chunk; loops whose trips differ go on while any thread is in them.
 * Conditions on which all agree (uniform.c) need none of that. */
#include "gen/opencl/opencl.h"

#define P(...) arena_printf(&g->cx->arena, __VA_ARGS__)

/* ---- masks ----------------------------------------------------------------------------------- */

const char *
cl_mask(const Cl *g)
{
    return g->masks.n ? g->masks.at[g->masks.n - 1].name : "true";
}

static const char *
push_mask(Cl *g, IrStmt *loop, bool alive)
{
    ClMask m = {.loop = loop, .alive = alive};
    char *name = P("sw_m%d", g->serial++);
    memcpy(m.name, name, strlen(name) + 1);
    VEC_PUSH(&g->cx->arena, g->masks, m);
    return name;
}

void
cl_off(Cl *g, int from)
{
    for (int i = from; i < g->masks.n; i++)
        cl_line(g, "%s = false;", g->masks.at[i].name);
}

static void
end_chunk_here(Cl *g)
{
    cl_line(g, "goto sw_l%d;", g->label);
    g->left_chunk = true;
}

void
cl_leave(Cl *g, bool failing)
{
    if (!g->inst->waits) {
        cl_line(g, g->f->kernel ? "return;" : failing ? "return 1;" : "return 0;");
        return;
    }
    if (failing && !g->f->kernel)
        cl_line(g, "sw_status = 1;");
    cl_off(g, 0);
    if (g->in_chunk)
        end_chunk_here(g);
}

/* break and continue, out of a loop that holds barriers; false: the loop is a plain one. */
static bool
leave_loop(Cl *g, bool whole)
{
    if (g->plain_loops || !g->inst->waits)
        return false;
    int k = g->masks.n - 1;
    while (k > 0 && !g->masks.at[k].loop)
        k--;
    if (whole && k > 0)
        k--; /* the mask of the loop lies just outside the one of its iteration */
    cl_off(g, k);
    end_chunk_here(g);
    return true;
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void
open_brace(Cl *g, const char *head)
{
    cl_line(g, "%s {", head);
    g->indent++;
}

static void
close_brace(Cl *g)
{
    g->indent--;
    cl_line(g, "}");
}

static int64_t
step_of(const IrStmt *s)
{
    int64_t step = 1;
    ir_is_const(s->idx[2], &step);
    return step;
}

/* LLVM sees that who has just left does nothing at the top of the loop, and gives these threads a
 * way back of their own, which PoCL then takes for a loop of its own. A barrier at the end keeps
 * the ways together. */
static void
wait_at_end(Cl *g, const IrStmt *s)
{
    const IrStmt *last = s->body.last;
    bool waits = last && last->kind == IS_BARRIER && last->n == VOTE_NONE;
    if (g->inst->waits && !g->in_chunk && g->masks.n && !waits)
        cl_line(g, "barrier(CLK_LOCAL_MEM_FENCE);");
}

/* Far from the ends of int64: sizes, what was narrower, constants, the lesser of such. */
static bool
is_modest(const IrExpr *e)
{
    int64_t v, most = (int64_t)1 << 62;
    if (ir_is_const(e, &v))
        return v > -most && v < most;
    if (e->kind == IX_OP && (e->op == OP_min || e->op == OP_max))
        return is_modest(e->arg[0]) && is_modest(e->arg[1]);
    return e->kind == IX_DIM || e->kind == IX_GEO ||
           (e->kind == IX_CAST && dtype_is_int((DType)e->arg[0]->dtype) &&
            dtype_info[e->arg[0]->dtype].bits <= 32);
}

/* What counter k has next, which is no farther than the end where it might wrap. */
static char *
next_of(Cl *g, const IrStmt *s, int k)
{
    int64_t step = step_of(s), most = (int64_t)1 << 62;
    const char *t = cl_type((DType)s->var->dtype);
    bool up = step > 0;
    unsigned long long far = up ? (uint64_t)step : 0 - (uint64_t)step;
    if (far == 1 || (step > -most && step < most && is_modest(s->idx[1])))
        return P("sw_c%d += %lld", k, (long long)step);
    return P("sw_c%d = (ulong)sw_%c%d - (ulong)sw_%c%d > %lluUL ? (%s)((ulong)sw_c%d %c %lluUL) : "
             "sw_e%d",
             k, up ? 'e' : 'c', k, up ? 'c' : 'e', k, far, t, k, up ? '+' : '-', far, k);
}

/* All threads that are here run it together, and agree on its bounds. */
static void
plain_loop(Cl *g, IrStmt *s)
{
    int k = g->serial++;
    const char *t = cl_type((DType)s->var->dtype);
    open_brace(g, P("for (%s sw_c%d = %s, sw_e%d = %s; sw_c%d %s sw_e%d; %s)", t, k,
                    cl_expr(g, s->idx[0]), k, cl_expr(g, s->idx[1]), k, step_of(s) > 0 ? "<" : ">",
                    k, next_of(g, s, k)));
    cl_line(g, "%s = sw_c%d;", cl_var(g, s->var), k);
    cl_block(g, &s->body);
    wait_at_end(g, s);
    close_brace(g);
}

/* All may have left a loop whose condition doesn't know of it: that is looked at now and then. */
static void
stop_when_empty(Cl *g, IrStmt *s)
{
    int64_t always, k = g->serial++;
    if (!g->inst->waits || g->in_chunk || !(cl_slips(g, &s->body) || cl_slips(g, &s->pre)))
        return;
    sb_addf(g->decls, "    uint sw_c%lld = 0;\n", (long long)k);
    open_brace(g, ir_is_const(s->e, &always) ? "" : P("if ((++sw_c%lld & 63) == 0)", (long long)k));
    cl_line(g, "if (!%s) break;", cl_any(g, cl_mask(g)));
    close_brace(g);
}

static void
plain_while(Cl *g, IrStmt *s)
{
    open_brace(g, "for (;;)");
    stop_when_empty(g, s);
    cl_block(g, &s->pre);
    cl_line(g, "if (!%s) break;", cl_expr(g, s->e));
    cl_block(g, &s->body);
    wait_at_end(g, s);
    close_brace(g);
}

static void
masked_loop(Cl *g, IrStmt *s)
{
    int k = g->serial++;
    const char *t = cl_type((DType)s->var->dtype), *outer = cl_mask(g);
    open_brace(g, "");
    cl_line(g, "%s sw_c%d = 0, sw_e%d = 0;", t, k, k);
    cl_line(g, "if (%s) { sw_c%d = %s; sw_e%d = %s; }", outer, k, cl_expr(g, s->idx[0]), k,
            cl_expr(g, s->idx[1]));
    const char *alive = push_mask(g, s, true);
    cl_line(g, "bool %s = %s;", alive, outer);
    open_brace(g, "for (;;)");
    cl_line(g, "%s = %s && sw_c%d %s sw_e%d;", alive, alive, k, step_of(s) > 0 ? "<" : ">", k);
    cl_line(g, "if (!%s) break;", cl_any(g, alive));
    const char *in = push_mask(g, s, false);
    cl_line(g, "bool %s = %s;", in, alive);
    cl_line(g, "if (%s) %s = sw_c%d;", in, cl_var(g, s->var), k);
    cl_block(g, &s->body);
    cl_line(g, "%s;", next_of(g, s, k));
    wait_at_end(g, s);
    close_brace(g);
    close_brace(g);
    g->masks.n -= 2;
}

static void
masked_while(Cl *g, IrStmt *s)
{
    const char *outer = cl_mask(g), *alive = push_mask(g, s, true), *in;
    open_brace(g, "");
    cl_line(g, "bool %s = %s;", alive, outer);
    open_brace(g, "for (;;)");
    in = push_mask(g, s, false);
    cl_line(g, "bool %s = %s;", in, alive);
    cl_block(g, &s->pre);
    cl_line(g, "%s = %s = %s && %s;", alive, in, in, cl_expr(g, s->e));
    cl_line(g, "if (!%s) break;", cl_any(g, in));
    cl_block(g, &s->body);
    wait_at_end(g, s);
    close_brace(g);
    close_brace(g);
    g->masks.n -= 2;
}

/* ---- statements that hold barriers ----------------------------------------------------------- */

static void
plain_if(Cl *g, IrStmt *s)
{
    open_brace(g, P("if (%s)", cl_expr(g, s->e)));
    cl_block(g, &s->body);
    close_brace(g);
    if (!s->els.first)
        return;
    open_brace(g, "else");
    cl_block(g, &s->els);
    close_brace(g);
}

static void
masked_if(Cl *g, IrStmt *s)
{
    const char *outer = cl_mask(g), *yes = push_mask(g, NULL, false);
    g->masks.n--;
    const char *no = push_mask(g, NULL, false);
    g->masks.n--;
    open_brace(g, "");
    cl_line(g, "bool %s = %s && %s, %s = %s && !%s;", yes, outer, cl_expr(g, s->e), no, outer, yes);
    const char *of[2] = {yes, no};
    IrBlock *blocks[2] = {&s->body, &s->els};
    for (int i = 0; i < 2; i++) {
        push_mask(g, NULL, false);
        memcpy(g->masks.at[g->masks.n - 1].name, of[i], strlen(of[i]) + 1);
        cl_block(g, blocks[i]);
        g->masks.n--;
    }
    close_brace(g);
}

static void
waiting(Cl *g, IrStmt *s)
{
    bool apart;
    switch (s->kind) {
    case IS_BARRIER:
        cl_barrier(g, s);
        break;
    case IS_WARP:
        cl_warp(g, s);
        break;
    case IS_CALL:
        cl_call(g, s);
        break;
    case IS_IF:
        if (cl_varies(g, s->e))
            masked_if(g, s);
        else
            plain_if(g, s);
        break;
    case IS_LOOP:
        apart = cl_varies(g, s->idx[0]) || cl_varies(g, s->idx[1]) || cl_leaves(&s->body, s);
        if (apart)
            masked_loop(g, s);
        else
            plain_loop(g, s);
        break;
    case IS_WHILE:
        if (cl_varies(g, s->e) || cl_leaves(&s->body, s) || cl_leaves(&s->pre, s))
            masked_while(g, s);
        else
            plain_while(g, s);
        break;
    default:
        cl_refuse(g, s->at, REFUSE_OPENCL_barrier, NULL, NULL);
    }
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static bool
constant_dims(const IrStmt *s, int64_t *count)
{
    *count = 1;
    for (int k = 0; k < s->n_idx; k++) {
        int64_t n;
        if (!ir_is_const(s->idx[k], &n) || n < 0 || (n && *count > (1 << 24) / n))
            return false;
        *count *= n;
    }
    return true;
}

static void
set_shape(Cl *g, IrStmt *s)
{
    char *name = cl_var(g, s->var), *stride = P("%dL", dtype_size((DType)s->var->dtype));
    int n = s->n_idx;
    for (int i = 0; i < n; i++) {
        int k = s->order == LAY_F ? i : n - 1 - i;
        cl_line(g, "%s_n%d = %s; %s_s%d = %s;", name, k, cl_expr(g, s->idx[k]), name, k, stride);
        stride = P("%s_s%d * %s_n%d", name, k, name, k);
    }
}

/* As many places as there are names that may look at what was made before, and one: the first that
 * none of them looks at. */
static void
free_place(Cl *g, const char *name, int k, int64_t bytes, IrVar **kept, int n)
{
    cl_line(g, "{");
    cl_line(g, "uchar *sw_q = (uchar *)sw_a%d;", k);
    StrBuf o = {0};
    for (int i = 0; i < n; i++) {
        char *v = cl_var(g, kept[i]);
        sb_addf(&o, "%s(%s_p >= sw_q && %s_p < sw_q + %lld)", i ? " || " : "", v, v,
                (long long)bytes);
    }
    cl_line(g, "while (%s) sw_q += %lld;", o.s, (long long)bytes);
    cl_line(g, "%s_p = sw_q;", name);
    cl_line(g, "}");
    sb_free(&o);
}

static void
private_array(Cl *g, IrStmt *s, int64_t count)
{
    IrVar **kept;
    int k = g->serial++, n = ir_kept(g->f, s, &kept);
    char *name = cl_var(g, s->var);
    int64_t size = dtype_size((DType)s->var->dtype),
            bytes = ((count ? count : 1) * size + 15) / 16 * 16;
    sb_addf(g->decls, "    %s sw_a%d[%lld] __attribute__((aligned(16)));\n",
            s->var->dtype == DT_f16 ? "ushort" : cl_mem_type((DType)s->var->dtype), k,
            (long long)(bytes / size * (n + 1)));
    if (n)
        free_place(g, name, k, bytes, kept, n);
    else
        cl_line(g, "%s_p = (uchar *)sw_a%d;", name, k);
    if (!g->f->kernel && ir_given_out(g->f, s))
        cl_refuse(g, s->at, REFUSE_OPENCL_new_array, g->f->name, NULL);
    if (s->zero || s->var->space == SPACE_LOCAL)
        cl_line(g, "for (int sw_z = 0; sw_z < %lld; sw_z++) %s_p[sw_z] = 0;", (long long)bytes,
                name);
}

static void
alloc(Cl *g, IrStmt *s)
{
    int64_t count;
    char *name = cl_var(g, s->var);
    bool fixed = constant_dims(s, &count);
    int64_t bytes = fixed ? count * dtype_size((DType)s->var->dtype) : 0;
    set_shape(g, s);
    if (s->var->space == SPACE_SHARED && fixed)
        cl_line(g, "%s_p = sw_sh + %lld;", name, (long long)cl_shared(g, bytes));
    else if (s->var->space == SPACE_SHARED)
        cl_line(g, "%s_p = sw_dyn;", name);
    else if (fixed && bytes <= (64 << 10))
        private_array(g, s, count);
    else
        cl_refuse(g, s->at, REFUSE_OPENCL_alloc, s->var->name, NULL);
}

static void
copy_shape(Cl *g, const IrVar *to, const IrVar *from)
{
    char *a = cl_var(g, to), *b = cl_var(g, from);
    for (int k = 0; k < to->ndim; k++)
        cl_line(g, "%s_n%d = %s_n%d; %s_s%d = %s_s%d;", a, k, b, k, a, k, b, k);
}

/* Through temporaries: the variable may be in the expressions that describe it. */
static void
view(Cl *g, IrStmt *s)
{
    char *a = cl_var(g, s->var), *b = cl_var(g, s->base);
    int n = s->var->ndim, k0 = g->serial++;
    open_brace(g, "");
    cl_line(g, "%s uchar *sw_p%d = %s_p + %s;", cl_space(cl_space_of(g, s->base)), k0, b,
            cl_expr(g, s->e));
    for (int k = 0; k < n; k++)
        cl_line(g, "long sw_n%d_%d = %s, sw_s%d_%d = %s;", k0, k, cl_expr(g, s->idx[k]), k0, k,
                cl_expr(g, s->idx[n + k]));
    cl_line(g, "%s_p = sw_p%d;", a, k0);
    for (int k = 0; k < n; k++)
        cl_line(g, "%s_n%d = sw_n%d_%d; %s_s%d = sw_s%d_%d;", a, k, k0, k, a, k, k0, k);
    close_brace(g);
}

static char *
walked(Cl *g, const IrVar *v, int id)
{
    char *at = P("%s_p", cl_var(g, v));
    for (int k = 0; k < v->ndim; k++)
        at = P("%s + sw_i%d_%d * %s_s%d", at, id, k, cl_var(g, v), k);
    return P("((%s %s *)(%s))", cl_space(cl_space_of(g, v)), cl_mem_type((DType)v->dtype), at);
}

static void
copy_array(Cl *g, IrStmt *s)
{
    int id = g->serial++;
    DType d = (DType)s->var->dtype;
    for (int k = 0; k < s->var->ndim; k++)
        open_brace(g, P("for (long sw_i%d_%d = 0; sw_i%d_%d < %s_n%d; sw_i%d_%d++)", id, k, id, k,
                        cl_var(g, s->var), k, id, k));
    cl_store(g, d, cl_space_of(g, s->var), walked(g, s->var, id),
             cl_load(g, d, cl_space_of(g, s->base), walked(g, s->base, id)));
    for (int k = 0; k < s->var->ndim; k++)
        close_brace(g);
}

/* ---- errors ---------------------------------------------------------------------------------- */

static void
fail(Cl *g, int site, int n, char **args)
{
    cl_line(g, "sw_fail(sw_err, %d, %s, %s, %s, %s);", site, n > 0 ? args[0] : "0",
            n > 1 ? args[1] : "0", n > 2 ? args[2] : "0", n > 3 ? args[3] : "0");
    cl_leave(g, true);
}

static int
message_args(Cl *g, IrStmt *s, char **out)
{
    int n = s->n_args < 4 ? s->n_args : 4;
    for (int i = 0; i < n; i++) {
        const IrExpr *e = s->args[i].e;
        if (!e)
            out[i] = "0";
        else if (dtype_kind((DType)e->dtype) >= DK_FLOAT)
            out[i] = P("as_long(%s)", cl_cast(g, DT_f64, (DType)e->dtype, cl_expr(g, e)));
        else
            out[i] = P("(long)%s", cl_expr(g, e));
    }
    return n;
}

static void
check(Cl *g, IrStmt *s)
{
    char *args[4];
    open_brace(g, P("if (!%s)", cl_expr(g, s->e)));
    fail(g, s->site, message_args(g, s, args), args);
    close_brace(g);
}

static void
check_index(Cl *g, IrStmt *s)
{
    char *i = cl_expr(g, s->e), *dim = P("%s_n%d", cl_var(g, s->var), s->axis);
    char *args[2] = {i, dim};
    int site = s->site;
    if (site < 0)
        site = ir_site(g->m, "IndexError", ir_index_format(&g->cx->arena, s->at, s->var, s->axis),
                       s->at);
    open_brace(g, P("if (%s < -%s || %s >= %s)", i, dim, i, dim));
    fail(g, site, 2, args);
    close_brace(g);
}

static void
raise_now(Cl *g, IrStmt *s)
{
    char *args[4];
    fail(g, s->site, message_args(g, s, args), args);
}

/* ---- all of them ----------------------------------------------------------------------------- */

static void
inner_loop(Cl *g, IrStmt *s)
{
    g->plain_loops++;
    if (s->kind == IS_LOOP)
        plain_loop(g, s);
    else
        plain_while(g, s);
    g->plain_loops--;
}

static void
fence(Cl *g, IrStmt *s)
{
    cl_line(g, s->order == FENCE_BLOCK ? "mem_fence(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);"
                                       : "mem_fence(CLK_GLOBAL_MEM_FENCE);");
}

static void
alike(Cl *g, IrStmt *s)
{
    const char *out = cl_var(g, s->outs[0].out);
    int id = g->serial++;
    cl_line(g, "%s = 1;", out);
    open_brace(
        g, P("for (long sw_i%d = 0; sw_i%d < %s; sw_i%d++)", id, id, cl_expr(g, s->args[2].e), id));
    cl_line(g, "%s &= %s_p[sw_i%d] == %s_p[sw_i%d];", out, cl_var(g, s->args[0].arr), id,
            cl_var(g, s->args[1].arr), id);
    close_brace(g);
}

static void
runtime_call(Cl *g, IrStmt *s)
{
    if (s->rt == RT_sw_alike) {
        alike(g, s);
        return;
    }
    bool nothing = s->rt == RT_sw_retain || s->rt == RT_sw_release;
    if (!nothing)
        cl_refuse(g, s->at, REFUSE_OPENCL_runtime, rt_info[s->rt].name, NULL);
}

static void
plain(Cl *g, IrStmt *s)
{
    switch (s->kind) {
    case IS_SET:
        cl_line(g, "%s = %s;", cl_var(g, s->var), cl_expr(g, s->e));
        break;
    case IS_STORE:
        cl_store(g, (DType)s->var->dtype, cl_space_of(g, s->var),
                 cl_address(g, s->var, s->n_idx, s->idx), cl_expr(g, s->e));
        break;
    case IS_ALLOC:
        alloc(g, s);
        break;
    case IS_VIEW:
        view(g, s);
        break;
    case IS_ALIAS:
        cl_line(g, "%s_p = %s_p;", cl_var(g, s->var), cl_var(g, s->base));
        copy_shape(g, s->var, s->base);
        break;
    case IS_CONSTARR:
        cl_line(g, "%s_p = (__constant uchar *)sw_const%d;", cl_var(g, s->var), s->n);
        for (int k = s->var->ndim - 1, i = dtype_size((DType)s->var->dtype); k >= 0; k--) {
            int64_t dim = g->m->consts.at[s->n].shape[k];
            cl_line(g, "%s_n%d = %lld; %s_s%d = %d;", cl_var(g, s->var), k, (long long)dim,
                    cl_var(g, s->var), k, i);
            i *= (int)dim;
        }
        break;
    case IS_LOOP:
    case IS_WHILE:
        inner_loop(g, s);
        break;
    case IS_IF:
        plain_if(g, s);
        break;
    case IS_BREAK:
        if (!leave_loop(g, true))
            cl_line(g, "break;");
        break;
    case IS_CONTINUE:
        if (!leave_loop(g, false))
            cl_line(g, "continue;");
        break;
    case IS_RETURN:
        cl_return(g, s);
        break;
    case IS_CALL:
        cl_call(g, s);
        break;
    case IS_RT:
        runtime_call(g, s);
        break;
    case IS_CHECK_INDEX:
        check_index(g, s);
        break;
    case IS_CHECK:
        check(g, s);
        break;
    case IS_RAISE:
        raise_now(g, s);
        break;
    case IS_PRINT:
        cl_print(g, s);
        break;
    case IS_COPY:
        copy_array(g, s);
        break;
    case IS_ATOMIC:
        cl_atomic(g, s);
        break;
    case IS_FENCE:
        fence(g, s);
        break;
    case IS_DROP:
    case IS_ASSUME:
        break;
    case IS_GET:
    case IS_PUT:
        cl_refuse(g, s->at, REFUSE_OPENCL_container, NULL, NULL);
        break;
    case IS_TRY:
    case IS_RERAISE:
        cl_refuse(g, s->at, REFUSE_OPENCL_try, NULL, NULL);
        break;
    default: /* what waits is not plain, and passes put the others in host code only */
        cl_refuse(g, s->at, REFUSE_OPENCL_statement, NULL, NULL);
        break;
    }
}

/* What all threads do, those that have left among them: see uniform.c. */
static bool
for_all(const Cl *g, const IrStmt *s)
{
    return s->kind == IS_ALLOC || s->kind == IS_CONSTARR ||
           (s->kind == IS_SET && !g->varies[s->var->id]) || cl_together(g, s);
}

/* Statements up to the next that holds a barrier or is for all, for the threads that are here. */
static IrStmt *
chunk(Cl *g, IrStmt *s)
{
    StrBuf *outer = g->out, inside = {0};
    g->out = &inside;
    g->label = g->serial++;
    g->in_chunk = true;
    g->left_chunk = false;
    for (; s && !cl_waits(g->f, s) && !for_all(g, s); s = s->next)
        plain(g, s);
    g->out = outer;
    g->in_chunk = false;
    if (inside.n) {
        cl_line(g, "if (%s) {", cl_mask(g));
        sb_addn(g->out, inside.s, inside.n);
        cl_line(g, "}");
        if (g->left_chunk)
            cl_line(g, "sw_l%d:;", g->label);
    }
    sb_free(&inside);
    return s;
}

void
cl_block(Cl *g, IrBlock *b)
{
    for (IrStmt *s = b->first; s && !g->failed;) {
        if (!g->inst->waits || g->in_chunk) {
            plain(g, s);
            s = s->next;
        } else if (cl_waits(g->f, s) || for_all(g, s)) {
            if (for_all(g, s))
                plain(g, s);
            else
                waiting(g, s);
            s = s->next;
        } else {
            s = chunk(g, s);
        }
    }
}
