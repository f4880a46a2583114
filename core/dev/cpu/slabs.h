/* SPDX-License-Identifier: BSD-3-Clause
 * Blocks of a few sizes, of which small.c makes magazines: lists linked through `user`. */
#ifndef SWATHE_DEV_CPU_SLABS_H
#define SWATHE_DEV_CPU_SLABS_H
#include "dev/dev.h"

enum { SLAB_SIZES = 5 };

/* Bytes of a block, header included: a string of 8, 16, 24 characters, an array of DEV_SMALL bytes,
 * the first sheet of strings that are arguments. What malloc makes of them is 8 bytes more. */
enum {
    ROOM_0 = 72,
    ROOM_1 = 104,
    ROOM_2 = 136,
    ROOM_3 = sizeof(SwMem) + DEV_SMALL,
    ROOM_4 = sizeof(SwMem) + DEV_SMALL_MOST,
};
static const size_t slab_room[SLAB_SIZES] = {ROOM_0, ROOM_1, ROOM_2, ROOM_3, ROOM_4};

/* Blocks of a slab, one behind the other, that are a thread's. */
typedef struct SlabCut {
    char *at, *end;
} SlabCut;

void slab_start(void);
SwMem *slab_fresh(int k); /* NULL: out of memory */
/* *n blocks; NULL: none, but `cut` may have some now */
SwMem *slab_take(int k, int most, int *n, SlabCut *cut);
void slab_give(int k, SwMem *list);
void slab_give_cut(int k, SlabCut *cut);
void slab_trim(void);
size_t slab_kept(void); /* bytes that nobody has */
#endif
