/* SPDX-License-Identifier: BSD-3-Clause
 * A module of OpenCL C: the kernel, the functions that it reaches, constant arrays, and of the
 * helpers those that are mentioned. Takes IR after its passes; yields the text, or diagnostics. */
#include "gen/opencl/opencl.h"

#include <ctype.h>
#include <stdlib.h>

/* ---- small parts ----------------------------------------------------------------------------- */

void
cl_line(Cl *g, const char *fmt, ...)
{
    for (int i = 0; i < g->indent; i++)
        sb_add(g->out, "    ");
    va_list ap;
    va_start(ap, fmt);
    sb_vaddf(g->out, fmt, ap);
    va_end(ap);
    sb_add(g->out, "\n");
}

void
cl_refuse(Cl *g, Span at, GenRefusal what, const char *a, const char *b)
{
    gen_refuse(g->cx, at, what, a, b);
    g->failed = true;
}

const char *
cl_space(ClSpace s)
{
    static const char *const names[CLS_COUNT] = {"__private", "__global", "__local", "__private",
                                                 "__constant"};
    return names[s];
}

ClSpace
cl_space_of(Cl *g, const IrVar *v)
{
    return (ClSpace)g->inst->space[v->id];
}

/* x.1 of the IR becomes x_12, by its number: no word of OpenCL ends so. */
char *
cl_var(Cl *g, const IrVar *v)
{
    char *name = arena_printf(&g->cx->arena, "%.40s_%d", v->name, v->id);
    for (char *s = name; *s; s++)
        if (!isalnum((unsigned char)*s))
            *s = '_';
    if (isdigit((unsigned char)name[0]) || name[0] == '_')
        return arena_printf(&g->cx->arena, "v%s", name);
    return name;
}

int64_t
cl_shared(Cl *g, int64_t bytes)
{
    int64_t at = g->shared;
    g->shared += (bytes + 15) / 16 * 16;
    return at;
}

/* ---- functions ------------------------------------------------------------------------------- */

static void
declare_vars(Cl *g, StrBuf *o)
{
    for (int i = g->f->n_params; i < g->f->vars.n; i++) {
        const IrVar *v = g->f->vars.at[i];
        char *name = cl_var(g, v);
        ClSpace s = (ClSpace)g->inst->space[v->id];
        if (!v->is_array) {
            sb_addf(o, "    %s %s = 0;\n", cl_type((DType)v->dtype), name);
            continue;
        }
        if (s == CLS_NONE) /* nothing is ever assigned to it */
            s = CLS_GLOBAL;
        sb_addf(o, "    %s uchar *%s_p = 0;\n", cl_space(s), name);
        for (int k = 0; k < v->ndim; k++)
            sb_addf(o, "    long %s_n%d = 0, %s_s%d = 0;\n", name, k, name, k);
    }
}

static void
first_mask(Cl *g, StrBuf *o)
{
    if (!g->inst->waits || (g->f->kernel && !cl_leaves(&g->f->body, NULL)))
        return;
    ClMask m = {.name = "sw_on"};
    VEC_PUSH(&g->cx->arena, g->masks, m);
    sb_addf(o, "    bool sw_on = %s;\n", g->f->kernel ? "true" : "sw_here");
    if (!g->f->kernel)
        sb_add(o, "    int sw_status = 0;\n");
}

/* Statements into one text, what they want declared into another, both into the body. */
static void
function_body(Cl *g, const char *head, StrBuf *top)
{
    StrBuf text = {0}, decls = {0};
    g->out = &text;
    g->decls = &decls;
    g->indent = 1;
    g->masks.n = 0;
    g->in_chunk = false;
    g->plain_loops = 0;
    g->varies = NULL;
    if (g->inst->waits)
        cl_find_varying(g);
    first_mask(g, top);
    declare_vars(g, top);
    cl_block(g, &g->f->body);
    if (g->f->kernel && g->inst->waits)
        cl_start_votes(g, top);
    sb_addf(&g->body, "%s\n{\n%s%s%s", head, top->s ? top->s : "", decls.s ? decls.s : "",
            text.s ? text.s : "");
    if (!g->f->kernel)
        sb_addf(&g->body, "    return %s;\n", g->inst->waits ? "sw_status" : "0");
    sb_add(&g->body, "}\n\n");
    sb_free(&text);
    sb_free(&decls);
}

static void
device_function(Cl *g)
{
    StrBuf head = {0}, top = {0};
    sb_addf(&head, "SW_FN int\n%s(", g->inst->name);
    cl_params(g, g->inst, &head);
    sb_add(&head, ")");
    sb_addf(&g->protos, "%s;\n", head.s);
    function_body(g, head.s, &top);
    sb_free(&head);
    sb_free(&top);
}

static void
kernel_param(Cl *g, const IrVar *v, StrBuf *head, StrBuf *top)
{
    char *name = cl_var(g, v);
    DType d = (DType)v->dtype;
    if (v->is_array) {
        sb_addf(head, "__global uchar *%s_p, long %s_o", name, name);
        for (int k = 0; k < v->ndim; k++)
            sb_addf(head, ", long %s_n%d", name, k);
        for (int k = 0; k < v->ndim; k++)
            sb_addf(head, ", long %s_s%d", name, k);
        sb_addf(top, "    %s_p += %s_o;\n", name, name);
    } else if (dtype_is_complex(d)) {
        const char *part = cl_type(dtype_real(d));
        sb_addf(head, "%s %s_re, %s %s_im", part, name, part, name);
        sb_addf(top, "    %s %s = (%s)(%s_re, %s_im);\n", cl_type(d), name, cl_type(d), name, name);
    } else if (d == DT_bool || d == DT_f16) {
        sb_addf(head, "%s %s_in", d == DT_bool ? "uchar" : "ushort", name);
        sb_addf(top,
                d == DT_bool ? "    bool %s = %s_in != 0;\n"
                             : "    float %s = sw_bits_half(%s_in);\n",
                name, name);
    } else {
        sb_addf(head, "%s %s", cl_type(d), name);
    }
    sb_add(head, ", ");
}

static void
kernel_function(Cl *g)
{
    StrBuf head = {0}, top = {0}, all = {0};
    sb_addf(&head, "__kernel void\n%s(", g->inst->name);
    for (int i = 0; i < g->f->n_params; i++)
        kernel_param(g, g->f->vars.at[i], &head, &top);
    sb_add(&head, "__global uchar *sw_err_p, long sw_err_o, __local uchar *sw_dyn, long sw_dynb)");
    sb_add(&all,
           "    __global long *sw_err = (__global long *)(sw_err_p + sw_err_o);\n    SW_SHARED\n");
    sb_add(&all, top.s ? top.s : "");
    function_body(g, head.s, &all);
    sb_free(&head);
    sb_free(&top);
    sb_free(&all);
}

/* Callees were made before their callers: an instance is listed before those that it needs. */
static void
all_functions(Cl *g)
{
    for (int i = g->insts.n - 1; i >= 0 && !g->failed; i--) {
        g->inst = g->insts.at[i];
        g->f = g->inst->f;
        if (g->f->kernel)
            kernel_function(g);
        else
            device_function(g);
    }
}

/* ---- the whole text -------------------------------------------------------------------------- */

static void
constants(Cl *g, StrBuf *o)
{
    for (int i = 0; i < g->m->consts.n; i++) {
        const IrConstArray *c = &g->m->consts.at[i];
        const uint64_t *words = c->data;
        size_t n = (c->nbytes + 7) / 8;
        char *name = arena_printf(&g->cx->arena, "sw_const%d;", i);
        if (!strstr(g->body.s, name))
            continue;
        sb_addf(o, "__constant ulong sw_const%d[%zu] = {", i, n ? n : 1);
        for (size_t k = 0; k < n; k++) {
            uint64_t w = 0;
            size_t left = c->nbytes - 8 * k;
            memcpy(&w, &words[k], left < 8 ? left : 8);
            sb_addf(o, "%s0x%llxUL,", k % 6 ? " " : "\n    ", (unsigned long long)w);
        }
        sb_add(o, n ? "\n};\n" : "0};\n");
    }
}

static void
assemble(Cl *g, StrBuf *out)
{
    StrBuf code = {0};
    sb_add(&code, g->protos.s ? g->protos.s : "");
    constants(g, &code);
    sb_add(&code, "\n");
    sb_add(&code, g->body.s);
    if (strstr(code.s, "double"))
        sb_add(out, "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
    if (strstr(code.s, " atom_"))
        sb_add(out, "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n"
                    "#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable\n");
    if (!(g->cx->opt->fastmath & FM_CONTRACT) && !g->cx->opt->contract)
        sb_add(out, "#pragma OPENCL FP_CONTRACT OFF\n");
    if (g->cx->opt->fastmath == FM_ALL) /* the driver's compiler is told by an option */
        sb_add(out, "#define SW_FAST\n");
    sb_add(out, "#define SW_FN static inline __attribute__((always_inline))\n");
    sb_add(out, "#define SW_CX __global long *sw_err, __local uchar *sw_sh, __local uchar *sw_dyn, "
                "long sw_dynb\n"
                "#define SW_PASS sw_err, sw_sh, sw_dyn, sw_dynb\n");
    if (g->shared)
        sb_addf(out,
                "#define SW_SHARED __local ulong sw_shared[%lld]; __local uchar *sw_sh = (__local "
                "uchar *)sw_shared;\n",
                (long long)(g->shared / 8));
    else
        sb_add(out, "#define SW_SHARED __local uchar *sw_sh = sw_dyn;\n");
    cl_add_helpers(g, out, code.s);
    sb_addn(out, code.s, code.n);
    sb_free(&code);
}

/* malloc'ed; NULL: what is wrong is in the diagnostics. */
static char *
source_of(IrModule *m)
{
    Cl g = {.cx = m->cx, .m = m, .vote_at = -1, .warp_at = -1};
    uint8_t global[64];
    int kernels = 0;
    memset(global, CLS_GLOBAL, sizeof global);
    for (int i = 0; i < m->funcs.n && !g.failed; i++) {
        IrFunc *f = m->funcs.at[i];
        if (f->kernel)
            cl_instance(&g, f, global, f->at);
        kernels += f->kernel;
    }
    if (!kernels) {
        gen_refuse(m->cx, m->funcs.n ? m->funcs.at[0]->at : (Span){0}, REFUSE_OPENCL_no_kernel,
                   NULL, NULL);
        return NULL;
    }
    if (!g.failed)
        all_functions(&g);
    StrBuf out = {0};
    if (!g.failed)
        assemble(&g, &out);
    sb_free(&g.body);
    sb_free(&g.protos);
    return out.s;
}

/* The source serves as the assembly, too. */
void
gen_opencl_emit(IrModule *m, const GenTarget *t, int texts, GenOutput *out)
{
    uint64_t since = trace_now();
    (void)t;
    out->object = source_of(m);
    out->object_size = out->object ? strlen(out->object) : 0;
    if (out->object && (texts & GEN_TEXT_ASM))
        out->text[2] = strdup(out->object);
    trace_stage(&m->cx->trace, "gen", since);
}
