/* SPDX-License-Identifier: BSD-3-Clause
 * The table of back ends, and what all of them share. */
#include "gen/gen.h"
#include <stdlib.h>

static GenTarget
no_choice(void)
{
    return (GenTarget){0};
}

static int
no_vectors(void)
{
    return 0;
}

/* By TARGET_*. */
static const GenBackend backends[TARGET_COUNT] = {
    [TARGET_CPU] = {"cpu", gen_key_cpu, gen_host_target, gen_host_vector_bytes, gen_cpu_emit},
    [TARGET_PTX] = {"ptx", gen_key_ptx, no_choice, no_vectors, gen_ptx_emit},
    [TARGET_OPENCL] = {"opencl", gen_key_build, no_choice, no_vectors, gen_opencl_emit},
};

const GenBackend *
gen_backend(int target)
{
    return &backends[target];
}

void
gen_free(GenOutput *o)
{
    free(o->object);
    for (int i = 0; i < SW_LEN(o->text); i++)
        free(o->text[i]);
    free(o->remarks);
    free(o->error);
    *o = (GenOutput){0};
}

void
gen_refuse(Cx *cx, Span at, GenRefusal what, const char *a, const char *b)
{
    static const char *const message[] = {
#define REFUSE(target, id, text) text,
#include "def/refuse.def"
#undef REFUSE
    };
    diag_add(&cx->diags, DIAG_unsupported, at, message[what], a, b);
}
