/* SPDX-License-Identifier: BSD-3-Clause
 * Copies and fills of fake_cuda.c, whose types and checks it uses: they happen at once, and tell
 * the order of streams what they touch. Of rows, only these bytes are read and written. */
Result
cuMemcpyHtoDAsync_v2(uint64_t to, const void *from, size_t n, void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__) || !inside(to, n, __func__))
        return INVALID_VALUE;
    touch(s, to, true, __func__);
    memcpy((void *)(uintptr_t)to, from, n);
    return OK;
}

Result
cuMemcpyDtoHAsync_v2(void *to, uint64_t from, size_t n, void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__) || !inside(from, n, __func__))
        return INVALID_VALUE;
    touch(s, from, false, __func__);
    memcpy(to, (void *)(uintptr_t)from, n);
    return OK;
}

Result
cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t n, void *s)
{
    CALL(true);
    if (!alive(s, STREAM, __func__) || !inside(to, n, __func__) || !inside(from, n, __func__))
        return INVALID_VALUE;
    touch(s, from, false, __func__);
    touch(s, to, true, __func__);
    memmove((void *)(uintptr_t)to, (void *)(uintptr_t)from, n);
    return OK;
}

typedef struct Side {
    size_t x, y;
    int kind;
    void *host;
    uint64_t device;
    void *array;
    size_t pitch;
} Side;

/* Where a side's rows begin; NULL: it is none. */
static char *
rows_of(const Side *d, size_t width, size_t n, void *s, bool writes, const char *call)
{
    uint64_t at = d->device + d->y * d->pitch + d->x;
    if (d->kind == 1)
        return (char *)d->host + d->y * d->pitch + d->x;
    if (d->kind != 2 || d->pitch < width || !inside(at, (n - 1) * d->pitch + width, call))
        return NULL;
    touch(s, at, writes, call);
    return (char *)(uintptr_t)at;
}

/* One side is device memory that nobody else may write in between: only the rows are touched. */
Result
cuMemcpy2DAsync_v2(const void *copy, void *s)
{
    CALL(true);
    struct {
        Side from, to;
        size_t width, n;
    } c;
    memcpy(&c, copy, sizeof c);
    if (!alive(s, STREAM, __func__) || !c.width || !c.n || c.from.pitch < c.width)
        return INVALID_VALUE;
    if (no_pitches)
        return INVALID_VALUE;
    char *from = rows_of(&c.from, c.width, c.n, s, false, __func__);
    char *to = rows_of(&c.to, c.width, c.n, s, true, __func__);
    for (size_t i = 0; from && to && i < c.n; i++)
        memmove(to + i * c.to.pitch, from + i * c.from.pitch, c.width);
    return from && to ? OK : INVALID_VALUE;
}

/* Rows of `width` elements of `item` bytes, `pitch` apart. */
static Result
set(uint64_t to, size_t pitch, uint32_t v, size_t item, size_t width, size_t rows, void *s,
    const char *call)
{
    if (!alive(s, STREAM, call) || !width || !rows ||
        !inside(to, pitch * (rows - 1) + width * item, call))
        return INVALID_VALUE;
    if (to % item || pitch % item)
        breach("%s: not aligned", call);
    touch(s, to, true, call);
    for (size_t r = 0; r < rows; r++)
        for (size_t k = 0; k < width; k++)
            memcpy((char *)(uintptr_t)to + r * pitch + k * item, &v, item);
    return OK;
}

Result
cuMemsetD8Async(uint64_t to, unsigned char v, size_t n, void *s)
{
    CALL(true);
    return set(to, 0, v, 1, n, 1, s, __func__);
}

Result
cuMemsetD16Async(uint64_t to, unsigned short v, size_t n, void *s)
{
    CALL(true);
    return set(to, 0, v, 2, n, 1, s, __func__);
}

Result
cuMemsetD32Async(uint64_t to, unsigned v, size_t n, void *s)
{
    CALL(true);
    return set(to, 0, v, 4, n, 1, s, __func__);
}

Result
cuMemsetD2D8Async(uint64_t to, size_t pitch, unsigned char v, size_t w, size_t h, void *s)
{
    CALL(true);
    return set(to, pitch, v, 1, w, h, s, __func__);
}

Result
cuMemsetD2D32Async(uint64_t to, size_t pitch, unsigned v, size_t w, size_t h, void *s)
{
    CALL(true);
    return set(to, pitch, v, 4, w, h, s, __func__);
}
