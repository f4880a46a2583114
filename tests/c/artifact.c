/* SPDX-License-Identifier: BSD-3-Clause
 * An artifact through its encoding and back; the same bytes cut everywhere and with every byte
 * changed, which must be refused or read as something whole; and the texts of run-time errors.
 * Says what is wrong and exits with 1. */
#include "kernel/kernel.h"
#include "rt/rt.h"

#include <stdio.h>
#include <stdlib.h>

void (*rt_write_hook)(const char *s, size_t n); /* in place of rt/support.c */
const SwSite *
load_site(const struct LoadedCode *c, int32_t site) /* of rt/load.c */
{
    (void)c, (void)site;
    return NULL;
}
void
rt_error_share(SwError *to, const SwError *from) /* of rt/support_fault.c */
{
    *to = *from;
}
const char *(*rt_python_error)(int64_t number, char **text); /* of rt/support.c */
void
kernel_noted(StrBuf *out, uint64_t number) /* of kernel/library.c */
{
    sb_addf(out, "%llu", (unsigned long long)number);
}
static int failures;
#define CHECK(x) ((x) ? (void)0 : (void)(failures++, printf("line %d: %s\n", __LINE__, #x)))

static const char the_class;
static char object[] = "\177ELF, or so it says: never loaded here";
static const SwSite sites[] = {
    {"IndexError", "index %0 is out of bounds for axis %1", "f", "a.py", "    return x[i] + 1", 3,
     11, 15},
    {"ValueError", "%0g and %1b, 100%%", "g", "b.py", "raise ValueError(\"\xc3\xa9\", q)", 9, 23,
     24},
    {"print", NULL, NULL, NULL, NULL, 0, 0, 0},
    {"ValueError", "no place", "h", NULL, NULL, 0, 0, 0},
};

/* (Point(x: float64[:,:], y: int), none, UniTuple(bool, 2)), Point being an argument's class */
static const Type *
result_type(Cx *cx, const Type **point)
{
    TypeTable *t = cx->types;
    const Type *two[2] = {type_array(t, DT_f64, 2, LAY_A, false), type_scalar(t, DT_i64, true)};
    Sym names[2] = {intern(&cx->syms, "x"), intern(&cx->syms, "y")};
    *point = type_named_tuple(t, 2, two, names, &the_class, "Point");
    const Type *flags[2] = {type_scalar(t, DT_bool, true), type_scalar(t, DT_bool, true)};
    const Type *all[3] = {*point, type_none(t), type_tuple(t, 2, flags)};
    return type_tuple(t, 3, all);
}

static bool
same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void
check_same(const Artifact *a, const Artifact *b)
{
    CHECK(a->ret == b->ret && a->brief == b->brief && a->n_sites == b->n_sites);
    CHECK(same_text(a->remarks, b->remarks));
    CHECK(a->object_size == b->object_size && !memcmp(a->object, b->object, a->object_size));
    CHECK((uintptr_t)b->object % 16 == 0);
    for (int i = 0; i < a->n_sites; i++) {
        const SwSite *s = &a->sites[i], *t = &b->sites[i];
        CHECK(same_text(s->exc, t->exc) && same_text(s->format, t->format) &&
              same_text(s->func, t->func));
        CHECK(same_text(s->file, t->file) && same_text(s->text, t->text));
        CHECK(s->line == t->line && s->col == t->col && s->end_col == t->end_col);
    }
}

/* From memory of exactly this size, so that a sanitizer sees a read past it. */
static const Artifact *
decode(Cx *cx, const SwRequest *rq, const char *bytes, size_t n, char **copy)
{
    *copy = malloc(n ? n : 1);
    memcpy(*copy, bytes, n);
    return artifact_decode(cx, rq, *copy, n);
}

/* What was accepted can be used: its texts end, its type is one. */
static size_t
use(const Artifact *a)
{
    size_t n = strlen(a->ret->text) + (a->remarks ? strlen(a->remarks) : 0);
    for (int i = 0; i < a->n_sites; i++) {
        SwFunction fn = {.n_sites = a->n_sites, .sites = (SwSite *)a->sites};
        SwError e = {.site = i, .a = {1, 2, 3, 4}};
        const char *exc;
        char *text = rt_error_text(&fn, &e, &exc);
        n += strlen(text) + strlen(exc);
        free(text);
    }
    for (size_t i = 0; i < a->object_size; i++)
        n += (size_t)((const char *)a->object)[i];
    return n;
}

static void
test_damage(const SwRequest *rq, const StrBuf *good)
{
    static const unsigned char values[] = {0, 1, 2, 0x7f, 0x80, 0xff};
    size_t used = 0;
    for (size_t i = 0; i < good->n * (SW_LEN(values) + 1); i++) {
        Cx cx;
        char *copy;
        cx_init(&cx);
        cx.types = type_table(&cx.arena);
        char *bytes = malloc(good->n);
        memcpy(bytes, good->s, good->n);
        size_t at = i / (SW_LEN(values) + 1), how = i % (SW_LEN(values) + 1), n = good->n;
        if (how < SW_LEN(values))
            bytes[at] = (char)values[how];
        else
            n = at;
        const Artifact *a = decode(&cx, rq, bytes, n, &copy);
        CHECK(!a || n == good->n);
        used += a ? use(a) : 0;
        free(copy);
        free(bytes);
        cx_free(&cx);
    }
    CHECK(used > 0);
}

static void
test_encoding(void)
{
    Cx cx;
    cx_init(&cx);
    cx.types = type_table(&cx.arena);
    const Type *point;
    Artifact a = {.ret = result_type(&cx, &point),
                  .object = object,
                  .object_size = sizeof object,
                  .n_sites = SW_LEN(sites),
                  .sites = sites,
                  .remarks = "3\tbounds\tcheck removed\t\n",
                  .brief = true};
    Program prog = {0};
    SwRequest rq = {.prog = &prog, .n_args = 1, .args = &point};
    StrBuf bytes = {0};
    char *copy;
    CHECK(artifact_encode(&a, &bytes));
    const Artifact *b = decode(&cx, &rq, bytes.s, bytes.n, &copy);
    CHECK(b);
    if (b)
        check_same(&a, b);
    free(copy);
    rq.n_args = 0; /* nobody knows the class */
    CHECK(!decode(&cx, &rq, bytes.s, bytes.n, &copy));
    free(copy);
    rq.n_args = 1;
    test_damage(&rq, &bytes);
    a.ret = type_other(cx.types, TY_STR, NULL, 0, NULL, NULL);
    bytes.n = 0;
    CHECK(!artifact_encode(&a, &bytes));
    sb_free(&bytes);
    cx_free(&cx);
}

static void
expect(const SwError *e, const char *exc, const char *text)
{
    SwFunction fn = {.n_sites = SW_LEN(sites), .sites = (SwSite *)sites};
    const char *got;
    char *s = rt_error_text(&fn, e, &got);
    if (strcmp(s, text) || strcmp(got, exc)) {
        failures++;
        printf("expected %s: %s\ngot %s: %s\n", exc, text, got, s);
    }
    free(s);
}

static void
test_errors(void)
{
    double x = 0.1;
    SwError e = {.a = {-4, 1}};
    expect(&e, "IndexError",
           "index -4 is out of bounds for axis 1\n  File \"a.py\", line 3, in f\n"
           "    return x[i] + 1\n           ^^^^");
    e = (SwError){.site = 1, .a = {0, 1}};
    memcpy(e.a, &x, sizeof x);
    expect(&e, "ValueError",
           "0.1 and True, 100%\n  File \"b.py\", line 9, in g\n"
           "    raise ValueError(\"\xc3\xa9\", q)\n"
           "    "
           "                      ^");
    e = (SwError){.site = 3};
    expect(&e, "ValueError", "no place");
    e = (SwError){.site = SW_ERR_MEMORY};
    expect(&e, "MemoryError", "out of memory");
    e = (SwError){.site = SW_ERR_NEG_DIM};
    expect(&e, "ValueError", "negative dimensions are not allowed");
    e = (SwError){.site = SW_LEN(sites)};
    expect(&e, "SystemError", "swathe: an error of an unknown place");
    e = (SwError){.site = -99};
    expect(&e, "SystemError", "swathe: an error of an unknown place");
}

int
main(void)
{
    test_encoding();
    test_errors();
    return failures ? 1 : 0;
}
