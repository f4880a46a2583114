/* SPDX-License-Identifier: BSD-3-Clause
 * Under debug: what is checked once a launch, and what tells the run-time support of it.
 * Takes the shared arrays of a kernel, yields checks of their sizes against what the
 * launch gives; and takes the loop over blocks, which then runs on one worker: blocks
 * come in order, so that reports are the same each time. */
#include "pass/debug/watch.h"

enum {
    MOST_STATIC = 48 << 10,
    MOST_SHARED = 227 << 10
}; /* bytes: what CUDA devices give a block */

typedef struct Sizes {
    Watch *w;
    IrBuilder b;
    int64_t fixed; /* bytes of shared arrays whose size is known */
    Span at;
} Sizes;

/* Three arguments, so that the thread is not said: it is none's fault. */
static void
check(Sizes *z, IrExpr *ok, const char *text, IrExpr *a, IrExpr *b, Span at)
{
    Cx *cx = z->w->cx;
    IrExpr *args[] = {a, b, ir_int(cx, DT_i64, 0)};
    z->b.span = at;
    ir_check(&z->b, ok, ir_site(z->w->p->mod, "swathe.errors.LaunchError", text, at), 3, args);
}

static void
check_dynamic(Sizes *z, const IrStmt *s)
{
    Cx *cx = z->w->cx;
    IrExpr *bytes = ir_geo(cx, GEO_SHARED_BYTES),
           *item = ir_int(cx, DT_i64, dtype_size((DType)s->var->dtype));
    IrExpr *rest =
        ir_op(cx, OP_sub, bytes,
              ir_op(cx, OP_mul, ir_op(cx, OP_tdiv, ir_geo(cx, GEO_SHARED_BYTES), item), item));
    if (dtype_size((DType)s->var->dtype) == 1)
        return;
    check(z, ir_op(cx, OP_eq, rest, ir_int(cx, DT_i64, 0)),
          arena_printf(&cx->arena,
                       "the launch gives %%0 bytes of dynamic shared memory, which are "
                       "no whole number of "
                       "elements of '%s', of %%1 bytes each",
                       z->w->root[s->var->id].name),
          ir_geo(cx, GEO_SHARED_BYTES), item, s->at);
}

static void
look(IrBlock *b, IrStmt *s, void *arg)
{
    Sizes *z = arg;
    int64_t bytes = 1, k;
    (void)b;
    if (s->kind != IS_ALLOC || s->var->space != SPACE_SHARED)
        return;
    bytes = dtype_size((DType)s->var->dtype);
    for (int i = 0; i < s->n_idx; i++) {
        if (!ir_is_const(s->idx[i], &k)) {
            check_dynamic(z, s);
            return;
        }
        bytes = k > 0 && bytes > INT32_MAX / k ? INT32_MAX : bytes * k;
    }
    z->fixed = z->fixed > INT32_MAX ? z->fixed : z->fixed + bytes;
    z->at = s->at;
}

void
watch_sizes(Watch *w, IrBlock *body, IrBlock *to)
{
    Cx *cx = w->cx;
    Sizes z = {.w = w, .b = {.cx = cx, .mod = w->p->mod, .f = w->f, .at = to}};
    ir_walk_block(body, look, &z);
    if (!z.fixed)
        return;
    IrExpr *fixed = ir_int(cx, DT_i64, z.fixed);
    if (z.fixed > MOST_STATIC)
        check(&z, ir_int(cx, DT_bool, 0),
              "the shared arrays of the kernel take %0 bytes, and devices give a block "
              "at most %1 but for "
              "dynamic ones",
              fixed, ir_int(cx, DT_i64, MOST_STATIC), z.at);
    else
        check(&z,
              ir_op(cx, OP_le, ir_geo(cx, GEO_SHARED_BYTES),
                    ir_int(cx, DT_i64, MOST_SHARED - z.fixed)),
              "the launch gives %0 bytes of dynamic shared memory beside the %1 of the "
              "kernel's shared arrays, "
              "and devices give a block at most 232448",
              ir_geo(cx, GEO_SHARED_BYTES), fixed, z.at);
}

static IrStmt *
call(Grid *g, IrRt rt, int n, IrExpr **args)
{
    IrStmt *s = ir_stmt(g->cx, IS_RT, (Span){0});
    s->rt = (uint8_t)rt;
    s->n_args = n;
    s->args = NEW_N(&g->cx->arena, IrArg, n + 1);
    for (int i = 0; i < n; i++)
        s->args[i].e = args[i];
    g->f->may_raise = true;
    return s;
}

void
watch_launch(Grid *g, IrBlock *all)
{
    Cx *cx = g->cx;
    IrExpr *sizes[6];
    for (int k = 0; k < 5; k++)
        sizes[k] = k < 3 ? ir_copy_expr(cx, g->dim[k]) : ir_use(cx, g->param[k - 3]);
    sizes[5] = g->whole ? ir_use(cx, g->blocks) : ir_int(cx, DT_i64, 0);
    ir_insert_before(all, all->first->next, call(g, RT_sw_watch_begin, 6, sizes));
    ir_insert_before(all, NULL, call(g, RT_sw_watch_end, 0, NULL));
}

void
watch_blocks(Grid *g, IrStmt *loop)
{
    IrExpr *block = ir_use(g->cx, loop->var);
    loop->threads = false;
    ir_insert_before(&loop->body, loop->body.first, call(g, RT_sw_watch_block, 1, &block));
}
