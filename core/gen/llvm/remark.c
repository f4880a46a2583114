/* SPDX-License-Identifier: BSD-3-Clause
 * What became of the loops: every loop carries its line as metadata, which LLVM's
 * vectoriser keeps when it marks the loop as done. The width is read off the vectors in
 * the loop's latch. Why a loop has none the vectoriser says itself, by names for which
 * def/remark.def has words. */
#include "emit.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct LoopInfo {
    const Span *at;
    int lanes;
    bool vectorised;
    const char *why; /* it isn't, or NULL */
} LoopInfo;

typedef struct LoopInfos {
    Vec(LoopInfo) list;
} LoopInfos;

static int
lanes_of(LLVMTypeRef t)
{
    return LLVMGetTypeKind(t) == LLVMVectorTypeKind ? (int)LLVMGetVectorSize(t) : 0;
}

static int
lanes_in(LLVMBasicBlockRef bb)
{
    int best = 0;
    for (LV i = LLVMGetFirstInstruction(bb); i; i = LLVMGetNextInstruction(i)) {
        int n = lanes_of(LLVMTypeOf(i));
        if (LLVMGetInstructionOpcode(i) == LLVMStore)
            n = lanes_of(LLVMTypeOf(LLVMGetOperand(i, 0)));
        best = n > best ? n : best;
    }
    return best;
}

static int
int_operand(LV node, unsigned k)
{
    LV parts[4];
    unsigned n = (unsigned)LLVMGetMDNodeNumOperands(node);
    if (n > 4 || k >= n)
        return 0;
    LLVMGetMDNodeOperands(node, parts);
    return parts[k] && LLVMIsAConstantInt(parts[k]) ? (int)LLVMConstIntGetSExtValue(parts[k]) : 0;
}

static bool
hint_is(LV node, const char *name)
{
    LV parts[4];
    unsigned len = 0, n = LLVMIsAMDNode(node) ? LLVMGetMDNodeNumOperands(node) : 0;
    if (n == 0 || n > 4)
        return false;
    LLVMGetMDNodeOperands(node, parts);
    const char *s = parts[0] && LLVMIsAMDString(parts[0]) ? LLVMGetMDString(parts[0], &len) : NULL;
    return s && len == strlen(name) && memcmp(s, name, len) == 0;
}

static void
add_loop(Gen *g, LoopInfos *all, LoopInfo l)
{
    for (int i = 0; i < all->list.n; i++) {
        LoopInfo *old = &all->list.at[i];
        if (old->at->src != l.at->src || old->at->line != l.at->line || old->at->col != l.at->col)
            continue;
        if (l.vectorised && l.lanes >= old->lanes)
            *old = l;
        else if (!old->why)
            old->why = l.why;
        return;
    }
    VEC_PUSH(&g->cx->arena, all->list, l);
}

static void
read_loop(Gen *g, LoopInfos *all, LLVMBasicBlockRef bb, LV node)
{
    LV hints[24];
    unsigned n = LLVMGetMDNodeNumOperands(node);
    if (n > 24)
        return;
    LLVMGetMDNodeOperands(node, hints);
    LoopInfo l = {.lanes = lanes_in(bb)};
    for (unsigned i = 1; i < n; i++) {
        if (hints[i] && hint_is(hints[i], "llvm.loop.isvectorized"))
            l.vectorised = l.lanes > 1;
        if (hints[i] && hint_is(hints[i], "swathe.loop")) {
            int number = int_operand(hints[i], 2);
            if (number < g->loop_marks.n) {
                l.at = g->loop_marks.at[number].at;
                l.why = g->loop_marks.at[number].why;
            }
        }
    }
    if (l.at && l.at->line)
        add_loop(g, all, l);
}

void
note_loops(Gen *g)
{
    if (!g->loops_seen)
        g->loops_seen = NEW(&g->cx->arena, LoopInfos);
    for (LV f = LLVMGetFirstFunction(g->mod); f; f = LLVMGetNextFunction(f))
        for (LLVMBasicBlockRef bb = LLVMGetFirstBasicBlock(f); bb; bb = LLVMGetNextBasicBlock(bb)) {
            LV t = LLVMGetBasicBlockTerminator(bb);
            LV node = t ? LLVMGetMetadata(t, g->md_loop) : NULL;
            if (node)
                read_loop(g, g->loops_seen, bb, node);
        }
}

const char *
why_left(const char *name, size_t n)
{
    static const struct {
        const char *name, *why;
    } known[] = {
#define REMARK(pass, id, what, kind, margin, level)
#define LLVM_REMARK(its_name, words) {its_name, words},
#include "def/remark.def"
#undef REMARK
#undef LLVM_REMARK
    };
    for (int i = 0; i < SW_LEN(known); i++)
        if (strlen(known[i].name) == n && !memcmp(known[i].name, name, n))
            return known[i].why;
    return NULL;
}

static void
note_why(void *arg, int loop, const char *name, size_t n)
{
    Gen *g = arg;
    if (loop < g->loop_marks.n && !g->loop_marks.at[loop].why)
        g->loop_marks.at[loop].why = why_left(name, n);
}

void
watch_vectoriser(Gen *g)
{
    shim_watch_loops(g->mod, note_why, g);
}

char *
collect_remarks(Gen *g)
{
    note_loops(g);
    StrBuf out = {0};
    SpanLines lines = {0};
    for (int i = 0; i < g->loops_seen->list.n; i++) {
        const LoopInfo *l = &g->loops_seen->list.at[i];
        const RemarkInfo *k = &remark_info[l->vectorised ? REMARK_vector_yes : REMARK_vector_no];
        if (!l->vectorised && !l->why)
            continue;
        span_text(l->at, &lines, &out);
        sb_addf(&out, "\t%s\t%s\t", k->pass, k->what);
        if (l->vectorised)
            sb_addf(&out, "%d lanes\t\t\n", l->lanes);
        else
            sb_addf(&out, "%s\t\t\n", l->why);
    }
    return out.s;
}
