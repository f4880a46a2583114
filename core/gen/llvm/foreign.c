/* SPDX-License-Identifier: BSD-3-Clause
 * Calls of functions of other languages, by C's rules: numbers by value, arrays as pointers. Two
 * results: the second is stored through a pointer that comes first. */
#include "emit.h"

enum { MOST = 40 };

typedef struct Foreign {
    LLVMTypeRef type[MOST];
    LV arg[MOST];
    uint8_t dtype[MOST]; /* DT_COUNT: a pointer */
    unsigned n;
} Foreign;

static void
pass(Foreign *f, LV v, DType d)
{
    f->type[f->n] = LLVMTypeOf(v);
    f->dtype[f->n] = (uint8_t)d;
    f->arg[f->n++] = v;
}

static LV
as_memory(Gen *g, DType d, LV v)
{
    return d == DT_bool ? LLVMBuildZExt(g->b, v, g->i8, "") : v;
}

/* The caller widens what is narrower than an int. */
static void
widen(Gen *g, LV fn, unsigned at, DType d)
{
    const char *how = dtype_kind(d) == DK_INT ? "signext" : "zeroext";
    if (d == DT_COUNT || dtype_kind(d) > DK_UINT || dtype_size(d) >= 4)
        return;
    unsigned kind = LLVMGetEnumAttributeKindForName(how, 7);
    LLVMAddAttributeAtIndex(fn, at, LLVMCreateEnumAttribute(g->c, kind, 0));
}

static LV
declared(Gen *g, Foreign *f, LLVMTypeRef type, const IrFunc *of)
{
    const char *symbol = g->ptx ? ir_foreign_for_device(&g->cx->arena, of) : of->foreign;
    LV fn = LLVMGetNamedFunction(g->mod, symbol);
    if (fn)
        return fn;
    fn = LLVMAddFunction(g->mod, symbol, type);
    for (unsigned i = 0; i < f->n; i++)
        widen(g, fn, i + 1, (DType)f->dtype[i]);
    if (of->n_results)
        widen(g, fn, LLVMAttributeReturnIndex, (DType)of->results[0]->dtype);
    return fn;
}

static void
take(Gen *g, IrStmt *s, int i, LV v)
{
    if (i >= s->n_outs || !s->outs[i].out)
        return;
    if (s->func->results[i]->dtype == DT_bool)
        v = LLVMBuildICmp(g->b, LLVMIntNE, v, LLVMConstNull(g->i8), "");
    put(g, v, g->slots[s->outs[i].out->id].v);
}

/* A device has it, and the processor was to do the device's work. */
static void
is_missing(Gen *g, IrStmt *s)
{
    const char *text = arena_printf(
        &g->cx->arena, "'%s' is linked to nothing on the CPU, which must run this loop",
        strrchr(s->func->foreign, ':') + 1);
    fail_unless(g, LLVMConstNull(LLVMInt1TypeInContext(g->c)),
                ir_site(g->m, "RuntimeError", text, s->at), NULL, 0);
    for (int i = 0; i < s->func->n_results; i++)
        take(g, s, i, LLVMConstNull(mem_type(g, (DType)s->func->results[i]->dtype)));
}

void
emit_foreign(Gen *g, IrStmt *s)
{
    IrFunc *to = s->func;
    if (!g->ptx && !ir_foreign_has_host(to)) {
        is_missing(g, s);
        return;
    }
    Foreign f = {.n = 0};
    LV slot = NULL;
    if (to->n_results > 1) {
        slot = new_slot(g, mem_type(g, (DType)to->results[1]->dtype), "given");
        pass(&f, slot, DT_COUNT);
    }
    for (int i = 0; i < s->n_args && f.n < MOST; i++) {
        if (s->args[i].arr) {
            pass(&f, array_data(g, s->args[i].arr), DT_COUNT);
            continue;
        }
        DType d = (DType)s->args[i].e->dtype;
        pass(&f, as_memory(g, d, emit_expr(g, s->args[i].e).v), d);
    }
    LLVMTypeRef ret = to->n_results ? mem_type(g, (DType)to->results[0]->dtype) : g->none;
    LLVMTypeRef type = LLVMFunctionType(ret, f.type, f.n, false);
    LV r = LLVMBuildCall2(g->b, type, declared(g, &f, type, to), f.arg, f.n, "");
    if (to->n_results)
        take(g, s, 0, r);
    if (slot)
        take(g, s, 1, get(g, mem_type(g, (DType)to->results[1]->dtype), slot));
}
