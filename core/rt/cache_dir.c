/* SPDX-License-Identifier: BSD-3-Clause
 * The folder of the disk cache: where it is, whether it may be trusted, and how large it may
 * grow. Files lie in subfolders named by the first two digits of their names. All is done relative
 * to descriptors of folders that were looked at once open, so nobody can put another folder
 * in between. The bytes added since the last count are kept in the file `size`, under a lock;
 * when they pass the limit everything is counted, and the files least recently used go. */
#include "rt/rt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { NAME_LENGTH = 32, STALE_SECONDS = 3600, DEFAULT_MIB = 512 };
#define HEX "0123456789abcdef"

/* ---- where and whether ----------------------------------------------------------------------- */

static bool
folder(char out[PATH_MAX])
{
    const char *own = getenv("SWATHE_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    int n = -1;
    if (own && *own)
        n = snprintf(out, PATH_MAX, "%s", own);
    else if (xdg && *xdg == '/')
        n = snprintf(out, PATH_MAX, "%s/swathe", xdg);
    else if (home && *home == '/')
        n = snprintf(out, PATH_MAX, "%s/.cache/swathe", home);
    return n > 0 && n < PATH_MAX;
}

int64_t
cache_limit(void)
{
    const char *s = getenv("SWATHE_CACHE_SIZE");
    char *end;
    long mib = s && *s ? strtol(s, &end, 10) : DEFAULT_MIB;
    if (s && *s && (*end || mib < 0))
        mib = DEFAULT_MIB;
    return (int64_t)(mib > 1 << 30 ? 1 << 30 : mib) << 20;
}

bool
cache_trusts(const struct stat *st)
{
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

static void
make_folders(char *path)
{
    for (char *p = path + 1; *p; p++)
        if (*p == '/') {
            *p = 0;
            mkdir(path, 0700);
            *p = '/';
        }
    mkdir(path, 0700);
}

/* -1, with *refused when it is there and not safe. */
static int
open_folder(int at, const char *name, int flags, bool *refused)
{
    struct stat st;
    int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | flags);
    if (fd >= 0 && (fstat(fd, &st) != 0 || !cache_trusts(&st))) {
        close(fd);
        *refused = true;
        return -1;
    }
    return fd;
}

static int
open_root(char path[PATH_MAX], bool make, bool *refused)
{
    *refused = false;
    if (cache_limit() == 0 || !folder(path))
        return -1;
    int fd = open_folder(AT_FDCWD, path, 0, refused);
    if (fd < 0 && !*refused && errno == ENOENT && make) {
        make_folders(path);
        fd = open_folder(AT_FDCWD, path, 0, refused);
    }
    return fd;
}

CacheDir
cache_open(const Cx *cx, const char *name, bool make)
{
    char path[PATH_MAX], sub[3] = {name[0], name[1], 0};
    bool refused;
    CacheDir d = {open_root(path, make, &refused), -1};
    if (d.root >= 0) {
        if (make)
            mkdirat(d.root, sub, 0700);
        d.sub = open_folder(d.root, sub, O_NOFOLLOW, &refused);
    }
    if (refused && !make && (cx->trace.time || cx->trace.dump))
        fprintf(stderr, "swathe: no disk cache: others may write %s\n", path);
    return d;
}

void
cache_close(CacheDir *d)
{
    if (d->sub >= 0)
        close(d->sub);
    if (d->root >= 0)
        close(d->root);
    d->sub = d->root = -1;
}

/* ---- a walk over all files ------------------------------------------------------------------- */

typedef struct Entry {
    int64_t used; /* nanoseconds since the epoch */
    int64_t bytes;
    char name[NAME_LENGTH + 1];
} Entry;

typedef void EntryFn(int sub, const char *name, const struct stat *st, void *arg);

static bool
is_name(const char *s)
{
    return strlen(s) == NAME_LENGTH && strspn(s, HEX) == NAME_LENGTH;
}

static bool
is_sub(const char *s)
{
    return strlen(s) == 2 && strspn(s, HEX) == 2;
}

static bool
is_temp(const char *s)
{
    return !strncmp(s, CACHE_TEMP, strlen(CACHE_TEMP));
}

static void
walk_folder(int root, const char *name, EntryFn *fn, void *arg)
{
    bool refused = false;
    int sub = open_folder(root, name, O_NOFOLLOW, &refused);
    DIR *dir = sub < 0 ? NULL : fdopendir(sub);
    struct stat st;
    if (!dir && sub >= 0)
        close(sub);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if ((is_name(e->d_name) || is_temp(e->d_name)) &&
            fstatat(sub, e->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode))
            fn(sub, e->d_name, &st, arg);
    if (dir)
        closedir(dir);
}

/* Only what has the form of ours is ever looked at or removed. */
static void
walk(int root, EntryFn *fn, void *arg)
{
    int fd = openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    for (struct dirent *e; dir && (e = readdir(dir));)
        if (is_sub(e->d_name))
            walk_folder(root, e->d_name, fn, arg);
    if (dir)
        closedir(dir);
}

/* ---- the limit ------------------------------------------------------------------------------- */

typedef struct Listing {
    Entry *at;
    size_t n, cap;
    int64_t bytes;
    time_t now;
} Listing;

static void
list_entry(int sub, const char *name, const struct stat *st, void *arg)
{
    Listing *l = arg;
    if (is_temp(name)) {
        if (st->st_mtim.tv_sec + STALE_SECONDS < l->now)
            unlinkat(sub, name, 0);
        return;
    }
    l->bytes += st->st_size;
    if (l->n == l->cap) {
        size_t cap = l->cap ? l->cap * 2 : 256;
        Entry *more = realloc(l->at, cap * sizeof *more);
        if (!more)
            return;
        l->at = more;
        l->cap = cap;
    }
    Entry *e = &l->at[l->n++];
    e->used = (int64_t)st->st_mtim.tv_sec * 1000000000 + st->st_mtim.tv_nsec;
    e->bytes = st->st_size;
    memcpy(e->name, name, sizeof e->name);
}

static int
by_use(const void *a, const void *b)
{
    int64_t x = ((const Entry *)a)->used, y = ((const Entry *)b)->used;
    return x < y ? -1 : x > y;
}

/* Down to three quarters, so that this is seldom done. Yields the bytes that are left. */
static int64_t
evict(int root, int64_t limit)
{
    Listing l = {.now = time(NULL)};
    walk(root, list_entry, &l);
    if (l.bytes > limit && l.n)
        qsort(l.at, l.n, sizeof *l.at, by_use);
    int64_t keep = l.bytes > limit ? limit / 4 * 3 : limit;
    for (size_t i = 0; i < l.n && l.bytes > keep; i++) {
        char path[NAME_LENGTH + 4];
        snprintf(path, sizeof path, "%.2s/%s", l.at[i].name, l.at[i].name);
        if (unlinkat(root, path, 0) == 0)
            l.bytes -= l.at[i].bytes;
    }
    free(l.at);
    return l.bytes;
}

void
cache_grown(const CacheDir *d, int64_t bytes)
{
    int fd = openat(d->root, "size", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    int64_t total, limit = cache_limit();
    if (fd < 0)
        return;
    if (flock(fd, LOCK_EX | LOCK_NB) == 0) { /* whoever holds it counts for us, or nearly */
        bool known =
            pread(fd, &total, sizeof total, 0) == sizeof total && total >= 0 && total < limit;
        total = known ? total + bytes : limit + 1;
        if (total > limit)
            total = evict(d->root, limit);
        if (pwrite(fd, &total, sizeof total, 0) != sizeof total)
            (void)!ftruncate(fd, 0);
    }
    close(fd);
}

/* ---- what users ask for ---------------------------------------------------------------------- */

static void
measure_entry(int sub, const char *name, const struct stat *st, void *arg)
{
    CacheStats *s = arg;
    (void)sub;
    s->files += is_name(name);
    s->bytes += st->st_size;
}

void
cache_measure(CacheStats *s)
{
    char path[PATH_MAX];
    bool refused;
    if (folder(path))
        snprintf(s->dir, sizeof s->dir, "%s", path);
    int root = open_root(path, false, &refused);
    if (root < 0)
        return;
    walk(root, measure_entry, s);
    close(root);
}

static void
clear_entry(int sub, const char *name, const struct stat *st, void *arg)
{
    int *n = arg;
    (void)st;
    *n += unlinkat(sub, name, 0) == 0 && is_name(name);
}

int
cache_clear(void)
{
    char path[PATH_MAX];
    bool refused;
    int n = 0, root = open_root(path, false, &refused);
    if (root < 0)
        return 0;
    walk(root, clear_entry, &n);
    for (int i = 0; i < 256; i++)
        unlinkat(root, (char[]){HEX[i >> 4], HEX[i & 15], 0}, AT_REMOVEDIR);
    unlinkat(root, "size", 0);
    close(root);
    return n;
}
