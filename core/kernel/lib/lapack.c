/* SPDX-License-Identifier: BSD-3-Clause
 * Finds a LAPACK among the libraries that the process has loaded, once: NumPy brings one along,
 * under names of its own and with 64-bit integers, or uses the system's. Nothing is opened that
 * isn't there. */
#include "kernel/lib/lapack.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static Lapack found;
static void *found_in;
static int found_how;

static const struct {
    const char *prefix, *suffix;
    bool wide;
} spelling[] = {
    {"scipy_", "_64_", true}, {"", "_64_", true}, {"scipy_", "_", false}, {"", "_", false}};

static void *
symbol(void *lib, int how, char type, const char *routine)
{
    char name[64];
    snprintf(name, sizeof name, "%s%c%s%s", spelling[how].prefix, type, routine,
             spelling[how].suffix);
    return dlsym(lib, name);
}

static bool
take(void *lib, int how)
{
    Lapack l = {.wide = spelling[how].wide};
    bool all = true;
    for (int c = 0; c < 2; c++) {
        l.gesv[c] = symbol(lib, how, "dz"[c], "gesv");
        l.getrf[c] = symbol(lib, how, "dz"[c], "getrf");
        l.potrf[c] = symbol(lib, how, "dz"[c], "potrf");
        l.eigh[c] = symbol(lib, how, "dz"[c], c ? "heevd" : "syevd");
        all &= l.gesv[c] && l.getrf[c] && l.potrf[c] && l.eigh[c];
    }
    if (all) {
        found = l;
        found_in = lib;
        found_how = how;
    }
    return all;
}

static int
look(struct dl_phdr_info *info, size_t size, void *arg)
{
    const char *name = info->dlpi_name, *of = arg;
    bool is = strstr(name, "openblas") || strstr(name, "lapack") || strstr(name, "mkl_rt");
    if (!is || !strstr(name, of))
        return 0;
    void *lib = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
    for (int how = 0; lib && how < SW_LEN(spelling); how++)
        if (take(lib, how))
            return 1; /* and it stays open */
    if (lib)
        dlclose(lib);
    return 0;
}

static void
search(void)
{
    const char *which = getenv("SWATHE_LAPACK");
    if (which && !strcmp(which, "own"))
        return;
    if (!dl_iterate_phdr(look, "numpy")) /* SciPy has another */
        dl_iterate_phdr(look, "");
}

const Lapack *
lapack_find(void)
{
    pthread_once(&once, search);
    return found.gesv[0] ? &found : NULL;
}

/* ---- calls: all arguments by reference, integers of either width ----------------------------- */

typedef void Gesv(const void *n, const void *m, void *a, const void *lda, void *pivots, void *b,
                  const void *ldb, void *info);
typedef void Getrf(const void *rows, const void *n, void *a, const void *lda, void *pivots,
                   void *info);
typedef void Potrf(const char *uplo, const void *n, void *a, const void *lda, void *info,
                   size_t uplo_length);

LapackInt
lapack_int(int64_t v)
{
    LapackInt r = {.wide = 0};
    if (found.wide)
        r.wide = v;
    else
        r.narrow = (int32_t)v;
    return r;
}

int64_t
lapack_value(LapackInt v)
{
    return found.wide ? v.wide : v.narrow;
}

static void
widen(const Lapack *l, int64_t n, int64_t *pivots)
{
    const int32_t *narrow = (const int32_t *)(const void *)pivots;
    for (int64_t i = n; !l->wide && i-- > 0;)
        pivots[i] = narrow[i];
}

/* A matrix of more rows than its integers count is for our own. */
static const Lapack *
for_size(int64_t n, int64_t m)
{
    const Lapack *l = lapack_find();
    return l && (l->wide || (n <= INT32_MAX && m <= INT32_MAX)) ? l : NULL;
}

void *
lapack_routine(bool complex, const char *name, int64_t n, int64_t m)
{
    return for_size(n, m) ? symbol(found_in, found_how, "dz"[complex], name) : NULL;
}

void *
lapack_symbol(char type, const char *name)
{
    return lapack_find() ? symbol(found_in, found_how, type, name) : NULL;
}

bool
lapack_fits(int64_t n)
{
    return found.wide || n <= INT32_MAX;
}

int64_t
lapack_lu(bool complex, int64_t n, void *a, int64_t *pivots)
{
    const Lapack *l = for_size(n, n);
    if (!l)
        return own_lu(complex, n, a, pivots);
    Getrf *getrf = (Getrf *)(uintptr_t)l->getrf[complex];
    LapackInt size = lapack_int(n), info = {0};
    getrf(&size, &size, a, &size, pivots, &info);
    widen(l, n, pivots);
    return lapack_value(info);
}

int64_t
lapack_solve(bool complex, int64_t n, int64_t m, void *a, int64_t *pivots, void *b)
{
    const Lapack *l = for_size(n, m);
    if (!l) {
        int64_t info = own_lu(complex, n, a, pivots);
        if (!info)
            own_solve(complex, n, m, a, pivots, b);
        return info;
    }
    Gesv *gesv = (Gesv *)(uintptr_t)l->gesv[complex];
    LapackInt size = lapack_int(n), columns = lapack_int(m), info = {0};
    gesv(&size, &columns, a, &size, pivots, b, &size, &info);
    return lapack_value(info);
}

int64_t
lapack_cholesky(bool complex, bool upper, int64_t n, void *a)
{
    const Lapack *l = for_size(n, n);
    if (!l)
        return own_cholesky(complex, upper, n, a);
    Potrf *potrf = (Potrf *)(uintptr_t)l->potrf[complex];
    LapackInt size = lapack_int(n), info = {0};
    potrf(upper ? "U" : "L", &size, a, &size, &info, 1);
    return lapack_value(info);
}

/* ---- eigenvalues: their routines say first how much memory they want ------------------------- */

typedef void Syevd(const char *jobz, const char *uplo, const void *n, void *a, const void *lda,
                   double *w, double *work, const void *n_work, void *iwork, const void *n_iwork,
                   void *info, size_t, size_t);
typedef void Heevd(const char *jobz, const char *uplo, const void *n, void *a, const void *lda,
                   double *w, double *work, const void *n_work, double *rwork, const void *n_rwork,
                   void *iwork, const void *n_iwork, void *info, size_t, size_t);

typedef struct Work {
    double *work, *rwork;
    LapackInt *iwork;
    LapackInt n_work, n_rwork, n_iwork;
} Work;

static int64_t
eigh(const Lapack *l, bool complex, const char *how, int64_t n, void *a, double *w, Work *k)
{
    const char *jobz = how, *uplo = how + 1;
    LapackInt size = lapack_int(n), info = {0};
    if (complex)
        ((Heevd *)(uintptr_t)l->eigh[1])(jobz, uplo, &size, a, &size, w, k->work, &k->n_work,
                                         k->rwork, &k->n_rwork, k->iwork, &k->n_iwork, &info, 1, 1);
    else
        ((Syevd *)(uintptr_t)l->eigh[0])(jobz, uplo, &size, a, &size, w, k->work, &k->n_work,
                                         k->iwork, &k->n_iwork, &info, 1, 1);
    return lapack_value(info);
}

int64_t
lapack_eigh(bool complex, bool vectors, bool upper, int64_t n, void *a, double *w)
{
    const Lapack *l = for_size(n, n);
    const char *how = vectors ? upper ? "VU" : "VL" : upper ? "NU" : "NL";
    if (!l)
        return vectors ? own_vectors(complex, upper, n, a, w)
                       : own_eigenvalues(complex, upper, n, a, w);
    double size[2] = {0}, rsize = 0;
    LapackInt isize = {0}, ask = lapack_int(-1);
    Work k = {size, &rsize, &isize, ask, ask, ask};
    if (eigh(l, complex, how, n, a, w, &k))
        return 1;
    int64_t n_work = (int64_t)size[0], n_rwork = (int64_t)rsize, n_iwork = lapack_value(isize);
    double *all = malloc((size_t)(n_work * (complex ? 2 : 1) + n_rwork + n_iwork + 3) * 8);
    if (!all)
        return -1;
    k.work = all;
    k.rwork = k.work + n_work * (complex ? 2 : 1);
    k.iwork = (LapackInt *)(void *)(k.rwork + n_rwork);
    k.n_work = lapack_int(n_work);
    k.n_rwork = lapack_int(n_rwork);
    k.n_iwork = lapack_int(n_iwork);
    int64_t info = eigh(l, complex, how, n, a, w, &k);
    free(all);
    return info != 0;
}
