/* SPDX-License-Identifier: BSD-3-Clause
 * Atomic operations: OpenCL's own where it has them (integers of 32 and 64 bits), else a loop of
 * compare and exchange on the 32- or 64-bit word that holds the element: for floats, for small
 * integers, and for the operations that OpenCL lacks. A function is made for each operation, type
 * and kind of memory used. */
#include "gen/opencl/opencl.h"

#define P(...) arena_printf(&g->cx->arena, __VA_ARGS__)

typedef struct Atom {
    IrAtomic op;
    DType d;
    ClSpace s;
    const char *t, *word, *space; /* C types of value and word */
    Span at;
} Atom;

static char *to_word(Cl *g, const Atom *a, const char *v);

/* inc and dec count bits as a number without a sign, as CUDA's do. */
static const char *
unsigned_type(const Atom *a)
{
    switch (dtype_info[a->d].bits) {
    case 8:
        return "uchar";
    case 16:
        return "ushort";
    case 32:
        return "uint";
    default:
        return "ulong";
    }
}

/* The new value, by the old one `o`, the operand `e` and, for cas, `c`. */
static char *
new_value(Cl *g, const Atom *a)
{
    char *ab[2] = {"o", "e"};
    bool real = dtype_kind(a->d) == DK_FLOAT;
    switch (a->op) {
    case ATOM_ADD:
        return cl_op(g, OP_add, a->d, ab, 0, a->at);
    case ATOM_SUB:
        return cl_op(g, OP_sub, a->d, ab, 0, a->at);
    case ATOM_MIN:
        return cl_op(g, OP_min, a->d, ab, 0, a->at);
    case ATOM_MAX:
        return cl_op(g, OP_max, a->d, ab, 0, a->at);
    case ATOM_NANMIN:
        return cl_op(g, real ? OP_fmin : OP_min, a->d, ab, 0, a->at);
    case ATOM_NANMAX:
        return cl_op(g, real ? OP_fmax : OP_max, a->d, ab, 0, a->at);
    case ATOM_AND:
        return cl_op(g, OP_and, a->d, ab, 0, a->at);
    case ATOM_OR:
        return cl_op(g, OP_or, a->d, ab, 0, a->at);
    case ATOM_XOR:
        return cl_op(g, OP_xor, a->d, ab, 0, a->at);
    case ATOM_XCHG:
        return "e";
    case ATOM_CAS:
        return P("(%s == %s ? e : o)", to_word(g, a, "o"), to_word(g, a, "c"));
    case ATOM_INC:
        return P("((%s)o >= (%s)e ? (%s)0 : (%s)(o + 1))", unsigned_type(a), unsigned_type(a), a->t,
                 a->t);
    case ATOM_DEC:
        return P("((o == 0 || (%s)o > (%s)e) ? e : (%s)(o - 1))", unsigned_type(a),
                 unsigned_type(a), a->t);
    case ATOM_COUNT_:
        break;
    }
    return "e";
}

/* OpenCL's own function: atomic_x for 32 bits, atom_x for 64. */
static const char *
native(const Atom *a)
{
    static const char *const name[ATOM_COUNT_] = {
        [ATOM_ADD] = "add",    [ATOM_SUB] = "sub",    [ATOM_MIN] = "min", [ATOM_MAX] = "max",
        [ATOM_NANMIN] = "min", [ATOM_NANMAX] = "max", [ATOM_AND] = "and", [ATOM_OR] = "or",
        [ATOM_XOR] = "xor",    [ATOM_XCHG] = "xchg"};
    bool wide = dtype_info[a->d].bits >= 32 && dtype_is_int(a->d);
    return wide ? name[a->op] : NULL;
}

static char *
to_word(Cl *g, const Atom *a, const char *v)
{
    if (a->d == DT_f16)
        return P("sw_half_bits(%s)", v);
    if (dtype_kind(a->d) == DK_FLOAT || dtype_is_complex(a->d))
        return P("as_%s(%s)", a->word, v);
    if (dtype_info[a->d].bits == 8)
        return P("(%s)(uchar)%s", a->word, v);
    if (dtype_info[a->d].bits == 16)
        return P("(%s)(ushort)%s", a->word, v);
    return P("(%s)%s", a->word, v);
}

static char *
from_word(Cl *g, const Atom *a, const char *w)
{
    if (a->d == DT_f16)
        return P("sw_bits_half((ushort)(%s))", w);
    if (a->d == DT_bool)
        return P("((uchar)(%s) != 0)", w);
    if (dtype_kind(a->d) == DK_FLOAT || dtype_is_complex(a->d))
        return P("as_%s(%s)", a->t, w);
    return P("(%s)(%s)", a->t, w);
}

static const char *
cas_name(const Atom *a)
{
    return dtype_info[a->d].bits == 64 ? "atom_cmpxchg" : "atomic_cmpxchg";
}

static void
body_whole_word(Cl *g, const Atom *a, StrBuf *o)
{
    sb_addf(o, "    volatile %s %s *w = (volatile %s %s *)p;\n", a->space, a->word, a->space,
            a->word);
    sb_addf(o, "    for (%s was = *w, seen;; was = seen) {\n", a->word);
    sb_addf(o, "        %s o = %s, n = %s;\n", a->t, from_word(g, a, "was"), new_value(g, a));
    sb_addf(o, "        seen = %s(w, was, %s);\n", cas_name(a), to_word(g, a, "n"));
    sb_add(o, "        if (seen == was) return o;\n    }\n");
}

static void
body_part_word(Cl *g, const Atom *a, StrBuf *o)
{
    sb_addf(o, "    uint shift = (uint)((ulong)p & 3) * 8, all = %s << shift;\n",
            dtype_info[a->d].bits == 8 ? "0xffu" : "0xffffu");
    sb_addf(o, "    volatile %s uint *w = (volatile %s uint *)(p - ((ulong)p & 3));\n", a->space,
            a->space);
    sb_add(o, "    for (uint was = *w, seen;; was = seen) {\n");
    sb_addf(o, "        %s o = %s, n = %s;\n", a->t, from_word(g, a, "was >> shift"),
            new_value(g, a));
    sb_addf(o, "        seen = atomic_cmpxchg(w, was, (was & ~all) | (%s << shift));\n",
            to_word(g, a, "n"));
    sb_add(o, "        if (seen == was) return o;\n    }\n");
}

/* A thread's own memory needs no care. */
static void
body_private(Cl *g, const Atom *a, StrBuf *o)
{
    const char *at = P("((%s *)p)", cl_mem_type(a->d));
    sb_addf(o, "    %s o = %s, n = %s;\n", a->t, cl_load(g, a->d, a->s, at), new_value(g, a));
    if (a->d == DT_f16)
        sb_addf(o, "    vstore_half_rte(n, 0, %s);\n    return o;\n", at);
    else
        sb_addf(o, "    *%s = n;\n    return o;\n", at);
}

static void
body(Cl *g, const Atom *a, StrBuf *o)
{
    const char *own = native(a), *pre = dtype_info[a->d].bits == 64 ? "atom" : "atomic";
    if (a->s == CLS_LOCAL)
        body_private(g, a, o);
    else if (a->op == ATOM_CAS && dtype_is_int(a->d) && dtype_info[a->d].bits >= 32)
        sb_addf(o, "    return %s((volatile %s %s *)p, c, e);\n", cas_name(a), a->space, a->t);
    else if (own)
        sb_addf(o, "    return %s_%s((volatile %s %s *)p, e);\n", pre, own, a->space, a->t);
    else if (dtype_info[a->d].bits < 32)
        body_part_word(g, a, o);
    else
        body_whole_word(g, a, o);
}

static char *
function_for(Cl *g, const Atom *a)
{
    char *name = P("sw_atomic_%s_%d_%s", ir_atomic_words[a->op], a->s, dtype_info[a->d].name);
    char *head = P("SW_FN %s\n%s(", a->t, name);
    if (g->body.s && strstr(g->body.s, head))
        return name;
    StrBuf o = {0};
    sb_addf(&o, "%s%s uchar *p, %s e, %s c)\n{\n", head, a->space, a->t, a->t);
    body(g, a, &o);
    sb_add(&o, "}\n\n");
    sb_addn(&g->body, o.s, o.n);
    sb_free(&o);
    return name;
}

/* c128 in two halves, each of them atomic. */
static bool
in_halves(Cl *g, IrStmt *s, Atom *a, char *p)
{
    if (a->d != DT_c128 || (a->op != ATOM_ADD && a->op != ATOM_SUB))
        return false;
    a->d = DT_f64;
    a->t = "double";
    char *name = function_for(g, a), *e = cl_expr(g, s->e);
    const char *space = cl_space(a->s);
    cl_line(g, "{");
    cl_line(g, "%s uchar *sw_p = (%s uchar *)%s; double2 sw_e = %s, sw_o;", space, space, p, e);
    cl_line(g, "sw_o.x = %s(sw_p, sw_e.x, 0); sw_o.y = %s(sw_p + 8, sw_e.y, 0);", name, name);
    if (s->var)
        cl_line(g, "%s = sw_o;", cl_var(g, s->var));
    cl_line(g, "}");
    return true;
}

void
cl_atomic(Cl *g, IrStmt *s)
{
    DType d = (DType)s->base->dtype;
    ClSpace sp = cl_space_of(g, s->base);
    Atom a = {(IrAtomic)s->order, d,    sp, cl_type(d), dtype_info[d].bits == 64 ? "ulong" : "uint",
              cl_space(sp),       s->at};
    char *p = cl_address(g, s->base, s->n_idx, s->idx);
    if (in_halves(g, s, &a, p))
        return;
    if (d == DT_c128 || sp == CLS_CONST) {
        cl_refuse(g, s->at, REFUSE_OPENCL_atomic, ir_atomic_words[s->order],
                  sp == CLS_CONST ? "a constant array" : dtype_info[d].name);
        return;
    }
    char *name = function_for(g, &a), *e = cl_expr(g, s->e);
    char *c = s->order == ATOM_CAS ? cl_expr(g, s->args[0].e) : cl_zero(g, d);
    cl_line(g, "%s%s%s((%s uchar *)%s, %s, %s);", s->var ? cl_var(g, s->var) : "",
            s->var ? " = " : "", name, cl_space(sp), p, e, c);
}
