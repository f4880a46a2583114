/* SPDX-License-Identifier: BSD-3-Clause
 * The disk cache: artifacts by key, one file each, in a folder that only its user may write. A file
 * is read whole and believed only when its header, key, size and checksum are right; whatever else
 * it is counts as absent and is written anew. Writing goes to a temporary file that is renamed, so
 * readers see all of it or nothing, and two processes may do the same at once. No failure here is
 * the user's: a folder that is full, read-only or not safe costs a compilation. */
#include "gen/gen.h"
#include "rt/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

typedef struct Header {
    char magic[8];
    uint32_t version, header_size;
    Hash key;
    uint64_t payload_size;
    Hash checksum;
    uint64_t zero;
} Header;
_Static_assert(sizeof(Header) == 64, "the payload must stay aligned");

/* Another version is another key, too; the number here is of the layout of files. */
enum { VERSION = 1, MAX_PAYLOAD = 256 << 20 };
static const char magic[8] = {'s', 'w', 'a', 't', 'h', 'e', '\n', '\x1a'};

static int64_t hits, misses, errors;

static void
count(int64_t *n)
{
    __atomic_add_fetch(n, 1, __ATOMIC_RELAXED);
}

/* ---- the key --------------------------------------------------------------------------------- */

/* Texts tell types apart but for the order of strides, and for functions, which are named by their
 * place in the program. */
static void
hash_type(const Type *t, Hash *h)
{
    hash_u64(h, (uint64_t)t->kind | (uint64_t)t->fortran << 8);
    hash_str(h, t->text);
    hash_u64(h, (uint64_t)t->n);
    for (int i = 0; i < t->n; i++)
        hash_type(t->elems[i], h);
    if (t->kind == TY_FUNC && t->ref)
        hash_u64(h, (uint64_t)((const FuncDef *)t->ref)->index);
    if (t->kind == TY_BUILTIN && t->ref) {
        const Builtin *b = t->ref;
        hash_str(h, b->name);
        hash_str(h, b->module);
    }
}

static void
hash_sched(const SwSched *s, Hash *h)
{
    hash_str(h, s->label);
    hash_u64(h, (uint64_t)s->threads);
    hash_u64(h, (uint64_t)s->tpb);
    hash_u64(h, (uint64_t)s->unroll);
    for (int i = 0; i < SW_LEN(s->tile); i++)
        hash_u64(h, (uint64_t)s->tile[i]);
    hash_u64(h, (uint64_t)(s->reduce | s->seq << 1));
}

Hash
cache_key(const Cx *cx, const SwRequest *rq)
{
    (void)cx;
    Hash h = hash_init();
    hash_u64(&h, VERSION);
    gen_backend(rq->opt.target)->key(&h);
    if (rq->opt.offload > 0)
        gen_backend(rq->opt.offload)->key(&h);
    hash_bytes(&h, &rq->opt, sizeof rq->opt);
    hash_u64(&h, (uint64_t)rq->n_args);
    for (int i = 0; i < rq->n_args; i++)
        hash_type(rq->args[i], &h);
    hash_bytes(&h, rq->likely, (size_t)rq->n_likely);
    hash_u64(&h, (uint64_t)rq->n_sched);
    for (int i = 0; i < rq->n_sched; i++)
        hash_sched(&rq->sched[i], &h);
    ast_hash(rq->prog, &h);
    return h;
}

static Hash
checksum(const void *p, size_t n)
{
    Hash h = hash_init();
    hash_bytes(&h, p, n);
    return h;
}

/* ---- reading --------------------------------------------------------------------------------- */

static bool
read_all(int fd, void *to, size_t n)
{
    char *p = to;
    while (n) {
        ssize_t k = read(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static bool
header_right(const Header *d, const Hash *key, off_t size)
{
    return !memcmp(d->magic, magic, sizeof magic) && d->version == VERSION &&
           d->header_size == sizeof *d && !memcmp(&d->key, key, sizeof *key) && !d->zero &&
           d->payload_size <= MAX_PAYLOAD && d->payload_size == (uint64_t)size - sizeof *d;
}

/* NULL: not what was written here. */
static const void *
read_payload(Cx *cx, int fd, const struct stat *st, const Hash *key, size_t *n)
{
    Header d;
    if (st->st_size < (off_t)sizeof d || !read_all(fd, &d, sizeof d) ||
        !header_right(&d, key, st->st_size))
        return NULL;
    *n = (size_t)d.payload_size;
    void *p = arena_alloc(&cx->arena, *n + 1);
    if (!read_all(fd, p, *n))
        return NULL;
    Hash sum = checksum(p, *n);
    return memcmp(&sum, &d.checksum, sizeof sum) ? NULL : p;
}

/* Use is what keeps a file from being removed; one a second is enough to know. */
static void
touch(int fd, const struct stat *st)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (st->st_mtim.tv_sec != now.tv_sec)
        (void)!futimens(fd, NULL);
}

/* What the file holds: an artifact, or, where there is no request, bytes as they were given. */
static const void *
read_file(Cx *cx, const SwRequest *rq, const Hash *key, int fd, size_t *n)
{
    struct stat st;
    if (fstat(fd, &st) != 0 || !cache_trusts(&st) || !S_ISREG(st.st_mode))
        return NULL;
    const void *bytes = read_payload(cx, fd, &st, key, n);
    const void *a = bytes && rq ? artifact_decode(cx, rq, bytes, *n) : bytes;
    if (a)
        touch(fd, &st);
    return a;
}

/* What a file holds that somebody else has read, where it lies. */
const void *
cache_read(const Hash *key, const void *file, size_t n, size_t *size)
{
    const Header *d = file;
    if (n < sizeof *d || (uintptr_t)file % 16 || !header_right(d, key, (off_t)n))
        return NULL;
    *size = (size_t)d->payload_size;
    Hash sum = checksum(d + 1, *size);
    return memcmp(&sum, &d->checksum, sizeof sum) ? NULL : d + 1;
}

static const void *
get(Cx *cx, const SwRequest *rq, const Hash *key, size_t *n)
{
    char name[33];
    hash_hex(key, name);
    CacheDir dir = cache_open(cx, name, false);
    int fd =
        dir.sub < 0 ? -1 : openat(dir.sub, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    jmp_buf here, *before = cx->arena.oom; /* so that no descriptor is lost */
    const void *volatile a = NULL;
    cx->arena.oom = &here;
    if (setjmp(here) == 0 && fd >= 0)
        a = read_file(cx, rq, key, fd, n);
    cx->arena.oom = before;
    count(fd >= 0 && !a ? &errors : a ? &hits : &misses);
    if (fd >= 0)
        close(fd);
    cache_close(&dir);
    return a;
}

const Artifact *
cache_get(Cx *cx, const SwRequest *rq, const Hash *key)
{
    size_t n = 0;
    return get(cx, rq, key, &n);
}

const void *
cache_get_bytes(Cx *cx, const Hash *key, size_t *n)
{
    return get(cx, NULL, key, n);
}

/* ---- writing --------------------------------------------------------------------------------- */

static bool
write_all(int fd, const void *from, size_t n)
{
    const char *p = from;
    while (n) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return false;
        p += k;
        n -= (size_t)k;
    }
    return true;
}

static bool
write_file(const CacheDir *dir, const char *name, const Header *d, const StrBuf *payload)
{
    static unsigned serial;
    char temp[64];
    snprintf(temp, sizeof temp, CACHE_TEMP "%ld.%u", (long)getpid(),
             __atomic_add_fetch(&serial, 1, __ATOMIC_RELAXED));
    int fd = openat(dir->sub, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = write_all(fd, d, sizeof *d) && write_all(fd, payload->s, payload->n);
    ok &= close(fd) == 0;
    ok = ok && renameat(dir->sub, temp, dir->sub, name) == 0;
    if (!ok)
        unlinkat(dir->sub, temp, 0);
    return ok;
}

static void
put_payload(Cx *cx, const Hash *key, const StrBuf *payload)
{
    char name[33];
    hash_hex(key, name);
    bool right = payload->n <= MAX_PAYLOAD && (int64_t)payload->n < cache_limit();
    CacheDir dir = right ? cache_open(cx, name, true) : (CacheDir){-1, -1};
    if (dir.sub >= 0) {
        Header d = {.version = VERSION,
                    .header_size = sizeof d,
                    .key = *key,
                    .payload_size = payload->n,
                    .checksum = checksum(payload->s, payload->n)};
        memcpy(d.magic, magic, sizeof magic);
        if (write_file(&dir, name, &d, payload))
            cache_grown(&dir, (int64_t)(sizeof d + payload->n));
        else
            count(&errors);
    }
    cache_close(&dir);
}

void
cache_put(Cx *cx, const Hash *key, const Artifact *a)
{
    StrBuf payload = {0};
    if (artifact_encode(a, &payload) && !payload.lost)
        put_payload(cx, key, &payload);
    sb_free(&payload);
}

void
cache_put_bytes(Cx *cx, const Hash *key, const void *bytes, size_t n)
{
    const StrBuf payload = {.s = (char *)(uintptr_t)bytes, .n = n, .cap = n};
    put_payload(cx, key, &payload);
}

void
cache_stats(CacheStats *s)
{
    memset(s, 0, sizeof *s);
    cache_measure(s);
    s->hits = __atomic_load_n(&hits, __ATOMIC_RELAXED);
    s->misses = __atomic_load_n(&misses, __ATOMIC_RELAXED);
    s->errors = __atomic_load_n(&errors, __ATOMIC_RELAXED);
}
