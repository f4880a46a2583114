/* SPDX-License-Identifier: BSD-3-Clause
 * The loops of scan.c, for one dtype: T, vectors V of it, U to add and multiply, B of signed bits;
 * N of T are one vector. `op` is a constant wherever these functions end up. */
#ifdef NAMED

#define STEP(k)                                                                                    \
    do {                                                                                           \
        V before = SHUFFLE(*v, *v, WIDTH(FROM, k)), all = *v;                                      \
        NAMED(combine)(op, &before, &all);                                                         \
        *v = SHUFFLE(*v, all, WIDTH(INTO, k));                                                     \
    } while (0)

/* b becomes what a and b are together: of maxima and minima b, where it is NaN and `op` isn't
 * quick, and a, where they are equal. */
TARGET ALWAYS void
NAMED(combine)(int op, const V *a, V *b)
{
    if (op == ADD)
        *b = (V)((U)*a + (U)*b);
    else if (op == MUL)
        *b = (V)((U)*a * (U)*b);
    else if (op == MAX)
        *b = GREATER(*a, *b);
    else if (op == MIN)
        *b = LESSER(*a, *b);
    else if (op == MAX + QUICK)
        *b = QUICK_GREATER(*a, *b);
    else
        *b = QUICK_LESSER(*a, *b);
}

TARGET ALWAYS void
NAMED(lanes)(int op, V *v)
{
    STEP(0);
    STEP(1);
    STEP(2);
    if (N == 16)
        STEP(3);
}

/* Behind the end the last element is repeated, in lanes that are no one's. */
TARGET ALWAYS void
NAMED(load)(V *v, Row r, int64_t i)
{
    if (r.step == sizeof(T) && i + N <= r.n) {
        memcpy(v, r.x + i * (int64_t)sizeof(T), sizeof *v);
        return;
    }
    T some[N];
    for (int64_t k = 0; k < N; k++)
        memcpy(some + k, r.x + (i + k < r.n ? i + k : r.n - 1) * r.step, sizeof(T));
    memcpy(v, some, sizeof *v);
}

TARGET ALWAYS void
NAMED(store)(const V *v, Row r, int64_t i, bool past)
{
    char *to = r.out + i * (int64_t)sizeof(T);
    if (r.out_step == sizeof(T) && i + N <= r.n) {
        if (past && (uintptr_t)to % sizeof *v == 0)
            STREAM(to, *v);
        else
            memcpy(to, v, sizeof *v);
        return;
    }
    T some[N];
    memcpy(some, v, sizeof *v);
    for (int64_t k = 0; k < N && i + k < r.n; k++)
        memcpy(r.out + (i + k) * r.out_step, some + k, sizeof(T));
}

/* Scans a group behind `acc`, if there is something, which becomes what is before the next. */
TARGET ALWAYS void
NAMED(group)(int op, bool behind, V *acc, V *v)
{
    NAMED(lanes)(op, v);
    V all = SHUFFLE(*v, *v, WIDTH(LAST, 0));
    if (behind) {
        NAMED(combine)(op, acc, v);
        NAMED(combine)(op, acc, &all);
    }
    *acc = all;
}

TARGET ALWAYS void
NAMED(next)(int op, bool behind, V *acc, V *v)
{
    if (op >= MAX && !HAS_NAN(*v))
        NAMED(group)(op + QUICK, behind, acc, v);
    else
        NAMED(group)(op, behind, acc, v);
}

/* Of a row of whole groups. */
TARGET ALWAYS void
NAMED(total)(int op, Row r, void *total)
{
    V acc = {0}, v;
    for (int64_t i = 0; i < r.n; i += N) {
        NAMED(load)(&v, r, i);
        NAMED(next)(op, i > 0, &acc, &v);
    }
    memcpy(total, &acc, sizeof(T));
}

TARGET ALWAYS void
NAMED(scan)(int op, const Job *j, bool is_first)
{
    Row r = j->row;
    T first = 0;
    if (!is_first)
        memcpy(&first, j->before, sizeof first);
    V acc = {0}, v, known = first - (V){0}, last = known;
    for (int64_t i = 0; i < r.n; i += N) {
        NAMED(load)(&v, r, i);
        NAMED(next)(op, i > 0, &acc, &v);
        if (!is_first)
            NAMED(combine)(op, &known, &v);
        __builtin_prefetch(j->ahead + i * r.step, 0, 2);
        V out = j->exclusive ? SHUFFLE(last, v, WIDTH(BEHIND, 0)) : v;
        last = v;
        NAMED(store)(&out, r, i, j->past);
    }
}

TARGET ALWAYS void
NAMED(both)(int op, const Job *j)
{
    if (j->total)
        NAMED(total)(op, j->row, j->total);
    else if (j->before)
        NAMED(scan)(op, j, false);
    else
        NAMED(scan)(op, j, true);
}

TARGET static void
NAMED(any)(const Job *j)
{
    switch (j->op) {
    case ADD:
        NAMED(both)(ADD, j);
        break;
    case MUL:
        NAMED(both)(MUL, j);
        break;
    case MAX:
        NAMED(both)(MAX, j);
        break;
    default:
        NAMED(both)(MIN, j);
        break;
    }
}

#undef STEP
#undef T
#undef V
#undef U
#undef B
#undef N
#undef NAMED
#undef GREATER
#undef LESSER
#undef QUICK_GREATER
#undef QUICK_LESSER
#undef HAS_NAN
#undef WIDTH
#endif
