/* SPDX-License-Identifier: BSD-3-Clause
 * The interface by which gdb (and lldb) learn of code that was made at run time: a linked list of
 * objects in memory behind __jit_debug_descriptor, and a function of a fixed name that the
 * debugger has a breakpoint on. The names and layouts are theirs. */
#include "rt/rt.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct JitEntry {
    struct JitEntry *next, *prev;
    const void *symfile;
    uint64_t size;
} JitEntry;

enum { JIT_NOACTION, JIT_REGISTER, JIT_UNREGISTER };

SW_EXPORT void __jit_debug_register_code(void);
SW_EXPORT struct {
    uint32_t version, action;
    JitEntry *relevant, *first;
} __jit_debug_descriptor = {1, JIT_NOACTION, NULL, NULL};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

__attribute__((noinline)) void
__jit_debug_register_code(void)
{
    __asm__ volatile("" ::: "memory"); /* must remain a call */
}

static void
tell(JitEntry *e, uint32_t action)
{
    __jit_debug_descriptor.relevant = e;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
    __jit_debug_descriptor.relevant = NULL;
    __jit_debug_descriptor.action = JIT_NOACTION;
}

void *
rt_gdb_add(const void *elf, size_t n)
{
    JitEntry *e = malloc(sizeof *e + n); /* the copy lies behind the entry */
    if (!e)
        return NULL;
    memcpy(e + 1, elf, n);
    e->symfile = e + 1;
    e->size = n;
    e->prev = NULL;
    pthread_mutex_lock(&lock);
    e->next = __jit_debug_descriptor.first;
    if (e->next)
        e->next->prev = e;
    __jit_debug_descriptor.first = e;
    tell(e, JIT_REGISTER);
    pthread_mutex_unlock(&lock);
    return e;
}

void
rt_gdb_remove(void *handle)
{
    JitEntry *e = handle;
    if (!e)
        return;
    pthread_mutex_lock(&lock);
    *(e->prev ? &e->prev->next : &__jit_debug_descriptor.first) = e->next;
    if (e->next)
        e->next->prev = e->prev;
    tell(e, JIT_UNREGISTER);
    pthread_mutex_unlock(&lock);
    free(e);
}
