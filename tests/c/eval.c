/* SPDX-License-Identifier: BSD-3-Clause
 * Evaluates runtime functions for tests/test_support.py: each line of the input is a name and its
 * arguments (C hex floats or integers), each line of the output its results. */
#include "ir/ir.h"
#include "rt/rt.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define OP(id, n, result, flags) #id,
static const char *const op_names[] = {
#include "def/op.def"
};
#undef OP

static int
op_code(const char *name)
{
    for (int i = 0; i < SW_LEN(op_names); i++)
        if (!strcmp(op_names[i], name))
            return i;
    fprintf(stderr, "no op %s\n", name);
    exit(2);
}

static const struct {
    const char *name;
    double (*one)(double), (*two)(double, double);
    float (*one_f)(float), (*two_f)(float, float);
} real[] = {
    {"mod_f64", NULL, sw_mod_f64, NULL, NULL},
    {"mod_f32", NULL, NULL, NULL, sw_mod_f32},
    {"floordiv_f64", NULL, sw_floordiv_f64, NULL, NULL},
    {"floordiv_f32", NULL, NULL, NULL, sw_floordiv_f32},
    {"logaddexp", NULL, sw_logaddexp_f64, NULL, NULL},
    {"logaddexp2", NULL, sw_logaddexp2_f64, NULL, NULL},
    {"spacing_f64", sw_spacing_f64, NULL, NULL, NULL},
    {"spacing_f32", NULL, NULL, sw_spacing_f32, NULL},
    {"spacing_f16", NULL, NULL, sw_spacing_f16, NULL},
    {"nextafter_f16", NULL, NULL, NULL, sw_nextafter_f16},
    {"frexp_m", sw_frexp_m, NULL, NULL, NULL},
};

static void
put(double x)
{
    if (isnan(x))
        printf("nan ");
    else
        printf("%a ", x);
}

static int
eval_real(const char *name, const double *x)
{
    for (int i = 0; i < SW_LEN(real); i++) {
        if (strcmp(real[i].name, name))
            continue;
        put(real[i].one     ? real[i].one(x[0])
            : real[i].two   ? real[i].two(x[0], x[1])
            : real[i].one_f ? real[i].one_f((float)x[0])
                            : real[i].two_f((float)x[0], (float)x[1]));
        return 1;
    }
    return 0;
}

static void
eval_int(const char *name, char **word)
{
    uint64_t u[2] = {strtoull(word[0], NULL, 0), strtoull(word[1], NULL, 0)};
    int64_t s[2] = {(int64_t)u[0], (int64_t)u[1]};
    if (!strcmp(name, "pow_i64"))
        printf("%lld", (long long)sw_pow_i64(s[0], s[1]));
    else if (!strcmp(name, "pow_u64"))
        printf("%llu", (unsigned long long)sw_pow_u64(u[0], u[1]));
    else if (!strcmp(name, "gcd_i64"))
        printf("%lld", (long long)sw_gcd_i64(s[0], s[1]));
    else if (!strcmp(name, "gcd_u64"))
        printf("%llu", (unsigned long long)sw_gcd_u64(u[0], u[1]));
    else if (!strcmp(name, "round"))
        put(sw_round_digits(strtod(word[0], NULL), s[1]));
    else if (!strcmp(name, "frexp_e"))
        printf("%d", sw_frexp_e(strtod(word[0], NULL)));
}

/* The op's name, then doubles. */
static int
eval_op(const char *name, const char *op, const double *x)
{
    double z[2];
    if (!strcmp(name, "complex1"))
        sw_complex1(op_code(op), x, z);
    else if (!strcmp(name, "complex2"))
        sw_complex2(op_code(op), x, x + 2, z);
    else
        return 0;
    put(z[0]);
    put(z[1]);
    return 1;
}

int
main(void)
{
    char line[512];
    while (fgets(line, sizeof line, stdin)) {
        char *word[8] = {"", "", "", "", "", "", "", ""};
        int n = 0;
        for (char *w = strtok(line, " \n"); w && n < 8; w = strtok(NULL, " \n"))
            word[n++] = w;
        double x[8] = {0};
        for (int i = 1; i < n; i++)
            x[i - 1] = strtod(word[i], NULL);
        if (!eval_real(word[0], x) && !eval_op(word[0], word[1], x + 1))
            eval_int(word[0], word + 1);
        putchar('\n');
    }
    return 0;
}
