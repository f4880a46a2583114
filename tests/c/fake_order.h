/* SPDX-License-Identifier: BSD-3-Clause
 * What has happened before what, for fake_cuda.c: each stream counts its pieces of work, and knows
 * how far each other stream had come in what it has waited for (a vector clock); so do events, and
 * the host. Memory remembers who wrote it last and who used it since. Work that touches memory
 * without coming after what another stream did with it is a breach. Kernels count as readers: what
 * they write is not known. */
#include <stdbool.h>
#include <stdlib.h>

enum { STREAMS = 512 }; /* further ones are not looked at */

typedef struct Clock {
    int number; /* of the stream, from 1; 0: none that is looked at */
    long at;    /* how far it has come */
    long *past; /* how far the others had */
} Clock;

typedef struct Touched {
    int writer;
    long written, *used;
} Touched;

static int next_stream;
static long host_past[STREAMS];

static long *
past_of(Clock *c)
{
    if (!c->past)
        c->past = calloc(STREAMS, sizeof *c->past);
    return c->past;
}

static void
order_new_stream(Clock *c)
{
    c->number = ++next_stream < STREAMS ? next_stream : 0;
}

static void
order_end(Clock *c)
{
    free(c->past);
    c->past = NULL;
}

static void
reach(long *past, const Clock *c)
{
    for (int i = 1; c->past && i < STREAMS; i++)
        if (past[i] < c->past[i])
            past[i] = c->past[i];
    if (past[c->number] < c->at)
        past[c->number] = c->at;
}

/* An event notes where its stream is. */
static void
order_record(Clock *event, const Clock *stream)
{
    order_end(event);
    *event = (Clock){.number = stream->number, .at = stream->at};
    reach(past_of(event), stream);
}

static void
order_wait(Clock *stream, const Clock *event)
{
    reach(past_of(stream), event);
}

static void
order_host_waits(const Clock *c)
{
    reach(host_past, c);
}

static bool
is_after(Clock *s, int number, long at)
{
    return number == s->number || at <= past_of(s)[number] || at <= host_past[number];
}

/* The stream's next piece of work touches memory: false, when it may run too early. */
static bool
order_touch(Clock *s, Touched *m, bool writes)
{
    if (!s->number)
        return true;
    bool ok = is_after(s, m->writer, m->written);
    for (int i = 1; writes && m->used && i < STREAMS; i++)
        ok = ok && is_after(s, i, m->used[i]);
    s->at++;
    if (!m->used)
        m->used = calloc(STREAMS, sizeof *m->used);
    m->used[s->number] = s->at;
    if (writes) {
        m->writer = s->number;
        m->written = s->at;
    }
    return ok;
}
