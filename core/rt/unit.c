/* SPDX-License-Identifier: BSD-3-Clause
 * Units: functions of the library that many programs use, compiled once. Takes a unit's
 * symbol, which is a hash of all that its code depends on but compiler and processor
 * (ir/unit.c); yields its code, from the first place that has it: this process, the file
 * that came with the package, the cache. Who calls a unit holds it: the loader does for
 * an object as long as that lives, a compilation until its object is loaded. Nobody else
 * does, so a unit goes with the last function that calls it.
 *
 * The sites of a unit get numbers of their own when it is loaded, from UNIT_FIRST_SITE
 * on; its code adds the number of the first, which the loader gives it as an address. So
 * an error in a unit needs no translation on its way out. */
#include "gen/gen.h"
#include "ir/ir.h"
#include "rt/rt.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct Unit {
    Unit *next;
    char *symbol;
    int64_t refs; /* under the lock */
    struct LoadedCode *code;
    void *entry;
    int32_t first; /* the number of sites[0] */
    int n_sites;
    SwSite *sites; /* numbers in them are those of this process */
    Arena arena;   /* of the sites and the symbol */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static Unit *loaded;
static int32_t next_site = UNIT_FIRST_SITE;
static UnitStats stats;

/* ---- those of this process ---- */

/* The lock is held. */
static Unit *
held(const char *symbol)
{
    for (Unit *u = loaded; u; u = u->next)
        if (!strcmp(u->symbol, symbol)) {
            u->refs++;
            return u;
        }
    return NULL;
}

static void
destroy(Unit *u)
{
    load_free(u->code);
    arena_free(&u->arena);
    free(u);
}

void
unit_release(Unit *u)
{
    pthread_mutex_lock(&lock);
    bool last = !--u->refs;
    for (Unit **p = &loaded; last && *p; p = &(*p)->next)
        if (*p == u) {
            *p = u->next;
            break;
        }
    stats.live -= last;
    pthread_mutex_unlock(&lock);
    if (last)
        destroy(u);
}

void *
unit_entry(const Unit *u)
{
    return u->entry;
}

const SwSite *
unit_site(const Unit *u, int32_t site)
{
    if (site >= u->first && site - u->first < u->n_sites)
        return &u->sites[site - u->first];
    return load_site(u->code, site);
}

UnitStats
unit_stats(void)
{
    pthread_mutex_lock(&lock);
    UnitStats s = stats;
    pthread_mutex_unlock(&lock);
    s.baseline = gen_host_has_baseline();
    return s;
}

void
unit_keys(StrBuf *out)
{
    pthread_mutex_lock(&lock);
    for (const Unit *u = loaded; u; u = u->next) {
        Hash key = unit_key(u->symbol);
        char hex[33];
        hash_hex(&key, hex);
        sb_addf(out, "%s%s", out->n ? " " : "", hex);
    }
    pthread_mutex_unlock(&lock);
}

/* ---- loading one ---- */

static const char *
text(Arena *a, const char *s)
{
    return s ? arena_str(a, s) : NULL;
}

/* Of the library that this process has. */
static const char *
file(Arena *a, const char *name)
{
    char path[4096];
    bool found = name && gen_beside(arena_printf(a, "lib/%s", name), false, path, sizeof path);
    return found ? arena_str(a, path) : text(a, name);
}

static bool
fill(Unit *u, const char *symbol, const Artifact *art)
{
    jmp_buf oom;
    Arena *a = &u->arena;
    a->oom = &oom;
    bool ok = setjmp(oom) == 0;
    if (ok) {
        u->symbol = arena_str(a, symbol);
        u->sites = NEW_N(a, SwSite, art->n_sites + 1);
        for (int i = 0; i < art->n_sites; i++) {
            const SwSite *s = &art->sites[i];
            u->sites[i] = (SwSite){text(a, s->exc),
                                   text(a, s->format),
                                   text(a, s->func),
                                   file(a, s->file),
                                   text(a, s->text),
                                   s->line,
                                   s->col,
                                   s->end_col,
                                   s->within ? s->within + u->first : 0,
                                   s->cause >= IR_FROM_SITE ? s->cause + u->first : s->cause};
        }
    }
    a->oom = NULL;
    return ok;
}

/* Another thread may have been faster: then that one's. *count: what is to be counted. */
static Unit *
publish(Unit *u, int64_t *count)
{
    pthread_mutex_lock(&lock);
    Unit *other = held(u->symbol);
    if (!other) {
        u->refs = 1;
        u->next = loaded;
        loaded = u;
        stats.live++;
        ++*count;
    }
    pthread_mutex_unlock(&lock);
    if (other)
        destroy(u);
    return other ? other : u;
}

static Unit *
load(const char *symbol, const Artifact *art, int64_t *count, LoadError *err)
{
    Unit *u = calloc(1, sizeof *u);
    if (!u)
        return NULL;
    arena_init(&u->arena);
    pthread_mutex_lock(&lock);
    u->first = next_site;
    bool room = art->n_sites < INT32_MAX - next_site;
    next_site += room ? art->n_sites : 0;
    pthread_mutex_unlock(&lock);
    u->n_sites = art->n_sites;
    if (room && fill(u, symbol, art) &&
        (u->code = load_object(art->object, art->object_size, u->first, err)))
        u->entry = load_symbol(u->code, UNIT_ENTRY);
    if (u->entry)
        return publish(u, count);
    destroy(u);
    return NULL;
}

Unit *
unit_add(const char *symbol, const Artifact *art, LoadError *err)
{
    return load(symbol, art, &stats.compiled, err);
}

/* ---- those of the package: a table of keys, in order, and places of files as the cache has them
 * ---- */

#define BUILT "units.bin"
static const char magic[8] = {'s', 'w', 'u', 'n', 'i', 't', 's', '\n'};

typedef struct Built {
    char magic[8];
    uint64_t n;

    struct {
        Hash key;
        uint64_t at, size;
    } row[];
} Built;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static const Built *built;
static size_t built_size;

static void
open_built(void)
{
    char path[4096];
    struct stat st;
    int fd = gen_beside(BUILT, false, path, sizeof path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof *built) {
        void *p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
        built = p == MAP_FAILED ? NULL : p;
        built_size = (size_t)st.st_size;
    }
    close(fd);
    if (built && (memcmp(built->magic, magic, sizeof magic) ||
                  built->n > (built_size - sizeof *built) / sizeof *built->row))
        built = NULL;
}

/* What the package has of it, or NULL. */
static const void *
find_built(const Hash *key, size_t *size)
{
    pthread_once(&once, open_built);
    for (uint64_t i = 0; built && i < built->n; i++) {
        uint64_t at = built->row[i].at, n = built->row[i].size;
        if (!memcmp(&built->row[i].key, key, sizeof *key) && at <= built_size &&
            n <= built_size - at)
            return cache_read(key, (const char *)built + at, n, size);
    }
    return NULL;
}

/* ---- finding one ---- */

Hash
unit_key(const char *symbol)
{
    Hash h = hash_init();
    hash_str(&h, symbol);
    gen_key_unit(&h, false);
    return h;
}

static Unit *
load_bytes(Cx *cx, const char *symbol, const void *bytes, size_t n, int64_t *count)
{
    static const SwRequest none = {0};
    LoadError err = {0};
    const Artifact *a = bytes ? artifact_decode(cx, &none, bytes, n) : NULL;
    Unit *u = a ? load(symbol, a, count, &err) : NULL;
    free(err.why); /* what does not load here is compiled anew */
    return u;
}

static Unit *
search(Cx *cx, const char *symbol, bool disk)
{
    Hash key = hash_init();
    size_t n = 0;
    hash_str(&key, symbol);
    gen_key_unit(&key, true);
    const void *bytes = gen_host_has_baseline() ? find_built(&key, &n) : NULL;
    Unit *u = load_bytes(cx, symbol, bytes, n, &stats.built);
    if (u || !disk)
        return u;
    key = unit_key(symbol);
    bytes = cache_get_bytes(cx, &key, &n);
    return load_bytes(cx, symbol, bytes, n, &stats.cached);
}

/* `cx` has an arena of its own: the loader has none. */
static Unit *
search_guarded(Cx *cx, const char *symbol, bool disk)
{
    jmp_buf oom;
    cx_init(cx);
    cx->arena.oom = &oom;
    if (setjmp(oom))
        return NULL;
    cx->types = type_table(&cx->arena);
    return search(cx, symbol, disk);
}

Unit *
unit_find(const char *symbol, bool disk)
{
    pthread_mutex_lock(&lock);
    Unit *u = held(symbol);
    pthread_mutex_unlock(&lock);
    Cx *cx = u ? NULL : malloc(sizeof *cx);
    if (!cx)
        return u;
    u = search_guarded(cx, symbol, disk);
    cx_free(cx);
    free(cx);
    return u;
}
