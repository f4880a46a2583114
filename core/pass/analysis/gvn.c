/* SPDX-License-Identifier: BSD-3-Clause
 * Value numbers: a table of operations on numbers, each entered once. Before it looks one up,
 * gvn_op brings it to one form, so that sizes which are equal for every input have the same number.
 * What lengths of slices come to is closed under slicing:
 *     max(max(x - a, 0) - b, 0) is max(x - (a + b), 0)        for x, a, b >= 0
 *     max(min(x, k) - b, 0)     is min(max(x - b, 0), k - b)  for k > b >= 0
 * All of it holds for 64-bit integers that wrap, not only for mathematical ones. */
#include "pass/analysis/gvn.h"

void
gvn_init(Gvn *t, Cx *cx)
{
    *t = (Gvn){.cx = cx, .n_buckets = 64};
    t->bucket = NEW_N(&cx->arena, int, t->n_buckets);
    VEC_PUSH(&cx->arena, t->at, (GvnNode){0});
}

/* ---- the table ------------------------------------------------------------------------------- */

static uint64_t
hash(const GvnNode *x)
{
    uint64_t h = (uint64_t)x->op * 31 + (uint64_t)x->dtype;
    for (int i = 0; i < x->n; i++)
        h = (h ^ (uint64_t)x->arg[i]) * 0x9e3779b97f4a7c15u;
    return (h ^ (uint64_t)x->c) * 0x9e3779b97f4a7c15u >> 32;
}

static bool
same(const GvnNode *x, const GvnNode *y)
{
    bool eq = x->op == y->op && x->dtype == y->dtype && x->n == y->n && x->c == y->c;
    for (int i = 0; eq && i < x->n; i++)
        eq = x->arg[i] == y->arg[i];
    return eq;
}

static void
link_num(Gvn *t, int num)
{
    int *head = &t->bucket[hash(&t->at.at[num]) & (uint64_t)(t->n_buckets - 1)];
    t->at.at[num].next = *head;
    *head = num;
}

static void
grow(Gvn *t)
{
    t->n_buckets *= 2;
    t->bucket = NEW_N(&t->cx->arena, int, t->n_buckets);
    for (int i = 1; i < t->at.n; i++)
        if (t->at.at[i].op != GVN_ATOM)
            link_num(t, i);
}

static int
enter(Gvn *t, GvnNode x)
{
    for (int i = t->bucket[hash(&x) & (uint64_t)(t->n_buckets - 1)]; i; i = t->at.at[i].next)
        if (same(&t->at.at[i], &x))
            return i;
    VEC_PUSH(&t->cx->arena, t->at, x);
    link_num(t, t->at.n - 1);
    if (t->at.n > t->n_buckets)
        grow(t);
    return t->at.n - 1;
}

int
gvn_atom(Gvn *t, DType d, bool nonneg)
{
    VEC_PUSH(&t->cx->arena, t->at, ((GvnNode){.op = GVN_ATOM, .dtype = d, .nonneg = nonneg}));
    return t->at.n - 1;
}

int
gvn_const(Gvn *t, DType d, int64_t c)
{
    return enter(t, (GvnNode){.op = GVN_CONST, .dtype = d, .c = c, .nonneg = c >= 0});
}

bool
gvn_is_const(const Gvn *t, int num, int64_t *c)
{
    *c = t->at.at[num].c;
    return t->at.at[num].op == GVN_CONST;
}

int
gvn_cast(Gvn *t, DType d, int arg)
{
    if (!arg || t->at.at[arg].dtype == d)
        return arg;
    return enter(t, (GvnNode){.op = GVN_CAST, .dtype = d, .n = 1, .arg = {arg}});
}

int
gvn_other(Gvn *t, int kind, DType d, int n, const int *arg)
{
    int num = enter(t, (GvnNode){.op = GVN_OTHER, .dtype = d, .c = kind});
    for (int i = 0; i < n; i++) {
        if (!arg[i])
            return 0;
        num = enter(t, (GvnNode){.op = GVN_OTHER, .dtype = d, .n = 2, .arg = {num, arg[i]}});
    }
    return num;
}

/* ---- one form -------------------------------------------------------------------------------- */

static int
raw(Gvn *t, IrOp op, const int *arg, bool nonneg)
{
    const GvnNode *a = t->at.at;
    int n = op_info[op].n;
    GvnNode x = {.op = (int)op, .n = n, .nonneg = nonneg};
    memcpy(x.arg, arg, sizeof *arg * (size_t)n);
    x.dtype = op_result(op, a[arg[0]].dtype, a[arg[n > 1]].dtype);
    /* constants are asked for behind */
    if ((op_info[op].flags & OPF_COMMUTES) && x.arg[0] < x.arg[1]) {
        x.arg[0] = arg[1];
        x.arg[1] = arg[0];
    }
    if (n == 2 && (op_info[op].flags & OPF_COMMUTES) && a[x.arg[0]].op == GVN_CONST) {
        int c = x.arg[0];
        x.arg[0] = x.arg[1];
        x.arg[1] = c;
    }
    return enter(t, x);
}

static int
i64_const(Gvn *t, int64_t c)
{
    return gvn_const(t, DT_i64, c);
}

/* num = base + *c */
static int
base_of(const Gvn *t, int num, int64_t *c)
{
    const GvnNode *x = &t->at.at[num];
    *c = 0;
    if (x->op == OP_add && gvn_is_const(t, x->arg[1], c))
        return x->arg[0];
    *c = 0;
    return num;
}

/* The length of a slice with a step, (n - 1) // step + 1 */
static bool
is_stepped(const Gvn *t, int base, int64_t c)
{
    const GvnNode *q = &t->at.at[base];
    int64_t below, step;
    return c == 1 && q->op == OP_floordiv && gvn_is_const(t, q->arg[1], &step) && step > 0 &&
           t->at.at[base_of(t, q->arg[0], &below)].nonneg && below == -1;
}

static int
offset(Gvn *t, int num, int64_t by)
{
    int64_t c;
    int base = base_of(t, num, &c);
    c = (int64_t)((uint64_t)c + (uint64_t)by);
    if (t->at.at[base].op == GVN_CONST)
        return i64_const(t, (int64_t)((uint64_t)t->at.at[base].c + (uint64_t)c));
    if (c == 0)
        return base;
    return raw(t, OP_add, (int[]){base, i64_const(t, c)}, is_stepped(t, base, c));
}

static int
sum(Gvn *t, IrOp op, int x, int y)
{
    int64_t c, d;
    if (gvn_is_const(t, x, &c) && op == OP_add)
        return offset(t, y, c);
    if (gvn_is_const(t, y, &c))
        return offset(t, x, (int64_t)(op == OP_add ? (uint64_t)c : 0 - (uint64_t)c));
    if (op == OP_sub && base_of(t, x, &c) == base_of(t, y, &d))
        return i64_const(t, (int64_t)((uint64_t)c - (uint64_t)d));
    return raw(t, op, (int[]){x, y}, false);
}

/* max(x - b, 0) of x, b >= 0 */
static int
less(Gvn *t, int x, int64_t b)
{
    const GvnNode *n = &t->at.at[x];
    int64_t k, zero, a;
    if (b == 0)
        return x;
    if (n->op == OP_min && gvn_is_const(t, n->arg[1], &k) && t->at.at[n->arg[0]].nonneg) {
        if (k <= b)
            return i64_const(t, 0);
        return raw(t, OP_min, (int[]){less(t, n->arg[0], b), i64_const(t, k - b)}, true);
    }
    if (n->op == OP_max && gvn_is_const(t, n->arg[1], &zero) && zero == 0) {
        int y = base_of(t, n->arg[0], &a);
        if (a < 0 && a > INT64_MIN && t->at.at[y].nonneg)
            return -a > INT64_MAX - b ? i64_const(t, 0) : less(t, y, b - a);
    }
    return raw(t, OP_max, (int[]){offset(t, x, -b), i64_const(t, 0)}, true);
}

static int
greater(Gvn *t, int x, int y)
{
    int64_t c, zero;
    bool pos = t->at.at[x].nonneg || t->at.at[y].nonneg;
    if (!gvn_is_const(t, y, &zero) || zero != 0)
        return raw(t, OP_max, (int[]){x, y}, pos);
    if (t->at.at[x].nonneg)
        return x;
    int base = base_of(t, x, &c);
    if (c < 0 && c > INT64_MIN && t->at.at[base].nonneg)
        return less(t, base, -c);
    return raw(t, OP_max, (int[]){x, y}, true);
}

static int
smaller(Gvn *t, int x, int y)
{
    int64_t k, m;
    const GvnNode *a = t->at.at;
    if (gvn_is_const(t, y, &k)) {
        if (k <= 0 && a[x].nonneg)
            return y;
        if (a[x].op == OP_min && gvn_is_const(t, a[x].arg[1], &m))
            return k < m ? smaller(t, a[x].arg[0], y) : x;
    }
    return raw(t, OP_min, (int[]){x, y}, a[x].nonneg && a[y].nonneg);
}

static int
order(Gvn *t, IrOp op, int x, int y)
{
    int64_t c, d;
    bool equality = op == OP_eq || op == OP_ne;
    if (x == y)
        return gvn_const(t, DT_bool, op == OP_eq || op == OP_le || op == OP_ge);
    if (equality && t->at.at[x].dtype == DT_i64 && base_of(t, x, &c) == base_of(t, y, &d))
        return gvn_const(t, DT_bool, op == OP_ne);
    return raw(t, op, (int[]){x, y}, false);
}

/* num == 1, of which value? 0: it is no such test */
static int
tested_for_one(const Gvn *t, int num)
{
    const GvnNode *n = &t->at.at[num];
    int64_t c;
    return n->op == OP_eq && gvn_is_const(t, n->arg[1], &c) && c == 1 ? n->arg[0] : 0;
}

/* The size that broadcasting x with *other picks, select(x == 1, *other, x): yields x, or 0 */
static int
broadcast_of(const Gvn *t, int num, int *other)
{
    const GvnNode *n = &t->at.at[num];
    if (n->op != OP_select || tested_for_one(t, n->arg[0]) != n->arg[2])
        return 0;
    *other = n->arg[1];
    return n->arg[2];
}

/* Among the alternatives in num: one of x is what broadcasting x gave. */
static bool
has_fit(const Gvn *t, int num, int x)
{
    const GvnNode *n = &t->at.at[num];
    int other;
    if (n->op == OP_or)
        return has_fit(t, n->arg[0], x) || has_fit(t, n->arg[1], x);
    if (n->op != OP_eq || (n->arg[0] != x && n->arg[1] != x))
        return false;
    return broadcast_of(t, n->arg[n->arg[0] == x], &other) == x;
}

static int
truth(Gvn *t, IrOp op, int x, int y) /* and, or of bools */
{
    int64_t c;
    for (int i = 0; i < 2; i++, x ^= y, y ^= x, x ^= y) {
        if (gvn_is_const(t, y, &c))
            return (c != 0) == (op == OP_and) ? x : y;
        int one = op == OP_or ? tested_for_one(t, y) : 0;
        if (one && has_fit(t, x, one)) /* n != 1 fits what n has been broadcast to */
            return gvn_const(t, DT_bool, 1);
    }
    return raw(t, op, (int[]){x, y}, false);
}

/* Broadcasting with a size that has been broadcast once more changes nothing. */
static int
broadcast_again(const Gvn *t, int x, int y)
{
    int other, p = broadcast_of(t, x, &other);
    if (p && (y == p || y == other))
        return x;
    return broadcast_of(t, y, &other) == x ? y : 0;
}

static int
choice(Gvn *t, const int *a)
{
    int64_t c;
    if (gvn_is_const(t, a[0], &c))
        return c ? a[1] : a[2];
    if (a[1] == a[2])
        return a[1];
    int again = tested_for_one(t, a[0]) == a[2] ? broadcast_again(t, a[2], a[1]) : 0;
    if (again)
        return again;
    return raw(t, OP_select, a, t->at.at[a[1]].nonneg && t->at.at[a[2]].nonneg);
}

static int
folded(Gvn *t, IrOp op, const int *arg)
{
    IrExpr x[3], *a[3], out = {0};
    for (int i = 0; i < op_info[op].n; i++) {
        const GvnNode *n = &t->at.at[arg[i]];
        if (n->op != GVN_CONST)
            return 0;
        x[i] = (IrExpr){.kind = IX_CONST, .dtype = (uint8_t)n->dtype, .i = n->c};
        a[i] = &x[i];
    }
    DType d = op_result(op, (DType)x[0].dtype, (DType)x[op_info[op].n > 1].dtype);
    out.dtype = (uint8_t)d;
    bool whole = dtype_is_int(d) || d == DT_bool;
    return whole && ir_eval(op, a, &out) ? gvn_const(t, d, out.i) : 0;
}

int
gvn_op(Gvn *t, IrOp op, const int *arg)
{
    for (int i = 0; i < op_info[op].n; i++)
        if (!arg[i])
            return 0;
    DType d = t->at.at[arg[0]].dtype;
    int f = folded(t, op, arg);
    bool twice = op_info[op].n == 2 && arg[0] == arg[1];
    if (f)
        return f;
    if (op == OP_select)
        return choice(t, arg);
    if (op_info[op].flags & OPF_COMPARES)
        return order(t, op, arg[0], arg[1]);
    if (twice && (op == OP_and || op == OP_or || op == OP_min || op == OP_max))
        return arg[0];
    if (d == DT_bool && (op == OP_and || op == OP_or))
        return truth(t, op, arg[0], arg[1]);
    if (d == DT_i64 && (op == OP_add || op == OP_sub))
        return sum(t, op, arg[0], arg[1]);
    if (d != DT_i64 || (op != OP_min && op != OP_max))
        return raw(t, op, arg, false);
    bool swap = t->at.at[arg[0]].op == GVN_CONST;
    return (op == OP_min ? smaller : greater)(t, arg[swap], arg[!swap]);
}
