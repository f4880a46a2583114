/* SPDX-License-Identifier: BSD-3-Clause
 * The k-th of some elements, as a template behind order.h for the same ELEM, NAME and LESS:
 * quickselect, with pivots by a sample (Floyd and Rivest), and partitions without a branch that
 * depends on what is compared. Elements before the k-th are not greater, those behind not less.
 * WIDE_KIND and WIDEST_KIND, if defined, are the names of split_wide_... in wide.h and of
 * split_widest_... in widest.h; LENT is the dtype by which NumPy lends its sort. */

/* Those less than p to the front, or with `equal` all that are not greater; how many. */
static int64_t
NAME(split)(ELEM *a, ELEM *tmp, int64_t n, ELEM p, bool equal)
{
    int64_t front = 0, back = 0, i = 0;
#ifdef WIDEST_KIND
    Sides s = {0};
    if (widest())
        s = WIDEST_KIND(a, tmp, n, p, equal);
#ifdef WIDE_KIND
    else if (wide())
        s = WIDE_KIND(a, tmp, n, p, equal);
#endif
    i = s.seen, front = s.less, back = s.rest;
#endif
    if (equal)
        for (; i < n; i++) {
            ELEM x = a[i];
            bool first = !LESS(p, x);
            a[front] = x;
            tmp[back] = x;
            front += first;
            back += !first;
        }
    else
        for (; i < n; i++) {
            ELEM x = a[i];
            bool first = LESS(x, p);
            a[front] = x;
            tmp[back] = x;
            front += first;
            back += !first;
        }
    memcpy(a + front, tmp, sizeof *a * (size_t)back);
    return front;
}

/* The least, or the greatest, to one end. */
static void
NAME(extreme)(ELEM *a, int64_t n, bool greatest)
{
    int64_t at = 0, to = greatest ? n - 1 : 0;
    for (int64_t i = 1; i < n; i++)
        at = (greatest ? LESS(a[at], a[i]) : LESS(a[i], a[at])) ? i : at;
    ELEM t = a[to];
    a[to] = a[at];
    a[at] = t;
}

enum { NAME(FEW) = 24, NAME(LENT_FEW) = 256, NAME(SAMPLE) = 256, NAME(ROUNDS) = 80 };

/* By NumPy's sort, where it lends that: it uses vectors. */
static bool
NAME(lent)(ELEM *a, int64_t n)
{
#ifdef LENT
    KernelSort *sort = kernel_host()->sort[LENT];
    return n > NAME(FEW) && sort && !sort(a, n, NULL);
#else
    (void)a, (void)n;
    return false;
#endif
}

/* Elements spread over all of them, and which of the sample to take so that the k-th is likely on
 * the shorter side. */
static ELEM
NAME(pivot)(const ELEM *a, int64_t n, int64_t k, int round)
{
    ELEM s[NAME(SAMPLE)];
    int64_t m = n / 8 < NAME(SAMPLE) ? n / 8 : NAME(SAMPLE), step = n / m, gap = 1;
    while (gap * gap * 2 < m)
        gap++;
    for (int64_t i = 0; i < m; i++)
        s[i] = a[i * step + (i * 7 + round * 13) % step];
    int64_t at = k * m / n + (k < n / 2 ? gap : -gap);
    if (!NAME(lent)(s, m))
        NAME(insertion)(s, m);
    return s[at < 0 ? 0 : at < m ? at : m - 1];
}

static void
NAME(select)(ELEM *a, ELEM *tmp, int64_t n, int64_t k)
{
    for (int round = 0; n > NAME(FEW); round++) {
        if (k == 0 || k == n - 1) {
            NAME(extreme)(a, n, k > 0);
            return;
        }
        if (round == NAME(ROUNDS)) {
            ELEM *r = NAME(merge_sort)(a, tmp, n);
            if (r != a)
                memcpy(a, r, sizeof *a * (size_t)n);
            return;
        }
        if (n <= NAME(LENT_FEW) && NAME(lent)(a, n))
            return;
        ELEM p = NAME(pivot)(a, n, k, round);
        int64_t m = NAME(split)(a, tmp, n, p, false);
        if (k < m) {
            n = m;
            continue;
        }
        a += m;
        k -= m;
        n -= m;
        if (m > n / 8)
            continue;
        m = NAME(split)(a, tmp, n, p, true);
        if (k < m)
            return;
        a += m;
        k -= m;
        n -= m;
    }
    NAME(insertion)(a, n);
}

/* For several, in their order. */
static void
NAME(select_all)(ELEM *a, ELEM *tmp, int64_t n, const char *kth, int64_t n_kth, int64_t stride)
{
    int64_t done = 0;
    for (int64_t i = 0; i < n_kth; i++) {
        int64_t k;
        memcpy(&k, kth + i * stride, sizeof k);
        if (k < done || k >= n)
            continue;
        NAME(select)(a + done, tmp, n - done, k - done);
        done = k + 1;
    }
}

#undef WIDE_KIND
#undef WIDEST_KIND
#undef LENT
#undef ELEM
#undef NAME
#undef LESS
