/* SPDX-License-Identifier: BSD-3-Clause
 * Functions of other languages by "swx:KEY:TAG:NAME", the symbols that compiled code has for them.
 * A key stands for a library of the system's format, opened when first asked for, or for one
 * function that is there already (a callback). Nothing is ever closed: compiled code may hold
 * addresses. */
#include "rt/rt.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

typedef struct Linked {
    struct Linked *next;
    char *key, *path;
    void *handle, *function;
} Linked;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Linked *first;

static Linked *
find(const char *key, size_t n)
{
    for (Linked *l = first; l; l = l->next)
        if (strlen(l->key) == n && !memcmp(l->key, key, n))
            return l;
    return NULL;
}

bool
rt_link_add(const char *key, const char *path, void *function)
{
    pthread_mutex_lock(&lock);
    Linked *l = find(key, strlen(key));
    if (!l) {
        l = calloc(1, sizeof *l);
        char *copy = l ? strdup(key) : NULL;
        if (!copy) {
            free(l);
            pthread_mutex_unlock(&lock);
            return false;
        }
        l->key = copy;
        l->next = first;
        first = l;
    }
    if (!l->path && path)
        l->path = strdup(path);
    if (function)
        l->function = function;
    bool fine = l->path || l->function;
    pthread_mutex_unlock(&lock);
    return fine;
}

void *
rt_link_find(const char *symbol)
{
    const char *key = symbol + strlen(RT_LINK_PREFIX), *name = strrchr(key, ':');
    void *at = NULL;
    if (!name)
        return NULL;
    pthread_mutex_lock(&lock);
    Linked *l = find(key, strcspn(key, ":"));
    if (l && !l->function && !l->handle)
        l->handle = dlopen(l->path, RTLD_NOW | RTLD_LOCAL);
    if (l)
        at = l->function ? l->function : l->handle ? dlsym(l->handle, name + 1) : NULL;
    pthread_mutex_unlock(&lock);
    return at;
}
