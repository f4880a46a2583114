/* SPDX-License-Identifier: BSD-3-Clause
 * Which functions do little but stream arrays: takes a function, yields whether all its loops that
 * matter load elements, add and multiply a little, and store.
 *
 * On AMD's Zen 4 a vector of 64 bytes passes as two halves, so it gains nothing there, and such
 * loops, which wait for memory, take up to a fifth longer with 64 than with 32 bytes: measured, in
 * and out of each cache, aligned or not. LLVM prefers 64 for all. Where the arithmetic counts,
 * fewer instructions count, too, and 64 bytes stay. */
#include "emit.h"

enum { STREAMS = 4 };

typedef struct Stream {
    /* each array is read at one place: what is read again is in a cache */
    const IrVar *from[STREAMS];
    int loads, stores, ops;
    bool other;
} Stream;

static void
count_load(Stream *s, const IrExpr *e)
{
    for (int i = 0; i < s->loads && i < STREAMS; i++)
        s->other |= s->from[i] == e->var;
    if (s->loads < STREAMS)
        s->from[s->loads] = e->var;
    s->loads++;
    s->other |= dtype_size((DType)e->dtype) < 4 || s->loads > STREAMS;
}

static bool
count(IrExpr **at, void *arg)
{
    Stream *s = arg;
    const IrExpr *e = *at;
    if (e->kind == IX_LOAD) {
        count_load(s, e);
        return false; /* its indices don't count */
    }
    if (e->kind == IX_OP) {
        s->ops++;
        s->other |= e->op != OP_add && e->op != OP_sub && e->op != OP_mul && e->op != OP_neg;
    }
    return true;
}

static void
count_body(const IrBlock *b, Stream *s)
{
    for (const IrStmt *t = b->first; t; t = t->next) {
        if (t->kind == IS_SET || t->kind == IS_STORE) {
            IrExpr *e = t->e;
            ir_walk_expr(&e, count, s);
            s->stores += t->kind == IS_STORE;
            if (t->kind == IS_STORE)
                s->other |= dtype_size((DType)t->var->dtype) < 4;
        } else {
            s->other |= t->kind != IS_POLL && t->kind != IS_ASSUME;
        }
    }
}

static bool
has_loop(const IrBlock *b)
{
    for (const IrStmt *s = b->first; s; s = s->next)
        if (ir_does(s, ST_REPEATS) || s->kind == IS_IF)
            return true;
    return false;
}

/* Are all of b's loops such? n: how many. */
static bool
only_streams(const IrBlock *b, int *n)
{
    IrBlock *sub[IR_MAX_BLOCKS];
    for (IrStmt *s = b->first; s; s = s->next) {
        if (s->kind == IS_WHILE || s->kind == IS_CALL || s->lanes || s->wide || s->few)
            return false;
        if (s->kind == IS_LOOP && s->cold)
            continue;
        if (s->kind == IS_LOOP && !has_loop(&s->body)) {
            Stream t = {0};
            count_body(&s->body, &t);
            if (t.other || s->n_reds || !t.stores || t.ops > 2 * (t.loads + t.stores))
                return false;
            ++*n;
            continue;
        }
        int blocks = ir_blocks(s, sub);
        for (int i = 0; i < blocks; i++)
            if (!(s->kind == IS_IF && (i ? s->cold_else : s->cold)) && !only_streams(sub[i], n))
                return false;
    }
    return true;
}

bool
streams_only(const IrFunc *f)
{
    int n = 0;
    return only_streams(&f->body, &n) && n > 0;
}
