/* SPDX-License-Identifier: BSD-3-Clause
 * What tests/c/loader.c loads: calls out of the object, a jump table, pointers in data, bss. */
#include <math.h>
#include <string.h>

static const char *const names[] = {"", "swathes"};
static int counter = 7;
static int table[1000];

double
wave(double x)
{
    return sin(x) + cos(x * x);
}

int
choose(int k)
{
    switch (k) {
    case 0:
        return 17;
    case 1:
        return table[3] + 4;
    case 2:
        return 99;
    case 3:
        return 1009;
    case 4:
        return counter;
    case 5:
        return 31;
    case 6:
        return 5;
    case 7:
        return 1 << 20;
    }
    return -1;
}

int *
bump(int by)
{
    counter += by;
    return &counter;
}

int
name(char *to)
{
    memcpy(to, names[1], strlen(names[1]) + 1);
    return (int)strlen(to);
}
