/* SPDX-License-Identifier: BSD-3-Clause
 * Statements: the structured control flow of the IR as basic blocks. Counted loops are
 * emitted in rotated form (a test before the first iteration, then one at the end of
 * each), which is what the loop passes want; what the IR knows about a loop becomes
 * metadata on its back edge. */
#include "emit.h"

/* ---- loop metadata --------------------------------------------------------------------------- */

typedef Vec(LLVMMetadataRef) MdList;

static void
add_hint(Gen *g, MdList *l, const char *name, LLVMMetadataRef a, LLVMMetadataRef b)
{
    LLVMMetadataRef parts[3] = {LLVMMDStringInContext2(g->c, name, strlen(name)), a, b};
    VEC_PUSH(&g->cx->arena, *l, LLVMMDNodeInContext2(g->c, parts, b ? 3 : a ? 2 : 1));
}

static LLVMMetadataRef
md_int(LLVMTypeRef t, int v)
{
    return LLVMValueAsMetadata(LLVMConstInt(t, (uint64_t)v, false));
}

/* What is left over of a vectorised loop is short, or hardly ever run: it isn't worth
 * unrolling. */
static void
add_remainder_hint(Gen *g, MdList *l)
{
    MdList rest = {0};
    add_hint(g, &rest, "llvm.loop.unroll.disable", NULL, NULL);
    add_hint(g, &rest, "llvm.loop.isvectorized", md_int(g->i32, 1), NULL);
    add_hint(g, l, "llvm.loop.vectorize.followup_epilogue", rest.at[0], rest.at[1]);
}

/* LLVM counts what such vectors cost, which is more than scalars do, and not that they wait for
 * memory together. */
static void
add_wide_hint(Gen *g, MdList *l, IrStmt *s)
{
    int bits = g->vector_bits ? g->vector_bits : g->isa.masks ? 512 : 256;
    if (!g->isa.gathers || (!s->independent && !g->isa.masks))
        return;
    add_hint(g, l, "llvm.loop.vectorize.width", md_int(g->i32, bits / 64), NULL);
    add_hint(g, l, "llvm.loop.interleave.count", md_int(g->i32, 4), NULL);
}

/* What is added to the start of a strip to come to its end: the least, or over a falling variable
 * the greatest, of what is left and a constant. NULL: it is no such loop. */
static const IrExpr *
strip_length(const IrStmt *s)
{
    int64_t step = 1;
    const IrExpr *hi = s->idx[1], *n = hi->n == 2 ? hi->arg[1] : NULL;
    if (s->n_idx > 2)
        ir_is_const(s->idx[2], &step);
    bool strip = n && (step == 1 || step == -1) && hi->kind == IX_OP && hi->op == OP_add &&
                 n->kind == IX_OP && n->op == (step > 0 ? OP_min : OP_max) &&
                 ir_expr_equal(hi->arg[0], s->idx[0]);
    return strip ? n : NULL;
}

/* vectors: of a loop whose body is vectors already. Copies of its body gain nothing, for there is
 * work enough in one iteration; nor do copies of one that waits for the last iteration's sum, but
 * where an outer loop has many such sums, of which several run at once. */
static void
mark_loop(Gen *g, IrStmt *s, LV back_edge, LLVMMetadataRef group, bool vectors)
{
    MdList l = {0};
    VEC_PUSH(&g->cx->arena, l, NULL); /* the node itself, filled in below */
    if (s->kind == IS_LOOP)
        add_hint(g, &l, "llvm.loop.mustprogress", NULL, NULL);
    bool cold = s->cold || g->cold;
    bool waits = vectors || (!cold && plain_strict_sum(g, s)),
         scatters = !cold && only_scatters(g, s);
    if (cold || s->novector || waits || scatters)
        add_hint(g, &l, "llvm.loop.vectorize.enable", md_int(g->i1, 0), NULL);
    /* a loop of vectors walks rows of several arrays at once, with too few registers for an address
     * of each */
    bool strided = !cold && !g->ptx && (vectors || scatters || steps_across_rows(g, s));
    g->strided |= strided;
    if (!g->ptx && (cold || strided))
        add_hint(g, &l, cold ? "swathe.cold" : "swathe.strided", NULL, NULL);
    /* the start of short rows; and one stream of loads remains one */
    if (cold || s->few || s->wide)
        add_hint(g, &l, "llvm.loop.unroll.disable", NULL, NULL);
    else if (waits && (vectors || !g->loops || strip_length(s)))
        add_hint(g, &l, "llvm.loop.unroll.runtime.disable", NULL, NULL);
    else if (s->kind == IS_LOOP)
        add_remainder_hint(g, &l);
    if (!cold && s->sched && s->sched->unroll)
        add_hint(g, &l, "llvm.loop.unroll.count", md_int(g->i32, s->sched->unroll), NULL);
    /* Wider ones would not get to run. (A width also says that sums may be in any order.) */
    if (s->few && (g->opt.fastmath & FM_REASSOC) && !cold && !s->novector)
        add_hint(g, &l, "llvm.loop.vectorize.width", md_int(g->i32, 4), NULL);
    if (s->wide && !cold && !s->novector)
        add_wide_hint(g, &l, s);
    bool asked = s->few || s->wide || s->novector || waits || scatters;
    int aside = strided && !asked ? light_across_rows(g, s) : 0;
    if (!aside && !asked && !cold && !vectors && leaves_gaps(s))
        aside = 1;
    if (aside) {
        add_hint(g, &l, "llvm.loop.vectorize.width", md_int(g->i32, 1), NULL);
        add_hint(g, &l, "llvm.loop.interleave.count", md_int(g->i32, aside), NULL);
    } else if (strided && !asked && !vectors)
        add_hint(g, &l, "llvm.loop.interleave.count", md_int(g->i32, 1), NULL);
    if (group)
        add_hint(g, &l, "llvm.loop.parallel_accesses", group, NULL);
    if (g->loop_lines) {
        LoopMark mark = {&s->at, waits && !vectors ? why_left("CantReorderFPOps", 16) : NULL};
        VEC_PUSH(&g->cx->arena, g->loop_marks, mark);
        add_hint(g, &l, "swathe.loop", md_int(g->i32, s->at.line),
                 md_int(g->i32, g->loop_marks.n - 1));
    }
    if (l.n == 1)
        return;
    /* a node whose first operand is itself is unique to its loop */
    LLVMMetadataRef temp = LLVMTemporaryMDNode(g->c, NULL, 0);
    l.at[0] = temp;
    LLVMMetadataRef node = LLVMMDNodeInContext2(g->c, l.at, (size_t)l.n);
    LLVMMetadataReplaceAllUsesWith(temp, node);
    LLVMSetMetadata(back_edge, g->md_loop, LLVMMetadataAsValue(g->c, node));
}

/* ---- loops ----------------------------------------------------------------------------------- */

static LV
phi_from(Gen *g, LV first, LLVMBasicBlockRef from)
{
    LV phi = LLVMBuildPhi(g->b, g->i64, "");
    LLVMAddIncoming(phi, &first, &from, 1);
    return phi;
}

/* Iterations of a loop that is known to run: no sum of these can overflow, where lo + k *
 * step could. */
static LV
trip_count(Gen *g, Counted *c)
{
    LV span =
        c->step > 0 ? LLVMBuildSub(g->b, c->hi, c->lo, "") : LLVMBuildSub(g->b, c->lo, c->hi, "");
    uint64_t step = c->step > 0 ? (uint64_t)c->step : 0 - (uint64_t)c->step;
    LV n = LLVMBuildUDiv(g->b, LLVMBuildSub(g->b, span, k64(g, 1), ""),
                         LLVMConstInt(g->i64, step, false), "");
    return LLVMBuildNUWAdd(g->b, n, k64(g, 1), "");
}

void
counted_begin(Gen *g, Counted *c)
{
    LLVMBasicBlockRef pre = new_block(g, "loop.pre");
    c->body = new_block(g, "loop");
    c->latch = new_block(g, "latch");
    c->done = new_block(g, "done");
    LLVMIntPredicate less = c->step > 0 ? LLVMIntSLT : LLVMIntSGT;
    LV some = c->n ? LLVMBuildICmp(g->b, less, k64(g, 0), c->n, "")
                   : LLVMBuildICmp(g->b, less, c->lo, c->hi, "");
    branch(g, some, pre, c->done, NULL);
    LLVMPositionBuilderAtEnd(g->b, pre);
    if (c->step != 1 && c->step != -1)
        c->trips = trip_count(g, c);
    jump(g, c->body);
    LLVMPositionBuilderAtEnd(g->b, c->body);
    c->i = phi_from(g, c->lo, pre);
    if (c->trips)
        c->k = phi_from(g, k64(g, 0), pre);
}

static void
next_value(Gen *g, LV phi, LV next)
{
    LLVMBasicBlockRef from = LLVMGetInsertBlock(g->b);
    LLVMAddIncoming(phi, &next, &from, 1);
}

/* Returns the branch back. */
LV
counted_end(Gen *g, Counted *c)
{
    jump(g, c->latch);
    LLVMPositionBuilderAtEnd(g->b, c->latch);
    LV i = LLVMBuildNSWAdd(g->b, c->i, k64(g, c->step), ""), more;
    next_value(g, c->i, i);
    if (c->trips) {
        LV k = LLVMBuildNUWAdd(g->b, c->k, k64(g, 1), "");
        next_value(g, c->k, k);
        more = LLVMBuildICmp(g->b, LLVMIntULT, k, c->trips, "");
    } else {
        /* of a strip the number of iterations is plain then, without a look at its start */
        LLVMIntPredicate less = c->step > 0 ? LLVMIntSLT : LLVMIntSGT;
        more = LLVMBuildICmp(g->b, c->n ? LLVMIntNE : less, i, c->hi, "");
    }
    LV br = LLVMBuildCondBr(g->b, more, c->body, c->done);
    LLVMPositionBuilderAtEnd(g->b, c->done);
    return br;
}

/* What the threads of a block copy is small, and often read at once: it stays in registers, where a
 * call of memcpy would have it in memory. */
static void
copy_inline(Gen *g)
{
    static const char *const keys[] = {"no-builtin-memcpy", "no-builtin-memset"};
    g->threads = true;
    for (int i = 0; i < 2; i++)
        LLVMAddAttributeAtIndex(
            g->fn, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
            LLVMCreateStringAttribute(g->c, keys[i], (unsigned)strlen(keys[i]), "", 0));
}

static void
find_loose_store(IrBlock *b, IrStmt *s, void *arg)
{
    (void)b;
    *(bool *)arg |= s->kind == IS_STORE && s->var->layout == LAY_A && !s->var->noalias;
}

enum { FEW = 8 };

static bool is_nearly_flat(const IrBlock *b);

/* A loop that will be written out, so that the one around it is an innermost one. */
static bool
is_short(const IrStmt *s)
{
    int64_t lo, hi;
    return s->kind == IS_LOOP && s->lanes <= 1 && ir_is_const(s->idx[0], &lo) &&
           ir_is_const(s->idx[1], &hi) && lo > -FEW && hi <= lo + FEW && is_nearly_flat(&s->body);
}

static bool
is_nearly_flat(const IrBlock *b)
{
    bool flat = true;
    for (const IrStmt *s = b->first; s && flat; s = s->next)
        flat = s->kind == IS_IF ? is_nearly_flat(&s->body) && is_nearly_flat(&s->els)
                                : ir_does(s, ST_FLAT) || is_short(s);
    return flat;
}

/* Where arrays are made or functions called, memory may be used again; elements of an array
 * with odd strides may share memory. */
static bool
is_parallel(IrStmt *s)
{
    bool loose = false;
    if (s->novec_alias || !s->independent || s->n_lasts || !is_nearly_flat(&s->body))
        return s->novec_alias;
    ir_walk_block(&s->body, find_loose_store, &loose);
    return !loose;
}

/* An access is in the groups of all loops around it whose iterations were shown to be independent,
 * for those within may be written out: a group is a node without operands, several are a node of
 * them. */
static LV
with_group(Gen *g, LV old, LLVMMetadataRef group)
{
    enum { DEEPEST = 8 };
    LLVMMetadataRef all[DEEPEST + 1];
    LV had[DEEPEST];
    unsigned n = old ? LLVMGetMDNodeNumOperands(old) : 0;
    if (!old || n >= DEEPEST)
        return LLVMMetadataAsValue(g->c, group);
    if (n)
        LLVMGetMDNodeOperands(old, had);
    all[0] = LLVMValueAsMetadata(old);
    for (unsigned i = 0; i < n; i++)
        all[i] = LLVMValueAsMetadata(had[i]);
    n += !n;
    all[n++] = group;
    return LLVMMetadataAsValue(g->c, LLVMMDNodeInContext2(g->c, all, n));
}

static void
emit_counted_as(Gen *g, IrStmt *s, Counted *c)
{
    c->step = 1;
    if (s->n_idx > 2)
        ir_is_const(s->idx[2], &c->step);
    counted_begin(g, c);
    LV value = emit_cast(g, s->var->dtype, DT_i64, (Val){c->i, NULL}).v;
    put(g, value, g->slots[s->var->id].v);
    LLVMMetadataRef group = is_parallel(s) ? shim_distinct(g->c) : NULL;
    LV outer_group = g->group;
    bool outer_shown = g->shown;
    g->group = !group ? outer_group : with_group(g, g->shown ? outer_group : NULL, group);
    g->shown = group ? !s->novec_alias : outer_shown;
    LoopTarget t = {c->done, c->latch, g->loops};
    bool outer[3] = {g->serial, g->independent, g->elementwise};
    g->loops = &t;
    g->serial = !s->independent;
    g->independent = s->independent;
    g->elementwise = s->independent && s->elementwise;
    emit_block(g, &s->body);
    g->loops = t.up;
    g->serial = outer[0], g->independent = outer[1], g->elementwise = outer[2];
    g->group = outer_group;
    g->shown = outer_shown;
    mark_loop(g, s, counted_end(g, c), group, false);
}

void
emit_counted(Gen *g, IrStmt *s, LV lo, LV hi)
{
    Counted c = {.lo = lo, .hi = hi};
    emit_counted_as(g, s, &c);
}

static void
emit_loop(Gen *g, IrStmt *s)
{
    if (s->loop == LOOP_BLOCK && !s->cold)
        copy_inline(g);
    if (s->lanes > 1) {
        emit_lane_loop(g, s);
        return;
    }
    LV lo = emit_int(g, s->idx[0]);
    const IrExpr *n = strip_length(s);
    if (!n) {
        emit_counted(g, s, lo, emit_int(g, s->idx[1]));
        return;
    }
    Counted c = {.lo = lo, .n = emit_int(g, n)};
    c.hi = LLVMBuildNSWAdd(g->b, lo, c.n, "");
    emit_counted_as(g, s, &c);
}

void
loop_metadata(Gen *g, IrStmt *s, LV back_edge, bool vectors)
{
    mark_loop(g, s, back_edge, NULL, vectors);
}

static void
emit_while(Gen *g, IrStmt *s)
{
    LLVMBasicBlockRef head = new_block(g, "while"), body = new_block(g, "body"),
                      done = new_block(g, "done");
    jump(g, head);
    LLVMPositionBuilderAtEnd(g->b, head);
    LoopTarget t = {done, head, g->loops};
    bool outer[3] = {g->serial, g->independent, g->elementwise};
    g->loops = &t;
    g->serial = true, g->independent = g->elementwise = false;
    emit_block(g, &s->pre);
    if (!ended(g))
        branch(g, emit_expr(g, s->e).v, body, done, NULL);
    LLVMPositionBuilderAtEnd(g->b, body);
    emit_block(g, &s->body);
    g->loops = t.up;
    g->serial = outer[0], g->independent = outer[1], g->elementwise = outer[2];
    if (!ended(g))
        mark_loop(g, s, LLVMBuildBr(g->b, head), NULL, false);
    LLVMPositionBuilderAtEnd(g->b, done);
}

/* ---- the rest -------------------------------------------------------------------------------- */

/* Returns the block that jumps; NULL: it has ended elsewhere. */
static LLVMBasicBlockRef
jump_from(Gen *g, LLVMBasicBlockRef to)
{
    LLVMBasicBlockRef from = ended(g) ? NULL : LLVMGetInsertBlock(g->b);
    jump(g, to);
    return from;
}

static void
emit_if(Gen *g, IrStmt *s)
{
    LLVMBasicBlockRef yes = new_block(g, "then"), next = new_block(g, "endif");
    LLVMBasicBlockRef no = s->els.first ? new_block(g, "else") : next;
    LV br = LLVMBuildCondBr(g->b, emit_expr(g, s->e).v, yes, no);
    LLVMBasicBlockRef from[2] = {NULL, LLVMGetInsertBlock(g->b)};
    Joins joins;
    if (s->cold != s->cold_else)
        LLVMSetMetadata(br, g->md_prof, s->cold ? g->rare : g->likely);
    bool outer = g->cold;
    LLVMPositionBuilderAtEnd(g->b, yes);
    g->cold = outer || s->cold;
    Slot *saved = g->cold ? NULL : mark_tested(g, s->e);
    joins_begin(g, s, &joins);
    emit_block(g, &s->body);
    g->slots = saved ? saved : g->slots;
    from[0] = jump_from(g, next);
    joins_turn(g, &joins);
    if (no != next) {
        LLVMPositionBuilderAtEnd(g->b, no);
        g->cold = outer || s->cold_else;
        emit_block(g, &s->els);
        from[1] = jump_from(g, next);
    }
    g->cold = outer;
    LLVMPositionBuilderAtEnd(g->b, next);
    joins_end(g, &joins, from[0], from[1]);
}

static void
emit_set(Gen *g, IrStmt *s)
{
    Slot *d = &g->slots[s->var->id];
    Val v = emit_expr(g, s->e);
    put(g, v.v, d->v);
    if (d->im)
        put(g, v.im, d->im);
}

void
emit_stmt(Gen *g, IrStmt *s)
{
    switch (s->kind) {
    case IS_SET:
        emit_set(g, s);
        break;
    case IS_STORE:
        array_store(g, s->var, s->idx, emit_expr(g, s->e));
        break;
    case IS_ALLOC:
        emit_alloc(g, s);
        break;
    case IS_VIEW:
        emit_view(g, s);
        break;
    case IS_ALIAS:
        emit_alias(g, s);
        break;
    case IS_CONSTARR:
        emit_const_array(g, s);
        break;
    case IS_GET:
        emit_get(g, s);
        break;
    case IS_PUT:
        emit_put(g, s);
        break;
    case IS_LOOP:
        emit_loop(g, s);
        break;
    case IS_WHILE:
        emit_while(g, s);
        break;
    case IS_IF:
        emit_if(g, s);
        break;
    case IS_BREAK:
        leave_handlers(g, false);
        jump(g, g->loops->brk);
        break;
    case IS_CONTINUE:
        leave_handlers(g, false);
        jump(g, g->loops->cont);
        break;
    case IS_RETURN:
        emit_return(g, s);
        break;
    case IS_CALL:
        emit_call(g, s);
        break;
    case IS_RT:
        emit_runtime(g, s);
        break;
    case IS_CHECK_INDEX:
        emit_check_index(g, s);
        break;
    case IS_CHECK:
        emit_check(g, s);
        break;
    case IS_ASSUME: /* the passes have used it */
        mark_assumed(g, s);
        break;
    case IS_RAISE:
        emit_raise(g, s);
        break;
    case IS_TRY:
        emit_try(g, s);
        break;
    case IS_RERAISE:
        emit_reraise(g, s);
        break;
    case IS_PRINT:
        (g->ptx ? ptx_print : emit_print)(g, s);
        break;
    case IS_DROP:
        emit_drop(g, s);
        break;
    case IS_COPY:
        emit_copy(g, s);
        break;
    case IS_POLL:
        emit_poll(g);
        break;
    case IS_PAR:
        emit_run(g, s);
        break;
    case IS_LAUNCH:
        emit_launch(g, s);
        break;
    case IS_SHADOW:
        emit_shadow(g, s);
        break;
    case IS_TOUCH:
        emit_touch(g, s);
        break;
    case IS_ATOMIC:
        (g->ptx ? ptx_atomic : emit_atomic)(g, s);
        break;
    case IS_FENCE:
        (g->ptx ? ptx_fence : emit_fence)(g, s);
        break;
    case IS_BARRIER:
    case IS_WARP:
        if (g->ptx)
            (s->kind == IS_WARP ? ptx_warp : ptx_barrier)(g, s);
        else
            internal_error(g, s->at, "threads that wait have not been taken apart");
        break;
    }
}

/* What follows a break, return or raise in its block is never reached, and not emitted.
 */
void
emit_block(Gen *g, IrBlock *b)
{
    for (IrStmt *s = b->first; s && !ended(g); s = s->next) {
        debug_at(g, s->at);
        emit_stmt(g, s);
    }
}
