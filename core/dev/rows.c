/* SPDX-License-Identifier: BSD-3-Clause
 * Rows, for memory and pitches that a driver has no command for: a copy for each row. The first
 * waits for what all wait for, the last tells when all are done, since the queue is in order, or
 * each of them blocks. */
#include "dev/dev.h"

static bool
one(const DevApi *api, DevQueue *q, const DevRows *r, size_t i, const DevWhen *w, DevError *e)
{
    size_t to = r->to_at + i * r->to_pitch, from = r->from_at + i * r->from_pitch;
    if (!r->from)
        return api->write(q, r->to, to, r->host + i * r->from_pitch, r->width, w, e);
    if (!r->to)
        return api->read(q, r->host + i * r->to_pitch, r->from, from, r->width, w, e);
    return api->copy(q, r->to, to, r->from, from, r->width, w, e);
}

bool
dev_rows_each(const DevApi *api, DevQueue *q, const DevRows *r, const DevWhen *w, DevError *e)
{
    bool block = w && w->block;
    for (size_t i = 0; i < r->n; i++) {
        DevWhen each = {.block = block};
        if (w && i == 0) {
            each.after = w->after;
            each.n_after = w->n_after;
        }
        if (w && i + 1 == r->n)
            each.done = w->done;
        if (!one(api, q, r, i, &each, e))
            return false;
    }
    return true;
}
