/* SPDX-License-Identifier: BSD-3-Clause
 * How a parallel loop is cut into chunks: see rt.def. All of it follows from the loop, nothing from
 * how many threads there are, so that a sum has the same bits on one as on many. */
#include "rt/rt.h"

int64_t
sw_chunk_want(int64_t n, double ns, double grain, int64_t most)
{
    double all = (double)(uint64_t)n * ns;
    if (all <= grain) /* little work, which waits for no division */
        return 1;
    double k = all / grain;
    return k > (double)most ? most : k > 1 ? (int64_t)k : 1;
}

int64_t
sw_chunk_count(int64_t n, int64_t size)
{
    uint64_t u = (uint64_t)n, by = (uint64_t)size;
    if (u <= by)
        return u != 0;
    return by ? (int64_t)(u / by + (u % by != 0)) : 0;
}

int64_t
sw_chunk_size(int64_t n, int64_t chunks, int64_t line, int64_t most)
{
    uint64_t size = chunks == 1 ? (uint64_t)n : (uint64_t)sw_chunk_count(n, chunks);
    size = size > (uint64_t)most ? (uint64_t)most : size ? size : 1;
    if (!(line & (line - 1)))
        return (int64_t)((size + (uint64_t)line - 1) & -(uint64_t)line);
    return (int64_t)((size + (uint64_t)line - 1) / (uint64_t)line * (uint64_t)line);
}
