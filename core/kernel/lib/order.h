/* SPDX-License-Identifier: BSD-3-Clause
 * A stable sort as a template: included once for each type of elements, by sort.c. ELEM: the type;
 * NAME(x): x with a suffix; LESS(a, b). With KEY(e), an unsigned integer of KEY_BITS that LESS
 * compares, many elements are sorted by its bytes, the last first, which takes as many passes as
 * there are bytes in which keys differ. Else, and where there are few, by merging sorted runs two
 * by two. All take as much scratch memory as there are elements, and yield where the result is: in
 * `a` or in `tmp`. */

static void
NAME(insertion)(ELEM *a, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        ELEM v = a[i];
        int64_t k = i;
        for (; k > 0 && LESS(v, a[k - 1]); k--)
            a[k] = a[k - 1];
        a[k] = v;
    }
}

/* Two sorted runs in a row, to `to`: stable, without a branch that depends on what is compared. */
static void
NAME(merge)(const ELEM *a, int64_t na, int64_t nb, ELEM *to)
{
    const ELEM *b = a + na, *end_a = b, *end_b = b + nb;
    while (a < end_a && b < end_b) {
        bool second = LESS(*b, *a);
        *to++ = second ? *b : *a;
        b += second;
        a += !second;
    }
    memcpy(to, a < end_a ? a : b, sizeof *a * (size_t)(a < end_a ? end_a - a : end_b - b));
}

static ELEM *
NAME(merge_sort)(ELEM *a, ELEM *tmp, int64_t n)
{
    enum { RUN = 12 };
    for (int64_t i = 0; i < n; i += RUN)
        NAME(insertion)(a + i, n - i < RUN ? n - i : RUN);
    for (int64_t width = RUN; width < n; width *= 2) {
        for (int64_t i = 0; i < n; i += 2 * width) {
            int64_t first = n - i < width ? n - i : width,
                    both = n - i < 2 * width ? n - i : 2 * width;
            NAME(merge)(a + i, first, both - first, tmp + i);
        }
        ELEM *t = a;
        a = tmp;
        tmp = t;
    }
    return a;
}

#ifdef KEY
/* One pass: by the byte of the key at `shift`. */
static void
NAME(scatter)(const ELEM *a, ELEM *to, int64_t n, int shift, int64_t *count)
{
    int64_t at = 0;
    for (int k = 0; k < 256; k++) {
        int64_t c = count[k];
        count[k] = at;
        at += c;
    }
    for (int64_t i = 0; i < n; i++)
        to[count[KEY(a[i]) >> shift & 255]++] = a[i];
}

/* Bits in which keys differ. */
static uint64_t
NAME(varying)(const ELEM *a, int64_t n)
{
    uint64_t first = KEY(a[0]), all = 0;
    for (int64_t i = 1; i < n; i++)
        all |= KEY(a[i]) ^ first;
    return all;
}

/* By the bits of keys from `low` on, of which `vary` says which differ. */
static ELEM *
NAME(radix_sort)(ELEM *a, ELEM *tmp, int64_t n, int low, uint64_t vary)
{
    for (int shift = low; shift < KEY_BITS; shift += 8) {
        if (!(vary >> shift & 255))
            continue;
        int64_t count[256] = {0};
        for (int64_t i = 0; i < n; i++)
            count[KEY(a[i]) >> shift & 255]++;
        NAME(scatter)(a, tmp, n, shift, count);
        ELEM *t = a;
        a = tmp;
        tmp = t;
    }
    return a;
}
#endif

#ifndef KEEP_ORDER /* that is for select.h, which takes merge_sort */
static ELEM *
NAME(sorted)(ELEM *a, ELEM *tmp, int64_t n)
{
#ifdef KEY
    if (n > 24 * KEY_BITS / 8)
        return NAME(radix_sort)(a, tmp, n, 0, NAME(varying)(a, n));
#endif
    return NAME(merge_sort)(a, tmp, n);
}

#undef ELEM
#undef NAME
#undef LESS
#endif
#undef KEY
#undef KEY_BITS
