/* SPDX-License-Identifier: BSD-3-Clause
 * What the errors of kernels under debug say: takes what watch_fail has noted, yields the
 * message. The format of an access's site is the element as people know it. */
#include "rt/watch.h"

const char *
rt_watch_class(const SwError *e)
{
    switch (e->what & 15) {
    case WATCH_RACE:
        return "swathe.errors.RaceError";
    case WATCH_UNWRITTEN:
    case WATCH_LANE:
        return "swathe.errors.UninitializedError";
    default:
        return "swathe.errors.BarrierError";
    }
}

const char *
rt_watch_note(const SwError *e)
{
    static const char *const lost[] = {"it has returned here", "it ends here", "it waits here"};
    return (e->what & 15) == WATCH_BARRIER ? lost[e->a[3]] : "the other access is here";
}

static void
put_thread(StrBuf *out, uint32_t t)
{
    sb_addf(out, "thread (%u, %u, %u)", t & 1023, t >> 10 & 1023, t >> 20);
}

static void
put_block(StrBuf *out, const char *before, uint64_t b)
{
    sb_addf(out, "%sblock (%u, %u, %u)", before, (unsigned)b, (unsigned)(b >> 32 & 0xffff),
            (unsigned)(b >> 48));
}

static void
put_element(StrBuf *out, const char *format, uint64_t shown)
{
    static const int bits[] = {0, 64, 32, 21};
    int n = 0;
    uint64_t at[3];
    for (const char *p = format; (p = strchr(p, '%')) && n < 3; p++)
        n++;
    for (int k = 0; k < n; k++)
        at[k] = n == 1 ? shown : shown >> (k * bits[n]) & (((uint64_t)1 << bits[n]) - 1);
    rt_format(out, format, at, n);
}

/* thread 1 writes x[3], thread 0 reads it */
static void
put_race(StrBuf *out, const char *element, const SwError *e)
{
    static const char *const does[] = {"reads", "writes", "updates", "exchanges"};
    uint64_t mine = (uint64_t)e->a[2], other = (uint64_t)e->a[3];
    put_thread(out, (uint32_t)e->a[1]);
    if (mine != other)
        put_block(out, " of ", mine);
    sb_addf(out, " %s ", does[e->what >> 4 & 3]);
    put_element(out, element, (uint64_t)e->a[0]);
    sb_add(out, ", and ");
    put_thread(out, (uint32_t)((uint64_t)e->a[1] >> 32));
    if (mine != other)
        put_block(out, " of ", other);
    sb_addf(out, " %s it: ", does[e->what >> 6 & 3]);
    if (mine != other)
        sb_add(out, "blocks run in any order");
    else
        put_block(out, "nothing orders them (in ", mine);
    sb_add(out, mine != other ? "" : ")");
}

static void
put_barrier(StrBuf *out, const SwError *e)
{
    static const char *const why[] = {"has returned", "ends without reaching it",
                                      "waits at another barrier"};
    bool apart = e->a[0] != e->a[2];
    put_thread(out, (uint32_t)e->a[1]);
    if (apart)
        put_block(out, " of ", (uint64_t)e->a[2]);
    sb_addf(out, " waits at a barrier%s, and ", apart ? " of the grid" : "");
    put_thread(out, (uint32_t)((uint64_t)e->a[1] >> 32));
    if (apart)
        put_block(out, " of ", (uint64_t)e->a[0]);
    sb_addf(out, " %s", why[e->a[3]]);
}

void
rt_watch_text(StrBuf *out, const SwFunction *fn, const SwError *e)
{
    const char *element = rt_site(fn, e->site)->format;
    switch (e->what & 15) {
    case WATCH_RACE:
        put_race(out, element, e);
        return;
    case WATCH_UNWRITTEN:
        put_thread(out, (uint32_t)e->a[1]);
        sb_add(out, " reads ");
        put_element(out, element, (uint64_t)e->a[0]);
        sb_add(out, e->a[3] == SPACE_SHARED ? ", which no thread of the block has written"
                                            : ", which it has not written");
        break;
    case WATCH_BARRIER:
        put_barrier(out, e);
        if (e->a[0] != e->a[2])
            return;
        break;
    case WATCH_MASK:
        put_thread(out, (uint32_t)e->a[1]);
        sb_add(out, " has ");
        put_thread(out, (uint32_t)((uint64_t)e->a[1] >> 32));
        sb_add(out, " in the mask of an operation of its warp, which does not take part");
        break;
    case WATCH_NOT_MINE:
        put_thread(out, (uint32_t)e->a[1]);
        sb_add(out, " is not in its own mask of an operation of its warp");
        break;
    default:
        put_thread(out, (uint32_t)e->a[1]);
        sb_addf(out, " takes the value of lane %d of its warp, which does not take part",
                (int)e->a[0]);
        break;
    }
    put_block(out, " (in ", (uint64_t)e->a[2]);
    sb_add(out, ")");
}
