/* SPDX-License-Identifier: BSD-3-Clause
 * The barrier over the grid that kernels on NVIDIA's devices call, run by threads of the host: the
 * same source, with what the hardware gives made here. A thread that has ended counts as come at
 * its block's barriers, as on the device. Each thread of each block fails in turn, in each round,
 * and all have to leave; two launches beside each other, of other sizes, each with its record,
 * don't disturb one another. */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 12, ROUNDS = 3 };

typedef struct Block {
    pthread_mutex_t lock;
    pthread_cond_t turned;
    int alive, come, turn;
} Block;

typedef struct Launch {
    int64_t fault[16];
    int blocks, threads, fails, fails_in; /* fails: the thread's number in the grid, -1: none */
    Block block[MOST];
    int passed[ROUNDS + 1]; /* threads that are behind so many barriers */
    int wrong, left;
} Launch;

typedef struct Thread {
    Launch *launch;
    int block, thread;
} Thread;

static _Thread_local Thread me;

static void
turn(Block *b)
{
    if (b->alive && b->come < b->alive)
        return;
    b->come = 0;
    b->turn++;
    pthread_cond_broadcast(&b->turned);
}

static void
__syncthreads(void)
{
    Block *b = &me.launch->block[me.block];
    pthread_mutex_lock(&b->lock);
    int was = b->turn;
    b->come++;
    turn(b);
    while (b->turn == was)
        pthread_cond_wait(&b->turned, &b->lock);
    pthread_mutex_unlock(&b->lock);
}

static void
end_thread(void)
{
    Block *b = &me.launch->block[me.block];
    pthread_mutex_lock(&b->lock);
    b->alive--;
    if (b->come)
        turn(b);
    pthread_mutex_unlock(&b->lock);
}

#define convergent
#define __nvvm_membar_gl __sync_synchronize
#define __nvvm_read_ptx_sreg_ctaid_x() me.block
#define __nvvm_read_ptx_sreg_ctaid_y() 0
#define __nvvm_read_ptx_sreg_ctaid_z() 0
#define __nvvm_read_ptx_sreg_tid_x() me.thread
#define __nvvm_read_ptx_sreg_tid_y() 0
#define __nvvm_read_ptx_sreg_tid_z() 0
#define __nvvm_read_ptx_sreg_nctaid_x() me.launch->blocks
#define __nvvm_read_ptx_sreg_nctaid_y() 1
#define __nvvm_read_ptx_sreg_nctaid_z() 1
#include "gen/llvm/device/runtime.c"

static void *
body(void *arg)
{
    me = *(Thread *)arg;
    Launch *l = me.launch;
    int number = me.block * l->threads + me.thread, all = l->blocks * l->threads, r;
    for (r = 0; r < ROUNDS; r++) {
        if (number == l->fails && r == l->fails_in) {
            sw_fail(l->fault, 6, 0, 0, 0, 0);
            break;
        }
        __atomic_add_fetch(&l->passed[r], 1, __ATOMIC_SEQ_CST);
        if (sw_grid_sync(l->fault))
            break;
        if (l->fails < 0 && __atomic_load_n(&l->passed[r], __ATOMIC_SEQ_CST) != all)
            __atomic_add_fetch(&l->wrong, 1, __ATOMIC_SEQ_CST);
    }
    if (r < ROUNDS)
        __atomic_add_fetch(&l->left, 1, __ATOMIC_SEQ_CST);
    end_thread();
    return NULL;
}

static void
begin(Launch *l, Thread *t, pthread_t *id)
{
    for (int b = 0; b < l->blocks; b++) {
        pthread_mutex_init(&l->block[b].lock, NULL);
        pthread_cond_init(&l->block[b].turned, NULL);
        l->block[b].alive = l->threads;
    }
    for (int i = 0; i < l->blocks * l->threads; i++) {
        t[i] = (Thread){l, i / l->threads, i % l->threads};
        pthread_create(&id[i], NULL, body, &t[i]);
    }
}

/* All have left when one has failed, but those that were behind the last barrier. */
static int
judge(const Launch *l)
{
    int all = l->blocks * l->threads;
    bool told = l->fault[0] == (l->fails < 0 ? 0 : 7);
    bool rest = l->fails < 0 ? !l->left : l->left == all || l->fails_in == ROUNDS;
    if (!l->wrong && told && rest)
        return 0;
    printf("%d blocks of %d, %d fails in %d: %d wrong, %d left\n", l->blocks, l->threads, l->fails,
           l->fails_in, l->wrong, l->left);
    return 1;
}

static int
both(Launch a, Launch b)
{
    static Thread t[2][MOST];
    pthread_t id[2][MOST];
    Launch *l[2] = {&a, &b};
    int bad = 0;
    for (int i = 0; i < 2; i++)
        begin(l[i], t[i], id[i]);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < l[i]->blocks * l[i]->threads; k++)
            pthread_join(id[i][k], NULL);
    for (int i = 0; i < 2; i++)
        bad += judge(l[i]);
    return bad;
}

int
main(void)
{
    static const int shape[][2] = {{1, 1}, {1, 2}, {2, 1}, {2, 2}, {3, 1}};
    int bad = 0, n = 0;
    alarm(120);
    for (int k = 0; k < 5; k++)
        for (int fails = -1; fails < shape[k][0] * shape[k][1]; fails++)
            for (int in = 0; in < (fails < 0 ? 1 : ROUNDS); in++, n++)
                bad += both((Launch){.blocks = shape[k][0],
                                     .threads = shape[k][1],
                                     .fails = fails,
                                     .fails_in = in},
                            (Launch){.blocks = 2, .threads = 1, .fails = -1});
    printf("%d pairs of launches, %d wrong\n", n, bad);
    return bad != 0;
}
