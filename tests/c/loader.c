/* SPDX-License-Identifier: BSD-3-Clause
 * Loads an object, runs what is in it, then loads damaged copies of it: each must be refused or
 * loaded, and never fault. Usage: loader OBJECT ROUNDS SEED. */
#include "rt/rt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state;

static uint64_t
rnd(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static char *
read_file(const char *path, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (!f)
        exit(2);
    char *p = malloc(1 << 20);
    *n = fread(p, 1, 1 << 20, f);
    fclose(f);
    return p;
}

static int
run_it(const char *elf, size_t n)
{
    LoadError err;
    struct LoadedCode *c = load_object(elf, n, 0, &err);
    if (!c) {
        printf("refused: %s\n", err.no_memory ? "no memory" : err.why);
        return 1;
    }
    double (*wave)(double) = (double (*)(double))(uintptr_t)load_symbol(c, "wave");
    int (*choose)(int) = (int (*)(int))(uintptr_t)load_symbol(c, "choose");
    int *(*bump)(int) = (int *(*)(int))(uintptr_t)load_symbol(c, "bump");
    int (*name)(char *) = (int (*)(char *))(uintptr_t)load_symbol(c, "name");
    int bad = !wave || !choose || !bump || !name || load_symbol(c, "absent");
    char text[32];
    bad = bad || wave(0.5) != sin(0.5) + cos(0.25);
    bad = bad || choose(3) != 1009 || choose(6) != 5 || choose(99) != -1;
    bad = bad || *bump(5) != 12 || *bump(1) != 13;
    bad = bad || name(text) != 7 || strcmp(text, "swathes");
    if (bad)
        printf("a wrong result\n");
    load_free(c);
    return bad;
}

/* Most damage goes to the tables, where it hurts. */
static void
damage(unsigned char *p, size_t *n)
{
    size_t tables;
    memcpy(&tables, p + 40, 8);
    for (int k = (int)(rnd() % 4) + 1; k > 0; k--) {
        size_t at = rnd() % 3 || tables >= *n ? rnd() % *n : tables + rnd() % (*n - tables);
        switch (rnd() % 5) {
        case 0:
            p[at] ^= (unsigned char)(1 << rnd() % 8);
            break;
        case 1:
            p[at] = (unsigned char)rnd();
            break;
        case 2:
            p[at] = 0xff;
            break;
        case 3:
            memset(p + at, rnd() % 2 ? 0xff : 0, *n - at < 8 ? *n - at : 8);
            break;
        case 4:
            p[at] = (unsigned char)(p[at] + 1);
            break;
        }
    }
    if (rnd() % 16 == 0)
        *n = rnd() % *n;
}

int
main(int argc, char **argv)
{
    if (argc < 4)
        return 2;
    size_t n;
    char *elf = read_file(argv[1], &n);
    if (run_it(elf, n))
        return 1;
    char *moved = malloc(n + 1); /* not aligned */
    memcpy(moved + 1, elf, n);
    if (run_it(moved + 1, n))
        return 1;
    state = strtoull(argv[3], NULL, 0) * 2654435761u + 88172645463325252u;
    long loaded = 0, rounds = atol(argv[2]);
    for (long i = 0; i < rounds; i++) {
        size_t m = n;
        unsigned char *p = malloc(n);
        memcpy(p, elf, n);
        damage(p, &m);
        unsigned char *exact = malloc(m ? m : 1); /* so that a read past the end shows */
        memcpy(exact, p, m);
        LoadError err;
        struct LoadedCode *c = load_object(exact, m, 0, &err);
        loaded += c != NULL;
        if (!c && !err.why && !err.no_memory)
            return 1;
        load_free(c);
        free(err.why);
        free(exact);
        free(p);
    }
    free(moved);
    free(elf);
    printf("loaded %ld of %ld\n", loaded, rounds);
    return 0;
}
